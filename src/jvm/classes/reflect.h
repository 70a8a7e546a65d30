/* reflect.h - objects of java.lang.reflect made from what the machine knows, and the way back.
 *
 * A Field, Method or Constructor object names its member by (clazz, slot); slot is the index in the
 * class's own table, so no address ever reaches Java code.
 *
 * Making one loads the classes of its descriptor: a GC point.  NULL: exception pending. */
#ifndef EBB_JVM_CLASSES_REFLECT_H
#define EBB_JVM_CLASSES_REFLECT_H

#include "jvm/classes/class.h"
#include "jvm/threads/thread.h"

jvm_obj *jvm_reflect_field(jvm_thread *t, const jvm_field *f);
jvm_obj *jvm_reflect_method(jvm_thread *t, const jvm_method *m);      /* a Constructor for <init> */
jvm_obj *jvm_reflect_record_component(jvm_thread *t, jvm_class *cls, const jvm_record_component *c);
jvm_obj *jvm_reflect_parameters(jvm_thread *t, jvm_obj *executable);  /* NULL, nothing pending: no attribute */

/* The member that an object stands for; NULL when `o` is no such object. */
jvm_field *jvm_reflected_field(const jvm_obj *o);
jvm_method *jvm_reflected_method(const jvm_obj *o);                   /* Method or Constructor */

/* Calls as Method.invoke and Constructor.newInstance do: unboxes with widening, wraps what is thrown in
 * InvocationTargetException, boxes the result.  `args` is an Object[] or NULL. */
jvm_obj *jvm_reflect_invoke(jvm_thread *t, jvm_method *m, jvm_obj *receiver, jvm_obj *args);
jvm_obj *jvm_reflect_new_instance(jvm_thread *t, jvm_method *constructor, jvm_obj *args);

#endif
