/* Searches (machine/search.h) in native programs: what translated code notes by itself is what a stop for every hit finds.
 *
 * The places of the points are those that the program was seen at; kinds, groups, conditions and the span are thrown with dice. */
#include "x86_test.h"

#include "base/mem.h"
#include "time/timeline.h"
#include "x86/inside/notes.h"

enum { N_SEEN = 60, MAX_POINTS = 6 };

typedef struct walk {
    machine *m;
    ebb_timeline *tl;
    unsigned seed;
    EBB_VEC(ebb_position) seen;
    uint64_t sp;
} walk;

static unsigned dice(walk *w, unsigned sides)
{
    w->seed = w->seed * 1103515245 + 12345;
    return (w->seed >> 16) % sides;
}

static uint64_t stack_pointer(walk *w)
{
    uint64_t sp;
    unsigned reg = (unsigned)machine_reg_by_name(w->m, "rsp");
    assert_ok(w->m->native->reg_read(w->m, ebb_timeline_get_thread(w->tl), reg, &sp, err));
    return sp;
}

static walk begin(const char *mode, unsigned seed)
{
    char path[512];
    fixture_path("x86_recorded", path, sizeof path);
    char *args[] = {path, (char *)mode, NULL};
    x86_launch launch = {.program = path, .args = args};
    machine *native = NULL;
    assert_ok(x86_native_launch(&launch, &native, err));
    walk w = {.m = x86_vm_new(native), .seed = seed};
    w.m->ops->signal_policy(w.m, 0, UINT64_MAX);
    assert_ok(x86_vm_keep_history(w.m, err));
    w.tl = ebb_timeline_new(w.m);
    return w;
}

static void end(walk *w)
{
    ebb_vec_fini(&w->seen);
    ebb_timeline_free(w->tl);
    w->m->ops->free(w->m);
}

static void walk_forward(walk *w)
{
    machine_stop stop = {0};
    while (w->seen.n < N_SEEN && stop.kind != MACHINE_STOP_EXITED) {
        ebb_position now;
        assert_ok(ebb_timeline_now(w->tl, 0, &now, err));
        ebb_vec_push(&w->seen, now);
        if (w->seen.n == N_SEEN / 2)
            w->sp = stack_pointer(w);
        machine_request step = {.move = MACHINE_STEP, .thread = ebb_timeline_get_thread(w->tl)}, run = step;
        run.move = MACHINE_RUN;
        run.until = true;
        run.until_time = now.timestamp + 1 + dice(w, 300);
        assert_ok(ebb_timeline_run(w->tl, dice(w, 3) ? &run : &step, &stop, err));
    }
}

typedef struct question {
    machine_point_id ids[MAX_POINTS];
    machine_point points[MAX_POINTS];
    bool has_condition[MAX_POINTS];
    machine_noted noted[MAX_POINTS];
    size_t n;
    machine_search search;
    ebb_position from;
} question;

static void set_condition(walk *w, machine_point_id id)
{
    const machine_code code[] = {
        {.op = MACHINE_CODE_REG, .operand = machine_reg_by_name(w->m, dice(w, 2) ? "rax" : "rdi")}, {.op = MACHINE_CODE_PUSH, .operand = 1 + dice(w, 3)},
        {.op = MACHINE_CODE_AND}, {.op = MACHINE_CODE_IS_ZERO},
    };
    assert_ok(w->m->ops->point_condition(w->m, id, code, sizeof code / sizeof code[0], err));
}

static void set_point(walk *w, question *q)
{
    static const machine_point_kind kinds[] = {MACHINE_POINT_WRITE, MACHINE_POINT_WRITE, MACHINE_POINT_ACCESS};
    bool is_data = dice(w, 3) == 0;
    uint64_t near = (w->sp & ~(uint64_t)7) - 8 * dice(w, 40);
    machine_point point = {.kind = MACHINE_POINT_EXEC, .addr = w->seen.items[dice(w, (unsigned)w->seen.n)].place};
    if (is_data)
        point = (machine_point){.kind = kinds[dice(w, 3)], .addr = near, .nbytes = 1u << dice(w, 5)};
    machine_point_id *id = &q->ids[q->n];
    if (w->m->ops->point_set(w->m, &point, id, NULL) != EBB_OK)
        return; /* that code is not there now */
    q->points[q->n] = point;
    q->has_condition[q->n] = !is_data && dice(w, 3) == 0;
    if (q->has_condition[q->n])
        set_condition(w, *id);
    uint32_t group = is_data || dice(w, 2) ? MACHINE_UNGROUPED : dice(w, 4) ? 1 + dice(w, 2) : MACHINE_GROUP_FRESH;
    unsigned as = dice(w, 5);
    q->noted[q->n++] = (machine_noted){.id = *id, .group = group, .as = as < 3 ? MACHINE_NOTE_HIT : as == 3 ? MACHINE_NOTE_ASIDE : MACHINE_NOTE_NOTHING};
}

static question ask(walk *w)
{
    question q = {0};
    unsigned a = dice(w, (unsigned)w->seen.n - 1), b = a + 1 + dice(w, (unsigned)w->seen.n - 1 - a);
    for (unsigned i = 1 + dice(w, MAX_POINTS); i > 0; i--)
        set_point(w, &q);
    q.from = w->seen.items[a];
    q.search = (machine_search){.until_time = w->seen.items[b].timestamp, .until_place = w->seen.items[b].place, .n_noted = q.n, .only_noted = dice(w, 2)};
    if (dice(w, 3) == 0)
        q.search.n_noted = q.n / 2; /* some of them end it */
    if (dice(w, 3) == 0)
        q.search.n_listed = 1 + dice(w, 20);
    return q;
}

