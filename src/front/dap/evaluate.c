/* evaluate.c - expressions for watches and hovers, command lines for the console. */
#include "front/dap/dap.h"

#include "base/text.h"
#include "front/cli/command.h"
#include "front/cli/complete.h"
#include "front/cli/signals.h"
#include "session/parts.h"

#include <string.h>

/* ---- expressions ----------------------------------------------------------------------------------- */

static ebb_status evaluate(dap *d, dap_request *r, const char *expression, ebb_error *err)
{
    ses_look look = {0};
    EBB_TRY(dap_select_frame(d, r, err));
    EBB_TRY(ses_look_at(d->session, &r->arena, expression, &look, err));
    dap_put_look(d, dap_body(r), "result", expression, &look);
    ses_look_fini(&look);
    return EBB_OK;
}

/* ---- command lines --------------------------------------------------------------------------------- */

/* What it says is the result; where it moved the program, the client looks again. */
static ebb_status execute(dap *d, dap_request *r, const char *line, ebb_error *err)
{
    ebb_buf said = {0};
    unsigned n_moves = d->cli.n_moves;
    if (ses_get_state(d->session) == SES_STOPPED)
        EBB_TRY(dap_select_frame(d, r, err));
    d->captured = &said;
    ebb_status status = cli_execute_text(&d->cli, NULL, line, err);
    d->captured = NULL;
    cli_signals_busy(true); /* commands say when they are at work, and no more then */
    if (status == EBB_OK) {
        cli_json_text(dap_body(r), "result", ebb_buf_text(&said));
        json_object_set_new(r->body, "variablesReference", json_integer(0));
        dap_answer(d, r);
    }
    ebb_buf_fini(&said);
    if (d->cli.n_moves != n_moves)
        dap_tell_moved(d, "Moved by a command");
    else if (status == EBB_OK)
        dap_invalidate(d);
    if (d->cli.wants_quit)
        dap_say_event(d, "terminated", NULL);
    return status;
}

/* What is no command may be an expression: most debug consoles take those. */
static ebb_status execute_or_evaluate(dap *d, dap_request *r, const char *line, ebb_error *err)
{
    const cli_command *row;
    const char *args;
    ebb_error why;
    ebb_status status = execute(d, r, line, err);
    bool is_command = status == EBB_OK || cli_find_line(&cli_commands, ebb_text_skip_space(line), &row, &args) != CLI_FOUND_NONE;
    return !is_command && ses_get_state(d->session) == SES_STOPPED && evaluate(d, r, line, &why) == EBB_OK ? EBB_OK : status;
}

ebb_status dap_do_evaluate(dap *d, dap_request *r, ebb_error *err)
{
    const char *expression, *context = dap_text(r->args, "context");
    EBB_TRY(dap_need_text(r->args, "expression", &expression, err));
    bool is_command = context && strcmp(context, "repl") == 0;
    return is_command ? execute_or_evaluate(d, r, expression, err) : evaluate(d, r, expression, err);
}

/* ---- completions ----------------------------------------------------------------------------------- */

/* As a command line, or else as an expression. */
static void complete(dap *d, dap_request *r, const char *text, size_t *from, cli_words *words)
{
    static const char verb[] = "print ";
    cli_complete(&d->cli, text, from, words);
    if (words->n)
        return;
    cli_complete(&d->cli, ebb_arena_printf(&r->arena, "%s%s", verb, text), from, words);
    *from -= *from < sizeof verb - 1 ? *from : sizeof verb - 1;
}

ebb_status dap_do_completions(dap *d, dap_request *r, ebb_error *err)
{
    const char *text;
    EBB_TRY(dap_need_text(r->args, "text", &text, err));
    json_int_t column = dap_number(r->args, "column", 0) - !d->columns_from_0;
    size_t n = strlen(text), from = 0;
    if (column >= 0 && (uint64_t)column < n)
        n = (size_t)column;
    if (ses_get_state(d->session) == SES_STOPPED)
        EBB_TRY(dap_select_frame(d, r, err));
    cli_words words = {0};
    complete(d, r, ebb_arena_strndup(&r->arena, text, n), &from, &words);
    json_t *list = dap_list(r, "targets");
    for (size_t i = 0; i < words.n; i++) {
        json_t *object = json_pack("{s:I, s:I}", "start", (json_int_t)from, "length", (json_int_t)(n - from));
        cli_json_text(object, "label", words.items[i]);
        json_array_append_new(list, object);
    }
    cli_words_fini(&words);
    return EBB_OK;
}
