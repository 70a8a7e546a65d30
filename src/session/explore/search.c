/* search.c - the loop of the search: requests go out in order, answers are taken in order, whatever order they come in. */
#include "session/explore/internal.h"

#include "base/map.h"
#include "session/java/libjvm.h"
#include "session/java/schedule.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
    WINDOW = 3,           /* runs under way: one for each of two processors, and one that waits */
    ANSWER_MS = 100,      /* so often it is asked whether to go on */
    MOST_MINIMISING = 4000,
    MOST_DECISIONS = 3000000, /* of these runs: a minute, if each goes on for long */
};

typedef struct search {
    const ses_exploration *how;
    ses_explored *out;
    jvm_explorer *x;
    explore_bounded *bounded;
    struct slot {
        bool is_there;
        uint32_t node;      /* bounded */
        uint32_t strategy;
        jvm_run run;
    } slots[WINDOW];        /* by number */
    struct lesson {
        uint32_t node;
        jvm_run run;
    } lessons[WINDOW + 1];  /* runs that were taken and not learned from, by number */
    uint64_t asked, taken, learned; /* runs: each of them the next */
    uint32_t steps;         /* the most decisions seen */
    jvm_explore_answer seen; /* of the last run that ended: what there is to do */
    uint64_t output;        /* of the first run */
    ebb_map *schedules, *sites;
    double began;
    jvm_run failed;
    uint64_t spent;         /* decisions of the runs that made it small */
} search;

