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

static int open_stream_of(pid_t pid, int fd)
{
    static const int modes[] = {O_RDONLY, O_WRONLY, O_WRONLY};
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)pid, fd);
    return open(path, modes[fd] | O_NOCTTY | O_CLOEXEC);
}

/* Of the process that was recorded, or else of the one that started it.  A file that is opened again has a position of its own, so the program would
 * write over what it and others wrote by now; the stream itself is better. */
static void take_stream(int fd, ebb_buf *lost)
{
    int own = streams[fd] >= 0 ? dup(streams[fd]) : open_stream_of(jvm_recorded_pid, fd);
    if (own < 0)
        own = open_stream_of(jvm_starter_pid, fd);
    if (own < 0 || dup2(own, fd) < 0)
        ebb_buf_addf(lost, "standard stream %d could not be opened again\n", fd);
    if (own >= 0)
        close(own);
}

static void take_streams(const ebb_journal *journal, ebb_buf *lost)
{
    for (int fd = 0; fd < 3; fd++)
        if (!ebb_journal_is_open(journal, fd))
            take_stream(fd, lost);
    for (int fd = 0; fd < 3; fd++)
        if (streams[fd] >= 0)
            close(streams[fd]);
    forget_streams();
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

static ebb_status prepare(void *self, ebb_branch_from *from, ebb_error *err)
{
    EBB_TRY(check_possible(err));
    *from = (ebb_branch_from){ebb_recorder_get_fd(jvm_log_recorder()), jvm_replay_began, ebb_replay_get_happened(jvm_log_replay())};
    return EBB_OK;
}

static ebb_status cut(void *self, ebb_error *err)
{
    return ebb_replay_cut(jvm_log_replay(), jvm_log_recorder(), jvm_time(), err);
}

static ebb_status take_up(void *self, ebb_buf *lost, ebb_error *err)
{
    ebb_journal *journal = jvm_files_journal();
    ebb_replay_free(jvm_log_replay()); /* LV3 */
    jvm_log_went_live();
    ebb_journal_reopen(journal, lost);
    take_streams(journal, lost);
    jvm_outside_forget_peeked();
    jvm_replays_copy_no_more();
    jvm_history = JVM_RECORDING;
    jvm_recorded_pid = getpid();
    jvm_signals_go_live();
    return EBB_OK;
}

ebb_status jvm_branch(ebb_buf *lost, ebb_error *err)
{
    static const ebb_branch_hooks hooks = {prepare, cut, take_up};
    ebb_branch branch = {.hooks = &hooks, .journal = jvm_files_journal()};
    return ebb_branch_go_live(&branch, lost, err);
}
