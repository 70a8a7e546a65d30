/* edits.c - what the user did at a stop: recorded, and done again in replay. */
#include "time/edits.h"

#include "base/check.h"
#include "base/mem.h"
#include "time/recording_format.h"

#include <string.h>

struct ebb_edits {
    EBB_VEC(ebb_edit_hint) all; /* numbers go up */
    size_t next;                /* those before it have happened */
};

/* ---- the event ---- */

bool ebb_edit_write(ebb_event_writer *w, const ebb_edit *e)
{
    ebb_event_begin(w, EBB_EVENT_EDIT, e->at.timestamp);
    ebb_event_u64(w, e->at.place);
    ebb_event_u64(w, e->what);
    ebb_event_bytes(w, e->how, e->nbytes);
    return ebb_event_end(w);
}

ebb_status ebb_edit_read(const ebb_event *event, ebb_edit *out, ebb_error *err)
{
    ebb_values v = event->values;
    *out = (ebb_edit){.at.timestamp = event->timestamp};
    out->at.place = ebb_values_u64(&v);
    out->what = ebb_values_u64(&v);
    out->how = ebb_values_bytes(&v, &out->nbytes);
    if (v.is_bad)
        return ebb_fail(err, EBB_BAD_FILE, "the recording is damaged: event %llu is cut short", (unsigned long long)event->number);
    return EBB_OK;
}

/* ---- recording ---- */

static ebb_status record_hint(ebb_recorder *rec, const ebb_edit_hint *h, ebb_error *err)
{
    ebb_buf section = {0};
    rec_add_varint(&section, h->number);
    rec_add_varint(&section, h->at.timestamp);
    rec_add_varint(&section, h->at.place);
    ebb_status status = ebb_recorder_section(rec, EBB_SECTION_EDIT, section.data, section.n, err);
    ebb_buf_fini(&section);
    return status;
}

static ebb_status record_event(ebb_recorder *rec, const ebb_edit *e, ebb_error *err)
{
    ebb_event_writer w;
    uint8_t *bytes = ebb_alloc(ebb_edit_room(e));
    ebb_event_writer_init(&w, bytes, ebb_edit_room(e), 0);
    ebb_check(ebb_edit_write(&w, e));
    ebb_event_batch batch = ebb_event_writer_batch(&w);
    ebb_status status = ebb_recorder_add(rec, &batch, err);
    free(bytes);
    return status;
}

ebb_status ebb_edit_record(ebb_recorder *rec, const ebb_edit *e, ebb_error *err)
{
    ebb_edit_hint hint = {ebb_recorder_get_count(rec), e->at};
    EBB_TRY(record_event(rec, e, err));
    return record_hint(rec, &hint, err);
}

/* ---- hints ---- */

ebb_edits *ebb_edits_new(void) { return EBB_NEW(ebb_edits); }

void ebb_edits_free(ebb_edits *e)
{
    if (e == NULL)
        return;
    ebb_vec_fini(&e->all);
    free(e);
}

static void take_hint(ebb_edits *e, const ebb_buf *section)
{
    ebb_values v = {.at = (const uint8_t *)section->data, .end = (const uint8_t *)section->data + section->n};
    ebb_edit_hint h = {.number = ebb_values_u64(&v)};
    h.at.timestamp = ebb_values_u64(&v);
    h.at.place = ebb_values_u64(&v);
    if (!ebb_values_done(&v))
        return;
    while (e->all.n > 0 && e->all.items[e->all.n - 1].number >= h.number)
        e->all.n--; /* void by a cut */
    ebb_vec_push(&e->all, h);
}

ebb_status ebb_edits_read(ebb_edits *e, ebb_recording *in, ebb_error *err)
{
    ebb_buf section = {0};
    ebb_status status = ebb_recording_refresh(in, err);
    e->all.n = e->next = 0;
    for (size_t i = 0; status == EBB_OK && i < ebb_recording_count_sections(in); i++) {
        if (ebb_recording_section_kind(in, i) != EBB_SECTION_EDIT)
            continue;
        status = ebb_recording_read_section(in, i, &section, err);
        if (status == EBB_OK)
            take_hint(e, &section);
    }
    ebb_buf_fini(&section);
    return status;
}

const ebb_edit_hint *ebb_edits_next(ebb_edits *e, uint64_t number)
{
    while (e->next > 0 && e->all.items[e->next - 1].number >= number)
        e->next--; /* it was gone back */
    while (e->next < e->all.n && e->all.items[e->next].number < number)
        e->next++;
    return e->next < e->all.n ? &e->all.items[e->next] : NULL;
}

bool ebb_edits_have(const ebb_edits *e, ebb_position at)
{
    for (size_t i = 0; i < e->all.n; i++)
        if (ebb_position_compare(e->all.items[i].at, at) == 0)
            return true;
    return false;
}

/* ---- doing them again ---- */

static ebb_status take_edit(ebb_replay *r, uint64_t now, uint64_t *what, ebb_buf *how, ebb_error *err)
{
    ebb_edit e; /* its place is where the execution is */
    EBB_TRY(ebb_replay_expect(r, EBB_EVENT_EDIT, now, err));
    EBB_TRY(ebb_edit_read(ebb_replay_get_event(r), &e, err));
    *what = e.what;
    ebb_buf_truncate(how, 0);
    ebb_buf_add(how, e.how, e.nbytes);
    return EBB_OK;
}

ebb_status ebb_edits_redo(ebb_replay *r, const ebb_edit_hooks *hooks, size_t *n, ebb_error *err)
{
    ebb_buf how = {0}; /* a copy: what is done may take events of its own */
    ebb_status status = EBB_OK;
    for (*n = 0; status == EBB_OK && ebb_replay_has(r, EBB_EVENT_EDIT, hooks->now()); ++*n) {
        uint64_t what;
        status = take_edit(r, hooks->now(), &what, &how, err);
        if (status == EBB_OK)
            status = hooks->redo(what, &how, err);
    }
    ebb_buf_fini(&how);
    return status;
}

ebb_status ebb_edits_come_by(ebb_edits *e, ebb_replay *r, ebb_position at, const ebb_edit_hooks *hooks, size_t *n, ebb_error *err)
{
    const ebb_edit_hint *h = ebb_edits_next(e, ebb_replay_get_number(r));
    *n = 0;
    if (h == NULL || ebb_position_compare(at, h->at) < 0)
        return EBB_OK;
    uint64_t number = h->number, time = h->at.timestamp;
    EBB_TRY(ebb_edits_redo(r, hooks, n, err));
    h = ebb_edits_next(e, ebb_replay_get_number(r));
    if (at.timestamp > time && h != NULL && h->number == number) /* ED2 */
        ebb_vec_remove(&e->all, e->next);
    return EBB_OK;
}
