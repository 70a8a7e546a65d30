/* agent.c - serves the requests of ebb at a stop, and decides at each instruction that is looked at whether there is one. */
#include "jvm/agent/internal.h"

#include "base/log.h"
#include "base/text.h"
#include "jvm/engine/interp.h"
#include "jvm/record/record.h"
#include "jvm/record/edits.h"
#include "jvm/threads/scheduler.h"
#include "jvm/undo/undo.h"
#include "jvm/classes/unload.h"
#include "jvm/jvm.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

uint8_t jvm_trace;
bool jvm_agent_on, jvm_agent_exceptions, jvm_agent_monitors, jvm_agent_forces, jvm_agent_one_thread, jvm_agent_frames, jvm_agent_travels;
uint64_t jvm_agent_moment = UINT64_MAX;
agent_state agent = {.approaches = UINT64_MAX, .fd = -1, .fd_along = -1, .filter_library = true};

/* ---- beginning and end ---- */

static bool take_socket(void)
{
    const char *text = getenv("EBB_JVM_FD");
    uint64_t fd;
    if (text == NULL)
        return false;
    bool good = ebb_text_to_u64(text, &fd) && fd <= INT32_MAX && fcntl((int)fd, F_SETFD, FD_CLOEXEC) == 0;
    unsetenv("EBB_JVM_FD");
    agent.fd = good ? (int)fd : -1;
    agent.debugger = getppid();
    return good;
}

void jvm_agent_init(void)
{
    if (!take_socket() && !agent_knock())
        return;
    jvm_agent_on = true;
    jvm_unload_hook = agent_class_unloaded;
    jvm_divergence_hook = agent_replay_diverged;
}

void jvm_agent_started(void)
{
    agent.running = true;
    agent.wanted |= AGENT_WANT_START;
    if (jvm_is_replaying()) {
        agent.is_opened = true;
        agent_begin_replay();
        ebb_position end = agent_recording_end();
        agent.newest_time = end.timestamp;
        agent.newest_place = end.place;
    }
    agent_choose_trace();
}

/* AG2 */
_Noreturn static void leave(void)
{
    _exit(1);
}

/* ---- answering ---- */

