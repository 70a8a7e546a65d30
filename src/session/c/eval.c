/* eval.c - expressions for their value, their effect, their type. */
#include "session/c/scratch.h"
#include "session/c/c.h"
#include "session/c/register_types.h"
#include "session/c/world.h"
#include "symbols/short_names.h"

#include <string.h>

/* Flag registers are shown by the names of the flags. */
static bool print_as_flags(session *s, ebb_arena *arena, const expr_format *format,
                           expr_value *value, ebb_buf *text)
{
    uint64_t number;
    if (format->letter || value->type->kind != SYM_TYPE_INT || value->type->nbytes != 4)
        return false;
    return expr_value_to_u64(arena, ses_world(s), value, &number, NULL) == EBB_OK &&
           ses_print_flags(value->type, number, text);
}

static ebb_status print_value(session *s, ebb_arena *arena, const expr_format *format,
                              expr_value *value, ebb_buf *text, ebb_error *err)
{
    if (print_as_flags(s, arena, format, value, text))
        return EBB_OK;
    return expr_print_top(arena, ses_world(s), format, value, text, err);
}

/* number: NULL for those who don't keep the value. */
static ebb_status evaluate_and_print(session *s, ebb_arena *arena, const ses_print_request *request,
                                     int *number, ebb_buf *text, ebb_error *err)
{
    expr_value value;
    EBB_TRY(expr_evaluate(arena, ses_world(s), request->expression, &value, err));
    bool is_void = sym_type_strip(value.type)->kind == SYM_TYPE_VOID;
    if (number)
        *number = 0;
    if (is_void && !request->keeps_void)
        return EBB_OK;
    if (!is_void && number)
        EBB_TRY(expr_value_fetch(arena, ses_world(s), &value, err));
    EBB_TRY(print_value(s, arena, request->format, &value, text, err));
    if (number)
        *number = ses_c_printed_add(s, &value);
    return EBB_OK;
}

ebb_status ses_c_print(session *s, const ses_print_request *request, int *number, ebb_buf *text, ebb_error *err)
{
    ebb_arena arena = {0};
    bool outer = ses_scratch_open(s);
    ebb_status status = evaluate_and_print(s, &arena, request, number, text, err);
    ses_scratch_end(s, outer);
    ebb_arena_fini(&arena);
    return status;
}

/* For its effect: which would be lost in the past. */
ebb_status ses_c_assign(session *s, const char *expression, ebb_error *err)
{
    ebb_arena arena = {0};
    expr_value value;
    bool outer = ses_scratch_open(s);
    ebb_status status = expr_evaluate(&arena, ses_world(s), expression, &value, err);
    bool lost = s->in_scratch && !outer;
    ses_scratch_end(s, outer);
    ebb_arena_fini(&arena);
    if (status == EBB_OK && lost)
        return ses_scratch_refuse(err);
    return status;
}

ebb_status ses_c_evaluate_u64(session *s, const char *expression, uint64_t *number, ebb_error *err)
{
    ebb_arena arena = {0};
    expr_value value;
    bool outer = ses_scratch_open(s);
    ebb_status status = expr_evaluate(&arena, ses_world(s), expression, &value, err);
    if (status == EBB_OK)
        status = expr_value_to_u64(&arena, ses_world(s), &value, number, err);
    ses_scratch_end(s, outer);
    ebb_arena_fini(&arena);
    return status;
}

ebb_status ses_c_evaluate_bool(session *s, const char *expression, bool *truth, ebb_error *err)
{
    ebb_arena arena = {0};
    expr_value value;
    bool outer = ses_scratch_open(s);
    ebb_status status = expr_evaluate(&arena, ses_world(s), expression, &value, err);
    if (status == EBB_OK)
        status = expr_value_to_bool(&arena, ses_world(s), &value, truth, err);
    ses_scratch_end(s, outer);
    ebb_arena_fini(&arena);
    return status;
}

/* ---- types ---------------------------------------------------------------------------------- */

/* whatis looks through one level of a typedef's name, ptype through all and opens what is below. */
static unsigned details_of(unsigned how)
{
    return (how & SES_TYPE_OFFSETS ? SYM_DETAIL_OFFSETS | SYM_DETAIL_NO_METHODS | SYM_DETAIL_NO_TYPEDEFS : 0) | (how & SES_TYPE_HEX ? SYM_DETAIL_HEX : 0) |
           (how & SES_TYPE_NO_METHODS ? SYM_DETAIL_NO_METHODS : 0) | (how & SES_TYPE_NO_TYPEDEFS ? SYM_DETAIL_NO_TYPEDEFS : 0) |
           (how & SES_TYPE_RAW ? SYM_DETAIL_RAW : 0);
}

