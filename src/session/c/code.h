/* code.h - machine code, decoded, with the names of what it refers to. */
#ifndef EBB_SESSION_C_CODE_H
#define EBB_SESSION_C_CODE_H

#include "session/state.h"

/* Appends the instruction at addr as gdb writes it; *nbytes is its length. */
ebb_status ses_code_text(session *s, uint64_t addr, ebb_buf *text, unsigned *nbytes, ebb_error *err) EBB_MUST_CHECK;

#endif
