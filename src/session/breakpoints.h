/* breakpoints.h - where the user wants to stop: breakpoints, watchpoints, catchpoints.
 *
 * They live as long as the session, not as the debuggee: a breakpoint keeps its text and finds its
 * places anew whenever modules come and go.  One that has no place yet is pending.
 *
 * BR1  numbers count up from 1 and are never used twice;
 * BR2  a condition that can't be evaluated stops, and says why: it never lets the program run past;
 * BR3  a hit counts only if the condition held; an ignore count is used up by such hits. */
#ifndef EBB_SESSION_BREAKPOINTS_H
#define EBB_SESSION_BREAKPOINTS_H

#include "session/session.h"

typedef enum ses_bp_kind {
    SES_BP_BREAK,
    SES_BP_WATCH, SES_BP_RWATCH, SES_BP_AWATCH,
    SES_BP_CATCH_FORK, SES_BP_CATCH_VFORK, SES_BP_CATCH_EXEC, SES_BP_CATCH_SYSCALL, SES_BP_CATCH_SIGNAL,
    SES_BP_CATCH_THREAD, SES_BP_CATCH_THROW, SES_BP_CATCH_CATCH,
} ses_bp_kind;

/* What becomes of it when it has stopped the program. */
typedef enum ses_bp_after { SES_BP_AFTER_KEEP, SES_BP_AFTER_DISABLE, SES_BP_AFTER_DELETE } ses_bp_after;

typedef struct ses_bp_location {
    sym_spot spot;
    bool enabled;
    const char *place; /* how the spot is written where it has no address: "Main.add:0"; NULL: it has */
} ses_bp_location;

/* A read-only view of one; owned by the session, good until breakpoints change. */
typedef struct ses_breakpoint {
    int number;
    ses_bp_kind kind;
    bool enabled, temporary, pending;
    bool hardware;          /* a watchpoint that the CPU checks */
    const char *where;      /* as typed: "list.c:42", the watched expression, what is caught */
    const char *condition;  /* NULL if none */
    machine_tid thread;     /* 0: any */
    const char *thread_words; /* how that one is called; NULL: any */
    unsigned ignore, hits;
    const ses_bp_location *locations;
    size_t n_locations;
    const char *exception;  /* what an exception of C++ does where it stops: "throw", "rethrow", "catch"; NULL: nothing */
    bool is_implied;        /* no person asked for it, so that nobody has to be told what it can't do: ses_bp_imply */
    const char *exception_type; /* only if its type's name matches this regular expression; NULL: whatever it is */
    const char *prints;     /* dprintf: its format and arguments, printed instead of a stop; NULL: it stops */
    ses_bp_after after;     /* temporary ones: DELETE */
    unsigned stops_left;    /* DISABLE: after so many stops; 0: after the next */
    const char *commands;   /* lines to run at a stop; NULL if none; meaningful to the front end */
} ses_breakpoint;

typedef struct ses_break_request {
    const char *where;     /* "" or NULL: the place the selected frame is at */
    const char *condition; /* NULL: none */
    machine_tid thread;
    bool temporary;
    const char *exception; /* it is a catchpoint for this (ses_breakpoint); NULL: it is none */
    const char *exception_type; /* as ses_breakpoint has it */
    const char *prints;    /* as ses_breakpoint has it; NULL: it stops */
    bool allow_pending;    /* otherwise a place that can't be found is EBB_NOT_FOUND */
} ses_break_request;

/* "WHERE [thread N] [if COND]" into its parts; the texts are `arena`'s. */
ebb_status ses_break_parse(session *s, ebb_arena *arena, const char *text, ses_break_request *request, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_break(session *s, const ses_break_request *request, int *number, ebb_error *err) EBB_MUST_CHECK;

typedef struct ses_watch_request {
    ses_bp_kind kind;
    const char *expression;
    const char *condition; /* NULL: none */
    bool location;         /* the place that the expression names now: `watch -l` */
    bool every_write;      /* WATCH, of a question about writes: also those of what was there already (MACHINE_POINT_STORE) */
} ses_watch_request;
ebb_status ses_watch(session *s, const ses_watch_request *request, int *number, ebb_error *err) EBB_MUST_CHECK;
/* Whether there is anything about the expression that could change; err says why not. */
ebb_status ses_can_watch(session *s, const char *expression, ebb_error *err) EBB_MUST_CHECK;

/* The type of the exception of C++ that is thrown or caught where the program stands, and what it says of itself (NULL: nothing that is known); the
 * caller frees both.  False: there is none. */
bool ses_exception_here(session *s, char **type, char **message);

/* what: "fork", "vfork", "exec", "syscall [NAME|NUMBER...]", "signal [NAME...]", "thread [start|end]"; of Java:
 * "throw [CLASS]", "catch [CLASS]", where subclasses count; of C++ "throw", "rethrow", "catch". */
ebb_status ses_catch(session *s, const char *what, bool temporary, int *number, ebb_error *err) EBB_MUST_CHECK;
void ses_bp_imply(session *s, int number); /* a protocol asked for it in its own name */

/* Enables it until it has stopped the program (so many times; 0: once). */
ebb_status ses_bp_enable_for(session *s, int number, ses_bp_after after, unsigned n_stops, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_bp_delete(session *s, int number, ebb_error *err) EBB_MUST_CHECK;
void ses_bp_delete_all(session *s);
/* Deletes those at WHERE (`clear`); *n is how many. */
ebb_status ses_bp_clear(session *s, const char *where, size_t *n, ebb_error *err) EBB_MUST_CHECK;
/* location 0: the whole breakpoint; else its n-th location ("2.1"). */
ebb_status ses_bp_enable(session *s, int number, unsigned location, bool enabled, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_bp_ignore(session *s, int number, unsigned count, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_bp_condition(session *s, int number, const char *condition, ebb_error *err) EBB_MUST_CHECK; /* NULL: none */
ebb_status ses_bp_commands(session *s, int number, const char *commands, ebb_error *err) EBB_MUST_CHECK;

size_t ses_bp_count(const session *s);
const ses_breakpoint *ses_bp_at(const session *s, size_t i);   /* in order of number */
const ses_breakpoint *ses_bp_get(const session *s, int number); /* NULL if there is none */

#endif
