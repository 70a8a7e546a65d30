/* time_fake_machine.c - a small interpreter whose history is that of any machine. */
#include "time_fake_machine.h"
#include "base/check.h"
#include "base/mem.h"
#include "machine/judge.h"
#include "time/replay.h"
#include "time/verify.h"
#include "time_fake_undo.h"

#include <string.h>
#include <sys/mman.h>

enum { THREADS = 3, DEPTH = 4, REGISTERS = 3, CODE = 160, FUNCTIONS = 5, QUANTUM = 7, MAX_POINTS = 32 };

/* ---- the program ---------------------------------------------------------------------------------- */

typedef enum fake_op {
    OP_ADD,   /* cell a += b */
    OP_MOVE,  /* cell a = cell b */
    OP_SAME,  /* cell a = cell a: a write that changes nothing */
    OP_INPUT, /* cell a = what comes from outside */
    OP_SET,   /* register a = b */
    OP_LOOP,  /* if --register a > 0, back to b */
    OP_CALL,  /* function a, unless too deep */
    OP_RET,   /* or the end of the thread */
    OP_END,   /* of the program */
} fake_op;

typedef struct fake_insn {
    fake_op op;
    int a, b;
} fake_insn;

typedef struct fake_frame {
    int pc; /* of a caller: where it goes on */
    int registers[REGISTERS];
} fake_frame;

typedef struct fake_thread {
    fake_frame frames[DEPTH];
    int depth; /* -1: it has ended */
} fake_thread;

/* Everything that the program can see, and where it is. */
typedef struct fake_state {
    uint64_t time, executed; /* `executed` numbers the moments */
    uint64_t inputs;         /* taken so far */
    uint64_t events;         /* of the recording: inputs and hashes */
    ebb_verify_moment verified;
    int running, quantum;
    fake_thread threads[THREADS];
    uint32_t cells[FAKE_CELLS];
} fake_state;

typedef struct fake_point {
    machine_point_id id;
    machine_point point;
} fake_point;

typedef struct fake_machine {
    machine base;
    fake_options options;
    fake_insn code[CODE];
    int n_code, entries[FUNCTIONS];
    machine_place places[CODE];

    fake_state now, live;
    ebb_copies *copies; /* a copy is a fake_state */
    uint64_t recorded; /* moments up to which the execution is known */
    bool has_ended;    /* at `recorded` the program ends */
    uint64_t input_seed;
    ebb_recorder *rec;  /* what came from outside: VALUE, the number of the input and the value */
    ebb_replay *replay; /* over it */

    bool stands_at_stop; /* MA4: the moment `stopped_at` has been told */
    uint64_t stopped_at;
    fake_undo undo, live_undo;
    ebb_verify verify;
    EBB_VEC(machine_listed) listed_hits;
    fake_point points[MAX_POINTS];
    int n_points;
    machine_point_id last_point;
    bool takes_snapshots; /* by itself, live */
    machine_thread thread_list[THREADS];
    uint64_t cost, interrupt_at, restores, rewinds, n_searches;
    int restores_left;
    unsigned dead_left;
    uint64_t replay_breaks_at;
} fake_machine;

static uint64_t mix(uint64_t x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdu;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53u;
    return x ^ x >> 33;
}

static uint64_t draw(uint64_t *seed)
{
    *seed += 0x9e3779b97f4a7c15u;
    return mix(*seed);
}

static void emit(fake_machine *m, fake_op op, int a, int b)
{
    ebb_check(m->n_code < CODE);
    m->code[m->n_code++] = (fake_insn){op, a, b};
}

static void emit_body(fake_machine *m, uint64_t *seed, int n, int first_callee)
{
    for (int i = 0; i < n; i++) {
        int a = (int)(draw(seed) % FAKE_CELLS), b = (int)(draw(seed) % FAKE_CELLS);
        switch (draw(seed) % 8) {
        case 0: case 1: emit(m, OP_ADD, a, b + 1); break;
        case 2: emit(m, OP_MOVE, a, b); break;
        case 3: emit(m, OP_SAME, a, 0); break;
        case 4: emit(m, OP_INPUT, a, 0); break;
        default:
            if (first_callee < FUNCTIONS)
                emit(m, OP_CALL, first_callee + (int)(draw(seed) % (uint64_t)(FUNCTIONS - first_callee)), 0);
        }
    }
}

