/* aliases.c - the space of records: taking them, and the collection of those that nothing leads to. */
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
    MAX_RECORDS = 1 << 30,
    FRESH_AT_ONCE = 1 << 14,
    WORD = 64,
    AT_ONCE = 4096,
    LEAST_GAP = 16,
    NEVER_DEEP = 1 << 30,
};

jvm_flow_space jvm_flow_space_;
bool jvm_flow_due;
flow_counts flow_counted;

typedef struct mark_item {
    uint32_t number;
    uint32_t depth;          /* how many predecessors, and moves, it is away */
} mark_item;

static struct {
    uint64_t *taken;         /* by record: it is not free, or was given to be taken next */
    uint64_t *marks;
    uint32_t top;            /* records from here on were never taken */
    uint32_t at;             /* where the search for free ones goes on */
    uint64_t made, live;      /* ever; at the last collection */
    uint64_t since, due;      /* made since then, and how many may be */
    uint32_t most_deep;      /* of predecessors and of origins that are kept, while marking */
    EBB_VEC(mark_item) stack;
} space;

static bool bit(const uint64_t *bits, uint32_t i) { return bits[i / WORD] >> (i % WORD) & 1; }
static void set_bit(uint64_t *bits, uint32_t i) { bits[i / WORD] |= (uint64_t)1 << (i % WORD); }

/* ---- room ---- */

static void *map(uintptr_t wish, size_t nbytes)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (wish != 0 ? MAP_FIXED_NOREPLACE : 0);
    void *p = mmap((void *)wish, nbytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (p != MAP_FAILED && wish != 0 && (uintptr_t)p != wish) {
        munmap(p, nbytes);
        p = MAP_FAILED;
    }
    return p == MAP_FAILED ? NULL : p;
}

/* Some times as many as there are, but not so few that marking them all would cost much, nor so many that there is no room. */
static void set_due(void)
{
    uint64_t room = space.live < flow.limit ? flow.limit - space.live : 0;
    space.due = space.live * 3 > JVM_ALIASES_AT_ONCE ? space.live * 3 : JVM_ALIASES_AT_ONCE;
    space.due = space.due > room ? room + FRESH_AT_ONCE : space.due;
    space.since = 0;
}

static void reset(void)
{
    space.top = JVM_ALIAS_FIRST / 4;
    space.at = 0;
    space.made = space.live = space.since = 0;
    set_due();
    jvm_flow_space_ = (jvm_flow_space){0};
    jvm_flow_due = false;
    flow_counted = (flow_counts){0};
    for (uint32_t i = 0; i < space.top; i++)
        set_bit(space.taken, i);
    *jvm_alias_at(JVM_ALIAS_UNKNOWN) = (jvm_alias){.when = JAVA_ALIAS_UNKNOWN << 16, .age = JVM_AGE_WHOLE};
    *jvm_alias_at(JVM_ALIAS_DROPPED) = (jvm_alias){.when = JAVA_ALIAS_DROPPED << 16, .age = JVM_AGE_WHOLE};
}

bool flow_space_make(void)
{
    flow_space_drop();
    bool made = map(JVM_ALIASES, (size_t)MAX_RECORDS * sizeof(jvm_alias)) != NULL;
    space.taken = made ? map(0, MAX_RECORDS / 8) : NULL;
    space.marks = made ? map(0, MAX_RECORDS / 8) : NULL;
    if (space.taken == NULL || space.marks == NULL) {
        if (made)
            munmap((void *)JVM_ALIASES, (size_t)MAX_RECORDS * sizeof(jvm_alias));
        return false;
    }
    reset();
    return true;
}

