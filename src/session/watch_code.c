/* watch_code.c - see watch.h: the condition of a watchpoint, executed by the machine (WA4). */
#include "session/condition.h"
#include "session/language.h"
#include "session/stack.h"
#include "session/watch_state.h"

#include "machine/code_check.h"

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
machine_point_id *ses_watch_coded_point(const ses_watch_state *w)
{
    return &w->ranges.items[w->ranges.n - 1].point;
}

/* Whichever is for the place; no answer where none is. */
void ses_watch_tell_codes(session *s, ses_watch_state *w)
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
    w->codes.is_told = s->machine->ops->point_condition(s->machine, *ses_watch_coded_point(w), steps.items, steps.n, NULL) == EBB_OK;
    if (!w->codes.is_told)
        w->codes.list.n = 0;
    ebb_vec_fini(&steps);
}

void ses_watch_drop_codes(session *s, ses_watch_state *w)
{
    bool is_told = w->codes.is_told && w->ranges.n > 0 && *ses_watch_coded_point(w) && s->machine;
    if (is_told)
        (void)!s->machine->ops->point_condition(s->machine, *ses_watch_coded_point(w), NULL, 0, NULL);
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
    const ses_watched *r = &w->ranges.items[w->ranges.n - 1];
    return r->nbytes <= sizeof(uint64_t) && s->language->value_is_at(w->value, r->space, r->addr, r->nbytes);
}

static bool machine_tests_data(const session *s)
{
    return s->machine->native ? s->machine->native->point_was != NULL : s->machine->ops->points_ignore != NULL;
}

/* WA4: of Java, what was there before is told for one point in a stop. */
bool ses_watch_may_have_code(const session *s, const ses_bp *bp)
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
void ses_watch_learn_code(session *s, ses_bp *bp)
{
    enum { MAX_PLACES = 12 };
    struct ses_watch_codes *codes = &bp->watch->codes;
    const ses_frame *frame;
    if (bp->view.condition && !machine_tests_data(s))
        ses_condition_say_slow(s, bp, "is tested by ebb itself");
    if (!ses_watch_may_have_code(s, bp) || !is_worth_code(s, bp->watch) || codes->list.n == MAX_PLACES || ses_frame_get(s, 0, &frame, NULL) != EBB_OK)
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
    ses_watch_tell_codes(s, bp->watch);
}
