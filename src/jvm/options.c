/* The launcher's options.  HotSpot's many -X and -XX switches that mean nothing here are accepted; what
 * nobody knows is refused, as the launcher expects. */
#include "jvm/vm.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void add_property(jvm_options *o, const char *key, size_t nkey, const char *value)
{
    jvm_property p = {ebb_strndup(key, nkey), ebb_strdup(value)};
    for (size_t i = 0; i < o->properties.n; i++)
        if (strcmp(o->properties.items[i].key, p.key) == 0) {
            free(o->properties.items[i].key);
            free(o->properties.items[i].value);
            o->properties.items[i] = p;
            return;
        }
    ebb_vec_push(&o->properties, p);
}

static const char *own_property(const jvm_options *o, const char *key)
{
    for (size_t i = 0; i < o->properties.n; i++)
        if (strcmp(o->properties.items[i].key, key) == 0)
            return o->properties.items[i].value;
    return NULL;
}

const char *jvm_property_get(const char *key)
{
    return own_property(&jvm.options, key);
}

/* Properties that only the module options may set. */
static bool is_reserved(const char *key)
{
    static const char *const names[] = {"jdk.module.addmods", "jdk.module.addreads", "jdk.module.addexports", "jdk.module.addopens",
                                        "jdk.module.patch", "jdk.module.limitmods", "jdk.module.path", "jdk.module.upgrade.path",
                                        "jdk.module.enable.native.access"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ebb_text_starts(key, names[i]))
            return true;
    return false;
}

static void define_property(jvm_options *o, const char *text)
{
    const char *eq = strchrnul(text, '=');
    if (!is_reserved(text))
        add_property(o, text, (size_t)(eq - text), *eq ? eq + 1 : "");
}

/* --add-opens=x becomes jdk.module.addopens.N=x. */
static bool module_option(jvm_options *o, const char *text)
{
    static const struct {
        const char *option, *property;
        bool numbered;
    } rows[] = {
        {"--add-reads=", "jdk.module.addreads", true},     {"--add-exports=", "jdk.module.addexports", true},
        {"--add-opens=", "jdk.module.addopens", true},     {"--add-modules=", "jdk.module.addmods", true},
        {"--patch-module=", "jdk.module.patch", true},     {"--limit-modules=", "jdk.module.limitmods", false},
        {"--module-path=", "jdk.module.path", false},      {"--upgrade-module-path=", "jdk.module.upgrade.path", false},
        {"--enable-native-access=", "jdk.module.enable.native.access", true},
        {"--illegal-access=", "jdk.module.illegalAccess", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!ebb_text_starts(text, rows[i].option))
            continue;
        char key[128];
        int n = 0;
        do
            snprintf(key, sizeof key, rows[i].numbered ? "%s.%d" : "%s", rows[i].property, n++);
        while (rows[i].numbered && own_property(o, key) != NULL);
        add_property(o, key, strlen(key), text + strlen(rows[i].option));
        return true;
    }
    return false;
}

static void add_rule(jvm_options *o, char sign, const char *what)
{
    ebb_vec_push(&o->assertion_rules, ebb_asprintf("%c%s", sign, what));
}

