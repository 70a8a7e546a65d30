/* launch.c - beginning a Java program: the launcher's arguments, the machine, the stop at main. */
#include "jvm/remote/explore.h"
#include "session/archives.h"
#include "session/counted.h"
#include "session/java/java.h"
#include "session/java/libjvm.h"
#include "session/java/requests.h"
#include "session/java/scripts.h"
#include "session/launch.h"
#include "session/move.h"
#include "session/points.h"
#include "session/shell_words.h"
#include "session/verbs.h"
#include "x86/native.h"

#include <string.h>
#include <unistd.h>

/* ---- what the launcher's arguments tell ----------------------------------------------------- */

/* Options of the launcher whose value is the next word. */
static bool takes_value(const char *option)
{
    static const char *const options[] = {
        "-cp",        "-classpath",    "--class-path", "-p",         "--module-path", "--upgrade-module-path",
        "--add-modules", "--add-exports", "--add-opens", "--add-reads", "--patch-module", "--limit-modules",
        "--source",   "-d",            "--describe-module",
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (strcmp(option, options[i]) == 0)
            return true;
    return false;
}

/* A directory of the class path, or the one that a jar of it lies in. */
static void add_root(ses_java *java, const char *entry, size_t n)
{
    char *root = ebb_strndup(entry, n);
    size_t length = strlen(root);
    bool is_jar = length > 4 && strcmp(root + length - 4, ".jar") == 0;
    bool is_wildcard = length > 0 && root[length - 1] == '*';
    if (is_jar) {
        ebb_vec_push(&java->jars, ebb_strdup(root));
        ebb_vec_push(&java->source_jars, ebb_asprintf("%.*s-sources.jar", (int)(length - 4), root));
    }
    if (is_jar || is_wildcard) {
        char *slash = strrchr(root, '/');
        if (slash)
            *slash = '\0';
        else
            strcpy(root, ".");
    }
    ebb_vec_push(&java->roots, *root ? root : ebb_strdup("."));
    if (!*root)
        free(root);
}

static void add_roots(ses_java *java, const char *path)
{
    for (const char *at = path; *at;) {
        size_t n = strcspn(at, ":");
        add_root(java, at, n);
        at += n + (at[n] == ':');
    }
}

/* directory: NULL: this one. */
static void set_class_path(ses_java *java, const char *path, const char *directory)
{
    free(java->class_path);
    free(java->directory);
    java->class_path = ebb_strdup(path && *path ? path : ".");
    java->directory = directory ? ebb_strdup(directory) : getcwd(NULL, 0);
}

const char *ses_java_class_path(const session *s, const char **directory)
{
    const ses_java *java = s->java; /* NULL: no program was named yet */
    *directory = java && java->directory ? java->directory : "";
    return java && java->class_path ? java->class_path : ".";
}

static void set_main_class(ses_java *java, const char *name)
{
    free(java->main_class);
    java->main_class = name ? ebb_strdup(name) : NULL;
    free(java->main_source);
    java->main_source = NULL;
}

/* The first word that is no option: a class, or a source file to be compiled in memory. */
static void note_main(ses_java *java, const char *word)
{
    size_t n = strlen(word);
    if (n > 5 && strcmp(word + n - 5, ".java") == 0) {
        add_root(java, word, (size_t)(ebb_path_base(word) - word));
        set_main_class(java, NULL);
        java->main_source = ebb_strdup(word);
    } else {
        set_main_class(java, word);
        for (char *at = java->main_class; *at; at++)
            *at = *at == '/' ? '.' : *at;
    }
}

/* "Main-Class: com.acme.Main" of a jar's manifest, in which a line goes on after one space. */
static void read_manifest(session *s, const char *jar)
{
    static const char name[] = "Main-Class:";
    size_t n;
    char *entry = ebb_asprintf("%s!/META-INF/MANIFEST.MF", jar), *text = ses_archive_read(s, entry, &n);
    ebb_buf value = {0};
    for (const char *at = text; at && *at; at += strcspn(at, "\n"), at += *at == '\n') {
        size_t length = strcspn(at, "\r\n");
        bool begins = strncmp(at, name, sizeof name - 1) == 0, goes_on = value.n && *at == ' ';
        const char *from = begins ? ebb_text_skip_space(at + sizeof name - 1) : at + 1;
        if (begins || goes_on)
            ebb_buf_add(&value, from, (size_t)(at + length - from));
        else if (value.n)
            break;
    }
    if (value.n)
        note_main(s->java, ebb_text_rtrim((char *)ebb_buf_text(&value)));
    ebb_buf_fini(&value);
    free(text);
    free(entry);
}

static void read_args(session *s, char *const *args)
{
    ses_java *java = s->java;
    ses_strings_clear(&java->roots);
    ses_strings_clear(&java->jars);
    ses_strings_clear(&java->source_jars);
    set_main_class(java, NULL);
    const char *class_path = getenv("CLASSPATH");
    for (args += *args != NULL; *args; args++) {
        const char *word = *args;
        bool is_class_path = strcmp(word, "-cp") == 0 || strcmp(word, "-classpath") == 0 || strcmp(word, "--class-path") == 0;
        if (is_class_path && args[1])
            class_path = args[1];
        else if (ebb_text_starts(word, "--class-path="))
            class_path = word + strlen("--class-path=");
        if (strcmp(word, "-jar") == 0) {
            class_path = args[1] ? args[1] : ".";
            read_manifest(s, class_path);
            break;
        }
        bool is_module = strcmp(word, "-m") == 0 || strcmp(word, "--module") == 0;
        if (is_module) {
            const char *slash = args[1] ? strchr(args[1], '/') : NULL;
            set_main_class(java, slash ? slash + 1 : NULL);
            break;
        }
        if (word[0] == '@')
            continue;
        if (word[0] != '-') {
            note_main(java, word);
            break;
        }
        if (takes_value(word) && args[1])
            args++;
    }
    set_class_path(java, class_path, NULL);
    add_roots(java, java->class_path);
    ebb_vec_push(&java->roots, ebb_strdup("."));
}

/* Those of the session, which may have changed since the program was opened. */
static void read_own_args(session *s)
{
    ses_strings words = {0};
    for (size_t i = 0; i < s->args.n; i++)
        ebb_vec_push(&words, s->args.items[i]);
    ebb_vec_push(&words, NULL);
    read_args(s, words.items);
    ebb_vec_fini(&words);
}

/* ---- lifetime ------------------------------------------------------------------------------- */

ses_java *ses_java_new(session *s)
{
    ses_java *java = EBB_NEW(ses_java);
    s->java = java;
    ses_java_types_forget(java);
    ses_java_apart_forget(java);
    ses_java_world_init(s);
    return java;
}

void ses_java_free(ses_java *java)
{
    if (!java)
        return;
    ses_strings_clear(&java->roots);
    ses_strings_clear(&java->jars);
    ses_strings_clear(&java->source_jars);
    free(java->class_path);
    free(java->directory);
    free(java->main_class);
    free(java->main_source);
    ses_java_far_free(java);
    ses_java_requests_free(java);
    ebb_map_free(java->types_by_class);
    ebb_map_free(java->types_by_descriptor);
    ebb_arena_fini(&java->arena);
    free(java->flow_told);
    free(java);
}

/* A launcher, or a script that begins one sooner or later. */
static ebb_status find_beginner(const char *program, bool is_script, char **path, ebb_error *err)
{
    if (!is_script)
        return x86_native_check(program, path, err);
    *path = ses_program_file(program);
    return EBB_OK;
}

ebb_status ses_java_open_program(session *s, char *const *args, char **path, ebb_error *err)
{
    bool is_script = ses_is_script(args[0]);
    EBB_TRY(find_beginner(args[0], is_script, path, err));
    if (!s->java)
        ses_java_new(s);
    ses_java_far_free(s->java);
    s->java->is_script = is_script;
    read_args(s, args);
    return EBB_OK;
}

/* The launcher of the JDK that was recorded, or the one that is found here. */
static char *recorded_launcher(const ebb_about *about)
{
    const char *home = ebb_about_fact(about, "home");
    char *there = ebb_asprintf("%s/bin/java", home ? home : "");
    if (home && access(there, X_OK) == 0)
        return there;
    free(there);
    return ebb_strdup("java");
}

/* What the launcher told its machine as that property; NULL: nothing. */
static const char *recorded_property(const ebb_about *about, const char *name)
{
    static const char option[] = "option=-D";
    size_t n = strlen(name);
    for (size_t i = 0; i < about->facts.n; i++) {
        const char *fact = about->facts.items[i];
        const char *word = ebb_text_starts(fact, option) ? fact + strlen(option) : "";
        if (strncmp(word, name, n) == 0 && word[n] == '=')
            return word + n + 1;
    }
    return NULL;
}

/* "Main arguments", "module/Main arguments", "app.jar arguments"; of a source file the JDK's compiler is the main class, and the file its argument. */
static void read_recorded_main(session *s, const ebb_about *about)
{
    static const char launcher[] = "com.sun.tools.javac.launcher.Main";
    const char *command = recorded_property(about, "sun.java.command");
    ses_strings words = {0};
    if (command && ses_words_split(command, &words, NULL) == EBB_OK && words.n > 0) {
        const char *word = words.items[0], *slash = strrchr(word, '/');
        size_t n = strlen(word);
        bool is_jar = n > 4 && strcmp(word + n - 4, ".jar") == 0, is_source = strstr(word, launcher) && words.n > 1;
        char *path = ebb_asprintf("%s%s%s", *words.items[is_source] == '/' ? "" : about->directory, *words.items[is_source] == '/' ? "" : "/", words.items[is_source]);
        if (is_jar)
            read_manifest(s, path);
        else
            note_main(s->java, is_source ? path : slash ? slash + 1 : word);
        free(path);
    }
    ses_strings_clear(&words);
}

/* Where the sources may be: beside what the recorded program's class path named, seen from its folder. */
static void read_recorded_path(ses_java *java, const ebb_about *about)
{
    const char *path = recorded_property(about, "java.class.path");
    ebb_buf whole = {0};
    for (const char *at = path ? path : ""; *at;) {
        size_t n = strcspn(at, ":");
        ebb_buf_addf(&whole, "%s%s%s%.*s", whole.n ? ":" : "", *at == '/' ? "" : about->directory, *at == '/' ? "" : "/", (int)n, at);
        at += n + (at[n] == ':');
    }
    add_roots(java, ebb_buf_text(&whole));
    set_class_path(java, path, about->directory);
    ebb_buf_fini(&whole);
}

ebb_status ses_java_open_recording(session *s, const ebb_about *about, char **path, ebb_error *err)
{
    char *program = recorded_launcher(about);
    char *const nothing[] = {program, "-version", NULL};
    ebb_status status = ses_java_open_program(s, nothing, path, err);
    if (status == EBB_OK) {
        read_recorded_path(s->java, about);
        read_recorded_main(s, about);
    }
    free(program);
    return status;
}

void ses_java_ended(session *s)
{
    s->java->is_calling = false;
    s->java->run++;
    ses_java_types_forget(s->java);
    ses_java_apart_forget(s->java);
}

/* ---- beginning ------------------------------------------------------------------------------ */

/* Its counters compare, so that a stop can be set later (weave/runtime/ebb/Timestamp.java). */
#define STOPS_NEVER "-Debb.stop=9223372036854775807"

bool ses_java_is_stock(session *s)
{
    return !s->replay && !s->java->far && ses_setting_is(s, "jvm", "stock");
}

/* STRATEGY[:SEED] */
static ebb_status check_scheduling(session *s, ebb_error *err)
{
    const char *text = ses_setting_text(s, "scheduling");
    size_t n = strcspn(text, ":");
    uint64_t seed;
    bool known = !*text;
    for (uint32_t i = 0; i < JVM_NSTRATEGIES; i++)
        known |= i != JVM_STRATEGY_BOUNDED && strlen(jvm_strategy_word(i)) == n && memcmp(jvm_strategy_word(i), text, n) == 0;
    if (known && text[n] == ':')
        known = ebb_text_to_u64(text + n + 1, &seed);
    return known ? EBB_OK : ebb_fail(err, EBB_BAD_INPUT, "scheduling is random, pct, pos, surw or keep, and a seed if there is one to say, as in pct:7, not \"%.40s\".", text);
}

ebb_status ses_java_command_init(session *s, ses_java_command *command, ebb_error *err)
{
    bool is_stock = ses_java_is_stock(s);
    *command = (ses_java_command){0};
    bool is_script = s->java->is_script && !s->replay;
    if (is_script && is_stock)
        return ebb_fail(err, EBB_UNSUPPORTED, "A script's Java program is debugged on ebb's own machine: `set jvm ebb`.");
    EBB_TRY(check_scheduling(s, err));
    EBB_TRY(is_stock ? ses_java_weave_option(&command->option, err) : ses_java_option(&command->option, err));
    ebb_vec_push(&command->args, s->program);
    if (!is_script)
        ebb_vec_push(&command->args, command->option);
    if (is_stock)
        ebb_vec_push(&command->args, (char *)STOPS_NEVER);
    for (size_t i = 1; i < s->args.n && !s->replay && !s->shell_args; i++) /* a recording has them itself */
        ebb_vec_push(&command->args, s->args.items[i]);
    if (s->replay)
        ebb_vec_push(&command->args, "Replay");
    ebb_vec_push(&command->args, NULL);
    ses_launch_environment(s, &command->environment);
    const char *directory = ses_setting_text(s, "cwd");
    command->how = (jvm_remote_launch){
        .args = command->args.items,
        .shell_words = s->replay ? NULL : s->shell_args,
        .environment = command->environment.items,
        .directory = *directory ? directory : NULL,
        .is_stock = is_stock,
        .records = !s->never_records && !s->replay && !is_stock,
        .verifies = s->verifies,
        .recording = s->recording,
        .replay = s->replay,
        .script_option = is_script ? command->option : NULL,
        .follows = ses_setting_text(s, "follow-java"),
        .scheduling = s->replay ? "" : ses_setting_text(s, "scheduling"),
    };
    return EBB_OK;
}

void ses_java_command_fini(ses_java_command *command)
{
    free(command->option);
    ebb_vec_fini(&command->args);
    ebb_vec_fini(&command->environment);
}

ebb_status ses_java_launch(session *s, machine **m, ebb_error *err)
{
    ses_java_command command = {.how = {.records = !s->never_records, .verifies = s->verifies}};
    EBB_TRY(s->java->far ? ses_java_far_take(s->java, &command.how.far, err) : ses_java_command_init(s, &command, err));
    if (!s->replay) /* whose class path is that of the recording */
        read_own_args(s);
    ebb_status status = jvm_remote_start(&command.how, m, err);
    if (status == EBB_OK && jvm_remote_script_words(*m)) /* that tells what its own words don't */
        read_args(s, jvm_remote_script_words(*m));
    ses_java_command_fini(&command);
    return status;
}

ses_name_list ses_java_words_of(session *s, ebb_arena *arena, const char *setting)
{
    ses_name_list words = {0};
    char *text = ebb_arena_strdup(arena, ses_setting_text(s, setting)), *rest = NULL;
    for (char *word = strtok_r(text, " ,\t", &rest); word; word = strtok_r(NULL, " ,\t", &rest))
        ebb_vec_push(&words, word);
    return words;
}

static void apply_step_filter(session *s)
{
    ebb_arena arena = {0};
    ses_name_list words = ses_java_words_of(s, &arena, "step-filter"), patterns = {0};
    bool library = false;
    for (size_t i = 0; i < words.n; i++)
        if (strcmp(words.items[i], "library") == 0)
            library = true;
        else
            ebb_vec_push(&patterns, words.items[i]);
    (void)!jvm_remote_step_filter(s->machine, patterns.items, patterns.n, library, NULL);
    ebb_vec_fini(&patterns);
    ebb_vec_fini(&words);
    ebb_arena_fini(&arena);
}

static void apply_undo_choice(session *s)
{
    ebb_arena arena = {0};
    ses_name_list patterns = ses_java_words_of(s, &arena, "undo-classes");
    const char *first = ses_setting_text(s, "undo-from");
    (void)!jvm_remote_undo_choose(s->machine, patterns.items, patterns.n, *first ? first : NULL, NULL);
    ebb_vec_fini(&patterns);
    ebb_arena_fini(&arena);
}

void ses_java_apply_settings(session *s)
{
    ebb_error ignored;
    if (!ses_java_is_independent(s))
        ses_java_rejoin(s);
    apply_step_filter(s);
    if (machine_can(s->machine, MACHINE_REWINDS))
        apply_undo_choice(s);
    if (!ses_java_is_stock(s))
        ses_java_apply_flow(s);
    (void)!ses_catch_events(s, &ignored); /* stop-on-uncaught */
}

/* ---- start ---------------------------------------------------------------------------------- */

/* The launcher asks its helper for the main class.  Whatever was named on the command line (a class, a jar, a module,
 * a source file), that helper has the class in its hands before it calls main: there `start` looks. */
typedef struct ses_java_search {
    ses_move move; /* first */
    bool has_point;
    bool compiles; /* the point is at the beginning of what the source launcher executes */
    char *main; /* "demo.Main.main": found; NULL: not yet */
} ses_java_search;

static const java_method *method_named(const java_class *cls, const char *name)
{
    for (size_t i = 0; i < cls->n_methods; i++)
        if (strcmp(cls->methods[i].name, name) == 0 && cls->methods[i].n_code > 0)
            return &cls->methods[i];
    return NULL;
}

bool ses_java_start_sync(session *s)
{
    ses_java_search *start = s->java->starting;
    java_class_ids classes = {0};
    const java_class *cls;
    const java_method *method;
    if (!start->has_point &&
        jvm_remote_classes_named(s->machine, "sun.launcher.LauncherHelper", &classes, NULL) == EBB_OK &&
        classes.n > 0 && jvm_remote_class(s->machine, classes.items[0], &cls, NULL) == EBB_OK &&
        (method = method_named(cls, "validateMainClass")) != NULL)
        start->has_point =
            ses_move_point(s, &start->move, SES_POINT_TARGET, method->id, (ses_frame_id){0}, NULL) == EBB_OK;
    ebb_vec_fini(&classes);
    return true;
}

/* The class that has main: the one the launcher found, or one that it extends. */
static char *main_of(session *s, java_class_id id)
{
    const java_class *cls;
    for (; id && jvm_remote_class(s->machine, id, &cls, NULL) == EBB_OK; id = cls->super)
        if (method_named(cls, "main"))
            return ebb_asprintf("%s.main(java.lang.String[])", cls->name);
    return NULL;
}

/* `java Program.java`: the main class is the compiler's, which compiles in memory and then executes what it was given. */
static const java_method *source_launcher(session *s, java_class_id id)
{
    const java_class *cls;
    if (jvm_remote_class(s->machine, id, &cls, NULL) != EBB_OK ||
        strcmp(cls->name, "com.sun.tools.javac.launcher.Main") != 0)
        return NULL;
    return method_named(cls, "execute");
}

/* Its method `execute` has the name of the class to run as its first parameter. */
static ebb_status executes(session *s, ses_java_search *start, ebb_error *err)
{
    ebb_arena arena = {0};
    java_word name;
    java_chars text;
    ebb_status status = jvm_remote_local_get(s->machine, (java_local_at){s->thread, 0, 1}, 'L', &name, err);
    if (status == EBB_OK)
        status = jvm_remote_string(s->machine, &arena, name.ref, UINT32_MAX, &text, err);
    if (status == EBB_OK)
        start->main = ebb_asprintf("%s.main(java.lang.String[])", text.utf8);
    ebb_arena_fini(&arena);
    return status;
}

static ebb_status helper_arrived(session *s, ses_move *move, bool *done, ses_stop *stop, ebb_error *err)
{
    ses_java_search *start = (ses_java_search *)move;
    java_word mirror;
    java_class_id id;
    *done = ses_move_point_reached(s, move) != NULL;
    stop->kind = SES_STOP_STARTED;
    if (!*done)
        return EBB_OK;
    if (start->compiles)
        return executes(s, start, err);
    EBB_TRY(jvm_remote_local_get(s->machine, (java_local_at){.tid = s->thread}, 'L', &mirror, err));
    EBB_TRY(jvm_remote_class_mirrored(s->machine, mirror.ref, &id, err));
    const java_method *execute = source_launcher(s, id);
    if (!execute) {
        start->main = main_of(s, id);
        return EBB_OK;
    }
    *done = false;
    start->compiles = true;
    ses_move_clear_points(s, move);
    return ses_move_point(s, move, SES_POINT_TARGET, execute->id, (ses_frame_id){0}, err);
}

static void say_breakpoint(session *s, const ses_breakpoint *bp)
{
    if (bp->n_locations == 0) {
        ses_say(s, SES_NOTICE_BREAKPOINT, 0, "Temporary breakpoint %d (%s) pending.", bp->number, bp->where);
        return;
    }
    ebb_buf words = {0};
    ses_java_place_words(s, bp->locations[0].spot.addr, true, &words);
    if (bp->locations[0].spot.file_name)
        ses_say(s, SES_NOTICE_BREAKPOINT, 0, "Temporary breakpoint %d at %s: file %s, line %u.", bp->number,
                ebb_buf_text(&words), bp->locations[0].spot.file_name, bp->locations[0].spot.line);
    else
        ses_say(s, SES_NOTICE_BREAKPOINT, 0, "Temporary breakpoint %d at %s", bp->number, ebb_buf_text(&words));
    ebb_buf_fini(&words);
}

/* Begins the program, up to where the launcher knows main: *main (caller frees), or NULL if it ends before. */
static ebb_status find_main(session *s, char **main, ses_stop *stop, ebb_error *err)
{
    ses_java_search start = {.move = {.arrived = helper_arrived, .request.move = MACHINE_RUN}};
    *main = NULL;
    EBB_TRY(ses_launch(s, err));
    s->java->starting = &start;
    ses_java_sync_code(s);
    ebb_status status = ses_move_run(s, &start.move, stop, err);
    s->java->starting = NULL;
    if (s->machine) {
        ses_java_await_code(s);
        ses_points_resolve(s); /* reading the class that has main prepared it, which a stock JVM does not tell who did it */
    }
    *main = start.main;
    return status;
}

ebb_status ses_java_begin(session *s, ses_stop *stop, ebb_error *err)
{
    char *main;
    ebb_arena arena = {0};
    ses_where where;
    sym_spots spots = {0};
    ebb_status status = find_main(s, &main, stop, err);
    if (status == EBB_OK && s->machine && main)
        status = ses_where_parse(s, &arena, main, &where, err);
    if (status == EBB_OK && s->machine && main)
        status = ses_where_spots(s, &where, &spots, err);
    if (status == EBB_OK && spots.n > 0)
        status = ses_counted_run_to(s, &spots.items[0].addr, 1, stop, err);
    ebb_vec_fini(&spots);
    ebb_arena_fini(&arena);
    free(main);
    return status;
}

ebb_status ses_java_start(session *s, ses_stop *stop, ebb_error *err)
{
    char *main;
    ebb_status status = find_main(s, &main, stop, err);
    if (status == EBB_OK && s->machine && main) {
        ses_break_request at_main = {.where = main, .temporary = true};
        int number;
        status = ses_break(s, &at_main, &number, err);
        if (status == EBB_OK)
            say_breakpoint(s, ses_bp_get(s, number));
        if (status == EBB_OK)
            status = ses_run_on(s, stop, err);
    }
    free(main);
    return status;
}
