/* Random moves of busy threads: points come and go, threads too, the debuggee is let go and caught again.  What
 * must hold after each move is checked; a hang is caught by the alarm. */
#include "x86_test.h"

#include <sys/wait.h>

enum { MAX_POINTS = 12, SECONDS = 3 };

typedef struct world {
    machine *m;
    machine_point_id points[MAX_POINTS];
    size_t n_points;
    machine_tid current;
    uint64_t work, total;
    timer_t timer;
} world;

static machine *target;

static void interrupt_target(int signal)
{
    target->ops->interrupt(target);
}

static int chance(int one_in)
{
    return rand() % one_in == 0;
}

static void take_over(world *w, machine *m)
{
    w->m = target = m;
    w->n_points = 0;
    w->current = 0;
    w->work = symbol(m, "work");
    w->total = symbol(m, "total");
}

static machine_tid any_thread(world *w)
{
    size_t n;
    const machine_thread *threads = w->m->ops->threads(w->m, &n);
    assert_true(n > 0);
    for (size_t i = 0; i < n; i++)
        if (threads[i].tid == w->current && !chance(4))
            return w->current;
    return threads[(size_t)rand() % n].tid;
}

static void set_point(world *w)
{
    if (w->n_points == MAX_POINTS)
        return;
    machine_point point = {.kind = MACHINE_POINT_EXEC, .addr = w->work};
    if (chance(4))
        point = (machine_point){.kind = MACHINE_POINT_WRITE, .addr = w->total, .nbytes = 4};
    if (chance(3))
        point.thread = any_thread(w);
    assert_ok(w->m->ops->point_set(w->m, &point, &w->points[w->n_points], err));
    w->n_points++;
}

static void clear_point(world *w)
{
    if (w->n_points == 0)
        return;
    size_t i = (size_t)rand() % w->n_points;
    assert_ok(w->m->ops->point_clear(w->m, w->points[i], err));
    w->points[i] = w->points[--w->n_points];
}

static void let_go_and_catch(world *w)
{
    pid_t pid = w->m->ops->pid(w->m);
    assert_ok(w->m->ops->detach(w->m, 0, err));
    w->m->ops->free(w->m);
    usleep((useconds_t)(rand() % 2000));
    assert_int_equal(waitpid(pid, NULL, WNOHANG), 0); /* it lives */
    machine *m;
    assert_ok(x86_native_attach(pid, &m, err));
    take_over(w, m);
}

static void choose_events(world *w)
{
    static const machine_event events[] = {MACHINE_EVENT_THREAD_START, MACHINE_EVENT_THREAD_END, MACHINE_EVENT_SYSCALL};
    assert_ok(w->m->ops->event_set(w->m, events[rand() % 3], chance(3), err));
}

static void check_stop(world *w, const machine_stop *stop)
{
    switch (stop->kind) {
    case MACHINE_STOP_STEP: case MACHINE_STOP_POINT: case MACHINE_STOP_INTERRUPTED: case MACHINE_STOP_MODULES:
    case MACHINE_STOP_THREAD_START: case MACHINE_STOP_THREAD_END: case MACHINE_STOP_SYSCALL_ENTRY:
    case MACHINE_STOP_SYSCALL_RETURN:
        break;
    default: fail_msg("a stop that can't be: %s, signal %d", machine_stop_word(stop->kind), stop->signal);
    }
    assert_int_equal(reg(w->m, stop->thread, "rip"), stop->place);
    for (size_t i = 0; i < stop->n_points; i++) {
        bool set = false;
        for (size_t k = 0; k < w->n_points; k++)
            set |= w->points[k] == stop->points[i];
        assert_true(set);
    }
    assert_int_not_equal(read_number(w->m, w->work, 1), 0xcc); /* MA2 */
}

static void move(world *w)
{
    machine_request request = {.move = chance(2) ? MACHINE_STEP : MACHINE_RUN, .thread = any_thread(w)};
    if (request.move == MACHINE_STEP) {
        request.only_thread = chance(3);
        request.lo = w->work;
        request.hi = w->work + (chance(2) ? 0 : 24);
    }
    struct itimerspec soon = {.it_value = {0, (500 + rand() % 5000) * 1000L}}, never = {0};
    timer_settime(w->timer, 0, &soon, NULL);
    machine_stop stop = resume(w->m, request);
    timer_settime(w->timer, 0, &never, NULL);
    check_stop(w, &stop);
    w->current = stop.thread;
}

static void act(world *w)
{
    int what = rand() % 100;
    if (what < 6)
        set_point(w);
    else if (what < 16)
        clear_point(w);
    else if (what < 17)
        choose_events(w);
    else if (what < 18)
        let_go_and_catch(w);
    else
        move(w);
}

static void play(const char *mode, unsigned seed)
{
    world w = {0};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2};
    signal(SIGUSR2, interrupt_target);
    assert_int_equal(timer_create(CLOCK_MONOTONIC, &event, &w.timer), 0);
    srand(seed);
    take_over(&w, fixture_start("x86_threads", mode));
    time_t end = time(NULL) + SECONDS;
    while (time(NULL) < end)
        act(&w);
    timer_delete(w.timer);
    pid_t pid = w.m->ops->pid(w.m);
    w.m->ops->free(w.m);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static void busy_threads(void **state)
{
    play("spin", (unsigned)getpid());
}

static void threads_that_come_and_go(void **state)
{
    play("churn", (unsigned)getpid());
}

int main(void)
{
    print_message("seed %d\n", (int)getpid());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(busy_threads, x86_test_setup),
        cmocka_unit_test_setup(threads_that_come_and_go, x86_test_setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
