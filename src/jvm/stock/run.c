/* run.c - from one stop to the next.
 *
 * The JVM sends what happened at one moment of one thread as a packet of events.  Each of them is judged by itself: it is a hit of a point, a
 * part of something that goes on (the second half of a write, the way out of brake(), a step that is not done), or nothing that
 * anybody wants to know of now.  What is left decides whether ebb is told. */
#include "jvm/stock/internal.h"

#include "base/log.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

typedef struct event {
    uint8_t kind;
    uint32_t request;
    uint64_t thread;
    machine_place place;
    java_ref object;           /* of a field; the exception */
    machine_place handler;     /* of an exception; 0: nobody handles it */
    uint64_t type, field;
    uint8_t type_tag;
    jvm_wire_word value;       /* a field's next; what a method returns */
} event;

typedef struct runner {
    stock *k;
    const jvm_wire_request *q;
    jvm_wire_stop *stop;
    ebb_arena *arena;
    uint64_t until_thread;
    uint32_t place_request; /* of the breakpoint at until_place; 0: none */
    bool is_first;          /* nothing has happened since it went on */
    bool has_come;          /* the moment that it was to run until */
    bool stops;             /* for something that is no point and no moment: stop->kind says it */
    bool stepped;
    bool by_step;
    uint64_t thread;        /* of the last packet */
} runner;

/* ---- reading ---- */

static void read_exception(stock *k, jdwp_in *in, event *e)
{
    jdwp_u8(in);
    e->object = stock_ref(k, jdwp_object(in));
    e->handler = stock_read_place(k, in);
}

static void read_field(stock *k, jdwp_in *in, event *e)
{
    e->type_tag = jdwp_u8(in);
    e->type = jdwp_type(in);
    e->field = jdwp_field(in);
    jdwp_u8(in);
    e->object = stock_ref(k, jdwp_object(in));
    if (e->kind == JDWP_FIELD_CHANGE)
        e->value = stock_read_value(k, in);
}

static void read_event(stock *k, jdwp_in *in, event *e)
{
    *e = (event){.kind = jdwp_u8(in)};
    e->request = jdwp_u32(in);
    if (e->kind == JDWP_VM_DEATH)
        return;
    e->thread = jdwp_object(in);
    switch (e->kind) {
    case JDWP_STEP:
    case JDWP_BREAKPOINT: e->place = stock_read_place(k, in); break;
    case JDWP_EXCEPTION: e->place = stock_read_place(k, in); read_exception(k, in, e); break;
    case JDWP_FIELD_ACCESS:
    case JDWP_FIELD_CHANGE: e->place = stock_read_place(k, in); read_field(k, in, e); break;
    case JDWP_METHOD_RETURNS: e->place = stock_read_place(k, in); e->value = stock_read_value(k, in); break;
    case JDWP_CLASS_PREPARE:
        jdwp_u8(in);
        jdwp_type(in);
        jdwp_text(in, &k->for_good);
        jdwp_u32(in);
        break;
    default: break;
    }
}

/* ---- points ---- */

static void add_point(runner *r, uint32_t id)
{
    jvm_wire_stop *stop = r->stop;
    if (!stop->points.items)
        stop->points.items = EBB_ARENA_ARRAY(r->arena, jvm_wire_number, MACHINE_STOP_MAX_POINTS);
    if (stop->points.n < MACHINE_STOP_MAX_POINTS)
        stop->points.items[stop->points.n++].value = id;
}

static void on_point(runner *r, const event *e)
{
    stock *k = r->k;
    stock_point *p = stock_point_of(k, JDWP_BREAKPOINT, e->request);
    if (!p || r->q->quiet)
        return;
    bool is_old_news = p->is_new_here && r->is_first && e->thread == k->thread && e->place == k->place;
    p->is_new_here = false;
    if (!is_old_news && stock_point_is_in_frame(k, p, e->thread))
        add_point(r, p->wire.id);
}

/* ---- data (SJ2) ---- */

/* As it lies in memory: that is how a stop tells it. */
static uint64_t raw_bits(jvm_wire_word word)
{
    double d;
    float f;
    uint32_t raw;
    if (word.type != 'F')
        return word.bits;
    memcpy(&d, &word.bits, sizeof d);
    f = (float)d;
    memcpy(&raw, &f, sizeof raw);
    return raw;
}

