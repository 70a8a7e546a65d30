/* pipeline.c - producers and consumers over a bounded queue, with a shared tally.
 *
 * It has a bug.  Now and then the tally is lower than the number of items that went through: an
 * update got lost between two threads.  The longer the gap between reading and writing the tally, the
 * more often; `pipeline 4 2000` shows it nearly every time.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { QUEUE_SIZE = 8, MAX_THREADS = 16 };

typedef struct item {
    uint32_t producer;
    uint32_t sequence;
    uint64_t payload;
} item;

typedef struct queue {
    pthread_mutex_t lock;
    pthread_cond_t not_empty, not_full;
    item items[QUEUE_SIZE];
    unsigned head, n;
    bool closed;
    unsigned long n_waits;
} queue;

typedef struct tally {
    volatile long count; /* guarded by nothing: the bug */
    volatile uint64_t checksum;
    pthread_mutex_t lock;
} tally;

typedef struct worker {
    pthread_t thread;
    unsigned number;
    unsigned n_items;
    uint64_t checksum;
    const char *role;
    struct pipeline *pipeline;
} worker;

typedef struct pipeline {
    queue queue;
    tally tally;
    worker producers[MAX_THREADS], consumers[MAX_THREADS];
    unsigned n_producers, n_consumers, items_each;
} pipeline;

static __thread unsigned my_number;
static __thread char my_role[16];
static atomic_ulong n_finished;
static volatile sig_atomic_t n_alarms;

static void die(const char *what, int error)
{
    fprintf(stderr, "pipeline: %s: %s\n", what, strerror(error));
    exit(2);
}

static void must(int error, const char *what)
{
    if (error)
        die(what, error);
}

static void queue_init(queue *q)
{
    memset(q, 0, sizeof *q);
    must(pthread_mutex_init(&q->lock, NULL), "mutex");
    must(pthread_cond_init(&q->not_empty, NULL), "condition");
    must(pthread_cond_init(&q->not_full, NULL), "condition");
}

static void queue_fini(queue *q)
{
    pthread_cond_destroy(&q->not_full);
    pthread_cond_destroy(&q->not_empty);
    pthread_mutex_destroy(&q->lock);
}

static bool queue_put(queue *q, item it)
{
    must(pthread_mutex_lock(&q->lock), "lock");
    while (q->n == QUEUE_SIZE && !q->closed) {
        q->n_waits++;
        must(pthread_cond_wait(&q->not_full, &q->lock), "wait");
    }
    bool open = !q->closed;
    if (open) {
        q->items[(q->head + q->n) % QUEUE_SIZE] = it;
        q->n++;
        pthread_cond_signal(&q->not_empty);
    }
    pthread_mutex_unlock(&q->lock);
    return open;
}

static bool queue_get(queue *q, item *it)
{
    must(pthread_mutex_lock(&q->lock), "lock");
    while (q->n == 0 && !q->closed) {
        q->n_waits++;
        must(pthread_cond_wait(&q->not_empty, &q->lock), "wait");
    }
    bool any = q->n > 0;
    if (any) {
        *it = q->items[q->head];
        q->head = (q->head + 1) % QUEUE_SIZE;
        q->n--;
        pthread_cond_signal(&q->not_full);
    }
    pthread_mutex_unlock(&q->lock);
    return any;
}

static void queue_close(queue *q)
{
    must(pthread_mutex_lock(&q->lock), "lock");
    q->closed = true;
    pthread_cond_broadcast(&q->not_empty);
    pthread_cond_broadcast(&q->not_full);
    pthread_mutex_unlock(&q->lock);
}

static uint64_t mix(uint64_t x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdULL;
    x ^= x >> 29;
    return x;
}

static uint64_t payload_of(unsigned producer, unsigned sequence)
{
    return mix(((uint64_t)producer << 32) | sequence);
}

/* Looks at an item as its consumer would: some work that takes a moment. */
static uint64_t digest(const item *it)
{
    uint64_t x = it->payload;
    for (int round = 0; round < 3; round++)
        x = mix(x + it->sequence);
    return x;
}