static void emit_loop(fake_machine *m, uint64_t *seed, int counter, int times, int first_callee)
{
    emit(m, OP_SET, counter, times);
    int head = m->n_code;
    emit_body(m, seed, 1 + (int)(draw(seed) % 4), first_callee);
    emit(m, OP_LOOP, counter, head);
}

/* Function 0 is the main thread's, 1 and 2 those of the others; they call the rest, which calls itself. */
static void make_program(fake_machine *m)
{
    uint64_t seed = m->options.seed;
    for (int f = 0; f < FUNCTIONS; f++) {
        m->entries[f] = m->n_code;
        emit_body(m, &seed, 2, 3);
        if (f < 3) {
            emit(m, OP_SET, 0, (int)m->options.loops);
            int head = m->n_code;
            emit_loop(m, &seed, 1, 2 + (int)(draw(&seed) % 3), 3);
            emit_body(m, &seed, 3, 3);
            emit(m, OP_LOOP, 0, head);
        } else {
            emit_loop(m, &seed, 1, 1 + (int)(draw(&seed) % 3), 4);
        }
        emit(m, f == 0 ? OP_END : OP_RET, 0, 0);
    }
    for (int i = 0; i < m->n_code; i++)
        m->places[i] = 0x1000 + 4 * (machine_place)i;
}

/* ---- executing ------------------------------------------------------------------------------------ */

static fake_frame *top(fake_state *s)
{
    fake_thread *t = &s->threads[s->running];
    return &t->frames[t->depth];
}

static ebb_position position_of(const fake_machine *m, const fake_state *s)
{
    const fake_thread *t = &s->threads[s->running];
    return (ebb_position){s->time, m->places[t->frames[t->depth].pc]};
}

static void switch_thread(fake_state *s)
{
    do
        s->running = (s->running + 1) % THREADS;
    while (s->threads[s->running].depth < 0);
    s->quantum = 1 + (int)(mix(s->time) % QUANTUM);
    s->time++;
}

static void tick(fake_state *s)
{
    s->time++;
    if (--s->quantum <= 0)
        switch_thread(s);
}

static bool is_replaying(const fake_machine *m) { return ebb_copies_is_replaying(m->copies); }

static uint32_t record_input(fake_machine *m, const fake_state *s)
{
    uint32_t value = (uint32_t)mix(m->input_seed + s->inputs) % 5;
    ebb_check(ebb_recorder_pair(m->rec, EBB_EVENT_VALUE, s->time, s->inputs, value, NULL) == EBB_OK);
    return value;
}

/* The cursor follows a state that came from elsewhere. */
static void follow(fake_machine *m, const fake_state *s)
{
    ebb_check(ebb_recorder_flush(m->rec, NULL) == EBB_OK);
    if (ebb_replay_get_happened(m->replay) != s->events)
        ebb_check(ebb_replay_seek(m->replay, s->events, NULL) == EBB_OK);
}

static uint32_t replay_input(fake_machine *m, const fake_state *s)
{
    follow(m, s);
    ebb_check(ebb_replay_expect(m->replay, EBB_EVENT_VALUE, s->time, NULL) == EBB_OK);
    ebb_values *v = &ebb_replay_get_event(m->replay)->values;
    ebb_check(ebb_values_u64(v) == s->inputs);
    uint32_t value = (uint32_t)ebb_values_i64(v);
    ebb_check(ebb_values_done(v));
    return value;
}

static uint32_t input(fake_machine *m, const fake_state *s)
{
    return is_replaying(m) ? replay_input(m, s) : record_input(m, s);
}

static uint32_t *written_cell(fake_state *s, const fake_insn *in)
{
    return in->op <= OP_INPUT ? &s->cells[in->a] : NULL;
}

