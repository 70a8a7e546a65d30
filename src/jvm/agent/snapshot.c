/* snapshot.c - frozen copies of the process, and replaying in copies of those (machine/history.h).
 *
 * A snapshot is a copy (copy.c) that does nothing but wait on its socket.  Asked to, it makes a copy of itself that replays
 * from there: that one serves ebb as the debuggee does at a stop.  Both end when their socket does.
 *
 * SF1  a snapshot is taken before a bytecode, so that its moment is one that replay comes by: at a stop, or after the end of a
 *     quantum;
 * SF2  signals don't reach a copy: those of the past are in the recording, others are for the program itself. */
#include "jvm/agent/internal.h"

#include "jvm/record/log.h"
#include "jvm/record/printed.h"
#include "jvm/record/state_hash.h"
#include "jvm/undo/undo.h"
#include "jvm/jvm.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- the end of history ---- */

static void history_ends(void)
{
    if (agent.newest_time != UINT64_MAX && jvm_time() < agent.newest_time) { /* a disk was full, say, and the program went on */
        ebb_buf text = {0};
        ebb_buf_addf(&text, "The recording ends at timestamp %llu: what came after that can't be gone back to.", (unsigned long long)jvm_time());
        agent_replay_diverged(ebb_buf_text(&text));
    }
    for (;;) { /* whatever it is told: there is nothing after */
        jvm_wire_stop stop = {.kind = MACHINE_STOP_HISTORY_END};
        agent_stop(jvm_self, &stop);
    }
}

void agent_replay_diverged(const char *text)
{
    ebb_error err;
    ebb_buf out = {0};
    agent_answer(agent.searches ? JVM_WIRE_CODE_search : JVM_WIRE_CODE_resume, ebb_fail(&err, EBB_SYSTEM, "%s", text), &out, &err);
    _exit(1);
}

void agent_begin_replay(void)
{
    agent.is_replay = true;
    agent.newest_time = UINT64_MAX;
    jvm_history_end_hook = history_ends;
    jvm_agent_replays();
}

bool agent_is_at_newest(const jvm_frame *f, uint64_t time)
{
    if (!agent.is_replay || time < agent.newest_time)
        return false;
    return time > agent.newest_time || jvm_frame_place(f) >= agent.newest_place;
}

/* ---- frozen ---- */

static void sweep_copies(void)
{
    size_t kept = 0;
    for (size_t i = 0; i < agent.copies.n; i++)
        if (waitpid(agent.copies.items[i], NULL, WNOHANG | __WALL) == 0)
            agent.copies.items[kept++] = agent.copies.items[i];
    agent.copies.n = kept;
}

void agent_block_signals(void)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
}

/* Returns in copies of this process only. */
static void stay_frozen(void)
{
    jvm_wire_message m = {0};
    for (;;) {
        ebb_buf out = {0};
        ebb_error err;
        int fd = -1;
        if (jvm_wire_receive(agent.fd, &m, NULL, NULL) != EBB_OK)
            _exit(0);
        sweep_copies();
        ebb_status status = EBB_SYSTEM;
        pid_t pid = m.code == JVM_WIRE_CODE_restore ? agent_copy(&fd, &err) : -1;
        if (m.code != JVM_WIRE_CODE_restore)
            status = ebb_fail(&err, EBB_UNSUPPORTED, "A snapshot can't do anything but be restored.");
        if (pid == 0)
            break;
        if (pid > 0) {
            jvm_wire_put_number(&out, &(jvm_wire_number){.value = (uint64_t)pid});
            ebb_vec_push(&agent.copies, pid);
            agent.fd_along = fd;
            status = EBB_OK;
        }
        agent_answer(m.code, status, &out, &err);
        ebb_buf_fini(&out);
    }
    ebb_buf_fini(&m.payload);
}

/* In a copy: from now on it replays what lies after the cursor. */
static void become_replay(jvm_cursor cursor)
{
    agent.copies.n = 0;
    agent.pace.rule.interval_ms = 0;
    agent_begin_replay();
    jvm_replay_begin(cursor);
}

/* True in the copy that replays from here; false where it goes on. */
static bool take(jvm_wire_snapshot *a, int *fd, ebb_error *err, ebb_status *status)
{
    jvm_record_flush(); /* if the program is killed, this much of it can be reached */
    jvm_cursor cursor = jvm_record_cursor();
    *a = (jvm_wire_snapshot){.time = jvm_time(), .thread = jvm_self == NULL ? 0 : jvm_self->id,
                             .place = jvm_self == NULL ? 0 : agent_thread_place(jvm_self), .stays = agent.snapshot_stays};
    agent.snapshot_stays = false;
    sweep_copies();
    pid_t pid = agent_copy(fd, err);
    *status = pid < 0 ? EBB_SYSTEM : EBB_OK;
    if (pid != 0) {
        a->pid = (uint64_t)pid;
        if (pid > 0)
            ebb_vec_push(&agent.copies, pid);
        return false;
    }
    agent_block_signals();
    jvm_branch_keep_streams();
    agent_detach_descriptors();
    agent.copies.n = 0;
    if (jvm_undo_get().capacity != 0)
        (void)jvm_undo_set(jvm_undo_get().capacity); /* a new one: the pages of this one would be kept twice while the original writes on */
    stay_frozen();
    become_replay(cursor);
    return true;
}

