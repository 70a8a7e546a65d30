/* Recordings: what is written is read again, from files that are whole, cut short, damaged, full, growing. */
#include "base/mem.h"
#include "time/recording.h"
#include "unit.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char path[64];

static int make_path(void **state)
{
    snprintf(path, sizeof path, "/tmp/ebb-recording-%d", (int)getpid());
    unlink(path);
    return 0;
}

static int remove_path(void **state)
{
    unlink(path);
    return 0;
}

/* Event i of every test: its kind, its time and its values are functions of its number. */
static unsigned kind_of(uint64_t i) { return (unsigned)(i % 7); }
static uint64_t time_of(uint64_t i) { return 10 * i + i % 3; }

static size_t fill_of(uint64_t i, char *bytes)
{
    size_t n = (size_t)(i * 37 % 100);
    for (size_t k = 0; k < n; k++)
        bytes[k] = (char)((i * 2654435761u + k * 40503u) >> 7);
    return n;
}

static ebb_status put(ebb_recorder *rec, uint64_t i, ebb_error *err)
{
    char bytes[100];
    size_t n = fill_of(i, bytes);
    ebb_recorder_begin(rec, kind_of(i), time_of(i));
    ebb_recorder_u64(rec, i);
    ebb_recorder_i64(rec, -(int64_t)i);
    ebb_recorder_bytes(rec, bytes, n);
    ebb_recorder_bytes(rec, "word", 4);
    return ebb_recorder_end(rec, err);
}

static void assert_event(ebb_event *e, uint64_t i)
{
    char bytes[100];
    size_t n = fill_of(i, bytes), got;
    assert_int_equal(e->number, i);
    assert_int_equal(e->kind, kind_of(i));
    assert_int_equal(e->timestamp, time_of(i));
    assert_int_equal(ebb_values_u64(&e->values), i);
    assert_int_equal(ebb_values_i64(&e->values), -(int64_t)i);
    const uint8_t *read = ebb_values_bytes(&e->values, &got);
    assert_int_equal(got, n);
    assert_memory_equal(read, bytes, n);
    char *text = ebb_values_text(&e->values);
    assert_string_equal(text, "word");
    free(text);
    assert_true(ebb_values_done(&e->values));
}

static ebb_recorder *create(void)
{
    ebb_recorder *rec;
    assert_int_equal(ebb_recorder_create(path, &rec, NULL), EBB_OK);
    return rec;
}

static ebb_recording *open_it(void)
{
    ebb_recording *r;
    ebb_error err;
    if (ebb_recording_open(path, &r, &err) != EBB_OK)
        fail_msg("%s", err.text);
    return r;
}

/* A recording of n events, flushed each `per_block`. */
static void write_events(uint64_t n, uint64_t per_block)
{
    ebb_recorder *rec = create();
    for (uint64_t i = 0; i < n; i++) {
        assert_int_equal(put(rec, i, NULL), EBB_OK);
        if (i % per_block == per_block - 1)
            assert_int_equal(ebb_recorder_flush(rec, NULL), EBB_OK);
    }
    assert_int_equal(ebb_recorder_get_count(rec), n);
    assert_int_equal(ebb_recorder_close(rec, NULL), EBB_OK);
}

/* Reads to the end, which must be at event n. */
static void assert_events(ebb_recording *r, uint64_t from, uint64_t n)
{
    ebb_event e;
    assert_int_equal(ebb_recording_seek(r, from, NULL), EBB_OK);
    for (uint64_t i = from; i < n; i++) {
        assert_int_equal(ebb_recording_next(r, &e, NULL), EBB_OK);
        assert_event(&e, i);
    }
    assert_int_equal(ebb_recording_next(r, &e, NULL), EBB_NO_HISTORY);
}

static uint64_t count_events(const ebb_recording *r)
{
    ebb_recording_extent extent;
    ebb_recording_get_extent(r, &extent);
    return extent.n_events;
}

static void events_come_back(void **state)
{
    write_events(20000, UINT64_MAX); /* several blocks by size */
    ebb_recording *r = open_it();
    assert_int_equal(count_events(r), 20000);
    assert_events(r, 0, 20000);
    assert_events(r, 12345, 20000);
    ebb_recording_free(r);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600); /* RC4 */
}

