/* flow_pieces.c - one rule for each way of moving elements. */
#include "x86/flow_pieces.h"

enum { LANE = 16 };

/* A byte of the result of an instruction: `in_lane` is counted from the beginning of its 16 bytes, `element` are the bytes of one. */
typedef struct byte_at {
    const x86_insn *insn;
    unsigned at, lane, in_lane, element;
} byte_at;

typedef x86_piece rule(const byte_at *b);

static bool is_vex(const x86_insn *insn)
{
    return insn->info.encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY;
}

/* With three operands the first is only written; with two it is also the first one that is read. */
static unsigned first_source(const byte_at *b)
{
    return is_vex(b->insn) ? 1 : 0;
}

static unsigned second_source(const byte_at *b)
{
    return is_vex(b->insn) ? 2 : 1;
}

static bool is_register(const byte_at *b, unsigned operand)
{
    return b->insn->operands[operand].type == ZYDIS_OPERAND_TYPE_REGISTER;
}

static unsigned immediate(const byte_at *b)
{
    return (unsigned)b->insn->info.raw.imm[0].value.u & 0xff;
}

/* From that byte of an operand to the end of the element. */
static x86_piece from(const byte_at *b, unsigned operand, unsigned at)
{
    x86_piece piece = {X86_PIECE_FROM, operand, at, b->element - b->at % b->element};
    bool is_itself = operand == 0 && at == b->at;
    return is_itself ? (x86_piece){.kind = X86_PIECE_SAME, .nbytes = piece.nbytes} : piece;
}

/* Up to a multiple of so many bytes. */
static x86_piece zero_to(const byte_at *b, unsigned nbytes)
{
    return (x86_piece){.kind = X86_PIECE_ZERO, .nbytes = nbytes - b->at % nbytes};
}

/* ---- rules -------------------------------------------------------------------------------------- */

static x86_piece move_WHOLE(const byte_at *b)
{
    return (x86_piece){X86_PIECE_FROM, 1, b->at, b->insn->operands[0].size / 8 - b->at};
}

static x86_piece move_LOWEST(const byte_at *b)
{
    return b->at < b->element ? from(b, 1, b->at) : zero_to(b, b->element);
}

/* A load clears the rest, a store has none, a move between registers leaves it, or takes it from the other one. */
static x86_piece move_SCALAR(const byte_at *b)
{
    bool is_load = is_register(b, 0) && !is_register(b, 1), has_two = is_register(b, 0) && is_vex(b->insn) && !is_load;
    if (b->at < b->element)
        return from(b, has_two ? 2 : 1, b->at);
    return is_load ? zero_to(b, b->element) : from(b, first_source(b), b->at);
}

static x86_piece move_LOW_HALF(const byte_at *b)
{
    if (!is_register(b, 0))
        return from(b, 1, b->at);
    return b->at < 8 ? from(b, second_source(b), b->at) : from(b, first_source(b), b->at);
}

/* Of a register that is the second source, the low half is meant (movlhps). */
static x86_piece move_HIGH_HALF(const byte_at *b)
{
    if (!is_register(b, 0))
        return from(b, 1, b->at + 8);
    return b->at < 8 ? from(b, first_source(b), b->at) : from(b, second_source(b), b->at - 8);
}

static x86_piece move_HIGH_TO_LOW(const byte_at *b)
{
    return b->at < 8 ? from(b, second_source(b), b->at + 8) : from(b, first_source(b), b->at);
}

static x86_piece unpack(const byte_at *b, unsigned begin)
{
    unsigned n = b->in_lane / b->element, source = n & 1 ? second_source(b) : first_source(b);
    return from(b, source, b->lane + begin + n / 2 * b->element + b->at % b->element);
}

static x86_piece move_UNPACK_LOW(const byte_at *b)
{
    return unpack(b, 0);
}

static x86_piece move_UNPACK_HIGH(const byte_at *b)
{
    return unpack(b, LANE / 2);
}

static x86_piece move_SHUFFLE_TWO(const byte_at *b)
{
    unsigned n = b->in_lane / b->element, per_lane = LANE / b->element, bits = b->element == 4 ? 2 : 1;
    unsigned place = b->element == 4 ? n * 2 : b->lane / b->element + n, chosen = immediate(b) >> place & ((1u << bits) - 1);
    return from(b, n < per_lane / 2 ? first_source(b) : second_source(b), b->lane + chosen * b->element + b->at % b->element);
}

static x86_piece move_SHUFFLE_ONE(const byte_at *b)
{
    unsigned chosen = immediate(b) >> 2 * (b->in_lane / b->element) & 3;
    return from(b, 1, b->lane + chosen * b->element + b->at % b->element);
}

