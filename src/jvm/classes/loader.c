/* loader.c - which loader defined or may use which class; the boot loader's own search. */
#include "jvm/classes/loader.h"

#include "base/buf.h"
#include "base/check.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "jvm/classes/boot_path.h"
#include "jvm/classes/constraints.h"
#include "jvm/heap/handles.h"
#include "jvm/heap/heap.h"
#include "jvm/engine/invoke.h"
#include "jvm/classes/jimage.h"
#include "jvm/heap/jstring.h"
#include "jvm/classes/loader_internal.h"
#include "jvm/classes/module.h"
#include "jvm/threads/monitor.h"
#include "jvm/engine/throw.h"
#include "jvm/undo/undo.h"
#include "jvm/jvm.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

jvm_loader_list jvm_loaders;
static jvm_jimage *image;

/* ---- loaders ---- */

static jvm_loader *loader_new(jvm_obj *object)
{
    jvm_loader *loader = EBB_NEW(jvm_loader);
    loader->object = object;
    loader->classes = ebb_map_new();
    loader->packages = ebb_map_new();
    loader->unnamed = EBB_NEW(jvm_module);
    loader->unnamed->loader = loader;
    ebb_vec_push(&jvm_loaders.loaders, loader);
    return loader;
}

bool jvm_loader_is_permanent(const jvm_loader *loader)
{
    return loader->object == NULL || (loader->object->cls->loader->object == NULL &&
                                      ebb_text_starts(loader->object->cls->name->text, "jdk/internal/loader/ClassLoaders$"));
}

static void add_patches(void)
{
    char key[40];
    const char *text;
    for (int n = 0; snprintf(key, sizeof key, "jdk.module.patch.%d", n), (text = jvm_property_get(key)) != NULL; n++)
        jvm_boot_patch_add(text);
}

void jvm_loader_init(const char *java_home, const char *boot_append)
{
    char *path = ebb_asprintf("%s/lib/modules", java_home);
    ebb_error err;
    if (jvm_jimage_open(path, &image, &err) != EBB_OK) {
        fprintf(stderr, "%s\n", err.text);
        _exit(1);
    }
    free(path);
    jvm_boot_path_init(boot_append);
    add_patches();
    jvm.boot = loader_new(NULL);
}

jvm_loader *jvm_loader_of(jvm_obj *object)
{
    if (object == NULL)
        return jvm.boot;
    jvm_loader *loader = (jvm_loader *)(uintptr_t)jvm_get_i64(object, jvm.fields.ClassLoader_vmLoader);
    if (loader == NULL) {
        loader = loader_new(object);
        jvm_put_i64(object, jvm.fields.ClassLoader_vmLoader, (int64_t)(uintptr_t)loader);
        loader->unnamed->object = jvm_get_ref(object, jvm.fields.ClassLoader_unnamedModule);
    }
    return loader;
}

/* ---- dictionaries ---- */

void jvm_loader_record(jvm_loader *loader, const jvm_sym *name, jvm_class *cls)
{
    jvm_undo_cut("the loading of a class");
    ebb_map_set_u64(loader->classes, (uintptr_t)name, cls);
}

void jvm_class_register(jvm_class *cls)
{
    static uint32_t last_serial;
    jvm_undo_cut("the loading of a class");
    ebb_vec_push(&jvm_loaders.classes, cls);
    cls->serial = ++last_serial;
}

void jvm_each_class(void (*visit)(jvm_class *cls, void *arg), void *arg)
{
    for (size_t i = 0; i < jvm_loaders.classes.n; i++)
        visit(jvm_loaders.classes.items[i], arg);
}

jvm_class *jvm_class_by_serial(uint32_t serial)
{
    size_t low = 0, high = jvm_loaders.classes.n; /* in order of definition: so are the numbers */
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (jvm_loaders.classes.items[mid]->serial < serial)
            low = mid + 1;
        else
            high = mid;
    }
    jvm_class *found = low < jvm_loaders.classes.n ? jvm_loaders.classes.items[low] : NULL;
    return found != NULL && found->serial == serial ? found : NULL;
}

jvm_class *jvm_find_loaded(const jvm_loader *loader, const jvm_sym *name)
{
    return ebb_map_get_u64(loader->classes, (uintptr_t)name);
}

bool jvm_make_missing_mirrors(jvm_thread *t)
{
    for (size_t i = 0; i < jvm_loaders.classes.n; i++)
        if (jvm_loaders.classes.items[i]->mirror == NULL && !jvm_make_mirror(t, jvm_loaders.classes.items[i]))
            return false;
    return true;
}

/* ---- the boot loader ---- */

static const jvm_sym *package_of(const jvm_sym *name)
{
    const char *slash = strrchr(name->text, '/');
    return jvm_sym_getn(name->text, slash ? (size_t)(slash - name->text) : 0);
}

