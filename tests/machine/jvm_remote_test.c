/* jvm_remote_test.c - the Java machine through its socket: stops, frames, values, calls, and what happens when it dies. */
#include "jvm_debuggee.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Tells the two halves of java_invoked apart. */
static ebb_status invoke(machine *m, java_invoke call, java_word *result, java_ref *thrown, ebb_error *err)
{
    java_invoked out = {0};
    ebb_status status = jvm_remote_invoke(m, &call, &out, err);
    *result = out.result;
    *thrown = out.thrown;
    return status;
}

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
    assert_ok(m->ops->kill(m, err));
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
        assert_ok(jvm_remote_frames(m, stop.thread, 0, 100, &frames, err));
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
    assert_ok(m->ops->point_clear(m, loop, err));
    const char *lazy = "Walk$Lazy";
    assert_ok(jvm_remote_want_classes(m, &lazy, 1, err));
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
            assert_ok(m->ops->decode(m, at, &insn, err));
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
    assert_ok(jvm_remote_local_get(m, (java_local_at){.tid = tid}, 'L', &self, err));
    assert_ok(jvm_remote_field_get(m, self.ref, dbg_field(m, "Walk", "field"), &field, err));
    assert_int_equal(field.i, 13);
    java_class_id cls;
    assert_ok(jvm_remote_class_of(m, self.ref, &cls, err));
    assert_int_equal(cls, dbg_class(m, "Walk"));
    java_word text, numbers;
    assert_ok(jvm_remote_field_get(m, 0, dbg_field(m, "Walk", "text"), &text, err));
    ebb_arena arena = {0};
    java_chars chars;
    assert_ok(jvm_remote_string(m, &arena, text.ref, 100, &chars, err));
    assert_string_equal(chars.utf8, "héllo");
    assert_int_equal(chars.length, 5);
    assert_ok(jvm_remote_field_get(m, 0, dbg_field(m, "Walk", "numbers"), &numbers, err));
    java_words items = {0};
    assert_ok(jvm_remote_array_get(m, numbers.ref, 1, 10, &items, err));
    assert_int_equal(items.n, 2);
    assert_int_equal(items.items[0].i, 2);
    ebb_vec_fini(&items);
    java_words locals = {0}, stack = {0};
    assert_ok(jvm_remote_slots(m, tid, 0, &locals, &stack, err));
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
    assert_ok(jvm_remote_threads(m, &arena, &threads, err));
    assert_string_equal(threads.items[0].name, "main");
    assert_string_equal(threads.items[0].state, "RUNNABLE");
    ebb_vec_fini(&threads);
    ebb_arena_fini(&arena);
    expect_end(m);
}

/* ---- steps ---- */

static machine_stop to_mark(machine *m, const char *mark)
{
    machine_point_id id = dbg_break_mark(m, "Walk", mark);
    machine_stop stop = dbg_run(m);
    expect_point(stop, id);
    assert_ok(m->ops->point_clear(m, id, err));
    return stop;
}

/* As a session steps by line: inside the bytecodes of the line. */
static machine_stop step_line(machine *m, machine_stop from, bool over_calls)
{
    const java_code *code;
    assert_ok(jvm_remote_code(m, java_place_method(from.place), &code, err));
    unsigned bci = java_place_bci(from.place), lo = 0, hi = code->nbytes;
    for (size_t k = 0; k < code->n_lines; k++) {
        if (code->lines[k].bci <= bci)
            lo = code->lines[k].bci;
        else if (code->lines[k].bci < hi)
            hi = code->lines[k].bci;
    }
    java_method_id method = java_place_method(from.place);
    return dbg_step(m, from.thread, method | lo, method + hi, over_calls);
}

static void expect_step_at(machine *m, machine_stop stop, const char *mark)
{
    assert_string_equal(machine_stop_word(stop.kind), "step");
    assert_int_equal(dbg_line(m, stop.place), dbg_line_of("Walk", mark));
}

