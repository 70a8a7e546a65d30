/* error.h - what went wrong, for the caller (a status) and for a person (a line of text).
 *
 * A function that the world can make fail returns an ebb_status and takes an `ebb_error *err` as its
 * last parameter.
 *
 * E1  on success it returns EBB_OK and leaves *err alone;
 * E2  on failure it returns another status and *err holds that status and one line of text without a
 *     final newline, written for the user, saying what to do where that isn't plain;
 * E3  err may be NULL where only the status matters.
 *
 * Nothing is allocated to report an error, and nothing below front/ prints one. */
#ifndef EBB_BASE_ERROR_H
#define EBB_BASE_ERROR_H

#include <stdbool.h>
#include <stdarg.h>

#define EBB_STATUS(X)                                                                              \
    X(EBB_OK, "ok")                                                                                \
    X(EBB_BAD_INPUT, "bad input")               /* what the user typed makes no sense */           \
    X(EBB_NOT_FOUND, "not found")               /* no such symbol, file, thread, ... */            \
    X(EBB_BAD_FILE, "bad file")                 /* foreign bytes that are broken or not ours */    \
    X(EBB_NO_MEMORY_AT, "cannot access memory") /* the debuggee has nothing at that address */     \
    X(EBB_GONE, "the program is not running")   /* the debuggee does not exist (any more) */       \
    X(EBB_NO_HISTORY, "no recorded history in that direction")                                     \
    X(EBB_DIVERGED, "replay diverged from the recording")                                          \
    X(EBB_UNSUPPORTED, "not supported")         /* a clear "I can't" */                            \
    X(EBB_UNAVAILABLE, "not available")         /* optimised out, not saved, not loaded yet */     \
    X(EBB_INTERRUPTED, "interrupted")           /* the user pressed Ctrl-C */                      \
    X(EBB_SYSTEM, "system error")               /* a system call failed; errno is in the text */

typedef enum ebb_status {
#define X(name, text) name,
    EBB_STATUS(X)
#undef X
} ebb_status;

enum { EBB_ERROR_TEXT_SIZE = 480 };

typedef struct ebb_error {
    ebb_status status;
    char text[EBB_ERROR_TEXT_SIZE];
} ebb_error;

#define EBB_MUST_CHECK __attribute__((warn_unused_result))

/* Failing early is the rule, so it gets a word: returns what the call returns, unless it is EBB_OK. */
#define EBB_TRY(call)                                                                              \
    do {                                                                                           \
        ebb_status try_ = (call);                                                                  \
        if (try_ != EBB_OK)                                                                        \
            return try_;                                                                           \
    } while (0)

/* The bare meaning of a status, for when no text was asked for. */
const char *ebb_status_text(ebb_status status);

/* Fills *err (which may be NULL) and returns `status`, so that `return ebb_fail(...)` is the idiom. */
ebb_status ebb_fail(ebb_error *err, ebb_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
ebb_status ebb_vfail(ebb_error *err, ebb_status status, const char *format, va_list args);

/* EBB_SYSTEM with ": strerror(errno)" appended. */
ebb_status ebb_fail_errno(ebb_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