static void execute_op(fake_machine *m, fake_state *s, const fake_insn *in)
{
    fake_thread *t = &s->threads[s->running];
    fake_frame *f = top(s);
    f->pc++;
    switch (in->op) {
    case OP_ADD: s->cells[in->a] += (uint32_t)in->b; return;
    case OP_MOVE: s->cells[in->a] = s->cells[in->b]; return;
    case OP_SAME: return;
    case OP_INPUT:
        s->cells[in->a] = input(m, s);
        s->inputs++;
        s->events++;
        return;
    case OP_SET: f->registers[in->a] = in->b; return;
    case OP_LOOP:
        if (--f->registers[in->a] > 0) {
            f->pc = in->b;
            tick(s);
        }
        return;
    case OP_CALL:
        if (t->depth + 1 < DEPTH) {
            t->frames[++t->depth] = (fake_frame){.pc = m->entries[in->a]};
            tick(s);
        }
        return;
    case OP_RET:
        t->frames[t->depth] = (fake_frame){0};
        if (--t->depth < 0)
            switch_thread(s);
        else
            tick(s);
        return;
    case OP_END: ebb_unreachable();
    }
}

/* ---- verifying ------------------------------------------------------------------------------------ */

enum { VERIFY_EVERY = 64 }; /* instructions */

static uint64_t hash_of(const fake_state *s)
{
    uint64_t hash = 1, word;
    _Static_assert(sizeof *s % sizeof word == 0, "whole words");
    for (size_t i = 0; i < sizeof *s; i += sizeof word) {
        memcpy(&word, (const char *)s + i, sizeof word);
        hash = mix(hash ^ word);
    }
    return hash;
}

static ebb_status hash_now(void *self, uint64_t *hash, ebb_error *err)
{
    *hash = hash_of(self);
    return EBB_OK;
}

static void compare_hash(fake_machine *m, const fake_state *s)
{
    uint64_t n_compared = m->verify.n_compared;
    follow(m, s);
    ebb_check(ebb_verify_compare_counted(&m->verify, m->replay, s->time, NULL) == EBB_OK);
    ebb_check(m->verify.n_compared == n_compared + 1);
}

/* So a timeline that led to another state is noticed though no test looks there. */
static void verify(fake_machine *m, fake_state *s)
{
    m->verify.self = s;
    m->verify.moment = s->verified;
    ebb_verify_count(&m->verify, s->time);
    s->verified = m->verify.moment;
    if (is_replaying(m))
        compare_hash(m, s);
    else
        ebb_check(ebb_verify_record_counted(&m->verify, m->rec, s->time, NULL) == EBB_OK);
    s->events++;
}

static const fake_insn *next_insn(const fake_machine *m, fake_state *s)
{
    return &m->code[top(s)->pc];
}

/* The number of the cell that changed; -1: none. */
static int execute(fake_machine *m, fake_state *s)
{
    const fake_insn *in = next_insn(m, s);
    uint32_t *cell = written_cell(s, in), old = cell ? *cell : 0;
    execute_op(m, s, in);
    if (++s->executed % VERIFY_EVERY == 0)
        verify(m, s);
    return cell && *cell != old ? in->a : -1;
}

/* ---- points --------------------------------------------------------------------------------------- */

static void add_reached(machine_stop *stop, machine_point_id id)
{
    ebb_check(stop->n_points < MACHINE_STOP_MAX_POINTS);
    stop->points[stop->n_points++] = id;
}

static uint64_t frame_of(const fake_state *s)
{
    return (uint64_t)s->running * DEPTH + (uint64_t)s->threads[s->running].depth + 1;
}

static void exec_points(fake_machine *m, machine_stop *stop)
{
    for (int i = 0; i < m->n_points; i++) {
        const machine_point *p = &m->points[i].point;
        if (p->kind == MACHINE_POINT_EXEC && p->addr == position_of(m, &m->now).place && (!p->frame || p->frame == frame_of(&m->now)))
            add_reached(stop, m->points[i].id);
    }
}

static bool covers(const machine_point *p, int cell)
{
    uint64_t lo = (uint64_t)cell * FAKE_CELL_BYTES;
    return p->kind == MACHINE_POINT_WRITE && p->addr < lo + FAKE_CELL_BYTES && lo < p->addr + p->nbytes;
}

static void data_points(fake_machine *m, int cell, machine_stop *stop)
{
    for (int i = 0; cell >= 0 && i < m->n_points; i++)
        if (covers(&m->points[i].point, cell))
            add_reached(stop, m->points[i].id);
}

