/* The journal of files: whatever is done to files after a moment is put back, newest first; what can't be is named; files that were open are
 * opened again where they stood; and a journal whose bytes are broken does no harm. */
#include "base/file.h"
#include "base/mem.h"
#include "time/branch.h"
#include "time/journal_private.h"
#include "time/replay.h"
#include "unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64];
static ebb_recorder *rec;
static ebb_journal *journal;
static uint64_t time_now;

static uint64_t now(void *self) { return time_now++; }
static const ebb_journal_program own = {.now = now};
static const char *no_kind_text(unsigned kind) { return NULL; }
static const ebb_kinds no_kind = {.text = no_kind_text};

static const char *in_folder(const char *name)
{
    static char paths[4][128];
    static unsigned at;
    char *path = paths[at++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const char *contents)
{
    FILE *f = fopen(in_folder(name), "we");
    fputs(contents, f);
    fclose(f);
}

static int make_world(void **state)
{
    snprintf(folder, sizeof folder, "/tmp/ebb-journal-%d", (int)getpid());
    assert_int_equal(mkdir(folder, 0700), 0);
    write_file("a", "contents of a");
    write_file("b", "contents of b");
    chmod(in_folder("b"), 0640);
    assert_int_equal(symlink("a", in_folder("link")), 0);
    assert_int_equal(mkdir(in_folder("directory"), 0750), 0);
    assert_int_equal(ebb_recorder_create_fd(memfd_create("recording", MFD_CLOEXEC), &rec, NULL), EBB_OK);
    time_now = 1;
    journal = ebb_journal_new(rec, own);
    return 0;
}

static int end_world(void **state)
{
    char command[100];
    ebb_journal_free(journal);
    ebb_recorder_free(rec);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* ---- what the folder looks like ---- */

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void describe_one(const char *name, ebb_buf *out)
{
    struct stat st;
    char target[100] = "";
    assert_int_equal(lstat(in_folder(name), &st), 0);
    ebb_buf_addf(out, "%s %o ", name, (unsigned)st.st_mode);
    if (S_ISREG(st.st_mode))
        assert_int_equal(ebb_file_read(in_folder(name), out, NULL), EBB_OK);
    else if (S_ISLNK(st.st_mode))
        assert_true(readlink(in_folder(name), target, sizeof target - 1) > 0);
    ebb_buf_addf(out, "%s\n", target);
}

static char *describe(void)
{
    EBB_VEC(char *) names = {0};
    ebb_buf out = {0};
    DIR *dir = opendir(folder);
    for (const struct dirent *e; (e = readdir(dir)) != NULL;)
        if (e->d_name[0] != '.')
            ebb_vec_push(&names, ebb_strdup(e->d_name));
    closedir(dir);
    qsort(names.items, names.n, sizeof *names.items, by_name);
    for (size_t i = 0; i < names.n; i++) {
        describe_one(names.items[i], &out);
        free(names.items[i]);
    }
    ebb_vec_fini(&names);
    return ebb_buf_take(&out);
}

/* Puts back what was recorded from event `from` on; the text of what could not be, which the caller frees. */
static char *put_back(uint64_t began, uint64_t from)
{
    ebb_recording *r;
    ebb_buf lost = {0};
    assert_int_equal(ebb_recorder_flush(rec, NULL), EBB_OK);
    assert_int_equal(ebb_recording_open_fd(ebb_recorder_get_fd(rec), &r, NULL), EBB_OK);
    assert_ok(ebb_journal_put_back(journal, r, began, from, &lost, err));
    ebb_recording_free(r);
    return lost.data == NULL ? ebb_strdup("") : ebb_buf_take(&lost);
}

/* ---- a program that does one thing after the other ---- */

static void do_write(void)
{
    int fd = open(in_folder("a"), O_RDWR | O_CLOEXEC);
    lseek(fd, 4, SEEK_SET);
    ebb_journal_before_write(journal, fd, 20);
    assert_int_equal(write(fd, "--------------------", 20), 20);
    ebb_journal_before_write_at(journal, fd, 1, 2);
    assert_int_equal(pwrite(fd, "++", 2, 1), 2);
    close(fd);
}

static void do_append(void)
{
    int fd = open(in_folder("a"), O_WRONLY | O_APPEND | O_CLOEXEC);
    ebb_journal_before_write(journal, fd, 4);
    assert_int_equal(write(fd, "more", 4), 4);
    close(fd);
}

static void do_truncate(void)
{
    int fd = open(in_folder("b"), O_WRONLY | O_CLOEXEC);
    ebb_journal_before_truncate(journal, fd, 3);
    assert_int_equal(ftruncate(fd, 3), 0);
    ebb_journal_before_truncate(journal, fd, 9);
    assert_int_equal(ftruncate(fd, 9), 0);
    close(fd);
}

static void do_open_anew(void)
{
    ebb_journal_before_open(journal, in_folder("a"), true, true);
    write_file("a", "x");
    ebb_journal_before_open(journal, in_folder("new"), true, true);
    write_file("new", "y");
}

static void do_remove(void)
{
    static const char *const names[] = {"a", "link"};
    for (int i = 0; i < 2; i++) {
        ebb_journal_before_remove(journal, in_folder(names[i]));
        assert_int_equal(unlink(in_folder(names[i])), 0);
    }
    ebb_journal_before_remove(journal, in_folder("directory"));
    assert_int_equal(rmdir(in_folder("directory")), 0);
    ebb_journal_before_create(journal, in_folder("directory"));
    assert_int_equal(mkdir(in_folder("directory"), 0777), 0);
}

static void do_rename(void)
{
    ebb_journal_before_rename(journal, in_folder("a"), in_folder("b")); /* which goes away */
    assert_int_equal(rename(in_folder("a"), in_folder("b")), 0);
    ebb_journal_before_rename(journal, in_folder("b"), in_folder("c"));
    assert_int_equal(rename(in_folder("b"), in_folder("c")), 0);
}

static void do_attributes(void)
{
    ebb_journal_before_attributes(journal, in_folder("a"));
    assert_int_equal(chmod(in_folder("a"), 0400), 0);
    ebb_journal_before_attributes(journal, in_folder("a"));
    assert_int_equal(chmod(in_folder("a"), 0711), 0);
}

static void do_map(void)
{
    int fd = open(in_folder("a"), O_RDWR | O_CLOEXEC);
    ebb_journal_before_map(journal, fd, 0, 8);
    char *at = mmap(NULL, 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    memset(at, '#', 8);
    munmap(at, 8);
    close(fd);
}

typedef void deed(void);
static deed *const deeds[] = {do_write, do_append, do_truncate, do_open_anew, do_attributes, do_map, do_rename};
enum { N_DEEDS = sizeof deeds / sizeof *deeds };

static void every_deed_is_put_back(void **state)
{
    deed *const alone[] = {do_write, do_append, do_truncate, do_open_anew, do_attributes, do_map, do_rename, do_remove};
    char *before = describe();
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++) {
        uint64_t from = ebb_recorder_get_count(rec);
        alone[i]();
        char *then = describe();
        assert_string_not_equal(then, before);
        char *lost = put_back(0, from), *after = describe();
        assert_string_equal(lost, "");
        assert_string_equal(after, before);
        free(then);
        free(lost);
        free(after);
        assert_int_equal(ebb_recorder_cut(rec, from, time_now, NULL), EBB_OK);
    }
    free(before);
}

/* All of them after another, and back to each moment between. */
static void any_moment_is_put_back(void **state)
{
    for (int moment = 0; moment < N_DEEDS; moment++) {
        char *then = NULL;
        uint64_t from = 0;
        for (int i = 0; i < N_DEEDS; i++) {
            if (i == moment) {
                then = describe();
                from = ebb_recorder_get_count(rec);
            }
            deeds[i]();
        }
        char *lost = put_back(0, from), *after = describe();
        assert_string_equal(lost, "");
        assert_string_equal(after, then);
        free(then);
        free(lost);
        free(after);
        end_world(NULL);
        make_world(NULL);
    }
}

static void what_cant_be_is_named(void **state)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_true(ends[1] > 2);
    ebb_journal_before_write(journal, ends[1], 17);
    ebb_journal_before_write(journal, ends[1], 3);
    ebb_journal_lose(journal, in_folder("b"));
    ebb_journal_before_create(journal, in_folder("x"));
    ebb_journal_before_rename(journal, in_folder("a"), in_folder("x"));
    /* neither was done: so there is nothing to rename back */
    char *lost = put_back(0, 0), *expected = ebb_asprintf("%s could not be put back: No such file or directory\n"
                                                          "owner, size or kind of %s\n20 bytes written to pipes and connections\n",
                                                          in_folder("a"), in_folder("b"));
    assert_string_equal(lost, expected);
    free(lost);
    free(expected);
    close(ends[0]);
    close(ends[1]);
}

/* ---- open files ---- */

static void assert_stands_at(int fd, const char *rest)
{
    char bytes[100] = "";
    assert_true(read(fd, bytes, sizeof bytes - 1) >= 0);
    assert_string_equal(bytes, rest);
}

/* Where they stood at the moment, in a copy that knows nothing and in one that knows a part. */
static void open_files_are_opened_again(void **state)
{
    int a = open(in_folder("a"), O_RDONLY | O_CLOEXEC), b = open(in_folder("b"), O_RDWR | O_CLOEXEC);
    char bytes[20];
    ebb_journal_used(journal, a);
    uint64_t began = ebb_recorder_get_count(rec);
    assert_int_equal(read(a, bytes, 9), 9);
    ebb_journal_used(journal, a);
    ebb_journal_used(journal, a); /* nothing changed: nothing is recorded */
    ebb_journal_used(journal, b);
    assert_int_equal(ebb_recorder_get_count(rec), began + 2);
    uint64_t moment = ebb_recorder_get_count(rec);
    assert_int_equal(read(a, bytes, 4), 4);
    ebb_journal_used(journal, a);
    close(b);
    ebb_journal_used(journal, b);
    assert_false(ebb_journal_is_open(journal, b));
    close(a);
    ebb_buf lost = {0};
    for (int knows = 0; knows < 2; knows++) {
        ebb_journal_free(journal);
        journal = ebb_journal_new(rec, own);
        free(put_back(knows ? 0 : began, moment));
        assert_true(ebb_journal_is_open(journal, a) && ebb_journal_is_open(journal, b));
        ebb_journal_reopen(journal, &lost);
        assert_int_equal(lost.n, 0);
        assert_stands_at(a, "of a");
        assert_stands_at(b, "contents of b");
        assert_int_equal(fcntl(b, F_GETFL) & O_ACCMODE, O_RDWR);
        close(a);
        close(b);
    }
    unlink(in_folder("b"));
    ebb_journal_reopen(journal, &lost);
    assert_non_null(strstr(ebb_buf_text(&lost), "b could not be opened again"));
    ebb_buf_fini(&lost);
    close(a);
}

/* A process that opened b for appending and a in the middle, and stands still; *a and *b are its descriptors. */
static pid_t start_other(int *a, int *b)
{
    int ends[2], numbers[2];
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        numbers[0] = open(in_folder("a"), O_WRONLY | O_CLOEXEC);
        numbers[1] = dup2(open(in_folder("b"), O_RDWR | O_APPEND), numbers[0] + 20);
        bool ok = lseek(numbers[0], 5, SEEK_SET) == 5 && write(ends[1], numbers, sizeof numbers) == sizeof numbers;
        while (ok)
            pause();
        _exit(1);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], numbers, sizeof numbers), sizeof numbers);
    close(ends[0]);
    *a = numbers[0];
    *b = numbers[1];
    return pid;
}

