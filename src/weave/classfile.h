/* classfile.h - a class file in a form that can be changed and written again.
 *
 * Only what a transformer changes is taken apart: the constant pool, which grows at its end, and the Code of those
 * methods that somebody opens (code.h).  Everything else is kept as the bytes that were read, in their order.
 *
 * WC1  a class that is read and written without a change is the same bytes, opened methods included, as long as its
 *      compiler padded switches with zeros;
 * WC2  the bytes that were given live as long as the weave_class;
 * WC3  what weave_class_write gives is a class file that HotSpot's verifier accepts, if it accepted what was read. */
#ifndef EBB_WEAVE_CLASSFILE_H
#define EBB_WEAVE_CLASSFILE_H

#include "base/error.h"
#include "weave/pool.h"

typedef struct weave_code weave_code;

typedef struct weave_method {
    uint16_t access, name_index, type_index, nattributes;
    weave_span name, type;    /* modified UTF-8 */
    weave_span attributes;    /* all of them, each with its head */
    weave_span code_bytes;    /* what is in Code; {NULL, 0}: the method has none */
    weave_code *code;         /* NULL until opened */
} weave_method;

typedef struct weave_class {
    ebb_arena arena;
    uint16_t major;
    bool is_module;           /* a module-info: nothing to change there */
    weave_span name, super;   /* internal form; super: {NULL, 0} if there is none */
    weave_pool pool;
    weave_method *methods;
    uint16_t nmethods;
    weave_span head;          /* magic number and version */
    weave_span middle;        /* from the access flags to the last field */
    weave_span tail;          /* attributes of the class */
} weave_class;

/* EBB_BAD_FILE: not a class file, or one of a version that is not known here.  On failure nothing has to be freed. */
ebb_status weave_class_read(weave_class *cls, weave_span bytes, ebb_error *err) EBB_MUST_CHECK;
/* EBB_UNSUPPORTED: the class got too large for the format. */
ebb_status weave_class_write(weave_class *cls, ebb_buf *out, ebb_error *err) EBB_MUST_CHECK;
void weave_class_fini(weave_class *cls);

/* What the class itself implements: how many, and the name of each in internal form; {NULL, 0}: the file is broken there. */
uint32_t weave_class_ninterfaces(const weave_class *cls);
weave_span weave_class_interface(const weave_class *cls, uint32_t i);

/* The class extends another one from now on, given in internal form.  Its constructors have to be changed by the caller. */
void weave_class_extend(weave_class *cls, const char *super);

/* Takes the code of a method apart, which must have one.  The same one the next time. */
ebb_status weave_method_open(weave_class *cls, weave_method *method, ebb_error *err) EBB_MUST_CHECK;
/* Forgets what was changed in the method. */
void weave_method_close(weave_method *method);

#endif
