/* output.c - text is paged only on a terminal, JSON never. */
#include "front/cli/output.h"

#include "front/cli/logging.h"
#include "front/cli/signals.h"
#include "session/settings.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* In pieces that are taken at once where there is room at all: nobody may ever read the rest, and SIGTERM is to be heard then, too.
 * EINTR: it came, or, if the text may be cut short, Ctrl-C did. */
static bool write_pieces(int fd, const char *bytes, size_t nbytes, bool may_be_cut)
{
    while (nbytes) {
        if (!cli_signal_wait_to_write(fd) || (may_be_cut && cli_signal_pending())) {
            errno = EINTR;
            return false;
        }
        ssize_t n = write(fd, bytes, nbytes < PIPE_BUF ? nbytes : PIPE_BUF);
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n < 0)
            return false;
        bytes += n;
        nbytes -= (size_t)n;
    }
    return true;
}

bool cli_write_all(int fd, const char *bytes, size_t nbytes)
{
    return write_pieces(fd, bytes, nbytes, false);
}

static void write_answer(cli *c, const char *bytes, size_t nbytes)
{
    if (c->sink) {
        c->sink->write(c->sink->self, false, bytes, nbytes);
        return;
    }
    bool may_be_cut = c->in_is_terminal && !c->is_json && !c->is_batch && nbytes > PIPE_BUF;
    if (write_pieces(STDOUT_FILENO, bytes, nbytes, may_be_cut))
        return;
    if (errno == EINTR && may_be_cut && cli_signal_take_int())
        cli_write_all(STDOUT_FILENO, "\nQuit\n", 6);
    if (errno != EPIPE)
        return;
    c->wants_quit = true; /* OU3 */
    c->exit_status = 1;
}

static void write_complaint(cli *c, const char *bytes, size_t nbytes)
{
    if (c->sink)
        c->sink->write(c->sink->self, true, bytes, nbytes);
    else
        cli_write_all(STDERR_FILENO, bytes, nbytes);
}

/* The first letter, in lower case, of the line that the person at the terminal types; '\n' if it is empty,
 * '\0' if there is none: the end of the input, Ctrl-C. */
static char read_answer(void)
{
    char line[256];
    ssize_t n = cli_signal_wait(STDIN_FILENO) ? read(STDIN_FILENO, line, sizeof line) : -1;
    return n > 0 ? (char)tolower((unsigned char)line[0]) : '\0';
}

/* ---- pages ------------------------------------------------------------------------------------ */

/* `height` follows the terminal until the person sets it to something else. */
static unsigned page_height(cli *c)
{
    struct winsize size;
    unsigned height = cli_setting_count(c, "height", 0);
    if (height != c->rows_of_terminal || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 ||
        size.ws_row == 0)
        return height;
    char rows[16];
    snprintf(rows, sizeof rows, "%u", size.ws_row);
    if (ses_setting_set(c->session, "height", rows, NULL) == EBB_OK)
        c->rows_of_terminal = size.ws_row;
    return size.ws_row;
}

static bool pages(cli *c)
{
    return c->in_is_terminal && c->out_is_terminal && !c->is_json && !c->is_batch &&
           !c->paging_off && cli_setting_on(c, "pagination", true);
}

/* False if the person has seen enough. */
static bool turn_page(cli *c)
{
    static const char question[] =
        "--Type <RET> for more, q to quit, c to continue without paging--";
    write_answer(c, question, sizeof question - 1);
    char answer = read_answer();
    cli_signal_take_int(); /* Ctrl-C is an answer, too */
    c->rows_shown = 0;
    if (answer == 'c')
        c->paging_off = true;
    return answer && answer != 'q';
}

static void write_paged(cli *c, const char *bytes, size_t nbytes)
{
    unsigned height = pages(c) ? page_height(c) : 0;
    const char *end = bytes + nbytes;
    while (height > 1 && !c->paging_off && bytes < end && !c->wants_quit) {
        const char *stop = bytes;
        for (; stop < end && c->rows_shown < height - 1; c->rows_shown++) {
            const char *newline = memchr(stop, '\n', (size_t)(end - stop));
            stop = newline ? newline + 1 : end;
        }
        write_answer(c, bytes, (size_t)(stop - bytes));
        bytes = stop;
        c->gave_up = bytes < end && !turn_page(c);
        if (c->gave_up)
            return;
    }
    write_answer(c, bytes, (size_t)(end - bytes));
}

/* ---- text and JSON ---------------------------------------------------------------------------- */

static bool colours(cli *c)
{
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    return c->out_is_terminal && !(no_color && *no_color) && term && strcmp(term, "dumb") != 0 &&
           cli_setting_on(c, "style enabled", true);
}

static void write_text(cli *c, const cli_text *text)
{
    if (cli_logging_takes(c, ebb_buf_text(&text->bytes), text->bytes.n))
        return;
    if (!colours(c) || text->spans.n == 0) {
        write_paged(c, ebb_buf_text(&text->bytes), text->bytes.n);
        return;
    }
    ebb_buf coloured = {0};
    cli_text_colour(text, &coloured);
    write_paged(c, ebb_buf_text(&coloured), coloured.n);
    ebb_buf_fini(&coloured);
}

/* One line; caller frees. */
static char *json_line(json_t *taken)
{
    char *line = json_dumps(taken, JSON_COMPACT);
    json_decref(taken);
    return line ? line : ebb_strdup("{\"kind\":\"error\",\"message\":\"not representable\"}");
}

