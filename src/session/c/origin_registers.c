/* origin_registers.c - who set a register last.
 *
 * Nothing in the machine watches registers, so it is looked for, in two ways:
 *   - near: a little back, then forward instruction by instruction; each says what it does to the register;
 *   - far: an instruction of a function that sets the register is known by its code.  Points stand at all of these, for this one frame, and at
 *     the call that made it; the last one that was reached before now is what is looked for.  A callee gives back the
 *     registers that are its caller's; of the others, a call counts as what sets them unless the code that it leads to can't, and the callee is
 *     looked into from its return on.
 *
 * OG1  what is found either way is looked at again where it is (OR2): a callee that breaks the rules ends the chain;
 * OG2  where the frame's code or its caller is not known, only what is near is found. */
#include "session/back/back.h"
#include "session/c/origin_chain.h"
#include "session/c/c.h"
#include "session/stack.h"
#include "session/visit.h"

enum {
    NEAR_STEPS = 300,   /* of each look: some ten milliseconds */
    MAX_STEPS = 20000,  /* where nothing else helps: some seconds */
    MAX_FRAMES = 200,   /* looked into for one link */
    MAX_CODE = 1 << 20, /* bytes of a function */
    MAX_FUNCTIONS = 64,
    MAX_DEPTH = 8,      /* of calls whose code is looked at */
};

typedef struct trace {
    machine_tid thread;
    bool found;
    bool has_all; /* all of history before was looked at */
    ebb_position at;
    machine_flow flow;
    size_t n_steps, max_steps;
} trace;

/* ---- near --------------------------------------------------------------------------------------- */

/* From here forward to `to`: the last instruction that sets the datum. */
static ebb_status trace_to(ses_chain *c, trace *t, ebb_position to, ebb_error *err)
{
    ebb_position at;
    bool ended = false;
    EBB_TRY(ses_chain_now(c, &at, err));
    while (!ended && ebb_position_compare(at, to) < 0 && t->n_steps++ < t->max_steps) {
        machine_flow flow = {0};
        if (ses_chain_thread(c) == t->thread)
            EBB_TRY(ses_chain_flow(c, t->thread, &c->datum, &flow, err));
        if (flow.kind != MACHINE_FLOW_NONE) {
            t->found = true;
            t->at = at;
            t->flow = flow;
        }
        EBB_TRY(ses_chain_step(c, at, &ended, err));
        EBB_TRY(ses_chain_now(c, &at, err));
    }
    if (ebb_position_compare(at, to) < 0) /* not all of it was seen */
        t->found = false;
    return EBB_OK;
}

static ebb_status look_near(ses_chain *c, trace *t, ebb_position to, ebb_error *err)
{
    for (uint64_t back = 0; !t->found && !t->has_all && t->n_steps < t->max_steps; back = back ? 8 * back : 1) {
        EBB_TRY(ses_chain_go(c, (ebb_position){.timestamp = to.timestamp > back ? to.timestamp - back : 0}, err));
        EBB_TRY(trace_to(c, t, to, err));
        t->has_all = to.timestamp <= back && t->n_steps < t->max_steps;
    }
    return EBB_OK;
}

/* ---- far: the code of a function ------------------------------------------------------------------ */

typedef EBB_VEC(machine_place) places;

typedef struct code_range {
    uint64_t lo, hi;
} code_range;

typedef EBB_VEC(code_range) ranges;

/* The code of the function around a place; none if that is not known. */
static void code_of(ses_chain *c, machine_place place, ranges *out)
{
    const sym_function *functions[MAX_FUNCTIONS];
    code_range r;
    size_t n = sym_functions_at(c->s->symbols, place, functions, MAX_FUNCTIONS);
    for (size_t i = 0; n > 0 && n <= MAX_FUNCTIONS && sym_function_code(functions[n - 1], i, &r.lo, &r.hi); i++)
        ebb_vec_push(out, r);
    if (n == 0 && ses_c_symbol_range(c->s, place, &r.lo, &r.hi))
        ebb_vec_push(out, r);
}

static bool is_in(const ranges *all, machine_place place)
{
    for (size_t i = 0; i < all->n; i++)
        if (place >= all->items[i].lo && place < all->items[i].hi)
            return true;
    return false;
}

/* Which functions can set the register: those that were looked at, by their entries. */
typedef struct callees {
    ses_chain *c;
    places innocent; /* among them those that are being looked at: a function that calls itself sets nothing by that */
    unsigned depth;
} callees;

static bool function_may_set(callees *all, machine_place entry);

/* Control goes to where the instruction says. */
static bool transfer_may_set(callees *all, const machine_insn *insn)
{
    return insn->is_indirect || !insn->has_target || function_may_set(all, insn->target);
}

