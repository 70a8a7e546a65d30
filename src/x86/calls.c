/* calls.c - the table of system calls, as data.  Freestanding: it stands in the runtime and in ebb. */
#include "x86/calls.h"
#include "x86/shared.h"

#include <fcntl.h>
#include <sys/syscall.h>

enum {
#define X86_KERNEL_SIZE(name, nbytes, type) KERNEL_SIZE_##name = nbytes,
#include "x86/kernel_sizes.def"
#undef X86_KERNEL_SIZE
};

/* The words of a row. */
#define WAITS_SOON          X86_SOON, 0
#define WAITS_WAITS         X86_WAITS, 0
#define WAITS_LIFE          X86_LIFE, 0
#define WAITS_AGAIN         X86_AGAIN, 0
#define WAITS_AGAIN_MS(k)   X86_AGAIN_MS, k
#define WAITS_AGAIN_SPAN(k) X86_AGAIN_SPAN, k

#define IN(argument, size)     {argument, X86_IN, size}
#define OUT(argument, size)    {argument, X86_OUT, size}
#define INOUT(argument, size)  {argument, X86_INOUT, size}
#define ANYWAY(argument, size) {argument, X86_ANYWAY, size}
#define COMMAND(argument, shift, mask) {argument, X86_COMMAND_IN, shift, 0, mask}
#define OPTION(argument)       {argument, X86_OPTION_IN, 0, 0, 0xffff}

#define FLAGS(k)         {k, X86_FLAGS_IN, 0, X86_FLAGS_DIRECT}
#define FLAGS_AT(k)      {k, X86_FLAGS_IN, 0, X86_FLAGS_IN_MEMORY}
#define FLAGS_ARE(flags) {0, X86_FLAGS_IN, 0, 0, flags}
#define KEPT(what)       {0, X86_KEPT, 0, 0, X86_KEPT_##what}
#define KEPT_WITH(k, size) {k, X86_KEPT, size}
#define RESUMED          {0, X86_RESUMED}
#define EARLY(k)         {k, X86_EARLY}
#define PLACED(k)        {k, X86_PLACED}
#define REFUSED          {0, X86_REFUSED}
#define HARMLESS         {0, X86_HARMLESS}
#define WHO(k)           {k, X86_WHO}
#define TELLS_WHO        {0, X86_TELLS_WHO}

#define BYTES(n)      X86_SIZE_BYTES, 0, n
#define SIZE(name)    X86_SIZE_BYTES, 0, KERNEL_SIZE_##name
#define COUNT(k, n)   X86_SIZE_COUNT, k, n
#define UPTO(k)       X86_SIZE_UPTO, k, 1
#define EACH(k, n)    X86_SIZE_EACH, k, n
#define LENGTH(k)     X86_SIZE_LENGTH, k, 1
#define LENGTHS(k, n) X86_SIZE_LENGTHS, k, n
#define PAGES(k)      X86_SIZE_PAGES, k, 1
#define BITS(k)       X86_SIZE_BITS, k, 1
#define STRING        X86_SIZE_STRING, 0, 0
#define STRINGS       X86_SIZE_STRINGS, 0, 0
#define NAME          X86_SIZE_NAME, 0, 0
#define TEXT          X86_SIZE_TEXT, 0, 0
#define QUEUED(k)     X86_SIZE_QUEUED, k, 1
#define HANDLE        X86_SIZE_HANDLE, 0, 0
#define VECTOR(k)     X86_SIZE_VECTOR, k, 0
#define OWN(k)        X86_SIZE_OWN, k, 0
#define MESSAGE       X86_SIZE_MESSAGE, 0, 0
#define MESSAGES(k)   X86_SIZE_MESSAGES, k, 0
#define SENT(k)       X86_SIZE_SENT, k, 0
#define XATTR         X86_SIZE_XATTR, 0, 0
#define REGSET        X86_SIZE_REGSET, 0, 0
#define SEMAPHORES    X86_SIZE_SEMAPHORES, 0, 0
#define IFCONF        X86_SIZE_IFCONF, 0, 0
#define FIEMAP        X86_SIZE_FIEMAP, 0, 0
#define DEDUPE        X86_SIZE_DEDUPE, 0, 0
#define SCAN          X86_SIZE_SCAN, 0, 0
#define FILL          X86_SIZE_FILL, 0, 0
#define CHILD         X86_SIZE_CHILD, 0, 0
#define CHILD_ARGS    X86_SIZE_CHILD_ARGS, 0, 0
#define UNKNOWN       X86_SIZE_UNKNOWN, 0, 0

