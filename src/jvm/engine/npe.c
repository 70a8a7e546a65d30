/* npe.c - helpful messages of NullPointerExceptions: what couldn't be done, and which expression was null.
 *
 * The method's code is run over symbolically: for each instruction we learn which instruction pushed
 * each slot of the stack below it.  From the one that threw, we go to the one that pushed the null, and
 * say in source terms what that one stands for.  The words are those of JEP 358, so that programs which
 * print messages print the same as elsewhere. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "jvm/engine/invoke.h"
#include "jvm/heap/jstring.h"
#include "jvm/engine/ops.h"
#include "jvm/engine/reach.h"
#include "jvm/engine/throw.h"
#include "jvm/jvm.h"

enum { UNKNOWN = -1, MAX_DETAIL = 5 };

typedef struct stack_state { /* before an instruction */
    int32_t *source;         /* per slot, bottom first: bci of what pushed it, or UNKNOWN */
    int32_t depth;
    uint64_t written;        /* locals that were assigned on the way here (the first 64) */
} stack_state;

typedef struct analysis {
    const jvm_method *m;
    stack_state *before;     /* by bci; source NULL: not reached */
    EBB_VEC(uint32_t) work;
} analysis;

/* ---- the effect of one instruction ---- */

static uint8_t op_at(const jvm_method *m, uint32_t bci)
{
    return m->bytes[bci] == JVM_OP_wide ? m->bytes[bci + 1] : m->bytes[bci];
}

static uint16_t constant_index(const jvm_method *m, uint32_t bci)
{
    return m->bytes[bci] == JVM_OP_ldc ? m->bytes[bci + 1] : jvm_u2(m->bytes + bci + 1);
}

static void member_at(const jvm_method *m, uint32_t bci, const jvm_sym **cls, const jvm_sym **name, const jvm_sym **sig)
{
    uint16_t index = constant_index(m, bci);
    *cls = NULL;
    if (m->cls->pool.tags[index] == JVM_CP_INDY)
        jvm_cp_name_type(m->cls, m->cls->pool.values[index].b, name, sig);
    else
        jvm_cp_member(m->cls, index, cls, name, sig);
}

static int32_t argument_slots(const jvm_sym *sig)
{
    int32_t n = 0;
    jvm_sig_iter it = jvm_sig_start(sig);
    for (char type; (type = jvm_sig_next(&it, NULL, NULL)) != 0;)
        n += jvm_type_slots(type);
    return n;
}

/* Slots of the value that a field instruction moves or ldc pushes. */
static int32_t operand_slots(const jvm_method *m, uint32_t bci)
{
    uint8_t op = m->bytes[bci];
    if (op == JVM_OP_ldc || op == JVM_OP_ldc_w)
        return 1;
    if (op == JVM_OP_ldc2_w)
        return 2;
    const jvm_sym *cls, *name, *sig;
    member_at(m, bci, &cls, &name, &sig);
    return jvm_type_slots(sig->text[0]);
}

/* Slots after '*': what a descriptor (or the dimensions of multianewarray) says. */
static int32_t described_slots(const jvm_method *m, uint32_t bci, bool popped)
{
    uint8_t op = m->bytes[bci];
    if (op == JVM_OP_multianewarray)
        return m->bytes[bci + 3];
    const jvm_sym *cls, *name, *sig;
    member_at(m, bci, &cls, &name, &sig);
    bool receiver = op != JVM_OP_invokestatic && op != JVM_OP_invokedynamic;
    return popped ? argument_slots(sig) + receiver : jvm_type_slots(*jvm_sig_return(sig));
}

static int32_t slots_of(const jvm_method *m, uint32_t bci, const char *letters, bool popped)
{
    int32_t n = 0;
    for (; *letters != '\0'; letters++)
        n += *letters == 'j' || *letters == 'd' ? 2
             : *letters == 'v'                  ? operand_slots(m, bci)
             : *letters == '*'                  ? described_slots(m, bci, popped)
                                                : 1;
    return n;
}

static uint64_t written_locals(const jvm_method *m, uint32_t bci)
{
    uint8_t op = op_at(m, bci);
    bool stores = (op >= JVM_OP_istore && op <= JVM_OP_astore_3) || op == JVM_OP_iinc;
    int32_t i = jvm_named_local(m, bci);
    if (!stores || i < 0 || i > 62)
        return 0;
    bool wide_value = jvm_ops[op].pops[0] == 'j' || jvm_ops[op].pops[0] == 'd';
    return (UINT64_C(1) << i) | (wide_value ? UINT64_C(2) << i : 0);
}

static bool shuffles(const jvm_op_info *op) { return op->pops[0] >= '1' && op->pops[0] <= '4'; }

