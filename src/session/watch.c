/* watch.c - see watch.h. */
#include "session/watch.h"
#include "session/condition.h"
#include "session/condition_scope.h"
#include "session/hits.h"
#include "session/language.h"
#include "session/points.h"
#include "session/settings_impl.h"
#include "session/stack.h"

#include "machine/code_check.h"

#include <string.h>

typedef struct watched_range {
    uint32_t space;
    uint64_t addr;
    size_t nbytes;
    unsigned n_reads;       /* in one evaluation */
    uint64_t bits;          /* machine_point.bits */
    machine_point_id point; /* 0: not in the machine */
} watched_range;

typedef EBB_VEC(watched_range) watched_ranges;

/* The condition as code (condition.h).  It is tested wherever the data was touched, so it is made anew for each place at which the
 * session tested it; at all others the session does. */
struct ses_watch_codes {
    bool is_told; /* the machine has them, and asks the session at all other places */
    ebb_arena arena;
    EBB_VEC(struct ses_watch_code {
        machine_place at;
        ses_code code;
    }) list;
};

/* What one evaluation read. */
struct ses_reads {
    watched_ranges ranges;
    bool registers, locals;
    ebb_buf *which; /* the locals, as their language tells them apart; NULL: nobody asks */
};

struct ses_watch_state {
    void *target; /* the language's: what is looked at */
    watched_ranges ranges;
    bool reads_registers; /* every instruction has to be looked at */
    bool every_write;     /* ses_watch_request */
    bool has_frame;       /* WA1: */
    ses_frame_id frame;   /*   the one it was set in */
    uint64_t return_pc;   /*   where that one returns to; 0 if it doesn't */
    ses_frame_id caller;
    machine_point_id return_point;
    uint64_t seen;      /* WA3: the timestamp at which it was set, */
    uint64_t born;      /*   and at which its object was made; 0: not known */
    void *value;        /* the last one seen, kept; NULL if it could not be read */
    char *after;        /* going back, where others were passed by: what the write left there; NULL: `value` is that */
    bool is_passed_by;  /* WA4: hits were ignored by the machine: `value` is older than the last change */
    ses_bp_place place; /* for the condition */
    bool is_elsewhere;  /* going back, where it was judged to stop last: its place is another one before, so whoever passes it has to aim anew */
    ses_condition_scope scope; /* of the condition */
    struct ses_watch_codes codes;
};

static uint64_t time_of(const session *s)
{
    return machine_can(s->machine, MACHINE_COUNTS_TIME) ? s->machine->ops->timestamp(s->machine) : 0;
}

/* ---- noting reads --------------------------------------------------------------------------- */

void ses_watch_note_read(session *s, uint32_t space, uint64_t addr, size_t nbytes)
{
    if (!s->reads || nbytes == 0)
        return;
    for (size_t i = 0; i < s->reads->ranges.n; i++) {
        watched_range *r = &s->reads->ranges.items[i];
        if (space == r->space && addr >= r->addr && addr + nbytes <= r->addr + r->nbytes) {
            r->n_reads++;
            return;
        }
    }
    watched_range range = {.space = space, .addr = addr, .nbytes = nbytes, .n_reads = 1};
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
        watched_range *r = &reads->ranges.items[i];
        if (r->n_reads == 1)
            r->bits = s->language->value_bits(value, r->addr, r->nbytes);
    }
}

