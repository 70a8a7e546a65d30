/* flow.c - making aliases: what the interpreter does not do by itself, and what C code does (told.h). */
#include "jvm/flow/internal.h"

#include "base/mem.h"
#include "base/sizes.h"
#include "jvm/heap/heap.h"
#include "jvm/heap/region.h"

flow_state flow;
bool jvm_flow_on, jvm_flow_forgets, jvm_flow_last_only;

/* ---- records ---- */

uint32_t flow_record(const jvm_alias *a)
{
    uint32_t number = flow_take_young();
    *jvm_alias_at(number) = *a;
    return number;
}

uint32_t flow_record_put(const jvm_alias *a)
{
    uint32_t number = flow_take_old();
    *jvm_alias_at(number) = *a;
    jvm_alias_note(number, a->origin);
    return number;
}

/* ---- contexts ---- */

enum { MOST_METHODS = 1 << (31 - JVM_CONTEXT_TICKS) };
static EBB_VEC(uint64_t) called; /* places of methods, by their number in contexts */

static jvm_frame *method_frame(const jvm_frame *f)
{
    while (f != NULL && f->kind == JVM_FRAME_ENTRY)
        f = f->prev;
    return (jvm_frame *)f;
}

/* From now on its calls begin with a number; those that there are already get it here. */
static void number_method(jvm_frame *f)
{
    if (f->method->flow_context == 0 && called.n < MOST_METHODS) {
        f->method->flow_context = JVM_CONTEXT_CALL | (uint32_t)called.n << JVM_CONTEXT_TICKS;
        ebb_vec_push(&called, jvm_method_place(f->method, 0));
    }
    JVM_CELL_FROM(f) = f->method->flow_context;
}

uint32_t flow_context_record(jvm_frame *f)
{
    const jvm_frame *caller = method_frame(f->prev);
    uint32_t callers = caller == NULL ? 0 : (uint32_t)JVM_CELL_FROM(caller);
    if ((uint32_t)JVM_CELL_FROM(f) == 0 || (uint32_t)JVM_CELL_FROM(f) & JVM_CONTEXT_CALL)
        JVM_CELL_FROM(f) = flow_record_put(&(jvm_alias){.when = jvm_alias_when(JVM_CELL_TIME(f), JAVA_ALIAS_INVOCATION, caller == NULL ? NULL : caller->pc),
                                                        .value = jvm_method_place(f->method, 0), .context = callers & JVM_CONTEXT_CALL ? 0 : callers, .age = JVM_AGE_NONE});
    return (uint32_t)JVM_CELL_FROM(f);
}

uint32_t jvm_flow_context(jvm_frame *f, uint64_t time)
{
    f = method_frame(f);
    if (f == NULL)
        return 0;
    if ((uint32_t)JVM_CELL_FROM(f) == 0)
        number_method(f);
    uint32_t context = (uint32_t)JVM_CELL_FROM(f);
    uint64_t ticks = time - JVM_CELL_TIME(f);
    bool is_early = context & JVM_CONTEXT_CALL && ticks >> JVM_CONTEXT_TICKS == 0;
    return is_early ? context | (uint32_t)ticks : flow_context_record(f);
}

uint64_t flow_called(uint32_t context)
{
    uint32_t number = (context & ~JVM_CONTEXT_CALL) >> JVM_CONTEXT_TICKS;
    return number < called.n ? called.items[number] : 0;
}

void flow_forget_called(void) { called.n = 0; }

uint32_t flow_method_context(jvm_method *m)
{
    if (m->flow_context == 0)
        m->flow_context = flow_record_put(&(jvm_alias){.when = JAVA_ALIAS_INVOCATION << 16, .value = jvm_method_place(m, 0), .age = JVM_AGE_NONE});
    return m->flow_context;
}

/* The context of what C code does now. */
static uint32_t context_now(void)
{
    jvm_frame *f = jvm_self == NULL ? NULL : jvm_top_frame(jvm_self);
    return f == NULL ? 0 : flow.has_cells ? jvm_flow_context(f, jvm_flow_now()) : flow_method_context(f->method);
}

/* ---- passing on ---- */

static bool is_kept(unsigned kind) { return flow.kinds >> kind & 1; }