/* The state after the instruction; `after` has room for max_stack slots more than it can hold. */
static bool apply(const jvm_method *m, uint32_t bci, const stack_state *before, stack_state *after)
{
    const jvm_op_info *op = &jvm_ops[op_at(m, bci)];
    int32_t npop = slots_of(m, bci, op->pops, true), npush = slots_of(m, bci, op->pushes, false);
    int32_t kept = before->depth - npop;
    after->written = before->written | written_locals(m, bci);
    after->depth = kept + npush;
    if (kept < 0 || after->depth > m->max_stack)
        return false; /* code that was never verified */
    memcpy(after->source, before->source, (size_t)kept * sizeof *after->source);
    for (int32_t i = 0; i < npush; i++)
        after->source[kept + i] = shuffles(op)                       ? before->source[before->depth - (op->pushes[i] - '0')]
                                  : op_at(m, bci) == JVM_OP_checkcast ? before->source[kept]
                                                                      : (int32_t)bci;
    return true;
}

/* ---- flow ---- */

/* States with the same depth are joined: a slot that two instructions may have pushed is UNKNOWN. */
static void flow_to(analysis *a, int64_t bci, const stack_state *state)
{
    if (bci < 0 || bci >= (int64_t)a->m->nbytes)
        return;
    stack_state *at = &a->before[bci];
    bool changed = at->source == NULL;
    if (changed) {
        at->source = ebb_alloc(((size_t)a->m->max_stack + 1) * sizeof *at->source);
        memcpy(at->source, state->source, (size_t)state->depth * sizeof *at->source);
        at->depth = state->depth;
        at->written = state->written;
    } else if (at->depth == state->depth) {
        for (int32_t i = 0; i < at->depth; i++)
            if (at->source[i] != state->source[i] && at->source[i] != UNKNOWN) {
                at->source[i] = UNKNOWN;
                changed = true;
            }
        changed |= (state->written & ~at->written) != 0;
        at->written |= state->written;
    }
    if (changed)
        ebb_vec_push(&a->work, (uint32_t)bci);
}

typedef struct flowing {
    analysis *a;
    stack_state *after;
    int64_t after_subroutine; /* where one comes back to, without the address that it took away; -1: none is called */
} flowing;

static void flow_on(void *self, int64_t bci)
{
    flowing *f = self;
    if (bci == f->after_subroutine)
        f->after->depth--;
    flow_to(f->a, bci, f->after);
}

static void flow_from(analysis *a, uint32_t bci, stack_state *after)
{
    uint8_t op = op_at(a->m, bci);
    if (!apply(a->m, bci, &a->before[bci], after))
        return;
    for (const jvm_handler *h = a->m->handlers; h < a->m->handlers + a->m->nhandlers; h++)
        if (bci >= h->start && bci < h->end) {
            int32_t thrown = h->target;
            flow_to(a, h->target, &(stack_state){ &thrown, 1, after->written });
        }
    bool calls = op == JVM_OP_jsr || op == JVM_OP_jsr_w;
    flowing f = { a, after, calls ? (int64_t)bci + jvm_op_length(a->m->bytes, a->m->nbytes, bci) : -1 };
    jvm_each_successor(a->m, bci, flow_on, &f);
}

static void analyse(analysis *a)
{
    a->before = ebb_zalloc(((size_t)a->m->nbytes + 1) * sizeof *a->before);
    int32_t *room = ebb_alloc(((size_t)a->m->max_stack + 1) * sizeof *room);
    flow_to(a, 0, &(stack_state){ room, 0, 0 });
    while (a->work.n > 0)
        flow_from(a, a->work.items[--a->work.n], &(stack_state){ room, 0, 0 });
    free(room);
}

static void analysis_fini(analysis *a)
{
    for (uint32_t i = 0; i < a->m->nbytes; i++)
        free(a->before[i].source);
    free(a->before);
    ebb_vec_fini(&a->work);
}

/* ---- names ---- */

/* Two classes are named short, wherever they occur. */
static void add_class_name(ebb_buf *out, const char *name, size_t nbytes)
{
    const char *shown[] = { "java/lang/Object", "java/lang/String" };
    for (int i = 0; i < 2; i++)
        if (nbytes == 16 && memcmp(name, shown[i], 16) == 0) {
            name += 10;
            nbytes = 6;
            break;
        }
    for (size_t i = 0; i < nbytes; i++)
        ebb_buf_addc(out, name[i] == '/' ? '.' : name[i]);
}

static void add_type(ebb_buf *out, const char *type, size_t nbytes)
{
    size_t dims = 0;
    while (type[dims] == '[')
        dims++;
    if (type[dims] == 'L')
        add_class_name(out, type + dims + 1, nbytes - dims - 2);
    else
        ebb_buf_adds(out, jvm_prim_class(type[dims])->name->text);
    for (; dims > 0; dims--)
        ebb_buf_adds(out, "[]");
}

