/* file.c - a file is read to its end, whatever size it claims to have (those of /proc claim none); and finding its name. */
#include "base/file.h"
#include "base/mem.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

ebb_status ebb_file_read(const char *path, ebb_buf *out, ebb_error *err)
{
    char block[8192]; /* small: some callers run on small stacks */
    size_t before = out->n;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : 0;
    while (fd >= 0 && (n = read(fd, block, sizeof block)) > 0)
        ebb_buf_add(out, block, (size_t)n);
    ebb_status status = EBB_OK;
    if (n < 0) {
        status = ebb_fail_errno(err, "%s", path);
        ebb_buf_truncate(out, before);
    }
    if (fd >= 0)
        close(fd);
    return status;
}

char *ebb_file_path_of(pid_t pid, int fd)
{
    char link[64], path[4096];
    if (pid)
        snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)pid, fd);
    else
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path);
    return ebb_strndup(path, n > 0 ? (size_t)n : 0);
}

/* The folder that the running program is in; NULL if /proc doesn't tell.  Caller frees. */
static char *own_folder(void)
{
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n <= 0)
        return NULL;
    path[n] = '\0';
    *strrchr(path, '/') = '\0';
    return ebb_strdup(path);
}

static bool holds(const char *folder, const char *file)
{
    char *path = ebb_asprintf("%s/%s", folder, file);
    bool there = access(path, R_OK) == 0;
    free(path);
    return there;
}

char *ebb_folder_beside_program(const char *const *places, const char *file)
{
    char *own = own_folder(), *found = NULL;
    for (; own && !found && *places; places++) {
        char *folder = ebb_asprintf("%s/%s", own, *places);
        if (holds(folder, file))
            found = folder;
        else
            free(folder);
    }
    free(own);
    return found;
}

ebb_status ebb_file_check_can_write(const char *path, ebb_error *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return ebb_fail_errno(err, "cannot write %s", path);
    close(fd);
    return EBB_OK;
}
