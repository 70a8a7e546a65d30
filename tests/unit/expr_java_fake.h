/* expr_java_fake.h - a world for Java's expressions without a debuggee: classes, objects, a frame.
 *
 * Classes are declared by text, members in descriptors:
 *     fake_java_class(fake, "class p.Point extends p.Base implements p.Shape", "I x | static I count", "<init>(II)V | static max(II)I");
 * Every call of a method is written into `calls` ("p.Point.max(II)I"); what it gives is a zero of its type, but for toString (the
 * text "<Point>"), valueOf of boxes, String.intern and String.length.  Identity hashes are 1, 2, 3, ... in each class.
 * Everything is freed by fake_java_fini. */
#ifndef EBB_TESTS_EXPR_JAVA_FAKE_H
#define EBB_TESTS_EXPR_JAVA_FAKE_H

#include "base/mem.h"
#include "expr/java.h"

enum { FAKE_JAVA_MAX = 400, FAKE_JAVA_MAX_OBJECTS = 20000 };

typedef struct fake_java_object {
    const java_type *type;
    java_value *values; /* fields as fake_java_type.slots numbers them, or elements */
    uint32_t n;
    const char *text;           /* of a String */
    const java_type *mirrored;  /* of a Class */
    int32_t hash;
} fake_java_object;

typedef struct fake_java_variable {
    const char *name;
    java_value value;
} fake_java_variable;

typedef struct fake_java {
    java_world world;
    ebb_arena arena;
    ebb_error err;
    struct java_type *types[FAKE_JAVA_MAX];
    size_t n_types;
    fake_java_object objects[FAKE_JAVA_MAX_OBJECTS];
    size_t n_objects;
    fake_java_variable locals[FAKE_JAVA_MAX], conveniences[FAKE_JAVA_MAX];
    size_t n_locals, n_conveniences;
    java_value history[FAKE_JAVA_MAX];
    size_t n_history;
    uint64_t this_;
    const java_type *scope;
    bool can_call;
    size_t n_scratch; /* how often it was asked for a scratch copy */
    expr_format format;
    ebb_buf text, calls;
} fake_java;

void fake_java_init(fake_java *fake); /* with java.lang's best-known classes */
void fake_java_fini(fake_java *fake);

const java_type *fake_java_class(fake_java *fake, const char *head, const char *fields, const char *methods);
const java_type *fake_java_type(fake_java *fake, const char *descriptor);
uint64_t fake_java_new(fake_java *fake, const char *descriptor);                      /* an object, all zeros */
uint64_t fake_java_array(fake_java *fake, const char *descriptor, uint32_t n);
uint64_t fake_java_string(fake_java *fake, const char *text);
uint64_t fake_java_box(fake_java *fake, char code, java_value value);
void fake_java_set(fake_java *fake, uint64_t ref, const char *field, java_value value); /* ref 0: a static of the scope class */
void fake_java_set_static(fake_java *fake, const char *descriptor, const char *field, java_value value);
void fake_java_set_element(fake_java *fake, uint64_t array, uint32_t i, java_value value);
void fake_java_local(fake_java *fake, const char *descriptor, const char *name, java_value value);

#define FAKE_INT(number) ((java_value){.i = (number)})
#define FAKE_REAL(number) ((java_value){.d = (number)})
#define FAKE_REF(number) ((java_value){.ref = (number)})

/* The text that `print EXPRESSION` shows, or "! " and the error; borrowed until the next call.  "/x e" has a format. */
const char *fake_java_print(fake_java *fake, const char *expression);
const char *fake_java_whatis(fake_java *fake, const char *expression);

#endif
