/* arena.h - memory that is freed all at once.
 *
 * A1  what an arena gives out stays where it is until the arena is reset or freed;
 * A2  it is zeroed and aligned for any type. */
#ifndef EBB_BASE_ARENA_H
#define EBB_BASE_ARENA_H

#include <stddef.h>

typedef struct ebb_arena {
    struct ebb_arena_block *head; /* the block being filled; older ones after it */
} ebb_arena;                      /* zero-initialised is empty */

void *ebb_arena_alloc(ebb_arena *arena, size_t nbytes);
char *ebb_arena_strdup(ebb_arena *arena, const char *text);
char *ebb_arena_strndup(ebb_arena *arena, const char *text, size_t nbytes);
char *ebb_arena_printf(ebb_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void ebb_arena_adopt(ebb_arena *arena, ebb_arena *from); /* what `from` gave out is the other's now; `from` is empty again */
void ebb_arena_fini(ebb_arena *arena); /* frees everything; the arena is empty again */

#define EBB_ARENA_NEW(arena, type) ((type *)ebb_arena_alloc((arena), sizeof(type)))
#define EBB_ARENA_ARRAY(arena, type, n) ((type *)ebb_arena_alloc((arena), (n) * sizeof(type)))

#endif
