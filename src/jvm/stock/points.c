/* points.c - what the JVM is asked to tell of: breakpoints, fields, exceptions, classes and threads. */
#include "jvm/stock/internal.h"

#include "base/text.h"

#include <string.h>

enum { OF_THREAD = 3, OF_CLASS_NAMED = 5, AT_PLACE = 7, OF_EXCEPTION = 8, OF_FIELD = 9, OF_OBJECT = 11, OF_SOURCE = 12 };
enum { ACC_STATIC = 0x0008, REF_SHIFT = 36 };

/* ---- requests ---- */

ebb_status stock_request(stock *k, uint8_t event, bool suspends, stock_filters *filters, uint32_t *id, ebb_error *err)
{
    ebb_arena arena = {0};
    ebb_buf out = {0};
    jdwp_in in;
    stock_put(k, &out, "bbi", (uint64_t)event, (uint64_t)(suspends ? 2 : 0), (uint64_t)filters->n);
    ebb_buf_add(&out, filters->bytes.data, filters->bytes.n);
    ebb_buf_fini(&filters->bytes);
    filters->n = 0;
    ebb_status status = jdwp_ask(&k->j, JDWP_EVENT_SET, &out, &arena, &in, err);
    if (status == EBB_OK)
        *id = jdwp_u32(&in);
    ebb_arena_fini(&arena);
    return status;
}

void stock_cancel(stock *k, uint8_t event, uint32_t *request)
{
    ebb_arena arena = {0};
    jdwp_in in;
    if (*request)
        (void)!stock_ask(k, &arena, &in, NULL, JDWP_EVENT_CLEAR, "bi", (uint64_t)event, (uint64_t)*request);
    *request = 0;
    ebb_arena_fini(&arena);
}

void stock_filter_thread(stock *k, stock_filters *f, uint64_t thread)
{
    if (!thread)
        return;
    stock_put(k, &f->bytes, "bo", (uint64_t)OF_THREAD, thread);
    f->n++;
}

bool stock_filter_place(stock *k, stock_filters *f, machine_place place)
{
    stock_put(k, &f->bytes, "b", (uint64_t)AT_PLACE);
    f->n++;
    return stock_put_place(k, &f->bytes, place);
}

/* ---- points ---- */

static ebb_status no_place(ebb_error *err)
{
    return ebb_fail(err, EBB_NOT_FOUND, "No code of Java is there.");
}

static ebb_status add_exec(stock *k, const jvm_wire_point *q, ebb_error *err)
{
    stock_filters f = {0};
    stock_point p = {.wire = *q, .event = JDWP_BREAKPOINT, .is_new_here = k->by_step && q->addr == k->place};
    if (!stock_filter_place(k, &f, q->addr)) {
        ebb_buf_fini(&f.bytes);
        return no_place(err);
    }
    stock_filter_thread(k, &f, stock_thread_of(k, (machine_tid)q->thread));
    EBB_TRY(stock_request(k, p.event, true, &f, &p.request, err));
    ebb_vec_push(&k->points, p);
    return EBB_OK;
}

typedef struct watched_field {
    stock_class *cls;
    const stock_member *field;
    uint64_t object; /* 0: of every object, or static */
} watched_field;

static ebb_status add_field_event(stock *k, const jvm_wire_point *q, uint8_t event, const watched_field *w, ebb_error *err)
{
    stock_filters f = {.n = 1};
    stock_point p = {.wire = *q, .event = event};
    stock_put(k, &f.bytes, "btf", (uint64_t)OF_FIELD, w->cls->type, w->field->id);
    if (w->object) {
        stock_put(k, &f.bytes, "bo", (uint64_t)OF_OBJECT, w->object);
        f.n++;
    }
    stock_filter_thread(k, &f, stock_thread_of(k, (machine_tid)q->thread));
    EBB_TRY(stock_request(k, event, true, &f, &p.request, err));
    ebb_vec_push(&k->points, p);
    return EBB_OK;
}

static ebb_status no_locals(ebb_error *err)
{
    return ebb_fail(err, EBB_UNSUPPORTED, "A stock JVM can't watch local variables; fields can be watched.");
}

/* Asked for a point on a local variable only. */
ebb_status stock_serve_frame_method(stock *k, const jvm_wire_number *q, jvm_wire_number *a, ebb_arena *arena, ebb_error *err)
{
    return no_locals(err);
}

/* The field that an address is of. */
static ebb_status find_data(stock *k, const jvm_wire_point *q, watched_field *w, ebb_error *err)
{
    java_ref ref = q->addr >> REF_SHIFT << REF_SHIFT;
    *w = (watched_field){0};
    if (q->space == JAVA_SPACE_LOCAL)
        return no_locals(err);
    if (q->space == JAVA_SPACE_FIELD) {
        w->field = stock_field(k, q->addr, &w->cls);
        return w->field ? EBB_OK : no_place(err);
    }
    EBB_TRY(stock_object(k, ref, &w->object, err));
    jvm_wire_number of = {.value = ref}, serial = {0};
    ebb_arena arena = {0};
    ebb_status status = stock_serve_class_of(k, &of, &serial, &arena, err);
    ebb_arena_fini(&arena);
    EBB_TRY(status);
    if (stock_class_by_serial(k, serial.value)->tag == 3)
        return ebb_fail(err, EBB_UNSUPPORTED, "A stock JVM can't watch elements of arrays; fields can be watched.");
    w->field = stock_field_at(k, (uint32_t)(q->addr - ref), &w->cls);
    if (w->field && w->field->access & ACC_STATIC)
        w->object = 0;
    return w->field ? EBB_OK : no_place(err);
}

