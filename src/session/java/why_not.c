/* why_not.c - the branch that kept a line of a Java program from being reached; see why.h.
 *
 * The line is one of a method.  Its activation is the one that is on the stack of the selected thread, from the selected frame on outward, or else the last
 * one that there was.  If that executed a branch that decides about the line, the branch went another way: it is the answer.  If it
 * executed none of those, what decides about them is asked, and so on. */
#include "session/java/why.h"
#include "session/where.h"

#include <string.h>

typedef struct activation {
    ses_java_spot first;   /* its first instruction */
    bool is_over;          /* it isn't on the stack any more */
    ses_java_spot end;     /* where searches in it end: at the call that made it or, if it is over, at its first instruction */
    ebb_position from;     /* where they begin: now */
    ebb_position entered;  /* is_over: when it began */
} activation;

typedef EBB_VEC(machine_place) places;

/* ---- which line, which activation ---------------------------------------------------------------- */

static ebb_status find_line(ses_java_why *w, const char *text, sym_spots *spots, ebb_error *err)
{
    ses_where where;
    if (!*ebb_text_skip_space(text))
        return ebb_fail(err, EBB_BAD_INPUT, "why not LINE: which line? Write its number, or FILE:LINE.");
    EBB_TRY(ses_where_parse(w->s, w->arena, text, &where, err));
    EBB_TRY(ses_where_spots(w->s, &where, spots, err));
    const sym_spot *first = &spots->items[0];
    if (where.kind == SES_WHERE_LINE && first->line != where.line)
        ses_say(w->s, SES_NOTICE_WARNING, 0, "Line %u has no code: this is about line %u, of %s.", where.line, first->line, first->function);
    return EBB_OK;
}

static void take_places(const sym_spots *spots, java_method_id method, places *out)
{
    for (size_t i = 0; i < spots->n; i++)
        if (java_place_method(spots->items[i].addr) == method)
            ebb_vec_push(out, spots->items[i].addr);
}

/* On the stack of the selected thread. */
static bool find_on_stack(ses_java_why *w, const sym_spots *spots, activation *a, places *out)
{
    ses_java_chain c = {.s = w->s, .arena = w->arena};
    machine_tid thread = w->s->thread;
    const ses_frame *selected;
    ses_java_frames_of at;
    java_frame outer;
    if (!thread || ses_frame_selected(w->s, &selected, NULL) != EBB_OK)
        return false;
    bool more = ses_java_chain_frame(&c, thread, selected->regs.cfa, &at);
    while (more) {
        take_places(spots, java_place_method(at.frame.place), out);
        if (out->n > 0 && !at.frame.is_native)
            break;
        more = at.has_caller && ses_java_chain_frame(&c, thread, at.caller.id, &at);
    }
    if (!more)
        return false;
    a->first = (ses_java_spot){java_place_method(at.frame.place), thread, at.frame.id};
    a->end = a->first;
    if (ses_java_chain_outer(&c, thread, &at, &outer))
        a->end = (ses_java_spot){outer.place, thread, outer.id};
    return true;
}

/* The last one that was entered before now; the debuggee stands there. */
static ebb_status find_last(ses_java_why *w, const sym_spots *spots, activation *a, places *out, bool *found, ebb_error *err)
{
    ses_java_chain c = {.s = w->s, .arena = w->arena};
    ses_java_frames_of at;
    size_t which;
    ses_java_spots entries = {0};
    for (size_t i = 0; i < spots->n; i++)
        ebb_vec_push(&entries, ((ses_java_spot){.place = java_place_method(spots->items[i].addr)}));
    ebb_status status = ses_java_trail_last(w->s, entries.items, entries.n, &which, found, err);
    machine_tid thread = ebb_timeline_get_thread(w->s->timeline);
    *found = status == EBB_OK && *found && ses_java_chain_frame(&c, thread, 0, &at);
    if (*found) {
        *a = (activation){.first = {entries.items[which].place, thread, at.frame.id}, .is_over = true, .from = a->from};
        a->end = a->first;
        take_places(spots, entries.items[which].place, out);
        status = ses_now(w->s, &a->entered, err);
    }
    ebb_vec_fini(&entries);
    return status;
}

/* ---- what it executed ---------------------------------------------------------------------------- */

/* A loop may come back to the first instruction of the method: then the search goes on before that. */
static bool is_before_entry(ses_java_why *w, const activation *a)
{
    ebb_position now;
    return !a->is_over || ses_now(w->s, &now, NULL) != EBB_OK || ebb_position_compare(now, a->entered) <= 0;
}

/* Goes to the last of these that the activation executed; *found: there is one. */
static ebb_status last_executed(ses_java_why *w, const activation *a, const places *of, size_t *which, bool *found, ebb_error *err)
{
    ses_java_spots spots = {0};
    for (size_t i = 0; i < of->n; i++)
        ebb_vec_push(&spots, ((ses_java_spot){of->items[i], a->first.thread, a->first.frame}));
    ebb_vec_push(&spots, a->end);
    ebb_status status = ses_java_trail_go(w->s, a->from, err);
    do
        if (status == EBB_OK)
            status = ses_java_trail_last(w->s, spots.items, spots.n, which, found, err);
    while (status == EBB_OK && *found && *which == of->n && !is_before_entry(w, a));
    *found = status == EBB_OK && *found && *which < of->n;
    ebb_vec_fini(&spots);
    return status;
}

