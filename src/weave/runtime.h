/* runtime.h - the Java classes that woven code calls, compiled when ebb was built (runtime/, embed.py). */
#ifndef EBB_WEAVE_RUNTIME_H
#define EBB_WEAVE_RUNTIME_H

#include "weave/bytes.h"

typedef struct weave_runtime_class {
    const char *path; /* "ebb/Timestamp.class"; NULL ends the table */
    weave_span bytes;
} weave_runtime_class;

extern const weave_runtime_class weave_runtime[];        /* the counters of timestamps */
extern const weave_runtime_class weave_replay_runtime[]; /* the replay engine; without line tables, so that debuggers step over it */

#endif
