/* machine.c - the Java machine at the other end of a line, as a machine of machine/machine.h. */
#include "jvm/remote/machine_ops.h"

#include "base/check.h"
#include "jvm/remote/line.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static ebb_status is_gone(ebb_error *err)
{
    return ebb_fail(err, EBB_GONE, "The program is not running.");
}

static unsigned capabilities(machine *m)
{
    return MACHINE_COUNTS_TIME | MACHINE_KNOWS_FRAMES | (jvm_remote_of(m)->records ? MACHINE_RECORDS | MACHINE_REWINDS : 0);
}

/* ---- moving ---- */

static enum machine_stop_kind last_kind(void) { return MACHINE_STOP_WAITED; }

static bool is_stop(const jvm_wire_stop *s)
{
    return s->kind <= last_kind();
}

machine_stop jvm_remote_stop(const jvm_wire_stop *s)
{
    machine_stop stop = {.kind = s->kind, .thread = (machine_tid)s->thread, .place = s->place, .signal = s->signal, .object = s->object,
                         .was = s->was, .is_uncaught = s->is_uncaught != 0, .caught_at = s->caught_at, .touched_by = s->touched_by, .is_new = s->is_new != 0,
                         .caused_by = s->caused_by, .caused_in = s->caused_in, .step_is_done = s->step_is_done != 0};
    for (size_t i = 0; i < s->points.n && i < MACHINE_STOP_MAX_POINTS; i++)
        stop.points[stop.n_points++] = (machine_point_id)s->points.items[i].value;
    return stop;
}

static void note_stop(jvm_remote *r, const jvm_wire_stop *s)
{
    r->time = s->time;
    r->place = s->place;
    r->thread = (machine_tid)s->thread;
}

ebb_status jvm_remote_read_stop(jvm_remote *r, const jvm_wire_message *m, machine_stop *stop, ebb_error *err)
{
    ebb_arena arena = {0};
    jvm_wire_stop s;
    jvm_wire_reader reader = {.at = (const uint8_t *)m->payload.data, .arena = &arena};
    reader.end = reader.at + m->payload.n;
    if (m->code == JVM_WIRE_CODE_resume && m->status != EBB_OK && m->status <= EBB_SYSTEM)
        return ebb_fail(err, (ebb_status)m->status, "%s", ebb_buf_text(&m->payload));
    bool good = m->code == JVM_WIRE_CODE_resume && m->status == EBB_OK && jvm_wire_get_stop(&reader, &s) && is_stop(&s);
    if (good) {
        *stop = jvm_remote_stop(&s);
        note_stop(r, &s);
        jvm_remote_note_passed(r, s.passed.items, s.passed.n);
    }
    ebb_arena_fini(&arena);
    return good ? EBB_OK : jvm_remote_nonsense(err);
}

/* Async-signal-safe. */
static void interrupt(machine *m)
{
    jvm_remote *r = jvm_remote_of(m);
    int saved = errno;
    r->interrupt_wanted = 1;
    jvm_line_interrupt(r);
    errno = saved;
}

static void keep_sources(jvm_remote *r, const jvm_wire_end *last)
{
    r->last_sources = EBB_ARENA_ARRAY(&r->for_good, const char *, last->sources.n + 1);
    r->n_last_sources = last->sources.n;
    for (size_t i = 0; i < last->sources.n; i++)
        r->last_sources[i] = ebb_arena_strdup(&r->for_good, last->sources.items[i].text ? last->sources.items[i].text : "");
}

size_t jvm_remote_last_sources(machine *m, const char *const **out)
{
    *out = jvm_remote_of(m)->last_sources;
    return jvm_remote_of(m)->n_last_sources;
}

/* It is about to exit: this is the last moment of it. */
static ebb_status note_end(jvm_remote *r, const jvm_wire_message *m, ebb_error *err)
{
    ebb_arena arena = {0};
    jvm_wire_end last;
    jvm_wire_reader reader = {.at = (const uint8_t *)m->payload.data, .arena = &arena};
    reader.end = reader.at + m->payload.n;
    bool good = jvm_wire_get_end(&reader, &last);
    if (good) {
        jvm_remote_note_passed(r, last.passed.items, last.passed.n);
        keep_sources(r, &last);
        r->time = last.time;
        r->place = 0;
        r->thread = 0;
    }
    ebb_arena_fini(&arena);
    return good ? EBB_OK : jvm_remote_nonsense(err);
}

