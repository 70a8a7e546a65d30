/* natives/flags.c - com.sun.management.internal.Flag: the -XX flags, as HotSpotDiagnosticMXBean shows and changes them.
 *
 * Programs ask for what they want to know of the machine (is a reference four bytes or eight?), so what is so here is told even
 * where HotSpot's flag has no meaning here. */
#include "jvm/border/jni_impl.h"
#include "jvm/engine/invoke.h"
#include "jvm/heap/heap.h"
#include "jvm/heap/jstring.h"
#include "jvm/natives/natives.h"
#include "jvm/undo/keep.h"

#include <string.h>

void jvm_flag_tell_what_is(jvm_flag *f)
{
    if (f->is_given)
        return;
    if (strcmp(f->name, "MaxHeapSize") == 0) {
        f->number = (int64_t)jvm_heap_get_stats().max;
        f->is_given = jvm.options.heap_max != 0; /* by -Xmx */
    } else if (strcmp(f->name, "ObjectAlignmentInBytes") == 0)
        f->number = JVM_OBJECT_ALIGN;
    else if (strcmp(f->name, "UseSerialGC") == 0)
        f->truth = true;
}

static jvm_obj *value_of(jvm_thread *t, const jvm_flag *f)
{
    switch (f->type) {
    case 'Z': return jvm_box(t, 'Z', jvm_int(f->truth));
    case 'D': return jvm_box(t, 'D', (jvm_slot){.d = f->real});
    case 'L': return jvm_string_new(t, f->text == NULL ? "" : f->text);
    default: return jvm_box(t, 'J', jvm_long(f->number));
    }
}

static jvm_obj *origin_of(jvm_thread *t, const jvm_flag *f)
{
    jvm_class *cls = jvm_load_boot(t, "com/sun/management/VMOption$Origin");
    if (cls == NULL || !jvm_ensure_init(t, cls))
        return NULL;
    const jvm_field *constant = jvm_class_own_field(cls, jvm_sym_get(f->is_given ? "VM_CREATION" : "DEFAULT"), NULL);
    return constant == NULL ? NULL : jvm_get_ref(cls->mirror, constant->offset);
}

#define FLAG_SIG "(Ljava/lang/String;Ljava/lang/Object;ZZLcom/sun/management/VMOption$Origin;)V"

static jobject new_flag(jvm_thread *t, jvm_class *cls, size_t i)
{
    jvm_flag f;
    jvm_flag_get(&jvm.options, i, &f);
    jvm_flag_tell_what_is(&f);
    jobject name = jvm_local(t, jvm_string_new(t, f.name)), value = jvm_local(t, value_of(t, &f)), origin = jvm_local(t, origin_of(t, &f));
    if (jvm_pending(t))
        return NULL;
    return jvm_local(t, jvm_new_instance(t, cls, FLAG_SIG, jvm_deref(name), jvm_deref(value), (int)f.is_manageable, 1, jvm_deref(origin)));
}

static bool flag_named(jvm_obj *name, size_t *i)
{
    char *text = name == NULL ? NULL : jvm_string_utf8(name);
    bool found = text != NULL && jvm_flag_find(text, i);
    free(text);
    return found;
}

/* getFlags(String[] names or null, Flag[] result, int count): how many there are, from the first element on. */
static jvm_slot get_flags(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    int32_t found = 0, count = args[2].i;
    for (int32_t k = 0; k < count && k < args[1].a->length && !jvm_pending(t); k++) {
        size_t i = (size_t)k, mark = jvm_handles_mark(t);
        if (args[0].a != NULL ? flag_named(jvm_elem_ref(args[0].a, k), &i) : i < jvm_flags_count()) {
            jobject flag = new_flag(t, m->cls, i);
            jvm_elem_put_ref(args[1].a, found++, jvm_deref(flag));
        }
        jvm_handles_release(t, mark);
    }
    return jvm_int(found);
}

static jvm_slot flag_count(jvm_thread *t, jvm_method *m, jvm_slot *args) { return jvm_int((int32_t)jvm_flags_count()); }

static jvm_slot all_names(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    size_t mark = jvm_handles_mark(t);
    jobject names = jvm_local(t, jvm_new_ref_array(t, jvm.classes.String, (int32_t)jvm_flags_count()));
    for (size_t i = 0; i < jvm_flags_count() && !jvm_pending(t); i++) {
        jvm_flag f;
        jvm_flag_get(&jvm.options, i, &f);
        jvm_obj *name = jvm_string_new(t, f.name);
        jvm_elem_put_ref(jvm_deref(names), (int32_t)i, name);
    }
    jvm_obj *result = jvm_deref(names);
    jvm_handles_release(t, mark);
    return jvm_ref(result);
}

/* The caller has seen that it is manageable and of that type. */
static jvm_slot put(jvm_slot *args, char type)
{
    size_t i;
    jvm_flag f;
    if (!flag_named(args[0].a, &i))
        return jvm_nothing();
    jvm_undo_cut("the setting of a flag");
    jvm_flag_get(&jvm.options, i, &f);
    char *text = type == 'L' && args[1].a != NULL ? jvm_string_utf8(args[1].a) : NULL;
    switch (type) {
    case 'Z': f.truth = args[1].i != 0; break;
    case 'D': f.real = args[1].d; break;
    case 'J': f.number = args[1].j; break;
    default: f.text = text; break;
    }
    jvm_flag_put(&jvm.options, &f);
    free(text);
    return jvm_nothing();
}

static jvm_slot put_truth(jvm_thread *t, jvm_method *m, jvm_slot *args) { return put(args, 'Z'); }
static jvm_slot put_number(jvm_thread *t, jvm_method *m, jvm_slot *args) { return put(args, 'J'); }
static jvm_slot put_real(jvm_thread *t, jvm_method *m, jvm_slot *args) { return put(args, 'D'); }
static jvm_slot put_text(jvm_thread *t, jvm_method *m, jvm_slot *args) { return put(args, 'L'); }

const jvm_inner_native jvm_natives_flags[] = {
#define FLAG(name, fn) { "com/sun/management/internal/Flag", name, NULL, fn, JVM_NATIVE_PURE },
    FLAG("initialize", jvm_native_nothing) FLAG("getAllFlagNames", all_names) FLAG("getInternalFlagCount", flag_count)
    FLAG("getFlags", get_flags) FLAG("setBooleanValue", put_truth) FLAG("setLongValue", put_number)
    FLAG("setDoubleValue", put_real) FLAG("setStringValue", put_text)
    { NULL },
};
