/* breakpoints.c - the list of breakpoints: making, finding, changing, deleting. */
#include "session/points.h"
#include "session/convenience.h"
#include "session/hits.h"
#include "session/language.h"
#include "session/position.h"
#include "session/watch.h"

#include <ctype.h>
#include <string.h>

/* ---- the list ------------------------------------------------------------------------------- */

ses_bp *ses_bp_new(session *s, ses_bp_kind kind, const char *where)
{
    ses_bp *bp = EBB_NEW(ses_bp);
    bp->view = (ses_breakpoint){
        .number = s->last_bp_number + 1, .kind = kind, .enabled = true, .where = ebb_strdup(where)};
    return bp;
}

void ses_bp_enlist(session *s, ses_bp *bp)
{
    s->last_bp_number = bp->view.number;
    ebb_vec_push(&s->breakpoints, bp);
    ses_convenience_set_int(s, "bpnum", bp->view.number);
}

void ses_bp_free(session *s, ses_bp *bp)
{
    for (size_t i = 0; i < bp->places.n; i++) {
        if (bp->places.items[i].point && s->machine)
            (void)!s->machine->ops->point_clear(s->machine, bp->places.items[i].point, NULL);
        ebb_arena_fini(&bp->places.items[i].condition_arena);
    }
    ebb_vec_fini(&bp->places);
    ebb_vec_fini(&bp->locations);
    if (bp->watch)
        ses_watch_free(s, bp->watch);
    if (bp->catch_)
        ses_catch_free(bp->catch_);
    free((char *)bp->view.where);
    free((char *)bp->view.condition);
    free((char *)bp->view.exception_type);
    free((char *)bp->view.commands);
    free((char *)bp->view.prints);
    free(bp->default_file);
    free(bp->meant);
    free(bp->module_path);
    free(bp);
}

void ses_bp_remove(session *s, ses_bp *bp)
{
    for (size_t i = 0; i < s->breakpoints.n; i++)
        if (s->breakpoints.items[i] == bp) {
            ebb_vec_remove(&s->breakpoints, i);
            break;
        }
    bool was_catch = bp->catch_ != NULL;
    ses_bp_free(s, bp);
    if (was_catch)
        (void)!ses_catch_events(s, NULL);
}

ses_bp *ses_bp_find(const session *s, int number)
{
    for (size_t i = 0; i < s->breakpoints.n; i++)
        if (s->breakpoints.items[i]->view.number == number)
            return s->breakpoints.items[i];
    return NULL;
}

ebb_status ses_bp_need(const session *s, int number, ses_bp **bp, ebb_error *err)
{
    *bp = ses_bp_find(s, number);
    return *bp ? EBB_OK : ebb_fail(err, EBB_NOT_FOUND, "No breakpoint number %d.", number);
}

bool ses_bp_is_watch(const ses_bp *bp)
{
    return bp->watch != NULL;
}

/* Vectors move as they grow, so the view is brought up to date when it is looked at. */
static const ses_breakpoint *view_of(ses_bp *bp)
{
    bp->view.locations = bp->locations.items;
    bp->view.n_locations = bp->locations.n;
    return &bp->view;
}

size_t ses_bp_count(const session *s)
{
    return s->breakpoints.n;
}

const ses_breakpoint *ses_bp_at(const session *s, size_t i)
{
    return i < s->breakpoints.n ? view_of(s->breakpoints.items[i]) : NULL;
}

const ses_breakpoint *ses_bp_get(const session *s, int number)
{
    ses_bp *bp = ses_bp_find(s, number);
    return bp ? view_of(bp) : NULL;
}

/* ---- parsing "WHERE [thread N] [if COND]" --------------------------------------------------- */

static bool is_word_at(const char *text, size_t at, const char *word)
{
    size_t n = strlen(word);
    bool begins = at == 0 || isspace((unsigned char)text[at - 1]);
    return begins && strncmp(text + at, word, n) == 0 &&
           (isspace((unsigned char)text[at + n]) || text[at + n] == '(' || text[at + n] == '\0');
}

/* Offset of the word outside quotes, or of the end of the text. */
static size_t find_word(const char *text, const char *word)
{
    char quote = 0;
    for (size_t i = 0; text[i]; i++) {
        if (quote)
            quote = text[i] == quote ? 0 : quote;
        else if (text[i] == '"' || text[i] == '\'')
            quote = text[i];
        else if (is_word_at(text, i, word))
            return i;
    }
    return strlen(text);
}

