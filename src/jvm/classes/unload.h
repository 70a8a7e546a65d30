/* unload.h - the end of classes: what the collector finds unreachable is taken apart.
 *
 * Classes of the boot loader and of the JDK's two others live as long as the process, and are roots.  Every other
 * class is UNLOADABLE: its mirror is marked like any object, from its instances, its frames, its loader and the
 * classes that refer to it; a loader marks the classes it knows, a mirror marks its loader.  So the classes of a
 * loader live and die together, but for hidden classes without a strong link to theirs, which go alone.
 *
 * After marking, what isn't marked is taken out of every table and freed: code, constant pool, metadata, natives.
 *
 * UN1  nothing that lives points to a dead class: inline caches of live code forget receivers that die, loader
 *     constraints and modules forget loaders;
 * UN2  the order is that of definition, so that two runs free the same things at the same timestamp;
 * UN3  a class is freed at the collection that cleared the weak references to its mirror. */
#ifndef EBB_JVM_CLASSES_UNLOAD_H
#define EBB_JVM_CLASSES_UNLOAD_H

#include "jvm/classes/class.h"

/* During a collection, after marking. */
void jvm_unload_dead(bool (*is_live)(const jvm_obj *o));

uint64_t jvm_unloaded_count(void); /* classes, arrays left out, since the start */

/* Called for each class before it is freed, for those who keep pointers to classes or methods; or NULL. */
extern void (*jvm_unload_hook)(const jvm_class *cls);

#endif
