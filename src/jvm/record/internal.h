/* internal.h - what the files of the recording share. */
#ifndef EBB_JVM_RECORD_INTERNAL_H
#define EBB_JVM_RECORD_INTERNAL_H

#include "base/sizes.h"
#include "jvm/border/native.h"
#include "jvm/record/record.h"
#include "time/replay.h"

ebb_status jvm_log_create(const char *path, ebb_error *err) EBB_MUST_CHECK;
ebb_status jvm_log_open(const char *path, ebb_error *err) EBB_MUST_CHECK;
ebb_recorder *jvm_log_recorder(void);
ebb_recording *jvm_log_recording(void);
ebb_replay *jvm_log_replay(void);
void jvm_log_flush(void);
void jvm_log_report(ebb_status status, const ebb_error *err); /* of a write: a failure ends the recording, and is told once */
ebb_status jvm_log_seek(jvm_cursor to, ebb_error *err) EBB_MUST_CHECK;
/* What was read of the next event ahead of its time is read again: the log goes on elsewhere. */
void jvm_outside_forget_peeked(void); /* outside.c */
uint64_t jvm_log_happened(void);          /* number of the first event that has not happened yet */
void jvm_log_went_live(void); /* the replay is gone, the recorder goes on */

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
_Noreturn void jvm_finish_as_launcher(void);     /* border/exports_vm.c: main returned, and the launcher isn't there */

/* ---- the launcher (record.c, border/exports_vm.c) ---- */

/* The calling thread's C stack from here on is the recipe's, in both modes. */
void jvm_record_enter_launcher(jvm_thread *t, void *frame_address);
void jvm_record_leave_to_launcher(jvm_thread *t); /* the launcher goes on: its calls are logged */
void jvm_record_life(enum jvm_event kind, const char *name, const jvm_obj *group, bool daemon);
jint jvm_attach_current(const char *name, jvm_obj *group, bool daemon);
jint jvm_detach_current(void);
void jvm_destroy_here(void);

/* ---- the border of natives (native.c, jni.c) ---- */

/* Its functions log before they do (jni.c). */
extern const struct JNINativeInterface_ jvm_recording_table;

/* Foreign code runs now whose doings are logged: what it asks of us is part of them. */
static inline bool jvm_in_recorded_native(const jvm_thread *t) { return t->env == &jvm_recording_table; }

/* Bytes longer than JVM_LOG_STEP (base/sizes.h) are logged in pieces. */
void jvm_record_raw(const void *at, const void *bytes, size_t nbytes); /* that memory got these bytes */

/* Performs the next event if it is something that a native does (jni.c); false when it is another. */
bool jvm_replay_action(jvm_thread *t);

/* C stack that calls from a recorded native may use: the same while recording and replaying, though the native's own
 * frames are there only once. */
typedef struct jvm_border {
    const struct JNINativeInterface_ *env;
    char *c_limit;
} jvm_border;
jvm_border jvm_border_leave(jvm_thread *t, void *frame_address); /* from the native into the machine */
void jvm_border_return(jvm_thread *t, jvm_border saved);

#endif
