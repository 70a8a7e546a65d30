/* Calls of natives that are not run again: NATIVE, what it did by way of JNI, the memory it wrote, RETURN. */
#include "jvm/record/internal.h"

#include "base/check.h"
#include "jvm/agent/agent.h"
#include "jvm/heap/object.h"
#include "jvm/record/files.h"
#include "jvm/record/memory.h"
#include "jvm/heap/offheap.h"
#include "jvm/engine/throw.h"
#include "jvm/jvm.h"

#include <setjmp.h>
#include <string.h>
#include <sys/uio.h>

/* ---- which ---- */

bool jvm_native_reruns(const jvm_method *m)
{
    static const struct {
        const char *cls, *name;
    } rows[] = {
#define JVM_RERUN(cls, name) {cls, name},
#include "jvm/record/rerun_natives.def"
#undef JVM_RERUN
    };
    if (m->cls->loader->object != NULL)
        return false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (jvm_sym_is(m->cls->name, rows[i].cls) && (rows[i].name[0] == '*' || jvm_sym_is(m->name, rows[i].name)))
            return true;
    return false;
}

/* ---- memory ---- */

void jvm_record_raw(const void *at, const void *bytes, size_t nbytes)
{
    for (size_t done = 0; done < nbytes; done += JVM_LOG_STEP) {
        jvm_log_event(JVM_EVENT_RAW);
        jvm_log_u((uintptr_t)at + done);
        jvm_log_bytes((const char *)bytes + done, nbytes - done < JVM_LOG_STEP ? nbytes - done : JVM_LOG_STEP);
        jvm_log_end();
    }
}

static void log_memory(const void *at, size_t nbytes) { jvm_record_raw(at, at, nbytes); }

static void log_vectors(const struct iovec *v, int32_t n, int64_t left)
{
    for (int32_t i = 0; i < n && left > 0; i++) {
        size_t step = (int64_t)v[i].iov_len < left ? v[i].iov_len : (size_t)left;
        log_memory(v[i].iov_base, step);
        left -= (int64_t)step;
    }
}

typedef struct raw_row {
    const char *cls, *name;
    int slot;
    enum { RAW_RESULT, RAW_FIXED, RAW_SLOT, RAW_VECTORS } how;
    int n, count_slot;
} raw_row;

static const raw_row raw_rows[] = {
#define RESULT(n, s) RAW_RESULT, n, s
#define FIXED(n) RAW_FIXED, n, 0
#define SLOT(s, n) RAW_SLOT, n, s
#define VECTORS(s) RAW_VECTORS, 0, s
#define JVM_RAW(cls, name, slot, ...) {cls, name, slot, __VA_ARGS__},
#include "jvm/record/raw_memory.def"
#undef JVM_RAW
};

static void log_row(const raw_row *row, const jvm_slot *args, int64_t result)
{
    const void *at = (const void *)(intptr_t)args[row->slot].j;
    switch (row->how) {
    case RAW_RESULT:
        if (result > 0)
            log_memory(at, (size_t)result * (size_t)row->n);
        break;
    case RAW_FIXED:
        if (result >= 0 && at != NULL)
            log_memory(at, (size_t)row->n);
        break;
    case RAW_SLOT:
        log_memory(at, (size_t)args[row->count_slot].i * (size_t)row->n);
        break;
    case RAW_VECTORS:
        log_vectors(at, args[row->count_slot].i, result);
        break;
    }
}

static void keep_vectors(const struct iovec *v, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        jvm_offheap_keep(v[i].iov_base, v[i].iov_len);
}

/* All that the native may write to, for the undo log. */
static void keep_row(const raw_row *row, const jvm_slot *args)
{
    void *at = (void *)(intptr_t)args[row->slot].j;
    int32_t count = args[row->count_slot].i;
    if (row->how == RAW_VECTORS)
        keep_vectors(at, count);
    else if (row->how == RAW_FIXED && at != NULL)
        jvm_offheap_keep(at, (size_t)row->n);
    else if (row->how != RAW_FIXED && count > 0)
        jvm_offheap_keep(at, (size_t)count * (size_t)row->n);
}

static void keep_raw_memory(const jvm_method *m, const jvm_slot *args)
{
    for (size_t i = 0; i < sizeof raw_rows / sizeof *raw_rows; i++)
        if (jvm_sym_is(m->name, raw_rows[i].name) && jvm_sym_is(m->cls->name, raw_rows[i].cls))
            keep_row(&raw_rows[i], args);
}

static void log_raw_memory(const jvm_method *m, const jvm_slot *args, jvm_slot result)
{
    for (size_t i = 0; i < sizeof raw_rows / sizeof *raw_rows; i++)
        if (jvm_sym_is(m->name, raw_rows[i].name) && jvm_sym_is(m->cls->name, raw_rows[i].cls))
            log_row(&raw_rows[i], args, m->ret == 'J' ? result.j : result.i);
}

/* ---- results ---- */

