/* natives/attach.c - the door by which jstack, jcmd, jmap and jinfo come in, as HotSpot has it.
 *
 * A tool that finds no socket /tmp/.java_pidN makes a file .attach_pidN, in the program's folder or in /tmp, and sends SIGQUIT.
 * The dispatcher of signals (signal.c) then opens the socket, and from then on waits for both: its pipe and who knocks.  Who is let
 * in says "1", an operation and three arguments, each with a NUL after it, and is told a number, a line feed and text.
 *
 * AT1  only the live program has the door; replay takes what tools said from the recording, and answers nobody (OS1);
 * AT2  only the same user, or root, is let in. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/text.h"
#include "jvm/engine/invoke.h"
#include "jvm/natives/diagnose.h"
#include "jvm/natives/natives.h"
#include "jvm/record/outside.h"
#include "jvm/threads/thread_dump.h"
#include "jvm/undo/keep.h"

enum { PATH_NBYTES = 64 };

static struct door {
    int listener, gathered; /* the socket; what waits for it and for signals */
    pid_t owner;            /* copies of the process don't take the socket's file away */
} door = { -1, -1, 0 };

static void socket_path(pid_t pid, char *path, size_t nbytes) { snprintf(path, nbytes, "/tmp/.java_pid%d", (int)pid); }

/* ---- opening ---- */

static bool asks(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && (st.st_uid == geteuid() || st.st_uid == 0);
}

static bool is_asked(void)
{
    char here[PATH_NBYTES], there[PATH_NBYTES];
    snprintf(here, sizeof here, ".attach_pid%d", (int)getpid());
    snprintf(there, sizeof there, "/tmp/.attach_pid%d", (int)getpid());
    return asks(here) || asks(there);
}

bool jvm_attach_is_asked(void) { return JVM_OUTSIDE(FILE, is_asked()) != 0; }

void jvm_attach_close(void)
{
    char path[PATH_NBYTES];
    if (door.listener < 0 || door.owner != getpid() || jvm_is_replaying())
        return;
    socket_path(door.owner, path, sizeof path);
    unlink(path);
}

void jvm_attach_forget(void) { door = (struct door){ -1, -1, 0 }; }

/* Under another name first: who finds the socket can come in. */
static bool bind_to(int fd, const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int n = snprintf(address.sun_path, sizeof address.sun_path, "%s.tmp", path);
    if (n < 0 || (size_t)n >= sizeof address.sun_path)
        return false;
    unlink(address.sun_path);
    enum { AT_ONCE = 5 };
    return bind(fd, (const struct sockaddr *)&address, sizeof address) == 0 && chmod(address.sun_path, S_IRUSR | S_IWUSR) == 0 &&
           listen(fd, AT_ONCE) == 0 && rename(address.sun_path, path) == 0;
}

