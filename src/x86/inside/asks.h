/* asks.h - instructions whose results come from outside the program.
 *
 * Answering has two halves: the CPU is asked, which gives up to four words, and the words are put where the instruction puts
 * them.  Whoever records an execution keeps the words; whoever replays it has them already.
 *
 *   cpuid               eax, ebx, ecx, edx
 *   xgetbv, rdtsc       eax, edx
 *   rdtscp              eax, edx, ecx
 *   rdpid               the number
 *   rdrand, rdseed      the number, and 1 if there was one
 *
 * AS1  putting the words changes the guest's registers and flags exactly as the instruction would;
 * AS2  where the CPU can't be asked, nothing is changed: it is left to execute the instruction then (it may fault). */
#ifndef EBB_X86_INSIDE_ASKS_H
#define EBB_X86_INSIDE_ASKS_H

#include "x86/inside/runtime.h"

enum { X86_ANSWER_WORDS = 4 };

/* What tcb->ask asks for; false: AS2. */
bool x86_ask_cpu(const x86_tcb *tcb, uint64_t words[X86_ANSWER_WORDS]);
void x86_ask_answer(x86_tcb *tcb, const uint64_t words[X86_ANSWER_WORDS]);

/* cpuid.c */
bool x86_ask_cpuid(const x86_tcb *tcb, uint64_t words[X86_ANSWER_WORDS]);
bool x86_ask_xgetbv(const x86_tcb *tcb, uint64_t words[X86_ANSWER_WORDS]);
bool x86_cpu_has(x86_ask_kind kind);

#endif
