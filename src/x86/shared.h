/* shared.h - what the runtime inside a debuggee and ebb outside both see.
 *
 * The thread control block is what gs points to while a thread is in VM mode.  It is plain data with
 * fixed offsets: entry.S and the translated code reach it by number, ebb reads and writes it with
 * ptrace.  Whoever changes the layout counts X86_SHARED_VERSION up.
 *
 * SH1  while a thread runs translated code, its guest registers are in the CPU's own registers, except
 *      those that the running sequence keeps in `spills`;
 * SH2  while a thread is in the runtime, its guest registers are in `regs`, `rip` and `rflags`;
 * SH3  `target` is the guest address that the dispatcher goes to next. */
#ifndef EBB_X86_SHARED_H
#define EBB_X86_SHARED_H

#define X86_SHARED_VERSION 30

/* Offsets in the control block, for assembly and for the emitter. */
#define X86_TCB_SELF        0x00
#define X86_TCB_ASK         0x08
#define X86_TCB_SOURCE      0x0c
#define X86_TCB_SPILL_FLAGS 0x10
#define X86_TCB_JUMP        0x18
#define X86_TCB_TARGET      0x20
#define X86_TCB_LINK        0x28
#define X86_TCB_STACK       0x30
#define X86_TCB_DISPATCH    0x38
#define X86_TCB_SYSCALL     0x40
#define X86_TCB_ASK_DOOR    0x48
#define X86_TCB_STUCK       0x50
#define X86_TCB_COUNTER     0x58
#define X86_TCB_RFLAGS      0x60
#define X86_TCB_VECTORS     0x68
#define X86_TCB_SIGRETURN   0x70
#define X86_TCB_BACK        0x78
#define X86_TCB_ONE         0x80
#define X86_TCB_TICK        0x88
#define X86_TCB_LEFT        0x90
#define X86_TCB_REGS        0x98 /* rax rcx rdx rbx rsp rbp rsi rdi r8 ... r15: the CPU's numbering */

#define X86_TCB_STOP_WANTED 0x130
#define X86_TCB_GUEST_GS    0x140
#define X86_TCB_SPILLS      0x148 /* in the same numbering */
#define X86_TCB_SPILL(reg)  (X86_TCB_SPILLS + 8 * (reg))
#define X86_TCB_WATCH_ADDRESS 0x1c8
#define X86_TCB_WATCH_NBYTES  0x1d0
#define X86_TCB_WATCH_DOOR    0x1d8
#define X86_TCB_HALF          0x1e0
#define X86_TCB_SUM           0x1e8
#define X86_TCB_ANSWER        0x1f0
#define X86_TCB_GUEST_ZMM30 0x200
#define X86_TCB_GUEST_ZMM31 0x240

/* Where the runtime's own mappings are put, by ebb and by the runtime, if the places are free: below where PIE programs begin, in
 * the only range that address, thread and memory sanitizers all leave to a program (docs/x86-vm.md, "Where the runtime lives"). */
#define X86_HOME_OUTSIDE    0x550000000000
#define X86_HOME_INSIDE     0x551000000000

/* The first address that no program can have (with four levels of page tables). */
#define X86_USER_END        0x7ffffffff000

/* Where time is counted: see x86_tick. */
#define X86_TICK_IN_VECTOR  1

#ifndef __ASSEMBLER__

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { X86_RAX, X86_RCX, X86_RDX, X86_RBX, X86_RSP, X86_RBP, X86_RSI, X86_RDI, X86_N_GPRS = 16 };

#define X86_TCB_SPILL_RAX X86_TCB_SPILL(X86_RAX)
#define X86_TCB_SPILL_RCX X86_TCB_SPILL(X86_RCX)

/* What an instruction asks the world for.  Each has one function in the runtime (asks.h). */
typedef enum x86_ask_kind {
    X86_ASK_CPUID,
    X86_ASK_XGETBV,
    X86_ASK_RDTSC,
    X86_ASK_RDTSCP,
    X86_ASK_RDPID,
    X86_ASK_RDRAND,
    X86_ASK_RDSEED,
    X86_ASK_X87,  /* that the last x87 instruction is told by its guest address (x87.h) */
    X86_ASK_SAVE, /* that, and that what xsave finds in use is what is (in_use.h) */
} x86_ask_kind;

