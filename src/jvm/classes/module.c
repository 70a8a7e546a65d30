/* module.c - the list of modules, who reads and exports what, and how a loader's modules end with it. */
#include "jvm/classes/module.h"

#include "base/mem.h"
#include "jvm/heap/heap.h"
#include "jvm/heap/jstring.h"
#include "jvm/engine/throw.h"
#include "jvm/jvm.h"

#include <string.h>

typedef struct jvm_exports {
    bool to_all, to_unnamed;
    ebb_map *to; /* by address of jvm_module */
} jvm_exports;

static EBB_VEC(jvm_module *) modules;
static jvm_module *java_base;
static const char changed[] = "a change of modules"; /* for the undo log */

void jvm_modules_visit(const jvm_loader *loader, jvm_visit_fn *visit, void *arg)
{
    for (size_t i = 0; i < modules.n; i++)
        if (modules.items[i]->loader == loader && modules.items[i]->object != NULL)
            visit(&modules.items[i]->object, arg);
}

static void visit_boot_modules(jvm_visit_fn *visit, void *arg)
{
    jvm_modules_visit(jvm.boot, visit, arg);
}

static jvm_module *module_new(jvm_loader *loader, const jvm_sym *name)
{
    jvm_module *m = EBB_NEW(jvm_module);
    m->loader = loader;
    m->name = name;
    m->reads = ebb_map_new();
    m->exports = ebb_map_new();
    ebb_vec_push(&modules, m);
    return m;
}

void jvm_module_init(void)
{
    java_base = module_new(jvm.boot, jvm_sym_get("java.base"));
    jvm_heap_add_roots(visit_boot_modules);
}

jvm_module *jvm_module_of(jvm_obj *object)
{
    if (object == NULL)
        return NULL;
    jvm_module *m = (jvm_module *)(uintptr_t)jvm_get_i64(object, jvm.fields.Module_vmModule);
    if (m != NULL)
        return m;
    /* The unnamed module of a loader is known by the loader that refers to it. */
    jvm_loader *loader = jvm_loader_of(jvm_get_ref(object, jvm.fields.Module_loader));
    if (jvm_get_ref(object, jvm.fields.Module_name) == NULL) {
        loader->unnamed->object = object;
        jvm_put_i64(object, jvm.fields.Module_vmModule, (int64_t)(uintptr_t)loader->unnamed);
        return loader->unnamed;
    }
    return NULL;
}

static void refresh_mirror(jvm_class *cls, void *arg)
{
    const jvm_class *element = cls;
    while (element->component != NULL)
        element = element->component;
    if (element->kind == JVM_KIND_PRIMITIVE || element->loader == jvm.boot) {
        cls->module = NULL;
        jvm_class_set_module(cls);
    }
}

void jvm_module_patch_mirrors(jvm_module *base)
{
    jvm_each_class(refresh_mirror, NULL);
}

static bool packages_free(jvm_thread *t, jvm_loader *loader, const char *name, const jvm_sym **packages, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const jvm_module *owner = ebb_map_get(loader->packages, packages[i]->text);
        if (owner != NULL) {
            jvm_throw(t, "java/lang/IllegalStateException", "Package %s for module %s is already in another module, %s, defined to the class loader",
                      packages[i]->text, name, owner->name->text);
            return false;
        }
    }
    return true;
}

static bool is_defined(const jvm_loader *loader, const jvm_sym *name)
{
    for (size_t i = 0; i < modules.n; i++)
        if (modules.items[i]->loader == loader && modules.items[i]->name == name && modules.items[i]->object != NULL)
            return true;
    return false;
}

bool jvm_module_define(jvm_thread *t, const jvm_module_facts *facts)
{
    jvm_obj *object = facts->object;
    jvm_loader *loader = jvm_loader_of(jvm_get_ref(object, jvm.fields.Module_loader));
    const jvm_sym *name = jvm_string_sym(jvm_get_ref(object, jvm.fields.Module_name));
    bool is_base = loader == jvm.boot && name == java_base->name;
    if (is_defined(loader, name)) {
        jvm_throw(t, "java/lang/IllegalStateException", "Module %s is already defined", name->text);
        return false;
    }
    if (!packages_free(t, loader, name->text, facts->packages, facts->npackages))
        return false;
    jvm_undo_cut(changed);
    jvm_module *m = is_base ? java_base : module_new(loader, name);
    m->object = object;
    m->open = facts->open;
    m->version = facts->version ? ebb_strdup(facts->version) : NULL;
    m->location = facts->location ? ebb_strdup(facts->location) : NULL;
    jvm_put_i64(object, jvm.fields.Module_vmModule, (int64_t)(uintptr_t)m);
    for (size_t i = 0; i < facts->npackages; i++)
        ebb_map_set(loader->packages, facts->packages[i]->text, m);
    if (is_base)
        jvm_module_patch_mirrors(m);
    return true;
}

