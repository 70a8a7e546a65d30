/* ear.h - hears the client and the debuggee's output while the session is at work.
 *
 * The session works on the main thread, which can't listen meanwhile.  So one more thread reads both: requests go into a queue,
 * from which the main thread takes them one by one; what the debuggee writes goes to the client at once.  A request that ends
 * or enters what is under way (requests.def) makes the thread send SIGINT to the main thread, which is all that Ctrl-C does at the prompt.
 *
 * EA1  a request is answered by the main thread, in the order of arrival, unless it was cancelled before it was taken;
 * EA2  messages to the client are whole, whoever says them;
 * EA3  SIGINT is sent again until the main thread has heard it: one that comes between two moves is not enough;
 * EA4  all signals are blocked in the thread: those of the debuggee are the main thread's to wait for. */
#ifndef EBB_FRONT_DAP_EAR_H
#define EBB_FRONT_DAP_EAR_H

#include <jansson.h>
#include <stdbool.h>

typedef enum dap_heard { DAP_HEARD_WAIT, DAP_HEARD_ENTER, DAP_HEARD_END } dap_heard;

typedef struct dap_ear dap_ear;

typedef struct dap_ear_ends {
    int in, out;           /* the client's */
    int stdout_, stderr_;  /* to read what the debuggee writes; -1: not known */
    int complaints;        /* what is wrong with the client is said here */
} dap_ear_ends;

/* The thread begins; it owns none of the descriptors.  NULL: it could not. */
dap_ear *dap_ear_new(const dap_ear_ends *ends);
void dap_ear_free(dap_ear *ear); /* ends the thread; says what is left of the debuggee's output */

/* Waits for the next request; the caller's.  NULL: the client is gone. */
json_t *dap_ear_next(dap_ear *ear);
/* While a move that can be taken up again is under way: a request that enters; NULL: there is none, or one that ends. */
json_t *dap_ear_next_to_enter(dap_ear *ear);
/* What is under way can be stopped for a request that enters, and be taken up again. */
void dap_ear_may_enter(dap_ear *ear, bool may);

/* To the client; takes the message and gives it its number. */
void dap_ear_say(dap_ear *ear, json_t *taken);
void dap_ear_say_output(dap_ear *ear, const char *category, const char *bytes, size_t nbytes);
/* Whatever the debuggee wrote so far is said before what comes next; `all`: it has ended, and nothing will come later. */
void dap_ear_drain(dap_ear *ear, bool all);

#endif