/* Sends a request that moves, and waits for the stop: *m, whose payload the caller frees. */
static ebb_status run(jvm_remote *r, uint16_t code, const ebb_buf *request, jvm_wire_message *m, ebb_error *err)
{
    ebb_status status = jvm_line_send(r, r->fd, code, request, err);
    r->running = 1;
    if (status == EBB_OK && r->interrupt_wanted)
        jvm_line_interrupt(r);
    int fd = -1;
    if (status == EBB_OK)
        status = jvm_line_receive(r, r->fd, m, &fd, err);
    while (status == EBB_OK && (m->code == JVM_WIRE_CODE_snapshot_taken || m->code == JVM_WIRE_CODE_ended)) {
        status = m->code == JVM_WIRE_CODE_ended ? note_end(r, m, err) : jvm_remote_note_snapshot(r, m, fd, err);
        fd = -1;
        if (status == EBB_OK)
            status = jvm_line_receive(r, r->fd, m, &fd, err);
    }
    jvm_line_close(r, fd);
    r->running = 0;
    return status;
}

static ebb_status copy_is_gone(ebb_error *err)
{
    return ebb_fail(err, EBB_SYSTEM, "The copy of the program that replays is gone.");
}

/* One that was killed could not say when: its recording does, up to what was written.  Any copy can read it. */
static ebb_position ask_recording_end(jvm_remote *r)
{
    jvm_wire_nothing q = {0};
    jvm_wire_position a = {0};
    size_t n;
    const ebb_snapshot *all = ebb_copies_list(r->copies, &n);
    if (n > 0 && ebb_copies_restore(r->copies, all[n - 1].id, NULL) == EBB_OK)
        (void)!jvm_remote_ask_recording_end(r, &r->for_now, &q, &a, NULL);
    (void)!ebb_copies_go_live(r->copies, NULL); /* nobody is: but the copy is left */
    return (ebb_position){a.time, a.place};
}

static void find_end(jvm_remote *r, const machine_stop *stop)
{
    uint64_t time = r->time;
    ebb_position written = ask_recording_end(r);
    r->time = written.timestamp > time ? written.timestamp : time;
    r->place = 0;
    r->thread = 0;
    ebb_copies_note_end(r->copies, r->time, stop);
    if (written.timestamp == r->time)
        ebb_copies_note_reach(r->copies, written.place);
}

/* How it ended: the socket did, so it is over or about to be. */
static ebb_status read_end(jvm_remote *r, machine_stop *stop)
{
    jvm_remote_bury(r);
    r->end_told = true;
    *stop = (machine_stop){.kind = MACHINE_STOP_EXITED, .exit_status = WEXITSTATUS(r->wait_status)};
    if (WIFSIGNALED(r->wait_status))
        *stop = (machine_stop){.kind = MACHINE_STOP_KILLED, .signal = WTERMSIG(r->wait_status)};
    ebb_copies_note_end(r->copies, r->time, stop);
    if (WIFSIGNALED(r->wait_status) && r->records)
        find_end(r, stop);
    return EBB_OK;
}

