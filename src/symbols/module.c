/* Tables and modules: adding, removing, finding, and opening what they need when they need it. */
#include "symbols/symbols_private.h"
#include "symbols/demangle.h"
#include "symbols/index.h"
#include "symbols/lines.h"
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

sym_table *sym_table_new(void)
{
    sym_table *table = EBB_NEW(sym_table);
    table->types = sym_types_new();
    table->shown_names = ebb_map_new();
    return table;
}

static void module_free(sym_module *module)
{
    sym_types_forget_module(module);
    for (size_t i = 0; i < module->units.n; i++) {
        sym_unit *unit = module->units.items[i];
        sym_lines_free(unit->lines);
        sym_macros_free(unit->macros);
        ebb_vec_fini(&unit->functions);
        ebb_vec_fini(&unit->function_ranges);
    }
    sym_index_free(module->index);
    ebb_map_free(module->types);
    ebb_map_free(module->variables);
    ebb_map_free(module->scoped_names);
    ebb_map_free(module->symbols_by_name);
    ebb_map_free(module->copies);
    ebb_map_free(module->split_units);
    ebb_vec_fini(&module->symbols);
    ebb_vec_fini(&module->unit_ranges);
    ebb_vec_fini(&module->units);
    ebb_vec_fini(&module->code);
    if (module->eh_cfi)
        dwarf_cfi_end(module->eh_cfi);
    dwarf_end(module->dwarf);
    sym_elf_close(&module->debug);
    sym_elf_close(&module->file);
    free(module->warning);
    ebb_arena_fini(&module->arena);
    free(module);
}

static void shown_names_free(ebb_map *names)
{
    ebb_map_entry entry;
    for (size_t at = 0; ebb_map_next(names, &at, &entry);)
        free(entry.value);
    ebb_map_free(names);
}

void sym_table_free(sym_table *table)
{
    if (!table)
        return;
    for (size_t i = 0; i < table->modules.n; i++)
        module_free(table->modules.items[i]);
    for (size_t i = 0; i < table->retired.n; i++)
        module_free(table->retired.items[i]);
    ebb_vec_fini(&table->modules);
    ebb_vec_fini(&table->retired);
    sym_types_free(table->types);
    shown_names_free(table->shown_names);
    free(table);
}

const char *sym_shown_name(sym_table *table, const char *name)
{
    if (!sym_is_mangled(name))
        return name;
    char *shown = ebb_map_get(table->shown_names, name);
    if (!shown) {
        size_t n = strcspn(name, "@"); /* "_Znwm@plt" */
        char *bare = ebb_strndup(name, n), *demangled = sym_demangle(bare, true);
        shown = ebb_asprintf("%s%s", demangled ? demangled : bare, name + n);
        free(demangled);
        free(bare);
        ebb_map_set(table->shown_names, name, shown);
    }
    return shown;
}

sym_types *sym_table_types(sym_table *table)
{
    return table->types;
}

/* ---- adding ----------------------------------------------------------------------------------- */

void sym_module_warn(sym_module *module, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    ebb_buf text = {0};
    ebb_buf_addf(&text, "%s: ", module->file.path);
    ebb_buf_vaddf(&text, format, args);
    va_end(args);
    ebb_log("%s", ebb_buf_text(&text));
    if (!module->warning)
        module->warning = ebb_buf_take(&text);
    ebb_buf_fini(&text);
}

static ebb_status read_segments(sym_module *module, ebb_error *err)
{
    size_t n;
    if (elf_getphdrnum(module->file.elf, &n) != 0)
        return ebb_fail(err, EBB_BAD_FILE, "%s: broken program headers", module->file.path);
    module->lo = UINT64_MAX;
    for (size_t i = 0; i < n; i++) {
        GElf_Phdr segment;
        if (!gelf_getphdr(module->file.elf, (int)i, &segment) || segment.p_type != PT_LOAD ||
            segment.p_memsz == 0 || segment.p_vaddr + segment.p_memsz < segment.p_vaddr)
            continue;
        sym_range range = {segment.p_vaddr, segment.p_vaddr + segment.p_memsz};
        if (range.lo < module->lo)
            module->lo = range.lo;
        if (range.hi > module->hi)
            module->hi = range.hi;
        if (segment.p_flags & PF_X)
            ebb_vec_push(&module->code, range);
    }
    if (module->lo > module->hi)
        return ebb_fail(err, EBB_BAD_FILE, "%s: an ELF file with nothing to load",
                        module->file.path);
    return EBB_OK;
}

