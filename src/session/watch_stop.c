/* watch_stop.c - see watch.h: a stop that may be one of a watchpoint's, going forward and back. */
#include "session/condition.h"
#include "session/hits.h"
#include "session/language.h"
#include "session/stack.h"
#include "session/watch_state.h"

static bool is_point_of(const machine_stop *at, machine_point_id point)
{
    for (size_t k = 0; k < at->n_points && point; k++)
        if (at->points[k] == point)
            return true;
    return false;
}

static bool is_reached(const ses_watch_state *w, const machine_stop *at)
{
    if (w->reads_registers)
        return true;
    for (size_t i = 0; i < w->ranges.n; i++)
        if (is_point_of(at, w->ranges.items[i].point))
            return true;
    return false;
}

/* WA1: back in the caller, the watched frame is left. */
static bool is_over(session *s, const ses_watch_state *w)
{
    const ses_frame *frame;
    unsigned level;
    if (!w->has_frame || ses_frame_get(s, 0, &frame, NULL) != EBB_OK)
        return false;
    bool at_return = frame->pc == w->return_pc &&
                     (w->caller.cfa == 0 || ses_frame_id_same(ses_physical_id(s, 0), w->caller));
    return (at_return || w->reads_registers) && !ses_frame_find(s, w->frame, &level);
}

/* WA3: one place is watched, and another object is there now. */
static bool is_gone(const session *s, const ses_bp *bp, const machine_stop *at)
{
    return at->is_new && bp->watch->ranges.n == 1 && ses_watch_time(s) > bp->watch->seen;
}

static bool is_before_birth(const session *s, const ses_watch_state *w)
{
    return w->born && ses_watch_time(s) < w->born;
}

static void replace_text(char **text, char *with)
{
    free(*text);
    *text = with;
}

/* A stop tells of one; the others that end there are told of before. */
static void stop_out_of_scope(session *s, ses_bp *bp, const machine_stop *at, ses_stop *stop)
{
    if (stop->kind == SES_STOP_WATCH_SCOPE)
        ses_say(s, SES_NOTICE_BREAKPOINT, 0, at->is_new ? "Watchpoint %d deleted because its object is gone, too."
                : "Watchpoint %d deleted because the program has left its block, too.", bp->view.number);
    else {
        stop->watch_number = bp->view.number;
        replace_text(&stop->watch_text, ebb_strdup(bp->view.where));
    }
    stop->kind = SES_STOP_WATCH_SCOPE;
    ses_stop_add_breakpoint(s, stop, bp);
    if (ses_bp_find(s, stop->breakpoints[stop->n_breakpoints - 1]))
        ses_bp_remove(s, bp);
}

/* Takes the two texts. */
static void tell(const ses_bp *bp, char *old, char *new, ses_stop *stop)
{
    if (stop->kind == SES_STOP_WATCHPOINT) { /* another one tells already */
        ses_watch_told told = {bp->view.number, ebb_strdup(bp->view.where), old, new};
        ebb_vec_push(&stop->more_watches, told);
        return;
    }
    stop->kind = SES_STOP_WATCHPOINT;
    stop->watch_number = bp->view.number;
    replace_text(&stop->watch_text, ebb_strdup(bp->view.where));
    replace_text(&stop->old_value, old);
    replace_text(&stop->new_value, new);
}

/* WA4: the value before the change that this stop tells of; NULL: what was seen last is that. */
static void *value_before(session *s, ses_watch_state *w, const machine_stop *at)
{
    uint64_t word;
    void *value = NULL;
    bool was_unreadable = w->every_write && !w->value; /* memory that came since: the machine looked at it (x86/watch.h, WX3) */
    bool is_unseen = w->codes.is_told || w->is_passed_by || was_unreadable;
    w->is_passed_by = false;
    for (size_t i = 0; is_unseen && s->machine->native && i < w->ranges.n; i++) {
        const ses_watched *r = &w->ranges.items[i];
        if (!is_point_of(at, r->point) || !s->machine->native->point_was(s->machine, r->point, &word))
            continue;
        s->before = (struct ses_before){.addr = r->addr, .nbytes = r->nbytes, .word = word};
        struct ses_reads reads = {0};
        (void)!ses_watch_evaluate(s, w->target, &reads, &value, NULL);
        ebb_vec_fini(&reads.ranges);
        s->before.nbytes = 0;
        return value;
    }
    return NULL;
}