static ebb_status fake_point_set(machine *base, const machine_point *point, machine_point_id *id, ebb_error *err)
{
    fake_machine *m = (fake_machine *)base;
    if (point->kind == MACHINE_POINT_STORE)
        return ebb_fail(err, EBB_UNSUPPORTED, "only changes are seen");
    ebb_check(m->n_points < MAX_POINTS);
    *id = ++m->last_point;
    m->points[m->n_points++] = (fake_point){*id, *point};
    return EBB_OK;
}

static ebb_status fake_point_clear(machine *base, machine_point_id id, ebb_error *err)
{
    fake_machine *m = (fake_machine *)base;
    for (int i = 0; i < m->n_points; i++)
        if (m->points[i].id == id) {
            m->points[i] = m->points[--m->n_points];
            return EBB_OK;
        }
    return ebb_fail(err, EBB_NOT_FOUND, "no point %d", id);
}

/* ---- resume --------------------------------------------------------------------------------------- */

static ebb_status take(void *self, ebb_snapshot *out, ebb_error *err)
{
    const fake_machine *m = self;
    fake_state *copy = EBB_NEW(fake_state);
    *copy = m->now;
    *out = (ebb_snapshot){.at = position_of(m, &m->now), .thread = m->now.running + 1, .copy = copy};
    return EBB_OK;
}

static void take_by_pace(fake_machine *m)
{
    ebb_snapshot taken;
    if (is_replaying(m) || !m->takes_snapshots || m->now.executed % m->options.snapshot_every)
        return;
    ebb_check(take(m, &taken, NULL) == EBB_OK);
    ebb_copies_add(m->copies, &taken);
}

static bool position_has_come(const fake_machine *m, const machine_request *q)
{
    ebb_position until = {q->until_time, q->until_place};
    return q->until && ebb_position_compare(position_of(m, &m->now), until) >= 0;
}

static bool step_is_done(fake_machine *m, const machine_request *q, bool moved)
{
    if (q->move != MACHINE_STEP || !moved)
        return false;
    machine_place at = position_of(m, &m->now).place;
    return m->now.running + 1 == q->thread && (at < q->lo || at >= q->hi);
}

static bool is_at_newest(const fake_machine *m)
{
    return is_replaying(m) && m->now.executed >= m->recorded && !m->has_ended;
}

/* ---- a search */

typedef struct fake_notes {
    const machine_search *search;
    machine_found *found;
    machine_judge judge;
} fake_notes;

static const machine_noted *noted_as(const fake_notes *notes, machine_point_id id)
{
    for (size_t i = 0; notes && i < notes->search->n_noted; i++)
        if (notes->search->noted[i].id == id)
            return &notes->search->noted[i];
    return NULL;
}

static void list_hit(fake_machine *m, fake_notes *notes, const machine_stop *hit)
{
    if (m->listed_hits.n >= notes->search->n_listed)
        return;
    machine_listed one = {.time = m->now.time, .place = hit->place, .thread = hit->thread, .touched_by = hit->touched_by};
    for (int i = 0; i < m->n_points; i++)
        if (m->points[i].id == hit->points[0] && m->points[i].point.kind == MACHINE_POINT_WRITE) {
            one.has_is = true;
            memcpy(&one.is, (char *)m->now.cells + m->points[i].point.addr, FAKE_CELL_BYTES);
        }
    ebb_vec_push(&m->listed_hits, one);
}

/* Takes what is noted out of `reached`. */
static void note(fake_machine *m, fake_notes *notes, machine_place toucher, machine_stop *reached)
{
    machine_stop all = *reached;
    const machine_noted *noted[MACHINE_STOP_MAX_POINTS];
    if (all.n_points == 0)
        return;
    all.kind = MACHINE_STOP_POINT;
    all.thread = m->now.running + 1;
    all.place = position_of(m, &m->now).place;
    all.touched_by = m->options.tells_toucher ? toucher : 0;
    for (size_t i = 0; i < all.n_points; i++)
        noted[i] = noted_as(notes, all.points[i]);
    machine_verdict v = machine_judge_moment(&notes->judge, noted, all.n_points);
    machine_found_note(notes->found, &all, m->now.time, &v);
    machine_found_count(notes->found, &notes->judge);
    if (v.hits)
        list_hit(m, notes, &notes->found->last);
    *reached = machine_stop_of(reached, notes->search->only_noted ? 0 : v.others);
}

