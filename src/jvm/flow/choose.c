/* choose.c - switching flow on and off, and which code it follows. */
#include "jvm/flow/internal.h"

#include "base/check.h"
#include "base/mem.h"
#include "base/text.h"
#include "jvm/agent/agent.h"
#include "jvm/classes/loader.h"
#include "jvm/engine/bare.h"
#include "jvm/heap/heap_shape.h"
#include "jvm/undo/undo.h"

#include <fnmatch.h>
#include <string.h>
#include <sys/mman.h>

static const uint64_t usual_limit = (uint64_t)1 << 30;

static EBB_VEC(char *) patterns;

/* ---- which code ---- */

static bool fits(const jvm_class *cls)
{
    char *name = jvm_class_external_name(cls);
    bool follows = patterns.items[0][0] == '-';
    for (size_t i = 0; i < patterns.n; i++)
        if (fnmatch(patterns.items[i] + 1, name, 0) == 0)
            follows = patterns.items[i][0] != '-';
    free(name);
    return follows;
}

bool flow_follows(const jvm_method *m)
{
    if (patterns.n == 0)
        return true;
    jvm_class *cls = m->cls;
    if (cls->flow_choice == JVM_CHOICE_CALLERS)
        cls->flow_choice = fits(cls) ? JVM_CHOICE_IN : JVM_CHOICE_OUT;
    return cls->flow_choice == JVM_CHOICE_IN;
}

static void set_patterns(const jvm_flow_choice *choice)
{
    for (size_t i = 0; i < patterns.n; i++)
        free(patterns.items[i]);
    patterns.n = 0;
    for (size_t i = 0; i < choice->n_patterns; i++)
        if (choice->patterns[i][0] != '\0')
            ebb_vec_push(&patterns, ebb_strdup(choice->patterns[i]));
}

static void forget_class(jvm_class *cls, void *arg)
{
    cls->flow_choice = JVM_CHOICE_CALLERS;
    for (uint16_t i = 0; i < cls->nmethods; i++) {
        cls->methods[i].flow_context = 0;
        if (cls->methods[i].code != NULL)
            jvm_bare_mark(&cls->methods[i]);
    }
}

/* ---- shadows and cells ---- */

