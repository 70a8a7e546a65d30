/* Instructions that name a constant, a field or a method. */
#include "jvm/verify/stack.h"

#include "jvm/engine/invoke.h"
#include "jvm/classes/loader.h"
#include "jvm/jvm.h"

#include <string.h>

/* ---- constant pool operands ---- */

bool jvm_verify_check_tag(jvm_verifier *v, uint16_t index, unsigned tags)
{
    const jvm_pool *pool = &v->cls->pool;
    if (index > 0 && index < pool->n && (tags >> pool->tags[index] & 1))
        return true;
    jvm_verify_fail(v, "Illegal constant pool index %u", index);
    return false;
}

const jvm_sym *jvm_verify_class_operand(jvm_verifier *v)
{
    uint16_t index = jvm_u2(jvm_verify_insn(v) + 1);
    return jvm_verify_check_tag(v, index, 1u << JVM_CP_CLASS) ? jvm_cp_class_name(v->cls, index) : NULL;
}

void jvm_verify_load_constant(jvm_verifier *v, uint16_t index, bool wide)
{
    if (!jvm_verify_check_tag(v, index, wide ? JVM_WIDE_CONSTANTS : JVM_NARROW_CONSTANTS))
        return;
    uint8_t tag = v->cls->pool.tags[index];
    uint16_t since = tag == JVM_CP_CLASS ? 49 : tag == JVM_CP_METHOD_HANDLE || tag == JVM_CP_METHOD_TYPE ? 51 : tag == JVM_CP_DYNAMIC ? 55 : 0;
    if (v->cls->major < since)
        jvm_verify_fail(v, "Illegal type in constant pool");
    const jvm_sym *name, *sig;
    jvm_vtype t;
    switch (tag) {
    case JVM_CP_INTEGER: t = JVM_VTYPE_INT; break;
    case JVM_CP_FLOAT: t = jvm_verify_letter_type('f'); break;
    case JVM_CP_LONG: t = jvm_verify_letter_type('j'); break;
    case JVM_CP_DOUBLE: t = jvm_verify_letter_type('d'); break;
    case JVM_CP_STRING: t = jvm_vtype_object("java/lang/String"); break;
    case JVM_CP_CLASS: t = jvm_vtype_object("java/lang/Class"); break;
    case JVM_CP_METHOD_HANDLE: t = jvm_vtype_object("java/lang/invoke/MethodHandle"); break;
    case JVM_CP_METHOD_TYPE: t = jvm_vtype_object("java/lang/invoke/MethodType"); break;
    default:
        jvm_cp_name_type(v->cls, v->cls->pool.values[index].b, &name, &sig);
        t = jvm_vtype_of(sig->text, sig->nbytes);
        if (jvm_vtype_is_wide(t) != wide)
            jvm_verify_fail(v, "Illegal type in constant pool");
    }
    jvm_verify_push(v, t);
}

/* A protected member of a superclass in another package may only be used on objects of our own kind. */
static bool needs_own_kind(jvm_verifier *v, const jvm_sym *named, const jvm_sym *name, const jvm_sym *sig)
{
    const jvm_class *super = v->cls->super;
    while (super != NULL && super->name != named)
        super = super->super;
    if (super == NULL)
        return false;
    uint16_t access;
    const jvm_class *holder;
    if (sig->text[0] == '(') {
        const jvm_method *m = jvm_class_find_method(super, name, sig);
        if (m == NULL)
            return false;
        access = m->access;
        holder = m->cls;
    } else {
        const jvm_field *f = jvm_class_find_field(super, name, sig);
        if (f == NULL)
            return false;
        access = f->access;
        holder = f->cls;
    }
    return (access & JVM_ACC_PROTECTED) && !(access & JVM_ACC_STATIC) && !jvm_same_package(holder, v->cls);
}

static jvm_vtype own_type(const jvm_verifier *v)
{
    return (jvm_vtype){JVM_V_OBJECT, 0, v->cls->name};
}

