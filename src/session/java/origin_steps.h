/* origin_steps.h - the steps by which a value of a Java program is followed back, for the files that follow it; see origin.h.
 *
 * JOS1  each of the steps begins where the debuggee stands before the instruction that its comment names, in the innermost frame of the thread;
 * JOS2  afterwards either the chain has its next datum, and the debuggee stands at a moment at which the value is there, or the chain is over. */
#ifndef EBB_SESSION_JAVA_ORIGIN_STEPS_H
#define EBB_SESSION_JAVA_ORIGIN_STEPS_H

#include "session/java/origin.h"

/* ---- origin_chain.c: looking and telling ---- */

machine_tid ses_java_chain_thread(const ses_java_chain *c); /* that the debuggee stands in */
bool ses_java_chain_stack(ses_java_chain *c, machine_tid thread, unsigned level, unsigned slot, uint64_t *bits);
/* The variable that lies in that slot between two bytecode indices, as the class file names it; NULL: it doesn't. */
const char *ses_java_chain_variable(ses_java_chain *c, machine_place place, unsigned slot, unsigned from, unsigned to);
/* What a slot holds; the letter is a descriptor's first. */
bool ses_java_slot_value(session *s, char letter, uint64_t bits, java_value *value);
void ses_java_chain_put(ses_java_chain *c, const char *descriptor, uint64_t bits, ebb_buf *words); /* that, printed briefly */

/* ---- origin_cells.c: fields, statics and elements ---- */

/* The cell of a field, of that object or static; the chain's value has the field's type from here on. */
bool ses_java_chain_field(ses_java_chain *c, java_field_id id, java_ref object, ses_java_datum *out);
ebb_status ses_java_follow_cell(ses_java_chain *c, ebb_error *err) EBB_MUST_CHECK; /* from any moment, to what wrote it last */
/* Reads of a field or static, and of an element. */
ebb_status ses_java_follow_field(ses_java_chain *c, machine_tid thread, const java_frame *frame, java_effect *e, ebb_error *err) EBB_MUST_CHECK;
void ses_java_follow_element(ses_java_chain *c, machine_tid thread, const java_effect *e);

/* ---- origin_boxes.c: JO4.  False: there is no box in it, and nothing has changed ---- */

/* The value was read from the field of that object, which the stack slot holds. */
bool ses_java_follow_into_box(ses_java_chain *c, uint64_t object, ses_java_datum slot);
/* The return of a method that makes boxes, */
bool ses_java_follow_out_of_box(ses_java_chain *c, machine_tid thread, const java_frame *frame);
/* or of a number that reflection puts into one. */
bool ses_java_follow_reflected(ses_java_chain *c, machine_tid thread, const java_frame *callee, const java_effect *e);

/* ---- origin_calls.c ---- */

/* The call that returned the value; */
ebb_status ses_java_follow_return(ses_java_chain *c, machine_tid thread, const java_frame *frame, const java_effect *e, ebb_error *err) EBB_MUST_CHECK;
/* the last instruction of the method that was called from there; */
ebb_status ses_java_follow_return_of(ses_java_chain *c, machine_tid thread, const java_frame *callee, const java_frame *from, ebb_error *err) EBB_MUST_CHECK;
/* the call that made the frame `of`, whose parameter the value is. */
ebb_status ses_java_follow_parameter(ses_java_chain *c, const ses_java_frames_of *of, ebb_error *err) EBB_MUST_CHECK;

/* ---- origin_throws.c ---- */

/* The first instruction of a handler. */
ebb_status ses_java_follow_caught(ses_java_chain *c, machine_tid thread, ebb_error *err) EBB_MUST_CHECK;
void ses_java_tell_allocation(ses_java_chain *c, const java_effect *e);

#endif
