/* counted.c - runs to a position, and the passes that are made of them. */
#include "session/counted.h"
#include "session/breakpoints.h"
#include "session/hits.h"
#include "session/language.h"
#include "session/move.h"
#include "session/position.h"
#include "session/signals.h"
#include "session/stack.h"
#include "session/verbs.h"
#include "session/watch.h"

#include <stdio.h>
#include <string.h>

bool ses_is_counted(session *s)
{
    return s->language->counting->is_on(s);
}

/* Whose time is meant where no thread is named.  Another run has other thread identifiers, but the first thread is main's in each. */
static machine_tid main_thread(const session *s)
{
    for (size_t i = 0; i < s->threads.n; i++)
        if (s->threads.items[i].number == 1)
            return s->threads.items[i].tid;
    return s->thread;
}

ebb_status ses_counted_now(session *s, ebb_position *now, ebb_error *err)
{
    EBB_TRY(ses_need_debuggee(s, err));
    EBB_TRY(s->language->counting->now(s, now, err));
    if (s->thread == main_thread(s) && now->timestamp > s->counted_seen)
        s->counted_seen = now->timestamp;
    return EBB_OK;
}

ebb_status ses_counted_need_main(session *s, ebb_error *err)
{
    if (s->thread == main_thread(s))
        return EBB_OK;
    return ebb_fail(err, EBB_UNSUPPORTED,
                    "A run can be repeated up to a moment of the main thread only: ask where that stops (`thread 1`, a breakpoint in it).");
}

static ebb_status set_stop(session *s, uint64_t now, uint64_t time, ebb_error *err)
{
    return s->language->counting->stop_at(s, now, time, err);
}

/* ---- runs ---- */

typedef EBB_VEC(int) numbers;

/* CT2 */
static void mute(session *s, numbers *muted)
{
    s->is_again = true;
    for (size_t i = 0; i < ses_bp_count(s); i++)
        if (ses_bp_at(s, i)->enabled)
            ebb_vec_push(muted, ses_bp_at(s, i)->number);
    for (size_t i = 0; i < muted->n; i++)
        (void)!ses_bp_enable(s, muted->items[i], 0, false, NULL);
    ses_signals_apply(s);
}

static void unmute(session *s, numbers *muted)
{
    s->is_again = false;
    for (size_t i = 0; i < muted->n; i++)
        (void)!ses_bp_enable(s, muted->items[i], 0, true, NULL);
    ses_signals_apply(s);
    ebb_vec_fini(muted);
}

/* Near a place the user's signals are told again: one that stopped the program there is what the position means, and its handler would come first. */
static void tell_signals(session *s, bool told)
{
    s->is_again = !told;
    ses_signals_apply(s);
}

/* ---- to a place, wherever the frames are then ---- */

static ebb_status arrived(session *s, ses_move *move, bool *done, ses_stop *stop, ebb_error *err)
{
    (void)s, (void)move, (void)err;
    stop->kind = SES_STOP_LOCATION;
    *done = true;
    return EBB_OK;
}

ebb_status ses_counted_run_to(session *s, const uint64_t *places, size_t n, ses_stop *stop, ebb_error *err)
{
    ses_move move = {.thread = s->thread, .arrived = arrived, .request.move = MACHINE_RUN};
    ebb_status status = EBB_OK;
    for (size_t i = 0; i < n && i < SES_MOVE_MAX_POINTS && status == EBB_OK; i++)
        status = ses_move_point(s, &move, SES_POINT_TARGET, places[i], (ses_frame_id){0}, err);
    if (status != EBB_OK) {
        ses_move_clear_points(s, &move);
        return status;
    }
    ses_select_innermost(s);
    return ses_move_run(s, &move, stop, err);
}

/* To the next stop, wherever; the timestamp that was asked for is the main thread's. */
static ebb_status run_on(session *s, ses_stop *stop, ebb_error *err)
{
    ses_move move = {.thread = main_thread(s), .request.move = MACHINE_RUN};
    return ses_move_run(s, &move, stop, err);
}

static ebb_status differs(ebb_error *err)
{
    return ebb_fail(err, EBB_DIVERGED, "The program did not come there again: it does not do the same in each run, or was changed by hand.");
}

static ebb_status interrupted(ebb_error *err)
{
    return ebb_fail(err, EBB_INTERRUPTED, "Interrupted.");
}

