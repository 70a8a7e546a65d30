/* monitor.c - a lock is a word in the object's header until somebody waits; then it has a monitor of its own. */
#include "jvm/threads/monitor.h"

#include "base/check.h"
#include "base/mem.h"
#include "base/sizes.h"
#include "jvm/agent/agent.h"
#include "jvm/explore/capture.h"
#include "jvm/explore/explore.h"
#include "jvm/heap/handles.h"
#include "jvm/heap/heap.h"
#include "jvm/threads/scheduler.h"
#include "jvm/engine/throw.h"
#include "jvm/undo/keep.h"
#include "jvm/jvm.h"

#include <string.h>

/* Mark words: see heap/object.h. */
enum { MARK_THIN = 1, MARK_FAT = 3, MAX_THIN_ID = 0xffff, MAX_THIN_COUNT = 0x3fff };

static EBB_VEC(jvm_monitor *) monitors; /* by index; NULL: free */
static EBB_VEC(uint32_t) free_indexes;

static bool is_fat(uint32_t mark) { return (mark & 3) == MARK_FAT; }
static bool is_thin(uint32_t mark) { return (mark & 3) == MARK_THIN; }
static void set_mark(jvm_obj *o, uint32_t mark)
{
    jvm_undo_keep_heap(&o->mark, sizeof o->mark);
    o->mark = mark;
}

static uint32_t thin_id(uint32_t mark) { return mark >> 2 & MAX_THIN_ID; }
static uint32_t thin_count(uint32_t mark) { return mark >> 18; }
static uint32_t thin_mark(uint32_t id, uint32_t count) { return count << 18 | id << 2 | MARK_THIN; }
static jvm_monitor *fat_of(uint32_t mark) { return monitors.items[mark >> 2]; }

static jvm_thread *thread_by_id(uint32_t id)
{
    for (jvm_thread *t = jvm_threads_first(); t != NULL; t = t->next_all)
        if (t->id == id)
            return t;
    return NULL;
}

/* ---- identity hash ---- */

/* One generator for all objects, stepped on demand (heap/object.h, OB1). */
static uint32_t generator = 0x2545f491;

uint32_t jvm_identity_hashes(void) { return generator; }

static uint32_t next_hash(void)
{
    uint32_t x = generator;
    jvm_undo_keep(&generator, sizeof generator);
    do {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    } while ((x & 0x7fffffff) == 0);
    generator = x;
    return x & 0x7fffffff;
}

/* OB1 */
static uint32_t hash_of_name(const char *name)
{
    uint32_t x = 0x811c9dc5;
    for (; *name != '\0'; name++)
        x = (x ^ (uint8_t)*name) * 0x01000193;
    return (x & 0x7fffffff) != 0 ? x & 0x7fffffff : 1;
}

static uint32_t hash_for(const jvm_obj *o)
{
    const jvm_class *of = o->cls == jvm.classes.Class ? jvm_mirror_class(o) : NULL;
    return of != NULL && of->name != NULL ? hash_of_name(of->name->text) : next_hash();
}

static jvm_monitor *inflate(jvm_obj *o);

uint32_t jvm_identity_hash_known(const jvm_obj *o)
{
    return is_fat(o->mark) ? fat_of(o->mark)->hash : is_thin(o->mark) ? 0 : o->mark >> 1;
}

int32_t jvm_identity_hash(jvm_obj *o)
{
    if (o == NULL)
        return 0;
    if ((o->mark & 1) == 0) {
        if (o->mark == 0)
            set_mark(o, hash_for(o) << 1);
        return (int32_t)(o->mark >> 1);
    }
    jvm_monitor *m = inflate(o);
    if (m->hash == 0) {
        jvm_undo_keep(&m->hash, sizeof m->hash);
        m->hash = hash_for(o);
    }
    return (int32_t)m->hash;
}

/* ---- inflation ---- */

/* Monitors in no use; they are never freed, so that the undo log may put back what was in them. */
static jvm_monitor *spare; /* linked by `next_spare` */

static void make_spare(void)
{
    jvm_monitor *more = ebb_zalloc(JVM_MONITORS_AT_ONCE * sizeof *more);
    for (int i = JVM_MONITORS_AT_ONCE; i-- > 0;) {
        more[i].next_spare = spare;
        spare = &more[i];
    }
}

