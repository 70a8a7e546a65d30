/* symbols_interrogate.c - every question is asked of every answer; only that nothing crashes or hangs is checked. */
#include "symbols_interrogate.h"
#include "symbols/index.h"

#include <elf.h>
#include <string.h>

enum { MAX_NAMES = 40, MAX_ADDRS = 40, MAX_FRAMES = 12, MEMORY_SIZE = 4096 };

static uint64_t sum;

static void look_at(const void *p, size_t n)
{
    const uint8_t *bytes = p;
    for (size_t i = 0; i < n; i++)
        sum = sum * 31 + bytes[i];
}

static void look_at_text(const char *text)
{
    if (text)
        look_at(text, strlen(text));
}

/* ---- types ------------------------------------------------------------------------------------ */

static void ask_type(sym_type *type)
{
    ebb_buf text = {0};
    sym_member member;
    if (!type)
        return;
    sym_type_print(type, &text);
    sym_type_describe(type, 0, &text);
    look_at_text(ebb_buf_text(&text));
    ebb_buf_fini(&text);
    sum += sym_type_size(type) + sym_type_is_scalar(type) + sym_type_same(type, type);
    sym_type *bare = sym_type_strip(type);
    for (size_t i = 0; i < bare->n_members && i < 100; i++) {
        sum += sym_type_size(bare->members[i].type);
        if (bare->members[i].name)
            sum += sym_type_find_member(bare, bare->members[i].name, &member);
    }
}

/* ---- a debuggee made of nothing --------------------------------------------------------------- */

static ebb_status read_anything(void *self, uint64_t addr, void *bytes, size_t n, ebb_error *err)
{
    if (addr < 0x1000)
        return ebb_fail(err, EBB_NO_MEMORY_AT, "no memory at 0x%lx", addr);
    for (size_t i = 0; i < n; i++)
        ((uint8_t *)bytes)[i] = (uint8_t)((addr + i) * 7 >> 3);
    return EBB_OK;
}

static ebb_status reg_anything(void *self, int reg, void *bytes, size_t n, ebb_error *err)
{
    memset(bytes, reg, n);
    return EBB_OK;
}

static ebb_status tls_anything(void *self, sym_module *module, uint64_t *block, ebb_error *err)
{
    *block = 0x7000;
    return EBB_OK;
}

static const sym_target nothing = {NULL, read_anything, reg_anything, tls_anything};

static sym_frame frame_at(uint64_t pc)
{
    sym_frame frame = {.pc_is_exact = true};
    for (int i = 0; i < SYM_N_REGS; i++)
        frame.regs[i] = (sym_reg){.kind = SYM_REG_LIVE, .value = 0x7fff0000u + (uint64_t)i * 64};
    frame.regs[SYM_REG_RIP].value = pc;
    return frame;
}

/* ---- variables -------------------------------------------------------------------------------- */

static void ask_variable(const sym_variable *variable, sym_frame *frame)
{
    sym_location location = {0};
    ebb_error err;
    uint64_t value;
    const sym_variable_info *info = sym_variable_get_info(variable);
    look_at_text(info->name);
    look_at_text(info->decl_file);
    ask_type(info->type);
    if (frame)
        ask_type(sym_type_resolve_dynamic(info->type, &nothing, frame));
    if (sym_variable_locate(variable, &nothing, frame, &location, &err) != EBB_OK) {
        look_at_text(err.text);
        return;
    }
    for (size_t i = 0; i < location.n_pieces; i++) {
        sum += location.pieces[i].addr + (uint64_t)location.pieces[i].kind;
        if (location.pieces[i].block)
            look_at(location.pieces[i].block, location.pieces[i].block_nbytes);
    }
    if (frame && info->is_parameter &&
        sym_variable_entry_value(variable, &nothing, frame, &value, NULL) == EBB_OK)
        sum += value;
}

static void ask_scopes(sym_table *table, uint64_t addr)
{
    const sym_function *functions[16];
    sym_frame frame = frame_at(addr);
    size_t n = sym_functions_at(table, addr, functions, 16);
    for (size_t f = 0; f < n && f < 16; f++) {
        const sym_function_info *info = sym_function_get_info(functions[f]);
        look_at_text(info->name);
        look_at_text(info->decl_file);
        look_at_text(info->call_file);
        ask_type(info->type);
        for (const sym_block *b = sym_block_at(functions[f], addr); b; b = sym_block_parent(b)) {
            size_t n_variables;
            const sym_variable *const *variables = sym_block_variables(b, &n_variables);
            for (size_t i = 0; i < n_variables && i < 20; i++)
                ask_variable(variables[i], &frame);
        }
    }
}

