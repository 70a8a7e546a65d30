/* trap.c - what a SIGTRAP means.
 *
 * The kernel's si_code tells where it comes from, though not always by the name one would expect:
 *   SI_KERNEL    an int3 was executed; the program counter is after it
 *   TRAP_TRACE   a single step is done (perhaps a debug register matched as well: DR6 tells)
 *   TRAP_BRKPT   a single step over a system call is done, or the program executed int1
 *   TRAP_HWBKPT  a debug register matched
 *   SIGTRAP      a single step went into a signal handler
 *   others       somebody sent the signal: it is the program's own business */
#include "x86/events.h"
#include "x86/memory.h"
#include "x86/modules.h"
#include "x86/points.h"
#include "x86/regs.h"
#include "x86/tasks.h"
#include "x86/watch.h"

#include <string.h>
#include <sys/ptrace.h>
#include <ucontext.h>

enum { FLAG_TRAP = 0x100 };

static bool is_ours(const siginfo_t *info)
{
    return info->si_code == SI_KERNEL || info->si_code == TRAP_TRACE || info->si_code == TRAP_BRKPT ||
           info->si_code == TRAP_HWBKPT || info->si_code == SIGTRAP;
}

bool x86_trap_is_pending(x86_task *t)
{
    siginfo_t infos[8];
    struct __ptrace_peeksiginfo_args args = {.nr = 8};
    for (;;) {
        long n = ptrace(PTRACE_PEEKSIGINFO, t->host, &args, infos);
        for (long i = 0; i < n; i++)
            if (infos[i].si_signo == SIGTRAP && is_ours(&infos[i]))
                return true;
        if (n < (long)(sizeof infos / sizeof *infos))
            return false;
        args.off += (uint64_t)n;
    }
}

static bool steps(const x86_process *p, const x86_task *t)
{
    return p->request.move == MACHINE_STEP && p->request.thread == t->tid;
}

/* The program's own trap; it can be handed to the program like any signal.  In VM mode it may also be the runtime's: that
 * layer knows, and hands it on. */
static void tell_own_trap(x86_process *p, x86_task *t)
{
    uint64_t bit = (uint64_t)1 << (SIGTRAP - 1);
    t->signal = SIGTRAP;
    t->deliver = (p->pass_signals & bit) && !p->points_elsewhere ? SIGTRAP : 0;
    t->signal_is_quiet = !(p->stop_signals & bit);
    if (!t->signal_is_quiet)
        x86_event_set(p, t, MACHINE_STOP_TRAP);
}

/* --- reaching a point --- */

static bool is_back_from_handler(x86_process *p, x86_task *t)
{
    const struct user_regs_struct *r = x86_regs_get(t, NULL);
    if (!t->in_handler || !r || r->rip != t->back_pc || r->rsp != t->back_sp)
        return false;
    t->in_handler = false;
    if (x86_point_clear(&p->base, t->back_point, NULL) != EBB_OK)
        t->back_point = 0; /* an exec took it */
    return true;
}

static bool is_still_to_be_skipped(x86_task *t)
{
    const struct user_regs_struct *r = x86_regs_get(t, NULL);
    return t->skip_after_handler && r && r->rip == t->skip_pc && r->rsp == t->skip_sp;
}

static machine_point_id loader_point_at(x86_process *p, uint64_t pc)
{
    const machine_point_id ours[] = {p->loader_point, p->entry_point};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
        const x86_point *point = ours[i] ? x86_point_get(p, ours[i]) : NULL;
        if (point && point->what.addr == pc)
            return ours[i];
    }
    return 0;
}

bool x86_loader_reached(x86_process *p, uint64_t pc, bool *modules_changed)
{
    machine_point_id loader = loader_point_at(p, pc);
    *modules_changed = loader && x86_modules_update(p, loader);
    if (*modules_changed)
        x86_sites_refresh(p);
    return loader != 0;
}

static void arrive(x86_process *p, x86_task *t, uint64_t pc)
{
    if (is_back_from_handler(p, t) || is_still_to_be_skipped(t)) {
        x86_skip_point(t);
        return;
    }
    bool modules_changed;
    if (x86_loader_reached(p, pc, &modules_changed) && modules_changed) {
        x86_event_set(p, t, MACHINE_STOP_MODULES);
        if (x86_points_at(p, t, pc, &(machine_stop){0}) == 0)
            x86_skip_point(t);
        return; /* a point of the user's at the same place is met again at once */
    }
    machine_stop points = {0};
    x86_skip_point(t);
    if (x86_points_at(p, t, pc, &points) == 0)
        return;
    machine_stop *stop = x86_event_set(p, t, MACHINE_STOP_POINT);
    memcpy(stop->points, points.points, sizeof stop->points);
    stop->n_points = points.n_points;
}

static void handle_int3(x86_process *p, x86_task *t)
{
    uint64_t pc = x86_pc(t) - 1;
    const x86_site *site = x86_site_at(p, pc);
    bool own_below = site && site->original == 0xcc && t->stepping && t->step_pc == pc;
    if (!site || !site->inserted || own_below) {
        t->skip = false;
        tell_own_trap(p, t);
        return;
    }
    x86_set_pc(t, pc); /* XP3 */
    arrive(p, t, pc);
}

/* --- single steps --- */

