/* requests.c - see requests.h. */
#include "session/java/requests.h"
#include "session/java/java.h"
#include "session/move.h"
#include "session/points.h"

#include <fnmatch.h>
#include <string.h>

typedef struct ses_java_requests {
    EBB_VEC(ses_java_request *) list;
    uint32_t last_id;
} ses_java_requests;

static ses_java_requests *requests_of(session *s)
{
    if (!s->java->requests)
        s->java->requests = EBB_NEW(ses_java_requests);
    return s->java->requests;
}

/* ---- what the machine is told --------------------------------------------------------------- */

static ebb_status set_point(session *s, ses_java_request *r, const machine_point *point, ebb_error *err)
{
    machine_point_id id;
    EBB_TRY(s->machine->ops->point_set(s->machine, point, &id, err));
    ebb_vec_push(&r->points, id);
    return EBB_OK;
}

static bool is_return(uint8_t op)
{
    return op >= 0xac && op <= 0xb1; /* ireturn to return */
}

/* The first instruction of every method, or those that return. */
static void add_method_points(session *s, ses_java_request *r, const java_class *cls)
{
    for (size_t i = 0; i < cls->n_methods; i++) {
        const java_method *method = &cls->methods[i];
        const java_code *code;
        machine_point point = {.kind = MACHINE_POINT_EXEC, .addr = method->id, .thread = r->thread};
        machine_insn insn;
        if (method->n_code == 0)
            continue;
        if (r->kind == JDWP_METHOD_ENTRY) {
            (void)!set_point(s, r, &point, NULL);
            continue;
        }
        if (jvm_remote_code(s->machine, method->id, &code, NULL) != EBB_OK)
            continue;
        for (uint32_t at = 0; at < code->nbytes && s->machine->ops->decode(s->machine, method->id + at, &insn, NULL) == EBB_OK && insn.nbytes; at += insn.nbytes) {
            point.addr = method->id + at;
            if (is_return(code->bytes[at]))
                (void)!set_point(s, r, &point, NULL);
        }
    }
}

static bool fits_name(const ses_java_request *r, const char *name)
{
    for (size_t i = 0; i < r->matches.n; i++)
        if (fnmatch(r->matches.items[i], name, 0) != 0)
            return false;
    for (size_t i = 0; i < r->excludes.n; i++)
        if (fnmatch(r->excludes.items[i], name, 0) == 0)
            return false;
    return true;
}

bool ses_java_is_below(session *s, java_class_id id, java_class_id above)
{
    const java_class *cls;
    if (id == above)
        return true;
    if (id == 0 || jvm_remote_class(s->machine, id, &cls, NULL) != EBB_OK)
        return false;
    for (size_t i = 0; i < cls->n_interfaces; i++)
        if (ses_java_is_below(s, cls->interfaces[i], above))
            return true;
    return ses_java_is_below(s, cls->super, above);
}

static bool fits_class(session *s, const ses_java_request *r, java_class_id id)
{
    const java_class *cls;
    if (!r->cls && !r->matches.n && !r->excludes.n && !r->source)
        return true;
    if (jvm_remote_class(s->machine, id, &cls, NULL) != EBB_OK || !fits_name(r, cls->name))
        return false;
    if (r->source && (!cls->source || fnmatch(r->source, cls->source, 0) != 0))
        return false;
    return !r->cls || ses_java_is_below(s, id, r->cls);
}

static bool is_of_methods(jdwp_event kind)
{
    return kind == JDWP_METHOD_ENTRY || kind == JDWP_METHOD_EXIT || kind == JDWP_METHOD_RETURNS;
}

static ebb_status add_points_of_loaded(session *s, ses_java_request *r, ebb_error *err)
{
    enum { MOST = 100000 };
    java_class_ids all = {0};
    ebb_status status = jvm_remote_classes_like(s->machine, "", MOST, &all, err);
    for (size_t i = 0; status == EBB_OK && i < all.n; i++) {
        const java_class *cls;
        if (jvm_remote_class(s->machine, all.items[i], &cls, NULL) == EBB_OK && fits_class(s, r, cls->id))
            add_method_points(s, r, cls);
    }
    ebb_vec_fini(&all);
    return status;
}

