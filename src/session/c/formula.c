/* formula.c - see formula.h. */
#include "session/c/formula.h"

#include <string.h>

/* A frame that doesn't exist.  In the second one each bit of each register is another one than in the first, in the third
 * they are as chance wants it. */
enum { N_PROBES = 3 };

typedef struct probe {
    unsigned number;
    uint64_t pc;
} probe;

static uint64_t scrambled(uint64_t number)
{
    number = (number + 0x51ed27) * 0x9e3779b97f4a7c15u;
    return number ^ number >> 29;
}

static uint64_t probe_register(const probe *p, unsigned reg)
{
    uint64_t word = scrambled(reg + (p->number == 2 ? 100 : 0));
    return (p->number == 1 ? ~word : word) & 0x7fffffffffff;
}

static ebb_status probe_read(void *self, uint64_t addr, void *bytes, size_t nbytes, ebb_error *err)
{
    const probe *p = self;
    for (size_t i = 0; i < nbytes; i++)
        ((uint8_t *)bytes)[i] = (uint8_t)scrambled(addr + i + (uint64_t)p->number * 1000003);
    return EBB_OK;
}

static ebb_status probe_other_register(void *self, int dwarf, void *bytes, size_t nbytes, ebb_error *err)
{
    return ebb_fail(err, EBB_UNSUPPORTED, "not a general register");
}

static ebb_status probe_tls(void *self, sym_module *module, uint64_t *block, ebb_error *err)
{
    return ebb_fail(err, EBB_UNSUPPORTED, "thread-local");
}

static sym_frame probe_frame(const probe *p)
{
    sym_frame frame = {.pc_is_exact = true};
    for (unsigned i = 0; i < SYM_N_REGS; i++)
        frame.regs[i] = (sym_reg){.kind = SYM_REG_LIVE, .value = probe_register(p, i)};
    frame.regs[SYM_REG_RIP].value = p->pc;
    return frame;
}

static bool probe_locate(probe *p, const sym_variable *variable, sym_location *location)
{
    sym_target target = {.self = p, .read = probe_read, .reg = probe_other_register, .tls_block = probe_tls};
    sym_frame frame = probe_frame(p);
    memset(location, 0, sizeof *location);
    return sym_variable_locate(variable, &target, &frame, location, NULL) == EBB_OK && location->n_pieces == 1 &&
           location->pieces[0].nbits == 0 && location->pieces[0].bit_offset == 0;
}

static bool is_at_distance(const probe *probes, const uint64_t *addresses, unsigned reg, int64_t distance)
{
    bool same = distance == (int32_t)distance;
    for (unsigned i = 0; i < N_PROBES; i++)
        same = same && (int64_t)(addresses[i] - probe_register(&probes[i], reg)) == distance;
    return same;
}

/* What has these addresses in the frames. */
static bool address_of(const probe *probes, const uint64_t *addresses, ses_formula *out)
{
    if (addresses[0] == addresses[1] && addresses[0] == addresses[2]) {
        *out = (ses_formula){.kind = SES_AT_ADDRESS, .number = (int64_t)addresses[0]};
        return true;
    }
    for (unsigned reg = 0; reg < SYM_REG_RIP; reg++) {
        int64_t distance = (int64_t)(addresses[0] - probe_register(&probes[0], reg));
        if (is_at_distance(probes, addresses, reg, distance)) {
            *out = (ses_formula){.kind = SES_AT_DISTANCE, .reg = (int)reg, .number = distance};
            return true;
        }
    }
    return false;
}

static bool is_same_piece(const sym_piece *a, const sym_piece *b)
{
    return a->kind == b->kind && a->reg == b->reg && memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

bool ses_formula_of(const sym_variable *variable, uint64_t pc, ses_formula *out)
{
    probe probes[N_PROBES];
    uint64_t addresses[N_PROBES];
    sym_location first, location;
    for (unsigned i = 0; i < N_PROBES; i++) {
        probes[i] = (probe){i, pc};
        if (!probe_locate(&probes[i], variable, &location))
            return false;
        if (i == 0)
            first = location;
        addresses[i] = location.pieces[0].addr;
        if (!is_same_piece(&location.pieces[0], &first.pieces[0]))
            return false;
    }
    const sym_piece *piece = &first.pieces[0];
    *out = (ses_formula){.kind = SES_IN_REGISTER, .reg = piece->reg};
    switch (piece->kind) {
    case SYM_PIECE_MEMORY: return address_of(probes, addresses, out);
    case SYM_PIECE_REGISTER: return true;
    case SYM_PIECE_VALUE:
        out->kind = SES_IS_NUMBER;
        memcpy(&out->number, piece->bytes, sizeof out->number);
        return !piece->block;
    default: return false;
    }
}

bool ses_formula_of_frame(sym_table *table, uint64_t pc, ses_formula *out)
{
    probe probes[N_PROBES];
    uint64_t addresses[N_PROBES];
    for (unsigned i = 0; i < N_PROBES; i++) {
        probes[i] = (probe){i, pc};
        sym_target target = {.self = &probes[i], .read = probe_read, .reg = probe_other_register, .tls_block = probe_tls};
        sym_frame frame = probe_frame(&probes[i]), caller;
        if (sym_unwind(table, &target, &frame, &caller, NULL) != EBB_OK && frame.cfa == 0)
            return false;
        addresses[i] = frame.cfa;
    }
    return address_of(probes, addresses, out) && out->kind == SES_AT_DISTANCE;
}
