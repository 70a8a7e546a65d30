/* natives/diagnose.c - the answers to diagnose.def, and com.sun.management.internal.DiagnosticCommandImpl, by which programs ask. */
#include "jvm/natives/diagnose.h"

#include <string.h>
#include <time.h>

#include "base/text.h"
#include "jvm/border/exports.h"
#include "jvm/engine/invoke.h"
#include "jvm/heap/jstring.h"
#include "jvm/natives/natives.h"
#include "jvm/record/outside.h"
#include "jvm/threads/thread_dump.h"

/* The arguments of a question are words, KEY or KEY=VALUE. */
typedef struct argument {
    const char *key, *value; /* value NULL: there is none */
    size_t nkey, nvalue;
} argument;

/* The next one from *at on, which goes past it; false: there is none. */
static bool next_argument(const char **at, argument *a)
{
    const char *word = ebb_text_skip_space(*at);
    size_t n = strcspn(word, " \t\n"), nkey = strcspn(word, "= \t\n");
    *a = (argument){ word, nkey < n ? word + nkey + 1 : NULL, nkey, nkey < n ? n - nkey - 1 : 0 };
    *at = word + n;
    return n != 0;
}

static bool is_text(const char *text, size_t n, const char *what) { return strlen(what) == n && strncmp(text, what, n) == 0; }

/* Was this option given?  The last time counts. */
static bool is_on(const char *arguments, const char *option)
{
    argument a;
    bool on = false;
    while (next_argument(&arguments, &a))
        if (is_text(a.key, a.nkey, option))
            on = a.value == NULL || is_text(a.value, a.nvalue, "true");
    return on;
}

/* ---- answers ---- */

static void class_histogram(jvm_thread *t, const char *arguments, ebb_buf *out)
{
    if (!is_on(arguments, "-all"))
        jvm_gc(t);
    jvm_class_histogram(out);
}

static void heap_info(jvm_thread *t, const char *arguments, ebb_buf *out)
{
    jvm_heap_stats stats = jvm_heap_get_stats();
    enum { KIB = 1024 };
    ebb_buf_addf(out, " mark-sweep heap   total %luK, used %luK, at most %luK; %lu collections\n", (unsigned long)(stats.committed / KIB),
                 (unsigned long)(stats.used / KIB), (unsigned long)(stats.max / KIB), (unsigned long)stats.ncollections);
}

static void collect(jvm_thread *t, const char *arguments, ebb_buf *out)
{
    if (jvm.options.explicit_gc_off)
        ebb_buf_adds(out, "Explicit GC is disabled, no GC has been performed.\n");
    else
        jvm_gc(t);
}

static void thread_print(jvm_thread *t, const char *arguments, ebb_buf *out) { jvm_thread_dump(out, is_on(arguments, "-l")); }

static void command_line(jvm_thread *t, const char *arguments, ebb_buf *out)
{
    const char *command = jvm_property_get("sun.java.command"), *path = jvm_property_get("java.class.path");
    ebb_buf_adds(out, "VM Arguments:\njvm_args:");
    for (size_t i = 0; i < jvm.options.vm_args.n; i++)
        if (!jvm_is_launchers_argument(jvm.options.vm_args.items[i]))
            ebb_buf_addf(out, " %s", jvm.options.vm_args.items[i]);
    ebb_buf_addf(out, "\njava_command: %s\njava_class_path (initial): %s\nLauncher Type: SUN_STANDARD\n", command == NULL ? "<unknown>" : command,
                 path == NULL ? "<not set>" : path);
}

static void add_flag(ebb_buf *out, const jvm_flag *f)
{
    switch (f->type) {
    case 'Z': ebb_buf_addf(out, "-XX:%c%s", f->truth ? '+' : '-', f->name); break;
    case 'D': ebb_buf_addf(out, "-XX:%s=%f", f->name, f->real); break;
    case 'L': ebb_buf_addf(out, "-XX:%s=%s", f->name, f->text == NULL ? "" : f->text); break;
    default: ebb_buf_addf(out, "-XX:%s=%lld", f->name, (long long)f->number); break;
    }
}

