/* Conditions (machine/code.h) as VM mode compiles them, against an interpreter of a few lines: random code, at a real place. */
#include "x86_test.h"

enum { PROGRAMS = 250, N_GPRS = 16 };

static const char *const names[N_GPRS] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                          "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"};

static uint64_t seed = 4711;

static uint64_t chance(uint64_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % n;
}

/* ---- random code ----------------------------------------------------------------------------------- */

static const struct { uint8_t takes, leaves; } effects[] = {
#define X(name, takes, leaves) [MACHINE_CODE_##name] = {takes, leaves},
    MACHINE_CODE_OPS(X) MACHINE_CODE_JAVA_OPS(X) MACHINE_CODE_NATIVE_OPS(X)
#undef X
};

/* What native code has beyond the common ones, and a text is no part of. */
static const uint32_t further[] = {
    MACHINE_CODE_DIVIDE, MACHINE_CODE_REMAINDER, MACHINE_CODE_DIVIDE_U, MACHINE_CODE_REMAINDER_U, MACHINE_CODE_TO_REAL, MACHINE_CODE_TO_REAL,
    MACHINE_CODE_ROUND, MACHINE_CODE_TO_LONG, MACHINE_CODE_WIDEN, MACHINE_CODE_REAL_ADD, MACHINE_CODE_REAL_SUB, MACHINE_CODE_REAL_MUL,
    MACHINE_CODE_REAL_DIV, MACHINE_CODE_REAL_EQ, MACHINE_CODE_REAL_LT, MACHINE_CODE_REAL_LE, MACHINE_CODE_REAL_GT, MACHINE_CODE_REAL_GE,
};

static uint32_t random_op(void)
{
    return chance(3) ? (uint32_t)chance(MACHINE_CODE_AND_THEN) : further[chance(sizeof further / sizeof *further)];
}

static int64_t random_operand(machine *m, uint32_t op)
{
    switch (op) {
    case MACHINE_CODE_PUSH: return chance(3) ? (int64_t)chance(20) - 10 : (int64_t)(chance(UINT32_MAX) * chance(UINT32_MAX));
    case MACHINE_CODE_REG: return machine_reg_by_name(m, names[chance(N_GPRS)]);
    case MACHINE_CODE_LOAD: return 1 << chance(4);
    case MACHINE_CODE_SIGN:
    case MACHINE_CODE_ZERO: return 1 << chance(3);
    default: return (int64_t)chance(64);
    }
}

/* A load mostly comes after an address that is good: the stack pointer, which is on top then. */
static size_t random_code(machine *m, machine_code *code)
{
    size_t n = 0;
    unsigned depth = 0;
    while (n < 40 && (depth != 1 || n < 4 || chance(6))) {
        uint32_t op = random_op();
        if (depth < effects[op].takes || depth + effects[op].leaves > 7u + effects[op].takes)
            continue;
        if (op == MACHINE_CODE_LOAD && chance(12)) {
            if (depth > 6)
                continue;
            code[n++] = (machine_code){.op = MACHINE_CODE_REG, .operand = machine_reg_by_name(m, "rsp")};
            depth++;
        }
        code[n++] = (machine_code){.op = op, .operand = random_operand(m, op)};
        depth += effects[op].leaves - effects[op].takes;
    }
    for (; depth > 1; depth--)
        code[n++] = (machine_code){.op = chance(2) ? MACHINE_CODE_XOR : MACHINE_CODE_BELOW};
    return n;
}

/* Two of them, the second one asked only if the first says so. */
static size_t random_condition(machine *m, machine_code *code)
{
    size_t n = random_code(m, code);
    if (n > 20 || chance(2))
        return n;
    size_t jump = n++;
    n += random_code(m, code + n);
    code[jump] = (machine_code){.op = chance(2) ? MACHINE_CODE_AND_THEN : MACHINE_CODE_OR_ELSE, .operand = (int64_t)n};
    return n <= MACHINE_CODE_MAX_STEPS ? n : jump;
}

/* ---- what it means ---------------------------------------------------------------------------------- */

static uint64_t extended(uint64_t value, int64_t nbytes, bool with_sign)
{
    unsigned shift = 64 - 8 * (unsigned)nbytes;
    return with_sign ? (uint64_t)((int64_t)(value << shift) >> shift) : value << shift >> shift;
}

