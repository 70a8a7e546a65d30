/* machine_ops.h - the Java machine as a `machine`. */
#ifndef EBB_JVM_REMOTE_MACHINE_OPS_H
#define EBB_JVM_REMOTE_MACHINE_OPS_H

#include "jvm/remote/talk.h"

extern const machine_ops jvm_remote_ops;
extern const machine_history_ops jvm_remote_history_ops;

/* The stop that a message tells of; r knows the time then. */
ebb_status jvm_remote_read_stop(jvm_remote *r, const jvm_wire_message *m, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;

/* ---- history.c ---- */

void jvm_remote_history(machine *m, machine_history *out);
const machine_snapshot *jvm_remote_snapshots(machine *m, size_t *n);
ebb_status jvm_remote_snapshot_take(machine *m, machine_snapshot_id *id, ebb_error *err) EBB_MUST_CHECK;
ebb_status jvm_remote_snapshot_restore(machine *m, machine_snapshot_id id, ebb_error *err) EBB_MUST_CHECK;
void jvm_remote_snapshot_drop(machine *m, machine_snapshot_id id);
void jvm_remote_snapshot_policy(machine *m, unsigned interval_ms, void (*taken)(void *self), void *self);
ebb_status jvm_remote_branch(machine *m, ebb_buf *undone, ebb_error *err) EBB_MUST_CHECK;
ebb_status jvm_remote_go_live(machine *m, ebb_error *err) EBB_MUST_CHECK;
const char *jvm_remote_recording(machine *m);
ebb_status jvm_remote_state_hash(machine *m, uint64_t *hash, ebb_error *err) EBB_MUST_CHECK;
/* The machine took one by itself. */
ebb_status jvm_remote_note_snapshot(jvm_remote *r, const jvm_wire_message *m, int fd, ebb_error *err) EBB_MUST_CHECK;
bool jvm_remote_is_replaying(const jvm_remote *r);
bool jvm_remote_is_at_end(const jvm_remote *r); /* replaying, and at the newest state */
void jvm_remote_drop_copies(jvm_remote *r);     /* all of them */
/* `pid`, which talks over `fd`, is the debuggee from now on: it replays, and keeps that much of an undo log. */
void jvm_remote_become_copy(jvm_remote *r, pid_t pid, int fd, uint64_t undo);
/* Points and the like, told to a copy that is new, or to the live debuggee that is returned to. */
ebb_status jvm_remote_tell_all(jvm_remote *r, uint64_t newest_time, machine_place newest_place, ebb_error *err) EBB_MUST_CHECK;

bool jvm_remote_is_apart(const jvm_remote *r); /* apart.c: what is talked to never was */

/* ---- undo.c ---- */

ebb_status jvm_remote_rewind(machine *m, uint64_t time, machine_place place, machine_stop *stop, bool *reached, ebb_error *err) EBB_MUST_CHECK;
ebb_status jvm_remote_undo_set(machine *m, uint64_t live_nbytes, uint64_t replay_nbytes, ebb_error *err) EBB_MUST_CHECK;
/* Before it runs: the log that is wanted of it is the one it keeps. */
ebb_status jvm_remote_sync_undo(jvm_remote *r, bool forgets, ebb_error *err) EBB_MUST_CHECK;
ebb_status jvm_remote_tell_choice(jvm_remote *r, ebb_error *err) EBB_MUST_CHECK;
void jvm_remote_undo_history(jvm_remote *r, machine_history *out);

#endif
