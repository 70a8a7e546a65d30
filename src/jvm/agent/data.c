/* data.c - watching data.
 *
 * Before an instruction that touches data executes, or C code writes to the heap, the access is compared with the points.  One
 * that matches is kept as a `touch` with the bytes that were there; at the next instruction of that thread it is known
 * whether they changed.  So a stop is after the access, and C code that writes several things gives one stop.
 *
 * D1  a point at an address is about whatever lies there: an object that dies is not kept alive for it, and when another one is made
 *     there, that is told as a stop of its own kind (`is_new`);
 * D2  a local variable's point is about one activation of a method (locals.c);
 * D3  reads by C code (reflection, Unsafe, arraycopy) are not seen. */
#include "jvm/agent/internal.h"

#include "jvm/engine/ops.h"
#include "jvm/heap/heap.h"
#include "jvm/jvm.h"
#include "jvm/wire/places.h"

#include <string.h>

enum { WHOLE = sizeof(uint64_t) }; /* a stop tells so much of what was there */

/* What was there: mostly it fits in here. */
typedef struct old_bytes {
    size_t n;
    uint64_t small;
    char *large; /* owned; NULL: they are in `small` */
} old_bytes;

typedef struct touch {
    uint32_t point;
    const jvm_thread *thread;
    const jvm_obj *object; /* that `at` lies in; NULL: it can't go away */
    const void *at;
    bool always;           /* whether it changed or not */
    const jvm_frame *awaits; /* counts if that frame goes on with `expected` on its stack; NULL: it counts */
    const jvm_obj *expected;
    const jvm_frame *moved_by; /* of a point on a reference: that frame passes it on; else NULL */
    bool is_new;           /* the object was made */
    machine_place by;      /* the instruction, if it touches at the timestamp at which it began; else 0 */
    machine_place caused_by; /* that instruction; 0: not known */
    uint64_t caused_in;
    old_bytes was;
} touch;

static EBB_VEC(touch) touches;

static old_bytes keep_bytes(const void *at, size_t n)
{
    old_bytes was = {.n = n, .large = n > WHOLE ? ebb_alloc(n) : NULL};
    memcpy(was.large != NULL ? was.large : (char *)&was.small, at, n);
    return was;
}

static const void *bytes_of(const old_bytes *was) { return was->large != NULL ? was->large : (const char *)&was->small; }

/* ---- which points an access is about ---- */

typedef struct access {
    const jvm_thread *thread;
    const jvm_obj *object;
    const char *at;
    size_t nbytes;
    bool writes;
    const jvm_frame *frame; /* whose instruction it is; NULL: nobody knows */
    bool is_native;         /* which called a native that touches it */
} access;

static bool is_of_writes(const agent_point *p)
{
    return p->kind == MACHINE_POINT_WRITE || p->kind == MACHINE_POINT_STORE || p->kind == MACHINE_POINT_BEFORE_WRITE;
}

/* It stops before the instruction. */
static bool is_early(const agent_point *p)
{
    return p->kind == MACHINE_POINT_BEFORE_WRITE || p->kind == MACHINE_POINT_BEFORE_READ;
}

static bool is_wanted(const agent_point *p, const access *a)
{
    bool kind = p->kind == MACHINE_POINT_ACCESS || (a->writes ? is_of_writes(p) : p->kind == MACHINE_POINT_READ || p->kind == MACHINE_POINT_BEFORE_READ);
    return kind && (p->thread == 0 || p->thread == a->thread->id);
}

/* The bytes of the point that may change; false: the access covers none. */
static bool overlap(const agent_point *p, const access *a, const char **at, size_t *nbytes)
{
    const char *from, *to;
    if (p->space == JAVA_SPACE_FIELD) {
        if (p->field == NULL || a->object == NULL || !jvm_is_subclass(a->object->cls, p->field->cls))
            return false;
        from = (const char *)a->object + p->field->offset;
        to = from + java_type_size(p->field->type);
    } else {
        from = (const char *)(uintptr_t)p->addr;
        to = from + p->nbytes;
    }
    const char *end = a->at + a->nbytes;
    if (from >= end || to <= a->at)
        return false;
    if (to - from > WHOLE) { /* what is small is kept as a whole, so that what it was can be told */
        from = from > a->at ? from : a->at;
        to = to < end ? to : end;
    }
    *at = from;
    *nbytes = (size_t)(to - from);
    return true;
}

