/* view_frame.c - frames and their values. */
#include "front/cli/view.h"

#include <stdlib.h>
#include <string.h>

static json_t *view_args(cli *c, cli_text *text, const ses_frame *frame)
{
    ebb_arena arena = {0};
    ses_named_values args = {0};
    json_t *list = json_array();
    cli_put(text, " (");
    if (ses_frame_args(c->session, &arena, frame->level, true, &args, NULL) == EBB_OK) {
        for (size_t i = 0; i < args.n; i++) {
            const ses_named_value *arg = &args.items[i];
            cli_put(text, i ? ", " : "");
            cli_put_style(text, CLI_STYLE_NAME, arg->name);
            if (arg->is_as_passed)
                cli_putf(text, "=%s@entry", arg->name);
            cli_putf(text, "=%s", arg->value);
            if (arg->passed)
                cli_putf(text, ", %s@entry=%s", arg->name, arg->passed);
            json_t *object = json_object();
            cli_json_text(object, "name", arg->name);
            cli_json_text(object, "value", arg->value);
            cli_json_text(object, "type", arg->type);
            json_array_append_new(list, object);
        }
    }
    cli_put(text, ")");
    ebb_vec_fini(&args);
    ebb_arena_fini(&arena);
    return list;
}

void cli_put_place(cli_text *text, const char *place, uint64_t address, bool padded)
{
    if (place)
        cli_put_style(text, CLI_STYLE_ADDRESS, place);
    else
        cli_put_stylef(text, CLI_STYLE_ADDRESS, padded ? "0x%016llx" : "0x%llx", (unsigned long long)address);
}

void cli_json_place(json_t *object, const char *key, const char *place, uint64_t address)
{
    if (place)
        cli_json_text(object, key, place);
    else
        cli_json_address(object, key, address);
}

/* Without a line, the place says where in the function. */
static bool shows_place(const ses_frame *frame)
{
    return !frame->has_line || frame->mid_line;
}

/* "0x1139 in main", "main"; a place with a name in it ("Main.add:12") says both. */
static void put_function(cli *c, cli_text *text, const ses_frame *frame)
{
    if (frame->place) {
        cli_put_style(text, CLI_STYLE_FUNCTION, shows_place(frame) ? frame->place : frame->name);
        return;
    }
    if (shows_place(frame) && cli_setting_on(c, "print address", true)) {
        cli_put_place(text, NULL, frame->pc, true);
        cli_put(text, " in ");
    }
    cli_put_style(text, CLI_STYLE_FUNCTION, frame->name ? frame->name : "??");
}

/* "0x1139 in main (argc=1) at list.c:42"; the arguments are for the object, too. */
static json_t *view_location(cli *c, cli_text *text, const ses_frame *frame)
{
    if (frame->is_signal_frame) {
        cli_put(text, "<signal handler called>");
        return NULL;
    }
    put_function(c, text, frame);
    json_t *args = view_args(c, text, frame);
    cli_put(text, frame->is_native ? " [native]" : "");
    if (frame->has_line) {
        cli_put(text, " at ");
        cli_put_style(text, CLI_STYLE_FILE, frame->line.name);
        cli_putf(text, ":%u", frame->line.line);
    } else if (frame->module) {
        cli_put(text, " from ");
        cli_put_style(text, CLI_STYLE_FILE, frame->module);
    }
    return args;
}

/* That a file is missing is said once, until another one was looked for. */
static void view_missing(cli *c, cli_text *text, const ses_frame *frame)
{
    if (c->missing_source && strcmp(c->missing_source, frame->line.file) == 0) {
        cli_putf(text, "%u\tin %s\n", frame->line.line, frame->line.name);
        return;
    }
    cli_putf(text, "%u\t%s: No such file or directory.\n", frame->line.line, frame->line.name);
    free(c->missing_source);
    c->missing_source = ebb_strdup(frame->line.file);
}

static void view_source(cli *c, cli_text *text, const ses_frame *frame, bool with_address)
{
    if (!frame->has_line && frame->instruction) {
        cli_put_place(text, frame->place, frame->pc, true);
        cli_putf(text, "\t%s\n", frame->instruction);
    }
    if (!frame->has_line)
        return;
    if (with_address && frame->mid_line) {
        cli_put_place(text, frame->place, frame->pc, true);
        cli_put(text, "\t");
    }
    const char *line = ses_source_text(c->session, frame->line.file, frame->line.line);
    if (line)
        cli_putf(text, "%u\t%s\n", frame->line.line, line);
    else
        view_missing(c, text, frame);
    if (line) {
        free(c->missing_source);
        c->missing_source = NULL;
    }
}

static json_t *frame_object(cli *c, const ses_frame *frame, json_t *args)
{
    json_t *object = json_object();
    json_object_set_new(object, "level", json_integer(frame->level));
    cli_json_place(object, "pc", frame->place, frame->pc);
    cli_json_text(object, "function", frame->name);
    if (args)
        json_object_set_new(object, "args", args);
    if (frame->has_line) {
        cli_json_text(object, "file", frame->line.name);
        cli_json_text(object, "fullname", frame->line.file);
        json_object_set_new(object, "line", json_integer(frame->line.line));
        cli_json_text(object, "source",
                      ses_source_text(c->session, frame->line.file, frame->line.line));
    }
    cli_json_text(object, "module", frame->module);
    cli_json_text(object, "instruction", frame->instruction);
    if (frame->is_native)
        json_object_set_new(object, "native", json_true());
    if (frame->is_inlined)
        json_object_set_new(object, "inlined", json_true());
    if (frame->regs.is_tail)
        json_object_set_new(object, "tail_call", json_true());
    if (frame->is_signal_frame)
        json_object_set_new(object, "signal_handler", json_true());
    return object;
}

json_t *cli_view_frame(cli *c, cli_text *text, const ses_frame *frame, unsigned parts)
{
    if (parts & CLI_FRAME_LEVEL)
        cli_putf(text, "#%-2u ", frame->level);
    cli_text aside = {0};
    json_t *args = view_location(c, parts & CLI_FRAME_LOCATION ? text : &aside, frame);
    cli_text_fini(&aside);
    if (parts & CLI_FRAME_LOCATION)
        cli_put(text, "\n");
    if (parts & CLI_FRAME_SOURCE)
        view_source(c, text, frame, !(parts & CLI_FRAME_LOCATION));
    return frame_object(c, frame, args);
}

json_t *cli_view_values(cli_text *text, const ses_named_values *values, const char *indent,
                        const char *none)
{
    json_t *list = json_array();
    for (size_t i = 0; i < values->n; i++) {
        const ses_named_value *value = &values->items[i];
        cli_put(text, indent);
        cli_put_style(text, CLI_STYLE_NAME, value->name);
        cli_putf(text, " = %s\n", value->value);
        json_t *object = json_object();
        cli_json_text(object, "name", value->name);
        cli_json_text(object, "value", value->value);
        cli_json_text(object, "type", value->type);
        json_array_append_new(list, object);
    }
    if (values->n == 0)
        cli_putf(text, "%s%s\n", indent, none);
    return list;
}
