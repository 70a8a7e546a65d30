/* A program without C's library: what of time/ must be usable inside a native debuggee needs memcpy, memset and ebb_check_failed
 * of those around it and nothing else, or this does not link.  It takes a log back once, and its status says whether that worked. */
#include "base/check.h"
#include "time/checkpoints.h"

enum { WORD, CHECKPOINT, NKINDS };

_Noreturn void _start(void);
void *memcpy(void *restrict to, const void *restrict from, size_t nbytes);
void *memset(void *to, int byte, size_t nbytes);

void *memcpy(void *restrict to, const void *restrict from, size_t nbytes)
{
    void *end = to;
    __asm__ volatile("rep movsb" : "+D"(end), "+S"(from), "+c"(nbytes) : : "memory");
    return to;
}

void *memset(void *to, int byte, size_t nbytes)
{
    void *end = to;
    __asm__ volatile("rep stosb" : "+D"(end), "+c"(nbytes) : "a"(byte) : "memory");
    return to;
}

_Noreturn static void leave(int status)
{
    for (;;)
        __asm__ volatile("syscall" : : "a"(231), "D"(status) : "rcx", "r11", "memory");
}

_Noreturn void ebb_check_failed(const char *file, int line, const char *what) { leave(2); }

static uint64_t place_of(const ebb_checkpoint *c, void *self) { return 0; }

static bool goes_back(void)
{
    static const bool have_bytes[NKINDS] = {[CHECKPOINT] = true};
    static const ebb_undo_kinds kinds = {have_bytes, NKINDS};
    static _Alignas(16) char memory[1 << 16];
    static ebb_checkpoint items[64];
    static ebb_undo_ring ring;
    static ebb_checkpoints list;
    static uint64_t word = 1;

    ebb_undo_ring_init(&ring, &kinds, memory, ebb_undo_ring_room(sizeof memory));
    ebb_checkpoints_init(&list, &ring, items, sizeof items / sizeof *items, 100);
    ebb_checkpoints_add(&list, 5, ebb_undo_where(CHECKPOINT, NULL), (ebb_undo_bytes){"here", 4}, (ebb_undo_bytes){0});
    ebb_undo_add_unit(&ring, ebb_undo_where(WORD, &word), word);
    word = 2;

    size_t i;
    if (!ebb_checkpoints_find(&list, (ebb_position){6, 0}, place_of, NULL, &i))
        return false;
    ebb_undo_walk walk = ebb_checkpoints_walk(&list, ebb_checkpoints_at(&list, i));
    for (ebb_undo_record r; ebb_undo_walk_back(&walk, &r);)
        if (r.kind == WORD)
            *(uint64_t *)r.address = r.what;
    ebb_checkpoints_went_back(&list, i);
    return word == 1 && list.due == 105;
}

__attribute__((force_align_arg_pointer)) void _start(void) { leave(goes_back() ? 0 : 1); }
