/* packet.h - packets of the Java Debug Wire Protocol, their contents read and written: for either end of a conversation.
 *
 * A packet is a header of JDWP_HEADER bytes (its length with the header, an id, flags, a command or an error) and what it says.  Numbers are
 * big-endian; ids have the sizes that the JVM says (at most eight bytes), and travel as uint64_t here.
 *
 * JD1  reading goes no further than the packet: what is missing reads as zero, and the reader is `bad` from then on. */
#ifndef EBB_JVM_JDWP_PACKET_H
#define EBB_JVM_JDWP_PACKET_H

#include "base/arena.h"
#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

#define JDWP_HANDSHAKE "JDWP-Handshake"
enum { JDWP_HEADER = 11, JDWP_IS_REPLY = 0x80 };

typedef enum jdwp_command {
#define JDWP_COMMAND(set, number, name) JDWP_##name = (set) << 8 | (number),
#include "jvm/jdwp/jdwp.def"
} jdwp_command;

typedef enum jdwp_event {
#define JDWP_EVENT(number, name) JDWP_##name = number,
#include "jvm/jdwp/jdwp.def"
} jdwp_event;

typedef enum jdwp_filter {
#define JDWP_FILTER(number, name) JDWP_FILTER_##name = number,
#include "jvm/jdwp/jdwp.def"
} jdwp_filter;

typedef enum jdwp_error {
    JDWP_FINE = 0,
#define JDWP_ERROR(number, name, status, text) JDWP_##name = number,
#include "jvm/jdwp/jdwp.def"
} jdwp_error;

/* Kinds of types, of steps, and of what stands still at an event. */
enum { JDWP_TAG_CLASS = 1, JDWP_TAG_INTERFACE = 2, JDWP_TAG_ARRAY = 3 };
enum { JDWP_SIZE_INSN = 0, JDWP_SIZE_LINE = 1 };
enum { JDWP_DEPTH_INTO = 0, JDWP_DEPTH_OVER = 1, JDWP_DEPTH_OUT = 2 };
enum { JDWP_SUSPEND_NONE = 0, JDWP_SUSPEND_THREAD = 1, JDWP_SUSPEND_ALL = 2 };

typedef struct jdwp_sizes { /* bytes of each kind of id */
    unsigned n_field, n_method, n_object, n_type, n_frame;
} jdwp_sizes;

typedef struct jdwp_header {
    uint32_t nbytes; /* of the packet, this header included */
    uint32_t id;
    uint8_t flags;
    uint16_t code; /* a jdwp_command, or of a reply a jdwp_error */
} jdwp_header;

typedef struct jdwp_in {
    const jdwp_sizes *sizes;
    const uint8_t *at, *end;
    bool bad;
} jdwp_in;

/* ---- reading ---- */

jdwp_header jdwp_read_header(const uint8_t bytes[JDWP_HEADER]);
uint64_t jdwp_number(jdwp_in *in, unsigned nbytes);
static inline uint8_t jdwp_u8(jdwp_in *in) { return (uint8_t)jdwp_number(in, 1); }
static inline uint32_t jdwp_u32(jdwp_in *in) { return (uint32_t)jdwp_number(in, 4); }
static inline uint64_t jdwp_u64(jdwp_in *in) { return jdwp_number(in, 8); }
static inline uint64_t jdwp_object(jdwp_in *in) { return jdwp_number(in, in->sizes->n_object); }
static inline uint64_t jdwp_type(jdwp_in *in) { return jdwp_number(in, in->sizes->n_type); }
static inline uint64_t jdwp_method(jdwp_in *in) { return jdwp_number(in, in->sizes->n_method); }
static inline uint64_t jdwp_field(jdwp_in *in) { return jdwp_number(in, in->sizes->n_field); }
static inline uint64_t jdwp_frame(jdwp_in *in) { return jdwp_number(in, in->sizes->n_frame); }
const char *jdwp_text(jdwp_in *in, ebb_arena *arena);
/* A count of things of at least so many bytes: never more than the packet can hold. */
uint32_t jdwp_count(jdwp_in *in, unsigned nbytes_each);

/* ---- writing ---- */

void jdwp_put(ebb_buf *out, uint64_t number, unsigned nbytes);
void jdwp_put_text(ebb_buf *out, const char *text);
/* A header for so many bytes of contents. */
void jdwp_put_header(ebb_buf *out, size_t nbytes, uint32_t id, uint8_t flags, uint16_t code);

#endif