ebb_status agent_serve_snapshot_take(const jvm_wire_nothing *q, jvm_wire_snapshot *a, ebb_arena *arena, ebb_error *err)
{
    ebb_status status;
    int fd = -1;
    if (jvm_history == JVM_UNRECORDED)
        return ebb_fail(err, EBB_UNSUPPORTED, "Nothing is recorded, so there is nothing to go back to.");
    if (take(a, &fd, err, &status))
        agent.no_answer = true;
    else if (status == EBB_OK)
        agent.fd_along = fd;
    return status;
}

ebb_status agent_serve_replay_now(const jvm_wire_nothing *q, jvm_wire_number *a, ebb_arena *arena, ebb_error *err)
{
    int fd = -1;
    if (jvm_history == JVM_UNRECORDED)
        return ebb_fail(err, EBB_UNSUPPORTED, "Nothing is recorded, so there is nothing to replay.");
    bool replays = jvm_is_replaying();
    jvm_cursor cursor = {0};
    if (!replays) {
        jvm_record_flush();
        cursor = jvm_record_cursor();
    }
    sweep_copies();
    pid_t pid = agent_copy(&fd, err);
    if (pid < 0)
        return EBB_SYSTEM;
    if (pid == 0) {
        agent.copies.n = 0;
        if (!replays) {
            agent_block_signals();
            jvm_branch_keep_streams();
            agent_detach_descriptors();
            become_replay(cursor);
        }
        agent.no_answer = true; /* the original gives it */
        return EBB_OK;
    }
    ebb_vec_push(&agent.copies, pid);
    agent.fd_along = fd;
    a->value = (uint64_t)pid;
    return EBB_OK;
}

/* ---- now and then, while it runs ---- */

