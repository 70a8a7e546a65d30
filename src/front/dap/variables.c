/* variables.c - values as trees: a part is opened by evaluating its expression in its frame. */
#include "front/dap/dap.h"

#include "session/breakpoints.h"
#include "session/data.h"
#include "session/frames.h"
#include "session/parts.h"

#include <string.h>

enum { PAGE = 1000 }; /* elements of an array that are shown where the client names no page */

void dap_put_look(dap *d, json_t *object, const char *value_key, const char *expression, const ses_look *look)
{
    const ses_frame *frame;
    size_t n_named = look->named.n + (look->insides.n > 0); /* "[raw]" */
    bool has_parts = n_named || look->n_indexed;
    unsigned thread = ses_thread_number(d->session, ses_thread_selected(d->session));
    unsigned level = ses_frame_selected(d->session, &frame, NULL) == EBB_OK ? frame->level : 0;
    cli_json_text(object, value_key, look->value);
    cli_json_text(object, "type", look->type);
    json_object_set_new(object, "variablesReference", json_integer(has_parts ? dap_handle_new(d, DAP_PARTS, thread, level, expression) : 0));
    if (look->n_indexed)
        json_object_set_new(object, "indexedVariables", json_integer((json_int_t)look->n_indexed));
    if (n_named)
        json_object_set_new(object, "namedVariables", json_integer((json_int_t)n_named));
    if (look->has_address)
        cli_json_address(object, "memoryReference", look->address);
}

/* ---- lists ----------------------------------------------------------------------------------------- */

/* A variable that can be named: with all that a look tells. */
static void add_looked(dap *d, dap_request *r, json_t *list, const char *name, const char *expression)
{
    ses_look look = {0};
    ebb_error why;
    json_t *object = json_object();
    cli_json_text(object, "name", name);
    if (ses_look_at(d->session, &r->arena, expression, &look, &why) == EBB_OK) {
        dap_put_look(d, object, "value", expression, &look);
    } else {
        cli_json_text(object, "value", ebb_arena_printf(&r->arena, "<%s>", why.text));
        json_object_set_new(object, "variablesReference", json_integer(0));
    }
    cli_json_text(object, "evaluateName", expression);
    json_array_append_new(list, object);
    ses_look_fini(&look);
}

/* The innermost of the name comes first; what it hides can't be named. */
static bool is_hidden(const ses_named_values *values, size_t i)
{
    for (size_t k = 0; k < values->n; k++)
        if (k != i && strcmp(values->items[k].name, values->items[i].name) == 0 && values->items[k].depth > values->items[i].depth)
            return true;
    return false;
}

static void add_hidden(json_t *list, const ses_named_value *value)
{
    json_t *object = json_pack("{s:i}", "variablesReference", 0);
    cli_json_text(object, "name", value->name);
    cli_json_text(object, "value", value->value);
    cli_json_text(object, "type", value->type);
    json_array_append_new(list, object);
}

/* Which of them the client asked for. */
typedef struct page {
    uint64_t first, n;
    bool is_open; /* it named no number: of many elements it gets some, and a variable that stands for the others */
} page;

static bool is_on(const page *p, uint64_t i)
{
    return i >= p->first && (p->is_open || i - p->first < p->n);
}

static ebb_status list_named(dap *d, dap_request *r, const dap_handle *of, const page *p, json_t *list, ebb_error *err)
{
    ses_named_values values = {0};
    ebb_status status = of->kind == DAP_ARGUMENTS ? ses_frame_args(d->session, &r->arena, of->level, false, &values, err)
                                                  : ses_frame_locals(d->session, &r->arena, of->level, &values, err);
    for (size_t i = 0; status == EBB_OK && i < values.n; i++) {
        if (!is_on(p, i))
            continue;
        if (is_hidden(&values, i))
            add_hidden(list, &values.items[i]);
        else
            add_looked(d, r, list, values.items[i].name, values.items[i].name);
    }
    ebb_vec_fini(&values);
    return status;
}

static ebb_status list_registers(dap *d, dap_request *r, const page *p, json_t *list, ebb_error *err)
{
    ses_registers registers = {0};
    ebb_status status = ses_registers_get(d->session, &r->arena, NULL, &registers, err);
    for (size_t i = 0; status == EBB_OK && i < registers.n; i++) {
        if (!is_on(p, i))
            continue;
        json_t *object = json_pack("{s:i}", "variablesReference", 0);
        cli_json_text(object, "name", registers.items[i].name);
        cli_json_text(object, "value", registers.items[i].raw);
        cli_json_text(object, "evaluateName", ebb_arena_printf(&r->arena, "$%s", registers.items[i].name));
        json_array_append_new(list, object);
    }
    ebb_vec_fini(&registers);
    return status;
}

