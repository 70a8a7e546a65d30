/* cmd_code.c - memory, registers, machine code. */
#include "base/text.h"
#include "front/cli/args.h"
#include "front/cli/handlers.h"
#include "front/cli/view.h"

#include <stdlib.h>
#include <string.h>

ebb_status cli_cmd_examine(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    ebb_status status = ses_examine(c->session, call->args, &reply->text.bytes, err);
    if (status == EBB_OK && reply->text.bytes.n &&
        reply->text.bytes.data[reply->text.bytes.n - 1] != '\n')
        cli_put(&reply->text, "\n");
    return status;
}

/* ---- registers -------------------------------------------------------------------------------- */

static ebb_status show_registers(cli *c, cli_reply *reply, const char *names, ebb_error *err)
{
    ebb_arena arena = {0};
    ses_registers registers = {0};
    ebb_status status = ses_registers_get(c->session, &arena, names, &registers, err);
    if (status == EBB_OK) {
        json_t *list = json_array();
        for (size_t i = 0; i < registers.n; i++) {
            const ses_register *reg = &registers.items[i];
            cli_put_stylef(&reply->text, CLI_STYLE_NAME, "%-15s", reg->name);
            if (reg->natural && *reg->natural)
                cli_putf(&reply->text, "%-19s %s\n", reg->raw, reg->natural);
            else
                cli_putf(&reply->text, "%s\n", reg->raw);
            json_t *object = json_object();
            cli_json_text(object, "name", reg->name);
            cli_json_text(object, "raw", reg->raw);
            cli_json_text(object, "natural", reg->natural);
            json_array_append_new(list, object);
        }
        cli_field_json(reply, "registers", list);
    }
    ebb_vec_fini(&registers);
    ebb_arena_fini(&arena);
    return status;
}

ebb_status cli_cmd_info_registers(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return show_registers(c, reply, *call->args ? call->args : NULL, err);
}

ebb_status cli_cmd_info_all_registers(cli *c, const cli_call *call, cli_reply *reply,
                                      ebb_error *err)
{
    return show_registers(c, reply, *call->args ? call->args : "all", err);
}

/* ---- disassemble ------------------------------------------------------------------------------ */

typedef struct disassembly {
    bool bytes, source, by_line; /* /m: a line's code stands together, wherever it is */
} disassembly;

/* "/rs main": the letters, and what is to be disassembled. */
static ebb_status take_modifiers(const char **args, disassembly *how, ebb_error *err)
{
    const char *at = *args;
    if (*at != '/')
        return EBB_OK;
    for (at++; *at && *at != ' ' && *at != '\t'; at++) {
        if (*at == 'r' || *at == 'b')
            how->bytes = true;
        else if (*at == 's')
            how->source = true;
        else if (*at == 'm')
            how->by_line = true;
        else
            return ebb_fail(err, EBB_BAD_INPUT,
                            "Invalid disassembly modifier: %c (r, s and m are known).", *at);
    }
    *args = ebb_text_skip_space(at);
    return EBB_OK;
}

static void put_lines(cli *c, cli_text *text, const char *file, unsigned from, unsigned to)
{
    for (; from <= to; from++) {
        const char *source = ses_source_text(c->session, file, from);
        cli_putf(text, "%u\t%s\n", from, source ? source : "");
    }
}

/* The rows that begin a line's code, by file and line. */
typedef EBB_VEC(const ses_code_line *) coded_lines;

static int compare_coded(const void *a, const void *b)
{
    const ses_code_line *x = *(const ses_code_line *const *)a, *y = *(const ses_code_line *const *)b;
    int by_file = strcmp(x->file, y->file);
    return by_file ? by_file : (x->line > y->line) - (x->line < y->line);
}

static void find_coded(const ses_code_lines *lines, coded_lines *out)
{
    for (size_t i = 0; i < lines->n; i++)
        if (lines->items[i].file)
            ebb_vec_push(out, &lines->items[i]);
    if (out->n)
        qsort(out->items, out->n, sizeof *out->items, compare_coded);
}

