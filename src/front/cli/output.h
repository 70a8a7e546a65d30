/* output.h - the one place that writes: text or JSON, colours, pages.
 *
 * OU1  answers, stops and notices go to standard output, complaints to standard error; with --json
 *      everything is an object on standard output;
 * OU2  whatever is printed has left ebb before the debuggee moves, so that their outputs stay in order;
 * OU3  once nobody reads any more (a broken pipe) ebb stops writing and wants to quit. */
#ifndef EBB_FRONT_CLI_OUTPUT_H
#define EBB_FRONT_CLI_OUTPUT_H

#include "front/cli/cli.h"

void cli_emit_reply(cli *c, const char *line, const cli_reply *reply);
void cli_emit_error(cli *c, const char *line, const ebb_error *err);
/* What is worth saying while a command is at work; one line, without its newline. */
void cli_emit_notice(cli *c, const char *word, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void cli_emit_notice_text(cli *c, const char *word, const cli_text *text, json_t *taken_fields);
void cli_emit_warning(cli *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* y or n, from the person at the terminal; true where there is nobody to ask, or `confirm` is off. */
bool cli_ask(cli *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes all of it.  False if it can't be written. */
bool cli_write_all(int fd, const char *bytes, size_t nbytes);

#endif
