/* descriptors.h - gives a copy that goes live the descriptors that the program had (kept.h).
 *
 * A copy has none of its own (body.h, BY2).  Files, folders and devices are opened again by their paths, at the positions that they had.  Standard streams
 * that are ebb's too, and pipes and connections which the program has still open at its end, are taken from there as they are: they are sent to the
 * copy by a socket that it makes for that.
 *
 * DR1  what can't be had again costs a line of text; the program finds that descriptor closed. */
#ifndef EBB_X86_VM_DESCRIPTORS_H
#define EBB_X86_VM_DESCRIPTORS_H

#include "x86/vm/kept.h"

/* `copy` makes system calls at `insn`, with a page at `scratch` for what they read and write; `live`: the program at its end, 0 if it is gone. */
typedef struct vm_receiver {
    x86_vm *vm;
    x86_task *copy;
    uint64_t insn, scratch;
    pid_t live;
} vm_receiver;

ebb_status vm_receiver_call(const vm_receiver *r, long number, const uint64_t args[6], int64_t *result, ebb_error *err) EBB_MUST_CHECK;

/* Those that were lost are in `closed`. */
typedef EBB_VEC(int) vm_fd_list;
ebb_status vm_descriptors_give(const vm_receiver *r, const vm_kept *kept, vm_fd_list *closed, ebb_buf *lost, ebb_error *err) EBB_MUST_CHECK;

#endif
