/* condition_scope.c - see condition_scope.h. */
#include "session/condition_scope.h"
#include "session/language.h"
#include "session/watch.h"
#include "session/where.h"

#include <stdlib.h>
#include <string.h>

void ses_condition_scope_fini(ses_condition_scope *scope)
{
    free(scope->function);
    *scope = (ses_condition_scope){0};
}

ebb_status ses_condition_scope_note(session *s, ses_condition_scope *scope, const char *condition, ebb_error *err)
{
    const ses_frame *frame;
    EBB_TRY(s->language->check_expression(s, condition, err));
    ses_condition_scope_fini(scope);
    if (ses_frame_selected(s, &frame, NULL) != EBB_OK)
        return EBB_OK;
    scope->function = s->language->function_words(s, frame);
    char *locals = ses_locals_named(s, condition);
    scope->names_locals = *locals != '\0';
    free(locals);
    scope->place = frame->pc;
    return EBB_OK;
}

void ses_condition_scope_keep(session *s, ses_condition_scope *scope)
{
    if (s->language->code_comes_later)
        scope->place = 0;
}

static bool is_of(session *s, const ses_condition_scope *scope, const ses_frame *frame)
{
    char *function = s->language->function_words(s, frame);
    bool is = function && strcmp(function, scope->function) == 0;
    free(function);
    return is;
}

/* In this debuggee, where its code is again. */
static void find_place(session *s, ses_condition_scope *scope)
{
    ebb_arena arena = {0};
    sym_spots spots = {0};
    ses_where where;
    struct ses_scope outer = s->scope;
    s->scope = (struct ses_scope){.is_set = true}; /* where it happens to stand now says nothing */
    if (ses_where_parse(s, &arena, scope->function, &where, NULL) == EBB_OK && ses_where_spots(s, &where, &spots, NULL) == EBB_OK && spots.n)
        scope->place = spots.items[0].addr;
    s->scope = outer;
    ebb_vec_fini(&spots);
    ebb_arena_fini(&arena);
}

static machine_place place_of(session *s, ses_condition_scope *scope)
{
    if (!scope->place)
        find_place(s, scope);
    return scope->place;
}

static bool select_its_frame(session *s, const ses_condition_scope *scope)
{
    const ses_frame *frame;
    while (ses_frame_get(s, s->level, &frame, NULL) == EBB_OK) {
        if (is_of(s, scope, frame))
            return true;
        s->level++;
    }
    return false;
}

bool ses_condition_scope_enter(session *s, ses_condition_scope *scope, ses_outer_scope *outer)
{
    *outer = (ses_outer_scope){s->level, s->scope};
    s->level = 0;
    if (!scope->function)
        return true;
    if (scope->names_locals)
        return select_its_frame(s, scope);
    machine_place place = place_of(s, scope);
    if (place)
        s->scope = (struct ses_scope){.is_set = true, .has_no_frame = true, .pc = place};
    return true;
}

void ses_condition_scope_leave(session *s, const ses_outer_scope *outer)
{
    s->level = outer->level;
    s->scope = outer->scope;
}

machine_place ses_condition_scope_seen_from(session *s, ses_condition_scope *scope)
{
    const ses_frame *frame;
    if (ses_frame_get(s, 0, &frame, NULL) != EBB_OK)
        return 0;
    if (!scope->function)
        return frame->pc;
    if (scope->names_locals)
        return is_of(s, scope, frame) ? frame->pc : 0;
    return place_of(s, scope);
}
