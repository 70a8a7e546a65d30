/* run.h - letting the debuggee move until there is something to tell. */
#ifndef EBB_X86_RUN_H
#define EBB_X86_RUN_H

#include "x86/process.h"

ebb_status x86_resume(machine *m, const machine_request *request, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;
void x86_interrupt(machine *m);

#endif
