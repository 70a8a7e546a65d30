/* view_stop.c - a stop: why, where, and what the displays show there. */
#include "front/cli/view.h"

#include "base/text.h"
#include "front/cli/output.h"
#include "front/cli/signals.h"

#include <signal.h>
#include <string.h>

/* "Program", or, once there are several threads, the one that the stop is about. */
static void put_subject(cli *c, cli_text *text, const ses_stop *stop)
{
    ses_threads threads = {0};
    ses_thread_list(c->session, &threads);
    const ses_thread *about = NULL;
    for (size_t i = 0; i < threads.n; i++)
        if (threads.items[i].tid == stop->thread)
            about = &threads.items[i];
    if (about && ses_thread_ever_several(c->session))
        cli_putf(text, "Thread %u \"%s\"", about->number, about->name);
    else
        cli_put(text, "Program");
    ebb_vec_fini(&threads);
}

/* "Thread 2 "worker" hit " in front of a breakpoint's name; nothing if there was only ever one thread. */
static void put_hitter(cli *c, cli_text *text, const ses_stop *stop)
{
    cli_text subject = {0};
    put_subject(c, &subject, stop);
    if (strcmp(ebb_buf_text(&subject.bytes), "Program") != 0)
        cli_putf(text, "%s hit ", ebb_buf_text(&subject.bytes));
    cli_text_fini(&subject);
}

static void put_signal(cli *c, cli_text *text, const ses_stop *stop, int number)
{
    cli_put(text, "\n");
    put_subject(c, text, stop);
    cli_putf(text, " received signal %s, %s.\n", ses_signal_name(number),
             ses_signal_description(number));
}

static const char *watch_title(cli *c, int number)
{
    const ses_breakpoint *bp = ses_bp_get(c->session, number);
    if (!bp)
        return "Watchpoint";
    switch (bp->kind) {
    case SES_BP_RWATCH: return bp->hardware ? "Hardware read watchpoint" : "Read watchpoint";
    case SES_BP_AWATCH: return bp->hardware ? "Hardware access (read/write) watchpoint" : "Access (read/write) watchpoint";
    default: return bp->hardware ? "Hardware watchpoint" : "Watchpoint";
    }
}

static void put_one_watch(cli *c, cli_text *text, const ses_stop *stop, const ses_watch_told *told)
{
    const char *expression = told->text ? told->text : "";
    cli_put(text, "\n");
    if (told->number == 0) {
        cli_putf(text, "Last write to %s\n\n", expression);
    } else {
        put_hitter(c, text, stop);
        cli_putf(text, "%s %d: %s\n\n", watch_title(c, told->number), told->number, expression);
    }
    bool changed = told->old_value && told->new_value && strcmp(told->old_value, told->new_value) != 0;
    if (changed)
        cli_putf(text, "Old value = %s\nNew value = %s\n", told->old_value, told->new_value);
    else if (told->new_value)
        cli_putf(text, "Value = %s\n", told->new_value);
}

/* "Breakpoint 1, ", "Temporary breakpoint 2.1, ". */
static void put_breakpoint(cli_text *text, const ses_stop *stop, size_t i)
{
    cli_putf(text, "%s %d", stop->breakpoint_was_temporary[i] ? "Temporary breakpoint" : "Breakpoint", stop->breakpoints[i]);
    if (stop->breakpoint_location[i])
        cli_putf(text, ".%u", stop->breakpoint_location[i]);
    cli_put(text, ", ");
}

static bool is_watch(const ses_stop *stop, int number)
{
    bool is_told = number == stop->watch_number;
    for (size_t i = 0; i < stop->more_watches.n; i++)
        is_told |= number == stop->more_watches.items[i].number;
    return is_told;
}

