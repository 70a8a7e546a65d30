/* reverse.c - stepping back through Java.
 *
 * A step forward stops where a line begins, in a frame whose line was another one before.  A step back has to stop at the same
 * moments in reverse order.  They are found by two searches:
 *
 *   - *line_before*: the last moment before now at which a line began in a given frame.  Points are set at the beginnings of all lines of
 *     its method, and at the call that made the frame, behind which there is nothing to look for.  A frame's number is
 *     used again after it has returned, so that call is also what tells one activation from an earlier one.
 *   - *last_call_between*: from such a moment forward to now: which methods were called from that line that a step would have
 *     stopped in?  If there are any, the step back ends in the last one: at the last line that began in it, or in what that
 *     one called last; and so on.
 *
 * reverse-next needs the first search only.
 *
 * Breakpoints on the way end a step back as they end any other move: for reverse-next the first search ends there; reverse-step
 * notes the last one, and goes to it if it lies behind the line that is found. */
#include "session/java/java.h"
#include "session/reverse.h"
#include "session/settings_impl.h"
#include "session/stack.h"
#include "session/verbs.h"

#include <fnmatch.h>
#include <string.h>

enum { ACC_BRIDGE = 0x0040 };

/* ---- activations -------------------------------------------------------------------------------- */

/* A frame, and the call that made it. */
typedef struct activation {
    machine_tid thread;
    uint64_t id;
    machine_place place;   /* when it was looked at */
    bool has_caller;       /* one in bytecode: */
    uint64_t caller;
    machine_place call;    /* the invoke */
    machine_place back;    /* where it goes on */
} activation;

static bool activation_at(session *s, machine_tid thread, unsigned depth, activation *out)
{
    java_frames frames = {0};
    bool found = jvm_remote_frames(s->machine, thread, depth, 2, &frames, NULL) == EBB_OK && frames.n > 0;
    if (found)
        *out = (activation){.thread = thread, .id = frames.items[0].id, .place = frames.items[0].place};
    if (found && frames.n > 1 && !frames.items[1].is_native) {
        out->has_caller = true;
        out->caller = frames.items[1].id;
        out->call = frames.items[1].place;
        out->back = frames.items[1].next;
    }
    ebb_vec_fini(&frames);
    return found;
}

static bool is_in(session *s, const activation *a)
{
    activation top;
    return activation_at(s, a->thread, 0, &top) && top.id == a->id &&
           java_place_method(top.place) == java_place_method(a->place);
}

/* Where the frame stands now; 0 if it isn't there. */
static machine_place place_of(session *s, const activation *a)
{
    enum { AT_FIRST = 4, AT_ONCE = 64 }; /* mostly it is one of the innermost */
    machine_place place = 0;
    bool more = true;
    for (unsigned depth = 0, n = AT_FIRST; more && !place; depth += n, n = AT_ONCE) {
        java_frames frames = {0};
        more = jvm_remote_frames(s->machine, a->thread, depth, n, &frames, NULL) == EBB_OK && frames.n == n;
        for (size_t i = 0; i < frames.n; i++)
            if (frames.items[i].id == a->id && java_place_method(frames.items[i].place) == java_place_method(a->place))
                place = frames.items[i].place;
        ebb_vec_fini(&frames);
    }
    return place;
}

static unsigned line_of(session *s, machine_place place)
{
    ses_java_line line;
    return place && ses_java_line_at(s, place, &line) ? line.line : 0;
}

/* As the machine's own filter decides for steps forward. */
static bool is_filtered(session *s, const java_class *cls)
{
    ebb_arena arena = {0};
    bool filtered = false;
    char *text = ebb_arena_strdup(&arena, ses_setting_text(s, "step-filter")), *rest = NULL;
    for (char *word = strtok_r(text, " ,\t", &rest); word; word = strtok_r(NULL, " ,\t", &rest))
        filtered |= strcmp(word, "library") == 0 ? cls->is_library : fnmatch(word, cls->name, 0) == 0;
    ebb_arena_fini(&arena);
    return filtered;
}

