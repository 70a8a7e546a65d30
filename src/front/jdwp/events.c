/* events.c - requests for events, and events as they are told. */
#include "front/jdwp/jdwp.h"

#include "base/text.h"

#include <string.h>

/* ---- requests ---- */

static bool is_served(uint8_t kind)
{
    switch (kind) {
    case JDWP_STEP: case JDWP_BREAKPOINT: case JDWP_EXCEPTION: case JDWP_THREAD_START: case JDWP_THREAD_END: case JDWP_CLASS_PREPARE:
    case JDWP_CLASS_UNLOAD: case JDWP_FIELD_ACCESS: case JDWP_FIELD_CHANGE: case JDWP_METHOD_ENTRY: case JDWP_METHOD_EXIT:
    case JDWP_METHOD_RETURNS: case JDWP_MONITOR_BLOCKED: case JDWP_MONITOR_ENTERED: case JDWP_MONITOR_WAIT: case JDWP_MONITOR_WAITED: case JDWP_VM_DEATH:
        return true;
    default: return false;
    }
}

static void add_pattern(ses_java_patterns *patterns, const char *pattern)
{
    ebb_vec_push(patterns, ebb_strdup(pattern));
}

static jdwp_error take_thread(jd *d, jdwp_in *in, machine_tid *tid)
{
    ebb_arena arena = {0};
    java_thread thread;
    jdwp_error error = jd_thread(d, &arena, jdwp_object(in), &thread);
    if (error == JDWP_FINE)
        *tid = thread.tid;
    ebb_arena_fini(&arena);
    return error;
}

static jdwp_error take_class(jd *d, uint64_t id, java_class_id *cls)
{
    const java_class *found;
    jdwp_error error = jd_class(d, id, &found);
    if (error == JDWP_FINE)
        *cls = found->id;
    return error;
}

static jdwp_error take_place(jd *d, jdwp_in *in, machine_place *place)
{
    const java_class *cls;
    jdwp_u8(in);
    jdwp_error error = jd_class(d, jdwp_type(in), &cls);
    uint64_t id = jdwp_method(in), bci = jdwp_u64(in);
    const java_method *method = error == JDWP_FINE ? jd_method(cls, id) : NULL;
    if (error != JDWP_FINE)
        return error;
    if (!method || bci >= method->n_code)
        return method ? JDWP_INVALID_LOCATION : JDWP_INVALID_METHOD;
    *place = method->id + bci;
    return JDWP_FINE;
}

static jdwp_error take_exception(jd *d, jdwp_in *in, ses_java_request *r)
{
    uint64_t cls = jdwp_type(in);
    r->caught = jdwp_u8(in) != 0;
    r->uncaught = jdwp_u8(in) != 0;
    return cls ? take_class(d, cls, &r->exception) : JDWP_FINE;
}

static jdwp_error take_step(jd *d, jdwp_in *in, ses_java_request *r)
{
    jdwp_error error = take_thread(d, in, &r->thread);
    r->step_size = jdwp_u32(in);
    r->step_depth = jdwp_u32(in);
    if (error == JDWP_FINE && (r->step_size > JDWP_SIZE_LINE || r->step_depth > JDWP_DEPTH_OUT))
        error = JDWP_ILLEGAL_ARGUMENT;
    return error;
}

static jdwp_error take_field(jd *d, jdwp_in *in, ses_java_request *r)
{
    jdwp_type(in);
    r->field = jdwp_field(in);
    return jd_field_of(d, r->field) ? JDWP_FINE : JDWP_INVALID_FIELD;
}

