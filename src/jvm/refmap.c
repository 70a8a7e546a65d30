#include "jvm/refmap.h"

#include "jvm/invoke.h"

static void visit_range(jvm_slot *from, jvm_slot *to, jvm_visit_fn *visit, void *arg)
{
    for (; from < to; from++)
        if (from->a != NULL && jvm_heap_holds(from->a))
            visit(&from->a, arg);
}

void jvm_refmap_visit(jvm_frame *f, jvm_visit_fn *visit, void *arg)
{
    visit_range(f->locals, f->locals + f->method->max_locals, visit, arg);
    visit_range(jvm_frame_stack(f), f->sp, visit, arg);
}

void jvm_refmap_visit_native(jvm_frame *f, jvm_visit_fn *visit, void *arg)
{
    if (f->method == NULL)
        return; /* arguments of an ENTRY frame are the callee's locals */
    jvm_slot *at = f->locals;
    if (!jvm_method_is_static(f->method) && (at++)->a != NULL)
        visit(&at[-1].a, arg);
    jvm_sig_iter it = jvm_sig_start(f->method->sig);
    for (char type; (type = jvm_sig_next(&it, NULL, NULL)) != 0; at += jvm_type_slots(type))
        if ((type == 'L' || type == '[') && at->a != NULL)
            visit(&at->a, arg);
}
