/* watch.c - see watch.h: what a watchpoint reads, the points that it has for that, and how it is set. */
#include "session/language.h"
#include "session/settings_impl.h"
#include "session/stack.h"
#include "session/watch_state.h"

#include <string.h>

uint64_t ses_watch_time(const session *s)
{
    return machine_can(s->machine, MACHINE_COUNTS_TIME) ? s->machine->ops->timestamp(s->machine) : 0;
}

/* ---- noting reads --------------------------------------------------------------------------- */

void ses_watch_note_read(session *s, uint32_t space, uint64_t addr, size_t nbytes)
{
    if (!s->reads || nbytes == 0)
        return;
    for (size_t i = 0; i < s->reads->ranges.n; i++) {
        ses_watched *r = &s->reads->ranges.items[i];
        if (space == r->space && addr >= r->addr && addr + nbytes <= r->addr + r->nbytes) {
            r->n_reads++;
            return;
        }
    }
    ses_watched range = {.space = space, .addr = addr, .nbytes = nbytes, .n_reads = 1};
    ebb_vec_push(&s->reads->ranges, range);
}

void ses_watch_note_register(session *s)
{
    if (s->reads)
        s->reads->registers = true;
}

ebb_buf *ses_watch_note_local(session *s)
{
    if (!s->reads)
        return NULL;
    s->reads->locals = true;
    return s->reads->which;
}

/* Of all operands, whatever would be evaluated now. */
static ebb_status note_operands(session *s, const char *expression, struct ses_reads *reads)
{
    struct ses_reads *outer = s->reads;
    s->reads = reads;
    ebb_status status = s->language->check_expression(s, expression, NULL);
    s->reads = outer;
    ebb_vec_fini(&reads->ranges);
    return status;
}

bool ses_reads_frame(session *s, const char *expression)
{
    struct ses_reads reads = {0};
    return note_operands(s, expression, &reads) != EBB_OK || reads.locals || reads.registers;
}

char *ses_locals_named(session *s, const char *expression)
{
    ebb_buf which = {0};
    struct ses_reads reads = {.which = &which};
    (void)!note_operands(s, expression, &reads);
    return ebb_buf_take(&which);
}

/* ---- evaluating ----------------------------------------------------------------------------- */

/* A bit-field that was read for itself alone: its neighbours in the same bytes don't count. */
static void note_bits(const session *s, struct ses_reads *reads, const void *value)
{
    for (size_t i = 0; i < reads->ranges.n; i++) {
        ses_watched *r = &reads->ranges.items[i];
        if (r->n_reads == 1)
            r->bits = s->language->value_bits(value, r->addr, r->nbytes);
    }
}

ebb_status ses_watch_evaluate(session *s, const void *target, struct ses_reads *reads, void **value,
                           ebb_error *err)
{
    struct ses_reads *outer = s->reads;
    s->reads = reads;
    ebb_status status = s->language->watch_value(s, target, value, err);
    s->reads = outer;
    if (status == EBB_OK && *value)
        note_bits(s, reads, *value);
    return status;
}

/* Takes `value`; NULL is fine. */
void ses_watch_keep_value(session *s, ses_watch_state *w, void *value)
{
    if (w->value)
        s->language->value_drop(w->value);
    w->value = value;
}

char *ses_watch_value_text(session *s, const void *value)
{
    return value ? s->language->value_text(s, value) : ebb_strdup("<unreadable>");
}

/* ---- points --------------------------------------------------------------------------------- */

static machine_point_kind point_kind(const ses_bp *bp)
{
    switch (bp->view.kind) {
    case SES_BP_RWATCH: return MACHINE_POINT_READ;
    case SES_BP_AWATCH: return MACHINE_POINT_ACCESS;
    default: return bp->watch->every_write ? MACHINE_POINT_STORE : MACHINE_POINT_WRITE;
    }
}

static void clear_point(session *s, machine_point_id *point)
{
    if (*point && s->machine)
        (void)!s->machine->ops->point_clear(s->machine, *point, NULL);
    *point = 0;
}

void ses_watch_clear_points(session *s, ses_watch_state *w)
{
    for (size_t i = 0; i < w->ranges.n; i++)
        clear_point(s, &w->ranges.items[i].point);
    clear_point(s, &w->return_point);
    w->codes.is_told = false; /* they went with the point */
    w->codes.list.n = 0;
}

