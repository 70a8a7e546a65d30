/* dispatch.c - where translated code comes to when it does not know the way: turns end here, and blocks are found or made. */
#include "x86/inside/caught.h"
#include "x86/inside/gate.h"
#include "x86/inside/record.h"
#include "x86/inside/runtime.h"
#include "x86/inside/sys.h"
#include "x86/inside/x87.h"

#include <sys/mman.h>

bool x86_runtime_init(x86_runtime *runtime, x86_options options)
{
    *runtime = (x86_runtime){.options = options, .turn.limit = UINT64_MAX, .turn.ends = UINT64_MAX, .turn.event = UINT64_MAX};
    runtime->feed.room = X86_FEED_BYTES;
    runtime->feed.bytes = (uint64_t)x86_sys_map(0, X86_FEED_BYTES, PROT_READ | PROT_WRITE);
    uint64_t missed[2] = {x86_missed(&options, false), x86_missed(&options, true)};
    if (!runtime->feed.bytes || !x86_cache_init(&runtime->cache, missed))
        return false;
    return x86_code_init(&runtime->code);
}

void x86_tcb_init(x86_tcb *tcb, x86_runtime *runtime, void *stack, void *vectors)
{
    bool in_vector = runtime->options.tick == X86_TICK_VECTOR;
    *tcb = (x86_tcb){
        .self = (uint64_t)tcb,
        .stack = (uint64_t)stack,
        .dispatch = (uint64_t)x86_inside_dispatch,
        .syscall = (uint64_t)x86_inside_syscall,
        .ask_door = (uint64_t)x86_inside_ask,
        .watch_door = (uint64_t)x86_inside_watched,
        .stuck_here = (uint64_t)x86_inside_stuck,
        .vectors = (uint64_t)vectors,
        .enter = (uint64_t)(in_vector ? x86_inside_enter_vector : x86_inside_dispatch),
        .one = 1,
        .half = (uint64_t)1 << 47,
        .tick = runtime->options.tick,
        .runtime = (uint64_t)runtime,
        .version = X86_SHARED_VERSION,
    };
}

/* The running thread has no other chance to learn where its last x87 instruction was. */
static void flush(x86_runtime *runtime)
{
    x86_x87_tell_guest_address(&runtime->cache);
    x86_cache_flush(&runtime->cache);
}

static void drop_changed(x86_runtime *runtime)
{
    x86_code_forget_all(&runtime->code);
    if (runtime->n_drops > X86_MAX_DROPS)
        flush(runtime);
    else
        for (uint64_t i = 0; i < runtime->n_drops; i++)
            x86_cache_drop_range(&runtime->cache, runtime->drops[i], runtime->drops[i] + 1);
    runtime->n_drops = 0;
}

struct translation {
    x86_runtime *runtime;
    x86_wish wish;
    x86_block *block;
    x86_stuck why;
};

/* The decoder was built with a stack protector, which wants a canary at fs:0x28: before the program has set up
 * its thread-local storage there is none, so the decoder gets one of ours. */
static uint64_t canary_page[8];

void x86_with_decoder(void (*function)(void *), void *argument, x86_tcb *tcb)
{
    uint64_t guests_fs = x86_sys_get_fs();
    x86_sys_set_fs((uint64_t)canary_page);
    x86_with_vectors(function, argument, (void *)tcb->vectors);
    x86_sys_set_fs(guests_fs);
}

static void translate(void *argument)
{
    struct translation *t = argument;
    x86_cache *cache = &t->runtime->cache;
    t->block = x86_translate(cache, &t->runtime->code, &t->runtime->options, t->wish, &t->why);
}

/* NULL if there can be none: *why. */
static x86_block *find_or_make(x86_tcb *tcb, x86_wish wish, x86_stuck *why)
{
    x86_runtime *runtime = (x86_runtime *)tcb->runtime;
    x86_block *block = x86_cache_find(&runtime->cache, wish.guest, wish.is);
    if (block)
        return block;
    struct translation t = {.runtime = runtime, .wish = wish};
    x86_with_decoder(translate, &t, tcb);
    if (!t.block && t.why == X86_STUCK_NO_ROOM) { /* dropped blocks take room, too, so there needn't be any */
        flush(runtime);
        x86_with_decoder(translate, &t, tcb);
    }
    *why = t.why;
    return t.block;
}

