/* points.c - breakpoints in prepared code.
 *
 * A site is an instruction whose operation was replaced; several points may share it.  The operation that belongs there
 * is kept in the site, and quickening changes it there (engine/prepare.h, PP4).
 *
 * A superinstruction that would jump over a site is taken apart, and put together again when no site is near any more: the code of a
 * breakpoint that was removed, or is muted in a hot loop, is as fast as it was. */
#include "jvm/agent/internal.h"

#include "base/map.h"
#include "jvm/engine/bare.h"
#include "jvm/engine/ops.h"

#include <string.h>

typedef struct site {
    uint16_t op;
    unsigned users;
} site;

static ebb_map *sites; /* by address of the instruction */

/* A loop comes by the same one again and again. */
static struct {
    const jvm_insn *at;
    site *site;
} last_site;

static site *site_at(const jvm_insn *at)
{
    if (last_site.at != at || last_site.site == NULL) {
        last_site.at = at;
        last_site.site = sites == NULL ? NULL : ebb_map_get_u64(sites, (uintptr_t)at);
    }
    return last_site.site;
}

uint16_t jvm_insn_op(const jvm_insn *in)
{
    return in->op == JVM_X_breakpoint ? site_at(in)->op : in->op;
}

void jvm_insn_set_op(jvm_insn *in, uint16_t op)
{
    if (in->op == JVM_X_breakpoint)
        site_at(in)->op = op;
    else
        in->op = (uint8_t)op;
}

/* ---- sites ---- */

enum { LONGEST_FUSION = 4 };

static ebb_map *fusions; /* what was taken apart, by address: the operation, never 0 */

static void take_apart(jvm_insn *in)
{
    uint16_t op = jvm_insn_op(in), first = jvm_xop_first(op);
    if (op == first)
        return;
    if (fusions == NULL)
        fusions = ebb_map_new();
    ebb_map_set_u64(fusions, (uintptr_t)in, (void *)(uintptr_t)op);
    jvm_insn_set_op(in, first);
}

static bool has_site_after(const jvm_insn *in)
{
    for (int i = 1; i < LONGEST_FUSION; i++)
        if (ebb_map_get_u64(sites, (uintptr_t)(in + i)) != NULL)
            return true;
    return false;
}

/* Unless it is another operation by now: quickening does its own fusing. */
static void put_together(jvm_insn *in)
{
    uint16_t op = (uint16_t)(uintptr_t)ebb_map_get_u64(fusions, (uintptr_t)in);
    if (op == 0 || in->op == JVM_X_breakpoint || has_site_after(in))
        return;
    if (in->op == jvm_xop_first(op)) {
        in->op = (uint8_t)op;
        in->bare = jvm_fusion_is_bare(in);
    }
    ebb_map_remove_u64(fusions, (uintptr_t)in);
}

static void forget_fusions(const jvm_class *cls)
{
    for (uint16_t i = 0; fusions != NULL && ebb_map_count(fusions) > 0 && i < cls->nmethods; i++) {
        const jvm_code *code = cls->methods[i].code;
        for (uint32_t k = 0; code != NULL && k < code->n; k++)
            ebb_map_remove_u64(fusions, (uintptr_t)&code->insns[k]);
    }
}

/* Superinstructions that would jump over `at`. */
static void split_before(const jvm_code *code, jvm_insn *at)
{
    for (int i = 1; i < LONGEST_FUSION && at - i >= code->insns; i++)
        take_apart(at - i);
}

/* The site at `at` is gone.  What lies before the beginning of the code has no fusion. */
static void fuse_again(jvm_insn *at)
{
    for (int i = 0; fusions != NULL && i < LONGEST_FUSION; i++)
        put_together(at - i);
}

void agent_site_add(jvm_method *m, jvm_insn *at)
{
    site *s = site_at(at);
    if (s == NULL) {
        if (sites == NULL)
            sites = ebb_map_new();
        split_before(m->code, at);
        take_apart(at);
        s = EBB_NEW(site);
        s->op = at->op;
        ebb_map_set_u64(sites, (uintptr_t)at, s);
        at->op = JVM_X_breakpoint;
    }
    s->users++;
}

void agent_site_remove(jvm_insn *at)
{
    site *s = site_at(at);
    if (--s->users > 0)
        return;
    at->op = (uint8_t)s->op;
    ebb_map_remove_u64(sites, (uintptr_t)at);
    last_site.site = NULL;
    free(s);
    fuse_again(at);
}

/* ---- hits that are ignored ---- */

static agent_ignore *ignore_of(const agent_point *p)
{
    for (size_t i = 0; p->ignored_with != 0 && i < agent.ignores.n; i++)
        if (agent.ignores.items[i].id == p->ignored_with)
            return &agent.ignores.items[i];
    return NULL;
}

static bool is_ignored(const agent_point *p)
{
    const agent_ignore *ignore = ignore_of(p);
    return ignore != NULL && ignore->left > 0;
}

