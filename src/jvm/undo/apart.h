/* apart.h - one thread goes back alone while the others stay (paper 000, section 7).
 *
 * The state that comes of it never was: the newest one, but with this thread where it was at an earlier moment.  It lives in a copy of the
 * process.  Another copy goes back as a whole to that moment and tells what the thread was like (jvm_apart_get): its Java stack,
 * which locks it held, and how many of its writes since the last checkpoint lie before that moment.  The first copy then takes back
 * what the thread wrote since (jvm_apart_put), byte by byte; what another thread wrote to the same byte later stays.  Each thread of a copy
 * goes back once.
 *
 * UA1  locks stay exclusive: a lock that the thread held then and another holds now is a reason to refuse; one that it has taken since
 *      is given back, and who waits for it may have it;
 * UA2  its activation of the interpreter must be the one it ran in then, for nothing brings back the C code around it; and it must
 *      not be waiting for anything;
 * UA3  what is refused changes nothing. */
#ifndef EBB_JVM_UNDO_APART_H
#define EBB_JVM_UNDO_APART_H

#include "base/arena.h"
#include "base/error.h"
#include "jvm/threads/thread.h"
#include "jvm/wire/wire.h"

/* t as it is now.  (time, place): the checkpoint from which its writes are counted. */
ebb_status jvm_apart_get(jvm_thread *t, uint64_t time, uint64_t place, jvm_wire_thread_state *out, ebb_arena *arena, ebb_error *err);

/* t as it was then.  If it is the running one, jvm_interpret_again has to follow. */
ebb_status jvm_apart_put(jvm_thread *t, const jvm_wire_thread_state *then, ebb_error *err);

#endif
