/* attach.h - giving up control of a process, whether it was attached to or started. */
#ifndef EBB_X86_ATTACH_H
#define EBB_X86_ATTACH_H

#include "x86/process.h"

ebb_status x86_detach(machine *m, int signal, ebb_error *err) EBB_MUST_CHECK;

#endif