static void steps_by_line(void **state)
{
    machine *m = dbg_start("Walk", "g", NULL);
    dbg_run_to_class(m, "Walk");
    machine_stop stop = to_mark(m, "main");
    stop = step_line(m, stop, true);
    expect_step_at(m, stop, "call-add");
    stop = step_line(m, stop, false);
    expect_step_at(m, stop, "add");
    assert_string_equal(dbg_method_name(m, stop.place), "add");
    stop = step_line(m, stop, true);
    stop = step_line(m, stop, true);
    expect_step_at(m, stop, "add-return");
    stop = step_line(m, stop, true); /* left by return: in the middle of the caller's line */
    expect_step_at(m, stop, "call-add");
    assert_true(java_place_bci(stop.place) > java_place_bci(dbg_line_place(m, "Walk", dbg_line_of("Walk", "call-add"))));
    stop = to_mark(m, "call-fact");
    stop = step_line(m, stop, true); /* recursion comes by the place that it waits at */
    stop = step_line(m, stop, true);
    expect_step_at(m, stop, "call-catcher");
    stop = step_line(m, stop, true); /* an exception inside is none of its business */
    expect_step_at(m, stop, "call-zero");
    stop = step_line(m, stop, true);
    expect_step_at(m, stop, "call-lazy");
    stop = step_line(m, stop, false); /* into the class initialiser, then into the method */
    assert_string_equal(dbg_method_name(m, stop.place), "<clinit>");
    expect_end(m);
}

/* Exceptions through several frames, and those the machine raises itself. */
static void steps_end_at_handlers(void **state)
{
    machine *m = dbg_start("Walk", "g", NULL);
    dbg_run_to_class(m, "Walk");
    machine_stop stop = to_mark(m, "throw");
    stop = step_line(m, stop, true);
    assert_string_equal(machine_stop_word(stop.kind), "step");
    assert_string_equal(dbg_method_name(m, stop.place), "catcher");
    stop = step_line(m, stop, true);
    expect_step_at(m, stop, "catch");
    stop = to_mark(m, "divide");
    stop = step_line(m, stop, true);
    assert_string_equal(dbg_method_name(m, stop.place), "zero");
    assert_int_equal(dbg_line(m, stop.place), dbg_line_of("Walk", "divide-catch") - 1);
    expect_end(m);
}

static void steps_pass_through_the_library(void **state)
{
    machine *m = dbg_start("Walk", "g", NULL);
    dbg_run_to_class(m, "Walk");
    machine_stop stop = to_mark(m, "apply");
    stop = step_line(m, stop, false);
    expect_step_at(m, stop, "lambda");
    stop = to_mark(m, "sort");
    stop = step_line(m, stop, false); /* List.sort calls the lambda */
    assert_string_equal(dbg_method_name(m, stop.place), "lambda$viaLibrary$1");
    stop = step_line(m, stop, false); /* and again: what lies between is passed through */
    assert_string_equal(dbg_method_name(m, stop.place), "lambda$viaLibrary$1");
    stop = step_line(m, stop, true); /* over: not into what the library calls next */
    expect_step_at(m, stop, "sorted");
    expect_end(m);
    m = dbg_start("Walk", "g", NULL);
    dbg_run_to_class(m, "Walk");
    assert_ok(jvm_remote_step_filter(m, NULL, 0, false, err));
    stop = to_mark(m, "sort");
    stop = step_line(m, stop, false);
    assert_string_not_equal(dbg_method_name(m, stop.place), "lambda$viaLibrary$1");
    const char *all_of_it = "Wal?";
    assert_ok(jvm_remote_step_filter(m, &all_of_it, 1, true, err));
    stop = to_mark(m, "sorted");
    stop = dbg_step(m, stop.thread, 0, 0, false); /* a step that begins in a filtered class may end in one */
    assert_string_equal(dbg_method_name(m, stop.place), "viaLibrary");
    expect_end(m);
}

typedef struct trace {
    struct { machine_place place; uint64_t time; unsigned depth; } at[4000];
    size_t n;
} trace;

static unsigned depth_of(machine *m, machine_tid tid)
{
    java_frames frames = {0};
    assert_ok(jvm_remote_frames(m, tid, 0, 1000, &frames, err));
    unsigned n = (unsigned)frames.n;
    ebb_vec_fini(&frames);
    return n;
}