typedef struct x86_ask {
    uint8_t kind;        /* an x86_ask_kind */
    uint8_t reg;         /* rdrand, rdseed, rdpid: where the answer goes */
    uint8_t nbytes;      /* ... and how long it is */
    uint8_t insn_nbytes; /* of the instruction, which ends at `target` */
} x86_ask;

/* Why a thread left translated code for good, until ebb does something about it. */
#define X86_STUCK_REASONS(X)                                                                       \
    X(X86_NOT_STUCK, "not stuck")                                                                  \
    X(X86_STUCK_WANTED, "asked to stop")                                                           \
    X(X86_STUCK_TIME, "the time has come")                                                         \
    X(X86_STUCK_TICK, "a tick or a system call, at which a signal may be delivered")                 \
    X(X86_STUCK_EXEC, "the program is about to execute another one")                                \
    X(X86_STUCK_LAST, "the program is about to end")                                                \
    X(X86_STUCK_UNREADABLE, "there is no code at this address")                                    \
    X(X86_STUCK_UNDECODABLE, "the bytes at this address are no instruction")                       \
    X(X86_STUCK_WATCH, "watched memory has changed")                                               \
    X(X86_STUCK_NOTES, "there is no room for more hits")                                           \
    X(X86_STUCK_STEP, "the CPU itself has to execute this instruction")                             \
    X(X86_STUCK_TRAP_FLAG, "the program steps itself")                                              \
    X(X86_STUCK_WILD, "a jump to where no code can be")                                             \
    X(X86_STUCK_FILTER, "a filter for system calls is to be installed")                             \
    X(X86_STUCK_FILES, "a file is about to be changed")                                            \
    X(X86_STUCK_DENIED, "a system call is not allowed")                                            \
    X(X86_STUCK_UNTRACED, "the program makes a thread that may not be traced (CLONE_UNTRACED)")     \
    X(X86_STUCK_NO_LIST, "the list of mappings can't be read")                                      \
    X(X86_STUCK_FORBIDS, "the program forbids memory that can be written and executed (PR_SET_MDWE); native mode goes on")  \
    X(X86_STUCK_FEED, "replay needs the next events")                                               \
    X(X86_STUCK_EVENT, "the next event comes from outside")                                         \
    X(X86_STUCK_END, "the recorded program ended here")                                             \
    X(X86_STUCK_BIRTH, "the recorded program made a thread")                                          \
    X(X86_STUCK_LEFT, "the thread ended")                                                           \
    X(X86_STUCK_LEAVES, "the thread is about to end")                                               \
    X(X86_STUCK_CALLS, "a system call is about to be made")                                         \
    X(X86_STUCK_CALLED, "a system call was made")                                                   \
    X(X86_STUCK_DIVERGED, "replay did something else than the recorded program")                    \
    X(X86_STUCK_NO_ROOM, "no room for translated code near this address")

typedef enum x86_stuck {
#define X(name, text) name,
    X86_STUCK_REASONS(X)
#undef X
} x86_stuck;

/* A filter for system calls (seccomp), in the debuggee's memory (inside/gate.h). */
typedef struct x86_filter {
    uint64_t older;  /* address of the one that was installed before; 0: none */
    uint64_t strict; /* it stands for the kernel's strict mode */
    struct sock_fprog program;
    struct sock_filter code[];
} x86_filter;

/* The guest's own syscall user dispatch: as prctl has it. */
typedef struct x86_user_dispatch {
    uint64_t on, offset, nbytes, selector;
} x86_user_dispatch;

/* A file that ebb writes to as well: its standard streams. */
enum { X86_RING_STREAMS = 3 };
typedef struct x86_stream {
    uint64_t device, file;
} x86_stream;

