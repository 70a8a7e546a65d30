/* young.c - records of what only cells hold: arguments, results, invocations.  Most of them die at once.
 *
 * They are taken one after the other from a stretch that fits into the processor's second cache.  When it is full, those that something leads to are moved among the old
 * (aliases.c), in order and without gaps, and the stretch is used again.  Records of writes and allocations live as long as their object: they are old at once.
 *
 * YO1  a record leads only to what was made before it: so one look at all young ones, newest first, finds which of them are alive;
 * YO2  a young one lies in cells and in variables of threads, and old ones lead to it that were taken since the last evacuation (*recent* ones);
 * YO3  a shadow never holds a young one, so a predecessor is never young;
 * YO4  C code that has the number of an alias in a variable does not call flow_evacuate_if_full; to take a record moves none. */
#include "jvm/flow/internal.h"

#include "base/check.h"
#include "base/mem.h"
#include "base/sizes.h"

#include <string.h>
#include <sys/mman.h>

enum {
    MORE_AT_ONCE = 1 << 10, /* that are taken while they can't be moved */
    MAX_YOUNG = JVM_ALIAS_OLD / 4,
    FIRST = JVM_ALIAS_FIRST / 4,
    MANY_RECENT = 2,        /* times as many as young ones are looked at: they are in a cache still */
};

jvm_flow_space jvm_flow_young_;
static jvm_flow_space own; /* when records are considered one by one (flow_state), the interpreter finds none that it could take by itself */

static struct {
    uint32_t *moved;         /* by record: where it is now */
    uint8_t *alive;          /* by record */
    uint64_t n_made, n_moved; /* before the last evacuation */
    EBB_VEC(jvm_flow_space) recent; /* stretches; of the last one only `next` is set, it goes on to where old ones are taken now */
    uint32_t n_recent;       /* in all stretches but the last */
    uint32_t span_moving;  /* of numbers, from JVM_ALIAS_FIRST on */
} young;

static jvm_flow_space *taken_from(void) { return flow.considers ? &own : &jvm_flow_young_; }

static void begin(void)
{
    jvm_flow_young_ = own = (jvm_flow_space){JVM_ALIAS_FIRST, JVM_ALIAS_FIRST};
    taken_from()->end = JVM_ALIAS_FIRST + 4 * JVM_ALIASES_YOUNG;
    young.recent.n = young.n_recent = 0;
    ebb_vec_push(&young.recent, ((jvm_flow_space){.next = flow_next_old()}));
}

bool flow_young_make(void)
{
    young.moved = flow_map(0, MAX_YOUNG * sizeof *young.moved);
    young.alive = flow_map(0, MAX_YOUNG);
    young.n_made = young.n_moved = 0;
    begin();
    return young.moved != NULL && young.alive != NULL;
}

void flow_young_drop(void)
{
    if (young.moved != NULL)
        munmap(young.moved, MAX_YOUNG * sizeof *young.moved);
    if (young.alive != NULL)
        munmap(young.alive, MAX_YOUNG);
    young.moved = NULL;
    young.alive = NULL;
}

/* ---- taking ---- */

uint32_t flow_take_young(void)
{
    jvm_flow_space *from = taken_from();
    if (from->next == from->end) {
        ebb_check(from->end / 4 + MORE_AT_ONCE < MAX_YOUNG);
        from->end += 4 * MORE_AT_ONCE;
        jvm_flow_due = true;
    }
    uint32_t number = from->next;
    from->next += 4;
    return number;
}

bool flow_is_young(uint32_t number) { return number - JVM_ALIAS_FIRST < taken_from()->next - JVM_ALIAS_FIRST; }
uint32_t flow_n_young(void) { return (taken_from()->next - JVM_ALIAS_FIRST) / 4; }
uint64_t flow_young_made(void) { return young.n_made + flow_n_young(); }
uint64_t flow_young_moved(void) { return young.n_moved; }

/* What was taken while there were no young ones leads to none. */
void flow_old_goes_on(uint32_t end, uint32_t next)
{
    if (young.span_moving != 0)
        return;
    if (flow_n_young() == 0) {
        young.recent.n = young.n_recent = 0;
    } else {
        jvm_flow_space *last = &young.recent.items[young.recent.n - 1];
        last->end = end;
        young.n_recent += (last->end - last->next) / 4;
        jvm_flow_due = jvm_flow_due || young.n_recent > MANY_RECENT * JVM_ALIASES_YOUNG;
    }
    ebb_vec_push(&young.recent, ((jvm_flow_space){.next = next}));
}

/* ---- recent ones ---- */

static inline __attribute__((always_inline)) void each_recent(uint32_t end, void (*visit)(jvm_alias *a))
{
    for (size_t i = 0; i < young.recent.n; i++) {
        uint32_t last = i + 1 < young.recent.n ? young.recent.items[i].end : end;
        for (uint32_t number = young.recent.items[i].next; number < last; number += 4)
            visit(jvm_alias_at(number));
    }
}

/* ---- who is alive (YO1) ---- */

static inline bool is_moving(uint32_t number) { return number - JVM_ALIAS_FIRST < young.span_moving; }

static inline void mark(uint32_t number)
{
    if (is_moving(number))
        young.alive[number / 4] = 1;
}

static void mark_root(uint32_t *number) { mark(*number); }

static inline void mark_from(jvm_alias *a)
{
    mark(a->origin);
    mark(a->context);
}

static void mark_alive(uint32_t end_recent)
{
    flow_each_root(mark_root);
    each_recent(end_recent, mark_from);
    for (uint32_t i = FIRST + flow_n_young(); i-- > FIRST;)
        if (young.alive[i])
            mark_from(jvm_alias_at(i * 4));
}

/* ---- moving ---- */

static inline void tell_root(uint32_t *number)
{
    if (is_moving(*number))
        *number = young.moved[*number / 4] | (*number & 3);
}

static inline void tell_record(jvm_alias *a)
{
    tell_root(&a->origin);
    tell_root(&a->context);
}

static void move_alive(void)
{
    uint32_t end = FIRST + flow_n_young();
    for (uint32_t i = FIRST; i < end; i++)
        if (young.alive[i]) {
            uint32_t to = young.moved[i] = flow_take_old();
            *jvm_alias_at(to) = *jvm_alias_at(i * 4);
            tell_record(jvm_alias_at(to));
            young.n_moved++;
        }
    memset(young.alive + FIRST, 0, end - FIRST);
}

static void evacuate(void)
{
    uint32_t end_recent = flow_next_old();
    young.span_moving = 4 * flow_n_young();
    mark_alive(end_recent);
    move_alive();
    each_recent(end_recent, tell_record);
    flow_each_root(tell_root);
    young.span_moving = 0;
    young.n_made += flow_n_young();
}

void jvm_flow_settle(void)
{
    if (!jvm_flow_on)
        return;
    if (flow_n_young() > 0)
        evacuate();
    begin();
}

void flow_evacuate_if_full(void)
{
    if (flow_n_young() >= JVM_ALIASES_YOUNG || young.n_recent > MANY_RECENT * JVM_ALIASES_YOUNG)
        jvm_flow_settle();
}
