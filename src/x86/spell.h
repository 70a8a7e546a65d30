/* spell.h - a decoded instruction as text, spelt as binutils (and so gdb) spells it. */
#ifndef EBB_X86_SPELL_H
#define EBB_X86_SPELL_H

#include "x86/native.h"

#include <Zydis/Zydis.h>

/* An instruction with its operands, as Zydis decodes it. */
typedef struct x86_insn {
    ZydisDecodedInstruction info;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    machine_place place;
} x86_insn;

/* The text is cut at `size`. */
void x86_spell(const x86_insn *insn, x86_flavour flavour, char *text, size_t size);

#endif
