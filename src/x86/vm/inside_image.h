/* inside_image.h - the runtime, linked for the address at which it will stand in a debuggee.
 *
 * The runtime (inside/) is built as a shared object and carried inside ebb; the decoder it uses comes as
 * the system's libZydis.  Nothing in the debuggee could link these: its own dynamic loader must not know
 * of them.  So ebb does it: segments are laid out one after the other, references between them are resolved
 * by name, and the result is plain bytes.
 *
 * II1  an image refers to nothing outside itself: what can't be resolved is an error, except for weak
 *     references (0) and functions that the decoder's other half wants (they trap when called). */
#ifndef EBB_X86_VM_INSIDE_IMAGE_H
#define EBB_X86_VM_INSIDE_IMAGE_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

typedef struct x86_inside_image {
    uint8_t *bytes; /* owned */
    size_t nbytes;
    struct x86_inside_part *parts; /* owned; the shared objects it is made of */
    unsigned n_parts;
    uint64_t base;  /* the address it is linked for */
    uint64_t table; /* the address of its x86_inside_table (shared.h) */
} x86_inside_image;

/* Lays it out: its size is known then, so that there can be room for it. */
ebb_status x86_inside_image_load(x86_inside_image *image, ebb_error *err) EBB_MUST_CHECK;
/* Links it for `base`: the bytes are what has to stand there. */
ebb_status x86_inside_image_link(x86_inside_image *image, uint64_t base, ebb_error *err) EBB_MUST_CHECK;
void x86_inside_image_fini(x86_inside_image *image);

#endif
