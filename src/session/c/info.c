/* info.c - info line, source, frame, symbol, address: what is where, in words. */
#include "session/c/scratch.h"
#include "session/c/c.h"
#include "session/source.h"
#include "session/c/unwind.h"
#include "session/c/step.h"
#include "session/where.h"
#include "session/c/world.h"
#include "session/c/image.h"

#include <string.h>

static void put_address(session *s, uint64_t addr, ebb_buf *text)
{
    ebb_buf_addf(text, "0x%lx ", (unsigned long)addr);
    if (!ses_symbolise(s, addr, false, text))
        ebb_buf_truncate(text, text->n - 1);
}

/* ---- info line ------------------------------------------------------------------------------ */

static void put_row(session *s, const sym_line *row, ebb_buf *text)
{
    ebb_buf_addf(text, "Line %u of \"%s\" starts at address ", row->line, row->name);
    put_address(s, row->lo, text);
    ebb_buf_adds(text, " and ends at ");
    put_address(s, row->hi, text);
    ebb_buf_adds(text, ".\n");
    ses_c_examine_next(s, row->lo);
}

/* The row of the line table that a breakpoint's spot belongs to; for the line that a function
 * begins on this is the row of its entry. */
static bool row_of(session *s, const sym_spot *spot, unsigned wanted, sym_line *row)
{
    if (!sym_line_at(s->symbols, spot->addr, row))
        return false;
    const sym_function *functions[64];
    size_t n = sym_functions_at(s->symbols, spot->addr, functions, 64);
    sym_line first;
    if (n > 0 && n <= 64 &&
        sym_line_at(s->symbols, sym_function_get_info(functions[n - 1])->lo, &first) &&
        first.line == wanted)
        *row = first;
    return true;
}

static void put_line(session *s, const ses_where *where, const sym_spot *spot, ebb_buf *text)
{
    sym_line row;
    if (!row_of(s, spot, where->line, &row)) {
        ebb_buf_adds(text, "No line number information available for address ");
        put_address(s, spot->addr, text);
        ebb_buf_addc(text, '\n');
    } else if (where->kind == SES_WHERE_LINE && row.line != where->line) {
        ebb_buf_addf(text, "Line %u of \"%s\" is at address ", where->line, row.name);
        put_address(s, row.lo, text);
        ebb_buf_adds(text, " but contains no code.\n");
    } else
        put_row(s, &row, text);
}

/* The beginning of the function that was asked for, or of the inlined instance at the spot. */
static bool entry_of(session *s, const char *name, const sym_spot *spot, uint64_t *entry)
{
    const sym_function *functions[64];
    size_t n = sym_functions_at(s->symbols, spot->addr, functions, 64);
    if (n == 0 || n > 64)
        return false;
    size_t i = 0;
    while (i < n - 1 && strcmp(sym_function_get_info(functions[i])->name, name) != 0)
        i++;
    *entry = sym_function_get_info(functions[i])->lo;
    return true;
}

static ebb_status function_entry_line(session *s, const ses_where *where, const sym_spot *spot,
                                      ebb_buf *text)
{
    uint64_t entry;
    sym_line row;
    if (entry_of(s, where->function, spot, &entry) && sym_line_at(s->symbols, entry, &row))
        put_row(s, &row, text);
    else
        put_line(s, where, spot, text);
    return EBB_OK;
}

/* What was shown last: the beginning of the listing, or the line of the frame. */
static ebb_status shown_last(session *s, ebb_arena *arena, const char **text, ebb_error *err)
{
    const ses_frame *frame = ses_where_frame(s);
    if (s->list.file && s->list.last)
        *text = ebb_arena_printf(arena, "%s:%u", s->list.file, s->list.first);
    else if (frame)
        *text = ebb_arena_printf(arena, "%s:%u", frame->line.file, frame->line.line);
    else if (ses_get_state(s) != SES_STOPPED)
        return ebb_fail(err, EBB_NOT_FOUND, "No line number information available.");
    return EBB_OK;
}

static ebb_status info_line(session *s, ebb_arena *arena, const char *text_where, sym_spots *spots,
                            ebb_buf *text, ebb_error *err)
{
    ses_where where;
    bool is_here = ebb_text_is_blank(text_where);
    if (is_here)
        EBB_TRY(shown_last(s, arena, &text_where, err));
    EBB_TRY(ses_where_parse(s, arena, text_where, &where, err));
    EBB_TRY(ses_where_spots(s, &where, spots, err));
    for (size_t i = 0; i < (is_here && spots->n ? 1 : spots->n); i++)
        if (where.kind == SES_WHERE_FUNCTION)
            EBB_TRY(function_entry_line(s, &where, &spots->items[i], text));
        else
            put_line(s, &where, &spots->items[i], text);
    return EBB_OK;
}