typedef struct answer {
    machine_found found;
    machine_listed listed[32];
} answer;

/* Translated code can note so many points, those that are listed first.  For the others it stops: for all of ours, if enough that don't
 * exist are listed before them. */
static machine_noted *noted_by_stops(const question *q)
{
    machine_noted *noted = ebb_alloc((X86_MAX_NOTE + q->n) * sizeof *noted);
    for (size_t i = 0; i < X86_MAX_NOTE; i++)
        noted[i] = (machine_noted){.id = -1};
    memcpy(noted + X86_MAX_NOTE, q->noted, q->n * sizeof *noted);
    return noted;
}

static answer answer_to(walk *w, question *q, bool by_stops)
{
    answer a;
    machine_stop stop;
    machine_noted *noted = by_stops ? noted_by_stops(q) : NULL;
    machine_search search = q->search;
    search.noted = by_stops ? noted : q->noted;
    search.n_noted += by_stops ? X86_MAX_NOTE : 0;
    assert_ok(ebb_timeline_seek_start(w->tl, &stop, err)); /* the timeline knows nothing of searches that it did not ask for */
    assert_ok(ebb_timeline_seek(w->tl, q->from, &stop, err));
    assert_ok(w->m->history->search(w->m, &search, &a.found, err));
    free(noted);
    memcpy(a.listed, a.found.listed, a.found.n_listed * sizeof *a.listed);
    return a;
}

/* Which of the points of a place are listed with a hit may differ if several are there. */
static void check_stop(const machine_stop *a, const machine_stop *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->place, b->place);
    assert_int_equal(a->thread, b->thread);
    assert_int_equal(a->n_points, b->n_points);
}

/* What was asked, for a person who has to find out why. */
static void print_question(const question *q)
{
    print_message("from %lu@0x%lx to %lu@0x%lx, %zu of %zu points%s, at most %zu\n", q->from.timestamp, q->from.place, q->search.until_time,
                  q->search.until_place, q->search.n_noted, q->n, q->search.only_noted ? " only" : "", q->search.n_listed);
    for (size_t i = 0; i < q->n; i++)
        print_message("  %d at 0x%lx, %lu bytes, kind %d, group %u, as %d%s\n", q->ids[i], q->points[i].addr, q->points[i].nbytes, q->points[i].kind,
                      q->noted[i].group, q->noted[i].as, q->has_condition[i] ? ", with a condition" : "");
}

static void print_answer(const answer *x)
{
    const machine_found *a = &x->found;
    print_message("%lu hits, last %lu@0x%lx with %zu points, group %u, first %d (%lu), aside %d (%lu), listed %zu; ended by %s at 0x%lx\n", a->n_hits,
                  a->last_time, a->last.place, a->last.n_points, a->last_group, a->has_first, a->first_time, a->has_aside, a->aside_time,
                  a->n_listed, machine_stop_word(a->end.kind), a->end.place);
}

static void compare(const answer *x, const answer *y)
{
    const machine_found *a = &x->found, *b = &y->found;
    assert_int_equal(a->end.kind, b->end.kind);
    assert_int_equal(a->end.place, b->end.place);
    assert_int_equal(a->n_hits, b->n_hits);
    assert_int_equal(a->n_listed, b->n_listed);
    assert_int_equal(a->last_group, b->last_group);
    assert_int_equal(a->has_first, b->has_first);
    assert_int_equal(a->has_aside, b->has_aside);
    if (a->n_hits) {
        assert_int_equal(a->last_time, b->last_time);
        check_stop(&a->last, &b->last);
    }
    if (a->has_first) {
        assert_int_equal(a->first_time, b->first_time);
        assert_int_equal(a->first_group, b->first_group);
    }
    if (a->has_aside) {
        assert_int_equal(a->aside_time, b->aside_time);
        check_stop(&a->aside, &b->aside);
    }
    for (size_t i = 0; i < a->n_listed; i++) {
        assert_int_equal(x->listed[i].time, y->listed[i].time);
        assert_int_equal(x->listed[i].place, y->listed[i].place);
        assert_int_equal(x->listed[i].has_is, y->listed[i].has_is);
        assert_int_equal(x->listed[i].is, y->listed[i].is);
    }
}

static void test(const char *mode, unsigned seed, unsigned n)
{
    uint64_t n_hits = 0;
    walk w = begin(mode, seed);
    walk_forward(&w);
    machine_stop stop;
    assert_ok(ebb_timeline_seek(w.tl, w.seen.items[w.seen.n / 2], &stop, err));
    for (unsigned i = 0; i < n; i++) {
        question q = ask(&w);
        answer quick = answer_to(&w, &q, false), slow = answer_to(&w, &q, true);
        if (getenv("EBB_TEST_TALKS")) {
            print_question(&q);
            print_answer(&quick);
            print_answer(&slow);
        }
        compare(&quick, &slow);
        n_hits += quick.found.n_hits;
        machine_points_clear(w.m, q.ids, q.n);
    }
    print_message("%s: %lu hits\n", mode, n_hits);
    assert_true(n_hits > 0);
    end(&w);
}

static void test_files(void **state) { test("files", 1, 25); }
static void test_maps(void **state) { test("maps", 2, 25); }
static void test_threads(void **state) { test("threads", 3, 15); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_files, x86_test_setup),
        cmocka_unit_test_setup(test_maps, x86_test_setup),
        cmocka_unit_test_setup(test_threads, x86_test_setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
