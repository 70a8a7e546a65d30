/* cursor.c - events taken in order out of a batch: passed over, peeked at, matched.  Freestanding (cursor.h). */
#include "time/cursor.h"

/* ---- kinds ---- */

const char *ebb_kind_text(const ebb_kinds *kinds, unsigned kind)
{
    return kind < EBB_EVENT_MACHINE ? ebb_event_text(kind) : kinds->text(kind);
}

bool ebb_kind_comes_by_itself(const ebb_kinds *kinds, unsigned kind)
{
    return kind == EBB_EVENT_EDIT || kind == EBB_EVENT_HASH || (kinds->comes_by_itself && kinds->comes_by_itself(kind));
}

bool ebb_kind_is_note(const ebb_kinds *kinds, unsigned kind)
{
    switch (kind) {
    case EBB_EVENT_MARK:
    case EBB_EVENT_FILE:
    case EBB_EVENT_OPEN_FILE:
    case EBB_EVENT_OUTPUT: return true;
    default: return (kind >= EBB_EVENT_MACHINE || kind == EBB_EVENT_EXIT) && kinds->is_note && kinds->is_note(kind);
    }
}

/* RP2 */
static bool is_passed_over(const ebb_kinds *kinds, const ebb_event *e, uint64_t now)
{
    return ebb_kind_is_note(kinds, e->kind) || (e->kind == EBB_EVENT_HASH && e->timestamp < now);
}

/* ---- making ---- */

ebb_cursor ebb_cursor_before(uint64_t number)
{
    return (ebb_cursor){.number = number, .end_number = number, .happened = number};
}

void ebb_cursor_give(ebb_cursor *c, uint64_t nbytes, uint64_t n_events, uint64_t base)
{
    c->at = 0;
    c->end = nbytes;
    c->end_number = c->number + n_events;
    c->timestamp = base;
}

/* ---- events ---- */

/* The event at `at`; *after: the cursor one event further. */
static bool parse(const ebb_cursor *c, const uint8_t *batch, ebb_event *out, ebb_cursor *after)
{
    ebb_values rest = {.at = batch + c->at, .end = batch + c->end};
    if (!ebb_event_parse(&rest, c->timestamp, out))
        return false;
    out->number = c->number;
    *after = *c;
    after->at = (uint64_t)(rest.at - batch);
    after->number++;
    after->timestamp = out->timestamp;
    return true;
}

ebb_peek ebb_cursor_peek(ebb_cursor *c, const void *batch, const ebb_kinds *kinds, uint64_t now, ebb_event *out, ebb_cursor *after)
{
    while (c->at < c->end && c->number < c->end_number) {
        if (!parse(c, batch, out, after))
            return EBB_PEEK_BAD;
        if (!is_passed_over(kinds, out, now)) {
            after->happened = after->number;
            return EBB_PEEK_EVENT;
        }
        *c = *after;
    }
    return EBB_PEEK_DRY;
}

ebb_match ebb_cursor_match(const ebb_kinds *kinds, const ebb_event *e, unsigned wanted, uint64_t now)
{
    if (e->timestamp != now)
        return EBB_DIVERGES;
    if (e->kind == wanted)
        return EBB_MATCHES;
    return ebb_kind_comes_by_itself(kinds, e->kind) ? EBB_MATCHES_LATER : EBB_DIVERGES;
}

/* ---- text ---- */

ebb_line ebb_line_in(char *room, size_t nbytes)
{
    *room = '\0';
    return (ebb_line){room, room + nbytes - 1};
}

void ebb_line_text(ebb_line *l, const char *text)
{
    while (*text && l->at < l->end)
        *l->at++ = *text++;
    *l->at = '\0';
}

void ebb_line_number(ebb_line *l, uint64_t n)
{
    char digits[24], *d = digits + sizeof digits - 1;
    for (*d = '\0'; n || !*d; n /= 10)
        *--d = (char)('0' + n % 10);
    ebb_line_text(l, d);
}

void ebb_line_diverged(ebb_line *l, const ebb_kinds *kinds, const char *asked, const ebb_event *found)
{
    const char *text = ebb_kind_text(kinds, found->kind);
    ebb_line_text(l, "the execution asks for ");
    ebb_line_text(l, asked);
    ebb_line_text(l, ", the recording has ");
    ebb_line_text(l, text ? text : "nonsense");
    ebb_line_text(l, " of timestamp ");
    ebb_line_number(l, found->timestamp);
}
