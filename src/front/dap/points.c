/* points.c - a request names all breakpoints of one kind: those that are new are set, those that are missing are deleted, the
 * others stay, with their counts. */
#include "front/dap/dap.h"

#include "base/text.h"
#include "session/breakpoints.h"
#include "session/data.h"
#include "session/settings.h"

#include <limits.h>
#include <string.h>

/* One breakpoint as a request asks for it. */
typedef struct wish {
    const char *where;             /* a place; an expression to watch; what to catch */
    const char *condition, *hits, *log;
    unsigned thread, level;        /* data: the frame that the expression is of */
    enum { WISH_BREAK, WISH_WATCH, WISH_CATCH } verb;
    ses_bp_kind watch;
} wish;

static const char *key_of(ebb_arena *arena, const wish *w)
{
    return ebb_arena_printf(arena, "%d %d %u %u %s\n%s\n%s\n%s", w->verb, w->verb == WISH_WATCH ? (int)w->watch : 0, w->thread, w->level, w->where,
                            w->condition ? w->condition : "", w->hits ? w->hits : "", w->log ? w->log : "");
}

/* ---- setting one --------------------------------------------------------------------------------- */

/* "5", ">= 5", "== 5": the hits before that one are passed.  "> 5": that one, too. */
static ebb_status parse_hits(const char *text, unsigned *ignore, ebb_error *err)
{
    uint64_t n;
    const char *at = ebb_text_skip_space(text);
    bool after = at[0] == '>' && at[1] != '=';
    at = ebb_text_skip_space(at + strspn(at, "=>"));
    char *digits = ebb_strdup(at);
    bool fine = ebb_text_to_u64(ebb_text_rtrim(digits), &n) && n <= INT_MAX && n + after > 0;
    free(digits);
    if (!fine)
        return ebb_fail(err, EBB_BAD_INPUT, "A hit condition is a number, or >= or > and a number, not \"%.60s\".", text);
    *ignore = (unsigned)n - 1 + after;
    return EBB_OK;
}

static void add_quoted(ebb_buf *out, const char *at, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (at[i] == '"' || at[i] == '\\')
            ebb_buf_addc(out, '\\');
        if (at[i] == '%')
            ebb_buf_addc(out, '%');
        ebb_buf_addc(out, at[i] == '\n' ? ' ' : at[i]);
    }
}

/* "x is {x}" as dprintf has it: "x is %V",x */
static const char *log_format(ebb_arena *arena, const char *message)
{
    ebb_buf format = {0}, args = {0};
    ebb_buf_addc(&format, '"');
    for (const char *at = message; *at;) {
        const char *close = *at == '{' ? strchr(at, '}') : NULL;
        size_t n = *at == '{' ? 1 : strcspn(at, "{");
        if (close) {
            ebb_buf_adds(&format, "%V");
            ebb_buf_addf(&args, ",%.*s", (int)(close - at - 1), at + 1);
            at = close + 1;
            continue;
        }
        add_quoted(&format, at, n);
        at += n;
    }
    const char *all = ebb_arena_printf(arena, "%s\"%s", ebb_buf_text(&format), ebb_buf_text(&args));
    ebb_buf_fini(&format);
    ebb_buf_fini(&args);
    return all;
}

static ebb_status set_wish(dap *d, ebb_arena *arena, const wish *w, int *number, ebb_error *err)
{
    unsigned ignore = 0;
    if (w->hits && *w->hits)
        EBB_TRY(parse_hits(w->hits, &ignore, err));
    const char *condition = w->condition && *w->condition ? w->condition : NULL;
    if (w->verb == WISH_CATCH)
        return ses_catch(d->session, w->where, false, number, err);
    if (w->verb == WISH_WATCH) {
        if (w->thread)
            EBB_TRY(dap_select(d, w->thread, w->level, err));
        ses_watch_request request = {.kind = w->watch, .expression = w->where, .condition = condition};
        EBB_TRY(ses_watch(d->session, &request, number, err));
    } else {
        EBB_TRY(ses_break(d->session,
                          &(ses_break_request){.where = w->where,
                                               .condition = condition,
                                               .prints = w->log && *w->log ? log_format(arena, w->log) : NULL,
                                               .allow_pending = true},
                          number, err));
    }
    return ignore ? ses_bp_ignore(d->session, *number, ignore, err) : EBB_OK;
}

