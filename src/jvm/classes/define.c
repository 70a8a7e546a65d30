/* Making classes: from class files, for arrays, for primitive types; and their mirrors. */
#include "jvm/classes/loader.h"

#include "base/check.h"
#include "base/log.h"
#include "base/mem.h"
#include "jvm/classes/classfile.h"
#include "jvm/classes/constraints.h"
#include "jvm/classes/words.h"
#include "jvm/heap/handles.h"
#include "jvm/heap/heap.h"
#include "jvm/heap/jstring.h"
#include "jvm/classes/link.h"
#include "jvm/classes/module.h"
#include "jvm/record/outside.h"
#include "jvm/engine/ops.h"
#include "jvm/classes/resolve.h"
#include "jvm/engine/throw.h"
#include "jvm/jvm.h"

#include <stdio.h>
#include <string.h>

/* ---- mirrors ---- */

void jvm_class_set_module(jvm_class *cls)
{
    const jvm_class *c = cls;
    while (c->component != NULL)
        c = c->component;
    if (c->kind == JVM_KIND_PRIMITIVE)
        cls->module = jvm_module_for_package(jvm.boot, jvm_sym_get("java/lang"));
    else if (c != cls || cls->module == NULL)
        cls->module = c != cls ? c->module : jvm_module_for_package(cls->loader, cls->package);
    if (cls->mirror != NULL && cls->module != NULL)
        jvm_put_ref(cls->mirror, jvm.fields.Class_module, cls->module->object);
}

bool jvm_make_mirror(jvm_thread *t, jvm_class *cls)
{
    if (jvm.classes.Class == NULL || jvm.classes.Class->state < JVM_CLASS_LINKED)
        return true; /* during boot: jvm_make_missing_mirrors comes later */
    jvm_layout_statics(cls, jvm.classes.Class->instance_size);
    jvm_undo_cut("the loading of a class");
    cls->mirror = jvm_new_sized(t, jvm.classes.Class, jvm.classes.Class->instance_size + cls->statics_size);
    if (cls->mirror == NULL)
        return false;
    jvm_put_i64(cls->mirror, jvm.fields.Class_vmClass, (int64_t)(uintptr_t)cls);
    jvm_put_ref(cls->mirror, jvm.fields.Class_classLoader, cls->loader->object);
    if (cls->component != NULL)
        jvm_put_ref(cls->mirror, jvm.fields.Class_componentType, cls->component->mirror);
    jvm_class_set_module(cls);
    return true;
}

/* ---- classes of arrays and primitives ---- */

static jvm_class *prims[128], *prim_arrays[128];

static jvm_class *prim_new(jvm_thread *t, char letter, const char *name)
{
    jvm_class *cls = EBB_NEW(jvm_class);
    cls->name = jvm_sym_get(name);
    cls->kind = JVM_KIND_PRIMITIVE;
    cls->element_type = letter;
    cls->access = JVM_ACC_PUBLIC | JVM_ACC_FINAL | JVM_ACC_ABSTRACT;
    cls->loader = jvm.boot;
    cls->package = jvm_sym_get("");
    cls->state = JVM_CLASS_INITIALIZED;
    cls->nest_host = cls;
    jvm_class_register(cls);
    return jvm_make_mirror(t, cls) ? cls : NULL;
}

jvm_class *jvm_prim_class(char type)
{
    static const struct {
        char letter;
        const char *name;
    } rows[] = {{'Z', "boolean"}, {'B', "byte"}, {'C', "char"}, {'S', "short"}, {'I', "int"}, {'J', "long"},
                {'F', "float"}, {'D', "double"}, {'V', "void"}};
    for (size_t i = 0; prims[(int)type] == NULL && i < sizeof rows / sizeof *rows; i++)
        if (rows[i].letter == type)
            prims[(int)type] = prim_new(jvm_self, type, rows[i].name);
    return prims[(int)type];
}

jvm_class *jvm_prim_array_class(char type)
{
    if (prim_arrays[(int)type] == NULL)
        prim_arrays[(int)type] = jvm_array_class(jvm_self, jvm_prim_class(type));
    return prim_arrays[(int)type];
}

static const jvm_sym *array_name(const jvm_class *component)
{
    if (component->kind == JVM_KIND_PRIMITIVE)
        return jvm_sym_getf("[%c", component->element_type);
    if (jvm_class_is_array(component))
        return jvm_sym_getf("[%s", component->name->text);
    return jvm_sym_getf("[L%s;", component->name->text);
}