static double real_of(uint64_t word)
{
    double real;
    memcpy(&real, &word, sizeof real);
    return real;
}

static uint64_t word_of(double real)
{
    uint64_t word;
    memcpy(&word, &real, sizeof word);
    return word;
}

static double widened(uint64_t word)
{
    float single;
    memcpy(&single, &word, sizeof single);
    return (double)single;
}

static uint64_t truncated(double real)
{
    return real >= -0x1p63 && real < 0x1p63 ? (uint64_t)(int64_t)real : (uint64_t)INT64_MIN;
}

static bool divides(uint32_t op)
{
    return op == MACHINE_CODE_DIVIDE || op == MACHINE_CODE_REMAINDER || op == MACHINE_CODE_DIVIDE_U || op == MACHINE_CODE_REMAINDER_U;
}

/* By -1 there may be an answer, but translated code does not look for it. */
static bool has_no_quotient(uint32_t op, uint64_t by)
{
    return divides(op) && (by == 0 || (by == UINT64_MAX && (op == MACHINE_CODE_DIVIDE || op == MACHINE_CODE_REMAINDER)));
}

static uint64_t binary(uint32_t op, uint64_t a, uint64_t b)
{
    double x = real_of(a), y = real_of(b);
    switch (op) {
    case MACHINE_CODE_DIVIDE: return (uint64_t)((int64_t)a / (int64_t)b);
    case MACHINE_CODE_REMAINDER: return (uint64_t)((int64_t)a % (int64_t)b);
    case MACHINE_CODE_DIVIDE_U: return a / b;
    case MACHINE_CODE_REMAINDER_U: return a % b;
    case MACHINE_CODE_REAL_ADD: return word_of(x + y);
    case MACHINE_CODE_REAL_SUB: return word_of(x - y);
    case MACHINE_CODE_REAL_MUL: return word_of(x * y);
    case MACHINE_CODE_REAL_DIV: return word_of(x / y);
    case MACHINE_CODE_REAL_EQ: return x == y;
    case MACHINE_CODE_REAL_LT: return x < y;
    case MACHINE_CODE_REAL_LE: return x <= y;
    case MACHINE_CODE_REAL_GT: return x > y;
    case MACHINE_CODE_REAL_GE: return x >= y;
    case MACHINE_CODE_ADD: return a + b;
    case MACHINE_CODE_SUB: return a - b;
    case MACHINE_CODE_MUL: return a * b;
    case MACHINE_CODE_AND: return a & b;
    case MACHINE_CODE_OR: return a | b;
    case MACHINE_CODE_XOR: return a ^ b;
    case MACHINE_CODE_EQ: return a == b;
    case MACHINE_CODE_NE: return a != b;
    case MACHINE_CODE_LT: return (int64_t)a < (int64_t)b;
    case MACHINE_CODE_LE: return (int64_t)a <= (int64_t)b;
    case MACHINE_CODE_BELOW: return a < b;
    default: return a <= b;
    }
}

static uint64_t unary(uint32_t op, int64_t operand, uint64_t a)
{
    switch (op) {
    case MACHINE_CODE_TO_REAL: return word_of((double)(int64_t)a);
    case MACHINE_CODE_ROUND: return word_of((double)(float)real_of(a));
    case MACHINE_CODE_TO_LONG: return truncated(real_of(a));
    case MACHINE_CODE_WIDEN: return word_of(widened(a));
    case MACHINE_CODE_SIGN: return extended(a, operand, true);
    case MACHINE_CODE_ZERO: return extended(a, operand, false);
    case MACHINE_CODE_NEGATE: return -a;
    case MACHINE_CODE_COMPLEMENT: return ~a;
    case MACHINE_CODE_IS_ZERO: return a == 0;
    case MACHINE_CODE_IS_TRUE: return a != 0;
    case MACHINE_CODE_SHL: return a << operand;
    case MACHINE_CODE_SHR: return a >> operand;
    default: return (uint64_t)((int64_t)a >> operand);
    }
}