static jdwp_error take_filter(jd *d, jdwp_in *in, ebb_arena *arena, ses_java_request *r)
{
    switch (jdwp_u8(in)) {
    case JDWP_FILTER_COUNT:
        r->is_counted = true;
        r->left = jdwp_u32(in);
        return r->left ? JDWP_FINE : JDWP_INVALID_COUNT;
    case JDWP_FILTER_THREAD: return take_thread(d, in, &r->thread);
    case JDWP_FILTER_CLASS: return take_class(d, jdwp_type(in), &r->cls);
    case JDWP_FILTER_CLASS_MATCH: add_pattern(&r->matches, jdwp_text(in, arena)); return JDWP_FINE;
    case JDWP_FILTER_CLASS_EXCLUDE: add_pattern(&r->excludes, jdwp_text(in, arena)); return JDWP_FINE;
    case JDWP_FILTER_LOCATION: return take_place(d, in, &r->place);
    case JDWP_FILTER_EXCEPTION: return take_exception(d, in, r);
    case JDWP_FILTER_FIELD: return take_field(d, in, r);
    case JDWP_FILTER_STEP: return take_step(d, in, r);
    case JDWP_FILTER_INSTANCE:
        r->has_instance = true;
        r->instance = jdwp_object(in);
        return JDWP_FINE;
    case JDWP_FILTER_SOURCE_MATCH:
        free(r->source);
        r->source = ebb_strdup(jdwp_text(in, arena));
        return JDWP_FINE;
    default: return JDWP_NOT_IMPLEMENTED;
    }
}

static jdwp_error add_request(jd *d, ses_java_request *r, uint32_t *id)
{
    bool is_place = r->kind == JDWP_BREAKPOINT;
    ebb_status status = ses_java_request_add(d->session, r, id, NULL);
    return status == EBB_NOT_FOUND && is_place ? JDWP_INVALID_LOCATION : jd_error(status); /* in the middle of an instruction */
}

jdwp_error jd_do_request(jd *d, jdwp_in *in, ebb_buf *out)
{
    uint8_t kind = jdwp_u8(in), policy = jdwp_u8(in);
    uint32_t n = jdwp_count(in, 1), id = 0;
    ebb_arena arena = {0};
    ses_java_request r = {.kind = (jdwp_event)kind, .caught = true, .uncaught = true};
    jdwp_error error = !is_served(kind) ? JDWP_NOT_IMPLEMENTED : jd_machine(d) ? JDWP_FINE : JDWP_VM_DEAD;
    for (uint32_t i = 0; i < n && error == JDWP_FINE; i++)
        error = take_filter(d, in, &arena, &r);
    if (error == JDWP_FINE && in->bad)
        error = JDWP_ILLEGAL_ARGUMENT;
    bool lacks = (kind == JDWP_STEP && !r.thread) || (kind == JDWP_BREAKPOINT && !r.place) ||
                 ((kind == JDWP_FIELD_ACCESS || kind == JDWP_FIELD_CHANGE) && !r.field);
    if (error == JDWP_FINE && lacks)
        error = JDWP_ILLEGAL_ARGUMENT;
    if (error == JDWP_FINE)
        error = add_request(d, &r, &id);
    else
        ses_java_request_fini(&r);
    if (error == JDWP_FINE) {
        ebb_vec_push(&d->policies, ((jd_policy){id, kind, policy}));
        jdwp_put(out, id, 4);
    }
    ebb_arena_fini(&arena);
    return error;
}

jdwp_error jd_do_clear(jd *d, jdwp_in *in, ebb_buf *out)
{
    (void)out;
    uint8_t kind = jdwp_u8(in);
    uint32_t id = jdwp_u32(in);
    if (in->bad || !kind || !id)
        return JDWP_ILLEGAL_ARGUMENT;
    if (!jd_machine(d))
        return JDWP_VM_DEAD;
    ses_java_request_remove(d->session, (jdwp_event)kind, id);
    for (size_t i = d->policies.n; i-- > 0;)
        if (d->policies.items[i].request == id)
            ebb_vec_remove(&d->policies, i);
    return JDWP_FINE;
}

jdwp_error jd_do_clear_breakpoints(jd *d, jdwp_in *in, ebb_buf *out)
{
    (void)in, (void)out;
    if (!jd_machine(d))
        return JDWP_VM_DEAD;
    ses_java_requests_clear(d->session, JDWP_BREAKPOINT);
    return JDWP_FINE;
}

/* ---- events ---- */

static uint8_t policy_of(const jd *d, uint32_t request)
{
    for (size_t i = 0; i < d->policies.n; i++)
        if (d->policies.items[i].request == request)
            return d->policies.items[i].policy;
    return JDWP_SUSPEND_NONE;
}

