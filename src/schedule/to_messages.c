/* to_messages.c - each thread's part of a schedule with switches. */
#include "schedule/convert.h"

typedef struct projection {
    const sched_command *from;  /* all commands of the schedule */
    EBB_VEC(sched_command) *parts;
    uint32_t nthreads;
    uint32_t runner;
    int64_t message;            /* the last one that was used */
    size_t total;
} projection;

static bool is_full(const projection *p)
{
    return p->total > SCHED_MAX_COMMANDS;
}

static void give(projection *p, uint32_t thread, sched_command c)
{
    c.owner = thread;
    p->total++;
    if (!is_full(p))
        ebb_vec_push(&p->parts[thread], c);
}

/* The turn goes from the running thread to `to`. */
static void hand_over(projection *p, uint32_t to, uint32_t line)
{
    uint32_t from = p->runner;
    p->runner = to;
    if (from == to)
        return;
    p->message++;
    give(p, from, (sched_command){.kind = SCHED_SEND, .thread = to, .message = p->message, .line = line});
    give(p, to, (sched_command){.kind = SCHED_RECEIVE, .thread = from, .message = p->message, .line = line});
}

static void project_last(projection *p, const sched_command *c)
{
    uint32_t was = p->runner;
    if (c->kind != SCHED_TERMINATE && c->thread != SCHED_NONE)
        hand_over(p, c->thread, c->line);
    sched_command end = *c;
    end.thread = SCHED_NONE;
    if (c->kind != SCHED_SWITCH || c->thread == SCHED_NONE)
        give(p, was, end);
}

/* ---- loops ---- */

static size_t end_of_loop(const projection *p, size_t begin)
{
    size_t depth = 0, i = begin;
    do {
        depth += p->from[i].kind == SCHED_LOOPBEGIN;
        depth -= p->from[i].kind == SCHED_LOOPEND;
        i++;
    } while (depth);
    return i - 1;
}

/* Who runs when the body is over; `runner` if nobody is switched to in it. */
static uint32_t runner_after(const projection *p, size_t begin, size_t end, uint32_t runner)
{
    for (size_t i = begin; i < end; i++)
        if ((p->from[i].kind == SCHED_SWITCH || p->from[i].kind == SCHED_DIE) && p->from[i].thread != SCHED_NONE)
            runner = p->from[i].thread;
    return runner;
}

static void project(projection *p, size_t begin, size_t end);

/* Every thread goes round with its own part of the body; those that have none don't. */
static void project_rounds(projection *p, size_t begin, size_t end, uint64_t times)
{
    p->total += p->nthreads;
    for (uint32_t t = 0; t < p->nthreads; t++)
        ebb_vec_push(&p->parts[t], ((sched_command){.kind = SCHED_LOOPBEGIN, .owner = t, .line = p->from[begin].line}));
    project(p, begin + 1, end);
    for (uint32_t t = 0; t < p->nthreads; t++) {
        if (p->parts[t].items[p->parts[t].n - 1].kind == SCHED_LOOPBEGIN)
            p->parts[t].n--;
        else
            give(p, t, (sched_command){.kind = SCHED_LOOPEND, .count = times, .line = p->from[end].line});
    }
}

/* A body that another thread ends than begins it is begun by that one from the second round on: so the first round stands alone. */
static void project_loop(projection *p, size_t begin, size_t end)
{
    uint64_t times = p->from[end].count;
    if (runner_after(p, begin, end, p->runner) != p->runner) {
        project(p, begin + 1, end);
        times -= times != SCHED_FOREVER;
    }
    if (times && !is_full(p))
        project_rounds(p, begin, end, times);
}

static void project(projection *p, size_t begin, size_t end)
{
    for (size_t i = begin; i < end && !is_full(p); i++) {
        const sched_command *c = &p->from[i];
        if (c->kind == SCHED_LOOPBEGIN) {
            size_t last = end_of_loop(p, i);
            project_loop(p, i, last);
            i = last;
        } else if (sched_rows[c->kind].role == SCHED_IS_LAST) {
            project_last(p, c);
        } else if (c->kind != SCHED_THREAD) {
            give(p, p->runner, *c);
        }
    }
}

/* ---- sections ---- */

static void add_section(sched_schedule *out, const sched_schedule *s, uint32_t thread, const sched_command *commands, size_t n)
{
    const char *name = sched_name_of(s, thread);
    if (n == 0 && !name)
        return;
    sched_add(out, &(sched_command){.kind = SCHED_THREAD, .thread = thread, .owner = thread, .text = name});
    for (size_t i = 0; i < n; i++)
        sched_add(out, &commands[i]);
}

ebb_status sched_to_messages(const sched_schedule *s, sched_schedule *out, ebb_error *err)
{
    projection p = {.from = s->commands.items, .nthreads = sched_nthreads(s)};
    p.parts = ebb_zalloc(p.nthreads * sizeof *p.parts);
    project(&p, 0, s->commands.n);
    sched_add(out, &(sched_command){.kind = SCHED_MESSAGES});
    for (uint32_t t = 0; t < p.nthreads; t++) {
        if (!is_full(&p))
            add_section(out, s, t, p.parts[t].items, p.parts[t].n);
        ebb_vec_fini(&p.parts[t]);
    }
    free(p.parts);
    return is_full(&p) ? ebb_fail(err, EBB_UNSUPPORTED, "the schedule would get longer than %d commands", SCHED_MAX_COMMANDS) : EBB_OK;
}
