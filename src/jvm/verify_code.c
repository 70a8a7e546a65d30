/* What each instruction demands of the frame and does to it.  Simple ones follow the pops and pushes of
 * ops.def; the rest has functions below. */
#include "jvm/verify_frame.h"

#include "jvm/invoke.h"
#include "jvm/loader.h"
#include "jvm/ops.h"
#include "jvm/vm.h"

#include <string.h>

static const jvm_vtype INT = {JVM_V_INT, 0, NULL}, TOP = {JVM_V_TOP, 0, NULL}, NULL_TYPE = {JVM_V_NULL, 0, NULL};

static const uint8_t *insn_at(const jvm_verifier *v) { return v->m->bytes + v->bci; }
static bool is_wide(jvm_vtype t) { return t.tag == JVM_V_LONG || t.tag == JVM_V_DOUBLE; }
static bool is_reference(jvm_vtype t) { return t.tag == JVM_V_NULL || t.tag == JVM_V_OBJECT; }
static bool is_second_half(jvm_vtype t) { return t.tag == JVM_V_LONG2 || t.tag == JVM_V_DOUBLE2; }

/* ---- the stack ---- */

static void push_slot(jvm_verifier *v, jvm_vtype t)
{
    if (v->now->depth >= v->m->max_stack)
        jvm_verify_fail(v, "Operand stack overflow");
    else
        jvm_vstack(v, v->now)[v->now->depth++] = t;
}

static void push(jvm_verifier *v, jvm_vtype t)
{
    push_slot(v, t);
    if (is_wide(t))
        push_slot(v, (jvm_vtype){t.tag + 1, 0, NULL});
}

static jvm_vtype pop_slot(jvm_verifier *v)
{
    if (v->now->depth == 0) {
        jvm_verify_fail(v, "Operand stack underflow");
        return TOP;
    }
    return jvm_vstack(v, v->now)[--v->now->depth];
}

static jvm_vtype pop(jvm_verifier *v, jvm_vtype want)
{
    if (is_wide(want) && pop_slot(v).tag != want.tag + 1)
        jvm_verify_fail(v, "Bad type on operand stack");
    jvm_vtype got = pop_slot(v);
    if (!v->failed && !jvm_vtype_assignable(v, got, want))
        jvm_verify_fail(v, "Bad type on operand stack");
    return got;
}

/* Any reference, an uninitialised one too if asked. */
static jvm_vtype pop_reference(jvm_verifier *v, bool uninit_too)
{
    jvm_vtype t = pop_slot(v);
    bool ok = is_reference(t) || (uninit_too && (t.tag == JVM_V_UNINIT || t.tag == JVM_V_UNINIT_THIS));
    if (!v->failed && !ok)
        jvm_verify_fail(v, "Bad type on operand stack");
    return t;
}

static jvm_vtype letter_type(char letter)
{
    switch (letter) {
    case 'j': return (jvm_vtype){JVM_V_LONG, 0, NULL};
    case 'f': return (jvm_vtype){JVM_V_FLOAT, 0, NULL};
    case 'd': return (jvm_vtype){JVM_V_DOUBLE, 0, NULL};
    default: return INT;
    }
}

/* ---- locals ---- */

static bool check_local(jvm_verifier *v, uint32_t local, bool wide)
{
    if (local + wide < v->m->max_locals)
        return true;
    jvm_verify_fail(v, "Local variable table overflow");
    return false;
}

static void load_local(jvm_verifier *v, uint16_t local, char letter)
{
    jvm_vtype want = letter_type(letter);
    if (!check_local(v, local, is_wide(want)))
        return;
    jvm_vtype t = v->now->slots[local];
    if (letter == 'a') {
        bool ok = is_reference(t) || t.tag == JVM_V_UNINIT || t.tag == JVM_V_UNINIT_THIS;
        if (!ok)
            jvm_verify_fail(v, "Bad local variable type");
        push(v, t);
        return;
    }
    if (t.tag != want.tag || (is_wide(want) && v->now->slots[local + 1].tag != want.tag + 1))
        jvm_verify_fail(v, "Bad local variable type");
    push(v, want);
}

