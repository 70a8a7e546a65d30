/* What stepping back asks of C (language.h), against what the unwinder and the stepper that goes forward say of a live program.
 *
 * Native programs keep no history yet, so nothing can be stepped back here.  But a step back has to stop at the moments at which steps
 * forward stopped, and which those are can be said while going forward: by the rule of back.h over what the hooks tell. */
#include "session_test.h"
#include "session/language.h"
#include "session/stack.h"

static session *stopped_at(const char *fixture, const char *where)
{
    session *s = debug(fixture);
    break_at(s, where);
    assert_int_equal(run(s).kind, SES_STOP_BREAKPOINT);
    ses_bp_delete_all(s);
    return s;
}

static ses_activation innermost(session *s)
{
    ses_activation a;
    assert_true(ses_activation_at(s, ses_thread_selected(s), 0, &a));
    return a;
}

static machine_insn decoded(session *s, machine_place place)
{
    machine_insn insn;
    assert_ok(s->machine->ops->decode(s->machine, place, &insn, err));
    return insn;
}

static void assert_same(const ses_activation *a, const ses_activation *b)
{
    assert_true(ses_frame_id_same(a->id, b->id));
    assert_int_equal(a->thread, b->thread);
    assert_int_equal(a->inlined, b->inlined);
    assert_int_equal(a->place, b->place);
    assert_int_equal(a->has_caller, b->has_caller);
    assert_int_equal(a->call, b->call);
    assert_int_equal(a->back, b->back);
}

/* ---- activations ------------------------------------------------------------------------------------ */

static void assert_called_by(session *s, const ses_activation *a, unsigned outer_level, unsigned outer_n)
{
    assert_true(a->has_caller);
    assert_true(ses_frame_id_same(a->caller, ses_physical_id(s, outer_n)));
    assert_int_equal(a->back, frame(s, outer_level)->pc);
    machine_insn call = decoded(s, a->call);
    assert_true(call.is_call);
    assert_int_equal(a->call + call.nbytes, a->back);
}

/* Each physical frame is an activation, made by a call in the next one; asked for one by one or together. */
static void assert_agrees_with_unwinder(session *s)
{
    ses_activation all[32], a;
    unsigned level, outer;
    size_t n = s->language->activations(s, s->thread, 0, all, 32);
    assert_true(n > 0);
    for (unsigned i = 0; i < n; i++) {
        assert_true(ses_activation_at(s, s->thread, i, &a));
        assert_same(&a, &all[i]);
        assert_true(ses_physical_level(s, i, &level));
        assert_int_equal(frame(s, level)->depth, i);
        assert_true(ses_frame_id_same(a.id, ses_physical_id(s, i)));
        if (ses_physical_level(s, i + 1, &outer))
            assert_called_by(s, &a, outer, i + 1);
        if (i + 1 < n)
            assert_int_equal(all[i + 1].place, a.call);
        assert_int_equal(ses_activation_place(s, &a), a.place);
    }
    assert_int_equal(all[0].place, frame(s, 0)->pc);
    assert_false(ses_physical_level(s, (unsigned)n, &level));
}

static void activations_are_the_unwinders_frames(void **state)
{
    static const char *const fixtures[] = {"steps0", "steps2"};
    for (size_t i = 0; i < 2; i++) {
        session *s = stopped_at(fixtures[i], "main");
        for (unsigned k = 0; k < 60; k++) {
            assert_agrees_with_unwinder(s);
            step(s);
        }
        ses_free(s);
    }
}

/* Recursion: the same function and the same call, told apart by the frame. */
static void recursion_makes_different_activations(void **state)
{
    session *s = stopped_at("steps0", "factorial");
    ses_activation outer = innermost(s), callee;
    break_at(s, "factorial");
    go_on(s);
    ses_activation inner = innermost(s);
    assert_false(ses_frame_id_same(inner.id, outer.id));
    assert_int_equal(inner.id.entry, outer.id.entry);
    assert_true(ses_frame_id_same(inner.caller, outer.id));
    assert_false(ses_activation_is_innermost(s, &outer));
    assert_true(ses_activation_is_innermost(s, &inner));
    assert_int_equal(ses_activation_place(s, &outer), inner.call);
    go_on(s);
    assert_true(ses_activation_callee(s, &outer, false, &callee));
    assert_true(ses_frame_id_same(callee.id, inner.id));
    ses_bp_delete_all(s);
    assert_ok(ses_frame_select(s, 1, err));
    finish(s); /* the second one has returned: */
    assert_int_equal(ses_activation_place(s, &inner), 0);
    assert_true(ses_activation_is_innermost(s, &outer));
    assert_int_equal(frame(s, 0)->pc, inner.back);
    ses_free(s);
}

/* ---- calls, seen happening ------------------------------------------------------------------------------ */

