/* link.c - layout of fields, tables of interfaces and methods, and the steps of linking in their order. */
#include "jvm/classes/constraints.h"
#include "jvm/classes/link.h"

#include "base/check.h"
#include "base/log.h"
#include "base/mem.h"
#include "jvm/agent/agent.h"
#include "jvm/classes/loader.h"
#include "jvm/engine/throw.h"
#include "jvm/verify/verify.h"
#include "jvm/jvm.h"

#include <string.h>

/* ---- field layout ---- */

static bool takes_part(const jvm_field *f, bool statics)
{
    return ((f->access & JVM_ACC_STATIC) != 0) == statics;
}

/* Places the fields of one size from `at` on; stops early, if `gap_end` isn't 0, when the gap is full. */
static uint32_t place_size(jvm_class *cls, bool statics, uint32_t size, uint32_t at, uint32_t gap_end)
{
    for (uint16_t i = 0; i < cls->nfields; i++) {
        jvm_field *f = &cls->fields[i];
        if (!takes_part(f, statics) || f->offset != 0 || java_type_size(f->type) != size)
            continue;
        uint32_t aligned = (at + size - 1) & ~(size - 1);
        if (gap_end != 0 && aligned + size > gap_end)
            break;
        f->offset = aligned;
        at = aligned + size;
    }
    return at;
}

static bool has_wide_field(const jvm_class *cls, bool statics)
{
    for (uint16_t i = 0; i < cls->nfields; i++)
        if (takes_part(&cls->fields[i], statics) && java_type_size(cls->fields[i].type) == 8)
            return true;
    return false;
}

/* Offset after the last field. */
static uint32_t place_fields(jvm_class *cls, bool statics, uint32_t at)
{
    if (at % 8 != 0 && has_wide_field(cls, statics)) {
        uint32_t gap_end = (at + 7) & ~7u;
        for (uint32_t size = 4; size >= 1; size /= 2)
            at = place_size(cls, statics, size, at, gap_end);
    }
    for (uint32_t size = 8; size >= 1; size /= 2)
        at = place_size(cls, statics, size, at, 0);
    return at;
}

static bool is_ref(const jvm_field *f)
{
    return f->type == 'L' || f->type == '[';
}

void jvm_layout_statics(jvm_class *cls, uint32_t mirror_size)
{
    uint32_t start = (mirror_size + 7) & ~7u;
    uint32_t end = place_fields(cls, true, start);
    cls->statics_size = end - mirror_size;
    cls->static_refs = EBB_ARENA_ARRAY(&cls->arena, uint32_t, cls->nfields + 1u);
    cls->nstatic_refs = 0;
    for (uint16_t i = 0; i < cls->nfields; i++)
        if (takes_part(&cls->fields[i], true) && is_ref(&cls->fields[i]))
            cls->static_refs[cls->nstatic_refs++] = cls->fields[i].offset;
}

static bool is_referent(const jvm_field *f)
{
    return jvm_sym_is(f->name, "referent") && jvm_sym_is(f->cls->name, "java/lang/ref/Reference");
}

void jvm_layout_instance(jvm_class *cls)
{
    const jvm_class *super = cls->super;
    uint32_t inherited = super ? super->nref_offsets : 0;
    cls->instance_size = place_fields(cls, false, super ? super->instance_size : JVM_HEADER_SIZE);
    cls->ref_offsets = EBB_ARENA_ARRAY(&cls->arena, uint32_t, inherited + cls->nfields + 1u);
    if (inherited > 0)
        memcpy(cls->ref_offsets, super->ref_offsets, inherited * sizeof *cls->ref_offsets);
    cls->nref_offsets = inherited;
    for (uint16_t i = 0; i < cls->nfields; i++) {
        jvm_field *f = &cls->fields[i];
        if (takes_part(f, false) && is_ref(f) && !is_referent(f))
            cls->ref_offsets[cls->nref_offsets++] = f->offset;
        bool trusted_class = (cls->flags & (JVM_CLASS_HIDDEN | JVM_CLASS_RECORD)) != 0;
        if ((f->access & JVM_ACC_FINAL) && (trusted_class || (f->access & JVM_ACC_STATIC)))
            f->flags |= JVM_FIELD_TRUSTED_FINAL;
    }
}

/* ---- interfaces ---- */

static void add_interface(jvm_class *cls, jvm_class *iface, jvm_itable *rows, uint32_t *n)
{
    for (uint32_t i = 0; i < *n; i++)
        if (rows[i].iface == iface)
            return;
    rows[(*n)++].iface = iface;
}