static void flags(jvm_thread *t, const char *arguments, ebb_buf *out)
{
    bool all = is_on(arguments, "-all");
    for (size_t i = 0; i < jvm_flags_count(); i++) {
        jvm_flag f;
        jvm_flag_get(&jvm.options, i, &f);
        jvm_flag_tell_what_is(&f);
        if (!all && !f.is_given)
            continue;
        add_flag(out, &f);
        ebb_buf_addc(out, all ? '\n' : ' ');
    }
    ebb_buf_addc(out, '\n');
}

bool jvm_diagnose_flag(const char *name, ebb_buf *out)
{
    size_t i;
    jvm_flag f;
    if (!jvm_flag_find(name, &i)) {
        ebb_buf_addf(out, "no such flag '%s'\n", name);
        return false;
    }
    jvm_flag_get(&jvm.options, i, &f);
    jvm_flag_tell_what_is(&f);
    add_flag(out, &f);
    ebb_buf_addc(out, '\n');
    return true;
}

/* Properties, as jdk.internal.vm.VMSupport makes bytes of them. */
static void add_properties(jvm_thread *t, const char *maker, ebb_buf *out)
{
    jvm_class *cls = jvm_load_boot(t, "jdk/internal/vm/VMSupport");
    jvm_method *m = cls == NULL || !jvm_ensure_init(t, cls) ? NULL : jvm_class_find_method_text(cls, maker, "()[B");
    jvm_obj *bytes = m == NULL ? NULL : jvm_call(t, m, NULL).a;
    if (bytes != NULL && !jvm_pending(t))
        ebb_buf_add(out, jvm_array_data(bytes), (size_t)bytes->length);
}

bool jvm_diagnose_agent_properties(jvm_thread *t, ebb_buf *out)
{
    add_properties(t, "serializeAgentPropertiesToByteArray", out);
    return true;
}

static void system_properties(jvm_thread *t, const char *arguments, ebb_buf *out) { add_properties(t, "serializePropertiesToByteArray", out); }

static void uptime(jvm_thread *t, const char *arguments, ebb_buf *out)
{
    if (is_on(arguments, "-date")) {
        time_t now = (time_t)(jvm_now_wall_ns() / 1000000000);
        struct tm parts;
        char text[64];
        strftime(text, sizeof text, "%FT%T%z: ", localtime_r(&now, &parts));
        ebb_buf_adds(out, text);
    }
    ebb_buf_addf(out, "%.3f s\n", (double)jvm_uptime_ms() / 1000);
}

static void version(jvm_thread *t, const char *arguments, ebb_buf *out)
{
    ebb_buf_addf(out, "ebb VM version %s\nJDK 17\n", EBB_VERSION);
}

static void help(jvm_thread *t, const char *arguments, ebb_buf *out);

/* ---- what there is to ask ---- */

typedef struct question {
    const char *name;
    void (*answer)(jvm_thread *t, const char *arguments, ebb_buf *out); /* an exception may be pending afterwards */
    const char *permission[3]; /* class, name, action; NULL: none */
    const char *impact, *description;
} question;

static const question questions[] = {
#define NO_PERMISSION { NULL, NULL, NULL }
#define MONITOR { "java.lang.management.ManagementPermission", "monitor", NULL }
#define READS(property) { "java.util.PropertyPermission", property, "read" }
#define JVM_QUESTION(name, fn, permission, impact, description) { name, fn, permission, impact, description },
#include "jvm/natives/diagnose.def"
};

typedef struct question_option {
    const char *question, *name, *description, *type, *otherwise; /* otherwise NULL: nothing */
    bool is_option;
} question_option;

static const question_option options[] = {
#define JVM_QUESTION_OPTION(question, name, description, type, otherwise, is_option) { question, name, description, type, otherwise, is_option },
#include "jvm/natives/diagnose.def"
};