/* CT1: a run that was killed says nothing about the program. */
static ebb_status ended(const session *s, const ses_stop *stop, uint64_t time, ebb_error *err)
{
    if (stop->kind == SES_STOP_KILLED)
        return ebb_fail(err, EBB_GONE, "The program was killed by %s before it came there.", ses_signal_name(stop->machine.signal));
    if (time <= s->counted_seen)
        return differs(err);
    return ebb_fail(err, EBB_NOT_FOUND, "The program ended before timestamp %lu.", (unsigned long)time);
}

/* A new run, which stands at main. */
static ebb_status begin_again(session *s, ses_stop *stop, ebb_error *err)
{
    if (s->machine)
        EBB_TRY(ses_kill(s, err));
    EBB_TRY(s->language->counting->begin(s, stop, err));
    if (s->machine && stop->kind == SES_STOP_INTERRUPTED)
        return interrupted(err);
    return s->machine ? EBB_OK : ended(s, stop, 0, err);
}

/* To the first moment of this timestamp; or of the next one that is the program's own, where this one was counted by a child in its
 * memory (x86/counter.h). */
static ebb_status run_to_time_or_after(session *s, uint64_t time, ses_stop *stop, ebb_error *err)
{
    ebb_position now;
    EBB_TRY(ses_counted_now(s, &now, err));
    if (now.timestamp > time)
        return ebb_fail(err, EBB_NO_HISTORY, "That was before main, which has timestamp %lu.", (unsigned long)now.timestamp);
    if (now.timestamp == time)
        return EBB_OK;
    EBB_TRY(set_stop(s, now.timestamp, time, err));
    do { /* it may have breakpoint instructions of its own */
        EBB_TRY(run_on(s, stop, err));
        if (stop->kind == SES_STOP_INTERRUPTED)
            return interrupted(err);
        if (!s->machine)
            return ended(s, stop, time, err);
        EBB_TRY(ses_counted_now(s, &now, err));
    } while (stop->kind == SES_STOP_TRAP && now.timestamp < time);
    if (stop->kind != SES_STOP_TRAP)
        return ebb_fail(err, EBB_NOT_FOUND, "Something else stopped the program before timestamp %lu.", (unsigned long)time);
    return EBB_OK;
}

static ebb_status run_to_time(session *s, uint64_t time, ses_stop *stop, ebb_error *err)
{
    ebb_position now;
    EBB_TRY(run_to_time_or_after(s, time, stop, err));
    EBB_TRY(ses_counted_now(s, &now, err));
    if (now.timestamp == time)
        return EBB_OK;
    return ebb_fail(err, EBB_NOT_FOUND, "Timestamp %lu was counted by a child process in the program's memory (vfork): the next of its own is %lu.",
                    (unsigned long)time, (unsigned long)now.timestamp);
}

static bool stands_at(session *s, uint64_t time, const sym_spots *places)
{
    ebb_position now;
    if (ses_counted_now(s, &now, NULL) != EBB_OK || now.timestamp != time)
        return false;
    for (size_t i = 0; i < places->n; i++)
        if (places->items[i].addr == now.place)
            return true;
    return places->n == 0;
}

/* ---- from a timestamp to a place ---- */

/* Where the next moves stop at nothing but what the user wants. */
static void forget_stop(session *s)
{
    ebb_position now;
    if (s->machine && s->thread == main_thread(s) && ses_counted_now(s, &now, NULL) == EBB_OK)
        (void)!set_stop(s, now.timestamp, SES_COUNTED_NEVER, NULL);
}

static ebb_status run_past_signals(session *s, const uint64_t *places, size_t n, const ses_position *to, ses_stop *stop, ebb_error *err)
{
    ebb_status status;
    tell_signals(s, true);
    do
        status = ses_counted_run_to(s, places, n, stop, err);
    while (status == EBB_OK && s->machine && stop->kind == SES_STOP_SIGNAL && !stands_at(s, to->time, &to->places));
    tell_signals(s, false);
    return status;
}

/* To the first of the places; not further than the next tick, so that nothing is done for it that comes later. */
static ebb_status run_to_places(session *s, const ses_position *to, ses_stop *stop, bool *is_there, ebb_error *err)
{
    uint64_t places[SES_MOVE_MAX_POINTS];
    size_t n = 0;
    for (; n < to->places.n && n < SES_MOVE_MAX_POINTS; n++)
        places[n] = to->places.items[n].addr;
    EBB_TRY(set_stop(s, to->time, to->time + 1, err));
    EBB_TRY(run_past_signals(s, places, n, to, stop, err));
    if (stop->kind == SES_STOP_INTERRUPTED)
        return interrupted(err);
    *is_there = s->machine && stands_at(s, to->time, &to->places);
    if (*is_there)
        forget_stop(s);
    return EBB_OK;
}

