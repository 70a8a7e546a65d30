/* java_print_time.c - dates, times and spans of java.time as people write them: what their toString says. */
#include "expr/java_print.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { NANOS = 1000000000, DAY = 86400 };

/* A field that is a number. */
static ebb_status get(java_printer *printer, uint64_t ref, const char *field, int64_t *out)
{
    java_value value;
    ebb_status status = java_print_get(printer, ref, field, &value);
    *out = status ? 0 : value.i;
    return status;
}

static ebb_status get_all(java_printer *printer, uint64_t ref, const char *const *fields, size_t n, int64_t *out)
{
    for (size_t i = 0; i < n; i++)
        EBB_TRY(get(printer, ref, fields[i], &out[i]));
    return EBB_OK;
}

/* ---- numbers to text ------------------------------------------------------------------------------ */

/* Four digits at least; more have a sign. */
static void put_year(ebb_buf *out, int64_t year)
{
    if (llabs(year) < 1000)
        ebb_buf_addf(out, "%s%04lld", year < 0 ? "-" : "", llabs(year));
    else
        ebb_buf_addf(out, "%s%lld", year > 9999 ? "+" : "", (long long)year);
}

static void put_date(ebb_buf *out, int64_t year, int64_t month, int64_t day)
{
    put_year(out, year);
    ebb_buf_addf(out, "-%02d-%02d", (int)month, (int)day);
}

/* ".120": in groups of three digits, as few as will do. */
static void put_fraction(ebb_buf *out, int64_t nanos)
{
    if (nanos % 1000000 == 0)
        ebb_buf_addf(out, ".%03d", (int)(nanos / 1000000));
    else if (nanos % 1000 == 0)
        ebb_buf_addf(out, ".%06d", (int)(nanos / 1000));
    else
        ebb_buf_addf(out, ".%09d", (int)nanos);
}

static void put_time(ebb_buf *out, int64_t hour, int64_t minute, int64_t second, int64_t nanos, bool always_seconds)
{
    ebb_buf_addf(out, "%02d:%02d", (int)hour, (int)minute);
    if (second || nanos || always_seconds)
        ebb_buf_addf(out, ":%02d", (int)second);
    if (nanos)
        put_fraction(out, nanos);
}

/* Year, month and day of a day counted from 1970-01-01, in the calendar that is used today for all times. */
static void put_day(ebb_buf *out, int64_t day)
{
    enum { ERA = 146097 }; /* days of 400 years, which begin with March of a year that 400 divides */
    int64_t shifted = day + 719468, era = (shifted >= 0 ? shifted : shifted - (ERA - 1)) / ERA, of_era = shifted - era * ERA;
    int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / (ERA - 1)) / 365, of_year = of_era - (365 * year + year / 4 - year / 100);
    int64_t month = (5 * of_year + 2) / 153, of_month = of_year - (153 * month + 2) / 5 + 1;
    bool is_next = month >= 10;
    put_date(out, year + era * 400 + is_next, is_next ? month - 9 : month + 3, of_month);
}

static void put_moment(ebb_buf *out, int64_t seconds, int64_t nanos)
{
    int64_t day = seconds / DAY - (seconds % DAY < 0), of_day = seconds - day * DAY;
    put_day(out, day);
    ebb_buf_addc(out, 'T');
    put_time(out, of_day / 3600, of_day / 60 % 60, of_day % 60, nanos, true);
    ebb_buf_addc(out, 'Z');
}

/* ---- java.time ------------------------------------------------------------------------------------ */

ebb_status java_print_local_date(java_printer *printer, const java_type *type, uint64_t ref)
{
    int64_t f[3];
    EBB_TRY(get_all(printer, ref, (const char *const[]){"year", "month", "day"}, 3, f));
    put_date(printer->out, f[0], f[1], f[2]);
    return EBB_OK;
}

ebb_status java_print_local_time(java_printer *printer, const java_type *type, uint64_t ref)
{
    int64_t f[4];
    EBB_TRY(get_all(printer, ref, (const char *const[]){"hour", "minute", "second", "nano"}, 4, f));
    put_time(printer->out, f[0], f[1], f[2], f[3], false);
    return EBB_OK;
}

/* One that is made of others, which follow each other. */
static ebb_status print_parts(java_printer *printer, uint64_t ref, const char *const *fields, size_t n, const char *between)
{
    for (size_t i = 0; i < n; i++) {
        java_value part;
        EBB_TRY(java_print_get(printer, ref, fields[i], &part));
        if (i > 0)
            ebb_buf_adds(printer->out, between);
        java_print_part(printer, &part);
    }
    return EBB_OK;
}

ebb_status java_print_local_date_time(java_printer *printer, const java_type *type, uint64_t ref)
{
    return print_parts(printer, ref, (const char *const[]){"date", "time"}, 2, "T");
}

ebb_status java_print_offset_date_time(java_printer *printer, const java_type *type, uint64_t ref)
{
    return print_parts(printer, ref, (const char *const[]){"dateTime", "offset"}, 2, "");
}