/* ---- addresses -------------------------------------------------------------------------------- */

static void ask_unwind(sym_table *table, uint64_t addr)
{
    sym_frame frame = frame_at(addr), caller;
    ebb_error err;
    for (int i = 0; i < MAX_FRAMES && sym_unwind(table, &nothing, &frame, &caller, &err) == EBB_OK;
         i++) {
        sum += frame.cfa;
        frame = caller;
    }
}

/* As if code at `addr` had been called from shortly before any of the addresses after it. */
static void ask_tail_calls(sym_table *table, uint64_t addr)
{
    for (uint64_t distance = 1; distance < 64; distance++) {
        sym_frame frame = frame_at(addr), caller = frame_at(addr + distance);
        caller.pc_is_exact = false;
        sym_tail_frames(table, &frame, &caller);
        for (sym_frame outer; caller.is_tail; caller = outer)
            sym_tail_caller(&caller, &outer);
        sum += caller.n_tail;
    }
}

static void ask_address(sym_table *table, uint64_t addr)
{
    sym_line line;
    uint64_t offset;
    if (sym_line_at(table, addr, &line)) {
        look_at_text(line.file);
        look_at_text(line.name);
        sum += line.line + line.hi;
    }
    look_at_text(sym_symbol_at(table, addr, &offset));
    sym_spot spot = sym_spot_at(table, addr);
    look_at_text(spot.function);
    sum += sym_skip_prologue(table, addr);
    ask_scopes(table, addr);
    ask_unwind(table, addr);
    ask_tail_calls(table, addr);
}

/* ---- names ------------------------------------------------------------------------------------ */

static void ask_spots(sym_table *table, const char *name, uint64_t *addr)
{
    sym_spots spots = {0};
    if (sym_spots_of_function(table, NULL, name, &spots, NULL) == EBB_OK)
        *addr = spots.items[0].addr;
    for (size_t i = 0; i < spots.n; i++) {
        look_at_text(spots.items[i].file);
        sum += spots.items[i].line;
    }
    ebb_vec_fini(&spots);
}

static void ask_name(sym_table *table, const char *name)
{
    uint64_t addr = 0, nbytes;
    sym_type *type;
    int64_t value;
    bool is_function;
    ask_spots(table, name, &addr);
    for (int kind = SYM_TYPE_ENUM; kind <= SYM_TYPE_TYPEDEF; kind++)
        ask_type(sym_type_find(table, (sym_type_kind)kind, name, addr));
    const sym_variable *variable = sym_variable_find(table, NULL, name, addr);
    if (variable)
        ask_variable(variable, NULL);
    sum += sym_enumerator_find(table, name, addr, &type, &value);
    sum += sym_function_entry(table, name, &addr, &type);
    sum += sym_symbol_address(table, name, &addr, &nbytes, &is_function);
    ask_address(table, addr);
}

static void look_at_listed(void *self, const sym_listed *listed)
{
    (void)self;
    look_at_text(listed->name);
    look_at_text(listed->declaration);
}

static void ask_lists(sym_table *table)
{
    sym_names names = {0};
    sym_spots spots = {0};
    const sym_searcher searcher = {NULL, look_at_listed, SIZE_MAX};
    size_t n_left_out;
    sym_source_files(table, NULL, &names);
    for (size_t i = 0; i < names.n && i < 8; i++)
        for (unsigned line = 1; line < 200; line += 37)
            sum += (uint64_t)sym_spots_of_line(table, names.items[i], line, &spots, NULL) + spots.n;
    ebb_vec_fini(&spots);
    ebb_vec_fini(&names);
    sym_complete(table, "s", 15, 100, &names);
    for (size_t i = 0; i < names.n; i++)
        look_at_text(names.items[i]);
    ebb_vec_fini(&names);
    for (int kind = 1; kind <= 4; kind *= 2)
        sum += (uint64_t)sym_search(table, ".", (sym_name_kind)kind, &searcher, &n_left_out, NULL);
}

