/* recorded.h - what is recorded of a native execution: kinds of events (time/event.h) that the runtime inside the debuggee writes, and that
 * it takes again when it replays.
 *
 * A system call is one CALL, with the MEMORY that the kernel wrote before it, at the same timestamp.  So is an instruction that asks the
 * CPU for something that another run would not be told (ASK).  A change of the turn is a SWITCH at the timestamp at which the turn was given away;
 * what the thread that gets it does next is one tick later (inside/turn.h, TU5).  Mappings follow from their calls: replay makes and unmakes memory
 * at the recorded addresses, whatever file it was mapped from, and MEMORY says what was in it.
 *
 * A signal is a SIGNAL at the timestamp at which it interrupts the thread, with the MEMORY of its frame before it.  A system call that it interrupts has no CALL:
 * its answer is in the frame.  One that ends the program, having no handler, is a DEATH.
 *
 * What the user changes is an EBB_EVENT_EDIT (time/edits.h, vm/edits.h).
 *
 * The last call of a thread, or of the process, stands before what it does.  After it comes EBB_EVENT_EXIT, with the exit status, or the number of the
 * signal that killed the process below 0.
 *
 * A recording begins with the whole memory, as MAPPING and MEMORY, the registers of every thread, and BEGINNING after them.
 *
 * RX1  events are in the order in which the program noticed them: an event stands before everything that the program does with it;
 * RX2  MEMORY belongs to the CALL, ASK or SIGNAL that follows it, and becomes visible with that one;
 * RX3  what is not in the table of calls is recorded by what it changed, or recording ends there and says so. */
#ifndef EBB_X86_RECORDED_H
#define EBB_X86_RECORDED_H

#include "time/cursor.h"

enum { X86_RECORDED_VERSION = 5 };

enum x86_recorded_kind {
    X86_RECORDED_BEFORE_FIRST = EBB_EVENT_MACHINE - 1,
#define X86_RECORDED(name, text) X86_RECORDED_##name,
#include "x86/recorded.def"
#undef X86_RECORDED
};

/* What is new of the memory of a FRESH event. */
typedef enum x86_fresh { X86_FRESH_MAPPING, X86_FRESH_CONTENTS, X86_FRESH_HOLE } x86_fresh;

/* One piece of memory is at most so long, so that an event fits into any ring: longer ones are several events. */
enum { X86_RECORDED_MAX_PIECE = 64 << 10 };

/* Both begin with the number of the signal, the thread and the place. */
static inline bool x86_recorded_is_signal(unsigned kind)
{
    return kind == X86_RECORDED_SIGNAL || kind == X86_RECORDED_DEATH;
}

/* For cursors.  What comes by itself: another thread's turn, a signal, a change by the user; notes are for who reads the recording. */
extern const ebb_kinds x86_recorded_kinds;

/* The timestamp at which whoever replays must not go on without looking at the event: it comes there, or (the next timestamp) the execution should have asked for it, and never will. */
static inline uint64_t x86_recorded_due(const ebb_event *e)
{
    return ebb_kind_comes_by_itself(&x86_recorded_kinds, e->kind) ? e->timestamp : e->timestamp + 1;
}

#endif
