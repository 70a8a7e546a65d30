/* macros.c - reads a unit's macros through libdw.  See macros.h. */
#include "symbols/macros.h"
#include "base/text.h"
#include "symbols/lines.h"

#include <string.h>

typedef enum event_kind { DEFINED, UNDEFINED, FILE_BEGINS, FILE_ENDS } event_kind;

/* Something that the preprocessor did. */
typedef struct macro_event {
    event_kind kind;
    unsigned line;
    const char *text; /* of a macro: as after #define; of a file: its path */
} macro_event;

struct sym_macros {
    EBB_VEC(macro_event) events;
};

enum { MAX_EVENTS = 1 << 22, MAX_IMPORTS = 64 };

/* ---- reading ---------------------------------------------------------------------------------- */

typedef struct reading {
    sym_unit *unit;
    sym_macros *macros;
    unsigned n_imports; /* within each other */
} reading;

static void add(reading *r, event_kind kind, Dwarf_Word line, const char *text)
{
    if (text && r->macros->events.n < MAX_EVENTS)
        ebb_vec_push(&r->macros->events, ((macro_event){kind, (unsigned)line, text}));
}

static int read_one(Dwarf_Macro *macro, void *self);

/* What several units have in common stands in one place. */
static void import(reading *r, Dwarf_Macro *macro)
{
    Dwarf_Attribute at;
    Dwarf_Word offset;
    if (r->n_imports >= MAX_IMPORTS || dwarf_macro_param(macro, 0, &at) != 0 || dwarf_formudata(&at, &offset) != 0)
        return;
    r->n_imports++;
    dwarf_getmacros_off(r->unit->module->dwarf, offset, read_one, r, DWARF_GETMACROS_START);
    r->n_imports--;
}

static int read_one(Dwarf_Macro *macro, void *self)
{
    reading *r = self;
    unsigned opcode;
    Dwarf_Word line = 0, file = 0;
    const char *text = NULL;
    if (dwarf_macro_opcode(macro, &opcode) != 0)
        return DWARF_CB_OK;
    switch (opcode) {
    case DW_MACRO_define:
    case DW_MACRO_define_strp:
    case DW_MACRO_undef:
    case DW_MACRO_undef_strp:
        if (dwarf_macro_param1(macro, &line) == 0 && dwarf_macro_param2(macro, NULL, &text) == 0)
            add(r, opcode == DW_MACRO_undef || opcode == DW_MACRO_undef_strp ? UNDEFINED : DEFINED, line, text);
        break;
    case DW_MACRO_start_file:
        if (dwarf_macro_param1(macro, &line) == 0 && dwarf_macro_param2(macro, &file, NULL) == 0) {
            text = sym_unit_file_path(r->unit, file, NULL);
            add(r, FILE_BEGINS, line, text ? text : "?");
        }
        break;
    case DW_MACRO_end_file: add(r, FILE_ENDS, 0, ""); break;
    case DW_MACRO_import: import(r, macro); break;
    default: break;
    }
    return DWARF_CB_OK;
}

static const sym_macros *macros_of(sym_unit *unit)
{
    if (unit->macros)
        return unit->macros;
    unit->macros = EBB_NEW(sym_macros);
    reading r = {.unit = unit, .macros = unit->macros};
    Dwarf_Die *die = unit->split ? &unit->die : &unit->skeleton;
    if (sym_die_has(die, DW_AT_macros) || sym_die_has(die, DW_AT_GNU_macros) || sym_die_has(die, DW_AT_macro_info))
        dwarf_getmacros(die, read_one, &r, DWARF_GETMACROS_START);
    return unit->macros;
}

void sym_macros_free(sym_macros *macros)
{
    if (macros)
        ebb_vec_fini(&macros->events);
    free(macros);
}

/* ---- where ------------------------------------------------------------------------------------ */

static bool is_main_file(sym_unit *unit, const char *file)
{
    const sym_lines *lines = sym_unit_open(unit) ? sym_unit_sources(unit) : NULL;
    return lines && lines->sources.n && strcmp(lines->sources.items[0].path, file) == 0;
}

static bool includes(sym_unit *unit, const char *file)
{
    const sym_macros *macros = sym_unit_open(unit) ? macros_of(unit) : NULL;
    for (size_t i = 0; macros && i < macros->events.n; i++)
        if (macros->events.items[i].kind == FILE_BEGINS && strcmp(macros->events.items[i].text, file) == 0)
            return true;
    return false;
}

static sym_unit *unit_of_file(sym_table *table, const char *file, bool (*fits)(sym_unit *unit, const char *file))
{
    for (size_t i = 0; file && i < sym_table_n_modules(table); i++) {
        sym_module *module = sym_table_module(table, i);
        sym_units_read(module);
        for (size_t k = 0; k < module->units.n; k++)
            if (fits(module->units.items[k], file))
                return module->units.items[k];
    }
    return NULL;
}

static sym_unit *unit_of(sym_table *table, const sym_macro_scope *scope)
{
    sym_module *module = scope->pc ? sym_module_at(table, scope->pc) : NULL;
    if (scope->pc)
        return module ? sym_unit_at(module, scope->pc - module->bias) : NULL;
    sym_unit *unit = unit_of_file(table, scope->file, is_main_file);
    return unit ? unit : unit_of_file(table, scope->file, includes);
}