static void numbers_of_all_sizes(void **state)
{
    ebb_recorder *rec = create();
    ebb_recorder_begin(rec, 65535, UINT64_MAX);
    for (unsigned bit = 0; bit < 64; bit++) {
        ebb_recorder_u64(rec, UINT64_C(1) << bit);
        ebb_recorder_u64(rec, (UINT64_C(1) << bit) - 1);
        ebb_recorder_i64(rec, (int64_t)(UINT64_C(1) << bit));
        ebb_recorder_i64(rec, -(int64_t)(UINT64_C(1) << bit));
    }
    ebb_recorder_u64(rec, UINT64_MAX);
    assert_int_equal(ebb_recorder_end(rec, NULL), EBB_OK);
    assert_int_equal(ebb_recorder_close(rec, NULL), EBB_OK);

    ebb_recording *r = open_it();
    ebb_event e;
    assert_int_equal(ebb_recording_next(r, &e, NULL), EBB_OK);
    assert_int_equal(e.kind, 65535);
    assert_true(e.timestamp == UINT64_MAX);
    for (unsigned bit = 0; bit < 64; bit++) {
        assert_true(ebb_values_u64(&e.values) == UINT64_C(1) << bit);
        assert_true(ebb_values_u64(&e.values) == (UINT64_C(1) << bit) - 1);
        assert_true(ebb_values_i64(&e.values) == (int64_t)(UINT64_C(1) << bit));
        assert_true(ebb_values_i64(&e.values) == -(int64_t)(UINT64_C(1) << bit));
    }
    assert_true(ebb_values_u64(&e.values) == UINT64_MAX);
    assert_true(ebb_values_done(&e.values));
    assert_int_equal(ebb_values_u64(&e.values), 0); /* nothing is left */
    assert_true(e.values.is_bad);
    ebb_recording_free(r);
}

static void large_and_empty_events(void **state)
{
    size_t n = EBB_EVENT_MAX_BYTES - 16;
    char *bytes = ebb_zalloc(n);
    ebb_recorder *rec = create();
    for (int i = 0; i < 2; i++) {
        ebb_recorder_begin(rec, 1, 5);
        assert_int_equal(ebb_recorder_end(rec, NULL), EBB_OK);
        ebb_recorder_begin(rec, 2, 5);
        ebb_recorder_bytes(rec, bytes, n);
        assert_int_equal(ebb_recorder_end(rec, NULL), EBB_OK);
    }
    assert_int_equal(ebb_recorder_close(rec, NULL), EBB_OK);
    ebb_recording *r = open_it();
    for (int i = 0; i < 2; i++) {
        ebb_event e;
        size_t got;
        assert_int_equal(ebb_recording_next(r, &e, NULL), EBB_OK);
        assert_true(ebb_values_done(&e.values));
        assert_int_equal(ebb_recording_next(r, &e, NULL), EBB_OK);
        assert_memory_equal(ebb_values_bytes(&e.values, &got), bytes, n);
        assert_int_equal(got, n);
    }
    ebb_recording_free(r);
    free(bytes);
}

static void any_number_finds_its_event(void **state)
{
    write_events(500, 7);
    ebb_recording *r = open_it();
    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t number = i * 7919 % 501;
        ebb_event e;
        assert_int_equal(ebb_recording_seek(r, number, NULL), EBB_OK);
        ebb_status status = ebb_recording_next(r, &e, NULL);
        if (number == 500) {
            assert_int_equal(status, EBB_NO_HISTORY);
        } else {
            assert_int_equal(status, EBB_OK);
            assert_event(&e, number);
        }
    }
    assert_int_equal(ebb_recording_seek(r, 501, NULL), EBB_NO_HISTORY);
    ebb_recording_free(r);
}

/* RC1, RC2: the file cut at every byte opens, has every event of the blocks that are whole, and can be added to. */
static void truncated_at_every_byte(void **state)
{
    write_events(60, 5);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    uint64_t last = 0;
    for (off_t n = st.st_size; n >= 0; n--) {
        assert_int_equal(truncate(path, n), 0);
        ebb_recording *r;
        ebb_error err;
        ebb_status status = ebb_recording_open(path, &r, &err);
        if (n < 32) {
            assert_int_equal(status, EBB_BAD_FILE);
            assert_null(strchr(err.text, '\n'));
            continue;
        }
        assert_int_equal(status, EBB_OK);
        uint64_t count = count_events(r);
        assert_int_equal(count % 5, 0);
        assert_true(n == st.st_size ? count == 60 : count == last || count + 5 == last);
        last = count;
        assert_events(r, 0, count);
        ebb_recording_free(r);
    }
}

