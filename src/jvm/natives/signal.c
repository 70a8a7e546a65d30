/* natives/signal.c - signals that Java code handles (jdk.internal.misc.Signal).
 *
 * A handler may do next to nothing: ours writes the signal's number to a pipe.  The Java thread "Signal
 * Dispatcher" waits for that pipe like for any other descriptor and calls Signal.dispatch, which
 * starts a thread per signal.  So a signal reaches Java only where the scheduler looks outside. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "jvm/agent/agent.h"
#include "jvm/border/exports.h"
#include "jvm/engine/invoke.h"
#include "jvm/heap/jstring.h"
#include "jvm/natives/diagnose.h"
#include "jvm/natives/natives.h"
#include "jvm/record/outside.h"

enum { HANDLER_DEFAULT = 0, HANDLER_IGNORE = 1, HANDLER_JAVA = 2, HANDLER_REFUSED = -1 };

static int arrivals[2] = { -1, -1 }; /* pipe: read end, write end */

/* A key on the terminal that ebb and the program share: who is debugged leaves it to ebb. */
static bool is_for_debugger(int signo, const siginfo_t *info)
{
    return signo == SIGINT && info->si_code == SI_KERNEL && jvm_agent_on && kill(jvm_agent_debugger(), SIGINT) == 0;
}

static void on_signal(int signo, siginfo_t *info, void *context)
{
    int saved = errno;
    if (is_for_debugger(signo, info)) {
        errno = saved;
        return;
    }
    unsigned char byte = (unsigned char)signo;
    ssize_t n = write(arrivals[1], &byte, 1);
    (void)n; /* a full pipe means that the same news is on its way already */
    errno = saved;
}

/* A reader that is gone, a file that is too large: Java hears of both by the error of its call.  A handler that does
 * nothing, as programs that we start get the default back. */
static void on_failed_write(int signo) { }

void jvm_signals_init(void)
{
    struct sigaction action = { .sa_handler = on_failed_write, .sa_flags = SA_RESTART };
    (void)sigaction(SIGPIPE, &action, NULL);
    (void)sigaction(SIGXFSZ, &action, NULL);
}

/* ---- the dispatcher ---- */

/* A class of our own, as a class file: final class SignalDispatcher extends Thread { public native void run(); } */
static const uint8_t dispatcher_class[] = {
    0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 61, 0, 7,
    7, 0, 2, 1, 0, 34, 'j', 'd', 'k', '/', 'i', 'n', 't', 'e', 'r', 'n', 'a', 'l', '/', 'm', 'i', 's', 'c', '/', 'S', 'i',
    'g', 'n', 'a', 'l', 'D', 'i', 's', 'p', 'a', 't', 'c', 'h', 'e', 'r',
    7, 0, 4, 1, 0, 16, 'j', 'a', 'v', 'a', '/', 'l', 'a', 'n', 'g', '/', 'T', 'h', 'r', 'e', 'a', 'd',
    1, 0, 3, 'r', 'u', 'n', 1, 0, 3, '(', ')', 'V',
    0x10, 0x30, 0, 1, 0, 3, 0, 0, 0, 0, /* final super synthetic; no interfaces, no fields */
    0, 1, 0x01, 0x01, 0, 5, 0, 6, 0, 0, /* one method: public native run()V */
    0, 0,
};

static void dispatch(jvm_thread *t, int signo)
{
    if (signo != SIGQUIT)
        jvm_callv(t, jvm.methods.Signal_dispatch, signo);
    else if (jvm_attach_is_asked())
        jvm_attach_open(arrivals[0]);
    else
        JVM_DumpAllStacks((JNIEnv *)t, NULL);
    t->exception = NULL;
}

/* SignalDispatcher.run: never returns; the thread is a daemon. */
static jvm_slot dispatcher_run(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    for (;;) {
        unsigned char signo;
        if (!jvm_wait_fd(t, jvm_attach_waits_for(arrivals[0]), POLLIN, -1))
            continue;
        if (jvm_outside_read(arrivals[0], &signo, 1) == 1)
            dispatch(t, signo);
        jvm_attach_serve(t);
    }
    return jvm_nothing();
}

/* -Xrs: signals are left to whoever embeds the machine. */
static bool signals_are_reduced(void) { return jvm.options.reduced_signals; }

/* SIGQUIT asks for a thread dump. */
static void take_sigquit(void)
{
    struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_RESTART | SA_SIGINFO };
    if (!signals_are_reduced() && !jvm_is_replaying())
        (void)sigaction(SIGQUIT, &action, NULL);
}

static jvm_obj *system_group(const jvm_thread *t)
{
    jvm_obj *group = jvm_get_ref(t->object, jvm.fields.Thread_group);
    for (jvm_obj *parent = group; parent != NULL; parent = jvm_get_ref(group, jvm.fields.ThreadGroup_parent))
        group = parent;
    return group;
}

