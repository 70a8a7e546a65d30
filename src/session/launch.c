/* launch.c - beginning a debuggee: the program, its arguments and environment, start and attach. */
#include "session/launch.h"
#include "session/core.h"
#include "session/counted.h"
#include "session/c/c.h"
#include "session/far.h"
#include "session/java/libjvm.h"
#include "session/java/scripts.h"
#include "session/language.h"
#include "session/move.h"
#include "session/points.h"
#include "session/settings_impl.h"
#include "session/shell_words.h"
#include "session/stack.h"
#include "session/threads.h"
#include "session/snapshots.h"
#include "session/undo.h"

#include <string.h>
#include <unistd.h>

/* ---- what to run ---------------------------------------------------------------------------- */

static const ses_language *language_of(const char *program)
{
    return ses_is_java(program) || ses_is_script(program) ? &ses_language_java : &ses_language_c;
}

/* What was watched in the other one means nothing here. */
void ses_launch_speak(session *s, const ses_language *language)
{
    if (s->language == language)
        return;
    ses_end(s);
    for (size_t i = s->breakpoints.n; i-- > 0;)
        if (ses_bp_is_watch(s->breakpoints.items[i]))
            ses_bp_remove(s, s->breakpoints.items[i]);
    s->language = language;
}

ebb_status ses_set_program(session *s, char *const *args, ebb_error *err)
{
    char *path;
    const ses_language *language = language_of(args[0]);
    EBB_TRY(language->open_program(s, args, &path, err));
    free(s->replay);
    s->replay = NULL;
    ses_launch_speak(s, language);
    free(s->program);
    s->program = path;
    s->counts_itself = false;
    ses_counted_forget_runs(s);
    ses_strings_clear(&s->args);
    free(s->shell_args);
    s->shell_args = NULL;
    for (; *args; args++)
        ebb_vec_push(&s->args, ebb_strdup(*args));
    ses_points_resolve(s);
    return EBB_OK;
}

static void truncate_args(ses_strings *args)
{
    while (args->n > 1)
        free(args->items[--args->n]);
}

/* Redirections, patterns, variables: whatever is more than words. */
static bool needs_shell(const session *s, const char *words)
{
    return ses_setting_flag(s, "startup-with-shell") && strpbrk(words, "<>|&;$*?[{~`(!#") != NULL;
}

/* "<", "2>>", "&>": what it is for comes with the next word; else it is within this one: "<in", "2>&1". */
static bool is_redirection(const char *word, bool *is_whole)
{
    const char *at = word + strspn(word, "0123456789");
    at += *at == '&';
    size_t n = strspn(at, "<>");
    *is_whole = at[n] != '\0' && n > 0;
    return n > 0;
}

static bool only_redirects(const ses_strings *words)
{
    bool is_whole;
    for (size_t i = 0; i < words->n; i++) {
        if (!is_redirection(words->items[i], &is_whole))
            return false;
        i += !is_whole;
    }
    return words->n > 0;
}

/* Of Java the arguments are also which program that is: `run < FILE` is about the same one. */
static char *redirected(const session *s, const char *redirections)
{
    ebb_buf text = {0};
    for (size_t i = 1; i < s->args.n; i++) {
        ses_word_quote(s->args.items[i], &text);
        ebb_buf_addc(&text, ' ');
    }
    ebb_buf_adds(&text, redirections);
    return ebb_buf_take(&text);
}

ebb_status ses_set_args(session *s, const char *shell_words, ebb_error *err)
{
    ses_strings words = {0};
    ebb_status status = ses_words_split(shell_words, &words, err);
    if (status == EBB_OK && ses_is_far(s))
        status = ebb_fail(err, EBB_UNSUPPORTED, "The program has the arguments that the listening ebb was given.");
    if (status == EBB_OK && s->args.n == 0)
        status = ebb_fail(err, EBB_BAD_INPUT, "There is no program to give arguments to.");
    if (status != EBB_OK) {
        ses_strings_clear(&words);
        return status;
    }
    ses_counted_forget_runs(s);
    free(s->shell_args);
    s->shell_args = NULL;
    bool by_shell = needs_shell(s, shell_words);
    if (by_shell && s->language->has_launcher && only_redirects(&words)) {
        s->shell_args = redirected(s, shell_words);
        ses_strings_clear(&words);
        return EBB_OK;
    }
    s->shell_args = by_shell ? ebb_strdup(shell_words) : NULL;
    truncate_args(&s->args);
    for (size_t i = 0; i < words.n; i++)
        ebb_vec_push(&s->args, words.items[i]);
    ebb_vec_fini(&words);
    return EBB_OK;
}

char *ses_args_text(const session *s)
{
    ebb_buf text = {0};
    if (s->shell_args)
        return ebb_strdup(s->shell_args);
    for (size_t i = 1; i < s->args.n; i++) {
        if (i > 1)
            ebb_buf_addc(&text, ' ');
        ses_word_quote(s->args.items[i], &text);
    }
    return text.data ? ebb_buf_take(&text) : ebb_strdup("");
}

/* ---- environment ---------------------------------------------------------------------------- */

static void own_environment(session *s)
{
    if (s->has_environment)
        return;
    s->has_environment = true;
    for (char **e = environ; *e; e++)
        ebb_vec_push(&s->environment, ebb_strdup(*e));
}

static size_t environment_index(const session *s, const char *name)
{
    size_t n = strlen(name);
    for (size_t i = 0; i < s->environment.n; i++)
        if (strncmp(s->environment.items[i], name, n) == 0 && s->environment.items[i][n] == '=')
            return i;
    return s->environment.n;
}

