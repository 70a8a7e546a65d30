/* install.c - maps the runtime's memory in the debuggee, writes the image there and calls its beginning. */
#include "x86/vm/private.h"
#include "x86/inside/runtime.h"
#include "x86/page.h"

#include <cpuid.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#ifndef HWCAP2_FSGSBASE
#define HWCAP2_FSGSBASE (1 << 1)
#endif

/* A wish for the kernel: far from where it puts the program's own mappings, so that these come to lie where they
 * would natively. */
static uint64_t vm_home(x86_vm *vm, size_t nbytes)
{
    uint64_t at = X86_HOME_OUTSIDE + vm->home_used;
    vm->home_used += (nbytes + 0xffff) & ~(uint64_t)0xffff;
    return at;
}

/* OW1 */
static ebb_status own(x86_vm *vm, uint64_t lo, uint64_t hi, ebb_error *err)
{
    uint64_t n, table = vm->exports.own;
    x86_range range = {lo, hi};
    EBB_TRY(machine_read(vm->native, table + offsetof(x86_own, n), &n, sizeof n, err));
    if (n >= X86_MAX_OWN)
        return ebb_fail(err, EBB_SYSTEM, "VM mode uses too many pieces of the program's memory");
    EBB_TRY(machine_write(vm->native, table + offsetof(x86_own, ranges) + n * sizeof range, &range, sizeof range, err));
    return vm_poke_u64(vm, table + offsetof(x86_own, n), n + 1, err);
}

static ebb_status map_pages(x86_vm *vm, machine_tid tid, size_t nbytes, int protection, uint64_t *address, ebb_error *err)
{
    uint64_t args[6] = {vm_home(vm, nbytes), nbytes, (uint64_t)protection, MAP_PRIVATE | MAP_ANONYMOUS, (uint64_t)-1, 0};
    EBB_TRY(vm_free_thread(vm, tid, &tid, err));
    EBB_TRY(vm_remote_syscall(vm, tid, SYS_mmap, args, address, err));
    if (*address >= (uint64_t)-4095)
        return ebb_fail(err, EBB_SYSTEM, "the program has no room for the runtime of VM mode");
    uint64_t ignored, no_dump[6] = {*address, nbytes, MADV_DONTDUMP}; /* a core that the kernel writes is the program's */
    return vm_remote_syscall(vm, tid, SYS_madvise, no_dump, &ignored, err);
}

/* Fresh pages in the debuggee. */
ebb_status vm_map_pages(x86_vm *vm, machine_tid tid, size_t nbytes, int protection, uint64_t *address, ebb_error *err)
{
    nbytes = x86_page_up(nbytes);
    EBB_TRY(map_pages(vm, tid, nbytes, protection, address, err));
    return own(vm, *address, *address + nbytes, err);
}

/* AVX-512 with 128-bit vectors: the counter may live in a register that the program is told it has not.  EBB_TICK=memory
 * asks for what other CPUs do. */
static x86_tick best_tick(void)
{
    unsigned a, b, c, d;
    bool vl = __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & 1u << 16) && (b & 1u << 31);
    const char *wish = getenv("EBB_TICK");
    return vl && !(wish && strcmp(wish, "memory") == 0) ? X86_TICK_VECTOR : X86_TICK_MEMORY;
}

static ebb_status check_cpu(ebb_error *err)
{
    if (getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE)
        return EBB_OK;
    return ebb_fail(err, EBB_UNSUPPORTED, "VM mode needs a CPU and kernel with the fsgsbase instructions; use native mode");
}

static ebb_status put_image(x86_vm *vm, machine_tid tid, x86_inside_image *image, ebb_error *err)
{
    size_t nbytes = x86_page_up(image->nbytes);
    EBB_TRY(map_pages(vm, tid, nbytes, PROT_READ | PROT_WRITE | PROT_EXEC, &vm->image_lo, err));
    vm->image_hi = vm->image_lo + nbytes;
    EBB_TRY(x86_inside_image_link(image, vm->image_lo, err));
    EBB_TRY(machine_write(vm->native, vm->image_lo, image->bytes, image->nbytes, err));
    return machine_read(vm->native, image->table, &vm->exports, sizeof vm->exports, err);
}

static ebb_status load_image(x86_vm *vm, machine_tid tid, ebb_error *err)
{
    x86_inside_image image;
    EBB_TRY(x86_inside_image_load(&image, err));
    ebb_status status = put_image(vm, tid, &image, err);
    x86_inside_image_fini(&image);
    if (status == EBB_OK && vm->exports.version != X86_SHARED_VERSION)
        status = ebb_fail(err, EBB_BAD_FILE, "the runtime and ebb are of different versions");
    return status == EBB_OK ? own(vm, vm->image_lo, vm->image_hi, err) : status;
}

/* Looks at the auxiliary vector of a program that has not begun yet, after the arguments and the environment on the stack:
 * where the entry of the vdso is, and the vdso itself.  At any other moment the stack does not look like this (*is_start). */
