/* class.h - what the machine knows of a class: its constant pool, fields, methods and tables.
 *
 * Every class is a jvm_class: those from class files, arrays, and the nine primitive types.  They are
 * made by loader.h and never moved; so a jfieldID is a jvm_field *, a jmethodID a jvm_method *.  Those of
 * loaders that nobody reaches any more, and hidden ones, are freed by the collector (unload.h).
 * The bytes of the class file are kept for as long as the class: attributes that only Java code
 * interprets (annotations, Signature, ...) are spans of them.
 *
 * CS1  `state` only grows; a class is LINKED (superclass linked, fields laid out, tables made) before
 *     its methods run or an instance exists, and its mirror exists from LOADED on (but for those made
 *     before java.lang.Class itself, which loader.c gives theirs during boot);
 * CS2  an instance's layout starts with its superclass's layout; `ref_offsets` lists every reference
 *     field, inherited ones included, except Reference.referent and Reference.discovered;
 * CS3  vtable[i] of a subclass overrides vtable[i] of its superclass; an array class has Object's vtable;
 * CS4  `supers[d]` is the ancestor at depth d (itself included) for d < JVM_DISPLAY, so a subclass
 *     test against a class is one load and a comparison. */
#ifndef EBB_JVM_CLASSES_CLASS_H
#define EBB_JVM_CLASSES_CLASS_H

#include "base/arena.h"
#include "jvm/heap/object.h"
#include "jvm/classes/symbol.h"

typedef struct jvm_method jvm_method;
typedef struct jvm_field jvm_field;
typedef struct jvm_loader jvm_loader;
typedef struct jvm_module jvm_module;
typedef struct jvm_code jvm_code;     /* prepared instructions: engine/prepare.h */

enum { /* access flags as in class files */
    JVM_ACC_PUBLIC = 0x0001, JVM_ACC_PRIVATE = 0x0002, JVM_ACC_PROTECTED = 0x0004, JVM_ACC_STATIC = 0x0008,
    JVM_ACC_FINAL = 0x0010, JVM_ACC_SYNCHRONIZED = 0x0020, JVM_ACC_SUPER = 0x0020, JVM_ACC_VOLATILE = 0x0040,
    JVM_ACC_BRIDGE = 0x0040, JVM_ACC_VARARGS = 0x0080, JVM_ACC_TRANSIENT = 0x0080, JVM_ACC_NATIVE = 0x0100,
    JVM_ACC_INTERFACE = 0x0200, JVM_ACC_ABSTRACT = 0x0400, JVM_ACC_STRICT = 0x0800,
    JVM_ACC_SYNTHETIC = 0x1000, JVM_ACC_ANNOTATION = 0x2000, JVM_ACC_ENUM = 0x4000, JVM_ACC_MODULE = 0x8000,
};

typedef struct jvm_span { /* bytes inside a class file; {NULL, 0} when the attribute is absent */
    const uint8_t *bytes;
    uint32_t nbytes;
} jvm_span;

/* ---- constant pool ---- */

enum jvm_cp_tag {
    JVM_CP_UNUSED = 0, JVM_CP_UTF8 = 1, JVM_CP_INTEGER = 3, JVM_CP_FLOAT = 4, JVM_CP_LONG = 5, JVM_CP_DOUBLE = 6,
    JVM_CP_CLASS = 7, JVM_CP_STRING = 8, JVM_CP_FIELD = 9, JVM_CP_METHOD = 10, JVM_CP_IMETHOD = 11,
    JVM_CP_NAME_AND_TYPE = 12, JVM_CP_METHOD_HANDLE = 15, JVM_CP_METHOD_TYPE = 16, JVM_CP_DYNAMIC = 17,
    JVM_CP_INDY = 18, JVM_CP_MODULE = 19, JVM_CP_PACKAGE = 20,
};

