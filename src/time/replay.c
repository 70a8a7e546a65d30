/* replay.c - a cursor over the blocks of a file, and its divergences as errors. */
#include "time/replay.h"

#include "base/mem.h"

struct ebb_replay {
    const ebb_kinds *kinds;
    ebb_recording *in;
    ebb_cursor cursor;
    ebb_event_batch batch; /* of `in`, for the cursor */
    ebb_event next;        /* the one peeked at, or being read */
    ebb_cursor after;      /* the cursor when that one will have been taken */
    bool is_peeked;        /* it has not been taken */
};

/* ---- opening ---- */

/* Takes `in`. */
static ebb_replay *replay_new(ebb_recording *in, const ebb_kinds *kinds)
{
    ebb_replay *r = EBB_NEW(ebb_replay);
    r->in = in;
    r->kinds = kinds;
    return r;
}

ebb_status ebb_replay_open(const char *path, const ebb_kinds *kinds, ebb_replay **out, ebb_error *err)
{
    ebb_recording *in;
    EBB_TRY(ebb_recording_open(path, &in, err));
    *out = replay_new(in, kinds);
    return EBB_OK;
}

ebb_status ebb_replay_open_fd(int fd, const ebb_kinds *kinds, ebb_replay **out, ebb_error *err)
{
    ebb_recording *in;
    EBB_TRY(ebb_recording_open_fd(fd, &in, err));
    *out = replay_new(in, kinds);
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

uint64_t ebb_replay_get_number(const ebb_replay *r) { return r->cursor.number; }
uint64_t ebb_replay_get_happened(const ebb_replay *r) { return r->cursor.happened; }

ebb_status ebb_replay_seek(ebb_replay *r, uint64_t number, ebb_error *err)
{
    EBB_TRY(ebb_recording_seek(r->in, number, err));
    r->is_peeked = false;
    r->cursor = ebb_cursor_before(number);
    return EBB_OK;
}

/* ---- events ---- */

/* The next block of the file. */
static ebb_status give_more(ebb_replay *r, ebb_error *err)
{
    EBB_TRY(ebb_recording_next_batch(r->in, &r->batch, err));
    ebb_cursor_give(&r->cursor, r->batch.nbytes, r->batch.n_events, r->batch.base);
    return EBB_OK;
}

/* RP4 */
static ebb_status check_event(const ebb_replay *r, ebb_error *err)
{
    if (ebb_kind_text(r->kinds, r->next.kind) == NULL)
        return ebb_fail(err, EBB_BAD_FILE, "the recording is damaged: there is no event of kind %u", r->next.kind);
    if (r->next.timestamp > r->batch.timestamp)
        return ebb_fail(err, EBB_BAD_FILE, "event %llu of the recording makes no sense", (unsigned long long)r->next.number);
    return EBB_OK;
}

ebb_event *ebb_replay_get_event(ebb_replay *r) { return &r->next; }

static ebb_status peek_anew(ebb_replay *r, uint64_t now, ebb_error *err)
{
    ebb_peek found;
    while ((found = ebb_cursor_peek(&r->cursor, r->batch.bytes, r->kinds, now, &r->next, &r->after)) == EBB_PEEK_DRY)
        EBB_TRY(give_more(r, err));
    if (found == EBB_PEEK_BAD)
        return ebb_fail(err, EBB_BAD_FILE, "event %llu of the recording makes no sense", (unsigned long long)r->cursor.number);
    return check_event(r, err);
}

ebb_status ebb_replay_peek(ebb_replay *r, uint64_t now, ebb_error *err)
{
    bool is_gone = r->next.kind == EBB_EVENT_HASH && r->next.timestamp < now; /* RP2 */
    if (r->is_peeked && !is_gone)
        return EBB_OK;
    r->is_peeked = false;
    EBB_TRY(peek_anew(r, now, err));
    r->is_peeked = true;
    return EBB_OK;
}

static void pass_over(ebb_replay *r)
{
    uint64_t happened = r->cursor.happened;
    r->cursor = r->after;
    r->cursor.happened = happened; /* RP3 */
    r->is_peeked = false;
}

/* Where replay began between a moment and its hash, nobody asks for that hash. */
static ebb_status peek_for(ebb_replay *r, unsigned wanted, uint64_t now, ebb_error *err)
{
    EBB_TRY(ebb_replay_peek(r, now, err));
    while (r->next.kind == EBB_EVENT_HASH && wanted != EBB_EVENT_HASH) {
        pass_over(r);
        EBB_TRY(ebb_replay_peek(r, now, err));
    }
    return EBB_OK;
}

static ebb_status fail_other(const ebb_replay *r, unsigned wanted, ebb_match match, ebb_error *err)
{
    char text[sizeof err->text];
    ebb_line line = ebb_line_in(text, sizeof text);
    const char *asked = ebb_kind_text(r->kinds, wanted);
    ebb_line_diverged(&line, r->kinds, asked == NULL ? "nonsense" : asked, &r->next);
    return ebb_fail(err, match == EBB_MATCHES_LATER ? EBB_UNAVAILABLE : EBB_DIVERGED, "%s", text);
}

ebb_status ebb_replay_expect(ebb_replay *r, unsigned kind, uint64_t now, ebb_error *err)
{
    EBB_TRY(peek_for(r, kind, now, err));
    ebb_match match = ebb_cursor_match(r->kinds, &r->next, kind, now);
    if (match != EBB_MATCHES)
        return fail_other(r, kind, match, err);
    ebb_cursor_take(&r->cursor, &r->after);
    r->is_peeked = false;
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
    EBB_TRY(ebb_recorder_cut(rec, r->cursor.happened, now, err));
    EBB_TRY(ebb_recording_refresh(r->in, err));
    return ebb_replay_seek(r, r->cursor.happened, err);
}
