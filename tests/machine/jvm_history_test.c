/* Going back on the Java machine: snapshots, and replay from them. */
#include "jvm_debuggee.h"

#include "time/timeline.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MARKS = 6 };
static const char *const marks[MARKS] = {"add", "call-fact", "catch", "lambda", "sorted", "print"};

typedef struct moment {
    uint64_t time, hash;
    machine_place place;
    unsigned depth;
} moment;

static moment moment_now(machine *m, machine_tid tid)
{
    moment now = {.time = m->ops->timestamp(m)};
    java_frames frames = {0};
    assert_ok(m->history->state_hash(m, &now.hash, err));
    assert_ok(jvm_remote_frames(m, tid, 0, 1000, &frames, err));
    now.depth = (unsigned)frames.n;
    now.place = frames.n > 0 ? frames.items[0].place : 0;
    ebb_vec_fini(&frames);
    return now;
}

static void expect_moment(machine *m, machine_tid tid, const moment *then)
{
    moment now = moment_now(m, tid);
    assert_int_equal(now.time, then->time);
    assert_int_equal(now.place, then->place);
    assert_int_equal(now.depth, then->depth);
    assert_int_equal(now.hash, then->hash);
}

static machine_stop to_moment(machine *m, const moment *then)
{
    return dbg_resume(m, (machine_request){.move = MACHINE_RUN, .until = true, .until_time = then->time, .until_place = then->place, .quiet = true});
}

static machine_stop run_to(machine *m, const char *mark)
{
    machine_point_id id = dbg_break_mark(m, "Walk", mark);
    machine_stop stop = dbg_run(m);
    assert_string_equal(machine_stop_word(stop.kind), "point");
    assert_ok(m->ops->point_clear(m, id, err));
    return stop;
}

/* Snapshots at each mark; then from each of them to each later one, in any order. */
static void back_and_forth(void **state)
{
    machine *m = dbg_start_recorded("Walk", "g", NULL);
    assert_true(machine_can(m, MACHINE_RECORDS));
    dbg_run_to_class(m, "Walk");
    moment at[MARKS];
    ebb_snapshot_id ids[MARKS];
    machine_tid tid = 0;
    for (int i = 0; i < MARKS; i++) {
        machine_stop stop = run_to(m, marks[i]);
        tid = stop.thread;
        at[i] = moment_now(m, tid);
        assert_ok(ebb_copies_take(copies_of(m), &ids[i], err));
        expect_moment(m, tid, &at[i]);
    }
    size_t n;
    const ebb_snapshot *list = ebb_copies_list(copies_of(m), &n);
    assert_int_equal(n, MARKS + 1); /* and the beginning */
    ebb_snapshot_id first = list[0].id;
    for (int i = MARKS - 1; i >= 0; i--) {
        assert_ok(ebb_copies_restore(copies_of(m), ids[i], err));
        expect_moment(m, tid, &at[i]);
        for (int k = i + 1; k < MARKS; k++) {
            machine_stop stop = to_moment(m, &at[k]);
            assert_string_equal(machine_stop_word(stop.kind), k == MARKS - 1 ? "history-end" : "position");
            expect_moment(m, tid, &at[k]);
        }
    }
    assert_ok(ebb_copies_restore(copies_of(m), first, err));
    assert_true(ebb_copies_is_replaying(copies_of(m)));
    assert_int_equal(ebb_copies_newest(copies_of(m)).at.timestamp, at[MARKS - 1].time);
    for (int k = 0; k < MARKS - 1; k++) {
        assert_string_equal(machine_stop_word(to_moment(m, &at[k]).kind), "position");
        expect_moment(m, tid, &at[k]);
    }
    /* points hold in the past too, and it ends at the newest state */
    machine_point_id print = dbg_break_mark(m, "Walk", "print");
    assert_string_equal(machine_stop_word(dbg_run(m).kind), "point");
    assert_ok(m->ops->point_clear(m, print, err));
    assert_string_equal(machine_stop_word(dbg_run(m).kind), "history-end");
    assert_string_equal(machine_stop_word(dbg_run(m).kind), "history-end");
    expect_moment(m, tid, &at[MARKS - 1]);
    assert_ok(ebb_copies_go_live(copies_of(m), err));
    expect_moment(m, tid, &at[MARKS - 1]);
    machine_stop stop = dbg_run(m);
    assert_int_equal(stop.kind, MACHINE_STOP_EXITED);
    /* the end is not the end: there is a way back, up to where it ended */
    assert_ok(ebb_copies_restore(copies_of(m), ids[2], err));
    expect_moment(m, tid, &at[2]);
    assert_string_equal(machine_stop_word(to_moment(m, &at[4]).kind), "position");
    expect_moment(m, tid, &at[4]);
    assert_string_equal(machine_stop_word(dbg_run(m).kind), "history-end");
    char *output = dbg_output(); /* once, whatever was replayed */
    assert_string_equal(output, "331 9\n");
    free(output);
    m->ops->free(m);
}

