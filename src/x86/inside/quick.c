/* quick.c - decodes the instructions that most code is made of, by tables: what the full decoder takes 200 ns for.
 *
 * QK1  what it accepts, it describes as the full decoder does (x86_quick_test compares them); everything it isn't sure of it
 *      leaves to that one: lock, gs:, 32-bit addresses, EVEX, far and 16-bit transfers, repeated strings, system
 *      instructions, and bytes that are no instruction. */
#include "x86/inside/quick.h"

/* What follows an opcode. */
enum {
    NO = 0,       /* not for us */
    OK = 1,       /* nothing */
    MODRM = 2,
    IMM8 = 4,
    IMM32 = 8,    /* 16 bits with an operand-size prefix */
    IMM64 = 16,   /* 64 bits with REX.W, 32 or 16 otherwise */
    GROUP = 32,   /* ModRM.reg decides: see accept_group */
    REL8 = 64,
    REL32 = 128,
};

#define X2(a) a, a
#define X4(a) X2(a), X2(a)
#define X8(a) X4(a), X4(a)
#define ALU X4(MODRM), OK | IMM8, OK | IMM32, X2(NO)

static const uint8_t one_byte[256] = {
    /* 00 */ ALU, ALU, ALU, ALU, ALU, ALU, ALU, ALU,
    /* 40 */ X8(NO), X8(NO), /* REX */
    /* 50 */ X8(OK), X8(OK),
    /* 60 */ X2(NO), NO, MODRM, X4(NO), OK | IMM32, MODRM | IMM32, OK | IMM8, MODRM | IMM8, X4(NO),
    /* 70 */ X8(REL8), X8(REL8),
    /* 80 */ MODRM | IMM8, MODRM | IMM32, NO, MODRM | IMM8, X4(MODRM), X4(MODRM), NO, MODRM | GROUP, X2(NO),
    /* 90 */ GROUP, OK, X2(OK), X4(OK), X2(OK), X2(NO), OK, NO, X2(OK),
    /* a0 */ X4(NO), X4(GROUP), OK | IMM8, OK | IMM32, X2(GROUP), X4(GROUP),
    /* b0 */ X8(OK | IMM8), X8(OK | IMM64),
    /* c0 */ X2(MODRM | IMM8), NO, GROUP, X2(NO), MODRM | IMM8 | GROUP, MODRM | IMM32 | GROUP, NO, OK, X4(NO), X2(NO),
    /* d0 */ X4(MODRM), X4(NO), MODRM, MODRM | GROUP, X2(MODRM), MODRM, MODRM | GROUP, X2(MODRM),
    /* e0 */ X8(NO), REL32, REL32, NO, REL8, X4(NO),
    /* f0 */ X4(NO), NO, OK, X2(MODRM | GROUP), X2(OK), X2(NO), X2(OK), X2(MODRM | GROUP),
};

static const uint8_t two_bytes[256] = {
    /* 00 */ X8(NO), X8(NO),
    /* 10 */ X8(MODRM), X4(NO), X2(NO), X2(MODRM),
    /* 20 */ X8(NO), X8(MODRM),
    /* 30 */ X8(NO), X8(NO),
    /* 40 */ X8(MODRM), X8(MODRM),
    /* 50 */ X8(MODRM), X8(MODRM),
    /* 60 */ X8(MODRM), X8(MODRM),
    /* 70 */ X4(MODRM | IMM8), X2(MODRM), MODRM, OK, X2(NO), X2(NO), X4(MODRM),
    /* 80 */ X8(REL32), X8(REL32),
    /* 90 */ X8(MODRM), X8(MODRM),
    /* a0 */ X2(NO), NO, MODRM, MODRM | IMM8, MODRM, X2(NO), X2(NO), NO, MODRM, MODRM | IMM8, MODRM, NO, MODRM,
    /* b0 */ X2(MODRM), NO, MODRM, X2(NO), X2(MODRM), NO, NO, MODRM | IMM8, MODRM, X4(MODRM),
    /* c0 */ X2(MODRM), MODRM | IMM8, NO, X2(MODRM | IMM8), MODRM | IMM8, NO, X8(OK),
    /* d0 */ X8(MODRM), X8(MODRM),
    /* e0 */ X8(MODRM), X8(MODRM),
    /* f0 */ X8(MODRM), X4(MODRM), X2(MODRM), MODRM, NO,
};

/* One instruction being read. */
typedef struct reading {
    const uint8_t *code;
    size_t nbytes;
    unsigned at;
    unsigned rex;
    bool operand_size, repeat; /* 66; f2 or f3 */
    bool two_bytes;
    uint8_t opcode, modrm;
} reading;

/* ---- parts ------------------------------------------------------------------------------------ */

/* False at prefixes that are not for us. */
static bool read_prefixes(reading *r)
{
    for (; r->at < r->nbytes; r->at++) {
        uint8_t byte = r->code[r->at];
        if (byte == 0x66)
            r->operand_size = true;
        else if (byte == 0xf2 || byte == 0xf3)
            r->repeat = true;
        else if (byte != 0x64 && byte != 0x2e && byte != 0x3e)
            break;
    }
    if (r->at < r->nbytes && (r->code[r->at] & 0xf0) == 0x40)
        r->rex = r->code[r->at++];
    return r->at < r->nbytes;
}

