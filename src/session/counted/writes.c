/* writes.c - `last-write` and `values`: a run with a watchpoint, and what is made of what it saw. */
#include "session/counted/again.h"
#include "session/breakpoints.h"
#include "session/language.h"
#include "session/move.h"
#include "session/stack.h"
#include "session/verbs.h"
#include "session/watch.h"

#include <string.h>

typedef struct past_write {
    ebb_position at;      /* after it, in the time of the thread that made it */
    uint64_t state;       /* by which its pass of that place is known (ses_asked) */
    unsigned thread;      /* that one's number */
    size_t nth;           /* of all writes that the watchpoint saw, counted from 1 */
    uint64_t object;      /* whose field it is, in that run; 0: nobody's */
    char *before, *after; /* printed; owned; before: NULL if it was the same */
} past_write;

typedef struct writes {
    char *fixed;   /* the expression's place, in words that another run knows */
    bool is_whole; /* every write there counts; else those that changed it */
    size_t n_seen;
    unsigned n_passes; /* of the place that was to be come to, at its time, which were not the one that was meant */
    EBB_VEC(past_write) list;
} writes;

static void write_fini(past_write *w)
{
    free(w->before);
    free(w->after);
}

static void forget_writes(writes *all)
{
    for (size_t i = 0; i < all->list.n; i++)
        write_fini(&all->list.items[i]);
    all->list.n = all->n_seen = 0;
    all->n_passes = 0;
}

