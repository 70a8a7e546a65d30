/* asks.c - the CPU is asked, and its answer is put into the guest's registers. */
#include "x86/inside/asks.h"
#include "x86/inside/in_use.h"
#include "x86/inside/replay.h"
#include "x86/inside/record.h"
#include "x86/inside/x87.h"

enum { FLAGS_STATUS = 0x8d5, FLAG_CARRY = 1 }; /* of, sf, zf, af, pf, cf */

/* ---- asking ----------------------------------------------------------------------------------- */

static void ask_rdtsc(uint64_t words[])
{
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    words[0] = low;
    words[1] = high;
}

static void ask_rdtscp(uint64_t words[])
{
    uint32_t low, high, cpu;
    __asm__ volatile("rdtscp" : "=a"(low), "=d"(high), "=c"(cpu));
    words[0] = low;
    words[1] = high;
    words[2] = cpu;
}

static void ask_rdpid(uint64_t words[])
{
    __asm__ volatile("rdpid %0" : "=r"(words[0]));
}

static void ask_rdrand(uint64_t words[])
{
    bool there;
    __asm__ volatile("rdrand %0" : "=r"(words[0]), "=@ccc"(there));
    words[1] = there;
}

static void ask_rdseed(uint64_t words[])
{
    bool there;
    __asm__ volatile("rdseed %0" : "=r"(words[0]), "=@ccc"(there));
    words[1] = there;
}

/* The instruction may fault, by the guest's own wish: that is for the CPU itself to do, at the guest's address. */
static bool may_fault(const x86_tcb *tcb)
{
    const x86_runtime *runtime = (const x86_runtime *)tcb->runtime;
    bool tsc = tcb->ask.kind == X86_ASK_RDTSC || tcb->ask.kind == X86_ASK_RDTSCP;
    return (tsc && runtime->tsc_may_fault) || (tcb->ask.kind == X86_ASK_CPUID && runtime->cpuid_may_fault);
}

bool x86_ask_cpu(const x86_tcb *tcb, uint64_t words[X86_ANSWER_WORDS])
{
    x86_ask_kind kind = (x86_ask_kind)tcb->ask.kind;
    if (may_fault(tcb) || !x86_cpu_has(kind))
        return false;
    switch (kind) {
    case X86_ASK_CPUID: return x86_ask_cpuid(tcb, words);
    case X86_ASK_XGETBV: return x86_ask_xgetbv(tcb, words);
    case X86_ASK_RDTSC: ask_rdtsc(words); return true;
    case X86_ASK_RDTSCP: ask_rdtscp(words); return true;
    case X86_ASK_RDPID: ask_rdpid(words); return true;
    case X86_ASK_RDRAND: ask_rdrand(words); return true;
    case X86_ASK_RDSEED: ask_rdseed(words); return true;
    case X86_ASK_X87:
    case X86_ASK_SAVE: return false; /* not about the world */
    }
    return false;
}

/* ---- answering -------------------------------------------------------------------------------- */

/* Smaller results leave the rest of the register alone, except for those of 32 bits, which clear it. */
static void answer_in_register(x86_tcb *tcb, uint64_t value)
{
    uint64_t *reg = &tcb->regs[tcb->ask.reg];
    switch (tcb->ask.nbytes) {
    case 2: *reg = (*reg & ~(uint64_t)0xffff) | (value & 0xffff); break;
    case 4: *reg = (uint32_t)value; break;
    default: *reg = value;
    }
}

/* Both say in the carry flag whether there was a number; if not, it is 0. */
static void answer_random(x86_tcb *tcb, uint64_t number, bool there)
{
    answer_in_register(tcb, number);
    tcb->rflags = (tcb->rflags & ~(uint64_t)FLAGS_STATUS) | (there ? FLAG_CARRY : 0);
}

void x86_ask_answer(x86_tcb *tcb, const uint64_t words[X86_ANSWER_WORDS])
{
    uint64_t *r = tcb->regs;
    switch ((x86_ask_kind)tcb->ask.kind) {
    case X86_ASK_CPUID:
        r[X86_RAX] = words[0], r[X86_RBX] = words[1], r[X86_RCX] = words[2], r[X86_RDX] = words[3];
        break;
    case X86_ASK_XGETBV:
    case X86_ASK_RDTSC: r[X86_RAX] = words[0], r[X86_RDX] = words[1]; break;
    case X86_ASK_RDTSCP: r[X86_RAX] = words[0], r[X86_RDX] = words[1], r[X86_RCX] = words[2]; break;
    case X86_ASK_RDPID: r[tcb->ask.reg] = words[0]; break;
    case X86_ASK_RDRAND:
    case X86_ASK_RDSEED: answer_random(tcb, words[0], words[1]); break;
    case X86_ASK_X87:
    case X86_ASK_SAVE: break;
    }
}

/* ---- the door --------------------------------------------------------------------------------- */

/* The thread goes on within its block, unless ebb wants it: then it will ask again. */
static uint64_t prepare_store(x86_tcb *tcb)
{
    x86_x87_tell_guest_address(&((x86_runtime *)tcb->runtime)->cache);
    if (tcb->ask.kind == X86_ASK_SAVE)
        x86_in_use_by_content();
    if (!tcb->stop_wanted)
        return tcb->answer;
    tcb->skip_at = tcb->target;
    return x86_dispatch(tcb);
}

static uint64_t answer_by_recording(x86_tcb *tcb, uint64_t words[X86_ANSWER_WORDS])
{
    x86_stuck why;
    if (x86_replay_ask(tcb, words, &why)) {
        x86_ask_answer(tcb, words);
        return x86_dispatch(tcb);
    }
    tcb->target -= tcb->ask.insn_nbytes;
    tcb->skip_at = tcb->target;
    return x86_give_up(tcb, why);
}

uint64_t x86_ask_world(x86_tcb *tcb)
{
    tcb->link = 0;
    if (tcb->ask.kind == X86_ASK_X87 || tcb->ask.kind == X86_ASK_SAVE)
        return prepare_store(tcb);
    uint64_t words[X86_ANSWER_WORDS] = {0};
    if (((x86_runtime *)tcb->runtime)->feed.is_on)
        return answer_by_recording(tcb, words);
    if (x86_ask_cpu(tcb, words)) {
        x86_record_ask(tcb, words);
        x86_ask_answer(tcb, words);
    } else {
        tcb->target -= tcb->ask.insn_nbytes;
        tcb->link = X86_STEP_IT; /* AS2 */
    }
    return x86_dispatch(tcb);
}
