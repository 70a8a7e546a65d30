/* history.c - snapshots, and which process is the debuggee (machine/history.h).
 *
 * The live debuggee stays stopped while a copy of a snapshot replays; the copy is the debuggee as long as r->fd is its socket. */
#include "jvm/remote/far.h"
#include "jvm/remote/line.h"
#include "jvm/remote/machine_ops.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

bool jvm_remote_is_replaying(const jvm_remote *r)
{
    return r->copy != 0 || r->opened;
}

/* ---- the list ---- */

static void add_snapshot(jvm_remote *r, const jvm_wire_snapshot *s, int fd)
{
    machine_snapshot one = {.id = ++r->last_snapshot, .timestamp = s->time, .place = s->place, .thread = (machine_tid)s->thread,
                            .stays = s->stays != 0};
    jvm_remote_frozen frozen = {(pid_t)s->pid, fd, r->undo_told};
    size_t at = r->snapshots.n; /* oldest first; one taken while replaying comes in between */
    while (at > 0 && r->snapshots.items[at - 1].timestamp > one.timestamp)
        at--;
    ebb_vec_push(&r->snapshots, one);
    ebb_vec_push(&r->frozen, frozen);
    memmove(r->snapshots.items + at + 1, r->snapshots.items + at, (r->snapshots.n - 1 - at) * sizeof one);
    memmove(r->frozen.items + at + 1, r->frozen.items + at, (r->frozen.n - 1 - at) * sizeof frozen);
    r->snapshots.items[at] = one;
    r->frozen.items[at] = frozen;
}

static bool find(const jvm_remote *r, machine_snapshot_id id, size_t *at)
{
    for (*at = 0; *at < r->snapshots.n; (*at)++)
        if (r->snapshots.items[*at].id == id)
            return true;
    return false;
}

const machine_snapshot *jvm_remote_snapshots(machine *m, size_t *n)
{
    jvm_remote *r = jvm_remote_of(m);
    *n = r->snapshots.n;
    return r->snapshots.items;
}

void jvm_remote_snapshot_drop(machine *m, machine_snapshot_id id)
{
    jvm_remote *r = jvm_remote_of(m);
    size_t at;
    if (!find(r, id, &at))
        return;
    jvm_process_end_copy(r, r->frozen.items[at].pid, r->frozen.items[at].fd);
    ebb_vec_remove(&r->frozen, at);
    ebb_vec_remove(&r->snapshots, at);
}

/* ---- taking ---- */

ebb_status jvm_remote_snapshot_take(machine *m, machine_snapshot_id *id, ebb_error *err)
{
    jvm_remote *r = jvm_remote_of(m);
    ebb_buf none = {0}, in = {0};
    jvm_wire_snapshot s = {0};
    int fd = -1;
    ebb_status status = jvm_remote_exchange(r, JVM_WIRE_CODE_snapshot_take, &none, false, &in, &fd, err);
    jvm_wire_reader reader = {.at = (const uint8_t *)in.data};
    reader.end = reader.at + in.n;
    if (status == EBB_OK && (fd < 0 || !jvm_wire_get_snapshot(&reader, &s)))
        status = jvm_remote_nonsense(err);
    ebb_buf_fini(&in);
    if (status == EBB_OK) {
        add_snapshot(r, &s, fd);
        *id = r->last_snapshot;
    } else {
        jvm_line_close(r, fd);
    }
    return status;
}

ebb_status jvm_remote_note_snapshot(jvm_remote *r, const jvm_wire_message *m, int fd, ebb_error *err)
{
    jvm_wire_snapshot s;
    jvm_wire_reader reader = {.at = (const uint8_t *)m->payload.data};
    reader.end = reader.at + m->payload.n;
    if (fd < 0 || !jvm_wire_get_snapshot(&reader, &s)) {
        jvm_line_close(r, fd);
        return jvm_remote_nonsense(err);
    }
    add_snapshot(r, &s, fd);
    if (r->taken != NULL)
        r->taken(r->taken_self);
    return EBB_OK;
}

void jvm_remote_snapshot_policy(machine *m, unsigned interval_ms, void (*taken)(void *self), void *self)
{
    jvm_remote *r = jvm_remote_of(m);
    jvm_wire_number q = {.value = interval_ms};
    jvm_wire_nothing a;
    r->taken = taken;
    r->taken_self = self;
    r->policy_ms = interval_ms;
    if (r->fd >= 0 && r->fd == r->live_fd && !r->opened && jvm_remote_ask_snapshot_policy(r, &r->for_now, &q, &a, NULL) != EBB_OK)
        return; /* a debuggee that is gone takes none */
}