/* What is to be told before the next instruction; `cell` was changed by the last, at `toucher`. */
static bool has_stop(fake_machine *m, const machine_request *q, fake_notes *notes, bool moved, int cell, machine_place toucher,
                     machine_stop *stop)
{
    bool is_told = !moved && m->stands_at_stop && m->stopped_at == m->now.executed; /* MA4 */
    bool is_over = notes && position_has_come(m, q); /* SR2 */
    if (!q->quiet || m->options.is_loud) {
        data_points(m, cell, stop);
        if (!is_told && !is_over)
            exec_points(m, stop);
    }
    if (is_told && notes && !is_over) { /* only those that are noted */
        exec_points(m, stop);
        note(m, notes, toucher, stop);
        stop->n_points = 0;
    } else if (notes) {
        note(m, notes, toucher, stop);
        if (is_over && !is_told) {
            machine_stop at_end = {0};
            exec_points(m, &at_end);
            for (size_t i = 0; i < at_end.n_points; i++)
                if (!noted_as(notes, at_end.points[i]) && !notes->search->only_noted)
                    add_reached(stop, at_end.points[i]);
        }
    }
    if (stop->n_points > 0)
        stop->kind = MACHINE_STOP_POINT;
    else if (notes && ((notes->search->n_listed && m->listed_hits.n >= notes->search->n_listed) || notes->found->has_lost_patience))
        stop->kind = MACHINE_STOP_POSITION;
    else if (m->options.end_comes_first && is_at_newest(m))
        stop->kind = MACHINE_STOP_HISTORY_END;
    else if (!is_told && position_has_come(m, q))
        stop->kind = MACHINE_STOP_POSITION;
    else if (step_is_done(m, q, moved))
        stop->kind = MACHINE_STOP_STEP;
    else if (m->interrupt_at && m->cost >= m->interrupt_at) {
        stop->kind = MACHINE_STOP_INTERRUPTED;
        m->interrupt_at = 0;
    } else
        return false;
    return true;
}

static bool is_at_end(fake_machine *m, machine_stop *stop)
{
    if (is_at_newest(m)) {
        stop->kind = MACHINE_STOP_HISTORY_END;
        return true;
    }
    if (next_insn(m, &m->now)->op != OP_END)
        return false;
    stop->kind = MACHINE_STOP_EXITED;
    m->has_ended = true;
    ebb_copies_note_end(m->copies, m->now.time, stop);
    return true;
}

/* Where checkpoints are, and what cuts the log, depends on nothing that a timeline could know. */
static void keep_undo(fake_machine *m, const machine_request *q)
{
    unsigned every = m->options.undo_every;
    uint64_t chance = mix(m->now.executed ^ m->cost << 20);
    bool is_cut = every && m->options.undo_is_cut && chance % (40 * every) == 1;
    if (every == 0 || is_cut || (is_replaying(m) ? q->forgets : every % 2 == 0)) {
        fake_undo_cut(&m->undo, m->now.time);
        return;
    }
    if (chance % every == 0)
        fake_undo_add_checkpoint(&m->undo, m->now.time, &m->now, offsetof(fake_state, cells));
    uint32_t *cell = written_cell(&m->now, next_insn(m, &m->now));
    if (cell)
        fake_undo_keep_cell(&m->undo, cell);
}

static ebb_status run(fake_machine *m, const machine_request *q, fake_notes *notes, machine_stop *stop, ebb_error *err)
{
    ebb_check(q->direction == MACHINE_FORWARD);
    machine_place toucher = 0;
    bool moved = false;
    for (int cell = -1;;) {
        if (has_stop(m, q, notes, moved, cell, toucher, stop) || is_at_end(m, stop))
            break;
        if (is_replaying(m) && m->now.executed >= m->replay_breaks_at)
            return ebb_fail(err, EBB_SYSTEM, "the recording ends here");
        toucher = position_of(m, &m->now).place;
        keep_undo(m, q);
        cell = execute(m, &m->now);
        if (cell < 0)
            toucher = 0;
        m->cost++;
        moved = true;
        if (!is_replaying(m))
            m->recorded = m->now.executed;
        take_by_pace(m);
    }
    stop->thread = m->now.running + 1;
    stop->place = position_of(m, &m->now).place;
    stop->touched_by = m->options.tells_toucher ? toucher : 0;
    m->stands_at_stop = true;
    m->stopped_at = m->now.executed;
    return EBB_OK;
}

