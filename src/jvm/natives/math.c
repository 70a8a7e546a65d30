/* natives/math.c - java.lang.Math and StrictMath.
 *
 * StrictMath's results are fixed bit by bit: they come from fdlibm in the JDK's own libjava, called here
 * without the ceremony of JNI.  Math may be off by an ulp, and other JVMs compute it with better
 * approximations than fdlibm's; the C library's are of that kind too (both round right but for a few
 * values in a thousand), so that programs print the same digits.  These methods of Math aren't native:
 * the rows below stand in for their bytecode (jvm_native_replaces). */
#include <dlfcn.h>
#include <math.h>

#include "base/check.h"
#include "jvm/natives/natives.h"

/* ---- StrictMath ---- */

typedef double strict_fn1(JNIEnv *env, jclass cls, double x);
typedef double strict_fn2(JNIEnv *env, jclass cls, double x, double y);

static void *strict_function(const char *symbol)
{
    void *fn = dlsym(jvm_boot_library("java"), symbol);
    ebb_check(fn != NULL); /* a JDK without it is not one we can run on */
    return fn;
}

#define STRICT1(X) X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(log) X(log10) X(sinh) X(cosh) X(tanh) X(expm1) X(log1p)
#define STRICT2(X) X(IEEEremainder) X(atan2)

#define DEFINE_STRICT1(name)                                                                       \
    static jvm_slot strict_##name(jvm_thread *t, jvm_method *m, jvm_slot *args)                    \
    {                                                                                              \
        static strict_fn1 *fn;                                                                     \
        if (fn == NULL)                                                                            \
            fn = (strict_fn1 *)(uintptr_t)strict_function("Java_java_lang_StrictMath_" #name);     \
        return (jvm_slot){ .d = fn((JNIEnv *)t, NULL, args[0].d) };                                \
    }
STRICT1(DEFINE_STRICT1)

#define DEFINE_STRICT2(name)                                                                       \
    static jvm_slot strict_##name(jvm_thread *t, jvm_method *m, jvm_slot *args)                    \
    {                                                                                              \
        static strict_fn2 *fn;                                                                     \
        if (fn == NULL)                                                                            \
            fn = (strict_fn2 *)(uintptr_t)strict_function("Java_java_lang_StrictMath_" #name);     \
        return (jvm_slot){ .d = fn((JNIEnv *)t, NULL, args[0].d, args[2].d) };                     \
    }
STRICT2(DEFINE_STRICT2)

/* ---- Math ---- */

#define MATH1(X) X(sin) X(cos) X(tan) X(exp) X(log) X(sqrt)

#define DEFINE_MATH1(name)                                                                         \
    static jvm_slot math_##name(jvm_thread *t, jvm_method *m, jvm_slot *args)                      \
    {                                                                                              \
        return (jvm_slot){ .d = name(args[0].d) };                                                 \
    }
MATH1(DEFINE_MATH1)

/* The C library's log10 of doubles is a rough one; of long doubles it rounds right. */
static jvm_slot math_log10(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    return (jvm_slot){ .d = (double)log10l(args[0].d) };
}

/* C says that 1 to any power is 1; Java excepts NaN and the infinities. */
static jvm_slot math_pow(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    double x = args[0].d, y = args[2].d;
    bool undefined = isnan(y) || (isinf(y) && fabs(x) == 1);
    return (jvm_slot){ .d = undefined ? NAN : pow(x, y) };
}

static jvm_slot math_fma(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    return (jvm_slot){ .d = fma(args[0].d, args[2].d, args[4].d) };
}

static jvm_slot math_fmaf(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    return (jvm_slot){ .f = fmaf(args[0].f, args[1].f, args[2].f) };
}

const jvm_inner_native jvm_natives_math[] = {
#define STRICT_ROW(name) { "java/lang/StrictMath", #name, NULL, strict_##name, JVM_NATIVE_PURE },
    STRICT1(STRICT_ROW) STRICT2(STRICT_ROW)
    { "java/lang/StrictMath", "sqrt", NULL, math_sqrt, JVM_NATIVE_PURE },
#define MATH_ROW(name) { "java/lang/Math", #name, "(D)D", math_##name, JVM_NATIVE_PURE },
    MATH1(MATH_ROW) MATH_ROW(log10)
    { "java/lang/Math", "pow", "(DD)D", math_pow, JVM_NATIVE_PURE },
    { "java/lang/Math", "fma", "(DDD)D", math_fma, JVM_NATIVE_PURE },
    { "java/lang/Math", "fma", "(FFF)F", math_fmaf, JVM_NATIVE_PURE },
    { NULL },
};