/* Of a write without its predecessor the one that has the place instead is young. */
static uint32_t record_as(unsigned kind, const jvm_alias *a)
{
    return flow_is_write(kind) && !(flow.no_predecessors && a->predecessor >= JVM_PLACES) ? flow_record_put(a) : flow_record(a);
}

uint32_t flow_predecessor(const jvm_alias *a)
{
    return flow.no_predecessors && flow_is_write(a->when >> 16 & 15) ? JVM_ALIAS_UNKNOWN : a->predecessor;
}

/* The link that the cell holds, as a record; 0: none. */
static uint32_t record_source(const jvm_passage *p)
{
    uint64_t from = JVM_CELL_FROM(p->slot);
    if (from >> 32 == 0)
        return (uint32_t)from;
    unsigned kind = flow_kind_of(p->frame->method, (uint16_t)(from >> 32));
    if (!is_kept(kind))
        return (uint32_t)from;
    return flow_record(&(jvm_alias){.when = JVM_CELL_TIME(p->slot) << 20 | kind << 16 | (uint16_t)(from >> 32), .value = p->value,
                                    .origin = (uint32_t)from, .context = jvm_flow_context(p->frame, JVM_CELL_TIME(p->slot)), .age = JVM_AGE_NONE});
}

static bool is_left_out(const jvm_passage *p)
{
    return flow.considers && ((flow.mode == JAVA_FLOW_NULLS && p->value != 0) || !flow_follows(p->frame->method));
}

/* Where not every kind is kept. */
static uint32_t consider(const jvm_passage *p, uint32_t predecessor, uint64_t time)
{
    uint32_t origin = record_source(p);
    if (!is_kept(p->kind) && !flow_is_write(p->kind))
        return origin;
    return record_as(p->kind, &(jvm_alias){.when = jvm_alias_when(time, p->kind, p->in), .value = p->value, .origin = origin, .predecessor = predecessor,
                                           .context = jvm_flow_context(p->frame, time), .age = JVM_AGE_NONE});
}

/* The cell is the frame's own. */
static uint32_t pass_at(const jvm_passage *p, uint32_t predecessor, uint64_t time)
{
    if (is_left_out(p))
        return JVM_ALIAS_UNKNOWN;
    if (flow.kinds != ALL_KINDS)
        return consider(p, predecessor, time);
    uint32_t context = jvm_flow_context(p->frame, time);
    uint64_t from = JVM_CELL_FROM(p->slot), age = time - JVM_CELL_TIME(p->slot);
    bool has_source = from >> 32 != 0 && age < JVM_AGE_END;
    uint32_t origin = has_source ? (uint32_t)from : record_source(p);
    return record_as(p->kind, &(jvm_alias){.when = jvm_alias_when(time, p->kind, p->in), .value = p->value, .origin = origin,
                                           .predecessor = predecessor, .context = context, .source = has_source ? (uint16_t)(from >> 32) : 0,
                                           .age = has_source ? (uint16_t)age : JVM_AGE_NONE});
}

uint32_t jvm_alias_pass_slow(jvm_passage p, uint32_t predecessor)
{
    if (is_left_out(&p))
        return JVM_ALIAS_UNKNOWN;
    flow_evacuate_if_full(); /* YO3 */
    jvm_cell_arrive(p.frame, p.slot);
    return pass_at(&p, predecessor, jvm_flow_now());
}

uint32_t jvm_alias_put_slow(jvm_passage p, uint32_t predecessor)
{
    if (is_left_out(&p))
        return JVM_ALIAS_UNKNOWN;
    flow_evacuate_if_full();
    return record_as(p.kind, &(jvm_alias){.when = jvm_alias_when(jvm_flow_now(), p.kind, p.in), .value = p.value, .origin = JVM_ALIAS_UNKNOWN, .predecessor = predecessor,
                                          .context = flow_method_context(p.frame->method), .age = JVM_AGE_NONE});
}

/* ---- arguments ---- */

typedef struct cell {
    uint64_t time, from;
} cell;

static cell cell_of(const jvm_slot *slot) { return (cell){JVM_CELL_TIME(slot), JVM_CELL_FROM(slot)}; }

