/* listing.c - `info functions` and its kin: what there is, with its declaration. */
#include "symbols/demangle.h"
#include "symbols/index.h"
#include "symbols/lines.h"
#include "symbols/scopes.h"
#include "base/text.h"

#include <regex.h>
#include <string.h>

/* One that matches.  Texts are owned. */
typedef struct found {
    char *file; /* as the unit's line table has it; NULL: no place is known */
    unsigned line;
    char *name; /* C++: with scopes and parameters */
    char *declaration;
    uint64_t addr; /* without debug information */
} found;

typedef EBB_VEC(found) found_list;

typedef struct listing {
    const regex_t *pattern;
    sym_name_kind kind;
    found_list list;
} listing;

static bool is_cplus(sym_unit *unit)
{
    return unit && strcmp(sym_unit_language(unit), "c++") == 0;
}

/* As the unit's line table has it, which is how gdb shows files. */
static const char *name_of_file(sym_unit *unit, const char *path)
{
    const sym_lines *lines = unit ? sym_unit_sources(unit) : NULL;
    for (size_t i = 0; lines && i < lines->sources.n; i++)
        if (strcmp(lines->sources.items[i].path, path) == 0)
            return lines->sources.items[i].name;
    return path;
}

/* ---- names ------------------------------------------------------------------------------------ */

/* The name by which it is looked for, and shown.  free() */
static char *name_of(sym_module *module, const sym_entry *entry, Dwarf_Die *die)
{
    sym_unit *unit = sym_entry_unit(module, entry);
    unsigned kind = sym_names_of_kind(entry->kind);
    if (!is_cplus(unit))
        return ebb_strdup(entry->name);
    if (kind == SYM_NAMES_FUNCTIONS) {
        sym_function_info info;
        sym_function_names(unit, die, &info);
        return ebb_strdup(info.full_name);
    }
    const char *linkage = kind == SYM_NAMES_VARIABLES ? sym_die_linkage_name(die) : NULL;
    char *demangled = linkage ? sym_demangle(linkage, true) : NULL;
    if (demangled)
        return demangled;
    const char *scoped = sym_die_function_name(module, die);
    return ebb_strdup(scoped ? scoped : entry->name);
}

/* ---- declarations ----------------------------------------------------------------------------- */

static void declare_function(sym_type *type, const char *name, bool is_cplus_one, ebb_buf *out)
{
    sym_type *result = type->target;
    if (!is_cplus_one) {
        sym_type_declare(type, name, out);
        return;
    }
    if (result)
        sym_type_print(result, out);
    else
        ebb_buf_adds(out, "void");
    bool is_pointer = out->n && strchr("*&", out->data[out->n - 1]);
    ebb_buf_addf(out, "%s%s", is_pointer ? "" : " ", name);
}

static void declare(sym_module *module, const sym_entry *entry, Dwarf_Die *die, const char *name, ebb_buf *out)
{
    unsigned kind = sym_names_of_kind(entry->kind);
    sym_type *type = kind == SYM_NAMES_VARIABLES ? sym_type_of_attr(module, die) : sym_type_of_die(module, die);
    if (kind != SYM_NAMES_TYPES && !entry->is_external)
        ebb_buf_adds(out, "static ");
    if (kind == SYM_NAMES_FUNCTIONS) {
        declare_function(type, name, is_cplus(sym_entry_unit(module, entry)), out);
    } else if (kind == SYM_NAMES_VARIABLES) {
        sym_type_declare(type, name, out);
    } else if (type->kind == SYM_TYPE_TYPEDEF) {
        ebb_buf_adds(out, "typedef ");
        sym_type_declare(type->target, entry->name, out);
    } else {
        sym_type_print(type, out);
    }
    ebb_buf_addc(out, ';');
}

static void list_entry(listing *l, sym_module *module, const sym_entry *entry)
{
    Dwarf_Die die;
    const char *file;
    found one = {0};
    if (entry->kind == SYM_ENTRY_ENUMERATOR || sym_names_of_kind(entry->kind) != (unsigned)l->kind || !sym_entry_die(module, entry, &die))
        return;
    one.name = name_of(module, entry, &die);
    if (regexec(l->pattern, one.name, 0, NULL, 0) != 0) {
        free(one.name);
        return;
    }
    ebb_buf text = {0};
    declare(module, entry, &die, one.name, &text);
    one.declaration = ebb_buf_take(&text);
    sym_die_decl(module, &die, &file, &one.line);
    one.file = file ? ebb_strdup(name_of_file(sym_entry_unit(module, entry), file)) : NULL;
    ebb_vec_push(&l->list, one);
}