/* Events on their way to ebb (x86/ring.h): this, on a page of its own, and X86_RING_BYTES of them after it. */
typedef struct x86_ring {
    uint64_t written, taken; /* bytes so far: they only grow */
    uint64_t timestamp;      /* of the last event that was written */
    uint32_t news, news_wanted; /* a futex, and whether ebb sleeps on it until there is much to take */
    uint32_t room, room_wanted; /* a futex, and whether somebody sleeps on it until there is room */
    uint32_t ended;          /* set by ebb: nobody writes it down any more */
    uint32_t unknown_call;   /* one more than the number of a call whose memory is not in the recording; 0: there was none */
    uint32_t shares;         /* other processes may write to the program's memory */
    uint32_t told_unknown, told_shares; /* the recording says so */
    uint32_t keeps;          /* set by ebb: what `branch` needs is recorded, too (inside/record_kept.c, inside/record_files.c) */
    uint32_t tells_end;      /* set by ebb: it wants to look at the program before its last call */
    x86_stream streams[X86_RING_STREAMS];
} x86_ring;

/* What becomes of a thread whose system call is not allowed. */
typedef enum x86_denied {
    X86_DENIED_BY_SIGNAL, /* it gets one, and its handler may see to it */
    X86_DENIED_KILLS_THREAD,
    X86_DENIED_KILLS_PROCESS,
} x86_denied;
typedef struct x86_denial {
    uint32_t how; /* an x86_denied */
    int32_t signal, code, error;
    uint32_t number, arch;
} x86_denial;

enum { X86_NAME_BYTES = 16 }; /* of a thread, with the zero at its end */
enum { X86_SIGFRAME_BYTES = 304 }; /* the kernel's struct ucontext */

