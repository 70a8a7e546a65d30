/* jni.c - the JNI function table, and its functions for classes, objects, monitors and buffers. */
#include "base/buf.h"
#include "jvm/engine/invoke.h"
#include "jvm/border/jni_impl.h"
#include "jvm/heap/jstring.h"
#include "jvm/classes/loader.h"
#include "jvm/threads/monitor.h"
#include "jvm/border/native.h"
#include "jvm/engine/frame.h"
#include "jvm/classes/reflect.h"

const struct JNINativeInterface_ jvm_jni_table = {
#define JNI_FN(name, how, arguments) .name = jvm_jni_##name,
#include "jvm/border/jni_functions.def"
};

/* ---- the machine ---- */

jint jvm_jni_GetVersion(JNIEnv *env) { return JNI_VERSION_10; }

jint jvm_jni_GetJavaVM(JNIEnv *env, JavaVM **vm)
{
    *vm = &jvm.java_vm;
    return JNI_OK;
}

jvm_obj *jvm_new_instance(jvm_thread *t, jvm_class *cls, const char *sig, ...)
{
    if (!jvm_ensure_init(t, cls))
        return NULL;
    jvm_method *init = jvm_class_own_method(cls, jvm_sym_get("<init>"), jvm_sym_get(sig));
    if (init == NULL) {
        jvm_throw(t, "java/lang/NoSuchMethodError", "%s.<init>%s", cls->name->text, sig);
        return NULL;
    }
    jvm_slot slots[16];
    va_list va;
    va_start(va, sig);
    const char *type;
    size_t nbytes, n = 1;
    jvm_sig_iter it = jvm_sig_start(init->sig);
    for (char letter; (letter = jvm_sig_next(&it, &type, &nbytes)) != 0; n += (size_t)jvm_type_slots(letter))
        switch (letter) {
        case 'J': slots[n].j = va_arg(va, int64_t); break;
        case 'D': slots[n].d = va_arg(va, double); break;
        case 'F': slots[n].f = (float)va_arg(va, double); break;
        case 'L': case '[': slots[n].a = va_arg(va, jvm_obj *); break;
        default: slots[n].i = va_arg(va, int); break;
        }
    va_end(va);
    jvm_obj *object = jvm_new_object(t, cls);
    if (object == NULL)
        return NULL;
    size_t mark = jvm_handles_mark(t);
    jvm_local(t, object); /* keeps it alive during the constructor */
    slots[0].a = object;
    jvm_call(t, init, slots);
    jvm_handles_release(t, mark);
    return jvm_pending(t) ? NULL : object;
}

/* ---- finding and defining classes ---- */

jclass jvm_jni_DefineClass(JNIEnv *env, const char *name, jobject loader, const jbyte *bytes, jsize nbytes)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    jvm_define def = {
        .name = name == NULL ? NULL : jvm_sym_get(name),
        .loader = jvm_loader_of(jvm_deref(loader)),
        .bytes = (const uint8_t *)bytes,
        .nbytes = (size_t)nbytes,
    };
    return jvm_local_class(t, jvm_define_class(t, &def));
}

/* JNI_OnLoad runs under NativeLibraries.load: its FindClass means the class that asked for the library. */
static jvm_loader *loader_of_on_load(jvm_thread *t, const jvm_class *native_libraries)
{
    jvm_method *from = jvm_class_find_method_text(native_libraries, "getFromClass", "()Ljava/lang/Class;");
    if (from == NULL)
        return native_libraries->loader;
    jvm_obj *mirror = jvm_call(t, from, NULL).a;
    return jvm_pending(t) ? NULL : mirror == NULL ? jvm.boot : jvm_mirror_class(mirror)->loader;
}

/* The loader of the native method that runs; the system loader when none does.  NULL: pending. */
static jvm_loader *calling_loader(jvm_thread *t)
{
    const jvm_frame *f = jvm_top_frame(t);
    if (f != NULL) {
        const jvm_class *cls = f->method->cls;
        return jvm_sym_is(cls->name, "jdk/internal/loader/NativeLibraries") ? loader_of_on_load(t, cls) : cls->loader;
    }
    if (!jvm.booted)
        return jvm.boot;
    jvm_obj *loader = jvm_call(t, jvm.methods.ClassLoader_getSystemClassLoader, NULL).a;
    return jvm_pending(t) ? NULL : jvm_loader_of(loader);
}

