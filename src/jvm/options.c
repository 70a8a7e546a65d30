/* The launcher's options.  HotSpot's many -X and -XX switches that mean nothing here are accepted; what
 * nobody knows is refused, as the launcher expects. */
#include "jvm/jvm.h"

#include "base/file.h"
#include "base/sizes.h"
#include "base/text.h"
#include "jvm/record/outside.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void warn(const char *text)
{
    fprintf(stderr, "ebb VM warning: %s\n", text);
}

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

/* -Xmx64m and its like, each the short form of a flag. */
static bool size_option(jvm_options *o, const char *text, ebb_error *err, ebb_status *status)
{
    static const struct {
        const char *name;
        size_t at;
        const char *what;
        bool may_be_zero;
    } rows[] = {{"-Xmx", offsetof(jvm_options, heap_max), "maximum heap", false},
                {"-Xms", offsetof(jvm_options, heap_initial), "initial heap", true},
                {"-Xss", offsetof(jvm_options, stack_size), "thread stack", true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!ebb_text_starts(text, rows[i].name))
            continue;
        uint64_t value;
        if (!ebb_text_to_size(text + strlen(rows[i].name), &value) || (value == 0 && !rows[i].may_be_zero))
            *status = ebb_fail(err, EBB_BAD_INPUT, "Invalid %s size: %s", rows[i].what, text);
        else
            *(uint64_t *)((char *)o + rows[i].at) = value;
        return true;
    }
    return false;
}

static bool verify_option(jvm_options *o, const char *text)
{
    bool none = strcmp(text, "-Xverify:none") == 0 || strcmp(text, "-noverify") == 0, all = strcmp(text, "-Xverify:all") == 0;
    if (!none && !all && strcmp(text, "-Xverify") != 0 && strcmp(text, "-Xverify:remote") != 0)
        return false;
    if (none)
        warn("Options -Xverify:none and -noverify were deprecated in JDK 13 and will likely be removed in a future release.");
    o->verify_local = all;
    o->verify_remote = !none;
    return true;
}

static bool switch_option(jvm_options *o, const char *text)
{
    static const struct {
        const char *name;
        size_t at;
    } rows[] = {{"-verbose", offsetof(jvm_options, verbose_class)}, {"-verbose:class", offsetof(jvm_options, verbose_class)},
                {"-verbose:gc", offsetof(jvm_options, verbose_gc)}, {"-verbose:jni", offsetof(jvm_options, verbose_jni)},
                {"-Xcheck:jni", offsetof(jvm_options, check_jni)}, {"-Xrs", offsetof(jvm_options, reduced_signals)}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(text, rows[i].name) == 0) {
            *(bool *)((char *)o + rows[i].at) = true;
            return true;
        }
    return false;
}

static bool has_prefix(const char *text, const char *const *prefixes)
{
    for (; *prefixes != NULL; prefixes++)
        if (ebb_text_starts(text, *prefixes))
            return true;
    return false;
}

/* Switches of HotSpot that have no meaning here. */
static bool is_ignored(const char *text)
{
    static const char *const prefixes[] = {"-Xint", "-Xcomp", "-Xmixed", "-Xbatch", "-Xshare", "-Xlog", "-Xmn", "-Xloggc",
                                           "-Xnoclassgc", "-Xinternalversion", "-Xfuture", "-Xdiag", "-server", "-client", "-Xdebug",
                                           "-XshowSettings", "-verbose:", "-Xmaxjitcodesize", "-Xcodecache", "-green", "-native", NULL};
    if (strcmp(text, "-Xprof") == 0)
        warn("Ignoring option -Xprof; support was removed in 10.0");
    return strcmp(text, "-Xprof") == 0 || has_prefix(text, prefixes);
}

/* What people are used to, and what there is instead. */
static ebb_status check_refused(const char *text, ebb_error *err)
{
    static const char *const agents[] = {"-javaagent", "-agentlib", "-agentpath", "-Xrun", NULL};
    if (has_prefix(text, agents))
        return ebb_fail(err, EBB_BAD_INPUT, "%s: agents (JVMTI) are not supported by the ebb VM; leave the option out", text);
    if (ebb_text_starts(text, "-Xbootclasspath/p:") || ebb_text_starts(text, "-Xbootclasspath:"))
        return ebb_fail(err, EBB_UNSUPPORTED, "%.*s is no longer a supported option.", (int)strcspn(text, ":"), text);
    if (ebb_text_starts(text, "-Djava.ext.dirs=") && text[strlen("-Djava.ext.dirs=")] != '\0') /* none at all are fine */
        return ebb_fail(err, EBB_UNSUPPORTED, "%s is not supported.  Use -classpath instead.", text);
    if (ebb_text_starts(text, "-Djava.endorsed.dirs=") && text[strlen("-Djava.endorsed.dirs=")] != '\0')
        return ebb_fail(err, EBB_UNSUPPORTED,
                        "%s is not supported. Endorsed standards and standalone APIs\nin modular form will be supported via the concept of "
                        "upgradeable modules.",
                        text);
    return EBB_OK;
}

