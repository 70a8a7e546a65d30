/* input.c - a line may come in pieces and may be longer than any buffer. */
#include "front/cli/input.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

cli_read cli_input_next(cli_input *input, const char *prompt, ebb_buf *out)
{
    ebb_buf_truncate(out, 0);
    cli_read read = input->next(input, prompt, out);
    if (read != CLI_READ_LINE)
        return read;
    input->line++;
    if (out->n && out->data[out->n - 1] == '\r')
        ebb_buf_truncate(out, out->n - 1);
    return memchr(ebb_buf_text(out), '\0', out->n) ? CLI_READ_BAD : CLI_READ_LINE;
}

static cli_read next_of_lines(cli_input *base, const char *prompt, ebb_buf *out)
{
    cli_lines_input *input = (cli_lines_input *)base;
    if (*input->at == '\0')
        return CLI_READ_END;
    size_t n = strcspn(input->at, "\n");
    ebb_buf_add(out, input->at, n);
    input->at += n + (input->at[n] == '\n');
    return CLI_READ_LINE;
}

void cli_lines_input_init(cli_lines_input *input, const char *name, const char *text)
{
    *input = (cli_lines_input){.input = {.name = name, .next = next_of_lines}, .at = text};
}

/* Whether there is something to read in the block. */
static cli_read fill_block(cli_fd_input *input)
{
    while (input->at == input->n) {
        if (input->wait && !input->wait(input->fd))
            return CLI_READ_INTERRUPTED;
        ssize_t got = read(input->fd, input->block, input->exact ? 1 : sizeof input->block);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return CLI_READ_END;
        input->at = 0;
        input->n = (size_t)got;
    }
    return CLI_READ_LINE;
}

/* The rest of a line whose beginning was read already is not a command of its own. */
static cli_read keep_begun(cli_fd_input *input, const ebb_buf *line)
{
    ebb_buf_add(&input->begun, ebb_buf_text(line), line->n);
    return CLI_READ_INTERRUPTED;
}

static cli_read next_of_fd(cli_input *base, const char *prompt, ebb_buf *out)
{
    cli_fd_input *input = (cli_fd_input *)base;
    ebb_buf_add(out, ebb_buf_text(&input->begun), input->begun.n);
    ebb_buf_fini(&input->begun);
    for (bool any = out->n > 0;; any = true) {
        cli_read filled = fill_block(input);
        if (filled == CLI_READ_END && any)
            return CLI_READ_LINE; /* the last line lacks its newline */
        if (filled == CLI_READ_INTERRUPTED)
            return keep_begun(input, out);
        if (filled != CLI_READ_LINE)
            return filled;
        const char *from = input->block + input->at;
        const char *newline = memchr(from, '\n', input->n - input->at);
        size_t n = newline ? (size_t)(newline - from) : input->n - input->at;
        ebb_buf_add(out, from, n);
        input->at += n + (newline != NULL);
        if (newline)
            return CLI_READ_LINE;
    }
}

void cli_fd_input_init(cli_fd_input *input, const char *name, int fd, bool exact,
                       bool (*wait)(int fd))
{
    *input = (cli_fd_input){
        .input = {.name = name, .next = next_of_fd}, .fd = fd, .exact = exact, .wait = wait};
}
