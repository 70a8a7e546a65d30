#include "jvm/record/memory.h"

#include "jvm/classes/class.h"
#include "jvm/engine/frame.h"
#include "jvm/classes/loader.h"
#include "jvm/heap/offheap.h"
#include "jvm/record/internal.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

typedef struct window {
    char *at;
    size_t nbytes;
    char *copy; /* NULL in replay */
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

/* ---- replay ---- */

static bool is_readable(const char *at)
{
    char byte;
    return read_safely(&byte, at, 1);
}

void jvm_window_map(void *at, size_t nbytes)
{
    if (jvm_offheap_holds(at, nbytes) || jvm_window_holds(at, nbytes))
        return;
    uintptr_t from = (uintptr_t)at & ~(uintptr_t)4095, to = ((uintptr_t)at + nbytes + 4095) & ~(uintptr_t)4095;
    for (uintptr_t page = from; page < to; page += 4096) {
        void *p = mmap((void *)page, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        bool ours = p == (void *)page;
        if (!ours && (!jvm_replays_copy() || !is_readable((char *)page)) && !jvm_window_holds((char *)page, 1))
            jvm_diverged("memory of a native library at %p is in use here", (void *)page);
    }
    window w = {(char *)from, to - from, NULL};
    ebb_vec_push(&windows, w);
}

bool jvm_window_holds(const void *at, size_t nbytes)
{
    for (size_t i = 0; i < windows.n; i++) {
        const window *w = &windows.items[i];
        if ((const char *)at >= w->at && (const char *)at <= w->at + w->nbytes &&
            nbytes <= (size_t)(w->at + w->nbytes - (const char *)at))
            return true;
    }
    return false;
}
