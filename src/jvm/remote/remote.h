/* remote.h - the Java machine as ebb sees it: the other end of a socket.
 *
 * The Java machine proper is libjvm.so in the debuggee's process.  Its agent (jvm/agent/agent.h) answers requests over a
 * socket; this module is the requesting side, and makes of it a `machine` (machine/machine.h) and, for what only Java
 * has, the calls below.  Both ends share one description of the messages, jvm/wire/wire.def.  Nothing here knows of sessions
 * or expressions.
 *
 * What its places, objects and data points are is in wire/places.h.
 *
 * JR1  answers are kept until the debuggee moves: asking twice costs one message;
 * JR2  whatever comes over the socket is checked: a debuggee that dies or talks nonsense gives an error, never more;
 * JR3  between scratch_begin and scratch_end all calls talk to a throw-away copy of the debuggee: what is called or
 *      changed there happens nowhere else. */
#ifndef EBB_JVM_REMOTE_REMOTE_H
#define EBB_JVM_REMOTE_REMOTE_H

#include "base/arena.h"
#include "base/mem.h"
#include "jvm/wire/alias_kinds.h"
#include "jvm/wire/places.h"
#include "jvm/wire/type_size.h"
#include "machine/history.h"

/* A value of Java: `type` is a descriptor letter, Z B C S I J F D, L for any reference, V for none. */
typedef struct java_word {
    char type;
    union {
        int64_t i;  /* Z B C S I J */
        double d;   /* F (exact) and D */
        java_ref ref;
    };
} java_word;

/* ---- beginning -------------------------------------------------------------------------------- */

typedef struct jvm_far jvm_far;

typedef struct jvm_remote_launch {
    char *const *args;        /* args[0] is the launcher; -XXaltjvm is among the others */
    const char *shell_words;  /* or NULL: what comes after these, for a shell to make words of, and redirections */
    char *const *environment; /* NULL: ebb's own */
    const char *directory;    /* NULL: ebb's own */
    bool records;             /* keeps a history */
    bool verifies;            /* and hashes of its states, which replay compares */
    const char *scheduling;   /* STRATEGY[:SEED] by which threads get their turns; "": by turns */
    const char *recording;    /* where to; NULL: a file without a name that is gone with the session */
    const char *script_option; /* or NULL: args are those of a script, and every Java program that it starts gets this option, */
    const char *follows;      /* of which the first is debugged whose command line contains this; "": the first of all */
    const char *replay;       /* or NULL: a recording, which is replayed from its beginning; nothing runs for real */
    bool is_stock;            /* the launcher's own JVM, which is talked to in its debug protocol (stock/stock.h) */
    jvm_far *far;             /* or NULL: taken; the machine starts there, with the command line that it has there */
} jvm_remote_launch;

/* The debuggee stands before its first bytecode outside of the start-up of the machine itself.  A launcher that ends before
 * it loads a machine (-version of another JVM, a bad option) is reported by the first `resume` as EXITED. */
ebb_status jvm_remote_start(const jvm_remote_launch *how, machine **m, ebb_error *err) EBB_MUST_CHECK;

/* How the Java program was started that a script began: the words of its command line, with a NULL at the end; NULL: there is no script.
 * Borrowed. */
char *const *jvm_remote_script_words(machine *m);

/* ---- on another computer (parcel.h) ----------------------------------------------------------- */

/* An ebb that listens at [HOST:]PORT, and knows the token.  `forwards_input`: what is on ebb's own standard input while the program
 * runs is for the program. */
ebb_status jvm_far_connect(const char *where, const char *token, bool forwards_input, jvm_far **out, ebb_error *err) EBB_MUST_CHECK;
char *const *jvm_far_args(const jvm_far *far); /* of the program there; borrowed, with a NULL at the end */
void jvm_far_free(jvm_far *far);               /* ends everything there */

/* Serves ebbs that connect and know the token, one at a time, each with a program of its own; returns only if that can't be begun.
 * `ready` is told where it listens. */
ebb_status jvm_listen(const char *where, const char *token, const jvm_remote_launch *how,
                      void (*ready)(void *self, const char *address, bool is_loopback), void *self, ebb_error *err) EBB_MUST_CHECK;

/* ---- classes ---------------------------------------------------------------------------------- */

