/* cursor.h - where an execution that replays stands in its events, and the rules by which it takes them.
 *
 * Events reach a cursor in batches (event.h), which lie in memory of somebody's.  Over a recording (replay.h) it is block after block of the file.
 * The runtime inside a native debuggee is brought batches by ebb (x86/vm/feed.h), and ebb looks at the same cursor from outside.  So a cursor is plain numbers without
 * addresses: who asks says where the bytes are, and who takes it back in time copies it.
 *
 * Freestanding, as event.h is.
 *
 * RP1  an event is taken at the timestamp at which it happened, by who asks for its kind, and in order.  Anything else is a divergence,
 *      told with a text that names both sides, and the cursor stays where it was;
 * RP2  what no execution asks for is passed over: marks, what is kept of files for `branch`, notes, and hashes of moments that are gone;
 * RP3  an event has *happened* when it was taken.  To peek is not to take: checkpoints and cuts go by what has happened. */
#ifndef EBB_TIME_CURSOR_H
#define EBB_TIME_CURSOR_H

#include "time/event.h"

/* Fixed width: it may lie in memory that ebb shares with a debuggee. */
typedef struct ebb_cursor {
    uint64_t at, end;    /* bytes of the batch: those of the next event begin at `at` */
    uint64_t number;     /* of the event at `at`, neither taken nor passed over */
    uint64_t end_number; /* so far the batch goes: what comes in it from this number on is void */
    uint64_t timestamp;  /* of the event before */
    uint64_t happened;   /* number of the first event that has not happened (RP3) */
} ebb_cursor;

/* What a machine says of its own kinds, those from EBB_EVENT_MACHINE on. */
typedef struct ebb_kinds {
    const char *(*text)(unsigned kind);      /* what it is, for messages; NULL: there is none of that number */
    bool (*is_note)(unsigned kind);          /* no execution takes it; also asked of EXIT, which some expect.  NULL: no kind is */
    bool (*comes_by_itself)(unsigned kind);  /* nothing that the program does asks for it: it comes at its position.  NULL: no kind does */
} ebb_kinds;

const char *ebb_kind_text(const ebb_kinds *kinds, unsigned kind);
/* A kind of all machines, or of this one: an EDIT comes by itself, and a HASH. */
bool ebb_kind_comes_by_itself(const ebb_kinds *kinds, unsigned kind);
/* RP2, whatever the moment. */
bool ebb_kind_is_note(const ebb_kinds *kinds, unsigned kind);

/* ---- making ---- */

/* Before event `number`, with no batch. */
ebb_cursor ebb_cursor_before(uint64_t number);
/* A batch that begins with the next event; `base`: what its first timestamp counts from. */
void ebb_cursor_give(ebb_cursor *c, uint64_t nbytes, uint64_t n_events, uint64_t base);

/* ---- events ---- */

typedef enum ebb_peek { EBB_PEEK_EVENT, EBB_PEEK_DRY, EBB_PEEK_BAD } ebb_peek; /* DRY: the batch has no more */

/* The next event, which stays the next; what is passed over on the way is passed over for good.  *after: the cursor when it will have been
 * taken.  `now`: the execution's timestamp, of which hashes may be asked for. */
ebb_peek ebb_cursor_peek(ebb_cursor *c, const void *batch, const ebb_kinds *kinds, uint64_t now, ebb_event *out, ebb_cursor *after);
/* It was taken. */
static inline void ebb_cursor_take(ebb_cursor *c, const ebb_cursor *after) { *c = *after; }

typedef enum ebb_match {
    EBB_MATCHES,
    EBB_MATCHES_LATER, /* something that comes by itself is due first */
    EBB_DIVERGES,
} ebb_match;

/* Whether the event is what an execution asks for at `now` (RP1). */
ebb_match ebb_cursor_match(const ebb_kinds *kinds, const ebb_event *e, unsigned wanted, uint64_t now);

/* ---- text for people, where there is no printf ---- */

typedef struct ebb_line {
    char *at, *end; /* what does not fit is left out; ends with a zero byte */
} ebb_line;
ebb_line ebb_line_in(char *room, size_t nbytes);
void ebb_line_text(ebb_line *l, const char *text);
void ebb_line_number(ebb_line *l, uint64_t n);

/* "the execution asks for ..., the recording has ... of timestamp ...". */
void ebb_line_diverged(ebb_line *l, const ebb_kinds *kinds, const char *asked, const ebb_event *found);

#endif
