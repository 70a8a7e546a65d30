/* queries.c - questions about the past, asked of time/queries.h in the words of the program; see time.h. */
#include "base/text.h"
#include "expr/tree.h"
#include "session/back/back.h"
#include "session/counted.h"
#include "session/edits.h"
#include "session/language.h"
#include "session/position.h"
#include "session/travel.h"
#include "session/stack.h"
#include "session/threads.h"
#include "session/time.h"
#include "machine/native.h"
#include "session/watch.h"
#include "time/queries.h"

#include <string.h>

/* ---- the place of an expression ----------------------------------------------------------------- */

/* What is asked about; the language reads it at any moment. */
typedef struct subject {
    session *s;
    const char *expression;
    void *target; /* the language's */
    ebb_data data;
    machine_tid thread; /* it is something of a frame of this thread; 0: it isn't */
    ses_frame_id frame;
    char *written; /* what the write that was looked at last left there; owned */
} subject;

static bool stack_pointer(session *s, uint64_t *sp)
{
    int reg = machine_reg_by_name(s->machine, "rsp");
    return reg >= 0 && s->machine->native && s->machine->native->reg_read(s->machine, s->thread, (unsigned)reg, sp, NULL) == EBB_OK;
}

/* Whatever lies on the selected thread's stack belongs to the innermost frame whose end is after it. */
static bool find_frame_of(subject *q)
{
    enum { RED_ZONE = 128 };
    session *s = q->s;
    uint64_t sp;
    const ses_frame *frame;
    if (!stack_pointer(s, &sp) || q->data.addr < sp - RED_ZONE)
        return false;
    for (unsigned level = 0; ses_frame_get(s, level, &frame, NULL) == EBB_OK; level++) {
        q->frame = ses_frame_id_at(s, level);
        if (q->frame.cfa > q->data.addr) {
            q->thread = s->thread;
            return true;
        }
    }
    return false;
}

/* A frame begins where its function does; its identity says which of them (AV1).  Without such a point other frames' variables in the same
 * place are told apart one by one (is_it). */
static void set_birth_point(subject *q)
{
    session *s = q->s;
    machine_code code[SES_FRAME_CODE];
    ses_frame_id frame = ses_frame_physical_id(q->frame);
    machine_point point = {.kind = MACHINE_POINT_EXEC, .addr = frame.entry, .thread = q->thread};
    machine_point_id id;
    size_t n = frame.entry ? s->language->frame_code(s, frame.cfa, frame.entry, code) : 0;
    if (n == 0 || !s->machine->ops->point_condition || s->machine->ops->point_set(s->machine, &point, &id, NULL) != EBB_OK)
        return;
    if (s->machine->ops->point_condition(s->machine, id, code, n, NULL) == EBB_OK)
        q->data.born_at = id;
    else
        (void)!s->machine->ops->point_clear(s->machine, id, NULL);
}

static ebb_status subject_aim(subject *q, ebb_error *err)
{
    session *s = q->s;
    bool is_local;
    EBB_TRY(ses_watch_data(s, q->expression, &q->target, &q->data, &is_local, err));
    q->thread = is_local ? s->thread : 0;
    q->frame = ses_frame_id_at(s, s->level);
    if (!machine_can(s->machine, MACHINE_KNOWS_FRAMES) && find_frame_of(q))
        set_birth_point(q);
    return EBB_OK;
}

/* A program that remembers can be asked without a history. */
static ebb_status subject_init(subject *q, session *s, const char *expression, bool needs_history, ebb_error *err)
{
    *q = (subject){.s = s, .expression = ebb_text_skip_space(expression)};
    EBB_TRY(ses_need_debuggee(s, err));
    if (needs_history)
        EBB_TRY(ses_need_history(s, err));
    return subject_aim(q, err);
}

static void subject_fini(subject *q)
{
    if (q->target)
        q->s->language->watch_drop(q->target);
    if (q->data.born_at && q->s->machine)
        (void)!q->s->machine->ops->point_clear(q->s->machine, q->data.born_at, NULL);
    free(q->written);
}

static void look(session *s)
{
    machine_stop at = {.kind = MACHINE_STOP_POSITION, .thread = ebb_timeline_get_thread(s->timeline)};
    ses_moved(s, &at);
}

/* Makes the frame that it belongs to the selection; false: that isn't there at this moment. */
static bool select_frame(subject *q)
{
    unsigned level;
    if (q->thread == 0)
        return true;
    if (!ses_thread_exists(q->s, q->thread))
        return false;
    ses_select(q->s, q->thread, 0);
    if (!ses_frame_find(q->s, q->frame, &level))
        return false;
    ses_select(q->s, q->thread, level);
    return true;
}