/* By instructions through all of main: each call makes an activation that says where it came from, and goes on where it said. */
static void assert_calls_are_seen(const char *fixture, unsigned *n_calls)
{
    session *s = stopped_at(fixture, "main");
    ses_activation home = innermost(s);
    for (bool is_there = true; is_there;) {
        ses_activation before = innermost(s);
        machine_insn insn = decoded(s, before.place);
        move(s, SES_STEP_INSN);
        ses_activation now = innermost(s);
        if (insn.is_call) {
            ++*n_calls;
            assert_true(now.has_caller);
            assert_true(ses_frame_id_same(now.caller, before.id));
            assert_int_equal(now.call, before.place);
            assert_int_equal(now.back, before.place + insn.nbytes);
            assert_false(now.is_interrupt);
            ses_stop stop = finish(s);
            if (stop.kind == SES_STOP_FINISHED)
                assert_int_equal(frame(s, 0)->pc, now.back);
        }
        is_there = ses_activation_place(s, &home) != 0;
    }
    ses_free(s);
}

static void a_call_says_where_it_came_from(void **state)
{
    static const char *const fixtures[] = {"steps0", "steps2"};
    for (size_t i = 0; i < 2; i++) {
        unsigned n_calls = 0;
        assert_calls_are_seen(fixtures[i], &n_calls);
        assert_true(n_calls >= 3);
    }
}

/* The kernel calls a handler: it goes on where the code was interrupted, which is its caller. */
static void a_handler_interrupts(void **state)
{
    session *s = debug("signals0");
    break_at(s, "on_signal");
    assert_int_equal(run(s).kind, SES_STOP_SIGNAL);
    assert_int_equal(go_on(s).kind, SES_STOP_BREAKPOINT);
    unsigned interrupted;
    ses_activation handler = innermost(s), outer;
    assert_true(frame(s, 1)->is_signal_frame);
    assert_true(ses_physical_level(s, 2, &interrupted));
    assert_true(handler.has_caller && handler.is_interrupt);
    assert_true(ses_frame_id_same(handler.caller, ses_physical_id(s, 2)));
    assert_int_equal(handler.call, frame(s, interrupted)->pc);
    assert_int_equal(handler.back, handler.call);
    assert_true(ses_activation_at(s, s->thread, 1, &outer)); /* the kernel's frame is none */
    assert_true(ses_frame_id_same(outer.id, handler.caller));
    assert_int_equal(outer.place, handler.call);
    assert_int_equal(frame(s, interrupted)->depth, 1);
    assert_false(outer.is_interrupt);
    ses_free(s);
}

/* ---- lines ---------------------------------------------------------------------------------------------- */

static bool is_among(const ses_places *places, machine_place place)
{
    for (size_t i = 0; i < places->n; i++)
        if (places->items[i] == place)
            return true;
    return false;
}

static bool begins_line(session *s, machine_place place)
{
    ses_places starts = {0};
    assert_ok(s->language->line_starts(s, place, &starts, err));
    bool begins = is_among(&starts, place);
    ebb_vec_fini(&starts);
    return begins;
}

static bool is_in_fixture(session *s)
{
    const ses_frame *f = ses_get_state(s) == SES_STOPPED ? frame(s, 0) : NULL;
    return f && f->has_line && strcmp(ebb_path_base(f->line.name), "steps.c") == 0;
}

/* The next line of the fixture; a library may have lines, too, and is left. */
static void step_in_fixture(session *s)
{
    step(s);
    bool was_outside = false;
    while (ses_get_state(s) == SES_STOPPED && !is_in_fixture(s) && ses_frame_depth(s, 2) > 1) {
        was_outside = true;
        finish(s);
    }
    if (was_outside && is_in_fixture(s))
        next(s);
}

/* Wherever a step stops, a line begins, and whoever came into the function stops there. */
static void steps_stop_where_lines_begin(void **state)
{
    static const char *const fixtures[] = {"steps0", "steps2"};
    for (size_t i = 0; i < 2; i++) {
        session *s = stopped_at(fixtures[i], "main");
        unsigned n = 0;
        for (; is_in_fixture(s); n++) {
            ses_activation a = innermost(s);
            assert_true(s->language->is_shown(s, a.place));
            bool was_jumped_to = frame(s, 0)->mid_line && strcmp(frame(s, 0)->name, "catch_leap") == 0; /* by longjmp */
            if (!was_jumped_to && !begins_line(s, a.place))
                fail_msg("%s: no line begins at 0x%lx, %s line %u", fixtures[i], (unsigned long)a.place, frame(s, 0)->name,
                         frame(s, 0)->line.line);
            assert_int_equal(s->language->entry_stop(s, a.place), a.place);
            step_in_fixture(s);
        }
        assert_true(n > 20);
        ses_free(s);
    }
}