static bool has_section(const sym_elf *file, const char *name)
{
    GElf_Shdr header;
    return sym_elf_section(file, name, &header) && header.sh_type != SHT_NOBITS;
}

static bool has_debug_info(const sym_elf *file)
{
    return has_section(file, ".debug_info") || has_section(file, ".zdebug_info");
}

static void find_info_file(sym_module *module)
{
    module->debug.fd = -1;
    if (has_debug_info(&module->file)) {
        module->info_file = &module->file;
        return;
    }
    if (sym_elf_find_debug(&module->file, &module->debug) && has_debug_info(&module->debug))
        module->info_file = &module->debug;
}

static ebb_status finish_adding(sym_table *table, sym_module *module, uint64_t bias,
                                sym_module **out, ebb_error *err)
{
    module->table = table;
    module->bias = bias;
    module->types = ebb_map_new();
    module->scoped_names = ebb_map_new();
    module->variables = ebb_map_new();
    ebb_status status = read_segments(module, err);
    if (status != EBB_OK) {
        module_free(module);
        return status;
    }
    find_info_file(module);
    ebb_vec_push(&table->modules, module);
    table->generation++;
    if (out)
        *out = module;
    return EBB_OK;
}

ebb_status sym_table_add_as(sym_table *table, const char *name, const char *path, uint64_t bias, sym_module **module, ebb_error *err)
{
    sym_module *made = EBB_NEW(sym_module);
    ebb_status status = sym_elf_open_as(&made->file, name, path, err);
    if (status != EBB_OK) {
        free(made);
        return status;
    }
    return finish_adding(table, made, bias, module, err);
}

ebb_status sym_table_add(sym_table *table, const char *path, uint64_t bias, sym_module **module,
                         ebb_error *err)
{
    return sym_table_add_as(table, path, path, bias, module, err);
}

ebb_status sym_table_add_image(sym_table *table, const sym_image *image, uint64_t bias, sym_module **module, ebb_error *err)
{
    sym_module *made = EBB_NEW(sym_module);
    ebb_status status = sym_elf_open_image(&made->file, image->name, image->bytes, image->nbytes, err);
    if (status != EBB_OK) {
        free(made);
        return status;
    }
    return finish_adding(table, made, bias, module, err);
}

static void take_out(sym_table *table, sym_module *module)
{
    for (size_t i = 0; i < table->modules.n; i++)
        if (table->modules.items[i] == module) {
            ebb_vec_remove(&table->modules, i);
            break;
        }
    table->generation++;
}

void sym_table_remove(sym_table *table, sym_module *module)
{
    take_out(table, module);
    module_free(module);
}

void sym_table_retire(sym_table *table, sym_module *module)
{
    take_out(table, module);
    ebb_vec_push(&table->retired, module);
}

void sym_table_revive(sym_table *table, sym_module *module, uint64_t bias)
{
    for (size_t i = 0; i < table->retired.n; i++)
        if (table->retired.items[i] == module) {
            ebb_vec_remove(&table->retired, i);
            break;
        }
    if (bias != module->bias)
        sym_module_rebase(module, bias);
    ebb_vec_push(&table->modules, module);
    table->generation++;
}

void sym_module_rebase(sym_module *module, uint64_t bias)
{
    module->bias = bias;
    for (size_t i = 0; i < module->units.n; i++)
        sym_functions_forget_addresses(module->units.items[i]);
}

/* ---- asking ----------------------------------------------------------------------------------- */

size_t sym_table_n_modules(const sym_table *table)
{
    return table->modules.n;
}

sym_module *sym_table_module(const sym_table *table, size_t i)
{
    return table->modules.items[i];
}

sym_module *sym_module_at(sym_table *table, uint64_t addr)
{
    for (size_t i = 0; i < table->modules.n; i++) {
        sym_module *module = table->modules.items[i];
        uint64_t at = addr - module->bias;
        if (at >= module->lo && at < module->hi)
            return module;
    }
    return NULL;
}

