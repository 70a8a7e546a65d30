/* Types and variables by name, from the scope outwards. */
#include "symbols/scopes.h"
#include "symbols/short_names.h"
#include "symbols/demangle.h"
#include "symbols/index.h"
#include "symbols/lines.h"
#include "symbols/types_dwarf.h"

#include <string.h>

/* The unit around an address, and its function; either may be NULL. */
typedef struct place {
    sym_module *module;
    sym_unit *unit;
    sym_function *function;
    uint64_t addr; /* in the file */
} place;

static place place_of(sym_table *table, uint64_t near)
{
    place p = {0};
    p.module = near ? sym_module_at(table, near) : NULL;
    if (!p.module)
        return p;
    p.addr = near - p.module->bias;
    p.unit = sym_unit_at(p.module, p.addr);
    p.function = p.unit ? sym_function_of_addr(p.module, p.addr) : NULL;
    return p;
}

/* ---- types ------------------------------------------------------------------------------------ */

static bool tag_is(int tag, sym_type_kind kind)
{
    switch (kind) {
    case SYM_TYPE_STRUCT: return tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
    case SYM_TYPE_UNION: return tag == DW_TAG_union_type;
    case SYM_TYPE_ENUM: return tag == DW_TAG_enumeration_type;
    default: return tag == DW_TAG_typedef || tag == DW_TAG_base_type;
    }
}

/* In C++ a tag is a type's name by itself. */
static bool is_tag(const sym_entry *entry)
{
    return entry->kind == SYM_ENTRY_STRUCT || entry->kind == SYM_ENTRY_UNION || entry->kind == SYM_ENTRY_ENUM;
}

static bool entry_is(const sym_entry *entry, sym_type_kind kind)
{
    switch (kind) {
    case SYM_TYPE_STRUCT: return entry->kind == SYM_ENTRY_STRUCT;
    case SYM_TYPE_UNION: return entry->kind == SYM_ENTRY_UNION;
    case SYM_TYPE_ENUM: return entry->kind == SYM_ENTRY_ENUM;
    default: return entry->kind == SYM_ENTRY_TYPEDEF || entry->kind == SYM_ENTRY_BASE;
    }
}

/* A type that is declared inside the block. */
static sym_type *type_in_block(sym_block *block, sym_type_kind kind, const char *name)
{
    Dwarf_Die die;
    if (dwarf_child(&block->die, &die) != 0)
        return NULL;
    do {
        const char *found = tag_is(dwarf_tag(&die), kind) ? sym_die_own_name(&die) : NULL;
        if (found && strcmp(found, name) == 0)
            return sym_type_of_die(block->function->unit->module, &die);
    } while (dwarf_siblingof(&die, &die) == 0);
    return NULL;
}

/* What is wanted of a type. */
typedef struct wanted_type {
    const sym_unit *unit; /* NULL: any */
    sym_type_kind kind;
    const char *name, *own; /* with and without the scopes */
} wanted_type;

static sym_type *type_of_entry(sym_module *module, const sym_entry *e, const wanted_type *w, const char *name)
{
    Dwarf_Die die;
    bool may_be = entry_is(e, w->kind) || (w->kind == SYM_TYPE_TYPEDEF && is_tag(e));
    if (!may_be || (w->unit && e->unit != w->unit->index) || !sym_entry_die(module, e, &die))
        return NULL;
    sym_type *type = sym_type_of_die(module, &die);
    bool is_it = w->own == w->name || (type->name && sym_name_means(name, type->name));
    return is_it && (entry_is(e, w->kind) || type->is_cplus) ? type : NULL;
}

/* A template whose arguments a person, or ebb, writes otherwise than the compiler did. */
static sym_type *template_in_module(sym_module *module, const wanted_type *w)
{
    const sym_index *index = sym_module_index(module);
    const char *open = strchr(w->own, '<');
    size_t n = open ? (size_t)(open - w->own) + 1 : 0;
    ebb_buf wanted = {0}, shown = {0};
    sym_type *type = NULL;
    sym_canonical_names(w->own, &wanted);
    for (size_t i = 0; n && i < index->entries.n && !type; i++) {
        const sym_entry *e = &index->entries.items[i];
        if (strncmp(e->name, w->own, n) != 0)
            continue;
        ebb_buf_truncate(&shown, 0);
        sym_canonical_names(e->name, &shown);
        char *full = ebb_asprintf("%.*s%s", (int)(w->own - w->name), w->name, e->name);
        if (strcmp(ebb_buf_text(&wanted), ebb_buf_text(&shown)) == 0)
            type = type_of_entry(module, e, w, full);
        free(full);
    }
    ebb_buf_fini(&wanted);
    ebb_buf_fini(&shown);
    return type;
}

