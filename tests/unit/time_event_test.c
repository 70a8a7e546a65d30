/* Events as bytes: what is written into a buffer is read again, a full buffer holds whole events only, and a recorder makes the same
 * file of a batch that somebody else wrote as of events that it wrote itself. */
#include "base/mem.h"
#include "time/event.h"
#include "time/recording_format.h"
#include "unit.h"

#include <string.h>
#include <sys/mman.h>

enum { N = 300 };

/* Event i of every test: kind, time and values are functions of its number. */
static unsigned kind_of(uint64_t i) { return (unsigned)(i * 251 % (EBB_EVENT_MAX_KIND + 1)); }
static uint64_t time_of(uint64_t i) { return i * i * i; }

/* Lengths around the places where a length takes one byte more. */
static size_t size_of(uint64_t i)
{
    static const size_t sizes[] = {0, 1, 40, 100, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 126, 127, 128, 129, 200, 1000};
    return i == N - 1 ? 20000 : sizes[i % (sizeof sizes / sizeof *sizes)];
}

static const uint8_t *fill(void)
{
    static uint8_t bytes[20000];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 31 + 7);
    return bytes;
}

static bool put(ebb_event_writer *w, uint64_t i)
{
    ebb_event_begin(w, kind_of(i), time_of(i));
    ebb_event_u64(w, i << i % 60);
    ebb_event_i64(w, -(int64_t)i);
    ebb_event_bytes(w, fill(), size_of(i));
    return ebb_event_end(w);
}

static void assert_is(ebb_event *e, uint64_t i)
{
    size_t n;
    assert_int_equal(e->kind, kind_of(i));
    assert_int_equal(e->timestamp, time_of(i));
    assert_true(ebb_values_u64(&e->values) == i << i % 60);
    assert_true(ebb_values_i64(&e->values) == -(int64_t)i);
    const uint8_t *bytes = ebb_values_bytes(&e->values, &n);
    assert_int_equal(n, size_of(i));
    assert_memory_equal(bytes, fill(), n);
    assert_true(ebb_values_done(&e->values));
}

static void written_is_read(void **state)
{
    size_t room = 200000;
    uint8_t *buffer = ebb_alloc(room);
    ebb_event_writer w;
    ebb_event_writer_init(&w, buffer, room, 0);
    for (uint64_t i = 0; i < N; i++)
        assert_true(put(&w, i));
    ebb_event_batch batch = ebb_event_writer_batch(&w);
    assert_int_equal(batch.n_events, N);
    assert_int_equal(batch.timestamp, time_of(N - 1));
    ebb_values v = {.at = batch.bytes, .end = batch.bytes + batch.nbytes};
    ebb_event e = {.timestamp = batch.base};
    for (uint64_t i = 0; i < N; i++) {
        assert_true(ebb_event_parse(&v, e.timestamp, &e));
        assert_is(&e, i);
    }
    assert_true(ebb_values_done(&v));
    assert_false(ebb_event_parse(&v, e.timestamp, &e));
    free(buffer);
}

/* EN1: for every size of the buffer it holds a number of whole events, and nothing is written after its end. */
static void a_full_buffer_holds_whole_events(void **state)
{
    uint8_t buffer[400];
    for (size_t room = 0; room < sizeof buffer - 16; room++) {
        ebb_event_writer w;
        memset(buffer, 0xa5, sizeof buffer);
        ebb_event_writer_init(&w, buffer, room, 0);
        uint64_t fit = 0;
        while (put(&w, fit))
            fit++;
        assert_int_equal(w.n_events, fit);
        assert_int_equal(w.timestamp, fit ? time_of(fit - 1) : 0);
        for (size_t i = room; i < sizeof buffer; i++)
            assert_int_equal(buffer[i], 0xa5);
        ebb_event e = {0};
        ebb_values v = {.at = w.start, .end = w.at};
        for (uint64_t i = 0; i < fit; i++) {
            assert_true(ebb_event_parse(&v, e.timestamp, &e));
            assert_is(&e, i);
        }
        assert_true(ebb_values_done(&v));
        ebb_event_writer_next(&w); /* what did not fit comes first in the next batch */
        assert_int_equal(w.base, fit ? time_of(fit - 1) : 0);
    }
}

