/* constraints.c - see constraints.h. */
#include "jvm/classes/constraints.h"

#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/text.h"
#include "jvm/classes/words.h"
#include "jvm/engine/invoke.h"
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

static bool constrain(jvm_loader *a, jvm_loader *b, const jvm_sym *name)
{
    group *ga = group_of(name, a), *gb = group_of(name, b);
    if (ga == NULL)
        ga = group_new(name, a);
    if (gb == NULL)
        gb = group_new(name, b);
    if (ga == gb)
        return true;
    if (ga->cls != NULL && gb->cls != NULL && ga->cls != gb->cls)
        return false;
    join(ga, gb);
    return true;
}

bool jvm_constrain_descriptor(const jvm_class *a, const jvm_class *b, const jvm_sym *descriptor, const jvm_sym **broken)
{
    if (a->loader == b->loader)
        return true;
    const char *end;
    for (const char *at = descriptor->text; (at = strchr(at, 'L')) != NULL; at = end + 1) {
        end = strchr(at, ';');
        if (ebb_text_starts(at, "Ljava/")) /* K3 */
            continue;
        *broken = jvm_sym_getn(at + 1, (size_t)(end - at) - 1);
        if (!constrain(a->loader, b->loader, *broken))
            return false;
    }
    return true;
}

/* ---- what is said of it ---- */

/* Everything that a message names. */
typedef struct conflict {
    char *first, *first_loader, *second, *second_loader; /* the two classes, and who loaded them */
    char *type, *places;                                 /* on which they differ; where both are */
    char *member;
} conflict;

static conflict conflict_of(const jvm_class *a, const jvm_class *b, const jvm_sym *type, char *member)
{
    char *text = ebb_strdup(type->text);
    for (char *at = text; *at != '\0'; at++)
        *at = *at == '/' ? '.' : *at;
    char *here = jvm_class_place_text(a), *there = jvm_class_place_text(b), *places = ebb_asprintf("%s; %s", here, there);
    free(here);
    free(there);
    return (conflict){.first = jvm_class_external_name(a), .first_loader = jvm_loader_text(a->loader), .second = jvm_class_external_name(b),
                      .second_loader = jvm_loader_text(b->loader), .type = text, .places = places, .member = member};
}

static void conflict_fini(conflict *c)
{
    char *texts[] = {c->first, c->first_loader, c->second, c->second_loader, c->type, c->places, c->member};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
}

static char *method_words(const jvm_method *m)
{
    char *text = jvm_method_text(m), *ret = jvm_type_text(jvm_sig_return(m->sig)), *words = ebb_asprintf("%s %s", ret, text);
    free(text);
    free(ret);
    return words;
}

static const char linkage_error[] = "java/lang/LinkageError";

bool jvm_constrain_field(jvm_thread *t, const jvm_class *from, const jvm_field *f)
{
    const jvm_sym *type;
    if (jvm_constrain_descriptor(from, f->cls, f->sig, &type))
        return true;
    conflict c = conflict_of(from, f->cls, type, ebb_strdup(f->name->text));
    jvm_throw(t, linkage_error, "loader constraint violation: when resolving field \"%s\" of type %s, the class loader %s of the current class, %s, and "
              "the class loader %s for the field's defining type, %s, have different Class objects for type %s (%s)", c.member, c.type, c.first_loader,
              c.first, c.second_loader, c.second, c.type, c.places);
    conflict_fini(&c);
    return false;
}

bool jvm_constrain_method(jvm_thread *t, const jvm_class *from, const jvm_method *m)
{
    const jvm_sym *type;
    if (jvm_constrain_descriptor(from, m->cls, m->sig, &type))
        return true;
    conflict c = conflict_of(from, m->cls, type, method_words(m));
    jvm_throw(t, linkage_error, "loader constraint violation: when resolving method '%s' the class loader %s of the current class, %s, and the class loader "
              "%s for the method's defining class, %s, have different Class objects for the type %s used in the signature (%s)", c.member,
              c.first_loader, from->name->text, c.second_loader, m->cls->name->text, type->text, c.places);
    conflict_fini(&c);
    return false;
}

/* ---- overriding ---- */

