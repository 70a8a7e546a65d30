/* flow.h - object flow: aliases, which tell how each value came to where it is (paper 004, Lienhard, Girba and Nierstrasz).
 *
 * What it is for.  While flow is on, every value that lies in a field, an element, a static, a local variable or on an operand stack has an
 * *alias*: a small record of how it came there.  An alias knows its kind, its moment, the method invocation it happened in (its *context*), the value, the
 * alias that the value had before (its *origin*) and, if it is a write, the alias of what the place held before (its *predecessor*).  So where a value
 * comes from and what a field was before are answered from memory.  It works for references, null and every primitive type.
 *
 * Where aliases are.  Not in the Java heap: the program, its collections, addresses and hashes are those of a run without them.  The heap never moves an
 * object, so beside each 4 bytes of it, at a fixed distance, lies the number of the alias of what is there (the *shadow*); beside each slot of a
 * Java stack lie two words, its *cell* (cells.h).  What a method computes, reads or finds as a constant stays in the cell, and so does an argument; a record is
 * made when the value leaves the method or is written.  Then what the cell says is kept in the same record (its *source*), if it fits.
 *     The context is told by the record itself, in the first ticks of a call; later the call has a record of its own (jvm_context).
 *     What only arithmetic, a jump or an address takes has no cell (engine/bare.h): nobody could ask about it but a debugger that stops right there.
 *     The first words of an object's shadow, beside its header, tell the alias of its allocation.
 *
 * How they go.  Records that only cells hold are young: those which nothing leads to when there are many are gone at once (young.c).  Of the old ones the ordinary collection, if
 * there are many new ones, frees every one that no shadow of a live object, no cell of a stack and no other alias leads to (aliases.c).  Nothing else is kept anywhere.
 * What would not fit into the limit is forgotten, oldest first: predecessors, then origins (JVM_ALIAS_DROPPED).
 *     Where only last writes are kept there are no records at all (last.c).  Where predecessors are not kept, writes are young as well.  Where origins are not kept there are no
 * cells: the interpreter is that of last writes, and makes records.
 *
 * How they are made.  By a variant of the interpreter, from the same handlers (engine/interp.h); the plain one is not touched, and off costs nothing.
 * C code writes to the heap through heap/object.h, which tells of it (told.h): an alias of kind NATIVE names the method.  Natives that pass a value on
 * (Unsafe, arraycopy, clone) say so, and the alias has an origin.
 *
 * FO1  what the program, the recording, a state hash or the clock of the machine can see does not depend on whether flow is on or which switches are;
 * FO2  no shadow or cell is stale: whoever changes the value changes it.  If somebody did not, the value in the alias differs, and it is said not to be known;
 * FO3  number 0: nothing is known, since the value was there before flow was on.  If the object was made since, the place was never written: an INIT;
 * FO4  a record is not changed after it was made, except that what it leads to may move or be forgotten;
 * FO5  aliases keep no object alive.  An object that is gone is told as such, though another may lie at its address now;
 * FO6  while flow is on no undo log is kept: a step back replays from a snapshot.  A snapshot or copy has the aliases that the process had;
 * FO8  flow may be switched while a thread waits in the middle of an instruction, which goes on in the variant of the interpreter that it began in: cells are there,
 *      though empty, from the first time on, and whatever follows a wait asks whether flow is still on before it touches shadows or records. */
#ifndef EBB_JVM_FLOW_FLOW_H
#define EBB_JVM_FLOW_FLOW_H

#include "base/error.h"
#include "jvm/engine/frame.h"
#include "jvm/flow/told.h"
#include "jvm/wire/alias_kinds.h"

typedef struct jvm_flow_choice {
    uint8_t mode;                /* enum java_flow_mode */
    bool no_origins, no_predecessors;
    uint32_t kinds;              /* bits by java_alias_kind of links that are kept; 0: all.  Others are passed over: the origin is that of the one left out */
    uint64_t limit;              /* bytes of aliases; 0: JVM_FLOW_LIMIT */
    const char *const *patterns; /* of class names, with `+` or `-` in front, the last that fits decides: whose code is followed.  Writes of other code are known as such */
    size_t n_patterns;
} jvm_flow_choice;

/* At a stop.  Everything that is known is forgotten first.  Fails if the heap is not where its shadow would be, or there is no room. */
ebb_status jvm_flow_set(const jvm_flow_choice *choice, ebb_error *err);

/* EBB_FLOW=on|writes|null|no-predecessors|no-origins|some-kinds|some-classes in the environment, for tests and figures: from the end of the boot on.  EBB_FLOW_CHECK: FO2 is checked at each collection. */
void jvm_flow_init(void);

typedef struct jvm_flow_extent {
    uint8_t mode;
    uint64_t since;              /* timestamp at which it was switched on */
    uint64_t made, alive;        /* aliases: ever; at the last collection and made since */
    uint64_t nbytes;             /* of the aliases alive */
    uint64_t n_collections;
    bool dropped;                /* some history was forgotten, since it did not fit */
} jvm_flow_extent;
jvm_flow_extent jvm_flow_get(void);

/* ---- reading ---- */

/* Numbers as they travel to ebb: that of a record, or with JVM_ALIAS_SOURCE the link before it that is kept in the same record; or, with
 * JVM_ALIAS_CELL, the link that the cell of a slot holds, by the slot's address.  All are good until the program moves. */
#define JVM_ALIAS_SOURCE ((uint64_t)1 << 32)
#define JVM_ALIAS_CELL ((uint64_t)1 << 63)
#define JVM_ALIAS_LAST ((uint64_t)1 << 62) /* the last write of a place, by its address, where only these are kept */

typedef struct jvm_alias_told {
    uint64_t number;             /* 0: nothing is known */
    uint8_t kind;                /* java_alias_kind */
    uint64_t time, place;        /* the moment before the instruction that made it */
    uint64_t origin, predecessor, context; /* numbers; 0: none */
    uint64_t value;              /* raw bits */
    bool has_value;
    uint32_t slot;               /* PARAMETER: the callee's local variable */
} jvm_alias_told;

uint64_t jvm_alias_of_address(const jvm_obj *o, const void *at, size_t nbytes); /* of the field, static or element there; FO2, FO3 */
uint64_t jvm_alias_of_slot(const jvm_slot *slot);      /* of a local variable or operand of a frame */
uint64_t jvm_alias_of_object(const jvm_obj *o);        /* its allocation */
bool jvm_alias_get(uint64_t number, jvm_alias_told *out); /* false: there is none with that number */

/* Aliases that have this object as their value and are there still, oldest first, at most so many. */
size_t jvm_alias_travels(const jvm_obj *o, uint64_t *numbers, size_t at_most);

#endif
