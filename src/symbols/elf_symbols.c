/* ELF symbols: what is known of code and data without debug information. */
#include "symbols/symbols_private.h"

#include <string.h>

static Elf_Scn *section_of_type(const sym_elf *file, uint32_t type, GElf_Shdr *header)
{
    for (Elf_Scn *scn = NULL; file->elf && (scn = elf_nextscn(file->elf, scn));)
        if (gelf_getshdr(scn, header) && header->sh_type == type)
            return scn;
    return NULL;
}

/* ---- symbol tables ---------------------------------------------------------------------------- */

static bool is_wanted(const GElf_Sym *symbol, const char *name)
{
    unsigned type = GELF_ST_TYPE(symbol->st_info);
    if (symbol->st_shndx == SHN_UNDEF || !name || !*name)
        return false;
    return type == STT_NOTYPE || type == STT_OBJECT || type == STT_FUNC || type == STT_GNU_IFUNC ||
           type == STT_COMMON;
}

/* The versions of dynamic symbols; other tables have them in their names. */
static Elf_Data *versions_of(const sym_elf *file, const GElf_Shdr *header)
{
    GElf_Shdr version_header;
    Elf_Scn *scn = header->sh_type == SHT_DYNSYM ? section_of_type(file, SHT_GNU_versym, &version_header) : NULL;
    return scn ? elf_getdata(scn, NULL) : NULL;
}

static bool is_old_version(Elf_Data *versions, size_t i, const char *name)
{
    enum { HIDDEN = 0x8000 };
    GElf_Versym version;
    if (versions)
        return gelf_getversym(versions, (int)i, &version) && (version & HIDDEN);
    const char *at = strchr(name, '@');
    return at && at[1] != '@';
}

static void add_symbols_of(sym_module *module, const sym_elf *file, Elf_Scn *scn,
                           const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(scn, NULL), *versions = versions_of(file, header);
    size_t n = data ? data->d_size / sizeof(Elf64_Sym) : 0;
    for (size_t i = 1; i < n; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, (int)i, &symbol))
            break;
        const char *name = elf_strptr(file->elf, header->sh_link, symbol.st_name);
        if (!is_wanted(&symbol, name))
            continue;
        sym_symbol wanted = {
            .addr = symbol.st_value,
            .nbytes = symbol.st_size,
            .name = name,
            .type = (uint8_t)GELF_ST_TYPE(symbol.st_info),
            .binding = (uint8_t)GELF_ST_BIND(symbol.st_info),
            .is_old = is_old_version(versions, i, name),
        };
        ebb_vec_push(&module->symbols, wanted);
    }
}

/* ---- stubs of the procedure linkage table ----------------------------------------------------- */

/* Which symbol each slot of the global offset table is for, and what is copied from libraries. */
static void map_slots(const sym_elf *file, ebb_map *slots, ebb_map *copies)
{
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(file->elf, scn));) {
        GElf_Shdr header, table_header;
        if (!gelf_getshdr(scn, &header) || header.sh_type != SHT_RELA)
            continue;
        Elf_Scn *table = elf_getscn(file->elf, header.sh_link);
        Elf_Data *relocations = elf_getdata(scn, NULL);
        Elf_Data *symbols =
            table && gelf_getshdr(table, &table_header) ? elf_getdata(table, NULL) : NULL;
        size_t n = relocations ? relocations->d_size / sizeof(Elf64_Rela) : 0;
        for (size_t i = 0; symbols && i < n; i++) {
            GElf_Rela rela;
            GElf_Sym symbol;
            if (!gelf_getrela(relocations, (int)i, &rela))
                break;
            unsigned type = (unsigned)GELF_R_TYPE(rela.r_info);
            bool is_copy = type == R_X86_64_COPY;
            if ((type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT && !is_copy) ||
                !gelf_getsym(symbols, (int)GELF_R_SYM(rela.r_info), &symbol))
                continue;
            const char *name = elf_strptr(file->elf, table_header.sh_link, symbol.st_name);
            if (name && *name && is_copy)
                ebb_map_set(copies, name, (void *)(uintptr_t)rela.r_offset);
            else if (name && *name)
                ebb_map_set_u64(slots, rela.r_offset, (void *)name);
        }
    }
}

/* A stub is `[endbr64] [bnd] jmp *slot(%rip)`. */
static bool slot_of_stub(const uint8_t *code, size_t n, uint64_t addr, uint64_t *slot)
{
    size_t i = 0;
    if (n >= 4 && memcmp(code, "\xf3\x0f\x1e\xfa", 4) == 0)
        i = 4;
    if (i < n && code[i] == 0xf2)
        i++;
    int32_t displacement;
    if (i + 6 > n || code[i] != 0xff || code[i + 1] != 0x25)
        return false;
    memcpy(&displacement, code + i + 2, sizeof displacement);
    *slot = addr + i + 6 + (uint64_t)(int64_t)displacement;
    return true;
}

