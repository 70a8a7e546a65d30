/* launch.c - beginning a native program: its file, its launch, the stop at main. */
#include "session/c/c.h"
#include "session/c/image.h"
#include "session/c/modules.h"
#include "session/core.h"
#include "session/launch.h"
#include "session/move.h"
#include "session/shell_words.h"
#include "x86/hand_over.h"
#include "x86/native.h"
#include "x86/recorded.h"
#include "x86/vm/vm.h"

#include <string.h>
#include <unistd.h>

/* So that it is found from other directories, too. */
static void make_absolute(char **path)
{
    char *here = **path == '/' ? NULL : getcwd(NULL, 0);
    if (!here)
        return;
    char *full = ebb_asprintf("%s/%s", here, strncmp(*path, "./", 2) == 0 ? *path + 2 : *path);
    free(here);
    free(*path);
    *path = full;
}

ebb_status ses_c_open_program(session *s, char *const *args, char **path, ebb_error *err)
{
    EBB_TRY(x86_native_check(args[0], path, err));
    make_absolute(path);
    char *old = s->program;
    s->program = *path;
    ebb_status status = ses_modules_open_program(s, err);
    s->program = old;
    if (status != EBB_OK)
        free(*path);
    return status;
}

static const x86_follow follow_modes[] = {X86_FOLLOW_PARENT, X86_FOLLOW_CHILD};

ebb_status ses_c_open_recording(session *s, const ebb_about *about, char **path, ebb_error *err)
{
    (void)s;
    if (about->machine_version != X86_RECORDED_VERSION)
        return ebb_fail(err, EBB_UNSUPPORTED, "the recording has version %llu of the events of native programs, and this ebb knows version %d",
                        (unsigned long long)about->machine_version, (int)X86_RECORDED_VERSION);
    *path = ebb_strdup(about->program);
    return EBB_OK;
}

void ses_c_apply_settings(session *s)
{
    machine *native = x86_vm_get_native(s->machine);
    if (!s->recording_folder) /* all processes are followed */
        x86_native_set_follow_fork(native, follow_modes[ses_setting_is(s, "follow-fork-mode", "child")]);
    x86_vm_set_tuning(s->machine, ses_setting_text(s, "unit"), ses_setting_is(s, "optimize", "on"));
    x86_native_set_flavour(native, ses_setting_is(s, "disassembly-flavor", "intel") ? X86_INTEL : X86_ATT);
}

/* A file was asked for: only VM mode records. */
static bool is_recorded(const session *s)
{
    return s->recording && !s->never_records;
}

static x86_mode mode_of(const session *s)
{
    return s->mode == SES_MODE_VM ? X86_MODE_VM : X86_MODE_NATIVE;
}

/* Over the native machine stands the one that can also translate. */
static machine *in_its_mode(session *s, machine *native)
{
    machine *m = x86_vm_new(native);
    x86_vm_set_mode(m, mode_of(s));
    const char *seed = ses_setting_text(s, "chaos");
    if (*seed)
        x86_vm_set_chaos(m, seed);
    if (s->verifies)
        x86_vm_set_verify(m);
    return m;
}

static ebb_status record(session *s, machine *m, ebb_error *err)
{
    s->mode = SES_MODE_VM;
    x86_vm_set_mode(m, X86_MODE_VM);
    if (s->recording_folder)
        x86_vm_record_tree(m, s->recording_folder, s->recording_bound);
    ebb_status status = x86_vm_record(m, s->recording, err);
    if (status != EBB_OK)
        m->ops->free(m);
    else
        x86_vm_record_bound(m, s->recording_bound);
    return status;
}

/* By which a shell begins the program; NULL: it can be begun without one. */
static char *shell_line(const session *s)
{
    ebb_buf line = {0};
    if (!s->shell_args)
        return NULL;
    ebb_buf_adds(&line, "exec ");
    ses_word_quote(s->program, &line);
    ebb_buf_addf(&line, " %s", s->shell_args);
    return ebb_buf_take(&line);
}

static bool wants_history(session *s)
{
    return s->mode == SES_MODE_VM && !s->never_records && ses_setting_flag(s, "record-native");
}

/* A program that can't be recorded runs all the same; only its past is lost. */
static void keep_history(session *s, machine *m)
{
    ebb_error why;
    if (x86_vm_keep_history(m, &why) != EBB_OK)
        ses_say(s, SES_NOTICE_WARNING, 0, "There will be no way back: %s", why.text);
}

static void tell_news(session *s, machine *m)
{
    ebb_error news;
    while (x86_vm_recording_news(m, &news))
        ses_say(s, SES_NOTICE_WARNING, 0, "%s", news.text);
}