static ebb_status evaluate(session *s, const void *target, struct ses_reads *reads, void **value,
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
static void keep_value(session *s, ses_watch_state *w, void *value)
{
    if (w->value)
        s->language->value_drop(w->value);
    w->value = value;
}

static char *value_text(session *s, const void *value)
{
    return value ? s->language->value_text(s, value) : ebb_strdup("<unreadable>");
}

/* ---- the condition as code ------------------------------------------------------------------ */

typedef EBB_VEC(machine_code) code_steps;

static void add_step(code_steps *steps, machine_code_op op, uint64_t operand)
{
    ebb_vec_push(steps, ((machine_code){.op = op, .operand = (int64_t)operand}));
}

/* Jumps count from the beginning of their own code. */
static void add_code(code_steps *steps, const struct ses_watch_code *from)
{
    add_step(steps, MACHINE_CODE_IS_AT, from->at);
    size_t first = steps->n + 1;
    add_step(steps, MACHINE_CODE_UNLESS, first + from->code.n + 1);
    for (size_t i = 0; i < from->code.n; i++) {
        machine_code step = from->code.steps[i];
        step.operand += machine_code_jumps(step.op) ? (int64_t)first : 0;
        ebb_vec_push(steps, step);
    }
}

/* What was read last is the thing itself; before it, the way to it, which the session looks at whenever it changes. */
static machine_point_id *coded_point(const ses_watch_state *w)
{
    return &w->ranges.items[w->ranges.n - 1].point;
}

/* Whichever is for the place; no answer where none is. */
static void tell_codes(session *s, ses_watch_state *w)
{
    code_steps steps = {0};
    for (size_t i = 0; i < w->codes.list.n; i++) {
        add_code(&steps, &w->codes.list.items[i]);
        add_step(&steps, MACHINE_CODE_JUMP, 0);
    }
    add_step(&steps, MACHINE_CODE_PUSH, 0);
    add_step(&steps, MACHINE_CODE_NEED, 0);
    for (size_t i = 0; i < steps.n; i++)
        if (steps.items[i].op == MACHINE_CODE_JUMP && steps.items[i].operand == 0)
            steps.items[i].operand = (int64_t)steps.n;
    w->codes.is_told = s->machine->ops->point_condition(s->machine, *coded_point(w), steps.items, steps.n, NULL) == EBB_OK;
    if (!w->codes.is_told)
        w->codes.list.n = 0;
    ebb_vec_fini(&steps);
}

static void drop_codes(session *s, ses_watch_state *w)
{
    bool is_told = w->codes.is_told && w->ranges.n > 0 && *coded_point(w) && s->machine;
    if (is_told)
        (void)!s->machine->ops->point_condition(s->machine, *coded_point(w), NULL, 0, NULL);
    w->codes.is_told = false;
    ebb_vec_fini(&w->codes.list);
    ebb_arena_fini(&w->codes.arena);
}

/* Native code: what each point was before is told. */
static bool may_have_native_code(const ses_bp *bp, const session *s)
{
    const ses_watch_state *w = bp->watch;
    if (bp->view.kind == SES_BP_AWATCH || w->ranges.n == 0 || !w->value)
        return false;
    const watched_range *r = &w->ranges.items[w->ranges.n - 1];
    return r->nbytes <= sizeof(uint64_t) && s->language->value_is_at(w->value, r->space, r->addr, r->nbytes);
}

static bool machine_tests_data(const session *s)
{
    return s->machine->native ? s->machine->native->point_was != NULL : s->machine->ops->points_ignore != NULL;
}

/* WA4: of Java, what was there before is told for one point in a stop. */
static bool may_have_code(const session *s, const ses_bp *bp)
{
    unsigned n_watches = 0;
    for (size_t i = 0; i < s->breakpoints.n; i++)
        n_watches += ses_bp_is_watch(s->breakpoints.items[i]);
    if (!bp->view.condition || !machine_tests_data(s))
        return false;
    return s->machine->native ? may_have_native_code(bp, s) : n_watches == 1 && bp->watch->ranges.n == 1;
}

/* Without the CPU's registers a native program is slower everywhere: that has to be worth it. */
static bool is_worth_code(const session *s, ses_watch_state *w)
{
    enum { MANY = 8 };
    w->place.n_slow_hits++;
    return !s->machine->native || w->codes.is_told || w->place.n_slow_hits >= MANY;
}

bool ses_watch_is_countable(const session *s, const ses_bp *bp)
{
    enum { MANY = 8 }; /* as above */
    const ses_watch_state *w = bp->watch;
    bool is_tested = !bp->view.condition || w->codes.is_told;
    return s->machine->native && bp->view.enabled && !bp->view.thread && bp->view.ignore >= MANY && is_tested && !w->reads_registers && w->ranges.n == 1 &&
           w->ranges.items[0].point && may_have_native_code(bp, s);
}

machine_point_id ses_watch_point(const ses_bp *bp)
{
    return bp->watch->ranges.items[0].point;
}

void ses_watch_passed(ses_bp *bp)
{
    bp->watch->is_passed_by = true;
}

/* The session tested the condition where the debuggee stands, and will be spared that there. */
static void learn_code(session *s, ses_bp *bp)
{
    enum { MAX_PLACES = 12 };
    struct ses_watch_codes *codes = &bp->watch->codes;
    const ses_frame *frame;
    if (bp->view.condition && !machine_tests_data(s))
        ses_condition_say_slow(s, bp, "is tested by ebb itself");
    if (!may_have_code(s, bp) || !is_worth_code(s, bp->watch) || codes->list.n == MAX_PLACES || ses_frame_get(s, 0, &frame, NULL) != EBB_OK)
        return;
    sym_spot spot = {.addr = ses_condition_scope_seen_from(s, &bp->watch->scope)};
    if (!spot.addr)
        return;
    struct ses_watch_code made = {.at = frame->pc};
    for (size_t i = 0; i < codes->list.n; i++)
        if (codes->list.items[i].at == frame->pc)
            return;
    ebb_error why = {0};
    ebb_status status = s->language->condition_code(s, &codes->arena, bp->view.condition, &spot, &made.code, &why);
    if (status == EBB_UNSUPPORTED)
        ses_condition_say_slow(s, bp, why.text);
    if (status != EBB_OK)
        return;
    ebb_vec_push(&codes->list, made);
    tell_codes(s, bp->watch);
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

static ebb_status set_points(session *s, ses_bp *bp, ebb_error *err)
{
    ses_watch_state *w = bp->watch;
    bp->view.hardware = !w->reads_registers;
    for (size_t i = 0; i < w->ranges.n && !w->reads_registers; i++) {
        watched_range *r = &w->ranges.items[i];
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

static bool same_ranges(const watched_ranges *a, const watched_ranges *b)
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
static void adopt_reads(session *s, ses_watch_state *w, struct ses_reads *reads)
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
    drop_codes(s, w);
    ses_watch_clear_points(s, w);
    w->return_point = back;
    ebb_vec_fini(&w->ranges);
    w->ranges = reads->ranges;
}

/* ---- the frame it is valid in --------------------------------------------------------------- */

/* Selects the watchpoint's frame; false if it is gone. */
static bool select_frame(session *s, const ses_watch_state *w)
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

static void look_again(session *s, ses_bp *bp)
{
    ses_watch_state *w = bp->watch;
    unsigned level = s->level;
    if (!select_frame(s, w))
        return;
    struct ses_reads reads = {0};
    void *value = NULL;
    (void)!evaluate(s, w->target, &reads, &value, NULL);
    keep_value(s, w, value);
    adopt_reads(s, w, &reads);
    s->level = level;
}

void ses_watch_update(session *s, ses_bp *bp)
{
    if (!s->machine)
        return;
    drop_codes(s, bp->watch);
    if (!bp->view.enabled) {
        ses_watch_clear_points(s, bp->watch);
        return;
    }
    look_again(s, bp);
    ebb_error why;
    if (set_points(s, bp, &why) != EBB_OK)
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
        keep_value(s, w, NULL);
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
    drop_codes(s, w);
    ses_watch_clear_points(s, w);
    ebb_vec_fini(&w->ranges);
    keep_value(s, w, NULL);
    ebb_arena_fini(&w->place.condition_arena);
    s->language->watch_drop(w->target);
    free(w->after);
    ses_condition_scope_fini(&w->scope);
    free(w);
}

/* Nothing was read to get its value: the compiler says what it is, or that it is nowhere. */
static ebb_status fail_constant(session *s, const char *expression, const void *value, ebb_error *err)
{
    char *text = value_text(s, value);
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
    ebb_status status = evaluate(s, w->target, &reads, &value, &why);
    keep_value(s, w, value);
    bool unreadable = status == EBB_NO_MEMORY_AT; /* a null pointer on the way may change */
    if (status != EBB_OK && !unreadable)
        status = ebb_fail(err, status, "%s", why.text);
    else if (reads.ranges.n == 0 && !reads.registers)
        status = fail_constant(s, bp->view.where, w->value, err);
    else
        status = EBB_OK;
    bool locals = reads.locals;
    adopt_reads(s, w, &reads);
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
        const watched_range *r = &w->ranges.items[i];
        n_words += (r->addr % WORD + r->nbytes + WORD - 1) / WORD;
    }
    return !w->reads_registers && n_words <= N_WORDS;
}

static ebb_status arm(session *s, ses_bp *bp, ebb_error *err)
{
    EBB_TRY(first_look(s, bp, err));
    bp->watch->seen = s->machine ? time_of(s) : 0;
    bp->view.hardware = will_be_cheap(bp->watch) && ses_setting_flag(s, "can-use-hw-watchpoints");
    if (!s->machine)
        return EBB_OK;
    EBB_TRY(set_points(s, bp, err));
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
    for (size_t i = 0; i < s->breakpoints.n; i++) /* they are not alone any more (may_have_code), and what they saw last may be old */
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
    ebb_status status = evaluate(s, target, &reads, &value, err);
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
    ebb_status status = evaluate(s, *target, &reads, &value, err);
    if (value)
        s->language->value_drop(value);
    if (status == EBB_OK && (reads.ranges.n == 0 || reads.registers))
        status = ebb_fail(err, EBB_BAD_INPUT, "\"%.80s\" has no place in memory.", expression);
    if (status == EBB_OK) { /* what was read last is the thing itself; before it, the way to it */
        const watched_range *r = &reads.ranges.items[reads.ranges.n - 1];
        bool comes_and_goes = reads.locals && machine_can(s->machine, MACHINE_KNOWS_FRAMES);
        *data = (ebb_data){.space = r->space, .addr = r->addr, .nbytes = r->nbytes, .bits = r->bits, .comes_and_goes = comes_and_goes};
        *is_local = reads.locals;
    }
    ebb_vec_fini(&reads.ranges);
    return status;
}

/* ---- at a stop ------------------------------------------------------------------------------ */

static bool is_point_of(const machine_stop *at, machine_point_id point)
{
    for (size_t k = 0; k < at->n_points && point; k++)
        if (at->points[k] == point)
            return true;
    return false;
}

static bool is_reached(const ses_watch_state *w, const machine_stop *at)
{
    if (w->reads_registers)
        return true;
    for (size_t i = 0; i < w->ranges.n; i++)
        if (is_point_of(at, w->ranges.items[i].point))
            return true;
    return false;
}

/* WA1: back in the caller, the watched frame is left. */
static bool is_over(session *s, const ses_watch_state *w)
{
    const ses_frame *frame;
    unsigned level;
    if (!w->has_frame || ses_frame_get(s, 0, &frame, NULL) != EBB_OK)
        return false;
    bool at_return = frame->pc == w->return_pc &&
                     (w->caller.cfa == 0 || ses_frame_id_same(ses_physical_id(s, 0), w->caller));
    return (at_return || w->reads_registers) && !ses_frame_find(s, w->frame, &level);
}

/* WA3: one place is watched, and another object is there now. */
static bool is_gone(const session *s, const ses_bp *bp, const machine_stop *at)
{
    return at->is_new && bp->watch->ranges.n == 1 && time_of(s) > bp->watch->seen;
}

static bool is_before_birth(const session *s, const ses_watch_state *w)
{
    return w->born && time_of(s) < w->born;
}

static void replace_text(char **text, char *with)
{
    free(*text);
    *text = with;
}

/* A stop tells of one; the others that end there are told of before. */
static void stop_out_of_scope(session *s, ses_bp *bp, const machine_stop *at, ses_stop *stop)
{
    if (stop->kind == SES_STOP_WATCH_SCOPE)
        ses_say(s, SES_NOTICE_BREAKPOINT, 0, at->is_new ? "Watchpoint %d deleted because its object is gone, too."
                : "Watchpoint %d deleted because the program has left its block, too.", bp->view.number);
    else {
        stop->watch_number = bp->view.number;
        replace_text(&stop->watch_text, ebb_strdup(bp->view.where));
    }
    stop->kind = SES_STOP_WATCH_SCOPE;
    ses_stop_add_breakpoint(s, stop, bp);
    if (ses_bp_find(s, stop->breakpoints[stop->n_breakpoints - 1]))
        ses_bp_remove(s, bp);
}

/* Takes the two texts. */
static void tell(const ses_bp *bp, char *old, char *new, ses_stop *stop)
{
    if (stop->kind == SES_STOP_WATCHPOINT) { /* another one tells already */
        ses_watch_told told = {bp->view.number, ebb_strdup(bp->view.where), old, new};
        ebb_vec_push(&stop->more_watches, told);
        return;
    }
    stop->kind = SES_STOP_WATCHPOINT;
    stop->watch_number = bp->view.number;
    replace_text(&stop->watch_text, ebb_strdup(bp->view.where));
    replace_text(&stop->old_value, old);
    replace_text(&stop->new_value, new);
}

/* WA4: the value before the change that this stop tells of; NULL: what was seen last is that. */
static void *value_before(session *s, ses_watch_state *w, const machine_stop *at)
{
    uint64_t word;
    void *value = NULL;
    bool was_unreadable = w->every_write && !w->value; /* memory that came since: the machine looked at it (x86/watch.h, WX3) */
    bool is_unseen = w->codes.is_told || w->is_passed_by || was_unreadable;
    w->is_passed_by = false;
    for (size_t i = 0; is_unseen && s->machine->native && i < w->ranges.n; i++) {
        const watched_range *r = &w->ranges.items[i];
        if (!is_point_of(at, r->point) || !s->machine->native->point_was(s->machine, r->point, &word))
            continue;
        s->before = (struct ses_before){.addr = r->addr, .nbytes = r->nbytes, .word = word};
        struct ses_reads reads = {0};
        (void)!evaluate(s, w->target, &reads, &value, NULL);
        ebb_vec_fini(&reads.ranges);
        s->before.nbytes = 0;
        return value;
    }
    return NULL;
}

static void say_untested(session *s, machine_tid thread)
{
    static const char text[] = "Watchpoint condition cannot be tested in the current scope";
    if (s->is_judging)
        ses_complain(s, thread, ebb_asprintf("warning: %s", text));
    else
        ses_say(s, SES_NOTICE_WARNING, thread, "%s", text);
}

/* Condition and counts. */
static bool passes(session *s, ses_bp *bp, machine_tid thread)
{
    const char *condition = bp->view.condition;
    ses_outer_scope outer;
    if (!ses_condition_scope_enter(s, &bp->watch->scope, &outer)) {
        say_untested(s, thread);
        bp->view.condition = NULL; /* BR2 */
    }
    bool passes = ses_bp_passes(s, bp, &bp->watch->place, thread);
    bp->view.condition = condition;
    ses_condition_scope_leave(s, &outer);
    return passes;
}

/* It does, and can be tested here. */
static bool holds(session *s, ses_bp *bp)
{
    ses_outer_scope outer;
    bool holds = ses_condition_scope_enter(s, &bp->watch->scope, &outer) && ses_bp_holds(s, bp, &bp->watch->place);
    ses_condition_scope_leave(s, &outer);
    return holds;
}

/* The watched bytes were touched: whether that is worth a stop. */
static bool check_value(session *s, ses_bp *bp, const machine_stop *at, ses_stop *stop)
{
    ses_watch_state *w = bp->watch;
    struct ses_reads reads = {0};
    void *value = NULL;
    (void)!evaluate(s, w->target, &reads, &value, NULL);
    void *before = value_before(s, w, at);
    if (before)
        keep_value(s, w, before);
    char *old = before ? value_text(s, before) : s->language->watch_before(s, w->target), *new = value_text(s, value);
    bool changed = value && w->value ? !s->language->value_same(w->value, value) : value || w->value;
    bool is_out_of_scope = w->has_frame && !value && reads.ranges.n == 0 && !reads.registers; /* what was touched is not the variable (yet) */
    if (is_out_of_scope)
        changed = false;
    if (old && !before && w->codes.list.n > 0 && bp->view.kind == SES_BP_WATCH)
        changed = !is_out_of_scope; /* since what was there before, which the machine passed by */
    bool tells_all = bp->view.kind != SES_BP_WATCH || w->every_write; /* the machine tells reads, accesses and writes itself */
    bool wanted = (tells_all && !is_out_of_scope) || changed;
    bool knows_old = old || s->machine->native;
    if (!old)
        old = value_text(s, w->value);
    keep_value(s, w, value);
    adopt_reads(s, w, &reads);
    s->level = 0;
    (void)!set_points(s, bp, NULL);
    if (!wanted || !passes(s, bp, at->thread)) {
        if (wanted && knows_old)
            learn_code(s, bp);
        free(old);
        free(new);
        return false;
    }
    if (!changed || bp->view.kind == SES_BP_RWATCH) {
        free(old);
        old = NULL;
    }
    tell(bp, old, new, stop);
    ses_stop_add_breakpoint(s, stop, bp);
    return true;
}

/* Going back, the values are those of the moments that are seen. */
static bool tells_old_value(session *s, const ses_bp *bp)
{
    if (s->machine->native)
        return true;
    char *old = s->language->watch_before(s, bp->watch->target);
    bool is_told = old != NULL;
    free(old);
    return is_told;
}

/* What is gone back over is the value then, not the one that was seen last: a condition or an ignore count passes others by. */
static void note_after(session *s, ses_watch_state *w)
{
    struct ses_reads reads = {0};
    void *value = NULL;
    (void)!evaluate(s, w->target, &reads, &value, NULL);
    ebb_vec_fini(&reads.ranges);
    free(w->after);
    w->after = value ? s->language->value_text(s, value) : NULL;
    if (value)
        s->language->value_drop(value);
}

/* Native code: not the thing itself was written, but a pointer or an index that leads to it. */
static bool is_way_touched(const session *s, const ses_watch_state *w, const machine_stop *at)
{
    for (size_t i = 0; s->machine->native && i + 1 < w->ranges.n; i++)
        if (is_point_of(at, w->ranges.items[i].point))
            return true;
    return false;
}

bool ses_watch_aim_anew(session *s, ses_bp *bp)
{
    if (!bp->watch->is_elsewhere)
        return false;
    ses_watch_update(s, bp);
    return true;
}

/* Going back: the machine told of a change, and that is enough; the value is known when it is gone back over. */
static bool judge_watch(session *s, ses_bp *bp, const machine_stop *at, ses_stop *stop)
{
    bool is_there = is_reached(bp->watch, at) && select_frame(s, bp->watch);
    bool is_innermost = s->level == 0;
    bool stops = is_there && passes(s, bp, at->thread);
    bool is_elsewhere = is_there && !stops && is_way_touched(s, bp->watch, at);
    if (stops || is_elsewhere)
        bp->watch->is_elsewhere = is_elsewhere;
    stops |= is_elsewhere;
    if (stops && at->is_new && bp->view.condition)
        stops = holds(s, bp); /* what just came into being may be out of the condition's reach: no hit */
    if (stops && (bp->view.condition || bp->view.ignore || bp->watch->is_passed_by))
        note_after(s, bp->watch);
    s->level = 0;
    if (is_there && is_innermost && bp->watch->codes.is_told && tells_old_value(s, bp))
        learn_code(s, bp);
    if (stops)
        ses_stop_add_breakpoint(s, stop, bp);
    return stops;
}

/* Before its birth nothing counts; nor does the return from its frame, wherever one goes back. */
void ses_watch_note(session *s, ses_bp *bp, machine_note as, ses_noted *noted)
{
    ses_watch_state *w = bp->watch;
    if (w->reads_registers)
        return;
    if (bp->view.condition && !w->codes.is_told && may_have_code(s, bp) && *coded_point(w))
        tell_codes(s, w);
    if (w->return_point)
        ebb_vec_push(noted, ((machine_noted){.id = w->return_point, .as = MACHINE_NOTE_NOTHING}));
    bool is_over = w->born && time_of(s) <= w->born;
    if (bp->view.condition && !w->codes.is_told)
        return;
    for (size_t i = bp->view.condition ? w->ranges.n - 1 : 0; i < w->ranges.n; i++)
        if (w->ranges.items[i].point)
            ebb_vec_push(noted, ((machine_noted){.id = w->ranges.items[i].point, .as = is_over ? MACHINE_NOTE_NOTHING : as}));
}

void ses_watch_went_back(session *s, ses_bp *bp, ses_stop *stop)
{
    ses_watch_state *w = bp->watch;
    bool is_born = stop->machine.is_new && w->ranges.n == 1;
    if (is_born)
        w->born = time_of(s);
    char *old = w->after ? w->after : value_text(s, w->value);
    w->after = NULL;
    w->is_passed_by = false;
    look_again(s, bp);
    bool has_no_frame = is_born && w->has_frame;
    if (has_no_frame)
        keep_value(s, w, NULL);
    tell(bp, old, has_no_frame ? ebb_strdup("<its frame is not there>") : value_text(s, w->value), stop);
}

static bool check_watch(session *s, ses_bp *bp, const machine_stop *at, ses_stop *stop)
{
    if (!bp->view.enabled || is_before_birth(s, bp->watch))
        return false;
    if (s->is_judging)
        return judge_watch(s, bp, at, stop);
    if (is_over(s, bp->watch)) {
        stop_out_of_scope(s, bp, at, stop);
        return true;
    }
    if (!is_reached(bp->watch, at) || !select_frame(s, bp->watch))
        return false;
    if (is_gone(s, bp, at)) {
        stop_out_of_scope(s, bp, at, stop);
        return true;
    }
    return check_value(s, bp, at, stop);
}

bool ses_check_watches(session *s, const machine_stop *at, ses_stop *stop)
{
    bool stops = false;
    for (size_t i = 0; i < s->breakpoints.n;) {
        ses_bp *bp = s->breakpoints.items[i];
        if (ses_bp_is_watch(bp) && check_watch(s, bp, at, stop))
            stops = true;
        i += i < s->breakpoints.n && s->breakpoints.items[i] == bp;
    }
    return stops;
}
