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
    MAX_UNITS = 1 << 29,     /* so that numbers are below JVM_CONTEXT_CALL */
    CHUNK = 1 << 12,
    POPULATED_AT_ONCE = 1 << 19, /* bytes */
    WORD = 64,
    AT_ONCE = 4096,
    LEAST_GAP = 32,
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

/* Whole records and brief ones do not lie in the same chunk: so each number in a chunk of either is that of a record, or can be seen not to be one. */
typedef enum chunk_kind { CHUNK_FREE, CHUNK_WHOLE, CHUNK_BRIEF } chunk_kind;

typedef struct n_records {
    uint64_t whole, brief, heads;
} n_records;

/* In units of half a record. */
static struct {
    bool is_made;
    uint8_t *kinds;          /* by chunk: enum chunk_kind */
    uint64_t *taken;         /* by unit: it is not free, or was given to be taken next */
    uint64_t *marks;
    uint32_t top;            /* the end of the last chunk that was ever taken */
    uint32_t at, block_at;   /* where the search for free ones, and for free blocks, goes on */
    uintptr_t populated;     /* pages up to here are there */
    n_records made, live, since; /* ever; at the last collection; since then, */
    uint64_t due;            /* and how many units may be */
    flow_cut cut;            /* while marking */
    EBB_VEC(uint32_t) stack;
} space;

static bool bit(const uint64_t *bits, uint32_t i) { return bits[i / WORD] >> (i % WORD) & 1; }
static void set_bit(uint64_t *bits, uint32_t i) { bits[i / WORD] |= (uint64_t)1 << (i % WORD); }
static uint32_t *block_bits(uint64_t *bits, uint32_t i) { return (uint32_t *)bits + i / FLOW_BLOCK; }
_Static_assert(FLOW_BLOCK == 32, "the bits of a block are one uint32_t");

static uint64_t n_units(n_records n) { return 2 * n.whole + n.brief + n.heads; }

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
    uint64_t live = n_units(space.live);
    uint64_t room = live < flow.limit ? flow.limit - live : 0;
    uint64_t some = live * 3 > 2 * JVM_ALIASES_AT_ONCE ? live * 3 : 2 * JVM_ALIASES_AT_ONCE;
    uint64_t all = room > live / 4 ? room : live / 4;
    space.due = flow.no_predecessors && some < room ? some : all + CHUNK;
    space.since = (n_records){0};
}

static void take_from_the_beginning(void)
{
    space.at = space.block_at = FIRST_OLD;
    jvm_flow_old_ = own = (jvm_flow_space){JVM_ALIAS_OLD, JVM_ALIAS_OLD};
}

static void reset(void)
{
    space.top = FIRST_OLD;
    space.populated = 0;
    take_from_the_beginning();
    space.made = space.live = (n_records){0};
    set_due();
    jvm_flow_due = false;
    flow_counted = (flow_counts){0};
    jvm_flow_brief_.frame = NULL;
    flow_brief_end();
    *jvm_alias_at(JVM_ALIAS_UNKNOWN) = (jvm_alias){.when = JAVA_ALIAS_UNKNOWN << 16, .age = JVM_AGE_WHOLE};
    *jvm_alias_at(JVM_ALIAS_DROPPED) = (jvm_alias){.when = JAVA_ALIAS_DROPPED << 16, .age = JVM_AGE_WHOLE};
}

uint64_t flow_most_units(void) { return MAX_UNITS / 4 * 3; }

