/* flow_svg.h - the picture of `flow --svg`: the moves of an object from top to bottom, indented as the calls that it went into. */
#ifndef EBB_FRONT_CLI_FLOW_SVG_H
#define EBB_FRONT_CLI_FLOW_SVG_H

#include "session/time.h"

ebb_status cli_flow_svg(const char *path, const ses_origin_links *links, ebb_error *err) EBB_MUST_CHECK;

#endif
