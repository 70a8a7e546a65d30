/* disassemble.c - machine code for people: see code.h and data.h. */
#include "session/c/scratch.h"
#include "session/c/c.h"
#include "session/c/code.h"
#include "session/c/image.h"
#include "session/settings_impl.h"
#include "session/stack.h"
#include "session/c/world.h"
#include "symbols/demangle.h"
#include "x86/native.h"

#include <string.h>

enum { MAX_INSN = 15 };

/* As much of an instruction as can be read: it may stand at the very end of a mapping. */
static size_t read_code(session *s, uint64_t addr, uint8_t code[MAX_INSN])
{
    size_t n = MAX_INSN;
    while (n > 0 && ses_memory_read(s, addr, code, n, NULL) != EBB_OK)
        n--;
    return n;
}

static ebb_status decode(session *s, uint64_t addr, machine_insn *insn, uint8_t code[MAX_INSN],
                         ebb_error *err)
{
    size_t n = read_code(s, addr, code);
    if (n == 0)
        return ses_fail_memory(addr, err);
    x86_flavour flavour = ses_setting_is(s, "disassembly-flavor", "intel") ? X86_INTEL : X86_ATT;
    if (x86_decode(code, n, addr, flavour, insn, NULL) == EBB_OK)
        return EBB_OK;
    *insn = (machine_insn){.nbytes = 1, .text = "(bad)"};
    return EBB_OK;
}

/* The name of where it goes, or of what it refers to: the address ends the machine's own text. */
static void add_target(session *s, const machine_insn *insn, ebb_buf *text)
{
    if (!insn->has_target)
        return;
    size_t before = text->n;
    ebb_buf_addc(text, ' ');
    if (!ses_symbolise(s, insn->target, true, text))
        ebb_buf_truncate(text, before);
}

static void add_insn(session *s, const machine_insn *insn, ebb_buf *text)
{
    ebb_buf_adds(text, insn->text);
    add_target(s, insn, text);
}

ebb_status ses_code_text(session *s, uint64_t addr, ebb_buf *text, unsigned *nbytes, ebb_error *err)
{
    machine_insn insn;
    uint8_t code[MAX_INSN];
    EBB_TRY(decode(s, addr, &insn, code, err));
    add_insn(s, &insn, text);
    *nbytes = insn.nbytes;
    return EBB_OK;
}

/* ---- ranges --------------------------------------------------------------------------------- */

typedef struct code_range {
    uint64_t lo, hi;
    const char *function; /* NULL if it isn't one function's */
} code_range;

/* What linkers know it by, if they know it: people see it as they like (`set print asm-demangle`). */
static const char *code_name(const sym_function_info *info)
{
    return sym_is_mangled(info->linkage_name) ? info->linkage_name : info->full_name;
}

static ebb_status function_range(session *s, uint64_t pc, code_range *range, ebb_error *err)
{
    const sym_function *functions[64];
    size_t n = sym_functions_at(s->symbols, pc, functions, 64);
    if (n > 0 && n <= 64) {
        const sym_function_info *info = sym_function_get_info(functions[n - 1]);
        if (pc >= info->lo && pc < info->hi) {
            *range = (code_range){.lo = info->lo, .hi = info->hi, .function = code_name(info)};
            return EBB_OK;
        }
    }
    uint64_t offset, addr, nbytes;
    bool is_function;
    const char *name = sym_symbol_at(s->symbols, pc, &offset);
    if (!name)
        return ebb_fail(err, EBB_NOT_FOUND, "No function contains specified address.");
    *range = (code_range){.lo = pc - offset, .hi = pc + 1, .function = name};
    if (sym_symbol_address(s->symbols, name, &addr, &nbytes, &is_function) && addr == range->lo &&
        addr + nbytes > pc)
        range->hi = addr + nbytes;
    return EBB_OK;
}

/* A value as an address in code: functions and arrays mean where they are. */
static ebb_status address_of(session *s, const char *expression, uint64_t *addr, ebb_error *err)
{
    ebb_arena arena = {0};
    expr_value value;
    ebb_status status = ses_evaluate_aside(s, &arena, expression, &value, err);
    sym_type_kind kind = status == EBB_OK ? sym_type_strip(value.type)->kind : SYM_TYPE_VOID;
    if (status == EBB_OK && value.place.kind == EXPR_PLACE_MEMORY &&
        (kind == SYM_TYPE_FUNCTION || expr_type_has_no_debug_info(value.type)))
        *addr = value.place.addr;
    else if (status == EBB_OK)
        status = expr_value_to_u64(&arena, ses_world(s), &value, addr, err);
    ebb_arena_fini(&arena);
    return status;
}

