/* java_print_object.c - objects that everybody knows by something else than their fields. */
#include "expr/java_print.h"
#include "expr/java_text.h"

#include <inttypes.h>
#include <string.h>

enum { MAX_HIERARCHY = 64 };

typedef ebb_status known_printer(java_printer *printer, const java_type *type, uint64_t ref);

static ebb_status print_field(java_printer *printer, uint64_t ref, const char *field)
{
    java_value value;
    ebb_status status = java_print_get(printer, ref, field, &value);
    if (!status)
        java_print_part(printer, &value);
    return status;
}

static ebb_status print_box(java_printer *printer, const java_type *type, uint64_t ref)
{
    return print_field(printer, ref, "value");
}

/* AtomicBoolean keeps an int. */
static ebb_status print_atomic_boolean(java_printer *printer, const java_type *type, uint64_t ref)
{
    java_value value;
    ebb_status status = java_print_get(printer, ref, "value", &value);
    if (!status)
        ebb_buf_adds(printer->out, value.i ? "true" : "false");
    return status;
}

static ebb_status print_atomic_array(java_printer *printer, const java_type *type, uint64_t ref)
{
    return print_field(printer, ref, "array");
}

static ebb_status print_enum(java_printer *printer, const java_type *type, uint64_t ref)
{
    java_string name;
    java_value value;
    const java_world *world = printer->ev.world;
    ebb_status status = java_print_get(printer, ref, "name", &value);
    if (!status && value.ref)
        status = world->string(world->self, printer->ev.arena, value.ref, 1000, &name, printer->ev.err);
    if (!status)
        ebb_buf_adds(printer->out, value.ref ? name.utf8 : "null");
    return status;
}

static ebb_status print_class(java_printer *printer, const java_type *type, uint64_t ref)
{
    const java_world *world = printer->ev.world;
    const java_type *mirrored;
    ebb_status status = world->class_mirrored(world->self, ref, &mirrored, printer->ev.err);
    if (status)
        return status;
    java_kind kind = world->kind(world->self, mirrored);
    ebb_buf_addf(printer->out, "%s%s", kind == JAVA_PRIMITIVE ? "" : kind == JAVA_INTERFACE ? "interface " : "class ",
                 world->type_name(world->self, mirrored));
    return EBB_OK;
}

static ebb_status print_throwable(java_printer *printer, const java_type *type, uint64_t ref)
{
    java_value message, cause;
    const java_world *world = printer->ev.world;
    ebb_status status = java_print_get(printer, ref, "detailMessage", &message);
    if (status)
        return status;
    ebb_buf_adds(printer->out, world->type_name(world->self, type));
    if (!java_is_null(&message)) {
        ebb_buf_adds(printer->out, ": ");
        java_print_part(printer, &message);
    }
    /* One that has none is its own cause. */
    status = java_print_get(printer, ref, "cause", &cause);
    if (!status && cause.ref && cause.ref != ref) {
        ebb_buf_adds(printer->out, ", caused by ");
        java_print_part(printer, &cause);
    }
    return status;
}

/* Optional, OptionalInt, ...: the primitive ones have a flag. */
static ebb_status print_optional(java_printer *printer, const java_type *type, uint64_t ref)
{
    java_value is_present, value;
    bool has_flag = java_find_field(&printer->ev, type, "isPresent") != NULL;
    ebb_status status = java_print_get(printer, ref, "value", &value);
    if (!status && has_flag)
        status = java_print_get(printer, ref, "isPresent", &is_present);
    if (status)
        return status;
    const char *name = java_type_text(&printer->ev, type);
    if (has_flag ? is_present.i == 0 : java_is_null(&value)) {
        ebb_buf_addf(printer->out, "%s.empty", name);
        return EBB_OK;
    }
    ebb_buf_addf(printer->out, "%s[", name);
    java_print_part(printer, &value);
    ebb_buf_addc(printer->out, ']');
    return EBB_OK;
}

