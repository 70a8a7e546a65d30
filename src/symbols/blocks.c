/* Scopes: the tree of blocks in a concrete function, inlined instances included.
 *
 * As in gdb, a lexical block without code addresses, or without a name of its own in it, is no scope:
 * what it holds belongs to the scope around it. */
#include "symbols/symbols_private.h"

#include <string.h>

enum { MAX_NESTING = 256 };

static sym_block *add_block(sym_function *function, sym_block *outer, Dwarf_Die *die,
                            sym_range *ranges, size_t n_ranges)
{
    sym_block *block = EBB_ARENA_NEW(&function->unit->module->arena, sym_block);
    block->function = function;
    block->outer = outer;
    block->die = *die;
    block->ranges = ranges;
    block->n_ranges = n_ranges;
    if (!outer)
        return block;
    if (outer->last_child)
        outer->last_child->next = block;
    else
        outer->first_child = block;
    outer->last_child = block;
    return block;
}

static bool is_local_symbol(int tag)
{
    switch (tag) {
    case DW_TAG_variable:
    case DW_TAG_formal_parameter:
    case DW_TAG_constant:
    case DW_TAG_typedef:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_enumeration_type:
    case DW_TAG_label: return true;
    default: return false;
    }
}

static bool has_local_symbol(Dwarf_Die *parent)
{
    Dwarf_Die die;
    if (dwarf_child(parent, &die) != 0)
        return false;
    do {
        if (is_local_symbol(dwarf_tag(&die)))
            return true;
    } while (dwarf_siblingof(&die, &die) == 0);
    return false;
}

/* A block that was inlined or cloned has the names of its abstract origin as well. */
static bool makes_scope(Dwarf_Die *die)
{
    Dwarf_Die origin;
    return has_local_symbol(die) ||
           (sym_die_ref(die, DW_AT_abstract_origin, &origin) && has_local_symbol(&origin));
}

static void read_children(sym_block *block, Dwarf_Die *parent, int depth);

static void read_inlined(sym_block *outer, Dwarf_Die *die, int depth)
{
    sym_unit *unit = outer->function->unit;
    sym_range *ranges;
    size_t n = sym_die_ranges(unit->module, die, &unit->module->arena, &ranges);
    if (!n)
        return;
    sym_function *instance = EBB_ARENA_NEW(&unit->module->arena, sym_function);
    instance->unit = unit;
    instance->die = *die;
    instance->ranges = ranges;
    instance->n_ranges = n;
    instance->concrete = outer->function->concrete;
    instance->tree_read = true;
    instance->block = add_block(instance, outer, die, ranges, n);
    read_children(instance->block, die, depth);
}

static void read_lexical(sym_block *outer, Dwarf_Die *die, int depth)
{
    sym_unit *unit = outer->function->unit;
    sym_range *ranges;
    size_t n = sym_die_ranges(unit->module, die, &unit->module->arena, &ranges);
    if (n && makes_scope(die)) {
        sym_block *block = add_block(outer->function, outer, die, ranges, n);
        read_children(block, die, depth);
    } else {
        read_children(outer, die, depth);
    }
}

static void read_children(sym_block *block, Dwarf_Die *parent, int depth)
{
    Dwarf_Die die;
    if (depth > MAX_NESTING || dwarf_child(parent, &die) != 0)
        return;
    do {
        switch (dwarf_tag(&die)) {
        case DW_TAG_inlined_subroutine: read_inlined(block, &die, depth + 1); break;
        case DW_TAG_lexical_block: read_lexical(block, &die, depth + 1); break;
        default: break;
        }
    } while (dwarf_siblingof(&die, &die) == 0);
}

void sym_function_read_tree(sym_function *function)
{
    if (function->tree_read)
        return;
    function->tree_read = true;
    function->block =
        add_block(function, NULL, &function->die, function->ranges, function->n_ranges);
    read_children(function->block, &function->die, 0);
}

