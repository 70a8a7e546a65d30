/* watch_state.h - what is known of a watchpoint: for the files of watch.h alone.
 *
 * watch.c aims it and keeps its points, watch_code.c lets the machine test its condition, watch_stop.c tells whether a stop is one of its own. */
#ifndef EBB_SESSION_WATCH_STATE_H
#define EBB_SESSION_WATCH_STATE_H

#include "session/condition_scope.h"
#include "session/watch.h"

typedef struct ses_watched {
    uint32_t space;
    uint64_t addr;
    size_t nbytes;
    unsigned n_reads;       /* in one evaluation */
    uint64_t bits;          /* machine_point.bits */
    machine_point_id point; /* 0: not in the machine */
} ses_watched;

typedef EBB_VEC(ses_watched) ses_watched_list;

/* The condition as code (condition.h).  It is tested wherever the data was touched, so it is made anew for each place at which the
 * session tested it; at all others the session does. */
struct ses_watch_codes {
    bool is_told; /* the machine has them, and asks the session at all other places */
    ebb_arena arena;
    EBB_VEC(struct ses_watch_code {
        machine_place at;
        ses_code code;
    }) list;
};

/* What one evaluation read. */
struct ses_reads {
    ses_watched_list ranges;
    bool registers, locals;
    ebb_buf *which; /* the locals, as their language tells them apart; NULL: nobody asks */
};

struct ses_watch_state {
    void *target; /* the language's: what is looked at */
    ses_watched_list ranges;
    bool reads_registers; /* every instruction has to be looked at */
    bool every_write;     /* ses_watch_request */
    bool has_frame;       /* WA1: */
    ses_frame_id frame;   /*   the one it was set in */
    uint64_t return_pc;   /*   where that one returns to; 0 if it doesn't */
    ses_frame_id caller;
    machine_point_id return_point;
    uint64_t seen;      /* WA3: the timestamp at which it was set, */
    uint64_t born;      /*   and at which its object was made; 0: not known */
    void *value;        /* the last one seen, kept; NULL if it could not be read */
    char *after;        /* going back, where others were passed by: what the write left there; NULL: `value` is that */
    bool is_passed_by;  /* WA4: hits were ignored by the machine: `value` is older than the last change */
    ses_bp_place place; /* for the condition */
    bool is_elsewhere;  /* going back, where it was judged to stop last: its place is another one before, so whoever passes it has to aim anew */
    ses_condition_scope scope; /* of the condition */
    struct ses_watch_codes codes;
};

uint64_t ses_watch_time(const session *s); /* that the debuggee stands at; 0: it counts none */

/* ---- watch.c ---- */

/* Evaluates what is watched, and notes what that reads.  *value is the caller's. */
ebb_status ses_watch_evaluate(session *s, const void *target, struct ses_reads *reads, void **value, ebb_error *err) EBB_MUST_CHECK;
void ses_watch_keep_value(session *s, ses_watch_state *w, void *value); /* takes it; NULL is fine */
char *ses_watch_value_text(session *s, const void *value);              /* free() */
/* Takes over what an evaluation read; the points move only if it was something else than before. */
void ses_watch_adopt_reads(session *s, ses_watch_state *w, struct ses_reads *reads);
ebb_status ses_watch_set_points(session *s, ses_bp *bp, ebb_error *err) EBB_MUST_CHECK;
bool ses_watch_select_frame(session *s, const ses_watch_state *w); /* false: it is gone */
void ses_watch_look_again(session *s, ses_bp *bp);                 /* at the value, in its frame */

/* ---- watch_code.c ---- */

bool ses_watch_may_have_code(const session *s, const ses_bp *bp);
machine_point_id *ses_watch_coded_point(const ses_watch_state *w);
void ses_watch_learn_code(session *s, ses_bp *bp);
void ses_watch_tell_codes(session *s, ses_watch_state *w);
void ses_watch_drop_codes(session *s, ses_watch_state *w);

#endif
