/* The halves of handlers that run once or go wrong. */
#include "jvm/engine/interp.h"

#include "base/buf.h"
#include "base/check.h"
#include "base/mem.h"
#include "jvm/agent/agent.h"
#include "jvm/engine/bare.h"
#include "jvm/heap/handles.h"
#include "jvm/heap/heap.h"
#include "jvm/engine/invoke.h"
#include "jvm/heap/jstring.h"
#include "jvm/classes/loader.h"
#include "jvm/classes/words.h"
#include "jvm/classes/module.h"
#include "jvm/border/native.h"
#include "jvm/classes/resolve.h"
#include "jvm/engine/throw.h"
#include "jvm/undo/undo.h"
#include "jvm/jvm.h"

#include <string.h>

/* ---- the undo log ----
 * What was resolved stays resolved when the log goes back, so what comes of it must not depend on whether it was: if resolving
 * ran Java code or made objects, the log is cut.  Nor can it be left in the middle. */

static uint64_t work_done(void) { return jvm_time() + jvm_heap_get_stats().allocated_total; } /* neither ever shrinks, but by going back */

static uint64_t resolving(jvm_thread *t)
{
    t->fragile = true;
    return work_done();
}

static void resolved(jvm_thread *t, uint64_t before)
{
    t->fragile = false;
    if (work_done() != before)
        jvm_undo_cut("the first linking of a reference");
}

/* ---- quickening ---- */

static bool quicken_ldc(jvm_thread *t, jvm_method *m, jvm_insn *in, jvm_slot *value)
{
    char type;
    uint8_t tag = m->cls->pool.tags[in->a];
    bool wide_wanted = jvm_insn_op(in) == JVM_X_ldc2; /* read before resolution: another thread may quicken it meanwhile */
    if (!jvm_resolve_constant(t, m->cls, in->a, value, &type))
        return false;
    bool wide = type == 'J' || type == 'D';
    if (wide != wide_wanted) {
        jvm_throw(t, "java/lang/VerifyError", "Illegal type in constant pool");
        return false;
    }
    bool may_be_undone = jvm_undo_on && (tag == JVM_CP_DYNAMIC || (type == 'L' && tag != JVM_CP_CLASS)); /* classes/resolve.c */
    if ((tag != JVM_CP_DYNAMIC || type != 'L') && !may_be_undone) {
        in->c.value = *value;
        jvm_insn_set_op(in, wide ? JVM_X_push2 : JVM_X_push1);
    }
    return true;
}

static uint16_t field_op(const jvm_field *f, bool is_static, bool is_put)
{
    static const uint16_t ops[2][2][6] = {
        {{JVM_X_getfieldQb, JVM_X_getfieldQc, JVM_X_getfieldQs, JVM_X_getfieldQ4, JVM_X_getfieldQ8, JVM_X_getfieldQa},
         {JVM_X_putfieldQb, JVM_X_putfieldQs, JVM_X_putfieldQs, JVM_X_putfieldQ4, JVM_X_putfieldQ8, JVM_X_putfieldQa}},
        {{JVM_X_getstaticQb, JVM_X_getstaticQc, JVM_X_getstaticQs, JVM_X_getstaticQ4, JVM_X_getstaticQ8, JVM_X_getstaticQa},
         {JVM_X_putstaticQb, JVM_X_putstaticQs, JVM_X_putstaticQs, JVM_X_putstaticQ4, JVM_X_putstaticQ8, JVM_X_putstaticQa}},
    };
    if (is_put && f->type == 'Z')
        return is_static ? JVM_X_putstaticQz : JVM_X_putfieldQz;
    int column;
    switch (f->type) {
    case 'Z': case 'B': column = 0; break;
    case 'C': column = 1; break;
    case 'S': column = 2; break;
    case 'I': case 'F': column = 3; break;
    case 'J': case 'D': column = 4; break;
    default: column = 5; break;
    }
    return ops[is_static][is_put][column];
}

