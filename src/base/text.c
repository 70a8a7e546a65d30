/* text.c - numbers and sizes are read strictly: what follows them is an error, not ignored. */
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool ebb_text_starts(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

const char *ebb_text_skip_space(const char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    return text;
}

bool ebb_text_is_blank(const char *text)
{
    return *ebb_text_skip_space(text) == '\0';
}

const char *ebb_path_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool parse_leading_u64(const char *text, uint64_t *out, const char **rest)
{
    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    char *end;
    *out = strtoull(text, &end, 0);
    *rest = end;
    return errno == 0;
}

bool ebb_text_to_u64(const char *text, uint64_t *out)
{
    const char *rest;
    return parse_leading_u64(text, out, &rest) && *rest == '\0';
}

bool ebb_text_to_size(const char *text, uint64_t *nbytes)
{
    const char *rest;
    if (!parse_leading_u64(text, nbytes, &rest))
        return false;
    static const char units[] = "kmgt";
    if (*rest) {
        const char *unit = strchr(units, tolower((unsigned char)*rest));
        if (!unit || rest[1])
            return false;
        unsigned shift = 10 * (unsigned)(unit - units + 1);
        if (*nbytes > UINT64_MAX >> shift)
            return false;
        *nbytes <<= shift;
    }
    return true;
}

char *ebb_text_rtrim(char *text)
{
    size_t n = strlen(text);
    while (n && isspace((unsigned char)text[n - 1]))
        n--;
    text[n] = '\0';
    return text;
}

char *ebb_text_of_u64(uint64_t number, char *end)
{
    do
        *--end = (char)('0' + (int)(number % 10));
    while (number /= 10);
    return end;
}
