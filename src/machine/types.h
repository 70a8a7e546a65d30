/* types.h - the words of one meaning that every part of a machine's interface uses: see machine.h. */
#ifndef EBB_MACHINE_TYPES_H
#define EBB_MACHINE_TYPES_H

#include <stdint.h>

typedef struct machine machine;

typedef uint64_t machine_place; /* a point in the code */
typedef uint64_t machine_addr;  /* a point in space 0 */
typedef int64_t machine_tid;    /* a thread, as the system numbers it; 0 is "none" */
typedef int machine_point_id;   /* > 0 */

typedef enum machine_direction { MACHINE_FORWARD, MACHINE_BACKWARD } machine_direction;

#endif
