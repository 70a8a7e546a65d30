/* watch.c - shares the debug registers out, and single-steps for the data points that get none. */
#include "x86/watch.h"
#include "x86/memory.h"
#include "x86/points.h"
#include "x86/regs.h"

#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>

/* Reads mean nothing to it. */
static bool is_of_writes(machine_point_kind kind)
{
    return kind == MACHINE_POINT_WRITE || kind == MACHINE_POINT_STORE;
}

/* DR7: for register i, bit 2i enables it for the task, bits 16+4i.. say what stops (1 write, 3 read or
 * write) and bits 18+4i.. how long it is. */
static uint64_t dr7_bits(int i, machine_point_kind kind, unsigned nbytes)
{
    static const uint8_t lengths[9] = {[1] = 0, [2] = 1, [4] = 3, [8] = 2};
    uint64_t on = is_of_writes(kind) ? 1 : 3;
    return 1ull << (2 * i) | on << (16 + 4 * i) | (uint64_t)lengths[nbytes] << (18 + 4 * i);
}

static size_t debugreg_offset(int i)
{
    return offsetof(struct user, u_debugreg) + (size_t)i * sizeof(((struct user *)0)->u_debugreg[0]);
}

static bool set_debugreg(const x86_task *t, int i, uint64_t value)
{
    return ptrace(PTRACE_POKEUSER, t->host, debugreg_offset(i), value) == 0;
}

/* The longest aligned piece at the beginning of the range. */
static unsigned next_piece(uint64_t addr, uint64_t nbytes)
{
    unsigned size = 8;
    while (size > nbytes || (addr & (size - 1)) != 0)
        size /= 2;
    return size;
}

static bool fits_in_hardware(x86_process *p, x86_point *point, size_t *n_used)
{
    x86_watch_slot slots[X86_WATCH_REGISTERS];
    size_t n = 0;
    uint64_t addr = point->what.addr, left = point->what.nbytes;
    while (left > 0) {
        unsigned size = next_piece(addr, left);
        if (*n_used + n == X86_WATCH_REGISTERS)
            return false;
        slots[n++] = (x86_watch_slot){point->id, addr, size, point->what.kind};
        addr += size;
        left -= size;
    }
    memcpy(&p->watch[*n_used], slots, n * sizeof *slots);
    *n_used += n;
    return true;
}

/* A condition can be tested, and hits be counted, where it is looked at only by code (x86/vm). */
static bool may_be_in_hardware(const x86_process *p, const x86_point *point)
{
    bool by_code = p->watches_by_code || point->what.without_cpu || ((point->n_condition || point->ignored_with) && p->watches_elsewhere);
    return !p->watch_broken && !by_code;
}

void x86_watch_plan(x86_process *p)
{
    size_t n_used = 0;
    p->n_software_watches = p->n_software_reads = p->n_software_stores = p->n_stores = 0;
    memset(p->watch, 0, sizeof p->watch);
    for (size_t i = 0; i < p->points.n; i++) {
        x86_point *point = p->points.items[i];
        if (point->what.kind == MACHINE_POINT_EXEC)
            continue;
        p->n_stores += point->what.kind == MACHINE_POINT_STORE;
        bool may_be = may_be_in_hardware(p, point);
        point->in_hardware = may_be && fits_in_hardware(p, point, &n_used);
        point->is_cheap = may_be ? point->in_hardware : point->is_cheap;
        if (point->in_hardware)
            continue;
        p->n_software_watches++;
        p->n_software_reads += point->what.kind == MACHINE_POINT_READ || point->what.kind == MACHINE_POINT_ACCESS;
        p->n_software_stores += point->what.kind == MACHINE_POINT_STORE;
    }
    p->watch_generation++;
}

