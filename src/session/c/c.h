/* c.h - C's half of a session, as the common half sees it: the entries of its table (language.h). */
#ifndef EBB_SESSION_C_C_H
#define EBB_SESSION_C_C_H

#include "session/language.h"

/* launch.c */
ebb_status ses_c_open_program(session *s, char *const *args, char **path, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_c_open_recording(session *s, const ebb_about *about, char **path, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_c_launch(session *s, machine **m, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_c_attach(session *s, pid_t pid, machine **m, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_c_start(session *s, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;
void ses_c_apply_settings(session *s);
void ses_c_mode_changed(session *s, ses_mode before);
void ses_c_ended(session *s);
void ses_c_after_end(session *s);

/* exceptions.c: the one of C++ with which the program stands at the entry of what throws or catches it (breakpoints.h). */
bool ses_c_exception_here(session *s, char **type, char **message);
bool ses_c_exception_value(session *s, ebb_arena *arena, expr_value *value); /* $_exception */

/* unwind.c */
ebb_status ses_c_stack_begin(session *s, ebb_error *err) EBB_MUST_CHECK;
void ses_c_stack_extend(session *s);
uint64_t ses_c_frame_entry(session *s, const ses_frame *frame);
bool ses_c_caller_of(session *s, unsigned level, uint64_t *pc, ses_frame_id *caller);

/* back.c */
size_t ses_c_activations(session *s, machine_tid thread, unsigned first, ses_activation *out, size_t n);
bool ses_c_row_at(session *s, machine_place place, unsigned inlined, ses_row *row);
ebb_status ses_c_line_starts(session *s, machine_place place, ses_places *out, ebb_error *err) EBB_MUST_CHECK;
/* The code of a function that only the symbol table knows. */
bool ses_c_symbol_range(session *s, machine_place place, uint64_t *lo, uint64_t *hi);
bool ses_c_is_shown(session *s, machine_place place);
machine_place ses_c_entry_stop(session *s, machine_place place);
ebb_status ses_c_own_entries(session *s, ses_places *out, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_c_no_call(session *s, const ses_frame *frame, ebb_error *err);

/* where.c */
ebb_status ses_c_where_here(session *s, ebb_arena *arena, ses_where *where, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_c_where_parse(session *s, ebb_arena *arena, const char *text, ses_where *where, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_c_where_spots(session *s, const ses_where *where, sym_spots *spots, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_c_where_line(session *s, ebb_arena *arena, const ses_where *where, const char **file, unsigned *line, ebb_error *err) EBB_MUST_CHECK;
bool ses_c_main_line(session *s, const char **file, unsigned *line);
bool ses_c_is_before_main(session *s);
ebb_status ses_c_source_file(session *s, ebb_arena *arena, const char *name, const char **file, ebb_error *err) EBB_MUST_CHECK;
const char *ses_c_source_name(session *s, const char *file);

/* eval.c, arguments.c */
ebb_status ses_c_check_expression(session *s, const char *expression, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_c_check_condition(session *s, const char *condition, const sym_spots *spots, ebb_error *err) EBB_MUST_CHECK;
/* condition_code.c */
size_t ses_c_frame_code(session *s, uint64_t frame, machine_place place, machine_code code[SES_FRAME_CODE]);
ebb_status ses_c_condition_code(session *s, ebb_arena *arena, const char *condition, const sym_spot *spot, ses_code *code, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_c_parse(session *s, ebb_arena *arena, const char *text, const expr_node **tree, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_c_parse_prefix(session *s, ebb_arena *arena, const char *text, const char **rest, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_c_truth(session *s, const expr_node *tree, bool *truth, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_c_argument(session *s, ebb_arena *arena, const char *expression, ses_argument *argument, ebb_error *err) EBB_MUST_CHECK;

/* printed.c */
ebb_status ses_c_printed_by_now(session *s, ebb_buf *newest, uint64_t *total, ebb_error *err) EBB_MUST_CHECK;

/* values.c */
ebb_status ses_c_watch_aim(session *s, const char *expression, bool location, void **target, ebb_error *err) EBB_MUST_CHECK;
void ses_c_watch_drop(void *target);
bool ses_c_watch_is_told(session *s, const void *target, bool *is_reference);
ebb_status ses_c_watch_text(session *s, const void *target, const machine_listed *hit, char **text, ebb_error *err);
bool ses_c_value_is_at(const void *value, uint32_t space, uint64_t addr, size_t nbytes);
uint64_t ses_c_value_bits(const void *value, uint64_t addr, size_t nbytes);
ebb_status ses_c_watch_value(session *s, const void *target, void **kept, ebb_error *err) EBB_MUST_CHECK;
bool ses_c_value_same(const void *a, const void *b);
char *ses_c_value_text(session *s, const void *value);
void *ses_c_value_of_int(session *s, int64_t number);
void ses_c_value_drop(void *value);
int ses_c_printed_add(session *s, const expr_value *value); /* its number; the value is copied */
ebb_status ses_c_printed_get(session *s, long index, bool from_end, expr_value *value, ebb_error *err) EBB_MUST_CHECK;
/* $_, and where the next `x` without an address looks. */
void ses_c_examine_next(session *s, uint64_t addr);
void ses_c_convenience_set(session *s, const char *name, const expr_value *value);
void ses_c_convenience_get(session *s, ebb_arena *arena, const char *name, expr_value *value); /* void if never set */

extern const struct ses_counting ses_c_counting; /* counted.c */

#endif
