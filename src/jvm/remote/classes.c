/* classes.c - classes, their code, threads and frames, asked of the agent. */
#include "jvm/remote/lines.h"
#include "jvm/remote/machine_ops.h"

#include <string.h>

/* ---- classes ---- */

static java_class *make_class(ebb_arena *arena, const jvm_wire_class *w)
{
    java_class *c = EBB_ARENA_NEW(arena, java_class);
    java_class_id *interfaces = EBB_ARENA_ARRAY(arena, java_class_id, w->interfaces.n + 1);
    java_field *fields = EBB_ARENA_ARRAY(arena, java_field, w->fields.n + 1);
    java_method *methods = EBB_ARENA_ARRAY(arena, java_method, w->methods.n + 1);
    for (size_t i = 0; i < w->interfaces.n; i++)
        interfaces[i] = (java_class_id)w->interfaces.items[i].value;
    for (size_t i = 0; i < w->fields.n; i++) {
        const jvm_wire_field *f = &w->fields.items[i];
        fields[i] = (java_field){f->id, f->name, f->descriptor, f->generic, f->access, f->offset};
    }
    for (size_t i = 0; i < w->methods.n; i++) {
        const jvm_wire_method *f = &w->methods.items[i];
        methods[i] = (java_method){f->id, f->name, f->descriptor, f->generic, f->access, f->max_locals, f->n_code, f->has_lines != 0, f->is_hidden != 0};
    }
    *c = (java_class){.id = w->id, .super = w->super, .name = w->name, .source = w->source, .generic = w->generic, .mirror = w->mirror, .loader = w->loader,
        .access = w->access, .is_array = w->is_array != 0, .is_primitive = w->is_primitive != 0, .is_library = w->is_library != 0,
        .element = (char)w->element, .interfaces = interfaces, .n_interfaces = w->interfaces.n, .fields = fields,
        .n_fields = w->fields.n, .methods = methods, .n_methods = w->methods.n};
    return c;
}

/* Names and descriptors are there, whatever came over the socket (JR2). */
static bool is_whole(const jvm_wire_class *w)
{
    bool whole = w->name != NULL;
    for (size_t i = 0; i < w->fields.n; i++)
        whole = whole && w->fields.items[i].name != NULL && w->fields.items[i].descriptor != NULL;
    for (size_t i = 0; i < w->methods.n; i++)
        whole = whole && w->methods.items[i].name != NULL && w->methods.items[i].descriptor != NULL;
    return whole;
}

ebb_status jvm_remote_class(machine *m, java_class_id id, const java_class **out, ebb_error *err)
{
    jvm_remote *r = jvm_remote_of(m);
    *out = ebb_map_get_u64(r->classes, id);
    if (*out != NULL)
        return EBB_OK;
    jvm_wire_number q = {.value = id};
    jvm_wire_class w;
    ebb_status status = jvm_remote_ask_class_info(r, &r->for_good, &q, &w, err);
    if (status == EBB_OK && !is_whole(&w))
        status = jvm_remote_nonsense(err);
    if (status != EBB_OK)
        return status;
    java_class *c = make_class(&r->for_good, &w);
    if (w.is_linked && !r->scratch.open) /* else its fields may still get their places; what a copy loads goes with it */
        ebb_map_set_u64(r->classes, id, c);
    *out = c;
    return EBB_OK;
}

ebb_status jvm_remote_class_file(machine *m, ebb_arena *arena, java_class_id id, java_class_file *out, ebb_error *err)
{
    jvm_wire_number q = {.value = id};
    jvm_wire_class_file a = {0};
    EBB_TRY(jvm_remote_ask_class_file(jvm_remote_of(m), arena, &q, &a, err));
    *out = (java_class_file){.major = a.major, .minor = a.minor, .n_constants = a.n_constants, .constants = a.constants.data, .n_constant_bytes = a.constants.n};
    if (a.source_debug.n)
        out->source_debug = ebb_arena_strndup(arena, (const char *)a.source_debug.data, a.source_debug.n);
    return EBB_OK;
}