static ebb_status find_vdso(x86_vm *vm, machine_tid tid, bool *is_start, uint64_t *entry_at, uint64_t *vdso, ebb_error *err)
{
    enum { MAX_WORDS = 1 << 16 };
    uint64_t at, word = 0, entry[2] = {0};
    *is_start = false;
    *entry_at = 0;
    EBB_TRY(vm_get(vm, tid, VM_REG(rsp), &at, err));
    for (int zeros = 0, n = 0; zeros < 2; at += 8, n++) {
        if (n == MAX_WORDS || machine_read(vm->native, at, &word, sizeof word, NULL) != EBB_OK)
            return EBB_OK;
        zeros += n > 0 && word == 0;
    }
    do {
        if (machine_read(vm->native, at, entry, sizeof entry, NULL) != EBB_OK)
            return EBB_OK;
        if (entry[0] == AT_SYSINFO_EHDR) {
            *entry_at = at;
            *vdso = entry[1];
        }
        *is_start = *is_start || (entry[0] == AT_ENTRY && entry[1] == vm->native->native->entry(vm->native));
        at += sizeof entry;
    } while (entry[0] != AT_NULL && entry[0] < 256);
    return EBB_OK;
}

/* A vdso that can't be tamed is not there: its entry in the auxiliary vector is one to be ignored. */
static ebb_status tame_or_hide_vdso(x86_vm *vm, machine_tid tid, bool *is_start, ebb_error *err)
{
    uint64_t entry_at, vdso;
    bool tamed;
    EBB_TRY(find_vdso(vm, tid, is_start, &entry_at, &vdso, err));
    if (!*is_start || !entry_at)
        return EBB_OK;
    EBB_TRY(vm_tame_vdso(vm, vdso, &tamed, err));
    vm->tamed_vdso = tamed ? vdso : 0;
    return tamed ? EBB_OK : vm_poke_u64(vm, entry_at, AT_IGNORE, err);
}

ebb_status vm_install_runtime(x86_vm *vm, machine_tid tid, ebb_error *err)
{
    EBB_TRY(check_cpu(err));
    EBB_TRY(load_image(vm, tid, err));
    uint64_t stack, failed;
    enum { STACK = 65536 };
    vm->tick = vm->has_wide_vectors ? X86_TICK_MEMORY : best_tick();
    EBB_TRY(vm_map_pages(vm, tid, vm->exports.runtime_nbytes, PROT_READ | PROT_WRITE, &vm->runtime, err));
    EBB_TRY(vm_map_pages(vm, tid, STACK, PROT_READ | PROT_WRITE, &stack, err));
    vm_call start = {.function = vm->exports.start, .stack = stack + STACK, .args = {vm->runtime, vm->tick}};
    EBB_TRY(vm_remote_call(vm, tid, &start, &failed, err));
    if (failed)
        return ebb_fail(err, EBB_SYSTEM, "the runtime of VM mode found no memory below 2 GB");
    vm->installed = true;
    return EBB_OK;
}

ebb_status vm_install(x86_vm *vm, machine_tid tid, ebb_error *err)
{
    bool is_start;
    EBB_TRY(tame_or_hide_vdso(vm, tid, &is_start, err));
    EBB_TRY(vm_install_runtime(vm, tid, err));
    EBB_TRY(vm_poke_u64(vm, vm->runtime + offsetof(x86_runtime, is_from_start), is_start, err));
    EBB_TRY(vm_poke_u64(vm, vm->runtime + offsetof(x86_runtime, tamed_vdso), vm->tamed_vdso, err));
    return vm_poke_u64(vm, vm->runtime + offsetof(x86_runtime, tamed_vdso_nbytes), vm->tamed_vdso ? VM_VDSO_MAX : 0, err);
}

ebb_status vm_thread_prepare(x86_vm *vm, vm_thread *thread, ebb_error *err)
{
    uint64_t region, ignored;
    machine_tid by = vm_task(vm, thread->tid)->host ? thread->tid : vm_task_aboard(vm)->tid;
    if (vm->spare_regions.n)
        region = vm->spare_regions.items[--vm->spare_regions.n];
    else
        EBB_TRY(vm_map_pages(vm, by, vm->exports.region_nbytes, PROT_READ | PROT_WRITE, &region, err));
    vm_call new_thread = {.function = vm->exports.new_thread, .stack = region + vm->exports.region_nbytes, .args = {vm->runtime, region}};
    EBB_TRY(vm_remote_call(vm, by, &new_thread, &ignored, err));
    thread->tcb = region;
    if (!vm->replaying)
        x86_task_name(x86_of(vm->native), vm_task(vm, thread->tid), thread->name, sizeof thread->name);
    return machine_write(vm->native, region + offsetof(x86_tcb, name), thread->name, sizeof thread->name, err);
}
