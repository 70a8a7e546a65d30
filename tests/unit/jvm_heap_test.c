/* The heap taking objects back: what was given out and undone is given out again, the same in every respect. */
#include "unit.h"

#include "base/mem.h"
#include "jvm/classes/class.h"
#include "jvm/heap/heap_shape.h"
#include "jvm/undo/keep.h"

#include <stdlib.h>
#include <string.h>

/* ---- a log as simple as can be, in the place of the real one (linked with --wrap) ---- */

typedef struct record {
    void *at;        /* or the object given out */
    size_t nbytes;   /* 0: an allocation */
    char *bytes;
} record;
static EBB_VEC(record) records;
static size_t ncuts;

void __wrap_jvm_undo_keep_(void *at, size_t nbytes);
void __wrap_jvm_undo_keep_heap_(void *at, size_t nbytes);
void __wrap_jvm_undo_alloc_(jvm_obj *o);
void __wrap_jvm_undo_cut_(const char *why);

void __wrap_jvm_undo_keep_(void *at, size_t nbytes)
{
    record r = {at, nbytes, ebb_alloc(nbytes + 1)};
    memcpy(r.bytes, at, nbytes);
    ebb_vec_push(&records, r);
}

void __wrap_jvm_undo_keep_heap_(void *at, size_t nbytes) { __wrap_jvm_undo_keep_(at, nbytes); }

void __wrap_jvm_undo_alloc_(jvm_obj *o) { ebb_vec_push(&records, ((record){o, 0, NULL})); }

static void undo_to(size_t n)
{
    while (records.n > n) {
        const record *r = &records.items[--records.n];
        if (r->nbytes == 0)
            jvm_heap_ungive(r->at);
        else
            memcpy(r->at, r->bytes, r->nbytes);
        free(r->bytes);
    }
}

void __wrap_jvm_undo_cut_(const char *why)
{
    while (records.n > 0)
        free(records.items[--records.n].bytes);
    ncuts++;
}

/* ---- all that the heap could differ in ---- */

static uint64_t mix(uint64_t h, uint64_t v) { return (h ^ v) * 0x9e3779b97f4a7c15 + (h >> 29); }

static void mix_object(jvm_obj *o, void *arg)
{
    uint64_t *h = arg;
    *h = mix(*h, (uintptr_t)o);
    for (size_t i = 0; i + 8 <= jvm_obj_size(o); i += 8)
        *h = mix(*h, *(uint64_t *)((char *)o + i));
}

static uint64_t state(void)
{
    uint64_t h = 1;
    jvm_heap_each(mix_object, &h);
    for (uint32_t i = 0; i < jvm_heap_.nsizes; i++) {
        const jvm_size_class *sc = &jvm_heap_.sizes[i];
        h = mix(mix(h, (uintptr_t)sc->bump), sc->next_sweep);
        for (const jvm_free_cell *c = sc->free; c != NULL; c = c->next)
            h = mix(h, (uintptr_t)c);
    }
    jvm_heap_stats s = jvm_heap_get_stats();
    return mix(mix(mix(mix(h, s.used), s.allocated_total), s.committed), jvm_heap_.empty.n);
}

/* ---- a program that allocates ---- */

enum { NCLASSES = 6, NLIVE = 600 };
static const uint32_t sizes[NCLASSES] = {16, 24, 104, 1000, 9000, 32000};
static jvm_class classes[NCLASSES], bytes_class;
static jvm_obj *live[NLIVE];
static uint64_t seed;

static uint32_t below(uint32_t n)
{
    seed = seed * 6364136223846793005 + 1442695040888963407;
    return (uint32_t)(seed >> 33) % n;
}

static void roots(jvm_visit_fn *visit, void *arg)
{
    for (int i = 0; i < NLIVE; i++)
        if (live[i] != NULL)
            visit(&live[i], arg);
}

static jvm_obj *allocate(void)
{
    if (below(40) == 0) {
        enum { LARGE = 40000 };
        return jvm_new_array(NULL, &bytes_class, (int32_t)(LARGE + below(100000)));
    }
    return jvm_new_object(NULL, &classes[below(NCLASSES)]);
}

/* What the roots hold is part of the program's state. */
static void hold(jvm_obj **slot, jvm_obj *o)
{
    jvm_undo_keep(slot, sizeof *slot);
    *slot = o;
}

static uint64_t step(void)
{
    jvm_obj **slot = &live[below(NLIVE)];
    if (*slot != NULL && below(3) == 0)
        jvm_put_i32(*slot, JVM_HEADER_SIZE + (jvm_class_is_array((*slot)->cls) ? 4 : 0), (int32_t)below(1000000));
    jvm_obj *o = allocate();
    assert_non_null(o);
    const char *contents = (const char *)o + JVM_ARRAY_BASE;
    size_t n = jvm_obj_size(o) - JVM_ARRAY_BASE;
    assert_true(n == 0 || (contents[0] == 0 && memcmp(contents, contents + 1, n - 1) == 0));
    hold(slot, o);
    return (uintptr_t)o;
}

static uint64_t run(int n)
{
    uint64_t h = 0;
    for (int i = 0; i < n; i++)
        h = mix(h, step());
    return h;
}

/* Forward, back to the middle, forward again: the same addresses and the same heap, also behind a collection, when cells
 * come from free lists and from blocks that are swept on the way. */
static void given_out_again(void **unused)
{
    jvm_undo_on = true;
    for (int round = 0; round < 24; round++) {
        run((int)below(500));
        int steps = 1 + (int)below(3000);
        size_t n = records.n;
        uint64_t before = state(), seed_before = seed;
        uint64_t addresses = run(steps), after = state();
        undo_to(n);
        assert_int_equal(state(), before);
        seed = seed_before;
        assert_int_equal(run(steps), addresses);
        assert_int_equal(state(), after);
        undo_to(n);
        assert_int_equal(state(), before);
        size_t cuts = ncuts;
        if (round % 2 == 1) {
            jvm_gc(NULL);
            assert_int_equal(ncuts, cuts + 1);
        }
    }
    jvm_undo_on = false;
}

static int set_up(void **unused)
{
    seed = 20020610;
    jvm_heap_init(512u << 20);
    for (int i = 0; i < NCLASSES; i++)
        classes[i] = (jvm_class){.kind = JVM_KIND_INSTANCE, .instance_size = sizes[i]};
    bytes_class = (jvm_class){.kind = JVM_KIND_PRIM_ARRAY, .element_type = 'B'};
    jvm_heap_add_roots(roots);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(given_out_again)};
    return cmocka_run_group_tests(tests, set_up, NULL);
}