static sym_type *type_in_module(sym_module *module, const sym_unit *unit, sym_type_kind kind,
                                const char *name)
{
    const sym_index *index = sym_module_index(module);
    wanted_type w = {unit, kind, name, sym_name_last_part(name)};
    sym_type *type = NULL;
    for (const sym_entry *e = sym_index_first(index, w.own); e && !type; e = sym_index_next(index, e))
        type = type_of_entry(module, e, &w, name);
    return type || unit ? type : template_in_module(module, &w);
}

sym_type *sym_type_find(sym_table *table, sym_type_kind kind, const char *name, uint64_t near)
{
    place p = place_of(table, near);
    sym_type *type = NULL;
    if (p.function)
        for (sym_block *b = sym_innermost_block(p.function, p.addr); b && !type; b = b->outer)
            type = type_in_block(b, kind, name);
    if (p.unit && !type)
        type = type_in_module(p.module, p.unit, kind, name);
    for (size_t i = 0; i < table->modules.n && !type; i++)
        type = type_in_module(table->modules.items[i], NULL, kind, name);
    return type;
}

/* ---- enumerators ------------------------------------------------------------------------------ */

static bool enumerator_in_type(sym_type *type, const char *name, int64_t *value)
{
    sym_type_complete(type);
    for (size_t i = 0; i < type->n_enumerators; i++)
        if (strcmp(type->enumerators[i].name, name) == 0 ||
            (type->is_cplus && (!type->is_scoped || strstr(name, "::")) && sym_name_means(name, type->enumerators[i].name))) {
            *value = type->enumerators[i].value;
            return true;
        }
    return false;
}

static bool enumerator_in_block(sym_block *block, const char *name, sym_type **type, int64_t *value)
{
    Dwarf_Die die;
    if (dwarf_child(&block->die, &die) != 0)
        return false;
    do {
        if (dwarf_tag(&die) != DW_TAG_enumeration_type)
            continue;
        *type = sym_type_of_die(block->function->unit->module, &die);
        if (enumerator_in_type(*type, name, value))
            return true;
    } while (dwarf_siblingof(&die, &die) == 0);
    return false;
}

/* The last child in front of `offset`. */
static bool child_before(Dwarf_Die *parent, uint64_t offset, Dwarf_Die *found)
{
    Dwarf_Die die;
    bool any = false;
    if (dwarf_child(parent, &die) != 0)
        return false;
    do {
        if (dwarf_dieoffset(&die) > offset)
            break;
        *found = die;
        any = true;
    } while (dwarf_siblingof(&die, &die) == 0);
    return any;
}

