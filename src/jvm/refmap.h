/* refmap.h - which slots of a frame hold references.
 *
 * Found by following the types "reference" and "anything else" through the method's bytecode to the
 * place where the frame stands; results are kept per (method, instruction) that was ever asked for. */
#ifndef EBB_JVM_REFMAP_H
#define EBB_JVM_REFMAP_H

#include "jvm/frame.h"
#include "jvm/heap.h"

void jvm_refmap_visit(jvm_frame *f, jvm_visit_fn *visit, void *arg);
void jvm_refmap_visit_native(jvm_frame *f, jvm_visit_fn *visit, void *arg); /* native and entry frames */
void jvm_refmap_forget(jvm_class *cls);                                     /* what is kept for its code */

#endif
