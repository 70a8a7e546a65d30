/* event.c - the bytes of an event, written and read.  Freestanding: the runtime inside a debuggee has it too. */
#include "time/event.h"

#include <string.h>

/* ---- kinds ---- */

const char *ebb_event_text(unsigned kind)
{
    switch (kind) {
#define EBB_EVENT(name, text) case EBB_EVENT_##name: return text;
#include "time/events.def"
#undef EBB_EVENT
    default: return NULL;
    }
}

/* ---- writing ---- */

void ebb_event_writer_init(ebb_event_writer *w, void *buffer, size_t nbytes, uint64_t timestamp)
{
    *w = (ebb_event_writer){.start = buffer, .at = buffer, .end = (uint8_t *)buffer + nbytes, .base = timestamp, .timestamp = timestamp};
}

void ebb_event_writer_next(ebb_event_writer *w)
{
    w->at = w->start;
    w->base = w->timestamp;
    w->n_events = 0;
}

void ebb_event_writer_move(ebb_event_writer *w, void *buffer, size_t nbytes)
{
    w->at = (uint8_t *)buffer + (w->at - w->start);
    if (w->event != NULL) {
        w->event = (uint8_t *)buffer + (w->event - w->start);
        w->values = (uint8_t *)buffer + (w->values - w->start);
    }
    w->start = buffer;
    w->end = w->start + nbytes;
}

ebb_event_batch ebb_event_writer_batch(const ebb_event_writer *w)
{
    return (ebb_event_batch){w->start, (size_t)(w->at - w->start), w->n_events, w->base, w->timestamp};
}

static bool has_room(ebb_event_writer *w, size_t nbytes)
{
    if (ebb_event_writer_room(w) < nbytes)
        w->is_full = true;
    return !w->is_full;
}

void ebb_event_begin(ebb_event_writer *w, unsigned kind, uint64_t timestamp)
{
    w->is_full = false;
    w->event = w->values = w->at;
    w->event_timestamp = timestamp;
    if (!has_room(w, EBB_EVENT_HEAD_MAX_BYTES))
        return;
    uint8_t *at = ebb_put_varint(w->at, kind);
    at = ebb_put_varint(at, timestamp - w->timestamp);
    w->at = w->values = at + 1; /* most lengths are one byte: `end` makes room for others */
}

void ebb_event_u64(ebb_event_writer *w, uint64_t value)
{
    if (has_room(w, EBB_VARINT_MAX_BYTES))
        w->at = ebb_put_varint(w->at, value);
}

void ebb_event_i64(ebb_event_writer *w, int64_t value) { ebb_event_u64(w, ebb_fold(value)); }

void ebb_event_bytes(ebb_event_writer *w, const void *bytes, size_t nbytes)
{
    ebb_event_u64(w, nbytes);
    ebb_event_raw(w, bytes, nbytes);
}

void ebb_event_raw(ebb_event_writer *w, const void *bytes, size_t nbytes)
{
    if (nbytes == 0 || !has_room(w, nbytes))
        return;
    memcpy(w->at, bytes, nbytes);
    w->at += nbytes;
}

static size_t varint_nbytes(uint64_t value)
{
    size_t n = 1;
    for (; value >= 0x80; value >>= 7)
        n++;
    return n;
}

/* The length, in front of the values. */
static void put_length(ebb_event_writer *w)
{
    size_t nbytes = (size_t)(w->at - w->values), more = varint_nbytes(nbytes) - 1;
    if (!has_room(w, more))
        return;
    if (more > 0)
        memmove(w->values + more, w->values, nbytes);
    ebb_put_varint(w->values - 1, nbytes);
    w->at += more;
}

void ebb_event_drop(ebb_event_writer *w)
{
    w->at = w->event;
    w->event = w->values = NULL;
}

bool ebb_event_end(ebb_event_writer *w)
{
    if (!w->is_full)
        put_length(w);
    if (w->is_full) { /* EN1 */
        ebb_event_drop(w);
        return false;
    }
    w->timestamp = w->event_timestamp;
    w->n_events++;
    w->event = w->values = NULL;
    return true;
}

uint8_t *ebb_event_with_bytes(ebb_event_writer *w, unsigned kind, uint64_t timestamp, uint64_t number, size_t nbytes)
{
    if (ebb_event_writer_room(w) < EBB_EVENT_PAIR_MAX_BYTES + nbytes)
        return NULL;
    uint8_t *at = ebb_put_varint(w->at, kind);
    at = ebb_put_varint(at, timestamp - w->timestamp);
    at = ebb_put_varint(at, varint_nbytes(number) + varint_nbytes(nbytes) + nbytes);
    at = ebb_put_varint(ebb_put_varint(at, number), nbytes);
    w->at = at + nbytes;
    w->timestamp = timestamp;
    w->n_events++;
    return at;
}

/* ---- reading ---- */

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

bool ebb_values_done(const ebb_values *v) { return !v->is_bad && v->at == v->end; }

bool ebb_event_parse(ebb_values *batch, uint64_t before, ebb_event *out)
{
    uint64_t kind = ebb_values_u64(batch), delta = ebb_values_u64(batch);
    size_t nbytes;
    const uint8_t *bytes = ebb_values_bytes(batch, &nbytes);
    if (bytes == NULL || kind > EBB_EVENT_MAX_KIND || delta > UINT64_MAX - before)
        return false;
    out->kind = (unsigned)kind;
    out->timestamp = before + delta;
    out->values = (ebb_values){.at = bytes, .end = bytes + nbytes};
    return true;
}
