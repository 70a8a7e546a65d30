/* signals.h - the signals that ebb itself gets.
 *
 * SIGINT ends what the session is at (a move, a long query), or, when it is at nothing, what the
 * conversation is at (a script, a line being typed).  SIGTERM and SIGHUP do that too, and ebb ends: the
 * debuggee goes with it, and ebb then dies of the signal, so that its parent sees why.
 *
 * SG1  the handlers set flags, call ses_interrupt and wake cli_signal_wait, and nothing else; no signal
 *      is lost between looking at a flag and waiting;
 * SG2  no disposition is left ignored, since exec would hand that on to the debuggee. */
#ifndef EBB_FRONT_CLI_SIGNALS_H
#define EBB_FRONT_CLI_SIGNALS_H

#include "session/session.h"

void cli_signals_install(session *s);
void cli_signals_forget(void); /* the session is about to be freed */

/* The session is (not) at work for us: only then SIGINT goes to it.  True: one came while it was, perhaps too late to end the work. */
bool cli_signals_busy(bool busy);
bool cli_signal_interrupted(void); /* since it is busy: long work looks at this now and then */

/* The line editor has (not) changed the terminal's modes: only then Ctrl-Z is left to it. */
void cli_signals_editing(bool editing);

/* Waits until `fd` can be read; false if a signal of ours came first (or had come before). */
bool cli_signal_wait(int fd);

/* Somebody who is served while a person thinks.  Borrowed until it is said to be nobody (NULL). */
typedef struct cli_beside {
    void *self;
    int fd;                     /* what is listened to meanwhile; -1: nothing */
    void (*waits)(void *self);  /* waiting begins: what the person had done is done */
    void (*serve)(void *self);  /* `fd` can be read */
    void (*leaves)(void *self); /* waiting is over: a person has typed */
} cli_beside;
void cli_signals_beside(cli_beside *beside);

/* Waits until `fd` can be written to; false if ebb is to end and it can't be now. */
bool cli_signal_wait_to_write(int fd);

bool cli_signal_pending(void);      /* something came that ends a read */
bool cli_signal_take_resize(void);  /* whether the terminal changed its size; forgets it */
bool cli_signal_take_suspend(void); /* whether Ctrl-Z was left to the editor; forgets it */
bool cli_signal_take_int(void);     /* whether SIGINT came while nothing was at work; forgets it */
int cli_signal_ending(void);        /* SIGTERM, SIGHUP; 0 if none */
void cli_signal_die(int signal);    /* ends this process by that signal */

#endif