/* Whether a person steps through it: it has lines that somebody wrote, and isn't passed by the step filter. */
static bool is_shown(session *s, machine_place place)
{
    const java_class *cls;
    const java_method *method = ses_java_method(s, place, &cls);
    return method && method->has_lines && !(method->access & ACC_BRIDGE) && line_of(s, place) && !is_filtered(s, cls);
}

static ebb_status now_of(session *s, ebb_position *now, ebb_error *err)
{
    return ebb_timeline_now(s->timeline, 0, now, err);
}

/* What the user's breakpoints mean to a search: they end it, unless one of these is said. */
typedef struct users {
    bool own_only;    /* nothing */
    ses_aside *aside; /* the last one is noted */
} users;

/* ---- the last line of a frame before now ---------------------------------------------------------- */

typedef enum found_kind {
    FOUND_LINE,  /* the debuggee stands there */
    FOUND_CALL,  /* no line began in this frame before: the debuggee stands at the call that made it */
    FOUND_NOTHING, /* neither, as nothing in bytecode called it: the debuggee may stand anywhere */
    FOUND_OTHER, /* something else ended the search: history's beginning, the user, a breakpoint */
} found_kind;

typedef struct line_search {
    ses_back back; /* first */
    activation who;
    bool line_is_known; /* the line that the frame was on, as far as this pass knows */
    unsigned line;
    ebb_position last_seen;
    found_kind kind;  /* of the last stop that was accepted */
    bool is_sure;     /* that the line was another one before */
} line_search;

static ebb_status reached(session *s, ses_back *back, const machine_stop *at, ebb_position now, unsigned *verdict, ebb_error *err)
{
    line_search *search = (line_search *)back;
    activation top;
    if (!activation_at(s, at->thread, 0, &top))
        return EBB_OK;
    if (ebb_position_compare(now, search->last_seen) < 0)
        search->line_is_known = false; /* another pass began */
    search->last_seen = now;
    bool is_earlier = ebb_position_compare(now, back->origin) < 0;
    if (search->who.has_caller && top.id == search->who.caller && top.place == search->who.call) {
        search->line_is_known = true;
        search->line = 0;
        search->kind = is_earlier ? FOUND_CALL : search->kind;
        *verdict = EBB_STOP_HERE;
    } else if (top.id == search->who.id && java_place_method(top.place) == java_place_method(search->who.place)) {
        unsigned line = line_of(s, top.place);
        if (is_earlier && (!search->line_is_known || line != search->line)) {
            search->kind = FOUND_LINE;
            search->is_sure = search->line_is_known;
            *verdict = EBB_STOP_HERE;
        }
        search->line_is_known = true;
        search->line = line;
    }
    return EBB_OK;
}

static ebb_status set_points(session *s, line_search *search, ebb_error *err)
{
    const java_code *code;
    machine_place method = java_place_method(search->who.place);
    EBB_TRY(jvm_remote_code(s->machine, method, &code, err));
    EBB_VEC(machine_place) places = {0};
    for (size_t i = 0; i < code->n_lines; i++)
        ebb_vec_push(&places, method + code->lines[i].bci);
    if (search->who.has_caller)
        ebb_vec_push(&places, search->who.call);
    ebb_status status = ses_back_points(s, &search->back, places.items, places.n, err);
    ebb_vec_fini(&places);
    return status;
}

/* Whether the frame was on another line before this moment, at which one of its lines begins. */
static ebb_status check_line_changed(session *s, const activation *who, bool *changed, ebb_error *err)
{
    ebb_position here;
    machine_stop at;
    machine_request request = {.direction = MACHINE_BACKWARD, .move = MACHINE_STEP};
    unsigned line = line_of(s, place_of(s, who));
    EBB_TRY(now_of(s, &here, err));
    EBB_TRY(ebb_timeline_run(s->timeline, &request, &at, err));
    ses_moved(s, &at);
    *changed = line_of(s, place_of(s, who)) != line;
    return ses_seek(s, here, &at, err);
}