enum { NQUESTIONS = sizeof questions / sizeof *questions, NOPTIONS = sizeof options / sizeof *options };

static const question *question_named(const char *name, size_t n)
{
    for (size_t i = 0; i < NQUESTIONS; i++)
        if (strlen(questions[i].name) == n && strncmp(questions[i].name, name, n) == 0)
            return &questions[i];
    return NULL;
}

/* The next of its options from the row *at on, which goes past it; NULL: there is none. */
static const question_option *next_option(const question *q, size_t *at)
{
    while (*at < NOPTIONS && strcmp(options[*at].question, q->name) != 0)
        ++*at;
    return *at < NOPTIONS ? &options[(*at)++] : NULL;
}

/* Words or options, with a title. */
static void explain_options(const question *q, bool are_options, const char *title, ebb_buf *out)
{
    size_t at = 0;
    for (const question_option *o; (o = next_option(q, &at)) != NULL;)
        if (o->is_option == are_options) {
            ebb_buf_addf(out, "%s\t%s : [optional] %s (%s, %s)\n", title, o->name, o->description, o->type, o->otherwise == NULL ? "no default value" : o->otherwise);
            title = "";
        }
}

static void explain_permission(const char *const permission[3], ebb_buf *out)
{
    if (permission[0] != NULL)
        ebb_buf_addf(out, "Permission: %s(%s%s%s)\n\n", permission[0], permission[1], permission[2] == NULL ? "" : ", ", permission[2] == NULL ? "" : permission[2]);
}

static void explain(const question *q, ebb_buf *out)
{
    ebb_buf_addf(out, "%s\n%s\n\nImpact: %s\n\n", q->name, q->description, q->impact);
    explain_permission(q->permission, out);
    size_t at = 0;
    const question_option *o = next_option(q, &at);
    ebb_buf_addf(out, o == NULL ? "Syntax: %s\n" : "Syntax : %s [options]", q->name);
    if (o == NULL)
        return;
    for (; o != NULL; o = next_option(q, &at))
        if (!o->is_option)
            ebb_buf_addf(out, " [<%s>]", o->name);
    ebb_buf_adds(out, "\n");
    explain_options(q, false, "\nArguments:\n", out);
    explain_options(q, true, "\nOptions: (options must be specified using the <key> or <key>=<value> syntax)\n", out);
}

static void help(jvm_thread *t, const char *arguments, ebb_buf *out)
{
    const char *name = ebb_text_skip_space(arguments);
    size_t n = strcspn(name, " \t\n");
    const question *q = question_named(name, n);
    if (is_on(arguments, "-all"))
        for (size_t i = 0; i < NQUESTIONS; i++) {
            explain(&questions[i], out);
            ebb_buf_addc(out, '\n');
        }
    else if (q != NULL)
        explain(q, out);
    else if (n != 0)
        ebb_buf_addf(out, "Help unavailable : '%.*s' : No such command\n", (int)n, name);
    else {
        ebb_buf_adds(out, "The following commands are available:\n");
        for (size_t i = 0; i < NQUESTIONS; i++)
            ebb_buf_addf(out, "%s\n", questions[i].name);
        ebb_buf_adds(out, "\nFor more information about a specific command use 'help <command>'.\n");
    }
}

static const question_option *option_named(const question *q, const argument *a)
{
    size_t at = 0;
    for (const question_option *o; (o = next_option(q, &at)) != NULL;)
        if (o->is_option && is_text(a->key, a->nkey, o->name))
            return o;
    return NULL;
}

static bool is_number(const char *text, size_t n) { return n != 0 && strspn(text, "0123456789") >= n; }

/* Can the option have this value?  If not, says so as HotSpot does. */
static bool check_value(const question_option *o, const argument *a, ebb_buf *why)
{
    bool is_flag = strcmp(o->type, "BOOLEAN") == 0;
    if (is_flag ? a->value == NULL || is_text(a->value, a->nvalue, "true") || is_text(a->value, a->nvalue, "false") : is_number(a->value, a->nvalue))
        return true;
    ebb_buf_addf(why, "%s parsing error in command argument '%s'. Could not parse: %.*s.\n", is_flag ? "Boolean" : "Integer", o->name, (int)a->nvalue,
                 a->value == NULL ? "" : a->value);
    return false;
}

