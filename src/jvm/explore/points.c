/* points.c - which bytecodes are switch points, by what they are about to touch. */
#include "jvm/explore/internal.h"

#include "base/text.h"
#include "jvm/classes/loader.h"
#include "jvm/classes/module.h"
#include "jvm/classes/resolve.h"
#include "jvm/engine/invoke.h"
#include "jvm/engine/mh.h"
#include "jvm/engine/ops.h"
#include "jvm/engine/prepare.h"
#include "jvm/jvm.h"

#include <string.h>

bool explore_inside;

/* ---- the program and the class library ---- */

static bool find_is_program(const jvm_class *cls)
{
    while (cls->component != NULL)
        cls = cls->component;
    if (cls->flags & JVM_CLASS_HIDDEN) /* of a lambda: nobody knows its name */
        return false;
    if (cls->module == NULL)
        return cls->loader != jvm.boot;
    const jvm_sym *name = cls->module->name;
    return name == NULL || !(ebb_text_starts(name->text, "java.") || ebb_text_starts(name->text, "jdk."));
}

bool explore_is_program(const jvm_class *cls)
{
    static struct {
        uint32_t serial;
        bool is_program;
    } cache[256];
    uint32_t i = cls->serial % 256;
    if (cache[i].serial != cls->serial) {
        cache[i].serial = cls->serial;
        cache[i].is_program = find_is_program(cls);
    }
    return cache[i].is_program;
}

static uint32_t kind_of(const jvm_sym *cls, const jvm_sym *member)
{
    uint64_t hash = 0;
    for (const char *c = cls->text; *c != '\0'; c++)
        hash = explore_hash(hash, (uint8_t)*c);
    for (const char *c = member == NULL ? "" : member->text; *c != '\0'; c++)
        hash = explore_hash(hash, (uint8_t)*c);
    return (uint32_t)hash | 1;
}

/* ---- fields and elements ---- */

static const jvm_field *field_at(const jvm_frame *f) { return f->method->cls->pool.resolved[f->pc->a].field; }

static void touch_field(const jvm_field *field, const void *at, bool writes, explore_touch *out)
{
    *out = (explore_touch){.place = (uintptr_t)at, .kind = kind_of(field->cls->name, field->name), .writes = writes};
}

/* What is final is seen as it is, but while its object is made, which nobody else should know yet. */
static bool touches_static(const jvm_frame *f, bool writes, explore_touch *out)
{
    const jvm_field *field = field_at(f);
    if (writes && (field->type == 'L' || field->type == '['))
        explore_let_escape(f->sp[-1].a);
    if (field->access & JVM_ACC_FINAL)
        return false;
    touch_field(field, f->pc->c.address, writes, out);
    return true;
}

static bool touches_field(const jvm_frame *f, bool writes, explore_touch *out)
{
    const jvm_field *field = field_at(f);
    int slots = writes ? jvm_type_slots(field->type) : 0;
    jvm_obj *o = f->sp[-1 - slots].a;
    if (o == NULL || !explore_has_escaped(o))
        return false;
    if (writes && (field->type == 'L' || field->type == '['))
        explore_let_escape(f->sp[-1].a);
    if ((field->access & JVM_ACC_FINAL) && !writes && !jvm_method_is_init(f->method))
        return false;
    touch_field(field, (char *)o + f->pc->b, writes, out);
    return true;
}

/* `value`: slots that it has on the stack; 0: it is read. */
static bool touches_element(const jvm_frame *f, int value, explore_touch *out)
{
    const jvm_obj *array = f->sp[-2 - value].a;
    if (array == NULL || !explore_has_escaped(array))
        return false;
    if (value > 0 && array->cls->kind == JVM_KIND_OBJECT_ARRAY)
        explore_let_escape(f->sp[-1].a);
    int64_t index = f->sp[-1 - value].i;
    *out = (explore_touch){.place = (uintptr_t)array + (uintptr_t)(index * 8) + JVM_ARRAY_BASE, .kind = kind_of(array->cls->name, NULL),
                           .writes = value > 0};
    return true;
}