/* Every bytecode of the program from main on, one at a time, library left out. */
static void record_trace(trace *all, const char *kind)
{
    machine *m = dbg_start("Walk", kind, NULL);
    dbg_run_to_class(m, "Walk");
    machine_point_id id = dbg_break(m, dbg_method(m, "Walk", "main")->id);
    machine_stop stop = dbg_run(m);
    expect_point(stop, id);
    assert_ok(m->ops->point_clear(m, id, err));
    all->n = 0;
    while (stop.kind != MACHINE_STOP_THREAD_END && all->n < 4000) {
        all->at[all->n].place = stop.place;
        all->at[all->n].time = m->ops->timestamp(m);
        all->at[all->n++].depth = depth_of(m, stop.thread);
        stop = dbg_step(m, stop.thread, 0, 0, false);
    }
    stop = dbg_run(m);
    assert_int_equal(stop.kind, MACHINE_STOP_EXITED);
    char *output = dbg_output();
    assert_string_equal(output, "331 9\n");
    free(output);
    m->ops->free(m);
}

/* The same positions are reached in another run by running to them, in any order of kinds of movement. */
static void positions_are_exact(const char *kind)
{
    static trace all, again;
    record_trace(&all, kind);
    record_trace(&again, kind);
    assert_true(all.n > 300);
    assert_int_equal(all.n, again.n);
    assert_memory_equal(all.at, again.at, all.n * sizeof *all.at);
    machine *m = dbg_start("Walk", kind, NULL);
    unsigned seed = 12345;
    size_t at = 0;
    while (at + 1 < all.n) {
        seed = seed * 1103515245 + 12345;
        unsigned far = (seed >> 16) % 40;
        at = at + 1 + far < all.n ? at + 1 + far : all.n - 1;
        machine_stop stop = dbg_resume(m, (machine_request){.move = MACHINE_RUN, .until = true, .until_time = all.at[at].time,
            .until_place = all.at[at].place});
        assert_string_equal(machine_stop_word(stop.kind), "position");
        assert_int_equal(stop.place, all.at[at].place);
        assert_int_equal(m->ops->timestamp(m), all.at[at].time);
        assert_int_equal(depth_of(m, stop.thread), all.at[at].depth);
        if (far % 3 == 0 && at + 1 < all.n) {
            stop = dbg_step(m, stop.thread, 0, 0, false);
            at++;
            assert_int_equal(stop.place, all.at[at].place);
            assert_int_equal(m->ops->timestamp(m), all.at[at].time);
        }
    }
    machine_stop stop = dbg_run(m);
    assert_int_equal(stop.kind, MACHINE_STOP_EXITED);
    m->ops->free(m);
    /* the first and the last at once */
    m = dbg_start("Walk", kind, NULL);
    stop = dbg_resume(m, (machine_request){.move = MACHINE_RUN, .until = true, .until_time = all.at[all.n - 1].time,
        .until_place = all.at[all.n - 1].place});
    assert_int_equal(stop.place, all.at[all.n - 1].place);
    assert_int_equal(m->ops->timestamp(m), all.at[all.n - 1].time);
    m->ops->free(m);
}

static void positions_are_exact_with_lines(void **state) { positions_are_exact("g"); }
static void positions_are_exact_without_lines(void **state) { positions_are_exact("none"); }

/* ---- exceptions, threads ---- */