typedef struct java_field {
    java_field_id id;
    const char *name, *descriptor;
    const char *generic; /* its type with parameters; NULL: it has none */
    uint16_t access;
    uint32_t offset; /* in the object, or in the class's mirror */
} java_field;

typedef struct java_method {
    java_method_id id;
    const char *name, *descriptor, *generic;
    uint16_t access;
    uint16_t max_locals;
    uint32_t n_code; /* bytes of bytecode; 0: native or abstract */
    bool has_lines;
    bool is_hidden;  /* stack traces leave it out: the insides of lambdas and method handles */
} java_method;

typedef struct java_class {
    java_class_id id, super; /* super 0: Object, interfaces have Object */
    const char *name;        /* "java.util.HashMap$Node", "int[]" */
    const char *source;      /* "HashMap.java"; NULL unknown */
    const char *generic;     /* parameters, superclass and interfaces with theirs; NULL: none has any */
    java_ref mirror, loader; /* java.lang.Class object; loader 0: the boot loader */
    uint16_t access;
    bool is_array, is_primitive, is_library; /* library: of the JDK's own modules */
    char element;            /* arrays: descriptor letter of the components */
    const java_class_id *interfaces;
    size_t n_interfaces;
    const java_field *fields; /* declared here, statics among them */
    size_t n_fields;
    const java_method *methods;
    size_t n_methods;
} java_class;

/* Borrowed; good as long as the machine.  EBB_NOT_FOUND if no class of that number is there now. */
ebb_status jvm_remote_class(machine *m, java_class_id id, const java_class **out, ebb_error *err) EBB_MUST_CHECK;
typedef struct java_class_file {
    unsigned major, minor;
    uint32_t n_constants;       /* the unused first one counted, */
    const uint8_t *constants;   /* the others as the class file has them */
    size_t n_constant_bytes;
    const char *source_debug;   /* SourceDebugExtension; NULL: it has none */
} java_class_file;
/* EBB_UNAVAILABLE: it comes from no class file. */
ebb_status jvm_remote_class_file(machine *m, ebb_arena *arena, java_class_id id, java_class_file *out, ebb_error *err) EBB_MUST_CHECK;
/* Loaded classes by name ("Main", "pkg.Main$Inner"): several if several loaders define one. */
typedef EBB_VEC(java_class_id) java_class_ids;
ebb_status jvm_remote_classes_named(machine *m, const char *name, java_class_ids *out, ebb_error *err) EBB_MUST_CHECK;
/* Those whose SourceFile is that ("Main.java"), and all whose name begins like that (for completion; "" is all). */
ebb_status jvm_remote_classes_of_source(machine *m, const char *file, java_class_ids *out, ebb_error *err) EBB_MUST_CHECK;
ebb_status jvm_remote_classes_like(machine *m, const char *prefix, size_t at_most, java_class_ids *out, ebb_error *err) EBB_MUST_CHECK;
/* From now on resume stops (MODULES) when a class is linked whose name (`*` stands for anything) or source file is one of these. */
ebb_status jvm_remote_want_classes(machine *m, const char *const *names, size_t n, ebb_error *err) EBB_MUST_CHECK;

typedef struct java_line {
    uint16_t bci;
    uint16_t line;
} java_line;
typedef struct java_local { /* a row of LocalVariableTable */
    const char *name, *descriptor, *generic;
    uint16_t from, to; /* bci span in which it is in scope: [from, to) */
    uint16_t slot;
} java_local;
typedef struct java_code {
    const uint8_t *bytes;
    uint32_t nbytes;
    const java_line *lines; /* by bci */
    size_t n_lines;
    const java_local *locals;
    size_t n_locals;
    const uint16_t *loops; /* bci: within a row, where a jump from another line leads back to; in no order */
    size_t n_loops;
} java_code;
ebb_status jvm_remote_code(machine *m, java_method_id method, const java_code **out, ebb_error *err) EBB_MUST_CHECK;
/* Whether one row of its lines does what another one does, as far as both go: of the same line, it is a copy that the compiler made. */
bool jvm_remote_is_copied_row(const java_code *code, size_t row, size_t of);
/* One bytecode as text with its constants named ("invokevirtual #7 <Main.add(II)I>"), its length and where it jumps:
 * machine_ops.decode does it. */

/* ---- threads and frames ----------------------------------------------------------------------- */