static void say_untested(session *s, machine_tid thread)
{
    static const char text[] = "Watchpoint condition cannot be tested in the current scope";
    if (s->is_judging)
        ses_complain(s, thread, ebb_asprintf("warning: %s", text));
    else
        ses_say(s, SES_NOTICE_WARNING, thread, "%s", text);
}

/* Condition and counts. */
static bool passes(session *s, ses_bp *bp, machine_tid thread)
{
    const char *condition = bp->view.condition;
    ses_outer_scope outer;
    if (!ses_condition_scope_enter(s, &bp->watch->scope, &outer)) {
        say_untested(s, thread);
        bp->view.condition = NULL; /* BR2 */
    }
    bool passes = ses_bp_passes(s, bp, &bp->watch->place, thread);
    bp->view.condition = condition;
    ses_condition_scope_leave(s, &outer);
    return passes;
}

/* It does, and can be tested here. */
static bool holds(session *s, ses_bp *bp)
{
    ses_outer_scope outer;
    bool holds = ses_condition_scope_enter(s, &bp->watch->scope, &outer) && ses_bp_holds(s, bp, &bp->watch->place);
    ses_condition_scope_leave(s, &outer);
    return holds;
}

/* The watched bytes were touched: whether that is worth a stop. */
static bool check_value(session *s, ses_bp *bp, const machine_stop *at, ses_stop *stop)
{
    ses_watch_state *w = bp->watch;
    struct ses_reads reads = {0};
    void *value = NULL;
    (void)!ses_watch_evaluate(s, w->target, &reads, &value, NULL);
    void *before = value_before(s, w, at);
    if (before)
        ses_watch_keep_value(s, w, before);
    char *old = before ? ses_watch_value_text(s, before) : s->language->watch_before(s, w->target), *new = ses_watch_value_text(s, value);
    bool changed = value && w->value ? !s->language->value_same(w->value, value) : value || w->value;
    bool is_out_of_scope = w->has_frame && !value && reads.ranges.n == 0 && !reads.registers; /* what was touched is not the variable (yet) */
    if (is_out_of_scope)
        changed = false;
    if (old && !before && w->codes.list.n > 0 && bp->view.kind == SES_BP_WATCH)
        changed = !is_out_of_scope; /* since what was there before, which the machine passed by */
    bool tells_all = bp->view.kind != SES_BP_WATCH || w->every_write; /* the machine tells reads, accesses and writes itself */
    bool wanted = (tells_all && !is_out_of_scope) || changed;
    bool knows_old = old || s->machine->native;
    if (!old)
        old = ses_watch_value_text(s, w->value);
    ses_watch_keep_value(s, w, value);
    ses_watch_adopt_reads(s, w, &reads);
    s->level = 0;
    (void)!ses_watch_set_points(s, bp, NULL);
    if (!wanted || !passes(s, bp, at->thread)) {
        if (wanted && knows_old)
            ses_watch_learn_code(s, bp);
        free(old);
        free(new);
        return false;
    }
    if (!changed || bp->view.kind == SES_BP_RWATCH) {
        free(old);
        old = NULL;
    }
    tell(bp, old, new, stop);
    ses_stop_add_breakpoint(s, stop, bp);
    return true;
}

/* Going back, the values are those of the moments that are seen. */
static bool tells_old_value(session *s, const ses_bp *bp)
{
    if (s->machine->native)
        return true;
    char *old = s->language->watch_before(s, bp->watch->target);
    bool is_told = old != NULL;
    free(old);
    return is_told;
}

/* What is gone back over is the value then, not the one that was seen last: a condition or an ignore count passes others by. */
static void note_after(session *s, ses_watch_state *w)
{
    struct ses_reads reads = {0};
    void *value = NULL;
    (void)!ses_watch_evaluate(s, w->target, &reads, &value, NULL);
    ebb_vec_fini(&reads.ranges);
    free(w->after);
    w->after = value ? s->language->value_text(s, value) : NULL;
    if (value)
        s->language->value_drop(value);
}

/* Native code: not the thing itself was written, but a pointer or an index that leads to it. */
static bool is_way_touched(const session *s, const ses_watch_state *w, const machine_stop *at)
{
    for (size_t i = 0; s->machine->native && i + 1 < w->ranges.n; i++)
        if (is_point_of(at, w->ranges.items[i].point))
            return true;
    return false;
}

