/* java_type.c - questions about types, asked of the world. */
#include "expr/java_eval.h"

#include <ctype.h>
#include <string.h>

enum { MAX_HIERARCHY = 64, MAX_INTERFACES = 256, MAX_PARAMS = 255 };

static const struct {
    char code;
    const char *name, *box;
} primitives[] = {
    {'Z', "boolean", "Ljava/lang/Boolean;"}, {'B', "byte", "Ljava/lang/Byte;"},   {'C', "char", "Ljava/lang/Character;"},
    {'S', "short", "Ljava/lang/Short;"},     {'I', "int", "Ljava/lang/Integer;"}, {'J', "long", "Ljava/lang/Long;"},
    {'F', "float", "Ljava/lang/Float;"},     {'D', "double", "Ljava/lang/Double;"}, {'V', "void", "Ljava/lang/Void;"},
};

enum { N_PRIMITIVES = sizeof primitives / sizeof *primitives };

static const char *descriptor_of(java_ev *ev, const java_type *type)
{
    return ev->world->type_descriptor(ev->world->self, type);
}

char java_letter(java_ev *ev, const java_type *type)
{
    return ev->world->kind(ev->world->self, type) == JAVA_NULL ? 'N' : *descriptor_of(ev, type);
}

bool java_is_reference(char code)
{
    return code == 'L' || code == '[' || code == 'N';
}

bool java_is_integral(char code)
{
    return code && strchr("BCSIJ", code);
}

bool java_is_numeric(char code)
{
    return code && strchr("BCSIJFD", code);
}

const java_type *java_type_of(java_ev *ev, const char *descriptor)
{
    const java_type *type = ev->world->type(ev->world->self, descriptor);
    return type ? type : ev->world->type(ev->world->self, "Ljava/lang/Object;");
}

const java_type *java_type_of_code(java_ev *ev, char code)
{
    return java_type_of(ev, code == 'N' ? "null" : (char[]){code, '\0'});
}

bool java_is_class(java_ev *ev, const java_type *type, const char *descriptor)
{
    return strcmp(descriptor_of(ev, type), descriptor) == 0;
}

bool java_is_string(java_ev *ev, const java_type *type)
{
    return java_is_class(ev, type, "Ljava/lang/String;");
}

/* Every class has a constructor, or is Object, which has methods. */
bool java_is_bare(java_ev *ev, const java_type *type)
{
    const java_member *methods;
    return ev->world->kind(ev->world->self, type) == JAVA_CLASS && ev->world->methods(ev->world->self, type, &methods) == 0;
}

const char *java_type_text(java_ev *ev, const java_type *type)
{
    if (ev->world->kind(ev->world->self, type) == JAVA_NULL)
        return "<null>";
    const char *name = ev->world->type_name(ev->world->self, type);
    const char *dot = strrchr(name, '.');
    char *text = ebb_arena_strdup(ev->arena, dot ? dot + 1 : name);
    for (char *at = text; *at; at++) {
        bool has_name = at[1] && (at[1] < '0' || at[1] > '9') && at[1] != '$'; /* Outer$1 has none, nor has Outer$$Lambda$2 */
        if (*at == '$' && at > text && at[-1] != '$' && has_name)
            *at = '.';
    }
    return text;
}

char java_unboxed_code(java_ev *ev, const java_type *type)
{
    for (size_t i = 0; i < N_PRIMITIVES - 1; i++) {
        if (java_is_class(ev, type, primitives[i].box))
            return primitives[i].code;
    }
    return 0;
}

const java_type *java_box_type(java_ev *ev, char code)
{
    for (size_t i = 0; i < N_PRIMITIVES; i++) {
        if (primitives[i].code == code)
            return java_type_of(ev, primitives[i].box);
    }
    return java_type_of(ev, "Ljava/lang/Object;");
}

/* ---- subtypes ---------------------------------------------------------------------------------- */

static bool is_subclass(java_ev *ev, const java_type *from, const java_type *to, unsigned depth)
{
    const java_world *world = ev->world;
    for (; from && depth < MAX_HIERARCHY; from = world->super(world->self, from), depth++) {
        if (from == to)
            return true;
        const java_type *interfaces[MAX_INTERFACES];
        size_t n = world->interfaces(world->self, from, interfaces, MAX_INTERFACES);
        for (size_t i = 0; i < n && i < MAX_INTERFACES; i++) {
            if (is_subclass(ev, interfaces[i], to, depth + 1))
                return true;
        }
    }
    return false;
}

static bool is_subtype_of_array(java_ev *ev, const java_type *from, const java_type *to)
{
    const java_world *world = ev->world;
    while (java_letter(ev, from) == '[' && java_letter(ev, to) == '[') {
        from = world->element(world->self, from);
        to = world->element(world->self, to);
    }
    if (java_letter(ev, from) == '[')
        return java_is_class(ev, to, "Ljava/lang/Object;") || java_is_class(ev, to, "Ljava/lang/Cloneable;") ||
               java_is_class(ev, to, "Ljava/io/Serializable;");
    if (!java_is_reference(java_letter(ev, from)))
        return from == to;
    return java_letter(ev, to) == 'L' && java_is_subtype(ev, from, to);
}

bool java_is_subtype(java_ev *ev, const java_type *from, const java_type *to)
{
    char a = java_letter(ev, from), b = java_letter(ev, to);
    if (from == to)
        return true;
    if (!java_is_reference(a) || !java_is_reference(b))
        return java_widens(a, b);
    if (a == 'N' || b == 'N')
        return a == 'N';
    if (a == '[')
        return is_subtype_of_array(ev, from, to);
    return java_is_class(ev, to, "Ljava/lang/Object;") || is_subclass(ev, from, to, 0);
}

