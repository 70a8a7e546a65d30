/* snapshots.c - the memory that snapshots may take, as the setting asks for it. */
#include "session/snapshots.h"
#include "session/settings_impl.h"

#include <stdio.h>

/* What can be had without taking it from somebody; 0: not known. */
static uint64_t free_memory(void)
{
    char line[128];
    unsigned long long kb = 0;
    FILE *f = fopen("/proc/meminfo", "re");
    while (f && fgets(line, sizeof line, f) && sscanf(line, "MemAvailable: %llu kB", &kb) != 1)
        ;
    if (f)
        fclose(f);
    return kb * 1024;
}

/* A quarter: the program, ebb and everybody else need some, too.  Asked once a program, so that the bound doesn't shrink by what it allowed. */
static uint64_t automatic(session *s)
{
    if (s->snapshots_auto == 0)
        s->snapshots_auto = free_memory() / 4;
    return s->snapshots_auto ? s->snapshots_auto : UINT64_MAX;
}

void ses_apply_snapshots(session *s)
{
    if (s->timeline)
        ebb_timeline_bound_snapshots(s->timeline, ses_setting_is(s, "snapshots", "auto") ? automatic(s) : ses_setting_number(s, "snapshots"));
}
