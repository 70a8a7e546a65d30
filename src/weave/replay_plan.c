/* replay_plan.c - where the places of a schedule are, what it looks like to the engine, and what is wrong with it. */
#include "weave/replay.h"

#include "jvm/engine/ops.h"
#include "schedule/idle.h"
#include "weave/code.h"
#include "weave/tables.h"

#include <stdio.h>
#include <string.h>

void weave_replay_init(weave_replay *r, const sched_schedule *schedule, const char *file)
{
    *r = (weave_replay){.schedule = schedule, .file = file, .classes = ebb_map_new(), .gates = ebb_map_new(), .statics = ebb_map_new(), .named = ebb_map_new()};
    for (size_t i = 0; i < schedule->commands.n; i++) {
        const sched_command *c = &schedule->commands.items[i];
        r->has_names |= c->kind == SCHED_THREAD && c->text;
        if (c->place.cls)
            ebb_map_set(r->named, c->place.cls, r);
    }
    r->of_command = ebb_zalloc((schedule->commands.n + 1) * sizeof *r->of_command);
    r->complaints = ebb_zalloc((schedule->commands.n + 1) * sizeof *r->complaints);
}

void weave_replay_fini(weave_replay *r)
{
    for (size_t i = 0; i < r->schedule->commands.n; i++)
        free(r->complaints[i]);
    free(r->complaints);
    free(r->of_command);
    free(r->runtime);
    ebb_buf_fini(&r->text);
    ebb_vec_fini(&r->places);
    ebb_map_free(r->classes);
    ebb_map_free(r->gates);
    ebb_map_free(r->statics);
    ebb_map_free(r->named);
    ebb_arena_fini(&r->arena);
}

weave_replay_info *weave_replay_info_of(const weave_replay *r, weave_span name)
{
    return name.bytes ? ebb_map_getn(r->classes, (const char *)name.bytes, name.nbytes) : NULL;
}

/* ---- the methods that an event may mean ---- */

static bool span_is(weave_span span, const char *text, size_t nbytes)
{
    return span.nbytes == nbytes && memcmp(span.bytes, text, nbytes) == 0;
}

/* By index, by name, or by name and descriptor. */
static bool is_meant(const sched_place *place, const weave_class *cls, uint32_t index)
{
    const weave_method *m = &cls->methods[index];
    if (!place->method)
        return place->method_index == index;
    size_t name = strcspn(place->method, "(");
    return span_is(m->name, place->method, name) &&
           (!place->method[name] || span_is(m->type, place->method + name, strlen(place->method) - name));
}

/* The call of that line in which a thread may block: the first that looks like one which the engine does, or the first; where there is none, `bci`. */
static uint32_t first_call(const weave_code *code, uint32_t bci, uint32_t line)
{
    const weave_insn *first = NULL;
    for (const weave_insn *insn = weave_code_at(code, bci); insn && insn != code->end; insn = insn->next) {
        if (!weave_insn_is_call(insn) || weave_line_of(code, insn->was) != line)
            continue;
        weave_member called = weave_replay_called(&code->cls->pool, insn);
        if (weave_replay_may_be_call(&called))
            return insn->was;
        first = first ? first : insn;
    }
    return first ? first->was : bci;
}

static uint32_t bci_in(const weave_method *m, const sched_command *c)
{
    const sched_place *place = &c->place;
    uint32_t bci = place->is_line ? weave_line_start(m->code, place->offset) : place->offset;
    if (bci >= m->code->ncode || !weave_code_at(m->code, bci))
        return UINT32_MAX;
    return place->is_line && c->kind == SCHED_IN ? first_call(m->code, bci, place->offset) : bci;
}

typedef struct finding {
    uint32_t nmeant, nfound; /* methods that the event may mean; those of them that have the place */
    uint32_t method, bci;
} finding;

