#include "jvm/undo/internal.h"

#include "base/check.h"
#include "base/text.h"
#include "jvm/agent/agent.h"
#include "jvm/engine/interp.h"
#include "jvm/record/internal.h"
#include "jvm/threads/sanitizer.h"
#include "jvm/threads/scheduler.h"
#include "jvm/jvm.h"

#include <string.h>
#include <sys/mman.h>

enum { INTERVAL = 512 }; /* timestamps between two checkpoints */

bool jvm_undo_on;
uint64_t jvm_undo_moment = UINT64_MAX;
jvm_slot *jvm_undo_mark;

static struct {
    undo_entry *items; /* a ring: `first` is the oldest */
    size_t cap, first, n;
    uint64_t serial;   /* of the last one taken */
    const char *cut_by;
} log_;

/* ---- the list of checkpoints ---- */

static void drop_lost(void)
{
    while (log_.n > 0 && log_.items[log_.first].position < jvm_undo_ring_tail()) {
        log_.first = (log_.first + 1) % log_.cap;
        log_.n--;
        log_.cut_by = NULL;
    }
}

size_t undo_nentries(void)
{
    drop_lost();
    return log_.n;
}

const undo_entry *undo_entry_at(size_t i) { return &log_.items[(log_.first + i) % log_.cap]; }

void undo_forget_since(uint64_t serial)
{
    while (log_.n > 0 && undo_entry_at(log_.n - 1)->serial > serial)
        log_.n--;
}

static void add_entry(undo_entry e)
{
    drop_lost();
    ebb_check(log_.n < log_.cap);
    log_.items[(log_.first + log_.n++) % log_.cap] = e;
}

/* ---- keeping ---- */

void jvm_undo_keep_(void *at, size_t nbytes)
{
    if (!jvm_undo_add(JVM_KEPT_BYTES, at, at, nbytes, NULL, 0))
        jvm_undo_cut_("something too large for the log");
}

void jvm_undo_alloc_(jvm_obj *o)
{
    jvm_undo_add_unit((uintptr_t)o | (uint64_t)JVM_KEPT_ALLOC << JVM_KEPT_SHIFT, 0);
}

void jvm_undo_cut_(const char *why)
{
    log_.n = 0;
    log_.cut_by = why;
    jvm_undo_mark = NULL; /* no frame needs keeping before the next checkpoint */
    jvm_undo_moment = jvm_time();
    jvm_sched_moment_changed();
}

void jvm_undo_keep_frame(const jvm_frame *f)
{
    if (jvm_undo_chooses && f < jvm_self->undo_from) {
        jvm_undo_reconsider(jvm_self);
        if (!jvm_undo_on)
            return;
    }
    jvm_undo_keep_(f->locals, (size_t)((char *)jvm_undo_mark - (char *)f->locals));
    jvm_undo_mark = f->locals;
}

/* ---- checkpoints ---- */

static jvm_cursor cursor_now(void)
{
    return jvm_is_replaying() ? (jvm_cursor){jvm_log_happened()} : jvm_history == JVM_RECORDING ? jvm_record_cursor() : (jvm_cursor){0};
}

/* Whether it is kept where t is; it may be long that somebody looked. */
static bool is_kept_for(jvm_thread *t)
{
    if (jvm_undo_chooses)
        jvm_undo_reconsider(t);
    return jvm_undo_on;
}

void jvm_undo_checkpoint(jvm_thread *t)
{
    bool was_on = jvm_undo_on;
    if (!is_kept_for(t) || !was_on) { /* the other variant comes first, and then the checkpoint */
        jvm_undo_moment = jvm_time() + (jvm_undo_on ? 0 : INTERVAL);
        jvm_sched_moment_changed();
        return;
    }
    const jvm_frame *f = t->frame;
    jvm_checkpoint c = {.time = jvm_time(), .left = jvm_sched_left(), .cursor = cursor_now(), .thread = t, .activation = t->activation,
                        .frame = t->frame, .exception = t->exception, .thrown = t->thrown, .nhandles = t->nhandles,
                        .handles_free = t->handles_free};
    jvm_undo_moment = c.time + INTERVAL;
    jvm_sched_moment_changed();
    undo_entry e = {.position = jvm_undo_ring_position(), .time = c.time, .serial = ++log_.serial};
    if (!jvm_undo_add(JVM_KEPT_CHECKPOINT, f->locals, &c, sizeof c, f->locals, (size_t)((char *)f->sp - (char *)f->locals)))
        return;
    e.end = jvm_undo_ring_position();
    add_entry(e);
    jvm_undo_mark = f->locals;
}

void undo_went_back(size_t i, const jvm_checkpoint *c)
{
    jvm_undo_ring_go_to(undo_entry_at(i)->end);
    log_.n = i + 1;
    jvm_undo_mark = c->frame->locals;
    jvm_undo_moment = c->time + INTERVAL;
}