ebb_status ses_c_info_line(session *s, const char *where, ebb_buf *text, ebb_error *err)
{
    ebb_arena arena = {0};
    sym_spots spots = {0};
    ebb_status status = info_line(s, &arena, where ? where : "", &spots, text, err);
    ebb_vec_fini(&spots);
    ebb_arena_fini(&arena);
    return status;
}

ebb_status ses_c_line_has_code(session *s, const char *file, unsigned line, bool *has, ebb_error *err)
{
    (void)err;
    sym_spots spots = {0};
    *has = sym_spots_of_line(ses_get_symbols(s), file, line, &spots, NULL) == EBB_OK && spots.n && spots.items[0].line == line;
    ebb_vec_fini(&spots);
    return EBB_OK;
}

/* ---- info source ---------------------------------------------------------------------------- */

ebb_status ses_c_info_source(session *s, ebb_buf *text, ebb_error *err)
{
    const char *file;
    unsigned line, n;
    if (!ses_where_default(s, &file, &line))
        return ebb_fail(err, EBB_NOT_FOUND, "No current source file.");
    const char *name = ses_source_name(s, file);
    size_t n_file = strlen(file), n_name = strlen(name);
    ebb_buf_addf(text, "Current source file is %s\n", name);
    sym_origin origin = {.language = "c"};
    bool has_origin = sym_source_origin(s->symbols, file, &origin);
    if (origin.directory)
        ebb_buf_addf(text, "Compilation directory is %s\n", origin.directory);
    else if (n_name < n_file && strcmp(file + n_file - n_name, name) == 0)
        ebb_buf_addf(text, "Compilation directory is %.*s\n", (int)(n_file - n_name - 1), file);
    if (ses_source_count(s, file, &n))
        ebb_buf_addf(text, "Located in %s\nContains %u line%s.\n", file, n, n == 1 ? "" : "s");
    ebb_buf_addf(text, "Source language is %s.\n", origin.language);
    if (has_origin) {
        if (origin.producer)
            ebb_buf_addf(text, "Producer is %s.\n", origin.producer);
        ebb_buf_addf(text, "Compiled with DWARF %u debugging format.\n", origin.dwarf_version);
        ebb_buf_addf(text, "%s preprocessor macro info.\n",
                     origin.has_macros ? "Includes" : "Does not include");
    }
    return EBB_OK;
}

/* ---- info frame ----------------------------------------------------------------------------- */

static void put_frame_place(const ses_frame *frame, ebb_buf *text)
{
    ebb_buf_addf(text, " rip = 0x%lx", (unsigned long)frame->pc);
    if (frame->name)
        ebb_buf_addf(text, " in %s", frame->name);
    if (frame->has_line)
        ebb_buf_addf(text, " (%s:%u)", frame->line.name, frame->line.line);
}

/* Those that this frame saved; what an inner one saved is still in a register as far as this one knows. */
static void put_saved_registers(session *s, const sym_frame *frame, const sym_frame *caller,
                                ebb_buf *text)
{
    bool any = false;
    for (int dwarf = 0; dwarf < SYM_N_REGS; dwarf++) {
        int reg = machine_reg_by_dwarf(s->machine, dwarf);
        size_t n;
        const sym_reg *here = &frame->regs[dwarf], *saved = &caller->regs[dwarf];
        if (reg < 0 || saved->kind != SYM_REG_SAVED ||
            (here->kind == SYM_REG_SAVED && here->addr == saved->addr))
            continue;
        ebb_buf_addf(text, "%s%s at 0x%lx", any ? ", " : " Saved registers:\n  ",
                     s->machine->native->registers(s->machine, &n)[reg].name,
                     (unsigned long)saved->addr);
        any = true;
    }
    if (any)
        ebb_buf_addc(text, '\n');
}

static void put_neighbours(session *s, const ses_frame *frame, ebb_buf *text)
{
    const ses_frame *outer, *inner;
    bool has_outer = ses_frame_get(s, frame->level + 1, &outer, NULL) == EBB_OK;
    bool has_inner =
        frame->level > 0 && ses_frame_get(s, frame->level - 1, &inner, NULL) == EBB_OK;
    bool is_tail = frame->regs.is_tail && !frame->is_inlined;
    if (frame->is_inlined)
        ebb_buf_addf(text, " inlined into frame %u", frame->level + 1);
    else if (is_tail)
        ebb_buf_adds(text, " tail call frame");
    else if (has_outer)
        ebb_buf_addf(text, " called by frame at 0x%lx", (unsigned long)outer->regs.cfa);
    if (has_inner)
        ebb_buf_addf(text, "%s caller of frame at 0x%lx", has_outer ? "," : "",
                     (unsigned long)inner->regs.cfa);
    if (has_outer || has_inner)
        ebb_buf_addc(text, '\n');
}

