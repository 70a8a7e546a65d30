/* flow_svg.h - the travels of an object as a picture. */
#ifndef EBB_FRONT_CLI_FLOW_SVG_H
#define EBB_FRONT_CLI_FLOW_SVG_H

#include "session/call_tree.h"

/* Draws moves of `flow`, and the calls that they happened in, into a file of that name. */
ebb_status cli_flow_svg(const char *path, const ses_origin_links *links, const ses_call_tree *tree, ebb_error *err) EBB_MUST_CHECK;

#endif
