/* exports_lib.c - services that the JDK's native libraries expect of a JVM: formatted output, shared
 * libraries, raw monitors. */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>

#include "jvm/border/exports.h"
#include "jvm/record/jni_record.h"
#include "jvm/record/launcher.h"
#include "jvm/threads/monitor.h"

/* ---- jio: printing that the launcher may redirect ---- */

/* -1 when the text didn't fit; always NUL-terminated. */
JVM_EXPORT(int, jio_vsnprintf, char *text, size_t size, const char *format, va_list args)
{
    if ((intptr_t)size <= 0)
        return -1;
    int n = vsnprintf(text, size, format, args);
    return n < 0 || (size_t)n >= size ? -1 : n;
}

JVM_EXPORT(int, jio_snprintf, char *text, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = jio_vsnprintf(text, size, format, args);
    va_end(args);
    return n;
}

JVM_EXPORT(int, jio_vfprintf, FILE *file, const char *format, va_list args)
{
    if (jvm_is_replaying())
        return 0;
    return jvm.options.vfprintf_hook != NULL ? jvm.options.vfprintf_hook(file, format, args)
                                             : vfprintf(file, format, args);
}

JVM_EXPORT(int, jio_fprintf, FILE *file, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = jio_vfprintf(file, format, args);
    va_end(args);
    return n;
}

JVM_EXPORT(int, jio_printf, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = jio_vfprintf(stdout, format, args);
    va_end(args);
    return n;
}

/* ---- shared libraries ---- */

JVM_EXPORT(void *, JVM_LoadLibrary, const char *name, jboolean throw_exception)
{
    void *library = dlopen(name, RTLD_LAZY);
    if (library == NULL && throw_exception) {
        const char *why = dlerror();
        char *message = ebb_asprintf("%s: %s", name, why == NULL ? "unknown reason" : why);
        jvm_record_throw(jvm_self, "java/lang/UnsatisfiedLinkError", message);
        jvm_border border = jvm_border_leave(jvm_self, __builtin_frame_address(0));
        jvm_throw(jvm_self, "java/lang/UnsatisfiedLinkError", "%s", message);
        jvm_border_return(jvm_self, border);
        free(message);
    }
    return library;
}

JVM_EXPORT(void, JVM_UnloadLibrary, void *library) { dlclose(library); }

JVM_EXPORT(void *, JVM_FindLibraryEntry, void *library, const char *name) { return dlsym(library, name); }

JVM_EXPORT(char *, JVM_NativePath, char *path) { return path; }

/* ---- raw monitors ---- */

JVM_EXPORT(void *, JVM_RawMonitorCreate, void) { return jvm_raw_monitor_new(); }

JVM_EXPORT(void, JVM_RawMonitorDestroy, void *monitor) { jvm_raw_monitor_free(monitor); }

JVM_EXPORT(jint, JVM_RawMonitorEnter, void *monitor)
{
    jvm_raw_monitor_enter(jvm_self, monitor);
    return 0;
}

JVM_EXPORT(void, JVM_RawMonitorExit, void *monitor) { jvm_raw_monitor_exit(jvm_self, monitor); }

JVM_EXPORT(jboolean, JVM_SupportsCX8, void) { return JNI_TRUE; }