/* ---- what the client is told ---------------------------------------------------------------------- */

static bool is_verified(const ses_breakpoint *bp)
{
    return bp && !bp->pending;
}

/* Before the program has begun, nobody knows where it will be: 0. */
static uint64_t address_of(dap *d, const ses_breakpoint *bp)
{
    bool is_placed = bp && bp->kind == SES_BP_BREAK && bp->n_locations > 0 && !bp->locations[0].place && ses_get_state(d->session) == SES_STOPPED;
    return is_placed ? bp->locations[0].spot.addr : 0;
}

static json_t *describe(dap *d, const dap_point *point, const char *why)
{
    const ses_breakpoint *bp = point->number ? ses_bp_get(d->session, point->number) : NULL;
    json_t *object = json_pack("{s:b}", "verified", is_verified(bp));
    if (point->number)
        json_object_set_new(object, "id", json_integer(point->number));
    if (why)
        cli_json_text(object, "message", why);
    else if (bp && bp->pending)
        cli_json_text(object, "message", "Its place isn't known yet");
    if (!bp || bp->n_locations == 0)
        return object;
    const sym_spot *spot = &bp->locations[0].spot;
    if (spot->line)
        json_object_set_new(object, "line", json_integer(dap_line_out(d, spot->line)));
    if (spot->file)
        json_object_set_new(object, "source", dap_source(d, spot->file, spot->file_name));
    if (bp->locations[0].place)
        cli_json_text(object, "instructionReference", bp->locations[0].place);
    else if (address_of(d, bp))
        cli_json_address(object, "instructionReference", address_of(d, bp));
    return object;
}

void dap_points_refresh(dap *d)
{
    for (size_t i = 0; i < d->points.n; i++) {
        dap_point *point = &d->points.items[i];
        const ses_breakpoint *bp = point->number ? ses_bp_get(d->session, point->number) : NULL;
        bool verified = is_verified(bp), has_moved = address_of(d, bp) && address_of(d, bp) != point->address;
        if (!point->number || (verified == point->verified && !has_moved))
            continue;
        point->verified = verified;
        point->address = address_of(d, bp);
        dap_say_event(d, "breakpoint", json_pack("{s:s, s:o}", "reason", "changed", "breakpoint", describe(d, point, NULL)));
    }
}

/* ---- sets of them --------------------------------------------------------------------------------- */

static void point_fini(dap_point *point)
{
    free(point->set);
    free(point->key);
}

void dap_points_fini(dap *d)
{
    for (size_t i = 0; i < d->points.n; i++)
        point_fini(&d->points.items[i]);
    ebb_vec_fini(&d->points);
}

typedef EBB_VEC(dap_point) point_list;

/* Takes all points of the set out of the list. */
static point_list take_set(dap *d, const char *set)
{
    point_list taken = {0};
    for (size_t i = 0; i < d->points.n;) {
        if (strcmp(d->points.items[i].set, set) != 0) {
            i++;
            continue;
        }
        ebb_vec_push(&taken, d->points.items[i]);
        ebb_vec_remove(&d->points, i);
    }
    return taken;
}

/* The one of them that was set by the same words and is still there, which leaves the list; false: there is none. */
static bool take_same(dap *d, point_list *old, const char *key, dap_point *point)
{
    for (size_t i = 0; i < old->n; i++) {
        if (strcmp(old->items[i].key, key) != 0 || !old->items[i].number || !ses_bp_get(d->session, old->items[i].number))
            continue;
        *point = old->items[i];
        ebb_vec_remove(old, i);
        return true;
    }
    return false;
}

static void drop(dap *d, point_list *old)
{
    for (size_t i = 0; i < old->n; i++) {
        int number = old->items[i].number;
        if (number && ses_bp_get(d->session, number) && ses_bp_delete(d->session, number, NULL) != EBB_OK)
            dap_say_line(d, "important", "Breakpoint %d could not be deleted.", number);
        point_fini(&old->items[i]);
    }
    ebb_vec_fini(old);
}

