/* warm.c - what every run would load, prepare, initialise and link is done once, before the first of them.
 *
 * A first copy, the scout, runs to its end by habit and lists the classes that were loaded in it, the methods that were prepared, the classes of the
 * library that were initialised and the instructions that were quickened.  The machine that is copied then does the same, as far as the program
 * can't tell: no class of the program is initialised by it (rehearse.c), nor by quickening an instruction. */
#include "jvm/explore/internal.h"

#include "jvm/classes/loader.h"
#include "jvm/classes/resolve.h"
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
        if (jvm_xop_may_be_quickened(jvm_insn_op(&m->code->insns[i])))
            fprintf(list, "q %u\n", i);
}

static void list_class(jvm_class *cls, void *arg)
{
    if (!has_name(cls))
        return;
    tell(cls->state == JVM_CLASS_INITIALIZED ? 'i' : 'c', 0, cls);
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

static bool is_initialised(const jvm_class *cls) { return cls != NULL && cls->state == JVM_CLASS_INITIALIZED; }

/* Whether quickening it would initialise a class. */
static bool would_initialise(jvm_thread *t, jvm_method *m, const jvm_insn *in)
{
    const jvm_field *f;
    const jvm_method *called;
    switch (jvm_insn_op(in)) {
    case JVM_X_getstatic: case JVM_X_putstatic:
        f = jvm_resolve_field(t, m->cls, in->a, true, jvm_insn_op(in) == JVM_X_putstatic, m);
        return f == NULL || !is_initialised(f->cls);
    case JVM_X_invokestatic:
        called = jvm_resolve_method(t, m->cls, in->a, JVM_INVOKE_STATIC);
        return called == NULL || !is_initialised(called->cls);
    case JVM_X_new:
        return !is_initialised(jvm_resolve_class(t, m->cls, in->a));
    case JVM_X_ldc: case JVM_X_ldc2:
        return m->cls->pool.tags[in->a] == JVM_CP_DYNAMIC;
    default:
        return false;
    }
}

static void warm_insn(jvm_thread *t, jvm_method *m, jvm_insn *in)
{
    jvm_slot value;
    jvm_method *target = NULL;
    uint16_t op = jvm_insn_op(in);
    if (would_initialise(t, m, in))
        return;
    switch (op) {
    case JVM_X_ldc: case JVM_X_ldc2: (void)jvm_quicken_ldc(t, m, in, &value); break;
    case JVM_X_getstatic: case JVM_X_putstatic: (void)jvm_quicken_field(t, m, in, true, op == JVM_X_putstatic); break;
    case JVM_X_getfield: case JVM_X_putfield: (void)jvm_quicken_field(t, m, in, false, op == JVM_X_putfield); break;
    case JVM_X_invokevirtual: case JVM_X_invokespecial: case JVM_X_invokestatic: case JVM_X_invokeinterface:
        (void)jvm_quicken_invoke(t, m, in, &target);
        break;
    case JVM_X_invokedynamic: (void)jvm_quicken_indy(t, m, in); break;
    case JVM_X_new: (void)jvm_quicken_class(t, m, in, JVM_X_newQ); break;
    case JVM_X_anewarray: (void)jvm_quicken_class(t, m, in, JVM_X_anewarrayQ); break;
    case JVM_X_checkcast: (void)jvm_quicken_class(t, m, in, JVM_X_checkcastQ); break;
    case JVM_X_instanceof: (void)jvm_quicken_class(t, m, in, JVM_X_instanceofQ); break;
    default: break;
    }
    t->exception = NULL;
}

typedef EBB_VEC(jvm_class *) class_list;

/* Lines "q INSTRUCTION" are about the method of the last "m" line.  Two passes: classes and methods; then, with classes initialised, instructions. */
static void warm_line(jvm_thread *t, const char *line, class_list *initialised)
{
    static jvm_method *last;
    char what, loader, name[512];
    unsigned number;
    int n = sscanf(line, "%c %u %c %511s", &what, &number, &loader, name);
    if (n == 2 && what == 'q' && initialised == NULL && last != NULL && last->code != NULL && number < last->code->n)
        warm_insn(t, last, &last->code->insns[number]);
    if (n != 4)
        return;
    jvm_class *cls = load(t, loader == 'b', name);
    last = cls != NULL && what == 'm' && number < cls->nmethods ? &cls->methods[number] : NULL;
    if (last != NULL && last->entry == JVM_ENTRY_UNPREPARED)
        (void)jvm_method_ready(t, last);
    t->exception = NULL;
    if (cls != NULL && what == 'i' && initialised != NULL)
        ebb_vec_push(initialised, cls);
}

static void warm_lines(jvm_thread *t, class_list *initialised)
{
    char line[600];
    rewind(list);
    while (fgets(line, sizeof line, list) != NULL)
        warm_line(t, line, initialised);
}

static void warm_all(jvm_thread *t)
{
    class_list initialised = {0};
    warm_lines(t, &initialised);
    if (!explore_inside) /* else initialisers have switch points */
        explore_initialise(initialised.items, initialised.n);
    warm_lines(t, NULL);
    ebb_vec_fini(&initialised);
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
    int64_t steps = explore.steps;
    explore.decides = false;
    explore.is_warming = true;
    warm_all(jvm_self);
    explore.decides = true;
    explore.is_warming = false;
    explore.steps = steps;
    return false;
}