static x86_piece move_PERMUTE(const byte_at *b)
{
    if (b->insn->operands[2].type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
        return (x86_piece){0};
    unsigned chosen = immediate(b) >> 2 * (b->at / b->element) & 3;
    return from(b, 1, chosen * b->element + b->at % b->element);
}

static x86_piece move_PERMUTE_LANES(const byte_at *b)
{
    unsigned chosen = immediate(b) >> (b->lane ? 4 : 0) & 15;
    return chosen & 8 ? zero_to(b, LANE) : from(b, chosen & 2 ? 2 : 1, (chosen & 1) * LANE + b->in_lane);
}

static x86_piece move_ALIGN(const byte_at *b)
{
    unsigned at = b->in_lane + immediate(b);
    if (at < LANE)
        return from(b, second_source(b), b->lane + at);
    return at < 2 * LANE ? from(b, first_source(b), b->lane + at - LANE) : zero_to(b, 1);
}

static x86_piece move_SHIFT_UP(const byte_at *b)
{
    return b->in_lane < immediate(b) ? zero_to(b, 1) : from(b, first_source(b), b->at - immediate(b));
}

static x86_piece move_SHIFT_DOWN(const byte_at *b)
{
    return b->in_lane + immediate(b) >= LANE ? zero_to(b, 1) : from(b, first_source(b), b->at + immediate(b));
}

/* How many elements the vector has of which the immediate tells one. */
static unsigned chosen_element(const byte_at *b)
{
    unsigned n = (b->element == LANE ? X86_FLOW_VECTOR_NBYTES : LANE) / b->element;
    return immediate(b) & (n - 1);
}

static x86_piece move_INSERT(const byte_at *b)
{
    return b->at / b->element == chosen_element(b) ? from(b, second_source(b), b->at % b->element) : from(b, first_source(b), b->at);
}

static x86_piece move_EXTRACT(const byte_at *b)
{
    return b->at < b->element ? from(b, 1, chosen_element(b) * b->element + b->at) : zero_to(b, b->element);
}

static x86_piece move_DOUBLED(const byte_at *b)
{
    return from(b, 1, b->lane + b->at % b->element);
}

static x86_piece move_BROADCAST(const byte_at *b)
{
    return from(b, 1, b->at % b->element);
}

/* Of words the same bits count for each lane. */
static x86_piece move_BLEND(const byte_at *b)
{
    unsigned n = (b->element == 2 ? b->in_lane : b->at) / b->element;
    return from(b, immediate(b) >> n & 1 ? second_source(b) : first_source(b), b->at);
}

/* ---- which of them ------------------------------------------------------------------------------ */

static rule *rule_of(ZydisMnemonic mnemonic, unsigned *element)
{
    switch (mnemonic) {
#define X86_MOVES(name, rule_, nbytes)                                                             \
    case ZYDIS_MNEMONIC_##name: *element = (nbytes) ? (nbytes) : 1; return move_##rule_;
#define X86_MOVES_BOTH(name, rule_, nbytes)                                                        \
    X86_MOVES(name, rule_, nbytes)                                                                 \
    X86_MOVES(V##name, rule_, nbytes)
#include "x86/flow_pieces.def"
#undef X86_MOVES
#undef X86_MOVES_BOTH
    default: return NULL;
    }
}

/* Masked moves leave some of what was there. */
static bool is_masked(const x86_insn *insn)
{
    return insn->info.avx.mask.reg != ZYDIS_REGISTER_NONE && insn->info.avx.mask.reg != ZYDIS_REGISTER_K0;
}

x86_piece x86_piece_of(const x86_insn *insn, unsigned at)
{
    byte_at b = {.insn = insn, .at = at, .lane = at / LANE * LANE, .in_lane = at % LANE, .element = 1};
    rule *moves = insn->info.meta.category == ZYDIS_CATEGORY_STRINGOP ? NULL : rule_of(insn->info.mnemonic, &b.element);
    bool has_masks = insn->info.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX && is_masked(insn);
    if (!moves || has_masks)
        return (x86_piece){0};
    bool is_vector = insn->operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER && insn->operands[0].size >= LANE * 8;
    if (is_vector && at >= insn->operands[0].size / 8u) /* the rest of the register */
        return (x86_piece){.kind = is_vex(insn) ? X86_PIECE_ZERO : X86_PIECE_SAME, .nbytes = X86_FLOW_VECTOR_NBYTES - at};
    return moves(&b);
}
