/* prompt.c - the editor's callbacks; characters are read so that a signal ends the line. */
#include "front/cli/prompt.h"

#include "base/check.h"
#include "base/text.h"
#include "front/cli/complete.h"
#include "front/cli/typed.h"
#include "front/cli/output.h"
#include "front/cli/signals.h"
#include "session/settings.h"

#include <errno.h>
#include <histedit.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct cli_prompt {
    cli *c;
    union {
        cli_input input;
        cli_fd_input fd; /* used when standard input is no terminal */
    };
    EditLine *editor; /* NULL when there is no terminal */
    cli_typed *typed;
    const char *shown; /* the prompt of the line being read */
    char *text;        /* the setting `prompt`, kept for cli_prompt_text */
};

const char *cli_prompt_text(cli *c)
{
    if (!c->prompt)
        return "(ebb) ";
    ebb_buf value = {0};
    if (ses_setting_show(c->session, "prompt", &value, NULL) != EBB_OK || value.n == 0) {
        ebb_buf_truncate(&value, 0);
        ebb_buf_adds(&value, "(ebb)");
    }
    if (value.data[value.n - 1] != ' ')
        ebb_buf_addc(&value, ' ');
    free(c->prompt->text);
    c->prompt->text = ebb_buf_take(&value);
    return c->prompt->text;
}

bool cli_may_quit(cli *c)
{
    if (ses_get_state(c->session) != SES_STOPPED)
        return true;
    return cli_ask(c, "The program is being debugged: it will be %s. Quit anyway?",
                   ses_was_attached(c->session) ? "let go" : "killed");
}

/* ---- the editor's callbacks ------------------------------------------------------------------- */

static cli_prompt *prompt_of(EditLine *editor)
{
    void *data = NULL;
    el_get(editor, EL_CLIENTDATA, &data);
    return data;
}

static char *shown_prompt(EditLine *editor)
{
    return (char *)prompt_of(editor)->shown;
}

/* Ctrl-Z: the shell gets its terminal as it was, and the line is there again afterwards. */
static void suspend(EditLine *editor)
{
    el_set(editor, EL_PREP_TERM, 0);
    raise(SIGSTOP);
    el_set(editor, EL_PREP_TERM, 1);
    el_set(editor, EL_REFRESH);
}

/* One character of standard input.  Unlike libedit's own reader it gives up at a signal, which is how
 * Ctrl-C gets out of a line. */