static bool is_changed(stock *k, const event *e, uint64_t *was)
{
    jvm_wire_word now;
    stock_member field = {.id = e->field};
    uint64_t object;
    const stock_class *cls = stock_class_of_type(k, e->type_tag, e->type);
    *was = 0;
    if (!cls || stock_object(k, e->object, &object, NULL) != EBB_OK || stock_field_value(k, object, cls, &field, &now, NULL) != EBB_OK)
        return true;
    *was = raw_bits(now);
    return now.bits != e->value.bits;
}

static bool is_told(stock *k, const stock_point *p, const event *e, uint64_t *was)
{
    bool changed = is_changed(k, e, was);
    return changed || e->kind != JDWP_FIELD_CHANGE || p->wire.kind == MACHINE_POINT_STORE;
}

static void on_field(runner *r, const event *e)
{
    stock *k = r->k;
    const stock_point *p = stock_point_of(k, e->kind, e->request);
    uint64_t was;
    if (!p || r->q->quiet || !is_told(k, p, e, &was))
        return;
    if (!k->touch.is_on) {
        stock_step_end(k); /* a thread has one step at a time */
        k->touch.is_on = true;
        k->touch.thread = e->thread;
        k->touch.by = e->place;
        k->touch.object = e->object;
        k->touch.was = was;
        k->touch.points.n = 0;
        if (stock_step_request(k, &(stock_stepping){.thread = e->thread, .depth = STOCK_OVER}, &k->touch.request, NULL) != EBB_OK)
            k->touch.request = 0;
    }
    ebb_vec_push(&k->touch.points, p->wire.id);
}

static void on_touched(runner *r)
{
    stock_touch *t = &r->k->touch;
    for (size_t i = 0; i < t->points.n; i++)
        add_point(r, t->points.items[i]);
    r->stop->touched_by = r->stop->caused_by = t->by;
    r->stop->caused_in = stock_frame_id(r->k, t->thread, 0);
    r->stop->object = t->object;
    r->stop->was = t->was;
    r->by_step = true;
    t->is_on = false;
    stock_cancel(r->k, JDWP_STEP, &t->request);
}

/* ---- exceptions ---- */

static void stop_with(runner *r, machine_stop_kind kind, java_ref object)
{
    r->stops = true;
    r->stop->kind = (uint8_t)kind;
    r->stop->object = object;
}

static void await_handler(stock *k, uint64_t thread, machine_place handler, uint64_t object)
{
    stock_filters f = {0};
    stock_cancel(k, JDWP_BREAKPOINT, &k->catch_request);
    if (!stock_filter_place(k, &f, handler)) {
        ebb_buf_fini(&f.bytes);
        return;
    }
    stock_filter_thread(k, &f, thread);
    k->caught = object;
    if (stock_request(k, JDWP_BREAKPOINT, true, &f, &k->catch_request, NULL) != EBB_OK)
        k->catch_request = 0;
}

static void on_exception(runner *r, const event *e)
{
    stock *k = r->k;
    if (e->request == k->requests[MACHINE_EVENT_CATCH] && e->handler)
        await_handler(k, e->thread, e->handler, e->object);
    else if (!r->q->quiet && (e->request == k->requests[MACHINE_EVENT_THROW] || e->request == k->requests[MACHINE_EVENT_UNCAUGHT])) {
        stop_with(r, MACHINE_STOP_THROW, e->object);
        r->stop->is_uncaught = e->handler == 0;
        k->flight.thread = e->thread;
        k->flight.handler = e->handler;
        k->flight.object = e->object;
    }
}

/* Who wants to know where it is handled may say so only now, when the JVM has told of it already: `finish`. */
static void follow_flight(stock *k)
{
    if (k->requests[MACHINE_EVENT_CATCH] && k->flight.handler)
        await_handler(k, k->flight.thread, k->flight.handler, k->flight.object);
    k->flight.handler = 0;
}

/* ---- time ---- */

