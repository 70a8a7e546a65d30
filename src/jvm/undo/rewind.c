/* Going back: what the log kept is put back, newest first (UL1). */
#include "jvm/undo/internal.h"

#include "base/check.h"
#include "jvm/heap/heap_internal.h"
#include "jvm/engine/interp.h"
#include "jvm/record/internal.h"
#include "jvm/threads/sanitizer.h"
#include "jvm/threads/scheduler.h"
#include "jvm/jvm.h"

#include <string.h>

static size_t target; /* number of the checkpoint found last */

/* ---- looking for it ---- */

static uint64_t place_of(const undo_entry *e)
{
    uint64_t position = e->end;
    jvm_undo_record r = jvm_undo_before(&position);
    jvm_checkpoint c;
    jvm_frame f;
    memcpy(&c, r.bytes, sizeof c);
    memcpy(&f, r.bytes + sizeof c + ((char *)c.frame - (char *)r.address), sizeof f);
    return jvm_frame_place(&f);
}

bool jvm_undo_reaches(uint64_t time, uint64_t place)
{
    size_t low = 0, high = undo_nentries();
    while (low < high) { /* the last one that isn't behind */
        size_t mid = low + (high - low) / 2;
        const undo_entry *e = undo_entry_at(mid);
        if (e->time < time || (e->time == time && place_of(e) <= place))
            low = mid + 1;
        else
            high = mid;
    }
    target = low - 1;
    return low > 0;
}

const undo_entry *undo_reached(void) { return undo_entry_at(target); }

/* ---- putting back ---- */

static void put_back_checkpoint(const jvm_undo_record *r, jvm_checkpoint *c)
{
    memcpy(c, r->bytes, sizeof *c);
    memcpy(r->address, r->bytes + sizeof *c, r->what - sizeof *c);
    c->thread->frame = c->frame;
    c->thread->activation = c->activation;
    c->thread->exception = c->exception;
    c->thread->thrown = c->thrown;
    c->thread->nhandles = c->nhandles;
    c->thread->handles_free = c->handles_free;
}

static void put_back_all(uint64_t until, jvm_checkpoint *c)
{
    uint64_t position = jvm_undo_ring_position();
    while (position > until) {
        jvm_undo_record r = jvm_undo_before(&position);
        switch (r.kind) {
        case JVM_KEPT_WORD: *(uint64_t *)r.address = r.what; break;
        case JVM_KEPT_BYTES: memcpy(r.address, r.bytes, r.what); break;
        case JVM_KEPT_ALLOC: jvm_heap_ungive(r.address); break;
        case JVM_KEPT_CHECKPOINT: put_back_checkpoint(&r, c); break;
        case JVM_KEPT_SKIP: break;
        case JVM_NKEPT: ebb_unreachable();
        }
    }
}

static void seek_recording(jvm_cursor cursor)
{
    ebb_error err;
    if (cursor.number != jvm_log_happened() && jvm_log_seek(cursor, &err) != EBB_OK)
        jvm_diverged("%s", err.text);
}

/* On a stack of its own: those of the threads are being written. */
static void go_back(void)
{
    const undo_entry *e = undo_entry_at(target);
    jvm_checkpoint c;
    put_back_all(e->position, &c);
    undo_went_back(target, &c);
    jvm_self = c.thread;
    c.thread->undo_from = NULL; /* one that was entered since, maybe */
    seek_recording(c.cursor);
    jvm_sched_set_clock(c.time, c.left);
    jvm_interpret_again(c.thread);
}

void jvm_switch_stack(void **save_sp, void *load_sp); /* switch.S */

_Noreturn void jvm_undo_go_back(void)
{
    static _Alignas(16) char stack[256 * 1024];
    void *left_behind;
    void **sp = (void **)(stack + sizeof stack);
    *--sp = NULL; /* as threads/thread.c parks a new thread */
    *--sp = (void *)go_back;
    for (int i = 0; i < 6; i++)
        *--sp = NULL;
    jvm_switch_stack(&left_behind, sp);
    ebb_unreachable();
}