/* On FOUND_OTHER, *at and *back say what it was; the caller settles. */
static ebb_status line_before(session *s, const activation *who, users who_else, found_kind *kind, ses_back *back, machine_stop *at,
                              ebb_error *err)
{
    for (;;) {
        line_search search = {.back = {.thread = who->thread, .own_only = who_else.own_only, .aside = who_else.aside, .reached = reached}, .who = *who,
                              .last_seen = {UINT64_MAX, UINT64_MAX}, .kind = FOUND_OTHER};
        ebb_status status = set_points(s, &search, err);
        if (status == EBB_OK)
            status = ses_back_run(s, &search.back, at, err);
        if (status != EBB_OK) {
            ses_back_fini(s, &search.back);
            return status;
        }
        bool is_other = at->kind != MACHINE_STOP_POINT || !search.back.is_own;
        *kind = !is_other ? search.kind : at->kind == MACHINE_STOP_HISTORY_START && !who->has_caller ? FOUND_NOTHING : FOUND_OTHER;
        *back = search.back;
        if (*kind != FOUND_LINE || search.is_sure)
            return EBB_OK;
        bool changed;
        EBB_TRY(check_line_changed(s, who, &changed, err));
        if (changed)
            return EBB_OK;
        ses_back_fini(s, back);
    }
}

/* To the call that made the frame; FOUND_NOTHING if no bytecode did. */
static ebb_status call_before(session *s, const activation *who, users who_else, found_kind *kind, ses_back *back, machine_stop *at,
                              ebb_error *err)
{
    line_search search = {.back = {.thread = who->thread, .own_only = who_else.own_only, .aside = who_else.aside, .reached = reached}, .who = *who,
                          .last_seen = {UINT64_MAX, UINT64_MAX}, .kind = FOUND_OTHER};
    search.who.id = 0; /* lines don't count */
    *kind = FOUND_NOTHING;
    *back = (ses_back){0};
    if (!who->has_caller)
        return EBB_OK;
    ebb_status status = ses_back_points(s, &search.back, &who->call, 1, err);
    if (status == EBB_OK)
        status = ses_back_run(s, &search.back, at, err);
    if (status != EBB_OK) {
        ses_back_fini(s, &search.back);
        return status;
    }
    *kind = at->kind == MACHINE_STOP_POINT && search.back.is_own ? FOUND_CALL : FOUND_OTHER;
    *back = search.back;
    return EBB_OK;
}

/* From a call on out to a frame that is shown.  *who is that frame, at the call that it made. */
static ebb_status go_out(session *s, activation *who, users who_else, found_kind *kind, ses_back *back, machine_stop *at, ebb_error *err)
{
    while (*kind == FOUND_CALL) {
        if (!activation_at(s, who->thread, 0, who))
            return ebb_fail(err, EBB_UNSUPPORTED, "the caller can't be found");
        if (is_shown(s, who->place))
            return EBB_OK;
        ses_back_fini(s, back);
        EBB_TRY(call_before(s, who, who_else, kind, back, at, err));
    }
    return EBB_OK;
}

/* Whether the call at which the debuggee stands, in `who`, is the first instruction of its line. */
static ebb_status check_line_begins(session *s, const activation *who, bool *begins, ebb_error *err)
{
    ses_java_line line;
    *begins = ses_java_line_at(s, who->place, &line) && line.lo == who->place;
    return *begins ? check_line_changed(s, who, begins, err) : EBB_OK;
}

/* line_before, and where no line began in this frame before: in the one that called it. */
static ebb_status line_before_or_caller(session *s, activation *who, users who_else, found_kind *kind, ses_back *back, machine_stop *at,
                                        ebb_error *err)
{
    do {
        bool begins = false;
        EBB_TRY(line_before(s, who, who_else, kind, back, at, err));
        if (*kind == FOUND_CALL)
            EBB_TRY(go_out(s, who, who_else, kind, back, at, err));
        if (*kind == FOUND_CALL)
            EBB_TRY(check_line_begins(s, who, &begins, err));
        if (begins)
            *kind = FOUND_LINE;
        if (*kind == FOUND_CALL)
            ses_back_fini(s, back);
    } while (*kind == FOUND_CALL);
    return EBB_OK;
}

