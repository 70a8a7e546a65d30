/* args.h - small questions about the arguments of a command. */
#ifndef EBB_FRONT_CLI_ARGS_H
#define EBB_FRONT_CLI_ARGS_H

#include "front/cli/cli.h"

/* The first blank-separated word of *at into `word` (emptied first); *at moves after it and the
 * blanks that follow.  False at the end. */
bool cli_next_word(const char **at, ebb_buf *word);

/* Takes a leading literal word ("full", "-q") off *at.  False if it isn't there. */
bool cli_take_word(const char **at, const char *word);

/* A count: blank is 1, else an expression whose value is at least 1. */
ebb_status cli_count(cli *c, const char *args, unsigned *count, ebb_error *err) EBB_MUST_CHECK;

/* "1 3-5 2.1 $n": calls `each` for every number in turn, ends at the first failure.  `part` is what
 * stands after a dot, 0 if nothing does. */
typedef ebb_status cli_each_number(cli *c, unsigned number, unsigned part, void *data,
                                   ebb_error *err);
ebb_status cli_for_numbers(cli *c, const char *list, cli_each_number *each, void *data,
                           ebb_error *err) EBB_MUST_CHECK;
/* The part of `args` that is such a list; after it the rest (thread apply 1-2 bt). */
size_t cli_numbers_length(const char *args);

/* "/x expr": changes *format as the letters say; *at moves to the expression.  No letters is
 * fine; those that only examining memory knows (sizes, counts, i) are refused in the name of `command`. */
ebb_status cli_take_format(const char **at, const char *command, expr_format *format, ebb_error *err) EBB_MUST_CHECK;

#endif
