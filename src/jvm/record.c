/* The life of a recording: how it begins, its state hashes, its end; and the outermost script, the launcher's. */
#include "jvm/record.h"

#include "base/check.h"
#include "base/log.h"
#include "jvm/frame.h"
#include "jvm/record_internal.h"
#include "jvm/state_hash.h"
#include "jvm/vm.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum jvm_history_mode jvm_history;
jvm_recipe jvm_recipe_now;

enum { STACK_RESERVE = 256 * 1024, LAUNCHER_ALLOWANCE = 64 * 1024, EXIT_DIVERGED = 3 };
static const char magic[] = "ebb recording of Java 1";

static uint64_t verify_every, nverified, tell_at = UINT64_MAX;

/* ---- the recipe ---- */

static uint64_t mix(uint64_t h, uint64_t v) { return ((h ^ v) * 0x9e3779b97f4a7c15) ^ (h >> 29); }

static uint64_t hash_part(uint64_t h, int fd, off_t at, size_t nbytes)
{
    uint64_t words[512];
    while (nbytes > 0) {
        size_t want = nbytes < sizeof words ? nbytes : sizeof words;
        memset(words, 0, sizeof words);
        ssize_t n = pread(fd, words, want, at);
        if (n <= 0)
            break;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            h = mix(h, words[i]);
        at += n;
        nbytes -= (size_t)n;
    }
    return h;
}

/* Of the class library: its size, the whole index, and a page of each megabyte. */
static uint64_t hash_image(void)
{
    enum { INDEX = 2 << 20, STEP = 1 << 20, PAGE = 4096 };
    char *path = ebb_asprintf("%s/lib/modules", jvm.home);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    free(path);
    struct stat st;
    uint64_t h = 0;
    if (fd < 0)
        return 0;
    if (fstat(fd, &st) == 0) {
        h = hash_part(mix(1, (uint64_t)st.st_size), fd, 0, INDEX);
        for (off_t at = INDEX; at < st.st_size; at += STEP)
            h = hash_part(h, fd, at, PAGE);
    }
    close(fd);
    return h;
}

/* What Java may use of the calling thread's C stack. */
static uint64_t usable_stack(void)
{
    pthread_attr_t attr;
    void *base;
    size_t size;
    ebb_check(pthread_getattr_np(pthread_self(), &attr) == 0);
    pthread_attr_getstack(&attr, &base, &size);
    pthread_attr_destroy(&attr);
    size_t left = (size_t)((char *)__builtin_frame_address(0) - (char *)base);
    return left < 2 * STACK_RESERVE ? STACK_RESERVE : (left - STACK_RESERVE) & ~(size_t)4095;
}

void jvm_record_options(const JavaVMOption *options, size_t n, bool ignore_unrecognized)
{
    if (jvm_history != JVM_RECORDING)
        return;
    for (size_t i = 0; i < n; i++)
        ebb_vec_push(&jvm_recipe_now.options, ebb_strdup(options[i].optionString));
    jvm_recipe_now.ignore_unrecognized = ignore_unrecognized;
}

static void note_recipe(void)
{
    jvm_recipe *r = &jvm_recipe_now;
    r->home = ebb_strdup(jvm.home);
    r->image_hash = hash_image();
    r->memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    r->c_stack = usable_stack();
}

static void write_recipe(void)
{
    const jvm_recipe *r = &jvm_recipe_now;
    jvm_log_text(magic);
    jvm_log_u(r->options.n);
    for (size_t i = 0; i < r->options.n; i++)
        jvm_log_text(r->options.items[i]);
    jvm_log_u(r->ignore_unrecognized);
    jvm_log_text(r->home);
    jvm_log_u(r->image_hash);
    jvm_log_u(r->memory);
    jvm_log_u(r->c_stack);
    jvm_log_flush();
}

static char *take_text_copy(void)
{
    const char *text = jvm_log_take_text();
    return text == NULL ? NULL : ebb_strdup(text);
}

static char *take_option(void)
{
    char *text = take_text_copy();
    return text == NULL ? ebb_strdup("") : text;
}