static void exceptions(void **state)
{
    machine *m = dbg_start("Walk", "g", NULL);
    dbg_run_to_class(m, "Walk");
    to_mark(m, "call-catcher");
    assert_ok(m->ops->event_set(m, MACHINE_EVENT_THROW, true, err));
    assert_ok(m->ops->event_set(m, MACHINE_EVENT_CATCH, true, err));
    machine_stop stop = dbg_run(m);
    assert_string_equal(machine_stop_word(stop.kind), "throw");
    assert_int_equal(dbg_line(m, stop.place), dbg_line_of("Walk", "throw"));
    assert_false(stop.is_uncaught);
    java_class_id cls;
    const java_class *c;
    assert_ok(jvm_remote_class_of(m, stop.object, &cls, err));
    assert_ok(jvm_remote_class(m, cls, &c, err));
    assert_string_equal(c->name, "java.lang.IllegalStateException");
    uint64_t thrown = stop.object;
    stop = dbg_run(m);
    assert_string_equal(machine_stop_word(stop.kind), "catch");
    assert_int_equal(stop.object, thrown);
    assert_string_equal(dbg_method_name(m, stop.place), "catcher");
    stop = dbg_run(m); /* the machine's own */
    assert_string_equal(machine_stop_word(stop.kind), "throw");
    assert_int_equal(dbg_line(m, stop.place), dbg_line_of("Walk", "divide"));
    stop = dbg_run(m);
    assert_string_equal(machine_stop_word(stop.kind), "catch");
    assert_string_equal(dbg_method_name(m, stop.place), "zero");
    assert_ok(m->ops->event_set(m, MACHINE_EVENT_THROW, false, err));
    assert_ok(m->ops->event_set(m, MACHINE_EVENT_CATCH, false, err));
    assert_ok(m->ops->event_set(m, MACHINE_EVENT_UNCAUGHT, true, err));
    expect_end(m);
    m = dbg_start("Walk", "g", "x");
    assert_ok(m->ops->event_set(m, MACHINE_EVENT_UNCAUGHT, true, err));
    stop = dbg_run(m); /* Integer.parseInt("x") */
    assert_string_equal(machine_stop_word(stop.kind), "throw");
    assert_true(stop.is_uncaught);
    stop = dbg_run(m);
    assert_string_equal(machine_stop_word(stop.kind), "exited");
    assert_int_equal(stop.exit_status, 1);
    m->ops->free(m);
}

static void threads_start_and_end(void **state)
{
    machine *m = dbg_start("Walk", "g", NULL);
    dbg_run_to_class(m, "Walk");
    to_mark(m, "thread");
    size_t n;
    m->ops->threads(m, &n);
    assert_ok(m->ops->event_set(m, MACHINE_EVENT_THREAD_START, true, err));
    assert_ok(m->ops->event_set(m, MACHINE_EVENT_THREAD_END, true, err));
    machine_stop stop = dbg_run(m);
    assert_string_equal(machine_stop_word(stop.kind), "thread-start");
    size_t more;
    const machine_thread *list = m->ops->threads(m, &more);
    assert_int_equal(more, n + 1);
    assert_string_equal(list[more - 1].name, "worker");
    assert_int_equal(list[more - 1].tid, stop.thread);
    ebb_arena arena = {0};
    java_threads threads = {0};
    assert_ok(jvm_remote_threads(m, &arena, &threads, err));
    assert_string_equal(threads.items[0].name, "main");
    assert_string_equal(threads.items[0].state, "WAITING (on object monitor)"); /* join */
    assert_int_equal(threads.items[0].blocked_on, threads.items[more - 1].object);
    ebb_vec_fini(&threads);
    ebb_arena_fini(&arena);
    machine_tid worker = stop.thread;
    stop = dbg_run(m);
    assert_string_equal(machine_stop_word(stop.kind), "thread-end");
    assert_int_equal(stop.thread, worker);
    assert_ok(m->ops->event_set(m, MACHINE_EVENT_THREAD_START, false, err));
    assert_ok(m->ops->event_set(m, MACHINE_EVENT_THREAD_END, false, err));
    expect_end(m);
}

/* ---- data ---- */

static machine_point_id watch(machine *m, machine_point_kind kind, uint32_t space, uint64_t addr, uint64_t nbytes)
{
    machine_point p = {.kind = kind, .space = space, .addr = addr, .nbytes = nbytes};
    machine_point_id id;
    assert_ok(m->ops->point_set(m, &p, &id, err));
    return id;
}

static int64_t static_int(machine *m, const char *name)
{
    java_word w;
    assert_ok(jvm_remote_field_get(m, 0, dbg_field(m, "Walk", name), &w, err));
    return w.i;
}

/* A static field: every change of it, also by another thread, and nothing else. */
static void watched_static(void **state)
{
    machine *m = dbg_start("Walk", "g", NULL);
    dbg_run_to_class(m, "Walk");
    machine_point_id id = watch(m, MACHINE_POINT_WRITE, JAVA_SPACE_FIELD, dbg_field(m, "Walk", "total"), 0);
    static const int64_t values[] = {13, 133, 178, 278, 285, 327, 329, 330, 331};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        machine_stop stop = dbg_run(m);
        expect_point(stop, id);
        assert_int_equal(static_int(m, "total"), values[i]);
    }
    expect_end(m);
}

