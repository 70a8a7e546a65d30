/* look.c - Java values with the names of their fields and elements.
 *
 * The fields are those of the object's own class: where the expression's type is another one, or a field of the same name hides
 * the one that is meant, a cast goes in front. */
#include "session/java/java.h"
#include "session/parts.h"

#include <string.h>

enum { ACC_STATIC = 0x0008 };

static bool is_listed(const ses_part_names *list, const char *name)
{
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->items[i].name, name) == 0)
            return true;
    return false;
}

/* Classes that are made at run time have names that nobody can write. */
static bool can_be_written(const java_type *type)
{
    return !strchr(type->name, '/');
}

static void add_fields(ebb_arena *arena, const java_type *of, const char *operand, bool needs_cast, ses_part_names *out)
{
    for (size_t i = 0; i < of->info->n_fields; i++) {
        const char *name = of->info->fields[i].name;
        bool is_hidden = is_listed(out, name);
        if (of->info->fields[i].access & ACC_STATIC || ((needs_cast || is_hidden) && !can_be_written(of)))
            continue;
        const char *expression = needs_cast || is_hidden ? ebb_arena_printf(arena, "((%s) %s).%s", of->name, operand, name)
                                                         : ebb_arena_printf(arena, "%s.%s", operand, name);
        ses_part_name part = {is_hidden ? ebb_arena_printf(arena, "%s (%s)", name, of->name) : name, expression};
        ebb_vec_push(out, part);
    }
}

/* Texts and boxed numbers are shown whole. */
static bool is_shown_whole(const java_type *type)
{
    static const char *const names[] = {"String", "Boolean", "Byte", "Character", "Short", "Integer", "Long", "Float", "Double"};
    if (strncmp(type->name, "java.lang.", 10) != 0)
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(type->name + 10, names[i]) == 0)
            return true;
    return false;
}

/* Of collections: what they hold; the fields are their insides. */
static void add_object(session *s, ebb_arena *arena, const java_value *value, const java_type *own, const char *operand, ses_look *out)
{
    const java_world *world = &s->java->world;
    bool needs_cast = own != value->type, has_keys;
    out->is_container = expr_java_pieces(arena, world, value, &has_keys, &out->n_indexed);
    for (; own && own->info; own = world->super(world->self, own))
        add_fields(arena, own, operand, needs_cast, out->is_container ? &out->insides : &out->named);
}

static ebb_status add_parts(session *s, ebb_arena *arena, const char *expression, const java_value *value, ses_look *out, ebb_error *err)
{
    const java_type *own = ses_java_type_of_object(s, value->ref, err);
    if (!own)
        return EBB_NOT_FOUND;
    const char *operand = ses_operand_of(arena, expression);
    out->type = ebb_arena_strdup(arena, own->name);
    out->base = own != value->type ? ebb_arena_printf(arena, "((%s) %s)", own->name, operand) : operand;
    if (own->kind == JAVA_ARRAY) {
        uint32_t n;
        EBB_TRY(s->java->world.length(s->java->world.self, value->ref, &n, err));
        out->n_indexed = n;
    } else if (!is_shown_whole(own)) {
        add_object(s, arena, value, own, operand, out);
    }
    return EBB_OK;
}

static const char *shown_text(session *s, ebb_arena *arena, const java_value *value)
{
    ebb_buf shown = {0};
    ebb_error why;
    expr_format format = ses_default_format(s);
    if (expr_java_print(arena, &s->java->world, &format, value, &shown, &why) != EBB_OK)
        ebb_buf_addf(&shown, "<%s>", why.text);
    const char *text = ebb_arena_strdup(arena, ebb_buf_text(&shown));
    ebb_buf_fini(&shown);
    return text;
}

static bool is_object(const java_value *value)
{
    return value->type->kind != JAVA_PRIMITIVE && value->type->kind != JAVA_NULL && value->ref && !value->text;
}

static ebb_status look_at_value(session *s, ebb_arena *arena, const char *expression, const java_value *value, ses_look *out, ebb_error *err)
{
    *out = (ses_look){.value = shown_text(s, arena, value), .type = ebb_arena_strdup(arena, value->type->name)};
    return is_object(value) ? add_parts(s, arena, expression, value, out, err) : EBB_OK;
}

static ebb_status look(session *s, ebb_arena *arena, const char *expression, ses_look *out, ebb_error *err)
{
    java_value value;
    EBB_TRY(ses_java_evaluate_text(s, arena, expression, &value, err));
    return look_at_value(s, arena, expression, &value, out, err);
}

ebb_status ses_java_look_at(session *s, ebb_arena *arena, const char *expression, ses_look *out, ebb_error *err)
{
    *out = (ses_look){0};
    ebb_status status = look(s, arena, expression, out, err);
    ses_java_world_end_calls(s);
    return status;
}

/* ---- what collections hold ------------------------------------------------------------------------------ */

typedef struct listing {
    session *s;
    ebb_arena *arena;
    const char *collection; /* as an expression */
    ses_pieces *out;
} listing;

/* Whether the key is known by how it is shown: there is nothing in it to be opened. */
static bool is_plain(listing *l, const java_value *key)
{
    const java_type *own = is_object(key) ? ses_java_type_of_object(l->s, key->ref, NULL) : NULL;
    const java_world *world = &l->s->java->world;
    for (const java_type *at = own; at; at = world->super(world->self, at))
        if (is_shown_whole(at) || strcmp(at->name, "java.lang.Enum") == 0)
            return true;
    return !own;
}

static void list_piece(void *self, const java_piece *piece)
{
    listing *l = self;
    unsigned long long i = piece->i;
    ses_piece held = {.part.expression = ebb_arena_printf(l->arena, "$_element(%s, %llu)", l->collection, i)};
    ebb_error why;
    held.part.name = piece->has_key ? ebb_arena_printf(l->arena, "[%s]", shown_text(l->s, l->arena, &piece->key)) : ebb_arena_printf(l->arena, "[%llu]", i);
    if (piece->has_key && !is_plain(l, &piece->key))
        held.key = ebb_arena_printf(l->arena, "$_key(%s, %llu)", l->collection, i);
    if (look_at_value(l->s, l->arena, held.part.expression, &piece->value, &held.look, &why) != EBB_OK)
        held.look.value = ebb_arena_printf(l->arena, "<%s>", why.text);
    ebb_vec_push(l->out, held);
}

ebb_status ses_java_look_inside(session *s, ebb_arena *arena, const char *expression, ses_page page, ses_pieces *out, ebb_error *err)
{
    java_value value;
    listing l = {s, arena, expression, out};
    java_page wanted = {.first = page.first, .n = page.n, .each = list_piece, .self = &l};
    ebb_status status = ses_java_evaluate_text(s, arena, expression, &value, err);
    if (!status)
        status = expr_java_each_piece(arena, &s->java->world, &value, &wanted, err);
    ses_java_world_end_calls(s);
    return status;
}