static void put_arg(const ses_named_value *arg, bool is_first, ebb_buf *text)
{
    ebb_buf_addf(text, "%s%s", is_first ? "" : ", ", arg->name);
    if (arg->is_as_passed)
        ebb_buf_addf(text, "=%s@entry", arg->name);
    ebb_buf_addf(text, "=%s", arg->value);
    if (arg->passed)
        ebb_buf_addf(text, ", %s@entry=%s", arg->name, arg->passed);
}

static void put_args(session *s, const ses_frame *frame, ebb_buf *text)
{
    ebb_arena arena = {0};
    ses_named_values args = {0};
    ebb_buf_adds(text, ", args: ");
    if (ses_frame_args(s, &arena, frame->level, true, &args, NULL) == EBB_OK)
        for (size_t i = 0; i < args.n; i++)
            put_arg(&args.items[i], i == 0, text);
    ebb_buf_addc(text, '\n');
    ebb_vec_fini(&args);
    ebb_arena_fini(&arena);
}

/* What gdb counts a frame's arguments and locals from: the frame pointer of a function that makes one, or else the word
 * below the stack pointer, less a frame pointer that was pushed there. */
static bool frame_base(session *s, const ses_frame *frame, uint64_t *base)
{
    static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa}, push_rbp = 0x55;
    static const uint8_t mov_rsp_rbp[2][3] = {{0x48, 0x89, 0xe5}, {0x48, 0x8b, 0xec}};
    uint64_t entry = ses_function_entry_at(s, frame->pc);
    uint8_t code[8];
    *base = frame->regs.regs[SYM_REG_RSP].value - 8;
    if (!entry || ses_memory_read(s, entry, code, sizeof code, NULL) != EBB_OK)
        return false;
    size_t at = memcmp(code, endbr64, sizeof endbr64) == 0 ? sizeof endbr64 : 0;
    if (code[at] != push_rbp || frame->pc <= entry + at)
        return true;
    *base += 8;
    bool has_frame = memcmp(code + at + 1, mov_rsp_rbp[0], 3) == 0 ||
                     memcmp(code + at + 1, mov_rsp_rbp[1], 3) == 0;
    if (has_frame && frame->pc > entry + at + 1)
        *base = frame->regs.regs[SYM_REG_RBP].value;
    return true;
}

static void put_bases(session *s, const ses_frame *frame, ebb_buf *text)
{
    uint64_t base;
    if (frame->is_inlined || frame->regs.is_tail || !frame_base(s, frame, &base)) {
        ebb_buf_adds(text, " Arglist at unknown address.\n Locals at unknown address,");
    } else {
        ebb_buf_addf(text, " Arglist at 0x%lx", (unsigned long)base);
        put_args(s, frame, text);
        ebb_buf_addf(text, " Locals at 0x%lx,", (unsigned long)base);
    }
    uint64_t sp = frame->is_inlined ? frame->regs.regs[SYM_REG_RSP].value : frame->regs.cfa;
    if (frame->regs.is_tail)
        ebb_buf_adds(text, " Previous frame's sp in rsp\n");
    else
        ebb_buf_addf(text, " Previous frame's sp is 0x%lx\n", (unsigned long)sp);
}

ebb_status ses_c_info_frame(session *s, ebb_buf *text, ebb_error *err)
{
    const ses_frame *frame;
    EBB_TRY(ses_frame_selected(s, &frame, err));
    sym_target target = ses_sym_target(s);
    sym_frame inner = frame->regs, caller;
    while (inner.is_tail) { /* as gdb, which tells of the first frame that isn't gone */
        sym_frame tail = inner;
        sym_tail_caller(&tail, &inner);
    }
    bool has_caller = sym_unwind(s->symbols, &target, &inner, &caller, NULL) == EBB_OK;
    if (has_caller && !frame->regs.is_tail)
        sym_tail_frames(s->symbols, &inner, &caller);
    ebb_buf_addf(text, "Stack level %u, frame at 0x%lx:\n", frame->level,
                 (unsigned long)frame->regs.cfa);
    put_frame_place(frame, text);
    if (has_caller)
        ebb_buf_addf(text, "; saved rip = 0x%lx", (unsigned long)caller.regs[SYM_REG_RIP].value);
    ebb_buf_addc(text, '\n');
    put_neighbours(s, frame, text);
    if (frame->function)
        ebb_buf_addf(text, " source language %s.\n", sym_function_get_info(frame->function)->language);
    put_bases(s, frame, text);
    sym_frame none = {0};
    if (frame->is_inlined && !frame->regs.is_tail) /* what its "caller" has is what it has itself */
        put_saved_registers(s, &none, &inner, text);
    else if (has_caller && !frame->regs.is_tail)
        put_saved_registers(s, &inner, &caller, text);
    return EBB_OK;
}