static void watched_fields(void **state)
{
    machine *m = dbg_start("Walk", "g", NULL);
    dbg_run_to_class(m, "Walk");
    machine_point_id all = watch(m, MACHINE_POINT_WRITE, JAVA_SPACE_FIELD, dbg_field(m, "Walk", "field"), 0);
    machine_stop stop = dbg_run(m); /* = 5, before the constructor's own code */
    expect_point(stop, all);
    stop = dbg_run(m);
    expect_point(stop, all);
    assert_ok(m->ops->point_clear(m, all, err));
    java_word self, value;
    assert_ok(jvm_remote_local_get(m, (java_local_at){.tid = stop.thread}, 'L', &self, err));
    const java_class *c;
    assert_ok(jvm_remote_class(m, dbg_class(m, "Walk"), &c, err));
    uint32_t offset = 0;
    for (size_t i = 0; i < c->n_fields; i++)
        if (strcmp(c->fields[i].name, "field") == 0)
            offset = c->fields[i].offset;
    machine_point_id read = watch(m, MACHINE_POINT_READ, JAVA_SPACE_OBJECT, self.ref + offset, 4);
    stop = dbg_run(m);
    expect_point(stop, read);
    assert_int_equal(dbg_line(m, stop.place), dbg_line_of("Walk", "add"));
    assert_ok(m->ops->point_clear(m, read, err));
    machine_point_id one = watch(m, MACHINE_POINT_WRITE, JAVA_SPACE_OBJECT, self.ref + offset, 4);
    stop = dbg_run(m);
    expect_point(stop, one);
    assert_ok(jvm_remote_field_get(m, self.ref, dbg_field(m, "Walk", "field"), &value, err));
    assert_int_equal(value.i, 13);
    expect_end(m);
}

/* Elements: by a bytecode, and by System.arraycopy. */
static void watched_elements(void **state)
{
    machine *m = dbg_start("Walk", "g", NULL);
    dbg_run_to_class(m, "Walk");
    to_mark(m, "main");
    java_word numbers;
    assert_ok(jvm_remote_field_get(m, 0, dbg_field(m, "Walk", "numbers"), &numbers, err));
    machine_point_id id = watch(m, MACHINE_POINT_WRITE, JAVA_SPACE_OBJECT, numbers.ref + 16, 12);
    machine_stop stop = dbg_run(m);
    expect_point(stop, id);
    assert_int_equal(dbg_line(m, stop.place), dbg_line_of("Walk", "arraycopy")); /* behind the store */
    stop = dbg_run(m);
    expect_point(stop, id);
    assert_int_equal(dbg_line(m, stop.place), dbg_line_of("Walk", "text"));
    expect_end(m);
}

static void watched_local(void **state)
{
    machine *m = dbg_start("Walk", "g", NULL);
    dbg_run_to_class(m, "Walk");
    machine_point_id at = dbg_break_mark(m, "Walk", "loop");
    machine_stop stop = dbg_run(m);
    expect_point(stop, at);
    assert_ok(m->ops->point_clear(m, at, err));
    java_frames frames = {0};
    assert_ok(jvm_remote_frames(m, stop.thread, 0, 1, &frames, err));
    machine_point_id sum = watch(m, MACHINE_POINT_WRITE, JAVA_SPACE_LOCAL, frames.items[0].id | 1, 1);
    ebb_vec_fini(&frames);
    for (int i = 1, total = 0; i < 10; i++) {
        stop = dbg_run(m);
        expect_point(stop, sum);
        total += i;
        assert_int_equal(dbg_int_local(m, stop.thread, 0, 1), total);
    }
    expect_end(m);
}

