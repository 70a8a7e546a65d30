/* operands.h - an instruction with all its operands, as the library tells them; decode.h is what the translator makes of it. */
#ifndef EBB_X86_INSIDE_OPERANDS_H
#define EBB_X86_INSIDE_OPERANDS_H

#include <Zydis/Zydis.h>
#include <stdbool.h>

bool x86_decode_operands(const uint8_t *code, size_t nbytes, ZydisDecodedInstruction *z, ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT]);

#endif