const char *sym_module_path(const sym_module *module)
{
    return module->file.path;
}

const char *sym_module_debug_path(const sym_module *module)
{
    return module->info_file == &module->debug ? module->debug.path : NULL;
}

bool sym_module_has_debug_info(const sym_module *module)
{
    return module->info_file != NULL;
}

const char *sym_module_warning(const sym_module *module)
{
    return module->warning;
}

void sym_module_span(const sym_module *module, uint64_t *lo, uint64_t *hi)
{
    *lo = module->lo + module->bias;
    *hi = module->hi + module->bias;
}

bool sym_module_text(const sym_module *module, uint64_t *lo, uint64_t *hi)
{
    GElf_Shdr header;
    if (!sym_elf_section(&module->file, ".text", &header))
        return false;
    *lo = header.sh_addr + module->bias;
    *hi = *lo + header.sh_size;
    return true;
}

bool sym_module_has_code_at(const sym_module *module, uint64_t addr)
{
    return sym_ranges_cover(module->code.items, module->code.n, addr);
}

bool sym_module_code(const sym_module *module, uint64_t addr, void *bytes, size_t nbytes)
{
    size_t n, file_n;
    const char *file = elf_rawfile(module->file.elf, &file_n);
    if (!file || elf_getphdrnum(module->file.elf, &n) != 0)
        return false;
    for (size_t i = 0; i < n; i++) {
        GElf_Phdr segment;
        if (!gelf_getphdr(module->file.elf, (int)i, &segment) || segment.p_type != PT_LOAD ||
            addr < segment.p_vaddr || addr - segment.p_vaddr >= segment.p_filesz)
            continue;
        uint64_t at = addr - segment.p_vaddr;
        if (nbytes > segment.p_filesz - at || segment.p_offset > file_n ||
            at > file_n - segment.p_offset || nbytes > file_n - segment.p_offset - at)
            return false;
        memcpy(bytes, file + segment.p_offset + at, nbytes);
        return true;
    }
    return false;
}

/* ---- debug information ------------------------------------------------------------------------ */

void sym_sections_read(const sym_elf *file, const char *suffix, sym_sections *out)
{
    const struct {
        const char *name;
        sym_bytes *bytes;
    } wanted[] = {
        {".debug_info", &out->info},
        {".debug_types", &out->types},
        {".debug_abbrev", &out->abbrev},
        {".debug_str", &out->str},
        {".debug_line", &out->line},
        {".debug_line_str", &out->line_str},
        {".debug_str_offsets", &out->str_offsets},
        {".debug_aranges", &out->aranges},
        {".debug_loc", &out->loc},
        {".debug_loclists", &out->loclists},
        {".debug_addr", &out->addr},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s%s", wanted[i].name, suffix);
        *wanted[i].bytes = sym_elf_section_bytes(file, name);
    }
}

/* dwz moves what several files share into another file; libdw finds and follows it. */
static void read_alt_sections(sym_module *module)
{
    GElf_Shdr header;
    if (!sym_elf_section(module->info_file, ".gnu_debugaltlink", &header))
        return;
    Dwarf *alt = dwarf_getalt(module->dwarf);
    if (!alt) {
        sym_module_warn(module, "the file that it shares debug information with is missing");
        return;
    }
    sym_elf file = {.elf = dwarf_getelf(alt)};
    module->sections.alt_str = sym_elf_section_bytes(&file, ".debug_str");
}

Dwarf *sym_module_dwarf(sym_module *module)
{
    if (module->dwarf_read || !module->info_file)
        return module->dwarf;
    module->dwarf_read = true;
    sym_elf_decompress(module->info_file);
    module->dwarf = dwarf_begin_elf(module->info_file->elf, DWARF_C_READ, NULL);
    if (!module->dwarf) {
        sym_module_warn(module, "cannot read the debug information: %s", dwarf_errmsg(-1));
        return NULL;
    }
    sym_sections_read(module->info_file, "", &module->sections);
    read_alt_sections(module);
    return module->dwarf;
}
