/* printf.c - printf "format", arguments: C's printf over values of the debuggee. */
#include "session/language.h"

#include <stdio.h>
#include <string.h>

typedef struct printing {
    session *s;
    ebb_arena arena;
    const char *args; /* after the format: ", a, b" */
    ebb_buf *text;
} printing;

/* ---- the format string ---------------------------------------------------------------------- */

static char simple_escape(char c)
{
    static const char from[] = "abefnrtv\\\"'", to[] = "\a\b\033\f\n\r\t\v\\\"'";
    const char *at = c ? strchr(from, c) : NULL;
    return at ? to[at - from] : '\0';
}

/* Takes the quoted string at *text, with its escapes replaced. */
static ebb_status take_format(const char **text, ebb_buf *format, ebb_error *err)
{
    const char *at = *text;
    if (*at != '"')
        return ebb_fail(err, EBB_BAD_INPUT, "Bad format string: it begins with a double quote.");
    for (at++; *at != '"'; at++) {
        if (*at == '\0')
            return ebb_fail(err, EBB_BAD_INPUT, "Bad format string, non-terminated '\"'");
        if (*at != '\\') {
            ebb_buf_addc(format, *at);
            continue;
        }
        at++;
        if (*at >= '0' && *at <= '7') {
            unsigned code = 0;
            for (int i = 0; i < 3 && *at >= '0' && *at <= '7'; i++)
                code = code * 8 + (unsigned)(*at++ - '0');
            at--;
            ebb_buf_addc(format, (char)code);
        } else if (simple_escape(*at))
            ebb_buf_addc(format, simple_escape(*at));
        else
            return ebb_fail(err, EBB_BAD_INPUT,
                            "Unrecognized escape character \\%c in format string.",
                            *at ? *at : ' ');
    }
    *text = at + 1;
    return EBB_OK;
}

/* ---- arguments ------------------------------------------------------------------------------ */

/* The source text of the next argument, the arena's. */
static ebb_status next_argument(printing *p, const char **expression, ebb_error *err)
{
    const char *at = ebb_text_skip_space(p->args), *rest;
    if (*at != ',')
        return ebb_fail(err, EBB_BAD_INPUT, "Bad format string, missing argument");
    EBB_TRY(p->s->language->parse_prefix(p->s, &p->arena, at + 1, &rest, err));
    *expression = ebb_arena_strndup(&p->arena, at + 1, (size_t)(rest - at - 1));
    p->args = rest;
    return EBB_OK;
}

static ebb_status take_argument(printing *p, ses_argument *argument, ebb_error *err)
{
    const char *expression = NULL;
    EBB_TRY(next_argument(p, &expression, err));
    return p->s->language->argument(p->s, &p->arena, expression, argument, err);
}

/* ---- conversions ---------------------------------------------------------------------------- */

typedef struct conversion {
    char flags[32]; /* flags, width and precision, as written */
    bool is_long_double;
    unsigned nbytes; /* of an integer: hh 1, h 2, int 4, l, ll, z, j, t 8 */
    char letter;
} conversion;

static ebb_status parse_conversion(const char **at, conversion *c, ebb_error *err)
{
    size_t n = strspn(*at, "-+ #0123456789.'");
    if (n >= sizeof c->flags)
        return ebb_fail(err, EBB_BAD_INPUT, "Bad format string: a conversion is too long.");
    *c = (conversion){.nbytes = 4};
    memcpy(c->flags, *at, n);
    *at += n;
    for (; **at && strchr("hlLzjtw", **at); ++*at) {
        if (**at == 'L')
            c->is_long_double = true;
        c->nbytes = **at == 'h' ? (c->nbytes == 2 ? 1 : 2) : 8;
    }
    c->letter = **at;
    if (c->letter == '\0')
        return ebb_fail(err, EBB_BAD_INPUT, "Incomplete format specifier at end of format string");
    ++*at;
    return EBB_OK;
}

#define ADD_AS(p, c, length, value)                                                                \
    do {                                                                                           \
        char spec_[48];                                                                            \
        snprintf(spec_, sizeof spec_, "%%%s" length "%c", (c)->flags, (c)->letter);                \
        char out_[512];                                                                            \
        snprintf(out_, sizeof out_, spec_, value);                                                 \
        ebb_buf_adds((p)->text, out_);                                                             \
    } while (0)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* the formats are put together above */

