/* loops.h - which bytecodes begin a line though no row of the line table does. */
#ifndef EBB_JVM_REMOTE_LOOPS_H
#define EBB_JVM_REMOTE_LOOPS_H

#include "jvm/remote/remote.h"

/* Sets code->loops; whatever the bytes are, it ends. */
void jvm_remote_find_loops(ebb_arena *arena, java_code *code);

#endif