typedef struct x86_tcb {
    uint64_t self;         /* the address of this block */
    x86_ask ask;           /* what the thread asks for as it comes to the door `ask_door` */
    uint32_t source;       /* the low half of a host address in the last return or indirect jump; 0: none since it entered */
    uint64_t spill_flags;  /* as lahf and seto leave them in rax */
    uint64_t jump;         /* host address that an indirect jump or the dispatcher goes to */
    uint64_t target;       /* SH3 */
    uint64_t link;         /* address of the x86_exit that came here unlinked; 0 if none did */
    uint64_t stack;        /* top of the runtime's own stack for this thread */
    uint64_t dispatch;     /* entry points of the runtime, for translated code to jump to */
    uint64_t syscall;
    uint64_t ask_door;
    uint64_t stuck_here;   /* an int3 of the runtime: ebb is told that the thread can't go on */
    uint64_t counter;      /* ticks, where they are not counted in a vector register */
    uint64_t rflags;
    uint64_t vectors;      /* address of a save area for vector registers, 16-byte aligned */
    uint64_t sigreturn;    /* rsp for the rt_sigreturn that entry.S is about to make */
    uint64_t enter;        /* the door by which a thread enters VM mode at `target` */
    uint64_t one;          /* 1: what a tick adds */
    uint32_t tick;         /* an x86_tick */
    uint32_t thread;       /* its number, as the system has it */
    uint64_t left;         /* ticks until the time that ebb wants to be told of */
    uint64_t regs[X86_N_GPRS];
    uint64_t skip_at;      /* a guest address: the point there is not met when the thread comes to it next */
    uint64_t runtime;      /* the x86_runtime that all threads of the process share */
    uint32_t stuck;        /* an x86_stuck */
    uint32_t version;
    uint32_t stop_wanted;  /* set by ebb: the next pass through the dispatcher ends at `stuck_here` */
    uint32_t outside;      /* an x86_outside: why the thread may take long to come back */
    uint32_t yield;        /* an x86_yield */
    uint32_t guard;        /* read by the kernel: 1 while only the runtime may make system calls (vm/guard.c) */
    uint64_t guest_gs_base; /* entered: what gs means to the guest; `gs:` operands count from here */
    uint64_t spills[X86_N_GPRS]; /* SH1 */
    uint64_t watch_address, watch_nbytes; /* of a store to where something is watched; nbytes 0: any store */
    uint64_t watch_door;
    uint64_t half;         /* how many addresses each half of memory has: 1 << 47 */
    uint64_t sum;          /* a target and `half`: if it can be an address, the highest 16 bits are clear */
    uint64_t answer;       /* host address at which translated code goes on when it has been answered, within a block */
    uint32_t trap_flag;    /* the guest has set it itself: not in the CPU's flags while the thread is in the runtime */
    uint32_t one_more;     /* set by ebb: the dispatcher lets one instruction pass although the guest steps itself */
    uint8_t guest_zmm30[64], guest_zmm31[64]; /* entered, and the count is in xmm30: the guest's own */
    uint64_t filter;       /* address of the newest x86_filter; 0: none */
    x86_user_dispatch user_dispatch;
    x86_denial denial;     /* X86_STUCK_DENIED */
    uint64_t open_at;      /* a guest address: the system call there has been let through already, and is made again */
    uint64_t told_at;      /* a guest address: ebb was told of the system call there (X86_STUCK_CALLS), and nothing has happened since */
    uint64_t answers, answers_at; /* one more than the number of a call of whose return ebb is to be told, and where: inside/caught.h; 0: there is none */
    int64_t deadline;      /* of that call, if it has one; in nanoseconds of the monotonic clock */
    uint32_t ticket;       /* its place in the queue for the turn, */
    uint32_t has_ticket;   /* ... if it has one */
    uint64_t called_end;   /* the guest address after the last system call that was begun (inside/record.h) */
    uint32_t called;       /* it is not recorded yet */
    uint32_t ends;         /* it is the thread's last one, and recorded already */
    uint64_t watches_all;  /* what it writes is not known before (inside/changes.h) */
    uint64_t call[12];     /* what was seen of it before it was made: an x86_called */
    uint64_t aside;        /* address of room for what it writes while others have the turn (inside/aside.h) */
    uint32_t mxcsr;        /* of the guest, while a condition computes with reals */
    char name[X86_NAME_BYTES]; /* as the program gave it to the thread (prctl) */
    uint64_t scratch[6];   /* what a condition borrows registers for: inside/condition.c */
    uint64_t undo_address; /* near to which it is about to write: inside/undo.h */
    uint8_t sigframe[X86_SIGFRAME_BYTES]; /* what rt_sigreturn takes registers from: inside/syscall.c */
} x86_tcb;

/* Whether an address can be one at all (with four levels of page tables; with five, the CPU knows better). */
static inline bool x86_is_canonical(uint64_t address)
{
    return (address + ((uint64_t)1 << 47)) >> 48 == 0;
}

/* Whether the turn of a thread ends at a tick (turn.h, TU6). */
typedef enum x86_yield {
    X86_YIELD_NOT,
    X86_YIELD_AT_TICK,   /* set by ebb: at the next one */
    X86_YIELD_AT_ONCE,   /* set by ebb: it waits for a page that another thread has to bring, and comes to no tick */
    X86_YIELD_WHEN_OVER, /* its time is over, or nearly: every tick is looked at */
    X86_YIELD_TO_EBB,    /* set by ebb: at the next one, or before a system call, ebb is told (X86_STUCK_TICK); the turn goes on */
} x86_yield;

/* A thread in the runtime that doesn't hold the turn (turn.h). */
typedef enum x86_outside {
    X86_HAS_TURN,
    X86_IN_SYSCALL,    /* `target` is after the system call */
    X86_WAITS_FOR_TURN, /* `target` is where it goes on */
} x86_outside;

/* The memory that is not the guest's (inside/own.h). */
enum { X86_MAX_OWN = 1000 };
typedef struct x86_range {
    uint64_t lo, hi;
} x86_range;
typedef struct x86_own {
    uint64_t n;
    x86_range ranges[X86_MAX_OWN];
} x86_own;

