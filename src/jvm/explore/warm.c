/* warm.c - what every run would load, prepare and link is done once, before the first of them.
 *
 * A first copy, the scout, runs to its end by habit and lists the classes that were loaded in it, the methods that were prepared and the call
 * sites that were linked.  The machine that is copied then does the same.  None of it initialises a class: the program can't tell. */
#include "jvm/explore/internal.h"

#include "jvm/classes/loader.h"
#include "jvm/engine/interp.h"
#include "jvm/jvm.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static FILE *list;

/* ---- the scout ---- */

static bool has_name(const jvm_class *cls)
{
    return cls->kind == JVM_KIND_INSTANCE && !(cls->flags & JVM_CLASS_HIDDEN) && (cls->loader == jvm.boot || cls->loader == explore.loader);
}

static void tell(char what, unsigned number, const jvm_class *cls)
{
    fprintf(list, "%c %u %c %s\n", what, number, cls->loader == jvm.boot ? 'b' : 'p', cls->name->text);
}

static void list_method(const jvm_method *m)
{
    if (m->entry == JVM_ENTRY_UNPREPARED || m->entry == JVM_ENTRY_ABSTRACT || m->flags & JVM_METHOD_INTRINSIC)
        return;
    tell('m', m->slot, m->cls);
    for (uint32_t i = 0; m->code != NULL && i < m->code->n; i++)
        if (jvm_insn_op(&m->code->insns[i]) == JVM_X_invokesiteQ && explore_is_program(m->cls))
            tell('s', i, m->cls);
}

static void list_class(jvm_class *cls, void *arg)
{
    if (!has_name(cls))
        return;
    tell('c', 0, cls);
    for (uint16_t i = 0; i < cls->nmethods; i++)
        list_method(&cls->methods[i]);
}

_Noreturn void explore_scout_ends(void)
{
    jvm_each_class(list_class, NULL);
    fflush(list);
    _exit(0);
}

/* ---- the others ---- */

static jvm_class *load(jvm_thread *t, bool boot, const char *name)
{
    const jvm_sym *sym = jvm_sym_get(name);
    jvm_loader *loader = boot ? jvm.boot : explore.loader;
    jvm_class *cls = jvm_find_loaded(loader, sym);
    if (cls == NULL)
        cls = jvm_load_class(t, loader, sym);
    if (cls != NULL && !jvm_link_class(t, cls))
        cls = NULL;
    t->exception = NULL;
    return cls;
}

/* The method that the last line was about is that of the call sites after it. */
static void warm_line(jvm_thread *t, const char *line)
{
    static jvm_method *last;
    char what, loader, name[512];
    unsigned number;
    if (sscanf(line, "%c %u %c %511s", &what, &number, &loader, name) != 4)
        return;
    jvm_class *cls = load(t, loader == 'b', name);
    if (cls == NULL)
        return;
    if (what == 'm' && number < cls->nmethods) {
        last = &cls->methods[number];
        if (last->entry == JVM_ENTRY_UNPREPARED)
            (void)jvm_method_ready(t, last);
    } else if (what == 's' && last != NULL && last->cls == cls && last->code != NULL && number < last->code->n) {
        jvm_insn *in = &last->code->insns[number];
        if (jvm_insn_op(in) == JVM_X_invokedynamic)
            (void)jvm_quicken_indy(t, last, in);
    }
    t->exception = NULL;
}

static void warm_all(jvm_thread *t)
{
    char line[600];
    rewind(list);
    while (fgets(line, sizeof line, list) != NULL)
        warm_line(t, line);
    fclose(list);
    list = NULL;
    malloc_trim(0); /* what is not there need not be copied */
}

bool explore_is_scout(void) { return list != NULL && explore.reports; }

bool explore_warm(void)
{
    list = fdopen(memfd_create("warm", MFD_CLOEXEC), "w+");
    if (list == NULL)
        return false;
    pid_t pid = fork();
    if (pid == 0)
        return true;
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    explore.decides = false;
    warm_all(jvm_self);
    explore.decides = true;
    return false;
}
