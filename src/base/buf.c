/* buf.c - the bytes always end in a NUL that is not counted, so that they can be used as text. */
#include "base/buf.h"
#include "base/check.h"
#include "base/mem.h"
#include "base/sizes.h"

#include <stdio.h>
#include <string.h>

static void reserve(ebb_buf *buf, size_t more)
{
    size_t wanted = buf->n + more + 1;
    if (wanted <= buf->cap)
        return;
    size_t cap = buf->cap ? buf->cap : EBB_BUF_FIRST;
    while (cap < wanted)
        cap *= 2;
    buf->data = ebb_realloc(buf->data, cap);
    buf->cap = cap;
}

void ebb_buf_add(ebb_buf *buf, const void *bytes, size_t nbytes)
{
    reserve(buf, nbytes);
    if (nbytes)
        memcpy(buf->data + buf->n, bytes, nbytes);
    buf->n += nbytes;
    buf->data[buf->n] = '\0';
}

void ebb_buf_addc(ebb_buf *buf, char c)
{
    ebb_buf_add(buf, &c, 1);
}

void ebb_buf_adds(ebb_buf *buf, const char *text)
{
    ebb_buf_add(buf, text, strlen(text));
}

void ebb_buf_vaddf(ebb_buf *buf, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    reserve(buf, 0);
    size_t room = buf->cap - buf->n;
    int n = vsnprintf(buf->data + buf->n, room, format, args); /* mostly it fits, and formatting twice takes twice as long */
    ebb_check(n >= 0);
    if ((size_t)n >= room) {
        reserve(buf, (size_t)n);
        vsnprintf(buf->data + buf->n, (size_t)n + 1, format, again);
    }
    va_end(again);
    buf->n += (size_t)n;
}

void ebb_buf_addf(ebb_buf *buf, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    ebb_buf_vaddf(buf, format, args);
    va_end(args);
}

void ebb_buf_truncate(ebb_buf *buf, size_t n)
{
    ebb_check(n <= buf->n);
    buf->n = n;
    if (buf->data)
        buf->data[n] = '\0';
}

void ebb_buf_drop(ebb_buf *buf, size_t n)
{
    ebb_check(n <= buf->n);
    if (n == 0)
        return;
    memmove(buf->data, buf->data + n, buf->n - n);
    ebb_buf_truncate(buf, buf->n - n);
}

const char *ebb_buf_text(const ebb_buf *buf)
{
    return buf->data ? buf->data : "";
}

char *ebb_buf_take(ebb_buf *buf)
{
    reserve(buf, 0);
    buf->data[buf->n] = '\0';
    char *text = buf->data;
    *buf = (ebb_buf){0};
    return text;
}

void ebb_buf_fini(ebb_buf *buf)
{
    free(buf->data);
    *buf = (ebb_buf){0};
}
