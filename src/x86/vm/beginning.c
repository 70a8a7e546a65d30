/* beginning.c - what a recording begins with: what was run, all memory, all registers (x86/recorded.h). */
#include "base/file.h"
#include "time/recording_about.h"
#include "x86/cpu_features.h"
#include "x86/mappings.h"
#include "x86/regs.h"
#include "x86/ring.h"
#include "x86/vm/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096 };

/* ---- what was run ----------------------------------------------------------------------------- */

static char *link_of(pid_t pid, const char *name)
{
    char path[64], target[4096];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    ssize_t n = readlink(path, target, sizeof target - 1);
    return ebb_strndup(target, n > 0 ? (size_t)n : 0);
}

static void read_texts(pid_t pid, const char *name, ebb_texts *out)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    ebb_texts_read(out, path);
}

/* What the program was told of the CPU, so that another one can say what it lacks; and whether it may use every vector register. */
static void describe_cpu(const x86_vm *vm, ebb_texts *facts)
{
    ebb_buf fact = {0};
    x86_features_list(vm->tick == X86_TICK_VECTOR, &fact);
    char *cpu = ebb_asprintf("cpu=%s", ebb_buf_text(&fact));
    ebb_texts_push(facts, cpu);
    ebb_texts_push(facts, vm->tick == X86_TICK_VECTOR ? "tick=vector" : "tick=memory");
    free(cpu);
    ebb_buf_fini(&fact);
}

/* Who it is among those that were recorded with it. */
static void describe_process(const x86_vm *vm, ebb_texts *facts)
{
    struct { const char *name; long value; } all[] = {{"pid", vm->pid}, {"parent", vm->tree.parent}, {"program-number", vm->tree.image}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        char *fact = ebb_asprintf("%s=%ld", all[i].name, all[i].value);
        ebb_texts_push(facts, fact);
        free(fact);
    }
}

ebb_status vm_record_about(x86_vm *vm, ebb_recorder *rec, ebb_error *err)
{
    ebb_about about = {.machine = ebb_strdup("x86"), .machine_version = X86_RECORDED_VERSION, .began = time(NULL)};
    about.program = link_of(vm->pid, "exe");
    about.directory = link_of(vm->pid, "cwd");
    read_texts(vm->pid, "cmdline", &about.args);
    read_texts(vm->pid, "environ", &about.environment);
    describe_cpu(vm, &about.facts);
    describe_process(vm, &about.facts);
    if (vm->seed) {
        char *fact = ebb_asprintf("chaos=%s", vm->seed);
        ebb_texts_push(&about.facts, fact);
        free(fact);
    }
    ebb_status status = ebb_about_write(&about, rec, err);
    ebb_about_fini(&about);
    return status;
}

/* ---- memory ----------------------------------------------------------------------------------- */

/* As mmap would make it. */
typedef struct mapping {
    uint64_t lo, hi;
    unsigned protection, flags;
    const char *name;
} mapping;

static mapping mapping_of(const x86_mapping *m, const char *name)
{
    return (mapping){
        .lo = m->lo,
        .hi = m->hi,
        .protection = (m->readable ? PROT_READ : 0u) | (m->writable ? PROT_WRITE : 0u) | (m->executable ? PROT_EXEC : 0u),
        .flags = (m->shared ? MAP_SHARED : MAP_PRIVATE) | (*name == '/' ? 0u : MAP_ANONYMOUS) |
                 (strcmp(name, "[stack]") == 0 ? MAP_GROWSDOWN : 0u),
        .name = name,
    };
}

static ebb_status put_mapping(ebb_recorder *rec, uint64_t time, const mapping *m, ebb_error *err)
{
    ebb_recorder_begin(rec, X86_RECORDED_MAPPING, time);
    ebb_recorder_u64(rec, m->lo);
    ebb_recorder_u64(rec, m->hi);
    ebb_recorder_u64(rec, m->protection);
    ebb_recorder_u64(rec, m->flags);
    ebb_recorder_bytes(rec, m->name, strlen(m->name));
    return ebb_recorder_end(rec, err);
}

static ebb_status put_memory(ebb_recorder *rec, uint64_t time, uint64_t at, const uint8_t *bytes, size_t nbytes, ebb_error *err)
{
    ebb_recorder_begin(rec, X86_RECORDED_MEMORY, time);
    ebb_recorder_u64(rec, at);
    ebb_recorder_bytes(rec, bytes, nbytes);
    return ebb_recorder_end(rec, err);
}

