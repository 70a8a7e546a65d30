/* points.h - the user's breakpoints, watchpoints and catchpoints as points of the machine. */
#ifndef EBB_SESSION_POINTS_H
#define EBB_SESSION_POINTS_H

#include "machine/search.h"
#include "session/state.h"

/* Points that a search of the machine judges alone. */
typedef EBB_VEC(machine_noted) ses_noted;

/* Finds the places of all breakpoints anew (modules came or went) and puts them into the machine. */
void ses_points_resolve(session *s);
/* The same after a move in which nobody heard of code that came or went: what isn't there now may be there where the moves go. */
void ses_points_find_more(session *s);
/* The machine is about to be freed, or lost its points: nothing of ours is in it any more. */
void ses_points_forget_machine(session *s);
void ses_points_clear_from_machine(session *s);
/* Brings one breakpoint's points in line with what is enabled. */
void ses_points_update(session *s, ses_bp *bp);

/* breakpoints.c */
/* ses_bp_location.place */
const char *ses_bp_place_name(session *s, const ses_bp *bp, const sym_spot *spot);
const char *ses_bp_where(const ses_bp *bp); /* the place in the code; of a position without its time */
ses_bp *ses_bp_find(const session *s, int number);
ebb_status ses_bp_need(const session *s, int number, ses_bp **bp, ebb_error *err) EBB_MUST_CHECK;
ses_bp *ses_bp_new(session *s, ses_bp_kind kind, const char *where); /* numbered, not yet in the list */
void ses_bp_enlist(session *s, ses_bp *bp);
void ses_bp_free(session *s, ses_bp *bp);
void ses_bp_remove(session *s, ses_bp *bp); /* from the list, and frees it */
bool ses_bp_is_watch(const ses_bp *bp);

/* catch.c */
ebb_status ses_catch_events(session *s, ebb_error *err) EBB_MUST_CHECK; /* tells the machine which are wanted */
/* Tells of catchpoints that nothing in the past is a reason to stop for: silence would read as "it did not happen". */
void ses_catch_tell_unmet(session *s);
void ses_catch_free(ses_catch_state *state);
/* Whether a catchpoint wants this stop: fills *stop. */
bool ses_check_catch(session *s, const machine_stop *at, ses_stop *stop);
/* catch signal: before the policy is asked. */
bool ses_check_catch_signal(session *s, int signal, ses_stop *stop);
bool ses_catches_signal(const session *s, int signal);

#endif