/* Another session steps from the same instruction. */
static void assert_step_stops_at(session *s, machine_place call, machine_place stop, const ses_activation *home)
{
    char where[32];
    ses_stop how;
    snprintf(where, sizeof where, "*0x%lx", (unsigned long)call);
    if (frame(s, 0)->pc != call)
        assert_ok(ses_advance(s, where, false, &how, err));
    assert_int_equal(frame(s, 0)->pc, call);
    step(s);
    if (!stop) {
        assert_true(ses_activation_is_innermost(s, home));
        return;
    }
    assert_int_equal(frame(s, 0)->pc, stop);
    assert_true(begins_line(s, stop));
    ses_activation callee = innermost(s);
    assert_true(ses_frame_id_same(callee.caller, home->id));
    assert_int_equal(callee.call, call);
    finish(s);
}

/* A step into a call stops where the hook says at the callee's first instruction, through an import stub, too; or nowhere. */
static void a_step_into_a_call_stops_at_its_entry_stop(void **state)
{
    session *s = stopped_at("steps0", "main"), *other = stopped_at("steps0", "main");
    ses_activation home = innermost(s);
    unsigned n = 0;
    while (ses_activation_place(s, &home)) {
        machine_place place = innermost(s).place;
        bool is_call = decoded(s, place).is_call;
        move(s, SES_STEP_INSN);
        if (!is_call)
            continue;
        assert_step_stops_at(other, place, s->language->entry_stop(s, frame(s, 0)->pc), &home);
        finish(s);
        n++;
    }
    assert_true(n >= 8);
    ses_free(other);
    ses_free(s);
}

/* `set step-mode on`: a step stops in code without lines, too. */
static void code_without_lines_is_passed(void **state)
{
    session *s = debug("steps0");
    ses_stop stop;
    assert_ok(ses_starti(s, &stop, err));
    machine_place place = frame(s, 0)->pc; /* of the loader */
    if (!frame(s, 0)->has_line) {
        assert_false(s->language->is_shown(s, place));
        assert_int_equal(s->language->entry_stop(s, place), 0);
        assert_ok(ses_setting_set(s, "step-mode", "on", err));
        assert_true(s->language->is_shown(s, place));
        assert_int_equal(s->language->entry_stop(s, place), place);
    } else
        print_message("the loader has lines here: nothing without any to look at\n");
    ses_free(s);
}

/* ---- the rule of back.h ----------------------------------------------------------------------------------- */

typedef EBB_VEC(machine_place) walk;

/* Where `next` stops in main. */
static void walk_by_lines(const char *fixture, walk *stops)
{
    session *s = stopped_at(fixture, "main");
    ses_activation home = innermost(s);
    while (next(s).kind == SES_STOP_STEP && ses_activation_is_innermost(s, &home))
        ebb_vec_push(stops, frame(s, 0)->pc);
    ses_free(s);
}

/* Where lines begin in main's activation, each time that it was on another one before. */
static void walk_by_rule(const char *fixture, walk *stops)
{
    session *s = stopped_at(fixture, "main");
    ses_activation home = innermost(s);
    ses_row line, here;
    home.inlined = 0; /* seen from main itself */
    assert_true(ses_row_at(s, home.place, home.inlined, &line));
    while (move(s, SES_NEXT_INSN).kind == SES_STOP_STEP && ses_activation_is_innermost(s, &home)) {
        machine_place place = innermost(s).place;
        if (!begins_line(s, place))
            continue;
        assert_true(ses_row_at(s, place, home.inlined, &here));
        if (!ses_row_same_line(&here, &line))
            ebb_vec_push(stops, place);
        line = here;
    }
    ses_free(s);
}

static void assert_rule_holds(const char *fixture)
{
    walk by_lines = {0}, by_rule = {0};
    walk_by_lines(fixture, &by_lines);
    walk_by_rule(fixture, &by_rule);
    assert_true(by_lines.n > 5);
    assert_int_equal(by_rule.n, by_lines.n);
    assert_memory_equal(by_rule.items, by_lines.items, by_lines.n * sizeof *by_lines.items);
    ebb_vec_fini(&by_lines);
    ebb_vec_fini(&by_rule);
}

static void next_stops_where_the_rule_says(void **state)
{
    assert_rule_holds("steps0");
}

/* With inlined calls in main. */
static void next_stops_where_the_rule_says_in_optimised_code(void **state)
{
    assert_rule_holds("steps2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, session_setup, session_teardown)
        TEST(activations_are_the_unwinders_frames),
        TEST(recursion_makes_different_activations),
        TEST(a_call_says_where_it_came_from),
        TEST(a_handler_interrupts),
        TEST(steps_stop_where_lines_begin),
        TEST(a_step_into_a_call_stops_at_its_entry_stop),
        TEST(code_without_lines_is_passed),
        TEST(next_stops_where_the_rule_says),
        TEST(next_stops_where_the_rule_says_in_optimised_code),
#undef TEST
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