static ebb_status find_place(weave_class *cls, const sched_command *c, finding *f, ebb_error *err)
{
    *f = (finding){0};
    for (uint32_t i = 0; i < cls->nmethods; i++) {
        weave_method *m = &cls->methods[i];
        if (!is_meant(&c->place, cls, i) || !m->code_bytes.bytes)
            continue;
        f->nmeant++;
        EBB_TRY(weave_method_open(cls, m, err));
        uint32_t bci = bci_in(m, c);
        if (bci == UINT32_MAX)
            continue;
        f->nfound++;
        f->method = i;
        f->bci = bci;
    }
    return EBB_OK;
}

/* What is wrong with it, or NULL. */
static char *complaint_of(const sched_command *c, const weave_class *cls, const finding *f)
{
    const sched_place *p = &c->place;
    char index[32];
    snprintf(index, sizeof index, "%u", p->method_index);
    const char *method = p->method ? p->method : index;
    if (f->nmeant == 0)
        return ebb_asprintf("%.200s has no method %.200s with code", p->cls, method);
    if (f->nfound == 0 && p->is_line)
        return ebb_asprintf("%.200s %.200s has no code of line %u", p->cls, method, p->offset);
    if (f->nfound == 0)
        return ebb_asprintf("%.200s %.200s has no bytecode at %u", p->cls, method, p->offset);
    if (f->nfound > 1)
        return ebb_asprintf("%.200s has several methods %.200s: say which by a descriptor, as in run()V, or by its index", p->cls, method);
    const weave_insn *insn = weave_code_at(cls->methods[f->method].code, f->bci);
    bool uses_class = insn->op == JVM_OP_getstatic || insn->op == JVM_OP_putstatic || insn->op == JVM_OP_new; /* it may have to be initialised */
    if (c->kind == SCHED_IN && !weave_insn_is_call(insn) && !uses_class)
        return ebb_asprintf("nothing blocks in %.200s %.200s at %u: it is no call", p->cls, method, f->bci);
    return NULL;
}

/* ---- places ---- */

static const char *with_dots(weave_replay *r, weave_span name)
{
    char *text = ebb_arena_strndup(&r->arena, (const char *)name.bytes, name.nbytes);
    for (char *c = text; *c; c++)
        if (*c == '/')
            *c = '.';
    return text;
}

static weave_span kept(weave_replay *r, weave_span span)
{
    return span.bytes ? (weave_span){(const uint8_t *)ebb_arena_strndup(&r->arena, (const char *)span.bytes, span.nbytes), span.nbytes} : span;
}

static weave_place *new_place(weave_replay *r, weave_class *cls, const finding *f)
{
    const weave_method *m = &cls->methods[f->method];
    const weave_insn *insn = weave_code_at(m->code, f->bci);
    weave_member called = weave_replay_called(&cls->pool, insn);
    uint32_t line = weave_line_of(m->code, f->bci);
    weave_place *place = EBB_ARENA_NEW(&r->arena, weave_place);
    *place = (weave_place){.number = (uint32_t)r->places.n, .method = (uint16_t)f->method, .bci = f->bci, .op = insn->op,
                           .called = {kept(r, called.cls), kept(r, called.name), kept(r, called.type)}};
    place->words = ebb_arena_printf(&r->arena, line ? "%s %.*s %u (line %u)" : "%s %.*s %u", with_dots(r, cls->name), (int)m->name.nbytes,
                                    (const char *)m->name.bytes, f->bci, line);
    ebb_vec_push(&r->places, place);
    return place;
}

static weave_place *place_at(weave_replay *r, weave_replay_info *info, weave_class *cls, const finding *f)
{
    for (weave_place *p = info->places; p; p = p->next)
        if (p->method == f->method && p->bci == f->bci)
            return p;
    weave_place *place = new_place(r, cls, f);
    place->next = info->places;
    info->places = place;
    return place;
}

/* A long schedule names the same few places again and again: each is looked for once. */
static const char *key_of(weave_replay *r, const sched_command *c)
{
    const sched_place *p = &c->place;
    return ebb_arena_printf(&r->arena, "%d %s %u %d %u", c->kind == SCHED_IN, p->method ? p->method : "", p->method_index, p->is_line, p->offset);
}

