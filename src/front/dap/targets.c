/* targets.c - lines that have code, functions that a line calls, lines to go on at. */
#include "front/dap/dap.h"

#include "session/data.h"
#include "session/frames.h"

#include <string.h>

/* ---- lines with code ------------------------------------------------------------------------------- */

/* Whether there is native code of that very line; `spots` are filled then. */
static bool has_code(dap *d, const char *file, unsigned line, sym_spots *spots)
{
    return (spots->n || sym_spots_of_line(ses_get_symbols(d->session), file, line, spots, NULL) == EBB_OK) && spots->n && spots->items[0].line == line;
}

ebb_status dap_do_breakpoint_locations(dap *d, dap_request *r, ebb_error *err)
{
    enum { MOST = 10000 };
    const char *path = dap_text(json_object_get(r->args, "source"), "path");
    json_int_t first = dap_number(r->args, "line", 0), last = dap_number(r->args, "endLine", first);
    json_t *list = dap_list(r, "breakpoints");
    for (json_int_t line = first; path && line <= last && line - first < MOST; line++) {
        bool has;
        EBB_TRY(ses_line_has_code(d->session, path, dap_line_in(d, line), &has, err));
        if (has)
            json_array_append_new(list, json_pack("{s:I}", "line", line));
    }
    return EBB_OK;
}

/* ---- targets --------------------------------------------------------------------------------------- */

static void clear_targets(dap *d)
{
    for (size_t i = 0; i < d->targets.n; i++)
        free(d->targets.items[i]);
    ebb_vec_fini(&d->targets);
}

static bool is_target(const dap *d, const char *name)
{
    for (size_t i = 0; i < d->targets.n; i++)
        if (strcmp(d->targets.items[i], name) == 0)
            return true;
    return false;
}

static json_t *add_target(dap *d, json_t *list, const char *target, const char *label)
{
    ebb_vec_push(&d->targets, ebb_strdup(target));
    json_t *object = json_pack("{s:I}", "id", (json_int_t)d->targets.n);
    cli_json_text(object, "label", label);
    json_array_append_new(list, object);
    return object;
}

/* What the instruction calls: "call 0x401136 <add>", "invokestatic #43 // Method Main.add:(II)I"; NULL: nothing that has a name. */
static const char *callee(ebb_arena *arena, const char *text)
{
    static const struct {
        const char *word, *before, *after;
    } forms[] = {{"call", "<", ">@+"}, {"invoke", "Method ", ":"}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const char *begin = strstr(text, forms[i].before);
        if (strncmp(text, forms[i].word, strlen(forms[i].word)) != 0 || !begin)
            continue;
        begin += strlen(forms[i].before);
        return ebb_arena_strndup(arena, begin, strcspn(begin, forms[i].after));
    }
    return NULL;
}

/* "java/io/PrintStream.println" as people write it. */
static const char *with_dots(ebb_arena *arena, const char *name)
{
    char *text = ebb_arena_strdup(arena, name);
    for (char *at = text; *at; at++)
        *at = *at == '/' ? '.' : *at;
    return text;
}

ebb_status dap_do_step_in_targets(dap *d, dap_request *r, ebb_error *err)
{
    const ses_frame *frame;
    const char *function, *name;
    ses_code_lines lines = {0};
    EBB_TRY(dap_select_frame(d, r, err));
    EBB_TRY(ses_frame_selected(d->session, &frame, err));
    unsigned wanted = frame->has_line ? frame->line.line : 0, line = 0;
    json_t *list = dap_list(r, "targets");
    clear_targets(d);
    EBB_TRY(ses_disassemble(d->session, &r->arena, "", &function, &lines, err));
    for (size_t i = 0; i < lines.n; i++) {
        line = lines.items[i].line ? lines.items[i].line : line;
        name = line == wanted ? callee(&r->arena, lines.items[i].text) : NULL;
        if (name && !is_target(d, name))
            add_target(d, list, name, ses_has_trait(d->session, SES_NAMES_BY_FILE) ? with_dots(&r->arena, name) : name);
    }
    ebb_vec_fini(&lines);
    return EBB_OK;
}

/* ---- goto ------------------------------------------------------------------------------------------ */

ebb_status dap_do_goto_targets(dap *d, dap_request *r, ebb_error *err)
{
    const char *path = dap_text(json_object_get(r->args, "source"), "path");
    unsigned line = dap_line_in(d, dap_number(r->args, "line", 0));
    sym_spots spots = {0};
    if (!dap_has_addresses(d))
        return ebb_fail(err, EBB_UNSUPPORTED, "A Java method can't be entered in the middle.");
    json_t *list = dap_list(r, "targets");
    clear_targets(d);
    for (size_t i = 0; path && has_code(d, path, line, &spots) && i < spots.n; i++) {
        char *address = ebb_arena_printf(&r->arena, "0x%llx", (unsigned long long)spots.items[i].addr);
        json_t *target = add_target(d, list, address, spots.items[i].function ? spots.items[i].function : address);
        json_object_set_new(target, "line", json_integer(dap_line_out(d, line)));
        json_object_set_new(target, "instructionPointerReference", json_string(address));
    }
    ebb_vec_fini(&spots);
    return EBB_OK;
}

ebb_status dap_do_goto(dap *d, dap_request *r, ebb_error *err)
{
    json_int_t target = dap_number(r->args, "targetId", 0);
    if (target < 1 || (uint64_t)target > d->targets.n)
        return ebb_fail(err, EBB_NOT_FOUND, "There is no such target now.");
    EBB_TRY(ses_assign(d->session, ebb_arena_printf(&r->arena, "$pc = %s", d->targets.items[target - 1]), err));
    dap_answer(d, r);
    dap_tell_moved(d, "Goes on here");
    return EBB_OK;
}