void flow_space_drop(void)
{
    if (space.taken == NULL)
        return;
    munmap((void *)JVM_ALIASES, (size_t)MAX_RECORDS * sizeof(jvm_alias));
    munmap(space.taken, MAX_RECORDS / 8);
    munmap(space.marks, MAX_RECORDS / 8);
    space.taken = space.marks = NULL;
    jvm_flow_due = false;
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

/* When records are considered one by one (flow_state), the interpreter finds none that it could take by itself. */
static jvm_flow_space own;

uint32_t flow_take(void)
{
    jvm_flow_space *from = flow.considers ? &own : &jvm_flow_space_;
    if (from->next == from->end) {
        uint32_t first, n;
        ebb_check(space.top < MAX_RECORDS - FRESH_AT_ONCE);
        find_free(&first, &n);
        space.made += n;
        space.since += n;
        *from = (jvm_flow_space){first * 4, (first + n) * 4};
        jvm_flow_due = jvm_flow_due || space.since > space.due;
    }
    uint32_t number = from->next;
    from->next += 4;
    return number;
}

bool flow_has(uint32_t number)
{
    return number / 4 < space.top && space.taken != NULL && bit(space.taken, number / 4);
}

uint64_t flow_made(void) { return space.made - (jvm_flow_space_.end - jvm_flow_space_.next) / 4 - (own.end - own.next) / 4; }
uint64_t flow_alive(void) { return space.live + space.since - (jvm_flow_space_.end - jvm_flow_space_.next) / 4 - (own.end - own.next) / 4; }

void flow_each(void (*visit)(uint32_t number, const jvm_alias *a, void *arg), void *arg)
{
    for (uint32_t i = JVM_ALIAS_FIRST / 4; i < space.top; i++)
        if (bit(space.taken, i) && !(i >= jvm_flow_space_.next / 4 && i < jvm_flow_space_.end / 4) && !(i >= own.next / 4 && i < own.end / 4))
            visit(i * 4, jvm_alias_at(i * 4), arg);
}

/* ---- marking ---- */

static void push(uint32_t number, uint32_t depth)
{
    uint32_t i = number / 4;
    if (number < JVM_ALIAS_FIRST || i >= space.top || !bit(space.taken, i) || bit(space.marks, i))
        return;
    set_bit(space.marks, i);
    ebb_vec_push(&space.stack, ((mark_item){number, depth}));
}

static void follow(uint32_t *number, uint32_t depth)
{
    if (*number < JVM_ALIAS_FIRST)
        return;
    if (depth <= space.most_deep) {
        push(*number, depth);
    } else if (!bit(space.marks, *number / 4)) {
        *number = JVM_ALIAS_DROPPED;
        flow_counted.dropped = true;
    }
}

static void scan(mark_item item)
{
    jvm_alias *a = jvm_alias_at(item.number);
    if ((a->when >> 16 & 15) != JAVA_ALIAS_PARAMETER)
        follow(&a->predecessor, item.depth + 1);
    push(a->context, item.depth);
    follow(&a->origin, item.depth + 1);
}

/* Records are all over the space: a few are on their way from memory while another is looked at. */
static void drain(void)
{
    enum { COMING = 16 };
    mark_item coming[COMING];
    for (unsigned first = 0, n = 0;; first++, n--) {
        for (; n < COMING && space.stack.n > 0; n++) {
            mark_item item = space.stack.items[--space.stack.n];
            __builtin_prefetch(jvm_alias_at(item.number));
            coming[(first + n) % COMING] = item;
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
    const uint32_t *shadow = jvm_shadow_of(o), *end = jvm_shadow_of((char *)o + jvm_obj_size(o) + 3);
    for (; shadow < end; shadow++)
        if (*shadow != 0)
            push(*shadow, 0);
    if (space.stack.n > AT_ONCE)
        drain();
}

static void mark_stack(const jvm_thread *t)
{
    const jvm_frame *f = t->frame;
    enum { ROOM = 256 };
    if (f == NULL || flow.mode == JAVA_FLOW_WRITES)
        return;
    const jvm_slot *end = jvm_frame_stack(f) + (f->method == NULL ? ROOM : f->method->max_stack + ROOM);
    for (const jvm_slot *s = t->stack; s < end && s < t->stack_end; s++)
        push((uint32_t)JVM_CELL_FROM(s), 0);
    push(t->flow_passed, 0);
    push(t->flow_thrown, 0);
    drain();
}

static void mark_method_contexts(jvm_class *cls, void *arg)
{
    for (uint16_t i = 0; i < cls->nmethods; i++)
        push(cls->methods[i].flow_context, 0);
    drain();
}

static void mark_all(uint32_t most_deep)
{
    space.most_deep = most_deep;
    memset(space.marks, 0, (space.top / WORD + 1) * sizeof *space.marks);
    for (uint32_t i = 0; i < JVM_ALIAS_FIRST / 4; i++)
        set_bit(space.marks, i);
    if (flow.mode == JAVA_FLOW_WRITES)
        jvm_each_class(mark_method_contexts, NULL);
    for (const jvm_thread *t = jvm_threads_first(); t != NULL; t = t->next_all)
        mark_stack(t);
    jvm_heap_each(mark_object, NULL);
    drain();
}

static uint64_t count_marks(void)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i <= space.top / WORD; i++)
        n += (unsigned)__builtin_popcountll(space.marks[i]);
    return n;
}

/* ---- collecting ---- */

/* How far history is kept if all of it does not fit. */
static const uint32_t depths[] = {1 << 14, 1 << 10, 1 << 6, 4, 0};

static void forget_free(void)
{
    uint64_t *freed = space.taken;
    space.taken = space.marks;
    space.marks = freed;
    space.at = 0;
    jvm_flow_space_ = own = (jvm_flow_space){0};
}

void jvm_flow_collect(void)
{
    if (!jvm_flow_on)
        return;
    uint64_t before = flow_alive();
    mark_all(NEVER_DEEP);
    space.live = count_marks();
    for (size_t i = 0; i < sizeof depths / sizeof *depths && space.live > flow.limit / 4 * 3; i++) {
        mark_all(depths[i]);
        space.live = count_marks();
    }
    forget_free();
    jvm_flow_due = false;
    set_due();
    flow_counted.n_collections++;
    ebb_log("aliases: %llu -> %llu", (unsigned long long)before, (unsigned long long)space.live);
}