static void array_set_supers(jvm_thread *t, jvm_class *cls)
{
    jvm_class *object = jvm.classes.Object;
    cls->super = object;
    cls->depth = 1;
    cls->supers[0] = object;
    cls->vtable = object->vtable;
    cls->nvtable = object->nvtable;
    cls->ninterfaces = 2;
    cls->interfaces = EBB_ARENA_ARRAY(&cls->arena, jvm_class *, 2);
    cls->interfaces[0] = jvm_load_boot(t, "java/lang/Cloneable");
    cls->interfaces[1] = jvm_load_boot(t, "java/io/Serializable");
    cls->nitable = 2;
    cls->itable = EBB_ARENA_ARRAY(&cls->arena, jvm_itable, 2);
    cls->itable[0].iface = cls->interfaces[0];
    cls->itable[1].iface = cls->interfaces[1];
}

jvm_class *jvm_array_class(jvm_thread *t, jvm_class *component)
{
    if (component->array != NULL)
        return component->array;
    if (component->name->text[0] == '[' && strspn(component->name->text, "[") >= 255) {
        jvm_throw(t, JVM_IAE, "too many dimensions");
        return NULL;
    }
    jvm_class *cls = EBB_NEW(jvm_class);
    const jvm_class *element = component;
    while (element->component != NULL)
        element = element->component;
    bool prim = component->kind == JVM_KIND_PRIMITIVE;
    cls->name = array_name(component);
    cls->kind = prim ? JVM_KIND_PRIM_ARRAY : JVM_KIND_OBJECT_ARRAY;
    cls->element_type = prim ? component->element_type : jvm_class_is_array(component) ? '[' : 'L';
    cls->access = (element->access & (JVM_ACC_PUBLIC | JVM_ACC_PRIVATE | JVM_ACC_PROTECTED)) | JVM_ACC_FINAL | JVM_ACC_ABSTRACT;
    cls->loader = component->loader;
    cls->package = component->package;
    cls->component = component;
    cls->instance_size = JVM_ARRAY_BASE;
    cls->state = JVM_CLASS_INITIALIZED;
    cls->flags = JVM_CLASS_CLONEABLE | (element->flags & (JVM_CLASS_HIDDEN | JVM_CLASS_UNLOADABLE));
    cls->nest_host = cls;
    array_set_supers(t, cls);
    if (!jvm_make_mirror(t, cls))
        return NULL;
    component->array = cls;
    jvm_class_register(cls);
    if (!(element->flags & JVM_CLASS_HIDDEN))
        jvm_loader_record(cls->loader, cls->name, cls);
    return cls;
}

/* ---- classes from class files ---- */

typedef struct in_progress { /* definitions whose supers are being loaded, to find circles */
    struct in_progress *outer;
    const jvm_loader *loader;
    const jvm_sym *name;
    const jvm_thread *thread;
} in_progress;
static in_progress *defining;

static bool is_being_defined(const in_progress *from, const jvm_loader *loader, const jvm_sym *name, const jvm_thread *t)
{
    for (const in_progress *p = from; p != NULL; p = p->outer)
        if (p->loader == loader && p->name == name && p->thread == t)
            return true;
    return false;
}

static jvm_class *super_at(jvm_thread *t, jvm_class *cls, uint16_t index)
{
    const jvm_sym *name = jvm_cp_class_name(cls, index);
    if (is_being_defined(defining, cls->loader, name, t)) {
        jvm_throw(t, "java/lang/ClassCircularityError", "%s", cls->name->text);
        return NULL;
    }
    jvm_class *super = jvm_load_class(t, cls->loader, name);
    if (super != NULL)
        cls->pool.resolved[index].cls = super;
    return super;
}

static void throw_access(jvm_thread *t, const jvm_class *cls, const jvm_class *super)
{
    bool is_interface = jvm_class_is_interface(super);
    char *a = jvm_class_external_name(cls), *b = jvm_class_external_name(super), *places = jvm_places_text(cls, super);
    char *why = jvm_module_access_text(cls, super);
    if (why != NULL)
        jvm_throw(t, "java/lang/IllegalAccessError", "super%s check failed: %s", is_interface ? "interface" : "class access", why);
    else
        jvm_throw(t, "java/lang/IllegalAccessError", "class %s cannot access its %ssuper%s %s (%s)", a,
                  !is_interface && super->access & JVM_ACC_ABSTRACT ? "abstract " : "", is_interface ? "interface" : "class", b, places);
    free(a);
    free(b);
    free(places);
    free(why);
}

