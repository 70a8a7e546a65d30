/* Steps of conditions about real numbers as the runtime in a native debuggee executes them, each row against the CPU's own instruction. */
#include "x86/inside/reals.h"
#include "unit.h"

#include <string.h>

/* ---- what the CPU says ---- */

/* xmm0 = a, xmm1 = b; what the instruction leaves in xmm0. */
#define WITH_BOTH(insn)                                                                                                                                 \
    __asm__ volatile("movq %1, %%xmm0\n\tmovq %2, %%xmm1\n\t" insn "\n\tmovq %%xmm0, %0" : "=r"(result) : "r"(a), "r"(b) : "xmm0", "xmm1")

#define BY_CPU(name, insn, mask)                                                                                                                        \
    static uint64_t cpu_##name(uint64_t a, uint64_t b)                                                                                                  \
    {                                                                                                                                                   \
        uint64_t result;                                                                                                                                \
        WITH_BOTH(insn);                                                                                                                                \
        return result & (mask);                                                                                                                         \
    }

#define ALL UINT64_MAX
BY_CPU(TO_REAL, "movq %%xmm0, %0\n\tcvtsi2sdq %0, %%xmm0", ALL)
BY_CPU(TO_LONG, "cvttsd2siq %%xmm0, %0\n\tmovq %0, %%xmm0", ALL)
BY_CPU(ROUND, "cvtsd2ss %%xmm0, %%xmm0\n\tcvtss2sd %%xmm0, %%xmm0", ALL)
BY_CPU(WIDEN, "cvtss2sd %%xmm0, %%xmm0", ALL)
BY_CPU(REAL_ADD, "addsd %%xmm1, %%xmm0", ALL)
BY_CPU(REAL_SUB, "subsd %%xmm1, %%xmm0", ALL)
BY_CPU(REAL_MUL, "mulsd %%xmm1, %%xmm0", ALL)
BY_CPU(REAL_DIV, "divsd %%xmm1, %%xmm0", ALL)
BY_CPU(REAL_EQ, "cmpeqsd %%xmm1, %%xmm0", 1)
BY_CPU(REAL_LT, "cmpltsd %%xmm1, %%xmm0", 1)
BY_CPU(REAL_LE, "cmplesd %%xmm1, %%xmm0", 1)
BY_CPU(REAL_GT, "cmpltsd %%xmm0, %%xmm1\n\tmovq %%xmm1, %%xmm0", 1)
BY_CPU(REAL_GE, "cmplesd %%xmm0, %%xmm1\n\tmovq %%xmm1, %%xmm0", 1)

typedef struct row {
    machine_code_op op;
    const char *name;
    uint64_t (*by_cpu)(uint64_t a, uint64_t b);
} row;

#define ROW(name) {MACHINE_CODE_##name, #name, cpu_##name}
static const row rows[] = {
    ROW(TO_REAL),  ROW(TO_LONG), ROW(ROUND),   ROW(WIDEN),   ROW(REAL_ADD), ROW(REAL_SUB), ROW(REAL_MUL),
    ROW(REAL_DIV), ROW(REAL_EQ), ROW(REAL_LT), ROW(REAL_LE), ROW(REAL_GT),  ROW(REAL_GE),
};
enum { N_ROWS = sizeof rows / sizeof *rows };

/* ---- operands ---- */

static const uint64_t words[] = {
    0, 1, 2, 7, (uint64_t)-1, (uint64_t)-5, INT64_MAX, (uint64_t)INT64_MIN, UINT32_MAX,
    0x3ff0000000000000, 0xbff0000000000000, 0x3fb999999999999a, 0x4008000000000000, /* 1, -1, 0.1, 3 */
    0x8000000000000000, 0x7ff0000000000000, 0xfff0000000000000,                     /* -0, the infinities */
    0x7ff8000000000000, 0xfff8000000000000, 0x7ff0000000000001,                     /* NaNs */
    0x000fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff,                     /* the least, and the largest */
    0x43e0000000000000, 0xc3e0000000000000, 0x43dfffffffffffff, 0xc3e0000000000001, /* near 2^63 */
    0x47efffffe0000000, 0x47f0000000000000, 0x36a0000000000000, 0x380fffffc0000000, /* near the ends of a float */
    0x3f800000, 0xbf800000, 0x7f800000, 0x7fc00000, 0x00000001, 0x3dcccccd,         /* bits of floats */
};
enum { N_WORDS = sizeof words / sizeof *words };

