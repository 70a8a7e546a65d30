/* recording_events.c - going along the events of a recording. */
#include "base/check.h"
#include "base/mem.h"
#include "time/recording_read.h"

#include <string.h>

/* ---- values --------------------------------------------------------------------------------------- */

char *ebb_values_text(ebb_values *v)
{
    size_t n;
    const uint8_t *bytes = ebb_values_bytes(v, &n);
    return bytes ? ebb_strndup((const char *)bytes, n) : NULL;
}

/* ---- the loaded block ----------------------------------------------------------------------------- */

void rec_forget_loaded(ebb_recording *r)
{
    r->loaded_block = SIZE_MAX;
}

static void rewind_loaded(ebb_recording *r)
{
    const rec_block *block = &r->blocks.items[r->loaded_block];
    r->loaded_at = 0;
    r->loaded_number = block->first_event;
    r->loaded_timestamp = block->first_timestamp;
}

static ebb_status load_block(ebb_recording *r, size_t i, ebb_error *err)
{
    if (r->loaded_block != i) {
        rec_forget_loaded(r);
        ebb_status status = rec_load(r, &r->blocks.items[i].stored, &r->loaded, err);
        if (status != EBB_OK)
            return status;
        r->loaded_block = i;
        rewind_loaded(r);
    }
    return EBB_OK;
}

/* The event at loaded_at, which then is the one before loaded_at. */
static ebb_status parse_next(ebb_recording *r, ebb_event *out, ebb_error *err)
{
    const rec_block *block = &r->blocks.items[r->loaded_block];
    const uint8_t *start = (const uint8_t *)r->loaded.data;
    ebb_values v = {.at = start + r->loaded_at, .end = start + r->loaded.n};
    if (!ebb_event_parse(&v, r->loaded_timestamp, out) || out->timestamp > block->last_timestamp)
        return ebb_fail(err, EBB_BAD_FILE, "event %llu of the recording makes no sense", (unsigned long long)r->loaded_number);
    r->loaded_timestamp = out->timestamp;
    r->loaded_at = (size_t)(v.at - start);
    out->number = r->loaded_number++;
    return EBB_OK;
}

/* ---- going ---------------------------------------------------------------------------------------- */

/* The number of the block that holds that event, by bisection. */
static size_t find_block(const ebb_recording *r, uint64_t number)
{
    size_t lo = 0, hi = r->blocks.n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (r->blocks.items[mid].first_event + r->blocks.items[mid].n_events <= number)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static uint64_t end_number(const ebb_recording *r)
{
    ebb_recording_extent extent;
    ebb_recording_get_extent(r, &extent);
    return extent.n_events;
}

/* Puts loaded_at at event `number` of block i. */
static ebb_status load_event(ebb_recording *r, size_t i, uint64_t number, ebb_error *err)
{
    ebb_status status = load_block(r, i, err);
    if (status == EBB_OK && r->loaded_number > number)
        rewind_loaded(r);
    ebb_event passed;
    while (status == EBB_OK && r->loaded_number < number)
        status = parse_next(r, &passed, err);
    return status;
}

/* Puts loaded_at at the event that is to be read next. */
static ebb_status load_next(ebb_recording *r, ebb_error *err)
{
    if (r->next_number >= end_number(r))
        EBB_TRY(ebb_recording_refresh(r, err));
    if (r->next_number >= end_number(r))
        return ebb_fail(err, EBB_NO_HISTORY, "the recording ends here");
    return load_event(r, find_block(r, r->next_number), r->next_number, err);
}

ebb_status ebb_recording_next(ebb_recording *r, ebb_event *out, ebb_error *err)
{
    EBB_TRY(load_next(r, err));
    EBB_TRY(parse_next(r, out, err));
    r->next_number++;
    return EBB_OK;
}

ebb_status ebb_recording_next_batch(ebb_recording *r, ebb_event_batch *out, ebb_error *err)
{
    EBB_TRY(load_next(r, err));
    const rec_block *block = &r->blocks.items[r->loaded_block];
    *out = (ebb_event_batch){
        .bytes = (const uint8_t *)r->loaded.data + r->loaded_at,
        .nbytes = r->loaded.n - r->loaded_at,
        .n_events = block->first_event + block->n_events - r->next_number,
        .base = r->loaded_timestamp,
        .timestamp = block->last_timestamp,
    };
    r->next_number += out->n_events;
    return EBB_OK;
}

ebb_status ebb_recording_seek(ebb_recording *r, uint64_t number, ebb_error *err)
{
    ebb_status status = number > end_number(r) ? ebb_recording_refresh(r, err) : EBB_OK;
    if (status == EBB_OK && number > end_number(r))
        status = ebb_fail(err, EBB_NO_HISTORY, "the recording has %llu events, so there is no event %llu",
                          (unsigned long long)end_number(r), (unsigned long long)number);
    if (status == EBB_OK)
        r->next_number = number;
    return status;
}

/* Among the last events; a MARK may come after it. */
bool ebb_recording_find_exit(ebb_recording *r, int64_t *how)
{
    enum { LAST = 8 };
    ebb_event event;
    ebb_recording_extent extent;
    bool is_there = false;
    ebb_recording_get_extent(r, &extent);
    if (ebb_recording_seek(r, extent.n_events > LAST ? extent.n_events - LAST : 0, NULL) != EBB_OK)
        return false;
    while (ebb_recording_next(r, &event, NULL) == EBB_OK) {
        if (event.kind != EBB_EVENT_EXIT)
            continue;
        *how = ebb_values_i64(&event.values);
        is_there = true;
    }
    return is_there;
}

/* What was read last may still be looked at: so another reader looks for it. */
ebb_position ebb_recording_find_reach(const ebb_recording *r)
{
    ebb_event event;
    ebb_recording *own;
    ebb_recording_extent extent;
    ebb_recording_get_extent(r, &extent);
    ebb_position reach = {.timestamp = extent.last_timestamp};
    if (extent.n_events == 0 || ebb_recording_open_fd(r->fd, &own, NULL) != EBB_OK)
        return reach;
    bool is_there = ebb_recording_seek(own, extent.n_events - 1, NULL) == EBB_OK && ebb_recording_next(own, &event, NULL) == EBB_OK;
    if (is_there && event.kind == EBB_EVENT_MARK && !ebb_values_done(&event.values))
        reach.place = ebb_values_u64(&event.values);
    ebb_recording_free(own);
    return reach;
}
