/* jdwp.h - the Java Debug Wire Protocol as a skin over a session: jdb and Java editors debug a program on the Java machine.
 *
 * A client sends commands and gets replies; events are told as they happen.  What it asks to be told of are requests, which are the
 * session's (session/java/requests.h).  The program runs as long as nobody has suspended it: then a move of the session is under way,
 * which a command interrupts, to go on after it is answered.
 *
 * Ids: an object's is its address, which never changes; a class's, method's and field's are the machine's own; a frame's is its level, with
 * the number of the stop, so that those of an earlier stop are refused.
 *
 * JW1  a command that isn't served (served.def) is answered NOT_IMPLEMENTED; one whose contents are short ILLEGAL_ARGUMENT; neither ends
 *      the conversation;
 * JW2  nothing is kept here but how often the client has suspended what;
 * JW3  threads are suspended together: while one of them is, all stand still.  One thread may run alone (JDWP's ThreadReference.Resume);
 * JW4  in the past what the client changes or calls happens in a copy, which is gone when the program moves. */
#ifndef EBB_FRONT_JDWP_JDWP_H
#define EBB_FRONT_JDWP_JDWP_H

#include "front/cli/cli.h"
#include "front/serve/watch.h"
#include "jvm/jdwp/packet.h"
#include "jvm/remote/remote.h"
#include "session/java/requests.h"

enum { JD_MAX_PACKET = 16 << 20 };

typedef struct jd_count {
    machine_tid tid;
    int n; /* more, or fewer, than all */
} jd_count;

/* A request of the client's, and what stands still when it is met. */
typedef struct jd_policy {
    uint32_t request;
    uint8_t kind;   /* jdwp_event */
    uint8_t policy; /* JDWP_SUSPEND_... */
} jd_policy;

typedef struct jd {
    session *session;
    int fd;            /* the client; -1: none is there */
    front_watch *watch;
    ebb_buf in;        /* bytes that came, from `at` on */
    size_t at;
    bool has_shaken_hands, ends, was_disposed;
    bool has_ended;    /* the program, or the recording: the client was told */
    unsigned n_all;    /* how often everything was suspended */
    EBB_VEC(jd_count) counts; /* of threads that differ from that */
    bool holds_events;
    ebb_buf held;      /* packets of events that wait to be let go */
    unsigned n_stops;
    uint32_t last_id;  /* of our own packets */
    EBB_VEC(jd_policy) policies;
    bool has_moved;    /* somebody else moved the program while the client had it suspended */
    bool is_recording; /* nothing comes after its end */
    bool runs;         /* the program does, and goes on while the client says nothing: it is not the first one */
} jd;

/* One command: reads its contents, adds the reply's. */
typedef jdwp_error jd_handler(jd *d, jdwp_in *in, ebb_buf *out);
#define JD_ROW(command, function) jd_handler jd_do_##function;
#include "front/jdwp/served.def"
#undef JD_ROW

extern const jdwp_sizes jd_sizes;

/* ---- the conversation (jdwp.c) ---- */

void jd_init(jd *d, session *s, int fd);
void jd_fini(jd *d);
/* The client is told where the program stands, and answered until it is gone or the program has ended. */
void jd_converse(jd *d);
/* The same as far as it goes without waiting for the client; the program runs as long as it may. */
void jd_serve(jd *d);
void jd_hear(jd *d); /* waits for bytes of the client's */
/* Takes a whole packet off what came and answers it; false: there is none yet, or the client is out of its mind and `ends`. */
bool jd_answer_next(jd *d);
void jd_add_bytes(jd *d, const void *bytes, size_t n);
void jd_send(jd *d, const void *bytes, size_t n);

/* ---- suspending (suspend.c) ---- */

int jd_suspend_count(const jd *d, machine_tid tid);
void jd_suspend_all(jd *d);
void jd_suspend_one(jd *d, machine_tid tid);
void jd_resume_all(jd *d);
/* Whether the program may run; only: that thread alone, 0: all. */
bool jd_may_run(const jd *d, machine_tid *only);

/* ---- events (events.c) ---- */

void jd_tell_start(jd *d);
void jd_tell_end(jd *d);
void jd_tell_hits(jd *d, const ses_java_hits *hits);
/* It stopped for a reason that the client did not ask for: its view is to be made anew. */
void jd_tell_stop(jd *d, machine_tid thread);
void jd_release_events(jd *d);

/* ---- shared by the handlers (values.c) ---- */

machine *jd_machine(jd *d); /* NULL: it has ended */
jdwp_error jd_error(ebb_status status);
char *jd_signature(ebb_arena *arena, const char *name); /* of a class by its name: "int[]" is "[I" */
uint8_t jd_tag_of_class(const java_class *cls); /* JDWP_TAG_... */
uint8_t jd_tag_of_object(jd *d, java_ref object); /* 'L', 's', 't', ... */
void jd_put_word(jd *d, ebb_buf *out, java_word word); /* tagged */
void jd_put_generic(ebb_buf *out, const char *signature); /* NULL: there is none */
void jd_put_untagged(ebb_buf *out, java_word word);
void jd_put_object(jd *d, ebb_buf *out, java_ref object); /* tagged */
void jd_put_place(jd *d, ebb_buf *out, machine_place place);
bool jd_take_word(jdwp_in *in, char type, java_word *word); /* untagged */
bool jd_take_value(jdwp_in *in, java_word *word);           /* tagged */
jdwp_error jd_class(jd *d, uint64_t id, const java_class **cls);
const java_method *jd_method(const java_class *cls, uint64_t id);
const java_method *jd_method_of(jd *d, uint64_t id); /* of whatever class it is */
const java_field *jd_field_of(jd *d, uint64_t id);
jdwp_error jd_thread(jd *d, ebb_arena *arena, java_ref object, java_thread *out);
jdwp_error jd_suspended_thread(jd *d, ebb_arena *arena, java_ref object, java_thread *out);
typedef struct jd_frame {
    machine_tid tid;
    unsigned level;
} jd_frame;
/* A thread and one of its frames; those of an earlier stop are refused. */
jdwp_error jd_take_frame(jd *d, jdwp_in *in, jd_frame *at);
bool jd_is_past(jd *d);
/* A field of an object by its name, of the class or one above it; 0: there is none. */
java_ref jd_named_reference(jd *d, java_ref object, const char *name);
java_class_id jd_class_named(jd *d, const char *name); /* of the library; 0: it isn't loaded */
/* JW4: what follows changes or calls something. */
jdwp_error jd_begin_change(jd *d);
void jd_end_changes(jd *d);

#endif