static uint64_t read_clock_us(clockid_t clock)
{
    struct timespec ts;
    clock_gettime(clock, &ts);
    return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

static uint64_t now_us(void) { return read_clock_us(CLOCK_MONOTONIC); }
static uint64_t spent_us(void) { return read_clock_us(CLOCK_THREAD_CPUTIME_ID); }

/* The first write to a page that is shared with a copy is such a fault, and so is the first to one that is new, which is a little too much. */
static uint64_t count_written_pages(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_minflt : 0;
}

ebb_status agent_serve_snapshot_pace(const jvm_wire_pace *q, jvm_wire_nothing *a, ebb_arena *arena, ebb_error *err)
{
    ebb_pace_rule rule = {.interval_ms = jvm_history == JVM_RECORDING ? q->interval_ms : 0, .share = q->share};
    ebb_pace_begin(&agent.pace, rule, now_us());
    agent.pages_written = count_written_pages();
    return EBB_OK;
}

static bool may_take_snapshots(void)
{
    return agent.pace.rule.interval_ms != 0 && agent.running && !agent.calling && jvm_history == JVM_RECORDING;
}

void jvm_agent_snapshot_soon(void)
{
    if (!may_take_snapshots())
        return;
    agent.wanted |= AGENT_WANT_SNAPSHOT;
    agent.snapshot_stays = true;
    agent_choose_trace();
}

void jvm_agent_quantum_ends(void)
{
    if (!may_take_snapshots() || !ebb_pace_is_due(&agent.pace, now_us()))
        return;
    agent.wanted |= AGENT_WANT_SNAPSHOT;
    agent_choose_trace();
    jvm_record_verify_soon();
}

/* The last one has been paid for by now: in copying the process, and since then in copying pages. */
static void note_taken(uint64_t began_us)
{
    uint64_t pages = count_written_pages();
    ebb_pace_cost cost = {.copying_us = spent_us() - began_us, .pages = pages - agent.pages_written};
    agent.pages_written = pages;
    ebb_pace_taken(&agent.pace, &cost, now_us());
}

bool agent_snapshot_here(void)
{
    jvm_wire_snapshot a;
    ebb_status status;
    int fd = -1;
    agent.wanted &= ~(unsigned)AGENT_WANT_SNAPSHOT;
    agent_choose_trace();
    uint64_t began_us = spent_us();
    if (take(&a, &fd, NULL, &status)) {
        agent_step_end();
        agent_serve();
        return true;
    }
    note_taken(began_us);
    if (status != EBB_OK)
        return false;
    ebb_buf out = {0};
    jvm_wire_put_snapshot(&out, &a);
    agent.fd_along = fd;
    agent_answer(JVM_WIRE_CODE_snapshot_taken, EBB_OK, &out, NULL);
    ebb_buf_fini(&out);
    return false;
}

/* ---- requests ---- */

void jvm_agent_exits(void)
{
    if (agent.is_apart && agent.running)
        history_ends(); /* it is no part of the history, but so it can be looked at */
    if (!agent.running || agent.is_replay || agent.is_scratch)
        return;
    ebb_buf out = {0};
    ebb_arena arena = {0};
    agent_passed passed = agent_take_passed();
    jvm_wire_end end = {.time = jvm_time(), .passed = {.items = passed.items, .n = passed.n}};
    agent_list_sources(&arena, &end);
    jvm_wire_put_end(&out, &end);
    ebb_vec_fini(&passed);
    ebb_arena_fini(&arena);
    agent_answer(JVM_WIRE_CODE_ended, EBB_OK, &out, NULL);
    ebb_buf_fini(&out);
}

ebb_status agent_serve_ended(const jvm_wire_nothing *q, jvm_wire_end *a, ebb_arena *arena, ebb_error *err)
{
    return ebb_fail(err, EBB_UNSUPPORTED, "That is told, not asked.");
}

ebb_status agent_serve_snapshot_taken(const jvm_wire_nothing *q, jvm_wire_snapshot *a, ebb_arena *arena, ebb_error *err)
{
    return ebb_fail(err, EBB_UNSUPPORTED, "That is told, not asked.");
}

ebb_status agent_serve_restore(const jvm_wire_nothing *q, jvm_wire_number *a, ebb_arena *arena, ebb_error *err)
{
    return ebb_fail(err, EBB_UNSUPPORTED, "Only a snapshot can be restored.");
}

ebb_status agent_serve_reset(const jvm_wire_position *q, jvm_wire_nothing *a, ebb_arena *arena, ebb_error *err)
{
    while (agent.points.n > 0)
        (void)agent_point_clear(agent.points.items[agent.points.n - 1].id, err);
    agent.events = 0;
    agent.wanted = 0;
    agent.lock_events.n = 0;
    agent.newest_time = q->time;
    agent.newest_place = q->place;
    return EBB_OK;
}

static void unblock_signals(void)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void put_lines(jvm_wire_names *a, ebb_arena *arena, ebb_buf *text)
{
    size_t n = 0;
    for (size_t i = 0; i < text->n; i++)
        n += text->data[i] == '\n';
    a->list.items = EBB_ARENA_ARRAY(arena, jvm_wire_name, n + 1);
    for (const char *line = ebb_buf_text(text); *line != '\0'; line = strchr(line, '\n') + 1)
        a->list.items[a->list.n++].text = ebb_arena_strndup(arena, line, (size_t)(strchr(line, '\n') - line));
}

/* Out of the way of descriptors that the program had. */
static void move_socket(void)
{
    enum { HIGH = 512 };
    int fd = fcntl(agent.fd, F_DUPFD_CLOEXEC, HIGH);
    if (fd < 0)
        return;
    close(agent.fd);
    agent.fd = fd;
}

ebb_status agent_serve_branch(const jvm_wire_nothing *q, jvm_wire_names *a, ebb_arena *arena, ebb_error *err)
{
    ebb_buf undone = {0};
    move_socket();
    ebb_status status = jvm_branch(&undone, err);
    if (status == EBB_OK) {
        agent.is_replay = false;
        agent.newest_time = UINT64_MAX;
        put_lines(a, arena, &undone);
        unblock_signals();
    }
    ebb_buf_fini(&undone);
    return status;
}

ebb_status agent_serve_state_hash(const jvm_wire_nothing *q, jvm_wire_number *a, ebb_arena *arena, ebb_error *err)
{
    a->value = jvm_state_hash();
    return EBB_OK;
}

ebb_position agent_recording_end(void)
{
    return ebb_recording_find_reach(jvm_log_recording());
}

ebb_status agent_serve_recording_end(const jvm_wire_nothing *q, jvm_wire_position *a, ebb_arena *arena, ebb_error *err)
{
    if (!jvm_is_replaying())
        return ebb_fail(err, EBB_UNSUPPORTED, "A recording that is being written has no end.");
    ebb_position end = agent_recording_end();
    *a = (jvm_wire_position){.time = end.timestamp, .place = end.place};
    return EBB_OK;
}

ebb_status agent_serve_verified(const jvm_wire_nothing *q, jvm_wire_number *a, ebb_arena *arena, ebb_error *err)
{
    a->value = jvm_record_nverified();
    return EBB_OK;
}

ebb_status agent_serve_recording_size(const jvm_wire_nothing *q, jvm_wire_number *a, ebb_arena *arena, ebb_error *err)
{
    a->value = jvm_record_nbytes();
    return EBB_OK;
}

ebb_status agent_serve_printed(const jvm_wire_nothing *q, jvm_wire_printed *a, ebb_arena *arena, ebb_error *err)
{
    uint64_t first = jvm_printed_first();
    a->total = jvm_printed_total();
    a->newest.n = (uint32_t)(a->total > first ? a->total - first : 0);
    uint8_t *bytes = EBB_ARENA_ARRAY(arena, uint8_t, a->newest.n + 1);
    if (a->newest.n > 0)
        jvm_printed_get(first, bytes, a->newest.n);
    a->newest.data = bytes;
    return EBB_OK;
}
