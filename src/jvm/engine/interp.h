/* interp.h - the interpreter and what surrounds it.
 *
 * One set of handlers (interp_body.inc) is compiled once per variant with different hooks:
 *     plain      nothing is observed;
 *     undo       HOOK_HEAP and HOOK_BACK_INTO keep what is about to be lost (undo/undo.h);
 *     last, flow aliases are made: of what is written to the heap, or of every value (flow/flow.h).
 * A hook that a variant does not define expands to nothing, so the plain one pays nothing.  Which variant runs may change wherever
 * other code has run: the old one finds a table in which every instruction leads out, and the activation goes on in the new one.
 *
 * The timestamp ticks at backward jumps, calls, returns, exception dispatch and thread switches, so that no bytecode is
 * executed twice at the same time; jvm_ticks counts down to the next moment at which somebody wants to be asked (end
 * of the quantum, a position to stop at).  Backward jumps, returns and exception handlers look whether it has come.
 *
 * A debugger's agent sees instructions through other tables of labels (agent/agent.h): the plain handlers pay nothing for it.
 *
 * IN1  handlers save pc and sp into the frame before anything that may collect, throw, switch or look;
 * IN2  an exception is pending on the thread when a handler jumps to `exception`;
 * IN3  a run returns when the frame below which it started becomes current, leaving the result slots there. */
#ifndef EBB_JVM_ENGINE_INTERP_H
#define EBB_JVM_ENGINE_INTERP_H

#include "jvm/engine/frame.h"
#include "jvm/engine/mh.h"
#include "jvm/engine/prepare.h"

extern int64_t jvm_ticks; /* until the next event */

/* A run of jvm_interpret, on the C stack of its thread.  What the thread has by way of the C code that called it is noted, because
 * whoever goes back to the activation (undo/undo.h) gives up calls out of it, which never return. */
typedef struct jvm_activation {
    struct jvm_activation *outer;
    void *jump[5];          /* to where it goes on from t->frame */
    uint64_t context;       /* undo/undo.h */
    const struct JNINativeInterface_ *env;
    char *c_limit;
    int64_t border_budget;
    uint32_t scripts;
    struct jvm_walk *walks;
    struct jvm_flight *flight;
    size_t nhandles;
    bool fragile;
} jvm_activation;

/* Leaves everything on the thread's C stack that its activation called, and goes on from its frame, after jvm_agent_arrived. */
_Noreturn void jvm_interpret_again(jvm_thread *t);

/* The same for a thread that is parked: when it gets its turn. */
void jvm_interpret_again_later(jvm_thread *t);

void jvm_interpret_init(void); /* before the first run */

/* Runs m, whose arguments lie at `args` on the Java stack, on top of the ENTRY frame t->frame. */
jvm_slot jvm_interpret(jvm_thread *t, jvm_method *m, jvm_slot *args);

/* ---- slow halves of handlers (interp_slow.c) ---- */

/* Called when jvm_ticks runs out; may switch threads. */
void jvm_tick_event(jvm_thread *t);

/* Resolve the operand and rewrite *in; false: exception pending. */
bool jvm_quicken_ldc(jvm_thread *t, jvm_method *m, jvm_insn *in, jvm_slot *value);
/* The field; *in is rewritten unless its class is still being initialised. */
jvm_field *jvm_quicken_field(jvm_thread *t, jvm_method *m, jvm_insn *in, bool is_static, bool is_put);
bool jvm_quicken_invoke(jvm_thread *t, jvm_method *m, jvm_insn *in, jvm_method **target);
bool jvm_quicken_indy(jvm_thread *t, jvm_method *m, jvm_insn *in);
jvm_class *jvm_quicken_class(jvm_thread *t, jvm_method *m, jvm_insn *in, uint16_t quick);

/* First call of a method: prepares or binds it and sets m->entry. */
bool jvm_method_ready(jvm_thread *t, jvm_method *m);

/* The handler of t->exception in the frame; NULL when it has none. */
const jvm_insn *jvm_find_handler(jvm_thread *t, jvm_frame *f);

/* What an intrinsic call leads to: *m and the arguments are replaced.  False: exception pending. */
bool jvm_intrinsic_target(jvm_thread *t, jvm_method **m, jvm_slot *args, int *dropped);

/* Room for an array, or NegativeArraySizeException or OutOfMemoryError pending.  A GC point. */
bool jvm_array_reserve(jvm_thread *t, const jvm_class *array_class, int32_t length);
jvm_obj *jvm_new_multi(jvm_thread *t, jvm_class *cls, int dims, const jvm_slot *lengths);
void jvm_throw_npe(jvm_thread *t);
void jvm_throw_index(jvm_thread *t, int32_t index, int32_t length);
void jvm_throw_cast(jvm_thread *t, const jvm_obj *o, const jvm_class *to);
void jvm_throw_store(jvm_thread *t, const jvm_obj *o);
void jvm_throw_abstract(jvm_thread *t, const jvm_class *receiver, const jvm_method *m);
void jvm_throw_no_interface(jvm_thread *t, const jvm_class *receiver, const jvm_method *m);

#endif