/* Only classes that reflection makes may be below those that need no access checks. */
static bool is_for_reflection(const jvm_class *cls, const jvm_class *super)
{
    return cls->loader->object == NULL || super->loader->object != NULL || !jvm_sym_is(super->package, "jdk/internal/reflect") ||
           jvm_sym_is(cls->loader->object->cls->name, "jdk/internal/reflect/DelegatingClassLoader");
}

static void throw_not_for_reflection(jvm_thread *t, const jvm_class *cls, const jvm_class *super)
{
    char *a = jvm_class_external_name(cls), *b = jvm_class_external_name(super), *loader = jvm_loader_text(cls->loader);
    jvm_throw(t, "java/lang/IllegalAccessError", "class %s loaded by %s cannot access jdk/internal/reflect superclass %s", a, loader, b);
    free(a);
    free(b);
    free(loader);
}

static bool permits(const jvm_class *super, const jvm_class *cls)
{
    if (super->permitted == NULL)
        return true;
    if (super->module != cls->module || (!(cls->access & JVM_ACC_PUBLIC) && !jvm_same_package(super, cls)))
        return false;
    for (uint16_t i = 0; i < super->npermitted; i++)
        if (jvm_cp_class_name(super, jvm_u2(super->permitted + 2 * i)) == cls->name)
            return true;
    return false;
}

static bool check_sealed(jvm_thread *t, const jvm_class *cls, const jvm_class *super)
{
    if (permits(super, cls))
        return true;
    char *a = jvm_class_external_name(cls), *b = jvm_class_external_name(super);
    jvm_throw(t, "java/lang/IncompatibleClassChangeError", "class %s cannot %s sealed %s %s", a,
              jvm_class_is_interface(super) && !jvm_class_is_interface(cls) ? "implement" : "inherit from",
              jvm_class_is_interface(super) ? "interface" : "class", b);
    free(a);
    free(b);
    return false;
}

static bool load_super(jvm_thread *t, jvm_class *cls)
{
    if (cls->super_index == 0)
        return true;
    jvm_class *super = super_at(t, cls, cls->super_index);
    if (super == NULL)
        return false;
    cls->super = super;
    if (!jvm_class_is_interface(super))
        return true;
    char *a = jvm_class_external_name(cls), *b = jvm_class_external_name(super);
    jvm_throw(t, "java/lang/IncompatibleClassChangeError", "class %s has interface %s as super class", a, b);
    free(a);
    free(b);
    return false;
}

static void throw_no_interface(jvm_thread *t, const jvm_class *cls, const jvm_class *named)
{
    char *a = jvm_class_external_name(cls), *b = jvm_class_external_name(named), *place = jvm_place_text(named);
    jvm_throw(t, "java/lang/IncompatibleClassChangeError", "class %s can not implement %s, because it is not an interface (%s is in %s)", a, b, b, place);
    free(a);
    free(b);
    free(place);
}

static bool load_interfaces(jvm_thread *t, jvm_class *cls)
{
    uint16_t n = cls->ninterfaces;
    cls->ninterfaces = 0; /* counts the loaded ones meanwhile */
    for (uint16_t i = 0; i < n; i++) {
        jvm_class *iface = super_at(t, cls, (uint16_t)(uintptr_t)cls->interfaces[i]);
        if (iface == NULL)
            return false;
        if (!jvm_class_is_interface(iface)) {
            throw_no_interface(t, cls, iface);
            return false;
        }
        cls->interfaces[i] = iface;
        cls->ninterfaces++;
    }
    return true;
}

/* May cls extend and implement those it names? */
static bool check_supers(jvm_thread *t, const jvm_class *cls)
{
    const jvm_class *super = cls->super;
    if (super != NULL && (super->access & JVM_ACC_FINAL)) {
        char *a = jvm_class_external_name(cls), *b = jvm_class_external_name(super);
        jvm_throw(t, "java/lang/IncompatibleClassChangeError", "class %s cannot inherit from final class %s", a, b);
        free(a);
        free(b);
        return false;
    }
    if (super != NULL && !is_for_reflection(cls, super))
        throw_not_for_reflection(t, cls, super);
    else if (super != NULL && !(super->flags & JVM_CLASS_MAGIC) && !jvm_can_access_class(cls, super))
        throw_access(t, cls, super);
    else if (super != NULL)
        check_sealed(t, cls, super);
    for (uint16_t i = 0; i < cls->ninterfaces && !jvm_pending(t); i++)
        if (!jvm_can_access_class(cls, cls->interfaces[i]))
            throw_access(t, cls, cls->interfaces[i]);
        else
            check_sealed(t, cls, cls->interfaces[i]);
    return !jvm_pending(t);
}

