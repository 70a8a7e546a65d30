/* view.h - how the session's structs look: each function writes the text and gives the JSON object for
 * the same struct, so that the two can't drift apart.  The layout is gdb's. */
#ifndef EBB_FRONT_CLI_VIEW_H
#define EBB_FRONT_CLI_VIEW_H

#include "front/cli/cli.h"
#include "session/time.h"
#include "session/breakpoints.h"
#include "session/data.h"
#include "session/frames.h"

enum cli_frame_parts {
    CLI_FRAME_LEVEL = 1 << 0,    /* "#1  " */
    CLI_FRAME_LOCATION = 1 << 1, /* "0x1139 in main (argc=1) at list.c:42" */
    CLI_FRAME_SOURCE = 1 << 2,   /* "42\tint x = 3;" */
};
/* Each part on a line of its own.  The object has every part, whatever is asked for as text. */
json_t *cli_view_frame(cli *c, cli_text *text, const ses_frame *frame, unsigned parts);

/* A point in the code: its address (in 16 digits or as few as it takes), or what stands for it (`place`). */
void cli_put_place(cli_text *text, const char *place, uint64_t address, bool padded);
void cli_json_place(json_t *object, const char *key, const char *place, uint64_t address);

/* "x = 5" line by line, from `indent` on; an array of {name, value, type}. */
json_t *cli_view_values(cli_text *text, const ses_named_values *values, const char *indent,
                        const char *none);

/* Fills `reply` with a stop: its reason, frame, source line, position and displays. */
void cli_view_stop(cli *c, cli_reply *reply, const ses_stop *stop);

/* The last line of a list that was cut: "3 more functions match ..."; nothing for 0. */
void cli_view_left_out(cli_reply *reply, size_t n, const char *what);

/* "Breakpoint 1 at 0x1139: file list.c, line 42." */
void cli_view_new_breakpoint(cli_reply *reply, const ses_breakpoint *bp);
/* One entry of `info breakpoints`; the column of types is as wide as its widest entry. */
json_t *cli_view_breakpoint(cli_text *text, const ses_breakpoint *bp, int type_width);
void cli_view_breakpoint_heading(cli_text *text, int type_width);
int cli_breakpoint_type_width(const ses_breakpoint *bp);
bool cli_is_watch(ses_bp_kind kind);

/* One moment of where a value comes from, as `origin` tells it. */
json_t *cli_link_json(const ses_origin_link *link);

/* "1: x = 5" of every display that has something to show; an array. */
json_t *cli_view_displays(cli *c, cli_text *text);

#endif
