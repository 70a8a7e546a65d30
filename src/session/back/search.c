/* search.c - see search.h. */
#include "session/back/search.h"
#include "session/back/activations.h"
#include "session/hits.h"
#include "session/language.h"
#include "session/move.h"
#include "session/points.h"
#include "session/signals.h"
#include "session/stack.h"
#include "session/threads.h"
#include "session/travel.h"
#include "session/watch.h"

/* ---- judging a stop --------------------------------------------------------------------------- */

static bool is_of_watch(session *s, int number)
{
    const ses_bp *bp = ses_bp_find(s, number);
    return bp && ses_bp_is_watch(bp);
}

static unsigned verdict_of(session *s, const machine_stop *at, const ses_stop *stop)
{
    bool is_event = at->kind == MACHINE_STOP_THROW || at->kind == MACHINE_STOP_SIGNAL; /* also one that no catchpoint is about */
    unsigned verdict = is_event ? EBB_STOP_HERE : EBB_PASS;
    for (size_t i = 0; i < stop->n_breakpoints; i++)
        verdict |= is_of_watch(s, stop->breakpoints[i]) ? EBB_STOP_BEFORE : EBB_STOP_HERE;
    return verdict;
}

static bool is_no_watch(session *s, int number)
{
    return !is_of_watch(s, number);
}

static bool is_not_ignored(session *s, int number)
{
    const ses_bp *bp = ses_bp_find(s, number);
    return !bp || bp->view.ignore == 0;
}

/* RV5 */
static void use_up_hits(ses_bp *bp, unsigned n)
{
    bp->view.ignore -= n;
    bp->view.hits += n;
    if (n && bp->watch)
        ses_watch_passed(bp);
}

/* The same, and the hit is used up. */
static bool use_up(session *s, int number)
{
    ses_bp *bp = ses_bp_find(s, number);
    if (is_not_ignored(s, number))
        return true;
    use_up_hits(bp, 1);
    return false;
}

/* Leaves those of the stop's breakpoints that it will really be about. */
static void keep_only(session *s, ses_stop *stop, bool (*stays)(session *s, int number))
{
    size_t n = 0;
    for (size_t i = 0; i < stop->n_breakpoints; i++) {
        if (!stays(s, stop->breakpoints[i]))
            continue;
        stop->breakpoints[n] = stop->breakpoints[i];
        stop->breakpoint_was_temporary[n] = stop->breakpoint_was_temporary[i];
        stop->breakpoint_location[n++] = stop->breakpoint_location[i];
    }
    stop->n_breakpoints = n;
}

static void accept_user_stop(session *s, ses_search *search, ses_stop *found, ebb_position now, unsigned verdict, unsigned own)
{
    bool is_before;
    if (!ebb_verdict_counts(verdict, now, search->origin, &is_before)) {
        ses_stop_fini(found);
        return;
    }
    if (found->n_breakpoints > 0)
        keep_only(s, found, is_before ? is_of_watch : is_no_watch);
    ses_stop_fini(&search->accepted);
    search->accepted = *found;
    search->is_own_too = ebb_verdict_counts(own, now, search->origin, &is_before);
    search->is_own = false;
}

/* RV5; leaves the others. */
static bool has_only_ignored(session *s, ses_stop *found)
{
    bool has_any = found->n_breakpoints > 0;
    keep_only(s, found, is_not_ignored);
    return has_any && found->n_breakpoints == 0;
}

static void keep_aside(session *s, ses_search *search, ses_stop *found, ebb_position now, unsigned verdict)
{
    bool is_before;
    ses_aside *aside = search->users.aside;
    bool counts = ebb_verdict_counts(verdict, now, search->origin, &is_before);
    if (!counts || (aside->found && ebb_position_compare(now, aside->at) <= 0)) {
        ses_stop_fini(found);
        return;
    }
    if (found->n_breakpoints > 0)
        keep_only(s, found, is_before ? is_of_watch : is_no_watch);
    ses_aside_fini(aside);
    *aside = (ses_aside){.found = true, .at = now, .is_before = is_before, .stop = *found};
}

void ses_aside_fini(ses_aside *aside)
{
    ses_stop_fini(&aside->stop);
    *aside = (ses_aside){0};
}