static ebb_status find_one(weave_replay *r, weave_replay_info *info, weave_class *cls, size_t i, ebb_error *err)
{
    const sched_command *c = &r->schedule->commands.items[i];
    finding f;
    EBB_TRY(find_place(cls, c, &f, err));
    r->complaints[i] = complaint_of(c, cls, &f);
    if (r->complaints[i])
        return EBB_OK;
    r->of_command[i] = place_at(r, info, cls, &f);
    r->of_command[i]->is_in = r->of_command[i]->is_in || c->kind == SCHED_IN;
    return EBB_OK;
}

static ebb_status find_places(weave_replay *r, weave_replay_info *info, weave_class *cls, ebb_error *err)
{
    const char *name = with_dots(r, cls->name);
    ebb_map *known = ebb_map_new();
    ebb_status status = EBB_OK;
    for (size_t i = 0; i < r->schedule->commands.n && status == EBB_OK; i++) {
        const sched_command *c = &r->schedule->commands.items[i];
        if (!c->place.cls || strcmp(c->place.cls, name) != 0)
            continue;
        const char *key = key_of(r, c);
        r->of_command[i] = ebb_map_get(known, key);
        if (r->of_command[i])
            continue;
        status = find_one(r, info, cls, i, err);
        if (r->of_command[i])
            ebb_map_set(known, key, r->of_command[i]);
    }
    ebb_map_free(known);
    return status;
}

/* ---- the first pass ---- */

/* To be freed. */
static char *key_of_member(const weave_member *m)
{
    return ebb_asprintf("%.*s.%.*s%.*s", (int)m->cls.nbytes, (const char *)m->cls.bytes, (int)m->name.nbytes, (const char *)m->name.bytes,
                        (int)m->type.nbytes, (const char *)m->type.bytes);
}

static void add_member(weave_replay *r, ebb_map *to, const weave_member *m)
{
    char *key = key_of_member(m);
    ebb_map_set(to, key, r);
    free(key);
}

static void note_gates(weave_replay *r, const weave_class *cls)
{
    for (uint32_t i = 1; i < cls->pool.n; i++) {
        weave_member m = weave_pool_handle(&cls->pool, (uint16_t)i);
        if (m.cls.bytes && m.name.bytes && m.type.bytes)
            add_member(r, r->gates, &m);
    }
}

static void note_statics(weave_replay *r, const weave_class *cls)
{
    for (uint32_t i = 0; i < cls->nmethods; i++)
        if (cls->methods[i].access & JVM_ACC_STATIC)
            add_member(r, r->statics, &(weave_member){cls->name, cls->methods[i].name, cls->methods[i].type});
}

bool weave_replay_has(const ebb_map *members, const weave_member *m)
{
    char *key = key_of_member(m);
    bool has = ebb_map_get(members, key) != NULL;
    free(key);
    return has;
}

static void note_interfaces(weave_replay *r, weave_replay_info *info, const weave_class *cls)
{
    info->ninterfaces = weave_class_ninterfaces(cls);
    info->interfaces = EBB_ARENA_ARRAY(&r->arena, const char *, info->ninterfaces + 1);
    for (uint32_t i = 0; i < info->ninterfaces; i++) {
        weave_span name = weave_class_interface(cls, i);
        info->interfaces[i] = name.bytes ? ebb_arena_strndup(&r->arena, (const char *)name.bytes, name.nbytes) : "";
    }
}

static ebb_status look_at(weave_replay *r, weave_class *cls, ebb_error *err)
{
    if (weave_replay_info_of(r, cls->name)) /* WRP2 */
        return EBB_OK;
    weave_replay_info *info = EBB_ARENA_NEW(&r->arena, weave_replay_info);
    if (cls->super.bytes)
        info->super = ebb_arena_strndup(&r->arena, (const char *)cls->super.bytes, cls->super.nbytes);
    note_interfaces(r, info, cls);
    info->overrides = weave_replay_overrides(cls);
    if (ebb_map_get(r->named, with_dots(r, cls->name)))
        EBB_TRY(find_places(r, info, cls, err));
    ebb_map_set(r->classes, ebb_arena_strndup(&r->arena, (const char *)cls->name.bytes, cls->name.nbytes), info);
    note_gates(r, cls);
    note_statics(r, cls);
    return EBB_OK;
}