static void add_touch(const agent_point *p, const access *a, const void *at, size_t nbytes)
{
    touch t = {.point = p->id, .thread = a->thread, .object = a->object, .at = at, .always = p->kind != MACHINE_POINT_WRITE};
    if (a->frame != NULL) {
        t.caused_by = jvm_frame_place(a->frame);
        t.caused_in = agent_frame_id(a->thread, a->frame);
        t.by = a->is_native || agent_is_late(a->thread, a->frame) ? 0 : t.caused_by;
    }
    t.was = keep_bytes(at, nbytes);
    ebb_vec_push(&touches, t);
    agent.n_touches = (unsigned)touches.n;
    agent_touches_changed();
}

static bool is_about(const agent_point *p, const access *a, const char **at, size_t *nbytes)
{
    return p->kind != MACHINE_POINT_EXEC && !agent_is_local(p) && !agent_is_reference(p) && is_wanted(p, a) && overlap(p, a, at, nbytes);
}

static void note(const access *a)
{
    for (size_t i = 0; i < agent.points.n; i++) {
        const agent_point *p = &agent.points.items[i];
        const char *at;
        size_t nbytes;
        if (!is_early(p) && is_about(p, a, &at, &nbytes))
            add_touch(p, a, at, nbytes);
    }
}

/* The early points that it is about. */
static void tell_early(const access *a, jvm_wire_stop *stop)
{
    for (size_t i = 0; i < agent.points.n && stop->points.n < MACHINE_STOP_MAX_POINTS; i++) {
        const agent_point *p = &agent.points.items[i];
        const char *at;
        size_t nbytes;
        if (is_early(p) && is_about(p, a, &at, &nbytes))
            ebb_vec_push(&stop->points, (jvm_wire_number){.value = p->id});
    }
    stop->object = (uintptr_t)a->object;
}

/* An access by C code: for an instruction that is executed that way, or for a native that one called. */
static access access_by_c(jvm_obj *o, void *at, size_t nbytes)
{
    const jvm_frame *f = jvm_self->frame;
    bool is_native = f != NULL && f->kind == JVM_FRAME_NATIVE;
    const jvm_frame *caller = is_native ? f->prev : f;
    return (access){jvm_self, o, at, nbytes, true, caller != NULL && caller->kind == JVM_FRAME_JAVA ? caller : NULL, is_native};
}

/* C code is about to write (heap/object.h, OB2). */
static void before_write(jvm_obj *o, void *at, size_t nbytes)
{
    if (!agent_may_stop() || o == NULL || jvm_self == NULL)
        return;
    access a = access_by_c(o, at, nbytes);
    note(&a);
}

/* An object was made (D1). */
static void after_alloc(jvm_obj *o, size_t nbytes)
{
    if (!agent_may_stop() || jvm_self == NULL)
        return;
    access a = access_by_c(o, o, nbytes);
    for (size_t i = 0; i < agent.points.n; i++) {
        const agent_point *p = &agent.points.items[i];
        const char *at;
        size_t n;
        if (agent_is_reference(p) && p->addr == (uintptr_t)o) {
            add_touch(p, &a, o, 0);
            touches.items[touches.n - 1].always = touches.items[touches.n - 1].is_new = true;
            continue;
        }
        bool is_place = p->kind != MACHINE_POINT_EXEC && p->kind != MACHINE_POINT_READ && !is_early(p) && p->space == JAVA_SPACE_OBJECT;
        if (!is_place || !overlap(p, &a, &at, &n))
            continue;
        add_touch(p, &a, at, n);
        touches.items[touches.n - 1].always = touches.items[touches.n - 1].is_new = true;
    }
}

/* ---- which access an instruction makes ---- */

static size_t size_of_op(uint16_t op)
{
    switch (op) {
    case JVM_X_getfieldQb: case JVM_X_putfieldQb: case JVM_X_putfieldQz: case JVM_X_getstaticQb: case JVM_X_putstaticQb:
    case JVM_X_putstaticQz: case JVM_X_aload1b: case JVM_X_astore1:
        return 1;
    case JVM_X_getfieldQc: case JVM_X_getfieldQs: case JVM_X_putfieldQs: case JVM_X_getstaticQc: case JVM_X_getstaticQs:
    case JVM_X_putstaticQs: case JVM_X_aload2c: case JVM_X_aload2s: case JVM_X_astore2:
        return 2;
    case JVM_X_getfieldQ4: case JVM_X_putfieldQ4: case JVM_X_getstaticQ4: case JVM_X_putstaticQ4: case JVM_X_aload4:
    case JVM_X_astore4:
        return 4;
    default:
        return 8;
    }
}

