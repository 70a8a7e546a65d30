/* wire.h - the messages of wire.def as C structs, and how they travel.
 *
 * A message is a header (length, code, status: eight bytes) and a payload.  An answer carries the code of its
 * request; its payload is the reply, or, if the status isn't EBB_OK, a line of text.
 *
 * WE1  decoding reads nothing outside the payload and believes no count that the payload could not hold;
 * WE2  what is decoded lives in the given arena. */
#ifndef EBB_JVM_WIRE_WIRE_H
#define EBB_JVM_WIRE_WIRE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"

#include <stdint.h>

typedef uint8_t jvm_wire_u8;
typedef uint16_t jvm_wire_u16;
typedef uint32_t jvm_wire_u32;
typedef uint64_t jvm_wire_u64;
typedef const char *jvm_wire_text;
typedef struct jvm_wire_bytes {
    const uint8_t *data;
    uint32_t n;
} jvm_wire_bytes;

#define JVM_WIRE_STRUCT(name) typedef struct jvm_wire_##name {
#define JVM_WIRE_FIELD(kind, name) jvm_wire_##kind name;
#define JVM_WIRE_LIST(type, name)                                                                  \
    struct {                                                                                       \
        jvm_wire_##type *items;                                                                    \
        size_t n, cap; /* an EBB_VEC, where it is made from one */                                 \
    } name;
#define JVM_WIRE_END(name)                                                                         \
        char end_[1]; /* so that none is empty */                                                  \
    } jvm_wire_##name;
#include "jvm/wire/wire.def"

enum jvm_wire_codes {
    JVM_WIRE_NO_CODE,
#define JVM_WIRE_DO(name, request, reply) JVM_WIRE_CODE_##name,
#include "jvm/wire/wire.def"
    JVM_WIRE_NCODES
};

typedef struct jvm_wire_reader {
    const uint8_t *at, *end;
    ebb_arena *arena;
    bool bad; /* sticky: something did not fit */
} jvm_wire_reader;

/* void jvm_wire_put_NAME(ebb_buf *, const jvm_wire_NAME *); bool jvm_wire_get_NAME(jvm_wire_reader *, jvm_wire_NAME *):
 * false as soon as the payload doesn't hold one. */
#define JVM_WIRE_STRUCT(name)                                                                      \
    void jvm_wire_put_##name(ebb_buf *out, const jvm_wire_##name *in);                             \
    bool jvm_wire_get_##name(jvm_wire_reader *r, jvm_wire_##name *out);
#include "jvm/wire/wire.def"

/* Of all that wire.def and machine/code.h say: two sides that have the same one understand each other. */
uint64_t jvm_wire_fingerprint(void);

typedef struct jvm_wire_message {
    uint16_t code, status;
    ebb_buf payload;
} jvm_wire_message; /* zero-initialised is empty; ebb_buf_fini(&payload) */

enum { JVM_WIRE_MAX_PAYLOAD = 64 << 20 };

/* Whole messages over a stream socket.  EBB_GONE when the other side is; EBB_BAD_FILE for nonsense.  `fd_out`
 * (may be NULL) receives a descriptor that came along, or -1; `fd_along` -1 sends none. */
ebb_status jvm_wire_send(int fd, uint16_t code, uint16_t status, const ebb_buf *payload, int fd_along, ebb_error *err) EBB_MUST_CHECK;
ebb_status jvm_wire_receive(int fd, jvm_wire_message *m, int *fd_out, ebb_error *err) EBB_MUST_CHECK;

#endif
