/* queries.h - what people really ask about the past, over the timeline and nothing else.
 *
 * Last write and values watch a range of data (a reverse watchpoint).  A write counts if it changed a byte of it, or of a bit-field one of its bits; the position
 * of a write is that of the instruction that wrote, where the machine tells it, else the first moment after.  Where the machine tells
 * that the thing came into being (machine_stop.is_new), what was in its place before was something else: that is where they end.
 *
 * Bisect looks for the first moment at which a condition is false, by halving time.  It looks at few moments, so it is right
 * only if the condition, once false, stays false up to now (paper: Maruyama and Terada 2003, 2.3.3).  If it doesn't, what is found
 * is still a moment at which it becomes false, just not always the first.
 *
 * Q1  values leaves the timeline where it was; last write and bisect go to what they found, or stay where they were if they
 *     fail;
 * Q2  the points that are set otherwise stop nothing;
 * Q3  an interrupt ends a query with EBB_INTERRUPTED. */
#ifndef EBB_TIME_QUERIES_H
#define EBB_TIME_QUERIES_H

#include "time/timeline.h"

typedef struct ebb_data {
    uint32_t space;
    machine_addr addr;
    uint64_t nbytes;
    uint64_t bits; /* only these of them are the thing (machine_point.bits); 0: all are */
    /* Things come and go in this place, frames for instance, so that a look from the beginning of history would meet more of others than of
     * this one.  The machine tells where each began for a point of no bytes. */
    bool comes_and_goes;
    /* Another way to tell it: an EXEC point that is set, at whose last hit before now the thing came into being; 0: none. */
    machine_point_id born_at;
} ebb_data;

/* The debuggee stands right after a write: is it to the thing that was asked about, or was something else in that place
 * then?  NULL: it always is. */
typedef struct ebb_data_filter {
    void *self;
    ebb_status (*is_it)(void *self, bool *is_it, ebb_error *err);
} ebb_data_filter;

/* Back to before the last write, also one that changed nothing, where the machine tells of these (MACHINE_POINT_STORE).  *stop is POINT; EBB_NOT_FOUND if it was never written, as far back as history or the thing goes. */
ebb_status ebb_query_last_write(ebb_timeline *tl, const ebb_data *data, const ebb_data_filter *filter, machine_stop *stop,
                                ebb_error *err) EBB_MUST_CHECK;

typedef enum ebb_value_from {
    EBB_VALUE_WRITTEN,
    EBB_VALUE_OLDEST, /* it was there when history begins */
    EBB_VALUE_NEW,    /* the thing came into being: values told before were not its own; there may be nothing to read yet */
} ebb_value_from;

/* Called with the debuggee standing where the value is there to be read: first at the beginning of history or of the thing, then
 * after each write.  A status other than EBB_OK ends the query with it. */
typedef struct ebb_value_visitor {
    void *self;
    ebb_status (*value)(void *self, ebb_position written_at, ebb_value_from from, ebb_error *err);
    /* Where the bytes alone tell the value (at most 8, in the order of memory, if hit->has_is): called instead after writes, of
     * which the machine then tells many at once.  The debuggee stands anywhere, and no filter is asked.  NULL: they don't. */
    ebb_status (*bytes)(void *self, ebb_position written_at, ebb_value_from from, const machine_listed *hit, ebb_error *err);
    /* The bytes are a reference, and hit->picture shows what it led to.  EBB_UNAVAILABLE from `bytes`: not enough of it.  Then that write is
     * looked at again, with more; and at a stop, by `value`, where the most that a picture shows is too little. */
    bool is_reference;
} ebb_value_visitor;

/* All values up to now. */
ebb_status ebb_query_values(ebb_timeline *tl, const ebb_data *data, const ebb_data_filter *filter, const ebb_value_visitor *visitor,
                            ebb_error *err) EBB_MUST_CHECK;

/* Whether it holds at this moment.  What can't be said (a variable that isn't there) counts as holding. */
typedef struct ebb_condition {
    void *self;
    ebb_status (*holds)(void *self, bool *holds, ebb_error *err);
    /* Moves the timeline on to the first moment, this one or a later one, at which it makes sense to ask: an invariant of a
     * function doesn't have to hold while what it called is at work.  NULL: every moment. */
    ebb_status (*arrive)(void *self, ebb_error *err);
    /* It is known to hold there, and no moment before that is looked at.  NULL: the beginning of history. */
    const ebb_position *from;
} ebb_condition;

/* To the first moment before now at which it doesn't hold: POSITION, or HISTORY_START if it is so from the beginning.
 * EBB_BAD_INPUT if it holds now. */
ebb_status ebb_query_bisect(ebb_timeline *tl, const ebb_condition *condition, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;

#endif