static ebb_status put_integer(printing *p, const conversion *c, ebb_error *err)
{
    bool is_signed = c->letter == 'd' || c->letter == 'i';
    ses_argument argument = {.kind = SES_ARGUMENT_INTEGER, .nbytes = c->nbytes, .is_signed = is_signed};
    EBB_TRY(take_argument(p, &argument, err));
    long long value = (long long)argument.bits;
    ADD_AS(p, c, "ll", value);
    return EBB_OK;
}

static ebb_status put_float(printing *p, const conversion *c, ebb_error *err)
{
    ses_argument argument = {.kind = SES_ARGUMENT_REAL};
    EBB_TRY(take_argument(p, &argument, err));
    if (c->is_long_double)
        ADD_AS(p, c, "L", argument.real);
    else
        ADD_AS(p, c, "", (double)argument.real);
    return EBB_OK;
}

static ebb_status put_string(printing *p, const conversion *c, ebb_error *err)
{
    ebb_buf string = {0};
    ses_argument argument = {.kind = SES_ARGUMENT_STRING, .string = &string};
    ebb_status status = take_argument(p, &argument, err);
    char spec[48];
    snprintf(spec, sizeof spec, "%%%ss", c->flags);
    if (status == EBB_OK) {
        char *out = NULL;
        if (asprintf(&out, spec, ebb_buf_text(&string)) >= 0)
            ebb_buf_adds(p->text, out);
        free(out);
    }
    ebb_buf_fini(&string);
    return status;
}

static ebb_status put_char(printing *p, const conversion *c, ebb_error *err)
{
    ses_argument argument = {.kind = SES_ARGUMENT_INTEGER, .nbytes = sizeof(int), .is_signed = true};
    EBB_TRY(take_argument(p, &argument, err));
    int value = (int)argument.bits;
    if (value == 0) {
        ebb_buf_addc(p->text, '\0');
        return EBB_OK;
    }
    ADD_AS(p, c, "", value);
    return EBB_OK;
}

static ebb_status put_pointer(printing *p, ebb_error *err)
{
    ses_argument argument = {.kind = SES_ARGUMENT_INTEGER, .nbytes = sizeof(uint64_t)};
    EBB_TRY(take_argument(p, &argument, err));
    if (argument.bits)
        ebb_buf_addf(p->text, "0x%lx", (unsigned long)argument.bits);
    else
        ebb_buf_adds(p->text, "(nil)");
    return EBB_OK;
}
#pragma GCC diagnostic pop

/* %V: as `print` shows it, whatever its type. */
static ebb_status put_value(printing *p, ebb_error *err)
{
    const char *expression = NULL;
    ses_look look;
    EBB_TRY(next_argument(p, &expression, err));
    ebb_status status = ses_look_at(p->s, &p->arena, expression, &look, err);
    if (status == EBB_OK)
        ebb_buf_adds(p->text, look.value);
    ses_look_fini(&look);
    return status;
}

static ebb_status put_conversion(printing *p, const conversion *c, ebb_error *err)
{
    switch (c->letter) {
    case '%': ebb_buf_addc(p->text, '%'); return EBB_OK;
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o': return put_integer(p, c, err);
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A': return put_float(p, c, err);
    case 's': return put_string(p, c, err);
    case 'c': return put_char(p, c, err);
    case 'p': return put_pointer(p, err);
    case 'V': return put_value(p, err);
    default:
        return ebb_fail(err, EBB_BAD_INPUT, "Unrecognized format specifier '%c' in printf",
                        c->letter);
    }
}

static ebb_status print_all(printing *p, const char *format, ebb_error *err)
{
    while (*format) {
        if (*format != '%') {
            ebb_buf_addc(p->text, *format++);
            continue;
        }
        format++;
        conversion c;
        EBB_TRY(parse_conversion(&format, &c, err));
        EBB_TRY(put_conversion(p, &c, err));
    }
    if (!ebb_text_is_blank(p->args))
        return ebb_fail(err, EBB_BAD_INPUT,
                        "Wrong number of arguments for specified format-string");
    return EBB_OK;
}

ebb_status ses_printf(session *s, const char *arguments, ebb_buf *text, ebb_error *err)
{
    printing p = {.s = s, .text = text, .args = ebb_text_skip_space(arguments)};
    ebb_buf format = {0};
    if (*p.args == '\0')
        return ebb_fail(err, EBB_BAD_INPUT,
                        "Argument required (format-control string and values to print).");
    size_t before = text->n;
    ebb_status status = take_format(&p.args, &format, err);
    if (status == EBB_OK)
        status = print_all(&p, ebb_buf_text(&format), err);
    if (status != EBB_OK)
        ebb_buf_truncate(text, before);
    ebb_buf_fini(&format);
    ebb_arena_fini(&p.arena);
    return status;
}