static java_ref object_of(jd *d, machine_tid tid)
{
    ebb_arena arena = {0};
    java_threads threads = {0};
    java_ref object = 0;
    if (jd_machine(d) && jvm_remote_threads(jd_machine(d), &arena, &threads, NULL) == EBB_OK)
        for (size_t i = 0; i < threads.n; i++)
            if (threads.items[i].tid == tid)
                object = threads.items[i].object;
    ebb_vec_fini(&threads);
    ebb_arena_fini(&arena);
    return object;
}

/* The value on top of the innermost frame's operand stack, as one of that type. */
static java_word top_of_stack(jd *d, machine_tid tid, const char *descriptor)
{
    java_words locals = {0}, stack = {0};
    char type = descriptor[0] == '[' ? 'L' : descriptor[0];
    java_word word = {.type = type};
    if (type != 'V' && jvm_remote_slots(jd_machine(d), tid, 0, &locals, &stack, NULL) == EBB_OK && stack.n) {
        size_t at = stack.n - 1;
        if ((type == 'J' || type == 'D') && at > 0)
            at--; /* the second of its two slots says nothing */
        word = stack.items[at];
        if (word.type == 'J' && type != 'J') { /* a number of which the slot does not say more */
            uint32_t half = (uint32_t)word.i;
            float single;
            memcpy(&single, &half, sizeof single);
            if (type == 'F')
                word.d = single;
            else if (type != 'D')
                word.i = (int32_t)half;
        }
        word.type = type;
    }
    ebb_vec_fini(&locals);
    ebb_vec_fini(&stack);
    return word;
}

static const char *return_type(jd *d, machine_place place)
{
    const java_class *cls;
    const java_method *method = jd_class(d, java_place_class(place), &cls) == JDWP_FINE ? jd_method(cls, java_place_method(place)) : NULL;
    const char *end = method ? strchr(method->descriptor, ')') : NULL;
    return end ? end + 1 : "V";
}

static void put_field_hit(jd *d, const ses_java_hit *hit, ebb_buf *out)
{
    const java_class *cls;
    const java_field *field = jd_field_of(d, hit->field);
    java_class_id id = (java_class_id)(hit->field >> 32);
    jdwp_put(out, jd_class(d, id, &cls) == JDWP_FINE ? jd_tag_of_class(cls) : JDWP_TAG_CLASS, 1);
    jdwp_put(out, id, 8);
    jdwp_put(out, hit->field, 8);
    jd_put_object(d, out, hit->object);
    if (hit->kind == JDWP_FIELD_CHANGE && field)
        jd_put_word(d, out, top_of_stack(d, hit->thread, field->descriptor));
}

static void put_class_hit(jd *d, const ses_java_hit *hit, ebb_buf *out)
{
    const java_class *cls;
    ebb_arena arena = {0};
    if (jd_class(d, hit->cls, &cls) == JDWP_FINE) {
        jdwp_put(out, jd_tag_of_class(cls), 1);
        jdwp_put(out, cls->id, 8);
        jdwp_put_text(out, jd_signature(&arena, cls->name));
        jdwp_put(out, 7, 4); /* verified, prepared, initialised or about to be */
    }
    ebb_arena_fini(&arena);
}

static void put_nowhere(ebb_buf *out)
{
    jdwp_put(out, 0, 1);
    jdwp_put(out, 0, 8);
    jdwp_put(out, 0, 8);
    jdwp_put(out, 0, 8);
}

static bool is_of_monitor(jdwp_event kind)
{
    return kind >= JDWP_MONITOR_BLOCKED && kind <= JDWP_MONITOR_WAITED;
}

