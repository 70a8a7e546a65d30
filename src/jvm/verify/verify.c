/* verify.c - checks that need no data flow, then one of the two verifiers for each method. */
#include "jvm/verify/verify.h"

#include "jvm/classes/loader.h"
#include "jvm/engine/throw.h"
#include "jvm/verify/frame.h"
#include "jvm/jvm.h"

#include <string.h>

enum engine { BY_MAP, BY_INFERENCE };

static bool is_boundary(const jvm_verifier *v, uint32_t bci)
{
    return bci == v->m->nbytes || v->starts[bci];
}

/* The ranges are inside the code: the parser saw to that.  The old verifier has its own words for ones that cut
 * instructions, and wants no handler at the very start. */
static void check_handler_range(jvm_verifier *v, const jvm_handler *h, enum engine engine)
{
    bool start = v->starts[h->start], end = is_boundary(v, h->end), target = v->starts[h->target];
    if (engine == BY_INFERENCE) {
        if (!start || !end)
            jvm_verify_fail_format(v, "Illegal exception table range");
        else if (!target || h->target == 0)
            jvm_verify_fail_format(v, "Illegal exception table handler");
        return;
    }
    if (!start)
        jvm_verify_fail_format(v, "Illegal exception table start_pc %u", h->start);
    else if (!end)
        jvm_verify_fail_format(v, "Illegal exception table end_pc %u", h->end);
    else if (!target)
        jvm_verify_fail_format(v, "Illegal exception table handler_pc %u", h->target);
}

/* Variables live from an instruction to an instruction. */
static void check_local_variables(jvm_verifier *v)
{
    for (uint16_t i = 0; i < v->m->nlocals_info && !v->failed; i++) {
        const jvm_local_var *var = &v->m->locals_info[i];
        if (!v->starts[var->bci])
            jvm_verify_fail_format(v, "Illegal local variable table start_pc %u", var->bci);
        else if (!is_boundary(v, (uint32_t)var->bci + var->nbytes))
            jvm_verify_fail_format(v, "Illegal local variable table length %u", var->nbytes);
    }
}

/* Catch types must be throwables; ranges must start and end at instructions. */
static void check_exception_table(jvm_verifier *v, enum engine engine)
{
    jvm_vtype throwable = jvm_vtype_object("java/lang/Throwable");
    for (uint16_t i = 0; i < v->m->nhandlers && !v->failed; i++) {
        const jvm_handler *h = &v->m->handlers[i];
        check_handler_range(v, h, engine);
        if (!v->failed && h->type != 0 &&
                 !jvm_vtype_assignable(v, (jvm_vtype){JVM_V_OBJECT, 0, jvm_cp_class_name(v->cls, h->type)}, throwable))
            jvm_verify_fail(v, "Catch type is not a subclass of Throwable in exception handler %u", h->target);
    }
}

static bool verify_method(jvm_thread *t, jvm_class *cls, jvm_method *m, enum engine engine)
{
    jvm_verifier v = {.t = t, .cls = cls, .m = m, .nslots = (uint32_t)m->max_locals + m->max_stack};
    v.allow_subroutines = cls->major < 51;
    v.starts = EBB_ARENA_ARRAY(&v.arena, uint8_t, m->nbytes + 1u);
    v.now = jvm_vframe_new(&v);
    jvm_vframe_start(&v, v.now);
    if (jvm_verify_layout(&v))
        check_exception_table(&v, engine);
    if (!v.failed && engine == BY_MAP)
        check_local_variables(&v);
    if (!v.failed) {
        if (engine == BY_MAP)
            jvm_verify_by_map(&v);
        else if (jvm_verify_operands(&v))
            jvm_verify_by_inference(&v);
    }
    ebb_arena_fini(&v.arena);
    return !v.failed;
}

static bool verify_all(jvm_thread *t, jvm_class *cls, enum engine engine)
{
    for (uint16_t i = 0; i < cls->nmethods; i++)
        if (cls->methods[i].bytes != NULL && !verify_method(t, cls, &cls->methods[i], engine))
            return false;
    return true;
}

bool jvm_verify_class(jvm_thread *t, jvm_class *cls)
{
    if (!jvm.options.verify_remote)
        return true;
    if (cls->major < 50)
        return verify_all(t, cls, BY_INFERENCE);
    if (verify_all(t, cls, BY_MAP))
        return true;
    /* Version 50 may come without maps or with wrong ones: then the old way decides. */
    if (cls->major > 50 || !jvm_sym_is(t->exception->cls->name, "java/lang/VerifyError"))
        return false;
    t->exception = NULL;
    return verify_all(t, cls, BY_INFERENCE);
}
