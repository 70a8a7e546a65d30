/* requests.h - stops as debuggers of Java ask for them: by place, field, exception, class, thread and step.
 *
 * A request is of one kind and may have filters, all of which have to hold.  It stays until it is removed.  A run goes on until a request is
 * met, or something else of the session's stops it; several requests may be met by one stop.  What kinds and filters mean, and how far a
 * step goes, is as the JVM's own debug agent has it (the specification of JDWP), not as a person at ebb's prompt expects it.
 *
 * RQ1  numbers count up from 1 and are never used twice;
 * RQ2  a request with a count is met once, at its n-th time, and never again;
 * RQ3  of a step that something else stopped, the next run goes on. */
#ifndef EBB_SESSION_JAVA_REQUESTS_H
#define EBB_SESSION_JAVA_REQUESTS_H

#include "jvm/jdwp/packet.h"
#include "jvm/remote/remote.h"
#include "session/data.h"
#include "session/session.h"

typedef EBB_VEC(char *) ses_java_patterns; /* owned */

typedef struct ses_java_request {
    uint32_t id; /* filled in */
    jdwp_event kind;
    bool is_counted;
    uint32_t left;                /* is_counted: times until it is met; 0: it was */
    machine_tid thread;           /* 0: any */
    java_class_id cls;            /* or one below it; 0: any */
    bool has_instance;
    java_ref instance;            /* `this`, or the object whose field it is; 0: none, a static method */
    ses_java_patterns matches, excludes; /* names of classes, `*` at either end */
    char *source;                 /* of the class, likewise; NULL: any */
    machine_place place;          /* BREAKPOINT */
    java_field_id field;          /* FIELD_ACCESS, FIELD_CHANGE */
    java_class_id exception;      /* EXCEPTION: or one below it; 0: any */
    bool caught, uncaught;
    unsigned step_size, step_depth; /* STEP: JDWP_SIZE_..., JDWP_DEPTH_... */

    /* its own */
    EBB_VEC(machine_point_id) points;
    struct {
        bool is_on;
        uint64_t frame; /* it is a step of this one */
        int line;       /* that it leaves; -1: none */
        machine_place lo, hi;
    } step;
} ses_java_request;

/* A request was met. */
typedef struct ses_java_hit {
    uint32_t request;
    jdwp_event kind;
    machine_tid thread;
    machine_place place;
    java_ref object;         /* EXCEPTION: what was thrown; FIELD_...: whose field, 0 of a static one; MONITOR_...: whose monitor */
    java_class_id cls;       /* CLASS_PREPARE */
    java_field_id field;
    machine_place caught_at; /* EXCEPTION: 0: nowhere */
    uint64_t detail;         /* MONITOR_WAIT: ms; MONITOR_WAITED: 1: it waited for as long as it wanted to */
} ses_java_hit;
typedef EBB_VEC(ses_java_hit) ses_java_hits;

/* Takes what is in it. */
ebb_status ses_java_request_add(session *s, ses_java_request *request, uint32_t *id, ebb_error *err) EBB_MUST_CHECK;
void ses_java_request_remove(session *s, jdwp_event kind, uint32_t id); /* nothing if there is none */
void ses_java_requests_clear(session *s, jdwp_event kind); /* 0: all */
void ses_java_request_fini(ses_java_request *request);

/* Runs on, until `hits` is not empty or something else stopped it.  only: no other thread runs, if that can be; 0: all do. */
ebb_status ses_java_requests_run(session *s, machine_tid only, ses_java_hits *hits, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;

/* Names of classes that are waited for, for the machine. */
void ses_java_requests_await(session *s, ses_name_list *names);
/* As java.class.path has it; *directory: where its relative names are looked up. */
const char *ses_java_class_path(const session *s, const char **directory);
bool ses_java_is_below(session *s, java_class_id cls, java_class_id above);

/* requests_step.c: where a step begins, what is asked of the machine for it, and whether it ends here. */
void ses_java_step_begin(session *s, ses_java_request *request);
void ses_java_step_request(const ses_java_request *request, machine_request *out);
bool ses_java_step_ends(session *s, ses_java_request *request);

#endif