/* Its number is the one that came free last, or a new one. */
static uint32_t index_take(void)
{
    jvm_undo_keep(&free_indexes.n, sizeof free_indexes.n);
    if (free_indexes.n > 0)
        return free_indexes.items[--free_indexes.n];
    jvm_undo_keep_push(&monitors);
    ebb_vec_push(&monitors, NULL);
    return (uint32_t)monitors.n - 1;
}

static jvm_monitor *monitor_new(jvm_obj *o)
{
    if (spare == NULL)
        make_spare();
    jvm_monitor *m = spare;
    jvm_undo_keep(&spare, sizeof spare);
    jvm_undo_keep(m, sizeof *m);
    spare = m->next_spare;
    *m = (jvm_monitor){.object = o, .index = index_take()};
    jvm_undo_keep(&monitors.items[m->index], sizeof m);
    monitors.items[m->index] = m;
    return m;
}

static jvm_monitor *inflate(jvm_obj *o)
{
    uint32_t mark = o->mark;
    if (is_fat(mark))
        return fat_of(mark);
    jvm_monitor *m = monitor_new(o);
    if (is_thin(mark)) {
        m->owner = thread_by_id(thin_id(mark));
        m->count = thin_count(mark) + 1;
    } else {
        m->hash = mark >> 1;
    }
    set_mark(o, m->index << 2 | MARK_FAT);
    return m;
}

/* In a collection only, which cuts the undo log. */
static void monitor_free(jvm_monitor *m)
{
    monitors.items[m->index] = NULL;
    ebb_vec_push(&free_indexes, m->index);
    m->next_spare = spare;
    spare = m;
}

static bool is_idle(const jvm_monitor *m)
{
    return m->owner == NULL && m->entry_head == NULL && m->wait_head == NULL;
}

void jvm_monitors_sweep(bool (*is_live)(const jvm_obj *o))
{
    for (size_t i = 0; i < monitors.n; i++) {
        jvm_monitor *m = monitors.items[i];
        if (m == NULL || m->object == NULL || !is_idle(m))
            continue;
        if (is_live(m->object))
            m->object->mark = m->hash << 1;
        monitor_free(m);
    }
}

void jvm_monitors_each(void (*visit)(jvm_monitor *m, void *arg), void *arg)
{
    for (size_t i = 0; i < monitors.n; i++)
        if (monitors.items[i] != NULL)
            visit(monitors.items[i], arg);
}

/* ---- queues of threads ---- */

/* Callers have kept the monitor that the queue is of. */
static void queue_add(jvm_thread **head, jvm_thread **tail, jvm_thread *t)
{
    jvm_thread_keep(t);
    if (*tail != NULL)
        jvm_thread_keep(*tail);
    t->next_waiter = NULL;
    if (*head == NULL)
        *head = t;
    else
        (*tail)->next_waiter = t;
    *tail = t;
}

static jvm_thread *queue_take(jvm_thread **head, jvm_thread **tail)
{
    jvm_thread *t = *head;
    *head = t->next_waiter;
    if (*head == NULL)
        *tail = NULL;
    return t;
}

static bool queue_remove(jvm_thread **head, jvm_thread **tail, jvm_thread *t)
{
    jvm_thread *before = NULL;
    for (jvm_thread *at = *head; at != NULL; before = at, at = at->next_waiter) {
        if (at != t)
            continue;
        if (before != NULL)
            jvm_thread_keep(before);
        *(before ? &before->next_waiter : head) = t->next_waiter;
        if (*tail == t)
            *tail = before;
        return true;
    }
    return false;
}

/* ---- enter and exit ---- */

static void fat_enter(jvm_thread *t, jvm_monitor *m, uint32_t count)
{
    jvm_undo_keep(m, sizeof *m);
    if (m->owner == t) {
        m->count += count;
        return;
    }
    if (m->owner == NULL) {
        m->owner = t;
        m->count = count;
        return;
    }
    queue_add(&m->entry_head, &m->entry_tail, t);
    t->blocked_on = m;
    t->wait_count = count;
    while (m->owner != t)
        jvm_block(t, JVM_THREAD_BLOCKED, INT64_MAX);
    jvm_thread_keep(t);
    t->blocked_on = NULL;
}