static ebb_status fake_resume(machine *base, const machine_request *q, machine_stop *stop, ebb_error *err)
{
    return run((fake_machine *)base, q, NULL, stop, err);
}

static ebb_status fake_search(machine *base, const machine_search *search, machine_found *found, ebb_error *err)
{
    fake_machine *m = (fake_machine *)base;
    machine_request q = {.move = MACHINE_RUN, .until = true, .until_time = search->until_time, .until_place = search->until_place,
                         .forgets = search->forgets};
    fake_notes notes = {.search = search, .found = found, .judge = machine_judge_of(search->n_listed, search->patience)};
    m->n_searches++;
    m->listed_hits.n = 0;
    *found = (machine_found){0};
    ebb_status status = run(m, &q, &notes, &found->end, err);
    found->listed = m->listed_hits.items;
    found->n_listed = m->listed_hits.n;
    return status;
}

static void fake_interrupt(machine *base)
{
    fake_machine *m = (fake_machine *)base;
    m->interrupt_at = m->cost + 1;
}

/* ---- history -------------------------------------------------------------------------------------- */

static void fake_history(machine *base, machine_history *out)
{
    *out = (machine_history){.undo_oldest = UINT64_MAX};
}

static ebb_copies *fake_copies(machine *base)
{
    return ((fake_machine *)base)->copies;
}

static ebb_position where(void *self, machine_tid *thread)
{
    const fake_machine *m = self;
    *thread = m->now.running + 1;
    return position_of(m, &m->now);
}

/* The family has not switched yet: whether it is_replaying tells who is left. */
static ebb_status restore(void *self, const ebb_snapshot *from, ebb_position until, ebb_error *err)
{
    fake_machine *m = self;
    if (from && m->dead_left > 0) {
        m->dead_left--;
        return ebb_fail(err, EBB_NOT_FOUND, "the copy is dead");
    }
    if (from && m->restores_left == 0)
        return ebb_fail(err, EBB_SYSTEM, "cannot fork");
    m->restores_left -= from != NULL;
    m->restores += from != NULL;
    if (!is_replaying(m)) {
        m->live = m->now;
        fake_undo_copy(&m->live_undo, &m->undo);
    }
    m->stands_at_stop = false;
    if (from) {
        m->now = *(const fake_state *)from->copy;
        fake_undo_cut(&m->undo, m->now.time);
    }
    return EBB_OK;
}

static void end_copy(void *self, void *copy)
{
    free(copy);
}

static uint64_t copy_nbytes(void *self, void *copy)
{
    return sizeof(fake_state);
}

static uint64_t undo_oldest(void *self)
{
    return ebb_checkpoints_oldest(ebb_undo_log_get_list(&((fake_machine *)self)->undo.log));
}

static uint64_t place_at(const ebb_checkpoint *c, void *self)
{
    const fake_machine *m = self;
    return position_of(m, fake_undo_state(&m->undo, c)).place;
}

static ebb_status rewind_copy(void *self, ebb_position to, bool *reached, ebb_error *err)
{
    fake_machine *m = self;
    size_t i;
    ebb_check(is_replaying(m));
    *reached = ebb_checkpoints_find(ebb_undo_log_get_list(&m->undo.log), to, place_at, m, &i);
    if (!*reached)
        return EBB_OK;
    m->stands_at_stop = false;
    fake_undo_go_back(&m->undo, i);
    memcpy(&m->now, fake_undo_state(&m->undo, ebb_checkpoints_at(&m->undo.log.list, i)), offsetof(fake_state, cells));
    m->rewinds++;
    return EBB_OK;
}

static ebb_status leave(void *self, const ebb_newest *newest, ebb_error *err)
{
    fake_machine *m = self;
    ebb_check(newest->has_live);
    m->now = m->live;
    fake_undo_copy(&m->undo, &m->live_undo);
    m->stands_at_stop = true;
    m->stopped_at = m->now.executed;
    return EBB_OK;
}

