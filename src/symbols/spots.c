/* Where breakpoints go, by gdb's rules.
 *
 * A function: after its prologue, and at the first instruction of each inlined instance.
 * A line: at every row of the line that begins a statement, but only the first in each scope (an
 * optimiser scatters a line over a function without giving the user more places to stop at), and
 * after the prologue where a row is inside one. */
#include "symbols/demangle.h"
#include "symbols/index.h"
#include "symbols/lines.h"
#include "symbols/prologue.h"

#include <string.h>

/* ---- one spot --------------------------------------------------------------------------------- */

static void set_line(sym_spot *spot, sym_unit *unit, uint64_t addr)
{
    sym_line line;
    if (!unit || !sym_unit_line_at(unit, addr, &line))
        return;
    spot->file = line.file;
    spot->file_name = line.name;
    spot->line = line.line;
}

static sym_spot spot_in(sym_module *module, uint64_t addr)
{
    sym_spot spot = {.addr = addr + module->bias, .module = module};
    set_line(&spot, sym_unit_at(module, addr), addr);
    sym_function *function = sym_function_of_addr(module, addr);
    if (function) {
        sym_block *block = sym_innermost_block(function, addr);
        spot.function = sym_function_get_info(block ? block->function : function)->full_name;
    } else {
        const sym_symbol *symbol = sym_symbol_covering(module, addr);
        spot.function = symbol ? sym_shown_name(module->table, symbol->name) : NULL;
    }
    return spot;
}

sym_spot sym_spot_at(sym_table *table, uint64_t addr)
{
    sym_module *module = sym_module_at(table, addr);
    return module ? spot_in(module, addr - module->bias) : (sym_spot){.addr = addr};
}

