/* lines.h - what the line table of a method does not say. */
#ifndef EBB_JVM_REMOTE_LINES_H
#define EBB_JVM_REMOTE_LINES_H

#include "jvm/remote/remote.h"

/* Sets code->loops: which bytecodes begin a line though no row of the table does.  Whatever the bytes are, it ends. */
void jvm_remote_find_loops(ebb_arena *arena, java_code *code);

#endif
