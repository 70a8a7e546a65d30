/* heap.h - the Java heap: allocation, roots, collection.
 *
 * A non-moving, precise mark-sweep heap.  Small objects come from 64 KiB blocks of one size class
 * each, swept when the allocator gets to them; large ones have a mapping of their own.  Mark bits lie
 * beside the blocks, so that a forked snapshot shares the pages of objects that nobody wrote.
 *
 * When it collects is a function of the bytes allocated since the last time, the bytes that
 * survived, and -Xmx: never of time or addresses.
 *
 * The rule that makes it precise without ceremony:
 *
 * H1  the collector runs only at GC points.  GC points are: allocation by bytecode, jvm_gc_point(),
 *     jvm_gc_reserve(), jvm_gc(), everything that may run Java code (jvm_call*, class initialisation, loading through a
 *     class loader object, resolution) and everything that may switch threads (monitor enter, wait,
 *     park, sleep, blocking input);
 * H2  the jvm_new_* functions are NOT GC points: C code may hold plain jvm_obj pointers across them;
 * H3  across a GC point C code keeps an object alive by a handle (handles.h), by having it in a slot
 *     of a Java frame (arguments of natives are), or by a registered root;
 * H4  because objects never move, a plain pointer stays valid as long as the object is held by H3.
 *
 * So a native that allocates much calls jvm_gc_point() or jvm_gc_reserve() first, while it holds
 * nothing but its arguments; the JNI functions and JVM_* exports do so at entry. */
#ifndef EBB_JVM_HEAP_HEAP_H
#define EBB_JVM_HEAP_HEAP_H

#include "jvm/heap/object.h"

void jvm_heap_init(uint64_t max_bytes); /* reserves address space at a fixed place if it can */

/* Zeroed objects.  NULL with OutOfMemoryError pending when even the reserve is used up; a negative or
 * absurd length is the caller's to check (jvm_array_length_ok).  `cls` must be loaded; linked for objects. */
jvm_obj *jvm_new_object(jvm_thread *t, jvm_class *cls);
jvm_obj *jvm_new_array(jvm_thread *t, jvm_class *array_class, int32_t length); /* of any element type */
jvm_obj *jvm_new_prim_array(jvm_thread *t, char element_type, int32_t length);
/* Told of each object that was made, as long as somebody watches data; NULL: nobody does. */
extern void (*jvm_alloc_hook)(jvm_obj *o, size_t nbytes);
jvm_obj *jvm_new_sized(jvm_thread *t, jvm_class *cls, size_t nbytes);          /* mirrors */
jvm_obj *jvm_clone(jvm_thread *t, jvm_obj *o);                                 /* shallow; no checks */

size_t jvm_obj_size(const jvm_obj *o); /* bytes that the object occupies by its class and length */

/* GC points (H1). */
void jvm_gc_point(jvm_thread *t);                    /* collects if it is time to */
bool jvm_gc_reserve(jvm_thread *t, uint64_t nbytes); /* makes room, or OutOfMemoryError pending and false */
void jvm_gc(jvm_thread *t);                          /* collects now: System.gc() */

/* More roots: a function that calls visit on each address of a reference it knows. */
typedef void jvm_visit_fn(jvm_obj **slot, void *arg);
typedef void jvm_roots_fn(jvm_visit_fn *visit, void *arg);
void jvm_heap_add_roots(jvm_roots_fn *roots);

/* Every live object in address order, the dead ones not yet swept left out; for queries and checks. */
void jvm_heap_each(void (*visit)(jvm_obj *o, void *arg), void *arg);
bool jvm_heap_holds(const void *p); /* p is the start of an allocated object */
bool jvm_heap_has_address(const void *p); /* p lies in the range of small objects, whatever is there */
/* The inverse of giving `o` out, for the undo log: of all objects that were given out since the last collection and not taken
 * back, o is the last.  The next allocation of its size gives it out again. */
void jvm_heap_ungive(jvm_obj *o);

typedef struct jvm_heap_stats {
    uint64_t max, used, committed;          /* bytes */
    uint64_t allocated_total, ncollections; /* since the start */
} jvm_heap_stats;
jvm_heap_stats jvm_heap_get_stats(void);

/* java.lang.ref: the list of references that the collector cleared, linked by `discovered`. */
jvm_obj *jvm_refs_take_pending(void);        /* and empties it; NULL when there is none */
bool jvm_refs_has_pending(void);
void jvm_refs_wait_pending(jvm_thread *t);   /* blocks this green thread */

#endif
