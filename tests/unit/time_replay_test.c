/* The cursor over a recording: it gives what was recorded to who asks for it at its time, names what is asked for otherwise, and believes
 * nothing that it reads. */
#include "base/mem.h"
#include "time/replay.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { WAKE = EBB_EVENT_MACHINE, CALL };

static const char *own_kind_text(unsigned kind) { return kind == WAKE ? "a wake-up" : kind == CALL ? "a call" : NULL; }
static const ebb_kinds own_kind = {.text = own_kind_text};

/* ---- a recording of the test's own ---- */

static ebb_recorder *new_recorder(void)
{
    ebb_recorder *rec;
    assert_int_equal(ebb_recorder_create_fd(memfd_create("recording", MFD_CLOEXEC), &rec, NULL), EBB_OK);
    return rec;
}

static void put(ebb_recorder *rec, unsigned kind, uint64_t time, uint64_t value)
{
    ebb_recorder_begin(rec, kind, time);
    ebb_recorder_u64(rec, value);
    assert_int_equal(ebb_recorder_end(rec, NULL), EBB_OK);
}

static ebb_replay *new_replay(ebb_recorder *rec)
{
    ebb_replay *r;
    assert_int_equal(ebb_recorder_flush(rec, NULL), EBB_OK);
    assert_int_equal(ebb_replay_open_fd(ebb_recorder_get_fd(rec), &own_kind, &r, NULL), EBB_OK);
    return r;
}

static void expect(ebb_replay *r, unsigned kind, uint64_t time, uint64_t value)
{
    assert_ok(ebb_replay_expect(r, kind, time, err));
    assert_int_equal(ebb_values_u64(&ebb_replay_get_event(r)->values), value);
    assert_ok(ebb_replay_check_values(r, err));
}

/* ---- tests ---- */

/* What is asked for comes, between things that nobody asks for (RP2). */
static void what_is_asked_for_comes(void **state)
{
    ebb_recorder *rec = new_recorder();
    for (uint64_t i = 0; i < 1000; i++) {
        put(rec, EBB_EVENT_MARK, 10 * i, 0);
        put(rec, i % 3 ? EBB_EVENT_VALUE : CALL, 10 * i, i);
        put(rec, EBB_EVENT_FILE, 10 * i + 1, 0);
        put(rec, EBB_EVENT_OPEN_FILE, 10 * i + 1, 0);
        put(rec, EBB_EVENT_HASH, 10 * i + 2, 0);
        if (i % 100 == 99)
            assert_int_equal(ebb_recorder_flush(rec, NULL), EBB_OK);
    }
    ebb_replay *r = new_replay(rec);
    for (uint64_t i = 0; i < 1000; i++) {
        expect(r, i % 3 ? EBB_EVENT_VALUE : CALL, 10 * i, i);
        assert_int_equal(ebb_replay_get_happened(r), 5 * i + 2);
    }
    assert_int_equal(ebb_replay_expect(r, CALL, 20000, NULL), EBB_NO_HISTORY);
    ebb_replay_free(r);
    ebb_recorder_free(rec);
}

/* RP1: another kind, or another time, is named with both sides, and changes nothing. */
static void a_divergence_is_named(void **state)
{
    ebb_recorder *rec = new_recorder();
    ebb_error err;
    put(rec, CALL, 7, 70);
    ebb_replay *r = new_replay(rec);
    assert_int_equal(ebb_replay_expect(r, EBB_EVENT_VALUE, 7, &err), EBB_DIVERGED);
    assert_string_equal(err.text, "the execution asks for an answer of the system, the recording has a call of timestamp 7");
    assert_int_equal(ebb_replay_expect(r, CALL, 6, &err), EBB_DIVERGED);
    assert_int_equal(ebb_replay_expect(r, CALL, 8, &err), EBB_DIVERGED);
    assert_int_equal(ebb_replay_get_happened(r), 0);
    expect(r, CALL, 7, 70);
    ebb_replay_free(r);
    ebb_recorder_free(rec);
}

/* RP3 */
static void peeking_is_not_taking(void **state)
{
    ebb_recorder *rec = new_recorder();
    put(rec, EBB_EVENT_MARK, 1, 0);
    put(rec, WAKE, 5, 50);
    ebb_replay *r = new_replay(rec);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(ebb_replay_peek(r, 1, NULL), EBB_OK);
        assert_int_equal(ebb_replay_get_event(r)->kind, WAKE);
        assert_int_equal(ebb_replay_get_event(r)->timestamp, 5);
    }
    assert_false(ebb_replay_has(r, WAKE, 4));
    assert_false(ebb_replay_has(r, CALL, 5));
    assert_true(ebb_replay_has(r, WAKE, 5));
    assert_int_equal(ebb_replay_get_number(r), 1);
    assert_int_equal(ebb_replay_get_happened(r), 0);
    expect(r, WAKE, 5, 50);
    assert_int_equal(ebb_replay_get_happened(r), 2);
    assert_int_equal(ebb_replay_peek(r, 5, NULL), EBB_NO_HISTORY);
    ebb_replay_free(r);
    ebb_recorder_free(rec);
}

