/* time.h - the verbs of time travel, beside the moves of session.h that take a direction.
 *
 * All of them are the same for every language: they need a machine that keeps a history, and say so in one line where there
 * is none. */
#ifndef EBB_SESSION_TIME_H
#define EBB_SESSION_TIME_H

#include "base/arena.h"
#include "session/session.h"
#include "time/position.h"

/* ---- bookmarks: a name and a note for a position -------------------------------------------------- */

typedef struct ses_bookmark {
    const char *name, *note; /* note "" if there is none */
    const char *position;    /* as `when` writes it */
} ses_bookmark;
typedef EBB_VEC(ses_bookmark) ses_bookmarks;

/* Names now.  name NULL: one that is free.  Texts are the arena's. */
ebb_status ses_bookmark_set(session *s, ebb_arena *arena, const char *name, const char *note, ses_bookmark *out, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_bookmark_delete(session *s, const char *name, ebb_error *err) EBB_MUST_CHECK;
void ses_bookmark_list(session *s, ebb_arena *arena, ses_bookmarks *out); /* in the order of time */

/* ---- questions ------------------------------------------------------------------------------------ */

/* Goes to before the last write to the expression's place; the stop (of no number) tells the value before it and the one that it
 * wrote. */
ebb_status ses_last_write(session *s, const char *expression, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;

typedef struct ses_past_value {
    const char *value;
    const char *position; /* of the write; the first one's: of the beginning of history or of the object */
    bool is_first;        /* it was there when history begins, */
    bool is_oldest;       /* or was written then: what was there before is not known */
    bool is_new;          /* the object was made then, */
    bool is_static;       /* is_new: it is of a class, which was prepared then, */
    bool is_argument;     /* or it is a variable, and the call of its frame gave it this value */
} ses_past_value;
typedef EBB_VEC(ses_past_value) ses_past_values;
/* Every value that the expression's place has had up to now.  Texts are the arena's. */
ebb_status ses_values(session *s, ebb_arena *arena, const char *expression, ses_past_values *out, ebb_error *err) EBB_MUST_CHECK;

/* One that the program itself remembers: of the hit, `time`, `place` and `is` are known. */
typedef struct ses_remembered_value {
    machine_listed hit;
    const char *text;     /* the arena's; NULL: `is` tells it */
    bool is_oldest;       /* what was there before is not known */
} ses_remembered_value;
typedef EBB_VEC(ses_remembered_value) ses_remembered_values;

/* What an instruction did to a value on its way. */
#define SES_ORIGIN_KINDS(X)                                                                        \
    X(STORE, "store")         /* native: from a register to memory, or from memory to memory */    \
    X(LOAD, "load")                                                                                \
    X(COPY, "copy")           /* from register to register; Java: from variable to variable */     \
    X(PARAMETER, "parameter") /* Java: the call passed it, */                                      \
    X(RETURN, "return")       /* the method returned it, */                                        \
    X(FIELD_READ, "field-read")                                                                    \
    X(FIELD_WRITE, "field-write")                                                                  \
    X(ARRAY_READ, "array-read")                                                                    \
    X(ARRAY_WRITE, "array-write")                                                                  \
    X(THROW, "throw")         /* it was thrown, and caught */                                      \
    X(CONVERSION, "conversion") /* it was a number of another type before */                       \
    X(ALLOCATION, "allocation") /* these end the chain: the object was made, */                    \
    X(INIT, "init")           /* the field or element was never written since its object was made, */ \
    X(NATIVE, "native")       /* a native method gave it, */                                       \
    X(CONSTANT, "constant")   /* the program itself says it, */                                    \
    X(INPUT, "input")         /* a system call brought it, */                                      \
    X(OPERATION, "operation") /* it was computed, */                                               \
    X(BRANCH, "branch")       /* of `why`: it chose, */                                             \
    X(OUTPUT, "output")       /* or printed */                                                     \
    X(END, "end")             /* it can't be followed further: `what` says why */
typedef enum ses_origin_kind {
#define X(name, word) SES_ORIGIN_##name,
    SES_ORIGIN_KINDS(X)
#undef X
} ses_origin_kind;
typedef struct ses_origin_link {
    ses_origin_kind kind;
    const char *position; /* of the instruction, for `goto` */
    ebb_position at;
    unsigned number;      /* for `goto #N`; 0: it has no position */
    unsigned depth;       /* of `why`: what a link depends on comes after it, one deeper */
    const char *text;     /* Java: the value as it is printed; NULL: */
    uint64_t value;       /* as a number without sign, of so many bytes, of which those after the eighth are */
    uint64_t value_high;
    unsigned nbytes;
    const char *what;     /* a sentence without its subject, the value */
    const char *function, *file, *source; /* NULL: not known */
    unsigned line;
    machine_place to;     /* the other end of it: where it was returned or passed to; 0: it has none */
} ses_origin_link;
typedef EBB_VEC(ses_origin_link) ses_origin_links;
const char *ses_origin_word(ses_origin_kind kind);
/* Where the value of an expression comes from: the newest link first.  In C something of at most 8 bytes in memory; in Java a variable, field,
 * static or element, or "" at an exception: what the instruction that threw it failed on.  Texts are the arena's. */
ebb_status ses_origin(session *s, ebb_arena *arena, const char *expression, ses_origin_links *out, ebb_error *err) EBB_MUST_CHECK;

/* Keeps the links that begin or end in code that steps go into (the setting step-filter) and what the whole ends at, numbered anew.  How many were left out. */
size_t ses_origin_keep_own(session *s, ses_origin_links *links);

/* The travels of an object from where it was made until now, in the order of time: each move is a link, one deeper than the call that it happened in. */
ebb_status ses_flow(session *s, ebb_arena *arena, const char *expression, ses_origin_links *out, ebb_error *err) EBB_MUST_CHECK;

/* Why a value is what it is, a line was not reached, or something was printed: links as above, with the branches that let them happen and what those
 * asked about, each one deeper than what it explains. */
typedef struct ses_question {
    enum { SES_WHY_VALUE, SES_WHY_NOT, SES_WHY_PRINTED } kind;
    const char *text; /* the expression, the line, what was printed */
} ses_question;
ebb_status ses_why(session *s, ebb_arena *arena, const ses_question *question, ses_origin_links *out, ebb_error *err) EBB_MUST_CHECK;

/* The value of an expression as the program was at a position (anything that `goto` takes), by the rules of `print` there; the program stays where
 * it is, and nothing is entered into the value history. */
ebb_status ses_as_of(session *s, const char *position, const char *expression, const expr_format *format, ebb_buf *text, ebb_error *err) EBB_MUST_CHECK;

/* Goes to the first moment at which the condition is false, by bisection: see time/queries.h for what that asks of it.   Over a
 * machine that knows frames, a condition that reads nothing of a frame is asked wherever the program is, and any other at every moment of the
 * selected frame's activation; over others, and if it calls something, the condition is asked only while that frame itself runs, not what it called. */
ebb_status ses_bisect(session *s, const char *condition, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;

/* What the program has written to its standard output and standard error by now, wherever in time that is: the newest of it is
 * added to `newest`, and *total is how many bytes there were in all. */
ebb_status ses_printed_by_now(session *s, ebb_buf *newest, uint64_t *total, ebb_error *err) EBB_MUST_CHECK;

/* ---- history itself ------------------------------------------------------------------------------- */

/* Aliases of the program (the setting flow), as it stands now. */
typedef struct ses_aliases_info {
    bool is_on;                /* the rest means something */
    const char *kept;          /* which: the setting's word */
    uint64_t since;            /* timestamp */
    uint64_t made, alive, nbytes; /* ever; now, and in so many bytes */
    bool is_cut;               /* some did not fit, and were forgotten */
} ses_aliases_info;

typedef struct ses_history_info {
    const char *machine;       /* "jvm", "x86-native" */
    bool runs_again;           /* none is kept, but positions are reached by running the program again (counted.h) */
    bool is_kept;              /* the rest means something */
    const char *state;         /* "live", "replaying", "ended" */
    uint64_t oldest, newest, now; /* timestamps */
    uint64_t recording_nbytes, undo_nbytes, undo_limit;
    uint64_t n_verified;       /* states compared with recorded ones on the way to now */
    uint64_t undo_oldest;      /* timestamp back to which the undo log reaches; UINT64_MAX: nowhere */
    const char *begins_after;  /* why it does not reach back to the program's start; NULL: it does.  Likewise: */
    const char *ended_by;      /* why nothing is recorded any more; NULL: it is */
    const char *doubt;         /* what may be wrong with it; NULL: nothing */
    const char *undo_cut_by;   /* why no further; NULL: no room, or it was switched on there.  Borrowed until the next move */
    size_t n_snapshots;
    uint64_t snapshot_nbytes;
    ses_aliases_info aliases;
} ses_history_info;
ebb_status ses_history_info_get(session *s, ses_history_info *out, ebb_error *err) EBB_MUST_CHECK;

/* Lives on from here: the recorded future is dropped.  `undone`: a line for each thing outside that could not be put back. */
ebb_status ses_branch(session *s, ebb_buf *undone, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;
/* Keeps the recording, with the bookmarks, in a file of the user's. */
ebb_status ses_save(session *s, const char *path, ebb_error *err) EBB_MUST_CHECK;
/* The program that ran in this session has ended, and all that was recorded with it: the texts of sources go into the recordings (kept_sources.h). */
ebb_status ses_keep_sources(session *s, const char *recording, ebb_error *err) EBB_MUST_CHECK;

/* The thread schedule of the execution up to now (schedule/schedule.h), into a file of the user's. */
ebb_status ses_save_schedule(session *s, const char *path, ebb_error *err) EBB_MUST_CHECK;

/* Before the program begins: whether it is recorded (it is, where the machine can), and a file that the recording stays in. */
void ses_set_recording(session *s, bool records, const char *path);
/* With it: the other processes of a native program are recorded, too, into that folder (x86/vm/tree.h).  Each has an ebb
 * of its own, a fork of this one: a move of the session goes on in both. */
void ses_set_recording_folder(session *s, const char *folder);
/* After a move that failed: the process goes on without ebb, since it executed what can't be debugged.  Its number, if it is this ebb's child; 0: it does not. */
pid_t ses_let_go(void);
void ses_wait_for_heirs(bool (*is_over)(void)); /* those that were forked; `is_over`: they are to end now */
/* The file keeps the newest part only, in about so many bytes; 0: all.  EBB_UNSUPPORTED: of such programs it can't. */
ebb_status ses_set_recording_bound(session *s, uint64_t nbytes, ebb_error *err) EBB_MUST_CHECK;
/* Before the program begins: hashes of its states are recorded, which every replay then compares. */
void ses_set_verify(session *s, bool verifies);
/* Replays the recording that was opened from its beginning to its end and goes back to its beginning.  *n_states were
 * compared; one that differs is an error that names its position. */
ebb_status ses_verify(session *s, uint64_t *n_states, ebb_error *err) EBB_MUST_CHECK;
/* Whether there will be a way back in the program, as the session is set now. */
bool ses_will_keep_history(const session *s);
/* EBB_UNSUPPORTED for a program of which nothing will be recorded. */
ebb_status ses_can_verify(session *s, ebb_error *err) EBB_MUST_CHECK;
/* Opens a recording: it stands at its beginning, and nothing is run for real. */
ebb_status ses_replay(session *s, const char *path, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;

/* Somebody wants to see how long work goes on; NULL: nobody. */
void ses_on_progress(session *s, ebb_progress *progress, void *self);

#endif
