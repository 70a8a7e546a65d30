/* idle.h - an endless loop of a schedule must have somebody execute something in each round; a thread that stands before a bytecode and is to come `before` it, for the
 * first time, does not.  Whether two events are about the same bytecode is known by their words, or better by who has the classes. */
#ifndef EBB_SCHEDULE_IDLE_H
#define EBB_SCHEDULE_IDLE_H

#include "schedule/schedule.h"

/* Whether the places of two commands, by their indexes, are the same. */
typedef bool (*sched_same)(const void *context, size_t a, size_t b);

/* Tells of each such loop, at its loopend. */
void sched_check_idle(const sched_schedule *s, sched_same same, const void *context, sched_complaints *all);

#endif
