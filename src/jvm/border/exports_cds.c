/* exports_cds.c - class data sharing: HotSpot's archive of prepared classes.  We have none, and these
 * are the answers by which the class library finds that out and builds everything itself. */
#include "jvm/border/exports.h"

JVM_EXPORT(jboolean, JVM_IsSharingEnabled, JNIEnv *env) { return JNI_FALSE; }
JVM_EXPORT(jboolean, JVM_IsCDSDumpingEnabled, JNIEnv *env) { return JNI_FALSE; }
JVM_EXPORT(jboolean, JVM_IsDumpingClassList, JNIEnv *env) { return JNI_FALSE; }
JVM_EXPORT(void, JVM_InitializeFromArchive, JNIEnv *env, jclass cls) {}
JVM_EXPORT(void, JVM_DefineArchivedModules, JNIEnv *env, jobject platform, jobject system) {}
JVM_EXPORT(void, JVM_LogLambdaFormInvoker, JNIEnv *env, jstring line) {}

/* Salt of the immutable collections: a constant, so that Set.of and Map.of iterate alike in every run. */
JVM_EXPORT(jlong, JVM_GetRandomSeedForDumping, void) { return INT64_C(0x5eb0feb0); }

JVM_EXPORT(jclass, JVM_LookupLambdaProxyClassFromArchive, JNIEnv *env, jclass caller, jstring name, jobject invoked_type,
           jobject method_type, jobject member, jobject instantiated_type)
{
    return NULL;
}

JVM_EXPORT(void, JVM_RegisterLambdaProxyClassForArchiving, JNIEnv *env, jclass caller, jstring name,
           jobject invoked_type, jobject method_type, jobject member, jobject instantiated_type, jclass lambda)
{
}

static void refuse_dump(JNIEnv *env, const char *what)
{
    jvm_throw(jvm_env_thread(env), "java/lang/UnsupportedOperationException", "%s: no class data sharing", what);
}

JVM_EXPORT(void, JVM_DumpClassListToFile, JNIEnv *env, jstring file) { refuse_dump(env, "JVM_DumpClassListToFile"); }
JVM_EXPORT(void, JVM_DumpDynamicArchive, JNIEnv *env, jstring file) { refuse_dump(env, "JVM_DumpDynamicArchive"); }