/* What comes from outside will be another from here on. */
static ebb_status branch(void *self, ebb_buf *undone, ebb_error *err)
{
    fake_machine *m = self;
    follow(m, &m->now);
    EBB_TRY(ebb_replay_cut(m->replay, m->rec, m->now.time, err));
    m->input_seed++;
    m->has_ended = false;
    m->recorded = m->now.executed;
    fake_undo_cut(&m->undo, m->now.time);
    ebb_buf_adds(undone, "a thing\n");
    return EBB_OK;
}

static ebb_status adopt(void *self, ebb_error *err)
{
    return EBB_OK;
}

static void pace(void *self, ebb_pace_rule rule)
{
    ((fake_machine *)self)->takes_snapshots = rule.interval_ms != 0;
}

static const ebb_copies_hooks fake_copies_hooks = {
    .where = where,
    .take = take,
    .restore = restore,
    .end = end_copy,
    .nbytes = copy_nbytes,
    .leave = leave,
    .branch = branch,
    .adopt = adopt,
    .undo_oldest = undo_oldest,
    .rewind = rewind_copy,
    .pace = pace,
};

/* ---- the rest ------------------------------------------------------------------------------------- */

static unsigned fake_capabilities(machine *base)
{
    return MACHINE_COUNTS_TIME | MACHINE_RECORDS | (((fake_machine *)base)->options.undo_every ? MACHINE_REWINDS : 0);
}

static uint64_t fake_timestamp(machine *base)
{
    return ((fake_machine *)base)->now.time;
}

static ebb_status fake_place(machine *base, machine_tid tid, machine_place *place, ebb_error *err)
{
    fake_machine *m = (fake_machine *)base;
    if (tid < 1 || tid > THREADS || m->now.threads[tid - 1].depth < 0)
        return ebb_fail(err, EBB_NOT_FOUND, "no thread");
    fake_thread *t = &m->now.threads[tid - 1];
    *place = m->places[t->frames[t->depth].pc];
    return EBB_OK;
}

static const machine_thread *fake_threads(machine *base, size_t *n)
{
    fake_machine *m = (fake_machine *)base;
    *n = 0;
    for (int i = 0; i < THREADS; i++)
        if (m->now.threads[i].depth >= 0)
            m->thread_list[(*n)++].tid = i + 1;
    return m->thread_list;
}

static ebb_status fake_read(machine *base, uint32_t space, machine_addr addr, void *bytes, size_t nbytes, ebb_error *err)
{
    fake_machine *m = (fake_machine *)base;
    if (addr > sizeof m->now.cells || nbytes > sizeof m->now.cells - addr)
        return ebb_fail(err, EBB_NO_MEMORY_AT, "nothing at %llu", (unsigned long long)addr);
    memcpy(bytes, (char *)m->now.cells + addr, nbytes);
    return EBB_OK;
}

static ebb_status fake_state_hash(machine *base, uint64_t *hash, ebb_error *err)
{
    *hash = fake_hash(base);
    return EBB_OK;
}

static void fake_free(machine *base)
{
    fake_machine *m = (fake_machine *)base;
    ebb_copies_free(m->copies);
    ebb_vec_fini(&m->listed_hits);
    fake_undo_fini(&m->undo);
    fake_undo_fini(&m->live_undo);
    ebb_replay_free(m->replay);
    ebb_recorder_free(m->rec);
    free(m);
}

static const machine_ops fake_ops = {
    .name = "fake",
    .capabilities = fake_capabilities,
    .resume = fake_resume,
    .interrupt = fake_interrupt,
    .point_set = fake_point_set,
    .point_clear = fake_point_clear,
    .read = fake_read,
    .place = fake_place,
    .threads = fake_threads,
    .timestamp = fake_timestamp,
    .free = fake_free,
};

static const machine_history_ops fake_history_ops = {
    .get = fake_history,
    .copies = fake_copies,
    .search = fake_search,
    .state_hash = fake_state_hash,
};

static const char *no_kind_text(unsigned kind) { return NULL; }
static const ebb_kinds no_kind = {.text = no_kind_text};