typedef union jvm_cp_value {
    const jvm_sym *sym;           /* UTF8 */
    int32_t i; int64_t j; float f; double d;
    struct { uint16_t a, b; };    /* CLASS, STRING, METHOD_TYPE, MODULE, PACKAGE: a = utf8 index;
                                     FIELD, METHOD, IMETHOD: a = class, b = name and type;
                                     NAME_AND_TYPE: a = name, b = descriptor;
                                     METHOD_HANDLE: a = kind, b = reference;
                                     DYNAMIC, INDY: a = bootstrap method index, b = name and type */
} jvm_cp_value;

/* What an entry resolved to (resolve.h); p is NULL until then. */
typedef union jvm_cp_resolved {
    void *p;
    jvm_class *cls;           /* CLASS */
    jvm_obj *obj;             /* STRING, METHOD_HANDLE, METHOD_TYPE, DYNAMIC: kept alive by the class */
    jvm_field *field;
    jvm_method *method;
} jvm_cp_resolved;

typedef struct jvm_bootstrap { /* one row of BootstrapMethods */
    uint16_t handle;           /* constant pool index of the MethodHandle */
    uint16_t nargs;
    const uint8_t *args;       /* nargs big-endian u2 constant pool indexes */
} jvm_bootstrap;

typedef struct jvm_pool {
    uint16_t n;                /* entries, the unused 0th included */
    uint8_t *tags;             /* enum jvm_cp_tag */
    jvm_cp_value *values;
    jvm_cp_resolved *resolved;
    uint8_t *nulls;            /* dynamic constants that resolved to null: 1; or NULL altogether */
    jvm_obj **errors;          /* resolution errors to throw again (JVMS 5.4.3), or NULL altogether */
    jvm_bootstrap *bootstraps;
    uint16_t nbootstraps;
} jvm_pool;

/* Checked by the parser: the entry has the tag these expect. */
const jvm_sym *jvm_cp_utf8(const jvm_class *cls, uint16_t index);
const jvm_sym *jvm_cp_class_name(const jvm_class *cls, uint16_t index);
void jvm_cp_member(const jvm_class *cls, uint16_t index, const jvm_sym **class_name, const jvm_sym **name,
                   const jvm_sym **descriptor);  /* FIELD, METHOD, IMETHOD */
void jvm_cp_name_type(const jvm_class *cls, uint16_t index, const jvm_sym **name, const jvm_sym **descriptor);

/* ---- fields ---- */

enum {
    JVM_FIELD_INJECTED = 1,      /* the machine's own: reflection must not see it (injected.def) */
    JVM_FIELD_TRUSTED_FINAL = 2, /* final in a record or hidden class, or static final */
    JVM_FIELD_STABLE = 4,
};

struct jvm_field {
    jvm_class *cls;
    const jvm_sym *name, *sig;
    uint16_t access;
    uint8_t flags;
    char type;                   /* first letter of sig */
    uint16_t slot;               /* index in cls->fields */
    uint16_t constant;           /* ConstantValue index or 0 */
    uint32_t offset;             /* bytes from the start of the object, or of the mirror if static */
    uint8_t watched;             /* a watchpoint looks at it: quickened code must take the slow way */
    const jvm_sym *signature;    /* generic, or NULL */
    jvm_span annotations, type_annotations;
};

/* ---- methods ---- */

enum {
    JVM_METHOD_CALLER_SENSITIVE = 1 << 0, JVM_METHOD_HIDDEN = 1 << 1 /* not in stack traces */,
    JVM_METHOD_COMPILED_FORM = 1 << 2 /* LambdaForm$Compiled */, JVM_METHOD_FORCE_INLINE = 1 << 3,
    JVM_METHOD_SIG_POLY = 1 << 4 /* signature polymorphic declaration */,
    JVM_METHOD_INTRINSIC = 1 << 5 /* invokeBasic, linkTo*: `intrinsic` says which */,
    JVM_METHOD_FINALIZER = 1 << 6, JVM_METHOD_OVERPASS = 1 << 7 /* made by the linker: a default conflict */,
    JVM_METHOD_SCOPED = 1 << 8, JVM_METHOD_VERIFIED = 1 << 9, JVM_METHOD_EMPTY = 1 << 10 /* body is just return */,
};

