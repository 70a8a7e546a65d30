/* event.h - the bytes of an event: how they are written, and how they are read.
 *
 * An event is a kind, a timestamp and values.  Events that follow each other are one run of bytes (a *batch*): varint kind, varint timestamp
 * minus the one of the event before, varint number of bytes, the values.  A varint is LEB128: 7 bits a byte, low ones first, the top
 * bit set in all but the last.  Signed values are folded first: 0, -1, 1, -2 ... become 0, 1, 2, 3 ...
 *
 * The process that is recorded writes such bytes itself.  The Java machine writes into the block that a recorder is about to put into its
 * file (recording.h); the runtime inside a native debuggee into memory that it shares with ebb, whose recorder takes the batch.
 * So this file and event.c are freestanding: no allocation, no clock, no file, of C's library only memcpy and memmove.
 *
 * EN1  an event is in the buffer as a whole or not at all: one that does not fit is taken out again, and its `end` says so;
 * EN2  what a writer made, a recorder takes as it is: a batch that was copied has the bytes of one that was written in place;
 * EN3  nothing that is read is believed: asking for more than there is gives 0, and `is_bad` stays set. */
#ifndef EBB_TIME_EVENT_H
#define EBB_TIME_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    EBB_VARINT_MAX_BYTES = 10,
    EBB_EVENT_MAX_BYTES = 32 << 20,                                 /* of the values of one event: longer input is several events */
    EBB_EVENT_MAX_KIND = UINT16_MAX,
    EBB_EVENT_HEAD_MAX_BYTES = 3 + EBB_VARINT_MAX_BYTES + 5,        /* kind, timestamp, length */
    EBB_EVENT_PAIR_MAX_BYTES = EBB_EVENT_HEAD_MAX_BYTES + 2 * EBB_VARINT_MAX_BYTES,
};

/* ---- kinds ---- */

enum ebb_event_kind {
    EBB_EVENT_NONE, /* no event has it */
#define EBB_EVENT(name, text) EBB_EVENT_##name,
#include "time/events.def"
#undef EBB_EVENT
    EBB_N_EVENTS,
    EBB_EVENT_MACHINE = 32, /* the first of a machine's own */
};
_Static_assert(EBB_N_EVENTS <= EBB_EVENT_MACHINE, "kinds of all machines and of one are told apart by their numbers");

const char *ebb_event_text(unsigned kind); /* what it is, for messages; NULL: not one that all machines have */

/* ---- writing ---- */

/* Into a caller's buffer.  The fields are for those who write and empty it; between begin and end nobody touches them. */
typedef struct ebb_event_writer {
    uint8_t *start, *end; /* the buffer */
    uint8_t *at;          /* the end of the batch so far */
    uint64_t base;        /* what the first timestamp counts from */
    uint64_t timestamp;   /* of the last event */
    uint64_t n_events;

    uint8_t *event, *values; /* of the event being written: where it begins, where its values do */
    uint64_t event_timestamp;
    bool is_full; /* it did not fit */
} ebb_event_writer;

/* An empty batch.  `timestamp`: that of the event before, if there was one; no event may be earlier. */
void ebb_event_writer_init(ebb_event_writer *w, void *buffer, size_t nbytes, uint64_t timestamp);
/* The next batch, in the same buffer: somebody took this one. */
void ebb_event_writer_next(ebb_event_writer *w);
/* The buffer is elsewhere now, with all that was in it, maybe in the middle of an event. */
void ebb_event_writer_move(ebb_event_writer *w, void *buffer, size_t nbytes);

static inline size_t ebb_event_writer_room(const ebb_event_writer *w) { return (size_t)(w->end - w->at); }

/* One event: begin, its values in order, end.  `kind` is at most EBB_EVENT_MAX_KIND, `timestamp` not below the last one. */
void ebb_event_begin(ebb_event_writer *w, unsigned kind, uint64_t timestamp);
void ebb_event_u64(ebb_event_writer *w, uint64_t value); /* small numbers take little space */
void ebb_event_i64(ebb_event_writer *w, int64_t value);  /* likewise, on both sides of 0 */
void ebb_event_bytes(ebb_event_writer *w, const void *bytes, size_t nbytes); /* with their length */
void ebb_event_raw(ebb_event_writer *w, const void *bytes, size_t nbytes); /* values that somebody encoded already */
bool ebb_event_end(ebb_event_writer *w);                 /* false: there was no room (EN1) */
void ebb_event_drop(ebb_event_writer *w);                /* instead of end: it never was */

static inline uint8_t *ebb_put_varint(uint8_t *at, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *at++ = (uint8_t)(value | 0x80);
    *at++ = (uint8_t)value;
    return at;
}

static inline uint64_t ebb_fold(int64_t value) { return (uint64_t)value << 1 ^ (uint64_t)(value >> 63); }

/* A whole event of two values, for those that come by the hundred thousand; there is room for EBB_EVENT_PAIR_MAX_BYTES. */
static inline void ebb_event_pair(ebb_event_writer *w, unsigned kind, uint64_t timestamp, uint64_t first, int64_t second)
{
    uint8_t *at = ebb_put_varint(w->at, kind);
    at = ebb_put_varint(at, timestamp - w->timestamp);
    uint8_t *values = at + 1; /* two varints are shorter than 128 bytes, so their length is one */
    uint8_t *end = ebb_put_varint(ebb_put_varint(values, first), ebb_fold(second));
    *at = (uint8_t)(end - values);
    w->at = end;
    w->timestamp = timestamp;
    w->n_events++;
}

/* A whole event of one number and bytes, which the caller puts where this points to: for bytes that are long, and not in memory of
 * his own.  NULL: there is no room. */
uint8_t *ebb_event_with_bytes(ebb_event_writer *w, unsigned kind, uint64_t timestamp, uint64_t number, size_t nbytes);

/* ---- a batch as it is handed on ---- */

typedef struct ebb_event_batch {
    const uint8_t *bytes;
    size_t nbytes;
    uint64_t n_events;
    uint64_t base;      /* what the first timestamp counts from */
    uint64_t timestamp; /* of the last event */
} ebb_event_batch;

ebb_event_batch ebb_event_writer_batch(const ebb_event_writer *w); /* borrowed from its buffer */

/* ---- reading ---- */

/* Bytes to take values from (EN3). */
typedef struct ebb_values {
    const uint8_t *at, *end;
    bool is_bad;
} ebb_values;
uint64_t ebb_values_u64(ebb_values *v);
int64_t ebb_values_i64(ebb_values *v);
const uint8_t *ebb_values_bytes(ebb_values *v, size_t *nbytes); /* borrowed from where v points; NULL if bad */
bool ebb_values_done(const ebb_values *v); /* all taken and none bad */

typedef struct ebb_event {
    uint64_t number;
    uint64_t timestamp;
    unsigned kind;
    ebb_values values; /* borrowed: from a batch, or until the next call that moves a reader */
} ebb_event;

/* The next event of a batch, whose bytes *batch holds from here on: fills in all of *out but its number, and leaves *batch after
 * it.  `before`: the timestamp of the event before, or the batch's base.  False: these bytes are no event. */
bool ebb_event_parse(ebb_values *batch, uint64_t before, ebb_event *out);

#endif
