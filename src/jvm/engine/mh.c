/* mh.c - linking call sites and signature-polymorphic calls, by way of the class library's own Java code. */
#include "jvm/engine/mh.h"

#include "base/buf.h"
#include "base/check.h"
#include "base/log.h"
#include "base/map.h"
#include "base/mem.h"
#include "jvm/heap/handles.h"
#include "jvm/heap/heap.h"
#include "jvm/engine/invoke.h"
#include "jvm/heap/jstring.h"
#include "jvm/classes/loader.h"
#include "jvm/engine/ops.h"
#include "jvm/classes/resolve.h"
#include "jvm/engine/throw.h"
#include "jvm/jvm.h"

#include <string.h>

/* ---- linker intrinsics ---- */

static const char *const intrinsic_names[] = {
    [JVM_INTRINSIC_INVOKE_BASIC] = "invokeBasic",         [JVM_INTRINSIC_LINK_TO_STATIC] = "linkToStatic",
    [JVM_INTRINSIC_LINK_TO_SPECIAL] = "linkToSpecial",    [JVM_INTRINSIC_LINK_TO_VIRTUAL] = "linkToVirtual",
    [JVM_INTRINSIC_LINK_TO_INTERFACE] = "linkToInterface", [JVM_INTRINSIC_LINK_TO_NATIVE] = "linkToNative",
};

enum jvm_intrinsic jvm_intrinsic_named(const jvm_class *cls, const jvm_sym *name)
{
    for (int i = JVM_INTRINSIC_INVOKE_BASIC; cls == jvm.classes.MethodHandle && i <= JVM_INTRINSIC_LINK_TO_NATIVE; i++)
        if (jvm_sym_is(name, intrinsic_names[i]))
            return (enum jvm_intrinsic)i;
    return JVM_INTRINSIC_NONE;
}

static uint16_t argument_slots(const jvm_sym *sig)
{
    uint16_t n = 0;
    jvm_sig_iter it = jvm_sig_start(sig);
    for (char type; (type = jvm_sig_next(&it, NULL, NULL)) != 0;)
        n += (uint16_t)jvm_type_slots(type);
    return n;
}

jvm_method *jvm_intrinsic_method(enum jvm_intrinsic which, const jvm_sym *sig)
{
    static ebb_map *made[JVM_INTRINSIC_LINK_TO_NATIVE + 1];
    if (made[which] == NULL)
        made[which] = ebb_map_new();
    jvm_method *m = ebb_map_get_u64(made[which], (uintptr_t)sig);
    if (m != NULL)
        return m;
    bool is_basic = which == JVM_INTRINSIC_INVOKE_BASIC;
    m = EBB_NEW(jvm_method);
    m->cls = jvm.classes.MethodHandle;
    m->name = jvm_sym_get(intrinsic_names[which]);
    m->sig = sig;
    m->intrinsic = (uint8_t)which;
    m->entry = JVM_ENTRY_INTRINSIC;
    m->flags = JVM_METHOD_INTRINSIC | JVM_METHOD_HIDDEN;
    m->access = JVM_ACC_NATIVE | JVM_ACC_FINAL | JVM_ACC_SYNTHETIC | (is_basic ? 0 : JVM_ACC_STATIC);
    m->nargs = (uint16_t)(argument_slots(sig) + is_basic);
    m->ret = *jvm_sig_return(sig);
    m->vtable_index = JVM_NOT_VIRTUAL;
    m->itable_index = -1;
    ebb_map_set_u64(made[which], (uintptr_t)sig, m);
    return m;
}

/* ---- call sites ---- */

void jvm_indy_remember_error(jvm_class *caller, const void *site, jvm_obj *error)
{
    jvm_undo_keep(&caller->site_errors, sizeof caller->site_errors);
    jvm_site_error *e = EBB_ARENA_NEW(&caller->arena, jvm_site_error);
    *e = (jvm_site_error){site, error, caller->site_errors};
    caller->site_errors = e;
}

jvm_obj *jvm_indy_error(const jvm_class *caller, const void *site)
{
    const jvm_site_error *e = caller->site_errors;
    while (e != NULL && e->site != site)
        e = e->next;
    return e != NULL ? e->error : NULL;
}

static jvm_call_site *site_new(jvm_thread *t, jvm_class *caller, const jvm_obj *member, jvm_obj *box)
{
    jvm_method *target = member ? jvm_member_method(member) : NULL;
    if (target == NULL) {
        jvm_throw(t, "java/lang/LinkageError", "no method returned");
        return NULL;
    }
    jvm_undo_cut("the linking of a call"); /* the instruction stays quickened, and refers to what was made for it */
    jvm_call_site *site = EBB_ARENA_NEW(&caller->arena, jvm_call_site);
    *site = (jvm_call_site){target, jvm_elem_ref(box, 0), caller->sites};
    return caller->sites = site;
}

