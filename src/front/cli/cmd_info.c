/* cmd_info.c - the state of the program: process, libraries, signals. */
#include "base/file.h"
#include "base/text.h"
#include "front/cli/args.h"
#include "front/cli/handlers.h"
#include "front/cli/view.h"
#include "session/core.h"

#include <regex.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- the process ------------------------------------------------------------------------------ */

static void put_stop_place(cli_text *text, const ses_frame *frame)
{
    cli_put(text, "It is stopped at ");
    cli_put_place(text, frame->place, frame->pc, false);
    cli_put(text, ".\n");
}

ebb_status cli_cmd_info_program(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    const char *program = ses_get_program(c->session);
    cli_field_text(reply, "program", program);
    switch (ses_get_state(c->session)) {
    case SES_NO_PROGRAM:
        cli_put(&reply->text, "No program: name one with `file PROGRAM`.\n");
        break;
    case SES_NOT_STARTED: cli_putf(&reply->text, "%s is not being run.\n", program); break;
    case SES_ENDED:
        cli_putf(&reply->text, "%s is not being run: it has ended.\n",
                 program ? program : "The program");
        break;
    case SES_STOPPED: {
        const ses_frame *frame;
        cli_putf(&reply->text, "%s is process %ld, %s.\n", program ? program : "The program",
                 (long)ses_get_pid(c->session),
                 ses_was_attached(c->session) ? "attached to" : "started by ebb");
        cli_field_int(reply, "pid", ses_get_pid(c->session));
        if (ses_frame_get(c->session, 0, &frame, NULL) == EBB_OK)
            put_stop_place(&reply->text, frame);
        break;
    }
    }
    return EBB_OK;
}

ebb_status cli_cmd_info_inferiors(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    long pid = (long)ses_get_pid(c->session);
    const char *program = ses_get_program(c->session);
    char process[40] = "<null>";
    if (pid)
        snprintf(process, sizeof process, "process %ld", pid);
    cli_putf(&reply->text, "  Num  Description       Executable\n* 1    %-17s %s\n", process,
             program ? program : "");
    cli_field_int(reply, "pid", pid);
    cli_field_text(reply, "program", program);
    return EBB_OK;
}

ebb_status cli_cmd_info_files(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    ses_modules modules = {0};
    const char *program = ses_get_program(c->session);
    cli_putf(&reply->text, "Symbols from \"%s\".\n", program ? program : "");
    ses_module_list(c->session, &modules);
    for (size_t i = 0; i < modules.n; i++)
        cli_putf(&reply->text, "\t0x%016llx - 0x%016llx is %s\n",
                 (unsigned long long)modules.items[i].lo, (unsigned long long)modules.items[i].hi,
                 modules.items[i].path);
    ebb_vec_fini(&modules);
    return EBB_OK;
}

/* The target of a link in /proc/PID; caller frees. */
static char *proc_link(long pid, const char *name)
{
    char path[64], target[4096];
    snprintf(path, sizeof path, "/proc/%ld/%s", pid, name);
    ssize_t n = readlink(path, target, sizeof target);
    return n < 0 ? ebb_strdup("?") : ebb_strndup(target, (size_t)n);
}

/* A file in /proc/PID; its NULs (of the command line) become blanks. */
static ebb_status proc_file(long pid, const char *name, ebb_buf *out, ebb_error *err)
{
    char path[64];
    size_t before = out->n;
    snprintf(path, sizeof path, "/proc/%ld/%s", pid, name);
    EBB_TRY(ebb_file_read(path, out, err));
    for (size_t i = before; i < out->n; i++)
        if (!out->data[i])
            out->data[i] = ' ';
    return EBB_OK;
}

ebb_status cli_cmd_info_proc(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    long pid = (long)ses_get_process(c->session);
    bool mappings = *call->args && ebb_text_starts("mappings", call->args);
    if (*call->args && !mappings)
        return ebb_fail(err, EBB_BAD_INPUT, "\"info proc\" takes `mappings` or nothing.");
    if (ses_is_core(c->session)) {
        cli_putf(&reply->text, "exe = '%s'\n", ses_get_program(c->session));
        return EBB_OK;
    }
    cli_putf(&reply->text, "process %ld\n", pid);
    if (mappings)
        return proc_file(pid, "maps", &reply->text.bytes, err);
    ebb_buf command = {0};
    ebb_status status = proc_file(pid, "cmdline", &command, err);
    if (status == EBB_OK) {
        char *directory = proc_link(pid, "cwd"), *program = proc_link(pid, "exe");
        char *line = ebb_text_rtrim(command.data ? command.data : (char[]){'\0'});
        cli_putf(&reply->text, "cmdline = '%s'\ncwd = '%s'\nexe = '%s'\n", line, directory,
                 program);
        cli_field_int(reply, "pid", pid);
        cli_field_text(reply, "cmdline", line);
        cli_field_text(reply, "cwd", directory);
        cli_field_text(reply, "exe", program);
        free(directory);
        free(program);
    }
    ebb_buf_fini(&command);
    return status;
}

/* ---- libraries -------------------------------------------------------------------------------- */

static json_t *view_library(cli_text *text, const ses_module *module)
{
    cli_put_stylef(text, CLI_STYLE_ADDRESS, "0x%016llx", (unsigned long long)module->text_lo);
    cli_put(text, "  ");
    cli_put_stylef(text, CLI_STYLE_ADDRESS, "0x%016llx", (unsigned long long)module->text_hi);
    cli_putf(text, "  %-10s  ", module->has_debug_info ? "Yes" : "Yes (*)");
    cli_put_style(text, CLI_STYLE_FILE, module->path);
    cli_put(text, "\n");
    json_t *object = json_object();
    cli_json_text(object, "path", module->path);
    cli_json_address(object, "from", module->text_lo);
    cli_json_address(object, "to", module->text_hi);
    json_object_set_new(object, "debug_info", json_boolean(module->has_debug_info));
    cli_json_text(object, "debug_path", module->debug_path);
    return object;
}

