/* points.h - where the debuggee shall stop: EXEC points as int3, data points through watch.h.
 *
 * BP1  an int3 of ours is in memory exactly where a site says `inserted`;
 * BP2  sites go in when the debuggee resumes and come out with their last point. */
#ifndef EBB_X86_POINTS_H
#define EBB_X86_POINTS_H

#include "x86/process.h"

ebb_status x86_point_set(machine *m, const machine_point *point, machine_point_id *id, ebb_error *err) EBB_MUST_CHECK;
ebb_status x86_point_clear(machine *m, machine_point_id id, ebb_error *err) EBB_MUST_CHECK;
bool x86_point_is_cheap(machine *m, machine_point_id id);

/* A point of the machine's own. */
ebb_status x86_point_set_internal(x86_process *p, uint64_t addr, machine_point_id *id, ebb_error *err) EBB_MUST_CHECK;

x86_point *x86_point_get(x86_process *p, machine_point_id id); /* NULL if there is none */
x86_site *x86_site_at(x86_process *p, uint64_t addr);          /* NULL if there is none */
/* Index of the first site at or above `addr`. */
size_t x86_site_lower_bound(const x86_process *p, uint64_t addr);

/* The points at `addr` that stop this task, into *stop; their number. */
size_t x86_points_at(x86_process *p, const x86_task *t, uint64_t addr, machine_stop *stop);
/* Takes the points that are gone out of *stop; how many are left. */
size_t x86_points_still_set(x86_process *p, machine_stop *stop);

void x86_sites_insert(x86_process *p);                 /* all that are not in yet */
void x86_sites_remove(x86_process *p);                 /* all, but keeps the points */
void x86_sites_remove_from(x86_process *p, int memfd); /* out of a fork's copy of the memory */
void x86_sites_refresh(x86_process *p);                /* modules came or went: look again */
void x86_site_set(x86_process *p, x86_site *site, bool inserted);
void x86_points_drop(x86_process *p); /* an exec: they are all gone with the old memory */

#endif