static void writes_fini(writes *all)
{
    forget_writes(all);
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

/* What another object's field has become in the meantime is no change of this one's. */
static void forget_if_same(past_write *w)
{
    if (!w->object || !w->before || strcmp(w->before, w->after) != 0)
        return;
    free(w->before);
    w->before = NULL;
}

static ebb_status note_write(session *s, const ses_stop *stop, writes *all, ebb_error *err)
{
    past_write w = {.object = s->at.object, .thread = number_of(s, s->thread), .nth = ++all->n_seen};
    if (!stop->old_value && !all->is_whole)
        return EBB_OK;
    EBB_TRY(ses_counted_now(s, &w.at, err));
    w.state = s->language->counting->state(s);
    w.before = stop->old_value ? ebb_strdup(stop->old_value) : NULL;
    w.after = s->language->counting->written(stop->new_value ? stop->new_value : "?");
    forget_if_same(&w);
    ebb_vec_push(&all->list, w);
    return EBB_OK;
}

/* The next stop on the way to `end`; not further than the tick after it. */
static ebb_status run_towards(session *s, const ses_asked *end, ebb_position now, ses_stop *stop, ebb_error *err)
{
    bool is_near = now.timestamp == end->at.timestamp;
    if (is_near)
        EBB_TRY(ses_again_stop_at(s, now.timestamp, now.timestamp + 1, err));
    ses_again_tell_signals(s, is_near);
    ebb_status status = is_near ? ses_counted_run_to(s, &end->at.place, 1, stop, err) : ses_again_run_on(s, stop, err);
    ses_again_tell_signals(s, false);
    return status;
}

/* Runs on to `end`, with a watchpoint set: every stop at it is a write. */
static ebb_status collect_to(session *s, const ses_asked *end, writes *all, ebb_error *err)
{
    ebb_position now;
    ses_stop stop;
    EBB_TRY(ses_counted_now(s, &now, err));
    EBB_TRY(ses_again_stop_at(s, now.timestamp, end->at.timestamp, err));
    for (;; all->n_passes += ses_again_is_there(s, end, now)) {
        if (ses_again_is_there(s, end, now) && ses_again_is_same(s, end))
            return EBB_OK;
        EBB_TRY(run_towards(s, end, now, &stop, err));
        if (!s->machine)
            return ses_again_ended(s, &stop, end->at.timestamp, err);
        if (stop.kind == SES_STOP_INTERRUPTED)
            return ses_again_interrupted(err);
        if (stop.kind == SES_STOP_WATCHPOINT)
            EBB_TRY(note_write(s, &stop, all, err));
        bool is_mains = s->thread == ses_again_main_thread(s); /* another thread's stop says nothing of the main thread's time */
        if (is_mains && (ses_counted_now(s, &now, NULL) != EBB_OK || now.timestamp > end->at.timestamp))
            return ses_again_differs(err);
        ses_select(s, ses_again_main_thread(s), 0);
    }
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
static ebb_status begin_watching(session *s, const writes *all, int *number, ebb_error *err)
{
    ses_stop stop;
    EBB_TRY(ses_again_begin(s, &stop, err));
    EBB_TRY(s->language->counting->prepare(s, all->fixed, err));
    return ses_watch(s, &(ses_watch_request){.kind = SES_BP_WATCH, .expression = all->fixed, .every_write = true}, number, err);
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

/* From main to the moment that is meant. */
static ebb_status collect_once(session *s, const ses_asked *end, writes *all, ebb_error *err)
{
    int number;
    EBB_TRY(begin_watching(s, all, &number, err));
    ebb_status status = collect_to(s, end, all, err);
    end_watching(s, number);
    return status;
}

/* Where none of the passes of that place looks like the one that is meant, because registers have other values in each run, the first is taken. */
static ebb_status collect_any(session *s, const ses_asked *end, writes *all, ebb_error *err)
{
    ses_asked first = *end;
    ebb_status status = collect_once(s, end, all, err);
    unsigned n_passes = all->n_passes;
    if (status != EBB_DIVERGED || n_passes == 0)
        return status;
    first.state = 0;
    forget_writes(all);
    status = collect_once(s, &first, all, err);
    if (status == EBB_OK && n_passes > 1)
        ses_say(s, SES_NOTICE_WARNING, 0, "This place is passed %u times at timestamp %lu, by code that does not count: the first of them is meant.", n_passes,
                (unsigned long)end->at.timestamp);
    return status;
}

/* The first pass: from main to now. */
static ebb_status collect(session *s, const char *expression, const ses_asked *from, writes *all, ebb_error *err)
{
    EBB_TRY(s->language->counting->fix(s, expression, &all->fixed, &all->is_whole, err));
    ebb_buf before = shown(s, expression);
    ebb_status status = collect_any(s, from, all, err);
    if (status == EBB_OK)
        status = keep_own(s, expression, from->level, all, err);
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
        EBB_TRY(ses_again_run_on(s, stop, err));
        if (stop->kind == SES_STOP_INTERRUPTED)
            return ses_again_interrupted(err);
        if (!s->machine)
            return ses_again_ended(s, stop, 0, err);
        n += stop->kind == SES_STOP_WATCHPOINT;
    }
    /* A thread's number is that of one run: it says how many were seen before it.  Its own time and what it wrote are the same. */
    ebb_position now;
    EBB_TRY(ses_counted_now(s, &now, err));
    return ebb_position_compare(now, last->at) == 0 ? EBB_OK : ses_again_differs(err);
}

/* No timestamp of the main thread leads to another thread's write, and none tells writes apart that code which does not count makes in one place: they are counted. */
static ebb_status go_to_nth(session *s, const writes *all, const past_write *last, ses_stop *stop, ebb_error *err)
{
    int number;
    EBB_TRY(begin_watching(s, all, &number, err));
    ebb_status status = pass_writes(s, last, stop, err);
    stop->n_breakpoints = 0;
    end_watching(s, number);
    return status;
}

static bool is_one_of_several(const writes *all, const past_write *w)
{
    for (size_t i = 0; i < all->list.n; i++)
        if (&all->list.items[i] != w && ebb_position_compare(all->list.items[i].at, w->at) == 0)
            return true;
    return false;
}

/* By its position, or else by counting the writes up to it: then the stop has what this run wrote. */
static ebb_status go_to_write(session *s, const writes *all, const past_write *w, bool *is_told, ses_stop *stop, ebb_error *err)
{
    ses_asked at = {.at = w->at, .state = w->state};
    bool is_known = w->thread == 1 && (w->state || !is_one_of_several(all, w));
    ebb_status status = is_known ? ses_again_go_to_pass(s, &at, stop, err) : EBB_NOT_FOUND;
    *is_told = status == EBB_NOT_FOUND;
    return *is_told ? go_to_nth(s, all, w, stop, err) : status;
}

/* CT5: what is told is what this run wrote, where that is known. */
static void tell_write(session *s, const char *expression, const char *fixed, const past_write *last, bool is_told, ses_stop *stop)
{
    ebb_buf now = is_told ? (ebb_buf){0} : shown(s, fixed);
    const char *old = is_told ? stop->old_value : last->before;
    char *before = old ? ebb_strdup(old) : NULL;
    char *after = is_told && stop->new_value ? s->language->counting->written(stop->new_value) : ebb_strdup(now.n ? ebb_buf_text(&now) : last->after);
    compare_values(s, expression, last->after, after);
    ebb_buf_fini(&now);
    stop->watch_text = ebb_strdup(expression);
    stop->old_value = before;
    stop->new_value = after;
}

static ebb_status go_to_last(session *s, const char *expression, const writes *all, void *self, ebb_error *err)
{
    ses_stop *stop = self;
    bool is_told;
    if (all->list.n == 0)
        return ebb_fail(err, EBB_NOT_FOUND, "Nothing has written %.100s since main began.", expression);
    const past_write *last = &all->list.items[all->list.n - 1];
    EBB_TRY(go_to_write(s, all, last, &is_told, stop, err));
    tell_write(s, expression, all->fixed, last, is_told, stop);
    stop->kind = SES_STOP_WATCHPOINT;
    stop->thread_changed = last->thread != 1; /* who asked is the main thread */
    stop->watch_number = 0;
    ses_remember_stop(s, stop);
    return EBB_OK;
}

/* Both questions about writes: the first pass, with the user's breakpoints out of the way, and what is made of it. */
typedef ebb_status write_question(session *s, const char *expression, const writes *all, void *self, ebb_error *err);

static ebb_status ask_writes(session *s, const char *expression, write_question *question, void *self, ebb_error *err)
{
    ses_asked from;
    writes all = {0};
    EBB_TRY(ses_again_ask(s, &from, err));
    ebb_status status = collect(s, expression, &from, &all, err);
    if (status == EBB_OK)
        status = question(s, expression, &all, self, err);
    writes_fini(&all);
    return ses_again_return(s, &from, status);
}

ebb_status ses_counted_last_write(session *s, const char *expression, ses_stop *stop, ebb_error *err)
{
    return ask_writes(s, expression, go_to_last, stop, err);
}

typedef struct told {
    ebb_arena *arena;
    ses_past_values *out;
} told;

static void tell_first(told *to, const char *value)
{
    ebb_vec_push(to->out, ((ses_past_value){.value = ebb_arena_strdup(to->arena, value), .position = "main", .is_first = true}));
}

static void tell_change(session *s, told *to, const past_write *w)
{
    const char *at = ses_position_words(s, to->arena, w->at, false);
    if (w->thread != 1)
        at = ebb_arena_printf(to->arena, "%s (thread %u)", at, w->thread);
    ebb_vec_push(to->out, ((ses_past_value){.value = ebb_arena_strdup(to->arena, w->after), .position = at}));
}

static ebb_status tell_values(session *s, const char *expression, const writes *all, void *self, ebb_error *err)
{
    told *to = self;
    for (size_t i = 0; i < all->list.n; i++) {
        const past_write *w = &all->list.items[i];
        if (w->before && to->out->n == 0)
            tell_first(to, w->before);
        if (w->before)
            tell_change(s, to, w);
    }
    if (to->out->n > 0)
        return EBB_OK;
    ebb_buf text = {0};
    EBB_TRY(ses_output(s, expression, &(expr_format){0}, &text, err));
    tell_first(to, ebb_buf_text(&text));
    ebb_buf_fini(&text);
    return EBB_OK;
}

ebb_status ses_counted_values(session *s, ebb_arena *arena, const char *expression, ses_past_values *out, ebb_error *err)
{
    return ask_writes(s, expression, tell_values, &(told){arena, out}, err);
}
