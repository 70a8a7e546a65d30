/* world.h - the debuggee as expressions see it: names, memory, registers, calls.
 *
 * Names are looked up from the selected frame, or, between enter and leave, from a place in the code
 * without a frame: enough to parse a condition there and to know its types. */
#ifndef EBB_SESSION_C_WORLD_H
#define EBB_SESSION_C_WORLD_H

#include "session/state.h"

void ses_world_init(session *s);
void ses_world_enter(session *s, uint64_t pc); /* 0: no code at all, only globals */
void ses_world_leave(session *s);
uint64_t ses_scope_pc(session *s); /* where names are looked up; 0 if nowhere */

/* The value of a variable as seen from the frame at `level`; lazy where it is in memory. */
ebb_status ses_variable_value(session *s, ebb_arena *arena, const sym_variable *variable, unsigned level, expr_value *value, ebb_error *err) EBB_MUST_CHECK;

/* place.c: bytes of values that aren't in memory. */
ebb_status ses_place_read(session *s, expr_value *value, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_place_write(session *s, const expr_place *place, sym_type *type, const void *bytes, ebb_error *err) EBB_MUST_CHECK;
/* registers.c: $name. */
ebb_status ses_register_value(session *s, ebb_arena *arena, const char *name, expr_value *value, ebb_error *err) EBB_MUST_CHECK;
const char *ses_register_name(session *s, int dwarf); /* "rax"; NULL if there is none */
typedef struct ses_frame_register { /* a register as a frame had it */
    int reg; /* its number in places: DWARF's, or -1 - the machine's index */
    unsigned level; /* the frame's */
} ses_frame_register;
/* Its bytes; *known is false where a callee overwrote it. */
ebb_status ses_register_read(session *s, ses_frame_register where, void *bytes, size_t nbytes, bool *known, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_register_write(session *s, ses_frame_register where, const void *bytes, size_t nbytes, ebb_error *err) EBB_MUST_CHECK;

/* world.c: whether the selected frame's function is of C++. */
bool ses_speaks_cplus(session *s);

/* call.c */
ebb_status ses_call(session *s, ebb_arena *arena, const expr_call *call, expr_value *result, ebb_error *err) EBB_MUST_CHECK;
/* Where a name stands for one of several functions: asks its chooser which.  Others stay as they are. */
ebb_status ses_choose_function(session *s, uint64_t *addr, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_place_bytes(session *s, const void *bytes, size_t nbytes, uint64_t *addr, ebb_error *err) EBB_MUST_CHECK;

/* symbolise.c: "<main+4>" with the linker's names, or, within values, with the source's. */
bool ses_symbolise(session *s, uint64_t addr, bool data_too, ebb_buf *out);
bool ses_symbolise_value(session *s, uint64_t addr, bool data_too, ebb_buf *out);

/* macros.c */
ebb_status ses_macros_expand(void *self, ebb_arena *arena, const char *text, const char **expanded, ebb_error *err) EBB_MUST_CHECK;
void ses_macros_fini(session *s);

#endif
