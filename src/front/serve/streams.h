/* streams.h - ebb's standard streams, where a protocol is spoken on them.
 *
 * The debuggee inherits ebb's standard streams.  So the protocol moves to descriptors that no child inherits, and in their place come an
 * input that is empty, a terminal for standard output (programs write line by line there) and a pipe for standard error, whose other
 * ends ebb reads.
 *
 * SS1  nothing that the debuggee, or ebb by mistake, prints reaches the protocol. */
#ifndef EBB_FRONT_SERVE_STREAMS_H
#define EBB_FRONT_SERVE_STREAMS_H

#include "base/error.h"

typedef struct front_streams {
    int in, out;       /* the protocol's */
    int complaints;    /* what was standard error */
    int stdout_, stderr_; /* what the debuggee writes comes here */
} front_streams;

/* connection: a socket that the protocol is spoken on; -1: standard input and output. */
ebb_status front_streams_take(int connection, front_streams *out, ebb_error *err) EBB_MUST_CHECK;

#endif