static void add_holder(ebb_buf *out, const jvm_sym *cls)
{
    if (cls->text[0] == '[')
        add_type(out, cls->text, cls->nbytes);
    else
        add_class_name(out, cls->text, cls->nbytes);
}

static void add_method(ebb_buf *out, const jvm_method *m, uint32_t bci)
{
    const jvm_sym *cls, *name, *sig;
    member_at(m, bci, &cls, &name, &sig);
    add_holder(out, cls);
    ebb_buf_addf(out, ".%s(", name->text);
    jvm_sig_iter it = jvm_sig_start(sig);
    const char *type;
    size_t nbytes;
    for (bool first = true; jvm_sig_next(&it, &type, &nbytes) != 0; first = false) {
        ebb_buf_adds(out, first ? "" : ", ");
        add_type(out, type, nbytes);
    }
    ebb_buf_addc(out, ')');
}

/* Number of the parameter that lives in a local, from 1; 0: none does. */
static int parameter_number(const jvm_method *m, int32_t local)
{
    int32_t at = !jvm_method_is_static(m);
    int number = 1;
    jvm_sig_iter it = jvm_sig_start(m->sig);
    for (char type; (type = jvm_sig_next(&it, NULL, NULL)) != 0; number++) {
        if (local >= at && local < at + jvm_type_slots(type))
            return number;
        at += jvm_type_slots(type);
    }
    return 0;
}

static void add_local(ebb_buf *out, const jvm_method *m, uint32_t bci, int32_t local, uint64_t written)
{
    for (int i = 0; i < m->nlocals_info; i++) {
        const jvm_local_var *v = &m->locals_info[i];
        if (v->slot == local && bci >= v->bci && bci < (uint32_t)v->bci + v->nbytes) {
            ebb_buf_adds(out, v->name->text);
            return;
        }
    }
    bool untouched = local < 64 && !(written >> local & 1);
    int parameter = untouched ? parameter_number(m, local) : 0;
    if (untouched && local == 0 && !jvm_method_is_static(m))
        ebb_buf_adds(out, "this");
    else if (parameter > 0)
        ebb_buf_addf(out, "<parameter%d>", parameter);
    else
        ebb_buf_addf(out, "<local%d>", local);
}

/* ---- why: the expression that was null ---- */

static bool is_invoke(uint8_t op) { return op >= JVM_OP_invokevirtual && op <= JVM_OP_invokeinterface; }

static bool add_expression(ebb_buf *out, const analysis *a, uint32_t bci, int32_t slot, int detail, bool inner);

static bool add_element(ebb_buf *out, const analysis *a, uint32_t bci, int detail, bool inner)
{
    if (!add_expression(out, a, bci, 1, detail - 1, inner))
        ebb_buf_adds(out, "<array>");
    ebb_buf_addc(out, '[');
    if (!add_expression(out, a, bci, 0, detail, true))
        ebb_buf_adds(out, "...");
    ebb_buf_addc(out, ']');
    return true;
}

static bool add_field(ebb_buf *out, const analysis *a, uint32_t bci, int detail, bool inner)
{
    const jvm_sym *cls, *name, *sig;
    member_at(a->m, bci, &cls, &name, &sig);
    if (op_at(a->m, bci) == JVM_OP_getstatic) {
        add_holder(out, cls);
        ebb_buf_addc(out, '.');
    } else if (add_expression(out, a, bci, 0, detail - 1, inner)) {
        ebb_buf_addc(out, '.');
    }
    ebb_buf_adds(out, name->text);
    return true;
}

/* What the instruction at `source` pushed.  False: nothing that can be said. */
static bool add_source(ebb_buf *out, const analysis *a, uint32_t source, uint64_t written, int detail, bool inner)
{
    const jvm_method *m = a->m;
    uint8_t op = op_at(m, source);
    if (is_invoke(op)) {
        add_method(out, m, source);
        return true;
    }
    if (op >= JVM_OP_iconst_m1 && op <= JVM_OP_iconst_5) {
        ebb_buf_addf(out, "%d", op - JVM_OP_iconst_0);
        return true;
    }
    bool loads_local = op == JVM_OP_iload || op == JVM_OP_aload || (op >= JVM_OP_iload_0 && op <= JVM_OP_iload_3) ||
                       (op >= JVM_OP_aload_0 && op <= JVM_OP_aload_3);
    if (loads_local) {
        add_local(out, m, source, jvm_named_local(m, source), written);
        return true;
    }
    if (op >= JVM_OP_iaload && op <= JVM_OP_saload)
        return add_element(out, a, source, detail, inner);
    switch (op) {
    case JVM_OP_aconst_null: ebb_buf_adds(out, "null"); return true;
    case JVM_OP_bipush: ebb_buf_addf(out, "%d", (int8_t)m->bytes[source + 1]); return true;
    case JVM_OP_sipush: ebb_buf_addf(out, "%d", jvm_s2(m->bytes + source + 1)); return true;
    case JVM_OP_getstatic:
    case JVM_OP_getfield: return add_field(out, a, source, detail, inner);
    default: return false;
    }
}

