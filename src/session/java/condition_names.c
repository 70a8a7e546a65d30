/* condition_names.c - what names in a condition mean, as code: variables, fields, classes and packages.
 *
 * The same order as in expr/java_name.c: a variable of the method, then fields of its class and of those around it, then classes. */
#include "session/java/condition_code.h"

#include <string.h>

enum { MAX_NESTING = 32, MAX_HIERARCHY = 64 };

typedef struct meaning {
    enum { A_VALUE, A_CLASS, A_PACKAGE } kind;
    ses_java_shape value;  /* it was added */
    const java_type *type; /* A_CLASS */
    const char *package;   /* A_PACKAGE, or what may be one */
} meaning;

/* ---- variables and fields ------------------------------------------------------------------- */

static const ses_java_variable *find_variable(const ses_java_coder *c, const char *name)
{
    for (size_t i = 0; i < c->variables.n; i++)
        if (strcmp(c->variables.items[i].name, name) == 0)
            return &c->variables.items[i];
    return NULL;
}

static bool add_variable(ses_java_coder *c, const ses_java_variable *variable, ses_java_shape *out)
{
    ses_java_coder_add(c, MACHINE_CODE_LOCAL, (int64_t)variable->slot | (int64_t)variable->descriptor[0] << 16);
    return ses_java_shape_named(c, variable->descriptor, out);
}

bool ses_java_add_field(ses_java_coder *c, const java_member *field, ses_java_shape *out)
{
    bool is_static = field->access & JAVA_ACC_STATIC, is_ref = java_is_reference(field->descriptor[0]);
    machine_code_op op = is_static ? is_ref ? MACHINE_CODE_STATIC_REF : MACHINE_CODE_STATIC
                                   : is_ref ? MACHINE_CODE_FIELD_REF : MACHINE_CODE_FIELD;
    ses_java_coder_add(c, op, (int64_t)field->id);
    return ses_java_shape_named(c, field->descriptor, out);
}

/* `this`, seen as an instance of the class in whose text it stands. */
static bool add_plain_this(ses_java_coder *c, ses_java_shape *out)
{
    const ses_java_variable *variable = find_variable(c, "this");
    const java_type *scope = c->ev.world->scope_class(c->ev.world->self);
    if (!variable || !scope || !add_variable(c, variable, out))
        return ses_java_coder_later(c);
    *out = ses_java_shape_of(c, scope);
    return true;
}

/* The way from `this` to the instances around it, one after the other. */
typedef struct outward {
    const java_type *type;
    bool has_instance;
    const java_member *steps[MAX_NESTING];
    unsigned n;
} outward;

static outward from_this(ses_java_coder *c)
{
    return (outward){.type = c->ev.world->scope_class(c->ev.world->self), .has_instance = find_variable(c, "this") != NULL};
}

/* False: there is nothing around it. */
static bool go_outward(ses_java_coder *c, outward *o)
{
    const java_member *field = o->has_instance ? java_outer_field(&c->ev, o->type) : NULL;
    o->has_instance = field != NULL;
    if (field)
        o->steps[o->n] = field;
    o->type = field ? c->ev.world->type(c->ev.world->self, field->descriptor) : java_outer_class(&c->ev, o->type);
    return o->type && ++o->n < MAX_NESTING;
}

static bool add_instance(ses_java_coder *c, const outward *o, ses_java_shape *out)
{
    if (!add_plain_this(c, out))
        return false;
    for (unsigned i = 0; i < o->n; i++)
        if (!ses_java_add_field(c, o->steps[i], out))
            return false;
    return true;
}

static const java_member *field_in_scope(ses_java_coder *c, const java_type *type, const char *name)
{
    const java_member *field = java_find_field(&c->ev, type, name);
    return field ? field : java_find_field(&c->ev, type, ebb_arena_printf(c->ev.arena, "val$%s", name));
}

/* *found false: there is no such field, and nothing was added. */
static bool add_field_in_scopes(ses_java_coder *c, const char *name, bool *found, ses_java_shape *out)
{
    outward o = from_this(c);
    *found = false;
    if (!o.type)
        return true;
    do {
        const java_member *field = field_in_scope(c, o.type, name);
        if (!field)
            continue;
        *found = true;
        bool is_static = field->access & JAVA_ACC_STATIC;
        if (!is_static && (!o.has_instance || !add_instance(c, &o, out)))
            return ses_java_coder_later(c);
        return ses_java_add_field(c, field, out);
    } while (go_outward(c, &o));
    return true;
}

