/* quick.h - the usual instructions, decoded at once; see quick.c. */
#ifndef EBB_X86_INSIDE_QUICK_H
#define EBB_X86_INSIDE_QUICK_H

#include "x86/inside/decode.h"

/* False: ask the full decoder. */
bool x86_quick_decode(const uint8_t *code, size_t nbytes, uint64_t guest, x86_insn *insn);

#endif