static void points_for_classes_to_come(void **state)
{
    machine *m = dbg_start_recorded("Walk", "g", NULL);
    dbg_run_to_class(m, "Walk");
    run_to(m, "print");
    machine_point_id lazy = dbg_break_mark(m, "Walk$Lazy", "clinit");
    size_t n;
    assert_ok(ebb_copies_restore(copies_of(m), ebb_copies_list(copies_of(m), &n)[0].id, err));
    machine_stop stop = dbg_run(m);
    assert_string_equal(machine_stop_word(stop.kind), "point");
    assert_int_equal(stop.points[0], lazy);
    assert_string_equal(machine_stop_word(dbg_run(m).kind), "history-end");
    m->ops->free(m);
    free(dbg_output());
}

/* What was set and called live happens again in replay. */
static void edits_are_part_of_history(void **state)
{
    machine *m = dbg_start_recorded("Walk", "g", NULL);
    dbg_run_to_class(m, "Walk");
    run_to(m, "main");
    ebb_snapshot_id before, after;
    assert_ok(ebb_copies_take(copies_of(m), &before, err));
    machine_stop stop = run_to(m, "add");
    java_word seven = {.type = 'I', .i = 7}, five = {.type = 'I', .i = 5}, string = {.type = 'L'};
    java_invoked out;
    moment here = moment_now(m, stop.thread);
    assert_ok(jvm_remote_local_set(m, (java_local_at){stop.thread, 0, 1}, seven, err));
    assert_ok(jvm_remote_new_string(m, "new text ", &string.ref, err));
    assert_ok(jvm_remote_field_set(m, 0, dbg_field(m, "Walk", "text"), string, err));
    java_invoke fact = {stop.thread, 0, dbg_method(m, "Walk", "fact")->id, false, &five, 1};
    assert_ok(jvm_remote_invoke(m, &fact, &out, err));
    assert_int_equal(out.result.i, 120);
    assert_ok(ebb_copies_take(copies_of(m), &after, err));
    stop = run_to(m, "print");
    moment end = moment_now(m, stop.thread);
    assert_ok(ebb_copies_restore(copies_of(m), before, err));
    to_moment(m, &here);
    expect_moment(m, stop.thread, &here);
    assert_string_equal(machine_stop_word(dbg_run(m).kind), "history-end");
    expect_moment(m, stop.thread, &end);
    assert_ok(ebb_copies_restore(copies_of(m), after, err));
    assert_string_equal(machine_stop_word(dbg_run(m).kind), "history-end");
    expect_moment(m, stop.thread, &end);
    assert_ok(ebb_copies_go_live(copies_of(m), err));
    assert_int_equal(dbg_run(m).kind, MACHINE_STOP_EXITED);
    m->ops->free(m);
    char *output = dbg_output();
    assert_string_equal(output, "335 9\n");
    free(output);
}

static unsigned n_taken;
static void count_taken(void *self) { n_taken++; }

