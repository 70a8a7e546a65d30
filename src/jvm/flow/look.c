/* look.c - reading aliases, for those who ask (flow.h). */
#include "jvm/flow/internal.h"

#include "base/check.h"
#include "jvm/classes/loader.h"
#include "jvm/engine/bare.h"
#include "jvm/engine/ops.h"
#include "jvm/heap/heap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIAS_INIT ((uint64_t)1 << 33) /* what the object of this allocation held from the beginning */
#define ALIAS_CALL ((uint64_t)1 << 34) /* the call that this record tells as its context */

/* ---- instructions ---- */

static int32_t index_of(const jvm_method *m, uint16_t insn)
{
    if (m == NULL || m->code == NULL)
        return -1;
    uint16_t index = (uint16_t)(insn - (uint16_t)((uintptr_t)m->code->insns >> 4));
    return index < m->code->n ? index : -1;
}

static bool is_between(uint8_t op, uint8_t first, uint8_t last) { return op >= first && op <= last; }

unsigned flow_kind_of(const jvm_method *m, uint16_t insn)
{
    int32_t index = index_of(m, insn);
    if (index < 0)
        return JAVA_ALIAS_UNKNOWN;
    uint8_t op = m->bytes[m->code->bci[index]];
    return op == JVM_OP_getfield || op == JVM_OP_getstatic            ? JAVA_ALIAS_FIELD_READ
           : is_between(op, JVM_OP_iaload, JVM_OP_saload)             ? JAVA_ALIAS_ARRAY_READ
           : is_between(op, JVM_OP_aconst_null, JVM_OP_ldc2_w)        ? JAVA_ALIAS_CONSTANT
           : is_between(op, JVM_OP_invokevirtual, JVM_OP_invokedynamic) ? JAVA_ALIAS_CONSTANT /* what the call site adds */
                                                                      : JAVA_ALIAS_OPERATION;
}

static jvm_method *method_at(uint64_t place)
{
    jvm_class *cls = jvm_class_by_serial((uint32_t)(place >> 32));
    uint32_t index = place >> 16 & 0xffff;
    return cls == NULL || index >= cls->nmethods ? NULL : &cls->methods[index];
}

static uint64_t place_of(uint64_t method_place, uint16_t insn)
{
    const jvm_method *m = method_at(method_place);
    int32_t index = index_of(m, insn);
    return method_place | (index < 0 ? 0xffff : m->code->bci[index]);
}

/* ---- links ---- */

static bool is_read(unsigned kind) { return kind == JAVA_ALIAS_FIELD_READ || kind == JAVA_ALIAS_ARRAY_READ; }

/* What a read led to: if that is an allocation, nothing was written since. */
static uint64_t read_from(uint32_t number)
{
    if (number < JVM_ALIAS_FIRST || !flow_has(number))
        return number & ~3u;
    number = jvm_alias_among(number);
    return (flow_read(number).when >> 16 & 15) == JAVA_ALIAS_ALLOCATION ? number | ALIAS_INIT : number;
}

static uint64_t context_place(uint32_t context)
{
    if (context & JVM_CONTEXT_CALL)
        return flow_called(context);
    return context == 0 || !flow_has(context) ? 0 : jvm_alias_at(context)->value;
}

/* As a number that can be asked about. */
static uint64_t context_of(uint32_t number, const jvm_alias *a)
{
    return a->context & JVM_CONTEXT_CALL ? number | ALIAS_CALL : a->context;
}

/* The call in whose first ticks the record was made. */
static bool tell_call(uint64_t number, const jvm_alias *a, jvm_alias_told *out)
{
    uint64_t ticks = a->context & ((1u << JVM_CONTEXT_TICKS) - 1);
    *out = (jvm_alias_told){.number = number, .kind = JAVA_ALIAS_INVOCATION, .time = (a->when >> 20) - ticks, .place = flow_called(a->context)};
    return (a->context & JVM_CONTEXT_CALL) != 0;
}

static void tell_record(uint32_t number, const jvm_alias *a, jvm_alias_told *out)
{
    unsigned kind = a->when >> 16 & 15;
    bool has_source = a->age < JVM_AGE_END;
    *out = (jvm_alias_told){.number = number, .kind = (uint8_t)kind, .time = a->when >> 20, .context = context_of(number, a),
                            .value = jvm_is_small_value(a->value) ? (uint16_t)a->value : a->value,
                            .has_value = a->age != JVM_AGE_WHOLE && !(kind == JAVA_ALIAS_NATIVE && jvm_is_small_value(a->value) && a->origin == 0),
                            .origin = has_source ? number | JVM_ALIAS_SOURCE : is_read(kind) ? read_from(a->origin) : a->origin};
    out->place = kind == JAVA_ALIAS_INVOCATION ? a->value : place_of(context_place(a->context), (uint16_t)a->when);
    if (kind == JAVA_ALIAS_PARAMETER)
        out->slot = a->predecessor;
    else
        out->predecessor = jvm_is_small_value(a->value) ? jvm_alias_among(flow_predecessor(a) | (a->value >> 32 & 3)) : flow_predecessor(a);
}

