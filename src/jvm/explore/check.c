/* check.c - a method of the program, named by the user, that says whether a run that ended well did what it should. */
#include "jvm/explore/internal.h"

#include "base/text.h"
#include "jvm/classes/loader.h"
#include "jvm/engine/invoke.h"
#include "jvm/engine/throw.h"
#include "jvm/record/record.h"
#include "jvm/jvm.h"

#include <stdio.h>
#include <string.h>

static char *check; /* CLASS.METHOD */

void explore_check_init(void)
{
    const char *text = getenv("EBB_EXPLORE_CHECK");
    check = text == NULL ? NULL : ebb_strdup(text);
    unsetenv("EBB_EXPLORE_CHECK");
}

static jvm_class *find_class(jvm_thread *t, const char *name, size_t n)
{
    char *internal = ebb_strndup(name, n);
    for (char *c = internal; *c != '\0'; c++)
        *c = *c == '.' ? '/' : *c;
    jvm_class *cls = jvm_load_class(t, explore.loader, jvm_sym_get(internal));
    free(internal);
    t->exception = NULL;
    return cls;
}

/* NULL: there is none. */
static jvm_method *find_check(jvm_thread *t)
{
    const char *dot = strrchr(check, '.');
    jvm_class *cls = dot == NULL ? NULL : find_class(t, check, (size_t)(dot - check));
    if (cls == NULL)
        return NULL;
    jvm_method *m = jvm_class_find_method_text(cls, dot + 1, "()Z");
    if (m == NULL)
        m = jvm_class_find_method_text(cls, dot + 1, "()V");
    return m != NULL && jvm_method_is_static(m) ? m : NULL;
}

static void describe_thrown(jvm_thread *t, char *text, size_t size)
{
    jvm_obj *thrown = jvm_exception_take(t);
    char *name = jvm_class_external_name(thrown->cls);
    snprintf(text, size, "%.80s throws %.80s", check, name);
    free(name);
}

/* It is no part of the execution: nothing of it is recorded, and nobody else is given a turn that need not have one. */
enum jvm_outcome explore_check_judge(char *text, size_t size)
{
    jvm_thread *t = jvm_self;
    if (check == NULL || t == NULL)
        return JVM_OUTCOME_PASSED;
    jvm_record_flush();
    jvm_history = JVM_UNRECORDED;
    explore.decides = false;
    jvm_method *m = find_check(t);
    snprintf(text, size, "There is no static method %.80s without parameters.", check);
    if (m == NULL)
        return JVM_OUTCOME_MISNAMED;
    bool holds = jvm_ensure_init(t, m->cls);
    if (holds)
        holds = jvm_callv(t, m).i != 0 || m->sig->text[2] == 'V';
    snprintf(text, size, "%.80s says false", check);
    if (t->exception != NULL) {
        describe_thrown(t, text, size);
        return JVM_OUTCOME_CHECK;
    }
    return holds ? JVM_OUTCOME_PASSED : JVM_OUTCOME_CHECK;
}