/* Snapshots that are taken while it runs. */
static void taken_now_and_then(void **state)
{
    machine *m = dbg_start_recorded("Wait", "g", "spin");
    ebb_copies_set_pace(copies_of(m), (ebb_pace_rule){.interval_ms = 50}, count_taken, NULL);
    dbg_interrupt_after(m, 700);
    machine_stop stop = dbg_run(m);
    assert_string_equal(machine_stop_word(stop.kind), "interrupted");
    assert_true(n_taken >= 2);
    moment end = moment_now(m, stop.thread);
    size_t n;
    const ebb_snapshot *list = ebb_copies_list(copies_of(m), &n);
    assert_int_equal(n, n_taken + 1);
    ebb_snapshot last = list[n - 1], before = list[n - 2];
    assert_ok(ebb_copies_restore(copies_of(m), last.id, err));
    moment later = moment_now(m, stop.thread);
    assert_int_equal(later.time, last.at.timestamp);
    assert_int_equal(later.place, last.at.place);
    assert_ok(ebb_copies_restore(copies_of(m), before.id, err));
    machine_stop_kind kind = to_moment(m, &later).kind;
    assert_true(kind == MACHINE_STOP_POSITION || later.time == end.time); /* the last one may be of the end itself */
    expect_moment(m, stop.thread, &later);
    ebb_copies_drop(copies_of(m), last.id);
    assert_string_equal(machine_stop_word(dbg_run(m).kind), "history-end");
    expect_moment(m, stop.thread, &end);
    assert_ok(ebb_copies_go_live(copies_of(m), err));
    expect_moment(m, stop.thread, &end);
    m->ops->free(m);
    free(dbg_output());
}

/* A program that is killed leaves its history, up to its last moments. */
static void killed_programs_have_a_past(void **state)
{
    machine *m = dbg_start_recorded("Wait", "g", "spin");
    ebb_copies_set_pace(copies_of(m), (ebb_pace_rule){.interval_ms = 100}, NULL, NULL);
    uint64_t begin = m->ops->timestamp(m);
    pid_t pid = m->ops->pid(m), killer = fork();
    if (killer == 0) {
        usleep(700000);
        kill(pid, SIGKILL);
        _exit(0);
    }
    machine_stop stop = dbg_run(m);
    assert_string_equal(machine_stop_word(stop.kind), "killed");
    assert_int_equal(stop.signal, SIGKILL);
    waitpid(killer, NULL, 0);
    uint64_t newest = ebb_copies_newest(copies_of(m)).at.timestamp;
    assert_true(newest > begin);
    size_t n;
    ebb_snapshot_id first = ebb_copies_list(copies_of(m), &n)[0].id;
    assert_ok(ebb_copies_restore(copies_of(m), first, err));
    moment middle = {.time = begin + (newest - begin) / 2};
    assert_string_equal(machine_stop_word(to_moment(m, &middle).kind), "position");
    m->ops->free(m);
    free(dbg_output());
}

/* A recording in a file: replayed by a launcher that knows nothing of the program, also one that never came to an end. */
static void recordings_are_opened(void **state)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/jvm_history_test.%d", (int)getpid());
    const char *const programs[] = {"Walk", "Wait"};
    for (int i = 0; i < 2; i++) {
        machine *m = dbg_start_with(programs[i], "g", "spin", true, path, NULL);
        ebb_copies_set_pace(copies_of(m), (ebb_pace_rule){.interval_ms = 100}, NULL, NULL);
        dbg_interrupt_after(m, 500);
        dbg_run(m);
        ualarm(0, 0);
        m->ops->free(m);
        m = dbg_start_with("Nobody", "none", NULL, false, NULL, path);
        assert_true(ebb_copies_is_replaying(copies_of(m)));
        assert_true(ebb_copies_newest(copies_of(m)).at.timestamp > ebb_copies_oldest(copies_of(m)));
        dbg_run_to_class(m, programs[i]);
        size_t n;
        ebb_snapshot_id first = ebb_copies_list(copies_of(m), &n)[0].id;
        machine_stop stop = dbg_run(m);
        assert_string_equal(machine_stop_word(stop.kind), "history-end");
        assert_ok(ebb_copies_restore(copies_of(m), first, err));
        dbg_run_to_class(m, programs[i]);
        stop = dbg_run(m);
        assert_string_equal(machine_stop_word(stop.kind), "history-end");
        m->ops->free(m);
        free(dbg_output());
    }
    unlink(path);
}