/* The lock passes to the first in the queue (MN1).  The caller has kept m. */
static void fat_release(jvm_monitor *m)
{
    m->owner = NULL;
    m->count = 0;
    if (m->entry_head == NULL || jvm_explore_on)
        return;
    jvm_thread *next = queue_take(&m->entry_head, &m->entry_tail);
    m->owner = next;
    m->count = next->wait_count;
    jvm_make_runnable(next);
}

void jvm_monitor_grant(jvm_thread *t)
{
    jvm_monitor *m = t->blocked_on;
    jvm_undo_keep(m, sizeof *m);
    queue_remove(&m->entry_head, &m->entry_tail, t);
    m->owner = t;
    m->count = t->wait_count;
}

static void enter_watched(jvm_thread *t, jvm_obj *o)
{
    const jvm_thread *owner = jvm_monitor_owner(o);
    bool blocks = owner != NULL && owner != t;
    if (blocks)
        jvm_agent_lock_blocks(t, o);
    fat_enter(t, inflate(o), 1);
    if (blocks)
        jvm_agent_lock_entered(t, o);
}

void jvm_monitor_enter(jvm_thread *t, jvm_obj *o)
{
    uint32_t mark = o->mark;
    if (mark == 0 && t->id <= MAX_THIN_ID) {
        set_mark(o, thin_mark(t->id, 0));
        return;
    }
    if (is_thin(mark) && thin_id(mark) == t->id && thin_count(mark) < MAX_THIN_COUNT) {
        set_mark(o, thin_mark(t->id, thin_count(mark) + 1));
        return;
    }
    size_t kept = jvm_handles_mark(t);
    jvm_local(t, o);
    if (jvm_agent_monitors)
        enter_watched(t, o);
    else
        fat_enter(t, inflate(o), 1);
    jvm_handles_release(t, kept);
}

bool jvm_monitor_try_enter(jvm_thread *t, jvm_obj *o)
{
    jvm_thread *owner = jvm_monitor_owner(o);
    if (owner != NULL && owner != t)
        return false;
    jvm_monitor_enter(t, o);
    return true;
}

static bool throw_not_owner(jvm_thread *t, const char *message)
{
    jvm_throw_class(t, jvm.classes.IllegalMonitorStateException, message);
    return false;
}

static const char not_owner[] = "current thread is not owner";

bool jvm_monitor_exit(jvm_thread *t, jvm_obj *o)
{
    uint32_t mark = o->mark;
    if (is_thin(mark) && thin_id(mark) == t->id) {
        set_mark(o, thin_count(mark) > 0 ? thin_mark(t->id, thin_count(mark) - 1) : 0);
        return true;
    }
    if (!is_fat(mark) || fat_of(mark)->owner != t)
        return throw_not_owner(t, NULL);
    jvm_monitor *m = fat_of(mark);
    jvm_undo_keep(m, sizeof *m);
    if (--m->count == 0)
        fat_release(m);
    return true;
}

jvm_thread *jvm_monitor_owner(const jvm_obj *o)
{
    if (is_thin(o->mark))
        return thread_by_id(thin_id(o->mark));
    return is_fat(o->mark) ? fat_of(o->mark)->owner : NULL;
}

unsigned jvm_monitor_count(const jvm_obj *o)
{
    if (is_thin(o->mark))
        return thin_count(o->mark) + 1;
    return is_fat(o->mark) && fat_of(o->mark)->owner != NULL ? fat_of(o->mark)->count : 0;
}

bool jvm_monitor_holds(const jvm_thread *t, const jvm_obj *o)
{
    if (is_thin(o->mark))
        return thin_id(o->mark) == t->id;
    return is_fat(o->mark) && fat_of(o->mark)->owner == t;
}

/* ---- wait and notify ---- */

