/* wander - runs a Java program under the debugger as if it were alone, then moves about in its history at random.
 *
 *     wander [-f] SEED MOVES JAVA ARGS...
 *
 * The program's input, output and exit status are those of the program.  Afterwards come MOVES moves: steps of an instruction
 * forward and back, to moments near and far, to moments where it was before.  A moment has one state: the hash of the
 * whole state (record/state_hash.h) is kept the first time that it is seen, and whichever way leads there again, by the undo
 * log, by replay from whatever snapshot, it must be that one.  If it isn't, the seed and the last moves are told on standard error, and the status
 * is 99.
 *
 * -f: it may keep aliases while it runs (flow/flow.h), and before a move it is chosen anew, at random, which are kept from there on, if any.  They are no
 * part of the state: a moment that is seen with them and without has the same hash. */
#include "base/mem.h"
#include "jvm/remote/remote.h"
#include "time/copies.h"
#include "time/timeline.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAILED = 99, MAX_STEPS = 12, NEAR_TICKS = 3000, UNDO_BYTES = 8 << 20, SEEN_MASK = 0xffff, SMALL = 1 << 20, LARGE = 256 << 20 };

typedef struct seen {
    ebb_position at;
    uint64_t hash;
    struct seen *next;
} seen;

static machine *m;
static ebb_timeline *tl;
static uint64_t seed, state;
static unsigned n_moves, move, n_again, n_flowing;
static bool flows;
static seen *table[SEEN_MASK + 1];
static EBB_VEC(ebb_position) visited;
static char doing[160], before[160];

static uint64_t dice(uint64_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return below == 0 ? 0 : state % below;
}

_Noreturn static void fail(const char *what)
{
    ebb_position now = {0};
    ebb_error err;
    (void)!ebb_timeline_now(tl, 0, &now, &err);
    fprintf(stderr, "wander: seed %llu, move %u (%s; before: %s), now %llu@%#llx: %s\n", (unsigned long long)seed, move, doing,
            before, (unsigned long long)now.timestamp, (unsigned long long)now.place, what);
    ebb_timeline_free(tl);
    m->ops->free(m);
    exit(FAILED);
}

static void must(ebb_status status, const ebb_error *err)
{
    if (status != EBB_OK)
        fail(err->text);
}

/* ---- looking ---- */

static seen *find(ebb_position at)
{
    seen *s = table[(at.timestamp * 31 + at.place) & SEEN_MASK];
    while (s != NULL && (s->at.timestamp != at.timestamp || s->at.place != at.place))
        s = s->next;
    return s;
}

static void keep(ebb_position at, uint64_t hash)
{
    seen *s = EBB_NEW(seen), **head = &table[(at.timestamp * 31 + at.place) & SEEN_MASK];
    *s = (seen){at, hash, *head};
    *head = s;
    ebb_vec_push(&visited, at);
}

static bool is_in_history(void)
{
    ebb_timeline_state s = ebb_timeline_get_state(tl);
    return s == EBB_TIMELINE_REPLAYING || s == EBB_TIMELINE_LIVE;
}

static void look(void)
{
    ebb_position now;
    ebb_error err;
    uint64_t hash;
    if (!is_in_history())
        return; /* after the end of the program */
    must(ebb_timeline_now(tl, 0, &now, &err), &err);
    must(m->history->state_hash(m, &hash, &err), &err);
    const seen *s = find(now);
    if (s == NULL) {
        keep(now, hash);
    } else if (s->hash != hash) {
        char text[120];
        snprintf(text, sizeof text, "another state: hash %016llx, at first %016llx", (unsigned long long)hash, (unsigned long long)s->hash);
        fail(text);
    } else {
        n_again++;
    }
}

/* ---- aliases ---- */

static java_flow_choice any_choice(void)
{
    static const enum java_flow_mode modes[] = {JAVA_FLOW_OFF, JAVA_FLOW_ALL, JAVA_FLOW_ALL, JAVA_FLOW_WRITES, JAVA_FLOW_NULLS};
    static const char *const patterns[] = {"-java.*", "+java.util.*"};
    java_flow_choice choice = {.mode = modes[dice(5)], .no_origins = dice(4) == 0, .no_predecessors = dice(4) == 0, .limit = dice(3) ? LARGE : SMALL};
    if (dice(4) == 0)
        choice.kinds = (uint32_t)dice(1u << JAVA_N_ALIAS_KINDS) | 1;
    if (dice(4) == 0) {
        choice.patterns = patterns;
        choice.n_patterns = 1 + dice(2);
    }
    return choice;
}

static void choose_flow(void)
{
    ebb_error err;
    if (!flows || !is_in_history())
        return;
    java_flow_choice choice = any_choice();
    must(jvm_remote_flow_set(m, &choice, &err), &err);
    n_flowing += choice.mode != JAVA_FLOW_OFF;
}

/* ---- moving ---- */