/* A load in front of a quickened getfield fuses with it, unless it is the second half of something. */
static void fuse_with_load(const jvm_code *code, jvm_insn *in)
{
    if (in == code->insns || in[-1].op != JVM_X_load1)
        return;
    uint16_t super = in->op == JVM_X_getfieldQ4 ? JVM_X_load1_getfieldQ4 : in->op == JVM_X_getfieldQa ? JVM_X_load1_getfieldQa
        : in->op == JVM_X_getfieldQb ? JVM_X_load1_getfieldQb : 0;
    if (super != 0) {
        in[-1].b = in->b;
        in[-1].op = (uint8_t)super;
        in[-1].bare = jvm_fusion_is_bare(in - 1);
    }
}

static jvm_field *quicken_field(jvm_thread *t, jvm_method *m, jvm_insn *in, bool is_static, bool is_put)
{
    jvm_field *f = jvm_resolve_field(t, m->cls, in->a, is_static, is_put, m);
    if (f == NULL || f->watched)
        return f;
    if (is_static) {
        if (!jvm_ensure_init(t, f->cls))
            return NULL;
        if (f->cls->state != JVM_CLASS_INITIALIZED)
            return f;
        in->c.address = (char *)f->cls->mirror + f->offset;
    } else {
        in->b = (int32_t)f->offset;
    }
    jvm_insn_set_op(in, field_op(f, is_static, is_put));
    if (!is_static && !is_put)
        fuse_with_load(m->code, in);
    return f;
}

static bool is_final_call(const jvm_method *m)
{
    return m->vtable_index < 0 || (m->access & JVM_ACC_FINAL) || (m->cls->access & JVM_ACC_FINAL);
}

static void set_direct(jvm_insn *in, jvm_method *m)
{
    in->c.method = m;
    jvm_insn_set_op(in, JVM_X_invokefinalQ);
}

static bool quicken_virtual(jvm_thread *t, jvm_method *from, jvm_insn *in)
{
    uint16_t index = in->a; /* another thread may quicken the instruction while we resolve */
    jvm_method *m = jvm_resolve_method(t, from->cls, index, JVM_INVOKE_VIRTUAL);
    if (m == NULL)
        return false;
    if (m->flags & JVM_METHOD_SIG_POLY) {
        const jvm_sym *cls, *name, *sig;
        jvm_cp_member(from->cls, index, &cls, &name, &sig);
        enum jvm_intrinsic which = jvm_intrinsic_named(m->cls, name);
        if (which != JVM_INTRINSIC_NONE) {
            set_direct(in, jvm_intrinsic_method(which, sig));
            return true;
        }
        jvm_call_site *site = jvm_link_polymorphic(t, from->cls, m, sig);
        if (site == NULL)
            return false;
        in->c.site = site;
        jvm_insn_set_op(in, JVM_X_invokesiteQ);
        return true;
    }
    if (jvm_class_is_interface(m->cls) && !(m->access & JVM_ACC_PRIVATE)) {
        /* Found in a superinterface of an abstract class: it has a vtable entry there. */
        const jvm_class *named = jvm_resolve_class(t, from->cls, from->cls->pool.values[index].a);
        jvm_class *mutable_named = (jvm_class *)named;
        if (named == NULL || !jvm_link_class(t, mutable_named))
            return false;
        for (uint32_t i = 0; i < named->nvtable; i++)
            if (named->vtable[i]->name == m->name && named->vtable[i]->sig == m->sig) {
                in->a = m->nargs;
                in->b = (int32_t)i;
                jvm_insn_set_op(in, JVM_X_invokevirtualQ);
                return true;
            }
        jvm_throw_abstract(t, named, m);
        return false;
    }
    if (is_final_call(m)) {
        set_direct(in, m);
        return true;
    }
    in->a = m->nargs;
    in->b = m->vtable_index;
    jvm_insn_set_op(in, JVM_X_invokevirtualQ);
    return true;
}

/* invokespecial of a superclass method starts at the direct superclass, ACC_SUPER or not (JVMS 6.5). */
static jvm_method *special_target(const jvm_method *from, jvm_method *m)
{
    const jvm_class *here = from->cls;
    bool look_up = !jvm_method_is_init(m) && !(m->access & JVM_ACC_PRIVATE) && !jvm_class_is_interface(m->cls) &&
                   here != m->cls && jvm_is_subclass(here, m->cls);
    if (!look_up)
        return m;
    jvm_method *found = jvm_class_find_method(here->super, m->name, m->sig);
    return found ? found : m;
}

