/* modules.c - commands about modules, which are objects of java.lang.Module. */
#include "front/jdwp/jdwp.h"

static java_ref module_of(jd *d, const java_class *cls)
{
    return jd_named_reference(d, cls->mirror, "module");
}

jdwp_error jd_do_module(jd *d, jdwp_in *in, ebb_buf *out)
{
    const java_class *cls;
    jdwp_error error = jd_class(d, jdwp_type(in), &cls);
    if (error == JDWP_FINE)
        jdwp_put(out, module_of(d, cls), 8);
    return error;
}

typedef EBB_VEC(java_ref) refs;

static bool is_among(const refs *known, java_ref ref)
{
    for (size_t i = 0; i < known->n; i++)
        if (known->items[i] == ref)
            return true;
    return false;
}

/* Those that a loaded class is in. */
jdwp_error jd_do_all_modules(jd *d, jdwp_in *in, ebb_buf *out)
{
    enum { MOST_CLASSES = 1000000 };
    (void)in;
    java_class_ids ids = {0};
    refs modules = {0};
    if (!jd_machine(d))
        return JDWP_VM_DEAD;
    jdwp_error error = jd_error(jvm_remote_classes_like(jd_machine(d), "", MOST_CLASSES, &ids, NULL));
    for (size_t i = 0; i < ids.n; i++) {
        const java_class *cls;
        java_ref module = jd_class(d, ids.items[i], &cls) == JDWP_FINE && !cls->is_primitive ? module_of(d, cls) : 0;
        if (module && !is_among(&modules, module))
            ebb_vec_push(&modules, module);
    }
    jdwp_put(out, modules.n, 4);
    for (size_t i = 0; i < modules.n; i++)
        jdwp_put(out, modules.items[i], 8);
    ebb_vec_fini(&modules);
    ebb_vec_fini(&ids);
    return error;
}

static bool is_module(jd *d, java_ref object)
{
    java_class_id cls;
    return object && jd_machine(d) && jvm_remote_class_of(jd_machine(d), object, &cls, NULL) == EBB_OK && cls == jd_class_named(d, "java.lang.Module");
}

jdwp_error jd_do_module_name(jd *d, jdwp_in *in, ebb_buf *out)
{
    java_ref module = jdwp_object(in);
    ebb_arena arena = {0};
    java_chars name = {.utf8 = ""}; /* that of code on the class path has none */
    if (!is_module(d, module))
        return JDWP_INVALID_OBJECT;
    java_ref string = jd_named_reference(d, module, "name");
    if (string && jvm_remote_string(jd_machine(d), &arena, string, 4096, &name, NULL) != EBB_OK)
        name.utf8 = "";
    jdwp_put_text(out, name.utf8);
    ebb_arena_fini(&arena);
    return JDWP_FINE;
}

jdwp_error jd_do_module_loader(jd *d, jdwp_in *in, ebb_buf *out)
{
    java_ref module = jdwp_object(in);
    if (!is_module(d, module))
        return JDWP_INVALID_OBJECT;
    jdwp_put(out, jd_named_reference(d, module, "loader"), 8);
    return JDWP_FINE;
}
