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

typedef struct undo_entry { /* of a checkpoint that can be gone back to */
    uint64_t position; /* where its record begins */
    uint64_t end;      /* and ends */
    uint64_t time;
    uint64_t serial;   /* they are counted */
} undo_entry;

size_t undo_nentries(void);
const undo_entry *undo_entry_at(size_t i); /* 0: the oldest */
void undo_forget_since(uint64_t serial);   /* those with a greater number */

const undo_entry *undo_reached(void);      /* what jvm_undo_reaches found last */

/* Begins or ends keeping it, if it is there to be kept at all. */
void undo_keep_if(bool wanted);

bool undo_is_chosen(jvm_thread *t); /* choose.c: for where it stands */

/* The log is back at that checkpoint, all records behind it are used up. */
void undo_went_back(size_t i, const jvm_checkpoint *c);

#endif