/* ---- what was called from there on ---------------------------------------------------------------- */

typedef struct call {
    bool found;
    activation who;
    bool has_from;
    ebb_position from, to; /* its first moment, if that was seen, and the first one after it */
} call;

/* Forward within the past, `to` at most.  *arrived: it got there, or there is no way on. */
static ebb_status run_towards(session *s, machine_request request, ebb_position to, machine_stop *at, bool *arrived, ebb_error *err)
{
    ebb_position now;
    request.until = true;
    request.until_time = to.timestamp;
    request.until_place = to.place;
    EBB_TRY(ebb_timeline_run(s->timeline, &request, at, err));
    *arrived = at->kind == MACHINE_STOP_HISTORY_END || at->kind == MACHINE_STOP_EXITED || at->kind == MACHINE_STOP_KILLED;
    if (*arrived)
        return EBB_OK;
    if (at->kind == MACHINE_STOP_INTERRUPTED || s->interrupted)
        return ebb_fail(err, EBB_INTERRUPTED, "interrupted");
    ses_moved(s, at);
    EBB_TRY(now_of(s, &now, err));
    *arrived = ebb_position_compare(now, to) >= 0;
    return EBB_OK;
}

/* Until the activation returns to its caller; at `to` at the latest. */
static ebb_status run_to_return(session *s, const activation *who, ebb_position to, bool *arrived, ebb_error *err)
{
    machine_stop at;
    machine_point_id id = 0;
    machine_point point = {.kind = MACHINE_POINT_EXEC, .addr = who->back, .thread = who->thread};
    activation top;
    *arrived = false;
    if (who->has_caller)
        EBB_TRY(s->machine->ops->point_set(s->machine, &point, &id, err));
    ebb_status status = EBB_OK;
    do
        status = run_towards(s, (machine_request){.move = MACHINE_RUN, .thread = who->thread}, to, &at, arrived, err);
    while (status == EBB_OK && !*arrived &&
           !(activation_at(s, who->thread, 0, &top) && top.id == who->caller && top.place == who->back));
    if (id)
        (void)!s->machine->ops->point_clear(s->machine, id, NULL);
    return status;
}

/* `last` is what is under way: it ends where it returns, or at `to`. */
static ebb_status run_to_end_of(session *s, call *last, ebb_position to, bool *arrived, ebb_error *err)
{
    last->found = true;
    EBB_TRY(now_of(s, &last->from, err));
    EBB_TRY(run_to_return(s, &last->who, to, arrived, err));
    last->to = to;
    return *arrived ? EBB_OK : now_of(s, &last->to, err);
}

/* What `who` called, by itself or through code that isn't shown, and is under way. */
static bool call_under_way(session *s, const activation *who, activation *out)
{
    enum { AT_ONCE = 64 };
    bool found = false, is_there = false, more = true;
    unsigned at = 0;
    for (unsigned depth = 0; more && !is_there; depth += AT_ONCE) {
        java_frames frames = {0};
        more = jvm_remote_frames(s->machine, who->thread, depth, AT_ONCE, &frames, NULL) == EBB_OK && frames.n == AT_ONCE;
        for (unsigned i = 0; i < frames.n && !is_there; i++) {
            is_there = frames.items[i].id == who->id;
            if (!is_there && is_shown(s, frames.items[i].place)) {
                found = true;
                at = depth + i;
            }
        }
        ebb_vec_fini(&frames);
    }
    return is_there && found && activation_at(s, who->thread, at, out);
}