jclass jvm_jni_FindClass(JNIEnv *env, const char *name)
{
    jvm_thread *t = jvm_env_thread(env);
    size_t nbytes = name == NULL ? 0 : strlen(name);
    if (nbytes == 0 || nbytes > UINT16_MAX || (name[0] == 'L' && name[nbytes - 1] == ';')) {
        jvm_throw(t, "java/lang/NoClassDefFoundError", "%s", name == NULL ? "no name" : name);
        return NULL;
    }
    jvm_loader *loader = calling_loader(t);
    jvm_class *cls = loader == NULL ? NULL : jvm_load_class(t, loader, jvm_sym_get(name));
    if (cls == NULL || !jvm_ensure_init(t, cls))
        return NULL;
    return jvm_local_class(t, cls);
}

/* ---- classes ---- */

/* Also Class.getSuperclass itself: libjava registers this very function as that method. */
jclass jvm_jni_GetSuperclass(JNIEnv *env, jclass cls)
{
    const jvm_class *c = jvm_handle_class(cls);
    return jvm_class_is_interface(c) ? NULL : jvm_local_class(jvm_env_thread(env), c->super);
}

jboolean jvm_jni_IsAssignableFrom(JNIEnv *env, jclass sub, jclass super)
{
    const jvm_class *a = jvm_handle_class(sub), *b = jvm_handle_class(super);
    if (a->kind == JVM_KIND_PRIMITIVE || b->kind == JVM_KIND_PRIMITIVE)
        return a == b;
    return jvm_is_subclass(a, b);
}

jobject jvm_jni_GetModule(JNIEnv *env, jclass cls)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_obj *mirror = jvm_deref(cls);
    if (!jvm_check_not_null(t, mirror))
        return NULL;
    if (mirror->cls != jvm.classes.Class) {
        jvm_throw(t, JVM_IAE, "this is not a class");
        return NULL;
    }
    return jvm_local(t, jvm_get_ref(mirror, jvm.fields.Class_module));
}

/* "[[Ljava/lang/String;" as "java.lang.String[][]". */
static void add_type(ebb_buf *out, const char *type, size_t nbytes)
{
    size_t dims = 0;
    while (type[dims] == '[')
        dims++;
    if (type[dims] == 'L')
        for (size_t i = dims + 1; i + 1 < nbytes; i++)
            ebb_buf_addc(out, type[i] == '/' ? '.' : type[i]);
    else
        ebb_buf_adds(out, jvm_prim_class(type[dims])->name->text);
    for (; dims > 0; dims--)
        ebb_buf_adds(out, "[]");
}

/* "int pkg.Main.name(java.lang.String, int)"; caller frees. */
static char *method_for_people(const jvm_class *cls, const char *name, const jvm_sym *sig)
{
    ebb_buf out = { 0 };
    const char *ret = jvm_sig_return(sig), *type;
    char *class_name = jvm_class_external_name(cls);
    add_type(&out, ret, strlen(ret));
    ebb_buf_addf(&out, " %s.%s(", class_name, name);
    free(class_name);
    size_t nbytes, first = out.n;
    for (jvm_sig_iter it = jvm_sig_start(sig); jvm_sig_next(&it, &type, &nbytes) != 0;) {
        ebb_buf_adds(&out, out.n == first ? "" : ", ");
        add_type(&out, type, nbytes);
    }
    ebb_buf_addc(&out, ')');
    return ebb_buf_take(&out);
}

static jvm_method *native_to_register(jvm_thread *t, const jvm_class *cls, const JNINativeMethod *row)
{
    const jvm_sym *name = jvm_sym_findn(row->name, strlen(row->name));
    const jvm_sym *sig = row->signature[0] == '(' ? jvm_sym_get(row->signature) : NULL;
    jvm_method *m = name == NULL || sig == NULL ? NULL : jvm_class_own_method(cls, name, sig);
    if (m != NULL && (m->access & JVM_ACC_NATIVE))
        return m;
    char *method = sig == NULL ? ebb_strdup(row->name) : method_for_people(cls, row->name, sig);
    jvm_throw(t, "java/lang/NoSuchMethodError", "Method '%s' %s", method,
              m == NULL ? "name or signature does not match" : "is not declared as native");
    free(method);
    return NULL;
}

jint jvm_jni_RegisterNatives(JNIEnv *env, jclass handle, const JNINativeMethod *methods, jint n)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_class *cls = jvm_handle_class(handle);
    jvm_undo_cut("the registration of native methods");
    for (jint i = 0; i < n; i++) {
        jvm_method *m = native_to_register(t, cls, &methods[i]);
        if (m == NULL)
            return JNI_ERR;
        jvm_native_register(m, methods[i].fnPtr);
    }
    return JNI_OK;
}

