/* link.h - the steps of linking, for loader.h's jvm_link_class.
 *
 * Fields are laid out after those of the superclass, wide ones first, small ones filling the gap
 * that alignment leaves.  The vtable starts with the superclass's; after the class's own methods
 * come one entry for each interface method that nobody above implements: the selected default
 * method, an abstract one, or a stand-in that throws when several defaults compete. */
#ifndef EBB_JVM_CLASSES_LINK_H
#define EBB_JVM_CLASSES_LINK_H

#include "jvm/classes/class.h"

void jvm_layout_statics(jvm_class *cls, uint32_t mirror_size);
void jvm_layout_instance(jvm_class *cls);
void jvm_make_tables(jvm_class *cls);

#endif