static void add_ids(const jvm_wire_numbers *a, java_class_ids *out)
{
    for (size_t i = 0; i < a->list.n; i++)
        ebb_vec_push(out, (java_class_id)a->list.items[i].value);
}

typedef ebb_status classes_fn(jvm_remote *r, ebb_arena *arena, const jvm_wire_name *q, jvm_wire_numbers *a, ebb_error *err);

static ebb_status ask_classes(machine *m, classes_fn *ask, const char *text, java_class_ids *out, ebb_error *err)
{
    ebb_arena arena = {0};
    jvm_wire_name q = {.text = text};
    jvm_wire_numbers a = {0};
    ebb_status status = ask(jvm_remote_of(m), &arena, &q, &a, err);
    if (status == EBB_OK)
        add_ids(&a, out);
    ebb_arena_fini(&arena);
    return status;
}

ebb_status jvm_remote_classes_named(machine *m, const char *name, java_class_ids *out, ebb_error *err)
{
    return ask_classes(m, jvm_remote_ask_classes_named, name, out, err);
}

ebb_status jvm_remote_classes_of_source(machine *m, const char *file, java_class_ids *out, ebb_error *err)
{
    return ask_classes(m, jvm_remote_ask_classes_of_source, file, out, err);
}

ebb_status jvm_remote_classes_like(machine *m, const char *prefix, size_t at_most, java_class_ids *out, ebb_error *err)
{
    ebb_arena arena = {0};
    jvm_wire_like q = {.prefix = prefix, .at_most = at_most};
    jvm_wire_numbers a = {0};
    ebb_status status = jvm_remote_ask_classes_like(jvm_remote_of(m), &arena, &q, &a, err);
    if (status == EBB_OK)
        add_ids(&a, out);
    ebb_arena_fini(&arena);
    return status;
}

typedef ebb_status names_fn(jvm_remote *r, ebb_arena *arena, const jvm_wire_names *q, jvm_wire_nothing *a, ebb_error *err);

static ebb_status send_names(machine *m, names_fn *ask, const char *const *names, size_t n, bool flag, ebb_error *err)
{
    ebb_arena arena = {0};
    jvm_wire_names q = {.flag = flag};
    jvm_wire_nothing a;
    q.list.items = EBB_ARENA_ARRAY(&arena, jvm_wire_name, n + 1);
    for (; q.list.n < n; q.list.n++)
        q.list.items[q.list.n].text = names[q.list.n];
    ebb_status status = ask(jvm_remote_of(m), &arena, &q, &a, err);
    ebb_arena_fini(&arena);
    return status;
}

ebb_status jvm_remote_want_classes(machine *m, const char *const *names, size_t n, ebb_error *err)
{
    jvm_remote_texts *wanted = &jvm_remote_of(m)->wanted;
    jvm_remote_texts_set(wanted, names, n); /* which frees `names` if they are our own */
    return send_names(m, jvm_remote_ask_want_classes, (const char *const *)wanted->items, wanted->n, false, err);
}

ebb_status jvm_remote_step_filter(machine *m, const char *const *patterns, size_t n, bool library_too, ebb_error *err)
{
    jvm_remote *r = jvm_remote_of(m);
    jvm_remote_texts_set(&r->filter, patterns, n);
    r->filter_library = library_too;
    return send_names(m, jvm_remote_ask_step_filter, (const char *const *)r->filter.items, r->filter.n, library_too, err);
}

void jvm_remote_texts_set(jvm_remote_texts *texts, const char *const *from, size_t n)
{
    jvm_remote_texts now = {0};
    for (size_t i = 0; i < n; i++) /* copied first: they may be our own */
        ebb_vec_push(&now, ebb_strdup(from[i]));
    for (size_t i = 0; i < texts->n; i++)
        free(texts->items[i]);
    ebb_vec_fini(texts);
    *texts = now;
}

