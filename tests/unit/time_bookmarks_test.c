/* Bookmarks: named, listed in order of time, kept in a recording. */
#include "time/bookmarks.h"
#include "unit.h"

#include <sys/mman.h>

static ebb_position at(uint64_t time, uint64_t place)
{
    return (ebb_position){time, place};
}

static ebb_status set(ebb_bookmarks *marks, const char *name, const char *note, ebb_position where)
{
    const ebb_bookmark *mark;
    return ebb_bookmarks_set(marks, name, note, where, &mark, NULL);
}

static void names(void **state)
{
    ebb_bookmarks *marks = ebb_bookmarks_new();
    const ebb_bookmark *mark;
    const char *bad[] = {"", "start", "end", "12", "0x10", "12@a.c:3", "two words", "-x", "a\nb"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(set(marks, bad[i], NULL, at(1, 1)), EBB_BAD_INPUT);
    assert_int_equal(ebb_bookmarks_count(marks), 0);
    assert_int_equal(ebb_bookmarks_set(marks, NULL, NULL, at(9, 1), &mark, NULL), EBB_OK);
    assert_string_equal(mark->name, "b1");
    assert_int_equal(ebb_bookmarks_set(marks, NULL, NULL, at(8, 1), &mark, NULL), EBB_OK);
    assert_string_equal(mark->name, "b2");
    assert_int_equal(set(marks, "\xc3\xa9t\xc3\xa9", "a note", at(8, 0)), EBB_OK);
    assert_int_equal(set(marks, "x-1", "", at(20, 0)), EBB_OK);
    const char *order[] = {"\xc3\xa9t\xc3\xa9", "b2", "b1", "x-1"}; /* BM2 */
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(ebb_bookmarks_get(marks, i)->name, order[i]);
    mark = ebb_bookmarks_find(marks, "x-1");
    assert_int_equal(set(marks, mark->name, mark->note, at(1, 0)), EBB_OK); /* BM1; its own texts */
    assert_int_equal(ebb_bookmarks_count(marks), 4);
    assert_string_equal(ebb_bookmarks_get(marks, 0)->name, "x-1");
    assert_int_equal(ebb_bookmarks_delete(marks, "b2", NULL), EBB_OK);
    assert_int_equal(ebb_bookmarks_delete(marks, "b2", NULL), EBB_NOT_FOUND);
    ebb_bookmarks_cut(marks, at(8, 0));
    assert_int_equal(ebb_bookmarks_count(marks), 2);
    ebb_bookmarks_free(marks);
}

static ebb_bookmarks *load(ebb_recorder *rec)
{
    ebb_bookmarks *marks = ebb_bookmarks_new();
    ebb_recording *r;
    assert_int_equal(ebb_recording_open_fd(ebb_recorder_get_fd(rec), &r, NULL), EBB_OK);
    assert_int_equal(ebb_bookmarks_load(marks, r, NULL), EBB_OK);
    ebb_recording_free(r);
    return marks;
}

static void kept_in_a_recording(void **state)
{
    ebb_recorder *rec;
    assert_int_equal(ebb_recorder_create_fd(memfd_create("recording", MFD_CLOEXEC), &rec, NULL), EBB_OK);
    ebb_bookmarks *marks = ebb_bookmarks_new();
    assert_int_equal(set(marks, "one", "first -- note", at(5, UINT64_MAX)), EBB_OK);
    assert_int_equal(set(marks, "two", "", at(UINT64_MAX, 3)), EBB_OK);
    assert_int_equal(ebb_bookmarks_save(marks, rec, NULL), EBB_OK);
    uint64_t nbytes = ebb_recorder_get_nbytes(rec);
    assert_int_equal(ebb_bookmarks_save(marks, rec, NULL), EBB_OK);
    assert_int_equal(ebb_recorder_get_nbytes(rec), nbytes); /* nothing changed: nothing written */
    assert_int_equal(ebb_bookmarks_delete(marks, "two", NULL), EBB_OK);
    assert_int_equal(set(marks, "three", NULL, at(7, 7)), EBB_OK);
    assert_int_equal(ebb_bookmarks_save(marks, rec, NULL), EBB_OK);
    ebb_bookmarks *again = load(rec);
    assert_int_equal(ebb_bookmarks_count(again), 2);
    assert_string_equal(ebb_bookmarks_get(again, 0)->name, "one");
    assert_string_equal(ebb_bookmarks_get(again, 0)->note, "first -- note");
    assert_true(ebb_bookmarks_get(again, 0)->at.place == UINT64_MAX);
    assert_string_equal(ebb_bookmarks_get(again, 1)->name, "three");
    ebb_bookmarks_free(again);
    ebb_bookmarks_free(marks);
    ebb_recorder_free(rec);
}

static void broken_ones(void **state)
{
    const char *broken[] = {"", "\1\2a", "\1\1a\0\1", "\1\1@\0\1\1", "\1\0\0\1\1"};
    const size_t sizes[] = {0, 3, 5, 6, 5};
    for (size_t i = 0; i < 5; i++) {
        ebb_recorder *rec;
        ebb_recording *r;
        assert_int_equal(ebb_recorder_create_fd(memfd_create("recording", MFD_CLOEXEC), &rec, NULL), EBB_OK);
        assert_int_equal(ebb_recorder_section(rec, EBB_SECTION_BOOKMARK, broken[i], sizes[i], NULL), EBB_OK);
        assert_int_equal(ebb_recording_open_fd(ebb_recorder_get_fd(rec), &r, NULL), EBB_OK);
        ebb_bookmarks *marks = ebb_bookmarks_new();
        assert_int_equal(ebb_bookmarks_load(marks, r, NULL), EBB_BAD_FILE);
        ebb_bookmarks_free(marks);
        ebb_recording_free(r);
        ebb_recorder_free(rec);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(kept_in_a_recording),
        cmocka_unit_test(broken_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
