/* VM2: timestamps and positions. */
#include "x86_test.h"

typedef struct moment {
    uint64_t time, place, sp;
} moment;

static machine *at_from(machine_tid *thread)
{
    char path[512];
    fixture_path("x86_time", path, sizeof path);
    char *args[] = {path, NULL};
    x86_launch launch = {.program = path, .args = args};
    machine *native = NULL;
    assert_ok(x86_native_launch(&launch, &native, err));
    machine *m = x86_vm_new(native);
    m->ops->signal_policy(m, 0, UINT64_MAX);
    machine_point_id id = break_at(m, "from");
    machine_stop stop = run_on(m, 0, 0);
    assert_stop(stop, "point");
    assert_ok(m->ops->point_clear(m, id, err));
    *thread = stop.thread;
    return m;
}

static moment now(machine *m, machine_tid t)
{
    return (moment){m->ops->timestamp(m), reg(m, t, "rip"), reg(m, t, "rsp")};
}

/* Every moment between the two functions, by single steps; a handler comes as one. */
static size_t step_through(moment *moments, size_t room)
{
    machine_tid t;
    machine *m = at_from(&t);
    uint64_t end = symbol(m, "to");
    size_t n = 0;
    for (moments[n++] = now(m, t); moments[n - 1].place != end; moments[n++] = now(m, t)) {
        assert_true(n < room);
        assert_stop(step(m, t), "step");
    }
    m->ops->free(m);
    return n;
}

enum { ROOM = 100000, EXIT_STATUS = 1 };
static moment moments[ROOM];

static void is_the_same_in_translated_code_and_by_steps(void **state)
{
    size_t n = step_through(moments, ROOM);
    machine_tid t;
    machine *m = at_from(&t);
    assert_int_equal(now(m, t).time, moments[0].time);
    break_at(m, "to");
    assert_stop(run_on(m, t, 0), "point");
    assert_true(n > 1000 && moments[n - 1].time > moments[0].time + 100);
    assert_int_equal(now(m, t).time, moments[n - 1].time);
    m->ops->free(m);
}

/* Between two ticks the place only grows: a position names one moment, also in the middle of a string instruction. */
static void positions_are_in_order(void **state)
{
    size_t n = step_through(moments, ROOM);
    for (size_t i = 1; i < n; i++) {
        bool later = moments[i].time > moments[i - 1].time;
        bool further = moments[i].time == moments[i - 1].time && moments[i].place > moments[i - 1].place;
        assert_true(later || further);
    }
}

static void a_run_ends_at_a_position(void **state)
{
    size_t n = step_through(moments, ROOM);
    machine_tid t;
    machine *m = at_from(&t);
    for (size_t i = 7; i < n; i += n / 60 + 1) {
        const moment *there = &moments[i];
        machine_stop stop = resume(m, (machine_request){.move = MACHINE_RUN, .thread = t, .until = true,
                                                        .until_time = there->time, .until_place = there->place});
        assert_stop(stop, "position");
        moment here = now(m, t);
        assert_int_equal(here.time, there->time);
        assert_int_equal(here.place, there->place);
        assert_int_equal(here.sp, there->sp);
    }
    assert_exits(m, run_on(m, t, 0), EXIT_STATUS);
}

/* A step over a range, which would go on for long, ends there, too; the past is nothing to a step. */
static void a_step_ends_at_a_position(void **state)
{
    size_t n = step_through(moments, ROOM);
    machine_tid t;
    machine *m = at_from(&t);
    for (size_t i = 7; i < n; i += n / 20 + 1) {
        const moment *there = &moments[i];
        machine_request request = {.move = MACHINE_STEP, .thread = t, .lo = 0, .hi = UINT64_MAX, .until = true,
                                   .until_time = there->time, .until_place = there->place};
        machine_stop stop = resume(m, request);
        assert_stop(stop, "position");
        moment here = now(m, t);
        assert_int_equal(here.time, there->time);
        assert_int_equal(here.place, there->place);
        assert_int_equal(here.sp, there->sp);
    }
    machine_request past = {.move = MACHINE_STEP, .thread = t, .until = true, .until_time = 1};
    assert_stop(resume(m, past), "step");
    assert_exits(m, run_on(m, t, 0), EXIT_STATUS);
}

static void the_past_is_refused(void **state)
{
    machine_tid t;
    machine *m = at_from(&t);
    machine_request back = {.move = MACHINE_RUN, .thread = t, .until = true, .until_time = 1};
    machine_stop stop;
    ebb_error err;
    assert_int_equal(m->ops->resume(m, &back, &stop, &err), EBB_NO_HISTORY);
    m->ops->free(m);
}

/* Modes change at random stops; nobody can tell. */
static void modes_change_at_any_stop(void **state)
{
    machine_tid t;
    machine *m = at_from(&t);
    unsigned seed = 12345;
    for (int i = 0; i < 300; i++) {
        seed = seed * 1103515245 + 12345;
        x86_vm_set_mode(m, seed >> 16 & 1 ? X86_MODE_VM : X86_MODE_NATIVE);
        if (seed >> 17 & 1) {
            assert_stop(step(m, t), "step");
            continue;
        }
        machine_insn insn;
        uint64_t place = reg(m, t, "rip");
        assert_ok(m->ops->decode(m, place, &insn, err));
        if (insn.is_branch || insn.is_return || insn.is_call)
            continue;
        machine_point_id id = point_at(m, MACHINE_POINT_EXEC, place + insn.nbytes, 0);
        assert_stop(run_on(m, t, 0), "point");
        assert_ok(m->ops->point_clear(m, id, err));
    }
    x86_vm_set_mode(m, X86_MODE_VM);
    assert_exits(m, run_on(m, t, 0), EXIT_STATUS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(is_the_same_in_translated_code_and_by_steps, x86_test_setup),
        cmocka_unit_test_setup(positions_are_in_order, x86_test_setup),
        cmocka_unit_test_setup(a_run_ends_at_a_position, x86_test_setup),
        cmocka_unit_test_setup(a_step_ends_at_a_position, x86_test_setup),
        cmocka_unit_test_setup(the_past_is_refused, x86_test_setup),
        cmocka_unit_test_setup(modes_change_at_any_stop, x86_test_setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