static ebb_status sync_points(jvm_remote *r, ebb_error *err)
{
    ebb_arena arena = {0};
    ebb_status status = EBB_OK;
    for (size_t i = 0; i < r->points.n && status != EBB_GONE; i++)
        status = jvm_remote_tell_point(r, &arena, &r->points.items[i], err);
    if (status != EBB_GONE)
        status = jvm_remote_tell_ignores(r, &arena, err);
    for (unsigned e = 0; e < 32 && status != EBB_GONE; e++) {
        jvm_wire_event q = {.event = (uint8_t)e, .wanted = 1};
        jvm_wire_nothing a;
        if (r->events & 1u << e)
            status = jvm_remote_ask_event_set(r, &arena, &q, &a, err);
    }
    ebb_arena_fini(&arena);
    return status == EBB_GONE ? status : EBB_OK;
}

ebb_status jvm_remote_sync(jvm_remote *r, ebb_error *err)
{
    ebb_status status = sync_points(r, err);
    if (status == EBB_OK)
        status = jvm_remote_want_classes(&r->base, (const char *const *)r->wanted.items, r->wanted.n, err);
    if (status == EBB_OK)
        status = jvm_remote_step_filter(&r->base, (const char *const *)r->filter.items, r->filter.n, r->filter_library, err);
    if (status == EBB_OK)
        status = jvm_remote_tell_choice(r, err);
    return status;
}

/* ---- where values come from ---- */

ebb_status jvm_remote_slot_writers(machine *m, java_slot_at at, java_writers *out, ebb_error *err)
{
    ebb_arena arena = {0};
    jvm_wire_slot_at q = {.place = at.place, .is_stack = at.is_stack, .slot = at.slot};
    jvm_wire_writers a = {0};
    ebb_status status = jvm_remote_ask_slot_writers(jvm_remote_of(m), &arena, &q, &a, err);
    for (size_t i = 0; status == EBB_OK && i < a.list.n; i++)
        ebb_vec_push(out, ((java_writer){a.list.items[i].place, a.list.items[i].is_handler != 0, a.list.items[i].after}));
    ebb_arena_fini(&arena);
    return status;
}

ebb_status jvm_remote_deciders(machine *m, machine_place place, java_deciders *out, ebb_error *err)
{
    ebb_arena arena = {0};
    jvm_wire_number q = {.value = place};
    jvm_wire_deciders a = {0};
    ebb_status status = jvm_remote_ask_deciders(jvm_remote_of(m), &arena, &q, &a, err);
    for (size_t i = 0; status == EBB_OK && i < a.list.n; i++)
        ebb_vec_push(out, ((java_decider){a.list.items[i].place, a.list.items[i].is_handler != 0, a.list.items[i].way}));
    ebb_arena_fini(&arena);
    return status;
}

ebb_status jvm_remote_effect(machine *m, ebb_arena *arena, machine_place place, java_effect *out, ebb_error *err)
{
    jvm_wire_number q = {.value = place};
    jvm_wire_effect a = {0};
    EBB_TRY(jvm_remote_ask_effect(jvm_remote_of(m), arena, &q, &a, err));
    if (a.kind > JAVA_EFFECT_BRANCH)
        return jvm_remote_nonsense(err);
    *out = (java_effect){.kind = (java_effect_kind)a.kind, .nbytes = a.nbytes, .depth = a.depth, .pops = a.pops, .local = a.local, .field = a.field,
                         .holder = a.holder, .name = a.name, .descriptor = a.descriptor, .row = a.row};
    return EBB_OK;
}

/* ---- code ---- */

static java_code *make_code(ebb_arena *arena, const jvm_wire_code *w)
{
    java_code *c = EBB_ARENA_NEW(arena, java_code);
    java_line *lines = EBB_ARENA_ARRAY(arena, java_line, w->lines.n + 1);
    java_local *locals = EBB_ARENA_ARRAY(arena, java_local, w->locals.n + 1);
    size_t n_locals = 0;
    for (size_t i = 0; i < w->lines.n; i++)
        lines[i] = (java_line){w->lines.items[i].bci, w->lines.items[i].line};
    for (size_t i = 0; i < w->locals.n; i++) {
        const jvm_wire_local *l = &w->locals.items[i];
        if (l->name != NULL && l->descriptor != NULL)
            locals[n_locals++] = (java_local){l->name, l->descriptor, l->generic, l->from, l->to, l->slot};
    }
    *c = (java_code){.bytes = w->bytes.data, .nbytes = w->bytes.n, .lines = lines, .n_lines = w->lines.n, .locals = locals, .n_locals = n_locals};
    jvm_remote_find_loops(arena, c);
    return c;
}

