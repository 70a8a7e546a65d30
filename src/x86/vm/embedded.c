/* embedded.c - puts files into recordings. */
#include "x86/vm/embedded.h"
#include "base/log.h"
#include "time/recording_files.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

void vm_embedded_note(vm_embedded *e, const char *name, size_t nbytes)
{
    if (nbytes == 0 || name[0] != '/')
        return;
    for (size_t i = 0; i < e->names.n; i++)
        if (strlen(e->names.items[i]) == nbytes && memcmp(e->names.items[i], name, nbytes) == 0)
            return;
    ebb_vec_push(&e->names, ebb_strndup(name, nbytes));
}

/* EM1; only a recording that can't be written is a failure. */
static ebb_status put(const char *name, ebb_recorder *rec, ebb_error *err)
{
    int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        ebb_log("%s can't be put into the recording", name);
        return EBB_OK;
    }
    ebb_error why;
    ebb_status status = ebb_recorder_put_file(rec, name, fd, &why);
    close(fd);
    if (status == EBB_OK || ebb_recorder_flush(rec, err) == EBB_OK)
        return EBB_OK;
    return ebb_fail(err, status, "%s", why.text);
}

ebb_status vm_embedded_write(vm_embedded *e, ebb_recorder *rec, ebb_error *err)
{
    while (e->n_written < e->names.n)
        EBB_TRY(put(e->names.items[e->n_written++], rec, err));
    return EBB_OK;
}

ebb_status vm_embedded_write_from(const vm_embedded *e, size_t first, ebb_recorder *rec, ebb_error *err)
{
    for (size_t i = first; i < e->names.n; i++)
        EBB_TRY(put(e->names.items[i], rec, err));
    return EBB_OK;
}

void vm_embedded_fini(vm_embedded *e)
{
    for (size_t i = 0; i < e->names.n; i++)
        free(e->names.items[i]);
    ebb_vec_fini(&e->names);
    *e = (vm_embedded){0};
}
