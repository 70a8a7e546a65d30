/* mcp_fuzz.c - hostile lines for the Model Context Protocol: JSON that is none, messages of any form, every tool with any arguments (MC1, MC3, MC4).
 * No program is opened: what needs one is refused, after its arguments were looked at.  `open` and `command`, which could do anything, are not called.
 * driver.h says how it is run. */
#include "../driver.h"
#include "base/check.h"
#include "front/mcp/mcp.h"


#include <stdio.h>

static void on_words(void *self, bool is_complaint, const char *bytes, size_t nbytes)
{
    (void)is_complaint;
    ebb_buf_add(&((mcp *)self)->said, bytes, nbytes);
}

static mcp *conversation(void)
{
    static mcp m;
    if (!m.out) {
        m.out = tmpfile();
        m.pump = mcp_pump_new(-1, -1);
        cli_init(&m.cli);
        m.sink = (cli_sink){.self = &m, .write = on_words};
        m.cli.sink = &m.sink;
        m.cli.is_json = true;
        m.cli.in_is_terminal = m.cli.out_is_terminal = false;
        ebb_check(m.out && m.pump);
    }
    return &m;
}

static bool could_do_anything(const char *bytes, size_t nbytes)
{
    return memmem(bytes, nbytes, "open", 4) || memmem(bytes, nbytes, "command", 7) || memmem(bytes, nbytes, "\\", 1);
}

/* Whatever is said is at most one line: an answer to what was asked. */
static void try_input(const char *bytes, size_t nbytes)
{
    mcp *m = conversation();
    if (could_do_anything(bytes, nbytes))
        return;
    rewind(m->out);
    mcp_hear_line(m, bytes, nbytes);
    long said = ftell(m->out);
    ebb_check(said >= 0 && said <= 8 * MCP_MAX_ANSWER);
}

#ifndef EBB_LIBFUZZER
static const char *const tools[] = {
#define MCP_TOOL(name, ...) name,
#include "front/mcp/tools.def"
#undef MCP_TOOL
};
static const char *const keys[] = {"where", "expression", "condition", "count", "seconds", "level", "limit", "numbers", "position", "bogus", ""};
static const char *const values[] = {"1", "-1", "99999999999999999999", "1e308", "null", "true", "\"main\"", "\"x + 1\"", "\"((((\"", "\"start\"", "[]", "[1, \"a\"]", "{}", "\"\"", "\"12@a.c:3\""};
static const char *const methods[] = {"initialize", "ping", "tools/list", "tools/call", "tools/call", "tools/call", "nothing", ""};
#define ANY(list) list[next_random(state) % (sizeof list / sizeof *list)]

/* Messages of the right form, some of which lose or change a byte. */
static void add_random(uint64_t *state, ebb_buf *input)
{
    ebb_buf_addf(input, "{\"jsonrpc\": \"2.0\", \"id\": %s, \"method\": \"%s\", \"params\": {\"name\": \"%s\", \"arguments\": {", ANY(values), ANY(methods), ANY(tools));
    for (uint64_t n = next_random(state) % 4, i = 0; i < n; i++)
        ebb_buf_addf(input, "%s\"%s\": %s", i ? ", " : "", ANY(keys), ANY(values));
    ebb_buf_adds(input, "}}}");
    for (uint64_t n = next_random(state) % 3 ? 0 : next_random(state) % 4; n; n--)
        input->data[next_random(state) % input->n] = (char)(' ' + next_random(state) % 95);
    if (next_random(state) % 8 == 0)
        ebb_buf_truncate(input, next_random(state) % input->n);
}
#endif