static ebb_status resume(machine *m, const machine_request *request, machine_stop *stop, ebb_error *err)
{
    jvm_remote *r = jvm_remote_of(m);
    ebb_check(!r->scratch.open);
    if (r->fd < 0 && r->gone && !r->end_told) /* a launcher that started no machine */
        return read_end(r, stop);
    if (r->fd < 0)
        return is_gone(err);
    if (request->direction == MACHINE_BACKWARD)
        return ebb_fail(err, EBB_NO_HISTORY, "The Java machine keeps no history to go back in.");
    if (jvm_remote_is_at_end(r) && !jvm_remote_is_apart(r)) {
        *stop = (machine_stop){.kind = MACHINE_STOP_HISTORY_END, .thread = request->thread, .place = r->place};
        return EBB_OK;
    }
    ebb_status status = jvm_remote_is_apart(r) ? EBB_OK : jvm_remote_sync_undo(r, request->forgets, err);
    r->apart.has_run |= jvm_remote_is_apart(r);
    if (status != EBB_OK && status != EBB_GONE) /* gone: that is told below */
        return status;
    jvm_wire_request q = {.move = request->move == MACHINE_STEP, .thread = (uint64_t)request->thread, .only_thread = request->only_thread,
        .lo = request->lo, .hi = request->hi, .over_calls = request->over_calls, .signal = (uint8_t)request->signal,
        .until = request->until, .until_time = request->until_time, .until_place = request->until_place,
        .quiet = request->quiet, .keep_filter = request->keep_filter, .by_lines = request->by_lines, .frame = request->frame,
        .counts = request->counts};
    ebb_buf out = {0};
    jvm_wire_put_request(&out, &q);
    jvm_remote_forget(r);
    if (!jvm_remote_is_replaying(r))
        machine_terminal_give(&r->terminal);
    jvm_wire_message answer = {0};
    status = run(r, JVM_WIRE_CODE_resume, &out, &answer, err);
    if (status == EBB_OK)
        status = jvm_remote_read_stop(r, &answer, stop, err);
    ebb_buf_fini(&answer.payload);
    if (status == EBB_GONE && jvm_process_is_lost(r, err))
        jvm_remote_bury(r);
    else if (status == EBB_GONE && jvm_remote_is_replaying(r))
        status = copy_is_gone(err);
    else if (status == EBB_GONE)
        status = read_end(r, stop);
    machine_terminal_take(&r->terminal);
    r->interrupt_wanted = 0;
    ebb_buf_fini(&out);
    return status;
}

/* ---- searching (machine/search.h) ---- */

static ebb_status read_found(jvm_remote *r, const jvm_wire_message *m, machine_found *found, ebb_error *err)
{
    jvm_wire_found a;
    jvm_wire_reader reader = {.at = (const uint8_t *)m->payload.data, .arena = &r->for_now};
    reader.end = reader.at + m->payload.n;
    if (m->code == JVM_WIRE_CODE_search && m->status != EBB_OK && m->status <= EBB_SYSTEM)
        return ebb_fail(err, (ebb_status)m->status, "%s", ebb_buf_text(&m->payload));
    if (m->code != JVM_WIRE_CODE_search || m->status != EBB_OK || !jvm_wire_get_found(&reader, &a) ||
        a.stops.n != 1u + (a.n_hits > 0) + (a.has_first != 0) + (a.has_aside != 0) || !is_stop(&a.stops.items[0]))
        return jvm_remote_nonsense(err);
    const jvm_wire_stop *s = a.stops.items;
    note_stop(r, s);
    *found = (machine_found){.end = jvm_remote_stop(s), .n_hits = a.n_hits, .has_first = a.has_first != 0, .has_aside = a.has_aside != 0, .has_lost_patience = a.has_lost_patience != 0,
                             .first_group = a.first_group, .last_group = a.last_group};
    if (a.n_hits > 0) {
        found->last = jvm_remote_stop(++s);
        found->last_time = s->time;
    }
    if (found->has_first) {
        found->first = jvm_remote_stop(++s);
        found->first_time = s->time;
    }
    if (found->has_aside) {
        found->aside = jvm_remote_stop(++s);
        found->aside_time = s->time;
    }
    machine_listed *listed = EBB_ARENA_ARRAY(&r->for_now, machine_listed, a.listed.n + 1);
    for (size_t i = 0; i < a.listed.n; i++) {
        const jvm_wire_listed *l = &a.listed.items[i];
        listed[i] = (machine_listed){.time = l->time, .place = l->place, .thread = (machine_tid)l->thread, .touched_by = l->touched_by,
                                     .object = l->object, .was = l->was, .is_new = l->is_new != 0, .has_is = l->has_is != 0, .is = l->is,
                                     .picture = l->picture.n > 0 ? l : NULL};
    }
    found->listed = listed;
    found->n_listed = a.listed.n;
    return EBB_OK;
}