static void check_protected(jvm_verifier *v, jvm_vtype object, const jvm_sym *named, const jvm_sym *name, const jvm_sym *sig)
{
    if (v->failed || !needs_own_kind(v, named, name, sig))
        return;
    bool array_clone = object.tag == JVM_V_OBJECT && object.name->text[0] == '[' && jvm_sym_is(name, "clone");
    if (!array_clone && !jvm_vtype_assignable(v, object, own_type(v)))
        jvm_verify_fail(v, "Bad access to protected data");
}

void jvm_verify_field_access(jvm_verifier *v, uint8_t op)
{
    const jvm_sym *named, *name, *sig;
    uint16_t index = jvm_u2(jvm_verify_insn(v) + 1);
    if (!jvm_verify_check_tag(v, index, 1u << JVM_CP_FIELD))
        return;
    jvm_cp_member(v->cls, index, &named, &name, &sig);
    jvm_vtype type = jvm_vtype_of(sig->text, sig->nbytes);
    bool put = op == JVM_OP_putfield || op == JVM_OP_putstatic;
    if (put)
        jvm_verify_pop(v, type);
    if (op == JVM_OP_getfield || op == JVM_OP_putfield) {
        jvm_vtype object = jvm_verify_pop_slot(v);
        bool early = put && object.tag == JVM_V_UNINIT_THIS && named == v->cls->name &&
                     jvm_class_own_field(v->cls, name, sig) != NULL;
        if (!v->failed && !early && !jvm_vtype_assignable(v, object, jvm_vtype_named(named)))
            jvm_verify_fail(v, "Bad type on operand stack");
        if (!early)
            check_protected(v, object, named, name, sig);
    }
    if (!put)
        jvm_verify_push(v, type);
}

/* ---- calls ---- */

static void initialise(jvm_verifier *v, jvm_vtype old, const jvm_sym *cls)
{
    jvm_vtype made = jvm_vtype_named(cls);
    uint32_t end = (uint32_t)v->m->max_locals + v->now->depth;
    for (uint32_t i = 0; i < end; i++)
        if (jvm_vtype_same(v->now->slots[i], old))
            v->now->slots[i] = made;
    if (old.tag == JVM_V_UNINIT_THIS)
        v->now->this_uninit = false;
}

static void call_init(jvm_verifier *v, const jvm_sym *named, const jvm_sym *name, const jvm_sym *sig)
{
    jvm_vtype object = jvm_verify_pop_slot(v);
    if (v->failed)
        return;
    if (object.tag == JVM_V_UNINIT_THIS) {
        if (named != v->cls->name && (v->cls->super == NULL || named != v->cls->super->name))
            jvm_verify_fail(v, "Bad <init> method call");
        else
            initialise(v, object, v->cls->name);
        return;
    }
    if (object.tag != JVM_V_UNINIT) {
        jvm_verify_fail(v, "Bad operand type when invoking <init>");
        return;
    }
    uint16_t index = jvm_u2(v->m->bytes + object.bci + 1);
    if (jvm_cp_class_name(v->cls, index) != named) {
        jvm_verify_fail(v, "Call to wrong <init> method");
        return;
    }
    check_protected(v, own_type(v), named, name, sig);
    if (needs_own_kind(v, named, name, sig))
        jvm_verify_fail(v, "Bad access to protected <init> method");
    initialise(v, object, named);
}

static bool is_direct_interface(const jvm_class *cls, const jvm_sym *name)
{
    for (uint16_t i = 0; i < cls->ninterfaces; i++)
        if (cls->interfaces[i]->name == name)
            return true;
    return false;
}