static bool touches_lock(const jvm_obj *o, explore_touch *out)
{
    if (o == NULL || !explore_has_escaped(o))
        return false;
    *out = (explore_touch){.place = (uintptr_t)o, .kind = kind_of(o->cls->name, NULL), .writes = true};
    return true;
}

/* ---- classes ---- */

const jvm_sym *explore_used_class(const jvm_frame *f)
{
    const jvm_sym *cls = NULL, *name, *sig;
    switch (jvm_insn_op(f->pc)) {
    case JVM_X_getstatic: case JVM_X_putstatic: case JVM_X_invokestatic:
        jvm_cp_member(f->method->cls, f->pc->a, &cls, &name, &sig);
        return cls;
    case JVM_X_new: return jvm_cp_class_name(f->method->cls, f->pc->a);
    default: return NULL;
    }
}

static bool is_named_like_library(const jvm_sym *name)
{
    static const char *const starts[] = {"java/", "javax/", "jdk/", "sun/", "com/sun/"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (ebb_text_starts(name->text, starts[i]))
            return true;
    return false;
}

/* One that has not been loaded yet counts as one that has: which of them are is different in a copy that was made warm. */
static bool touches_class(const jvm_frame *f, const jvm_sym *name, explore_touch *out)
{
    if (name == f->method->cls->name || is_named_like_library(name))
        return false;
    const jvm_class *cls = jvm_find_loaded(f->method->cls->loader, name);
    if (cls != NULL && (cls->state == JVM_CLASS_INITIALIZED || (cls->state == JVM_CLASS_INITIALIZING && cls->initializer == jvm_self)))
        return false;
    *out = (explore_touch){.place = (uintptr_t)name, .kind = kind_of(name, NULL), .writes = true};
    return true;
}

/* ---- calls ---- */

static const jvm_method *callee(const jvm_frame *f, uint16_t op)
{
    const jvm_insn *pc = f->pc;
    if (op == JVM_X_invokefinalQ || op == JVM_X_invokestaticQ)
        return pc->c.method;
    const jvm_obj *receiver = f->sp[-(int)pc->a].a;
    if (receiver == NULL)
        return NULL;
    return op == JVM_X_invokevirtualQ ? receiver->cls->vtable[pc->b] : jvm_select_interface(receiver->cls, pc->c.cache->declared);
}

/* Classes of the library whose objects nobody can change, or that are about the caller alone. */
static bool is_of_no_concern(const jvm_class *cls)
{
    static const char *const names[] = {"java/lang/String", "java/lang/Integer", "java/lang/Long", "java/lang/Boolean", "java/lang/Double",
                                        "java/lang/Character", "java/lang/Class", "java/lang/Throwable", "java/util/Objects", "java/lang/Math"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(cls->name->text, names[i]) == 0)
            return true;
    return jvm_is_subclass(cls, jvm.classes.Throwable);
}

static bool is_concurrent(const jvm_class *cls)
{
    return ebb_text_starts(cls->name->text, "java/util/concurrent/") || cls == jvm.classes.Thread ||
           ebb_text_starts(cls->name->text, "java/lang/invoke/VarHandle");
}

static void let_arguments_escape(const jvm_sym *sig, const jvm_slot *args)
{
    jvm_sig_iter it = jvm_sig_start(sig);
    for (char type; (type = jvm_sig_next(&it, NULL, NULL)) != 0; args += jvm_type_slots(type))
        if (type == 'L' || type == '[')
            explore_let_escape(args->a);
}

static bool touches_library(const jvm_method *m, const jvm_slot *args, explore_touch *out)
{
    jvm_obj *receiver = jvm_method_is_static(m) ? NULL : args[0].a;
    bool concurrent = is_concurrent(m->cls);
    if (jvm_method_is_init(m) || is_of_no_concern(m->cls) || jvm_sym_is(m->name, "currentThread"))
        return false;
    if (receiver == NULL ? !concurrent : !explore_has_escaped(receiver))
        return receiver != NULL && m->cls == jvm.classes.Thread && jvm_sym_is(m->name, "start") && (explore_let_escape(receiver), true);
    let_arguments_escape(m->sig, args + (receiver != NULL));
    *out = (explore_touch){.place = receiver == NULL ? (uintptr_t)m : (uintptr_t)receiver, .kind = kind_of(m->cls->name, NULL), .writes = true};
    return true;
}

static bool touches_by_call(const jvm_frame *f, uint16_t op, explore_touch *out)
{
    const jvm_method *m = callee(f, op);
    if (m == NULL)
        return false;
    const jvm_slot *args = f->sp - m->nargs;
    if (!explore_is_program(m->cls))
        return touches_library(m, args, out);
    if (!(m->access & JVM_ACC_SYNCHRONIZED))
        return false;
    return touches_lock(jvm_method_is_static(m) ? m->cls->mirror : args[0].a, out);
}

static bool calls_virtually(const jvm_frame *f)
{
    const jvm_method *m = f->method;
    return m->bytes[m->code->bci[f->pc - m->code->insns]] == JVM_OP_invokevirtual;
}

/* Through a VarHandle: what is behind it counts as one thing. */
static bool touches_by_handle(const jvm_frame *f, explore_touch *out)
{
    const jvm_sym *cls, *name, *sig;
    const jvm_call_site *site = f->pc->c.site;
    if (!calls_virtually(f)) /* an invokedynamic */
        return false;
    jvm_cp_member(f->method->cls, f->pc->a, &cls, &name, &sig);
    const jvm_slot *args = f->sp - site->target->nargs + (site->appendix != NULL);
    if (!jvm_sym_is(cls, "java/lang/invoke/VarHandle") || args[0].a == NULL)
        return false;
    let_arguments_escape(sig, args + 1);
    *out = (explore_touch){.place = (uintptr_t)args[0].a, .kind = kind_of(cls, NULL), .writes = true};
    return true;
}

/* ---- tasks ---- */

static bool is_runner(const jvm_method *m)
{
    static const jvm_sym *names[3];
    if (names[0] == NULL) {
        names[0] = jvm_sym_get("runWorker");
        names[1] = jvm_sym_get("doExec");
        names[2] = jvm_sym_get("mainLoop");
    }
    return m->name == names[0] || m->name == names[1] || m->name == names[2];
}

/* Whether what is called from f, which is of the class library, is a task, or a step of one: nothing of the program is between it and the loop of a worker or a timer. */
static bool is_under_runner(const jvm_frame *f)
{
    for (; f != NULL && !explore_is_program(f->method->cls); f = jvm_caller_frame(f))
        if (is_runner(f->method))
            return true;
    return false;
}

static bool calls_tasks(const jvm_class *cls)
{
    return cls->flags & JVM_CLASS_HIDDEN || ebb_text_starts(cls->name->text, "java/util/concurrent/") || jvm_sym_is(cls->name, "java/util/TimerThread");
}

const jvm_method *explore_task_at(const jvm_frame *f)
{
    uint16_t op = f->kind == JVM_FRAME_JAVA ? jvm_xop_first(jvm_insn_op(f->pc)) : (uint16_t)JVM_NXOPS;
    bool is_call = op == JVM_X_invokevirtualQ || op == JVM_X_invokefinalQ || op == JVM_X_invokestaticQ || op == JVM_X_invokeinterfaceQ;
    if (!is_call || !calls_tasks(f->method->cls))
        return NULL;
    const jvm_method *m = callee(f, op);
    bool has_code = m != NULL && !(m->access & (JVM_ACC_NATIVE | JVM_ACC_ABSTRACT));
    return has_code && explore_is_program(m->cls) && is_under_runner(f) ? m : NULL;
}

static bool touches_task(const jvm_frame *f, explore_touch *out)
{
    static const char order; /* which of them goes first: that is one thing */
    const jvm_method *m = explore_task_at(f);
    if (m == NULL)
        return false;
    *out = (explore_touch){.place = (uintptr_t)&order, .kind = kind_of(m->cls->name, m->name), .writes = true};
    return true;
}

bool explore_may_be_point(const jvm_frame *f)
{
    switch (jvm_xop_first(jvm_insn_op(f->pc))) {
    case JVM_X_invokevirtual: case JVM_X_invokespecial: case JVM_X_invokestatic: case JVM_X_invokeinterface:
        return explore_is_program(f->method->cls);
    default:
        return true;
    }
}

/* ---- all of them ---- */

/* Whether f, of the class library, is executed because the machine loads, initialises or links something: whether it has to is different in a copy that was made warm. */
static bool is_for_machine(const jvm_frame *f)
{
    for (; f != NULL && f->prev != NULL; f = f->prev) {
        bool is_entered = f->kind == JVM_FRAME_JAVA && f->prev->kind == JVM_FRAME_ENTRY;
        if (f->kind == JVM_FRAME_ENTRY && f->prev->kind == JVM_FRAME_JAVA)
            return true;
        if (is_entered && (jvm_method_is_clinit(f->method) || jvm_sym_is(f->method->name, "loadClass")))
            return true;
    }
    return false;
}

bool explore_touches(const jvm_frame *f, explore_touch *out)
{
    uint16_t op = jvm_xop_first(jvm_insn_op(f->pc));
    *out = (explore_touch){0};
    bool is_program = explore_is_program(f->method->cls);
    if (!is_program && (touches_task(f, out) || !explore_inside || is_for_machine(f)))
        return out->writes;
    const jvm_sym *used = explore_used_class(f);
    if (used != NULL)
        return is_program && touches_class(f, used, out);
    switch (op) {
    case JVM_X_getstaticQb: case JVM_X_getstaticQc: case JVM_X_getstaticQs: case JVM_X_getstaticQ4: case JVM_X_getstaticQ8: case JVM_X_getstaticQa:
        return touches_static(f, false, out);
    case JVM_X_putstaticQz: case JVM_X_putstaticQb: case JVM_X_putstaticQs: case JVM_X_putstaticQ4: case JVM_X_putstaticQ8: case JVM_X_putstaticQa:
        return touches_static(f, true, out);
    case JVM_X_getfieldQb: case JVM_X_getfieldQc: case JVM_X_getfieldQs: case JVM_X_getfieldQ4: case JVM_X_getfieldQ8: case JVM_X_getfieldQa:
        return touches_field(f, false, out);
    case JVM_X_putfieldQz: case JVM_X_putfieldQb: case JVM_X_putfieldQs: case JVM_X_putfieldQ4: case JVM_X_putfieldQ8: case JVM_X_putfieldQa:
        return touches_field(f, true, out);
    case JVM_X_aload1b: case JVM_X_aload2c: case JVM_X_aload2s: case JVM_X_aload4: case JVM_X_aload8: case JVM_X_aloada:
        return touches_element(f, 0, out);
    case JVM_X_astore1: case JVM_X_astore2: case JVM_X_astore4: case JVM_X_astorea:
        return touches_element(f, 1, out);
    case JVM_X_astore8:
        return touches_element(f, 2, out);
    case JVM_X_monitorenter:
        return touches_lock(f->sp[-1].a, out);
    case JVM_X_invokevirtualQ: case JVM_X_invokefinalQ: case JVM_X_invokestaticQ: case JVM_X_invokeinterfaceQ:
        return touches_by_call(f, op, out);
    case JVM_X_invokesiteQ:
        return touches_by_handle(f, out);
    default:
        return false;
    }
}
