/* natives/histogram.c - how many objects of each class there are, and how large they are together. */
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "jvm/classes/module.h"
#include "jvm/natives/diagnose.h"
#include "jvm/natives/natives.h"

typedef struct class_share {
    jvm_class *cls;
    uint64_t n, nbytes;
} class_share;

typedef struct histogram {
    EBB_VEC(class_share) shares;
    ebb_map *index_of; /* class -> index + 1 */
} histogram;

static class_share *share_of(histogram *h, jvm_class *cls)
{
    uintptr_t index = (uintptr_t)ebb_map_get_u64(h->index_of, (uint64_t)(uintptr_t)cls);
    if (index == 0) {
        ebb_vec_push(&h->shares, ((class_share){ .cls = cls }));
        index = h->shares.n;
        ebb_map_set_u64(h->index_of, (uint64_t)(uintptr_t)cls, (void *)index);
    }
    return &h->shares.items[index - 1];
}

static void count_object(jvm_obj *o, void *arg)
{
    class_share *share = share_of(arg, o->cls);
    share->n++;
    share->nbytes += (jvm_obj_size(o) + JVM_OBJECT_ALIGN - 1) / JVM_OBJECT_ALIGN * JVM_OBJECT_ALIGN;
}

static int by_size(const void *a, const void *b)
{
    const class_share *x = a, *y = b;
    if (x->nbytes != y->nbytes)
        return x->nbytes < y->nbytes ? 1 : -1;
    return strcmp(x->cls->name->text, y->cls->name->text);
}

static void add_module(ebb_buf *out, const jvm_class *cls)
{
    const jvm_module *module = cls->module;
    if (module != NULL && module->name != NULL)
        ebb_buf_addf(out, " (%s%s%s)", module->name->text, module->version == NULL ? "" : "@", module->version == NULL ? "" : module->version);
}

static void add_share(ebb_buf *out, size_t rank, const class_share *share)
{
    char *name = jvm_class_external_name(share->cls);
    ebb_buf_addf(out, "%4zu: %13lu %14lu  %s", rank, (unsigned long)share->n, (unsigned long)share->nbytes, name);
    free(name);
    add_module(out, share->cls);
    ebb_buf_addc(out, '\n');
}

void jvm_class_histogram(ebb_buf *out)
{
    histogram h = { .index_of = ebb_map_new() };
    uint64_t n = 0, nbytes = 0;
    jvm_heap_each(count_object, &h);
    qsort(h.shares.items, h.shares.n, sizeof *h.shares.items, by_size);
    ebb_buf_adds(out, " num     #instances         #bytes  class name (module)\n-------------------------------------------------------\n");
    for (size_t i = 0; i < h.shares.n; i++) {
        add_share(out, i + 1, &h.shares.items[i]);
        n += h.shares.items[i].n;
        nbytes += h.shares.items[i].nbytes;
    }
    ebb_buf_addf(out, "Total %13lu %14lu\n", (unsigned long)n, (unsigned long)nbytes);
    ebb_vec_fini(&h.shares);
    ebb_map_free(h.index_of);
}