static ebb_status parse_thread(session *s, const char *text, machine_tid *thread, ebb_error *err)
{
    char *end;
    unsigned long number = strtoul(text, &end, 10);
    if (end == text || *ebb_text_skip_space(end) != '\0')
        return ebb_fail(err, EBB_BAD_INPUT, "Invalid thread ID: %.60s", text);
    for (size_t i = 0; i < s->threads.n; i++)
        if (s->threads.items[i].number == number) {
            *thread = s->threads.items[i].tid;
            return EBB_OK;
        }
    return ebb_fail(err, EBB_NOT_FOUND, "Unknown thread %lu.", number);
}

/* gdb's explicit places: "-line 42", "-source a.c -line 42", "-function f"; others come back as they are. */
static const char *explicit_place(ebb_arena *arena, const char *text)
{
    const char *source = NULL, *line = NULL, *function = NULL, *at = text;
    while (*at == '-') {
        size_t n = strcspn(at, " \t");
        const char *value = ebb_text_skip_space(at + n);
        size_t n_value = strcspn(value, " \t");
        char *word = ebb_arena_strndup(arena, value, n_value);
        bool is_qualified = n == 10 && strncmp(at, "-qualified", n) == 0;
        if (n > 1 && strncmp(at, "-source", n) == 0)
            source = word;
        else if (n > 1 && strncmp(at, "-line", n) == 0)
            line = word;
        else if (n > 1 && strncmp(at, "-function", n) == 0)
            function = word;
        else if (!is_qualified)
            return text;
        at = is_qualified ? value : ebb_text_skip_space(value + n_value);
    }
    if (*at || (!line && !function))
        return at > text && *at ? at : text;
    const char *what = function ? function : line;
    return source ? ebb_arena_printf(arena, "%s:%s", source, what) : what;
}

ebb_status ses_break_parse(session *s, ebb_arena *arena, const char *text,
                           ses_break_request *request, ebb_error *err)
{
    size_t if_at = find_word(text, "if");
    if (text[if_at]) {
        request->condition =
            ebb_text_rtrim(ebb_arena_strdup(arena, ebb_text_skip_space(text + if_at + 2)));
        if (*request->condition == '\0')
            return ebb_fail(err, EBB_BAD_INPUT, "The condition is missing after `if`.");
    }
    char *rest = ebb_text_rtrim(ebb_arena_strndup(arena, text, if_at));
    size_t thread_at = find_word(rest, "thread");
    if (rest[thread_at]) {
        EBB_TRY(parse_thread(s, ebb_text_skip_space(rest + thread_at + 6), &request->thread, err));
        rest[thread_at] = '\0';
    }
    request->where = explicit_place(arena, ebb_text_rtrim((char *)ebb_text_skip_space(rest)));
    return EBB_OK;
}

/* ---- setting -------------------------------------------------------------------------------- */

static ebb_status check_condition(session *s, const char *condition, const sym_spots *spots,
                                  ebb_error *err)
{
    return condition ? s->language->check_condition(s, condition, spots, err) : EBB_OK;
}

/* "*EXPR" and "" mean an address, computed once; it stays with its module when that moves. */
static void pin_to_module(session *s, ses_bp *bp, uint64_t addr)
{
    bp->at_address = true;
    sym_module *module = sym_module_at(s->symbols, addr);
    bp->module_offset = addr;
    if (!module)
        return;
    bp->module_path = ebb_strdup(sym_module_path(module));
    for (size_t i = 0; i < s->modules.n; i++)
        if (s->modules.items[i].symbols == module)
            bp->module_offset = addr - s->modules.items[i].bias;
}

const char *ses_bp_place_name(session *s, const ses_bp *bp, const sym_spot *spot)
{
    if (!bp->is_position)
        return s->language->spot_name(s, spot);
    ebb_buf words = {0};
    ebb_buf_addf(&words, "%lu@", (unsigned long)bp->time);
    s->language->place_words(s, spot->addr, true, &words);
    const char *name = ses_intern(s, ebb_buf_text(&words));
    ebb_buf_fini(&words);
    return name;
}

static void add_locations(session *s, ses_bp *bp, const sym_spots *spots)
{
    for (size_t i = 0; i < spots->n; i++) {
        ses_bp_location location = {
            .spot = spots->items[i], .enabled = true, .place = ses_bp_place_name(s, bp, &spots->items[i])};
        ebb_vec_push(&bp->locations, location);
        ebb_vec_push(&bp->places, (ses_bp_place){0});
    }
}

/* What `info breakpoints` shows for a place that was not typed. */
static char *name_spot(session *s, const sym_spot *spot)
{
    const char *place = s->language->spot_name(s, spot);
    if (place)
        return ebb_strdup(place);
    if (spot->file_name)
        return ebb_asprintf("%s:%u", spot->file_name, spot->line);
    return ebb_asprintf("*0x%lx", (unsigned long)spot->addr);
}

