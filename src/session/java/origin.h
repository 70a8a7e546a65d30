/* origin.h - how a value of a Java program is followed back: what the files of it share.
 *
 * A *datum* is where the value is at the moment at which the debuggee stands: a local variable or a slot of the operand stack of a frame, or a
 * *cell*, which is a field, static or element in the heap.  One step back finds the instruction that put it there:
 *
 *   - into a slot of a frame, one of few instructions of its method may have (jvm_remote_slot_writers): the one that the frame executed last did.  If
 *     it executed none, the caller passed it;
 *   - into a cell, whichever wrote it last: a point on the cell tells.  If none did since the object was made, it has its first value.
 *
 * What that instruction takes the value from is the next datum.  Only the stretch of the past that the question needs is replayed.
 *
 * JO1  the value is the same in every datum of the chain, but for conversions from one type of numbers to another.  Where it isn't, something was passed on that is not understood: the chain ends there
 *      and says so, it never guesses;
 * JO2  moves between local variables and the operand stack are no links, but for an assignment of one variable to another;
 * JO4  a small number lies in a box that the class library shares, made before all: who put the number there says nothing.  The box is followed
 *      instead, to the call of valueOf that gave it out, and from there the number again.  So is a box that was asked about itself, large or small;
 * JO3  frames that backtraces hide (the insides of lambdas and method handles) are followed, but add no links;
 * JO5  which of several instructions put a value into a slot may have been chosen by a branch, also where the move itself is no link: `a ? b : c`. */
#ifndef EBB_SESSION_JAVA_ORIGIN_H
#define EBB_SESSION_JAVA_ORIGIN_H

#include "session/java/trail.h"
#include "session/origin.h"

typedef struct ses_java_datum {
    enum { SES_JAVA_LOCAL, SES_JAVA_STACK, SES_JAVA_CELL } kind;
    machine_tid thread;  /* LOCAL, STACK */
    uint64_t frame;
    unsigned slot;
    java_ref holder;     /* CELL: the object or array that it lies in, or the mirror of its class */
    machine_addr addr;
    const char *name;    /* the field's, or NULL: it is an element */
    bool is_static;
} ses_java_datum;

/* JO5: one of several instructions that could have put the value into a slot did. */
typedef struct ses_java_choice {
    ses_java_spot spot;  /* that one; */
    ebb_position at;     /* the debuggee stands there then, or where it had been done */
    machine_place used;  /* what took the value from the slot */
    size_t n_told;       /* links of the chain, up to that move */
} ses_java_choice;
typedef EBB_VEC(ses_java_choice) ses_java_choices;

typedef struct ses_java_chain {
    session *s;
    ebb_arena *arena;
    ses_origin_links *out;
    ses_java_datum datum;
    char letter;         /* of the value's descriptor */
    uint64_t bits;       /* as in a slot; of 4 bytes, the upper ones say nothing */
    const char *text;    /* printed */
    bool is_over;
    bool was_stored;     /* into a local variable, from what is looked for now */
    const char *variable; /* that one's name */
    unsigned depth;       /* of its links */
    machine_place to;     /* of the next link: ses_origin_link.to */
    ses_java_choices *choices; /* to be noted (JO5), or NULL */
    struct {              /* JO4: the box of a number is followed instead; letter 0: no */
        char letter;
        uint64_t bits;
    } boxed;
} ses_java_chain;

/* A frame of a thread, by number or by level, with the one that called it. */
typedef struct ses_java_frames_of {
    java_frame frame, caller;
    unsigned level;
    bool has_caller;
} ses_java_frames_of;
bool ses_java_chain_frame(ses_java_chain *c, machine_tid thread, uint64_t id, ses_java_frames_of *out); /* id 0: the innermost */

/* The nearest frame of Java outside of that one, over native ones; false: there is none. */
bool ses_java_chain_outer(ses_java_chain *c, machine_tid thread, const ses_java_frames_of *of, java_frame *outer);

/* What is followed: what the expression names, or "" at an exception; or a slot of the operand stack of a frame, of the type that a letter of ops.def or
 * of a descriptor tells.  False: the slot is not there. */