typedef struct java_thread {
    machine_tid tid;
    const char *name, *group;
    java_ref object;
    bool is_daemon;
    unsigned status;           /* java.lang.Thread.threadStatus */
    const char *state;         /* "RUNNABLE", "BLOCKED", "TIMED_WAITING (sleeping)", ... */
    java_ref blocked_on;       /* the monitor it wants or waits in, or the parkBlocker; 0 none */
    machine_tid blocked_by;    /* who holds it; 0 nobody known */
    const java_ref *held;      /* monitors that it holds */
    size_t n_held;
} java_thread;
typedef EBB_VEC(java_thread) java_threads;
/* Of what the program has printed by now, the newest bytes are added; *total is how many there were. */
ebb_status jvm_remote_printed(machine *m, ebb_buf *newest, uint64_t *total, ebb_error *err) EBB_MUST_CHECK;
ebb_status jvm_remote_threads(machine *m, ebb_arena *arena, java_threads *out, ebb_error *err) EBB_MUST_CHECK;
/* Threads that wait for each other in a circle; empty: no deadlock. */
typedef EBB_VEC(machine_tid) java_tids;
ebb_status jvm_remote_deadlock(machine *m, java_tids *out, ebb_error *err) EBB_MUST_CHECK;

typedef struct java_frame {
    uint64_t id;          /* the same as long as this activation lives; its low 16 bits are zero */
    machine_place place;  /* F2: of a caller, its invoke; a native has bci 0xffff */
    machine_place next;   /* of a caller: where it goes on when the call returns */
    bool is_native, is_hidden;
    bool is_from_c;       /* C code called it: a native, or the machine itself (a class that is initialised, a thread that begins) */
} java_frame;
typedef EBB_VEC(java_frame) java_frames;
/* From `first` on, at most `count`; fewer: the stack ends. */
ebb_status jvm_remote_frames(machine *m, machine_tid tid, unsigned first, unsigned count, java_frames *out, ebb_error *err) EBB_MUST_CHECK;

/* All locals and operand stack slots of a frame by number; a slot that holds nothing (dead, second half) is 'V'.  What a
 * slot is comes from the reference maps and the local variable table; an untyped number is shown as 'J' bits. */
typedef EBB_VEC(java_word) java_words;
ebb_status jvm_remote_slots(machine *m, machine_tid tid, unsigned level, java_words *locals, java_words *stack, ebb_error *err) EBB_MUST_CHECK;
typedef struct java_local_at {
    machine_tid tid;
    unsigned level, slot;
} java_local_at;
/* A local as its row of the table says. */
ebb_status jvm_remote_local_get(machine *m, java_local_at at, char type, java_word *out, ebb_error *err) EBB_MUST_CHECK;
ebb_status jvm_remote_local_set(machine *m, java_local_at at, java_word value, ebb_error *err) EBB_MUST_CHECK;

/* ---- where values come from (engine/reach.h) ---------------------------------------------------- */

typedef struct java_slot_at {
    machine_place place; /* where its frame stands */
    bool is_stack;       /* of the operand stack, from its bottom; else a local variable's */
    unsigned slot;
} java_slot_at;

typedef struct java_writer {
    machine_place place;
    bool is_handler; /* what is there is the exception that was caught there */
    machine_place after; /* it is a call of a method: where the frame goes on then; 0: it is none */
} java_writer;
typedef EBB_VEC(java_writer) java_writers;
/* The instructions that may have written what is in the slot there: the one that the frame executed last did.  Of a local variable, all that ever
 * write it; if its frame executed none yet, it is a parameter.  EBB_UNSUPPORTED: nobody knows. */
ebb_status jvm_remote_slot_writers(machine *m, java_slot_at at, java_writers *out, ebb_error *err) EBB_MUST_CHECK;

typedef struct java_decider {
    machine_place place;
    bool is_handler;
    machine_place way; /* where it goes on if it decides for the instruction; a branch is listed for each such way */
} java_decider;
typedef EBB_VEC(java_decider) java_deciders;
/* The branches and the beginnings of handlers that decide whether the instruction there is executed (engine/control.h).  EBB_UNSUPPORTED: nobody
 * knows. */
ebb_status jvm_remote_deciders(machine *m, machine_place place, java_deciders *out, ebb_error *err) EBB_MUST_CHECK;

