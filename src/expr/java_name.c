/* java_name.c - what names mean: variables, fields, classes and packages; `this` and the instances around it.
 *
 * Inner classes as javac makes them: the instance around one is in its field this$0 (or this$1, ...), a captured variable
 * x in val$x; the arguments that a lambda captured are parameters of its method. */
#include "expr/java_eval.h"

#include <ctype.h>
#include <string.h>

enum { MAX_HIERARCHY = 64, MAX_INTERFACES = 256, MAX_NESTING = 32 };

/* ---- fields ------------------------------------------------------------------------------------ */

static const java_member *declared_field(java_ev *ev, const java_type *type, const char *name)
{
    const java_member *fields;
    size_t n = ev->world->fields(ev->world->self, type, &fields);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(fields[i].name, name) == 0)
            return &fields[i];
    }
    return NULL;
}

static const java_member *find_field(java_ev *ev, const java_type *type, const char *name, unsigned depth)
{
    const java_world *world = ev->world;
    for (; type && depth < MAX_HIERARCHY; type = world->super(world->self, type), depth++) {
        const java_member *field = declared_field(ev, type, name);
        const java_type *interfaces[MAX_INTERFACES];
        size_t n = field ? 0 : world->interfaces(world->self, type, interfaces, MAX_INTERFACES);
        for (size_t i = 0; !field && i < n && i < MAX_INTERFACES; i++)
            field = find_field(ev, interfaces[i], name, depth + 1);
        if (field)
            return field;
    }
    return NULL;
}

const java_member *java_find_field(java_ev *ev, const java_type *type, const char *name)
{
    return java_letter(ev, type) == 'L' ? find_field(ev, type, name, 0) : NULL;
}

/* A static field that is 0, or isn't there at all, may be so because its class wasn't needed yet; then it is initialised now, as
 * the program would do it, and the field is to be read again. */
static bool needs_initialising(java_ev *ev, const java_member *field)
{
    const java_world *world = ev->world;
    if (ev->is_pure || ev->types_only || world->is_initialised(world->self, field->holder))
        return false;
    return java_load_class(ev, world->type_name(world->self, field->holder)) != NULL;
}

static ebb_status get_static(java_ev *ev, const java_member *field, java_value *out)
{
    const java_world *world = ev->world;
    ebb_status status = world->field_get(world->self, 0, field, out, ev->err);
    if ((status || out->i == 0) && needs_initialising(ev, field))
        status = world->field_get(world->self, 0, field, out, ev->err);
    return ev->types_only ? EBB_OK : status;
}

ebb_status java_get_field(java_ev *ev, uint64_t ref, const java_member *field, java_value *out)
{
    bool is_static = field->access & JAVA_ACC_STATIC;
    ebb_status status = EBB_OK;
    *out = (java_value){0};
    if (is_static)
        status = get_static(ev, field, out);
    else if (ref)
        status = ev->world->field_get(ev->world->self, ref, field, out, ev->err);
    if (status)
        return status;
    out->type = java_type_of(ev, field->descriptor);
    out->place = is_static ? JAVA_PLACE_STATIC : JAVA_PLACE_FIELD;
    out->holder = is_static ? 0 : ref;
    out->which = field->id;
    return EBB_OK;
}

/* ---- messages ---------------------------------------------------------------------------------- */

/* The node as it was written, as far as a message needs it; false if it is more than names, calls and indexes. */
static bool unparse(const expr_node *node, ebb_buf *text)
{
    switch (node->kind) {
    case EXPR_NODE_NAME: ebb_buf_adds(text, node->name); return true;
    case EXPR_NODE_DOLLAR: ebb_buf_addf(text, "$%s", node->name); return true;
    case EXPR_NODE_THIS: ebb_buf_adds(text, "this"); return true;
    case EXPR_NODE_SUPER: ebb_buf_adds(text, "super"); return true;
    case EXPR_NODE_LITERAL:
        if (node->literal->code != 'I')
            return false;
        ebb_buf_addf(text, "%lld", (long long)node->literal->i);
        return true;
    case EXPR_NODE_MEMBER:
        if (!unparse(node->left, text))
            return false;
        ebb_buf_addf(text, ".%s", node->name);
        return true;
    case EXPR_NODE_CALL:
        if (!unparse(node->left, text))
            return false;
        ebb_buf_adds(text, node->n_args ? "(...)" : "()");
        return true;
    case EXPR_NODE_INDEX:
        if (!unparse(node->left, text))
            return false;
        ebb_buf_addc(text, '[');
        if (!unparse(node->right, text))
            ebb_buf_adds(text, "...");
        ebb_buf_addc(text, ']');
        return true;
    default: return false;
    }
}

