/* verify.c - hashes of the state: when one is due, and whether it is the same again. */
#include "time/verify.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

void ebb_verify_init(ebb_verify *v, const char *policy, ebb_state_hash *hash, void *self)
{
    *v = (ebb_verify){.hash = hash, .self = self};
    if (policy == NULL)
        return;
    v->sparingly = strcmp(policy, "sparingly") == 0;
    v->every = v->sparingly ? 0 : strtoull(policy, NULL, 0);
}

/* ---- recording ---- */

static int64_t now_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

bool ebb_verify_is_due(const ebb_verify *v)
{
    if (v->sparingly)
        return v->is_wanted || now_ns() >= v->not_before;
    return v->every != 0 && (v->is_wanted || v->moment.n % v->every == 0);
}

ebb_status ebb_verify_record(ebb_verify *v, ebb_recorder *rec, ebb_position at, ebb_error *err)
{
    uint64_t hash;
    int64_t began = v->sparingly ? now_ns() : 0;
    EBB_TRY(v->hash(v->self, &hash, err)); /* before the event begins: a state that can't be read leaves none */
    ebb_recorder_begin(rec, EBB_EVENT_HASH, at.timestamp);
    ebb_recorder_u64(rec, at.place); /* VF1 */
    ebb_recorder_u64(rec, hash);
    ebb_status status = ebb_recorder_end(rec, err);
    int64_t ended = v->sparingly ? now_ns() : 0;
    v->not_before = ended + 2 * (ended - began); /* so hashing takes one part of three */
    v->is_wanted = false;
    return status;
}

/* ---- replay ---- */

ebb_status ebb_verify_check(ebb_verify *v, const ebb_event *taken, ebb_error *err)
{
    ebb_values values = taken->values;
    (void)ebb_values_u64(&values); /* VF1: the caller has come there by it */
    uint64_t recorded = ebb_values_u64(&values), is;
    if (values.is_bad)
        return ebb_fail(err, EBB_BAD_FILE, "the recording is damaged: a hash is cut short");
    EBB_TRY(v->hash(v->self, &is, err));
    if (recorded != is)
        return ebb_fail(err, EBB_DIVERGED, "the state is another one: hash %016llx, recorded %016llx", (unsigned long long)is,
                        (unsigned long long)recorded);
    v->n_compared++;
    return EBB_OK;
}

/* ---- moments that are counted ---- */

void ebb_verify_count(ebb_verify *v, uint64_t now)
{
    ebb_verify_moment *m = &v->moment;
    m->n++;
    m->n_here = now == m->timestamp ? m->n_here + 1 : 1;
    m->timestamp = now;
}

ebb_status ebb_verify_record_counted(ebb_verify *v, ebb_recorder *rec, uint64_t now, ebb_error *err)
{
    return ebb_verify_is_due(v) ? ebb_verify_record(v, rec, (ebb_position){now, v->moment.n_here}, err) : EBB_OK;
}

ebb_status ebb_verify_compare_counted(ebb_verify *v, ebb_replay *r, uint64_t now, ebb_error *err)
{
    if (!ebb_replay_has(r, EBB_EVENT_HASH, now))
        return EBB_OK; /* what can't be read fails where it is asked for */
    ebb_values values = ebb_replay_get_event(r)->values;
    if (ebb_values_u64(&values) != v->moment.n_here) /* VF1 */
        return EBB_OK;
    EBB_TRY(ebb_replay_expect(r, EBB_EVENT_HASH, now, err));
    return ebb_verify_check(v, ebb_replay_get_event(r), err);
}