static ebb_status explicit_range(session *s, char *text, char *comma, code_range *range,
                                 ebb_error *err)
{
    *comma = '\0';
    const char *end = ebb_text_skip_space(comma + 1);
    range->function = NULL;
    EBB_TRY(address_of(s, text, &range->lo, err));
    if (*end == '+') {
        EBB_TRY(ses_evaluate_u64(s, end + 1, &range->hi, err));
        range->hi += range->lo;
    } else
        EBB_TRY(address_of(s, end, &range->hi, err));
    return EBB_OK;
}

/* The one between two addresses: not between the parameters of a function. */
static char *find_comma(char *text)
{
    int depth = 0;
    bool is_quoted = false;
    for (; *text; text++) {
        is_quoted ^= *text == '\'';
        depth += (*text == '(') - (*text == ')');
        if (*text == ',' && depth == 0 && !is_quoted)
            return text;
    }
    return NULL;
}

static ebb_status find_range(session *s, ebb_arena *arena, const char *arguments, code_range *range,
                             ebb_error *err)
{
    char *text = ebb_text_rtrim(ebb_arena_strdup(arena, ebb_text_skip_space(arguments)));
    char *comma = find_comma(text);
    uint64_t pc;
    if (comma)
        return explicit_range(s, text, comma, range, err);
    if (*text == '\0') {
        const ses_frame *frame;
        if (ses_frame_selected(s, &frame, NULL) != EBB_OK)
            return ebb_fail(err, EBB_GONE, "No frame selected.");
        pc = frame->pc;
    } else
        EBB_TRY(address_of(s, text, &pc, err));
    return function_range(s, pc, range, err);
}

/* ---- lines ---------------------------------------------------------------------------------- */

static const char *bytes_text(ebb_arena *arena, const uint8_t *code, unsigned nbytes)
{
    ebb_buf text = {0};
    for (unsigned i = 0; i < nbytes; i++)
        ebb_buf_addf(&text, "%s%02x", i ? " " : "", code[i]);
    char *result = ebb_arena_strdup(arena, ebb_buf_text(&text));
    ebb_buf_fini(&text);
    return result;
}

static void set_symbol(session *s, uint64_t addr, const code_range *range, ses_code_line *line)
{
    if (range->function) {
        line->symbol = range->function;
        line->offset = addr - range->lo;
        return;
    }
    const sym_function *functions[64];
    size_t n = sym_functions_at(s->symbols, addr, functions, 64);
    const sym_function_info *info =
        n > 0 && n <= 64 ? sym_function_get_info(functions[n - 1]) : NULL;
    if (info && addr >= info->lo) {
        line->symbol = code_name(info);
        line->offset = addr - info->lo;
    } else
        line->symbol = sym_symbol_at(s->symbols, addr, &line->offset);
}

/* The instruction at *next, which then is the address of the one after it. */
static ebb_status add_line(session *s, ebb_arena *arena, const code_range *range, uint64_t *next,
                           ses_code_lines *out, ebb_error *err)
{
    uint64_t addr = *next;
    machine_insn insn;
    uint8_t code[MAX_INSN];
    EBB_TRY(decode(s, addr, &insn, code, err));
    ebb_buf text = {0};
    add_insn(s, &insn, &text);
    const ses_frame *frame;
    ses_code_line line = {.addr = addr,
                          .text = ebb_arena_strdup(arena, ebb_buf_text(&text)),
                          .bytes = bytes_text(arena, code, insn.nbytes)};
    ebb_buf_fini(&text);
    line.is_current = ses_frame_selected(s, &frame, NULL) == EBB_OK && frame->pc == addr;
    set_symbol(s, addr, range, &line);
    sym_line row;
    if (sym_line_at(s->symbols, addr, &row)) {
        const ses_code_line *last = out->n ? &out->items[out->n - 1] : NULL;
        bool same = last && addr != row.lo;
        line.file = same ? NULL : row.file;
        line.file_shown = row.name;
        line.line = same ? 0 : row.line;
    }
    ebb_vec_push(out, line);
    *next = addr + insn.nbytes;
    return EBB_OK;
}

ebb_status ses_c_disassemble(session *s, ebb_arena *arena, const char *arguments,
                           const char **function, ses_code_lines *out, ebb_error *err)
{
    enum { MAX_RANGE = 16 << 20 };
    code_range range = {0};
    EBB_TRY(find_range(s, arena, arguments, &range, err));
    if (range.hi - range.lo > MAX_RANGE)
        return ebb_fail(err, EBB_BAD_INPUT, "That is too much code for one listing.");
    *function = range.function ? sym_shown_name(s->symbols, range.function) : NULL;
    for (uint64_t addr = range.lo; addr < range.hi;)
        EBB_TRY(add_line(s, arena, &range, &addr, out, err));
    if (out->n)
        out->items[0].range_end = range.hi;
    return EBB_OK;
}