static bool is_class_tag(int tag)
{
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

/* The enumeration whose DIE is the last one in front of the enumerator's, perhaps within namespaces, so many, and classes. */
static sym_type *enum_around(sym_module *module, sym_unit *unit, uint64_t offset, size_t *n_namespaces)
{
    Dwarf_Die found = unit->die;
    *n_namespaces = 0;
    for (int depth = 0; depth < 64; depth++) {
        Dwarf_Die inner;
        if (!child_before(&found, offset, &inner))
            return NULL;
        found = inner;
        *n_namespaces += dwarf_tag(&found) == DW_TAG_namespace;
        if (dwarf_tag(&found) != DW_TAG_namespace && !is_class_tag(dwarf_tag(&found)))
            break;
    }
    return found.addr && dwarf_tag(&found) == DW_TAG_enumeration_type
               ? sym_type_of_die(module, &found)
               : NULL;
}

static size_t count_parts(const char *name, size_t nbytes)
{
    int depth = 0;
    size_t n = 1;
    for (size_t i = 0; i + 1 < nbytes; i++) {
        depth += (name[i] == '<') - (name[i] == '>');
        n += depth == 0 && name[i] == ':' && name[i + 1] == ':';
    }
    return n;
}

/* Namespaces may be left out, as they may be in use; a class's name may be only in its own functions. */
static bool may_be_called(const char *name, sym_type *type, size_t n_namespaces, const sym_function *from)
{
    const char *full = type->enumerators[0].name, *around = from ? sym_function_get_info(from)->name : "";
    size_t own = (size_t)(sym_name_last_part(full) - full), n_full = count_parts(full, strlen(full)), n = count_parts(name, strlen(name));
    if (type->is_scoped || n >= n_full || n_full - n <= n_namespaces)
        return true;
    while (own && count_parts(full, own - 2) > n_full - n) /* what is left out, with the "::" after it */
        for (own -= 2; own && strncmp(full + own - 2, "::", 2) != 0;)
            own--;
    return own && strncmp(around, full, own) == 0;
}

typedef struct enumerator_search {
    const char *name;
    const sym_function *from; /* NULL: from outside of every function */
    const sym_unit *unit;     /* NULL: in all of them */
} enumerator_search;

static bool enumerator_in_module(sym_module *module, const enumerator_search *s, sym_type **type, int64_t *value)
{
    const char *name = s->name;
    const sym_unit *unit = s->unit;
    size_t n_namespaces = 0;
    const sym_index *index = sym_module_index(module);
    for (const sym_entry *e = sym_index_first(index, sym_name_last_part(name)); e; e = sym_index_next(index, e)) {
        if (e->kind != SYM_ENTRY_ENUMERATOR || (unit && e->unit != unit->index))
            continue;
        sym_unit *owner = sym_entry_unit(module, e);
        *type = owner ? enum_around(module, owner, e->offset, &n_namespaces) : NULL;
        if (*type && enumerator_in_type(*type, name, value) && may_be_called(name, *type, n_namespaces, s->from))
            return true;
    }
    return false;
}

bool sym_enumerator_find(sym_table *table, const char *name, uint64_t near, sym_type **type,
                         int64_t *value)
{
    place p = place_of(table, near);
    if (p.function)
        for (sym_block *b = sym_innermost_block(p.function, p.addr); b; b = b->outer)
            if (enumerator_in_block(b, name, type, value))
                return true;
    if (p.unit && enumerator_in_module(p.module, &(enumerator_search){name, p.function, p.unit}, type, value))
        return true;
    for (size_t i = 0; i < table->modules.n; i++)
        if (enumerator_in_module(table->modules.items[i], &(enumerator_search){name, p.function, NULL}, type, value))
            return true;
    return false;
}

/* ---- variables -------------------------------------------------------------------------------- */

typedef enum linkage { ANY_LINKAGE, EXTERNAL_ONLY } linkage;

static bool is_in_file(sym_module *module, sym_unit *unit, Dwarf_Die *die, const char *file)
{
    const char *path;
    unsigned line;
    if (!file)
        return true;
    sym_die_decl(module, die, &path, &line);
    if (path && sym_source_matches(&(sym_source){.path = path}, file))
        return true;
    sym_lines *lines = sym_unit_sources(unit);
    return lines->sources.n && sym_source_matches(&lines->sources.items[0], file);
}

/* Whether a variable that C++ has in a namespace or class is meant: by what was written of the way to it, or because `from`, a function's
 * full name, is in the same one or further in.  What has no name for linkers is of this unit only, and has no more to be told apart by. */
static bool is_meant(sym_unit *unit, Dwarf_Die *die, const char *name, const char *from)
{
    const char *mangled = sym_die_linkage_name(die), *own = sym_name_last_part(name);
    char *full = mangled ? sym_demangle(mangled, true) : NULL;
    bool is_it = own != name ? (full ? sym_name_means(name, full) : sym_unit_has_scopes(unit)) : !full || strcmp(full, name) == 0;
    if (full && !is_it) {
        size_t n = (size_t)(sym_name_last_part(full) - full);
        is_it = n > 2 && strncmp(full, from, n) == 0 && strcmp(full + n, name) == 0;
    }
    free(full);
    return is_it;
}

static const sym_variable *variable_in_module(sym_module *module, const sym_unit *unit,
                                              const char *file, const char *name, const char *from, linkage wanted)
{
    const sym_index *index = sym_module_index(module);
    for (const sym_entry *e = sym_index_first(index, sym_name_last_part(name)); e; e = sym_index_next(index, e)) {
        Dwarf_Die die;
        if (e->kind != SYM_ENTRY_VARIABLE || (unit && e->unit != unit->index) ||
            (wanted == EXTERNAL_ONLY && !e->is_external) || !sym_entry_die(module, e, &die) ||
            !is_in_file(module, sym_entry_unit(module, e), &die, file) || !is_meant(sym_entry_unit(module, e), &die, name, from))
            continue;
        return sym_variable_of_die(sym_entry_unit(module, e), &die);
    }
    return NULL;
}

const sym_variable *sym_variable_find(sym_table *table, const char *file, const char *name,
                                      uint64_t near)
{
    place p = place_of(table, near);
    const sym_variable *found = NULL;
    const char *from = p.function ? sym_function_get_info(p.function)->name : "";
    if (p.unit)
        found = variable_in_module(p.module, p.unit, file, name, from, ANY_LINKAGE);
    for (size_t i = 0; i < table->modules.n && !found; i++)
        found = variable_in_module(table->modules.items[i], NULL, file, name, from, EXTERNAL_ONLY);
    for (size_t i = 0; i < table->modules.n && !found; i++)
        found = variable_in_module(table->modules.items[i], NULL, file, name, from, ANY_LINKAGE);
    return found;
}

static const sym_variable *variable_in_tree(sym_block *block, const char *name)
{
    size_t n;
    const sym_variable *const *variables = sym_block_variables(block, &n);
    for (size_t i = 0; i < n; i++)
        if (strcmp(variables[i]->info.name, name) == 0)
            return variables[i];
    for (sym_block *child = block->first_child; child; child = child->next) {
        const sym_variable *found =
            child->function == block->function ? variable_in_tree(child, name) : NULL;
        if (found)
            return found;
    }
    return NULL;
}

const sym_variable *sym_variable_in_function(sym_table *table, const char *function,
                                             const char *name)
{
    const sym_function *found = sym_function_find(table, function);
    if (!found)
        return NULL;
    sym_function_read_tree(found->concrete);
    return variable_in_tree(found->block, name);
}