ebb_status agent_do(const jvm_wire_message *m, ebb_arena *arena, ebb_buf *out, ebb_error *err)
{
    jvm_wire_reader r = {.at = (const uint8_t *)m->payload.data, .arena = arena};
    r.end = r.at + m->payload.n;
    if (agent_is_edit(m->code))
        jvm_undo_cut("a change that the user made");
    switch (m->code) {
#define JVM_WIRE_DO(name, request, reply)                                                          \
    case JVM_WIRE_CODE_##name: {                                                                   \
        jvm_wire_##request q;                                                                      \
        jvm_wire_##reply a = {0};                                                                  \
        if (!jvm_wire_get_##request(&r, &q))                                                       \
            return ebb_fail(err, EBB_BAD_INPUT, "A broken request: " #name ".");                   \
        ebb_status status = agent_serve_##name(&q, &a, arena, err);                                \
        if (status == EBB_OK)                                                                      \
            jvm_wire_put_##reply(out, &a);                                                         \
        return status;                                                                             \
    }
#include "jvm/wire/wire.def"
    default:
        return ebb_fail(err, EBB_BAD_INPUT, "An unknown request, number %u.", m->code);
    }
}

void agent_answer(uint16_t code, ebb_status status, ebb_buf *payload, const ebb_error *err)
{
    if (status != EBB_OK) {
        ebb_buf_truncate(payload, 0);
        ebb_buf_adds(payload, err->text);
    }
    if (jvm_wire_send(agent.fd, code, (uint16_t)status, payload, agent.fd_along, NULL) != EBB_OK)
        leave();
    if (agent.fd_along >= 0)
        close(agent.fd_along);
    agent.fd_along = -1;
}

void agent_receive(jvm_wire_message *m)
{
    if (jvm_wire_receive(agent.fd, m, NULL, NULL) != EBB_OK)
        leave();
}

void agent_serve_request(const jvm_wire_message *m)
{
    ebb_arena arena = {0};
    ebb_buf out = {0};
    ebb_error err;
    ebb_status status = agent_log_edit(m, &err);
    if (status == EBB_OK)
        status = agent_do(m, &arena, &out, &err);
    bool moves = m->code == JVM_WIRE_CODE_resume || m->code == JVM_WIRE_CODE_search; /* answered by the next stop */
    if ((!moves || status != EBB_OK) && !agent.no_answer)
        agent_answer(m->code, status, &out, &err);
    agent.no_answer = false;
    ebb_buf_fini(&out);
    ebb_arena_fini(&arena);
}

void agent_serve(void)
{
    jvm_wire_message m = {0};
    agent.running = false;
    while (!agent.running && !agent.rewinds) {
        agent_receive(&m);
        if (m.code != JVM_WIRE_CODE_interrupt) /* one that crossed the stop on its way */
            agent_serve_request(&m);
    }
    ebb_buf_fini(&m.payload);
    if (agent.rewinds && agent.is_apart)
        jvm_interpret_again(jvm_self);
    if (agent.rewinds)
        jvm_undo_go_back();
    agent_reenter();
}

void agent_stop(jvm_thread *t, jvm_wire_stop *stop)
{
    ebb_buf out = {0};
    int saved_errno = errno;
    agent.running = false;
    agent_step_end();
    if (agent.quiet)
        agent_points_mute(false);
    agent.until = agent.quiet = false;
    jvm_agent_one_thread = false;
    stop->thread = t == NULL ? 0 : t->id;
    stop->place = t == NULL ? 0 : agent_thread_place(t);
    stop->time = jvm_time();
    jvm_record_mark(stop->place);
    ebb_log("stop: %s at %llu", machine_stop_word(stop->kind), (unsigned long long)stop->time);
    agent_passed passed = agent_take_passed();
    stop->passed.items = passed.items;
    stop->passed.n = passed.n;
    uint16_t code = agent.searches ? JVM_WIRE_CODE_search : JVM_WIRE_CODE_resume;
    if (agent.searches)
        agent_search_end(stop, &out);
    else
        jvm_wire_put_stop(&out, stop);
    ebb_vec_fini(&passed);
    agent_answer(code, EBB_OK, &out, NULL);
    ebb_buf_fini(&out);
    agent_serve();
    errno = saved_errno;
}

ebb_status agent_serve_resume(const jvm_wire_request *q, jvm_wire_stop *a, ebb_arena *arena, ebb_error *err)
{
    if (q->move == MACHINE_STEP && !agent_step_begin(q))
        return ebb_fail(err, EBB_NOT_FOUND, "No thread %llu is there to be stepped.", (unsigned long long)q->thread);
    if (agent.is_apart && !agent.is_scratch)
        agent_run_apart();
    if (agent.is_scratch && !agent.is_apart)
        return ebb_fail(err, EBB_UNSUPPORTED, "A copy to try things out in doesn't go on.");
    agent_release_kept();
    agent.until = q->until != 0;
    agent.until_time = q->until_time;
    agent.until_place = q->until_place;
    agent.quiet = q->quiet != 0;
    if (agent.quiet)
        agent_points_mute(true); /* a loop with a breakpoint in it, which nobody wants to know of, is not slower for it */
    agent.counts = q->counts != 0;
    jvm_agent_one_thread = q->only_thread != 0;
    agent.running = true;
    agent_choose_trace();
    jvm_sched_moment_changed();
    return EBB_OK;
}

ebb_status agent_serve_interrupt(const jvm_wire_nothing *q, jvm_wire_nothing *a, ebb_arena *arena, ebb_error *err)
{
    return EBB_OK;
}

/* ---- while it runs ---- */

pid_t jvm_agent_debugger(void) { return agent.debugger; }

int jvm_agent_fd(void)
{
    return agent.fd;
}

/* A message while the machine runs is an interrupt, or the end. */
static bool take_interrupt(void)
{
    char byte;
    ssize_t n = recv(agent.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (n == 0)
        leave();
    if (n < 0)
        return false;
    jvm_wire_message m = {0};
    if (jvm_wire_receive(agent.fd, &m, NULL, NULL) != EBB_OK)
        leave();
    bool interrupt = m.code == JVM_WIRE_CODE_interrupt;
    ebb_buf_fini(&m.payload);
    return interrupt;
}

void jvm_agent_poll(void)
{
    if (!agent.running || !take_interrupt())
        return;
    if (agent.calling)
        agent.aborts = true;
    else
        agent.wanted |= AGENT_WANT_INTERRUPT;
    agent_choose_trace();
}

/* Whoever waits for a monitor can't be told to give up: in a copy that nobody needs it is enough to say so. */
static void end_blocked_call(void)
{
    if (agent.is_scratch) {
        ebb_error err;
        ebb_buf out = {0};
        ebb_status status = ebb_fail(&err, EBB_INTERRUPTED, "The call was interrupted.");
        agent_answer(JVM_WIRE_CODE_invoke, status, &out, &err);
        ebb_buf_fini(&out);
        agent.running = agent.calling = agent.aborts = false;
        agent.n_calls = 0;
        agent_serve();
    } else if (jvm_self != NULL) {
        jvm_interrupt(jvm_self);
    }
}

void jvm_agent_idle(void)
{
    if (!take_interrupt())
        return;
    if (agent.calling) {
        agent.aborts = true;
        agent_choose_trace();
        end_blocked_call();
        return;
    }
    jvm_wire_stop stop = {.kind = MACHINE_STOP_INTERRUPTED};
    agent.wanted = 0;
    agent_stop(jvm_self, &stop);
}

void jvm_agent_tick(void)
{
    agent_choose_trace();
}

/* Calls count time without looking whether the moment has come; so many may follow each other, each with a frame. */
static uint64_t blind_ticks(void)
{
    size_t nbytes = 0;
    for (const jvm_thread *t = jvm_threads_first(); t != NULL; t = t->next_all)
        nbytes = t->stack_size > nbytes ? t->stack_size : nbytes;
    return nbytes / sizeof(jvm_frame) + 4096;
}

/* More than can pass between two looks: a call, and what C code that it leads to counts. */
enum { LAST_TICKS = 8 };

/* How a moment is met exactly.  Far from it nothing is looked at.  From where calls in a row might jump over it on, every call is looked
 * at: what else counts time looks at the clock by itself.  In the last few ticks every instruction is. */
static bool approach(uint64_t next)
{
    uint64_t now = jvm_time(), blind = next != UINT64_MAX ? blind_ticks() : 0;
    agent.approaches = jvm_agent_moment = UINT64_MAX;
    if (next == UINT64_MAX)
        return false;
    if (next <= now + LAST_TICKS)
        return true;
    if (next <= now + blind)
        agent.approaches = jvm_agent_moment = next - LAST_TICKS;
    else
        jvm_agent_moment = next - blind;
    return false;
}

void agent_touches_changed(void)
{
    bool waits = agent.n_touches > 0;
    enum jvm_trace trace = waits ? JVM_TRACE_ALL : agent.at_rest.trace;
    if ((jvm_trace & JVM_TRACE_KIND) == JVM_TRACE_COUNTED)
        trace = JVM_TRACE_COUNTED;
    jvm_trace = (uint8_t)(trace | (jvm_trace & (JVM_TRACE_VARIANT | JVM_TRACE_SHARED)));
    agent.only_points = trace == JVM_TRACE_NOTHING && agent.at_rest.only_points;
}

void agent_choose_trace(void)
{
    uint64_t next = agent.until ? agent.until_time : UINT64_MAX;
    if (agent.is_replay && agent.newest_time < next)
        next = agent.newest_time;
    const ebb_edit_hint *edit = jvm_edit_next();
    if (edit != NULL && edit->at.timestamp < next)
        next = edit->at.timestamp;
    bool is_there = approach(next);
    bool stepping = agent.step.active && agent.step.waits_at == NULL && !agent.step.is_long;
    bool all = agent.wanted != 0 || agent.aborts || is_there || stepping || agent.n_local_reads > 0 ||
               (agent.n_references > 0 && agent.n_locals > 0) || agent.forced.n > 0 || agent.lock_events.n > 0;
    bool data = agent.n_data > 0 && (!agent.quiet || agent.n_locals > 0); /* which variable is meant is known by following its frame */
    agent.at_rest.trace = all ? JVM_TRACE_ALL : data ? agent.n_heap_writes == agent.n_data ? JVM_TRACE_WRITES : agent.n_references > 0 ? JVM_TRACE_MOVES : JVM_TRACE_DATA
        : agent.approaches != UINT64_MAX ? JVM_TRACE_CALLS : JVM_TRACE_NOTHING;
    agent.at_rest.only_points = !agent.step.active && agent.n_locals == 0 && !agent.calling;
    agent.at_rest.only_data = data && !all && !agent.step.active && agent.n_early == 0 && !agent.calling;
    agent_touches_changed();
    const unsigned exceptions = 1u << MACHINE_EVENT_THROW | 1u << MACHINE_EVENT_CATCH | 1u << MACHINE_EVENT_UNCAUGHT;
    const unsigned locks = 1u << MACHINE_EVENT_LOCK_BLOCKED | 1u << MACHINE_EVENT_LOCK_ENTERED | 1u << MACHINE_EVENT_WAIT | 1u << MACHINE_EVENT_WAITED;
    jvm_agent_exceptions = (agent.events & exceptions) != 0 || agent.step.active || agent.n_locals > 0 || agent.until || agent.is_replay;
    jvm_agent_monitors = (agent.events & locks) != 0 || agent.until || agent.is_replay;
}

/* ---- before an instruction ---- */

bool agent_moment_same(const agent_moment *a, const agent_moment *b)
{
    return a->thread == b->thread && a->frame == b->frame && a->pc == b->pc && a->time == b->time;
}

static bool wanted_stop(jvm_wire_stop *stop)
{
    if ((agent.wanted & ~(unsigned)AGENT_WANT_SNAPSHOT) == 0)
        return false;
    stop->kind = agent.wanted & AGENT_WANT_INTERRUPT ? MACHINE_STOP_INTERRUPTED : MACHINE_STOP_STEP;
    return true;
}

static bool position_has_come(const jvm_frame *f, uint64_t time)
{
    if (!agent.until || time < agent.until_time)
        return false;
    return time > agent.until_time || jvm_frame_place(f) >= agent.until_place;
}

/* Room for what is reached, so that a hit that is noted costs no allocation. */
static jvm_wire_number reached[MACHINE_STOP_MAX_POINTS];

static void consider_stop(jvm_thread *t, jvm_frame *f, uint64_t time)
{
    jvm_wire_stop stop = {.kind = MACHINE_STOP_POINT, .points = {.items = reached, .cap = MACHINE_STOP_MAX_POINTS}};
    bool stepped = agent.step.active && agent.step.thread == t && agent_step_is_done(t, f);
    if (agent.n_locals > 0)
        agent_locals_left(t, f);
    if (agent.n_touches > 0)
        agent_data_after(t, f, &stop);
    if (agent.n_locals > 0)
        agent_locals_entered(t, f, &stop);
    bool is_newest = agent_is_at_newest(f, time), has_come = position_has_come(f, time);
    bool is_wanted = (agent.wanted & ~(unsigned)AGENT_WANT_SNAPSHOT) != 0;
    agent_points_at(t, f, stop.points.n > 0 || stepped || is_newest || has_come || is_wanted, &stop);
    if (agent.searches && stop.points.n > 0)
        agent_search_note(t, &stop, time, has_come);
    bool stops = stop.points.n > 0;
    stop.step_is_done = stepped;
    if (!stops && agent_search_is_full()) {
        stop.kind = MACHINE_STOP_POSITION;
        stops = true;
    }
    if (!stops && is_newest) {
        stop.kind = MACHINE_STOP_HISTORY_END;
        stops = true;
    }
    if (!stops && has_come) {
        stop.kind = MACHINE_STOP_POSITION;
        stops = true;
    }
    if (!stops && wanted_stop(&stop)) {
        stops = true;
        agent.wanted = 0;
    }
    if (!stops && stepped) {
        stop.kind = MACHINE_STOP_STEP;
        stops = true;
    }
    if (stops)
        agent_stop(t, &stop);
}

/* Before anything else: ebb may set points for those classes right here. */
static void tell_of_classes(jvm_thread *t)
{
    jvm_wire_stop stop = {.kind = MACHINE_STOP_MODULES};
    agent.wanted &= ~(unsigned)AGENT_WANT_MODULES;
    while (agent.linked.n > 0) {
        stop.points.n = 0;
        for (size_t i = 0; i < agent.linked.n && i < MACHINE_STOP_MAX_POINTS; i++)
            ebb_vec_push(&stop.points, ((jvm_wire_number){.value = agent.linked.items[i]}));
        agent.linked.n -= stop.points.n;
        memmove(agent.linked.items, agent.linked.items + stop.points.n, agent.linked.n * sizeof *agent.linked.items);
        agent_stop(t, &stop);
    }
    ebb_vec_fini(&stop.points);
}

/* Before a point at the thread's first bytecode is. */
static void tell_of_thread(jvm_thread *t)
{
    jvm_wire_stop stop = {.kind = agent.wanted & AGENT_WANT_THREAD_START ? MACHINE_STOP_THREAD_START : MACHINE_STOP_THREAD_END};
    agent.wanted &= ~(unsigned)(AGENT_WANT_THREAD_START | AGENT_WANT_THREAD_END);
    agent_stop(t, &stop);
}

void jvm_agent_again(jvm_thread *t, jvm_frame *f)
{
    agent.here = (agent_moment){t, f, f->pc, jvm_time()};
}

void jvm_agent_took_time(jvm_thread *t, jvm_frame *f)
{
    agent.late = (agent_moment){t, f, f->pc, jvm_time()};
}

bool agent_is_late(const jvm_thread *t, const jvm_frame *f)
{
    agent_moment now = {t, f, f->pc, jvm_time()};
    return agent_moment_same(&now, &agent.late);
}

static uint16_t look(jvm_thread *t, jvm_frame *f)
{
    agent_moment now = {t, f, f->pc, jvm_time()};
    bool again = agent_moment_same(&now, &agent.here); /* AG3 */
    agent.here = now;
    if (agent.calling) {
        if (agent.aborts)
            agent_abort_call(t);
        return jvm_xop_first(jvm_insn_op(f->pc));
    }
    if (now.time >= agent.approaches)
        agent_choose_trace();
    if (agent.wanted & AGENT_WANT_MODULES)
        tell_of_classes(t);
    if (agent.wanted & (AGENT_WANT_THREAD_START | AGENT_WANT_THREAD_END))
        tell_of_thread(t);
    if (agent.lock_events.n > 0)
        agent_tell_lock_events(t);
    if (agent.wanted & AGENT_WANT_SNAPSHOT)
        again = agent_snapshot_here() || again;
    if (!again && agent.is_opened && agent_is_at_newest(f, now.time))
        agent_do_edits(f, now.time); /* a recording ends with what the user saw last */
    if (!again)
        consider_stop(t, f, now.time);
    if (jvm_is_replaying())
        agent_do_edits(f, now.time);
    uint16_t op = jvm_xop_first(jvm_insn_op(f->pc));
    if (agent.forced.n > 0 && agent_force(t, f, &op)) {
        jvm_agent_forces = t->exception == NULL;
        return op;
    }
    if (agent.n_data > 0 && !agent.quiet) {
        agent_data_about(t, f, op);
        agent_data_before(t, f, op);
    }
    if (agent.n_references > 0 && !agent.quiet)
        agent_travel_before(t, f, op);
    return op;
}

/* Only data is watched: nothing else can stop it here. */
static bool passes_data(const jvm_thread *t, const jvm_frame *f, uint16_t op)
{
    bool is_far = agent_data_is_far(t, f, op) && (agent.n_references == 0 || agent_travel_is_far(f, op));
    if (is_far || agent.quiet)
        return is_far;
    if (agent.n_references > 0 || (agent.n_locals > 0 && !agent_locals_are_far(t, f, -1)))
        return false;
    agent.here = (agent_moment){t, f, f->pc, jvm_time()};
    agent_data_before(t, f, op);
    return true;
}

/* Most looks are for a condition that is false, or at data that nobody watches. */
static bool passes_at_once(const jvm_thread *t, const jvm_frame *f, uint16_t *op)
{
    if (f->pc->op == JVM_X_breakpoint)
        return agent.only_points && agent_points_pass(t, f, op);
    if (!agent.at_rest.only_data || jvm_time() >= agent.approaches || (agent.n_touches > 0 && !agent_data_passes(t, f)))
        return false;
    *op = jvm_xop_first(f->pc->op);
    return passes_data(t, f, *op);
}

uint16_t jvm_agent_look(jvm_thread *t, jvm_frame *f)
{
    uint16_t op;
    if (passes_at_once(t, f, &op))
        return op;
    agent.in_look = true;
    jvm_agent_forces = false;
    op = look(t, f);
    agent.in_look = false;
    return op;
}

/* ---- what happens ---- */

static bool is_wanted(const jvm_class *cls)
{
    char *name = jvm_class_external_name(cls);
    bool wanted = false;
    for (size_t i = 0; i < agent.classes.n && !wanted; i++)
        wanted = fnmatch(agent.classes.items[i], name, 0) == 0 ||
                 (cls->source_file != NULL && strcmp(agent.classes.items[i], cls->source_file->text) == 0);
    free(name);
    return wanted;
}

void jvm_agent_linked(const jvm_class *cls)
{
    if (agent.n_data > 0)
        agent_data_linked(cls);
    if (agent.classes.n == 0 || !agent_may_stop() || !is_wanted(cls))
        return;
    agent.wanted |= AGENT_WANT_MODULES;
    ebb_vec_push(&agent.linked, cls->serial);
    agent_choose_trace();
}

void jvm_agent_thread_starts(jvm_thread *t)
{
    if (!(agent.events & 1u << MACHINE_EVENT_THREAD_START) || !agent_may_stop())
        return;
    agent.wanted |= AGENT_WANT_THREAD_START;
    agent_choose_trace();
}

void jvm_agent_thread_ends(jvm_thread *t)
{
    bool stepped = agent.step.active && agent.step.thread == t;
    if ((!stepped && !(agent.events & 1u << MACHINE_EVENT_THREAD_END)) || !agent_may_stop())
        return;
    agent.wanted |= AGENT_WANT_THREAD_END;
    agent_choose_trace();
}
