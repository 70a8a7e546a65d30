/* spell_private.h - what names (spell_name.c) and operands (spell.c) share. */
#ifndef EBB_X86_SPELL_PRIVATE_H
#define EBB_X86_SPELL_PRIVATE_H

#include "base/buf.h"
#include "x86/spell.h"

typedef struct x86_pen {
    const x86_insn *insn;
    bool att;
    ebb_buf out;
} x86_pen;

static inline bool x86_spell_has(const x86_insn *insn, ZydisInstructionAttributes attribute)
{
    return (insn->info.attributes & attribute) != 0;
}

const ZydisDecodedOperand *x86_spell_memory(const x86_insn *insn); /* its operand in memory; NULL if none */
bool x86_spell_is_general(const ZydisDecodedOperand *op);
unsigned x86_spell_count(const x86_insn *insn); /* of operands that are written */
bool x86_spell_is_shift_by_one(const x86_insn *insn);
bool x86_spell_is_far(const x86_insn *insn);
bool x86_spell_is_wide_nop(const x86_insn *insn);
bool x86_spell_is_string(const x86_insn *insn);

void x86_spell_prefixes(x86_pen *w);
bool x86_spell_name(x86_pen *w); /* true if it swallowed the last operand */

#endif