static void count(const agent_point *p)
{
    agent_ignore *ignore = ignore_of(p);
    ignore->left--;
    ignore->passed++;
}

/* Those that no point counts with any more. */
static void drop_ignores(void)
{
    for (size_t i = agent.ignores.n; i-- > 0;) {
        bool is_used = false;
        for (size_t k = 0; k < agent.points.n && !is_used; k++)
            is_used = agent.points.items[k].ignored_with == agent.ignores.items[i].id;
        if (!is_used)
            ebb_vec_remove(&agent.ignores, i);
    }
}

ebb_status agent_serve_points_ignore(const jvm_wire_ignore *q, jvm_wire_nothing *a, ebb_arena *arena, ebb_error *err)
{
    uint32_t id = q->points.n > 0 ? (uint32_t)q->points.items[0].value : 0;
    for (size_t i = 0; i < q->points.n; i++)
        if (agent_point_by_id((uint32_t)q->points.items[i].value) == NULL)
            return ebb_fail(err, EBB_NOT_FOUND, "No point %llu.", (unsigned long long)q->points.items[i].value);
    for (size_t i = 0; i < q->points.n; i++)
        agent_point_by_id((uint32_t)q->points.items[i].value)->ignored_with = q->count > 0 ? id : 0;
    for (size_t i = agent.ignores.n; i-- > 0;)
        if (agent.ignores.items[i].id == id)
            ebb_vec_remove(&agent.ignores, i);
    if (q->count > 0 && id != 0)
        ebb_vec_push(&agent.ignores, ((agent_ignore){.id = id, .left = q->count}));
    drop_ignores();
    return EBB_OK;
}

agent_passed agent_take_passed(void)
{
    agent_passed taken = {0};
    for (size_t i = 0; i < agent.ignores.n; i++) {
        agent_ignore *ignore = &agent.ignores.items[i];
        if (ignore->passed > 0)
            ebb_vec_push(&taken, ((jvm_wire_passed){.point = ignore->id, .count = ignore->passed}));
        ignore->passed = 0;
    }
    return taken;
}

/* ---- points ---- */

static void insert(agent_point *p, jvm_method *m)
{
    int32_t index = jvm_code_index(m->code, (uint32_t)(p->addr & 0xffff));
    if (index < 0)
        return; /* a point for the future that turned out to be none */
    p->at = &m->code->insns[index];
    agent_site_add(m, p->at);
}

static bool is_instruction(const jvm_method *m, uint32_t bci)
{
    uint32_t at = 0;
    while (at < bci && at < m->nbytes) {
        uint32_t n = jvm_op_length(m->bytes, m->nbytes, at);
        if (n == 0)
            return false;
        at += n;
    }
    return at == bci && at < m->nbytes;
}

static ebb_status set_exec(agent_point *p, ebb_error *err)
{
    jvm_method *m = agent_method(p->addr);
    if (m == NULL && agent.is_replay)
        return EBB_OK; /* its class is still to come */
    if (m == NULL)
        return ebb_fail(err, EBB_NOT_FOUND, "No method of Java is at %#llx.", (unsigned long long)p->addr);
    if (!is_instruction(m, (uint32_t)(p->addr & 0xffff)))
        return ebb_fail(err, EBB_NOT_FOUND, "No instruction of %s.%s starts at %llu.", m->cls->name->text, m->name->text,
                        (unsigned long long)(p->addr & 0xffff));
    if (m->code != NULL)
        insert(p, m);
    return EBB_OK;
}

ebb_status agent_point_set(const jvm_wire_point *q, ebb_error *err)
{
    agent_point p = {.id = q->id, .kind = q->kind, .space = q->space, .addr = q->addr, .nbytes = q->nbytes, .thread = q->thread,
                     .in_frame = q->frame, .method = q->method};
    ebb_status status = EBB_OK;
    if (p.kind > MACHINE_POINT_BEFORE_READ)
        return ebb_fail(err, EBB_BAD_INPUT, "No point of kind %u.", p.kind);
    if (p.kind == MACHINE_POINT_EXEC)
        status = set_exec(&p, err);
    else
        status = agent_data_set(&p, err);
    if (status == EBB_OK) {
        ebb_vec_push(&agent.points, p);
        agent_data_changed();
    }
    return status;
}

agent_point *agent_point_by_id(uint32_t id)
{
    for (size_t i = 0; i < agent.points.n; i++)
        if (agent.points.items[i].id == id)
            return &agent.points.items[i];
    return NULL;
}

ebb_status agent_point_clear(uint32_t id, ebb_error *err)
{
    agent_point *p = agent_point_by_id(id);
    if (p == NULL)
        return ebb_fail(err, EBB_NOT_FOUND, "No point %u.", id);
    if (p->at != NULL)
        agent_site_remove(p->at);
    free(p->condition);
    ebb_vec_remove(&agent.points, (size_t)(p - agent.points.items));
    drop_ignores();
    agent_data_changed();
    return EBB_OK;
}