static int read_character(EditLine *editor, wchar_t *out)
{
    mbstate_t state = {0};
    for (;;) {
        char byte;
        bool readable = cli_signal_wait(STDIN_FILENO);
        if (cli_signal_take_suspend()) {
            suspend(editor);
            continue;
        }
        if (!readable)
            return -1;
        if (cli_signal_take_resize())
            el_resize(editor);
        ssize_t n = read(STDIN_FILENO, &byte, 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return (int)n;
        size_t used = mbrtowc(out, &byte, 1, &state);
        if (used == (size_t)-2)
            continue;
        if (used == (size_t)-1) {
            state = (mbstate_t){0};
            *out = L'?'; /* not a character of this locale */
        }
        return 1;
    }
}

static void list_words(const cli_words *words)
{
    struct winsize size;
    unsigned width = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
    size_t longest = 1;
    for (size_t i = 0; i < words->n; i++)
        longest = strlen(words->items[i]) > longest ? strlen(words->items[i]) : longest;
    size_t per_row = width / (longest + 2) ? width / (longest + 2) : 1;
    ebb_buf out = {0};
    ebb_buf_addc(&out, '\n');
    for (size_t i = 0; i < words->n; i++) {
        bool ends_row = (i + 1) % per_row == 0 || i + 1 == words->n;
        ebb_buf_addf(&out, "%-*s%s", ends_row ? 0 : (int)longest + 2, words->items[i],
                     ends_row ? "\n" : "");
    }
    cli_write_all(STDOUT_FILENO, ebb_buf_text(&out), out.n);
    ebb_buf_fini(&out);
}

/* A word that is the only one gets a blank after it, unless more of it can follow. */
static bool wants_blank(const char *word)
{
    size_t n = strlen(word);
    return n && !strchr("/.>:", word[n - 1]);
}

static unsigned char complete_line(EditLine *editor, int key)
{
    cli_prompt *prompt = prompt_of(editor);
    const LineInfo *info = el_line(editor);
    char *line = ebb_strndup(info->buffer, (size_t)(info->cursor - info->buffer));
    size_t from;
    cli_words words = {0};
    cli_complete(prompt->c, line, &from, &words);
    size_t typed = strlen(line) - from, common = cli_words_common(&words);
    unsigned char result = CC_ERROR;
    if (words.n && (common > typed || words.n == 1)) {
        char *more = ebb_strndup(words.items[0] + typed, common - typed);
        el_insertstr(editor, more);
        if (words.n == 1 && wants_blank(words.items[0]))
            el_insertstr(editor, " ");
        free(more);
        result = CC_REFRESH;
    } else if (words.n) {
        list_words(&words);
        result = CC_REDISPLAY;
    }
    cli_words_fini(&words);
    free(line);
    return result;
}

/* ---- reading ---------------------------------------------------------------------------------- */

static cli_read next_of_editor(cli_input *input, const char *shown, ebb_buf *out)
{
    cli_prompt *prompt = (cli_prompt *)((char *)input - offsetof(cli_prompt, input));
    prompt->shown = shown ? shown : ">";
    int n = 0;
    el_set(prompt->editor, EL_PREP_TERM,
           1); /* before the prompt is seen: what is typed at once is for the editor */
    cli_signals_editing(true);
    const char *line = el_gets(prompt->editor, &n);
    cli_signals_editing(false);
    bool is_whole = line && n > 0 && line[n - 1] == '\n'; /* Ctrl-C after it is for the command */
    if (cli_signal_pending() && (!is_whole || cli_signal_ending())) {
        cli_write_all(STDOUT_FILENO, "\n", 1);
        el_reset(prompt->editor);
        return CLI_READ_INTERRUPTED;
    }
    if (!line || n <= 0)
        return CLI_READ_END;
    ebb_buf_add(out, line, (size_t)n - (line[n - 1] == '\n'));
    cli_typed_add(prompt->typed, ebb_buf_text(out));
    return CLI_READ_LINE;
}

static EditLine *new_editor(cli_prompt *prompt)
{
    EditLine *editor = el_init("ebb", stdin, stdout, stderr);
    if (!editor)
        return NULL;
    el_set(editor, EL_CLIENTDATA, prompt);
    el_set(editor, EL_PROMPT, shown_prompt);
    el_set(editor, EL_EDITOR, "emacs");
    el_set(editor, EL_SIGNAL, 0);
    el_set(editor, EL_GETCFN, read_character);
    el_set(editor, EL_HIST, history, cli_typed_of_editor(prompt->typed));
    el_wset(editor, EL_ADDFN, L"ebb-complete", L"Complete",
            complete_line); /* el_set would leak its copies */
    el_set(editor, EL_BIND, "^I", "ebb-complete", NULL);
    el_set(editor, EL_BIND, "^R", "em-inc-search-prev", NULL);
    el_set(editor, EL_BIND, "^W", "ed-delete-prev-word", NULL);
    el_source(editor, NULL); /* ~/.editrc */
    return editor;
}

cli_input *cli_prompt_input(cli *c)
{
    if (c->prompt)
        return &c->prompt->input;
    cli_prompt *prompt = EBB_NEW(cli_prompt);
    prompt->c = c;
    c->prompt = prompt;
    if (c->in_is_terminal && c->out_is_terminal && !c->is_json) {
        prompt->typed = cli_typed_new(c);
        prompt->editor = new_editor(prompt);
    }
    if (prompt->editor)
        prompt->input.next = next_of_editor;
    else
        cli_fd_input_init(&prompt->fd, NULL, STDIN_FILENO, true, cli_signal_wait);
    prompt->input.is_prompt = true;
    return &prompt->input;
}

void cli_prompt_free(cli_prompt *prompt)
{
    if (!prompt)
        return;
    if (prompt->editor)
        el_end(prompt->editor);
    cli_typed_free(prompt->typed);
    free(prompt->text);
    free(prompt);
}

void cli_prompt_history(cli *c, size_t at_most, ebb_buf *out)
{
    if (c->prompt && c->prompt->typed)
        cli_typed_list(c->prompt->typed, at_most, out);
}
