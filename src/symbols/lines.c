/* The rows of a line table: the program of .debug_line run as gdb runs it, and the search in what
 * comes out.
 *
 * gdb drops and adds rows in ways that users see (where `break` lands, what `next` skips), so this
 * follows its rules one by one; each is named where it is applied. */
#include "symbols/lines.h"
#include "symbols/reader.h"
#include "base/text.h"

#include <string.h>

/* ---- recording rows --------------------------------------------------------------------------- */

typedef struct machine {
    sym_unit *unit;
    sym_lines *lines;
    sym_reader r;
    uint32_t n_rows;

    /* The registers of DWARF's state machine. */
    uint64_t addr, file;
    uint32_t line;
    unsigned column, discriminator;
    bool is_stmt;

    /* What gdb remembers between rows of a sequence. */
    sym_source *source, *last_source; /* current one, and the one of the last row */
    uint32_t last_line;
    uint64_t last_addr;
    bool stmt_at_addr;
    bool line_has_discriminator;
    bool is_recording; /* false in the sequence of a function that the linker removed */
} machine;

static void switch_source(machine *m)
{
    sym_lines *lines = m->lines;
    m->source = m->file < lines->source_of_file.n
                    ? &lines->sources.items[lines->source_of_file.items[m->file]]
                    : NULL;
}

static void begin_sequence(machine *m)
{
    m->addr = 0;
    m->file = 1;
    m->line = 1;
    m->column = m->discriminator = 0;
    m->is_stmt = m->lines->default_is_stmt;
    m->last_source = NULL;
    m->last_line = 0;
    m->last_addr = 0;
    m->stmt_at_addr = m->line_has_discriminator = false;
    m->is_recording = true;
    switch_source(m);
}

static void push_row(machine *m, sym_source *source, uint32_t line, bool is_stmt)
{
    if (!m->is_recording)
        return;
    sym_row row = {
        .addr = m->addr,
        .line = line,
        .order = m->n_rows++,
        .column = line ? (uint16_t)m->column : 0,
        .is_stmt = is_stmt,
    };
    ebb_vec_push(&source->rows, row);
}

/* An end (LT2) replaces the rows at its own address, which have no code, and an end after an end says
 * nothing new. */
static void push_end(machine *m, sym_source *source)
{
    if (!source)
        return;
    uint32_t last_line = 0;
    while (source->rows.n) {
        sym_row *last = &source->rows.items[source->rows.n - 1];
        last_line = last->line;
        if (last->addr != m->addr)
            break;
        source->rows.n--;
    }
    if (last_line != 0)
        push_row(m, source, 0, true);
}

/* A second row of a line whose code is cut up by discriminators isn't a new beginning of it. */
static bool is_new_row(const machine *m)
{
    return m->source != m->last_source || m->line != m->last_line || !m->line_has_discriminator;
}

static void emit(machine *m, bool is_end)
{
    if (m->source || is_end) {
        bool switched = m->last_source != m->source;
        bool ignored =
            (switched && !is_end && m->last_addr == m->addr && !m->is_stmt && m->stmt_at_addr) ||
            (!is_end && m->line == 0); /* LT3 */
        if ((switched && !ignored) || is_end)
            push_end(m, m->last_source);
        if (!is_end && !ignored && is_new_row(m)) {
            push_row(m, m->source, m->line, m->is_stmt);
            m->last_source = m->source;
            m->last_line = m->line;
        }
    }
    if (m->last_addr != m->addr) {
        m->stmt_at_addr = false;
        m->last_addr = m->addr;
    }
    m->stmt_at_addr |= m->is_stmt;
}

/* ---- running the program ---------------------------------------------------------------------- */

static void advance_line(machine *m, int64_t by)
{
    m->line = (uint32_t)((int64_t)m->line + by);
    if (by)
        m->line_has_discriminator = m->discriminator != 0;
}

