/* history.c - what the Java machine tells of its history: the recording, its size, the state hash (machine/history.h). */
#include "jvm/remote/far.h"
#include "jvm/remote/machine_ops.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

ebb_copies *jvm_remote_copies(machine *m)
{
    return jvm_remote_of(m)->copies;
}

/* A copy of it, which has grown since the last one was made, in a file without a name. */
static void fetch_recording(jvm_remote *r)
{
    FILE *file = tmpfile();
    free(r->recording);
    r->recording = NULL;
    if (r->recording_fd >= 0)
        close(r->recording_fd);
    r->recording_fd = file != NULL ? fcntl(fileno(file), F_DUPFD_CLOEXEC, 0) : -1;
    if (file != NULL)
        fclose(file);
    if (r->recording_fd >= 0 && jvm_far_fetch(r->far, r->recording_fd, NULL) == EBB_OK)
        r->recording = ebb_asprintf("/proc/%d/fd/%d", (int)getpid(), r->recording_fd);
}

const char *jvm_remote_recording(machine *m)
{
    jvm_remote *r = jvm_remote_of(m);
    if (r->far != NULL && r->records)
        fetch_recording(r);
    return r->recording; /* all of it is written at each stop */
}

/* All of it is written at each stop.  One that ebb can't see is the debuggee's to tell of. */
static uint64_t recording_nbytes(jvm_remote *r)
{
    struct stat st;
    jvm_wire_nothing q = {0};
    jvm_wire_number a = {0};
    if (r->recording != NULL && stat(r->recording, &st) == 0)
        return (uint64_t)st.st_size;
    return r->fd >= 0 && jvm_remote_ask_recording_size(r, &r->for_now, &q, &a, NULL) == EBB_OK ? a.value : 0;
}

ebb_status jvm_remote_printed(machine *m, ebb_buf *newest, uint64_t *total, ebb_error *err)
{
    ebb_arena arena = {0};
    jvm_wire_nothing q = {0};
    jvm_wire_printed a = {0};
    ebb_status status = jvm_remote_ask_printed(jvm_remote_of(m), &arena, &q, &a, err);
    if (status == EBB_OK)
        ebb_buf_add(newest, a.newest.data, a.newest.n);
    *total = a.total;
    ebb_arena_fini(&arena);
    return status;
}

static uint64_t n_verified(jvm_remote *r)
{
    jvm_wire_nothing q = {0};
    jvm_wire_number a = {0};
    return r->fd >= 0 && jvm_remote_ask_verified(r, &r->for_now, &q, &a, NULL) == EBB_OK ? a.value : 0;
}

void jvm_remote_history(machine *m, machine_history *out)
{
    jvm_remote *r = jvm_remote_of(m);
    *out = (machine_history){.undo_oldest = UINT64_MAX};
    out->recording_nbytes = recording_nbytes(r);
    out->n_verified = n_verified(r);
    jvm_remote_undo_history(r, out);
}

ebb_status jvm_remote_state_hash(machine *m, uint64_t *hash, ebb_error *err)
{
    ebb_arena arena = {0};
    jvm_wire_nothing q = {0};
    jvm_wire_number a = {0};
    ebb_status status = jvm_remote_ask_state_hash(jvm_remote_of(m), &arena, &q, &a, err);
    *hash = a.value;
    ebb_arena_fini(&arena);
    return status;
}
