/* serve.c - answers about classes, threads and frames. */
#include "jvm/agent/internal.h"

#include "base/sizes.h"
#include "base/text.h"
#include "jvm/heap/heap.h"
#include "jvm/heap/jstring.h"
#include "jvm/threads/monitor.h"
#include "jvm/engine/ops.h"
#include "jvm/engine/reach.h"
#include "jvm/engine/refmap.h"
#include "jvm/threads/thread_dump.h"
#include "jvm/jvm.h"

#include <string.h>

/* ---- names of things ---- */

machine_place agent_thread_place(const jvm_thread *t)
{
    const jvm_frame *f = jvm_top_frame(t);
    return f == NULL ? 0 : jvm_frame_place(f);
}

jvm_class *agent_class(uint64_t serial)
{
    return serial > UINT32_MAX ? NULL : jvm_class_by_serial((uint32_t)serial);
}

jvm_method *agent_method(machine_place place)
{
    jvm_class *cls = agent_class(place >> 32);
    uint32_t index = place >> 16 & 0xffff;
    return cls == NULL || index >= cls->nmethods ? NULL : &cls->methods[index];
}

jvm_field *agent_field(uint64_t id)
{
    jvm_class *cls = agent_class(id >> 32);
    uint32_t index = (uint32_t)id;
    return cls == NULL || index >= cls->nfields || cls->state < JVM_CLASS_LINKED ? NULL : &cls->fields[index];
}

jvm_thread *agent_thread(uint64_t tid)
{
    jvm_thread *t = jvm_threads_first();
    while (t != NULL && t->id != tid)
        t = t->next_all;
    return t;
}

jvm_frame *agent_top_frame(const jvm_thread *t)
{
    return agent.calling && t == agent.caller ? agent.caller_top : jvm_top_frame(t);
}

jvm_frame *agent_frame(uint64_t tid, unsigned level)
{
    const jvm_thread *t = agent_thread(tid);
    jvm_frame *f = t == NULL ? NULL : agent_top_frame(t);
    while (f != NULL && level-- > 0)
        f = jvm_caller_frame(f);
    return f;
}

/* Thread, and how far up its stack; the low 16 bits are for a local's number. */
uint64_t agent_frame_id(const jvm_thread *t, const jvm_frame *f)
{
    return (uint64_t)t->id << 44 | (uint64_t)((const jvm_slot *)f - t->stack) << 16;
}

static ebb_status no_class(ebb_error *err, uint64_t serial)
{
    return ebb_fail(err, EBB_NOT_FOUND, "No class number %llu is there.", (unsigned long long)serial);
}

static ebb_status no_frame(ebb_error *err, uint64_t tid, unsigned level)
{
    return ebb_fail(err, EBB_NOT_FOUND, "Thread %llu has no frame %u.", (unsigned long long)tid, level);
}

/* ---- classes ---- */

static const char *class_name(ebb_arena *arena, const jvm_class *cls)
{
    char *name = jvm_class_is_array(cls) ? jvm_type_text(cls->name->text) : jvm_class_external_name(cls);
    const char *kept = ebb_arena_strdup(arena, name);
    free(name);
    return kept;
}

static const char *text_of(const jvm_sym *symbol) { return symbol == NULL ? NULL : symbol->text; }

static void describe_fields(const jvm_class *cls, jvm_wire_class *a, ebb_arena *arena)
{
    a->fields.items = EBB_ARENA_ARRAY(arena, jvm_wire_field, cls->nfields + 1u);
    for (uint16_t i = 0; i < cls->nfields; i++) {
        const jvm_field *f = &cls->fields[i];
        if (f->flags & JVM_FIELD_INJECTED)
            continue;
        a->fields.items[a->fields.n++] = (jvm_wire_field){.id = (uint64_t)cls->serial << 32 | i, .name = f->name->text,
            .descriptor = f->sig->text, .generic = text_of(f->signature), .access = f->access, .offset = f->offset};
    }
}

