/* flow.c - the travels of an object of a Java program, from where it was made until now, as a tree of calls.
 *
 * The past is replayed once, from where the object was made, with a point that tells of every instruction that passes its reference on
 * (JAVA_SPACE_REFERENCE).  What comes back is a list of moves, in the order of time, each with its frame; frames make a tree of it.
 *
 * OF1  a frame is told apart by where it lies on the stack and by its method.  What one method did with the object in a row stands together, also if it was
 *      called again meanwhile without being given the object;
 * OF2  the insides of lambdas and method handles are passed over, as in backtraces; what they pass the object to is told. */
#include "session/java/origin.h"
#include "session/visit.h"
#include "time/queries.h"

#include <string.h>

enum { MAX_MOVES = 5000 };

typedef struct move {
    ebb_position after;  /* where the thread stands when it is done */
    machine_tid thread;
    uint64_t frame;
    machine_place place; /* of the instruction */
} move;

typedef struct activation {
    machine_tid thread;
    uint64_t frame;        /* 0: it was just called */
    java_method_id method;
    unsigned depth;
} activation;

typedef struct flow {
    session *s;
    ebb_arena *arena;
    ses_origin_links *out;
    const char *text;      /* the object, printed */
    EBB_VEC(move) moves;
    EBB_VEC(activation) calls; /* that are under way, of each thread the outer ones first */
    bool is_cut;
} flow;

/* ---- what the machine tells ---------------------------------------------------------------------- */

/* The debuggee stands before the object is made, or where history begins. */
static ebb_status at_birth(void *self, ebb_position at, ebb_value_from from, ebb_error *err)
{
    flow *f = self;
    ebb_timeline_history history;
    (void)from;
    EBB_TRY(ebb_timeline_get_history(f->s->timeline, &history, err));
    bool is_old = at.timestamp <= history.oldest;
    ses_origin_add(f->s, f->arena, &(ses_origin_link){.kind = is_old ? SES_ORIGIN_END : SES_ORIGIN_ALLOCATION, .text = f->text,
                                                      .what = is_old ? "was there when history begins" : "made here"}, f->out);
    return EBB_OK;
}

static ebb_status note_move(void *self, ebb_position at, ebb_value_from from, const machine_listed *hit, ebb_error *err)
{
    flow *f = self;
    (void)at, (void)err;
    if (from == EBB_VALUE_NEW) {
        f->moves.n = 0; /* what lay there before was another object */
        f->is_cut = false;
        return EBB_OK;
    }
    f->is_cut = f->is_cut || f->moves.n == MAX_MOVES;
    if (!f->is_cut)
        ebb_vec_push(&f->moves, ((move){{hit->time, hit->place}, hit->thread, hit->object, hit->was}));
    return EBB_OK;
}

/* ---- frames -------------------------------------------------------------------------------------- */

static bool is_over(const activation *a, const move *m)
{
    if (a->thread != m->thread)
        return false;
    return a->frame ? a->frame > m->frame || (a->frame == m->frame && a->method != java_place_method(m->place)) : a->method != java_place_method(m->place);
}

static void drop_ended(flow *f, const move *m)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->calls.n; i++)
        if (!is_over(&f->calls.items[i], m))
            f->calls.items[kept++] = f->calls.items[i];
    f->calls.n = kept;
}

/* The frame that the move happened in; it may be new. */
static activation *find_frame(flow *f, const move *m)
{
    unsigned depth = 1;
    drop_ended(f, m);
    for (size_t i = 0; i < f->calls.n; i++) {
        activation *a = &f->calls.items[i];
        if (a->thread != m->thread)
            continue;
        if (a->frame == m->frame || a->frame == 0) {
            a->frame = m->frame;
            return a;
        }
        depth = a->depth + 1;
    }
    ebb_vec_push(&f->calls, ((activation){m->thread, m->frame, java_place_method(m->place), depth}));
    return &f->calls.items[f->calls.n - 1];
}

static void leave_frame(flow *f, const activation *a)
{
    size_t i = (size_t)(a - f->calls.items);
    memmove(f->calls.items + i, f->calls.items + i + 1, (f->calls.n - i - 1) * sizeof *f->calls.items);
    f->calls.n--;
}

/* ---- words --------------------------------------------------------------------------------------- */

static const char *method_words(flow *f, machine_place place)
{
    return ses_java_method_name(f->s, f->arena, place, false);
}

static const char *member_words(flow *f, const java_effect *e)
{
    ebb_buf words = {0};
    for (const char *at = e->holder ? e->holder : ""; *at; at++)
        ebb_buf_addc(&words, *at == '/' ? '.' : *at);
    ebb_buf_addf(&words, "%s%s", words.n ? "." : "", e->name ? e->name : "?");
    const char *text = ebb_arena_strdup(f->arena, ebb_buf_text(&words));
    ebb_buf_fini(&words);
    return text;
}

