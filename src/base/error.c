/* error.c - a message is cut to the caller's buffer and never allocated: want of memory must be told, too. */
#include "base/error.h"
#include "base/check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const status_texts[] = {
#define X(name, text) [name] = text,
    EBB_STATUS(X)
#undef X
};

const char *ebb_status_text(ebb_status status)
{
    return status_texts[status];
}

ebb_status ebb_vfail(ebb_error *err, ebb_status status, const char *format, va_list args)
{
    if (err) {
        err->status = status;
        vsnprintf(err->text, sizeof err->text, format, args);
    }
    return status;
}

ebb_status ebb_fail(ebb_error *err, ebb_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    ebb_vfail(err, status, format, args);
    va_end(args);
    return status;
}

ebb_status ebb_fail_errno(ebb_error *err, const char *format, ...)
{
    int saved = errno;
    va_list args;
    va_start(args, format);
    ebb_vfail(err, EBB_SYSTEM, format, args);
    va_end(args);
    if (err) {
        size_t used = strlen(err->text);
        snprintf(err->text + used, sizeof err->text - used, ": %s", strerror(saved));
    }
    errno = saved;
    return EBB_SYSTEM;
}

void ebb_check_failed(const char *file, int line, const char *what)
{
    fprintf(stderr, "ebb %s: internal check failed at %s:%d: %s\n", EBB_VERSION, file, line, what);
    fflush(stderr);
    abort();
}