static void describe_methods(const jvm_class *cls, jvm_wire_class *a, ebb_arena *arena)
{
    a->methods.items = EBB_ARENA_ARRAY(arena, jvm_wire_method, cls->nmethods + 1u);
    for (uint16_t i = 0; i < cls->nmethods; i++) {
        const jvm_method *m = &cls->methods[i];
        a->methods.items[a->methods.n++] = (jvm_wire_method){.id = jvm_method_place(m, 0), .name = m->name->text,
            .descriptor = m->sig->text, .generic = text_of(m->signature), .access = m->access, .max_locals = m->max_locals, .n_code = m->nbytes,
            .has_lines = m->nlines > 0, .is_hidden = jvm_method_is_hidden(m)};
    }
}

ebb_status agent_serve_class_info(const jvm_wire_number *q, jvm_wire_class *a, ebb_arena *arena, ebb_error *err)
{
    const jvm_class *cls = agent_class(q->value);
    if (cls == NULL)
        return no_class(err, q->value);
    *a = (jvm_wire_class){.id = cls->serial, .name = class_name(arena, cls), .access = cls->access,
        .super = cls->super == NULL ? 0 : cls->super->serial, .source = text_of(cls->source_file), .generic = text_of(cls->signature),
        .mirror = (uintptr_t)cls->mirror, .loader = cls->loader == NULL ? 0 : (uintptr_t)cls->loader->object,
        .is_array = jvm_class_is_array(cls), .is_primitive = cls->kind == JVM_KIND_PRIMITIVE,
        .is_library = agent_is_library(cls), .is_linked = cls->state >= JVM_CLASS_LINKED,
        .element = jvm_class_is_array(cls) || cls->kind == JVM_KIND_PRIMITIVE ? (uint8_t)cls->element_type : 0};
    a->interfaces.items = EBB_ARENA_ARRAY(arena, jvm_wire_number, cls->ninterfaces + 1u);
    for (uint16_t i = 0; i < cls->ninterfaces; i++)
        a->interfaces.items[a->interfaces.n++].value = cls->interfaces[i]->serial;
    describe_fields(cls, a, arena);
    describe_methods(cls, a, arena);
    return EBB_OK;
}

/* Where the constants end in the bytes of the class file, which have been checked. */
static const uint8_t *end_of_constants(const jvm_pool *pool, const uint8_t *at)
{
    for (uint16_t i = 1; i < pool->n; i++) {
        switch (pool->tags[i]) {
        case JVM_CP_UTF8: at += 3 + jvm_u2(at + 1); break;
        case JVM_CP_LONG: case JVM_CP_DOUBLE: at += 9; i++; break;
        case JVM_CP_METHOD_HANDLE: at += 4; break;
        case JVM_CP_CLASS: case JVM_CP_STRING: case JVM_CP_METHOD_TYPE: case JVM_CP_MODULE: case JVM_CP_PACKAGE: at += 3; break;
        default: at += 5; break;
        }
    }
    return at;
}

ebb_status agent_serve_class_file(const jvm_wire_number *q, jvm_wire_class_file *a, ebb_arena *arena, ebb_error *err)
{
    enum { FIRST_CONSTANT = 10 }; /* after the magic number, the version and the count */
    const jvm_class *cls = agent_class(q->value);
    if (cls == NULL)
        return no_class(err, q->value);
    if (cls->bytes == NULL || cls->pool.n == 0)
        return ebb_fail(err, EBB_UNAVAILABLE, "Class number %llu comes from no class file.", (unsigned long long)q->value);
    const uint8_t *first = cls->bytes + FIRST_CONSTANT;
    *a = (jvm_wire_class_file){.major = cls->major, .minor = cls->minor, .n_constants = cls->pool.n,
        .constants = {first, (uint32_t)(end_of_constants(&cls->pool, first) - first)},
        .source_debug = {cls->source_debug.bytes, cls->source_debug.nbytes}};
    return EBB_OK;
}

