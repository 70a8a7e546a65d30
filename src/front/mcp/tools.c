/* tools.c - tools as command lines. */
#include "front/mcp/mcp.h"

#include "base/arena.h"
#include "base/text.h"
#include "front/cli/output.h"
#include "front/cli/signals.h"
#include "front/cli/view.h"
#include "session/time.h"

#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const struct tool {
    const char *name, *description, *parameters, *line;
} tools[] = {
#define MCP_TOOL(name, description, parameters, line) {name, description, parameters, line},
#include "front/mcp/tools.def"
#undef MCP_TOOL
};
enum { N_TOOLS = sizeof tools / sizeof *tools };

/* ---- the list ------------------------------------------------------------------------------------ */

/* "name?:type:description" */
static void add_parameter(json_t *properties, json_t *required, const char *at, size_t n)
{
    const char *type = memchr(at, ':', n), *description = memchr(type + 1, ':', n - (size_t)(type + 1 - at));
    size_t name_length = (size_t)(type - at) - (type[-1] == '?');
    char name[32], type_name[16];
    snprintf(name, sizeof name, "%.*s", (int)name_length, at);
    snprintf(type_name, sizeof type_name, "%.*s", (int)(description - type - 1), type + 1);
    json_t *schema = json_pack("{s:s, s:s%}", "type", type_name, "description", description + 1, (size_t)(at + n - description - 1));
    if (strcmp(type_name, "array") == 0)
        json_object_set_new(schema, "items", json_pack("{s:s}", "type", "string"));
    json_object_set_new(properties, name, schema);
    if (type[-1] != '?')
        json_array_append_new(required, json_string(name));
}

static json_t *schema_of(const struct tool *tool)
{
    json_t *properties = json_object(), *required = json_array();
    for (const char *at = tool->parameters; *at;) {
        size_t n = strcspn(at, "|");
        add_parameter(properties, required, at, n);
        at += n + (at[n] == '|');
    }
    return json_pack("{s:s, s:o, s:o}", "type", "object", "properties", properties, "required", required);
}

json_t *mcp_tool_list(void)
{
    json_t *list = json_array();
    for (size_t i = 0; i < N_TOOLS; i++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:o}", "name", tools[i].name, "description", tools[i].description, "inputSchema", schema_of(&tools[i])));
    return list;
}

/* ---- arguments ----------------------------------------------------------------------------------- */

/* MC4.  `property` is the schema's; NULL: the tool has no such argument. */
static ebb_status check_argument(const struct tool *tool, const char *name, const json_t *property, const json_t *value, ebb_error *err)
{
    const char *type = json_string_value(json_object_get(property, "type"));
    bool is_scalar = json_is_string(value) || json_is_integer(value);
    if (json_is_null(value) || (strcmp(name, "seconds") == 0 && json_is_integer(value)))
        return EBB_OK;
    if (!property)
        return ebb_fail(err, EBB_BAD_INPUT, "\"%s\" has no argument \"%.60s\".", tool->name, name);
    if (strcmp(type, "array") != 0 && !is_scalar) /* lists are open_any's */
        return ebb_fail(err, EBB_BAD_INPUT, "The argument \"%s\" is no %s.", name, type);
    if (tool->line && json_is_string(value) && strpbrk(json_string_value(value), "\n\r"))
        return ebb_fail(err, EBB_BAD_INPUT, "An argument has a line break in it.");
    return EBB_OK;
}

static ebb_status check_arguments(const struct tool *tool, const json_t *args, ebb_error *err)
{
    json_t *schema = schema_of(tool), *value;
    const json_t *properties = json_object_get(schema, "properties");
    const char *name;
    ebb_status status = !args || json_is_object(args) ? EBB_OK : ebb_fail(err, EBB_BAD_INPUT, "The arguments are no object.");
    json_object_foreach((json_t *)args, name, value)
        if (status == EBB_OK)
            status = check_argument(tool, name, json_object_get(properties, name), value, err);
    json_decref(schema);
    return status;
}

/* ---- command lines ------------------------------------------------------------------------------- */

/* What was given for {name} or {name=otherwise}; NULL: nothing.  The arena's. */
static const char *given(ebb_arena *arena, const json_t *args, const char *name, size_t n)
{
    const char *otherwise = memchr(name, '=', n);
    char *key = ebb_arena_strndup(arena, name, otherwise ? (size_t)(otherwise - name) : n);
    const json_t *value = json_object_get(args, key);
    if (json_is_string(value))
        return json_string_value(value);
    if (json_is_integer(value))
        return ebb_arena_printf(arena, "%lld", (long long)json_integer_value(value));
    return otherwise ? ebb_arena_strndup(arena, otherwise + 1, n - (size_t)(otherwise + 1 - name)) : NULL;
}

static ebb_status fill_in(ebb_arena *arena, const char *line, const char *end, const json_t *args, ebb_buf *out, ebb_error *err)
{
    while (line < end) {
        const char *close = *line == '{' ? memchr(line, '}', (size_t)(end - line)) : *line == '[' ? memchr(line, ']', (size_t)(end - line)) : NULL;
        if (!close) {
            ebb_buf_addc(out, *line++);
            continue;
        }
        const char *value = *line == '{' ? given(arena, args, line + 1, (size_t)(close - line - 1)) : "";
        size_t before = out->n;
        if (!value)
            return ebb_fail(err, EBB_BAD_INPUT, "The argument \"%.*s\" is missing.", (int)(close - line - 1), line + 1);
        ebb_buf_adds(out, value);
        if (*line == '[' && fill_in(arena, line + 1, close, args, out, NULL) != EBB_OK)
            ebb_buf_truncate(out, before);
        line = close + 1;
    }
    return EBB_OK;
}

