#include "x86/inside/asks.h"
#include "x86/inside/x87.h"

enum { FLAGS_STATUS = 0x8d5, FLAG_CARRY = 1 }; /* of, sf, zf, af, pf, cf */

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

bool x86_answer_rdtsc(x86_tcb *tcb)
{
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    tcb->regs[X86_RAX] = low;
    tcb->regs[X86_RDX] = high;
    return true;
}

bool x86_answer_rdtscp(x86_tcb *tcb)
{
    uint32_t low, high, cpu;
    if (!x86_cpu_has(X86_ASK_RDTSCP))
        return false;
    __asm__ volatile("rdtscp" : "=a"(low), "=d"(high), "=c"(cpu));
    tcb->regs[X86_RAX] = low;
    tcb->regs[X86_RDX] = high;
    tcb->regs[X86_RCX] = cpu;
    return true;
}

bool x86_answer_rdpid(x86_tcb *tcb)
{
    uint64_t cpu;
    if (!x86_cpu_has(X86_ASK_RDPID))
        return false;
    __asm__ volatile("rdpid %0" : "=r"(cpu));
    tcb->regs[tcb->ask.reg] = cpu;
    return true;
}

/* Both say in the carry flag whether there was a number; if not, it is 0. */
static bool answer_random(x86_tcb *tcb, uint64_t number, bool there)
{
    answer_in_register(tcb, number);
    tcb->rflags = (tcb->rflags & ~(uint64_t)FLAGS_STATUS) | (there ? FLAG_CARRY : 0);
    return true;
}

bool x86_answer_rdrand(x86_tcb *tcb)
{
    uint64_t number;
    bool there;
    if (!x86_cpu_has(X86_ASK_RDRAND))
        return false;
    __asm__ volatile("rdrand %0" : "=r"(number), "=@ccc"(there));
    return answer_random(tcb, number, there);
}

bool x86_answer_rdseed(x86_tcb *tcb)
{
    uint64_t number;
    bool there;
    if (!x86_cpu_has(X86_ASK_RDSEED))
        return false;
    __asm__ volatile("rdseed %0" : "=r"(number), "=@ccc"(there));
    return answer_random(tcb, number, there);
}

/* The instruction may fault, by the guest's own wish: that is for the CPU itself to do, at the guest's address. */
static bool may_fault(const x86_tcb *tcb)
{
    const x86_runtime *runtime = (const x86_runtime *)tcb->runtime;
    bool tsc = tcb->ask.kind == X86_ASK_RDTSC || tcb->ask.kind == X86_ASK_RDTSCP;
    return (tsc && runtime->tsc_may_fault) || (tcb->ask.kind == X86_ASK_CPUID && runtime->cpuid_may_fault);
}

static bool answer(x86_tcb *tcb)
{
    if (may_fault(tcb))
        return false;
    switch ((x86_ask_kind)tcb->ask.kind) {
    case X86_ASK_CPUID: return x86_answer_cpuid(tcb);
    case X86_ASK_XGETBV: return x86_answer_xgetbv(tcb);
    case X86_ASK_RDTSC: return x86_answer_rdtsc(tcb);
    case X86_ASK_RDTSCP: return x86_answer_rdtscp(tcb);
    case X86_ASK_RDPID: return x86_answer_rdpid(tcb);
    case X86_ASK_RDRAND: return x86_answer_rdrand(tcb);
    case X86_ASK_RDSEED: return x86_answer_rdseed(tcb);
    case X86_ASK_X87: return false; /* not about the world */
    }
    return false;
}

/* The thread goes on within its block, unless ebb wants it: then it will ask again. */
static uint64_t answer_x87(x86_tcb *tcb)
{
    x86_x87_tell_guest_address(&((x86_runtime *)tcb->runtime)->cache);
    if (!tcb->stop_wanted)
        return tcb->answer;
    tcb->skip_at = tcb->target;
    return x86_dispatch(tcb);
}

uint64_t x86_ask_world(x86_tcb *tcb)
{
    tcb->link = 0;
    if (tcb->ask.kind == X86_ASK_X87)
        return answer_x87(tcb);
    if (!answer(tcb)) {
        tcb->target -= tcb->ask.insn_nbytes;
        tcb->link = X86_STEP_IT; /* AS1 */
    }
    return x86_dispatch(tcb);
}
