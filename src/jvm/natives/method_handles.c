/* natives/method_handles.c - java.lang.invoke.MethodHandleNatives, on top of engine/mh.h. */
#include "jvm/engine/invoke.h"
#include "jvm/heap/jstring.h"
#include "jvm/engine/mh.h"
#include "jvm/natives/natives.h"
#include "jvm/classes/reflect.h"

enum { /* MemberName.flags */
    MN_METHOD = 0x10000, MN_CONSTRUCTOR = 0x20000, MN_FIELD = 0x40000,
    MN_SEARCH_SUPERCLASSES = 0x100000, MN_SEARCH_INTERFACES = 0x200000,
};

/* ---- one member ---- */

static jvm_slot mhn_init(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    jvm_obj *member = args[0].a, *from = args[1].a;
    if (!jvm_check_not_null(t, member) || !jvm_check_not_null(t, from))
        return jvm_nothing();
    jvm_gc_point(t);
    jvm_field *field = jvm_reflected_field(from);
    jvm_method *method = jvm_reflected_method(from);
    if (field != NULL)
        jvm_member_set_field(t, member, field, false);
    else if (method != NULL)
        jvm_member_set_method(t, member, method, true);
    else
        jvm_throw(t, JVM_INTERNAL_ERROR, "MethodHandleNatives.init of %s", from->cls->name->text);
    return jvm_nothing();
}

static const jvm_field *field_at_offset(const jvm_class *cls, int64_t offset, bool is_static)
{
    for (; cls != NULL; cls = cls->super)
        for (int i = 0; i < cls->nfields; i++)
            if (cls->fields[i].offset == offset && ((cls->fields[i].access & JVM_ACC_STATIC) != 0) == is_static)
                return &cls->fields[i];
    return NULL;
}

static void expand_from(jvm_thread *t, jvm_obj *member, const jvm_class *cls, const jvm_sym *name, const jvm_sym *type)
{
    if (jvm_get_ref(member, jvm.fields.MemberName_clazz) == NULL)
        jvm_put_ref(member, jvm.fields.MemberName_clazz, cls->mirror);
    if (jvm_get_ref(member, jvm.fields.MemberName_name) == NULL)
        jvm_put_ref(member, jvm.fields.MemberName_name, jvm_string_of_sym(t, name));
    if (jvm_get_ref(member, jvm.fields.MemberName_type) == NULL)
        jvm_put_ref(member, jvm.fields.MemberName_type, jvm_string_of_sym(t, type));
}

/* Fills the class, name and descriptor that a MemberName made by the machine lacks. */
static jvm_slot mhn_expand(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    jvm_obj *member = args[0].a;
    if (!jvm_check_not_null(t, member))
        return jvm_nothing();
    jvm_gc_point(t);
    int32_t flags = jvm_get_i32(member, jvm.fields.MemberName_flags);
    const jvm_method *method = jvm_member_method(member);
    jvm_obj *clazz = jvm_get_ref(member, jvm.fields.MemberName_clazz);
    const jvm_field *field = NULL;
    if ((flags & MN_FIELD) && clazz != NULL)
        field = field_at_offset(jvm_mirror_class(clazz), jvm_get_i64(member, jvm.fields.MemberName_vmindex),
                                (flags & JVM_ACC_STATIC) != 0);
    if (method != NULL)
        expand_from(t, member, method->cls, method->name, method->sig);
    else if (field != NULL)
        expand_from(t, member, field->cls, field->name, field->sig);
    else
        jvm_throw(t, JVM_IAE, "nothing to expand");
    return jvm_nothing();
}

static jvm_slot mhn_resolve(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    if (args[0].a == NULL) {
        jvm_throw(t, JVM_INTERNAL_ERROR, "nothing to resolve");
        return jvm_nothing();
    }
    jvm_gc_point(t);
    jvm_class *caller = args[1].a == NULL ? NULL : jvm_mirror_class(args[1].a);
    return jvm_ref(jvm_member_resolve(t, args[0].a, caller, args[2].i, args[3].i != 0));
}

static int64_t vmindex(const jvm_obj *member) { return jvm_get_i64(member, jvm.fields.MemberName_vmindex); }