/* A jump out of the function is a call, too. */
static bool leaves(const ranges *code, const machine_insn *insn)
{
    return insn->is_branch && (insn->is_indirect || (insn->has_target && !is_in(code, insn->target)));
}

static bool insn_may_set(callees *all, const ranges *code, machine_place at, machine_place *next)
{
    machine *m = all->c->s->machine;
    machine_insn insn;
    bool sets;
    *next = m->native->sets(m, at, all->c->datum.reg, &sets);
    if (!*next || m->ops->decode(m, at, &insn, NULL) != EBB_OK)
        return true;
    return insn.is_call || leaves(code, &insn) ? (sets || !insn.is_call) && transfer_may_set(all, &insn) : sets;
}

static bool code_may_set(callees *all, const ranges *code)
{
    for (size_t i = 0; i < code->n; i++)
        for (machine_place at = code->items[i].lo, next; at < code->items[i].hi; at = next)
            if (code->items[i].hi - code->items[i].lo > MAX_CODE || insn_may_set(all, code, at, &next))
                return true;
    return code->n == 0;
}

static bool function_may_set(callees *all, machine_place entry)
{
    ranges code = {0};
    for (size_t i = 0; i < all->innocent.n; i++)
        if (all->innocent.items[i] == entry)
            return false;
    if (all->depth >= MAX_DEPTH)
        return true;
    size_t known = all->innocent.n;
    ebb_vec_push(&all->innocent, entry);
    all->depth++;
    code_of(all->c, entry, &code);
    bool may = code_may_set(all, &code);
    all->depth--;
    if (may)
        all->innocent.n = known; /* whoever was found so because of this one, too */
    ebb_vec_fini(&code);
    return may;
}

/* The instructions of a function that may set the register.  False: its code is not known. */
static bool find_setters(ses_chain *c, machine_place place, places *out)
{
    ranges code = {0};
    callees all = {.c = c};
    code_of(c, place, &code);
    bool known = code.n > 0;
    for (size_t i = 0; i < code.n; i++)
        for (machine_place at = code.items[i].lo, next; at < code.items[i].hi && code.items[i].hi - code.items[i].lo <= MAX_CODE; at = next) {
            if (insn_may_set(&all, &code, at, &next))
                ebb_vec_push(out, at);
            if (!next)
                break;
        }
    ebb_vec_fini(&all.innocent);
    ebb_vec_fini(&code);
    return known;
}

static ebb_status reached(session *s, ses_search *search, const machine_stop *at, ebb_position now, unsigned *verdict, ebb_error *err)
{
    (void)s, (void)search, (void)at, (void)now, (void)err;
    *verdict = EBB_STOP_HERE;
    return EBB_OK;
}

static ebb_status set_points(ses_chain *c, ses_search *search, const ses_activation *who, const places *setters, ebb_error *err)
{
    EBB_VEC(machine_point) points = {0};
    EBB_VEC(uint32_t) groups = {0};
    for (size_t i = 0; i < setters->n; i++)
        ebb_vec_push(&points, ses_activation_point(who->id, setters->items[i]));
    ebb_vec_push(&points, ses_activation_point(who->caller, who->call));
    for (size_t i = 0; i < points.n; i++)
        ebb_vec_push(&groups, MACHINE_UNGROUPED);
    ebb_status status = ses_search_note(c->s, search, points.items, groups.items, points.n, err);
    ebb_vec_fini(&points);
    ebb_vec_fini(&groups);
    return status;
}

/* Back to the last of them, or to the call; *found false: the debuggee is anywhere. */
static ebb_status search_back(ses_chain *c, const ses_activation *who, const places *setters, bool *found, ebb_error *err)
{
    ses_search search = {.thread = who->thread, .users.own_only = true, .reached = reached};
    ebb_status status = set_points(c, &search, who, setters, err);
    if (status == EBB_OK)
        status = ses_search_run(c->s, &search, err);
    *found = status == EBB_OK && ses_search_found_own(&search);
    if (status == EBB_OK && search.at.kind == MACHINE_STOP_INTERRUPTED)
        status = ebb_fail(err, EBB_INTERRUPTED, "interrupted");
    ses_search_fini(c->s, &search);
    return status;
}

/* ---- far: from frame to frame ----------------------------------------------------------------------- */

typedef enum found_kind {
    FOUND_NOTHING,
    FOUND_SETTER, /* the debuggee stands there */
    FOUND_CALL,   /* at a call that this frame made, and that may have set it */
    FOUND_CALLER, /* at the call that made the frame: nothing in it set the register */
} found_kind;