static bool check_signal(session *s, const machine_stop *at, ses_stop *found)
{
    bool is_caught = ses_check_catch_signal(s, at->signal, found);
    if (!is_caught && !ses_signal_policy_of(s, at->signal).stop)
        return false;
    if (!is_caught)
        found->kind = SES_STOP_SIGNAL;
    found->machine = *at;
    found->thread = at->thread;
    return true;
}

/* Steps go over signals; whoever runs back stops where he would have going forward. */
static bool check_user_stop(session *s, const ses_search *search, const machine_stop *at, ses_stop *found)
{
    switch (at->kind) {
    case MACHINE_STOP_POINT: return ses_check_hits(s, at, found);
    case MACHINE_STOP_SIGNAL: return !search->users.aside && check_signal(s, at, found);
    case MACHINE_STOP_FORKED:
    case MACHINE_STOP_THREAD_START:
    case MACHINE_STOP_THREAD_END:
    case MACHINE_STOP_SYSCALL_ENTRY:
    case MACHINE_STOP_SYSCALL_RETURN:
    case MACHINE_STOP_THROW:
    case MACHINE_STOP_CATCH: return ses_check_catch(s, at, found);
    default: return false;
    }
}

static bool reached_own(const ses_search *search, const machine_stop *at)
{
    if (search->thread && at->thread != search->thread)
        return false;
    for (size_t i = 0; at->kind == MACHINE_STOP_POINT && i < search->points.n; i++)
        for (size_t k = 0; k < at->n_points; k++)
            if (at->points[k] == search->points.items[i])
                return true;
    return false;
}

static ebb_status judge_own(session *s, ses_search *search, const machine_stop *at, ebb_position now, unsigned *verdict, ebb_error *err)
{
    bool is_before;
    unsigned own = EBB_PASS;
    if (!reached_own(search, at))
        return EBB_OK;
    EBB_TRY(search->reached(s, search, at, now, &own, err));
    if (ebb_verdict_counts(own, now, search->origin, &is_before))
        search->is_own = true;
    *verdict |= own;
    return EBB_OK;
}

typedef struct judging {
    session *s;
    ses_search *search;
} judging;

static ebb_status judge(void *self, const machine_stop *at, unsigned *verdict, ebb_error *err)
{
    session *s = ((judging *)self)->s;
    ses_search *search = ((judging *)self)->search;
    ebb_position now;
    EBB_TRY(ebb_timeline_now(s->timeline, 0, &now, err));
    if (search->users.own_only && !reached_own(search, at))
        return EBB_OK;
    ses_look_in_passing(s, at);
    EBB_TRY(judge_own(s, search, at, now, verdict, err));
    ses_stop found = {0};
    s->is_judging = true;
    free(s->complaint);
    s->complaint = NULL;
    if (!search->users.own_only && check_user_stop(s, search, at, &found)) {
        found.complaint = s->complaint;
        s->complaint = NULL;
        unsigned users = verdict_of(s, at, &found);
        bool is_passed_by = search->users.aside && has_only_ignored(s, &found);
        if (is_passed_by) {
            ses_stop_fini(&found);
        } else if (search->users.aside) {
            keep_aside(s, search, &found, now, users);
            *verdict |= EBB_STOP_ASIDE;
        } else {
            accept_user_stop(s, search, &found, now, users, *verdict);
            *verdict |= users;
        }
    }
    s->is_judging = false;
    return EBB_OK;
}

/* ---- a search --------------------------------------------------------------------------------- */

ebb_status ses_search_points(session *s, ses_search *search, const machine_point *points, size_t n, ebb_error *err)
{
    machine_point_id *ids = ebb_zalloc((n + 1) * sizeof *ids);
    ebb_status status = machine_points_set(s->machine, points, n, ids, err);
    for (size_t i = 0; status == EBB_OK && i < n; i++)
        ebb_vec_push(&search->points, ids[i]);
    for (size_t i = 0; status == EBB_OK && i < n; i++)
        ses_activation_tell(s, &points[i], ids[i]);
    free(ids);
    return status;
}

