/* schedule.c - the rings and the plan, in the runtime. */
#include "x86/inside/schedule.h"

void x86_schedule_switched(x86_schedule *schedule, const x86_switch *change)
{
    schedule->switches[schedule->n_switches % X86_KEPT_SWITCHES] = *change;
    schedule->n_switches++;
    if (x86_schedule_next(schedule))
        schedule->n_made++;
}

const x86_switch *x86_schedule_next(const x86_schedule *schedule)
{
    const x86_switch *plan = (const x86_switch *)schedule->plan;
    return plan && schedule->n_made < schedule->n_planned ? &plan[schedule->n_made] : NULL;
}

void x86_schedule_check(x86_schedule *schedule, uint64_t time)
{
    const x86_switch *next = x86_schedule_next(schedule);
    if (!next || time <= next->time)
        return;
    schedule->missed = schedule->n_planned - schedule->n_made;
    schedule->n_planned = schedule->n_made;
}
