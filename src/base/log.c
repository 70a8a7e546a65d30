/* log.c - a module is a file, by its name without folder and ending. */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "…/src/x86/ptrace.c" is the module "ptrace". */
static size_t module_of(const char *file, const char **name)
{
    const char *slash = strrchr(file, '/');
    *name = slash ? slash + 1 : file;
    return strcspn(*name, ".");
}

bool ebb_log_wanted(const char *file)
{
    const char *list = getenv("EBB_LOG");
    const char *name;
    size_t nbytes = module_of(file, &name);
    while (list && *list) {
        size_t item = strcspn(list, ",");
        if (item == 3 && strncmp(list, "all", 3) == 0)
            return true;
        if (item == nbytes && strncmp(list, name, nbytes) == 0)
            return true;
        list += item + (list[item] == ',');
    }
    return false;
}

void ebb_log_write(const char *file, const char *format, ...)
{
    const char *name;
    size_t nbytes = module_of(file, &name);
    fprintf(stderr, "[%.*s] ", (int)nbytes, name);
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}