static void put_hit(jd *d, const ses_java_hit *hit, ebb_buf *out)
{
    jdwp_put(out, hit->kind, 1);
    jdwp_put(out, hit->request, 4);
    jdwp_put(out, object_of(d, hit->thread), 8);
    if (hit->kind == JDWP_CLASS_PREPARE) {
        put_class_hit(d, hit, out);
        return;
    }
    if (hit->kind == JDWP_THREAD_START || hit->kind == JDWP_THREAD_END)
        return;
    if (is_of_monitor(hit->kind))
        jd_put_object(d, out, hit->object);
    jd_put_place(d, out, hit->place);
    if (hit->kind == JDWP_MONITOR_WAIT)
        jdwp_put(out, hit->detail, 8);
    else if (hit->kind == JDWP_MONITOR_WAITED)
        jdwp_put(out, hit->detail, 1);
    if (hit->kind == JDWP_EXCEPTION) {
        jd_put_object(d, out, hit->object);
        if (hit->caught_at)
            jd_put_place(d, out, hit->caught_at);
        else
            put_nowhere(out);
    } else if (hit->kind == JDWP_FIELD_ACCESS || hit->kind == JDWP_FIELD_CHANGE) {
        put_field_hit(d, hit, out);
    } else if (hit->kind == JDWP_METHOD_RETURNS) {
        jd_put_word(d, out, top_of_stack(d, hit->thread, return_type(d, hit->place)));
    }
}

/* ---- packets ---- */

static void send_events(jd *d, uint8_t policy, uint32_t n, ebb_buf *events)
{
    ebb_buf packet = {0};
    jdwp_put_header(&packet, 5 + events->n, ++d->last_id, 0, JDWP_EVENT_COMPOSITE);
    jdwp_put(&packet, policy, 1);
    jdwp_put(&packet, n, 4);
    ebb_buf_add(&packet, ebb_buf_text(events), events->n);
    ebb_buf_fini(events);
    if (d->holds_events)
        ebb_buf_add(&d->held, packet.data, packet.n);
    else
        jd_send(d, packet.data, packet.n);
    ebb_buf_fini(&packet);
}

void jd_release_events(jd *d)
{
    jd_send(d, ebb_buf_text(&d->held), d->held.n);
    ebb_buf_fini(&d->held);
}

void jd_tell_hits(jd *d, const ses_java_hits *hits)
{
    ebb_buf events = {0};
    uint8_t policy = JDWP_SUSPEND_NONE;
    for (size_t i = 0; i < hits->n; i++) {
        uint8_t wish = policy_of(d, hits->items[i].request);
        policy = wish > policy ? wish : policy;
    }
    if (policy == JDWP_SUSPEND_ALL)
        jd_suspend_all(d);
    else if (policy == JDWP_SUSPEND_THREAD)
        jd_suspend_one(d, hits->items[0].thread);
    for (size_t i = 0; i < hits->n; i++)
        put_hit(d, &hits->items[i], &events);
    send_events(d, policy, (uint32_t)hits->n, &events);
}

void jd_tell_start(jd *d)
{
    ebb_buf event = {0};
    jdwp_put(&event, JDWP_VM_START, 1);
    jdwp_put(&event, 0, 4);
    jdwp_put(&event, object_of(d, ses_thread_selected(d->session)), 8);
    jd_suspend_all(d);
    send_events(d, JDWP_SUSPEND_ALL, 1, &event);
}

void jd_tell_end(jd *d)
{
    ebb_buf event = {0};
    jdwp_put(&event, JDWP_VM_DEATH, 1);
    jdwp_put(&event, 0, 4);
    send_events(d, JDWP_SUSPEND_NONE, 1, &event);
}

/* A request of the client's by which it can be told of a place; NULL: it has none. */
static const jd_policy *request_for_stop(const jd *d)
{
    const jd_policy *found = NULL;
    for (size_t i = 0; i < d->policies.n; i++) {
        const jd_policy *p = &d->policies.items[i];
        if (p->kind == JDWP_STEP || (p->kind == JDWP_BREAKPOINT && (!found || found->kind != JDWP_STEP)))
            found = p;
    }
    return found;
}

/* The protocol has no event for it: clients believe only in what they asked for, or in a program that begins. */
void jd_tell_stop(jd *d, machine_tid thread)
{
    ebb_buf event = {0};
    const ses_frame *frame;
    const jd_policy *request = request_for_stop(d);
    jdwp_put(&event, request ? request->kind : JDWP_VM_START, 1);
    jdwp_put(&event, request ? request->request : 0, 4);
    jdwp_put(&event, object_of(d, thread), 8);
    if (request)
        jd_put_place(d, &event, ses_frame_get(d->session, 0, &frame, NULL) == EBB_OK ? frame->pc : 0);
    if (d->n_all == 0)
        jd_suspend_all(d);
    send_events(d, JDWP_SUSPEND_ALL, 1, &event);
}
