/* classfile.h - from the bytes of a class file to a jvm_class, or to a reason why not.
 *
 * A class file is hostile input: every index is checked for range and tag, every length against the
 * bytes there are, names and descriptors against their grammar.  What passes is well-formed in the
 * sense of JVMS 4.1 to 4.8; whether its code is type-safe is the verifier's question (verify/verify.h).
 *
 * The interfaces of a class are loaded before its fields and methods are looked at, so that a class with
 * two faults fails for the same one everywhere: hence the two steps, head and body.
 *
 * CF1  parsing touches no other class, makes no Java object and runs no Java code;
 * CF2  attributes that are kept as spans point into the bytes, which must live as long as the class. */
#ifndef EBB_JVM_CLASSES_CLASSFILE_H
#define EBB_JVM_CLASSES_CLASSFILE_H

#include "jvm/classes/class.h"

typedef struct jvm_parse_error {
    const char *exception;  /* internal name: java/lang/ClassFormatError, ... */
    char text[400];         /* one line */
} jvm_parse_error;

typedef struct jvm_parse_options {
    bool vm_annotations;    /* @CallerSensitive, @Hidden, ... count (boot and platform classes) */
    bool trusted;           /* skip the costlier grammar checks */
    const jvm_sym *name;    /* that it is asked for by, for messages; NULL: none */
} jvm_parse_options;

typedef struct jvm_reader jvm_reader;

/* Fills the zeroed *cls from its bytes, in two steps: up to the names of the interfaces, and the rest; cls->super and
 * interfaces stay for the loader to fill. */
bool jvm_classfile_parse_head(jvm_reader *r, jvm_class *cls, const uint8_t *bytes, size_t nbytes, jvm_parse_options options,
                              jvm_parse_error *error);
bool jvm_classfile_parse_body(jvm_reader *r);

/* Grammar of JVMS 4.2 and 4.3. */
bool jvm_is_class_name(const char *name, size_t nbytes);          /* internal form, or an array descriptor */
bool jvm_is_field_descriptor(const char *text, size_t nbytes);
bool jvm_is_method_descriptor(const char *text, size_t nbytes);
bool jvm_is_member_name(const char *name, size_t nbytes, bool is_method);
bool jvm_is_identifier(const char *name, size_t nbytes, bool qualified); /* what names had to be before version 49 */
/* Shortest forms only, but for c0 80; `any_form`: longer ones too, as before version 48. */
bool jvm_is_modified_utf8(const uint8_t *bytes, size_t nbytes, bool any_form);

/* ---- shared by the files of the parser ---- */

typedef struct jvm_locals_table { /* a LocalVariableTable or LocalVariableTypeTable of the method being read */
    const uint8_t *rows;
    uint16_t n;
    struct jvm_locals_table *next;
} jvm_locals_table;

typedef struct jvm_locals_tables {
    jvm_locals_table *plain, *generic;
} jvm_locals_tables;

struct jvm_reader {
    const uint8_t *at, *end;
    jvm_class *cls;
    jvm_parse_options options;
    jvm_parse_error *error;
    bool failed;            /* sticky; reads give 0 from then on */
    uint8_t module_tag;     /* of a constant that only a module descriptor may have; 0 if none was seen */
    jvm_locals_tables *tables; /* inside of Code */
};

uint8_t jvm_read_u1(jvm_reader *r);
uint16_t jvm_read_u2(jvm_reader *r);
uint32_t jvm_read_u4(jvm_reader *r);
const uint8_t *jvm_read_bytes(jvm_reader *r, size_t nbytes); /* NULL when cut off */
void jvm_read_fail(jvm_reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
void jvm_read_fail_as(jvm_reader *r, const char *exception, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool jvm_cp_is(const jvm_reader *r, uint16_t index, enum jvm_cp_tag tag);
/* The utf8 at index, or NULL and failed. */
const jvm_sym *jvm_read_utf8_at(jvm_reader *r, uint16_t index, const char *what);

/* Names as the version of the class file wants them. */
void jvm_check_field_name(jvm_reader *r, const jvm_sym *name);
void jvm_check_field_type(jvm_reader *r, const jvm_sym *name, const jvm_sym *sig);
void jvm_check_method_name(jvm_reader *r, const jvm_sym *name);
void jvm_check_method_type(jvm_reader *r, const jvm_sym *name, const jvm_sym *sig);
/* Flags of a class, or of one that InnerClasses lists: as they count, or failed. */
uint16_t jvm_check_class_access(jvm_reader *r, uint16_t access);

void jvm_parse_pool(jvm_reader *r);
void jvm_parse_class_attributes(jvm_reader *r);
void jvm_parse_field_attributes(jvm_reader *r, jvm_field *f);
void jvm_parse_method_attributes(jvm_reader *r, jvm_method *m);

#endif
