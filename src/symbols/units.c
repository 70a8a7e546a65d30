/* Units: finding them by offset and by address, and opening them. */
#include "symbols/symbols_private.h"
#include "symbols/abbrev.h"
#include "symbols/reader.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* ---- headers ---------------------------------------------------------------------------------- */

static bool read_header_fields(sym_reader *r, sym_unit *unit)
{
    unit->version = sym_read_u16(r);
    if (unit->version < 2 || unit->version > 5)
        return false;
    if (unit->version >= 5) {
        unit->unit_type = sym_read_u8(r);
        sym_read_u8(r); /* size of addresses */
        unit->abbrev_offset = sym_read_fixed(r, unit->offset_size);
        if (unit->unit_type == DW_UT_skeleton || unit->unit_type == DW_UT_split_compile)
            sym_read_u64(r); /* id of the split file */
    } else {
        unit->unit_type = unit->is_in_types ? DW_UT_type : 0;
        unit->abbrev_offset = sym_read_fixed(r, unit->offset_size);
        sym_read_u8(r);
    }
    if (unit->unit_type == DW_UT_type || unit->unit_type == DW_UT_split_type) {
        sym_read_u64(r); /* signature */
        sym_read_fixed(r, unit->offset_size);
    }
    return !r->failed;
}

sym_bytes sym_unit_section(const sym_unit *unit)
{
    return unit->is_in_types ? unit->sections->types : unit->sections->info;
}

bool sym_unit_read_header(sym_unit *unit, sym_bytes section, uint64_t offset)
{
    sym_reader r = sym_reader_at(section, offset);
    unit->dies_start = unit->dies_end = offset;
    if (!sym_read_unit_length(&r, &unit->offset_size))
        return false;
    unit->dies_end = (uint64_t)(r.end - section.data);
    bool is_known = read_header_fields(&r, unit);
    unit->die_offset = (uint64_t)(r.at - section.data);
    return is_known;
}

/* Adds the unit at `offset` and returns where the next one is; 0 if that can't be known. */
static uint64_t add_unit(sym_module *module, bool is_in_types, uint64_t offset)
{
    sym_unit header = {.module = module, .is_in_types = is_in_types, .offset = offset, .sections = &module->sections};
    bool is_known = sym_unit_read_header(&header, sym_unit_section(&header), offset);
    header.end = header.dies_end;
    if (header.end == offset) {
        sym_module_warn(module,
                        "broken debug information: a unit at 0x%llx runs out of the section",
                        (unsigned long long)offset);
        return 0;
    }
    if (!is_known) {
        sym_module_warn(module, "a unit of an unknown kind at 0x%llx is left out",
                        (unsigned long long)offset);
        return header.end;
    }
    header.index = module->units.n;
    sym_unit *unit = EBB_ARENA_NEW(&module->arena, sym_unit);
    *unit = header;
    ebb_vec_push(&module->units, unit);
    return header.end;
}

static void read_units_of(sym_module *module, sym_bytes section, bool is_in_types)
{
    uint64_t offset = 0;
    while (offset < section.n && (offset = add_unit(module, is_in_types, offset)))
        ;
}

void sym_units_read(sym_module *module)
{
    if (module->units_read)
        return;
    module->units_read = true;
    if (!sym_module_dwarf(module))
        return;
    read_units_of(module, module->sections.info, false);
    module->n_info_units = module->units.n;
    read_units_of(module, module->sections.types, true);
}

sym_unit *sym_unit_of_offset(sym_module *module, uint64_t offset)
{
    sym_units_read(module);
    size_t lo = 0, hi = module->n_info_units;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (module->units.items[mid]->end <= offset)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == module->n_info_units || offset < module->units.items[lo]->offset)
        return NULL;
    return module->units.items[lo];
}

static sym_unit *type_unit_of(sym_module *module, const uint8_t *at)
{
    const uint8_t *types = module->sections.types.data;
    for (size_t i = module->n_info_units; i < module->units.n; i++) {
        sym_unit *unit = module->units.items[i];
        if (at >= types + unit->offset && at < types + unit->end)
            return unit;
    }
    return NULL;
}