static void put_search(ebb_buf *out, const machine_search *search)
{
    ebb_arena arena = {0};
    jvm_wire_search q = {.until_time = search->until_time, .until_place = search->until_place, .n_listed = (uint32_t)search->n_listed,
                         .patience = (uint32_t)search->patience, .only_noted = search->only_noted, .depth = search->depth,
                         .noted = {.items = EBB_ARENA_ARRAY(&arena, jvm_wire_noted, search->n_noted + 1), .n = search->n_noted}};
    for (size_t i = 0; i < search->n_noted; i++)
        q.noted.items[i] = (jvm_wire_noted){.id = (uint32_t)search->noted[i].id, .group = search->noted[i].group, .as = (uint8_t)search->noted[i].as};
    jvm_wire_put_search(out, &q);
    ebb_arena_fini(&arena);
}

ebb_status jvm_remote_search(machine *m, const machine_search *search, machine_found *found, ebb_error *err)
{
    jvm_remote *r = jvm_remote_of(m);
    ebb_check(!r->scratch.open && !jvm_remote_is_apart(r));
    if (r->fd < 0)
        return is_gone(err);
    if (jvm_remote_is_at_end(r)) {
        *found = (machine_found){.end = {.kind = MACHINE_STOP_HISTORY_END, .thread = r->thread, .place = r->place}};
        return EBB_OK;
    }
    EBB_TRY(jvm_remote_sync_undo(r, search->forgets, err));
    ebb_buf out = {0};
    jvm_wire_message answer = {0};
    put_search(&out, search);
    jvm_remote_forget(r);
    ebb_status status = run(r, JVM_WIRE_CODE_search, &out, &answer, err);
    if (status == EBB_OK)
        status = read_found(r, &answer, found, err);
    if (status == EBB_GONE && jvm_process_is_lost(r, err))
        jvm_remote_bury(r);
    else if (status == EBB_GONE)
        status = copy_is_gone(err);
    r->interrupt_wanted = 0;
    ebb_buf_fini(&answer.payload);
    ebb_buf_fini(&out);
    return status;
}

/* ---- points and events ---- */

/* Of a local's frame, while that is there; where it isn't, another point of that frame may know. */
static ebb_status find_method(jvm_remote *r, jvm_remote_point *p, ebb_error *err)
{
    jvm_wire_number q = {.value = p->point.addr & ~(uint64_t)0xffff}, a = {0};
    if (!jvm_remote_point_is_local(&p->point))
        return EBB_OK;
    for (size_t i = 0; i < r->points.n && a.value == 0; i++) {
        const machine_point *other = &r->points.items[i].point;
        if (jvm_remote_point_is_local(other) && (other->addr & ~(uint64_t)0xffff) == q.value)
            a.value = r->points.items[i].method;
    }
    if (a.value == 0)
        EBB_TRY(jvm_remote_ask_frame_method(r, &r->for_now, &q, &a, err));
    p->method = a.value;
    return EBB_OK;
}

static ebb_status point_set(machine *m, const machine_point *p, machine_point_id *id, ebb_error *err)
{
    jvm_remote *r = jvm_remote_of(m);
    jvm_remote_point set = {.id = r->last_point + 1, .point = *p};
    jvm_wire_nothing a;
    EBB_TRY(find_method(r, &set, err));
    jvm_wire_point q = jvm_remote_wire_point(&set);
    EBB_TRY(jvm_remote_ask_point_set(r, &r->for_now, &q, &a, err));
    *id = ++r->last_point;
    ebb_vec_push(&r->points, set);
    return EBB_OK;
}