static double now_s(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static bool keeps_on(const search *s) { return s->how->keeps_on == NULL || s->how->keeps_on(s->how->self); }

/* ---- requests ---- */

static uint64_t mix(uint64_t seed, uint64_t number)
{
    uint64_t x = seed * 0x9e3779b97f4a7c15u + number * 0xd1342543de82ef95u + 1;
    x ^= x >> 32;
    x *= 0xbf58476d1ce4e5b9u;
    return x ^ x >> 29;
}

static uint32_t strategy_for(const search *s, uint64_t number)
{
    static const uint32_t by_turns[] = {JVM_STRATEGY_POS, JVM_STRATEGY_PCT, JVM_STRATEGY_RANDOM, JVM_STRATEGY_PCT, JVM_STRATEGY_SURW};
    if (s->how->strategy == JVM_STRATEGY_BOUNDED)
        return JVM_STRATEGY_BOUNDED;
    if (number == 0)
        return JVM_STRATEGY_KEEP;
    return s->how->strategy == SES_STRATEGY_MIXED ? by_turns[number % 5] : s->how->strategy;
}

/* Every other run counts accesses to one kind of thing only. */
static void choose_interest(const search *s, jvm_explore_request *r)
{
    uint32_t kind = 0, nkinds = 1;
    while (nkinds < JVM_EXPLORE_KINDS && s->seen.kinds[nkinds] != 0)
        nkinds++;
    if (nkinds > 1 && r->seed & 1)
        kind = 1 + (uint32_t)((r->seed >> 1) % (nkinds - 1));
    r->interest = s->seen.kinds[kind];
    memcpy(r->todo, s->seen.todo[kind], sizeof r->todo);
}

static jvm_explore_request request_for(const search *s, uint64_t number)
{
    jvm_explore_request r = {.number = (uint32_t)number, .strategy = strategy_for(s, number), .seed = mix(s->how->seed, number), .steps = s->steps,
                             .limit = s->how->limit};
    r.depth = s->how->depth != 0 ? s->how->depth : 2 + (uint32_t)(number / 5 % 3);
    if (r.strategy == JVM_STRATEGY_SURW)
        choose_interest(s, &r);
    return r;
}

static void learn_next(search *s)
{
    struct lesson *lesson = &s->lessons[s->learned++ % (WINDOW + 1)];
    const jvm_run *run = &lesson->run;
    if (run->head.ndecisions > s->steps && run->head.outcome != JVM_OUTCOME_LIVELOCK)
        s->steps = run->head.ndecisions;
    if (run->head.outcome != JVM_OUTCOME_DIED)
        s->seen = run->head;
    if (s->bounded != NULL)
        explore_bounded_learn(s->bounded, lesson->node, run);
    jvm_run_fini(&lesson->run);
}

/* XS1: what run `number` may depend on. */
static void learn_for(search *s, uint64_t number)
{
    uint64_t wanted = number < WINDOW ? number > 0 : number - WINDOW + 1;
    while (s->learned < wanted)
        learn_next(s);
}

/* The next of all schedules; more is learned only if there is none. */
static bool next_bounded(search *s, explore_turns *turns, uint32_t *node)
{
    while (!explore_bounded_next(s->bounded, turns, node)) {
        if (s->learned == s->taken)
            return false;
        learn_next(s);
    }
    return true;
}

/* False: there is nothing to run now. */
static bool ask_next(search *s, ebb_status *status, ebb_error *err)
{
    explore_turns turns = {0};
    struct slot *slot = &s->slots[s->asked % WINDOW];
    learn_for(s, s->asked);
    jvm_explore_request r = request_for(s, s->asked);
    *slot = (struct slot){.strategy = r.strategy};
    if (r.strategy == JVM_STRATEGY_BOUNDED && !next_bounded(s, &turns, &slot->node))
        return false;
    r.nturns = (uint32_t)turns.n;
    r.wants |= r.strategy == JVM_STRATEGY_BOUNDED ? JVM_EXPLORE_TRACE : 0;
    *status = jvm_explorer_ask(s->x, &r, turns.items, err);
    ebb_vec_fini(&turns);
    s->asked++;
    return *status == EBB_OK;
}

/* ---- answers ---- */

static void count_site(search *s, uint32_t site)
{
    uint64_t key = site | 1;
    const char *was = ebb_map_get_u64(s->sites, key);
    bool switched = site & 1;
    if (was == NULL)
        s->out->nsites++;
    if (switched && (was == NULL || *was == 'n'))
        s->out->ncovered++;
    if (was == NULL || switched)
        ebb_map_set_u64(s->sites, key, switched ? "y" : was == NULL ? "n" : (void *)was);
}

static void count(search *s, const jvm_run *run)
{
    if (ebb_map_get_u64(s->schedules, run->head.schedule | 1) == NULL) {
        ebb_map_set_u64(s->schedules, run->head.schedule | 1, s);
        s->out->ndistinct++;
    }
    for (uint32_t i = 0; i < run->head.nsites; i++)
        count_site(s, run->sites[i]);
    s->out->nruns++;
    s->out->seconds = now_s() - s->began;
}

/* What can't be seen in one run alone. */
static void judge(const search *s, jvm_run *run, bool is_first)
{
    if (run->head.outcome == JVM_OUTCOME_PASSED && s->how->same_output && !is_first && run->head.output != s->output) {
        run->head.outcome = JVM_OUTCOME_OUTPUT;
        run->head.signature = JVM_OUTCOME_OUTPUT;
        free(run->text);
        run->text = ebb_strdup("it prints something else than when nobody interrupts anybody");
    }
    if (run->head.outcome == JVM_OUTCOME_LIVELOCK && s->how->livelocks_pass)
        run->head.outcome = JVM_OUTCOME_PASSED;
}

static void note_failure(search *s, struct slot *slot)
{
    ses_explored *out = s->out;
    out->is_found = true;
    out->found_at = s->taken + 1;
    out->strategy = jvm_strategy_word(slot->strategy);
    out->seed = s->how->seed;
    out->outcome = slot->run.head.outcome;
    out->thread = slot->run.head.thread;
    snprintf(out->text, sizeof out->text, "%s", slot->run.text);
    s->failed = slot->run;
    slot->run = (jvm_run){0};
}

/* Takes the answers that are there in order of their numbers; true: one of them failed. */
static bool take_in_order(search *s)
{
    for (; s->slots[s->taken % WINDOW].is_there; s->taken++) {
        struct slot *slot = &s->slots[s->taken % WINDOW];
        slot->is_there = false;
        judge(s, &slot->run, s->taken == 0);
        if (s->taken == 0)
            s->output = slot->run.head.output;
        count(s, &slot->run);
        if (jvm_outcome_fails(slot->run.head.outcome)) {
            note_failure(s, slot);
            return true;
        }
        s->lessons[s->taken % (WINDOW + 1)] = (struct lesson){slot->node, slot->run};
        slot->run = (jvm_run){0};
    }
    return false;
}

static bool is_over(const search *s)
{
    const ses_exploration *how = s->how;
    return (how->runs != 0 && s->asked >= how->runs) || (how->seconds > 0 && s->began > 0 && now_s() - s->began > how->seconds);
}

static ebb_status wait_for_answer(search *s, ebb_error *err)
{
    jvm_run run;
    ebb_status status = jvm_explorer_answer(s->x, ANSWER_MS, &run, err);
    if (status == EBB_UNAVAILABLE)
        return EBB_OK;
    EBB_TRY(status);
    if (run.head.outcome == JVM_OUTCOME_MISNAMED) {
        status = ebb_fail(err, EBB_BAD_INPUT, "%s", run.text);
        jvm_run_fini(&run);
        return status;
    }
    struct slot *slot = &s->slots[run.head.number % WINDOW];
    jvm_run_fini(&slot->run);
    slot->run = run;
    slot->is_there = true;
    if (s->began == 0)
        s->began = now_s();
    return EBB_OK;
}

static void tell_now_and_then(search *s)
{
    static const double every = 0.5;
    static double last;
    if (s->how->tell == NULL || now_s() - last < every)
        return;
    last = now_s();
    s->how->tell(s->how->self, s->out);
}

/* The first run alone tells what there is to decide. */
static bool may_ask(const search *s) { return s->asked < s->taken + (s->taken == 0 ? 1 : WINDOW) && !is_over(s); }

static ebb_status search_all(search *s, ebb_error *err)
{
    ebb_status status = EBB_OK;
    while (keeps_on(s)) {
        bool nothing = false;
        while (status == EBB_OK && may_ask(s) && !nothing)
            nothing = !ask_next(s, &status, err);
        EBB_TRY(status);
        if (s->asked == s->taken) {
            s->out->is_complete = nothing;
            return EBB_OK;
        }
        EBB_TRY(wait_for_answer(s, err));
        if (take_in_order(s))
            return EBB_OK;
        tell_now_and_then(s);
    }
    return EBB_OK;
}

/* ---- making it small ---- */

ebb_status explore_run_turns(jvm_explorer *x, const ses_exploration *how, const explore_turns *turns, uint32_t wants, jvm_run *out, ebb_error *err)
{
    static uint32_t number = 1u << 31;
    jvm_explore_request r = {.number = number++, .strategy = JVM_STRATEGY_KEEP, .limit = how->limit,
                             .wants = wants, .nturns = (uint32_t)turns->n};
    EBB_TRY(jvm_explorer_ask(x, &r, turns->items, err));
    for (;;) {
        ebb_status status = jvm_explorer_answer(x, ANSWER_MS, out, err);
        if (status == EBB_UNAVAILABLE)
            continue;
        EBB_TRY(status);
        if (out->head.number == r.number)
            return EBB_OK;
        jvm_run_fini(out); /* of the search, which is over */
    }
}

static bool fails_so(void *self, const explore_turns *turns)
{
    search *s = self;
    jvm_run run;
    ebb_error err;
    if (s->out->nruns_minimising >= MOST_MINIMISING || s->spent >= MOST_DECISIONS || !keeps_on(s))
        return false;
    s->out->nruns_minimising++;
    if (explore_run_turns(s->x, s->how, turns, 0, &run, &err) != EBB_OK)
        return false;
    s->spent += run.head.ndecisions;
    judge(s, &run, false);
    bool same = run.head.outcome == s->failed.head.outcome && run.head.signature == s->failed.head.signature;
    if (same) { /* what it really did, in its order */
        jvm_run_fini(&s->failed);
        s->failed = run;
    } else {
        jvm_run_fini(&run);
    }
    return same;
}

static void make_small(search *s)
{
    explore_turns turns = {0};
    explore_test test = {fails_so, s};
    ses_explored *out = s->out;
    for (uint32_t i = 0; i < s->failed.head.nturns; i++)
        ebb_vec_push(&turns, s->failed.turns[i]);
    out->nturns_first = turns.n;
    if (fails_so(s, &turns)) { /* it does, unless something outside had a hand in it */
        explore_minimise(&turns, &test);
        (void)fails_so(s, &turns);
    }
    for (uint32_t i = 0; i < turns.n; i++)
        ebb_vec_push(&out->turns, turns.items[i]);
    out->nturns = turns.n;
    out->npreemptions = s->failed.head.npreemptions;
    out->nswitches = s->failed.head.nswitches;
    out->thread = s->failed.head.thread;
    snprintf(out->text, sizeof out->text, "%s", s->failed.text);
    ebb_vec_fini(&turns);
}

/* ---- the recording ---- */

static ebb_status record(search *s, char *const *args, ebb_error *err)
{
    jvm_explorer *x = NULL;
    jvm_run run = {0};
    explore_turns turns = {0};
    for (size_t i = 0; i < s->out->turns.n; i++)
        ebb_vec_push(&turns, s->out->turns.items[i]);
    jvm_explorer_launch launch = {.args = args, .recording = s->how->recording, .inside = s->how->inside, .check = s->how->check, .from = s->how->from};
    EBB_TRY(jvm_explorer_start(&launch, &x, err));
    ebb_status status = explore_run_turns(x, s->how, &turns, JVM_EXPLORE_ONCE, &run, err);
    if (status == EBB_OK) {
        judge(s, &run, false);
        s->out->is_recorded = run.head.outcome == s->out->outcome && run.head.signature == s->failed.head.signature;
    }
    jvm_run_fini(&run);
    ebb_vec_fini(&turns);
    jvm_explorer_free(x);
    return status;
}

/* ---- all of it ---- */

static ebb_status find(search *s, char *const *args, ebb_error *err)
{
    jvm_explorer_launch launch = {.args = args, .inside = s->how->inside, .check = s->how->check, .from = s->how->from};
    EBB_TRY(jvm_explorer_start(&launch, &s->x, err));
    EBB_TRY(search_all(s, err));
    if (!s->out->is_found)
        return EBB_OK;
    make_small(s);
    if (s->how->recording == NULL)
        return EBB_OK;
    EBB_TRY(record(s, args, err));
    if (!s->out->is_recorded || s->how->schedule == NULL)
        return EBB_OK;
    EBB_TRY(ses_java_capture(args[0], s->how->recording, (ebb_position){.timestamp = UINT64_MAX}, s->how->schedule, err));
    s->out->is_captured = true;
    return EBB_OK;
}

/* java, the machine, and what was given. */
static ebb_status with_machine(char *const *given, char ***out, char **option, ebb_error *err)
{
    size_t n = 0;
    EBB_TRY(ses_java_option(option, err));
    while (given[n] != NULL)
        n++;
    char **args = ebb_alloc((n + 2) * sizeof *args);
    args[0] = given[0];
    args[1] = *option;
    memcpy(args + 2, given + 1, n * sizeof *args);
    *out = args;
    return EBB_OK;
}

ebb_status ses_explore(const ses_exploration *how, ses_explored *out, ebb_error *err)
{
    char **args, *option;
    *out = (ses_explored){0};
    if (!ses_is_java(how->args[0]))
        return ebb_fail(err, EBB_UNSUPPORTED, "%s is not a Java program: only schedules of those can be explored (java ARG...).", how->args[0]);
    EBB_TRY(with_machine(how->args, &args, &option, err));
    search s = {.how = how, .out = out, .schedules = ebb_map_new(), .sites = ebb_map_new(), .steps = 1};
    s.bounded = how->strategy == JVM_STRATEGY_BOUNDED ? explore_bounded_new() : NULL;
    ebb_status status = find(&s, args, err);
    jvm_explorer_free(s.x);
    explore_bounded_free(s.bounded);
    for (size_t i = 0; i < WINDOW; i++)
        jvm_run_fini(&s.slots[i].run);
    for (; s.learned < s.taken; s.learned++)
        jvm_run_fini(&s.lessons[s.learned % (WINDOW + 1)].run);
    jvm_run_fini(&s.failed);
    ebb_map_free(s.schedules);
    ebb_map_free(s.sites);
    free(args);
    free(option);
    return status;
}

void ses_explored_fini(ses_explored *e) { ebb_vec_fini(&e->turns); }