static ebb_status read_recipe(const char *path, ebb_error *err)
{
    jvm_recipe *r = &jvm_recipe_now;
    jvm_log_seek((jvm_cursor){0, 0, 0});
    const char *found = jvm_log_take_text();
    if (found == NULL || strcmp(found, magic) != 0)
        return ebb_fail(err, EBB_BAD_FILE, "%s is not a recording of Java that this ebb understands", path);
    for (uint64_t n = jvm_log_take_u(); n > 0; n--)
        ebb_vec_push(&r->options, take_option());
    r->ignore_unrecognized = jvm_log_take_u() != 0;
    r->home = take_text_copy();
    r->image_hash = jvm_log_take_u();
    r->memory = jvm_log_take_u();
    r->c_stack = jvm_log_take_u();
    if (r->home == NULL)
        return ebb_fail(err, EBB_BAD_FILE, "%s is damaged", path);
    if (r->image_hash != hash_image())
        return ebb_fail(err, EBB_UNSUPPORTED, "%s was recorded with another JDK (%s); the one here is %s", path, r->home, jvm.home);
    if (r->c_stack > usable_stack())
        return ebb_fail(err, EBB_UNSUPPORTED, "%s was recorded with a larger stack: start java with -Xss%lluk", path,
                        (unsigned long long)(r->c_stack + 2 * STACK_RESERVE) / 1024);
    return EBB_OK;
}

/* ---- begin ---- */

static char *take_variable(const char *name)
{
    const char *value = getenv(name);
    char *copy = value == NULL || *value == '\0' ? NULL : ebb_strdup(value);
    unsetenv(name);
    return copy;
}

static uint64_t take_number(const char *name, uint64_t otherwise)
{
    char *text = take_variable(name);
    uint64_t n = text == NULL ? otherwise : strtoull(text, NULL, 0);
    free(text);
    return n;
}

ebb_status jvm_record_start(ebb_error *err)
{
    char *record = take_variable("EBB_RECORD"), *replay = take_variable("EBB_REPLAY");
    verify_every = take_number("EBB_VERIFY", 0);
    tell_at = take_number("EBB_VERIFY_TELL", UINT64_MAX);
    ebb_status status = EBB_OK;
    if (replay != NULL) {
        status = jvm_log_open(replay, err);
        if (status == EBB_OK)
            status = read_recipe(replay, err);
        if (status == EBB_OK)
            jvm_history = JVM_REPLAYING;
    } else if (record != NULL) {
        status = jvm_log_create(record, err);
        if (status == EBB_OK)
            jvm_history = JVM_RECORDING;
    }
    free(record);
    free(replay);
    return status;
}

void jvm_record_begin(void)
{
    if (jvm_history != JVM_RECORDING)
        return;
    note_recipe();
    write_recipe();
}

void jvm_record_enter_launcher(jvm_thread *t, void *frame_address)
{
    if (jvm_history == JVM_UNRECORDED)
        return;
    t->c_limit = (char *)frame_address - jvm_recipe_now.c_stack;
    t->border_budget = (int64_t)jvm_recipe_now.c_stack - LAUNCHER_ALLOWANCE;
}

void jvm_record_leave_to_launcher(jvm_thread *t)
{
    if (jvm_history == JVM_RECORDING)
        t->env = &jvm_recording_table;
}

/* ---- hashes ---- */

static void tell_state(void)
{
    static bool told;
    if (jvm_time() < tell_at || told)
        return;
    told = true;
    fprintf(stderr, "state at %llu: %016llx\n", (unsigned long long)jvm_time(), (unsigned long long)jvm_state_hash_tell());
}

/* Several moments at which a hash may be due can have one timestamp: they are counted. */
static uint64_t asked, next_asked;

static void compare_hash(void)
{
    if (jvm_log_peek(NULL) != JVM_EVENT_HASH)
        return;
    if (next_asked == 0)
        next_asked = jvm_log_take_u();
    if (asked != next_asked)
        return;
    next_asked = 0;
    (void)jvm_log_expect(JVM_EVENT_HASH);
    uint64_t logged = jvm_log_take_u(), now = jvm_state_hash();
    if (logged != now)
        jvm_diverged("the state is another one: hash %016llx, recorded %016llx", (unsigned long long)now,
                     (unsigned long long)logged);
    nverified++;
}

