/* past.c - what the protocol has no words for: requests of our own (docs/dap.md). */
#include "front/dap/dap.h"

#include "front/cli/view.h"
#include "session/frames.h"
#include "session/time.h"

#include <string.h>

/* A query that goes somewhere: where it came to is the answer, and a stop. */
static ebb_status went(dap *d, dap_request *r, ebb_status status, const ses_stop *stop, ebb_error *err)
{
    char *position = NULL;
    EBB_TRY(status);
    if (ses_get_state(d->session) == SES_STOPPED && ses_when(d->session, true, &position, err) != EBB_OK)
        position = NULL;
    cli_json_text(dap_body(r), "position", position);
    cli_json_text(r->body, "old", stop->old_value);
    cli_json_text(r->body, "new", stop->new_value);
    free(position);
    dap_answer(d, r);
    dap_tell_stop(d, stop);
    return EBB_OK;
}

static ebb_status expression_of(dap *d, dap_request *r, const char **expression, ebb_error *err)
{
    EBB_TRY(dap_need_past(d, err));
    EBB_TRY(dap_need_text(r->args, "expression", expression, err));
    return dap_select_frame(d, r, err);
}

ebb_status dap_do_last_write(dap *d, dap_request *r, ebb_error *err)
{
    const char *expression;
    ses_stop stop = {0};
    EBB_TRY(expression_of(d, r, &expression, err));
    ebb_status status = ses_last_write(d->session, expression, &stop, err);
    return went(d, r, status, &stop, err);
}

ebb_status dap_do_bisect(dap *d, dap_request *r, ebb_error *err)
{
    const char *expression;
    ses_stop stop = {0};
    EBB_TRY(expression_of(d, r, &expression, err));
    ebb_status status = ses_bisect(d->session, expression, &stop, err);
    return went(d, r, status, &stop, err);
}

ebb_status dap_do_goto_position(dap *d, dap_request *r, ebb_error *err)
{
    const char *position;
    ses_stop stop = {0};
    EBB_TRY(dap_need_past(d, err));
    EBB_TRY(dap_need_text(r->args, "position", &position, err));
    ebb_status status = ses_goto(d->session, position, &stop, err);
    return went(d, r, status, &stop, err);
}

ebb_status dap_do_values(dap *d, dap_request *r, ebb_error *err)
{
    const char *expression;
    ses_past_values values = {0};
    EBB_TRY(expression_of(d, r, &expression, err));
    json_t *list = dap_list(r, "values");
    ebb_status status = ses_values(d->session, &r->arena, expression, &values, err);
    for (size_t i = 0; status == EBB_OK && i < values.n; i++) {
        json_t *object = json_object();
        cli_json_text(object, "value", values.items[i].value);
        cli_json_text(object, "position", values.items[i].position);
        json_array_append_new(list, object);
    }
    ebb_vec_fini(&values);
    return status;
}

ebb_status dap_do_origin(dap *d, dap_request *r, ebb_error *err)
{
    const char *expression;
    ses_origin_links links = {0};
    EBB_TRY(expression_of(d, r, &expression, err));
    json_t *list = dap_list(r, "links");
    ebb_status status = ses_origin(d->session, &r->arena, expression, &links, err);
    for (size_t i = 0; status == EBB_OK && i < links.n; i++)
        json_array_append_new(list, cli_link_json(&links.items[i]));
    ebb_vec_fini(&links);
    return status;
}

/* ---- bookmarks ------------------------------------------------------------------------------------- */

static json_t *bookmark_object(const ses_bookmark *bookmark)
{
    json_t *object = json_object();
    cli_json_text(object, "name", bookmark->name);
    cli_json_text(object, "note", bookmark->note);
    cli_json_text(object, "position", bookmark->position);
    return object;
}

ebb_status dap_do_bookmarks(dap *d, dap_request *r, ebb_error *err)
{
    (void)err;
    ses_bookmarks bookmarks = {0};
    ses_bookmark_list(d->session, &r->arena, &bookmarks);
    json_t *list = dap_list(r, "bookmarks");
    for (size_t i = 0; i < bookmarks.n; i++)
        json_array_append_new(list, bookmark_object(&bookmarks.items[i]));
    ebb_vec_fini(&bookmarks);
    return EBB_OK;
}

ebb_status dap_do_bookmark(dap *d, dap_request *r, ebb_error *err)
{
    ses_bookmark bookmark;
    const char *note = dap_text(r->args, "note");
    EBB_TRY(ses_bookmark_set(d->session, &r->arena, dap_text(r->args, "name"), note ? note : "", &bookmark, err));
    r->body = bookmark_object(&bookmark);
    return EBB_OK;
}

/* ---- history itself -------------------------------------------------------------------------------- */

ebb_status dap_do_branch(dap *d, dap_request *r, ebb_error *err)
{
    ebb_buf undone = {0};
    ses_stop stop = {0};
    EBB_TRY(dap_need_past(d, err));
    ebb_status status = ses_branch(d->session, &undone, &stop, err);
    if (status == EBB_OK)
        cli_json_text(dap_body(r), "undone", ebb_buf_text(&undone));
    ebb_buf_fini(&undone);
    return went(d, r, status, &stop, err);
}

ebb_status dap_do_history_span(dap *d, dap_request *r, ebb_error *err)
{
    ses_history_info info;
    EBB_TRY(ses_history_info_get(d->session, &info, err));
    r->body = json_pack("{s:s, s:b}", "machine", info.machine, "isKept", info.is_kept);
    if (!info.is_kept)
        return EBB_OK;
    cli_json_text(r->body, "state", info.state);
    json_object_set_new(r->body, "oldest", json_integer((json_int_t)info.oldest));
    json_object_set_new(r->body, "newest", json_integer((json_int_t)info.newest));
    json_object_set_new(r->body, "now", json_integer((json_int_t)info.now));
    json_object_set_new(r->body, "snapshots", json_integer((json_int_t)info.n_snapshots));
    json_object_set_new(r->body, "recordingBytes", json_integer((json_int_t)info.recording_nbytes));
    return EBB_OK;
}
