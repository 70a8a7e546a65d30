/* aliases.c - the space of records: taking old ones, and the collection of those that nothing leads to. */
#include "jvm/flow/internal.h"

#include "base/check.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/sizes.h"
#include "jvm/classes/loader.h"
#include "jvm/heap/heap.h"

#include <string.h>
#include <sys/mman.h>

enum {
    MAX_RECORDS = 1 << 29, /* so that numbers are below JVM_CONTEXT_CALL */
    FRESH_AT_ONCE = 1 << 14,
    WORD = 64,
    AT_ONCE = 4096,
    LEAST_GAP = 16,
    FIRST_OLD = JVM_ALIAS_OLD / 4,
};

bool jvm_flow_due;
jvm_flow_space jvm_flow_old_;
static jvm_flow_space own; /* when records are considered one by one (flow_state), the interpreter finds none that it could take by itself */
flow_counts flow_counted;

/* What is forgotten: where the record was made before this moment, what it leads to. */
typedef struct flow_cut {
    uint64_t predecessors, origins;
} flow_cut;

static struct {
    bool is_made;
    uint64_t *taken;         /* by record: it is not free, or was given to be taken next */
    uint64_t *marks;
    uint32_t top;            /* records from here on were never taken */
    uint32_t at;             /* where the search for free ones goes on */
    uint64_t made, live;     /* ever; at the last collection */
    uint64_t since, due;     /* made since then, and how many may be */
    flow_cut cut;            /* while marking */
    EBB_VEC(uint32_t) stack;
} space;

static bool bit(const uint64_t *bits, uint32_t i) { return bits[i / WORD] >> (i % WORD) & 1; }
static void set_bit(uint64_t *bits, uint32_t i) { bits[i / WORD] |= (uint64_t)1 << (i % WORD); }

/* ---- room ---- */

void *flow_map(uintptr_t wish, size_t nbytes)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (wish != 0 ? MAP_FIXED_NOREPLACE : 0);
    void *p = mmap((void *)wish, nbytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (p != MAP_FAILED && wish != 0 && (uintptr_t)p != wish) {
        munmap(p, nbytes);
        p = MAP_FAILED;
    }
    return p == MAP_FAILED ? NULL : p;
}

/* As long as no object goes, what is old stays alive, but for a few records that were in cells: there is nothing to gain before all of the room is taken.  If no
 * predecessors are kept, each write lets one go: then some times as many as there are may be made, but not so few that marking them all would cost much. */
static void set_due(void)
{
    uint64_t room = space.live < flow.limit ? flow.limit - space.live : 0;
    uint64_t some = space.live * 3 > JVM_ALIASES_AT_ONCE ? space.live * 3 : JVM_ALIASES_AT_ONCE;
    uint64_t all = room > space.live / 4 ? room : space.live / 4;
    space.due = flow.no_predecessors && some < room ? some : all + FRESH_AT_ONCE;
    space.since = 0;
}

static void reset(void)
{
    space.top = space.at = FIRST_OLD;
    jvm_flow_old_ = own = (jvm_flow_space){JVM_ALIAS_OLD, JVM_ALIAS_OLD};
    space.made = space.live = space.since = 0;
    set_due();
    jvm_flow_due = false;
    flow_counted = (flow_counts){0};
    *jvm_alias_at(JVM_ALIAS_UNKNOWN) = (jvm_alias){.when = JAVA_ALIAS_UNKNOWN << 16, .age = JVM_AGE_WHOLE};
    *jvm_alias_at(JVM_ALIAS_DROPPED) = (jvm_alias){.when = JAVA_ALIAS_DROPPED << 16, .age = JVM_AGE_WHOLE};
}

bool flow_space_make(void)
{
    flow_space_drop();
    space.is_made = true;
    space.taken = flow_map(0, MAX_RECORDS / 8);
    space.marks = flow_map(0, MAX_RECORDS / 8);
    if (space.taken == NULL || space.marks == NULL || flow_map(JVM_ALIASES, (size_t)MAX_RECORDS * sizeof(jvm_alias)) == NULL) {
        flow_space_drop();
        return false;
    }
    reset();
    if (!flow_young_make()) {
        flow_space_drop();
        return false;
    }
    return true;
}

static void drop_bits(uint64_t **bits)
{
    if (*bits != NULL)
        munmap(*bits, MAX_RECORDS / 8);
    *bits = NULL;
}

void flow_space_drop(void)
{
    if (!space.is_made)
        return;
    munmap((void *)JVM_ALIASES, (size_t)MAX_RECORDS * sizeof(jvm_alias));
    drop_bits(&space.taken);
    drop_bits(&space.marks);
    flow_young_drop();
    space.is_made = jvm_flow_due = false;
}

/* ---- taking ---- */

