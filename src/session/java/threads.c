/* threads.c - what Java threads do: their states, the monitors they hold and wait for, deadlocks. */
#include "session/java/java.h"

#include <string.h>

static const java_thread *thread_of(const java_threads *threads, machine_tid tid)
{
    for (size_t i = 0; i < threads->n; i++)
        if (threads->items[i].tid == tid)
            return &threads->items[i];
    return NULL;
}

/* ---- names ---------------------------------------------------------------------------------- */

void ses_java_thread_words(session *s, machine_tid tid, ebb_buf *text)
{
    size_t n;
    const machine_thread *threads = s->machine->ops->threads(s->machine, &n);
    for (size_t i = 0; i < n; i++)
        if (threads[i].tid == tid) {
            ebb_buf_addf(text, "\"%s\"", threads[i].name);
            return;
        }
    ebb_buf_adds(text, "Java thread");
}

/* The JDK's own threads are those that it begins before the program, in the group of the system. */
bool ses_java_is_helper_thread(session *s, machine_tid tid)
{
    ebb_arena arena = {0};
    java_threads threads = {0};
    bool is_helper = false;
    if (jvm_remote_threads(s->machine, &arena, &threads, NULL) == EBB_OK) {
        const java_thread *thread = thread_of(&threads, tid);
        const char *group = thread ? thread->group : NULL;
        is_helper = group && (strcmp(group, "system") == 0 || strcmp(group, "InnocuousThreadGroup") == 0);
    }
    ebb_vec_fini(&threads);
    ebb_arena_fini(&arena);
    return is_helper;
}

/* ---- locks ---------------------------------------------------------------------------------- */

static void put_object(session *s, java_ref object, ebb_buf *text)
{
    ebb_arena arena = {0};
    const java_type *type = ses_java_type_of_object(s, object, NULL);
    expr_format format = ses_default_format(s);
    java_value value = {.type = type, .ref = object};
    if (!type || expr_java_print_brief(&arena, &s->java->world, &format, &value, text, NULL) != EBB_OK)
        ebb_buf_adds(text, "an object");
    ebb_arena_fini(&arena);
}

static const char *waits_text(session *s, ebb_arena *arena, const java_thread *thread)
{
    if (!thread->blocked_on)
        return NULL;
    ebb_buf text = {0};
    put_object(s, thread->blocked_on, &text);
    if (thread->blocked_by && thread->blocked_by != thread->tid)
        ebb_buf_addf(&text, ", held by thread %u", ses_thread_number(s, thread->blocked_by));
    const char *result = ebb_arena_strdup(arena, ebb_buf_text(&text));
    ebb_buf_fini(&text);
    return result;
}

static const char *holds_text(session *s, ebb_arena *arena, const java_thread *thread)
{
    if (thread->n_held == 0)
        return NULL;
    ebb_buf text = {0};
    for (size_t i = 0; i < thread->n_held; i++) {
        ebb_buf_adds(&text, i ? ", " : "");
        put_object(s, thread->held[i], &text);
    }
    const char *result = ebb_arena_strdup(arena, ebb_buf_text(&text));
    ebb_buf_fini(&text);
    return result;
}

/* "thread 3 waits for thread 4, which waits for thread 3", from the circle that `first` is in, whose threads are taken out of *left. */
static void put_circle(session *s, const java_threads *threads, machine_tid first, java_tids *left, ebb_buf *text)
{
    machine_tid at = first;
    ebb_buf_addf(text, "thread %u", ses_thread_number(s, first));
    do {
        const java_thread *thread = thread_of(threads, at);
        for (size_t i = left->n; i-- > 0;)
            if (left->items[i] == at)
                ebb_vec_remove(left, i);
        ebb_buf_adds(text, at == first ? "" : ", which");
        at = thread ? thread->blocked_by : first;
        ebb_buf_addf(text, " waits for thread %u", ses_thread_number(s, at));
    } while (at != first && left->n > 0);
}

static const char *deadlock_text(session *s, ebb_arena *arena, const java_threads *threads)
{
    java_tids left = {0};
    ebb_buf text = {0};
    if (jvm_remote_deadlock(s->machine, &left, NULL) == EBB_OK)
        while (left.n > 0) {
            ebb_buf_adds(&text, text.n > 0 ? "; " : "Deadlock: ");
            put_circle(s, threads, left.items[0], &left, &text);
        }
    ebb_vec_fini(&left);
    if (text.n > 0)
        ebb_buf_addc(&text, '.');
    const char *result = text.n > 0 ? ebb_arena_strdup(arena, ebb_buf_text(&text)) : NULL;
    ebb_buf_fini(&text);
    return result;
}

ebb_status ses_java_thread_details_get(session *s, ebb_arena *arena, ses_thread_details *out, ebb_error *err)
{
    java_threads threads = {0};
    EBB_TRY(ses_need_debuggee(s, err));
    ebb_status status = jvm_remote_threads(s->machine, arena, &threads, err);
    for (size_t i = 0; status == EBB_OK && i < s->threads.n; i++) {
        const java_thread *thread = thread_of(&threads, s->threads.items[i].tid);
        if (!thread)
            continue;
        ses_thread_detail detail = {.tid = thread->tid,
                                    .state = ebb_arena_strdup(arena, thread->state),
                                    .waits = waits_text(s, arena, thread),
                                    .holds = holds_text(s, arena, thread)};
        ebb_vec_push(&out->of, detail);
    }
    if (status == EBB_OK)
        out->deadlock = deadlock_text(s, arena, &threads);
    ebb_vec_fini(&threads);
    return status;
}