static bool check_arguments(const question *q, const char *arguments, ebb_buf *why)
{
    size_t at = 0, words_left = 0;
    const question_option *o = next_option(q, &at);
    bool takes_any = o != NULL;
    for (; o != NULL; o = next_option(q, &at))
        words_left += !o->is_option;
    for (argument a; next_argument(&arguments, &a);) {
        const question_option *given = option_named(q, &a);
        if (given != NULL && check_value(given, &a, why))
            continue;
        if (given != NULL)
            return false;
        if (!takes_any)
            ebb_buf_adds(why, "The argument list of this diagnostic command should be empty.");
        else if (words_left == 0)
            ebb_buf_addf(why, "Unknown argument '%.*s' in diagnostic command.", (int)a.nkey, a.key);
        else {
            words_left--;
            continue;
        }
        return false;
    }
    return true;
}

/* The answer, or why there is none. */
static bool answer(jvm_thread *t, const char *line, ebb_buf *out)
{
    const char *name = ebb_text_skip_space(line);
    size_t n = strcspn(name, " \t\n");
    const question *q = question_named(name, n);
    if (q == NULL)
        ebb_buf_adds(out, "Unknown diagnostic command");
    if (q == NULL || !check_arguments(q, name + n, out))
        return false;
    q->answer(t, name + n, out);
    return true;
}

bool jvm_diagnose(jvm_thread *t, const char *line, ebb_buf *out)
{
    ebb_buf told = { 0 };
    bool answered = answer(t, line, &told);
    ebb_buf_addf(out, answered ? "%s" : "java.lang.IllegalArgumentException: %s\n", ebb_buf_text(&told));
    ebb_buf_fini(&told);
    return answered;
}

/* ---- the bean ---- */

#define INFO_CLASS "com/sun/management/internal/DiagnosticCommandInfo"
#define ARGUMENT_CLASS "com/sun/management/internal/DiagnosticCommandArgumentInfo"
#define TEXT "Ljava/lang/String;"
#define INFO_SIG "(" TEXT TEXT TEXT TEXT TEXT TEXT "ZLjava/util/List;)V"
#define ARGUMENT_SIG "(" TEXT TEXT TEXT TEXT "ZZZI)V"

static jvm_slot names(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    jvm_gc_point(t);
    jvm_obj *array = jvm_new_ref_array(t, jvm.classes.String, NQUESTIONS);
    for (int32_t i = 0; array != NULL && i < NQUESTIONS; i++)
        jvm_elem_put_ref(array, i, jvm_string_new(t, questions[i].name));
    return jvm_ref(array);
}

static jobject local_text(jvm_thread *t, const char *text) { return text == NULL ? NULL : jvm_local(t, jvm_string_new(t, text)); }

static bool add_argument(jvm_thread *t, jobject list, const question_option *o, int32_t position)
{
    jvm_class *cls = jvm_load_boot(t, ARGUMENT_CLASS);
    jvm_method *add = jvm_class_find_method_text(jvm_deref(list)->cls, "add", "(Ljava/lang/Object;)Z");
    jobject name = local_text(t, o->name), description = local_text(t, o->description), type = local_text(t, o->type),
            otherwise = local_text(t, o->otherwise);
    if (cls == NULL || add == NULL || jvm_pending(t))
        return false;
    jobject made = jvm_local(t, jvm_new_instance(t, cls, ARGUMENT_SIG, jvm_deref(name), jvm_deref(description), jvm_deref(type), jvm_deref(otherwise), 0,
                                                 (int)o->is_option, 0, o->is_option ? -1 : (int)position));
    if (!jvm_pending(t))
        jvm_callv(t, add, jvm_deref(list), jvm_deref(made));
    return !jvm_pending(t);
}

