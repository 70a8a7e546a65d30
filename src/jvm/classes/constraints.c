/* constraints.c - see constraints.h. */
#include "jvm/classes/constraints.h"

#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/text.h"
#include "jvm/heap/jstring.h"
#include "jvm/engine/throw.h"
#include "jvm/jvm.h"

typedef struct group {
    EBB_VEC(jvm_loader *) loaders;
    jvm_class *cls;            /* or NULL while none of them loaded it */
    struct group *next;        /* another group for the same name */
} group;

static ebb_map *groups_by_name; /* address of the name -> first group */

static bool has_loader(const group *g, const jvm_loader *loader)
{
    for (size_t i = 0; i < g->loaders.n; i++)
        if (g->loaders.items[i] == loader)
            return true;
    return false;
}

static group *group_of(const jvm_sym *name, const jvm_loader *loader)
{
    group *g = groups_by_name == NULL ? NULL : ebb_map_get_u64(groups_by_name, (uintptr_t)name);
    while (g != NULL && !has_loader(g, loader))
        g = g->next;
    return g;
}

static group *group_new(const jvm_sym *name, jvm_loader *loader)
{
    if (groups_by_name == NULL)
        groups_by_name = ebb_map_new();
    group *g = EBB_NEW(group);
    g->next = ebb_map_get_u64(groups_by_name, (uintptr_t)name);
    g->cls = jvm_find_loaded(loader, name);
    ebb_vec_push(&g->loaders, loader);
    ebb_map_set_u64(groups_by_name, (uintptr_t)name, g);
    return g;
}

/* Moves the loaders of `from` over; it stays in the list, empty (K2). */
static void join(group *into, group *from)
{
    for (size_t i = 0; i < from->loaders.n; i++)
        ebb_vec_push(&into->loaders, from->loaders.items[i]);
    ebb_vec_fini(&from->loaders);
    into->cls = into->cls != NULL ? into->cls : from->cls;
    from->cls = NULL;
}

static char *loader_text(const jvm_loader *loader)
{
    jvm_obj *name = loader->object == NULL ? NULL : jvm_get_ref(loader->object, jvm.fields.ClassLoader_nameAndId);
    return name == NULL ? ebb_strdup("'bootstrap'") : jvm_string_utf8(name);
}

static bool violated(jvm_thread *t, const jvm_loader *a, const jvm_loader *b, const jvm_sym *name)
{
    char *first = loader_text(a), *second = loader_text(b);
    jvm_throw(t, "java/lang/LinkageError",
              "loader constraint violation: loader %s and loader %s have different Class objects for %s", first, second,
              name->text);
    free(first);
    free(second);
    return false;
}

static bool constrain(jvm_thread *t, jvm_loader *a, jvm_loader *b, const jvm_sym *name)
{
    group *ga = group_of(name, a), *gb = group_of(name, b);
    if (ga == NULL)
        ga = group_new(name, a);
    if (gb == NULL)
        gb = group_new(name, b);
    if (ga == gb)
        return true;
    if (ga->cls != NULL && gb->cls != NULL && ga->cls != gb->cls)
        return violated(t, a, b, name);
    join(ga, gb);
    return true;
}

bool jvm_constrain_descriptor(jvm_thread *t, jvm_loader *a, jvm_loader *b, const jvm_sym *descriptor)
{
    if (a == b)
        return true;
    const char *end;
    for (const char *at = descriptor->text; (at = strchr(at, 'L')) != NULL; at = end + 1) {
        end = strchr(at, ';');
        if (ebb_text_starts(at, "Ljava/")) /* K3 */
            continue;
        if (!constrain(t, a, b, jvm_sym_getn(at + 1, (size_t)(end - at) - 1)))
            return false;
    }
    return true;
}

bool jvm_constraint_allows(jvm_thread *t, jvm_loader *loader, jvm_class *cls)
{
    group *g = group_of(cls->name, loader);
    if (g == NULL)
        return true;
    if (g->cls != NULL && g->cls != cls)
        return violated(t, loader, g->cls->loader, cls->name);
    g->cls = cls;
    return true;
}

static void each_group(void (*visit)(group *g, const void *arg), const void *arg)
{
    ebb_map_entry entry;
    for (size_t at = 0; groups_by_name != NULL && ebb_map_next(groups_by_name, &at, &entry);)
        for (group *g = entry.value; g != NULL; g = g->next)
            visit(g, arg);
}

static void forget_loader(group *g, const void *loader)
{
    size_t kept = 0;
    for (size_t i = 0; i < g->loaders.n; i++)
        if (g->loaders.items[i] != loader)
            g->loaders.items[kept++] = g->loaders.items[i];
    g->loaders.n = kept;
}

void jvm_constraints_forget(const jvm_loader *loader)
{
    each_group(forget_loader, loader);
}

static void forget_dead_class(group *g, const void *unused)
{
    if (g->cls != NULL && (g->cls->flags & JVM_CLASS_DEAD))
        g->cls = NULL;
}

void jvm_constraints_forget_dead_classes(void)
{
    each_group(forget_dead_class, NULL);
}
