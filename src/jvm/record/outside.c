/* outside.c - each question to the system is asked and written down, or its answer taken from the recording. */
#include "jvm/record/outside.h"

#include "base/buf.h"
#include "base/mem.h"
#include "jvm/record/edits.h"
#include "jvm/record/files.h"
#include "jvm/record/internal.h"
#include "jvm/record/printed.h"
#include "jvm/undo/keep.h"
#include "jvm/jvm.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Clocks are logged as the difference to the last answer of the same kind. */
static int64_t last[JVM_NOUTSIDE];

static const char *const texts[] = {
#define JVM_OUTSIDE_KIND(name, text) text,
#include "jvm/record/outside.def"
#undef JVM_OUTSIDE_KIND
};

static bool logs(void)
{
    return jvm_history == JVM_RECORDING && (jvm_self == NULL || !jvm_in_recorded_native(jvm_self));
}

static void check_kind(enum jvm_outside wanted)
{
    uint64_t what = jvm_log_take_u();
    if (what != wanted)
        jvm_diverged("the execution asks for %s, the recording has %s", texts[wanted],
                     what < JVM_NOUTSIDE ? texts[what] : "nonsense");
}

/* ---- numbers ---- */

bool jvm_outside_is_logged(enum jvm_outside what)
{
    return jvm_is_replaying() && jvm_log_expect(EBB_EVENT_VALUE);
}

int64_t jvm_outside_take(enum jvm_outside what)
{
    check_kind(what);
    jvm_undo_keep(&last[what], sizeof last[what]);
    return last[what] += jvm_log_take_s();
}

int64_t jvm_outside_note(enum jvm_outside what, int64_t value)
{
    if (!logs())
        return value;
    jvm_undo_keep(&last[what], sizeof last[what]);
    jvm_log_pair(EBB_EVENT_VALUE, what, (int64_t)((uint64_t)value - (uint64_t)last[what]));
    return last[what] = value;
}

/* ---- bytes ---- */

int64_t jvm_outside_take_bytes(enum jvm_outside what, void *bytes, size_t max)
{
    check_kind(what);
    int64_t n = jvm_log_take_s();
    if (n <= 0)
        return n;
    size_t nbytes;
    const void *from = jvm_log_take_bytes(&nbytes);
    if (nbytes != (uint64_t)n || nbytes > max)
        jvm_diverged("the recording has %zu bytes where the execution asks for at most %zu", nbytes, max);
    memcpy(bytes, from, nbytes);
    return n;
}

void *jvm_outside_take_copy(enum jvm_outside what, size_t *nbytes)
{
    check_kind(what);
    int64_t n = jvm_log_take_s();
    *nbytes = 0;
    if (n < 0)
        return NULL;
    const void *from = n == 0 ? "" : jvm_log_take_bytes(nbytes);
    char *copy = ebb_zalloc(*nbytes + 1);
    memcpy(copy, from, *nbytes);
    return copy;
}

int64_t jvm_outside_note_bytes(enum jvm_outside what, const void *bytes, int64_t n)
{
    if (!logs())
        return n;
    jvm_log_event(EBB_EVENT_BYTES);
    jvm_log_u(what);
    jvm_log_s(n);
    if (n > 0)
        jvm_log_bytes(bytes, (size_t)n);
    jvm_log_end();
    return n;
}

int64_t jvm_outside_read(int fd, void *bytes, size_t nbytes)
{
    if (jvm_is_replaying() && jvm_log_expect(EBB_EVENT_BYTES))
        return jvm_outside_take_bytes(JVM_OUTSIDE_READ, bytes, nbytes);
    enum { MOST = 8 << 20 }; /* of one event */
    ssize_t n = read(fd, bytes, nbytes < MOST ? nbytes : MOST);
    int64_t result = n < 0 ? -errno : n;
    if (logs())
        ebb_journal_used(jvm_files_journal(), fd);
    return jvm_outside_note_bytes(JVM_OUTSIDE_READ, bytes, result);
}

static int64_t write_out(int fd, const void *bytes, size_t nbytes)
{
    if (jvm_outside_is_logged(JVM_OUTSIDE_WRITE))
        return jvm_outside_take(JVM_OUTSIDE_WRITE);
    if (logs())
        ebb_journal_before_write(jvm_files_journal(), fd, nbytes);
    ssize_t n = write(fd, bytes, nbytes);
    int64_t result = n < 0 ? -errno : n;
    if (logs())
        ebb_journal_used(jvm_files_journal(), fd);
    return jvm_outside_note(JVM_OUTSIDE_WRITE, result);
}

int64_t jvm_outside_write(int fd, const void *bytes, size_t nbytes)
{
    int64_t n = write_out(fd, bytes, nbytes);
    jvm_printed_note(fd, bytes, n > 0 ? (size_t)n : 0);
    return n;
}

