/* buf.h - bytes or text that grow at the end.
 *
 * B1  `data` is NUL-terminated after `n` bytes whenever it isn't NULL. */
#ifndef EBB_BASE_BUF_H
#define EBB_BASE_BUF_H

#include <stddef.h>
#include <stdarg.h>

typedef struct ebb_buf {
    char *data;
    size_t n, cap;
} ebb_buf; /* zero-initialised is empty */

void ebb_buf_add(ebb_buf *buf, const void *bytes, size_t nbytes);
void ebb_buf_addc(ebb_buf *buf, char c);
void ebb_buf_adds(ebb_buf *buf, const char *text);
void ebb_buf_addf(ebb_buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ebb_buf_vaddf(ebb_buf *buf, const char *format, va_list args);
void ebb_buf_truncate(ebb_buf *buf, size_t n); /* keeps the first n bytes */
void ebb_buf_drop(ebb_buf *buf, size_t n);     /* the first n bytes go, the others move up */
const char *ebb_buf_text(const ebb_buf *buf);  /* borrowed; "" when empty */
char *ebb_buf_take(ebb_buf *buf);              /* caller frees; the buffer is empty again */
void ebb_buf_fini(ebb_buf *buf);

#endif