static void open_recording(fake_machine *m)
{
    ebb_check(ebb_recorder_create_fd(memfd_create("fake", MFD_CLOEXEC), &m->rec, NULL) == EBB_OK);
    ebb_check(ebb_replay_open_fd(ebb_recorder_get_fd(m->rec), &no_kind, &m->replay, NULL) == EBB_OK);
}

/* As if it had run to its end before. */
static void record_all(fake_machine *m)
{
    fake_state s = m->now;
    while (next_insn(m, &s)->op != OP_END)
        execute(m, &s);
}

machine *fake_new(const fake_options *options)
{
    fake_machine *m = EBB_NEW(fake_machine);
    m->base = (machine){.ops = &fake_ops, .history = &fake_history_ops};
    m->options = *options;
    m->input_seed = options->seed * 77;
    m->restores_left = -1;
    m->replay_breaks_at = UINT64_MAX;
    open_recording(m);
    ebb_verify_init(&m->verify, "1", hash_now, NULL);
    fake_undo_init(&m->undo, options->undo_keeps, offsetof(fake_state, cells));
    fake_undo_init(&m->live_undo, options->undo_keeps, offsetof(fake_state, cells));
    make_program(m);
    for (int i = 0; i < THREADS; i++)
        m->now.threads[i].frames[0].pc = m->entries[i];
    m->now.quantum = QUANTUM;
    m->now.time = 100;
    m->copies = ebb_copies_new(&fake_copies_hooks, m);
    ebb_snapshot_id id;
    ebb_check(ebb_copies_take(m->copies, &id, NULL) == EBB_OK);
    if (options->is_recording) {
        record_all(m);
        ebb_copies_open(m->copies, (ebb_position){.timestamp = m->now.time + 1}); /* all that its first block says */
        m->has_ended = true;
        m->recorded = UINT64_MAX;
    }
    return &m->base;
}

fake_moment *fake_trace(const fake_options *options, size_t *n)
{
    fake_machine *m = (fake_machine *)fake_new(options);
    EBB_VEC(fake_moment) trace = {0};
    for (bool ended = false; !ended;) {
        ended = next_insn(m, &m->now)->op == OP_END;
        if (options->branch_at > 0 && m->now.executed == options->branch_at)
            m->input_seed++; /* as `branch` does */
        fake_moment moment = {
            .at = position_of(m, &m->now),
            .thread = m->now.running + 1,
            .frame = frame_of(&m->now),
            .hash = hash_of(&m->now),
            .wrote = -1,
        };
        memcpy(moment.cells, m->now.cells, sizeof moment.cells);
        if (!ended)
            moment.wrote = execute(m, &m->now);
        ebb_vec_push(&trace, moment);
    }
    fake_free(&m->base);
    *n = trace.n;
    return trace.items;
}

void fake_interrupt_after(machine *base, uint64_t instructions)
{
    fake_machine *m = (fake_machine *)base;
    m->interrupt_at = m->cost + instructions;
}

void fake_break_replay(machine *base, uint64_t instructions)
{
    ((fake_machine *)base)->replay_breaks_at = instructions;
}

void fake_kill_copies(machine *base, unsigned n)
{
    ((fake_machine *)base)->dead_left = n;
}

void fake_fail_restore(machine *base, int after)
{
    ((fake_machine *)base)->restores_left = after;
}

uint64_t fake_executed(machine *base)
{
    return ((fake_machine *)base)->cost;
}

uint64_t fake_restores(machine *base)
{
    return ((fake_machine *)base)->restores;
}

uint64_t fake_rewinds(machine *base)
{
    return ((fake_machine *)base)->rewinds;
}

uint64_t fake_searches(machine *base)
{
    return ((fake_machine *)base)->n_searches;
}

uint64_t fake_hash(machine *base)
{
    return hash_of(&((fake_machine *)base)->now);
}

const machine_place *fake_places(machine *base, size_t *n)
{
    fake_machine *m = (fake_machine *)base;
    *n = (size_t)m->n_code;
    return m->places;
}

machine_place fake_last_place(machine *base)
{
    fake_machine *m = (fake_machine *)base;
    for (int i = 0; i < m->n_code; i++)
        if (m->code[i].op == OP_END)
            return m->places[i];
    ebb_unreachable();
}
