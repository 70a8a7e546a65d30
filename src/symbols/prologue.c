/* prologue.c - recognises what gcc and clang write at the beginning of functions, byte by byte. */
#include "symbols/prologue.h"
#include "symbols/lines.h"

#include <string.h>

/* ---- instructions ----------------------------------------------------------------------------- */

static const uint8_t ENDBR64[] = {0xf3, 0x0f, 0x1e, 0xfa};
static const uint8_t PUSH_RBP = 0x55;
static const uint8_t MOV_RSP_RBP[][3] = {{0x48, 0x89, 0xe5}, {0x48, 0x8b, 0xec}};

/* What a prologue that sets up %rbp is made of; `setup` says whether it does. */
typedef struct prologue {
    uint64_t pushed; /* the address after push %rbp */
    uint64_t end;    /* after mov %rsp,%rbp */
    bool has_push, has_frame;
} prologue;

static bool code_is(const sym_module *module, uint64_t addr, const uint8_t *wanted, size_t n)
{
    uint8_t bytes[16];
    return n <= sizeof bytes && sym_module_code(module, addr, bytes, n) &&
           memcmp(bytes, wanted, n) == 0;
}

/* Realigning the stack: lea 0x8(%rsp),%REG; and $-N,%rsp; pushq -0x8(%REG), possibly with a push of
 * a callee-saved %REG in front. */
static uint64_t skip_stack_align(const sym_module *module, uint64_t at)
{
    uint8_t b[20];
    if (!sym_module_code(module, at, b, sizeof b))
        return at;
    size_t i = 0;
    if ((b[0] & 0xf8) == 0x50)
        i = 1;
    else if ((b[0] & 0xfe) == 0x40 && (b[1] & 0xf8) == 0x50)
        i = 2;
    size_t displacement = i ? 0x10 : 0x8;
    if ((b[i] & 0xfb) != 0x48 || b[i + 1] != 0x8d || b[i + 3] != 0x24 || b[i + 4] != displacement)
        return at;
    if ((b[i + 2] & 0xc7) != 0x44)
        return at;
    i += 5;
    /* and $imm,%rsp */
    if (b[i] == 0x48 && b[i + 1] == 0x83 && b[i + 2] == 0xe4)
        i += 4;
    else if (b[i] == 0x48 && b[i + 1] == 0x81 && b[i + 2] == 0xe4)
        i += 7;
    else
        return at;
    if (i + 4 > sizeof b)
        return at;
    if ((b[i] & 0xfe) == 0x40)
        i++;
    if (b[i] != 0xff || (b[i + 1] & 0xf8) != 0x70 || b[i + 2] != 0xf8)
        return at;
    return at + i + 3;
}

static prologue read_prologue(const sym_module *module, uint64_t entry)
{
    prologue p = {.pushed = entry, .end = entry};
    uint8_t op;
    uint64_t at = skip_stack_align(module, entry);
    if (code_is(module, at, ENDBR64, sizeof ENDBR64))
        at += sizeof ENDBR64;
    if (!sym_module_code(module, at, &op, 1) || op != PUSH_RBP)
        return p;
    p.has_push = true;
    p.pushed = at + 1;
    for (size_t i = 0; i < 2; i++)
        if (code_is(module, at + 1, MOV_RSP_RBP[i], sizeof MOV_RSP_RBP[i])) {
            p.has_frame = true;
            p.end = at + 1 + sizeof MOV_RSP_RBP[i];
        }
    return p;
}

sym_frame_setup sym_frame_setup_at(sym_table *table, uint64_t entry, uint64_t pc)
{
    sym_module *module = sym_module_at(table, entry);
    if (!module)
        return SYM_FRAME_NONE;
    prologue p = read_prologue(module, entry - module->bias);
    uint64_t at = pc - module->bias;
    if (p.has_frame && at >= p.end)
        return SYM_FRAME_POINTER;
    return p.has_push && at >= p.pushed && (p.has_frame || at == p.pushed) ? SYM_FRAME_PUSHED
                                                                           : SYM_FRAME_NONE;
}

