/* assign.c - storing a value where another came from. */
#include "expr/eval.h"

#include <string.h>

static ebb_status write_bit_field(expr_ev *ev, const expr_place *place, const uint8_t *bytes,
                                  size_t type_nbytes)
{
    uint8_t unit[16] = {0};
    uint64_t number = 0;
    unsigned bit_offset = place->bit_offset % 8;
    uint64_t addr = place->addr + place->bit_offset / 8;
    size_t nbytes = (bit_offset + place->nbits + 7) / 8;
    memcpy(&number, bytes, type_nbytes < sizeof number ? type_nbytes : sizeof number);
    ebb_status status = ev->world->read(ev->world->self, addr, unit, nbytes, ev->err);
    if (status)
        return status;
    expr_bits_insert(unit, bit_offset, place->nbits, number);
    return ev->world->write(ev->world->self, addr, unit, nbytes, ev->err);
}

static ebb_status set_convenience(expr_ev *ev, const char *name, const expr_value *value)
{
    return ev->world->set_convenience(ev->world->self, name, value, ev->err);
}

/* A part of a register, of pieces or of $variable: the whole is changed and written back. */
static ebb_status write_part(expr_ev *ev, const expr_value *part, const uint8_t *bytes)
{
    const expr_place *place = &part->place;
    const expr_value *whole = place->whole;
    expr_value changed = expr_value_of_bytes(ev->arena, whole->type, whole->bytes);
    size_t nbytes = (size_t)sym_type_size(part->type);
    uint8_t *at = changed.bytes + place->whole_offset;
    if (place->nbits) {
        uint64_t number = 0;
        memcpy(&number, bytes, nbytes < sizeof number ? nbytes : sizeof number);
        expr_bits_insert(at, place->bit_offset, place->nbits, number);
    } else {
        memcpy(at, bytes, nbytes);
    }
    if (place->kind == EXPR_PLACE_CONVENIENCE)
        return set_convenience(ev, whole->place.name, &changed);
    return ev->world->write_place(ev->world->self, &whole->place, whole->type, changed.bytes,
                                  ev->err);
}

static ebb_status write_value(expr_ev *ev, const expr_value *to, const uint8_t *bytes)
{
    const expr_place *place = &to->place;
    size_t nbytes = (size_t)sym_type_size(to->type);
    if (ev->types_only || nbytes == 0)
        return EBB_OK;
    if (place->whole)
        return write_part(ev, to, bytes);
    if (place->kind != EXPR_PLACE_MEMORY)
        return ev->world->write_place(ev->world->self, place, to->type, bytes, ev->err);
    if (place->nbits)
        return write_bit_field(ev, place, bytes, nbytes);
    return ev->world->write(ev->world->self, place->addr, bytes, nbytes, ev->err);
}

/* $name takes the type of what is assigned to it. */
static ebb_status assign_convenience(expr_ev *ev, const expr_value *to, expr_value *from,
                                     expr_value *out)
{
    ebb_status status = expr_ev_decay(ev, from);
    if (!status)
        status = expr_ev_fetch(ev, from);
    if (status)
        return status;
    *out = *from;
    out->place = to->place;
    return ev->types_only ? EBB_OK : set_convenience(ev, to->place.name, from);
}

/* What a bit-field holds after the assignment: not more than its bits. */
static void cut_to_bit_field(expr_ev *ev, const expr_value *to, expr_value *value)
{
    unsigned nbits = to->place.nbits;
    uint8_t bytes[16] = {0};
    sym_type *type = sym_type_strip(to->type);
    memcpy(bytes, value->bytes, (size_t)sym_type_size(type));
    bool is_signed = type->is_signed && type->kind != SYM_TYPE_BOOL;
    *value = expr_value_of_u64(ev->arena, to->type, expr_bits_extract(bytes, 0, nbits, is_signed));
}

ebb_status expr_ev_assign(expr_ev *ev, expr_value *to, expr_value *from, expr_value *out)
{
    if (to->place.kind == EXPR_PLACE_NONE)
        return ebb_fail(ev->err, EBB_BAD_INPUT, "Left operand of assignment is not an lvalue.");
    if (to->place.kind == EXPR_PLACE_CONVENIENCE && !to->place.whole)
        return assign_convenience(ev, to, from, out);
    if (to->is_optimized_out && !ev->types_only)
        return ebb_fail(ev->err, EBB_UNAVAILABLE, "value has been optimized out");
    expr_value converted;
    ebb_status status = expr_ev_convert_for_assignment(ev, to->type, from, &converted);
    if (!status)
        status = expr_ev_fetch(ev, &converted);
    if (status)
        return status;
    if (to->place.nbits && sym_type_size(to->type) <= 16)
        cut_to_bit_field(ev, to, &converted);
    status = write_value(ev, to, converted.bytes);
    *out = converted;
    out->place = to->place;
    return status;
}