/* ---- symbols ---------------------------------------------------------------------------------- */

/* Whether an entry of the index describes it. */
static bool is_described(sym_module *module, const char *symbol, const char *shown)
{
    const sym_index *index = sym_module_index(module); /* its names have no scopes */
    if (sym_index_first(index, symbol))
        return true;
    char *base = sym_name_base(shown);
    bool is_it = false;
    for (const sym_entry *e = sym_index_first(index, base); e && !is_it; e = sym_index_next(index, e)) {
        Dwarf_Die die;
        if (!sym_entry_die(module, e, &die))
            continue;
        char *name = name_of(module, e, &die); /* a constructor has several symbols */
        is_it = strcmp(name, shown) == 0;
        free(name);
    }
    free(base);
    return is_it;
}

static void list_symbol(listing *l, sym_module *module, const sym_symbol *symbol)
{
    bool is_function = symbol->type == STT_FUNC || symbol->type == STT_GNU_IFUNC;
    bool wanted = (l->kind == SYM_NAMES_FUNCTIONS && is_function) || (l->kind == SYM_NAMES_VARIABLES && symbol->type == STT_OBJECT);
    const char *shown = wanted ? sym_shown_name(module->table, symbol->name) : NULL;
    if (!wanted || regexec(l->pattern, shown, 0, NULL, 0) != 0 || is_described(module, symbol->name, shown))
        return;
    uint64_t addr = symbol->addr + module->bias;
    found one = {.name = ebb_strdup(shown), .addr = addr, .declaration = ebb_asprintf("0x%016llx  %s", (unsigned long long)addr, shown)};
    ebb_vec_push(&l->list, one);
}

/* ---- lists ------------------------------------------------------------------------------------ */

/* By file, then by name; what has no file comes last, by address. */
static int compare(const void *a, const void *b)
{
    const found *x = a, *y = b;
    if (!x->file != !y->file)
        return x->file ? -1 : 1;
    if (!x->file)
        return x->addr < y->addr ? -1 : x->addr > y->addr ? 1 : strcmp(x->name, y->name);
    int order = strcmp(x->file, y->file);
    order = order ? order : strcmp(x->name, y->name);
    return order ? order : x->line < y->line ? -1 : x->line > y->line ? 1 : strcmp(x->declaration, y->declaration);
}

static bool is_same(const found *a, const found *b)
{
    return compare(a, b) == 0;
}

static void collect(sym_table *table, listing *l)
{
    for (size_t m = 0; m < table->modules.n; m++) {
        sym_module *module = table->modules.items[m];
        const sym_index *index = sym_module_index(module);
        for (size_t i = 0; i < index->entries.n; i++)
            list_entry(l, module, &index->entries.items[i]);
        sym_symbols_read(module);
        for (size_t i = 0; i < module->symbols.n; i++)
            list_symbol(l, module, &module->symbols.items[i]);
    }
    if (l->list.n)
        qsort(l->list.items, l->list.n, sizeof *l->list.items, compare);
}

/* Tells the first ones; how many are left out. */
static size_t tell(const found_list *list, const sym_searcher *to)
{
    size_t n = 0;
    for (size_t i = 0; i < list->n; i++) {
        const found *one = &list->items[i];
        if (i > 0 && is_same(one - 1, one))
            continue;
        if (n++ < to->at_most)
            to->found(to->self, &(sym_listed){one->file, one->line, one->name, one->declaration});
    }
    return n > to->at_most ? n - to->at_most : 0;
}

static void found_fini(found_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        free(list->items[i].file);
        free(list->items[i].name);
        free(list->items[i].declaration);
    }
    ebb_vec_fini(list);
}

ebb_status sym_search(sym_table *table, const char *regex, sym_name_kind kind, const sym_searcher *to, size_t *n_left_out, ebb_error *err)
{
    regex_t pattern;
    int failure = regcomp(&pattern, regex, REG_EXTENDED | REG_NOSUB);
    if (failure) {
        char why[128];
        regerror(failure, &pattern, why, sizeof why);
        return ebb_fail(err, EBB_BAD_INPUT, "Invalid regexp: %s", why);
    }
    listing l = {.pattern = &pattern, .kind = kind};
    collect(table, &l);
    regfree(&pattern);
    *n_left_out = tell(&l.list, to);
    found_fini(&l.list);
    return EBB_OK;
}
