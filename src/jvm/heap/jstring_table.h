/* jstring_table.h - the collector's view of the intern table: dead strings leave it. */
#ifndef EBB_JVM_HEAP_JSTRING_TABLE_H
#define EBB_JVM_HEAP_JSTRING_TABLE_H

#include "jvm/heap/object.h"

void jvm_string_table_sweep(bool (*is_live)(const jvm_obj *o));

#endif
