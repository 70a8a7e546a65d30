/* exports_stack.c - JVM_* functions that look at the caller's stack: traces, callers, access control.
 *
 * The innermost frame is that of the native method which libjava forwards to us. */
#include "jvm/border/exports.h"
#include "jvm/engine/frame.h"
#include "jvm/heap/jstring.h"
#include "jvm/engine/mh.h"

/* ---- traces ---- */

JVM_EXPORT(void, JVM_FillInStackTrace, JNIEnv *env, jobject throwable)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    jvm_fill_in_stack_trace(t, jvm_deref(throwable));
}

JVM_EXPORT(void, JVM_InitStackTraceElementArray, JNIEnv *env, jobjectArray elements, jobject throwable)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    (void)jvm_stack_trace_elements(t, jvm_deref(elements), jvm_deref(throwable));
}

JVM_EXPORT(void, JVM_InitStackTraceElement, JNIEnv *env, jobject element, jobject frame_info)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    const jvm_obj *info = jvm_deref(frame_info);
    const jvm_method *m = jvm_member_method(jvm_get_ref(info, jvm.fields.StackFrameInfo_memberName));
    if (m == NULL)
        jvm_throw(t, JVM_INTERNAL_ERROR, "StackFrameInfo without a method");
    else
        (void)jvm_stack_trace_element(t, jvm_deref(element), m, jvm_get_i32(info, jvm.fields.StackFrameInfo_bci));
}

JVM_EXPORT(jstring, JVM_GetExtendedNPEMessage, JNIEnv *env, jthrowable throwable)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    return jvm.options.npe_help ? jvm_local(t, jvm_npe_message(t, jvm_deref(throwable))) : NULL;
}

/* ---- callers ---- */

/* Machinery between a caller and what it calls: reflection, method handle adapters. */
static bool is_machinery(const jvm_method *m)
{
    if (m->flags & (JVM_METHOD_INTRINSIC | JVM_METHOD_COMPILED_FORM))
        return true;
    if (m->cls == jvm.classes.Method && jvm_sym_is(m->name, "invoke"))
        return true;
    return jvm_is_subclass(m->cls, jvm.classes.MethodAccessorImpl) ||
           jvm_is_subclass(m->cls, jvm.classes.ConstructorAccessorImpl);
}

static const jvm_frame *skip_machinery(const jvm_frame *f)
{
    while (f != NULL && is_machinery(f->method))
        f = jvm_caller_frame(f);
    return f;
}

/* getCallerClass <- method marked @CallerSensitive <- who we are asked for. */
JVM_EXPORT(jclass, JVM_GetCallerClass, JNIEnv *env)
{
    jvm_thread *t = jvm_env_thread(env);
    const jvm_frame *f = jvm_top_frame(t);
    const jvm_frame *sensitive = f == NULL ? NULL : jvm_caller_frame(f);
    if (sensitive == NULL)
        return NULL;
    if (!(sensitive->method->flags & JVM_METHOD_CALLER_SENSITIVE)) {
        jvm_throw(t, JVM_INTERNAL_ERROR, "CallerSensitive annotation expected at frame 1");
        return NULL;
    }
    const jvm_frame *caller = skip_machinery(jvm_caller_frame(sensitive));
    return caller == NULL ? NULL : jvm_local_class(t, caller->method->cls);
}

JVM_EXPORT(jobjectArray, JVM_GetClassContext, JNIEnv *env)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    const jvm_frame *first = jvm_top_frame(t);
    first = first == NULL ? NULL : jvm_caller_frame(first); /* after getClassContext itself */
    int32_t n = 0, at = 0;
    for (const jvm_frame *f = skip_machinery(first); f != NULL; f = skip_machinery(jvm_caller_frame(f)))
        n++;
    jvm_obj *array = jvm_new_ref_array(t, jvm.classes.Class, n);
    for (const jvm_frame *f = skip_machinery(first); array != NULL && f != NULL; f = skip_machinery(jvm_caller_frame(f)))
        jvm_elem_put_ref(array, at++, f->method->cls->mirror);
    return jvm_local(t, array);
}

