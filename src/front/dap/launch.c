/* launch.c - beginning and ending: which program, how it begins, how the conversation ends. */
#include "front/dap/dap.h"

#include "session/far.h"
#include "session/frames.h"
#include "session/settings.h"
#include "session/time.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

ebb_status dap_do_initialize(dap *d, dap_request *r, ebb_error *err)
{
    (void)err;
    d->lines_from_0 = !dap_flag(r->args, "linesStartAt1", true);
    d->columns_from_0 = !dap_flag(r->args, "columnsStartAt1", true);
    d->wants_invalidated = dap_flag(r->args, "supportsInvalidatedEvent", false);
    d->wants_progress = dap_flag(r->args, "supportsProgressReporting", false);
    r->body = dap_capabilities(d);
    return EBB_OK;
}

/* ---- what to run --------------------------------------------------------------------------------- */

typedef EBB_VEC(char *) words;

static void add_words(words *to, const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (json_is_string(json_array_get(list, i)))
            ebb_vec_push(to, (char *)json_string_value(json_array_get(list, i)));
}

static void add_class_path(dap_request *r, words *to)
{
    const json_t *paths = json_object_get(r->args, "classPaths");
    ebb_buf joined = {0};
    for (size_t i = 0; i < json_array_size(paths); i++)
        ebb_buf_addf(&joined, "%s%s", i ? ":" : "", json_string_value(json_array_get(paths, i)) ? json_string_value(json_array_get(paths, i)) : "");
    if (joined.n) {
        ebb_vec_push(to, "-cp");
        ebb_vec_push(to, ebb_arena_strdup(&r->arena, ebb_buf_text(&joined)));
    }
    ebb_buf_fini(&joined);
}

/* "program" and "args"; or "mainClass" or "jar" of a Java program, with "vmArgs" and "classPaths". */
static ebb_status command_line(dap_request *r, words *to, ebb_error *err)
{
    const char *program = dap_text(r->args, "program"), *main_class = dap_text(r->args, "mainClass"), *jar = dap_text(r->args, "jar");
    bool is_java = main_class || jar;
    if (!program && !is_java)
        return ebb_fail(err, EBB_BAD_INPUT, "Which program?  Say \"program\", \"mainClass\", \"jar\" or \"recording\".");
    ebb_vec_push(to, (char *)(program ? program : "java"));
    if (is_java) {
        add_words(to, json_object_get(r->args, "vmArgs"));
        add_class_path(r, to);
    }
    if (jar)
        ebb_vec_push(to, "-jar");
    if (is_java)
        ebb_vec_push(to, (char *)(jar ? jar : main_class));
    add_words(to, json_object_get(r->args, "args"));
    ebb_vec_push(to, NULL);
    return EBB_OK;
}

/* ---- how ----------------------------------------------------------------------------------------- */

static ebb_status apply_setting(dap *d, const char *name, const json_t *value, ebb_error *err)
{
    char number[32];
    const char *text = json_string_value(value);
    if (json_is_boolean(value))
        text = json_is_true(value) ? "on" : "off";
    else if (json_is_integer(value))
        text = (snprintf(number, sizeof number, "%lld", (long long)json_integer_value(value)), number);
    if (!text)
        return ebb_fail(err, EBB_BAD_INPUT, "The setting \"%.60s\" has no such value.", name);
    return ses_setting_set(d->session, name, text, err);
}

static ebb_status apply_settings(dap *d, dap_request *r, ebb_error *err)
{
    const char *name;
    json_t *value;
    json_object_foreach(json_object_get(r->args, "settings"), name, value)
        EBB_TRY(apply_setting(d, name, value, err));
    json_object_foreach(json_object_get(r->args, "env"), name, value)
    {
        if (json_is_string(value))
            ses_environment_set(d->session, name, json_string_value(value));
        else
            ses_environment_unset(d->session, name);
    }
    const char *cwd = dap_text(r->args, "cwd"), *undo = dap_text(r->args, "undo");
    if (cwd && chdir(cwd) != 0)
        return ebb_fail_errno(err, "%.200s", cwd);
    if (undo)
        EBB_TRY(ses_setting_set(d->session, "undo", undo, err));
    const json_t *record = json_object_get(r->args, "record");
    if (json_is_boolean(record)) {
        ses_set_recording(d->session, json_is_true(record), NULL);
        EBB_TRY(apply_setting(d, "record-native", record, err));
    }
    return EBB_OK;
}