static void values_can_be_changed(void **state)
{
    machine *m = dbg_start("Walk", "g", NULL);
    dbg_run_to_class(m, "Walk");
    machine_stop stop = to_mark(m, "add");
    java_word seven = {.type = 'I', .i = 7}, bad = {.type = 'L', .ref = 0x1234}, numbers;
    assert_ok(jvm_remote_local_set(m, (java_local_at){stop.thread, 0, 1}, seven, err));
    java_word self;
    assert_ok(jvm_remote_local_get(m, (java_local_at){.tid = stop.thread}, 'L', &self, err));
    assert_ok(jvm_remote_field_set(m, self.ref, dbg_field(m, "Walk", "field"), seven, err));
    ebb_error why;
    assert_int_not_equal(jvm_remote_field_set(m, self.ref, dbg_field(m, "Walk", "field"), bad, &why), EBB_OK);
    assert_int_not_equal(jvm_remote_local_set(m, (java_local_at){.tid = stop.thread}, bad, &why), EBB_OK);
    stop = to_mark(m, "print");
    assert_ok(jvm_remote_field_get(m, 0, dbg_field(m, "Walk", "numbers"), &numbers, err));
    assert_ok(jvm_remote_array_set(m, numbers.ref, 2, seven, err));
    assert_int_not_equal(jvm_remote_array_set(m, numbers.ref, 3, seven, &why), EBB_OK);
    assert_int_equal(dbg_run(m).kind, MACHINE_STOP_EXITED);
    char *output = dbg_output();
    assert_string_equal(output, "332 7\n");
    free(output);
    m->ops->free(m);
}

/* ---- interrupts, locks ---- */


static machine_stop run_interrupted(machine *m)
{
    dbg_interrupt_after(m, 200);
    return dbg_run(m);
}

static void interrupts(void **state)
{
    const char *const modes[] = {"spin", "sleep"};
    for (int i = 0; i < 2; i++) {
        machine *m = dbg_start("Wait", "g", modes[i]);
        machine_stop stop = run_interrupted(m);
        assert_string_equal(machine_stop_word(stop.kind), "interrupted");
        uint64_t time = m->ops->timestamp(m);
        stop = run_interrupted(m);
        assert_string_equal(machine_stop_word(stop.kind), "interrupted");
        assert_true(m->ops->timestamp(m) >= time);
        m->ops->interrupt(m); /* none runs: the next one ends at once */
        stop = dbg_run(m);
        assert_string_equal(machine_stop_word(stop.kind), "interrupted");
        if (i == 1) {
            ebb_arena arena = {0};
            java_threads threads = {0};
            assert_ok(jvm_remote_threads(m, &arena, &threads, err));
            assert_string_equal(threads.items[0].state, "TIMED_WAITING (sleeping)");
            ebb_vec_fini(&threads);
            ebb_arena_fini(&arena);
        }
        pid_t pid = m->ops->pid(m);
        m->ops->free(m);
        assert_int_equal(kill(pid, 0), -1);
        free(dbg_output());
    }
}

static void deadlock(void **state)
{
    machine *m = dbg_start("Wait", "g", "deadlock");
    machine_stop stop = run_interrupted(m);
    assert_string_equal(machine_stop_word(stop.kind), "interrupted");
    java_tids tids = {0};
    assert_ok(jvm_remote_deadlock(m, &tids, err));
    assert_int_equal(tids.n, 2);
    ebb_arena arena = {0};
    java_threads threads = {0};
    assert_ok(jvm_remote_threads(m, &arena, &threads, err));
    unsigned seen = 0;
    for (size_t i = 0; i < threads.n; i++) {
        const java_thread *t = &threads.items[i];
        if (strcmp(t->name, "one") != 0 && strcmp(t->name, "two") != 0)
            continue;
        seen++;
        assert_string_equal(t->state, "BLOCKED (on object monitor)");
        assert_int_equal(t->blocked_by, t->tid == tids.items[0] ? tids.items[1] : tids.items[0]);
        assert_int_equal(t->n_held, 1);
        machine_tid owner;
        unsigned count;
        assert_ok(jvm_remote_lock_of(m, t->blocked_on, &owner, &count, err));
        assert_int_equal(owner, t->blocked_by);
        assert_int_equal(count, 1);
    }
    assert_int_equal(seen, 2);
    ebb_vec_fini(&threads);
    ebb_vec_fini(&tids);
    ebb_arena_fini(&arena);
    m->ops->free(m);
    free(dbg_output());
}

/* ---- calls and copies ---- */

static java_word word_int(int64_t i) { return (java_word){.type = 'I', .i = i}; }

