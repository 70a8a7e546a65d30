/* check.c - the rules of order of a schedule: SCH2. */
#include "schedule/idle.h"

#include "base/map.h"

#include <string.h>

typedef struct loop {
    const sched_command *begin;
    bool has_event;
    const sched_command *end;    /* something in it that can be done once only; NULL: there is nothing */
} loop;

typedef struct checker {
    const sched_schedule *s;
    sched_complaints *all;
    EBB_VEC(loop) loops;
    ebb_map *dead;               /* thread + 1 -> the command by which it died */
    ebb_map *named;              /* thread + 1 -> its `thread` command */
    ebb_map *ran;                /* thread + 1 -> the command by which it had the turn first */
    uint32_t runner;
    const sched_command *final;  /* nothing is reached after this one; NULL: not yet */
} checker;

static void note_dead(checker *k, const sched_command *c)
{
    ebb_map_set_u64(k->dead, (uint64_t)k->runner + 1, (void *)(uintptr_t)c);
}

static void check_alive(checker *k, const sched_command *c)
{
    const sched_command *death = ebb_map_get_u64(k->dead, (uint64_t)c->thread + 1);
    if (c->thread == SCHED_NONE || !death)
        return;
    if (death == c)
        sched_complain_of(k->all, c, "thread %u ends here, and can't go on after that", c->thread);
    else
        sched_complain_of(k->all, c, "thread %u has died at %s", c->thread, sched_line_of(death, c).text);
}

/* Turns in which a thread of the class library executes nothing of the program may be left out: those threads have names. */
static void check_waits(checker *k, const sched_command *c)
{
    if (c->thread != 0 && !ebb_map_get_u64(k->ran, (uint64_t)c->thread + 1) && !sched_name_of(k->s, c->thread))
        sched_complain_of(k->all, c, "thread %u can't be waiting: it has not had a turn", c->thread);
    check_alive(k, c);
}

static void check_reached(checker *k, const sched_command *c)
{
    if (k->final && c->kind != SCHED_LOOPEND) {
        sched_complain_of(k->all, c, "this is never reached: nothing runs after %s", sched_line_of(k->final, c).text);
        k->final = NULL;
    }
}

/* ---- loops ---- */

static void open_loop(checker *k, const sched_command *c)
{
    ebb_vec_push(&k->loops, ((loop){.begin = c}));
}

static void close_loop(checker *k, const sched_command *c)
{
    if (k->loops.n == 0) {
        sched_complain_of(k->all, c, "loopend without a loopbegin");
        return;
    }
    loop closed = k->loops.items[--k->loops.n];
    if (c->count == SCHED_FOREVER && !closed.has_event && !k->final)
        sched_complain_of(k->all, c, "the loop from %s would go round for ever without an event", sched_line_of(closed.begin, c).text);
    if (closed.end && c->count > 1)
        sched_complain_of(k->all, closed.end, "this can be done once only, and the loop from %s repeats it", sched_line_of(closed.begin, closed.end).text);
    if (k->loops.n && closed.has_event)
        k->loops.items[k->loops.n - 1].has_event = true;
    if (k->loops.n && (closed.end || c->count == SCHED_FOREVER))
        k->loops.items[k->loops.n - 1].end = closed.end ? closed.end : c;
    if (c->count == SCHED_FOREVER && !k->final)
        k->final = c;
}

static void close_all(checker *k)
{
    for (size_t i = 0; i < k->loops.n; i++)
        sched_complain_of(k->all, k->loops.items[i].begin, "loopbegin without a loopend");
    k->loops.n = 0;
}

/* ---- actions ---- */

static void check_last(checker *k, const sched_command *c)
{
    if (c->kind == SCHED_DIE)
        note_dead(k, c);
    if (c->kind != SCHED_TERMINATE)
        check_alive(k, c);
    if (c->kind == SCHED_TERMINATE || c->thread == SCHED_NONE)
        k->final = c;
    else
        k->runner = c->thread;
    ebb_map_set_u64(k->ran, (uint64_t)k->runner + 1, (void *)(uintptr_t)c);
}

