/* regs.h - registers of a stopped task. */
#ifndef EBB_X86_REGS_H
#define EBB_X86_REGS_H

#include "x86/process.h"

/* The general registers, from the cache or the kernel; NULL with *err set if they can't be had. */
struct user_regs_struct *x86_regs_get(x86_task *t, ebb_error *err);
uint64_t x86_pc(x86_task *t); /* 0 if the task is gone */
/* Moves the program counter; a system call that was interrupted is not restarted there. */
void x86_set_pc(x86_task *t, uint64_t pc);

/* zmm0 to zmm31, k0 to k7, as far as the CPU has them. */
void x86_vector_get(x86_task *t, unsigned number, uint8_t bytes[64]);
uint64_t x86_mask_get(x86_task *t, unsigned number);

/* Has all registers in the cache, also those of vectors. */
ebb_status x86_regs_fetch_all(x86_task *t, ebb_error *err) EBB_MUST_CHECK;
enum { X86_XSTATE_MAX = 16384 }; /* bytes of an XSAVE area */
size_t x86_xstate_nbytes(void);          /* of this CPU's */
ebb_status x86_regs_flush(x86_task *t, ebb_error *err) EBB_MUST_CHECK; /* XP5 */
/* A vector register of a stopped task, written back as it moves: the kernel takes any value. */
ebb_status x86_vector_put(x86_task *t, unsigned reg, const void *bytes, ebb_error *err) EBB_MUST_CHECK;
void x86_regs_forget(x86_task *t); /* it is about to move, or has */

const machine_reg *x86_registers(machine *m, size_t *n);
ebb_status x86_reg_read(machine *m, machine_tid tid, unsigned reg, void *bytes, ebb_error *err) EBB_MUST_CHECK;
ebb_status x86_reg_write(machine *m, machine_tid tid, unsigned reg, const void *bytes, ebb_error *err) EBB_MUST_CHECK;
ebb_status x86_place(machine *m, machine_tid tid, machine_place *place, ebb_error *err) EBB_MUST_CHECK;

#endif
