/* resolve.c - a failure is remembered, so that it is the same error every time (JVMS 5.4.3). */
#include "jvm/classes/resolve.h"

#include "base/buf.h"
#include "base/mem.h"
#include "jvm/classes/constraints.h"
#include "jvm/classes/words.h"
#include "jvm/heap/handles.h"
#include "jvm/heap/heap.h"
#include "jvm/engine/invoke.h"
#include "jvm/heap/jstring.h"
#include "jvm/classes/loader.h"
#include "jvm/engine/mh.h"
#include "jvm/engine/throw.h"
#include "jvm/jvm.h"

#include <string.h>

/* ---- failures are remembered (RS1) ---- */

static bool failed_before(jvm_thread *t, const jvm_class *from, uint16_t index)
{
    if (from->pool.errors == NULL || from->pool.errors[index] == NULL)
        return false;
    t->exception = from->pool.errors[index];
    return true;
}

static void remember_failure(jvm_thread *t, jvm_class *from, uint16_t index)
{
    if (t->exception == NULL || !jvm_instance_of(t->exception, jvm.classes.LinkageError))
        return;
    if (from->pool.errors == NULL)
        from->pool.errors = EBB_ARENA_ARRAY(&from->arena, jvm_obj *, from->pool.n);
    jvm_undo_keep(&from->pool.errors[index], sizeof from->pool.errors[index]);
    from->pool.errors[index] = t->exception;
}

/* ---- classes ---- */

static void throw_class_access(jvm_thread *t, const jvm_class *from, const jvm_class *to)
{
    char *a = jvm_class_external_name(from), *b = jvm_class_external_name(to), *why = jvm_module_access_text(from, to);
    char *places = jvm_places_text(to, from);
    if (why != NULL)
        jvm_throw(t, "java/lang/IllegalAccessError", "%s", why);
    else
        jvm_throw(t, "java/lang/IllegalAccessError", "failed to access class %s from class %s (%s)", b, a, places);
    free(a);
    free(b);
    free(why);
    free(places);
}

jvm_class *jvm_resolve_class(jvm_thread *t, jvm_class *from, uint16_t index)
{
    jvm_class *cls = from->pool.resolved[index].cls;
    if (cls != NULL)
        return cls;
    if (failed_before(t, from, index))
        return NULL;
    cls = jvm_load_class(t, from->loader, jvm_cp_class_name(from, index));
    if (cls != NULL && !jvm_can_access_class(from, cls)) {
        throw_class_access(t, from, cls);
        cls = NULL;
    }
    if (cls == NULL)
        remember_failure(t, from, index);
    else
        from->pool.resolved[index].cls = cls;
    return cls;
}

/* ---- fields ---- */

static jvm_field *find_field(jvm_thread *t, jvm_class *from, uint16_t index)
{
    const jvm_sym *class_name, *name, *sig;
    jvm_class *named = jvm_resolve_class(t, from, from->pool.values[index].a);
    if (named == NULL)
        return NULL;
    jvm_cp_member(from, index, &class_name, &name, &sig);
    jvm_field *f = jvm_class_find_field(named, name, sig);
    if (f == NULL) {
        jvm_throw(t, "java/lang/NoSuchFieldError", "%s", name->text);
        return NULL;
    }
    if (!jvm_can_access_member(t, from, f->cls, named, f->access)) {
        char *a = jvm_class_external_name(from), *b = jvm_class_external_name(f->cls), *places = jvm_places_text(from, f->cls);
        jvm_throw(t, "java/lang/IllegalAccessError", "class %s tried to access %sfield %s.%s (%s)", a,
                  f->access & JVM_ACC_PRIVATE ? "private " : f->access & JVM_ACC_PROTECTED ? "protected " : "", b, name->text, places);
        free(a);
        free(b);
        free(places);
        return NULL;
    }
    return f;
}

static bool check_field_use(jvm_thread *t, const jvm_class *from, const jvm_field *f, bool is_static, bool is_put,
                            const jvm_method *in)
{
    char *owner = jvm_class_external_name(f->cls);
    bool ok = ((f->access & JVM_ACC_STATIC) != 0) == is_static;
    if (!ok)
        jvm_throw(t, "java/lang/IncompatibleClassChangeError", "Expected %s field %s.%s", is_static ? "static" : "non-static",
                  owner, f->name->text);
    if (ok && is_put && (f->access & JVM_ACC_FINAL)) {
        bool old = from->major < 53;
        bool right_method = in == NULL || old || (is_static ? jvm_method_is_clinit(in) : jvm_method_is_init(in));
        ok = f->cls == from && right_method;
        if (!ok) {
            char *a = jvm_class_external_name(from);
            jvm_throw(t, "java/lang/IllegalAccessError", "Update to %sfinal field %s.%s attempted from a different %s (%s) than %s",
                      is_static ? "static " : "non-static ", owner, f->name->text, f->cls == from ? "method" : "class",
                      f->cls == from && in ? in->name->text : a,
                      f->cls == from ? "the initializer method" : "the field's declaring class");
            free(a);
        }
    }
    free(owner);
    return ok;
}

