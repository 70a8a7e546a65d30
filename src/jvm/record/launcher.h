/* launcher.h - the launcher and other foreign code that calls the machine: where it is left and entered again. */
#ifndef EBB_JVM_RECORD_LAUNCHER_H
#define EBB_JVM_RECORD_LAUNCHER_H

#include "jvm/border/native.h"
#include "jvm/record/record.h"

/* ---- the launcher (record.c, border/exports_vm.c) ---- */

/* The calling thread's C stack from here on is the recipe's, in both modes. */
void jvm_record_enter_launcher(jvm_thread *t, void *frame_address);
void jvm_record_leave_to_launcher(jvm_thread *t); /* the launcher goes on: its calls are logged */
void jvm_record_life(enum jvm_event kind, const char *name, const jvm_obj *group, bool daemon);
jint jvm_attach_current(const char *name, jvm_obj *group, bool daemon);
jint jvm_detach_current(void);
void jvm_destroy_here(void);
_Noreturn void jvm_finish_as_launcher(void); /* border/exports_vm.c: main returned, and the launcher isn't there */

/* ---- natives (native.c, jni.c) ---- */

/* Its functions log before they do (jni.c). */
extern const struct JNINativeInterface_ jvm_recording_table;

/* Foreign code runs now whose doings are logged: what it asks of us is part of them. */
static inline bool jvm_in_recorded_native(const jvm_thread *t) { return t->env == &jvm_recording_table; }

/* C stack that calls from a recorded native may use: the same while recording and replaying, though the native's own
 * frames are there only once. */
typedef struct jvm_border {
    const struct JNINativeInterface_ *env;
    char *c_limit;
} jvm_border;
jvm_border jvm_border_leave(jvm_thread *t, void *frame_address); /* from the native into the machine */
void jvm_border_return(jvm_thread *t, jvm_border saved);

#endif
