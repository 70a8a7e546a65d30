/* serve.c - on standard input and output, or on a port. */
#include "front/dap/serve.h"

#include "front/cli/token.h"
#include "front/dap/dap.h"
#include "front/serve/listen.h"
#include "front/serve/streams.h"

#include <stdio.h>
#include <stdlib.h>

/* self: the token; NULL: none is asked for. */
static int serve(int connection, void *self)
{
    front_streams streams;
    ebb_error err;
    if (front_streams_take(connection, &streams, &err) != EBB_OK) {
        fprintf(stderr, "ebb: %s\n", err.text);
        return 1;
    }
    return dap_converse(&(dap_ear_ends){.in = streams.in, .out = streams.out, .stdout_ = streams.stdout_, .stderr_ = streams.stderr_,
                                        .complaints = streams.complaints}, self);
}

/* The user's, or a new one, which is shown. */
static ebb_status choose_token(const cli_options *options, char **token, ebb_error *err)
{
    EBB_TRY(cli_token_given(options->token_file, token, err));
    if (*token)
        return EBB_OK;
    EBB_TRY(cli_token_new(token, err));
    fprintf(stderr, "Token: %s\n", *token);
    return EBB_OK;
}

int dap_serve(const cli_options *options)
{
    ebb_error err;
    int status = 1;
    char *token = NULL;
    if (!options->listen)
        return serve(-1, NULL);
    front_listening how = {.where = options->listen, .what = "the Debug Adapter Protocol", .any_address = options->any_address, .n_first_bytes = 1};
    if (choose_token(options, &token, &err) != EBB_OK || front_listen(&how, serve, token, &status, &err) != EBB_OK)
        fprintf(stderr, "ebb: %s\n", err.text);
    free(token);
    return status;
}