static bool is_shown_as(session *s, ebb_position at, const char *line)
{
    ebb_buf words = {0};
    size_t n = strlen(line);
    s->language->place_words(s, at.place, false, &words);
    bool is_end = words.n > 0 && words.n <= n && strcmp(line + n - words.n, ebb_buf_text(&words)) == 0;
    bool is_name = is_end && (words.n == n || line[n - words.n - 1] == '/');
    ebb_buf_fini(&words);
    return is_name;
}

/* A line is shown for more instructions than those at which it begins: to the first of them. */
static ebb_status walk_to_line(session *s, const ses_position *to, ses_stop *stop, bool *is_there, ebb_error *err)
{
    enum { MOST = 100000 }; /* in a library that does not count, a timestamp can be long */
    ebb_position now;
    forget_stop(s);
    for (int i = 0; i < MOST && s->machine; i++) {
        EBB_TRY(ses_counted_now(s, &now, err));
        *is_there = now.timestamp == to->time && is_shown_as(s, now, to->line);
        if (*is_there || now.timestamp != to->time)
            return EBB_OK;
        EBB_TRY(ses_step(s, SES_NEXT_INSN, 1, stop, err));
        if (stop->kind == SES_STOP_INTERRUPTED)
            return interrupted(err);
    }
    return EBB_OK;
}

static ebb_status leave_tick(session *s, ses_stop *stop, ebb_error *err)
{
    return s->language->counting->leave_tick(s, stop, err);
}

/* To the first moment of the timestamp, in a new run. */
static ebb_status begin_at(session *s, uint64_t time, ses_stop *stop, ebb_error *err)
{
    EBB_TRY(begin_again(s, stop, err));
    EBB_TRY(run_to_time(s, time, stop, err));
    return leave_tick(s, stop, err);
}

/* From the tick that gave its timestamp.  Where a line begins is what is meant first, as for a breakpoint; what `when` wrote at another of its
 * instructions is found in another run. */
static ebb_status run_to_place(session *s, const ses_position *to, ses_stop *stop, ebb_error *err)
{
    bool is_there = to->places.n > 0 && stands_at(s, to->time, &to->places);
    if (is_there)
        return EBB_OK;
    EBB_TRY(leave_tick(s, stop, err));
    if (to->places.n == 0 && !to->line)
        return EBB_OK;
    if (to->places.n > 0 && stands_at(s, to->time, &to->places))
        return EBB_OK;
    if (to->places.n > 0) {
        EBB_TRY(run_to_places(s, to, stop, &is_there, err));
        if (!is_there && to->line)
            EBB_TRY(begin_at(s, to->time, stop, err));
    }
    if (!is_there && to->line)
        EBB_TRY(walk_to_line(s, to, stop, &is_there, err));
    return is_there ? EBB_OK : ebb_fail(err, EBB_NOT_FOUND, "That place is not passed at timestamp %lu.", (unsigned long)to->time);
}

/* Goes on from here if that is the way, or runs again. */
static ebb_status come_to_time(session *s, uint64_t time, ses_stop *stop, ebb_error *err)
{
    ebb_position now;
    bool is_ahead = s->machine && s->thread == main_thread(s) && ses_counted_now(s, &now, NULL) == EBB_OK && now.timestamp < time;
    if (!is_ahead)
        EBB_TRY(begin_again(s, stop, err));
    return run_to_time(s, time, stop, err);
}

/* A class that the place names may be there only then: so its time comes first. */
static ebb_status go_to_text(session *s, const char *text, ses_stop *stop, ebb_error *err)
{
    ses_position to;
    if (strcmp(text, "end") == 0)
        return ebb_fail(err, EBB_UNSUPPORTED, "A program that counts by itself keeps no end to go to: `continue` runs there.");
    ebb_status status = ses_position_parse(s, text, &to, err);
    bool may_come = status == EBB_NOT_FOUND && s->language->code_comes_later;
    if (status == EBB_OK || may_come)
        status = come_to_time(s, to.time, stop, err);
    if (status == EBB_OK && may_come) {
        ses_position_fini(&to);
        status = ses_position_parse(s, text, &to, err);
    }
    ses_position_keep_line(&to);
    if (status == EBB_OK)
        status = run_to_place(s, &to, stop, err);
    ses_position_fini(&to);
    return status;
}