enum jvm_intrinsic {
    JVM_INTRINSIC_NONE, JVM_INTRINSIC_INVOKE_BASIC, JVM_INTRINSIC_LINK_TO_STATIC, JVM_INTRINSIC_LINK_TO_SPECIAL,
    JVM_INTRINSIC_LINK_TO_VIRTUAL, JVM_INTRINSIC_LINK_TO_INTERFACE, JVM_INTRINSIC_LINK_TO_NATIVE,
};

/* How the interpreter enters the method. */
enum jvm_entry {
    JVM_ENTRY_UNPREPARED,  /* first call: prepare, bind or refuse, then one of the others */
    JVM_ENTRY_JAVA, JVM_ENTRY_JAVA_SYNC, JVM_ENTRY_NATIVE, JVM_ENTRY_ABSTRACT, JVM_ENTRY_INTRINSIC,
    JVM_ENTRY_CHOSEN,      /* one of the first two, where the undo log may begin or end */
};

/* Whether the undo log is kept while the method runs (undo/choose.c). */
enum jvm_choice { JVM_CHOICE_CALLERS /* as its caller's */, JVM_CHOICE_IN, JVM_CHOICE_OUT };

typedef struct jvm_handler { /* exception table row, in bytecode indexes */
    uint16_t start, end, target, type; /* type: constant pool index or 0 for any */
} jvm_handler;

typedef struct jvm_line { uint16_t bci, line; } jvm_line;

typedef struct jvm_local_var {
    uint16_t bci, nbytes, slot;
    const jvm_sym *name, *sig;
    const jvm_sym *generic;      /* or NULL */
} jvm_local_var;

typedef struct jvm_native jvm_native; /* how a native method is called: border/native.h */

enum { JVM_NOT_VIRTUAL = -1 }; /* vtable_index of static, private, constructors, and interface methods */

struct jvm_method {
    jvm_class *cls;
    const jvm_sym *name, *sig;
    uint8_t entry;               /* enum jvm_entry */
    uint8_t intrinsic;           /* enum jvm_intrinsic */
    char ret;                    /* return type letter: Z B C S I J F D L [ V */
    uint8_t choice;              /* enum jvm_choice */
    uint16_t access;
    uint16_t flags;              /* JVM_METHOD_* */
    uint16_t nargs;              /* argument slots, the receiver included */
    uint16_t max_locals, max_stack;
    uint16_t slot;               /* index in cls->methods: reflection's `slot` */
    int32_t vtable_index;        /* or JVM_NOT_VIRTUAL */
    int32_t itable_index;        /* in an interface: place in each implementor's table; else -1 */
    uint32_t flow_context;       /* of all its calls (flow/flow.c), or 0 */
    jvm_code *code;              /* prepared; NULL until the first call */
    jvm_native *native;          /* bound native; NULL until the first call */
    const uint8_t *bytes;        /* Code bytes or NULL */
    uint32_t nbytes;
    uint16_t nhandlers, nlines, nlocals_info, nexceptions;
    jvm_handler *handlers;
    jvm_line *lines;
    jvm_local_var *locals_info;
    uint16_t *exceptions;        /* constant pool indexes of the throws clause */
    const jvm_sym *signature;    /* generic, or NULL */
    jvm_span stack_map, annotations, parameter_annotations, annotation_default, type_annotations,
        code_type_annotations, parameters; /* `parameters`: the MethodParameters attribute's contents */
};

static inline bool jvm_method_is_static(const jvm_method *m) { return (m->access & JVM_ACC_STATIC) != 0; }
bool jvm_method_is_init(const jvm_method *m);    /* <init> */
bool jvm_method_is_clinit(const jvm_method *m);
int jvm_method_line(const jvm_method *m, int bci); /* -1 unknown, -2 native */
/* A number for a method that is the same in replay: made of the mirror's address and the slot. */
int64_t jvm_method_token(const jvm_method *m);
jvm_method *jvm_token_method(int64_t token);
char *jvm_method_text(const jvm_method *m);        /* "java.lang.String.length()" for people; caller frees */

