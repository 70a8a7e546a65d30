/* maps.c - reads the list of mappings. */
#include "x86/inside/maps.h"
#include "x86/inside/sys.h"

#include <fcntl.h>
#include <sys/syscall.h>

/* The bytes of a file, one by one. */
typedef struct reader {
    long fd;
    char buffer[2048];
    long at, n;
} reader;

static int next_char(reader *r)
{
    if (r->at == r->n) {
        r->n = x86_sys6(SYS_read, r->fd, (long)r->buffer, sizeof r->buffer, 0, 0, 0);
        r->at = 0;
    }
    return r->n > 0 ? (unsigned char)r->buffer[r->at++] : -1;
}

static uint64_t read_hex(reader *r)
{
    uint64_t value = 0;
    for (int c = next_char(r); c >= 0; c = next_char(r)) {
        if (c >= '0' && c <= '9')
            value = value << 4 | (uint64_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            value = value << 4 | (uint64_t)(c - 'a' + 10);
        else
            break;
    }
    return value;
}

/* One line: LO-HI rwxp ... ; false at the end. */
static bool read_line(reader *r, x86_mapping *m)
{
    m->lo = read_hex(r);
    m->hi = read_hex(r);
    m->readable = next_char(r) == 'r';
    m->writable = next_char(r) == 'w';
    m->executable = next_char(r) == 'x';
    m->shared = next_char(r) == 's';
    int c;
    do
        c = next_char(r);
    while (c >= 0 && c != '\n');
    return c == '\n';
}

bool x86_maps_each(bool (*each)(void *context, const x86_mapping *mapping), void *context)
{
    reader r = {.fd = x86_sys6(SYS_openat, AT_FDCWD, (long)"/proc/self/maps", O_RDONLY | O_CLOEXEC, 0, 0, 0)};
    x86_mapping m;
    if (r.fd < 0)
        return false;
    while (read_line(&r, &m) && each(context, &m))
        ;
    x86_sys6(SYS_close, r.fd, 0, 0, 0, 0, 0);
    return r.n >= 0;
}
