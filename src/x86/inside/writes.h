/* writes.h - what a system call has written into the program's memory, by the table of calls (x86/calls.h).
 *
 * Two looks: before the call, at what the kernel is about to overwrite and the answer depends on; after it, at everything else.
 * Freestanding, and without memory of its own: each range is told to a function.  The program that calls looks at itself; ebb looks at
 * another process by the same rules.
 *
 * WR1  every byte that the kernel has changed is in a range that is told, if x86_call_wrote says true;
 * WR2  a range may also hold bytes that are as they were, but begins where an argument, or what it leads to, points: it holds nothing
 *      that the caller has not given to the kernel to write to;
 * WR3  false: the kernel may have written elsewhere too (a call, or a command, that nobody knows; one that writes later on).  Whoever has
 *      to know compares memory then;
 * WR4  what the program gives to the kernel may be wrong: memory is read as if it were not there.  A call that failed with EFAULT has
 *      perhaps written before it did: everything is told that it could have, even where nothing is. */
#ifndef EBB_X86_INSIDE_WRITES_H
#define EBB_X86_INSIDE_WRITES_H

#include "x86/calls.h"
#include "x86/shared.h"

/* Who looks at another process: how it reads memory that may not be there (how many bytes could be had), and that one's number. */
typedef struct x86_call_looker {
    size_t (*peek)(void *self, void *to, uint64_t from, size_t nbytes);
    void *self;
    uint64_t pid;
} x86_call_looker;

typedef struct x86_called {
    uint64_t number;
    uint64_t arguments[X86_N_ARGUMENTS];
    uint32_t lengths[X86_N_ARGUMENTS]; /* LENGTH: the word that argument k points to, before the call */
    uint32_t name_nbytes, control_nbytes; /* MESSAGE: the room that there was */
    const x86_call_looker *looker; /* NULL: the program itself */
} x86_called;

typedef void x86_each_range(void *context, uint64_t at, uint64_t nbytes);

/* Before the call, with the guest's registers. */
void x86_call_begins(x86_called *call, const uint64_t regs[X86_N_GPRS]);
/* Before the call, of which number, arguments and looker are known. */
void x86_call_look_before(x86_called *call);
/* Before the call: whether x86_call_wrote will say true, as far as can be told. */
bool x86_call_is_known(const x86_called *call);
/* The row of its command, which says what that one does to descriptors and files; NULL: it has no command, or one that nobody knows. */
const x86_command_row *x86_call_command(const x86_called *call);
/* After it, with what the kernel answered. */
bool x86_call_wrote(const x86_called *call, long result, x86_each_range *each, void *context);
/* The same, but only ranges of which the kernel has written each byte, with whatever was there before. */
void x86_call_wrote_whole(const x86_called *call, long result, x86_each_range *each, void *context);

#endif