ebb_status weave_replay_look(weave_replay *r, weave_span bytes, ebb_error *err)
{
    weave_class cls;
    EBB_TRY(weave_class_read(&cls, bytes, err));
    ebb_status status = look_at(r, &cls, err);
    weave_class_fini(&cls);
    return status;
}

static bool is_same_place(const void *context, size_t a, size_t b)
{
    const weave_replay *r = context;
    return r->of_command[a] == r->of_command[b];
}

ebb_status weave_replay_check(const weave_replay *r, sched_complaints *all)
{
    size_t before = all->list.n;
    for (size_t i = 0; i < r->schedule->commands.n; i++) {
        const sched_command *c = &r->schedule->commands.items[i];
        if (r->complaints[i])
            sched_complain_of(all, c, "%s", r->complaints[i]);
        else if (c->place.cls && !r->of_command[i])
            sched_complain_of(all, c, "there is no class %.200s in what is woven", c->place.cls);
    }
    if (all->list.n == before)
        sched_check_idle(r->schedule, is_same_place, r, all);
    return all->list.n > before ? EBB_BAD_FILE : EBB_OK;
}

/* ---- what the engine reads ---- */

static bool has_outside(const weave_replay *r)
{
    for (size_t i = 0; i < r->schedule->commands.n; i++) {
        const sched_command *c = &r->schedule->commands.items[i];
        if (c->kind == SCHED_IN && (!c->place.cls || !weave_replay_find_call(r, &r->of_command[i]->called)))
            return true;
    }
    return false;
}

static int64_t operand_of(const weave_replay *r, size_t i)
{
    const sched_command *c = &r->schedule->commands.items[i];
    if (sched_rows[c->kind].role == SCHED_IS_EVENT)
        return r->of_command[i] ? (int64_t)r->of_command[i]->number : -1;
    if (c->kind == SCHED_LOG)
        return (int64_t)c->count;
    return c->thread == SCHED_NONE ? -1 : (int64_t)c->thread;
}

static void put_command(weave_replay *r, size_t i)
{
    const sched_command *c = &r->schedule->commands.items[i];
    uint64_t count = c->count == SCHED_FOREVER ? 0 : c->count;
    ebb_buf_addf(&r->text, "%s %u %lld %llu", sched_rows[c->kind].word, c->line, (long long)operand_of(r, i), (unsigned long long)count);
    if (c->kind == SCHED_LOG)
        ebb_buf_addf(&r->text, " %s", c->text);
    ebb_buf_adds(&r->text, "\n");
}

static void put_text(weave_replay *r)
{
    ebb_buf_addf(&r->text, "file %s\n", r->file);
    if (has_outside(r))
        ebb_buf_adds(&r->text, "outside\n");
    for (size_t i = 0; i < r->places.n; i++)
        ebb_buf_addf(&r->text, "place %s\n", r->places.items[i]->words);
    for (size_t i = 0; i < r->schedule->commands.n; i++) {
        const sched_command *c = &r->schedule->commands.items[i];
        if (sched_rows[c->kind].role != SCHED_IS_HEAD)
            put_command(r, i);
        else if (c->kind == SCHED_THREAD && c->text)
            ebb_buf_addf(&r->text, "thread %u %s\n", c->thread, c->text);
    }
}

const weave_runtime_class *weave_replay_runtime_of(weave_replay *r)
{
    size_t n = 0;
    while (weave_replay_runtime[n].path)
        n++;
    put_text(r);
    r->runtime = ebb_zalloc((n + 2) * sizeof *r->runtime);
    memcpy(r->runtime, weave_replay_runtime, n * sizeof *r->runtime);
    r->runtime[n] = (weave_runtime_class){WEAVE_ENGINE "schedule", {(const uint8_t *)r->text.data, (uint32_t)r->text.n}};
    return r->runtime;
}