static ebb_status read_from(const char *file, ebb_error *err)
{
    int fd = file ? open(file, O_RDONLY) : -1;
    if (file && fd < 0)
        return ebb_fail_errno(err, "%.200s", file);
    if (fd >= 0) {
        dup2(fd, STDIN_FILENO);
        close(fd);
    }
    return EBB_OK;
}

static ebb_status take_manner(dap *d, dap_request *r, bool stops_by_default, ebb_error *err)
{
    const char *mode = dap_text(r->args, "mode"), *at_end = dap_text(r->args, "atEnd");
    d->stop_on_entry = dap_flag(r->args, "stopOnEntry", stops_by_default);
    d->shows_positions = dap_flag(r->args, "showPositions", false);
    d->at_end = at_end && strcmp(at_end, "stay") == 0        ? DAP_AT_END_STAY
                : at_end && strcmp(at_end, "terminate") == 0 ? DAP_AT_END_TERMINATE
                                                             : DAP_AT_END_AUTO;
    ses_set_mode(d->session, mode && strcmp(mode, "native") == 0 ? SES_MODE_NATIVE : SES_MODE_VM);
    EBB_TRY(apply_settings(d, r, err));
    return read_from(dap_text(r->args, "stdin"), err);
}

/* ---- beginning ----------------------------------------------------------------------------------- */

static ebb_status check_fresh(dap *d, ebb_error *err)
{
    return d->begin == DAP_BEGIN_NOTHING && ses_get_state(d->session) == SES_NO_PROGRAM
               ? EBB_OK
               : ebb_fail(err, EBB_BAD_INPUT, "A program is being debugged already.");
}

/* Breakpoints can be set from now on. */
static void ready(dap *d, dap_request *r, dap_begin begin)
{
    d->begin = begin;
    dap_answer(d, r);
    dap_say_capabilities(d);
    dap_say_event(d, "initialized", NULL);
}

static ebb_status open_recording(dap *d, dap_request *r, const char *path, ebb_error *err)
{
    EBB_TRY(take_manner(d, r, true, err));
    EBB_TRY(ses_replay(d->session, path, &d->last_stop, err));
    d->is_recording = true;
    ready(d, r, DAP_BEGIN_STANDING);
    return EBB_OK;
}

ebb_status dap_do_launch(dap *d, dap_request *r, ebb_error *err)
{
    const char *recording = dap_text(r->args, "recording");
    EBB_TRY(check_fresh(d, err));
    if (recording)
        return open_recording(d, r, recording, err);
    words line = {0};
    ebb_status status = take_manner(d, r, false, err);
    if (status == EBB_OK)
        status = command_line(r, &line, err);
    if (status == EBB_OK)
        status = ses_set_program(d->session, line.items, err);
    ebb_vec_fini(&line);
    if (status == EBB_OK)
        ready(d, r, DAP_BEGIN_RUN);
    return status;
}

static ebb_status connect_far(dap *d, dap_request *r, const char *where, ebb_error *err)
{
    const char *token;
    EBB_TRY(dap_need_text(r->args, "token", &token, err));
    EBB_TRY(ses_connect(d->session, where, token, false, err));
    ready(d, r, DAP_BEGIN_RUN);
    return EBB_OK;
}

ebb_status dap_do_attach(dap *d, dap_request *r, ebb_error *err)
{
    const char *recording = dap_text(r->args, "recording"), *connect = dap_text(r->args, "connect");
    json_int_t pid = dap_number(r->args, "pid", 0);
    EBB_TRY(check_fresh(d, err));
    if (recording)
        return open_recording(d, r, recording, err);
    EBB_TRY(take_manner(d, r, false, err));
    if (connect)
        return connect_far(d, r, connect, err);
    if (pid <= 0)
        return ebb_fail(err, EBB_BAD_INPUT, "Which process?  Say \"pid\", \"connect\" or \"recording\".");
    ses_set_mode(d->session, SES_MODE_NATIVE);
    EBB_TRY(ses_attach(d->session, (pid_t)pid, &d->last_stop, err));
    ready(d, r, DAP_BEGIN_STANDING);
    return EBB_OK;
}

