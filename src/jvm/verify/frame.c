/* frame.c - frames are arrays of types; types are compared and merged here. */
#include "jvm/verify/frame.h"

#include "jvm/engine/invoke.h"
#include "jvm/classes/loader.h"
#include "jvm/engine/throw.h"
#include "jvm/jvm.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void jvm_verify_fail(jvm_verifier *v, const char *format, ...)
{
    if (v->failed)
        return;
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    v->failed = true;
    if (jvm_pending(v->t))
        return; /* loading a class failed: that is the reason */
    jvm_throw(v->t, "java/lang/VerifyError", "%s\nException Details:\n  Location:\n    %s.%s%s @%u", text, v->cls->name->text,
              v->m->name->text, v->m->sig->text, v->bci);
}

void jvm_verify_fail_format(jvm_verifier *v, const char *format, ...)
{
    if (v->failed)
        return;
    char text[200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    v->failed = true;
    jvm_throw(v->t, "java/lang/ClassFormatError", "%s in method '%s.%s%s'", text, v->cls->name->text,
              v->m->name->text, v->m->sig->text);
}

/* ---- frames ---- */

static size_t frame_size(const jvm_verifier *v)
{
    return sizeof(jvm_vframe) + (v->nslots + 2) * sizeof(jvm_vtype);
}

jvm_vframe *jvm_vframe_new(jvm_verifier *v)
{
    return ebb_arena_alloc(&v->arena, frame_size(v));
}

void jvm_vframe_copy(const jvm_verifier *v, jvm_vframe *to, const jvm_vframe *from)
{
    memcpy(to, from, frame_size(v));
}

void jvm_vframe_start(jvm_verifier *v, jvm_vframe *f)
{
    uint32_t at = 0;
    memset(f, 0, frame_size(v));
    f->reached = true;
    if (!jvm_method_is_static(v->m)) {
        bool uninit = jvm_method_is_init(v->m) && v->cls->super != NULL;
        f->slots[at++] = (jvm_vtype){uninit ? JVM_V_UNINIT_THIS : JVM_V_OBJECT, 0, v->cls->name};
        f->this_uninit = uninit;
    }
    jvm_sig_iter it = jvm_sig_start(v->m->sig);
    const char *type;
    size_t nbytes;
    for (char letter; (letter = jvm_sig_next(&it, &type, &nbytes)) != 0;) {
        f->slots[at] = jvm_vtype_of(type, nbytes);
        if (letter == 'J' || letter == 'D')
            f->slots[at + 1] = (jvm_vtype){letter == 'J' ? JVM_V_LONG2 : JVM_V_DOUBLE2, 0, NULL};
        at += (uint32_t)jvm_type_slots(letter);
    }
}

/* ---- types ---- */

jvm_vtype jvm_vtype_of(const char *d, size_t nbytes)
{
    switch (d[0]) {
    case 'J': return (jvm_vtype){JVM_V_LONG, 0, NULL};
    case 'F': return (jvm_vtype){JVM_V_FLOAT, 0, NULL};
    case 'D': return (jvm_vtype){JVM_V_DOUBLE, 0, NULL};
    case 'L': return (jvm_vtype){JVM_V_OBJECT, 0, jvm_sym_getn(d + 1, nbytes - 2)};
    case '[': return (jvm_vtype){JVM_V_OBJECT, 0, jvm_sym_getn(d, nbytes)};
    default: return (jvm_vtype){JVM_V_INT, 0, NULL};
    }
}

jvm_vtype jvm_vtype_object(const char *name)
{
    return (jvm_vtype){JVM_V_OBJECT, 0, jvm_sym_get(name)};
}

bool jvm_vtype_same(jvm_vtype a, jvm_vtype b)
{
    if (a.tag != b.tag)
        return false;
    if (a.tag == JVM_V_OBJECT)
        return a.name == b.name;
    return (a.tag != JVM_V_UNINIT && a.tag != JVM_V_RETURN) || a.bci == b.bci;
}

static jvm_class *load(jvm_verifier *v, const jvm_sym *name)
{
    jvm_class *cls = name == v->cls->name ? v->cls : jvm_load_class(v->t, v->cls->loader, name);
    if (cls == NULL)
        jvm_verify_fail(v, "class %s", name->text);
    return cls;
}

/* The element descriptor of an array, as a type: [I gives INT with sub-int types told apart by `letter`. */
static jvm_vtype element_of(const jvm_sym *array, char *letter)
{
    *letter = array->text[1];
    return jvm_vtype_of(array->text + 1, array->nbytes - 1);
}

static bool object_assignable(jvm_verifier *v, const jvm_sym *from, const jvm_sym *to)
{
    if (from == to || jvm_sym_is(to, "java/lang/Object"))
        return true;
    if (to->text[0] == '[') {
        if (from->text[0] != '[')
            return false;
        char a, b;
        jvm_vtype fe = element_of(from, &a), te = element_of(to, &b);
        if (fe.tag != JVM_V_OBJECT || te.tag != JVM_V_OBJECT)
            return a == b;
        return object_assignable(v, fe.name, te.name);
    }
    if (from->text[0] == '[')
        return jvm_sym_is(to, "java/lang/Cloneable") || jvm_sym_is(to, "java/io/Serializable");
    const jvm_class *target = load(v, to);
    if (target == NULL)
        return false;
    if (jvm_class_is_interface(target))
        return true; /* interfaces are checked when they are called */
    const jvm_class *source = load(v, from);
    return source != NULL && jvm_is_subclass(source, target);
}

bool jvm_vtype_assignable(jvm_verifier *v, jvm_vtype from, jvm_vtype to)
{
    if (to.tag == JVM_V_TOP || jvm_vtype_same(from, to))
        return true;
    if (to.tag != JVM_V_OBJECT)
        return false;
    if (from.tag == JVM_V_NULL)
        return true;
    return from.tag == JVM_V_OBJECT && object_assignable(v, from.name, to.name);
}

bool jvm_vframe_assignable(jvm_verifier *v, const jvm_vframe *from, const jvm_vframe *to)
{
    if (from->depth != to->depth || (from->this_uninit && !to->this_uninit))
        return false;
    for (uint32_t i = 0; i < v->m->max_locals; i++)
        if (!jvm_vtype_assignable(v, from->slots[i], to->slots[i]))
            return false;
    for (uint32_t i = v->m->max_locals; i < (uint32_t)v->m->max_locals + from->depth; i++)
        if (!jvm_vtype_assignable(v, from->slots[i], to->slots[i]))
            return false;
    return true;
}

/* ---- the least common supertype, for inference ---- */

static jvm_vtype merge_classes(jvm_verifier *v, const jvm_sym *a, const jvm_sym *b)
{
    jvm_vtype object = jvm_vtype_object("java/lang/Object");
    jvm_class *x = load(v, a), *y = x ? load(v, b) : NULL;
    if (y == NULL || jvm_class_is_interface(x) || jvm_class_is_interface(y))
        return object;
    for (; x != NULL; x = x->super)
        if (jvm_is_subclass(y, x))
            return (jvm_vtype){JVM_V_OBJECT, 0, x->name};
    return object;
}

static jvm_vtype merge_arrays(jvm_verifier *v, const jvm_sym *a, const jvm_sym *b)
{
    char la, lb;
    jvm_vtype ea = element_of(a, &la), eb = element_of(b, &lb);
    if (ea.tag != JVM_V_OBJECT || eb.tag != JVM_V_OBJECT)
        return jvm_vtype_object("java/lang/Object");
    jvm_vtype e = jvm_vtype_merge(v, ea, eb);
    char *text = ebb_asprintf(e.name->text[0] == '[' ? "[%s" : "[L%s;", e.name->text);
    jvm_vtype merged = jvm_vtype_object(text);
    free(text);
    return merged;
}

jvm_vtype jvm_vtype_merge(jvm_verifier *v, jvm_vtype a, jvm_vtype b)
{
    if (jvm_vtype_same(a, b))
        return a;
    if (a.tag == JVM_V_NULL && b.tag == JVM_V_OBJECT)
        return b;
    if (b.tag == JVM_V_NULL && a.tag == JVM_V_OBJECT)
        return a;
    if (a.tag != JVM_V_OBJECT || b.tag != JVM_V_OBJECT)
        return (jvm_vtype){JVM_V_TOP, 0, NULL};
    bool array_a = a.name->text[0] == '[', array_b = b.name->text[0] == '[';
    if (array_a && array_b)
        return merge_arrays(v, a.name, b.name);
    if (array_a || array_b)
        return jvm_vtype_object("java/lang/Object");
    return merge_classes(v, a.name, b.name);
}
