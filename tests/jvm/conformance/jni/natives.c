/* natives.c - the native halves of the cases in this folder: every family of JNI functions, built against the JDK's jni.h.
 *
 * What a function finds is given back to Java, which prints it: nothing is printed here, so that the order of the
 * output does not depend on two sets of buffers. */
#include <jni.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NATIVE(ret, type, name) JNIEXPORT ret JNICALL Java_jni_##type##_##name

static JavaVM *vm_at_load;

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved)
{
    (void)reserved;
    vm_at_load = vm;
    return JNI_VERSION_10;
}

static jstring text(JNIEnv *env, const char *format, ...)
{
    char buf[2000];
    va_list ap;
    va_start(ap, format);
    vsnprintf(buf, sizeof buf, format, ap);
    va_end(ap);
    return (*env)->NewStringUTF(env, buf);
}

/* ---- Calls: every result type, in the three ways to pass arguments, virtual, nonvirtual and static ---- */

#define TYPES(X)                                                                                                        \
    X(Boolean, jboolean, "Z", "%d") X(Byte, jbyte, "B", "%d") X(Char, jchar, "C", "%d") X(Short, jshort, "S", "%d")      \
    X(Int, jint, "I", "%d") X(Long, jlong, "J", "%ld") X(Float, jfloat, "F", "%g") X(Double, jdouble, "D", "%g")

#define CALLERS_V(Name, type, desc, fmt)                                                                                 \
    static type call_v_##Name(JNIEnv *env, jobject o, jmethodID m, ...)                                                 \
    {                                                                                                                   \
        va_list ap;                                                                                                     \
        va_start(ap, m);                                                                                                \
        type r = (*env)->Call##Name##MethodV(env, o, m, ap);                                                            \
        va_end(ap);                                                                                                     \
        return r;                                                                                                       \
    }                                                                                                                   \
    static type call_nonvirtual_v_##Name(JNIEnv *env, jobject o, jclass c, jmethodID m, ...)                            \
    {                                                                                                                   \
        va_list ap;                                                                                                     \
        va_start(ap, m);                                                                                                \
        type r = (*env)->CallNonvirtual##Name##MethodV(env, o, c, m, ap);                                               \
        va_end(ap);                                                                                                     \
        return r;                                                                                                       \
    }                                                                                                                   \
    static type call_static_v_##Name(JNIEnv *env, jclass c, jmethodID m, ...)                                           \
    {                                                                                                                   \
        va_list ap;                                                                                                     \
        va_start(ap, m);                                                                                                \
        type r = (*env)->CallStatic##Name##MethodV(env, c, m, ap);                                                      \
        va_end(ap);                                                                                                     \
        return r;                                                                                                       \
    }
TYPES(CALLERS_V)

