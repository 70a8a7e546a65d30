/* scopes.c - see scopes.h. */
#include "symbols/scopes.h"

#include <stdlib.h>

enum { MAX_DEPTH = 64 };

bool sym_unit_has_scopes(sym_unit *unit)
{
    switch (unit->language) {
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:
    case DW_LANG_Rust: return true;
    default: return false;
    }
}

bool sym_unit_is_rust(sym_unit *unit)
{
    return unit->language == DW_LANG_Rust;
}

static bool is_scope(int tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

static bool has_scoped_name(int tag)
{
    return is_scope(tag) || tag == DW_TAG_enumeration_type || tag == DW_TAG_typedef;
}

static void note_children(sym_module *module, Dwarf_Die *parent, const char *prefix, int depth)
{
    Dwarf_Die die;
    if (depth > MAX_DEPTH || dwarf_child(parent, &die) != 0)
        return;
    do {
        int tag = dwarf_tag(&die);
        const char *own = has_scoped_name(tag) ? sym_die_own_name(&die) : NULL;
        if (!own && tag == DW_TAG_namespace)
            own = "(anonymous namespace)";
        const char *full = own && prefix ? ebb_arena_printf(&module->arena, "%s::%s", prefix, own) : own;
        if (own && prefix)
            ebb_map_set_u64(module->scoped_names, (uintptr_t)die.addr, (void *)full);
        if (is_scope(tag))
            note_children(module, &die, full ? full : prefix, depth + 1);
    } while (dwarf_siblingof(&die, &die) == 0);
}

const char *sym_die_scoped_name(sym_module *module, Dwarf_Die *die)
{
    sym_unit *unit = sym_unit_of_die(module, die);
    if (!unit || !sym_unit_has_scopes(unit))
        return sym_die_own_name(die);
    if (!unit->scopes_read) {
        unit->scopes_read = true;
        note_children(module, &unit->die, NULL, 0);
    }
    const char *full = ebb_map_get_u64(module->scoped_names, (uintptr_t)die->addr);
    return full ? full : sym_die_own_name(die);
}

/* The declaration, if the DIE is the definition of one, or an instance. */
static void to_declaration(Dwarf_Die *die)
{
    enum { MAX_ORIGINS = 8 };
    Dwarf_Attribute attr;
    for (int i = 0; i < MAX_ORIGINS; i++)
        if (!(dwarf_attr(die, DW_AT_specification, &attr) || dwarf_attr(die, DW_AT_abstract_origin, &attr)) || !dwarf_formref_die(&attr, die))
            return;
}

/* The classes around it up to the function in which they stand; NULL: none has a name. */
static const char *local_classes(sym_module *module, Dwarf_Die *scopes, int function)
{
    const char *around = NULL;
    for (int i = function - 1; i > 0; i--) {
        const char *own = is_scope(dwarf_tag(&scopes[i])) ? sym_die_own_name(&scopes[i]) : NULL;
        if (own)
            around = around ? ebb_arena_printf(&module->arena, "%s::%s", around, own) : own;
    }
    return around;
}

/* What the name is qualified with. */
static const char *scope_around(sym_module *module, Dwarf_Die *scopes, int n)
{
    for (int i = 1; i < n; i++)
        if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram)
            return local_classes(module, scopes, i);
    if (n <= 2 || !is_scope(dwarf_tag(&scopes[1])))
        return NULL;
    const char *around = sym_die_scoped_name(module, &scopes[1]);
    return around ? around : "(anonymous namespace)";
}

const char *sym_die_function_name(sym_module *module, Dwarf_Die *die)
{
    const char *own = sym_die_name(die);
    sym_unit *unit = sym_unit_of_die(module, die);
    Dwarf_Die declared = *die, *scopes = NULL;
    if (!own || !unit || !sym_unit_has_scopes(unit))
        return own;
    to_declaration(&declared);
    int n = dwarf_getscopes_die(&declared, &scopes);
    const char *around = scope_around(module, scopes, n);
    free(scopes);
    return around ? ebb_arena_printf(&module->arena, "%s::%s", around, own) : own;
}