sym_unit *sym_unit_of_die(sym_module *module, Dwarf_Die *die)
{
    Dwarf *dwarf = die->cu ? dwarf_cu_getdwarf(die->cu) : NULL;
    if (!dwarf)
        return NULL;
    if (dwarf != module->dwarf)
        return module->split_units ? ebb_map_get_u64(module->split_units, (uintptr_t)dwarf) : NULL;
    const uint8_t *at = die->addr;
    sym_bytes info = module->sections.info;
    if (at < info.data || at >= info.data + info.n)
        return type_unit_of(module, at);
    return sym_unit_of_offset(module, (uint64_t)(at - info.data));
}

/* ---- opening ---------------------------------------------------------------------------------- */

static const char *text_attr(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attr;
    return dwarf_formstring(dwarf_attr(die, name, &attr));
}

bool sym_unit_die_at(sym_unit *unit, uint64_t offset, Dwarf_Die *die)
{
    Dwarf *dwarf = unit->split ? unit->split : unit->module->dwarf;
    return unit->is_in_types ? dwarf_offdie_types(dwarf, offset, die)
                             : dwarf_offdie(dwarf, offset, die);
}

bool sym_unit_open(sym_unit *unit)
{
    if (unit->is_open || unit->is_broken)
        return unit->is_open;
    unit->is_broken = true;
    if (!sym_unit_die_at(unit, unit->die_offset, &unit->die))
        return false;
    int tag = dwarf_tag(&unit->die);
    if (tag != DW_TAG_compile_unit && tag != DW_TAG_partial_unit && tag != DW_TAG_skeleton_unit &&
        tag != DW_TAG_type_unit) {
        sym_module_warn(unit->module, "a broken unit at 0x%llx is left out",
                        (unsigned long long)unit->offset);
        return false;
    }
    unit->skeleton = unit->die;
    sym_unit_open_split(unit);
    unit->name = text_attr(&unit->die, DW_AT_name);
    unit->comp_dir = text_attr(&unit->skeleton, DW_AT_comp_dir);
    unit->producer = text_attr(&unit->die, DW_AT_producer);
    unit->language = dwarf_srclang(&unit->die);
    unit->is_broken = false;
    unit->is_open = true;
    return true;
}

/* ---- by address ------------------------------------------------------------------------------- */

static void add_unit_range(sym_unit *unit, uint64_t lo, uint64_t hi)
{
    if (lo >= hi || !sym_module_has_code_at(unit->module, lo))
        return;
    sym_unit_range range = {lo, hi, unit};
    ebb_vec_push(&unit->module->unit_ranges, range);
}

/* One set of .debug_aranges: the ranges of one unit. */
static bool read_arange_set(sym_module *module, sym_reader *r, bool *covered)
{
    uint8_t offset_size;
    sym_reader set = *r;
    if (!sym_read_unit_length(&set, &offset_size))
        return false;
    const uint8_t *start = r->at;
    r->at = set.end;
    uint16_t version = sym_read_u16(&set);
    uint64_t offset = sym_read_fixed(&set, offset_size);
    uint8_t addr_size = sym_read_u8(&set);
    uint8_t segment_size = sym_read_u8(&set);
    sym_unit *unit = sym_unit_of_offset(module, offset);
    if (set.failed || version != 2 || addr_size != 8 || segment_size != 0 || !unit ||
        unit->offset != offset)
        return true;
    size_t head = (size_t)(set.at - start);
    sym_read_skip(&set, (16 - head % 16) % 16);
    while (sym_read_left(&set) >= 16) {
        uint64_t lo = sym_read_u64(&set), n = sym_read_u64(&set);
        if (lo == 0 && n == 0)
            break;
        add_unit_range(unit, lo, lo + n);
        covered[unit->index] = true;
    }
    return true;
}