static ebb_status go_to(session *s, ebb_position at, ses_stop *stop, ebb_error *err)
{
    ses_position to = {.time = at.timestamp};
    ebb_vec_push(&to.places, ((sym_spot){.addr = at.place}));
    ebb_status status = come_to_time(s, to.time, stop, err);
    if (status == EBB_OK)
        status = run_to_place(s, &to, stop, err);
    ses_position_fini(&to);
    return status;
}

/* ---- there and back ---- */

/* What was as it is when somebody asks. */
typedef struct asked {
    ebb_position at;
    bool is_somewhere; /* `at` is known, a moment of the main thread */
    unsigned level;
    numbers muted;
} asked;

/* A run that came to its end has no moment to return to. */
static void leave(session *s, asked *from)
{
    *from = (asked){.level = s->level};
    from->is_somewhere = s->thread == main_thread(s) && ses_counted_now(s, &from->at, NULL) == EBB_OK;
    mute(s, &from->muted);
}

static ebb_status ask_begin(session *s, asked *from, ebb_error *err)
{
    EBB_TRY(ses_counted_now(s, &from->at, err));
    EBB_TRY(ses_counted_need_main(s, err));
    leave(s, from);
    return EBB_OK;
}

/* CT4 */
static void return_to(session *s, const asked *from)
{
    ses_stop stop;
    ebb_position now;
    bool is_there = s->machine && ses_counted_now(s, &now, NULL) == EBB_OK && ebb_position_compare(now, from->at) == 0;
    if (is_there || go_to(s, from->at, &stop, NULL) == EBB_OK)
        ses_select(s, s->thread, from->level);
}

static ebb_status return_from(session *s, asked *from, ebb_status status)
{
    if (status != EBB_OK && status != EBB_DIVERGED && from->is_somewhere)
        return_to(s, from);
    unmute(s, &from->muted);
    return status;
}

ebb_status ses_counted_goto(session *s, const char *typed, ses_stop *stop, ebb_error *err)
{
    asked from;
    char *text = ebb_text_rtrim(ebb_strdup(ebb_text_skip_space(typed)));
    const ebb_bookmark *mark = s->bookmarks ? ebb_bookmarks_find(s->bookmarks, text) : NULL;
    leave(s, &from);
    ebb_status status = mark                         ? go_to(s, mark->at, stop, err)
                        : strcmp(text, "start") == 0 ? begin_again(s, stop, err)
                                                     : go_to_text(s, text, stop, err);
    free(text);
    if (status == EBB_OK)
        stop->kind = SES_STOP_POSITION;
    return return_from(s, &from, status);
}

/* ---- breakpoints at positions ---- */

/* That of the enabled ones which comes first, and not before `time`; NULL: none. */
static ses_bp *next_breakpoint(session *s, uint64_t time)
{
    ses_bp *next = NULL;
    for (size_t i = 0; i < s->breakpoints.n; i++) {
        ses_bp *bp = s->breakpoints.items[i];
        if (bp->is_position && bp->view.enabled && bp->time >= time && (!next || bp->time < next->time))
            next = bp;
    }
    return next;
}

/* It counts as a hit, and is a stop unless the breakpoint's condition or its count of ignored hits says no. */
static void hit(session *s, ses_bp *bp, ses_stop *stop, bool *stops)
{
    *stops = bp->places.n == 0 || ses_bp_passes(s, bp, &bp->places.items[0], s->thread);
    if (!*stops)
        return;
    stop->kind = SES_STOP_BREAKPOINT;
    stop->n_breakpoints = 0;
    ses_stop_add_breakpoint(s, stop, bp);
}

/* The second stop: from the timestamp to the place.  Other breakpoints are out of the way meanwhile. */
static ebb_status run_to_breakpoint(session *s, ses_bp *bp, ses_stop *stop, bool *stops, ebb_error *err)
{
    numbers muted = {0};
    *stops = true;
    bool is_line = bp->default_file && strchr(ses_bp_where(bp), ':');
    ses_position to = {.time = bp->time, .line = is_line ? ebb_strdup(ses_bp_where(bp)) : NULL};
    for (size_t i = 0; i < bp->locations.n; i++)
        ebb_vec_push(&to.places, bp->locations.items[i].spot);
    ses_position_keep_line(&to);
    mute(s, &muted);
    ebb_status status = run_to_place(s, &to, stop, err);
    unmute(s, &muted);
    ses_position_fini(&to);
    if (status == EBB_OK && s->machine)
        hit(s, bp, stop, stops);
    return status;
}