ebb_status jvm_remote_code(machine *m, java_method_id method, const java_code **out, ebb_error *err)
{
    jvm_remote *r = jvm_remote_of(m);
    *out = ebb_map_get_u64(r->codes, method);
    if (*out != NULL)
        return EBB_OK;
    jvm_wire_number q = {.value = method};
    jvm_wire_code w;
    ebb_status status = jvm_remote_ask_code(r, &r->for_good, &q, &w, err);
    if (status != EBB_OK)
        return status;
    java_code *c = make_code(&r->for_good, &w);
    if (!r->scratch.open)
        ebb_map_set_u64(r->codes, method, c);
    *out = c;
    return EBB_OK;
}

/* ---- threads ---- */

ebb_status jvm_remote_threads(machine *m, ebb_arena *arena, java_threads *out, ebb_error *err)
{
    jvm_wire_number q = {.value = 1};
    jvm_wire_threads a = {0};
    ebb_status status = jvm_remote_ask_threads(jvm_remote_of(m), arena, &q, &a, err);
    for (size_t i = 0; status == EBB_OK && i < a.list.n; i++) {
        const jvm_wire_thread *w = &a.list.items[i];
        java_ref *held = EBB_ARENA_ARRAY(arena, java_ref, w->held.n + 1);
        for (size_t k = 0; k < w->held.n; k++)
            held[k] = w->held.items[k].value;
        ebb_vec_push(out, ((java_thread){.tid = (machine_tid)w->tid, .name = w->name ? w->name : "?", .group = w->group,
            .object = w->object, .is_daemon = w->is_daemon != 0, .status = w->status, .state = w->state ? w->state : "?",
            .blocked_on = w->blocked_on, .blocked_by = (machine_tid)w->blocked_by, .held = held, .n_held = w->held.n}));
    }
    return status;
}

ebb_status jvm_remote_deadlock(machine *m, java_tids *out, ebb_error *err)
{
    ebb_arena arena = {0};
    jvm_wire_nothing q = {0};
    jvm_wire_numbers a = {0};
    ebb_status status = jvm_remote_ask_deadlock(jvm_remote_of(m), &arena, &q, &a, err);
    for (size_t i = 0; status == EBB_OK && i < a.list.n; i++)
        ebb_vec_push(out, (machine_tid)a.list.items[i].value);
    ebb_arena_fini(&arena);
    return status;
}

ebb_status jvm_remote_frames(machine *m, machine_tid tid, unsigned first, unsigned count, java_frames *out, ebb_error *err)
{
    enum { INNERMOST = 4 }; /* who asks for one of them asks for another soon: they are one answer (JR1) */
    ebb_arena arena = {0};
    bool is_innermost = first < INNERMOST && count <= INNERMOST - first;
    jvm_wire_frame_span q = {.tid = (uint64_t)tid, .first = is_innermost ? 0 : first, .count = is_innermost ? INNERMOST : count};
    jvm_wire_frames a = {0};
    ebb_status status = jvm_remote_ask_frames(jvm_remote_of(m), &arena, &q, &a, err);
    for (size_t i = first - q.first; status == EBB_OK && i < a.list.n && i - (first - q.first) < count; i++) {
        const jvm_wire_frame *w = &a.list.items[i];
        ebb_vec_push(out, ((java_frame){w->id, w->place, w->next, w->is_native != 0, w->is_hidden != 0, w->is_from_c != 0}));
    }
    ebb_arena_fini(&arena);
    return status;
}
