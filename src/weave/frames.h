/* frames.h - the frames of a StackMapTable, each with all its types.
 *
 * A frame of the file may say only how it differs from the one before it.  Here each knows its whole contents, and the form in
 * which it was read; it is written in that form again if the frame before it is the same one, else in full.
 *
 * WF1  a type that names a `new` instruction means that instruction, never code put before it. */
#ifndef EBB_WEAVE_FRAMES_H
#define EBB_WEAVE_FRAMES_H

#include "weave/code.h"

typedef struct weave_type {
    uint8_t tag;        /* JVMS 4.7.4 */
    uint16_t index;     /* an object: its class; 0: it is that of `name` */
    const char *name;
    weave_insn *made;   /* uninitialised: the instruction that made it */
} weave_type;

struct weave_frame {
    weave_frame *next;
    weave_insn *at;
    const weave_frame *before; /* the frame that it was read after; itself: it is new */
    uint8_t form;              /* the number that says its form, without the offset in it */
    bool is_wide;              /* it was read with an offset of two bytes */
    uint16_t nlocals, nstack;
    const weave_type *locals, *stack;
};

ebb_status weave_frames_read(weave_code *code, weave_span table, ebb_error *err) EBB_MUST_CHECK;
void weave_frames_write(weave_code *code, ebb_buf *out);
/* Gives `copy` the frame that `of` has; nothing if it has none. */
void weave_frame_copy(weave_code *code, weave_insn *copy, const weave_insn *of);
/* Makes the local variable a long in all frames. */
void weave_frames_add_long(weave_code *code, uint16_t local);
/* The frame of a handler for every exception: that variable, and the exception on the stack. */
void weave_frame_of_handler(weave_code *code, weave_insn *handler, uint16_t local);

/* Some frame says that a constructor has not called another one yet: a handler that knows of no locals can't stand for it. */
bool weave_frame_has_raw_this(const weave_code *code);

#endif
