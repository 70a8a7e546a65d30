/* symbol.h - interned names: one address per distinct text, so names compare by pointer.
 *
 * Class names, member names and descriptors of class files live here as modified UTF-8.  A symbol is
 * never freed and never moves. */
#ifndef EBB_JVM_CLASSES_SYMBOL_H
#define EBB_JVM_CLASSES_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

typedef struct jvm_sym {
    uint32_t hash;   /* of the text alone: the same in every run */
    uint32_t nbytes; /* without the final NUL */
    char text[];     /* NUL-terminated; modified UTF-8 holds no NUL inside */
} jvm_sym;

const jvm_sym *jvm_sym_get(const char *text);                 /* makes it when new */
const jvm_sym *jvm_sym_getn(const char *text, size_t nbytes);
const jvm_sym *jvm_sym_findn(const char *text, size_t nbytes); /* NULL when nobody made it */
/* One that the table doesn't hold: equal to no other, and as long-lived as the arena. */
const jvm_sym *jvm_sym_own(ebb_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
const jvm_sym *jvm_sym_getf(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool jvm_sym_is(const jvm_sym *sym, const char *text);

#endif
