/* apart.c - threads that go back alone (jvm/undo/apart.h).
 *
 * The *base* is a copy of the moment at which the threads parted.  It stays as it is.  What is *shown* is a copy of it in which each thread that
 * went back is put where it was; it is made anew whenever one goes further back.  For that a third copy goes back as a
 * whole, tells of the thread, and ends.  The copy that the timeline moves about in (r->copy) waits meanwhile, as in a scratch
 * conversation (JR3). */
#include "jvm/remote/line.h"
#include "jvm/remote/machine_ops.h"

static ebb_status copy_of(jvm_remote *r, jvm_remote_line *from, jvm_remote_line *to, ebb_error *err)
{
    int was = r->fd;
    r->fd = from->fd;
    ebb_status status = jvm_remote_ask_copy(r, JVM_WIRE_CODE_replay_now, &to->pid, &to->fd, err);
    from->fd = r->fd; /* -1 if it talks nonsense */
    r->fd = was;
    return status;
}

static void end_line(jvm_remote *r, jvm_remote_line *line)
{
    if (line->pid != 0)
        jvm_process_end_copy(r, line->pid, line->fd);
    *line = (jvm_remote_line){0};
}

/* To the moment, by the log: *checkpoint is where it came to in it. */
static ebb_status go_to(jvm_remote *r, const jvm_remote_target *to, jvm_wire_rewound *checkpoint, ebb_error *err)
{
    ebb_arena arena = {0};
    ebb_buf out = {0}, in = {0};
    jvm_wire_position q = {.time = to->time, .place = to->place};
    jvm_wire_request run = {.until = 1, .until_time = to->time, .until_place = to->place, .quiet = 1};
    ebb_status status = jvm_remote_ask_rewind(r, &arena, &q, checkpoint, err);
    if (status == EBB_OK && !checkpoint->reached)
        status = ebb_fail(err, EBB_NO_HISTORY, "A thread goes back alone as far as the undo log reaches, which is not so far.");
    jvm_wire_put_request(&out, &run);
    bool is_there = checkpoint->time == to->time && checkpoint->place == to->place;
    if (status == EBB_OK && !is_there)
        status = jvm_remote_exchange(r, &(jvm_remote_question){JVM_WIRE_CODE_resume, &out, false}, &in, NULL, err);
    ebb_buf_fini(&out);
    ebb_buf_fini(&in);
    ebb_arena_fini(&arena);
    return status;
}

/* What the thread was like then. */
static ebb_status ask_state(jvm_remote *r, const jvm_remote_target *to, ebb_arena *arena, jvm_wire_thread_state *state, ebb_error *err)
{
    jvm_remote_line copy = {0};
    jvm_wire_rewound checkpoint = {0};
    EBB_TRY(copy_of(r, &r->apart.base, &copy, err));
    int was = r->fd;
    r->fd = copy.fd;
    ebb_status status = go_to(r, to, &checkpoint, err);
    jvm_wire_thread_moment q = {.tid = (uint64_t)to->thread, .time = checkpoint.time, .place = checkpoint.place};
    if (status == EBB_OK)
        status = jvm_remote_ask_thread_state(r, arena, &q, state, err);
    copy.fd = r->fd;
    r->fd = was;
    end_line(r, &copy);
    return status;
}

static ebb_status put_back(jvm_remote *r, jvm_remote_line *shown, const jvm_remote_target *to, machine_place *place, ebb_error *err)
{
    ebb_arena arena = {0};
    jvm_wire_thread_state state = {0};
    jvm_wire_rewound a = {0};
    ebb_status status = ask_state(r, to, &arena, &state, err);
    int was = r->fd;
    r->fd = shown->fd;
    if (status == EBB_OK)
        status = jvm_remote_ask_thread_back(r, &arena, &state, &a, err);
    shown->fd = r->fd;
    r->fd = was;
    *place = a.place;
    ebb_arena_fini(&arena);
    return status;
}

ebb_status jvm_remote_part(machine *m, ebb_error *err)
{
    jvm_remote *r = jvm_remote_of(m);
    jvm_remote_line here = {.fd = r->fd};
    end_line(r, &r->apart.base);
    if (!jvm_remote_is_replaying(r))
        return ebb_fail(err, EBB_UNSUPPORTED, "Threads part in a copy that replays.");
    ebb_status status = copy_of(r, &here, &r->apart.base, err);
    r->fd = here.fd;
    return status;
}

static void show(jvm_remote *r, int fd)
{
    jvm_remote_forget(r);
    r->fd = fd;
}

void jvm_remote_hide_apart(machine *m)
{
    jvm_remote *r = jvm_remote_of(m);
    if (r->apart.shown.pid == 0)
        return;
    r->apart.shown.fd = r->fd;
    show(r, r->apart.waiting.fd);
    r->time = r->apart.waiting.time;
    r->place = r->apart.waiting.place;
    r->thread = r->apart.waiting.thread;
    end_line(r, &r->apart.shown);
}

ebb_status jvm_remote_show_apart(machine *m, const jvm_remote_target *targets, size_t n, ebb_error *err)
{
    jvm_remote *r = jvm_remote_of(m);
    jvm_remote_line shown = {0};
    machine_place place = 0;
    jvm_remote_hide_apart(m);
    EBB_TRY(copy_of(r, &r->apart.base, &shown, err));
    ebb_status status = EBB_OK;
    for (size_t i = 0; i < n && status == EBB_OK; i++)
        status = put_back(r, &shown, &targets[i], &place, err);
    if (status != EBB_OK) {
        end_line(r, &shown);
        return status;
    }
    r->apart.waiting.fd = r->fd;
    r->apart.waiting.time = r->time;
    r->apart.waiting.place = r->place;
    r->apart.waiting.thread = r->thread;
    r->apart.shown = shown;
    r->apart.has_run = false;
    show(r, shown.fd);
    r->thread = 0; /* that one stands where it stood; the others, elsewhere */
    return jvm_remote_sync(r, err);
}

void jvm_remote_rejoin(machine *m)
{
    jvm_remote *r = jvm_remote_of(m);
    jvm_remote_hide_apart(m);
    end_line(r, &r->apart.base);
}

bool jvm_remote_has_run_apart(machine *m)
{
    return jvm_remote_is_apart(jvm_remote_of(m)) && jvm_remote_of(m)->apart.has_run;
}

bool jvm_remote_is_apart(const jvm_remote *r)
{
    return r->apart.shown.pid != 0;
}
