/* roots.h - where the collector starts: threads and their frames, classes that live for ever, handles, registered
 * roots; and what classes and loaders keep alive once their objects are found alive. */
#ifndef EBB_JVM_HEAP_ROOTS_H
#define EBB_JVM_HEAP_ROOTS_H

#include "jvm/classes/class.h"
#include "jvm/heap/heap.h"

void jvm_visit_roots(jvm_visit_fn *visit, void *arg);
void jvm_visit_class(jvm_class *cls, jvm_visit_fn *visit, void *arg); /* but for its mirror and statics */
void jvm_visit_loader(const jvm_loader *loader, jvm_visit_fn *visit, void *arg);
void jvm_refs_wake_waiters(void); /* there may be pending references now */

#endif