/* Object[1] for the appendix, kept by a handle. */
static jvm_obj *box_new(jvm_thread *t)
{
    jvm_class *cls = jvm_array_class(t, jvm.classes.Object);
    jvm_obj *box = cls ? jvm_new_array(t, cls, 1) : NULL;
    jvm_local(t, box);
    return box;
}

/* ---- method types ---- */

static int32_t count_parameters(const jvm_sym *descriptor)
{
    int32_t n = 0;
    jvm_sig_iter it = jvm_sig_start(descriptor);
    while (jvm_sig_next(&it, NULL, NULL) != 0)
        n++;
    return n;
}

static jvm_obj *parameter_classes(jvm_thread *t, jvm_class *caller, const jvm_sym *descriptor)
{
    jvm_class *array_class = jvm_array_class(t, jvm.classes.Class);
    jvm_obj *array = array_class ? jvm_new_array(t, array_class, count_parameters(descriptor)) : NULL;
    if (array == NULL)
        return NULL;
    jvm_local(t, array);
    jvm_sig_iter it = jvm_sig_start(descriptor);
    const char *type;
    size_t nbytes;
    for (int32_t i = 0; jvm_sig_next(&it, &type, &nbytes) != 0; i++) {
        jvm_class *cls = jvm_load_descriptor(t, caller->loader, type, nbytes);
        if (cls == NULL)
            return NULL;
        jvm_elem_put_ref(array, i, cls->mirror);
    }
    return array;
}

jvm_obj *jvm_method_type(jvm_thread *t, jvm_class *caller, const jvm_sym *descriptor)
{
    size_t mark = jvm_handles_mark(t);
    jvm_obj *result = NULL;
    jvm_obj *parameters = parameter_classes(t, caller, descriptor);
    const char *ret = jvm_sig_return(descriptor);
    jvm_class *rtype = parameters ? jvm_load_descriptor(t, caller->loader, ret, strlen(ret)) : NULL;
    if (rtype != NULL)
        result = jvm_callv(t, jvm.methods.MHN_findMethodHandleType, rtype->mirror, parameters).a;
    jvm_handles_release(t, mark);
    return result;
}

jvm_call_site *jvm_link_polymorphic(jvm_thread *t, jvm_class *caller, const jvm_method *declared, const jvm_sym *sig)
{
    size_t mark = jvm_handles_mark(t);
    jvm_call_site *site = NULL;
    jvm_obj *type = jvm_method_type(t, caller, sig);
    jvm_local(t, type);
    jvm_obj *box = type ? box_new(t) : NULL;
    jvm_obj *name = box ? jvm_string_of_sym(t, declared->name) : NULL;
    jvm_local(t, name);
    if (name != NULL) {
        jvm_obj *member = jvm_callv(t, jvm.methods.MHN_linkMethod, caller->mirror, 5, declared->cls->mirror, name, type, box).a;
        if (!jvm_pending(t))
            site = site_new(t, caller, member, box);
    }
    jvm_handles_release(t, mark);
    return site;
}

/* ---- constants ---- */

/* The member must exist and be what the kind says, as for the instruction the kind stands for. */
static bool check_reference(jvm_thread *t, jvm_class *caller, uint16_t kind, uint16_t ref)
{
    static const enum jvm_invoke_kind invokes[] = {[5] = JVM_INVOKE_VIRTUAL, [6] = JVM_INVOKE_STATIC, [7] = JVM_INVOKE_SPECIAL,
                                                   [8] = JVM_INVOKE_SPECIAL, [9] = JVM_INVOKE_INTERFACE};
    if (kind <= 4)
        return jvm_resolve_field(t, caller, ref, kind == 2 || kind == 4, kind >= 3, NULL) != NULL;
    return jvm_resolve_method(t, caller, ref, invokes[kind]) != NULL;
}

jvm_obj *jvm_resolve_method_handle(jvm_thread *t, jvm_class *caller, uint16_t index)
{
    uint16_t kind = caller->pool.values[index].a, ref = caller->pool.values[index].b;
    const jvm_sym *class_name, *name, *sig;
    jvm_cp_member(caller, ref, &class_name, &name, &sig);
    jvm_class *holder = jvm_resolve_class(t, caller, caller->pool.values[ref].a);
    if (holder == NULL || !check_reference(t, caller, kind, ref))
        return NULL;
    size_t mark = jvm_handles_mark(t);
    jvm_obj *type = NULL, *handle = NULL;
    if (sig->text[0] == '(') {
        type = jvm_method_type(t, caller, sig);
    } else {
        jvm_class *cls = jvm_load_descriptor(t, caller->loader, sig->text, sig->nbytes);
        type = cls ? cls->mirror : NULL;
    }
    jvm_local(t, type);
    jvm_obj *text = type ? jvm_string_of_sym(t, name) : NULL;
    jvm_local(t, text);
    if (text != NULL)
        handle = jvm_callv(t, jvm.methods.MHN_linkMethodHandleConstant, caller->mirror, (int)kind, holder->mirror, text, type).a;
    jvm_handles_release(t, mark);
    return jvm_pending(t) ? NULL : handle;
}