/* A hash of now is there for who asks for it; who asks for what comes after it gets that; one that is gone is passed over. */
static void hashes_are_in_nobodys_way(void **state)
{
    ebb_recorder *rec = new_recorder();
    for (uint64_t i = 0; i < 3; i++) {
        put(rec, EBB_EVENT_HASH, i, 1);
        put(rec, CALL, i, i);
    }
    ebb_replay *r = new_replay(rec);
    expect(r, EBB_EVENT_HASH, 0, 1);
    expect(r, CALL, 0, 0);
    expect(r, CALL, 1, 1);
    assert_true(ebb_replay_has(r, EBB_EVENT_HASH, 2));
    assert_false(ebb_replay_has(r, EBB_EVENT_HASH, 3));
    assert_int_equal(ebb_replay_get_event(r)->kind, CALL);
    ebb_replay_free(r);
    ebb_recorder_free(rec);
}

static void an_edit_is_done_first(void **state)
{
    ebb_recorder *rec = new_recorder();
    put(rec, EBB_EVENT_EDIT, 4, 40);
    put(rec, CALL, 4, 41);
    ebb_replay *r = new_replay(rec);
    assert_int_equal(ebb_replay_expect(r, CALL, 3, NULL), EBB_DIVERGED); /* it is not of now */
    assert_int_equal(ebb_replay_expect(r, CALL, 4, NULL), EBB_UNAVAILABLE);
    expect(r, EBB_EVENT_EDIT, 4, 40);
    expect(r, CALL, 4, 41);
    ebb_replay_free(r);
    ebb_recorder_free(rec);
}

/* Two of them go different ways through one recording, back and forth. */
static void cursors_are_independent(void **state)
{
    enum { N = 500 };
    ebb_recorder *rec = new_recorder();
    for (uint64_t i = 0; i < N; i++)
        put(rec, CALL, i, i * i);
    ebb_replay *a = new_replay(rec), *b = new_replay(rec);
    for (uint64_t i = 0; i < N; i++) {
        expect(a, CALL, i, i * i);
        uint64_t at = i * 7919 % N;
        assert_int_equal(ebb_replay_seek(b, at, NULL), EBB_OK);
        assert_int_equal(ebb_replay_get_happened(b), at);
        expect(b, CALL, at, at * at);
    }
    assert_int_equal(ebb_replay_seek(b, N, NULL), EBB_OK);
    assert_int_equal(ebb_replay_seek(b, N + 1, NULL), EBB_NO_HISTORY);
    assert_int_equal(ebb_replay_get_number(b), N);
    ebb_replay_free(a);
    assert_int_equal(ebb_replay_seek(b, 3, NULL), EBB_OK);
    expect(b, CALL, 3, 9);
    ebb_replay_free(b);
    ebb_recorder_free(rec);
}

static void it_follows_a_recording_that_grows(void **state)
{
    ebb_recorder *rec = new_recorder();
    ebb_replay *r = new_replay(rec);
    for (uint64_t i = 0; i < 50; i++) {
        assert_int_equal(ebb_replay_peek(r, i, NULL), EBB_NO_HISTORY);
        put(rec, WAKE, i, i);
        assert_int_equal(ebb_recorder_mark(rec, (ebb_position){.timestamp = i}, NULL), EBB_OK);
        expect(r, WAKE, i, i);
    }
    ebb_replay_free(r);
    ebb_recorder_free(rec);
}

/* What was peeked at has not happened: it is void. */
static void a_cut_goes_by_what_happened(void **state)
{
    ebb_recorder *rec = new_recorder();
    for (uint64_t i = 0; i < 10; i++)
        put(rec, CALL, i, i);
    ebb_replay *r = new_replay(rec), *other = new_replay(rec);
    for (uint64_t i = 0; i < 4; i++)
        expect(r, CALL, i, i);
    assert_int_equal(ebb_replay_peek(r, 4, NULL), EBB_OK);
    assert_int_equal(ebb_replay_cut(r, rec, 3, NULL), EBB_OK);
    assert_int_equal(ebb_replay_peek(r, 3, NULL), EBB_NO_HISTORY);
    put(rec, WAKE, 3, 33);
    assert_int_equal(ebb_recorder_flush(rec, NULL), EBB_OK);
    expect(r, WAKE, 3, 33);
    ebb_replay_free(other);
    other = new_replay(rec);
    for (uint64_t i = 0; i < 4; i++)
        expect(other, CALL, i, i);
    expect(other, WAKE, 3, 33);
    assert_int_equal(ebb_replay_peek(other, 3, NULL), EBB_NO_HISTORY);
    ebb_replay_free(other);
    ebb_replay_free(r);
    ebb_recorder_free(rec);
}