void x86_watch_look(x86_process *p)
{
    for (size_t i = 0; i < p->points.n; i++) {
        x86_point *point = p->points.items[i];
        if (point->what.kind == MACHINE_POINT_EXEC)
            continue;
        if (x86_read(&p->base, 0, point->what.addr, point->old, point->what.nbytes, NULL) != EBB_OK)
            continue; /* not mapped just now: the old bytes stay */
    }
}

static bool concerns(x86_process *p, const x86_task *t, machine_point_id id)
{
    const x86_point *point = x86_point_get(p, id);
    return point && (point->what.thread == 0 || point->what.thread == t->tid);
}

void x86_watch_flush(x86_process *p, x86_task *t)
{
    if (t->watch_generation == p->watch_generation)
        return;
    t->watch_generation = p->watch_generation;
    uint64_t dr7 = 0;
    bool fine = set_debugreg(t, 7, 0) || errno == ESRCH;
    for (int i = 0; i < X86_WATCH_REGISTERS; i++) {
        const x86_watch_slot *slot = &p->watch[i];
        if (slot->point == 0 || !concerns(p, t, slot->point))
            continue;
        fine = fine && (set_debugreg(t, i, slot->addr) || errno == ESRCH);
        dr7 |= dr7_bits(i, slot->kind, slot->nbytes);
    }
    if (dr7 != 0)
        fine = fine && (set_debugreg(t, 7, dr7) || errno == ESRCH);
    if (!fine && !p->watch_broken) {
        /* No debug registers here (some virtual machines): do it all by stepping. */
        p->watch_broken = true;
        x86_watch_plan(p);
    }
}

void x86_watch_clear(x86_process *p, x86_task *t)
{
    if (t->watch_generation != 0)
        set_debugreg(t, 7, 0);
    t->watch_generation = 0;
}

static void add_point(machine_stop *stop, machine_point_id id)
{
    for (size_t i = 0; i < stop->n_points; i++)
        if (stop->points[i] == id)
            return;
    if (stop->n_points < MACHINE_STOP_MAX_POINTS)
        stop->points[stop->n_points++] = id;
}

static void renew(x86_point *point, const uint8_t *now)
{
    point->knows_was = point->what.nbytes <= sizeof point->was;
    point->was = 0;
    if (point->knows_was)
        memcpy(&point->was, point->old, point->what.nbytes);
    memcpy(point->old, now, point->what.nbytes);
}

/* Of a bit-field, its own bits (machine_point.bits). */
static bool differs(const x86_point *point, const uint8_t *now)
{
    uint64_t before = 0, after = 0;
    if (!point->what.bits)
        return memcmp(point->old, now, point->what.nbytes) != 0;
    memcpy(&before, point->old, point->what.nbytes);
    memcpy(&after, now, point->what.nbytes);
    return ((before ^ after) & point->what.bits) != 0;
}

/* Whether the bytes differ from those of the last look, which this becomes. */
static bool has_changed(x86_process *p, x86_point *point)
{
    uint8_t small[64];
    uint8_t *now = point->what.nbytes <= sizeof small ? small : ebb_alloc(point->what.nbytes);
    bool changed = false;
    if (x86_read(&p->base, 0, point->what.addr, now, point->what.nbytes, NULL) == EBB_OK) {
        changed = differs(point, now);
        if (changed || point->what.kind == MACHINE_POINT_STORE)
            renew(point, now);
        else if (point->what.bits)
            memcpy(point->old, now, point->what.nbytes);
    }
    if (now != small)
        free(now);
    return changed;
}

static bool is_told(x86_process *p, x86_point *point) /* WX1, WX2 */
{
    bool changed = has_changed(p, point);
    switch (point->what.kind) {
    case MACHINE_POINT_WRITE: return changed;
    case MACHINE_POINT_READ: return !changed;
    default: return true;
    }
}

