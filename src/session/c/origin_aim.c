/* origin_aim.c - the datum that an expression names: bytes in memory, or a register, as the selected frame has it. */
#include "session/c/origin_chain.h"
#include "session/c/scratch.h"
#include "session/c/c.h"
#include "session/c/world.h"
#include "session/stack.h"

#include <string.h>

typedef struct aiming {
    ses_chain *c;
    const char *expression;
} aiming;

static ebb_status refuse(const aiming *a, const char *why, ebb_error *err)
{
    return ebb_fail(err, EBB_UNSUPPORTED, "\"%.80s\" %s", a->expression, why);
}

/* Only what instructions copy around. */
static bool is_followed(const machine_reg *reg)
{
    bool is_vector = (reg->name[0] == 'x' || reg->name[0] == 'y') && strncmp(reg->name + 1, "mm", 2) == 0;
    return (reg->group == MACHINE_REG_GENERAL && strcmp(reg->name, "rip") != 0) || is_vector;
}

/* The register itself: of the innermost frame. */
static ebb_status aim_at_live(const aiming *a, int reg, unsigned offset, ebb_error *err)
{
    machine *m = a->c->s->machine;
    size_t n;
    int index = reg >= 0 ? machine_reg_by_dwarf(m, reg) : -1 - reg;
    const machine_reg *all = m->native->registers(m, &n);
    if (index < 0 || (size_t)index >= n)
        return refuse(a, "is in a register that this machine does not have.", err);
    if (!is_followed(&all[index]))
        return refuse(a, all[index].group == MACHINE_REG_FLOAT ? "is in the x87 unit, which is not followed: ask for what it was loaded from."
                                                              : "is in a register that is not followed: general and vector registers are.", err);
    a->c->datum.is_register = true;
    a->c->datum.reg = (unsigned)index;
    a->c->datum.offset = offset;
    return EBB_OK;
}

/* A register as the frame at that level had it: it may have been saved since. */
static ebb_status aim_at_register(const aiming *a, int reg, unsigned level, unsigned offset, ebb_error *err)
{
    const ses_frame *frame;
    EBB_TRY(ses_frame_get(a->c->s, level, &frame, err));
    const sym_reg *regs = frame->regs.regs;
    if (reg < 0 || reg >= SYM_N_REGS) {
        bool is_innermost = regs[SYM_REG_RSP].kind == SYM_REG_LIVE;
        return is_innermost ? aim_at_live(a, reg, offset, err) : refuse(a, "is in a register of a frame that has called others, which may have changed it.", err);
    }
    switch (regs[reg].kind) {
    case SYM_REG_LIVE: return aim_at_live(a, reg, offset, err);
    case SYM_REG_SAVED: a->c->datum.addr = regs[reg].addr + offset; return EBB_OK;
    case SYM_REG_VALUE: return refuse(a, "is known by its value only, not by its place.", err);
    default: return refuse(a, "is in a register that something called since has overwritten.", err);
    }
}

/* The piece that has all of the bytes from `offset` on. */
static ebb_status aim_at_piece(const aiming *a, const expr_place *place, uint64_t offset, ebb_error *err)
{
    uint64_t at = 0, nbytes = a->c->datum.nbytes;
    for (size_t i = 0; i < place->location->n_pieces; i++) {
        const sym_piece *piece = &place->location->pieces[i];
        uint64_t piece_nbytes = piece->nbits ? piece->nbits / 8 : UINT64_MAX - at;
        if (offset >= at && offset + nbytes <= at + piece_nbytes) {
            unsigned in = (unsigned)(offset - at) + piece->bit_offset / 8;
            if (piece->kind == SYM_PIECE_MEMORY)
                a->c->datum.addr = piece->addr + in;
            return piece->kind == SYM_PIECE_MEMORY     ? EBB_OK
                   : piece->kind == SYM_PIECE_REGISTER ? aim_at_register(a, piece->reg, place->frame, in, err)
                                                       : refuse(a, "was optimised away: only its value is known, not its place.", err);
        }
        at += piece_nbytes;
    }
    return refuse(a, "is in several places: ask for one of its parts.", err);
}

static ebb_status aim_at(const aiming *a, const expr_place *place, ebb_error *err)
{
    const expr_place *whole = place->whole ? &place->whole->place : place;
    switch (whole->kind) {
    case EXPR_PLACE_MEMORY: a->c->datum.addr = place->addr; return EBB_OK;
    case EXPR_PLACE_REGISTER: return aim_at_register(a, whole->reg, whole->frame, (unsigned)place->whole_offset, err);
    case EXPR_PLACE_PIECES: return aim_at_piece(a, whole, place->whole_offset, err);
    default: return refuse(a, "has no place: ask for a variable, a register, or something in memory.", err);
    }
}

static ebb_status aim(const aiming *a, ebb_arena *arena, ebb_error *err)
{
    expr_value value;
    EBB_TRY(expr_evaluate(arena, ses_world(a->c->s), a->expression, &value, err));
    uint64_t nbytes = sym_type_size(value.type);
    if (value.is_optimized_out)
        return refuse(a, "was optimised away here.", err);
    if (value.place.nbits)
        return refuse(a, "is a bit-field, which is copied together with its neighbours: `last-write` goes to what changed it.", err);
    bool is_vector = value.place.kind == EXPR_PLACE_REGISTER && !value.place.whole && nbytes > MACHINE_DATUM_MAX;
    if (nbytes == 0 || (nbytes > MACHINE_DATUM_MAX && !is_vector))
        return ebb_fail(err, EBB_UNSUPPORTED, "\"%.80s\" has %llu bytes: ask for a part of it, of at most %d.", a->expression, (unsigned long long)nbytes, MACHINE_DATUM_MAX);
    if (is_vector)
        return ebb_fail(err, EBB_UNSUPPORTED, "\"%.80s\" has %llu bytes: ask for a part of it, such as %.80s.v2_int128[0].", a->expression, (unsigned long long)nbytes, a->expression);
    a->c->datum = (machine_datum){.nbytes = (unsigned)nbytes};
    return aim_at(a, &value.place, err);
}

ebb_status ses_chain_aim(ses_chain *c, const char *expression, ebb_error *err)
{
    ebb_arena arena = {0};
    aiming a = {c, expression};
    bool outer = ses_scratch_open(c->s);
    ebb_status status = aim(&a, &arena, err);
    ses_scratch_end(c->s, outer);
    ebb_arena_fini(&arena);
    EBB_TRY(status);
    return ses_chain_read(c, c->s->thread, &c->datum, &c->value) ? EBB_OK : ebb_fail(err, EBB_BAD_INPUT, "Its memory can't be read.");
}
