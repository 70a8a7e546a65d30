/* begun.c - reads the events that a recording begins with. */
#include "x86/vm/begun.h"
#include "x86/recorded.h"
#include "x86/regs.h"
#include "x86/shared.h"

#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, MAX_MAPPINGS = 1 << 20, MAX_THREADS = 1 << 16, MAX_AUXV = 1 << 16 };

static ebb_status damaged(ebb_error *err)
{
    return ebb_fail(err, EBB_BAD_FILE, "the beginning of the recording is damaged");
}

static uint8_t *take_bytes(ebb_values *v, size_t most, size_t *n)
{
    const uint8_t *bytes = ebb_values_bytes(v, n);
    if (!bytes || *n > most)
        return NULL;
    uint8_t *own = ebb_alloc(*n + 1);
    memcpy(own, bytes, *n);
    own[*n] = '\0';
    return own;
}

/* ---- one event each --------------------------------------------------------------------------- */

static ebb_status read_mapping(vm_begun *b, ebb_values *v, ebb_error *err)
{
    uint64_t lo = ebb_values_u64(v), hi = ebb_values_u64(v), protection = ebb_values_u64(v), flags = ebb_values_u64(v);
    uint64_t before = b->memory.n ? b->memory.items[b->memory.n - 1].hi : PAGE;
    if (v->is_bad || lo < before || hi <= lo || hi > X86_USER_END || (lo | hi) % PAGE || b->memory.n == MAX_MAPPINGS)
        return damaged(err);
    x86_stub_memory m = {lo, hi, (int)protection & (PROT_READ | PROT_WRITE | PROT_EXEC), (flags & MAP_GROWSDOWN) != 0};
    ebb_vec_push(&b->memory, m);
    return EBB_OK;
}

static ebb_status read_thread(vm_begun *b, ebb_values *v, ebb_error *err)
{
    vm_begun_thread t = {.tid = (pid_t)ebb_values_u64(v)};
    size_t n;
    const uint8_t *regs = ebb_values_bytes(v, &n);
    if (!regs || n != sizeof t.regs || t.tid <= 0 || b->threads.n == MAX_THREADS)
        return damaged(err);
    memcpy(&t.regs, regs, sizeof t.regs);
    t.vectors = take_bytes(v, X86_XSTATE_MAX, &t.n_vectors);
    if (!t.vectors)
        return damaged(err);
    (void)ebb_values_u64(v);
    t.number = (uint32_t)ebb_values_u64(v);
    const uint8_t *name = ebb_values_bytes(v, &n);
    if (name)
        memcpy(t.name, name, n < sizeof t.name ? n : sizeof t.name - 1);
    ebb_vec_push(&b->threads, t);
    return EBB_OK;
}

static ebb_status read_rest(vm_begun *b, const ebb_event *event, ebb_error *err)
{
    ebb_values v = event->values;
    size_t n;
    uint64_t version = ebb_values_u64(&v);
    if (version != X86_RECORDED_VERSION)
        return ebb_fail(err, EBB_UNSUPPORTED, "the recording has version %llu of the events of native programs, and this ebb knows version %d",
                        (unsigned long long)version, (int)X86_RECORDED_VERSION);
    b->pid = (pid_t)ebb_values_u64(&v);
    b->brk = ebb_values_u64(&v);
    b->vdso = ebb_values_u64(&v);
    b->program = (char *)take_bytes(&v, 1 << 16, &n);
    b->auxv = take_bytes(&v, MAX_AUXV, &b->n_auxv);
    b->stack_limit = ebb_values_u64(&v);
    b->last = (pid_t)ebb_values_u64(&v);
    b->n_numbers = (uint32_t)ebb_values_u64(&v);
    b->time = event->timestamp;
    b->number = event->number + 1;
    return v.is_bad || !b->program || !b->auxv || !b->threads.n ? damaged(err) : EBB_OK;
}

/* ---- all of them ------------------------------------------------------------------------------ */

ebb_status vm_begun_read(ebb_recording *r, vm_begun *out, ebb_error *err)
{
    ebb_event event;
    *out = (vm_begun){0};
    EBB_TRY(ebb_recording_seek(r, 0, err));
    for (;;) {
        ebb_status status = ebb_recording_next(r, &event, err);
        if (status == EBB_NO_HISTORY)
            return ebb_fail(err, EBB_BAD_FILE, "the recording ends before the program has begun");
        EBB_TRY(status);
        switch (event.kind) {
        case X86_RECORDED_MAPPING: EBB_TRY(read_mapping(out, &event.values, err)); break;
        case X86_RECORDED_THREAD: EBB_TRY(read_thread(out, &event.values, err)); break;
        case X86_RECORDED_MEMORY: break;
        case X86_RECORDED_BEGINNING: return read_rest(out, &event, err);
        default: return damaged(err);
        }
    }
}

ebb_status vm_begun_each_piece(const vm_begun *b, ebb_recording *r, vm_begun_piece *each, void *self, ebb_error *err)
{
    EBB_TRY(ebb_recording_seek(r, 0, err));
    for (uint64_t number = 0; number < b->number; number++) {
        ebb_event event;
        EBB_TRY(ebb_recording_next(r, &event, err));
        if (event.kind != X86_RECORDED_MEMORY)
            continue;
        size_t n;
        uint64_t at = ebb_values_u64(&event.values);
        const uint8_t *bytes = ebb_values_bytes(&event.values, &n);
        EBB_TRY(bytes ? each(self, at, bytes, n, err) : damaged(err));
    }
    return EBB_OK;
}

void vm_begun_fini(vm_begun *b)
{
    for (size_t i = 0; i < b->threads.n; i++)
        free(b->threads.items[i].vectors);
    ebb_vec_fini(&b->threads);
    ebb_vec_fini(&b->memory);
    free(b->program);
    free(b->auxv);
    *b = (vm_begun){0};
}