NATIVE(jstring, Calls, all)(JNIEnv *env, jclass cls, jobject sub)
{
    char out[2000] = "";
    jclass sub_class = (*env)->GetObjectClass(env, sub);
    jclass base = (*env)->GetSuperclass(env, sub_class);
    jvalue args[4] = {{.i = 7}, {.j = 1L << 40}, {.d = 2.5}, {.l = NULL}};
#define CALLS(Name, type, desc, fmt)                                                                                     \
    {                                                                                                                   \
        const char *sig = "(IJDLjava/lang/Object;)" desc;                                                               \
        jmethodID m = (*env)->GetMethodID(env, base, "v" #Name, sig);                                                   \
        jmethodID s = (*env)->GetStaticMethodID(env, cls, "s" #Name, sig);                                              \
        snprintf(out + strlen(out), sizeof out - strlen(out),                                                           \
                 #Name " " fmt " " fmt " " fmt " " fmt " " fmt " " fmt " " fmt " " fmt " " fmt "\n",                    \
                 (*env)->Call##Name##Method(env, sub, m, 7, (jlong)1 << 40, 2.5, NULL),                                 \
                 call_v_##Name(env, sub, m, 7, (jlong)1 << 40, 2.5, NULL),                                              \
                 (*env)->Call##Name##MethodA(env, sub, m, args),                                                        \
                 (*env)->CallNonvirtual##Name##Method(env, sub, base, m, 7, (jlong)1 << 40, 2.5, NULL),                 \
                 call_nonvirtual_v_##Name(env, sub, base, m, 7, (jlong)1 << 40, 2.5, NULL),                             \
                 (*env)->CallNonvirtual##Name##MethodA(env, sub, base, m, args),                                        \
                 (*env)->CallStatic##Name##Method(env, cls, s, 7, (jlong)1 << 40, 2.5, NULL),                           \
                 call_static_v_##Name(env, cls, s, 7, (jlong)1 << 40, 2.5, NULL),                                       \
                 (*env)->CallStatic##Name##MethodA(env, cls, s, args));                                                 \
    }
    TYPES(CALLS)
    return text(env, "%s", out);
}

NATIVE(jobject, Calls, echo)(JNIEnv *env, jobject self, jboolean z, jbyte b, jchar c, jshort s, jint i, jlong l, jfloat f, jdouble d,
                            jobject o, jint i2, jlong l2, jfloat f2, jdouble d2, jint i3, jdouble d3)
{
    jclass cls = (*env)->GetObjectClass(env, self);
    jmethodID m = (*env)->GetMethodID(env, cls, "join", "(ZBCSIJFDLjava/lang/Object;IJFDID)Ljava/lang/String;");
    return (*env)->CallObjectMethod(env, self, m, z, b, c, s, i, l, f, d, o, i2, l2, f2, d2, i3, d3);
}

NATIVE(jobject, Calls, make)(JNIEnv *env, jclass cls)
{
    jclass sb = (*env)->FindClass(env, "java/lang/StringBuilder");
    jmethodID init = (*env)->GetMethodID(env, sb, "<init>", "(Ljava/lang/String;)V");
    jmethodID append = (*env)->GetMethodID(env, sb, "append", "(D)Ljava/lang/StringBuilder;");
    jobject o = (*env)->NewObject(env, sb, init, (*env)->NewStringUTF(env, "made "));
    jvalue arg = {.d = 0.5};
    o = (*env)->CallObjectMethodA(env, o, append, &arg);
    jvalue s = {.l = (*env)->CallObjectMethod(env, o, (*env)->GetMethodID(env, sb, "toString", "()Ljava/lang/String;"))};
    return (*env)->NewObjectA(env, sb, init, &s);
}

/* ---- Fields ---- */

NATIVE(jstring, Fields, all)(JNIEnv *env, jclass cls, jobject o)
{
    char out[2000] = "";
#define FIELDS(Name, type, desc, fmt)                                                                                    \
    {                                                                                                                   \
        jfieldID f = (*env)->GetFieldID(env, cls, "f" #Name, desc);                                                     \
        jfieldID s = (*env)->GetStaticFieldID(env, cls, "s" #Name, desc);                                               \
        type v = (*env)->Get##Name##Field(env, o, f);                                                                   \
        type w = (*env)->GetStatic##Name##Field(env, cls, s);                                                           \
        snprintf(out + strlen(out), sizeof out - strlen(out), #Name " " fmt " " fmt "\n", v, w);                        \
        (*env)->Set##Name##Field(env, o, f, w);                                                                         \
        (*env)->SetStatic##Name##Field(env, cls, s, v);                                                                 \
    }
    TYPES(FIELDS)
    jfieldID f = (*env)->GetFieldID(env, cls, "fObject", "Ljava/lang/Object;");
    jfieldID s = (*env)->GetStaticFieldID(env, cls, "sObject", "Ljava/lang/Object;");
    jobject v = (*env)->GetObjectField(env, o, f);
    (*env)->SetObjectField(env, o, f, (*env)->GetStaticObjectField(env, cls, s));
    (*env)->SetStaticObjectField(env, cls, s, v);
    jobject reflected = (*env)->ToReflectedField(env, cls, f, JNI_FALSE);
    return text(env, "%s%d", out, (*env)->FromReflectedField(env, reflected) == f);
}

NATIVE(void, Fields, missing)(JNIEnv *env, jclass cls, jstring name)
{
    const char *n = (*env)->GetStringUTFChars(env, name, NULL);
    (*env)->GetFieldID(env, cls, n, "I");
    (*env)->ReleaseStringUTFChars(env, name, n);
}

/* ---- Strings ---- */

NATIVE(jstring, Strings, twice)(JNIEnv *env, jclass cls, jstring s)
{
    jsize n = (*env)->GetStringLength(env, s);
    jchar buf[400];
    (*env)->GetStringRegion(env, s, 0, n, buf);
    const jchar *chars = (*env)->GetStringChars(env, s, NULL);
    memcpy(buf + n, chars, 2 * (size_t)n);
    (*env)->ReleaseStringChars(env, s, chars);
    return (*env)->NewString(env, buf, 2 * n);
}

NATIVE(jstring, Strings, utf)(JNIEnv *env, jclass cls, jstring s)
{
    char out[1000] = "", region[200] = "";
    jboolean copy;
    const char *u = (*env)->GetStringUTFChars(env, s, &copy);
    snprintf(out, sizeof out, "%d %zu", (*env)->GetStringUTFLength(env, s), strlen(u));
    for (const char *p = u; *p; p++)
        snprintf(out + strlen(out), sizeof out - strlen(out), " %02x", (unsigned char)*p);
    (*env)->ReleaseStringUTFChars(env, s, u);
    (*env)->GetStringUTFRegion(env, s, 0, 1, region);
    const jchar *critical = (*env)->GetStringCritical(env, s, NULL);
    jchar first = critical[0];
    (*env)->ReleaseStringCritical(env, s, critical);
    return text(env, "%s | %zu %d", out, strlen(region), first);
}

NATIVE(void, Strings, region)(JNIEnv *env, jclass cls, jstring s, jint from, jint n)
{
    jchar buf[100];
    (*env)->GetStringRegion(env, s, from, n, buf);
}

/* ---- Arrays ---- */

NATIVE(jstring, Arrays, all)(JNIEnv *env, jclass cls)
{
    char out[2000] = "";
#define ARRAYS(Name, type, desc, fmt)                                                                                    \
    {                                                                                                                   \
        type##Array a = (*env)->New##Name##Array(env, 4);                                                               \
        type some[2] = {1, 0}, back[4];                                                                                 \
        (*env)->Set##Name##ArrayRegion(env, a, 1, 2, some);                                                             \
        type *e = (*env)->Get##Name##ArrayElements(env, a, NULL);                                                       \
        e[3] = e[1];                                                                                                    \
        (*env)->Release##Name##ArrayElements(env, a, e, JNI_COMMIT);                                                    \
        (*env)->Release##Name##ArrayElements(env, a, e, 0);                                                             \
        type *p = (*env)->GetPrimitiveArrayCritical(env, a, NULL);                                                      \
        p[0] = 1;                                                                                                       \
        (*env)->ReleasePrimitiveArrayCritical(env, a, p, 0);                                                            \
        (*env)->Get##Name##ArrayRegion(env, a, 0, 4, back);                                                             \
        snprintf(out + strlen(out), sizeof out - strlen(out), #Name " %d " fmt fmt fmt fmt "\n",                        \
                 (*env)->GetArrayLength(env, a), back[0], back[1], back[2], back[3]);                                   \
    }
    TYPES(ARRAYS)
    return text(env, "%s", out);
}

NATIVE(jobjectArray, Arrays, objects)(JNIEnv *env, jclass cls, jint n)
{
    jclass string = (*env)->FindClass(env, "java/lang/String");
    jobjectArray a = (*env)->NewObjectArray(env, n, string, (*env)->NewStringUTF(env, "init"));
    if (!a)
        return NULL;
    (*env)->SetObjectArrayElement(env, a, 0, (*env)->NewStringUTF(env, "first"));
    (*env)->SetObjectArrayElement(env, a, n - 1, (*env)->GetObjectArrayElement(env, a, 0));
    return a;
}

NATIVE(void, Arrays, bad)(JNIEnv *env, jclass cls, jobjectArray a, jint at, jobject value)
{
    (*env)->SetObjectArrayElement(env, a, at, value);
}

NATIVE(void, Arrays, badRegion)(JNIEnv *env, jclass cls, jintArray a, jint at, jint n)
{
    jint buf[8] = {0};
    (*env)->GetIntArrayRegion(env, a, at, n, buf);
}

/* ---- Exceptions ---- */

NATIVE(void, Exceptions, throwNew)(JNIEnv *env, jclass cls, jclass what, jstring message)
{
    const char *m = message ? (*env)->GetStringUTFChars(env, message, NULL) : NULL;
    (*env)->ThrowNew(env, what, m);
    if (m)
        (*env)->ReleaseStringUTFChars(env, message, m);
}

NATIVE(void, Exceptions, throwThis)(JNIEnv *env, jclass cls, jthrowable t)
{
    (*env)->Throw(env, t);
}

NATIVE(jstring, Exceptions, catching)(JNIEnv *env, jclass cls, jobject runnable)
{
    jclass c = (*env)->FindClass(env, "java/lang/Runnable");
    (*env)->CallVoidMethod(env, runnable, (*env)->GetMethodID(env, c, "run", "()V"));
    jboolean checked = (*env)->ExceptionCheck(env);
    jthrowable t = (*env)->ExceptionOccurred(env);
    (*env)->ExceptionClear(env);
    if (!t)
        return text(env, "none %d", checked);
    jclass tc = (*env)->FindClass(env, "java/lang/Throwable");
    jstring m = (*env)->CallObjectMethod(env, t, (*env)->GetMethodID(env, tc, "getMessage", "()Ljava/lang/String;"));
    const char *u = m ? (*env)->GetStringUTFChars(env, m, NULL) : "null";
    jstring said = text(env, "caught %d %s %d", checked, u, (*env)->ExceptionCheck(env));
    if (m)
        (*env)->ReleaseStringUTFChars(env, m, u);
    return said;
}

NATIVE(jint, Exceptions, lookups)(JNIEnv *env, jclass cls, jint which)
{
    switch (which) {
    case 0: (*env)->FindClass(env, "no/Such"); break;
    case 1: (*env)->GetMethodID(env, cls, "nope", "()V"); break;
    case 2: (*env)->GetStaticMethodID(env, cls, "lookups", "()V"); break;
    case 3: (*env)->GetStaticFieldID(env, cls, "nope", "I"); break;
    case 4: (*env)->AllocObject(env, (*env)->FindClass(env, "java/lang/Runnable")); break;
    case 5: (*env)->NewIntArray(env, -1); break;
    case 6: (*env)->FindClass(env, "java.lang.String"); break;
    case 7: (*env)->FindClass(env, "[Ljava/lang/String;"); break;
    default: break;
    }
    return which;
}

/* ---- References, monitors, the VM ---- */

NATIVE(jstring, Refs, all)(JNIEnv *env, jclass cls, jobject o)
{
    jobject g = (*env)->NewGlobalRef(env, o);
    jweak w = (*env)->NewWeakGlobalRef(env, o);
    jobject l = (*env)->NewLocalRef(env, g);
    int kinds = (*env)->GetObjectRefType(env, g) * 100 + (*env)->GetObjectRefType(env, w) * 10 + (*env)->GetObjectRefType(env, l);
    int same = (*env)->IsSameObject(env, g, w) && (*env)->IsSameObject(env, l, o) && !(*env)->IsSameObject(env, o, NULL);
    (*env)->PushLocalFrame(env, 100);
    for (int i = 0; i < 100; i++)
        (*env)->NewLocalRef(env, o);
    jobject kept = (*env)->PopLocalFrame(env, (*env)->NewStringUTF(env, "kept"));
    int n = (*env)->GetStringLength(env, kept);
    (*env)->DeleteLocalRef(env, l);
    (*env)->DeleteGlobalRef(env, g);
    (*env)->DeleteWeakGlobalRef(env, w);
    int ok = (*env)->EnsureLocalCapacity(env, 500);
    for (int i = 0; i < 2000; i++)
        (*env)->DeleteLocalRef(env, (*env)->NewLocalRef(env, o));
    return text(env, "%d %d %d %d %d", kinds, same, n, ok, (*env)->NewGlobalRef(env, NULL) == NULL);
}

static jobject kept_global;
static jweak kept_weak;

NATIVE(void, Refs, keep)(JNIEnv *env, jclass cls, jobject strong, jobject weak)
{
    kept_global = (*env)->NewGlobalRef(env, strong);
    kept_weak = (*env)->NewWeakGlobalRef(env, weak);
}

NATIVE(jobject, Refs, strong)(JNIEnv *env, jclass cls)
{
    return kept_global;
}

NATIVE(jboolean, Refs, weakGone)(JNIEnv *env, jclass cls)
{
    return (*env)->IsSameObject(env, kept_weak, NULL);
}

NATIVE(jstring, Refs, machine)(JNIEnv *env, jclass cls)
{
    JavaVM *vm = NULL;
    void *again = NULL, *attached = NULL;
    (*env)->GetJavaVM(env, &vm);
    jint got = (*vm)->GetEnv(vm, &again, JNI_VERSION_1_8);
    jint old = (*vm)->GetEnv(vm, &again, 0x00990000);
    (*vm)->GetEnv(vm, &again, JNI_VERSION_1_8);
    jint att = (*vm)->AttachCurrentThread(vm, &attached, NULL);
    return text(env, "%x %d %d %d %d %d %d", (*env)->GetVersion(env), vm == vm_at_load, got, again == (void *)env, old, att, attached == (void *)env);
}

NATIVE(jboolean, Refs, monitor)(JNIEnv *env, jclass cls, jobject o)
{
    (*env)->MonitorEnter(env, o);
    jclass thread = (*env)->FindClass(env, "java/lang/Thread");
    jmethodID holds = (*env)->GetStaticMethodID(env, thread, "holdsLock", "(Ljava/lang/Object;)Z");
    jboolean held = (*env)->CallStaticBooleanMethod(env, thread, holds, o);
    (*env)->MonitorExit(env, o);
    return held && !(*env)->CallStaticBooleanMethod(env, thread, holds, o);
}

NATIVE(jint, Refs, exitNotOwned)(JNIEnv *env, jclass cls, jobject o)
{
    return (*env)->MonitorExit(env, o);
}

static char direct_memory[16] = "direct memory";

NATIVE(jobject, Refs, direct)(JNIEnv *env, jclass cls)
{
    return (*env)->NewDirectByteBuffer(env, direct_memory, sizeof direct_memory);
}

NATIVE(jstring, Refs, peek)(JNIEnv *env, jclass cls, jobject buffer)
{
    char *p = (*env)->GetDirectBufferAddress(env, buffer);
    return text(env, "%ld %c", (long)(*env)->GetDirectBufferCapacity(env, buffer), p ? p[0] : '?');
}

static jint late(JNIEnv *env, jclass cls, jint x)
{
    return x * 3;
}

NATIVE(jint, Refs, register)(JNIEnv *env, jclass cls, jboolean on)
{
    JNINativeMethod m = {"late", "(I)I", (void *)late};
    JNINativeMethod bad = {"noSuch", "(I)I", (void *)late};
    if (!on)
        return (*env)->UnregisterNatives(env, cls);
    jint refused = (*env)->RegisterNatives(env, cls, &bad, 1);
    (*env)->ExceptionClear(env);
    return (*env)->RegisterNatives(env, cls, &m, 1) * 10 + (refused < 0);
}

NATIVE(jclass, Refs, define)(JNIEnv *env, jclass cls, jstring name, jobject loader, jbyteArray file)
{
    jsize n = (*env)->GetArrayLength(env, file);
    jbyte *b = (*env)->GetByteArrayElements(env, file, NULL);
    const char *u = (*env)->GetStringUTFChars(env, name, NULL);
    jclass c = (*env)->DefineClass(env, u, loader, b, n);
    (*env)->ReleaseStringUTFChars(env, name, u);
    (*env)->ReleaseByteArrayElements(env, file, b, JNI_ABORT);
    return c;
}

NATIVE(jstring, Refs, classes)(JNIEnv *env, jclass cls, jclass a, jclass b, jobject o)
{
    jobject module = (*env)->GetModule(env, a);
    jmethodID id = (*env)->GetMethodID(env, a, "hashCode", "()I");
    jobject m = (*env)->ToReflectedMethod(env, a, id, JNI_FALSE);
    return text(env, "%d %d %d %d %d", (*env)->IsAssignableFrom(env, a, b), (*env)->IsAssignableFrom(env, b, a),
                (*env)->IsInstanceOf(env, o, a), module != NULL, (*env)->FromReflectedMethod(env, m) == id);
}

/* Overloaded natives have their signature in the name. */
JNIEXPORT jint JNICALL Java_jni_Refs_over__I(JNIEnv *env, jclass cls, jint x)
{
    return x + 1;
}

JNIEXPORT jint JNICALL Java_jni_Refs_over__Ljava_lang_String_2(JNIEnv *env, jclass cls, jstring s)
{
    return (*env)->GetStringLength(env, s);
}

JNIEXPORT jint JNICALL Java_jni_Refs_odd_1name_00024(JNIEnv *env, jclass cls)
{
    return 42;
}