/* ---- what decides about it ------------------------------------------------------------------------ */

static bool has(const places *list, machine_place place)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->items[i] == place)
            return true;
    return false;
}

static ebb_status deciders_of(ses_java_why *w, const places *of, java_deciders *out, ebb_error *err)
{
    for (size_t i = 0; i < of->n; i++)
        EBB_TRY(jvm_remote_deciders(w->s->machine, of->items[i], out, err));
    return EBB_OK;
}

static void end(ses_java_why *w, const char *what)
{
    ses_origin_add(w->s, w->arena, &(ses_origin_link){.kind = SES_ORIGIN_END, .text = "", .what = what}, w->out);
}

/* The branch went that way.  If it leads to the line, something else came in between. */
static ebb_status judge(ses_java_why *w, const activation *a, const java_deciders *deciders, machine_place branch, machine_place went, ebb_error *err)
{
    bool leads = false;
    for (size_t i = 0; i < deciders->n; i++)
        leads = leads || (deciders->items[i].place == branch && (deciders->items[i].way == went || deciders->items[i].is_handler));
    if (!leads)
        return EBB_OK;
    EBB_TRY(ses_java_trail_go(w->s, a->from, err));
    end(w, a->is_over ? "nothing else kept the line from being reached: an exception left the method before it" : "that way leads to the line: it has not come there yet");
    return EBB_OK;
}

typedef struct search {
    places wanted;  /* at the line first, then what decides about it, */
    places seen;    /* and all that ever were */
    bool by_handler; /* an exception would have had to be caught */
} search;

/* One level of what decides; *is_over: it was told. */
static ebb_status look(ses_java_why *w, const activation *a, search *in, bool *is_over, ebb_error *err)
{
    java_deciders deciders = {0};
    places next = {0};
    size_t which;
    bool found = false;
    ebb_status status = deciders_of(w, &in->wanted, &deciders, err);
    for (size_t i = 0; i < deciders.n; i++) {
        in->by_handler = in->by_handler || deciders.items[i].is_handler;
        if (has(&in->seen, deciders.items[i].place))
            continue;
        ebb_vec_push(&next, deciders.items[i].place);
        ebb_vec_push(&in->seen, deciders.items[i].place);
    }
    *is_over = next.n == 0;
    if (status == EBB_OK && !*is_over)
        status = last_executed(w, a, &next, &which, &found, err);
    if (status == EBB_OK && found) {
        ses_java_decider decider = {.found = true, .at = {next.items[which], a->first.thread, a->first.frame}};
        machine_place went;
        for (size_t i = 0; i < deciders.n; i++)
            decider.is_handler = decider.is_handler || (deciders.items[i].is_handler && deciders.items[i].place == decider.at.place);
        *is_over = true;
        status = ses_java_tell_decider(w, &decider, 0, &went, err);
        if (status == EBB_OK)
            status = judge(w, a, &deciders, decider.at.place, went, err);
    }
    ebb_vec_fini(&in->wanted);
    in->wanted = next;
    ebb_vec_fini(&deciders);
    return status;
}

/* Nothing that decides about the line was executed. */
static ebb_status tell_undecided(ses_java_why *w, const activation *a, const search *in, ebb_error *err)
{
    EBB_TRY(ses_java_trail_go(w->s, a->is_over ? a->entered : a->from, err));
    if (in->by_handler)
        end(w, "no exception was caught there, and only that leads to the line");
    else
        end(w, a->is_over ? "no branch kept the line from being reached: an exception left the method before it" : "no branch keeps the line from being reached: it has not come there yet");
    return EBB_OK;
}

static ebb_status tell(ses_java_why *w, const activation *a, search *in, ebb_error *err)
{
    size_t which;
    bool reached, is_over = false;
    EBB_TRY(last_executed(w, a, &in->wanted, &which, &reached, err));
    if (reached) {
        end(w, "the line was reached, here");
        return EBB_OK;
    }
    size_t told = w->out->n;
    while (!is_over)
        EBB_TRY(look(w, a, in, &is_over, err));
    return w->out->n > told ? EBB_OK : tell_undecided(w, a, in, err);
}

ebb_status ses_java_why_not(ses_java_why *w, const char *line, ebb_error *err)
{
    sym_spots spots = {0};
    search in = {0};
    activation a = {0};
    bool found = true;
    ebb_status status = find_line(w, line, &spots, err);
    if (status == EBB_OK)
        status = ses_now(w->s, &a.from, err);
    if (status == EBB_OK && !find_on_stack(w, &spots, &a, &in.wanted))
        status = find_last(w, &spots, &a, &in.wanted, &found, err);
    if (status == EBB_OK && !found)
        status = ebb_fail(err, EBB_NOT_FOUND, "%s was not called before now.", ses_java_method_name(w->s, w->arena, spots.items[0].addr, false));
    if (status == EBB_OK)
        status = tell(w, &a, &in, err);
    ebb_vec_fini(&in.wanted);
    ebb_vec_fini(&in.seen);
    ebb_vec_fini(&spots);
    return status;
}
