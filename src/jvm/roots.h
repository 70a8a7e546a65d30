/* roots.h - where the collector starts: threads and their frames, classes, handles, registered roots. */
#ifndef EBB_JVM_ROOTS_H
#define EBB_JVM_ROOTS_H

#include "jvm/heap.h"

void jvm_visit_roots(jvm_visit_fn *visit, void *arg);
void jvm_refs_wake_waiters(void); /* there may be pending references now */

#endif
