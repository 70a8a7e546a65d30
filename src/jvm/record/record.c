/* The life of a recording: how it begins, its state hashes, its end; and the outermost script, the launcher's. */
#include "jvm/record/record.h"

#include "base/check.h"
#include "base/log.h"
#include "jvm/engine/frame.h"
#include "jvm/record/outside.h"
#include "jvm/record/edits.h"
#include "jvm/record/internal.h"
#include "jvm/record/state_hash.h"
#include "jvm/jvm.h"
#include "time/verify.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum jvm_history_mode jvm_history;
enum { LAUNCHER_ALLOWANCE = 64 * 1024, EXIT_DIVERGED = 3 };

static int copies_fd = -1;
static uint64_t copies_every, tell_at = UINT64_MAX;
static ebb_verify verify;

static void open_copies(const char *recording);

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

static ebb_status hash_state(void *self, uint64_t *hash, ebb_error *err)
{
    (void)self, (void)err;
    *hash = jvm_state_hash();
    return EBB_OK;
}

static void choose_verify(void)
{
    char *policy = take_variable("EBB_VERIFY");
    if (policy == NULL && getenv("EBB_RECORD_VERIFY") != NULL) /* handed on, as EBB_RECORD_DIR is */
        policy = ebb_strdup(getenv("EBB_RECORD_VERIFY"));
    ebb_verify_init(&verify, policy, hash_state, NULL);
    free(policy);
}

/* EBB_RECORD_DIR=DIR stays in the environment: processes that this one starts are recorded, too.  Caller frees; NULL: not asked for. */
static char *file_in_folder(void)
{
    const char *folder = getenv("EBB_RECORD_DIR");
    return folder == NULL ? NULL : ebb_asprintf("%s/java-%d.ebb", folder, (int)getpid());
}

ebb_status jvm_record_start(ebb_error *err)
{
    char *record = take_variable("EBB_RECORD"), *replay = take_variable("EBB_REPLAY");
    choose_verify();
    copies_every = take_number("EBB_VERIFY_COPIES", 0);
    tell_at = take_number("EBB_VERIFY_TELL", UINT64_MAX);
    ebb_status status = EBB_OK;
    if (record == NULL && replay == NULL)
        record = file_in_folder();
    if (replay != NULL) {
        status = jvm_log_open(replay, err);
        if (status == EBB_OK)
            status = jvm_recipe_read(jvm_log_recording(), replay, err);
        if (status == EBB_OK)
            status = jvm_edits_read(err);
        if (status == EBB_OK)
            jvm_history = JVM_REPLAYING;
    } else if (record != NULL) {
        status = jvm_log_create(record, err);
        if (status == EBB_OK)
            jvm_history = JVM_RECORDING;
        if (copies_every != 0)
            open_copies(record);
    }
    free(record);
    free(replay);
    return status;
}