/* Who runs besides doesn't matter to a field or a static, and there may be thousands of writes to look at. */
static void look_at_value(subject *q)
{
    machine_stop at = {.kind = MACHINE_STOP_POSITION, .thread = ebb_timeline_get_thread(q->s->timeline)};
    if (q->thread || ses_is_after_end(q->s))
        ses_moved(q->s, &at);
    else
        ses_look_in_passing(q->s, &at);
}

/* Printed; NULL if it isn't there at this moment.  Caller frees. */
static char *value_now(subject *q)
{
    void *value = NULL;
    look_at_value(q);
    if (!select_frame(q))
        return NULL;
    if (q->s->language->watch_value(q->s, q->target, &value, NULL) != EBB_OK || !value)
        return NULL;
    char *text = q->s->language->value_text(q->s, value);
    q->s->language->value_drop(value);
    return text;
}

/* An object that isn't there yet can't be read: what was in its place then is something else. */
static ebb_status is_it(void *self, bool *is, ebb_error *err)
{
    subject *q = self;
    free(q->written);
    q->written = value_now(q);
    *is = q->written != NULL;
    return EBB_OK;
}

/* Printed right after the write: later, an object that is the value may have other contents. */
static ebb_status is_write(void *self, bool *is, ebb_error *err)
{
    subject *q = self;
    char *text = value_now(q);
    *is = text != NULL;
    if (text) {
        free(q->written);
        q->written = text;
    }
    return EBB_OK;
}

/* After the program's end there is nothing to read: its last moment is the one that is asked at. */
static ebb_status leave_end(session *s, bool *left, ebb_error *err)
{
    machine_stop at;
    *left = ses_is_after_end(s);
    if (!*left)
        return EBB_OK;
    ses_travel_begin(s);
    ebb_status status = ses_instruction_before(s, &at, err);
    ses_travel_end(s);
    if (status == EBB_OK)
        ses_moved(s, &at);
    return status;
}

static void return_to_end(session *s)
{
    machine_stop at;
    if (ebb_timeline_seek_end(s->timeline, &at, NULL) == EBB_OK)
        ses_moved(s, &at);
}

static void end(session *s)
{
    ses_travel_end(s);
    look(s);
}

/* After a query that failed, or stays where it was: so does the selection. */
static void stay(session *s, machine_tid thread, unsigned level)
{
    if (ses_thread_exists(s, thread))
        ses_select(s, thread, level);
}

/* The user set it at this stop: nothing has to be looked for. */
static void tell_edit(subject *q, const char *before, ses_stop *stop)
{
    session *s = q->s;
    machine_stop at = {.kind = MACHINE_STOP_POSITION, .thread = ebb_timeline_get_thread(s->timeline)};
    ses_settle_at(s, &at, SES_STOP_WATCHPOINT, stop);
    stop->watch_text = ebb_strdup(q->expression);
    stop->old_value = ebb_strdup(before);
    stop->new_value = value_now(q);
    s->last_stop = *stop; /* which owns the texts */
}

/* ---- last-write --------------------------------------------------------------------------------- */

ebb_status ses_last_write(session *s, const char *expression, ses_stop *stop, ebb_error *err)
{
    if (ses_is_counted(s))
        return ses_counted_last_write(s, expression, stop, err);
    subject q;
    machine_stop at;
    bool was_at_end;
    EBB_TRY(leave_end(s, &was_at_end, err));
    machine_tid thread = s->thread;
    unsigned level = s->level;
    ebb_status status = subject_init(&q, s, expression, true, err);
    const char *before_edit = status == EBB_OK ? ses_edit_before(s, &q.data) : NULL;
    if (before_edit) {
        tell_edit(&q, before_edit, stop);
    } else if (status == EBB_OK) {
        ses_travel_begin(s);
        status = ebb_query_last_write(s->timeline, &q.data, &(ebb_data_filter){&q, is_write}, &at, err);
        end(s);
        if (status == EBB_OK) {
            ses_settle_at(s, &at, SES_STOP_WATCHPOINT, stop);
            stop->watch_text = ebb_strdup(q.expression);
            stop->old_value = value_now(&q); /* before the write, and by it */
            stop->new_value = q.written;
            q.written = NULL;
            s->last_stop = *stop; /* which owns the texts */
        } else
            stay(s, thread, level);
    }
    subject_fini(&q);
    if (was_at_end && status != EBB_OK)
        return_to_end(s);
    return status;
}

