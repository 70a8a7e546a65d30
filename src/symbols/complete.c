/* Lists of names: source files and completion. */
#include "symbols/index.h"
#include "symbols/lines.h"
#include "base/text.h"

#include <string.h>

static int compare_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void sort_unique(sym_names *names)
{
    if (names->n == 0)
        return;
    qsort(names->items, names->n, sizeof *names->items, compare_text);
    size_t kept = 1;
    for (size_t i = 1; i < names->n; i++)
        if (strcmp(names->items[i], names->items[kept - 1]) != 0)
            names->items[kept++] = names->items[i];
    names->n = kept;
}

/* ---- source files ----------------------------------------------------------------------------- */

static void add_sources_of(sym_unit *unit, const char *match, sym_names *files)
{
    sym_lines *lines = sym_unit_sources(unit);
    for (size_t i = 0; i < lines->sources.n; i++)
        if (!match || sym_source_matches(&lines->sources.items[i], match))
            ebb_vec_push(files, lines->sources.items[i].path);
}

void sym_source_files(sym_table *table, const char *match, sym_names *files)
{
    for (size_t m = 0; m < table->modules.n; m++) {
        sym_module *module = table->modules.items[m];
        sym_units_read(module);
        for (size_t u = 0; u < module->units.n; u++)
            add_sources_of(module->units.items[u], match, files);
    }
    sort_unique(files);
}

/* Whether the file is the unit's main one (LT4), or another that it was made from. */
static bool is_source_of(sym_unit *unit, const char *file, bool *is_main)
{
    sym_lines *lines = sym_unit_sources(unit);
    *is_main = unit->name && lines->sources.n && sym_source_matches(&lines->sources.items[0], file);
    for (size_t i = 0; i < lines->sources.n; i++)
        if (sym_source_matches(&lines->sources.items[i], file))
            return true;
    return false;
}

bool sym_source_origin(sym_table *table, const char *file, sym_origin *origin)
{
    bool found = false, is_main = false;
    for (size_t m = 0; m < table->modules.n && !is_main; m++) {
        sym_module *module = table->modules.items[m];
        sym_units_read(module);
        for (size_t u = 0; u < module->units.n && !is_main; u++) {
            sym_unit *unit = module->units.items[u];
            if (!is_source_of(unit, file, &is_main) || (found && !is_main))
                continue;
            found = true;
            *origin = (sym_origin){
                .producer = unit->producer,
                .language = sym_unit_language(unit),
                .directory = unit->comp_dir,
                .dwarf_version = unit->version,
                .has_macros = sym_die_has(&unit->die, DW_AT_macros) ||
                              sym_die_has(&unit->die, DW_AT_GNU_macros) ||
                              sym_die_has(&unit->die, DW_AT_macro_info),
            };
        }
    }
    return found;
}

/* ---- completion ------------------------------------------------------------------------------- */

unsigned sym_names_of_kind(uint8_t kind)
{
    switch (kind) {
    case SYM_ENTRY_FUNCTION:
    case SYM_ENTRY_INLINE: return SYM_NAMES_FUNCTIONS;
    case SYM_ENTRY_VARIABLE:
    case SYM_ENTRY_ENUMERATOR: return SYM_NAMES_VARIABLES;
    default: return SYM_NAMES_TYPES;
    }
}

static void complete_entries(sym_module *module, const char *prefix, unsigned kinds,
                             sym_names *names)
{
    const sym_index *index = sym_module_index(module);
    for (size_t i = 0; i < index->entries.n; i++) {
        const sym_entry *e = &index->entries.items[i];
        if ((sym_names_of_kind(e->kind) & kinds) && ebb_text_starts(e->name, prefix))
            ebb_vec_push(names, e->name);
    }
}

static void complete_symbols(sym_module *module, const char *prefix, unsigned kinds,
                             sym_names *names)
{
    sym_symbols_read(module);
    for (size_t i = 0; i < module->symbols.n; i++) {
        const sym_symbol *s = &module->symbols.items[i];
        unsigned kind = s->type == STT_FUNC || s->type == STT_GNU_IFUNC ? SYM_NAMES_FUNCTIONS
                        : s->type == STT_OBJECT                         ? SYM_NAMES_VARIABLES
                                                                        : 0;
        if ((kind & kinds) && !s->is_plt && ebb_text_starts(s->name, prefix))
            ebb_vec_push(names, s->name);
    }
}

static void complete_files(sym_module *module, const char *prefix, sym_names *names)
{
    sym_units_read(module);
    for (size_t u = 0; u < module->units.n; u++) {
        sym_lines *lines = sym_unit_sources(module->units.items[u]);
        for (size_t i = 0; i < lines->sources.n; i++) {
            const char *base = ebb_path_base(lines->sources.items[i].path);
            if (ebb_text_starts(base, prefix))
                ebb_vec_push(names, base);
        }
    }
}

void sym_complete(sym_table *table, const char *prefix, unsigned kinds, size_t max,
                  sym_names *names)
{
    sym_names found = {0};
    for (size_t m = 0; m < table->modules.n; m++) {
        sym_module *module = table->modules.items[m];
        complete_entries(module, prefix, kinds, &found);
        complete_symbols(module, prefix, kinds, &found);
        if (kinds & SYM_NAMES_FILES)
            complete_files(module, prefix, &found);
    }
    sort_unique(&found);
    for (size_t i = 0; i < found.n && i < max; i++)
        ebb_vec_push(names, found.items[i]);
    ebb_vec_fini(&found);
}
