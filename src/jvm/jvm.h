/* jvm.h - the machine as a whole: its parts, its options, its life.
 *
 * There is one machine per process; its state is one struct, `jvm`.  Boot follows the order that the
 * class library needs: image and loader, core classes and mirrors, primitive classes, main thread, System's three
 * phases (boot.c). */
#ifndef EBB_JVM_JVM_H
#define EBB_JVM_JVM_H

#include <jni.h>

#include "base/error.h"
#include "base/mem.h"
#include "jvm/classes/class.h"
#include "jvm/classes/loader.h"
#include "jvm/classes/known.h"
#include "jvm/options.h"
#include "jvm/threads/thread.h"

typedef struct jvm_machine {
    char *home;               /* java.home */
    jvm_options options;
    jvm_loader *boot;
    jvm_known_classes classes; /* jvm.classes.String ...: classes/known.def */
    jvm_known_offsets fields;  /* jvm.fields.String_value ... */
    jvm_known_methods methods; /* jvm.methods.Thread_run ... */
    uint64_t time;            /* timestamp; the interpreter's counter is added by jvm_time() */
    bool booted;              /* initPhase3 is through */
    bool modules_ready;       /* initPhase2 is through */
    bool exiting;
    JavaVM java_vm;           /* points to the invocation table */
} jvm_machine;
extern jvm_machine jvm;

uint64_t jvm_time(void);      /* the timestamp now */

bool jvm_find_home(ebb_error *err);              /* java.home: beside the running launcher */
bool jvm_boot(jvm_thread *main, ebb_error *err); /* through initPhase3; false: err says what failed */
void jvm_destroy(jvm_thread *t);                 /* waits for the others, runs Shutdown.shutdown */
_Noreturn void jvm_halt(int status);             /* the way out: exit hook, then _exit after flushing */

/* Tables made by others: the JNI function table (border/jni.c) and the invocation table (border/exports_vm.c). */
extern const struct JNINativeInterface_ jvm_jni_table;
extern const struct JNIInvokeInterface_ jvm_invoke_table;

#endif