/* The files of a process that is traced: under these numbers this one has nothing, or something else. */
static void descriptors_of_another_process(void **state)
{
    int a, b;
    char *before = describe();
    pid_t pid = start_other(&a, &b);
    ebb_journal *other = ebb_journal_new(rec, (ebb_journal_program){.now = now, .pid = pid});
    ebb_journal_used(other, a);
    ebb_journal_used(other, b);
    assert_true(ebb_journal_is_open(other, a) && ebb_journal_is_open(other, b));
    uint64_t moment = ebb_recorder_get_count(rec);
    ebb_journal_before_write(other, a, 3);
    ebb_journal_before_write(other, b, 5);
    write_file("a", "conte--- of a");
    write_file("b", "contents of bmore!");
    free(put_back(0, moment));
    char *after = describe();
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_string_equal(after, before);
    ebb_journal_used(other, a);
    assert_false(ebb_journal_is_open(other, a));
    ebb_journal_free(other);
    free(before);
    free(after);
}

/* It went back to before the copy was made: what it knows of open files is from later. */
static void a_moment_before_the_copy(void **state)
{
    int a = open(in_folder("a"), O_RDONLY | O_CLOEXEC);
    ebb_journal_used(journal, a);
    uint64_t moment = ebb_recorder_get_count(rec);
    int b = open(in_folder("b"), O_RDONLY | O_CLOEXEC);
    ebb_journal_used(journal, b);
    free(put_back(ebb_recorder_get_count(rec), moment));
    assert_true(ebb_journal_is_open(journal, a));
    assert_false(ebb_journal_is_open(journal, b));
    close(a);
    close(b);
}