bool ses_watch_aim_anew(session *s, ses_bp *bp)
{
    if (!bp->watch->is_elsewhere)
        return false;
    ses_watch_update(s, bp);
    return true;
}

/* Going back: the machine told of a change, and that is enough; the value is known when it is gone back over. */
static bool judge_watch(session *s, ses_bp *bp, const machine_stop *at, ses_stop *stop)
{
    bool is_there = is_reached(bp->watch, at) && ses_watch_select_frame(s, bp->watch);
    bool is_innermost = s->level == 0;
    bool stops = is_there && passes(s, bp, at->thread);
    bool is_elsewhere = is_there && !stops && is_way_touched(s, bp->watch, at);
    if (stops || is_elsewhere)
        bp->watch->is_elsewhere = is_elsewhere;
    stops |= is_elsewhere;
    if (stops && at->is_new && bp->view.condition)
        stops = holds(s, bp); /* what just came into being may be out of the condition's reach: no hit */
    if (stops && (bp->view.condition || bp->view.ignore || bp->watch->is_passed_by))
        note_after(s, bp->watch);
    s->level = 0;
    if (is_there && is_innermost && bp->watch->codes.is_told && tells_old_value(s, bp))
        ses_watch_learn_code(s, bp);
    if (stops)
        ses_stop_add_breakpoint(s, stop, bp);
    return stops;
}

/* Before its birth nothing counts; nor does the return from its frame, wherever one goes back. */
void ses_watch_note(session *s, ses_bp *bp, machine_note as, ses_noted *noted)
{
    ses_watch_state *w = bp->watch;
    if (w->reads_registers)
        return;
    if (bp->view.condition && !w->codes.is_told && ses_watch_may_have_code(s, bp) && *ses_watch_coded_point(w))
        ses_watch_tell_codes(s, w);
    if (w->return_point)
        ebb_vec_push(noted, ((machine_noted){.id = w->return_point, .as = MACHINE_NOTE_NOTHING}));
    bool is_over = w->born && ses_watch_time(s) <= w->born;
    if (bp->view.condition && !w->codes.is_told)
        return;
    for (size_t i = bp->view.condition ? w->ranges.n - 1 : 0; i < w->ranges.n; i++)
        if (w->ranges.items[i].point)
            ebb_vec_push(noted, ((machine_noted){.id = w->ranges.items[i].point, .as = is_over ? MACHINE_NOTE_NOTHING : as}));
}

void ses_watch_went_back(session *s, ses_bp *bp, ses_stop *stop)
{
    ses_watch_state *w = bp->watch;
    bool is_born = stop->machine.is_new && w->ranges.n == 1;
    if (is_born)
        w->born = ses_watch_time(s);
    char *old = w->after ? w->after : ses_watch_value_text(s, w->value);
    w->after = NULL;
    w->is_passed_by = false;
    ses_watch_look_again(s, bp);
    bool has_no_frame = is_born && w->has_frame;
    if (has_no_frame)
        ses_watch_keep_value(s, w, NULL);
    tell(bp, old, has_no_frame ? ebb_strdup("<its frame is not there>") : ses_watch_value_text(s, w->value), stop);
}

static bool check_watch(session *s, ses_bp *bp, const machine_stop *at, ses_stop *stop)
{
    if (!bp->view.enabled || is_before_birth(s, bp->watch))
        return false;
    if (s->is_judging)
        return judge_watch(s, bp, at, stop);
    if (is_over(s, bp->watch)) {
        stop_out_of_scope(s, bp, at, stop);
        return true;
    }
    if (!is_reached(bp->watch, at) || !ses_watch_select_frame(s, bp->watch))
        return false;
    if (is_gone(s, bp, at)) {
        stop_out_of_scope(s, bp, at, stop);
        return true;
    }
    return check_value(s, bp, at, stop);
}

bool ses_check_watches(session *s, const machine_stop *at, ses_stop *stop)
{
    bool stops = false;
    for (size_t i = 0; i < s->breakpoints.n;) {
        ses_bp *bp = s->breakpoints.items[i];
        if (ses_bp_is_watch(bp) && check_watch(s, bp, at, stop))
            stops = true;
        i += i < s->breakpoints.n && s->breakpoints.items[i] == bp;
    }
    return stops;
}
