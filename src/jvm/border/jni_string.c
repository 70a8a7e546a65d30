/* jni_string.c - JNI: strings.  Characters that native code sees are always a copy (jvm_string_* know
 * the two encodings of java.lang.String). */
#include "jvm/border/jni_impl.h"
#include "jvm/heap/jstring.h"

static jchar *copy_chars(const jvm_obj *string, jboolean *is_copy)
{
    int32_t n = jvm_string_length(string);
    jchar *chars = ebb_alloc(((size_t)n + 1) * sizeof *chars);
    for (int32_t i = 0; i < n; i++)
        chars[i] = jvm_string_char(string, i);
    chars[n] = 0;
    if (is_copy != NULL)
        *is_copy = JNI_TRUE;
    return chars;
}

/* False: StringIndexOutOfBoundsException pending. */
static bool check_range(jvm_thread *t, const jvm_obj *string, jsize start, jsize count)
{
    int32_t n = jvm_string_length(string);
    if (start >= 0 && count >= 0 && start <= n - count)
        return true;
    jvm_throw(t, "java/lang/StringIndexOutOfBoundsException", "Region range out of bounds: start %d, length %d, string length %d",
              (int)start, (int)count, n);
    return false;
}

jstring jvm_jni_NewString(JNIEnv *env, const jchar *chars, jsize nchars)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    return jvm_local(t, jvm_string_new_utf16(t, chars, (size_t)nchars));
}

jsize jvm_jni_GetStringLength(JNIEnv *env, jstring string)
{
    return jvm_string_length(jvm_deref(string));
}

const jchar *jvm_jni_GetStringChars(JNIEnv *env, jstring string, jboolean *is_copy)
{
    return copy_chars(jvm_deref(string), is_copy);
}

void jvm_jni_ReleaseStringChars(JNIEnv *env, jstring string, const jchar *chars)
{
    free((void *)chars);
}

const jchar *jvm_jni_GetStringCritical(JNIEnv *env, jstring string, jboolean *is_copy)
{
    return copy_chars(jvm_deref(string), is_copy);
}

void jvm_jni_ReleaseStringCritical(JNIEnv *env, jstring string, const jchar *chars)
{
    free((void *)chars);
}

void jvm_jni_GetStringRegion(JNIEnv *env, jstring string, jsize start, jsize count, jchar *out)
{
    const jvm_obj *s = jvm_deref(string);
    if (!check_range(jvm_env_thread(env), s, start, count))
        return;
    for (jsize i = 0; i < count; i++)
        out[i] = jvm_string_char(s, start + i);
}

jstring jvm_jni_NewStringUTF(JNIEnv *env, const char *utf8)
{
    jvm_thread *t = jvm_env_thread(env);
    if (utf8 == NULL)
        return NULL;
    jvm_gc_point(t);
    return jvm_local(t, jvm_string_new(t, utf8));
}

jsize jvm_jni_GetStringUTFLength(JNIEnv *env, jstring string)
{
    return (jsize)jvm_string_utf8_length(jvm_deref(string));
}

const char *jvm_jni_GetStringUTFChars(JNIEnv *env, jstring string, jboolean *is_copy)
{
    if (is_copy != NULL)
        *is_copy = JNI_TRUE;
    return jvm_string_utf8(jvm_deref(string));
}

void jvm_jni_ReleaseStringUTFChars(JNIEnv *env, jstring string, const char *utf8)
{
    free((void *)utf8);
}

/* The C library of the JDK relies on the final NUL that the specification leaves open. */
void jvm_jni_GetStringUTFRegion(JNIEnv *env, jstring string, jsize start, jsize count, char *out)
{
    const jvm_obj *s = jvm_deref(string);
    if (!check_range(jvm_env_thread(env), s, start, count))
        return;
    size_t nbytes = 0;
    for (jsize i = 0; i < count; i++) {
        uint16_t c = jvm_string_char(s, start + i);
        nbytes += c >= 1 && c < 0x80 ? 1 : c < 0x800 ? 2 : 3;
    }
    if (count > 0)
        jvm_string_utf8_region(s, start, count, out);
    out[nbytes] = '\0';
}
