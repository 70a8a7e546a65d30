/* terminal.h - who has the terminal: the debuggee while it runs, ebb while it stands still. */
#ifndef EBB_X86_TERMINAL_H
#define EBB_X86_TERMINAL_H

#include "x86/process.h"

void x86_terminal_init(x86_process *p, bool wanted);
void x86_terminal_give(x86_process *p); /* the debuggee is about to run */
void x86_terminal_take(x86_process *p); /* it stopped */

#endif
