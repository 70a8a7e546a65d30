/* parcel.h - what two ebbs say to each other when the Java machine is on another computer.
 *
 *     near ebb  == one TCP connection ==  far ebb  == sockets ==  the program, its snapshots, its copies
 *
 * Descriptors can't travel over TCP.  So the far ebb (relay.h) keeps the sockets of all processes, and gives each a number, its
 * channel; the near ebb (far.h) talks of channels.  A parcel is a header (length, kind, channel: twelve bytes) and a payload; all
 * kinds are rows of parcels.def.
 *
 * PA1  both sides ask for each other's proof of the token (handshake.h) before the first parcel;
 * PA2  what comes is believed by nobody: a kind that there isn't, or more bytes than its row allows, is EBB_BAD_FILE, and whoever
 *      reads that hangs up. */
#ifndef EBB_JVM_REMOTE_PARCEL_H
#define EBB_JVM_REMOTE_PARCEL_H

#include "jvm/wire/wire.h"

typedef enum jvm_parcel_kind {
    JVM_PARCEL_NONE,
#define JVM_PARCEL(name, limit) JVM_PARCEL_##name,
#include "jvm/remote/parcels.def"
    JVM_PARCEL_NKINDS
} jvm_parcel_kind;

enum { JVM_PARCEL_HEADER = 12, JVM_PARCEL_FIRST_CHANNEL = 1, JVM_PARCEL_MESSAGE_HEAD = 8 };

typedef enum jvm_parcel_wish { JVM_PARCEL_RECORDS = 1, JVM_PARCEL_VERIFIES = 2 } jvm_parcel_wish;

typedef struct jvm_parcel {
    jvm_parcel_kind kind;
    uint32_t channel;
    ebb_buf payload;
} jvm_parcel; /* zero-initialised is empty; ebb_buf_fini(&payload) */

/* Whole ones over a stream socket.  EBB_GONE when the other side is; signals wait meanwhile, so that a handler can send one too. */
ebb_status jvm_parcel_send(int fd, jvm_parcel_kind kind, uint32_t channel, const void *bytes, size_t n, ebb_error *err) EBB_MUST_CHECK;
ebb_status jvm_parcel_send_number(int fd, jvm_parcel_kind kind, uint32_t channel, uint64_t number, ebb_error *err) EBB_MUST_CHECK;
/* `opens`: the channel of a descriptor that came along; 0: none did. */
ebb_status jvm_parcel_send_message(int fd, uint32_t channel, uint32_t opens, const jvm_wire_message *m, ebb_error *err) EBB_MUST_CHECK;
bool jvm_parcel_read(int fd, void *bytes, size_t n); /* all of them; false: the other side is gone */
ebb_status jvm_parcel_receive(int fd, jvm_parcel *p, ebb_error *err) EBB_MUST_CHECK;

/* What is in one: false if it isn't there. */
bool jvm_parcel_number(const jvm_parcel *p, uint64_t *number);
bool jvm_parcel_message(const jvm_parcel *p, uint32_t *opens, jvm_wire_message *m);

/* A request that interrupts, ready to be sent by a signal handler with one system call. */
enum { JVM_PARCEL_INTERRUPT_SIZE = JVM_PARCEL_HEADER + JVM_PARCEL_MESSAGE_HEAD };
void jvm_parcel_interrupt(uint32_t channel, uint8_t bytes[JVM_PARCEL_INTERRUPT_SIZE]);

#endif
