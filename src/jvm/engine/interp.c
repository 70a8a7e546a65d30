/* The variants of the interpreter: the same handlers with different hooks (interp.h). */
#include "jvm/engine/interp.h"

#include "base/check.h"
#include "jvm/agent/agent.h"
#include "jvm/explore/capture.h"
#include "jvm/explore/explore.h"
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

/* ---- plain ---- */

#define HOOK_LOCAL(slot)
#define HOOK_HEAP(object, address, nbytes)
#define HOOK_BACK_INTO(frame)
#define VARIANT 0
#define INTERPRET interpret_plain
#include "jvm/engine/interp_body.inc"
#undef INTERPRET
#undef VARIANT
#undef HOOK_HEAP
#undef HOOK_BACK_INTO

/* ---- undo ---- */

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

/* How much more of the C stack the variant with the undo log takes: where it is full must not depend on the variant (UL2). */
static int64_t more_stack;

void jvm_interpret_init(void)
{
    jvm_slot *here = __builtin_frame_address(0);
    more_stack = interpret_undo(NULL, NULL, here).j - interpret_plain(NULL, NULL, here).j;
}

__attribute__((always_inline)) static inline jvm_slot run_undo(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    t->c_limit -= more_stack;
    jvm_slot result = interpret_undo(t, m, args);
    t->c_limit += more_stack;
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
        jvm_slot result = undo ? run_undo(t, m, args) : interpret_plain(t, m, args);
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