/* ---- going live ---- */

typedef struct replaying {
    ebb_replay *replay;
} replaying;

static ebb_status prepare(void *self, ebb_branch_from *from, ebb_error *why)
{
    const replaying *r = self;
    *from = (ebb_branch_from){ebb_recorder_get_fd(rec), 0, ebb_replay_get_happened(r->replay)};
    return EBB_OK;
}

static ebb_status cut(void *self, ebb_error *why)
{
    return ebb_replay_cut(((replaying *)self)->replay, rec, 500, why);
}

static ebb_status take_up(void *self, ebb_buf *lost, ebb_error *why)
{
    ebb_replay_free(((replaying *)self)->replay);
    ebb_journal_reopen(journal, lost);
    return EBB_OK;
}

/* Refused, it leaves everything as it is: LV1. */
static ebb_status refuse(void *self, ebb_branch_from *from, ebb_error *why)
{
    return ebb_fail(why, EBB_UNAVAILABLE, "not here");
}

static const ebb_branch_hooks hooks = {prepare, cut, take_up}, refusing = {refuse, cut, take_up};

/* In a copy of the process, as it is done: files, recording and descriptors are those of the moment, and it records on. */
static void branch_in_a_copy(uint64_t moment, int fd)
{
    replaying r;
    ebb_buf lost = {0};
    char *before = describe();
    uint64_t n = ebb_recorder_get_count(rec);
    ebb_branch branch = {.hooks = &refusing, .journal = journal, .self = &r};
    assert_int_equal(ebb_replay_open_fd(ebb_recorder_get_fd(rec), &no_kind, &r.replay, NULL), EBB_OK);
    assert_int_equal(ebb_replay_seek(r.replay, moment, NULL), EBB_OK);
    assert_int_equal(ebb_branch_go_live(&branch, &lost, NULL), EBB_UNAVAILABLE);
    char *refused = describe();
    assert_string_equal(refused, before);
    assert_int_equal(ebb_recorder_get_count(rec), n);
    free(before);
    free(refused);
    branch.hooks = &hooks;
    assert_ok(ebb_branch_go_live(&branch, &lost, err));
    assert_string_equal(ebb_buf_text(&lost), "");
    assert_stands_at(fd, "of a");
    assert_int_equal(ebb_recorder_get_count(rec), moment);
    assert_int_equal(ebb_recorder_mark(rec, (ebb_position){.timestamp = 500}, NULL), EBB_OK);
    ebb_buf_fini(&lost);
}

