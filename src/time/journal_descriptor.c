/* journal_descriptor.c - what the program has open: asked of the system, or of /proc where the program is another process. */
#include "time/journal_private.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { PROC_NAME = 64 };

static void name_in_proc(const ebb_journal *j, const char *folder, int fd, char name[PROC_NAME])
{
    snprintf(name, PROC_NAME, "/proc/%d/%s/%d", (int)j->of.pid, folder, fd);
}

/* "pos:\t4\nflags:\t0100002\n...": proc(5). */
static bool read_fdinfo(const ebb_journal *j, int fd, journal_descriptor *out)
{
    char name[PROC_NAME];
    long long position;
    unsigned flags;
    name_in_proc(j, "fdinfo", fd, name);
    FILE *f = fopen(name, "re");
    bool is_read = f && fscanf(f, "pos: %lld flags: %o", &position, &flags) == 2;
    if (f)
        fclose(f);
    if (!is_read)
        return false;
    out->position = (off_t)position;
    out->flags = (int)(flags & ~(unsigned)O_CLOEXEC); /* F_GETFL doesn't tell it either */
    return true;
}

bool journal_look_at(const ebb_journal *j, int fd, journal_descriptor *out)
{
    char name[PROC_NAME];
    if (j->of.pid) {
        name_in_proc(j, "fd", fd, name);
        return stat(name, &out->st) == 0 && read_fdinfo(j, fd, out);
    }
    if (fstat(fd, &out->st) != 0)
        return false;
    out->flags = fcntl(fd, F_GETFL);
    out->position = lseek(fd, 0, SEEK_CUR);
    return true;
}
