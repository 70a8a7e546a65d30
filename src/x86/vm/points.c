/* points.c - the user's points as the translator sees them: places, and conditions that may keep them quiet.
 *
 * A place traps unless every point there has a condition; then it traps if one of them holds. */
#include "x86/points.h"
#include "x86/vm/private.h"
#include "x86/watch.h"

#include "machine/code_check.h"

#include <string.h>

/* ---- conditions of one point ------------------------------------------------------------------ */

/* The CPU's number of a register of the machine; -1 if it is no general one. */
static int general_reg(machine *native, int64_t reg)
{
    static const char *const names[X86_N_GPRS] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                                  "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"};
    size_t n;
    const machine_reg *regs = native->native->registers(native, &n);
    for (int i = 0; i < X86_N_GPRS; i++)
        if (reg >= 0 && (uint64_t)reg < n && strcmp(regs[reg].name, names[i]) == 0)
            return i;
    return -1;
}

static ebb_status renumber(machine *native, machine_code *code, size_t n, ebb_error *err)
{
    for (size_t i = 0; i < n; i++) {
        if (code[i].op != MACHINE_CODE_REG)
            continue;
        int number = general_reg(native, code[i].operand);
        if (number < 0)
            return ebb_fail(err, EBB_UNSUPPORTED, "only general registers can be looked at inside the program");
        code[i].operand = number;
    }
    return EBB_OK;
}

/* That of a place becomes host code; that of data is executed step by step (run_code.h), and is checked here, once. */
static ebb_status check_condition(const x86_point *point, const machine_code *code, size_t n, ebb_error *err)
{
    uint8_t depths[MACHINE_CODE_DATA_STEPS + 1];
    unsigned deepest;
    bool is_place = point->what.kind == MACHINE_POINT_EXEC;
    if (n > (is_place ? MACHINE_CODE_MAX_STEPS : MACHINE_CODE_DATA_STEPS))
        return ebb_fail(err, EBB_UNSUPPORTED, "the condition is too long");
    if (!is_place && (point->what.nbytes > sizeof(uint64_t) || point->what.kind == MACHINE_POINT_ACCESS))
        return ebb_fail(err, EBB_UNSUPPORTED, "of such data the program itself can't say what was there before");
    if (!is_place && n && !machine_code_check(code, (unsigned)n, MACHINE_CODE_MAX_DEPTH, depths, &deepest))
        return ebb_fail(err, EBB_UNSUPPORTED, "the condition is too deep");
    return EBB_OK;
}

/* Takes the steps. */
static void put_condition(x86_process *p, x86_point *point, machine_code *code, size_t n)
{
    bool had_one = point->n_condition > 0;
    free(point->condition);
    point->condition = code;
    point->n_condition = n;
    if (point->what.kind != MACHINE_POINT_EXEC && had_one != (n > 0))
        x86_watch_plan(p); /* the CPU's registers know of no conditions */
}

ebb_status vm_point_condition(machine *m, machine_point_id id, const machine_code *code, size_t n_steps, ebb_error *err)
{
    machine *native = vm_of(m)->native;
    x86_point *point = x86_point_get(x86_of(native), id);
    if (!point)
        return ebb_fail(err, EBB_NOT_FOUND, "there is no point %d", id);
    EBB_TRY(check_condition(point, code, n_steps, err));
    machine_code *copy = n_steps ? ebb_alloc(n_steps * sizeof *copy) : NULL;
    if (n_steps)
        memcpy(copy, code, n_steps * sizeof *copy);
    ebb_status status = renumber(native, copy, n_steps, err);
    if (status == EBB_OK)
        put_condition(x86_of(native), point, copy, n_steps);
    else
        free(copy);
    return status;
}

/* ---- places ----------------------------------------------------------------------------------- */

/* Appends what holds if this one does or the one before it in the list; `from` is where the site's code begins. */
static void append_condition(vm_sites *sites, size_t from, const x86_point *point)
{
    if (sites->conditions.n > from) {
        machine_code or_else = {.op = MACHINE_CODE_OR_ELSE, .operand = (int64_t)(sites->conditions.n - from + 1 + point->n_condition)};
        ebb_vec_push(&sites->conditions, or_else);
    }
    size_t base = sites->conditions.n - from;
    for (size_t i = 0; i < point->n_condition; i++) {
        machine_code step = point->condition[i];
        if (step.op == MACHINE_CODE_AND_THEN || step.op == MACHINE_CODE_OR_ELSE)
            step.operand += (int64_t)base;
        ebb_vec_push(&sites->conditions, step);
    }
}