static void tally_add(tally *t, const item *it)
{
    long before = t->count;
    uint64_t sum = digest(it);
    t->count = before + 1;
    pthread_mutex_lock(&t->lock);
    t->checksum += sum;
    pthread_mutex_unlock(&t->lock);
}

static void introduce(const worker *w)
{
    my_number = w->number;
    snprintf(my_role, sizeof my_role, "%s-%u", w->role, w->number);
    pthread_setname_np(pthread_self(), my_role);
}

static void *produce(void *argument)
{
    worker *w = argument;
    introduce(w);
    for (unsigned i = 0; i < w->pipeline->items_each; i++) {
        item it = {.producer = w->number, .sequence = i, .payload = payload_of(w->number, i)};
        if (!queue_put(&w->pipeline->queue, it))
            break;
        w->n_items++;
        w->checksum += digest(&it);
    }
    atomic_fetch_add(&n_finished, 1);
    return (void *)(uintptr_t)w->n_items;
}

static void *consume(void *argument)
{
    worker *w = argument;
    introduce(w);
    item it;
    while (queue_get(&w->pipeline->queue, &it)) {
        tally_add(&w->pipeline->tally, &it);
        w->n_items++;
        w->checksum += digest(&it);
    }
    atomic_fetch_add(&n_finished, 1);
    return (void *)(uintptr_t)w->n_items;
}

static void start_workers(pipeline *p, worker *workers, unsigned n, const char *role, void *(*body)(void *))
{
    for (unsigned i = 0; i < n; i++) {
        workers[i] = (worker){.number = i, .role = role, .pipeline = p};
        must(pthread_create(&workers[i].thread, NULL, body, &workers[i]), "thread");
    }
}

static unsigned long join_workers(worker *workers, unsigned n)
{
    unsigned long total = 0;
    for (unsigned i = 0; i < n; i++) {
        void *result;
        must(pthread_join(workers[i].thread, &result), "join");
        total += (uintptr_t)result;
    }
    return total;
}

static uint64_t sum_of_checksums(const worker *workers, unsigned n)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum += workers[i].checksum;
    return sum;
}

static void on_alarm(int number)
{
    (void)number;
    n_alarms++;
}

static void install_alarm(void)
{
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGUSR1, &action, NULL) != 0)
        die("sigaction", errno);
}

static unsigned number_from(const char *text, unsigned at_most)
{
    char *end;
    unsigned long n = strtoul(text, &end, 10);
    if (*end || n == 0 || n > at_most) {
        fprintf(stderr, "pipeline: '%s' is not a number from 1 to %u\n", text, at_most);
        exit(2);
    }
    return (unsigned)n;
}

static int conclude(pipeline *p, unsigned long produced, unsigned long consumed)
{
    uint64_t in = sum_of_checksums(p->producers, p->n_producers);
    uint64_t out = sum_of_checksums(p->consumers, p->n_consumers);
    printf("%lu produced, %lu consumed, checksums %s\n", produced, consumed, in == out ? "agree" : "differ");
    if ((unsigned long)p->tally.count == consumed) {
        printf("the tally is right: %ld\n", p->tally.count);
        return 0;
    }
    printf("the tally is wrong: %ld\n", p->tally.count);
    return 1;
}

int main(int argc, char **argv)
{
    static pipeline p;
    unsigned n_threads = argc > 1 ? number_from(argv[1], MAX_THREADS) : 2;
    p.items_each = argc > 2 ? number_from(argv[2], 100000000) : 100;
    p.n_producers = p.n_consumers = n_threads;
    install_alarm();
    queue_init(&p.queue);
    must(pthread_mutex_init(&p.tally.lock, NULL), "mutex");

    start_workers(&p, p.consumers, p.n_consumers, "consumer", consume);
    start_workers(&p, p.producers, p.n_producers, "producer", produce);
    raise(SIGUSR1);
    unsigned long produced = join_workers(p.producers, p.n_producers);
    queue_close(&p.queue);
    unsigned long consumed = join_workers(p.consumers, p.n_consumers);

    int status = conclude(&p, produced, consumed);
    pthread_mutex_destroy(&p.tally.lock);
    queue_fini(&p.queue);
    return status;
}
