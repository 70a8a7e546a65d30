/* points.c - see points.h: places found anew, points put into the machine and taken out. */
#include "session/points.h"
#include "session/condition.h"
#include "session/language.h"
#include "session/watch.h"
#include "session/where.h"

#include <stdlib.h>
#include <string.h>

static void set_point(session *s, const ses_bp *bp, size_t i)
{
    machine_point point = {
        .kind = MACHINE_POINT_EXEC,
        .addr = bp->locations.items[i].spot.addr,
        .thread = bp->view.thread,
    };
    ebb_error why;
    if (s->machine->ops->point_set(s->machine, &point, &bp->places.items[i].point, &why) == EBB_OK)
        return;
    bp->places.items[i].point = 0;
    ses_say(s, SES_NOTICE_WARNING, 0, "Cannot insert breakpoint %d at 0x%lx: %s", bp->view.number,
            (unsigned long)point.addr, why.text);
}

static void clear_point(session *s, ses_bp_place *place)
{
    if (place->point && s->machine)
        (void)!s->machine->ops->point_clear(s->machine, place->point, NULL);
    place->point = 0;
    place->code = SES_CODE_NONE;
}

void ses_points_update(session *s, ses_bp *bp)
{
    if (!s->machine)
        return;
    if (ses_bp_is_watch(bp)) {
        ses_watch_update(s, bp);
        return;
    }
    if (bp->is_position)
        return; /* a moment, not a place */
    for (size_t i = 0; i < bp->locations.n; i++) {
        bool wanted = bp->view.enabled && bp->locations.items[i].enabled;
        if (wanted && !bp->places.items[i].point)
            set_point(s, bp, i);
        if (wanted && bp->places.items[i].point)
            ses_condition_tell(s, bp, i);
        if (!wanted)
            clear_point(s, &bp->places.items[i]);
    }
}

/* ---- finding places anew -------------------------------------------------------------------- */

/* Before it runs a program is known by the name that the user gave, with whatever leads there. */
static bool is_same_file(const char *a, const char *b)
{
    char *real_a = realpath(a, NULL), *real_b = realpath(b, NULL);
    bool same = strcmp(real_a ? real_a : a, real_b ? real_b : b) == 0;
    free(real_a);
    free(real_b);
    return same;
}

static ebb_status pinned_spot(session *s, const ses_bp *bp, sym_spots *spots)
{
    uint64_t addr = bp->module_offset;
    if (bp->module_path) {
        size_t i = 0;
        while (i < s->modules.n && !is_same_file(s->modules.items[i].path, bp->module_path))
            i++;
        if (i == s->modules.n)
            return EBB_NOT_FOUND;
        addr += s->modules.items[i].bias;
    }
    ebb_vec_push(spots, sym_spot_at(s->symbols, addr));
    return EBB_OK;
}

static ebb_status spots_of(session *s, const ses_bp *bp, sym_spots *spots, ebb_error *err)
{
    if (bp->at_address)
        return pinned_spot(s, bp, spots);
    ebb_arena arena = {0};
    ses_where where;
    struct ses_scope scope = s->scope;
    if (s->language->code_comes_later)
        s->scope = (struct ses_scope){.is_set = true}; /* where it happens to stand now says nothing */
    ebb_status status = ses_where_parse(s, &arena, ses_bp_where(bp), &where, err);
    if (status == EBB_OK && where.kind == SES_WHERE_LINE && bp->default_file)
        where.file = bp->default_file;
    if (status == EBB_OK)
        status = ses_where_spots(s, &where, spots, err);
    s->scope = scope;
    ebb_arena_fini(&arena);
    return status;
}

/* Moves a place that stays into the new lists; answers false if the address is a new one. */
static bool keep_place(ses_bp *bp, const sym_spot *spot, ses_bp_location *location,
                       ses_bp_place *place)
{
    for (size_t i = 0; i < bp->locations.n; i++) {
        if (bp->locations.items[i].spot.addr != spot->addr)
            continue;
        location->enabled = bp->locations.items[i].enabled;
        *place = bp->places.items[i];
        bp->locations.items[i].spot.addr = ~(uint64_t)0;
        bp->places.items[i] = (ses_bp_place){0};
        return true;
    }
    return false;
}

static void replace_places(session *s, ses_bp *bp, const sym_spots *spots)
{
    ses_bp fresh = {0};
    for (size_t i = 0; i < spots->n; i++) {
        ses_bp_location location = {
            .spot = spots->items[i], .enabled = true, .place = ses_bp_place_name(s, bp, &spots->items[i])};
        ses_bp_place place = {0};
        if (!keep_place(bp, &spots->items[i], &location, &place) && bp->locations.n == spots->n)
            location.enabled = bp->locations.items[i].enabled; /* the module moved */
        /* Symbols may have been read anew since it was parsed. */
        ebb_arena_fini(&place.condition_arena);
        place.condition = NULL;
        ebb_vec_push(&fresh.locations, location);
        ebb_vec_push(&fresh.places, place);
    }
    for (size_t i = 0; i < bp->places.n; i++) {
        clear_point(s, &bp->places.items[i]);
        ebb_arena_fini(&bp->places.items[i].condition_arena);
    }
    ebb_vec_fini(&bp->locations);
    ebb_vec_fini(&bp->places);
    memcpy(&bp->locations, &fresh.locations, sizeof bp->locations);
    memcpy(&bp->places, &fresh.places, sizeof bp->places);
}