/* ---- values ------------------------------------------------------------------------------------- */

typedef struct collection {
    subject *q;
    ebb_arena *arena;
    ses_past_values *out;
    bool is_told, is_reference; /* is_told_by_bytes */
    machine_place place; /* named last: */
    ebb_buf words;       /* so; mostly the same place writes again */
} collection;

static const char *position_words(collection *c, ebb_position at)
{
    char digits[EBB_U64_DIGITS], *end = digits + sizeof digits, *first = ebb_text_of_u64(at.timestamp, end);
    size_t n = (size_t)(end - first);
    if (c->words.n == 0 || c->place != at.place) {
        ebb_buf_truncate(&c->words, 0);
        c->q->s->language->place_words(c->q->s, at.place, false, &c->words);
        c->place = at.place;
    }
    char *text = ebb_arena_alloc(c->arena, n + 1 + c->words.n + 1);
    memcpy(text, first, n);
    text[n] = '@';
    memcpy(text + n + 1, ebb_buf_text(&c->words), c->words.n + 1);
    return text;
}

/* Takes the text. */
static void add(collection *c, ebb_position at, ebb_value_from from, char *text)
{
    if (from == EBB_VALUE_NEW)
        c->out->n = 0;
    if (from == EBB_VALUE_NEW && !text)
        return; /* a variable that has no value yet */
    ses_past_value value = {
        .value = text ? ebb_arena_strdup(c->arena, text) : "<unreadable>",
        .position = position_words(c, at),
        .is_first = from == EBB_VALUE_OLDEST,
        .is_new = from == EBB_VALUE_NEW,
        .is_static = from == EBB_VALUE_NEW && c->q->s->language->watch_is_static(c->q->target),
        .is_argument = from == EBB_VALUE_NEW && c->q->thread,
    };
    free(text);
    ebb_vec_push(c->out, value);
}

static ebb_status collect(void *self, ebb_position at, ebb_value_from from, ebb_error *err)
{
    collection *c = self;
    char *text = c->q->written ? c->q->written : value_now(c->q); /* is_it has just looked, mostly */
    c->q->written = NULL;
    add(c, at, from, text);
    return EBB_OK;
}

static ebb_status collect_bytes(void *self, ebb_position at, ebb_value_from from, const machine_listed *hit, ebb_error *err)
{
    collection *c = self;
    char *text = NULL;
    if (hit->has_is)
        EBB_TRY(c->q->s->language->watch_text(c->q->s, c->q->target, hit, &text, err));
    if (text || !hit->has_is || from == EBB_VALUE_NEW) /* else another variable was in its place then */
        add(c, at, from, text);
    return EBB_OK;
}

/* Whether what the machine lists tells its values: then nothing else may be in its place meanwhile. */
static bool is_told_by_bytes(subject *q, bool *is_reference)
{
    if (q->thread && !q->data.born_at && !q->data.comes_and_goes)
        return false;
    return q->s->language->watch_is_told(q->s, q->target, is_reference);
}

static ebb_status collect_remembered(collection *c, const ses_remembered_value *one, ebb_error *err)
{
    ebb_position at = {one->hit.time, one->hit.place};
    ebb_value_from from = one->hit.is_new ? EBB_VALUE_NEW : EBB_VALUE_WRITTEN;
    if (one->text)
        add(c, at, from, ebb_strdup(one->text));
    else
        EBB_TRY(collect_bytes(c, at, from, &one->hit, err));
    if (c->out->n > 0)
        c->out->items[c->out->n - 1].is_oldest = one->is_oldest;
    return EBB_OK;
}

/* What the program itself remembers of the place, if that is all of it, or there is nothing else: nothing is replayed. */
static ebb_status recall(collection *c, bool *is_known, ebb_error *err)
{
    session *s = c->q->s;
    ses_remembered_values all = {0};
    bool is_asked = !ses_edit_before(s, &c->q->data) && c->is_told;
    ebb_status status = is_asked ? s->language->values_remembered(s, c->arena, c->q->expression, &all, err) : EBB_OK;
    for (size_t i = 0; i < all.n && status == EBB_OK; i++)
        status = collect_remembered(c, &all.items[i], err);
    *is_known = all.n > 0;
    ebb_vec_fini(&all);
    return status;
}

