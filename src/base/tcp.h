/* tcp.h - connections to and from other computers.
 *
 * `where` is [HOST:]PORT, with an IPv6 address in brackets; without a host it is this computer only, 127.0.0.1. */
#ifndef EBB_BASE_TCP_H
#define EBB_BASE_TCP_H

#include "base/error.h"

/* Port 0: any that is free.  *address (caller frees) is what it became, in numbers. */
ebb_status ebb_tcp_listen(const char *where, int *fd, char **address, bool *is_loopback, ebb_error *err) EBB_MUST_CHECK;
ebb_status ebb_tcp_connect(const char *where, int *fd, ebb_error *err) EBB_MUST_CHECK;

/* How long to wait for the other side's next bytes; 0: as long as it takes.  Afterwards it counts as gone. */
void ebb_tcp_patience(int fd, int seconds);

/* Small things go at once; another side that is switched off is noticed. */
void ebb_tcp_prepare(int fd);

#endif
