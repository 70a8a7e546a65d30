/* convert.h - between the two formats of a schedule, and a picture of either.
 *
 * A `switch` from one thread to another becomes a `send` of the one and a `receive` of the other: the happens-before relation of the switches, as
 * messages.  The way back is a topological sort of that relation: of the threads that could go on, the one that runs stays as long as it can,
 * then whom it told something last goes on.  To find the order with the fewest switches is NP-complete; this one is an order.
 *
 * SCV1  a schedule with switches, converted to messages and back, executes the same commands in the same order; loops with a count are
 *       unrolled by then, and a switch of a thread to itself, which changes nothing, is gone;
 * SCV2  messages that can never arrive are told with the lines that wait for them. */
#ifndef EBB_SCHEDULE_CONVERT_H
#define EBB_SCHEDULE_CONVERT_H

#include "schedule/schedule.h"

enum { SCHED_MAX_COMMANDS = 1 << 20 }; /* of a result: EBB_UNSUPPORTED if it would be longer */

/* Each fills `out`, which is empty before; the schedule has been checked. */
ebb_status sched_to_messages(const sched_schedule *s, sched_schedule *out, ebb_error *err) EBB_MUST_CHECK;
ebb_status sched_to_switches(const sched_schedule *s, sched_schedule *out, sched_complaints *all, ebb_error *err) EBB_MUST_CHECK;

/* Adds an SVG picture of a schedule with switches: one lane for each thread, time goes down. */
void sched_draw(ebb_buf *out, const sched_schedule *s);

#endif