static void set_local(jvm_verifier *v, uint16_t local, jvm_vtype t)
{
    jvm_vtype *slots = v->now->slots;
    if (!check_local(v, local, is_wide(t)))
        return;
    if (is_second_half(slots[local]) && local > 0)
        slots[local - 1] = TOP;
    uint32_t last = local + (is_wide(t) ? 1u : 0u);
    if (is_wide(slots[last]) && last + 1 < v->m->max_locals)
        slots[last + 1] = TOP;
    slots[local] = t;
    if (is_wide(t))
        slots[local + 1] = (jvm_vtype){t.tag + 1, 0, NULL};
}

static void store_local(jvm_verifier *v, uint16_t local, char letter)
{
    jvm_vtype t;
    if (letter == 'a') {
        t = pop_slot(v);
        bool ok = is_reference(t) || t.tag == JVM_V_UNINIT || t.tag == JVM_V_UNINIT_THIS || t.tag == JVM_V_RETURN;
        if (!v->failed && !ok)
            jvm_verify_fail(v, "Bad type on operand stack");
    } else {
        t = pop(v, letter_type(letter));
    }
    if (!v->failed)
        set_local(v, local, t);
}

/* ---- constant pool operands ---- */

static bool check_tag(jvm_verifier *v, uint16_t index, unsigned tags)
{
    const jvm_pool *pool = &v->cls->pool;
    if (index > 0 && index < pool->n && (tags >> pool->tags[index] & 1))
        return true;
    jvm_verify_fail(v, "Illegal constant pool index %u", index);
    return false;
}

static const jvm_sym *class_operand(jvm_verifier *v)
{
    uint16_t index = jvm_u2(insn_at(v) + 1);
    return check_tag(v, index, 1u << JVM_CP_CLASS) ? jvm_cp_class_name(v->cls, index) : NULL;
}

enum { /* sets of tags: what ldc and ldc2_w load */
    NARROW_CONSTANTS = 1 << JVM_CP_INTEGER | 1 << JVM_CP_FLOAT | 1 << JVM_CP_STRING | 1 << JVM_CP_CLASS | 1 << JVM_CP_METHOD_HANDLE |
                       1 << JVM_CP_METHOD_TYPE | 1 << JVM_CP_DYNAMIC,
    WIDE_CONSTANTS = 1 << JVM_CP_LONG | 1 << JVM_CP_DOUBLE | 1 << JVM_CP_DYNAMIC,
};

