#include "jvm/verify.h"

#include "jvm/loader.h"
#include "jvm/throw.h"
#include "jvm/verify_frame.h"
#include "jvm/vm.h"

#include <string.h>

/* Catch types must be throwables; ranges must start and end at instructions. */
static void check_exception_table(jvm_verifier *v)
{
    jvm_vtype throwable = jvm_vtype_object("java/lang/Throwable");
    for (uint16_t i = 0; i < v->m->nhandlers && !v->failed; i++) {
        const jvm_handler *h = &v->m->handlers[i];
        bool ok = v->starts[h->start] && (h->end == v->m->nbytes || v->starts[h->end]) && v->starts[h->target];
        if (!ok)
            jvm_verify_fail(v, "Illegal exception table range");
        else if (h->type != 0 &&
                 !jvm_vtype_assignable(v, (jvm_vtype){JVM_V_OBJECT, 0, jvm_cp_class_name(v->cls, h->type)}, throwable))
            jvm_verify_fail(v, "Catch type is not a subclass of Throwable in exception handler %u", h->target);
    }
}

enum engine { BY_MAP, BY_INFERENCE };

static bool verify_method(jvm_thread *t, jvm_class *cls, jvm_method *m, enum engine engine)
{
    jvm_verifier v = {.t = t, .cls = cls, .m = m, .nslots = (uint32_t)m->max_locals + m->max_stack};
    v.allow_subroutines = cls->major < 51;
    v.starts = EBB_ARENA_ARRAY(&v.arena, uint8_t, m->nbytes + 1u);
    v.now = jvm_vframe_new(&v);
    jvm_vframe_start(&v, v.now);
    if (jvm_verify_layout(&v))
        check_exception_table(&v);
    if (!v.failed) {
        if (engine == BY_MAP)
            jvm_verify_by_map(&v);
        else
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
    if (jvm.options.verify_none)
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
