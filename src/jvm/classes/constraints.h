/* constraints.h - loader constraints (JVMS 5.3.4): loaders that exchange values of a type by its name must
 * mean the same class by it.
 *
 * When code of one loader resolves a member declared by a class of another, every class named in the
 * member's descriptor must be one and the same for both.  Neither may have loaded it yet; so the
 * agreement is remembered, and whoever loads a class that breaks it gets a LinkageError.
 *
 * K1  loaders that agree on a name form a group, with the class if one of them has loaded it;
 * K2  a loader is in at most one group per name; groups are joined, never split;
 * K3  names in java/ need no group: only the boot loader may define them. */
#ifndef EBB_JVM_CLASSES_CONSTRAINTS_H
#define EBB_JVM_CLASSES_CONSTRAINTS_H

#include "jvm/classes/loader.h"

/* The loaders of two classes agree on all classes that the descriptor of a member names.  False: *broken is the name on which they
 * don't; what they agreed on so far stays. */
bool jvm_constrain_descriptor(const jvm_class *a, const jvm_class *b, const jvm_sym *descriptor, const jvm_sym **broken);

/* The same for a member that code of `from` resolves; false: LinkageError pending. */
bool jvm_constrain_field(jvm_thread *t, const jvm_class *from, const jvm_field *f);
bool jvm_constrain_method(jvm_thread *t, const jvm_class *from, const jvm_method *m);
/* For all methods of a class that override or implement one of a class of another loader: who calls the latter gets the former. */
bool jvm_constrain_overrides(jvm_thread *t, const jvm_class *cls);

/* `loader` is about to mean `cls` by its name; false: LinkageError pending, it mustn't. */
bool jvm_constraint_allows(jvm_thread *t, jvm_loader *loader, jvm_class *cls);

/* A loader ends; its classes, which are flagged dead, have been forgotten before. */
void jvm_constraints_forget(const jvm_loader *loader);
void jvm_constraints_forget_dead_classes(void);

#endif
