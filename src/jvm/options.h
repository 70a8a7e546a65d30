/* options.h - what the command line says: the program's own options, not ebb's.
 *
 * OP1  what means something here is honoured, what means something to HotSpot only is accepted, what HotSpot
 *     does not know is refused, in its words;
 * OP2  the words come in HotSpot's order: JAVA_TOOL_OPTIONS, the command line (-XX:VMOptionsFile in place),
 *     _JAVA_OPTIONS; of two that disagree the later one counts. */
#ifndef EBB_JVM_OPTIONS_H
#define EBB_JVM_OPTIONS_H

#include <jni.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/mem.h"

typedef struct jvm_property {
    char *key, *value;
} jvm_property;

typedef struct jvm_options {
    EBB_VEC(jvm_property) properties;   /* in the order given; later ones win; --add-opens etc. included */
    EBB_VEC(char *) vm_args;            /* every word: RuntimeMXBean shows these */
    uint64_t heap_max, heap_initial, stack_size, meta_max, direct_max, ram; /* bytes; 0: not given */
    int64_t stack_kib, processors;      /* 0, -1: not given */
    double ram_percent;                 /* of the memory, for the heap */
    bool assertions, system_assertions; /* -ea, -esa */
    EBB_VEC(char *) assertion_rules;    /* "+pkg..." "-Class" in order, for AssertionStatusDirectives */
    bool verbose_class, verbose_gc, verbose_jni, check_jni;
    bool verify_local, verify_remote;   /* classes of the boot loader; all others */
    bool diagnostic_flags, experimental_flags; /* unlocked */
    bool explicit_gc_off, exit_on_oom, reduced_signals;
    bool npe_help, traces;              /* messages that explain; stack traces in throwables */
    int64_t trace_depth;                /* 0: no limit */
    char *boot_append;                  /* -Xbootclasspath/a */
    uint64_t quantum;                   /* timestamps between forced thread switches */
    jint (*vfprintf_hook)(FILE *, const char *, va_list);
    void (*exit_hook)(jint);
    void (*abort_hook)(void);
} jvm_options;

/* Reads the launcher's options and the environment's.  EBB_BAD_INPUT: an option that makes no sense;
 * EBB_UNSUPPORTED: one of old that HotSpot refuses on stdout; EBB_UNAVAILABLE: a machine can't be made so (HotSpot: "Error occurred during initialization of VM"). */
ebb_status jvm_options_read(jvm_options *options, const JavaVMInitArgs *args, ebb_error *err) EBB_MUST_CHECK;

/* One -XX flag, without "-XX:".  `lenient`: unknown names pass. */
ebb_status jvm_options_flag(jvm_options *o, const char *text, bool lenient, ebb_error *err) EBB_MUST_CHECK;

/* ---- the flags as a program sees them (HotSpotDiagnosticMXBean) ---- */

/* What was given, or what the machine has; of flags that mean nothing here that is zero. */
typedef struct jvm_flag {
    const char *name;
    char type; /* Z: truth; J: number; D: real; L: text */
    bool is_given, is_manageable;
    bool truth;
    int64_t number;
    double real;
    const char *text; /* NULL: none */
} jvm_flag;

size_t jvm_flags_count(void);
void jvm_flag_get(const jvm_options *o, size_t i, jvm_flag *out);
bool jvm_flag_find(const char *name, size_t *i);
void jvm_flag_put(jvm_options *o, const jvm_flag *flag); /* one that is manageable; text is copied */

const char *jvm_property_get(const char *key); /* last value given, or NULL */

#endif
