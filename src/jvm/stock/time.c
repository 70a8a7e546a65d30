/* time.c - the counters of a woven program (weave/runtime/ebb/Timestamp.java), read and set from outside. */
#include "jvm/stock/internal.h"

#include <string.h>

static bool find_members(stock *k, stock_class *cls)
{
    static const char *const names[] = {"first", "count", "stop", "cells"};
    uint64_t *const ids[] = {&k->time.first, &k->time.count, &k->time.stop, &k->time.cells};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const stock_member *field = stock_field_named(k, cls, names[i]);
        if (!field)
            return false;
        *ids[i] = field->id;
    }
    return stock_method_named(k, cls, "brake", "()V") != NULL;
}

static bool value_of(stock *k, uint64_t object, const stock_class *cls, uint64_t field, jvm_wire_word *out)
{
    stock_member member = {.id = field};
    return stock_field_value(k, object, cls, &member, out, NULL) == EBB_OK;
}

static bool is_initialised(stock *k, const stock_class *cls)
{
    ebb_arena arena = {0};
    jvm_wire_number q = {.value = cls->serial}, a = {0};
    bool is_so = stock_serve_class_is_initialised(k, &q, &a, &arena, NULL) == EBB_OK && a.value != 0;
    ebb_arena_fini(&arena);
    return is_so;
}

/* The program's counters; false: it has none yet. */
static bool has_counters(stock *k)
{
    jvm_wire_word first;
    if (k->time.cls)
        return true;
    stock_class *cls = stock_class_named(k, "Lebb/Timestamp;");
    if (!cls || !is_initialised(k, cls) || !find_members(k, cls) || !value_of(k, 0, cls, k->time.first, &first) ||
        stock_object(k, first.bits, &k->time.first_thread, NULL) != EBB_OK)
        return false;
    k->time.cls = cls;
    return true;
}

/* ---- the counter of a thread ---- */

typedef struct counter {
    uint64_t object; /* 0: static */
    const stock_class *cls;
    uint64_t count, stop; /* fields */
} counter;

/* A field of an object, found by names. */
typedef struct found_field {
    const stock_class *cls;
    uint64_t id;
    jvm_wire_word value;
} found_field;

static bool find_field(stock *k, java_ref ref, const char *of, const char *name, found_field *out)
{
    uint64_t object;
    stock_class *cls = stock_class_named(k, of);
    const stock_member *field = cls ? stock_field_named(k, cls, name) : NULL;
    if (!field || stock_object(k, ref, &object, NULL) != EBB_OK)
        return false;
    *out = (found_field){.cls = cls, .id = field->id};
    return stock_field_value(k, object, cls, field, &out->value, NULL) == EBB_OK;
}

/* The second thread's are static, too, in a class of their own. */
static bool find_second(stock *k, uint64_t thread, counter *c)
{
    stock_class *cls = stock_class_named(k, "Lebb/Timestamp$Second;");
    const stock_member *owner = cls ? stock_field_named(k, cls, "owner") : NULL, *count = cls ? stock_field_named(k, cls, "count") : NULL,
                       *stop = cls ? stock_field_named(k, cls, "stop") : NULL;
    jvm_wire_word who;
    if (!owner || !count || !stop || !value_of(k, 0, cls, owner->id, &who) || who.bits != stock_ref(k, thread))
        return false;
    *c = (counter){0, cls, count->id, stop->id};
    return true;
}