static void a_dropped_event_never_was(void **state)
{
    uint8_t buffer[1000];
    ebb_event_writer w;
    ebb_event_writer_init(&w, buffer, sizeof buffer, 0);
    assert_true(put(&w, 0));
    uint8_t *at = w.at;
    ebb_event_begin(&w, 7, 1000);
    ebb_event_u64(&w, 5);
    ebb_event_drop(&w);
    assert_ptr_equal(w.at, at);
    assert_true(put(&w, 1));
    ebb_event e = {0};
    ebb_values v = {.at = w.start, .end = w.at};
    for (uint64_t i = 0; i < 2; i++) {
        assert_true(ebb_event_parse(&v, e.timestamp, &e));
        assert_is(&e, i);
    }
}

/* A pair has the bytes of the same event written value by value. */
static void a_pair_is_an_event_of_two_values(void **state)
{
    static const uint64_t values[] = {0, 1, 127, 128, 1u << 20, UINT64_C(1) << 63, UINT64_MAX};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
            uint8_t a[EBB_EVENT_PAIR_MAX_BYTES], b[EBB_EVENT_PAIR_MAX_BYTES];
            ebb_event_writer one, two;
            ebb_event_writer_init(&one, a, sizeof a, 3);
            ebb_event_writer_init(&two, b, sizeof b, 3);
            ebb_event_pair(&one, EBB_EVENT_MAX_KIND, UINT64_MAX, values[i], (int64_t)values[k]);
            ebb_event_begin(&two, EBB_EVENT_MAX_KIND, UINT64_MAX);
            ebb_event_u64(&two, values[i]);
            ebb_event_i64(&two, (int64_t)values[k]);
            assert_true(ebb_event_end(&two));
            assert_int_equal(one.at - one.start, two.at - two.start);
            assert_memory_equal(a, b, (size_t)(one.at - one.start));
            assert_true(one.timestamp == two.timestamp && one.n_events == two.n_events);
        }
}

/* One whose bytes are put in place afterwards has the bytes of the same event written value by value. */
static void bytes_may_come_later(void **state)
{
    static uint8_t a[30000], b[30000];
    for (uint64_t i = 0; i < N; i++) {
        ebb_event_writer one, two;
        ebb_event_writer_init(&one, a, sizeof a, 3);
        ebb_event_writer_init(&two, b, sizeof b, 3);
        memcpy(ebb_event_with_bytes(&one, kind_of(i), 4 + time_of(i), i << i % 60, size_of(i)), fill(), size_of(i));
        ebb_event_begin(&two, kind_of(i), 4 + time_of(i));
        ebb_event_u64(&two, i << i % 60);
        ebb_event_bytes(&two, fill(), size_of(i));
        assert_true(ebb_event_end(&two));
        assert_int_equal(one.at - one.start, two.at - two.start);
        assert_memory_equal(a, b, (size_t)(one.at - one.start));
        assert_true(one.timestamp == two.timestamp && one.n_events == two.n_events);
        ebb_event_writer_init(&one, a, EBB_EVENT_PAIR_MAX_BYTES + size_of(i) - 1, 3);
        assert_null(ebb_event_with_bytes(&one, kind_of(i), 4 + time_of(i), i << i % 60, size_of(i)));
    }
}

/* ---- batches for a recorder ---- */

static ebb_recorder *new_recorder(void)
{
    ebb_recorder *rec;
    assert_int_equal(ebb_recorder_create_fd(memfd_create("recording", MFD_CLOEXEC), &rec, NULL), EBB_OK);
    return rec;
}