char *jvm_type_text(const char *descriptor);       /* "[I" -> "int[]"; caller frees */

/* ---- classes ---- */

enum jvm_class_state {
    JVM_CLASS_LOADED, JVM_CLASS_LINKING, JVM_CLASS_LINKED, JVM_CLASS_INITIALIZING, JVM_CLASS_INITIALIZED, JVM_CLASS_ERROR,
};

enum jvm_class_kind { JVM_KIND_INSTANCE, JVM_KIND_OBJECT_ARRAY, JVM_KIND_PRIM_ARRAY, JVM_KIND_PRIMITIVE };

enum { JVM_DISPLAY = 8 };

enum { /* jvm_class.flags */
    JVM_CLASS_HIDDEN = 1 << 0, JVM_CLASS_RECORD = 1 << 1, JVM_CLASS_HAS_FINALIZER = 1 << 2,
    JVM_CLASS_CLONEABLE = 1 << 3, JVM_CLASS_TRUSTED = 1 << 4 /* boot: not verified */,
    JVM_CLASS_VM_ANNOTATIONS = 1 << 5, JVM_CLASS_HAS_DEFAULTS = 1 << 6 /* has, or inherits, default methods */,
    JVM_CLASS_MAGIC = 1 << 7 /* MagicAccessorImpl and below: no access checks */,
    JVM_CLASS_NO_CLINIT_NEEDED = 1 << 8,
    JVM_CLASS_LAID_OUT = 1 << 9 /* fields placed and tables made; verification may be under way */,
    JVM_CLASS_UNLOADABLE = 1 << 10 /* lives only as long as it is reachable: unload.h */,
    JVM_CLASS_IS_LOADER = 1 << 11 /* ClassLoader and below */,
    JVM_CLASS_DEAD = 1 << 12 /* about to be freed */,
};

enum jvm_ref_kind { JVM_REF_NONE, JVM_REF_SOFT, JVM_REF_WEAK, JVM_REF_FINAL, JVM_REF_PHANTOM };

typedef struct jvm_itable { /* methods of one implemented interface, by itable_index */
    jvm_class *iface;
    jvm_method **methods;
} jvm_itable;

typedef struct jvm_inner { uint16_t inner, outer, name, access; } jvm_inner; /* InnerClasses row: cp indexes */

typedef struct jvm_record_component {
    const jvm_sym *name, *sig, *signature;
    jvm_span annotations, type_annotations;
} jvm_record_component;

struct jvm_class {
    /* what running code looks at */
    uint8_t state;               /* enum jvm_class_state */
    uint8_t kind;                /* enum jvm_class_kind */
    char element_type;           /* arrays: letter of the component type; primitives: their own letter */
    uint8_t ref_kind;            /* enum jvm_ref_kind: subclasses of java.lang.ref.Reference */
    uint16_t access;             /* as in the class file */
    uint16_t flags;              /* JVM_CLASS_* */
    uint32_t instance_size;      /* bytes of an instance, header included, unaligned */
    uint32_t depth;              /* distance from Object; interfaces 1, arrays 1 */
    jvm_class *supers[JVM_DISPLAY];
    jvm_method **vtable;
    uint32_t nvtable;
    uint32_t nitable;
    jvm_itable *itable;          /* every implemented interface, inherited ones included */
    const jvm_class *last_super; /* cache of the last positive interface or deep test */
    jvm_obj *mirror;             /* java.lang.Class; holds the statics */

    const jvm_sym *name;         /* java/lang/String, [I, [Ljava/lang/String;, int; hidden: pkg/Name+1 */
    jvm_class *super;            /* NULL for Object, primitives; Object for interfaces and arrays */
    jvm_loader *loader;          /* defining loader; never NULL (jvm.boot for the boot loader) */
    jvm_module *module;          /* NULL until java.base is defined */
    const jvm_sym *package;      /* "java/lang"; "" for the unnamed one */

