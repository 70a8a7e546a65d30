/* knock.c - a Java program that a script started asks ebb whether it is the one to be debugged (wire/door.h). */
#include "jvm/agent/internal.h"
#include "jvm/wire/door.h"

#include "base/file.h"
#include "base/mem.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int connect_to(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = strlen(path) < sizeof address.sun_path ? socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
    if (fd < 0)
        return -1;
    strcpy(address.sun_path, path);
    if (connect(fd, (const struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    close(fd);
    return -1;
}

static bool say_own_words(int fd)
{
    ebb_buf words = {0};
    char some[4096];
    ssize_t n;
    int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    while (file >= 0 && words.n < JVM_DOOR_MAX - sizeof some && (n = read(file, some, sizeof some)) > 0)
        ebb_buf_add(&words, some, (size_t)n);
    if (file >= 0)
        close(file);
    bool said = jvm_door_say(fd, ebb_buf_text(&words), words.n);
    ebb_buf_fini(&words);
    return said;
}

static pid_t who_is(int fd)
{
    struct ucred who;
    socklen_t n = sizeof who;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n) == 0 ? who.pid : getppid();
}

bool agent_knock(void)
{
    const char *path = getenv(JVM_DOOR_VARIABLE);
    int fd = path == NULL || *path == '\0' ? -1 : connect_to(path);
    size_t n;
    char *recording = fd >= 0 && say_own_words(fd) ? jvm_door_hear(fd, &n) : NULL;
    if (recording == NULL) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    if (*recording != '\0')
        setenv("EBB_RECORD", recording, 1);
    free(recording);
    unsetenv(JVM_DOOR_VARIABLE);
    agent.fd = fd;
    agent.debugger = who_is(fd);
    return true;
}
