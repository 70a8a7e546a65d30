/* record.h - the runtime writes down what came from outside (x86/recorded.h), into a ring that it shares with ebb (x86/ring.h).
 *
 * A system call is looked at twice (writes.h).  What is seen before it is kept in the control block, so that it is there whichever way the thread
 * comes back: through the runtime, or because ebb parked it in the call and let it in again after it.  The event is written when the thread has the
 * turn again, with what is in rax: the guest's result.
 *
 * Where the table does not tell what a call writes, and while the child of a vfork uses its parent's memory, all memory is watched (changes.h).  If that can't be
 * done, the recording is named as one that may be wrong.
 *
 * What the kernel would do to memory at any time is done by the runtime, with the turn: it clears the word that a thread which ends has asked it to
 * clear, and wakes who waits for that.  Calls after which the kernel writes whenever it likes (io_uring, aio, MADV_FREE) are answered as an
 * older kernel would.
 *
 * RO1  only the thread that has the turn writes, or ebb while all stand still;
 * RO2  a call that is not made, or will be made again, leaves no event;
 * RO3  a copy that replays, a process that goes on natively, and a forked one, write nothing: x86_runtime.ring is 0. */
#ifndef EBB_X86_INSIDE_RECORD_H
#define EBB_X86_INSIDE_RECORD_H

#include "x86/inside/runtime.h"
#include "x86/inside/writes.h"

/* Before a call of the guest's. */
void x86_record_begins(x86_tcb *tcb);
/* With the turn: the memory that the kernel wrote, and the call, if there is one that was not recorded yet (RO2). */
void x86_record_called(x86_tcb *tcb);
/* For ebb, of a parked thread whose `counter` is the time: the same with that result.  Of a call that a signal interrupts, the memory only. */
uint64_t x86_record_parked(x86_tcb *tcb, uint64_t result);

void x86_record_ask(x86_tcb *tcb, const uint64_t words[4]);
/* In turn.c, where the turn changes hands: the thread gets it, which was given away at that position. */
void x86_record_switch(const x86_tcb *tcb, uint64_t time, uint64_t place);

/* A call that can't be recorded is answered as an older kernel would: *answer. */
bool x86_record_refuses(const x86_tcb *tcb, long *answer);
/* The thread is about to end, or its process: nothing can be recorded after the call. */
void x86_record_ends(x86_tcb *tcb);
bool x86_record_tells_end(const x86_tcb *tcb); /* ebb wants to look at the program before that */

/* ---- what record.c and record_maps.c share ---- */

/* Events are written there, at that time. */
typedef struct x86_note {
    x86_ring *ring;
    uint64_t time;
    uint64_t thread;
    bool carefully; /* memory is likely to be not there */
} x86_note;

/* A call of that number did what nobody can repeat: the user is told, once, of the first one, and so is who opens the recording. */
void x86_note_unknown(const x86_note *note, uint64_t number);
/* Other processes may write to the program's memory from now on. */
void x86_note_shared(const x86_note *note);

/* record_output.c: what a call has written for people to read, and what the program's output is, as recording begins. */
void x86_note_output(const x86_note *note, const x86_called *call, long result);
void x86_note_outputs(void);

/* record_kept.c: what a call did to what the kernel keeps; and a handler's end, before it is made. */
void x86_note_kept(const x86_note *note, const x86_called *call, long result);
void x86_note_sigreturn(x86_tcb *tcb);

/* record_files.c: before a call that changes a file.  Whether ebb has to look at it first; and a write, which it need not; after that one, with its result. */
bool x86_files_are_ebbs(const x86_tcb *tcb);
void x86_files_before(x86_tcb *tcb);
void x86_files_after(const x86_tcb *tcb, long result);

/* What a call has put into the program's memory by mapping it. */
void x86_note_mapped(const x86_note *note, const x86_called *call, long result);

#endif
