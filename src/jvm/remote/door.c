/* door.c - see door.h. */
#include "jvm/remote/door.h"

#include "base/mem.h"
#include "jvm/wire/door.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

/* In a folder that only this user can enter. */
ebb_status jvm_door_open(jvm_door *door, ebb_error *err)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    *door = (jvm_door){.fd = -1, .folder = "/tmp/ebb-door-XXXXXX"};
    if (mkdtemp(door->folder) == NULL)
        return ebb_fail_errno(err, "cannot make a folder in /tmp");
    snprintf(door->path, sizeof door->path, "%s/door", door->folder);
    strcpy(address.sun_path, door->path);
    door->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    enum { AT_ONCE = 64 };
    if (door->fd >= 0 && bind(door->fd, (const struct sockaddr *)&address, sizeof address) == 0 && listen(door->fd, AT_ONCE) == 0)
        return EBB_OK;
    ebb_status status = ebb_fail_errno(err, "cannot listen at %s", door->path);
    jvm_door_close(door);
    return status;
}

void jvm_door_close(jvm_door *door)
{
    if (door->fd >= 0)
        close(door->fd);
    door->fd = -1;
    unlink(door->path);
    rmdir(door->folder);
}

/* Words are separated by NULs, so that the text asked for is looked for in each. */
static bool is_wanted(const jvm_visitor *v, const char *wanted)
{
    for (const char *word = v->words; word < v->words + v->nbytes; word += strlen(word) + 1)
        if (strstr(word, wanted) != NULL)
            return true;
    return *wanted == '\0';
}

static pid_t who_is(int fd)
{
    struct ucred who = {0};
    socklen_t n = sizeof who;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n) == 0 ? who.pid : 0;
}

/* Whoever is turned away sees its connection closed. */
static bool let_in(jvm_door *door, const char *wanted, const char *recording, jvm_visitor *out)
{
    *out = (jvm_visitor){.fd = accept4(door->fd, NULL, NULL, SOCK_CLOEXEC)};
    if (out->fd < 0)
        return false;
    out->pid = who_is(out->fd);
    out->words = jvm_door_hear(out->fd, &out->nbytes);
    if (out->words != NULL && is_wanted(out, wanted) && jvm_door_say(out->fd, recording, strlen(recording)))
        return true;
    close(out->fd);
    free(out->words);
    *out = (jvm_visitor){.fd = -1};
    return false;
}

ebb_status jvm_door_wait(jvm_door *door, pid_t script, const char *wanted, const char *recording, jvm_visitor *out, ebb_error *err)
{
    *out = (jvm_visitor){.fd = -1};
    int end = (int)syscall(SYS_pidfd_open, script, 0);
    if (end < 0)
        return ebb_fail_errno(err, "cannot watch process %d", (int)script);
    struct pollfd fds[] = {{door->fd, POLLIN, 0}, {end, POLLIN, 0}};
    bool came = false, over = false;
    while (!came && !over) {
        if (poll(fds, 2, -1) < 0 && errno != EINTR)
            break;
        came = (fds[0].revents & POLLIN) != 0 && let_in(door, wanted, recording, out);
        over = fds[0].revents == 0 && fds[1].revents != 0;
    }
    close(end);
    return EBB_OK;
}
