/* fetch.c - lazy values get their bytes; parts of values; bit-fields. */
#include "base/check.h"
#include "expr/eval.h"

#include <string.h>

enum { MAX_FETCHED_NBYTES = 1 << 20, MAX_BIT_FIELD_NBITS = 64 };

/* ---- bit-fields ------------------------------------------------------------------------------ */

/* The bytes that hold the bits are 9 at most. */
static size_t covering_nbytes(unsigned bit_offset, unsigned nbits)
{
    return (bit_offset % 8 + nbits + 7) / 8;
}

uint64_t expr_bits_extract(const uint8_t *bytes, unsigned bit_offset, unsigned nbits,
                           bool is_signed)
{
    ebb_check(nbits >= 1 && nbits <= MAX_BIT_FIELD_NBITS);
    unsigned __int128 all = 0;
    memcpy(&all, bytes + bit_offset / 8, covering_nbytes(bit_offset, nbits));
    uint64_t number = (uint64_t)(all >> bit_offset % 8) << (64 - nbits);
    return is_signed ? (uint64_t)((int64_t)number >> (64 - nbits)) : number >> (64 - nbits);
}

void expr_bits_insert(uint8_t *bytes, unsigned bit_offset, unsigned nbits, uint64_t number)
{
    ebb_check(nbits >= 1 && nbits <= MAX_BIT_FIELD_NBITS);
    size_t nbytes = covering_nbytes(bit_offset, nbits);
    unsigned __int128 all = 0, mask = (((unsigned __int128)1 << nbits) - 1) << bit_offset % 8;
    memcpy(&all, bytes + bit_offset / 8, nbytes);
    all = (all & ~mask) | ((unsigned __int128)number << bit_offset % 8 & mask);
    memcpy(bytes + bit_offset / 8, &all, nbytes);
}

/* The declared type may be one that broken debug information made up. */
static bool is_sane_bit_field(sym_type *type, unsigned nbits)
{
    return nbits <= MAX_BIT_FIELD_NBITS && sym_type_is_integral(type) && sym_type_size(type) >= 1 &&
           sym_type_size(type) <= 16;
}

static uint8_t *extracted_bytes(ebb_arena *arena, sym_type *type, const uint8_t *bytes,
                                unsigned bit_offset, unsigned nbits)
{
    sym_type *stripped = sym_type_strip(type);
    bool is_signed = stripped->is_signed && stripped->kind != SYM_TYPE_BOOL;
    return expr_value_of_u64(arena, type, expr_bits_extract(bytes, bit_offset, nbits, is_signed))
        .bytes;
}

static ebb_status fetch_bit_field(ebb_arena *arena, const expr_world *world, expr_value *value,
                                  ebb_error *err)
{
    const expr_place *place = &value->place;
    uint8_t bytes[16];
    if (!is_sane_bit_field(value->type, place->nbits))
        return ebb_fail(err, EBB_UNSUPPORTED,
                        "That bit-field is described in a way that makes no sense.");
    unsigned bit_offset = place->bit_offset % 8;
    ebb_status status = world->read(world->self, place->addr + place->bit_offset / 8, bytes,
                                    covering_nbytes(bit_offset, place->nbits), err);
    if (status)
        return status;
    value->bytes = extracted_bytes(arena, value->type, bytes, bit_offset, place->nbits);
    value->is_lazy = false;
    return EBB_OK;
}

/* ---- fetching -------------------------------------------------------------------------------- */

static bool all_bits(const uint8_t *bits, size_t n, bool wanted)
{
    for (size_t i = 0; i < n; i++) {
        if ((bits[i / 8] >> i % 8 & 1) != wanted)
            return false;
    }
    return true;
}

static ebb_status fetch_place(ebb_arena *arena, const expr_world *world, expr_value *value,
                              size_t nbytes, ebb_error *err)
{
    value->bytes = ebb_arena_alloc(arena, nbytes);
    value->missing = ebb_arena_alloc(arena, nbytes / 8 + 1);
    ebb_status status = world->read_place(world->self, value, err);
    if (status) {
        value->bytes = value->missing = NULL;
        return status;
    }
    if (value->missing && nbytes > 0 && all_bits(value->missing, nbytes, true))
        value->is_optimized_out = true;
    if (value->is_optimized_out || (value->missing && all_bits(value->missing, nbytes, false)))
        value->missing = NULL;
    value->is_lazy = false;
    return EBB_OK;
}