static void load_constant(jvm_verifier *v, uint16_t index, bool wide)
{
    if (!check_tag(v, index, wide ? WIDE_CONSTANTS : NARROW_CONSTANTS))
        return;
    uint8_t tag = v->cls->pool.tags[index];
    uint16_t since = tag == JVM_CP_CLASS ? 49 : tag == JVM_CP_METHOD_HANDLE || tag == JVM_CP_METHOD_TYPE ? 51 : tag == JVM_CP_DYNAMIC ? 55 : 0;
    if (v->cls->major < since)
        jvm_verify_fail(v, "Illegal type in constant pool");
    const jvm_sym *name, *sig;
    jvm_vtype t;
    switch (tag) {
    case JVM_CP_INTEGER: t = INT; break;
    case JVM_CP_FLOAT: t = letter_type('f'); break;
    case JVM_CP_LONG: t = letter_type('j'); break;
    case JVM_CP_DOUBLE: t = letter_type('d'); break;
    case JVM_CP_STRING: t = jvm_vtype_object("java/lang/String"); break;
    case JVM_CP_CLASS: t = jvm_vtype_object("java/lang/Class"); break;
    case JVM_CP_METHOD_HANDLE: t = jvm_vtype_object("java/lang/invoke/MethodHandle"); break;
    case JVM_CP_METHOD_TYPE: t = jvm_vtype_object("java/lang/invoke/MethodType"); break;
    default:
        jvm_cp_name_type(v->cls, v->cls->pool.values[index].b, &name, &sig);
        t = jvm_vtype_of(sig->text, sig->nbytes);
        if (is_wide(t) != wide)
            jvm_verify_fail(v, "Illegal type in constant pool");
    }
    push(v, t);
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

static jvm_vtype named_type(const jvm_sym *name)
{
    return (jvm_vtype){JVM_V_OBJECT, 0, name};
}

static void check_protected(jvm_verifier *v, jvm_vtype object, const jvm_sym *named, const jvm_sym *name, const jvm_sym *sig)
{
    if (v->failed || !needs_own_kind(v, named, name, sig))
        return;
    bool array_clone = object.tag == JVM_V_OBJECT && object.name->text[0] == '[' && jvm_sym_is(name, "clone");
    if (!array_clone && !jvm_vtype_assignable(v, object, own_type(v)))
        jvm_verify_fail(v, "Bad access to protected data");
}

static void field_access(jvm_verifier *v, uint8_t op)
{
    const jvm_sym *named, *name, *sig;
    uint16_t index = jvm_u2(insn_at(v) + 1);
    if (!check_tag(v, index, 1u << JVM_CP_FIELD))
        return;
    jvm_cp_member(v->cls, index, &named, &name, &sig);
    jvm_vtype type = jvm_vtype_of(sig->text, sig->nbytes);
    bool put = op == JVM_OP_putfield || op == JVM_OP_putstatic;
    if (put)
        pop(v, type);
    if (op == JVM_OP_getfield || op == JVM_OP_putfield) {
        jvm_vtype object = pop_slot(v);
        bool early = put && object.tag == JVM_V_UNINIT_THIS && named == v->cls->name &&
                     jvm_class_own_field(v->cls, name, sig) != NULL;
        if (!v->failed && !early && !jvm_vtype_assignable(v, object, named_type(named)))
            jvm_verify_fail(v, "Bad type on operand stack");
        if (!early)
            check_protected(v, object, named, name, sig);
    }
    if (!put)
        push(v, type);
}

/* ---- calls ---- */

static void initialise(jvm_verifier *v, jvm_vtype old, const jvm_sym *cls)
{
    jvm_vtype made = named_type(cls);
    uint32_t end = (uint32_t)v->m->max_locals + v->now->depth;
    for (uint32_t i = 0; i < end; i++)
        if (jvm_vtype_same(v->now->slots[i], old))
            v->now->slots[i] = made;
    if (old.tag == JVM_V_UNINIT_THIS)
        v->now->this_uninit = false;
}

static void call_init(jvm_verifier *v, const jvm_sym *named, const jvm_sym *name, const jvm_sym *sig)
{
    jvm_vtype object = pop_slot(v);
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
    if (!direct && !jvm_vtype_assignable(v, own_type(v), named_type(named)))
        jvm_verify_fail(v, "Bad invokespecial instruction: current class isn't assignable to reference class.");
    else if (!direct && by_interface)
        jvm_verify_fail(v, "Bad invokespecial instruction: interface method reference is in an indirect superinterface.");
    pop(v, own_type(v));
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
        pop(v, jvm_vtype_of(types[n], nbytes[n]));
}

static void push_result(jvm_verifier *v, const jvm_sym *sig)
{
    const char *ret = jvm_sig_return(sig);
    if (*ret != 'V')
        push(v, jvm_vtype_of(ret, strlen(ret)));
}

static void invoke_dynamic(jvm_verifier *v)
{
    const jvm_sym *name, *sig;
    const uint8_t *insn = insn_at(v);
    uint16_t index = jvm_u2(insn + 1);
    if (!check_tag(v, index, 1u << JVM_CP_INDY))
        return;
    if (insn[3] != 0 || insn[4] != 0)
        jvm_verify_fail(v, "Third and fourth operand bytes of invokedynamic must be zero");
    jvm_cp_name_type(v->cls, v->cls->pool.values[index].b, &name, &sig);
    if (name->text[0] == '<')
        jvm_verify_fail(v, "Illegal call to internal method");
    pop_arguments(v, sig);
    push_result(v, sig);
}

static void invoke(jvm_verifier *v, uint8_t op)
{
    const jvm_sym *named, *name, *sig;
    const uint8_t *insn = insn_at(v);
    uint16_t index = jvm_u2(insn + 1);
    bool either = op == JVM_OP_invokespecial || op == JVM_OP_invokestatic;
    unsigned method = 1u << JVM_CP_METHOD, imethod = 1u << JVM_CP_IMETHOD;
    unsigned tags = op == JVM_OP_invokeinterface ? imethod : either && v->cls->major >= 52 ? method | imethod : method;
    if (!check_tag(v, index, tags))
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
        jvm_vtype object = pop(v, named_type(named));
        if (op == JVM_OP_invokevirtual)
            check_protected(v, object, named, name, sig);
    }
    push_result(v, sig);
}

