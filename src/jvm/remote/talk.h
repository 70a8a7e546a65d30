/* talk.h - one conversation with the agent: requests, answers, and answers kept (JR1). */
#ifndef EBB_JVM_REMOTE_TALK_H
#define EBB_JVM_REMOTE_TALK_H

#include "base/map.h"
#include "jvm/remote/remote.h"
#include "jvm/wire.h"
#include "machine/terminal.h"

typedef struct jvm_remote {
    machine base;
    pid_t pid;
    char *program;
    int fd;                     /* -1: the debuggee is gone */
    bool gone;                  /* and was waited for */
    int wait_status;            /* once it is gone */
    bool end_told;              /* resume said so */
    volatile int running, interrupt_wanted; /* set in signal handlers */
    uint64_t time;              /* of the last stop */
    machine_terminal terminal;

    ebb_map *answers;           /* hash of the request -> struct kept *: until it moves */
    ebb_map *classes, *codes;   /* for good: java_class *, java_code * by number */
    ebb_arena for_good, for_now; /* for_now: what `threads` gave out, until the next resume */
    machine_thread *thread_list; /* NULL: to be asked for */
    size_t n_threads;
    machine_point_id last_point;

    struct {                    /* JR3: where the main conversation waits while a copy is talked to */
        bool open;
        int fd;
        pid_t pid;
        ebb_map *answers;
    } scratch;
} jvm_remote;

static inline jvm_remote *jvm_remote_of(machine *m) { return (jvm_remote *)m; }

/* Everything that was answered may be different now; and the debuggee moved. */
void jvm_remote_forget_answers(jvm_remote *r);
void jvm_remote_forget(jvm_remote *r);

/* What a dead debuggee is waited for; afterwards fd is -1. */
void jvm_remote_bury(jvm_remote *r);

/* Sends, waits, and gives the payload of the answer; for the functions below.  `keep`: asking again is answered from memory. */
ebb_status jvm_remote_exchange(jvm_remote *r, uint16_t code, const ebb_buf *request, bool keep, ebb_buf *reply, int *fd_out,
                               ebb_error *err) EBB_MUST_CHECK;
ebb_status jvm_remote_nonsense(ebb_error *err);

/* jvm_remote_ask_NAME(r, arena, &request, &reply, err): what the reply points to lives in the arena. */
#define JVM_WIRE_STRUCT(name)
#define JVM_WIRE_FIELD(kind, name)
#define JVM_WIRE_LIST(type, name)
#define JVM_WIRE_END(name)
#define JVM_WIRE_ASK(name, request, reply) JVM_WIRE_DO(name, request, reply)
#define JVM_WIRE_DO(name, request, reply)                                                          \
    ebb_status jvm_remote_ask_##name(jvm_remote *r, ebb_arena *arena, const jvm_wire_##request *q, jvm_wire_##reply *a, \
                                     ebb_error *err) EBB_MUST_CHECK;
#include "jvm/wire.def"

#endif
