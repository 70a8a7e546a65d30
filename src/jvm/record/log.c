/* The log of events: a recording of time/recording.h, written or read. */
#include "jvm/record/record.h"
#include "jvm/record/edits.h"
#include "jvm/record/internal.h"

#include "base/check.h"
#include "jvm/heap/heap.h"
#include "jvm/classes/loader.h"
#include "jvm/jvm.h"
#include "time/recording.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct {
    ebb_recorder *rec;   /* recording */
    ebb_recording *in;   /* replaying */
    ebb_event next;      /* the one peeked at, or being read */
    uint64_t number;     /* of the first event not read yet */
    uint64_t happened;   /* of the first event that has not happened yet */
    bool peeked;
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

const char *jvm_event_text(unsigned kind)
{
    const char *text = kind < EBB_EVENT_MACHINE ? ebb_event_text(kind) : own_event_text(kind);
    return text == NULL ? "nonsense" : text;
}

/* ---- the file ---- */

ebb_status jvm_log_create(const char *path, ebb_error *err) { return ebb_recorder_create(path, &l.rec, err); }
ebb_status jvm_log_open(const char *path, ebb_error *err) { return ebb_recording_open(path, &l.in, err); }
ebb_status jvm_log_open_fd(int fd, ebb_error *err) { return ebb_recording_open_fd(fd, &l.in, err); }
ebb_recorder *jvm_log_recorder(void) { return l.rec; }
ebb_recording *jvm_log_recording(void) { return l.in; }

/* A full disk ends the recording, not the program. */
static void report(ebb_status status, const ebb_error *err)
{
    if (status == EBB_OK || l.told_end)
        return;
    l.told_end = true;
    fprintf(stderr, "ebb: the recording ends here: %s\n", err->text);
}

void jvm_log_flush(void)
{
    ebb_error err;
    report(ebb_recorder_flush(l.rec, &err), &err);
}

void jvm_log_section(const ebb_buf *payload)
{
    ebb_error err;
    report(ebb_recorder_section(l.rec, EBB_SECTION_MACHINE, payload->data, payload->n, &err), &err);
}

uint64_t jvm_record_nbytes(void) { return l.rec == NULL ? 0 : ebb_recorder_get_nbytes(l.rec); }

/* ---- cursors ---- */

jvm_cursor jvm_record_cursor(void)
{
    return (jvm_cursor){jvm_is_replaying() ? l.number : ebb_recorder_get_count(l.rec)};
}

ebb_status jvm_log_seek(jvm_cursor to, ebb_error *err)
{
    ebb_status status = EBB_OK;
    if (l.in == NULL)
        status = jvm_log_open_fd(ebb_recorder_get_fd(l.rec), err);
    l.peeked = false;
    l.number = l.happened = to.number;
    jvm_outside_forget_peeked();
    return status == EBB_OK ? ebb_recording_seek(l.in, to.number, err) : status;
}

uint64_t jvm_log_happened(void) { return l.happened; }

/* The copy's descriptor of the file may be for reading only. */
static ebb_status open_for_writing(ebb_error *err)
{
    char path[64];
    int fd = ebb_recorder_get_fd(l.rec);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int own = open(path, O_RDWR | O_APPEND | O_CLOEXEC);
    if (own < 0 || dup3(own, fd, O_CLOEXEC) < 0)
        return ebb_fail_errno(err, "can't go on recording");
    close(own);
    return EBB_OK;
}

ebb_status jvm_log_cut(ebb_error *err)
{
    ebb_status status = open_for_writing(err);
    if (status == EBB_OK)
        status = ebb_recorder_cut(l.rec, l.happened, jvm_time(), err);
    if (status != EBB_OK)
        return status;
    ebb_recording_free(l.in);
    l.in = NULL;
    l.peeked = false;
    return EBB_OK;
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
        report(status, &err);
}

void jvm_log_end(void)
{
    ebb_error err;
    report(ebb_recorder_end(l.rec, &err), &err);
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

static void check_good(void)
{
    if (l.next.values.is_bad)
        jvm_diverged("the recording is damaged: event %llu is cut short", (unsigned long long)l.next.number);
}

uint64_t jvm_log_take_u(void)
{
    uint64_t v = ebb_values_u64(&l.next.values);
    check_good();
    return v;
}

uint64_t jvm_log_peek_u(void)
{
    ebb_values stays = l.next.values;
    uint64_t v = jvm_log_take_u();
    l.next.values = stays;
    return v;
}

int64_t jvm_log_take_s(void)
{
    int64_t v = ebb_values_i64(&l.next.values);
    check_good();
    return v;
}

static bool read_next(void)
{
    ebb_error err;
    ebb_status status = ebb_recording_next(l.in, &l.next, &err);
    if (status == EBB_NO_HISTORY)
        return false;
    if (status != EBB_OK)
        jvm_diverged("%s", err.text);
    if (l.next.kind == EBB_EVENT_NONE || (l.next.kind >= EBB_N_EVENTS && l.next.kind < EBB_EVENT_MACHINE) || l.next.kind >= JVM_EVENT_END)
        jvm_diverged("the recording is damaged: there is no event of kind %u", l.next.kind);
    return true;
}

static bool is_passed_over(const ebb_event *e)
{
    return e->kind == EBB_EVENT_MARK || e->kind == EBB_EVENT_FILE || e->kind == EBB_EVENT_OPEN_FILE ||
           (e->kind == EBB_EVENT_HASH && e->timestamp < jvm_time());
}

unsigned jvm_log_peek(uint64_t *time)
{
    l.peeked = l.peeked && !is_passed_over(&l.next);
    while (!l.peeked) {
        if (!read_next())
            return EBB_EVENT_NONE;
        l.peeked = !is_passed_over(&l.next);
        l.number = l.next.number + !l.peeked;
    }
    if (time != NULL)
        *time = l.next.timestamp;
    return l.next.kind;
}

bool jvm_log_expect(unsigned wanted)
{
    uint64_t time = 0;
    unsigned kind = jvm_log_peek(&time);
    while (kind == EBB_EVENT_HASH && wanted != kind) { /* of a moment in the middle of which replay began */
        l.peeked = false;
        kind = jvm_log_peek(&time);
    }
    if (kind == EBB_EVENT_NONE) {
        jvm_history_end_hook();
        ebb_check(!jvm_is_replaying());
        return false;
    }
    if (kind == EBB_EVENT_EDIT && wanted != kind && time == jvm_time() && jvm_edit_hook != NULL) {
        jvm_edit_hook();
        return jvm_log_expect(wanted);
    }
    if (kind != wanted || time != jvm_time())
        jvm_diverged("the execution asks for %s, the recording has %s of timestamp %llu", jvm_event_text(wanted),
                     jvm_event_text(kind), (unsigned long long)time);
    l.peeked = false;
    l.number = l.happened = l.next.number + 1;
    return true;
}

const void *jvm_log_take_bytes(size_t *nbytes)
{
    const void *bytes = ebb_values_bytes(&l.next.values, nbytes);
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