jvm_field *jvm_resolve_field(jvm_thread *t, jvm_class *from, uint16_t index, bool is_static, bool is_put,
                             const jvm_method *in)
{
    jvm_field *f = from->pool.resolved[index].field;
    if (f == NULL) {
        if (failed_before(t, from, index))
            return NULL;
        f = find_field(t, from, index);
        if (f == NULL) {
            remember_failure(t, from, index);
            return NULL;
        }
        if (!jvm_constrain_field(t, from, f)) {
            remember_failure(t, from, index);
            return NULL;
        }
        if (!jvm_link_class(t, f->cls))
            return NULL;
        from->pool.resolved[index].field = f;
    }
    return check_field_use(t, from, f, is_static, is_put, in) ? f : NULL;
}

/* ---- methods ---- */

static jvm_method *find_polymorphic(const jvm_class *named, const jvm_sym *name)
{
    if (named != jvm.classes.MethodHandle && named != jvm.classes.VarHandle)
        return NULL;
    for (uint16_t i = 0; i < named->nmethods; i++)
        if (named->methods[i].name == name && (named->methods[i].flags & JVM_METHOD_SIG_POLY))
            return &named->methods[i];
    return NULL;
}

/* "'void pkg.Cls.name(int)'": return type first, as HotSpot words it. */
static void throw_no_method(jvm_thread *t, const jvm_class *named, const jvm_sym *name, const jvm_sym *sig)
{
    jvm_method fake = {.cls = (jvm_class *)named, .name = name, .sig = sig};
    char *text = jvm_method_text(&fake);
    char *ret = jvm_type_text(jvm_sig_return(sig));
    jvm_throw(t, "java/lang/NoSuchMethodError", "'%s %s'", ret, text);
    free(text);
    free(ret);
}

static bool check_method_access(jvm_thread *t, jvm_class *from, const jvm_class *named, const jvm_method *m)
{
    bool array_clone = jvm_class_is_array(named) && jvm_sym_is(m->name, "clone");
    if (array_clone || jvm_can_access_member(t, from, m->cls, named, m->access))
        return true;
    char *a = jvm_class_external_name(from), *text = jvm_method_text(m), *ret = jvm_type_text(jvm_sig_return(m->sig));
    char *places = jvm_places_text(from, m->cls);
    jvm_throw(t, "java/lang/IllegalAccessError", "class %s tried to access %smethod '%s %s' (%s)", a,
              m->access & JVM_ACC_PRIVATE ? "private " : m->access & JVM_ACC_PROTECTED ? "protected " : "", ret, text, places);
    free(places);
    free(a);
    free(text);
    free(ret);
    return false;
}

static jvm_method *find_method(jvm_thread *t, jvm_class *from, uint16_t index)
{
    const jvm_sym *class_name, *name, *sig;
    jvm_class *named = jvm_resolve_class(t, from, from->pool.values[index].a);
    if (named == NULL)
        return NULL;
    jvm_cp_member(from, index, &class_name, &name, &sig);
    bool wants_interface = from->pool.tags[index] == JVM_CP_IMETHOD;
    if (wants_interface != jvm_class_is_interface(named)) {
        char *a = jvm_class_external_name(named);
        if (wants_interface)
            jvm_throw(t, "java/lang/IncompatibleClassChangeError", "Found class %s, but interface was expected", a);
        else
            jvm_throw(t, "java/lang/IncompatibleClassChangeError", "Method '%s %s' must be InterfaceMethodref constant", a, name->text);
        free(a);
        return NULL;
    }
    jvm_method *m = find_polymorphic(named, name);
    if (m != NULL)
        return m;
    m = name->text[0] == '<' ? jvm_class_own_method(named, name, sig) : jvm_class_find_method(named, name, sig);
    if (m == NULL) {
        throw_no_method(t, named, name, sig);
        return NULL;
    }
    return check_method_access(t, from, named, m) ? m : NULL;
}

static bool check_method_use(jvm_thread *t, const jvm_method *m, enum jvm_invoke_kind kind)
{
    bool wants_static = kind == JVM_INVOKE_STATIC;
    if ((m->flags & JVM_METHOD_SIG_POLY) || jvm_method_is_static(m) == wants_static)
        return true;
    char *text = jvm_method_text(m), *ret = jvm_type_text(jvm_sig_return(m->sig));
    jvm_throw(t, "java/lang/IncompatibleClassChangeError", "Expect%s %s method '%s %s'", wants_static ? "ed" : "ing",
              wants_static ? "static" : "non-static", ret, text);
    free(text);
    free(ret);
    return false;
}

