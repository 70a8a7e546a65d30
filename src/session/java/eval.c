/* eval.c - Java expressions for their value, their effect, their type. */
#include "session/printed.h"
#include "session/java/java.h"

#include <string.h>

ebb_status ses_java_evaluate_text(session *s, ebb_arena *arena, const char *expression, java_value *value,
                                  ebb_error *err)
{
    const expr_node *tree;
    EBB_TRY(expr_java_parse(arena, expression, &tree, err));
    return expr_java_eval(arena, &s->java->world, tree, value, err);
}

/* ---- print ---------------------------------------------------------------------------------- */

static bool is_void(const java_value *value)
{
    return strcmp(value->type->descriptor, "V") == 0;
}

/* Leaves the copy that calls were made in, and keeps what is still there outside of it. */
static void *keep_outside(session *s, java_value *value, const char *shown)
{
    bool is_object = value->type->kind != JAVA_PRIMITIVE && value->ref && !value->text;
    java_class_id in_copy = 0, here = 0;
    bool was_calling = s->java->is_calling;
    if (was_calling && is_object)
        (void)!jvm_remote_class_of(s->machine, value->ref, &in_copy, NULL);
    ses_java_world_end_calls(s);
    if (was_calling && is_object)
        (void)!jvm_remote_class_of(s->machine, value->ref, &here, NULL);
    return ses_java_keep(s, value, in_copy == here ? NULL : shown);
}

/* A String that a call made is kept by its text. */
static void take_text(session *s, ebb_arena *arena, java_value *value)
{
    java_chars text;
    if (!s->java->is_calling || value->text || !value->ref || value->type->kind != JAVA_CLASS ||
        strcmp(value->type->name, "java.lang.String") != 0)
        return;
    if (jvm_remote_string(s->machine, arena, value->ref, UINT32_MAX, &text, NULL) == EBB_OK) {
        value->text = text.utf8;
        value->ref = 0;
    }
}

static ebb_status print(session *s, ebb_arena *arena, const ses_print_request *request, int *number, ebb_buf *text,
                        ebb_error *err)
{
    const char *expression = ebb_text_is_blank(request->expression) ? "$" : request->expression;
    java_value value;
    size_t before = text->n;
    EBB_TRY(ses_java_evaluate_text(s, arena, expression, &value, err));
    if (number)
        *number = 0;
    if (is_void(&value) && !request->keeps_void)
        return EBB_OK;
    EBB_TRY(expr_java_print(arena, &s->java->world, request->format, &value, text, err));
    if (!number)
        return EBB_OK;
    take_text(s, arena, &value);
    *number = ses_printed_add(s, keep_outside(s, &value, ebb_buf_text(text) + before));
    return EBB_OK;
}

ebb_status ses_java_print(session *s, const ses_print_request *request, int *number, ebb_buf *text, ebb_error *err)
{
    ebb_arena arena = {0};
    ebb_status status = print(s, &arena, request, number, text, err);
    ses_java_world_end_calls(s);
    ebb_arena_fini(&arena);
    return status;
}

/* ---- for an effect, a number, a truth ------------------------------------------------------- */

ebb_status ses_java_assign(session *s, const char *expression, ebb_error *err)
{
    ebb_arena arena = {0};
    java_value value;
    ebb_status status = ses_java_evaluate_text(s, &arena, expression, &value, err);
    ses_java_world_end_calls(s);
    ebb_arena_fini(&arena);
    return status;
}

static ebb_status integer_of(const java_value *value, uint64_t *number, ebb_error *err)
{
    char letter = value->type->descriptor[0];
    if (value->type->kind != JAVA_PRIMITIVE || letter == 'V')
        return ebb_fail(err, EBB_BAD_INPUT, "A number is expected here.");
    *number = letter == 'F' || letter == 'D' ? (uint64_t)(int64_t)value->d : (uint64_t)value->i;
    return EBB_OK;
}

ebb_status ses_java_evaluate_u64(session *s, const char *expression, uint64_t *number, ebb_error *err)
{
    ebb_arena arena = {0};
    java_value value;
    ebb_status status = ses_java_evaluate_text(s, &arena, expression, &value, err);
    if (status == EBB_OK)
        status = integer_of(&value, number, err);
    ses_java_world_end_calls(s);
    ebb_arena_fini(&arena);
    return status;
}

/* Scripts (`if`, `while`) count with numbers, too, as gdb does. */
static ebb_status truth_of(session *s, const java_value *value, bool *truth, ebb_error *err)
{
    char letter = value->type->descriptor[0];
    if (value->type->kind == JAVA_PRIMITIVE && letter != 'Z' && letter != 'V') {
        *truth = letter == 'F' || letter == 'D' ? value->d != 0 : value->i != 0;
        return EBB_OK;
    }
    return expr_java_truth(&s->java->world, value, truth, err);
}

