/* door.h - ebb's side of wire/door.h: waits for the Java program that a script starts. */
#ifndef EBB_JVM_REMOTE_DOOR_H
#define EBB_JVM_REMOTE_DOOR_H

#include "base/error.h"

#include <sys/types.h>

typedef struct jvm_door {
    int fd;
    char folder[32], path[64];
} jvm_door;

ebb_status jvm_door_open(jvm_door *door, ebb_error *err) EBB_MUST_CHECK;
void jvm_door_close(jvm_door *door); /* who comes later is not let in */

typedef struct jvm_visitor {
    int fd;       /* ours to close; -1: the script ended before one came */
    pid_t pid;
    char *words;  /* of its command line, one after the other; owned */
    size_t nbytes;
} jvm_visitor;

/* Lets the first one in whose command line contains `wanted`; "": the first of all.  It records to `recording`, or nowhere ("").  */
ebb_status jvm_door_wait(jvm_door *door, pid_t script, const char *wanted, const char *recording, jvm_visitor *out, ebb_error *err) EBB_MUST_CHECK;

#endif