static bool is_zero(const uint8_t *page)
{
    static const uint8_t zeros[PAGE];
    return memcmp(page, zeros, PAGE) == 0;
}

/* Beyond the end of a file there is nothing: its pages count as zeros. */
static void read_pages(x86_vm *vm, uint64_t at, uint8_t *bytes, size_t nbytes)
{
    if (machine_read(vm->native, at, bytes, nbytes, NULL) == EBB_OK)
        return;
    for (size_t i = 0; i < nbytes; i += PAGE)
        if (machine_read(vm->native, at + i, bytes + i, PAGE, NULL) != EBB_OK)
            memset(bytes + i, 0, PAGE);
}

/* Each run of pages that are not all zero. */
static ebb_status put_pages(ebb_recorder *rec, uint64_t time, uint64_t at, const uint8_t *bytes, size_t nbytes, ebb_error *err)
{
    for (size_t from = 0, to; from < nbytes; from = to) {
        for (to = from; to < nbytes && !is_zero(bytes + to); to += PAGE)
            ;
        if (to > from)
            EBB_TRY(put_memory(rec, time, at + from, bytes + from, to - from, err));
        else
            to += PAGE;
    }
    return EBB_OK;
}

static ebb_status put_contents(x86_vm *vm, ebb_recorder *rec, const mapping *m, ebb_error *err)
{
    static uint8_t piece[X86_RECORDED_MAX_PIECE];
    for (uint64_t at = m->lo; at < m->hi; at += sizeof piece) {
        size_t nbytes = m->hi - at < sizeof piece ? m->hi - at : sizeof piece;
        read_pages(vm, at, piece, nbytes);
        EBB_TRY(put_pages(rec, vm->time, at, piece, nbytes, err));
    }
    return EBB_OK;
}

/* The kernel's own pages, which nobody may read directly, are not the program's; nor are the runtime's. */
static bool is_kernels(const mapping *m)
{
    return strncmp(m->name, "[vvar", 5) == 0 || strcmp(m->name, "[vsyscall]") == 0;
}

/* The first part of [*lo, hi) that is not the runtime's; false: there is none. */
static bool next_gap(const x86_own *own, uint64_t *lo, uint64_t hi, uint64_t *end)
{
    *end = hi;
    for (uint64_t i = 0; i < own->n; i++) {
        const x86_range *r = &own->ranges[i];
        if (r->lo <= *lo && r->hi > *lo) {
            *lo = r->hi;
            i = (uint64_t)-1; /* from the first one again */
            *end = hi;
        } else if (r->lo > *lo && r->lo < *end) {
            *end = r->lo;
        }
    }
    return *lo < hi;
}

static ebb_status put_guests_part(x86_vm *vm, ebb_recorder *rec, const mapping *m, const x86_own *own, ebb_error *err)
{
    mapping part = *m;
    for (uint64_t at = m->lo; next_gap(own, &at, m->hi, &part.hi); at = part.hi) {
        part.lo = at;
        EBB_TRY(put_mapping(rec, vm->time, &part, err));
        EBB_TRY(put_contents(vm, rec, &part, err));
    }
    return EBB_OK;
}

/* With whom nobody knows: a child has what its parent had. */
static bool is_shared(const mapping *m, const x86_own *own)
{
    uint64_t lo = m->lo, end;
    return (m->flags & MAP_SHARED) && (m->protection & PROT_WRITE) && next_gap(own, &lo, m->hi, &end);
}

static ebb_status put_all_memory(x86_vm *vm, ebb_recorder *rec, const x86_own *own, ebb_error *err)
{
    x86_mappings all = x86_mappings_open(vm->pid);
    x86_mapping listed;
    const char *name;
    if (!all.file)
        return ebb_fail_errno(err, "can't read the list of the program's memory");
    ebb_status status = EBB_OK;
    while (status == EBB_OK && x86_mappings_next(&all, &listed, &name)) {
        mapping m = mapping_of(&listed, name);
        if (is_kernels(&m))
            continue;
        if (m.protection & PROT_EXEC)
            vm_embedded_note(&vm->recording.embedded, m.name, strlen(m.name));
        if (is_shared(&m, own))
            vm->recording.ring->shares = 1;
        status = put_guests_part(vm, rec, &m, own, err);
    }
    x86_mappings_close(&all);
    return status;
}

static ebb_status read_own(x86_vm *vm, x86_own *own, ebb_error *err)
{
    EBB_TRY(machine_read(vm->native, vm->exports.own, own, sizeof *own, err));
    return own->n <= X86_MAX_OWN ? EBB_OK : ebb_fail(err, EBB_BAD_FILE, "the runtime's list of its memory is broken");
}

