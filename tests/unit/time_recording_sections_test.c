/* What stands beside the events: what was recorded. */
#include "time/recording_about.h"
#include "unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static ebb_recorder *recorder(void)
{
    ebb_recorder *rec;
    assert_int_equal(ebb_recorder_create_fd(memfd_create("recording", MFD_CLOEXEC), &rec, NULL), EBB_OK);
    return rec;
}

static ebb_recording *reader(ebb_recorder *rec)
{
    ebb_recording *r;
    assert_int_equal(ebb_recording_open_fd(ebb_recorder_get_fd(rec), &r, NULL), EBB_OK);
    return r;
}

static void about_comes_back(void **state)
{
    ebb_about about = {.machine = strdup("jvm"), .machine_version = 3, .program = strdup("/usr/bin/java"), .began = 1234567890};
    ebb_texts_push(&about.args, "java");
    ebb_texts_push(&about.args, "");
    ebb_texts_push(&about.args, "M\xc3\xa4in");
    ebb_texts_push(&about.environment, "HOME=/root");
    ebb_texts_push(&about.facts, "jdk.version=17");
    ebb_texts_push(&about.facts, "jdk=no");
    ebb_recorder *rec = recorder();
    assert_int_equal(ebb_about_write(&about, rec, NULL), EBB_OK);
    ebb_recording *r = reader(rec);
    ebb_about got;
    assert_int_equal(ebb_about_read(r, &got, NULL), EBB_OK);
    assert_string_equal(got.machine, "jvm");
    assert_int_equal(got.machine_version, 3);
    assert_string_equal(got.program, "/usr/bin/java");
    assert_string_equal(got.directory, "");
    assert_int_equal(got.began, 1234567890);
    assert_int_equal(got.args.n, 3);
    assert_string_equal(got.args.items[1], "");
    assert_string_equal(got.args.items[2], "M\xc3\xa4in");
    assert_string_equal(got.environment.items[0], "HOME=/root");
    assert_string_equal(ebb_about_fact(&got, "jdk.version"), "17");
    assert_string_equal(ebb_about_fact(&got, "jdk"), "no");
    assert_null(ebb_about_fact(&got, "jd"));
    ebb_about_fini(&got);
    ebb_about_fini(&about);
    ebb_recording_free(r);
    ebb_recorder_free(rec);
}

static void no_or_broken_about(void **state)
{
    const char *broken[] = {"", "\x03jv", "\x03jvm\x01\x01/\x01/\x01\xff\xff\xff\xff\x7f", "\x01x\x01\x01/\x01/\x01\x00\x00\x00more"};
    const size_t sizes[] = {0, 3, 15, 15};
    for (size_t i = 0; i < 4; i++) {
        ebb_recorder *rec = recorder();
        ebb_recording *r = reader(rec);
        ebb_about about;
        assert_int_equal(ebb_about_read(r, &about, NULL), EBB_BAD_FILE);
        assert_int_equal(ebb_recorder_section(rec, EBB_SECTION_ABOUT, broken[i], sizes[i], NULL), EBB_OK);
        assert_int_equal(ebb_recording_refresh(r, NULL), EBB_OK);
        ebb_error err;
        assert_int_equal(ebb_about_read(r, &about, &err), EBB_BAD_FILE);
        ebb_about_fini(&about);
        ebb_recording_free(r);
        ebb_recorder_free(rec);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(about_comes_back),
        cmocka_unit_test(no_or_broken_about),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
