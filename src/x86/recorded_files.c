/* recorded_files.c - takes files out of a recording. */
#include "x86/recorded_files.h"
#include "base/log.h"
#include "base/mem.h"
#include "time/recording_files.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct x86_recorded_files {
    ebb_recording *recording;
    ebb_recorded_files list;
    char **paths; /* of each; NULL: not taken out yet */
    int *fds;
};

ebb_status x86_recorded_files_open(const char *recording, x86_recorded_files **out, ebb_error *err)
{
    x86_recorded_files *files = EBB_NEW(x86_recorded_files);
    ebb_status status = ebb_recording_open(recording, &files->recording, err);
    if (status == EBB_OK)
        status = ebb_recorded_files_read(files->recording, &files->list, err);
    files->paths = ebb_zalloc((files->list.n + 1) * sizeof *files->paths);
    files->fds = ebb_zalloc((files->list.n + 1) * sizeof *files->fds);
    if (status == EBB_OK)
        *out = files;
    else
        x86_recorded_files_free(files);
    return status;
}

void x86_recorded_files_free(x86_recorded_files *files)
{
    if (!files)
        return;
    for (size_t i = 0; i < files->list.n; i++) {
        if (files->paths[i])
            close(files->fds[i]);
        free(files->paths[i]);
    }
    ebb_recorded_files_fini(&files->list);
    ebb_recording_free(files->recording);
    free(files->paths);
    free(files->fds);
    free(files);
}

static const char *take_out(x86_recorded_files *files, size_t i)
{
    ebb_error why;
    if (files->paths[i])
        return files->paths[i];
    int fd = memfd_create("ebb-recorded", MFD_CLOEXEC);
    if (fd < 0 || ebb_recorded_file_write(files->recording, &files->list.items[i], fd, &why) != EBB_OK) {
        ebb_log("%s can't be taken out of the recording", files->list.items[i].name);
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    files->fds[i] = fd;
    files->paths[i] = ebb_asprintf("/proc/%d/fd/%d", (int)getpid(), fd);
    return files->paths[i];
}

static bool begins_so(const ebb_recorded_file *f, const uint8_t *first, size_t n_first)
{
    size_t n = f->n_first < n_first ? f->n_first : n_first;
    return n && memcmp(f->first, first, n) == 0;
}

const char *x86_recorded_files_find(x86_recorded_files *files, const char *name, const uint8_t *first, size_t n_first)
{
    for (size_t i = 0; files && i < files->list.n; i++)
        if (begins_so(&files->list.items[i], first, n_first))
            return take_out(files, i);
    for (size_t i = 0; files && i < files->list.n; i++)
        if (strcmp(files->list.items[i].name, name) == 0)
            return take_out(files, i);
    return NULL;
}
