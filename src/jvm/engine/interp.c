/* The variants of the interpreter: the same handlers with different hooks (interp.h). */
#include "jvm/engine/interp.h"

#include "base/check.h"
#include "jvm/agent/agent.h"
#include "jvm/explore/capture.h"
#include "jvm/explore/explore.h"
#include "jvm/flow/cells.h"
#include "jvm/heap/heap_shape.h"
#include "jvm/engine/invoke.h"
#include "jvm/classes/loader.h"
#include "jvm/threads/monitor.h"
#include "jvm/border/native.h"
#include "jvm/threads/scheduler.h"
#include "jvm/engine/throw.h"
#include "jvm/undo/undo.h"
#include "jvm/undo/ring.h"
#include "jvm/jvm.h"

#include <math.h>

int64_t jvm_ticks;

#define LIKELY(cond) __builtin_expect(!!(cond), 1)
#define UNLIKELY(cond) __builtin_expect(!!(cond), 0)

/* ---- arithmetic where Java and C differ ---- */

static inline int32_t int_div(int32_t a, int32_t b) { return b == -1 ? (int32_t)(0u - (uint32_t)a) : a / b; }
static inline int32_t int_rem(int32_t a, int32_t b) { return b == -1 ? 0 : a % b; }
static inline int64_t long_div(int64_t a, int64_t b) { return b == -1 ? (int64_t)(0u - (uint64_t)a) : a / b; }
static inline int64_t long_rem(int64_t a, int64_t b) { return b == -1 ? 0 : a % b; }

static inline int32_t to_int(double d)
{
    if (d != d)
        return 0;
    return d >= 2147483648.0 ? INT32_MAX : d <= -2147483649.0 ? INT32_MIN : (int32_t)d;
}

static inline int64_t to_long(double d)
{
    if (d != d)
        return 0;
    return d >= 9223372036854775808.0 ? INT64_MAX : d < -9223372036854775808.0 ? INT64_MIN : (int64_t)d;
}

static inline int32_t compare_long(int64_t a, int64_t b) { return (a > b) - (a < b); }
static inline int32_t compare_double(double a, double b, int32_t nan) { return a > b ? 1 : a < b ? -1 : a == b ? 0 : nan; }

static inline int32_t narrow(int32_t v, char type)
{
    return type == 'Z' ? v & 1 : type == 'B' ? (int8_t)v : type == 'C' ? (uint16_t)v : (int16_t)v;
}

static inline bool is_instance(const jvm_obj *o, const jvm_class *cls)
{
    return o->cls == cls || jvm_is_subclass(o->cls, cls);
}

static inline bool may_store(const jvm_obj *array, const jvm_obj *value)
{
    const jvm_class *element = array->cls->component;
    return value == NULL || element->super == NULL || is_instance(value, element);
}

static int32_t lookup(const jvm_switch *s, int32_t key)
{
    int32_t low = 0, high = s->n;
    while (low < high) {
        int32_t mid = (low + high) / 2;
        if (s->keys[mid] < key)
            low = mid + 1;
        else
            high = mid;
    }
    return low < s->n && s->keys[low] == key ? s->distances[low] : s->other;
}

/* ---- hooks ----
 * What a variant does beside executing.  Those of object flow (flow/cells.h), where `slot` has a value, or is about to:
 *     PUT        a fused instruction did not need it there, the hook after it does
 *     MOVE       it has that of another slot           MADE      the instruction computed it, or it is a constant
 *     READ       it was read at an address in an object WRITE     it was written there
 *     ARGUMENTS  a call passes them                     RETURN    it is returned; RESULT: and arrives
 *     READ_BARE  the same in a bare instruction (bare.h), of which there are two handlers if HAS_BARE
 *     NATIVE     a native method returned               NEW, THROW, CAUGHT: objects */

#define HOOK_HEAP(object, address, nbytes)
#define HOOK_BACK_INTO(frame)
#define HOOK_PUT(slot, value)
#define HOOK_MOVE(to, from)
#define HOOK_MADE(slot, in)
#define HOOK_READ(slot, in, object, at)
#define HOOK_READ_FIELD(slot, in, field)
#define HOOK_WRITE(kind, in, at, slot)
#define HOOK_WRITE_FIELD(in, field, slot)
#define HOOK_ENTER(frame)
#define HOOK_ARGUMENTS(args, m)
#define HOOK_RETURN(slot)
#define HOOK_RESULT(slot)
#define HOOK_NATIVE(frame)
#define HOOK_NEW(slot, object)
#define HOOK_THROW(slot)
#define HOOK_CAUGHT(slot)
#define WHOLE_i i /* how an int is written to a slot */
#define WHOLE_j j
#define WHOLE_f f
#define WHOLE_d d
#define WHOLE_a a

/* ---- plain ---- */

#define VARIANT 0
#define INTERPRET interpret_plain
#include "jvm/engine/interp_body.inc"
#undef INTERPRET
#undef VARIANT

/* ---- undo ---- */