/* ---- registers -------------------------------------------------------------------------------- */

static ebb_status put_thread(x86_vm *vm, ebb_recorder *rec, machine_tid tid, bool first, ebb_error *err)
{
    x86_task *task = vm_task(vm, tid);
    EBB_TRY(x86_regs_fetch_all(task, err));
    struct user_regs_struct regs = task->regs;
    EBB_TRY(vm_record_before_call(vm, vm_thread_find(vm, tid), &regs, err));
    ebb_recorder_begin(rec, X86_RECORDED_THREAD, vm->time);
    ebb_recorder_u64(rec, (uint64_t)tid);
    ebb_recorder_bytes(rec, &regs, sizeof regs);
    ebb_recorder_bytes(rec, task->xstate, x86_xstate_nbytes());
    ebb_recorder_u64(rec, first);
    ebb_recorder_u64(rec, vm_thread_find(vm, tid)->number);
    char name[X86_NAME_BYTES];
    x86_task_name(x86_of(vm->native), task, name, sizeof name);
    ebb_recorder_bytes(rec, name, strlen(name));
    return ebb_recorder_end(rec, err);
}

static void put_auxv(pid_t pid, ebb_recorder *rec)
{
    char path[64];
    ebb_buf auxv = {0};
    snprintf(path, sizeof path, "/proc/%d/auxv", (int)pid);
    if (ebb_file_read(path, &auxv, NULL) != EBB_OK)
        auxv.n = 0; /* modules will not be found; the rest is */
    ebb_recorder_bytes(rec, auxv.data, auxv.n);
    ebb_buf_fini(&auxv);
}

static uint64_t stack_limit(pid_t pid)
{
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    prlimit(pid, RLIMIT_STACK, NULL, &limit);
    return limit.rlim_cur;
}

static ebb_status put_doubt(x86_vm *vm, ebb_recorder *rec, uint64_t about, ebb_error *err)
{
    ebb_recorder_begin(rec, X86_RECORDED_DOUBT, vm->time);
    ebb_recorder_u64(rec, about);
    return ebb_recorder_end(rec, err);
}

/* What the runtime finds later, it notes itself. */
static ebb_status put_doubts(x86_vm *vm, ebb_recorder *rec, ebb_error *err)
{
    x86_ring *ring = vm->recording.ring;
    if (ring->shares)
        EBB_TRY(put_doubt(vm, rec, 0, err));
    if (ring->unknown_call)
        EBB_TRY(put_doubt(vm, rec, ring->unknown_call, err));
    ring->told_shares = ring->shares;
    ring->told_unknown = ring->unknown_call != 0;
    return EBB_OK;
}

ebb_status vm_record_beginning(x86_vm *vm, ebb_recorder *rec, ebb_error *err)
{
    static x86_own own;
    machine_tid first = vm_thread_find(vm, vm->last) ? vm->last : vm->threads.items[0].tid, by;
    uint64_t heap_end;
    EBB_TRY(vm_free_thread(vm, first, &by, err));
    EBB_TRY(vm_remote_syscall(vm, by, SYS_brk, (uint64_t[6]){0}, &heap_end, err));
    EBB_TRY(read_own(vm, &own, err));
    EBB_TRY(put_all_memory(vm, rec, &own, err));
    EBB_TRY(put_thread(vm, rec, first, true, err));
    for (size_t i = 0; i < vm->threads.n; i++)
        if (vm->threads.items[i].tid != first && !vm->threads.items[i].has_left)
            EBB_TRY(put_thread(vm, rec, vm->threads.items[i].tid, false, err));
    ebb_recorder_begin(rec, X86_RECORDED_BEGINNING, vm->time);
    ebb_recorder_u64(rec, X86_RECORDED_VERSION);
    ebb_recorder_u64(rec, (uint64_t)vm->pid);
    ebb_recorder_u64(rec, heap_end);
    ebb_recorder_u64(rec, x86_of(vm->native)->vdso);
    const char *program = vm->native->ops->program(vm->native);
    ebb_recorder_bytes(rec, program ? program : "", program ? strlen(program) : 0);
    put_auxv(vm->pid, rec);
    ebb_recorder_u64(rec, stack_limit(vm->pid));
    ebb_recorder_u64(rec, (uint64_t)vm->last);
    ebb_recorder_u64(rec, vm->n_numbers);
    EBB_TRY(ebb_recorder_end(rec, err));
    return put_doubts(vm, rec, err);
}