static void add_wish(dap *d, dap_request *r, const char *set, const wish *w, point_list *old, json_t *list)
{
    const char *key = key_of(&r->arena, w);
    ebb_error err;
    dap_point point;
    bool fails = false;
    if (!take_same(d, old, key, &point)) {
        point = (dap_point){.set = ebb_strdup(set), .key = ebb_strdup(key)};
        fails = set_wish(d, &r->arena, w, &point.number, &err) != EBB_OK;
    }
    json_t *object = describe(d, &point, fails ? err.text : NULL);
    point.verified = json_is_true(json_object_get(object, "verified"));
    point.address = address_of(d, point.number ? ses_bp_get(d->session, point.number) : NULL);
    json_array_append_new(list, object);
    ebb_vec_push(&d->points, point);
}

/* Sets those that the array asks for; each is made into a wish by `understand`, which may fail. */
typedef ebb_status understander(dap *d, dap_request *r, const json_t *asked, wish *w, ebb_error *err);
static ebb_status set_all(dap *d, dap_request *r, const char *set, const json_t *array, understander *understand)
{
    json_t *list = dap_list(r, "breakpoints");
    point_list old = take_set(d, set);
    for (size_t i = 0; i < json_array_size(array); i++) {
        const json_t *asked = dap_element(array, i);
        ebb_error err;
        wish w = {.condition = dap_text(asked, "condition"), .hits = dap_text(asked, "hitCondition"), .log = dap_text(asked, "logMessage")};
        if (understand(d, r, asked, &w, &err) == EBB_OK)
            add_wish(d, r, set, &w, &old, list);
        else
            json_array_append_new(list, json_pack("{s:b, s:o}", "verified", 0, "message", cli_json_string(err.text)));
    }
    drop(d, &old);
    return EBB_OK;
}

/* ---- the requests --------------------------------------------------------------------------------- */

static ebb_status at_line(dap *d, dap_request *r, const json_t *asked, wish *w, ebb_error *err)
{
    const json_t *source = json_object_get(r->args, "source");
    const char *path = dap_text(source, "path");
    json_int_t reference = dap_number(source, "sourceReference", 0);
    unsigned line = dap_line_in(d, dap_number(asked, "line", 0));
    if (reference > 0 && (uint64_t)reference <= d->sources.n)
        path = d->sources.items[reference - 1];
    if (!path)
        path = dap_text(source, "name");
    if (!path || !line)
        return ebb_fail(err, EBB_BAD_INPUT, "A breakpoint needs a source and a line.");
    w->where = ebb_arena_printf(&r->arena, "%s:%u", path, line);
    return EBB_OK;
}

ebb_status dap_do_set_breakpoints(dap *d, dap_request *r, ebb_error *err)
{
    const json_t *source = json_object_get(r->args, "source");
    const char *path = dap_text(source, "path") ? dap_text(source, "path") : dap_text(source, "name");
    if (!path)
        return ebb_fail(err, EBB_BAD_INPUT, "Breakpoints of which source?");
    return set_all(d, r, path, json_object_get(r->args, "breakpoints"), at_line);
}

static ebb_status at_function(dap *d, dap_request *r, const json_t *asked, wish *w, ebb_error *err)
{
    (void)d, (void)r;
    return dap_need_text(asked, "name", &w->where, err);
}

ebb_status dap_do_set_function_breakpoints(dap *d, dap_request *r, ebb_error *err)
{
    (void)err;
    return set_all(d, r, "functions", json_object_get(r->args, "breakpoints"), at_function);
}

/* Of Java a reference is Class.method:bci, which is a place as it is. */
static ebb_status at_instruction(dap *d, dap_request *r, const json_t *asked, wish *w, ebb_error *err)
{
    const char *reference;
    uint64_t address;
    EBB_TRY(dap_need_text(asked, "instructionReference", &reference, err));
    w->where = reference;
    if (!dap_has_addresses(d))
        return EBB_OK;
    EBB_TRY(dap_address_in(reference, &address, err));
    w->where = ebb_arena_printf(&r->arena, "*0x%llx", (unsigned long long)(address + (uint64_t)dap_number(asked, "offset", 0)));
    return EBB_OK;
}

