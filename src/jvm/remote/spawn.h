/* spawn.h - the launcher as a child with a socket to its Java machine. */
#ifndef EBB_JVM_REMOTE_SPAWN_H
#define EBB_JVM_REMOTE_SPAWN_H

#include "jvm/remote/remote.h"

typedef struct jvm_spawned {
    pid_t pid;        /* ours to wait for, and the leader of a process group; dies with us (MA5) */
    int fd;           /* ours to close; -1: a script, whose Java program comes to the door */
    int agent_fd;     /* of a stock JVM, which has no agent of its own: the other end, ours to give away; else -1 */
    char *nameless;   /* where it will record to if that is to be a file without a name; NULL: it has one, or there is none */
} jvm_spawned;

/* `door`: of a script, where its Java programs are to knock (wire/door.h); else NULL. */
ebb_status jvm_spawn(const jvm_remote_launch *how, const char *door, jvm_spawned *out, ebb_error *err) EBB_MUST_CHECK;

/* Once the machine is up or gone: takes the recording's name away and gives a descriptor to read it; -1: there is none. */
int jvm_spawn_keep_recording(jvm_spawned *spawned);

#endif