/* Which module of the image the boot loader may take this package from: only java.base until the
 * modules are defined, then those defined to the boot loader. */
static const char *boot_module_of(const jvm_sym *package)
{
    if (jvm.modules_ready) {
        const jvm_module *m = ebb_map_get(jvm.boot->packages, package->text);
        return m != NULL ? m->name->text : NULL;
    }
    const char *name = jvm_jimage_module_of(image, package->text, package->nbytes);
    return name != NULL && (strcmp(name, "java.base") == 0 || !jvm.booted) ? name : NULL;
}

/* -Xbootclasspath/a: directories and jars. */
static jvm_class *find_appended(jvm_thread *t, const jvm_sym *name)
{
    uint8_t *bytes;
    size_t nbytes;
    if (!jvm_boot_path_find(name->text, &bytes, &nbytes) && !jvm_boot_own_find(name->text, &bytes, &nbytes))
        return NULL;
    jvm_define def = {.name = name, .loader = jvm.boot, .bytes = bytes, .nbytes = nbytes};
    jvm_class *cls = jvm_define_class(t, &def);
    free(bytes);
    return cls;
}

/* --patch-module: before those of the image. */
static jvm_class *find_patched(jvm_thread *t, const char *module, const jvm_sym *name)
{
    uint8_t *bytes;
    size_t nbytes;
    if (!jvm_boot_patch_find(module, name->text, &bytes, &nbytes))
        return NULL;
    jvm_define def = {.name = name, .loader = jvm.boot, .bytes = bytes, .nbytes = nbytes, .vm_annotations = true};
    jvm_class *cls = jvm_define_class(t, &def);
    free(bytes);
    return cls;
}

jvm_class *jvm_find_boot(jvm_thread *t, const jvm_sym *name)
{
    jvm_class *cls = jvm_find_loaded(jvm.boot, name);
    if (cls != NULL)
        return cls;
    if (name->text[0] == '[')
        return jvm_load_class(t, jvm.boot, name);
    const char *module = boot_module_of(package_of(name));
    cls = module == NULL ? NULL : find_patched(t, module, name);
    if (cls != NULL || jvm_pending(t))
        return cls;
    if (module != NULL) {
        char file[1024];
        const uint8_t *bytes;
        size_t nbytes;
        if ((size_t)snprintf(file, sizeof file, "%s.class", name->text) < sizeof file &&
            jvm_jimage_find(image, module, file, &bytes, &nbytes)) {
            jvm_define def = {.name = name, .loader = jvm.boot, .bytes = bytes, .nbytes = nbytes, .permanent = true,
                              .vm_annotations = true};
            return jvm_define_class(t, &def);
        }
    }
    return find_appended(t, name);
}

/* ---- loading through class loader objects ---- */

static jvm_class *check_loaded(jvm_thread *t, jvm_loader *loader, const jvm_sym *name, jvm_obj *mirror)
{
    if (mirror == NULL) {
        char *text = jvm_string_utf8(jvm_string_of_sym(t, name));
        for (char *p = text; *p; p++)
            *p = *p == '/' ? '.' : *p;
        jvm_throw(t, "java/lang/ClassNotFoundException", "%s", text);
        free(text);
        return NULL;
    }
    jvm_class *cls = jvm_mirror_class(mirror);
    if (cls->name != name) {
        jvm_throw(t, "java/lang/NoClassDefFoundError", "%s (wrong name: %s)", name->text, cls->name->text);
        return NULL;
    }
    jvm_class *already = jvm_find_loaded(loader, name);
    if (already != NULL)
        return already;
    if (!jvm_constraint_allows(t, loader, cls))
        return NULL;
    jvm_loader_record(loader, name, cls);
    return cls;
}

static void lock_loader(jvm_thread *t, const jvm_loader *loader)
{
    uint64_t before = jvm_undo_enter_context(t); /* callers may own memory that they free */
    jvm_monitor_enter(t, loader->object);
    jvm_undo_leave_context(t, before);
}

static jvm_class *ask_loader(jvm_thread *t, jvm_loader *loader, const jvm_sym *name)
{
    char *dotted = ebb_strdup(name->text);
    for (char *p = dotted; *p; p++)
        *p = *p == '/' ? '.' : *p;
    jvm_obj *string = jvm_string_new(t, dotted);
    free(dotted);
    if (string == NULL)
        return NULL;
    size_t mark = jvm_handles_mark(t);
    jvm_local(t, string);
    bool lock = jvm_get_ref(loader->object, jvm.fields.ClassLoader_parallelLockMap) == NULL;
    if (lock)
        lock_loader(t, loader);
    jvm_slot args[2] = {{.a = loader->object}, {.a = string}};
    jvm_obj *mirror = jvm_call_virtual(t, jvm.methods.ClassLoader_loadClass, args).a;
    if (lock)
        jvm_monitor_exit(t, loader->object);
    jvm_handles_release(t, mark);
    return jvm_pending(t) ? NULL : check_loaded(t, loader, name, mirror);
}