static int listen_to_tools(void)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    char path[PATH_NBYTES];
    socket_path(getpid(), path, sizeof path);
    if (fd >= 0 && !bind_to(fd, path)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static int gather(int a, int b)
{
    int fd = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = { .events = EPOLLIN };
    if (fd >= 0 && (epoll_ctl(fd, EPOLL_CTL_ADD, a, &event) != 0 || epoll_ctl(fd, EPOLL_CTL_ADD, b, &event) != 0)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

void jvm_attach_open(int arrivals)
{
    static bool at_exit;
    if (door.listener >= 0)
        return;
    jvm_undo_cut("a tool that attached");
    door.listener = (int)JVM_OUTSIDE(FD_NEW, listen_to_tools());
    door.gathered = door.listener < 0 ? -1 : (int)JVM_OUTSIDE(FD_NEW, gather(arrivals, door.listener));
    door.owner = getpid();
    if (!at_exit)
        at_exit = atexit(jvm_attach_close) == 0;
}

int jvm_attach_waits_for(int arrivals) { return door.gathered < 0 ? arrivals : door.gathered; }

/* ---- a visit ---- */

enum { WORDS = 5, MOST_BYTES = 16384, PATIENCE_MS = 10000, BAD_VERSION = 101 };

typedef struct visit {
    int fd;
    ebb_buf said; /* WORDS texts, each with its NUL */
} visit;

static int accept_friend(void)
{
    int fd = accept4(door.listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    struct ucred who;
    socklen_t n = sizeof who;
    if (fd >= 0 && (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n) != 0 || (who.uid != geteuid() && who.uid != 0))) { /* AT2 */
        close(fd);
        fd = -1;
    }
    return fd;
}

static size_t words_in(const ebb_buf *said)
{
    size_t n = 0;
    for (size_t i = 0; i < said->n; i++)
        n += said->data[i] == '\0';
    return n;
}

static bool hear(jvm_thread *t, visit *v)
{
    char some[512];
    while (words_in(&v->said) < WORDS && v->said.n < MOST_BYTES) {
        int64_t n = -EAGAIN;
        if (jvm_wait_fd(t, v->fd, POLLIN, PATIENCE_MS))
            n = jvm_outside_read(v->fd, some, sizeof some);
        if (n <= 0)
            return false;
        ebb_buf_add(&v->said, some, (size_t)n);
    }
    return words_in(&v->said) >= WORDS;
}

static const char *word(const visit *v, unsigned k)
{
    const char *at = v->said.data;
    while (k-- > 0)
        at += strlen(at) + 1;
    return at;
}

static void tell(jvm_thread *t, const visit *v, const ebb_buf *text)
{
    for (size_t at = 0; at < text->n;) {
        int64_t n = -EAGAIN;
        if (jvm_wait_fd(t, v->fd, POLLOUT, PATIENCE_MS))
            n = jvm_outside_write(v->fd, text->data + at, text->n - at);
        if (n <= 0)
            return;
        at += (size_t)n;
    }
}

/* ---- operations ---- */

static bool ask(jvm_thread *t, const char *question, const char *arguments, ebb_buf *out)
{
    ebb_buf line = { 0 };
    ebb_buf_addf(&line, "%s %s", question, arguments);
    bool ok = jvm_diagnose(t, ebb_buf_text(&line), out);
    ebb_buf_fini(&line);
    return ok;
}

/* Where the tool wants the text to be: in a file that it names, or with it. */
static bool save_to(const char *path, ebb_buf *text)
{
    FILE *file = fopen(path, "w");
    bool ok = file != NULL && fwrite(text->data, 1, text->n, file) == text->n;
    ok = (file == NULL || fclose(file) == 0) && ok;
    return ok;
}

/* inspectheap -live|-all FILE PARALLEL */
static bool inspect_heap(jvm_thread *t, const visit *v, ebb_buf *out)
{
    const char *path = word(v, 3);
    (void)ask(t, "GC.class_histogram", strcmp(word(v, 2), "-all") == 0 ? "-all" : "", out);
    if (*path == '\0')
        return true;
    bool ok = JVM_OUTSIDE(FILE, save_to(path, out)) != 0;
    ebb_buf_truncate(out, 0);
    ebb_buf_addf(out, ok ? "Heap inspection file created: %s\n" : "Failed to open file: %s\n", path);
    return ok;
}

static bool serve(jvm_thread *t, const visit *v, ebb_buf *out)
{
    const char *operation = word(v, 1), *argument = word(v, 2);
    if (strcmp(operation, "jcmd") == 0)
        return jvm_diagnose(t, argument, out);
    if (strcmp(operation, "threaddump") == 0)
        return ask(t, "Thread.print", strchr(argument, 'l') != NULL ? "-l" : "", out); /* "-l", "-e" or both in one word */
    if (strcmp(operation, "inspectheap") == 0)
        return inspect_heap(t, v, out);
    if (strcmp(operation, "properties") == 0)
        return ask(t, "VM.system_properties", "", out);
    if (strcmp(operation, "agentProperties") == 0)
        return jvm_diagnose_agent_properties(t, out);
    if (strcmp(operation, "printflag") == 0)
        return jvm_diagnose_flag(argument, out);
    ebb_buf_addf(out, "Operation %s is not supported by ebb VM\n", operation);
    return false;
}

static void answer(jvm_thread *t, const visit *v)
{
    ebb_buf text = { 0 }, whole = { 0 };
    bool understood = strcmp(word(v, 0), "1") == 0, ok = understood && serve(t, v, &text);
    if (jvm_pending(t)) {
        ebb_buf_truncate(&text, 0);
        ebb_buf_adds(&text, "An exception was thrown while the answer was made\n");
        t->exception = NULL;
        ok = false;
    }
    ebb_buf_addf(&whole, "%d\n", !understood ? BAD_VERSION : ok ? 0 : -1);
    ebb_buf_add(&whole, ebb_buf_text(&text), text.n);
    tell(t, v, &whole);
    ebb_buf_fini(&text);
    ebb_buf_fini(&whole);
}

void jvm_attach_serve(jvm_thread *t)
{
    visit v = { .fd = door.listener < 0 ? -1 : (int)JVM_OUTSIDE(FD_NEW, accept_friend()) };
    if (v.fd < 0)
        return;
    jvm_undo_cut("a tool that attached");
    if (hear(t, &v))
        answer(t, &v);
    if (!jvm_is_replaying())
        close(v.fd);
    ebb_buf_fini(&v.said);
    jvm_undo_cut("a tool that attached"); /* memory of the visit is gone now */
}
