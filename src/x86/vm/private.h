/* private.h - the state that vm.h hides, shared by the vm_*.c files. */
#ifndef EBB_X86_VM_PRIVATE_H
#define EBB_X86_VM_PRIVATE_H

#include "base/mem.h"
#include "machine/judge.h"
#include "time/checkpoints.h"
#include "time/position.h"
#include "time/verify.h"
#include "x86/inside/translate.h"
#include "x86/inside/turn.h"
#include "x86/vm/embedded.h"
#include "x86/vm/inside_image.h"
#include "x86/process.h"
#include "x86/shared.h"
#include "x86/tasks.h"
#include "x86/vm/vm.h"

#include <setjmp.h>

/* A filter for system calls (filters.h). */
typedef struct vm_filter {
    const struct vm_filter *older; /* NULL: it is the first */
    bool strict;
    uint64_t number, flags; /* of the call that installed it */
    uint64_t address;       /* of its x86_filter in the debuggee; 0: there is none yet */
    size_t n;
    struct sock_filter code[];
} vm_filter;

typedef struct vm_thread {
    machine_tid tid;
    uint32_t number; /* which of the program's threads it is, by the order in which they were made; from 1 */
    uint64_t tcb;   /* its control block; 0: none yet */
    bool guarded;   /* guard.c */
    bool entered;   /* its registers are not the guest's own now */
    siginfo_t info;   /* of the signal that it was last told about */
    int deliver;      /* a signal that it gets before it moves; 0: none */
    bool quiet;       /* the user wasn't told of it, and has no say in it */
    bool decided;     /* he has let it through, and something else was told before it could be delivered */
    bool one_more;    /* it steps itself, and the runtime executes its next instruction (traced.c) */
    vm_filter *filter, *filter_told; /* the newest; and as the runtime knows it.  NULL: none */
    uint64_t open_at;  /* the system call at this address is made whatever the filters say */
    bool queues;       /* it waited for the turn when it was parked, */
    uint32_t ticket;   /* ... with this place in the queue */
    bool yields;       /* its turn is over at the next tick */
    bool gives_way;    /* when threads enter, it is the last */
    uint32_t entry_ticket; /* the place in the queue with which it entered */
    bool settled;      /* parked at a tick or around a system call: a signal may be delivered here (VS1) */
    bool settles;      /* on its way there */
    bool has_left;     /* it ended, as far as the recording knows */
    bool leaves;       /* of a copy: it has made its last call, and still has the turn */
    bool newborn;      /* of a copy: it has not had the turn yet */
    uint64_t told_at;  /* as x86_tcb.told_at */
    bool shown_inside; /* its registers were made those of a thread in a call (caught.h, CU2) */
    char name[X86_NAME_BYTES]; /* until it has a control block */
} vm_thread;

typedef EBB_VEC(vm_thread) vm_thread_list;
typedef EBB_VEC(machine_stop) vm_stop_list;

/* A thread of which only its maker's number is known yet. */
typedef struct vm_birth {
    pid_t child;
    uint64_t guest; /* the address at which it begins */
} vm_birth;

/* The places of the user's points, with their conditions, as the translator has them (inside/translate.h). */
typedef struct vm_sites {
    EBB_VEC(x86_site_copy) items; /* by address */
    EBB_VEC(machine_code) conditions;
} vm_sites;

/* Hits that are to be passed by (ignores.c). */
typedef struct vm_ignore {
    machine_point_id first; /* of the points that share the count */
    uint64_t left, passed;
} vm_ignore;

/* Room in the debuggee for a copy of something. */
typedef struct vm_copy {
    uint64_t address;
    size_t room; /* bytes */
} vm_copy;

/* A search under way (search.c). */
typedef struct vm_noting {
    struct x86_vm *vm;
    const machine_search *search;
    machine_found *found;
    machine_judge judge;
    bool is_over;     /* the run was ended in the middle: there are enough hits */
} vm_noting;

/* undo.h: of the process that is executed. */
typedef struct vm_undo {
    ebb_checkpoints checkpoints; /* its items are owned, and what they have as their own */
    uint64_t ring, room; /* where the log is, and how large; 0: there is none */
    uint64_t n_cuts;     /* inside, before the checkpoints */
    uint64_t n_fed;      /* how often the feed was filled */
    uint64_t spread;     /* checkpoints are so many times further apart than the unit says: timestamps are short here */
    uint64_t taken_us;   /* the copy's time as the last one was taken */
    bool is_on;          /* as the runtime was told */
} vm_undo;