/* A builder's bytes: Latin-1 or UTF-16 by `coder`, as in a String. */
static ebb_status print_builder(java_printer *printer, const java_type *type, uint64_t ref)
{
    java_value value, coder, count;
    const java_world *world = printer->ev.world;
    ebb_status status = java_print_get(printer, ref, "value", &value);
    if (!status)
        status = java_print_get(printer, ref, "coder", &coder);
    if (!status)
        status = java_print_get(printer, ref, "count", &count);
    uint32_t length = 0;
    if (!status && value.ref)
        status = world->length(world->self, value.ref, &length, printer->ev.err);
    if (status)
        return status;
    uint32_t width = coder.i ? 2 : 1, limit = (uint32_t)java_print_limit(printer);
    uint32_t n = count.i < 0 ? 0 : (uint64_t)count.i * width > length ? length / width : (uint32_t)count.i;
    uint32_t n_shown = n < limit ? n : limit;
    java_value *bytes = EBB_ARENA_ARRAY(printer->ev.arena, java_value, (size_t)n_shown * width + 1);
    if (n_shown)
        status = world->elements(world->self, value.ref, 0, n_shown * width, bytes, printer->ev.err);
    ebb_buf text = {0};
    for (uint32_t i = 0; !status && i < n_shown; i++)
        java_text_add(&text, width == 1 ? (uint8_t)bytes[i].i : (uint32_t)((uint8_t)bytes[2 * i].i | (uint8_t)bytes[2 * i + 1].i << 8));
    if (!status)
        java_print_text(printer, ebb_buf_text(&text), n > n_shown);
    ebb_buf_fini(&text);
    return status;
}

/* {0, 1, 3, 64}: which bits are set. */
static ebb_status print_bit_set(java_printer *printer, const java_type *type, uint64_t ref)
{
    enum { BITS = 64 };
    java_value words, in_use, word;
    const java_world *world = printer->ev.world;
    uint32_t length = 0;
    size_t n_shown = 0;
    EBB_TRY(java_print_get(printer, ref, "words", &words));
    EBB_TRY(java_print_get(printer, ref, "wordsInUse", &in_use));
    if (words.ref)
        EBB_TRY(world->length(world->self, words.ref, &length, printer->ev.err));
    ebb_buf_addc(printer->out, '{');
    for (uint32_t i = 0; i < length && i < (uint32_t)in_use.i && n_shown <= java_print_limit(printer); i++) {
        EBB_TRY(world->elements(world->self, words.ref, i, 1, &word, printer->ev.err));
        for (unsigned bit = 0; bit < BITS && n_shown <= java_print_limit(printer); bit++)
            if ((uint64_t)word.i >> bit & 1) {
                if (n_shown == java_print_limit(printer))
                    ebb_buf_adds(printer->out, "...");
                else
                    ebb_buf_addf(printer->out, "%s%" PRIu64, n_shown ? ", " : "", (uint64_t)i * BITS + bit);
                n_shown++;
            }
    }
    ebb_buf_addc(printer->out, '}');
    return EBB_OK;
}

/* A path of the file system is bytes. */
static ebb_status print_unix_path(java_printer *printer, const java_type *type, uint64_t ref)
{
    enum { MOST = 4096 };
    java_value path, *bytes;
    const java_world *world = printer->ev.world;
    uint32_t length = 0;
    EBB_TRY(java_print_get(printer, ref, "path", &path));
    if (path.ref)
        EBB_TRY(world->length(world->self, path.ref, &length, printer->ev.err));
    uint32_t n = length < MOST ? length : MOST;
    bytes = EBB_ARENA_ARRAY(printer->ev.arena, java_value, n + 1);
    if (n)
        EBB_TRY(world->elements(world->self, path.ref, 0, n, bytes, printer->ev.err));
    ebb_buf text = {0};
    for (uint32_t i = 0; i < n; i++)
        ebb_buf_addc(&text, (char)bytes[i].i);
    ebb_buf_adds(printer->out, "Path[");
    java_print_text(printer, ebb_buf_text(&text), n < length);
    ebb_buf_addc(printer->out, ']');
    ebb_buf_fini(&text);
    return EBB_OK;
}

