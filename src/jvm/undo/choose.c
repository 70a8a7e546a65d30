/* choose.c - which code the log is kept for (remote/remote.h, jvm_remote_undo_choose).
 *
 * A method of a class that a pattern names is logged, or it isn't; any other does as who called it, so that what chosen
 * code calls is logged with it.  Where nobody on the stack was named, it is logged if no pattern says what is to be.
 * A thread that gets its turn is logged for a little while in any case: most of those that the user did not think of only wake up to
 * sleep again.
 *
 * Each thread knows the frame that decides for it and all frames above it (undo_from), and how (undo_in).  Methods that may
 * change that are entered by a way of their own (JVM_ENTRY_CHOSEN).  A return below that frame is noticed at once where the log is
 * kept, since nothing below was kept; the other variant notices it at the next moment at which a checkpoint would be due. */
#include "jvm/undo/internal.h"

#include "base/mem.h"
#include "jvm/classes/loader.h"

#include <fnmatch.h>
#include <string.h>

bool jvm_undo_chooses;

static struct {
    EBB_VEC(char *) patterns;
    char *first;       /* CLASS.METHOD */
    bool waits;        /* it was not called yet */
    bool by_default;
} choice;

/* ---- methods ---- */

static enum jvm_choice verdict_on(const jvm_class *cls)
{
    enum jvm_choice verdict = JVM_CHOICE_CALLERS;
    char *name = jvm_class_external_name(cls);
    for (size_t i = 0; i < choice.patterns.n; i++)
        if (fnmatch(choice.patterns.items[i] + 1, name, 0) == 0)
            verdict = choice.patterns.items[i][0] == '-' ? JVM_CHOICE_OUT : JVM_CHOICE_IN;
    free(name);
    return verdict;
}

static bool is_first(const jvm_method *m)
{
    if (choice.first == NULL)
        return false;
    const char *dot = strrchr(choice.first, '.');
    char *name = jvm_class_external_name(m->cls);
    bool is = dot != NULL && jvm_sym_is(m->name, dot + 1) && strlen(name) == (size_t)(dot - choice.first) &&
              strncmp(name, choice.first, strlen(name)) == 0;
    free(name);
    return is;
}

static bool is_java(const jvm_method *m)
{
    return m->entry == JVM_ENTRY_JAVA || m->entry == JVM_ENTRY_JAVA_SYNC || m->entry == JVM_ENTRY_CHOSEN;
}

static void decide(jvm_method *m, enum jvm_choice verdict)
{
    if (m->nbytes == 1)
        verdict = JVM_CHOICE_CALLERS; /* just a return: nothing happens in it, and whoever leaves java.* out still makes objects */
    m->choice = (uint8_t)verdict;
    bool looks = jvm_undo_chooses && (verdict != JVM_CHOICE_CALLERS || is_first(m));
    m->entry = looks ? JVM_ENTRY_CHOSEN : m->access & JVM_ACC_SYNCHRONIZED ? JVM_ENTRY_JAVA_SYNC : JVM_ENTRY_JAVA;
}

void jvm_undo_decide(jvm_method *m)
{
    if (is_java(m))
        decide(m, verdict_on(m->cls));
}

static void decide_class(jvm_class *cls, void *unused)
{
    enum jvm_choice verdict = verdict_on(cls);
    for (uint32_t i = 0; i < cls->nmethods; i++)
        if (is_java(&cls->methods[i]))
            decide(&cls->methods[i], verdict);
}

/* ---- threads ---- */

static void settle(jvm_thread *t)
{
    t->undo_from = NULL;
    t->undo_in = choice.by_default;
    for (jvm_frame *f = t->frame; f != NULL; f = f->prev)
        if (f->method != NULL && f->method->choice != JVM_CHOICE_CALLERS) {
            t->undo_from = f;
            t->undo_in = f->method->choice == JVM_CHOICE_IN;
            return;
        }
}

bool undo_is_chosen(jvm_thread *t)
{
    if (t->undo_from == NULL || t->frame < t->undo_from)
        settle(t);
    return !jvm_undo_chooses || (t->undo_in && !choice.waits);
}

void jvm_undo_reconsider(jvm_thread *t) { undo_keep_if(undo_is_chosen(t)); }

void jvm_undo_enters(jvm_thread *t, const jvm_method *m, jvm_frame *f)
{
    bool waited = choice.waits, was_in = t->undo_in;
    if (waited && is_first(m))
        choice.waits = false;
    if (m->choice != JVM_CHOICE_CALLERS) {
        t->undo_from = f;
        t->undo_in = m->choice == JVM_CHOICE_IN;
    }
    if (t->undo_in != was_in || choice.waits != waited)
        undo_keep_if(t->undo_in && !choice.waits);
}

/* ---- what the user says ---- */

void jvm_undo_choose(const char *const *patterns, size_t n, const char *first_method)
{
    for (size_t i = 0; i < choice.patterns.n; i++)
        free(choice.patterns.items[i]);
    choice.patterns.n = 0;
    choice.by_default = true;
    for (size_t i = 0; i < n; i++) {
        if (patterns[i] == NULL || (patterns[i][0] != '+' && patterns[i][0] != '-'))
            continue;
        ebb_vec_push(&choice.patterns, ebb_strdup(patterns[i]));
        choice.by_default = choice.by_default && patterns[i][0] == '-';
    }
    free(choice.first);
    choice.first = first_method == NULL || *first_method == '\0' ? NULL : ebb_strdup(first_method);
    choice.waits = choice.first != NULL;
    jvm_undo_chooses = choice.patterns.n > 0 || choice.waits;
    jvm_each_class(decide_class, NULL);
    for (jvm_thread *t = jvm_threads_first(); t != NULL; t = t->next_all)
        settle(t);
    if (jvm_self != NULL)
        jvm_undo_reconsider(jvm_self);
}
