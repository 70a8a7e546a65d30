/* exports_class.c - JVM_* functions about classes: finding, defining, and what they are. */
#include "jvm/border/exports.h"
#include "jvm/record/jni_record.h"
#include "jvm/heap/jstring.h"
#include "jvm/record/launcher.h"
#include "jvm/classes/module.h"
#include "jvm/natives/natives.h"
#include "jvm/classes/resolve.h"

/* ---- finding ---- */

static bool names_class(jvm_obj *message, const jvm_sym *name)
{
    return message != NULL && jvm_string_class_sym(message) == name;
}

/* Class.forName and ClassLoader want ClassNotFoundException where linking wants NoClassDefFoundError:
 * when the pending error is about this very class, its cause takes its place. */
static void unwrap_not_found(jvm_thread *t, const jvm_sym *name)
{
    jvm_obj *e = t->exception;
    if (e->cls != jvm.classes.NoClassDefFoundError ||
        !names_class(jvm_get_ref(e, jvm.fields.Throwable_detailMessage), name))
        return;
    jvm_obj *cause = jvm_get_ref(e, jvm.fields.Throwable_cause);
    jvm_exception_take(t);
    if (cause != NULL && cause->cls == jvm.classes.ClassNotFoundException) {
        jvm_throw_object(t, cause);
        return;
    }
    char *external = ebb_strdup(name->text);
    for (char *p = external; *p != '\0'; p++)
        *p = *p == '/' ? '.' : *p;
    jvm_throw(t, "java/lang/ClassNotFoundException", "%s", external);
    free(external);
}

/* "[[Lpkg/Main;" stands or falls with pkg/Main. */
static const jvm_sym *element_name(const jvm_sym *name)
{
    const char *element = name->text + strspn(name->text, "[");
    size_t nbytes = name->nbytes - (size_t)(element - name->text);
    bool is_class_array = element != name->text && element[0] == 'L' && element[nbytes - 1] == ';';
    return is_class_array ? jvm_sym_getn(element + 1, nbytes - 2) : name;
}

static jvm_class *load_for_java(jvm_thread *t, jvm_loader *loader, const jvm_sym *name)
{
    jvm_class *cls = jvm_load_class_cnfe(t, loader, name);
    if (cls == NULL)
        unwrap_not_found(t, element_name(name));
    return cls;
}

static jclass find_class(JNIEnv *env, const char *name, jboolean init, jvm_loader *loader)
{
    jvm_thread *t = jvm_env_thread(env);
    if (name == NULL || strlen(name) > UINT16_MAX) {
        jvm_throw(t, "java/lang/ClassNotFoundException", "%s", name == NULL ? "No class name given" : "Class name too long");
        return NULL;
    }
    jvm_gc_point(t);
    jvm_class *cls = load_for_java(t, loader, jvm_sym_get(name));
    if (cls == NULL || (init && cls->kind == JVM_KIND_INSTANCE && !jvm_ensure_init(t, cls)))
        return NULL;
    return jvm_local_class(t, cls);
}

JVM_EXPORT(jclass, JVM_FindClassFromCaller, JNIEnv *env, const char *name, jboolean init, jobject loader, jclass caller)
{
    return find_class(env, name, init, jvm_loader_of(jvm_deref(loader)));
}

JVM_EXPORT(jclass, JVM_FindClassFromClass, JNIEnv *env, const char *name, jboolean init, jclass from)
{
    return find_class(env, name, init, from == NULL ? jvm.boot : jvm_handle_class(from)->loader);
}

jclass jvm_find_boot_local(jvm_thread *t, const char *name)
{
    jvm_border border = jvm_border_leave(t, __builtin_frame_address(0));
    jvm_gc_point(t);
    jclass cls = jvm_local_class(t, jvm_find_boot(t, jvm_sym_get(name)));
    jvm_border_return(t, border);
    return cls;
}

JVM_EXPORT(jclass, JVM_FindClassFromBootLoader, JNIEnv *env, const char *name)
{
    jvm_thread *t = jvm_env_thread(env);
    if (name == NULL || strlen(name) > UINT16_MAX)
        return NULL;
    jvm_record_find_boot(t, name);
    return jvm_find_boot_local(t, name);
}

JVM_EXPORT(jclass, JVM_FindLoadedClass, JNIEnv *env, jobject loader, jstring name)
{
    jvm_thread *t = jvm_env_thread(env);
    if (!jvm_check_not_null(t, jvm_deref(name)))
        return NULL;
    return jvm_local_class(t, jvm_find_loaded(jvm_loader_of(jvm_deref(loader)), jvm_string_class_sym(jvm_deref(name))));
}