uint64_t x86_give_up(x86_tcb *tcb, x86_stuck why)
{
    tcb->stuck = why;
    return tcb->stuck_here;
}

/* The CPU itself executes the instruction at `target`, unless it is a system call that must not be made. */
static uint64_t leave_to_cpu(x86_tcb *tcb)
{
    long error;
    x86_gate gate = x86_gate_at_odd_insn(tcb, &error);
    if (gate == X86_GATE_OPEN)
        return x86_give_up(tcb, X86_STUCK_STEP);
    tcb->target += 2;
    if (gate == X86_GATE_DENIED)
        return x86_give_up(tcb, X86_STUCK_DENIED);
    tcb->regs[X86_RAX] = (uint64_t)error;
    return x86_dispatch(tcb);
}

/* Whether this passing of a point was promised. */
static bool takes_skip(x86_tcb *tcb, const x86_runtime *runtime)
{
    bool skips = tcb->skip_at == tcb->target && x86_point_at(&runtime->options, tcb->target) != NULL;
    tcb->skip_at = 0;
    return skips;
}

/* The instruction at `target` is one that comes back here, whatever follows it. */
static bool takes_one_more(x86_tcb *tcb)
{
    bool takes = tcb->one_more;
    tcb->one_more = 0;
    return takes;
}

/* TU7: whether others would rather have the turn of a thread that waits busily.  What ends by the time is not ended before, and a replay goes by what is
 * recorded. */
static bool is_better_given(const x86_runtime *runtime)
{
    return runtime->turn.ends == UINT64_MAX && !runtime->feed.is_on && x86_turn_is_wanted(&runtime->turn);
}

static void note_busy_wait(x86_tcb *tcb, const x86_runtime *runtime)
{
    if (runtime->turn.owner == tcb->self && !tcb->yield && is_better_given(runtime))
        tcb->yield = X86_YIELD_AT_TICK;
}

/* Whether the thread comes from a transfer that ticked: known if it wanted to know, is to be told of the time, or waits busily. */
static bool takes_tick(x86_tcb *tcb, const x86_runtime *runtime)
{
    uint64_t link = tcb->link;
    bool idle = link == X86_IDLE, has_turn = runtime->turn.owner == tcb->self;
    if (idle || link == X86_PAUSED)
        note_busy_wait(tcb, runtime);
    tcb->left -= idle;
    bool ticked = link == X86_TICKED || idle || (has_turn && x86_turn_is_timed(&runtime->turn) && tcb->left == 0);
    if (link == X86_TICKED || idle || link == X86_PAUSED)
        tcb->link = 0;
    return ticked && x86_is_canonical(tcb->target);
}

static bool is_over(const x86_turn *turn, const x86_tcb *tcb)
{
    return turn->owner == tcb->self && x86_count_get(tcb) >= turn->ends;
}

/* At a tick: whether the turn ends with it. */
static bool ends_here(const x86_turn *turn, const x86_tcb *tcb)
{
    return is_over(turn, tcb) || tcb->yield == X86_YIELD_AT_TICK;
}

/* TU6 */
static void take_turn(x86_tcb *tcb, x86_turn *turn, bool ticked)
{
    if ((ticked && ends_here(turn, tcb)) || tcb->yield == X86_YIELD_AT_ONCE)
        x86_turn_pass_on(turn, tcb);
    x86_turn_take(turn, tcb);
    if (is_over(turn, tcb) && !tcb->yield)
        tcb->yield = X86_YIELD_WHEN_OVER; /* it goes on although its time has come */
    if (tcb->called && tcb->outside == X86_HAS_TURN)
        x86_record_called(tcb);
}

