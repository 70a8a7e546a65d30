/* door.c - see door.h. */
#include "jvm/wire/door.h"

#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static bool send_all(int fd, const void *bytes, size_t nbytes)
{
    for (size_t at = 0; at < nbytes;) {
        ssize_t n = send(fd, (const char *)bytes + at, nbytes - at, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += (size_t)n;
    }
    return true;
}

static bool read_all(int fd, void *bytes, size_t nbytes)
{
    for (size_t at = 0; at < nbytes;) {
        ssize_t n = read(fd, (char *)bytes + at, nbytes - at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += (size_t)n;
    }
    return true;
}

bool jvm_door_say(int fd, const void *bytes, size_t nbytes)
{
    if (nbytes > JVM_DOOR_MAX)
        return false;
    const uint8_t length[4] = {(uint8_t)nbytes, (uint8_t)(nbytes >> 8), (uint8_t)(nbytes >> 16), (uint8_t)(nbytes >> 24)};
    return send_all(fd, length, sizeof length) && send_all(fd, bytes, nbytes);
}

char *jvm_door_hear(int fd, size_t *nbytes)
{
    uint8_t length[4];
    if (!read_all(fd, length, sizeof length))
        return NULL;
    *nbytes = length[0] | (size_t)length[1] << 8 | (size_t)length[2] << 16 | (size_t)length[3] << 24;
    if (*nbytes > JVM_DOOR_MAX)
        return NULL;
    char *bytes = ebb_alloc(*nbytes + 1);
    bytes[*nbytes] = '\0';
    if (read_all(fd, bytes, *nbytes))
        return bytes;
    free(bytes);
    return NULL;
}
