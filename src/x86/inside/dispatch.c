#include "x86/inside/runtime.h"
#include "x86/inside/sys.h"

bool x86_runtime_init(x86_runtime *runtime, x86_options options)
{
    *runtime = (x86_runtime){.options = options};
    return x86_cache_init(&runtime->cache);
}

void x86_tcb_init(x86_tcb *tcb, x86_runtime *runtime, void *stack, void *vectors)
{
    bool in_vector = runtime->options.tick == X86_TICK_VECTOR;
    *tcb = (x86_tcb){
        .self = (uint64_t)tcb,
        .stack = (uint64_t)stack,
        .dispatch = (uint64_t)x86_inside_dispatch,
        .syscall = (uint64_t)x86_inside_syscall,
        .cpuid = (uint64_t)x86_inside_cpuid,
        .stuck_here = (uint64_t)x86_inside_stuck,
        .vectors = (uint64_t)vectors,
        .enter = (uint64_t)(in_vector ? x86_inside_enter_vector : x86_inside_dispatch),
        .one = 1,
        .tick = runtime->options.tick,
        .runtime = (uint64_t)runtime,
        .version = X86_SHARED_VERSION,
    };
}

static void drop_changed(x86_runtime *runtime)
{
    if (runtime->n_drops > X86_MAX_DROPS)
        x86_cache_flush(&runtime->cache);
    else
        for (uint64_t i = 0; i < runtime->n_drops; i++)
            x86_cache_drop_range(&runtime->cache, runtime->drops[i], runtime->drops[i] + 1);
    runtime->n_drops = 0;
}

struct translation {
    x86_runtime *runtime;
    uint64_t guest;
    x86_block *block;
    x86_stuck why;
};

/* The decoder was built with a stack protector, which wants a canary at fs:0x28: before the program has set up
 * its thread-local storage there is none, so the decoder gets one of ours. */
static uint64_t canary_page[8];

static void translate(void *argument)
{
    struct translation *t = argument;
    x86_cache *cache = &t->runtime->cache;
    uint64_t guests_fs = x86_sys_get_fs();
    x86_sys_set_fs((uint64_t)canary_page);
    t->block = x86_translate(cache, &t->runtime->options, t->guest, &t->why);
    if (!t->block && t->why == X86_STUCK_NO_ROOM && cache->n_blocks) {
        x86_cache_flush(cache);
        t->block = x86_translate(cache, &t->runtime->options, t->guest, &t->why);
    }
    x86_sys_set_fs(guests_fs);
}

/* The thread can't go on: it stands at `target`, and ebb is told. */
static uint64_t give_up(x86_tcb *tcb, x86_stuck why)
{
    tcb->stuck = why;
    return tcb->stuck_here;
}

uint64_t x86_dispatch(x86_tcb *tcb)
{
    x86_runtime *runtime = (x86_runtime *)tcb->runtime;
    x86_turn_take(&runtime->turn, tcb);
    x86_exit *exit = (x86_exit *)tcb->link;
    tcb->link = 0;
    runtime->n_misses++;
    if (tcb->stop_wanted) {
        tcb->stop_wanted = 0;
        return give_up(tcb, X86_STUCK_WANTED);
    }
    if (runtime->n_drops) {
        exit = NULL; /* may have been dropped with its block */
        drop_changed(runtime);
    }
    if (tcb->target == tcb->leave_at)
        return tcb->target;
    uint64_t n_flushes = runtime->cache.n_flushes;
    x86_block *block = x86_cache_find(&runtime->cache, tcb->target);
    if (!block) {
        struct translation t = {.runtime = runtime, .guest = tcb->target};
        x86_with_vectors(translate, &t, (void *)tcb->vectors);
        if (!t.block)
            return give_up(tcb, t.why);
        block = t.block;
    }
    if (!exit || runtime->cache.n_flushes != n_flushes)
        x86_cache_remember(&runtime->cache, block);
    else
        x86_cache_link(exit, block);
    return (uint64_t)block->host;
}
