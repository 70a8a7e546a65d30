/* decoded.h - the instruction of the debuggee at an address, as the library tells it. */
#ifndef EBB_X86_VM_DECODED_H
#define EBB_X86_VM_DECODED_H

#include "x86/vm/private.h"

#include <Zydis/Zydis.h>

/* False if there is none. */
bool vm_decode(x86_vm *vm, uint64_t at, ZydisDecodedInstruction *insn);

#endif
