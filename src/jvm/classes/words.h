/* words.h - classes, modules and loaders as HotSpot names them in its messages, which people search for. */
#ifndef EBB_JVM_CLASSES_WORDS_H
#define EBB_JVM_CLASSES_WORDS_H

#include "jvm/classes/loader.h"

/* Callers free what they are given. */
char *jvm_loader_text(const jvm_loader *loader); /* "'app'", "pkg.Loader @1b2c3d" */
char *jvm_place_text(const jvm_class *cls);      /* "module java.base of loader 'bootstrap'" */
char *jvm_class_place_text(const jvm_class *cls); /* "A is in unnamed module of loader pkg.Loader @1b2c3d, parent loader 'app'" */
/* "A is in module M of loader L; B is in unnamed module of loader K", or "A and B are in ...". */
char *jvm_places_text(const jvm_class *a, const jvm_class *b);
/* Why `from` may not use the public class `to`: "class A (in module M) cannot access class B (in module N) because ...".  NULL: it is for
 * another reason than their modules. */
char *jvm_module_access_text(const jvm_class *from, const jvm_class *to);

#endif
