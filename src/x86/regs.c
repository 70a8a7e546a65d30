/* regs.c - one table (regs.def), two sources: the general registers (NT_PRSTATUS) and the XSAVE area
 * (NT_X86_XSTATE), whose layout the CPU tells through CPUID leaf 0xd.
 *
 * Both are cached per task.  An XSAVE component that the program has not touched is absent (its bit in
 * XSTATE_BV is clear) and reads as zeros; writing it sets the bit. */
#include "x86/regs.h"
#include "x86/tasks.h"
#include "base/check.h"

#include <cpuid.h>
#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

enum {
    XSTATE_LEGACY_XMM = 160,
    XSTATE_BV = 512, /* offset of the word that says which components are there */
};

enum { COMPONENT_X87, COMPONENT_SSE, COMPONENT_AVX, COMPONENT_MASKS = 5, COMPONENT_ZMM_HIGH, COMPONENT_ZMM_16 };

typedef enum source { FROM_GPR, FROM_FPU, FROM_VEC, FROM_MASK } source;

typedef struct reg_row {
    source from;
    unsigned at; /* offset, or index of the vector or mask register */
} reg_row;

static const machine_reg regs[] = {
#define X86_GPR(name, field, dwarf, nbytes, group) {#name, dwarf, nbytes, MACHINE_REG_##group},
#define X86_FPU(name, offset, dwarf, nbytes, group) {#name, dwarf, nbytes, MACHINE_REG_##group},
#define X86_VEC(name, index, dwarf, nbytes) {#name, dwarf, nbytes, MACHINE_REG_VECTOR},
#define X86_MASK(name, index, dwarf, nbytes) {#name, dwarf, nbytes, MACHINE_REG_VECTOR},
#include "x86/regs.def"
#undef X86_GPR
#undef X86_FPU
#undef X86_VEC
#undef X86_MASK
};

static const reg_row rows[] = {
#define X86_GPR(name, field, dwarf, nbytes, group) {FROM_GPR, offsetof(struct user_regs_struct, field)},
#define X86_FPU(name, offset, dwarf, nbytes, group) {FROM_FPU, offset},
#define X86_VEC(name, index, dwarf, nbytes) {FROM_VEC, index},
#define X86_MASK(name, index, dwarf, nbytes) {FROM_MASK, index},
#include "x86/regs.def"
#undef X86_GPR
#undef X86_FPU
#undef X86_VEC
#undef X86_MASK
};

enum { N_REGS = sizeof regs / sizeof *regs };

/* Where the CPU keeps a component in the XSAVE area; 0 if it has none. */
static unsigned component_offset(unsigned component)
{
    static unsigned offsets[8];
    static bool known;
    if (!known) {
        unsigned a = 0, b = 0, c = 0, d = 0, enabled = 0;
        if (__get_cpuid_count(0xd, 0, &enabled, &b, &c, &d))
            for (unsigned i = COMPONENT_AVX; i < 8; i++)
                if ((enabled >> i & 1) && __get_cpuid_count(0xd, i, &a, &b, &c, &d))
                    offsets[i] = b;
        known = true;
    }
    return offsets[component];
}

static size_t count_regs(void)
{
    size_t n = 0;
    while (n < N_REGS) {
        bool wide = regs[n].nbytes == 64 || rows[n].from == FROM_MASK;
        if (wide && !component_offset(COMPONENT_ZMM_16))
            break;
        if (rows[n].from == FROM_VEC && !component_offset(COMPONENT_AVX))
            break;
        n++;
    }
    return n;
}

const machine_reg *x86_registers(machine *m, size_t *n)
{
    static size_t count;
    if (count == 0)
        count = count_regs();
    *n = count;
    return regs;
}

struct user_regs_struct *x86_regs_get(x86_task *t, ebb_error *err)
{
    if (t->regs_valid)
        return &t->regs;
    struct iovec io = {&t->regs, sizeof t->regs};
    if (ptrace(PTRACE_GETREGSET, t->host, NT_PRSTATUS, &io) != 0) {
        x86_ptrace_fail(err, "read the registers");
        return NULL;
    }
    if (io.iov_len != sizeof t->regs) {
        ebb_fail(err, EBB_UNSUPPORTED, "the program is a 32-bit one now, which ebb can't debug");
        return NULL;
    }
    t->regs_valid = true;
    return &t->regs;
}

uint64_t x86_pc(x86_task *t)
{
    const struct user_regs_struct *r = x86_regs_get(t, NULL);
    return r ? r->rip : 0;
}

void x86_set_pc(x86_task *t, uint64_t pc)
{
    struct user_regs_struct *r = x86_regs_get(t, NULL);
    if (!r)
        return;
    r->rip = pc;
    r->orig_rax = (uint64_t)-1;
    t->regs_dirty = true;
}

