/* The log of events: a recording of time/recording.h, written or read. */
#include "jvm/record/record.h"
#include "jvm/record/edits.h"
#include "jvm/record/internal.h"

#include "base/check.h"
#include "jvm/heap/heap.h"
#include "jvm/classes/loader.h"
#include "jvm/jvm.h"

#include <stdio.h>
#include <string.h>

static struct {
    ebb_recorder *rec;  /* recording */
    ebb_replay *replay; /* replaying */
    ebb_event *next;    /* its event: the one peeked at, or being read */
    bool told_end;
} l;

static const char *own_event_text(unsigned kind)
{
    switch (kind) {
#define JVM_EVENT(name, text) case JVM_EVENT_##name: return text;
#include "jvm/record/events.def"
#undef JVM_EVENT
    default: return NULL;
    }
}

static const ebb_kinds kinds = {.text = own_event_text};

/* ---- the file ---- */

ebb_status jvm_log_create(const char *path, ebb_error *err) { return ebb_recorder_create(path, &l.rec, err); }
ebb_recorder *jvm_log_recorder(void) { return l.rec; }
ebb_recording *jvm_log_recording(void) { return l.replay == NULL ? NULL : ebb_replay_get_recording(l.replay); }
ebb_replay *jvm_log_replay(void) { return l.replay; }

ebb_status jvm_log_open(const char *path, ebb_error *err)
{
    EBB_TRY(ebb_replay_open(path, &kinds, &l.replay, err));
    l.next = ebb_replay_get_event(l.replay);
    return EBB_OK;
}

uint64_t jvm_log_last_timestamp(void)
{
    ebb_recording_extent extent;
    ebb_recording_get_extent(jvm_log_recording(), &extent);
    return extent.last_timestamp;
}

static ebb_status open_own_file(ebb_error *err)
{
    EBB_TRY(ebb_replay_open_fd(ebb_recorder_get_fd(l.rec), &kinds, &l.replay, err));
    l.next = ebb_replay_get_event(l.replay);
    return EBB_OK;
}

/* A full disk ends the recording, not the program. */
void jvm_log_report(ebb_status status, const ebb_error *err)
{
    if (status == EBB_OK || l.told_end)
        return;
    l.told_end = true;
    fprintf(stderr, "ebb: the recording ends here: %s\n", err->text);
}

void jvm_log_flush(void)
{
    ebb_error err;
    jvm_log_report(ebb_recorder_flush(l.rec, &err), &err);
}

uint64_t jvm_record_nbytes(void) { return l.rec == NULL ? 0 : ebb_recorder_get_nbytes(l.rec); }

/* ---- cursors ---- */

jvm_cursor jvm_record_cursor(void)
{
    return (jvm_cursor){jvm_is_replaying() ? ebb_replay_get_number(l.replay) : ebb_recorder_get_count(l.rec)};
}

ebb_status jvm_log_seek(jvm_cursor to, ebb_error *err)
{
    if (l.replay == NULL)
        EBB_TRY(open_own_file(err));
    jvm_outside_forget_peeked();
    return ebb_replay_seek(l.replay, to.number, err);
}

uint64_t jvm_log_happened(void) { return ebb_replay_get_happened(l.replay); }

void jvm_log_went_live(void)
{
    l.replay = NULL;
    l.next = NULL;
}

/* ---- writing ---- */

void jvm_log_u(uint64_t v) { ebb_recorder_u64(l.rec, v); }
void jvm_log_s(int64_t v) { ebb_recorder_i64(l.rec, v); }
void jvm_log_event(unsigned kind) { ebb_recorder_begin(l.rec, kind, jvm_time()); }
void jvm_log_bytes(const void *bytes, size_t n) { ebb_recorder_bytes(l.rec, bytes, n); }

void jvm_log_pair(unsigned kind, uint64_t first, int64_t second)
{
    ebb_error err;
    ebb_status status = ebb_recorder_pair(l.rec, kind, jvm_time(), first, second, &err);
    if (__builtin_expect(status != EBB_OK, 0))
        jvm_log_report(status, &err);
}

