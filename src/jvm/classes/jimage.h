/* jimage.h - reader of the JDK's lib/modules: every class of the platform in one mapped file.
 *
 * The file is input like any other: every offset is checked against its size. */
#ifndef EBB_JVM_CLASSES_JIMAGE_H
#define EBB_JVM_CLASSES_JIMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct jvm_jimage jvm_jimage;

ebb_status jvm_jimage_open(const char *path, jvm_jimage **image, ebb_error *err) EBB_MUST_CHECK;
void jvm_jimage_close(jvm_jimage *image);

/* Contents of /MODULE/NAME ("java.base", "java/lang/Object.class"); borrowed for the life of the image. */
bool jvm_jimage_find(const jvm_jimage *image, const char *module, const char *name, const uint8_t **bytes,
                     size_t *nbytes);
/* Module that owns a package ("java/lang"), or NULL; borrowed. */
const char *jvm_jimage_module_of(const jvm_jimage *image, const char *package, size_t nbytes);

#endif
