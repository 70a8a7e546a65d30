/* recording_format.c - words, checksums and whole reads for both sides of a recording. */
#include "time/recording_format.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <errno.h>
#include <unistd.h>

void rec_add_varint(ebb_buf *buf, uint64_t value)
{
    uint8_t bytes[EBB_VARINT_MAX_BYTES];
    ebb_buf_add(buf, bytes, (size_t)(ebb_put_varint(bytes, value) - bytes));
}

uint64_t rec_checksum(const void *bytes, size_t nbytes)
{
    return XXH64(bytes, nbytes, 0);
}

uint64_t rec_prologue_checksum(const rec_prologue *p)
{
    return rec_checksum(p, offsetof(rec_prologue, checksum));
}

uint32_t rec_head_checksum(const rec_head *head)
{
    rec_head plain = *head;
    plain.head_checksum = 0;
    return (uint32_t)rec_checksum(&plain, sizeof plain);
}

int64_t rec_read_at(int fd, void *bytes, size_t nbytes, uint64_t offset)
{
    size_t n = 0;
    while (n < nbytes) {
        ssize_t got = pread(fd, (char *)bytes + n, nbytes - n, (off_t)(offset + n));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        n += (size_t)got;
    }
    return (int64_t)n;
}
