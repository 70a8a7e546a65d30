/* machine_ops.h - the Java machine as a `machine`. */
#ifndef EBB_JVM_REMOTE_MACHINE_OPS_H
#define EBB_JVM_REMOTE_MACHINE_OPS_H

#include "jvm/remote/talk.h"

extern const machine_ops jvm_remote_ops;

/* The stop that a message tells of; r knows the time then. */
ebb_status jvm_remote_read_stop(jvm_remote *r, const jvm_wire_message *m, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;

#endif