static void seek(ebb_position to)
{
    machine_stop stop;
    ebb_error err;
    must(ebb_timeline_seek(tl, to, &stop, &err), &err);
}

static void step(machine_direction direction, unsigned n)
{
    for (unsigned i = 0; i < n && is_in_history(); i++) {
        machine_request request = {.direction = direction, .move = MACHINE_STEP, .thread = ebb_timeline_get_thread(tl)};
        machine_stop stop;
        ebb_error err;
        must(ebb_timeline_run(tl, &request, &stop, &err), &err);
        if (stop.kind != MACHINE_STOP_STEP)
            return; /* an end of history */
        look();
    }
}

typedef struct span {
    uint64_t oldest, newest;
} span;

static span history_span(void)
{
    const ebb_copies *copies = m->history->copies(m);
    return (span){ebb_copies_oldest(copies), ebb_copies_newest(copies).at.timestamp};
}

static uint64_t clamp(uint64_t time, const span *h)
{
    return time < h->oldest ? h->oldest : time > h->newest ? h->newest : time;
}

static void move_once(void)
{
    span h = history_span();
    uint64_t now = m->ops->timestamp(m);
    unsigned what = (unsigned)dice(10), steps = 1 + (unsigned)dice(MAX_STEPS);
    memcpy(before, doing, sizeof before);
    if (dice(2))
        choose_flow();
    if (!is_in_history() || what == 0) {
        uint64_t to = h.oldest + dice(h.newest - h.oldest);
        snprintf(doing, sizeof doing, "from %llu far to %llu", (unsigned long long)now, (unsigned long long)to);
        seek((ebb_position){.timestamp = to});
    } else if (what < 4) {
        uint64_t to = clamp(now - NEAR_TICKS + dice(2 * NEAR_TICKS), &h);
        snprintf(doing, sizeof doing, "from %llu near to %llu", (unsigned long long)now, (unsigned long long)to);
        seek((ebb_position){.timestamp = to});
    } else if (what < 6 && visited.n > 0) {
        ebb_position to = visited.items[dice(visited.n)];
        snprintf(doing, sizeof doing, "from %llu again to %llu@%#llx", (unsigned long long)now, (unsigned long long)to.timestamp,
                 (unsigned long long)to.place);
        seek(to);
    } else {
        machine_direction direction = what < 8 ? MACHINE_FORWARD : MACHINE_BACKWARD;
        snprintf(doing, sizeof doing, "from %llu %u steps %s", (unsigned long long)now, steps, what < 8 ? "forward" : "back");
        step(direction, steps);
    }
    look();
}

/* ---- all ---- */

/* Its own life, without a word from us. */
static machine_stop live(void)
{
    machine_stop stop;
    ebb_error err;
    machine_request run = {.move = MACHINE_RUN};
    do
        must(ebb_timeline_run(tl, &run, &stop, &err), &err);
    while (stop.kind != MACHINE_STOP_EXITED && stop.kind != MACHINE_STOP_KILLED);
    return stop;
}

int main(int argc, char **argv)
{
    ebb_error err;
    flows = argc > 1 && strcmp(argv[1], "-f") == 0;
    argc -= flows;
    argv += flows;
    if (argc < 4) {
        fprintf(stderr, "wander [-f] SEED MOVES JAVA ARGS...\n");
        return FAILED;
    }
    seed = strtoull(argv[1], NULL, 0);
    state = seed * 0x9e3779b97f4a7c15 + 1;
    n_moves = (unsigned)strtoul(argv[2], NULL, 0);
    jvm_remote_launch how = {.args = argv + 3, .records = true};
    if (jvm_remote_start(&how, &m, &err) != EBB_OK) {
        fprintf(stderr, "wander: %s\n", err.text);
        return FAILED;
    }
    tl = ebb_timeline_new(m);
    bool has_machine = ebb_timeline_has_history(tl);
    if (has_machine && machine_can(m, MACHINE_REWINDS))
        must(m->history->undo_set(m, dice(2) ? UNDO_BYTES : 0, UNDO_BYTES, &err), &err);
    if (has_machine)
        choose_flow();
    machine_stop end = live();
    span h = {0};
    if (has_machine)
        h = history_span();
    for (move = 1; has_machine && h.newest > h.oldest && move <= n_moves; move++)
        move_once();
    if (getenv("WANDER_TELL") != NULL)
        fprintf(stderr, "wander: seed %llu, %u moves, %zu states, %u of them again, aliases chosen %u times\n", (unsigned long long)seed, move - 1, visited.n,
                n_again, n_flowing);
    ebb_timeline_free(tl);
    m->ops->free(m);
    if (end.kind == MACHINE_STOP_KILLED) {
        signal(end.signal, SIG_DFL);
        raise(end.signal);
    }
    return end.kind == MACHINE_STOP_EXITED ? end.exit_status : FAILED;
}
