/* far.h - the near end of a connection to another ebb, beside which the Java machine runs (parcel.h).
 *
 * Everything happens while ebb waits for an answer: parcels are read until the one that is waited for has come.  What others bring on the
 * way is kept (messages of other channels), noted (who is gone), or passed on (output of the program, which goes to ebb's own
 * standard streams, as that of a program beside it would).  While the program runs, what is typed goes the other way.
 *
 * FA1  a connection that breaks or brings nonsense is closed, and stays so: every call says that it broke;
 * FA2  a channel's number is given once, by the far side; messages of channels that nobody knows are dropped. */
#ifndef EBB_JVM_REMOTE_FAR_H
#define EBB_JVM_REMOTE_FAR_H

#include "jvm/remote/remote.h"
#include "jvm/wire/wire.h"

/* jvm_far_connect: remote.h */

/* Begins the program: its channel is JVM_PARCEL_FIRST_CHANNEL.  how->records, how->verifies: whether it shall; and then, whether
 * it does. */
ebb_status jvm_far_start(jvm_far *far, jvm_remote_launch *how, pid_t *pid, ebb_error *err) EBB_MUST_CHECK;

ebb_status jvm_far_send(jvm_far *far, int channel, uint16_t code, const ebb_buf *payload, ebb_error *err) EBB_MUST_CHECK;
/* `takes_input`: what is typed meanwhile is for the program. */
ebb_status jvm_far_receive(jvm_far *far, int channel, bool takes_input, jvm_wire_message *m, int *along, ebb_error *err) EBB_MUST_CHECK;
void jvm_far_close(jvm_far *far, int channel);
/* Async-signal-safe.  `channel` -1: nobody there is told.  Asking for it again and again, while nothing comes, gives the connection
 * up: a far side that hangs, or is cut off, keeps nobody. */
void jvm_far_interrupt(jvm_far *far, int channel);

void jvm_far_kill(jvm_far *far);
int jvm_far_wait(jvm_far *far);               /* of a connection that broke: as if it had been killed */
void jvm_far_adopt(jvm_far *far, int channel);
uint64_t jvm_far_memory(jvm_far *far, int channel);
ebb_status jvm_far_fetch(jvm_far *far, int to, ebb_error *err) EBB_MUST_CHECK; /* all of the recording, into a file */
bool jvm_far_is_lost(const jvm_far *far, ebb_error *err);

#endif