/* A signal on its way to a thread, which may be the end of the program. */
typedef struct vm_death {
    int signal; /* 0: there is none */
    machine_tid thread;
    uint64_t time, place;
    siginfo_t info;
} vm_death;

/* What may be wrong with a recording (X86_RECORDED_DOUBT). */
typedef struct vm_doubts {
    bool shares;
    uint32_t unknown_call; /* one more than its number; 0: none */
} vm_doubts;

/* record.h */
typedef struct vm_recording {
    vm_embedded embedded;      /* while there is a scribe: its own */
    struct x86_scribe *scribe; /* NULL: nothing is recorded */
    x86_ring *ring;            /* as it is mapped here */
    uint64_t address;          /* ... and in the debuggee */
    char *path;                /* owned */
    vm_death death;            /* until a handler of it is seen */
    bool has_exited;           /* that the debuggee ended is recorded */
    bool is_bounded;           /* only its newest part is kept */
    vm_doubts doubts;          /* that an opened one has, as far as it was read */
    bool told_end, told_unknown, told_shares;
    char *lacks;               /* owned; what the recorded program may use and this CPU has not; NULL: nothing, or it was told */
} vm_recording;

/* tree.h */
typedef struct vm_tree {
    char *folder;    /* owned; NULL: only this process is recorded, and only until it executes another program */
    uint64_t bound;  /* of each recording; 0: none */
    unsigned image;  /* how many recordings the process has */
    pid_t parent;    /* its parent, recorded as well; 0: it is the first process */
    sigjmp_buf home; /* where the ebb of a child goes on: in the move in which the child was made ... */
    bool is_moving;  /* ... if there is one */
    bool is_due;     /* another recording begins as soon as the runtime is there */
    EBB_VEC(char *) news; /* owned; of recordings that are over, or could not begin */
} vm_tree;