static void set_cell(jvm_slot *slot, cell c)
{
    JVM_CELL_TIME(slot) = c.time;
    JVM_CELL_FROM(slot) = c.from;
}

/* The parameter that came with this cell, and still has it; the number of arguments: it was assigned to since. */
static uint32_t parameter_with(const jvm_frame *f, cell c)
{
    uint32_t i = 0;
    while (i < f->method->nargs && (JVM_CELL_TIME(&f->locals[i]) != c.time || JVM_CELL_FROM(&f->locals[i]) != c.from))
        i++;
    return i;
}

/* The cell is that of the caller still.  The parameter gets the record, too: it may be asked about often. */
static void arrive_from_caller(jvm_frame *f, jvm_slot *slot)
{
    cell before = cell_of(slot), now = {JVM_CELL_TIME(f), before.from};
    uint32_t parameter = parameter_with(f, before);
    if (f->prev != NULL && f->prev->kind == JVM_FRAME_JAVA)
        now.from = pass_at(&(jvm_passage){JAVA_ALIAS_PARAMETER, f->prev->pc, f->prev, slot, slot->raw}, parameter, JVM_CELL_TIME(f) - 1);
    set_cell(slot, now);
    if (parameter < f->method->nargs)
        set_cell(&f->locals[parameter], now);
}

static bool is_from_caller(const jvm_frame *f, const jvm_slot *slot) { return f != NULL && f->kind != JVM_FRAME_ENTRY && JVM_CELL_TIME(slot) < JVM_CELL_TIME(f); }

enum { AT_ONCE = 32 }; /* frames */

/* Of the frames that the value was passed through, the outermost ones. */
static void arrive_through_some(jvm_frame *f, jvm_slot *slot)
{
    jvm_frame *through[AT_ONCE];
    size_t n = 0;
    for (; is_from_caller(f, slot); f = f->prev)
        through[n++ % AT_ONCE] = f;
    for (size_t i = n < AT_ONCE ? n : AT_ONCE; i > 0; i--)
        arrive_from_caller(through[--n % AT_ONCE], slot);
}

void jvm_cell_arrive(jvm_frame *f, jvm_slot *slot)
{
    while (is_from_caller(f, slot))
        arrive_through_some(f, slot);
}

void jvm_cells_pass_slow(const jvm_insn *in, jvm_frame *caller, jvm_slot *args, const jvm_method *m)
{
    for (uint32_t i = 0; i < m->nargs && jvm_flow_on; i++) { /* FO8 */
        uint32_t number = jvm_alias_pass((jvm_passage){JAVA_ALIAS_PARAMETER, in, caller, &args[i], args[i].raw}, i);
        set_cell(&args[i], (cell){jvm_flow_now() + 1, number});
    }
}

enum { MOST_STEPS = 1 << 16 }; /* of a search among neighbours */

uint32_t jvm_alias_among(uint32_t number)
{
    unsigned byte = number & 3;
    number &= ~3u;
    for (int i = 0; i < MOST_STEPS && number != 0; i++) {
        const jvm_alias a = flow_read(number);
        if (a.age == JVM_AGE_WHOLE || !jvm_is_small_value(a.value) || (a.value >> 32 & 3) == byte)
            return number;
        number = flow_predecessor(&a);
    }
    return number == 0 ? 0 : JVM_ALIAS_UNKNOWN;
}

/* ---- objects ---- */

void jvm_flow_made_(jvm_obj *o, size_t nbytes)
{
    flow_evacuate_if_full();
    if ((uintptr_t)o < JVM_REGION_LARGE) /* what is large was mapped just now */
        memset(jvm_shadow_of(o), 0, (nbytes + 7) & ~(size_t)7);
    if (flow.mode == JAVA_FLOW_WRITES || !is_kept(JAVA_ALIAS_ALLOCATION)) {
        *jvm_shadow_of(o) = JVM_ALIAS_UNKNOWN;
        return;
    }
    const jvm_frame *f = jvm_self == NULL ? NULL : jvm_top_frame(jvm_self);
    *jvm_shadow_of(o) = flow_record_put(&(jvm_alias){.when = jvm_alias_when(jvm_flow_now(), JAVA_ALIAS_ALLOCATION, f == NULL ? NULL : f->pc),
                                                     .value = (uintptr_t)o, .context = context_now(), .age = JVM_AGE_NONE});
}

