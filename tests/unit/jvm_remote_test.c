#include "jvm_debuggee.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Runs to the end, whose output is that of an undebugged run. */
static void expect_end(machine *m)
{
    machine_stop stop = dbg_run(m);
    assert_string_equal(machine_stop_word(stop.kind), "exited");
    assert_int_equal(stop.exit_status, 0);
    char *output = dbg_output();
    assert_string_equal(output, "331 9\n");
    free(output);
    m->ops->free(m);
}

#define expect_point(stop, id) expect_point_(stop, id, __LINE__)
static void expect_point_(machine_stop stop, machine_point_id id, int line)
{
    if (stop.kind != MACHINE_STOP_POINT)
        fail_msg("line %d: %s instead of point %d", line, machine_stop_word(stop.kind), id);
    assert_int_equal(stop.n_points, 1);
    assert_int_equal(stop.points[0], id);
}

static void runs_and_exits(void **state)
{
    expect_end(dbg_start("Walk", "g", NULL));
    machine *m = dbg_start("Walk", "g", "42");
    machine_stop stop = dbg_run(m);
    assert_int_equal(stop.kind, MACHINE_STOP_EXITED);
    assert_int_equal(stop.exit_status, 42);
    machine_request again = {0};
    assert_int_equal(m->ops->resume(m, &again, &stop, NULL), EBB_GONE);
    m->ops->free(m);
}

static void a_bad_option_is_told_by_resume(void **state)
{
    machine *m = dbg_start("-XX:NoSuchThing", "g", NULL);
    machine_stop stop = dbg_run(m);
    assert_int_equal(stop.kind, MACHINE_STOP_EXITED);
    assert_int_equal(stop.exit_status, 1);
    m->ops->free(m);
}

static void kill_and_free_leave_nothing(void **state)
{
    machine *m = dbg_start("Walk", "g", NULL);
    pid_t pid = m->ops->pid(m);
    must(m->ops->kill(m, err));
    assert_int_equal(kill(pid, 0), -1);
    m->ops->free(m);
    m = dbg_start("Walk", "g", NULL);
    pid = m->ops->pid(m);
    m->ops->free(m);
    assert_int_equal(kill(pid, 0), -1);
}

/* Loops, recursion, class initialisers, lambdas, constructors; fused instructions among them. */
static void breakpoints(void **state)
{
    machine *m = dbg_start("Walk", "g", NULL);
    dbg_run_to_class(m, "Walk");
    machine_point_id constructor = dbg_break_mark(m, "Walk", "constructor"), loop = dbg_break_mark(m, "Walk", "loop");
    machine_point_id fact = dbg_break_mark(m, "Walk", "fact");
    expect_point(dbg_run(m), constructor);
    for (int n = 5; n >= 1; n--) {
        machine_stop stop = dbg_run(m);
        expect_point(stop, fact);
        assert_int_equal(dbg_int_local(m, stop.thread, 0, 0), n);
        java_frames frames = {0};
        must(jvm_remote_frames(m, stop.thread, 0, 100, &frames, err));
        assert_int_equal(frames.n, 7 - n);
        assert_int_equal(dbg_line(m, frames.items[frames.n - 1].place), dbg_line_of("Walk", "call-fact"));
        ebb_vec_fini(&frames);
    }
    uint64_t time = m->ops->timestamp(m);
    for (int i = 0; i < 10; i++) {
        machine_stop stop = dbg_run(m);
        expect_point(stop, loop);
        assert_int_equal(dbg_int_local(m, stop.thread, 0, 2), i);
        assert_true(m->ops->timestamp(m) > time);
        time = m->ops->timestamp(m);
    }
    must(m->ops->point_clear(m, loop, err));
    const char *lazy = "Walk$Lazy";
    must(jvm_remote_want_classes(m, &lazy, 1, err));
    assert_int_equal(dbg_run(m).kind, MACHINE_STOP_MODULES);
    machine_point_id clinit = dbg_break_mark(m, "Walk$Lazy", "clinit");
    expect_point(dbg_run(m), clinit);
    machine_point_id lambda = dbg_break(m, dbg_method(m, "Walk", "lambda$lambda$0")->id);
    machine_stop stop = dbg_run(m);
    expect_point(stop, lambda);
    assert_int_equal(dbg_int_local(m, stop.thread, 0, 0), 21);
    expect_end(m);
}

