/* places.h - how the two ends of the socket name what is in a Java program.
 *
 * Places.  A place is a class, one of its methods, and a bytecode index: serial << 32 | method << 16 | bci.  Classes are
 * numbered in the order of their definition, which is part of the execution, so a place means the same in every replay.
 *
 * Objects are named by the address at which they lie.  The collector never moves one, and what is there at a moment
 * of the execution is there at that moment in every replay.
 *
 * Data points (machine_point):
 *     space JAVA_SPACE_OBJECT   addr is the object's address + the field's offset, or an array's + the element's;
 *     space JAVA_SPACE_FIELD    addr is a field's id: that field of every object;
 *     space JAVA_SPACE_LOCAL    addr is a frame's id | slot: a local variable of that frame, and going back, of
 *                               those that the same method had in its place before.  Where one begins is told as
 *                               new; with nbytes 0 nothing else is;
 *     space JAVA_SPACE_REFERENCE addr is an object's: instructions that pass its reference on (agent/travel.c), whatever the point's kind.  A hit tells the
 *                               frame in `object` and the instruction in `was`.  That the object is made is told as new; with nbytes 0 nothing
 *                               else is.  C code that passes it on is not seen. */
#ifndef EBB_JVM_WIRE_PLACES_H
#define EBB_JVM_WIRE_PLACES_H

#include "machine/types.h"

enum { JAVA_SPACE_OBJECT = 1, JAVA_SPACE_FIELD = 2, JAVA_SPACE_LOCAL = 3, JAVA_SPACE_REFERENCE = 4 };

typedef uint32_t java_class_id;  /* serial; 0 is none */
typedef uint64_t java_method_id; /* serial << 32 | index << 16: the place of its first bytecode */
typedef uint64_t java_field_id;  /* serial << 32 | index, of the declaring class */
typedef uint64_t java_ref;       /* an object; 0 is null */

/* What one instruction does with values, as far as it moves them. */
#define JAVA_EFFECTS(X)                                                                            \
    X(OTHER)         /* it moves none */                                                           \
    X(CONSTANT)      /* pushes what the class file says */                                         \
    X(LOAD)          /* from a local variable to the stack */                                      \
    X(STORE)         /* the other way */                                                           \
    X(SHUFFLE)       /* from the stack to the stack */                                             \
    X(CAST)          /* leaves a reference where it is */                                          \
    X(FIELD_READ)    X(FIELD_WRITE)                                                                \
    X(STATIC_READ)   X(STATIC_WRITE)                                                               \
    X(ELEMENT_READ)  X(ELEMENT_WRITE)                                                              \
    X(CALL)          X(RETURN)     /* with a value, or without */                                  \
    X(NEW)           X(THROW)                                                                      \
    X(OPERATION)     /* computes something from what it pops, or from a local variable (iinc) */   \
    X(BRANCH)        /* chooses where to go on by what it pops */
typedef enum java_effect_kind {
#define X(name) JAVA_EFFECT_##name,
    JAVA_EFFECTS(X)
#undef X
} java_effect_kind;

static inline java_method_id java_place_method(machine_place place) { return place & ~(machine_place)0xffff; }
static inline unsigned java_place_bci(machine_place place) { return (unsigned)(place & 0xffff); }
static inline java_class_id java_place_class(machine_place place) { return (java_class_id)(place >> 32); }

#endif