ebb_status jvm_record_begin(ebb_error *err)
{
    if (jvm_history != JVM_RECORDING)
        return EBB_OK;
    jvm_recipe_note();
    return jvm_recipe_write(jvm_log_recorder(), err);
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

void jvm_record_verify_soon(void) { verify.is_wanted = true; }
uint64_t jvm_record_nverified(void) { return verify.n_compared; }

/* For tests (EBB_VERIFY_COPIES=N): a copy of the process (and up to 8 of them) waits until the recording is complete, replays the rest of it,
 * and says in FILE.copies how that went. */
static void tell_of_copy(const char *text)
{
    if (copies_fd >= 0)
        dprintf(copies_fd, "%s\n", text);
}

static void verify_in_copy(void)
{
    enum { MOST = 8 };
    static int ncopies;
    int gone[2];
    char byte;
    if (ncopies++ == MOST || pipe2(gone, O_CLOEXEC) != 0) {
        copies_every = 0;
        return;
    }
    fflush(NULL);
    tell_of_copy("begun");
    jvm_cursor here = jvm_record_cursor();
    if (fork() != 0) {
        close(gone[0]); /* the other end stays open as long as we live */
        return;
    }
    jvm_outside_let_go(gone[0]);
    while (read(gone[0], &byte, 1) > 0)
        ;
    copies_every = 0;
    jvm_replay_begin(here);
}

static void open_copies(const char *recording)
{
    char *path = ebb_asprintf("%s.copies", recording);
    copies_fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    free(path);
}

/* A program that asks nothing of the outside for long is written down too: how far it had come. */
static void flush_now_and_then(void)
{
    enum { EVERY_NS = 100 * 1000 * 1000 };
    static int64_t next;
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
    int64_t now = ts.tv_sec * 1000000000LL + ts.tv_nsec;
    if (now < next)
        return;
    next = now + EVERY_NS;
    jvm_record_flush();
}

static void verify_here(void)
{
    ebb_error err;
    jvm_undo_keep(&verify.moment, sizeof verify.moment); /* VF1 */
    ebb_verify_count(&verify, jvm_time());
    if (tell_at != UINT64_MAX)
        tell_state();
    if (jvm_history == JVM_RECORDING)
        jvm_log_report(ebb_verify_record_counted(&verify, jvm_log_recorder(), jvm_time(), &err), &err);
    else if (jvm_is_replaying() && ebb_verify_compare_counted(&verify, jvm_log_replay(), jvm_time(), &err) != EBB_OK)
        jvm_diverged("%s", err.text);
}

void jvm_record_verify(void)
{
    if (copies_every != 0 && jvm_history == JVM_RECORDING && verify.moment.n % copies_every == copies_every - 1)
        verify_in_copy();
    verify_here();
    if (jvm_history == JVM_RECORDING)
        flush_now_and_then();
}

/* ---- end ---- */

void jvm_record_mark(uint64_t place)
{
    if (jvm_history != JVM_RECORDING)
        return;
    ebb_error err;
    jvm_log_report(ebb_recorder_mark(jvm_log_recorder(), (ebb_position){jvm_time(), place}, &err), &err);
}

void jvm_record_flush(void)
{
    jvm_record_mark(0);
}

void jvm_record_exit(int status)
{
    if (jvm_history == JVM_RECORDING) {
        jvm_log_event(EBB_EVENT_EXIT);
        jvm_log_s(status);
        jvm_log_end();
        jvm_log_flush();
    } else if (jvm_is_replaying() && jvm_log_expect(EBB_EVENT_EXIT)) {
        (void)jvm_log_take_s();
        jvm_history_end_hook();
    }
}

static void end_process(void)
{
    tell_of_copy("ended");
    ebb_log("replayed to the end at timestamp %llu, %llu states compared", (unsigned long long)jvm_time(),
            (unsigned long long)verify.n_compared);
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
    if (f->kind == JVM_FRAME_JAVA)
        snprintf(text, size, " in %s (bytecode %d, thread %u)", method, jvm_frame_bci(f), jvm_self->id);
    else
        snprintf(text, size, " in %s (native, thread %u)", method, jvm_self->id);
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
    tell_of_copy(text);
    if (jvm_divergence_hook != NULL)
        jvm_divergence_hook(text);
    fprintf(stderr, "ebb: %s\n", text);
    _exit(EXIT_DIVERGED);
}

static bool is_copy;
bool jvm_replays_copy(void) { return is_copy; }
void jvm_replays_copy_no_more(void) { is_copy = false; }

uint64_t jvm_replay_began;

void jvm_replay_begin(jvm_cursor from)
{
    jvm_replay_began = from.number;
    ebb_error err;
    is_copy = true;
    jvm_history = JVM_REPLAYING;
    if (jvm_log_seek(from, &err) != EBB_OK || jvm_edits_read(&err) != EBB_OK)
        jvm_diverged("%s", err.text);
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
    const char *text = jvm_log_take_text();
    char *name = text == NULL ? NULL : ebb_strdup(text);
    jvm_obj *group = jvm_log_take_object();
    bool daemon = jvm_log_take_u() != 0;
    (void)jvm_attach_current(name == NULL ? "" : name, group, daemon);
    free(name);
}

_Noreturn void jvm_replay_launcher(jvm_thread *main)
{
    for (;;) {
        if (!jvm_is_replaying())
            jvm_finish_as_launcher(); /* it went live in what the launcher called */
        if (jvm_self != NULL && jvm_replay_action(jvm_self))
            continue;
        unsigned kind = jvm_log_peek(NULL);
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