/* " (line 20)" where another line was typed: that one has no code. */
static const char *moved_words(ebb_arena *arena, const ses_bp *bp, unsigned line)
{
    const char *colon = strrchr(bp->view.where, ':'), *digits = colon ? colon + 1 : bp->view.where;
    bool is_moved = bp->default_file && line && strspn(digits, "0123456789") == strlen(digits) && strtoul(digits, NULL, 10) != line;
    return is_moved ? ebb_arena_printf(arena, " (line %u)", line) : "";
}

static void say_resolved(session *s, const ses_bp *bp)
{
    const ses_bp_location *first = &bp->locations.items[0];
    ebb_arena arena = {0};
    if (s->is_again)
        return; /* it was said in the run before */
    if (first->place)
        ses_say(s, SES_NOTICE_BREAKPOINT, 0, "Breakpoint %d, %s, resolved to %s%s", bp->view.number,
                bp->view.where, first->place, moved_words(&arena, bp, first->spot.line));
    else
        ses_say(s, SES_NOTICE_BREAKPOINT, 0, "Breakpoint %d, %s, resolved to 0x%lx", bp->view.number,
                bp->view.where, (unsigned long)first->spot.addr);
    ebb_arena_fini(&arena);
}

/* The code has come, and it isn't what the breakpoint waits for: a typo mostly. */
static void say_why(session *s, ses_bp *bp, const ebb_error *why)
{
    if (!bp->why_said)
        ses_say(s, SES_NOTICE_WARNING, 0, "Breakpoint %d, %s, stays pending: %s", bp->view.number, bp->view.where, why->text);
    bp->why_said = true;
}

static void resolve(session *s, ses_bp *bp)
{
    sym_spots spots = {0};
    ebb_error why;
    ebb_status status = spots_of(s, bp, &spots, &why);
    if (status != EBB_OK && status != EBB_NOT_FOUND && s->language->code_comes_later)
        say_why(s, bp, &why);
    bool was_pending = bp->view.pending;
    replace_places(s, bp, &spots);
    bp->view.pending = spots.n == 0;
    if (was_pending && spots.n > 0)
        say_resolved(s, bp);
    ebb_vec_fini(&spots);
    ses_points_update(s, bp);
}

static bool has_place(const ses_bp *bp, uint64_t addr)
{
    for (size_t i = 0; i < bp->locations.n; i++)
        if (bp->locations.items[i].spot.addr == addr)
            return true;
    return false;
}

/* Adds the places that are there now.  Those that aren't were found at another moment, and are as good there as they were. */
static void find_more(session *s, ses_bp *bp)
{
    sym_spots spots = {0};
    bool was_pending = bp->view.pending;
    (void)!spots_of(s, bp, &spots, NULL);
    for (size_t i = 0; i < spots.n; i++) {
        ses_bp_location location = {
            .spot = spots.items[i], .enabled = true, .place = ses_bp_place_name(s, bp, &spots.items[i])};
        if (has_place(bp, spots.items[i].addr))
            continue;
        ebb_vec_push(&bp->locations, location);
        ebb_vec_push(&bp->places, (ses_bp_place){0});
    }
    ebb_vec_fini(&spots);
    bp->view.pending = bp->locations.n == 0;
    if (was_pending && !bp->view.pending)
        say_resolved(s, bp);
    ses_points_update(s, bp);
}

void ses_points_find_more(session *s)
{
    for (size_t i = 0; s->machine && i < s->breakpoints.n; i++)
        if (s->breakpoints.items[i]->view.kind == SES_BP_BREAK)
            find_more(s, s->breakpoints.items[i]);
}

void ses_points_resolve(session *s)
{
    for (size_t i = 0; i < s->breakpoints.n; i++) {
        ses_bp *bp = s->breakpoints.items[i];
        if (bp->view.kind == SES_BP_BREAK)
            resolve(s, bp);
        else if (ses_bp_is_watch(bp))
            ses_watch_update(s, bp);
    }
}

/* ---- the machine goes ----------------------------------------------------------------------- */

void ses_points_forget_machine(session *s)
{
    for (size_t i = s->breakpoints.n; i-- > 0;) {
        ses_bp *bp = s->breakpoints.items[i];
        bp->ignore_told = 0;
        for (size_t k = 0; k < bp->places.n; k++) {
            bp->places.items[k].point = 0;
            bp->places.items[k].code = SES_CODE_NONE;
        }
        if (!ses_bp_is_watch(bp) || ses_watch_survives(s, bp))
            continue;
        if (s->is_again && ses_watch_is_users(bp)) /* nobody asked for an end */
            ses_say(s, SES_NOTICE_WARNING, 0, "Watchpoint %d deleted: the run that goes there does not know the %s that it watches.", bp->view.number,
                    s->language->code_comes_later ? "object" : "frame");
        ses_bp_remove(s, bp);
    }
}

void ses_points_clear_from_machine(session *s)
{
    for (size_t i = 0; i < s->breakpoints.n; i++) {
        ses_bp *bp = s->breakpoints.items[i];
        for (size_t k = 0; k < bp->places.n; k++)
            clear_point(s, &bp->places.items[k]);
        if (ses_bp_is_watch(bp))
            ses_watch_clear_points(s, bp->watch);
    }
}