static ebb_status find_spots(session *s, ebb_arena *arena, const ses_break_request *request,
                             ses_where *where, sym_spots *spots, ebb_error *err)
{
    EBB_TRY(ses_where_parse(s, arena, request->where ? request->where : "", where, err));
    ebb_status status = ses_where_spots(s, where, spots, err);
    bool may_wait = request->allow_pending || s->language->code_comes_later;
    return status == EBB_NOT_FOUND && may_wait ? EBB_OK : status;
}

/* How long "pack.Main." of "pack.Main.add(int)" is; 0: there is none. */
static size_t holder_length(const char *function)
{
    size_t n = strcspn(function, "(");
    while (n > 0 && function[n - 1] != '.')
        n--;
    return n;
}

/* "add" and "Inner.add" are looked up from where the debuggee stands; when it is looked for again it stands elsewhere. */
static char *what_is_meant(const char *typed, const sym_spots *spots)
{
    const char *found = spots->n > 0 ? spots->items[0].function : NULL;
    if (!found)
        return NULL;
    size_t holder = holder_length(found);
    const char *name = typed + holder_length(typed);
    size_t n = strcspn(name, "(:");
    for (size_t i = 1; i < spots->n; i++)
        if (!spots->items[i].function || strncmp(spots->items[i].function, found, holder) != 0)
            return NULL;
    if (strncmp(found + holder, name, n) != 0 || isalnum((unsigned char)found[holder + n]))
        return NULL;
    return ebb_asprintf("%.*s%s", (int)holder, found, name);
}

const char *ses_bp_where(const ses_bp *bp)
{
    uint64_t time;
    const char *where = bp->view.where;
    if (bp->meant)
        return bp->meant;
    if (bp->is_position)
        ses_position_split(bp->view.where, &time, &where);
    return where;
}

static ebb_status make_breakpoint(session *s, ebb_arena *arena, const ses_break_request *request,
                                  sym_spots *spots, int *number, ebb_error *err)
{
    ses_where where;
    ses_break_request at = *request;
    uint64_t time = 0;
    bool is_position = at.where && ses_is_position(ebb_text_skip_space(at.where));
    if (is_position && !ses_position_split(ebb_text_skip_space(at.where), &time, &at.where))
        return ebb_fail(err, EBB_BAD_INPUT, "\"%.60s\" is no position; write TIMESTAMP@PLACE, as `when` does.", ebb_text_skip_space(request->where));
    if (is_position)
        EBB_TRY(ses_need_time(s, err));
    ebb_status found = find_spots(s, arena, &at, &where, spots, err);
    if (found != EBB_OK && !(found == EBB_NOT_FOUND && is_position && ses_position_is_shown(s, &where)))
        return found;
    EBB_TRY(check_condition(s, request->condition, spots, err));
    bool typed = request->where && !ebb_text_is_blank(request->where);
    ses_bp *bp = ses_bp_new(s, SES_BP_BREAK, typed ? request->where : "");
    if (!typed) {
        free((char *)bp->view.where);
        bp->view.where = name_spot(s, &spots->items[0]);
    }
    if (where.kind == SES_WHERE_ADDRESS)
        pin_to_module(s, bp, where.addr);
    if (where.kind == SES_WHERE_LINE)
        bp->default_file = ebb_strdup(where.file);
    if (where.kind == SES_WHERE_FUNCTION && typed && s->language->code_comes_later)
        bp->meant = what_is_meant(at.where, spots);
    bp->is_position = is_position;
    bp->time = time;
    bp->view.condition = request->condition ? ebb_strdup(request->condition) : NULL;
    bp->view.thread = request->thread;
    ebb_arena words = {0};
    if (request->thread)
        bp->view.thread_words = ses_intern(s, ses_thread_words(s, &words, request->thread));
    ebb_arena_fini(&words);
    bp->view.temporary = request->temporary;
    bp->view.prints = request->prints ? ebb_strdup(request->prints) : NULL;
    bp->view.exception = request->exception;
    bp->view.exception_type = request->exception_type ? ebb_strdup(request->exception_type) : NULL;
    bp->view.pending = spots->n == 0;
    add_locations(s, bp, spots);
    ses_bp_enlist(s, bp);
    ses_points_update(s, bp);
    s->language->await_code(s);
    *number = bp->view.number;
    return EBB_OK;
}

ebb_status ses_break(session *s, const ses_break_request *request, int *number, ebb_error *err)
{
    ebb_arena arena = {0};
    sym_spots spots = {0};
    ebb_status status = make_breakpoint(s, &arena, request, &spots, number, err);
    ebb_vec_fini(&spots);
    ebb_arena_fini(&arena);
    return status;
}

/* ---- changing ------------------------------------------------------------------------------- */

