/* A program without C's library: what of time/ must be usable inside a native debuggee needs memcpy, memmove, memset and ebb_check_failed
 * of those around it and nothing else, or this does not link.  It takes a log back once, writes and reads a few events, and its status
 * says whether that worked. */
#include "base/check.h"
#include "time/event.h"
#include "time/undo_log.h"

enum { WORD, CHECKPOINT };

_Noreturn void _start(void);
void *memcpy(void *restrict to, const void *restrict from, size_t nbytes);
void *memmove(void *to, const void *from, size_t nbytes);
void *memset(void *to, int byte, size_t nbytes);

void *memcpy(void *restrict to, const void *restrict from, size_t nbytes)
{
    void *end = to;
    __asm__ volatile("rep movsb" : "+D"(end), "+S"(from), "+c"(nbytes) : : "memory");
    return to;
}

void *memmove(void *to, const void *from, size_t nbytes)
{
    char *t = to;
    const char *f = from;
    if (t <= f)
        return memcpy(to, from, nbytes);
    while (nbytes--)
        t[nbytes] = f[nbytes];
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
    static _Alignas(16) char memory[1 << 16];
    static ebb_checkpoint items[64];
    static ebb_undo_log log;
    static uint64_t word = 1;

    ebb_undo_ring_init(&log.ring, memory, ebb_undo_ring_room(sizeof memory));
    ebb_checkpoints_init(&log.list, items, sizeof items / sizeof *items, 100);
    ebb_undo_log_checkpoint(&log, 5, ebb_undo_where(CHECKPOINT, NULL), (ebb_undo_bytes){"here", 4}, (ebb_undo_bytes){0});
    ebb_undo_add_unit(&log.ring, ebb_undo_where(WORD, &word), word);
    word = 2;

    size_t i;
    if (!ebb_checkpoints_find(&log.list, (ebb_position){6, 0}, place_of, NULL, &i))
        return false;
    ebb_undo_walk walk = ebb_undo_log_walk(&log, ebb_checkpoints_at(&log.list, i));
    for (ebb_undo_record r; ebb_undo_walk_back(&walk, &r);)
        if (r.kind == WORD)
            *(uint64_t *)r.address = r.what;
    ebb_undo_log_went_back(&log, i);
    return word == 1 && log.list.due == 105;
}

/* Two events that fit, one of them long enough for a length of two bytes, and one that does not. */
static bool writes_events(void)
{
    static uint8_t buffer[250], bytes[150];
    ebb_event_writer w;
    ebb_event_writer_init(&w, buffer, sizeof buffer, 3);
    ebb_event_pair(&w, EBB_EVENT_VALUE, 5, 7, -9);
    for (int i = 0; i < 2; i++) {
        ebb_event_begin(&w, EBB_EVENT_BYTES, 6);
        ebb_event_bytes(&w, bytes, sizeof bytes);
        if (ebb_event_end(&w) != (i == 0))
            return false;
    }
    ebb_event e;
    ebb_values v = {.at = w.start, .end = w.at};
    size_t n = 0;
    bool ok = ebb_event_parse(&v, w.base, &e) && e.timestamp == 5 && ebb_values_u64(&e.values) == 7 && ebb_values_i64(&e.values) == -9;
    ok = ok && ebb_event_parse(&v, e.timestamp, &e) && e.timestamp == 6 && ebb_values_bytes(&e.values, &n) != NULL && n == sizeof bytes;
    return ok && w.n_events == 2 && ebb_values_done(&v);
}

__attribute__((force_align_arg_pointer)) void _start(void) { leave(goes_back() && writes_events() ? 0 : 1); }
