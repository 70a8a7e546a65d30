/* Functions: those of a unit, those at an address, and what they are called. */
#include "symbols/symbols_private.h"
#include "base/text.h"
#include "symbols/demangle.h"
#include "symbols/lines.h"
#include "symbols/scopes.h"

#include <string.h>

enum { MAX_NESTING = 64 };

/* ---- of a unit -------------------------------------------------------------------------------- */

static sym_function *add_function(sym_unit *unit, Dwarf_Die *die)
{
    sym_range *ranges;
    size_t n = sym_die_ranges(unit->module, die, &unit->module->arena, &ranges);
    if (!n)
        return NULL;
    sym_function *function = EBB_ARENA_NEW(&unit->module->arena, sym_function);
    function->unit = unit;
    function->die = *die;
    function->ranges = ranges;
    function->n_ranges = n;
    function->concrete = function;
    ebb_vec_push(&unit->functions, function);
    for (size_t i = 0; i < n; i++) {
        sym_function_range range = {ranges[i].lo, ranges[i].hi, function};
        ebb_vec_push(&unit->function_ranges, range);
    }
    return function;
}

static int compare_function_ranges(const void *a, const void *b)
{
    const sym_function_range *x = a, *y = b;
    if (x->lo != y->lo)
        return x->lo < y->lo ? -1 : 1;
    return x->hi < y->hi ? -1 : x->hi > y->hi;
}

static void sort_function_ranges(sym_unit *unit)
{
    if (unit->function_ranges.n)
        qsort(unit->function_ranges.items, unit->function_ranges.n,
              sizeof *unit->function_ranges.items, compare_function_ranges);
}

static bool is_class(int tag)
{
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

static bool is_code(int tag)
{
    return tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine;
}

static void add_if_made(sym_unit *unit, Dwarf_Die *die, bool is_nested)
{
    bool is_made = sym_die_has(die, DW_AT_low_pc) || sym_die_has(die, DW_AT_ranges);
    sym_function *function = is_made ? add_function(unit, die) : NULL;
    if (function)
        function->is_nested = is_nested;
}

static void collect_outer(sym_unit *unit, Dwarf_Die *parent, int depth)
{
    Dwarf_Die die;
    if (depth > MAX_NESTING || dwarf_child(parent, &die) != 0)
        return;
    do {
        int tag = dwarf_tag(&die);
        if (tag == DW_TAG_subprogram)
            add_if_made(unit, &die, false);
        else if (tag == DW_TAG_namespace)
            collect_outer(unit, &die, depth + 1);
    } while (dwarf_siblingof(&die, &die) == 0);
}

/* Those inside of a function: GNU C's nested ones, which know its variables, and those of classes that stand in it, lambdas above all, which don't; and those that
 * stand in a class anywhere.  `around` is what the DIE is in: code, a class, or neither. */
static void collect_inner(sym_unit *unit, Dwarf_Die *parent, int around, int depth)
{
    Dwarf_Die die;
    if (depth > MAX_NESTING || dwarf_child(parent, &die) != 0)
        return;
    do {
        int tag = dwarf_tag(&die);
        if (tag == DW_TAG_subprogram && (is_code(around) || is_class(around)))
            add_if_made(unit, &die, is_code(around));
        if (is_code(tag) || is_class(tag) || tag == DW_TAG_namespace)
            collect_inner(unit, &die, tag, depth + 1);
    } while (dwarf_siblingof(&die, &die) == 0);
}

void sym_unit_read_functions(sym_unit *unit)
{
    if (unit->functions_read || !sym_unit_open(unit))
        return;
    unit->functions_read = true;
    collect_outer(unit, &unit->die, 0);
    sort_function_ranges(unit);
}

static void read_nested_functions(sym_unit *unit)
{
    if (unit->nested_read)
        return;
    unit->nested_read = true;
    size_t n = unit->functions.n;
    collect_inner(unit, &unit->die, DW_TAG_compile_unit, 0);
    if (unit->functions.n > n)
        sort_function_ranges(unit);
}

/* ---- by address ------------------------------------------------------------------------------- */

static sym_function *find_in_unit(sym_unit *unit, uint64_t addr)
{
    size_t lo = 0, hi = unit->function_ranges.n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (unit->function_ranges.items[mid].lo <= addr)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo > 0 && addr < unit->function_ranges.items[lo - 1].hi)
        return unit->function_ranges.items[lo - 1].function;
    return NULL;
}