static void a_copy_goes_live(void **state)
{
    char bytes[20], *then = describe();
    int fd = open(in_folder("a"), O_RDONLY | O_CLOEXEC);
    assert_int_equal(read(fd, bytes, 9), 9);
    ebb_journal_used(journal, fd);
    uint64_t moment = ebb_recorder_get_count(rec);
    do_write();
    do_append();
    lseek(fd, 0, SEEK_SET);
    ebb_journal_used(journal, fd);
    close(fd); /* a cursor that is opened now gets its number (LV3) */
    ebb_journal_used(journal, fd);
    assert_int_equal(ebb_recorder_flush(rec, NULL), EBB_OK);
    pid_t copy = fork();
    if (copy == 0) {
        branch_in_a_copy(moment, fd);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(copy, &status, 0), copy);
    assert_int_equal(status, 0);
    char *after = describe();
    assert_string_equal(after, then);
    ebb_recording *r;
    ebb_recording_extent extent;
    assert_int_equal(ebb_recording_open_fd(ebb_recorder_get_fd(rec), &r, NULL), EBB_OK);
    ebb_recording_get_extent(r, &extent);
    assert_int_equal(extent.n_events, moment + 1);
    assert_int_equal(extent.last_timestamp, 500);
    ebb_recording_free(r);
    free(after);
    free(then);
}