static bool is_nan(uint64_t word) { return (word & INT64_MAX) > 0x7ff0000000000000; }

static void assert_row(const row *r, uint64_t a, uint64_t b)
{
    uint64_t expected = r->by_cpu(a, b), got = x86_real(r->op, a, b);
    if (got != expected && !(is_nan(got) && is_nan(expected))) /* which of two NaNs it is, nobody can tell */
        fail_msg("%s of %#llx, %#llx is %#llx, not %#llx", r->name, (unsigned long long)a, (unsigned long long)b, (unsigned long long)got,
                 (unsigned long long)expected);
}

static void every_row(void **state)
{
    for (size_t i = 0; i < N_ROWS; i++)
        for (size_t a = 0; a < N_WORDS; a++)
            for (size_t b = 0; b < N_WORDS; b++)
                assert_row(&rows[i], words[a], words[b]);
}

static void at_random(void **state)
{
    uint64_t seed = 4711;
    for (size_t i = 0; i < 200000; i++) {
        uint64_t a = seed * 6364136223846793005u + 1442695040888963407u;
        seed = a * 6364136223846793005u + 1442695040888963407u;
        assert_row(&rows[i % N_ROWS], a, seed);
    }
}

/* No row of the table is left out above. */
static void all_of_the_table(void **state)
{
    static const machine_code_op table[] = {
#define REAL_ONE(name, expression) MACHINE_CODE_##name,
#define REAL_TWO(name, expression) MACHINE_CODE_##name,
#define REAL_TRUTH(name, expression) MACHINE_CODE_##name,
#include "machine/code_numbers.def"
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        bool found = false;
        for (size_t k = 0; k < N_ROWS; k++)
            found |= rows[k].op == table[i];
        assert_true(found);
    }
}

/* ---- what is the guest's ---- */

typedef struct vectors {
    uint8_t regs[16][16];
    uint32_t mxcsr;
} vectors;

#define EACH_REG(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)

static uint64_t with_vectors(const vectors *before, vectors *after, machine_code_op op, uint64_t a, uint64_t b)
{
    uint32_t usual;
    __asm__ volatile("stmxcsr %0" : "=m"(usual));
#define LOAD(n) __asm__ volatile("movups %0, %%xmm" #n : : "m"(before->regs[n]) : "xmm" #n);
    EACH_REG(LOAD)
    __asm__ volatile("ldmxcsr %0" : : "m"(before->mxcsr));
    uint64_t result = x86_real(op, a, b);
    __asm__ volatile("stmxcsr %0" : "=m"(after->mxcsr));
#define SAVE(n) __asm__ volatile("movups %%xmm" #n ", %0" : "=m"(after->regs[n]));
    EACH_REG(SAVE)
    __asm__ volatile("ldmxcsr %0" : : "m"(usual));
    return result;
}

/* Its modes are those of a program that rounds up and wants to be told of every exception there is. */
static void nothing_is_changed(void **state)
{
    vectors before, after;
    memset(&before, 0, sizeof before);
    memset(&after, 0, sizeof after);
    for (unsigned i = 0; i < sizeof before.regs; i++)
        before.regs[i / 16][i % 16] = (uint8_t)(i * 37 + 1);
    before.mxcsr = 0x4000;
    for (size_t i = 0; i < N_ROWS; i++)
        for (size_t a = 0; a < N_WORDS; a++) {
            uint64_t b = words[(a + i) % N_WORDS], got = with_vectors(&before, &after, rows[i].op, words[a], b);
            assert_memory_equal(&before, &after, sizeof before);
            assert_int_equal(got, x86_real(rows[i].op, words[a], b));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row),
        cmocka_unit_test(at_random),
        cmocka_unit_test(all_of_the_table),
        cmocka_unit_test(nothing_is_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