/* To the next of them or to another stop, from where the counter can be read. */
static ebb_status run_on_to_next(session *s, uint64_t now, ses_bp **at, ses_stop *stop, ebb_error *err)
{
    ebb_position then;
    ses_bp *bp = next_breakpoint(s, now + 1);
    uint64_t time = bp ? bp->time : SES_COUNTED_NEVER; /* what an earlier move was to stop at may be deleted by now */
    *at = NULL;
    EBB_TRY(set_stop(s, now, time, err));
    EBB_TRY(ses_run_on(s, stop, err));
    if (bp && s->machine && stop->kind == SES_STOP_TRAP && ses_counted_now(s, &then, NULL) == EBB_OK && then.timestamp == time)
        *at = next_breakpoint(s, time);
    if (!*at)
        forget_stop(s); /* something else stopped it, or ended it */
    return EBB_OK;
}

static ebb_status say_not_passed(session *s, int number, uint64_t time)
{
    ses_say(s, SES_NOTICE_WARNING, 0, "Breakpoint %d: that place is not passed at timestamp %lu.", number, (unsigned long)time);
    return EBB_OK;
}

ebb_status ses_counted_run_on(session *s, ses_stop *stop, ebb_error *err)
{
    ebb_position now;
    ses_bp *at;
    if (ses_counted_now(s, &now, NULL) != EBB_OK) /* not before the loader has made room for the count */
        return ses_run_on(s, stop, err);
    for (;;) {
        EBB_TRY(run_on_to_next(s, now.timestamp, &at, stop, err));
        if (!at)
            return EBB_OK;
        ebb_error why;
        int number = at->view.number;
        uint64_t time = at->time;
        bool stops;
        ebb_status status = run_to_breakpoint(s, at, stop, &stops, &why);
        if (status != EBB_OK && status != EBB_NOT_FOUND)
            return ebb_fail(err, status, "%s", why.text);
        if (!s->machine || (status == EBB_OK && stops))
            return EBB_OK;
        if (status == EBB_NOT_FOUND)
            EBB_TRY(say_not_passed(s, number, time));
        EBB_TRY(ses_counted_now(s, &now, err));
    }
}

bool ses_counted_has_positions(session *s)
{
    return ses_is_counted(s) && next_breakpoint(s, 0);
}

ebb_status ses_counted_run(session *s, ses_stop *stop, ebb_error *err)
{
    EBB_TRY(s->language->counting->begin(s, stop, err));
    return s->machine && stop->kind == SES_STOP_LOCATION ? ses_counted_run_on(s, stop, err) : EBB_OK;
}

/* ---- writes ---- */

typedef struct past_write {
    ebb_position at;      /* after it, in the time of the thread that made it */
    unsigned thread;      /* that one's number */
    size_t nth;           /* of all writes that the watchpoint saw, counted from 1 */
    uint64_t object;      /* whose field it is, in that run; 0: nobody's */
    char *before, *after; /* printed; owned */
} past_write;

typedef struct writes {
    char *fixed; /* the expression's place, in words that another run knows */
    size_t n_seen;
    EBB_VEC(past_write) list;
} writes;

static void write_fini(past_write *w)
{
    free(w->before);
    free(w->after);
}

static void writes_fini(writes *all)
{
    for (size_t i = 0; i < all->list.n; i++)
        write_fini(&all->list.items[i]);
    ebb_vec_fini(&all->list);
    free(all->fixed);
}

static unsigned number_of(const session *s, machine_tid tid)
{
    for (size_t i = 0; i < s->threads.n; i++)
        if (s->threads.items[i].tid == tid)
            return s->threads.items[i].number;
    return 0;
}

static ebb_status note_write(session *s, const ses_stop *stop, writes *all, ebb_error *err)
{
    past_write w = {.object = s->at.object, .thread = number_of(s, s->thread), .nth = ++all->n_seen};
    EBB_TRY(ses_counted_now(s, &w.at, err));
    w.before = ebb_strdup(stop->old_value ? stop->old_value : "?");
    w.after = s->language->counting->written(stop->new_value ? stop->new_value : "?");
    ebb_vec_push(&all->list, w);
    return EBB_OK;
}