/* ---- going back, and returning ---- */

static void leave_copy(jvm_remote *r)
{
    if (r->copy != 0)
        jvm_process_end_copy(r, r->copy, r->fd);
    r->copy = 0;
    r->fd = r->live_fd;
    r->undo_told = r->undo_told_live;
    jvm_remote_forget(r);
}

/* Nothing of before holds. */
ebb_status jvm_remote_tell_all(jvm_remote *r, uint64_t newest_time, machine_place newest_place, ebb_error *err)
{
    jvm_wire_position q = {.time = newest_time, .place = newest_place};
    jvm_wire_nothing a;
    ebb_status status = jvm_remote_ask_reset(r, &r->for_now, &q, &a, err);
    return status == EBB_OK ? jvm_remote_sync(r, err) : status;
}

/* Where the live debuggee stands that is about to be left. */
static void note_live(jvm_remote *r)
{
    bool killed = r->gone && WIFSIGNALED(r->wait_status) && r->end_time != 0;
    bool by_recording = killed || r->opened;
    r->live_time = by_recording ? r->end_time : r->live_fd < 0 ? UINT64_MAX : r->time;
    r->live_place = by_recording ? 0 : r->place;
    r->live_thread = by_recording ? 0 : r->thread;
}

void jvm_remote_become_copy(jvm_remote *r, pid_t pid, int fd, uint64_t undo)
{
    if (r->copy == 0)
        note_live(r);
    leave_copy(r);
    r->copy = pid;
    r->copied = 0;
    r->fd = fd;
    r->undo_told = undo;
}

ebb_status jvm_remote_snapshot_restore(machine *m, machine_snapshot_id id, ebb_error *err)
{
    jvm_remote *r = jvm_remote_of(m);
    size_t at;
    pid_t pid;
    int fd, was = r->fd;
    if (!find(r, id, &at))
        return ebb_fail(err, EBB_NOT_FOUND, "No snapshot %u is there.", id);
    r->fd = r->frozen.items[at].fd;
    ebb_status status = jvm_remote_ask_copy(r, JVM_WIRE_CODE_restore, &pid, &fd, err);
    r->frozen.items[at].fd = r->fd; /* -1 if it talks nonsense */
    r->fd = was;
    if (status != EBB_OK)
        return status;
    jvm_remote_become_copy(r, pid, fd, r->frozen.items[at].undo);
    r->copied = id;
    r->time = r->snapshots.items[at].timestamp;
    r->place = r->snapshots.items[at].place;
    r->thread = r->snapshots.items[at].thread;
    return jvm_remote_tell_all(r, r->live_time, r->live_place, err);
}

bool jvm_remote_is_at_end(const jvm_remote *r)
{
    return r->copy != 0 && (r->time > r->live_time || (r->time == r->live_time && r->place >= r->live_place));
}

ebb_status jvm_remote_go_live(machine *m, ebb_error *err)
{
    jvm_remote *r = jvm_remote_of(m);
    if (r->copy == 0)
        return EBB_OK;
    leave_copy(r);
    if (r->live_fd < 0)
        return ebb_fail(err, EBB_GONE, "The program is not running any more.");
    r->time = r->live_time;
    r->place = r->live_place;
    r->thread = r->live_thread;
    return jvm_remote_tell_all(r, UINT64_MAX, 0, err);
}

/* ---- going live from the past ---- */

static void end_live(jvm_remote *r)
{
    jvm_line_close(r, r->live_fd);
    if (r->gone)
        return;
    jvm_process_kill(r);
    jvm_process_wait(r);
}

/* The snapshot that the copy was made of goes too: the copy is then ours to wait for (start.c). */
static void drop_future(jvm_remote *r)
{
    for (size_t i = r->snapshots.n; i-- > 0;)
        if (r->snapshots.items[i].timestamp > r->time || r->snapshots.items[i].id == r->copied)
            jvm_remote_snapshot_drop(&r->base, r->snapshots.items[i].id);
}

