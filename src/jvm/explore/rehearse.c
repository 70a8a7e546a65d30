/* rehearse.c - classes of the class library that every run would initialise are initialised before the first of them.
 *
 * Most initialisers only fill tables.  One that looks at a clock, starts or makes a thread or asks for an identity hash would do it earlier than in the
 * program's own order, and what came later would be different: such a class is left to the runs.  Which they are is found out by
 * rehearsal: a copy initialises one class after another, and ends at the first of that kind.  The next copy leaves it out, and so on, until one comes
 * through; then the machine itself does the same as that last copy.
 *
 * An initialiser may also read a system property.  So nothing is initialised early if the program could set one. */
#include "jvm/explore/internal.h"

#include "jvm/classes/loader.h"
#include "jvm/jvm.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MOST_SECONDS = 5,       /* of a rehearsal: something waits for somebody */
    MOST_REHEARSALS = 100,
};

/* ---- what can be told ---- */

typedef struct traces {
    int64_t steps;         /* looks at clocks */
    uint32_t hashes, last_thread;
    int64_t thread_objects, unnamed_threads;
} traces;

static int64_t static_of_thread(const char *name, const char *sig)
{
    const jvm_class *cls = jvm.classes.Thread;
    const jvm_field *f = jvm_class_find_field(cls, jvm_sym_get(name), jvm_sym_get(sig));
    if (f == NULL)
        return 0;
    return f->type == 'J' ? jvm_get_i64(cls->mirror, f->offset) : jvm_get_i32(cls->mirror, f->offset);
}

static traces traces_now(void)
{
    traces now = {.steps = explore.steps, .hashes = jvm_identity_hashes(), .thread_objects = static_of_thread("threadSeqNumber", "J"),
                  .unnamed_threads = static_of_thread("threadInitNumber", "I")};
    for (const jvm_thread *t = jvm_threads_first(); t != NULL; t = t->next_all)
        now.last_thread = t->id > now.last_thread ? t->id : now.last_thread;
    return now;
}

static bool is_same(const traces *a, const traces *b)
{
    return a->steps == b->steps && a->hashes == b->hashes && a->last_thread == b->last_thread && a->thread_objects == b->thread_objects &&
           a->unnamed_threads == b->unnamed_threads;
}

/* False: it left a trace, or failed. */
static bool initialise(jvm_thread *t, jvm_class *cls)
{
    traces before = traces_now();
    bool ok = jvm_init_class(t, cls);
    t->exception = NULL;
    traces after = traces_now();
    return ok && is_same(&before, &after);
}

/* ---- system properties ---- */

static bool names_setter(const jvm_class *cls)
{
    for (uint16_t i = 1; i < cls->pool.n; i++) {
        const jvm_sym *of, *name, *sig;
        if (cls->pool.tags[i] != JVM_CP_METHOD)
            continue;
        jvm_cp_member((jvm_class *)cls, i, &of, &name, &sig);
        if (jvm_sym_is(of, "java/lang/System") && (jvm_sym_is(name, "setProperty") || jvm_sym_is(name, "getProperties") ||
                                                   jvm_sym_is(name, "setProperties") || jvm_sym_is(name, "clearProperty")))
            return true;
    }
    return false;
}

static void look_for_setter(jvm_class *cls, void *found)
{
    *(bool *)found |= cls->kind == JVM_KIND_INSTANCE && explore_is_program(cls) && names_setter(cls);
}

static bool may_set_property(void)
{
    bool found = false;
    jvm_each_class(look_for_setter, &found);
    return found;
}

/* ---- rehearsals ---- */

typedef struct plan {
    jvm_class *const *classes;
    size_t n;
    bool *is_left; /* to the runs */
} plan;

static bool is_due(const plan *p, size_t i)
{
    return !p->is_left[i] && p->classes[i]->state < JVM_CLASS_INITIALIZING && !explore_is_program(p->classes[i]);
}

/* How many of them went well. */
static size_t initialise_all(const plan *p)
{
    size_t i = 0;
    while (i < p->n && (!is_due(p, i) || initialise(jvm_self, p->classes[i])))
        i++;
    return i;
}

_Noreturn static void rehearse(const plan *p, int out)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setitimer(ITIMER_REAL, &(struct itimerval){.it_value.tv_sec = MOST_SECONDS}, NULL);
    signal(SIGALRM, SIG_DFL);
    size_t n = initialise_all(p);
    _exit(write(out, &n, sizeof n) != sizeof n);
}

/* What the copy says; false: it says nothing. */
static bool hear_rehearsal(const plan *p, size_t *n)
{
    int ends[2];
    if (pipe(ends) != 0)
        return false;
    pid_t pid = fork();
    if (pid == 0)
        rehearse(p, ends[1]);
    close(ends[1]);
    bool heard = pid > 0 && read(ends[0], n, sizeof *n) == sizeof *n;
    close(ends[0]);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    return heard;
}

static bool rehearse_until_well(plan *p)
{
    for (int i = 0; i < MOST_REHEARSALS; i++) {
        size_t n;
        if (!hear_rehearsal(p, &n))
            return false;
        if (n == p->n)
            return true;
        p->is_left[n] = true;
    }
    return false;
}

void explore_initialise(jvm_class *const *classes, size_t n)
{
    plan p = {classes, n, ebb_zalloc((n + 1) * sizeof(bool))};
    if (!may_set_property() && rehearse_until_well(&p))
        (void)initialise_all(&p);
    free(p.is_left);
}