bool x86_watch_hits(x86_process *p, x86_task *t, machine_stop *stop)
{
    if (p->watch[0].point == 0)
        return false;
    errno = 0;
    uint64_t dr6 = (uint64_t)ptrace(PTRACE_PEEKUSER, t->host, debugreg_offset(6), 0);
    if (errno != 0 || (dr6 & 0xf) == 0)
        return false;
    set_debugreg(t, 6, 0);
    machine_point_id last = 0;
    for (int i = 0; i < X86_WATCH_REGISTERS; i++) {
        machine_point_id id = p->watch[i].point;
        x86_point *point = dr6 >> i & 1 ? x86_point_get(p, id) : NULL;
        if (!point || id == last || !concerns(p, t, id))
            continue;
        last = id; /* its pieces lie next to each other: one look tells for all */
        if (is_told(p, point))
            add_point(stop, id);
    }
    return stop->n_points > 0;
}

bool x86_watch_changes(x86_process *p, x86_task *t, machine_stop *stop)
{
    for (size_t i = 0; i < p->points.n && p->n_software_watches > 0; i++) {
        x86_point *point = p->points.items[i];
        if (!is_of_writes(point->what.kind) || point->in_hardware)
            continue;
        if (has_changed(p, point) && concerns(p, t, point->id))
            add_point(stop, point->id);
    }
    return stop->n_points > 0;
}

bool x86_watch_needs_syscalls(const x86_process *p)
{
    return p->n_stores > 0 && !p->watches_elsewhere;
}

/* ---- what the kernel writes (WX3) ------------------------------------------------------------- */

static size_t peek(void *process, void *to, uint64_t from, size_t nbytes)
{
    return x86_read_raw(process, from, to, nbytes);
}

static x86_called call_of(const struct user_regs_struct *r)
{
    return (x86_called){.number = r->orig_rax, .arguments = {r->rdi, r->rsi, r->rdx, r->r10, r->r8, r->r9}};
}

void x86_watch_call_begins(x86_process *p, x86_task *t)
{
    const struct user_regs_struct *r = x86_regs_get(t, NULL);
    const x86_call_looker looker = {.peek = peek, .self = p, .pid = (uint64_t)p->pid};
    t->has_call = r != NULL;
    if (!r)
        return;
    t->call = call_of(r);
    t->call.looker = &looker;
    x86_call_look_before(&t->call);
    t->call.looker = NULL;
}

/* The call that returns is the one whose beginning was seen last. */
static bool is_seen(const x86_task *t, const struct user_regs_struct *r)
{
    x86_called now = call_of(r);
    return t->has_call && t->call.number == now.number && memcmp(t->call.arguments, now.arguments, sizeof now.arguments) == 0;
}

typedef struct kernel_look {
    x86_process *p;
    const x86_task *task;
    machine_stop *stop;
    bool only_changed;
} kernel_look;

static void tell_range(void *context, uint64_t at, uint64_t nbytes)
{
    const kernel_look *look = context;
    for (size_t i = 0; i < look->p->points.n; i++) {
        x86_point *point = look->p->points.items[i];
        bool overlaps = at < point->what.addr + point->what.nbytes && point->what.addr < at + nbytes;
        if (point->what.kind != MACHINE_POINT_STORE || !overlaps)
            continue;
        if (has_changed(look->p, point) || !look->only_changed)
            x86_watch_tell(look->p, look->task, point->id, look->stop);
    }
}

/* By the table; false: it does not know all that the kernel may have written. */
static bool tell_call(x86_process *p, x86_task *t, machine_stop *stop, bool *is_sure)
{
    const struct user_regs_struct *r = x86_regs_get(t, NULL);
    const x86_call_looker looker = {.peek = peek, .self = p, .pid = (uint64_t)p->pid};
    kernel_look look = {p, t, stop, false};
    if (!r || !is_seen(t, r))
        return false;
    t->call.looker = &looker;
    x86_call_wrote_whole(&t->call, (long)r->rax, tell_range, &look);
    *is_sure = stop->n_points > 0;
    look.only_changed = true;
    bool is_known = x86_call_wrote(&t->call, (long)r->rax, tell_range, &look);
    t->has_call = false;
    t->call.looker = NULL;
    return is_known;
}