/* The length of ModRM with what belongs to it. */
static bool read_modrm(reading *r, x86_insn *insn)
{
    if (r->at >= r->nbytes)
        return false;
    insn->modrm_at = (uint8_t)r->at;
    r->modrm = r->code[r->at++];
    unsigned mod = r->modrm >> 6, rm = r->modrm & 7, disp = mod == 1 ? 1 : mod == 2 ? 4 : 0;
    if (mod == 3)
        return true;
    if (rm == 4) {
        if (r->at >= r->nbytes)
            return false;
        if (mod == 0 && (r->code[r->at] & 7) == 5)
            disp = 4;
        r->at++;
    }
    if (mod == 0 && rm == 5) {
        disp = 4;
        insn->is_rip_relative = true;
    }
    if (disp)
        insn->disp_at = (uint8_t)r->at;
    r->at += disp;
    return true;
}

static unsigned immediate_nbytes(const reading *r, unsigned what)
{
    unsigned z = r->operand_size && !(r->rex & 8) ? 2 : 4;
    return what & IMM8 ? 1 : what & IMM32 ? z : what & IMM64 ? (r->rex & 8 ? 8 : z) : 0;
}

/* Groups: the operation is in ModRM.reg, or the prefix matters. */
static bool accept_group(const reading *r, unsigned *what, x86_insn *insn)
{
    unsigned reg = r->modrm >> 3 & 7;
    switch (r->opcode) {
    case 0x8d: return r->modrm < 0xc0; /* lea */
    case 0xc3:                         /* ret, also with the prefix that old CPUs liked */
        insn->kind = X86_KIND_RET;
        return !r->operand_size;
    case 0xc6:
    case 0xc7: return reg == 0;
    case 0xf6:
    case 0xf7:
        *what |= reg < 2 ? (r->opcode == 0xf6 ? IMM8 : IMM32) : 0;
        return true;
    case 0xd9: /* fnstenv */
    case 0xdd: /* fnsave */ return reg != 6 || r->modrm >= 0xc0;
    case 0xfe: return reg < 2;
    case 0xff:
        if (reg == 2 || reg == 4)
            insn->kind = reg == 2 ? X86_KIND_CALL_INDIRECT : X86_KIND_JMP_INDIRECT;
        return reg < 2 || reg == 6 || (insn->kind != X86_KIND_PLAIN && !r->operand_size && !r->repeat);
    default: return !r->repeat; /* strings; nop, which is another instruction then */
    }
}

static bool read_relative(reading *r, unsigned what, uint64_t guest, x86_insn *insn)
{
    unsigned nbytes = what & REL8 ? 1 : 4;
    if (r->operand_size || r->repeat || r->at + nbytes > r->nbytes)
        return false;
    int64_t relative = (int8_t)r->code[r->at];
    if (nbytes == 4) {
        int32_t wide;
        __builtin_memcpy(&wide, r->code + r->at, sizeof wide);
        relative = wide;
    }
    r->at += nbytes;
    bool conditional = r->two_bytes || (r->opcode & 0xf0) == 0x70;
    insn->kind = conditional ? X86_KIND_JCC : r->opcode == 0xe8 ? X86_KIND_CALL : X86_KIND_JMP;
    insn->target = guest + r->at + (uint64_t)relative;
    return true;
}

/* ---- VEX -------------------------------------------------------------------------------------- */

/* c4 and c5: every instruction has ModRM but vzeroupper, those of map 3 and a few others an immediate byte. */
static bool read_vex(reading *r, x86_insn *insn)
{
    unsigned n = r->code[r->at] == 0xc5 ? 2 : 3;
    if (r->rex || r->operand_size || r->repeat || r->at + n + 1 > r->nbytes)
        return false;
    unsigned map = n == 2 ? 1 : r->code[r->at + 1] & 31;
    uint8_t opcode = r->code[r->at + n];
    r->at += n + 1;
    if (map < 1 || map > 3)
        return false;
    unsigned what = map == 3 ? MODRM | IMM8 : map == 2 ? MODRM : two_bytes[opcode];
    insn->condition = opcode & 15;
    if (opcode == 0x77 && map == 1)
        return true;
    if (!(what & MODRM) || !read_modrm(r, insn))
        return false;
    r->at += what & IMM8 ? 1 : 0;
    return true;
}

/* ---- all of it -------------------------------------------------------------------------------- */

static bool read_legacy(reading *r, uint64_t guest, x86_insn *insn)
{
    r->opcode = r->code[r->at++];
    if (r->opcode == 0x0f) {
        if (r->at >= r->nbytes)
            return false;
        r->two_bytes = true;
        r->opcode = r->code[r->at++];
    }
    unsigned what = r->two_bytes ? two_bytes[r->opcode] : one_byte[r->opcode];
    insn->condition = r->opcode & 15;
    if (what == NO)
        return false;
    if (what & (REL8 | REL32))
        return read_relative(r, what, guest, insn);
    if ((what & MODRM) && !read_modrm(r, insn))
        return false;
    if ((what & GROUP) && !accept_group(r, &what, insn))
        return false;
    r->at += immediate_nbytes(r, what);
    return true;
}

bool x86_quick_decode(const uint8_t *code, size_t nbytes, uint64_t guest, x86_insn *insn)
{
    reading r = {.code = code, .nbytes = nbytes < 15 ? nbytes : 15};
    *insn = (x86_insn){.kind = X86_KIND_PLAIN};
    if (!read_prefixes(&r))
        return false;
    bool is_vex = code[r.at] == 0xc4 || code[r.at] == 0xc5;
    if (!(is_vex ? read_vex(&r, insn) : read_legacy(&r, guest, insn)) || r.at > r.nbytes)
        return false;
    insn->nbytes = (uint8_t)r.at;
    return true;
}