/* What ebb finds in the image, as addresses in the debuggee. */
typedef struct x86_inside_exports {
    uint64_t version;
    uint64_t start;      /* uint64_t start(x86_runtime *, uint64_t tick): 0 if it worked */
    uint64_t new_thread; /* uint64_t new_thread(x86_runtime *, void *region): the tcb at its beginning */
    uint64_t guest_syscall; /* from here to the next one, the guest's registers are being loaded for a system call */
    uint64_t syscall_insn; /* the instruction that makes the guest's system calls */
    uint64_t copy_insn;  /* two bytes; if it faults, it has copied all that there is */
    uint64_t trap;       /* an int3, to return to */
    uint64_t stuck;      /* the int3 of a stuck thread */
    uint64_t leave, left; /* between them the guest's registers are loaded, to go where nobody looks at `stop_wanted` */
    uint64_t cloned;     /* where a new thread wakes up */
    uint64_t await;      /* where a child waits until another ebb traces it */
    uint64_t go_natively; /* where it leaves VM mode, to the address in rcx */
    uint64_t forked;     /* where a forked process wakes up */
    uint64_t sigreturned; /* back from a signal handler: the guest's state is complete, and the time is in `counter` */
    uint64_t dispatch, syscall, ask, enter; /* the doors: at their first instruction the state is the guest's */
    uint64_t record_parked; /* uint64_t record_parked(x86_tcb *, uint64_t result): of a thread that stands after a system call */
    uint64_t undo_back;  /* uint64_t undo_back(x86_runtime *, uint64_t position): inside/undo.h */
    uint64_t own;        /* the x86_own: ebb adds what it maps itself */
    uint64_t runtime_nbytes, region_nbytes;
} x86_inside_exports;

#define X86_TCB_AT(field, offset)                                                                  \
    _Static_assert(offsetof(x86_tcb, field) == (offset), "entry.S knows this offset")
X86_TCB_AT(self, X86_TCB_SELF);
X86_TCB_AT(ask, X86_TCB_ASK);
X86_TCB_AT(source, X86_TCB_SOURCE);
X86_TCB_AT(spill_flags, X86_TCB_SPILL_FLAGS);
X86_TCB_AT(jump, X86_TCB_JUMP);
X86_TCB_AT(target, X86_TCB_TARGET);
X86_TCB_AT(link, X86_TCB_LINK);
X86_TCB_AT(stack, X86_TCB_STACK);
X86_TCB_AT(dispatch, X86_TCB_DISPATCH);
X86_TCB_AT(syscall, X86_TCB_SYSCALL);
X86_TCB_AT(ask_door, X86_TCB_ASK_DOOR);
X86_TCB_AT(stuck_here, X86_TCB_STUCK);
X86_TCB_AT(counter, X86_TCB_COUNTER);
X86_TCB_AT(rflags, X86_TCB_RFLAGS);
X86_TCB_AT(vectors, X86_TCB_VECTORS);
X86_TCB_AT(sigreturn, X86_TCB_SIGRETURN);
X86_TCB_AT(enter, X86_TCB_BACK);
X86_TCB_AT(one, X86_TCB_ONE);
X86_TCB_AT(tick, X86_TCB_TICK);
X86_TCB_AT(left, X86_TCB_LEFT);
X86_TCB_AT(regs, X86_TCB_REGS);
X86_TCB_AT(stop_wanted, X86_TCB_STOP_WANTED);
X86_TCB_AT(guest_gs_base, X86_TCB_GUEST_GS);
X86_TCB_AT(spills, X86_TCB_SPILLS);
X86_TCB_AT(watch_address, X86_TCB_WATCH_ADDRESS);
X86_TCB_AT(watch_nbytes, X86_TCB_WATCH_NBYTES);
X86_TCB_AT(watch_door, X86_TCB_WATCH_DOOR);
X86_TCB_AT(half, X86_TCB_HALF);
X86_TCB_AT(sum, X86_TCB_SUM);
X86_TCB_AT(answer, X86_TCB_ANSWER);
X86_TCB_AT(guest_zmm30, X86_TCB_GUEST_ZMM30);
X86_TCB_AT(guest_zmm31, X86_TCB_GUEST_ZMM31);

#endif
#endif