bool ses_java_add_this(ses_java_coder *c, const expr_node *node, ses_java_shape *out)
{
    const java_type *type;
    if (!node->scope)
        return add_plain_this(c, out);
    if (java_type_named(&c->ev, node->scope, &type) != EBB_OK)
        return ses_java_coder_later(c);
    outward o = from_this(c);
    while (o.type && o.has_instance && !java_is_subtype(&c->ev, o.type, type))
        if (!go_outward(c, &o))
            return ses_java_coder_later(c);
    if (!o.type || !o.has_instance || !add_instance(c, &o, out))
        return ses_java_coder_later(c);
    *out = ses_java_shape_of(c, type);
    return true;
}

/* ---- names ---------------------------------------------------------------------------------- */

static bool find_class(ses_java_coder *c, const char *name, meaning *m)
{
    m->type = c->ev.world->find_class(c->ev.world->self, name, NULL);
    m->kind = A_CLASS;
    return m->type != NULL;
}

static bool resolve_name(ses_java_coder *c, const expr_node *node, meaning *m)
{
    const ses_java_variable *variable = find_variable(c, node->name);
    bool found;
    if (variable)
        return add_variable(c, variable, &m->value);
    if (!add_field_in_scopes(c, node->name, &found, &m->value))
        return false;
    if (!found && !find_class(c, node->name, m))
        *m = (meaning){.kind = A_PACKAGE, .package = node->name};
    return true;
}

static bool member_of_value(ses_java_coder *c, const expr_node *node, const ses_java_shape *left, ses_java_shape *out)
{
    const java_member *field = left->text ? NULL : java_find_field(&c->ev, left->type, node->name);
    if (field && field->access & JAVA_ACC_STATIC)
        return ses_java_coder_never(c, "reads a static field through an object");
    if (field)
        return ses_java_add_field(c, field, out);
    if (left->code != '[' || strcmp(node->name, "length") != 0)
        return ses_java_coder_never(c, "reads what only the object's own class has");
    ses_java_coder_add(c, MACHINE_CODE_LENGTH, 0);
    return ses_java_shape_named(c, "I", out);
}

static bool member_of_class(ses_java_coder *c, const expr_node *node, const java_type *type, meaning *m)
{
    const java_world *world = c->ev.world;
    const java_member *field = java_find_field(&c->ev, type, node->name);
    if (field && !(field->access & JAVA_ACC_STATIC))
        return ses_java_coder_later(c);
    if (field)
        return ses_java_add_field(c, field, &m->value);
    for (unsigned i = 0; type && i < MAX_HIERARCHY; type = world->super(world->self, type), i++)
        if (find_class(c, ebb_arena_printf(c->ev.arena, "%s$%s", type->name, node->name), m))
            return true;
    return ses_java_coder_later(c);
}

static bool resolve(ses_java_coder *c, const expr_node *node, meaning *m);

static bool resolve_member(ses_java_coder *c, const expr_node *node, meaning *m)
{
    meaning left;
    if (node->left->kind == EXPR_NODE_SUPER)
        return ses_java_coder_never(c, "uses super");
    if (!resolve(c, node->left, &left))
        return false;
    if (left.kind == A_CLASS)
        return member_of_class(c, node, left.type, m);
    if (left.kind == A_VALUE)
        return member_of_value(c, node, &left.value, &m->value);
    const char *name = ebb_arena_printf(c->ev.arena, "%s.%s", left.package, node->name);
    if (!find_class(c, name, m))
        *m = (meaning){.kind = A_PACKAGE, .package = name};
    return true;
}

static bool resolve(ses_java_coder *c, const expr_node *node, meaning *m)
{
    *m = (meaning){.kind = A_VALUE};
    switch (node->kind) {
    case EXPR_NODE_NAME: return resolve_name(c, node, m);
    case EXPR_NODE_MEMBER: return resolve_member(c, node, m);
    case EXPR_NODE_TYPE:
        m->kind = A_CLASS;
        return java_type_named(&c->ev, node->type_name, &m->type) == EBB_OK || ses_java_coder_later(c);
    default: return ses_java_add_value(c, node, &m->value);
    }
}

bool ses_java_add_name(ses_java_coder *c, const expr_node *node, ses_java_shape *out)
{
    meaning m;
    if (!resolve(c, node, &m))
        return false;
    *out = m.value;
    return m.kind == A_VALUE || ses_java_coder_later(c);
}
