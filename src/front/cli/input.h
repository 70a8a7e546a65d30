/* input.h - where command lines come from: the terminal, a file, a list, a body of lines.
 *
 * Inputs stand on a stack: `source` puts a file on top of whatever is being read, and commands that
 * have a body (define, while, ...) take its lines from the input that they stand in. */
#ifndef EBB_FRONT_CLI_INPUT_H
#define EBB_FRONT_CLI_INPUT_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct cli_input cli_input;

typedef enum cli_read {
    CLI_READ_LINE,
    CLI_READ_END,
    CLI_READ_INTERRUPTED, /* Ctrl-C at the prompt, or a signal that ends ebb */
    CLI_READ_BAD,         /* a line that can't be a command: it has a NUL in it */
} cli_read;

struct cli_input {
    const char *name; /* for messages: "script.ebb", "-e"; NULL at the prompt */
    unsigned line;    /* the number of the last line read */
    bool is_prompt;   /* a person or a pipe at standard input: empty lines repeat */
    /* Puts the next line, without its newline, into the empty `out`.  prompt: what a person sees. */
    cli_read (*next)(cli_input *input, const char *prompt, ebb_buf *out);
    cli_input *outer; /* the one below on the stack */
};

cli_read cli_input_next(cli_input *input, const char *prompt, ebb_buf *out);

/* Lines of a text. */
typedef struct cli_lines_input {
    cli_input input;
    const char *at; /* borrowed */
} cli_lines_input;
void cli_lines_input_init(cli_lines_input *input, const char *name, const char *text);

/* Lines of a descriptor.  Standard input is shared with the debuggee, so not one byte more than the
 * line is taken from it (`exact`); other descriptors are read in blocks. */
typedef struct cli_fd_input {
    cli_input input;
    int fd;
    bool exact;
    char block[4096];
    size_t at, n; /* what of the block is still to be read */
    ebb_buf begun; /* of a line that an interrupt kept from being read */
    bool (*wait)(
        int fd); /* until there is something to read: false if there won't be; may be NULL */
} cli_fd_input;
void cli_fd_input_init(cli_fd_input *input, const char *name, int fd, bool exact,
                       bool (*wait)(int fd));

#endif