sym_block *sym_innermost_block(sym_function *concrete, uint64_t addr)
{
    sym_function_read_tree(concrete);
    sym_block *block = concrete->block;
    if (!sym_ranges_cover(block->ranges, block->n_ranges, addr))
        return NULL;
    for (sym_block *child = block->first_child; child;) {
        if (sym_ranges_cover(child->ranges, child->n_ranges, addr)) {
            block = child;
            child = block->first_child;
        } else {
            child = child->next;
        }
    }
    return block;
}

const sym_block *sym_block_at(const sym_function *function, uint64_t addr)
{
    sym_block *block = sym_innermost_block(function->concrete, addr - function->unit->module->bias);
    while (block && block->function != function)
        block = block->outer;
    return block;
}

const sym_block *sym_block_parent(const sym_block *block)
{
    return block->outer && block->outer->function == block->function ? block->outer : NULL;
}

/* ---- variables of a scope --------------------------------------------------------------------- */

typedef EBB_VEC(const sym_variable *) variable_list;
typedef EBB_VEC(void *) die_list; /* their addresses */

static bool contains(const die_list *list, const void *addr)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->items[i] == addr)
            return true;
    return false;
}

/* A lexical block without code isn't a scope: it gives its names to the one around it. */
static bool has_code(Dwarf_Die *die)
{
    Dwarf_Addr base, lo, hi;
    return dwarf_ranges(die, 0, &base, &lo, &hi) > 0;
}

/* Which DIEs of the abstract origin this scope has an instance of. */
static void collect_origins(Dwarf_Die *parent, die_list *origins)
{
    Dwarf_Die die, origin;
    if (dwarf_child(parent, &die) != 0)
        return;
    do {
        if (sym_die_ref(&die, DW_AT_abstract_origin, &origin))
            ebb_vec_push(origins, origin.addr);
    } while (dwarf_siblingof(&die, &die) == 0);
}

static void collect_variables(sym_block *block, Dwarf_Die *parent, const die_list *skipped,
                              variable_list *found, int depth)
{
    Dwarf_Die die;
    if (depth > MAX_NESTING || dwarf_child(parent, &die) != 0)
        return;
    do {
        int tag = dwarf_tag(&die);
        if (contains(skipped, die.addr))
            continue;
        if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter || tag == DW_TAG_constant) {
            const sym_variable *v = sym_variable_of_die(block->function->unit, &die);
            if (v)
                ebb_vec_push(found, v);
        } else if (tag == DW_TAG_lexical_block && !has_code(&die)) {
            collect_variables(block, &die, skipped, found, depth + 1);
        }
    } while (dwarf_siblingof(&die, &die) == 0);
}

/* The names that the compiler left out of this instance are those of the abstract origin that no DIE
 * of the instance refers to; their values are optimised out. */
static void read_variables(sym_block *block)
{
    variable_list found = {0};
    die_list origins = {0};
    Dwarf_Die origin;
    collect_variables(block, &block->die, &origins, &found, 0);
    if (sym_die_ref(&block->die, DW_AT_abstract_origin, &origin)) {
        collect_origins(&block->die, &origins);
        collect_variables(block, &origin, &origins, &found, 0);
    }
    block->n_variables = found.n;
    block->variables =
        EBB_ARENA_ARRAY(&block->function->unit->module->arena, const sym_variable *, found.n + 1);
    if (found.n)
        memcpy(block->variables, found.items, found.n * sizeof *found.items);
    ebb_vec_fini(&found);
    ebb_vec_fini(&origins);
}

const sym_variable *const *sym_block_variables(const sym_block *block, size_t *n)
{
    sym_block *b = (sym_block *)block; /* SP3 */
    if (!b->variables_read) {
        b->variables_read = true;
        read_variables(b);
    }
    *n = b->n_variables;
    return b->variables;
}

static const sym_variable *find_here(const sym_block *block, const char *name)
{
    size_t n;
    const sym_variable *const *variables = sym_block_variables(block, &n);
    for (size_t i = 0; i < n; i++) {
        const char *its = sym_variable_get_info(variables[i])->name;
        if (its && strcmp(its, name) == 0)
            return variables[i];
    }
    return NULL;
}

const sym_variable *sym_block_find(const sym_block *block, const char *name)
{
    const sym_variable *found = NULL;
    for (; block && !found; block = sym_block_parent(block))
        found = find_here(block, name);
    return found;
}
