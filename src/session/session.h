/* session.h - the debugger's verbs: what every front end is a skin over.
 *
 * A session debugs one program at a time.  It owns the machine, its timeline, the symbols, the
 * breakpoints, the displays, the printed values and the settings, and it has a *selection*: the thread
 * and frame that questions are about.  A front end parses what its user wants, calls a verb, and shows
 * the structs that come back; it holds no debugger state of its own.
 *
 * SE1  a verb that fails changes nothing that the user can see, except that a failing move leaves the
 *      debuggee where it got to;
 * SE2  after every move the selection is the innermost frame of the thread that the stop is about;
 * SE3  whatever is borrowed from a session (frames, breakpoints, stops) is good until the next move;
 * SE4  nothing here prints: what happens during a move reaches the front end as notices. */
#ifndef EBB_SESSION_SESSION_H
#define EBB_SESSION_SESSION_H

#include "base/error.h"
#include "expr/expr.h"
#include "machine/machine.h"
#include "symbols/symbols.h"
#include "time/timeline.h"

typedef struct session session;

/* ---- notices: what is worth saying while the debuggee runs ------------------------------------ */

#define SES_NOTICES(X)                                                                             \
    X(SES_NOTICE_THREAD_START, "thread-started")                                                   \
    X(SES_NOTICE_THREAD_END, "thread-ended")                                                       \
    X(SES_NOTICE_SIGNAL, "signal")           /* printed but not stopped on */                      \
    X(SES_NOTICE_FORK, "fork")               /* the child was let go, or followed */               \
    X(SES_NOTICE_EXEC, "exec")               /* the program is another one now */                  \
    X(SES_NOTICE_MODULE, "module")           /* a module's symbols could not be read well */       \
    X(SES_NOTICE_BREAKPOINT, "breakpoint")   /* a pending one found its place, a watched scope ended */ \
    X(SES_NOTICE_PRINTED, "printed")         /* what a dprintf prints */                             \
    X(SES_NOTICE_STEP, "step")               /* a step will be longer than a line */               \
    X(SES_NOTICE_WARNING, "warning")

typedef enum ses_notice_kind {
#define X(name, word) name,
    SES_NOTICES(X)
#undef X
} ses_notice_kind;

typedef struct ses_notice {
    ses_notice_kind kind;
    const char *text; /* one line for a person */
    machine_tid thread; /* 0 if it is about none */
} ses_notice;
const char *ses_notice_word(ses_notice_kind kind);

typedef struct ses_listener {
    void *self;
    void (*notice)(void *self, const ses_notice *notice);
    /* The debuggee is about to run / has stopped: the front end's chance to leave and retake the
     * terminal.  Either may be NULL. */
    void (*resuming)(void *self);
    void (*stopped)(void *self);
} ses_listener;

/* ---- lifetime --------------------------------------------------------------------------------- */

session *ses_new(const ses_listener *listener);
void ses_free(session *s); /* ends what was started, detaches from what was attached */

/* What `start` and `run` begin.  The file is checked now (missing, a script, 32-bit, corrupt: one
 * clear line), its symbols can be asked for before it runs.  args[0] is the program itself. */
