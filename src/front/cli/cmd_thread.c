/* cmd_thread.c - threads. */
#include "base/text.h"
#include "front/cli/apply.h"
#include "front/cli/args.h"
#include "front/cli/handlers.h"
#include "front/cli/view.h"

#include <limits.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>

/* `LWP 123 "worker"`, or where threads have names of their own, just that. */
static void put_thread_name(cli *c, cli_text *text, const ses_thread *thread)
{
    ebb_arena arena = {0};
    const char *words = ses_thread_words(c->session, &arena, thread->tid);
    cli_put(text, words);
    if (thread->name && *thread->name && words[0] != '"')
        cli_putf(text, " \"%s\"", thread->name);
    ebb_arena_fini(&arena);
}

static json_t *thread_object(const ses_thread *thread)
{
    json_t *object = json_object();
    json_object_set_new(object, "number", json_integer(thread->number));
    json_object_set_new(object, "tid", json_integer((json_int_t)thread->tid));
    cli_json_text(object, "name", thread->name);
    json_object_set_new(object, "selected", json_boolean(thread->is_selected));
    return object;
}

/* A copy of one, with its name in `arena`, that outlives a change of the selection. */
static bool find_thread(cli *c, ebb_arena *arena, unsigned number, ses_thread *out)
{
    ses_threads threads = {0};
    bool found = false;
    ses_thread_list(c->session, &threads);
    for (size_t i = 0; i < threads.n && !found; i++) {
        if (threads.items[i].number != number)
            continue;
        *out = threads.items[i];
        out->name = ebb_arena_strdup(arena, out->name ? out->name : "");
        found = true;
    }
    ebb_vec_fini(&threads);
    return found;
}

/* ---- thread ----------------------------------------------------------------------------------- */

static ebb_status show_selected_thread(cli *c, cli_reply *reply, bool switched, ebb_error *err)
{
    ebb_arena arena = {0};
    ses_thread thread;
    const ses_frame *frame;
    unsigned number = ses_thread_number(c->session, ses_thread_selected(c->session));
    if (!find_thread(c, &arena, number, &thread))
        return ebb_fail(err, EBB_GONE, "No thread is selected.");
    cli_putf(&reply->text, switched ? "[Switching to thread %u (" : "[Current thread is %u (",
             thread.number);
    put_thread_name(c, &reply->text, &thread);
    cli_put(&reply->text, ")]\n");
    cli_field_json(reply, "thread", thread_object(&thread));
    if (switched && ses_frame_selected(c->session, &frame, NULL) == EBB_OK)
        cli_field_json(reply, "frame",
                       cli_view_frame(c, &reply->text, frame,
                                      CLI_FRAME_LEVEL | CLI_FRAME_LOCATION | CLI_FRAME_SOURCE));
    ebb_arena_fini(&arena);
    return EBB_OK;
}

ebb_status cli_cmd_thread(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    if (ses_get_state(c->session) != SES_STOPPED)
        return ebb_fail(err, EBB_GONE, "No threads: the program is not being run.");
    if (*call->args == '\0')
        return show_selected_thread(c, reply, false, err);
    uint64_t number;
    ebb_status status = ses_evaluate_u64(c->session, call->args, &number, NULL);
    if (status != EBB_OK || number == 0 || number > INT_MAX)
        return ebb_fail(err, EBB_BAD_INPUT, "Invalid thread ID: %.40s", call->args);
    status = ses_thread_select(c->session, (unsigned)number, err);
    return status == EBB_OK ? show_selected_thread(c, reply, true, err) : status;
}

/* ---- thread apply ----------------------------------------------------------------------------- */

