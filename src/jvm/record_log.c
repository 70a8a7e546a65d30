/* The log of events as bytes: blocks in a file, each a length and whole events (RC3).  An event is its kind, the
 * timestamps since the one before, and its payload: numbers of 7 bits per byte, lowest first. */
#include "jvm/record.h"
#include "jvm/record_internal.h"

#include "base/buf.h"
#include "base/check.h"
#include "jvm/heap.h"
#include "jvm/loader.h"
#include "jvm/vm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 64 * 1024, MAX_BLOCK = 1 << 30 };

static struct {
    int fd;
    uint64_t block;     /* offset of the block being filled or read */
    uint64_t last_time; /* of the event before */
    ebb_buf out;        /* recording: the block being filled */
    uint8_t *in;        /* replaying: the block being read */
    size_t n, at, cap;
    bool peeked;        /* kind and time of the next event have been read */
    enum jvm_event kind;
    uint64_t time;
    bool full_disk;
} l = {.fd = -1};

static const char *const event_texts[] = {
    "the end of the recording",
#define JVM_EVENT(name, text) text,
#include "jvm/record_events.def"
#undef JVM_EVENT
};

const char *jvm_event_text(enum jvm_event kind) { return kind < JVM_NEVENTS ? event_texts[kind] : "nonsense"; }

/* ---- the file ---- */

ebb_status jvm_log_create(const char *path, ebb_error *err)
{
    l.fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    return l.fd < 0 ? ebb_fail_errno(err, "cannot record to %s", path) : EBB_OK;
}

ebb_status jvm_log_open(const char *path, ebb_error *err)
{
    l.fd = open(path, O_RDONLY | O_CLOEXEC);
    return l.fd < 0 ? ebb_fail_errno(err, "cannot open the recording %s", path) : EBB_OK;
}

static bool write_all(const void *bytes, size_t n, uint64_t at)
{
    while (n > 0) {
        ssize_t done = pwrite(l.fd, bytes, n, (off_t)at);
        if (done < 0 && errno != EINTR)
            return false;
        size_t step = done < 0 ? 0 : (size_t)done;
        bytes = (const char *)bytes + step;
        n -= step;
        at += step;
    }
    return true;
}

void jvm_log_flush(void)
{
    if (l.out.n == 0 || l.full_disk)
        return;
    uint32_t n = (uint32_t)l.out.n;
    if (!write_all(&n, sizeof n, l.block) || !write_all(l.out.data, n, l.block + sizeof n)) {
        fprintf(stderr, "ebb: the recording ends here: %s\n", strerror(errno));
        l.full_disk = true;
        return;
    }
    l.block += sizeof n + n;
    ebb_buf_truncate(&l.out, 0);
}

static bool read_block(void)
{
    uint32_t n;
    if (pread(l.fd, &n, sizeof n, (off_t)l.block) != sizeof n || n == 0 || n > MAX_BLOCK)
        return false;
    if (n > l.cap) {
        l.in = ebb_realloc(l.in, n);
        l.cap = n;
    }
    for (size_t got = 0; got < n;) {
        ssize_t done = pread(l.fd, l.in + got, n - got, (off_t)(l.block + sizeof n + got));
        if (done <= 0)
            return false;
        got += (size_t)done;
    }
    l.n = n;
    l.at = 0;
    return true;
}

/* Makes the block at l.block the one being read, from byte `at` on. */
static bool enter_block(size_t at)
{
    if (!read_block())
        return false;
    l.at = at;
    return at <= l.n;
}

/* ---- cursors ---- */

jvm_cursor jvm_record_cursor(void)
{
    if (jvm_is_replaying())
        return (jvm_cursor){l.block, (uint32_t)l.at, l.last_time};
    return (jvm_cursor){l.block, (uint32_t)l.out.n, l.last_time};
}

void jvm_log_seek(jvm_cursor to)
{
    ebb_buf_truncate(&l.out, 0);
    l.block = to.block;
    l.last_time = to.time;
    l.peeked = false;
    l.n = l.at = 0;
    if (!enter_block(to.at))
        l.n = l.at = 0;
}