/* ---- nothing is left over ---- */

enum { MAX_PIDS = 64 };

/* Processes of the group that are alive; the first MAX_PIDS of them. */
static unsigned list_group(pid_t group, pid_t *pids)
{
    unsigned n = 0;
    DIR *dir = opendir("/proc");
    for (const struct dirent *e; (e = readdir(dir)) != NULL;) {
        char path[300], line[300];
        int pid, pgrp;
        char state_letter;
        snprintf(path, sizeof path, "/proc/%s/stat", e->d_name);
        FILE *f = atoi(e->d_name) > 0 ? fopen(path, "r") : NULL;
        if (f == NULL)
            continue;
        const char *name_end = fgets(line, sizeof line, f) != NULL ? strrchr(line, ')') : NULL;
        if (name_end != NULL && sscanf(line, "%d", &pid) == 1 && sscanf(name_end + 1, " %c %*d %d", &state_letter, &pgrp) == 2 &&
            pgrp == group && state_letter != 'Z' && n < MAX_PIDS)
            pids[n++] = pid;
        fclose(f);
    }
    closedir(dir);
    return n;
}

static unsigned alive_in_group(pid_t group)
{
    pid_t pids[MAX_PIDS];
    return list_group(group, pids);
}

/* The one that is there now and was not before. */
static pid_t newcomer(pid_t group, const pid_t *before, unsigned n_before)
{
    pid_t now[MAX_PIDS];
    unsigned n = list_group(group, now);
    for (unsigned i = 0; i < n; i++) {
        bool is_old = false;
        for (unsigned k = 0; k < n_before; k++)
            is_old |= before[k] == now[i];
        if (!is_old)
            return now[i];
    }
    fail_msg("nobody came");
    return 0;
}

/* A snapshot whose process somebody killed is noticed, forgotten, and not missed. */
static void killed_snapshots_are_passed_over(void **state)
{
    machine *m = dbg_start_recorded("Walk", "g", NULL);
    dbg_run_to_class(m, "Walk");
    machine_stop stop = run_to(m, "add");
    moment add = moment_now(m, stop.thread);
    pid_t before[MAX_PIDS], group = m->ops->pid(m);
    unsigned n_before = list_group(group, before);
    ebb_snapshot_id id;
    ebb_timeline *tl = ebb_timeline_new(m);
    ebb_copies_set_pace(copies_of(m), (ebb_pace_rule){0}, NULL, NULL); /* no others come, for which this one could be given up */
    assert_ok(ebb_copies_take(copies_of(m), &id, err));
    pid_t victim = newcomer(group, before, n_before);
    run_to(m, "print");
    kill(victim, SIGKILL);
    size_t n_with, n_without;
    ebb_copies_list(copies_of(m), &n_with);
    ebb_error why;
    assert_int_equal(ebb_copies_restore(copies_of(m), id, &why), EBB_NOT_FOUND);
    assert_false(ebb_copies_is_replaying(copies_of(m)));
    ebb_copies_list(copies_of(m), &n_without);
    assert_int_equal(n_without, n_with - 1);
    assert_ok(ebb_timeline_seek(tl, (ebb_position){add.time, add.place}, &stop, err));
    expect_moment(m, stop.thread, &add);
    ebb_timeline_free(tl);
    m->ops->free(m);
    free(dbg_output());
}

/* MA5, for the debuggee, its snapshots, and a copy that replays: whatever they were doing when ebb was killed. */
static void all_die_with_the_debugger(void **state)
{
    for (int replaying = 0; replaying < 2; replaying++) {
        int told[2];
        pid_t group;
        assert_int_equal(pipe(told), 0);
        pid_t debugger = fork();
        if (debugger == 0) {
            machine *m = dbg_start_recorded("Wait", "g", "spin");
            ebb_copies_set_pace(copies_of(m), (ebb_pace_rule){.interval_ms = 50}, NULL, NULL);
            dbg_interrupt_after(m, 600);
            dbg_run(m);
            size_t n;
            if (replaying)
                assert_ok(ebb_copies_restore(copies_of(m), ebb_copies_list(copies_of(m), &n)[0].id, err));
            group = m->ops->pid(m);
            if (write(told[1], &group, sizeof group) != sizeof group)
                _exit(1);
            dbg_run(m);
            pause();
        }
        assert_int_equal(read(told[0], &group, sizeof group), sizeof group);
        assert_true(alive_in_group(group) >= 3);
        usleep(100000);
        kill(debugger, SIGKILL);
        waitpid(debugger, NULL, 0);
        for (int i = 0; i < 100 && alive_in_group(group) > 0; i++)
            usleep(50000);
        assert_int_equal(alive_in_group(group), 0);
        close(told[0]);
        close(told[1]);
    }
}