static void log_return(const jvm_method *m, jvm_slot result, bool pending)
{
    jvm_log_event(JVM_EVENT_RETURN);
    if (pending || m->ret == 'V')
        jvm_log_u(0);
    else if (m->ret == 'L' || m->ret == '[')
        jvm_log_object(result.a);
    else
        jvm_log_s(result.j);
    jvm_log_end();
}

static jvm_slot take_return(const jvm_method *m, bool pending)
{
    jvm_slot result = {.raw = 0};
    if (pending || m->ret == 'V')
        (void)jvm_log_take_u();
    else if (m->ret == 'L' || m->ret == '[')
        result.a = jvm_log_take_object();
    else
        result.j = jvm_log_take_s();
    return result;
}

/* ---- the C stack ---- */

enum { NATIVE_ALLOWANCE = 24 * 1024 }; /* what a native is taken to use of the C stack by itself */

jvm_border jvm_border_leave(jvm_thread *t, void *frame_address)
{
    jvm_border saved = {t->env, t->c_limit};
    t->env = &jvm_jni_table;
    if (t->border_budget != 0)
        t->c_limit = (char *)frame_address - t->border_budget;
    return saved;
}

/* In a copy that replays, a native that was running when it was made must not go on: the rest of what it did is in the
 * recording, and is done there, from where it was called. */
typedef struct jvm_flight {
    jmp_buf back;
    struct jvm_flight *outer;
} jvm_flight;

_Noreturn static void abandon_native(jvm_thread *t)
{
    if (t->flight == NULL)
        jvm_replay_launcher(t);
    longjmp(t->flight->back, 1);
}

void jvm_border_return(jvm_thread *t, jvm_border saved)
{
    t->c_limit = saved.c_limit;
    if (jvm_is_replaying() && saved.env == &jvm_recording_table)
        abandon_native(t);
    t->env = saved.env;
}

static int64_t budget_here(const jvm_thread *t, const void *frame_address)
{
    int64_t left = (const char *)frame_address - t->c_limit - NATIVE_ALLOWANCE;
    return left < 4096 ? 4096 : left;
}

/* ---- calls ---- */

static jvm_slot replay_rest(jvm_thread *t, jvm_method *m)
{
    t->scripts++;
    while (jvm_replay_action(t))
        ;
    t->scripts--;
    if (!jvm_log_expect(JVM_EVENT_RETURN))
        jvm_diverged("the recording ends inside a native method, where the execution can't go on by itself");
    return take_return(m, jvm_pending(t));
}

static bool loads_library(const jvm_method *m)
{
    return jvm_sym_is(m->name, "load") && jvm_sym_is(m->cls->name, "jdk/internal/loader/NativeLibraries");
}

static jvm_slot record_call(jvm_thread *t, jvm_method *m, jvm_slot *args, jvm_foreign_call *call, void *how)
{
    if (jvm_undo_on)
        keep_raw_memory(m, args);
    jvm_files_before_native(m, args);
    jvm_log_event(JVM_EVENT_NATIVE);
    jvm_log_method(m);
    jvm_log_end();
    const struct JNINativeInterface_ *env = t->env;
    jvm_flight flight = {.outer = t->flight};
    if (_setjmp(flight.back) != 0) {
        t->env = &jvm_jni_table;
        t->flight = flight.outer;
        return replay_rest(t, m);
    }
    t->flight = &flight;
    t->env = &jvm_recording_table;
    jvm_windows_enter(t);
    jvm_slot result = call(t, m, how);
    jvm_windows_leave(t);
    t->flight = flight.outer;
    t->env = env;
    if (!jvm_pending(t))
        log_raw_memory(m, args, result);
    jvm_files_after_native(m, args, result);
    log_return(m, result, jvm_pending(t));
    if (jvm_agent_on && loads_library(m))
        jvm_agent_snapshot_soon(); /* branch.c: from there on the past can be gone on from */
    return result;
}

static void check_method(const jvm_method *m)
{
    const jvm_method *logged = jvm_log_take_method();
    if (logged == m)
        return;
    char *asked = jvm_method_text(m), *has = jvm_method_text(logged);
    jvm_diverged("the execution calls %s, the recording has a call of %s", asked, has);
}

static jvm_slot replay_call(jvm_thread *t, jvm_method *m, const jvm_slot *args)
{
    check_method(m);
    if (loads_library(m))
        jvm_branch_note_load(args);
    return replay_rest(t, m);
}

jvm_slot jvm_record_native(jvm_thread *t, jvm_method *m, jvm_slot *args, jvm_foreign_call *call, void *how)
{
    int64_t outer = t->border_budget;
    if (loads_library(m))
        jvm_undo_cut("the loading of a native library");
    t->border_budget = budget_here(t, __builtin_frame_address(0));
    bool replays = jvm_is_replaying() && jvm_log_expect(JVM_EVENT_NATIVE);
    jvm_slot result = replays ? replay_call(t, m, args) : record_call(t, m, args, call, how);
    t->border_budget = outer;
    return result;
}
