/* session.c - a session's lifetime, its words, and what it says while the debuggee runs. */
#include "session/counted.h"
#include "session/convenience.h"
#include "session/printed.h"
#include "session/edits.h"
#include "session/launch.h"
#include "session/c/modules.h"
#include "session/java/java.h"
#include "session/language.h"
#include "session/move.h"
#include "session/points.h"
#include "session/travel.h"
#include "session/settings_impl.h"
#include "session/signals.h"
#include "session/source.h"
#include "session/stack.h"
#include "session/state.h"
#include "session/c/world.h"

#include <stdio.h>

const char *ses_notice_word(ses_notice_kind kind)
{
    static const char *const words[] = {
#define X(name, word) [name] = word,
        SES_NOTICES(X)
#undef X
    };
    return words[kind];
}

const char *ses_stop_word(ses_stop_kind kind)
{
    static const char *const words[] = {
#define X(name, word) [name] = word,
        SES_STOPS(X)
#undef X
    };
    return words[kind];
}

void ses_strings_clear(ses_strings *strings)
{
    for (size_t i = 0; i < strings->n; i++)
        free(strings->items[i]);
    ebb_vec_fini(strings);
}

session *ses_new(const ses_listener *listener)
{
    session *s = EBB_NEW(session);
    if (listener)
        s->listener = *listener;
    s->exit_code = -1;
    s->language = &ses_language_c;
    s->symbols = sym_table_new();
    s->register_types = ebb_map_new();
    s->names = ebb_map_new();
    ses_settings_init(s);
    ses_signals_init(s);
    ses_convenience_init(s);
    ses_world_init(s);
    ses_sources_init(s);
    return s;
}

const char *ses_intern(session *s, const char *text)
{
    char *known = ebb_map_get(s->names, text);
    if (!known) {
        known = ebb_strdup(text);
        ebb_map_set(s->names, text, known);
    }
    return known;
}

static void free_names(ebb_map *names)
{
    ebb_map_entry entry;
    for (size_t at = 0; ebb_map_next(names, &at, &entry);)
        free(entry.value);
    ebb_map_free(names);
}

void ses_free(session *s)
{
    if (!s)
        return;
    ses_bp_delete_all(s);
    ebb_vec_fini(&s->breakpoints);
    ses_end(s);
    ses_display_delete_all(s);
    ebb_vec_fini(&s->displays);
    ses_printed_fini(s);
    ses_convenience_fini(s);
    ses_macros_fini(s);
    ses_skip_fini(s);
    ses_sources_fini(s);
    ses_edits_fini(s);
    ebb_vec_fini(&s->links);
    free(s->list.file);
    ses_stop_fini(&s->last_stop);
    free(s->complaint);
    ses_stack_fini(&s->stack);
    ebb_vec_fini(&s->threads);
    ebb_vec_fini(&s->past_threads);
    ses_modules_fini(s);
    ses_java_free(s->java);
    ebb_bookmarks_free(s->bookmarks);
    ses_counted_forget_runs(s);
    free(s->recording);
    free(s->recording_folder);
    free(s->replay);
    sym_table_free(s->symbols);
    ebb_map_free(s->register_types);
    free_names(s->names);
    ses_signals_fini(s);
    ses_settings_fini(s);
    ses_launch_fini(s);
    free(s);
}

void ses_end_soon(session *s)
{
    s->interrupts.ends = 1;
    ses_interrupt(s);
}

void ses_interrupt(session *s)
{
    s->interrupted = 1;
    s->interrupts.count++;
    if (s->machine)
        s->machine->ops->interrupt(s->machine);
}

void ses_forget_interrupts(session *s)
{
    s->interrupted = 0;
    if (s->timeline)
        ebb_timeline_forget_interrupts(s->timeline);
}

ses_state ses_get_state(const session *s)
{
    if (ses_has_debuggee(s))
        return SES_STOPPED;
    if (s->has_ended || s->machine)
        return SES_ENDED;
    return s->program ? SES_NOT_STARTED : SES_NO_PROGRAM;
}

bool ses_was_attached(const session *s)
{
    return s->machine && s->attached;
}

pid_t ses_get_pid(const session *s)
{
    if (!ses_has_debuggee(s))
        return 0;
    return ebb_timeline_get_state(s->timeline) == EBB_TIMELINE_LIVE ? s->machine->ops->pid(s->machine) : s->live_pid;
}

pid_t ses_get_process(const session *s)
{
    return ses_has_debuggee(s) ? s->machine->ops->pid(s->machine) : 0;
}

machine *ses_get_machine(session *s)
{
    return s->machine;
}

sym_table *ses_get_symbols(session *s)
{
    return s->symbols;
}

int ses_get_exit_code(const session *s)
{
    return s->exit_code;
}

bool ses_has_trait(const session *s, ses_trait trait)
{
    return s->language->traits >> trait & 1;
}

const char *ses_get_program(const session *s)
{
    return s->program;
}

void ses_say(session *s, ses_notice_kind kind, machine_tid thread, const char *format, ...)
{
    if (!s->listener.notice)
        return;
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ses_notice notice = {.kind = kind, .text = text, .thread = thread};
    s->listener.notice(s->listener.self, &notice);
}

bool ses_has_debuggee(const session *s)
{
    return s->machine && !ses_is_after_end(s);
}

ebb_status ses_need_debuggee(session *s, ebb_error *err)
{
    if (ses_has_debuggee(s))
        return EBB_OK;
    return ebb_fail(err, EBB_GONE, "The program is not being run.");
}

void ses_stop_fini(ses_stop *stop)
{
    char **texts[] = {&stop->watch_text, &stop->old_value, &stop->new_value, &stop->return_value,
                      &stop->catch_text, &stop->complaint};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        free(*texts[i]);
        *texts[i] = NULL;
    }
    for (size_t i = 0; i < stop->more_watches.n; i++) {
        free(stop->more_watches.items[i].text);
        free(stop->more_watches.items[i].old_value);
        free(stop->more_watches.items[i].new_value);
    }
    ebb_vec_fini(&stop->more_watches);
}

void ses_remember_stop(session *s, const ses_stop *stop)
{
    ses_stop_fini(&s->last_stop);
    s->last_stop = *stop;
}
