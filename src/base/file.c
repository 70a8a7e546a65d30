/* file.c - a file is read to its end, whatever size it claims to have (those of /proc claim none); and finding its name. */
#include "base/file.h"
#include "base/mem.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* 0: all of it; less: an error; more: there is more than `most`. */
static ssize_t read_all(int fd, size_t most, ebb_buf *out)
{
    char block[8192]; /* small: some callers run on small stacks */
    size_t before = out->n;
    struct stat about;
    ssize_t n = fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && (uint64_t)about.st_size > most;
    if (n > 0)
        return n;
    while ((n = read(fd, block, sizeof block)) > 0) {
        if ((size_t)n > most - (out->n - before))
            break;
        ebb_buf_add(out, block, (size_t)n);
    }
    return n;
}

ebb_status ebb_file_read_up_to(const char *path, size_t most, ebb_buf *out, ebb_error *err)
{
    size_t before = out->n;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read_all(fd, most, out);
    ebb_status status = EBB_OK;
    if (n < 0)
        status = ebb_fail_errno(err, "%s", path);
    else if (n > 0)
        status = ebb_fail(err, EBB_BAD_FILE, "%s: it is too large: more than %zu bytes", path, most);
    if (n != 0)
        ebb_buf_truncate(out, before);
    if (fd >= 0)
        close(fd);
    return status;
}

ebb_status ebb_file_read(const char *path, ebb_buf *out, ebb_error *err) { return ebb_file_read_up_to(path, SIZE_MAX, out, err); }

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
