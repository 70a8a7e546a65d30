/* printed.c - what a native program has written to its standard output and error by now: out of its recording. */
#include "base/sizes.h"
#include "session/c/c.h"
#include "session/travel.h"
#include "time/recording.h"


/* The newest stay. */
static void bound(ebb_buf *newest)
{
    if (newest->n >= 2 * EBB_PRINTED_BYTES)
        ebb_buf_drop(newest, newest->n - EBB_PRINTED_BYTES);
}

static void add(ebb_values v, ebb_buf *newest, uint64_t *total)
{
    size_t n;
    (void)ebb_values_u64(&v); /* which of the two: they are shown as they came */
    const uint8_t *bytes = ebb_values_bytes(&v, &n);
    if (!bytes)
        return;
    ebb_buf_add(newest, bytes, n);
    *total += n;
    bound(newest);
}

static ebb_status read_all(ebb_recording *r, uint64_t n_events, ebb_buf *newest, uint64_t *total, ebb_error *err)
{
    ebb_event event;
    ebb_status status = ebb_recording_seek(r, 0, err);
    while (status == EBB_OK && (status = ebb_recording_next(r, &event, err)) == EBB_OK && event.number < n_events)
        if (event.kind == EBB_EVENT_OUTPUT)
            add(event.values, newest, total);
    return status == EBB_NO_HISTORY ? EBB_OK : status;
}

ebb_status ses_c_printed_by_now(session *s, ebb_buf *newest, uint64_t *total, ebb_error *err)
{
    uint64_t n_events;
    ebb_recording *r;
    EBB_TRY(ses_need_history(s, err));
    const machine_history_ops *history = s->machine->history;
    EBB_TRY(history->n_happened(s->machine, &n_events, err));
    EBB_TRY(ebb_recording_open(history->recording(s->machine), &r, err));
    ebb_status status = read_all(r, n_events, newest, total, err);
    ebb_recording_free(r);
    return status;
}
