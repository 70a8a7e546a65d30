/* handles.c - numbers are places in a list, which is emptied when the program moves (DA2). */
#include "front/dap/dap.h"

#include "session/frames.h"

json_int_t dap_handle_new(dap *d, dap_handle_kind kind, unsigned thread, unsigned level, const char *expression)
{
    dap_handle handle = {.kind = kind, .thread = thread, .level = level, .expression = expression ? ebb_strdup(expression) : NULL};
    ebb_vec_push(&d->handles, handle);
    return (json_int_t)d->handles.n;
}

void dap_handles_clear(dap *d)
{
    for (size_t i = 0; i < d->handles.n; i++) {
        free(d->handles.items[i].expression);
        free(d->handles.items[i].key);
    }
    ebb_vec_fini(&d->handles);
}

ebb_status dap_handle_get(dap *d, json_int_t id, dap_handle *handle, ebb_error *err)
{
    if (id < 1 || (uint64_t)id > d->handles.n)
        return ebb_fail(err, EBB_NOT_FOUND, "There is no frame or variable of that number now: the program has moved.");
    *handle = d->handles.items[id - 1];
    return EBB_OK;
}

ebb_status dap_select(dap *d, unsigned thread, unsigned level, ebb_error *err)
{
    EBB_TRY(ses_thread_select(d->session, thread, err));
    return ses_frame_select(d->session, level, err);
}

ebb_status dap_select_frame(dap *d, dap_request *r, ebb_error *err)
{
    dap_handle frame;
    json_int_t id = dap_number(r->args, "frameId", 0);
    if (id == 0)
        return EBB_OK;
    EBB_TRY(dap_handle_get(d, id, &frame, err));
    return dap_select(d, frame.thread, frame.level, err);
}
