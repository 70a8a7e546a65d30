/* Frames of functions that are gone: a function that ends in a jump to another one (a tail call) leaves nothing on the stack,
 * where that other one seems to be called by whoever called the first.  Debug information names the jumps, so that the ways
 * from the call on the stack to the function that runs can be searched.
 *
 * As in gdb, frames are made of what all these ways have in common, at the outer end and at the inner; and where one can't
 * be followed (a jump through a pointer, code without debug information), of nothing. */
#include "symbols/call_sites.h"

#include <string.h>

enum { MAX_STEPS = 2000 };

typedef struct jump {
    uint64_t pc;     /* after it */
    uint64_t target; /* 0: unknown */
} jump;

typedef struct jump_list {
    jump *items;
    size_t n;
} jump_list;

typedef struct way {
    uint64_t pcs[SYM_MAX_TAIL_CALLS]; /* of the jumps, outermost first */
    size_t n;
} way;

typedef struct search {
    sym_table *table;
    uint64_t goal; /* entry of the function that runs */
    ebb_arena arena;
    ebb_map *jumps; /* entry -> jump_list */
    way now;
    way found;                  /* the first one */
    size_t n_outer, n_inner;    /* how many of its jumps all others have, too */
    bool has_found, is_hopeless;
    unsigned steps;
} search;

static sym_function *function_at_entry(sym_table *table, uint64_t entry, sym_module **module)
{
    *module = sym_module_at(table, entry);
    sym_function *function = *module ? sym_function_of_addr(*module, entry - (*module)->bias) : NULL;
    return function && function->ranges[0].lo + (*module)->bias == entry ? function : NULL;
}

/* NULL: there is no debug information. */
static const jump_list *jumps_of(search *s, uint64_t entry)
{
    jump_list *list = ebb_map_get_u64(s->jumps, entry);
    sym_module *module;
    sym_function *function = list ? NULL : function_at_entry(s->table, entry, &module);
    if (!function)
        return list;
    sym_call_sites sites = {0};
    sym_tail_calls_of(function, &sites);
    list = EBB_ARENA_NEW(&s->arena, jump_list);
    list->items = EBB_ARENA_ARRAY(&s->arena, jump, sites.n + 1);
    for (size_t i = 0; i < sites.n; i++) {
        jump *j = &list->items[list->n];
        if (!sym_call_site_return_pc(&sites.items[i], &j->pc))
            continue;
        j->pc += module->bias;
        if (!sym_call_site_names(module, &sites.items[i], &j->target))
            j->target = 0;
        list->n++;
    }
    ebb_vec_fini(&sites);
    ebb_map_set_u64(s->jumps, entry, list);
    return list;
}

static size_t common_outer(const way *a, const way *b, size_t at_most)
{
    size_t n = 0;
    while (n < at_most && n < b->n && a->pcs[n] == b->pcs[n])
        n++;
    return n;
}

static size_t common_inner(const way *a, const way *b, size_t at_most)
{
    size_t n = 0;
    while (n < at_most && n < b->n && a->pcs[a->n - 1 - n] == b->pcs[b->n - 1 - n])
        n++;
    return n;
}

static void note_way(search *s)
{
    if (!s->has_found) {
        s->has_found = true;
        s->found = s->now;
        s->n_outer = s->n_inner = s->now.n;
        return;
    }
    s->n_outer = common_outer(&s->found, &s->now, s->n_outer);
    s->n_inner = common_inner(&s->found, &s->now, s->n_inner);
    s->is_hopeless |= s->n_outer + s->n_inner == 0;
}

static bool is_on_way(const way *w, uint64_t pc)
{
    for (size_t i = 0; i < w->n; i++)
        if (w->pcs[i] == pc)
            return true;
    return false;
}

static void search_from(search *s, uint64_t entry)
{
    if (entry == s->goal) {
        note_way(s);
        return;
    }
    const jump_list *jumps = entry && ++s->steps < MAX_STEPS ? jumps_of(s, entry) : NULL;
    s->is_hopeless |= !jumps;
    for (size_t i = 0; !s->is_hopeless && i < jumps->n; i++) {
        if (is_on_way(&s->now, jumps->items[i].pc))
            continue;
        if (s->now.n == SYM_MAX_TAIL_CALLS) {
            s->is_hopeless = true;
            return;
        }
        s->now.pcs[s->now.n++] = jumps->items[i].pc;
        search_from(s, jumps->items[i].target);
        s->now.n--;
    }
}

/* The function that the call in front of the return address names. */
static bool called_at(sym_table *table, uint64_t return_addr, uint64_t *entry)
{
    Dwarf_Die site;
    sym_module *module = sym_module_at(table, return_addr - 1);
    sym_function *from = module ? sym_function_of_addr(module, return_addr - 1 - module->bias) : NULL;
    return from && sym_call_site_find(from, return_addr - module->bias, &site) && sym_call_site_names(module, &site, entry);
}

static void find_jumps(sym_table *table, uint64_t goal, uint64_t called, way *out)
{
    search s = {.table = table, .goal = goal, .jumps = ebb_map_new()};
    search_from(&s, called);
    *out = (way){0};
    if (s.has_found && !s.is_hopeless) {
        size_t n_inner = s.n_inner < s.found.n - s.n_outer ? s.n_inner : s.found.n - s.n_outer;
        out->n = s.n_outer + n_inner;
        memcpy(out->pcs, s.found.pcs, s.n_outer * sizeof *out->pcs);
        memcpy(out->pcs + s.n_outer, s.found.pcs + s.found.n - n_inner, n_inner * sizeof *out->pcs);
    }
    ebb_map_free(s.jumps);
    ebb_arena_fini(&s.arena);
}

/* ---- frames ----------------------------------------------------------------------------------- */

void sym_tail_frames(sym_table *table, const sym_frame *frame, sym_frame *caller)
{
    uint64_t called;
    way jumps;
    if (frame->is_signal_frame || caller->pc_is_exact || !called_at(table, caller->regs[SYM_REG_RIP].value, &called))
        return;
    sym_module *module = sym_module_at(table, sym_frame_lookup_pc(frame));
    sym_function *function = module ? sym_function_of_addr(module, sym_frame_lookup_pc(frame) - module->bias) : NULL;
    if (!function)
        return;
    find_jumps(table, function->ranges[0].lo + module->bias, called, &jumps);
    if (jumps.n == 0)
        return;
    memcpy(caller->tail_pcs, jumps.pcs, sizeof caller->tail_pcs);
    caller->n_tail = (unsigned)jumps.n;
    caller->return_pc = caller->regs[SYM_REG_RIP];
    caller->cfa = frame->cfa;
    caller->is_tail = true;
    caller->regs[SYM_REG_RIP] = (sym_reg){.kind = SYM_REG_VALUE, .value = jumps.pcs[jumps.n - 1]};
}

void sym_tail_caller(const sym_frame *tail, sym_frame *caller)
{
    *caller = *tail;
    if (--caller->n_tail > 0) {
        caller->regs[SYM_REG_RIP].value = caller->tail_pcs[caller->n_tail - 1];
        return;
    }
    caller->is_tail = false;
    caller->regs[SYM_REG_RIP] = caller->return_pc;
    caller->cfa = 0;
}

ebb_status sym_caller(sym_table *table, const sym_target *target, sym_frame *frame, sym_frame *caller, ebb_error *err)
{
    if (frame->is_tail) {
        sym_tail_caller(frame, caller);
        return EBB_OK;
    }
    EBB_TRY(sym_unwind(table, target, frame, caller, err));
    sym_tail_frames(table, frame, caller);
    return EBB_OK;
}
