/* class.c - questions to a class that was read: its constant pool, its members, its names. */
#include "jvm/classes/class.h"

#include "base/buf.h"
#include "base/mem.h"
#include "jvm/jvm.h"

#include <string.h>

/* ---- constant pool ---- */

const jvm_sym *jvm_cp_utf8(const jvm_class *cls, uint16_t index)
{
    return cls->pool.values[index].sym;
}

const jvm_sym *jvm_cp_class_name(const jvm_class *cls, uint16_t index)
{
    if (index == cls->this_index && (cls->flags & JVM_CLASS_HIDDEN))
        return cls->name; /* a hidden class knows itself by the name it was given, not by the file's */
    return jvm_cp_utf8(cls, cls->pool.values[index].a);
}

void jvm_cp_name_type(const jvm_class *cls, uint16_t index, const jvm_sym **name, const jvm_sym **descriptor)
{
    *name = jvm_cp_utf8(cls, cls->pool.values[index].a);
    *descriptor = jvm_cp_utf8(cls, cls->pool.values[index].b);
}

void jvm_cp_member(const jvm_class *cls, uint16_t index, const jvm_sym **class_name, const jvm_sym **name,
                   const jvm_sym **descriptor)
{
    *class_name = jvm_cp_class_name(cls, cls->pool.values[index].a);
    jvm_cp_name_type(cls, cls->pool.values[index].b, name, descriptor);
}

/* ---- methods ---- */

bool jvm_method_is_init(const jvm_method *m)
{
    return m->name->text[0] == '<' && m->name->text[1] == 'i';
}

bool jvm_method_is_clinit(const jvm_method *m)
{
    return m->name->text[0] == '<' && m->name->text[1] == 'c';
}

int jvm_method_line(const jvm_method *m, int bci)
{
    if (m->access & JVM_ACC_NATIVE)
        return -2;
    int line = -1, best = -1;
    for (uint16_t i = 0; i < m->nlines; i++)
        if (m->lines[i].bci <= bci && m->lines[i].bci >= best) {
            best = m->lines[i].bci;
            line = m->lines[i].line;
        }
    return line;
}

static void add_type_text(ebb_buf *out, const char **at)
{
    static const char *const names[128] = {['Z'] = "boolean", ['B'] = "byte", ['C'] = "char", ['S'] = "short",
        ['I'] = "int", ['J'] = "long", ['F'] = "float", ['D'] = "double", ['V'] = "void"};
    int dims = 0;
    for (; **at == '['; (*at)++)
        dims++;
    if (**at == 'L') {
        const char *end = strchr(*at, ';');
        for (const char *p = *at + 1; p < end; p++)
            ebb_buf_addc(out, *p == '/' ? '.' : *p);
        *at = end;
    } else {
        ebb_buf_adds(out, names[(int)**at]);
    }
    (*at)++;
    while (dims-- > 0)
        ebb_buf_adds(out, "[]");
}

char *jvm_type_text(const char *descriptor)
{
    ebb_buf out = {0};
    add_type_text(&out, &descriptor);
    return ebb_buf_take(&out);
}

char *jvm_method_text(const jvm_method *m)
{
    ebb_buf out = {0};
    char *cls = jvm_class_external_name(m->cls);
    ebb_buf_addf(&out, "%s.%s(", cls, m->name->text);
    free(cls);
    const char *at = m->sig->text + 1;
    while (*at != ')') {
        if (at[-1] != '(')
            ebb_buf_adds(&out, ", ");
        add_type_text(&out, &at);
    }
    ebb_buf_addc(&out, ')');
    return ebb_buf_take(&out);
}

/* ---- classes ---- */

char *jvm_class_external_name(const jvm_class *cls)
{
    char *name = ebb_strdup(cls->name->text);
    for (char *p = name; *p != '\0'; p++)
        if (*p == '/')
            *p = '.';
    if (cls->flags & JVM_CLASS_HIDDEN) {
        char *plus = strrchr(name, '+');
        if (plus != NULL)
            *plus = '/';
    }
    return name;
}

int64_t jvm_method_token(const jvm_method *m)
{
    return (int64_t)((uintptr_t)m->cls->mirror / JVM_OBJECT_ALIGN << 16 | m->slot);
}

jvm_method *jvm_token_method(int64_t token)
{
    const jvm_obj *mirror = (const jvm_obj *)(((uintptr_t)token >> 16) * JVM_OBJECT_ALIGN);
    return &jvm_mirror_class(mirror)->methods[token & 0xffff];
}

jvm_class *jvm_mirror_class(const jvm_obj *mirror)
{
    return (jvm_class *)(uintptr_t)jvm_get_i64(mirror, jvm.fields.Class_vmClass);
}

jvm_method *jvm_class_own_method(const jvm_class *cls, const jvm_sym *name, const jvm_sym *sig)
{
    for (uint16_t i = 0; i < cls->nmethods; i++)
        if (cls->methods[i].name == name && cls->methods[i].sig == sig)
            return &cls->methods[i];
    return NULL;
}

