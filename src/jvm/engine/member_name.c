/* java.lang.invoke.MemberName: the machine's answers to "which member is this?" */
#include "jvm/engine/mh.h"

#include "base/buf.h"
#include "base/mem.h"
#include "jvm/heap/handles.h"
#include "jvm/heap/heap.h"
#include "jvm/engine/invoke.h"
#include "jvm/heap/jstring.h"
#include "jvm/classes/loader.h"
#include "jvm/classes/resolve.h"
#include "jvm/engine/throw.h"
#include "jvm/jvm.h"

#include <string.h>

enum { /* MemberName.flags */
    IS_METHOD = 0x10000, IS_CONSTRUCTOR = 0x20000, IS_FIELD = 0x40000, IS_TYPE = 0x80000, CALLER_SENSITIVE = 0x100000,
    TRUSTED_FINAL = 0x200000, KIND_SHIFT = 24, KIND_MASK = 0xf,
};

enum { REF_GET_FIELD = 1, REF_GET_STATIC, REF_PUT_FIELD, REF_PUT_STATIC, REF_VIRTUAL, REF_STATIC, REF_SPECIAL, REF_NEW, REF_INTERFACE };

enum { NOT_DISPATCHED = -2 };

jvm_method *jvm_member_method(const jvm_obj *member)
{
    const jvm_obj *resolved = jvm_get_ref(member, jvm.fields.MemberName_method);
    return resolved ? (jvm_method *)(uintptr_t)jvm_get_i64(resolved, jvm.fields.ResolvedMethodName_vmtarget) : NULL;
}

static void set_target(jvm_thread *t, jvm_obj *member, jvm_method *m, int flags, int64_t index, jvm_class *holder)
{
    jvm_obj *resolved = jvm_new_object(t, jvm.classes.ResolvedMethodName);
    if (resolved == NULL)
        return;
    jvm_put_i64(resolved, jvm.fields.ResolvedMethodName_vmtarget, (int64_t)(uintptr_t)m);
    jvm_put_ref(resolved, jvm.fields.ResolvedMethodName_vmholder, m->cls->mirror);
    jvm_put_ref(member, jvm.fields.MemberName_method, resolved);
    jvm_put_i64(member, jvm.fields.MemberName_vmindex, index);
    jvm_put_i32(member, jvm.fields.MemberName_flags, flags);
    jvm_put_ref(member, jvm.fields.MemberName_clazz, holder->mirror);
}

static bool is_dispatched(const jvm_method *m)
{
    if (m->access & (JVM_ACC_STATIC | JVM_ACC_PRIVATE | JVM_ACC_FINAL) || (m->cls->access & JVM_ACC_FINAL))
        return false;
    return m->vtable_index >= 0 || m->itable_index >= 0;
}

void jvm_member_set_method(jvm_thread *t, jvm_obj *member, jvm_method *m, bool do_dispatch)
{
    int flags = m->access;
    int64_t index = NOT_DISPATCHED;
    int ref;
    if (m->flags & JVM_METHOD_CALLER_SENSITIVE)
        flags |= CALLER_SENSITIVE;
    if (jvm_method_is_init(m)) {
        flags |= IS_CONSTRUCTOR;
        ref = REF_SPECIAL;
    } else {
        flags |= IS_METHOD;
        ref = jvm_method_is_static(m) ? REF_STATIC : REF_SPECIAL;
    }
    if (do_dispatch && !jvm_method_is_init(m) && is_dispatched(m)) {
        bool by_interface = jvm_class_is_interface(m->cls);
        ref = by_interface ? REF_INTERFACE : REF_VIRTUAL;
        index = by_interface ? m->itable_index : m->vtable_index;
    }
    set_target(t, member, m, flags | ref << KIND_SHIFT, index, m->cls);
}