static void add_stubs_of(sym_module *module, const char *section, size_t entry_nbytes,
                         const ebb_map *slots)
{
    GElf_Shdr header;
    sym_bytes code = sym_elf_section_bytes(&module->file, section);
    if (!code.data || !sym_elf_section(&module->file, section, &header))
        return;
    for (size_t at = 0; at + entry_nbytes <= code.n; at += entry_nbytes) {
        uint64_t slot;
        const char *name = NULL;
        if (slot_of_stub(code.data + at, entry_nbytes, header.sh_addr + at, &slot))
            name = ebb_map_get_u64(slots, slot);
        if (!name)
            continue;
        sym_symbol stub = {
            .addr = header.sh_addr + at,
            .nbytes = entry_nbytes,
            .name = ebb_arena_printf(&module->arena, "%s@plt", name),
            .type = STT_FUNC,
            .binding = STB_LOCAL,
            .is_plt = true,
        };
        ebb_vec_push(&module->symbols, stub);
    }
}

static void add_stubs(sym_module *module)
{
    ebb_map *slots = ebb_map_new();
    map_slots(&module->file, slots, module->copies);
    if (ebb_map_count(slots)) {
        add_stubs_of(module, ".plt", 16, slots);
        add_stubs_of(module, ".plt.sec", 16, slots);
        add_stubs_of(module, ".plt.got", 8, slots);
        add_stubs_of(module, ".plt.got", 16, slots);
    }
    ebb_map_free(slots);
}

/* ---- reading and ordering --------------------------------------------------------------------- */

static int binding_rank(uint8_t binding)
{
    return binding == STB_GLOBAL ? 2 : binding == STB_WEAK ? 1 : 0;
}

/* At one address: functions and objects with a size, global before local. */
static int compare_symbols(const void *a, const void *b)
{
    const sym_symbol *x = a, *y = b;
    if (x->addr != y->addr)
        return x->addr < y->addr ? -1 : 1;
    int typed_x = x->type != STT_NOTYPE, typed_y = y->type != STT_NOTYPE;
    if (typed_x != typed_y)
        return typed_y - typed_x;
    if ((x->nbytes != 0) != (y->nbytes != 0))
        return (y->nbytes != 0) - (x->nbytes != 0);
    int rank_x = binding_rank(x->binding), rank_y = binding_rank(y->binding);
    if (rank_x != rank_y)
        return rank_y - rank_x;
    return strcmp(x->name, y->name);
}

static bool is_better(const sym_symbol *a, const sym_symbol *b)
{
    if (a->is_old != b->is_old)
        return b->is_old;
    return binding_rank(a->binding) > binding_rank(b->binding);
}

/* The best symbol of a name is the first of its list. */
static void link_name(sym_module *module, const char *name, size_t i)
{
    sym_symbol *symbol = &module->symbols.items[i];
    size_t known = (size_t)(uintptr_t)ebb_map_get(module->symbols_by_name, name);
    sym_symbol *first = known ? &module->symbols.items[known - 1] : NULL;
    if (!first || is_better(symbol, first)) {
        symbol->next_same = (uint32_t)known;
        ebb_map_set(module->symbols_by_name, name, (void *)(uintptr_t)(i + 1));
    } else {
        symbol->next_same = first->next_same;
        first->next_same = (uint32_t)(i + 1);
    }
}

/* "memcpy@@GLIBC_2.14" is found as memcpy. */
static void map_name(sym_module *module, size_t i)
{
    const sym_symbol *symbol = &module->symbols.items[i];
    const char *at = symbol->is_plt ? NULL : strchr(symbol->name, '@');
    char *bare = at && at != symbol->name
                     ? ebb_arena_strndup(&module->arena, symbol->name, (size_t)(at - symbol->name))
                     : NULL;
    const char *name = bare ? bare : symbol->name;
    if (bare)
        module->symbols.items[i].name = bare;
    link_name(module, name, i);
}

void sym_symbols_read(sym_module *module)
{
    if (module->symbols_read)
        return;
    module->symbols_read = true;
    GElf_Shdr header;
    const sym_elf *file = module->debug.elf ? &module->debug : &module->file;
    Elf_Scn *scn = section_of_type(file, SHT_SYMTAB, &header);
    if (!scn)
        scn = section_of_type(file = &module->file, SHT_SYMTAB, &header);
    if (!scn)
        scn = section_of_type(file, SHT_DYNSYM, &header);
    if (scn)
        add_symbols_of(module, file, scn, &header);
    module->copies = ebb_map_new();
    add_stubs(module);
    if (module->symbols.n)
        qsort(module->symbols.items, module->symbols.n, sizeof *module->symbols.items,
              compare_symbols);
    module->symbols_by_name = ebb_map_new();
    for (size_t i = 0; i < module->symbols.n; i++)
        map_name(module, i);
}