static ebb_status points_set(machine *m, const machine_point *points, size_t n, machine_point_id *ids, ebb_error *err)
{
    jvm_remote *r = jvm_remote_of(m);
    ebb_arena arena = {0};
    jvm_remote_point *set = EBB_ARENA_ARRAY(&arena, jvm_remote_point, n);
    jvm_wire_points q = {.list = {EBB_ARENA_ARRAY(&arena, jvm_wire_point, n), n}};
    jvm_wire_nothing a;
    ebb_status status = EBB_OK;
    for (size_t i = 0; status == EBB_OK && i < n; i++) {
        set[i] = (jvm_remote_point){.id = r->last_point + 1 + (machine_point_id)i, .point = points[i]};
        status = find_method(r, &set[i], err);
        q.list.items[i] = jvm_remote_wire_point(&set[i]);
    }
    if (status == EBB_OK)
        status = jvm_remote_ask_points_set(r, &arena, &q, &a, err);
    for (size_t i = 0; status == EBB_OK && i < n; i++) {
        ids[i] = ++r->last_point;
        ebb_vec_push(&r->points, set[i]);
    }
    ebb_arena_fini(&arena);
    return status;
}

static ebb_status points_clear(machine *m, const machine_point_id *ids, size_t n, ebb_error *err)
{
    jvm_remote *r = jvm_remote_of(m);
    ebb_arena arena = {0};
    jvm_wire_numbers q = {.list = {EBB_ARENA_ARRAY(&arena, jvm_wire_number, n), n}};
    jvm_wire_nothing a;
    for (size_t i = 0; i < n; i++) {
        jvm_remote_forget_point(r, ids[i]);
        q.list.items[i].value = (uint64_t)ids[i];
    }
    ebb_status status = jvm_remote_ask_points_clear(r, &arena, &q, &a, err);
    ebb_arena_fini(&arena);
    return status;
}

static ebb_status point_clear(machine *m, machine_point_id id, ebb_error *err)
{
    jvm_remote *r = jvm_remote_of(m);
    jvm_wire_number q = {.value = (uint64_t)id};
    jvm_wire_nothing a;
    jvm_remote_forget_point(r, id);
    return jvm_remote_ask_point_clear(r, &r->for_now, &q, &a, err);
}

static bool point_is_cheap(machine *m, machine_point_id id)
{
    return true; /* only instructions that touch data are looked at */
}

static ebb_status event_set(machine *m, machine_event event, bool wanted, ebb_error *err)
{
    jvm_remote *r = jvm_remote_of(m);
    jvm_wire_event q = {.event = (uint8_t)event, .wanted = wanted};
    if ((r->events >> event & 1) == wanted)
        return EBB_OK; /* whoever is the debuggee was told (MH2) */
    r->events = wanted ? r->events | 1u << event : r->events & ~(1u << event);
    jvm_wire_nothing a;
    ebb_error why;
    ebb_status status = jvm_remote_ask_event_set(r, &r->for_now, &q, &a, &why);
    size_t n_snapshots;
    ebb_copies_list(r->copies, &n_snapshots);
    bool is_kept = status == EBB_GONE && n_snapshots > 0; /* MH2: the next copy will be told */
    return status == EBB_OK || is_kept ? EBB_OK : ebb_fail(err, status, "%s", why.text);
}

/* Signals are the Java program's own business. */
static void signal_policy(machine *m, uint64_t stop, uint64_t pass)
{
}

/* ---- looking ---- */

static ebb_status place(machine *m, machine_tid tid, machine_place *out, ebb_error *err)
{
    const jvm_remote *r = jvm_remote_of(m);
    if (tid != 0 && tid == r->thread && r->fd >= 0) { /* it was told with the stop */
        *out = r->place;
        return EBB_OK;
    }
    java_frames frames = {0};
    ebb_status status = jvm_remote_frames(m, tid, 0, 1, &frames, err);
    if (status == EBB_OK)
        *out = frames.n == 0 ? 0 : frames.items[0].place;
    ebb_vec_fini(&frames);
    return status;
}

static const machine_thread *threads(machine *m, size_t *n)
{
    jvm_remote *r = jvm_remote_of(m);
    jvm_wire_number q = {.value = 0};
    jvm_wire_threads a;
    if (r->thread_list == NULL && jvm_remote_ask_threads(r, &r->for_now, &q, &a, NULL) == EBB_OK) {
        r->thread_list = EBB_ARENA_ARRAY(&r->for_now, machine_thread, a.list.n + 1);
        r->n_threads = a.list.n;
        for (size_t i = 0; i < a.list.n; i++) {
            r->thread_list[i].tid = (machine_tid)a.list.items[i].tid;
            snprintf(r->thread_list[i].name, sizeof r->thread_list[i].name, "%s", a.list.items[i].name ? a.list.items[i].name : "?");
        }
    }
    *n = r->thread_list == NULL ? 0 : r->n_threads;
    return r->thread_list;
}

