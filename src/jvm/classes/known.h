/* known.h - structs made from known.def: the classes, field offsets and methods the machine touches. */
#ifndef EBB_JVM_CLASSES_KNOWN_H
#define EBB_JVM_CLASSES_KNOWN_H

#include "jvm/classes/class.h"

typedef struct jvm_known_classes {
#define JVM_CLASS(id, name) jvm_class *id;
#include "jvm/classes/known.def"
} jvm_known_classes;

typedef struct jvm_known_offsets {
#define JVM_FIELD(cls, field, sig) uint32_t cls##_##field;
#define JVM_INJECTED(cls, field, sig) uint32_t cls##_##field;
#include "jvm/classes/known.def"
} jvm_known_offsets;

typedef struct jvm_known_methods {
#define JVM_METHOD(cls, id, name, sig) jvm_method *id;
#include "jvm/classes/known.def"
} jvm_known_methods;

/* During boot: loads the classes, then finds offsets and methods.  False: exception pending. */
bool jvm_known_load(jvm_thread *t);
void jvm_known_fields_of(const jvm_class *cls); /* offsets of one class, as soon as it is laid out */

/* The injected fields of a class about to be parsed: fills up to `max` rows, returns how many. */
typedef struct jvm_injected {
    const char *name, *sig;
} jvm_injected;
int jvm_injected_fields(const char *class_name, jvm_injected *rows, int max);

#endif