/* A value whose parts are listed. */
typedef struct opened {
    const dap_handle *handle;
    ses_look look;
} opened;

/* "[1000..4999]", which opens as the others. */
static void add_rest(dap *d, dap_request *r, const opened *of, uint64_t first, json_t *list)
{
    uint64_t n = of->look.n_indexed;
    json_t *object = json_pack("{s:{s:s}}", "presentationHint", "kind", "virtual");
    json_int_t handle = dap_handle_new(d, DAP_PARTS, of->handle->thread, of->handle->level, of->handle->expression);
    d->handles.items[handle - 1].first = first;
    cli_json_text(object, "name", ebb_arena_printf(&r->arena, "[%llu..%llu]", (unsigned long long)first, (unsigned long long)n - 1));
    cli_json_text(object, "value", ebb_arena_printf(&r->arena, "%llu more", (unsigned long long)(n - first)));
    json_object_set_new(object, "variablesReference", json_integer(handle));
    json_array_append_new(list, object);
}

/* What a container is made of. */
static void add_raw(dap *d, const dap_handle *of, const ses_look *look, json_t *list)
{
    json_t *object = json_pack("{s:s, s:s, s:{s:s}}", "name", "[raw]", "value", "", "presentationHint", "kind", "virtual");
    json_object_set_new(object, "variablesReference", json_integer(dap_handle_new(d, DAP_INSIDES, of->thread, of->level, of->expression)));
    json_object_set_new(object, "namedVariables", json_integer((json_int_t)look->insides.n));
    json_array_append_new(list, object);
}

/* An element whose key is no plain text: it opens to the key and the value. */
static void add_entry(dap *d, const dap_handle *of, const ses_piece *held, json_t *list)
{
    json_t *object = json_pack("{s:i}", "namedVariables", 2);
    json_int_t handle = dap_handle_new(d, DAP_ENTRY, of->thread, of->level, held->part.expression);
    d->handles.items[handle - 1].key = ebb_strdup(held->key);
    cli_json_text(object, "name", held->part.name);
    cli_json_text(object, "value", held->look.value);
    cli_json_text(object, "type", held->look.type);
    cli_json_text(object, "evaluateName", held->part.expression);
    json_object_set_new(object, "variablesReference", json_integer(handle));
    json_array_append_new(list, object);
}

static void add_held(dap *d, const ses_piece *held, json_t *list)
{
    json_t *object = json_object();
    cli_json_text(object, "name", held->part.name);
    dap_put_look(d, object, "value", held->part.expression, &held->look);
    cli_json_text(object, "evaluateName", held->part.expression);
    json_array_append_new(list, object);
}

static ebb_status list_held(dap *d, dap_request *r, const dap_handle *of, ses_page which, json_t *list, ebb_error *err)
{
    ses_pieces held = {0};
    ebb_status status = ses_look_inside(d->session, &r->arena, of->expression, which, &held, err);
    for (size_t i = 0; i < held.n; i++) {
        if (held.items[i].key)
            add_entry(d, of, &held.items[i], list);
        else
            add_held(d, &held.items[i], list);
    }
    ses_pieces_fini(&held);
    return status;
}

static ebb_status list_indexed(dap *d, dap_request *r, const opened *of, const page *p, json_t *list, ebb_error *err)
{
    const ses_look *look = &of->look;
    uint64_t first = p->first + of->handle->first, end = look->n_indexed;
    if (first >= end)
        return EBB_OK;
    if (end - first > p->n)
        end = first + p->n;
    if (look->is_container)
        EBB_TRY(list_held(d, r, of->handle, (ses_page){first, end - first}, list, err));
    for (uint64_t i = first; !look->is_container && i < end; i++)
        add_looked(d, r, list, ebb_arena_printf(&r->arena, "[%llu]", (unsigned long long)i), ses_part_indexed(&r->arena, look, i));
    if (p->is_open && end < look->n_indexed)
        add_rest(d, r, of, end, list);
    return EBB_OK;
}

static void list_names(dap *d, dap_request *r, const ses_part_names *names, const page *p, json_t *list)
{
    for (uint64_t i = 0; i < names->n; i++)
        if (is_on(p, i))
            add_looked(d, r, list, names->items[i].name, names->items[i].expression);
}

static ebb_status list_insides(dap *d, dap_request *r, const dap_handle *handle, const page *p, json_t *list, ebb_error *err)
{
    ses_look look = {0};
    ebb_status status = ses_look_at(d->session, &r->arena, handle->expression, &look, err);
    list_names(d, r, &look.insides, p, list);
    ses_look_fini(&look);
    return status;
}