static void add_number(jvm_wire_numbers *a, ebb_arena *arena, uint64_t value)
{
    if (a->list.n == a->list.cap) {
        a->list.cap = a->list.cap == 0 ? JVM_ANSWER_FIRST : a->list.cap * 2;
        jvm_wire_number *more = EBB_ARENA_ARRAY(arena, jvm_wire_number, a->list.cap);
        if (a->list.n > 0)
            memcpy(more, a->list.items, a->list.n * sizeof *more);
        a->list.items = more;
    }
    a->list.items[a->list.n++].value = value;
}

typedef struct class_search {
    const char *text;
    size_t at_most;
    jvm_wire_numbers *found;
    ebb_arena *arena;
} class_search;

static void note_named(jvm_class *cls, void *arg)
{
    class_search *s = arg;
    if (strcmp(class_name(s->arena, cls), s->text) == 0)
        add_number(s->found, s->arena, cls->serial);
}

static void note_of_source(jvm_class *cls, void *arg)
{
    class_search *s = arg;
    if (cls->source_file != NULL && strcmp(cls->source_file->text, s->text) == 0)
        add_number(s->found, s->arena, cls->serial);
}

static void note_like(jvm_class *cls, void *arg)
{
    class_search *s = arg;
    if (s->found->list.n < s->at_most && ebb_text_starts(class_name(s->arena, cls), s->text))
        add_number(s->found, s->arena, cls->serial);
}

ebb_status agent_serve_classes_named(const jvm_wire_name *q, jvm_wire_numbers *a, ebb_arena *arena, ebb_error *err)
{
    class_search s = {q->text == NULL ? "" : q->text, SIZE_MAX, a, arena};
    jvm_each_class(note_named, &s);
    return EBB_OK;
}

ebb_status agent_serve_classes_of_source(const jvm_wire_name *q, jvm_wire_numbers *a, ebb_arena *arena, ebb_error *err)
{
    class_search s = {q->text == NULL ? "" : q->text, SIZE_MAX, a, arena};
    jvm_each_class(note_of_source, &s);
    return EBB_OK;
}

ebb_status agent_serve_classes_like(const jvm_wire_like *q, jvm_wire_numbers *a, ebb_arena *arena, ebb_error *err)
{
    class_search s = {q->prefix == NULL ? "" : q->prefix, q->at_most, a, arena};
    jvm_each_class(note_like, &s);
    return EBB_OK;
}

/* ---- code ---- */

static int by_bci(const void *x, const void *y)
{
    const jvm_wire_line *a = x, *b = y;
    return (a->bci > b->bci) - (a->bci < b->bci);
}

ebb_status agent_serve_code(const jvm_wire_number *q, jvm_wire_code *a, ebb_arena *arena, ebb_error *err)
{
    const jvm_method *m = agent_method(q->value);
    if (m == NULL)
        return ebb_fail(err, EBB_NOT_FOUND, "No method of Java is at %#llx.", (unsigned long long)q->value);
    a->bytes = (jvm_wire_bytes){m->bytes, m->nbytes};
    a->lines.items = EBB_ARENA_ARRAY(arena, jvm_wire_line, m->nlines + 1u);
    for (uint16_t i = 0; i < m->nlines; i++)
        a->lines.items[a->lines.n++] = (jvm_wire_line){.bci = m->lines[i].bci, .line = m->lines[i].line};
    qsort(a->lines.items, a->lines.n, sizeof *a->lines.items, by_bci);
    a->locals.items = EBB_ARENA_ARRAY(arena, jvm_wire_local, m->nlocals_info + 1u);
    for (uint16_t i = 0; i < m->nlocals_info; i++) {
        const jvm_local_var *v = &m->locals_info[i];
        a->locals.items[a->locals.n++] = (jvm_wire_local){.name = v->name->text, .descriptor = v->sig->text, .generic = text_of(v->generic), .from = v->bci,
            .to = (uint16_t)(v->bci + v->nbytes), .slot = v->slot};
    }
    return EBB_OK;
}