static bool quicken_special(jvm_thread *t, jvm_method *from, jvm_insn *in)
{
    jvm_method *m = jvm_resolve_method(t, from->cls, in->a, JVM_INVOKE_SPECIAL);
    if (m == NULL)
        return false;
    m = special_target(from, m);
    set_direct(in, m);
    return true;
}

static bool quicken_static(jvm_thread *t, jvm_method *from, jvm_insn *in, jvm_method **target)
{
    const jvm_sym *cls, *name, *sig;
    jvm_cp_member(from->cls, in->a, &cls, &name, &sig);
    jvm_method *m = jvm_resolve_method(t, from->cls, in->a, JVM_INVOKE_STATIC);
    if (m == NULL)
        return false;
    if (m->flags & JVM_METHOD_SIG_POLY) {
        enum jvm_intrinsic which = jvm_intrinsic_named(m->cls, name);
        in->c.method = jvm_intrinsic_method(which, sig);
        jvm_insn_set_op(in, JVM_X_invokestaticQ);
        return true;
    }
    if (!jvm_ensure_init(t, m->cls))
        return false;
    if (m->cls->state != JVM_CLASS_INITIALIZED) {
        *target = m;
        return true;
    }
    in->c.method = m;
    jvm_insn_set_op(in, JVM_X_invokestaticQ);
    return true;
}

static bool quicken_interface(jvm_thread *t, jvm_method *from, jvm_insn *in)
{
    jvm_method *m = jvm_resolve_method(t, from->cls, in->a, JVM_INVOKE_INTERFACE);
    if (m == NULL)
        return false;
    if (m->access & JVM_ACC_PRIVATE) {
        set_direct(in, m);
        return true;
    }
    if (m->vtable_index >= 0) { /* a method of Object */
        in->a = m->nargs;
        in->b = m->vtable_index;
        jvm_insn_set_op(in, JVM_X_invokevirtualQ);
        return true;
    }
    jvm_inline_cache *cache = EBB_ARENA_NEW(&from->cls->arena, jvm_inline_cache);
    cache->declared = m;
    cache->next = from->cls->caches;
    from->cls->caches = cache;
    in->a = m->nargs;
    in->c.cache = cache;
    jvm_insn_set_op(in, JVM_X_invokeinterfaceQ);
    return true;
}

static bool quicken_invoke(jvm_thread *t, jvm_method *m, jvm_insn *in, jvm_method **target)
{
    switch (jvm_insn_op(in)) {
    case JVM_X_invokevirtual: return quicken_virtual(t, m, in);
    case JVM_X_invokespecial: return quicken_special(t, m, in);
    case JVM_X_invokestatic: return quicken_static(t, m, in, target);
    default: return quicken_interface(t, m, in);
    }
}

static bool quicken_indy(jvm_thread *t, jvm_method *m, jvm_insn *in)
{
    t->exception = jvm_indy_error(m->cls, in);
    if (jvm_pending(t))
        return false;
    jvm_call_site *site = jvm_link_indy(t, m->cls, in->a);
    if (site == NULL) {
        if (jvm_instance_of(t->exception, jvm.classes.LinkageError) && jvm_indy_error(m->cls, in) == NULL)
            jvm_indy_remember_error(m->cls, in, t->exception);
        return false;
    }
    if (jvm_insn_op(in) == JVM_X_invokedynamic) { /* else another thread was first */
        in->c.site = site;
        jvm_insn_set_op(in, JVM_X_invokesiteQ);
    }
    return true;
}