ebb_status jvm_remote_branch(machine *m, ebb_buf *undone, ebb_error *err)
{
    jvm_remote *r = jvm_remote_of(m);
    ebb_arena arena = {0};
    jvm_wire_nothing q = {0};
    jvm_wire_names a = {0};
    machine_snapshot_id id;
    if (r->copy == 0 || r->opened)
        return ebb_fail(err, EBB_UNSUPPORTED, "Only a program that ran here can run on from its past.");
    ebb_status status = jvm_remote_ask_branch(r, &arena, &q, &a, err);
    for (size_t i = 0; status == EBB_OK && i < a.list.n; i++)
        ebb_buf_addf(undone, "%s\n", a.list.items[i].text);
    ebb_arena_fini(&arena);
    if (status != EBB_OK)
        return status;
    end_live(r);
    drop_future(r);
    jvm_process_adopt(r, r->copy, r->fd);
    r->copy = 0;
    r->undo_told_live = r->undo_told;
    r->gone = r->end_told = false;
    jvm_remote_forget(r);
    status = jvm_remote_tell_all(r, UINT64_MAX, 0, err);
    if (status == EBB_OK)
        status = jvm_remote_snapshot_take(m, &id, err);
    jvm_remote_snapshot_policy(m, r->policy_ms, r->taken, r->taken_self);
    return status;
}

void jvm_remote_drop_copies(jvm_remote *r)
{
    leave_copy(r);
    while (r->snapshots.n > 0)
        jvm_remote_snapshot_drop(&r->base, r->snapshots.items[r->snapshots.n - 1].id);
}

/* ---- questions ---- */

/* A copy of it, which has grown since the last one was made, in a file without a name. */
static void fetch_recording(jvm_remote *r)
{
    FILE *file = tmpfile();
    free(r->recording);
    r->recording = NULL;
    if (r->recording_fd >= 0)
        close(r->recording_fd);
    r->recording_fd = file != NULL ? fcntl(fileno(file), F_DUPFD_CLOEXEC, 0) : -1;
    if (file != NULL)
        fclose(file);
    if (r->recording_fd >= 0 && jvm_far_fetch(r->far, r->recording_fd, NULL) == EBB_OK)
        r->recording = ebb_asprintf("/proc/%d/fd/%d", (int)getpid(), r->recording_fd);
}

const char *jvm_remote_recording(machine *m)
{
    jvm_remote *r = jvm_remote_of(m);
    if (r->far != NULL && r->records)
        fetch_recording(r);
    return r->recording; /* all of it is written at each stop */
}

/* All of it is written at each stop.  One that ebb can't see is the debuggee's to tell of. */
static uint64_t recording_nbytes(jvm_remote *r)
{
    struct stat st;
    jvm_wire_nothing q = {0};
    jvm_wire_number a = {0};
    if (r->recording != NULL && stat(r->recording, &st) == 0)
        return (uint64_t)st.st_size;
    return r->fd >= 0 && jvm_remote_ask_recording_size(r, &r->for_now, &q, &a, NULL) == EBB_OK ? a.value : 0;
}

static uint64_t n_verified(jvm_remote *r)
{
    jvm_wire_nothing q = {0};
    jvm_wire_number a = {0};
    return r->fd >= 0 && jvm_remote_ask_verified(r, &r->for_now, &q, &a, NULL) == EBB_OK ? a.value : 0;
}

void jvm_remote_history(machine *m, machine_history *out)
{
    jvm_remote *r = jvm_remote_of(m);
    *out = (machine_history){.is_replaying = jvm_remote_is_replaying(r), .undo_oldest = UINT64_MAX};
    out->newest = r->gone || r->opened ? r->end_time : r->copy != 0 && r->live_time != UINT64_MAX ? r->live_time : r->time;
    out->oldest = r->snapshots.n > 0 ? r->snapshots.items[0].timestamp : out->newest;
    out->recording_nbytes = recording_nbytes(r);
    out->n_verified = n_verified(r);
    jvm_remote_undo_history(r, out);
    for (size_t i = 0; i < r->snapshots.n; i++)
        r->snapshots.items[i].nbytes = jvm_process_memory(r, r->frozen.items[i].pid, r->frozen.items[i].fd);
}

ebb_status jvm_remote_state_hash(machine *m, uint64_t *hash, ebb_error *err)
{
    ebb_arena arena = {0};
    jvm_wire_nothing q = {0};
    jvm_wire_number a = {0};
    ebb_status status = jvm_remote_ask_state_hash(jvm_remote_of(m), &arena, &q, &a, err);
    *hash = a.value;
    ebb_arena_fini(&arena);
    return status;
}
