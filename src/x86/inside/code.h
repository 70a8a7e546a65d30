/* code.h - the guest's code, as the translator reads it.
 *
 * What is executable, and what is writable at the same time, is read from the kernel's own list and kept until a system
 * call of the guest changes it.  Pages that can't be written are copied once; others are copied whenever they are
 * translated from, and their translations check that they have not changed (translate.h, TR5).
 *
 * CO1  only executable memory is code: a jump to anything else faults as it would natively;
 * CO2  whatever is kept here was true when the guest's last change of its mappings was made;
 * CO3  a guest that can write past all protection, through /proc/self/mem, has no code that can't be written. */
#ifndef EBB_X86_INSIDE_CODE_H
#define EBB_X86_INSIDE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { X86_MAX_REGIONS = 512, X86_CODE_PAGES = 256 };

typedef struct x86_region {
    uint64_t lo, hi;
    bool writable;
} x86_region;

typedef struct x86_code {
    x86_region regions[X86_MAX_REGIONS]; /* the executable ones */
    unsigned n_regions;
    uint64_t page_numbers[X86_CODE_PAGES]; /* of the copies: address / 4096; 0: none */
    uint8_t (*pages)[4096];
    bool all_writable; /* CO3 */
    bool no_list;      /* the kernel's list could not be read (no /proc, or no descriptor left): ebb has to bring it */
} x86_code;

bool x86_code_init(x86_code *code);
/* How many of the bytes are code.  They may be changed by the guest if *writable. */
size_t x86_code_read(x86_code *code, uint8_t *to, uint64_t from, size_t nbytes, bool *writable);
void x86_code_forget(x86_code *code, uint64_t lo, uint64_t hi);
void x86_code_forget_all(x86_code *code);

#endif
