/* arena.c - blocks of 16 KiB; what is larger gets a block of its own. */
#include "base/arena.h"
#include "base/mem.h"
#include "base/sizes.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct ebb_arena_block {
    struct ebb_arena_block *older;
    size_t used, size;
    alignas(max_align_t) char bytes[];
};

static struct ebb_arena_block *block_new(struct ebb_arena_block *older, size_t nbytes)
{
    size_t size = nbytes > EBB_ARENA_BLOCK_BYTES ? nbytes : EBB_ARENA_BLOCK_BYTES;
    struct ebb_arena_block *block = ebb_zalloc(sizeof *block + size);
    block->older = older;
    block->size = size;
    return block;
}

void *ebb_arena_alloc(ebb_arena *arena, size_t nbytes)
{
    size_t align = alignof(max_align_t);
    nbytes = (nbytes + align - 1) & ~(align - 1);
    struct ebb_arena_block *block = arena->head;
    if (!block || block->size - block->used < nbytes)
        block = arena->head = block_new(block, nbytes);
    void *p = block->bytes + block->used;
    block->used += nbytes;
    return p;
}

char *ebb_arena_strndup(ebb_arena *arena, const char *text, size_t nbytes)
{
    char *copy = ebb_arena_alloc(arena, nbytes + 1);
    memcpy(copy, text, nbytes);
    return copy;
}

char *ebb_arena_strdup(ebb_arena *arena, const char *text)
{
    return ebb_arena_strndup(arena, text, strlen(text));
}

char *ebb_arena_printf(ebb_arena *arena, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = ebb_arena_alloc(arena, (size_t)n + 1);
    vsnprintf(text, (size_t)n + 1, format, again);
    va_end(again);
    return text;
}

void ebb_arena_adopt(ebb_arena *arena, ebb_arena *from)
{
    struct ebb_arena_block **last = &from->head;
    while (*last)
        last = &(*last)->older;
    struct ebb_arena_block **place = arena->head ? &arena->head->older : &arena->head; /* the newest is still being filled */
    *last = *place;
    *place = from->head;
    from->head = NULL;
}

void ebb_arena_fini(ebb_arena *arena)
{
    for (struct ebb_arena_block *block = arena->head, *older; block; block = older) {
        older = block->older;
        free(block);
    }
    arena->head = NULL;
}
