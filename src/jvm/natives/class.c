/* natives/class.c - the questions that code asks of java.lang.Class all the time, without handles; and
 * reflect.Array's commonest.  The rest goes through libjava to border/exports_class.c. */
#include "base/text.h"
#include "jvm/engine/frame.h"
#include "jvm/classes/loader.h"
#include "jvm/natives/natives.h"
#include "jvm/classes/reflect.h"

static jvm_class *self(const jvm_slot *args) { return jvm_mirror_class(args[0].a); }

static jvm_slot class_is_instance(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    return jvm_int(jvm_instance_of(args[1].a, self(args)));
}

static jvm_slot class_is_assignable_from(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    if (!jvm_check_not_null(t, args[1].a))
        return jvm_nothing();
    const jvm_class *to = self(args), *from = jvm_mirror_class(args[1].a);
    bool primitive = to->kind == JVM_KIND_PRIMITIVE || from->kind == JVM_KIND_PRIMITIVE;
    return jvm_int(primitive ? to == from : jvm_is_subclass(from, to));
}

static jvm_slot class_is_interface(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    const jvm_class *cls = self(args);
    return jvm_int(cls->kind == JVM_KIND_INSTANCE && jvm_class_is_interface(cls));
}

static jvm_slot class_is_array(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    return jvm_int(jvm_class_is_array(self(args)));
}

static jvm_slot class_is_primitive(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    return jvm_int(self(args)->kind == JVM_KIND_PRIMITIVE);
}

static jvm_slot class_is_hidden(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    return jvm_int((self(args)->flags & JVM_CLASS_HIDDEN) != 0);
}

static jvm_slot class_get_superclass(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    const jvm_class *cls = self(args);
    bool none = cls->kind == JVM_KIND_INSTANCE && jvm_class_is_interface(cls);
    return jvm_ref_class(none ? NULL : cls->super);
}

/* ---- modifiers ---- */

static const jvm_inner *own_inner_row(const jvm_class *cls)
{
    const jvm_sym *name = jvm_cp_class_name(cls, cls->this_index);
    for (int i = 0; i < cls->ninner; i++)
        if (cls->inner[i].inner != 0 && jvm_cp_class_name(cls, cls->inner[i].inner) == name)
            return &cls->inner[i];
    return NULL;
}

int32_t jvm_class_modifiers(const jvm_class *cls)
{
    enum { VISIBILITY = JVM_ACC_PUBLIC | JVM_ACC_PRIVATE | JVM_ACC_PROTECTED };
    switch (cls->kind) {
    case JVM_KIND_PRIMITIVE: return JVM_ACC_ABSTRACT | JVM_ACC_FINAL | JVM_ACC_PUBLIC;
    case JVM_KIND_OBJECT_ARRAY:
    case JVM_KIND_PRIM_ARRAY:
        return (jvm_class_modifiers(cls->component) & VISIBILITY) | JVM_ACC_FINAL | JVM_ACC_ABSTRACT;
    default: break;
    }
    const jvm_inner *row = own_inner_row(cls);
    return (row != NULL ? row->access : cls->access) & 0x7fff & ~JVM_ACC_SUPER;
}

static jvm_slot class_get_modifiers(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    return jvm_int(jvm_class_modifiers(self(args)));
}

/* ---- assertions ---- */

/* Does a rule ("+java.util..." or "-Main", sign skipped) speak of this very class or package? */
static bool rule_is(const char *rule, const char *name, size_t nbytes, bool package)
{
    size_t n = strlen(rule);
    bool for_package = n >= 3 && strcmp(rule + n - 3, "...") == 0;
    if (for_package != package)
        return false;
    n -= package ? 3 : 0;
    if (n != nbytes)
        return false;
    for (size_t i = 0; i < n; i++)
        if (rule[i] != name[i] && !(rule[i] == '.' && name[i] == '/'))
            return false;
    return true;
}

/* 1 on, 0 off, -1 no rule; later rules win. */
static int rule_for(const char *name, size_t nbytes, bool package)
{
    for (size_t i = jvm.options.assertion_rules.n; i-- > 0;) {
        const char *rule = jvm.options.assertion_rules.items[i];
        if (rule_is(rule + 1, name, nbytes, package))
            return rule[0] == '+';
    }
    return -1;
}

/* The class's own rule, then that of the innermost package that has one, then the default. */
bool jvm_assertions_wanted(const jvm_class *cls)
{
    const char *name = cls->name->text;
    int wanted = rule_for(name, cls->name->nbytes, false);
    size_t n = cls->package == NULL ? 0 : cls->package->nbytes;
    if (wanted < 0 && n == 0)
        wanted = rule_for("", 0, true);
    while (wanted < 0 && n > 0) {
        wanted = rule_for(name, n, true);
        while (n > 0 && name[--n] != '/')
            continue;
    }
    if (wanted >= 0)
        return wanted;
    return cls->loader == jvm.boot ? jvm.options.system_assertions : jvm.options.assertions;
}

static jvm_slot class_desired_assertion_status(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    return jvm_int(jvm_assertions_wanted(self(args)));
}

/* ---- reflection that is hot ---- */

static jvm_slot method_invoke(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    return jvm_ref(jvm_reflect_invoke(t, jvm_reflected_method(args[0].a), args[1].a, args[2].a));
}

static jvm_slot constructor_new_instance(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    return jvm_ref(jvm_reflect_new_instance(t, jvm_reflected_method(args[0].a), args[1].a));
}

static jvm_slot reflection_get_class_access_flags(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    const jvm_class *cls = self(args);
    return jvm_int(cls->kind == JVM_KIND_INSTANCE ? cls->access & 0x7fff : jvm_class_modifiers(cls));
}

static jvm_slot array_get_length(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    if (!jvm_check_not_null(t, args[0].a))
        return jvm_nothing();
    if (!jvm_class_is_array(args[0].a->cls)) {
        jvm_throw(t, JVM_IAE, "Argument is not an array");
        return jvm_nothing();
    }
    return jvm_int(args[0].a->length);
}

const jvm_inner_native jvm_natives_class[] = {
#define CLASS(name, fn) { "java/lang/Class", name, NULL, fn, JVM_NATIVE_PURE },
    CLASS("isInstance", class_is_instance)
    CLASS("isAssignableFrom", class_is_assignable_from)
    CLASS("isInterface", class_is_interface)
    CLASS("isArray", class_is_array)
    CLASS("isPrimitive", class_is_primitive)
    CLASS("isHidden", class_is_hidden)
    CLASS("getSuperclass", class_get_superclass)
    CLASS("getModifiers", class_get_modifiers)
    CLASS("desiredAssertionStatus0", class_desired_assertion_status)
    { "jdk/internal/reflect/NativeMethodAccessorImpl", "invoke0", NULL, method_invoke, JVM_NATIVE_PURE },
    { "jdk/internal/reflect/NativeConstructorAccessorImpl", "newInstance0", NULL, constructor_new_instance, JVM_NATIVE_PURE },
    { "jdk/internal/reflect/Reflection", "getClassAccessFlags", NULL, reflection_get_class_access_flags, JVM_NATIVE_PURE },
    { "java/lang/reflect/Array", "getLength", NULL, array_get_length, JVM_NATIVE_PURE },
    { NULL },
};
