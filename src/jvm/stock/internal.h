/* internal.h - the state of the agent of a stock JVM; seen by this folder only. */
#ifndef EBB_JVM_STOCK_INTERNAL_H
#define EBB_JVM_STOCK_INTERNAL_H

#include "base/map.h"
#include "jvm/stock/jdwp.h"
#include "jvm/wire/places.h"
#include "jvm/wire/type_size.h"
#include "jvm/wire/wire.h"
#include "machine/points.h"
#include "machine/stop.h"

typedef struct stock_member {
    uint64_t id; /* the JVM's */
    const char *name, *descriptor;
    uint16_t access;
    uint32_t offset; /* of a field: a number that no other field has (see stock_field_at) */
} stock_member;

typedef struct stock_code { /* kept for good: class files don't change */
    const uint8_t *bytes;
    uint32_t nbytes;
    jvm_wire_line *lines;
    size_t n_lines;
    jvm_wire_local *locals;
    size_t n_locals;
} stock_code;

typedef struct stock_class {
    uint64_t type; /* the JVM's */
    uint8_t tag;   /* 1 class, 2 interface, 3 array */
    uint32_t serial;
    const char *signature, *name; /* "Lpkg/Main;", "pkg.Main" */
    bool has_source_asked;
    const char *source;           /* NULL: not known */
    bool is_ready;                /* linked: the rest is there */
    uint32_t super;
    uint16_t access;
    uint64_t mirror, loader;      /* java_ref */
    stock_member *fields, *methods; /* methods by name and descriptor */
    stock_code **codes;           /* of each method; NULL: not asked for yet */
    size_t n_fields, n_methods;
    uint32_t *interfaces;
    size_t n_interfaces;
} stock_class;

typedef struct stock_thread {
    uint64_t object;
    const char *name, *group; /* NULL: not asked for */
} stock_thread;

typedef struct stock_point {
    jvm_wire_point wire;
    uint32_t request;  /* the JVM's */
    uint8_t event;     /* its kind */
    bool is_new_here;  /* set at the very place where its thread stands: that is no hit (MA4) */
} stock_point;

/* A step that the JVM was asked for.  One that something else interrupts goes on with the next resume, if that wants the same. */
typedef struct stock_step {
    uint32_t request; /* 0: none */
    jvm_wire_request of;
} stock_step;

/* Data was or is about to be touched: told when its instruction is done (SJ2). */
typedef struct stock_touch {
    bool is_on;
    uint32_t request; /* of the step over the instruction */
    uint64_t thread;
    machine_place by;
    uint64_t object, was;
    EBB_VEC(uint32_t) points;
} stock_touch;

typedef struct stock {
    int wire;
    jdwp j;
    ebb_arena for_good;
    ebb_map *by_type, *by_serial;       /* stock_class * */
    EBB_VEC(stock_class *) classes;
    struct {                            /* field offsets: 16 + 8 * index here */
        stock_class *cls;
        size_t index;
    } *offsets;
    size_t n_offsets, cap_offsets;
    ebb_map *ref_of;                    /* the JVM's object -> index + 1 below */
    EBB_VEC(uint64_t) objects;          /* 0: one that will be made by its constructor */
    EBB_VEC(stock_class *) unmade;      /*   of this class; as many as objects */
    EBB_VEC(stock_thread) threads;      /* tid - 1 */
    EBB_VEC(uint64_t) kept;             /* objects that nobody but ebb knows, until the program goes on */

    EBB_VEC(stock_point) points;
    EBB_VEC(uint32_t) wanted;           /* requests for classes that are waited for */
    uint32_t requests[16];              /* by machine_event; 0: not asked for */
    EBB_VEC(const char *) filter;
    bool filter_library;

    uint64_t thread;                    /* that the last stop was about */
    machine_place place;
    bool by_event;                      /* it was stopped by an event: it can call methods */
    bool by_step;                       /* and that was the end of a step: a point that is set here now would be told at once */
    stock_step step;
    stock_touch touch;
    uint32_t catch_request;             /* of the breakpoint at the handler; 0: none */
    uint64_t caught;
    struct {                            /* the exception at which the last stop was, while it is on its way to a handler */
        uint64_t thread;
        machine_place handler;          /* 0: there is none */
        uint64_t object;
    } flight;
    struct {                            /* what the method that `finish` leaves returned */
        uint32_t request;
        bool is_known;
        jvm_wire_word value;
    } returned;

    struct {                            /* time.c */
        stock_class *cls;               /* ebb.Timestamp; NULL: not found, or not initialised */
        uint64_t first, count, stop, cells; /* its fields */
        uint64_t first_thread;
        uint32_t request;               /* of the breakpoint in brake(); 0: none */
        uint32_t leaving;               /* of the step out of it; 0: none */
    } time;
} stock;