static ebb_status last_call_from_here(session *s, const activation *who, ebb_position to, call *last, ebb_error *err)
{
    bool arrived = false;
    machine_stop at;
    *last = (call){0};
    if (call_under_way(s, who, &last->who))
        EBB_TRY(run_to_end_of(s, last, to, &arrived, err));
    while (!arrived) {
        ses_java_line row;
        machine_request step = {.move = MACHINE_STEP, .thread = who->thread, .keep_filter = true};
        machine_place place = place_of(s, who);
        if (is_in(s, who) && ses_java_line_at(s, place, &row)) {
            step.lo = row.lo;
            step.hi = row.hi;
        }
        EBB_TRY(run_towards(s, step, to, &at, &arrived, err));
        if (arrived || is_in(s, who) || at.kind != MACHINE_STOP_STEP || !place_of(s, who))
            continue;
        if (activation_at(s, who->thread, 0, &last->who))
            EBB_TRY(run_to_end_of(s, last, to, &arrived, err));
    }
    return EBB_OK;
}

/* A line may have called a million times: so the last moments are looked at first, and more of what is before as long as there is nothing. */
static ebb_status last_call_between(session *s, const activation *who, ebb_position to, call *last, ebb_error *err)
{
    enum { FIRST_WIDTH = 64, GROWTH = 8 }; /* timestamps */
    ebb_position line;
    EBB_TRY(now_of(s, &line, err));
    for (uint64_t width = FIRST_WIDTH;; width *= GROWTH) {
        machine_stop at;
        bool is_all = to.timestamp <= line.timestamp || to.timestamp - line.timestamp <= width;
        EBB_TRY(ses_seek(s, is_all ? line : (ebb_position){.timestamp = to.timestamp - width}, &at, err));
        EBB_TRY(last_call_from_here(s, who, to, last, err));
        last->has_from = is_all;
        if (last->found || is_all)
            return EBB_OK;
    }
}

/* ---- the verbs ------------------------------------------------------------------------------------ */

static ebb_status settle_at(session *s, ebb_position to, ses_frame_id began, ses_stop *stop, ebb_error *err)
{
    machine_stop at;
    EBB_TRY(ses_seek(s, to, &at, err));
    ses_settle_at(s, &at, SES_STOP_STEP, stop);
    stop->same_frame = ses_frame_id_same(ses_frame_id_at(s, 0), began);
    return EBB_OK;
}

/* The debuggee stands at the call that made the activation. */
static ebb_status first_moment(session *s, const activation *who, ebb_position *found, ebb_error *err)
{
    machine_stop at;
    machine_request step = {.move = MACHINE_STEP, .thread = who->thread};
    EBB_TRY(ebb_timeline_run(s->timeline, &step, &at, err));
    ses_moved(s, &at);
    return now_of(s, found, err);
}

/* Into what the line at which the debuggee stands, in `who`, called last before `to`. */
static ebb_status descend(session *s, activation who, ebb_position to, ebb_position *found, ebb_error *err)
{
    for (;;) {
        call last;
        machine_stop at;
        ses_back back = {0};
        found_kind kind;
        EBB_TRY(now_of(s, found, err));
        EBB_TRY(last_call_between(s, &who, to, &last, err));
        if (!last.found)
            return EBB_OK;
        EBB_TRY(ses_seek(s, last.to, &at, err));
        EBB_TRY(line_before(s, &last.who, (users){.own_only = true}, &kind, &back, &at, err));
        ses_back_fini(s, &back);
        if (kind != FOUND_LINE) /* its first line, at which it was entered */
            return last.has_from ? (*found = last.from, EBB_OK) : first_moment(s, &last.who, found, err);
        who = last.who;
        to = last.to;
    }
}

/* The debuggee stands in a frame of code that a step passes through: to the last line that a person would have seen before `to`, in what
 * this frame called. */
static ebb_status last_line_shown(session *s, const activation *who, ebb_position to, bool *is_there, ebb_position *found, ebb_error *err)
{
    enum { LINES = 100 }; /* of library code: what called the person's is near its end */
    *is_there = false;
    for (unsigned i = 0; i < LINES && !*is_there; i++) {
        machine_stop at;
        ses_back back = {0};
        found_kind kind;
        ebb_position line;
        EBB_TRY(line_before(s, who, (users){.own_only = true}, &kind, &back, &at, err));
        ses_back_fini(s, &back);
        if (kind != FOUND_LINE)
            return EBB_OK;
        EBB_TRY(now_of(s, &line, err));
        EBB_TRY(descend(s, *who, to, found, err));
        *is_there = ebb_position_compare(*found, line) != 0;
        if (!*is_there)
            EBB_TRY(ses_seek(s, line, &at, err));
        to = line;
    }
    return EBB_OK;
}

