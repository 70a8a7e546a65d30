/* Every bytecode backwards, for each way in which it can end: one forward, undone, the same state; forward again, the same state
 * again.  Which there have to be is what engine/ops.def says; UndoOps.java makes them. */
#include "jvm_debuggee.h"

#include "jvm/remote/machine_ops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOG = 1 << 20, MOST_ENDINGS = 16 };

static const struct {
    const char *name, *throws;
    uint8_t code;
} ops[] = {
#define JVM_OP(code, name, operands, pops, pushes, undo, throws) {#name, #throws, code},
#include "jvm/engine/ops.def"
#undef JVM_OP
};
enum { NOPS = sizeof ops / sizeof *ops };

/* ---- what is covered ---- */

static struct {
    const char *endings[MOST_ENDINGS];
    unsigned n;
} covered[NOPS];

static size_t op_named(const char *name, size_t n)
{
    for (size_t i = 0; i < NOPS; i++)
        if (strlen(ops[i].name) == n && memcmp(ops[i].name, name, n) == 0)
            return i;
    fail_msg("no instruction %s", name);
    return 0;
}

static bool is_covered(size_t op, const char *ending, size_t n)
{
    for (unsigned i = 0; i < covered[op].n; i++)
        if (strlen(covered[op].endings[i]) == n && memcmp(covered[op].endings[i], ending, n) == 0)
            return true;
    return false;
}

static void cover(size_t op, const char *ending, size_t n)
{
    if (is_covered(op, ending, n))
        return;
    assert_true(covered[op].n < MOST_ENDINGS);
    covered[op].endings[covered[op].n++] = strndup(ending, n);
}

static unsigned missing(size_t op, const char *ending, size_t n)
{
    bool full_heap = strcmp(ops[op].name, "new") == 0 && n == 5 && memcmp(ending, "ALLOC", n) == 0;
    if (full_heap || is_covered(op, ending, n))
        return 0;
    print_error("nothing executed %s ending %.*s\n", ops[op].name, (int)n, ending);
    return 1;
}

static void expect_all_covered(void)
{
    static const char prefix[] = "JVM_THROWS_";
    unsigned left = 0;
    for (size_t i = 0; i < NOPS; i++) {
        if (strcmp(ops[i].name, "athrow") != 0)
            left += missing(i, "normal", strlen("normal"));
        for (const char *at = ops[i].throws; (at = strstr(at, prefix)) != NULL;) {
            at += strlen(prefix);
            left += missing(i, at, strcspn(at, " "));
        }
    }
    assert_int_equal(left, 0);
}

/* ---- moments ---- */

typedef struct moment {
    uint64_t time, hash;
    machine_place place;
    machine_tid thread;
} moment;

static moment moment_now(machine *m, machine_tid thread)
{
    moment now = {.time = m->ops->timestamp(m), .thread = thread, .place = jvm_remote_of(m)->place};
    assert_ok(m->history->state_hash(m, &now.hash, err));
    return now;
}

static bool is_same(const moment *a, const moment *b)
{
    return a->time == b->time && a->place == b->place && a->hash == b->hash;
}

static moment run_to(machine *m, const moment *then)
{
    (void)dbg_resume(m, (machine_request){.move = MACHINE_RUN, .until = true, .until_time = then->time, .until_place = then->place, .quiet = true});
    return moment_now(m, then->thread);
}

/* ---- one instruction ---- */

typedef struct tested {
    const char *name;
    machine_place place;
    machine_point_id point;
} tested;
static EBB_VEC(tested) all;

/* The instruction after the first nop. */
static machine_place tested_place(machine *m, const java_method *method)
{
    const java_code *code;
    machine_place place = method->id;
    machine_insn insn;
    assert_ok(jvm_remote_code(m, method->id, &code, err));
    for (;; place += insn.nbytes) {
        assert_ok(m->ops->decode(m, place, &insn, err));
        if (code->bytes[place & 0xffff] == 0) /* nop */
            return place + insn.nbytes;
    }
}