ebb_status dap_do_set_instruction_breakpoints(dap *d, dap_request *r, ebb_error *err)
{
    (void)err;
    return set_all(d, r, "instructions", json_object_get(r->args, "breakpoints"), at_instruction);
}

/* ---- data ----------------------------------------------------------------------------------------- */

/* A dataId is THREAD:LEVEL:EXPRESSION. */
static ebb_status at_data(dap *d, dap_request *r, const json_t *asked, wish *w, ebb_error *err)
{
    (void)d, (void)r;
    static const struct {
        const char *word;
        ses_bp_kind kind;
    } kinds[] = {{"write", SES_BP_WATCH}, {"read", SES_BP_RWATCH}, {"readWrite", SES_BP_AWATCH}};
    const char *id, *access = dap_text(asked, "accessType");
    int at = 0;
    EBB_TRY(dap_need_text(asked, "dataId", &id, err));
    if (sscanf(id, "%u:%u:%n", &w->thread, &w->level, &at) < 2 || at == 0)
        return ebb_fail(err, EBB_BAD_INPUT, "\"%.60s\" is no dataId.", id);
    w->verb = WISH_WATCH;
    w->where = id + at;
    w->watch = SES_BP_WATCH;
    for (size_t i = 0; access && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].word, access) == 0)
            w->watch = kinds[i].kind;
    return EBB_OK;
}

ebb_status dap_do_set_data_breakpoints(dap *d, dap_request *r, ebb_error *err)
{
    (void)err;
    return set_all(d, r, "data", json_object_get(r->args, "breakpoints"), at_data);
}

/* ---- exceptions ------------------------------------------------------------------------------------ */

static ebb_status at_exception(dap *d, dap_request *r, const json_t *asked, wish *w, ebb_error *err)
{
    (void)d;
    static const struct {
        const char *filter, *command;
    } filters[] = {
#define DAP_FILTER(filter, command, label, description, who, names_class, is_default) {filter, command},
#include "front/dap/filters.def"
#undef DAP_FILTER
    };
    const char *id = json_is_string(asked) ? json_string_value(asked) : dap_text(asked, "filterId");
    for (size_t i = 0; id && i < sizeof filters / sizeof *filters; i++) {
        if (!filters[i].command || strcmp(filters[i].filter, id) != 0)
            continue;
        bool names_class = w->condition && *ebb_text_skip_space(w->condition);
        w->verb = WISH_CATCH;
        w->where = names_class ? ebb_arena_printf(&r->arena, "%s %s", filters[i].command, w->condition) : filters[i].command;
        w->condition = NULL;
        return EBB_OK;
    }
    return ebb_fail(err, EBB_BAD_INPUT, "There is no exception filter \"%.60s\".", id ? id : "");
}

static bool names_uncaught(const json_t *asked)
{
    const char *id = json_is_string(asked) ? json_string_value(asked) : dap_text(asked, "filterId");
    return id && strcmp(id, "uncaught") == 0;
}

/* Both ways to name filters, as one list; whether the uncaught ones are among them is a setting. */
ebb_status dap_do_set_exception_breakpoints(dap *d, dap_request *r, ebb_error *err)
{
    static const char *const keys[] = {"filters", "filterOptions"};
    json_t *all = json_array();
    bool uncaught = false;
    for (size_t k = 0; k < 2; k++) {
        const json_t *array = json_object_get(r->args, keys[k]);
        for (size_t i = 0; i < json_array_size(array); i++) {
            json_t *asked = json_array_get(array, i);
            uncaught |= names_uncaught(asked);
            if (!names_uncaught(asked))
                json_array_append(all, asked);
        }
    }
    ebb_status status = ses_setting_set(d->session, "stop-on-uncaught", uncaught ? "on" : "off", err);
    if (status == EBB_OK)
        status = set_all(d, r, "exceptions", all, at_exception);
    json_decref(all);
    return status;
}