#undef HOOK_HEAP
#undef HOOK_BACK_INTO
#define HOOK_HEAP(object, address, nbytes) jvm_undo_add_word(address)
#define HOOK_BACK_INTO(frame)                                                                      \
    do {                                                                                           \
        if (UNLIKELY((frame)->locals < jvm_undo_mark)) {                                           \
            jvm_undo_keep_frame(frame);                                                            \
            RELOAD();                                                                              \
        }                                                                                          \
    } while (0)
#define VARIANT JVM_TRACE_UNDO
#define INTERPRET interpret_undo
#include "jvm/engine/interp_body.inc"
#undef INTERPRET
#undef VARIANT
#undef HOOK_HEAP
#undef HOOK_BACK_INTO
#define HOOK_HEAP(object, address, nbytes)
#define HOOK_BACK_INTO(frame)

/* ---- writes, without origins ---- */

/* FO8: the instruction may have waited, for a class to be loaded, say, and meanwhile other aliases were chosen, or none. */
#define IS_STILL_ON ((jvm_trace & VARIANT) != 0)

#define PASSAGE(kind, in, slot) ((jvm_passage){JAVA_ALIAS_##kind, in, frame, slot, (slot)->raw})

/* What was just written is not read again wider than that: the processor would wait for all earlier writes. */
#define WRITTEN(kind, in, at, slot) ((jvm_passage){JAVA_ALIAS_##kind, in, frame, slot, sizeof *(at) == 8 ? (slot)->raw : (uint32_t)(slot)->i})

#undef HOOK_PUT
#undef HOOK_WRITE
#undef HOOK_WRITE_FIELD
#define HOOK_PUT(slot, value) (slot)->j = (value)
#define PUT(passage, at, nbytes)                                                                   \
    do {                                                                                           \
        if (LIKELY(jvm_flow_last_only))                                                            \
            jvm_alias_last((passage).in, at, nbytes, (passage).value);                             \
        else                                                                                       \
            jvm_alias_put(passage, at, nbytes);                                                    \
    } while (0)
#define HOOK_WRITE(kind, in, at, slot) PUT(WRITTEN(kind, in, at, slot), at, sizeof *(at))
#define HOOK_WRITE_FIELD(in, field, slot)                                                          \
    do {                                                                                           \
        if (IS_STILL_ON)                                                                           \
            PUT(PASSAGE(FIELD_WRITE, in, slot), (char *)(field)->cls->mirror + (field)->offset, java_type_size((field)->type)); \
    } while (0)
#define VARIANT JVM_TRACE_LAST
#define INTERPRET interpret_last
#include "jvm/engine/interp_body.inc"
#undef INTERPRET
#undef VARIANT
#undef HOOK_WRITE
#undef HOOK_WRITE_FIELD

/* ---- object flow ---- */

#undef HOOK_MOVE
#undef HOOK_MADE
#undef HOOK_READ
#undef HOOK_READ_FIELD
#undef HOOK_ENTER
#undef HOOK_ARGUMENTS
#undef HOOK_RETURN
#undef HOOK_RESULT
#undef HOOK_NATIVE
#undef HOOK_NEW
#undef HOOK_THROW
#undef HOOK_CAUGHT
#undef WHOLE_i
#define WHOLE_i j /* it is read whole when it is passed on */
#define HOOK_MOVE(to, from) jvm_cell_move(to, from)
#define HOOK_MADE(slot, in) jvm_cell_made(slot, in)
#define HOOK_READ(slot, in, object, at) jvm_cell_read(slot, in, jvm_alias_read((const jvm_obj *)(object), at, sizeof *(at)))
#define HOOK_READ_FIELD(slot, in, field)                                                           \
    do {                                                                                           \
        if (IS_STILL_ON)                                                                           \
            jvm_cell_read(slot, in, jvm_alias_read((field)->cls->mirror, (char *)(field)->cls->mirror + (field)->offset, java_type_size((field)->type))); \
    } while (0)
#define IS_REFERENCE(at) __builtin_types_compatible_p(__typeof__(*(at)), jvm_obj *)
#define FORM(at) (IS_REFERENCE(at) ? JVM_BRIEF_REFERENCE : sizeof *(at) == 8 ? JVM_BRIEF_WIDE : sizeof *(at) == 4 ? JVM_BRIEF_INT : JVM_BRIEF_SMALL)
#define HOOK_WRITE(kind, in, at, slot) jvm_alias_write_as(FORM(at), WRITTEN(kind, in, at, slot), at, sizeof *(at))
#define HOOK_WRITE_FIELD(in, field, slot)                                                          \
    do {                                                                                           \
        if (IS_STILL_ON)                                                                           \
            jvm_alias_write(PASSAGE(FIELD_WRITE, in, slot), (char *)(field)->cls->mirror + (field)->offset, java_type_size((field)->type)); \
    } while (0)
#define HAS_BARE
#define HOOK_READ_BARE(slot, in, object, at)                                                       \
    do {                                                                                           \
        if (IS_REFERENCE(at) && UNLIKELY((slot)->a == NULL))                                       \
            jvm_cell_read(slot, in, jvm_alias_read((const jvm_obj *)(object), at, sizeof *(at)));  \
    } while (0)