/* Standing at a timestamp: on to the place, if that is ahead; else this is it. */
static void seek_place(runner *r)
{
    stock *k = r->k;
    machine_place target = r->q->until_place ? stock_place_from(k, r->q->until_place) : 0;
    stock_filters f = {0};
    uint64_t now = stock_time(k, r->until_thread);
    r->has_come = true;
    if (now != r->q->until_time || !target || target == stock_thread_place(k, r->until_thread))
        return;
    if (!stock_filter_place(k, &f, target)) {
        ebb_buf_fini(&f.bytes);
        return;
    }
    stock_filter_thread(k, &f, r->until_thread);
    r->has_come = stock_request(k, JDWP_BREAKPOINT, true, &f, &r->place_request, NULL) != EBB_OK ||
                  stock_time_stop_at(k, r->until_thread, now + 1, NULL) != EBB_OK;
}

static void on_brake(runner *r, const event *e)
{
    stock *k = r->k;
    if (e->thread != r->until_thread)
        return;
    stock_step_end(k);
    stock_cancel(k, JDWP_BREAKPOINT, &r->place_request);
    if (stock_step_request(k, &(stock_stepping){.thread = e->thread, .depth = STOCK_OUT}, &k->time.leaving, NULL) != EBB_OK)
        r->has_come = true;
}

static void on_left_brake(runner *r)
{
    stock_cancel(r->k, JDWP_STEP, &r->k->time.leaving);
    r->by_step = true;
    seek_place(r);
}

static ebb_status begin_until(runner *r, ebb_error *err)
{
    stock *k = r->k;
    uint64_t now;
    r->until_thread = stock_thread_of(k, (machine_tid)r->q->thread);
    if (!r->until_thread)
        r->until_thread = k->thread;
    now = stock_time(k, r->until_thread);
    if (now < r->q->until_time)
        return stock_time_stop_at(k, r->until_thread, r->q->until_time, err);
    seek_place(r);
    return EBB_OK;
}

/* ---- what a method returns ---- */

/* A point in a frame further out may be where `finish` ends. */
static void begin_returns(runner *r)
{
    enum { OF_CLASS = 4 };
    stock *k = r->k;
    const stock_class *cls = stock_class_by_serial(k, java_place_class(k->place));
    bool wants = false;
    k->returned.is_known = false;
    for (size_t i = 0; i < k->points.n; i++)
        wants = wants || k->points.items[i].wire.frame != 0;
    if (!wants || !cls || r->q->move == MACHINE_STEP)
        return;
    stock_filters f = {.n = 1};
    stock_put(k, &f.bytes, "bt", (uint64_t)OF_CLASS, cls->type);
    stock_filter_thread(k, &f, k->thread);
    if (stock_request(k, JDWP_METHOD_RETURNS, false, &f, &k->returned.request, NULL) != EBB_OK)
        k->returned.request = 0;
}

/* ---- one packet ---- */

static void judge_step(runner *r, const event *e)
{
    stock *k = r->k;
    if (e->request == k->time.leaving)
        on_left_brake(r);
    else if (k->touch.is_on && e->request == k->touch.request)
        on_touched(r);
    else if (e->request == k->step.request && stock_step_is_done(k, e->thread, e->place))
        r->stepped = r->by_step = true;
}

static void judge_breakpoint(runner *r, const event *e)
{
    stock *k = r->k;
    if (e->request == k->time.request)
        on_brake(r, e);
    else if (e->request == r->place_request)
        r->has_come = true;
    else if (e->request == k->catch_request) {
        stock_cancel(k, JDWP_BREAKPOINT, &k->catch_request);
        stop_with(r, MACHINE_STOP_CATCH, k->caught);
    } else
        on_point(r, e);
}

static bool is_wanted_class(const stock *k, uint32_t request)
{
    for (size_t i = 0; i < k->wanted.n; i++)
        if (k->wanted.items[i] == request)
            return true;
    return false;
}

static void judge(runner *r, const event *e)
{
    stock *k = r->k;
    switch (e->kind) {
    case JDWP_STEP: judge_step(r, e); break;
    case JDWP_BREAKPOINT: judge_breakpoint(r, e); break;
    case JDWP_FIELD_ACCESS:
    case JDWP_FIELD_CHANGE: on_field(r, e); break;
    case JDWP_EXCEPTION: on_exception(r, e); break;
    case JDWP_CLASS_PREPARE:
        if (is_wanted_class(k, e->request))
            stop_with(r, MACHINE_STOP_MODULES, 0);
        break;
    case JDWP_THREAD_START:
    case JDWP_THREAD_END: {
        bool starts = e->kind == JDWP_THREAD_START;
        if (!r->q->quiet && e->request == k->requests[starts ? MACHINE_EVENT_THREAD_START : MACHINE_EVENT_THREAD_END])
            stop_with(r, starts ? MACHINE_STOP_THREAD_START : MACHINE_STOP_THREAD_END, 0);
        break;
    }
    case JDWP_METHOD_RETURNS:
        k->returned.is_known = true;
        k->returned.value = e->value;
        break;
    default: break;
    }
}

