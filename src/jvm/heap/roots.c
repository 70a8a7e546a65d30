/* roots.c - visits, part by part, what is alive without being referred to from the heap. */
#include "jvm/heap/roots.h"

#include "jvm/classes/class.h"
#include "jvm/engine/frame.h"
#include "jvm/heap/handles.h"
#include "jvm/heap/heap_shape.h"
#include "jvm/classes/loader.h"
#include "jvm/engine/mh.h"
#include "jvm/classes/module.h"
#include "jvm/engine/refmap.h"
#include "jvm/threads/thread.h"
#include "jvm/jvm.h"

typedef struct visitor {
    jvm_visit_fn *visit;
    void *arg;
} visitor;

static void visit_if(const visitor *v, jvm_obj **slot)
{
    if (*slot != NULL)
        v->visit(slot, v->arg);
}

/* Classes that live for ever are roots anyway. */
static void visit_mirror(const visitor *v, jvm_class *cls)
{
    if (cls != NULL && (cls->flags & JVM_CLASS_UNLOADABLE))
        v->visit(&cls->mirror, v->arg);
}

static void visit_pool(const visitor *v, jvm_pool *pool)
{
    for (uint16_t i = 1; i < pool->n; i++) {
        if (pool->errors != NULL)
            visit_if(v, &pool->errors[i]);
        switch (pool->tags[i]) {
        case JVM_CP_STRING: case JVM_CP_METHOD_HANDLE: case JVM_CP_METHOD_TYPE: case JVM_CP_DYNAMIC:
            visit_if(v, &pool->resolved[i].obj);
            break;
        case JVM_CP_CLASS:
            visit_mirror(v, pool->resolved[i].cls);
            break;
        default:
            break;
        }
    }
}

static void visit_sites(const visitor *v, jvm_class *cls)
{
    for (jvm_call_site *site = cls->sites; site != NULL; site = site->next) {
        visit_if(v, &site->appendix);
        visit_mirror(v, site->target->cls);
    }
    for (jvm_site_error *e = cls->site_errors; e != NULL; e = e->next)
        visit_if(v, &e->error);
}

void jvm_visit_class(jvm_class *cls, jvm_visit_fn *visit, void *arg)
{
    visitor v = {visit, arg};
    visit_if(&v, &cls->init_error);
    visit_if(&v, &cls->init_lock);
    visit_pool(&v, &cls->pool);
    visit_sites(&v, cls);
    if (!(cls->flags & JVM_CLASS_UNLOADABLE))
        return visit_mirror(&v, cls->array);
    visit_mirror(&v, cls->super);
    for (uint16_t i = 0; i < cls->ninterfaces; i++)
        visit_mirror(&v, cls->interfaces[i]);
    visit_mirror(&v, cls->component);
    visit_mirror(&v, cls->array);
    visit_mirror(&v, cls->nest_host);
}

void jvm_visit_loader(const jvm_loader *loader, jvm_visit_fn *visit, void *arg)
{
    visitor v = {visit, arg};
    ebb_map_entry entry;
    for (size_t at = 0; ebb_map_next(loader->classes, &at, &entry);)
        visit_mirror(&v, entry.value);
    for (size_t i = 0; i < loader->strong_hidden.n; i++)
        visit_mirror(&v, loader->strong_hidden.items[i]);
    jvm_modules_visit(loader, visit, arg);
}

/* A mirror leads to everything else; early classes have none yet. */
static void visit_permanent_class(jvm_class *cls, void *arg)
{
    const visitor *v = arg;
    if (cls->flags & JVM_CLASS_UNLOADABLE)
        return;
    visit_if(v, &cls->mirror);
    if (cls->mirror == NULL)
        jvm_visit_class(cls, v->visit, v->arg);
}

static void visit_frame(const visitor *v, jvm_frame *f)
{
    visit_if(v, &f->lock);
    if (f->method != NULL)
        visit_mirror(v, f->method->cls);
    if (f->kind == JVM_FRAME_JAVA)
        jvm_refmap_visit(f, v->visit, v->arg);
    else
        jvm_refmap_visit_native(f, v->visit, v->arg);
}

static void visit_thread(const visitor *v, jvm_thread *t)
{
    visit_if(v, &t->object);
    visit_if(v, &t->exception);
    for (size_t i = 0; i < t->nhandles; i++)
        if (((uintptr_t)t->handles[i] & 1) == 0)
            visit_if(v, &t->handles[i]);
    for (jvm_frame *f = t->frame; f != NULL; f = f->prev)
        visit_frame(v, f);
}

void jvm_visit_roots(jvm_visit_fn *visit, void *arg)
{
    visitor v = {visit, arg};
    jvm_each_class(visit_permanent_class, &v);
    for (jvm_thread *t = jvm_threads_first(); t != NULL; t = t->next_all)
        visit_thread(&v, t);
    jvm_handles_visit_globals(visit, arg);
    for (size_t i = 0; i < jvm_heap_.roots.n; i++)
        jvm_heap_.roots.items[i](visit, arg);
}