/* An interface method found through a class: dispatched by that class's vtable. */
static bool set_through_class(jvm_thread *t, jvm_obj *member, jvm_method *m, jvm_class *named)
{
    for (uint32_t i = 0; i < named->nvtable; i++) {
        if (named->vtable[i]->name != m->name || named->vtable[i]->sig != m->sig)
            continue;
        int flags = m->access | IS_METHOD | REF_VIRTUAL << KIND_SHIFT;
        set_target(t, member, named->vtable[i], flags, i, named);
        return true;
    }
    return false;
}

void jvm_member_set_field(jvm_thread *t, jvm_obj *member, jvm_field *f, bool is_setter)
{
    int ref = f->access & JVM_ACC_STATIC ? REF_GET_STATIC : REF_GET_FIELD;
    int flags = f->access | IS_FIELD | (ref + (is_setter ? 2 : 0)) << KIND_SHIFT;
    if (f->flags & JVM_FIELD_TRUSTED_FINAL)
        flags |= TRUSTED_FINAL;
    jvm_put_ref(member, jvm.fields.MemberName_method, NULL);
    jvm_put_i64(member, jvm.fields.MemberName_vmindex, f->offset);
    jvm_put_i32(member, jvm.fields.MemberName_flags, flags);
    jvm_put_ref(member, jvm.fields.MemberName_clazz, f->cls->mirror);
}

/* ---- descriptors of MethodType, Class and String ---- */

static void add_class_descriptor(ebb_buf *out, const jvm_obj *mirror)
{
    const jvm_class *cls = jvm_mirror_class(mirror);
    if (cls->kind == JVM_KIND_PRIMITIVE)
        ebb_buf_addc(out, cls->element_type);
    else if (jvm_class_is_array(cls))
        ebb_buf_adds(out, cls->name->text);
    else
        ebb_buf_addf(out, "L%s;", cls->name->text);
}

static const jvm_sym *descriptor_of(const jvm_obj *type)
{
    if (type == NULL)
        return NULL;
    if (type->cls == jvm.classes.String)
        return jvm_string_sym(type);
    ebb_buf out = {0};
    if (type->cls == jvm.classes.Class) {
        add_class_descriptor(&out, type);
    } else if (type->cls == jvm.classes.MethodType) {
        const jvm_obj *parameters = jvm_get_ref(type, jvm.fields.MethodType_ptypes);
        ebb_buf_addc(&out, '(');
        for (int32_t i = 0; i < parameters->length; i++)
            add_class_descriptor(&out, jvm_elem_ref(parameters, i));
        ebb_buf_addc(&out, ')');
        add_class_descriptor(&out, jvm_get_ref(type, jvm.fields.MethodType_rtype));
    }
    const jvm_sym *sym = out.n > 0 ? jvm_sym_getn(out.data, out.n) : NULL;
    ebb_buf_fini(&out);
    return sym;
}

/* ---- resolution ---- */

typedef struct request {
    jvm_class *named;
    const jvm_sym *name, *sig;
    int ref;
    jvm_class *caller; /* NULL: trusted */
    bool speculative;
} request;

static jvm_obj *fail(jvm_thread *t, const request *q, const char *error, const char *what)
{
    if (!q->speculative) {
        char *cls = jvm_class_external_name(q->named);
        jvm_throw(t, error, "%s%s.%s%s%s", what, cls, q->name->text, q->sig->text[0] == '(' ? "" : ":", q->sig->text);
        free(cls);
    }
    return NULL;
}

static bool may_access(jvm_thread *t, const request *q, const jvm_class *holder, uint16_t access)
{
    return q->caller == NULL || jvm_can_access_member(t, q->caller, holder, q->named, access) ||
           (jvm_class_is_array(q->named) && jvm_sym_is(q->name, "clone"));
}