static const x86_call_row rows[] = {
#define X86_CALL(number, name, border, waits, maps, fds, files, ...)                               \
    [number] = {1, X86_BORDER_##border, WAITS_##waits, X86_MAPS_##maps, X86_FDS_##fds, X86_FILES_##files, {__VA_ARGS__}},
#include "x86/syscalls.def"
#undef X86_CALL
};

/* Numbers that older headers have no names for. */
#ifndef SYS_quotactl_fd
#define SYS_quotactl_fd 443
#endif

static const x86_command_row commands[] = {
#define X86_COMMAND(call, command, name, fds, files, ...)                                          \
    {SYS_##call, command, X86_FDS_##fds, X86_FILES_##files, {__VA_ARGS__}},
#include "x86/commands.def"
#undef X86_COMMAND
};

const x86_call_row *x86_call_row_of(uint64_t number)
{
    return number < sizeof rows / sizeof *rows && rows[number].is_known ? &rows[number] : NULL;
}

const x86_command_row *x86_command_row_of(uint64_t number, uint32_t command)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (commands[i].call == number && commands[i].command == command)
            return &commands[i];
    return NULL;
}

const x86_pointer *x86_call_word(const x86_call_row *row, x86_way way)
{
    for (unsigned i = 0; row && i < X86_MAX_POINTERS; i++)
        if (row->pointers[i].way == way)
            return &row->pointers[i];
    return NULL;
}

const x86_pointer *x86_call_source(const x86_call_row *row)
{
    const x86_pointer *p = x86_call_word(row, X86_IN);
    if (!p || p->argument != 2 || (row->files != X86_FILES_WRITES && row->files != X86_FILES_SENDS) || x86_call_word(row, X86_WHO))
        return NULL;
    bool is_bytes = p->size == X86_SIZE_COUNT && p->n == 1;
    return is_bytes || p->size == X86_SIZE_VECTOR || p->size == X86_SIZE_MESSAGE ? p : NULL;
}

bool x86_call_takes(const x86_call_row *row)
{
    const x86_pointer *p = x86_call_word(row, X86_OUT);
    return p && p->argument == 2 && row->fds == X86_FDS_OFFSET && (p->size == X86_SIZE_UPTO || p->size == X86_SIZE_VECTOR);
}

bool x86_call_is_placed(const x86_call_row *row, const uint64_t *arguments, uint64_t *at)
{
    const x86_pointer *p = x86_call_word(row, X86_PLACED);
    *at = p ? arguments[p->argument - 1] : (uint64_t)-1;
    return *at != (uint64_t)-1;
}

bool x86_call_flags(uint64_t number, const uint64_t *arguments, x86_read_word *read, void *self, uint64_t *flags)
{
    const x86_pointer *p = x86_call_word(x86_call_row_of(number), X86_FLAGS_IN);
    if (!p)
        return false;
    *flags = p->argument ? arguments[p->argument - 1] : p->n;
    return p->of != X86_FLAGS_IN_MEMORY || (read && read(self, *flags, flags));
}

unsigned x86_argument_register(unsigned k)
{
    static const uint8_t registers[] = {0, X86_RDI, X86_RSI, X86_RDX, 10, 8, 9};
    return registers[k];
}