/* What the class library would find out too late: it can't be patched before it runs. */
static ebb_status check_patch(const jvm_options *o, const char *text, ebb_error *err)
{
    static const char option[] = "--patch-module=", base[] = "java.base=";
    if (!ebb_text_starts(text, option))
        return EBB_OK;
    const char *what = text + strlen(option);
    if (strchr(what, '=') == NULL)
        return ebb_fail(err, EBB_UNSUPPORTED, "Missing '=' in --patch-module specification");
    for (int n = 0; ebb_text_starts(what, base); n++) {
        char key[64];
        snprintf(key, sizeof key, "jdk.module.patch.%d", n);
        const char *before = own_property(o, key);
        if (before == NULL)
            break;
        if (ebb_text_starts(before, base))
            return ebb_fail(err, EBB_UNAVAILABLE, "Cannot specify java.base more than once to --patch-module");
    }
    return EBB_OK;
}

/* Several of them are one path. */
static void append_boot(jvm_options *o, const char *path)
{
    char *longer = o->boot_append == NULL ? ebb_strdup(path) : ebb_asprintf("%s:%s", o->boot_append, path);
    free(o->boot_append);
    o->boot_append = longer;
}

static ebb_status read_one(jvm_options *o, const JavaVMOption *option, bool lenient, ebb_error *err)
{
    const char *text = option->optionString;
    ebb_status status = check_refused(text, err);
    if (status == EBB_OK)
        status = check_patch(o, text, err);
    if (status != EBB_OK)
        return status;
    if (ebb_text_starts(text, "-D"))
        define_property(o, text + 2);
    else if (ebb_text_starts(text, "-Xbootclasspath/a:"))
        append_boot(o, text + strlen("-Xbootclasspath/a:"));
    else if (strcmp(text, "vfprintf") == 0)
        o->vfprintf_hook = (jint(*)(FILE *, const char *, va_list))option->extraInfo;
    else if (strcmp(text, "exit") == 0)
        o->exit_hook = (void (*)(jint))option->extraInfo;
    else if (strcmp(text, "abort") == 0)
        o->abort_hook = (void (*)(void))option->extraInfo;
    else if (size_option(o, text, err, &status) || module_option(o, text) || assertion_option(o, text) || verify_option(o, text) ||
             switch_option(o, text))
        return status;
    else if (ebb_text_starts(text, "-XX:"))
        return jvm_options_flag(o, text + 4, lenient, err);
    else if (!is_ignored(text) && !lenient)
        return ebb_fail(err, EBB_BAD_INPUT, "Unrecognized option: %s", text);
    return EBB_OK;
}

/* ---- gathering the words (OP2) ---- */

typedef EBB_VEC(JavaVMOption) option_list;

/* Words separated by blanks; quotes of either kind keep blanks together. */
static void add_words(option_list *list, const char *text)
{
    while (*(text = ebb_text_skip_space(text)) != '\0') {
        ebb_buf word = {0};
        for (char quote = '\0'; *text != '\0' && (quote != '\0' || !isspace((unsigned char)*text)); text++) {
            if (quote == '\0' ? *text == '"' || *text == '\'' : *text == quote)
                quote = quote == '\0' ? *text : '\0';
            else
                ebb_buf_addc(&word, *text);
        }
        ebb_vec_push(list, ((JavaVMOption){ebb_buf_take(&word), NULL}));
    }
}

static void add_environment(option_list *list, const char *variable)
{
    const char *text = getenv(variable);
    if (text == NULL)
        return;
    fprintf(stderr, "Picked up %s: %s\n", variable, text);
    add_words(list, text);
}

static ebb_status add_file(option_list *list, const char *path, ebb_error *err)
{
    ebb_buf text = {0};
    if (ebb_file_read(path, &text, NULL) != EBB_OK)
        return ebb_fail(err, EBB_BAD_INPUT, "Could not open options file '%s'", path);
    char *words = ebb_buf_take(&text);
    add_words(list, words);
    free(words);
    return EBB_OK;
}