static bool is_between(uint16_t op, uint16_t first, uint16_t last)
{
    return op >= first && op <= last;
}

/* The access that an instruction makes to a field or an element; false: it makes none. */
static bool access_of(const jvm_thread *t, const jvm_frame *f, uint16_t op, access *a)
{
    bool writes_field = is_between(op, JVM_X_putfieldQz, JVM_X_putfieldQa), writes_element = is_between(op, JVM_X_astore1, JVM_X_astorea);
    int slots = !writes_field && !writes_element ? 0 : op == JVM_X_putfieldQ8 || op == JVM_X_astore8 ? 2 : 1;
    size_t size = size_of_op(op);
    if (is_between(op, JVM_X_getfieldQb, JVM_X_getfieldQa) || writes_field) {
        const jvm_obj *o = f->sp[-1 - slots].a;
        *a = (access){t, o, (const char *)o + f->pc->b, size, writes_field, f, false};
        return o != NULL;
    }
    if (is_between(op, JVM_X_getstaticQb, JVM_X_getstaticQa) || is_between(op, JVM_X_putstaticQz, JVM_X_putstaticQa)) {
        *a = (access){t, NULL, f->pc->c.address, size, op >= JVM_X_putstaticQz, f, false};
        return true;
    }
    if (!is_between(op, JVM_X_aload1b, JVM_X_aloada) && !writes_element)
        return false;
    const jvm_obj *array = f->sp[-2 - slots].a;
    int32_t index = f->sp[-1 - slots].i;
    if (array == NULL || (uint32_t)index >= (uint32_t)array->length)
        return false;
    *a = (access){t, array, (const char *)jvm_array_data(array) + (size_t)index * size, size, writes_element, f, false};
    return true;
}

/* The store with which a variable begins: what was in its slot before was another's, or nobody's. */
static bool is_first_store(const jvm_frame *f)
{
    const jvm_method *m = f->method;
    uint32_t bci = (uint32_t)jvm_frame_bci(f), next = bci + jvm_op_length(m->bytes, m->nbytes, bci);
    for (uint16_t i = 0; i < m->nlocals_info; i++)
        if (m->locals_info[i].slot == f->pc->a && m->locals_info[i].bci == next)
            return true;
    return false;
}

static void note_local(const jvm_thread *t, const jvm_frame *f, uint16_t op)
{
    bool reads = op == JVM_X_load1 || op == JVM_X_load2, both = op == JVM_X_iinc;
    for (size_t i = 0; i < agent.points.n; i++) {
        const agent_point *p = &agent.points.items[i];
        if (!agent_is_local(p) || p->frame != f || p->nbytes == 0 || (p->addr & 0xffff) != f->pc->a)
            continue;
        access a = {t, NULL, (const char *)&f->locals[f->pc->a], sizeof(jvm_slot), !reads, f, false};
        access read = {t, NULL, a.at, a.nbytes, false, f, false};
        if (!is_wanted(p, &a) && !(both && is_wanted(p, &read)))
            continue;
        add_touch(p, &a, a.at, a.nbytes);
        touches.items[touches.n - 1].always |= !reads && is_first_store(f);
    }
}

void agent_data_before_edit(const jvm_thread *t, const jvm_frame *f, uint32_t slot)
{
    access a = {t, NULL, (const char *)&f->locals[slot], sizeof(jvm_slot), true, jvm_top_frame(t), false};
    for (size_t i = 0; agent_may_stop() && i < agent.points.n; i++) {
        const agent_point *p = &agent.points.items[i];
        if (agent_is_local(p) && p->frame == f && p->nbytes > 0 && (p->addr & 0xffff) == slot && is_wanted(p, &a))
            add_touch(p, &a, a.at, a.nbytes);
    }
}

/* The bytes that points of the heap are about lie between these. */
static struct {
    const char *from, *to;
} watched;

bool agent_data_is_far(const jvm_thread *t, const jvm_frame *f, uint16_t op)
{
    access a;
    if (agent.n_locals > 0 && !agent_locals_are_far(t, f, is_between(op, JVM_X_load1, JVM_X_iinc) ? f->pc->a : -1))
        return false;
    return watched.to <= watched.from || !access_of(t, f, op, &a) || a.at >= watched.to || a.at + a.nbytes <= watched.from;
}