static bool assertion_option(jvm_options *o, const char *text)
{
    static const struct {
        const char *name;
        char sign;
        bool system;
    } rows[] = {{"-enablesystemassertions", '+', true}, {"-disablesystemassertions", '-', true}, {"-esa", '+', true},
                {"-dsa", '-', true}, {"-enableassertions", '+', false}, {"-disableassertions", '-', false}, {"-ea", '+', false},
                {"-da", '-', false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t n = strlen(rows[i].name);
        if (!ebb_text_starts(text, rows[i].name) || (text[n] != '\0' && text[n] != ':'))
            continue;
        if (rows[i].system)
            o->system_assertions = rows[i].sign == '+';
        else if (text[n] == '\0')
            o->assertions = rows[i].sign == '+';
        else
            add_rule(o, rows[i].sign, text + n + 1);
        return true;
    }
    return false;
}

static bool size_option(jvm_options *o, const char *text, ebb_error *err, ebb_status *status)
{
    static const struct {
        const char *name;
        size_t at;
        const char *what;
    } rows[] = {{"-Xmx", offsetof(jvm_options, heap_max), "maximum heap"},
                {"-XX:MaxHeapSize=", offsetof(jvm_options, heap_max), "maximum heap"},
                {"-Xms", offsetof(jvm_options, heap_initial), "initial heap"},
                {"-XX:InitialHeapSize=", offsetof(jvm_options, heap_initial), "initial heap"},
                {"-Xss", offsetof(jvm_options, stack_size), "thread stack"},
                {"-XX:MaxMetaspaceSize=", offsetof(jvm_options, meta_max), "metaspace"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!ebb_text_starts(text, rows[i].name))
            continue;
        uint64_t value;
        if (!ebb_text_to_size(text + strlen(rows[i].name), &value) || value == 0)
            *status = ebb_fail(err, EBB_BAD_INPUT, "Invalid %s size: %s", rows[i].what, text);
        else
            *(uint64_t *)((char *)o + rows[i].at) = value;
        return true;
    }
    return false;
}

static bool flag_option(jvm_options *o, const char *text)
{
    static const struct {
        const char *name;
        size_t at;
    } rows[] = {{"-verbose", offsetof(jvm_options, verbose_class)}, {"-verbose:class", offsetof(jvm_options, verbose_class)},
                {"-verbose:gc", offsetof(jvm_options, verbose_gc)}, {"-verbose:jni", offsetof(jvm_options, verbose_jni)},
                {"-Xcheck:jni", offsetof(jvm_options, check_jni)}, {"-Xverify:all", offsetof(jvm_options, verify_all)},
                {"-Xverify:none", offsetof(jvm_options, verify_none)}, {"-noverify", offsetof(jvm_options, verify_none)},
                {"-XX:-BytecodeVerificationRemote", offsetof(jvm_options, verify_none)}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(text, rows[i].name) == 0) {
            *(bool *)((char *)o + rows[i].at) = true;
            return true;
        }
    return false;
}

/* Switches of HotSpot that have no meaning here. */
static bool is_ignored(const char *text)
{
    static const char *const prefixes[] = {"-Xint", "-Xcomp", "-Xmixed", "-Xbatch", "-Xshare", "-Xrs", "-Xlog", "-Xmn", "-Xloggc",
                                           "-Xnoclassgc", "-Xinternalversion", "-Xverify:remote", "-Xfuture", "-Xdiag", "-server", "-client",
                                           "-Xdebug", "-XshowSettings", "-Xprof", "-verbose:", "-Xincgc", "-Xconcgc", "-Xbootclasspath/p", "-green", "-native"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (ebb_text_starts(text, prefixes[i]))
            return true;
    return false;
}

/* -XX:+Name, -XX:-Name, -XX:Name=value */
static ebb_status check_flag(const char *text, ebb_error *err)
{
    static const char *const names[] = {
#define JVM_FLAG(name) #name,
#include "jvm/hotspot_flags.def"
    };
    const char *name = text + (*text == '+' || *text == '-');
    size_t n = strcspn(name, "=");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == n && memcmp(names[i], name, n) == 0)
            return EBB_OK;
    return ebb_fail(err, EBB_BAD_INPUT, "Unrecognized VM option '%s'", name);
}

static ebb_status read_one(jvm_options *o, const JavaVMOption *option, bool ignore_unknown, ebb_error *err)
{
    const char *text = option->optionString;
    ebb_status status = EBB_OK;
    if (ebb_text_starts(text, "-D"))
        define_property(o, text + 2);
    else if (ebb_text_starts(text, "-Xbootclasspath/a:"))
        o->boot_append = ebb_strdup(text + strlen("-Xbootclasspath/a:"));
    else if (strcmp(text, "vfprintf") == 0)
        o->vfprintf_hook = (jint(*)(FILE *, const char *, va_list))option->extraInfo;
    else if (strcmp(text, "exit") == 0)
        o->exit_hook = (void (*)(jint))option->extraInfo;
    else if (strcmp(text, "abort") == 0)
        o->abort_hook = (void (*)(void))option->extraInfo;
    else if (size_option(o, text, err, &status) || module_option(o, text) || assertion_option(o, text) || flag_option(o, text))
        return status;
    else if (ebb_text_starts(text, "-XX:"))
        return ignore_unknown ? EBB_OK : check_flag(text + 4, err);
    else if (!is_ignored(text) && !ignore_unknown)
        return ebb_fail(err, EBB_BAD_INPUT, "Unrecognized option: %s", text);
    return EBB_OK;
}

static void set_defaults(jvm_options *o)
{
    uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    o->heap_max = memory / 4;
    o->stack_size = 2 << 20;
    o->quantum = 20000;
}

/* JAVA_TOOL_OPTIONS: separated by blanks. */
static ebb_status read_environment(jvm_options *o, ebb_error *err)
{
    const char *text = getenv("JAVA_TOOL_OPTIONS");
    if (text == NULL)
        return EBB_OK;
    fprintf(stderr, "Picked up JAVA_TOOL_OPTIONS: %s\n", text);
    char *copy = ebb_strdup(text), *save = NULL;
    ebb_status status = EBB_OK;
    for (char *word = strtok_r(copy, " \t\n", &save); word != NULL && status == EBB_OK; word = strtok_r(NULL, " \t\n", &save)) {
        JavaVMOption option = {word, NULL};
        status = read_one(o, &option, false, err);
    }
    free(copy);
    return status;
}

ebb_status jvm_options_read(jvm_options *o, const JavaVMInitArgs *args, ebb_error *err)
{
    set_defaults(o);
    ebb_status status = read_environment(o, err);
    bool lenient = args->ignoreUnrecognized;
    for (jint i = 0; i < args->nOptions; i++)
        lenient = lenient || strcmp(args->options[i].optionString, "-XX:+IgnoreUnrecognizedVMOptions") == 0;
    for (jint i = 0; i < args->nOptions && status == EBB_OK; i++) {
        status = read_one(o, &args->options[i], lenient, err);
        ebb_vec_push(&o->vm_args, ebb_strdup(args->options[i].optionString));
    }
    if (status == EBB_OK && o->heap_max < 2 << 20)
        status = ebb_fail(err, EBB_BAD_INPUT, "Too small maximum heap");
    o->stack_size = (o->stack_size + 4095) & ~(uint64_t)4095;
    if (o->stack_size < 256 * 1024)
        o->stack_size = 256 * 1024;
    return status;
}