static bool enters(const move *m)
{
    return java_place_bci(m->after.place) == 0 && java_place_method(m->after.place) != java_place_method(m->place);
}

static const char *passed_words(flow *f, const move *m, const java_effect *e)
{
    if (enters(m) && ses_java_is_inside_of_lambda(f->s, m->after.place))
        return "given to a lambda or method handle";
    return ebb_arena_printf(f->arena, "passed to %s", enters(m) ? method_words(f, m->after.place) : member_words(f, e));
}

/* Which kind of move it is, and the sentence for it; false: it is none that a person wants to see. */
static bool describe(flow *f, const move *m, const java_effect *e, ses_origin_link *link)
{
    const char *static_ = e->kind == JAVA_EFFECT_STATIC_READ || e->kind == JAVA_EFFECT_STATIC_WRITE ? "static " : "";
    switch (e->kind) {
    case JAVA_EFFECT_CALL:
        link->kind = SES_ORIGIN_PARAMETER;
        link->what = passed_words(f, m, e);
        return true;
    case JAVA_EFFECT_RETURN:
        link->kind = SES_ORIGIN_RETURN;
        link->what = ebb_arena_printf(f->arena, "returned by %s", method_words(f, m->place));
        return true;
    case JAVA_EFFECT_FIELD_READ:
    case JAVA_EFFECT_STATIC_READ:
        link->kind = SES_ORIGIN_FIELD_READ;
        link->what = ebb_arena_printf(f->arena, "read from the %sfield %s", static_, member_words(f, e));
        return true;
    case JAVA_EFFECT_FIELD_WRITE:
    case JAVA_EFFECT_STATIC_WRITE:
        link->kind = SES_ORIGIN_FIELD_WRITE;
        link->what = ebb_arena_printf(f->arena, "written to the %sfield %s", static_, member_words(f, e));
        return true;
    case JAVA_EFFECT_ELEMENT_READ:
        link->kind = SES_ORIGIN_ARRAY_READ;
        link->what = "read from an array";
        return true;
    case JAVA_EFFECT_ELEMENT_WRITE:
        link->kind = SES_ORIGIN_ARRAY_WRITE;
        link->what = "written to an array";
        return true;
    case JAVA_EFFECT_THROW:
        link->kind = SES_ORIGIN_THROW;
        link->what = "thrown";
        return true;
    default: return false;
    }
}

/* OF2 */
bool ses_java_is_inside_of_lambda(session *s, machine_place place)
{
    const java_class *cls = NULL;
    const java_method *method = ses_java_method(s, place, &cls);
    return !method || method->is_hidden;
}

/* A call ends in the method that was called, a return in the caller; the others are told where they begin. */
static ebb_position moment_of(const move *m, java_effect_kind kind)
{
    bool is_passed = kind == JAVA_EFFECT_CALL || kind == JAVA_EFFECT_RETURN || kind == JAVA_EFFECT_THROW;
    ebb_position before = {m->after.timestamp, m->place};
    return !is_passed && ebb_position_compare(before, m->after) < 0 ? before : m->after;
}

void ses_java_link_place(session *s, ebb_arena *arena, machine_place place, ses_origin_link *link)
{
    const java_class *cls = NULL;
    ses_java_line line;
    link->function = ses_java_method_name(s, arena, place, false);
    if (!ses_java_method(s, place, &cls) || !cls || !ses_java_line_at(s, place, &line))
        return;
    link->file = ses_java_source_of(s, cls);
    link->line = line.line;
    const char *text = link->file ? ses_source_text(s, link->file, line.line) : NULL;
    link->source = text ? ebb_arena_strdup(arena, ebb_text_skip_space(text)) : NULL;
}

static void begin_call(flow *f, const move *m, unsigned depth)
{
    ebb_vec_push(&f->calls, ((activation){m->thread, 0, java_place_method(m->after.place), depth}));
}

static unsigned depth_of_thread(const flow *f, machine_tid thread)
{
    unsigned depth = 1;
    for (size_t i = 0; i < f->calls.n; i++)
        if (f->calls.items[i].thread == thread)
            depth = f->calls.items[i].depth + 1;
    return depth;
}

/* OF2: the body of a lambda was called, or what a method handle is of.  The call itself has no line: the link is at what was called. */
static void tell_way_out(flow *f, const move *m)
{
    ses_origin_link link = {.kind = SES_ORIGIN_PARAMETER, .text = "", .to = m->after.place};
    drop_ended(f, m);
    link.depth = depth_of_thread(f, m->thread);
    link.what = ebb_arena_printf(f->arena, "passed to %s by a lambda or method handle", method_words(f, m->after.place));
    ses_java_link_place(f->s, f->arena, m->after.place, &link);
    ses_origin_position(f->s, f->arena, m->after, &link);
    ebb_vec_push(f->out, link);
    begin_call(f, m, link.depth + 1);
}