static bool die_has_ranges(Dwarf_Die *die)
{
    return sym_die_has(die, DW_AT_ranges) || sym_die_has(die, DW_AT_high_pc);
}

/* A unit that .debug_aranges doesn't know: its own ranges, or else those of its functions. */
static void add_ranges_of_unit(sym_unit *unit)
{
    if (unit->unit_type == DW_UT_type || unit->unit_type == DW_UT_partial || !sym_unit_open(unit))
        return;
    if (die_has_ranges(&unit->skeleton)) {
        sym_range *ranges;
        size_t n = sym_die_ranges(unit->module, &unit->skeleton, &unit->module->arena, &ranges);
        for (size_t i = 0; i < n; i++)
            add_unit_range(unit, ranges[i].lo, ranges[i].hi);
        return;
    }
    if (dwarf_tag(&unit->die) != DW_TAG_compile_unit)
        return;
    sym_unit_read_functions(unit);
    for (size_t i = 0; i < unit->function_ranges.n; i++)
        add_unit_range(unit, unit->function_ranges.items[i].lo, unit->function_ranges.items[i].hi);
}

static int compare_unit_ranges(const void *a, const void *b)
{
    const sym_unit_range *x = a, *y = b;
    return x->lo < y->lo ? -1 : x->lo > y->lo;
}

static void read_unit_ranges(sym_module *module)
{
    if (module->unit_ranges_read)
        return;
    module->unit_ranges_read = true;
    sym_units_read(module);
    if (!module->units.n)
        return;
    bool *covered = ebb_zalloc(module->units.n * sizeof *covered);
    sym_reader r = sym_reader_at(module->sections.aranges, 0);
    while (sym_read_left(&r) > 0 && read_arange_set(module, &r, covered))
        ;
    for (size_t i = 0; i < module->units.n; i++)
        if (!covered[i])
            add_ranges_of_unit(module->units.items[i]);
    free(covered);
    if (module->unit_ranges.n)
        qsort(module->unit_ranges.items, module->unit_ranges.n, sizeof *module->unit_ranges.items,
              compare_unit_ranges);
}

sym_unit *sym_unit_at(sym_module *module, uint64_t addr)
{
    read_unit_ranges(module);
    size_t lo = 0, hi = module->unit_ranges.n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (module->unit_ranges.items[mid].lo <= addr)
            lo = mid + 1;
        else
            hi = mid;
    }
    /* Ranges of different units don't overlap in sound files; a few steps back bear with others. */
    for (size_t steps = 0; lo > 0 && steps < 8; steps++) {
        const sym_unit_range *range = &module->unit_ranges.items[--lo];
        if (addr < range->hi)
            return sym_unit_open(range->unit) ? range->unit : NULL;
    }
    return NULL;
}

/* ---- prologues -------------------------------------------------------------------------------- */

/* Whether the unit comes from gcc 4.5 or newer: "GNU C17 12.2.0 -mtune=...". */
static bool made_by_recent_gcc(const char *producer)
{
    if (!producer || strncmp(producer, "GNU ", 4) != 0)
        return false;
    const char *at = producer + 4;
    while (*at) {
        int major, minor;
        if (*at >= '0' && *at <= '9' && at[-1] == ' ')
            return sscanf(at, "%d.%d", &major, &minor) == 2 &&
                   (major > 4 || (major == 4 && minor >= 5));
        at++;
    }
    return false;
}

/* gdb's rule for optimised code: a unit of a recent gcc that has location lists tells where its
 * variables are at every instruction, so breakpoints need not skip prologues.  A list shows in the
 * form of an abbreviation, and each object file has its own table of those. */
bool sym_unit_locations_valid(sym_unit *unit)
{
    if (!unit->locations_valid_read && sym_unit_open(unit)) {
        unit->locations_valid_read = true;
        unit->locations_valid =
            made_by_recent_gcc(unit->producer) && sym_abbrevs_have_loclist(unit);
    }
    return unit->locations_valid;
}