/* pushf under the trap flag stored that flag, which is ours and not the program's. */
static void mend_pushed_flags(x86_process *p, x86_task *t, const struct user_regs_struct *now)
{
    uint8_t code[2];
    uint64_t pushed = t->step_sp - now->rsp;
    if ((pushed != 8 && pushed != 2) || (t->step_flags & FLAG_TRAP))
        return;
    if (x86_read(&p->base, 0, t->step_pc, code, 2, NULL) != EBB_OK)
        return;
    bool prefixed = code[0] == 0x66 || (code[0] & 0xf0) == 0x40;
    if (code[prefixed ? 1 : 0] != 0x9c)
        return;
    uint16_t flags;
    if (x86_read_raw(p, now->rsp, &flags, sizeof flags) != sizeof flags)
        return;
    flags &= (uint16_t)~FLAG_TRAP;
    x86_write_raw(p, now->rsp, &flags, sizeof flags);
}

/* syscall under the trap flag kept the flags in r11. */
static void mend_kept_flags(x86_process *p, x86_task *t, struct user_regs_struct *now)
{
    uint8_t code[2];
    if (now->rip != t->step_pc + 2 || !(now->r11 & FLAG_TRAP) || (t->step_flags & FLAG_TRAP))
        return;
    if (x86_read(&p->base, 0, t->step_pc, code, 2, NULL) != EBB_OK || memcmp(code, "\x0f\x05", 2) != 0)
        return;
    now->r11 &= ~(uint64_t)FLAG_TRAP;
    t->regs_dirty = true;
}

/* The kernel takes the flag for the program's own where an instruction stands that may set it (popf, iret), though it has not been
 * executed: a handler that is entered there must not find it in its frame ... */
static void mend_frame(x86_process *p, const x86_task *t, const struct user_regs_struct *now)
{
    uint64_t flags, at = now->rsp + sizeof(void *) + offsetof(ucontext_t, uc_mcontext.gregs[REG_EFL]);
    if ((t->step_flags & FLAG_TRAP) || x86_read_raw(p, at, &flags, sizeof flags) != sizeof flags || !(flags & FLAG_TRAP))
        return;
    flags &= ~(uint64_t)FLAG_TRAP;
    x86_write_raw(p, at, &flags, sizeof flags);
}

/* ... nor anybody after it has failed. */
void x86_mend_failed_step(x86_task *t)
{
    struct user_regs_struct *now = t->stepping ? x86_regs_get(t, NULL) : NULL;
    if (!now || now->rip != t->step_pc || (t->step_flags & FLAG_TRAP) || !(now->eflags & FLAG_TRAP))
        return;
    now->eflags &= ~(uint64_t)FLAG_TRAP;
    t->regs_dirty = true;
}

/* A repeated string instruction is stepped by one repetition: it stays under its point until done. */
static bool repeats(x86_process *p, x86_task *t, const struct user_regs_struct *now)
{
    uint8_t code;
    return now->rip == t->step_pc && now->rcx != 0 &&
           x86_read(&p->base, 0, now->rip, &code, 1, NULL) == EBB_OK && (code == 0xf2 || code == 0xf3);
}

/* A signal that is passed on quietly shall not end a step in its handler. */
static ebb_status run_handler(x86_process *p, x86_task *t, ebb_error *err)
{
    ebb_status status = x86_point_set_internal(p, t->back_pc, &t->back_point, err);
    if (status != EBB_OK)
        return status;
    t->in_handler = true;
    x86_sites_insert(p);
    return EBB_OK;
}

static void finish_step(x86_process *p, x86_task *t, uint64_t pc)
{
    machine_stop points = {0};
    const x86_site *site = x86_site_at(p, pc);
    if (site && x86_points_at(p, t, pc, &points) > 0) {
        arrive(p, t, pc);
        return;
    }
    if (pc >= p->request.lo && pc < p->request.hi)
        return;
    x86_event_set(p, t, MACHINE_STOP_STEP);
}

static ebb_status handle_step(x86_process *p, x86_task *t, int code, ebb_error *err)
{
    machine_stop hits = {0};
    x86_watch_hits(p, t, &hits);
    x86_watch_changes(p, t, &hits);
    if (t->stepping && code != SIGTRAP)
        x86_watch_touched(t, &hits);
    struct user_regs_struct *now = x86_regs_get(t, NULL);
    if (!now)
        return EBB_OK;
    if (t->stepping) {
        mend_pushed_flags(p, t, now);
        mend_kept_flags(p, t, now);
        if (code == SIGTRAP)
            mend_frame(p, t, now);
        if (p->when_stepped && code != SIGTRAP)
            p->when_stepped(p->layer, t->tid, t->step_pc);
        if (p->when_handling && code == SIGTRAP)
            p->when_handling(p->layer);
        if (t->skip && !repeats(p, t, now) && code != SIGTRAP)
            t->skip = false;
    }
    if (hits.n_points > 0) {
        x86_event_set_points(p, t, &hits);
    } else if (!t->stepping) {
        if (code == TRAP_TRACE || code == TRAP_BRKPT)
            tell_own_trap(p, t);
    } else if (steps(p, t) && !t->in_handler) {
        if (code == SIGTRAP && t->signal_is_quiet)
            return run_handler(p, t, err);
        finish_step(p, t, now->rip);
    }
    return EBB_OK;
}

ebb_status x86_trap_handle(x86_process *p, x86_task *t, const siginfo_t *info, ebb_error *err)
{
    if (!is_ours(info)) {
        x86_signal_handle(p, t, SIGTRAP, info);
        return EBB_OK;
    }
    if (info->si_code == SI_KERNEL) {
        handle_int3(p, t);
        return EBB_OK;
    }
    return handle_step(p, t, info->si_code, err);
}
