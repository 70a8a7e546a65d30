/* refmap.h - which slots of a frame hold references.
 *
 * Found by following the types "reference" and "anything else" through the method's bytecode to the
 * place where the frame stands; results are kept per (method, instruction) that was ever asked for. */
#ifndef EBB_JVM_ENGINE_REFMAP_H
#define EBB_JVM_ENGINE_REFMAP_H

#include "jvm/engine/frame.h"
#include "jvm/heap/heap.h"

void jvm_refmap_visit(jvm_frame *f, jvm_visit_fn *visit, void *arg);
/* What is known of each slot of a Java frame: locals, then the operand stack.  A value of 8 bytes lies in the first of
 * its two slots; UNKNOWN: its second slot, not set yet, or different on the ways that lead here. */
enum jvm_slot_kind { JVM_SLOT_UNKNOWN, JVM_SLOT_REF, JVM_SLOT_4_BYTES, JVM_SLOT_8_BYTES };
typedef void jvm_slot_fn(const jvm_slot *slot, enum jvm_slot_kind kind, void *arg);
void jvm_refmap_each_slot(jvm_frame *f, jvm_slot_fn *visit, void *arg);
void jvm_refmap_visit_native(jvm_frame *f, jvm_visit_fn *visit, void *arg); /* native and entry frames */
void jvm_refmap_forget(jvm_class *cls);                                     /* what is kept for its code */

#endif