static void tell_source(uint64_t number, const jvm_alias *a, jvm_alias_told *out)
{
    uint64_t method = context_place(a->context);
    unsigned kind = flow_kind_of(method_at(method), a->source);
    *out = (jvm_alias_told){.number = number, .kind = (uint8_t)kind, .time = (a->when >> 20) - a->age, .context = context_of((uint32_t)number, a), .value = a->value, .has_value = true,
                            .place = place_of(method, a->source), .origin = is_read(kind) ? read_from(a->origin) : 0};
}

static void tell_init(uint64_t number, const jvm_alias *a, jvm_alias_told *out)
{
    tell_record((uint32_t)number, a, out);
    out->number = number;
    out->kind = JAVA_ALIAS_INIT;
    out->origin = out->predecessor = out->value = 0;
}

/* ---- cells ---- */

static jvm_frame *frame_of(const jvm_slot *slot, const jvm_thread **of)
{
    for (const jvm_thread *t = jvm_threads_first(); t != NULL; t = t->next_all)
        for (jvm_frame *f = t->frame; f != NULL && slot >= t->stack && slot < t->stack_end; f = f->prev)
            if (slot >= f->locals) {
                *of = t;
                return f;
            }
    return NULL;
}

static bool tell_cell(const jvm_slot *slot, uint64_t number, jvm_alias_told *out)
{
    const jvm_thread *t;
    jvm_frame *f = frame_of(slot, &t);
    if (f == NULL || f->method == NULL)
        return false;
    uint64_t from = JVM_CELL_FROM(slot);
    unsigned kind = flow_kind_of(f->method, (uint16_t)(from >> 32));
    *out = (jvm_alias_told){.number = number, .kind = (uint8_t)kind, .time = JVM_CELL_TIME(slot), .context = flow_context_record(f), .value = slot->raw, .has_value = true,
                            .place = place_of(jvm_method_place(f->method, 0), (uint16_t)(from >> 32)), .origin = is_read(kind) ? read_from((uint32_t)from) : 0};
    return true;
}

/* ---- asking ---- */

bool jvm_alias_get(uint64_t number, jvm_alias_told *out)
{
    if (!jvm_flow_on || number == 0)
        return false;
    if (number & JVM_ALIAS_LAST)
        return flow.mode == JAVA_FLOW_WRITES && flow_last_get(number, out);
    if (number & JVM_ALIAS_CELL)
        return tell_cell((const jvm_slot *)(number & ~JVM_ALIAS_CELL), number, out);
    uint32_t of = (uint32_t)number & ~3u;
    if (of == 0 || !flow_has(of))
        return false;
    const jvm_alias a = flow_read(of);
    if (number & ALIAS_CALL)
        return tell_call(number, &a, out);
    if (number & ALIAS_INIT)
        tell_init(number, &a, out);
    else if (number & JVM_ALIAS_SOURCE)
        tell_source(number, &a, out);
    else
        tell_record(of, &a, out);
    return true;
}

/* FO2 */
static bool is_current(uint32_t number, const void *at, size_t nbytes)
{
    const jvm_alias a = flow_read(number);
    bool by_native = (a.when >> 16 & 15) == JAVA_ALIAS_NATIVE;
    return a.age == JVM_AGE_WHOLE || by_native || memcmp(&a.value, at, nbytes < sizeof a.value ? nbytes : sizeof a.value) == 0;
}

uint64_t jvm_alias_of_address(const jvm_obj *o, const void *at, size_t nbytes)
{
    if (!jvm_flow_on)
        return 0;
    if (flow.mode == JAVA_FLOW_WRITES)
        return flow_last_of_address(at, nbytes);
    uint32_t number = nbytes < 4 ? jvm_alias_among(*jvm_shadow_of(at) | ((uintptr_t)at & 3)) : *jvm_shadow_of(at);
    if (number == 0)
        return *jvm_shadow_of(o) < JVM_ALIAS_FIRST ? 0 : *jvm_shadow_of(o) | ALIAS_INIT;
    return flow_has(number) && is_current(number, at, nbytes) ? number : 0;
}

/* The slot whose cell tells of this one (BA2), or NULL. */
static const jvm_slot *slot_with_cell(const jvm_slot *slot)
{
    const jvm_thread *t;
    jvm_bare bare;
    const jvm_frame *f = frame_of(slot, &t);
    bool has_cell = f == NULL || f->method == NULL || f->method->code == NULL || slot < jvm_frame_stack(f) ||
                    !jvm_stack_is_bare(f->method, (uint32_t)(f->pc - f->method->code->insns), (uint32_t)(slot - jvm_frame_stack(f)), &bare);
    return has_cell || (bare.is_known_if_null && slot->a == NULL) ? slot : bare.local >= 0 ? &f->locals[bare.local] : NULL;
}