JVM_EXPORT(jclass, JVM_FindPrimitiveClass, JNIEnv *env, const char *name)
{
    jvm_thread *t = jvm_env_thread(env);
    for (const char *type = "ZBCSIJFDV"; *type != '\0'; type++)
        if (jvm_sym_is(jvm_prim_class(*type)->name, name))
            return jvm_local_class(t, jvm_prim_class(*type));
    jvm_throw(t, "java/lang/ClassNotFoundException", "%s", name);
    return NULL;
}

/* ---- defining ---- */

JVM_EXPORT(jclass, JVM_DefineClassWithSource, JNIEnv *env, const char *name, jobject loader, const jbyte *bytes,
           jsize nbytes, jobject protection_domain, const char *source)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    jvm_loader *definer = jvm_loader_of(jvm_deref(loader));
    jvm_define def = {
        .name = name == NULL ? NULL : jvm_sym_get(name),
        .loader = definer,
        .bytes = (const uint8_t *)bytes,
        .nbytes = (size_t)nbytes,
        .vm_annotations = jvm_is_platform_loader(definer), /* its classes are the JDK's */
        .protection_domain = jvm_deref(protection_domain),
        .source = source,
    };
    return jvm_local_class(t, jvm_define_class(t, &def));
}

JVM_EXPORT(jclass, JVM_DefineClass, JNIEnv *env, const char *name, jobject loader, const jbyte *bytes, jsize nbytes,
           jobject protection_domain)
{
    return JVM_DefineClassWithSource(env, name, loader, bytes, nbytes, protection_domain, NULL);
}

enum { DEFINE_NESTMATE = 1, DEFINE_HIDDEN = 2, DEFINE_STRONG = 4, DEFINE_VM_ANNOTATIONS = 8 };

static bool check_define_flags(jvm_thread *t, const jvm_class *lookup, jint flags, const jvm_obj *class_data)
{
    const char *wrong = NULL;
    if (lookup == NULL)
        wrong = "Lookup class is null";
    else if (!(flags & DEFINE_HIDDEN) && (flags & DEFINE_NESTMATE))
        wrong = "dynamic nestmate is only applicable to hidden class";
    else if (!(flags & DEFINE_HIDDEN) && !(flags & DEFINE_STRONG))
        wrong = "an ordinary class must be strongly referenced by its defining loader";
    else if (!(flags & DEFINE_HIDDEN) && class_data != NULL)
        wrong = "classData is only applicable for hidden classes";
    if (wrong != NULL)
        jvm_throw(t, JVM_IAE, "%s", wrong);
    return wrong == NULL;
}

JVM_EXPORT(jclass, JVM_LookupDefineClass, JNIEnv *env, jclass lookup_handle, const char *name, const jbyte *bytes,
           jsize nbytes, jobject protection_domain, jboolean initialize, int flags, jobject class_data)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    jvm_class *lookup = lookup_handle == NULL ? NULL : jvm_handle_class(lookup_handle);
    if (!check_define_flags(t, lookup, flags, jvm_deref(class_data)))
        return NULL;
    jvm_define def = {
        .name = name == NULL ? NULL : jvm_sym_get(name),
        .loader = lookup->loader,
        .bytes = (const uint8_t *)bytes,
        .nbytes = (size_t)nbytes,
        .hidden = (flags & DEFINE_HIDDEN) != 0,
        .strong = (flags & DEFINE_STRONG) != 0,
        .vm_annotations = (flags & DEFINE_VM_ANNOTATIONS) != 0,
        .nest_host = flags & DEFINE_NESTMATE ? jvm_nest_host(t, lookup) : NULL,
        .lookup_class = lookup,
        .protection_domain = jvm_deref(protection_domain),
        .class_data = jvm_deref(class_data),
    };
    jvm_class *cls = jvm_define_class(t, &def);
    if (cls == NULL)
        return NULL;
    jclass handle = jvm_local_class(t, cls);
    bool ready = jvm_link_class(t, cls) && (!initialize || jvm_ensure_init(t, cls));
    return ready ? handle : NULL;
}

/* ---- what a class is ---- */

JVM_EXPORT(jboolean, JVM_IsInterface, JNIEnv *env, jclass cls)
{
    const jvm_class *c = jvm_handle_class(cls);
    return c->kind == JVM_KIND_INSTANCE && jvm_class_is_interface(c);
}

JVM_EXPORT(jboolean, JVM_IsArrayClass, JNIEnv *env, jclass cls) { return jvm_class_is_array(jvm_handle_class(cls)); }

