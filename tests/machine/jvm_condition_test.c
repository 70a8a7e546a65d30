/* Conditions (machine/code.h) in the Java machine: whatever code it is told, it refuses or executes it, and the program notices nothing.
 * What conditions mean is compared with the session's evaluator in tests/session/test_java_conditions.py. */
#include "jvm_debuggee.h"

#include <stdlib.h>
#include <string.h>

enum { N_POINTS = 10, N_TURNS = 1200, N_STEPS = 24 };

static uint64_t seed = 4711;

static uint64_t chance(uint64_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % n;
}

static const struct { uint8_t takes, leaves; } effects[] = {
#define X(name, takes, leaves) [MACHINE_CODE_##name] = {takes, leaves},
    MACHINE_CODE_OPS(X) MACHINE_CODE_JAVA_OPS(X) MACHINE_CODE_NATIVE_OPS(X)
#undef X
};

static int64_t random_number(void)
{
    static const int64_t odd[] = {0, 1, -1, 2, 7, 31, 63, 64, INT32_MIN, INT32_MAX, INT64_MIN, INT64_MAX, 0x7ff8000000000000, 0x3ff0000000000000};
    return chance(3) ? odd[chance(sizeof odd / sizeof *odd)] : (int64_t)(chance(UINT32_MAX) << 32 | chance(UINT32_MAX));
}

/* Mostly one that means something. */
static int64_t random_operand(machine *m, uint32_t op, size_t i, size_t n)
{
    static const char letters[] = "ZBCSIJFDL[";
    static const char *const fields[] = {"counter", "total", "last", "value", "small", "next"};
    if (chance(30) == 0)
        return random_number();
    switch (op) {
    case MACHINE_CODE_LOCAL: return (int64_t)(chance(14) | (uint64_t)letters[chance(10)] << 16);
    case MACHINE_CODE_FIELD:
    case MACHINE_CODE_FIELD_REF:
    case MACHINE_CODE_STATIC:
    case MACHINE_CODE_STATIC_REF:
        return chance(3) ? (int64_t)dbg_field(m, "Undo", fields[chance(6)]) : (int64_t)(chance(900) << 32 | chance(6));
    case MACHINE_CODE_INSTANCE:
    case MACHINE_CODE_CAST: return chance(3) ? dbg_class(m, "Undo") : (int64_t)chance(900);
    case MACHINE_CODE_ELEMENT: return letters[chance(10)];
    case MACHINE_CODE_SIGN:
    case MACHINE_CODE_ZERO: return 1 << chance(3);
    case MACHINE_CODE_SHL_BY:
    case MACHINE_CODE_SHR_BY:
    case MACHINE_CODE_SAR_BY: return chance(2) ? 31 : 63;
    case MACHINE_CODE_IS_TEXT: return (int64_t)chance(9);
    case MACHINE_CODE_AND_THEN:
    case MACHINE_CODE_OR_ELSE:
    case MACHINE_CODE_UNLESS:
    case MACHINE_CODE_JUMP: return (int64_t)(i + 1 + chance(n - i));
    case MACHINE_CODE_PUSH: return random_number();
    default: return (int64_t)chance(64);
    }
}

/* What the machine's own check would say, so that most of the code is executed. */
static bool has_sense(uint32_t op, const bool *is_ref, unsigned depth)
{
    bool top = depth > 0 && is_ref[depth - 1], below = depth > 1 && is_ref[depth - 2];
    switch (op) {
#define X(name, takes, leaves) case MACHINE_CODE_##name:
    MACHINE_CODE_NATIVE_OPS(X)
#undef X
    case MACHINE_CODE_REG:
    case MACHINE_CODE_LOAD:
    case MACHINE_CODE_IS_TEXT:
    case MACHINE_CODE_AND_THEN:
    case MACHINE_CODE_OR_ELSE:
    case MACHINE_CODE_UNLESS:
    case MACHINE_CODE_JUMP: return chance(20) == 0;
    case MACHINE_CODE_FIELD:
    case MACHINE_CODE_FIELD_REF:
    case MACHINE_CODE_LENGTH:
    case MACHINE_CODE_INSTANCE:
    case MACHINE_CODE_CAST:
    case MACHINE_CODE_UNITS: return top;
    case MACHINE_CODE_ELEMENT:
    case MACHINE_CODE_UNIT: return below;
    case MACHINE_CODE_SAME_TEXT: return top && below;
    default: return depth >= effects[op].takes;
    }
}