void jvm_module_add_reads(jvm_module *from, jvm_module *to)
{
    jvm_undo_cut(changed);
    if (from != NULL && from->reads != NULL)
        ebb_map_set_u64(from->reads, (uintptr_t)to, from);
}

void jvm_module_add_export(jvm_module *from, const jvm_sym *package, jvm_module *to, int to_whom)
{
    if (from == NULL || from->exports == NULL)
        return;
    jvm_undo_cut(changed);
    jvm_exports *e = ebb_map_get(from->exports, package->text);
    if (e == NULL) {
        e = EBB_NEW(jvm_exports);
        e->to = ebb_map_new();
        ebb_map_set(from->exports, package->text, e);
    }
    if (to_whom == JVM_EXPORT_TO_ALL)
        e->to_all = true;
    else if (to_whom == JVM_EXPORT_TO_UNNAMED)
        e->to_unnamed = true;
    else
        ebb_map_set_u64(e->to, (uintptr_t)to, to);
}

void jvm_module_set_boot_unnamed(jvm_obj *object)
{
    jvm_undo_cut(changed);
    jvm.boot->unnamed->object = object;
    jvm_put_i64(object, jvm.fields.Module_vmModule, (int64_t)(uintptr_t)jvm.boot->unnamed);
    ebb_vec_push(&modules, jvm.boot->unnamed);
}

jvm_module *jvm_module_for_package(jvm_loader *loader, const jvm_sym *package)
{
    if (java_base->object == NULL)
        return loader == jvm.boot ? java_base : NULL;
    jvm_module *m = ebb_map_get(loader->packages, package->text);
    if (m != NULL)
        return m;
    if (loader->object != NULL) {
        loader->unnamed->object = jvm_get_ref(loader->object, jvm.fields.ClassLoader_unnamedModule);
        if (loader->unnamed->object != NULL)
            jvm_put_i64(loader->unnamed->object, jvm.fields.Module_vmModule, (int64_t)(uintptr_t)loader->unnamed);
    }
    return loader->unnamed;
}

bool jvm_module_reads(const jvm_module *from, const jvm_module *to)
{
    if (from->name == NULL || to == java_base) /* unnamed ones read everything, everybody reads java.base */
        return true;
    if (to->name == NULL && ebb_map_get_u64(from->reads, 0) != NULL)
        return true;
    return ebb_map_get_u64(from->reads, (uintptr_t)to) != NULL;
}

bool jvm_module_can_access(const jvm_module *from, const jvm_module *to, const jvm_sym *package)
{
    if (from == to || from == NULL || to == NULL || !jvm.modules_ready)
        return true;
    if (!jvm_module_reads(from, to))
        return false;
    if (to->name == NULL || to->open)
        return true;
    const jvm_exports *e = ebb_map_get(to->exports, package->text);
    if (e == NULL)
        return false;
    return e->to_all || (e->to_unnamed && from->name == NULL) || ebb_map_get_u64(e->to, (uintptr_t)from) != NULL;
}

/* ---- the end of a loader's modules ---- */

static void exports_free(jvm_exports *e)
{
    ebb_map_free(e->to);
    free(e);
}

static void module_free(jvm_module *m)
{
    ebb_map_entry entry;
    for (size_t at = 0; ebb_map_next(m->exports, &at, &entry);)
        exports_free(entry.value);
    ebb_map_free(m->exports);
    ebb_map_free(m->reads);
    free(m->version);
    free(m->location);
    free(m);
}

/* A live module may have been made to read or to export to one that ends. */
static void forget_module(const jvm_module *gone)
{
    for (size_t i = 0; i < modules.n; i++) {
        jvm_module *m = modules.items[i];
        if (m->reads == NULL)
            continue;
        ebb_map_remove_u64(m->reads, (uintptr_t)gone);
        ebb_map_entry entry;
        for (size_t at = 0; ebb_map_next(m->exports, &at, &entry);)
            ebb_map_remove_u64(((jvm_exports *)entry.value)->to, (uintptr_t)gone);
    }
}

void jvm_modules_forget(const jvm_loader *loader)
{
    size_t kept = 0, n = modules.n;
    EBB_VEC(jvm_module *) gone = {0};
    for (size_t i = 0; i < n; i++)
        if (modules.items[i]->loader == loader)
            ebb_vec_push(&gone, modules.items[i]);
        else
            modules.items[kept++] = modules.items[i];
    modules.n = kept;
    forget_module(loader->unnamed);
    for (size_t i = 0; i < gone.n; i++) {
        forget_module(gone.items[i]);
        module_free(gone.items[i]);
    }
    ebb_vec_fini(&gone);
}
