/* native.h - the border between Java and C.
 *
 * Every call of a native method passes through jvm_native_call: what recording will log and replay
 * will answer goes there and nowhere else.  There are two kinds of native:
 *
 *   inner   a C function of ours with the signature below, named in a table (natives/ *.c): no
 *           handles, no JNI; it works on plain objects under heap/heap.h's rules;
 *   JNI     a function of a shared library or registered by RegisterNatives, called by the platform's
 *           convention with (JNIEnv *, this or class, arguments...), handles made around it.
 *
 * NB1  binding order: the inner table, RegisterNatives, symbols of the boot libraries (boot classes) or
 *     ClassLoader.findNative, short name before long name; an inner native always wins, so that natives of the JDK's
 *     own libraries can be replaced by rows of a table;
 * NB2  an inner native declares whether it only depends on the Java state (PURE: runs again in replay),
 *     asks the world (WORLD: recorded), or may switch threads (BLOCKS);
 * NB3  every native does one of these for the undo log (undo/keep.h): it changes nothing but the heap, through heap/object.h, and what else is
 *     kept by whoever owns it (threads, monitors, memory outside of the heap); it keeps its own variables; it cuts. */
#ifndef EBB_JVM_BORDER_NATIVE_H
#define EBB_JVM_BORDER_NATIVE_H

#include "jvm/classes/class.h"
#include "jvm/threads/thread.h"

/* args[0] is the receiver or, for a static method, the first argument; long and double take two slots.
 * The arguments are live in the caller's frame.  The result is ignored when an exception is pending;
 * boolean, byte, char, short results are widened to int in `i`. */
typedef jvm_slot jvm_inner_fn(jvm_thread *t, jvm_method *m, jvm_slot *args);

enum jvm_native_kind { JVM_NATIVE_PURE, JVM_NATIVE_WORLD, JVM_NATIVE_BLOCKS };

typedef struct jvm_inner_native {
    const char *class_name, *name, *sig; /* sig NULL: whatever the descriptor */
    jvm_inner_fn *fn;
    enum jvm_native_kind kind;
    const char *cuts; /* what it changes that the undo log (undo/undo.h) doesn't keep; NULL: nothing, or it says so itself */
} jvm_inner_native;

/* Tables end with a row of NULLs; registered at start-up by jvm_natives_init (natives/natives.c lists them). */
void jvm_native_add_table(const jvm_inner_native *table);
void jvm_natives_init(void);

struct jvm_native {
    jvm_inner_fn *inner;       /* or NULL */
    void *fn;                  /* JNI function */
    void *cif;                 /* libffi description; NULL: all arguments travel in integer registers or memory */
    enum jvm_native_kind kind;
    const char *cuts;          /* the undo log: of its row */
    int16_t file_row;          /* what it does to files, once asked (record/files.c) */
    bool reruns;               /* depends on the Java state only: run again in replay (record/rerun_natives.def) */
};

/* Calls the C function of m as `how` says (native.c); what happens in it is recorded, or not called but replayed. */
typedef jvm_slot jvm_foreign_call(jvm_thread *t, const jvm_method *m, void *how);
jvm_slot jvm_record_native(jvm_thread *t, jvm_method *m, jvm_slot *args, jvm_foreign_call *call, void *how);
bool jvm_native_reruns(const jvm_method *m);

/* A row of a table stands in for the bytecode of m (methods of java.lang.Math only). */
bool jvm_native_replaces(const jvm_method *m);
/* Finds the C function of m; false with UnsatisfiedLinkError pending.  A GC point. */
bool jvm_native_bind(jvm_thread *t, jvm_method *m);
/* RegisterNatives. */
void jvm_native_register(jvm_method *m, void *fn);
void jvm_native_unregister(jvm_method *m);
/* THE border.  `args` are the locals of the native's frame, which is t->frame. */
jvm_slot jvm_native_call(jvm_thread *t, jvm_method *m, jvm_slot *args);

/* For inner natives that wrap the one of a JDK library: calls that with the arguments given, as the border does. */
jvm_slot jvm_native_call_library(jvm_thread *t, jvm_method *m, jvm_slot *args, const char *library);

/* JNI names: Java_pkg_Class_method and with __signature; caller frees. */
char *jvm_native_symbol(const jvm_method *m, bool with_signature);
void *jvm_boot_library(const char *name); /* dlopen of lib/libNAME.so once; NULL when there is none */

#endif
