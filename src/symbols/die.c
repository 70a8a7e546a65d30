/* Small questions to a DIE, with what libdw leaves to its callers: broken references end a chain,
 * ranges of removed code are dropped, file numbers become paths. */
#include "symbols/symbols_private.h"
#include "symbols/lines.h"

#include <string.h>

/* How many abstract origins and specifications may follow each other. */
enum { MAX_ORIGINS = 16, MAX_RANGES = 65536 };

bool sym_die_has(Dwarf_Die *die, unsigned name)
{
    return dwarf_hasattr(die, name) == 1;
}

bool sym_die_flag(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attr;
    bool flag = false;
    return dwarf_attr(die, name, &attr) && dwarf_formflag(&attr, &flag) == 0 && flag;
}

bool sym_die_unsigned(Dwarf_Die *die, unsigned name, uint64_t *value)
{
    Dwarf_Attribute attr;
    Dwarf_Word word;
    if (!dwarf_attr(die, name, &attr) || dwarf_formudata(&attr, &word) != 0)
        return false;
    *value = word;
    return true;
}

bool sym_die_ref(Dwarf_Die *die, unsigned name, Dwarf_Die *target)
{
    Dwarf_Attribute attr;
    return dwarf_attr(die, name, &attr) && dwarf_formref_die(&attr, target) &&
           dwarf_tag(target) != DW_TAG_invalid;
}

const char *sym_die_own_name(Dwarf_Die *die)
{
    Dwarf_Attribute attr;
    return dwarf_formstring(dwarf_attr(die, DW_AT_name, &attr));
}

/* Moves to what `die` is an instance or the definition of. */
static bool next_origin(Dwarf_Die *die)
{
    Dwarf_Die origin;
    if (!sym_die_ref(die, DW_AT_abstract_origin, &origin) &&
        !sym_die_ref(die, DW_AT_specification, &origin))
        return false;
    *die = origin;
    return true;
}

/* The DIE in the chain of origins that has the attribute. */
static bool origin_with(Dwarf_Die *die, unsigned name, Dwarf_Die *found)
{
    *found = *die;
    for (int i = 0; i < MAX_ORIGINS; i++) {
        if (sym_die_has(found, name))
            return true;
        if (!next_origin(found))
            return false;
    }
    return false;
}

const char *sym_die_name(Dwarf_Die *die)
{
    Dwarf_Die named;
    return origin_with(die, DW_AT_name, &named) ? sym_die_own_name(&named) : NULL;
}

const char *sym_die_linkage_name(Dwarf_Die *die)
{
    Dwarf_Attribute attr;
    const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attr));
    return name ? name
                : dwarf_formstring(dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr));
}

bool sym_die_type(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Die typed;
    return origin_with(die, DW_AT_type, &typed) && sym_die_ref(&typed, DW_AT_type, type);
}

void sym_die_decl(sym_module *module, Dwarf_Die *die, const char **file, unsigned *line)
{
    Dwarf_Die at;
    uint64_t value;
    *file = NULL;
    *line = 0;
    if (!origin_with(die, DW_AT_decl_line, &at) || !sym_die_unsigned(&at, DW_AT_decl_line, &value))
        return;
    *line = (unsigned)value;
    /* The file may be inherited further up the chain than the line. */
    if (!origin_with(&at, DW_AT_decl_file, &at) || !sym_die_unsigned(&at, DW_AT_decl_file, &value))
        return;
    sym_unit *unit = sym_unit_of_die(module, &at);
    if (unit)
        *file = sym_unit_file_path(unit, value, NULL);
}

bool sym_ranges_cover(const sym_range *ranges, size_t n, uint64_t addr)
{
    for (size_t i = 0; i < n; i++)
        if (addr >= ranges[i].lo && addr < ranges[i].hi)
            return true;
    return false;
}

size_t sym_die_ranges(sym_module *module, Dwarf_Die *die, ebb_arena *arena, sym_range **ranges)
{
    sym_ranges found = {0};
    Dwarf_Addr base, lo, hi;
    ptrdiff_t at = 0;
    *ranges = NULL;
    while (found.n < MAX_RANGES && (at = dwarf_ranges(die, at, &base, &lo, &hi)) > 0) {
        if (lo >= hi || !sym_module_has_code_at(module, lo))
            continue;
        sym_range range = {lo, hi};
        ebb_vec_push(&found, range);
    }
    if (found.n) {
        *ranges = EBB_ARENA_ARRAY(arena, sym_range, found.n);
        memcpy(*ranges, found.items, found.n * sizeof **ranges);
    }
    size_t n = found.n;
    ebb_vec_fini(&found);
    return n;
}