/* ---- serve.c ---- */

/* Asks: each letter of `what` takes an argument: o object, t type, m method, f field, F frame (uint64_t); l i b: 8, 4, 1 bytes (uint64_t);
 * s text. */
ebb_status stock_ask(stock *k, ebb_arena *arena, jdwp_in *in, ebb_error *err, jdwp_command command, const char *what, ...) EBB_MUST_CHECK;
void stock_put(const stock *k, ebb_buf *out, const char *what, ...);
ebb_status stock_nonsense(ebb_error *err);
_Noreturn void stock_leave(void); /* SJ4 */

/* ---- classes.c ---- */

/* NULL: it is gone. */
stock_class *stock_class_of_type(stock *k, uint8_t tag, uint64_t type);
stock_class *stock_class_by_serial(const stock *k, uint64_t serial);
/* Reads its members; false: it is not linked yet. */
bool stock_class_read(stock *k, stock_class *cls);
stock_class *stock_class_named(stock *k, const char *signature); /* the first; NULL: none */
const stock_member *stock_method(stock *k, machine_place place, stock_class **cls);
const stock_member *stock_method_named(stock *k, stock_class *cls, const char *name, const char *descriptor); /* descriptor NULL: any */
const stock_member *stock_field_named(stock *k, stock_class *cls, const char *name);
const stock_member *stock_field(stock *k, uint64_t id, stock_class **cls);
const stock_member *stock_field_at(stock *k, uint32_t offset, stock_class **cls);
void stock_learn_elements(stock *k, stock_class *array); /* so that the class of its elements is known by name */
bool stock_is_library(const stock_class *cls);
machine_place stock_read_place(stock *k, jdwp_in *in);
/* As the JVM writes it; false: there is no such place. */
bool stock_put_place(stock *k, ebb_buf *out, machine_place place);

/* ---- code.c ---- */

const stock_code *stock_code_of(stock *k, machine_place place); /* NULL: native or abstract */
/* The first instruction that does not begin before it; 0: none. */
machine_place stock_place_from(stock *k, machine_place place);
machine_place stock_next_place(stock *k, machine_place place);

/* ---- objects.c ---- */

java_ref stock_ref(stock *k, uint64_t object);
/* The JVM's object; 0 is null.  EBB_NOT_FOUND: ebb never heard of such a one. */
ebb_status stock_object(const stock *k, java_ref ref, uint64_t *object, ebb_error *err) EBB_MUST_CHECK;
jvm_wire_word stock_read_untagged(stock *k, jdwp_in *in, uint8_t tag);
jvm_wire_word stock_read_value(stock *k, jdwp_in *in);
ebb_status stock_put_value(const stock *k, ebb_buf *out, bool with_tag, uint8_t type, uint64_t bits, ebb_error *err) EBB_MUST_CHECK;
ebb_status stock_field_value(stock *k, uint64_t object, const stock_class *cls, const stock_member *field, jvm_wire_word *out, ebb_error *err) EBB_MUST_CHECK;
void stock_keep(stock *k, uint64_t object);
void stock_release_kept(stock *k);