/* Whether the JVM stands still for it. */
static bool judge_packet(runner *r)
{
    stock *k = r->k;
    ebb_buf packet = k->j.events.items[0];
    ebb_vec_remove(&k->j.events, 0);
    jdwp_in in = {&k->j.sizes, (const uint8_t *)packet.data, (const uint8_t *)packet.data + packet.n, false};
    bool suspends = jdwp_u8(&in) != 0;
    for (uint32_t n = jdwp_count(&in, 5); n > 0 && !in.bad; n--) {
        event e;
        read_event(k, &in, &e);
        ebb_log("event %u of request %u", e.kind, e.request);
        if (suspends)
            r->thread = e.thread;
        judge(r, &e);
    }
    ebb_buf_fini(&packet);
    if (suspends)
        r->is_first = false;
    return suspends;
}

/* ---- running ---- */

static ebb_status resume_vm(stock *k, ebb_error *err)
{
    ebb_arena arena = {0};
    jdwp_in in;
    ebb_status status = stock_ask(k, &arena, &in, err, JDWP_VM_RESUME, "");
    ebb_arena_fini(&arena);
    return status;
}

static bool take_interrupt(stock *k)
{
    jvm_wire_message m = {0};
    if (jvm_wire_receive(k->wire, &m, NULL, NULL) != EBB_OK)
        stock_leave();
    bool is_one = m.code == JVM_WIRE_CODE_interrupt;
    ebb_buf_fini(&m.payload);
    return is_one;
}

/* Until an event is there, ebb says that it is enough, or so many milliseconds have passed; -1: however many. */
static ebb_status wait_for(stock *k, int milliseconds, bool *interrupted, ebb_error *err)
{
    *interrupted = false;
    while (k->j.events.n == 0 && !*interrupted) {
        struct pollfd waits[] = {{k->j.fd, POLLIN, 0}, {k->wire, POLLIN, 0}};
        ebb_arena arena = {0};
        jdwp_in in;
        bool is_reply;
        ebb_status status = EBB_OK;
        int n = poll(waits, 2, milliseconds);
        if (n == 0)
            return EBB_OK;
        if (n < 0)
            continue;
        if (waits[0].revents != 0)
            status = jdwp_receive(&k->j, 0, &arena, &is_reply, &in, err);
        else if (waits[1].revents != 0)
            *interrupted = take_interrupt(k);
        ebb_arena_fini(&arena);
        EBB_TRY(status);
    }
    return EBB_OK;
}

static ebb_status wait(stock *k, bool *interrupted, ebb_error *err)
{
    return wait_for(k, -1, interrupted, err);
}

/* Nobody wants to see the inside of a tick: that thread goes on to where it came from.  If that tick is the one to stop at, the step which leaves the brake is the one that counts. */
static ebb_status leave_tick(runner *r, ebb_error *err)
{
    stock *k = r->k;
    const stock_class *cls = stock_class_by_serial(k, java_place_class(stock_thread_place(k, r->thread)));
    bool interrupted = false;
    if (!k->time.cls || cls != k->time.cls)
        return EBB_OK;
    stock_step_end(k);
    EBB_TRY(stock_step_request(k, &(stock_stepping){.thread = r->thread, .depth = STOCK_OUT}, &k->step.request, err));
    k->step.of = (jvm_wire_request){0};
    r->by_step = false;
    EBB_TRY(resume_vm(k, err));
    while (!r->by_step) {
        EBB_TRY(wait(k, &interrupted, err));
        if (!interrupted && judge_packet(r) && !r->by_step)
            EBB_TRY(resume_vm(k, err));
    }
    r->stepped = true;
    return EBB_OK;
}

