/* Going back: what the log kept is put back, newest first (UL1). */
#include "jvm/undo/internal.h"

#include "base/check.h"
#include "jvm/heap/heap.h"
#include "jvm/engine/interp.h"
#include "jvm/record/log.h"
#include "jvm/threads/sanitizer.h"
#include "jvm/threads/scheduler.h"
#include "jvm/jvm.h"

#include <string.h>

static size_t target; /* number of the checkpoint found last */

/* ---- looking for it ---- */

static uint64_t place_of(const ebb_checkpoint *at, void *unused)
{
    ebb_undo_record r = ebb_undo_log_record(&jvm_undo_log, at);
    jvm_checkpoint c;
    jvm_frame f;
    memcpy(&c, r.bytes, sizeof c);
    memcpy(&f, r.bytes + sizeof c + ((char *)c.frame - (char *)r.address), sizeof f);
    return jvm_frame_place(&f);
}

bool jvm_undo_reaches(uint64_t time, uint64_t place)
{
    return ebb_checkpoints_find(ebb_undo_log_get_list(&jvm_undo_log), (ebb_position){time, place}, place_of, NULL, &target);
}

const ebb_checkpoint *undo_reached(void) { return ebb_checkpoints_at(&jvm_undo_log.list, target); }

/* ---- putting back ---- */

static void put_back_checkpoint(const ebb_undo_record *r, jvm_checkpoint *c)
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

static void put_back_all(const ebb_checkpoint *until, jvm_checkpoint *c)
{
    ebb_undo_walk walk = ebb_undo_log_walk(&jvm_undo_log, until);
    ebb_undo_record r;
    while (ebb_undo_walk_back(&walk, &r))
        switch ((enum jvm_saved)r.kind) {
        case JVM_SAVED_WORD: *(uint64_t *)r.address = r.what; break;
        case JVM_SAVED_BYTES: memcpy(r.address, r.bytes, r.what); break;
        case JVM_SAVED_ALLOC: jvm_heap_ungive(r.address); break;
        case JVM_SAVED_CHECKPOINT: put_back_checkpoint(&r, c); break;
        case JVM_NSAVED: ebb_unreachable();
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
    jvm_checkpoint c;
    put_back_all(undo_reached(), &c);
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
