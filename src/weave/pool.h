/* pool.h - the constant pool of a class that is being changed.
 *
 * The entries that were read keep their numbers; new ones are added after them.
 *
 * WP1  an entry that is there already is not added again;
 * WP2  where the pool is full, adding gives 0 and `is_full` stays set. */
#ifndef EBB_WEAVE_POOL_H
#define EBB_WEAVE_POOL_H

#include "base/arena.h"
#include "weave/bytes.h"

typedef struct weave_pool {
    const uint8_t **entries; /* of those that were read: the tag; NULL for 0 and the second halves of longs */
    uint16_t n;              /* read, the 0th included */
    weave_span read;         /* all of them */
    ebb_buf added;
    uint16_t nadded;
    bool is_full;
} weave_pool;

/* False: not a constant pool. */
bool weave_pool_read(weave_pool *pool, weave_in *in, ebb_arena *arena);
void weave_pool_write(const weave_pool *pool, ebb_buf *out);
void weave_pool_fini(weave_pool *pool);

/* What was read there, or {NULL, 0} if it is something else. */
weave_span weave_pool_utf8(const weave_pool *pool, uint16_t index);
weave_span weave_pool_class_name(const weave_pool *pool, uint16_t index);
bool weave_pool_is(const weave_pool *pool, uint16_t index, const char *utf8);

/* A field or method that is named there: {NULL...} if it is something else. */
typedef struct weave_member {
    weave_span cls, name, type;
} weave_member;
weave_member weave_pool_member(const weave_pool *pool, uint16_t index);
/* The field or method that a method handle is of. */
weave_member weave_pool_handle(const weave_pool *pool, uint16_t index);

uint16_t weave_pool_add_int(weave_pool *pool, int32_t value);
uint16_t weave_pool_add_utf8(weave_pool *pool, const char *text);
uint16_t weave_pool_add_class(weave_pool *pool, const char *name);
uint16_t weave_pool_add_method(weave_pool *pool, const char *class_name, const char *name, const char *descriptor);

#endif