JVM_EXPORT(jboolean, JVM_IsPrimitiveClass, JNIEnv *env, jclass cls)
{
    return jvm_handle_class(cls)->kind == JVM_KIND_PRIMITIVE;
}

JVM_EXPORT(jboolean, JVM_IsHiddenClass, JNIEnv *env, jclass cls)
{
    return (jvm_handle_class(cls)->flags & JVM_CLASS_HIDDEN) != 0;
}

JVM_EXPORT(jboolean, JVM_IsRecord, JNIEnv *env, jclass cls)
{
    return (jvm_handle_class(cls)->flags & JVM_CLASS_RECORD) != 0;
}

JVM_EXPORT(jint, JVM_GetClassModifiers, JNIEnv *env, jclass cls) { return jvm_class_modifiers(jvm_handle_class(cls)); }

JVM_EXPORT(jint, JVM_GetClassAccessFlags, JNIEnv *env, jclass cls)
{
    const jvm_class *c = jvm_handle_class(cls);
    return c->kind == JVM_KIND_INSTANCE ? c->access & 0x7fff : jvm_class_modifiers(c);
}

JVM_EXPORT(jstring, JVM_InitClassName, JNIEnv *env, jclass cls)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    jvm_obj *name = jvm_string_of_class_name(t, jvm_handle_class(cls));
    jvm_put_ref(jvm_deref(cls), jvm.fields.Class_name, name);
    return jvm_local(t, name);
}

static jobjectArray class_array(jvm_thread *t, jvm_class *const *classes, size_t n)
{
    jvm_obj *array = jvm_new_ref_array(t, jvm.classes.Class, (int32_t)n);
    for (size_t i = 0; array != NULL && i < n; i++)
        jvm_elem_put_ref(array, (int32_t)i, classes[i]->mirror);
    return jvm_local(t, array);
}

JVM_EXPORT(jobjectArray, JVM_GetClassInterfaces, JNIEnv *env, jclass cls)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    const jvm_class *c = jvm_handle_class(cls);
    jvm_class *of_arrays[] = { jvm.classes.Cloneable, jvm.classes.Serializable };
    bool is_array = jvm_class_is_array(c);
    return is_array ? class_array(t, of_arrays, 2) : class_array(t, c->interfaces, c->ninterfaces);
}

JVM_EXPORT(jstring, JVM_GetClassSignature, JNIEnv *env, jclass cls)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    const jvm_sym *signature = jvm_handle_class(cls)->signature;
    return signature == NULL ? NULL : jvm_local(t, jvm_string_of_sym(t, signature));
}

JVM_EXPORT(jobject, JVM_GetProtectionDomain, JNIEnv *env, jclass cls)
{
    jvm_thread *t = jvm_env_thread(env);
    if (!jvm_check_not_null(t, jvm_deref(cls)))
        return NULL;
    return jvm_local(t, jvm_get_ref(jvm_deref(cls), jvm.fields.Class_protectionDomain));
}

/* Callers get a copy: what they do to it changes nothing. */
JVM_EXPORT(jobjectArray, JVM_GetClassSigners, JNIEnv *env, jclass cls)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    jvm_obj *signers = jvm_get_ref(jvm_deref(cls), jvm.fields.Class_signers);
    return signers == NULL ? NULL : jvm_local(t, jvm_clone(t, signers));
}

JVM_EXPORT(void, JVM_SetClassSigners, JNIEnv *env, jclass cls, jobjectArray signers)
{
    if (jvm_handle_class(cls)->kind == JVM_KIND_INSTANCE)
        jvm_put_ref(jvm_deref(cls), jvm.fields.Class_signers, jvm_deref(signers));
}

JVM_EXPORT(jbyteArray, JVM_GetClassAnnotations, JNIEnv *env, jclass cls)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    return jvm_local(t, jvm_new_byte_array(t, jvm_handle_class(cls)->annotations));
}

JVM_EXPORT(jbyteArray, JVM_GetClassTypeAnnotations, JNIEnv *env, jclass cls)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    return jvm_local(t, jvm_new_byte_array(t, jvm_handle_class(cls)->type_annotations));
}

JVM_EXPORT(jobject, JVM_GetClassConstantPool, JNIEnv *env, jclass cls)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    if (jvm_handle_class(cls)->kind != JVM_KIND_INSTANCE)
        return NULL;
    jvm_obj *pool = jvm_new_object(t, jvm.classes.ConstantPool);
    if (pool != NULL)
        jvm_put_ref(pool, jvm.fields.ConstantPool_constantPoolOop, jvm_deref(cls));
    return jvm_local(t, pool);
}

/* ---- nests, sealed hierarchies ---- */

