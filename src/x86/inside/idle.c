/* idle.c - whether a loop can only be ended by somebody else. */
#include "x86/inside/idle.h"
#include "x86/inside/operands.h"

enum { MAX_INSNS = 16, MAX_WORDS = 8 };

/* A word of the stack frame. */
typedef struct word {
    ZydisRegister base;
    int64_t from, to;
} word;

typedef struct words {
    word items[MAX_WORDS];
    unsigned n;
} words;

/* What one turn of the loop does. */
typedef struct loop_turn {
    uint32_t written, read_first; /* registers: bit n is general register n */
    bool flags_written, flags_read_first;
    words stored, loaded_first;
} loop_turn;

enum { NOT_GENERAL = 32 };

/* NOT_GENERAL if it is none. */
static unsigned number_of(ZydisRegister reg)
{
    ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
    return whole >= ZYDIS_REGISTER_RAX && whole <= ZYDIS_REGISTER_R15 ? (unsigned)(whole - ZYDIS_REGISTER_RAX) : NOT_GENERAL;
}

static bool is_elsewhere(ZydisRegister reg) /* told by other means, or not changed by what can be in a loop */
{
    return reg == ZYDIS_REGISTER_NONE || reg == ZYDIS_REGISTER_RIP || reg == ZYDIS_REGISTER_RFLAGS;
}

static bool note_read(loop_turn *t, ZydisRegister reg)
{
    unsigned n = number_of(reg);
    if (n == NOT_GENERAL)
        return is_elsewhere(reg);
    if (!(t->written >> n & 1))
        t->read_first |= 1u << n;
    return true;
}

static bool note_write(loop_turn *t, ZydisRegister reg)
{
    unsigned n = number_of(reg);
    if (n != NOT_GENERAL)
        t->written |= 1u << n;
    return n != NOT_GENERAL || is_elsewhere(reg);
}

/* ---- memory ----------------------------------------------------------------------------------- */

static bool is_of_frame(const ZydisDecodedOperand *o)
{
    return (o->mem.base == ZYDIS_REGISTER_RSP || o->mem.base == ZYDIS_REGISTER_RBP) && o->mem.index == ZYDIS_REGISTER_NONE;
}

static word word_of(const ZydisDecodedOperand *o)
{
    int64_t from = o->mem.disp.has_displacement ? o->mem.disp.value : 0;
    return (word){o->mem.base, from, from + o->size / 8};
}

static bool holds(const words *all, word w)
{
    for (unsigned i = 0; i < all->n; i++)
        if (all->items[i].base == w.base && all->items[i].from == w.from && all->items[i].to == w.to)
            return true;
    return false;
}

static bool overlaps(const words *all, word w)
{
    for (unsigned i = 0; i < all->n; i++)
        if (all->items[i].base != w.base || (all->items[i].from < w.to && w.from < all->items[i].to))
            return true;
    return false;
}

static bool add(words *all, word w)
{
    if (all->n == MAX_WORDS)
        return false;
    all->items[all->n++] = w;
    return true;
}

static bool note_load(loop_turn *t, const ZydisDecodedOperand *o)
{
    return !is_of_frame(o) || holds(&t->stored, word_of(o)) || add(&t->loaded_first, word_of(o));
}

/* ID2 */
static bool takes_lock(ZydisMnemonic mnemonic)
{
    return mnemonic == ZYDIS_MNEMONIC_XCHG || mnemonic == ZYDIS_MNEMONIC_CMPXCHG || mnemonic == ZYDIS_MNEMONIC_BTS;
}

static bool note_store(loop_turn *t, const ZydisDecodedInstruction *z, const ZydisDecodedOperand *o)
{
    if (takes_lock(z->mnemonic))
        return true;
    return z->mnemonic == ZYDIS_MNEMONIC_MOV && is_of_frame(o) && !overlaps(&t->loaded_first, word_of(o)) && add(&t->stored, word_of(o));
}

/* ---- instructions ----------------------------------------------------------------------------- */

