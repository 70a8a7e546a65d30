/* back.h - what the files that step back through Java share: see verbs.c. */
#ifndef EBB_SESSION_BACK_BACK_H
#define EBB_SESSION_BACK_BACK_H

#include "session/java/java.h"
#include "session/back/search.h"

/* ---- java/back.c ---------------------------------------------------------------------------------- */

/* A frame, and the call that made it. */
typedef struct ses_activation {
    machine_tid thread;
    uint64_t id;
    machine_place place;   /* when it was looked at */
    bool has_caller;       /* one in bytecode: */
    uint64_t caller;
    machine_place call;    /* the invoke */
    machine_place back;    /* where it goes on */
} ses_activation;

bool ses_activation_at(session *s, machine_tid thread, unsigned depth, ses_activation *out);
bool ses_activation_is_innermost(session *s, const ses_activation *a);
/* Where the frame stands now; 0 if it isn't there. */
machine_place ses_activation_place(session *s, const ses_activation *a);
unsigned ses_java_line_number(session *s, machine_place place);
/* Whether a person steps through it: it has lines that somebody wrote, and isn't passed by the step filter. */
bool ses_java_is_shown(session *s, machine_place place);
ebb_status ses_java_now(session *s, ebb_position *now, ebb_error *err) EBB_MUST_CHECK;

/* ---- lines.c: the last line of a frame before now ----------------------------------------------- */

/* What the user's breakpoints mean to a search: they end it, unless one of these is said. */
typedef struct ses_java_users {
    bool own_only;    /* nothing */
    ses_aside *aside; /* the last one is noted */
} ses_java_users;

typedef enum ses_java_found {
    FOUND_LINE,  /* the debuggee stands there */
    FOUND_CALL,  /* no line began in this frame before: the debuggee stands at the call that made it */
    FOUND_NOTHING, /* neither, as nothing in bytecode called it: the debuggee may stand anywhere */
    FOUND_OTHER, /* something else ended the search: history's beginning, the user, a breakpoint */
} ses_java_found;

/* On FOUND_OTHER, *at and *back say what it was; the caller settles. */
ebb_status ses_java_line_before(session *s, const ses_activation *who, ses_java_users who_else, ses_java_found *kind,
                                ses_back *back, machine_stop *at, ebb_error *err) EBB_MUST_CHECK;
/* To the call that made the frame; FOUND_NOTHING if no bytecode did. */
ebb_status ses_java_call_before(session *s, const ses_activation *who, ses_java_users who_else, ses_java_found *kind,
                                ses_back *back, machine_stop *at, ebb_error *err) EBB_MUST_CHECK;
/* line_before, and where no line began in this frame before: in the one that called it. */
ebb_status ses_java_line_before_or_caller(session *s, ses_activation *who, ses_java_users who_else,
                                          ses_java_found *kind, ses_back *back, machine_stop *at, ebb_error *err) EBB_MUST_CHECK;

/* ---- calls.c: what was called from a line ------------------------------------------------------- */

/* Forward within the past, `to` at most.  *arrived: it got there, or there is no way on. */
ebb_status ses_java_run_towards(session *s, machine_request request, ebb_position to, machine_stop *at, bool *arrived,
                                ebb_error *err) EBB_MUST_CHECK;
/* Into what the line at which the debuggee stands, in `who`, called last before `to`. */
ebb_status ses_java_descend(session *s, ses_activation who, ebb_position to, ebb_position *found,
                            ebb_error *err) EBB_MUST_CHECK;
/* The debuggee stands in a frame of code that a step passes through: to the last line that a person would have seen before `to`, in what
 * this frame called. */
ebb_status ses_java_last_line_shown(session *s, const ses_activation *who, ebb_position to, bool *is_there,
                                    ebb_position *found, ebb_error *err) EBB_MUST_CHECK;

#endif
