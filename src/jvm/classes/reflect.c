/* reflect.c - see reflect.h. */
#include "jvm/classes/reflect.h"

#include "base/check.h"
#include "jvm/heap/handles.h"
#include "jvm/heap/heap.h"
#include "jvm/engine/invoke.h"
#include "jvm/border/jni_impl.h"
#include "jvm/heap/jstring.h"
#include "jvm/classes/resolve.h"
#include "jvm/engine/throw.h"
#include "jvm/jvm.h"

/* ---- helpers ---- */

static jvm_obj *string_or_null(jvm_thread *t, const jvm_sym *sym)
{
    return sym == NULL ? NULL : jvm_string_of_sym(t, sym);
}

static int count_parameters(const jvm_sym *sig)
{
    const char *type;
    size_t nbytes;
    int n = 0;
    for (jvm_sig_iter it = jvm_sig_start(sig); jvm_sig_next(&it, &type, &nbytes) != 0;)
        n++;
    return n;
}

/* Class[] of the parameters as a local handle, and the return type in *result. */
static jobject parameter_types(jvm_thread *t, const jvm_method *m, jvm_class **result)
{
    jobject types = jvm_local(t, jvm_new_ref_array(t, jvm.classes.Class, count_parameters(m->sig)));
    if (types == NULL)
        return NULL;
    const char *type;
    size_t nbytes;
    int i = 0;
    for (jvm_sig_iter it = jvm_sig_start(m->sig); jvm_sig_next(&it, &type, &nbytes) != 0; i++) {
        jvm_class *cls = jvm_load_descriptor(t, m->cls->loader, type, nbytes);
        if (cls == NULL)
            return NULL;
        jvm_elem_put_ref(jvm_deref(types), i, cls->mirror);
    }
    const char *ret = jvm_sig_return(m->sig);
    *result = jvm_load_descriptor(t, m->cls->loader, ret, strlen(ret));
    return *result == NULL ? NULL : types;
}

static jobject exception_types(jvm_thread *t, const jvm_method *m)
{
    jobject types = jvm_local(t, jvm_new_ref_array(t, jvm.classes.Class, m->nexceptions));
    for (int i = 0; types != NULL && i < m->nexceptions; i++) {
        jvm_class *cls = jvm_resolve_class(t, m->cls, m->exceptions[i]);
        if (cls == NULL)
            return NULL;
        jvm_elem_put_ref(jvm_deref(types), i, cls->mirror);
    }
    return types;
}

/* ---- from members to objects ---- */

static jvm_obj *fill_field(jvm_thread *t, const jvm_field *f, const jvm_class *type)
{
    jvm_obj *o = jvm_new_object(t, jvm.classes.Field);
    if (o == NULL)
        return NULL;
    jvm_put_ref(o, jvm.fields.Field_clazz, f->cls->mirror);
    jvm_put_i32(o, jvm.fields.Field_slot, f->slot);
    jvm_put_ref(o, jvm.fields.Field_name, jvm_string_of_sym(t, f->name));
    jvm_put_ref(o, jvm.fields.Field_type, type->mirror);
    jvm_put_i32(o, jvm.fields.Field_modifiers, f->access);
    jvm_put_u8(o, jvm.fields.Field_trustedFinal, (f->flags & JVM_FIELD_TRUSTED_FINAL) != 0);
    jvm_put_ref(o, jvm.fields.Field_signature, string_or_null(t, f->signature));
    jvm_put_ref(o, jvm.fields.Field_annotations, jvm_new_byte_array(t, f->annotations));
    return o;
}

jvm_obj *jvm_reflect_field(jvm_thread *t, const jvm_field *f)
{
    jvm_class *type = jvm_load_descriptor(t, f->cls->loader, f->sig->text, f->sig->nbytes);
    return type == NULL ? NULL : fill_field(t, f, type);
}