static bool holds(machine *m, machine_tid t, const machine_code *code, size_t n)
{
    uint64_t stack[MACHINE_CODE_MAX_DEPTH + 1] = {0};
    unsigned depth = 0;
    for (size_t i = 0; i < n; i++) {
        const machine_code *c = &code[i];
        if (c->op == MACHINE_CODE_PUSH) {
            stack[depth++] = (uint64_t)c->operand;
        } else if (c->op == MACHINE_CODE_REG) {
            assert_ok(machine_reg_get_u64(m, t, (unsigned)c->operand, &stack[depth++], err));
        } else if (c->op == MACHINE_CODE_LOAD) {
            uint64_t value = 0;
            if (machine_read(m, stack[depth - 1], &value, (size_t)c->operand, NULL) != EBB_OK)
                return true; /* CD3 */
            stack[depth - 1] = value;
        } else if (c->op == MACHINE_CODE_AND_THEN || c->op == MACHINE_CODE_OR_ELSE) {
            if ((stack[depth - 1] == 0) == (c->op == MACHINE_CODE_AND_THEN))
                i = (size_t)c->operand - 1;
            else
                depth--;
        } else if (effects[c->op].takes == 2) {
            depth--;
            if (has_no_quotient(c->op, stack[depth]))
                return true; /* CD3 */
            stack[depth - 1] = binary(c->op, stack[depth - 1], stack[depth]);
        } else {
            stack[depth - 1] = unary(c->op, c->operand, stack[depth - 1]);
        }
    }
    return stack[0] != 0;
}

/* ---- the test ----------------------------------------------------------------------------------------- */

static void get_all(machine *m, machine_tid t, uint64_t regs[N_GPRS + 2])
{
    for (int i = 0; i < N_GPRS; i++)
        regs[i] = reg(m, t, names[i]);
    regs[N_GPRS] = reg(m, t, "rip");
    regs[N_GPRS + 1] = reg(m, t, "eflags");
}

static void set_all(machine *m, machine_tid t, const uint64_t regs[N_GPRS + 2])
{
    for (int i = 0; i < N_GPRS; i++)
        set_reg(m, t, names[i], regs[i]);
    set_reg(m, t, "rip", regs[N_GPRS]);
    set_reg(m, t, "eflags", regs[N_GPRS + 1]);
}

/* The first two instructions of a function, push and mov, are executed again and again: is there a stop between them? */
static void compiled_conditions_are_right(void **state)
{
    char path[512];
    fixture_path("x86_time", path, sizeof path);
    char *args[] = {path, NULL};
    x86_launch launch = {.program = path, .args = args};
    machine *m = NULL;
    assert_ok(x86_native_launch(&launch, &m, err));
    m = x86_vm_new(m);
    machine_point_id at_start = break_at(m, "from");
    machine_tid t = run_on(m, 0, 0).thread;
    assert_ok(m->ops->point_clear(m, at_start, err));
    uint64_t before[N_GPRS + 2], between[N_GPRS + 2], after[N_GPRS + 2], now[N_GPRS + 2];
    get_all(m, t, before);
    before[N_GPRS + 1] |= 0x8c1; /* of, sf, zf, cf: flags that a condition could damage */
    set_all(m, t, before);
    assert_stop(step(m, t), "step");
    get_all(m, t, between);
    assert_stop(step(m, t), "step");
    get_all(m, t, after);
    point_at(m, MACHINE_POINT_EXEC, after[N_GPRS], 0);
    machine_point_id id = point_at(m, MACHINE_POINT_EXEC, between[N_GPRS], 0);
    int n_true = 0;
    for (int i = 0; i < PROGRAMS; i++) {
        machine_code code[2 * MACHINE_CODE_MAX_STEPS];
        size_t n = random_condition(m, code);
        set_all(m, t, between);
        bool expected = holds(m, t, code, n);
        set_all(m, t, before);
        assert_ok(m->ops->point_condition(m, id, code, n, err));
        machine_stop stop = run_on(m, t, 0);
        assert_stop(stop, "point");
        if ((stop.place == between[N_GPRS]) != expected)
            fail_msg("condition %d is %d", i, !expected);
        get_all(m, t, now);
        assert_memory_equal(now, expected ? between : after, sizeof now);
        n_true += expected;
    }
    assert_true(n_true > PROGRAMS / 5 && n_true < PROGRAMS * 4 / 5);
    m->ops->free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(compiled_conditions_are_right, x86_test_setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