typedef struct x86_vm {
    machine base;
    machine *native; /* owned */
    x86_mode mode;
    bool installed;  /* the runtime is in the debuggee */
    uint64_t image_lo, image_hi;
    uint64_t home_used; /* bytes of X86_HOME_OUTSIDE that were given out */
    uint64_t runtime; /* address of the x86_runtime */
    uint64_t tamed_vdso; /* 0: it is the kernel's, or there is none */
    x86_inside_exports exports;
    x86_tick tick;         /* where the runtime counts time */
    bool has_wide_vectors; /* the recorded program was told that it has all vector registers: none is free to count in */
    vm_thread_list threads;
    EBB_VEC(uint64_t) spare_regions; /* of threads that ended */
    vm_sites sites;            /* where points were when translated code last ran; the runtime has a copy: */
    vm_copy sites_copy, conditions_copy;
    vm_copy watches_copy, watched_bytes; /* data points that translated stores check */
    vm_copy notes_copy; /* room for hits that translated code notes */
    bool watching, watching_reads, watching_stores;
    EBB_VEC(vm_ignore) ignores;
    bool counts_hits;      /* of the request under way */
    bool ignores_are_told; /* the runtime counts */
    x86_tuning tuning, tuning_told; /* what the user wants, and what the runtime does */
    EBB_VEC(uint64_t) changed; /* addresses whose code has to be translated anew */
    vm_stop_list pending; /* stops that came while threads were being moved for our own ends */
    EBB_VEC(vm_birth) births;  /* births.h */
    EBB_VEC(vm_filter *) filters; /* owned; each after those that are older (filters.h) */
    vm_filter *first_filter;      /* what the first thread of a program has that was executed */
    bool filters_are_real;        /* the kernel has them */
    bool filters_checked;         /* the kernel has no others */
    bool is_given;                /* what the kernel has to do instead of the runtime, it does */
    vm_undo undo;
    uint64_t undo_wanted;         /* bytes of undo log for a copy that replays; 0: none */
    bool snapshots_at_any_cost;   /* while the program runs: PC2 does not hold */
    uint64_t forgets_from;        /* ... but in this request not from this time on */
    bool replaying;               /* what is executed is a copy, and asks nothing of the world */
    ebb_position steps_from;      /* on its way to what comes from outside, it steps from there; 0@0: it doesn't */
    ebb_position begins_at;       /* the user's move in the past begins there (caught.h, CU1); 0@0: there is none */
    bool begins_in_call;          /* ... and it was told that a call begins there: a thread's last one is still to be told */
    machine_tid awaited;          /* a run ends when that thread gets the turn; 0: none */
    bool quiet;                   /* points and events are passed over */
    vm_noting *noting;            /* a search is on; NULL: none is */
    struct vm_history *history;   /* owned; NULL: none is kept (history.h) */
    uint64_t time;
    machine_tid last; /* the thread that executed last: `time` and its place are the position; 0: none did */
    uint64_t slice;   /* how long a turn is, in timestamps; 0: VM_SLICE_MS of the clock */
    uint64_t chaos;   /* as x86_turn.chaos: from */
    char *seed;       /* ... this; owned, NULL: there is none */
    uint64_t turn_ends; /* as x86_turn.ends */
    uint32_t next_ticket; /* for whoever enters next */
    uint32_t n_numbers;   /* threads that the program has had */
    EBB_VEC(size_t) order; /* in which threads are to have the turn, as indexes of `threads` */
    uint64_t turn_number; /* how many switches there had been when the turn was last looked at; it was so since: */
    uint64_t turn_began;  /* milliseconds of the monotonic clock */
    uint64_t limit;  /* the time at which the debuggee has to stop; UINT64_MAX: never */
    uint64_t stop_signals, pass_signals; /* as machine_ops.signal_policy has them */
    machine_call_set calls_wanted; /* what wants[MACHINE_EVENT_SYSCALL] is about */
    bool wants[MACHINE_EVENT_SYSCALL + 1]; /* the user, who is not told of what only we want to know */
    bool counting;           /* single steps are the guest's own */
    bool no_guard;           /* the kernel has none */
    bool flush;              /* whatever was translated may be out of date */
    bool native_until_exec;  /* the child of a vfork, which must not use its parent's runtime */
    machine_tid ends_with;   /* the request is about this thread alone: its end is told */
    pid_t pid;
    uint64_t alone_until; /* in milliseconds of the monotonic clock: how long a thread may move alone; 0: none does */
    uint64_t alone_written; /* bytes of events when it was last looked at */
    vm_recording recording;
    bool verifies;        /* hashes of its states are recorded, too (verify.h) */
    ebb_verify verify;
    unsigned n_last_looks; /* how often it was looked at before a call that would be its last */
    uint64_t verified_to; /* the number after the last event of a hash that was compared */
    vm_tree tree;
    bool scratch; /* a copy is executed that will be thrown away (scratch.h) */
    bool edited; /* the user changed something at edited_at, and that moment is his (edits.h, EU1) */
    ebb_position edited_at;
    uint64_t slice_owner; /* who had the turn when it was last looked at, and which */
    uint32_t slice_ticket;
} x86_vm;

static inline x86_vm *vm_of(machine *m)
{
    return (x86_vm *)m;
}

/* remote.c: making a parked thread do things for us.  It is as before afterwards. */
ebb_status vm_remote_syscall(x86_vm *vm, machine_tid tid, long number, const uint64_t args[6], uint64_t *result, ebb_error *err) EBB_MUST_CHECK;
typedef struct vm_call { /* of a function of the runtime */
    uint64_t function;
    uint64_t stack; /* where it ends */
    uint64_t args[2];
} vm_call;
ebb_status vm_remote_call(x86_vm *vm, machine_tid tid, const vm_call *call, uint64_t *result, ebb_error *err) EBB_MUST_CHECK;
/* Of a thread that stands in the call by which it made another one: it gets the call's answer, and executes nothing. */
ebb_status vm_leave_birth(x86_vm *vm, machine_tid tid, ebb_error *err) EBB_MUST_CHECK;
/* Moves one thread alone until its step is done, it comes to a trap of ours, or it ends (task->exits).  Whatever else native mode has to
 * tell meanwhile goes to `pending`.  EBB_GONE if the debuggee ended.  It has to be something that takes no time: a thread
 * that waits for anything fails after a while, which an interrupt makes shorter. */