/* Nothing in bytecode called the frame in which the debuggee stood at `origin`.  But C code did (a native method, or the machine at the end
 * of a thread), and where that came from there may be a line that a step back leads to. */
static ebb_status line_before_native(session *s, const activation *from, ebb_position origin, bool *is_there, ebb_position *found, ebb_error *err)
{
    machine_request before = {.direction = MACHINE_BACKWARD, .move = MACHINE_STEP};
    machine_stop at;
    activation who;
    ses_java_line line;
    *is_there = false;
    EBB_TRY(ses_seek(s, origin, &at, err));
    EBB_TRY(ebb_timeline_run(s->timeline, &before, &at, err));
    ses_moved(s, &at);
    if (at.kind != MACHINE_STOP_STEP || at.thread != from->thread || !activation_at(s, from->thread, 0, &who))
        return EBB_OK;
    if (!is_shown(s, who.place) && is_shown(s, from->place))
        return EBB_OK; /* what came before main is nobody's */
    if (!is_shown(s, who.place))
        return last_line_shown(s, &who, origin, is_there, found, err);
    *is_there = true;
    if (!ses_java_line_at(s, who.place, &line) || line.lo != who.place) {
        ses_back back = {0};
        found_kind kind;
        EBB_TRY(line_before(s, &who, (users){.own_only = true}, &kind, &back, &at, err));
        ses_back_fini(s, &back);
        *is_there = kind == FOUND_LINE;
    }
    return now_of(s, found, err);
}

/* The line before this one is at `found`; `passed` are the user's stops behind it. */
static ebb_status arrive_at_line(session *s, ebb_position found, ses_frame_id began, ses_aside *passed, ses_stop *stop, bool *done,
                                 ebb_error *err)
{
    if (!passed->found || ebb_position_compare(passed->at, found) < 0)
        return settle_at(s, found, began, stop, err);
    *done = true;
    return ses_aside_settle(s, passed, stop, err);
}

static ebb_status find_line_back(session *s, bool into, ses_aside *passed, ses_stop *stop, bool *done, ebb_error *err)
{
    activation who;
    machine_stop at;
    ses_back back = {0};
    found_kind kind;
    ebb_position origin, found;
    ses_frame_id began = ses_frame_id_at(s, 0);
    EBB_TRY(now_of(s, &origin, err));
    if (!activation_at(s, s->thread, 0, &who))
        return ebb_fail(err, EBB_UNSUPPORTED, "the thread has no frame to step back in");
    EBB_TRY(line_before_or_caller(s, &who, (users){.own_only = s->java->is_alone, .aside = into ? passed : NULL}, &kind, &back, &at, err));
    if (kind == FOUND_OTHER && (!passed->found || at.kind == MACHINE_STOP_INTERRUPTED)) {
        *done = true;
        ses_back_settle(s, &back, &at, SES_STOP_STEP, stop);
        return EBB_OK;
    }
    ses_back_fini(s, &back);
    if (kind == FOUND_OTHER) /* the beginning of history, but something was on the way */
        return arrive_at_line(s, (ebb_position){0}, began, passed, stop, done, err);
    bool is_there = false;
    if (kind == FOUND_NOTHING)
        EBB_TRY(line_before_native(s, &who, origin, &is_there, &found, err));
    if (is_there)
        return arrive_at_line(s, found, began, passed, stop, done, err);
    if (kind == FOUND_NOTHING) { /* the first line of a thread, or of main: it stays */
        *done = true;
        EBB_TRY(settle_at(s, origin, began, stop, err));
        stop->kind = s->last_stop.kind = SES_STOP_HISTORY_START;
        return EBB_OK;
    }
    EBB_TRY(now_of(s, &found, err));
    if (into)
        EBB_TRY(descend(s, who, origin, &found, err));
    return arrive_at_line(s, found, began, passed, stop, done, err);
}

