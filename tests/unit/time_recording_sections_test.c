/* What stands beside the events: what was recorded. */
#include "time/recording_about.h"
#include "time/recording_files.h"
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

/* ---- files ---- */

static int file_of(size_t nbytes)
{
    int fd = memfd_create("file", MFD_CLOEXEC);
    for (size_t i = 0; i < nbytes; i++)
        assert_int_equal(write(fd, &(char){(char)(i * 7 + i / 251)}, 1), 1);
    return fd;
}

static void check_file(ebb_recording *r, const ebb_recorded_file *f, const char *name, size_t nbytes)
{
    static char bytes[100000];
    int fd = memfd_create("again", MFD_CLOEXEC);
    assert_string_equal(f->name, name);
    assert_int_equal(f->nbytes, nbytes);
    assert_int_equal(f->n_first, nbytes < EBB_RECORDED_FIRST_BYTES ? nbytes : EBB_RECORDED_FIRST_BYTES);
    assert_int_equal(ebb_recorded_file_write(r, f, fd, NULL), EBB_OK);
    assert_int_equal(pread(fd, bytes, sizeof bytes, 0), nbytes);
    for (size_t i = 0; i < nbytes; i++)
        assert_int_equal(bytes[i], (char)(i * 7 + i / 251));
    assert_memory_equal(bytes, f->first, f->n_first);
    close(fd);
}

static void files_come_back(void **state)
{
    const size_t sizes[] = {1, 4096, 50000};
    ebb_recorder *rec = recorder();
    ebb_recorded_files files;
    for (size_t i = 0; i < 3; i++) {
        int fd = file_of(sizes[i]);
        assert_int_equal(ebb_recorder_put_file(rec, i == 1 ? "/same" : "/one", fd, NULL), EBB_OK);
        assert_int_equal(ebb_recorder_mark(rec, (ebb_position){.timestamp = i}, NULL), EBB_OK);
        close(fd);
    }
    assert_int_equal(ebb_recorder_put_file(rec, "/dev/null", open("/dev/null", O_RDONLY | O_CLOEXEC), NULL), EBB_BAD_INPUT);
    ebb_recording *r = reader(rec);
    assert_int_equal(ebb_recorded_files_read(r, &files, NULL), EBB_OK);
    assert_int_equal(files.n, 3);
    for (size_t i = 0; i < 3; i++)
        check_file(r, &files.items[i], i == 1 ? "/same" : "/one", sizes[i]);
    ebb_recorded_files_fini(&files);
    ebb_recording_free(r);
    ebb_recorder_free(rec);
}

/* RF1; and what is no head of a file at all. */
static void half_a_file_is_none(void **state)
{
    static const struct { const char *bytes; size_t nbytes; } heads[] = {{"\x02/a\x05\x01\x01x", 7}, {"\x02/a\x05\xff\xff\xff\xff\x0f\x00", 10}, {"\x7f", 1}, {"", 0}};
    ebb_recorder *rec = recorder();
    ebb_recorded_files files;
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(ebb_recorder_section(rec, EBB_SECTION_FILE, heads[i].bytes, heads[i].nbytes, NULL), EBB_OK);
    ebb_recording *r = reader(rec);
    assert_int_equal(ebb_recorded_files_read(r, &files, NULL), EBB_OK);
    assert_int_equal(files.n, 0);
    ebb_recorded_files_fini(&files);
    ebb_recording_free(r);
    ebb_recorder_free(rec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(about_comes_back),
        cmocka_unit_test(no_or_broken_about),
        cmocka_unit_test(files_come_back),
        cmocka_unit_test(half_a_file_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