ebb_status java_print_zoned_date_time(java_printer *printer, const java_type *type, uint64_t ref)
{
    java_value offset, zone;
    EBB_TRY(java_print_offset_date_time(printer, type, ref));
    EBB_TRY(java_print_get(printer, ref, "offset", &offset));
    EBB_TRY(java_print_get(printer, ref, "zone", &zone));
    if (offset.ref == zone.ref)
        return EBB_OK;
    ebb_buf_addc(printer->out, '[');
    java_print_part(printer, &zone);
    ebb_buf_addc(printer->out, ']');
    return EBB_OK;
}

/* ZoneOffset and ZoneRegion have their text. */
ebb_status java_print_zone(java_printer *printer, const java_type *type, uint64_t ref)
{
    java_value id;
    java_string text;
    const java_world *world = printer->ev.world;
    EBB_TRY(java_print_get(printer, ref, "id", &id));
    if (!id.ref)
        return ebb_fail(printer->ev.err, EBB_UNAVAILABLE, "the zone has no name yet");
    EBB_TRY(world->string(world->self, printer->ev.arena, id.ref, 1000, &text, printer->ev.err));
    ebb_buf_adds(printer->out, text.utf8);
    return EBB_OK;
}

ebb_status java_print_instant(java_printer *printer, const java_type *type, uint64_t ref)
{
    int64_t f[2];
    EBB_TRY(get_all(printer, ref, (const char *const[]){"seconds", "nanos"}, 2, f));
    put_moment(printer->out, f[0], f[1]);
    return EBB_OK;
}

/* As an Instant: a zone would have to be guessed. */
ebb_status java_print_date(java_printer *printer, const java_type *type, uint64_t ref)
{
    int64_t ms;
    EBB_TRY(get(printer, ref, "fastTime", &ms));
    int64_t seconds = ms / 1000 - (ms % 1000 < 0);
    put_moment(printer->out, seconds, (ms - seconds * 1000) * 1000000);
    return EBB_OK;
}

static void put_digits_after_point(ebb_buf *out, int64_t nanos)
{
    char digits[16];
    int n = snprintf(digits, sizeof digits, "%09d", (int)nanos);
    while (n > 0 && digits[n - 1] == '0')
        n--;
    ebb_buf_addf(out, ".%.*s", n, digits);
}

/* PT1H1M1.5S.  Below zero nanoseconds still count upward, from the second before. */
ebb_status java_print_duration(java_printer *printer, const java_type *type, uint64_t ref)
{
    int64_t f[2];
    ebb_buf *out = printer->out;
    EBB_TRY(get_all(printer, ref, (const char *const[]){"seconds", "nanos"}, 2, f));
    bool below = f[0] < 0 && f[1] > 0;
    int64_t whole = f[0] + below, nanos = below ? NANOS - f[1] : f[1];
    int64_t hours = whole / 3600, minutes = whole / 60 % 60, seconds = whole % 60;
    ebb_buf_adds(out, "PT");
    if (hours)
        ebb_buf_addf(out, "%" PRId64 "H", hours);
    if (minutes)
        ebb_buf_addf(out, "%" PRId64 "M", minutes);
    if (seconds == 0 && nanos == 0 && (hours || minutes))
        return EBB_OK;
    ebb_buf_addf(out, "%s%" PRId64, below && seconds == 0 ? "-" : "", seconds);
    if (nanos)
        put_digits_after_point(out, nanos);
    ebb_buf_addc(out, 'S');
    return EBB_OK;
}

ebb_status java_print_period(java_printer *printer, const java_type *type, uint64_t ref)
{
    static const char letters[] = "YMD";
    int64_t f[3];
    EBB_TRY(get_all(printer, ref, (const char *const[]){"years", "months", "days"}, 3, f));
    ebb_buf_addc(printer->out, 'P');
    for (int i = 0; i < 3; i++)
        if (f[i] || (i == 2 && !f[0] && !f[1]))
            ebb_buf_addf(printer->out, "%" PRId64 "%c", f[i], letters[i]);
    return EBB_OK;
}

ebb_status java_print_year(java_printer *printer, const java_type *type, uint64_t ref)
{
    int64_t year;
    EBB_TRY(get(printer, ref, "year", &year));
    ebb_buf_addf(printer->out, "%" PRId64, year);
    return EBB_OK;
}

ebb_status java_print_year_month(java_printer *printer, const java_type *type, uint64_t ref)
{
    int64_t f[2];
    EBB_TRY(get_all(printer, ref, (const char *const[]){"year", "month"}, 2, f));
    if (f[0] > 9999)
        ebb_buf_addf(printer->out, "%" PRId64, f[0]); /* without the sign that a date has */
    else
        put_year(printer->out, f[0]);
    ebb_buf_addf(printer->out, "-%02d", (int)f[1]);
    return EBB_OK;
}

ebb_status java_print_month_day(java_printer *printer, const java_type *type, uint64_t ref)
{
    int64_t f[2];
    EBB_TRY(get_all(printer, ref, (const char *const[]){"month", "day"}, 2, f));
    ebb_buf_addf(printer->out, "--%02d-%02d", (int)f[0], (int)f[1]);
    return EBB_OK;
}
