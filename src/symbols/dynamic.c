/* Variable-length arrays: the type that one has in a frame. */
#include "symbols/eval.h"
#include "symbols/types_dwarf.h"

#include <string.h>

enum { MAX_DIMENSIONS = 32 };

/* A bound that refers to a variable (often one of the compiler's own). */
static bool bound_of_variable(sym_eval *eval, Dwarf_Die *die, uint64_t *value)
{
    Dwarf_Attribute attr;
    sym_location location;
    uint64_t nbytes = sym_type_size(sym_type_of_attr(eval->module, die));
    *value = 0;
    if (nbytes == 0 || nbytes > 8 || !dwarf_attr(die, DW_AT_location, &attr) ||
        sym_eval_attr(eval, &attr, &location, NULL) != EBB_OK || location.n_pieces != 1)
        return false;
    const sym_piece *piece = &location.pieces[0];
    switch (piece->kind) {
    case SYM_PIECE_MEMORY:
        return eval->target &&
               eval->target->read(eval->target->self, piece->addr, value, nbytes, NULL) == EBB_OK;
    case SYM_PIECE_REGISTER:
        return sym_frame_reg(eval->frame, (uint64_t)piece->reg, value, NULL) == EBB_OK;
    case SYM_PIECE_VALUE: memcpy(value, piece->bytes, nbytes); return !piece->block;
    default: return false;
    }
}

static bool bound(sym_eval *eval, Dwarf_Attribute *attr, uint64_t *value)
{
    Dwarf_Die die;
    if (dwarf_formref_die(attr, &die))
        return bound_of_variable(eval, &die, value);
    return sym_eval_attr_number(eval, attr, value, NULL) == EBB_OK;
}

static bool count_of_dimension(sym_type *array, const sym_target *target, sym_frame *frame,
                               uint64_t *count)
{
    sym_dwarf_type *d = array->reader;
    Dwarf_Attribute attr;
    if (!array->is_dynamic) {
        *count = array->count;
        return array->count_known;
    }
    if (!d || !frame)
        return false;
    sym_eval eval = {.module = d->module, .target = target, .frame = frame};
    if (dwarf_attr(&d->die, DW_AT_count, &attr))
        return bound(&eval, &attr, count);
    if (!dwarf_attr(&d->die, DW_AT_upper_bound, &attr) || !bound(&eval, &attr, count))
        return false;
    ++*count;
    return true;
}

static bool is_dynamic(sym_type *type)
{
    for (int i = 0; i < MAX_DIMENSIONS && type && type->kind == SYM_TYPE_ARRAY; i++) {
        if (type->is_dynamic)
            return true;
        type = type->target;
    }
    return false;
}

/* From the innermost dimension outwards, so that each knows the size of its elements. */
static sym_type *resolve(sym_type *type, const sym_target *target, sym_frame *frame, int depth)
{
    uint64_t count;
    if (depth > MAX_DIMENSIONS || type->kind != SYM_TYPE_ARRAY || !type->reader)
        return type;
    sym_type *element = resolve(type->target, target, frame, depth + 1);
    if (!element || !count_of_dimension(type, target, frame, &count))
        return NULL;
    sym_dwarf_type *d = type->reader;
    return sym_type_array_of(sym_table_types(d->module->table), element, count);
}

static sym_type *unnamed(sym_type *type)
{
    while (type && (type->kind == SYM_TYPE_TYPEDEF || sym_type_kind_is_qualifier(type->kind)))
        type = type->target;
    return type;
}

sym_type *sym_type_resolve_dynamic(sym_type *type, const sym_target *target, sym_frame *frame)
{
    sym_type *variable = unnamed(type);
    bool is_pointer = variable && variable->kind == SYM_TYPE_POINTER;
    sym_type *array = is_pointer ? unnamed(variable->target) : variable;
    if (!array || !is_dynamic(array))
        return type;
    sym_type *resolved = resolve(array, target, frame, 0);
    if (!resolved || !is_pointer)
        return resolved ? resolved : type;
    const sym_dwarf_type *d = array->reader;
    return sym_type_pointer_to(sym_table_types(d->module->table), resolved);
}