bool flow_space_make(void)
{
    flow_space_drop();
    space.is_made = true;
    space.taken = flow_map(0, MAX_UNITS / 8);
    space.marks = flow_map(0, MAX_UNITS / 8);
    space.kinds = flow_map(0, MAX_UNITS / CHUNK);
    if (space.taken == NULL || space.marks == NULL || space.kinds == NULL || flow_map(JVM_ALIASES, (size_t)MAX_UNITS * sizeof(jvm_brief)) == NULL) {
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

static void drop(void *at, size_t nbytes)
{
    if (at != NULL)
        munmap(at, nbytes);
}

void flow_space_drop(void)
{
    if (!space.is_made)
        return;
    munmap((void *)JVM_ALIASES, (size_t)MAX_UNITS * sizeof(jvm_brief));
    drop(space.taken, MAX_UNITS / 8);
    drop(space.marks, MAX_UNITS / 8);
    drop(space.kinds, MAX_UNITS / CHUNK);
    space.taken = space.marks = NULL;
    space.kinds = NULL;
    flow_young_drop();
    space.is_made = jvm_flow_due = false;
}

/* ---- taking ---- */

static chunk_kind kind_at(uint32_t i) { return (chunk_kind)space.kinds[i / CHUNK]; }
static uint32_t end_of_chunk(uint32_t i) { return (i / CHUNK + 1) * CHUNK; }

bool flow_is_brief(uint32_t number) { return number >= JVM_ALIAS_OLD && kind_at(number / 4) == CHUNK_BRIEF; }

/* Pages, some at once: one by one, as they are written to, they would take longer than the records. */
static void want_pages(void)
{
    uintptr_t end = (uintptr_t)jvm_alias_at(space.top * 4);
    if (end <= space.populated)
        return;
    if (space.populated == 0)
        space.populated = end - CHUNK * sizeof(jvm_brief);
    (void)madvise((void *)space.populated, POPULATED_AT_ONCE, MADV_POPULATE_WRITE);
    space.populated += POPULATED_AT_ONCE;
}

/* The chunk at i, which is free, or beyond all that were ever taken, is of a kind from now on. */
static void take_chunk(uint32_t i, chunk_kind kind)
{
    space.kinds[i / CHUNK] = (uint8_t)kind;
    if (i == space.top) {
        ebb_check(space.top < MAX_UNITS - CHUNK);
        space.top += CHUNK;
        want_pages();
    }
}

/* The next chunk that is of a kind, from `at` on, or one that is now. */
static void find_chunk(uint32_t *at, chunk_kind kind)
{
    while (*at < space.top && kind_at(*at) != kind && kind_at(*at) != CHUNK_FREE)
        *at = end_of_chunk(*at);
    if (*at == space.top || kind_at(*at) == CHUNK_FREE)
        take_chunk(*at, kind);
}

/* Free units between two that are taken, in one chunk. */
static void find_next(uint32_t *first, uint32_t *n)
{
    find_chunk(&space.at, CHUNK_WHOLE);
    uint32_t end = end_of_chunk(space.at);
    while (space.at < end && space.taken[space.at / WORD] == UINT64_MAX)
        space.at = (space.at / WORD + 1) * WORD;
    while (space.at < end && bit(space.taken, space.at))
        space.at += 2;
    *first = space.at;
    while (space.at < end && !bit(space.taken, space.at))
        space.at += 2;
    *n = space.at - *first;
}

/* Gaps of a few are left until the next collection: the interpreter takes records without looking as long as there are some. */
static void find_free(uint32_t *first, uint32_t *n)
{
    do
        find_next(first, n);
    while (*n < LEAST_GAP);
    for (uint32_t i = *first; i < *first + *n; i++)
        set_bit(space.taken, i);
}

static jvm_flow_space *taken_from(void) { return flow.considers ? &own : &jvm_flow_old_; }
static uint32_t n_ahead(void) { return (taken_from()->end - taken_from()->next) / JVM_ALIAS_STEP; }
static void see_what_is_due(void) { jvm_flow_due = jvm_flow_due || n_units(space.since) > space.due; }

uint32_t flow_take_old(void)
{
    jvm_flow_space *from = taken_from();
    if (from->next == from->end) {
        uint32_t first, n;
        find_free(&first, &n);
        *from = (jvm_flow_space){first * 4, (first + n) * 4};
        space.made.whole += n / 2;
        space.since.whole += n / 2;
        see_what_is_due();
    }
    from->next += JVM_ALIAS_STEP;
    return from->next - JVM_ALIAS_STEP;
}

/* ---- blocks of brief ones ---- */

static void count_block(int64_t n_brief, int64_t n_heads)
{
    space.made.brief += (uint64_t)n_brief;
    space.since.brief += (uint64_t)n_brief;
    space.since.heads += (uint64_t)n_heads;
}

uint32_t flow_take_block(void)
{
    find_chunk(&space.block_at, CHUNK_BRIEF);
    while (*block_bits(space.taken, space.block_at) != 0) {
        space.block_at += FLOW_BLOCK;
        if (space.block_at % CHUNK == 0)
            find_chunk(&space.block_at, CHUNK_BRIEF);
    }
    uint32_t first = space.block_at;
    *block_bits(space.taken, first) = UINT32_MAX;
    count_block(FLOW_BLOCK - 1, 1);
    see_what_is_due();
    return first * 4;
}

void flow_give_back_block(uint32_t next, uint32_t end)
{
    uint32_t n = (end - next) / JVM_BRIEF_STEP;
    if (n == 0)
        return;
    uint32_t *bits = block_bits(space.taken, next / 4);
    *bits &= n == FLOW_BLOCK - 1 ? 0 : UINT32_MAX >> n; /* a head alone goes, too */
    count_block(-(int64_t)n, n == FLOW_BLOCK - 1 ? -1 : 0);
}

static uint32_t n_ahead_brief(void)
{
    return jvm_flow_brief_.frame == NULL ? 0 : (jvm_flow_brief_.end - jvm_flow_brief_.next) / JVM_BRIEF_STEP;
}

/* ---- what there is ---- */

/* The first unit of a record is at i, as far as its chunk tells. */
static bool may_begin_at(uint32_t i) { return kind_at(i) == CHUNK_WHOLE ? i % 2 == 0 : i % FLOW_BLOCK != 0; }

static bool has_old(uint32_t i) { return i < space.top && space.taken != NULL && bit(space.taken, i) && may_begin_at(i); }

static bool is_ahead(uint32_t number)
{
    return (number >= taken_from()->next && number < taken_from()->end) || (jvm_flow_brief_.frame != NULL && number >= jvm_flow_brief_.next && number < jvm_flow_brief_.end);
}

bool flow_has(uint32_t number)
{
    if (number < JVM_ALIAS_OLD)
        return number >= JVM_ALIAS_UNKNOWN && (number < JVM_ALIAS_FIRST || flow_is_young(number));
    return has_old(number / 4);
}

static n_records n_old(void)
{
    return (n_records){space.live.whole + space.since.whole - n_ahead(), space.live.brief + space.since.brief - n_ahead_brief(), space.live.heads + space.since.heads};
}

uint64_t flow_made(void) { return space.made.whole + space.made.brief - n_ahead() - n_ahead_brief() - flow_young_moved() + flow_young_made(); }
uint64_t flow_alive(void) { return n_old().whole + n_old().brief + flow_n_young(); }
uint64_t flow_nbytes(void) { return n_units(n_old()) * sizeof(jvm_brief) + flow_n_young() * sizeof(jvm_alias); }

void flow_each(void (*visit)(uint32_t number, const jvm_alias *a, void *arg), void *arg)
{
    for (uint32_t i = FIRST_OLD; i < space.top; i++)
        if (has_old(i) && !is_ahead(i * 4)) {
            jvm_alias a = flow_read(i * 4);
            visit(i * 4, &a, arg);
        }
    for (uint32_t i = 0; i < flow_n_young(); i++)
        visit(JVM_ALIAS_FIRST + i * JVM_ALIAS_STEP, jvm_alias_at(JVM_ALIAS_FIRST + i * JVM_ALIAS_STEP), arg);
}

/* ---- marking ---- */

static void mark_units(uint32_t i)
{
    if (kind_at(i) == CHUNK_WHOLE)
        space.marks[i / WORD] |= (uint64_t)3 << (i % WORD);
    else
        *block_bits(space.marks, i) |= (uint32_t)1 << (i % FLOW_BLOCK) | 1; /* BF2 */
}

static void push(uint32_t number)
{
    uint32_t i = number / 4;
    if (number < JVM_ALIAS_OLD || i >= space.top || !bit(space.taken, i) || bit(space.marks, i) || !may_begin_at(i))
        return;
    mark_units(i);
    ebb_vec_push(&space.stack, number & ~3u);
}

static void follow(uint32_t *number, bool is_cut)
{
    if (number == NULL)
        return;
    if (is_cut && *number >= JVM_ALIAS_OLD) {
        *number = JVM_ALIAS_DROPPED;
        flow_counted.dropped = true;
    }
    push(*number);
}

static void scan(uint32_t number)
{
    bool is_brief = flow_is_brief(number);
    const jvm_brief_head *head = flow_head_of(number);
    uint64_t time = is_brief ? head->time : jvm_alias_at(number)->when >> 20;
    follow(flow_predecessor_at(number), time < space.cut.predecessors);
    push(is_brief ? head->context : jvm_alias_at(number)->context);
    follow(flow_origin_at(number), time < space.cut.origins);
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

static n_records count_marks(void)
{
    n_records n = {0};
    const uint64_t heads = 0x0000000100000001;
    for (uint32_t i = FIRST_OLD; i < space.top; i += WORD) {
        uint64_t marks = space.marks[i / WORD];
        if (kind_at(i) == CHUNK_WHOLE) {
            n.whole += (unsigned)__builtin_popcountll(marks) / 2;
        } else {
            n.brief += (unsigned)__builtin_popcountll(marks & ~heads);
            n.heads += (unsigned)__builtin_popcountll(marks & heads);
        }
    }
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
        if (has_old(i & ~1u))
            times[n++] = flow_read((i & ~1u) * 4).when >> 20;
    qsort(times, n, sizeof *times, by_time);
    n_kept = (size_t)((double)n * (double)flow.limit / 2 / (double)(n_units(n_old()) + 1));
    uint64_t time = n == 0 || n_kept >= n ? 0 : times[n - 1 - n_kept];
    free(times);
    return time;
}

static bool is_too_much(uint64_t n) { return n > flow.limit / 4 * 3; }

/* The oldest predecessors go first, then all of them, then origins. */
static void mark_what_fits(void)
{
    const flow_cut cuts[] = {{is_too_much(n_units(n_old())) ? time_of_half() : 0, 0}, {UINT64_MAX, 0}, {UINT64_MAX, UINT64_MAX}};
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        mark_all(cuts[i]);
        space.live = count_marks();
        if (!is_too_much(n_units(space.live)))
            return;
    }
}

static bool is_chunk_free(uint32_t i)
{
    uint64_t any = 0;
    for (uint32_t word = i / WORD; word < (i + CHUNK) / WORD; word++)
        any |= space.taken[word];
    return any == 0;
}

static void forget_free(void)
{
    uint64_t *freed = space.taken;
    space.taken = space.marks;
    space.marks = freed;
    for (uint32_t i = FIRST_OLD; i < space.top; i += CHUNK)
        if (is_chunk_free(i))
            space.kinds[i / CHUNK] = CHUNK_FREE;
    take_from_the_beginning();
}

void jvm_flow_collect(void)
{
    if (!jvm_flow_on)
        return;
    jvm_flow_settle();
    flow_brief_end();
    uint64_t before = flow_alive();
    mark_what_fits();
    forget_free();
    jvm_flow_settle(); /* old ones are taken from elsewhere now */
    jvm_flow_due = false;
    set_due();
    flow_counted.n_collections++;
    ebb_log("aliases: %llu -> %llu", (unsigned long long)before, (unsigned long long)flow_alive());
}

void jvm_flow_collect_after_heap(void)
{
    enum { PART = 4 };
    if (jvm_flow_on && (n_units(space.since) > n_units(space.live) / PART || flow.checks))
        jvm_flow_collect();
}

void jvm_flow_collect_due_(void)
{
    jvm_flow_due = false;
    jvm_flow_settle();
    if (n_units(space.since) > space.due)
        jvm_flow_collect();
}
