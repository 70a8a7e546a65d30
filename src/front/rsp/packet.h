/* packet.h - packets of gdb's remote protocol in a stream of bytes: "$", the contents, "#", two digits that check them.
 *
 * GP1  whatever the bytes are, memory stays bounded: a packet of more than RSP_MAX_PACKET bytes is refused;
 * GP2  bytes between packets that mean nothing are passed over, as gdb does. */
#ifndef EBB_FRONT_RSP_PACKET_H
#define EBB_FRONT_RSP_PACKET_H

#include "base/buf.h"

#include <stdbool.h>

enum { RSP_MAX_PACKET = 0x20000 };

typedef enum rsp_heard {
    RSP_NOTHING,   /* more bytes are needed */
    RSP_PACKET,    /* a whole one, and it is right */
    RSP_DAMAGED,   /* one whose check fails: it is to be sent again */
    RSP_INTERRUPT, /* Ctrl-C */
    RSP_REFUSED,   /* GP1 */
} rsp_heard;

typedef struct rsp_packets {
    ebb_buf bytes;
    size_t at;       /* what lies before has been understood */
    ebb_buf contents; /* of the last packet, with its escapes replaced */
} rsp_packets;        /* zero-initialised is empty */

void rsp_packets_fini(rsp_packets *packets);
void rsp_packets_add(rsp_packets *packets, const char *bytes, size_t nbytes);
rsp_heard rsp_packets_next(rsp_packets *packets);
/* The contents as a packet. */
void rsp_packet_make(ebb_buf *out, const char *contents, size_t nbytes);

/* ---- hexadecimal digits */
void rsp_add_hex(ebb_buf *out, const void *bytes, size_t nbytes);
/* Appends the bytes that the digits stand for; false: they are none, or an odd number. */
bool rsp_take_hex(const char *digits, size_t n, ebb_buf *out);

#endif
