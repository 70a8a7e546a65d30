/* Edits: what was done at a stop is done again where replay comes by, in order and once; hints that a cut made void are passed over. */
#include "time/edits.h"
#include "unit.h"

#include <string.h>
#include <sys/mman.h>

static const char *no_kind_text(unsigned kind) { return NULL; }
static const ebb_kinds no_kind = {.text = no_kind_text};

static ebb_recorder *rec;
static ebb_replay *replay;
static ebb_edits *edits;

/* What was done again: a letter each. */
static char done[100];
static uint64_t time_now;
static uint64_t now(void) { return time_now; }

static ebb_status redo(uint64_t what, const ebb_buf *how, ebb_error *err)
{
    size_t n = strlen(done);
    assert_int_equal(how->n, what);
    done[n] = (char)('a' + what);
    time_now += what == 20 ? 7 : 0; /* it called something */
    return what == 25 ? ebb_fail(err, EBB_NO_HISTORY, "over") : EBB_OK;
}

static const ebb_edit_hooks hooks = {now, redo};

static int make_world(void **state)
{
    memset(done, 0, sizeof done);
    edits = ebb_edits_new();
    replay = NULL;
    return ebb_recorder_create_fd(memfd_create("recording", MFD_CLOEXEC), &rec, NULL) != EBB_OK;
}

static int end_world(void **state)
{
    ebb_edits_free(edits);
    ebb_replay_free(replay);
    ebb_recorder_free(rec);
    return 0;
}

static void put_edit(uint64_t time, uint64_t place, uint64_t what)
{
    static const char how[30];
    ebb_edit e = {.at = {time, place}, .what = what, .how = how, .nbytes = what};
    assert_ok(ebb_edit_record(rec, &e, err));
}

static void put_value(uint64_t time)
{
    ebb_recorder_begin(rec, EBB_EVENT_VALUE, time);
    assert_int_equal(ebb_recorder_end(rec, NULL), EBB_OK);
}

static void open_it(void)
{
    assert_int_equal(ebb_recorder_flush(rec, NULL), EBB_OK);
    assert_int_equal(ebb_replay_open_fd(ebb_recorder_get_fd(rec), &no_kind, &replay, NULL), EBB_OK);
    assert_ok(ebb_edits_read(edits, ebb_replay_get_recording(replay), err));
}

/* The execution goes on; how many were done again. */
static size_t go_on(uint64_t time, uint64_t place)
{
    size_t n;
    assert_ok(ebb_edits_come_by(edits, replay, (ebb_position){time_now = time, place}, &hooks, &n, err));
    return n;
}

static void done_again_at_its_position(void **state)
{
    put_edit(10, 100, 1);
    put_value(10);
    put_edit(10, 200, 2);
    put_edit(10, 200, 3);
    open_it();
    assert_int_equal(go_on(9, 500), 0);
    assert_int_equal(go_on(10, 99), 0);
    assert_true(ebb_edits_have(edits, (ebb_position){10, 100}));
    assert_false(ebb_edits_have(edits, (ebb_position){10, 99}));
    assert_int_equal(go_on(10, 100), 1);
    assert_int_equal(go_on(10, 100), 0);
    assert_ok(ebb_replay_expect(replay, EBB_EVENT_VALUE, 10, err));
    assert_int_equal(go_on(10, 199), 0);
    assert_int_equal(go_on(10, 201), 2); /* the position itself was not come by, so it is done as soon as can be */
    assert_string_equal(done, "bcd");
    assert_null(ebb_edits_next(edits, ebb_replay_get_number(replay)));
}

/* Where the log is gone back in, what is done again is done once more. */
static void going_back(void **state)
{
    put_edit(10, 1, 1);
    put_edit(20, 1, 2);
    open_it();
    assert_int_equal(go_on(10, 1) + go_on(20, 1), 2);
    assert_int_equal(ebb_replay_seek(replay, 0, NULL), EBB_OK);
    assert_int_equal(ebb_edits_next(edits, 0)->number, 0);
    assert_int_equal(go_on(10, 1) + go_on(20, 1), 2);
    assert_string_equal(done, "bcbc");
}

/* ED2 */
static void a_hint_that_a_cut_made_void(void **state)
{
    put_value(5);
    put_edit(10, 1, 1);
    put_edit(20, 1, 2);
    assert_int_equal(ebb_recorder_cut(rec, 1, 7, NULL), EBB_OK);
    put_value(12);
    put_edit(30, 1, 3);
    open_it();
    assert_ok(ebb_replay_expect(replay, EBB_EVENT_VALUE, 5, err));
    assert_int_equal(go_on(10, 1), 0);
    assert_int_equal(go_on(11, 1), 0);
    assert_ok(ebb_replay_expect(replay, EBB_EVENT_VALUE, 12, err));
    assert_int_equal(go_on(20, 1), 0);
    assert_int_equal(go_on(30, 1), 1);
    assert_string_equal(done, "d");
}

/* Edits of one stop, of which one executes code: those after it are of a later timestamp. */
static void time_goes_on_in_an_edit(void **state)
{
    put_edit(10, 1, 1);
    put_edit(10, 1, 20);
    put_edit(17, 1, 3);
    put_edit(18, 1, 4);
    open_it();
    assert_int_equal(go_on(10, 1), 3);
    assert_int_equal(time_now, 17);
    assert_string_equal(done, "bud");
    assert_int_equal(go_on(18, 1), 1);
}

/* The last thing that it knows of the cursor: it may be gone. */
static void what_is_done_ends_the_replay(void **state)
{
    size_t n;
    put_edit(10, 1, 25);
    put_edit(10, 1, 1);
    open_it();
    time_now = 10;
    assert_int_equal(ebb_edits_redo(replay, &hooks, &n, NULL), EBB_NO_HISTORY);
    assert_string_equal(done, "z");
}

static void broken(void **state)
{
    static const char *const sections[] = {"", "\x01", "\x01\x02", "\x01\x02\x03\x04", "\xff\xff\xff"};
    static const size_t sizes[] = {0, 1, 2, 4, 3};
    size_t n;
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(ebb_recorder_section(rec, EBB_SECTION_EDIT, sections[i], sizes[i], NULL), EBB_OK);
    ebb_recorder_begin(rec, EBB_EVENT_EDIT, 10);
    ebb_recorder_u64(rec, 1);
    assert_int_equal(ebb_recorder_end(rec, NULL), EBB_OK);
    open_it();
    assert_null(ebb_edits_next(edits, 0));
    assert_int_equal(go_on(10, 1), 0);
    time_now = 10;
    assert_int_equal(ebb_edits_redo(replay, &hooks, &n, NULL), EBB_BAD_FILE);
    assert_string_equal(done, "");
}

int main(void)
{
#define WITH_WORLD(name) cmocka_unit_test_setup_teardown(name, make_world, end_world)
    const struct CMUnitTest tests[] = {
        WITH_WORLD(done_again_at_its_position), WITH_WORLD(going_back), WITH_WORLD(a_hint_that_a_cut_made_void),
        WITH_WORLD(time_goes_on_in_an_edit),
        WITH_WORLD(what_is_done_ends_the_replay), WITH_WORLD(broken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