uint64_t jvm_alias_of_slot(const jvm_slot *slot)
{
    if (!jvm_flow_on || !flow.has_cells || (slot = slot_with_cell(slot)) == NULL)
        return 0;
    const jvm_thread *t;
    jvm_frame *f = frame_of(slot, &t);
    if (f != NULL)
        jvm_cell_arrive(f, (jvm_slot *)slot);
    uint64_t from = JVM_CELL_FROM(slot);
    return from >> 32 == 0 ? (uint32_t)from : (uintptr_t)slot | JVM_ALIAS_CELL;
}

uint64_t jvm_alias_of_object(const jvm_obj *o)
{
    return jvm_flow_on ? *jvm_shadow_of(o) : 0;
}

/* ---- checking ---- */

/* FO2: of 4 bytes of the heap. */
static bool is_stale(const char *at)
{
    uint32_t number = *jvm_shadow_of(at);
    if (number < JVM_ALIAS_FIRST)
        return false;
    if (!flow_has(number) || (number & 3) != 0)
        return true;
    const jvm_alias a = flow_read(number);
    if (a.age == JVM_AGE_WHOLE || (a.when >> 16 & 15) == JAVA_ALIAS_NATIVE)
        return false;
    return jvm_is_small_value(a.value) ? (uint8_t)at[a.value >> 32 & 3] != (uint8_t)a.value : memcmp(at, &a.value, 4) != 0;
}

static void check_at(const jvm_obj *o, size_t offset, size_t nbytes)
{
    const char *at = (const char *)o + offset;
    if (flow.mode == JAVA_FLOW_WRITES ? !flow_last_is_stale(at, nbytes) : !is_stale((const char *)o + (offset & ~(size_t)3)))
        return;
    fprintf(stderr, "The alias of %s+%zu is of another value.\n", o->cls->name->text, offset);
    ebb_check(!"FO2");
}

static void check_elements(const jvm_obj *array)
{
    size_t nbytes = java_type_size(array->cls->element_type);
    for (int32_t i = 0; i < array->length; i++)
        if (nbytes >= 4 || (size_t)i * nbytes % 4 == 0)
            check_at(array, JVM_ARRAY_BASE + (size_t)i * nbytes, nbytes);
}

void flow_check_object(const jvm_obj *o)
{
    if (jvm_class_is_array(o->cls)) {
        check_elements(o);
        return;
    }
    for (const jvm_class *cls = o->cls; cls != NULL; cls = cls->super)
        for (uint16_t i = 0; i < cls->nfields; i++)
            if (!(cls->fields[i].access & JVM_ACC_STATIC))
                check_at(o, cls->fields[i].offset, java_type_size(cls->fields[i].type));
}

/* ---- travels ---- */

typedef struct travels {
    const jvm_obj *of;
    uint64_t since;
    uint64_t *numbers;
    size_t n, at_most;
} travels;

static void add_number(travels *t, uint64_t number)
{
    if (t->n < t->at_most)
        t->numbers[t->n++] = number;
}

/* A record, and what is kept in it of how the value was read in the same invocation. */
static void add_travel(uint32_t number, const jvm_alias *a, void *arg)
{
    travels *t = arg;
    unsigned kind = a->when >> 16 & 15;
    if (a->value != (uintptr_t)t->of || a->when >> 20 < t->since || a->age == JVM_AGE_WHOLE || kind == JAVA_ALIAS_INVOCATION)
        return;
    if (a->age < JVM_AGE_END)
        add_number(t, number | JVM_ALIAS_SOURCE);
    add_number(t, number);
}

static int by_time(const void *a, const void *b)
{
    jvm_alias_told x = {0}, y = {0};
    (void)jvm_alias_get(*(const uint64_t *)a, &x);
    (void)jvm_alias_get(*(const uint64_t *)b, &y);
    return x.time != y.time ? (x.time < y.time ? -1 : 1) : x.place != y.place ? (x.place < y.place ? -1 : 1) : (x.kind > y.kind) - (x.kind < y.kind);
}

size_t jvm_alias_travels(const jvm_obj *o, uint64_t *numbers, size_t at_most)
{
    if (!jvm_flow_on)
        return 0;
    uint32_t made = *jvm_shadow_of(o);
    travels t = {o, made < JVM_ALIAS_FIRST ? 0 : jvm_alias_at(made)->when >> 20, numbers, 0, at_most};
    flow_each(add_travel, &t);
    qsort(numbers, t.n, sizeof *numbers, by_time);
    return t.n;
}
