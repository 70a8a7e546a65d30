/* module.h - run-time modules as far as the machine must know them: who owns which package.
 *
 * The Java side keeps readability and exports; the machine keeps, for access checks and Class.module,
 * one jvm_module per java.lang.Module plus the unnamed one of each loader.  Its address is in the
 * injected field Module.vmModule. */
#ifndef EBB_JVM_CLASSES_MODULE_H
#define EBB_JVM_CLASSES_MODULE_H

#include "jvm/heap/heap.h"
#include "jvm/classes/loader.h"

struct jvm_module {
    jvm_obj *object;        /* java.lang.Module, a root; NULL before it is defined */
    const jvm_sym *name;    /* "java.base"; NULL for an unnamed one */
    char *version, *location;
    jvm_loader *loader;
    bool open;
    ebb_map *reads;         /* by address of jvm_module; NULL key value 1 = all unnamed */
    ebb_map *exports;       /* package -> jvm_exports */
};

void jvm_module_init(void);                               /* java.base without its object yet */
jvm_module *jvm_module_of(jvm_obj *module_object);
typedef struct jvm_module_facts { /* what Module.defineModule0 is told */
    jvm_obj *object;
    bool open;
    const char *version, *location; /* NULL: none */
    const jvm_sym **packages;       /* with '/' */
    size_t npackages;
} jvm_module_facts;
/* IllegalArgument/IllegalStateException pending and false when it may not be. */
bool jvm_module_define(jvm_thread *t, const jvm_module_facts *facts);
void jvm_module_add_reads(jvm_module *from, jvm_module *to /* NULL: all unnamed */);
enum { JVM_EXPORT_TO_ALL = 1, JVM_EXPORT_TO_UNNAMED = 2 };
void jvm_module_add_export(jvm_module *from, const jvm_sym *package, jvm_module *to, int to_whom);
void jvm_module_set_boot_unnamed(jvm_obj *module);
void jvm_module_patch_mirrors(jvm_module *java_base);     /* Class.module of all made so far */
jvm_module *jvm_module_for_package(jvm_loader *loader, const jvm_sym *package); /* unnamed if none owns it */
void jvm_modules_visit(const jvm_loader *loader, jvm_visit_fn *visit, void *arg); /* objects of its named modules */
void jvm_modules_forget(const jvm_loader *loader);        /* the loader ends, and its modules with it */
bool jvm_module_reads(const jvm_module *from, const jvm_module *to);
bool jvm_module_can_access(const jvm_module *from, const jvm_module *to, const jvm_sym *package);

#endif
