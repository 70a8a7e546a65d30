/* x86_forms_make.h - every form of every instruction that the decoder knows.
 *
 * Forms are found by going through all opcodes of all maps and encodings and asking the decoder what they are.  Two
 * byte sequences are of the same form if they have the same mnemonic, encoding and kinds and sizes of operands.
 *
 * A case is a form with random registers, operands and contents, made such that it can't do harm: memory operands point to
 * memory that is there, transfers end where the case goes on. */
#ifndef EBB_TESTS_X86_FORMS_MAKE_H
#define EBB_TESTS_X86_FORMS_MAKE_H

#include "x86_forms.h"

#include <stdbool.h>
#include <stddef.h>

/* How a form is encoded; the rest is up to chance. */
typedef struct form {
    uint8_t encoding; /* a form_encoding */
    uint8_t map, opcode;
    uint8_t prefix;   /* 0, 1, 2, 3: none, 66, f3, f2 (as VEX numbers them) */
    uint8_t wide, length, broadcast, masked, zeroing, no_vvvv;
    uint8_t in_memory, reg, rm;
    uint64_t key;     /* of what the decoder says */
} form;

typedef struct forms {
    form *items; /* owned */
    size_t n, room;
} forms;

void forms_enumerate(forms *all);
/* False if chance found none that can be executed. */
bool forms_make_case(const form *f, uint64_t index, uint64_t *seed, form_case *made);
void forms_spell(const form_case *c, uint64_t index, char *text, size_t size);

/* The set of instructions that it belongs to, as the decoder calls it. */
const char *forms_set_of(const form_case *c);

#endif
