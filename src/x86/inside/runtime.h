/* runtime.h - what the threads of a debuggee share in VM mode, and the functions that the doors lead to.
 *
 * Each door (entry.S) calls one of the functions below with the guest state in the control block and
 * jumps to the host address that it returns. */
#ifndef EBB_X86_INSIDE_RUNTIME_H
#define EBB_X86_INSIDE_RUNTIME_H

#include "machine/call_set.h"
#include "time/cursor.h"
#include "x86/inside/cache.h"
#include "x86/inside/notes.h"
#include "x86/inside/translate.h"
#include "x86/inside/turn.h"
#include "x86/inside/undo.h"

enum { X86_MAX_DROPS = 64, X86_MAX_IGNORES = 32, X86_FEED_BYTES = 1 << 20 };

/* A thread that a call has made: what is different from the one that made it. */
typedef struct x86_birth {
    uint64_t thread; /* its number */
    uint64_t stack;  /* 0: the same */
    uint64_t fs_base, has_fs_base;
} x86_birth;

/* Events that ebb brought, for a process that replays (replay.h). */
typedef struct x86_feed {
    uint64_t is_on;      /* this process replays: it asks nothing of the world */
    uint64_t bytes;      /* address of the room for a batch of them, */
    uint64_t room;       /* ... so many bytes */
    ebb_cursor cursor;   /* over that batch */
    uint64_t is_last;    /* nothing more was recorded when ebb brought these */
    uint64_t is_scratch; /* nothing is taken from it any more: scratch.h */
    uint64_t brk;        /* the end of the heap; 0: the kernel's */
    x86_birth birth;     /* X86_STUCK_BIRTH */
    char why[192];       /* X86_STUCK_DIVERGED */
} x86_feed;

/* The number by which the program knows one of its threads, or itself, and the kernel's. */
enum { X86_MAX_NUMBERS = 64 };
typedef struct x86_number {
    uint64_t known, real;
} x86_number;

/* What ebb wants to be told of, as bits of x86_runtime.catches. */
enum {
    X86_CATCHES_CALLS = 1,   /* X86_STUCK_CALLS, X86_STUCK_CALLED */
    X86_CATCHES_FORKS = 2,   /* X86_STUCK_CALLED, of calls that make a process; only of one that replays: live, the kernel tells */
    X86_CATCHES_LEAVING = 4, /* X86_STUCK_LEAVES, of a process that does not replay */
};

typedef struct x86_runtime {
    x86_cache cache;
    x86_code code;
    x86_options options;
    x86_turn turn;
    x86_watches watches;
    x86_notes notes;
    x86_feed feed;
    x86_undo undo;
    x86_undo_marks undo_marks;
    uint64_t is_from_start; /* the program has never run natively */
    uint64_t tamed_vdso, tamed_vdso_nbytes; /* whose functions make system calls that they would not make natively */
    x86_number numbers[X86_MAX_NUMBERS]; /* of a program that went live from its past (vm/branch.h) */
    uint64_t n_numbers;
    uint64_t ring; /* address of the x86_ring to which events go (record.h); 0: nothing is recorded */
    uint64_t catches;
    machine_call_set caught_calls; /* which ones X86_CATCHES_CALLS is about */
    uint64_t answered; /* one more than the number of the call that was made last, if ebb is told of it; read and cleared by ebb */
    bool tsc_may_fault, cpuid_may_fault; /* a thread has asked the kernel for that */
    bool fills_pages;   /* the program has asked for userfaultfd */
    bool has_forked;    /* other processes have its descriptors */
    uint64_t n_threads; /* that there have been */
    uint64_t n_misses; /* times the dispatcher was asked */
    uint64_t ignores[X86_MAX_IGNORES]; /* how many hits of points are still to be passed by (translate.h); told and read by ebb */
    /* Addresses whose code ebb has changed (a point was set or cleared): to be dropped before anything is
     * looked up again.  More than fit: everything is dropped. */
    uint64_t drops[X86_MAX_DROPS];
    uint64_t n_drops;
} x86_runtime;

enum { X86_VECTOR_AREA_BYTES = 4096, X86_STACK_BYTES = 65536, X86_TCB_BYTES = 4096 };

bool x86_runtime_init(x86_runtime *runtime, x86_options options);
/* Fills in a control block; `stack` is the top of a stack, `vectors` a 64-byte aligned area. */
void x86_tcb_init(x86_tcb *tcb, x86_runtime *runtime, void *stack, void *vectors);

uint64_t x86_dispatch(x86_tcb *tcb);
uint64_t x86_syscall(x86_tcb *tcb);
uint64_t x86_ask_world(x86_tcb *tcb);
uint64_t x86_watched(x86_tcb *tcb);
/* The thread can't go on: it stands at `target`, and ebb is told. */
uint64_t x86_give_up(x86_tcb *tcb, x86_stuck why);

/* The doors themselves. */
void x86_inside_dispatch(void);
void x86_inside_syscall(void);
void x86_inside_ask(void);
void x86_inside_missed(void);
void x86_inside_missed_ticking(void);
void x86_inside_watched(void);
void x86_inside_stuck(void);
void x86_inside_leave(void);
void x86_inside_left(void);
void x86_inside_enter_vector(void);
#define X86_NOT_MADE INT64_MIN /* no system call has this result */
long x86_inside_guest_syscall(const uint64_t regs[X86_N_GPRS]);
void x86_inside_syscall_insn(void);
/* From memory that should be there, and may not: how many bytes could be had.  Faster than x86_sys_peek, unless it faults. */
size_t x86_inside_copy(void *to, uint64_t from, size_t nbytes);
void x86_inside_copy_insn(void);
void x86_inside_trap(void);
void x86_inside_fork(void);
void x86_inside_forked(void);
void x86_inside_clone(void);
void x86_inside_cloned(void);
void x86_inside_await(void);
void x86_inside_go_natively(void);
void x86_inside_sigreturn(void);
void x86_inside_sigreturned(void);
void x86_with_vectors(void (*function)(void *), void *argument, void *area);
/* Calls a function that uses the decoder. */
void x86_with_decoder(void (*function)(void *), void *argument, x86_tcb *tcb);

#endif
