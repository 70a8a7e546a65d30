/* dap.c - the conversation: requests in, responses and events out. */
#include "front/dap/dap.h"

#include "base/text.h"
#include "front/cli/signals.h"
#include "session/data.h"
#include "session/time.h"

#include <stdarg.h>
#include <string.h>

typedef enum when { WHEN_FIRST, WHEN_ANY, WHEN_PROGRAM, WHEN_STOPPED } when;

typedef struct request_row {
    const char *name;
    dap_handler *handler;
    when when;
} request_row;

static const request_row rows[] = {
#define DAP_REQUEST(name, function, when, heard, capability, who) {name, dap_do_##function, WHEN_##when},
#define DAP_FEATURE(capability, who)
#include "front/dap/requests.def"
#undef DAP_REQUEST
#undef DAP_FEATURE
};

static const request_row *find_row(const char *command)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, command) == 0)
            return &rows[i];
    return NULL;
}

/* ---- saying ------------------------------------------------------------------------------------ */

void dap_say_event(dap *d, const char *name, json_t *taken_body)
{
    dap_ear_say(d->ear, dap_event(name, taken_body));
}

void dap_say_line(dap *d, const char *category, const char *format, ...)
{
    ebb_buf line = {0};
    va_list args;
    va_start(args, format);
    ebb_buf_vaddf(&line, format, args);
    va_end(args);
    ebb_buf_addc(&line, '\n');
    dap_ear_say_output(d->ear, category, ebb_buf_text(&line), line.n);
    ebb_buf_fini(&line);
}

void dap_answer(dap *d, dap_request *r)
{
    if (r->is_answered)
        return;
    r->is_answered = true;
    dap_ear_say(d->ear, dap_response(r->message, true, NULL, r->body));
    r->body = NULL;
}

static void answer_error(dap *d, dap_request *r, const ebb_error *err)
{
    if (r->is_answered) {
        dap_say_line(d, "stderr", "%s", err->text);
        return;
    }
    json_t *format = cli_json_string(err->text);
    json_t *body = json_pack("{s:{s:i, s:O, s:b}}", "error", "id", (int)err->status, "format", format, "showUser", 1);
    dap_ear_say(d->ear, dap_response(r->message, false, json_string_value(format), body));
    json_decref(format);
}

/* ---- one request ------------------------------------------------------------------------------- */

static ebb_status check_state(dap *d, const request_row *row, ebb_error *err)
{
    ses_state state = ses_get_state(d->session);
    if (row->when >= WHEN_PROGRAM && state == SES_NO_PROGRAM)
        return ebb_fail(err, EBB_GONE, "There is no program yet: launch or attach comes first.");
    if (row->when == WHEN_STOPPED && state != SES_STOPPED)
        return ebb_fail(err, EBB_GONE, state == SES_ENDED ? "The program has ended." : "The program is not being run.");
    return EBB_OK;
}

/* In a time that says nothing of where they differ. */
static bool is_same(const char *given, const char *token)
{
    size_t n = strlen(given);
    unsigned differ = n != strlen(token);
    for (size_t i = 0; token[i]; i++)
        differ |= (unsigned)(given[i < n ? i : 0] ^ token[i]);
    return differ == 0;
}

/* DA6 */
static ebb_status check_token(dap *d, const request_row *row, const dap_request *r, ebb_error *err)
{
    const char *given = row->when == WHEN_FIRST ? dap_text(r->args, "ebbToken") : NULL;
    bool begins = row->handler == dap_do_launch || row->handler == dap_do_attach;
    if (!d->token)
        return EBB_OK;
    if (given && is_same(given, d->token)) {
        d->token = NULL;
        return EBB_OK;
    }
    if (!given && row->when == WHEN_FIRST && !begins)
        return EBB_OK;
    d->ends = given != NULL; /* whoever guesses has to connect again */
    return ebb_fail(err, EBB_BAD_INPUT, given ? "That is not the token of this server." : "This server wants its token first: it is \"ebbToken\" of launch or attach.");
}

static ebb_status carry_out(dap *d, dap_request *r, ebb_error *err)
{
    const char *command = dap_text(r->message, "command"), *type = dap_text(r->message, "type");
    if (!command || !type || strcmp(type, "request") != 0)
        return ebb_fail(err, EBB_BAD_INPUT, "That is no request.");
    const request_row *row = find_row(command);
    if (!row)
        return ebb_fail(err, EBB_UNSUPPORTED, "There is no request \"%.60s\".", command);
    EBB_TRY(check_token(d, row, r, err));
    EBB_TRY(check_state(d, row, err));
    return row->handler(d, r, err);
}

void dap_handle_message(dap *d, const json_t *message)
{
    const char *type = dap_text(message, "type");
    if (type && strcmp(type, "response") == 0)
        return; /* nothing was asked */
    json_t *none = json_object(), *args = json_object_get(message, "arguments");
    dap_request r = {.message = message, .args = json_is_object(args) ? args : none};
    ebb_error err;
    cli_signal_take_int(); /* meant for what is over */
    dap_progress_begin(d);
    cli_signals_busy(true);
    ebb_status status = carry_out(d, &r, &err);
    cli_signals_busy(false);
    dap_progress_end(d);
    if (status == EBB_OK)
        dap_answer(d, &r);
    else
        answer_error(d, &r, &err);
    json_decref(r.body);
    json_decref(none);
    ebb_arena_fini(&r.arena);
}

/* ---- the conversation -------------------------------------------------------------------------- */

/* What the prompt's half has to say: for the request that asked, or for the console. */
static void on_words(void *self, bool is_complaint, const char *bytes, size_t nbytes)
{
    dap *d = self;
    if (d->captured)
        ebb_buf_add(d->captured, bytes, nbytes);
    else
        dap_ear_say_output(d->ear, is_complaint ? "important" : "console", bytes, nbytes);
}

static void begin(dap *d)
{
    *d = (dap){.sink = {.self = d, .write = on_words}};
    cli_init(&d->cli);
    d->cli.in_is_terminal = d->cli.out_is_terminal = false;
    d->cli.sink = &d->sink;
    d->session = d->cli.session;
    ses_on_progress(d->session, dap_progress, d);
}

static void end(dap *d)
{
    cli_fini(&d->cli);
    dap_ear_drain(d->ear, true);
    dap_handles_clear(d);
    dap_points_fini(d);
    dap_sources_fini(d);
    dap_ear_free(d->ear);
}

int dap_converse(const dap_ear_ends *ends, const char *token)
{
    dap d;
    begin(&d);
    d.token = token;
    d.ear = dap_ear_new(ends);
    if (!d.ear) {
        cli_fini(&d.cli);
        return 1;
    }
    json_t *message;
    while (!d.ends && !cli_signal_ending() && (message = dap_ear_next(d.ear))) {
        dap_handle_message(&d, message);
        json_decref(message);
    }
    end(&d);
    return 0;
}