static bool map_at(uintptr_t at, size_t nbytes)
{
    uintptr_t first = at & ~(uintptr_t)4095, end = (at + nbytes + 4095) & ~(uintptr_t)4095;
    return mmap((void *)first, end - first, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED;
}

static bool map_shadow(const void *at, size_t nbytes)
{
    return map_at((uintptr_t)at + JVM_SHADOW, nbytes) && (flow.mode != JAVA_FLOW_WRITES || map_at((uintptr_t)jvm_last_time_of(at), 2 * nbytes));
}

static void unmap_shadow(const void *at, size_t nbytes)
{
    munmap((char *)at + JVM_SHADOW, nbytes);
    munmap(jvm_last_time_of(at), 2 * nbytes);
}

void jvm_flow_mapped_(void *at, size_t nbytes, bool is_mapped)
{
    if (!is_mapped)
        unmap_shadow(at, nbytes);
    else
        ebb_check(map_shadow(at, nbytes));
}

void jvm_flow_stack_(void *at, size_t nbytes)
{
    for (int i = 1; i <= 2; i++)
        ebb_check(map_at((uintptr_t)at + i * JVM_CELLS, nbytes));
}

/* What was in them is forgotten. */
static void clear_cells(void)
{
    for (const jvm_thread *t = jvm_threads_first(); t != NULL; t = t->next_all)
        jvm_flow_stack_(t->stack, t->stack_size);
}

static bool stacks_fit(void)
{
    for (const jvm_thread *t = jvm_threads_first(); t != NULL; t = t->next_all)
        if (!t->has_cells)
            return false;
    return true;
}

static void drop_shadows(void)
{
    unmap_shadow(jvm_heap_.base, jvm_heap_.reserved);
    for (size_t i = 0; i < jvm_heap_.large.n; i++)
        jvm_flow_mapped_(jvm_heap_.large.items[i], jvm_heap_.large.items[i]->mapped, false);
    clear_cells(); /* FO8 */
    flow_space_drop();
}

static bool make_shadows(void)
{
    if (!flow_space_make() || !map_shadow(jvm_heap_.base, jvm_heap_.reserved))
        return false;
    for (size_t i = 0; i < jvm_heap_.large.n; i++)
        jvm_flow_mapped_(jvm_heap_.large.items[i], jvm_heap_.large.items[i]->mapped, true);
    clear_cells();
    return true;
}

/* ---- switching ---- */

static void switch_off(void)
{
    if (!jvm_flow_on)
        return;
    jvm_flow_on = false;
    flow.mode = JAVA_FLOW_OFF;
    jvm_trace &= (uint8_t)~(JVM_TRACE_FLOW | JVM_TRACE_LAST);
    drop_shadows();
    for (jvm_thread *t = jvm_threads_first(); t != NULL; t = t->next_all)
        t->flow_passed = t->flow_returned = t->flow_thrown = 0;
}

static void take_choice(const jvm_flow_choice *choice)
{
    flow = (flow_state){.mode = choice->mode, .no_origins = choice->no_origins, .no_predecessors = choice->no_predecessors,
                        .kinds = choice->kinds == 0 ? ALL_KINDS : choice->kinds,
                        .limit = (choice->limit == 0 ? usual_limit : choice->limit) / sizeof(jvm_brief), .since = jvm_time()};
    if (flow.limit > flow_most_units())
        flow.limit = flow_most_units();
    set_patterns(choice);
    flow.considers = flow.kinds != ALL_KINDS || patterns.n > 0 || flow.mode == JAVA_FLOW_NULLS;
    flow.has_cells = flow.mode != JAVA_FLOW_WRITES && !flow.no_origins;
    jvm_flow_forgets = flow.no_predecessors && flow.mode != JAVA_FLOW_WRITES;
    jvm_flow_last_only = flow.mode == JAVA_FLOW_WRITES;
    jvm_each_class(forget_class, NULL);
    flow_forget_called();
}

ebb_status jvm_flow_set(const jvm_flow_choice *choice, ebb_error *err)
{
    switch_off();
    if (choice->mode == JAVA_FLOW_OFF)
        return EBB_OK;
    if (jvm_heap_.base != (char *)JVM_REGION_FIRST || !stacks_fit())
        return ebb_fail(err, EBB_UNSUPPORTED, "Object flow needs addresses that are taken, or stacks of at most 512M (-Xss).");
    (void)jvm_undo_set(0); /* FO6 */
    take_choice(choice);
    if (!make_shadows()) {
        drop_shadows();
        return ebb_fail(err, EBB_SYSTEM, "There is no room for the aliases of object flow.");
    }
    jvm_flow_on = true;
    jvm_trace |= flow.has_cells ? JVM_TRACE_FLOW : JVM_TRACE_LAST;
    return EBB_OK;
}

jvm_flow_extent jvm_flow_get(void)
{
    if (!jvm_flow_on)
        return (jvm_flow_extent){0};
    if (flow.mode == JAVA_FLOW_WRITES) {
        enum { NBYTES = sizeof(uint32_t) + sizeof(uint64_t) };
        uint64_t n = flow_last_count();
        return (jvm_flow_extent){.mode = flow.mode, .since = flow.since, .made = n, .alive = n, .nbytes = n * NBYTES};
    }
    return (jvm_flow_extent){.mode = flow.mode, .since = flow.since, .made = flow_made(), .alive = flow_alive(), .nbytes = flow_nbytes(),
                             .n_collections = flow_counted.n_collections, .dropped = flow_counted.dropped};
}

void jvm_flow_init(void)
{
    static const char *const library[] = {"+java.*"};
    static const struct {
        const char *text;
        jvm_flow_choice choice;
    } choices[] = {{"some-kinds", {.mode = JAVA_FLOW_ALL, .kinds = 1 << JAVA_ALIAS_ALLOCATION | 1 << JAVA_ALIAS_FIELD_WRITE | 1 << JAVA_ALIAS_ARRAY_WRITE}},
                   {"some-classes", {.mode = JAVA_FLOW_ALL, .patterns = library, .n_patterns = 1}},
                   {"on", {.mode = JAVA_FLOW_ALL}}, {"writes", {.mode = JAVA_FLOW_WRITES}}, {"null", {.mode = JAVA_FLOW_NULLS}},
                   {"no-predecessors", {.mode = JAVA_FLOW_ALL, .no_predecessors = true}}, {"no-origins", {.mode = JAVA_FLOW_ALL, .no_origins = true}}};
    const char *text = getenv("EBB_FLOW"), *checks = getenv("EBB_FLOW_CHECK");
    for (size_t i = 0; text != NULL && i < sizeof choices / sizeof *choices; i++)
        if (strcmp(text, choices[i].text) == 0)
            (void)jvm_flow_set(&choices[i].choice, NULL);
    flow.checks = checks != NULL;
    unsetenv("EBB_FLOW");
    unsetenv("EBB_FLOW_CHECK");
}