/* xor eax, eax reads nothing. */
static bool only_clears(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *o)
{
    return (z->mnemonic == ZYDIS_MNEMONIC_XOR || z->mnemonic == ZYDIS_MNEMONIC_SUB) && o[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
           o[1].type == ZYDIS_OPERAND_TYPE_REGISTER && o[0].reg.value == o[1].reg.value;
}

/* What may be written or not is what it was before: it is read. */
static bool is_read(const ZydisDecodedOperand *o)
{
    return (o->actions & (ZYDIS_OPERAND_ACTION_MASK_READ | ZYDIS_OPERAND_ACTION_CONDWRITE)) != 0;
}

static bool note_reads(loop_turn *t, const ZydisDecodedInstruction *z, const ZydisDecodedOperand *o)
{
    bool clears = only_clears(z, o), known = true;
    for (unsigned i = 0; i < z->operand_count && known; i++) {
        if (o[i].type == ZYDIS_OPERAND_TYPE_REGISTER && is_read(&o[i]) && !clears)
            known = note_read(t, o[i].reg.value);
        if (o[i].type != ZYDIS_OPERAND_TYPE_MEMORY)
            continue;
        bool loads = o[i].mem.type == ZYDIS_MEMOP_TYPE_MEM && is_read(&o[i]);
        known = note_read(t, o[i].mem.base) && note_read(t, o[i].mem.index) && (!loads || note_load(t, &o[i]));
    }
    return known;
}

static bool note_writes(loop_turn *t, const ZydisDecodedInstruction *z, const ZydisDecodedOperand *o)
{
    bool known = true;
    for (unsigned i = 0; i < z->operand_count && known; i++) {
        if (!(o[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
            continue;
        if (o[i].type == ZYDIS_OPERAND_TYPE_REGISTER)
            known = note_write(t, o[i].reg.value);
        else if (o[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
            known = note_store(t, z, &o[i]);
    }
    return known;
}

static void note_flags(loop_turn *t, const ZydisDecodedInstruction *z)
{
    if (!z->cpu_flags)
        return;
    t->flags_read_first |= z->cpu_flags->tested != 0 && !t->flags_written;
    t->flags_written |= (z->cpu_flags->modified | z->cpu_flags->set_0 | z->cpu_flags->set_1) != 0;
}

/* Calls, returns, system calls and the like are no part of such a loop; jumps out of it are. */
static bool may_be_part(const ZydisDecodedInstruction *z)
{
    switch (z->meta.category) {
    case ZYDIS_CATEGORY_BINARY:
    case ZYDIS_CATEGORY_BITBYTE:
    case ZYDIS_CATEGORY_CMOV:
    case ZYDIS_CATEGORY_COND_BR:
    case ZYDIS_CATEGORY_CONVERT:
    case ZYDIS_CATEGORY_DATAXFER:
    case ZYDIS_CATEGORY_LOGICAL:
    case ZYDIS_CATEGORY_MISC:
    case ZYDIS_CATEGORY_NOP:
    case ZYDIS_CATEGORY_SEMAPHORE:
    case ZYDIS_CATEGORY_SETCC:
    case ZYDIS_CATEGORY_UNCOND_BR:
    case ZYDIS_CATEGORY_WIDENOP: return !(z->attributes & ZYDIS_ATTRIB_IS_PRIVILEGED);
    default: return false;
    }
}

/* How long the instruction is; 0 if the loop is something else. */
static size_t note_insn(loop_turn *t, const uint8_t *code, size_t nbytes)
{
    ZydisDecodedInstruction z;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    if (!x86_decode_operands(code, nbytes, &z, operands) || !may_be_part(&z))
        return 0;
    if (!note_reads(t, &z, operands) || !note_writes(t, &z, operands))
        return 0;
    note_flags(t, &z);
    return z.length;
}

bool x86_is_idle_loop(const uint8_t *code, size_t nbytes)
{
    loop_turn t = {0};
    size_t at = 0;
    for (unsigned n = 0; at < nbytes; n++) {
        size_t length = n < MAX_INSNS ? note_insn(&t, code + at, nbytes - at) : 0;
        if (length == 0)
            return false;
        at += length;
    }
    return !(t.read_first & t.written) && !(t.flags_read_first && t.flags_written);
}