ebb_status ses_java_evaluate_bool(session *s, const char *expression, bool *truth, ebb_error *err)
{
    ebb_arena arena = {0};
    java_value value;
    ebb_status status = ses_java_evaluate_text(s, &arena, expression, &value, err);
    if (status == EBB_OK)
        status = truth_of(s, &value, truth, err);
    ses_java_world_end_calls(s);
    ebb_arena_fini(&arena);
    return status;
}

ebb_status ses_java_truth(session *s, const expr_node *tree, bool *truth, ebb_error *err)
{
    ebb_arena arena = {0};
    java_value value;
    ebb_status status = expr_java_eval(&arena, &s->java->world, tree, &value, err);
    if (status == EBB_OK)
        status = expr_java_truth(&s->java->world, &value, truth, err);
    ses_java_world_end_calls(s);
    ebb_arena_fini(&arena);
    return status;
}

/* ---- types ---------------------------------------------------------------------------------- */

ebb_status ses_java_type(session *s, const char *expression, unsigned open, ebb_buf *text, ebb_error *err)
{
    ebb_arena arena = {0};
    const expr_node *tree;
    const java_type *type;
    bool is_type_name;
    ebb_status status = expr_java_parse(&arena, ebb_text_is_blank(expression) ? "$" : expression, &tree, err);
    if (status == EBB_OK)
        status = expr_java_type_of(&arena, &s->java->world, tree, &type, &is_type_name, err);
    if (status == EBB_OK && open)
        status = expr_java_describe(&arena, &s->java->world, type, text, err);
    else if (status == EBB_OK)
        ebb_buf_adds(text, type->name);
    ses_java_world_end_calls(s);
    ebb_arena_fini(&arena);
    return status;
}

/* ---- for the common half -------------------------------------------------------------------- */

ebb_status ses_java_check_expression(session *s, const char *expression, ebb_error *err)
{
    ebb_arena arena = {0};
    const expr_node *tree;
    const java_type *type;
    bool is_type_name;
    ebb_status status = expr_java_parse(&arena, expression, &tree, err);
    if (status == EBB_OK && s->machine)
        status = expr_java_type_of(&arena, &s->java->world, tree, &type, &is_type_name, err);
    ses_java_world_end_calls(s);
    ebb_arena_fini(&arena);
    return status;
}

/* Names in a condition mean something only where it is tested: here its grammar is looked at. */
ebb_status ses_java_check_condition(session *s, const char *condition, const sym_spots *spots, ebb_error *err)
{
    (void)s, (void)spots;
    ebb_arena arena = {0};
    const expr_node *tree;
    ebb_status status = expr_java_parse(&arena, condition, &tree, err);
    ebb_arena_fini(&arena);
    return status;
}

ebb_status ses_java_parse(session *s, ebb_arena *arena, const char *text, const expr_node **tree, ebb_error *err)
{
    (void)s;
    return expr_java_parse(arena, text, tree, err);
}

ebb_status ses_java_parse_prefix(session *s, ebb_arena *arena, const char *text, const char **rest, ebb_error *err)
{
    (void)s;
    const expr_node *tree;
    return expr_java_parse_prefix(arena, text, &tree, rest, err);
}

/* ---- printf --------------------------------------------------------------------------------- */

static ebb_status text_of(session *s, ebb_arena *arena, const java_value *value, ebb_buf *out, ebb_error *err)
{
    java_chars text = {.utf8 = value->text};
    const java_type *type = value->type;
    if (value->type->kind != JAVA_PRIMITIVE && value->ref && !text.utf8) {
        type = ses_java_type_of_object(s, value->ref, err);
        if (!type)
            return EBB_NOT_FOUND;
        if (type->kind == JAVA_CLASS && strcmp(type->name, "java.lang.String") == 0)
            EBB_TRY(jvm_remote_string(s->machine, arena, value->ref, UINT32_MAX, &text, err));
    }
    if (text.utf8) {
        ebb_buf_adds(out, text.utf8);
        return EBB_OK;
    }
    expr_format format = ses_default_format(s);
    return expr_java_print(arena, &s->java->world, &format, value, out, err);
}

static uint64_t narrowed(uint64_t bits, unsigned nbytes, bool is_signed)
{
    unsigned shift = 64 - 8 * nbytes;
    return is_signed ? (uint64_t)((int64_t)(bits << shift) >> shift) : bits << shift >> shift;
}

ebb_status ses_java_argument(session *s, ebb_arena *arena, const char *expression, ses_argument *argument,
                             ebb_error *err)
{
    java_value value;
    ebb_status status = ses_java_evaluate_text(s, arena, expression, &value, err);
    if (status != EBB_OK)
        ;
    else if (argument->kind == SES_ARGUMENT_STRING)
        status = text_of(s, arena, &value, argument->string, err);
    else {
        status = integer_of(&value, &argument->bits, err);
        bool is_real = status == EBB_OK && strchr("FD", value.type->descriptor[0]);
        argument->bits = narrowed(argument->bits, argument->nbytes ? argument->nbytes : 8, argument->is_signed);
        argument->real = is_real ? value.d : (long double)value.i;
    }
    ses_java_world_end_calls(s);
    return status;
}
