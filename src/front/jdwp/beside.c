/* beside.c - see beside.h. */
#include "front/jdwp/beside.h"

#include "front/cli/output.h"
#include "front/cli/signals.h"
#include "front/cli/view.h"
#include "front/jdwp/jdwp.h"
#include "front/serve/door.h"
#include "front/serve/listen.h"

#include <unistd.h>

struct jd_beside {
    cli *c;
    cli_beside who;
    int listener;
    front_door *door;
    bool is_recording, has_client;
    jd client;
    machine *machine; /* that the client knows */
    unsigned n_moves; /* of the prompt's, that the client knows of */
};

static void let_go(jd_beside *b)
{
    int fd = b->client.fd;
    jd_end_changes(&b->client);
    if (jd_machine(&b->client))
        ses_java_requests_clear(b->c->session, 0);
    jd_fini(&b->client);
    close(fd);
    b->has_client = false;
    b->who.fd = front_door_fd(b->door);
}

static void take_client(jd_beside *b)
{
    int fd = front_door_next(b->door);
    if (fd == -2)
        b->who.fd = -1;
    if (fd < 0)
        return;
    jd_init(&b->client, b->c->session, fd);
    b->client.is_recording = b->is_recording;
    b->has_client = true;
    b->who.fd = fd;
    b->machine = jd_machine(&b->client);
    b->n_moves = b->c->n_moves;
    if (!b->machine)
        let_go(b); /* nothing runs that could be debugged */
}

/* Where the client made it go is shown at the prompt. */
static void show_stop(jd_beside *b)
{
    const ses_frame *frame;
    if (b->c->n_moves == b->n_moves)
        return;
    b->n_moves = b->c->n_moves;
    if (jd_machine(&b->client) && ses_frame_get(b->c->session, 0, &frame, NULL) == EBB_OK) {
        ebb_error err;
        cli_write_all(STDOUT_FILENO, "\n", 1);
        if (cli_execute(b->c, "frame 0", &err) != EBB_OK)
            cli_emit_error(b->c, NULL, &err);
    }
}

static void serve(void *self)
{
    jd_beside *b = self;
    if (!b->has_client) {
        take_client(b);
        return;
    }
    jd_hear(&b->client);
    jd_serve(&b->client);
    b->machine = jd_machine(&b->client);
    if (b->client.n_all > 0 || b->client.ends)
        show_stop(b);
    b->n_moves = b->c->n_moves;
    if (b->client.ends)
        let_go(b);
}

/* The prompt's person may have done anything. */
static void waits(void *self)
{
    jd_beside *b = self;
    if (!b->has_client || b->c->n_moves == b->n_moves)
        return;
    b->n_moves = b->c->n_moves;
    b->client.n_stops++;
    if (jd_machine(&b->client) && jd_machine(&b->client) == b->machine) {
        b->client.has_moved = true;
        return;
    }
    jd_tell_end(&b->client);
    let_go(b);
}

static void leaves(void *self)
{
    jd_beside *b = self;
    if (b->has_client)
        jd_end_changes(&b->client);
}

ebb_status jd_beside_new(cli *c, const char *where, bool any_address, bool is_recording, jd_beside **out, ebb_error *err)
{
    front_listening how = {.where = where, .what = "jdb", .any_address = any_address};
    int fd;
    EBB_TRY(front_listen_open(&how, &fd, err));
    jd_beside *b = EBB_NEW(jd_beside);
    *b = (jd_beside){.c = c, .listener = fd, .door = front_door_new(fd, sizeof JDWP_HANDSHAKE - 1), .is_recording = is_recording};
    if (!b->door) {
        ebb_status status = ebb_fail_errno(err, "nobody can be waited for");
        close(fd);
        free(b);
        return status;
    }
    b->who = (cli_beside){.self = b, .fd = front_door_fd(b->door), .waits = waits, .serve = serve, .leaves = leaves};
    cli_signals_beside(&b->who);
    *out = b;
    return EBB_OK;
}

void jd_beside_free(jd_beside *b)
{
    if (!b)
        return;
    cli_signals_beside(NULL);
    if (b->has_client)
        let_go(b);
    front_door_free(b->door);
    close(b->listener);
    free(b);
}