static void scratch_calls(void **state)
{
    machine *m = dbg_start("Wait", "g", "stop");
    dbg_run_to_class(m, "Wait");
    machine_point_id id = dbg_break(m, dbg_line_place(m, "Wait", dbg_line_of("Wait", "stop") + 1));
    machine_stop stop = dbg_run(m);
    expect_point(stop, id);
    uint64_t time = m->ops->timestamp(m);
    java_word self, result, args[3] = {word_int(21)};
    java_ref thrown, text;
    assert_ok(jvm_remote_local_get(m, (java_local_at){stop.thread, 0, 1}, 'L', &self, err));
    java_method_id twice = dbg_method(m, "Wait", "twice")->id, mine = dbg_method(m, "Wait", "mine")->id;
    java_method_id failing = dbg_method(m, "Wait", "failing")->id, forever = dbg_method(m, "Wait", "forever")->id;
    java_method_id blocks = dbg_method(m, "Wait", "blocks")->id, to_string = dbg_method(m, "java.lang.Object", "toString")->id;
    java_field_id calls = dbg_field(m, "Wait", "calls");
    assert_ok(jvm_remote_scratch_begin(m, err));
    assert_true(jvm_remote_in_scratch(m));
    assert_ok(invoke(m, (java_invoke){stop.thread, 0, twice, false, args, 1}, &result, &thrown, err));
    assert_int_equal(result.i, 42);
    assert_int_equal(thrown, 0);
    assert_ok(jvm_remote_field_get(m, 0, calls, &result, err));
    assert_int_equal(result.i, 1);
    assert_ok(jvm_remote_new_string(m, "añ\xf0\x9f\x98\x80", &text, err));
    args[0] = (java_word){.type = 'J', .i = 1000};
    args[1] = (java_word){.type = 'D', .d = 20.75};
    args[2] = (java_word){.type = 'L', .ref = text};
    assert_ok(invoke(m, (java_invoke){stop.thread, self.ref, mine, true, args, 3}, &result, &thrown, err));
    assert_int_equal(result.i, 3 + 1000 + 20 + 4);
    assert_ok(invoke(m, (java_invoke){stop.thread, self.ref, to_string, true, NULL, 0}, &result, &thrown, err));
    ebb_arena arena = {0};
    java_chars chars;
    assert_ok(jvm_remote_string(m, &arena, result.ref, 100, &chars, err));
    assert_string_equal(chars.utf8, "Wait#3");
    args[0] = word_int(5);
    assert_ok(invoke(m, (java_invoke){stop.thread, 0, failing, false, args, 1}, &result, &thrown, err));
    assert_int_not_equal(thrown, 0);
    java_class_id cls;
    const java_class *c;
    assert_ok(jvm_remote_class_of(m, thrown, &cls, err));
    assert_ok(jvm_remote_class(m, cls, &c, err));
    assert_string_equal(c->name, "java.lang.IllegalArgumentException");
    assert_ok(invoke(m, (java_invoke){stop.thread, 0, blocks, false, NULL, 0}, &result, &thrown, err));
    assert_int_equal(result.i, 6);
    ebb_error why;
    assert_int_equal(invoke(m, (java_invoke){stop.thread, 0, twice, false, NULL, 0}, &result, &thrown, &why), EBB_BAD_INPUT);
    dbg_interrupt_after(m, 200);
    assert_int_equal(invoke(m, (java_invoke){stop.thread, 0, forever, false, NULL, 0}, &result, &thrown, &why), EBB_INTERRUPTED);
    java_ref object;
    assert_ok(jvm_remote_new_object(m, dbg_class(m, "Wait"), &object, err));
    assert_ok(jvm_remote_new_array(m, "[[Ljava.lang.String;", 4, &object, err));
    assert_ok(jvm_remote_class_of(m, object, &cls, err));
    assert_ok(jvm_remote_class(m, cls, &c, err));
    assert_string_equal(c->name, "java.lang.String[][]");
    assert_ok(jvm_remote_load_class(m, dbg_class(m, "Wait"), "Walk", true, &cls, err));
    assert_int_equal(jvm_remote_load_class(m, dbg_class(m, "Wait"), "Nowhere", true, &cls, &why), EBB_NOT_FOUND);
    jvm_remote_scratch_end(m);
    assert_false(jvm_remote_in_scratch(m));
    assert_ok(jvm_remote_field_get(m, 0, calls, &result, err)); /* nothing of it happened */
    assert_int_equal(result.i, 0);
    java_class_ids none = {0};
    assert_ok(jvm_remote_classes_named(m, "Walk", &none, err));
    assert_int_equal(none.n, 0);
    assert_int_equal(m->ops->timestamp(m), time);
    assert_ok(m->ops->point_clear(m, id, err));
    stop = dbg_run(m);
    assert_int_equal(stop.kind, MACHINE_STOP_EXITED);
    char *output = dbg_output();
    assert_string_equal(output, "Wait#3 0\n");
    free(output);
    ebb_arena_fini(&arena);
    m->ops->free(m);
}

