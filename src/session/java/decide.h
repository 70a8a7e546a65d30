/* decide.h - which branch let an instruction of a Java program be executed, and what it asked about (engine/control.h).
 *
 * What is found is told as links of `why` (time.h): the branch, and one deeper, for each value that it asked about, the nearest link of that
 * value's origin. */
#ifndef EBB_SESSION_JAVA_DECIDE_H
#define EBB_SESSION_JAVA_DECIDE_H

#include "session/java/origin.h"

typedef struct ses_java_why {
    session *s;
    ebb_arena *arena;
    ses_origin_links *out;
    EBB_VEC(ebb_position) branches; /* that were told: none is told twice */
} ses_java_why;

/* The last decider that was executed: the debuggee stands there. */
typedef struct ses_java_decider {
    bool found;
    bool is_handler;  /* not a branch, but the beginning of a handler */
    ses_java_spot at;
} ses_java_decider;

/* Goes to what decided that the frame executed the instruction at which it stands, `of->place`; where nothing in the frame did, that it was called, and so
 * on outward.  Not found: nothing did, the program was to come there from its beginning. */
ebb_status ses_java_decide(ses_java_why *w, ses_java_spot of, ses_java_decider *out, ebb_error *err) EBB_MUST_CHECK;

/* Goes to what decided, in the frame itself, that of several instructions that could have put a value into a slot this one did.  Not found: what decides about that one decides
 * in the same way about the use of the value. */
ebb_status ses_java_decide_between(ses_java_why *w, const ses_java_choice *choice, ses_java_decider *out, ebb_error *err) EBB_MUST_CHECK;

/* The debuggee stands at a branch or handler: adds its link, and those of what it asked about, unless it was told before.  *went is the place it went on at, 0 if that isn't
 * known. */
ebb_status ses_java_tell_decider(ses_java_why *w, const ses_java_decider *decider, unsigned depth, machine_place *went, ebb_error *err) EBB_MUST_CHECK;

/* The debuggee stands before an instruction that computes or asks about something: adds the nearest link of each value that it takes, of which the
 * types are told by letters. */
ebb_status ses_java_tell_inputs(ses_java_why *w, ses_java_spot at, unsigned depth, ebb_error *err) EBB_MUST_CHECK;

#endif
