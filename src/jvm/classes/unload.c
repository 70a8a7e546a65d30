/* unload.c - a class is taken apart, and what others remember of it is forgotten; then its loader. */
#include "jvm/classes/unload.h"

#include "base/log.h"
#include "base/mem.h"
#include "jvm/classes/constraints.h"
#include "jvm/classes/loader_internal.h"
#include "jvm/classes/module.h"
#include "jvm/border/native.h"
#include "jvm/engine/prepare.h"
#include "jvm/engine/refmap.h"
#include "jvm/jvm.h"

#include <ffi.h>
#include <stdio.h>

void (*jvm_unload_hook)(const jvm_class *cls);
static uint64_t unloaded;

uint64_t jvm_unloaded_count(void)
{
    return unloaded;
}

/* ---- taking one class apart ---- */

static void free_native(jvm_native *native)
{
    if (native == NULL)
        return;
    ffi_cif *cif = native->cif;
    if (cif != NULL)
        free(cif->arg_types);
    free(cif);
    free(native);
}

static void free_class(jvm_class *cls)
{
    if (jvm_unload_hook != NULL)
        jvm_unload_hook(cls);
    if (jvm.options.verbose_class)
        printf("[class,unload] %s\n", cls->name->text);
    for (uint16_t i = 0; i < cls->nmethods; i++)
        free_native(cls->methods[i].native);
    unloaded += cls->kind == JVM_KIND_INSTANCE;
    jvm_refmap_forget(cls);
    jvm_class_free(cls);
}

/* UN1 */
static void forget_receivers(jvm_class *cls)
{
    for (jvm_inline_cache *cache = cls->caches; cache != NULL; cache = cache->next)
        if (cache->cls != NULL && (cache->cls->flags & JVM_CLASS_DEAD))
            cache->cls = NULL;
}

/* ---- classes ---- */

static size_t mark_dead(bool (*is_live)(const jvm_obj *o))
{
    size_t n = 0;
    for (size_t i = 0; i < jvm_loaders.classes.n; i++) {
        jvm_class *cls = jvm_loaders.classes.items[i];
        if ((cls->flags & JVM_CLASS_UNLOADABLE) && !is_live(cls->mirror)) {
            cls->flags |= JVM_CLASS_DEAD;
            n++;
        }
    }
    return n;
}

static void free_dead_classes(void)
{
    EBB_VEC(jvm_class *) dead = {0};
    size_t kept = 0;
    for (size_t i = 0; i < jvm_loaders.classes.n; i++) {
        jvm_class *cls = jvm_loaders.classes.items[i];
        if (cls->flags & JVM_CLASS_DEAD)
            ebb_vec_push(&dead, cls);
        else
            jvm_loaders.classes.items[kept++] = cls;
    }
    jvm_loaders.classes.n = kept;
    for (size_t i = 0; i < kept; i++)
        forget_receivers(jvm_loaders.classes.items[i]);
    jvm_constraints_forget_dead_classes();
    for (size_t i = 0; i < dead.n; i++) /* UN2 */
        free_class(dead.items[i]);
    ebb_vec_fini(&dead);
}

/* ---- loaders ---- */

static bool is_dead(const jvm_loader *loader, bool (*is_live)(const jvm_obj *o))
{
    return loader->object != NULL && !is_live(loader->object);
}

static void free_loader(jvm_loader *loader)
{
    jvm_constraints_forget(loader);
    jvm_modules_forget(loader);
    ebb_map_free(loader->classes);
    ebb_map_free(loader->packages);
    ebb_vec_fini(&loader->strong_hidden);
    free(loader->unnamed);
    free(loader);
}

static void free_dead_loaders(bool (*is_live)(const jvm_obj *o))
{
    size_t kept = 0;
    for (size_t i = 0; i < jvm_loaders.loaders.n; i++) {
        jvm_loader *loader = jvm_loaders.loaders.items[i];
        if (is_dead(loader, is_live))
            free_loader(loader);
        else
            jvm_loaders.loaders.items[kept++] = loader;
    }
    jvm_loaders.loaders.n = kept;
}

void jvm_unload_dead(bool (*is_live)(const jvm_obj *o))
{
    if (mark_dead(is_live) > 0)
        free_dead_classes();
    free_dead_loaders(is_live);
}
