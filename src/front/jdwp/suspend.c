/* suspend.c - how often the client has suspended what (JW3). */
#include "front/jdwp/jdwp.h"

static int *count_of(jd *d, machine_tid tid)
{
    for (size_t i = 0; i < d->counts.n; i++)
        if (d->counts.items[i].tid == tid)
            return &d->counts.items[i].n;
    ebb_vec_push(&d->counts, ((jd_count){tid, 0}));
    return &d->counts.items[d->counts.n - 1].n;
}

int jd_suspend_count(const jd *d, machine_tid tid)
{
    int n = (int)d->n_all;
    for (size_t i = 0; i < d->counts.n; i++)
        if (d->counts.items[i].tid == tid)
            n += d->counts.items[i].n;
    return n > 0 ? n : 0;
}

void jd_suspend_all(jd *d)
{
    d->n_all++;
}

void jd_suspend_one(jd *d, machine_tid tid)
{
    ++*count_of(d, tid);
}

/* A thread that runs already is left alone. */
void jd_resume_all(jd *d)
{
    bool all = d->n_all > 0;
    d->n_all -= all;
    for (size_t i = 0; i < d->counts.n; i++) {
        int *n = &d->counts.items[i].n;
        if (*n > 0 && !all)
            --*n;
        else if (*n < 0)
            ++*n;
    }
}

bool jd_may_run(const jd *d, machine_tid *only)
{
    *only = 0;
    bool any_suspended = false;
    for (size_t i = 0; i < d->counts.n; i++) {
        int n = (int)d->n_all + d->counts.items[i].n;
        any_suspended |= n > 0;
        if (n <= 0 && d->n_all > 0)
            *only = d->counts.items[i].tid;
    }
    return d->n_all > 0 ? *only != 0 : !any_suspended;
}

jdwp_error jd_do_suspend(jd *d, jdwp_in *in, ebb_buf *out)
{
    (void)in, (void)out;
    jd_suspend_all(d);
    return JDWP_FINE;
}

jdwp_error jd_do_resume(jd *d, jdwp_in *in, ebb_buf *out)
{
    (void)in, (void)out;
    jd_resume_all(d);
    return JDWP_FINE;
}

jdwp_error jd_do_thread_suspend(jd *d, jdwp_in *in, ebb_buf *out)
{
    (void)out;
    ebb_arena arena = {0};
    java_thread thread;
    jdwp_error error = jd_thread(d, &arena, jdwp_object(in), &thread);
    if (error == JDWP_FINE)
        jd_suspend_one(d, thread.tid);
    ebb_arena_fini(&arena);
    return error;
}

jdwp_error jd_do_thread_resume(jd *d, jdwp_in *in, ebb_buf *out)
{
    (void)out;
    ebb_arena arena = {0};
    java_thread thread;
    jdwp_error error = jd_thread(d, &arena, jdwp_object(in), &thread);
    if (error == JDWP_FINE && jd_suspend_count(d, thread.tid) > 0)
        --*count_of(d, thread.tid);
    ebb_arena_fini(&arena);
    return error;
}

jdwp_error jd_do_suspend_count(jd *d, jdwp_in *in, ebb_buf *out)
{
    ebb_arena arena = {0};
    java_thread thread;
    jdwp_error error = jd_thread(d, &arena, jdwp_object(in), &thread);
    if (error == JDWP_FINE)
        jdwp_put(out, (uint64_t)jd_suspend_count(d, thread.tid), 4);
    ebb_arena_fini(&arena);
    return error;
}
