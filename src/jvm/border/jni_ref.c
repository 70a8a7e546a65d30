/* jni_ref.c - JNI: references that native code holds, and exceptions that it raises or asks for. */
#include <stdio.h>

#include "base/check.h"
#include "jvm/classes/class.h"
#include "jvm/engine/invoke.h"
#include "jvm/border/jni_impl.h"
#include "jvm/heap/jstring.h"
#include "jvm/classes/loader.h"
#include "jvm/record/outside.h"

/* ---- exceptions ---- */

jint jvm_jni_Throw(JNIEnv *env, jthrowable throwable)
{
    jvm_throw_object(jvm_env_thread(env), jvm_deref(throwable));
    return JNI_OK;
}

jint jvm_jni_ThrowNew(JNIEnv *env, jclass cls, const char *message)
{
    jvm_throw_class(jvm_env_thread(env), jvm_handle_class(cls), message);
    return JNI_OK;
}

jthrowable jvm_jni_ExceptionOccurred(JNIEnv *env)
{
    jvm_thread *t = jvm_env_thread(env);
    return jvm_local(t, t->exception);
}

jboolean jvm_jni_ExceptionCheck(JNIEnv *env)
{
    return jvm_pending(jvm_env_thread(env));
}

void jvm_jni_ExceptionClear(JNIEnv *env)
{
    jvm_env_thread(env)->exception = NULL;
}

/* "Exception in thread "main" " and the stack trace, as Thread's default handler prints it. */
void jvm_jni_ExceptionDescribe(JNIEnv *env)
{
    jvm_thread *t = jvm_env_thread(env);
    if (!jvm_pending(t))
        return;
    size_t mark = jvm_handles_mark(t);
    jobject throwable = jvm_local(t, jvm_exception_take(t));
    char *name = jvm_string_utf8(jvm_get_ref(t->object, jvm.fields.Thread_name));
    jvm_outside_print(stderr, "Exception in thread \"%s\" ", name);
    free(name);
    jvm_callv(t, jvm.methods.Throwable_printStackTrace, jvm_deref(throwable));
    if (jvm_pending(t)) {
        jvm_exception_take(t);
        jvm_print_exception(t, jvm_deref(throwable));
    }
    jvm_handles_release(t, mark);
}

void jvm_jni_FatalError(JNIEnv *env, const char *message)
{
    fprintf(stderr, "FATAL ERROR in native method: %s\n", message);
    fflush(NULL);
    abort();
}

/* ---- local references ---- */

/* Marks of open PushLocalFrames of all threads.  A native that returns without popping leaves a mark
 * above the thread's handles; such marks are dropped when the thread pushes or pops next. */
typedef struct local_frame {
    const jvm_thread *thread;
    size_t mark;
} local_frame;
static EBB_VEC(local_frame) local_frames;

static local_frame *innermost_local_frame(const jvm_thread *t)
{
    for (size_t i = local_frames.n; i-- > 0;)
        if (local_frames.items[i].thread == t)
            return &local_frames.items[i];
    return NULL;
}

static void drop_local_frame(local_frame *f)
{
    ebb_vec_remove(&local_frames, (size_t)(f - local_frames.items));
}

static void drop_stale_local_frames(jvm_thread *t)
{
    size_t now = jvm_handles_mark(t);
    for (local_frame *f; (f = innermost_local_frame(t)) != NULL && f->mark > now;)
        drop_local_frame(f);
}

jint jvm_jni_PushLocalFrame(JNIEnv *env, jint capacity)
{
    jvm_thread *t = jvm_env_thread(env);
    drop_stale_local_frames(t);
    ebb_vec_push(&local_frames, ((local_frame){ t, jvm_handles_mark(t) }));
    return JNI_OK;
}

jobject jvm_jni_PopLocalFrame(JNIEnv *env, jobject result)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_obj *kept = jvm_deref(result);
    drop_stale_local_frames(t);
    local_frame *f = innermost_local_frame(t);
    if (f != NULL) {
        jvm_handles_release(t, f->mark);
        drop_local_frame(f);
    }
    return jvm_local(t, kept);
}

jobject jvm_jni_NewLocalRef(JNIEnv *env, jobject ref)
{
    return jvm_local(jvm_env_thread(env), jvm_deref(ref));
}

void jvm_jni_DeleteLocalRef(JNIEnv *env, jobject local)
{
    if (local != NULL)
        jvm_local_delete(jvm_env_thread(env), local);
}

jint jvm_jni_EnsureLocalCapacity(JNIEnv *env, jint capacity)
{
    return capacity >= 0 ? JNI_OK : JNI_ERR;
}

/* ---- global references ---- */

jobject jvm_jni_NewGlobalRef(JNIEnv *env, jobject ref)
{
    jvm_obj *o = jvm_deref(ref);
    return o == NULL ? NULL : jvm_global_new(o);
}

void jvm_jni_DeleteGlobalRef(JNIEnv *env, jobject global)
{
    if (global != NULL)
        jvm_global_delete(global);
}

jweak jvm_jni_NewWeakGlobalRef(JNIEnv *env, jobject ref)
{
    jvm_obj *o = jvm_deref(ref);
    return o == NULL ? NULL : jvm_weak_new(o);
}

void jvm_jni_DeleteWeakGlobalRef(JNIEnv *env, jweak weak)
{
    if (weak != NULL)
        jvm_weak_delete(weak);
}

jboolean jvm_jni_IsSameObject(JNIEnv *env, jobject a, jobject b)
{
    return jvm_deref(a) == jvm_deref(b);
}

jobjectRefType jvm_jni_GetObjectRefType(JNIEnv *env, jobject ref)
{
    return ref == NULL ? JNIInvalidRefType : jvm_handle_kind(jvm_env_thread(env), ref);
}
