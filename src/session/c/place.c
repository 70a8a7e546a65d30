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
    ses_frame_register where = {.reg = value->place.reg, .level = value->place.frame};
    EBB_TRY(ses_register_read(s, where, value->bytes, sym_type_size(value->type), &known, err));
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
        return ses_register_read(s, (ses_frame_register){piece->reg, level}, out->bytes, nbytes, &out->known, err);
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

/* Bits of a value, from its lowest on. */
typedef struct bit_range {
    size_t at, n;
} bit_range;

/* Those that the piece holds, if it begins at `at`. */
static bit_range piece_bits(const sym_piece *piece, size_t at, size_t total)
{
    size_t left = total - at;
    return (bit_range){.at = at, .n = piece->nbits == 0 || piece->nbits > left ? left : piece->nbits};
}

/* A piece may be bigger than the buffer (an array in memory): it is read in slices. */
static ebb_status read_one_piece(session *s, expr_value *value, const sym_piece *piece,
                                 bit_range bits, bool *any, ebb_error *err)
{
    enum { SLICE = 48 * 8 };
    for (size_t done = 0; done < bits.n; done += SLICE) {
        size_t n = bits.n - done < SLICE ? bits.n - done : SLICE;
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
            mark_missing(value, (bits.at + done) / 8, (n + 7) / 8);
        else {
            *any = true;
            copy_bits(value->bytes, bits.at + done, got.bytes, piece->bit_offset, n);
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
        bit_range bits = piece_bits(&location->pieces[i], at, total);
        EBB_TRY(read_one_piece(s, value, &location->pieces[i], bits, &any, err));
        at += bits.n;
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
                              const uint8_t *bytes, bit_range bits, ebb_error *err)
{
    if (bits.at % 8 || bits.n % 8 || piece->bit_offset)
        return ebb_fail(err, EBB_UNSUPPORTED,
                        "This value is in parts of bytes, which can't be set.");
    switch (piece->kind) {
    case SYM_PIECE_MEMORY:
        return machine_write(s->machine, piece->addr, bytes + bits.at / 8, bits.n / 8, err);
    case SYM_PIECE_REGISTER:
        return ses_register_write(s, (ses_frame_register){piece->reg, level}, bytes + bits.at / 8, bits.n / 8, err);
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
        return ses_register_write(s, (ses_frame_register){place->reg, place->frame}, bytes, total / 8, err);
    ebb_check(place->kind == EXPR_PLACE_PIECES);
    for (size_t i = 0; i < place->location->n_pieces && at < total; i++) {
        bit_range bits = piece_bits(&place->location->pieces[i], at, total);
        EBB_TRY(write_piece(s, &place->location->pieces[i], place->frame, bytes, bits, err));
        at += bits.n;
    }
    ses_stack_forget(s);
    return EBB_OK;
}
