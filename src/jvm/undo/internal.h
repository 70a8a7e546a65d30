/* internal.h - what the files of the undo log share. */
#ifndef EBB_JVM_UNDO_INTERNAL_H
#define EBB_JVM_UNDO_INTERNAL_H

#include "jvm/record/record.h"
#include "jvm/undo/undo.h"
#include "jvm/undo/ring.h"

/* How a checkpoint begins in the ring; the stack of the thread from frame->locals up to frame->sp follows, with the frame itself in
 * between. */
typedef struct jvm_checkpoint {
    uint64_t time;
    int64_t left;          /* timestamps of the quantum */
    jvm_cursor cursor;     /* of the recording */
    jvm_thread *thread;
    struct jvm_activation *activation;
    jvm_frame *frame;
    jvm_obj *exception;
    const jvm_obj *thrown;
    size_t nhandles, handles_free;
} jvm_checkpoint;

/* Begins or ends keeping it, if it is there to be kept at all. */
void undo_keep_if(bool wanted);

const ebb_checkpoint *undo_reached(void); /* the one that jvm_undo_reaches found last */

bool undo_is_chosen(jvm_thread *t); /* choose.c: for where it stands */

/* The log is back at the i-th checkpoint, and all newer records are used up. */
void undo_went_back(size_t i, const jvm_checkpoint *c);

#endif