ebb_status ses_java_chain_aim(ses_java_chain *c, const char *expression, ebb_error *err) EBB_MUST_CHECK;
bool ses_java_chain_aim_at_slot(ses_java_chain *c, const ses_java_datum *slot, char letter);
bool ses_java_chain_aim_at_element(ses_java_chain *c, java_ref array, uint32_t index); /* of an array of objects */
/* At an exception that the machine threw, what its instruction failed on (origin_culprit.c). */
ebb_status ses_java_chain_aim_at_culprit(ses_java_chain *c, ebb_error *err) EBB_MUST_CHECK;
/* Until the chain is over, or so many links were added. */
ebb_status ses_java_chain_follow(ses_java_chain *c, size_t max_links, ebb_error *err) EBB_MUST_CHECK;

/* The letter of the number that the method at that place makes a box of (JO4); 0: of none. */
char ses_java_boxes(session *s, machine_place place);

/* JO5: whether something decides that the instruction puts the value into a slot, but not in the same way that it is used from there (decide.c). */
bool ses_java_is_choice(session *s, machine_place place, machine_place used);

/* ---- origin_aliases.c ---- */

/* Until the chain is over, if aliases tell all of it; else nothing is added, and it is not over. */
ebb_status ses_java_chain_by_aliases(ses_java_chain *c, ebb_error *err) EBB_MUST_CHECK;
/* As far as they tell, which is said where it is not to the end (JA4). */
ebb_status ses_java_chain_as_known(ses_java_chain *c, ebb_error *err) EBB_MUST_CHECK;
/* The kind and the words of a link, but for whom a value was passed to. */
void ses_java_alias_words(ses_java_chain *c, const java_alias *a, const java_effect *e, ses_origin_link *link);
java_alias_at ses_java_alias_of_datum(const ses_java_chain *c);
bool ses_java_alias_has_value(const ses_java_chain *c, const java_alias *a);
bool ses_java_alias_has_place(const java_alias *a); /* an instruction, at a known moment */

/* Which object `flow` is about, and how it is printed (flow.c). */
ebb_status ses_java_flow_object(session *s, ebb_arena *arena, const char *expression, java_ref *object, const char **text, ebb_error *err) EBB_MUST_CHECK;

/* A number is made into one of another type there. */
bool ses_java_is_conversion(session *s, machine_place place);
/* The insides of a lambda or method handle. */
bool ses_java_is_inside_of_lambda(session *s, machine_place place);
/* Puts the method and line of an instruction into a link. */
void ses_java_link_place(session *s, ebb_arena *arena, machine_place place, ses_origin_link *link);

void ses_java_chain_add(ses_java_chain *c, ses_origin_kind kind, const char *format, ...) __attribute__((format(printf, 3, 4)));
void ses_java_chain_end(ses_java_chain *c, ses_origin_kind kind, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* JO1: goes on there if the value is there; else the chain is over. */
void ses_java_chain_go_on(ses_java_chain *c, ses_java_datum datum);
bool ses_java_chain_is(const ses_java_chain *c, uint64_t bits); /* these bits are the value */
/* The object that is followed was made there: the end of the chain. */
ebb_status ses_java_chain_to_birth(ses_java_chain *c, ebb_error *err) EBB_MUST_CHECK;
bool ses_java_chain_read(ses_java_chain *c, const ses_java_datum *datum, uint64_t *bits);
ses_java_datum ses_java_stack_slot(machine_tid thread, uint64_t frame, unsigned slot);
unsigned ses_java_chain_slots(const ses_java_chain *c); /* that the value takes */
char *ses_java_chain_method(ses_java_chain *c, machine_place place); /* "Main.add"; the arena's */

/* ---- origin_native.c: what native methods pass on ---- */

/* The debuggee stands before a call of a native method, in `frame` of `thread`, that wrote the cell, */
void ses_java_native_write(ses_java_chain *c, machine_tid thread, const java_frame *frame, const java_effect *call);
/* or made the object that it lies in, */
void ses_java_native_birth(ses_java_chain *c, machine_tid thread, const java_frame *frame, const java_effect *call);
/* or returned the value. */
void ses_java_native_result(ses_java_chain *c, machine_tid thread, const java_frame *frame, const java_effect *call);
/* The debuggee stands at the first instruction of a method that C code called with the value as a parameter. */
ebb_status ses_java_native_parameter(ses_java_chain *c, const ses_java_frames_of *callee, ebb_error *err) EBB_MUST_CHECK;
/* A native method called Java code to get what it returns, and returns that as it is, a number in a box; */
bool ses_java_native_hands_back(ses_java_chain *c, const java_frame *native);
/* it is that one which is called there. */
bool ses_java_native_boxes(const java_effect *call);

#endif