static jvm_obj *resolve_method(jvm_thread *t, jvm_obj *member, const request *q)
{
    enum jvm_intrinsic which = jvm_intrinsic_named(q->named, q->name);
    if (which != JVM_INTRINSIC_NONE) {
        jvm_member_set_method(t, member, jvm_intrinsic_method(which, q->sig), false);
        return member;
    }
    jvm_class *cls = jvm_class_is_array(q->named) ? jvm.classes.Object : q->named;
    jvm_method *m = jvm_class_find_method(cls, q->name, q->sig);
    if (m == NULL)
        return fail(t, q, "java/lang/NoSuchMethodError", "");
    if (jvm_method_is_static(m) != (q->ref == REF_STATIC) || (q->ref == REF_INTERFACE && !jvm_class_is_interface(cls)))
        return fail(t, q, "java/lang/IncompatibleClassChangeError", "not the expected kind of method: ");
    if (!may_access(t, q, m->cls, m->access))
        return fail(t, q, "java/lang/IllegalAccessError", "no access to method ");
    if (!jvm_link_class(t, cls) || !jvm_link_class(t, m->cls))
        return NULL;
    bool through_class = q->ref == REF_VIRTUAL && jvm_class_is_interface(m->cls) && !jvm_class_is_interface(cls) &&
                         !(m->access & JVM_ACC_PRIVATE);
    if (!(through_class && set_through_class(t, member, m, cls)))
        jvm_member_set_method(t, member, m, q->ref == REF_VIRTUAL || q->ref == REF_INTERFACE);
    return member;
}

static jvm_obj *resolve_constructor(jvm_thread *t, jvm_obj *member, const request *q)
{
    jvm_method *m = jvm_sym_is(q->name, "<init>") ? jvm_class_own_method(q->named, q->name, q->sig) : NULL;
    if (m == NULL)
        return fail(t, q, "java/lang/NoSuchMethodError", "");
    if (!may_access(t, q, m->cls, m->access))
        return fail(t, q, "java/lang/IllegalAccessError", "no access to constructor ");
    if (!jvm_link_class(t, q->named))
        return NULL;
    jvm_member_set_method(t, member, m, false);
    return member;
}

static jvm_obj *resolve_field(jvm_thread *t, jvm_obj *member, const request *q)
{
    jvm_field *f = jvm_class_find_field(q->named, q->name, q->sig);
    if (f == NULL)
        return fail(t, q, "java/lang/NoSuchFieldError", "");
    if (!may_access(t, q, f->cls, f->access))
        return fail(t, q, "java/lang/IllegalAccessError", "no access to field ");
    if (!jvm_link_class(t, f->cls))
        return NULL;
    jvm_member_set_field(t, member, f, q->ref == REF_PUT_FIELD || q->ref == REF_PUT_STATIC);
    return member;
}

jvm_obj *jvm_member_resolve(jvm_thread *t, jvm_obj *member, jvm_class *caller, int lookup_mode, bool speculative)
{
    const jvm_obj *mirror = jvm_get_ref(member, jvm.fields.MemberName_clazz);
    const jvm_obj *name = jvm_get_ref(member, jvm.fields.MemberName_name);
    const jvm_sym *sig = descriptor_of(jvm_get_ref(member, jvm.fields.MemberName_type));
    int flags = jvm_get_i32(member, jvm.fields.MemberName_flags);
    if (mirror == NULL || name == NULL || sig == NULL) {
        jvm_throw(t, JVM_IAE, "nothing to resolve");
        return NULL;
    }
    request q = {jvm_mirror_class(mirror), jvm_string_sym(name), sig, flags >> KIND_SHIFT & KIND_MASK, caller, speculative};
    if (q.named->kind == JVM_KIND_PRIMITIVE)
        return fail(t, &q, "java/lang/NoSuchMethodError", "");
    jvm_obj *result;
    if (flags & IS_METHOD)
        result = resolve_method(t, member, &q);
    else if (flags & IS_CONSTRUCTOR)
        result = resolve_constructor(t, member, &q);
    else if (flags & IS_FIELD)
        result = resolve_field(t, member, &q);
    else
        result = fail(t, &q, "java/lang/InternalError", "unrecognized MemberName format: ");
    if (speculative && result == NULL)
        t->exception = NULL;
    return result;
}
