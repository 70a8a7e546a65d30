/* catch.c - catchpoints: stops at what the program does rather than at where it is. */
#include "machine/native.h"
#include "session/convenience.h"
#include "session/hits.h"
#include "session/language.h"
#include "session/points.h"
#include "session/shell_words.h"
#include "session/signals.h"

#include <regex.h>
#include <string.h>

struct ses_catch_state {
    EBB_VEC(long) syscalls; /* none: every one */
    uint64_t signals;       /* bit n-1 is signal n; 0: every one but the debugger's own */
    bool thread_start, thread_end;
    char *class_name;       /* of the exceptions; NULL: every one */
    ses_bp_place place; /* for the condition */
};

void ses_catch_free(ses_catch_state *c)
{
    ebb_vec_fini(&c->syscalls);
    free(c->class_name);
    ebb_arena_fini(&c->place.condition_arena);
    free(c);
}

/* ---- parsing -------------------------------------------------------------------------------- */

typedef struct catch_word {
    const char *word;
    ses_bp_kind kind;
} catch_word;

static const catch_word catch_words[] = {
    {"fork", SES_BP_CATCH_FORK},     {"vfork", SES_BP_CATCH_VFORK},
    {"exec", SES_BP_CATCH_EXEC},     {"syscall", SES_BP_CATCH_SYSCALL},
    {"signal", SES_BP_CATCH_SIGNAL}, {"thread", SES_BP_CATCH_THREAD},
    {"throw", SES_BP_CATCH_THROW},   {"catch", SES_BP_CATCH_CATCH},
};

static ebb_status parse_syscall(const session *s, ses_catch_state *c, const char *word, ebb_error *err)
{
    uint64_t number;
    long syscall = ebb_text_to_u64(word, &number) ? (long)number : s->language->syscall_number(word);
    if (syscall < 0)
        return ebb_fail(err, EBB_NOT_FOUND, "Unknown syscall name '%.60s'.", word);
    ebb_vec_push(&c->syscalls, syscall);
    return EBB_OK;
}

static ebb_status parse_signal(ses_catch_state *c, const char *word, ebb_error *err)
{
    int number = ses_signal_number(word);
    if (strcmp(word, "all") == 0)
        c->signals = ~(uint64_t)0;
    else if (number == 0)
        return ebb_fail(err, EBB_NOT_FOUND, "Unknown signal name '%.60s'.", word);
    else
        c->signals |= (uint64_t)1 << (number - 1);
    return EBB_OK;
}

static ebb_status parse_thread(ses_catch_state *c, const char *word, ebb_error *err)
{
    if (strcmp(word, "start") == 0)
        c->thread_start = true;
    else if (strcmp(word, "end") == 0 || strcmp(word, "exit") == 0)
        c->thread_end = true;
    else
        return ebb_fail(err, EBB_BAD_INPUT, "catch thread: start or end is expected, not '%.60s'.",
                        word);
    return EBB_OK;
}

static ebb_status parse_class(ses_catch_state *c, const char *word, ebb_error *err)
{
    if (c->class_name)
        return ebb_fail(err, EBB_BAD_INPUT, "Junk at end of arguments: %.60s", word);
    c->class_name = ebb_strdup(word);
    return EBB_OK;
}

static ebb_status parse_detail(const session *s, ses_bp_kind kind, ses_catch_state *c, const char *word,
                               ebb_error *err)
{
    switch (kind) {
    case SES_BP_CATCH_SYSCALL: return parse_syscall(s, c, word, err);
    case SES_BP_CATCH_SIGNAL: return parse_signal(c, word, err);
    case SES_BP_CATCH_THREAD: return parse_thread(c, word, err);
    case SES_BP_CATCH_THROW:
    case SES_BP_CATCH_CATCH: return parse_class(c, word, err);
    default: return ebb_fail(err, EBB_BAD_INPUT, "Junk at end of arguments: %.60s", word);
    }
}

/* What there is to catch in this language. */
static ebb_status fail_event(const session *s, ebb_error *err)
{
    ebb_buf words = {0};
    for (size_t i = 0; i < sizeof catch_words / sizeof *catch_words; i++)
        if (s->language->catches >> catch_words[i].kind & 1)
            ebb_buf_addf(&words, "%s%s", words.n ? ", " : "", catch_words[i].word);
    ebb_status status = ebb_fail(err, EBB_BAD_INPUT, "Catch what?  In a %s program, one of %s.",
                                 s->language->name, ebb_buf_text(&words));
    ebb_buf_fini(&words);
    return status;
}