static void add_target(const jvm_method *m, uint32_t bci, jvm_wire_insn *a)
{
    const uint8_t *at = m->bytes + bci;
    char operand = jvm_ops[*at].operands[0];
    if (operand != 'o' && operand != 'O')
        return;
    a->has_target = 1;
    a->target = jvm_method_place(m, bci + (uint32_t)(operand == 'o' ? jvm_s2(at + 1) : jvm_s4(at + 1)));
}

ebb_status agent_serve_decode(const jvm_wire_number *q, jvm_wire_insn *a, ebb_arena *arena, ebb_error *err)
{
    const jvm_method *m = agent_method(q->value);
    uint32_t bci = q->value & 0xffff;
    uint32_t nbytes = m == NULL ? 0 : jvm_op_length(m->bytes, m->nbytes, bci);
    if (nbytes == 0)
        return ebb_fail(err, EBB_NOT_FOUND, "No instruction of Java is at %#llx.", (unsigned long long)q->value);
    uint8_t op = m->bytes[bci];
    ebb_buf text = {0};
    jvm_disassemble(m, bci, &text);
    const char *after = strchr(ebb_buf_text(&text), ' '); /* the index in front is the place, which the reader knows */
    a->nbytes = nbytes;
    a->is_call = op >= JVM_OP_invokevirtual && op <= JVM_OP_invokedynamic;
    a->is_return = op >= JVM_OP_ireturn && op <= JVM_OP_return;
    a->is_branch = strchr("oOTS", jvm_ops[op].operands[0] == '\0' ? '-' : jvm_ops[op].operands[0]) != NULL || op == JVM_OP_ret ||
                   op == JVM_OP_athrow;
    a->is_indirect = op == JVM_OP_ret || op == JVM_OP_athrow || op == JVM_OP_tableswitch || op == JVM_OP_lookupswitch ||
                     op == JVM_OP_invokevirtual || op == JVM_OP_invokeinterface || op == JVM_OP_invokedynamic;
    a->text = ebb_arena_strdup(arena, after == NULL ? ebb_buf_text(&text) : after + 1);
    add_target(m, bci, a);
    ebb_buf_fini(&text);
    return EBB_OK;
}

/* ---- threads ---- */

static const char *string_text(ebb_arena *arena, const jvm_obj *string)
{
    char *text = jvm_string_utf8(string);
    const char *kept = ebb_arena_strdup(arena, text);
    free(text);
    return kept;
}

typedef struct holders {
    jvm_wire_threads *threads;
    ebb_arena *arena;
} holders;

static void note_holder(jvm_obj *o, void *arg)
{
    holders *h = arg;
    if ((o->mark & 1) == 0)
        return;
    const jvm_thread *owner = jvm_monitor_owner(o);
    for (size_t i = 0; owner != NULL && i < h->threads->list.n; i++) {
        jvm_wire_thread *t = &h->threads->list.items[i];
        if (t->tid != owner->id)
            continue;
        jvm_wire_numbers held = {.list = {t->held.items, t->held.n, t->held.cap}};
        add_number(&held, h->arena, (uintptr_t)o);
        t->held.items = held.list.items;
        t->held.n = held.list.n;
        t->held.cap = held.list.cap;
    }
}

static void describe_thread(const jvm_thread *t, jvm_wire_thread *a, ebb_arena *arena)
{
    uint32_t state = jvm_thread_shown_state(t);
    *a = (jvm_wire_thread){.tid = t->id, .is_daemon = t->daemon, .status = state, .state = jvm_thread_state_text(state),
        .object = (uintptr_t)t->object, .name = "?"};
    if (t->object == NULL)
        return;
    jvm_obj *owner, *awaited = jvm_thread_awaits(t, &owner);
    const jvm_thread *by = owner == NULL ? NULL : jvm_thread_of(owner);
    const jvm_obj *group = jvm_get_ref(t->object, jvm.fields.Thread_group);
    a->name = string_text(arena, jvm_get_ref(t->object, jvm.fields.Thread_name));
    a->group = group == NULL ? NULL : string_text(arena, jvm_get_ref(group, jvm.fields.ThreadGroup_name));
    a->blocked_on = t->runnable ? 0 : (uintptr_t)awaited;
    a->blocked_by = t->runnable || by == NULL ? 0 : by->id;
}

