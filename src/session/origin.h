/* origin.h - where a value comes from: what the languages share (time.h, ses_origin).
 *
 * The language finds out what the expression names, and follows the value back from one moment to the next: it moves the debuggee as it
 * needs to, and adds a link wherever the value was passed on.
 * The whole is a visit (visit.h): the debuggee stands where it stood when all is told. */
#ifndef EBB_SESSION_ORIGIN_H
#define EBB_SESSION_ORIGIN_H

#include "session/state.h"
#include "session/time.h"

/* The debuggee stands at the link: adds it with its position, function and line.  Its other texts are the arena's. */
void ses_origin_add(session *s, ebb_arena *arena, const ses_origin_link *link, ses_origin_links *out);

/* Puts that moment into a link. */
void ses_origin_position(session *s, ebb_arena *arena, ebb_position at, ses_origin_link *link);

/* The languages' own halves (ses_language.origin_follow). */
ebb_status ses_c_origin_follow(session *s, ebb_arena *arena, const char *expression, ses_origin_links *out, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_java_origin_follow(session *s, ebb_arena *arena, const char *expression, ses_origin_links *out, ebb_error *err) EBB_MUST_CHECK;
/* And ses_language.origin_remembered, values_remembered, aliases_info. */
ebb_status ses_c_origin_remembered(session *s, ebb_arena *arena, const char *expression, ses_origin_links *out, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_c_values_remembered(session *s, ebb_arena *arena, const char *expression, ses_remembered_values *out, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_c_aliases_info(session *s, ses_aliases_info *out, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_java_values_remembered(session *s, ebb_arena *arena, const char *expression, ses_remembered_values *out, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_java_origin_remembered(session *s, ebb_arena *arena, const char *expression, ses_origin_links *out, ebb_error *err) EBB_MUST_CHECK;
/* And ses_language.flow_follow, flow_remembered, why_follow. */
ebb_status ses_java_flow_remembered(session *s, ebb_arena *arena, const char *expression, ses_origin_links *out, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_c_flow_follow(session *s, ebb_arena *arena, const char *expression, ses_origin_links *out, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_java_flow_follow(session *s, ebb_arena *arena, const char *expression, ses_origin_links *out, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_c_why_follow(session *s, ebb_arena *arena, const ses_question *question, ses_origin_links *out, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_java_why_follow(session *s, ebb_arena *arena, const ses_question *question, ses_origin_links *out, ebb_error *err) EBB_MUST_CHECK;

#endif