static ebb_status tell_machine(session *s, ses_java_request *r, ebb_error *err)
{
    if (is_of_methods(r->kind))
        return add_points_of_loaded(s, r, err);
    machine_point point = {.thread = r->thread};
    switch (r->kind) {
    case JDWP_BREAKPOINT:
        point.addr = r->place;
        return set_point(s, r, &point, err);
    case JDWP_FIELD_ACCESS:
    case JDWP_FIELD_CHANGE:
        point.kind = r->kind == JDWP_FIELD_ACCESS ? MACHINE_POINT_BEFORE_READ : MACHINE_POINT_BEFORE_WRITE;
        point.space = JAVA_SPACE_FIELD;
        point.addr = r->field;
        return set_point(s, r, &point, err);
    case JDWP_STEP: ses_java_step_begin(s, r); return EBB_OK;
    default: return EBB_OK;
    }
}

static unsigned events_of(jdwp_event kind)
{
    switch (kind) {
    case JDWP_EXCEPTION: return 1u << MACHINE_EVENT_THROW;
    case JDWP_THREAD_START: return 1u << MACHINE_EVENT_THREAD_START;
    case JDWP_THREAD_END: return 1u << MACHINE_EVENT_THREAD_END;
    case JDWP_MONITOR_BLOCKED: return 1u << MACHINE_EVENT_LOCK_BLOCKED;
    case JDWP_MONITOR_ENTERED: return 1u << MACHINE_EVENT_LOCK_ENTERED;
    case JDWP_MONITOR_WAIT: return 1u << MACHINE_EVENT_WAIT;
    case JDWP_MONITOR_WAITED: return 1u << MACHINE_EVENT_WAITED;
    default: return 0;
    }
}

static void tell_events(session *s)
{
    const ses_java_requests *rs = requests_of(s);
    s->events_requested = 0;
    for (size_t i = 0; i < rs->list.n; i++)
        s->events_requested |= events_of(rs->list.items[i]->kind);
    (void)!ses_catch_events(s, NULL);
    ses_java_await_code(s);
}

void ses_java_requests_await(session *s, ses_name_list *names)
{
    const ses_java_requests *rs = s->java->requests;
    for (size_t i = 0; rs && i < rs->list.n; i++) {
        const ses_java_request *r = rs->list.items[i];
        if (r->kind == JDWP_CLASS_PREPARE || is_of_methods(r->kind))
            ebb_vec_push(names, r->matches.n ? r->matches.items[0] : "*");
    }
}

/* ---- adding and removing -------------------------------------------------------------------- */

static void patterns_fini(ses_java_patterns *patterns)
{
    for (size_t i = 0; i < patterns->n; i++)
        free(patterns->items[i]);
    ebb_vec_fini(patterns);
}

void ses_java_request_fini(ses_java_request *r)
{
    patterns_fini(&r->matches);
    patterns_fini(&r->excludes);
    free(r->source);
    ebb_vec_fini(&r->points);
}

static void drop(session *s, ses_java_request *r)
{
    if (s->machine)
        machine_points_clear(s->machine, r->points.items, r->points.n);
    ses_java_request_fini(r);
    free(r);
}

ebb_status ses_java_request_add(session *s, ses_java_request *request, uint32_t *id, ebb_error *err)
{
    ses_java_requests *rs = requests_of(s);
    ses_java_request *r = EBB_NEW(ses_java_request);
    *r = *request;
    ebb_status status = ses_need_debuggee(s, err);
    if (status == EBB_OK)
        status = tell_machine(s, r, err);
    if (status != EBB_OK) {
        drop(s, r);
        return status;
    }
    *id = r->id = ++rs->last_id;
    ebb_vec_push(&rs->list, r);
    tell_events(s);
    return EBB_OK;
}

void ses_java_request_remove(session *s, jdwp_event kind, uint32_t id)
{
    ses_java_requests *rs = requests_of(s);
    for (size_t i = rs->list.n; i-- > 0;) {
        ses_java_request *r = rs->list.items[i];
        if ((kind && r->kind != kind) || (id && r->id != id))
            continue;
        ebb_vec_remove(&rs->list, i);
        drop(s, r);
    }
    if (s->machine)
        tell_events(s);
}

void ses_java_requests_clear(session *s, jdwp_event kind)
{
    ses_java_request_remove(s, kind, 0);
}

