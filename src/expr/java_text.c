/* java_text.c - between UTF-16 units and the debugger's text. */
#include "expr/java_text.h"

static bool is_high(uint32_t code)
{
    return code >= 0xd800 && code < 0xdc00;
}

static bool is_low(uint32_t code)
{
    return code >= 0xdc00 && code < 0xe000;
}

static void add_encoded(ebb_buf *text, uint32_t code)
{
    if (code == 0) {
        ebb_buf_add(text, "\xc0\x80", 2);
    } else if (code < 0x80) {
        ebb_buf_addc(text, (char)code);
    } else if (code < 0x800) {
        ebb_buf_addc(text, (char)(0xc0 | code >> 6));
        ebb_buf_addc(text, (char)(0x80 | (code & 0x3f)));
    } else if (code < 0x10000) {
        ebb_buf_addc(text, (char)(0xe0 | code >> 12));
        ebb_buf_addc(text, (char)(0x80 | (code >> 6 & 0x3f)));
        ebb_buf_addc(text, (char)(0x80 | (code & 0x3f)));
    } else {
        ebb_buf_addc(text, (char)(0xf0 | (code >> 18 & 7)));
        ebb_buf_addc(text, (char)(0x80 | (code >> 12 & 0x3f)));
        ebb_buf_addc(text, (char)(0x80 | (code >> 6 & 0x3f)));
        ebb_buf_addc(text, (char)(0x80 | (code & 0x3f)));
    }
}

/* Whether the text ends in a high surrogate that stands alone. */
static bool ends_in_high(const ebb_buf *text, uint32_t *high)
{
    if (text->n < 3)
        return false;
    const char *at = text->data + text->n - 3;
    *high = java_text_next(&at);
    return is_high(*high) && at == text->data + text->n;
}

void java_text_add(ebb_buf *text, uint32_t code)
{
    uint32_t high;
    if (is_low(code) && ends_in_high(text, &high)) {
        ebb_buf_truncate(text, text->n - 3);
        code = 0x10000 + ((high - 0xd800) << 10) + (code - 0xdc00);
    }
    add_encoded(text, code);
}

void java_text_join(ebb_buf *text, const char *more)
{
    if (!*more)
        return;
    java_text_add(text, java_text_next(&more));
    ebb_buf_adds(text, more);
}

uint32_t java_text_next(const char **at)
{
    const unsigned char *s = (const unsigned char *)*at;
    if (s[0] < 0xc0 || s[0] >= 0xf8) {
        (*at)++;
        return s[0];
    }
    int more = s[0] >= 0xf0 ? 3 : s[0] >= 0xe0 ? 2 : 1;
    uint32_t code = s[0] & (0x3fu >> more);
    for (int i = 1; i <= more; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            (*at)++;
            return s[0];
        }
        code = code << 6 | (s[i] & 0x3fu);
    }
    *at += more + 1;
    return code;
}

size_t java_text_length(const char *text)
{
    size_t n = 0;
    while (*text)
        n += java_text_next(&text) >= 0x10000 ? 2 : 1;
    return n;
}
