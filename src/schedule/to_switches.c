/* to_switches.c - an order for the commands of a schedule with messages, found by executing them: a topological sort of what happens before what. */
#include "schedule/convert.h"

#include "base/map.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct round {
    size_t begin;   /* the command after loopbegin */
    uint64_t left;  /* rounds after this one; SCHED_FOREVER stays so */
} round;

typedef struct runner {
    EBB_VEC(const sched_command *) commands;
    size_t at;
    EBB_VEC(round) rounds;
    bool is_dead;   /* died, or stopped for good */
} runner;

typedef struct sorter {
    runner *threads;
    uint32_t nthreads, now;
    ebb_map *mail;       /* "FROM TO N" -> how many are there, as a pointer */
    uint32_t told;       /* whom the running thread sent something last */
    sched_schedule *out;
    ebb_map *seen;       /* states at ends of endless rounds -> index in `out` + 1 */
    bool is_over, is_too_long;
} sorter;

/* ---- messages ---- */

static uintptr_t mail_of(const sorter *k, char *key, size_t nkey, uint32_t from, uint32_t to, int64_t message)
{
    snprintf(key, nkey, "%u %u %" PRId64, from, to, message);
    return (uintptr_t)ebb_map_get(k->mail, key);
}

static void post(sorter *k, const sched_command *c)
{
    char key[64];
    uintptr_t n = mail_of(k, key, sizeof key, c->owner, c->thread, c->message);
    ebb_map_set(k->mail, key, (void *)(n + 1));
    k->told = c->thread;
}

static bool has_mail(const sorter *k, const sched_command *c)
{
    char key[64];
    return mail_of(k, key, sizeof key, c->thread, c->owner, c->message) > 0;
}

static void fetch(sorter *k, const sched_command *c)
{
    char key[64];
    uintptr_t n = mail_of(k, key, sizeof key, c->thread, c->owner, c->message);
    if (n > 1)
        ebb_map_set(k->mail, key, (void *)(n - 1));
    else
        ebb_map_remove(k->mail, key);
}

/* ---- states ---- */

static void describe_thread(ebb_buf *text, const runner *t)
{
    ebb_buf_addf(text, "%zu%s", t->at, t->is_dead ? "d" : "");
    for (size_t i = 0; i < t->rounds.n; i++)
        ebb_buf_addf(text, ",%" PRIx64, t->rounds.items[i].left);
    ebb_buf_addc(text, ';');
}

static void describe(const sorter *k, ebb_buf *text)
{
    ebb_map_entry e;
    ebb_buf_addf(text, "%u;", k->now);
    for (uint32_t t = 0; t < k->nthreads; t++)
        describe_thread(text, &k->threads[t]);
    for (size_t at = 0; ebb_map_next(k->mail, &at, &e);)
        ebb_buf_addf(text, "%s=%zu;", e.text, (size_t)(uintptr_t)e.value);
}

/* A state that was there before, at the end of an endless round, comes again and again: what was executed since is the loop. */
static void look_for_circle(sorter *k)
{
    ebb_buf state = {0};
    describe(k, &state);
    uintptr_t before = (uintptr_t)ebb_map_get(k->seen, ebb_buf_text(&state));
    if (before) {
        sched_add(k->out, &(sched_command){.kind = SCHED_LOOPEND, .count = SCHED_FOREVER});
        sched_command begin = {.kind = SCHED_LOOPBEGIN};
        size_t at = before - 1, n = k->out->commands.n;
        sched_add(k->out, &begin); /* makes room */
        memmove(k->out->commands.items + at + 1, k->out->commands.items + at, (n - at) * sizeof begin);
        k->out->commands.items[at] = begin;
        k->is_over = true;
    }
    ebb_map_set(k->seen, ebb_buf_text(&state), (void *)(k->out->commands.n + 1));
    ebb_buf_fini(&state);
}

/* ---- executing ---- */

static void emit(sorter *k, const sched_command *c)
{
    k->is_too_long = k->is_too_long || k->out->commands.n >= SCHED_MAX_COMMANDS;
    if (!k->is_too_long)
        sched_add(k->out, c);
}

static void go_round(sorter *k, runner *t, const sched_command *c)
{
    round *r = &t->rounds.items[t->rounds.n - 1];
    if (r->left == 0)
        r->left = c->count; /* the end of the first round */
    if (r->left != SCHED_FOREVER)
        r->left--;
    if (r->left == 0) {
        t->rounds.n--;
        return;
    }
    t->at = r->begin;
    if (r->left == SCHED_FOREVER)
        look_for_circle(k);
}

