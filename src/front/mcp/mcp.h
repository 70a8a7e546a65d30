/* mcp.h - programs drive ebb by the Model Context Protocol: JSON-RPC, one message a line, on standard input and output.
 *
 * A tool (tools.def) is a command line with places for its arguments.  Its answer is the JSON of `--json` (docs/json.md), line by line as there,
 * and what the program printed meanwhile as a notice "output".
 *
 * MC1  an answer is at most MCP_MAX_ANSWER bytes: what is longer is cut, and says so;
 * MC2  a command that runs the program ends after a time: nobody is there to press Ctrl-C;
 * MC3  a value can't leave its place in a command line: one with a line break in it is refused;
 * MC4  no argument is passed over: one that the tool doesn't have, or of another kind, is refused, since without it the command may mean something else. */
#ifndef EBB_FRONT_MCP_MCP_H
#define EBB_FRONT_MCP_MCP_H

#include "front/cli/cli.h"
#include "front/cli/options.h"
#include "front/mcp/pump.h"

#include <jansson.h>

enum { MCP_MAX_ANSWER = 60000, MCP_SECONDS = 30 };

typedef struct mcp {
    cli cli;
    cli_sink sink;
    ebb_buf said;
    mcp_pump *pump;
    FILE *out;
} mcp;

int mcp_serve(const cli_options *options); /* the exit status */

void mcp_hear_line(mcp *m, const char *line, size_t n); /* one message: it is answered, or refused */

json_t *mcp_tool_list(void);
/* What the tool answers, as text; the caller's.  EBB_NOT_FOUND: there is no such tool. */
ebb_status mcp_tool_call(mcp *m, const char *name, const json_t *args, char **text, bool *is_error, ebb_error *err) EBB_MUST_CHECK;

#endif
