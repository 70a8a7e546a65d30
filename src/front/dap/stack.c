/* stack.c - threads, frames, scopes, exceptions. */
#include "front/dap/dap.h"

#include "base/text.h"
#include "session/breakpoints.h"
#include "session/data.h"
#include "session/frames.h"

#include <string.h>

/* ---- threads ------------------------------------------------------------------------------------- */

static void add_thread(json_t *list, unsigned number, const char *name)
{
    json_t *object = json_pack("{s:i}", "id", (int)number);
    cli_json_text(object, "name", name);
    json_array_append_new(list, object);
}

/* After the end there is nobody, but a client moves back by a thread. */
ebb_status dap_do_threads(dap *d, dap_request *r, ebb_error *err)
{
    (void)err;
    json_t *list = dap_list(r, "threads");
    ses_threads threads = {0};
    if (ses_get_state(d->session) == SES_STOPPED)
        ses_thread_list(d->session, &threads);
    for (size_t i = 0; i < threads.n; i++)
        add_thread(list, threads.items[i].number, ses_thread_words(d->session, &r->arena, threads.items[i].tid));
    if (threads.n == 0 && ses_get_machine(d->session))
        add_thread(list, d->last_thread ? d->last_thread : 1, "the program has ended");
    ebb_vec_fini(&threads);
    return EBB_OK;
}

/* ---- frames -------------------------------------------------------------------------------------- */

static void put_name(dap *d, json_t *object, const ses_frame *frame)
{
    ebb_buf name = {0};
    char *position = NULL;
    if (frame->is_signal_frame)
        ebb_buf_adds(&name, "<signal handler called>");
    else if (frame->name)
        ebb_buf_adds(&name, frame->name);
    else
        ebb_buf_addf(&name, "0x%llx", (unsigned long long)frame->pc);
    if (frame->level == 0 && d->shows_positions && ses_when(d->session, false, &position, NULL) == EBB_OK)
        ebb_buf_addf(&name, "  [%s]", position);
    free(position);
    cli_json_text(object, "name", ebb_buf_text(&name));
    ebb_buf_fini(&name);
}

static json_t *frame_object(dap *d, unsigned thread, const ses_frame *frame)
{
    json_t *object = json_pack("{s:I, s:I, s:i}", "id", dap_handle_new(d, DAP_FRAME, thread, frame->level, NULL), "line",
                               frame->has_line ? dap_line_out(d, frame->line.line) : (json_int_t)0, "column", d->columns_from_0 ? 0 : 1);
    put_name(d, object, frame);
    json_t *source = frame->has_line && frame->line.file ? dap_source(d, frame->line.file, frame->line.name) : NULL;
    if (!source || json_object_get(source, "presentationHint"))
        json_object_set_new(object, "presentationHint", json_string("subtle"));
    if (source)
        json_object_set_new(object, "source", source);
    if (frame->place)
        cli_json_text(object, "instructionPointerReference", frame->place);
    else
        cli_json_address(object, "instructionPointerReference", frame->pc);
    cli_json_text(object, "moduleId", frame->module);
    return object;
}

ebb_status dap_do_stack_trace(dap *d, dap_request *r, ebb_error *err)
{
    json_int_t first = dap_number(r->args, "startFrame", 0), levels = dap_number(r->args, "levels", 0);
    unsigned thread = (unsigned)dap_number(r->args, "threadId", 0);
    json_t *list = dap_list(r, "stackFrames");
    if (ses_get_state(d->session) != SES_STOPPED) {
        json_object_set_new(r->body, "totalFrames", json_integer(0));
        return EBB_OK;
    }
    EBB_TRY(ses_thread_select(d->session, thread, err));
    if (first < 0)
        first = 0;
    const ses_frame *frame; /* a thread may have none: it has yet to begin, or ends */
    json_int_t at = first;
    while ((levels <= 0 || at < first + levels) && ses_frame_get(d->session, (unsigned)at, &frame, NULL) == EBB_OK) {
        json_array_append_new(list, frame_object(d, thread, frame));
        at++;
    }
    if (at == first && at > 0) /* maybe it asked for what lies far beyond the outermost one */
        for (at = 0; at < first && ses_frame_get(d->session, (unsigned)at, &frame, NULL) == EBB_OK; at++)
            ;
    bool is_more = ses_frame_get(d->session, (unsigned)at, &frame, NULL) == EBB_OK;
    json_object_set_new(r->body, "totalFrames", json_integer(at + is_more)); /* the client asks on until that is reached */
    return EBB_OK;
}