void ses_environment_set(session *s, const char *name, const char *value)
{
    ses_counted_forget_runs(s); /* it may do something else */
    own_environment(s);
    char *entry = ebb_asprintf("%s=%s", name, value);
    size_t i = environment_index(s, name);
    if (i == s->environment.n) {
        ebb_vec_push(&s->environment, entry);
        return;
    }
    free(s->environment.items[i]);
    s->environment.items[i] = entry;
}

void ses_environment_unset(session *s, const char *name)
{
    ses_counted_forget_runs(s); /* it may do something else */
    own_environment(s);
    if (!name) {
        ses_strings_clear(&s->environment);
        return;
    }
    size_t i = environment_index(s, name);
    if (i < s->environment.n) {
        free(s->environment.items[i]);
        ebb_vec_remove(&s->environment, i);
    }
}

void ses_environment_list(session *s, const char *name, ebb_buf *text)
{
    own_environment(s);
    for (size_t i = 0; i < s->environment.n; i++)
        if (!name || i == environment_index(s, name))
            ebb_buf_addf(text, "%s\n", s->environment.items[i]);
}

void ses_launch_environment(session *s, ses_strings *environment)
{
    for (size_t i = 0; s->has_environment && i < s->environment.n; i++)
        ebb_vec_push(environment, s->environment.items[i]);
    if (s->has_environment)
        ebb_vec_push(environment, NULL);
}

void ses_launch_fini(session *s)
{
    free(s->program);
    free(s->shell_args);
    ses_strings_clear(&s->args);
    ses_strings_clear(&s->environment);
}

/* ---- beginning ------------------------------------------------------------------------------ */

static void forget_last_run(session *s)
{
    s->exit_code = -1;
    s->has_ended = s->doubt_told = false;
    ses_bookmarks_begin(s);
    s->threads.n = s->past_threads.n = 0;
    s->last_thread_number = s->n_own_threads = 0;
}

void ses_history_begins(session *s)
{
    ses_apply_undo(s);
    s->snapshots_auto = 0;
    ses_apply_snapshots(s);
}

/* Everything that stands over it begins. */
ebb_status ses_adopt_machine(session *s, machine *m, bool attached, ebb_error *err)
{
    s->machine = m;
    s->timeline = ebb_timeline_new(s->machine);
    ebb_timeline_on_progress(s->timeline, s->progress, s->progress_self);
    ebb_timeline_listen(s->timeline, &s->interrupts);
    s->live_pid = m->ops->pid(m);
    s->attached = attached;
    forget_last_run(s);
    s->language->apply_settings(s);
    ses_history_begins(s);
    ses_threads_sync(s, true);
    if (s->threads.n > 0)
        ses_select(s, s->threads.items[0].tid, 0);
    s->stop_thread = s->thread;
    s->show_all_inlined = true;
    s->language->sync_code(s);
    ses_points_resolve(s);
    ebb_status status = ses_catch_events(s, err);
    if (status == EBB_GONE)
        return EBB_OK; /* ended before it began: the first move tells how */
    if (status != EBB_OK)
        ses_end(s);
    return status;
}

ebb_status ses_launch(session *s, ebb_error *err)
{
    if (!s->program)
        return ebb_fail(
            err, EBB_BAD_INPUT,
            "No executable file specified.  Say which program to debug: ebb run PROGRAM");
    ses_end(s);
    ses_counted_begin_run(s);
    machine *m;
    EBB_TRY(s->language->launch(s, &m, err));
    return ses_adopt_machine(s, m, false, err);
}

void ses_standing_stop(session *s, ses_stop_kind kind, ses_stop *stop)
{
    *stop = (ses_stop){.kind = kind, .thread = s->thread};
    const ses_frame *frame;
    if (ses_frame_get(s, 0, &frame, NULL) == EBB_OK)
        stop->mid_line = frame->mid_line;
    ses_remember_stop(s, stop);
}

ebb_status ses_starti(session *s, ses_stop *stop, ebb_error *err)
{
    EBB_TRY(ses_launch(s, err));
    ses_standing_stop(s, SES_STOP_STARTED, stop);
    return EBB_OK;
}

ebb_status ses_run(session *s, ses_stop *stop, ebb_error *err)
{
    if (s->program && ses_is_counted(s))
        return ses_counted_run(s, stop, err);
    EBB_TRY(ses_launch(s, err));
    return ses_continue(s, 0, stop, err);
}

ebb_status ses_start(session *s, ses_stop *stop, ebb_error *err)
{
    return s->language->start(s, stop, err);
}

/* The file that an attached process runs; debugging it again later starts that. */
void ses_adopt_program(session *s)
{
    const char *program = s->machine->ops->program(s->machine);
    if (s->program || !program)
        return;
    s->program = ebb_strdup(program);
    ebb_vec_push(&s->args, ebb_strdup(program));
}

ebb_status ses_attach(session *s, pid_t pid, ses_stop *stop, ebb_error *err)
{
    if (ses_has_debuggee(s) && !ses_is_core(s))
        return ebb_fail(err, EBB_BAD_INPUT,
                        "A program is being debugged already; kill or detach it first.");
    ses_end(s);
    machine *m;
    EBB_TRY(ses_c_attach(s, pid, &m, err));
    ses_launch_speak(s, &ses_language_c);
    EBB_TRY(ses_adopt_machine(s, m, true, err));
    ses_adopt_program(s);
    ses_standing_stop(s, SES_STOP_ATTACHED, stop);
    return EBB_OK;
}
