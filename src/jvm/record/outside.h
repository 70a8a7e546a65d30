/* outside.h - the machine's own questions to the operating system.
 *
 * Inner natives (border/native.h) and the scheduler run again in replay.  What they ask of the system goes
 * through here: asked and logged while recording, answered from the log in replay.
 *
 *     int64_t n = JVM_OUTSIDE(FD_READY, poll(&p, 1, 0));    the expression is not evaluated in replay
 *
 * OS1  what only changes the outside and tells nothing back is left out in replay: `if (!jvm_is_replaying()) ...`;
 * OS2  failures come back as -errno, for errno itself is not logged;
 * OS3  while a recorded native runs (record.h) nothing is logged: what it is told shows in what it does. */
#ifndef EBB_JVM_RECORD_OUTSIDE_H
#define EBB_JVM_RECORD_OUTSIDE_H

#include "jvm/record/record.h"

#include <stdio.h>

enum jvm_outside {
#define JVM_OUTSIDE_KIND(name, text) JVM_OUTSIDE_##name,
#include "jvm/record/outside.def"
#undef JVM_OUTSIDE_KIND
    JVM_NOUTSIDE,
};

/* True: the answer comes from the log.  False: ask, then log. */
bool jvm_outside_is_logged(enum jvm_outside what);
int64_t jvm_outside_take(enum jvm_outside what);                /* the logged answer */
int64_t jvm_outside_note(enum jvm_outside what, int64_t value); /* logs it; the value itself */

#define JVM_OUTSIDE(what, expr)                                                                    \
    (jvm_outside_is_logged(JVM_OUTSIDE_##what) ? jvm_outside_take(JVM_OUTSIDE_##what)              \
                                               : jvm_outside_note(JVM_OUTSIDE_##what, (int64_t)(expr)))

/* A result and what it brought: `n` bytes at `bytes` are logged, or filled in, when it is positive. */
int64_t jvm_outside_take_bytes(enum jvm_outside what, void *bytes, size_t max);
void *jvm_outside_take_copy(enum jvm_outside what, size_t *nbytes); /* however many; caller frees; NULL: it failed */
int64_t jvm_outside_note_bytes(enum jvm_outside what, const void *bytes, int64_t n);

int64_t jvm_outside_read(int fd, void *bytes, size_t nbytes);        /* read(2), or -errno */
int64_t jvm_outside_write(int fd, const void *bytes, size_t nbytes); /* write(2), or -errno */
char *jvm_outside_getenv(const char *name);                          /* caller frees; NULL: not set */

/* Standard error for the machine's own words: NULL in replay, which shows nothing. */
void jvm_outside_print(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* In a copy of the process: others must not notice that it holds the ends of pipes and connections that the program
 * closes.  They become /dev/null, all but `keep`; files stay. */
void jvm_outside_let_go(int keep);

/* ---- wake-ups (threads/scheduler.c) ---- */

/* What a look outside found: threads to wake, in order. */
typedef struct jvm_wake {
    uint32_t thread;  /* id */
    bool timed_out;
} jvm_wake;

/* Every look outside calls one of these first: true and *n wakes in replay, false when it has to look itself.
 * must_wait: nobody can run, so that looks without a wake-up lead to one. */
bool jvm_outside_wakes_are_logged(bool must_wait, const jvm_wake **wakes, size_t *n);
void jvm_outside_note_wakes(const jvm_wake *wakes, size_t n);
/* A quantum ended and others could run: does the thread go on all the same, because the user wanted it so? */
bool jvm_outside_keeps_thread(bool wanted);

#endif