static ebb_status gather(option_list *list, const JavaVMInitArgs *args, ebb_error *err)
{
    static const char file[] = "-XX:VMOptionsFile=";
    ebb_status status = EBB_OK;
    if (jvm_is_replaying()) {
        for (size_t i = 0; i < jvm_recipe_now.options.n; i++)
            ebb_vec_push(list, ((JavaVMOption){ebb_strdup(jvm_recipe_now.options.items[i]), NULL}));
        return EBB_OK;
    }
    add_environment(list, "JAVA_TOOL_OPTIONS");
    for (jint i = 0; i < args->nOptions && status == EBB_OK; i++) {
        const JavaVMOption *option = &args->options[i];
        if (ebb_text_starts(option->optionString, file))
            status = add_file(list, option->optionString + strlen(file), err);
        else
            ebb_vec_push(list, ((JavaVMOption){ebb_strdup(option->optionString), option->extraInfo}));
    }
    add_environment(list, "_JAVA_OPTIONS");
    return status;
}

/* ---- what follows from them ---- */

enum { MIN_HEAP = 2 << 20, MIN_STACK_KIB = 136, DEFAULT_STACK = 2 << 20, MIN_JAVA_STACK = 256 * 1024 };

static void set_defaults(jvm_options *o)
{
    o->ram = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    if (jvm_is_replaying())
        o->ram = jvm_recipe_now.memory;
    o->ram_percent = 25;
    o->processors = -1;
    o->verify_remote = o->npe_help = o->traces = true;
    o->trace_depth = 1024;
    o->quantum = JVM_QUANTUM;
}

static ebb_status settle_stack(jvm_options *o, ebb_error *err)
{
    if (o->stack_kib > 0)
        o->stack_size = (uint64_t)o->stack_kib << 10;
    if (o->stack_size != 0 && o->stack_size < (uint64_t)MIN_STACK_KIB << 10)
        return ebb_fail(err, EBB_UNSUPPORTED, "\nThe Java thread stack size specified is too small. Specify at least %dk", MIN_STACK_KIB);
    if (o->stack_size == 0)
        o->stack_size = DEFAULT_STACK;
    if (o->stack_size < MIN_JAVA_STACK)
        o->stack_size = MIN_JAVA_STACK;
    o->stack_size = (o->stack_size + 4095) & ~(uint64_t)4095;
    return EBB_OK;
}

static ebb_status settle_heap(jvm_options *o, ebb_error *err)
{
    if (o->heap_max != 0 && o->heap_max < MIN_HEAP)
        return ebb_fail(err, EBB_UNAVAILABLE, "Too small maximum heap");
    if (o->heap_max != 0 && o->heap_initial > o->heap_max)
        return ebb_fail(err, EBB_UNAVAILABLE, "Initial heap size set to a larger value than the maximum heap size");
    if (o->heap_max == 0)
        o->heap_max = (uint64_t)((double)o->ram * o->ram_percent / 100);
    if (o->heap_max < o->heap_initial)
        o->heap_max = o->heap_initial;
    if (o->heap_max < MIN_HEAP)
        o->heap_max = MIN_HEAP;
    return EBB_OK;
}

static void settle_direct(jvm_options *o)
{
    char value[24];
    snprintf(value, sizeof value, "%llu", (unsigned long long)o->direct_max);
    if (o->direct_max != 0)
        add_property(o, "sun.nio.MaxDirectMemorySize", strlen("sun.nio.MaxDirectMemorySize"), value);
}

ebb_status jvm_options_read(jvm_options *o, const JavaVMInitArgs *args, ebb_error *err)
{
    option_list list = {0};
    set_defaults(o);
    ebb_status status = gather(&list, args, err);
    jvm_record_options(list.items, list.n, args->ignoreUnrecognized);
    bool lenient = jvm_is_replaying() ? jvm_recipe_now.ignore_unrecognized : args->ignoreUnrecognized;
    for (size_t i = 0; i < list.n; i++)
        lenient = lenient || strcmp(list.items[i].optionString, "-XX:+IgnoreUnrecognizedVMOptions") == 0;
    for (size_t i = 0; i < list.n; i++) {
        if (status == EBB_OK)
            status = read_one(o, &list.items[i], lenient, err);
        ebb_vec_push(&o->vm_args, list.items[i].optionString);
    }
    ebb_vec_fini(&list);
    if (status == EBB_OK)
        status = settle_stack(o, err);
    if (status == EBB_OK)
        status = settle_heap(o, err);
    settle_direct(o);
    return status;
}
