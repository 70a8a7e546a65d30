/* watch.h - hears that a client says something while the session is at work on the main thread.
 *
 * For protocols in which a client that waits for a stop says nothing but "interrupt" or goodbye: whatever comes stops the program.
 *
 * FW1  bytes are looked for, not read: who asked for the move reads them afterwards;
 * FW2  SIGINT is sent to the main thread again until the work is over. */
#ifndef EBB_FRONT_SERVE_WATCH_H
#define EBB_FRONT_SERVE_WATCH_H

#include <stdbool.h>

typedef struct front_watch front_watch;

front_watch *front_watch_new(int fd); /* NULL: there can be no thread */
void front_watch_free(front_watch *watch);
/* The work begins / is over.  has_spoken: bytes of the client's that were read already wait to be looked at. */
void front_watch_begin(front_watch *watch, bool has_spoken);
void front_watch_end(front_watch *watch);

#endif