/* ---- what is one string ------------------------------------------------------------------------------- */

static ebb_status print_named(java_printer *printer, const java_type *type, uint64_t ref, const char *field)
{
    ebb_buf_addf(printer->out, "%s[", java_type_text(&printer->ev, type));
    ebb_status status = print_field(printer, ref, field);
    ebb_buf_addc(printer->out, ']');
    return status;
}

static ebb_status print_reference_object(java_printer *printer, const java_type *type, uint64_t ref)
{
    return print_named(printer, type, ref, "referent");
}

static ebb_status print_name(java_printer *printer, const java_type *type, uint64_t ref)
{
    return print_named(printer, type, ref, "name");
}

static ebb_status print_path(java_printer *printer, const java_type *type, uint64_t ref)
{
    return print_named(printer, type, ref, "path");
}

static ebb_status print_string_field(java_printer *printer, const java_type *type, uint64_t ref)
{
    return print_named(printer, type, ref, "string");
}

static ebb_status print_pattern(java_printer *printer, const java_type *type, uint64_t ref)
{
    return print_named(printer, type, ref, "pattern");
}

static ebb_status get_text(java_printer *printer, uint64_t ref, const char *field, const char **text)
{
    enum { MOST = 1000 };
    java_value value;
    java_string string = {.utf8 = ""};
    const java_world *world = printer->ev.world;
    EBB_TRY(java_print_get(printer, ref, field, &value));
    if (value.ref)
        EBB_TRY(world->string(world->self, printer->ev.arena, value.ref, MOST, &string, printer->ev.err));
    *text = string.utf8;
    return EBB_OK;
}

/* As Locale.toString has it: "en_US", "zh_TW_#Hant". */
static ebb_status print_locale(java_printer *printer, const java_type *type, uint64_t ref)
{
    java_value base;
    const char *language, *region, *variant, *script;
    EBB_TRY(java_print_get(printer, ref, "baseLocale", &base));
    if (!base.ref)
        return ebb_fail(printer->ev.err, EBB_UNAVAILABLE, "the locale is being made");
    EBB_TRY(get_text(printer, base.ref, "language", &language));
    EBB_TRY(get_text(printer, base.ref, "region", &region));
    EBB_TRY(get_text(printer, base.ref, "variant", &variant));
    EBB_TRY(get_text(printer, base.ref, "script", &script));
    bool goes_on = *region || *variant || *script;
    ebb_buf_addf(printer->out, "%s%s%s", *language || goes_on ? language : "\"\"", goes_on ? "_" : "", region);
    ebb_buf_addf(printer->out, *variant ? "_%s" : "%s", variant);
    ebb_buf_addf(printer->out, *script ? "_#%s" : "%s", script);
    return EBB_OK;
}

static ebb_status print_currency(java_printer *printer, const java_type *type, uint64_t ref)
{
    const char *code;
    EBB_TRY(get_text(printer, ref, "currencyCode", &code));
    ebb_buf_adds(printer->out, code);
    return EBB_OK;
}

/* ---- the table ------------------------------------------------------------------------------------------ */