static bool start_dispatcher(jvm_thread *t)
{
    static bool started;
    if (started)
        return true;
    int64_t error = JVM_OUTSIDE(FD_NEW, pipe2(arrivals, O_CLOEXEC | O_NONBLOCK) != 0 ? errno : 0);
    if (error != 0) {
        jvm_throw(t, JVM_INTERNAL_ERROR, "no pipe for signals: %s", strerror((int)error));
        return false;
    }
    jvm_define def = { .loader = jvm.boot, .bytes = dispatcher_class, .nbytes = sizeof dispatcher_class, .permanent = true };
    jvm_class *cls = jvm_define_class(t, &def);
    if (cls == NULL || !jvm_ensure_init(t, cls))
        return false;
    size_t mark = jvm_handles_mark(t);
    jvm_obj *thread = jvm_deref(jvm_local(t, jvm_new_object(t, cls)));
    if (thread != NULL)
        jvm_callv(t, jvm.methods.Thread_init, thread, system_group(t), jvm_string_new(t, "Signal Dispatcher"));
    if (!jvm_pending(t)) {
        jvm_put_u8(thread, jvm.fields.Thread_daemon, true);
        started = jvm_thread_start(t, thread, 0);
        take_sigquit();
    }
    jvm_handles_release(t, mark);
    return started;
}

const jvm_inner_native jvm_natives_signal[] = {
    { "jdk/internal/misc/SignalDispatcher", "run", "()V", dispatcher_run, JVM_NATIVE_BLOCKS },
    { NULL },
};

/* ---- what Signal asks ---- */

JVM_EXPORT(jint, JVM_FindSignal, const char *name)
{
    for (int signo = 1; signo < NSIG; signo++) {
        const char *abbreviation = sigabbrev_np(signo);
        if (abbreviation != NULL && strcmp(abbreviation, name) == 0)
            return signo;
    }
    return -1;
}

/* The machine itself answers these, or nobody can. */
static bool is_reserved(int signo)
{
    return signo == SIGFPE || signo == SIGILL || signo == SIGSEGV || signo == SIGBUS || signo == SIGQUIT ||
           signo == SIGKILL || signo == SIGSTOP;
}

static bool has_ignoring_handler(int signo)
{
    struct sigaction old;
    return sigaction(signo, NULL, &old) == 0 && old.sa_handler == SIG_IGN;
}

static bool is_ignored(int signo) { return JVM_OUTSIDE(SIGNAL, has_ignoring_handler(signo)); }

/* What a program started in the background ignores stays ignored. */
static bool is_shutdown_signal(int signo) { return signo == SIGHUP || signo == SIGINT || signo == SIGTERM; }

static intptr_t handler_code(const struct sigaction *action)
{
    if (action->sa_flags & SA_SIGINFO && action->sa_sigaction == on_signal)
        return HANDLER_JAVA;
    return action->sa_handler == SIG_IGN ? HANDLER_IGNORE : action->sa_handler == SIG_DFL ? HANDLER_DEFAULT
                                                                                        : (intptr_t)action->sa_handler;
}

/* What the program asked for; replay asks nobody, so a copy that goes live has to do it then. */
static struct wish {
    bool is_there;
    void *handler;
} wishes[NSIG];

static void note_wish(int signo, void *handler)
{
    jvm_undo_keep(&wishes[signo], sizeof wishes[signo]);
    wishes[signo] = (struct wish){ true, handler };
}

/* The code of what was there before. */
static intptr_t set_handler(int signo, void *handler)
{
    struct sigaction action = { .sa_flags = SA_RESTART }, old;
    if (handler == (void *)HANDLER_JAVA) {
        action.sa_sigaction = on_signal;
        action.sa_flags |= SA_SIGINFO;
    } else
        action.sa_handler = handler == (void *)HANDLER_IGNORE   ? SIG_IGN
                            : handler == (void *)HANDLER_DEFAULT ? SIG_DFL
                                                                 : (void (*)(int))handler;
    sigfillset(&action.sa_mask);
    return sigaction(signo, &action, &old) != 0 ? HANDLER_REFUSED : handler_code(&old);
}

JVM_EXPORT(void *, JVM_RegisterSignal, jint signo, void *handler)
{
    if (signo <= 0 || signo >= NSIG || is_reserved(signo))
        return (void *)HANDLER_REFUSED;
    if (is_shutdown_signal(signo) && signals_are_reduced())
        return (void *)HANDLER_REFUSED;
    if (is_shutdown_signal(signo) && is_ignored(signo))
        return (void *)HANDLER_IGNORE;
    if (handler == (void *)HANDLER_JAVA && !start_dispatcher(jvm_self))
        return (void *)HANDLER_REFUSED;
    note_wish(signo, handler);
    return (void *)(intptr_t)JVM_OUTSIDE(SIGNAL, set_handler(signo, handler));
}

/* Under the numbers that the dispatcher waits for and the handler writes to. */
static void renew_pipe(void)
{
    int fresh[2];
    if (arrivals[0] < 0 || pipe2(fresh, O_CLOEXEC | O_NONBLOCK) != 0)
        return;
    for (int i = 0; i < 2; i++) {
        dup3(fresh[i], arrivals[i], O_CLOEXEC);
        close(fresh[i]);
    }
}

void jvm_signals_go_live(void)
{
    renew_pipe();
    for (int signo = 1; signo < NSIG; signo++)
        if (wishes[signo].is_there)
            (void)set_handler(signo, wishes[signo].handler);
    if (arrivals[0] >= 0)
        take_sigquit();
    jvm_attach_forget();
}

JVM_EXPORT(jboolean, JVM_RaiseSignal, jint signo)
{
    if (is_shutdown_signal(signo) && (is_ignored(signo) || signals_are_reduced()))
        return JNI_FALSE;
    return JVM_OUTSIDE(SIGNAL, raise(signo)) == 0;
}