/* How many events came before that line. */
static size_t events_before(const sym_macros *macros, const sym_macro_scope *scope)
{
    unsigned depth = 0, found_at = 0;
    for (size_t i = 0; i < macros->events.n; i++) {
        const macro_event *e = &macros->events.items[i];
        if (found_at && depth == found_at && (e->kind == FILE_ENDS || e->line > scope->line))
            return i;
        depth += e->kind == FILE_BEGINS;
        depth -= e->kind == FILE_ENDS && depth;
        if (e->kind == FILE_BEGINS && !found_at && scope->file && strcmp(e->text, scope->file) == 0)
            found_at = depth;
    }
    return macros->events.n;
}

/* ---- one macro -------------------------------------------------------------------------------- */

static size_t name_length(const char *text)
{
    return strcspn(text, "( ");
}

static bool is_named(const macro_event *e, const char *name, size_t n)
{
    return e->kind <= UNDEFINED && name_length(e->text) == n && strncmp(e->text, name, n) == 0;
}

/* The files that are open when event `at` comes, innermost first. */
static void tell_files(const sym_macros *macros, size_t at, sym_macro *out)
{
    const macro_event *open[SYM_MACRO_MAX_DEPTH];
    size_t n = 0;
    for (size_t i = 0; i < at; i++) {
        const macro_event *e = &macros->events.items[i];
        if (e->kind == FILE_BEGINS && n < SYM_MACRO_MAX_DEPTH)
            open[n++] = e;
        n -= e->kind == FILE_ENDS && n;
    }
    out->file = n ? open[n - 1]->text : "";
    out->n_includers = n ? n - 1 : 0;
    for (size_t i = 0; i < out->n_includers; i++) {
        out->includers[i] = open[n - 2 - i]->text;
        out->include_lines[i] = open[n - 1 - i]->line;
    }
}

/* "ADD(x,y) ((x) + (y))" */
static void describe(sym_unit *unit, size_t at, sym_macro *out)
{
    ebb_arena *arena = &unit->module->arena;
    const macro_event *e = &unit->macros->events.items[at];
    size_t n = name_length(e->text);
    const char *rest = e->text + n, *close = *rest == '(' ? strchr(rest, ')') : NULL;
    *out = (sym_macro){.name = ebb_arena_strndup(arena, e->text, n), .line = e->line};
    if (close)
        out->parameters = ebb_arena_strndup(arena, rest + 1, (size_t)(close - rest - 1));
    rest = close ? close + 1 : rest;
    out->body = *rest == ' ' ? rest + 1 : rest;
    tell_files(unit->macros, at, out);
    if (!*out->file && unit->name)
        out->file = sym_unit_file_path(unit, unit->version >= 5 ? 0 : 1, NULL);
}

bool sym_macros_known(sym_table *table, const sym_macro_scope *scope)
{
    sym_unit *unit = unit_of(table, scope);
    return unit && macros_of(unit)->events.n;
}

bool sym_macro_find(sym_table *table, const sym_macro_scope *scope, const char *name, sym_macro *macro)
{
    sym_unit *unit = unit_of(table, scope);
    const sym_macros *macros = unit ? macros_of(unit) : NULL;
    size_t n = strlen(name);
    for (size_t i = macros ? events_before(macros, scope) : 0; i-- > 0;) {
        if (!is_named(&macros->events.items[i], name, n))
            continue;
        if (macros->events.items[i].kind == UNDEFINED)
            return false;
        describe(unit, i, macro);
        return true;
    }
    return false;
}

/* ---- many macros ------------------------------------------------------------------------------ */

static int by_name(const void *a, const void *b)
{
    const macro_event *x = *(const macro_event *const *)a, *y = *(const macro_event *const *)b;
    size_t n = name_length(x->text), m = name_length(y->text);
    int order = strncmp(x->text, y->text, n < m ? n : m);
    if (order || n != m)
        return order ? order : n < m ? -1 : 1;
    return x < y ? -1 : x > y;
}

typedef EBB_VEC(const macro_event *) event_list;

/* What was done before the scope's line, or to one name anywhere. */
static void choose(const sym_macros *macros, const sym_macro_scope *scope, const char *name, event_list *chosen)
{
    size_t n = name ? macros->events.n : events_before(macros, scope);
    for (size_t i = 0; i < n; i++) {
        const macro_event *e = &macros->events.items[i];
        if (e->kind <= UNDEFINED && (!name || is_named(e, name, strlen(name))))
            ebb_vec_push(chosen, e);
    }
    if (!name && chosen->n)
        qsort(chosen->items, chosen->n, sizeof *chosen->items, by_name);
}

void sym_macro_each(sym_table *table, const sym_macro_scope *scope, const char *name, void (*tell)(void *self, const sym_macro *macro), void *self)
{
    sym_unit *unit = unit_of(table, scope);
    event_list chosen = {0};
    if (!unit)
        return;
    choose(macros_of(unit), scope, name, &chosen);
    for (size_t i = 0; i < chosen.n; i++) {
        const macro_event *e = chosen.items[i], *next = i + 1 < chosen.n ? chosen.items[i + 1] : NULL;
        bool is_over = !name && next && is_named(next, e->text, name_length(e->text));
        sym_macro macro;
        if (e->kind != DEFINED || is_over)
            continue;
        describe(unit, (size_t)(e - unit->macros->events.items), &macro);
        tell(self, &macro);
    }
    ebb_vec_fini(&chosen);
}