static uint8_t *xstate_get(x86_task *t, ebb_error *err)
{
    if (t->xstate_valid)
        return t->xstate;
    if (!t->xstate)
        t->xstate = ebb_alloc(X86_XSTATE_MAX);
    memset(t->xstate, 0, X86_XSTATE_MAX);
    struct iovec io = {t->xstate, X86_XSTATE_MAX};
    if (ptrace(PTRACE_GETREGSET, t->host, NT_X86_XSTATE, &io) != 0) {
        x86_ptrace_fail(err, "read the vector registers");
        return NULL;
    }
    t->xstate_valid = true;
    return t->xstate;
}

ebb_status x86_regs_fetch_all(x86_task *t, ebb_error *err)
{
    return x86_regs_get(t, err) && xstate_get(t, err) ? EBB_OK : EBB_GONE;
}

/* Asked once: under a hypervisor each question takes tens of microseconds. */
size_t x86_xstate_nbytes(void)
{
    static size_t nbytes;
    unsigned a, size = 0, c, d;
    if (nbytes == 0)
        nbytes = __get_cpuid_count(0xd, 0, &a, &size, &c, &d) && size <= X86_XSTATE_MAX ? size : X86_XSTATE_MAX;
    return nbytes;
}

ebb_status x86_regs_flush(x86_task *t, ebb_error *err)
{
    struct iovec general = {&t->regs, sizeof t->regs}, extended = {t->xstate, x86_xstate_nbytes()};
    if (t->regs_dirty && ptrace(PTRACE_SETREGSET, t->host, NT_PRSTATUS, &general) != 0)
        return x86_ptrace_fail(err, "write the registers");
    t->regs_dirty = false;
    if (t->xstate_dirty && ptrace(PTRACE_SETREGSET, t->host, NT_X86_XSTATE, &extended) != 0)
        return x86_ptrace_fail(err, "write the vector registers");
    t->xstate_dirty = false;
    return EBB_OK;
}

void x86_regs_forget(x86_task *t)
{
    t->regs_valid = t->regs_dirty = false;
    t->xstate_valid = t->xstate_dirty = false;
}

/* A register is up to three runs of bytes in the XSAVE area. */
typedef struct piece {
    unsigned component, offset, nbytes;
} piece;

static size_t find_vector_pieces(unsigned at, unsigned nbytes, piece pieces[3])
{
    if (at >= 16) {
        pieces[0] = (piece){COMPONENT_ZMM_16, component_offset(COMPONENT_ZMM_16) + 64 * (at - 16), 64};
        return 1;
    }
    pieces[0] = (piece){COMPONENT_SSE, XSTATE_LEGACY_XMM + 16 * at, 16};
    pieces[1] = (piece){COMPONENT_AVX, component_offset(COMPONENT_AVX) + 16 * at, 16};
    if (nbytes == 32)
        return 2;
    pieces[2] = (piece){COMPONENT_ZMM_HIGH, component_offset(COMPONENT_ZMM_HIGH) + 32 * at, 32};
    return 3;
}

static size_t find_pieces(unsigned reg, piece pieces[3])
{
    unsigned at = rows[reg].at, nbytes = regs[reg].nbytes;
    if (rows[reg].from == FROM_FPU) {
        pieces[0] = (piece){at < XSTATE_LEGACY_XMM && at != 24 ? COMPONENT_X87 : COMPONENT_SSE, at, nbytes};
        return 1;
    }
    if (rows[reg].from == FROM_MASK) {
        pieces[0] = (piece){COMPONENT_MASKS, component_offset(COMPONENT_MASKS) + 8 * at, 8};
        return 1;
    }
    return find_vector_pieces(at, nbytes, pieces);
}

static bool component_is_there(const uint8_t *xstate, unsigned component)
{
    return component == COMPONENT_X87 || component == COMPONENT_SSE || (xstate[XSTATE_BV] >> component & 1);
}

static void gather_pieces(const uint8_t *xstate, const piece *pieces, size_t n, uint8_t *bytes)
{
    for (size_t i = 0; i < n; bytes += pieces[i++].nbytes) {
        if (component_is_there(xstate, pieces[i].component))
            memcpy(bytes, xstate + pieces[i].offset, pieces[i].nbytes);
        else
            memset(bytes, 0, pieces[i].nbytes);
    }
}

static void gather(const uint8_t *xstate, unsigned reg, uint8_t *bytes)
{
    piece pieces[3];
    size_t n = find_pieces(reg, pieces);
    gather_pieces(xstate, pieces, n, bytes);
}

void x86_vector_get(x86_task *t, unsigned number, uint8_t bytes[64])
{
    piece pieces[3];
    const uint8_t *xstate = xstate_get(t, NULL);
    memset(bytes, 0, 64);
    if (xstate)
        gather_pieces(xstate, pieces, find_vector_pieces(number, 64, pieces), bytes);
}