static ebb_status replay_values(collection *c, ebb_error *err)
{
    session *s = c->q->s;
    ebb_position now;
    ebb_value_visitor visitor = {.self = c, .value = collect, .bytes = c->is_told ? collect_bytes : NULL, .is_reference = c->is_reference};
    EBB_TRY(ses_need_history(s, err));
    ses_travel_begin(s);
    ebb_status status = ebb_query_values(s->timeline, &c->q->data, &(ebb_data_filter){c->q, is_it}, &visitor, err);
    end(s);
    if (status == EBB_OK && ses_edit_before(s, &c->q->data) && ebb_timeline_now(s->timeline, 0, &now, NULL) == EBB_OK)
        add(c, now, EBB_VALUE_WRITTEN, value_now(c->q));
    return status;
}

ebb_status ses_values(session *s, ebb_arena *arena, const char *expression, ses_past_values *out, ebb_error *err)
{
    if (ses_is_counted(s))
        return ses_counted_values(s, arena, expression, out, err);
    subject q;
    bool was_at_end;
    EBB_TRY(leave_end(s, &was_at_end, err));
    machine_tid thread = s->thread;
    unsigned level = s->level;
    ebb_status status = subject_init(&q, s, expression, false, err);
    if (status == EBB_OK) {
        collection c = {.q = &q, .arena = arena, .out = out};
        bool is_known;
        c.is_told = is_told_by_bytes(&q, &c.is_reference);
        status = recall(&c, &is_known, err);
        if (status == EBB_OK && !is_known)
            status = replay_values(&c, err);
        stay(s, thread, level);
        ebb_buf_fini(&c.words);
    }
    subject_fini(&q);
    if (was_at_end)
        return_to_end(s);
    return status;
}

/* ---- bisect ------------------------------------------------------------------------------------- */

/* It is asked in one frame: that of the selection.  Where the machine knows frames, what it reads of no frame is asked everywhere, and else it
 * is asked at every moment of that activation; where it doesn't, only while that frame itself runs.  So is what calls something: that is an
 * invariant, which doesn't have to hold while what the frame called is at work. */
typedef struct question {
    session *s;
    const char *condition;
    machine_tid thread;
    ses_frame_id frame; /* none: in whatever frame is the innermost */
    struct ses_scope scope; /* ... where its names mean this */
    bool passes_calls; /* it is asked only while the frame itself runs */
    bool has_from;
    ebb_position from; /* before the activation */
    bool was_asked; /* it made sense now, so whether it does elsewhere is no question of spelling */
} question;

/* Makes the question's frame the selection; false if it isn't there at this moment. */
static bool find_frame(question *q, unsigned *level)
{
    session *s = q->s;
    look(s);
    *level = 0;
    if (q->frame.cfa == 0)
        return true;
    if (s->thread != q->thread)
        ses_select(s, q->thread, 0);
    bool found = ses_frame_find(s, q->frame, level);
    if (found)
        ses_select(s, q->thread, *level);
    return found;
}

/* Forward to where the frame goes on, if it has called something. */
static ebb_status return_to_frame(question *q, machine_place where, ebb_error *err)
{
    session *s = q->s;
    machine_request request = {.move = MACHINE_RUN, .thread = q->thread};
    machine_point point = {.kind = MACHINE_POINT_EXEC, .addr = where, .thread = q->thread};
    machine_point_id id;
    machine_stop at;
    unsigned level;
    EBB_TRY(s->machine->ops->point_set(s->machine, &point, &id, err));
    ebb_status status;
    do
        status = ebb_timeline_run(s->timeline, &request, &at, err);
    while (status == EBB_OK && at.kind == MACHINE_STOP_POINT && find_frame(q, &level) && level > 0);
    if (s->machine)
        (void)!s->machine->ops->point_clear(s->machine, id, NULL);
    if (status == EBB_OK && at.kind == MACHINE_STOP_INTERRUPTED)
        return ebb_fail(err, EBB_INTERRUPTED, "interrupted");
    return status;
}

static ebb_status arrive(void *self, ebb_error *err)
{
    question *q = self;
    unsigned level;
    uint64_t where;
    ses_frame_id caller;
    if (!find_frame(q, &level) || level == 0 || !ses_caller_of(q->s, level - 1, &where, &caller))
        return EBB_OK;
    return return_to_frame(q, where, err);
}

/* By the rules of conditions: in Java, a number is none. */
static ebb_status test(question *q, bool *result, ebb_error *err)
{
    ebb_arena arena = {0};
    const expr_node *tree;
    struct ses_scope outer = q->s->scope;
    if (q->scope.is_set)
        q->s->scope = q->scope;
    ebb_status status = q->s->language->parse(q->s, &arena, q->condition, &tree, err);
    if (status == EBB_OK)
        status = q->s->language->truth(q->s, tree, result, err);
    q->s->scope = outer;
    ebb_arena_fini(&arena);
    return status;
}