#define HOOK_ENTER(frame) jvm_cell_enter(frame)
#define HOOK_ARGUMENTS(args, m) jvm_cells_pass(pc, frame, args, m)
#define HOOK_RETURN(slot)                                                                          \
    do {                                                                                           \
        if (!jvm_result_is_bare(frame, slot))                                                      \
            t->flow_returned = jvm_alias_pass(PASSAGE(RETURN, pc, slot), 0);                       \
    } while (0)
#define HOOK_RESULT(slot) jvm_cell_set(slot, t->flow_returned)
#define HOOK_NATIVE(frame) t->flow_returned = LIKELY(IS_STILL_ON) ? jvm_alias_native_result(t, frame, result) : 0
#define HOOK_NEW(slot, object) jvm_cell_set(slot, LIKELY(IS_STILL_ON) ? *jvm_shadow_of(object) : 0)
#define HOOK_THROW(slot) t->flow_thrown = jvm_alias_pass(PASSAGE(THROW, pc, slot), 0)
#define HOOK_CAUGHT(slot) jvm_cell_set(slot, LIKELY(IS_STILL_ON) ? jvm_alias_caught(t, t->exception) : 0)
#define VARIANT JVM_TRACE_FLOW
#define INTERPRET interpret_flow
#include "jvm/engine/interp_body.inc"
#undef INTERPRET

/* ---- activations ---- */

_Noreturn void jvm_interpret_again(jvm_thread *t)
{
    const jvm_activation *a = t->activation;
    t->env = a->env;
    t->c_limit = a->c_limit;
    t->border_budget = a->border_budget;
    t->scripts = a->scripts;
    t->walks = a->walks;
    t->flight = a->flight;
    t->fragile = false;
    __builtin_longjmp((void **)a->jump, 1);
}

static void again(void)
{
    jvm_interpret_again(jvm_self);
}

void jvm_interpret_again_later(jvm_thread *t)
{
    jvm_thread_park_at(t, again);
}

typedef jvm_slot interpret_fn(jvm_thread *t, jvm_method *m, jvm_slot *args);

/* The variants other than the plain one, and how much more of the C stack they take: where it is full must not depend on the variant (UL2, FO1). */
static struct {
    uint8_t trace;
    interpret_fn *interpret;
    int64_t more_stack;
} variants[] = {{JVM_TRACE_UNDO, interpret_undo, 0}, {JVM_TRACE_FLOW, interpret_flow, 0}, {JVM_TRACE_LAST, interpret_last, 0}};
enum { NVARIANTS = sizeof variants / sizeof *variants };

void jvm_interpret_init(void)
{
    jvm_slot *here = __builtin_frame_address(0);
    int64_t plain = interpret_plain(NULL, NULL, here).j;
    for (int i = 0; i < NVARIANTS; i++)
        variants[i].more_stack = variants[i].interpret(NULL, NULL, here).j - plain;
}

__attribute__((always_inline)) static inline jvm_slot run_variant(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    int i = 0;
    while (i < NVARIANTS - 1 && !(jvm_trace & variants[i].trace))
        i++;
    t->c_limit -= variants[i].more_stack;
    jvm_slot result = variants[i].interpret(t, m, args);
    t->c_limit += variants[i].more_stack;
    return result;
}

__attribute__((noinline)) static jvm_slot run(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    if (__builtin_setjmp(t->activation->jump) != 0) {
        t = jvm_self;
        jvm_agent_arrived(t);
        m = NULL;
    }
    for (;; m = NULL) {
        bool undo = jvm_trace & JVM_TRACE_UNDO;
        if (UNLIKELY(undo && m == NULL && jvm_undo_is_due()))
            jvm_undo_checkpoint(t);
        jvm_slot result = jvm_trace & JVM_TRACE_VARIANT ? run_variant(t, m, args) : interpret_plain(t, m, args);
        if (LIKELY(!t->changes_variant))
            return result;
        t->changes_variant = false;
    }
}

jvm_slot jvm_interpret(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    jvm_ticks--; /* so that two calls by one native method are at different times, */
    if (UNLIKELY(jvm_explore_waits) && m != NULL)
        jvm_explore_calls(t, m);
    if (UNLIKELY(jvm_ticks <= 0))
        jvm_sched_check_moment();
    jvm_activation here = {.outer = t->activation, .context = jvm_undo_enter_context(t), .env = t->env, .c_limit = t->c_limit,
                           .border_budget = t->border_budget, .scripts = t->scripts, .walks = t->walks, .flight = t->flight,
                           .nhandles = t->nhandles, .fragile = t->fragile};
    t->activation = &here;
    t->fragile = false;
    if (UNLIKELY(here.fragile))
        jvm_undo_cut("a call of Java by code that can't be left in the middle");
    jvm_slot result = run(t, m, args);
    t->activation = here.outer;
    t->fragile = here.fragile;
    jvm_undo_leave_context(t, here.context);
    jvm_ticks--; /* and the caller goes on at another one than the callee ended at */
    return result;
}