/* A string instruction has more repetitions than are left of the turn, but not more than ebb's limit allows: it is executed with all of
 * them (TR8), past its point. */
static bool outlasts_turn(x86_tcb *tcb, const x86_runtime *runtime)
{
    uint64_t now = x86_count_get(tcb), repetitions = tcb->regs[X86_RCX];
    const x86_turn *turn = &runtime->turn;
    if (tcb->yield || turn->ends == UINT64_MAX || turn->ends - now >= repetitions || turn->limit - now < repetitions)
        return false;
    tcb->yield = X86_YIELD_WHEN_OVER;
    tcb->skip_at = tcb->target;
    return true;
}

uint64_t x86_dispatch(x86_tcb *tcb)
{
    x86_runtime *runtime = (x86_runtime *)tcb->runtime;
    bool ticked = takes_tick(tcb, runtime);
    if (ticked && tcb->yield == X86_YIELD_TO_EBB)
        return x86_give_up(tcb, X86_STUCK_TICK);
    take_turn(tcb, &runtime->turn, ticked);
    x86_exit *exit = (x86_exit *)tcb->link;
    runtime->n_misses++;
    if (!x86_is_canonical(tcb->target) && tcb->source)
        return x86_give_up(tcb, X86_STUCK_WILD); /* TR7 */
    if (tcb->stop_wanted) {
        tcb->stop_wanted = 0;
        return x86_give_up(tcb, X86_STUCK_WANTED);
    }
    if (x86_caught_waits(tcb))
        return x86_give_up(tcb, X86_STUCK_CALLED);
    if (tcb->trap_flag && !takes_one_more(tcb))
        return x86_give_up(tcb, X86_STUCK_TRAP_FLAG);
    if (x86_count_get(tcb) >= runtime->turn.limit)
        return x86_give_up(tcb, X86_STUCK_TIME);
    if (x86_count_get(tcb) >= runtime->turn.event)
        return x86_give_up(tcb, X86_STUCK_EVENT);
    if (tcb->link == X86_STEP_IT) {
        tcb->link = 0;
        exit = NULL;
        if (!outlasts_turn(tcb, runtime))
            return leave_to_cpu(tcb);
    }
    if (tcb->link == X86_STALE) {
        exit = NULL;
        x86_cache_drop_range(&runtime->cache, tcb->target, tcb->target + 1);
    }
    tcb->link = 0;
    if (runtime->n_drops) {
        exit = NULL; /* may have been dropped with its block */
        drop_changed(runtime);
    }
    if (runtime->undo.begins)
        x86_undo_begin(runtime);
    if (runtime->watches.refresh)
        x86_watch_refresh(runtime);
    uint64_t n_flushes = runtime->cache.n_flushes;
    bool past_point = takes_skip(tcb, runtime);
    x86_stuck why;
    bool to_tick = tcb->yield;
    x86_block_kind kind = {.past_point = past_point, .to_tick = to_tick, .testing = !to_tick && x86_turn_is_timed(&runtime->turn)};
    x86_wish wish = {.guest = tcb->target, .is = kind, .looked_up = !exit && !past_point && !to_tick};
    x86_block *block = find_or_make(tcb, wish, &why);
    if (!block && why == X86_STUCK_UNREADABLE && runtime->code.no_list)
        why = X86_STUCK_NO_LIST;
    if (!block)
        return why == X86_STUCK_STEP ? leave_to_cpu(tcb) : x86_give_up(tcb, why);
    if (to_tick)
        tcb->left = x86_turn_ticks_to_stop(&runtime->turn, x86_count_get(tcb));
    if (runtime->options.tuning.unoptimized || to_tick)
        return (uint64_t)block->host;
    if (exit && !past_point && runtime->cache.n_flushes == n_flushes)
        x86_cache_link(exit, block);
    else if (!past_point && x86_make_lookup_entry(&runtime->cache, block))
        x86_cache_remember(&runtime->cache, block);
    return (uint64_t)block->host;
}
