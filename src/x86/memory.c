/* memory.c - reads past the points that stand in the code, and writes under them. */
#include "x86/memory.h"
#include "x86/core.h"
#include "x86/points.h"
#include "x86/tasks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PAGE = 4096 };

int x86_memory_open_of(pid_t pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
    return open(path, O_RDWR | O_CLOEXEC);
}

ebb_status x86_memory_open(x86_process *p, ebb_error *err)
{
    if (p->mem >= 0)
        close(p->mem);
    p->mem = x86_memory_open_of(x86_any_tid(p));
    if (p->mem < 0)
        return ebb_fail_errno(err, "can't open the memory of process %d", (int)p->pid);
    return EBB_OK;
}

/* The fast way; it respects protections, and stops at the first page that can't be read. */
static size_t read_quickly(x86_process *p, uint64_t addr, void *bytes, size_t nbytes)
{
    x86_task *t = x86_task_first_alive(p);
    if (!t)
        return 0;
    struct iovec local = {bytes, nbytes}, remote = {(void *)addr, nbytes};
    ssize_t n = process_vm_readv(t->host, &local, 1, &remote, 1, 0);
    return n > 0 ? (size_t)n : 0;
}

/* The thorough way, which also reaches pages without read permission. */
static size_t read_thoroughly(x86_process *p, uint64_t addr, void *bytes, size_t nbytes)
{
    size_t done = 0;
    while (done < nbytes) {
        ssize_t n = pread(p->mem, (char *)bytes + done, nbytes - done, (off_t)(addr + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    return done;
}

size_t x86_read_raw(x86_process *p, uint64_t addr, void *bytes, size_t nbytes)
{
    if (nbytes == 0 || addr + nbytes < addr)
        return 0;
    if (p->core)
        return x86_core_read(p->core, addr, bytes, nbytes);
    size_t done = read_quickly(p, addr, bytes, nbytes);
    if (done < nbytes)
        done += read_thoroughly(p, addr + done, (char *)bytes + done, nbytes - done);
    return done;
}

/* Where the kernel doesn't let /proc/PID/mem write to protected pages, ptrace itself still may. */
static bool poke(x86_process *p, uint64_t addr, const uint8_t *bytes, size_t nbytes)
{
    x86_task *t = x86_task_first_alive(p);
    for (size_t done = 0; t && done < nbytes;) {
        uint64_t at = (addr + done) & ~7ull, word;
        if (x86_read_raw(p, at, &word, sizeof word) != sizeof word)
            return false;
        for (size_t i = (addr + done) - at; i < 8 && done < nbytes; i++, done++)
            ((uint8_t *)&word)[i] = bytes[done];
        if (ptrace(PTRACE_POKEDATA, t->host, at, word) != 0)
            return false;
    }
    return t != NULL;
}

bool x86_write_raw(x86_process *p, uint64_t addr, const void *bytes, size_t nbytes)
{
    size_t done = 0;
    while (done < nbytes) {
        ssize_t n = pwrite(p->mem, (const char *)bytes + done, nbytes - done, (off_t)(addr + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return poke(p, addr + done, (const uint8_t *)bytes + done, nbytes - done);
        done += (size_t)n;
    }
    return true;
}

static ebb_status fail_at(x86_process *p, uint64_t addr, ebb_error *err)
{
    char state = p->core ? 'X' : x86_proc_state(x86_any_tid(p)); /* XC1 */
    if (p->gone || state == 0 || state == 'Z')
        return ebb_fail(err, EBB_GONE, "The program is not running any more.");
    return ebb_fail(err, EBB_NO_MEMORY_AT, "Cannot access memory at address 0x%llx", (unsigned long long)addr);
}

/* XM1 */
static void hide_sites(const x86_process *p, uint64_t addr, uint8_t *bytes, size_t nbytes)
{
    for (size_t i = x86_site_lower_bound(p, addr); i < p->sites.n; i++) {
        const x86_site *site = &p->sites.items[i];
        if (site->addr - addr >= nbytes)
            break;
        if (site->inserted)
            bytes[site->addr - addr] = site->original;
    }
}

ebb_status x86_read(machine *m, uint32_t space, machine_addr addr, void *bytes, size_t nbytes, ebb_error *err)
{
    x86_process *p = x86_of(m);
    ebb_status status = x86_check_alive(p, err);
    if (status != EBB_OK || nbytes == 0)
        return status;
    size_t done = x86_read_raw(p, addr, bytes, nbytes);
    if (done < nbytes)
        return fail_at(p, addr + done, err);
    hide_sites(p, addr, bytes, nbytes);
    return EBB_OK;
}

/* The first address of the range that isn't mapped: all or nothing means to look before the write. */
static bool all_mapped(x86_process *p, uint64_t addr, size_t nbytes, uint64_t *bad)
{
    uint8_t byte;
    for (uint64_t at = addr; at < addr + nbytes; at = (at / PAGE + 1) * PAGE) {
        *bad = at;
        if (x86_read_raw(p, at, &byte, 1) != 1)
            return false;
    }
    return true;
}

ebb_status x86_write(machine *m, uint32_t space, machine_addr addr, const void *bytes, size_t nbytes, ebb_error *err)
{
    x86_process *p = x86_of(m);
    ebb_status status = x86_check_alive(p, err);
    if (status != EBB_OK || nbytes == 0)
        return status;
    uint64_t bad = addr;
    bool in_one_page = addr / PAGE == (addr + nbytes - 1) / PAGE; /* then it is all or nothing by itself */
    if (addr + nbytes < addr || (!in_one_page && !all_mapped(p, addr, nbytes, &bad)))
        return fail_at(p, bad, err);

    uint8_t *merged = ebb_alloc(nbytes);
    memcpy(merged, bytes, nbytes);
    for (size_t i = x86_site_lower_bound(p, addr); i < p->sites.n; i++) {
        x86_site *site = &p->sites.items[i];
        if (site->addr - addr >= nbytes)
            break;
        if (site->inserted) {
            site->original = merged[site->addr - addr];
            merged[site->addr - addr] = 0xcc;
        }
    }
    bool written = x86_write_raw(p, addr, merged, nbytes);
    free(merged);
    return written ? EBB_OK : fail_at(p, addr, err);
}

bool x86_read_u64(x86_process *p, uint64_t addr, uint64_t *value)
{
    return x86_read_raw(p, addr, value, sizeof *value) == sizeof *value;
}

bool x86_read_text(x86_process *p, uint64_t addr, char *text, size_t size)
{
    size_t n = x86_read_raw(p, addr, text, size - 1);
    text[n] = '\0';
    return n > 0;
}
