/* undo.c - keeping the log: what is destroyed, checkpoints, turns of threads; switching it on and off (undo.h). */
#include "jvm/undo/internal.h"

#include "base/sizes.h"
#include "base/text.h"
#include "jvm/agent/agent.h"
#include "jvm/engine/interp.h"
#include "jvm/record/log.h"
#include "jvm/threads/sanitizer.h"
#include "jvm/threads/scheduler.h"
#include "jvm/jvm.h"

#include <string.h>
#include <sys/mman.h>

bool jvm_undo_on;
ebb_undo_log jvm_undo_log = {.list.due = EBB_CHECKPOINT_NEVER};
jvm_slot *jvm_undo_mark;

/* ---- keeping ---- */

void jvm_undo_keep_(void *at, size_t nbytes)
{
    ebb_undo_bytes bytes = {at, nbytes};
    if (!ebb_undo_add(&jvm_undo_log.ring, ebb_undo_where(JVM_SAVED_BYTES, at), bytes, (ebb_undo_bytes){0}))
        jvm_undo_cut_("something too large for the log");
}

void jvm_undo_alloc_(jvm_obj *o)
{
    ebb_undo_add_unit(&jvm_undo_log.ring, ebb_undo_where(JVM_SAVED_ALLOC, o), 0);
}

void jvm_undo_cut_(const char *why)
{
    ebb_checkpoints_cut(&jvm_undo_log.list, why, jvm_time());
    jvm_undo_mark = NULL; /* no frame needs keeping before the next checkpoint */
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

static jvm_checkpoint checkpoint_of(jvm_thread *t)
{
    return (jvm_checkpoint){.time = jvm_time(), .left = jvm_sched_left(), .cursor = cursor_now(), .thread = t, .activation = t->activation,
                            .frame = t->frame, .exception = t->exception, .thrown = t->thrown, .nhandles = t->nhandles,
                            .handles_free = t->handles_free};
}

static void take_checkpoint(jvm_thread *t)
{
    const jvm_frame *f = t->frame;
    jvm_checkpoint c = checkpoint_of(t);
    ebb_undo_bytes own = {&c, sizeof c}, frame = {f->locals, (size_t)((char *)f->sp - (char *)f->locals)};
    if (ebb_undo_log_checkpoint(&jvm_undo_log, c.time, ebb_undo_where(JVM_SAVED_CHECKPOINT, f->locals), own, frame))
        jvm_undo_mark = f->locals;
}

void jvm_undo_checkpoint(jvm_thread *t)
{
    bool was_on = jvm_undo_on;
    if (!is_kept_for(t))
        ebb_checkpoints_put_off(&jvm_undo_log.list, jvm_time());
    else if (!was_on)
        jvm_undo_log.list.due = jvm_time(); /* the other variant comes first, and then the checkpoint */
    else
        take_checkpoint(t);
    jvm_sched_moment_changed();
}

void undo_went_back(size_t i, const jvm_checkpoint *c)
{
    ebb_undo_log_went_back(&jvm_undo_log, i);
    jvm_undo_mark = c->frame->locals;
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
    jvm_undo_log.list.due = jvm_time() + (chosen ? 0 : JVM_CHECKPOINT_INTERVAL);
}

uint64_t jvm_undo_enter_context(jvm_thread *t) { return jvm_undo_log.list.serial; }
void jvm_undo_leave_context(jvm_thread *t, uint64_t before) { ebb_checkpoints_forget_since(&jvm_undo_log.list, before); }

/* ---- switching it on ---- */

void undo_keep_if(bool wanted)
{
    bool has_log = jvm_undo_log.list.items != NULL, on = wanted && has_log;
    if (on == jvm_undo_on && has_log)
        return;
    if (jvm_undo_on && !on)
        jvm_undo_cut_("code that is not logged");
    if (on && !jvm_undo_on)
        jvm_undo_log.list.due = jvm_time();
    jvm_undo_on = on;
    jvm_trace = (uint8_t)((jvm_trace & ~JVM_TRACE_UNDO) | (on ? JVM_TRACE_UNDO : 0));
    if (!has_log)
        jvm_undo_log.list.due = EBB_CHECKPOINT_NEVER;
    jvm_sched_moment_changed();
}

/* Memory that is there when it is touched; NULL: none. */
static void *map(size_t nbytes)
{
    void *p = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static void unmap(void *memory, size_t nbytes)
{
    if (memory != NULL)
        munmap(memory, nbytes);
}

static void give_log(void *memory, uint64_t nbytes, ebb_checkpoint *list, size_t cap)
{
    ebb_undo_ring_init(&jvm_undo_log.ring, memory, nbytes);
    ebb_checkpoints_init(&jvm_undo_log.list, list, cap, JVM_CHECKPOINT_INTERVAL);
}

static void drop_log(void)
{
    unmap(jvm_undo_log.ring.base, ebb_undo_ring_nbytes(&jvm_undo_log.ring));
    unmap(jvm_undo_log.list.items, jvm_undo_log.list.cap * sizeof *jvm_undo_log.list.items);
    give_log(NULL, 0, NULL, 0);
}

static bool make_log(uint64_t capacity)
{
    uint64_t nbytes = ebb_undo_ring_room(capacity);
    size_t cap = ebb_undo_log_most(nbytes, sizeof(jvm_checkpoint) + sizeof(jvm_frame));
    void *memory = nbytes == 0 ? NULL : map(nbytes);
    ebb_checkpoint *list = memory == NULL ? NULL : map(cap * sizeof *list);
    if (list == NULL) {
        unmap(memory, nbytes);
        return false;
    }
    give_log(memory, nbytes, list, cap);
    return true;
}

bool jvm_undo_set(uint64_t capacity)
{
    drop_log();
    capacity = jvm_flow_on ? 0 : capacity; /* FO6 of flow/flow.h */
    bool made = capacity == 0 || make_log(capacity);
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
    const ebb_checkpoints *l = ebb_undo_log_get_list(&jvm_undo_log);
    return (jvm_undo_extent){.on = jvm_undo_on, .capacity = ebb_undo_ring_nbytes(&jvm_undo_log.ring), .used = ebb_undo_log_used(&jvm_undo_log),
                             .n_checkpoints = l->n, .oldest = ebb_checkpoints_oldest(l), .cut_by = l->cut_by};
}
