/* record.h - the recording of an execution, and replay of it.
 *
 * The machine is deterministic but for what comes from outside (architecture.md, "The border of Java").  While
 * it records, everything that comes from outside is appended to a log of events; replay takes the events
 * from the log where the execution asks for them, touches nothing outside and shows nothing.  There is
 * one log for all threads: one of them runs at a time, so the order in which events are asked for is itself
 * part of the execution.
 *
 * Where things come from:
 *     answers of the system to the machine's own natives      outside.h
 *     wake-ups of threads (descriptors, time)                 outside.h, called by the scheduler
 *     natives of foreign libraries                            native.c: the call, its result, memory it wrote;
 *                                                             jni.c: what it did by way of JNI
 *     the launcher                                            the outermost native: its JNI calls, jni.c
 * Natives of the JDK that depend on the Java state only run again (rerun_natives.def).
 *
 * RJ1  every event carries the timestamp at which it happened; replay checks kind and timestamp: a difference is
 *      a divergence, named with its position, and nothing goes on after it;
 * RJ2  objects are named by their address, classes by their serial, methods and fields by class and slot: all of them
 *      are the same in every replay;
 * RJ3  the file is a recording of time/recording.h, the recipe its "about";
 * RJ4  a log is foreign bytes: lengths, numbers and addresses are checked before they are used. */
#ifndef EBB_JVM_RECORD_RECORD_H
#define EBB_JVM_RECORD_RECORD_H

#include "base/buf.h"
#include "base/error.h"
#include "jvm/classes/class.h"
#include "jvm/threads/thread.h"
#include "time/event.h"

enum jvm_history_mode {
    JVM_UNRECORDED, /* nothing is kept */
    JVM_RECORDING,
    JVM_REPLAYING,
};
extern enum jvm_history_mode jvm_history;

static inline bool jvm_is_replaying(void) { return jvm_history == JVM_REPLAYING; }

/* Kinds of events that are Java's own; others are of time/event.h, and a function that takes either takes an `unsigned`. */
enum jvm_event {
    JVM_EVENT_BEFORE = EBB_EVENT_MACHINE - 1, /* none: the next is the first */
#define JVM_EVENT(name, text) JVM_EVENT_##name,
#include "jvm/record/events.def"
#undef JVM_EVENT
    JVM_EVENT_END, /* none: after the last */
};

/* ---- begin and end ---- */

/* What has to be the same before the first event (recipe.c). */
typedef struct jvm_recipe {
    EBB_VEC(char *) options;  /* of the launcher, the environment and files, as read */
    bool ignore_unrecognized;
    char *home;               /* java.home */
    uint64_t image_hash;      /* of lib/modules */
    uint64_t memory;          /* bytes of the computer: the default size of the heap depends on it */
    uint64_t c_stack;         /* bytes of the main thread's C stack that Java may use */
} jvm_recipe;
extern jvm_recipe jvm_recipe_now;

/* EBB_RECORD=FILE, EBB_REPLAY=FILE, EBB_VERIFY=... of the environment, which are taken out of it.  After jvm.home is
 * known, before anything else in JNI_CreateJavaVM. */
ebb_status jvm_record_start(ebb_error *err) EBB_MUST_CHECK;
void jvm_record_options(const JavaVMOption *options, size_t n, bool ignore_unrecognized);
ebb_status jvm_record_begin(ebb_error *err) EBB_MUST_CHECK; /* the options are known: the recipe is written */
/* Everything is written that was recorded so far, with a mark of the timestamp; before stopping for long.  jvm_record_mark: and of the place. */
void jvm_record_flush(void);
void jvm_record_mark(uint64_t place);
uint64_t jvm_record_nbytes(void);       /* of the file so far */
void jvm_record_exit(int status);       /* the last event */
/* JNI_CreateJavaVM is done, or in a copy the launcher would go on: what it did is done again; does not return. */
_Noreturn void jvm_replay_launcher(jvm_thread *main);

/* ---- replaying in a copy of the process ---- */

/* A place in the log.  Taken while recording, it is good in every fork made from then on. */
typedef struct jvm_cursor {
    uint64_t number; /* of the next event */
} jvm_cursor;

jvm_cursor jvm_record_cursor(void);
/* In a fork: from recording to replaying from where it stands.  The parent must have flushed when it is needed. */
void jvm_replay_begin(jvm_cursor from);
/* Called when the log has no further event; it may block (an agent), end the process, or have put the mode to
 * JVM_RECORDING and return: then the execution goes on live from here. */
extern void (*jvm_history_end_hook)(void);
/* Called with a line of text when replay diverges; must not return. */
extern void (*jvm_divergence_hook)(const char *text);
_Noreturn void jvm_diverged(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- going live from the past (branch.c) ---- */

/* In a copy that replays: it runs live from here (time/branch.h).  A line is added to `lost` for each thing that can't be put back.
 * EBB_UNAVAILABLE: not at this moment. */
ebb_status jvm_branch(ebb_buf *lost, ebb_error *err) EBB_MUST_CHECK;
/* In a copy that may go live later, before it lets go of what is outside. */
void jvm_branch_keep_streams(void);
bool jvm_branch_keeps(int fd); /* that descriptor is for going live */

/* ---- state hashes ---- */

/* At the end of a quantum and at switches (time/verify.h): EBB_VERIFY=N, or EBB_VERIFY=sparingly. */
void jvm_record_verify(void);
void jvm_record_verify_soon(void);        /* a snapshot follows */
uint64_t jvm_record_nverified(void);      /* how many states were compared on the way here */

/* ---- writing events (log.c) ---- */

void jvm_log_event(unsigned kind);
void jvm_log_u(uint64_t value);
void jvm_log_s(int64_t value);
void jvm_log_bytes(const void *bytes, size_t nbytes);
void jvm_log_text(const char *text); /* NULL passes through */
void jvm_log_object(const jvm_obj *o);
void jvm_log_class(const jvm_class *cls);
void jvm_log_method(const jvm_method *m);
void jvm_log_end(void);
void jvm_log_pair(unsigned kind, uint64_t first, int64_t second); /* all of it: jvm_log_u, jvm_log_s */

/* ---- reading them ---- */

uint64_t jvm_log_last_timestamp(void); /* of the recording that is replayed */

/* The kind of the next event, EBB_EVENT_NONE at the end; MARKs are passed over, and so are hashes of a time that is gone. */
unsigned jvm_log_peek(uint64_t *time);
/* True: the next event is of this kind and of now, and is being read.  False: history ended and it is live now. */
bool jvm_log_expect(unsigned kind);
uint64_t jvm_log_peek_u(void); /* the first value of the event peeked at, which stays to be taken */
uint64_t jvm_log_take_u(void);
int64_t jvm_log_take_s(void);
const void *jvm_log_take_bytes(size_t *nbytes); /* borrowed until the next event */
const char *jvm_log_take_text(void);            /* the same; NULL passes through */
jvm_obj *jvm_log_take_object(void);
jvm_class *jvm_log_take_class(void);
jvm_method *jvm_log_take_method(void);

#endif