/* The last line before that one, in its file, that has code anywhere; 0: none has. */
static unsigned coded_before(const coded_lines *coded, const ses_code_line *line)
{
    size_t first = 0, end = coded->n; /* what is before `first` is before the line, what is from `end` on is not */
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (compare_coded(&coded->items[middle], &line) < 0)
            first = middle + 1;
        else
            end = middle;
    }
    return first && strcmp(coded->items[first - 1]->file, line->file) == 0 ? coded->items[first - 1]->line : 0;
}

/* The source of code that begins a row; `before` is the row that was shown last.  Lines between the two that have no code anywhere are shown, too. */
static void put_source(cli *c, cli_text *text, const coded_lines *coded, const ses_code_line *line, const ses_code_line *before)
{
    bool same_file = before && strcmp(before->file, line->file) == 0;
    if (same_file && before->line == line->line)
        return;
    cli_put(text, before ? "\n" : "");
    if (!same_file)
        cli_putf(text, "%s:\n", line->file_shown ? line->file_shown : line->file);
    bool goes_down = same_file && before->line < line->line;
    put_lines(c, text, line->file, goes_down ? coded_before(coded, line) + 1 : line->line, line->line);
}

static void put_code(cli_text *text, const ses_code_line *line, bool with_symbol, bool with_bytes)
{
    cli_put_style(text, line->is_current ? CLI_STYLE_CURRENT : CLI_STYLE_PLAIN,
                  line->is_current ? "=> " : "   ");
    if (line->place) { /* within one method: its bytecode index says enough */
        cli_put_stylef(text, CLI_STYLE_ADDRESS, "%4llu", (unsigned long long)line->offset);
    } else
        cli_put_place(text, NULL, line->addr, true);
    if (line->symbol && !line->place)
        cli_putf(text, " <%s+%llu>", with_symbol ? line->symbol : "",
                 (unsigned long long)line->offset);
    cli_put(text, ":\t");
    if (with_bytes)
        cli_putf(text, "%-19s\t", line->bytes);
    cli_putf(text, "%s\n", line->text);
}

/* ---- by lines of source */

/* Code that stands together and is of one line. */
typedef struct stretch {
    unsigned line;
    size_t first, n;
} stretch;

typedef EBB_VEC(stretch) stretches;

/* Those of the file in which the code begins. */
static void find_stretches(const ses_code_lines *lines, stretches *out)
{
    const char *file = lines->n ? lines->items[0].file : NULL;
    bool is_open = false;
    for (size_t i = 0; i < lines->n; i++) {
        const ses_code_line *line = &lines->items[i];
        if (line->file) {
            is_open = file && line->line && strcmp(file, line->file) == 0;
            if (is_open)
                ebb_vec_push(out, ((stretch){.line = line->line, .first = i}));
        }
        if (is_open)
            out->items[out->n - 1].n++;
    }
}

static int compare_stretches(const void *a, const void *b)
{
    const stretch *x = a, *y = b;
    return x->line != y->line ? (x->line < y->line ? -1 : 1) : x->first < y->first ? -1 : 1;
}

/* Lines without code between them are shown, too. */
static void put_by_lines(cli *c, cli_text *text, const ses_code_lines *lines, bool with_symbol, bool with_bytes)
{
    stretches all = {0};
    unsigned shown = 0;
    find_stretches(lines, &all);
    if (all.n)
        qsort(all.items, all.n, sizeof *all.items, compare_stretches);
    for (size_t i = 0; i < all.n; i++) {
        const stretch *one = &all.items[i];
        if (one->line != shown)
            put_lines(c, text, lines->items[0].file, shown ? shown + 1 : one->line, one->line);
        shown = one->line;
        for (size_t k = 0; k < one->n; k++)
            put_code(text, &lines->items[one->first + k], with_symbol, with_bytes);
        if (i + 1 == all.n || all.items[i + 1].line != one->line)
            cli_put(text, "\n");
    }
    ebb_vec_fini(&all);
}