/* Not while events wait to be judged, or a brake is being left, whose step would come in the next run: then it is tried again. */
static ebb_status suspend_all(runner *r, ebb_error *err)
{
    stock *k = r->k;
    jdwp_in in;
    EBB_TRY(stock_ask(k, r->arena, &in, err, JDWP_VM_SUSPEND, ""));
    if (k->j.events.n > 0 || k->time.leaving)
        return resume_vm(k, err);
    r->thread = k->threads.n > 0 ? k->threads.items[0].object : k->thread;
    if (stock_depth(k, r->thread) == 0)
        r->thread = k->thread;
    EBB_TRY(leave_tick(r, err));
    stop_with(r, MACHINE_STOP_INTERRUPTED, 0);
    return EBB_OK;
}

static bool is_over(runner *r)
{
    return r->stops || r->stop->points.n > 0 || r->has_come || r->stepped;
}

static ebb_status run_on(runner *r, ebb_error *err)
{
    enum { TRY_AGAIN = 5 };
    bool is_wanted = false, stands = true; /* by ebb, that it stops */
    while (!is_over(r)) {
        bool interrupted;
        if (stands)
            EBB_TRY(resume_vm(r->k, err));
        EBB_TRY(wait_for(r->k, is_wanted ? TRY_AGAIN : -1, &interrupted, err));
        is_wanted = is_wanted || interrupted;
        stands = r->k->j.events.n > 0 && judge_packet(r);
        if (is_wanted && !stands)
            EBB_TRY(suspend_all(r, err));
    }
    return EBB_OK;
}

static void end_run(runner *r)
{
    stock *k = r->k;
    jvm_wire_stop *stop = r->stop;
    if (stop->points.n > 0)
        stop->kind = MACHINE_STOP_POINT;
    else if (!r->stops)
        stop->kind = r->has_come ? MACHINE_STOP_POSITION : MACHINE_STOP_STEP;
    stop->step_is_done = r->stepped;
    if (r->stepped)
        stock_step_end(k);
    stock_cancel(k, JDWP_BREAKPOINT, &r->place_request);
    stock_cancel(k, JDWP_METHOD_RETURNS, &k->returned.request);
    stock_cancel(k, JDWP_STEP, &k->time.leaving); /* an interrupt may have come before it: it would be the end of another run */
    if (r->q->until)
        stock_time_stop_nowhere(k, r->until_thread);
    k->by_event = stop->kind != MACHINE_STOP_INTERRUPTED || r->stepped;
    k->by_step = r->by_step;
    k->thread = r->thread;
    k->place = stock_thread_place(k, k->thread);
    for (size_t i = 0; i < k->points.n; i++)
        k->points.items[i].is_new_here = false;
    stop->thread = (uint64_t)stock_tid(k, k->thread);
    stop->place = k->place;
    stop->time = stock_time(k, k->thread);
}

ebb_status stock_run(stock *k, const jvm_wire_request *q, jvm_wire_stop *stop, ebb_arena *arena, ebb_error *err)
{
    runner r = {.k = k, .q = q, .stop = stop, .arena = arena, .is_first = true, .thread = k->thread};
    stock_release_kept(k);
    if (q->move == MACHINE_STEP)
        EBB_TRY(stock_step_begin(k, q, err));
    else
        stock_step_end(k);
    if (q->until)
        EBB_TRY(begin_until(&r, err));
    begin_returns(&r);
    follow_flight(k);
    EBB_TRY(run_on(&r, err));
    end_run(&r);
    return EBB_OK;
}

/* It waits, suspended, and has told so. */
ebb_status stock_first_stop(stock *k, jvm_wire_stop *stop, ebb_error *err)
{
    bool interrupted = false;
    while (k->j.events.n == 0)
        EBB_TRY(wait(k, &interrupted, err));
    ebb_buf packet = k->j.events.items[0];
    ebb_vec_remove(&k->j.events, 0);
    jdwp_in in = {&k->j.sizes, (const uint8_t *)packet.data, (const uint8_t *)packet.data + packet.n, false};
    event e;
    jdwp_u8(&in);
    jdwp_count(&in, 5);
    read_event(k, &in, &e);
    ebb_buf_fini(&packet);
    k->thread = e.thread;
    k->by_event = true;
    *stop = (jvm_wire_stop){.kind = MACHINE_STOP_STEP, .thread = (uint64_t)stock_tid(k, k->thread)};
    return EBB_OK;
}