jvm_field *jvm_class_own_field(const jvm_class *cls, const jvm_sym *name, const jvm_sym *sig)
{
    for (uint16_t i = 0; i < cls->nfields; i++)
        if (cls->fields[i].name == name && (sig == NULL || cls->fields[i].sig == sig) &&
            !(cls->fields[i].flags & JVM_FIELD_INJECTED))
            return &cls->fields[i];
    return NULL;
}

jvm_field *jvm_class_find_field(const jvm_class *cls, const jvm_sym *name, const jvm_sym *sig)
{
    for (; cls != NULL; cls = cls->super) {
        jvm_field *f = jvm_class_own_field(cls, name, sig);
        for (uint16_t i = 0; f == NULL && i < cls->ninterfaces; i++)
            f = jvm_class_find_field(cls->interfaces[i], name, sig);
        if (f != NULL)
            return f;
    }
    return NULL;
}

/* Candidates among superinterfaces: the most specific so far, preferring one with a body. */
static void search_interfaces(const jvm_class *cls, const jvm_sym *name, const jvm_sym *sig, jvm_method **best)
{
    for (; cls != NULL; cls = cls->super) {
        for (uint16_t i = 0; i < cls->ninterfaces; i++) {
            const jvm_class *iface = cls->interfaces[i];
            jvm_method *m = jvm_class_own_method(iface, name, sig);
            if (m != NULL && !(m->access & (JVM_ACC_STATIC | JVM_ACC_PRIVATE))) {
                bool more_specific = *best != NULL && jvm_is_subclass(iface, (*best)->cls);
                bool less_specific = *best != NULL && jvm_is_subclass((*best)->cls, iface);
                bool has_body = !(m->access & JVM_ACC_ABSTRACT);
                if (*best == NULL || more_specific ||
                    (!less_specific && has_body && ((*best)->access & JVM_ACC_ABSTRACT)))
                    *best = m;
            }
            search_interfaces(iface, name, sig, best);
        }
    }
}

jvm_method *jvm_class_find_method(const jvm_class *cls, const jvm_sym *name, const jvm_sym *sig)
{
    jvm_method *best = NULL;
    for (const jvm_class *c = cls; c != NULL; c = c->super) {
        jvm_method *m = jvm_class_own_method(c, name, sig);
        if (m != NULL && (c == cls || !jvm_class_is_interface(cls) || !(m->access & JVM_ACC_STATIC)))
            if (c == cls || !jvm_class_is_interface(cls) || (m->access & JVM_ACC_PUBLIC))
                return m;
    }
    search_interfaces(cls, name, sig, &best);
    return best;
}

jvm_method *jvm_class_find_method_text(const jvm_class *cls, const char *name, const char *sig)
{
    const jvm_sym *n = jvm_sym_findn(name, strlen(name)), *s = jvm_sym_findn(sig, strlen(sig));
    return n != NULL && s != NULL ? jvm_class_find_method(cls, n, s) : NULL;
}

/* ---- selection ---- */

static jvm_method *vtable_by_name(const jvm_class *cls, const jvm_method *m)
{
    jvm_method *package_private = NULL;
    for (uint32_t i = cls->nvtable; i-- > 0;) {
        jvm_method *v = cls->vtable[i];
        if (v->name != m->name || v->sig != m->sig)
            continue;
        if (v->access & JVM_ACC_PUBLIC)
            return v;
        package_private = v;
    }
    return package_private;
}

jvm_method *jvm_select_virtual(const jvm_class *cls, const jvm_method *m)
{
    jvm_method *selected;
    if (m->vtable_index >= 0)
        selected = cls->vtable[m->vtable_index];
    else if (jvm_class_is_interface(m->cls) && !(m->access & (JVM_ACC_PRIVATE | JVM_ACC_STATIC)))
        selected = vtable_by_name(cls, m);
    else
        selected = (jvm_method *)m;
    return selected != NULL && !(selected->access & JVM_ACC_ABSTRACT) ? selected : NULL;
}

jvm_method *jvm_select_interface(const jvm_class *cls, const jvm_method *m)
{
    if (m->vtable_index >= 0) /* a method of Object called through an interface */
        return jvm_select_virtual(cls, m);
    if (m->access & JVM_ACC_PRIVATE)
        return (jvm_method *)m;
    for (uint32_t i = 0; i < cls->nitable; i++) {
        if (cls->itable[i].iface != m->cls)
            continue;
        jvm_method **methods = cls->itable[i].methods;
        if (methods == NULL)
            methods = cls->itable[i].methods =
                EBB_ARENA_ARRAY(&((jvm_class *)cls)->arena, jvm_method *, m->cls->nmethods);
        if (methods[m->itable_index] == NULL)
            methods[m->itable_index] = vtable_by_name(cls, m);
        jvm_method *found = methods[m->itable_index];
        return found != NULL && (found->flags & JVM_METHOD_OVERPASS) ? NULL : found; /* competing defaults */
    }
    return NULL;
}
