/* unwind.h - what only native frames have: inlined calls that are about to be entered, and registers. */
#ifndef EBB_SESSION_C_UNWIND_H
#define EBB_SESSION_C_UNWIND_H

#include "session/stack.h"

/* Inlined functions that begin at the pc and were not entered: the frame shown is outside them. */
unsigned ses_skipped_inlined(session *s);
/* The innermost one that was skipped; NULL if none. */
const sym_function *ses_skipped_function(session *s);
void ses_enter_inlined(session *s); /* one of them */
bool ses_inlined_begins(session *s, uint64_t pc); /* the body of an inlined call begins there */

/* The frame's address for lookups: of the call itself, where pc is a return address. */
uint64_t ses_frame_lookup_pc(const ses_frame *frame);

/* The frame itself; for a function that left by a tail call, that of the function it jumped to in the end. */
sym_frame ses_frame_on_stack(session *s, const ses_frame *frame);

/* The physical frame that called the one around `level`, and its identity (cfa 0: it is the outermost).  False if there is none. */
bool ses_calling_frame(session *s, unsigned level, sym_frame *caller, ses_frame_id *id);

/* Registers of the frame (target->reg reads the machine's) as sym_* functions want to read them. */
sym_target ses_sym_target(session *s);

#endif