static ebb_status parse(const session *s, const ses_strings *words, ses_bp_kind *kind,
                        ses_catch_state *c, ebb_error *err)
{
    for (size_t i = 0; words->n > 0 && i < sizeof catch_words / sizeof *catch_words; i++) {
        if (strcmp(words->items[0], catch_words[i].word) != 0 ||
            !(s->language->catches >> catch_words[i].kind & 1))
            continue;
        *kind = catch_words[i].kind;
        for (size_t k = 1; k < words->n; k++)
            EBB_TRY(parse_detail(s, *kind, c, words->items[k], err));
        if (*kind == SES_BP_CATCH_THREAD && words->n == 1)
            c->thread_start = c->thread_end = true;
        return EBB_OK;
    }
    return fail_event(s, err);
}

/* Exceptions of C++ pass these functions of its library. */
static const struct {
    const char *word, *function;
} cplus_words[] = {{"throw", "__cxa_throw"}, {"rethrow", "__cxa_rethrow"}, {"catch", "__cxa_begin_catch"}};

static ebb_status check_type(const ses_break_request *request, ebb_error *err)
{
    regex_t compiled;
    if (!request->exception_type)
        return EBB_OK;
    if (regcomp(&compiled, request->exception_type, REG_NOSUB) != 0)
        return ebb_fail(err, EBB_BAD_INPUT, "Not a regular expression: \"%.100s\".", request->exception_type);
    regfree(&compiled);
    return EBB_OK;
}

bool ses_exception_here(session *s, char **type, char **message)
{
    *type = *message = NULL;
    return s->language->exception_here(s, type, message);
}

static ebb_status catch_cplus(session *s, const char *what, bool temporary, int *number, bool *is_it, ebb_error *err)
{
    *is_it = false;
    size_t n = strcspn(what, " \t");
    for (size_t i = 0; i < sizeof cplus_words / sizeof *cplus_words && !s->language->code_comes_later; i++) {
        if (strlen(cplus_words[i].word) != n || strncmp(cplus_words[i].word, what, n) != 0)
            continue;
        *is_it = true;
        const char *type = ebb_text_skip_space(what + n);
        ses_break_request request = {.where = cplus_words[i].function,
                                     .exception = cplus_words[i].word,
                                     .exception_type = *type ? type : NULL,
                                     .temporary = temporary,
                                     .allow_pending = true};
        EBB_TRY(check_type(&request, err));
        return ses_break(s, &request, number, err);
    }
    return EBB_OK;
}

/* What only a program that runs tells is never met in a recording. */
static ebb_status check_can_happen(const session *s, ses_bp_kind kind, ebb_error *err)
{
    if (!s->replay || !(s->language->catches_live_only >> kind & 1))
        return EBB_OK;
    return ebb_fail(err, EBB_UNSUPPORTED, "That can be caught while the program runs; of what a recording has, signals and exceptions.");
}

void ses_catch_tell_unmet(session *s)
{
    for (size_t i = 0; i < s->breakpoints.n; i++) {
        const ses_breakpoint *view = &s->breakpoints.items[i]->view;
        if (view->enabled && !view->is_implied && s->language->catches_live_only >> view->kind & 1)
            ses_say(s, SES_NOTICE_WARNING, 0, "Catchpoint %d is met while the program runs, not in its past.", view->number);
    }
}

void ses_bp_imply(session *s, int number)
{
    for (size_t i = 0; i < s->breakpoints.n; i++)
        if (s->breakpoints.items[i]->view.number == number)
            s->breakpoints.items[i]->view.is_implied = true;
}

ebb_status ses_catch(session *s, const char *what, bool temporary, int *number, ebb_error *err)
{
    bool is_cplus;
    EBB_TRY(catch_cplus(s, ebb_text_skip_space(what), temporary, number, &is_cplus, err));
    if (is_cplus)
        return EBB_OK;
    ses_strings words = {0};
    ses_catch_state *c = EBB_NEW(ses_catch_state);
    ses_bp_kind kind = SES_BP_CATCH_FORK;
    ebb_status status = ses_words_split(what, &words, err);
    if (status == EBB_OK)
        status = parse(s, &words, &kind, c, err);
    if (status == EBB_OK)
        status = check_can_happen(s, kind, err);
    ses_strings_clear(&words);
    if (status != EBB_OK) {
        ses_catch_free(c);
        return status;
    }
    ses_bp *bp = ses_bp_new(s, kind, ebb_text_skip_space(what));
    bp->catch_ = c;
    bp->view.temporary = temporary;
    ses_bp_enlist(s, bp);
    *number = bp->view.number;
    return ses_catch_events(s, err);
}

/* ---- what the machine has to tell ----------------------------------------------------------- */