JVM_EXPORT(jboolean, JVM_AreNestMates, JNIEnv *env, jclass a, jclass b)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_class *first = jvm_handle_class(a), *second = jvm_handle_class(b);
    return first == second || jvm_nest_host(t, first) == jvm_nest_host(t, second);
}

JVM_EXPORT(jclass, JVM_GetNestHost, JNIEnv *env, jclass cls)
{
    jvm_thread *t = jvm_env_thread(env);
    return jvm_local_class(t, jvm_nest_host(t, jvm_handle_class(cls)));
}

typedef EBB_VEC(jvm_class *) class_list;

/* The list, which is freed, as a Class[], unless an exception is pending. */
static jobjectArray take_classes(jvm_thread *t, class_list *list)
{
    jobjectArray array = jvm_pending(t) ? NULL : class_array(t, list->items, list->n);
    ebb_vec_fini(list);
    return array;
}

static uint16_t be16(const uint8_t *p) { return (uint16_t)(p[0] << 8 | p[1]); }

/* Classes named by `n` constant pool indexes, after `first` if that isn't NULL.  Those that can't be
 * loaded, or that `wanted` refuses, are left out. */
static jobjectArray named_classes(jvm_thread *t, jvm_class *cls, jvm_class *first, const uint8_t *indexes, int n,
                                  bool (*wanted)(jvm_thread *t, jvm_class *cls, jvm_class *named))
{
    class_list found = {0};
    if (first != NULL)
        ebb_vec_push(&found, first);
    for (int i = 0; i < n; i++) {
        jvm_class *named = jvm_resolve_class(t, cls, be16(indexes + 2 * i));
        if (named == NULL) {
            if (!jvm_instance_of(t->exception, jvm.classes.LinkageError))
                break;
            jvm_exception_take(t);
        } else if (wanted(t, cls, named)) {
            ebb_vec_push(&found, named);
        }
    }
    return take_classes(t, &found);
}

static bool is_nest_member(jvm_thread *t, jvm_class *host, jvm_class *member)
{
    return jvm_nest_host(t, member) == host;
}

JVM_EXPORT(jobjectArray, JVM_GetNestMembers, JNIEnv *env, jclass cls)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    jvm_class *host = jvm_nest_host(t, jvm_handle_class(cls));
    return named_classes(t, host, host, host->nest_members, host->nnest_members, is_nest_member);
}

static bool is_class(jvm_thread *t, jvm_class *sealed, jvm_class *named) { return named->kind == JVM_KIND_INSTANCE; }

JVM_EXPORT(jobjectArray, JVM_GetPermittedSubclasses, JNIEnv *env, jclass handle)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    jvm_class *cls = jvm_handle_class(handle);
    if (cls->permitted == NULL)
        return NULL;
    return named_classes(t, cls, NULL, cls->permitted, cls->npermitted, is_class);
}

/* ---- inner classes ---- */

static bool cp_is_this(const jvm_class *cls, uint16_t index)
{
    return index != 0 && jvm_cp_class_name(cls, index) == jvm_cp_class_name(cls, cls->this_index);
}

static const jvm_inner *inner_row_of_itself(const jvm_class *cls)
{
    for (int i = 0; i < cls->ninner; i++)
        if (cp_is_this(cls, cls->inner[i].inner))
            return &cls->inner[i];
    return NULL;
}

/* Both sides must say so: the outer class has a row with the same two names. */
static bool check_is_inner(jvm_thread *t, const jvm_class *outer, const jvm_class *inner)
{
    for (int i = 0; i < outer->ninner; i++) {
        const jvm_inner *row = &outer->inner[i];
        if (cp_is_this(outer, row->outer) && jvm_cp_class_name(outer, row->inner) == inner->name)
            return true;
    }
    char *outer_name = jvm_class_external_name(outer), *inner_name = jvm_class_external_name(inner);
    jvm_throw(t, "java/lang/IncompatibleClassChangeError", "%s and %s disagree on InnerClasses attribute", outer_name,
              inner_name);
    free(outer_name);
    free(inner_name);
    return false;
}

JVM_EXPORT(jclass, JVM_GetDeclaringClass, JNIEnv *env, jclass handle)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    jvm_class *cls = jvm_handle_class(handle);
    const jvm_inner *row = cls->kind == JVM_KIND_INSTANCE ? inner_row_of_itself(cls) : NULL;
    if (row == NULL || row->outer == 0)
        return NULL;
    jvm_class *outer = jvm_resolve_class(t, cls, row->outer);
    return outer != NULL && check_is_inner(t, outer, cls) ? jvm_local_class(t, outer) : NULL;
}