/* Any other thread has a cell in a table, at its number. */
static bool find_cell(stock *k, uint64_t thread, counter *c)
{
    enum { SLOTS = 1024 };
    ebb_arena arena = {0};
    static const char of_cell[] = "Lebb/Timestamp$Cell;";
    jvm_wire_word cells;
    jvm_wire_words cell = {0};
    found_field number, owner, count, stop;
    bool found = find_field(k, stock_ref(k, thread), "Ljava/lang/Thread;", "tid", &number) && value_of(k, 0, k->time.cls, k->time.cells, &cells);
    jvm_wire_elements at = {.array = found ? cells.bits : 0, .from = found ? (uint32_t)(number.value.bits & (SLOTS - 1)) : 0, .count = 1};
    found = found && stock_serve_array_get(k, &at, &cell, &arena, NULL) == EBB_OK && cell.list.n == 1;
    java_ref ref = found ? cell.list.items[0].bits : 0;
    found = found && find_field(k, ref, of_cell, "owner", &owner) && owner.value.bits == stock_ref(k, thread) &&
            find_field(k, ref, of_cell, "count", &count) && find_field(k, ref, of_cell, "stop", &stop) &&
            stock_object(k, ref, &c->object, NULL) == EBB_OK;
    if (found)
        *c = (counter){c->object, stop.cls, count.id, stop.id};
    ebb_arena_fini(&arena);
    return found;
}

static bool find_counter(stock *k, uint64_t thread, counter *c)
{
    if (!thread || !has_counters(k))
        return false;
    if (thread != k->time.first_thread)
        return find_second(k, thread, c) || find_cell(k, thread, c);
    *c = (counter){0, k->time.cls, k->time.count, k->time.stop};
    return true;
}

static void set_field(stock *k, const counter *c, uint64_t field, uint64_t value)
{
    ebb_arena arena = {0};
    jdwp_in in;
    if (c->object)
        (void)!stock_ask(k, &arena, &in, NULL, JDWP_OBJECT_SET_VALUES, "oifl", c->object, (uint64_t)1, field, value);
    else
        (void)!stock_ask(k, &arena, &in, NULL, JDWP_CLASS_SET_VALUES, "tifl", c->cls->type, (uint64_t)1, field, value);
    ebb_arena_fini(&arena);
}

uint64_t stock_time(stock *k, uint64_t thread)
{
    counter c;
    jvm_wire_word count;
    return find_counter(k, thread, &c) && value_of(k, c.object, c.cls, c.count, &count) ? count.bits : 0;
}

void stock_time_set(stock *k, uint64_t thread, uint64_t time)
{
    counter c;
    if (find_counter(k, thread, &c))
        set_field(k, &c, c.count, time);
}

/* ---- stops ---- */

static ebb_status set_brake(stock *k, ebb_error *err)
{
    stock_filters f = {0};
    const stock_member *brake = stock_method_named(k, k->time.cls, "brake", "()V");
    size_t index = (size_t)(brake - k->time.cls->methods);
    if (k->time.request)
        return EBB_OK;
    stock_filter_place(k, &f, (machine_place)k->time.cls->serial << 32 | index << 16);
    return stock_request(k, JDWP_BREAKPOINT, true, &f, &k->time.request, err);
}

/* The first tick of a program would initialise its counters; it is done before, so that they can be told. */
static ebb_status need_counters(stock *k, ebb_error *err)
{
    stock_class *ignored;
    if (has_counters(k))
        return EBB_OK;
    if (stock_load(k, "ebb.Timestamp", true, &ignored, NULL) == EBB_OK && has_counters(k))
        return EBB_OK;
    return ebb_fail(err, EBB_UNSUPPORTED, "The program counts no time: its classes were not woven.");
}

ebb_status stock_time_stop_at(stock *k, uint64_t thread, uint64_t time, ebb_error *err)
{
    counter c;
    EBB_TRY(need_counters(k, err));
    if (!find_counter(k, thread, &c))
        return ebb_fail(err, EBB_UNSUPPORTED, "That thread has counted no time yet.");
    EBB_TRY(set_brake(k, err));
    set_field(k, &c, c.stop, time);
    return EBB_OK;
}

void stock_time_stop_nowhere(stock *k, uint64_t thread)
{
    counter c;
    stock_cancel(k, JDWP_BREAKPOINT, &k->time.request);
    if (find_counter(k, thread, &c))
        set_field(k, &c, c.stop, INT64_MAX);
}
