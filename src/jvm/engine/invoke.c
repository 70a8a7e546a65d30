/* invoke.c - arguments are put on the Java stack as the interpreter expects them, with an entry frame below. */
#include "jvm/engine/invoke.h"

#include "base/check.h"
#include "jvm/agent/agent.h"
#include "jvm/engine/frame.h"
#include "jvm/heap/heap.h"
#include "jvm/engine/interp.h"
#include "jvm/classes/loader.h"
#include "jvm/engine/throw.h"
#include "jvm/jvm.h"

#include <stdarg.h>
#include <string.h>

/* ---- calling ---- */

static jvm_slot *stack_top(const jvm_thread *t)
{
    return t->frame ? t->frame->sp : t->stack;
}

jvm_slot jvm_call(jvm_thread *t, jvm_method *m, const jvm_slot *args)
{
    jvm_slot none = {.raw = 0};
    jvm_frame *entry = (jvm_frame *)stack_top(t);
    jvm_slot *place = (jvm_slot *)(entry + 1);
    bool c_full = (char *)__builtin_frame_address(0) < t->c_limit;
    if (c_full || place + m->nargs + 64 > t->stack_limit) {
        jvm_throw_stack_overflow(t);
        return none;
    }
    *entry = (jvm_frame){.prev = t->frame, .kind = JVM_FRAME_ENTRY, .locals = place, .sp = place};
    if (m->nargs > 0)
        memmove(place, args, m->nargs * sizeof *place);
    jvm_flow_calls(t, place, args, m->nargs);
    if (jvm_agent_travels)
        jvm_agent_calls(t, m, place);
    t->frame = entry;
    jvm_slot result = jvm_interpret(t, m, place);
    ebb_check(t->frame == entry);
    t->frame = entry->prev;
    if (jvm_agent_frames)
        jvm_agent_returned(t, entry);
    return t->exception == NULL ? result : none;
}

jvm_slot jvm_call_virtual(jvm_thread *t, jvm_method *m, const jvm_slot *args)
{
    jvm_slot none = {.raw = 0};
    if (args[0].a == NULL) {
        jvm_throw_npe(t);
        return none;
    }
    const jvm_class *cls = args[0].a->cls;
    jvm_method *target = jvm_class_is_interface(m->cls) ? jvm_select_interface(cls, m) : jvm_select_virtual(cls, m);
    if (target == NULL) {
        if (jvm_class_is_interface(m->cls))
            jvm_throw_no_interface(t, cls, m);
        else
            jvm_throw_abstract(t, cls, m);
        return none;
    }
    return jvm_call(t, target, args);
}

jvm_slot jvm_callv(jvm_thread *t, jvm_method *m, ...)
{
    jvm_slot args[256];
    int n = 0;
    va_list ap;
    va_start(ap, m);
    if (!jvm_method_is_static(m))
        args[n++].a = va_arg(ap, jvm_obj *);
    jvm_sig_iter it = jvm_sig_start(m->sig);
    for (char type; (type = jvm_sig_next(&it, NULL, NULL)) != 0;) {
        args[n].raw = 0;
        switch (type) {
        case 'J': args[n].j = va_arg(ap, int64_t); break;
        case 'D': args[n].d = va_arg(ap, double); break;
        case 'F': args[n].f = (float)va_arg(ap, double); break;
        case 'L': case '[': args[n].a = va_arg(ap, jvm_obj *); break;
        default: args[n].i = va_arg(ap, int); break;
        }
        n += jvm_type_slots(type);
    }
    va_end(ap);
    return jvm_call(t, m, args);
}

/* ---- descriptors ---- */

jvm_sig_iter jvm_sig_start(const jvm_sym *descriptor)
{
    return (jvm_sig_iter){descriptor->text + 1};
}

char jvm_sig_next(jvm_sig_iter *it, const char **type, size_t *nbytes)
{
    const char *start = it->at;
    if (*start == ')' || *start == '\0')
        return 0;
    while (*it->at == '[')
        it->at++;
    if (*it->at == 'L')
        it->at = strchr(it->at, ';');
    it->at++;
    if (type != NULL)
        *type = start;
    if (nbytes != NULL)
        *nbytes = (size_t)(it->at - start);
    return *start;
}

const char *jvm_sig_return(const jvm_sym *descriptor)
{
    return strrchr(descriptor->text, ')') + 1;
}

/* ---- boxes ---- */

typedef struct box_row {
    char type;
    jvm_class **cls;
    uint32_t *offset;
} box_row;

static const box_row boxes[] = {
    {'Z', &jvm.classes.Boolean, &jvm.fields.Boolean_value}, {'B', &jvm.classes.Byte, &jvm.fields.Byte_value},
    {'C', &jvm.classes.Character, &jvm.fields.Character_value}, {'S', &jvm.classes.Short, &jvm.fields.Short_value},
    {'I', &jvm.classes.Integer, &jvm.fields.Integer_value}, {'J', &jvm.classes.Long, &jvm.fields.Long_value},
    {'F', &jvm.classes.Float, &jvm.fields.Float_value}, {'D', &jvm.classes.Double, &jvm.fields.Double_value},
};

jvm_obj *jvm_box(jvm_thread *t, char type, jvm_slot value)
{
    if (type == 'L' || type == '[')
        return value.a;
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++) {
        if (boxes[i].type != type)
            continue;
        jvm_obj *o = jvm_new_object(t, *boxes[i].cls);
        if (o != NULL)
            jvm_put(o, *boxes[i].offset, type, value);
        return o;
    }
    return NULL;
}

bool jvm_unbox(jvm_obj *box, char *type, jvm_slot *value)
{
    for (size_t i = 0; box != NULL && i < sizeof boxes / sizeof *boxes; i++)
        if (box->cls == *boxes[i].cls) {
            *type = boxes[i].type;
            *value = jvm_get(box, *boxes[i].offset, boxes[i].type);
            return true;
        }
    return false;
}

bool jvm_widen(char from, char to, jvm_slot *v)
{
    static const char order[] = "BSIJFD";
    if (from == to)
        return true;
    const char *f = strchr(order, from == 'C' ? 'S' : from), *g = strchr(order, to);
    if (f == NULL || g == NULL || g <= f || from == 'Z' || to == 'Z' || to == 'C')
        return false;
    double d = from == 'F' ? (double)v->f : 0;
    int64_t j = from == 'J' ? v->j : v->i;
    switch (to) {
    case 'J': v->j = j; break;
    case 'F': v->f = (float)j; break;
    case 'D': v->d = from == 'F' ? d : (double)j; break;
    default: break;
    }
    return true;
}
