/* timeline_pass.c - one pass of a look backward: forward over a span, noting the last stop in it that is accepted.
 *
 * A pass is one request a slice (machine/search.h), plus a conversation for each stop that only the caller can judge.
 *
 * Groups.  Whether a grouped hit counts depends on the grouped hit before it.  Of the first one of a pass that one lies in the span that
 * is looked at next.  So it stays in doubt until then: `doubt`.  Asking the machine what was before it would cost a step back for
 * each pass, and in a loop on one line each pass begins with such a hit. */
#include "base/log.h"
#include "time/timeline_private.h"

static bool is_later(ebb_position a, ebb_position b)
{
    return ebb_position_compare(a, b) > 0;
}

/* At the same moment the newer wins: what is noted there is asked about with all points that were reached. */
static void offer(tl_look_back *l, const tl_find *f)
{
    if (!l->best.found || !is_later(l->best.at, f->at))
        l->best = *f;
}

static tl_find noted_find(uint64_t time, const machine_stop *stop)
{
    return (tl_find){.found = true, .at = {time, stop->place}, .is_noted = true, .stop = *stop};
}

/* `before` is the group of the last grouped hit before this one; none: it stays in doubt. */
static void consider_first(tl_look_back *l, tl_pass_groups *g, const machine_found *found)
{
    tl_find first = noted_find(found->first_time, &found->first);
    if (g->last == MACHINE_UNGROUPED) {
        g->first = first;
        g->first_group = found->first_group;
    } else if (g->last != found->first_group) {
        offer(l, &first);
    }
}

/* ---- hits that are passed over */

enum { LISTED_AT_ONCE = 8192 };

static void remember(tl_skipping *k, const machine_found *found)
{
    for (size_t i = 0; i < found->n_listed; i++)
        k->hits[k->n++ % k->room] = found->listed[i];
}

/* Which point it was: there is one. */
static machine_point_id point_of(const ebb_judge *judge)
{
    size_t i = 0;
    while (judge->noted[i].as != MACHINE_NOTE_HIT)
        i++;
    return judge->noted[i].id;
}

/* The pass is through: what it has seen is passed over, or ends in one that is not. */
static void settle_skipped(tl_look_back *l)
{
    tl_skipping *k = &l->skipping;
    uint64_t over = k->n < k->left ? k->n : k->left;
    if (k->n > k->left) {
        const machine_listed *h = &k->hits[(k->n - k->left - 1) % k->room];
        machine_stop stop = {.kind = MACHINE_STOP_POINT, .thread = h->thread, .place = h->place, .touched_by = h->touched_by, .n_points = 1,
                             .points = {point_of(l->judge)}};
        tl_find f = noted_find(h->time, &stop);
        offer(l, &f);
    }
    k->left -= over;
    k->skipped += over;
    k->n = 0;
}

/* ---- all hits */

static void take_notes(tl_look_back *l, tl_pass_groups *g, const machine_found *found)
{
    if (found->has_first)
        consider_first(l, g, found);
    if (l->skipping.hits) {
        remember(&l->skipping, found);
    } else if (found->n_hits > 0) {
        tl_find last = noted_find(found->last_time, &found->last);
        offer(l, &last);
    }
    if (found->has_aside && (!l->aside.found || !is_later(l->aside.at, (ebb_position){found->aside_time, found->aside.place})))
        l->aside = noted_find(found->aside_time, &found->aside);
    if (found->last_group != MACHINE_UNGROUPED)
        g->last = found->last_group;
}

/* The pass is through: what was in doubt since the one before it is known now, if this one had a grouped hit at all. */
static void resolve_doubt(tl_look_back *l, const tl_pass_groups *g)
{
    if (g->last == MACHINE_UNGROUPED)
        return;
    if (l->doubt.found && l->doubt_group != g->last)
        offer(l, &l->doubt);
    l->doubt = g->first;
    l->doubt_group = g->first_group;
}

/* Where one pass begins and the next one ends, an execution point in doubt and touched data share a moment: if the former counts, the
 * move ends at that moment and not before it. */
bool tl_look_back_is_decided(const tl_look_back *l)
{
    return l->best.found && !(l->doubt.found && !is_later(l->best.at, l->doubt.at));
}

void tl_look_back_at_start(tl_look_back *l)
{
    if (l->doubt.found)
        offer(l, &l->doubt);
    l->doubt.found = false;
}

/* An execution point counts if it is before now; data touched by the instruction before now counts too. */
bool ebb_verdict_counts(unsigned verdict, ebb_position at, ebb_position origin, bool *is_before)
{
    int order = ebb_position_compare(at, origin);
    verdict &= EBB_STOP_HERE | EBB_STOP_BEFORE;
    *is_before = order == 0 || !(verdict & EBB_STOP_HERE);
    if (order < 0)
        return verdict != EBB_PASS;
    return order == 0 && verdict & EBB_STOP_BEFORE;
}