static void say_process(dap *d)
{
    const char *program = ses_get_program(d->session);
    json_t *body = json_pack("{s:s, s:b}", "startMethod", ses_was_attached(d->session) ? "attach" : "launch", "isLocalProcess", 1);
    cli_json_text(body, "name", program ? program : "?");
    if (ses_get_pid(d->session))
        json_object_set_new(body, "systemProcessId", json_integer(ses_get_pid(d->session)));
    dap_say_event(d, "process", body);
}

/* The breakpoint at main is nobody's whom the editor knows; others that it has there are told as ever. */
static ebb_status begin_at_entry(dap *d, ses_stop *stop, ebb_error *err)
{
    EBB_TRY(ses_start(d->session, stop, err));
    if (stop->kind == SES_STOP_BREAKPOINT && stop->n_breakpoints == 1 && stop->breakpoint_was_temporary[0]) {
        stop->kind = SES_STOP_STARTED;
        stop->n_breakpoints = 0;
    }
    return EBB_OK;
}

/* The first move may be taken up again when a request has entered: then it only goes on. */
static ebb_status begin_run(dap *d, const void *how, ses_stop *stop, ebb_error *err)
{
    (void)how;
    if (ses_get_state(d->session) == SES_STOPPED)
        return ses_continue(d->session, 0, stop, err);
    if (d->stop_on_entry)
        return begin_at_entry(d, stop, err);
    EBB_TRY(ses_starti(d->session, stop, err));
    dap_say_capabilities(d);
    say_process(d);
    return ses_continue(d->session, 0, stop, err);
}

/* The program begins, or goes on from where it was found.  One that can't begin ends the conversation. */
static void begin_program(dap *d, dap_request *r)
{
    d->told_exit = false;
    dap_move(d, r, begin_run, NULL, !d->stop_on_entry);
    if (ses_get_state(d->session) == SES_NOT_STARTED)
        dap_say_event(d, "terminated", NULL);
    else
        dap_say_capabilities(d);
}

ebb_status dap_do_configuration_done(dap *d, dap_request *r, ebb_error *err)
{
    dap_begin begin = d->begin;
    if (begin == DAP_BEGIN_NOTHING)
        return ebb_fail(err, EBB_BAD_INPUT, "There is nothing to begin.");
    d->begin = DAP_BEGIN_NOTHING;
    if (begin == DAP_BEGIN_STANDING && d->stop_on_entry) {
        dap_answer(d, r);
        say_process(d);
        d->last_stop.kind = SES_STOP_STARTED;
        dap_tell_stop(d, &d->last_stop);
        return EBB_OK;
    }
    begin_program(d, r);
    return EBB_OK;
}

/* ---- ending -------------------------------------------------------------------------------------- */

ebb_status dap_do_restart(dap *d, dap_request *r, ebb_error *err)
{
    if (d->is_recording || ses_was_attached(d->session))
        return ebb_fail(err, EBB_UNSUPPORTED, "Only a program that ebb began can be begun again.");
    if (ses_get_state(d->session) == SES_STOPPED)
        EBB_TRY(ses_kill(d->session, err));
    begin_program(d, r);
    return EBB_OK;
}

ebb_status dap_do_terminate(dap *d, dap_request *r, ebb_error *err)
{
    if (ses_get_state(d->session) == SES_STOPPED)
        EBB_TRY(ses_kill(d->session, err));
    dap_answer(d, r);
    dap_ear_drain(d->ear, true);
    dap_say_event(d, "terminated", NULL);
    return EBB_OK;
}

ebb_status dap_do_disconnect(dap *d, dap_request *r, ebb_error *err)
{
    bool kills = dap_flag(r->args, "terminateDebuggee", !ses_was_attached(d->session));
    d->ends = true;
    if (ses_get_state(d->session) != SES_STOPPED)
        return EBB_OK;
    return kills ? ses_kill(d->session, err) : ses_detach(d->session, err);
}