static ebb_status look_in_frame(ses_chain *c, machine_tid thread, found_kind *kind, ses_activation *who, ebb_error *err)
{
    places setters = {0};
    bool found = false;
    *kind = FOUND_NOTHING;
    ses_visit_stand(c->s);
    if (!ses_activation_at(c->s, thread, 0, who) || !who->has_caller || who->is_interrupt || !find_setters(c, who->place, &setters)) {
        ebb_vec_fini(&setters);
        return EBB_OK;
    }
    ebb_status status = search_back(c, who, &setters, &found, err);
    ebb_vec_fini(&setters);
    if (status != EBB_OK || !found)
        return status;
    ses_activation top;
    machine_insn insn;
    ses_visit_stand(c->s);
    if (!ses_activation_at(c->s, thread, 0, &top) || c->s->machine->ops->decode(c->s->machine, top.place, &insn, err) != EBB_OK)
        return EBB_OK;
    bool is_caller = top.place == who->call && ses_frame_id_same(top.id, who->caller);
    *kind = is_caller ? FOUND_CALLER : insn.is_call ? FOUND_CALL : FOUND_SETTER;
    who->back = is_caller ? who->back : top.place + insn.nbytes;
    return EBB_OK;
}

/* The debuggee stands at a call that `who` makes: to the instruction by which what was called returns. */
static ebb_status go_to_return(ses_chain *c, const ses_activation *who, ebb_position to, bool *there, ebb_error *err)
{
    machine_point point = ses_activation_point(who->id, who->back);
    machine_point_id id;
    machine_stop stop;
    ebb_position before;
    bool arrived = false;
    *there = false;
    EBB_TRY(machine_points_set(c->s->machine, &point, 1, &id, err));
    ses_activation_tell(c->s, &point, id);
    ebb_status status = ses_run_towards(c->s, (machine_request){.move = MACHINE_RUN, .thread = who->thread}, to, &stop, &arrived, err);
    machine_points_clear(c->s->machine, &id, 1);
    EBB_TRY(status);
    if (stop.kind != MACHINE_STOP_POINT && !arrived)
        return EBB_OK;
    return ses_own_instruction_before(c->s, who->thread, &before, there, err) == EBB_OK && *there ? ses_chain_go(c, before, err) : EBB_OK;
}

/* One look near from here, then one further. */
static ebb_status look_once(ses_chain *c, trace *t, ebb_position to, bool *goes_on, ebb_error *err)
{
    found_kind kind;
    ses_activation who;
    *goes_on = false;
    t->n_steps = 0;
    EBB_TRY(look_near(c, t, to, err));
    if (t->found || t->has_all)
        return EBB_OK;
    EBB_TRY(ses_chain_go(c, to, err));
    EBB_TRY(look_in_frame(c, t->thread, &kind, &who, err));
    if (kind == FOUND_CALL)
        EBB_TRY(go_to_return(c, &who, to, goes_on, err));
    else
        *goes_on = kind != FOUND_NOTHING;
    if (kind != FOUND_SETTER)
        return EBB_OK;
    EBB_TRY(ses_chain_now(c, &t->at, err));
    EBB_TRY(ses_chain_flow(c, t->thread, &c->datum, &t->flow, err));
    t->found = t->flow.kind != MACHINE_FLOW_NONE; /* a conditional move may leave it */
    return EBB_OK;
}

static ebb_status find_setter(ses_chain *c, trace *t, ebb_position to, ebb_error *err)
{
    bool goes_on = true;
    for (unsigned i = 0; goes_on && !t->found && !t->has_all && i < MAX_FRAMES; i++) {
        EBB_TRY(look_once(c, t, to, &goes_on, err));
        if (goes_on && !t->found)
            EBB_TRY(ses_chain_now(c, &to, err));
    }
    if (t->found || t->has_all)
        return EBB_OK;
    t->max_steps = MAX_STEPS; /* OG2 */
    t->n_steps = 0;
    return look_near(c, t, to, err);
}

ebb_status ses_chain_follow_register(ses_chain *c, machine_tid thread, ebb_error *err)
{
    trace t = {.thread = thread, .max_steps = NEAR_STEPS};
    ebb_position to;
    EBB_TRY(ses_chain_now(c, &to, err));
    EBB_TRY(find_setter(c, &t, to, err));
    EBB_TRY(ses_chain_go(c, t.found ? t.at : to, err));
    if (t.found)
        return ses_chain_follow(c, &t.flow, err);
    ses_chain_end(c, SES_ORIGIN_END, t.has_all ? "the register had that value when history begins" : "the register was set too many instructions before this");
    return EBB_OK;
}