/* Free records between two that are taken, up to a limit; none: beyond all that were ever taken. */
static void find_next(uint32_t *first, uint32_t *n)
{
    while (space.at < space.top && space.taken[space.at / WORD] == UINT64_MAX)
        space.at = (space.at / WORD + 1) * WORD;
    while (space.at < space.top && bit(space.taken, space.at))
        space.at++;
    *first = space.at < space.top ? space.at : space.top;
    for (*n = 0; *n < FRESH_AT_ONCE && (space.at >= space.top || *first + *n < space.top) && !bit(space.taken, *first + *n); ++*n)
        set_bit(space.taken, *first + *n);
    space.at = *first + *n;
    if (*first + *n > space.top)
        space.top = *first + *n;
}

/* Gaps of a few are left until the next collection: the interpreter takes records without looking as long as there are some. */
static void find_free(uint32_t *first, uint32_t *n)
{
    do
        find_next(first, n);
    while (*n < LEAST_GAP && space.at < space.top);
}

/* Their pages, all at once: one by one, as they are written to, they would take longer than the records. */
static void want_pages(uint32_t first, uint32_t n)
{
    uintptr_t at = (uintptr_t)jvm_alias_at(first * 4) & ~(uintptr_t)4095;
    if (first + n == space.top)
        (void)madvise((void *)at, (size_t)n * sizeof(jvm_alias), MADV_POPULATE_WRITE);
}

static jvm_flow_space *taken_from(void) { return flow.considers ? &own : &jvm_flow_old_; }
static uint32_t n_ahead(void) { return (taken_from()->end - taken_from()->next) / 4; }

uint32_t flow_take_old(void)
{
    jvm_flow_space *from = taken_from();
    if (from->next == from->end) {
        uint32_t first, n;
        ebb_check(space.top < MAX_RECORDS - FRESH_AT_ONCE);
        find_free(&first, &n);
        want_pages(first, n);
        *from = (jvm_flow_space){first * 4, (first + n) * 4};
        space.made += n;
        space.since += n;
        jvm_flow_due = jvm_flow_due || space.since > space.due;
    }
    from->next += 4;
    return from->next - 4;
}

bool flow_has(uint32_t number)
{
    if (number < JVM_ALIAS_OLD)
        return number >= JVM_ALIAS_UNKNOWN && (number < JVM_ALIAS_FIRST || flow_is_young(number));
    return number / 4 < space.top && space.taken != NULL && bit(space.taken, number / 4);
}

static uint64_t n_old(void) { return space.live + space.since - n_ahead(); }

uint64_t flow_made(void) { return space.made - n_ahead() - flow_young_moved() + flow_young_made(); }
uint64_t flow_alive(void) { return n_old() + flow_n_young(); }

void flow_each(void (*visit)(uint32_t number, const jvm_alias *a, void *arg), void *arg)
{
    for (uint32_t i = FIRST_OLD; i < space.top; i++)
        if (bit(space.taken, i) && !(i >= taken_from()->next / 4 && i < taken_from()->end / 4))
            visit(i * 4, jvm_alias_at(i * 4), arg);
    for (uint32_t i = 0; i < flow_n_young(); i++)
        visit(JVM_ALIAS_FIRST + i * 4, jvm_alias_at(JVM_ALIAS_FIRST + i * 4), arg);
}

/* ---- marking ---- */

static void push(uint32_t number)
{
    uint32_t i = number / 4;
    if (number < JVM_ALIAS_OLD || i >= space.top || !bit(space.taken, i) || bit(space.marks, i))
        return;
    set_bit(space.marks, i);
    ebb_vec_push(&space.stack, number);
}

static void follow(uint32_t *number, bool is_cut)
{
    if (is_cut && *number >= JVM_ALIAS_OLD) {
        *number = JVM_ALIAS_DROPPED;
        flow_counted.dropped = true;
    }
    push(*number);
}

static void scan(uint32_t number)
{
    jvm_alias *a = jvm_alias_at(number);
    if ((a->when >> 16 & 15) != JAVA_ALIAS_PARAMETER)
        follow(&a->predecessor, a->when >> 20 < space.cut.predecessors);
    push(a->context);
    follow(&a->origin, a->when >> 20 < space.cut.origins);
}

/* Records are all over the space: a few are on their way from memory while another is looked at. */
static void drain(void)
{
    enum { COMING = 16 };
    uint32_t coming[COMING];
    for (unsigned first = 0, n = 0;; first++, n--) {
        for (; n < COMING && space.stack.n > 0; n++) {
            uint32_t number = space.stack.items[--space.stack.n];
            __builtin_prefetch(jvm_alias_at(number));
            coming[(first + n) % COMING] = number;
        }
        if (n == 0)
            return;
        scan(coming[first % COMING]);
    }
}

