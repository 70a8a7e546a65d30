/* pump.h - reads what the debuggee prints while the session works, and keeps it until somebody asks. */
#ifndef EBB_FRONT_MCP_PUMP_H
#define EBB_FRONT_MCP_PUMP_H

#include "base/buf.h"

enum { MCP_MAX_OUTPUT = 20000 }; /* what is older is dropped */

typedef struct mcp_pump mcp_pump;

mcp_pump *mcp_pump_new(int stdout_, int stderr_); /* NULL: there can be no thread */
void mcp_pump_free(mcp_pump *pump);
/* What was printed since this was last asked. */
void mcp_pump_take(mcp_pump *pump, ebb_buf *out);

#endif