ebb_status ses_bp_delete(session *s, int number, ebb_error *err)
{
    ses_bp *bp;
    EBB_TRY(ses_bp_need(s, number, &bp, err));
    ses_bp_remove(s, bp);
    return EBB_OK;
}

void ses_bp_delete_all(session *s)
{
    while (s->breakpoints.n > 0)
        ses_bp_remove(s, s->breakpoints.items[s->breakpoints.n - 1]);
}

static bool stands_at(const ses_bp *bp, const sym_spots *spots)
{
    for (size_t i = 0; i < bp->locations.n; i++)
        for (size_t k = 0; k < spots->n; k++) {
            const sym_spot *a = &bp->locations.items[i].spot, *b = &spots->items[k];
            bool same_line = a->line && a->line == b->line && a->file && b->file &&
                             strcmp(a->file, b->file) == 0;
            if (a->addr == b->addr || same_line)
                return true;
        }
    return false;
}

ebb_status ses_bp_clear(session *s, const char *where_text, size_t *n, ebb_error *err)
{
    ebb_arena arena = {0};
    sym_spots spots = {0};
    ses_where where;
    *n = 0;
    ebb_status status = ses_where_parse(s, &arena, where_text ? where_text : "", &where, err);
    if (status == EBB_OK)
        status = ses_where_spots(s, &where, &spots, err);
    for (size_t i = s->breakpoints.n; status == EBB_OK && i-- > 0;) {
        ses_bp *bp = s->breakpoints.items[i];
        if (bp->view.kind == SES_BP_BREAK && stands_at(bp, &spots)) {
            ses_bp_remove(s, bp);
            ++*n;
        }
    }
    ebb_vec_fini(&spots);
    ebb_arena_fini(&arena);
    if (status == EBB_OK && *n == 0)
        return ebb_fail(err, EBB_NOT_FOUND, "No breakpoint at %s.",
                        where_text && *where_text ? where_text : "this line");
    return status;
}

ebb_status ses_bp_enable(session *s, int number, unsigned location, bool enabled, ebb_error *err)
{
    ses_bp *bp;
    EBB_TRY(ses_bp_need(s, number, &bp, err));
    if (location > bp->locations.n)
        return ebb_fail(err, EBB_NOT_FOUND, "Bad breakpoint location number '%u'", location);
    if (location > 0)
        bp->locations.items[location - 1].enabled = enabled;
    else
        bp->view.enabled = enabled;
    ses_points_update(s, bp);
    return bp->catch_ ? ses_catch_events(s, err) : EBB_OK;
}

ebb_status ses_bp_enable_for(session *s, int number, ses_bp_after after, unsigned n_stops, ebb_error *err)
{
    ses_bp *bp;
    EBB_TRY(ses_bp_need(s, number, &bp, err));
    bp->view.temporary = after == SES_BP_AFTER_DELETE;
    bp->view.after = after;
    bp->view.stops_left = n_stops;
    return ses_bp_enable(s, number, 0, true, err);
}

ebb_status ses_bp_ignore(session *s, int number, unsigned count, ebb_error *err)
{
    ses_bp *bp;
    EBB_TRY(ses_bp_need(s, number, &bp, err));
    bp->view.ignore = count;
    return EBB_OK;
}

static void forget_parsed_conditions(ses_bp *bp)
{
    for (size_t i = 0; i < bp->places.n; i++) {
        ebb_arena_fini(&bp->places.items[i].condition_arena);
        bp->places.items[i].condition = NULL;
    }
}

ebb_status ses_bp_condition(session *s, int number, const char *condition, ebb_error *err)
{
    ses_bp *bp;
    EBB_TRY(ses_bp_need(s, number, &bp, err));
    sym_spots spots = {0};
    for (size_t i = 0; i < bp->locations.n; i++)
        ebb_vec_push(&spots, bp->locations.items[i].spot);
    ebb_status status = ses_bp_is_watch(bp) ? ses_watch_check_condition(s, bp, condition, err) : check_condition(s, condition, &spots, err);
    ebb_vec_fini(&spots);
    if (status != EBB_OK)
        return status;
    free((char *)bp->view.condition);
    bp->view.condition = condition ? ebb_strdup(condition) : NULL;
    bp->slow_said = false;
    forget_parsed_conditions(bp);
    ses_points_update(s, bp);
    return EBB_OK;
}

ebb_status ses_bp_commands(session *s, int number, const char *commands, ebb_error *err)
{
    ses_bp *bp;
    EBB_TRY(ses_bp_need(s, number, &bp, err));
    free((char *)bp->view.commands);
    bp->view.commands = commands ? ebb_strdup(commands) : NULL;
    return EBB_OK;
}