/* The setting `stop-on-uncaught`: a stop of its own, without a catchpoint. */
static bool stops_on_uncaught(const session *s)
{
    return (s->language->catches >> SES_BP_CATCH_THROW & 1) && ses_setting_flag(s, "stop-on-uncaught");
}

static bool any_wants(const session *s, machine_event event)
{
    if (s->events_requested >> event & 1)
        return true;
    if (event == MACHINE_EVENT_UNCAUGHT)
        return stops_on_uncaught(s);
    if (event == MACHINE_EVENT_FORK || event == MACHINE_EVENT_EXEC)
        return true; /* the user is told of these */
    for (size_t i = 0; i < s->breakpoints.n; i++) {
        const ses_bp *bp = s->breakpoints.items[i];
        if (!bp->catch_ || !bp->view.enabled)
            continue;
        if ((event == MACHINE_EVENT_SYSCALL && bp->view.kind == SES_BP_CATCH_SYSCALL) ||
            (event == MACHINE_EVENT_THREAD_START && bp->catch_->thread_start) ||
            (event == MACHINE_EVENT_THREAD_END && bp->catch_->thread_end) ||
            (event == MACHINE_EVENT_THROW && bp->view.kind == SES_BP_CATCH_THROW) ||
            (event == MACHINE_EVENT_CATCH && bp->view.kind == SES_BP_CATCH_CATCH))
            return true;
    }
    return false;
}

static void want_calls(const ses_catch_state *c, machine_call_set *wanted)
{
    if (c->syscalls.n == 0)
        machine_call_set_fill(wanted);
    for (size_t i = 0; i < c->syscalls.n; i++)
        machine_call_set_add(wanted, (uint64_t)c->syscalls.items[i]);
}

/* A program may make a million calls that no catchpoint is about. */
static void tell_calls(session *s)
{
    machine_call_set wanted = {0};
    if (!s->machine->native || !s->machine->native->calls_wanted)
        return;
    for (size_t i = 0; i < s->breakpoints.n; i++) {
        const ses_bp *bp = s->breakpoints.items[i];
        if (bp->view.kind == SES_BP_CATCH_SYSCALL && bp->view.enabled)
            want_calls(bp->catch_, &wanted);
    }
    s->machine->native->calls_wanted(s->machine, &wanted);
}

ebb_status ses_catch_events(session *s, ebb_error *err)
{
    /* Which kind of catchpoint makes sense where the machine knows of the event. */
    static const struct {
        machine_event event;
        ses_bp_kind kind;
    } events[] = {
        {MACHINE_EVENT_FORK, SES_BP_CATCH_FORK},
        {MACHINE_EVENT_EXEC, SES_BP_CATCH_EXEC},
        {MACHINE_EVENT_SYSCALL, SES_BP_CATCH_SYSCALL},
        {MACHINE_EVENT_THREAD_START, SES_BP_CATCH_THREAD},
        {MACHINE_EVENT_THREAD_END, SES_BP_CATCH_THREAD},
        {MACHINE_EVENT_THROW, SES_BP_CATCH_THROW},
        {MACHINE_EVENT_CATCH, SES_BP_CATCH_CATCH},
        {MACHINE_EVENT_UNCAUGHT, SES_BP_CATCH_THROW},
        {MACHINE_EVENT_LOCK_BLOCKED, SES_BP_CATCH_CATCH},
        {MACHINE_EVENT_LOCK_ENTERED, SES_BP_CATCH_CATCH},
        {MACHINE_EVENT_WAIT, SES_BP_CATCH_CATCH},
        {MACHINE_EVENT_WAITED, SES_BP_CATCH_CATCH},
    };
    if (!s->machine)
        return EBB_OK;
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        if (s->language->catches >> events[i].kind & 1)
            EBB_TRY(s->machine->ops->event_set(s->machine, events[i].event,
                                               any_wants(s, events[i].event), err));
    tell_calls(s);
    ses_signals_apply(s);
    return EBB_OK;
}

/* ---- at a stop ------------------------------------------------------------------------------ */

static bool has_syscall(const ses_catch_state *c, long number)
{
    for (size_t i = 0; i < c->syscalls.n; i++)
        if (c->syscalls.items[i] == number)
            return true;
    return c->syscalls.n == 0;
}

static bool has_class(session *s, const ses_catch_state *c, uint64_t object)
{
    return !c->class_name || s->language->is_exception_of(s, c->class_name, object);
}