static jvm_class *load_raw(jvm_thread *t, jvm_loader *loader, const jvm_sym *name);

/* "[Lx;" and "[[I": by way of the element class. */
static jvm_class *load_array(jvm_thread *t, jvm_loader *loader, const jvm_sym *name)
{
    const char *element = name->text + 1;
    size_t nbytes = name->nbytes - 1;
    jvm_class *component;
    if (nbytes > 2 && element[0] == 'L' && element[nbytes - 1] == ';')
        component = load_raw(t, loader, jvm_sym_getn(element + 1, nbytes - 2));
    else if (nbytes > 1 && element[0] == '[')
        component = load_raw(t, loader, jvm_sym_getn(element, nbytes));
    else if (nbytes == 1 && strchr("ZBCSIJFD", element[0]) != NULL)
        component = jvm_prim_class(element[0]);
    else
        return check_loaded(t, loader, name, NULL);
    return component != NULL ? jvm_array_class(t, component) : NULL;
}

static jvm_class *load_raw(jvm_thread *t, jvm_loader *loader, const jvm_sym *name)
{
    jvm_class *cls = jvm_find_loaded(loader, name);
    if (cls != NULL)
        return cls;
    if (name->text[0] == '[')
        return load_array(t, loader, name);
    if (loader->object != NULL)
        return ask_loader(t, loader, name);
    cls = jvm_find_boot(t, name);
    if (cls == NULL && !jvm_pending(t))
        check_loaded(t, loader, name, NULL);
    return cls;
}

static bool pending_is(const jvm_thread *t, const char *class_name)
{
    return t->exception != NULL && jvm_sym_is(t->exception->cls->name, class_name);
}

jvm_class *jvm_load_class_cnfe(jvm_thread *t, jvm_loader *loader, const jvm_sym *name)
{
    return load_raw(t, loader, name);
}

jvm_class *jvm_load_class(jvm_thread *t, jvm_loader *loader, const jvm_sym *name)
{
    jvm_class *cls = load_raw(t, loader, name);
    if (cls == NULL && pending_is(t, "java/lang/ClassNotFoundException"))
        jvm_throw_wrapped(t, "java/lang/NoClassDefFoundError", name->text);
    return cls;
}

jvm_class *jvm_load_boot(jvm_thread *t, const char *name)
{
    return jvm_load_class(t, jvm.boot, jvm_sym_get(name));
}

jvm_class *jvm_load_descriptor(jvm_thread *t, jvm_loader *loader, const char *d, size_t nbytes)
{
    if (nbytes == 1 && strchr("ZBCSIJFDV", d[0]) != NULL)
        return jvm_prim_class(d[0]);
    if (nbytes > 2 && d[0] == 'L' && d[nbytes - 1] == ';')
        return jvm_load_class(t, loader, jvm_sym_getn(d + 1, nbytes - 2));
    if (nbytes > 1 && d[0] == '[')
        return jvm_load_class(t, loader, jvm_sym_getn(d, nbytes));
    jvm_throw(t, "java/lang/NoClassDefFoundError", "%.*s", (int)nbytes, d);
    return NULL;
}

/* ---- packages and nests ---- */

bool jvm_same_package(const jvm_class *a, const jvm_class *b)
{
    return a->loader == b->loader && a->package == b->package;
}

/* The host must list the member, and both must be in one package. */
static bool host_lists(const jvm_class *host, const jvm_class *member)
{
    for (uint16_t i = 0; i < host->nnest_members; i++) {
        uint16_t index = (uint16_t)(host->nest_members[2 * i] << 8 | host->nest_members[2 * i + 1]);
        if (jvm_cp_class_name(host, index) == member->name)
            return true;
    }
    return false;
}

jvm_class *jvm_nest_host(jvm_thread *t, jvm_class *cls)
{
    if (cls->nest_host != NULL)
        return cls->nest_host;
    jvm_undo_keep(&cls->nest_host, sizeof cls->nest_host); /* finding out may have run a class loader */
    if (cls->nest_host_index == 0)
        return cls->nest_host = cls;
    jvm_obj *saved = t->exception;
    size_t mark = jvm_handles_mark(t);
    jvm_local(t, saved);
    t->exception = NULL;
    jvm_class *host = jvm_load_class(t, cls->loader, jvm_cp_class_name(cls, cls->nest_host_index));
    t->exception = saved;
    jvm_handles_release(t, mark);
    bool valid = host != NULL && jvm_same_package(host, cls) && host_lists(host, cls);
    return cls->nest_host = valid ? host : cls;
}