static void live_calls(void **state)
{
    machine *m = dbg_start("Wait", "g", "stop");
    dbg_run_to_class(m, "Wait");
    machine_point_id id = dbg_break(m, dbg_line_place(m, "Wait", dbg_line_of("Wait", "stop") + 1));
    machine_stop stop = dbg_run(m);
    expect_point(stop, id);
    java_word result, args[1] = {word_int(4)};
    java_ref thrown;
    assert_ok(invoke(m, (java_invoke){stop.thread, 0, dbg_method(m, "Wait", "twice")->id, false, args, 1}, &result, &thrown, err));
    assert_int_equal(result.i, 8);
    dbg_interrupt_after(m, 200);
    ebb_error why;
    assert_int_equal(invoke(m, (java_invoke){stop.thread, 0, dbg_method(m, "Wait", "forever")->id, false, NULL, 0}, &result, &thrown, &why),
                     EBB_INTERRUPTED);
    java_word one = word_int(1);
    assert_ok(jvm_remote_field_set(m, 0, dbg_field(m, "Wait", "calls"), one, err));
    stop = dbg_run(m);
    assert_int_equal(stop.kind, MACHINE_STOP_EXITED);
    char *output = dbg_output();
    assert_string_equal(output, "twice\nWait#3 1\n");
    free(output);
    m->ops->free(m);
}

/* A thread that sleeps can be called on in a copy. */
static void scratch_calls_on_blocked_threads(void **state)
{
    machine *m = dbg_start("Wait", "g", "sleep");
    machine_stop stop = run_interrupted(m);
    assert_int_equal(stop.kind, MACHINE_STOP_INTERRUPTED);
    java_word result, args[1] = {word_int(4)};
    java_ref thrown;
    size_t n;
    const machine_thread *threads = m->ops->threads(m, &n);
    for (size_t i = 0; i < n; i++) {
        assert_ok(jvm_remote_scratch_begin(m, err));
        assert_ok(invoke(m, (java_invoke){threads[i].tid, 0, dbg_method(m, "Wait", "twice")->id, false, args, 1}, &result, &thrown, err));
        assert_int_equal(result.i, 8);
        assert_ok(invoke(m, (java_invoke){threads[i].tid, 0, dbg_method(m, "Wait", "blocks")->id, false, NULL, 0}, &result, &thrown, err));
        assert_int_equal(result.i, 6);
        jvm_remote_scratch_end(m);
    }
    m->ops->free(m);
    free(dbg_output());
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
        cmocka_unit_test(steps_by_line),
        cmocka_unit_test(steps_end_at_handlers),
        cmocka_unit_test(steps_pass_through_the_library),
        cmocka_unit_test(positions_are_exact_with_lines),
        cmocka_unit_test(positions_are_exact_without_lines),
        cmocka_unit_test(exceptions),
        cmocka_unit_test(threads_start_and_end),
        cmocka_unit_test(watched_static),
        cmocka_unit_test(watched_fields),
        cmocka_unit_test(watched_elements),
        cmocka_unit_test(watched_local),
        cmocka_unit_test(values_can_be_changed),
        cmocka_unit_test(interrupts),
        cmocka_unit_test(deadlock),
        cmocka_unit_test(scratch_calls),
        cmocka_unit_test(live_calls),
        cmocka_unit_test(scratch_calls_on_blocked_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