/* A step into calls can't end its first search at a breakpoint: the line that it looks for may lie behind that. */
static ebb_status line_back(session *s, bool into, ses_stop *stop, bool *done, ebb_error *err)
{
    ses_aside passed = {0};
    ebb_status status = find_line_back(s, into, &passed, stop, done, err);
    ses_aside_fini(&passed);
    return status;
}

/* From here to `to` by instructions of the thread: before[0] is where it was about to execute the last of them, before[1] the one
 * before that; *n says how many of the two there are. */
static ebb_status last_instructions(session *s, machine_tid thread, ebb_position to, ebb_position before[2], unsigned *n, ebb_error *err)
{
    machine_stop at;
    bool arrived = false;
    *n = 0;
    while (!arrived) {
        EBB_TRY(run_towards(s, (machine_request){.move = MACHINE_STEP, .thread = thread}, to, &at, &arrived, err));
        ebb_position now;
        if (arrived || at.thread != thread) /* somebody's breakpoint */
            continue;
        EBB_TRY(now_of(s, &now, err));
        if (*n > 0 && ebb_position_compare(now, before[0]) == 0)
            continue;
        before[1] = before[0];
        before[0] = now;
        *n = *n < 2 ? *n + 1 : 2;
    }
    return EBB_OK;
}

/* One instruction of this thread back, whatever the others did since. */
static ebb_status own_instruction_back(session *s, ses_stop *stop, bool *done, ebb_error *err)
{
    enum { FIRST_WIDTH = 64, GROWTH = 8 }; /* timestamps */
    machine_tid thread = s->thread;
    bool runs = ebb_timeline_get_thread(s->timeline) == thread; /* else it stands where it was left */
    ebb_position origin, before[2] = {{0}};
    ses_frame_id began = ses_frame_id_at(s, 0);
    EBB_TRY(now_of(s, &origin, err));
    for (uint64_t width = FIRST_WIDTH;; width *= GROWTH) {
        machine_stop at;
        unsigned n;
        bool is_all = origin.timestamp <= width || ses_seek(s, (ebb_position){.timestamp = origin.timestamp - width}, &at, NULL) != EBB_OK;
        if (is_all)
            EBB_TRY(ebb_timeline_seek_start(s->timeline, &at, err));
        EBB_TRY(last_instructions(s, thread, origin, before, &n, err));
        if (n > !runs)
            return settle_at(s, before[!runs], began, stop, err);
        if (is_all) {
            *done = true;
            EBB_TRY(settle_at(s, origin, began, stop, err));
            stop->kind = s->last_stop.kind = SES_STOP_HISTORY_START;
            return EBB_OK;
        }
    }
}

/* Before the instruction before this one, and before the call that it returned from. */
static ebb_status instruction_back(session *s, bool over_calls, ses_stop *stop, bool *done, ebb_error *err)
{
    activation who;
    bool had_frame = activation_at(s, s->thread, 0, &who);
    if (s->java->is_alone)
        EBB_TRY(own_instruction_back(s, stop, done, err));
    else
        EBB_TRY(ses_reverse_stepi(s, 1, stop, err));
    *done = stop->kind != SES_STOP_STEP;
    machine_place place = place_of(s, &who);
    if (*done || !over_calls || !had_frame || !place || is_in(s, &who))
        return EBB_OK;
    activation callee = {.thread = who.thread, .has_caller = true, .caller = who.id, .call = place};
    ses_back back;
    machine_stop at;
    found_kind kind;
    EBB_TRY(call_before(s, &callee, (users){.own_only = s->java->is_alone}, &kind, &back, &at, err));
    *done = kind != FOUND_CALL;
    ses_back_settle(s, &back, &at, SES_STOP_STEP, stop);
    return EBB_OK;
}

/* SE1: a step back that fails leaves the debuggee where it was. */
static ebb_status return_to(session *s, ebb_position origin, bool was_there, ebb_status status)
{
    machine_stop at;
    ebb_error ignored;
    if (was_there && s->machine && ebb_timeline_get_state(s->timeline) != EBB_TIMELINE_POISONED &&
        ses_seek(s, origin, &at, &ignored) == EBB_OK)
        ses_moved(s, &at);
    return status;
}