ebb_status agent_serve_threads(const jvm_wire_number *q, jvm_wire_threads *a, ebb_arena *arena, ebb_error *err)
{
    a->list.items = EBB_ARENA_ARRAY(arena, jvm_wire_thread, jvm_threads_count(true) + 1);
    for (const jvm_thread *t = jvm_threads_first(); t != NULL; t = t->next_all)
        describe_thread(t, &a->list.items[a->list.n++], arena);
    holders h = {a, arena};
    if (q->value != 0)
        jvm_heap_each(note_holder, &h);
    return EBB_OK;
}

/* Those that no frame is known to have entered, native code has. */
static void add_other_locks(const jvm_thread *t, jvm_wire_frame_locks *a, ebb_arena *arena)
{
    jvm_wire_thread held = {.tid = t->id};
    jvm_wire_threads threads = {.list = {&held, 1, 1}};
    holders h = {&threads, arena};
    jvm_heap_each(note_holder, &h);
    jvm_wire_frame_lock *all = EBB_ARENA_ARRAY(arena, jvm_wire_frame_lock, a->list.n + held.held.n + 1);
    if (a->list.n > 0)
        memcpy(all, a->list.items, a->list.n * sizeof *all);
    a->list.items = all;
    for (size_t i = 0, n_known = a->list.n; i < held.held.n; i++) {
        bool known = false;
        for (size_t k = 0; k < n_known && !known; k++)
            known = all[k].object == held.held.items[i].value;
        if (!known)
            all[a->list.n++] = (jvm_wire_frame_lock){held.held.items[i].value, UINT32_MAX};
    }
}

ebb_status agent_serve_frame_locks(const jvm_wire_number *q, jvm_wire_frame_locks *a, ebb_arena *arena, ebb_error *err)
{
    const jvm_thread *t = agent_thread(q->value);
    jvm_obj_list found = {0};
    EBB_VEC(jvm_wire_frame_lock) locks = {0};
    uint32_t level = 0;
    if (t == NULL)
        return ebb_fail(err, EBB_NOT_FOUND, "No thread %llu is there.", (unsigned long long)q->value);
    for (const jvm_frame *f = agent_top_frame(t); f != NULL; f = jvm_caller_frame(f), level++) {
        found.n = 0;
        jvm_frame_monitors(t, f, &found);
        for (size_t i = found.n; i-- > 0;) /* the oldest first, as a JVM's own agent has it */
            ebb_vec_push(&locks, ((jvm_wire_frame_lock){(uintptr_t)found.items[i], level}));
    }
    a->list.items = locks.items;
    a->list.n = locks.n;
    add_other_locks(t, a, arena);
    ebb_vec_fini(&locks);
    ebb_vec_fini(&found);
    return EBB_OK;
}

ebb_status agent_serve_deadlock(const jvm_wire_nothing *q, jvm_wire_numbers *a, ebb_arena *arena, ebb_error *err)
{
    for (const jvm_thread *t = jvm_threads_first(); t != NULL; t = t->next_all)
        if (jvm_thread_is_deadlocked(t, false))
            add_number(a, arena, t->id);
    return EBB_OK;
}

/* ---- frames ---- */

static void describe_frame(const jvm_thread *t, const jvm_frame *f, jvm_wire_frame *a)
{
    bool is_java = f->kind == JVM_FRAME_JAVA;
    *a = (jvm_wire_frame){.id = agent_frame_id(t, f), .place = jvm_frame_place(f), .is_native = !is_java,
        .is_hidden = jvm_frame_is_hidden(f),
        .is_from_c = f->prev == NULL || f->prev->kind == JVM_FRAME_ENTRY};
    a->next = a->place;
    if (is_java && (uint32_t)(f->pc - f->method->code->insns) + 1 < f->method->code->n)
        a->next = jvm_method_place(f->method, f->method->code->bci[f->pc - f->method->code->insns + 1]);
}