static ebb_status decode(machine *m, machine_place at, machine_insn *insn, ebb_error *err)
{
    jvm_remote *r = jvm_remote_of(m);
    ebb_arena arena = {0};
    jvm_wire_number q = {.value = at};
    jvm_wire_insn a;
    ebb_status status = jvm_remote_ask_decode(r, &arena, &q, &a, err);
    if (status == EBB_OK) {
        *insn = (machine_insn){.nbytes = a.nbytes, .is_call = a.is_call, .is_return = a.is_return, .is_branch = a.is_branch,
            .is_indirect = a.is_indirect, .has_target = a.has_target, .target = a.target};
        snprintf(insn->text, sizeof insn->text, "%s", a.text != NULL ? a.text : "");
    }
    ebb_arena_fini(&arena);
    return status;
}

static uint64_t timestamp(machine *m)
{
    return jvm_remote_of(m)->time;
}

static pid_t pid(machine *m)
{
    return jvm_remote_of(m)->pid;
}

static const char *program(machine *m)
{
    return jvm_remote_of(m)->program;
}

/* ---- the end ---- */

static ebb_status kill_it(machine *m, ebb_error *err)
{
    jvm_remote *r = jvm_remote_of(m);
    jvm_remote_scratch_end(m);
    jvm_remote_rejoin(m);
    ebb_copies_end(r->copies);
    if (!r->gone && r->script > 0)
        kill(-r->script, SIGKILL); /* it leads the group of all that came from it */
    if (!r->gone)
        jvm_process_kill(r);
    jvm_remote_bury(r);
    r->end_told = true;
    return EBB_OK;
}

static void free_remote(machine *m)
{
    jvm_remote *r = jvm_remote_of(m);
    (void)kill_it(m, NULL);
    ebb_copies_free(r->copies);
    jvm_far_free(r->far);
    for (char **word = r->script_words; word != NULL && *word != NULL; word++)
        free(*word);
    free(r->script_words);
    jvm_remote_forget(r);
    ebb_map_free(r->answers);
    ebb_map_free(r->classes);
    ebb_map_free(r->codes);
    while (r->points.n > 0)
        jvm_remote_forget_point(r, r->points.items[r->points.n - 1].id);
    ebb_vec_fini(&r->points);
    ebb_vec_fini(&r->ignores);
    jvm_remote_texts_set(&r->wanted, NULL, 0);
    jvm_remote_texts_set(&r->filter, NULL, 0);
    jvm_remote_texts_set(&r->undo_patterns, NULL, 0);
    free(r->undo_first);
    ebb_arena_fini(&r->for_good);
    free(r->program);
    free(r->recording);
    if (r->recording_fd >= 0)
        close(r->recording_fd);
    free(r);
}

const machine_ops jvm_remote_ops = {
    .name = "java",
    .capabilities = capabilities,
    .resume = resume,
    .interrupt = interrupt,
    .point_set = point_set,
    .point_clear = point_clear,
    .points_set = points_set,
    .points_clear = points_clear,
    .point_is_cheap = point_is_cheap,
    .point_condition = jvm_remote_point_condition,
    .points_ignore = jvm_remote_points_ignore,
    .points_passed = jvm_remote_points_passed,
    .event_set = event_set,
    .signal_policy = signal_policy,
    .place = place,
    .threads = threads,
    .decode = decode,
    .timestamp = timestamp,
    .pid = pid,
    .program = program,
    .kill = kill_it,
    .free = free_remote,
};

const machine_history_ops jvm_remote_history_ops = {
    .get = jvm_remote_history,
    .copies = jvm_remote_copies,
    .search = jvm_remote_search,
    .undo_set = jvm_remote_undo_set,
    .recording = jvm_remote_recording,
    .state_hash = jvm_remote_state_hash,
};
