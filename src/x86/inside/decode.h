/* decode.h - what the translator wants to know of one guest instruction.
 *
 * Most instructions are PLAIN: their bytes are copied.  The others are listed in ops.def, one row each:
 * whoever reads it knows all that the translator does not copy. */
#ifndef EBB_X86_INSIDE_DECODE_H
#define EBB_X86_INSIDE_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum x86_kind {
    X86_KIND_PLAIN,
    X86_KIND_JCC,           /* conditional jump with a rel8 or rel32 */
    X86_KIND_JMP,           /* direct */
    X86_KIND_CALL,          /* direct */
    X86_KIND_RET,
    X86_KIND_JMP_INDIRECT,
    X86_KIND_CALL_INDIRECT,
    X86_KIND_SHORT_ONLY,    /* jrcxz, loop...: a rel8 that has no long form */
    X86_KIND_SYSCALL,
    X86_KIND_CPUID,
    X86_KIND_RESTORES,      /* vector registers from memory, perhaps those that count */
    X86_KIND_UNSUPPORTED,   /* a clear stop */
} x86_kind;

typedef struct x86_insn {
    uint8_t nbytes;
    x86_kind kind;
    bool is_rip_relative;
    bool uses_gs;           /* a gs: memory operand, or an instruction about the gs base */
    uint8_t disp_at;        /* is_rip_relative: where its displacement is */
    uint8_t modrm_at;       /* indirect transfers: where the ModRM byte is */
    uint8_t condition;      /* JCC: the CPU's number of the condition */
    uint16_t pop_nbytes;    /* RET: what it drops behind the return address */
    uint64_t target;        /* direct transfers */
} x86_insn;

/* Decodes the instruction at guest address `guest`, whose first bytes are `code`.  False if the bytes
 * are no instruction (or not all of one). */
bool x86_insn_decode(const uint8_t *code, size_t nbytes, uint64_t guest, x86_insn *insn);

#endif
