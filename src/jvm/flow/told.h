/* told.h - for those who write to the Java heap from C: what object flow (flow.h) has to be told.
 *
 * Apart from flow.h because heap/object.h, at the bottom of everything, needs it.  All of it does nothing unless flow is on. */
#ifndef EBB_JVM_FLOW_TOLD_H
#define EBB_JVM_FLOW_TOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jvm_obj;
struct jvm_thread;
union jvm_slot;

extern bool jvm_flow_on;

void jvm_flow_written_(const struct jvm_obj *o, void *at, size_t nbytes); /* C code is about to write there: a native method did */
void jvm_flow_made_(struct jvm_obj *o, size_t nbytes);  /* o was just given out by the heap */
void jvm_flow_mapped_(void *at, size_t nbytes, bool is_mapped); /* a large object's mapping comes or goes */
void jvm_flow_stack_(void *at, size_t nbytes);          /* a Java stack's cells, empty */

static inline void jvm_flow_written(const struct jvm_obj *o, void *at, size_t nbytes)
{
    if (__builtin_expect(jvm_flow_on, 0))
        jvm_flow_written_(o, at, nbytes);
}

static inline void jvm_flow_made(struct jvm_obj *o, size_t nbytes)
{
    if (__builtin_expect(jvm_flow_on, 0))
        jvm_flow_made_(o, nbytes);
}

static inline void jvm_flow_mapped(void *at, size_t nbytes, bool is_mapped)
{
    if (__builtin_expect(jvm_flow_on, 0))
        jvm_flow_mapped_(at, nbytes, is_mapped);
}

static inline void jvm_flow_stack(void *at, size_t nbytes)
{
    if (__builtin_expect(jvm_flow_on, 0))
        jvm_flow_stack_(at, nbytes);
}

/* ---- what natives pass on ---- */

/* The value that a native method wrote to `to` lay in a slot of its arguments, or at `from` in the heap.  After jvm_flow_written. */
void jvm_flow_wrote_(void *to, size_t nbytes, const union jvm_slot *argument);
void jvm_flow_copied_(void *to, const void *from, size_t nbytes, size_t element); /* before the bytes are copied */
void jvm_flow_fetched_(struct jvm_thread *t, const void *from, size_t nbytes); /* the native's result comes from there */
/* Arguments that C code passes to Java lie in `place` on the Java stack; `args`: where they were before. */
void jvm_flow_calls_(struct jvm_thread *t, union jvm_slot *place, const union jvm_slot *args, size_t n);

static inline void jvm_flow_wrote(void *to, size_t nbytes, const union jvm_slot *argument)
{
    if (__builtin_expect(jvm_flow_on, 0))
        jvm_flow_wrote_(to, nbytes, argument);
}

static inline void jvm_flow_copied(void *to, const void *from, size_t nbytes, size_t element)
{
    if (__builtin_expect(jvm_flow_on, 0))
        jvm_flow_copied_(to, from, nbytes, element);
}

static inline void jvm_flow_fetched(struct jvm_thread *t, const void *from, size_t nbytes)
{
    if (__builtin_expect(jvm_flow_on, 0))
        jvm_flow_fetched_(t, from, nbytes);
}

static inline void jvm_flow_calls(struct jvm_thread *t, union jvm_slot *place, const union jvm_slot *args, size_t n)
{
    if (__builtin_expect(jvm_flow_on, 0))
        jvm_flow_calls_(t, place, args, n);
}

/* ---- the collector's ---- */

void jvm_flow_settle(void);  /* before any object goes */
void jvm_flow_collect_after_heap(void); /* dead objects are known; if it is worth the time */
void jvm_flow_collect(void);
extern bool jvm_flow_due;
void jvm_flow_collect_due_(void);
static inline void jvm_flow_collect_if_due(void) /* between two bytecodes, everything saved */
{
    if (__builtin_expect(jvm_flow_due, 0))
        jvm_flow_collect_due_();
}

#endif
