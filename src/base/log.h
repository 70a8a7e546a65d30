/* log.h - a diary for the builders of ebb.  EBB_LOG=ptrace,symbols shows those modules on standard
 * error, EBB_LOG=all every one; a silent log costs one test.  A module is a file's name without ".c". */
#ifndef EBB_BASE_LOG_H
#define EBB_BASE_LOG_H

#include <stdbool.h>

#define ebb_log(...)                                                                               \
    do {                                                                                           \
        static int wanted_ = -1;                                                                   \
        if (wanted_ < 0)                                                                           \
            wanted_ = ebb_log_wanted(__FILE__);                                                    \
        if (wanted_)                                                                               \
            ebb_log_write(__FILE__, __VA_ARGS__);                                                  \
    } while (0)

bool ebb_log_wanted(const char *file);
void ebb_log_write(const char *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
