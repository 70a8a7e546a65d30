/* register_types.h - the types that registers are seen with, named as gdb names them. */
#ifndef EBB_SESSION_C_REGISTER_TYPES_H
#define EBB_SESSION_C_REGISTER_TYPES_H

#include "session/state.h"

/* The machine's registers; before there is a machine, those that one will have. */
const machine_reg *ses_all_registers(session *s, size_t *n);
/* By index in the machine's table.  Made once, in the pool of the symbol table. */
sym_type *ses_register_type(session *s, unsigned reg);
/* "int32_t" and its like: an integer that is never shown as a character. */
sym_type *ses_plain_int(session *s, const char *name, unsigned nbytes, bool is_signed);
/* Flags such as "[ ZF PF ]"; false if the type isn't one of flags. */
bool ses_print_flags(const sym_type *type, uint64_t value, ebb_buf *out);

#endif