uint64_t interrogate(sym_table *table)
{
    sum = 0;
    for (size_t m = 0; m < sym_table_n_modules(table); m++) {
        sym_module *module = sym_table_module(table, m);
        const sym_index *index = sym_module_index(module);
        uint64_t lo, hi;
        size_t step = index->entries.n / MAX_NAMES + 1;
        for (size_t i = 0; i < index->entries.n; i += step)
            ask_name(table, index->entries.items[i].name);
        sym_module_span(module, &lo, &hi);
        for (uint64_t i = 0; i < MAX_ADDRS; i++)
            ask_address(table, lo + (hi - lo) / MAX_ADDRS * i);
        for (size_t i = 0; i < module->code.n; i++)
            for (uint64_t k = 0; k < MAX_ADDRS; k++)
                ask_address(table, module->bias + module->code.items[i].lo +
                                       (module->code.items[i].hi - module->code.items[i].lo) /
                                           MAX_ADDRS * k);
        look_at_text(sym_module_warning(module));
    }
    ask_name(table, "main");
    ask_lists(table);
    return sum;
}

/* ---- corruption ------------------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* The sections worth breaking: those that describe, not the code. */
static bool is_interesting(const char *name)
{
    return strncmp(name, ".debug", 6) == 0 || strncmp(name, ".eh_frame", 9) == 0 ||
           strcmp(name, ".symtab") == 0 || strcmp(name, ".strtab") == 0 ||
           strncmp(name, ".rela", 5) == 0 || strncmp(name, ".note", 5) == 0;
}

static bool pick_section(const uint8_t *file, size_t nbytes, uint64_t *state, size_t *from,
                         size_t *n)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)file;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(file + header->e_shoff);
    if (nbytes < sizeof *header || header->e_shoff == 0 ||
        header->e_shoff + header->e_shnum * sizeof *sections > nbytes || header->e_shnum == 0)
        return false;
    for (int tries = 0; tries < 100; tries++) {
        const Elf64_Shdr *s = &sections[next_random(state) % header->e_shnum];
        const char *name = (const char *)file + sections[header->e_shstrndx].sh_offset + s->sh_name;
        if (s->sh_type == SHT_NOBITS || s->sh_size == 0 || s->sh_offset + s->sh_size > nbytes ||
            !is_interesting(name))
            continue;
        *from = s->sh_offset;
        *n = s->sh_size;
        return true;
    }
    return false;
}

static void change(uint8_t *at, size_t left, uint64_t *state)
{
    static const uint8_t special[] = {0x00, 0xff, 0x7f, 0x80, 0x01, 0xfe};
    uint64_t r = next_random(state);
    switch (r % 4) {
    case 0: *at = (uint8_t)(r >> 8); break;
    case 1: *at ^= (uint8_t)(1 << (r >> 8 & 7)); break;
    case 2: *at = special[(r >> 8) % sizeof special]; break;
    default:
        memset(at, special[(r >> 8) % sizeof special], left < 8 ? left : 1 + (r >> 16) % 8);
        break;
    }
}

uint8_t *corrupt(const uint8_t *file, size_t nbytes, uint64_t seed)
{
    uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
    uint8_t *copy = ebb_alloc(nbytes);
    memcpy(copy, file, nbytes);
    for (int warm = 0; warm < 4; warm++)
        next_random(&state);
    uint64_t n_changes = 1 + next_random(&state) % 24;
    for (uint64_t i = 0; i < n_changes; i++) {
        size_t from = 0, n = nbytes;
        /* Now and then anywhere, or in the section headers. */
        if (next_random(&state) % 16 != 0)
            pick_section(file, nbytes, &state, &from, &n);
        else if (next_random(&state) % 2 == 0)
            from = ((const Elf64_Ehdr *)file)->e_shoff, n = nbytes - from;
        size_t at = next_random(&state) % n;
        change(copy + from + at, n - at, &state);
    }
    return copy;
}

void interrogate_bytes(const uint8_t *bytes, size_t nbytes)
{
    sym_table *table = sym_table_new();
    ebb_error err;
    if (sym_table_add_image(table, &(sym_image){.name = "corrupt", .bytes = bytes, .nbytes = nbytes}, 0, NULL, &err) == EBB_OK)
        interrogate(table);
    else
        look_at_text(err.text);
    sym_table_free(table);
}