static bool check_field(jvm_thread *t, const jvm_obj *member, bool is_static)
{
    if (!jvm_check_not_null(t, member))
        return false;
    int32_t flags = jvm_get_i32(member, jvm.fields.MemberName_flags);
    if ((flags & MN_FIELD) && ((flags & JVM_ACC_STATIC) != 0) == is_static)
        return true;
    jvm_throw(t, JVM_INTERNAL_ERROR, is_static ? "static field required" : "non-static field required");
    return false;
}

static jvm_slot mhn_object_field_offset(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    return jvm_long(check_field(t, args[0].a, false) ? vmindex(args[0].a) : 0);
}

static jvm_slot mhn_static_field_offset(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    return jvm_long(check_field(t, args[0].a, true) ? vmindex(args[0].a) : 0);
}

static jvm_slot mhn_static_field_base(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    return jvm_ref(check_field(t, args[0].a, true) ? jvm_get_ref(args[0].a, jvm.fields.MemberName_clazz) : NULL);
}

/* {Long vmindex, class of a field or the MemberName of a method} */
static jvm_slot mhn_get_member_vm_info(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    jvm_obj *member = args[0].a;
    if (member == NULL)
        return jvm_nothing();
    jvm_gc_point(t);
    jvm_obj *info = jvm_new_ref_array(t, jvm.classes.Object, 2);
    jvm_obj *index = jvm_box(t, 'J', jvm_long(vmindex(member)));
    if (info == NULL || index == NULL)
        return jvm_nothing();
    bool is_field = (jvm_get_i32(member, jvm.fields.MemberName_flags) & MN_FIELD) != 0;
    jvm_elem_put_ref(info, 0, index);
    jvm_elem_put_ref(info, 1, is_field ? jvm_get_ref(member, jvm.fields.MemberName_clazz) : member);
    return jvm_ref(info);
}

/* ---- all members ---- */

typedef struct member_search {
    const jvm_sym *name, *sig; /* NULL: any */
    int32_t flags, skip, found;
    jvm_obj *results;          /* MemberName[] to fill as far as it goes */
} member_search;

/* The next MemberName to fill, or NULL when this one is skipped or there is no room. */
static jvm_obj *next_result(member_search *s)
{
    int32_t at = s->found++ - s->skip;
    return at < 0 || at >= s->results->length ? NULL : jvm_elem_ref(s->results, at);
}

static bool matches(const member_search *s, const jvm_sym *name, const jvm_sym *sig)
{
    return (s->name == NULL || s->name == name) && (s->sig == NULL || s->sig == sig);
}

static void search_class(jvm_thread *t, member_search *s, const jvm_class *cls)
{
    for (int i = 0; (s->flags & MN_FIELD) && i < cls->nfields; i++) {
        jvm_field *f = &cls->fields[i];
        if (!(f->flags & JVM_FIELD_INJECTED) && matches(s, f->name, f->sig)) {
            jvm_obj *member = next_result(s);
            if (member != NULL)
                jvm_member_set_field(t, member, f, false);
        }
    }
    for (int i = 0; i < cls->nmethods; i++) {
        jvm_method *m = &cls->methods[i];
        int32_t kind = jvm_method_is_init(m) ? MN_CONSTRUCTOR : MN_METHOD;
        bool hidden = jvm_method_is_clinit(m) || (m->flags & JVM_METHOD_OVERPASS);
        if ((s->flags & kind) && !hidden && matches(s, m->name, m->sig)) {
            jvm_obj *member = next_result(s);
            if (member != NULL)
                jvm_member_set_method(t, member, m, true);
        }
    }
}

static void search_upwards(jvm_thread *t, member_search *s, const jvm_class *cls)
{
    search_class(t, s, cls);
    for (int i = 0; (s->flags & MN_SEARCH_INTERFACES) && i < cls->ninterfaces; i++)
        search_upwards(t, s, cls->interfaces[i]);
    if ((s->flags & MN_SEARCH_SUPERCLASSES) && cls->super != NULL)
        search_upwards(t, s, cls->super);
}

