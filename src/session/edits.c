/* edits.c - see edits.h. */
#include "session/edits.h"

static bool is_now(session *s, ebb_position at)
{
    ebb_position now;
    return s->machine && ebb_timeline_get_state(s->timeline) == EBB_TIMELINE_LIVE && ebb_timeline_now(s->timeline, 0, &now, NULL) == EBB_OK &&
           ebb_position_compare(now, at) == 0;
}

void ses_edits_fini(session *s)
{
    for (size_t i = 0; i < s->edits.n; i++)
        free(s->edits.items[i].old);
    ebb_vec_fini(&s->edits);
}

void ses_edit_note(session *s, uint32_t space, uint64_t addr, char *old)
{
    ebb_position now;
    if (!s->timeline || ebb_timeline_get_state(s->timeline) != EBB_TIMELINE_LIVE || ebb_timeline_now(s->timeline, 0, &now, NULL) != EBB_OK) {
        free(old);
        return;
    }
    if (s->edits.n > 0 && !is_now(s, s->edits.items[0].at)) /* those of an earlier stop */
        ses_edits_fini(s);
    ebb_vec_push(&s->edits, ((struct ses_edit){space, addr, now, old}));
}

const char *ses_edit_before(session *s, const ebb_data *data)
{
    for (size_t i = 0; i < s->edits.n; i++) {
        const struct ses_edit *e = &s->edits.items[i];
        if (e->space == data->space && e->addr == data->addr && is_now(s, e->at))
            return e->old;
    }
    return NULL;
}
