/* natives/blocking.h - waiting for the world without stopping the machine.
 *
 * One operating system thread runs every Java thread, so a system call must not block it.  A native that
 * may block waits in the scheduler until the descriptor is ready, then makes the call. */
#ifndef EBB_JVM_NATIVES_BLOCKING_H
#define EBB_JVM_NATIVES_BLOCKING_H

#include "jvm/threads/thread.h"

/* Returns once a call on the descriptor won't block: at once when it is non-blocking or ready.  Events as
 * in poll(2).  False: another thread stopped us, exception pending.  A GC point. */
bool jvm_wait_ready(jvm_thread *t, int fd, short events);

/* May a read or write on it block at all?  Not for files and directories. */
bool jvm_fd_may_block(int fd);

#endif
