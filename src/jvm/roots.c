#include "jvm/roots.h"

#include "jvm/class.h"
#include "jvm/frame.h"
#include "jvm/handles.h"
#include "jvm/heap_internal.h"
#include "jvm/module.h"
#include "jvm/refmap.h"
#include "jvm/thread.h"
#include "jvm/vm.h"

typedef struct visitor {
    jvm_visit_fn *visit;
    void *arg;
} visitor;

static void visit_if(const visitor *v, jvm_obj **slot)
{
    if (*slot != NULL)
        v->visit(slot, v->arg);
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
        default:
            break;
        }
    }
}

static void visit_class(jvm_class *cls, void *arg)
{
    const visitor *v = arg;
    visit_if(v, &cls->mirror);
    visit_if(v, &cls->init_error);
    visit_if(v, &cls->init_lock);
    visit_pool(v, &cls->pool);
}

static void visit_frame(const visitor *v, jvm_frame *f)
{
    visit_if(v, &f->lock);
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
    jvm_each_class(visit_class, &v);
    for (jvm_thread *t = jvm_threads_first(); t != NULL; t = t->next_all)
        visit_thread(&v, t);
    jvm_handles_visit_globals(visit, arg);
    for (size_t i = 0; i < jvm_heap_.roots.n; i++)
        jvm_heap_.roots.items[i](visit, arg);
}
