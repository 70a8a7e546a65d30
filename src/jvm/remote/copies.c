/* copies.c - how copies of a Java program are made, restored, ended and made the live one (time/copies.h).
 *
 * A snapshot is a process that waits on its line to be copied again.  The live debuggee stays stopped while a copy replays; the copy
 * is the debuggee as long as r->fd is its line. */
#include "jvm/remote/line.h"
#include "jvm/remote/machine_ops.h"

#include "base/check.h"

typedef struct frozen { /* a snapshot's process: ebb_snapshot.copy */
    pid_t pid;          /* 0: it is dead */
    int fd;
    uint64_t undo;      /* bytes of undo log that it keeps */
} frozen;

bool jvm_remote_is_replaying(const jvm_remote *r)
{
    return ebb_copies_is_replaying(r->copies);
}

bool jvm_remote_is_at_end(const jvm_remote *r)
{
    ebb_position here = {r->time, r->place};
    return r->copy != 0 && ebb_position_compare(here, ebb_copies_until(r->copies)) >= 0;
}

static ebb_position where(void *self, machine_tid *thread)
{
    const jvm_remote *r = self;
    *thread = r->thread;
    return (ebb_position){r->time, r->place};
}

/* ---- snapshots ---- */

/* False: the message makes no sense. */
static bool read_snapshot(jvm_remote *r, const ebb_buf *payload, int fd, ebb_snapshot *out)
{
    jvm_wire_snapshot s;
    jvm_wire_reader reader = {.at = (const uint8_t *)payload->data};
    reader.end = reader.at + payload->n;
    if (fd < 0 || !jvm_wire_get_snapshot(&reader, &s)) {
        jvm_line_close(r, fd);
        return false;
    }
    frozen *copy = EBB_NEW(frozen);
    *copy = (frozen){(pid_t)s.pid, fd, r->undo_told};
    *out = (ebb_snapshot){.at = {s.time, s.place}, .thread = (machine_tid)s.thread, .stays = s.stays != 0, .copy = copy};
    return true;
}

static ebb_status take(void *self, ebb_snapshot *out, ebb_error *err)
{
    jvm_remote *r = self;
    ebb_buf in = {0};
    int fd = -1;
    ebb_status status = jvm_remote_exchange(r, &(jvm_remote_question){.code = JVM_WIRE_CODE_snapshot_take}, &in, &fd, err);
    if (status != EBB_OK)
        jvm_line_close(r, fd);
    else if (!read_snapshot(r, &in, fd, out))
        status = jvm_remote_nonsense(err);
    ebb_buf_fini(&in);
    return status;
}

ebb_status jvm_remote_note_snapshot(jvm_remote *r, const jvm_wire_message *m, int fd, ebb_error *err)
{
    ebb_snapshot taken;
    if (!read_snapshot(r, &m->payload, fd, &taken))
        return jvm_remote_nonsense(err);
    ebb_copies_add(r->copies, &taken);
    return EBB_OK;
}

static void end(void *self, void *copy)
{
    frozen *f = copy;
    if (f->pid != 0)
        jvm_process_end_copy(self, f->pid, f->fd);
    free(f);
}

static uint64_t nbytes(void *self, void *copy)
{
    const frozen *f = copy;
    return f->pid != 0 ? jvm_process_memory(self, f->pid, f->fd) : 0;
}

static uint64_t live_shared(void *self)
{
    jvm_remote *r = self;
    return r->gone ? 0 : jvm_process_shared_memory(r);
}

/* Only the live debuggee takes any; one that is gone, or stands aside, is told nothing. */
static void pace(void *self, ebb_pace_rule rule)
{
    jvm_remote *r = self;
    jvm_wire_pace q = {.interval_ms = rule.interval_ms, .share = rule.share};
    jvm_wire_nothing a;
    if (r->fd >= 0 && r->fd == r->live_fd)
        (void)!jvm_remote_ask_snapshot_pace(r, &r->for_now, &q, &a, NULL);
}

/* ---- going back, and returning ---- */

/* Nothing of before holds. */
static ebb_status tell_all(jvm_remote *r, ebb_position until, ebb_error *err)
{
    jvm_wire_position q = {.time = until.timestamp, .place = until.place};
    jvm_wire_nothing a;
    EBB_TRY(jvm_remote_ask_reset(r, &r->for_now, &q, &a, err));
    return jvm_remote_sync(r, err);
}

static const ebb_position without_end = {UINT64_MAX, 0};

/* Who is talked to, and where that one stands. */
typedef struct partner {
    pid_t copy; /* 0: it is the program itself */
    int fd;
    uint64_t undo;
    ebb_position at;
    machine_tid thread;
} partner;

static partner get_partner(const jvm_remote *r)
{
    return (partner){r->copy, r->fd, r->undo_told, {r->time, r->place}, r->thread};
}