void ses_java_requests_free(ses_java *java)
{
    ses_java_requests *rs = java->requests;
    for (size_t i = 0; rs && i < rs->list.n; i++) {
        ses_java_request_fini(rs->list.items[i]);
        free(rs->list.items[i]);
    }
    if (rs)
        ebb_vec_fini(&rs->list);
    free(rs);
    java->requests = NULL;
}

/* ---- what a stop means ---------------------------------------------------------------------- */

typedef struct request_move {
    ses_move move; /* first */
    ses_java_hits *hits;
} request_move;

enum { ACC_STATIC = 0x0008 };

/* `this` of the innermost frame; 0: it has none. */
static java_ref this_of(session *s, machine_tid thread, machine_place place)
{
    const java_class *cls;
    const java_method *method = ses_java_method(s, place, &cls);
    java_word word;
    if (!method || (method->access & ACC_STATIC) || jvm_remote_local_get(s->machine, (java_local_at){.tid = thread}, 'L', &word, NULL) != EBB_OK)
        return 0;
    return word.ref;
}

static bool fits(session *s, const ses_java_request *r, const ses_java_hit *hit)
{
    bool is_field = hit->kind == JDWP_FIELD_ACCESS || hit->kind == JDWP_FIELD_CHANGE;
    if (r->thread && r->thread != hit->thread)
        return false;
    if (!fits_class(s, r, hit->kind == JDWP_CLASS_PREPARE ? hit->cls : java_place_class(hit->place)))
        return false;
    return !r->has_instance || r->instance == (is_field ? hit->object : this_of(s, hit->thread, hit->place));
}

static void meet(session *s, request_move *m, ses_java_request *r, ses_java_hit hit)
{
    hit.request = r->id;
    hit.kind = r->kind;
    hit.field = r->field;
    if ((r->is_counted && r->left == 0) || !fits(s, r, &hit))
        return;
    if (r->is_counted && --r->left > 0) /* RQ2 */
        return;
    ebb_vec_push(m->hits, hit);
}

static bool has_point(const ses_java_request *r, const machine_stop *at)
{
    for (size_t i = 0; i < at->n_points; i++)
        for (size_t k = 0; k < r->points.n; k++)
            if (at->points[i] == r->points.items[k])
                return true;
    return false;
}

static bool fits_exception(session *s, const ses_java_request *r, const machine_stop *at)
{
    java_class_id cls;
    if (at->caught_at ? !r->caught : !r->uncaught)
        return false;
    return !r->exception || (jvm_remote_class_of(s->machine, at->object, &cls, NULL) == EBB_OK && ses_java_is_below(s, cls, r->exception));
}

static void look_at_classes(session *s, request_move *m, ses_java_request *r, const machine_stop *at)
{
    for (size_t i = 0; i < at->n_points; i++) {
        const java_class *cls;
        java_class_id id = (java_class_id)at->points[i];
        if (jvm_remote_class(s->machine, id, &cls, NULL) != EBB_OK)
            continue;
        if (r->kind == JDWP_CLASS_PREPARE)
            meet(s, m, r, (ses_java_hit){.thread = at->thread, .place = at->place, .cls = id});
        else if (is_of_methods(r->kind) && fits_class(s, r, id))
            add_method_points(s, r, cls);
    }
}

/* A step that ends where it isn't wanted goes on from there. */
static void look_at_step(session *s, request_move *m, ses_java_request *r, const ses_java_hit *hit)
{
    if (!r->step.is_on || hit->thread != r->thread || !ses_java_step_ends(s, r))
        return;
    ses_java_step_begin(s, r);
    meet(s, m, r, *hit);
}

static jdwp_event monitor_event(machine_stop_kind kind)
{
    switch (kind) {
    case MACHINE_STOP_LOCK_BLOCKED: return JDWP_MONITOR_BLOCKED;
    case MACHINE_STOP_LOCK_ENTERED: return JDWP_MONITOR_ENTERED;
    case MACHINE_STOP_WAIT: return JDWP_MONITOR_WAIT;
    default: return JDWP_MONITOR_WAITED;
    }
}

