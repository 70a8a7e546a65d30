/* asks.h - instructions whose results come from outside the program: one function each.
 *
 * Whoever records an execution keeps what these functions put into the guest's registers, and puts it there again.
 *
 * AS1  each function changes the guest's registers and flags exactly as the instruction would, or it changes nothing and
 *      returns false: the CPU is left to execute the instruction then (it may fault). */
#ifndef EBB_X86_INSIDE_ASKS_H
#define EBB_X86_INSIDE_ASKS_H

#include "x86/inside/runtime.h"

bool x86_answer_cpuid(x86_tcb *tcb);
bool x86_answer_xgetbv(x86_tcb *tcb);
bool x86_answer_rdtsc(x86_tcb *tcb);
bool x86_answer_rdtscp(x86_tcb *tcb);
bool x86_answer_rdpid(x86_tcb *tcb);
bool x86_answer_rdrand(x86_tcb *tcb);
bool x86_answer_rdseed(x86_tcb *tcb);

bool x86_cpu_has(x86_ask_kind kind);

#endif