void jvm_log_end(void)
{
    ebb_error err;
    jvm_log_report(ebb_recorder_end(l.rec, &err), &err);
}

void jvm_log_text(const char *text) { jvm_log_bytes(text == NULL ? "" : text, text == NULL ? 0 : strlen(text) + 1); }
void jvm_log_object(const jvm_obj *o) { jvm_log_u((uintptr_t)o / JVM_OBJECT_ALIGN); }
void jvm_log_class(const jvm_class *cls) { jvm_log_u(cls == NULL ? 0 : cls->serial); }

void jvm_log_method(const jvm_method *m)
{
    jvm_log_class(m->cls);
    jvm_log_u(m->slot);
}

/* ---- reading ---- */

static void diverge_if(ebb_status status, const ebb_error *err)
{
    if (status != EBB_OK)
        jvm_diverged("%s", err->text);
}

static void check_good(void)
{
    ebb_error err;
    if (l.next->values.is_bad)
        diverge_if(ebb_replay_check_values(l.replay, &err), &err);
}

uint64_t jvm_log_peek_u(void)
{
    ebb_values copy = l.next->values;
    return ebb_values_u64(&copy);
}

uint64_t jvm_log_take_u(void)
{
    uint64_t v = ebb_values_u64(&l.next->values);
    check_good();
    return v;
}

int64_t jvm_log_take_s(void)
{
    int64_t v = ebb_values_i64(&l.next->values);
    check_good();
    return v;
}

unsigned jvm_log_peek(uint64_t *time)
{
    ebb_error err;
    ebb_status status = ebb_replay_peek(l.replay, jvm_time(), &err);
    if (status == EBB_NO_HISTORY)
        return EBB_EVENT_NONE;
    diverge_if(status, &err);
    if (time != NULL)
        *time = l.next->timestamp;
    return l.next->kind;
}

bool jvm_log_expect(unsigned wanted)
{
    ebb_error err;
    ebb_status status = ebb_replay_expect(l.replay, wanted, jvm_time(), &err);
    if (status == EBB_UNAVAILABLE && jvm_edit_hook != NULL) {
        jvm_edit_hook();
        return jvm_is_replaying() && jvm_log_expect(wanted);
    }
    if (status == EBB_NO_HISTORY) {
        jvm_history_end_hook();
        ebb_check(!jvm_is_replaying());
        return false;
    }
    diverge_if(status, &err);
    return true;
}

const void *jvm_log_take_bytes(size_t *nbytes)
{
    const void *bytes = ebb_values_bytes(&l.next->values, nbytes);
    check_good();
    return bytes;
}

const char *jvm_log_take_text(void)
{
    size_t n;
    const char *text = jvm_log_take_bytes(&n);
    if (n > 0 && text[n - 1] != '\0')
        jvm_diverged("the recording is damaged: a text has no end");
    return n == 0 ? NULL : text;
}

jvm_obj *jvm_log_take_object(void)
{
    jvm_obj *o = (jvm_obj *)(uintptr_t)(jvm_log_take_u() * JVM_OBJECT_ALIGN);
    if (o != NULL && !jvm_heap_holds(o))
        jvm_diverged("the recording names an object at %p, where none is", (void *)o);
    return o;
}

jvm_class *jvm_log_take_class(void)
{
    uint64_t serial = jvm_log_take_u();
    jvm_class *cls = serial == 0 || serial > UINT32_MAX ? NULL : jvm_class_by_serial((uint32_t)serial);
    if (serial != 0 && cls == NULL)
        jvm_diverged("the recording names class number %llu, there is none", (unsigned long long)serial);
    return cls;
}

jvm_method *jvm_log_take_method(void)
{
    jvm_class *cls = jvm_log_take_class();
    uint64_t slot = jvm_log_take_u();
    if (cls == NULL || slot >= cls->nmethods)
        jvm_diverged("the recording names a method that there is not");
    return &cls->methods[slot];
}
