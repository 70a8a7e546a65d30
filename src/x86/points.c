/* points.c - a sorted list of sites, each with the points that share it; int3 is in the code only while the debuggee moves. */
#include "x86/points.h"
#include "x86/memory.h"
#include "x86/watch.h"
#include "base/check.h"

#include <string.h>
#include <unistd.h>

static const uint8_t INT3 = 0xcc;

x86_point *x86_point_get(x86_process *p, machine_point_id id)
{
    for (size_t i = 0; i < p->points.n; i++)
        if (p->points.items[i]->id == id)
            return p->points.items[i];
    return NULL;
}

size_t x86_site_lower_bound(const x86_process *p, uint64_t addr)
{
    size_t lo = 0, hi = p->sites.n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (p->sites.items[mid].addr < addr)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

x86_site *x86_site_at(x86_process *p, uint64_t addr)
{
    size_t i = x86_site_lower_bound(p, addr);
    return i < p->sites.n && p->sites.items[i].addr == addr ? &p->sites.items[i] : NULL;
}

/* BP1.  Memory that is gone (an unloaded library) leaves the site out. */
void x86_site_set(x86_process *p, x86_site *site, bool inserted)
{
    if (site->inserted == inserted)
        return;
    if (!inserted) {
        x86_write_raw(p, site->addr, &site->original, 1);
        site->inserted = false;
        return;
    }
    if (!p->points_elsewhere && x86_read_raw(p, site->addr, &site->original, 1) == 1)
        site->inserted = x86_write_raw(p, site->addr, &INT3, 1);
}

void x86_sites_insert(x86_process *p)
{
    if (p->points_lifted)
        return;
    for (size_t i = 0; i < p->sites.n; i++)
        x86_site_set(p, &p->sites.items[i], true);
}

void x86_sites_remove(x86_process *p)
{
    for (size_t i = 0; i < p->sites.n; i++)
        x86_site_set(p, &p->sites.items[i], false);
}

void x86_sites_remove_from(x86_process *p, int memfd)
{
    for (size_t i = 0; i < p->sites.n; i++) {
        const x86_site *site = &p->sites.items[i];
        if (site->inserted && pwrite(memfd, &site->original, 1, (off_t)site->addr) != 1)
            continue; /* not mapped there: then nobody runs into it */
    }
}

/* Another library may lie where one of our int3 was. */
void x86_sites_refresh(x86_process *p)
{
    for (size_t i = 0; i < p->sites.n; i++) {
        x86_site *site = &p->sites.items[i];
        uint8_t now;
        if (site->inserted && (x86_read_raw(p, site->addr, &now, 1) != 1 || now != INT3))
            site->inserted = false;
    }
}

static void site_add(x86_process *p, uint64_t addr)
{
    x86_site *site = x86_site_at(p, addr);
    if (site) {
        site->n_points++;
        return;
    }
    size_t at = x86_site_lower_bound(p, addr);
    ebb_vec_push(&p->sites, ((x86_site){0}));
    memmove(&p->sites.items[at + 1], &p->sites.items[at], (p->sites.n - 1 - at) * sizeof *site);
    p->sites.items[at] = (x86_site){.addr = addr, .n_points = 1};
}

static void site_drop(x86_process *p, uint64_t addr)
{
    x86_site *site = x86_site_at(p, addr);
    ebb_check(site && site->n_points > 0);
    if (--site->n_points > 0)
        return;
    x86_site_set(p, site, false);
    ebb_vec_remove(&p->sites, (size_t)(site - p->sites.items));
}

static x86_point *point_add(x86_process *p, const machine_point *what)
{
    x86_point *point = EBB_NEW(x86_point);
    point->id = ++p->last_point_id;
    point->what = *what;
    ebb_vec_push(&p->points, point);
    return point;
}

static void point_free(x86_point *point)
{
    free(point->old);
    free(point->condition);
    free(point);
}

static bool is_after_end(const x86_process *p)
{
    return p->gone && p->outlives;
}

static ebb_status set_exec(x86_process *p, const machine_point *what, bool internal, machine_point_id *id, ebb_error *err)
{
    uint8_t byte;
    if (!is_after_end(p))
        EBB_TRY(x86_read(&p->base, 0, what->addr, &byte, 1, err));
    x86_point *point = point_add(p, what);
    point->internal = internal;
    site_add(p, what->addr);
    *id = point->id;
    return EBB_OK;
}

static void remove_point(x86_process *p, x86_point *point)
{
    for (size_t i = 0; i < p->points.n; i++) {
        if (p->points.items[i] == point) {
            ebb_vec_remove(&p->points, i);
            break;
        }
    }
    point_free(point);
}

#define END_OF_USER_SPACE UINT64_C(0x7ffffffff000) /* the debug registers take no address after it */

static ebb_status set_data(x86_process *p, const machine_point *what, machine_point_id *id, ebb_error *err)
{
    if (what->nbytes == 0 || what->nbytes > 1 << 20)
        return ebb_fail(err, EBB_UNSUPPORTED, "can't watch %llu bytes", (unsigned long long)what->nbytes);
    uint8_t *old = ebb_zalloc(what->nbytes);
    ebb_status status = is_after_end(p) ? EBB_OK : x86_read(&p->base, 0, what->addr, old, what->nbytes, err);
    if (status == EBB_NO_MEMORY_AT && what->addr < END_OF_USER_SPACE)
        status = EBB_OK; /* memory that is mapped there later on begins with zeros */
    if (status != EBB_OK) {
        free(old);
        return status;
    }
    x86_point *point = point_add(p, what);
    point->old = old;
    x86_watch_plan(p);
    *id = point->id;
    return EBB_OK;
}

ebb_status x86_point_set(machine *m, const machine_point *point, machine_point_id *id, ebb_error *err)
{
    x86_process *p = x86_of(m);
    if (!is_after_end(p))
        EBB_TRY(x86_check_alive(p, err));
    if (point->kind == MACHINE_POINT_EXEC)
        return set_exec(p, point, false, id, err);
    if (point->kind > MACHINE_POINT_STORE)
        return ebb_fail(err, EBB_UNSUPPORTED, "Accesses are seen when they have happened, not before.");
    return set_data(p, point, id, err);
}

ebb_status x86_point_set_internal(x86_process *p, uint64_t addr, machine_point_id *id, ebb_error *err)
{
    const machine_point what = {.kind = MACHINE_POINT_EXEC, .addr = addr};
    return set_exec(p, &what, true, id, err);
}

ebb_status x86_point_clear(machine *m, machine_point_id id, ebb_error *err)
{
    x86_process *p = x86_of(m);
    x86_point *point = x86_point_get(p, id);
    if (!point)
        return ebb_fail(err, EBB_NOT_FOUND, "there is no point %d", id);
    machine_point what = point->what;
    remove_point(p, point);
    if (what.kind == MACHINE_POINT_EXEC)
        site_drop(p, what.addr);
    else
        x86_watch_plan(p);
    return EBB_OK;
}

bool x86_point_is_cheap(machine *m, machine_point_id id)
{
    const x86_point *point = x86_point_get(x86_of(m), id);
    return point && (point->what.kind == MACHINE_POINT_EXEC || point->is_cheap);
}

size_t x86_points_at(x86_process *p, const x86_task *t, uint64_t addr, machine_stop *stop)
{
    stop->n_points = 0;
    for (size_t i = 0; i < p->points.n; i++) {
        const x86_point *point = p->points.items[i];
        if (point->what.kind != MACHINE_POINT_EXEC || point->what.addr != addr || point->internal)
            continue;
        if (point->what.thread != 0 && point->what.thread != t->tid)
            continue;
        if (stop->n_points < MACHINE_STOP_MAX_POINTS)
            stop->points[stop->n_points++] = point->id;
    }
    return stop->n_points;
}

size_t x86_points_still_set(x86_process *p, machine_stop *stop)
{
    size_t kept = 0;
    for (size_t i = 0; i < stop->n_points; i++)
        if (x86_point_get(p, stop->points[i]))
            stop->points[kept++] = stop->points[i];
    return stop->n_points = kept;
}

void x86_points_drop(x86_process *p)
{
    for (size_t i = 0; i < p->points.n; i++)
        point_free(p->points.items[i]);
    ebb_vec_fini(&p->points);
    ebb_vec_fini(&p->sites);
    p->loader_point = p->entry_point = 0;
    p->points_lifted = false;
    x86_watch_plan(p);
}
