/* Split debug information (gcc -gsplit-dwarf): an executable keeps a skeleton of each unit, with what the linker has to know, and
 * the name of a file that the compiler put the rest into (.dwo).  libdw finds and opens that file, and resolves what its DIEs
 * take from the skeleton; our own readers are pointed at its sections. */
#include "symbols/symbols_private.h"
#include "symbols/reader.h"

static const char *split_name(Dwarf_Die *skeleton)
{
    Dwarf_Attribute attr;
    const char *name = dwarf_formstring(dwarf_attr(skeleton, DW_AT_dwo_name, &attr));
    return name ? name : dwarf_formstring(dwarf_attr(skeleton, DW_AT_GNU_dwo_name, &attr));
}

static bool find_split(Dwarf_Die *skeleton, Dwarf_Die *die)
{
    *die = (Dwarf_Die){0};
    return dwarf_cu_info(skeleton->cu, NULL, NULL, NULL, die, NULL, NULL, NULL) == 0 && die->cu && dwarf_tag(die) == DW_TAG_compile_unit;
}

/* Reads sections and header of the file with the DIE; false if they aren't as they should be. */
static bool enter_split(sym_unit *unit, Dwarf_Die *die)
{
    sym_elf file = {.elf = dwarf_getelf(dwarf_cu_getdwarf(die->cu))};
    sym_sections *sections = EBB_ARENA_NEW(&unit->module->arena, sym_sections);
    sym_unit header = *unit;
    sym_sections_read(&file, ".dwo", sections);
    header.sections = sections;
    uint64_t offset = dwarf_dieoffset(die), start = offset - dwarf_cuoffset(die);
    if (!sections->info.data || !sym_unit_read_header(&header, sections->info, start) || header.die_offset != offset ||
        (const uint8_t *)die->addr != sections->info.data + offset)
        return false;
    header.die = *die;
    header.split = dwarf_cu_getdwarf(die->cu);
    *unit = header;
    return true;
}

void sym_unit_open_split(sym_unit *unit)
{
    Dwarf_Die die;
    const char *name = split_name(&unit->skeleton);
    if (!name || unit->is_in_types)
        return;
    if (!find_split(&unit->skeleton, &die)) {
        sym_module_warn(unit->module, "debug information is missing: it was split off into %s, which can't be found", name);
        return;
    }
    if (!enter_split(unit, &die)) {
        sym_module_warn(unit->module, "the debug information that was split off into %s can't be read", name);
        return;
    }
    if (!unit->module->split_units)
        unit->module->split_units = ebb_map_new();
    ebb_map_set_u64(unit->module->split_units, (uintptr_t)unit->split, unit);
}

uint64_t sym_split_tls_offset(sym_module *module, uint64_t offset_or_addr)
{
    size_t n;
    GElf_Phdr segment;
    if (elf_getphdrnum(module->file.elf, &n) != 0)
        return offset_or_addr;
    for (size_t i = 0; i < n; i++)
        if (gelf_getphdr(module->file.elf, (int)i, &segment) && segment.p_type == PT_TLS && offset_or_addr >= segment.p_vaddr &&
            offset_or_addr - segment.p_vaddr < segment.p_memsz)
            return offset_or_addr - segment.p_vaddr;
    return offset_or_addr;
}