static ebb_status tell(flow *f, const move *m, ebb_error *err)
{
    java_effect e;
    ses_origin_link link = {.text = ""};
    bool goes_inside = ses_java_is_inside_of_lambda(f->s, m->after.place);
    EBB_TRY(jvm_remote_effect(f->s->machine, f->arena, m->place, &e, err));
    if (ses_java_is_inside_of_lambda(f->s, m->place)) {
        if (e.kind == JAVA_EFFECT_CALL && enters(m) && !goes_inside)
            tell_way_out(f, m);
        return EBB_OK;
    }
    activation *a = find_frame(f, m);
    if (!describe(f, m, &e, &link))
        return EBB_OK;
    link.depth = a->depth;
    ses_java_link_place(f->s, f->arena, m->place, &link);
    ses_origin_position(f->s, f->arena, moment_of(m, e.kind), &link);
    link.to = m->place; /* of a call or return the position is on the other side */
    ebb_vec_push(f->out, link);
    if (e.kind == JAVA_EFFECT_RETURN)
        leave_frame(f, a);
    else if (e.kind == JAVA_EFFECT_CALL && enters(m) && !goes_inside)
        begin_call(f, m, link.depth + 1);
    return EBB_OK;
}

static ebb_status tell_all(flow *f, ebb_error *err)
{
    for (size_t i = 0; i < f->moves.n; i++)
        EBB_TRY(tell(f, &f->moves.items[i], err));
    if (f->is_cut)
        ebb_vec_push(f->out, ((ses_origin_link){.kind = SES_ORIGIN_END, .text = "", .what = "and on, too often to tell: go to a moment before (goto) and ask there"}));
    return EBB_OK;
}

/* ---- which object -------------------------------------------------------------------------------- */

/* The expression may have called methods, in a copy that is given up here.  What was made there has not been anywhere. */
static ebb_status leave_calls(session *s, ebb_status status, const char *expression, const java_value *value, ebb_error *err)
{
    java_class_id in_copy = 0, here = 0;
    bool was_calling = s->java->is_calling, is_object = status == EBB_OK && strchr("L[", value->type->descriptor[0]) && value->ref;
    if (was_calling && is_object)
        status = jvm_remote_class_of(s->machine, value->ref, &in_copy, err);
    ses_java_world_end_calls(s);
    if (was_calling && is_object && status == EBB_OK && (jvm_remote_class_of(s->machine, value->ref, &here, NULL) != EBB_OK || here != in_copy))
        return ebb_fail(err, EBB_BAD_INPUT, "\"%.60s\" makes a new object, which has not travelled: name one that the program has.", expression);
    return status;
}

ebb_status ses_java_flow_object(session *s, ebb_arena *arena, const char *expression, java_ref *object, const char **shown, ebb_error *err)
{
    java_value value;
    java_class_id cls;
    ebb_buf text = {0};
    expr_format format = ses_default_format(s);
    if (!*ebb_text_skip_space(expression))
        return ebb_fail(err, EBB_BAD_INPUT, "flow EXPR: of which object?");
    ebb_status status = ses_java_evaluate_text(s, arena, expression, &value, err);
    EBB_TRY(leave_calls(s, status, expression, &value, err));
    if (!strchr("L[n", value.type->descriptor[0]))
        return ebb_fail(err, EBB_BAD_INPUT, "\"%.60s\" is no object, and only objects travel; where a number comes from, `origin` tells.", expression);
    if (value.ref == 0)
        return ebb_fail(err, EBB_BAD_INPUT, "\"%.60s\" is null, and only objects travel; where the null comes from, `origin` tells.", expression);
    EBB_TRY(jvm_remote_class_of(s->machine, value.ref, &cls, err)); /* a value of the prompt ($1) may be of another moment */
    *shown = expr_java_print_brief(arena, &s->java->world, &format, &value, &text, NULL) == EBB_OK ? ebb_arena_strdup(arena, ebb_buf_text(&text)) : "?";
    ebb_buf_fini(&text);
    *object = value.ref;
    return EBB_OK;
}

ebb_status ses_java_flow_follow(session *s, ebb_arena *arena, const char *expression, ses_origin_links *out, ebb_error *err)
{
    flow f = {.s = s, .arena = arena, .out = out};
    java_ref object = 0;
    EBB_TRY(ses_java_flow_object(s, arena, expression, &object, &f.text, err));
    ebb_data data = {.space = JAVA_SPACE_REFERENCE, .addr = object, .nbytes = sizeof(java_ref), .comes_and_goes = true};
    ebb_value_visitor visitor = {.self = &f, .value = at_birth, .bytes = note_move};
    ebb_status status = ebb_query_values(s->timeline, &data, NULL, &visitor, err);
    ses_visit_stand(s);
    if (status == EBB_OK)
        status = tell_all(&f, err);
    ebb_vec_fini(&f.moves);
    ebb_vec_fini(&f.calls);
    return status;
}
