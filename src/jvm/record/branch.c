/* branch.c - going live from the past (record.h). */
#include "jvm/record/record.h"

#include "jvm/heap/jstring.h"
#include "jvm/record/files.h"
#include "jvm/record/files_internal.h"
#include "jvm/record/internal.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* Libraries whose loading was replayed: they are not in this process. */
static EBB_VEC(char *) loads;

/* load(NativeLibraryImpl library, String path, ...) */
void jvm_branch_note_load(const jvm_slot *args)
{
    if (args[1].a != NULL)
        ebb_vec_push(&loads, jvm_string_utf8(args[1].a));
}

static ebb_status check_possible(ebb_error *err)
{
    if (!jvm_is_replaying() || !jvm_replays_copy())
        return ebb_fail(err, EBB_UNSUPPORTED, "Only a program that ran here can run on from its past.");
    for (const jvm_thread *t = jvm_threads_first(); t != NULL; t = t->next_all)
        if (t->scripts > 0)
            return ebb_fail(err, EBB_UNAVAILABLE, "A native method waits here for Java code, and can't be put into that state again: go past it.");
    if (loads.n > 0)
        return ebb_fail(err, EBB_UNAVAILABLE, "%s was loaded between the snapshot before this moment and it: go to a later moment.", loads.items[0]);
    return EBB_OK;
}

static int open_stream_of(pid_t pid, int fd)
{
    static const int modes[] = {O_RDONLY, O_WRONLY, O_WRONLY};
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)pid, fd);
    return open(path, modes[fd] | O_NOCTTY | O_CLOEXEC);
}

/* Standard streams that are no files: those of the process that recorded, or of who started it when it is gone. */
static void take_standard_streams(ebb_buf *undone)
{
    for (int fd = 0; fd < 3; fd++) {
        if (jvm_open_file_at(fd)->path != NULL)
            continue;
        int own = open_stream_of(jvm_recorded_pid, fd);
        if (own < 0)
            own = open_stream_of(jvm_starter_pid, fd);
        if (own < 0 || dup2(own, fd) < 0)
            ebb_buf_addf(undone, "standard stream %d could not be opened again\n", fd);
        if (own >= 0)
            close(own);
    }
}

static ebb_status put_files_back(ebb_buf *undone, ebb_error *err)
{
    ebb_recording *in;
    ebb_status status = ebb_recording_open_fd(ebb_recorder_get_fd(jvm_log_recorder()), &in, err);
    if (status != EBB_OK)
        return status;
    uint64_t began = jvm_replay_began, happened = jvm_log_happened();
    if (happened < began) { /* the undo log led to before the copy was made: what it knows of open files is from later */
        jvm_files_forget_open();
        began = 0;
    }
    status = jvm_files_put_back(in, began, happened, undone, err);
    ebb_recording_free(in);
    return status;
}

ebb_status jvm_branch(ebb_buf *undone, ebb_error *err)
{
    ebb_status status = check_possible(err);
    if (status == EBB_OK)
        status = put_files_back(undone, err);
    if (status == EBB_OK)
        status = jvm_log_cut(err);
    if (status != EBB_OK)
        return status;
    jvm_files_reopen(undone);
    take_standard_streams(undone);
    jvm_outside_forget_peeked();
    jvm_replays_copy_no_more();
    jvm_history = JVM_RECORDING;
    jvm_recorded_pid = getpid();
    return EBB_OK;
}