/* It happened where the thread waited, though it is told at its next instruction. */
static void look_at_monitor(session *s, request_move *m, ses_java_request *r, const machine_stop *at)
{
    ses_java_hit hit = {.thread = at->thread, .place = at->caused_by ? at->caused_by : at->place, .object = at->object, .detail = at->was};
    if (r->kind == monitor_event(at->kind))
        meet(s, m, r, hit);
}

static void look(session *s, request_move *m, ses_java_request *r, const machine_stop *at)
{
    ses_java_hit hit = {.kind = r->kind, .thread = at->thread, .place = at->place, .object = at->object, .caught_at = at->caught_at};
    switch (at->kind) {
    case MACHINE_STOP_POINT:
        if (has_point(r, at))
            meet(s, m, r, hit);
        if (r->kind == JDWP_STEP && at->step_is_done)
            look_at_step(s, m, r, &hit);
        break;
    case MACHINE_STOP_STEP:
        if (r->kind == JDWP_STEP)
            look_at_step(s, m, r, &hit);
        break;
    case MACHINE_STOP_THROW:
        if (r->kind == JDWP_EXCEPTION && fits_exception(s, r, at))
            meet(s, m, r, hit);
        break;
    case MACHINE_STOP_THREAD_START:
    case MACHINE_STOP_THREAD_END:
        if (r->kind == (at->kind == MACHINE_STOP_THREAD_START ? JDWP_THREAD_START : JDWP_THREAD_END))
            meet(s, m, r, hit);
        break;
    case MACHINE_STOP_MODULES: look_at_classes(s, m, r, at); break;
    case MACHINE_STOP_LOCK_BLOCKED:
    case MACHINE_STOP_LOCK_ENTERED:
    case MACHINE_STOP_WAIT:
    case MACHINE_STOP_WAITED: look_at_monitor(s, m, r, at); break;
    default: break;
    }
}

/* The step that is under way; NULL: none is. */
static ses_java_request *step_of(session *s)
{
    const ses_java_requests *rs = requests_of(s);
    for (size_t i = rs->list.n; i-- > 0;)
        if (rs->list.items[i]->kind == JDWP_STEP && rs->list.items[i]->step.is_on && !(rs->list.items[i]->is_counted && rs->list.items[i]->left == 0))
            return rs->list.items[i];
    return NULL;
}

static void set_request(session *s, request_move *m)
{
    const ses_java_request *step = step_of(s);
    machine_tid only = m->move.request.only_thread ? m->move.thread : 0;
    m->move.request = (machine_request){.move = MACHINE_RUN, .only_thread = only != 0};
    m->move.thread = only;
    if (!step || !s->language || (only && only != step->thread))
        return;
    m->move.thread = step->thread;
    ses_java_step_request(step, &m->move.request);
}

static ebb_status seen(session *s, ses_move *move, const machine_stop *at, bool *done, ses_stop *stop, ebb_error *err)
{
    (void)stop, (void)err;
    request_move *m = (request_move *)move;
    const ses_java_requests *rs = requests_of(s);
    for (size_t i = rs->list.n; i-- > 0;) /* steps first, and the newest first, as the JVM's own agent has it */
        if (rs->list.items[i]->kind == JDWP_STEP)
            look(s, m, rs->list.items[i], at);
    for (size_t i = rs->list.n; i-- > 0;)
        if (rs->list.items[i]->kind != JDWP_STEP)
            look(s, m, rs->list.items[i], at);
    set_request(s, m);
    *done = m->hits->n > 0;
    return EBB_OK;
}

/* ---- running -------------------------------------------------------------------------------- */

/* What a step passes through is what its request leaves out. */
static void tell_filter(session *s)
{
    const ses_java_request *step = step_of(s);
    if (step)
        (void)!jvm_remote_step_filter(s->machine, (const char *const *)step->excludes.items, step->excludes.n, false, NULL);
}

ebb_status ses_java_requests_run(session *s, machine_tid only, ses_java_hits *hits, ses_stop *stop, ebb_error *err)
{
    EBB_TRY(ses_need_debuggee(s, err));
    request_move m = {.move = {.thread = only, .request.only_thread = only != 0, .seen = seen}, .hits = hits};
    hits->n = 0;
    tell_filter(s);
    set_request(s, &m);
    ebb_status status = ses_move_run(s, &m.move, stop, err);
    if (s->machine && step_of(s))
        ses_java_apply_settings(s);
    return status;
}