static jvm_class *quicken_class(jvm_thread *t, jvm_method *m, jvm_insn *in, uint16_t quick)
{
    jvm_class *cls = jvm_resolve_class(t, m->cls, in->a);
    if (cls == NULL)
        return NULL;
    if (quick == JVM_X_newQ) {
        if ((cls->access & (JVM_ACC_ABSTRACT | JVM_ACC_INTERFACE)) || cls->kind != JVM_KIND_INSTANCE) {
            char *name = jvm_class_external_name(cls);
            jvm_throw(t, "java/lang/InstantiationError", "%s", name);
            free(name);
            return NULL;
        }
        if (!jvm_ensure_init(t, cls))
            return NULL;
        if (cls->state != JVM_CLASS_INITIALIZED)
            return cls;
    } else if (quick == JVM_X_anewarrayQ) {
        cls = jvm_array_class(t, cls);
        if (cls == NULL)
            return NULL;
    } else if (quick == JVM_X_multianewarray) {
        return cls;
    }
    bool in_display = cls->kind == JVM_KIND_INSTANCE && !jvm_class_is_interface(cls) && cls->depth < JVM_DISPLAY;
    in->b = in_display ? (int32_t)cls->depth : -1; /* where to look in the object's class (classes/class.h, CS4) */
    in->c.cls = cls;
    jvm_insn_set_op(in, quick);
    return cls;
}

bool jvm_quicken_ldc(jvm_thread *t, jvm_method *m, jvm_insn *in, jvm_slot *value)
{
    if (m->cls->pool.tags[in->a] == JVM_CP_STRING) /* which is undone too */
        return quicken_ldc(t, m, in, value);
    uint64_t before = resolving(t);
    bool result = quicken_ldc(t, m, in, value);
    resolved(t, before);
    return result;
}

jvm_field *jvm_quicken_field(jvm_thread *t, jvm_method *m, jvm_insn *in, bool is_static, bool is_put)
{
    uint64_t before = resolving(t), began = jvm_time();
    jvm_field *result = quicken_field(t, m, in, is_static, is_put);
    resolved(t, before);
    if (jvm_agent_on && jvm_time() != began)
        jvm_agent_took_time(t, t->frame);
    return result;
}

bool jvm_quicken_invoke(jvm_thread *t, jvm_method *m, jvm_insn *in, jvm_method **target)
{
    uint64_t before = resolving(t);
    bool result = quicken_invoke(t, m, in, target);
    resolved(t, before);
    return result;
}

bool jvm_quicken_indy(jvm_thread *t, jvm_method *m, jvm_insn *in)
{
    uint64_t before = resolving(t);
    bool result = quicken_indy(t, m, in);
    resolved(t, before);
    return result;
}

jvm_class *jvm_quicken_class(jvm_thread *t, jvm_method *m, jvm_insn *in, uint16_t quick)
{
    uint64_t before = resolving(t);
    jvm_class *result = quicken_class(t, m, in, quick);
    resolved(t, before);
    return result;
}

/* ---- first call ---- */

static bool method_ready(jvm_thread *t, jvm_method *m)
{
    if (m->flags & JVM_METHOD_INTRINSIC) {
        m->entry = JVM_ENTRY_INTRINSIC;
    } else if (m->access & JVM_ACC_ABSTRACT) {
        m->entry = JVM_ENTRY_ABSTRACT;
    } else if ((m->access & JVM_ACC_NATIVE) || jvm_native_replaces(m)) {
        if (!jvm_native_bind(t, m))
            return false;
        m->entry = JVM_ENTRY_NATIVE;
    } else {
        return jvm_prepare(t, m);
    }
    return true;
}

bool jvm_method_ready(jvm_thread *t, jvm_method *m)
{
    if (m->entry != JVM_ENTRY_UNPREPARED)
        return true;
    uint64_t before = resolving(t);
    bool result = method_ready(t, m);
    resolved(t, before);
    return result;
}

/* ---- exceptions ---- */

/* The class of a catch clause; a failure to load it replaces the exception. */
static jvm_class *catch_class(jvm_thread *t, jvm_method *m, uint16_t index)
{
    jvm_obj *thrown = jvm_exception_take(t);
    size_t mark = jvm_handles_mark(t);
    jvm_local(t, thrown);
    uint64_t before = resolving(t);
    jvm_class *cls = jvm_resolve_class(t, m->cls, index);
    resolved(t, before);
    jvm_handles_release(t, mark);
    if (cls != NULL)
        t->exception = thrown;
    return cls;
}