/* A breakpoint at the place where a watchpoint stopped was hit, too. */
static void put_breakpoint_beside(cli *c, cli_text *text, const ses_stop *stop)
{
    for (size_t i = 0; i < stop->n_breakpoints; i++)
        if (!is_watch(stop, stop->breakpoints[i])) {
            cli_put(text, "\n");
            put_hitter(c, text, stop);
            put_breakpoint(text, stop, i);
            return;
        }
}

static void put_watches(cli *c, cli_text *text, const ses_stop *stop)
{
    ses_watch_told first = {stop->watch_number, stop->watch_text, stop->old_value, stop->new_value};
    put_one_watch(c, text, stop, &first);
    for (size_t i = 0; i < stop->more_watches.n; i++)
        put_one_watch(c, text, stop, &stop->more_watches.items[i]);
    put_breakpoint_beside(c, text, stop);
}

static void put_scope(cli *c, cli_text *text, const ses_stop *stop)
{
    if (stop->machine.is_new)
        cli_putf(text, "\nWatchpoint %d deleted because its object is gone: another one was made\nin its place.\n", stop->watch_number);
    else
        cli_putf(text, "\nWatchpoint %d deleted because the program has left the block in\nwhich its expression is valid.\n", stop->watch_number);
    put_breakpoint_beside(c, text, stop);
}

static void put_exit(cli *c, cli_text *text, const ses_stop *stop)
{
    long pid = (long)c->pid;
    if (stop->machine.exit_status)
        cli_putf(text, "[Inferior 1 (process %ld) exited with code 0%o]\n", pid,
                 (unsigned)stop->machine.exit_status);
    else
        cli_putf(text, "[Inferior 1 (process %ld) exited normally]\n", pid);
}

/* "Catchpoint 1 (exception thrown), "; false if that breakpoint is for something else. */
static bool put_exception(cli *c, cli_text *text, int number)
{
    const ses_breakpoint *bp = number ? ses_bp_get(c->session, number) : NULL;
    if (!bp || !bp->exception)
        return false;
    const char *done = strcmp(bp->exception, "catch") == 0 ? "caught" : strcmp(bp->exception, "throw") == 0 ? "thrown" : "rethrown";
    cli_putf(text, "Catchpoint %d (exception %s), ", number, done);
    return true;
}

/* The reason, as gdb words it.  What needs no words (a step that is done) has none. */
static void put_reason(cli *c, cli_text *text, const ses_stop *stop)
{
    int number = stop->n_breakpoints ? stop->breakpoints[0] : 0;
    bool temporary = stop->n_breakpoints && stop->breakpoint_was_temporary[0];
    switch (stop->kind) {
    case SES_STOP_BREAKPOINT:
        cli_put(text, "\n");
        put_hitter(c, text, stop);
        if (put_exception(c, text, number))
            break;
        if (stop->n_breakpoints)
            put_breakpoint(text, stop, 0);
        break;
    case SES_STOP_CATCH:
        cli_put(text, "\n");
        put_hitter(c, text, stop);
        cli_putf(text, "%s %d (%s), ", temporary ? "Temporary catchpoint" : "Catchpoint", number,
                 stop->catch_text ? stop->catch_text : "");
        break;
    case SES_STOP_WATCHPOINT: put_watches(c, text, stop); break;
    case SES_STOP_WATCH_SCOPE: put_scope(c, text, stop); break;
    case SES_STOP_SIGNAL: put_signal(c, text, stop, stop->machine.signal); break;
    case SES_STOP_TRAP: put_signal(c, text, stop, SIGTRAP); break;
    case SES_STOP_INTERRUPTED: put_signal(c, text, stop, SIGINT); break;
    case SES_STOP_EXITED: put_exit(c, text, stop); break;
    case SES_STOP_KILLED:
        cli_putf(text, "\nProgram terminated with signal %s, %s.\nThe program no longer exists.\n",
                 ses_signal_name(stop->machine.signal),
                 ses_signal_description(stop->machine.signal));
        break;
    case SES_STOP_HISTORY_START: cli_put(text, stop->thread_began ? "\nThe thread began here.\n" : "\nNo more reverse-execution history.\n"); break;
    case SES_STOP_HISTORY_END: cli_put(text, "\nEnd of the recorded history.\n"); break;
    case SES_STOP_UNCAUGHT:
        cli_put(text, "\n");
        put_subject(c, text, stop);
        cli_putf(text, " threw %s, and nothing catches it.\n", stop->catch_text);
        break;
    case SES_STOP_POSITION:
    case SES_STOP_STARTED:
    case SES_STOP_ATTACHED:
    case SES_STOP_CORE: /* cmd_core.c says how it died */
    case SES_STOP_STEP:
    case SES_STOP_FINISHED:
    case SES_STOP_LOCATION:
    case SES_STOP_EXEC: break;
    }
}

