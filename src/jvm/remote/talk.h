/* talk.h - one conversation with the agent: requests, answers, and answers kept (JR1). */
#ifndef EBB_JVM_REMOTE_TALK_H
#define EBB_JVM_REMOTE_TALK_H

#include "base/map.h"
#include "jvm/remote/remote.h"
#include "jvm/wire/wire.h"
#include "machine/terminal.h"
#include "time/copies.h"

typedef struct jvm_remote_point {
    machine_point_id id;
    machine_point point;
    java_method_id method; /* a local's: of its frame */
    machine_code *code;            /* its condition; owned; NULL: none */
    size_t n_steps;
    machine_point_id ignored_with; /* of a jvm_remote_ignore; 0: none */
} jvm_remote_point;

typedef struct jvm_remote_ignore { /* machine.h, points_ignore */
    machine_point_id id;           /* of the first of its points */
    uint64_t left, passed;
} jvm_remote_ignore;

typedef EBB_VEC(char *) jvm_remote_texts;
void jvm_remote_texts_set(jvm_remote_texts *texts, const char *const *from, size_t n); /* copies; n 0 frees */

typedef struct jvm_remote_line { /* a copy that is talked to */
    pid_t pid; /* 0: none */
    int fd;
} jvm_remote_line;

typedef struct jvm_remote {
    machine base;
    pid_t pid;
    pid_t script;               /* what started it, and is ours to wait for; 0: ebb did */
    char **script_words;        /* how it did; owned, with a NULL at the end */
    char *program;
    bool is_stock;              /* at the other end of fd is the agent of a stock JVM: */
    pid_t agent;                /*   this process, ours to wait for */
    jvm_far *far;               /* the connection to the computer where all of it is; NULL: this one */
    int fd;                     /* -1: the debuggee is gone */
    bool gone;                  /* and was waited for */
    int wait_status;            /* once it is gone */
    bool end_told;              /* resume said so */
    volatile int running, interrupt_wanted; /* set in signal handlers */
    uint64_t time;              /* of the last stop */
    machine_place place;        /* of the thread that ran: */
    machine_tid thread;         /* this one; 0: not known */
    machine_terminal terminal;

    ebb_map *answers;           /* hash of the request -> struct kept *: until it moves */
    ebb_map *classes, *codes;   /* for good: java_class *, java_code * by number */
    const char **last_sources;  /* jvm_remote_last_sources; for_good's */
    size_t n_last_sources;
    ebb_arena for_good, for_now; /* for_now: what `threads` gave out, until the next resume */
    machine_thread *thread_list; /* NULL: to be asked for */
    size_t n_threads;

    /* What belongs to the machine, whichever copy is talked to (MH2). */
    machine_point_id last_point;
    EBB_VEC(jvm_remote_point) points;
    EBB_VEC(jvm_remote_ignore) ignores;
    unsigned events;            /* bit per machine_event */
    jvm_remote_texts wanted, filter;
    bool filter_library;

    /* history.c, copies.c, undo.c */
    char *recording;            /* the path by which ebb can read it; NULL: there is none */
    int recording_fd;           /* keeps a file without a name reachable; -1: none */
    bool records;
    ebb_copies *copies;         /* who is there, and which of them is the debuggee; copies.c does what it asks for */
    int live_fd;                /* the conversation with the live debuggee; fd is it, or that with a copy */
    pid_t copy;                 /* the one that replays; 0: none */
    uint64_t undo_live, undo_replay; /* bytes of undo log that are wanted; */
    uint64_t undo_told;         /* bytes that the process at the other end of fd keeps, */
    uint64_t undo_told_live;    /* and the live debuggee */
    jvm_remote_texts undo_patterns;
    char *undo_first;           /* NULL: from the beginning */

    struct {                    /* apart.c */
        jvm_remote_line base, shown;
        bool has_run;           /* what is shown went on */
        struct {                /* where r->copy stands while it waits */
            int fd;
            uint64_t time;
            machine_place place;
            machine_tid thread;
        } waiting;
    } apart;

    struct {                    /* picture.c */
        bool is_shown, lacks;   /* something that was asked for isn't in it */
        const jvm_wire_listed *of; /* NULL: there is none */
    } picture;

    jvm_remote_lambda_fn *lambda; /* lambda.c: who evaluates the lambdas that the debuggee calls; NULL: nobody */
    void *lambda_self;
    unsigned lambda_depth;      /* of calls that wait for one another */

    struct {                    /* JR3: where the main conversation waits while a copy is talked to */
        bool open;
        int fd;
        pid_t pid;
        ebb_map *answers;
    } scratch;
} jvm_remote;

static inline jvm_remote *jvm_remote_of(machine *m) { return (jvm_remote *)m; }