/* ---- under a timeline ---- */

static ebb_status accept_points(void *self, const machine_stop *stop, unsigned *verdict, ebb_error *err)
{
    *verdict = stop->kind != MACHINE_STOP_POINT ? EBB_PASS : stop->touched_by ? EBB_STOP_BEFORE : EBB_STOP_HERE;
    return EBB_OK;
}

static int64_t static_total(machine *m)
{
    java_word w;
    assert_ok(jvm_remote_field_get(m, 0, dbg_field(m, "Walk", "total"), &w, err));
    return w.i;
}

/* Backward by the timeline from after the end: breakpoints, single bytecodes, and changes of a field. */
static void backward_by_the_timeline(void **state)
{
    machine *m = dbg_start_recorded("Walk", "g", NULL);
    dbg_run_to_class(m, "Walk");
    ebb_timeline *tl = ebb_timeline_new(m);
    machine_request run = {0}, back = {.direction = MACHINE_BACKWARD, .move = MACHINE_STEP};
    ebb_judge judge = {NULL, accept_points};
    machine_stop stop;
    machine_point_id loop = dbg_break_mark(m, "Walk", "loop");
    for (int i = 0; i < 10; i++)
        assert_ok(ebb_timeline_run(tl, &run, &stop, err));
    assert_ok(ebb_timeline_run(tl, &run, &stop, err));
    assert_string_equal(machine_stop_word(stop.kind), "exited");
    for (int i = 9; i >= 0; i--) {
        assert_ok(ebb_timeline_run_back(tl, &judge, &stop, err));
        assert_string_equal(machine_stop_word(stop.kind), "point");
        assert_int_equal(dbg_int_local(m, stop.thread, 0, 2), i);
    }
    assert_ok(ebb_timeline_run_back(tl, &judge, &stop, err));
    assert_string_equal(machine_stop_word(stop.kind), "history-start");
    assert_ok(ebb_timeline_run(tl, &run, &stop, err));
    machine_place at = stop.place;
    for (back.thread = stop.thread; java_place_bci(at) > 0;) {
        assert_ok(ebb_timeline_run(tl, &back, &stop, err));
        assert_true(stop.place < at); /* straight on backward to the beginning of the method */
        at = stop.place;
    }
    assert_ok(m->ops->point_clear(m, loop, err));
    machine_point p = {.kind = MACHINE_POINT_WRITE, .space = JAVA_SPACE_FIELD, .addr = dbg_field(m, "Walk", "total")};
    machine_point_id id;
    assert_ok(m->ops->point_set(m, &p, &id, err));
    assert_ok(ebb_timeline_seek_end(tl, &stop, err));
    static const int64_t before[] = {330, 329, 327, 285, 278, 178, 133, 13, 0};
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        assert_ok(ebb_timeline_run_back(tl, &judge, &stop, err));
        assert_string_equal(machine_stop_word(stop.kind), "point");
        assert_int_equal(static_total(m), before[i]);
    }
    ebb_timeline_free(tl);
    m->ops->free(m);
    free(dbg_output());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(back_and_forth),
        cmocka_unit_test(points_for_classes_to_come),
        cmocka_unit_test(edits_are_part_of_history),
        cmocka_unit_test(taken_now_and_then),
        cmocka_unit_test(backward_by_the_timeline),
        cmocka_unit_test(killed_programs_have_a_past),
        cmocka_unit_test(recordings_are_opened),
        cmocka_unit_test(killed_snapshots_are_passed_over),
        cmocka_unit_test(all_die_with_the_debugger),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