static void make_itable(jvm_class *cls)
{
    uint32_t most = cls->super ? cls->super->nitable : 0, n = 0;
    for (uint16_t i = 0; i < cls->ninterfaces; i++)
        most += 1 + cls->interfaces[i]->nitable;
    jvm_itable *rows = EBB_ARENA_ARRAY(&cls->arena, jvm_itable, most + 1);
    for (uint32_t i = 0; cls->super && i < cls->super->nitable; i++)
        add_interface(cls, cls->super->itable[i].iface, rows, &n);
    for (uint16_t i = 0; i < cls->ninterfaces; i++) {
        jvm_class *iface = cls->interfaces[i];
        add_interface(cls, iface, rows, &n);
        for (uint32_t k = 0; k < iface->nitable; k++)
            add_interface(cls, iface->itable[k].iface, rows, &n);
    }
    cls->itable = rows;
    cls->nitable = n;
}

/* ---- vtables ---- */

static bool is_virtual(const jvm_method *m)
{
    return !(m->access & (JVM_ACC_STATIC | JVM_ACC_PRIVATE)) && m->name->text[0] != '<';
}

static bool overrides(const jvm_method *m, const jvm_method *inherited)
{
    if (m->name != inherited->name || m->sig != inherited->sig)
        return false;
    if (inherited->access & (JVM_ACC_PUBLIC | JVM_ACC_PROTECTED))
        return true;
    return jvm_same_package(m->cls, inherited->cls);
}

typedef struct vtable {
    jvm_method **entries;
    uint32_t n;
} vtable;

static void add_own_methods(jvm_class *cls, vtable *v)
{
    uint32_t inherited = v->n;
    for (uint16_t i = 0; i < cls->nmethods; i++) {
        jvm_method *m = &cls->methods[i];
        if (!is_virtual(m))
            continue;
        for (uint32_t k = 0; k < inherited; k++)
            if (overrides(m, v->entries[k])) {
                v->entries[k] = m;
                m->vtable_index = (int32_t)k;
            }
        if (m->vtable_index < 0) {
            m->vtable_index = (int32_t)v->n;
            v->entries[v->n++] = m;
        }
    }
}

/* A method whose call throws IncompatibleClassChangeError: several defaults compete. */
static jvm_method *conflict_new(jvm_class *cls, const jvm_method *like)
{
    jvm_method *m = EBB_ARENA_NEW(&cls->arena, jvm_method);
    *m = *like;
    m->cls = cls;
    m->flags |= JVM_METHOD_OVERPASS;
    m->access |= JVM_ACC_ABSTRACT;
    m->entry = JVM_ENTRY_UNPREPARED;
    m->bytes = NULL;
    m->itable_index = -1;
    return m;
}

static bool is_overshadowed(const jvm_class *cls, const jvm_method *m, const jvm_class *iface)
{
    for (uint32_t i = 0; i < cls->nitable; i++) {
        const jvm_class *other = cls->itable[i].iface;
        if (other == iface || !jvm_is_subclass(other, iface))
            continue;
        const jvm_method *o = jvm_class_own_method(other, m->name, m->sig);
        if (o != NULL && is_virtual(o))
            return true;
    }
    return false;
}

/* Among the most specific declarations of m in the superinterfaces: the one body, or an abstract one. */
static jvm_method *select_default(jvm_class *cls, const jvm_method *m)
{
    jvm_method *body = NULL, *abstract = NULL;
    for (uint32_t i = 0; i < cls->nitable; i++) {
        jvm_method *c = jvm_class_own_method(cls->itable[i].iface, m->name, m->sig);
        if (c == NULL || !is_virtual(c) || is_overshadowed(cls, c, cls->itable[i].iface))
            continue;
        if (c->access & JVM_ACC_ABSTRACT)
            abstract = c;
        else if (body != NULL)
            return conflict_new(cls, c);
        else
            body = c;
    }
    return body ? body : abstract;
}

static int32_t vtable_find(const vtable *v, const jvm_method *m)
{
    for (uint32_t k = 0; k < v->n; k++)
        if (v->entries[k]->name == m->name && v->entries[k]->sig == m->sig &&
            (v->entries[k]->access & (JVM_ACC_PUBLIC | JVM_ACC_PROTECTED | JVM_ACC_ABSTRACT)))
            return (int32_t)k;
    return -1;
}

static bool came_from_interface(const jvm_method *m)
{
    return jvm_class_is_interface(m->cls) || (m->flags & JVM_METHOD_OVERPASS);
}

static void add_interface_methods(jvm_class *cls, vtable *v)
{
    for (uint32_t i = 0; i < cls->nitable; i++) {
        const jvm_class *iface = cls->itable[i].iface;
        for (uint16_t k = 0; k < iface->nmethods; k++) {
            const jvm_method *m = &iface->methods[k];
            if (!is_virtual(m))
                continue;
            int32_t at = vtable_find(v, m);
            if (at < 0)
                v->entries[v->n++] = select_default(cls, m);
            else if (came_from_interface(v->entries[at]))
                v->entries[at] = select_default(cls, m);
        }
    }
}

static uint32_t interface_methods(const jvm_class *cls)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < cls->nitable; i++)
        n += cls->itable[i].iface->nmethods;
    return n;
}