ebb_status agent_serve_frames(const jvm_wire_frame_span *q, jvm_wire_frames *a, ebb_arena *arena, ebb_error *err)
{
    const jvm_thread *t = agent_thread(q->tid);
    if (t == NULL)
        return ebb_fail(err, EBB_NOT_FOUND, "No thread %llu is there.", (unsigned long long)q->tid);
    uint32_t n = 0, at = 0;
    for (const jvm_frame *f = agent_top_frame(t); f != NULL && n < q->count; f = jvm_caller_frame(f))
        n += at++ >= q->first;
    a->list.items = EBB_ARENA_ARRAY(arena, jvm_wire_frame, n + 1u);
    at = 0;
    for (const jvm_frame *f = agent_top_frame(t); f != NULL && a->list.n < n; f = jvm_caller_frame(f))
        if (at++ >= q->first)
            describe_frame(t, f, &a->list.items[a->list.n++]);
    return EBB_OK;
}

jvm_wire_word agent_word(char type, jvm_slot v)
{
    jvm_wire_word w = {.type = type == '[' ? 'L' : (uint8_t)type};
    double d = type == 'F' ? (double)v.f : v.d;
    switch (type) {
    case 'F': case 'D': memcpy(&w.bits, &d, sizeof d); break;
    case 'L': case '[': case 'J': w.bits = v.raw; break;
    case 'Z': w.bits = v.i & 1; break;
    default: w.bits = (uint64_t)(int64_t)v.i; break;
    }
    return w;
}

bool agent_slot(char type, uint64_t bits, jvm_slot *v)
{
    double d;
    memcpy(&d, &bits, sizeof d);
    v->raw = 0;
    switch (type) {
    case 'F': v->f = (float)d; return true;
    case 'D': v->d = d; return true;
    case 'J': v->j = (int64_t)bits; return true;
    case 'L': case '[':
        v->a = (jvm_obj *)(uintptr_t)bits;
        return bits == 0 || jvm_heap_holds(v->a);
    case 'Z': case 'B': case 'C': case 'S': case 'I': v->i = (int32_t)bits; return true;
    default: return false;
    }
}

/* The slots that hold references, from the reference maps. */
typedef struct ref_marks {
    const jvm_slot *from;
    uint8_t *marks;
    size_t n;
} ref_marks;

static void mark_ref(jvm_obj **slot, void *arg)
{
    ref_marks *r = arg;
    size_t i = (size_t)((const jvm_slot *)(void *)slot - r->from);
    if ((const jvm_slot *)(void *)slot >= r->from && i < r->n)
        r->marks[i] = 1;
}

static char declared_type(const jvm_method *m, uint32_t bci, uint32_t slot)
{
    for (uint16_t i = 0; i < m->nlocals_info; i++) {
        const jvm_local_var *v = &m->locals_info[i];
        if (v->slot == slot && bci >= v->bci && bci < (uint32_t)v->bci + v->nbytes)
            return v->sig->text[0];
    }
    return 0;
}

static void describe_locals(const jvm_frame *f, const uint8_t *refs, jvm_wire_slots *a, ebb_arena *arena)
{
    uint32_t n = f->kind == JVM_FRAME_JAVA ? f->method->max_locals : f->method->nargs;
    uint32_t bci = f->kind == JVM_FRAME_JAVA ? (uint32_t)jvm_frame_bci(f) : 0;
    a->locals.items = EBB_ARENA_ARRAY(arena, jvm_wire_word, n + 1u);
    for (uint32_t i = 0; i < n; i++) {
        char type = declared_type(f->method, bci, i);
        type = refs[i] ? 'L' : type == 0 ? 'J' : (type == 'L' || type == '[') && f->locals[i].a != NULL ? 'J' : type;
        a->locals.items[a->locals.n++] = agent_word(type, f->locals[i]);
        if (type == 'D' && i + 1 < n)
            a->locals.items[a->locals.n++] = (jvm_wire_word){.type = 'V'};
        i += type == 'D';
    }
}