ebb_status ses_set_program(session *s, char *const *args, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_set_args(session *s, const char *shell_words, ebb_error *err) EBB_MUST_CHECK; /* `set args` */
const char *ses_get_program(const session *s); /* path; NULL if none */

/* What some programs have and others don't: whoever serves a session asks for that, and not for the language. */
typedef enum ses_trait {
    SES_HAS_ADDRESSES,  /* code and data are known by addresses: memory can be read there, and execution go on there */
    SES_THROWS_OBJECTS, /* what is thrown has a class and a message, "java.lang.Error: why", and is $_exception */
    SES_NAMES_BY_FILE,  /* code names what it calls as its class file does: "java/lang/Math.max" */
    SES_SPEAKS_JDWP,    /* debuggers that speak it can be served */
} ses_trait;
bool ses_has_trait(const session *s, ses_trait trait); /* of the program; as long as there is none, as a native one */

char *ses_args_text(const session *s);         /* shell-quoted, without args[0]; caller frees */

/* `set environment`, `unset environment` (NULL: all of it), `show environment` (NULL: all of it). */
void ses_environment_set(session *s, const char *name, const char *value);
void ses_environment_unset(session *s, const char *name);
void ses_environment_list(session *s, const char *name, ebb_buf *text);

/* Async-signal-safe: ends the running move, or the running long query, soon. */
void ses_interrupt(session *s);
/* What came before is not meant for the verb that comes: a front end calls this when it begins to carry out a command, before it says anything of it. */
void ses_forget_interrupts(session *s);
/* As ses_interrupt, and nobody will want to go on: what is under way need not go back to where it began. */
void ses_end_soon(session *s);

typedef enum ses_state { SES_NO_PROGRAM, SES_NOT_STARTED, SES_STOPPED, SES_ENDED } ses_state;
ses_state ses_get_state(const session *s);
bool ses_was_attached(const session *s);
pid_t ses_get_pid(const session *s); /* the program's own, also in the past; 0 if it isn't running */
pid_t ses_get_process(const session *s); /* that stands where the program is now: in the past a copy of it */
machine *ses_get_machine(session *s); /* NULL if it isn't running; for reading only: T3 */
sym_table *ses_get_symbols(session *s);
int ses_get_exit_code(const session *s); /* of the last debuggee that exited: $_exitcode; -1 if none */

/* ---- stops ------------------------------------------------------------------------------------ */

#define SES_STOPS(X)                                                                               \
    X(SES_STOP_STARTED, "started")                                                                 \
    X(SES_STOP_ATTACHED, "attached")                                                               \
    X(SES_STOP_CORE, "core")                    /* a core file was opened: where it died */        \
    X(SES_STOP_BREAKPOINT, "breakpoint")                                                           \
    X(SES_STOP_WATCHPOINT, "watchpoint")                                                           \
    X(SES_STOP_WATCH_SCOPE, "watchpoint-scope") /* the frame a watch was set in is gone */         \
    X(SES_STOP_CATCH, "catchpoint")                                                                \
    X(SES_STOP_UNCAUGHT, "uncaught")            /* an exception that nobody will catch */          \
    X(SES_STOP_POSITION, "position")            /* break POSITION, goto */                         \
    X(SES_STOP_STEP, "step")                    /* step, next, stepi, ... are done */              \
    X(SES_STOP_FINISHED, "finished")            /* finish: the frame returned */                   \
    X(SES_STOP_LOCATION, "location-reached")    /* until, advance */                               \
    X(SES_STOP_SIGNAL, "signal")                                                                   \
    X(SES_STOP_TRAP, "trap")                                                                       \
    X(SES_STOP_INTERRUPTED, "interrupted")                                                         \
    X(SES_STOP_EXEC, "exec")                                                                       \
    X(SES_STOP_EXITED, "exited")                                                                   \
    X(SES_STOP_KILLED, "killed")                                                                   \
    X(SES_STOP_HISTORY_START, "history-start")                                                     \
    X(SES_STOP_HISTORY_END, "history-end")

typedef enum ses_stop_kind {
#define X(name, word) name,
    SES_STOPS(X)
#undef X
} ses_stop_kind;
const char *ses_stop_word(ses_stop_kind kind);

enum { SES_STOP_MAX_BREAKPOINTS = 8 };

/* What one watchpoint saw; the texts are owned by the stop. */
typedef struct ses_watch_told {
    int number;
    char *text; /* the expression */
    char *old_value, *new_value; /* printed; NULL where there is none */
} ses_watch_told;

typedef struct ses_stop {
    ses_stop_kind kind;
    machine_stop machine; /* the machine's own account */
    machine_tid thread;
    bool thread_changed;  /* another thread than the one that was moved */
    int breakpoints[SES_STOP_MAX_BREAKPOINTS]; /* BREAKPOINT, WATCHPOINT, CATCH: their numbers */
    bool breakpoint_was_temporary[SES_STOP_MAX_BREAKPOINTS];
    unsigned breakpoint_location[SES_STOP_MAX_BREAKPOINTS]; /* which of several was reached, from 1; 0: it has one */
    size_t n_breakpoints;
    int watch_number;       /* WATCHPOINT, WATCH_SCOPE: whose texts these are; 0: a query's */
    char *watch_text;       /* WATCHPOINT: the expression; owned by the session, SE3 */
    char *old_value, *new_value; /* WATCHPOINT: printed; NULL where there is none */
    EBB_VEC(ses_watch_told) more_watches; /* WATCHPOINT: others that stop here, too */
    char *return_value;     /* FINISHED: printed; NULL if void or unknown */
    int return_number;     /* FINISHED: its $N among the printed values; 0 if none */
    char *complaint;        /* why a condition could not be tested here, while that is still to be said; NULL: nothing is */
    char *catch_text;       /* CATCH, UNCAUGHT: "call to syscall write", "forked process 123", ... */
    bool thread_began;      /* HISTORY_START: only the thread's own begins here */
    bool mid_line;          /* the place isn't the beginning of a statement: show the address */
    bool same_frame;        /* STEP: still in the call where it began: the source line says enough */
} ses_stop;

/* ---- beginning and ending --------------------------------------------------------------------- */

ebb_status ses_start(session *s, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK; /* stop at main */
ebb_status ses_starti(session *s, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK; /* at the first instruction */
ebb_status ses_run(session *s, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK; /* to the first stop */
ebb_status ses_attach(session *s, pid_t pid, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_detach(session *s, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_kill(session *s, ebb_error *err) EBB_MUST_CHECK;

/* How the program is executed.  Either can be changed at any stop; a run begins in the one that is set. */
typedef enum ses_mode {
    SES_MODE_NATIVE, /* on the CPU itself */
    SES_MODE_VM,     /* translated inside the debuggee, which counts time: positions mean something */
} ses_mode;
void ses_set_mode(session *s, ses_mode mode);
ses_mode ses_get_mode(const session *s);

/* ---- moving -----------------------------------------------------------------------------------
 * A move ends early at breakpoints, watchpoints, catchpoints, signals that stop, Ctrl-C and the end of
 * the program. */

ebb_status ses_continue(session *s, unsigned ignore_next, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;
typedef enum ses_step_kind {
    SES_STEP_LINE, /* step: into functions that have lines */
    SES_NEXT_LINE, /* next: over calls */
    SES_STEP_INSN, /* stepi */
    SES_NEXT_INSN, /* nexti */
} ses_step_kind;
ebb_status ses_step(session *s, ses_step_kind kind, unsigned count, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_finish(session *s, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_until(session *s, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK; /* next, but never back in a loop */
ebb_status ses_advance(session *s, const char *where, bool stay_in_frame, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK; /* advance WHERE; until WHERE */
ebb_status ses_jump(session *s, const char *where, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_return_from(session *s, const char *expression, ebb_error *err) EBB_MUST_CHECK; /* pop the frame */
ebb_status ses_signal(session *s, int signal, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK; /* continue with it; 0: none */

/* Back: the same moments in reverse order (back/back.h).  EBB_NO_HISTORY where the machine keeps none. */
ebb_status ses_continue_back(session *s, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_step_back(session *s, ses_step_kind kind, unsigned count, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_finish_back(session *s, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK; /* to the call that made the selected frame */

/* The present position, "TIMESTAMP@LOCATION"; caller frees. */
ebb_status ses_when(session *s, bool to_instruction, char **text, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_goto(session *s, const char *position, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;

#endif