static void describe(sym_type *type, bool is_type_name, unsigned how, ebb_buf *text)
{
    sym_type_kind kind = sym_type_strip(type)->kind;
    if (how & SES_TYPE_OPEN && how & SES_TYPE_OFFSETS && (kind == SYM_TYPE_STRUCT || kind == SYM_TYPE_UNION))
        ebb_buf_adds(text, "/* offset      |    size */  type = ");
    if (how & SES_TYPE_OPEN)
        sym_type_describe(type, details_of(how), text);
    else if (is_type_name && type->kind == SYM_TYPE_TYPEDEF && type->target)
        sym_type_print(type->target, text);
    else
        sym_type_print(type, text);
}

static ebb_status type_of(session *s, ebb_arena *arena, const char *expression, sym_type **type,
                          bool *is_type_name, ebb_error *err)
{
    const expr_node *tree;
    *is_type_name = true;
    ebb_error why;
    if (expr_parse_type(arena, ses_world(s), expression, type, NULL) == EBB_OK)
        return EBB_OK;
    ebb_status status = expr_parse(arena, ses_world(s), expression, &tree, &why);
    if (status == EBB_OK)
        status = expr_type_of(arena, ses_world(s), tree, type, is_type_name, &why);
    if (status != EBB_OK)
        return ebb_fail(err, status, "%s", why.text);
    return EBB_OK;
}

ebb_status ses_c_type(session *s, const char *expression, unsigned how, ebb_buf *text, ebb_error *err)
{
    ebb_arena arena = {0};
    sym_type *type;
    bool is_type_name;
    ebb_status status = type_of(s, &arena, ebb_text_is_blank(expression) ? "$" : expression, &type,
                                &is_type_name, err);
    if (status == EBB_OK) {
        ebb_buf full = {0};
        sym_type_complete(type);
        describe(type, is_type_name, how, &full);
        if (how & SES_TYPE_RAW)
            ebb_buf_adds(text, ebb_buf_text(&full));
        else
            sym_short_names(ebb_buf_text(&full), text);
        ebb_buf_fini(&full);
    }
    ebb_arena_fini(&arena);
    return status;
}

/* ---- for the common half -------------------------------------------------------------------- */

/* Whether the condition makes sense where the breakpoint would be. */
ebb_status ses_c_check_condition(session *s, const char *condition, const sym_spots *spots,
                                 ebb_error *err)
{
    ebb_arena arena = {0};
    const expr_node *tree;
    sym_type *type;
    bool is_type;
    ses_world_enter(s, spots->n ? spots->items[0].addr : 0);
    ebb_status status = expr_parse(&arena, ses_world(s), condition, &tree, err);
    if (status == EBB_OK && spots->n)
        status = expr_type_of(&arena, ses_world(s), tree, &type, &is_type, err);
    ses_world_leave(s);
    ebb_arena_fini(&arena);
    return status;
}

ebb_status ses_c_check_expression(session *s, const char *expression, ebb_error *err)
{
    ebb_arena arena = {0};
    const expr_node *tree;
    sym_type *type;
    bool is_type_name;
    ebb_status status = expr_parse(&arena, ses_world(s), expression, &tree, err);
    if (status == EBB_OK)
        status = expr_type_of(&arena, ses_world(s), tree, &type, &is_type_name, err);
    ebb_arena_fini(&arena);
    return status;
}

ebb_status ses_c_parse(session *s, ebb_arena *arena, const char *text, const expr_node **tree,
                       ebb_error *err)
{
    return expr_parse(arena, ses_world(s), text, tree, err);
}

ebb_status ses_c_parse_prefix(session *s, ebb_arena *arena, const char *text, const char **rest,
                              ebb_error *err)
{
    const expr_node *tree;
    return expr_parse_prefix(arena, ses_world(s), text, &tree, rest, err);
}

ebb_status ses_c_truth(session *s, const expr_node *tree, bool *truth, ebb_error *err)
{
    ebb_arena arena = {0};
    expr_value value;
    bool outer = ses_scratch_open(s);
    ebb_status status = expr_eval(&arena, ses_world(s), tree, &value, err);
    if (status == EBB_OK)
        status = expr_value_to_bool(&arena, ses_world(s), &value, truth, err);
    ses_scratch_end(s, outer);
    ebb_arena_fini(&arena);
    return status;
}