JVM_EXPORT(jstring, JVM_GetSimpleBinaryName, JNIEnv *env, jclass handle)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    jvm_class *cls = jvm_handle_class(handle);
    const jvm_inner *row = cls->kind == JVM_KIND_INSTANCE ? inner_row_of_itself(cls) : NULL;
    if (row == NULL || row->name == 0)
        return NULL;
    return jvm_local(t, jvm_string_of_sym(t, jvm_cp_utf8(cls, row->name)));
}

JVM_EXPORT(jobjectArray, JVM_GetDeclaredClasses, JNIEnv *env, jclass handle)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    jvm_class *cls = jvm_handle_class(handle);
    class_list found = {0};
    for (int i = 0; cls->kind == JVM_KIND_INSTANCE && i < cls->ninner && !jvm_pending(t); i++) {
        if (!cp_is_this(cls, cls->inner[i].outer) || cls->inner[i].inner == 0)
            continue;
        jvm_class *inner = jvm_resolve_class(t, cls, cls->inner[i].inner);
        if (inner != NULL && inner->kind == JVM_KIND_INSTANCE)
            ebb_vec_push(&found, inner);
    }
    return take_classes(t, &found);
}

/* {class, method name or null, descriptor or null} */
JVM_EXPORT(jobjectArray, JVM_GetEnclosingMethodInfo, JNIEnv *env, jclass handle)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    jvm_class *cls = jvm_handle_class(handle);
    if (cls->kind != JVM_KIND_INSTANCE || cls->enclosing_class == 0)
        return NULL;
    jvm_class *outer = jvm_resolve_class(t, cls, cls->enclosing_class);
    jvm_obj *array = outer == NULL ? NULL : jvm_new_ref_array(t, jvm.classes.Object, 3);
    if (array == NULL)
        return NULL;
    jvm_elem_put_ref(array, 0, outer->mirror);
    if (cls->enclosing_method != 0) {
        const jvm_sym *name, *sig;
        jvm_cp_name_type(cls, cls->enclosing_method, &name, &sig);
        jvm_elem_put_ref(array, 1, jvm_string_of_sym(t, name));
        jvm_elem_put_ref(array, 2, jvm_string_of_sym(t, sig));
    }
    return jvm_local(t, array);
}

/* ---- assertions ---- */

JVM_EXPORT(jboolean, JVM_DesiredAssertionStatus, JNIEnv *env, jclass unused, jclass cls)
{
    return jvm_assertions_wanted(jvm_handle_class(cls));
}

/* One kind of rule (classes or packages) as parallel arrays of names and switches. */
static void fill_directives(jvm_thread *t, jvm_obj *directives, bool packages, size_t names_at, size_t enabled_at)
{
    int32_t n = 0, at = 0;
    for (int pass = 0; pass < 2; pass++) {
        jvm_obj *names = pass == 0 ? NULL : jvm_new_ref_array(t, jvm.classes.String, n);
        jvm_obj *enabled = pass == 0 ? NULL : jvm_new_prim_array(t, 'Z', n);
        for (size_t i = 0; i < jvm.options.assertion_rules.n; i++) {
            const char *rule = jvm.options.assertion_rules.items[i];
            size_t nbytes = strlen(rule);
            bool is_package = nbytes > 3 && strcmp(rule + nbytes - 3, "...") == 0;
            if (is_package != packages)
                continue;
            n += pass == 0;
            if (names == NULL || enabled == NULL)
                continue;
            uint8_t on = rule[0] == '+';
            jvm_elem_put_ref(names, at, jvm_string_newn(t, rule + 1, nbytes - 1 - (is_package ? 3 : 0)));
            jvm_array_store_bytes(enabled, (size_t)at++, &on, 1);
        }
        if (pass == 1) {
            jvm_put_ref(directives, names_at, names);
            jvm_put_ref(directives, enabled_at, enabled);
        }
    }
}

JVM_EXPORT(jobject, JVM_AssertionStatusDirectives, JNIEnv *env, jclass unused)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    if (!jvm_ensure_init(t, jvm.classes.AssertionStatusDirectives))
        return NULL;
    jvm_obj *d = jvm_new_object(t, jvm.classes.AssertionStatusDirectives);
    if (d == NULL)
        return NULL;
    fill_directives(t, d, false, jvm.fields.AssertionStatusDirectives_classes,
                    jvm.fields.AssertionStatusDirectives_classEnabled);
    fill_directives(t, d, true, jvm.fields.AssertionStatusDirectives_packages,
                    jvm.fields.AssertionStatusDirectives_packageEnabled);
    jvm_put_u8(d, jvm.fields.AssertionStatusDirectives_deflt, jvm.options.assertions);
    return jvm_local(t, d);
}
