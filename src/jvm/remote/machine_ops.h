/* machine_ops.h - the Java machine as a `machine`. */
#ifndef EBB_JVM_REMOTE_MACHINE_OPS_H
#define EBB_JVM_REMOTE_MACHINE_OPS_H

#include "jvm/remote/talk.h"

extern const machine_ops jvm_remote_ops;
extern const machine_history_ops jvm_remote_history_ops;

/* The stop that a message tells of; r knows the time then. */
ebb_status jvm_remote_read_stop(jvm_remote *r, const jvm_wire_message *m, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;

machine_stop jvm_remote_stop(const jvm_wire_stop *s);
ebb_status jvm_remote_search(machine *m, const machine_search *search, machine_found *found, ebb_error *err) EBB_MUST_CHECK;

/* ---- conditions.c ---- */

ebb_status jvm_remote_point_condition(machine *m, machine_point_id id, const machine_code *code, size_t n_steps, ebb_error *err) EBB_MUST_CHECK;
ebb_status jvm_remote_points_ignore(machine *m, const machine_point_id *ids, size_t n, uint64_t count, ebb_error *err) EBB_MUST_CHECK;
uint64_t jvm_remote_points_passed(machine *m, machine_point_id first);

/* ---- history.c ---- */

void jvm_remote_history(machine *m, machine_history *out);
ebb_copies *jvm_remote_copies(machine *m);
const char *jvm_remote_recording(machine *m);
ebb_status jvm_remote_state_hash(machine *m, uint64_t *hash, ebb_error *err) EBB_MUST_CHECK;

/* ---- copies.c ---- */

extern const ebb_copies_hooks jvm_remote_copies_hooks; /* self: the jvm_remote */
/* The live debuggee took a snapshot by itself. */
ebb_status jvm_remote_note_snapshot(jvm_remote *r, const jvm_wire_message *m, int fd, ebb_error *err) EBB_MUST_CHECK;
bool jvm_remote_is_replaying(const jvm_remote *r);
bool jvm_remote_is_at_end(const jvm_remote *r); /* a copy, and at the newest state */

bool jvm_remote_is_apart(const jvm_remote *r); /* apart.c: what is talked to never was */

/* ---- undo.c ---- */

/* Hooks (copies.c). */
uint64_t jvm_remote_undo_oldest(void *self);
ebb_status jvm_remote_rewind(void *self, ebb_position to, bool *reached, ebb_error *err) EBB_MUST_CHECK;
ebb_status jvm_remote_undo_set(machine *m, uint64_t live_nbytes, uint64_t replay_nbytes, ebb_error *err) EBB_MUST_CHECK;
/* Before it runs: the log that is wanted of it is the one it keeps. */
ebb_status jvm_remote_sync_undo(jvm_remote *r, bool forgets, ebb_error *err) EBB_MUST_CHECK;
ebb_status jvm_remote_tell_choice(jvm_remote *r, ebb_error *err) EBB_MUST_CHECK;
void jvm_remote_undo_history(jvm_remote *r, machine_history *out);

#endif