/* ---- arrays and objects ---- */

static void array_load(jvm_verifier *v, uint8_t op)
{
    static const char *const arrays[] = {"[I", "[J", "[F", "[D", NULL, "[B", "[C", "[S"};
    int which = op - JVM_OP_iaload;
    pop(v, INT);
    jvm_vtype array = pop_reference(v, false);
    if (v->failed)
        return;
    if (op == JVM_OP_aaload) {
        if (array.tag == JVM_V_NULL) {
            push(v, NULL_TYPE);
            return;
        }
        const char *text = array.name->text;
        if (text[0] != '[' || (text[1] != 'L' && text[1] != '['))
            jvm_verify_fail(v, "Bad type on operand stack in aaload");
        else
            push(v, jvm_vtype_of(text + 1, array.name->nbytes - 1));
        return;
    }
    bool ok = array.tag == JVM_V_NULL || jvm_sym_is(array.name, arrays[which]) ||
              (op == JVM_OP_baload && jvm_sym_is(array.name, "[Z"));
    if (!ok)
        jvm_verify_fail(v, "Bad type on operand stack");
    push(v, letter_type(jvm_ops[op].pushes[0]));
}

static void array_store(jvm_verifier *v, uint8_t op)
{
    static const char *const arrays[] = {"[I", "[J", "[F", "[D", NULL, "[B", "[C", "[S"};
    int which = op - JVM_OP_iastore;
    if (op == JVM_OP_aastore)
        pop(v, jvm_vtype_object("java/lang/Object"));
    else
        pop(v, letter_type(jvm_ops[op].pops[2]));
    pop(v, INT);
    jvm_vtype array = pop_reference(v, false);
    if (v->failed || array.tag == JVM_V_NULL)
        return;
    const char *text = array.name->text;
    bool ok = op == JVM_OP_aastore ? text[0] == '[' && (text[1] == 'L' || text[1] == '[')
                                   : strcmp(text, arrays[which]) == 0 || (op == JVM_OP_bastore && strcmp(text, "[Z") == 0);
    if (!ok)
        jvm_verify_fail(v, "Bad type on operand stack");
}

static jvm_vtype array_of(const jvm_sym *element)
{
    return (jvm_vtype){JVM_V_OBJECT, 0, jvm_sym_getf(element->text[0] == '[' ? "[%s" : "[L%s;", element->text)};
}

static void make_array(jvm_verifier *v, uint8_t op)
{
    const uint8_t *insn = insn_at(v);
    if (op == JVM_OP_newarray) {
        pop(v, INT);
        if (insn[1] < 4 || insn[1] > 11)
            jvm_verify_fail(v, "Illegal newarray instruction");
        else
            push(v, (jvm_vtype){JVM_V_OBJECT, 0, jvm_sym_getf("[%c", "ZCFDBSIJ"[insn[1] - 4])});
        return;
    }
    const jvm_sym *name = class_operand(v);
    if (name == NULL)
        return;
    size_t dims = strspn(name->text, "[");
    if (op == JVM_OP_anewarray) {
        if (dims >= 255)
            jvm_verify_fail(v, "Illegal anewarray instruction, array has more than 255 dimensions");
        pop(v, INT);
        push(v, array_of(name));
        return;
    }
    if (insn[3] == 0 || insn[3] > dims)
        jvm_verify_fail(v, "Illegal dimension in multianewarray: %u", insn[3]);
    for (int i = 0; i < insn[3]; i++)
        pop(v, INT);
    push(v, named_type(name));
}

static void make_object(jvm_verifier *v)
{
    const jvm_sym *name = class_operand(v);
    if (name == NULL)
        return;
    if (name->text[0] == '[')
        jvm_verify_fail(v, "Illegal new instruction");
    jvm_vtype t = {JVM_V_UNINIT, (uint16_t)v->bci, name};
    for (uint32_t i = 0; i < v->now->depth; i++)
        if (jvm_vtype_same(jvm_vstack(v, v->now)[i], t))
            jvm_verify_fail(v, "Uninitialized object exists on backward branch");
    for (uint32_t i = 0; i < v->m->max_locals; i++)
        if (jvm_vtype_same(v->now->slots[i], t))
            v->now->slots[i] = TOP;
    push(v, t);
}

