/* Stack traces: recorded as (method, bci) pairs in a long[], turned into StackTraceElements on demand. */
#include "jvm/engine/throw.h"

#include "base/mem.h"
#include "jvm/engine/frame.h"
#include "jvm/heap/heap.h"
#include "jvm/heap/jstring.h"
#include "jvm/classes/module.h"
#include "jvm/record/outside.h"
#include "jvm/jvm.h"

#include <stdio.h>
#include <string.h>

/* The first frame that belongs into the trace: not fillInStackTrace, not the constructors of the throwable. */
static jvm_frame *first_frame(const jvm_thread *t, const jvm_obj *throwable)
{
    jvm_frame *f = jvm_top_frame(t);
    while (f != NULL && jvm_sym_is(f->method->name, "fillInStackTrace") &&
           jvm_is_subclass(f->method->cls, jvm.classes.Throwable))
        f = jvm_caller_frame(f);
    while (f != NULL && jvm_method_is_init(f->method) && f->locals[0].a == throwable)
        f = jvm_caller_frame(f);
    return f;
}

/* -XX:MaxJavaStackTraceDepth; 0 means any depth. */
static int32_t deepest(void)
{
    enum { ANY = INT32_MAX / 2 };
    int64_t given = jvm.options.trace_depth;
    return given > 0 && given < ANY ? (int32_t)given : ANY;
}

void jvm_fill_in_stack_trace(jvm_thread *t, jvm_obj *throwable)
{
    int32_t depth = 0, most = deepest();
    if (!jvm.options.traces)
        return;
    jvm_frame *first = first_frame(t, throwable);
    for (jvm_frame *f = first; f != NULL && depth < most; f = jvm_caller_frame(f))
        depth += !jvm_frame_is_hidden(f);
    int32_t mark = first != NULL && jvm_frame_is_hidden(first); /* jvm_npe_message: an odd word at the end */
    jvm_obj *trace = jvm_new_prim_array(t, 'J', 2 * depth + mark);
    if (trace == NULL) {
        t->exception = NULL; /* better an exception without a trace */
        return;
    }
    int64_t *out = jvm_array_data(trace);
    int32_t n = 0;
    for (jvm_frame *f = first; f != NULL && n < depth; f = jvm_caller_frame(f)) {
        if (jvm_frame_is_hidden(f))
            continue;
        out[2 * n] = jvm_method_token(f->method);
        out[2 * n + 1] = jvm_frame_bci(f);
        n++;
    }
    jvm_put_ref(throwable, jvm.fields.Throwable_backtrace, trace);
    jvm_put_i32(throwable, jvm.fields.Throwable_depth, depth);
}

bool jvm_stack_trace_element(jvm_thread *t, jvm_obj *e, const jvm_method *m, int bci)
{
    const jvm_class *cls = m->cls;
    jvm_put_ref(e, jvm.fields.StackTraceElement_declaringClassObject, cls->mirror);
    jvm_put_ref(e, jvm.fields.StackTraceElement_declaringClass, jvm_string_of_class_name(t, cls));
    jvm_put_ref(e, jvm.fields.StackTraceElement_methodName, jvm_string_of_sym(t, m->name));
    if (cls->source_file != NULL)
        jvm_put_ref(e, jvm.fields.StackTraceElement_fileName, jvm_string_of_sym(t, cls->source_file));
    jvm_put_i32(e, jvm.fields.StackTraceElement_lineNumber, jvm_method_line(m, bci));
    if (cls->loader->object != NULL)
        jvm_put_ref(e, jvm.fields.StackTraceElement_classLoaderName,
                    jvm_get_ref(cls->loader->object, jvm.fields.ClassLoader_name));
    const jvm_module *module = cls->module;
    if (module != NULL && module->name != NULL) {
        jvm_put_ref(e, jvm.fields.StackTraceElement_moduleName, jvm_string_of_sym(t, module->name));
        if (module->version != NULL)
            jvm_put_ref(e, jvm.fields.StackTraceElement_moduleVersion, jvm_string_new(t, module->version));
    }
    return !jvm_pending(t);
}

bool jvm_stack_trace_elements(jvm_thread *t, jvm_obj *elements, jvm_obj *throwable)
{
    const jvm_obj *trace = jvm_get_ref(throwable, jvm.fields.Throwable_backtrace);
    if (trace == NULL)
        return true;
    const int64_t *rows = jvm_array_data(trace);
    for (int32_t i = 0; i < elements->length && 2 * i + 1 < trace->length; i++) {
        const jvm_method *m = jvm_token_method(rows[2 * i]);
        if (!jvm_stack_trace_element(t, jvm_elem_ref(elements, i), m, (int)rows[2 * i + 1]))
            return false;
    }
    return true;
}

void jvm_print_exception(jvm_thread *t, jvm_obj *throwable)
{
    char *name = jvm_class_external_name(throwable->cls);
    char *message = jvm_string_utf8(jvm_get_ref(throwable, jvm.fields.Throwable_detailMessage));
    jvm_outside_print(stderr, "%s%s%s\n", name, *message ? ": " : "", message);
    free(name);
    free(message);
    const jvm_obj *trace = jvm_get_ref(throwable, jvm.fields.Throwable_backtrace);
    for (int32_t i = 0; trace != NULL && i + 1 < trace->length; i += 2) {
        const int64_t *row = (const int64_t *)jvm_array_data(trace) + i;
        const jvm_method *m = jvm_token_method(row[0]);
        char *cls = jvm_class_external_name(m->cls);
        jvm_outside_print(stderr, "\tat %s.%s(%s:%d)\n", cls, m->name->text, m->cls->source_file ? m->cls->source_file->text : "?",
                jvm_method_line(m, (int)row[1]));
        free(cls);
    }
    jvm_obj *cause = jvm_get_ref(throwable, jvm.fields.Throwable_cause);
    if (cause != NULL && cause != throwable) {
        jvm_outside_print(stderr, "Caused by: ");
        jvm_print_exception(t, cause);
    }
}
