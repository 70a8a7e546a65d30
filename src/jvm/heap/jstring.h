/* jstring.h - java.lang.String from C, and the table of interned strings.
 *
 * JS1  a string whose chars all fit Latin-1 is stored with coder 0, any other as UTF-16 (coder 1);
 * JS2  one intern table serves ldc constants, String.intern and names made by the machine; it holds
 *     its strings weakly;
 * JS3  none of these is a GC point (they allocate only). */
#ifndef EBB_JVM_HEAP_JSTRING_H
#define EBB_JVM_HEAP_JSTRING_H

#include "jvm/heap/object.h"
#include "jvm/classes/symbol.h"

jvm_obj *jvm_string_new(jvm_thread *t, const char *utf8);                /* modified UTF-8 */
jvm_obj *jvm_string_newn(jvm_thread *t, const char *utf8, size_t nbytes);
jvm_obj *jvm_string_new_utf16(jvm_thread *t, const uint16_t *chars, size_t nchars);
jvm_obj *jvm_string_intern(jvm_thread *t, jvm_obj *string);
jvm_obj *jvm_string_of_sym(jvm_thread *t, const jvm_sym *sym);           /* interned */
jvm_obj *jvm_string_of_class_name(jvm_thread *t, const jvm_class *cls);  /* "java.lang.String", interned */

int32_t jvm_string_length(const jvm_obj *string);                        /* in chars */
uint16_t jvm_string_char(const jvm_obj *string, int32_t i);
size_t jvm_string_utf8_length(const jvm_obj *string);                    /* modified UTF-8, no NUL */
void jvm_string_utf8_region(const jvm_obj *string, int32_t start, int32_t nchars, char *out); /* no NUL added */
char *jvm_string_utf8(const jvm_obj *string);                            /* caller frees; "" for null */
const jvm_sym *jvm_string_sym(const jvm_obj *string);                    /* text as it is */
const jvm_sym *jvm_string_class_sym(const jvm_obj *string);              /* '.' turned into '/' */

#endif
