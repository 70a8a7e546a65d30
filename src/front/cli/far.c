/* far.c - the token is wiped from memory when it has done its work. */
#include "front/cli/far.h"

#include "front/cli/token.h"
#include "session/far.h"
#include "session/time.h"

#include <string.h>
#include <unistd.h>

static void forget(char *token)
{
    if (token)
        explicit_bzero(token, strlen(token));
    free(token);
}

/* ---- listening ---- */

typedef struct announcement {
    const char *token; /* to be shown; NULL: who listens chose it, and knows it */
} announcement;

static void announce(void *self, const char *address, bool is_loopback)
{
    const announcement *a = self;
    printf("Listening on %s\n", address);
    if (a->token)
        printf("Token: %s\n", a->token);
    printf("Connect with: ebb run --connect %s\n", address);
    if (!is_loopback)
        printf("warning: other computers can connect, and what is said is not encrypted; prefer 127.0.0.1 and `ssh -L`.\n");
    fflush(stdout);
}

static ebb_status listen_with(const cli_options *options, char **token, ebb_error *err)
{
    EBB_TRY(cli_token_given(options->token_file, token, err));
    announcement a = {0};
    if (!*token) {
        EBB_TRY(cli_token_new(token, err));
        a.token = *token;
    }
    session *s = ses_new(&(ses_listener){0});
    if (options->no_record)
        ses_set_recording(s, false, NULL);
    ses_set_verify(s, options->verify);
    ebb_status status = ses_set_program(s, options->rest, err);
    if (status == EBB_OK)
        status = ses_listen(s, options->listen, *token, announce, &a, err);
    ses_free(s);
    return status;
}

int cli_listen(const cli_options *options)
{
    ebb_error err;
    char *token = NULL;
    ebb_status status = listen_with(options, &token, &err);
    forget(token);
    fprintf(stderr, "ebb: %s\n", err.text);
    return status == EBB_BAD_INPUT ? 2 : 1;
}

/* ---- connecting ---- */

/* Standard input is the program's where ebb doesn't read its commands there, or where a person decides by typing. */
static bool forwards_input(const cli_options *options)
{
    return options->batch || isatty(STDIN_FILENO);
}

ebb_status cli_connect(session *s, const cli_options *options, ebb_error *err)
{
    char *token = NULL;
    ebb_status status = cli_token_given(options->token_file, &token, err);
    if (status == EBB_OK && !token)
        status = cli_token_ask(options->connect, &token, err);
    if (status == EBB_OK)
        status = ses_connect(s, options->connect, token, forwards_input(options), err);
    forget(token);
    return status;
}