/* The kernel's own code and the program itself are no libraries. */
static bool is_library(const ses_module *module, const char *program)
{
    return *module->path != '[' && !(program && strcmp(module->path, program) == 0);
}

/* What a Java program has instead of libraries. */
ebb_status cli_cmd_info_classes(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    regex_t pattern;
    if (regcomp(&pattern, call->args, REG_EXTENDED | REG_NOSUB) != 0)
        return ebb_fail(err, EBB_BAD_INPUT, "Not a regular expression: \"%.100s\".", call->args);
    ebb_arena arena = {0};
    ses_classes classes = {0};
    ebb_status status = ses_class_list(c->session, &arena, &classes, err);
    json_t *list = json_array();
    size_t n_library = 0;
    for (size_t i = 0; i < classes.n; i++) {
        const ses_class *cls = &classes.items[i];
        bool is_wanted = *call->args ? regexec(&pattern, cls->name, 0, NULL, 0) == 0 : !cls->is_library;
        n_library += cls->is_library && !*call->args;
        if (!is_wanted)
            continue;
        cli_putf(&reply->text, "%-40s %s\n", cls->name, cls->source ? cls->source : "");
        json_t *object = json_object();
        cli_json_text(object, "name", cls->name);
        cli_json_text(object, "source", cls->source);
        json_object_set_new(object, "library", json_boolean(cls->is_library));
        json_array_append_new(list, object);
    }
    if (status == EBB_OK && n_library)
        cli_putf(&reply->text, "and %zu of the JDK; `info classes REGEX` shows those that match.\n", n_library);
    if (status == EBB_OK)
        cli_field_json(reply, "classes", list);
    else
        json_decref(list);
    ebb_vec_fini(&classes);
    ebb_arena_fini(&arena);
    regfree(&pattern);
    return status;
}

ebb_status cli_cmd_info_sharedlibrary(cli *c, const cli_call *call, cli_reply *reply,
                                      ebb_error *err)
{
    if (cli_cmd_info_classes(c, call, reply, NULL) == EBB_OK)
        return EBB_OK;
    ses_modules modules = {0};
    json_t *list = json_array();
    bool lacking = false;
    const char *given = ses_get_program(c->session);
    char *program = given ? realpath(given, NULL) : NULL; /* modules have their full paths */
    if (ses_get_state(c->session) == SES_STOPPED)
        ses_module_list(c->session, &modules);
    for (size_t i = 0; i < modules.n; i++) {
        const ses_module *module = &modules.items[i];
        if (!is_library(module, program))
            continue;
        if (json_array_size(list) == 0)
            cli_putf(&reply->text, "%-18s  %-18s  %-10s  %s\n", "From", "To", "Syms Read",
                     "Shared Object Library");
        lacking |= !module->has_debug_info;
        json_array_append_new(list, view_library(&reply->text, module));
    }
    if (json_array_size(list) == 0)
        cli_put(&reply->text, "No shared libraries loaded at this time.\n");
    if (lacking)
        cli_put(&reply->text, "(*): Shared library is missing debugging information.\n");
    cli_field_json(reply, "libraries", list);
    ebb_vec_fini(&modules);
    free(program);
    return EBB_OK;
}

/* ---- signals ---------------------------------------------------------------------------------- */

static json_t *view_signal(cli_text *text, const ses_signal_policy *policy)
{
    cli_putf(text, "%-13s %s\t%s\t%s\t\t%s\n", policy->name, policy->stop ? "Yes" : "No",
             policy->print ? "Yes" : "No", policy->pass ? "Yes" : "No", policy->description);
    json_t *object = json_object();
    json_object_set_new(object, "number", json_integer(policy->number));
    cli_json_text(object, "name", policy->name);
    cli_json_text(object, "description", policy->description);
    json_object_set_new(object, "stop", json_boolean(policy->stop));
    json_object_set_new(object, "print", json_boolean(policy->print));
    json_object_set_new(object, "pass", json_boolean(policy->pass));
    return object;
}

static void view_signals(cli *c, cli_reply *reply, int only)
{
    json_t *list = json_array();
    cli_put_style(&reply->text, CLI_STYLE_TITLE,
                  "Signal        Stop\tPrint\tPass to program\tDescription");
    cli_put(&reply->text, only ? "\n" : "\n\n");
    for (size_t i = 0; i < ses_signal_count(); i++) {
        ses_signal_policy policy = ses_signal_at(c->session, i);
        if (!only || policy.number == only)
            json_array_append_new(list, view_signal(&reply->text, &policy));
    }
    if (!only)
        cli_put(&reply->text, "\nUse the \"handle\" command to change these tables.\n");
    cli_field_json(reply, "signals", list);
}

ebb_status cli_cmd_info_signals(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    int only = *call->args ? ses_signal_number(call->args) : 0;
    if (*call->args && !only)
        return ebb_fail(err, EBB_BAD_INPUT, "No such signal: \"%.40s\".", call->args);
    view_signals(c, reply, only);
    return EBB_OK;
}

ebb_status cli_cmd_handle(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    ebb_status status = ses_handle(c->session, call->args, err);
    if (status != EBB_OK)
        return status;
    ebb_buf word = {0};
    const char *at = call->args;
    cli_next_word(&at, &word);
    int number = ses_signal_number(ebb_buf_text(&word));
    if (number)
        view_signals(c, reply, number);
    ebb_buf_fini(&word);
    return EBB_OK;
}