typedef struct java_effect {
    java_effect_kind kind;
    unsigned nbytes;      /* of the instruction */
    unsigned depth, pops; /* slots on the operand stack before it, and how many of those it takes away */
    unsigned local;       /* LOAD, STORE, OPERATION of a local variable: its slot; else UINT32_MAX */
    java_field_id field;  /* FIELD_*, STATIC_*; UINT64_MAX: it was not resolved yet */
    const char *holder, *name, *descriptor; /* of a field or method that it names; NEW: holder is the class, or NULL; texts are the arena's */
    const char *row;      /* as ops.def writes it: what a SHUFFLE pushes, or an OPERATION or BRANCH pops */
} java_effect;
ebb_status jvm_remote_effect(machine *m, ebb_arena *arena, machine_place place, java_effect *out, ebb_error *err) EBB_MUST_CHECK;

/* ---- objects ---------------------------------------------------------------------------------- */

/* EBB_NOT_FOUND if there is no object at that address now. */
ebb_status jvm_remote_class_of(machine *m, java_ref object, java_class_id *out, ebb_error *err) EBB_MUST_CHECK;
/* The class that a java.lang.Class object stands for; EBB_NOT_FOUND if it is no such object. */
ebb_status jvm_remote_class_mirrored(machine *m, java_ref mirror, java_class_id *out, ebb_error *err) EBB_MUST_CHECK;
/* Whether its static fields have got their first values. */
ebb_status jvm_remote_class_is_initialised(machine *m, java_class_id id, bool *out, ebb_error *err) EBB_MUST_CHECK;
ebb_status jvm_remote_field_get(machine *m, java_ref object, java_field_id field, java_word *out, ebb_error *err) EBB_MUST_CHECK; /* object 0: static */
ebb_status jvm_remote_field_set(machine *m, java_ref object, java_field_id field, java_word value, ebb_error *err) EBB_MUST_CHECK;
ebb_status jvm_remote_array_length(machine *m, java_ref array, uint32_t *out, ebb_error *err) EBB_MUST_CHECK;
ebb_status jvm_remote_array_get(machine *m, java_ref array, uint32_t from, uint32_t count, java_words *out, ebb_error *err) EBB_MUST_CHECK;
ebb_status jvm_remote_array_set(machine *m, java_ref array, uint32_t index, java_word value, ebb_error *err) EBB_MUST_CHECK;
typedef struct java_chars {
    const char *utf8; /* lone surrogates as WTF-8; in the arena */
    uint32_t length;  /* of the whole string, in chars */
} java_chars;
/* At most `at_most` chars of a java.lang.String. */
ebb_status jvm_remote_string(machine *m, ebb_arena *arena, java_ref string, uint32_t at_most, java_chars *out, ebb_error *err) EBB_MUST_CHECK;
ebb_status jvm_remote_identity_hash(machine *m, java_ref object, int32_t *out, ebb_error *err) EBB_MUST_CHECK; /* 0: nobody asked yet */

/* Between show and hide, all of these questions but that for a static field are about the objects as they were when a search listed that
 * hit, whatever they are now; so nothing may be set or called.  hide: false if something was asked that the search did not look at
 * (machine_search.depth), which was answered by EBB_UNAVAILABLE. */
void jvm_remote_picture_show(machine *m, const machine_listed *hit);
bool jvm_remote_picture_hide(machine *m);

/* The monitor's owner (0 free), and how often it entered. */
ebb_status jvm_remote_lock_of(machine *m, java_ref object, machine_tid *owner, unsigned *count, ebb_error *err) EBB_MUST_CHECK;

typedef struct java_frame_lock {
    java_ref object;
    int level; /* of the frame that entered it; -1: native code did */
} java_frame_lock;
typedef EBB_VEC(java_frame_lock) java_frame_locks;
/* The monitors that a thread holds, the innermost frame's first; one that it entered several times is there for each. */
ebb_status jvm_remote_frame_locks(machine *m, machine_tid tid, java_frame_locks *out, ebb_error *err) EBB_MUST_CHECK;

/* ---- what is alive ---------------------------------------------------------------------------- */

/* Objects that a collection would leave: of that very class, and those that refer to an object by a field or element.  at_most 0: all of them.
 * A copy is made to look into, unless a scratch copy is there; EBB_UNSUPPORTED: there are no copies. */