static ebb_status apply_in_thread(cli *c, unsigned number, unsigned part, void *data,
                                  ebb_error *err)
{
    const cli_applied *apply = data;
    ebb_arena arena = {0};
    ses_thread thread;
    ebb_status status = ses_thread_select(c->session, number, err);
    if (status == EBB_OK && find_thread(c, &arena, number, &thread)) {
        cli_heading heading = {.word = "thread", .fields = json_object()};
        cli_putf(&heading.text, "\nThread %u (", thread.number);
        put_thread_name(c, &heading.text, &thread);
        cli_put(&heading.text, "):\n");
        json_object_set_new(heading.fields, "thread", thread_object(&thread));
        status = cli_apply(c, apply, &heading, err);
        cli_text_fini(&heading.text);
    }
    ebb_arena_fini(&arena);
    return status;
}

/* Newest first, as gdb does; the command may end threads, so the numbers are noted beforehand. */
static ebb_status apply_in_all(cli *c, bool ascending, const cli_applied *apply, ebb_error *err)
{
    ses_threads threads = {0};
    EBB_VEC(unsigned) numbers = {0};
    ses_thread_list(c->session, &threads);
    for (size_t i = 0; i < threads.n; i++)
        ebb_vec_push(&numbers, threads.items[i].number);
    ebb_vec_fini(&threads);
    ebb_status status = EBB_OK;
    for (size_t i = 0; i < numbers.n && status == EBB_OK; i++) {
        unsigned number = numbers.items[ascending ? i : numbers.n - 1 - i];
        if (ses_get_state(c->session) == SES_STOPPED)
            status = apply_in_thread(c, number, 0, (void *)apply, err);
    }
    ebb_vec_fini(&numbers);
    return status;
}

static ebb_status apply_to_threads(cli *c, const char *args, ebb_error *err)
{
    cli_applied apply = {0};
    bool all = cli_take_word(&args, "all");
    bool ascending = all && cli_take_word(&args, "-ascending");
    size_t n = all ? 0 : cli_numbers_length(args);
    char *numbers = ebb_strndup(args, n);
    args = ebb_text_skip_space(args + n);
    cli_apply_options(&args, &apply.options);
    apply.command = args;
    ebb_status status;
    if ((!all && n == 0) || *args == '\0')
        status = ebb_fail(err, EBB_BAD_INPUT,
                          "Say which threads and what to do there: thread apply all|LIST COMMAND");
    else
        status = all ? apply_in_all(c, ascending, &apply, err)
                     : cli_for_numbers(c, numbers, apply_in_thread, &apply, err);
    free(numbers);
    return status;
}

ebb_status cli_cmd_thread_apply(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    cli_selection selection = cli_selection_get(c);
    ebb_status status = apply_to_threads(c, call->args, err);
    cli_selection_restore(c, &selection);
    return status;
}

ebb_status cli_cmd_taas(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return cli_apply_all_silently(c, cli_cmd_thread_apply, call, reply, err);
}

/* ---- looking ---------------------------------------------------------------------------------- */

ebb_status cli_cmd_thread_find(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    regex_t pattern;
    if (regcomp(&pattern, call->args, REG_EXTENDED | REG_NOSUB) != 0)
        return ebb_fail(err, EBB_BAD_INPUT, "Not a regular expression: \"%.100s\".", call->args);
    ses_threads threads = {0};
    json_t *list = json_array();
    ses_thread_list(c->session, &threads);
    for (size_t i = 0; i < threads.n; i++) {
        const ses_thread *thread = &threads.items[i];
        char tid[32];
        snprintf(tid, sizeof tid, "%lld", (long long)thread->tid);
        if (regexec(&pattern, thread->name ? thread->name : "", 0, NULL, 0) != 0 &&
            regexec(&pattern, tid, 0, NULL, 0) != 0)
            continue;
        cli_putf(&reply->text, "Thread %u has name '%s' and LWP %s\n", thread->number, thread->name,
                 tid);
        json_array_append_new(list, thread_object(thread));
    }
    if (json_array_size(list) == 0)
        cli_putf(&reply->text, "No threads match '%s'\n", call->args);
    cli_field_json(reply, "threads", list);
    ebb_vec_fini(&threads);
    regfree(&pattern);
    return EBB_OK;
}

