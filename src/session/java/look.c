/* look.c - Java values with the names of their fields and elements.
 *
 * The fields are those of the object's own class: where the expression's type is another one, or a field of the same name hides
 * the one that is meant, a cast goes in front. */
#include "session/java/java.h"
#include "session/parts.h"

#include <string.h>

enum { ACC_STATIC = 0x0008 };

static bool is_listed(const ses_look *out, const char *name)
{
    for (size_t i = 0; i < out->named.n; i++)
        if (strcmp(out->named.items[i].name, name) == 0)
            return true;
    return false;
}

/* Classes that are made at run time have names that nobody can write. */
static bool can_be_written(const java_type *type)
{
    return !strchr(type->name, '/');
}

static void add_fields(ebb_arena *arena, const java_type *of, const char *operand, bool needs_cast, ses_look *out)
{
    for (size_t i = 0; i < of->info->n_fields; i++) {
        const char *name = of->info->fields[i].name;
        bool is_hidden = is_listed(out, name);
        if (of->info->fields[i].access & ACC_STATIC || ((needs_cast || is_hidden) && !can_be_written(of)))
            continue;
        const char *expression = needs_cast || is_hidden ? ebb_arena_printf(arena, "((%s) %s).%s", of->name, operand, name)
                                                         : ebb_arena_printf(arena, "%s.%s", operand, name);
        ses_part_name part = {is_hidden ? ebb_arena_printf(arena, "%s (%s)", name, of->name) : name, expression};
        ebb_vec_push(&out->named, part);
    }
}

static ebb_status add_parts(session *s, ebb_arena *arena, const char *expression, const java_value *value, ses_look *out, ebb_error *err)
{
    const java_type *own = ses_java_type_of_object(s, value->ref, err);
    if (!own)
        return EBB_NOT_FOUND;
    bool needs_cast = own != value->type;
    const char *operand = ses_operand_of(arena, expression);
    out->type = ebb_arena_strdup(arena, own->name);
    out->base = needs_cast ? ebb_arena_printf(arena, "((%s) %s)", own->name, operand) : operand;
    if (own->kind == JAVA_ARRAY) {
        uint32_t n;
        EBB_TRY(s->java->world.length(s->java->world.self, value->ref, &n, err));
        out->n_indexed = n;
    } else if (strcmp(own->name, "java.lang.String") != 0) {
        for (; own && own->info; own = s->java->world.super(s->java->world.self, own))
            add_fields(arena, own, operand, needs_cast, out);
    }
    return EBB_OK;
}

static ebb_status look(session *s, ebb_arena *arena, const char *expression, ses_look *out, ebb_error *err)
{
    java_value value;
    ebb_buf shown = {0};
    expr_format format = ses_default_format(s);
    EBB_TRY(ses_java_evaluate_text(s, arena, expression, &value, err));
    ebb_status status = expr_java_print(arena, &s->java->world, &format, &value, &shown, err);
    out->value = ebb_arena_strdup(arena, ebb_buf_text(&shown));
    out->type = ebb_arena_strdup(arena, value.type->name);
    ebb_buf_fini(&shown);
    bool is_object = value.type->kind != JAVA_PRIMITIVE && value.type->kind != JAVA_NULL && value.ref && !value.text;
    return status == EBB_OK && is_object ? add_parts(s, arena, expression, &value, out, err) : status;
}

ebb_status ses_java_look_at(session *s, ebb_arena *arena, const char *expression, ses_look *out, ebb_error *err)
{
    *out = (ses_look){0};
    ebb_status status = look(s, arena, expression, out, err);
    ses_java_world_end_calls(s);
    return status;
}

/* (Objects of Java's library are shown by their fields.) */
ebb_status ses_java_look_inside(session *s, ebb_arena *arena, const char *expression, ses_page page, ses_pieces *out, ebb_error *err)
{
    (void)s, (void)arena, (void)expression, (void)page, (void)out;
    return ebb_fail(err, EBB_BAD_INPUT, "It is no container.");
}