static void write_json(cli *c, json_t *taken)
{
    char *line = json_line(taken);
    ebb_buf out = {0};
    ebb_buf_addf(&out, "%s\n", line);
    free(line);
    write_answer(c, ebb_buf_text(&out), out.n);
    ebb_buf_fini(&out);
}

/* The rows become the last member of the object, which has others. */
static void write_json_with_rows(cli *c, json_t *taken, const cli_reply *reply)
{
    char *line = json_line(taken);
    ebb_buf head = {0};
    ebb_buf_addf(&head, "%.*s,\"%s\":[", (int)strlen(line) - 1, line, reply->rows_key);
    free(line);
    write_answer(c, ebb_buf_text(&head), head.n);
    ebb_buf_fini(&head);
    write_answer(c, ebb_buf_text(&reply->rows), reply->rows.n);
    write_answer(c, "]}\n", 3);
}

/* {"kind": ..., "command": ...}: the beginning of every object. */
static json_t *new_object(const char *kind, const char *line)
{
    json_t *object = json_object();
    json_object_set_new(object, "kind", json_string(kind));
    cli_json_text(object, "command", line);
    return object;
}

static void write_reply_text(cli *c, const cli_reply *reply)
{
    if (reply->is_quiet || reply->text.bytes.n == 0)
        return;
    if (c->pending_heading)
        write_text(c, c->pending_heading);
    c->pending_heading = NULL;
    write_text(c, &reply->text);
}

void cli_emit_reply(cli *c, const char *line, const cli_reply *reply)
{
    if (!c->is_json) {
        write_reply_text(c, reply);
        return;
    }
    json_t *object = new_object(reply->kind == CLI_STOP ? "stop" : "answer", line);
    if (reply->fields)
        json_object_update_missing(object, reply->fields);
    else if (reply->rows_key == NULL && reply->text.bytes.n)
        cli_json_text(object, "text", ebb_buf_text(&reply->text.bytes));
    if (reply->rows_key)
        write_json_with_rows(c, object, reply);
    else
        write_json(c, object);
}

/* Complaints quote what was typed: nonsense must not reach the terminal as it is. */
static void make_harmless(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = '?';
}

void cli_emit_error(cli *c, const char *line, const ebb_error *err)
{
    if (c->is_json) {
        json_t *object = new_object("error", line);
        cli_json_text(object, "status", ebb_status_text(err->status));
        cli_json_text(object, "message", err->text);
        write_json(c, object);
        return;
    }
    cli_text text = {0};
    ebb_error shown = *err;
    make_harmless(shown.text);
    cli_put_style(&text, !c->sink && isatty(STDERR_FILENO) && colours(c) ? CLI_STYLE_ERROR : CLI_STYLE_PLAIN,
                  shown.text);
    cli_put(&text, "\n");
    ebb_buf out = {0};
    cli_text_colour(&text, &out);
    if (!cli_logging_takes(c, ebb_buf_text(&text.bytes), text.bytes.n))
        write_complaint(c, ebb_buf_text(&out), out.n);
    ebb_buf_fini(&out);
    cli_text_fini(&text);
}

void cli_emit_notice_text(cli *c, const char *word, const cli_text *text, json_t *taken_fields)
{
    if (!c->is_json) {
        write_text(c, text);
        json_decref(taken_fields);
        return;
    }
    json_t *object = new_object("notice", NULL);
    json_object_set_new(object, "notice", json_string(word));
    if (taken_fields)
        json_object_update_missing(object, taken_fields);
    json_decref(taken_fields);
    char *line = ebb_strndup(ebb_buf_text(&text->bytes), text->bytes.n - (text->bytes.n > 0));
    cli_json_text(object, "text", line);
    free(line);
    write_json(c, object);
}

void cli_emit_notice(cli *c, const char *word, const char *format, ...)
{
    cli_text text = {0};
    va_list args;
    va_start(args, format);
    ebb_buf_vaddf(&text.bytes, format, args);
    va_end(args);
    cli_put(&text, "\n");
    cli_emit_notice_text(c, word, &text, NULL);
    cli_text_fini(&text);
}

void cli_emit_warning(cli *c, const char *format, ...)
{
    ebb_buf text = {0};
    va_list args;
    va_start(args, format);
    ebb_buf_vaddf(&text, format, args);
    va_end(args);
    if (c->is_json) {
        cli_emit_notice(c, "warning", "%s", ebb_buf_text(&text));
    } else {
        ebb_buf_addc(&text, '\n');
        if (!cli_logging_takes(c, ebb_buf_text(&text), text.n))
            write_complaint(c, ebb_buf_text(&text), text.n);
    }
    ebb_buf_fini(&text);
}

/* ---- questions -------------------------------------------------------------------------------- */

bool cli_ask(cli *c, const char *format, ...)
{
    if (!cli_is_talking(c) || !cli_setting_on(c, "confirm", true))
        return true;
    ebb_buf question = {0};
    va_list args;
    va_start(args, format);
    ebb_buf_vaddf(&question, format, args);
    va_end(args);
    ebb_buf_adds(&question, " (y or n) ");
    write_answer(c, ebb_buf_text(&question), question.n);
    ebb_buf_fini(&question);
    return read_answer() == 'y';
}
