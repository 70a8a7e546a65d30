/* memory.h - memory that native code of the program and Java code both use: direct buffers.
 *
 * A library of the program may write to a direct buffer whose address it asked for, or hand out memory of its own as
 * one.  Such memory is a *window*.  A copy of it is taken when such a native is entered, and compared when it returns
 * or calls Java: what differs was written by it and is logged (RAW).  Natives of the JDK don't keep addresses: what
 * they write is known from their arguments (raw_memory.def).
 *
 * WM1  what native code writes between its calls (from a thread of its own) is seen at its next call only;
 * WM2  in replay, memory of a library's own that is not there is mapped at the address it had. */
#ifndef EBB_JVM_RECORD_MEMORY_H
#define EBB_JVM_RECORD_MEMORY_H

#include "jvm/threads/thread.h"

const void *jvm_window_add(void *at, size_t nbytes); /* while recording; what is there now, NULL: nothing to read */
void jvm_windows_enter(const jvm_thread *t);        /* native code of the program goes on: from now on it writes */
void jvm_windows_leave(const jvm_thread *t);        /* it stops: logs what it wrote */
/* Replay: makes sure that the memory is there. */
void jvm_window_map(void *at, size_t nbytes);
bool jvm_window_holds(const void *at, size_t nbytes);

#endif
