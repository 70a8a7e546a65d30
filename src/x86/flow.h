/* flow.h - machine_native_ops.flow and sets of native programs, in both modes. */
#ifndef EBB_X86_FLOW_H
#define EBB_X86_FLOW_H

#include "machine/machine.h"
#include "machine/flow.h"

ebb_status x86_flow(machine *m, machine_tid tid, const machine_datum *wanted, machine_flow *out, ebb_error *err) EBB_MUST_CHECK;
/* machine_native_ops.sets */
machine_place x86_sets(machine *m, machine_place at, unsigned reg, bool *sets);

#endif