ebb_status ses_watch_set_points(session *s, ses_bp *bp, ebb_error *err)
{
    ses_watch_state *w = bp->watch;
    bp->view.hardware = !w->reads_registers;
    for (size_t i = 0; i < w->ranges.n && !w->reads_registers; i++) {
        ses_watched *r = &w->ranges.items[i];
        machine_point point = {.kind = point_kind(bp),
                               .space = r->space,
                               .addr = r->addr,
                               .nbytes = r->nbytes,
                               .bits = point_kind(bp) == MACHINE_POINT_WRITE ? r->bits : 0,
                               .without_cpu = !ses_setting_flag(s, "can-use-hw-watchpoints"),
                               .thread = bp->view.thread};
        if (!r->point)
            EBB_TRY(s->machine->ops->point_set(s->machine, &point, &r->point, err));
        bp->view.hardware &= s->machine->ops->point_is_cheap(s->machine, r->point);
    }
    machine_point back = {.kind = MACHINE_POINT_EXEC, .addr = w->return_pc};
    if (w->has_frame && w->return_pc && !w->return_point)
        EBB_TRY(s->machine->ops->point_set(s->machine, &back, &w->return_point, err));
    return EBB_OK;
}

static bool same_ranges(const ses_watched_list *a, const ses_watched_list *b)
{
    if (a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (a->items[i].space != b->items[i].space || a->items[i].addr != b->items[i].addr ||
            a->items[i].nbytes != b->items[i].nbytes || a->items[i].bits != b->items[i].bits)
            return false;
    return true;
}

/* Takes over what an evaluation read; the points move only if it was something else than before.  One that could read nothing (a
 * variable that is out of scope) says nothing of where to look. */
void ses_watch_adopt_reads(session *s, ses_watch_state *w, struct ses_reads *reads)
{
    if (reads->ranges.n == 0 && !reads->registers)
        return;
    w->reads_registers = reads->registers;
    if (same_ranges(&w->ranges, &reads->ranges)) {
        ebb_vec_fini(&reads->ranges);
        return;
    }
    machine_point_id back = w->return_point;
    w->return_point = 0;
    ses_watch_drop_codes(s, w);
    ses_watch_clear_points(s, w);
    w->return_point = back;
    ebb_vec_fini(&w->ranges);
    w->ranges = reads->ranges;
}

/* ---- the frame it is valid in --------------------------------------------------------------- */

/* Selects the watchpoint's frame; false if it is gone. */
bool ses_watch_select_frame(session *s, const ses_watch_state *w)
{
    unsigned level = 0;
    if (w->has_frame && !ses_frame_find(s, w->frame, &level))
        return false;
    s->level = level;
    return true;
}

static void note_frame(session *s, ses_watch_state *w)
{
    w->has_frame = true;
    w->frame = ses_frame_id_at(s, s->level);
    if (!ses_caller_of(s, s->level, &w->return_pc, &w->caller))
        w->return_pc = 0;
}

/* ---- updating ------------------------------------------------------------------------------- */

void ses_watch_look_again(session *s, ses_bp *bp)
{
    ses_watch_state *w = bp->watch;
    unsigned level = s->level;
    if (!ses_watch_select_frame(s, w))
        return;
    struct ses_reads reads = {0};
    void *value = NULL;
    (void)!ses_watch_evaluate(s, w->target, &reads, &value, NULL);
    ses_watch_keep_value(s, w, value);
    ses_watch_adopt_reads(s, w, &reads);
    s->level = level;
}

void ses_watch_update(session *s, ses_bp *bp)
{
    if (!s->machine)
        return;
    ses_watch_drop_codes(s, bp->watch);
    if (!bp->view.enabled) {
        ses_watch_clear_points(s, bp->watch);
        return;
    }
    ses_watch_look_again(s, bp);
    ebb_error why;
    if (ses_watch_set_points(s, bp, &why) != EBB_OK)
        ses_say(s, SES_NOTICE_WARNING, 0, "Could not insert watchpoint %d: %s", bp->view.number,
                why.text);
}

void ses_watch_refresh(session *s)
{
    for (size_t i = 0; i < s->breakpoints.n; i++)
        if (ses_bp_is_watch(s->breakpoints.items[i]) && !s->reads)
            ses_watch_update(s, s->breakpoints.items[i]);
}

bool ses_watch_survives(session *s, ses_bp *bp)
{
    ses_watch_state *w = bp->watch;
    for (size_t i = 0; i < w->ranges.n; i++)
        w->ranges.items[i].point = 0;
    w->return_point = 0;
    w->codes.is_told = false;
    w->codes.list.n = 0;
    ses_condition_scope_keep(s, &w->scope);
    if (s->language->code_comes_later) { /* where it is, and of which type, the next debuggee tells when its code has come */
        ebb_vec_fini(&w->ranges);
        ses_watch_keep_value(s, w, NULL);
    }
    return !w->has_frame && s->language->watch_survives(w->target);
}

bool ses_watch_is_users(const ses_bp *bp)
{
    return !bp->watch->every_write;
}

const void *ses_watch_target(const ses_bp *bp)
{
    return bp->watch->target;
}

bool ses_watch_needs_stepping(const session *s)
{
    for (size_t i = 0; i < s->breakpoints.n; i++) {
        const ses_bp *bp = s->breakpoints.items[i];
        if (ses_bp_is_watch(bp) && bp->view.enabled && bp->watch->reads_registers)
            return true;
    }
    return false;
}

/* ---- setting -------------------------------------------------------------------------------- */

void ses_watch_free(session *s, ses_watch_state *w)
{
    ses_watch_drop_codes(s, w);
    ses_watch_clear_points(s, w);
    ebb_vec_fini(&w->ranges);
    ses_watch_keep_value(s, w, NULL);
    ebb_arena_fini(&w->place.condition_arena);
    s->language->watch_drop(w->target);
    free(w->after);
    ses_condition_scope_fini(&w->scope);
    free(w);
}

/* Nothing was read to get its value: the compiler says what it is, or that it is nowhere. */
static ebb_status fail_constant(session *s, const char *expression, const void *value, ebb_error *err)
{
    char *text = ses_watch_value_text(s, value);
    bool is_nowhere = strcmp(text, "<optimized out>") == 0;
    free(text);
    if (is_nowhere)
        return ebb_fail(err, EBB_BAD_INPUT, "Cannot watch `%s': it is optimized out here.", expression);
    return ebb_fail(err, EBB_BAD_INPUT, "Cannot watch constant value `%s'.", expression);
}

static ebb_status first_look(session *s, ses_bp *bp, ebb_error *err)
{
    ses_watch_state *w = bp->watch;
    struct ses_reads reads = {0};
    void *value = NULL;
    ebb_error why;
    ebb_status status = ses_watch_evaluate(s, w->target, &reads, &value, &why);
    ses_watch_keep_value(s, w, value);
    bool unreadable = status == EBB_NO_MEMORY_AT; /* a null pointer on the way may change */
    if (status != EBB_OK && !unreadable)
        status = ebb_fail(err, status, "%s", why.text);
    else if (reads.ranges.n == 0 && !reads.registers)
        status = fail_constant(s, bp->view.where, w->value, err);
    else
        status = EBB_OK;
    bool locals = reads.locals;
    ses_watch_adopt_reads(s, w, &reads);
    if (status == EBB_OK && locals)
        note_frame(s, w);
    return status;
}

/* Before there is a machine to ask: its debug registers watch four aligned words. */
static bool will_be_cheap(const ses_watch_state *w)
{
    enum { N_WORDS = 4, WORD = 8 };
    size_t n_words = 0;
    for (size_t i = 0; i < w->ranges.n; i++) {
        const ses_watched *r = &w->ranges.items[i];
        n_words += (r->addr % WORD + r->nbytes + WORD - 1) / WORD;
    }
    return !w->reads_registers && n_words <= N_WORDS;
}

static ebb_status arm(session *s, ses_bp *bp, ebb_error *err)
{
    EBB_TRY(first_look(s, bp, err));
    bp->watch->seen = s->machine ? ses_watch_time(s) : 0;
    bp->view.hardware = will_be_cheap(bp->watch) && ses_setting_flag(s, "can-use-hw-watchpoints");
    if (!s->machine)
        return EBB_OK;
    EBB_TRY(ses_watch_set_points(s, bp, err));
    if (bp->view.kind != SES_BP_WATCH && bp->watch->reads_registers)
        return ebb_fail(err, EBB_UNSUPPORTED,
                        "Expression cannot be implemented with read/access watchpoint.");
    return EBB_OK;
}

ebb_status ses_watch_check_condition(session *s, ses_bp *bp, const char *condition, ebb_error *err)
{
    ses_watch_state *w = bp->watch;
    ebb_status status = EBB_OK;
    if (condition && !s->language->watch_is_of_all(w->target))
        status = ses_condition_scope_note(s, &w->scope, condition, err);
    else
        ses_condition_scope_fini(&w->scope);
    if (status != EBB_OK)
        return status;
    ebb_arena_fini(&w->place.condition_arena);
    w->place.condition = NULL; /* of the one before */
    return EBB_OK;
}

ebb_status ses_watch(session *s, const ses_watch_request *request, int *number, ebb_error *err)
{
    void *target;
    const char *expression = ebb_text_skip_space(request->expression), *condition = request->condition;
    if (*expression == '\0')
        return ebb_fail(err, EBB_BAD_INPUT, "Argument required (expression to watch).");
    EBB_TRY(s->language->watch_aim(s, expression, request->location, &target, err));
    char *shown = request->location ? ebb_asprintf("-location %s", expression) : ebb_strdup(expression);
    ses_bp *bp = ses_bp_new(s, request->kind, shown);
    free(shown);
    bp->watch = EBB_NEW(ses_watch_state);
    bp->watch->target = target;
    bp->watch->every_write = request->every_write;
    bp->view.condition = condition ? ebb_strdup(condition) : NULL;
    ebb_status status = ses_watch_check_condition(s, bp, condition, err);
    if (status == EBB_OK)
        status = arm(s, bp, err);
    if (status != EBB_OK) {
        ses_bp_free(s, bp);
        return status;
    }
    for (size_t i = 0; i < s->breakpoints.n; i++) /* they are not alone any more (ses_watch_may_have_code), and what they saw last may be old */
        if (ses_bp_is_watch(s->breakpoints.items[i]) && s->breakpoints.items[i]->watch->codes.is_told)
            ses_watch_update(s, s->breakpoints.items[i]);
    ses_bp_enlist(s, bp);
    *number = bp->view.number;
    return EBB_OK;
}

ebb_status ses_can_watch(session *s, const char *expression, ebb_error *err)
{
    struct ses_reads reads = {0};
    void *target, *value = NULL;
    EBB_TRY(s->language->watch_aim(s, expression, false, &target, err));
    ebb_status status = ses_watch_evaluate(s, target, &reads, &value, err);
    if (status == EBB_NO_MEMORY_AT)
        status = EBB_OK; /* as in first_look */
    else if (status == EBB_OK && reads.ranges.n == 0 && !reads.registers)
        status = fail_constant(s, expression, value, err);
    if (value)
        s->language->value_drop(value);
    s->language->watch_drop(target);
    ebb_vec_fini(&reads.ranges);
    return status;
}

ebb_status ses_watch_data(session *s, const char *expression, void **target, ebb_data *data, bool *is_local, ebb_error *err)
{
    struct ses_reads reads = {0};
    void *value = NULL;
    *target = NULL;
    if (*expression == '\0')
        return ebb_fail(err, EBB_BAD_INPUT, "Argument required (an expression that has a place).");
    EBB_TRY(s->language->watch_aim(s, expression, true, target, err));
    ebb_status status = ses_watch_evaluate(s, *target, &reads, &value, err);
    if (value)
        s->language->value_drop(value);
    if (status == EBB_OK && (reads.ranges.n == 0 || reads.registers))
        status = ebb_fail(err, EBB_BAD_INPUT, "\"%.80s\" has no place in memory.", expression);
    if (status == EBB_OK) { /* what was read last is the thing itself; before it, the way to it */
        const ses_watched *r = &reads.ranges.items[reads.ranges.n - 1];
        bool comes_and_goes = reads.locals && machine_can(s->machine, MACHINE_KNOWS_FRAMES);
        *data = (ebb_data){.space = r->space, .addr = r->addr, .nbytes = r->nbytes, .bits = r->bits, .comes_and_goes = comes_and_goes};
        *is_local = reads.locals;
    }
    ebb_vec_fini(&reads.ranges);
    return status;
}