static int compare_spots(const void *a, const void *b)
{
    const sym_spot *x = a, *y = b;
    return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static void add_spot(sym_spots *spots, size_t first, sym_spot spot)
{
    for (size_t i = first; i < spots->n; i++)
        if (spots->items[i].addr == spot.addr)
            return;
    ebb_vec_push(spots, spot);
}

static void sort_spots(sym_spots *spots, size_t first)
{
    if (spots->n > first)
        qsort(spots->items + first, spots->n - first, sizeof *spots->items, compare_spots);
}

/* ---- functions -------------------------------------------------------------------------------- */

typedef struct function_search {
    const char *file, *name;
    const char *base; /* of the name: by which the index has it */
    sym_spots *spots;
    size_t first; /* in spots: what was there before stays as it is */
} function_search;

static bool path_matches(const char *path, const char *file)
{
    return path && sym_source_matches(&(sym_source){.path = path}, file);
}

/* When the prologue ends where an inlined call begins, the stop is shown at the line where the
 * outermost inlined function is declared. */
static void prefer_inlined_line(sym_spot *spot, sym_function *function, uint64_t addr)
{
    const sym_function *outermost = NULL;
    for (sym_block *b = sym_innermost_block(function, addr); b; b = b->outer)
        if (b->function != function)
            outermost = b->function;
    if (!outermost)
        return;
    const sym_function_info *info = sym_function_get_info(outermost);
    if (!info->decl_line)
        return;
    spot->line = info->decl_line;
    spot->file = spot->file_name = info->decl_file;
}

static void add_concrete(function_search *s, sym_function *function)
{
    sym_module *module = function->unit->module;
    uint64_t entry = function->ranges[0].lo, addr = sym_prologue_end(module, entry);
    sym_spot spot = {.addr = addr + module->bias, .module = module};
    spot.function = sym_function_get_info(function)->full_name;
    set_line(&spot, function->unit, addr);
    if (addr > entry)
        prefer_inlined_line(&spot, function, addr);
    add_spot(s->spots, s->first, spot);
}

static void add_instance(sym_function *instance, void *self)
{
    function_search *s = self;
    sym_module *module = instance->unit->module;
    uint64_t addr = instance->ranges[0].lo;
    sym_spot spot = {.addr = addr + module->bias, .module = module, .function = s->name};
    spot.function = sym_function_get_info(instance)->full_name;
    set_line(&spot, instance->unit, addr);
    add_spot(s->spots, s->first, spot);
}

typedef struct instance_search {
    function_search *search;
    Dwarf_Die *origin;
} instance_search;

static void add_instances_in(sym_unit *unit, void *self)
{
    instance_search *s = self;
    sym_unit_each_instance(unit, s->origin, add_instance, s->search);
}

static void add_instances(function_search *s, sym_module *module, const sym_entry *entry,
                          Dwarf_Die *die)
{
    instance_search search = {s, die};
    if (sym_module_index(module)->has_cross_unit_origins)
        sym_index_each_instance_unit(module, entry->offset, add_instances_in, &search);
    else
        add_instances_in(sym_entry_unit(module, entry), &search);
}

static bool is_in_file(sym_module *module, Dwarf_Die *die, const char *file)
{
    const char *decl_file;
    unsigned line;
    if (!file)
        return true;
    sym_die_decl(module, die, &decl_file, &line);
    return path_matches(decl_file, file);
}

static void search_debug_info(function_search *s, sym_module *module)
{
    const sym_index *index = sym_module_index(module);
    bool is_plain = strcmp(s->base, s->name) == 0;
    for (const sym_entry *e = sym_index_first(index, s->base); e; e = sym_index_next(index, e)) {
        Dwarf_Die die;
        if ((e->kind != SYM_ENTRY_FUNCTION && e->kind != SYM_ENTRY_INLINE) ||
            !sym_entry_die(module, e, &die) || !is_in_file(module, &die, s->file) ||
            (!is_plain && !sym_die_is_called(module, &die, s->name)))
            continue;
        if (e->kind == SYM_ENTRY_INLINE) {
            add_instances(s, module, e, &die);
            continue;
        }
        sym_function *function = sym_function_of_die(sym_entry_unit(module, e), &die);
        if (function)
            add_concrete(s, function);
    }
}

static bool is_code_symbol(sym_module *module, const sym_symbol *symbol)
{
    return symbol &&
           (symbol->type == STT_FUNC || symbol->type == STT_GNU_IFUNC ||
            symbol->type == STT_NOTYPE) &&
           sym_module_has_code_at(module, symbol->addr);
}

static void add_symbol(function_search *s, sym_module *module, const sym_symbol *symbol)
{
    sym_function *function = sym_function_of_addr(module, symbol->addr);
    if (function && function->ranges[0].lo == symbol->addr) {
        add_concrete(s, function); /* an alias */
        return;
    }
    uint64_t addr =
        symbol->type == STT_GNU_IFUNC ? symbol->addr : sym_prologue_end(module, symbol->addr);
    sym_spot spot = {.addr = addr + module->bias, .module = module, .function = sym_shown_name(module->table, symbol->name)};
    set_line(&spot, sym_unit_at(module, addr), addr);
    add_spot(s->spots, s->first, spot);
}

/* Symbols that no debug information describes: all versions of one ("exp@GLIBC_2.2.5" and "exp@@GLIBC_2.29"), but no local one
 * beside a global one. */
static void search_symbols(function_search *s, sym_module *module)
{
    const sym_symbol *best = s->file ? NULL : sym_symbol_named(module, s->name);
    for (const sym_symbol *symbol = best; symbol; symbol = sym_symbol_next_named(module, symbol))
        if (is_code_symbol(module, symbol) && (symbol->binding == STB_LOCAL) == (best->binding == STB_LOCAL))
            add_symbol(s, module, symbol);
}

/* By the names of C++ and Rust, which takes a look at every symbol. */
static void search_demangled(function_search *s, sym_module *module)
{
    for (size_t i = 0; i < module->symbols.n && !s->file; i++) {
        const sym_symbol *symbol = &module->symbols.items[i];
        char *full = is_code_symbol(module, symbol) && !symbol->is_plt ? sym_demangle(symbol->name, true) : NULL;
        if (full && sym_name_means(s->name, full))
            add_symbol(s, module, symbol);
        free(full);
    }
}

/* Before its library is loaded, a function is where the program's own stub for it is. */
static void search_stubs(function_search *s, sym_module *module)
{
    char *name = ebb_asprintf("%s@plt", s->name);
    const sym_symbol *stub = s->file ? NULL : sym_symbol_named(module, name);
    free(name);
    if (stub && stub->is_plt)
        add_spot(s->spots, s->first,
                 (sym_spot){
                     .addr = stub->addr + module->bias, .module = module, .function = stub->name});
}

static void search_everywhere(sym_table *table, function_search *search)
{
    function_search s = *search;
    sym_spots *spots = s.spots;
    for (size_t i = 0; i < table->modules.n; i++) {
        sym_module *module = table->modules.items[i];
        size_t before = spots->n;
        search_debug_info(&s, module);
        if (spots->n == before)
            search_symbols(&s, module);
    }
    for (size_t i = 0; i < table->modules.n && spots->n == s.first; i++)
        search_stubs(&s, table->modules.items[i]);
    for (size_t i = 0; i < table->modules.n && spots->n == s.first; i++)
        search_demangled(&s, table->modules.items[i]);
    sort_spots(spots, s.first);
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), n_end = strlen(end);
    return n >= n_end && strcmp(text + n - n_end, end) == 0;
}

/* f(int) is not f(int) const where there are both; few write "const" where there is no need to. */
static void prefer_not_const(const char *name, sym_spots *spots, size_t first)
{
    size_t n = first, n_plain = 0;
    if (!ends_with(name, ")"))
        return;
    for (size_t i = first; i < spots->n; i++)
        n_plain += spots->items[i].function && ends_with(spots->items[i].function, ")");
    for (size_t i = first; n_plain && i < spots->n; i++)
        if (!spots->items[i].function || !ends_with(spots->items[i].function, ") const"))
            spots->items[n++] = spots->items[i];
    if (n_plain)
        spots->n = n;
}