/* Where hits of the only point are passed by, as long as that is so: where they are counted.  0: nowhere. */
static uint64_t find_counter(x86_vm *vm, uint64_t guest)
{
    const x86_process *p = x86_of(vm->native);
    const x86_point *only = NULL;
    for (size_t i = 0; i < p->points.n; i++) {
        const x86_point *point = p->points.items[i];
        if (point->what.kind != MACHINE_POINT_EXEC || point->what.addr != guest)
            continue;
        if (only)
            return 0;
        only = point;
    }
    return only && only->n_condition < MACHINE_CODE_MAX_STEPS ? vm_ignore_counter(vm, only) : 0;
}

static void add_site(x86_vm *vm, uint64_t guest, vm_sites *sites)
{
    const x86_process *p = x86_of(vm->native);
    size_t from = sites->conditions.n;
    uint64_t left = find_counter(vm, guest);
    bool always = false;
    for (size_t i = 0; i < p->points.n && !always; i++) {
        const x86_point *point = p->points.items[i];
        if (point->what.kind != MACHINE_POINT_EXEC || point->what.addr != guest)
            continue;
        always = point->n_condition == 0 || sites->conditions.n - from + point->n_condition >= MACHINE_CODE_MAX_STEPS;
        if (!always)
            append_condition(sites, from, point);
    }
    if (always)
        sites->conditions.n = from;
    if (always && left) /* what is passed by is passed by as if a condition did not hold */
        ebb_vec_push(&sites->conditions, ((machine_code){.op = MACHINE_CODE_PUSH, .operand = 1}));
    x86_site_copy site = {.guest = guest, .left = left, .condition_at = (uint32_t)from, .n_condition = (uint32_t)(sites->conditions.n - from)};
    ebb_vec_push(&sites->items, site);
}

/* The only point of a place, if translated code can note its hits: one that nobody wants to know of is no point.  false: the place traps. */
static bool find_noted(x86_vm *vm, uint64_t guest, const x86_point **only)
{
    const x86_process *p = x86_of(vm->native);
    *only = NULL;
    for (size_t i = 0; i < p->points.n; i++) {
        const x86_point *point = p->points.items[i];
        if (point->what.kind != MACHINE_POINT_EXEC || point->what.addr != guest)
            continue;
        if (point->internal)
            return false;
        if (vm_noting_passes(vm, point->id))
            continue;
        if (*only)
            return false;
        *only = point;
    }
    return true;
}

/* False: the place traps. */
static bool add_noted_site(x86_vm *vm, uint64_t guest, vm_sites *sites)
{
    const x86_point *point;
    size_t from = sites->conditions.n;
    x86_site_copy site = {.guest = guest, .condition_at = (uint32_t)from};
    if (!find_noted(vm, guest, &point))
        return false;
    if (!point)
        return true;
    site.note = vm_noting_number(vm, point->id, &site.group);
    if (!site.note)
        return false;
    append_condition(sites, from, point);
    site.n_condition = (uint32_t)(sites->conditions.n - from);
    ebb_vec_push(&sites->items, site);
    return true;
}

static bool has_internal_point(const x86_process *p, uint64_t addr)
{
    for (size_t i = 0; i < p->points.n; i++)
        if (p->points.items[i]->internal && p->points.items[i]->what.addr == addr)
            return true;
    return false;
}

void vm_sites_collect(x86_vm *vm, vm_sites *sites)
{
    const x86_process *p = x86_of(vm->native);
    for (size_t k = 0; k < p->sites.n; k++) {
        uint64_t guest = p->sites.items[k].addr;
        if (vm->quiet && !has_internal_point(p, guest))
            continue;
        if (!vm->noting || !add_noted_site(vm, guest, sites))
            add_site(vm, guest, sites);
    }
}

bool vm_site_same(const vm_sites *a, size_t i, const vm_sites *b, size_t k)
{
    const x86_site_copy *x = &a->items.items[i], *y = &b->items.items[k];
    return x->guest == y->guest && x->n_condition == y->n_condition && x->note == y->note && x->group == y->group && x->left == y->left &&
           (x->n_condition == 0 || memcmp(a->conditions.items + x->condition_at, b->conditions.items + y->condition_at,
                                          x->n_condition * sizeof(machine_code)) == 0);
}

void vm_sites_fini(vm_sites *sites)
{
    ebb_vec_fini(&sites->items);
    ebb_vec_fini(&sites->conditions);
    *sites = (vm_sites){0};
}