static bool matches(session *s, const ses_bp *bp, const machine_stop *at)
{
    switch (at->kind) {
    case MACHINE_STOP_FORKED:
        return bp->view.kind == (at->vfork ? SES_BP_CATCH_VFORK : SES_BP_CATCH_FORK);
    case MACHINE_STOP_EXEC: return bp->view.kind == SES_BP_CATCH_EXEC;
    case MACHINE_STOP_THREAD_START: return bp->catch_->thread_start;
    case MACHINE_STOP_THREAD_END: return bp->catch_->thread_end;
    case MACHINE_STOP_SYSCALL_ENTRY:
    case MACHINE_STOP_SYSCALL_RETURN:
        return bp->view.kind == SES_BP_CATCH_SYSCALL && has_syscall(bp->catch_, at->syscall);
    case MACHINE_STOP_THROW:
        return bp->view.kind == SES_BP_CATCH_THROW && has_class(s, bp->catch_, at->object);
    case MACHINE_STOP_CATCH:
        return bp->view.kind == SES_BP_CATCH_CATCH && has_class(s, bp->catch_, at->object);
    default: return false;
    }
}

/* "exception thrown: java.lang.IllegalStateException: empty".  The exception becomes $_exception. */
static char *describe_exception(session *s, const machine_stop *at, const char *title)
{
    ebb_buf text = {0};
    void *value = s->language->exception_value(s, at->object);
    if (value)
        ses_convenience_set(s, "_exception", value);
    ebb_buf_adds(&text, title);
    s->language->exception_words(s, at->object, &text);
    return ebb_buf_take(&text);
}

static char *describe(session *s, const machine_stop *at)
{
    const char *name = s->language->syscall_name(at->syscall);
    switch (at->kind) {
    case MACHINE_STOP_FORKED:
        return ebb_asprintf("%sed process %d", at->vfork ? "vfork" : "fork", (int)at->child);
    case MACHINE_STOP_EXEC: return ebb_asprintf("exec'd %s", s->machine->ops->program(s->machine));
    case MACHINE_STOP_THREAD_START: return ebb_asprintf("thread %ld started", (long)at->thread);
    case MACHINE_STOP_THREAD_END: return ebb_asprintf("thread %ld ended", (long)at->thread);
    case MACHINE_STOP_SYSCALL_ENTRY:
    case MACHINE_STOP_SYSCALL_RETURN: {
        const char *verb = at->kind == MACHINE_STOP_SYSCALL_ENTRY ? "call to" : "returned from";
        return name ? ebb_asprintf("%s syscall %s", verb, name)
                    : ebb_asprintf("%s syscall %ld", verb, at->syscall);
    }
    case MACHINE_STOP_THROW: return describe_exception(s, at, "exception thrown: ");
    case MACHINE_STOP_CATCH: return describe_exception(s, at, "exception caught: ");
    default: return ebb_strdup("");
    }
}

static void stop_at(session *s, ses_bp *bp, char *text, ses_stop *stop)
{
    stop->kind = SES_STOP_CATCH;
    free(stop->catch_text);
    stop->catch_text = text;
    ses_stop_add_breakpoint(s, stop, bp);
}

bool ses_check_catch(session *s, const machine_stop *at, ses_stop *stop)
{
    for (size_t i = 0; i < s->breakpoints.n; i++) {
        ses_bp *bp = s->breakpoints.items[i];
        if (!bp->catch_ || !bp->view.enabled || !matches(s, bp, at) ||
            !ses_bp_passes(s, bp, &bp->catch_->place, at->thread))
            continue;
        stop->machine = *at;
        stop->thread = at->thread;
        stop_at(s, bp, describe(s, at), stop);
        return true;
    }
    if (at->kind != MACHINE_STOP_THROW || !at->is_uncaught || !stops_on_uncaught(s))
        return false;
    stop->machine = *at;
    stop->thread = at->thread;
    stop->kind = SES_STOP_UNCAUGHT;
    stop->catch_text = describe_exception(s, at, "");
    return true;
}

static bool wants_signal(const ses_bp *bp, int signal)
{
    if (bp->view.kind != SES_BP_CATCH_SIGNAL || !bp->view.enabled)
        return false;
    if (bp->catch_->signals == 0)
        return signal != SIGINT && signal != SIGTRAP;
    return bp->catch_->signals >> (signal - 1) & 1;
}

bool ses_catches_signal(const session *s, int signal)
{
    for (size_t i = 0; i < s->breakpoints.n; i++)
        if (wants_signal(s->breakpoints.items[i], signal))
            return true;
    return false;
}

bool ses_check_catch_signal(session *s, int signal, ses_stop *stop)
{
    for (size_t i = 0; i < s->breakpoints.n; i++) {
        ses_bp *bp = s->breakpoints.items[i];
        if (!wants_signal(bp, signal) || !ses_bp_passes(s, bp, &bp->catch_->place, s->thread))
            continue;
        stop_at(s, bp, ebb_asprintf("signal %s", ses_signal_name(signal)), stop);
        return true;
    }
    return false;
}