static void call_special(jvm_verifier *v, const jvm_sym *named, bool by_interface)
{
    const jvm_class *super = v->cls->super;
    bool direct = named == v->cls->name || (super != NULL && named == super->name) || is_direct_interface(v->cls, named);
    if (!direct && !jvm_vtype_assignable(v, own_type(v), jvm_vtype_named(named)))
        jvm_verify_fail(v, "Bad invokespecial instruction: current class isn't assignable to reference class.");
    else if (!direct && by_interface)
        jvm_verify_fail(v, "Bad invokespecial instruction: interface method reference is in an indirect superinterface.");
    jvm_verify_pop(v, own_type(v));
}

static int signature_slots(const jvm_sym *sig)
{
    int n = 0;
    jvm_sig_iter it = jvm_sig_start(sig);
    for (char type; (type = jvm_sig_next(&it, NULL, NULL)) != 0;)
        n += jvm_type_slots(type);
    return n;
}

static void pop_arguments(jvm_verifier *v, const jvm_sym *sig)
{
    const char *types[256];
    size_t nbytes[256];
    int n = 0;
    jvm_sig_iter it = jvm_sig_start(sig);
    while (n < 256 && jvm_sig_next(&it, &types[n], &nbytes[n]) != 0)
        n++;
    while (n-- > 0)
        jvm_verify_pop(v, jvm_vtype_of(types[n], nbytes[n]));
}

static void push_result(jvm_verifier *v, const jvm_sym *sig)
{
    const char *ret = jvm_sig_return(sig);
    if (*ret != 'V')
        jvm_verify_push(v, jvm_vtype_of(ret, strlen(ret)));
}

void jvm_verify_invoke_dynamic(jvm_verifier *v)
{
    const jvm_sym *name, *sig;
    const uint8_t *insn = jvm_verify_insn(v);
    uint16_t index = jvm_u2(insn + 1);
    if (!jvm_verify_check_tag(v, index, 1u << JVM_CP_INDY))
        return;
    if (insn[3] != 0 || insn[4] != 0)
        jvm_verify_fail(v, "Third and fourth operand bytes of invokedynamic must be zero");
    jvm_cp_name_type(v->cls, v->cls->pool.values[index].b, &name, &sig);
    if (name->text[0] == '<')
        jvm_verify_fail(v, "Illegal call to internal method");
    pop_arguments(v, sig);
    push_result(v, sig);
}

void jvm_verify_invoke(jvm_verifier *v, uint8_t op)
{
    const jvm_sym *named, *name, *sig;
    const uint8_t *insn = jvm_verify_insn(v);
    uint16_t index = jvm_u2(insn + 1);
    bool either = op == JVM_OP_invokespecial || op == JVM_OP_invokestatic;
    unsigned method = 1u << JVM_CP_METHOD, imethod = 1u << JVM_CP_IMETHOD;
    unsigned tags = op == JVM_OP_invokeinterface ? imethod : either && v->cls->major >= 52 ? method | imethod : method;
    if (!jvm_verify_check_tag(v, index, tags))
        return;
    jvm_cp_member(v->cls, index, &named, &name, &sig);
    bool is_init = jvm_sym_is(name, "<init>");
    if (name->text[0] == '<' && !(is_init && op == JVM_OP_invokespecial)) {
        jvm_verify_fail(v, "Illegal call to internal method");
        return;
    }
    if (op == JVM_OP_invokeinterface && (insn[3] != signature_slots(sig) + 1 || insn[4] != 0)) {
        jvm_verify_fail(v, "Inconsistent args count operand in invokeinterface");
        return;
    }
    pop_arguments(v, sig);
    if (is_init) {
        call_init(v, named, name, sig);
    } else if (op == JVM_OP_invokespecial) {
        call_special(v, named, v->cls->pool.tags[index] == JVM_CP_IMETHOD);
    } else if (op != JVM_OP_invokestatic) {
        jvm_vtype object = jvm_verify_pop(v, jvm_vtype_named(named));
        if (op == JVM_OP_invokevirtual)
            check_protected(v, object, named, name, sig);
    }
    push_result(v, sig);
}