ebb_status java_fail_null(java_ev *ev, const char *what, const expr_node *node)
{
    ebb_buf text = {0};
    bool has_text = node && unparse(node, &text);
    ebb_status status = has_text ? ebb_fail(ev->err, EBB_BAD_INPUT, "%.200s because \"%.200s\" is null", what, ebb_buf_text(&text))
                                 : ebb_fail(ev->err, EBB_BAD_INPUT, "%.200s of null", what);
    ebb_buf_fini(&text);
    return status;
}

/* ---- this and the instances around it ---------------------------------------------------------- */

const java_type *java_outer_class(java_ev *ev, const java_type *inner)
{
    const char *descriptor = ev->world->type_descriptor(ev->world->self, inner);
    const char *dollar = strrchr(descriptor, '$');
    if (*descriptor != 'L' || !dollar || dollar == descriptor + 1)
        return NULL;
    return ev->world->type(ev->world->self, ebb_arena_printf(ev->arena, "%.*s;", (int)(dollar - descriptor), descriptor));
}

const java_member *java_outer_field(java_ev *ev, const java_type *type)
{
    const java_member *fields;
    size_t n = ev->world->fields(ev->world->self, type, &fields);
    for (size_t i = 0; i < n; i++) {
        if (strncmp(fields[i].name, "this$", 5) == 0 && !(fields[i].access & JAVA_ACC_STATIC))
            return &fields[i];
    }
    return NULL;
}

/* `this`, seen as an instance of the class in whose text it stands. */
static ebb_status get_this(java_ev *ev, java_value *out)
{
    *out = (java_value){0};
    ebb_status status = ev->world->this_(ev->world->self, out, ev->err);
    const java_type *scope = ev->world->scope_class(ev->world->self);
    if (status)
        return status;
    if (scope)
        out->type = scope;
    out->place = JAVA_PLACE_NONE;
    return EBB_OK;
}

/* From an instance to the one around it; EBB_NOT_FOUND. */
static ebb_status step_outward(java_ev *ev, const java_value *inner, java_value *outer)
{
    const java_member *field = java_is_null(inner) ? NULL : java_outer_field(ev, inner->type);
    if (!field)
        return EBB_NOT_FOUND;
    ebb_status status = java_get_field(ev, inner->ref, field, outer);
    return status ? status : java_is_null(outer) ? EBB_NOT_FOUND : EBB_OK;
}

ebb_status java_enclosing_instance(java_ev *ev, const java_type *type, java_value *out)
{
    java_value at;
    java_ev quiet = *ev;
    quiet.err = NULL;
    ebb_status status = get_this(&quiet, &at);
    for (unsigned i = 0; !status && i < MAX_NESTING; i++) {
        if (java_is_subtype(ev, at.type, type)) {
            *out = at;
            out->type = type;
            out->place = JAVA_PLACE_NONE;
            return EBB_OK;
        }
        java_value outer;
        status = step_outward(&quiet, &at, &outer);
        at = outer;
    }
    return EBB_NOT_FOUND;
}

ebb_status java_eval_this(java_ev *ev, const expr_node *node, java_value *out)
{
    ebb_error error = {0};
    java_ev inner = *ev;
    inner.err = &error;
    const java_type *type;
    if (!node->scope) {
        ebb_status status = get_this(&inner, out);
        if (status == EBB_NOT_FOUND)
            return ebb_fail(ev->err, status, "non-static variable this cannot be referenced from a static context");
        return status ? ebb_fail(ev->err, status, "%s", error.text) : EBB_OK;
    }
    ebb_status status = java_type_named(ev, node->scope, &type);
    if (!status && java_enclosing_instance(ev, type, out) != EBB_OK)
        status = ebb_fail(ev->err, EBB_NOT_FOUND, "not an enclosing class: %.200s", node->scope);
    return status;
}