static ebb_status list_entry(dap *d, dap_request *r, const dap_handle *handle, const page *p, json_t *list)
{
    if (is_on(p, 0))
        add_looked(d, r, list, "key", handle->key);
    if (is_on(p, 1))
        add_looked(d, r, list, "value", handle->expression);
    return EBB_OK;
}

static ebb_status list_parts(dap *d, dap_request *r, const dap_handle *handle, const page *p, json_t *list, ebb_error *err)
{
    const char *filter = dap_text(r->args, "filter");
    bool named = !filter || strcmp(filter, "named") == 0, indexed = !filter || strcmp(filter, "indexed") == 0;
    opened of = {.handle = handle};
    ebb_status status = ses_look_at(d->session, &r->arena, handle->expression, &of.look, err);
    bool names_some = status == EBB_OK && named && handle->first == 0;
    if (names_some)
        list_names(d, r, &of.look.named, p, list);
    if (status == EBB_OK && indexed)
        status = list_indexed(d, r, &of, p, list, err);
    if (names_some && of.look.insides.n && is_on(p, of.look.named.n)) /* last: it is what one looks for least */
        add_raw(d, handle, &of.look, list);
    ses_look_fini(&of.look);
    return status;
}

static ebb_status list_of(dap *d, dap_request *r, const dap_handle *of, const page *p, json_t *list, ebb_error *err)
{
    switch (of->kind) {
    case DAP_ARGUMENTS:
    case DAP_LOCALS: return list_named(d, r, of, p, list, err);
    case DAP_REGISTERS: return list_registers(d, r, p, list, err);
    case DAP_PARTS: return list_parts(d, r, of, p, list, err);
    case DAP_INSIDES: return list_insides(d, r, of, p, list, err);
    case DAP_ENTRY: return list_entry(d, r, of, p, list);
    case DAP_FRAME: break;
    }
    return ebb_fail(err, EBB_BAD_INPUT, "That is a frame; its scopes have variables.");
}

ebb_status dap_do_variables(dap *d, dap_request *r, ebb_error *err)
{
    dap_handle of;
    json_int_t start = dap_number(r->args, "start", 0), count = dap_number(r->args, "count", 0);
    page p = {start > 0 ? (uint64_t)start : 0, count > 0 ? (uint64_t)count : PAGE, .is_open = count <= 0};
    EBB_TRY(dap_handle_get(d, dap_number(r->args, "variablesReference", 0), &of, err));
    EBB_TRY(dap_select(d, of.thread, of.level, err));
    return list_of(d, r, &of, &p, dap_list(r, "variables"), err);
}

/* ---- changing -------------------------------------------------------------------------------------- */

/* By its key or number in a container; NULL if there is none. */
static ebb_status held_expression(dap *d, dap_request *r, const dap_handle *of, const char *name, const char **expression, ebb_error *err)
{
    ses_pieces held = {0};
    ebb_status status = EBB_OK;
    *expression = NULL;
    for (uint64_t first = 0; status == EBB_OK && !*expression; first += PAGE) {
        ses_pieces_fini(&held);
        status = ses_look_inside(d->session, &r->arena, of->expression, (ses_page){first, PAGE}, &held, err);
        for (size_t i = 0; i < held.n && !*expression; i++)
            if (strcmp(held.items[i].part.name, name) == 0)
                *expression = held.items[i].part.expression;
        if (held.n < PAGE)
            break;
    }
    ses_pieces_fini(&held);
    return status;
}

static const char *named_expression(const ses_part_names *names, const char *name)
{
    for (size_t i = 0; i < names->n; i++)
        if (strcmp(names->items[i].name, name) == 0)
            return names->items[i].expression;
    return NULL;
}

/* What the variable of that name within the container is called as an expression. */
static ebb_status expression_in(dap *d, dap_request *r, const dap_handle *of, const char *name, const char **expression, ebb_error *err)
{
    ses_look look = {0};
    *expression = of->kind == DAP_REGISTERS ? ebb_arena_printf(&r->arena, "$%s", name) : name;
    if (of->kind == DAP_ENTRY)
        *expression = strcmp(name, "key") == 0 ? of->key : of->expression;
    if (of->kind != DAP_PARTS && of->kind != DAP_INSIDES)
        return EBB_OK;
    EBB_TRY(ses_look_at(d->session, &r->arena, of->expression, &look, err));
    *expression = named_expression(of->kind == DAP_INSIDES ? &look.insides : &look.named, name);
    ebb_status status = EBB_OK;
    if (!*expression && look.is_container && of->kind == DAP_PARTS)
        status = held_expression(d, r, of, name, expression, err);
    else if (!*expression && name[0] == '[' && look.n_indexed)
        *expression = ebb_arena_printf(&r->arena, "%s%s", look.base, name);
    ses_look_fini(&look);
    EBB_TRY(status);
    return *expression ? EBB_OK : ebb_fail(err, EBB_NOT_FOUND, "There is no \"%.60s\" in it.", name);
}