/* ---- foreign bytes ---- */

/* Payloads of all lengths, of all kinds of entries: what makes no sense is left out. */
static void broken_entries(void **state)
{
    static const uint8_t payload[] = "\x00\x03/x\0\x05\x01\x03" "abc\x07\x08\x09";
    for (uint8_t what = 0; what < 12; what++)
        for (size_t n = 0; n < sizeof payload; n++) {
            uint8_t bytes[sizeof payload];
            memcpy(bytes, payload, sizeof bytes);
            bytes[0] = what;
            for (unsigned kind = EBB_EVENT_FILE; kind <= EBB_EVENT_OPEN_FILE; kind++) {
                ebb_event_batch batch = {0};
                uint8_t buffer[100];
                ebb_event_writer w;
                ebb_event_writer_init(&w, buffer, sizeof buffer, time_now);
                ebb_event_begin(&w, kind, ++time_now);
                for (size_t i = 0; i < n; i++)
                    *w.at++ = bytes[i]; /* as they are, without a length */
                assert_true(ebb_event_end(&w));
                batch = ebb_event_writer_batch(&w);
                assert_ok(ebb_recorder_add(rec, &batch, err));
            }
        }
    assert_int_equal(ebb_recorder_flush(rec, NULL), EBB_OK);
    ebb_recording *r;
    journal_entries entries = {0};
    assert_int_equal(ebb_recording_open_fd(ebb_recorder_get_fd(rec), &r, NULL), EBB_OK);
    assert_ok(journal_read(journal, r, 0, 0, &entries, err));
    assert_true(entries.all.n > 0);
    for (size_t i = 0; i < entries.all.n; i++)
        assert_string_equal(entries.all.items[i].path, "/x");
    journal_entries_fini(&entries);
    entries = (journal_entries){0};
    assert_ok(journal_read(journal, r, 0, UINT64_MAX, &entries, err)); /* all of them for the list of open files */
    assert_int_equal(entries.all.n, 0);
    ebb_recording_free(r);
}

int main(void)
{
#define WITH_WORLD(name) cmocka_unit_test_setup_teardown(name, make_world, end_world)
    const struct CMUnitTest tests[] = {
        WITH_WORLD(every_deed_is_put_back), WITH_WORLD(any_moment_is_put_back), WITH_WORLD(what_cant_be_is_named),
        WITH_WORLD(open_files_are_opened_again), WITH_WORLD(descriptors_of_another_process),
        WITH_WORLD(a_moment_before_the_copy), WITH_WORLD(a_copy_goes_live),
        WITH_WORLD(broken_entries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
