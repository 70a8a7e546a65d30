/* throw_init.h - set-up of throw.c: the errors that must exist before memory runs out. */
#ifndef EBB_JVM_ENGINE_THROW_INIT_H
#define EBB_JVM_ENGINE_THROW_INIT_H

#include "jvm/threads/thread.h"

void jvm_throw_init(jvm_thread *t);

#endif
