/* options_flags.c - the -XX flags: every flag of HotSpot 17 is known by name and type (hotspot_flags.def) and checked
 * as HotSpot does, in its words; the few in `effects` mean something here. */
#include "jvm/options.h"

#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum flag_type { BOOL, INT, SIZE, DOUBLE, TEXT };
enum flag_lock { PRODUCT, DIAGNOSTIC, EXPERIMENTAL };

typedef struct flag {
    const char *name;
    uint8_t type, lock;
} flag;

static const flag flags[] = {
#define JVM_FLAG(name, type, lock) {#name, type, lock},
#include "jvm/hotspot_flags.def"
#undef JVM_FLAG
};

/* Where the value goes: a bool, int64_t, uint64_t, double or char * (owned), as the flag's type says. */
static const struct {
    const char *name;
    size_t at;
} effects[] = {
    {"ActiveProcessorCount", offsetof(jvm_options, processors)},
    {"BytecodeVerificationLocal", offsetof(jvm_options, verify_local)},
    {"BytecodeVerificationRemote", offsetof(jvm_options, verify_remote)},
    {"DisableExplicitGC", offsetof(jvm_options, explicit_gc_off)},
    {"ExitOnOutOfMemoryError", offsetof(jvm_options, exit_on_oom)},
    {"InitialHeapSize", offsetof(jvm_options, heap_initial)},
    {"MaxDirectMemorySize", offsetof(jvm_options, direct_max)},
    {"MaxHeapSize", offsetof(jvm_options, heap_max)},
    {"MaxJavaStackTraceDepth", offsetof(jvm_options, trace_depth)},
    {"MaxMetaspaceSize", offsetof(jvm_options, meta_max)},
    {"MaxRAM", offsetof(jvm_options, ram)},
    {"MaxRAMPercentage", offsetof(jvm_options, ram_percent)},
    {"ReduceSignalUsage", offsetof(jvm_options, reduced_signals)},
    {"ShowCodeDetailsInExceptionMessages", offsetof(jvm_options, npe_help)},
    {"StackTraceInThrowable", offsetof(jvm_options, traces)},
    {"ThreadStackSize", offsetof(jvm_options, stack_kib)},
    {"UnlockDiagnosticVMOptions", offsetof(jvm_options, diagnostic_flags)},
    {"UnlockExperimentalVMOptions", offsetof(jvm_options, experimental_flags)},
};

static const flag *find(const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (strlen(flags[i].name) == n && memcmp(flags[i].name, name, n) == 0)
            return &flags[i];
    return NULL;
}

static void *effect_of(jvm_options *o, const flag *f)
{
    for (size_t i = 0; i < sizeof effects / sizeof *effects; i++)
        if (strcmp(effects[i].name, f->name) == 0)
            return (char *)o + effects[i].at;
    return NULL;
}

/* "-5", "0x10", "64k" */
static bool read_int(const char *text, int64_t *value)
{
    uint64_t magnitude;
    bool negative = *text == '-';
    if (!ebb_text_to_size(text + negative, &magnitude) || magnitude > INT64_MAX)
        return false;
    *value = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return true;
}

static bool read_double(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return end != text && *end == '\0';
}

static bool read_value(const flag *f, const char *text, void *to)
{
    uint64_t size;
    int64_t number;
    double real;
    switch (f->type) {
    case INT:
        if (!read_int(text, &number))
            return false;
        if (to != NULL)
            *(int64_t *)to = number;
        return true;
    case SIZE:
        if (!ebb_text_to_size(text, &size))
            return false;
        if (to != NULL)
            *(uint64_t *)to = size;
        return true;
    case DOUBLE:
        if (!read_double(text, &real))
            return false;
        if (to != NULL)
            *(double *)to = real;
        return true;
    default:
        return f->type == TEXT;
    }
}

static bool is_locked(const jvm_options *o, const flag *f)
{
    if (strncmp(f->name, "Unlock", 6) == 0)
        return false;
    return (f->lock == DIAGNOSTIC && !o->diagnostic_flags) || (f->lock == EXPERIMENTAL && !o->experimental_flags);
}

static ebb_status fail_locked(const flag *f, ebb_error *err)
{
    const char *kind = f->lock == DIAGNOSTIC ? "diagnostic" : "experimental", *unlock = f->lock == DIAGNOSTIC ? "Diagnostic" : "Experimental";
    return ebb_fail(err, EBB_BAD_INPUT,
                    "Error: VM option '%s' is %s and must be enabled via -XX:+Unlock%sVMOptions.\n"
                    "Error: The unlock option must precede '%s'.",
                    f->name, kind, unlock, f->name);
}

ebb_status jvm_options_flag(jvm_options *o, const char *text, bool lenient, ebb_error *err)
{
    bool has_sign = *text == '+' || *text == '-';
    const char *name = text + has_sign, *equals = strchrnul(name, '=');
    const flag *f = find(name, (size_t)(equals - name));
    if (f == NULL)
        return lenient ? EBB_OK : ebb_fail(err, EBB_BAD_INPUT, "Unrecognized VM option '%s'", name);
    if (is_locked(o, f))
        return lenient ? EBB_OK : fail_locked(f, err);
    void *to = effect_of(o, f);
    if (f->type == BOOL) {
        if (*equals != '\0')
            return ebb_fail(err, EBB_BAD_INPUT, "Improperly specified VM option '%s'", name);
        if (!has_sign)
            return ebb_fail(err, EBB_BAD_INPUT, "Missing +/- setting for VM option '%s'", name);
        if (to != NULL)
            *(bool *)to = *text == '+';
        return EBB_OK;
    }
    if (has_sign)
        return ebb_fail(err, EBB_BAD_INPUT, "Unexpected +/- setting in VM option '%s'", name);
    if (*equals == '\0' || !read_value(f, equals + 1, to))
        return ebb_fail(err, EBB_BAD_INPUT, "Improperly specified VM option '%s'", name);
    return EBB_OK;
}