ebb_status sym_spots_of_function(sym_table *table, const char *file, const char *name,
                                 sym_spots *spots, ebb_error *err)
{
    size_t first = spots->n;
    char *base = sym_name_base(name);
    search_everywhere(table, &(function_search){.file = file, .name = name, .base = base, .spots = spots, .first = first});
    free(base);
    prefer_not_const(name, spots, first);
    if (spots->n == first) {
        sym_names files = {0};
        if (file)
            sym_source_files(table, file, &files);
        bool is_known = files.n > 0;
        ebb_vec_fini(&files);
        if (file && !is_known)
            return ebb_fail(err, EBB_NOT_FOUND, "No source file named %s.", file);
        if (file)
            return ebb_fail(err, EBB_NOT_FOUND, "Function \"%s\" not defined in \"%s\".", name,
                            file);
        return ebb_fail(err, EBB_NOT_FOUND, "Function \"%s\" not defined.", name);
    }
    return EBB_OK;
}

/* ---- lines ------------------------------------------------------------------------------------ */

typedef struct line_source {
    sym_unit *unit;
    sym_source *source;
} line_source;
typedef EBB_VEC(line_source) line_sources;

typedef struct line_hit {
    sym_unit *unit;
    const sym_source *source;
    uint64_t addr;
    const sym_block *block; /* NULL if unknown */
} line_hit;
typedef EBB_VEC(line_hit) line_hits;

static void collect_sources(sym_table *table, const char *file, line_sources *found)
{
    for (size_t m = 0; m < table->modules.n; m++) {
        sym_module *module = table->modules.items[m];
        sym_units_read(module);
        for (size_t u = 0; u < module->units.n; u++) {
            sym_lines *lines = sym_unit_sources(module->units.items[u]);
            for (size_t i = 0; i < lines->sources.n; i++)
                if (sym_source_matches(&lines->sources.items[i], file)) {
                    line_source at = {module->units.items[u], &lines->sources.items[i]};
                    ebb_vec_push(found, at);
                }
        }
    }
}

/* Collects the rows of the line.  Without any, `best` becomes the nearest line after it. */
static void collect_hits(const line_sources *sources, unsigned line, line_hits *hits,
                         unsigned *best)
{
    *best = 0;
    for (size_t s = 0; s < sources->n; s++) {
        sym_unit_lines(sources->items[s].unit);
        const sym_source *source = sources->items[s].source;
        for (size_t i = 0; i < source->rows.n; i++) {
            const sym_row *row = &source->rows.items[i];
            if (!row->is_stmt)
                continue;
            if (row->line == line) {
                line_hit hit = {sources->items[s].unit, source, row->addr, NULL};
                ebb_vec_push(hits, hit);
            } else if (row->line > line && (!*best || row->line < *best)) {
                *best = row->line;
            }
        }
    }
}

static const sym_block *block_at(sym_module *module, uint64_t addr)
{
    sym_function *function = sym_function_of_addr(module, addr);
    return function ? sym_innermost_block(function, addr) : NULL;
}

/* Whether an earlier hit is in the same scope. */
static bool is_repetition(const line_hits *hits, size_t i)
{
    if (!hits->items[i].block)
        return false;
    for (size_t j = 0; j < i; j++)
        if (hits->items[j].block == hits->items[i].block)
            return true;
    return false;
}

static sym_spot spot_of_hit(const line_hit *hit, unsigned line)
{
    sym_module *module = hit->unit->module;
    uint64_t addr = hit->addr;
    sym_function *function = sym_function_of_addr(module, addr);
    if (function) {
        uint64_t body = sym_prologue_end(module, function->ranges[0].lo);
        if (addr < body && addr >= function->ranges[0].lo)
            addr = body;
    }
    sym_spot spot = spot_in(module, addr);
    if (addr == hit->addr) {
        spot.line = line;
        spot.file = hit->source->path;
        spot.file_name = hit->source->name;
    } else if (function) {
        prefer_inlined_line(&spot, function, addr);
    }
    return spot;
}