/* getMembers(class, name, signature, flags, caller, skip, results): how many there are. */
static jvm_slot mhn_get_members(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    if (args[0].a == NULL || args[6].a == NULL)
        return jvm_int(-1);
    jvm_class *cls = jvm_mirror_class(args[0].a);
    if (cls->kind != JVM_KIND_INSTANCE || !jvm_link_class(t, cls))
        return jvm_int(-1);
    member_search s = {
        .name = args[1].a == NULL ? NULL : jvm_string_sym(args[1].a),
        .sig = args[2].a == NULL ? NULL : jvm_string_sym(args[2].a),
        .flags = args[3].i,
        .skip = args[5].i,
        .results = args[6].a,
    };
    search_upwards(t, &s, cls);
    return jvm_int(s.found);
}

/* ---- call sites ---- */

/* Mutable call sites are reached through their object, so nothing caches the old target. */
static jvm_slot mhn_set_call_site_target(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    jvm_put_ref(args[0].a, jvm.fields.CallSite_target, args[1].a);
    return jvm_nothing();
}

/* Bootstrap arguments are always pushed resolved: nobody has anything to pull. */
static jvm_slot mhn_copy_out_bootstrap_arguments(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    jvm_throw(t, JVM_INTERNAL_ERROR, "MethodHandleNatives.copyOutBootstrapArguments: arguments are pushed");
    return jvm_nothing();
}

/* Method handles and variable handles know no reflection. */
static jvm_slot refuse_reflection(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    bool var_handle = m->cls == jvm.classes.VarHandle;
    jvm_throw(t, "java/lang/UnsupportedOperationException", "%s.%s cannot be invoked reflectively",
              var_handle ? "VarHandle" : "MethodHandle", m->name->text);
    return jvm_nothing();
}

#define VAR_HANDLE_ACCESSES(X)                                                                     \
    X(get) X(set) X(getVolatile) X(setVolatile) X(getOpaque) X(setOpaque) X(getAcquire) X(setRelease) \
    X(compareAndSet) X(compareAndExchange) X(compareAndExchangeAcquire) X(compareAndExchangeRelease) \
    X(weakCompareAndSetPlain) X(weakCompareAndSet) X(weakCompareAndSetAcquire) X(weakCompareAndSetRelease) \
    X(getAndSet) X(getAndSetAcquire) X(getAndSetRelease) X(getAndAdd) X(getAndAddAcquire) X(getAndAddRelease) \
    X(getAndBitwiseOr) X(getAndBitwiseOrAcquire) X(getAndBitwiseOrRelease)                         \
    X(getAndBitwiseAnd) X(getAndBitwiseAndAcquire) X(getAndBitwiseAndRelease)                      \
    X(getAndBitwiseXor) X(getAndBitwiseXorAcquire) X(getAndBitwiseXorRelease)

const jvm_inner_native jvm_natives_method_handles[] = {
#define ROW(name, fn, kind) { "java/lang/invoke/MethodHandleNatives", name, NULL, fn, JVM_NATIVE_##kind },
    ROW("registerNatives", jvm_native_nothing, PURE)
    ROW("init", mhn_init, PURE)
    ROW("expand", mhn_expand, PURE)
    ROW("resolve", mhn_resolve, BLOCKS)
    ROW("getMembers", mhn_get_members, BLOCKS)
    ROW("objectFieldOffset", mhn_object_field_offset, PURE)
    ROW("staticFieldOffset", mhn_static_field_offset, PURE)
    ROW("staticFieldBase", mhn_static_field_base, PURE)
    ROW("getMemberVMInfo", mhn_get_member_vm_info, PURE)
    ROW("setCallSiteTargetNormal", mhn_set_call_site_target, PURE)
    ROW("setCallSiteTargetVolatile", mhn_set_call_site_target, PURE)
    ROW("copyOutBootstrapArguments", mhn_copy_out_bootstrap_arguments, PURE)
    ROW("clearCallSiteContext", jvm_native_nothing, PURE) /* nothing depends on call sites */
    ROW("getNamedCon", jvm_native_nothing, PURE)          /* 0: no constants to compare */
    { "java/lang/invoke/MethodHandle", "invoke", NULL, refuse_reflection, JVM_NATIVE_PURE },
    { "java/lang/invoke/MethodHandle", "invokeExact", NULL, refuse_reflection, JVM_NATIVE_PURE },
#define REFUSED(name) { "java/lang/invoke/VarHandle", #name, NULL, refuse_reflection, JVM_NATIVE_PURE },
    VAR_HANDLE_ACCESSES(REFUSED)
    { NULL },
};