/* Static arguments: null for none, the object itself for one, an array for several (or if that one is
 * null or an array). */
static bool bootstrap_arguments(jvm_thread *t, jvm_class *caller, const jvm_bootstrap *b, jvm_obj **result)
{
    *result = NULL;
    if (b->nargs == 0)
        return true;
    jvm_class *object_array = jvm_array_class(t, jvm.classes.Object);
    jvm_obj *array = object_array ? jvm_new_array(t, object_array, b->nargs) : NULL;
    if (array == NULL)
        return false;
    jvm_local(t, array);
    for (uint16_t i = 0; i < b->nargs; i++) {
        jvm_slot value;
        char type;
        if (!jvm_resolve_constant(t, caller, jvm_u2(b->args + 2 * i), &value, &type))
            return false;
        jvm_obj *o = jvm_box(t, type, value);
        if (jvm_pending(t))
            return false;
        jvm_elem_put_ref(array, i, o);
    }
    jvm_obj *only = jvm_elem_ref(array, 0);
    bool single = b->nargs == 1 && only != NULL && !jvm_class_is_array(only->cls);
    *result = single ? only : array;
    jvm_local(t, *result);
    return true;
}

/* Errors pass, anything else is wrapped (JVMS 5.4.3.6). */
static void wrap_bootstrap_failure(jvm_thread *t)
{
    if (t->exception != NULL && !jvm_instance_of(t->exception, jvm.classes.Error))
        jvm_throw_wrapped(t, "java/lang/BootstrapMethodError", "CallSite bootstrap method initialization exception");
}

typedef struct dynamic_call { /* what linkCallSite and linkDynamicConstant get */
    jvm_obj *handle, *name, *type, *args;
    uint16_t bootstrap;
} dynamic_call;

static bool dynamic_call_make(jvm_thread *t, jvm_class *caller, uint16_t index, dynamic_call *d)
{
    const jvm_sym *name, *sig;
    d->bootstrap = caller->pool.values[index].a;
    jvm_cp_name_type(caller, caller->pool.values[index].b, &name, &sig);
    const jvm_bootstrap *b = &caller->pool.bootstraps[d->bootstrap];
    jvm_slot handle;
    char type;
    if (!jvm_resolve_constant(t, caller, b->handle, &handle, &type))
        return false;
    d->handle = handle.a;
    jvm_local(t, d->handle);
    d->name = jvm_string_of_sym(t, name);
    jvm_local(t, d->name);
    if (sig->text[0] == '(') {
        d->type = jvm_method_type(t, caller, sig);
    } else {
        jvm_class *cls = jvm_load_descriptor(t, caller->loader, sig->text, sig->nbytes);
        d->type = cls ? cls->mirror : NULL;
    }
    jvm_local(t, d->type);
    return d->type != NULL && d->name != NULL && bootstrap_arguments(t, caller, b, &d->args);
}

jvm_call_site *jvm_link_indy(jvm_thread *t, jvm_class *caller, uint16_t index)
{
    size_t mark = jvm_handles_mark(t);
    jvm_call_site *site = NULL;
    dynamic_call d;
    if (dynamic_call_make(t, caller, index, &d)) {
        jvm_obj *box = box_new(t);
        if (box != NULL) {
            jvm_obj *member = jvm_callv(t, jvm.methods.MHN_linkCallSite, caller->mirror, (int)d.bootstrap, d.handle, d.name, d.type,
                                        d.args, box).a;
            if (!jvm_pending(t))
                site = site_new(t, caller, member, box);
        }
    }
    jvm_handles_release(t, mark);
    if (site == NULL)
        wrap_bootstrap_failure(t);
    return site;
}

jvm_obj *jvm_resolve_dynamic(jvm_thread *t, jvm_class *caller, uint16_t index)
{
    size_t mark = jvm_handles_mark(t);
    jvm_obj *value = NULL;
    dynamic_call d;
    if (dynamic_call_make(t, caller, index, &d))
        value = jvm_callv(t, jvm.methods.MHN_linkDynamicConstant, caller->mirror, (int)d.bootstrap, d.handle, d.name, d.type, d.args).a;
    jvm_handles_release(t, mark);
    wrap_bootstrap_failure(t);
    return jvm_pending(t) ? NULL : value;
}
