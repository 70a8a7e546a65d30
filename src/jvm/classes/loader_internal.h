/* loader_internal.h - every class and loader there is, for those who make (loader.c) and free them (unload.c). */
#ifndef EBB_JVM_CLASSES_LOADER_INTERNAL_H
#define EBB_JVM_CLASSES_LOADER_INTERNAL_H

#include "base/mem.h"
#include "jvm/classes/loader.h"

typedef struct jvm_loader_list {
    EBB_VEC(jvm_class *) classes; /* in order of definition */
    EBB_VEC(jvm_loader *) loaders;
} jvm_loader_list;
extern jvm_loader_list jvm_loaders;

#endif