/* ---- writing ---- */

void jvm_log_u(uint64_t v)
{
    char bytes[10];
    size_t n = 0;
    for (; v >= 0x80; v >>= 7)
        bytes[n++] = (char)(v | 0x80);
    bytes[n++] = (char)v;
    ebb_buf_add(&l.out, bytes, n);
}

void jvm_log_s(int64_t v) { jvm_log_u((uint64_t)v << 1 ^ (uint64_t)(v >> 63)); }

void jvm_log_event(enum jvm_event kind)
{
    uint64_t now = jvm_time();
    ebb_buf_addc(&l.out, (char)kind);
    jvm_log_u(now - l.last_time);
    l.last_time = now;
}

void jvm_log_end(void)
{
    if (l.out.n >= BLOCK)
        jvm_log_flush();
}

void jvm_log_bytes(const void *bytes, size_t n)
{
    jvm_log_u(n);
    ebb_buf_add(&l.out, bytes, n);
}

void jvm_log_text(const char *text)
{
    size_t n = text == NULL ? 0 : strlen(text) + 1;
    jvm_log_bytes(text == NULL ? "" : text, n);
}

void jvm_log_object(const jvm_obj *o) { jvm_log_u((uintptr_t)o / JVM_OBJECT_ALIGN); }
void jvm_log_class(const jvm_class *cls) { jvm_log_u(cls == NULL ? 0 : cls->serial); }

void jvm_log_method(const jvm_method *m)
{
    jvm_log_class(m->cls);
    jvm_log_u(m->slot);
}

/* ---- reading ---- */

static uint8_t take_byte(void)
{
    if (l.at >= l.n)
        jvm_diverged("the recording is damaged: an event is cut short");
    return l.in[l.at++];
}

uint64_t jvm_log_take_u(void)
{
    uint64_t v = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        uint8_t b = take_byte();
        v |= (uint64_t)(b & 0x7f) << shift;
        if (b < 0x80)
            return v;
    }
    jvm_diverged("the recording is damaged: a number is too long");
}

int64_t jvm_log_take_s(void)
{
    uint64_t v = jvm_log_take_u();
    return (int64_t)(v >> 1 ^ -(v & 1));
}

static bool next_block(void)
{
    if (l.n > 0) {
        l.block += sizeof(uint32_t) + l.n;
        l.n = l.at = 0;
    }
    return enter_block(0);
}

enum jvm_event jvm_log_peek(uint64_t *time)
{
    while (!l.peeked) {
        if (l.at >= l.n && !next_block())
            return JVM_EVENT_NONE;
        uint8_t kind = take_byte();
        l.time = l.last_time += jvm_log_take_u();
        if (kind == JVM_EVENT_NONE || kind >= JVM_NEVENTS)
            jvm_diverged("the recording is damaged: there is no event of kind %u", kind);
        l.kind = kind;
        l.peeked = kind != JVM_EVENT_MARK;
    }
    if (time != NULL)
        *time = l.time;
    return l.kind;
}

bool jvm_log_expect(enum jvm_event wanted)
{
    uint64_t time = 0;
    enum jvm_event kind = jvm_log_peek(&time);
    if (kind == JVM_EVENT_NONE) {
        jvm_history_end_hook();
        ebb_check(!jvm_is_replaying());
        return false;
    }
    if (kind != wanted || time != jvm_time())
        jvm_diverged("the execution asks for %s, the recording has %s of timestamp %llu", jvm_event_text(wanted),
                     jvm_event_text(kind), (unsigned long long)time);
    l.peeked = false;
    return true;
}

void jvm_log_skip_peeked(void) { l.peeked = false; }

const void *jvm_log_take_bytes(size_t *nbytes)
{
    uint64_t n = jvm_log_take_u();
    if (n > l.n - l.at)
        jvm_diverged("the recording is damaged: bytes are cut short");
    const void *bytes = l.in + l.at;
    l.at += n;
    *nbytes = n;
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
