/* jni_table.c - a user's native library that calls every function of the JNI table and prints what it got.
 * Run on HotSpot and on our machine, it must print the same.  Types are looped over by macro, so that no
 * member of a family is left out. */
#include <jni.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static JavaVM *the_vm;
static jclass base, derived;
static jobject object; /* a Derived */

#define SAY(...) (printf(__VA_ARGS__), fflush(stdout))

#define PRIMITIVES(X)                                                                              \
    X(Boolean, jboolean, z, "Z", JNI_TRUE, "%d", int)                                              \
    X(Byte, jbyte, b, "B", -100, "%d", int)                                                        \
    X(Char, jchar, c, "C", 0x20ac, "%d", int)                                                      \
    X(Short, jshort, s, "S", -1234, "%d", int)                                                     \
    X(Int, jint, i, "I", 0x7fffffff, "%d", int)                                                    \
    X(Long, jlong, j, "J", INT64_C(0x123456789abcdef0), "%lld", long long)                         \
    X(Float, jfloat, f, "F", 0.5f, "%g", double)                                                   \
    X(Double, jdouble, d, "D", 1e300, "%g", double)

static jmethodID method(JNIEnv *env, jclass cls, const char *name, const char *sig)
{
    jmethodID id = (*env)->GetMethodID(env, cls, name, sig);
    if (id == NULL)
        SAY("no method %s%s\n", name, sig);
    return id;
}

static const char *text(JNIEnv *env, jobject string)
{
    static char buffer[4][256];
    static int at;
    char *to = buffer[at++ % 4];
    if (string == NULL)
        return "null";
    const char *utf = (*env)->GetStringUTFChars(env, string, NULL);
    snprintf(to, sizeof buffer[0], "%s", utf);
    (*env)->ReleaseStringUTFChars(env, string, utf);
    return to;
}

static const char *show(JNIEnv *env, jobject o)
{
    if (o == NULL)
        return "null";
    jmethodID id = method(env, (*env)->GetObjectClass(env, o), "toString", "()Ljava/lang/String;");
    return text(env, (*env)->CallObjectMethod(env, o, id));
}

static void clear(JNIEnv *env, const char *where)
{
    jthrowable thrown = (*env)->ExceptionOccurred(env);
    jboolean pending = (*env)->ExceptionCheck(env);
    (*env)->ExceptionClear(env);
    SAY("%s: %d %s\n", where, pending, show(env, thrown));
}

/* ---- calls: every type in 9 spellings ---- */

#define CALL_V(T, ctype)                                                                           \
    static ctype virtual_##T(JNIEnv *env, jmethodID id, ...)                                       \
    {                                                                                              \
        va_list va;                                                                                \
        va_start(va, id);                                                                          \
        ctype r = (*env)->Call##T##MethodV(env, object, id, va);                                   \
        va_end(va);                                                                                \
        return r;                                                                                  \
    }                                                                                              \
    static ctype exact_##T(JNIEnv *env, jmethodID id, ...)                                         \
    {                                                                                              \
        va_list va;                                                                                \
        va_start(va, id);                                                                          \
        ctype r = (*env)->CallNonvirtual##T##MethodV(env, object, base, id, va);                   \
        va_end(va);                                                                                \
        return r;                                                                                  \
    }                                                                                              \
    static ctype static_##T(JNIEnv *env, jmethodID id, ...)                                        \
    {                                                                                              \
        va_list va;                                                                                \
        va_start(va, id);                                                                          \
        ctype r = (*env)->CallStatic##T##MethodV(env, base, id, va);                               \
        va_end(va);                                                                                \
        return r;                                                                                  \
    }
#define CALL_V_ROW(T, ctype, m, sig, value, format, shown) CALL_V(T, ctype)
PRIMITIVES(CALL_V_ROW)
CALL_V(Object, jobject)

