/* boot_path.h - what the command line adds to the boot loader: class files in directories and jars, after those of the image
 * (-Xbootclasspath/a), or before those of one of its modules (--patch-module); and the machine's own jar.
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

/* Of the machine's own jar, beside libjvm.so: ebb.Mirror and what is in it. */
bool jvm_boot_own_find(const char *class_name, uint8_t **bytes, size_t *nbytes);

/* "java.base=DIR:JAR": a module of the boot loader, and what goes before its own classes. */
void jvm_boot_patch_add(const char *text);
bool jvm_boot_patch_find(const char *module, const char *class_name, uint8_t **bytes, size_t *nbytes);

/* Where the first class of the package ("a/b") was found; NULL: none was. */
const char *jvm_boot_path_of_package(const char *package);

#endif