typedef EBB_VEC(java_ref) java_refs;
ebb_status jvm_remote_instances(machine *m, java_class_id cls, uint64_t at_most, java_refs *out, ebb_error *err) EBB_MUST_CHECK;
ebb_status jvm_remote_referrers(machine *m, java_ref object, uint64_t at_most, java_refs *out, ebb_error *err) EBB_MUST_CHECK;
typedef EBB_VEC(uint64_t) java_counts;
ebb_status jvm_remote_instance_counts(machine *m, const java_class_ids *classes, java_counts *out, ebb_error *err) EBB_MUST_CHECK;

/* ---- doing things ----------------------------------------------------------------------------- */

/* Whether there are such copies: a stock JVM has none, and between begin and end it is the program itself that is talked to. */
bool jvm_remote_has_copies(machine *m);
/* "demo/Main.java": what the program's own classes were compiled from, as it told when it ended; none before.  The machine's. */
size_t jvm_remote_last_sources(machine *m, const char *const **out);

/* JR3.  Nothing nests.  What was said to keep (points, events) doesn't stop anything in the copy.  What it prints goes nowhere;
 * files it reads from where the program had come to; making or changing a file, connecting, signalling and starting
 * processes is refused by the system, which Java sees as an IOException. */
ebb_status jvm_remote_scratch_begin(machine *m, ebb_error *err) EBB_MUST_CHECK;
void jvm_remote_scratch_end(machine *m);
bool jvm_remote_in_scratch(machine *m);

typedef struct java_invoke {
    machine_tid tid;
    java_ref object; /* 0: the method is static */
    java_method_id method;
    bool is_virtual; /* the one that the object's class selects; else that very one */
    const java_word *args;
    size_t n_args;
} java_invoke;

typedef struct java_invoked {
    java_word result;
    java_ref thrown; /* the exception that came out; 0: none */
} java_invoked;

/* Calls a method.  Ends with EBB_INTERRUPTED after `interrupt`.  Only in a scratch copy, or live, and then on the thread that
 * stopped only: the program goes on with what the call did.  Other threads run if it blocks. */
ebb_status jvm_remote_invoke(machine *m, const java_invoke *call, java_invoked *out, ebb_error *err) EBB_MUST_CHECK;

/* A lambda (an object that jvm_remote_new_lambda made) was called in the course of jvm_remote_invoke: fn gives what it gives back, or
 * `thrown`, or fails.  It may ask, and call, in between. */
typedef ebb_status jvm_remote_lambda_fn(void *self, java_ref lambda, const java_word *args, size_t n_args, java_invoked *out, ebb_error *err);
void jvm_remote_on_lambda(machine *m, jvm_remote_lambda_fn *fn, void *self);
ebb_status jvm_remote_new_lambda(machine *m, java_class_id interface, java_ref *out, ebb_error *err) EBB_MUST_CHECK; /* in a scratch copy */

/* How a thread leaves the method that it is in, when it goes on (agent/force.c).  Live only.  EBB_UNSUPPORTED: it can't where it is.
 * The innermost method returns that value; EBB_BAD_INPUT: it returns something else. */
ebb_status jvm_remote_return_early(machine *m, machine_tid tid, java_word value, ebb_error *err) EBB_MUST_CHECK;
/* The frame of that level and those above it are gone, and its call is about to be executed again. */
ebb_status jvm_remote_pop_frames(machine *m, machine_tid tid, unsigned level, ebb_error *err) EBB_MUST_CHECK;
/* It throws that exception. */
ebb_status jvm_remote_throw_in(machine *m, machine_tid tid, java_ref exception, ebb_error *err) EBB_MUST_CHECK;

ebb_status jvm_remote_new_string(machine *m, const char *utf8, java_ref *out, ebb_error *err) EBB_MUST_CHECK;
/* Loads a class as the code of `near` would (its loader); initialises it if asked. */
ebb_status jvm_remote_load_class(machine *m, java_class_id near, const char *name, bool initialise, java_class_id *out, ebb_error *err) EBB_MUST_CHECK;
ebb_status jvm_remote_new_object(machine *m, java_class_id cls, java_ref *out, ebb_error *err) EBB_MUST_CHECK; /* fields zero, no constructor run */
ebb_status jvm_remote_new_array(machine *m, const char *descriptor, uint32_t length, java_ref *out, ebb_error *err) EBB_MUST_CHECK; /* "[I" */