void jvm_monitor_wait(jvm_thread *t, jvm_obj *o, int64_t millis)
{
    if (!jvm_monitor_holds(t, o)) {
        throw_not_owner(t, not_owner);
        return;
    }
    if (jvm_interrupted_take(t)) {
        jvm_throw(t, "java/lang/InterruptedException", NULL);
        return;
    }
    size_t kept = jvm_handles_mark(t);
    jvm_local(t, o);
    if (jvm_agent_monitors)
        jvm_agent_waits(t, o, millis);
    jvm_monitor *m = inflate(o);
    uint32_t count = m->count;
    jvm_undo_keep(m, sizeof *m);
    queue_add(&m->wait_head, &m->wait_tail, t);
    t->notified = false;
    t->blocked_on = m;
    t->wait_count = count;
    fat_release(m);
    int64_t now = jvm_now_monotonic_ns();
    int64_t deadline = millis == 0 || millis > (INT64_MAX - now) / 1000000 ? INT64_MAX : now + millis * 1000000;
    bool timed_out = !jvm_block(t, millis == 0 ? JVM_THREAD_WAITING : JVM_THREAD_TIMED_WAITING, deadline);
    jvm_thread_keep(t);
    t->blocked_on = NULL;
    if (t->notified) { /* moved to the entry queue: wait for the lock to be passed on */
        t->blocked_on = m;
        while (m->owner != t)
            jvm_block(t, JVM_THREAD_BLOCKED, INT64_MAX);
        t->blocked_on = NULL;
    } else {
        jvm_undo_keep(m, sizeof *m);
        queue_remove(&m->wait_head, &m->wait_tail, t);
        fat_enter(t, m, count);
        if (jvm_interrupted_take(t))
            jvm_throw(t, "java/lang/InterruptedException", NULL);
    }
    if (jvm_agent_monitors)
        jvm_agent_waited(t, o, timed_out);
    jvm_handles_release(t, kept);
}

static size_t count_waiters(const jvm_monitor *m)
{
    size_t n = 0;
    for (const jvm_thread *w = m->wait_head; w != NULL; w = w->next_waiter)
        n++;
    return n;
}

/* MN1 */
static jvm_thread *waiter_to_wake(jvm_thread *t, const jvm_monitor *m, bool all)
{
    jvm_thread *w = m->wait_head;
    if (!jvm_explore_on || all || w->next_waiter == NULL)
        return w;
    for (size_t i = jvm_explore_choose_waiter(t, count_waiters(m)); i > 0; i--)
        w = w->next_waiter;
    return w;
}

static void wake_one(jvm_monitor *m, jvm_thread *w)
{
    jvm_undo_keep(m, sizeof *m);
    jvm_thread_keep(w);
    queue_remove(&m->wait_head, &m->wait_tail, w);
    w->notified = true;
    w->deadline_ns = INT64_MAX;
    jvm_set_state(w, JVM_THREAD_BLOCKED);
    queue_add(&m->entry_head, &m->entry_tail, w);
}

bool jvm_monitor_notify(jvm_thread *t, jvm_obj *o, bool all)
{
    if (!jvm_monitor_holds(t, o))
        return throw_not_owner(t, not_owner);
    if (!is_fat(o->mark))
        return true; /* nobody waits on a thin lock */
    jvm_monitor *m = fat_of(o->mark);
    while (m->wait_head != NULL) {
        jvm_thread *w = waiter_to_wake(t, m, all);
        if (jvm_capture_on)
            jvm_capture_notifies(t, w);
        wake_one(m, w);
        if (!all)
            break;
    }
    return true;
}

/* ---- raw monitors ---- */

/* In no table: native code that makes them doesn't run in replay, and the numbers of the others must not depend on it. */
jvm_monitor *jvm_raw_monitor_new(void)
{
    return EBB_NEW(jvm_monitor);
}

void jvm_raw_monitor_free(jvm_monitor *m)
{
    jvm_undo_cut("the end of a lock of native code");
    free(m);
}

void jvm_raw_monitor_enter(jvm_thread *t, jvm_monitor *m)
{
    fat_enter(t, m, 1);
}

void jvm_raw_monitor_exit(jvm_thread *t, jvm_monitor *m)
{
    jvm_undo_keep(m, sizeof *m);
    if (m->owner == t && --m->count == 0)
        fat_release(m);
}