/* The two classes have the same fields under different offsets. */
#define FILL_EXECUTABLE(C)                                                                         \
    do {                                                                                           \
        jvm_put_ref(o, jvm.fields.C##_clazz, m->cls->mirror);                                      \
        jvm_put_i32(o, jvm.fields.C##_slot, m->slot);                                              \
        jvm_put_ref(o, jvm.fields.C##_parameterTypes, jvm_deref(parameters));                      \
        jvm_put_ref(o, jvm.fields.C##_exceptionTypes, jvm_deref(exceptions));                      \
        jvm_put_i32(o, jvm.fields.C##_modifiers, m->access);                                       \
        jvm_put_ref(o, jvm.fields.C##_signature, string_or_null(t, m->signature));                 \
        jvm_put_ref(o, jvm.fields.C##_annotations, jvm_new_byte_array(t, m->annotations));         \
        jvm_put_ref(o, jvm.fields.C##_parameterAnnotations, jvm_new_byte_array(t, m->parameter_annotations)); \
    } while (0)

static jvm_obj *fill_constructor(jvm_thread *t, const jvm_method *m, jobject parameters, jobject exceptions)
{
    jvm_obj *o = jvm_new_object(t, jvm.classes.Constructor);
    if (o != NULL)
        FILL_EXECUTABLE(Constructor);
    return o;
}

static jvm_obj *fill_method(jvm_thread *t, const jvm_method *m, const jvm_class *result, jobject parameters,
                            jobject exceptions)
{
    jvm_obj *o = jvm_new_object(t, jvm.classes.Method);
    if (o == NULL)
        return NULL;
    FILL_EXECUTABLE(Method);
    jvm_put_ref(o, jvm.fields.Method_name, jvm_string_of_sym(t, m->name));
    jvm_put_ref(o, jvm.fields.Method_returnType, result->mirror);
    jvm_put_ref(o, jvm.fields.Method_annotationDefault, jvm_new_byte_array(t, m->annotation_default));
    return o;
}

jvm_obj *jvm_reflect_method(jvm_thread *t, const jvm_method *m)
{
    size_t mark = jvm_handles_mark(t);
    jvm_class *result = NULL;
    jvm_obj *o = NULL;
    jobject parameters = parameter_types(t, m, &result);
    jobject exceptions = parameters == NULL ? NULL : exception_types(t, m);
    if (exceptions != NULL)
        o = jvm_method_is_init(m) ? fill_constructor(t, m, parameters, exceptions)
                                  : fill_method(t, m, result, parameters, exceptions);
    jvm_handles_release(t, mark);
    return o;
}

/* The method without parameters that reads the component, or NULL. */
static jvm_obj *record_accessor(jvm_thread *t, const jvm_class *cls, const jvm_record_component *c)
{
    const jvm_method *m = jvm_class_own_method(cls, c->name, jvm_sym_getf("()%s", c->sig->text));
    return m == NULL || jvm_method_is_static(m) ? NULL : jvm_reflect_method(t, m);
}

jvm_obj *jvm_reflect_record_component(jvm_thread *t, jvm_class *cls, const jvm_record_component *c)
{
    size_t mark = jvm_handles_mark(t);
    jvm_class *type = jvm_load_descriptor(t, cls->loader, c->sig->text, c->sig->nbytes);
    jobject accessor = type == NULL ? NULL : jvm_local(t, record_accessor(t, cls, c));
    jvm_obj *o = jvm_pending(t) ? NULL : jvm_new_object(t, jvm.classes.RecordComponent);
    if (o != NULL) {
        jvm_put_ref(o, jvm.fields.RecordComponent_clazz, cls->mirror);
        jvm_put_ref(o, jvm.fields.RecordComponent_name, jvm_string_of_sym(t, c->name));
        jvm_put_ref(o, jvm.fields.RecordComponent_type, type->mirror);
        jvm_put_ref(o, jvm.fields.RecordComponent_accessor, jvm_deref(accessor));
        jvm_put_ref(o, jvm.fields.RecordComponent_signature, string_or_null(t, c->signature));
        jvm_put_ref(o, jvm.fields.RecordComponent_annotations, jvm_new_byte_array(t, c->annotations));
        jvm_put_ref(o, jvm.fields.RecordComponent_typeAnnotations, jvm_new_byte_array(t, c->type_annotations));
    }
    jvm_handles_release(t, mark);
    return o;
}

static uint16_t be16(const uint8_t *p) { return (uint16_t)(p[0] << 8 | p[1]); }

static jvm_obj *bad_parameters(jvm_thread *t, const char *why)
{
    jvm_throw(t, "java/lang/reflect/MalformedParametersException", "%s", why);
    return NULL;
}

/* MethodParameters: u1 count, then u2 name, u2 flags each. */
jvm_obj *jvm_reflect_parameters(jvm_thread *t, jvm_obj *executable)
{
    const jvm_method *m = jvm_reflected_method(executable);
    jvm_span attr = m->parameters;
    if (attr.bytes == NULL)
        return NULL;
    int n = attr.nbytes == 0 ? -1 : attr.bytes[0];
    if (n < 0 || attr.nbytes != 1u + 4u * (unsigned)n)
        return bad_parameters(t, "Wrong number of parameters in MethodParameters attribute");
    jvm_obj *array = jvm_new_ref_array(t, jvm.classes.Parameter, n);
    for (int i = 0; array != NULL && i < n; i++) {
        uint16_t name = be16(attr.bytes + 1 + 4 * i), flags = be16(attr.bytes + 3 + 4 * i);
        if (name != 0 && (name >= m->cls->pool.n || m->cls->pool.tags[name] != JVM_CP_UTF8))
            return bad_parameters(t, "Wrong name index in MethodParameters attribute");
        jvm_obj *p = jvm_new_object(t, jvm.classes.Parameter);
        if (p == NULL)
            return NULL;
        jvm_put_ref(p, jvm.fields.Parameter_name, name == 0 ? NULL : jvm_string_of_sym(t, jvm_cp_utf8(m->cls, name)));
        jvm_put_i32(p, jvm.fields.Parameter_modifiers, flags);
        jvm_put_i32(p, jvm.fields.Parameter_index, i);
        jvm_put_ref(p, jvm.fields.Parameter_executable, executable);
        jvm_elem_put_ref(array, i, p);
    }
    return array;
}

/* ---- from objects to members ---- */

jvm_field *jvm_reflected_field(const jvm_obj *o)
{
    if (o == NULL || o->cls != jvm.classes.Field)
        return NULL;
    jvm_class *cls = jvm_mirror_class(jvm_get_ref(o, jvm.fields.Field_clazz));
    int32_t slot = jvm_get_i32(o, jvm.fields.Field_slot);
    return slot < 0 || slot >= cls->nfields ? NULL : &cls->fields[slot];
}

jvm_method *jvm_reflected_method(const jvm_obj *o)
{
    bool is_method = o != NULL && o->cls == jvm.classes.Method;
    if (!is_method && (o == NULL || o->cls != jvm.classes.Constructor))
        return NULL;
    jvm_class *cls = jvm_mirror_class(jvm_get_ref(o, is_method ? jvm.fields.Method_clazz : jvm.fields.Constructor_clazz));
    int32_t slot = jvm_get_i32(o, is_method ? jvm.fields.Method_slot : jvm.fields.Constructor_slot);
    return slot < 0 || slot >= cls->nmethods ? NULL : &cls->methods[slot];
}

/* ---- calls ---- */

static bool mismatch(jvm_thread *t)
{
    jvm_throw(t, JVM_IAE, "argument type mismatch");
    return false;
}

/* One argument for a parameter of the given type; false: IllegalArgumentException pending. */
static bool convert_argument(jvm_thread *t, jvm_class *type, jvm_obj *arg, jvm_slot *out)
{
    if (type->kind != JVM_KIND_PRIMITIVE) {
        out->a = arg;
        return arg == NULL || jvm_instance_of(arg, type) || mismatch(t);
    }
    if (arg == NULL) {
        jvm_throw(t, JVM_IAE, NULL);
        return false;
    }
    char from;
    return (jvm_unbox(arg, &from, out) && jvm_widen(from, type->element_type, out)) || mismatch(t);
}

/* Fills slots after the receiver.  The classes of the parameters are taken from the loader: they are
 * loaded already when a Method object exists. */
static bool convert_arguments(jvm_thread *t, const jvm_method *m, jobject args, jvm_slot *slots)
{
    int given = args == NULL ? 0 : jvm_deref(args)->length, want = count_parameters(m->sig), i = 0;
    if (given != want) {
        jvm_throw(t, JVM_IAE, "wrong number of arguments");
        return false;
    }
    const char *type;
    size_t nbytes;
    for (jvm_sig_iter it = jvm_sig_start(m->sig); jvm_sig_next(&it, &type, &nbytes) != 0; i++) {
        jvm_class *cls = jvm_load_descriptor(t, m->cls->loader, type, nbytes);
        if (cls == NULL || !convert_argument(t, cls, jvm_elem_ref(jvm_deref(args), i), slots))
            return false;
        slots += jvm_type_slots(cls->kind == JVM_KIND_PRIMITIVE ? cls->element_type : 'L');
    }
    return true;
}

static void wrap_in_target_exception(jvm_thread *t)
{
    size_t mark = jvm_handles_mark(t);
    jobject cause = jvm_local(t, jvm_exception_take(t));
    jvm_obj *wrapper = jvm_new_instance(t, jvm.classes.InvocationTargetException, "(Ljava/lang/Throwable;)V",
                                        jvm_deref(cause));
    if (wrapper != NULL)
        jvm_throw_object(t, wrapper);
    jvm_handles_release(t, mark);
}

static bool check_receiver(jvm_thread *t, const jvm_method *m, const jvm_obj *receiver)
{
    if (!jvm_check_not_null(t, receiver))
        return false;
    if (jvm_instance_of(receiver, m->cls))
        return true;
    jvm_throw(t, JVM_IAE, "object is not an instance of declaring class");
    return false;
}

enum { MAX_ARG_SLOTS = 256 };

jvm_obj *jvm_reflect_invoke(jvm_thread *t, jvm_method *m, jvm_obj *receiver, jvm_obj *args)
{
    bool is_static = jvm_method_is_static(m);
    if (!is_static && !check_receiver(t, m, receiver))
        return NULL;
    size_t mark = jvm_handles_mark(t);
    jobject receiver_handle = jvm_local(t, receiver), args_handle = jvm_local(t, args);
    jvm_slot slots[MAX_ARG_SLOTS], result = { .raw = 0 };
    bool ready = jvm_ensure_init(t, m->cls) && convert_arguments(t, m, args_handle, slots + (is_static ? 0 : 1));
    if (ready) {
        slots[0] = is_static ? slots[0] : (jvm_slot){ .a = jvm_deref(receiver_handle) };
        bool exact = is_static || (m->access & JVM_ACC_PRIVATE) || jvm_method_is_init(m);
        result = exact ? jvm_call(t, m, slots) : jvm_call_virtual(t, m, slots);
        if (jvm_pending(t)) {
            wrap_in_target_exception(t);
            ready = false;
        }
    }
    jvm_handles_release(t, mark);
    return ready ? jvm_box(t, m->ret, result) : NULL;
}

jvm_obj *jvm_reflect_new_instance(jvm_thread *t, jvm_method *constructor, jvm_obj *args)
{
    jvm_class *cls = constructor->cls;
    if (cls->access & (JVM_ACC_ABSTRACT | JVM_ACC_INTERFACE)) {
        char *name = jvm_class_external_name(cls);
        jvm_throw(t, "java/lang/InstantiationException", "%s", name);
        free(name);
        return NULL;
    }
    size_t mark = jvm_handles_mark(t);
    jobject args_handle = jvm_local(t, args);
    jobject object = jvm_ensure_init(t, cls) ? jvm_local(t, jvm_new_object(t, cls)) : NULL;
    jvm_slot slots[MAX_ARG_SLOTS];
    if (object != NULL && convert_arguments(t, constructor, args_handle, slots + 1)) {
        slots[0].a = jvm_deref(object);
        jvm_call(t, constructor, slots);
        if (jvm_pending(t))
            wrap_in_target_exception(t);
    }
    jvm_obj *result = jvm_pending(t) ? NULL : jvm_deref(object);
    jvm_handles_release(t, mark);
    return result;
}