/* Runs on to `end`, with a watchpoint set: every stop at it is a write. */
static ebb_status collect_to(session *s, ebb_position end, writes *all, ebb_error *err)
{
    ebb_position now;
    ses_stop stop;
    EBB_TRY(ses_counted_now(s, &now, err));
    EBB_TRY(set_stop(s, now.timestamp, end.timestamp, err));
    while (now.timestamp != end.timestamp || now.place != end.place) {
        bool is_near = now.timestamp == end.timestamp;
        tell_signals(s, is_near);
        ebb_status status = is_near ? ses_counted_run_to(s, &end.place, 1, &stop, err) : run_on(s, &stop, err);
        tell_signals(s, false);
        EBB_TRY(status);
        if (!s->machine)
            return ended(s, &stop, end.timestamp, err);
        if (stop.kind == SES_STOP_INTERRUPTED)
            return interrupted(err);
        if (stop.kind == SES_STOP_WATCHPOINT)
            EBB_TRY(note_write(s, &stop, all, err));
        bool is_mains = s->thread == main_thread(s); /* another thread's stop says nothing of the main thread's time */
        if (is_mains && (ses_counted_now(s, &now, NULL) != EBB_OK || now.timestamp > end.timestamp))
            return differs(err);
        ses_select(s, main_thread(s), 0);
    }
    return EBB_OK;
}

/* A field was watched in all objects: which one is meant is known only now, at the end of the pass. */
static ebb_status keep_own(session *s, const char *expression, unsigned level, writes *all, ebb_error *err)
{
    uint64_t object;
    size_t n = 0;
    ses_select(s, s->thread, level);
    EBB_TRY(s->language->counting->owner(s, expression, &object, err));
    for (size_t i = 0; i < all->list.n; i++) {
        past_write *w = &all->list.items[i];
        if (w->object == object)
            all->list.items[n++] = *w;
        else
            write_fini(w);
    }
    all->list.n = n;
    return EBB_OK;
}

/* A new run, at main, with the watchpoint set. */
static ebb_status begin_watching(session *s, const char *fixed, int *number, ebb_error *err)
{
    ses_stop stop;
    EBB_TRY(begin_again(s, &stop, err));
    EBB_TRY(s->language->counting->prepare(s, fixed, err));
    return ses_watch(s, SES_BP_WATCH, fixed, NULL, false, number, err);
}

/* The user sees no gap in the numbers. */
static void end_watching(session *s, int number)
{
    (void)!ses_bp_delete(s, number, NULL);
    s->last_bp_number = number - 1;
}

/* As it is printed here; empty where that can't be done. */
static ebb_buf shown(session *s, const char *expression)
{
    ebb_buf text = {0};
    (void)!ses_output(s, expression, &(expr_format){0}, &text, NULL);
    return text;
}

/* CT5.  What names an object has another name in each run. */
static void compare_values(session *s, const char *expression, const char *before, const char *after)
{
    if (strcmp(before, after) != 0 && !strchr(before, '@'))
        ses_say(s, SES_NOTICE_WARNING, 0, "%.100s was %.100s, and is %.100s here in the run that was made to answer: the program does not do the same in each run.",
                expression, before, after);
}

/* The first pass: from main to now. */
static ebb_status collect_all(session *s, const char *expression, ebb_position end, writes *all, ebb_error *err)
{
    int number;
    unsigned level = s->level;
    EBB_TRY(begin_watching(s, all->fixed, &number, err));
    ebb_status status = collect_to(s, end, all, err);
    end_watching(s, number);
    return status == EBB_OK ? keep_own(s, expression, level, all, err) : status;
}

static ebb_status collect(session *s, const char *expression, ebb_position end, writes *all, ebb_error *err)
{
    EBB_TRY(s->language->counting->fix(s, expression, &all->fixed, err));
    ebb_buf before = shown(s, expression);
    ebb_status status = collect_all(s, expression, end, all, err);
    if (status == EBB_OK) {
        ebb_buf after = shown(s, expression);
        compare_values(s, expression, ebb_buf_text(&before), ebb_buf_text(&after));
        ebb_buf_fini(&after);
    }
    ebb_buf_fini(&before);
    return status;
}

/* ---- last-write ---- */

