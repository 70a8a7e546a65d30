/* schedule.h - a thread schedule: which thread runs from where to where, as a text that people and programs read and write.
 *
 * The language is that of Schuppan, Baur and Biere (JVM independent replay in Java).  One thread runs at a time; the main thread is the
 * first.  A schedule is a list of commands, one a line (commands.def).  An *event* says when: before a bytecode is executed, or in one
 * that has blocked.  The *actions* after it say what is done then: most often, that another thread goes on.  Loops repeat commands.
 *
 *     before Consumer run 9 1        # thread 2, before the bytecode at 9 of run, when it comes there first
 *     switch 3
 *
 * A place is a class, a method and an offset:
 *   class    the binary name, `a.b.C$D`; `a/b/C$D` is read, too;
 *   method   its index in the class file, as in the paper, or its name, or name and descriptor as in `get(I)V`;
 *   offset   the bytecode index, or `line:N` for the first bytecode of a line;
 *   count    how often the running thread has come to that bytecode since the last event, attempts that did not succeed included.
 * It is a place of the application.  A thread that blocks in the class library is `in` the call by which the application's innermost
 * method went there; one that blocks with no such method on its stack (a pool's worker without work) is `in none`, without more operands.
 *
 * Threads are numbered: the main thread is 0, others follow in the order in which they are started.  A `thread` command gives a number a name:
 * then the number belongs to the first thread of that name to start that is not taken yet, whatever the order, and threads of
 * the class library that the schedule does not name are left alone.
 *
 * In the message-based format each thread has commands of its own, after a `thread` line (before the first one: thread 0's), and waits
 * for messages instead of turns.
 *
 * Commands are executed one after another by the thread that runs: an event waits until that thread comes to its place, an action is done at once.
 * So actions before the first event are done when the program begins, and the commands after a `switch` are those of the thread switched to.
 *
 * SCH1  what sched_write gives is read as the same schedule;
 * SCH2  a schedule that sched_check accepts obeys the rules of order: loops nest, a loop for ever has an event in it, every command can be reached,
 *      what can be done once only is in no loop that repeats it, a thread that has died is not named again, one without a name waits only after it had a turn, and each format has its own commands only;
 * SCH3  texts of a schedule live in its arena. */
#ifndef EBB_SCHEDULE_SCHEDULE_H
#define EBB_SCHEDULE_SCHEDULE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"

#include <stdint.h>

typedef enum sched_kind {
#define SCHED_COMMAND(name, word, operands, role, help) SCHED_##name,
#include "schedule/commands.def"
#undef SCHED_COMMAND
    SCHED_NKINDS,
} sched_kind;

typedef enum sched_operands {
    SCHED_TAKES_NOTHING, SCHED_TAKES_PLACE, SCHED_TAKES_WHOM, SCHED_TAKES_WHOM_OR_NONE, SCHED_TAKES_MESSAGE, SCHED_TAKES_LOG,
    SCHED_TAKES_TIMES, SCHED_TAKES_NAME,
} sched_operands;

typedef enum sched_role { SCHED_IS_EVENT, SCHED_IS_ACTION, SCHED_IS_LAST, SCHED_IS_LOOP, SCHED_IS_HEAD } sched_role;

typedef struct sched_row {
    const char *word;
    sched_operands operands;
    sched_role role;
    const char *help;
} sched_row;
extern const sched_row sched_rows[SCHED_NKINDS];

enum { SCHED_NONE = UINT32_MAX, SCHED_MAX_THREADS = 1 << 16 };
enum { SCHED_LOG_LEVELS = 4 };
#define SCHED_FOREVER UINT64_MAX

typedef struct sched_place {
    const char *cls;       /* with dots; NULL: `none`, outside of the application */
    const char *method;    /* its name, and descriptor if that was given; NULL: by its index */
    uint32_t method_index;
    uint32_t offset;       /* the bytecode index, or the line */
    bool is_line;
} sched_place;

typedef struct sched_command {
    sched_kind kind;
    uint32_t line;      /* of the file, from 1; 0: it comes from no file */
    const char *file;   /* as the schedule's was when it was read */
    uint32_t owner;     /* message-based: the thread that executes it */
    sched_place place;  /* events */
    uint64_t count;     /* events: from 1; loopend: times, or SCHED_FOREVER; log: the level */
    uint32_t thread;    /* whom: a number, or SCHED_NONE */
    int64_t message;    /* send and receive */
    const char *text;   /* log: the message; thread: the name, NULL if none was given */
} sched_command;

typedef struct sched_schedule {
    ebb_arena arena;
    bool is_messages;
    const char *file;                /* the name of what is read next, of which complaints are; NULL: it has none; the caller keeps it */
    EBB_VEC(sched_command) commands; /* in the order of the file; HEAD commands included */
} sched_schedule; /* zero-initialised is an empty one */

void sched_fini(sched_schedule *s);

/* ---- reading ---- */

typedef struct sched_complaint {
    uint32_t line;
    const char *file; /* NULL: that which was just read */
    char *text; /* owned by the complaints */
} sched_complaint;
typedef struct sched_complaints {
    EBB_VEC(sched_complaint) list;
} sched_complaints; /* zero-initialised is none */

enum { SCHED_MAX_COMPLAINTS = 100 }; /* more are not kept */
void sched_complain(sched_complaints *all, uint32_t line, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* About that command. */
void sched_complain_of(sched_complaints *all, const sched_command *c, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Where `other` is, for a complaint about `c`: "line 7", "line 7 of b.sched". */
typedef struct sched_words { char text[200]; } sched_words;
sched_words sched_line_of(const sched_command *other, const sched_command *c);
void sched_complaints_fini(sched_complaints *all);

/* Adds the commands of a text to the schedule: a second text continues the first one (message-based: the sections of other threads), with
 * lines counted from 1 again.  EBB_BAD_FILE: `all` has what is wrong, line by line.  The rules of order are checked by sched_check. */
ebb_status sched_parse_text(sched_schedule *s, const char *text, size_t nbytes, sched_complaints *all) EBB_MUST_CHECK;
/* SCH2, for the whole schedule. */
ebb_status sched_check(const sched_schedule *s, sched_complaints *all) EBB_MUST_CHECK;

/* ---- writing ---- */

/* One command, without an end of line. */
void sched_write_command(ebb_buf *out, const sched_command *c);
void sched_write(ebb_buf *out, const sched_schedule *s);

/* ---- making ---- */

/* Each adds a command; texts are copied.  The caller keeps SCH2, or asks sched_check. */
void sched_add(sched_schedule *s, const sched_command *c);
void sched_add_event(sched_schedule *s, sched_kind kind, const sched_place *place, uint64_t count);
void sched_add_action(sched_schedule *s, sched_kind kind, uint32_t thread); /* switch, notify, timeout, die; terminate ignores the thread */
void sched_add_thread(sched_schedule *s, uint32_t thread, const char *name);

/* ---- asking ---- */

bool sched_place_same(const sched_place *a, const sched_place *b);
/* One more than the largest thread number that is mentioned, or 1. */
uint32_t sched_nthreads(const sched_schedule *s);
/* The name that a `thread` command gives; NULL if none does. */
const char *sched_name_of(const sched_schedule *s, uint32_t thread);

#endif
