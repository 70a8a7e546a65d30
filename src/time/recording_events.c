/* recording_events.c - going along the events of a recording. */
#include "base/check.h"
#include "base/mem.h"
#include "time/recording_read.h"

#include <string.h>

/* ---- values --------------------------------------------------------------------------------------- */

static uint64_t bad_value(ebb_values *v)
{
    v->is_bad = true;
    v->at = v->end;
    return 0;
}

uint64_t ebb_values_u64(ebb_values *v)
{
    uint64_t value = 0;
    for (unsigned shift = 0; v->at < v->end && shift < 64; shift += 7) {
        uint8_t byte = *v->at++;
        if (shift == 63 && byte > 1)
            break; /* more than 64 bits */
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    return bad_value(v);
}

int64_t ebb_values_i64(ebb_values *v)
{
    uint64_t folded = ebb_values_u64(v);
    return (int64_t)(folded >> 1 ^ -(folded & 1));
}

const uint8_t *ebb_values_bytes(ebb_values *v, size_t *nbytes)
{
    uint64_t n = ebb_values_u64(v);
    *nbytes = 0;
    if (v->is_bad || n > (uint64_t)(v->end - v->at)) {
        bad_value(v);
        return NULL;
    }
    const uint8_t *bytes = v->at;
    v->at += n;
    *nbytes = (size_t)n;
    return bytes;
}

char *ebb_values_text(ebb_values *v)
{
    size_t n;
    const uint8_t *bytes = ebb_values_bytes(v, &n);
    return bytes ? ebb_strndup((const char *)bytes, n) : NULL;
}

bool ebb_values_done(const ebb_values *v)
{
    return !v->is_bad && v->at == v->end;
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
    uint64_t kind = ebb_values_u64(&v);
    uint64_t delta = ebb_values_u64(&v);
    size_t nbytes;
    const uint8_t *bytes = ebb_values_bytes(&v, &nbytes);
    if (!bytes || kind > UINT16_MAX || delta > block->last_timestamp - r->loaded_timestamp)
        return ebb_fail(err, EBB_BAD_FILE, "event %llu of the recording makes no sense", (unsigned long long)r->loaded_number);
    r->loaded_timestamp += delta;
    r->loaded_at = (size_t)(v.at - start);
    *out = (ebb_event){
        .number = r->loaded_number++,
        .timestamp = r->loaded_timestamp,
        .kind = (unsigned)kind,
        .values = {.at = bytes, .end = bytes + nbytes},
    };
    return EBB_OK;
}

/* ---- going ---------------------------------------------------------------------------------------- */

/* The first block for which `is_before` doesn't hold; n if it holds for all. */
static size_t bisect_blocks(const ebb_recording *r, bool (*is_before)(const rec_block *block, uint64_t what), uint64_t what)
{
    size_t lo = 0, hi = r->blocks.n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (is_before(&r->blocks.items[mid], what))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static bool ends_before_number(const rec_block *block, uint64_t number)
{
    return block->first_event + block->n_events <= number;
}

static bool ends_before_time(const rec_block *block, uint64_t timestamp)
{
    return block->last_timestamp < timestamp;
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

ebb_status ebb_recording_next(ebb_recording *r, ebb_event *out, ebb_error *err)
{
    ebb_status status = EBB_OK;
    if (r->next_number >= end_number(r))
        status = ebb_recording_refresh(r, err);
    if (status == EBB_OK && r->next_number >= end_number(r))
        status = ebb_fail(err, EBB_NO_HISTORY, "the recording ends here");
    if (status == EBB_OK)
        status = load_event(r, bisect_blocks(r, ends_before_number, r->next_number), r->next_number, err);
    if (status == EBB_OK)
        status = parse_next(r, out, err);
    if (status == EBB_OK)
        r->next_number++;
    return status;
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

ebb_status ebb_recording_seek_time(ebb_recording *r, uint64_t timestamp, ebb_error *err)
{
    size_t i = bisect_blocks(r, ends_before_time, timestamp);
    if (i == r->blocks.n)
        return ebb_recording_seek(r, end_number(r), err);
    uint64_t number = r->blocks.items[i].first_event, end = number + r->blocks.items[i].n_events;
    ebb_status status = load_event(r, i, number, err);
    while (status == EBB_OK && number < end) {
        ebb_event event;
        status = parse_next(r, &event, err);
        if (status == EBB_OK && event.timestamp >= timestamp)
            break;
        number++;
    }
    return status == EBB_OK ? ebb_recording_seek(r, number, err) : status;
}