void agent_data_before(const jvm_thread *t, const jvm_frame *f, uint16_t op)
{
    access a;
    if (access_of(t, f, op, &a))
        note(&a);
    else if (is_between(op, JVM_X_load1, JVM_X_iinc))
        note_local(t, f, op);
}

void agent_data_about(jvm_thread *t, const jvm_frame *f, uint16_t op)
{
    static agent_moment told; /* what is told already isn't told again when the instruction goes on */
    access a;
    agent_moment now = {t, f, f->pc, jvm_time()};
    if (agent.n_early == 0 || agent.searches || !agent_may_stop() || agent_moment_same(&now, &told) || !access_of(t, f, op, &a))
        return;
    jvm_wire_stop stop = {.kind = MACHINE_STOP_POINT};
    tell_early(&a, &stop);
    if (stop.points.n > 0) {
        told = now;
        agent_stop(t, &stop);
    }
    ebb_vec_fini(&stop.points);
}

/* The instruction that the frame is at moved it already: a native method that it called calls another, which gets it, too. */
static bool is_moving(const agent_point *p, const jvm_frame *f)
{
    for (size_t i = 0; i < touches.n; i++)
        if (touches.items[i].point == p->id && touches.items[i].moved_by == f)
            return true;
    return false;
}

void agent_data_moved(const agent_point *p, const jvm_thread *t, const jvm_frame *f, bool is_asked_later)
{
    if (is_moving(p, f))
        return;
    uint64_t id = agent_frame_id(t, f), place = jvm_frame_place(f);
    touch x = {.point = p->id, .thread = t, .object = (const jvm_obj *)(uintptr_t)id, .always = true, .caused_by = place, .caused_in = id, .moved_by = f};
    if (is_asked_later) {
        x.awaits = f;
        x.expected = (const jvm_obj *)(uintptr_t)p->addr;
    }
    x.was = keep_bytes(&place, sizeof place);
    ebb_vec_push(&touches, x);
    agent.n_touches = (unsigned)touches.n;
    agent_touches_changed();
}

/* ---- afterwards ---- */

/* The frame runs other code first: a class that is initialised. */
static bool is_too_early(const touch *x, const jvm_frame *f)
{
    return x->awaits != NULL && (const jvm_slot *)f > (const jvm_slot *)x->awaits;
}

static bool is_in_vain(const touch *x, const jvm_frame *f)
{
    return x->awaits != NULL && (f != x->awaits || f->sp[-1].a != x->expected);
}

/* The machine runs code of its own before the instruction is done: it loads or initialises a class, or links a call site.  The instruction is looked at
 * again when it goes on. */
static bool is_put_off(const touch *x, const jvm_frame *f)
{
    return x->moved_by != NULL && f->prev != NULL && f->prev->kind == JVM_FRAME_ENTRY && f->prev->prev == x->moved_by;
}

static bool has_changed(const touch *x)
{
    if (x->always)
        return true;
    if (x->object != NULL && !jvm_heap_holds(x->object))
        return false;
    return memcmp(x->at, bytes_of(&x->was), x->was.n) != 0;
}

static bool is_listed(const jvm_wire_stop *stop, uint32_t id)
{
    for (size_t i = 0; i < stop->points.n; i++)
        if (stop->points.items[i].value == id)
            return true;
    return false;
}

static void add_point(jvm_wire_stop *stop, const touch *x)
{
    ebb_vec_push(&stop->points, (jvm_wire_number){.value = x->point});
    stop->touched_by = x->by;
    stop->caused_by = x->caused_by;
    stop->caused_in = x->caused_in;
    stop->is_new |= x->is_new;
    stop->object = (uintptr_t)x->object;
    if (x->was.n <= sizeof stop->was)
        memcpy(&stop->was, bytes_of(&x->was), x->was.n);
}

/* Whether the point is told.  One whose condition is false isn't, but for an object that was made: whose place it was, ebb has to know. */
static bool is_told(touch *x, const jvm_frame *f)
{
    agent_point *p = agent_point_by_id(x->point);
    if (p == NULL || !has_changed(x))
        return false;
    agent_truth answer = p->condition == NULL || x->is_new ? AGENT_YES : agent_condition_holds(p->condition, f);
    p->is_unsure = answer == AGENT_UNKNOWN;
    return answer != AGENT_NO;
}

void agent_data_forget(void)
{
    for (size_t i = 0; i < touches.n; i++)
        free(touches.items[i].was.large);
    touches.n = 0;
    agent.n_touches = 0;
}