static ebb_status pass_writes(session *s, const past_write *last, ses_stop *stop, ebb_error *err)
{
    for (size_t n = 0; n < last->nth;) {
        EBB_TRY(run_on(s, stop, err));
        if (stop->kind == SES_STOP_INTERRUPTED)
            return interrupted(err);
        if (!s->machine)
            return ended(s, stop, 0, err);
        n += stop->kind == SES_STOP_WATCHPOINT;
    }
    /* A thread's number is that of one run: it says how many were seen before it.  Its own time and what it wrote are the same. */
    ebb_position now;
    EBB_TRY(ses_counted_now(s, &now, err));
    return ebb_position_compare(now, last->at) == 0 ? EBB_OK : differs(err);
}

/* No timestamp of the main thread leads to another thread's write: the writes are counted. */
static ebb_status go_to_nth(session *s, const char *fixed, const past_write *last, ses_stop *stop, ebb_error *err)
{
    int number;
    EBB_TRY(begin_watching(s, fixed, &number, err));
    ebb_status status = pass_writes(s, last, stop, err);
    stop->n_breakpoints = 0;
    end_watching(s, number);
    return status;
}

static ebb_status go_to_last(session *s, const char *expression, const writes *all, void *self, ebb_error *err)
{
    ses_stop *stop = self;
    if (all->list.n == 0)
        return ebb_fail(err, EBB_NOT_FOUND, "Nothing has changed %.100s since main began.", expression);
    const past_write *last = &all->list.items[all->list.n - 1];
    EBB_TRY(last->thread == 1 ? go_to(s, last->at, stop, err) : go_to_nth(s, all->fixed, last, stop, err));
    stop->kind = SES_STOP_WATCHPOINT;
    stop->thread_changed = last->thread != 1; /* who asked is the main thread */
    stop->watch_number = 0;
    stop->watch_text = ebb_strdup(expression);
    stop->old_value = ebb_strdup(last->before);
    stop->new_value = ebb_strdup(last->after);
    ses_remember_stop(s, stop);
    return EBB_OK;
}

/* Both questions about writes: the first pass, with the user's breakpoints out of the way, and what is made of it. */
typedef ebb_status write_question(session *s, const char *expression, const writes *all, void *self, ebb_error *err);

static ebb_status ask_writes(session *s, const char *expression, write_question *question, void *self, ebb_error *err)
{
    asked from;
    writes all = {0};
    EBB_TRY(ask_begin(s, &from, err));
    ebb_status status = collect(s, expression, from.at, &all, err);
    if (status == EBB_OK)
        status = question(s, expression, &all, self, err);
    writes_fini(&all);
    return return_from(s, &from, status);
}

ebb_status ses_counted_last_write(session *s, const char *expression, ses_stop *stop, ebb_error *err)
{
    return ask_writes(s, expression, go_to_last, stop, err);
}

typedef struct told {
    ebb_arena *arena;
    ses_past_values *out;
} told;

static ebb_status tell_values(session *s, const char *expression, const writes *all, void *self, ebb_error *err)
{
    told *to = self;
    if (all->list.n == 0) {
        ebb_buf text = {0};
        EBB_TRY(ses_output(s, expression, &(expr_format){0}, &text, err));
        ebb_vec_push(to->out, ((ses_past_value){.value = ebb_arena_strdup(to->arena, ebb_buf_text(&text)), .position = "main", .is_first = true}));
        ebb_buf_fini(&text);
    }
    for (size_t i = 0; i < all->list.n; i++) {
        const past_write *w = &all->list.items[i];
        const char *at = ses_position_words(s, to->arena, w->at, false);
        if (w->thread != 1)
            at = ebb_arena_printf(to->arena, "%s (thread %u)", at, w->thread);
        if (i == 0)
            ebb_vec_push(to->out, ((ses_past_value){.value = ebb_arena_strdup(to->arena, w->before), .position = "main", .is_first = true}));
        ebb_vec_push(to->out, ((ses_past_value){.value = ebb_arena_strdup(to->arena, w->after), .position = at}));
    }
    return EBB_OK;
}

ebb_status ses_counted_values(session *s, ebb_arena *arena, const char *expression, ses_past_values *out, ebb_error *err)
{
    return ask_writes(s, expression, tell_values, &(told){arena, out}, err);
}

/* ---- bisect ---- */

typedef struct broken {
    const char *condition;
    bool is_mains;     /* CT6: it is asked in main's frame, */
    bool is_nobodys;   /*      or in none */
} broken;

static unsigned outermost(session *s)
{
    const ses_frame *frame;
    unsigned level = 0;
    while (ses_frame_get(s, level + 1, &frame, NULL) == EBB_OK)
        level++;
    return level;
}