static ebb_status holds(void *self, bool *result, ebb_error *err)
{
    question *q = self;
    ebb_error why;
    unsigned level;
    *result = true;
    if (!find_frame(q, &level))
        return EBB_OK;
    ebb_status status = test(q, result, &why);
    if (status != EBB_OK && !q->was_asked)
        return ebb_fail(err, status, "%s", why.text);
    q->was_asked = true;
    if (status != EBB_OK)
        *result = true;
    return EBB_OK;
}

/* Its frame's number is given to the next one in the same place (AV1): what is looked for is after the call that made it. */
static ebb_status find_activation(question *q, const ses_frame *frame, ebb_error *err)
{
    session *s = q->s;
    ses_activation who;
    ses_found found;
    ebb_position now;
    machine_stop at;
    if (!ses_activation_at(s, s->thread, frame->depth, &who) || !who.has_caller)
        return EBB_OK;
    EBB_TRY(ses_now(s, &now, err));
    EBB_TRY(ses_call_before(s, &who, (ses_users){.own_only = true}, &found, err));
    bool is_interrupted = found.search.at.kind == MACHINE_STOP_INTERRUPTED;
    q->has_from = found.kind == SES_FOUND_CALL && ses_now(s, &q->from, NULL) == EBB_OK;
    ses_search_fini(s, &found.search);
    ebb_timeline_forget_interrupts(s->timeline);
    EBB_TRY(ses_seek(s, now, &at, err));
    ses_moved(s, &at);
    return is_interrupted ? ebb_fail(err, EBB_INTERRUPTED, "interrupted") : EBB_OK;
}

/* TE2 */
static bool has_call(const expr_node *node)
{
    for (; node; node = node->left) {
        if (node->kind == EXPR_NODE_CALL || has_call(node->right) || has_call(node->third))
            return true;
        for (size_t i = 0; i < node->n_args; i++)
            if (has_call(node->args[i]))
                return true;
    }
    return false;
}

static bool calls_something(session *s, const char *condition)
{
    ebb_arena arena = {0};
    const expr_node *tree;
    bool calls = s->language->parse(s, &arena, condition, &tree, NULL) == EBB_OK && has_call(tree);
    ebb_arena_fini(&arena);
    return calls;
}

static ebb_status aim(question *q, ebb_error *err)
{
    session *s = q->s;
    const ses_frame *frame;
    q->frame = ses_frame_physical_id(ses_frame_id_at(s, s->level));
    bool knows_frames = machine_can(s->machine, MACHINE_KNOWS_FRAMES);
    q->passes_calls = !knows_frames || calls_something(s, q->condition);
    if (!knows_frames || ses_frame_selected(s, &frame, NULL) != EBB_OK)
        return EBB_OK;
    bool result;
    EBB_TRY(test(q, &result, err)); /* that it makes no sense is told before anything moves */
    if (q->passes_calls || ses_reads_frame(s, q->condition))
        return find_activation(q, frame, err);
    q->scope = (struct ses_scope){.is_set = true, .has_no_frame = true, .pc = frame->pc};
    q->frame = (ses_frame_id){0};
    return EBB_OK;
}

ebb_status ses_bisect(session *s, const char *condition, ses_stop *stop, ebb_error *err)
{
    if (ses_is_counted(s))
        return ses_counted_bisect(s, condition, stop, err);
    question q = {.s = s, .condition = ebb_text_skip_space(condition), .thread = s->thread};
    machine_stop at;
    EBB_TRY(ses_need_history(s, err));
    unsigned level = s->level;
    ses_travel_begin(s);
    ebb_status status = aim(&q, err);
    ebb_condition asked = {.self = &q, .holds = holds, .arrive = q.passes_calls ? arrive : NULL, .from = q.has_from ? &q.from : NULL};
    if (status == EBB_OK)
        status = ebb_query_bisect(s->timeline, &asked, &at, err);
    end(s);
    if (status == EBB_OK)
        ses_settle_at(s, &at, SES_STOP_POSITION, stop);
    else
        stay(s, q.thread, level);
    return status;
}

/* ---- what was printed --------------------------------------------------------------------------- */

ebb_status ses_printed_by_now(session *s, ebb_buf *newest, uint64_t *total, ebb_error *err)
{
    bool was_at_end = false;
    if (!ses_is_after_end(s))
        EBB_TRY(ses_need_debuggee(s, err));
    EBB_TRY(leave_end(s, &was_at_end, err));
    ebb_status status = s->language->printed_by_now(s, newest, total, err);
    if (was_at_end)
        return_to_end(s);
    return status;
}