jvm_method *jvm_resolve_method(jvm_thread *t, jvm_class *from, uint16_t index, enum jvm_invoke_kind kind)
{
    jvm_method *m = from->pool.resolved[index].method;
    if (m == NULL) {
        if (failed_before(t, from, index))
            return NULL;
        m = find_method(t, from, index);
        if (m == NULL) {
            remember_failure(t, from, index);
            return NULL;
        }
        if (!jvm_constrain_method(t, from, m)) {
            remember_failure(t, from, index);
            return NULL;
        }
        if (!jvm_link_class(t, m->cls))
            return NULL;
        from->pool.resolved[index].method = m;
    }
    return check_method_use(t, m, kind) ? m : NULL;
}

/* ---- constants ---- */

/* Before an object becomes a constant.  Classes, fields and methods need no keeping: who asks for them a second time, when loading,
 * linking and initialisation are through, notices no difference. */
static void keep_resolved(jvm_class *from, uint16_t index)
{
    jvm_undo_keep(&from->pool.resolved[index], sizeof from->pool.resolved[index]);
}

jvm_obj *jvm_resolve_string(jvm_thread *t, jvm_class *from, uint16_t index)
{
    jvm_obj *s = from->pool.resolved[index].obj;
    if (s != NULL)
        return s;
    keep_resolved(from, index);
    return from->pool.resolved[index].obj = jvm_string_of_sym(t, jvm_cp_utf8(from, from->pool.values[index].a));
}

static jvm_obj *resolve_object(jvm_thread *t, jvm_class *from, uint16_t index)
{
    jvm_cp_resolved *done = &from->pool.resolved[index];
    uint8_t tag = from->pool.tags[index];
    if (tag == JVM_CP_STRING)
        return jvm_resolve_string(t, from, index);
    if (tag == JVM_CP_CLASS) {
        jvm_class *cls = jvm_resolve_class(t, from, index);
        return cls ? cls->mirror : NULL;
    }
    if (done->obj != NULL)
        return done->obj;
    if (failed_before(t, from, index))
        return NULL;
    jvm_obj *o = tag == JVM_CP_METHOD_TYPE ? jvm_method_type(t, from, jvm_cp_utf8(from, from->pool.values[index].a))
                                           : jvm_resolve_method_handle(t, from, index);
    if (o == NULL)
        remember_failure(t, from, index);
    else if (done->obj == NULL) {
        keep_resolved(from, index);
        done->obj = o;
    }
    return done->obj;
}

static bool is_null_constant(const jvm_pool *pool, uint16_t index)
{
    return pool->nulls != NULL && pool->nulls[index];
}

static void remember_null(jvm_class *cls, uint16_t index)
{
    if (cls->pool.nulls == NULL)
        cls->pool.nulls = EBB_ARENA_ARRAY(&cls->arena, uint8_t, cls->pool.n);
    jvm_undo_keep(&cls->pool.nulls[index], 1);
    cls->pool.nulls[index] = 1;
}

static bool resolve_dynamic(jvm_thread *t, jvm_class *from, uint16_t index, jvm_slot *value, char *type)
{
    jvm_pool *pool = &from->pool;
    const jvm_sym *name, *sig;
    jvm_cp_name_type(from, pool->values[index].b, &name, &sig);
    if (failed_before(t, from, index))
        return false;
    jvm_obj *o = pool->resolved[index].obj;
    if (o == NULL && !is_null_constant(pool, index)) {
        o = jvm_resolve_dynamic(t, from, index);
        if (jvm_pending(t)) {
            remember_failure(t, from, index);
            return false;
        }
        keep_resolved(from, index);
        pool->resolved[index].obj = o;
        if (o == NULL)
            remember_null(from, index);
    }
    *type = sig->text[0] == '[' ? 'L' : sig->text[0];
    if (*type == 'L') {
        value->a = o;
        return true;
    }
    char boxed;
    return jvm_unbox(o, &boxed, value);
}

bool jvm_resolve_constant(jvm_thread *t, jvm_class *from, uint16_t index, jvm_slot *value, char *type)
{
    const jvm_cp_value *v = &from->pool.values[index];
    value->raw = 0;
    switch (from->pool.tags[index]) {
    case JVM_CP_INTEGER: *type = 'I'; value->i = v->i; return true;
    case JVM_CP_FLOAT: *type = 'F'; value->f = v->f; return true;
    case JVM_CP_LONG: *type = 'J'; value->j = v->j; return true;
    case JVM_CP_DOUBLE: *type = 'D'; value->d = v->d; return true;
    case JVM_CP_DYNAMIC: return resolve_dynamic(t, from, index, value, type);
    default:
        *type = 'L';
        value->a = resolve_object(t, from, index);
        return value->a != NULL;
    }
}
