/* activations.c - see activations.h. */
#include "session/back/activations.h"
#include "session/language.h"
#include "session/stack.h"

#include <string.h>

bool ses_activation_at(session *s, machine_tid thread, unsigned depth, ses_activation *out)
{
    return s->language->activations(s, thread, depth, out, 1) == 1;
}

bool ses_activation_is_innermost(session *s, const ses_activation *a)
{
    ses_activation top;
    return ses_activation_at(s, a->thread, 0, &top) && ses_frame_id_same(top.id, a->id);
}

/* ---- from the innermost outward ----------------------------------------------------------------- */

enum { AT_FIRST = 4, AT_ONCE = 64 }; /* who is looked for is mostly one of the innermost */

typedef struct walk {
    session *s;
    machine_tid thread;
    ses_activation some[AT_ONCE];
    size_t asked, n, next; /* how many were asked for, came, and were looked at */
    unsigned depth;        /* of some[0] */
} walk;

static const ses_activation *walk_on(walk *w)
{
    if (w->next == w->n && w->n == w->asked) {
        w->depth += (unsigned)w->n;
        w->asked = w->asked ? AT_ONCE : AT_FIRST;
        w->n = w->s->language->activations(w->s, w->thread, w->depth, w->some, w->asked);
        w->next = 0;
    }
    return w->next < w->n ? &w->some[w->next++] : NULL;
}

machine_place ses_activation_place(session *s, const ses_activation *a)
{
    walk w = {.s = s, .thread = a->thread};
    for (const ses_activation *other; (other = walk_on(&w)) != NULL;)
        if (ses_frame_id_same(other->id, a->id))
            return other->place;
    return 0;
}

bool ses_activation_callee(session *s, const ses_activation *a, bool shown_only, ses_activation *out)
{
    walk w = {.s = s, .thread = a->thread};
    bool found = false;
    for (const ses_activation *other; (other = walk_on(&w)) != NULL;) {
        if (ses_frame_id_same(other->id, a->id))
            return found;
        if (!shown_only || s->language->is_shown(s, other->place)) {
            *out = *other;
            found = true;
        }
    }
    return false;
}

bool ses_activation_innermost_callee(session *s, const ses_activation *a, ses_activation *out)
{
    walk w = {.s = s, .thread = a->thread};
    bool found = false;
    for (const ses_activation *other; (other = walk_on(&w)) != NULL;) {
        if (ses_frame_id_same(other->id, a->id))
            return found;
        if (!found && s->language->is_shown(s, other->place)) {
            *out = *other;
            found = true;
        }
    }
    return false;
}

/* ---- points and lines --------------------------------------------------------------------------- */

machine_point ses_activation_point(ses_frame_id frame, machine_place place)
{
    return (machine_point){.kind = MACHINE_POINT_EXEC, .addr = place, .frame = frame.cfa};
}

void ses_activation_tell(session *s, const machine_point *point, machine_point_id id)
{
    machine_code code[SES_FRAME_CODE];
    if (!point->frame || machine_can(s->machine, MACHINE_KNOWS_FRAMES) || !s->machine->ops->point_condition)
        return;
    size_t n = s->language->frame_code(s, point->frame, point->addr, code);
    if (n && s->machine->ops->point_condition(s->machine, id, code, n, NULL) != EBB_OK)
        return; /* whoever set it looks at the frame, too */
}

bool ses_row_at(session *s, machine_place place, unsigned inlined, ses_row *row)
{
    *row = (ses_row){0};
    return place && s->language->row_at(s, place, inlined, row);
}

bool ses_row_same_line(const ses_row *a, const ses_row *b)
{
    if (a->line != b->line || !a->file != !b->file)
        return false;
    return !a->file || strcmp(a->file, b->file) == 0;
}
