/* classfile_attr.h - how attributes are read: a table per place names those that mean something there. */
#ifndef EBB_JVM_CLASSES_CLASSFILE_ATTR_H
#define EBB_JVM_CLASSES_CLASSFILE_ATTR_H

#include "jvm/classes/classfile.h"

/* The body of one attribute; `at` and `end` of the reader bracket it. */
typedef void jvm_attr_fn(jvm_reader *r, void *owner);

typedef struct jvm_attr_row {
    const char *name;
    jvm_attr_fn *read;
    uint16_t since; /* ignored in class files below this version */
} jvm_attr_row;

/* Reads a list of attributes.  The rows end with one without a name. */
void jvm_read_attributes(jvm_reader *r, const jvm_attr_row *rows, void *owner);

/* What is left of an attribute. */
static inline jvm_span jvm_read_rest(jvm_reader *r)
{
    jvm_span span = {r->at, (uint32_t)(r->end - r->at)};
    r->at = r->end;
    return span;
}

jvm_attr_fn jvm_read_code; /* classfile_code.c: the Code of a method */

#endif