/* A class and those that descend from it. */
static const struct {
    const char *descriptor;
    known_printer *print;
} known[] = {
    {"Ljava/lang/Boolean;", print_box},
    {"Ljava/lang/Byte;", print_box},
    {"Ljava/lang/Character;", print_box},
    {"Ljava/lang/Short;", print_box},
    {"Ljava/lang/Integer;", print_box},
    {"Ljava/lang/Long;", print_box},
    {"Ljava/lang/Float;", print_box},
    {"Ljava/lang/Double;", print_box},
    {"Ljava/util/concurrent/atomic/AtomicInteger;", print_box},
    {"Ljava/util/concurrent/atomic/AtomicLong;", print_box},
    {"Ljava/util/concurrent/atomic/AtomicReference;", print_box},
    {"Ljava/util/concurrent/atomic/AtomicBoolean;", print_atomic_boolean},
    {"Ljava/util/concurrent/atomic/AtomicIntegerArray;", print_atomic_array},
    {"Ljava/util/concurrent/atomic/AtomicLongArray;", print_atomic_array},
    {"Ljava/util/concurrent/atomic/AtomicReferenceArray;", print_atomic_array},
    {"Ljava/lang/Enum;", print_enum},
    {"Ljava/lang/Class;", print_class},
    {"Ljava/lang/Throwable;", print_throwable},
    {"Ljava/util/Optional;", print_optional},
    {"Ljava/util/OptionalInt;", print_optional},
    {"Ljava/util/OptionalLong;", print_optional},
    {"Ljava/util/OptionalDouble;", print_optional},
    {"Ljava/lang/ref/Reference;", print_reference_object},
    {"Ljava/lang/Thread;", print_name},
    {"Ljava/nio/charset/Charset;", print_name},
    {"Ljava/io/File;", print_path},
    {"Ljava/net/URI;", print_string_field},
    {"Ljava/util/regex/Pattern;", print_pattern},
    {"Ljava/math/BigInteger;", java_print_big_integer},
    {"Ljava/math/BigDecimal;", java_print_big_decimal},
    {"Ljava/util/UUID;", java_print_uuid},
    {"Ljava/lang/AbstractStringBuilder;", print_builder},
    {"Ljava/util/BitSet;", print_bit_set},
    {"Ljava/util/Locale;", print_locale},
    {"Ljava/util/Currency;", print_currency},
    {"Ljava/util/Date;", java_print_date},
    {"Lsun/nio/fs/UnixPath;", print_unix_path},
    {"Ljava/time/LocalDate;", java_print_local_date},
    {"Ljava/time/LocalTime;", java_print_local_time},
    {"Ljava/time/LocalDateTime;", java_print_local_date_time},
    {"Ljava/time/OffsetDateTime;", java_print_offset_date_time},
    {"Ljava/time/ZonedDateTime;", java_print_zoned_date_time},
    {"Ljava/time/ZoneId;", java_print_zone},
    {"Ljava/time/Instant;", java_print_instant},
    {"Ljava/time/Duration;", java_print_duration},
    {"Ljava/time/Period;", java_print_period},
    {"Ljava/time/Year;", java_print_year},
    {"Ljava/time/YearMonth;", java_print_year_month},
    {"Ljava/time/MonthDay;", java_print_month_day},
};

/* Main$$Lambda$14/0x0000000800c03000: which interface it is, and what it captured. */
static bool print_lambda(java_printer *printer, const java_type *type, uint64_t ref)
{
    const java_world *world = printer->ev.world;
    const char *name = world->type_name(world->self, type), *mark = strstr(name, "$$Lambda");
    const java_type *interface;
    if (!mark || world->interfaces(world->self, type, &interface, 1) == 0)
        return false;
    ebb_buf_addf(printer->out, "%s lambda of %.*s", java_type_text(&printer->ev, interface), (int)(mark - name), name);
    const java_member *fields;
    size_t n = world->fields(world->self, type, &fields), n_shown = 0;
    for (size_t i = 0; i < n; i++) {
        java_value value;
        if (fields[i].access & JAVA_ACC_STATIC || java_get_field(&printer->ev, ref, &fields[i], &value) != EBB_OK)
            continue;
        ebb_buf_addf(printer->out, "%s%s = ", n_shown++ ? ", " : " {", fields[i].name);
        java_print_part(printer, &value);
    }
    ebb_buf_adds(printer->out, n_shown ? "}" : "");
    return true;
}

ebb_status java_print_known(java_printer *printer, const java_type *type, uint64_t ref, bool *is_known)
{
    const java_world *world = printer->ev.world;
    *is_known = true;
    unsigned depth = 0;
    for (const java_type *at = type; at && depth < MAX_HIERARCHY; at = world->super(world->self, at), depth++) {
        if (!java_print_may_be_known(printer, at))
            continue;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
            if (java_is_class(&printer->ev, at, known[i].descriptor))
                return known[i].print(printer, type, ref);
        }
    }
    *is_known = print_lambda(printer, type, ref);
    return EBB_OK;
}