const jvm_insn *jvm_find_handler(jvm_thread *t, jvm_frame *f)
{
    jvm_method *m = f->method;
    const jvm_code *code = m->code;
    uint32_t at = (uint32_t)(f->pc - code->insns);
    for (uint16_t i = 0; i < code->nhandlers; i++) {
        const jvm_code_handler *h = &code->handlers[i];
        if (at < h->start || at >= h->end)
            continue;
        if (h->type == 0)
            return &code->insns[h->target];
        f->sp = jvm_frame_stack(f);
        jvm_class *cls = catch_class(t, m, h->type);
        if (cls == NULL)
            return NULL;
        if (jvm_instance_of(t->exception, cls))
            return &code->insns[h->target];
    }
    return NULL;
}

void jvm_throw_npe(jvm_thread *t)
{
    jvm_throw(t, JVM_NPE, NULL);
}

void jvm_throw_index(jvm_thread *t, int32_t index, int32_t length)
{
    jvm_throw(t, "java/lang/ArrayIndexOutOfBoundsException", "Index %d out of bounds for length %d", index, length);
}

void jvm_throw_cast(jvm_thread *t, const jvm_obj *o, const jvm_class *to)
{
    char *a = jvm_class_external_name(o->cls), *b = jvm_class_external_name(to), *places = jvm_places_text(o->cls, to);
    jvm_throw(t, "java/lang/ClassCastException", "class %s cannot be cast to class %s (%s)", a, b, places);
    free(a);
    free(b);
    free(places);
}

void jvm_throw_store(jvm_thread *t, const jvm_obj *o)
{
    char *name = jvm_class_external_name(o->cls);
    jvm_throw(t, "java/lang/ArrayStoreException", "%s", name);
    free(name);
}

void jvm_throw_abstract(jvm_thread *t, const jvm_class *receiver, const jvm_method *m)
{
    if (m->flags & JVM_METHOD_OVERPASS) {
        jvm_throw(t, "java/lang/IncompatibleClassChangeError", "Conflicting default methods: %s.%s", m->cls->name->text,
                  m->name->text);
        return;
    }
    char *cls = jvm_class_external_name(receiver), *text = jvm_method_text(m);
    jvm_throw(t, "java/lang/AbstractMethodError", "Receiver class %s does not define or inherit an implementation of the resolved method '%s'",
              cls, text);
    free(cls);
    free(text);
}

void jvm_throw_no_interface(jvm_thread *t, const jvm_class *receiver, const jvm_method *m)
{
    if (jvm_is_subclass(receiver, m->cls)) {
        const jvm_method *found = jvm_select_interface(receiver, m);
        if (found == NULL) {
            jvm_throw_abstract(t, receiver, m);
            return;
        }
        char *cls = jvm_class_external_name(receiver), *text = jvm_method_text(found);
        jvm_throw(t, "java/lang/IllegalAccessError", "class %s tried to access method '%s'", cls, text);
        free(cls);
        free(text);
        return;
    }
    char *a = jvm_class_external_name(receiver), *b = jvm_class_external_name(m->cls);
    jvm_throw(t, "java/lang/IncompatibleClassChangeError", "Class %s does not implement the requested interface %s", a, b);
    free(a);
    free(b);
}

/* ---- arrays of arrays ---- */

enum { MAX_ARRAY_LENGTH = INT32_MAX - 2 }; /* HotSpot's limit */

bool jvm_array_reserve(jvm_thread *t, const jvm_class *array_class, int32_t length)
{
    if (length < 0) {
        jvm_throw(t, "java/lang/NegativeArraySizeException", "%d", length);
        return false;
    }
    if (length > MAX_ARRAY_LENGTH) {
        jvm_throw_oom(t, "Requested array size exceeds VM limit");
        return false;
    }
    return jvm_gc_reserve(t, JVM_ARRAY_BASE + (uint64_t)length * java_type_size(array_class->element_type));
}

static jvm_obj *new_level(jvm_thread *t, jvm_class *cls, int dims, const jvm_slot *lengths)
{
    jvm_obj *array = jvm_new_array(t, cls, lengths[0].i);
    if (array == NULL || dims == 1)
        return array;
    for (int32_t i = 0; i < array->length; i++) {
        jvm_obj *inner = new_level(t, cls->component, dims - 1, lengths + 1);
        if (inner == NULL)
            return NULL;
        jvm_elem_put_ref(array, i, inner);
    }
    return array;
}

