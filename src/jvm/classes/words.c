/* words.c - see words.h. */
#include "jvm/classes/words.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/text.h"
#include "jvm/classes/module.h"
#include "jvm/heap/jstring.h"
#include "jvm/jvm.h"

#include <string.h>

char *jvm_loader_text(const jvm_loader *loader)
{
    jvm_obj *name = loader->object == NULL ? NULL : jvm_get_ref(loader->object, jvm.fields.ClassLoader_nameAndId);
    return name == NULL ? ebb_strdup("'bootstrap'") : jvm_string_utf8(name);
}

static const jvm_class *innermost(const jvm_class *cls)
{
    while (cls->component != NULL)
        cls = cls->component;
    return cls;
}

char *jvm_place_text(const jvm_class *cls)
{
    cls = innermost(cls);
    char *loader = jvm_loader_text(cls->loader), *text;
    if (cls->module != NULL && cls->module->name != NULL)
        text = ebb_asprintf("module %s of loader %s", cls->module->name->text, loader);
    else
        text = ebb_asprintf("%s of loader %s", cls->loader->object == NULL ? "module java.base" : "unnamed module", loader);
    free(loader);
    return text;
}

/* The JDK's own loaders have parents that everybody knows. */
static bool is_builtin(const jvm_loader *loader)
{
    return loader->object == NULL || strncmp(loader->object->cls->name->text, "jdk/internal/loader/ClassLoaders$", 33) == 0;
}

char *jvm_class_place_text(const jvm_class *cls)
{
    cls = innermost(cls);
    char *name = jvm_class_external_name(cls), *place = jvm_place_text(cls), *parent = NULL, *text;
    if (!is_builtin(cls->loader))
        parent = jvm_loader_text(jvm_loader_of(jvm_get_ref(cls->loader->object, jvm.fields.ClassLoader_parent)));
    text = parent == NULL ? ebb_asprintf("%s is in %s", name, place) : ebb_asprintf("%s is in %s, parent loader %s", name, place, parent);
    free(name);
    free(place);
    free(parent);
    return text;
}

char *jvm_places_text(const jvm_class *a, const jvm_class *b)
{
    char *first = jvm_class_external_name(a), *second = jvm_class_external_name(b), *in_first = jvm_place_text(a), *in_second = jvm_place_text(b);
    char *text = strcmp(in_first, in_second) == 0 ? ebb_asprintf("%s and %s are in %s", first, second, in_first)
                                                  : ebb_asprintf("%s is in %s; %s is in %s", first, in_first, second, in_second);
    free(first);
    free(second);
    free(in_first);
    free(in_second);
    return text;
}

/* "module java.base", "unnamed module @0x1b2c3d" */
static char *module_text(const jvm_module *m)
{
    if (m != NULL && m->name != NULL)
        return ebb_asprintf("module %s", m->name->text);
    return ebb_asprintf("unnamed module @0x%x", m == NULL || m->object == NULL ? 0 : (unsigned)jvm_identity_hash(m->object));
}

char *jvm_module_access_text(const jvm_class *from, const jvm_class *to)
{
    to = innermost(to);
    if (!(to->access & JVM_ACC_PUBLIC) || jvm_module_can_access(from->module, to->module, to->package))
        return NULL;
    char *a = jvm_class_external_name(from), *b = jvm_class_external_name(to), *m = module_text(from->module), *n = module_text(to->module);
    ebb_buf text = {0};
    ebb_buf_addf(&text, "class %s (in %s) cannot access class %s (in %s) because %s does not ", a, m, b, n,
                 jvm_module_reads(from->module, to->module) ? n : m);
    if (jvm_module_reads(from->module, to->module)) {
        size_t at = text.n + strlen("export ");
        ebb_buf_addf(&text, "export %s to %s", to->package->text, m);
        for (size_t i = at; i < at + strlen(to->package->text); i++)
            text.data[i] = text.data[i] == '/' ? '.' : text.data[i];
    } else {
        ebb_buf_addf(&text, "read %s", n);
    }
    char *result = ebb_strdup(ebb_buf_text(&text));
    ebb_buf_fini(&text);
    free(a);
    free(b);
    free(m);
    free(n);
    return result;
}
