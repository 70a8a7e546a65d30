/* reply.c - text and fields are filled by the same calls, so that neither tells more than the other. */
#include "front/cli/reply.h"

#include "base/check.h"

#include <string.h>

void cli_text_fini(cli_text *text)
{
    ebb_buf_fini(&text->bytes);
    ebb_vec_fini(&text->spans);
}

void cli_put(cli_text *text, const char *plain)
{
    ebb_buf_adds(&text->bytes, plain);
}

void cli_putf(cli_text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    ebb_buf_vaddf(&text->bytes, format, args);
    va_end(args);
}

static void mark_span(cli_text *text, size_t from, cli_style style)
{
    cli_span span = {from, text->bytes.n - from, style};
    if (span.nbytes && style != CLI_STYLE_PLAIN)
        ebb_vec_push(&text->spans, span);
}

void cli_put_style(cli_text *text, cli_style style, const char *words)
{
    size_t from = text->bytes.n;
    cli_put(text, words);
    mark_span(text, from, style);
}

void cli_put_stylef(cli_text *text, cli_style style, const char *format, ...)
{
    size_t from = text->bytes.n;
    va_list args;
    va_start(args, format);
    ebb_buf_vaddf(&text->bytes, format, args);
    va_end(args);
    mark_span(text, from, style);
}

void cli_text_colour(const cli_text *text, ebb_buf *out)
{
    static const char *const colours[] = {
#define X(name, sgr) sgr,
        CLI_STYLES(X)
#undef X
    };
    size_t at = 0;
    for (size_t i = 0; i < text->spans.n; i++) {
        const cli_span *span = &text->spans.items[i];
        ebb_buf_add(out, text->bytes.data + at, span->at - at);
        ebb_buf_addf(out, "\033[%sm", colours[span->style]);
        ebb_buf_add(out, text->bytes.data + span->at, span->nbytes);
        ebb_buf_adds(out, "\033[m");
        at = span->at + span->nbytes;
    }
    ebb_buf_add(out, ebb_buf_text(&text->bytes) + at, text->bytes.n - at);
}

void cli_reply_fini(struct cli_reply *reply)
{
    cli_text_fini(&reply->text);
    json_decref(reply->fields);
    ebb_buf_fini(&reply->rows);
    free(reply->follow_up);
    *reply = (struct cli_reply){0};
}

/* ---- JSON ------------------------------------------------------------------------------------- */

/* The bytes of the UTF-8 character at `s`; 0 if it is none. */
static size_t utf8_length(const unsigned char *s)
{
    if (s[0] < 0x80)
        return 1;
    size_t n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    /* Overlong forms, surrogates, beyond U+10FFFF. */
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return n;
}

/* The character at `at` as UTF-8, whatever is there; after it. */
static const unsigned char *add_clean(ebb_buf *out, const unsigned char *at)
{
    size_t n = utf8_length(at);
    if (n)
        ebb_buf_add(out, at, n);
    else
        ebb_buf_adds(out, "\xef\xbf\xbd");
    return at + (n ? n : 1);
}

json_t *cli_json_string(const char *text)
{
    ebb_buf clean = {0};
    for (const unsigned char *at = (const unsigned char *)text; *at;)
        at = add_clean(&clean, at);
    json_t *string = json_string(ebb_buf_text(&clean));
    ebb_buf_fini(&clean);
    ebb_check(string);
    return string;
}

void cli_json_text(json_t *object, const char *key, const char *text)
{
    if (text)
        json_object_set_new(object, key, cli_json_string(text));
}

void cli_json_address(json_t *object, const char *key, uint64_t address)
{
    char text[32];
    snprintf(text, sizeof text, "0x%llx", (unsigned long long)address);
    json_object_set_new(object, key, json_string(text));
}

void cli_field_json(struct cli_reply *reply, const char *key, json_t *taken)
{
    if (!reply->fields)
        reply->fields = json_object();
    json_object_set_new(reply->fields, key, taken);
}

void cli_field_text(struct cli_reply *reply, const char *key, const char *text)
{
    if (text)
        cli_field_json(reply, key, cli_json_string(text));
}

void cli_field_int(struct cli_reply *reply, const char *key, long long number)
{
    cli_field_json(reply, key, json_integer(number));
}

void cli_field_bool(struct cli_reply *reply, const char *key, bool value)
{
    cli_field_json(reply, key, json_boolean(value));
}

/* ---- rows ------------------------------------------------------------------------------------- */

/* How many bytes from `at` on stand in JSON as they are. */
static size_t n_plain(const unsigned char *at)
{
    size_t n = 0;
    while (at[n] >= ' ' && at[n] < 0x80 && at[n] != '"' && at[n] != '\\')
        n++;
    return n;
}

static void add_quoted(ebb_buf *out, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    ebb_buf_addc(out, '"');
    for (;;) {
        size_t n = n_plain(at);
        ebb_buf_add(out, at, n);
        at += n;
        if (*at == '\0')
            break;
        if (*at < ' ')
            ebb_buf_addf(out, "\\u%04x", *at++);
        else if (*at < 0x80)
            ebb_buf_add(out, (char[]){'\\', (char)*at++}, 2);
        else
            at = add_clean(out, at);
    }
    ebb_buf_addc(out, '"');
}

void cli_rows_begin(struct cli_reply *reply, const char *key)
{
    ebb_check(!reply->rows_key);
    reply->rows_key = key;
}

void cli_row_begin(struct cli_reply *reply)
{
    ebb_buf_adds(&reply->rows, reply->rows.n ? ",{" : "{");
}

static void add_key(struct cli_reply *reply, const char *key)
{
    if (reply->rows.data[reply->rows.n - 1] != '{')
        ebb_buf_addc(&reply->rows, ',');
    add_quoted(&reply->rows, key);
    ebb_buf_addc(&reply->rows, ':');
}

void cli_row_text(struct cli_reply *reply, const char *key, const char *text)
{
    add_key(reply, key);
    add_quoted(&reply->rows, text);
}

void cli_row_bool(struct cli_reply *reply, const char *key, bool value)
{
    add_key(reply, key);
    ebb_buf_adds(&reply->rows, value ? "true" : "false");
}

void cli_row_end(struct cli_reply *reply)
{
    ebb_buf_addc(&reply->rows, '}');
}
