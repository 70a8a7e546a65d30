/* stub.h - a process with nothing in it, to be filled with the memory of a program that was recorded.
 *
 * It is a child of ebb that has given everything up: descriptors, handlers, and all memory but one page, the *door*.  On that stands the
 * instruction by which it makes the system calls that fill it.
 *
 * SB1  nothing of ebb's is in it: what it executes later can read and write only what was put there;
 * SB2  it stands still (XP1), and dies with ebb. */
#ifndef EBB_X86_STUB_H
#define EBB_X86_STUB_H

#include "x86/process.h"

enum { X86_STUB_DOOR_BYTES = 4096 };

/* With one task, of its own number.  `door` is the address of the page that stays; ebb itself has nothing there.  It is called `name`. */
ebb_status x86_stub_new(uint64_t door, const char *name, x86_process **out, ebb_error *err) EBB_MUST_CHECK;

/* Fresh memory, all zero, exactly there. */
typedef struct x86_stub_memory {
    uint64_t lo, hi;
    int protection;
    bool grows_down;
} x86_stub_memory;
ebb_status x86_stub_map(x86_process *p, uint64_t door, const x86_stub_memory *memory, ebb_error *err) EBB_MUST_CHECK;

#endif
