/* door.h - how a Java program that a script started becomes the one that is debugged.
 *
 * ebb starts the script with EBB_JVM_DOOR=PATH, a socket that it listens at, in the environment, which every process that comes from
 * the script inherits.  A Java machine that finds it there says how it was started, the words of its command line, each with a NUL after
 * it, and is told where to record to (nothing: nowhere).  From then on the connection is that of wire.def.  One that isn't wanted
 * finds the connection closed, and runs as if nobody debugged it; what it starts asks again.
 *
 * Either says: a length of four bytes, little-endian, and so many bytes. */
#ifndef EBB_JVM_WIRE_DOOR_H
#define EBB_JVM_WIRE_DOOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JVM_DOOR_VARIABLE "EBB_JVM_DOOR"
enum { JVM_DOOR_MAX = 1 << 20 }; /* bytes that one says */

bool jvm_door_say(int fd, const void *bytes, size_t nbytes);
/* With a NUL after it; caller frees; NULL: the other side closed, or says nothing that makes sense. */
char *jvm_door_hear(int fd, size_t *nbytes);

#endif
