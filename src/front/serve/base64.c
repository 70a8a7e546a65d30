/* base64.c - RFC 4648, section 4; the padding must be there. */
#include "front/serve/base64.h"

#include "base/buf.h"
#include "base/mem.h"

#include <string.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

char *front_base64(const uint8_t *bytes, size_t nbytes)
{
    ebb_buf text = {0};
    for (size_t i = 0; i < nbytes; i += 3) {
        size_t n = nbytes - i < 3 ? nbytes - i : 3;
        uint32_t bits = (uint32_t)bytes[i] << 16 | (uint32_t)(n > 1 ? bytes[i + 1] : 0) << 8 | (n > 2 ? bytes[i + 2] : 0);
        for (size_t k = 0; k < 4; k++)
            ebb_buf_addc(&text, k <= n ? letters[bits >> (18 - 6 * k) & 63] : '=');
    }
    return text.data ? ebb_buf_take(&text) : ebb_strdup("");
}

static int value_of(char c)
{
    const char *at = c ? strchr(letters, c) : NULL;
    return at ? (int)(at - letters) : -1;
}

uint8_t *front_base64_decode(const char *text, size_t *nbytes)
{
    size_t n = strlen(text), pads = n && text[n - 1] == '=' ? 1 + (n > 1 && text[n - 2] == '=') : 0;
    if (n % 4)
        return NULL;
    uint8_t *bytes = ebb_alloc(n / 4 * 3 + 1);
    *nbytes = 0;
    for (size_t i = 0; i < n; i += 4) {
        uint32_t bits = 0;
        for (size_t k = 0; k < 4; k++) {
            int value = i + k < n - pads ? value_of(text[i + k]) : 0;
            if (value < 0) {
                free(bytes);
                return NULL;
            }
            bits = bits << 6 | (uint32_t)value;
        }
        for (size_t k = 0; k < 3; k++)
            bytes[(*nbytes)++] = (uint8_t)(bits >> (16 - 8 * k));
    }
    *nbytes -= pads;
    return bytes;
}
