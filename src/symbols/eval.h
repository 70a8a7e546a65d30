/* eval.h - DWARF expressions, for variables and for unwinding.
 *
 * DE1  an expression runs against one frame: registers are those of the frame, addresses in it are
 *      relocated by the module;
 * DE2  what can't be known (a register that a callee overwrote, no frame) is EBB_UNAVAILABLE;
 * DE3  the number of steps, the stack and nested expressions are bounded. */
#ifndef EBB_SYMBOLS_EVAL_H
#define EBB_SYMBOLS_EVAL_H

#include "symbols/ops.h"

typedef struct sym_eval {
    sym_module *module;
    const sym_target *target;
    sym_frame *frame;      /* NULL: only what needs no frame can be known */
    sym_unit *unit;        /* that the expression came from; NULL for call frame information */
    bool has_cfa;          /* call frame information: the CFA is known already */
    uint64_t cfa;
    int depth;
} sym_eval;

/* Runs a location description. */
ebb_status sym_eval_location(sym_eval *eval, const sym_ops *ops, sym_location *location, ebb_error *err) EBB_MUST_CHECK;
/* Runs an expression whose result is a number (a CFA, the bound of an array). */
ebb_status sym_eval_number(sym_eval *eval, const sym_ops *ops, uint64_t *value, ebb_error *err) EBB_MUST_CHECK;

/* The same for an attribute: its expression, or that which its location list has at the frame's pc.
 * One without an expression there is optimised out, or EBB_UNAVAILABLE as a number. */
ebb_status sym_eval_attr(sym_eval *eval, Dwarf_Attribute *attr, sym_location *location, ebb_error *err) EBB_MUST_CHECK;
ebb_status sym_eval_attr_number(sym_eval *eval, Dwarf_Attribute *attr, uint64_t *value, ebb_error *err) EBB_MUST_CHECK;

/* Reads a general register of the frame. */
ebb_status sym_frame_reg(const sym_frame *frame, uint64_t reg, uint64_t *value, ebb_error *err) EBB_MUST_CHECK;
/* The address inside the instruction that the frame is in: one less for a return address. */
uint64_t sym_frame_lookup_pc(const sym_frame *frame);

/* unwind.c: the canonical frame address, computed if it isn't yet. */
ebb_status sym_frame_cfa(sym_table *table, const sym_target *target, sym_frame *frame, uint64_t *cfa, ebb_error *err) EBB_MUST_CHECK;

/* tail_calls.c: as sym_unwind, but functions that left by a tail call are frames, too. */
ebb_status sym_caller(sym_table *table, const sym_target *target, sym_frame *frame, sym_frame *caller, ebb_error *err) EBB_MUST_CHECK;

/* entry_values.c: the value that `reg` had when the frame's function was entered, from what its
 * caller knows about the call. */
ebb_status sym_entry_value(sym_eval *eval, uint64_t reg, uint64_t *value, ebb_error *err) EBB_MUST_CHECK;
/* The same for a parameter that the compiler removed, by its place in the unit that caller and callee share. */
ebb_status sym_entry_parameter(sym_eval *eval, uint64_t unit_offset, uint64_t *value, ebb_error *err) EBB_MUST_CHECK;

#endif
