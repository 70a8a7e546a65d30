/* eval.h - what the parts of the evaluator share.
 *
 * EV1  with `types_only` nothing is read from or written to the debuggee: bytes that aren't known
 * are zero, errors that depend on them (division by zero, a null pointer) don't happen, and types
 *      come out as they would in a real evaluation;
 * EV2  an operand's value may be changed in place (fetched, decayed) by whoever takes it by
 * pointer. */
#ifndef EBB_EXPR_EVAL_H
#define EBB_EXPR_EVAL_H

#include "expr/expr.h"
#include "expr/tree.h"

typedef struct expr_ev {
    ebb_arena *arena;
    const expr_world *world;
    ebb_error *err;
    bool types_only;
} expr_ev;

/* eval.c */
ebb_status expr_ev_node(expr_ev *ev, const expr_node *node, expr_value *out) EBB_MUST_CHECK;
sym_type *expr_ev_basic(expr_ev *ev, const char *name);
/* What a comparison gives: C's int, C++'s bool. */
expr_value expr_ev_truth(expr_ev *ev, bool is_true);

/* fetch.c: makes the bytes be there; fails with EBB_UNAVAILABLE if some of them are optimised out. */
ebb_status expr_ev_fetch(expr_ev *ev, expr_value *value) EBB_MUST_CHECK;
/* A part of a value: a member, a base or an element. */
expr_value expr_value_part(ebb_arena *arena, const expr_value *whole, sym_type *type,
                           uint64_t offset, unsigned bit_offset, unsigned nbits);
void expr_bits_insert(uint8_t *bytes, unsigned bit_offset, unsigned nbits, uint64_t number);
uint64_t expr_bits_extract(const uint8_t *bytes, unsigned bit_offset, unsigned nbits,
                           bool is_signed);

/* convert.c */
ebb_status expr_ev_cast(expr_ev *ev, sym_type *to, expr_value *value,
                        expr_value *out) EBB_MUST_CHECK;
/* As assignment converts: what a cast may do to structs, an assignment may not. */
ebb_status expr_ev_convert_for_assignment(expr_ev *ev, sym_type *to, expr_value *value,
                                          expr_value *out) EBB_MUST_CHECK;
/* Arrays become pointers to their first element, functions pointers to themselves.  An array that
 * is nowhere in memory is put there. */
ebb_status expr_ev_decay(expr_ev *ev, expr_value *value) EBB_MUST_CHECK;
ebb_status expr_ev_to_bool(expr_ev *ev, expr_value *value, bool *out) EBB_MUST_CHECK;
ebb_status expr_ev_to_u64(expr_ev *ev, expr_value *value, uint64_t *out) EBB_MUST_CHECK;

/* operate.c */
ebb_status expr_ev_infix(expr_ev *ev, expr_op op, expr_value *left, expr_value *right,
                         expr_value *out) EBB_MUST_CHECK;
ebb_status expr_ev_prefix(expr_ev *ev, expr_op op, expr_value *operand,
                          expr_value *out) EBB_MUST_CHECK;

/* complex.c: bytes are there.  One operand at least is complex, the other a number; + - * / == != only. */
bool expr_type_is_complex(sym_type *type); /* one that can be computed with */
/* expr_common_type, of complex numbers too. */
sym_type *expr_ev_common_type(expr_ev *ev, sym_type *left, sym_type *right);
ebb_status expr_ev_complex_infix(expr_ev *ev, expr_op op, const expr_value *left, const expr_value *right,
                                 expr_value *out) EBB_MUST_CHECK;
expr_value expr_ev_complex_prefix(expr_ev *ev, expr_op op, const expr_value *value); /* + - ~ */
bool expr_complex_is_zero(const expr_value *value);
expr_value expr_ev_to_complex(expr_ev *ev, const expr_value *value, sym_type *type); /* from a number of any kind */
expr_value expr_complex_part(expr_ev *ev, const expr_value *value, bool imaginary);  /* with its place */

/* pointer.c */
ebb_status expr_ev_deref(expr_ev *ev, expr_value *pointer, expr_value *out) EBB_MUST_CHECK;
ebb_status expr_ev_address_of(expr_ev *ev, const expr_value *value, expr_value *out) EBB_MUST_CHECK;
ebb_status expr_ev_index(expr_ev *ev, expr_value *array, expr_value *index,
                         expr_value *out) EBB_MUST_CHECK;
ebb_status expr_ev_member(expr_ev *ev, expr_value *aggregate, const char *name, bool is_arrow,
                          expr_value *out) EBB_MUST_CHECK;
/* What `.` or `->` is applied to becomes the struct or union itself. */
ebb_status expr_ev_object(expr_ev *ev, expr_value *aggregate, bool is_arrow) EBB_MUST_CHECK;
ebb_status expr_ev_static_member(expr_ev *ev, sym_type *type, const char *name, expr_value *out) EBB_MUST_CHECK;
ebb_status expr_ev_repeat(expr_ev *ev, const expr_value *first, expr_value *count,
                          expr_value *out) EBB_MUST_CHECK;
/* pointer + n, with n counted in elements. */
ebb_status expr_ev_pointer_add(expr_ev *ev, expr_value *pointer, int64_t n,
                               expr_value *out) EBB_MUST_CHECK;
ebb_status expr_ev_pointer_difference(expr_ev *ev, expr_value *left, expr_value *right,
                                      expr_value *out) EBB_MUST_CHECK;
/* A value that lives at `addr`, not read yet. */
expr_value expr_value_at(sym_type *type, uint64_t addr);
/* A virtual base of an object in memory (sym_member.is_virtual); false if it can't be found. */
bool expr_virtual_base(const expr_world *world, const expr_value *object, const sym_member *base, expr_value *out);

/* assign.c */
ebb_status expr_ev_assign(expr_ev *ev, expr_value *to, expr_value *from,
                          expr_value *out) EBB_MUST_CHECK;

/* function.c: calls of functions.def. */
bool expr_is_function(const expr_node *callee);
ebb_status expr_ev_function(expr_ev *ev, const expr_node *call, expr_value *out) EBB_MUST_CHECK;

/* call.c */
ebb_status expr_ev_call(expr_ev *ev, const expr_node *node, sym_type *result_if_unknown,
                        expr_value *out) EBB_MUST_CHECK;

/* "Structure has no component named operator+." if one of the operands is a struct or union. */
ebb_status expr_refuse_struct(expr_ev *ev, const char *token, const expr_value *left,
                              const expr_value *right) EBB_MUST_CHECK;

#endif
