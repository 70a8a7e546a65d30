/* conditions.c - conditions and ignore counts of points, kept here for every copy that is talked to (MH2). */
#include "jvm/remote/machine_ops.h"

#include <string.h>

static jvm_remote_point *find_point(jvm_remote *r, machine_point_id id)
{
    for (size_t i = 0; i < r->points.n; i++)
        if (r->points.items[i].id == id)
            return &r->points.items[i];
    return NULL;
}

static jvm_remote_ignore *find_ignore(jvm_remote *r, machine_point_id id)
{
    for (size_t i = 0; i < r->ignores.n; i++)
        if (r->ignores.items[i].id == id)
            return &r->ignores.items[i];
    return NULL;
}

/* ---- conditions ---- */

static ebb_status tell_condition(jvm_remote *r, ebb_arena *arena, const jvm_remote_point *p, ebb_error *err)
{
    jvm_wire_condition q = {.point = (uint32_t)p->id, .steps = {.items = EBB_ARENA_ARRAY(arena, jvm_wire_code_step, p->n_steps + 1), .n = p->n_steps}};
    jvm_wire_nothing a;
    for (size_t i = 0; i < p->n_steps; i++)
        q.steps.items[i] = (jvm_wire_code_step){.op = (uint16_t)p->code[i].op, .operand = (uint64_t)p->code[i].operand};
    return jvm_remote_ask_point_condition(r, arena, &q, &a, err);
}

static void set_code(jvm_remote_point *p, const machine_code *code, size_t n_steps)
{
    free(p->code);
    p->code = n_steps ? ebb_alloc(n_steps * sizeof *code) : NULL;
    p->n_steps = n_steps;
    if (n_steps)
        memcpy(p->code, code, n_steps * sizeof *code);
}

ebb_status jvm_remote_point_condition(machine *m, machine_point_id id, const machine_code *code, size_t n_steps, ebb_error *err)
{
    jvm_remote *r = jvm_remote_of(m);
    jvm_remote_point *p = find_point(r, id);
    ebb_arena arena = {0};
    if (p == NULL)
        return ebb_fail(err, EBB_NOT_FOUND, "No point %d.", (int)id);
    set_code(p, code, n_steps);
    ebb_status status = tell_condition(r, &arena, p, err);
    if (status != EBB_OK)
        set_code(p, NULL, 0);
    ebb_arena_fini(&arena);
    return status;
}

ebb_status jvm_remote_tell_point(jvm_remote *r, ebb_arena *arena, const jvm_remote_point *p, ebb_error *err)
{
    jvm_wire_point q = jvm_remote_wire_point(p);
    jvm_wire_nothing a;
    ebb_status status = jvm_remote_ask_point_set(r, arena, &q, &a, err);
    return status == EBB_OK && p->n_steps ? tell_condition(r, arena, p, err) : status;
}

/* ---- hits that are ignored ---- */

static ebb_status tell_ignore(jvm_remote *r, ebb_arena *arena, machine_point_id id, uint64_t count, ebb_error *err)
{
    jvm_wire_ignore q = {.count = count, .points = {.items = EBB_ARENA_ARRAY(arena, jvm_wire_number, r->points.n + 1)}};
    jvm_wire_nothing a;
    q.points.items[q.points.n++].value = (uint64_t)id;
    for (size_t i = 0; i < r->points.n; i++)
        if (r->points.items[i].ignored_with == id && r->points.items[i].id != id)
            q.points.items[q.points.n++].value = (uint64_t)r->points.items[i].id;
    return jvm_remote_ask_points_ignore(r, arena, &q, &a, err);
}

ebb_status jvm_remote_tell_ignores(jvm_remote *r, ebb_arena *arena, ebb_error *err)
{
    ebb_status status = EBB_OK;
    for (size_t i = 0; i < r->ignores.n && status != EBB_GONE; i++)
        if (r->ignores.items[i].left > 0)
            status = tell_ignore(r, arena, r->ignores.items[i].id, r->ignores.items[i].left, err);
    return status;
}

/* Those that no point counts with any more. */
static void drop_ignores(jvm_remote *r)
{
    for (size_t i = r->ignores.n; i-- > 0;) {
        const jvm_remote_point *first = find_point(r, r->ignores.items[i].id);
        if (first == NULL || first->ignored_with != first->id)
            ebb_vec_remove(&r->ignores, i);
    }
}

ebb_status jvm_remote_points_ignore(machine *m, const machine_point_id *ids, size_t n, uint64_t count, ebb_error *err)
{
    jvm_remote *r = jvm_remote_of(m);
    ebb_arena arena = {0};
    for (size_t i = 0; i < n; i++)
        if (find_point(r, ids[i]) == NULL)
            return ebb_fail(err, EBB_NOT_FOUND, "No point %d.", (int)ids[i]);
    if (n == 0)
        return EBB_OK;
    for (size_t i = 0; i < n; i++)
        find_point(r, ids[i])->ignored_with = ids[0];
    if (find_ignore(r, ids[0]) == NULL)
        ebb_vec_push(&r->ignores, ((jvm_remote_ignore){.id = ids[0]}));
    find_ignore(r, ids[0])->left = count;
    ebb_status status = tell_ignore(r, &arena, ids[0], count, err);
    if (status != EBB_OK)
        find_ignore(r, ids[0])->left = 0;
    drop_ignores(r);
    ebb_arena_fini(&arena);
    return status;
}

/* JR2: no more than there were to be ignored. */
void jvm_remote_note_passed(jvm_remote *r, const jvm_wire_passed *passed, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        jvm_remote_ignore *ignore = find_ignore(r, (machine_point_id)passed[i].point);
        if (ignore == NULL)
            continue;
        uint64_t count = passed[i].count < ignore->left ? passed[i].count : ignore->left;
        ignore->left -= count;
        ignore->passed += count;
    }
}

uint64_t jvm_remote_points_passed(machine *m, machine_point_id first)
{
    jvm_remote_ignore *ignore = find_ignore(jvm_remote_of(m), first);
    uint64_t passed = ignore == NULL ? 0 : ignore->passed;
    if (ignore != NULL)
        ignore->passed = 0;
    return passed;
}

void jvm_remote_forget_point(jvm_remote *r, machine_point_id id)
{
    for (size_t i = r->points.n; i-- > 0;)
        if (r->points.items[i].id == id) {
            free(r->points.items[i].code);
            ebb_vec_remove(&r->points, i);
        }
    drop_ignores(r);
}
