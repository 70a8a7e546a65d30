/* threads.c - see threads.h and frames.h. */
#include "session/threads.h"
#include "session/language.h"
#include "session/stack.h"

#include <string.h>

static ses_thread_record *find_thread(const session *s, machine_tid tid)
{
    for (size_t i = 0; i < s->threads.n; i++)
        if (s->threads.items[i].tid == tid)
            return &s->threads.items[i];
    return NULL;
}

bool ses_thread_exists(const session *s, machine_tid tid)
{
    return find_thread(s, tid) != NULL;
}

bool ses_thread_is_helper(const session *s, machine_tid tid)
{
    const ses_thread_record *thread = find_thread(s, tid);
    return thread && thread->is_helper;
}

static bool machine_has(const machine_thread *threads, size_t n, machine_tid tid)
{
    for (size_t i = 0; i < n; i++)
        if (threads[i].tid == tid)
            return true;
    return false;
}

/* A thread that is met again, before its end or after its beginning, is the one that it was. */
static bool recall(session *s, machine_tid tid, ses_thread_record *record)
{
    for (size_t i = 0; i < s->past_threads.n; i++)
        if (s->past_threads.items[i].tid == tid) {
            *record = s->past_threads.items[i];
            return true;
        }
    return false;
}

static void remember(session *s, const ses_thread_record *thread)
{
    ses_thread_record known;
    if (machine_can(s->machine, MACHINE_RECORDS) && !recall(s, thread->tid, &known))
        ebb_vec_push(&s->past_threads, *thread);
}

void ses_threads_leave(session *s)
{
    for (size_t i = 0; i < s->threads.n; i++)
        remember(s, &s->threads.items[i]);
    s->threads.n = 0;
}

static void add_thread(session *s, const machine_thread *met, bool quiet);

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* the two formats are below */
static void say(session *s, ses_notice_kind kind, const ses_thread_record *thread, const char *format)
{
    ebb_buf words = {0};
    s->language->thread_words(s, thread->tid, &words);
    ses_say(s, kind, thread->tid, format, thread->number, ebb_buf_text(&words));
    ebb_buf_fini(&words);
}
#pragma GCC diagnostic pop

void ses_threads_sync(session *s, bool quiet)
{
    size_t n;
    const machine_thread *threads = s->machine->ops->threads(s->machine, &n);
    for (size_t i = s->threads.n; i-- > 0;) {
        machine_tid tid = s->threads.items[i].tid;
        if (machine_has(threads, n, tid))
            continue;
        if (!quiet && !s->threads.items[i].is_helper)
            say(s, SES_NOTICE_THREAD_END, &s->threads.items[i], "[Thread %u (%s) exited]");
        remember(s, &s->threads.items[i]);
        ebb_vec_remove(&s->threads, i);
    }
    for (size_t i = 0; i < n; i++)
        if (!find_thread(s, threads[i].tid))
            add_thread(s, &threads[i], quiet);
}

/* In the order of numbers: one that is met again comes where it was. */
static void enlist(session *s, const ses_thread_record *thread)
{
    size_t at = s->threads.n;
    ebb_vec_push(&s->threads, *thread);
    for (; at > 0 && s->threads.items[at - 1].number > thread->number; at--)
        s->threads.items[at] = s->threads.items[at - 1];
    s->threads.items[at] = *thread;
}

static bool is_taken(const session *s, unsigned number)
{
    for (size_t i = 0; i < s->threads.n; i++)
        if (s->threads.items[i].number == number)
            return true;
    for (size_t i = 0; i < s->past_threads.n; i++)
        if (s->past_threads.items[i].number == number)
            return true;
    return false;
}

/* The machine's own, if it has one: then it is the same in every replay, whichever threads are met first. */
static unsigned number_for(session *s, const machine_thread *met)
{
    unsigned number = met->number && !is_taken(s, met->number) ? met->number : s->last_thread_number + 1;
    if (number > s->last_thread_number)
        s->last_thread_number = number;
    return number;
}

static void add_thread(session *s, const machine_thread *met, bool quiet)
{
    ses_thread_record record;
    machine_tid tid = met->tid;
    bool is_known = recall(s, tid, &record);
    if (!is_known) {
        record = (ses_thread_record){.number = number_for(s, met), .tid = tid, .is_helper = s->language->is_helper_thread(s, tid)};
        s->n_own_threads += !record.is_helper;
    }
    enlist(s, &record);
    if (!quiet && !is_known && !record.is_helper)
        say(s, SES_NOTICE_THREAD_START, &record, "[New Thread %u (%s)]");
}

const char *ses_thread_words(session *s, ebb_arena *arena, machine_tid tid)
{
    ebb_buf words = {0};
    s->language->thread_words(s, tid, &words);
    const char *result = ebb_arena_strdup(arena, ebb_buf_text(&words));
    ebb_buf_fini(&words);
    return result;
}

void ses_thread_put_signal(session *s, machine_tid tid, int signal)
{
    ses_thread_record *thread = find_thread(s, tid);
    if (thread)
        thread->pending_signal = signal;
}

int ses_thread_take_signal(session *s, machine_tid tid)
{
    ses_thread_record *thread = find_thread(s, tid);
    if (!thread)
        return 0;
    int signal = thread->pending_signal;
    thread->pending_signal = 0;
    return signal;
}

void ses_thread_list(session *s, ses_threads *out)
{
    if (!s->machine)
        return;
    size_t n;
    const machine_thread *threads = s->machine->ops->threads(s->machine, &n);
    for (size_t i = 0; i < s->threads.n; i++) {
        const ses_thread_record *record = &s->threads.items[i];
        ses_thread thread = {.number = record->number,
                             .tid = record->tid,
                             .name = "",
                             .is_selected = record->tid == s->thread};
        for (size_t k = 0; k < n; k++)
            if (threads[k].tid == record->tid)
                thread.name = threads[k].name;
        ebb_vec_push(out, thread);
    }
}

ebb_status ses_thread_select(session *s, unsigned number, ebb_error *err)
{
    EBB_TRY(ses_need_debuggee(s, err));
    for (size_t i = 0; i < s->threads.n; i++)
        if (s->threads.items[i].number == number) {
            ses_select(s, s->threads.items[i].tid, 0);
            ses_list_forget(s);
            return EBB_OK;
        }
    return ebb_fail(err, EBB_NOT_FOUND, "Unknown thread %u.", number);
}

unsigned ses_thread_number(session *s, machine_tid tid)
{
    ses_thread_record *thread = find_thread(s, tid);
    return thread ? thread->number : 0;
}

machine_tid ses_thread_selected(session *s)
{
    return s->machine ? s->thread : 0;
}

bool ses_thread_ever_several(const session *s)
{
    return s->n_own_threads > 1;
}