/* Every bytecode of a method has a breakpoint, so none may be skipped by fused or quickened ones, and none be hit twice. */
static void every_bytecode(const char *kind)
{
    machine *m = dbg_start("Walk", kind, NULL);
    dbg_run_to_class(m, "Walk");
    const char *names[] = {"main", "add", "loop", "catcher", "viaLibrary"};
    size_t n_points = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const java_method *method = dbg_method(m, "Walk", names[i]);
        for (machine_place at = method->id; at < method->id + method->n_code;) {
            machine_insn insn;
            must(m->ops->decode(m, at, &insn, err));
            dbg_break(m, at);
            n_points++;
            at += insn.nbytes;
        }
    }
    machine_place last = 0;
    uint64_t last_time = 0;
    size_t hits = 0;
    machine_stop stop;
    while ((stop = dbg_run(m)).kind == MACHINE_STOP_POINT) {
        uint64_t time = m->ops->timestamp(m);
        assert_true(stop.place != last || time != last_time);
        last = stop.place;
        last_time = time;
        hits++;
    }
    assert_int_equal(stop.kind, MACHINE_STOP_EXITED);
    assert_true(hits > n_points);
    char *output = dbg_output();
    assert_string_equal(output, "331 9\n");
    free(output);
    m->ops->free(m);
}

static void every_bytecode_with_lines(void **state) { every_bytecode("g"); }
static void every_bytecode_without_lines(void **state) { every_bytecode("none"); }

static void looking_at_data(void **state)
{
    machine *m = dbg_start("Walk", "g", NULL);
    dbg_run_to_class(m, "Walk");
    expect_point(dbg_run(m), (dbg_break_mark(m, "Walk", "add-return"), 1));
    machine_tid tid = m->ops->threads(m, &(size_t){0})[0].tid;
    java_word self, field;
    must(jvm_remote_local_get(m, tid, 0, 0, 'L', &self, err));
    must(jvm_remote_field_get(m, self.ref, dbg_field(m, "Walk", "field"), &field, err));
    assert_int_equal(field.i, 13);
    java_class_id cls;
    must(jvm_remote_class_of(m, self.ref, &cls, err));
    assert_int_equal(cls, dbg_class(m, "Walk"));
    java_word text, numbers;
    must(jvm_remote_field_get(m, 0, dbg_field(m, "Walk", "text"), &text, err));
    ebb_arena arena = {0};
    const char *utf8;
    uint32_t length;
    must(jvm_remote_string(m, &arena, text.ref, 100, &utf8, &length, err));
    assert_string_equal(utf8, "héllo");
    assert_int_equal(length, 5);
    must(jvm_remote_field_get(m, 0, dbg_field(m, "Walk", "numbers"), &numbers, err));
    java_words items = {0};
    must(jvm_remote_array_get(m, numbers.ref, 1, 10, &items, err));
    assert_int_equal(items.n, 2);
    assert_int_equal(items.items[0].i, 2);
    ebb_vec_fini(&items);
    java_words locals = {0}, stack = {0};
    must(jvm_remote_slots(m, tid, 0, &locals, &stack, err));
    assert_int_equal(locals.n, 3);
    assert_int_equal(locals.items[0].type, 'L');
    assert_int_equal(locals.items[2].i, 13);
    ebb_vec_fini(&locals);
    ebb_vec_fini(&stack);
    ebb_error why;
    java_class_id none;
    assert_int_equal(jvm_remote_class_of(m, 0x1234, &none, &why), EBB_NOT_FOUND);
    const java_class *c;
    assert_int_equal(jvm_remote_class(m, 99999999, &c, &why), EBB_NOT_FOUND);
    java_threads threads = {0};
    must(jvm_remote_threads(m, &arena, &threads, err));
    assert_string_equal(threads.items[0].name, "main");
    assert_string_equal(threads.items[0].state, "RUNNABLE");
    ebb_vec_fini(&threads);
    ebb_arena_fini(&arena);
    expect_end(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_and_exits),
        cmocka_unit_test(a_bad_option_is_told_by_resume),
        cmocka_unit_test(kill_and_free_leave_nothing),
        cmocka_unit_test(breakpoints),
        cmocka_unit_test(every_bytecode_with_lines),
        cmocka_unit_test(every_bytecode_without_lines),
        cmocka_unit_test(looking_at_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
