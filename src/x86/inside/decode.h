/* decode.h - what the translator wants to know of one guest instruction.
 *
 * Most instructions are PLAIN: their bytes are copied.  The others are listed in ops.def, one row each:
 * whoever reads it knows all that the translator does not copy.
 *
 * Decoding is what cold code costs, so operands are looked at only by those who need them. */
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
    X86_KIND_PAUSE,
    X86_KIND_EXCHANGE,      /* lock cmpxchg and the like */
    X86_KIND_SYSCALL,
    X86_KIND_ASK,           /* the world, for `ask` */
    X86_KIND_REPEATED,      /* a string instruction with rep, repe or repne */
    X86_KIND_SWAPPED,       /* may see or change the vector registers that count */
    X86_KIND_RDGSBASE,
    X86_KIND_WRGSBASE,
    X86_KIND_POPF,
    X86_KIND_X87_STORE,     /* stores the address of the last x87 instruction */
    X86_KIND_STEPPED,       /* the CPU executes it natively, stepped by ebb: too odd for anything better */
} x86_kind;

typedef struct x86_insn {
    uint8_t nbytes;
    x86_kind kind;
    bool is_rip_relative;
    bool uses_gs;           /* a gs: memory operand */
    bool shows_x87;         /* SWAPPED: stores the address of the last x87 instruction, too */
    bool is_wide;           /* RDGSBASE, WRGSBASE: 64 bits */
    uint8_t disp_at;        /* is_rip_relative: where its displacement is */
    uint8_t modrm_at;       /* indirect transfers: where the ModRM byte is */
    uint8_t rm;             /* ASK, RDGSBASE, WRGSBASE: the register in ModRM.rm */
    uint8_t ask;            /* ASK: an x86_ask_kind */
    uint8_t operand_nbytes; /* ASK */
    uint8_t condition;      /* JCC: the CPU's number of the condition */
    uint16_t pop_nbytes;    /* RET: what it drops after the return address */
    uint64_t target;        /* direct transfers */
} x86_insn;

/* Decodes the instruction at guest address `guest`, whose first bytes are `code`.  False if the bytes
 * are no instruction (or not all of one). */
bool x86_insn_decode(const uint8_t *code, size_t nbytes, uint64_t guest, x86_insn *insn);
/* The same without the short cut (quick.h). */
bool x86_full_decode(const uint8_t *code, size_t nbytes, uint64_t guest, x86_insn *insn);

enum { X86_NO_REG = 0xff, X86_REG_RIP = 0xfe, X86_NO_EXTENSION = 0xff };

/* The memory that an instruction reads or writes. */
typedef struct x86_operands {
    uint16_t used;       /* bit n: general register n is used, other than for the address */
    uint16_t written;    /* ... and changed, */
    uint16_t visibly_written; /* ... as an operand that is spelled out */
    bool has_memory;
    bool is_plain;       /* there is a memory operand made of ModRM, without a vector of indices */
    bool by_modrm;       /* something is accessed through ModRM */
    bool has_other;      /* there is another one: a stack, a string */
    bool has_unknown;    /* ... that none of the following describes */
    bool is_bit;         /* is_plain: a bit that a register tells, perhaps far from there */
    bool is_masked;      /* is_plain: some of its elements are accessed only */
    uint16_t pushed_nbytes; /* what it pushes, if that is all that it writes */
    uint16_t popped_nbytes; /* what it takes from the stack */
    uint16_t framed_nbytes; /* what it takes from where rbp points to */
    bool reads, writes;  /* the memory, in any operand */
    bool stores;         /* writes whatever happens: not only if a comparison succeeds (cmpxchg) */
    bool is_address32;
    bool has_fs, has_gs;
    uint8_t base, index; /* is_plain: general registers; X86_NO_REG, X86_REG_RIP */
    uint8_t scale;       /* 1, 2, 4, 8 */
    uint16_t nbytes;     /* is_plain: how much is accessed */
    int64_t disp;
    /* is_plain: what a copy with another address needs.  Prefixes end at opcode_at, the immediate begins at tail_at. */
    uint8_t opcode_at, modrm_at, tail_at;
    uint8_t extension_at;   /* the byte with the X and B bits of the register numbers, or X86_NO_EXTENSION */
    bool extension_inverted; /* VEX and its kind: a bit that is set means nothing */
} x86_operands;

bool x86_insn_operands(const uint8_t *code, size_t nbytes, x86_operands *operands);
/* Whether a byte before an opcode says of its operand in memory which segment it is in, or how wide its address is. */
bool x86_is_address_prefix(uint8_t byte);

#endif