/* ---- names and descriptors --------------------------------------------------------------------- */

static const java_type *array_of(java_ev *ev, const java_type *element, size_t n_dimensions)
{
    ebb_buf descriptor = {0};
    for (size_t i = 0; i < n_dimensions; i++)
        ebb_buf_addc(&descriptor, '[');
    ebb_buf_adds(&descriptor, descriptor_of(ev, element));
    const java_type *type = ev->world->type(ev->world->self, ebb_buf_text(&descriptor));
    ebb_buf_fini(&descriptor);
    return type;
}

/* Nobody begins a copy for what is plainly the name of a variable or package. */
static bool looks_like_class(const char *name)
{
    const char *dot = strrchr(name, '.');
    return isupper((unsigned char)(dot ? dot[1] : name[0]));
}

/* The package of the code that is looked from, with its dot; "" for none. */
static const char *scope_package(java_ev *ev)
{
    const java_type *scope = ev->world->scope_class(ev->world->self);
    const char *name = scope ? ev->world->type_name(ev->world->self, scope) : "", *dot = strrchr(name, '.');
    return dot ? ebb_arena_strndup(ev->arena, name, (size_t)(dot - name) + 1) : "";
}

static const java_type *load_named(java_ev *ev, const char *prefix, const char *name)
{
    return ev->world->load_class(ev->world->self, ebb_arena_printf(ev->arena, "%s%s", prefix, name), NULL);
}

/* A name without dots: nested in a class around the place, of its package, of java.lang, or of what jshell imports by itself (a class file
 * doesn't tell what its source imported). */
static const java_type *load_simple(java_ev *ev, const char *name)
{
    static const char *const imported[] = {"java.lang.", "java.util.", "java.util.stream.", "java.util.function.", "java.util.concurrent.",
        "java.util.regex.", "java.io.", "java.math.", "java.net.", "java.nio.file."};
    const java_type *type = NULL, *around = ev->world->scope_class(ev->world->self);
    for (; !type && around; around = java_outer_class(ev, around))
        type = load_named(ev, ebb_arena_printf(ev->arena, "%s$", ev->world->type_name(ev->world->self, around)), name);
    if (!type)
        type = load_named(ev, scope_package(ev), name);
    for (size_t i = 0; !type && i < sizeof imported / sizeof *imported; i++)
        type = load_named(ev, imported[i], name);
    return type;
}

const java_type *java_load_class(java_ev *ev, const char *name)
{
    const java_world *world = ev->world;
    java_ev quiet = *ev;
    quiet.err = NULL;
    if (ev->is_pure || ev->types_only || !looks_like_class(name) || java_need_calls(&quiet) != EBB_OK)
        return NULL;
    ev->may_call = true;
    if (!strchr(name, '.'))
        return load_simple(ev, name);
    /* a.b.C.D may be D in C. */
    char *binary = ebb_arena_strdup(ev->arena, name);
    for (char *dot = binary; dot; *dot = '$') {
        const java_type *type = world->load_class(world->self, binary, NULL);
        dot = strrchr(binary, '.');
        if (type || !dot)
            return type;
    }
    return NULL;
}

ebb_status java_type_named(java_ev *ev, const char *name, const java_type **type)
{
    size_t n = strlen(name), n_dimensions = 0;
    for (; n >= 2 && name[n - 1] == ']'; n -= 2)
        n_dimensions++;
    const char *element = ebb_arena_strndup(ev->arena, name, n);
    ebb_error error = {0};
    *type = NULL;
    for (size_t i = 0; i < N_PRIMITIVES; i++) {
        if (strcmp(element, primitives[i].name) == 0)
            *type = java_type_of_code(ev, primitives[i].code);
    }
    if (!*type)
        *type = ev->world->find_class(ev->world->self, element, &error);
    if (!*type && (!error.status || error.status == EBB_NOT_FOUND))
        *type = java_load_class(ev, element);
    if (*type && n_dimensions > 0)
        *type = n_dimensions > MAX_PARAMS ? NULL : array_of(ev, *type, n_dimensions);
    if (*type)
        return EBB_OK;
    if (error.text[0])
        return ebb_fail(ev->err, error.status, "%s", error.text);
    return ebb_fail(ev->err, EBB_NOT_FOUND, "No class named %.200s is loaded.", name);
}

/* After one type of a descriptor; NULL if it is broken. */
static const char *skip_type(const char *at)
{
    at += strspn(at, "[");
    if (*at == 'L')
        at = strchr(at, ';');
    return at && *at ? at + 1 : NULL;
}

size_t java_params(java_ev *ev, const char *descriptor, const java_type ***params, const java_type **result)
{
    size_t n = 0;
    *params = EBB_ARENA_ARRAY(ev->arena, const java_type *, MAX_PARAMS);
    const char *at = descriptor + (*descriptor == '(');
    while (*at && *at != ')' && n < MAX_PARAMS) {
        const char *end = skip_type(at);
        if (!end)
            break;
        (*params)[n++] = java_type_of(ev, ebb_arena_strndup(ev->arena, at, (size_t)(end - at)));
        at = end;
    }
    if (result)
        *result = java_type_of(ev, *at == ')' && at[1] ? at + 1 : "V");
    return n;
}