static ebb_status test(session *s, const broken *q, bool *holds, ebb_error *err)
{
    struct ses_scope outer = s->scope;
    unsigned level = s->level;
    if (q->is_mains)
        ses_select(s, s->thread, outermost(s));
    if (q->is_nobodys)
        s->scope = (struct ses_scope){.is_set = true, .has_no_frame = true};
    ebb_status status = ses_evaluate_bool(s, q->condition, holds, err);
    s->scope = outer;
    ses_select(s, s->thread, level);
    return status;
}

/* CT6 */
static ebb_status aim(session *s, broken *q, ebb_error *err)
{
    bool holds;
    EBB_TRY(test(s, q, &holds, err));
    if (holds)
        return ebb_fail(err, EBB_BAD_INPUT, "The condition holds now: go to where it does not.");
    if (!s->language->code_comes_later)
        return EBB_OK;
    q->is_mains = ses_reads_frame(s, q->condition);
    q->is_nobodys = !q->is_mains;
    if (q->is_mains && s->level != outermost(s))
        return ebb_fail(err, EBB_UNSUPPORTED, "Another run can't tell this call of the method from others: ask about statics, or in main's frame (`up`).");
    if (q->is_nobodys && test(s, q, &holds, NULL) != EBB_OK)
        return ebb_fail(err, EBB_UNSUPPORTED, "It is asked in other classes, too: write statics as CLASS.FIELD.");
    return EBB_OK;
}

/* CT3 */
static ebb_status still_holds(session *s, const broken *q, bool *holds, ebb_error *err)
{
    ebb_error why;
    ebb_status status = test(s, q, holds, &why);
    bool makes_no_sense_yet = status == EBB_BAD_INPUT || status == EBB_NOT_FOUND || status == EBB_UNAVAILABLE || status == EBB_NO_MEMORY_AT;
    if (makes_no_sense_yet)
        *holds = true;
    return status == EBB_OK || makes_no_sense_yet ? EBB_OK : ebb_fail(err, status, "%s", why.text);
}

static ebb_status holds_at(session *s, const broken *q, uint64_t time, bool *holds, ses_stop *stop, ebb_error *err)
{
    EBB_TRY(begin_again(s, stop, err));
    EBB_TRY(run_to_time_or_after(s, time, stop, err));
    EBB_TRY(leave_tick(s, stop, err));
    return still_holds(s, q, holds, err);
}

static ebb_status halve(session *s, const broken *q, uint64_t low, uint64_t high, ses_stop *stop, ebb_error *err)
{
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        bool holds;
        EBB_TRY(holds_at(s, q, middle, &holds, stop, err));
        *(holds ? &low : &high) = middle;
    }
    EBB_TRY(begin_again(s, stop, err));
    EBB_TRY(run_to_time_or_after(s, high, stop, err));
    return leave_tick(s, stop, err);
}

/* The timestamp of the end is the only one at which the condition may still hold: it broke after the first moment of that. */
static ebb_status end_of_bisect(session *s, const broken *q, ebb_position end, ses_stop *stop, ebb_error *err)
{
    bool holds;
    EBB_TRY(still_holds(s, q, &holds, err));
    if (holds) {
        EBB_TRY(go_to(s, end, stop, err));
        ses_say(s, SES_NOTICE_WARNING, 0, "It holds at the first moment of timestamp %lu, and not any more here.", (unsigned long)end.timestamp);
    }
    stop->kind = SES_STOP_POSITION;
    return EBB_OK;
}

static ebb_status bisect(session *s, const broken *q, ebb_position end, ses_stop *stop, ebb_error *err)
{
    ebb_position low;
    bool holds;
    EBB_TRY(begin_again(s, stop, err));
    EBB_TRY(ses_counted_now(s, &low, err));
    EBB_TRY(still_holds(s, q, &holds, err));
    if (!holds)
        return ebb_fail(err, EBB_BAD_INPUT, "The condition does not hold at the beginning of main.");
    EBB_TRY(halve(s, q, low.timestamp, end.timestamp, stop, err));
    return end_of_bisect(s, q, end, stop, err);
}

ebb_status ses_counted_bisect(session *s, const char *condition, ses_stop *stop, ebb_error *err)
{
    asked from;
    broken q = {.condition = condition};
    EBB_TRY(aim(s, &q, err));
    EBB_TRY(ask_begin(s, &from, err));
    return return_from(s, &from, bisect(s, &q, from.at, stop, err));
}