static void adding_to_a_truncated_file(void **state)
{
    write_events(60, 5);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(truncate(path, st.st_size - 3), 0);
    ebb_recorder *rec;
    assert_int_equal(ebb_recorder_append(path, &rec, NULL), EBB_OK);
    assert_int_equal(ebb_recorder_section(rec, EBB_SECTION_BOOKMARK, "note", 4, NULL), EBB_OK);
    assert_int_equal(ebb_recorder_get_count(rec), 55);
    for (uint64_t i = 55; i < 70; i++)
        assert_int_equal(put(rec, i, NULL), EBB_OK);
    assert_int_equal(ebb_recorder_close(rec, NULL), EBB_OK);
    ebb_recording *r = open_it();
    assert_events(r, 0, 70);
    assert_int_equal(ebb_recording_count_sections(r), 1);
    ebb_buf bytes = {0};
    assert_int_equal(ebb_recording_section_kind(r, 0), EBB_SECTION_BOOKMARK);
    assert_int_equal(ebb_recording_read_section(r, 0, &bytes, NULL), EBB_OK);
    assert_string_equal(ebb_buf_text(&bytes), "note");
    ebb_buf_fini(&bytes);
    ebb_recording_free(r);
}

/* RC5: every byte wrong in turn. What is read is what was written, up to a clear end. */
static void every_byte_flipped(void **state)
{
    write_events(30, 3);
    int fd = open(path, O_RDWR);
    struct stat st;
    assert_int_equal(fstat(fd, &st), 0);
    for (off_t at = 0; at < st.st_size; at++) {
        uint8_t byte, wrong;
        assert_int_equal(pread(fd, &byte, 1, at), 1);
        wrong = byte ^ (uint8_t)(1 << at % 8);
        assert_int_equal(pwrite(fd, &wrong, 1, at), 1);
        ebb_recording *r;
        ebb_error err;
        if (ebb_recording_open(path, &r, &err) == EBB_OK) {
            ebb_event e;
            uint64_t i = 0;
            while (ebb_recording_next(r, &e, &err) == EBB_OK)
                assert_event(&e, i++);
            assert_in_range(i, 0, 27); /* some block is lost */
            assert_true(err.status == EBB_NO_HISTORY || err.status == EBB_BAD_FILE);
            ebb_recording_free(r);
        } else {
            assert_int_equal(err.status, EBB_BAD_FILE);
        }
        assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    }
    close(fd);
}

static void not_a_recording(void **state)
{
    ebb_recording *r;
    ebb_error err;
    assert_int_equal(ebb_recording_open("/nonexistent/file", &r, &err), EBB_SYSTEM);
    assert_int_equal(ebb_recording_open("/tmp", &r, &err), EBB_BAD_FILE);
    assert_int_equal(ebb_recording_open("/dev/null", &r, &err), EBB_BAD_FILE);
    assert_int_equal(ebb_recording_open("/proc/self/exe", &r, &err), EBB_BAD_FILE);
    ebb_recorder *rec;
    assert_int_equal(ebb_recorder_create("/tmp", &rec, &err), EBB_BAD_INPUT);
    assert_int_equal(ebb_recorder_create("/dev/null", &rec, &err), EBB_BAD_INPUT);
    assert_int_equal(access("/dev/null", W_OK), 0);
    assert_int_equal(ebb_recorder_create("/nonexistent/file", &rec, &err), EBB_SYSTEM);
}

/* A limit on the size of the file stands for the full disk. */
static void full_disk(void **state)
{
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit old, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    for (rlim_t limit = 100; limit < 6000; limit += 97) {
        unlink(path);
        small = (struct rlimit){.rlim_cur = limit, .rlim_max = old.rlim_max};
        ebb_recorder *rec = create();
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        uint64_t i = 0;
        ebb_error err = {0};
        for (; i < 400; i++)
            if (put(rec, i, &err) != EBB_OK || (i % 5 == 4 && ebb_recorder_flush(rec, &err) != EBB_OK))
                break;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
        assert_true(i < 400);
        assert_int_equal(err.status, EBB_SYSTEM);
        assert_int_equal(ebb_recorder_get_count(rec), i / 5 * 5);
        assert_int_equal(put(rec, i + 1, NULL), EBB_SYSTEM); /* it stays failed */
        ebb_recorder_free(rec);
        ebb_recording *r = open_it();
        assert_events(r, 0, i / 5 * 5);
        ebb_recording_extent extent;
        ebb_recording_get_extent(r, &extent);
        assert_int_equal(extent.nbytes_unusable, 0); /* the partial block was taken out again */
        ebb_recording_free(r);
    }
}