bool agent_data_passes(const jvm_thread *t, const jvm_frame *f)
{
    for (size_t i = 0; i < touches.n; i++) {
        touch *x = &touches.items[i];
        if (x->thread != t || x->awaits != NULL || is_told(x, f))
            return false;
    }
    agent_data_forget();
    agent_touches_changed();
    return true;
}

void agent_data_after(const jvm_thread *t, const jvm_frame *f, jvm_wire_stop *stop)
{
    size_t kept = 0;
    for (size_t i = 0; i < touches.n; i++) {
        touch *x = &touches.items[i];
        if (x->thread != t || is_too_early(x, f)) {
            touches.items[kept++] = *x;
            continue;
        }
        if (!is_listed(stop, x->point) && stop->points.n < MACHINE_STOP_MAX_POINTS && !is_in_vain(x, f) && !is_put_off(x, f) && is_told(x, f))
            add_point(stop, x);
        free(x->was.large);
    }
    touches.n = kept;
    agent.n_touches = (unsigned)kept;
    agent_touches_changed();
}

/* ---- points ---- */

static ebb_status set_field(agent_point *p, ebb_error *err)
{
    p->field = agent_field(p->addr);
    if (p->field == NULL && agent.is_replay)
        return EBB_OK; /* its class is still to come */
    if (p->field == NULL)
        return ebb_fail(err, EBB_NOT_FOUND, "No field number %#llx is there.", (unsigned long long)p->addr);
    if (p->field->access & JVM_ACC_STATIC) {
        p->space = JAVA_SPACE_OBJECT;
        p->addr = (uintptr_t)p->field->cls->mirror + p->field->offset;
        p->nbytes = java_type_size(p->field->type);
    }
    return EBB_OK;
}

ebb_status agent_data_set(agent_point *p, ebb_error *err)
{
    switch (p->space) {
    case JAVA_SPACE_OBJECT:
        p->nbytes = p->nbytes == 0 ? 1 : p->nbytes;
        return EBB_OK;
    case JAVA_SPACE_FIELD: return set_field(p, err);
    case JAVA_SPACE_LOCAL: return agent_local_set(p, err);
    case JAVA_SPACE_REFERENCE: return EBB_OK;
    default: return ebb_fail(err, EBB_UNSUPPORTED, "The Java machine has no memory of that kind to watch (space %u).", p->space);
    }
}

void agent_data_linked(const jvm_class *cls)
{
    for (size_t i = 0; i < agent.points.n; i++) {
        agent_point *p = &agent.points.items[i];
        if (p->kind != MACHINE_POINT_EXEC && p->space == JAVA_SPACE_FIELD && p->field == NULL && p->addr >> 32 == cls->serial)
            (void)set_field(p, NULL);
    }
}

static void widen_watched(const agent_point *p)
{
    const char *from = (const char *)(uintptr_t)p->addr, *to = from + p->nbytes;
    if (p->space == JAVA_SPACE_FIELD) { /* of every object */
        from = NULL;
        to = (const char *)UINTPTR_MAX;
    }
    watched.from = watched.to == NULL || from < watched.from ? from : watched.from;
    watched.to = to > watched.to ? to : watched.to;
}

void agent_data_changed(void)
{
    bool heap = false;
    watched.from = watched.to = NULL;
    agent.n_data = agent.n_heap_writes = agent.n_local_reads = agent.n_locals = agent.n_early = agent.n_references = 0;
    for (size_t i = 0; i < agent.points.n; i++) {
        const agent_point *p = &agent.points.items[i];
        bool local = agent_is_local(p), is_reference = agent_is_reference(p);
        bool is_awake = local ? p->frame != NULL && p->nbytes > 0 : !is_reference || p->nbytes > 0;
        agent.n_data += p->kind != MACHINE_POINT_EXEC && is_awake;
        agent.n_references += is_reference && is_awake;
        agent.n_heap_writes += is_of_writes(p) && !local && !is_reference;
        agent.n_locals += local;
        agent.n_early += is_early(p);
        agent.n_local_reads += local && is_awake && !is_of_writes(p);
        heap = heap || (p->kind != MACHINE_POINT_EXEC && !local && !is_early(p));
        if (p->kind != MACHINE_POINT_EXEC && !local && !is_reference)
            widen_watched(p);
    }
    jvm_agent_frames = agent.n_locals > 0;
    jvm_agent_travels = agent.n_references > 0;
    jvm_write_hook = heap ? before_write : NULL;
    jvm_alloc_hook = heap ? after_alloc : NULL;
}