jint jvm_jni_UnregisterNatives(JNIEnv *env, jclass handle)
{
    jvm_class *cls = jvm_handle_class(handle);
    jvm_undo_cut("the registration of native methods");
    for (int i = 0; i < cls->nmethods; i++)
        if (cls->methods[i].access & JVM_ACC_NATIVE)
            jvm_native_unregister(&cls->methods[i]);
    return JNI_OK;
}

/* ---- reflection ---- */

jmethodID jvm_jni_FromReflectedMethod(JNIEnv *env, jobject method)
{
    return (jmethodID)jvm_reflected_method(jvm_deref(method));
}

jfieldID jvm_jni_FromReflectedField(JNIEnv *env, jobject field)
{
    return (jfieldID)jvm_reflected_field(jvm_deref(field));
}

jobject jvm_jni_ToReflectedMethod(JNIEnv *env, jclass cls, jmethodID id, jboolean is_static)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    return jvm_local(t, jvm_reflect_method(t, (jvm_method *)id));
}

jobject jvm_jni_ToReflectedField(JNIEnv *env, jclass cls, jfieldID id, jboolean is_static)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    return jvm_local(t, jvm_reflect_field(t, (jvm_field *)id));
}

/* ---- objects ---- */

jclass jvm_jni_GetObjectClass(JNIEnv *env, jobject object)
{
    return jvm_local_class(jvm_env_thread(env), jvm_deref(object)->cls);
}

/* A null reference can be cast to anything: JNI says yes where Java says no. */
jboolean jvm_jni_IsInstanceOf(JNIEnv *env, jobject object, jclass cls)
{
    const jvm_obj *o = jvm_deref(object);
    return o == NULL || jvm_instance_of(o, jvm_handle_class(cls));
}

jint jvm_jni_MonitorEnter(JNIEnv *env, jobject object)
{
    jvm_thread *t = jvm_env_thread(env);
    if (!jvm_check_not_null(t, jvm_deref(object)))
        return JNI_ERR;
    jvm_monitor_enter(t, jvm_deref(object));
    return JNI_OK;
}

jint jvm_jni_MonitorExit(JNIEnv *env, jobject object)
{
    jvm_thread *t = jvm_env_thread(env);
    if (!jvm_check_not_null(t, jvm_deref(object)))
        return JNI_ERR;
    if (!jvm_monitor_holds(t, jvm_deref(object))) {
        jvm_throw(t, "java/lang/IllegalMonitorStateException", "current thread is not owner");
        return JNI_ERR;
    }
    return jvm_monitor_exit(t, jvm_deref(object)) ? JNI_OK : JNI_ERR;
}

/* ---- direct buffers ---- */

jobject jvm_jni_NewDirectByteBuffer(JNIEnv *env, void *address, jlong capacity)
{
    jvm_thread *t = jvm_env_thread(env);
    if (capacity < 0 || capacity > INT32_MAX) {
        jvm_throw(t, JVM_IAE, "JNI NewDirectByteBuffer passed capacity %lld", (long long)capacity);
        return NULL;
    }
    jvm_class *cls = jvm_load_boot(t, "java/nio/DirectByteBuffer");
    if (cls == NULL)
        return NULL;
    jvm_gc_point(t);
    return jvm_local(t, jvm_new_instance(t, cls, "(JI)V", (int64_t)(intptr_t)address, (int)capacity));
}

/* The buffer object if it lies outside the heap, else NULL. */
static const jvm_obj *direct_buffer(JNIEnv *env, jobject buffer)
{
    jvm_thread *t = jvm_env_thread(env);
    const jvm_obj *o = jvm_deref(buffer);
    const jvm_class *direct = jvm_find_boot(t, jvm_sym_get("sun/nio/ch/DirectBuffer"));
    return direct != NULL && jvm_instance_of(o, jvm.classes.Buffer) && jvm_instance_of(o, direct) ? o : NULL;
}

void *jvm_jni_GetDirectBufferAddress(JNIEnv *env, jobject buffer)
{
    const jvm_obj *o = direct_buffer(env, buffer);
    return o == NULL ? NULL : (void *)(intptr_t)jvm_get_i64(o, jvm.fields.Buffer_address);
}

jlong jvm_jni_GetDirectBufferCapacity(JNIEnv *env, jobject buffer)
{
    const jvm_obj *o = direct_buffer(env, buffer);
    return o == NULL ? -1 : jvm_get_i32(o, jvm.fields.Buffer_capacity);
}