static ebb_status finish_back(session *s, ses_stop *stop, ebb_error *err);

static ebb_status step_back(session *s, ses_step_kind kind, unsigned count, ses_stop *stop, ebb_error *err)
{
    ebb_position origin = {0};
    EBB_TRY(ses_need_history(s, err));
    bool was_there = now_of(s, &origin, NULL) == EBB_OK, done = false;
    if (!was_there) { /* behind the end: the last instruction first */
        EBB_TRY(ses_reverse_stepi(s, 1, stop, err));
        if (kind == SES_STEP_INSN || kind == SES_NEXT_INSN)
            count--;
    }
    ses_select_innermost(s);
    ebb_status status = EBB_OK;
    for (unsigned i = 0; status == EBB_OK && i < count && !done; i++) {
        activation who;
        if (s->java->is_alone && activation_at(s, s->thread, 0, &who) && !line_of(s, who.place) && who.has_caller) {
            status = finish_back(s, stop, err); /* out of a native method: what ran right before was another thread, maybe */
            stop->kind = stop->kind == SES_STOP_FINISHED ? SES_STOP_STEP : stop->kind;
            continue;
        }
        bool by_line = (kind == SES_STEP_LINE || kind == SES_NEXT_LINE) && activation_at(s, s->thread, 0, &who) &&
                       line_of(s, who.place);
        status = by_line ? line_back(s, kind == SES_STEP_LINE, stop, &done, err)
                         : instruction_back(s, kind == SES_NEXT_LINE || kind == SES_NEXT_INSN, stop, &done, err);
    }
    return status == EBB_OK ? EBB_OK : return_to(s, origin, was_there, status);
}

/* reverse-finish: to the call that made the selected frame. */
static ebb_status finish_back(session *s, ses_stop *stop, ebb_error *err)
{
    const ses_frame *frame;
    activation who;
    machine_stop at;
    EBB_TRY(ses_need_history(s, err));
    EBB_TRY(ses_need_debuggee(s, err));
    EBB_TRY(ses_frame_selected(s, &frame, err));
    unsigned depth = frame->depth;
    while (activation_at(s, s->thread, depth, &who) && who.has_caller && !is_shown(s, who.call) && is_shown(s, frame->pc))
        depth++;
    if (!who.has_caller)
        return ebb_fail(err, EBB_BAD_INPUT, "%s was called by a native method: there is no bytecode that made the call.", frame->name);
    ses_back back;
    found_kind kind;
    EBB_TRY(call_before(s, &who, (users){.own_only = s->java->is_alone}, &kind, &back, &at, err));
    ses_back_settle(s, &back, &at, SES_STOP_FINISHED, stop);
    return EBB_OK;
}

/* ---- with all threads, or alone ------------------------------------------------------------------- */

static ebb_status step_back_once(session *s, const void *how, ses_stop *stop, ebb_error *err)
{
    return step_back(s, *(const ses_step_kind *)how, 1, stop, err);
}

static ebb_status finish_back_once(session *s, const void *how, ses_stop *stop, ebb_error *err)
{
    return finish_back(s, stop, err);
}

ebb_status ses_java_step_back(session *s, ses_step_kind kind, unsigned count, ses_stop *stop, ebb_error *err)
{
    EBB_TRY(ses_need_history(s, err));
    if (!ses_java_is_independent(s))
        return step_back(s, kind, count, stop, err);
    for (unsigned i = 0; i < count; i++) {
        EBB_TRY(ses_java_back_alone(s, step_back_once, &kind, stop, err));
        if (stop->kind != SES_STOP_STEP)
            break;
    }
    return EBB_OK;
}

ebb_status ses_java_finish_back(session *s, ses_stop *stop, ebb_error *err)
{
    EBB_TRY(ses_need_history(s, err));
    return ses_java_is_independent(s) ? ses_java_back_alone(s, finish_back_once, NULL, stop, err) : finish_back(s, stop, err);
}