/* Classes that a step doesn't stop in: patterns "java.*", "*.Proxy"; a step goes on through their methods to those they
 * call that match none.  At first those of the JDK's own modules (is_library). */
ebb_status jvm_remote_step_filter(machine *m, const char *const *patterns, size_t n, bool library_too, ebb_error *err) EBB_MUST_CHECK;

/* What the undo log keeps: patterns of class names with a `+` or `-` in front, the last that matches decides; the method before
 * whose first call nothing is kept, or NULL.  Where other code runs the log is cut, never wrong. */
ebb_status jvm_remote_undo_choose(machine *m, const char *const *patterns, size_t n, const char *first_method, ebb_error *err) EBB_MUST_CHECK;

/* ---- object flow (flow/flow.h) ----------------------------------------------------------------- */

typedef struct java_flow_choice {
    enum java_flow_mode mode;
    bool no_origins, no_predecessors;
    uint32_t kinds;              /* bits by java_alias_kind; 0: all */
    uint64_t limit;              /* bytes of aliases; 0: as many as is usual */
    const char *const *patterns; /* whose code is followed, as in jvm_remote_undo_choose; n_patterns 0: all */
    size_t n_patterns;
} java_flow_choice;

/* In the debuggee that is shown, which forgets what it knew: the program itself, or a copy that replays, with what comes of it later.  Others, and snapshots
 * that were taken before, go on as they were.  While it is on, no undo log is kept there. */
ebb_status jvm_remote_flow_set(machine *m, const java_flow_choice *choice, ebb_error *err) EBB_MUST_CHECK;

typedef struct java_flow_extent {
    enum java_flow_mode mode;
    uint64_t since;              /* timestamp */
    uint64_t made, alive, nbytes; /* aliases; of those alive */
    bool dropped;                /* some were forgotten, since they did not fit */
} java_flow_extent;
ebb_status jvm_remote_flow_extent(machine *m, java_flow_extent *out, ebb_error *err) EBB_MUST_CHECK;

typedef struct java_alias_at {
    enum java_alias_of what;
    uint64_t object;             /* or a frame's id (JAVA_SPACE_LOCAL), or the number of an alias */
    uint32_t offset;             /* of the field or element; slot */
    uint8_t nbytes;              /* of the field or element */
    bool predecessors;           /* on from each to its predecessor, not to its origin */
    uint32_t at_most;
} java_alias_at;

typedef struct java_alias {
    uint64_t number;             /* good as long as the debuggee stands */
    java_alias_kind kind;
    uint64_t time;               /* the moment before the instruction: a position to go to; 0: before flow was on.  NATIVE and RETURN of a native method: */
    machine_place place;         /* the bytecode index is 0xffff */
    uint64_t origin, predecessor, context; /* numbers; 0: not known.  A context is the alias of an INVOCATION, whose own is the caller's */
    bool has_value;
    uint64_t value;              /* as in a slot: a number, or the address of an object, which may be gone */
    uint32_t slot;               /* PARAMETER: the local variable of the callee */
    bool is_hidden;              /* in code that stack traces leave out */
} java_alias;
typedef EBB_VEC(java_alias) java_aliases;

/* How what is there came there, newest first: an alias, its origin and so on; none: nothing is known.  EBB_NO_HISTORY: flow is off. */
ebb_status jvm_remote_aliases(machine *m, const java_alias_at *at, java_aliases *out, ebb_error *err) EBB_MUST_CHECK;

/* ---- threads apart (undo/apart.h) -------------------------------------------------------------- */

/* Where a thread is to be: at a moment at which it ran. */
typedef struct jvm_remote_target {
    machine_tid thread;
    uint64_t time;
    machine_place place;
} jvm_remote_target;

/* In a replaying debuggee: what is shown from now on parts from here, */
ebb_status jvm_remote_part(machine *m, ebb_error *err) EBB_MUST_CHECK;
/* with these threads where they were then.  All calls talk to that, and resume runs it, until it is hidden; if that fails nothing is
 * shown. */
ebb_status jvm_remote_show_apart(machine *m, const jvm_remote_target *targets, size_t n, ebb_error *err) EBB_MUST_CHECK;
void jvm_remote_hide_apart(machine *m);
bool jvm_remote_has_run_apart(machine *m); /* what is shown went on */
void jvm_remote_rejoin(machine *m); /* hidden, and parted no more */

#endif
