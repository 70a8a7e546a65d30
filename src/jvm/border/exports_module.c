/* exports_module.c - JVM_* functions about modules and packages. */
#include "jvm/classes/boot_path.h"
#include "jvm/border/exports.h"
#include "jvm/heap/jstring.h"
#include "jvm/classes/module.h"

static const jvm_sym *package_sym(jobject string) { return jvm_string_class_sym(jvm_deref(string)); }

/* NULL handle: NULL.  False with NullPointerException pending when `required` and absent. */
static bool module_argument(jvm_thread *t, jobject handle, const char *what, jvm_module **module)
{
    *module = handle == NULL || jvm_deref(handle) == NULL ? NULL : jvm_module_of(jvm_deref(handle));
    if (*module == NULL && what != NULL)
        jvm_throw(t, JVM_NPE, "%s", what);
    return *module != NULL || what == NULL;
}

JVM_EXPORT(void, JVM_DefineModule, JNIEnv *env, jobject module, jboolean open, jstring version, jstring location,
           jobjectArray packages)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    if (jvm_deref(module) == NULL) {
        jvm_throw(t, JVM_NPE, "Null module object");
        return;
    }
    const jvm_obj *names = jvm_deref(packages);
    size_t n = names == NULL ? 0 : (size_t)names->length;
    const jvm_sym **syms = ebb_alloc((n + 1) * sizeof *syms);
    for (size_t i = 0; i < n; i++)
        syms[i] = jvm_string_class_sym(jvm_elem_ref(names, (int32_t)i));
    char *version_text = version == NULL || jvm_deref(version) == NULL ? NULL : jvm_string_utf8(jvm_deref(version));
    char *location_text = location == NULL || jvm_deref(location) == NULL ? NULL : jvm_string_utf8(jvm_deref(location));
    (void)jvm_module_define(t, &(jvm_module_facts){jvm_deref(module), open, version_text, location_text, syms, n});
    free(version_text);
    free(location_text);
    free(syms);
}

JVM_EXPORT(void, JVM_SetBootLoaderUnnamedModule, JNIEnv *env, jobject module)
{
    jvm_module_set_boot_unnamed(jvm_deref(module));
}

JVM_EXPORT(void, JVM_AddReadsModule, JNIEnv *env, jobject from, jobject to)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_module *reader, *source;
    if (module_argument(t, from, "from_module is null", &reader) && module_argument(t, to, NULL, &source) &&
        reader != source)
        jvm_module_add_reads(reader, source);
}

static void add_exports(JNIEnv *env, jobject from, jstring package, jobject to, int to_whom)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_module *exporter, *importer = NULL;
    if (jvm_deref(package) == NULL) {
        jvm_throw(t, JVM_NPE, "package is null");
        return;
    }
    if (module_argument(t, from, "from_module is null", &exporter) &&
        module_argument(t, to, to_whom == 0 ? "to_module is null" : NULL, &importer))
        jvm_module_add_export(exporter, package_sym(package), importer, to_whom);
}

JVM_EXPORT(void, JVM_AddModuleExports, JNIEnv *env, jobject from, jstring package, jobject to)
{
    add_exports(env, from, package, to, 0);
}

JVM_EXPORT(void, JVM_AddModuleExportsToAll, JNIEnv *env, jobject from, jstring package)
{
    add_exports(env, from, package, NULL, JVM_EXPORT_TO_ALL);
}

JVM_EXPORT(void, JVM_AddModuleExportsToAllUnnamed, JNIEnv *env, jobject from, jstring package)
{
    add_exports(env, from, package, NULL, JVM_EXPORT_TO_UNNAMED);
}

/* ---- packages of the boot loader, as "java/lang" ---- */

/* Where its classes come from: "jrt:/java.base", a path of -Xbootclasspath/a, or NULL: they were made at run time. */
static const char *location_of(const jvm_sym *package)
{
    const jvm_module *module = jvm_module_for_package(jvm.boot, package);
    return module != NULL && module->location != NULL ? module->location : jvm_boot_path_of_package(package->text);
}

static bool is_boot_class(const jvm_class *cls)
{
    return cls != NULL && cls->kind == JVM_KIND_INSTANCE && cls->loader == jvm.boot;
}

/* Packages that have a class from somewhere, "java/lang"; BootLoader turns them into Package objects. */
JVM_EXPORT(jobjectArray, JVM_GetSystemPackages, JNIEnv *env)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    ebb_map *seen = ebb_map_new();
    ebb_map_entry entry;
    for (size_t at = 0; ebb_map_next(jvm.boot->classes, &at, &entry);) {
        const jvm_class *cls = entry.value;
        if (is_boot_class(cls) && cls->package->nbytes > 0 && location_of(cls->package) != NULL)
            ebb_map_set(seen, cls->package->text, (void *)cls->package);
    }
    jvm_obj *array = jvm_new_ref_array(t, jvm.classes.String, (int32_t)ebb_map_count(seen));
    int32_t i = 0;
    for (size_t at = 0; array != NULL && ebb_map_next(seen, &at, &entry);)
        jvm_elem_put_ref(array, i++, jvm_string_of_sym(t, entry.value));
    ebb_map_free(seen);
    return jvm_local(t, array);
}

/* The location of the package of that name, or null when the boot loader has no class of it. */
JVM_EXPORT(jstring, JVM_GetSystemPackage, JNIEnv *env, jstring name)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    const jvm_sym *package = package_sym(name);
    const char *location = location_of(package);
    ebb_map_entry entry;
    for (size_t at = 0; location != NULL && ebb_map_next(jvm.boot->classes, &at, &entry);) {
        const jvm_class *cls = entry.value;
        if (is_boot_class(cls) && cls->package == package)
            return jvm_local(t, jvm_string_new(t, location));
    }
    return NULL;
}