static inline jvm_wire_point jvm_remote_wire_point(const jvm_remote_point *of)
{
    const machine_point *p = &of->point;
    return (jvm_wire_point){.id = (uint32_t)of->id, .kind = (uint8_t)p->kind, .space = p->space, .addr = p->addr, .nbytes = p->nbytes,
                            .thread = (uint64_t)p->thread, .frame = p->frame, .method = of->method};
}

static inline bool jvm_remote_point_is_local(const machine_point *p)
{
    return p->kind != MACHINE_POINT_EXEC && p->space == JAVA_SPACE_LOCAL;
}

/* ---- objects.c: values as they travel ---- */

java_word jvm_remote_to_word(uint8_t type, uint64_t bits);
uint64_t jvm_remote_to_bits(java_word w);
uint8_t jvm_remote_to_type(java_word w);

/* Everything that was answered may be different now; and the debuggee moved. */
void jvm_remote_forget_answers(jvm_remote *r);
void jvm_remote_forget(jvm_remote *r);

/* ---- picture.c ---- */

/* The answers about objects while a picture is shown (remote.h).  EBB_UNAVAILABLE: it lacks that. */
ebb_status jvm_picture_class_of(jvm_remote *r, java_ref object, java_class_id *out, ebb_error *err) EBB_MUST_CHECK;
ebb_status jvm_picture_field_get(jvm_remote *r, java_ref object, java_field_id field, jvm_wire_word *out, ebb_error *err) EBB_MUST_CHECK;
ebb_status jvm_picture_array_length(jvm_remote *r, java_ref array, uint32_t *out, ebb_error *err) EBB_MUST_CHECK;
ebb_status jvm_picture_array_get(jvm_remote *r, const jvm_wire_elements *q, jvm_wire_words *a, ebb_error *err) EBB_MUST_CHECK; /* borrowed */
ebb_status jvm_picture_string(jvm_remote *r, const jvm_wire_string_at *q, jvm_wire_string *a, ebb_error *err) EBB_MUST_CHECK; /* borrowed */
ebb_status jvm_picture_identity_hash(jvm_remote *r, java_ref object, int32_t *out, ebb_error *err) EBB_MUST_CHECK;
ebb_status jvm_picture_lacks(jvm_remote *r, ebb_error *err);

/* ---- conditions.c ---- */

/* The point with its condition.  EBB_GONE, or it makes no sense there now. */
ebb_status jvm_remote_tell_point(jvm_remote *r, ebb_arena *arena, const jvm_remote_point *p, ebb_error *err) EBB_MUST_CHECK;
ebb_status jvm_remote_tell_ignores(jvm_remote *r, ebb_arena *arena, ebb_error *err) EBB_MUST_CHECK;
void jvm_remote_note_passed(jvm_remote *r, const jvm_wire_passed *passed, size_t n); /* a message told of them */
void jvm_remote_forget_point(jvm_remote *r, machine_point_id id);

/* Points, events and the like, told to whoever r->fd talks to now; those that make no sense there wait. */
ebb_status jvm_remote_sync(jvm_remote *r, ebb_error *err) EBB_MUST_CHECK;

/* ---- lambda.c ---- */

/* While an answer is waited for: as long as `m` is a call of a lambda, it is answered, and `m` is what comes next. */
ebb_status jvm_remote_answer_lambdas(jvm_remote *r, jvm_wire_message *m, ebb_error *err) EBB_MUST_CHECK;

/* What a dead debuggee is waited for; afterwards fd is -1. */
void jvm_remote_bury(jvm_remote *r);

/* Something that is asked, for the functions below. */
typedef struct jvm_remote_question {
    uint16_t code;
    const ebb_buf *request; /* NULL: it has no arguments */
    bool keep;              /* asking again is answered from memory */
} jvm_remote_question;

/* Sends, waits, and gives the payload of the answer, with the socket that came along (NULL: none may). */
ebb_status jvm_remote_exchange(jvm_remote *r, const jvm_remote_question *q, ebb_buf *reply, int *fd_out, ebb_error *err) EBB_MUST_CHECK;
ebb_status jvm_remote_nonsense(ebb_error *err);
/* A request without arguments whose answer is a process id and that process's socket. */
ebb_status jvm_remote_ask_copy(jvm_remote *r, uint16_t code, pid_t *pid, int *fd, ebb_error *err) EBB_MUST_CHECK;

/* jvm_remote_ask_NAME(r, arena, &request, &reply, err): what the reply points to lives in the arena. */
#define JVM_WIRE_DO(name, request, reply)                                                          \
    ebb_status jvm_remote_ask_##name(jvm_remote *r, ebb_arena *arena, const jvm_wire_##request *q, jvm_wire_##reply *a, \
                                     ebb_error *err) EBB_MUST_CHECK;
#include "jvm/wire/wire.def"

#endif