ebb_status ses_search_note(session *s, ses_search *search, const machine_point *points, const uint32_t *groups, size_t n, ebb_error *err)
{
    size_t first = search->points.n;
    EBB_TRY(ses_search_points(s, search, points, n, err));
    for (size_t i = 0; i < n; i++)
        ebb_vec_push(&search->noted, ((machine_noted){.id = search->points.items[first + i], .group = groups[i]}));
    return EBB_OK;
}

/* A breakpoint without a condition stops wherever it is hit, and one whose condition the machine executes where that holds: nobody has
 * to be asked about each hit.  Whether all its places are so. */
static bool note_places(ses_search *search, const ses_bp *bp, machine_note as)
{
    bool is_all = true;
    for (size_t i = 0; i < bp->places.n; i++) {
        const ses_bp_place *place = &bp->places.items[i];
        bool is_told = !bp->view.exception_type && (!bp->view.condition || place->code == SES_CODE_TOLD);
        if (place->point && is_told)
            ebb_vec_push(&search->noted, ((machine_noted){.id = place->point, .as = as}));
        is_all &= is_told || !place->point;
    }
    return is_all;
}

/* Whether nothing but what is noted can stop the search, and hits cost little: those of watchpoints don't. */
static bool note_users(session *s, ses_search *search)
{
    bool is_all = search->noted.n == search->points.n;
    machine_note how = search->users.own_only ? MACHINE_NOTE_NOTHING : search->users.aside ? MACHINE_NOTE_ASIDE : MACHINE_NOTE_HIT;
    for (size_t i = 0; i < s->breakpoints.n; i++) {
        ses_bp *bp = s->breakpoints.items[i];
        if (!bp->view.enabled)
            continue;
        machine_note as = bp->view.ignore && how == MACHINE_NOTE_ASIDE ? MACHINE_NOTE_NOTHING : how; /* RV5 */
        bool is_break = bp->view.kind == SES_BP_BREAK && !bp->is_position;
        if (ses_bp_is_watch(bp))
            ses_watch_note(s, bp, as, &search->noted);
        is_all &= is_break && note_places(search, bp, as);
    }
    return is_all;
}

static void clear_points(session *s, ses_search *search)
{
    ebb_vec_fini(&search->noted);
    machine_points_clear(s->machine, search->points.items, search->points.n);
    ebb_vec_fini(&search->points);
}

void ses_search_fini(session *s, ses_search *search)
{
    clear_points(s, search);
    ses_stop_fini(&search->accepted);
}

static void forget_accepted(ses_search *search)
{
    ses_stop_fini(&search->accepted);
    search->accepted = (ses_stop){0};
}

/* Whether it only went to where hits are to be ignored, or where watchpoints have to be aimed anew.  A search with points of its own rather
 * stops at the latter. */
static bool goes_further(session *s, ses_search *search)
{
    ses_stop *accepted = &search->accepted;
    if (ses_ended_early(&search->at) || search->is_own || accepted->n_breakpoints == 0)
        return false;
    keep_only(s, accepted, use_up);
    if (accepted->n_breakpoints == 0) {
        forget_accepted(search);
        search->is_own = search->is_own_too;
        return !search->is_own;
    }
    if (search->points.n > 0)
        return false;
    for (size_t i = 0; i < accepted->n_breakpoints; i++) {
        ses_bp *bp = ses_bp_find(s, accepted->breakpoints[i]);
        if (!bp || !ses_bp_is_watch(bp) || !ses_watch_aim_anew(s, bp))
            return false;
    }
    forget_accepted(search);
    return true;
}

/* The only breakpoint that is enabled, if its hits are those of one point that the machine judges alone, and some of them are to be ignored: the
 * timeline passes over them. */
static ses_bp *only_ignored(session *s, const ses_search *search)
{
    ses_bp *only = NULL;
    size_t n_hits = 0;
    for (size_t i = 0; i < search->noted.n; i++)
        n_hits += search->noted.items[i].as == MACHINE_NOTE_HIT;
    if (n_hits != 1 || search->points.n > 0)
        return NULL;
    for (size_t i = 0; i < s->breakpoints.n; i++) {
        ses_bp *bp = s->breakpoints.items[i];
        if (bp->view.enabled && only)
            return NULL;
        only = bp->view.enabled ? bp : only;
    }
    bool is_one = only && (only->view.kind == SES_BP_BREAK ? only->places.n == 1 && !only->is_position : ses_bp_is_watch(only));
    return is_one && only->view.ignore > 1 && !only->view.thread ? only : NULL;
}