/* The expression in `slot` (0 is the top) before the instruction at bci. */
static bool add_expression(ebb_buf *out, const analysis *a, uint32_t bci, int32_t slot, int detail, bool inner)
{
    const stack_state *s = &a->before[bci];
    if (detail <= 0 || s->source == NULL || slot >= s->depth || s->source[s->depth - 1 - slot] == UNKNOWN)
        return false;
    return add_source(out, a, (uint32_t)s->source[s->depth - 1 - slot], s->written, detail, inner);
}

static void add_reason(ebb_buf *out, const analysis *a, uint32_t bci, int32_t slot)
{
    const stack_state *s = &a->before[bci];
    ebb_buf text = { 0 };
    if (add_expression(&text, a, bci, slot, MAX_DETAIL, false)) {
        bool returned = is_invoke(op_at(a->m, (uint32_t)s->source[s->depth - 1 - slot]));
        ebb_buf_addf(out, " because %s\"%s\" is null", returned ? "the return value of " : "", ebb_buf_text(&text));
    }
    ebb_buf_fini(&text);
}

/* ---- what: the instruction that failed ---- */

static const char *const array_kinds[] = { "int", "long", "float", "double", "object", "byte/boolean", "char", "short" };

/* Adds "Cannot ..."; gives the slot that held the null, or -1 when the instruction can't throw this. */
static int32_t add_failure(ebb_buf *out, const jvm_method *m, uint32_t bci)
{
    uint8_t op = op_at(m, bci);
    const jvm_sym *cls, *name, *sig;
    if (op >= JVM_OP_iaload && op <= JVM_OP_saload) {
        ebb_buf_addf(out, "Cannot load from %s array", array_kinds[op - JVM_OP_iaload]);
        return 1;
    }
    if (op >= JVM_OP_iastore && op <= JVM_OP_sastore) {
        ebb_buf_addf(out, "Cannot store to %s array", array_kinds[op - JVM_OP_iastore]);
        return op == JVM_OP_lastore || op == JVM_OP_dastore ? 3 : 2;
    }
    switch (op) {
    case JVM_OP_arraylength: ebb_buf_adds(out, "Cannot read the array length"); return 0;
    case JVM_OP_athrow: ebb_buf_adds(out, "Cannot throw exception"); return 0;
    case JVM_OP_monitorenter: ebb_buf_adds(out, "Cannot enter synchronized block"); return 0;
    case JVM_OP_monitorexit: ebb_buf_adds(out, "Cannot exit synchronized block"); return 0;
    case JVM_OP_getfield:
    case JVM_OP_putfield:
        member_at(m, bci, &cls, &name, &sig);
        ebb_buf_addf(out, "Cannot %s field \"%s\"", op == JVM_OP_getfield ? "read" : "assign", name->text);
        return op == JVM_OP_getfield ? 0 : jvm_type_slots(sig->text[0]);
    case JVM_OP_invokevirtual:
    case JVM_OP_invokespecial:
    case JVM_OP_invokeinterface:
        member_at(m, bci, &cls, &name, &sig);
        if (jvm_sym_is(name, "<init>"))
            return -1; /* the exception's own constructor: the program threw it */
        ebb_buf_adds(out, "Cannot invoke \"");
        add_method(out, m, bci);
        ebb_buf_addc(out, '"');
        return argument_slots(sig);
    default: return -1;
    }
}

jvm_obj *jvm_npe_message(jvm_thread *t, jvm_obj *npe)
{
    const jvm_obj *trace = jvm_get_ref(npe, jvm.fields.Throwable_backtrace);
    if (trace == NULL || trace->length < 2 || trace->length % 2 != 0) /* thrown in a frame that is hidden: the trace begins at another method */
        return NULL;
    const int64_t *top = jvm_array_data(trace);
    const jvm_method *m = jvm_token_method(top[0]);
    if (m->bytes == NULL || top[1] < 0 || top[1] >= m->nbytes)
        return NULL;
    ebb_buf out = { 0 };
    uint32_t bci = (uint32_t)top[1];
    int32_t slot = add_failure(&out, m, bci);
    jvm_obj *message = NULL;
    if (slot >= 0) {
        analysis a = { .m = m };
        analyse(&a);
        add_reason(&out, &a, bci, slot);
        analysis_fini(&a);
        message = jvm_string_newn(t, ebb_buf_text(&out), out.n);
    }
    ebb_buf_fini(&out);
    return message;
}
