/* serve.c - on standard input and output, or on a port. */
#include "front/dap/serve.h"

#include "front/dap/dap.h"
#include "front/serve/listen.h"
#include "front/serve/streams.h"

#include <stdio.h>

static int serve(int connection, void *self)
{
    (void)self;
    front_streams streams;
    ebb_error err;
    if (front_streams_take(connection, &streams, &err) != EBB_OK) {
        fprintf(stderr, "ebb: %s\n", err.text);
        return 1;
    }
    return dap_converse(&(dap_ear_ends){.in = streams.in, .out = streams.out, .stdout_ = streams.stdout_, .stderr_ = streams.stderr_,
                                        .complaints = streams.complaints});
}

int dap_serve(const cli_options *options)
{
    ebb_error err;
    int status = 1;
    if (!options->listen)
        return serve(-1, NULL);
    front_listening how = {.where = options->listen, .what = "the Debug Adapter Protocol", .any_address = options->any_address};
    if (front_listen(&how, serve, NULL, &status, &err) != EBB_OK)
        fprintf(stderr, "ebb: %s\n", err.text);
    return status;
}
