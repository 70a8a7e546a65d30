/* known.c - fills the tables of known.def. */
#include "jvm/classes/known.h"

#include "base/check.h"
#include "base/log.h"
#include "jvm/engine/throw.h"
#include "jvm/jvm.h"

#include <string.h>

static const struct {
    size_t at; /* in jvm_known_classes */
    const char *name;
} class_rows[] = {
#define JVM_CLASS(id, name) {offsetof(jvm_known_classes, id), name},
#include "jvm/classes/known.def"
};

static const struct {
    size_t cls, at;
    const char *name, *sig;
    bool injected;
} field_rows[] = {
#define JVM_FIELD(cls, field, sig) {offsetof(jvm_known_classes, cls), offsetof(jvm_known_offsets, cls##_##field), #field, sig, false},
#define JVM_INJECTED(cls, field, sig) {offsetof(jvm_known_classes, cls), offsetof(jvm_known_offsets, cls##_##field), #field, sig, true},
#include "jvm/classes/known.def"
};

static const struct {
    size_t cls, at;
    const char *name, *sig;
} method_rows[] = {
#define JVM_METHOD(cls, id, name, sig) {offsetof(jvm_known_classes, cls), offsetof(jvm_known_methods, id), name, sig},
#include "jvm/classes/known.def"
};

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

static jvm_class *class_at(size_t offset)
{
    return *(jvm_class **)((char *)&jvm.classes + offset);
}

int jvm_injected_fields(const char *class_name, jvm_injected *rows, int max)
{
    int n = 0;
    for (size_t i = 0; i < COUNT(field_rows); i++) {
        if (!field_rows[i].injected)
            continue;
        for (size_t k = 0; k < COUNT(class_rows); k++)
            if (class_rows[k].at == field_rows[i].cls && strcmp(class_rows[k].name, class_name) == 0 && n < max)
                rows[n++] = (jvm_injected){field_rows[i].name, field_rows[i].sig};
    }
    return n;
}

static const jvm_field *field_named(const jvm_class *cls, const char *name, const char *sig)
{
    for (uint16_t i = 0; i < cls->nfields; i++)
        if (jvm_sym_is(cls->fields[i].name, name) && jvm_sym_is(cls->fields[i].sig, sig))
            return &cls->fields[i];
    return NULL;
}

void jvm_known_fields_of(const jvm_class *cls)
{
    for (size_t i = 0; i < COUNT(field_rows); i++) {
        if (class_at(field_rows[i].cls) != cls)
            continue;
        const jvm_field *f = field_named(cls, field_rows[i].name, field_rows[i].sig);
        if (f == NULL)
            ebb_log("no field %s.%s %s", cls->name->text, field_rows[i].name, field_rows[i].sig);
        else
            *(uint32_t *)((char *)&jvm.fields + field_rows[i].at) = f->offset;
    }
}

bool jvm_known_load(jvm_thread *t)
{
    for (size_t i = 0; i < COUNT(class_rows); i++) {
        jvm_class **at = (jvm_class **)((char *)&jvm.classes + class_rows[i].at);
        if (*at == NULL)
            *at = jvm_load_boot(t, class_rows[i].name);
        if (*at == NULL || !jvm_link_class(t, *at))
            return false;
        jvm_known_fields_of(*at);
    }
    for (size_t i = 0; i < COUNT(method_rows); i++) {
        jvm_class *cls = class_at(method_rows[i].cls);
        jvm_method *m = jvm_class_own_method(cls, jvm_sym_get(method_rows[i].name), jvm_sym_get(method_rows[i].sig));
        if (m == NULL)
            ebb_log("no method %s.%s%s", cls->name->text, method_rows[i].name, method_rows[i].sig);
        *(jvm_method **)((char *)&jvm.methods + method_rows[i].at) = m;
    }
    return true;
}
