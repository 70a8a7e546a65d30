/* x86_forms.h - the file by which x86_vm_forms_test tells the fixture x86_forms what to execute, and reads what came of it.
 *
 * All addresses are fixed, and below 2 GB, so that every way to address memory can be used. */
#ifndef EBB_TESTS_X86_FORMS_H
#define EBB_TESTS_X86_FORMS_H

#include <stdint.h>

enum {
    FORMS_MAX_CASES = 2000,
    FORMS_STATE = 0x20000000,   /* the fixture's own */
    FORMS_MEMORY = 0x21000000,  /* what the instructions work on, with nothing around it */
    FORMS_MEMORY_BYTES = 16384,
    /* Never written, and for the table of watched memory (x86/inside/watch.h) the same as what is. */
    FORMS_SHADOW = FORMS_MEMORY + (1 << 24),
    FORMS_MIDDLE = FORMS_MEMORY + 8192,
    FORMS_STACK = FORMS_MEMORY + 4096, /* rsp */
    FORMS_CODE = 0x30000000,
    FORMS_SLOT_BYTES = 64,      /* the code of one case */
    FORMS_GS_BASE = 4096,
    FORMS_MARK_BYTES = 8,       /* an instruction behind the one that is tested, which notes that it was reached */
    FORMS_NO_VSIB = 255,
};

/* Code, and the state before it.  Memory, vector and x87 registers come from the seed. */
typedef struct form_case {
    uint8_t code[16];
    uint8_t nbytes;
    uint8_t vsib_reg;   /* a vector register of small indices */
    uint8_t vsib_qword;
    uint8_t reserved[5];
    uint64_t regs[16];  /* in the CPU's numbering */
    uint64_t flags;
    uint64_t seed;
    uint64_t poke_at, poke; /* a word of memory; 0: none */
} form_case;

typedef struct form_result {
    uint64_t regs[16];
    uint64_t flags;
    uint64_t signal, signal_code, signal_addr, rip; /* signal 0: none */
    uint64_t fell_through; /* the mark was reached */
    uint64_t memory, x87, vectors, high_vectors, masks; /* hashes */
} form_result;

typedef struct forms_file {
    uint64_t n;
    uint64_t now;        /* the case that is being executed */
    uint64_t components; /* of the XSAVE area */
    uint64_t writable;   /* the code can be written while it is executed */
    form_case cases[FORMS_MAX_CASES];
    form_result results[FORMS_MAX_CASES];
} forms_file;

static inline uint64_t forms_slot(uint64_t i)
{
    return FORMS_CODE + i * FORMS_SLOT_BYTES;
}

/* Where a transfer goes that is taken. */
static inline uint64_t forms_taken(uint64_t i, unsigned nbytes)
{
    return forms_slot(i) + nbytes + FORMS_MARK_BYTES;
}

static inline uint64_t forms_random(uint64_t *seed)
{
    *seed += 0x9e3779b97f4a7c15u;
    uint64_t z = *seed;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

#endif