bool jvm_is_platform_loader(const jvm_loader *loader)
{
    return loader->object != NULL &&
           jvm_sym_is(loader->object->cls->name, "jdk/internal/loader/ClassLoaders$PlatformClassLoader");
}

JVM_EXPORT(jobject, JVM_LatestUserDefinedLoader, JNIEnv *env)
{
    jvm_thread *t = jvm_env_thread(env);
    for (const jvm_frame *f = jvm_top_frame(t); f != NULL; f = jvm_caller_frame(f)) {
        const jvm_loader *loader = f->method->cls->loader;
        bool accessor = jvm_is_subclass(f->method->cls, jvm.classes.MagicAccessorImpl);
        if (!accessor && loader->object != NULL && !jvm_is_platform_loader(loader))
            return jvm_local(t, loader->object);
    }
    return NULL;
}

/* ---- access control ---- */

static bool is_privileged_frame(const jvm_frame *f)
{
    return f->method->cls == jvm.classes.AccessController && jvm_sym_is(f->method->name, "executePrivileged");
}

static jvm_obj *protection_domain(const jvm_class *cls)
{
    return jvm_get_ref(cls->mirror, jvm.fields.Class_protectionDomain);
}

static jvm_obj *new_context(jvm_thread *t, jvm_obj **domains, size_t n, bool privileged, jvm_obj *privileged_context)
{
    jvm_obj *array = NULL;
    jvm_class *domain_class = n == 0 ? NULL : jvm_load_boot(t, "java/security/ProtectionDomain");
    if (n > 0 && (domain_class == NULL || (array = jvm_new_ref_array(t, domain_class, (int32_t)n)) == NULL))
        return NULL;
    for (size_t i = 0; i < n; i++)
        jvm_elem_put_ref(array, (int32_t)i, domains[i]);
    jvm_obj *context = jvm_new_object(t, jvm.classes.AccessControlContext);
    if (context == NULL)
        return NULL;
    jvm_put_ref(context, jvm.fields.AccessControlContext_context, array);
    jvm_put_ref(context, jvm.fields.AccessControlContext_privilegedContext, privileged_context);
    jvm_put_u8(context, jvm.fields.AccessControlContext_isPrivileged, privileged);
    jvm_put_u8(context, jvm.fields.AccessControlContext_isAuthorized, true);
    return context;
}

/* Domains of the frames down to the innermost doPrivileged; null when only system code is there. */
JVM_EXPORT(jobject, JVM_GetStackAccessControlContext, JNIEnv *env, jclass unused)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    EBB_VEC(jvm_obj *) domains = { 0 };
    jvm_obj *privileged_context = NULL, *last = NULL;
    bool privileged = false;
    for (const jvm_frame *f = jvm_top_frame(t); f != NULL && !privileged; f = jvm_caller_frame(f)) {
        const jvm_class *cls = f->method->cls;
        if (is_privileged_frame(f)) { /* (action, context, caller) */
            privileged = true;
            privileged_context = f->locals[1].a;
            cls = f->locals[2].a == NULL ? cls : jvm_mirror_class(f->locals[2].a);
        }
        jvm_obj *domain = protection_domain(cls);
        if (domain != NULL && domain != last) {
            ebb_vec_push(&domains, domain);
            last = domain;
        }
    }
    bool nothing = domains.n == 0 && privileged_context == NULL;
    jvm_obj *context =
        nothing ? NULL : new_context(t, domains.items, domains.n, privileged, privileged_context);
    ebb_vec_fini(&domains);
    return jvm_local(t, context);
}

JVM_EXPORT(jobject, JVM_GetInheritedAccessControlContext, JNIEnv *env, jclass unused)
{
    jvm_thread *t = jvm_env_thread(env);
    return jvm_local(t, jvm_get_ref(t->object, jvm.fields.Thread_inheritedAccessControlContext));
}
