/* memory.h - memory that native code and Java code both use: direct buffers, and what Java reads by address.
 *
 * A library of the program may write to a direct buffer whose address it asked for, or hand out memory of its own as
 * one.  Such memory is a *window*.  A copy of it is taken when such a native is entered, and compared when it returns
 * or calls Java: what differs was written by it and is logged (RAW).  Natives of the JDK don't keep addresses: what
 * they write is known from their arguments (raw_memory.def).
 *
 * Other memory of native code, whose address Java was told as a number and reads by Unsafe (glyphs of fonts), is *foreign*: each read
 * of it is an answer from outside (outside.h), and replay writes nothing there.
 *
 * WM1  what native code writes between its calls (from a thread of its own) is seen at its next call only;
 * WM2  in replay, what a library handed out lies elsewhere (its *shadow*), because at its address there may be something of the machine's:
 *      the C library gives both of them their memory, and in replay only the machine asks for any;
 * WM3  whether an address is foreign is the same in replay: it depends on the address, and on the buffers that libraries handed out. */
#ifndef EBB_JVM_RECORD_MEMORY_H
#define EBB_JVM_RECORD_MEMORY_H

#include "jvm/threads/thread.h"

const void *jvm_window_add(void *at, size_t nbytes); /* while recording; what is there now, NULL: nothing to read */
void jvm_windows_enter(const jvm_thread *t);        /* native code of the program goes on: from now on it writes */
void jvm_windows_leave(const jvm_thread *t);        /* it stops: logs what it wrote */
/* A library hands out memory of its own as a buffer: it isn't foreign. */
void jvm_window_note(const void *at, size_t nbytes);
bool jvm_memory_is_foreign(const void *at, size_t nbytes);
void jvm_foreign_read(void *to, const void *at, size_t nbytes);
void jvm_foreign_write(void *at, const void *from, size_t nbytes);
/* Replay: a library hands out this memory.  A later one counts where two overlap. */
void jvm_window_shadow(void *at, size_t nbytes);
/* Where memory that Java knows by that address is: there, but for what has a shadow. */
void *jvm_window_find(void *at, size_t nbytes);
bool jvm_window_holds(const void *at, size_t nbytes);

#endif