static bool leaves_ref(const machine_code *step, bool top)
{
    bool is_letter = step->op == MACHINE_CODE_LOCAL || step->op == MACHINE_CODE_ELEMENT;
    int64_t letter = step->op == MACHINE_CODE_LOCAL ? step->operand >> 16 : step->operand;
    return step->op == MACHINE_CODE_NIL || step->op == MACHINE_CODE_FIELD_REF || step->op == MACHINE_CODE_STATIC_REF || step->op == MACHINE_CODE_CAST ||
           (is_letter && (letter == 'L' || letter == '[')) || ((step->op == MACHINE_CODE_NEED || step->op == MACHINE_CODE_DOUBT) && top);
}

static size_t random_code(machine *m, machine_code *code)
{
    size_t n = 0, wanted = 2 + chance(N_STEPS - 8);
    unsigned depth = 0;
    bool is_ref[2 * N_STEPS] = {0};
    while (n < wanted) {
        uint32_t op = chance(3) ? (uint32_t)chance(MACHINE_CODE_N_OPS) : MACHINE_CODE_LOCAL; /* something to work on */
        if (depth + effects[op].leaves > 5u + effects[op].takes || (chance(50) && !has_sense(op, is_ref, depth)) || depth < effects[op].takes)
            continue;
        code[n] = (machine_code){.op = op, .operand = random_operand(m, op, n, wanted)};
        bool top = depth > 0 && is_ref[depth - 1];
        depth += (unsigned)effects[op].leaves - effects[op].takes;
        if (effects[op].leaves)
            is_ref[depth - 1] = leaves_ref(&code[n], top);
        n++;
    }
    for (; depth > 1 && n < N_STEPS; depth--)
        code[n++] = (machine_code){.op = chance(2) ? MACHINE_CODE_XOR : MACHINE_CODE_BELOW};
    if (chance(20) == 0)
        code[chance(n)].op = (uint32_t)chance(100000);
    return n;
}

static machine_place loop_place(machine *m)
{
    return dbg_line_place(m, "Undo", 37); /* u.small = bytes[k]: all of the loop's variables are there */
}

static char *plain_output(void)
{
    machine *m = dbg_start("Undo", "g", "heap");
    assert_int_equal(dbg_run(m).kind, MACHINE_STOP_EXITED);
    m->ops->free(m);
    return dbg_output();
}

static bool tell(machine *m, machine_point_id id, const machine_code *code, size_t n)
{
    ebb_error why;
    ebb_status status = m->ops->point_condition(m, id, code, n, &why);
    assert_true(status == EBB_OK || status == EBB_BAD_INPUT);
    return status == EBB_OK;
}

static void any_code_is_refused_or_executed(void **state)
{
    char *expected = plain_output();
    machine *m = dbg_start("Undo", "g", "heap");
    dbg_run_to_class(m, "Undo");
    machine_point_id stop_here = dbg_break(m, loop_place(m)), points[N_POINTS];
    unsigned accepted = 0, refused = 0, held = 0;
    for (unsigned i = 0; i < N_POINTS; i++)
        points[i] = dbg_break(m, loop_place(m));
    for (unsigned turn = 0; turn < N_TURNS; turn++) {
        for (unsigned i = 0; i < N_POINTS; i++) {
            machine_code code[N_STEPS];
            bool good = tell(m, points[i], code, random_code(m, code));
            accepted += good;
            refused += !good;
        }
        machine_stop stop = dbg_run(m);
        assert_int_equal(stop.kind, MACHINE_STOP_POINT);
        assert_int_equal(stop.points[0], stop_here);
        held += (unsigned)stop.n_points - 1;
    }
    print_message("%u accepted, %u refused, %u held\n", accepted, refused, held);
    assert_true(accepted > N_TURNS * N_POINTS / 2 && refused > N_TURNS && held > 0 && held < N_TURNS * N_POINTS);
    assert_ok(m->ops->point_clear(m, stop_here, err));
    for (unsigned i = 0; i < N_POINTS; i++)
        assert_ok(m->ops->point_clear(m, points[i], err));
    assert_int_equal(dbg_run(m).kind, MACHINE_STOP_EXITED);
    m->ops->free(m);
    char *output = dbg_output();
    assert_string_equal(output, expected);
    free(output);
    free(expected);
}