static void mark_object(jvm_obj *o, void *arg)
{
    if (flow.checks)
        flow_check_object(o);
    if (flow.mode == JAVA_FLOW_WRITES)
        return; /* its shadow holds no numbers that have to be kept */
    const uint32_t *shadow = jvm_shadow_of(o), *end = jvm_shadow_of((char *)o + jvm_obj_size(o) + 3);
    for (; shadow < end; shadow++)
        if (*shadow != 0)
            push(*shadow);
    if (space.stack.n > AT_ONCE)
        drain();
}

static void each_root_of(jvm_thread *t, void (*visit)(uint32_t *number))
{
    const jvm_frame *f = t->frame;
    enum { ROOM = 256 };
    if (f == NULL || !flow.has_cells)
        return;
    const jvm_slot *end = jvm_frame_stack(f) + (f->method == NULL ? ROOM : f->method->max_stack + ROOM);
    for (jvm_slot *s = t->stack; s < end && s < t->stack_end; s++)
        visit((uint32_t *)&JVM_CELL_FROM(s));
    visit(&t->flow_passed);
    visit(&t->flow_returned);
    visit(&t->flow_thrown);
}

void flow_each_root(void (*visit)(uint32_t *number))
{
    for (jvm_thread *t = jvm_threads_first(); t != NULL; t = t->next_all)
        each_root_of(t, visit);
}

static void mark_root(uint32_t *number) { push(*number); }

static void mark_method_contexts(jvm_class *cls, void *arg)
{
    for (uint16_t i = 0; i < cls->nmethods; i++)
        push(cls->methods[i].flow_context);
    drain();
}

static void mark_all(flow_cut cut)
{
    space.cut = cut;
    memset(space.marks + FIRST_OLD / WORD, 0, ((space.top - FIRST_OLD) / WORD + 1) * sizeof *space.marks);
    if (!flow.has_cells)
        jvm_each_class(mark_method_contexts, NULL);
    flow_each_root(mark_root);
    jvm_heap_each(mark_object, NULL);
    drain();
}

static uint64_t count_marks(void)
{
    uint64_t n = 0;
    for (uint32_t i = FIRST_OLD / WORD; i <= space.top / WORD; i++)
        n += (unsigned)__builtin_popcountll(space.marks[i]);
    return n;
}

/* ---- collecting ---- */

static int by_time(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The moment since which about half of what has room was made. */
static uint64_t time_of_half(void)
{
    enum { SAMPLES = 4096 };
    uint64_t *times = ebb_alloc(SAMPLES * sizeof *times);
    uint32_t step = (space.top - FIRST_OLD) / SAMPLES + 1;
    size_t n = 0, n_kept;
    for (uint32_t i = FIRST_OLD; i < space.top && n < SAMPLES; i += step)
        if (bit(space.taken, i))
            times[n++] = jvm_alias_at(i * 4)->when >> 20;
    qsort(times, n, sizeof *times, by_time);
    n_kept = (size_t)((double)n * (double)flow.limit / 2 / (double)(n_old() + 1));
    uint64_t time = n == 0 || n_kept >= n ? 0 : times[n - 1 - n_kept];
    free(times);
    return time;
}

static bool is_too_much(uint64_t n) { return n > flow.limit / 4 * 3; }

/* The oldest predecessors go first, then all of them, then origins. */
static void mark_what_fits(void)
{
    const flow_cut cuts[] = {{is_too_much(n_old()) ? time_of_half() : 0, 0}, {UINT64_MAX, 0}, {UINT64_MAX, UINT64_MAX}};
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        mark_all(cuts[i]);
        space.live = count_marks();
        if (!is_too_much(space.live))
            return;
    }
}

static void forget_free(void)
{
    uint64_t *freed = space.taken;
    space.taken = space.marks;
    space.marks = freed;
    space.at = FIRST_OLD;
    jvm_flow_old_ = own = (jvm_flow_space){JVM_ALIAS_OLD, JVM_ALIAS_OLD};
}

void jvm_flow_collect(void)
{
    if (!jvm_flow_on)
        return;
    jvm_flow_settle();
    uint64_t before = flow_alive();
    mark_what_fits();
    forget_free();
    jvm_flow_settle(); /* old ones are taken from elsewhere now */
    jvm_flow_due = false;
    set_due();
    flow_counted.n_collections++;
    ebb_log("aliases: %llu -> %llu", (unsigned long long)before, (unsigned long long)space.live);
}

void jvm_flow_collect_after_heap(void)
{
    enum { PART = 4 };
    if (jvm_flow_on && (space.since > space.live / PART || flow.checks))
        jvm_flow_collect();
}

void jvm_flow_collect_due_(void)
{
    jvm_flow_due = false;
    jvm_flow_settle();
    if (space.since > space.due)
        jvm_flow_collect();
}