/* A step that stays in its frame shows just the new line. */
static unsigned parts_to_show(const ses_stop *stop, const ses_frame *frame)
{
    bool line_is_enough = stop->kind == SES_STOP_STEP && stop->same_frame && frame->has_line;
    unsigned level = stop->kind == SES_STOP_CORE ? CLI_FRAME_LEVEL : 0;
    return line_is_enough ? CLI_FRAME_SOURCE : level | CLI_FRAME_LOCATION | CLI_FRAME_SOURCE;
}

static void add_breakpoints(cli_reply *reply, const ses_stop *stop)
{
    if (stop->n_breakpoints == 0)
        return;
    json_t *numbers = json_array();
    for (size_t i = 0; i < stop->n_breakpoints; i++)
        json_array_append_new(numbers, json_integer(stop->breakpoints[i]));
    cli_field_json(reply, "breakpoints", numbers);
}

static void add_more_watches(cli_reply *reply, const ses_stop *stop)
{
    if (stop->more_watches.n == 0)
        return;
    json_t *list = json_array();
    for (size_t i = 0; i < stop->more_watches.n; i++) {
        const ses_watch_told *told = &stop->more_watches.items[i];
        json_t *one = json_object();
        json_object_set_new(one, "number", json_integer(told->number));
        cli_json_text(one, "expression", told->text);
        cli_json_text(one, "old", told->old_value);
        cli_json_text(one, "new", told->new_value);
        json_array_append_new(list, one);
    }
    cli_field_json(reply, "more_watches", list);
}

static void add_reason(cli *c, cli_reply *reply, const ses_stop *stop)
{
    cli_field_text(reply, "reason", ses_stop_word(stop->kind));
    add_breakpoints(reply, stop);
    cli_field_text(reply, "expression", stop->watch_text);
    cli_field_text(reply, "old", stop->old_value);
    cli_field_text(reply, "new", stop->new_value);
    if (stop->watch_number)
        cli_field_int(reply, "watchpoint", stop->watch_number);
    add_more_watches(reply, stop);
    cli_field_text(reply, "caught", stop->catch_text);
    cli_field_text(reply, "returned", stop->return_value);
    if (stop->return_number)
        cli_field_int(reply, "history", stop->return_number);
    if (stop->kind == SES_STOP_SIGNAL || stop->kind == SES_STOP_KILLED)
        cli_field_text(reply, "signal", ses_signal_name(stop->machine.signal));
    if (stop->kind == SES_STOP_INTERRUPTED)
        cli_field_text(reply, "signal", "SIGINT");
    if (stop->kind == SES_STOP_EXITED)
        cli_field_int(reply, "exit_code", stop->machine.exit_status);
}

static void add_frame(cli *c, cli_reply *reply, const ses_stop *stop, const ses_frame *frame)
{
    cli_field_json(reply, "frame", cli_view_frame(c, &reply->text, frame, parts_to_show(stop, frame)));
    if (frame->has_line)
        cli_field_int(reply, "line", frame->line.line);
}