/* ---- what natives write ---- */

static uint32_t native_alias(uint16_t age, uint64_t value, uint32_t origin, uint32_t predecessor)
{
    const jvm_frame *f = jvm_self == NULL ? NULL : jvm_top_frame(jvm_self);
    return flow_record_put(&(jvm_alias){.when = jvm_alias_when(jvm_flow_now(), JAVA_ALIAS_NATIVE, f == NULL ? NULL : f->pc), .value = value, .origin = origin,
                                    .predecessor = predecessor, .context = context_now(), .age = age});
}

/* One word or less, which is known to be a value of its own. */
static bool is_one_value(const jvm_obj *o, const void *at, size_t nbytes)
{
    bool in_bytes = o != NULL && jvm_class_is_array(o->cls) && java_type_size(o->cls->element_type) < nbytes;
    return !in_bytes && ((uintptr_t)at & (nbytes - 1)) == 0 && (nbytes == 1 || nbytes == 2 || nbytes == 4 || nbytes == 8);
}

static void fill(char *at, size_t nbytes, uint32_t number)
{
    char *first = (char *)(((uintptr_t)at + 3) & ~(uintptr_t)3), *end = (char *)((uintptr_t)(at + nbytes) & ~(uintptr_t)3);
    if (at < first)
        *jvm_shadow_of(at) = JVM_ALIAS_UNKNOWN; /* a part of the word is somebody else's */
    if (end < at + nbytes)
        *jvm_shadow_of(end) = JVM_ALIAS_UNKNOWN;
    for (; first < end; first += 4)
        *jvm_shadow_of(first) = number;
}

static bool has_shadow(const void *at) { return jvm_heap_has_address(at) || ((uintptr_t)at >= JVM_REGION_LARGE && (uintptr_t)at < JVM_REGION_OFFHEAP); }

void jvm_flow_written_(const jvm_obj *o, void *at, size_t nbytes)
{
    if (nbytes == 0 || !has_shadow(at))
        return;
    if (flow.mode == JAVA_FLOW_WRITES) {
        flow_last_native(at, nbytes, context_now());
        return;
    }
    flow_evacuate_if_full();
    uint32_t *shadow = jvm_shadow_of(at);
    if (!is_one_value(o, at, nbytes))
        fill(at, nbytes, native_alias(JVM_AGE_WHOLE, 0, 0, 0));
    else
        *shadow = native_alias(nbytes < 4 ? JVM_AGE_NONE : JVM_AGE_WHOLE, nbytes < 4 ? JVM_SMALL_BITS(0, at) : 0, 0, flow.no_predecessors ? JVM_ALIAS_UNKNOWN : *shadow);
}

static uint64_t bits_at(const void *at, size_t nbytes)
{
    uint64_t bits = 0;
    memcpy(&bits, at, nbytes < sizeof bits ? nbytes : sizeof bits);
    return bits;
}

void jvm_flow_wrote_(void *to, size_t nbytes, const jvm_slot *argument)
{
    if (!has_shadow(to) || flow.mode == JAVA_FLOW_WRITES)
        return;
    uint32_t number = *jvm_shadow_of(to);
    if (number < JVM_ALIAS_FIRST)
        return;
    jvm_alias *a = jvm_alias_at(number); /* jvm_flow_written made it just now */
    if (!flow.no_origins)
        jvm_cell_arrive(jvm_top_frame(jvm_self), (jvm_slot *)argument); /* so that it has the record of a parameter */
    a->value = nbytes < 4 ? JVM_SMALL_BITS(argument->raw, to) : argument->raw;
    a->origin = flow.no_origins ? JVM_ALIAS_UNKNOWN : (uint32_t)JVM_CELL_FROM(argument);
    a->age = JVM_AGE_NONE;
    jvm_alias_note(number, a->origin);
}

