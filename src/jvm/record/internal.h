/* internal.h - what only the files of the recording share. */
#ifndef EBB_JVM_RECORD_INTERNAL_H
#define EBB_JVM_RECORD_INTERNAL_H

#include "base/sizes.h"
#include "jvm/record/launcher.h"
#include "jvm/record/log.h"

/* ---- the recipe (recipe.c) ---- */

void jvm_recipe_note(void);
ebb_status jvm_recipe_write(ebb_recorder *rec, ebb_error *err) EBB_MUST_CHECK;
ebb_status jvm_recipe_read(ebb_recording *in, const char *path, ebb_error *err) EBB_MUST_CHECK;

/* Replay goes on in a copy of the process that recorded: its memory is there. */
bool jvm_replays_copy(void);
void jvm_replays_copy_no_more(void);
extern uint64_t jvm_replay_began; /* number of the event at which the copy was made */
extern pid_t jvm_recorded_pid;    /* the process that records */
extern pid_t jvm_starter_pid;     /* its parent */

/* ---- going live (branch.c) ---- */

void jvm_branch_note_load(const jvm_slot *args); /* replayed: a library was loaded */

/* ---- the border of natives (native.c, jni.c) ---- */

/* Bytes longer than JVM_LOG_STEP (base/sizes.h) are logged in pieces. */
void jvm_record_raw(const void *at, const void *bytes, size_t nbytes); /* that memory got these bytes */

/* Performs the next event if it is something that a native does (jni.c); false when it is another. */
bool jvm_replay_action(jvm_thread *t);

#endif