static void set_partner(jvm_remote *r, const partner *p)
{
    jvm_remote_forget(r);
    r->copy = p->copy;
    r->fd = p->fd;
    r->undo_told = p->undo;
    r->time = p->at.timestamp;
    r->place = p->at.place;
    r->thread = p->thread;
}

static void end_partner(jvm_remote *r, const partner *p)
{
    if (p->copy != 0)
        jvm_process_end_copy(r, p->copy, p->fd);
}

/* A process that is dead is not killed again: its number may be another's by now. */
static ebb_status is_dead(jvm_remote *r, frozen *f, ebb_error *err)
{
    jvm_line_close(r, f->fd);
    *f = (frozen){.fd = -1};
    return ebb_fail(err, EBB_NOT_FOUND, "A copy of the program that history was kept in is gone.");
}

static ebb_status copy_frozen(jvm_remote *r, const ebb_snapshot *from, partner *to, ebb_error *err)
{
    frozen *f = from->copy;
    int was = r->fd;
    r->fd = f->fd;
    ebb_status status = jvm_remote_ask_copy(r, JVM_WIRE_CODE_restore, &to->copy, &to->fd, err);
    f->fd = r->fd; /* -1 if it talks nonsense */
    r->fd = was;
    *to = (partner){to->copy, to->fd, f->undo, from->at, from->thread};
    return status == EBB_GONE && !jvm_process_is_lost(r, NULL) ? is_dead(r, f, err) : status;
}

static ebb_status copy_live(jvm_remote *r, partner *to, ebb_error *err)
{
    *to = get_partner(r);
    return jvm_remote_ask_copy(r, JVM_WIRE_CODE_replay_now, &to->copy, &to->fd, err);
}

static ebb_status restore(void *self, const ebb_snapshot *from, ebb_position until, ebb_error *err)
{
    jvm_remote *r = self;
    partner copy = {0}, was = get_partner(r);
    EBB_TRY(from != NULL ? copy_frozen(r, from, &copy, err) : copy_live(r, &copy, err));
    set_partner(r, &copy);
    ebb_status status = tell_all(r, until, err);
    if (status == EBB_OK) {
        end_partner(r, &was);
    } else { /* FC2 */
        copy.fd = r->fd; /* -1 if it talks nonsense */
        set_partner(r, &was);
        end_partner(r, &copy);
    }
    return status;
}

static ebb_status take_again(void *self, const ebb_snapshot *from, ebb_snapshot *out, ebb_error *err)
{
    jvm_remote *r = self;
    partner copy = {0}, was = get_partner(r);
    EBB_TRY(copy_frozen(r, from, &copy, err));
    set_partner(r, &copy);
    ebb_status status = take(r, out, err);
    copy.fd = r->fd; /* -1 if it talks nonsense */
    set_partner(r, &was);
    end_partner(r, &copy);
    return status;
}

static ebb_status leave(void *self, const ebb_newest *newest, ebb_error *err)
{
    jvm_remote *r = self;
    partner was = get_partner(r), live = {.fd = r->live_fd, .undo = r->undo_told_live, .at = newest->at, .thread = newest->thread};
    if (r->copy == 0) /* a recording that was opened, and never gone back in */
        return EBB_OK;
    set_partner(r, &live);
    end_partner(r, &was);
    return newest->has_live ? tell_all(r, without_end, err) : EBB_OK;
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

static ebb_status branch(void *self, ebb_buf *undone, ebb_error *err)
{
    jvm_remote *r = self;
    ebb_arena arena = {0};
    jvm_wire_nothing q = {0};
    jvm_wire_names a = {0};
    ebb_check(r->copy != 0);
    ebb_status status = jvm_remote_ask_branch(r, &arena, &q, &a, err);
    for (size_t i = 0; status == EBB_OK && i < a.list.n; i++)
        ebb_buf_addf(undone, "%s\n", a.list.items[i].text);
    ebb_arena_fini(&arena);
    if (status == EBB_OK)
        end_live(r);
    return status;
}

static ebb_status adopt(void *self, ebb_error *err)
{
    jvm_remote *r = self;
    jvm_process_adopt(r, r->copy, r->fd);
    r->copy = 0;
    r->undo_told_live = r->undo_told;
    r->gone = r->end_told = false;
    jvm_remote_forget(r);
    return tell_all(r, without_end, err);
}

const ebb_copies_hooks jvm_remote_copies_hooks = {
    .where = where,
    .take = take,
    .restore = restore,
    .take_again = take_again,
    .end = end,
    .nbytes = nbytes,
    .live_shared = live_shared,
    .leave = leave,
    .branch = branch,
    .adopt = adopt,
    .undo_oldest = jvm_remote_undo_oldest,
    .rewind = jvm_remote_rewind,
    .pace = pace,
};
