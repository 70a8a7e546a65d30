/* frame.h - activations of methods, and walking over them.
 *
 * Every Java thread has a Java stack of its own (beside its C stack): a contiguous array of slots in
 * which frames follow each other.  A frame is
 *
 *     locals ... | jvm_frame | operand stack ...
 *
 * and the arguments on the caller's operand stack are the first locals of the callee: a call copies
 * nothing.  A native method has a frame too (its locals are its arguments, and the handles it got
 * point at them).  C code that calls Java puts an ENTRY frame in between, where the return value is
 * left and unwinding stops.
 *
 * F1  `sp` and `pc` of a frame are up to date whenever it isn't the innermost running one, and at GC points;
 * F2  `pc` is the instruction being executed: for a caller, its invoke;
 * F3  what the collector takes for references in a frame is decided by the reference map of (method,
 *     bci), see refmap.h: exact, and dead locals keep nothing alive. */
#ifndef EBB_JVM_ENGINE_FRAME_H
#define EBB_JVM_ENGINE_FRAME_H

#include "jvm/classes/class.h"
#include "jvm/threads/thread.h"

typedef struct jvm_insn jvm_insn;

enum jvm_frame_kind { JVM_FRAME_JAVA, JVM_FRAME_NATIVE, JVM_FRAME_ENTRY };

struct jvm_frame {
    jvm_frame *prev;           /* towards the caller; NULL at the bottom */
    jvm_method *method;        /* NULL in ENTRY frames */
    const jvm_insn *pc;        /* F2; NULL in native and entry frames */
    jvm_slot *locals;
    jvm_slot *sp;              /* first free slot of the operand stack */
    jvm_obj *lock;             /* what a synchronized method locked, or NULL */
    uint32_t kind;             /* enum jvm_frame_kind */
    uint32_t handles;          /* native: mark to release at return */
};

static inline jvm_slot *jvm_frame_stack(const jvm_frame *f) { return (jvm_slot *)(f + 1); }
int jvm_frame_bci(const jvm_frame *f);   /* -1 in native frames */
uint64_t jvm_method_place(const jvm_method *m, uint32_t bci); /* wire/places.h */
uint64_t jvm_frame_place(const jvm_frame *f); /* the same; native frames have bci 0xffff */
int jvm_frame_line(const jvm_frame *f);  /* -1 unknown, -2 native */

/* Walking from the innermost frame outwards; ENTRY frames are skipped.
 *     for (jvm_frame *f = jvm_top_frame(t); f != NULL; f = jvm_caller_frame(f)) ...          */
jvm_frame *jvm_top_frame(const jvm_thread *t);
jvm_frame *jvm_caller_frame(const jvm_frame *f);
bool jvm_frame_is_hidden(const jvm_frame *f); /* left out of stack traces */
bool jvm_method_is_hidden(const jvm_method *m);

#endif