/* ---- info symbol, info address -------------------------------------------------------------- */

ebb_status ses_c_symbol_at(session *s, const char *expression, ebb_buf *text, ebb_error *err)
{
    ebb_arena arena = {0};
    expr_value value;
    uint64_t addr = 0, offset;
    ebb_status status = ses_evaluate_aside(s, &arena, expression, &value, err);
    sym_type_kind kind = status == EBB_OK ? sym_type_strip(value.type)->kind : SYM_TYPE_VOID;
    if (status == EBB_OK && kind == SYM_TYPE_FUNCTION && value.place.kind == EXPR_PLACE_MEMORY)
        addr = value.place.addr;
    else if (status == EBB_OK)
        status = expr_value_to_u64(&arena, ses_world(s), &value, &addr, err);
    ebb_arena_fini(&arena);
    EBB_TRY(status);
    const char *name = sym_symbol_at(s->symbols, addr, &offset);
    sym_module *module = sym_module_at(s->symbols, addr);
    if (!name || !module) {
        ebb_buf_addf(text, "No symbol matches %s.\n", expression);
        return EBB_OK;
    }
    ebb_buf_adds(text, sym_shown_name(s->symbols, name));
    if (offset)
        ebb_buf_addf(text, " + %lu", (unsigned long)offset);
    char section[64];
    uint64_t bias = 0;
    for (size_t i = 0; i < s->modules.n; i++)
        if (s->modules.items[i].symbols == module)
            bias = s->modules.items[i].bias;
    if (ses_section_name(sym_module_path(module), addr - bias, section, sizeof section))
        ebb_buf_addf(text, " in section %s", section);
    if (s->modules.n > 1)
        ebb_buf_addf(text, " of %s", sym_module_path(module));
    ebb_buf_addc(text, '\n');
    return EBB_OK;
}

/* What the selected frame has for itself, and others have elsewhere. */
static bool is_of_frame(session *s, const char *name)
{
    const ses_frame *frame;
    if (ses_frame_selected(s, &frame, NULL) != EBB_OK || !frame->function)
        return false;
    const sym_variable *variable = sym_block_find(sym_block_at(frame->function, ses_frame_lookup_pc(frame)), name);
    return variable && !sym_variable_get_info(variable)->is_static;
}

static const char *kind_of_storage(session *s, const char *name, const expr_value *value)
{
    if (sym_type_strip(value->type)->kind == SYM_TYPE_FUNCTION)
        return "a function";
    return is_of_frame(s, name) ? "a local variable of this frame" : "static storage";
}

static void put_register_name(session *s, int dwarf, ebb_buf *text)
{
    size_t n;
    int reg = machine_reg_by_dwarf(s->machine, dwarf);
    if (reg >= 0)
        ebb_buf_addf(text, "a variable in $%s.\n", s->machine->native->registers(s->machine, &n)[reg].name);
    else
        ebb_buf_addf(text, "a variable in register %d (DWARF number).\n", dwarf);
}

ebb_status ses_c_address_of(session *s, const char *name, ebb_buf *text, ebb_error *err)
{
    ebb_arena arena = {0};
    expr_value value;
    ebb_status status = s->world.find_name(s, &arena, NULL, name, &value, err);
    if (status == EBB_OK) {
        const sym_function *function;
        bool is_function = sym_type_strip(value.type)->kind == SYM_TYPE_FUNCTION && sym_functions_at(s->symbols, value.place.addr, &function, 1) == 1;
        ebb_buf_addf(text, "Symbol \"%s\" is ", is_function ? sym_function_get_info(function)->full_name : name);
        switch (value.place.kind) {
        case EXPR_PLACE_MEMORY:
            ebb_buf_addf(text, "%s at address 0x%lx.\n", kind_of_storage(s, name, &value), (unsigned long)value.place.addr);
            break;
        case EXPR_PLACE_REGISTER: put_register_name(s, value.place.reg, text); break;
        case EXPR_PLACE_PIECES: ebb_buf_adds(text, "a variable in several pieces.\n"); break;
        default:
            ebb_buf_adds(text, value.is_optimized_out ? "optimized out.\n" : "constant.\n");
            break;
        }
    }
    ebb_arena_fini(&arena);
    return status;
}
