/* throw.c - errors for want of memory are made beforehand: there is none left when they are thrown. */
#include "jvm/engine/throw.h"

#include "base/buf.h"
#include "base/check.h"
#include "base/log.h"
#include "jvm/heap/handles.h"
#include "jvm/heap/heap.h"
#include "jvm/engine/invoke.h"
#include "jvm/heap/jstring.h"
#include "jvm/classes/loader.h"
#include "jvm/engine/throw_init.h"
#include "jvm/record/record.h"
#include "jvm/jvm.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static jvm_obj *oom_heap, *oom_array;

static void visit_preallocated(jvm_visit_fn *visit, void *arg)
{
    if (oom_heap != NULL)
        visit(&oom_heap, arg);
    if (oom_array != NULL)
        visit(&oom_array, arg);
}

static jvm_obj *oom_new(jvm_thread *t, const char *message)
{
    jvm_obj *o = jvm_new_object(t, jvm.classes.OutOfMemoryError);
    jvm_put_ref(o, jvm.fields.Throwable_detailMessage, jvm_string_new(t, message));
    return o;
}

void jvm_throw_init(jvm_thread *t)
{
    oom_heap = oom_new(t, "Java heap space");
    oom_array = oom_new(t, "Requested array size exceeds VM limit");
    jvm_heap_add_roots(visit_preallocated);
}

jvm_obj *jvm_exception_take(jvm_thread *t)
{
    jvm_obj *o = t->exception;
    t->exception = NULL;
    return o;
}

/* A fresh exception object with its constructor run; NULL and something else pending on failure. */
static jvm_obj *make(jvm_thread *t, jvm_class *cls, const char *message)
{
    if (!jvm_ensure_init(t, cls))
        return NULL;
    jvm_obj *o = jvm_new_object(t, cls);
    if (o == NULL)
        return NULL;
    size_t mark = jvm_handles_mark(t);
    jvm_local(t, o);
    jvm_obj *text = message ? jvm_string_new(t, message) : NULL;
    jvm_local(t, text);
    jvm_method *with = jvm_class_own_method(cls, jvm_sym_get("<init>"), jvm_sym_get("(Ljava/lang/String;)V"));
    jvm_method *without = jvm_class_own_method(cls, jvm_sym_get("<init>"), jvm_sym_get("()V"));
    if (text != NULL && with != NULL) {
        jvm_callv(t, with, o, text);
    } else if (without != NULL) {
        jvm_callv(t, without, o);
        if (text != NULL)
            jvm_put_ref(o, jvm.fields.Throwable_detailMessage, text);
    } else if (with != NULL) {
        jvm_callv(t, with, o, (jvm_obj *)NULL);
    }
    jvm_handles_release(t, mark);
    return jvm_pending(t) ? NULL : o;
}

void jvm_throw_class(jvm_thread *t, jvm_class *cls, const char *message)
{
    t->exception = NULL;
    ebb_log("%s: %s", cls->name->text, message ? message : "");
    jvm_obj *o = make(t, cls, message);
    if (o != NULL)
        t->exception = o;
}

static void no_exceptions_yet(const char *class_name, const char *message)
{
    fprintf(stderr, "Error occurred during initialization of VM\n%s: %s\n", class_name, message);
    jvm_halt(1);
}

void jvm_throw(jvm_thread *t, const char *class_name, const char *format, ...)
{
    char message[2048];
    if (format != NULL) {
        va_list args;
        va_start(args, format);
        vsnprintf(message, sizeof message, format, args);
        va_end(args);
    }
    if (jvm.classes.Throwable == NULL || jvm.methods.Throwable_init == NULL)
        no_exceptions_yet(class_name, format ? message : "");
    t->exception = NULL;
    jvm_class *cls = jvm_load_boot(t, class_name);
    if (cls != NULL)
        jvm_throw_class(t, cls, format ? message : NULL);
}

void jvm_throw_object(jvm_thread *t, jvm_obj *throwable)
{
    if (throwable == NULL)
        jvm_throw(t, JVM_NPE, NULL);
    else
        t->exception = throwable;
}

/* %p stands for the process. */
static void run_command(const char *text, size_t n)
{
    ebb_buf command = {0};
    for (const char *at = text, *end = text + n; at < end; at++)
        if (at + 1 < end && at[0] == '%' && at[1] == 'p') {
            ebb_buf_addf(&command, "%d", (int)getpid());
            at++;
        } else {
            ebb_buf_addc(&command, *at);
        }
    printf("#   Executing /bin/sh -c \"%s\"...\n", ebb_buf_text(&command));
    fflush(stdout);
    (void)!system(ebb_buf_text(&command));
    ebb_buf_fini(&command);
}

/* -XX:OnOutOfMemoryError="COMMAND;...", the first time. */
static void run_oom_commands(const char *message)
{
    static bool were_run;
    size_t i;
    jvm_flag flag;
    if (were_run || !jvm_flag_find("OnOutOfMemoryError", &i))
        return;
    jvm_flag_get(&jvm.options, i, &flag);
    if (flag.text == NULL)
        return;
    jvm_undo_cut("a command that the system was given");
    were_run = true;
    if (jvm_is_replaying())
        return;
    printf("#\n# java.lang.OutOfMemoryError: %s\n# -XX:OnOutOfMemoryError=\"%s\"\n", message, flag.text);
    for (const char *at = flag.text, *end; *at != '\0'; at = *end == ';' ? end + 1 : end) {
        at += strspn(at, " ");
        end = at + strcspn(at, ";");
        run_command(at, (size_t)(end - at));
    }
}

void jvm_throw_oom(jvm_thread *t, const char *message)
{
    enum { EXIT_STATUS = 3 };
    run_oom_commands(message);
    if (jvm.options.exit_on_oom) {
        printf("Terminating due to java.lang.OutOfMemoryError: %s\n", message);
        fflush(stdout);
        _exit(EXIT_STATUS);
    }
    t->exception = strncmp(message, "Requested", 9) == 0 ? oom_array : oom_heap;
    if (t->exception == NULL)
        no_exceptions_yet(JVM_OOME, message);
}

/* Handling the overflow needs some stack itself: the zone after stack_limit. */
void jvm_throw_stack_overflow(jvm_thread *t)
{
    jvm_slot *limit = t->stack_limit;
    char *c_limit = t->c_limit;
    bool nested = limit == t->stack_end;
    jvm_undo_keep(&t->stack_limit, sizeof t->stack_limit); /* whoever goes back from inside doesn't come by the end of this */
    t->stack_limit = t->stack_end;
    t->c_limit -= nested ? 0 : 32 * 1024;
    jvm_throw(t, "java/lang/StackOverflowError", NULL);
    if (!nested) {
        t->stack_limit = limit;
        t->c_limit = c_limit;
    }
}

void jvm_throw_wrapped(jvm_thread *t, const char *class_name, const char *message)
{
    jvm_obj *cause = jvm_exception_take(t);
    size_t mark = jvm_handles_mark(t);
    jvm_local(t, cause);
    jvm_throw(t, class_name, "%s", message);
    jvm_obj *wrapper = jvm_exception_take(t);
    if (wrapper != NULL) {
        jvm_local(t, wrapper);
        jvm_callv(t, jvm.methods.Throwable_initCause, wrapper, cause);
        if (!jvm_pending(t))
            t->exception = wrapper;
    }
    jvm_handles_release(t, mark);
}
