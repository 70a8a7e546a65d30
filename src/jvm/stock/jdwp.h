/* jdwp.h - one conversation in the Java Debug Wire Protocol, by which every stock JVM lets itself be debugged.
 *
 * A command is sent and its reply waited for.  Events that come meanwhile are kept in order.  Numbers are big-endian; ids have
 * the sizes that the JVM says (at most eight bytes), and travel as uint64_t here.
 *
 * JD1  reading goes no further than the packet: what is missing reads as zero, and the reader is `bad` from then on;
 * JD2  a reply lives in the arena of who asked. */
#ifndef EBB_JVM_STOCK_JDWP_H
#define EBB_JVM_STOCK_JDWP_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"

#include <stdint.h>

typedef enum jdwp_command {
#define JDWP_COMMAND(set, number, name) JDWP_##name = (set) << 8 | (number),
#include "jvm/stock/jdwp.def"
} jdwp_command;

/* Kinds of events. */
enum {
    JDWP_STEP = 1, JDWP_BREAKPOINT = 2, JDWP_EXCEPTION = 4, JDWP_THREAD_START = 6, JDWP_THREAD_END = 7, JDWP_CLASS_PREPARE = 8,
    JDWP_FIELD_ACCESS = 20, JDWP_FIELD_CHANGE = 21, JDWP_METHOD_RETURNS = 42, JDWP_VM_START = 90, JDWP_VM_DEATH = 99,
};

typedef struct jdwp {
    int fd;
    uint32_t last_id;
    unsigned n_field, n_method, n_object, n_type, n_frame; /* bytes of each kind of id */
    EBB_VEC(ebb_buf) events;                               /* composite packets that wait to be read, oldest first */
} jdwp;

typedef struct jdwp_in {
    const jdwp *j;
    const uint8_t *at, *end;
    bool bad;
} jdwp_in;

/* The handshake, and the sizes of ids.  `fd` is the caller's. */
ebb_status jdwp_begin(jdwp *j, int fd, ebb_error *err) EBB_MUST_CHECK;
/* Takes what is in `args`.  EBB_GONE: the JVM is. */
ebb_status jdwp_ask(jdwp *j, jdwp_command command, ebb_buf *args, ebb_arena *arena, jdwp_in *reply, ebb_error *err) EBB_MUST_CHECK;
/* Sends without waiting; the reply's id. */
ebb_status jdwp_send(jdwp *j, jdwp_command command, ebb_buf *args, uint32_t *id, ebb_error *err) EBB_MUST_CHECK;
/* Reads one packet: a reply to `id` (true in *is_reply), or an event, which is kept. */
ebb_status jdwp_receive(jdwp *j, uint32_t id, ebb_arena *arena, bool *is_reply, jdwp_in *reply, ebb_error *err) EBB_MUST_CHECK;

/* ---- reading ---- */

uint64_t jdwp_number(jdwp_in *in, unsigned nbytes);
static inline uint8_t jdwp_u8(jdwp_in *in) { return (uint8_t)jdwp_number(in, 1); }
static inline uint32_t jdwp_u32(jdwp_in *in) { return (uint32_t)jdwp_number(in, 4); }
static inline uint64_t jdwp_u64(jdwp_in *in) { return jdwp_number(in, 8); }
static inline uint64_t jdwp_object(jdwp_in *in) { return jdwp_number(in, in->j->n_object); }
static inline uint64_t jdwp_type(jdwp_in *in) { return jdwp_number(in, in->j->n_type); }
static inline uint64_t jdwp_method(jdwp_in *in) { return jdwp_number(in, in->j->n_method); }
static inline uint64_t jdwp_field(jdwp_in *in) { return jdwp_number(in, in->j->n_field); }
static inline uint64_t jdwp_frame(jdwp_in *in) { return jdwp_number(in, in->j->n_frame); }
const char *jdwp_text(jdwp_in *in, ebb_arena *arena);
/* A count of things of at least so many bytes: never more than the packet can hold. */
uint32_t jdwp_count(jdwp_in *in, unsigned nbytes_each);

/* ---- writing ---- */

void jdwp_put(ebb_buf *out, uint64_t number, unsigned nbytes);
void jdwp_put_text(ebb_buf *out, const char *text);

#endif
