/* loader.h - where classes come from: class files, the boot image, arrays, primitives, hidden classes.
 *
 * A jvm_loader stands for a class loader object (the boot loader has none) and owns the dictionary of
 * the classes it defined or was asked for.  Its address is kept in the injected field
 * ClassLoader.vmLoader.
 *
 * LD1  a name asked of one loader gives the same class for ever (the dictionary records initiating loaders);
 * LD2  jvm_load_class through a loader object runs Java code: it is a GC point; through the boot loader
 *     it runs none;
 * LD3  every function that gives NULL has left an exception pending, unless it says otherwise. */
#ifndef EBB_JVM_CLASSES_LOADER_H
#define EBB_JVM_CLASSES_LOADER_H

#include "base/map.h"
#include "base/mem.h"
#include "jvm/classes/class.h"

struct jvm_loader {
    jvm_obj *object;            /* the ClassLoader; NULL for boot.  The loader ends with it: unload.h */
    ebb_map *classes;           /* by address of the name symbol */
    ebb_map *packages;          /* package name -> jvm_module of named modules of this loader */
    jvm_module *unnamed;        /* made with the loader */
    EBB_VEC(jvm_class *) strong_hidden; /* hidden classes that live as long as the loader */
};

void jvm_loader_init(const char *java_home, const char *boot_append); /* opens lib/modules */
jvm_loader *jvm_loader_of(jvm_obj *class_loader);   /* NULL gives the boot loader */
bool jvm_loader_is_permanent(const jvm_loader *loader); /* boot, platform and application loader */

/* By internal name ("java/lang/String", "[I", "[Ljava/lang/String;").  Throws NoClassDefFoundError
 * (or, for class loader objects, what they threw, ClassNotFoundException wrapped). */
jvm_class *jvm_load_class(jvm_thread *t, jvm_loader *loader, const jvm_sym *name);
/* The same for Class.forName and friends: ClassNotFoundException instead of NoClassDefFoundError. */
jvm_class *jvm_load_class_cnfe(jvm_thread *t, jvm_loader *loader, const jvm_sym *name);
jvm_class *jvm_load_boot(jvm_thread *t, const char *name);   /* boot loader; throws NoClassDefFoundError */
jvm_class *jvm_find_boot(jvm_thread *t, const jvm_sym *name);  /* NULL and nothing pending when there is none */
jvm_class *jvm_find_loaded(const jvm_loader *loader, const jvm_sym *name); /* already recorded, or NULL; never throws */
jvm_class *jvm_array_class(jvm_thread *t, jvm_class *component);
jvm_class *jvm_prim_class(char type);               /* Z B C S I J F D V */
jvm_class *jvm_prim_array_class(char type);

/* The class of a descriptor "I", "Lx;", "[[J" as seen by `loader`; 'V' too. */
jvm_class *jvm_load_descriptor(jvm_thread *t, jvm_loader *loader, const char *descriptor, size_t nbytes);

typedef struct jvm_define {
    const jvm_sym *name;        /* expected internal name, or NULL for any */
    jvm_loader *loader;
    const uint8_t *bytes;       /* borrowed; copied unless `permanent` */
    size_t nbytes;
    bool permanent;             /* the bytes live as long as the process (the boot image) */
    bool hidden;                /* the name gets a "+N" suffix and enters no dictionary */
    bool strong;                /* hidden: lives as long as its loader */
    bool vm_annotations;        /* honour @Hidden, @ForceInline, ... */
    jvm_class *nest_host;       /* of a hidden nestmate, else NULL */
    jvm_class *lookup_class;    /* hidden: gives module and protection domain */
    jvm_obj *protection_domain, *class_data; /* or NULL; kept in the mirror */
    const char *source;         /* "file:/..." or NULL, for messages */
} jvm_define;
/* Parses, checks, and enters a class; loads its supers.  Throws ClassFormatError, LinkageError, ... */
jvm_class *jvm_define_class(jvm_thread *t, const jvm_define *def);

/* Links: superclasses first, verification, layout, tables.  Idempotent. */
bool jvm_link_class(jvm_thread *t, jvm_class *cls);
/* Initialises as JVMS 5.5; false with an exception pending.  Idempotent, a GC point. */
bool jvm_init_class(jvm_thread *t, jvm_class *cls);
static inline bool jvm_ensure_init(jvm_thread *t, jvm_class *cls)
{
    return cls->state == JVM_CLASS_INITIALIZED || jvm_init_class(t, cls);
}

/* During boot, once java.lang.Class is laid out: mirrors for the classes made before. */
bool jvm_make_missing_mirrors(jvm_thread *t);
bool jvm_make_mirror(jvm_thread *t, jvm_class *cls); /* statics get their places too */
/* A new class enters the dictionary (unless hidden) and the list of all. */
void jvm_loader_record(jvm_loader *loader, const jvm_sym *name, jvm_class *cls);
void jvm_class_register(jvm_class *cls);
/* Mirror field Class.module from cls->package. */
void jvm_class_set_module(jvm_class *cls);

void jvm_class_free(jvm_class *cls); /* one that nobody knows, or knows any more */

/* Every class in order of definition. */
void jvm_each_class(void (*visit)(jvm_class *cls, void *arg), void *arg);

jvm_class *jvm_class_by_serial(uint32_t serial); /* NULL: none has that number */

/* Name of the runtime package of `a` and `b` is the same: same loader and same package. */
bool jvm_same_package(const jvm_class *a, const jvm_class *b);
jvm_class *jvm_nest_host(jvm_thread *t, jvm_class *cls); /* validated; `cls` itself on any doubt; never throws */

#endif