ebb_status stock_serve_point_set(stock *k, const jvm_wire_point *q, jvm_wire_nothing *a, ebb_arena *arena, ebb_error *err)
{
    watched_field w;
    if (q->kind == MACHINE_POINT_EXEC)
        return add_exec(k, q, err);
    if (q->kind > MACHINE_POINT_STORE)
        return ebb_fail(err, EBB_UNSUPPORTED, "A stock JVM tells of accesses when they have happened, not before.");
    EBB_TRY(find_data(k, q, &w, err));
    if (q->kind != MACHINE_POINT_READ)
        EBB_TRY(add_field_event(k, q, JDWP_FIELD_CHANGE, &w, err));
    bool is_of_writes = q->kind == MACHINE_POINT_WRITE || q->kind == MACHINE_POINT_STORE;
    return is_of_writes ? EBB_OK : add_field_event(k, q, JDWP_FIELD_ACCESS, &w, err);
}

static void clear_point(stock *k, uint32_t id)
{
    for (size_t i = k->points.n; i-- > 0;)
        if (k->points.items[i].wire.id == id) {
            stock_cancel(k, k->points.items[i].event, &k->points.items[i].request);
            ebb_vec_remove(&k->points, i);
        }
}

ebb_status stock_serve_point_clear(stock *k, const jvm_wire_number *q, jvm_wire_nothing *a, ebb_arena *arena, ebb_error *err)
{
    clear_point(k, (uint32_t)q->value);
    return EBB_OK;
}

ebb_status stock_serve_points_set(stock *k, const jvm_wire_points *q, jvm_wire_nothing *a, ebb_arena *arena, ebb_error *err)
{
    ebb_status status = EBB_OK;
    for (size_t i = 0; i < q->list.n && status == EBB_OK; i++)
        status = stock_serve_point_set(k, &q->list.items[i], a, arena, err);
    for (size_t i = 0; i < q->list.n && status != EBB_OK; i++)
        clear_point(k, q->list.items[i].id);
    return status;
}

ebb_status stock_serve_points_clear(stock *k, const jvm_wire_numbers *q, jvm_wire_nothing *a, ebb_arena *arena, ebb_error *err)
{
    for (size_t i = 0; i < q->list.n; i++)
        clear_point(k, (uint32_t)q->list.items[i].value);
    return EBB_OK;
}

stock_point *stock_point_of(stock *k, uint8_t event, uint32_t request)
{
    for (size_t i = 0; i < k->points.n; i++)
        if (k->points.items[i].event == event && k->points.items[i].request == request)
            return &k->points.items[i];
    return NULL;
}

bool stock_point_is_in_frame(stock *k, const stock_point *p, uint64_t thread)
{
    return p->wire.frame == 0 || p->wire.frame == stock_frame_id(k, thread, 0);
}

/* ---- events ---- */

static ebb_status want_exceptions(stock *k, machine_event event, ebb_error *err)
{
    stock_filters f = {.n = 1};
    uint64_t caught = event != MACHINE_EVENT_UNCAUGHT, uncaught = event != MACHINE_EVENT_CATCH;
    stock_put(k, &f.bytes, "btbb", (uint64_t)OF_EXCEPTION, (uint64_t)0, caught, uncaught);
    return stock_request(k, JDWP_EXCEPTION, true, &f, &k->requests[event], err);
}

static uint8_t kind_of(machine_event event)
{
    return event == MACHINE_EVENT_THREAD_START ? JDWP_THREAD_START : event == MACHINE_EVENT_THREAD_END ? JDWP_THREAD_END : JDWP_EXCEPTION;
}

ebb_status stock_serve_event_set(stock *k, const jvm_wire_event *q, jvm_wire_nothing *a, ebb_arena *arena, ebb_error *err)
{
    machine_event event = (machine_event)q->event;
    bool is_exception = event == MACHINE_EVENT_THROW || event == MACHINE_EVENT_CATCH || event == MACHINE_EVENT_UNCAUGHT;
    if (!is_exception && event != MACHINE_EVENT_THREAD_START && event != MACHINE_EVENT_THREAD_END)
        return EBB_OK; /* never happens in Java */
    if (!q->wanted) {
        stock_cancel(k, kind_of(event), &k->requests[event]);
        return EBB_OK;
    }
    if (k->requests[event])
        return EBB_OK;
    if (is_exception)
        return want_exceptions(k, event, err);
    stock_filters none = {0};
    return stock_request(k, kind_of(event), true, &none, &k->requests[event], err);
}

/* A name, or the name of a source file. */
ebb_status stock_serve_want_classes(stock *k, const jvm_wire_names *q, jvm_wire_nothing *a, ebb_arena *arena, ebb_error *err)
{
    for (size_t i = 0; i < k->wanted.n; i++)
        stock_cancel(k, JDWP_CLASS_PREPARE, &k->wanted.items[i]);
    k->wanted.n = 0;
    for (size_t i = 0; i < q->list.n; i++) {
        const char *name = q->list.items[i].text ? q->list.items[i].text : "";
        size_t n = strlen(name);
        bool is_source = n > 5 && strcmp(name + n - 5, ".java") == 0;
        stock_filters f = {.n = 1};
        uint32_t request;
        stock_put(k, &f.bytes, "bs", (uint64_t)(is_source ? OF_SOURCE : OF_CLASS_NAMED), name);
        EBB_TRY(stock_request(k, JDWP_CLASS_PREPARE, true, &f, &request, err));
        ebb_vec_push(&k->wanted, request);
    }
    return EBB_OK;
}