#define CALLS(T, ctype, m, sig, value, format, shown)                                              \
    {                                                                                              \
        jmethodID id = method(env, base, "get" #T, "(" sig "D)" sig);                              \
        jmethodID sid = (*env)->GetStaticMethodID(env, base, "static" #T, "(" sig "D)" sig);       \
        jvalue a[2] = { { .m = value }, { .d = 7 } };                                              \
        SAY(#T " " format " " format " " format, (shown)(*env)->Call##T##Method(env, object, id, (ctype)(value), 7.0), \
            (shown)virtual_##T(env, id, (ctype)(value), 7.0), (shown)(*env)->Call##T##MethodA(env, object, id, a)); \
        SAY(" exact " format " " format " " format,                                                \
            (shown)(*env)->CallNonvirtual##T##Method(env, object, base, id, (ctype)(value), 7.0),  \
            (shown)exact_##T(env, id, (ctype)(value), 7.0),                                        \
            (shown)(*env)->CallNonvirtual##T##MethodA(env, object, base, id, a));                  \
        SAY(" static " format " " format " " format "\n",                                          \
            (shown)(*env)->CallStatic##T##Method(env, base, sid, (ctype)(value), 7.0),             \
            (shown)static_##T(env, sid, (ctype)(value), 7.0), (shown)(*env)->CallStatic##T##MethodA(env, base, sid, a)); \
    }

static void void_v(JNIEnv *env, jmethodID id, jmethodID sid, ...)
{
    va_list va;
    va_start(va, sid);
    (*env)->CallVoidMethodV(env, object, id, va);
    va_end(va);
    va_start(va, sid);
    (*env)->CallNonvirtualVoidMethodV(env, object, base, id, va);
    va_end(va);
    va_start(va, sid);
    (*env)->CallStaticVoidMethodV(env, base, sid, va);
    va_end(va);
}

static void calls(JNIEnv *env)
{
    PRIMITIVES(CALLS)
    jstring word = (*env)->NewStringUTF(env, "word");
    jvalue a[2] = { { .l = word }, { .d = 0.5 } };
    jmethodID id = method(env, base, "getObject", "(Ljava/lang/Object;D)Ljava/lang/Object;");
    jmethodID sid = (*env)->GetStaticMethodID(env, base, "staticObject", "(Ljava/lang/Object;D)Ljava/lang/Object;");
    SAY("Object %s %s %s\n", text(env, (*env)->CallObjectMethod(env, object, id, word, 0.5)),
        text(env, virtual_Object(env, id, word, 0.5)), text(env, (*env)->CallObjectMethodA(env, object, id, a)));
    SAY("Object exact %s %s %s\n", text(env, (*env)->CallNonvirtualObjectMethod(env, object, base, id, word, 0.5)),
        text(env, exact_Object(env, id, word, 0.5)), text(env, (*env)->CallNonvirtualObjectMethodA(env, object, base, id, a)));
    SAY("Object static %s %s %s\n", text(env, (*env)->CallStaticObjectMethod(env, base, sid, word, 0.5)),
        text(env, static_Object(env, sid, word, 0.5)), text(env, (*env)->CallStaticObjectMethodA(env, base, sid, a)));

    jfieldID l = (*env)->GetFieldID(env, base, "l", "Ljava/lang/Object;");
    jfieldID sl = (*env)->GetStaticFieldID(env, base, "sl", "Ljava/lang/Object;");
    id = method(env, base, "getVoid", "(Ljava/lang/Object;D)V");
    sid = (*env)->GetStaticMethodID(env, base, "staticVoid", "(Ljava/lang/Object;D)V");
    (*env)->CallVoidMethod(env, object, id, word, 1.0);
    SAY("Void %s\n", text(env, (*env)->GetObjectField(env, object, l)));
    (*env)->CallVoidMethodA(env, object, id, a);
    (*env)->CallNonvirtualVoidMethod(env, object, base, id, word, 2.0);
    SAY("Void %s\n", text(env, (*env)->GetObjectField(env, object, l)));
    (*env)->CallNonvirtualVoidMethodA(env, object, base, id, a);
    (*env)->CallStaticVoidMethod(env, base, sid, word, 3.0);
    (*env)->CallStaticVoidMethodA(env, base, sid, a);
    void_v(env, id, sid, word, 4.0);
    SAY("Void %s %s\n", text(env, (*env)->GetObjectField(env, object, l)), text(env, (*env)->GetStaticObjectField(env, base, sl)));

    jclass self = (*env)->FindClass(env, "JniTable");
    jmethodID many = (*env)->GetStaticMethodID(env, self, "manyArguments", "(BSCZIJFDLjava/lang/Object;JFDI)J");
    SAY("many %lld\n", (long long)(*env)->CallStaticLongMethod(env, self, many, -1, -2, 3, 1, -5, (jlong)6, 7.5, 8.25, word,
                                                              (jlong)-10, 11.5, 12.75, 13));
    jclass shape = (*env)->FindClass(env, "JniTable$Shape"), circle = (*env)->FindClass(env, "JniTable$Circle");
    jmethodID name = method(env, shape, "name", "()Ljava/lang/String;");
    jobject round = (*env)->NewObject(env, circle, method(env, circle, "<init>", "()V"));
    SAY("interface %s %s\n", text(env, (*env)->CallObjectMethod(env, round, name)),
        text(env, (*env)->CallNonvirtualObjectMethod(env, round, shape, name)));
}

/* ---- fields ---- */

#define FIELDS(T, ctype, m, sig, value, format, shown)                                             \
    {                                                                                              \
        jfieldID id = (*env)->GetFieldID(env, derived, #m, sig);                                   \
        jfieldID sid = (*env)->GetStaticFieldID(env, derived, "s" #m, sig);                        \
        SAY(#T " field " format " " format, (shown)(*env)->Get##T##Field(env, object, id),         \
            (shown)(*env)->GetStatic##T##Field(env, base, sid));                                   \
        (*env)->Set##T##Field(env, object, id, value);                                             \
        (*env)->SetStatic##T##Field(env, base, sid, value);                                        \
        SAY(" " format " " format "\n", (shown)(*env)->Get##T##Field(env, object, id),             \
            (shown)(*env)->GetStatic##T##Field(env, base, sid));                                   \
    }

static void fields(JNIEnv *env)
{
    PRIMITIVES(FIELDS)
    jfieldID id = (*env)->GetFieldID(env, base, "l", "Ljava/lang/Object;");
    jfieldID sid = (*env)->GetStaticFieldID(env, base, "sl", "Ljava/lang/Object;");
    (*env)->SetObjectField(env, object, id, NULL);
    (*env)->SetStaticObjectField(env, base, sid, (*env)->NewStringUTF(env, "set"));
    SAY("Object field %s %s\n", text(env, (*env)->GetObjectField(env, object, id)),
        text(env, (*env)->GetStaticObjectField(env, base, sid)));
    (*env)->GetFieldID(env, base, "nothing", "I");
    clear(env, "GetFieldID");
    (*env)->GetStaticFieldID(env, base, "i", "I");
    clear(env, "GetStaticFieldID");
    (*env)->GetMethodID(env, base, "getInt", "()I");
    clear(env, "GetMethodID");
    (*env)->GetStaticMethodID(env, base, "getInt", "(ID)I");
    clear(env, "GetStaticMethodID");
}

/* ---- arrays ---- */

#define ARRAYS(T, ctype, m, sig, value, format, shown)                                             \
    {                                                                                              \
        ctype##Array array = (*env)->New##T##Array(env, 4);                                        \
        ctype in[2] = { value, value }, out[4];                                                    \
        jboolean copy;                                                                             \
        (*env)->Set##T##ArrayRegion(env, array, 1, 2, in);                                         \
        (*env)->Get##T##ArrayRegion(env, array, 0, 4, out);                                        \
        ctype *e = (*env)->Get##T##ArrayElements(env, array, &copy);                               \
        SAY(#T " array %d " format " " format " " format " same %d", (*env)->GetArrayLength(env, array), (shown)out[0], \
            (shown)out[1], (shown)out[3], memcmp(e, out, sizeof out) == 0);                        \
        e[3] = (ctype)1;                                                                           \
        (*env)->Release##T##ArrayElements(env, array, e, JNI_COMMIT);                              \
        e[0] = (ctype)1;                                                                           \
        (*env)->Release##T##ArrayElements(env, array, e, JNI_ABORT);                               \
        ctype *p = (*env)->GetPrimitiveArrayCritical(env, array, NULL);                            \
        SAY(" " format " " format, (shown)p[2], (shown)p[3]);                                      \
        p[2] = (ctype)0;                                                                           \
        (*env)->ReleasePrimitiveArrayCritical(env, array, p, 0);                                   \
        (*env)->Get##T##ArrayRegion(env, array, 2, 1, out);                                        \
        SAY(" " format "\n", (shown)out[0]);                                                       \
        (*env)->Get##T##ArrayRegion(env, array, 3, 2, out);                                        \
        clear(env, #T "ArrayRegion");                                                              \
    }

static void arrays(JNIEnv *env)
{
    PRIMITIVES(ARRAYS)
    jclass string = (*env)->FindClass(env, "java/lang/String");
    jobjectArray array = (*env)->NewObjectArray(env, 3, string, (*env)->NewStringUTF(env, "initial"));
    (*env)->SetObjectArrayElement(env, array, 1, NULL);
    SAY("Object array %d %s %s %s\n", (*env)->GetArrayLength(env, array), text(env, (*env)->GetObjectArrayElement(env, array, 0)),
        text(env, (*env)->GetObjectArrayElement(env, array, 1)), text(env, (*env)->GetObjectArrayElement(env, array, 2)));
    (*env)->GetObjectArrayElement(env, array, 3);
    clear(env, "GetObjectArrayElement");
    (*env)->SetObjectArrayElement(env, array, 0, object);
    clear(env, "SetObjectArrayElement");
    (*env)->NewIntArray(env, -1);
    clear(env, "NewIntArray");
    (*env)->NewObjectArray(env, -2, string, NULL);
    clear(env, "NewObjectArray");
}

/* ---- strings ---- */

static void strings(JNIEnv *env)
{
    const jchar chars[] = { 'h', 0xe9, 0x20ac, 0xd83d, 0xde00, 0, 'z' };
    jstring s = (*env)->NewString(env, chars, 7);
    jboolean copy;
    const jchar *got = (*env)->GetStringChars(env, s, &copy);
    SAY("string %d %d same %d", (*env)->GetStringLength(env, s), (*env)->GetStringUTFLength(env, s), memcmp(got, chars, 14) == 0);
    (*env)->ReleaseStringChars(env, s, got);
    got = (*env)->GetStringCritical(env, s, NULL);
    SAY(" %d", got[2]);
    (*env)->ReleaseStringCritical(env, s, got);
    jchar region[3];
    (*env)->GetStringRegion(env, s, 1, 3, region);
    SAY(" %d %d %d", region[0], region[1], region[2]);
    char utf[64] = "";
    (*env)->GetStringUTFRegion(env, s, 1, 2, utf);
    SAY(" [%s]", utf);
    const char *whole = (*env)->GetStringUTFChars(env, s, &copy);
    for (const char *p = whole; *p != '\0'; p++)
        SAY(" %02x", (unsigned char)*p);
    (*env)->ReleaseStringUTFChars(env, s, whole);
    SAY("\n");
    (*env)->GetStringRegion(env, s, 6, 2, region);
    (*env)->ExceptionClear(env);
    jstring latin = (*env)->NewStringUTF(env, "caf\xc3\xa9");
    SAY("latin %d %d %s\n", (*env)->GetStringLength(env, latin), (*env)->GetStringUTFLength(env, latin), text(env, latin));
    SAY("empty %d %s\n", (*env)->GetStringLength(env, (*env)->NewString(env, chars, 0)), text(env, (*env)->NewStringUTF(env, "")));
}

/* ---- classes, reflection, objects ---- */

static jobject new_object_v(JNIEnv *env, jclass cls, jmethodID id, ...)
{
    va_list va;
    va_start(va, id);
    jobject o = (*env)->NewObjectV(env, cls, id, va);
    va_end(va);
    return o;
}

static void classes(JNIEnv *env)
{
    jclass number = (*env)->FindClass(env, "java/lang/Number"), integer = (*env)->FindClass(env, "java/lang/Integer");
    SAY("super %s assignable %d %d instance %d %d\n", show(env, (*env)->GetSuperclass(env, integer)),
        (*env)->IsAssignableFrom(env, integer, number), (*env)->IsAssignableFrom(env, number, integer),
        (*env)->IsInstanceOf(env, object, base), (*env)->IsInstanceOf(env, object, number));
    SAY("arrays %s %s\n", show(env, (*env)->FindClass(env, "[I")), show(env, (*env)->FindClass(env, "[[Ljava/lang/String;")));
    (*env)->FindClass(env, "does/not/Exist");
    clear(env, "FindClass");
    (*env)->AllocObject(env, number);
    clear(env, "AllocObject");
    jmethodID init = method(env, derived, "<init>", "(Ljava/lang/String;ID)V");
    jstring v = (*env)->NewStringUTF(env, "v");
    jvalue a[3] = { { .l = v }, { .i = 2 }, { .d = 0.25 } };
    SAY("new %s %s %s\n", show(env, (*env)->NewObject(env, derived, init, v, 1, 0.5)), show(env, new_object_v(env, derived, init, v, 3, 1.0)),
        show(env, (*env)->NewObjectA(env, derived, init, a)));
    SAY("alloc %s\n", show(env, (*env)->AllocObject(env, derived)));

    jclass self = (*env)->FindClass(env, "JniTable");
    jmethodID reflected = (*env)->GetStaticMethodID(env, self, "reflected", "()Ljava/lang/reflect/Method;");
    jobject m = (*env)->CallStaticObjectMethod(env, self, reflected);
    jmethodID fail = (*env)->FromReflectedMethod(env, m);
    SAY("reflected %s\n", show(env, (*env)->ToReflectedMethod(env, self, fail, JNI_TRUE)));
    (*env)->CallStaticVoidMethod(env, self, fail, v);
    clear(env, "fail");
    jfieldID i = (*env)->GetFieldID(env, base, "i", "I");
    jobject f = (*env)->ToReflectedField(env, base, i, JNI_FALSE);
    SAY("field %s %d\n", show(env, f), (*env)->FromReflectedField(env, f) == i);
    SAY("constructor %s\n", show(env, (*env)->ToReflectedMethod(env, derived, init, JNI_FALSE)));
    SAY("module %s %s\n", show(env, (*env)->GetModule(env, integer)),
        strncmp(show(env, (*env)->GetModule(env, self)), "unnamed", 7) == 0 ? "unnamed" : "named");
    (*env)->DefineClass(env, "Broken", NULL, (const jbyte *)"nonsense", 8);
    jthrowable broken = (*env)->ExceptionOccurred(env);
    (*env)->ExceptionClear(env);
    SAY("define %s\n", show(env, (*env)->GetObjectClass(env, broken)));
}

/* ---- references and exceptions ---- */

static void references(JNIEnv *env)
{
    jobject global = (*env)->NewGlobalRef(env, object), local = (*env)->NewLocalRef(env, object);
    jweak weak = (*env)->NewWeakGlobalRef(env, object);
    SAY("kinds %d %d %d same %d %d %d\n", (*env)->GetObjectRefType(env, global), (*env)->GetObjectRefType(env, local),
        (*env)->GetObjectRefType(env, weak), (*env)->IsSameObject(env, global, local), (*env)->IsSameObject(env, weak, global),
        (*env)->IsSameObject(env, NULL, local));
    (*env)->DeleteWeakGlobalRef(env, weak);
    (*env)->DeleteGlobalRef(env, global);
    (*env)->DeleteLocalRef(env, local);
    SAY("capacity %d", (*env)->EnsureLocalCapacity(env, 100));
    SAY(" push %d", (*env)->PushLocalFrame(env, 10));
    jobject inside = (*env)->NewStringUTF(env, "inside");
    for (int i = 0; i < 5000; i++)
        (*env)->DeleteLocalRef(env, (*env)->NewStringUTF(env, "short-lived"));
    jobject kept = (*env)->PopLocalFrame(env, inside);
    SAY(" %s\n", text(env, kept));

    jclass state = (*env)->FindClass(env, "java/lang/IllegalStateException");
    (*env)->ThrowNew(env, state, "thrown new");
    clear(env, "ThrowNew");
    jthrowable t = (*env)->NewObject(env, state, method(env, state, "<init>", "()V"));
    SAY("Throw %d\n", (*env)->Throw(env, t));
    clear(env, "Throw");
    (*env)->ThrowNew(env, state, NULL);
    (*env)->ExceptionDescribe(env); /* to stderr */
    SAY("described %d\n", (*env)->ExceptionCheck(env));
    (*env)->ExceptionClear(env);
}

static void machine(JNIEnv *env)
{
    JavaVM *vm = NULL;
    void *other = NULL;
    SAY("vm %d", (*env)->GetJavaVM(env, &vm));
    SAY(" %d env %d", vm == the_vm, (*vm)->GetEnv(vm, &other, JNI_VERSION_1_8));
    SAY(" %d", other == env);
    SAY(" bad %d", (*vm)->GetEnv(vm, &other, 0x7fff0000));
    SAY(" attach %d", (*vm)->AttachCurrentThread(vm, &other, NULL));
    SAY(" %d", other == env);
    SAY(" daemon %d", (*vm)->AttachCurrentThreadAsDaemon(vm, &other, NULL));
    SAY(" version %x\n", (*env)->GetVersion(env));
    SAY("monitor %d", (*env)->MonitorEnter(env, object));
    SAY(" %d", (*env)->MonitorExit(env, object));
    SAY(" %d\n", (*env)->MonitorExit(env, object));
    clear(env, "MonitorExit");

    static char memory[32] = "direct memory";
    jobject buffer = (*env)->NewDirectByteBuffer(env, memory, sizeof memory);
    SAY("buffer %s %d %lld\n", show(env, buffer), (*env)->GetDirectBufferAddress(env, buffer) == memory,
        (long long)(*env)->GetDirectBufferCapacity(env, buffer));
    jclass heap = (*env)->FindClass(env, "java/nio/ByteBuffer");
    jmethodID allocate = (*env)->GetStaticMethodID(env, heap, "allocate", "(I)Ljava/nio/ByteBuffer;");
    jobject inside = (*env)->CallStaticObjectMethod(env, heap, allocate, 5);
    SAY("heap buffer %d %lld\n", (*env)->GetDirectBufferAddress(env, inside) == NULL,
        (long long)(*env)->GetDirectBufferCapacity(env, inside));
}

/* ---- natives ---- */

static jint JNICALL registered(JNIEnv *env, jclass cls, jint n) { return n + 1; }

static void registration(JNIEnv *env, jclass self)
{
    JNINativeMethod good = { "registered", "(I)I", (void *)registered }, bad = { "registered", "()I", (void *)registered };
    SAY("register %d", (*env)->RegisterNatives(env, self, &good, 1));
    SAY(" %d\n", (*env)->RegisterNatives(env, self, &bad, 1));
    clear(env, "RegisterNatives");
    jclass other = (*env)->FindClass(env, "JniTable$Circle");
    SAY("unregister %d\n", (*env)->UnregisterNatives(env, other));
}

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved)
{
    the_vm = vm;
    JNIEnv *env;
    (*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_6);
    SAY("OnLoad %s\n", show(env, (*env)->FindClass(env, "JniTable")));
    return JNI_VERSION_1_6;
}

JNIEXPORT void JNICALL Java_JniTable_run(JNIEnv *env, jobject self)
{
    base = (*env)->NewGlobalRef(env, (*env)->FindClass(env, "JniTable$Base"));
    derived = (*env)->NewGlobalRef(env, (*env)->FindClass(env, "JniTable$Derived"));
    object = (*env)->NewGlobalRef(env, (*env)->NewObject(env, derived, method(env, derived, "<init>", "(Ljava/lang/String;ID)V"),
                                                         (*env)->NewStringUTF(env, "first"), 1, 2.0));
    calls(env);
    fields(env);
    arrays(env);
    strings(env);
    classes(env);
    references(env);
    machine(env);
    registration(env, (*env)->GetObjectClass(env, self));
    if (the_vm == NULL) /* never: what ends the process can only be compiled */
        (*env)->FatalError(env, "unreachable");
}

JNIEXPORT jlong JNICALL Java_JniTable_nativeMany(JNIEnv *env, jclass cls, jbyte a, jshort b, jchar c, jboolean d, jint e, jlong f,
                                                 jfloat g, jdouble h, jobject i, jlong j, jfloat k, jdouble l, jint m)
{
    SAY("native %d %d %d %d %d %lld %g %g %s %lld %g %g %d\n", a, b, c, d, e, (long long)f, g, h, text(env, i), (long long)j, k, l, m);
    return f + j + m;
}

JNIEXPORT jdouble JNICALL Java_JniTable_nativeDoubles(JNIEnv *env, jclass cls, jdouble a, jdouble b, jdouble c, jdouble d, jdouble e,
                                                      jdouble f, jdouble g, jdouble h, jdouble i)
{
    return a + 10 * (b + 10 * (c + 10 * (d + 10 * (e + 10 * (f + 10 * (g + 10 * (h + 10 * i)))))));
}

JNIEXPORT jobject JNICALL Java_JniTable_callBack(JNIEnv *env, jclass cls, jobject o, jobject runnable)
{
    jmethodID run = method(env, (*env)->FindClass(env, "java/lang/Runnable"), "run", "()V");
    (*env)->CallVoidMethod(env, runnable, run);
    return (*env)->ExceptionCheck(env) ? NULL : o;
}