jvm_obj *jvm_new_multi(jvm_thread *t, jvm_class *cls, int dims, const jvm_slot *lengths)
{
    uint64_t nbytes = 0, arrays = 1;
    const jvm_class *level = cls;
    for (int i = 0; i < dims; i++) {
        if (lengths[i].i < 0) {
            jvm_throw(t, "java/lang/NegativeArraySizeException", "%d", lengths[i].i);
            return NULL;
        }
        if (lengths[i].i > MAX_ARRAY_LENGTH) {
            jvm_throw_oom(t, "Requested array size exceeds VM limit");
            return NULL;
        }
    }
    for (int i = 0; i < dims && level != NULL; i++, level = level->component) {
        uint64_t one = JVM_ARRAY_BASE + (uint64_t)lengths[i].i * java_type_size(level->element_type);
        nbytes = arrays > UINT64_MAX / 4 / one ? UINT64_MAX / 4 : nbytes + arrays * one;
        arrays = nbytes >= UINT64_MAX / 4 ? arrays : arrays * (uint64_t)lengths[i].i;
        if (arrays > (uint64_t)1 << 40)
            nbytes = UINT64_MAX / 4;
        if (nbytes >= UINT64_MAX / 4 || arrays == 0)
            break;
    }
    return jvm_gc_reserve(t, nbytes) ? new_level(t, cls, dims, lengths) : NULL;
}

/* ---- linker intrinsics of method handles ---- */

static jvm_method *basic_target(jvm_thread *t, const jvm_obj *mh)
{
    if (mh == NULL) {
        jvm_throw_npe(t);
        return NULL;
    }
    const jvm_obj *form = jvm_get_ref(mh, jvm.fields.MethodHandle_form);
    const jvm_obj *entry = jvm_get_ref(form, jvm.fields.LambdaForm_vmentry);
    return jvm_member_method(entry);
}

static jvm_method *link_target(jvm_thread *t, enum jvm_intrinsic which, const jvm_obj *member, const jvm_obj *receiver)
{
    if (member == NULL || (which != JVM_INTRINSIC_LINK_TO_STATIC && receiver == NULL)) {
        jvm_throw_npe(t);
        return NULL;
    }
    jvm_method *m = jvm_member_method(member);
    int64_t index = jvm_get_i64(member, jvm.fields.MemberName_vmindex);
    switch (which) {
    case JVM_INTRINSIC_LINK_TO_VIRTUAL:
        if (index >= 0 && (uint64_t)index < receiver->cls->nvtable)
            m = receiver->cls->vtable[index];
        break;
    case JVM_INTRINSIC_LINK_TO_INTERFACE: {
        jvm_method *found = jvm_select_interface(receiver->cls, m);
        if (found == NULL || !(found->access & (JVM_ACC_PUBLIC | JVM_ACC_PRIVATE))) {
            jvm_throw_no_interface(t, receiver->cls, m);
            return NULL;
        }
        m = found;
        break;
    }
    case JVM_INTRINSIC_LINK_TO_NATIVE:
        jvm_throw(t, "java/lang/UnsupportedOperationException", "the foreign linker is not supported");
        return NULL;
    default:
        break;
    }
    return m;
}

bool jvm_intrinsic_target(jvm_thread *t, jvm_method **m, jvm_slot *args, int *dropped)
{
    enum jvm_intrinsic which = (*m)->intrinsic;
    jvm_method *target;
    if (which == JVM_INTRINSIC_INVOKE_BASIC) {
        target = basic_target(t, args[0].a);
    } else {
        *dropped = 1;
        target = link_target(t, which, args[(*m)->nargs - 1].a, args[0].a);
    }
    if (target == NULL) {
        if (!jvm_pending(t))
            jvm_throw(t, JVM_INTERNAL_ERROR, "unresolved member name");
        return false;
    }
    if (jvm_method_is_static(target) && target->cls->state < JVM_CLASS_INITIALIZED && !jvm_ensure_init(t, target->cls))
        return false;
    *m = target;
    return true;
}
