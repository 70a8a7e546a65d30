/* place.c - values in registers, or in pieces: parts in registers, parts in memory, parts nowhere.
 */
#include "session/c/world.h"
#include "session/c/image.h"
#include "session/stack.h"
#include "session/watch.h"

#include <string.h>

static void mark_missing(expr_value *value, size_t from, size_t nbytes)
{
    for (size_t i = from; i < from + nbytes && value->missing; i++)
        value->missing[i / 8] |= (uint8_t)(1 << i % 8);
}

static ebb_status read_register(session *s, expr_value *value, ebb_error *err)
{
    bool known;
    EBB_TRY(ses_register_read(s, value->place.reg, value->place.frame, value->bytes,
                              sym_type_size(value->type), &known, err));
    if (!known)
        value->is_optimized_out = true;
    return EBB_OK;
}

/* ---- pieces --------------------------------------------------------------------------------- */

typedef struct piece_bytes {
    uint8_t bytes[64];
    bool known;
} piece_bytes;

/* The bytes that hold the piece, from its first byte on. */
static ebb_status read_piece(session *s, const sym_piece *piece, unsigned level, size_t nbytes,
                             piece_bytes *out, ebb_error *err)
{
    *out = (piece_bytes){.known = true};
    switch (piece->kind) {
    case SYM_PIECE_MEMORY:
        ses_watch_note_read(s, 0, piece->addr, nbytes);
        return ses_memory_read(s, piece->addr, out->bytes, nbytes, err);
    case SYM_PIECE_REGISTER:
        return ses_register_read(s, piece->reg, level, out->bytes, nbytes, &out->known, err);
    case SYM_PIECE_VALUE:
        sym_piece_copy(piece, out->bytes, nbytes);
        return EBB_OK;
    case SYM_PIECE_OPTIMIZED_OUT:
    case SYM_PIECE_POINTER: out->known = false; return EBB_OK;
    }
    ebb_unreachable();
}

static void copy_bits(uint8_t *to, size_t to_bit, const uint8_t *from, size_t from_bit,
                      size_t nbits)
{
    for (size_t i = 0; i < nbits; i++) {
        unsigned bit = from[(from_bit + i) / 8] >> (from_bit + i) % 8 & 1;
        uint8_t mask = (uint8_t)(1 << (to_bit + i) % 8);
        to[(to_bit + i) / 8] =
            (uint8_t)(bit ? to[(to_bit + i) / 8] | mask : to[(to_bit + i) / 8] & ~mask);
    }
}

static size_t piece_nbits(const sym_piece *piece, size_t left)
{
    return piece->nbits == 0 || piece->nbits > left ? left : piece->nbits;
}

/* A piece may be bigger than the buffer (an array in memory): it is read in slices. */
static ebb_status read_one_piece(session *s, expr_value *value, const sym_piece *piece,
                                 size_t at_bit, size_t nbits, bool *any, ebb_error *err)
{
    enum { SLICE = 48 * 8 };
    for (size_t done = 0; done < nbits; done += SLICE) {
        size_t n = nbits - done < SLICE ? nbits - done : SLICE;
        sym_piece part = *piece;
        part.addr += done / 8;
        if (piece->block) {
            size_t skipped = done / 8 < piece->block_nbytes ? done / 8 : piece->block_nbytes;
            part.block += skipped;
            part.block_nbytes -= skipped;
        }
        size_t nbytes = (piece->bit_offset + n + 7) / 8;
        piece_bytes got;
        EBB_TRY(read_piece(s, &part, value->place.frame, nbytes, &got, err));
        if (!got.known)
            mark_missing(value, (at_bit + done) / 8, (n + 7) / 8);
        else {
            *any = true;
            copy_bits(value->bytes, at_bit + done, got.bytes, piece->bit_offset, n);
        }
    }
    return EBB_OK;
}

static ebb_status read_pieces(session *s, expr_value *value, ebb_error *err)
{
    size_t total = sym_type_size(value->type) * 8, at = 0;
    const sym_location *location = value->place.location;
    bool any = false;
    for (size_t i = 0; i < location->n_pieces && at < total; i++) {
        size_t nbits = piece_nbits(&location->pieces[i], total - at);
        EBB_TRY(read_one_piece(s, value, &location->pieces[i], at, nbits, &any, err));
        at += nbits;
    }
    if (at < total)
        mark_missing(value, (at + 7) / 8, (total - at) / 8);
    value->is_optimized_out = !any;
    return EBB_OK;
}

ebb_status ses_place_read(session *s, expr_value *value, ebb_error *err)
{
    if (value->place.kind == EXPR_PLACE_REGISTER)
        return read_register(s, value, err);
    ebb_check(value->place.kind == EXPR_PLACE_PIECES);
    return read_pieces(s, value, err);
}

/* ---- writing -------------------------------------------------------------------------------- */

static ebb_status write_piece(session *s, const sym_piece *piece, unsigned level,
                              const uint8_t *bytes, size_t at_bit, size_t nbits, ebb_error *err)
{
    if (at_bit % 8 || nbits % 8 || piece->bit_offset)
        return ebb_fail(err, EBB_UNSUPPORTED,
                        "This value is in parts of bytes, which can't be set.");
    switch (piece->kind) {
    case SYM_PIECE_MEMORY:
        return machine_write(s->machine, piece->addr, bytes + at_bit / 8, nbits / 8, err);
    case SYM_PIECE_REGISTER:
        return ses_register_write(s, piece->reg, level, bytes + at_bit / 8, nbits / 8, err);
    default:
        return ebb_fail(err, EBB_UNAVAILABLE,
                        "A part of this value was optimized out, so it can't be set.");
    }
}

ebb_status ses_place_write(session *s, const expr_place *place, sym_type *type, const void *bytes,
                           ebb_error *err)
{
    size_t total = sym_type_size(type) * 8, at = 0;
    if (place->kind == EXPR_PLACE_REGISTER)
        return ses_register_write(s, place->reg, place->frame, bytes, total / 8, err);
    ebb_check(place->kind == EXPR_PLACE_PIECES);
    for (size_t i = 0; i < place->location->n_pieces && at < total; i++) {
        size_t nbits = piece_nbits(&place->location->pieces[i], total - at);
        EBB_TRY(write_piece(s, &place->location->pieces[i], place->frame, bytes, at, nbits, err));
        at += nbits;
    }
    ses_stack_forget(s);
    return EBB_OK;
}
