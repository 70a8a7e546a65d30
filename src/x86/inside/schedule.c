/* schedule.c - the ring of switches, in the runtime. */
#include "x86/inside/schedule.h"

void x86_schedule_switched(x86_schedule *schedule, const x86_switch *change)
{
    schedule->switches[schedule->n_switches % X86_KEPT_SWITCHES] = *change;
    schedule->n_switches++;
}