void jvm_record_verify(void)
{
    asked++;
    if (tell_at != UINT64_MAX)
        tell_state();
    if (jvm_history == JVM_REPLAYING) {
        compare_hash();
    } else if (jvm_history == JVM_RECORDING && verify_every != 0 && asked % verify_every == 0) {
        jvm_log_event(JVM_EVENT_HASH);
        jvm_log_u(asked);
        jvm_log_u(jvm_state_hash());
        jvm_log_end();
    }
}

/* ---- end ---- */

void jvm_record_flush(void)
{
    if (jvm_history != JVM_RECORDING)
        return;
    jvm_log_event(JVM_EVENT_MARK);
    jvm_log_flush();
}

void jvm_record_exit(int status)
{
    if (jvm_history == JVM_RECORDING) {
        jvm_log_event(JVM_EVENT_EXIT);
        jvm_log_s(status);
        jvm_log_flush();
    } else if (jvm_is_replaying() && jvm_log_expect(JVM_EVENT_EXIT)) {
        (void)jvm_log_take_s();
        jvm_history_end_hook();
    }
}

static void end_process(void)
{
    ebb_log("replayed to the end at timestamp %llu, %llu states compared", (unsigned long long)jvm_time(),
            (unsigned long long)nverified);
    _exit(0);
}

void (*jvm_history_end_hook)(void) = end_process;
void (*jvm_divergence_hook)(const char *text);

static void add_place(char *text, size_t size)
{
    const jvm_frame *f = jvm_self == NULL ? NULL : jvm_top_frame(jvm_self);
    if (f == NULL || f->method == NULL)
        return;
    char *method = jvm_method_text(f->method);
    snprintf(text, size, " in %s (bytecode %d, thread %u)", method, jvm_frame_bci(f), jvm_self->id);
    free(method);
}

_Noreturn void jvm_diverged(const char *format, ...)
{
    char text[480], place[240] = "", what[200];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    add_place(place, sizeof place);
    snprintf(text, sizeof text, "replay diverged at timestamp %llu%s: %s", (unsigned long long)jvm_time(), place, what);
    if (jvm_divergence_hook != NULL)
        jvm_divergence_hook(text);
    fprintf(stderr, "ebb: %s\n", text);
    _exit(EXIT_DIVERGED);
}

static bool is_copy;
bool jvm_replays_copy(void) { return is_copy; }

void jvm_replay_begin(jvm_cursor from)
{
    is_copy = true;
    jvm_history = JVM_REPLAYING;
    jvm_log_seek(from);
}

/* ---- the launcher ---- */

void jvm_record_life(enum jvm_event kind, const char *name, const jvm_obj *group, bool daemon)
{
    if (jvm_history != JVM_RECORDING)
        return;
    jvm_log_event(kind);
    if (kind == JVM_EVENT_ATTACH) {
        jvm_log_text(name);
        jvm_log_object(group);
        jvm_log_u(daemon);
    }
    jvm_log_end();
}

static void replay_attach(void)
{
    char *name = take_text_copy();
    jvm_obj *group = jvm_log_take_object();
    bool daemon = jvm_log_take_u() != 0;
    (void)jvm_attach_current(name == NULL ? "" : name, group, daemon);
    free(name);
}

_Noreturn void jvm_replay_launcher(jvm_thread *main)
{
    for (;;) {
        if (jvm_self != NULL && jvm_replay_action(jvm_self))
            continue;
        enum jvm_event kind = jvm_log_peek(NULL);
        if (kind == JVM_EVENT_ATTACH || kind == JVM_EVENT_DETACH || kind == JVM_EVENT_DESTROY)
            (void)jvm_log_expect(kind);
        if (kind == JVM_EVENT_ATTACH)
            replay_attach();
        else if (kind == JVM_EVENT_DETACH)
            (void)jvm_detach_current();
        else if (kind == JVM_EVENT_DESTROY)
            jvm_destroy_here();
        else
            jvm_record_exit(0);
    }
}