static void special_opcode(machine *m, uint8_t opcode)
{
    const sym_lines *l = m->lines;
    uint8_t adjusted = (uint8_t)(opcode - l->opcode_base);
    m->addr += (uint64_t)(adjusted / l->line_range) * l->min_insn;
    advance_line(m, l->line_base + adjusted % l->line_range);
    emit(m, false);
    m->discriminator = 0;
}

static void extended_opcode(machine *m)
{
    uint64_t n = sym_read_uleb(&m->r);
    if (m->r.failed || n == 0 || n > sym_read_left(&m->r)) {
        sym_read_fail(&m->r);
        return;
    }
    sym_reader operands = {m->r.at, m->r.at + n, false};
    m->r.at += n;
    switch (sym_read_u8(&operands)) {
    case DW_LNE_end_sequence:
        emit(m, true);
        begin_sequence(m);
        break;
    case DW_LNE_set_address:
        m->addr = sym_read_fixed(&operands, n - 1 <= 8 ? n - 1 : 8);
        m->is_recording = sym_module_has_code_at(m->unit->module, m->addr);
        break;
    case DW_LNE_set_discriminator:
        m->discriminator = (unsigned)sym_read_uleb(&operands);
        m->line_has_discriminator |= m->discriminator != 0;
        break;
    default: break;
    }
}

static void standard_opcode(machine *m, uint8_t opcode)
{
    sym_reader *r = &m->r;
    const sym_lines *l = m->lines;
    switch (opcode) {
    case DW_LNS_copy:
        emit(m, false);
        m->discriminator = 0;
        break;
    case DW_LNS_advance_pc: m->addr += sym_read_uleb(r) * l->min_insn; break;
    case DW_LNS_advance_line: advance_line(m, sym_read_sleb(r)); break;
    case DW_LNS_set_file:
        m->file = sym_read_uleb(r);
        m->last_source = m->source;
        switch_source(m);
        m->line_has_discriminator = m->discriminator != 0;
        break;
    case DW_LNS_set_column: m->column = (unsigned)sym_read_uleb(r); break;
    case DW_LNS_negate_stmt: m->is_stmt = !m->is_stmt; break;
    case DW_LNS_const_add_pc:
        m->addr += (uint64_t)((255 - l->opcode_base) / l->line_range) * l->min_insn;
        break;
    case DW_LNS_fixed_advance_pc: m->addr += sym_read_u16(r); break;
    default:
        for (unsigned i = 0; i < l->n_operands[opcode]; i++)
            sym_read_uleb(r);
        break;
    }
}

static void run_program(machine *m)
{
    begin_sequence(m);
    while (sym_read_left(&m->r) > 0) {
        uint8_t opcode = sym_read_u8(&m->r);
        if (opcode >= m->lines->opcode_base)
            special_opcode(m, opcode);
        else if (opcode == 0)
            extended_opcode(m);
        else
            standard_opcode(m, opcode);
    }
}

/* ---- putting rows in order -------------------------------------------------------------------- */