sym_function *sym_function_of_addr(sym_module *module, uint64_t addr)
{
    sym_unit *unit = sym_unit_at(module, addr);
    if (!unit)
        return NULL;
    sym_unit_read_functions(unit);
    sym_function *function = find_in_unit(unit, addr);
    if (!function && !unit->nested_read) {
        read_nested_functions(unit);
        function = find_in_unit(unit, addr);
    }
    return function;
}

sym_function *sym_function_of_die(sym_unit *unit, Dwarf_Die *die)
{
    sym_unit_read_functions(unit);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < unit->functions.n; i++)
            if (unit->functions.items[i]->die.addr == die->addr)
                return unit->functions.items[i];
        read_nested_functions(unit);
    }
    return NULL;
}

size_t sym_functions_at(sym_table *table, uint64_t addr, const sym_function **functions, size_t max)
{
    sym_module *module = sym_module_at(table, addr);
    sym_function *concrete = module ? sym_function_of_addr(module, addr - module->bias) : NULL;
    if (!concrete)
        return 0;
    size_t n = 0;
    const sym_function *last = NULL;
    for (sym_block *b = sym_innermost_block(concrete, addr - module->bias); b; b = b->outer) {
        if (b->function == last)
            continue;
        last = b->function;
        if (n < max)
            functions[n] = last;
        n++;
    }
    return n;
}

bool sym_function_covers(const sym_function *function, uint64_t addr)
{
    return sym_ranges_cover(function->ranges, function->n_ranges,
                            addr - function->unit->module->bias);
}

bool sym_function_code(const sym_function *function, size_t n, uint64_t *lo, uint64_t *hi)
{
    if (n >= function->n_ranges)
        return false;
    *lo = function->ranges[n].lo + function->unit->module->bias;
    *hi = function->ranges[n].hi + function->unit->module->bias;
    return true;
}

/* ---- inlined instances ------------------------------------------------------------------------ */

static void each_instance_in(sym_block *block, Dwarf_Die *origin, sym_instance_fn *fn, void *self)
{
    for (sym_block *child = block->first_child; child; child = child->next) {
        Dwarf_Die of;
        if (child->function != block->function &&
            sym_die_ref(&child->die, DW_AT_abstract_origin, &of) && of.addr == origin->addr)
            fn(child->function, self);
        each_instance_in(child, origin, fn, self);
    }
}

void sym_unit_each_instance(sym_unit *unit, Dwarf_Die *origin, sym_instance_fn *fn, void *self)
{
    sym_unit_read_functions(unit);
    read_nested_functions(unit);
    for (size_t i = 0; i < unit->functions.n; i++) {
        sym_function *function = unit->functions.items[i];
        sym_function_read_tree(function);
        each_instance_in(function->block, origin, fn, self);
    }
}

/* ---- what is known about one ------------------------------------------------------------------ */

static void read_call_site(sym_function *function)
{
    uint64_t file, line;
    if (sym_die_unsigned(&function->die, DW_AT_call_file, &file))
        function->info.call_file = sym_unit_file_path(function->unit, file, &function->info.call_file_name);
    if (sym_die_unsigned(&function->die, DW_AT_call_line, &line))
        function->info.call_line = (unsigned)line;
}

static bool is_external(Dwarf_Die *die)
{
    Dwarf_Attribute attr;
    bool flag = false;
    return dwarf_attr_integrate(die, DW_AT_external, &attr) && dwarf_formflag(&attr, &flag) == 0 &&
           flag;
}

const char *sym_unit_language(const sym_unit *unit)
{
    switch (unit->language) {
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14: return "c++";
    case DW_LANG_Rust: return "rust";
    case DW_LANG_Mips_Assembler: return "asm";
    default: return "c";
    }
}

/* Of a member function that doesn't change its object. */
static bool is_of_constant(sym_type *function)
{
    sym_type *self = function->has_this ? sym_type_strip(function->params[0]) : NULL;
    return self && self->kind == SYM_TYPE_POINTER && self->target && self->target->kind == SYM_TYPE_CONST;
}