/* A killed writer loses what wasn't flushed, nothing else. */
static void killed_writer(void **state)
{
    for (int round = 0; round < 20; round++) {
        unlink(path);
        int ends[2];
        assert_int_equal(pipe(ends), 0);
        pid_t child = fork();
        if (child == 0) {
            ebb_recorder *rec = create();
            for (uint64_t i = 0;; i++) {
                if (put(rec, i, NULL) != EBB_OK)
                    _exit(1);
                if (i % 50 == 49 && (ebb_recorder_flush(rec, NULL) != EBB_OK || write(ends[1], &i, sizeof i) != sizeof i))
                    _exit(1);
            }
        }
        close(ends[1]);
        uint64_t told = 0;
        for (int k = 0; k < 10 + 7 * round; k++)
            assert_int_equal(read(ends[0], &told, sizeof told), sizeof told);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        close(ends[0]);
        ebb_recording *r = open_it();
        assert_true(count_events(r) > told);
        assert_events(r, 0, count_events(r));
        ebb_recording_free(r);
    }
}

/* RC1: read by another process while it is written. */
static void reading_while_it_grows(void **state)
{
    enum { N = 30000 };
    ebb_recorder *rec = create();
    pid_t child = fork();
    if (child == 0) {
        for (uint64_t i = 0; i < N; i++)
            if (put(rec, i, NULL) != EBB_OK || (i % 111 == 0 && ebb_recorder_flush(rec, NULL) != EBB_OK))
                _exit(1);
        _exit(ebb_recorder_close(rec, NULL) == EBB_OK ? 0 : 1);
    }
    ebb_recording *r = open_it();
    ebb_event e;
    unsigned waits = 0;
    for (uint64_t i = 0; i < N;) {
        ebb_status status = ebb_recording_next(r, &e, NULL);
        if (status == EBB_OK) {
            assert_event(&e, i++);
        } else {
            assert_int_equal(status, EBB_NO_HISTORY);
            assert_in_range(++waits, 0, 20000);
            poll(NULL, 0, 1);
        }
    }
    int how;
    waitpid(child, &how, 0);
    assert_int_equal(how, 0);
    ebb_recording_free(r);
    ebb_recorder_free(rec);
}

/* The short way of writing an event of two values is the long way's event. */
static void pairs_are_events(void **state)
{
    static const int64_t values[] = {0, 1, -1, 63, -64, 64, 1000000, INT64_MAX, INT64_MIN};
    enum { N = 40000, N_VALUES = sizeof values / sizeof *values };
    ebb_recorder *rec = create();
    for (uint64_t i = 0; i < N; i++) {
        int64_t second = values[i % N_VALUES];
        if (i % 5 == 4) {
            ebb_recorder_begin(rec, 65535, i * i);
            ebb_recorder_u64(rec, UINT64_MAX - i);
            ebb_recorder_i64(rec, second);
            assert_int_equal(ebb_recorder_end(rec, NULL), EBB_OK);
        } else {
            assert_int_equal(ebb_recorder_pair(rec, 65535, i * i, UINT64_MAX - i, second, NULL), EBB_OK);
        }
    }
    assert_int_equal(ebb_recorder_get_count(rec), N);
    assert_int_equal(ebb_recorder_close(rec, NULL), EBB_OK);
    ebb_recording *r = open_it();
    for (uint64_t i = 0; i < N; i++) {
        ebb_event e;
        assert_int_equal(ebb_recording_next(r, &e, NULL), EBB_OK);
        assert_true(e.number == i && e.kind == 65535 && e.timestamp == i * i);
        assert_true(ebb_values_u64(&e.values) == UINT64_MAX - i && ebb_values_i64(&e.values) == values[i % N_VALUES]);
        assert_true(ebb_values_done(&e.values));
    }
    ebb_recording_free(r);
}

/* An old block is written when an event finds it 100 ms old, or somebody looks. */
static void flushed_with_age(void **state)
{
    ebb_recorder *rec = create();
    assert_int_equal(put(rec, 0, NULL), EBB_OK);
    ebb_recording *r = open_it();
    assert_int_equal(count_events(r), 0);
    poll(NULL, 0, 130);
    assert_int_equal(put(rec, 1, NULL), EBB_OK);
    assert_int_equal(ebb_recording_refresh(r, NULL), EBB_OK);
    assert_int_equal(count_events(r), 2);
    assert_int_equal(put(rec, 2, NULL), EBB_OK);
    poll(NULL, 0, 130);
    assert_int_equal(ebb_recorder_flush_if_due(rec, NULL), EBB_OK);
    assert_int_equal(ebb_recording_refresh(r, NULL), EBB_OK);
    assert_int_equal(count_events(r), 3);
    ebb_recording_free(r);
    assert_int_equal(ebb_recorder_close(rec, NULL), EBB_OK);
}

