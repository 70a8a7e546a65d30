/* tls.c - where a thread keeps a module's thread-local variables.
 *
 * glibc's loader gives each module with such variables a number and, if it was there at the start, a
 * fixed distance below the thread pointer (fs_base).  Blocks of modules that came later are found through
 * the thread's vector (dtv), whose entries are made on first use.  Where the loader's record keeps the
 * two differs between versions; libc says it in data made for libthread_db: { bits, count, offset }. */
#include "x86/image.h"
#include "x86/memory.h"
#include "x86/modules.h"
#include "x86/regs.h"
#include "x86/tasks.h"
#include "base/text.h"

#include <string.h>

enum { DTV_POINTER = 8 /* in the thread control block */, DTV_ENTRY = 16 };

static const machine_module *find_libc(const x86_process *p)
{
    for (size_t i = 0; i < p->modules.n; i++)
        if (ebb_text_starts(ebb_path_base(p->modules.items[i].path), "libc.so") ||
            ebb_text_starts(ebb_path_base(p->modules.items[i].path), "libc-"))
            return &p->modules.items[i];
    return NULL;
}

/* A field of the loader's record, where libc says it is. */
static bool read_field(x86_process *p, const machine_module *module, const char *description, uint64_t *value)
{
    const machine_module *libc = find_libc(p);
    uint32_t described[3];
    uint64_t at;
    return libc && x86_image_symbol(libc->path, description, &at) &&
           x86_read_raw(p, libc->bias + at, described, sizeof described) == sizeof described &&
           described[0] == 64 && x86_read_u64(p, module->link_map + described[2], value);
}

/* A static executable has one block, right below the thread pointer. */
static ebb_status find_static(x86_process *p, uint64_t tp, const machine_module *module, uint64_t *block, ebb_error *err)
{
    x86_image image;
    const Elf64_Phdr *tls = NULL;
    if (x86_image_from_memory(p, module->lo, &image) || x86_image_from_file(module->path, &image))
        tls = x86_image_find(&image, PT_TLS);
    if (!tls)
        return ebb_fail(err, EBB_UNAVAILABLE, "%s has no thread-local variables", module->path);
    uint64_t align = tls->p_align ? tls->p_align : 1;
    *block = tp - ((tls->p_memsz + align - 1) & ~(align - 1));
    return EBB_OK;
}

static ebb_status find_in_vector(x86_process *p, uint64_t tp, const machine_module *module, uint64_t *block, ebb_error *err)
{
    uint64_t number, vector, length;
    if (!read_field(p, module, "_thread_db_link_map_l_tls_modid", &number))
        return ebb_fail(err, EBB_UNSUPPORTED, "this C library doesn't tell where thread-local variables are");
    if (number == 0)
        return ebb_fail(err, EBB_UNAVAILABLE, "%s has no thread-local variables", module->path);
    if (!x86_read_u64(p, tp + DTV_POINTER, &vector) || vector == 0)
        return ebb_fail(err, EBB_UNAVAILABLE, "the thread-local variables of this thread are not set up yet");
    /* vector[-1] holds its length; it grows when a newer module is first used. */
    bool there = x86_read_u64(p, vector - DTV_ENTRY, &length) && number <= length &&
                 x86_read_u64(p, vector + number * DTV_ENTRY, block) && *block != 0 && *block != UINT64_MAX;
    if (!there)
        return ebb_fail(err, EBB_UNAVAILABLE, "this thread has not used the thread-local variables of %s yet", module->path);
    return EBB_OK;
}

ebb_status x86_tls_block(machine *m, machine_tid tid, const machine_module *module, uint64_t *block, ebb_error *err)
{
    x86_process *p = x86_of(m);
    ebb_status status = x86_check_alive(p, err);
    if (status != EBB_OK)
        return status;
    x86_task *t = x86_task_get(p, (pid_t)tid);
    const struct user_regs_struct *r = t && t->state == X86_STOPPED ? x86_regs_get(t, NULL) : NULL;
    if (!r)
        return ebb_fail(err, EBB_NOT_FOUND, "There is no thread %lld.", (long long)tid);
    if (r->fs_base == 0)
        return ebb_fail(err, EBB_UNAVAILABLE, "the thread-local variables of this thread are not set up yet");
    if (module->link_map == 0)
        return find_static(p, r->fs_base, module, block, err);
    uint64_t distance;
    if (read_field(p, module, "_thread_db_link_map_l_tls_offset", &distance) && (int64_t)distance > 0) {
        *block = r->fs_base - distance;
        return EBB_OK;
    }
    return find_in_vector(p, r->fs_base, module, block, err);
}
