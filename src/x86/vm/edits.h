/* edits.h - what the user changes in a program that runs, as part of its recording: memory and registers.
 *
 * A function that is called from ebb is such changes too: registers are set, the thread runs, registers are put back.  So it happens again in
 * replay without anything more.
 *
 * The event is that of time/edits.h: `what` is the address or the number of the register (regs.def), `how` the thread whose register it is (0: memory), whether
 * the moment after it is one tick later, and the bytes.
 *
 * EU1  the first change at a position ticks: before it and after it are two moments.  Those that follow at that second moment belong to it, and a copy
 *      that comes there makes all of them;
 * EU2  the past is not changed: that is refused, but for a copy that is thrown away (scratch.h). */
#ifndef EBB_X86_VM_EDITS_H
#define EBB_X86_VM_EDITS_H

#include "time/edits.h"
#include "x86/vm/private.h"

/* machine_ops.write, machine_native_ops.reg_write */
ebb_status vm_edit_memory(machine *m, uint32_t space, machine_addr addr, const void *bytes, size_t n, ebb_error *err) EBB_MUST_CHECK;
ebb_status vm_edit_register(machine *m, machine_tid tid, unsigned reg, const void *bytes, ebb_error *err) EBB_MUST_CHECK;

/* Nothing is changed, but the user made a moment of its own of this one. */
void vm_edit_tick(x86_vm *vm);

/* Makes a recorded change again; the copy stands where it was made. */
ebb_status vm_edit_again(x86_vm *vm, const ebb_edit *edit, ebb_error *err) EBB_MUST_CHECK;
bool vm_edit_ticks(const ebb_edit *edit);

#endif