ebb_status java_eval_super(java_ev *ev, const expr_node *node, java_value *instance, const java_type **type)
{
    const java_world *world = ev->world;
    expr_node plain = {.kind = EXPR_NODE_THIS};
    ebb_status status = java_eval_this(ev, &plain, instance);
    if (status)
        return status;
    if (node->scope) {
        const java_type *named;
        status = java_type_named(ev, node->scope, &named);
        if (status)
            return status;
        /* Interface.super is that interface itself, Outer.super the class above Outer. */
        if (world->kind(world->self, named) == JAVA_INTERFACE) {
            *type = named;
            return EBB_OK;
        }
        if (java_enclosing_instance(ev, named, instance) != EBB_OK)
            return ebb_fail(ev->err, EBB_NOT_FOUND, "not an enclosing class: %.200s", node->scope);
    }
    *type = world->super(world->self, instance->type);
    if (!*type)
        return ebb_fail(ev->err, EBB_NOT_FOUND, "%.200s has no superclass.", java_type_text(ev, instance->type));
    return EBB_OK;
}

/* Whether it may be that of a class in a package: "com.acme.Shop", and no variable with fields. */
static bool names_class(const char *name)
{
    for (const char *dot = name; (dot = strchr(dot, '.')) != NULL; dot++)
        if (isupper((unsigned char)dot[1]))
            return true;
    return false;
}

ebb_status java_fail_no_symbol(java_ev *ev, const char *name)
{
    ebb_error why = {0};
    java_value value;
    const char *first = ebb_arena_strndup(ev->arena, name, strcspn(name, "."));
    if (ev->world->local(ev->world->self, first, &value, &why) == EBB_NOT_FOUND && why.text[0])
        return ebb_fail(ev->err, EBB_NOT_FOUND, "%s", why.text);
    if (!names_class(name))
        name = first;
    if (!ev->world->scope_class(ev->world->self))
        return ebb_fail(ev->err, EBB_NOT_FOUND, "No symbol \"%.200s\" here, where no method is under way; a static field is CLASS.FIELD.", name);
    return ebb_fail(ev->err, EBB_NOT_FOUND, "No symbol \"%.200s\" in current context.", name);
}

/* ---- plain names -------------------------------------------------------------------------------- */

/* A field of `type` called that, or the captured variable: of the instance, or static. */
static ebb_status field_in_scope(java_ev *ev, const java_type *type, const java_value *instance, const char *name, java_value *out)
{
    const java_member *field = java_find_field(ev, type, name);
    if (!field)
        field = java_find_field(ev, type, ebb_arena_printf(ev->arena, "val$%s", name));
    if (!field)
        return EBB_NOT_FOUND;
    if (!instance && !(field->access & JAVA_ACC_STATIC))
        return ebb_fail(ev->err, EBB_BAD_INPUT, "non-static variable %.200s cannot be referenced from a static context", name);
    return java_get_field(ev, instance ? instance->ref : 0, field, out);
}

/* From the innermost class outward.  Instances and classes go side by side: a static nested class ends the former only. */
static ebb_status find_in_scopes(java_ev *ev, const char *name, java_value *out)
{
    java_value instance, outer;
    java_ev quiet = *ev;
    quiet.err = NULL;
    bool has_instance = get_this(&quiet, &instance) == EBB_OK && !java_is_null(&instance);
    const java_type *type = ev->world->scope_class(ev->world->self);
    for (unsigned i = 0; type && i < MAX_NESTING; i++) {
        ebb_status status = field_in_scope(ev, type, has_instance ? &instance : NULL, name, out);
        if (status != EBB_NOT_FOUND)
            return status;
        has_instance = has_instance && step_outward(&quiet, &instance, &outer) == EBB_OK;
        if (has_instance) {
            instance = outer;
            type = outer.type;
        } else {
            type = java_outer_class(ev, type);
        }
    }
    return EBB_NOT_FOUND;
}

