/* beside.h - `ebb run --jdwp`, `ebb replay --jdwp`: one debugger of Java's own at a time, beside the prompt.
 *
 * Both are for the same program.  While it stands still, whoever speaks first is served; while it runs for the client, the prompt waits, and
 * Ctrl-C stops it.  When the prompt has moved the program, frames that the client knows are refused, and the next time
 * that it lets the program run it is told at once that it stopped where it is now: clients keep what they saw until then. */
#ifndef EBB_FRONT_JDWP_BESIDE_H
#define EBB_FRONT_JDWP_BESIDE_H

#include "front/cli/cli.h"

typedef struct jd_beside jd_beside;

/* where: [HOST:]PORT. */
ebb_status jd_beside_new(cli *c, const char *where, bool any_address, bool is_recording, jd_beside **out, ebb_error *err) EBB_MUST_CHECK;
void jd_beside_free(jd_beside *b); /* NULL is fine */

#endif