static ebb_status run_once(session *s, ses_search *search, ebb_error *err)
{
    judging j = {s, search};
    if (ses_is_after_end(s) || ebb_timeline_now(s->timeline, 0, &search->origin, NULL) != EBB_OK)
        search->origin = (ebb_position){UINT64_MAX, UINT64_MAX};
    bool is_all = note_users(s, search), only_own = search->users.own_only && search->noted.n == search->points.n;
    ses_bp *ignored = only_ignored(s, search);
    uint64_t n_ignored = 0;
    ebb_judge judges = {.self = &j, .accept = judge, .noted = search->noted.items, .n_noted = search->noted.n,
                        .only_noted = only_own, .notes_all = is_all || only_own,
                        .skips = ignored ? ignored->view.ignore : 0, .n_skipped = &n_ignored};
    ses_travel_begin(s);
    ebb_status status = ebb_timeline_run_back(s->timeline, &judges, &search->at, err);
    ses_travel_end(s);
    if (ignored)
        use_up_hits(ignored, (unsigned)n_ignored);
    if (status == EBB_OK)
        ses_stand(s, &search->at);
    return status;
}

ebb_status ses_search_run(session *s, ses_search *search, ebb_error *err)
{
    ebb_status status;
    size_t n_own = search->noted.n;
    do {
        search->noted.n = n_own;
        status = run_once(s, search, err);
    } while (status == EBB_OK && goes_further(s, search));
    clear_points(s, search); /* RV3 */
    return status;
}

/* What a forward hit does, now that it is one. */
static void count_hits(session *s, ses_stop *stop)
{
    size_t n = stop->n_breakpoints;
    stop->n_breakpoints = 0;
    for (size_t i = 0; i < n; i++) {
        ses_bp *bp = ses_bp_find(s, stop->breakpoints[i]);
        if (!bp)
            continue;
        bp->view.hits++;
        stop->breakpoint_location[stop->n_breakpoints] = stop->breakpoint_location[i];
        ses_stop_add_breakpoint(s, stop, bp);
    }
}

/* What going forward says before the stop. */
static void say_complaint(session *s, ses_stop *stop)
{
    if (stop->complaint)
        ses_say(s, SES_NOTICE_BREAKPOINT, stop->thread, "%s", stop->complaint);
    free(stop->complaint);
    stop->complaint = NULL;
}

static void tell_watches(session *s, ses_stop *stop)
{
    for (size_t i = 0; i < stop->n_breakpoints; i++)
        if (is_of_watch(s, stop->breakpoints[i]))
            ses_watch_went_back(s, ses_bp_find(s, stop->breakpoints[i]), stop);
}

bool ses_search_found_own(const ses_search *search)
{
    return search->at.kind == MACHINE_STOP_POINT && search->is_own;
}

void ses_search_settle(session *s, ses_search *search, ses_stop_kind own, ses_stop *stop)
{
    machine_tid mover = s->thread;
    const machine_stop *at = &search->at;
    *stop = (ses_stop){.kind = ses_arrival_kind(at, own)};
    if (!ses_ended_early(at) && !search->is_own) {
        *stop = search->accepted;
        search->accepted = (ses_stop){0};
        say_complaint(s, stop);
        count_hits(s, stop);
        tell_watches(s, stop);
    }
    ses_search_fini(s, search);
    ses_moved(s, at);
    ses_travel_settle(s, at, mover, stop);
}

ebb_status ses_aside_settle(session *s, ses_aside *aside, ses_stop *stop, ebb_error *err)
{
    ses_search search = {.accepted = aside->stop};
    bool is_before = aside->is_before;
    ebb_position to = aside->at;
    *aside = (ses_aside){0};
    ebb_status status = ses_seek(s, to, &search.at, err);
    if (status == EBB_OK && is_before && !ses_ended_early(&search.at))
        status = ses_instruction_before(s, &search.at, err);
    if (status != EBB_OK) {
        ses_search_fini(s, &search);
        return status;
    }
    ses_stand(s, &search.at);
    ses_search_settle(s, &search, SES_STOP_STEP, stop);
    return EBB_OK;
}