static int compare_rows(const void *a, const void *b)
{
    const sym_row *x = a, *y = b;
    if (x->addr != y->addr)
        return x->addr < y->addr ? -1 : 1;
    if ((x->line == 0) != (y->line == 0))
        return x->line == 0 ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static void sort_rows(sym_source *source)
{
    bool sorted = true;
    for (size_t i = 1; i < source->rows.n && sorted; i++)
        sorted = compare_rows(&source->rows.items[i - 1], &source->rows.items[i]) < 0;
    if (!sorted)
        qsort(source->rows.items, source->rows.n, sizeof *source->rows.items, compare_rows);
}

/* When no row names the primary source, but one other source has its base name, then the unit calls
 * the same file by two paths. */
static void adopt_rows_of_alias(sym_lines *lines)
{
    if (!lines->sources.n || lines->sources.items[0].rows.n)
        return;
    sym_source *primary = &lines->sources.items[0], *alias = NULL;
    for (size_t i = 1; i < lines->sources.n; i++) {
        sym_source *other = &lines->sources.items[i];
        if (!other->rows.n || strcmp(ebb_path_base(other->path), ebb_path_base(primary->path)) != 0)
            continue;
        if (alias)
            return;
        alias = other;
    }
    if (!alias)
        return;
    primary->name = alias->name;
    memcpy(&primary->rows, &alias->rows, sizeof primary->rows);
    memset(&alias->rows, 0, sizeof alias->rows);
}

sym_lines *sym_unit_lines(sym_unit *unit)
{
    sym_lines *lines = sym_unit_sources(unit);
    if (lines->rows_read)
        return lines;
    lines->rows_read = true;
    if (lines->program >= lines->program_end)
        return lines;
    machine m = {.unit = unit, .lines = lines};
    m.r = sym_reader_at(unit->module->sections.line, lines->program);
    m.r.end = unit->module->sections.line.data + lines->program_end;
    run_program(&m);
    for (size_t i = 0; i < lines->sources.n; i++)
        sort_rows(&lines->sources.items[i]);
    adopt_rows_of_alias(lines);
    return lines;
}

/* ---- searching -------------------------------------------------------------------------------- */

/* The number of rows at or before the address. */
static size_t rows_up_to(const sym_source *source, uint64_t addr)
{
    size_t lo = 0, hi = source->rows.n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (source->rows.items[mid].addr <= addr)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Of several rows at one address, the last counts, unless only an earlier one begins a statement. */
static const sym_row *prefer_statement(const sym_source *source, const sym_row *row)
{
    const sym_row *first = source->rows.items, *at = row;
    while (at > first && at[-1].addr == at->addr && at[-1].line != 0 && !at->is_stmt)
        at--;
    return at->is_stmt ? at : row;
}

/* Every source is asked for its row at the address; the nearest one wins, and it ends where the next
 * row of any source begins. */
bool sym_unit_line_at(sym_unit *unit, uint64_t addr, sym_line *line)
{
    sym_lines *lines = sym_unit_lines(unit);
    const sym_source *best_source = NULL;
    const sym_row *best = NULL;
    uint64_t best_end = 0, first_after = 0;
    for (size_t i = 0; i < lines->sources.n; i++) {
        const sym_source *source = &lines->sources.items[i];
        if (!source->rows.n)
            continue;
        const sym_row *rows = source->rows.items;
        if (rows[0].addr > addr && (!first_after || rows[0].addr < first_after))
            first_after = rows[0].addr;
        size_t n = rows_up_to(source, addr);
        const sym_row *row = n ? &rows[n - 1] : NULL;
        if (row && row->line && (!best || row->addr > best->addr)) {
            best = prefer_statement(source, row);
            best_source = source;
            if (best_end <= best->addr)
                best_end = 0;
        }
        if (best && n < source->rows.n && rows[n].addr > best->addr &&
            (!best_end || best_end > rows[n].addr))
            best_end = rows[n].addr;
    }
    if (!best)
        return false;
    uint64_t end = best_end && (!first_after || best_end < first_after) ? best_end
                   : first_after                                        ? first_after
                                                                        : addr + 1;
    *line = (sym_line){
        .file = best_source->path,
        .name = best_source->name,
        .line = best->line,
        .column = best->column,
        .lo = best->addr,
        .hi = end,
        .is_stmt = best->is_stmt,
    };
    return true;
}

bool sym_line_at(sym_table *table, uint64_t addr, sym_line *line)
{
    sym_module *module = sym_module_at(table, addr);
    sym_unit *unit = module ? sym_unit_at(module, addr - module->bias) : NULL;
    if (!unit || !sym_unit_line_at(unit, addr - module->bias, line))
        return false;
    line->lo += module->bias;
    line->hi += module->bias;
    return true;
}
