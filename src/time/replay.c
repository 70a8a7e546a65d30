/* replay.c - the cursor over the events of a recording. */
#include "time/replay.h"

#include "base/mem.h"

struct ebb_replay {
    ebb_kind_text *machine_kind;
    ebb_recording *in;
    ebb_event next;    /* the one peeked at, or being read */
    bool is_peeked;    /* it has not been taken */
    uint64_t number;   /* of the first event that was neither taken nor passed over */
    uint64_t happened; /* RP3 */
};

/* ---- opening ---- */

/* Takes `in`. */
static ebb_replay *replay_new(ebb_recording *in, ebb_kind_text *machine_kind)
{
    ebb_replay *r = EBB_NEW(ebb_replay);
    r->in = in;
    r->machine_kind = machine_kind;
    return r;
}

ebb_status ebb_replay_open(const char *path, ebb_kind_text *machine_kind, ebb_replay **out, ebb_error *err)
{
    ebb_recording *in;
    EBB_TRY(ebb_recording_open(path, &in, err));
    *out = replay_new(in, machine_kind);
    return EBB_OK;
}

ebb_status ebb_replay_open_fd(int fd, ebb_kind_text *machine_kind, ebb_replay **out, ebb_error *err)
{
    ebb_recording *in;
    EBB_TRY(ebb_recording_open_fd(fd, &in, err));
    *out = replay_new(in, machine_kind);
    return EBB_OK;
}

void ebb_replay_free(ebb_replay *r)
{
    if (r == NULL)
        return;
    ebb_recording_free(r->in);
    free(r);
}

ebb_recording *ebb_replay_get_recording(ebb_replay *r) { return r->in; }

/* ---- where it is ---- */

uint64_t ebb_replay_get_number(const ebb_replay *r) { return r->number; }
uint64_t ebb_replay_get_happened(const ebb_replay *r) { return r->happened; }

ebb_status ebb_replay_seek(ebb_replay *r, uint64_t number, ebb_error *err)
{
    EBB_TRY(ebb_recording_seek(r->in, number, err));
    r->is_peeked = false;
    r->number = r->happened = number;
    return EBB_OK;
}

/* ---- events ---- */

static const char *text_of(const ebb_replay *r, unsigned kind)
{
    return kind < EBB_EVENT_MACHINE ? ebb_event_text(kind) : r->machine_kind(kind);
}

static ebb_status read_next(ebb_replay *r, ebb_error *err)
{
    EBB_TRY(ebb_recording_next(r->in, &r->next, err));
    if (text_of(r, r->next.kind) == NULL) /* RP4 */
        return ebb_fail(err, EBB_BAD_FILE, "the recording is damaged: there is no event of kind %u", r->next.kind);
    return EBB_OK;
}

/* RP2 */
static bool is_passed_over(const ebb_event *e, uint64_t now)
{
    return e->kind == EBB_EVENT_MARK || e->kind == EBB_EVENT_FILE || e->kind == EBB_EVENT_OPEN_FILE ||
           (e->kind == EBB_EVENT_HASH && e->timestamp < now);
}

ebb_event *ebb_replay_get_event(ebb_replay *r) { return &r->next; }

ebb_status ebb_replay_peek(ebb_replay *r, uint64_t now, ebb_error *err)
{
    r->is_peeked = r->is_peeked && !is_passed_over(&r->next, now);
    while (!r->is_peeked) {
        EBB_TRY(read_next(r, err));
        r->is_peeked = !is_passed_over(&r->next, now);
        r->number = r->next.number + !r->is_peeked;
    }
    return EBB_OK;
}

/* Where replay began between a moment and its hash, nobody asks for that hash. */
static ebb_status peek_for(ebb_replay *r, unsigned wanted, uint64_t now, ebb_error *err)
{
    EBB_TRY(ebb_replay_peek(r, now, err));
    while (r->next.kind == EBB_EVENT_HASH && wanted != EBB_EVENT_HASH) {
        r->is_peeked = false;
        EBB_TRY(ebb_replay_peek(r, now, err));
    }
    return EBB_OK;
}

static ebb_status fail_other(const ebb_replay *r, unsigned wanted, uint64_t now, ebb_error *err)
{
    bool is_edit = r->next.kind == EBB_EVENT_EDIT && r->next.timestamp == now;
    const char *asked = text_of(r, wanted);
    return ebb_fail(err, is_edit ? EBB_UNAVAILABLE : EBB_DIVERGED, "the execution asks for %s, the recording has %s of timestamp %llu",
                    asked == NULL ? "nonsense" : asked, text_of(r, r->next.kind), (unsigned long long)r->next.timestamp);
}

ebb_status ebb_replay_expect(ebb_replay *r, unsigned kind, uint64_t now, ebb_error *err)
{
    EBB_TRY(peek_for(r, kind, now, err));
    if (r->next.kind != kind || r->next.timestamp != now)
        return fail_other(r, kind, now, err);
    r->is_peeked = false;
    r->number = r->happened = r->next.number + 1;
    return EBB_OK;
}

bool ebb_replay_has(ebb_replay *r, unsigned kind, uint64_t now)
{
    return ebb_replay_peek(r, now, NULL) == EBB_OK && r->next.kind == kind && r->next.timestamp == now;
}

ebb_status ebb_replay_check_values(const ebb_replay *r, ebb_error *err)
{
    if (r->next.values.is_bad)
        return ebb_fail(err, EBB_BAD_FILE, "the recording is damaged: event %llu is cut short", (unsigned long long)r->next.number);
    return EBB_OK;
}

/* ---- going live ---- */

ebb_status ebb_replay_cut(ebb_replay *r, ebb_recorder *rec, uint64_t now, ebb_error *err)
{
    EBB_TRY(ebb_recorder_cut(rec, r->happened, now, err));
    EBB_TRY(ebb_recording_refresh(r->in, err));
    return ebb_replay_seek(r, r->happened, err);
}