/* ---- scopes -------------------------------------------------------------------------------------- */

static void add_scope(dap *d, json_t *list, const dap_handle *frame, dap_handle_kind kind)
{
    static const struct {
        const char *name, *hint;
        bool expensive;
    } scopes[] = {[DAP_ARGUMENTS] = {"Arguments", "arguments", false},
                  [DAP_LOCALS] = {"Locals", "locals", false},
                  [DAP_REGISTERS] = {"Registers", "registers", true}};
    json_array_append_new(list, json_pack("{s:s, s:s, s:I, s:b}", "name", scopes[kind].name, "presentationHint", scopes[kind].hint,
                                          "variablesReference", dap_handle_new(d, kind, frame->thread, frame->level, NULL), "expensive",
                                          scopes[kind].expensive));
}

ebb_status dap_do_scopes(dap *d, dap_request *r, ebb_error *err)
{
    dap_handle frame;
    EBB_TRY(dap_handle_get(d, dap_number(r->args, "frameId", 0), &frame, err));
    json_t *list = dap_list(r, "scopes");
    add_scope(d, list, &frame, DAP_LOCALS);
    add_scope(d, list, &frame, DAP_ARGUMENTS);
    if (dap_has_addresses(d))
        add_scope(d, list, &frame, DAP_REGISTERS);
    return EBB_OK;
}

/* ---- exceptions ------------------------------------------------------------------------------------ */

static void put_signal(json_t *body, int number)
{
    cli_json_text(body, "exceptionId", ses_signal_name(number));
    cli_json_text(body, "description", ses_signal_description(number));
}

/* "java.lang.Error: why" in its parts; events of others have a text alone. */
static void put_thrown(dap *d, dap_request *r, const char *text)
{
    size_t n = strcspn(text, ":");
    bool is_object = ses_has_trait(d->session, SES_THROWS_OBJECTS);
    cli_json_text(r->body, "exceptionId", ebb_arena_strndup(&r->arena, text, is_object ? n : strlen(text)));
    cli_json_text(r->body, "description", text);
    json_t *details = json_object();
    cli_json_text(details, "typeName", json_string_value(json_object_get(r->body, "exceptionId")));
    cli_json_text(details, "message", text[n] ? ebb_text_skip_space(text + n + 1) : NULL);
    if (is_object)
        cli_json_text(details, "evaluateName", "$_exception");
    json_object_set_new(r->body, "details", details);
}

static void put_cplus(dap *d, dap_request *r, const char *event)
{
    char *type, *message;
    bool is_known = ses_exception_here(d->session, &type, &message);
    json_t *details = json_object();
    cli_json_text(r->body, "exceptionId", is_known ? type : event);
    cli_json_text(r->body, "description", is_known ? ebb_arena_printf(&r->arena, "%s: %s%s%s", event, type, message ? ": " : "", message ? message : "") : event);
    cli_json_text(details, "fullTypeName", type);
    cli_json_text(details, "typeName", type);
    cli_json_text(details, "message", message);
    cli_json_text(details, "evaluateName", is_known ? "$_exception" : NULL);
    json_object_set_new(r->body, "details", details);
    free(type);
    free(message);
}

ebb_status dap_do_exception_info(dap *d, dap_request *r, ebb_error *err)
{
    const ses_stop *stop = &d->last_stop;
    const char *event = dap_cplus_event(d, stop);
    if (!event && stop->kind != SES_STOP_SIGNAL && stop->kind != SES_STOP_CATCH && stop->kind != SES_STOP_UNCAUGHT)
        return ebb_fail(err, EBB_NOT_FOUND, "The program did not stop for an exception.");
    json_object_set_new(dap_body(r), "breakMode", json_string(event || stop->kind == SES_STOP_CATCH ? "always" : "unhandled"));
    if (stop->kind == SES_STOP_SIGNAL)
        put_signal(r->body, stop->machine.signal);
    else if (event)
        put_cplus(d, r, event);
    else
        put_thrown(d, r, stop->catch_text ? stop->catch_text : "");
    return EBB_OK;
}