ebb_status sym_spots_of_line(sym_table *table, const char *file, unsigned line, sym_spots *spots,
                             ebb_error *err)
{
    line_sources sources = {0};
    line_hits hits = {0};
    size_t first = spots->n;
    unsigned best = 0, wanted = line, unused;
    collect_sources(table, file, &sources);
    collect_hits(&sources, line, &hits, &best);
    if (!hits.n && best)
        collect_hits(&sources, wanted = best, &hits, &unused);
    for (size_t i = 0; i < hits.n; i++)
        hits.items[i].block = block_at(hits.items[i].unit->module, hits.items[i].addr);
    for (size_t i = 0; i < hits.n; i++)
        if (!is_repetition(&hits, i))
            add_spot(spots, first, spot_of_hit(&hits.items[i], wanted));
    bool known = sources.n > 0;
    ebb_vec_fini(&sources);
    ebb_vec_fini(&hits);
    if (!known)
        return ebb_fail(err, EBB_NOT_FOUND, "No source file named %s.", file);
    if (spots->n == first)
        return ebb_fail(err, EBB_NOT_FOUND, "No line %u in file \"%s\".", line, file);
    sort_spots(spots, first);
    return EBB_OK;
}

/* ---- entries ---------------------------------------------------------------------------------- */

static sym_function *concrete_named(sym_module *module, const char *name, const char *base)
{
    const sym_index *index = sym_module_index(module);
    sym_function *found = NULL;
    bool is_plain = strcmp(base, name) == 0;
    for (const sym_entry *e = sym_index_first(index, base); e; e = sym_index_next(index, e)) {
        Dwarf_Die die;
        if (e->kind != SYM_ENTRY_FUNCTION || (found && !e->is_external) ||
            !sym_entry_die(module, e, &die) || (!is_plain && !sym_die_is_called(module, &die, name)))
            continue;
        sym_function *function = sym_function_of_die(sym_entry_unit(module, e), &die);
        if (function && (!found || e->is_external))
            found = function;
    }
    return found;
}

/* The symbol table answers for external functions, without an index of names. */
static sym_function *external_named(sym_module *module, const char *name)
{
    const sym_symbol *symbol = sym_symbol_named(module, name);
    if (!is_code_symbol(module, symbol) || symbol->binding == STB_LOCAL || symbol->is_plt)
        return NULL;
    sym_function *function = sym_function_of_addr(module, symbol->addr);
    return function && function->ranges[0].lo == symbol->addr ? function : NULL;
}

static void add_once(sym_function_list *found, const sym_function *function)
{
    for (size_t i = 0; i < found->n; i++)
        if (found->items[i] == function)
            return;
    ebb_vec_push(found, function);
}

void sym_functions_named(sym_table *table, const char *name, sym_function_list *found)
{
    char *base = sym_name_base(name);
    for (size_t i = 0; i < table->modules.n; i++) {
        sym_module *module = table->modules.items[i];
        const sym_index *index = sym_module_index(module);
        for (const sym_entry *e = sym_index_first(index, base); e; e = sym_index_next(index, e)) {
            Dwarf_Die die;
            if (e->kind != SYM_ENTRY_FUNCTION || !sym_entry_die(module, e, &die) || !sym_die_is_called(module, &die, name))
                continue;
            const sym_function *function = sym_function_of_die(sym_entry_unit(module, e), &die);
            if (function)
                add_once(found, function);
        }
    }
    free(base);
}

const sym_function *sym_function_find(sym_table *table, const char *name)
{
    for (size_t i = 0; i < table->modules.n; i++) {
        sym_function *function = external_named(table->modules.items[i], name);
        if (function)
            return function;
    }
    char *base = sym_name_base(name);
    sym_function *found = NULL;
    for (size_t i = 0; i < table->modules.n && !found; i++)
        found = concrete_named(table->modules.items[i], name, base);
    free(base);
    return found;
}

static void tell_entry(const sym_function *function, uint64_t *entry, sym_type **type)
{
    *entry = function->ranges[0].lo + function->unit->module->bias;
    if (type)
        *type = sym_function_get_info(function)->type;
}

bool sym_function_entry_near(sym_table *table, const char *name, uint64_t near, uint64_t *entry,
                             sym_type **type)
{
    sym_module *module = near ? sym_module_at(table, near) : NULL;
    sym_unit *unit = module ? sym_unit_at(module, near - module->bias) : NULL;
    for (size_t i = 0; unit && i < unit->functions.n; i++) {
        const sym_function *function = unit->functions.items[i];
        if (strcmp(sym_function_get_info(function)->name, name) == 0) {
            tell_entry(function, entry, type);
            return true;
        }
    }
    return sym_function_entry(table, name, entry, type);
}

bool sym_function_entry(sym_table *table, const char *name, uint64_t *entry, sym_type **type)
{
    const sym_function *function = sym_function_find(table, name);
    if (function) {
        tell_entry(function, entry, type);
        return true;
    }
    for (size_t i = 0; i < table->modules.n; i++) {
        sym_module *module = table->modules.items[i];
        const sym_symbol *symbol = sym_symbol_named(module, name);
        if (!is_code_symbol(module, symbol) || symbol->is_plt)
            continue;
        *entry = symbol->addr + module->bias;
        if (type)
            *type = NULL;
        return true;
    }
    return false;
}