/* ---- the stack shufflers: halves of long and double must not be torn apart ---- */

static bool splits(const jvm_verifier *v, int from_top)
{
    const jvm_vtype *stack = jvm_vstack(v, v->now);
    int at = v->now->depth - from_top;
    return at >= 0 && at < v->now->depth && is_second_half(stack[at]);
}

static void shuffle(jvm_verifier *v, uint8_t op)
{
    const jvm_op_info *info = &jvm_ops[op];
    int n = (int)strlen(info->pops);
    if (v->now->depth < n) {
        jvm_verify_fail(v, "Operand stack underflow");
        return;
    }
    /* Where the copied or moved groups begin, counted from the top. */
    int unit = op == JVM_OP_pop2 || op >= JVM_OP_dup2 ? 2 : 1;
    if (op == JVM_OP_swap)
        unit = 1;
    if (splits(v, unit) || splits(v, n)) {
        jvm_verify_fail(v, "Bad type on operand stack");
        return;
    }
    jvm_vtype saved[5];
    for (int i = 1; i <= n; i++)
        saved[i] = pop_slot(v);
    for (const char *p = info->pushes; *p != '\0'; p++)
        push_slot(v, saved[*p - '0']);
}

/* ---- control ---- */

static void do_return(jvm_verifier *v, uint8_t op)
{
    const char *ret = jvm_sig_return(v->m->sig);
    bool is_void = op == JVM_OP_return;
    if (is_void != (*ret == 'V')) {
        jvm_verify_fail(v, is_void ? "Method expects a return value" : "Method does not expect a return value");
        return;
    }
    if (is_void) {
        if (v->now->this_uninit)
            jvm_verify_fail(v, "Constructor must call super() or this() before return");
        return;
    }
    jvm_vtype want = jvm_vtype_of(ret, strlen(ret));
    jvm_vtype by_op = op == JVM_OP_areturn ? jvm_vtype_object("java/lang/Object") : letter_type(jvm_ops[op].pops[0]);
    if (want.tag != by_op.tag)
        jvm_verify_fail(v, "Wrong return type in function");
    pop(v, want);
}

static void flow_switch(jvm_verifier *v)
{
    const uint8_t *code = v->m->bytes;
    uint32_t bci = v->bci, at = (bci + 4) & ~3u;
    bool table = code[bci] == JVM_OP_tableswitch;
    int32_t n = table ? jvm_s4(code + at + 8) - jvm_s4(code + at + 4) + 1 : jvm_s4(code + at + 4);
    for (uint32_t i = bci + 1; v->cls->major < 51 && i < at; i++)
        if (code[i] != 0)
            jvm_verify_fail(v, "Nonzero padding byte in lookupswitch or tableswitch");
    v->flow(v, (int64_t)bci + jvm_s4(code + at));
    for (int32_t i = 0; i < n && !v->failed; i++) {
        if (!table && i > 0 && jvm_s4(code + at + 8 + 8 * i) <= jvm_s4(code + at + 8 * i))
            jvm_verify_fail(v, "Bad lookupswitch instruction");
        v->flow(v, (int64_t)bci + jvm_s4(code + at + (table ? 12 + 4 * i : 12 + 8 * i)));
    }
}

/* Instructions whose operands ops.def describes fully. */
static void simple(jvm_verifier *v, uint8_t op)
{
    const jvm_op_info *info = &jvm_ops[op];
    for (size_t i = strlen(info->pops); i-- > 0;)
        pop(v, letter_type(info->pops[i]));
    for (const char *p = info->pushes; *p != '\0'; p++)
        push(v, letter_type(*p));
}

static char local_letter(uint8_t op, uint8_t base, uint8_t numbered)
{
    return "ijfda"[op < numbered ? op - base : (op - numbered) / 4];
}

static void local_access(jvm_verifier *v, uint8_t op, uint16_t operand)
{
    bool store = op >= JVM_OP_istore;
    uint8_t base = store ? JVM_OP_istore : JVM_OP_iload, numbered = store ? JVM_OP_istore_0 : JVM_OP_iload_0;
    uint16_t local = op < numbered ? operand : (op - numbered) % 4;
    (store ? store_local : load_local)(v, local, local_letter(op, base, numbered));
}