void jvm_agent_prepared(jvm_method *m)
{
    for (size_t i = 0; i < agent.points.n; i++) {
        agent_point *p = &agent.points.items[i];
        if (p->kind == MACHINE_POINT_EXEC && p->at == NULL && agent_method(p->addr) == m)
            insert(p, m);
    }
    agent_locals_prepared(m);
}

void agent_point_mute(agent_point *p, bool is_muted)
{
    if (p->at == NULL || p->kind != MACHINE_POINT_EXEC || p->is_muted == is_muted)
        return;
    p->is_muted = is_muted;
    if (is_muted)
        agent_site_remove(p->at);
    else
        agent_site_add(agent_method(p->addr), p->at);
}

void agent_points_mute(bool is_muted)
{
    for (size_t i = 0; i < agent.points.n; i++)
        agent_point_mute(&agent.points.items[i], is_muted);
}

void agent_class_unloaded(const jvm_class *cls)
{
    for (size_t i = 0; i < agent.points.n; i++) {
        agent_point *p = &agent.points.items[i];
        if (p->kind == MACHINE_POINT_EXEC && p->at != NULL && p->addr >> 32 == cls->serial) {
            if (!p->is_muted)
                agent_site_remove(p->at);
            p->is_muted = false;
            p->at = NULL;
        }
    }
    agent_conditions_forget(cls);
    agent_locals_unloaded(cls);
    forget_fusions(cls);
}

/* ---- hits ---- */

static agent_truth is_hit(const agent_point *p, const jvm_thread *t, const jvm_frame *f)
{
    bool is_there = p->kind == MACHINE_POINT_EXEC && p->at == f->pc && (p->thread == 0 || p->thread == t->id) &&
                    (p->in_frame == 0 || p->in_frame == agent_frame_id(t, f));
    return !is_there ? AGENT_NO : p->condition == NULL ? AGENT_YES : agent_condition_holds(p->condition, f);
}

bool agent_points_pass(const jvm_thread *t, const jvm_frame *f, uint16_t *op)
{
    for (size_t i = 0; i < agent.points.n; i++)
        if (is_hit(&agent.points.items[i], t, f) != AGENT_NO)
            return false;
    *op = site_at(f->pc)->op;
    return true;
}

void agent_points_at(const jvm_thread *t, const jvm_frame *f, bool stops, jvm_wire_stop *stop)
{
    size_t n_before = stop->points.n;
    bool is_told = stops || !agent.counts;
    if (f->pc->op != JVM_X_breakpoint || agent.quiet)
        return;
    for (size_t i = 0; i < agent.points.n && stop->points.n < MACHINE_STOP_MAX_POINTS; i++) {
        agent_point *p = &agent.points.items[i];
        agent_truth answer = is_hit(p, t, f);
        if (answer == AGENT_NO)
            continue;
        p->is_unsure = answer == AGENT_UNKNOWN;
        ebb_vec_push(&stop->points, (jvm_wire_number){.value = p->id});
        is_told = is_told || p->is_unsure || !is_ignored(p);
    }
    if (is_told || stop->points.n == MACHINE_STOP_MAX_POINTS)
        return;
    for (size_t i = n_before; i < stop->points.n; i++)
        count(agent_point_by_id((uint32_t)stop->points.items[i].value));
    stop->points.n = n_before;
}

ebb_status agent_serve_point_set(const jvm_wire_point *q, jvm_wire_nothing *a, ebb_arena *arena, ebb_error *err)
{
    return agent_point_set(q, err);
}

ebb_status agent_serve_point_clear(const jvm_wire_number *q, jvm_wire_nothing *a, ebb_arena *arena, ebb_error *err)
{
    return agent_point_clear((uint32_t)q->value, err);
}

ebb_status agent_serve_points_set(const jvm_wire_points *q, jvm_wire_nothing *a, ebb_arena *arena, ebb_error *err)
{
    ebb_status status = EBB_OK;
    size_t n = 0;
    while (n < q->list.n && (status = agent_point_set(&q->list.items[n], err)) == EBB_OK)
        n++;
    for (size_t i = 0; status != EBB_OK && i < n; i++)
        (void)agent_point_clear(q->list.items[i].id, NULL);
    return status;
}

ebb_status agent_serve_points_clear(const jvm_wire_numbers *q, jvm_wire_nothing *a, ebb_arena *arena, ebb_error *err)
{
    for (size_t i = 0; i < q->list.n; i++)
        (void)agent_point_clear((uint32_t)q->list.items[i].value, NULL);
    return EBB_OK;
}

ebb_status agent_serve_event_set(const jvm_wire_event *q, jvm_wire_nothing *a, ebb_arena *arena, ebb_error *err)
{
    if (q->event >= 32)
        return ebb_fail(err, EBB_BAD_INPUT, "No event %u.", q->event);
    agent.events = q->wanted ? agent.events | 1u << q->event : agent.events & ~(1u << q->event);
    return EBB_OK;
}