static void add_class(machine *m, const char *name)
{
    const java_class *c;
    assert_ok(jvm_remote_class(m, dbg_class(m, name), &c, err));
    for (size_t i = 0; i < c->n_methods; i++) {
        if (strchr(c->methods[i].name, '$') == NULL)
            continue;
        tested one = {.name = strdup(c->methods[i].name), .place = tested_place(m, &c->methods[i])};
        const java_code *code;
        size_t op = op_named(one.name, strcspn(one.name, "$"));
        assert_ok(jvm_remote_code(m, c->methods[i].id, &code, err));
        assert_int_equal(code->bytes[one.place & 0xffff], ops[op].code);
        ebb_vec_push(&all, one);
    }
}

static const tested *tested_at(machine_place place)
{
    for (size_t i = 0; i < all.n; i++)
        if (all.items[i].place == place)
            return &all.items[i];
    fail_msg("a stop where nothing is tested");
    return NULL;
}

/* What was resolved or initialised stays so: the log is cut, and the way back is a snapshot. */
static bool may_cut(const char *ending)
{
    return strncmp(ending, "LINK", 4) == 0 || strncmp(ending, "INIT", 4) == 0;
}

static void back_and_forth(machine *m, ebb_snapshot_id snapshot, machine_tid thread, size_t turn)
{
    if (getenv("EBB_TELL") != NULL && turn % 20 == 0) print_message("%zu\n", turn);
    moment before = moment_now(m, thread);
    const tested *one = tested_at(before.place);
    const char *ending = strchr(one->name, '$') + 1;
    assert_ok(m->history->undo_set(m, 0, LOG + turn % 2 * LOG, err)); /* another log, which begins with a checkpoint right here */
    machine_stop stop = dbg_step(m, thread, 0, 0, true);
    moment after = moment_now(m, stop.thread), now;
    bool reached;
    assert_ok(ebb_copies_rewind(copies_of(m), (ebb_position){before.time, before.place}, &reached, err));
    if (!reached && !may_cut(ending))
        fail_msg("%s can't be undone", one->name);
    if (reached) {
        now = moment_now(m, thread);
    } else {
        assert_ok(ebb_copies_restore(copies_of(m), snapshot, err));
        now = run_to(m, &before);
    }
    if (!is_same(&now, &before))
        fail_msg("%s was undone, but it is not as before", one->name);
    now = run_to(m, &after);
    if (!is_same(&now, &after))
        fail_msg("%s was undone and done again, but it is not as after it", one->name);
    cover(op_named(one->name, strcspn(one->name, "$")), ending, strcspn(ending, "$"));
}

static void every_bytecode_backwards(void **state)
{
    machine *m = dbg_start_recorded("UndoOps", "g", NULL);
    ebb_snapshot_id id;
    dbg_run_to_class(m, "UndoOps");
    machine_point_id begin = dbg_break_mark(m, "UndoOps", "begin"), end = dbg_break_mark(m, "UndoOps", "end");
    (void)dbg_run(m);
    assert_ok(ebb_copies_take(copies_of(m), &id, err));
    (void)dbg_run(m);
    assert_ok(m->ops->point_clear(m, begin, err));
    assert_ok(m->ops->point_clear(m, end, err));
    assert_ok(ebb_copies_restore(copies_of(m), id, err));
    add_class(m, "gen.Ops");
    add_class(m, "gen.New");
    for (size_t i = 0; i < all.n; i++)
        all.items[i].point = dbg_break(m, all.items[i].place);
    size_t turns = 0;
    for (machine_stop stop; (stop = dbg_run(m)).kind == MACHINE_STOP_POINT; turns++)
        back_and_forth(m, id, stop.thread, turns);
    assert_int_equal(turns, all.n);
    expect_all_covered();
    m->ops->free(m);
    char *output = dbg_output();
    assert_int_equal(strtoul(output, NULL, 10), 0); /* the mark stands before it is printed */
    free(output);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bytecode_backwards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
