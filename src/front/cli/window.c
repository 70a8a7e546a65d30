/* window.c - see window.h. */
#include "front/cli/window.h"
#include "base/text.h"
#include "front/cli/output.h"
#include "front/cli/view.h"
#include "session/data.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LEAST_ROWS = 10 };

static bool get_size(unsigned *rows, unsigned *columns)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row < LEAST_ROWS || size.ws_col < 20)
        return false;
    *rows = size.ws_row;
    *columns = size.ws_col;
    return true;
}

/* One row of the screen: cut at its end, tabs as blanks. */
static void put_row(ebb_buf *out, unsigned row, const char *text, unsigned columns, bool is_current)
{
    unsigned at = 0;
    ebb_buf_addf(out, "\033[%u;1H\033[2K%s", row, is_current ? "\033[7m" : "");
    for (; *text && at < columns; text++) {
        unsigned n = *text == '\t' ? 8 - at % 8 : 1;
        at += n;
        while (n-- && *text == '\t')
            ebb_buf_addc(out, ' ');
        if (*text != '\t')
            ebb_buf_addc(out, (unsigned char)*text < ' ' ? '?' : *text);
        while ((text[1] & 0xc0) == 0x80) /* the rest of a character of UTF-8 */
            ebb_buf_addc(out, *++text);
    }
    ebb_buf_adds(out, is_current ? "\033[m" : "");
}

static void put_source(cli *c, ebb_buf *out, const ses_frame *frame, unsigned n, unsigned columns)
{
    unsigned line = frame->line.line, first = line > n / 2 ? line - n / 2 : 1;
    for (unsigned i = 0; i < n; i++) {
        const char *text = ses_source_text(c->session, frame->line.file, first + i);
        char *row = text ? ebb_asprintf("%s%6u  %s", first + i == line ? ">" : " ", first + i, text) : ebb_strdup("~");
        put_row(out, i + 1, row, columns, text && first + i == line);
        free(row);
    }
}

static void put_code(cli *c, ebb_buf *out, const ses_frame *frame, unsigned n, unsigned columns)
{
    ebb_buf text = {0};
    char *arguments = ebb_asprintf("/%ui 0x%lx", n, (unsigned long)frame->pc);
    if (ses_examine(c->session, arguments, &text, NULL) != EBB_OK)
        ebb_buf_adds(&text, "No code there.");
    free(arguments);
    const char *at = ebb_buf_text(&text);
    for (unsigned i = 0; i < n; i++) {
        size_t length = strcspn(at, "\n");
        char *row = ebb_strndup(at, length);
        put_row(out, i + 1, row, columns, i == 0);
        free(row);
        at += length + (at[length] == '\n');
    }
    ebb_buf_fini(&text);
}

static void put_nothing(ebb_buf *out, unsigned n, unsigned columns, const char *why)
{
    for (unsigned i = 0; i < n; i++)
        put_row(out, i + 1, i == n / 2 ? why : "", columns, false);
}

static void put_bar(ebb_buf *out, const ses_frame *frame, unsigned row, unsigned columns)
{
    ebb_buf bar = {0};
    if (!frame)
        ebb_buf_adds(&bar, " The program is not being run.");
    else if (frame->has_line)
        ebb_buf_addf(&bar, " %s:%u", ebb_path_base(frame->line.file), frame->line.line);
    if (frame)
        ebb_buf_addf(&bar, "  in %s  pc 0x%lx", frame->name ? frame->name : "??", (unsigned long)frame->pc);
    while (bar.n < columns)
        ebb_buf_addc(&bar, ' ');
    put_row(out, row, ebb_buf_text(&bar), columns, true);
    ebb_buf_fini(&bar);
}

/* The upper half, but for a bar. */
static unsigned n_lines(unsigned rows)
{
    return rows / 2 - 1;
}

void cli_window_draw(cli *c)
{
    unsigned rows, columns;
    const ses_frame *frame = NULL;
    if (!c->window.is_on || !get_size(&rows, &columns))
        return;
    ebb_buf out = {0};
    unsigned n = n_lines(rows);
    if (ses_get_state(c->session) != SES_STOPPED || ses_frame_selected(c->session, &frame, NULL) != EBB_OK)
        frame = NULL;
    ebb_buf_adds(&out, "\0337"); /* where the conversation stands */
    if (c->window.rows != rows)
        ebb_buf_addf(&out, "\033[%u;%ur\033[%u;1H\0337", n + 2, rows, rows); /* the conversation goes on at the bottom */
    c->window.rows = rows;
    if (frame && c->window.shows_code)
        put_code(c, &out, frame, n, columns);
    else if (frame && frame->has_line && ses_source_text(c->session, frame->line.file, frame->line.line))
        put_source(c, &out, frame, n, columns);
    else
        put_nothing(&out, n, columns, "[ No Source Available ]");
    put_bar(&out, frame, n + 1, columns);
    ebb_buf_adds(&out, "\0338");
    cli_write_all(STDOUT_FILENO, ebb_buf_text(&out), out.n);
    ebb_buf_fini(&out);
}

ebb_status cli_window_show(cli *c, bool code, ebb_error *err)
{
    unsigned rows, columns;
    if (!c->out_is_terminal || c->is_batch || c->is_json)
        return ebb_fail(err, EBB_UNSUPPORTED, "Cannot enable the TUI when output is not a terminal");
    if (!get_size(&rows, &columns))
        return ebb_fail(err, EBB_UNSUPPORTED, "The terminal is too small for a window: it needs %d lines.", LEAST_ROWS);
    if (!c->window.is_on)
        cli_write_all(STDOUT_FILENO, "\033[2J", 4);
    c->window = (cli_window){.is_on = true, .shows_code = code};
    return EBB_OK;
}

void cli_window_hide(cli *c)
{
    static const char whole[] = "\0337\033[r\0338\n"; /* CW1 */
    if (c->window.is_on)
        cli_write_all(STDOUT_FILENO, whole, sizeof whole - 1);
    c->window = (cli_window){0};
}