/* False: the thread can't go on. */
static bool execute(sorter *k, runner *t)
{
    if (t->is_dead || t->at >= t->commands.n)
        return false;
    const sched_command *c = t->commands.items[t->at];
    if (c->kind == SCHED_RECEIVE && !has_mail(k, c))
        return false;
    t->at++;
    switch (c->kind) {
    case SCHED_SEND: post(k, c); break;
    case SCHED_RECEIVE: fetch(k, c); break;
    case SCHED_LOOPBEGIN: ebb_vec_push(&t->rounds, ((round){t->at, 0})); break;
    case SCHED_LOOPEND: go_round(k, t, c); break;
    case SCHED_DIE: case SCHED_SWITCH: t->is_dead = true; break;
    case SCHED_TERMINATE: k->is_over = true; emit(k, c); break;
    default: emit(k, c); break;
    }
    return !t->is_dead;
}

static bool can_go_on(const sorter *k, uint32_t thread)
{
    const runner *t = &k->threads[thread];
    if (t->is_dead || t->at >= t->commands.n)
        return false;
    const sched_command *c = t->commands.items[t->at];
    return c->kind != SCHED_RECEIVE || has_mail(k, c);
}

static uint32_t choose(const sorter *k)
{
    if (k->told != SCHED_NONE && can_go_on(k, k->told))
        return k->told;
    for (uint32_t t = 0; t < k->nthreads; t++)
        if (can_go_on(k, t))
            return t;
    return SCHED_NONE;
}

static const sched_command *last_of(const runner *t)
{
    return t->at ? t->commands.items[t->at - 1] : NULL;
}

/* The running thread has stopped: who is next?  Nobody, if it has no more to do and all others haven't either. */
static void pass_on(sorter *k)
{
    const runner *t = &k->threads[k->now];
    uint32_t next = choose(k);
    bool died = t->is_dead && last_of(t)->kind == SCHED_DIE;
    if (next != SCHED_NONE || t->is_dead)
        emit(k, &(sched_command){.kind = died ? SCHED_DIE : SCHED_SWITCH, .thread = next, .line = last_of(t) ? last_of(t)->line : 0});
    k->is_over = k->is_over || next == SCHED_NONE;
    k->now = next == SCHED_NONE ? k->now : next;
    k->told = SCHED_NONE;
}

static void sort(sorter *k)
{
    while (!k->is_over && !k->is_too_long)
        if (!execute(k, &k->threads[k->now]) && !k->is_over)
            pass_on(k);
}

/* SCV2 */
static void tell_waiting(const sorter *k, sched_complaints *all)
{
    for (uint32_t i = 0; i < k->nthreads; i++) {
        const runner *t = &k->threads[i];
        const sched_command *c = t->at < t->commands.n && !t->is_dead ? t->commands.items[t->at] : NULL;
        if (c && c->kind == SCHED_RECEIVE && !has_mail(k, c))
            sched_complain_of(all, c, "thread %u waits for ever: thread %u never gets to send it %" PRId64, i, c->thread, c->message);
    }
}

/* ---- all of it ---- */

static void distribute(sorter *k, const sched_schedule *s)
{
    for (size_t i = 0; i < s->commands.n; i++) {
        const sched_command *c = &s->commands.items[i];
        if (c->kind == SCHED_THREAD && c->text)
            sched_add_thread(k->out, c->thread, c->text);
        if (sched_rows[c->kind].role != SCHED_IS_HEAD)
            ebb_vec_push(&k->threads[c->owner].commands, c);
    }
}

static void fini(sorter *k)
{
    for (uint32_t t = 0; t < k->nthreads; t++) {
        ebb_vec_fini(&k->threads[t].commands);
        ebb_vec_fini(&k->threads[t].rounds);
    }
    free(k->threads);
    ebb_map_free(k->mail);
    ebb_map_free(k->seen);
}

static ebb_status verdict(const sorter *k, sched_complaints *all, ebb_error *err)
{
    size_t before = all->list.n;
    if (k->is_too_long)
        return ebb_fail(err, EBB_UNSUPPORTED, "the schedule would get longer than %d commands", SCHED_MAX_COMMANDS);
    const sched_command *last = k->out->commands.n ? &k->out->commands.items[k->out->commands.n - 1] : NULL;
    if (!last || (last->kind != SCHED_TERMINATE && last->kind != SCHED_LOOPEND))
        tell_waiting(k, all);
    return all->list.n == before ? EBB_OK : ebb_fail(err, EBB_BAD_FILE, "line %u: %.300s", all->list.items[before].line, all->list.items[before].text);
}

ebb_status sched_to_switches(const sched_schedule *s, sched_schedule *out, sched_complaints *all, ebb_error *err)
{
    sorter k = {.nthreads = sched_nthreads(s), .mail = ebb_map_new(), .seen = ebb_map_new(), .out = out, .told = SCHED_NONE};
    k.threads = ebb_zalloc(k.nthreads * sizeof *k.threads);
    distribute(&k, s);
    sort(&k);
    ebb_status status = verdict(&k, all, err);
    fini(&k);
    return status;
}