static ebb_status find_variable(java_ev *ev, const char *name, java_value *out)
{
    *out = (java_value){0};
    if (java_find_bound(ev, name, out))
        return EBB_OK;
    ebb_error error = {0};
    ebb_status status = ev->world->local(ev->world->self, name, out, &error);
    if (status == EBB_NOT_FOUND)
        return find_in_scopes(ev, name, out);
    if (status)
        return ebb_fail(ev->err, status, "%s", error.text);
    if (!out->type)
        out->type = java_type_of(ev, "Ljava/lang/Object;");
    if (out->place == JAVA_PLACE_NONE)
        out->place = JAVA_PLACE_LOCAL;
    return EBB_OK;
}

/* A class of that name; *error is kept if there are several. */
static bool find_class(java_ev *ev, const char *name, java_meaning *meaning, ebb_error *error)
{
    meaning->type = ev->world->find_class(ev->world->self, name, error);
    if (meaning->type)
        meaning->kind = JAVA_MEANS_CLASS;
    return meaning->type != NULL;
}

static ebb_status resolve_name(java_ev *ev, const expr_node *node, java_meaning *meaning)
{
    ebb_error error = {0};
    meaning->kind = JAVA_MEANS_VALUE;
    ebb_status status = find_variable(ev, node->name, &meaning->value);
    if (status == EBB_BAD_INPUT && ev->err)
        ev->err->status = EBB_NOT_FOUND;
    if (status != EBB_NOT_FOUND)
        return status == EBB_BAD_INPUT ? EBB_NOT_FOUND : status; /* it is not in scope here: the field of an object, in a static method */
    if (find_class(ev, node->name, meaning, &error))
        return EBB_OK;
    if (error.status && error.status != EBB_NOT_FOUND)
        return ebb_fail(ev->err, error.status, "%s", error.text);
    meaning->kind = JAVA_MEANS_PACKAGE;
    meaning->package = node->name;
    return EBB_OK;
}

/* ---- names after a dot -------------------------------------------------------------------------- */

static ebb_status fail_no_field(java_ev *ev, const java_type *type, const char *name)
{
    if (java_is_bare(ev, type))
        return ebb_fail(ev->err, EBB_GONE, "No program is running whose fields could be read.");
    return ebb_fail(ev->err, EBB_NOT_FOUND, "There is no field named %.150s in %.200s.", name,
                    ev->world->type_name(ev->world->self, type));
}

static ebb_status array_length(java_ev *ev, const java_value *array, const expr_node *left, java_value *out)
{
    uint32_t n = 0;
    if (java_is_null(array) && !ev->types_only)
        return java_fail_null(ev, "Cannot read the array length", left);
    ebb_status status = array->ref ? ev->world->length(ev->world->self, array->ref, &n, ev->err) : EBB_OK;
    if (!status)
        *out = java_integer(ev, 'I', n);
    return status;
}

static ebb_status field_of_value(java_ev *ev, const expr_node *node, const java_value *left, java_value *out)
{
    char code = java_letter(ev, left->type);
    if (!java_is_reference(code))
        return ebb_fail(ev->err, EBB_BAD_INPUT, "%.200s cannot be dereferenced", java_type_text(ev, left->type));
    const java_member *field = java_find_field(ev, left->type, node->name);
    /* Asking for the object's own class costs a question to the debuggee. */
    const java_type *own = field ? left->type : java_dynamic_type(ev, left);
    if (!field && strcmp(node->name, "length") == 0 && (code == '[' || java_letter(ev, own) == '['))
        return array_length(ev, left, node->left, out);
    if (!field)
        field = java_find_field(ev, own, node->name);
    bool is_static = field && (field->access & JAVA_ACC_STATIC);
    if (java_is_null(left) && !is_static && !ev->types_only)
        return java_fail_null(ev, ebb_arena_printf(ev->arena, "Cannot read field \"%.150s\"", node->name), node->left);
    if (!field)
        return fail_no_field(ev, own, node->name);
    java_value whole = *left;
    ebb_status status = java_materialise(ev, &whole);
    return status ? status : java_get_field(ev, whole.ref, field, out);
}