bool x86_watch_kernel_wrote(x86_process *p, x86_task *t, machine_stop *stop, bool *is_sure)
{
    *is_sure = false;
    bool is_known = tell_call(p, t, stop, is_sure);
    kernel_look look = {p, t, stop, true};
    if (!is_known || p->tasks.n == 1)
        tell_range(&look, 0, UINT64_MAX);
    return stop->n_points > 0;
}

/* ---- reads ------------------------------------------------------------------------------------ */

static void read_vector(void *task, unsigned number, uint8_t bytes[64])
{
    x86_vector_get(task, number, bytes);
}

static uint64_t read_mask(void *task, unsigned number)
{
    return x86_mask_get(task, number);
}

static bool look_at(x86_task *t, x86_touch_cpu *cpu)
{
    const struct user_regs_struct *r = x86_regs_get(t, NULL);
    if (!r)
        return false;
    *cpu = (x86_touch_cpu){
        .regs = {r->rax, r->rcx, r->rdx, r->rbx, r->rsp, r->rbp, r->rsi, r->rdi, r->r8, r->r9, r->r10, r->r11, r->r12, r->r13, r->r14, r->r15},
        .rip = r->rip,
        .flags = r->eflags,
        .fs_base = r->fs_base,
        .gs_base = r->gs_base,
        .vector = read_vector,
        .mask = read_mask,
        .self = t,
    };
    return true;
}

static bool counts_for(machine_point_kind kind, const x86_touch *touch)
{
    switch (kind) {
    case MACHINE_POINT_READ: return touch->reads;
    case MACHINE_POINT_STORE: return touch->stores;
    case MACHINE_POINT_ACCESS: return true;
    default: return false;
    }
}

static bool is_touched(const x86_point *point, const x86_touch *touches, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (counts_for(point->what.kind, &touches[i]) && x86_touch_overlaps(&touches[i], point->what.addr, point->what.nbytes))
            return true;
    }
    return false;
}

/* As much as there is of an instruction. */
static size_t read_code(x86_process *p, uint64_t rip, uint8_t code[15])
{
    size_t on_page = 4096 - rip % 4096, n = on_page < 15 ? on_page : 15;
    if (x86_read(&p->base, 0, rip, code, 15, NULL) == EBB_OK)
        return 15;
    return x86_read(&p->base, 0, rip, code, n, NULL) == EBB_OK ? n : 0;
}

size_t x86_watch_ahead(x86_process *p, x86_task *t, bool all_repetitions, x86_touch touches[X86_MAX_TOUCHES])
{
    uint8_t code[15];
    x86_touch_cpu cpu;
    if (!look_at(t, &cpu))
        return 0;
    cpu.all_repetitions = all_repetitions;
    return x86_touches_of(code, read_code(p, cpu.rip, code), &cpu, touches);
}

void x86_watch_before_step(x86_process *p, x86_task *t)
{
    x86_touch touches[X86_MAX_TOUCHES];
    t->touched = (machine_stop){0};
    if ((!p->n_software_reads && !p->n_software_stores) || p->steps_are_not_the_programs)
        return;
    size_t n = x86_watch_ahead(p, t, false, touches);
    for (size_t i = 0; i < p->points.n; i++) {
        const x86_point *point = p->points.items[i];
        if (!point->in_hardware && is_touched(point, touches, n))
            x86_watch_tell(p, t, point->id, &t->touched);
    }
}

void x86_watch_tell(x86_process *p, const x86_task *t, machine_point_id id, machine_stop *stop)
{
    if (concerns(p, t, id))
        add_point(stop, id);
}

bool x86_watch_touched(x86_task *t, machine_stop *stop)
{
    for (size_t i = 0; i < t->touched.n_points; i++)
        add_point(stop, t->touched.points[i]);
    t->touched.n_points = 0;
    return stop->n_points > 0;
}
