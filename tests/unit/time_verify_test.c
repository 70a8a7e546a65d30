/* Hashes of the state: what is recorded by each policy is compared at the very same moments, and a state that is another one is found. */
#include "time/verify.h"
#include "unit.h"

#include <sys/mman.h>

enum { MOMENTS = 200 };

/* The state of the execution that is tested: a number that each moment changes. */
static uint64_t state_now;
static ebb_status hash_now(void *self, uint64_t *hash, ebb_error *err)
{
    *hash = *(const uint64_t *)self * 0x9e3779b97f4a7c15u;
    return EBB_OK;
}
static const char *no_kind_text(unsigned kind) { return NULL; }
static const ebb_kinds no_kind = {.text = no_kind_text};

/* Several moments have one timestamp. */
static uint64_t time_of(uint64_t i) { return i - i % 4; }

static ebb_recorder *record(const char *policy, uint64_t wanted_at)
{
    ebb_recorder *rec;
    ebb_verify v;
    assert_int_equal(ebb_recorder_create_fd(memfd_create("recording", MFD_CLOEXEC), &rec, NULL), EBB_OK);
    ebb_verify_init(&v, policy, hash_now, &state_now);
    for (uint64_t i = 0; i < MOMENTS; i++) {
        state_now = i;
        if (i == wanted_at)
            v.is_wanted = true;
        ebb_verify_count(&v, time_of(i));
        assert_ok(ebb_verify_record_counted(&v, rec, time_of(i), err));
    }
    assert_int_equal(ebb_recorder_flush(rec, NULL), EBB_OK);
    return rec;
}

/* Replays all of it; from moment `other` on the state is another one.  How many were compared, and the status. */
static uint64_t replay(ebb_recorder *rec, uint64_t other, ebb_status *status)
{
    ebb_replay *r;
    ebb_verify v;
    assert_int_equal(ebb_replay_open_fd(ebb_recorder_get_fd(rec), &no_kind, &r, NULL), EBB_OK);
    ebb_verify_init(&v, NULL, hash_now, &state_now);
    *status = EBB_OK;
    for (uint64_t i = 0; i < MOMENTS && *status == EBB_OK; i++) {
        state_now = i + (i >= other);
        ebb_verify_count(&v, time_of(i));
        *status = ebb_verify_compare_counted(&v, r, time_of(i), NULL);
    }
    ebb_replay_free(r);
    return v.n_compared;
}

static void each_so_many_moments(void **state)
{
    static const struct {
        const char *policy;
        uint64_t n;
    } cases[] = {{NULL, 0}, {"0", 0}, {"1", MOMENTS}, {"3", MOMENTS / 3}, {"7", MOMENTS / 7}, {"1000", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ebb_status status;
        ebb_recorder *rec = record(cases[i].policy, UINT64_MAX);
        assert_int_equal(ebb_recorder_get_count(rec), cases[i].n);
        assert_int_equal(replay(rec, UINT64_MAX, &status), cases[i].n);
        assert_int_equal(status, EBB_OK);
        ebb_recorder_free(rec);
    }
}

static void another_state_is_found(void **state)
{
    ebb_recorder *rec = record("3", UINT64_MAX);
    for (uint64_t other = 0; other < MOMENTS; other++) {
        ebb_status status;
        uint64_t n = replay(rec, other, &status), before = other / 3; /* hashes are taken at the 3rd moment, the 6th, ... */
        assert_int_equal(n, before);
        assert_int_equal(status, before < MOMENTS / 3 ? EBB_DIVERGED : EBB_OK);
    }
    ebb_recorder_free(rec);
}

/* One more, out of turn; but not by who wants none. */
static void wanted_at_once(void **state)
{
    ebb_status status;
    ebb_recorder *rec = record("1000", 77);
    assert_int_equal(ebb_recorder_get_count(rec), 1);
    assert_int_equal(replay(rec, UINT64_MAX, &status), 1);
    assert_int_equal(replay(rec, 77, &status), 0);
    assert_int_equal(status, EBB_DIVERGED);
    ebb_recorder_free(rec);
    rec = record(NULL, 77);
    assert_int_equal(ebb_recorder_get_count(rec), 0);
    ebb_recorder_free(rec);
}

/* The first moment has one; how many follow is the clock's, and all are compared. */
static void sparingly(void **state)
{
    ebb_status status;
    ebb_recorder *rec = record("sparingly", UINT64_MAX);
    uint64_t n = ebb_recorder_get_count(rec);
    assert_in_range(n, 1, MOMENTS);
    assert_int_equal(replay(rec, UINT64_MAX, &status), n);
    assert_int_equal(status, EBB_OK);
    assert_int_equal(replay(rec, 0, &status), 0);
    assert_int_equal(status, EBB_DIVERGED);
    ebb_recorder_free(rec);
}

static void a_hash_that_is_cut_short(void **state)
{
    ebb_recorder *rec;
    ebb_replay *r;
    ebb_verify v;
    assert_int_equal(ebb_recorder_create_fd(memfd_create("recording", MFD_CLOEXEC), &rec, NULL), EBB_OK);
    ebb_recorder_begin(rec, EBB_EVENT_HASH, 5);
    ebb_recorder_u64(rec, 1);
    assert_int_equal(ebb_recorder_end(rec, NULL), EBB_OK);
    assert_int_equal(ebb_recorder_flush(rec, NULL), EBB_OK);
    assert_int_equal(ebb_replay_open_fd(ebb_recorder_get_fd(rec), &no_kind, &r, NULL), EBB_OK);
    ebb_verify_init(&v, NULL, hash_now, &state_now);
    ebb_verify_count(&v, 5);
    assert_int_equal(ebb_verify_compare_counted(&v, r, 5, NULL), EBB_BAD_FILE);
    ebb_replay_free(r);
    ebb_recorder_free(rec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_so_many_moments),
        cmocka_unit_test(another_state_is_found),
        cmocka_unit_test(wanted_at_once),
        cmocka_unit_test(sparingly),
        cmocka_unit_test(a_hash_that_is_cut_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
