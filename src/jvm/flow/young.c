/* young.c - records of what only cells hold: arguments, results, invocations.  Most of them die at once.
 *
 * They are taken one after the other from a stretch that fits into the processor's second cache.  When it is full, those that something leads to are moved among the old
 * (aliases.c), in order and without gaps, and the stretch is used again.  Records of writes and allocations live as long as their object: they are old at once.
 *
 * YO1  a record leads only to what was made before it: so one look at all young ones, newest first, finds which of them are alive;
 * YO2  a young one lies in cells and in variables of threads, and is the origin of others: the old ones of these are noted (jvm_alias_note).  A context is never young;
 * YO3  a shadow holds a young one only where predecessors are not kept: a write that another one follows soon is gone then, like what was in a cell.  So a predecessor is never young;
 * YO4  C code that has the number of an alias in a variable does not call flow_evacuate_if_full; to take a record moves none. */
#include "jvm/flow/internal.h"

#include "base/check.h"
#include "base/mem.h"
#include "base/sizes.h"

#include <string.h>
#include <sys/mman.h>

enum {
    MORE_AT_ONCE = 1 << 10, /* that are taken while they can't be moved */
    MAX_YOUNG = JVM_ALIAS_OLD / JVM_ALIAS_STEP,
    FIRST = JVM_ALIAS_FIRST / JVM_ALIAS_STEP,
    MANY_NOTES = 4 * JVM_ALIASES_YOUNG,
};

jvm_flow_space jvm_flow_young_;
static jvm_flow_space own; /* when records are considered one by one (flow_state), the interpreter finds none that it could take by itself */

static struct {
    uint32_t *moved;         /* by record: where it is now */
    uint8_t *alive;          /* by record */
    uint64_t n_made, n_moved; /* before the last evacuation */
    uint32_t *notes;         /* jvm_flow_notes_ is the rest of it */
    size_t room;             /* for so many */
    uint32_t span_moving;  /* of numbers, from JVM_ALIAS_FIRST on */
} young;
jvm_flow_notes jvm_flow_notes_;

static jvm_flow_space *taken_from(void) { return flow.considers ? &own : &jvm_flow_young_; }

static void begin(void)
{
    jvm_flow_young_ = own = (jvm_flow_space){JVM_ALIAS_FIRST, JVM_ALIAS_FIRST};
    taken_from()->end = JVM_ALIAS_FIRST + JVM_ALIAS_STEP * JVM_ALIASES_YOUNG;
    jvm_flow_notes_ = (jvm_flow_notes){young.notes, young.notes + young.room};
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
    free(young.notes);
    young.moved = young.notes = NULL;
    young.alive = NULL;
    young.room = 0;
    jvm_flow_notes_ = (jvm_flow_notes){0};
}

/* ---- taking ---- */

uint32_t flow_take_young(void)
{
    jvm_flow_space *from = taken_from();
    if (from->next == from->end) {
        ebb_check(from->end / JVM_ALIAS_STEP + MORE_AT_ONCE < MAX_YOUNG);
        from->end += JVM_ALIAS_STEP * MORE_AT_ONCE;
        jvm_flow_due = true;
    }
    uint32_t number = from->next;
    from->next += JVM_ALIAS_STEP;
    return number;
}

bool flow_is_young(uint32_t number) { return number - JVM_ALIAS_FIRST < taken_from()->next - JVM_ALIAS_FIRST; }
uint32_t flow_n_young(void) { return (taken_from()->next - JVM_ALIAS_FIRST) / JVM_ALIAS_STEP; }
uint64_t flow_young_made(void) { return young.n_made + flow_n_young(); }
uint64_t flow_young_moved(void) { return young.n_moved; }

/* ---- notes ---- */

static size_t n_notes(void) { return (size_t)(jvm_flow_notes_.next - young.notes); }

/* They can't be moved just now, but soon. */
void jvm_flow_more_notes(void)
{
    size_t n = n_notes();
    young.room = young.room == 0 ? MANY_NOTES : 2 * young.room;
    young.notes = ebb_realloc(young.notes, young.room * sizeof *young.notes);
    jvm_flow_notes_ = (jvm_flow_notes){young.notes + n, young.notes + young.room};
    jvm_flow_due = jvm_flow_due || n >= MANY_NOTES;
}

/* ---- who is alive (YO1) ---- */

static inline bool is_moving(uint32_t number) { return number - JVM_ALIAS_FIRST < young.span_moving; }

static inline void mark(uint32_t number)
{
    if (is_moving(number))
        young.alive[number / JVM_ALIAS_STEP] = 1;
}

static void mark_root(uint32_t *number) { mark(*number); }

/* Of a young write, where it is still the last one (YO3). */
static uint32_t *place_of(uint32_t i)
{
    const jvm_alias *a = jvm_alias_at(i * JVM_ALIAS_STEP);
    if (!jvm_flow_forgets || !flow_is_write(a->when >> 16 & 15))
        return NULL;
    uint32_t *shadow = jvm_shadow_of(jvm_place_numbered(a->predecessor));
    return *shadow == i * JVM_ALIAS_STEP ? shadow : NULL;
}

static void mark_alive(size_t n_noted)
{
    flow_each_root(mark_root);
    for (size_t i = 0; i < n_noted; i++)
        mark(*flow_origin_at(young.notes[i]));
    for (uint32_t i = FIRST + flow_n_young(); i-- > FIRST;)
        if (young.alive[i] || place_of(i) != NULL) {
            young.alive[i] = 1;
            mark(jvm_alias_at(i * JVM_ALIAS_STEP)->origin);
        }
}

/* ---- moving ---- */

static inline void tell_root(uint32_t *number)
{
    if (is_moving(*number))
        *number = young.moved[*number / JVM_ALIAS_STEP] | (*number & 3);
}

static void move_alive(void)
{
    uint32_t end = FIRST + flow_n_young();
    for (uint32_t i = FIRST; i < end; i++)
        if (young.alive[i]) {
            uint32_t to = young.moved[i] = flow_take_old(), *place = place_of(i);
            *jvm_alias_at(to) = *jvm_alias_at(i * JVM_ALIAS_STEP);
            tell_root(&jvm_alias_at(to)->origin);
            if (place != NULL)
                *place = to;
            young.n_moved++;
        }
    memset(young.alive + FIRST, 0, end - FIRST);
}

static void evacuate(void)
{
    size_t n_noted = n_notes();
    young.span_moving = JVM_ALIAS_STEP * flow_n_young();
    mark_alive(n_noted);
    move_alive();
    for (size_t i = 0; i < n_noted; i++)
        tell_root(flow_origin_at(young.notes[i]));
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
    if (flow_n_young() >= JVM_ALIASES_YOUNG || n_notes() >= MANY_NOTES)
        jvm_flow_settle();
}