static void assert_holds_all(ebb_recorder *rec)
{
    ebb_recording *r;
    ebb_event e;
    assert_int_equal(ebb_recorder_get_count(rec), N);
    assert_int_equal(ebb_recorder_flush(rec, NULL), EBB_OK);
    assert_int_equal(ebb_recording_open_fd(ebb_recorder_get_fd(rec), &r, NULL), EBB_OK);
    for (uint64_t i = 0; i < N; i++) {
        assert_int_equal(ebb_recording_next(r, &e, NULL), EBB_OK);
        assert_int_equal(e.number, i);
        assert_is(&e, i);
    }
    assert_int_equal(ebb_recording_next(r, &e, NULL), EBB_NO_HISTORY);
    ebb_recording_free(r);
}

static void hand_over(ebb_recorder *rec, ebb_event_writer *w)
{
    ebb_event_batch batch = ebb_event_writer_batch(w);
    assert_ok(ebb_recorder_add(rec, &batch, err));
    ebb_event_writer_next(w);
}

/* EN2, with buffers of all sizes, and with events of the recorder's own between the batches. */
static void a_recorder_takes_batches(void **state)
{
    static uint8_t buffer[70000];
    for (size_t room = 1100; room < sizeof buffer; room = room * 3 / 2) {
        ebb_recorder *rec = new_recorder();
        ebb_event_writer w;
        ebb_event_writer_init(&w, buffer, room, 0);
        for (uint64_t i = 0; i < N; i++) {
            if (i % 50 == 49 || size_of(i) > room) {
                hand_over(rec, &w);
                ebb_recorder_begin(rec, kind_of(i), time_of(i));
                ebb_recorder_u64(rec, i << i % 60);
                ebb_recorder_i64(rec, -(int64_t)i);
                ebb_recorder_bytes(rec, fill(), size_of(i));
                assert_int_equal(ebb_recorder_end(rec, NULL), EBB_OK);
                ebb_event_writer_init(&w, buffer, room, time_of(i));
            } else if (!put(&w, i)) {
                hand_over(rec, &w);
                assert_true(put(&w, i));
            }
        }
        hand_over(rec, &w);
        assert_holds_all(rec);
        ebb_recorder_free(rec);
    }
}

/* A batch is foreign bytes: of one that is broken nothing is taken, and the recorder goes on. */
static void a_broken_batch_is_refused(void **state)
{
    uint8_t buffer[2000];
    ebb_event_writer w;
    ebb_recorder *rec = new_recorder();
    ebb_event_writer_init(&w, buffer, sizeof buffer, 0);
    for (uint64_t i = 0; i < 10; i++)
        assert_true(put(&w, i));
    ebb_event_batch good = ebb_event_writer_batch(&w), bad = good;
    for (bad.nbytes = 0; bad.nbytes < good.nbytes; bad.nbytes++)
        assert_int_equal(ebb_recorder_add(rec, &bad, NULL), EBB_BAD_INPUT);
    bad = good, bad.n_events++;
    assert_int_equal(ebb_recorder_add(rec, &bad, NULL), EBB_BAD_INPUT);
    bad = good, bad.timestamp--;
    assert_int_equal(ebb_recorder_add(rec, &bad, NULL), EBB_BAD_INPUT);
    bad = good, bad.base = UINT64_MAX - 3; /* timestamps would come round to 0 */
    assert_int_equal(ebb_recorder_add(rec, &bad, NULL), EBB_BAD_INPUT);
    assert_int_equal(ebb_recorder_get_count(rec), 0);
    assert_int_equal(ebb_recorder_add(rec, &good, NULL), EBB_OK);
    assert_int_equal(ebb_recorder_add(rec, &good, NULL), EBB_BAD_INPUT); /* those are over */
    assert_int_equal(ebb_recorder_get_count(rec), 10);
    ebb_recorder_free(rec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_is_read),
        cmocka_unit_test(a_full_buffer_holds_whole_events),
        cmocka_unit_test(a_dropped_event_never_was),
        cmocka_unit_test(a_pair_is_an_event_of_two_values),
        cmocka_unit_test(bytes_may_come_later),
        cmocka_unit_test(a_recorder_takes_batches),
        cmocka_unit_test(a_broken_batch_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