/* An int takes the lower half of its slot, and something else may have left the upper one: what pushed it tells which it is. */
static char number_type(const jvm_frame *f, uint32_t slot)
{
    jvm_slot v = jvm_frame_stack(f)[slot];
    jvm_writers by = {0};
    if ((int64_t)v.raw == v.i || !jvm_stack_writers(f->method, (uint32_t)jvm_frame_bci(f), slot, &by))
        return 'J';
    bool is_int = by.n > 0;
    for (size_t i = 0; i < by.n && is_int; i++) {
        int pops;
        char pushes = 0;
        if (!by.items[i].is_handler && !jvm_op_is_shuffler(f->method->bytes[by.items[i].bci]))
            jvm_op_effect(f->method, by.items[i].bci, &pops, &pushes);
        is_int = pushes != 0 && strchr("ZBCSI", pushes) != NULL;
    }
    ebb_vec_fini(&by);
    return is_int ? 'I' : 'J';
}

ebb_status agent_serve_slots(const jvm_wire_frame_span *q, jvm_wire_slots *a, ebb_arena *arena, ebb_error *err)
{
    jvm_frame *f = agent_frame(q->tid, q->first);
    if (f == NULL)
        return no_frame(err, q->tid, q->first);
    size_t nstack = f->kind == JVM_FRAME_JAVA && f->sp > jvm_frame_stack(f) ? (size_t)(f->sp - jvm_frame_stack(f)) : 0;
    size_t n = (size_t)(jvm_frame_stack(f) - f->locals) + nstack; /* the frame itself lies in between: never marked */
    ref_marks refs = {f->locals, ebb_arena_alloc(arena, n + 1), n};
    if (f->kind == JVM_FRAME_JAVA)
        jvm_refmap_visit(f, mark_ref, &refs);
    else
        jvm_refmap_visit_native(f, mark_ref, &refs);
    describe_locals(f, refs.marks, a, arena);
    a->stack.items = EBB_ARENA_ARRAY(arena, jvm_wire_word, nstack + 1);
    const uint8_t *stack_refs = refs.marks + (n - nstack);
    for (size_t i = 0; i < nstack; i++)
        a->stack.items[a->stack.n++] = agent_word(stack_refs[i] ? 'L' : number_type(f, (uint32_t)i), jvm_frame_stack(f)[i]);
    return EBB_OK;
}

static ebb_status local_slot(const jvm_wire_local_at *q, jvm_slot **slot, ebb_error *err)
{
    jvm_frame *f = agent_frame(q->tid, q->level);
    if (f == NULL)
        return no_frame(err, q->tid, q->level);
    uint32_t n = f->kind == JVM_FRAME_JAVA ? f->method->max_locals : f->method->nargs;
    if (q->slot >= n)
        return ebb_fail(err, EBB_NOT_FOUND, "The frame has %u local variables, no number %u.", n, q->slot);
    *slot = &f->locals[q->slot];
    return EBB_OK;
}

ebb_status agent_serve_local_get(const jvm_wire_local_at *q, jvm_wire_word *a, ebb_arena *arena, ebb_error *err)
{
    jvm_slot *slot;
    ebb_status status = local_slot(q, &slot, err);
    if (status != EBB_OK)
        return status;
    bool ref = q->type == 'L' || q->type == '[';
    if (ref && slot->a != NULL && !jvm_heap_holds(slot->a))
        return ebb_fail(err, EBB_UNAVAILABLE, "The local variable holds no object now.");
    *a = agent_word((char)q->type, *slot);
    return EBB_OK;
}

ebb_status agent_serve_local_set(const jvm_wire_local_at *q, jvm_wire_nothing *a, ebb_arena *arena, ebb_error *err)
{
    jvm_slot *slot, value;
    ebb_status status = local_slot(q, &slot, err);
    if (status == EBB_OK && !agent_slot((char)q->type, q->bits, &value))
        status = ebb_fail(err, EBB_BAD_INPUT, "That is no value of Java.");
    if (status != EBB_OK)
        return status;
    agent_data_before_edit(agent_thread(q->tid), agent_frame(q->tid, q->level), q->slot);
    *slot = value;
    return EBB_OK;
}