/* What is copied is told of the call of arraycopy or clone, in the method that called it. */
static uint32_t copy_alias(uint64_t value, uint32_t origin, uint32_t predecessor)
{
    jvm_frame *native = jvm_top_frame(jvm_self), *f = native == NULL ? NULL : native->prev;
    bool is_called = flow.has_cells && f != NULL && native->kind == JVM_FRAME_NATIVE && f->kind == JVM_FRAME_JAVA;
    uint64_t time = is_called ? JVM_CELL_TIME(native) - 1 : jvm_flow_now();
    return flow_record_put(&(jvm_alias){.when = jvm_alias_when(time, JAVA_ALIAS_COPY, is_called ? f->pc : NULL), .value = value, .origin = origin, .predecessor = predecessor,
                                        .context = is_called ? jvm_flow_context(f, time) : context_now(), .age = JVM_AGE_NONE});
}

static void copy_each(char *to, const char *from, size_t nbytes, size_t element)
{
    bool is_down = to < from;
    for (size_t i = 0; i < nbytes / element; i++) {
        size_t at = (is_down ? i : nbytes / element - 1 - i) * element;
        flow_evacuate_if_full();
        uint32_t *shadow = jvm_shadow_of(to + at), origin = *jvm_shadow_of(from + at);
        *shadow = copy_alias(bits_at(from + at, nbytes - at), flow.no_origins ? JVM_ALIAS_UNKNOWN : origin, flow.no_predecessors ? JVM_ALIAS_UNKNOWN : *shadow);
    }
}

enum { MOST_COPIED = 1 << 16 };

void jvm_flow_copied_(void *to, const void *from, size_t nbytes, size_t element)
{
    if (nbytes == 0 || !has_shadow(to))
        return;
    if (flow.mode == JAVA_FLOW_WRITES) {
        flow_last_native(to, nbytes, context_now());
        return;
    }
    flow_evacuate_if_full();
    bool each = element >= 4 && nbytes / element <= MOST_COPIED && has_shadow(from) && flow.mode == JAVA_FLOW_ALL;
    if (each)
        copy_each(to, from, nbytes, element);
    else
        fill(to, nbytes, native_alias(JVM_AGE_WHOLE, 0, 0, 0));
}

void jvm_flow_fetched_(jvm_thread *t, const void *from, size_t nbytes)
{
    if (has_shadow(from) && flow.has_cells)
        t->flow_passed = nbytes < 4 ? jvm_alias_among(*jvm_shadow_of(from) | ((uintptr_t)from & 3)) : *jvm_shadow_of(from);
}

/* From the slots of the native method that calls. */
static void move_argument(const jvm_thread *t, jvm_slot *to, jvm_slot *from)
{
    jvm_cell_arrive(t->frame, from);
    jvm_cell_move(to, from);
}

void jvm_flow_calls_(jvm_thread *t, jvm_slot *place, const jvm_slot *args, size_t n)
{
    if (!flow.has_cells)
        return;
    jvm_cell_enter((jvm_frame *)place - 1);
    bool are_slots = args >= t->stack && args < t->stack_end;
    uint32_t number = are_slots || n == 0 ? 0 : native_alias(JVM_AGE_WHOLE, 0, 0, 0);
    for (size_t i = 0; i < n; i++)
        if (are_slots)
            move_argument(t, &place[i], (jvm_slot *)&args[i]);
        else
            jvm_cell_set(&place[i], number);
}

uint32_t jvm_alias_native_result(jvm_thread *t, jvm_frame *native, jvm_slot result)
{
    uint32_t passed = t->flow_passed;
    t->flow_passed = 0;
    if (native->method->ret == 'V')
        return 0;
    if (flow.mode == JAVA_FLOW_NULLS && result.raw != 0)
        return JVM_ALIAS_UNKNOWN;
    unsigned kind = passed != 0 ? JAVA_ALIAS_RETURN : JAVA_ALIAS_NATIVE;
    return flow_record(&(jvm_alias){.when = jvm_alias_when(jvm_flow_now(), kind, NULL), .value = result.raw, .origin = passed,
                                    .context = jvm_flow_context(native, jvm_flow_now()), .age = JVM_AGE_NONE});
}

uint32_t jvm_alias_caught(const jvm_thread *t, const jvm_obj *exception)
{
    bool is_it = t->flow_thrown != 0 && jvm_alias_at(t->flow_thrown)->value == (uintptr_t)exception;
    return is_it ? t->flow_thrown : *jvm_shadow_of(exception);
}