/* ---- threads.c ---- */

machine_tid stock_tid(stock *k, uint64_t thread);
uint64_t stock_thread_of(const stock *k, machine_tid tid); /* 0: none */
uint32_t stock_depth(stock *k, uint64_t thread);
uint64_t stock_frame_id(stock *k, uint64_t thread, uint32_t level); /* 0: there is none */
machine_place stock_thread_place(stock *k, uint64_t thread);

/* ---- points.c ---- */

typedef struct stock_filters {
    ebb_buf bytes;
    uint32_t n;
} stock_filters;
ebb_status stock_request(stock *k, uint8_t event, bool suspends, stock_filters *filters, uint32_t *id, ebb_error *err) EBB_MUST_CHECK;
void stock_filter_thread(stock *k, stock_filters *f, uint64_t thread);
bool stock_filter_place(stock *k, stock_filters *f, machine_place place);
void stock_cancel(stock *k, uint8_t event, uint32_t *request); /* 0: nothing is done */
stock_point *stock_point_of(stock *k, uint8_t event, uint32_t request);
bool stock_point_is_in_frame(stock *k, const stock_point *p, uint64_t thread);

/* ---- step.c ---- */

enum { STOCK_INTO = 0, STOCK_OVER = 1, STOCK_OUT = 2 };
ebb_status stock_step_begin(stock *k, const jvm_wire_request *q, ebb_error *err) EBB_MUST_CHECK;
void stock_step_end(stock *k);
bool stock_step_is_done(stock *k, uint64_t thread, machine_place place);
/* One bytecode, of that thread. */
typedef struct stock_stepping {
    uint64_t thread;
    int depth;     /* STOCK_INTO, STOCK_OVER, STOCK_OUT */
    bool by_line;  /* else by instruction */
    bool filtered; /* code of the user's filter is passed */
} stock_stepping;
ebb_status stock_step_request(stock *k, const stock_stepping *how, uint32_t *request, ebb_error *err) EBB_MUST_CHECK;

/* ---- time.c ---- */

uint64_t stock_time(stock *k, uint64_t thread);
void stock_time_set(stock *k, uint64_t thread, uint64_t time);
/* brake() is called when the thread's count becomes that. */
ebb_status stock_time_stop_at(stock *k, uint64_t thread, uint64_t time, ebb_error *err) EBB_MUST_CHECK;
void stock_time_stop_nowhere(stock *k, uint64_t thread);

/* ---- run.c ---- */

ebb_status stock_run(stock *k, const jvm_wire_request *q, jvm_wire_stop *stop, ebb_arena *arena, ebb_error *err) EBB_MUST_CHECK;
ebb_status stock_first_stop(stock *k, jvm_wire_stop *stop, ebb_error *err) EBB_MUST_CHECK;

/* ---- call.c ---- */

typedef struct stock_call {
    const stock_class *cls;
    const stock_member *method;
    uint64_t object; /* 0: static, or a constructor */
    bool is_virtual;
    const jvm_wire_word *args;
    size_t n_args;
} stock_call;
ebb_status stock_invoke(stock *k, const stock_call *call, jvm_wire_word *result, uint64_t *thrown, ebb_error *err) EBB_MUST_CHECK;
void stock_link(stock *k, uint64_t mirror); /* a class that is only loaded has no members yet */
/* Class.forName, with the loader of the program's own classes. */
ebb_status stock_load(stock *k, const char *name, bool initialise, stock_class **out, ebb_error *err) EBB_MUST_CHECK;

/* stock_serve_NAME, of the messages that are answered (served.def). */
#define STOCK_SERVES(name, request, reply)                                                         \
    ebb_status stock_serve_##name(stock *k, const jvm_wire_##request *q, jvm_wire_##reply *a, ebb_arena *arena, ebb_error *err) EBB_MUST_CHECK;
#include "jvm/stock/served.def"

#endif
