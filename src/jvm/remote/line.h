/* line.h - what a conversation with a Java machine is carried by, and the processes at the other ends.
 *
 * A line is a number: of a socket to a process of this computer, or, if r->far is there, of a channel to one of another
 * computer (far.h).  The rest of this folder sends, waits and ends processes through these functions only, and so doesn't know where
 * the processes are.
 *
 * LN1  a process id of another computer is a word to show, and never given to the system here. */
#ifndef EBB_JVM_REMOTE_LINE_H
#define EBB_JVM_REMOTE_LINE_H

#include "jvm/remote/talk.h"

/* jvm/wire/wire.h: jvm_wire_send and jvm_wire_receive.  `along` (may be NULL): the line that came with it, or -1. */
ebb_status jvm_line_send(jvm_remote *r, int line, uint16_t code, const ebb_buf *payload, ebb_error *err) EBB_MUST_CHECK;
ebb_status jvm_line_receive(jvm_remote *r, int line, jvm_wire_message *m, int *along, ebb_error *err) EBB_MUST_CHECK;
void jvm_line_close(jvm_remote *r, int line); /* -1: nothing is done */
void jvm_line_interrupt(const jvm_remote *r); /* whoever r->fd talks to, while it runs; async-signal-safe */

/* ---- processes ---- */

void jvm_process_end_copy(jvm_remote *r, pid_t pid, int line); /* it waits on that line for us: it is still that one */
void jvm_process_kill(jvm_remote *r);                          /* the live debuggee */
int jvm_process_wait(jvm_remote *r);                           /* for its end: the wait status */
void jvm_process_wait_agent(jvm_remote *r);                    /* of a stock JVM that is gone: its agent goes with it */
void jvm_process_adopt(jvm_remote *r, pid_t pid, int line);    /* this copy is the live debuggee now */
uint64_t jvm_process_memory(jvm_remote *r, pid_t pid, int line); /* bytes of no file; what is shared counts by its share */
uint64_t jvm_process_own_memory(pid_t pid);                      /* the same, of any process of this computer */
uint64_t jvm_process_shared_memory(const jvm_remote *r);         /* what the live one has by sharing it; far away: not known, 0 */
bool jvm_process_is_lost(jvm_remote *r, ebb_error *err);         /* the connection to it broke: the line to show */

#endif