static void objects(jvm_verifier *v, uint8_t op)
{
    const jvm_sym *name;
    switch (op) {
    case JVM_OP_checkcast: case JVM_OP_instanceof:
        name = class_operand(v);
        pop_reference(v, false);
        if (name != NULL)
            push(v, op == JVM_OP_checkcast ? named_type(name) : INT);
        break;
    case JVM_OP_athrow: pop(v, jvm_vtype_object("java/lang/Throwable")); break;
    case JVM_OP_monitorenter: case JVM_OP_monitorexit: pop_reference(v, true); break;
    case JVM_OP_arraylength: {
        jvm_vtype array = pop_reference(v, false);
        if (!v->failed && array.tag == JVM_V_OBJECT && array.name->text[0] != '[')
            jvm_verify_fail(v, "Bad type on operand stack in arraylength");
        push(v, INT);
        break;
    }
    default: make_object(v); break;
    }
}

static void jumps(jvm_verifier *v, uint8_t op)
{
    const uint8_t *insn = insn_at(v);
    bool far = op == JVM_OP_goto_w || op == JVM_OP_jsr_w;
    int64_t target = (int64_t)v->bci + (far ? jvm_s4(insn + 1) : jvm_s2(insn + 1));
    if (op == JVM_OP_jsr || op == JVM_OP_jsr_w)
        push_slot(v, (jvm_vtype){JVM_V_RETURN, (uint16_t)target, NULL});
    else if (op == JVM_OP_if_acmpeq || op == JVM_OP_if_acmpne) {
        pop_reference(v, true);
        pop_reference(v, true);
    } else if (op == JVM_OP_ifnull || op == JVM_OP_ifnonnull) {
        pop_reference(v, true);
    } else if (op != JVM_OP_goto && op != JVM_OP_goto_w) {
        simple(v, op);
    }
    if (!v->failed)
        v->flow(v, target);
}

bool jvm_verify_step(jvm_verifier *v)
{
    const uint8_t *insn = insn_at(v);
    bool wide = *insn == JVM_OP_wide;
    uint8_t op = wide ? insn[1] : *insn;
    uint16_t operand = wide ? jvm_u2(insn + 2) : insn[1];
    if ((op >= JVM_OP_iload && op <= JVM_OP_aload_3) || (op >= JVM_OP_istore && op <= JVM_OP_astore_3))
        local_access(v, op, operand);
    else if (op >= JVM_OP_iaload && op <= JVM_OP_saload)
        array_load(v, op);
    else if (op >= JVM_OP_iastore && op <= JVM_OP_sastore)
        array_store(v, op);
    else if (op >= JVM_OP_pop && op <= JVM_OP_swap)
        shuffle(v, op);
    else if (op >= JVM_OP_ireturn && op <= JVM_OP_return)
        do_return(v, op);
    else if (op >= JVM_OP_getstatic && op <= JVM_OP_putfield)
        field_access(v, op);
    else if (op >= JVM_OP_invokevirtual && op <= JVM_OP_invokeinterface)
        invoke(v, op);
    else if (jvm_ops[op].operands[0] == 'o' || jvm_ops[op].operands[0] == 'O')
        jumps(v, op);
    else
        switch (op) {
        case JVM_OP_aconst_null: push(v, NULL_TYPE); break;
        case JVM_OP_ldc: load_constant(v, insn[1], false); break;
        case JVM_OP_ldc_w: load_constant(v, jvm_u2(insn + 1), false); break;
        case JVM_OP_ldc2_w: load_constant(v, jvm_u2(insn + 1), true); break;
        case JVM_OP_iinc:
            if (check_local(v, operand, false) && v->now->slots[operand].tag != JVM_V_INT)
                jvm_verify_fail(v, "Bad local variable type");
            break;
        case JVM_OP_invokedynamic: invoke_dynamic(v); break;
        case JVM_OP_newarray: case JVM_OP_anewarray: case JVM_OP_multianewarray: make_array(v, op); break;
        case JVM_OP_new: case JVM_OP_checkcast: case JVM_OP_instanceof: case JVM_OP_athrow: case JVM_OP_monitorenter:
        case JVM_OP_monitorexit: case JVM_OP_arraylength: objects(v, op); break;
        case JVM_OP_tableswitch: case JVM_OP_lookupswitch:
            pop(v, INT);
            if (!v->failed)
                flow_switch(v);
            break;
        case JVM_OP_ret: break; /* the inference engine's */
        default: simple(v, op); break;
        }
    bool ends = (op >= JVM_OP_ireturn && op <= JVM_OP_return) || op == JVM_OP_athrow || op == JVM_OP_goto || op == JVM_OP_goto_w ||
                op == JVM_OP_tableswitch || op == JVM_OP_lookupswitch || op == JVM_OP_ret || op == JVM_OP_jsr || op == JVM_OP_jsr_w;
    return !ends;
}