ebb_status vm_move_alone(x86_vm *vm, const machine_request *request, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;

/* A stop that came meanwhile is told later (`pending`). */
void vm_keep_stop(x86_vm *vm, const machine_stop *stop);

/* The signals that wait while a thread does something for us. */
uint64_t vm_held_signals(void);

uint64_t vm_now_ms(void); /* of the monotonic clock */

/* Signals of the thread wait meanwhile; false if they don't. */
bool vm_hold_signals(x86_vm *vm, machine_tid tid, uint64_t *mask);
void vm_release_signals(x86_vm *vm, machine_tid tid, uint64_t mask);

/* The thread that moves alone should be done by now. */
bool vm_alone_is_over(x86_vm *vm);

/* install.c */
ebb_status vm_install(x86_vm *vm, machine_tid tid, ebb_error *err) EBB_MUST_CHECK;
ebb_status vm_install_runtime(x86_vm *vm, machine_tid tid, ebb_error *err) EBB_MUST_CHECK; /* without a look at the vdso: of a recorded program */
ebb_status vm_map_pages(x86_vm *vm, machine_tid tid, size_t nbytes, int protection, uint64_t *address, ebb_error *err) EBB_MUST_CHECK;
ebb_status vm_thread_prepare(x86_vm *vm, vm_thread *thread, ebb_error *err) EBB_MUST_CHECK; /* its tcb */

/* guard.c */
ebb_status vm_guard_begin(x86_vm *vm, vm_thread *t, ebb_error *err) EBB_MUST_CHECK; /* of a parked thread */
ebb_status vm_guard_end(x86_vm *vm, vm_thread *t, ebb_error *err) EBB_MUST_CHECK;
ebb_status vm_guard_check(const machine_stop *stop, ebb_error *err) EBB_MUST_CHECK; /* fails if it noticed something */

enum { VM_VDSO_MAX = 1 << 16 }; /* bytes, far more than it has; it is followed by nothing of the program's */
/* vdso.c: functions that make system calls take the places of the kernel's; false if they can't be found. */
ebb_status vm_tame_vdso(x86_vm *vm, uint64_t base, bool *tamed, ebb_error *err) EBB_MUST_CHECK;

/* detach.c: machine_ops.detach.  The debuggee goes on as if nothing had been. */
ebb_status vm_detach(machine *m, int signal, ebb_error *err) EBB_MUST_CHECK;
/* A thread that can be made to do things for us: not one inside a system call that has yet to be made.  Prefers `tid`. */
ebb_status vm_free_thread(x86_vm *vm, machine_tid tid, machine_tid *free_tid, ebb_error *err) EBB_MUST_CHECK;
/* The runtime's memory is given back, and what it did for the guest to the kernel: of parked threads, which are all free. */
ebb_status vm_leave(x86_vm *vm, ebb_error *err) EBB_MUST_CHECK;
/* All threads are parked, one of them before a call that makes a process which is to trace the program: alone.c. */
ebb_status vm_goes_alone(x86_vm *vm, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;
/* The kernel takes over what the runtime did for the guest, so that it can go on natively. */
ebb_status vm_give_to_kernel(x86_vm *vm, ebb_error *err) EBB_MUST_CHECK;
/* Threads that native mode stopped inside a system call: in VM mode they make it again, or, if they have made a thread or process in
 * it, they get its answer first. */
ebb_status vm_leave_natives_calls(x86_vm *vm, ebb_error *err) EBB_MUST_CHECK;

/* map.c: what a host address is. */
typedef enum vm_place_kind {
    VM_PLACE_NATIVE,    /* neither translated code nor the runtime */
    VM_PLACE_BOUNDARY,  /* the guest's state, at `guest` */
    VM_PLACE_POINT,     /* the same, after the trap of a point */
    VM_PLACE_BETWEEN,   /* in the translation of the instruction at `guest`, or in a stub */
    VM_PLACE_RUNTIME,   /* in the runtime's own code */
} vm_place_kind;
typedef struct vm_place {
    vm_place_kind kind;
    uint64_t guest;
    uint16_t spilled; /* BETWEEN: bit n: register n is in the control block */
    bool in_condition; /* BETWEEN: of a point; the flags are in the control block, too */
    bool swapped;     /* the count is in the control block, the guest's own in the vector registers */
    bool repeats;     /* BOUNDARY: in the middle of a string instruction, whose repetitions up to now are not counted yet */
    bool passed_point; /* BOUNDARY: the point at `guest`, if any, has been met already */
    bool wild;        /* BOUNDARY: the transfer at `guest` has been made, to where no code can be, and is to be taken back */
} vm_place;
ebb_status vm_place_of(x86_vm *vm, const vm_thread *thread, uint64_t host, vm_place *place, ebb_error *err) EBB_MUST_CHECK;

/* wild.c: of a thread that has its guest registers. */
ebb_status vm_take_back_transfer(x86_vm *vm, machine_tid tid, uint64_t guest, ebb_error *err) EBB_MUST_CHECK;

/* vectors.c */
/* The time of a thread that has the turn and stands at `place`. */
ebb_status vm_count_get(x86_vm *vm, machine_tid tid, const x86_tcb *tcb, const vm_place *place, uint64_t *count, ebb_error *err) EBB_MUST_CHECK;
/* Counts what is not counted yet, so that the thread can go on from `place` by another way. */
ebb_status vm_count_settle(x86_vm *vm, const vm_thread *t, const vm_place *place, ebb_error *err) EBB_MUST_CHECK;
ebb_status vm_vectors_give_back(x86_vm *vm, machine_tid tid, uint64_t tcb, ebb_error *err) EBB_MUST_CHECK;
/* The address of the last x87 instruction becomes the guest's. */
ebb_status vm_x87_give_back(x86_vm *vm, const vm_thread *t, ebb_error *err) EBB_MUST_CHECK;
ebb_status vm_vectors_keep(x86_vm *vm, const vm_thread *t, ebb_error *err) EBB_MUST_CHECK;

/* park.c */
ebb_status vm_enter(x86_vm *vm, vm_thread *thread, ebb_error *err) EBB_MUST_CHECK;
/* Ends every turn and every waiting for one: for when no thread is in VM mode. */
ebb_status vm_turn_reset(x86_vm *vm, ebb_error *err) EBB_MUST_CHECK;
/* Of a process that was just forked, and is followed: it has a copy of everything.  Or of a thread that stands in its vfork. */
ebb_status vm_park_forked(x86_vm *vm, vm_thread *thread, ebb_error *err) EBB_MUST_CHECK;
/* at_fault: the thread stands at an instruction that faulted, and must not be moved on. */
ebb_status vm_park(x86_vm *vm, vm_thread *thread, bool at_fault, ebb_error *err) EBB_MUST_CHECK;

/* part.c: a child is followed, and its parent goes on natively. */
ebb_status vm_part(x86_vm *vm, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;
/* threads.c: native mode's process is the child of the one that it was, standing in its first stop.  It is parked. */
ebb_status vm_follow(x86_vm *vm, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;

/* ---- explain.c ---- */

/* All threads are parked, and *stop, which native mode told, is put in the guest's terms; STEP: there is nothing to tell. */
ebb_status vm_explain(x86_vm *vm, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;
/* A thread stands at points: which of them count. */
ebb_status vm_explain_point(x86_vm *vm, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;
/* What happened while threads were being parked comes before anything new (MA3); *taken: *stop is that. */
ebb_status vm_take_pending(x86_vm *vm, machine_stop *stop, bool *taken, ebb_error *err) EBB_MUST_CHECK;
/* After a failure: whether that came of the debuggee's end; and waits for that, which is *stop then. */
bool vm_is_dying(x86_vm *vm, ebb_status failure);
ebb_status vm_see_it_end(x86_vm *vm, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;

/* ---- threads.c, run.c ---- */

/* All of them, or only that one. */
ebb_status vm_enter_all(x86_vm *vm, machine_tid only, ebb_error *err) EBB_MUST_CHECK;
void vm_forget_program(x86_vm *vm, const machine_stop *stop); /* another one has been executed */
ebb_status vm_park_all(x86_vm *vm, const machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;
ebb_status vm_run(x86_vm *vm, const machine_request *request, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;
bool vm_is_told(x86_vm *vm, const machine_stop *stop);
/* Until something stops it, at no certain time. */
ebb_status vm_run_on(x86_vm *vm, const machine_request *request, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;
vm_thread *vm_thread_find(x86_vm *vm, machine_tid tid);
void vm_refresh_threads(x86_vm *vm); /* makes our list of threads native's */
ebb_status vm_look_at_threads(x86_vm *vm, ebb_error *err) EBB_MUST_CHECK; /* ... and parks those that nobody has looked at yet */
void vm_forget_runtime(x86_vm *vm);  /* it is gone, or will be */
bool vm_debuggee_ended(const machine_stop *stop);
/* Where a thread (0: any) comes to, with that stack pointer (0: any): the run ends there, too.  Also at the position of
 * `until` (NULL: none), whose place is a point. */
typedef struct vm_back {
    machine_tid tid;
    machine_tid only; /* who runs; 0: all */
    uint64_t pc, sp;
    const machine_request *until;
} vm_back;
/* Whether now, with a thread at `place`, is not before the position that the request wants to be told of. */
bool vm_until_reached(const x86_vm *vm, const machine_request *request, uint64_t place);
/* Runs until there is something to tell, or until the thread is back (STEP). */
ebb_status vm_run_until(x86_vm *vm, machine_tid only, machine_tid thread, const vm_back *back, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;

/* repeat.c: a string instruction with more repetitions than there are ticks up to the limit comes to the one before the limit at once.  *done: it was one. */
ebb_status vm_repeat(x86_vm *vm, machine_tid tid, bool *done, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;

/* errand.c: what the instruction that a thread stands at asks of the world outside. */
typedef enum vm_errand_kind {
    VM_ERRAND_NONE, /* nothing: the CPU may execute it */
    VM_ERRAND_ASK,  /* inside/asks.h */
    VM_ERRAND_SAVE, /* inside/in_use.h */
    VM_ERRAND_CALL, /* a system call, which may wait for other threads */
    VM_ERRAND_OLD,  /* by the 32-bit way, which the runtime asks the filters about and leaves to the CPU */
    VM_ERRAND_LIFE, /* one that makes or ends a thread, a handler or a program */
} vm_errand_kind;
typedef struct vm_errand {
    vm_errand_kind kind;
    bool forks;       /* it makes a thread or a process */
    uint64_t end, sp; /* where the thread goes on when it has been answered, and with which stack pointer */
} vm_errand;
ebb_status vm_errand_at(x86_vm *vm, machine_tid tid, vm_errand *errand, ebb_error *err) EBB_MUST_CHECK;

bool vm_is_syscall_at(x86_vm *vm, uint64_t address); /* the instruction there makes one, by the 64-bit way */

/* traced.c: threads that the program itself steps, by the trap flag. */
enum { VM_FLAG_TRAP = 0x100 };
vm_thread *vm_traced_thread(x86_vm *vm, machine_tid only); /* NULL: there is none */
/* Of a thread that enters: the flag is kept in the control block. */
ebb_status vm_take_trap_flag(x86_vm *vm, const vm_thread *t, x86_tcb *tcb, ebb_error *err) EBB_MUST_CHECK;
ebb_status vm_keep_trap_flag(x86_vm *vm, const vm_thread *t, ebb_error *err) EBB_MUST_CHECK; /* of a thread that is being parked */
/* The thread has been answered by the runtime: it is trapped, as the CPU would have done. */
ebb_status vm_trap_after_ask(x86_vm *vm, vm_thread *t, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;

/* vm.c: at the end of a request. */
void vm_forget_interrupt(x86_vm *vm);

/* signals.c */
int vm_signal_of(const machine_stop *stop); /* the signal that it is about, a trap of the program's own included; 0: none */
void vm_keep_info(x86_vm *vm, vm_thread *t, int signal); /* what comes with the signal that the thread stands before */
/* A signal that was told, or is not to be: it is given to its thread if the policy says so, or the user. */
void vm_plan_delivery(x86_vm *vm, const machine_stop *stop);
/* An asynchronous signal, just told by the kernel: the thread, and the one that executed last, go on to where it may be delivered (VS1).  If
 * something else is to be told before, that is what *stop becomes. */
ebb_status vm_settle_signal(x86_vm *vm, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;
/* Gives the thread its signal as the kernel would: it stands at the first instruction of the handler then. */
ebb_status vm_deliver(x86_vm *vm, vm_thread *t, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;
/* Forgets a signal that would change nothing, and leaves one that is blocked to the kernel; false if it is to be delivered. */
bool vm_drop_ignored(x86_vm *vm, vm_thread *t);
/* stopped.c: SIGSTOP and its like, of a followed child; false if it goes on at once. */
bool vm_is_stop_signal(int signal);
bool vm_stop_for_real(x86_vm *vm, vm_thread *t);
/* To all (or that one).  goes_on is false if something came of it that is to be told. */
ebb_status vm_deliver_all(x86_vm *vm, machine_tid only, machine_stop *stop, bool *goes_on, ebb_error *err) EBB_MUST_CHECK;

/* step.c */
ebb_status vm_step(x86_vm *vm, machine_request *request, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;
ebb_status vm_step_once(x86_vm *vm, machine_tid tid, int signal, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;
/* Whether what was told is an access to data. */
bool vm_stopped_for_data(x86_vm *vm, const machine_stop *stop);
/* Whether the instruction at `from` counts a tick by going to `to`. */
bool vm_step_ticks(x86_vm *vm, uint64_t from, uint64_t to);
void vm_when_stepped(void *layer, pid_t tid, uint64_t from);

/* ticks.c: time outside translated code. */
ebb_status vm_place_of_thread(x86_vm *vm, machine_tid tid, uint64_t *place, ebb_error *err) EBB_MUST_CHECK; /* the one of its position */
uint64_t vm_last_place(x86_vm *vm); /* of the thread that executed last; 0 if it is gone */
/* The thread is the next to execute, or is what a stop is about: time ticks if another one was (TU5). */
ebb_status vm_gets_turn(x86_vm *vm, machine_tid tid, ebb_error *err) EBB_MUST_CHECK;
/* Ticks if the thread that executed last stands in the middle of a system call, for it will stand there again when that is done. */
void vm_tick_in_call(x86_vm *vm);
void vm_when_handling(void *layer); /* a single step went into a signal handler */

/* signals.c: a fault of the runtime's that it expects (inside/record.c). */
bool vm_when_signalled(void *layer, pid_t tid, int signal);

bool vm_is_plain_call(uint64_t number); /* one after which the runtime has nothing to do */
/* Runs that thread alone until native mode has something to tell. */
ebb_status vm_run_alone(x86_vm *vm, machine_tid tid, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;
bool vm_is_fault(const machine_stop *stop);
bool vm_is_stuck(x86_vm *vm, const machine_stop *stop); /* a thread can't go on in translated code (x86_stuck) */

/* turns.c */
enum { VM_SLICE_MS = 10 };
static inline bool vm_turns_by_time(const x86_vm *vm)
{
    return !vm->replaying && vm->slice; /* who replays is told when turns end */
}
/* Fills vm->order: who had the turn goes on, then come those who waited for it, as they stood. */
void vm_order_threads(x86_vm *vm);
ebb_status vm_turn_get(x86_vm *vm, x86_turn *turn, ebb_error *err) EBB_MUST_CHECK;
bool vm_has_had_enough(x86_vm *vm); /* the thread that executes, again and again, while others wait: by the clock */
/* Another thread moves, after the last one was parked: before the tick. */
ebb_status vm_turn_switches(x86_vm *vm, machine_tid to, ebb_error *err) EBB_MUST_CHECK;
void vm_turn_begins(x86_vm *vm); /* of a thread that did not have the turn before */
ebb_status vm_when_impatient(void *layer, ebb_error *err) EBB_MUST_CHECK;

/* points.c */
void vm_sites_collect(x86_vm *vm, vm_sites *sites); /* those that native mode has now */
bool vm_site_same(const vm_sites *a, size_t i, const vm_sites *b, size_t k); /* place and condition */
void vm_sites_fini(vm_sites *sites);
ebb_status vm_point_condition(machine *m, machine_point_id id, const machine_code *code, size_t n_steps, ebb_error *err) EBB_MUST_CHECK;

/* ignores.c: how many hits of a point are still to be passed by: where the runtime counts that; 0: none are. */
uint64_t vm_ignore_counter(x86_vm *vm, const x86_point *point);
ebb_status vm_ignores_tell(x86_vm *vm, ebb_error *err) EBB_MUST_CHECK;
void vm_ignores_collect(x86_vm *vm);
void vm_ignores_when_exiting(void *layer);
ebb_status vm_points_ignore(machine *m, const machine_point_id *ids, size_t n, uint64_t count, ebb_error *err) EBB_MUST_CHECK;
uint64_t vm_points_passed(machine *m, machine_point_id first);
/* condition.c: whether the condition of a point (CPU's numbering) holds for that thread, which stands still. */
bool vm_condition_holds(x86_vm *vm, machine_tid tid, const machine_code *code, size_t n_steps);

/* search.c, while a search is on */
bool vm_noting_passes(const x86_vm *vm, machine_point_id id); /* nobody wants to know of that point */
uint32_t vm_noting_number(const x86_vm *vm, machine_point_id id, uint32_t *group); /* by which translated code notes it; 0: it doesn't */
/* The thread gave up at `place` since the list of hits is full.  STEP: it goes on.  POSITION: there are enough of them. */
ebb_status vm_noting_goes_on(x86_vm *vm, machine_tid tid, uint64_t place, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;

/* watch.c */
/* Data points are not left to the CPU, which would stop for each hit. */
void vm_watch_by_code(x86_vm *vm, bool by_code);
ebb_status vm_watch_tell(x86_vm *vm, machine_tid tid, ebb_error *err) EBB_MUST_CHECK;
/* The data points that translated stores have changed; false if there are none. */
bool vm_watch_changes(x86_vm *vm, machine_tid tid, const x86_tcb *tcb, machine_stop *stop);

/* Room in the debuggee, and a copy there. */
ebb_status vm_copy_room(x86_vm *vm, machine_tid tid, vm_copy *copy, size_t nbytes, ebb_error *err) EBB_MUST_CHECK;
ebb_status vm_copy_out(x86_vm *vm, machine_tid tid, vm_copy *copy, const void *bytes, size_t nbytes, ebb_error *err) EBB_MUST_CHECK;

/* code.c: telling the runtime what changed. */
/* What is executable, as the kernel has it now; *is_code: `address` is. */
ebb_status vm_tell_regions(x86_vm *vm, uint64_t address, bool *is_code, ebb_error *err) EBB_MUST_CHECK;
void vm_note_change(x86_vm *vm, uint64_t address, uint64_t nbytes);
ebb_status vm_tell_changes(x86_vm *vm, machine_tid tid, ebb_error *err) EBB_MUST_CHECK;

static inline x86_task *vm_task(x86_vm *vm, machine_tid tid)
{
    return x86_task_get(x86_of(vm->native), (pid_t)tid);
}

/* The number that the kernel has for a thread: another one than the program's, in a copy and in what a copy became (branch.h). */
static inline pid_t vm_host_of(x86_vm *vm, machine_tid tid)
{
    const x86_task *task = vm_task(vm, tid);
    return task && task->host ? task->host : (pid_t)tid;
}

/* One that a thread of the kernel's executes: in a copy, there is just one. */
x86_task *vm_task_aboard(x86_vm *vm);

/* A general register of a stopped thread, by its offset in user_regs_struct; written back as the thread moves (XP5). */
#define VM_REG(name) offsetof(struct user_regs_struct, name)
ebb_status vm_get(x86_vm *vm, machine_tid tid, size_t reg, uint64_t *value, ebb_error *err) EBB_MUST_CHECK;
/* Setting rip also means that no system call is to be restarted. */
ebb_status vm_set(x86_vm *vm, machine_tid tid, size_t reg, uint64_t value, ebb_error *err) EBB_MUST_CHECK;
ebb_status vm_regs(x86_vm *vm, machine_tid tid, struct user_regs_struct **regs, ebb_error *err) EBB_MUST_CHECK;
ebb_status vm_set_regs(x86_vm *vm, machine_tid tid, const struct user_regs_struct *regs, ebb_error *err) EBB_MUST_CHECK;
extern const size_t vm_gprs[X86_N_GPRS]; /* in the CPU's numbering */

/* Words of the debuggee's memory. */
ebb_status vm_poke_u64(x86_vm *vm, uint64_t address, uint64_t value, ebb_error *err) EBB_MUST_CHECK;
ebb_status vm_poke_u32(x86_vm *vm, uint64_t address, uint32_t value, ebb_error *err) EBB_MUST_CHECK;
ebb_status vm_read_tcb(x86_vm *vm, const vm_thread *t, x86_tcb *tcb, ebb_error *err) EBB_MUST_CHECK;

#endif
