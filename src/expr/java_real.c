/* java_real.c - float and double as JDK 17's Float.toString and Double.toString write them.
 *
 * Up to JDK 18 these are not always the shortest digits that name the number: digits are made one by one, with exact
 * arithmetic, until the rest is within half a unit of the last place; in exponent form at least two are made; and whole
 * numbers below 2^63 go another way.  Since the debugger's text stands beside what the program itself prints, this is that
 * very procedure.
 *
 * The number is fraction * 2^(exponent - 52), with bit 52 of the fraction set.  With B / S the number scaled to one digit
 * in front of the point, and M / S half the distance to its neighbours, digits are taken off B / S (B and M grow tenfold each
 * time) until B < M (the rest may be dropped: `low`) or B + M > 10 S (the last digit may be one more: `high`). */
#include "base/check.h"
#include "expr/java_text.h"

#include <math.h>
#include <string.h>

enum { FRACTION_NBITS = 52, MAX_DIGITS = 26, N_WORDS = 80 };

/* ---- large numbers -------------------------------------------------------------------------------- */

typedef struct big {
    uint32_t words[N_WORDS]; /* lowest first; those from n on are 0 */
    int n;
} big;

static void big_multiply(big *a, uint32_t by)
{
    uint64_t carry = 0;
    for (int i = 0; i < a->n; i++) {
        carry += (uint64_t)a->words[i] * by;
        a->words[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) {
        ebb_check(a->n < N_WORDS);
        a->words[a->n++] = (uint32_t)carry;
    }
}

static void big_shift(big *a, int nbits)
{
    for (; nbits >= 31; nbits -= 31)
        big_multiply(a, 1u << 31);
    big_multiply(a, 1u << nbits);
}

/* number * 5^five * 2^two */
static big big_make(uint64_t number, int five, int two)
{
    big a = {.words = {(uint32_t)number, (uint32_t)(number >> 32)}, .n = 2};
    for (; five >= 13; five -= 13)
        big_multiply(&a, 1220703125); /* 5^13 */
    for (; five > 0; five--)
        big_multiply(&a, 5);
    big_shift(&a, two);
    return a;
}

static int big_compare(const big *a, const big *b)
{
    for (int i = N_WORDS; i-- > 0;) {
        if (a->words[i] != b->words[i])
            return a->words[i] < b->words[i] ? -1 : 1;
    }
    return 0;
}

static big big_sum(const big *a, const big *b)
{
    big sum = {.n = N_WORDS};
    uint64_t carry = 0;
    for (int i = 0; i < N_WORDS; i++) {
        carry += (uint64_t)a->words[i] + b->words[i];
        sum.words[i] = (uint32_t)carry;
        carry >>= 32;
    }
    return sum;
}

static void big_subtract(big *a, const big *b)
{
    int64_t borrow = 0;
    for (int i = 0; i < N_WORDS; i++) {
        borrow += (int64_t)a->words[i] - b->words[i];
        a->words[i] = (uint32_t)borrow;
        borrow >>= 32;
    }
}

/* The next digit of b / s; b becomes ten times the rest. */
static int next_digit(big *b, const big *s)
{
    int digit = 0;
    for (; big_compare(b, s) >= 0; digit++)
        big_subtract(b, s);
    big_multiply(b, 10);
    return digit;
}

/* ---- digits ------------------------------------------------------------------------------------------ */

/* 0.d1d2d3... * 10^point */
typedef struct decimal {
    char digits[MAX_DIGITS];
    int n, point;
} decimal;

static int max_int(int a, int b)
{
    return a > b ? a : b;
}

static int min_int(int a, int b)
{
    return a < b ? a : b;
}

/* How many bits 5^n has, as the JDK counts them. */
static int bits_of_five(int n)
{
    static const uint8_t exact[] = {0, 3, 5, 7, 10, 12, 14, 17, 19, 21, 24, 26, 28, 31, 33, 35, 38, 40, 42, 45, 47, 49, 52, 54, 56, 59, 61};
    return n < (int)sizeof exact ? exact[n] : 3 * n;
}

/* A whole number.  Its lowest digits are dropped where they are below the precision of the format. */
static decimal whole_digits(uint64_t number, int n_dropped)
{
    decimal out = {0};
    uint64_t unit = 1;
    for (int i = 0; i < n_dropped; i++)
        unit *= 10;
    uint64_t rest = number % unit;
    number /= unit;
    if (n_dropped && rest >= unit / 2)
        number++;
    char reversed[MAX_DIGITS];
    int n = 0;
    for (; number; number /= 10)
        reversed[n++] = (char)('0' + number % 10);
    out.point = n + n_dropped;
    for (int i = 0; i < n; i++)
        out.digits[i] = reversed[n - 1 - i];
    while (n > 1 && out.digits[n - 1] == '0')
        n--;
    out.n = n;
    return out;
}

static void round_up(decimal *d)
{
    int i = d->n - 1;
    for (; i > 0 && d->digits[i] == '9'; i--)
        d->digits[i] = '0';
    if (d->digits[i] == '9') {
        d->digits[i] = '1';
        d->point++;
    } else {
        d->digits[i]++;
    }
}

/* The exponent of the first digit, or one more than that. */
static int estimate_exponent(uint64_t fraction, int exponent)
{
    double one_to_two = (double)fraction / 0x1p52;
    return (int)floor((one_to_two - 1.5) * 0.289529654 + 0.176091259 + exponent * 0.301029995663981);
}

/* The scale of the three numbers: powers of 2 and of 5 in B, S and M. */
typedef struct scaling {
    int b2, b5, s2, s5, m2, m5;
    int nbits; /* 32 or 64: B and 10 S fit into an int or a long, which are used then; 0: they don't */
} scaling;

static scaling make_scale(int decimal_exponent, int exponent, int n_fraction_bits, int n_tiny_bits, int n_significant)
{
    scaling s = {.b5 = max_int(0, -decimal_exponent), .s5 = max_int(0, decimal_exponent)};
    s.b2 = s.b5 + n_tiny_bits + exponent;
    s.s2 = s.s5 + n_tiny_bits;
    s.m5 = s.b5;
    s.m2 = s.b2 - n_significant;
    s.b2 -= n_fraction_bits - 1;
    int common = min_int(s.b2, s.s2);
    s.b2 -= common;
    s.s2 -= common;
    s.m2 -= common;
    if (n_fraction_bits == 1) /* a power of two: the neighbour below is half as far away */
        s.m2--;
    if (s.m2 < 0) {
        s.b2 -= s.m2;
        s.s2 -= s.m2;
        s.m2 = 0;
    }
    int most = max_int(n_fraction_bits + s.b2 + bits_of_five(s.b5), s.s2 + 1 + bits_of_five(s.s5 + 1));
    s.nbits = most < 32 ? 32 : most < 64 ? 64 : 0;
    return s;
}

/* B, S, M and 10 S: as large numbers, or as a machine's where those do. */
typedef struct generator {
    int nbits;
    big b, s, m, ten_s;
    int64_t small_b, small_s, small_m, small_ten_s;
    bool low, high;
    int half; /* sign of 2 B - 10 S: whether the rest is more than half a digit */
} generator;

static int64_t wrap(const generator *g, uint64_t number)
{
    return g->nbits == 32 ? (int32_t)number : (int64_t)number;
}

static int64_t small_power(const generator *g, uint64_t number, int five, int two)
{
    for (; five > 0; five--)
        number *= 5;
    return wrap(g, number << two);
}

static void start(generator *g, const scaling *scale, uint64_t fraction)
{
    g->nbits = scale->nbits;
    if (g->nbits) {
        g->small_b = small_power(g, fraction, scale->b5, scale->b2);
        g->small_s = small_power(g, 1, scale->s5, scale->s2);
        g->small_m = small_power(g, 1, scale->m5, scale->m2);
        g->small_ten_s = wrap(g, 10 * (uint64_t)g->small_s);
    } else {
        g->b = big_make(fraction, scale->b5, scale->b2);
        g->s = big_make(1, scale->s5, scale->s2);
        g->m = big_make(1, scale->m5, scale->m2);
        g->ten_s = big_make(1, scale->s5 + 1, scale->s2 + 1);
    }
}

/* M, and the sum of B and M, may overflow here.  Where M does it is large, and says so; where only the sum does, the JDK takes
 * it for small and doesn't round up. */
static int take_small_digit(generator *g, bool is_first)
{
    int digit = (int)(g->small_b / g->small_s);
    g->small_b = wrap(g, 10 * (uint64_t)(g->small_b % g->small_s));
    g->small_m = wrap(g, 10 * (uint64_t)g->small_m);
    bool is_overflown = !is_first && g->small_m <= 0;
    g->low = is_overflown || g->small_b < g->small_m;
    g->high = is_overflown || wrap(g, (uint64_t)g->small_b + (uint64_t)g->small_m) > g->small_ten_s;
    int64_t difference = wrap(g, 2 * (uint64_t)g->small_b - (uint64_t)g->small_ten_s);
    g->half = (difference > 0) - (difference < 0);
    return digit;
}

static int take_digit(generator *g, bool is_first)
{
    if (g->nbits)
        return take_small_digit(g, is_first);
    int digit = next_digit(&g->b, &g->s);
    big_multiply(&g->m, 10);
    big sum = big_sum(&g->b, &g->m), twice = big_sum(&g->b, &g->b);
    g->low = big_compare(&g->b, &g->m) < 0;
    g->high = big_compare(&sum, &g->ten_s) >= 0;
    g->half = big_compare(&twice, &g->ten_s);
    return digit;
}

static decimal generate(uint64_t fraction, int exponent, int n_significant, int n_fraction_bits, int n_tiny_bits)
{
    decimal out = {0};
    generator g = {0};
    int e = estimate_exponent(fraction, exponent);
    scaling scale = make_scale(e, exponent, n_fraction_bits, n_tiny_bits, n_significant);
    start(&g, &scale, fraction >> (FRACTION_NBITS + 1 - n_fraction_bits));
    for (bool is_first = true; is_first || (!g.low && !g.high && out.n < MAX_DIGITS); is_first = false) {
        int digit = take_digit(&g, is_first);
        if (is_first && digit == 0 && !g.high)
            e--;
        else
            out.digits[out.n++] = (char)('0' + digit);
        if (is_first && (e < -3 || e >= 8))
            g.low = g.high = false; /* exponent form has a digit after the point */
    }
    out.point = e + 1;
    bool is_odd = (out.digits[out.n - 1] - '0') & 1;
    if (g.high && (!g.low || g.half > 0 || (g.half == 0 && is_odd)))
        round_up(&out);
    return out;
}

static decimal make_digits(uint64_t fraction, int exponent, int n_significant)
{
    int n_fraction_bits = FRACTION_NBITS + 1 - __builtin_ctzll(fraction);
    int n_tiny_bits = max_int(0, n_fraction_bits - exponent - 1);
    if (n_tiny_bits == 0 && exponent <= 62 && exponent >= -21) {
        int n_free = exponent > n_significant ? exponent - n_significant - 1 : 0;
        int n_dropped = n_free > 1 ? (int)(n_free * 0.30103) : 0;
        uint64_t whole = exponent >= FRACTION_NBITS ? fraction << (exponent - FRACTION_NBITS) : fraction >> (FRACTION_NBITS - exponent);
        return whole_digits(whole, n_dropped);
    }
    return generate(fraction, exponent, n_significant, n_fraction_bits, n_tiny_bits);
}

/* ---- text ------------------------------------------------------------------------------------------------ */

static void add_zeros(ebb_buf *text, int n)
{
    for (; n > 0; n--)
        ebb_buf_addc(text, '0');
}

static void add_decimal(ebb_buf *text, const decimal *d)
{
    if (d->point > 0 && d->point < 8) {
        int n = min_int(d->n, d->point);
        ebb_buf_add(text, d->digits, (size_t)n);
        add_zeros(text, d->point - n);
        ebb_buf_addc(text, '.');
        ebb_buf_add(text, d->digits + n, (size_t)(d->n - n));
        add_zeros(text, d->n == n);
    } else if (d->point <= 0 && d->point > -3) {
        ebb_buf_adds(text, "0.");
        add_zeros(text, -d->point);
        ebb_buf_add(text, d->digits, (size_t)d->n);
    } else {
        ebb_buf_addf(text, "%c.", d->digits[0]);
        ebb_buf_add(text, d->digits + 1, (size_t)d->n - 1);
        add_zeros(text, d->n == 1);
        ebb_buf_addf(text, "E%d", d->point - 1);
    }
}

/* fraction and exponent as the format has them: `nbits` of fraction, biased exponent. */
static void add_parts(ebb_buf *text, uint64_t fraction, int biased, int bias, int nbits)
{
    int n_significant = nbits + 1, exponent = biased;
    if (biased == 0) {
        int shift = nbits - (63 - __builtin_clzll(fraction));
        fraction <<= shift;
        exponent = 1 - shift;
        n_significant = nbits + 1 - shift;
    } else {
        fraction |= UINT64_C(1) << nbits;
    }
    decimal d = make_digits(fraction << (FRACTION_NBITS - nbits), exponent - bias, n_significant);
    add_decimal(text, &d);
}

/* NaN, infinities and zeros; false for other numbers, with their sign written. */
static bool add_special(ebb_buf *text, double number)
{
    if (!isnan(number) && signbit(number))
        ebb_buf_addc(text, '-');
    if (isnan(number))
        ebb_buf_adds(text, "NaN");
    else if (isinf(number))
        ebb_buf_adds(text, "Infinity");
    else if (number == 0)
        ebb_buf_adds(text, "0.0");
    return isnan(number) || isinf(number) || number == 0;
}

void java_text_add_double(ebb_buf *text, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    if (!add_special(text, number))
        add_parts(text, bits & ((UINT64_C(1) << 52) - 1), (int)(bits >> 52 & 0x7ff), 1023, 52);
}

void java_text_add_float(ebb_buf *text, float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    if (!add_special(text, number))
        add_parts(text, bits & ((1u << 23) - 1), (int)(bits >> 23 & 0xff), 127, 23);
}
