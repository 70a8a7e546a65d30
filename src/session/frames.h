/* frames.h - threads and frames: where the debuggee is, and what questions are about.
 *
 * Frames are unwound one by one, when asked for, and kept until the next move.  An inlined call is a
 * frame of its own, as the source text has it.  Just stopped at the first instruction of an inlined
 * body, the debuggee is still in the caller, about to enter: `step` enters without moving, as in gdb.
 *
 * FR1  level 0 is the innermost frame; a frame's registers are those it had when it made its call. */
#ifndef EBB_SESSION_FRAMES_H
#define EBB_SESSION_FRAMES_H

#include "session/session.h"

typedef struct ses_frame {
    unsigned level;
    uint64_t pc;
    const sym_function *function; /* NULL without debug information */
    const char *name;             /* function's or ELF symbol's; NULL if unknown */
    uint64_t name_offset;         /* pc - symbol, where the name is an ELF symbol's */
    const char *module;           /* path; NULL if unknown */
    bool is_inlined;              /* an inlined instance, within the frame one level up */
    bool is_signal_frame;         /* <signal handler called> */
    bool has_line;
    sym_line line;                /* of the pc, or of the inlined call below */
    bool mid_line;                /* pc isn't at the beginning of a statement: gdb prints the address */
    sym_frame regs;               /* registers, as sym_unwind gives them; of Java, `cfa` is the activation's number */
    unsigned depth;               /* how many physical frames the machine has below it, hidden ones counted */
    /* Java's alone; NULL and 0 in a native program: */
    const char *place;            /* how the pc is written: "Main.add:12"; NULL: as an address */
    const char *instruction;      /* where there is no line: the bytecode at the pc */
    bool is_native;               /* a method that isn't bytecode */
} ses_frame;

/* EBB_NOT_FOUND above the outermost frame. */
ebb_status ses_frame_get(session *s, unsigned level, const ses_frame **frame, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_frame_selected(session *s, const ses_frame **frame, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_frame_select(session *s, unsigned level, ebb_error *err) EBB_MUST_CHECK;
unsigned ses_frame_depth(session *s, unsigned at_most); /* how many frames there are */
/* Why unwinding ended before an outermost function ("Backtrace stopped: ..."); NULL if it didn't. */
const char *ses_frame_stop_reason(session *s);

/* Arguments or locals of a frame, with printed values. */
typedef struct ses_named_value {
    const char *name;
    const char *value; /* printed; or gdb's <optimized out>, <error: ...> */
    const char *type;
    unsigned depth;    /* locals: 0 is the outermost block */
    bool is_as_passed; /* arguments: what the caller passed is known, and it is still that (n=n@entry=5) */
    const char *passed; /* printed, if the argument is lost or another by now (n=6, n@entry=5); else NULL */
} ses_named_value;
typedef EBB_VEC(ses_named_value) ses_named_values;

/* brief: as in a frame line.  The texts are `arena`'s. */
ebb_status ses_frame_args(session *s, ebb_arena *arena, unsigned level, bool brief, ses_named_values *out, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_frame_locals(session *s, ebb_arena *arena, unsigned level, ses_named_values *out, ebb_error *err) EBB_MUST_CHECK;

typedef struct ses_thread {
    unsigned number; /* counts from 1 in order of birth; never used twice */
    machine_tid tid;
    const char *name;
    bool is_selected;
} ses_thread;
typedef EBB_VEC(ses_thread) ses_threads;
void ses_thread_list(session *s, ses_threads *out); /* borrowed names: SE3 */
/* What is known of threads beyond their frames: the Java machine knows what they wait for. */
typedef struct ses_thread_detail {
    machine_tid tid;
    const char *state;   /* "RUNNABLE", "BLOCKED", "TIMED_WAITING (sleeping)" */
    const char *waits;   /* "waiting for Account@3 held by thread 4"; NULL: for nothing */
    const char *holds;   /* "Account@3, Account@5"; NULL: nothing */
} ses_thread_detail;
typedef struct ses_thread_details {
    EBB_VEC(ses_thread_detail) of; /* none of a native program's */
    const char *deadlock;          /* one line; NULL: there is none */
} ses_thread_details;
ebb_status ses_thread_details_get(session *s, ebb_arena *arena, ses_thread_details *out, ebb_error *err) EBB_MUST_CHECK;
/* How a thread is called in lists: `LWP 123 "name"`, `"main"`.  The arena's. */
const char *ses_thread_words(session *s, ebb_arena *arena, machine_tid tid);
ebb_status ses_thread_select(session *s, unsigned number, ebb_error *err) EBB_MUST_CHECK;
unsigned ses_thread_number(session *s, machine_tid tid); /* 0 if there is none */
machine_tid ses_thread_selected(session *s);
bool ses_thread_ever_several(const session *s); /* the program had more than one of its own, now or before */

#endif