static void add_place(cli *c, cli_reply *reply, const ses_stop *stop)
{
    const ses_frame *frame;
    cli_field_int(reply, "thread", ses_thread_number(c->session, stop->thread));
    cli_field_int(reply, "tid", (long long)stop->thread);
    ebb_status status = ses_frame_get(c->session, 0, &frame, NULL);
    if (status == EBB_OK)
        add_frame(c, reply, stop, frame);
    else if (status == EBB_NOT_FOUND)
        cli_put(&reply->text, "(no frame)\n"); /* the thread runs no code of the program: it is about to end, say */
    else
        return;
    char *position = NULL;
    if (ses_when(c->session, false, &position, NULL) == EBB_OK) { /* else nobody counts time here */
        cli_putf(&reply->text, "%s\n", position);
        cli_field_text(reply, "position", position);
        free(position);
    }
}

static void add_returned(cli_reply *reply, const ses_stop *stop)
{
    if (stop->kind == SES_STOP_FINISHED && stop->return_value)
        cli_putf(&reply->text, "Value returned is $%d = %s\n", stop->return_number,
                 stop->return_value);
}

json_t *cli_view_displays(cli *c, cli_text *text)
{
    json_t *list = json_array();
    for (size_t i = 0; i < ses_display_count(c->session); i++) {
        ses_display display = ses_display_at(c->session, i);
        ebb_buf shown = {0};
        if (display.enabled && ses_display_text(c->session, i, &shown)) {
            cli_put(text, ebb_buf_text(&shown));
            if (shown.n && shown.data[shown.n - 1] != '\n')
                cli_put(text, "\n");
            json_t *object = json_object();
            json_object_set_new(object, "number", json_integer(display.number));
            cli_json_text(object, "expression", display.expression);
            cli_json_text(object, "text", ebb_text_rtrim(shown.data));
            json_array_append_new(list, object);
        }
        ebb_buf_fini(&shown);
    }
    return list;
}

static void add_displays(cli *c, cli_reply *reply)
{
    json_t *displays = cli_view_displays(c, &reply->text);
    if (json_array_size(displays))
        cli_field_json(reply, "displays", displays);
    else
        json_decref(displays);
}

/* The commands of every breakpoint that was reached; `silent` in front keeps the stop quiet. */
static void add_follow_up(cli *c, cli_reply *reply, const ses_stop *stop)
{
    ebb_buf lines = {0};
    for (size_t i = 0; i < stop->n_breakpoints; i++) {
        const ses_breakpoint *bp = ses_bp_get(c->session, stop->breakpoints[i]);
        if (!bp || !bp->commands)
            continue;
        const char *commands = ebb_text_skip_space(bp->commands);
        size_t first = strcspn(commands, " \t\n");
        if (first == strlen("silent") && memcmp(commands, "silent", first) == 0) {
            reply->is_quiet = true;
            commands += first;
        }
        ebb_buf_addf(&lines, "%s\n", commands);
    }
    if (lines.n)
        reply->follow_up = ebb_buf_take(&lines);
}

static void put_switch(cli *c, cli_text *text, machine_tid thread)
{
    ebb_arena arena = {0};
    cli_putf(text, "[Switching to thread %u (%s)]\n", ses_thread_number(c->session, thread),
             ses_thread_words(c->session, &arena, thread));
    ebb_arena_fini(&arena);
}

void cli_view_stop(cli *c, cli_reply *reply, const ses_stop *stop)
{
    reply->kind = CLI_STOP;
    c->was_interrupted = stop->kind == SES_STOP_INTERRUPTED ||
                         (stop->kind == SES_STOP_SIGNAL && stop->machine.signal == SIGINT);
    add_reason(c, reply, stop);
    if (stop->thread_changed)
        put_switch(c, &reply->text, stop->thread);
    put_reason(c, &reply->text, stop);
    if (ses_get_state(c->session) == SES_STOPPED) {
        add_place(c, reply, stop);
        add_returned(reply, stop);
        add_displays(c, reply);
    }
    add_follow_up(c, reply, stop);
}