static jobject argument_list(jvm_thread *t, const question *q)
{
    jvm_class *cls = jvm_load_boot(t, "java/util/ArrayList");
    jobject list = cls == NULL || !jvm_ensure_init(t, cls) ? NULL : jvm_local(t, jvm_new_instance(t, cls, "()V"));
    size_t at = 0;
    int32_t words = 0;
    for (const question_option *o; list != NULL && !jvm_pending(t) && (o = next_option(q, &at)) != NULL; words += !o->is_option)
        if (!add_argument(t, list, o, words))
            return NULL;
    return jvm_pending(t) ? NULL : list;
}

static jobject new_info(jvm_thread *t, const question *q)
{
    jvm_class *cls = jvm_load_boot(t, INFO_CLASS);
    jobject arguments = cls == NULL ? NULL : argument_list(t, q);
    jobject name = local_text(t, q->name), description = local_text(t, q->description), impact = local_text(t, q->impact);
    jobject permission[3];
    for (int i = 0; i < 3; i++)
        permission[i] = local_text(t, q->permission[i]);
    if (arguments == NULL || jvm_pending(t))
        return NULL;
    return jvm_local(t, jvm_new_instance(t, cls, INFO_SIG, jvm_deref(name), jvm_deref(description), jvm_deref(impact), jvm_deref(permission[0]),
                                         jvm_deref(permission[1]), jvm_deref(permission[2]), 1, jvm_deref(arguments)));
}

static const question *question_of(jvm_obj *name)
{
    char *text = name == NULL ? NULL : jvm_string_utf8(name);
    const question *q = text == NULL ? NULL : question_named(text, strlen(text));
    free(text);
    return q;
}

/* getDiagnosticCommandInfo(String[] names): what is asked there is what getDiagnosticCommands gave. */
static jvm_slot infos(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    size_t mark = jvm_handles_mark(t);
    jvm_class *cls = jvm_check_not_null(t, args[1].a) ? jvm_load_boot(t, INFO_CLASS) : NULL;
    jobject array = cls == NULL ? NULL : jvm_local(t, jvm_new_ref_array(t, cls, args[1].a->length));
    for (int32_t i = 0; array != NULL && i < args[1].a->length && !jvm_pending(t); i++) {
        const question *q = question_of(jvm_elem_ref(args[1].a, i));
        jobject info = q == NULL ? NULL : new_info(t, q);
        if (q == NULL)
            jvm_throw(t, JVM_IAE, "Unknown diagnostic command");
        else if (info != NULL)
            jvm_elem_put_ref(jvm_deref(array), i, jvm_deref(info));
    }
    jvm_obj *result = jvm_pending(t) ? NULL : jvm_deref(array);
    jvm_handles_release(t, mark);
    return jvm_ref(result);
}

/* executeDiagnosticCommand(String line) */
static jvm_slot execute(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    if (!jvm_check_not_null(t, args[1].a))
        return jvm_nothing();
    ebb_buf out = { 0 };
    char *line = jvm_string_utf8(args[1].a);
    bool answered = answer(t, line, &out);
    free(line);
    if (!answered)
        jvm_throw(t, JVM_IAE, "%s", ebb_buf_text(&out));
    jvm_obj *text = jvm_pending(t) ? NULL : jvm_string_new(t, ebb_buf_text(&out));
    ebb_buf_fini(&out);
    return jvm_ref(text);
}

const jvm_inner_native jvm_natives_diagnose[] = {
#define COMMAND(name, fn, kind) { "com/sun/management/internal/DiagnosticCommandImpl", name, NULL, fn, JVM_NATIVE_##kind },
    COMMAND("setNotificationEnabled", jvm_native_nothing, PURE) COMMAND("getDiagnosticCommands", names, PURE)
    COMMAND("getDiagnosticCommandInfo", infos, PURE) COMMAND("executeDiagnosticCommand", execute, WORLD)
    { NULL },
};