uint64_t x86_mask_get(x86_task *t, unsigned number)
{
    uint64_t bits = 0;
    const uint8_t *xstate = xstate_get(t, NULL);
    if (xstate && component_is_there(xstate, COMPONENT_MASKS))
        memcpy(&bits, xstate + component_offset(COMPONENT_MASKS) + 8 * number, sizeof bits);
    return bits;
}

static void scatter(uint8_t *xstate, unsigned reg, const uint8_t *bytes)
{
    piece pieces[3];
    size_t n = find_pieces(reg, pieces);
    for (size_t i = 0; i < n; bytes += pieces[i++].nbytes) {
        memcpy(xstate + pieces[i].offset, bytes, pieces[i].nbytes);
        xstate[XSTATE_BV] |= (uint8_t)(1 << pieces[i].component);
    }
}

static ebb_status find_stopped(machine *m, machine_tid tid, x86_task **t, ebb_error *err)
{
    x86_process *p = x86_of(m);
    ebb_status status = x86_check_alive(p, err);
    if (status != EBB_OK)
        return status;
    *t = x86_task_get(p, (pid_t)tid);
    if (!*t || (*t)->state != X86_STOPPED)
        return ebb_fail(err, EBB_NOT_FOUND, "There is no thread %lld.", (long long)tid);
    return EBB_OK;
}

ebb_status x86_reg_read(machine *m, machine_tid tid, unsigned reg, void *bytes, ebb_error *err)
{
    ebb_check(reg < N_REGS);
    x86_task *t;
    ebb_error why;
    ebb_status status = find_stopped(m, tid, &t, err);
    if (status != EBB_OK)
        return status;
    if (rows[reg].from == FROM_GPR) {
        const struct user_regs_struct *r = x86_regs_get(t, &why);
        if (!r)
            return ebb_fail(err, why.status, "%s", why.text);
        memcpy(bytes, (const char *)r + rows[reg].at, regs[reg].nbytes);
        return EBB_OK;
    }
    const uint8_t *xstate = xstate_get(t, &why);
    if (!xstate)
        return ebb_fail(err, why.status, "%s", why.text);
    gather(xstate, reg, bytes);
    return EBB_OK;
}

static ebb_status write_general(x86_task *t, unsigned reg, const void *bytes, ebb_error *err)
{
    ebb_error why;
    struct user_regs_struct *r = x86_regs_get(t, &why);
    if (!r)
        return ebb_fail(err, why.status, "%s", why.text);
    if (rows[reg].at == offsetof(struct user_regs_struct, rip)) {
        uint64_t pc;
        memcpy(&pc, bytes, sizeof pc);
        x86_set_pc(t, pc);
        return EBB_OK;
    }
    memcpy((char *)r + rows[reg].at, bytes, regs[reg].nbytes);
    t->regs_dirty = true;
    return EBB_OK;
}

ebb_status x86_vector_put(x86_task *t, unsigned reg, const void *bytes, ebb_error *err)
{
    ebb_error why;
    ebb_check(reg < N_REGS && rows[reg].from == FROM_VEC);
    uint8_t *xstate = xstate_get(t, &why);
    if (!xstate)
        return ebb_fail(err, why.status, "%s", why.text);
    scatter(xstate, reg, bytes);
    t->xstate_dirty = true;
    return EBB_OK;
}

ebb_status x86_reg_write(machine *m, machine_tid tid, unsigned reg, const void *bytes, ebb_error *err)
{
    ebb_check(reg < N_REGS);
    x86_task *t;
    ebb_status status = find_stopped(m, tid, &t, err);
    if (status != EBB_OK)
        return status;
    if (rows[reg].from == FROM_GPR) {
        status = write_general(t, reg, bytes, err);
    } else {
        ebb_error why;
        uint8_t *xstate = xstate_get(t, &why);
        if (!xstate)
            return ebb_fail(err, why.status, "%s", why.text);
        scatter(xstate, reg, bytes);
        t->xstate_dirty = true;
    }
    /* The kernel refuses some values (a segment base outside the address space, reserved bits of
     * mxcsr): written at once, the user hears of it here and not at the next resume. */
    if (status == EBB_OK)
        status = x86_regs_flush(t, err);
    if (status != EBB_OK)
        x86_regs_forget(t);
    return status;
}

ebb_status x86_place(machine *m, machine_tid tid, machine_place *place, ebb_error *err)
{
    x86_task *t;
    ebb_error why;
    ebb_status status = find_stopped(m, tid, &t, err);
    if (status != EBB_OK)
        return status;
    const struct user_regs_struct *r = x86_regs_get(t, &why);
    if (!r)
        return ebb_fail(err, why.status, "%s", why.text);
    *place = r->rip;
    return EBB_OK;
}