static void make_vtable(jvm_class *cls)
{
    const jvm_class *super = cls->super;
    uint32_t inherited = super ? super->nvtable : 0;
    bool new_interfaces = cls->ninterfaces > 0;
    uint32_t most = inherited + cls->nmethods + (new_interfaces ? interface_methods(cls) : 0);
    jvm_method **scratch = ebb_alloc((most + 1) * sizeof *scratch);
    vtable v = {scratch, inherited};
    if (inherited > 0)
        memcpy(scratch, super->vtable, inherited * sizeof *scratch);
    add_own_methods(cls, &v);
    if (new_interfaces)
        add_interface_methods(cls, &v);
    cls->nvtable = v.n;
    cls->vtable = EBB_ARENA_ARRAY(&cls->arena, jvm_method *, v.n + 1);
    memcpy(cls->vtable, scratch, v.n * sizeof *scratch);
    free(scratch);
}

void jvm_make_tables(jvm_class *cls)
{
    make_itable(cls);
    if (jvm_class_is_interface(cls)) {
        for (uint16_t i = 0; i < cls->nmethods; i++)
            cls->methods[i].itable_index = i;
        return;
    }
    make_vtable(cls);
}

/* ---- linking ---- */

static void set_reference_kind(jvm_class *cls)
{
    static const struct {
        const char *name;
        enum jvm_ref_kind kind;
    } rows[] = {{"java/lang/ref/SoftReference", JVM_REF_SOFT}, {"java/lang/ref/WeakReference", JVM_REF_WEAK},
                {"java/lang/ref/FinalReference", JVM_REF_FINAL}, {"java/lang/ref/PhantomReference", JVM_REF_PHANTOM}};
    if (cls->super != NULL)
        cls->ref_kind = cls->super->ref_kind;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && cls->loader->object == NULL; i++)
        if (jvm_sym_is(cls->name, rows[i].name))
            cls->ref_kind = (uint8_t)rows[i].kind;
}

static void set_finalizer(jvm_class *cls)
{
    if (cls->super == NULL)
        return; /* Object.finalize does nothing */
    cls->finalizer = cls->super->finalizer;
    for (uint16_t i = 0; i < cls->nmethods; i++)
        if (jvm_sym_is(cls->methods[i].name, "finalize") && jvm_sym_is(cls->methods[i].sig, "()V") &&
            is_virtual(&cls->methods[i]))
            cls->finalizer = (cls->methods[i].flags & JVM_METHOD_FINALIZER) ? &cls->methods[i] : NULL;
    cls->flags &= (uint16_t)~JVM_CLASS_HAS_FINALIZER;
    if (cls->finalizer != NULL)
        cls->flags |= JVM_CLASS_HAS_FINALIZER;
}

static bool check_final_overrides(jvm_thread *t, const jvm_class *cls)
{
    const jvm_class *super = cls->super;
    for (uint16_t i = 0; super != NULL && i < cls->nmethods; i++) {
        const jvm_method *m = &cls->methods[i];
        if (m->vtable_index < 0 || (uint32_t)m->vtable_index >= super->nvtable)
            continue;
        const jvm_method *above = super->vtable[m->vtable_index];
        if (above->access & JVM_ACC_FINAL) {
            char *a = jvm_class_external_name(cls), *b = jvm_class_external_name(above->cls);
            jvm_throw(t, "java/lang/IncompatibleClassChangeError", "class %s overrides final method %s.%s%s", a, b, above->name->text, above->sig->text);
            free(a);
            free(b);
            return false;
        }
    }
    return true;
}

bool jvm_link_class(jvm_thread *t, jvm_class *cls)
{
    if (cls->state != JVM_CLASS_LOADED)
        return cls->state != JVM_CLASS_ERROR || true;
    if (cls->super != NULL && !jvm_link_class(t, cls->super))
        return false;
    for (uint16_t i = 0; i < cls->ninterfaces; i++)
        if (!jvm_link_class(t, cls->interfaces[i]))
            return false;
    if (cls->state != JVM_CLASS_LOADED)
        return true; /* verification of a superclass linked it */
    jvm_undo_cut("the linking of a class");
    if (!(cls->flags & JVM_CLASS_LAID_OUT)) { /* once: verification can switch to a thread that links it too */
        if (!jvm_class_is_interface(cls))
            jvm_layout_instance(cls);
        jvm_make_tables(cls);
        set_reference_kind(cls);
        set_finalizer(cls);
        cls->flags |= JVM_CLASS_LAID_OUT;
    }
    if (!(cls->flags & JVM_CLASS_TRUSTED) && (!check_final_overrides(t, cls) || !jvm_constrain_overrides(t, cls) || !jvm_verify_class(t, cls)))
        return false;
    jvm_undo_cut("the linking of a class"); /* others may have run since */
    if (cls->state == JVM_CLASS_LOADED)
        cls->state = JVM_CLASS_LINKED;
    if (jvm_agent_on)
        jvm_agent_linked(cls);
    return true;
}
