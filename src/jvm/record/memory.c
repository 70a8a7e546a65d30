/* memory.c - what native code wrote to memory that Java sees is found by comparing, and written down. */
#include "jvm/record/memory.h"

#include "jvm/classes/class.h"
#include "jvm/engine/frame.h"
#include "jvm/classes/loader.h"
#include "jvm/heap/offheap.h"
#include "jvm/heap/region.h"
#include "jvm/record/outside.h"
#include "jvm/record/internal.h"

#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

typedef struct window {
    char *at;
    size_t nbytes;
    char *copy;
} window;
static EBB_VEC(window) windows;

static bool in_program_native(const jvm_thread *t)
{
    const jvm_frame *f = t->frame;
    return f != NULL && f->kind == JVM_FRAME_NATIVE && f->method->cls->loader->object != NULL;
}

/* A library may have freed its memory: the kernel looks, not we. */
static bool read_safely(char *to, const char *from, size_t nbytes)
{
    struct iovec local = {to, nbytes}, remote = {(void *)from, nbytes};
    return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)nbytes;
}

static void forget(size_t i)
{
    free(windows.items[i].copy);
    ebb_vec_remove(&windows, i);
}

const void *jvm_window_add(void *at, size_t nbytes)
{
    for (size_t i = 0; i < windows.n; i++)
        if (windows.items[i].at == at && windows.items[i].nbytes == nbytes)
            return windows.items[i].copy;
    window w = {at, nbytes, ebb_alloc(nbytes + 1)};
    if (nbytes == 0 || !read_safely(w.copy, at, nbytes)) {
        free(w.copy);
        return NULL;
    }
    ebb_vec_push(&windows, w);
    return w.copy;
}

void jvm_windows_enter(const jvm_thread *t)
{
    if (windows.n == 0 || !in_program_native(t))
        return;
    for (size_t i = windows.n; i-- > 0;)
        if (read_safely(windows.items[i].copy, windows.items[i].at, windows.items[i].nbytes))
            jvm_offheap_keep(windows.items[i].at, windows.items[i].nbytes); /* the native may write to it */
        else
            forget(i);
}

static void log_difference(window *w, const char *now)
{
    size_t start = 0, end = w->nbytes;
    while (start < end && now[start] == w->copy[start])
        start++;
    while (end > start && now[end - 1] == w->copy[end - 1])
        end--;
    jvm_record_raw(w->at + start, now + start, end - start);
}

void jvm_windows_leave(const jvm_thread *t)
{
    if (windows.n == 0 || !in_program_native(t))
        return;
    for (size_t i = windows.n; i-- > 0;) {
        window *w = &windows.items[i];
        char *now = ebb_alloc(w->nbytes + 1);
        if (!read_safely(now, w->at, w->nbytes)) {
            free(now);
            forget(i);
            continue;
        }
        log_difference(w, now);
        free(w->copy);
        w->copy = now;
    }
}

/* ---- foreign memory ---- */

typedef struct shared_buffer {
    uintptr_t at;
    size_t nbytes;
} shared_buffer;
static EBB_VEC(shared_buffer) shared; /* WM3 */

void jvm_window_note(const void *at, size_t nbytes)
{
    for (size_t i = 0; i < shared.n; i++)
        if (shared.items[i].at == (uintptr_t)at && shared.items[i].nbytes >= nbytes)
            return;
    ebb_vec_push(&shared, ((shared_buffer){(uintptr_t)at, nbytes}));
}

bool jvm_memory_is_foreign(const void *at, size_t nbytes)
{
    uintptr_t first = (uintptr_t)at;
    if (first >= JVM_REGION_FIRST && first < JVM_REGION_END)
        return false;
    for (size_t i = 0; i < shared.n; i++)
        if (first >= shared.items[i].at && first - shared.items[i].at + nbytes <= shared.items[i].nbytes)
            return false;
    return true;
}

void jvm_foreign_read(void *to, const void *at, size_t nbytes)
{
    for (size_t done = 0; done < nbytes; done += JVM_LOG_STEP) {
        size_t n = nbytes - done < JVM_LOG_STEP ? nbytes - done : JVM_LOG_STEP;
        if (jvm_is_replaying() && jvm_log_expect(EBB_EVENT_BYTES)) {
            jvm_outside_take_bytes(JVM_OUTSIDE_MEMORY, (char *)to + done, n);
        } else {
            memcpy((char *)to + done, (const char *)at + done, n);
            jvm_outside_note_bytes(JVM_OUTSIDE_MEMORY, (char *)to + done, (int64_t)n);
        }
    }
}

void jvm_foreign_write(void *at, const void *from, size_t nbytes)
{
    if (!jvm_is_replaying())
        memcpy(at, from, nbytes);
}

/* ---- replay ---- */

/* WM2.  The newest comes last: a library may hand out the same memory again, or parts of it. */
typedef struct shadow {
    uintptr_t at;
    size_t nbytes;
    char *bytes;
} shadow;
static EBB_VEC(shadow) shadows;

void jvm_window_shadow(void *at, size_t nbytes)
{
    if (jvm_offheap_holds(at, nbytes))
        return;
    for (size_t i = 0; i < shadows.n; i++) {
        shadow same = shadows.items[i];
        if (same.at != (uintptr_t)at || same.nbytes != nbytes)
            continue;
        ebb_vec_remove(&shadows, i);
        ebb_vec_push(&shadows, same);
        return;
    }
    ebb_vec_push(&shadows, ((shadow){(uintptr_t)at, nbytes, ebb_zalloc(nbytes + 1)}));
}

void *jvm_window_find(void *at, size_t nbytes)
{
    for (size_t i = shadows.n; i-- > 0;) {
        const shadow *x = &shadows.items[i];
        if ((uintptr_t)at >= x->at && (uintptr_t)at - x->at + nbytes <= x->nbytes)
            return x->bytes + ((uintptr_t)at - x->at);
    }
    return at;
}

bool jvm_window_holds(const void *at, size_t nbytes)
{
    if (jvm_window_find((void *)at, nbytes) != at)
        return true;
    for (size_t i = 0; i < windows.n; i++) {
        const window *w = &windows.items[i];
        if ((const char *)at >= w->at && (const char *)at <= w->at + w->nbytes &&
            nbytes <= (size_t)(w->at + w->nbytes - (const char *)at))
            return true;
    }
    return false;
}