/* As the demangler writes a parameter: what is constant is so afterwards, and stars stand at their type. */
static void add_parameter(sym_type *type, ebb_buf *out)
{
    ebb_buf shown = {0};
    sym_type *bare = type;
    while (bare->kind == SYM_TYPE_POINTER && bare->target)
        bare = bare->target;
    bool is_constant = bare != type && bare->kind == SYM_TYPE_CONST && bare->target && bare->target->name;
    sym_type_print(type, &shown); /* "const T *" */
    const char *at = ebb_buf_text(&shown);
    if (is_constant && ebb_text_starts(at, "const ")) {
        const char *stars = at + shown.n;
        while (stars > at && strchr("*& ", stars[-1]))
            stars--;
        at += strlen("const ");
        ebb_buf_addf(out, "%.*s const", (int)(stars - at), at);
        at = stars;
    }
    for (; *at; at++)
        if (!(at[0] == ' ' && (at[1] == '*' || at[1] == '&')))
            ebb_buf_addc(out, *at);
    ebb_buf_fini(&shown);
}

/* C++'s functions that C can call, those of one file, and main, have no mangled name to tell. */
static const char *full_name_of(sym_module *module, const sym_function_info *info)
{
    if (sym_is_mangled(info->linkage_name))
        return sym_name_after_result(sym_shown_name(module->table, info->linkage_name));
    if (strcmp(info->language, "c++") != 0 || !info->type)
        return info->name;
    ebb_buf text = {0};
    ebb_buf_addf(&text, "%s(", info->name);
    sym_type_complete(info->type);
    size_t first = info->type->has_this;
    for (size_t i = first; i < info->type->n_params; i++) {
        ebb_buf_adds(&text, i > first ? ", " : "");
        add_parameter(info->type->params[i], &text);
    }
    ebb_buf_adds(&text, is_of_constant(info->type) ? ") const" : ")");
    const char *full = ebb_arena_strdup(&module->arena, ebb_buf_text(&text));
    ebb_buf_fini(&text);
    return full;
}

static void read_names(sym_unit *unit, Dwarf_Die *die, sym_function_info *info)
{
    sym_module *module = unit->module;
    info->name = sym_die_name(die);
    if (!info->name)
        info->name = "??";
    info->linkage_name = sym_die_linkage_name(die);
    if (!info->linkage_name)
        info->linkage_name = info->name = sym_die_function_name(module, die) ? sym_die_function_name(module, die) : info->name;
    char *qualified = sym_demangle(info->linkage_name, false);
    if (qualified)
        info->name = ebb_arena_strdup(&module->arena, qualified);
    free(qualified);
    info->language = sym_unit_language(unit);
    info->type = strcmp(info->language, "asm") == 0 ? NULL : sym_type_of_die(module, die); /* assembly has no types */
    info->full_name = full_name_of(module, info);
}

void sym_function_names(sym_unit *unit, Dwarf_Die *die, sym_function_info *info)
{
    *info = (sym_function_info){0};
    read_names(unit, die, info);
}

static void read_info(sym_function *function)
{
    sym_function_info *info = &function->info;
    sym_module *module = function->unit->module;
    Dwarf_Die *die = &function->die;
    read_names(function->unit, die, info);
    info->module = module;
    info->is_nested = function->is_nested;
    info->lo = function->ranges[0].lo + module->bias;
    info->hi = function->ranges[0].hi + module->bias;
    info->is_external = is_external(die);
    info->is_inlined = function->concrete != function;
    sym_die_decl(module, die, &info->decl_file, &info->decl_line);
    if (info->is_inlined)
        read_call_site(function);
}

const sym_function_info *sym_function_get_info(const sym_function *function)
{
    sym_function *f = (sym_function *)function; /* SP3 */
    if (!f->info_read) {
        f->info_read = true;
        read_info(f);
    }
    return &f->info;
}

bool sym_function_encloses(const sym_function *outer, const sym_function *inner)
{
    Dwarf_Die *scopes = NULL;
    Dwarf_Die die = inner->concrete->die;
    int n = dwarf_getscopes_die(&die, &scopes);
    bool found = false;
    for (int i = 1; i < n && !found; i++)
        found = scopes[i].addr == outer->concrete->die.addr;
    free(scopes);
    return found;
}

static void forget_tree_addresses(sym_block *block)
{
    if (!block)
        return;
    block->function->info_read = false;
    for (sym_block *child = block->first_child; child; child = child->next)
        forget_tree_addresses(child);
}

void sym_functions_forget_addresses(sym_unit *unit)
{
    for (size_t i = 0; i < unit->functions.n; i++) {
        unit->functions.items[i]->info_read = false;
        forget_tree_addresses(unit->functions.items[i]->block);
    }
}
