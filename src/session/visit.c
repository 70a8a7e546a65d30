/* visit.c - notes where the debuggee stands and what is selected, and puts both back; see visit.h. */
#include "session/visit.h"
#include "session/stack.h"
#include "session/threads.h"
#include "session/travel.h"

void ses_visit_stand(session *s)
{
    machine_stop at = {.kind = MACHINE_STOP_POSITION, .thread = ebb_timeline_get_thread(s->timeline)};
    ses_moved(s, &at);
}

static void note_list(session *s, ses_visit *v)
{
    v->list_file = s->list.file ? ebb_strdup(s->list.file) : NULL;
    v->list_first = s->list.first;
    v->list_last = s->list.last;
    v->list_next = s->list.next;
    v->list_fresh = s->list.fresh;
}

static void put_list_back(session *s, ses_visit *v)
{
    free(s->list.file);
    s->list.file = v->list_file;
    s->list.first = v->list_first;
    s->list.last = v->list_last;
    s->list.next = v->list_next;
    s->list.fresh = v->list_fresh;
}

ebb_status ses_visit_begin(session *s, ses_visit *v, ebb_error *err)
{
    EBB_TRY(ses_need_history(s, err));
    ebb_timeline_state state = ebb_timeline_get_state(s->timeline);
    if (state == EBB_TIMELINE_APART)
        return ebb_fail(err, EBB_UNSUPPORTED, "One thread went back alone, and this state is in no past: go to a moment first (goto).");
    *v = (ses_visit){.was_newest = state != EBB_TIMELINE_REPLAYING, .at = s->at, .thread = s->thread, .stop_thread = s->stop_thread, .level = s->level};
    if (!v->was_newest)
        EBB_TRY(ebb_timeline_now(s->timeline, 0, &v->began, err));
    note_list(s, v);
    ses_travel_begin(s);
    ebb_timeline_mark_return(s->timeline);
    return EBB_OK;
}

static void put_selection_back(session *s, const ses_visit *v)
{
    ses_visit_stand(s);
    if (ses_is_after_end(s))
        return;
    s->at = v->at;
    s->stop_thread = v->stop_thread;
    if (ses_thread_exists(s, v->thread))
        ses_select(s, v->thread, v->level);
}

ebb_status ses_visit_end(session *s, ses_visit *v, ebb_status status, ebb_error *err)
{
    machine_stop stop;
    ebb_error why;
    ebb_timeline_forget_interrupts(s->timeline);
    ebb_status back = v->was_newest ? ebb_timeline_seek_end(s->timeline, &stop, &why) : ebb_timeline_seek(s->timeline, v->began, &stop, &why);
    ses_travel_end(s);
    if (back == EBB_OK)
        put_selection_back(s, v);
    else
        ses_visit_stand(s);
    put_list_back(s, v);
    if (back != EBB_OK && status == EBB_OK)
        return ebb_fail(err, back, "%s", why.text);
    return status;
}