/* ---- threads ---- */

/* Up to the activation of the interpreter it runs in; its first one, or none, ends with the stack. */
static const char *c_stack_end(const jvm_thread *t)
{
    return t->activation != NULL ? (const char *)t->activation : t->c_stack == NULL ? NULL : (const char *)t->c_stack + t->c_stack_size;
}

static jvm_slot *innermost_locals(const jvm_thread *t)
{
    const jvm_frame *f = t->frame;
    while (f != NULL && f->kind == JVM_FRAME_NATIVE)
        f = f->prev;
    return f == NULL ? t->stack : f->kind == JVM_FRAME_ENTRY ? (jvm_slot *)f : f->locals;
}

void jvm_undo_switching_to(jvm_thread *t)
{
    bool chosen = !jvm_undo_chooses || undo_is_chosen(t);
    undo_keep_if(jvm_undo_on || chosen); /* one that only wakes up to sleep again doesn't cut it: look at others a little later */
    if (!jvm_undo_on)
        return;
    const char *end = c_stack_end(t);
    if (end == NULL || jvm_sanitizer_guards_stacks()) {
        jvm_undo_cut_("the turn of a thread whose stack is not ours");
        return;
    }
    jvm_undo_mark = innermost_locals(t);
    jvm_undo_keep_(t->c_sp, (size_t)(end - (const char *)t->c_sp));
    if (t->frame != NULL)
        jvm_undo_keep_(jvm_undo_mark, (size_t)((char *)t->frame->sp - (char *)jvm_undo_mark));
    size_t handles = t->activation != NULL ? t->activation->nhandles : 0;
    if (t->nhandles > handles)
        jvm_undo_keep_(t->handles + handles, (t->nhandles - handles) * sizeof *t->handles);
    jvm_undo_keep_(t, sizeof *t);
    jvm_undo_moment = jvm_time() + (chosen ? 0 : INTERVAL);
}

uint64_t jvm_undo_enter_context(jvm_thread *t) { return log_.serial; }
void jvm_undo_leave_context(jvm_thread *t, uint64_t before) { undo_forget_since(before); }

/* ---- switching it on ---- */

void undo_keep_if(bool wanted)
{
    bool on = wanted && log_.items != NULL;
    if (on == jvm_undo_on && log_.items != NULL)
        return;
    if (jvm_undo_on && !on)
        jvm_undo_cut_("code that is not logged");
    if (on && !jvm_undo_on)
        jvm_undo_moment = jvm_time();
    jvm_undo_on = on;
    jvm_trace = (uint8_t)((jvm_trace & ~JVM_TRACE_UNDO) | (on ? JVM_TRACE_UNDO : 0));
    if (log_.items == NULL)
        jvm_undo_moment = UINT64_MAX;
    jvm_sched_moment_changed();
}

static bool make_list(void)
{
    enum { LEAST_CHECKPOINT = sizeof(jvm_checkpoint) + sizeof(jvm_frame) };
    if (log_.items != NULL)
        munmap(log_.items, log_.cap * sizeof *log_.items);
    log_.items = NULL;
    log_.first = log_.n = 0;
    log_.cut_by = NULL;
    log_.cap = jvm_undo_ring_nbytes() / LEAST_CHECKPOINT + 1;
    if (jvm_undo_ring_nbytes() > 0)
        log_.items = jvm_undo_map(log_.cap * sizeof *log_.items);
    return log_.items != NULL || jvm_undo_ring_nbytes() == 0;
}

bool jvm_undo_set(uint64_t capacity)
{
    bool made = jvm_undo_ring_make(capacity);
    made = make_list() && made;
    jvm_undo_on = false;
    undo_keep_if(true);
    if (jvm_self != NULL)
        jvm_undo_reconsider(jvm_self);
    return made;
}

void jvm_undo_init(void)
{
    const char *text = getenv("EBB_UNDO");
    uint64_t nbytes;
    if (text != NULL && ebb_text_to_u64(text, &nbytes) && nbytes > 0)
        (void)jvm_undo_set(nbytes);
    unsetenv("EBB_UNDO");
}

jvm_undo_extent jvm_undo_get(void)
{
    size_t n = undo_nentries();
    jvm_undo_extent e = {.on = jvm_undo_on, .capacity = jvm_undo_ring_nbytes(), .n_checkpoints = n, .oldest = UINT64_MAX, .cut_by = log_.cut_by};
    if (n > 0) {
        e.oldest = undo_entry_at(0)->time;
        e.used = (jvm_undo_ring_position() - undo_entry_at(0)->position) * sizeof(jvm_undo_unit);
    }
    return e;
}