static bool parse_body(jvm_thread *t, jvm_reader *r)
{
    if (jvm_classfile_parse_body(r))
        return true;
    jvm_throw(t, r->error->exception, "%s", r->error->text);
    return false;
}

/* The order is part of what a class with several faults shows: interfaces, fields and methods, superclass. */
static bool complete(jvm_thread *t, jvm_class *cls, jvm_reader *r)
{
    jvm_undo_cut("the loading of a class"); /* nobody leaves this in the middle */
    in_progress here = {defining, cls->loader, cls->name, t};
    defining = &here;
    bool ok = load_interfaces(t, cls) && parse_body(t, r) && load_super(t, cls);
    /* Another thread may have pushed meanwhile: unlink this very entry. */
    for (in_progress **p = &defining; *p != NULL; p = &(*p)->outer)
        if (*p == &here) {
            *p = here.outer;
            break;
        }
    return ok;
}

static bool check_name(jvm_thread *t, const jvm_define *def, const jvm_class *cls)
{
    if (def->name == NULL || cls->name == def->name)
        return true;
    jvm_throw(t, "java/lang/NoClassDefFoundError", "%s (wrong name: %s)", def->name->text, cls->name->text);
    return false;
}

static bool check_package(jvm_thread *t, const jvm_define *def, const jvm_class *cls)
{
    if (def->loader->object != NULL && jvm.booted && strncmp(cls->name->text, "java/", 5) == 0 && !def->hidden) {
        const jvm_module *m = jvm_module_for_package(def->loader, cls->package);
        if (m == NULL || m->name == NULL) {
            jvm_throw(t, "java/lang/SecurityException", "Prohibited package name: %s", cls->package->text);
            return false;
        }
    }
    return true;
}

static bool check_new(jvm_thread *t, const jvm_define *def, const jvm_class *cls)
{
    const jvm_class *there = def->hidden ? NULL : jvm_find_loaded(def->loader, cls->name);
    if (there == NULL)
        return true;
    char *name = jvm_class_external_name(cls), *loader = jvm_loader_text(def->loader), *place = jvm_class_place_text(there);
    const char *kind = jvm_class_is_interface(cls) ? "interface" : cls->access & JVM_ACC_ABSTRACT ? "abstract class" : "class";
    jvm_throw(t, "java/lang/LinkageError", "loader %s attempted duplicate %s definition for %s. (%s)", loader, kind, name, place);
    free(name);
    free(loader);
    free(place);
    return false;
}

static void set_package(jvm_class *cls)
{
    const char *slash = strrchr(cls->name->text, '/');
    cls->package = jvm_sym_getn(cls->name->text, slash ? (size_t)(slash - cls->name->text) : 0);
}

static void name_hidden(jvm_class *cls)
{
    static unsigned counter; /* an address would do, but would differ from run to run */
    cls->flags |= JVM_CLASS_HIDDEN;
    cls->name = jvm_sym_own(&cls->arena, "%s+0x%016x", cls->name->text, ++counter);
}

/* The head of the class file; *r goes on with the body. */
static jvm_class *parse_head(jvm_thread *t, const jvm_define *def, jvm_reader *r, jvm_parse_error *error)
{
    jvm_class *cls = EBB_NEW(jvm_class);
    const uint8_t *bytes = def->bytes;
    if (!def->permanent) {
        uint8_t *copy = ebb_arena_alloc(&cls->arena, def->nbytes + 1);
        memcpy(copy, def->bytes, def->nbytes);
        bytes = copy;
    }
    cls->loader = def->loader;
    bool boot = def->loader->object == NULL;
    jvm_parse_options options = {.vm_annotations = def->vm_annotations, .trusted = def->permanent && boot, .name = def->name};
    if (!jvm_classfile_parse_head(r, cls, bytes, def->nbytes, options, error)) {
        jvm_throw(t, error->exception, "%s", error->text);
        jvm_class_free(cls);
        return NULL;
    }
    if (boot && !jvm.options.verify_local)
        cls->flags |= JVM_CLASS_TRUSTED;
    if (def->hidden && def->name != NULL)
        cls->name = def->name; /* what Lookup says counts, whatever the template's own name */
    set_package(cls);
    return cls;
}