static json_t *code_object(const ses_code_line *line)
{
    json_t *object = json_object();
    cli_json_place(object, "address", line->place, line->addr);
    cli_json_text(object, "function", line->symbol);
    json_object_set_new(object, "offset", json_integer((json_int_t)line->offset));
    cli_json_text(object, "bytes", line->bytes);
    cli_json_text(object, "text", line->text);
    if (line->is_current)
        json_object_set_new(object, "current", json_true());
    cli_json_text(object, "file", line->file);
    if (line->line)
        json_object_set_new(object, "line", json_integer(line->line));
    return object;
}


static void view_code(cli *c, cli_reply *reply, const char *function, const ses_code_lines *lines,
                      const disassembly *how)
{
    cli_text *text = &reply->text;
    json_t *list = json_array();
    const ses_code_line *source_before = NULL;
    coded_lines coded = {0};
    bool is_bytecode = lines->n && lines->items[0].place;
    if (function)
        cli_putf(text, "Dump of %s %s:\n",
                 is_bytecode ? "bytecode for method" : "assembler code for function", function);
    else if (lines->n)
        cli_putf(text, "Dump of assembler code from 0x%llx to 0x%llx:\n",
                 (unsigned long long)lines->items[0].addr,
                 (unsigned long long)lines->items[0].range_end);
    if (how->by_line)
        put_by_lines(c, text, lines, !function, how->bytes);
    if (how->source)
        find_coded(lines, &coded);
    for (size_t i = 0; i < lines->n; i++) {
        const ses_code_line *line = &lines->items[i];
        if (how->source && line->file) {
            put_source(c, text, &coded, line, source_before);
            source_before = line;
        }
        if (!how->by_line)
            put_code(text, line, !function, how->bytes);
        json_array_append_new(list, code_object(line));
    }
    ebb_vec_fini(&coded);
    cli_putf(text, "End of %s dump.\n", is_bytecode ? "bytecode" : "assembler");
    cli_field_text(reply, "function", function);
    cli_field_json(reply, "instructions", list);
}

ebb_status cli_cmd_disassemble(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    const char *args = call->args, *function = NULL;
    disassembly how = {0};
    ebb_arena arena = {0};
    ses_code_lines lines = {0};
    ebb_status status = take_modifiers(&args, &how, err);
    if (status == EBB_OK)
        status = ses_disassemble(c->session, &arena, args, &function, &lines, err);
    if (status == EBB_OK)
        view_code(c, reply, function, &lines, &how);
    ebb_vec_fini(&lines);
    ebb_arena_fini(&arena);
    return status;
}

/* ---- info stack ------------------------------------------------------------------------------- */

static json_t *view_operands(cli_text *text, const ses_operands *operands, bool is_stack, const char *title)
{
    json_t *list = json_array();
    cli_put_style(text, CLI_STYLE_TITLE, title);
    cli_put(text, "\n");
    for (size_t i = 0; i < operands->n; i++) {
        const ses_operand *operand = &operands->items[i];
        if (operand->is_stack != is_stack)
            continue;
        cli_putf(text, "  %3u  %-9s %s", operand->number, operand->type, operand->value);
        if (operand->name) {
            cli_put(text, "  ");
            cli_put_style(text, CLI_STYLE_NAME, operand->name);
        }
        cli_put(text, "\n");
        json_t *object = json_object();
        json_object_set_new(object, "number", json_integer(operand->number));
        cli_json_text(object, "type", operand->type);
        cli_json_text(object, "value", operand->value);
        cli_json_text(object, "name", operand->name);
        json_array_append_new(list, object);
    }
    if (json_array_size(list) == 0)
        cli_put(text, "  (empty)\n");
    return list;
}

ebb_status cli_cmd_info_stack(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    ebb_arena arena = {0};
    ses_operands operands = {0};
    ebb_status status = ses_operands_get(c->session, &arena, &operands, err);
    if (status == EBB_UNSUPPORTED)
        return cli_cmd_backtrace(c, call, reply, err);
    if (status == EBB_OK) {
        cli_field_json(reply, "locals", view_operands(&reply->text, &operands, false, "Local variable slots:"));
        cli_field_json(reply, "stack", view_operands(&reply->text, &operands, true, "Operand stack, bottom first:"));
    }
    ebb_vec_fini(&operands);
    ebb_arena_fini(&arena);
    return status;
}
