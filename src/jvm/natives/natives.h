/* natives/natives.h - what the tables of inner natives share.
 *
 * An inner native (border/native.h) gets raw slots and gives a raw slot back.  `static` natives find their
 * first argument in args[0], the others their receiver; a long or double takes two slots. */
#ifndef EBB_JVM_NATIVES_NATIVES_H
#define EBB_JVM_NATIVES_NATIVES_H

#include "jvm/heap/heap.h"
#include "jvm/border/jni_impl.h"
#include "jvm/border/native.h"
#include "jvm/engine/throw.h"
#include "jvm/jvm.h"

static inline jvm_slot jvm_nothing(void) { return (jvm_slot){ .raw = 0 }; }
static inline jvm_slot jvm_int(int32_t i) { return (jvm_slot){ .i = i }; }
static inline jvm_slot jvm_long(int64_t j) { return (jvm_slot){ .j = j }; }
static inline jvm_slot jvm_ref(jvm_obj *a) { return (jvm_slot){ .a = a }; }
static inline jvm_slot jvm_ref_class(const jvm_class *cls) { return jvm_ref(cls == NULL ? NULL : cls->mirror); }

/* For registerNatives of classes whose natives are all in tables. */
jvm_slot jvm_native_nothing(jvm_thread *t, jvm_method *m, jvm_slot *args);

/* System.arraycopy; false: exception pending.  Not a GC point unless it throws. */
bool jvm_arraycopy(jvm_thread *t, jvm_obj *src, int32_t src_at, jvm_obj *dst, int32_t dst_at, int32_t n);
/* Object.clone with its checks; NULL: exception pending. */
jvm_obj *jvm_object_clone(jvm_thread *t, jvm_obj *o);

/* Class.getModifiers and its raw sister (InnerClasses flags; the class file's own). */
int32_t jvm_class_modifiers(const jvm_class *cls);
bool jvm_assertions_wanted(const jvm_class *cls);

/* StackTraceElement[] of the innermost `max` frames of a thread as it stands now, as a local handle. */
jobject jvm_thread_stack(jvm_thread *t, const jvm_thread *x, int32_t max);

/* A flag that nobody gave gets the value that is so here (flags.c). */
void jvm_flag_tell_what_is(jvm_flag *f);
/* Since the program began (management.c). */
void jvm_uptime_begin(void);
int64_t jvm_uptime_ms(void);

/* Signals that the machine takes whatever the program does (signal.c). */
void jvm_signals_init(void);
/* A copy went live: what copies let go of, and what replay left out, is there again. */
void jvm_signals_go_live(void);

/* Adds the natives of JDK libraries that may block (blocking.c). */
void jvm_natives_add_blocking(void);

#endif
