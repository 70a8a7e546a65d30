/* jdwp.h - one conversation in the Java Debug Wire Protocol, by which every stock JVM lets itself be debugged.
 *
 * A command is sent and its reply waited for.  Events that come meanwhile are kept in order.
 *
 * JD2  a reply lives in the arena of who asked. */
#ifndef EBB_JVM_STOCK_JDWP_H
#define EBB_JVM_STOCK_JDWP_H

#include "base/error.h"
#include "base/mem.h"
#include "jvm/jdwp/packet.h"

typedef struct jdwp {
    int fd;
    uint32_t last_id;
    jdwp_sizes sizes;
    EBB_VEC(ebb_buf) events; /* composite packets that wait to be read, oldest first */
} jdwp;

/* The handshake, and the sizes of ids.  `fd` is the caller's. */
ebb_status jdwp_begin(jdwp *j, int fd, ebb_error *err) EBB_MUST_CHECK;
/* Takes what is in `args`.  EBB_GONE: the JVM is. */
ebb_status jdwp_ask(jdwp *j, jdwp_command command, ebb_buf *args, ebb_arena *arena, jdwp_in *reply, ebb_error *err) EBB_MUST_CHECK;
/* Sends without waiting; the reply's id. */
ebb_status jdwp_send(jdwp *j, jdwp_command command, ebb_buf *args, uint32_t *id, ebb_error *err) EBB_MUST_CHECK;
/* Reads one packet: a reply to `id` (true in *is_reply), or an event, which is kept. */
ebb_status jdwp_receive(jdwp *j, uint32_t id, ebb_arena *arena, bool *is_reply, jdwp_in *reply, ebb_error *err) EBB_MUST_CHECK;

#endif