static void broken_code_is_refused(void **state)
{
    machine *m = dbg_start("Undo", "g", "heap");
    dbg_run_to_class(m, "Undo");
    machine_point_id id = dbg_break(m, loop_place(m));
    const machine_code nothing_left[] = {{MACHINE_CODE_PUSH, 0, 1}, {MACHINE_CODE_UNLESS, 0, 2}};
    const machine_code too_much[] = {{MACHINE_CODE_PUSH, 0, 1}, {MACHINE_CODE_PUSH, 0, 1}};
    const machine_code backward[] = {{MACHINE_CODE_PUSH, 0, 1}, {MACHINE_CODE_JUMP, 0, 1}, {MACHINE_CODE_PUSH, 0, 1}};
    const machine_code far_away[] = {{MACHINE_CODE_PUSH, 0, 1}, {MACHINE_CODE_AND_THEN, 0, 1 << 30}, {MACHINE_CODE_PUSH, 0, 1}};
    const machine_code two_depths[] = {{MACHINE_CODE_PUSH, 0, 1}, {MACHINE_CODE_PUSH, 0, 1}, {MACHINE_CODE_UNLESS, 0, 4}, {MACHINE_CODE_PUSH, 0, 1}, {MACHINE_CODE_ADD, 0, 0}};
    const machine_code no_text[] = {{MACHINE_CODE_PUSH, 0, 0}, {MACHINE_CODE_IS_TEXT, 0, 5}, {MACHINE_CODE_DATA, 0, 0}};
    const machine_code native[] = {{MACHINE_CODE_REG, 0, 1}};
    const machine_code memory[] = {{MACHINE_CODE_PUSH, 0, 4096}, {MACHINE_CODE_LOAD, 0, 8}};
    const machine_code wild[] = {{MACHINE_CODE_PUSH, 0, 4096}, {MACHINE_CODE_LENGTH, 0, 0}};
    const machine_code wild_or_not[] = {{MACHINE_CODE_PUSH, 0, 1}, {MACHINE_CODE_UNLESS, 0, 4}, {MACHINE_CODE_NIL, 0, 0}, {MACHINE_CODE_JUMP, 0, 5},
                                        {MACHINE_CODE_PUSH, 0, 4096}, {MACHINE_CODE_LENGTH, 0, 0}};
    const machine_code letter[] = {{MACHINE_CODE_LOCAL, 0, 'x' << 16}};
    machine_code deep[100];
    for (unsigned i = 0; i < 100; i++)
        deep[i] = (machine_code){.op = MACHINE_CODE_PUSH};
    machine_code *endless = calloc(5000, sizeof *endless);
    for (unsigned i = 0; i < 5000; i++)
        endless[i] = (machine_code){.op = i ? MACHINE_CODE_NEGATE : MACHINE_CODE_PUSH};
    assert_false(tell(m, id, nothing_left, 2));
    assert_false(tell(m, id, too_much, 2));
    assert_false(tell(m, id, backward, 3));
    assert_false(tell(m, id, far_away, 3));
    assert_false(tell(m, id, two_depths, 5));
    assert_false(tell(m, id, no_text, 3));
    assert_false(tell(m, id, native, 1));
    assert_false(tell(m, id, memory, 2));
    assert_false(tell(m, id, wild, 2));
    assert_false(tell(m, id, wild_or_not, 6));
    assert_false(tell(m, id, letter, 1));
    assert_false(tell(m, id, deep, 100));
    assert_false(tell(m, id, endless, 5000));
    assert_true(tell(m, id, endless, 1000));
    free(endless);
    assert_int_equal(m->ops->point_condition(m, id + 99, native, 0, NULL), EBB_NOT_FOUND);
    m->ops->free(m);
}

/* Two points share one count; a plain one beside them is told with them, and then nothing was counted. */
static void ignored_hits_are_counted(void **state)
{
    machine *m = dbg_start("Undo", "g", "heap");
    dbg_run_to_class(m, "Undo");
    machine_point_id ids[2] = {dbg_break(m, loop_place(m)), dbg_break(m, dbg_line_place(m, "Undo", 38))};
    const machine_request counting = {.move = MACHINE_RUN, .counts = true}, plain = {.move = MACHINE_RUN};
    assert_ok(m->ops->points_ignore(m, ids, 2, 7, err));
    assert_int_equal(dbg_resume(m, plain).points[0], ids[0]);
    assert_int_equal(m->ops->points_passed(m, ids[0]), 0);
    machine_stop stop = dbg_resume(m, counting); /* the second line, then both three times */
    assert_int_equal(stop.points[0], ids[0]);
    assert_int_equal(m->ops->points_passed(m, ids[0]), 7);
    assert_int_equal(m->ops->points_passed(m, ids[0]), 0);
    assert_ok(m->ops->points_ignore(m, ids, 2, 100000, err));
    machine_point_id beside = dbg_break(m, loop_place(m));
    stop = dbg_resume(m, counting); /* the second line, then the first once more */
    assert_int_equal(stop.n_points, 2);
    assert_int_equal(m->ops->points_passed(m, ids[0]), 1);
    assert_ok(m->ops->point_clear(m, beside, err));
    assert_int_equal(dbg_resume(m, counting).kind, MACHINE_STOP_EXITED);
    assert_int_equal(m->ops->points_passed(m, ids[0]), 2 * (2100 - 6) + 1);
    m->ops->free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_code_is_refused_or_executed),
        cmocka_unit_test(broken_code_is_refused),
        cmocka_unit_test(ignored_hits_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
