/* java_print_number.c - BigInteger, BigDecimal and UUID as their toString writes them. */
#include "base/mem.h"
#include "expr/java_print.h"

#include <inttypes.h>
#include <string.h>

enum { MAX_WORDS = 2000, DIGITS_AT_ONCE = 9, UNIT = 1000000000 };

/* The words of a BigInteger, highest first, as decimal digits. */
static void add_digits(uint32_t *words, uint32_t n, ebb_buf *out)
{
    EBB_VEC(uint32_t) parts = {0}; /* of nine digits, lowest first */
    for (uint32_t first = 0; first < n;) {
        uint64_t rest = 0;
        for (uint32_t i = first; i < n; i++) {
            rest = rest << 32 | words[i];
            words[i] = (uint32_t)(rest / UNIT);
            rest %= UNIT;
        }
        ebb_vec_push(&parts, (uint32_t)rest);
        while (first < n && words[first] == 0)
            first++;
    }
    for (size_t i = parts.n; i-- > 0;)
        ebb_buf_addf(out, i == parts.n - 1 ? "%" PRIu32 : "%09" PRIu32, parts.items[i]);
    if (parts.n == 0)
        ebb_buf_addc(out, '0');
    ebb_vec_fini(&parts);
}

static ebb_status read_big_integer(java_printer *printer, uint64_t ref, ebb_buf *out)
{
    const java_world *world = printer->ev.world;
    java_value signum, magnitude;
    uint32_t n;
    ebb_status status = java_print_get(printer, ref, "signum", &signum);
    if (!status)
        status = java_print_get(printer, ref, "mag", &magnitude);
    if (!status)
        status = world->length(world->self, magnitude.ref, &n, printer->ev.err);
    if (!status && n > MAX_WORDS)
        status = ebb_fail(printer->ev.err, EBB_UNSUPPORTED, "A number of %" PRIu64 " bits", (uint64_t)n * 32);
    if (status)
        return status;
    java_value *elements = EBB_ARENA_ARRAY(printer->ev.arena, java_value, n + 1);
    uint32_t *words = EBB_ARENA_ARRAY(printer->ev.arena, uint32_t, n + 1);
    if (n > 0)
        status = world->elements(world->self, magnitude.ref, 0, n, elements, printer->ev.err);
    for (uint32_t i = 0; i < n; i++)
        words[i] = (uint32_t)elements[i].i;
    if (!status && signum.i < 0)
        ebb_buf_addc(out, '-');
    if (!status)
        add_digits(words, n, out);
    return status;
}

ebb_status java_print_big_integer(java_printer *printer, const java_type *type, uint64_t ref)
{
    return read_big_integer(printer, ref, printer->out);
}

/* BigDecimal.toString: plain if the exponent is small, otherwise with one digit in front of the point. */
static void add_scaled(const char *digits, int64_t scale, ebb_buf *out)
{
    if (*digits == '-')
        ebb_buf_addc(out, *digits++);
    int64_t n = (int64_t)strlen(digits), adjusted = n - 1 - scale;
    if (scale == 0) {
        ebb_buf_adds(out, digits);
    } else if (scale > 0 && adjusted >= -6) {
        if (n > scale) {
            ebb_buf_add(out, digits, (size_t)(n - scale));
            ebb_buf_addf(out, ".%s", digits + n - scale);
        } else {
            ebb_buf_addf(out, "0.%.*s%s", (int)(scale - n), "00000000", digits);
        }
    } else {
        ebb_buf_addc(out, *digits);
        if (n > 1)
            ebb_buf_addf(out, ".%s", digits + 1);
        if (adjusted != 0)
            ebb_buf_addf(out, "E%+" PRId64, adjusted);
    }
}

/* A number that fits is in intCompact, which is the smallest long otherwise. */
ebb_status java_print_big_decimal(java_printer *printer, const java_type *type, uint64_t ref)
{
    java_value compact, whole, scale;
    ebb_buf digits = {0};
    ebb_status status = java_print_get(printer, ref, "intCompact", &compact);
    if (!status)
        status = java_print_get(printer, ref, "scale", &scale);
    if (!status && compact.i == INT64_MIN) {
        status = java_print_get(printer, ref, "intVal", &whole);
        if (!status)
            status = read_big_integer(printer, whole.ref, &digits);
    } else if (!status) {
        ebb_buf_addf(&digits, "%" PRId64, compact.i);
    }
    if (!status)
        add_scaled(ebb_buf_text(&digits), scale.i, printer->out);
    ebb_buf_fini(&digits);
    return status;
}

ebb_status java_print_uuid(java_printer *printer, const java_type *type, uint64_t ref)
{
    java_value most, least;
    ebb_status status = java_print_get(printer, ref, "mostSigBits", &most);
    if (!status)
        status = java_print_get(printer, ref, "leastSigBits", &least);
    if (status)
        return status;
    uint64_t a = (uint64_t)most.i, b = (uint64_t)least.i;
    ebb_buf_addf(printer->out, "%08" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%012" PRIx64, a >> 32, a >> 16 & 0xffff, a & 0xffff,
                 b >> 48, b & 0xffffffffffff);
    return EBB_OK;
}