static ebb_status member_of_class(java_ev *ev, const expr_node *node, const java_type *start, java_meaning *meaning)
{
    const java_world *world = ev->world;
    const java_type *type = start;
    ebb_error error = {0};
    const java_member *field = java_find_field(ev, type, node->name);
    meaning->kind = JAVA_MEANS_VALUE;
    if (field && !(field->access & JAVA_ACC_STATIC))
        return ebb_fail(ev->err, EBB_BAD_INPUT, "non-static variable %.200s cannot be referenced from a static context", node->name);
    if (field)
        return java_get_field(ev, 0, field, &meaning->value);
    /* A nested class may be inherited. */
    for (unsigned i = 0; type && i < MAX_HIERARCHY; type = world->super(world->self, type), i++) {
        const char *nested = ebb_arena_printf(ev->arena, "%s$%s", world->type_name(world->self, type), node->name);
        if (find_class(ev, nested, meaning, &error))
            return EBB_OK;
    }
    meaning->kind = JAVA_MEANS_CLASS;
    meaning->type = java_load_class(ev, ebb_arena_printf(ev->arena, "%s$%s", world->type_name(world->self, start), node->name));
    if (!meaning->type && ev->is_pure && isupper((unsigned char)*node->name)) {
        const char *name = java_type_text(ev, start);
        return ebb_fail(ev->err, EBB_NOT_FOUND, "There is no field named %.150s in %.200s, and no class %.200s.%.150s is loaded (yet).", node->name, name, name, node->name);
    }
    return meaning->type ? EBB_OK : fail_no_field(ev, start, node->name);
}

static ebb_status member_of_package(java_ev *ev, const expr_node *node, const char *package, java_meaning *meaning)
{
    ebb_error error = {0};
    const char *name = ebb_arena_printf(ev->arena, "%s.%s", package, node->name);
    if (find_class(ev, name, meaning, &error))
        return EBB_OK;
    meaning->kind = JAVA_MEANS_PACKAGE;
    meaning->package = name;
    return EBB_OK;
}

static ebb_status resolve_member(java_ev *ev, const expr_node *node, java_meaning *meaning)
{
    java_meaning left;
    if (node->left->kind == EXPR_NODE_SUPER) {
        const java_type *type;
        meaning->kind = JAVA_MEANS_VALUE;
        ebb_status status = java_eval_super(ev, node->left, &left.value, &type);
        if (status)
            return status;
        const java_member *field = java_find_field(ev, type, node->name);
        return field ? java_get_field(ev, left.value.ref, field, &meaning->value) : fail_no_field(ev, type, node->name);
    }
    ebb_status status = java_resolve(ev, node->left, &left);
    if (status)
        return status;
    if (left.kind == JAVA_MEANS_PACKAGE) {
        status = member_of_package(ev, node, left.package, meaning);
        if (status || meaning->kind != JAVA_MEANS_PACKAGE)
            return status;
        left.type = java_load_class(ev, left.package);
        if (!left.type)
            return EBB_OK;
        left.kind = JAVA_MEANS_CLASS;
    }
    if (left.kind == JAVA_MEANS_CLASS)
        return member_of_class(ev, node, left.type, meaning);
    meaning->kind = JAVA_MEANS_VALUE;
    return field_of_value(ev, node, &left.value, &meaning->value);
}

ebb_status java_resolve(java_ev *ev, const expr_node *node, java_meaning *meaning)
{
    *meaning = (java_meaning){.kind = JAVA_MEANS_VALUE};
    switch (node->kind) {
    case EXPR_NODE_NAME: return resolve_name(ev, node, meaning);
    case EXPR_NODE_MEMBER: return resolve_member(ev, node, meaning);
    case EXPR_NODE_TYPE:
        meaning->kind = JAVA_MEANS_CLASS;
        return java_type_named(ev, node->type_name, &meaning->type);
    default: return java_eval(ev, node, &meaning->value);
    }
}
