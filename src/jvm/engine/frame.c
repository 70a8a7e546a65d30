/* frame.c - where a frame stands, and walking over frames. */
#include "jvm/engine/frame.h"

#include "jvm/engine/prepare.h"
#include "jvm/jvm.h"

int jvm_frame_bci(const jvm_frame *f)
{
    if (f->kind != JVM_FRAME_JAVA)
        return -1;
    return f->method->code->bci[f->pc - f->method->code->insns];
}

uint64_t jvm_method_place(const jvm_method *m, uint32_t bci)
{
    return (uint64_t)m->cls->serial << 32 | (uint64_t)m->slot << 16 | (bci & 0xffff);
}

uint64_t jvm_frame_place(const jvm_frame *f)
{
    return jvm_method_place(f->method, f->kind == JVM_FRAME_JAVA ? (uint32_t)jvm_frame_bci(f) : 0xffff);
}

int jvm_frame_line(const jvm_frame *f)
{
    return jvm_method_line(f->method, jvm_frame_bci(f));
}

static jvm_frame *skip_entries(jvm_frame *f)
{
    while (f != NULL && f->kind == JVM_FRAME_ENTRY)
        f = f->prev;
    return f;
}

jvm_frame *jvm_top_frame(const jvm_thread *t)
{
    return skip_entries(t->frame);
}

jvm_frame *jvm_caller_frame(const jvm_frame *f)
{
    return skip_entries(f->prev);
}

bool jvm_frame_is_hidden(const jvm_frame *f)
{
    return (f->method->flags & (JVM_METHOD_HIDDEN | JVM_METHOD_COMPILED_FORM)) || (f->method->cls->flags & JVM_CLASS_HIDDEN);
}

/* Frames of reflection and method handles that count as if they were not there. */
static bool is_machinery(const jvm_method *m)
{
    if (m->cls == jvm.classes.Method && jvm_sym_is(m->name, "invoke"))
        return true;
    if (jvm.classes.MethodAccessorImpl != NULL && jvm_is_subclass(m->cls, jvm.classes.MethodAccessorImpl))
        return true;
    return (m->flags & (JVM_METHOD_INTRINSIC | JVM_METHOD_COMPILED_FORM)) != 0;
}

jvm_class *jvm_caller_class(const jvm_thread *t, int depth)
{
    int at = 0;
    for (jvm_frame *f = jvm_top_frame(t); f != NULL; f = jvm_caller_frame(f)) {
        if (at >= 2 && is_machinery(f->method))
            continue;
        if (at == depth)
            return f->method->cls;
        at++;
    }
    return NULL;
}