char *jvm_outside_getenv(const char *name)
{
    if (jvm_is_replaying() && jvm_log_expect(EBB_EVENT_BYTES)) {
        check_kind(JVM_OUTSIDE_ENVIRONMENT);
        const char *value = jvm_log_take_s() > 0 ? jvm_log_take_text() : NULL;
        return value == NULL ? NULL : ebb_strdup(value);
    }
    const char *value = getenv(name);
    jvm_outside_note_bytes(JVM_OUTSIDE_ENVIRONMENT, value, value == NULL ? 0 : (int64_t)strlen(value) + 1);
    return value == NULL ? NULL : ebb_strdup(value);
}

void jvm_outside_print(FILE *file, const char *format, ...)
{
    ebb_buf text = {0};
    va_list args;
    va_start(args, format);
    ebb_buf_vaddf(&text, format, args);
    va_end(args);
    jvm_printed_note(fileno(file), text.data, text.n);
    if (!jvm_is_replaying()) {
        fputs(ebb_buf_text(&text), file);
        fflush(file);
    }
    ebb_buf_fini(&text);
}

/* ---- copies ---- */

static bool has_other_end(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
}

void jvm_outside_let_go(int keep)
{
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    DIR *dir = opendir("/proc/self/fd");
    for (const struct dirent *e; dir != NULL && (e = readdir(dir)) != NULL;) {
        int fd = e->d_name[0] == '.' ? -1 : atoi(e->d_name);
        if (fd >= 0 && fd != keep && fd != dirfd(dir) && has_other_end(fd))
            dup3(nothing, fd, O_CLOEXEC);
    }
    if (dir != NULL)
        closedir(dir);
    close(nothing);
}

/* ---- wake-ups ---- */

/* Looks that found nothing are not logged; an event says at which look it happened, counted from the one before. */
static uint64_t looks, last_look;

static void keep_looks(void)
{
    jvm_undo_keep(&looks, sizeof looks);
    jvm_undo_keep(&last_look, sizeof last_look);
}

/* The number of the look that the next event is about; it stays peeked, until the log is read from elsewhere. */
static uint64_t next_look;
static bool next_look_known;

static const jvm_wake *take_wakes(size_t *n)
{
    static EBB_VEC(jvm_wake) wakes;
    wakes.n = 0;
    for (uint64_t left = jvm_log_take_u(); left > 0; left--) {
        uint64_t id = jvm_log_take_u();
        ebb_vec_push(&wakes, ((jvm_wake){(uint32_t)(id >> 1), id & 1}));
    }
    *n = wakes.n;
    return wakes.items;
}

bool jvm_outside_wakes_are_logged(bool must_wait, const jvm_wake **wakes, size_t *n)
{
    *n = 0;
    keep_looks();
    looks++;
    if (!jvm_is_replaying())
        return false;
    if (must_wait && jvm_log_peek(NULL) == EBB_EVENT_EDIT && jvm_edit_hook != NULL)
        jvm_edit_hook(); /* made while all threads waited */
    unsigned next = jvm_log_peek(NULL);
    if (must_wait && next != JVM_EVENT_WAKE)
        return jvm_log_expect(JVM_EVENT_WAKE); /* the end of history, or a divergence */
    if (next == JVM_EVENT_WAKE && !next_look_known) {
        next_look = last_look + jvm_log_take_u();
        next_look_known = true;
    }
    if (next != JVM_EVENT_WAKE || looks < next_look)
        return true;
    if (looks != next_look || !jvm_log_expect(JVM_EVENT_WAKE))
        jvm_diverged("the recording has a wake-up at look %llu outside, this is look %llu", (unsigned long long)next_look,
                     (unsigned long long)looks);
    last_look = looks;
    next_look_known = false;
    *wakes = take_wakes(n);
    return true;
}

void jvm_outside_note_wakes(const jvm_wake *wakes, size_t n)
{
    if (jvm_history != JVM_RECORDING || n == 0)
        return;
    jvm_log_event(JVM_EVENT_WAKE);
    keep_looks();
    jvm_log_u(looks - last_look);
    last_look = looks;
    jvm_log_u(n);
    for (size_t i = 0; i < n; i++)
        jvm_log_u((uint64_t)wakes[i].thread << 1 | wakes[i].timed_out);
    jvm_log_end();
}

void jvm_outside_forget_peeked(void)
{
    next_look_known = false;
}

bool jvm_outside_keeps_thread(bool wanted)
{
    if (jvm_is_replaying()) {
        uint64_t time;
        return jvm_log_peek(&time) == JVM_EVENT_KEEP && time == jvm_time() && jvm_log_expect(JVM_EVENT_KEEP);
    }
    if (wanted && jvm_history == JVM_RECORDING) {
        jvm_log_event(JVM_EVENT_KEEP);
        jvm_log_end();
    }
    return wanted;
}
