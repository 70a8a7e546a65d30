/* start.c - what ebb calls in the debuggee, and the table by which it finds the runtime's functions. */
#include "x86/inside/aside.h"
#include "x86/inside/own.h"
#include "x86/inside/record.h"
#include "x86/inside/runtime.h"

static uint64_t start(x86_runtime *runtime, uint64_t tick)
{
    return x86_runtime_init(runtime, (x86_options){.tick = (x86_tick)tick}) ? 0 : 1;
}

enum { REGION_BYTES = X86_TCB_BYTES + X86_VECTOR_AREA_BYTES + X86_ASIDE_BYTES + X86_STACK_BYTES };

/* The region holds, in this order: the control block, the save area for vector registers, what is put aside (aside.h), the stack. */
static uint64_t new_thread(x86_runtime *runtime, uint8_t *region)
{
    uint8_t *vectors = region + X86_TCB_BYTES;
    x86_tcb *tcb = (x86_tcb *)region;
    x86_tcb_init(tcb, runtime, region + REGION_BYTES, vectors);
    tcb->aside = (uint64_t)vectors + X86_VECTOR_AREA_BYTES;
    runtime->n_threads++;
    return 0;
}

extern const x86_inside_exports x86_inside_table;

__attribute__((visibility("default"))) const x86_inside_exports x86_inside_table = {
    .version = X86_SHARED_VERSION,
    .start = (uint64_t)start,
    .new_thread = (uint64_t)new_thread,
    .guest_syscall = (uint64_t)x86_inside_guest_syscall,
    .syscall_insn = (uint64_t)x86_inside_syscall_insn,
    .copy_insn = (uint64_t)x86_inside_copy_insn,
    .trap = (uint64_t)x86_inside_trap,
    .stuck = (uint64_t)x86_inside_stuck,
    .leave = (uint64_t)x86_inside_leave,
    .left = (uint64_t)x86_inside_left,
    .cloned = (uint64_t)x86_inside_cloned,
    .await = (uint64_t)x86_inside_await,
    .go_natively = (uint64_t)x86_inside_go_natively,
    .forked = (uint64_t)x86_inside_forked,
    .sigreturned = (uint64_t)x86_inside_sigreturned,
    .dispatch = (uint64_t)x86_inside_dispatch,
    .syscall = (uint64_t)x86_inside_syscall,
    .ask = (uint64_t)x86_inside_ask,
    .enter = (uint64_t)x86_inside_enter_vector,
    .record_parked = (uint64_t)x86_record_parked,
    .undo_back = (uint64_t)x86_undo_back,
    .own = (uint64_t)&x86_own_ranges,
    .runtime_nbytes = sizeof(x86_runtime),
    .region_nbytes = REGION_BYTES,
};
