/* boot_path.h - what -Xbootclasspath/a adds to the boot loader: class files in directories and jars.
 *
 * Jars are read by the JDK's own libzip, as HotSpot does; one that is missing or broken is passed over. */
#ifndef EBB_JVM_CLASSES_BOOT_PATH_H
#define EBB_JVM_CLASSES_BOOT_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void jvm_boot_path_init(const char *path); /* separated by ':'; NULL for none */

/* The file of a class ("a/b/C"); the caller frees *bytes. */
bool jvm_boot_path_find(const char *class_name, uint8_t **bytes, size_t *nbytes);

/* Where the first class of the package ("a/b") was found; NULL: none was. */
const char *jvm_boot_path_of_package(const char *package);

#endif
