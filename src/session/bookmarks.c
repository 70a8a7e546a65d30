/* bookmarks.c - names for positions; see time.h.  They are the session's until `save` writes them into a recording. */
#include "session/counted.h"
#include "session/launch.h"
#include "session/position.h"
#include "session/travel.h"
#include "session/time.h"
#include "session/visit.h"

#include <string.h>

void ses_bookmarks_begin(session *s)
{
    ebb_recording *r;
    ebb_error why;
    if (ses_is_counted(s))
        return; /* they are of every run */
    ebb_bookmarks_free(s->bookmarks);
    s->bookmarks = NULL;
    if (!s->replay)
        return;
    ebb_status status = ebb_recording_open(s->replay, &r, &why);
    if (status != EBB_OK)
        return; /* whoever replays it says why */
    s->bookmarks = ebb_bookmarks_new();
    if (ebb_bookmarks_load(s->bookmarks, r, &why) != EBB_OK)
        ses_say(s, SES_NOTICE_WARNING, 0, "Some bookmarks are lost: %s", why.text);
    ebb_recording_free(r);
}

/* A class is known from where it is loaded on: before that, its line is looked up there. */
static const char *position_words(session *s, ebb_arena *arena, ebb_position at)
{
    const char *words = ses_position_words(s, arena, at, false);
    ses_visit visit;
    machine_stop stop;
    if (!strstr(words, "@??") || ses_visit_begin(s, &visit, NULL) != EBB_OK)
        return words;
    ebb_status status = ses_seek(s, at, &stop, NULL);
    if (status == EBB_OK)
        words = ses_position_words(s, arena, at, false);
    (void)!ses_visit_end(s, &visit, status, NULL);
    return words;
}

static void view(session *s, ebb_arena *arena, const ebb_bookmark *mark, ses_bookmark *out)
{
    *out = (ses_bookmark){
        .name = ebb_arena_strdup(arena, mark->name),
        .note = ebb_arena_strdup(arena, mark->note),
        .position = position_words(s, arena, mark->at),
    };
}

ebb_status ses_bookmark_set(session *s, ebb_arena *arena, const char *name, const char *note, ses_bookmark *out, ebb_error *err)
{
    ebb_position now;
    const ebb_bookmark *mark;
    EBB_TRY(ses_need_debuggee(s, err));
    if (ses_is_counted(s)) {
        EBB_TRY(ses_counted_now(s, &now, err));
        EBB_TRY(ses_counted_need_main(s, err));
    } else {
        EBB_TRY(ses_need_history(s, err));
        EBB_TRY(ebb_timeline_now(s->timeline, 0, &now, err));
    }
    if (!s->bookmarks)
        s->bookmarks = ebb_bookmarks_new();
    EBB_TRY(ebb_bookmarks_set(s->bookmarks, name, note, now, &mark, err));
    view(s, arena, mark, out);
    return EBB_OK;
}

ebb_status ses_bookmark_delete(session *s, const char *name, ebb_error *err)
{
    if (!s->bookmarks)
        return ebb_fail(err, EBB_NOT_FOUND, "No bookmark \"%.60s\" is known in this history.", name);
    return ebb_bookmarks_delete(s->bookmarks, name, err);
}

void ses_bookmark_list(session *s, ebb_arena *arena, ses_bookmarks *out)
{
    for (size_t i = 0; s->bookmarks && i < ebb_bookmarks_count(s->bookmarks); i++) {
        ses_bookmark mark;
        view(s, arena, ebb_bookmarks_get(s->bookmarks, i), &mark);
        ebb_vec_push(out, mark);
    }
}
