/* modules.h - which files' code is in the debuggee.
 *
 * The executable and the vdso come from the auxiliary vector, shared libraries from the dynamic
 * loader's list (r_debug).  The loader calls an empty function whenever it changed that list: a
 * point of our own there keeps us up to date. */
#ifndef EBB_X86_MODULES_H
#define EBB_X86_MODULES_H

#include "x86/process.h"

/* Forgets what is known and reads it anew: at the start, at an attach, after an exec. */
ebb_status x86_modules_begin(x86_process *p, ebb_error *err) EBB_MUST_CHECK;
/* A point of ours was reached: true if the list changed. */
bool x86_modules_update(x86_process *p, machine_point_id reached);
/* Whether `pc` is where the loader calls us; then the list is read again (trap.c). */
bool x86_loader_reached(x86_process *p, uint64_t pc, bool *modules_changed);
/* The memory is that of another moment. */
void x86_modules_look_again(x86_process *p);
void x86_modules_fini(x86_process *p);

const machine_module *x86_modules(machine *m, size_t *n);
const char *x86_program(machine *m);
machine_place x86_entry(machine *m);
size_t x86_auxv(machine *m, void *bytes, size_t most);

ebb_status x86_tls_block(machine *m, machine_tid tid, const machine_module *module, uint64_t *block, ebb_error *err) EBB_MUST_CHECK;

#endif
