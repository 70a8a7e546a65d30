/* walk - runs a Java program under the debugger as if it were alone, then goes back and forth in its history.
 *
 *     walk [-p | -l] JAVA ARGS...
 *
 * The program's input, output and exit status are those of the program.  While it runs, snapshots are taken every few
 * milliseconds (-p: plainly, without recording; -l: it keeps an undo log, and is stopped now and then to go back by it).  Afterwards every state that can be reached in two ways is: from the
 * snapshot of that moment, and by replaying from an earlier one; and replay goes to and fro by its undo log.  If hashes differ,
 * or replay doesn't come to the end, it says so on standard error and ends with status 99. */
#include "jvm/remote/machine_ops.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { INTERVAL_MS = 25, MAX_ROUTES = 6, MAX_SNAPSHOTS = 24, STEPS = 40, MAX_MOMENTS = 24, LOG_BYTES = 8 << 20, FAILED = 99 };

static machine *m;

static ebb_copies *copies_of(machine *of) { return of->history->copies(of); }

_Noreturn static void fail(const char *what, const char *why)
{
    fprintf(stderr, "walk: %s: %s\n", what, why);
    m->ops->free(m);
    exit(FAILED);
}

#define must(call)                                                                                 \
    do {                                                                                           \
        ebb_error err_ = {0};                                                                      \
        ebb_error *err = &err_;                                                                    \
        if ((call) != EBB_OK)                                                                      \
            fail(#call, err_.text);                                                                \
    } while (0)

/* Every second one goes when there are many. */
static void thin(void *self)
{
    size_t n;
    const ebb_snapshot *list = ebb_copies_list(copies_of(m), &n);
    if (n < MAX_SNAPSHOTS)
        return;
    ebb_snapshot_id ids[MAX_SNAPSHOTS];
    size_t n_ids = 0;
    for (size_t i = 1; i < n - 1 && n_ids < MAX_SNAPSHOTS; i += 2)
        ids[n_ids++] = list[i].id;
    for (size_t i = 0; i < n_ids; i++)
        ebb_copies_drop(copies_of(m), ids[i]);
}

static machine_stop resume(machine_request request)
{
    machine_stop stop = {0};
    must(m->ops->resume(m, &request, &stop, err));
    return stop;
}

static uint64_t hash_now(void)
{
    uint64_t hash;
    must(m->history->state_hash(m, &hash, err));
    return hash;
}

/* The same moment by way of an earlier snapshot. */
static void compare(const ebb_snapshot *from, const ebb_snapshot *to)
{
    must(ebb_copies_restore(copies_of(m), to->id, err));
    uint64_t hash = hash_now();
    must(ebb_copies_restore(copies_of(m), from->id, err));
    for (int i = 0; i < STEPS && m->ops->timestamp(m) < to->at.timestamp; i++) {
        machine_stop stop = resume((machine_request){.move = MACHINE_STEP, .thread = from->thread, .over_calls = i % 3 == 0});
        if (stop.kind != MACHINE_STOP_STEP)
            break;
    }
    if (m->ops->timestamp(m) >= to->at.timestamp)
        return;
    machine_stop stop = resume((machine_request){.move = MACHINE_RUN, .until = true, .until_time = to->at.timestamp,
        .until_place = to->at.place, .quiet = true});
    if (stop.kind != MACHINE_STOP_POSITION || m->ops->timestamp(m) != to->at.timestamp || stop.place != to->at.place) {
        char text[200];
        snprintf(text, sizeof text, "%s at %llu, %#llx instead of %llu, %#llx", machine_stop_word(stop.kind),
                 (unsigned long long)m->ops->timestamp(m), (unsigned long long)stop.place, (unsigned long long)to->at.timestamp,
                 (unsigned long long)to->at.place);
        fail("going to a snapshot's moment", text);
    }
    if (hash_now() != hash)
        fail("the same moment", "another state");
}

/* ---- the undo log ---- */

typedef struct moment {
    uint64_t time, hash;
    machine_place place;
} moment;

static uint64_t random_below(uint64_t n)
{
    static uint64_t seed = 20040501; /* the same walk each time */
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % n;
}

static bool run_until(uint64_t time, machine_place place)
{
    machine_request request = {.move = MACHINE_RUN, .until = true, .until_time = time, .until_place = place, .quiet = true};
    return resume(request).kind == MACHINE_STOP_POSITION;
}

static moment moment_now(void) { return (moment){m->ops->timestamp(m), hash_now(), jvm_remote_of(m)->place}; }

/* To a moment that was seen, if the log reaches it. */
static void undo_to(const moment *to)
{
    bool reached;
    must(ebb_copies_rewind(copies_of(m), (ebb_position){to->time, to->place}, &reached, err));
    if (!reached)
        return;
    moment now = moment_now();
    if (now.time != to->time || now.place != to->place)
        (void)run_until(to->time, to->place); /* the newest moment of all is the end of history */
    now = moment_now();
    if (now.time == to->time && now.place == to->place && now.hash == to->hash)
        return;
    char text[200];
    snprintf(text, sizeof text, "%llu, %#llx instead of %llu, %#llx, or another state", (unsigned long long)now.time,
             (unsigned long long)now.place, (unsigned long long)to->time, (unsigned long long)to->place);
    fail("a moment reached by the undo log", text);
}

static void walk_by_log(const ebb_snapshot *from, uint64_t end)
{
    moment seen[MAX_MOMENTS];
    must(ebb_copies_restore(copies_of(m), from->id, err));
    must(m->history->undo_set(m, 0, LOG_BYTES, err));
    uint64_t step = (end - from->at.timestamp) / MAX_MOMENTS + 1;
    for (size_t n = 0; n < MAX_MOMENTS;) {
        if (!run_until(m->ops->timestamp(m) + 1 + random_below(2 * step), 0))
            break;
        seen[n++] = moment_now();
        undo_to(&seen[random_below(n)]);
        undo_to(&seen[random_below(n)]);
        if (m->ops->timestamp(m) < seen[n - 1].time && !run_until(seen[n - 1].time, seen[n - 1].place))
            fail("going on to the newest moment", "it isn't reached");
    }
    must(m->history->undo_set(m, 0, 0, err));
}

/* While it runs: back by the log that it keeps itself, in a copy, and on again. */
static machine_stop run_with_log(void)
{
    moment seen[MAX_MOMENTS];
    must(m->history->undo_set(m, LOG_BYTES, LOG_BYTES, err));
    for (size_t n = 0; n < MAX_MOMENTS;) {
        uint64_t time = m->ops->timestamp(m) + 1 + random_below(100 << n / 2);
        machine_stop stop = resume((machine_request){.move = MACHINE_RUN, .until = true, .until_time = time, .quiet = true});
        if (stop.kind != MACHINE_STOP_POSITION)
            return stop;
        seen[n++] = moment_now();
        undo_to(&seen[random_below(n)]);
        undo_to(&seen[n / 2 + random_below(n - n / 2)]);
        must(ebb_copies_go_live(copies_of(m), err));
    }
    return resume((machine_request){.move = MACHINE_RUN});
}

/* ---- all of it ---- */

static void go_back_and_forth(void)
{
    size_t n;
    const ebb_snapshot *list = ebb_copies_list(copies_of(m), &n);
    ebb_snapshot all[MAX_SNAPSHOTS + 1];
    if (n > MAX_SNAPSHOTS + 1)
        n = MAX_SNAPSHOTS + 1;
    if (n == 0)
        return;
    memcpy(all, list, n * sizeof *all);
    for (size_t i = 0; i + 1 < n && i < MAX_ROUTES; i++) {
        size_t to = n - 1 - i, from = to * i / MAX_ROUTES;
        if (all[from].at.timestamp < all[to].at.timestamp)
            compare(&all[from], &all[to]);
    }
    for (size_t i = 0; i < n; i += n / 2 + 1)
        walk_by_log(&all[i], all[n - 1].at.timestamp);
    must(ebb_copies_restore(copies_of(m), all[n - 1].id, err));
    machine_stop stop = resume((machine_request){.move = MACHINE_RUN});
    if (stop.kind != MACHINE_STOP_HISTORY_END)
        fail("the end of history", machine_stop_word(stop.kind));
}

int main(int argc, char **argv)
{
    bool plain = argc > 1 && strcmp(argv[1], "-p") == 0, with_log = argc > 1 && strcmp(argv[1], "-l") == 0;
    int options = plain || with_log;
    jvm_remote_launch how = {.args = argv + 1 + options, .records = !plain};
    ebb_error err;
    if (argc < 2 + options || jvm_remote_start(&how, &m, &err) != EBB_OK) {
        fprintf(stderr, "walk: %s\n", argc < 2 + options ? "no program" : err.text);
        return FAILED;
    }
    if (machine_can(m, MACHINE_RECORDS))
        ebb_copies_set_pace(copies_of(m), (ebb_pace_rule){.interval_ms = INTERVAL_MS}, thin, NULL);
    machine_stop stop = with_log ? run_with_log() : resume((machine_request){.move = MACHINE_RUN});
    if (stop.kind == MACHINE_STOP_EXITED && machine_can(m, MACHINE_RECORDS))
        go_back_and_forth();
    m->ops->free(m);
    if (stop.kind == MACHINE_STOP_KILLED) {
        signal(stop.signal, SIG_DFL);
        raise(stop.signal);
    }
    return stop.kind == MACHINE_STOP_EXITED ? stop.exit_status : FAILED;
}