static void check_name(checker *k, const sched_command *c)
{
    const sched_command *other = ebb_map_get_u64(k->named, (uint64_t)c->thread + 1);
    if (other)
        sched_complain_of(k->all, c, "thread %u is at %s already", c->thread, sched_line_of(other, c).text);
    ebb_map_set_u64(k->named, (uint64_t)c->thread + 1, (void *)(uintptr_t)c);
}

static void check_common(checker *k, const sched_command *c)
{
    if (c->kind == SCHED_THREAD)
        check_name(k, c);
    else if (c->kind == SCHED_LOOPBEGIN)
        open_loop(k, c);
    else if (c->kind == SCHED_LOOPEND)
        close_loop(k, c);
    else if (sched_rows[c->kind].role == SCHED_IS_EVENT && k->loops.n)
        k->loops.items[k->loops.n - 1].has_event = true;
    else if (sched_rows[c->kind].role == SCHED_IS_LAST && (c->kind != SCHED_SWITCH || c->thread == SCHED_NONE) && k->loops.n)
        k->loops.items[k->loops.n - 1].end = c;
}

static void check_switches(checker *k)
{
    for (size_t i = 0; i < k->s->commands.n; i++) {
        const sched_command *c = &k->s->commands.items[i];
        if (sched_rows[c->kind].role != SCHED_IS_HEAD)
            check_reached(k, c);
        check_common(k, c);
        if (sched_rows[c->kind].role == SCHED_IS_LAST)
            check_last(k, c);
        else if (c->kind == SCHED_NOTIFY || c->kind == SCHED_TIMEOUT)
            check_waits(k, c);
    }
}

/* ---- the message-based format ---- */

static void begin_section(checker *k, const sched_command *c)
{
    close_all(k);
    k->final = NULL;
    k->runner = c->owner;
}

static void check_message(checker *k, const sched_command *c)
{
    if (c->thread == c->owner)
        sched_complain_of(k->all, c, "thread %u and itself have nothing to tell each other", c->owner);
    if (c->kind == SCHED_RECEIVE && k->loops.n)
        k->loops.items[k->loops.n - 1].has_event = true; /* it waits, too */
}

static void check_sections(checker *k)
{
    for (size_t i = 0; i < k->s->commands.n; i++) {
        const sched_command *c = &k->s->commands.items[i];
        if (c->kind == SCHED_THREAD)
            begin_section(k, c);
        else if (c->kind != SCHED_MESSAGES)
            check_reached(k, c);
        check_common(k, c);
        if (c->kind == SCHED_SWITCH && c->thread != SCHED_NONE)
            sched_complain_of(k->all, c, "a schedule with messages has `switch none` only: a message says who goes on");
        else if (c->kind == SCHED_DIE && c->thread != SCHED_NONE)
            sched_complain_of(k->all, c, "a schedule with messages has `die none` only: a message says who goes on");
        else if (sched_rows[c->kind].role == SCHED_IS_LAST)
            k->final = c;
        else if (c->kind == SCHED_SEND || c->kind == SCHED_RECEIVE)
            check_message(k, c);
    }
}

static bool is_same_in_words(const void *context, size_t a, size_t b)
{
    const sched_schedule *s = context;
    return sched_place_same(&s->commands.items[a].place, &s->commands.items[b].place);
}

ebb_status sched_check(const sched_schedule *s, sched_complaints *all)
{
    size_t before = all->list.n;
    checker k = {.s = s, .all = all, .dead = ebb_map_new(), .named = ebb_map_new(), .ran = ebb_map_new()};
    if (s->is_messages)
        check_sections(&k);
    else
        check_switches(&k);
    close_all(&k);
    if (all->list.n == before)
        sched_check_idle(s, is_same_in_words, s, all);
    ebb_vec_fini(&k.loops);
    ebb_map_free(k.dead);
    ebb_map_free(k.named);
    ebb_map_free(k.ran);
    return all->list.n > before ? EBB_BAD_FILE : EBB_OK;
}