ebb_status tl_ask_judge(ebb_timeline *tl, const tl_look_back *l, const machine_stop *stop, bool *counts, bool *is_before, ebb_error *err)
{
    unsigned verdict = EBB_PASS;
    ebb_status status = l->judge->accept(l->judge->self, stop, &verdict, err);
    *counts = status == EBB_OK && ebb_verdict_counts(verdict, tl->here, l->origin, is_before);
    return status;
}

static ebb_status judge_stop(ebb_timeline *tl, tl_look_back *l, const machine_stop *stop, ebb_error *err)
{
    tl_find f = {.found = true, .at = tl->here, .stop = *stop};
    bool counts;
    ebb_status status = tl_ask_judge(tl, l, stop, &counts, &f.is_before, err);
    if (counts && !(l->best.found && l->best.is_noted && ebb_position_compare(l->best.at, f.at) == 0))
        offer(l, &f);
    if (counts)
        l->skipping.n = 0; /* those were before it */
    return status;
}

/* On a long way snapshots are left, so that going to what is found does not replay all of it again. */
static void leave_snapshot(ebb_timeline *tl, ebb_position *last, ebb_position bound)
{
    uint64_t gap = tl_slice_ticks(tl);
    if (tl->here.timestamp - last->timestamp < gap || bound.timestamp - tl->here.timestamp < gap)
        return;
    *last = tl->here;
    tl_take_snapshot(tl);
}

static size_t n_noted(const tl_look_back *l)
{
    size_t n = 0;
    if (!l->judges_all)
        return l->judge->n_noted;
    while (n < l->judge->n_noted && l->judge->noted[n].group != MACHINE_UNGROUPED)
        n++;
    return n;
}

/* Whether no undo log has to be kept of the way from here; *end is not beyond where it has to.  What is near now is where most finds are, and
 * whoever found one goes there by the log; on an earlier span the log would be filled in vain. */
static bool forgets(const ebb_timeline *tl, const tl_look_back *l, uint64_t began, ebb_position bound, ebb_position *end)
{
    uint64_t near = tl_near(tl);
    if (bound.timestamp - began <= near)
        return false;
    if (ebb_position_compare(bound, l->origin) < 0)
        return true;
    if (tl->here.timestamp >= bound.timestamp - near)
        return false;
    if (end->timestamp > bound.timestamp - near)
        *end = (ebb_position){.timestamp = bound.timestamp - near};
    return true;
}

/* By the passes before this one; of all that might have to be looked at. */
static uint64_t looked_at(const tl_look_back *l, ebb_position bound)
{
    return l->origin.timestamp - bound.timestamp;
}

ebb_status tl_pass(ebb_timeline *tl, tl_look_back *l, ebb_position bound, ebb_error *err)
{
    ebb_position snapshot = tl->here;
    uint64_t began = tl->here.timestamp, total = l->origin.timestamp - l->widening.oldest.timestamp;
    ebb_log("pass from %llu to %llu", (unsigned long long)began, (unsigned long long)bound.timestamp);
    tl_pass_groups groups = {0};
    while (ebb_position_compare(tl->here, bound) < 0) {
        machine_found found;
        ebb_position end = tl_slice(tl, bound);
        bool forgotten = forgets(tl, l, began, bound, &end);
        machine_search search = {.until_time = end.timestamp, .until_place = end.place, .forgets = forgotten,
                                 .noted = l->judge->noted, .n_noted = n_noted(l), .only_noted = l->judge->only_noted && !l->judges_all,
                                 .n_listed = l->skipping.hits ? LISTED_AT_ONCE : 0, .patience = l->patience};
        ebb_status status = tl_search(tl, &search, &found, err);
        if (status != EBB_OK)
            return status;
        l->is_dense = found.has_lost_patience;
        if (l->is_dense)
            return EBB_OK;
        take_notes(l, &groups, &found);
        l->interrupted = found.end.kind == MACHINE_STOP_INTERRUPTED;
        if (l->interrupted || tl_ends_debuggee(&found.end) || found.end.kind == MACHINE_STOP_HISTORY_END)
            break;
        if (found.end.kind != MACHINE_STOP_POSITION)
            status = judge_stop(tl, l, &found.end, err);
        if (status != EBB_OK)
            return status;
        leave_snapshot(tl, &snapshot, bound);
        tl_tell_progress(tl, looked_at(l, bound) + tl->here.timestamp - began, total);
    }
    if (l->skipping.hits && !l->interrupted)
        settle_skipped(l);
    resolve_doubt(l, &groups);
    return EBB_OK;
}