/* `branch`: the events behind the cut are void; a reader that was behind it comes to the new ones. */
static void cut_at_every_event(void **state)
{
    for (uint64_t at = 0; at <= 40; at++) {
        unlink(path);
        ebb_recorder *rec = create();
        for (uint64_t i = 0; i < 40; i++) {
            assert_int_equal(put(rec, i, NULL), EBB_OK);
            if (i % 7 == 6)
                assert_int_equal(ebb_recorder_flush(rec, NULL), EBB_OK);
        }
        assert_int_equal(ebb_recorder_flush(rec, NULL), EBB_OK);
        ebb_recording *before = open_it();
        assert_events(before, 3, 40);
        assert_int_equal(ebb_recorder_cut(rec, at, at ? time_of(at - 1) : 0, NULL), EBB_OK);
        for (uint64_t i = at; i < 60; i++)
            assert_int_equal(put(rec, i, NULL), EBB_OK);
        assert_int_equal(ebb_recorder_close(rec, NULL), EBB_OK);
        ebb_recording *r = open_it();
        assert_events(r, 0, 60);
        assert_int_equal(ebb_recording_refresh(before, NULL), EBB_OK);
        assert_events(before, 0, 60);
        ebb_recording_free(before);
        ebb_recording_free(r);
    }
}

static void in_a_file_without_a_name(void **state)
{
    ebb_recorder *rec;
    assert_int_equal(ebb_recorder_create_fd(memfd_create("recording", MFD_CLOEXEC), &rec, NULL), EBB_OK);
    for (uint64_t i = 0; i < 100; i++)
        assert_int_equal(put(rec, i, NULL), EBB_OK);
    assert_int_equal(ebb_recorder_flush(rec, NULL), EBB_OK);
    ebb_recording *r;
    assert_int_equal(ebb_recording_open_fd(ebb_recorder_get_fd(rec), &r, NULL), EBB_OK);
    assert_events(r, 0, 100);
    for (uint64_t i = 100; i < 200; i++) /* reading moved nothing */
        assert_int_equal(put(rec, i, NULL), EBB_OK);
    assert_int_equal(ebb_recorder_flush(rec, NULL), EBB_OK);
    assert_int_equal(ebb_recording_copy(r, path, NULL), EBB_OK);
    ebb_recording_free(r);
    ebb_recorder_free(rec);
    r = open_it();
    assert_events(r, 0, 200);
    ebb_recording_free(r);
    assert_int_equal(ebb_recorder_create_fd(-1, &rec, NULL), EBB_SYSTEM);
}

/* The same events: only the beginning is larger. */
static void packed_after_a_while(void **state)
{
    enum { PLAIN = 3000, EVENTS = 400 };
    struct stat packed, mixed, plain;
    uint64_t after[] = {0, PLAIN, UINT64_MAX};
    struct stat *sizes[] = {&packed, &mixed, &plain};
    for (unsigned k = 0; k < 3; k++) {
        ebb_recorder *rec = create();
        ebb_recorder_pack_after(rec, after[k]);
        for (uint64_t i = 0; i < EVENTS; i++) {
            assert_int_equal(put(rec, i, NULL), EBB_OK);
            if (i % 20 == 19)
                assert_int_equal(ebb_recorder_flush(rec, NULL), EBB_OK);
        }
        assert_int_equal(ebb_recorder_close(rec, NULL), EBB_OK);
        ebb_recording *r = open_it();
        assert_events(r, 0, EVENTS);
        ebb_recording_free(r);
        assert_int_equal(stat(path, sizes[k]), 0);
    }
    assert_true(packed.st_size < mixed.st_size && mixed.st_size < plain.st_size);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, make_path, remove_path)
    const struct CMUnitTest tests[] = {
        CASE(events_come_back), CASE(numbers_of_all_sizes), CASE(pairs_are_events), CASE(large_and_empty_events), CASE(any_number_finds_its_event),
        CASE(truncated_at_every_byte), CASE(adding_to_a_truncated_file), CASE(every_byte_flipped), CASE(not_a_recording),
        CASE(full_disk), CASE(killed_writer), CASE(reading_while_it_grows), CASE(flushed_with_age), CASE(cut_at_every_event),
        CASE(in_a_file_without_a_name), CASE(packed_after_a_while),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
