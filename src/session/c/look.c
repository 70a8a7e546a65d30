/* look.c - C values with the names of their parts. */
#include "session/c/c.h"
#include "session/c/scratch.h"
#include "session/c/world.h"
#include "session/parts.h"

enum { MAX_DEPTH = 8 };

/* Members of anonymous structs and of base classes count as the aggregate's own. */
static void add_members(ebb_arena *arena, sym_type *type, const char *operand, const char *dot, unsigned depth, ses_look *out)
{
    sym_type_complete(type);
    for (size_t i = 0; depth < MAX_DEPTH && i < type->n_members; i++) {
        const sym_member *member = &type->members[i];
        if (member->is_artificial)
            continue;
        if (!member->name) {
            add_members(arena, sym_type_strip(member->type), operand, dot, depth + 1, out);
            continue;
        }
        ses_part_name part = {member->name, ebb_arena_printf(arena, "%s%s%s", operand, dot, member->name)};
        ebb_vec_push(&out->named, part);
    }
}

static bool is_aggregate(const sym_type *type)
{
    return type->kind == SYM_TYPE_STRUCT || type->kind == SYM_TYPE_UNION;
}

/* A char pointer is shown as a string already; nothing is known of what void and code are made of. */
static bool is_worth_following(const sym_type *target)
{
    return target->kind != SYM_TYPE_VOID && target->kind != SYM_TYPE_FUNCTION &&
           !((target->kind == SYM_TYPE_INT || target->kind == SYM_TYPE_CHAR) && target->nbytes == 1);
}

static void add_pointed(ebb_arena *arena, sym_type *pointer, const char *operand, ses_look *out)
{
    sym_type *target = pointer->target ? sym_type_strip(pointer->target) : NULL;
    if (!target || out->address == 0 || !is_worth_following(target))
        return;
    if (is_aggregate(target)) {
        add_members(arena, target, operand, "->", 0, out);
        return;
    }
    const char *expression = ebb_arena_printf(arena, "*%s", operand);
    ses_part_name part = {expression, expression};
    ebb_vec_push(&out->named, part);
}

static uint64_t n_elements(sym_type *array)
{
    sym_type *element = array->target ? sym_type_strip(array->target) : NULL;
    uint64_t nbytes = element ? sym_type_size(element) : 0;
    return nbytes ? sym_type_size(array) / nbytes : 0;
}

static void add_parts(session *s, ebb_arena *arena, const char *expression, expr_value *value, ses_look *out)
{
    sym_type *type = sym_type_strip(value->type);
    const char *operand = ses_operand_of(arena, expression);
    out->has_address = value->place.kind == EXPR_PLACE_MEMORY && value->place.nbits == 0;
    out->address = value->place.addr;
    out->base = operand;
    if (type->kind == SYM_TYPE_POINTER) {
        out->has_address = expr_value_to_u64(arena, ses_world(s), value, &out->address, NULL) == EBB_OK;
        if (out->has_address)
            add_pointed(arena, type, operand, out);
    } else if (type->kind == SYM_TYPE_ARRAY) {
        out->n_indexed = n_elements(type);
    } else if (is_aggregate(type)) {
        add_members(arena, type, operand, ".", 0, out);
    }
}

static const char *taken(ebb_arena *arena, ebb_buf *text)
{
    const char *kept = ebb_arena_strdup(arena, ebb_buf_text(text));
    ebb_buf_fini(text);
    return kept;
}

static ebb_status look_at(session *s, ebb_arena *arena, const char *expression, ses_look *out, ebb_error *err)
{
    expr_value value;
    ebb_buf shown = {0}, type = {0};
    expr_format format = ses_default_format(s);
    *out = (ses_look){0};
    EBB_TRY(expr_evaluate(arena, ses_world(s), expression, &value, err));
    ebb_status status = expr_print(arena, ses_world(s), &format, &value, &shown, err);
    sym_type_print(value.type, &type);
    out->value = taken(arena, &shown);
    out->type = taken(arena, &type);
    if (status == EBB_OK)
        add_parts(s, arena, expression, &value, out);
    return status;
}

ebb_status ses_c_look_at(session *s, ebb_arena *arena, const char *expression, ses_look *out, ebb_error *err)
{
    bool outer = ses_scratch_open(s);
    ebb_status status = look_at(s, arena, expression, out, err);
    ses_scratch_end(s, outer);
    return status;
}
