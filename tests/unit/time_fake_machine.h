/* time_fake_machine.h - a machine for the tests of time/: a small interpreter with threads, calls, loops, memory, input from
 * outside, points, snapshots and an undo log.  What it executes is made from a seed.  Its input is recorded and replayed as that of any machine.  A whole state is one struct, so that a snapshot is
 * a copy and a trace of all that ever happened is an array: the truth that a timeline is compared with. */
#ifndef EBB_TESTS_TIME_FAKE_MACHINE_H
#define EBB_TESTS_TIME_FAKE_MACHINE_H

#include "machine/history.h"
#include "time/copies.h"
#include "time/position.h"

enum { FAKE_CELLS = 12, FAKE_CELL_BYTES = 4 };

typedef struct fake_options {
    uint64_t seed;
    unsigned loops;          /* of the main thread: the length of the program */
    unsigned snapshot_every; /* instructions; live */
    bool tells_toucher;      /* fills machine_stop.touched_by */
    bool is_loud;            /* doesn't know machine_request.quiet */
    bool end_comes_first;    /* the newest state is told as HISTORY_END, unless a point is there */
    bool is_recording;       /* starts as an opened recording: replaying, no live state */
    unsigned undo_every;     /* in replay, and live if it is odd: instructions between two checkpoints of the undo log, about; 0: no log */
    size_t undo_keeps;       /* the log has room for about so many checkpoints, or a few */
    bool undo_is_cut;        /* now and then */
    uint64_t branch_at;      /* of a trace: before this instruction it went on live, with other input; 0: it did not */
} fake_options;

machine *fake_new(const fake_options *options); /* freed by its ops; stands at its first instruction, a snapshot taken */

/* A moment of the execution: before instruction number `index`. */
typedef struct fake_moment {
    ebb_position at;
    machine_tid thread;
    uint64_t frame; /* of that thread: machine_point.frame */
    uint64_t hash;
    uint32_t cells[FAKE_CELLS];
    int wrote; /* the cell that this instruction is about to change; -1: none */
} fake_moment;

/* All moments, from the first to the end; *n of them.  Caller frees.  The last stands at the instruction that ends it. */
fake_moment *fake_trace(const fake_options *options, size_t *n);

/* The machine is interrupted (as by Ctrl-C) after so many more instructions. */
void fake_interrupt_after(machine *m, uint64_t instructions);
/* The next n restores succeed, the one after fails; -1: none does. */
void fake_fail_restore(machine *m, int after);
/* The next n snapshots that are restored turn out to be dead. */
void fake_kill_copies(machine *m, unsigned n);
/* Replaying does not come further than so many instructions from the start; UINT64_MAX: there is no such gap. */
void fake_break_replay(machine *m, uint64_t instructions);
uint64_t fake_executed(machine *m); /* instructions, live and replayed: the cost */
uint64_t fake_restores(machine *m), fake_rewinds(machine *m); /* so many succeeded */
uint64_t fake_searches(machine *m); /* requests */
uint64_t fake_hash(machine *m);
/* Places of all instructions. */
const machine_place *fake_places(machine *m, size_t *n);
machine_place fake_last_place(machine *m); /* of the instruction that ends the program */

#endif