    /* arrays */
    jvm_class *component;        /* class of the elements; primitive class for int[] */
    jvm_class *array;            /* the class of arrays of this, or NULL while nobody asked */

    /* instances */
    jvm_class **interfaces;      /* direct ones */
    uint16_t ninterfaces, nfields, nmethods;
    jvm_field *fields;           /* in class-file order, injected ones last */
    jvm_method *methods;         /* in class-file order, the linker's own (OVERPASS) ones last */
    jvm_method *clinit, *finalizer; /* or NULL */
    uint32_t *ref_offsets;       /* CS2 */
    uint32_t nref_offsets;
    uint32_t *static_refs;       /* offsets of reference statics in the mirror */
    uint32_t nstatic_refs;
    uint32_t statics_size;       /* bytes that the mirror needs after its own fields */
    jvm_pool pool;

    /* class file */
    const uint8_t *bytes;
    size_t nbytes;
    uint16_t major, minor;
    uint16_t this_index, super_index;
    const jvm_sym *source_file, *signature;
    uint16_t enclosing_class, enclosing_method; /* cp indexes of EnclosingMethod, or 0 */
    uint16_t nest_host_index;                   /* NestHost, or 0 */
    uint16_t nnest_members, npermitted, ninner, nrecord;
    const uint8_t *nest_members, *permitted;    /* big-endian u2 cp indexes */
    jvm_inner *inner;
    jvm_record_component *record;
    jvm_span annotations, type_annotations, source_debug;
    jvm_class *nest_host;                       /* validated; NULL until asked */

    jvm_thread *initializer;                    /* while INITIALIZING */
    jvm_obj *init_error;                        /* why it is ERROR; a root */
    jvm_obj *init_lock;                         /* int[0] that initialisation waits on; made lazily */
    uint8_t flow_choice;                        /* enum jvm_choice: whether object flow follows its code; CALLERS: not decided */
    uint32_t serial;                            /* order of definition: 1, 2, ... */
    struct jvm_inline_cache *caches;            /* of its code: engine/prepare.h */
    struct jvm_call_site *sites;                /* linked, and those that failed to link: engine/mh.h */
    struct jvm_site_error *site_errors;
    struct ebb_map *refmaps;                    /* of its code: engine/refmap.c; or NULL */
    ebb_arena arena;                            /* what the class is made of */
};

static inline bool jvm_class_is_interface(const jvm_class *c) { return (c->access & JVM_ACC_INTERFACE) != 0; }
static inline bool jvm_class_is_array(const jvm_class *c)
{
    return c->kind == JVM_KIND_OBJECT_ARRAY || c->kind == JVM_KIND_PRIM_ARRAY;
}
char *jvm_class_external_name(const jvm_class *cls); /* java.lang.String, [I, pkg.Hidden/1; caller frees */

/* Members declared by this very class; NULL when there is none.  The text forms intern nothing. */
jvm_method *jvm_class_own_method(const jvm_class *cls, const jvm_sym *name, const jvm_sym *sig);
jvm_field *jvm_class_own_field(const jvm_class *cls, const jvm_sym *name, const jvm_sym *sig); /* sig may be NULL */

/* Through superclasses and superinterfaces as JVMS 5.4.3.2/3/4 say, without access checks. */
jvm_field *jvm_class_find_field(const jvm_class *cls, const jvm_sym *name, const jvm_sym *sig);
jvm_method *jvm_class_find_method(const jvm_class *cls, const jvm_sym *name, const jvm_sym *sig);
jvm_method *jvm_class_find_method_text(const jvm_class *cls, const char *name, const char *sig);

/* The method that an invocation on an object of class `cls` selects (JVMS 5.4.6).  NULL: none (abstract). */
jvm_method *jvm_select_virtual(const jvm_class *cls, const jvm_method *m);
jvm_method *jvm_select_interface(const jvm_class *cls, const jvm_method *m); /* NULL also: not implemented */

/* Mirror to class and back.  A mirror's class never changes. */
jvm_class *jvm_mirror_class(const jvm_obj *mirror);

#endif
