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

enum { N_FLAGS = sizeof flags / sizeof *flags };

/* What was said of each on the command line. */
static struct {
    bool is_given, truth;
    int64_t number;
    double real;
    char *text;
} said[N_FLAGS];

static const char *const manageable[] = {
    "HeapDumpOnOutOfMemoryError", "HeapDumpPath", "MaxHeapFreeRatio", "MinHeapFreeRatio", "PrintConcurrentLocks",
    "ShowCodeDetailsInExceptionMessages", "SoftMaxHeapSize", "G1PeriodicGCInterval", "G1PeriodicGCSystemLoadThreshold",
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
    for (size_t i = 0; i < N_FLAGS; i++)
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

static void say_truth(jvm_options *o, const flag *f, bool truth)
{
    void *to = effect_of(o, f);
    said[f - flags].is_given = true;
    said[f - flags].truth = truth;
    if (to != NULL)
        *(bool *)to = truth;
}

static bool read_number(const flag *f, const char *text, int64_t *value)
{
    uint64_t size;
    if (f->type == INT)
        return read_int(text, value);
    if (!ebb_text_to_size(text, &size))
        return false;
    *value = (int64_t)size;
    return true;
}

/* False: that is no value of the flag. */
static bool say_value(jvm_options *o, const flag *f, const char *text)
{
    size_t i = (size_t)(f - flags);
    void *to = effect_of(o, f);
    if (f->type == TEXT) {
        free(said[i].text);
        said[i].text = ebb_strdup(text);
    } else if (f->type == DOUBLE) {
        if (!read_double(text, &said[i].real))
            return false;
        if (to != NULL)
            *(double *)to = said[i].real;
    } else {
        if (!read_number(f, text, &said[i].number))
            return false;
        if (to != NULL)
            *(int64_t *)to = said[i].number;
    }
    said[i].is_given = true;
    return true;
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
    if (f->type == BOOL) {
        if (*equals != '\0')
            return ebb_fail(err, EBB_BAD_INPUT, "Improperly specified VM option '%s'", name);
        if (!has_sign)
            return ebb_fail(err, EBB_BAD_INPUT, "Missing +/- setting for VM option '%s'", name);
        say_truth(o, f, *text == '+');
        return EBB_OK;
    }
    if (has_sign)
        return ebb_fail(err, EBB_BAD_INPUT, "Unexpected +/- setting in VM option '%s'", name);
    if (*equals == '\0' || !say_value(o, f, equals + 1))
        return ebb_fail(err, EBB_BAD_INPUT, "Improperly specified VM option '%s'", name);
    return EBB_OK;
}

/* ---- as a program sees them ---- */

size_t jvm_flags_count(void) { return N_FLAGS; }

bool jvm_flag_find(const char *name, size_t *i)
{
    const flag *f = find(name, strlen(name));
    *i = f == NULL ? 0 : (size_t)(f - flags);
    return f != NULL;
}

static bool is_manageable(const char *name)
{
    for (size_t i = 0; i < sizeof manageable / sizeof *manageable; i++)
        if (strcmp(manageable[i], name) == 0)
            return true;
    return false;
}

static void take_effect(const jvm_options *o, const flag *f, jvm_flag *out)
{
    const void *from = effect_of((jvm_options *)o, f);
    if (from == NULL)
        return;
    switch (f->type) {
    case BOOL: out->truth = *(const bool *)from; break;
    case DOUBLE: out->real = *(const double *)from; break;
    case TEXT: break;
    default: out->number = *(const int64_t *)from; break;
    }
}

void jvm_flag_get(const jvm_options *o, size_t i, jvm_flag *out)
{
    static const char letters[] = {[BOOL] = 'Z', [INT] = 'J', [SIZE] = 'J', [DOUBLE] = 'D', [TEXT] = 'L'};
    *out = (jvm_flag){.name = flags[i].name, .type = letters[flags[i].type], .is_given = said[i].is_given,
                      .is_manageable = is_manageable(flags[i].name), .truth = said[i].truth, .number = said[i].number,
                      .real = said[i].real, .text = said[i].text};
    take_effect(o, &flags[i], out);
}

void jvm_flag_put(jvm_options *o, const jvm_flag *value)
{
    size_t i;
    if (!jvm_flag_find(value->name, &i))
        return;
    void *to = effect_of(o, &flags[i]);
    said[i].truth = value->truth;
    said[i].number = value->number;
    said[i].real = value->real;
    if (value->type == 'L')
        said[i].text = value->text == NULL ? NULL : ebb_strdup(value->text);
    if (value->type == 'Z' && to != NULL)
        *(bool *)to = value->truth;
}