ebb_status expr_value_fetch(ebb_arena *arena, const expr_world *world, expr_value *value,
                            ebb_error *err)
{
    if (!value->is_lazy || value->is_optimized_out)
        return EBB_OK;
    if (value->place.nbits > 0 && value->place.kind == EXPR_PLACE_MEMORY)
        return fetch_bit_field(arena, world, value, err);
    uint64_t nbytes = sym_type_size(value->type);
    if (nbytes > MAX_FETCHED_NBYTES)
        return EBB_OK;
    if (value->place.kind != EXPR_PLACE_MEMORY)
        return fetch_place(arena, world, value, (size_t)nbytes, err);
    uint8_t *bytes = ebb_arena_alloc(arena, (size_t)nbytes);
    ebb_status status =
        nbytes > 0 ? world->read(world->self, value->place.addr, bytes, (size_t)nbytes, err)
                   : EBB_OK;
    if (status)
        return status;
    value->bytes = bytes;
    value->is_lazy = false;
    return EBB_OK;
}

/* EV1: zeros for whatever isn't known; a large value is never looked into. */
static void assume_zeros(expr_ev *ev, expr_value *value)
{
    uint64_t nbytes = sym_type_size(value->type);
    if (!value->bytes && nbytes <= MAX_FETCHED_NBYTES)
        value->bytes = ebb_arena_alloc(ev->arena, (size_t)nbytes);
    value->is_lazy = !value->bytes;
    value->is_optimized_out = value->is_synthetic_pointer = false;
    value->missing = NULL;
}

ebb_status expr_ev_fetch(expr_ev *ev, expr_value *value)
{
    if (ev->types_only) {
        assume_zeros(ev, value);
        return EBB_OK;
    }
    ebb_status status = expr_value_fetch(ev->arena, ev->world, value, ev->err);
    if (status)
        return status;
    if (value->is_synthetic_pointer)
        return ebb_fail(ev->err, EBB_UNAVAILABLE,
                        "The pointer has no value: what it points to was optimized out of memory");
    if (value->is_optimized_out || value->missing)
        return ebb_fail(ev->err, EBB_UNAVAILABLE, "value has been optimized out");
    if (value->is_lazy)
        return ebb_fail(ev->err, EBB_UNSUPPORTED,
                        "value requires %llu bytes, which is more than ebb moves at once (%d)",
                        (unsigned long long)sym_type_size(value->type), MAX_FETCHED_NBYTES);
    return EBB_OK;
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* The missing bits of the bytes from `offset` on, moved down; NULL if none of them is missing. */
static uint8_t *missing_part(ebb_arena *arena, const expr_value *whole, uint64_t offset,
                             size_t nbytes, bool *all_missing)
{
    *all_missing = false;
    if (!whole->missing)
        return NULL;
    uint8_t *missing = ebb_arena_alloc(arena, nbytes / 8 + 1);
    for (size_t i = 0; i < nbytes; i++) {
        size_t from = (size_t)offset + i;
        if (whole->missing[from / 8] >> from % 8 & 1)
            missing[i / 8] |= (uint8_t)(1 << i % 8);
    }
    *all_missing = nbytes > 0 && all_bits(missing, nbytes, true);
    return all_bits(missing, nbytes, false) ? NULL : missing;
}

static expr_place part_place(ebb_arena *arena, const expr_value *whole, uint64_t offset,
                             unsigned bit_offset, unsigned nbits)
{
    expr_place place = whole->place;
    place.bit_offset = bit_offset;
    place.nbits = nbits;
    if (place.kind == EXPR_PLACE_MEMORY) {
        place.addr += offset;
    } else if (place.kind != EXPR_PLACE_NONE && !place.whole) {
        expr_value *copy = EBB_ARENA_NEW(arena, expr_value);
        *copy = *whole;
        place.whole = copy;
    }
    if (place.whole)
        place.whole_offset += offset;
    return place;
}

expr_value expr_value_part(ebb_arena *arena, const expr_value *whole, sym_type *type,
                           uint64_t offset, unsigned bit_offset, unsigned nbits)
{
    expr_value part = {.type = type, .place = part_place(arena, whole, offset, bit_offset, nbits)};
    uint64_t whole_nbytes = whole->bytes ? sym_type_size(whole->type) : 0;
    uint64_t first = nbits ? offset + bit_offset / 8 : offset;
    uint64_t nbytes = nbits ? covering_nbytes(bit_offset, nbits) : sym_type_size(type);
    if (whole->is_optimized_out) {
        part.is_optimized_out = true;
    } else if (!whole->bytes || first > whole_nbytes || nbytes > whole_nbytes - first) {
        /* Not here: in memory it can still be read; elsewhere there is nothing to read. */
        part.is_lazy = whole->place.kind == EXPR_PLACE_MEMORY;
        part.is_optimized_out = !part.is_lazy;
    } else if (nbits && !is_sane_bit_field(type, nbits)) {
        part.is_optimized_out = true;
    } else {
        bool all_missing;
        uint8_t *missing = missing_part(arena, whole, first, (size_t)nbytes, &all_missing);
        if (nbits) {
            part.is_optimized_out = missing != NULL;
            part.bytes = extracted_bytes(arena, type, whole->bytes + offset, bit_offset, nbits);
        } else {
            part.missing = missing;
            part.is_optimized_out = all_missing;
            part.bytes = whole->bytes + offset;
        }
    }
    return part;
}