/* How wide the column of names has to be. */
static int target_width(cli *c, const ses_threads *threads)
{
    int widest = (int)strlen("Target Id");
    for (size_t i = 0; i < threads->n; i++) {
        cli_text name = {0};
        put_thread_name(c, &name, &threads->items[i]);
        widest = (int)name.bytes.n > widest ? (int)name.bytes.n : widest;
        cli_text_fini(&name);
    }
    return widest;
}

enum { STATE_WIDTH = 27 }; /* "WAITING (on object monitor)" */

static const ses_thread_detail *detail_of(const ses_thread_details *details, machine_tid tid)
{
    for (size_t i = 0; i < details->of.n; i++)
        if (details->of.items[i].tid == tid)
            return &details->of.items[i];
    return NULL;
}

/* What it waits for and holds, below its line. */
static void view_locks(cli_text *text, json_t *object, const ses_thread_detail *detail)
{
    if (detail->waits)
        cli_putf(text, "         waits for %s\n", detail->waits);
    if (detail->holds)
        cli_putf(text, "         holds %s\n", detail->holds);
    cli_json_text(object, "state", detail->state);
    cli_json_text(object, "waits_for", detail->waits);
    cli_json_text(object, "holds", detail->holds);
}

/* Shows where a thread is by selecting it; the caller puts the selection back. */
static json_t *view_thread(cli *c, cli_text *text, const ses_thread *thread, int width,
                           const ses_thread_detail *detail)
{
    cli_text name = {0};
    put_thread_name(c, &name, thread);
    cli_put_style(text, thread->is_selected ? CLI_STYLE_CURRENT : CLI_STYLE_PLAIN,
                  thread->is_selected ? "*" : " ");
    cli_putf(text, " %-4u %-*s ", thread->number, width, ebb_buf_text(&name.bytes));
    cli_text_fini(&name);
    if (detail)
        cli_putf(text, "%-*s ", STATE_WIDTH, detail->state);
    json_t *object = thread_object(thread);
    const ses_frame *frame;
    if (ses_thread_select(c->session, thread->number, NULL) == EBB_OK &&
        ses_frame_get(c->session, 0, &frame, NULL) == EBB_OK)
        json_object_set_new(object, "frame", cli_view_frame(c, text, frame, CLI_FRAME_LOCATION));
    else
        cli_put(text, "(no frame)\n");
    if (detail)
        view_locks(text, object, detail);
    return object;
}

ebb_status cli_cmd_info_threads(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    ebb_arena arena = {0};
    ses_threads threads = {0};
    if (ses_get_state(c->session) == SES_STOPPED)
        ses_thread_list(c->session, &threads);
    for (size_t i = 0; i < threads.n; i++) /* selecting may move what the names are borrowed from */
        threads.items[i].name =
            ebb_arena_strdup(&arena, threads.items[i].name ? threads.items[i].name : "");
    json_t *list = json_array();
    ses_thread_details details = {0};
    ebb_status status = threads.n ? ses_thread_details_get(c->session, &arena, &details, err) : EBB_OK;
    int width = target_width(c, &threads);
    if (threads.n == 0)
        cli_put(&reply->text, "No threads.\n");
    else
        cli_putf(&reply->text, "  %-4s %-*s %-*s%s\n", "Id", width, "Target Id", details.of.n ? STATE_WIDTH + 1 : 0,
                 details.of.n ? "State" : "", "Frame");
    cli_selection selection = cli_selection_get(c);
    for (size_t i = 0; i < threads.n; i++)
        json_array_append_new(list, view_thread(c, &reply->text, &threads.items[i], width,
                                                detail_of(&details, threads.items[i].tid)));
    cli_selection_restore(c, &selection);
    if (details.deadlock)
        cli_putf(&reply->text, "%s\n", details.deadlock);
    cli_field_json(reply, "threads", list);
    cli_field_text(reply, "deadlock", details.deadlock);
    ebb_vec_fini(&details.of);
    ebb_vec_fini(&threads);
    ebb_arena_fini(&arena);
    return status;
}