/* A copy's descriptor is for reading only: it goes on recording all the same. */
static void a_copy_that_can_only_read_goes_on(void **state)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/ebb-replay-%d", (int)getpid());
    ebb_recorder *rec;
    assert_int_equal(ebb_recorder_create(path, &rec, NULL), EBB_OK);
    put(rec, CALL, 1, 10);
    put(rec, CALL, 2, 20);
    ebb_replay *r = new_replay(rec);
    expect(r, CALL, 1, 10);
    FILE *reading = fopen(path, "re");
    assert_true(dup2(fileno(reading), ebb_recorder_get_fd(rec)) >= 0);
    fclose(reading);
    assert_ok(ebb_replay_cut(r, rec, 1, err));
    put(rec, WAKE, 1, 11);
    assert_ok(ebb_recorder_flush(rec, err));
    expect(r, WAKE, 1, 11);
    ebb_replay_free(r);
    ebb_recorder_free(rec);
    unlink(path);
}

/* ---- RP4 ---- */

static void kinds_that_there_are_not(void **state)
{
    static const unsigned kinds[] = {EBB_EVENT_NONE, EBB_N_EVENTS, EBB_EVENT_MACHINE - 1, CALL + 1, EBB_EVENT_MAX_KIND};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        ebb_recorder *rec = new_recorder();
        ebb_error err;
        put(rec, CALL, 1, 1);
        put(rec, kinds[i], 2, 2);
        ebb_replay *r = new_replay(rec);
        expect(r, CALL, 1, 1);
        assert_int_equal(ebb_replay_peek(r, 2, &err), EBB_BAD_FILE);
        assert_non_null(strstr(err.text, "no event of kind"));
        ebb_replay_free(r);
        ebb_recorder_free(rec);
    }
}

static void values_that_are_cut_short(void **state)
{
    ebb_recorder *rec = new_recorder();
    put(rec, CALL, 1, 1);
    ebb_replay *r = new_replay(rec);
    expect(r, CALL, 1, 1);
    assert_int_equal(ebb_values_u64(&ebb_replay_get_event(r)->values), 0);
    assert_int_equal(ebb_replay_check_values(r, NULL), EBB_BAD_FILE);
    ebb_replay_free(r);
    ebb_recorder_free(rec);
}

/* Whatever byte is another one: the events before it come, then the end or a word about damage. */
static void a_byte_that_is_another_one(void **state)
{
    enum { N = 40 };
    ebb_recorder *rec = new_recorder();
    for (uint64_t i = 0; i < N; i++) {
        put(rec, CALL, i, i * 12345);
        if (i % 10 == 9)
            assert_int_equal(ebb_recorder_flush(rec, NULL), EBB_OK);
    }
    int fd = ebb_recorder_get_fd(rec);
    uint64_t nbytes = ebb_recorder_get_nbytes(rec);
    uint8_t *bytes = ebb_alloc(nbytes);
    assert_int_equal(pread(fd, bytes, nbytes, 0), nbytes);
    for (uint64_t at = 0; at < nbytes; at++) {
        int broken = memfd_create("broken", MFD_CLOEXEC);
        bytes[at] ^= 0x41;
        assert_int_equal(write(broken, bytes, nbytes), nbytes);
        bytes[at] ^= 0x41;
        ebb_replay *r;
        ebb_error err;
        ebb_status status = ebb_replay_open_fd(broken, &own_kind, &r, &err);
        if (status == EBB_OK) {
            uint64_t n = 0;
            while ((status = ebb_replay_expect(r, CALL, n, &err)) == EBB_OK)
                assert_int_equal(ebb_values_u64(&ebb_replay_get_event(r)->values), n++ * 12345);
            assert_true(n < N && n % 10 == 0);
            ebb_replay_free(r);
        }
        assert_true(status == EBB_BAD_FILE || status == EBB_NO_HISTORY);
        close(broken);
    }
    free(bytes);
    ebb_recorder_free(rec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_asked_for_comes),
        cmocka_unit_test(a_divergence_is_named),
        cmocka_unit_test(peeking_is_not_taking),
        cmocka_unit_test(hashes_are_in_nobodys_way),
        cmocka_unit_test(an_edit_is_done_first),
        cmocka_unit_test(cursors_are_independent),
        cmocka_unit_test(it_follows_a_recording_that_grows),
        cmocka_unit_test(a_cut_goes_by_what_happened),
        cmocka_unit_test(a_copy_that_can_only_read_goes_on),
        cmocka_unit_test(kinds_that_there_are_not),
        cmocka_unit_test(values_that_are_cut_short),
        cmocka_unit_test(a_byte_that_is_another_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