static void set_super_facts(jvm_class *cls)
{
    const jvm_class *super = cls->super;
    cls->depth = super ? super->depth + 1 : 0;
    if (super != NULL)
        memcpy(cls->supers, super->supers, sizeof cls->supers);
    if (cls->depth < JVM_DISPLAY)
        cls->supers[cls->depth] = cls;
    if (super != NULL)
        cls->flags |= super->flags & (JVM_CLASS_MAGIC | JVM_CLASS_CLONEABLE | JVM_CLASS_HAS_FINALIZER | JVM_CLASS_IS_LOADER);
    if (cls->loader == jvm.boot && jvm_sym_is(cls->name, "java/lang/ClassLoader"))
        cls->flags |= JVM_CLASS_IS_LOADER;
    if (jvm_sym_is(cls->name, "jdk/internal/reflect/MagicAccessorImpl"))
        cls->flags |= JVM_CLASS_MAGIC | JVM_CLASS_TRUSTED;
    if (cls->flags & JVM_CLASS_MAGIC)
        cls->flags |= JVM_CLASS_TRUSTED;
    for (uint16_t i = 0; i < cls->ninterfaces; i++)
        if (jvm_sym_is(cls->interfaces[i]->name, "java/lang/Cloneable") || (cls->interfaces[i]->flags & JVM_CLASS_CLONEABLE))
            cls->flags |= JVM_CLASS_CLONEABLE;
    if ((cls->flags & JVM_CLASS_RECORD) && !(super != NULL && jvm_sym_is(super->name, "java/lang/Record") && (cls->access & JVM_ACC_FINAL)))
        cls->flags &= (uint16_t)~JVM_CLASS_RECORD;
}

static void set_lifetime(jvm_class *cls, const jvm_define *def)
{
    bool alone = def->hidden && !def->strong;
    if (alone || !jvm_loader_is_permanent(cls->loader))
        cls->flags |= JVM_CLASS_UNLOADABLE;
    if (def->hidden && def->strong)
        ebb_vec_push(&cls->loader->strong_hidden, cls);
}

void jvm_class_free(jvm_class *cls)
{
    jvm_undo_cut("a class that could not be loaded");
    ebb_arena_fini(&cls->arena);
    free(cls);
}

static bool finish_definition(jvm_thread *t, const jvm_define *def, jvm_class *cls, jvm_reader *r)
{
    if (def->lookup_class != NULL)
        cls->module = def->lookup_class->module;
    else
        cls->module = jvm_module_for_package(cls->loader, cls->package);
    if (!complete(t, cls, r) || !check_package(t, def, cls) || !check_supers(t, cls))
        return false;
    if (!check_new(t, def, cls)) /* loading the supers may have defined it */
        return false;
    if (def->hidden)
        name_hidden(cls);
    set_super_facts(cls);
    cls->pool.resolved[cls->this_index].cls = cls;
    cls->nest_host = def->nest_host;
    if (!jvm_make_mirror(t, cls))
        return false;
    if (cls->mirror != NULL) {
        jvm_put_ref(cls->mirror, jvm.fields.Class_protectionDomain, def->protection_domain);
        jvm_put_ref(cls->mirror, jvm.fields.Class_classData, def->class_data);
    }
    if (!def->hidden && !jvm_constraint_allows(t, cls->loader, cls))
        return false;
    set_lifetime(cls, def);
    jvm_class_register(cls);
    if (!def->hidden)
        jvm_loader_record(cls->loader, cls->name, cls);
    ebb_log("%s (%s)", cls->name->text, cls->loader->object ? "loader" : "boot");
    return true;
}

jvm_class *jvm_define_class(jvm_thread *t, const jvm_define *def)
{
    jvm_reader reader;
    jvm_parse_error error;
    jvm_class *cls = parse_head(t, def, &reader, &error);
    if (cls == NULL)
        return NULL;
    size_t mark = jvm_handles_mark(t);
    jvm_local(t, def->protection_domain);
    jvm_local(t, def->class_data);
    bool ok = check_name(t, def, cls) && check_new(t, def, cls) && finish_definition(t, def, cls, &reader);
    jvm_handles_release(t, mark);
    if (!ok) {
        jvm_class_free(cls);
        return NULL;
    }
    if (jvm.options.verbose_class)
        jvm_outside_print(stdout, "[class,load] %s\n", cls->name->text);
    return cls;
}
