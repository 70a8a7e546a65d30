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

bool jvm_method_is_hidden(const jvm_method *m)
{
    return (m->flags & (JVM_METHOD_HIDDEN | JVM_METHOD_COMPILED_FORM)) || (m->cls->flags & JVM_CLASS_HIDDEN);
}

bool jvm_frame_is_hidden(const jvm_frame *f)
{
    return jvm_method_is_hidden(f->method);
}
