/* launch.c - beginning a debuggee: the program, its arguments and environment, start and attach. */
#include "session/launch.h"
#include "session/java.h"
#include "session/c/modules.h"
#include "session/move.h"
#include "session/points.h"
#include "session/settings_impl.h"
#include "session/shell_words.h"
#include "session/signals.h"
#include "session/stack.h"
#include "session/threads.h"
#include "x86/native.h"
#include "x86/vm.h"

#include <string.h>
#include <unistd.h>

/* ---- what to run ---------------------------------------------------------------------------- */

ebb_status ses_set_program(session *s, char *const *args, ebb_error *err)
{
    char *path;
    SES_TRY(x86_native_check(args[0], &path, err));
    char *old = s->program;
    s->program = path;
    ebb_status status = ses_modules_open_program(s, err);
    if (status != EBB_OK) {
        free(path);
        s->program = old;
        return status;
    }
    free(old);
    ses_strings_clear(&s->args);
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

ebb_status ses_set_args(session *s, const char *shell_words, ebb_error *err)
{
    ses_strings words = {0};
    ebb_status status = ses_words_split(shell_words, &words, err);
    if (status == EBB_OK && s->args.n == 0)
        status = ebb_fail(err, EBB_BAD_INPUT, "There is no program to give arguments to.");
    if (status != EBB_OK) {
        ses_strings_clear(&words);
        return status;
    }
    truncate_args(&s->args);
    for (size_t i = 0; i < words.n; i++)
        ebb_vec_push(&s->args, words.items[i]);
    ebb_vec_fini(&words);
    return EBB_OK;
}

char *ses_args_text(const session *s)
{
    ebb_buf text = {0};
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

void ses_launch_fini(session *s)
{
    free(s->program);
    ses_strings_clear(&s->args);
    ses_strings_clear(&s->environment);
}

/* ---- beginning ------------------------------------------------------------------------------ */

static void forget_last_run(session *s)
{
    s->exit_code = -1;
    s->has_ended = false;
    s->threads.n = 0;
    s->last_thread_number = 0;
}

static const x86_follow follow_modes[] = {X86_FOLLOW_PARENT, X86_FOLLOW_CHILD};

void ses_apply_machine_settings(session *s)
{
    if (!s->machine)
        return;
    machine *native = x86_vm_get_native(s->machine);
    x86_native_set_follow_fork(native, follow_modes[ses_setting_is(s, "follow-fork-mode", "child")]);
    x86_native_set_flavour(native, ses_setting_is(s, "disassembly-flavor", "intel") ? X86_INTEL : X86_ATT);
}

/* The machine is there: everything that stands over it begins. */
static ebb_status adopt_machine(session *s, machine *native, bool attached, ebb_error *err)
{
    s->machine = x86_vm_new(native);
    ses_mode_apply(s);
    s->timeline = ebb_timeline_new(s->machine);
    s->attached = attached;
    forget_last_run(s);
    ses_apply_machine_settings(s);
    ses_threads_sync(s, true);
    if (s->threads.n > 0)
        ses_select(s, s->threads.items[0].tid, 0);
    s->stop_thread = s->thread;
    s->show_all_inlined = true;
    ses_modules_sync(s);
    ses_points_resolve(s);
    ebb_status status = ses_catch_events(s, err);
    if (status != EBB_OK)
        ses_end(s);
    return status;
}

/* The user's arguments (borrowed), with *option (caller frees) behind the first if the program is a
 * Java launcher. */
static ebb_status launch_args(session *s, ses_strings *args, char **option, ebb_error *err)
{
    *option = NULL;
    if (ses_is_java(s->program))
        SES_TRY(ses_java_option(option, err));
    for (size_t i = 0; i < s->args.n; i++) {
        ebb_vec_push(args, s->args.items[i]);
        if (i == 0 && *option)
            ebb_vec_push(args, *option);
    }
    ebb_vec_push(args, NULL);
    return EBB_OK;
}

static ebb_status launch(session *s, ebb_error *err)
{
    if (!s->program)
        return ebb_fail(
            err, EBB_BAD_INPUT,
            "No executable file specified.  Say which program to debug: ebb run PROGRAM");
    ses_end(s);
    ses_strings args = {0}, environment = {0};
    char *java_option;
    SES_TRY(launch_args(s, &args, &java_option, err));
    for (size_t i = 0; i < s->environment.n; i++)
        ebb_vec_push(&environment, s->environment.items[i]);
    ebb_vec_push(&environment, NULL);
    const char *directory = ses_setting_text(s, "cwd");
    x86_launch how = {
        .program = s->program,
        .args = args.items,
        .environment = s->has_environment ? environment.items : NULL,
        .directory = *directory ? directory : NULL,
        .randomize = !ses_setting_flag(s, "disable-randomization"),
        .own_terminal = isatty(STDIN_FILENO),
    };
    machine *m;
    ebb_status status = x86_native_launch(&how, &m, err);
    free(java_option);
    ebb_vec_fini(&args);
    ebb_vec_fini(&environment);
    return status == EBB_OK ? adopt_machine(s, m, false, err) : status;
}

static void standing_stop(session *s, ses_stop_kind kind, ses_stop *stop)
{
    *stop = (ses_stop){.kind = kind, .thread = s->thread};
    const ses_frame *frame;
    if (ses_frame_get(s, 0, &frame, NULL) == EBB_OK)
        stop->mid_line = frame->mid_line;
    ses_remember_stop(s, stop);
}

ebb_status ses_starti(session *s, ses_stop *stop, ebb_error *err)
{
    SES_TRY(launch(s, err));
    standing_stop(s, SES_STOP_STARTED, stop);
    return EBB_OK;
}

ebb_status ses_run(session *s, ses_stop *stop, ebb_error *err)
{
    SES_TRY(launch(s, err));
    return ses_continue(s, MACHINE_FORWARD, 0, stop, err);
}

static ebb_status entry_arrived(session *s, ses_move *move, bool *done, ses_stop *stop,
                                ebb_error *err)
{
    *done = ses_move_point_reached(s, move) != NULL;
    stop->kind = SES_STOP_STARTED;
    return EBB_OK;
}

/* A program without a `main` that we can find: its entry point is the best first stop. */
static ebb_status run_to_entry(session *s, ses_stop *stop, ebb_error *err)
{
    SES_TRY(launch(s, err));
    ses_say(s, SES_NOTICE_WARNING, 0,
            "There is no symbol \"main\"; stopping at the program's entry point instead.");
    uint64_t entry = s->machine->ops->entry(s->machine);
    uint64_t pc;
    SES_TRY(ses_pc(s, s->thread, &pc, err));
    if (pc == entry) {
        standing_stop(s, SES_STOP_STARTED, stop);
        return EBB_OK;
    }
    ses_move move = {
        .arrived = entry_arrived, .by_instruction = true, .request = {.move = MACHINE_RUN}};
    SES_TRY(ses_move_point(s, &move, SES_POINT_TARGET, entry, (ses_frame_id){0}, err));
    return ses_move_run(s, &move, stop, err);
}

static void say_breakpoint(session *s, const ses_breakpoint *bp)
{
    const sym_spot *spot = &bp->locations[0].spot;
    if (spot->file_name)
        ses_say(s, SES_NOTICE_BREAKPOINT, 0, "Temporary breakpoint %d at 0x%lx: file %s, line %u.",
                bp->number, (unsigned long)spot->addr, spot->file_name, spot->line);
    else
        ses_say(s, SES_NOTICE_BREAKPOINT, 0, "Temporary breakpoint %d at 0x%lx", bp->number,
                (unsigned long)spot->addr);
}

ebb_status ses_start(session *s, ses_stop *stop, ebb_error *err)
{
    uint64_t entry;
    if (s->program && !sym_function_entry(s->symbols, "main", &entry, NULL))
        return run_to_entry(s, stop, err);
    if (s->program) {
        ses_break_request at_main = {.where = "main", .temporary = true};
        int number;
        SES_TRY(ses_break(s, &at_main, &number, err));
        say_breakpoint(s, ses_bp_get(s, number));
    }
    return ses_run(s, stop, err);
}

/* The file that an attached process runs; debugging it again later starts that. */
static void adopt_program_of(session *s)
{
    const char *program = s->machine->ops->program(s->machine);
    if (s->program || !program)
        return;
    s->program = ebb_strdup(program);
    ebb_vec_push(&s->args, ebb_strdup(program));
}

ebb_status ses_attach(session *s, pid_t pid, ses_stop *stop, ebb_error *err)
{
    if (s->machine)
        return ebb_fail(err, EBB_BAD_INPUT,
                        "A program is being debugged already; kill or detach it first.");
    machine *m;
    SES_TRY(x86_native_attach(pid, &m, err));
    SES_TRY(adopt_machine(s, m, true, err));
    adopt_program_of(s);
    standing_stop(s, SES_STOP_ATTACHED, stop);
    return EBB_OK;
}
