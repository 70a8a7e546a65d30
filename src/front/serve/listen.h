/* listen.h - clients that connect, each served by a process of its own.
 *
 * Who reaches such a port can do whatever the user can: a debugger runs programs and writes their memory.  So it is this computer's only.
 *
 * FL1  another address than a loopback one is refused, unless the user insists;
 * FL2  when the listening process ends, so do those that serve;
 * FL3  a signal that ends ebb ends the waiting for a client, too;
 * FL4  who connects and says nothing keeps nobody out (door.h). */
#ifndef EBB_FRONT_SERVE_LISTEN_H
#define EBB_FRONT_SERVE_LISTEN_H

#include "base/error.h"

typedef struct front_listening {
    const char *where;  /* [HOST:]PORT; port 0: any that is free */
    const char *what;   /* for people: "the Debug Adapter Protocol" */
    bool any_address;   /* the user insists */
    int n_first_bytes;  /* what a client says before anything else has so many */
    /* Until a client comes; false: a signal that is to end the waiting came first.  `self` is that of who serves.  NULL: signals end the process. */
    bool (*wait)(int fd, void *self);
} front_listening;

/* Opens the port and says so; *fd is the caller's. */
ebb_status front_listen_open(const front_listening *how, int *fd, ebb_error *err) EBB_MUST_CHECK;
/* Calls `serve` with the connection of one client after the other, until it says that none may follow.  Whoever else connects meanwhile is refused. */
ebb_status front_listen_in_turn(const front_listening *how, bool (*serve)(int connection, void *self), void *self, ebb_error *err) EBB_MUST_CHECK;

/* Calls `serve` with the connection of each client.  Where each has its own process, this comes back only there, with *status; or if it fails. */
ebb_status front_listen(const front_listening *how, int (*serve)(int connection, void *self), void *self, int *status, ebb_error *err) EBB_MUST_CHECK;

#endif