/* ---- opening ------------------------------------------------------------------------------------- */

static bool are_words(const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!json_is_string(json_array_get(list, i)))
            return false;
    return json_array_size(list) > 0;
}

static ebb_status open_program(mcp *m, const json_t *words, ebb_error *err)
{
    EBB_VEC(char *) args = {0};
    if (!are_words(words))
        return ebb_fail(err, EBB_BAD_INPUT, "Say what to open: a program, as a list of texts, a recording, or a pid.");
    for (size_t i = 0; i < json_array_size(words); i++)
        ebb_vec_push(&args, (char *)json_string_value(json_array_get(words, i)));
    ebb_vec_push(&args, NULL);
    ebb_status status = ses_set_program(m->cli.session, args.items, err);
    ebb_vec_fini(&args);
    return status;
}

static void tell_stop(mcp *m, const ses_stop *stop)
{
    cli_reply reply = {0};
    cli_view_stop(&m->cli, &reply, stop);
    cli_emit_reply(&m->cli, "open", &reply);
    cli_reply_fini(&reply);
}

static ebb_status open_any(mcp *m, const json_t *args, ebb_error *err)
{
    session *s = m->cli.session;
    const char *recording = json_string_value(json_object_get(args, "recording")), *cwd = json_string_value(json_object_get(args, "cwd"));
    const json_t *pid = json_object_get(args, "pid");
    ses_stop stop = {0};
    if (cwd && chdir(cwd) != 0)
        return ebb_fail_errno(err, "%.200s", cwd);
    if (recording || json_is_integer(pid)) {
        EBB_TRY(recording ? ses_replay(s, recording, &stop, err) : ses_attach(s, (pid_t)json_integer_value(pid), &stop, err));
        tell_stop(m, &stop);
        return EBB_OK;
    }
    ses_set_mode(s, SES_MODE_VM);
    EBB_TRY(open_program(m, json_object_get(args, "program"), err));
    cli_emit_reply(&m->cli, "open", &(cli_reply){0});
    return EBB_OK;
}

/* ---- calling ------------------------------------------------------------------------------------- */

static timer_t begin_limit(json_int_t seconds)
{
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGINT};
    struct itimerspec limit = {.it_value.tv_sec = seconds > 0 && seconds < 100000 ? seconds : MCP_SECONDS, .it_interval.tv_sec = 1};
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0)
        return NULL;
    timer_settime(timer, 0, &limit, NULL);
    return timer;
}

static ebb_status carry_out(mcp *m, const struct tool *tool, const json_t *args, ebb_error *err)
{
    ebb_arena arena = {0};
    ebb_buf line = {0};
    ebb_status status = check_arguments(tool, args, err);
    if (status == EBB_OK && tool->line)
        status = fill_in(&arena, tool->line, tool->line + strlen(tool->line), args, &line, err);
    cli_signal_take_int();
    if (status == EBB_OK)
        status = tool->line ? cli_execute_text(&m->cli, NULL, ebb_buf_text(&line), err) : open_any(m, args, err);
    if (status != EBB_OK)
        cli_emit_error(&m->cli, line.n ? ebb_buf_text(&line) : tool->name, err);
    ebb_buf_fini(&line);
    ebb_arena_fini(&arena);
    return status;
}

/* {"kind":"notice","notice":"output","text":...} */
static void add_output(mcp *m)
{
    ebb_buf printed = {0};
    mcp_pump_take(m->pump, &printed);
    if (printed.n) {
        json_t *notice = json_pack("{s:s, s:s, s:o}", "kind", "notice", "notice", "output", "text", cli_json_string(ebb_buf_text(&printed)));
        char *line = json_dumps(notice, JSON_COMPACT);
        ebb_buf_addf(&m->said, "%s\n", line ? line : "");
        free(line);
        json_decref(notice);
    }
    ebb_buf_fini(&printed);
}

/* MC1 */
static char *take_answer(mcp *m)
{
    size_t n = m->said.n;
    while (n && (m->said.data[n - 1] == '\n'))
        ebb_buf_truncate(&m->said, --n);
    if (n > MCP_MAX_ANSWER) {
        ebb_buf_truncate(&m->said, MCP_MAX_ANSWER);
        ebb_buf_addf(&m->said, "\n{\"kind\":\"notice\",\"notice\":\"cut\",\"text\":\"%zu bytes more; ask for less\"}", n - MCP_MAX_ANSWER);
    }
    return m->said.data ? ebb_buf_take(&m->said) : ebb_strdup("");
}

ebb_status mcp_tool_call(mcp *m, const char *name, const json_t *args, char **text, bool *is_error, ebb_error *err)
{
    for (size_t i = 0; i < N_TOOLS; i++) {
        if (strcmp(tools[i].name, name) != 0)
            continue;
        ebb_error why;
        timer_t limit = begin_limit(json_integer_value(json_object_get(args, "seconds")));
        *is_error = carry_out(m, &tools[i], args, &why) != EBB_OK;
        if (limit)
            timer_delete(limit);
        add_output(m);
        *text = take_answer(m);
        return EBB_OK;
    }
    return ebb_fail(err, EBB_NOT_FOUND, "There is no tool \"%.60s\".", name);
}
