/* door.h - those who have connected to a port and have not said anything yet.
 *
 * Any program can connect, and one that then says nothing must not keep others out where clients are served one at a time.  So who connects waits at the
 * door, beside others, and the first who speaks is let in.
 *
 * DO1  who is let in has said at least the bytes that were asked for, or is gone again;
 * DO2  no more than some wait at a time: a newcomer takes the place of who has been silent for longest. */
#ifndef EBB_FRONT_SERVE_DOOR_H
#define EBB_FRONT_SERVE_DOOR_H

#include <stddef.h>

typedef struct front_door front_door;

front_door *front_door_new(int listener, int n_first_bytes); /* the listener stays the caller's; NULL: the system refuses */
void front_door_free(front_door *door); /* who still waits is sent away */
int front_door_fd(const front_door *door); /* can be read when somebody moves: then it is time to ask for the next one */
/* The connection of who is let in, the caller's; -1: nobody has spoken yet; -2: none can connect any more. */
int front_door_next(front_door *door);

#endif