static void throw_for_interface(jvm_thread *t, const jvm_class *cls, const jvm_method *m, const jvm_method *above, const jvm_sym *type)
{
    char *name = jvm_class_external_name(cls);
    conflict c = conflict_of(above->cls, m->cls, type, method_words(above));
    jvm_throw(t, linkage_error, "loader constraint violation in interface itable initialization for class %s: when selecting method '%s' the class loader "
              "%s for super interface %s, and the class loader %s of the selected method's %s, %s have different Class objects for the type %s used "
              "in the signature (%s)", name, c.member, c.first_loader, c.first, c.second_loader, jvm_class_is_interface(m->cls) ? "interface" : "class",
              c.second, c.type, c.places);
    free(name);
    conflict_fini(&c);
}

static void throw_for_super(jvm_thread *t, const jvm_class *cls, const jvm_method *m, const jvm_method *above, const jvm_sym *type)
{
    char *name = jvm_class_external_name(cls);
    conflict c = conflict_of(m->cls, above->cls, type, method_words(m));
    jvm_throw(t, linkage_error, "loader constraint violation for class %s: when selecting overriding method '%s' the class loader %s of the selected "
              "method's type %s, and the class loader %s for its super type %s have different Class objects for the type %s used in the "
              "signature (%s)", name, c.member, c.first_loader, c.first, c.second_loader, c.second, c.type, c.places);
    free(name);
    conflict_fini(&c);
}

static bool constrain_override(jvm_thread *t, const jvm_class *cls, const jvm_method *m, const jvm_method *above)
{
    const jvm_sym *type;
    if (jvm_constrain_descriptor(m->cls, above->cls, m->sig, &type))
        return true;
    if (jvm_class_is_interface(above->cls))
        throw_for_interface(t, cls, m, above, type);
    else
        throw_for_super(t, cls, m, above, type);
    return false;
}

static bool constrain_supers(jvm_thread *t, const jvm_class *cls)
{
    const jvm_class *super = cls->super;
    for (uint32_t k = 0; super != NULL && k < super->nvtable; k++)
        if (cls->vtable[k] != super->vtable[k] && !constrain_override(t, cls, cls->vtable[k], super->vtable[k]))
            return false;
    return true;
}

static bool constrain_interface(jvm_thread *t, const jvm_class *cls, const jvm_class *iface)
{
    for (uint16_t i = 0; i < iface->nmethods; i++) {
        const jvm_method *above = &iface->methods[i];
        if (jvm_method_is_static(above) || (above->access & JVM_ACC_PRIVATE) || above->name->text[0] == '<')
            continue;
        const jvm_method *m = jvm_class_find_method(cls, above->name, above->sig);
        if (m != NULL && m != above && !constrain_override(t, cls, m, above))
            return false;
    }
    return true;
}

/* Names that matter are those outside of java/: interfaces of the JDK have hardly any, and are passed over. */
bool jvm_constrain_overrides(jvm_thread *t, const jvm_class *cls)
{
    if (jvm_class_is_interface(cls))
        return true;
    if (!constrain_supers(t, cls))
        return false;
    for (uint32_t i = 0; i < cls->nitable; i++) {
        const jvm_class *iface = cls->itable[i].iface;
        if (iface->loader != cls->loader && !ebb_text_starts(iface->name->text, "java/") && !constrain_interface(t, cls, iface))
            return false;
    }
    return true;
}

/* ---- loading ---- */

static void throw_wants_other(jvm_thread *t, const jvm_loader *loader, const jvm_class *cls, const jvm_class *other)
{
    char *name = jvm_class_external_name(cls), *wants = jvm_loader_text(loader), *had = jvm_loader_text(other->loader), *place = jvm_class_place_text(other);
    const char *kind = jvm_class_is_interface(other) ? "interface" : "class";
    jvm_throw(t, linkage_error, "loader constraint violation: loader %s wants to load %s %s. A different %s with the same name was previously loaded by %s. "
              "(%s)", wants, jvm_class_is_interface(cls) ? "interface" : "class", name, kind, had, place);
    free(name);
    free(wants);
    free(had);
    free(place);
}

bool jvm_constraint_allows(jvm_thread *t, jvm_loader *loader, jvm_class *cls)
{
    group *g = group_of(cls->name, loader);
    if (g == NULL)
        return true;
    if (g->cls != NULL && g->cls != cls) {
        throw_wants_other(t, loader, cls, g->cls);
        return false;
    }
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
