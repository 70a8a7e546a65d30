/* watch.h - data points that the debug registers have no room for: any number, any size.
 *
 * While there are such points, translated stores look their address up in a table with one byte for each 256 bytes of
 * memory (65536 of them, so that addresses 16 MB apart share one).  Where the byte is set the store is executed and then
 * the runtime is asked, which compares the bytes that were written with its copy of what was there.  An instruction
 * whose store isn't one plain operand (xsave) asks always, and so does the way back from a system call.  A repeated string
 * instruction asks before: if it is going to touch what is watched, the CPU executes its repetitions one by one.
 *
 * While there are points about reads, translated loads do the same.  Instructions with several operands, or other than plain ones
 * (returns, gathers, masked moves), ask before they access anything near: if it is what is watched, the CPU executes them, and
 * ebb looks at their operands (touch.h).
 *
 * WS1  an access of up to 64 bytes that touches a watched byte finds its byte of the table set;
 * WS2  the copies are what the watched memory was when the guest last stood still or was last told of a change;
 * WS3  a thread that changed a watched byte (of a range with `bits`: one of those), or read one that is watched for that, leaves translated code after the instruction
 *      that did (X86_STUCK_WATCH); `hit` tells which points it was.  Hits that are noted don't make it leave;
 * WS4  an access counts as no hit of a point whose condition does not hold (machine/code.h), nor if hits of it are to be ignored and its
 *      condition holds: ebb learns of neither but by `was`, what was there before the last change, and by what is left of those. */
#ifndef EBB_X86_INSIDE_WATCH_H
#define EBB_X86_INSIDE_WATCH_H

#include "machine/code.h"
#include "x86/shared.h"

#include <stdbool.h>

typedef struct x86_watch_range {
    uint64_t addr, nbytes;
    uint64_t copy_at; /* offset of its bytes in the copies */
    uint32_t on;      /* x86_watch_on: what is told */
    uint32_t hit;     /* WS3; told and cleared by ebb */
    uint32_t note;    /* by which hits are noted (notes.h); 0: they are told */
    uint32_t n_condition;
    const machine_code *condition; /* ebb's list; n_condition 0: it always holds */
    uint64_t was;     /* WS4: of at most 8 bytes */
    uint64_t bits;    /* machine_point.bits */
    uint64_t *left;   /* WS4: how many hits are still to be passed by (x86_runtime.ignores); NULL: none are */
} x86_watch_range;

typedef enum x86_watch_on {
    X86_WATCH_ON_CHANGE = 1,
    X86_WATCH_ON_READ = 2,
    X86_WATCH_ON_WRITE = 4, /* whether it changes anything or not */
} x86_watch_on;

typedef struct x86_watches {
    x86_watch_range *ranges; /* ebb's list */
    uint64_t n;
    uint8_t *copies;
    uint64_t refresh; /* set by ebb: the list is another one, or memory was changed from outside */
} x86_watches;

/* For tcb.watch_nbytes: the instruction at `target` is about to be executed by the host code at `watch_address`. */
enum { X86_WATCH_BEFORE = 0x7fffffff };
/* Beside the number of bytes: what was done with them. */
enum { X86_WATCH_READS = 1 << 16, X86_WATCH_WRITES = 1 << 17, X86_WATCH_NBYTES = 0xffff };
/* And above them, how long the instruction is that did it and went on to the next one; 0: it isn't known. */
enum { X86_WATCH_INSN_SHIFT = 20, X86_WATCH_MAX_INSN = 0xf };

enum { X86_WATCH_TABLE_BYTES = 65536, X86_WATCH_LINE_BYTES = 256, X86_WATCH_MAX_STORE = 64 };

struct x86_runtime;

/* After an access: the instruction that did it; 0 if it isn't known. */
static inline uint64_t x86_watch_toucher(const x86_tcb *tcb)
{
    uint64_t nbytes = tcb->watch_nbytes >> X86_WATCH_INSN_SHIFT & X86_WATCH_MAX_INSN;
    return nbytes ? tcb->target - nbytes : 0;
}

/* WS2 */
void x86_watch_refresh(struct x86_runtime *runtime);
/* After a system call: whether a watched byte has changed of which ebb is to be told. */
bool x86_watch_call_wrote(x86_tcb *tcb);
/* To the guest's next address, or out of translated code if any watched byte has changed. */
uint64_t x86_dispatch_watched(x86_tcb *tcb);

#endif
