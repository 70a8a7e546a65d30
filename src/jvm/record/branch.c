/* branch.c - when the Java machine can go live from its past, and what it is then (time/branch.h has the order). */
#include "jvm/record/record.h"

#include "jvm/heap/jstring.h"
#include "jvm/record/files.h"
#include "jvm/natives/natives.h"
#include "jvm/record/internal.h"
#include "jvm/jvm.h"
#include "time/branch.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Libraries whose loading was replayed: they are not in this process. */
static EBB_VEC(char *) loads;

/* load(NativeLibraryImpl library, String path, ...) */
void jvm_branch_note_load(const jvm_slot *args)
{
    if (args[1].a != NULL)
        ebb_vec_push(&loads, jvm_string_utf8(args[1].a));
}

/* The standard streams that are files: nobody waits for those to be closed, so a copy may hold them.  -1: not kept. */
static int streams[3] = {-1, -1, -1};
static bool has_streams;

void jvm_branch_keep_streams(void)
{
    enum { HIGH = 600 }; /* out of the way of descriptors that the program had */
    struct stat st;
    for (int fd = 0; !has_streams && fd < 3; fd++)
        streams[fd] = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? fcntl(fd, F_DUPFD_CLOEXEC, HIGH) : -1;
    has_streams = true;
}

bool jvm_branch_keeps(int fd)
{
    return fd >= 0 && (fd == streams[0] || fd == streams[1] || fd == streams[2]);
}

static void forget_streams(void)
{
    for (int fd = 0; fd < 3; fd++)
        streams[fd] = -1;
    has_streams = false;
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

ebb_status jvm_branch(ebb_buf *lost, ebb_error *err)
{
    EBB_TRY(check_possible(err));
    ebb_branch branch = {
        .journal = jvm_files_journal(),
        .replay = jvm_log_replay(),
        .rec = jvm_log_recorder(),
        .now = jvm_time(),
        .began = jvm_replay_began,
        .streams = {streams[0], streams[1], streams[2]},
        .streams_of = {jvm_recorded_pid, jvm_starter_pid},
    };
    EBB_TRY(ebb_branch_go_live(&branch, lost, err));
    forget_streams();
    jvm_log_went_live();
    jvm_outside_forget_peeked();
    jvm_replays_copy_no_more();
    jvm_history = JVM_RECORDING;
    jvm_recorded_pid = getpid();
    jvm_signals_go_live();
    return EBB_OK;
}