/* ---- questions -------------------------------------------------------------------------------- */

const sym_symbol *sym_symbol_named(sym_module *module, const char *name)
{
    sym_symbols_read(module);
    size_t i = (size_t)(uintptr_t)ebb_map_get(module->symbols_by_name, name);
    return i ? &module->symbols.items[i - 1] : NULL;
}

const sym_symbol *sym_symbol_next_named(const sym_module *module, const sym_symbol *symbol)
{
    return symbol->next_same ? &module->symbols.items[symbol->next_same - 1] : NULL;
}

bool sym_symbol_copied(sym_module *module, const char *name, uint64_t *addr)
{
    sym_symbols_read(module);
    *addr = (uintptr_t)ebb_map_get(module->copies, name);
    return *addr != 0;
}

/* The last symbol that begins at or before the address.  One that has a size and ends before the
 * address gives way to a larger one around it, if there is one. */
const sym_symbol *sym_symbol_covering(sym_module *module, uint64_t addr)
{
    sym_symbols_read(module);
    size_t lo = 0, hi = module->symbols.n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (module->symbols.items[mid].addr <= addr)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == 0)
        return NULL;
    const sym_symbol *nearest = &module->symbols.items[lo - 1];
    while (nearest > module->symbols.items && nearest[-1].addr == nearest->addr)
        nearest--;
    const sym_symbol *at = nearest;
    for (int steps = 0; steps < 16; steps++) {
        bool reaches = at->nbytes == 0 ? at == nearest : addr - at->addr < at->nbytes;
        if (reaches)
            return at;
        if (at == module->symbols.items)
            break;
        at--;
    }
    return nearest;
}

/* The section with the address; 0 if there is none, or no section header at all. */
static size_t section_at(const sym_module *module, uint64_t addr)
{
    GElf_Shdr header;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(module->file.elf, scn));)
        if (gelf_getshdr(scn, &header) && (header.sh_flags & SHF_ALLOC) &&
            !(header.sh_flags & SHF_TLS && header.sh_type == SHT_NOBITS) && addr >= header.sh_addr &&
            addr - header.sh_addr < header.sh_size)
            return elf_ndxscn(scn);
    return 0;
}

/* A symbol without a size reaches no further than its section: what is in .plt isn't _init's. */
static bool same_region(const sym_module *module, const sym_symbol *symbol, uint64_t addr)
{
    if (symbol->nbytes)
        return sym_module_has_code_at(module, symbol->addr) == sym_module_has_code_at(module, addr);
    return symbol->addr == addr || section_at(module, symbol->addr) == section_at(module, addr);
}

const char *sym_symbol_at(sym_table *table, uint64_t addr, uint64_t *offset)
{
    sym_module *module = sym_module_at(table, addr);
    const sym_symbol *symbol = module ? sym_symbol_covering(module, addr - module->bias) : NULL;
    if (!symbol || !same_region(module, symbol, addr - module->bias))
        return NULL;
    if (symbol->nbytes && addr - module->bias - symbol->addr >= symbol->nbytes)
        return NULL; /* after its end: nobody's, as in gdb */
    if (offset)
        *offset = addr - module->bias - symbol->addr;
    return symbol->name;
}

bool sym_symbol_address(sym_table *table, const char *name, uint64_t *addr, uint64_t *nbytes,
                        bool *is_function)
{
    for (size_t i = 0; i < table->modules.n; i++) {
        sym_module *module = table->modules.items[i];
        const sym_symbol *symbol = sym_symbol_named(module, name);
        if (!symbol)
            continue;
        *addr = symbol->addr + module->bias;
        *nbytes = symbol->nbytes;
        *is_function = symbol->type == STT_FUNC || symbol->type == STT_GNU_IFUNC ||
                       (symbol->type == STT_NOTYPE && sym_module_has_code_at(module, symbol->addr));
        return true;
    }
    return false;
}

bool sym_symbol_is_chooser(sym_table *table, uint64_t addr)
{
    sym_module *module = sym_module_at(table, addr);
    if (!module)
        return false;
    const sym_symbol *symbol = sym_symbol_covering(module, addr - module->bias);
    if (!symbol || symbol->addr != addr - module->bias)
        return false;
    /* Other names of the same code may be plain functions; the sort keeps them side by side. */
    const sym_symbol *first = module->symbols.items, *end = first + module->symbols.n, *s = symbol;
    while (s > first && s[-1].addr == symbol->addr)
        s--;
    for (; s < end && s->addr == symbol->addr; s++)
        if (s->type == STT_GNU_IFUNC)
            return true;
    return false;
}