static void check_target(jvm_verifier *v, int64_t bci)
{
    if (bci < 0 || bci >= v->m->nbytes || !v->starts[bci])
        jvm_verify_fail(v, "Illegal target of jump or branch");
}

static void check_operands_here(jvm_verifier *v)
{
    const uint8_t *insn = insn_at(v);
    bool wide = *insn == JVM_OP_wide;
    uint8_t op = wide ? insn[1] : *insn;
    uint16_t operand = wide ? jvm_u2(insn + 2) : insn[1];
    bool load = op >= JVM_OP_iload && op <= JVM_OP_aload_3, store = op >= JVM_OP_istore && op <= JVM_OP_astore_3;
    if (load || store) {
        uint8_t base = store ? JVM_OP_istore : JVM_OP_iload, numbered = store ? JVM_OP_istore_0 : JVM_OP_iload_0;
        check_local(v, op < numbered ? operand : (op - numbered) % 4, is_wide(letter_type(local_letter(op, base, numbered))));
    } else if (op == JVM_OP_iinc || op == JVM_OP_ret) {
        check_local(v, operand, false);
    } else if (op >= JVM_OP_getstatic && op <= JVM_OP_putfield) {
        check_tag(v, jvm_u2(insn + 1), 1u << JVM_CP_FIELD);
    } else if (op >= JVM_OP_invokevirtual && op <= JVM_OP_invokeinterface) {
        check_tag(v, jvm_u2(insn + 1), 1u << JVM_CP_METHOD | 1u << JVM_CP_IMETHOD);
    } else if (op == JVM_OP_new || op == JVM_OP_anewarray || op == JVM_OP_checkcast || op == JVM_OP_instanceof || op == JVM_OP_multianewarray) {
        class_operand(v);
    } else if (op == JVM_OP_ldc || op == JVM_OP_ldc_w || op == JVM_OP_ldc2_w) {
        check_tag(v, op == JVM_OP_ldc ? insn[1] : jvm_u2(insn + 1), op == JVM_OP_ldc2_w ? WIDE_CONSTANTS : NARROW_CONSTANTS);
    } else if (jvm_ops[op].operands[0] == 'o' || jvm_ops[op].operands[0] == 'O') {
        bool far = op == JVM_OP_goto_w || op == JVM_OP_jsr_w;
        check_target(v, (int64_t)v->bci + (far ? jvm_s4(insn + 1) : jvm_s2(insn + 1)));
    }
}

bool jvm_verify_operands(jvm_verifier *v)
{
    const jvm_method *m = v->m;
    for (uint32_t bci = 0; bci < m->nbytes && !v->failed; bci += jvm_op_length(m->bytes, m->nbytes, bci)) {
        v->bci = bci;
        check_operands_here(v);
    }
    return !v->failed;
}

bool jvm_verify_layout(jvm_verifier *v)
{
    const jvm_method *m = v->m;
    for (uint32_t bci = 0, length; bci < m->nbytes; bci += length) {
        v->bci = bci;
        length = jvm_op_length(m->bytes, m->nbytes, bci);
        uint8_t op = m->bytes[bci];
        if (length == 0) {
            jvm_verify_fail(v, "Bad instruction");
            return false;
        }
        bool subroutine = op == JVM_OP_jsr || op == JVM_OP_jsr_w || op == JVM_OP_ret ||
                          (op == JVM_OP_wide && m->bytes[bci + 1] == JVM_OP_ret);
        if (subroutine && !v->allow_subroutines) {
            jvm_verify_fail(v, "Bad instruction: jsr and ret are not allowed here");
            return false;
        }
        v->starts[bci] = 1;
    }
    return true;
}