bool sym_code_start(sym_table *table, uint64_t pc, uint64_t *entry)
{
    sym_module *module = sym_module_at(table, pc);
    if (!module)
        return false;
    sym_function *function = sym_function_of_addr(module, pc - module->bias);
    if (function) {
        *entry = function->ranges[0].lo + module->bias;
        return true;
    }
    uint64_t offset;
    if (!sym_symbol_at(table, pc, &offset))
        return false;
    *entry = pc - offset;
    return true;
}

/* ---- skipping --------------------------------------------------------------------------------- */

static bool made_by_clang(const sym_unit *unit)
{
    return unit->producer && strstr(unit->producer, "clang");
}

/* Whether the address after the line still belongs to the function that begins at `entry`. */
static bool still_inside(sym_module *module, uint64_t entry, uint64_t addr)
{
    sym_function *function = sym_function_of_addr(module, entry);
    if (function) {
        uint64_t end = 0;
        for (size_t i = 0; i < function->n_ranges; i++)
            if (function->ranges[i].hi > end)
                end = function->ranges[i].hi;
        return entry <= addr && addr < end;
    }
    return sym_symbol_covering(module, addr) == sym_symbol_covering(module, entry);
}

static uint64_t function_end(sym_module *module, uint64_t entry)
{
    const sym_function *function = sym_function_of_addr(module, entry);
    return function ? function->ranges[0].hi : 0;
}

static bool is_inlined_at(sym_module *module, uint64_t addr)
{
    sym_function *function = sym_function_of_addr(module, addr);
    sym_block *block = function ? sym_innermost_block(function, addr) : NULL;
    return block && block->function != function;
}

/* Two rows at the entry: the compiler says that there is no prologue. */
static bool has_two_rows_at(sym_unit *unit, const sym_line *line)
{
    sym_lines *lines = sym_unit_lines(unit);
    for (size_t s = 0; s < lines->sources.n; s++) {
        const sym_source *source = &lines->sources.items[s];
        if (source->path != line->file)
            continue;
        for (size_t i = 0; i + 1 < source->rows.n; i++)
            if (source->rows.items[i].addr == line->lo && source->rows.items[i].line != 0)
                return source->rows.items[i + 1].addr == line->lo &&
                       source->rows.items[i + 1].line != 0;
    }
    return false;
}

/* Clang puts a row before the prologue and one after it.  Rows that go back to smaller lines of the
 * same function are instructions that were moved into the prologue.  0 if the rows tell nothing. */
static uint64_t end_by_rows(sym_unit *unit, uint64_t entry)
{
    sym_line line, next;
    uint64_t end = function_end(unit->module, entry);
    if (!sym_unit_line_at(unit, entry, &line))
        return 0;
    if (has_two_rows_at(unit, &line))
        return line.lo;
    if (line.hi >= end)
        return 0;
    while (line.hi < end) {
        if (!sym_unit_line_at(unit, line.hi, &next) || next.line >= line.line ||
            next.file != line.file || is_inlined_at(unit->module, line.hi))
            break;
        line = next;
    }
    return line.hi < end ? line.hi : line.lo;
}

static uint64_t skip_instructions(sym_unit *unit, sym_module *module, uint64_t entry)
{
    if (unit && made_by_clang(unit)) {
        uint64_t end = end_by_rows(unit, entry);
        if (end)
            return end > entry ? end : entry;
    }
    prologue p = read_prologue(module, entry);
    return p.has_frame ? p.end : entry;
}

/* After the instructions that set up the frame; and when that is in the middle of a line, at the
 * beginning of the next. */
uint64_t sym_prologue_end(sym_module *module, uint64_t entry)
{
    sym_unit *unit = sym_unit_at(module, entry);
    if (unit && sym_unit_locations_valid(unit) && sym_function_of_addr(module, entry))
        return entry;
    uint64_t pc = skip_instructions(unit, module, entry);
    sym_line line;
    if (unit && sym_unit_line_at(unit, pc, &line) && line.lo != pc &&
        still_inside(module, entry, line.hi))
        pc = line.hi;
    return pc;
}

uint64_t sym_skip_prologue(sym_table *table, uint64_t entry)
{
    sym_module *module = sym_module_at(table, entry);
    if (!module)
        return entry;
    return sym_prologue_end(module, entry - module->bias) + module->bias;
}