static ebb_status open_recording(session *s, machine **m, ebb_error *err)
{
    s->mode = SES_MODE_VM; /* what happened can't be executed by the CPU alone */
    EBB_TRY(x86_vm_open(s->replay, m, err));
    tell_news(s, *m);
    return EBB_OK;
}

ebb_status ses_c_launch(session *s, machine **m, ebb_error *err)
{
    if (s->replay)
        return open_recording(s, m, err);
    ses_strings args = {0}, environment = {0};
    for (size_t i = 0; i < s->args.n; i++)
        ebb_vec_push(&args, s->args.items[i]);
    ebb_vec_push(&args, NULL);
    ses_launch_environment(s, &environment);
    const char *directory = ses_setting_text(s, "cwd"), *terminal = ses_setting_text(s, "inferior-tty");
    char *line = shell_line(s);
    x86_launch how = {
        .program = s->program,
        .args = args.items,
        .environment = environment.items,
        .directory = *directory ? directory : NULL,
        .shell_line = line,
        .terminal = *terminal ? terminal : NULL,
        .randomize = !ses_setting_flag(s, "disable-randomization"),
        .own_terminal = isatty(STDIN_FILENO) && !*terminal,
    };
    machine *native;
    ebb_status status = x86_native_launch(&how, &native, err);
    free(line);
    ebb_vec_fini(&args);
    ebb_vec_fini(&environment);
    if (status == EBB_OK)
        *m = in_its_mode(s, native);
    if (status == EBB_OK && is_recorded(s))
        return record(s, *m, err);
    if (status == EBB_OK && wants_history(s))
        keep_history(s, *m);
    return status;
}

ebb_status ses_c_attach(session *s, pid_t pid, machine **m, ebb_error *err)
{
    machine *native;
    EBB_TRY(x86_native_attach(pid, &native, err));
    *m = in_its_mode(s, native);
    if (wants_history(s))
        x86_vm_keep_history_from_here(*m, "ebb attached to it there");
    return EBB_OK;
}

/* A program that was begun or attached to natively goes on in VM mode: from there on it has a past. */
static void begin_history(session *s)
{
    if (!wants_history(s) || s->machine->history || ses_is_core(s))
        return;
    x86_vm_keep_history_from_here(s->machine, "the program ran in native mode until there");
    ebb_timeline_take_up_history(s->timeline);
    ses_history_begins(s);
}

void ses_c_mode_changed(session *s, ses_mode before)
{
    x86_vm_set_mode(s->machine, mode_of(s));
    if (before == SES_MODE_NATIVE)
        begin_history(s);
}

/* ---- processes that go on without this ebb (x86/hand_over.h) ---- */

pid_t ses_let_go(void) { return x86_let_go_pid(); }

void ses_wait_for_heirs(bool (*is_over)(void)) { x86_heirs_wait(is_over); }

/* ---- the first stop ---- */

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
    EBB_TRY(ses_launch(s, err));
    ses_say(s, SES_NOTICE_WARNING, 0,
            "There is no symbol \"main\"; stopping at the program's entry point instead.");
    uint64_t entry = s->machine->native->entry(s->machine);
    uint64_t pc;
    EBB_TRY(ses_pc(s, s->thread, &pc, err));
    if (pc == entry) {
        ses_standing_stop(s, SES_STOP_STARTED, stop);
        return EBB_OK;
    }
    ses_move move = {
        .arrived = entry_arrived, .by_instruction = true, .request = {.move = MACHINE_RUN}};
    EBB_TRY(ses_move_point(s, &move, SES_POINT_TARGET, entry, (ses_frame_id){0}, err));
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

ebb_status ses_c_start(session *s, ses_stop *stop, ebb_error *err)
{
    uint64_t entry;
    if (s->program && !sym_function_entry(s->symbols, "main", &entry, NULL))
        return run_to_entry(s, stop, err);
    if (s->program) {
        ses_break_request at_main = {.where = "main", .temporary = true};
        int number;
        EBB_TRY(ses_break(s, &at_main, &number, err));
        say_breakpoint(s, ses_bp_get(s, number));
    }
    return ses_run(s, stop, err);
}

/* From now on memory questions are answered from the program's file, where it was last loaded. */
void ses_c_after_end(session *s)
{
    for (size_t i = 0; s->program && i < s->modules.n; i++) {
        if (strcmp(s->modules.items[i].path, s->program) != 0)
            continue;
        ses_image_free(s->image);
        s->image = ses_image_open(s->modules.items[i].file, s->modules.items[i].bias);
        return;
    }
}

/* Whoever asked for a file wants to know whether it is good; whoever did not is told when he wants to go back (ses_need_history). */
void ses_c_ended(session *s)
{
    if (s->recording)
        tell_news(s, s->machine);
    ses_c_after_end(s);
}
