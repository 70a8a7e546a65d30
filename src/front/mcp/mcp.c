/* mcp.c - JSON-RPC: a line is a message. */
#include "front/mcp/mcp.h"

#include "front/cli/signals.h"
#include "front/serve/streams.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MAX_LINE = 16 << 20, PARSE_ERROR = -32700, BAD_REQUEST = -32600, NO_METHOD = -32601, BAD_PARAMS = -32602 };

static void on_words(void *self, bool is_complaint, const char *bytes, size_t nbytes)
{
    (void)is_complaint;
    ebb_buf_add(&((mcp *)self)->said, bytes, nbytes);
}

/* ---- answering ----------------------------------------------------------------------------------- */

static void say(mcp *m, const json_t *id, const char *key, json_t *taken)
{
    json_t *message = json_pack("{s:s, s:o}", "jsonrpc", "2.0", key, taken);
    json_t *number = id ? json_deep_copy(id) : json_null();
    json_object_set_new(message, "id", number);
    char *line = json_dumps(message, JSON_COMPACT);
    if (line)
        fprintf(m->out, "%s\n", line);
    fflush(m->out);
    free(line);
    json_decref(message);
}

static void say_error(mcp *m, const json_t *id, int code, const char *why)
{
    say(m, id, "error", json_pack("{s:i, s:o}", "code", code, "message", cli_json_string(why)));
}

/* ---- methods ------------------------------------------------------------------------------------- */

typedef void method(mcp *m, const json_t *id, const json_t *params);

/* That of the client if it is known, else the newest that is: the client says then whether it can do with it. */
static const char *version_for(const char *wanted)
{
    static const char *const known[] = {"2024-11-05", "2025-03-26", "2025-06-18"};
    enum { N = sizeof known / sizeof *known };
    for (size_t i = 0; wanted && i < N; i++)
        if (strcmp(wanted, known[i]) == 0)
            return known[i];
    return known[N - 1];
}

static void do_initialize(mcp *m, const json_t *id, const json_t *params)
{
    const char *version = version_for(json_string_value(json_object_get(params, "protocolVersion")));
    say(m, id, "result",
        json_pack("{s:s, s:{s:{}}, s:{s:s, s:s}, s:s}", "protocolVersion", version, "capabilities", "tools", "serverInfo", "name", "ebb",
                  "version", EBB_VERSION, "instructions",
                  "A debugger for C and Java that runs programs in both directions. Open a program or a recording, then move and ask. Every stop tells its position; goto goes back there."));
}

static void do_ping(mcp *m, const json_t *id, const json_t *params)
{
    (void)params;
    say(m, id, "result", json_object());
}

static void do_list(mcp *m, const json_t *id, const json_t *params)
{
    (void)params;
    say(m, id, "result", json_pack("{s:o}", "tools", mcp_tool_list()));
}

static void do_call(mcp *m, const json_t *id, const json_t *params)
{
    const char *name = json_string_value(json_object_get(params, "name"));
    char *text;
    bool is_error;
    ebb_error err;
    if (!name || mcp_tool_call(m, name, json_object_get(params, "arguments"), &text, &is_error, &err) != EBB_OK) {
        say_error(m, id, BAD_PARAMS, name ? err.text : "which tool?");
        return;
    }
    say(m, id, "result", json_pack("{s:[{s:s, s:o}], s:b}", "content", "type", "text", "text", cli_json_string(text), "isError", is_error));
    free(text);
}

static const struct {
    const char *name;
    method *method;
} methods[] = {{"initialize", do_initialize}, {"ping", do_ping}, {"tools/list", do_list}, {"tools/call", do_call}};

static void hear(mcp *m, const json_t *message)
{
    const json_t *id = json_object_get(message, "id");
    const char *name = json_string_value(json_object_get(message, "method"));
    if (!name) {
        if (!json_object_get(message, "result"))
            say_error(m, id, BAD_REQUEST, "that is no request");
        return;
    }
    if (!id)
        return; /* a notification: there is none that asks for something to be done */
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        if (strcmp(methods[i].name, name) == 0) {
            methods[i].method(m, id, json_object_get(message, "params"));
            return;
        }
    }
    say_error(m, id, NO_METHOD, "there is no such method");
}

/* ---- the conversation ---------------------------------------------------------------------------- */

void mcp_hear_line(mcp *m, const char *line, size_t n)
{
    json_error_t why;
    json_t *message = json_loadb(line, n, 0, &why);
    if (message)
        hear(m, message);
    else
        say_error(m, NULL, PARSE_ERROR, why.text);
    json_decref(message);
}

static void converse(mcp *m, int in)
{
    char bytes[65536];
    ebb_buf line = {0};
    while (!m->cli.wants_quit && !cli_signal_ending()) {
        if (!cli_signal_wait(in)) {
            cli_signal_take_int(); /* a limit of time that came too late */
            continue;
        }
        ssize_t n = read(in, bytes, sizeof bytes);
        if (n <= 0)
            break;
        for (const char *at = bytes, *end = bytes + n; at < end;) {
            const char *newline = memchr(at, '\n', (size_t)(end - at));
            const char *stop = newline ? newline : end;
            if (line.n <= MAX_LINE)
                ebb_buf_add(&line, at, (size_t)(stop - at));
            if (newline && line.n > MAX_LINE)
                say_error(m, NULL, PARSE_ERROR, "a message is too long");
            else if (newline && line.n)
                mcp_hear_line(m, line.data, line.n);
            if (newline)
                ebb_buf_truncate(&line, 0);
            at = stop + (newline != NULL);
        }
    }
    ebb_buf_fini(&line);
}

int mcp_serve(const cli_options *options)
{
    (void)options;
    front_streams streams;
    ebb_error err;
    mcp m = {.sink = {.self = &m, .write = on_words}};
    if (front_streams_take(-1, &streams, &err) != EBB_OK || !(m.pump = mcp_pump_new(streams.stdout_, streams.stderr_))) {
        fprintf(stderr, "ebb: standard input and output can't be set up.\n");
        return 1;
    }
    m.out = fdopen(streams.out, "w");
    cli_init(&m.cli);
    m.cli.sink = &m.sink;
    m.cli.is_json = true;
    m.cli.in_is_terminal = m.cli.out_is_terminal = false;
    converse(&m, streams.in);
    cli_fini(&m.cli);
    mcp_pump_free(m.pump);
    ebb_buf_fini(&m.said);
    return 0;
}