static ebb_status assign(dap *d, dap_request *r, const char *expression, const char *value, ebb_error *err)
{
    ses_look look = {0};
    EBB_TRY(ses_assign(d->session, ebb_arena_printf(&r->arena, "%s = %s", expression, value), err));
    EBB_TRY(ses_look_at(d->session, &r->arena, expression, &look, err));
    dap_put_look(d, dap_body(r), "value", expression, &look);
    ses_look_fini(&look);
    return EBB_OK;
}

ebb_status dap_do_set_variable(dap *d, dap_request *r, ebb_error *err)
{
    const char *name, *value, *expression;
    dap_handle of;
    EBB_TRY(dap_need_text(r->args, "name", &name, err));
    EBB_TRY(dap_need_text(r->args, "value", &value, err));
    EBB_TRY(dap_handle_get(d, dap_number(r->args, "variablesReference", 0), &of, err));
    EBB_TRY(dap_select(d, of.thread, of.level, err));
    EBB_TRY(expression_in(d, r, &of, name, &expression, err));
    EBB_TRY(assign(d, r, expression, value, err));
    dap_answer(d, r);
    dap_invalidate(d);
    return EBB_OK;
}

ebb_status dap_do_set_expression(dap *d, dap_request *r, ebb_error *err)
{
    const char *expression, *value;
    EBB_TRY(dap_need_text(r->args, "expression", &expression, err));
    EBB_TRY(dap_need_text(r->args, "value", &value, err));
    EBB_TRY(dap_select_frame(d, r, err));
    EBB_TRY(assign(d, r, expression, value, err));
    dap_answer(d, r);
    dap_invalidate(d);
    return EBB_OK;
}

/* ---- data breakpoints ------------------------------------------------------------------------------ */

/* An address is the same in every frame. */
static ebb_status watched_bytes(dap *d, dap_request *r, const char *name, const char **expression, ebb_error *err)
{
    enum { MOST = 4096 };
    uint64_t address;
    json_int_t nbytes = dap_number(r->args, "bytes", 1);
    if (!dap_has_addresses(d))
        return ebb_fail(err, EBB_UNSUPPORTED, "Java has no addresses.");
    EBB_TRY(dap_address_in(name, &address, err));
    if (nbytes < 1 || nbytes > MOST)
        return ebb_fail(err, EBB_BAD_INPUT, "1 to %d bytes can be watched.", MOST);
    *expression = ebb_arena_printf(&r->arena, "*(unsigned char (*)[%lld]) 0x%llx", (long long)nbytes, (unsigned long long)address);
    return EBB_OK;
}

static ebb_status watched(dap *d, dap_request *r, dap_handle *frame, const char **expression, ebb_error *err)
{
    const char *name;
    json_int_t container = dap_number(r->args, "variablesReference", 0), id = dap_number(r->args, "frameId", 0);
    EBB_TRY(dap_need_text(r->args, "name", &name, err));
    *frame = (dap_handle){.thread = ses_thread_number(d->session, ses_thread_selected(d->session))};
    *expression = name;
    if (json_is_true(json_object_get(r->args, "asAddress")))
        return watched_bytes(d, r, name, expression, err);
    if (container || id)
        EBB_TRY(dap_handle_get(d, container ? container : id, frame, err));
    EBB_TRY(dap_select(d, frame->thread, frame->level, err));
    return container ? expression_in(d, r, frame, name, expression, err) : EBB_OK;
}

ebb_status dap_do_data_breakpoint_info(dap *d, dap_request *r, ebb_error *err)
{
    dap_handle frame;
    const char *expression;
    ebb_error why;
    EBB_TRY(watched(d, r, &frame, &expression, err));
    if (ses_can_watch(d->session, expression, &why) != EBB_OK) {
        json_object_set_new(dap_body(r), "dataId", json_null());
        cli_json_text(r->body, "description", why.text);
        return EBB_OK;
    }
    cli_json_text(dap_body(r), "dataId", ebb_arena_printf(&r->arena, "%u:%u:%s", frame.thread, frame.level, expression));
    cli_json_text(r->body, "description", expression);
    json_object_set_new(r->body, "accessTypes", json_pack("[s, s, s]", "write", "read", "readWrite"));
    json_object_set_new(r->body, "canPersist", json_false());
    return EBB_OK;
}
