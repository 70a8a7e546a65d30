/* position.h - one point of one execution.
 *
 * The timestamp goes up whenever control jumps backward and at calls, returns and exception dispatch;
 * between two ticks the place of the running thread only grows.  So a timestamp and a place name one
 * point, and their lexicographic order is the order of time:
 *
 * P1  two different points of one execution have different positions;
 * P2  ebb_position_compare is a total order, and it is the order in which the points were reached. */
#ifndef EBB_TIME_POSITION_H
#define EBB_TIME_POSITION_H

#include <stdint.h>

typedef struct ebb_position {
    uint64_t timestamp;
    uint64_t place; /* a machine_place */
} ebb_position;

/* < 0, 0, > 0 as a is before, at, after b. */
int ebb_position_compare(ebb_position a, ebb_position b);

#endif
