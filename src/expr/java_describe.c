/* java_describe.c - ptype: a class as a declaration. */
#include "expr/java_print.h"

#include <string.h>

static const struct {
    unsigned bit;
    const char *field, *method;
} modifiers[] = {
    {0x0001, "public ", "public "},     {0x0002, "private ", "private "},   {0x0004, "protected ", "protected "},
    {0x0400, "", "abstract "},          {0x0008, "static ", "static "},     {0x0010, "final ", "final "},
    {0x0020, "", "synchronized "},      {0x0040, "volatile ", ""},          {0x0080, "transient ", ""},
    {0x0100, "", "native "},
};

static void add_modifiers(ebb_buf *out, uint16_t access, bool is_method)
{
    for (size_t i = 0; i < sizeof modifiers / sizeof *modifiers; i++) {
        if (access & modifiers[i].bit)
            ebb_buf_adds(out, is_method ? modifiers[i].method : modifiers[i].field);
    }
}

/* A descriptor as the source writes it, also of classes that aren't loaded; after it. */
static const char *add_type(ebb_buf *out, const char *at)
{
    static const char letters[] = "ZBCSIJFDV";
    static const char *const names[] = {"boolean", "byte", "char", "short", "int", "long", "float", "double", "void"};
    size_t n_dimensions = strspn(at, "[");
    at += n_dimensions;
    const char *letter = *at ? strchr(letters, *at) : NULL;
    if (letter) {
        ebb_buf_adds(out, names[letter - letters]);
        at++;
    } else if (*at == 'L') {
        const char *end = at + strcspn(at, ";"), *slash = end;
        while (slash > at + 1 && slash[-1] != '/')
            slash--;
        for (const char *c = slash; c < end; c++)
            ebb_buf_addc(out, *c == '$' ? '.' : *c);
        at = *end ? end + 1 : end;
    } else {
        at += strlen(at);
    }
    for (size_t i = 0; i < n_dimensions; i++)
        ebb_buf_adds(out, "[]");
    return at;
}

static void describe_field(const java_member *field, ebb_buf *out)
{
    ebb_buf_adds(out, "    ");
    add_modifiers(out, field->access, false);
    add_type(out, field->descriptor);
    ebb_buf_addf(out, " %s;\n", field->name);
}

static void describe_method(java_ev *ev, const java_type *type, const java_member *method, ebb_buf *out)
{
    const char *result = strchr(method->descriptor, ')');
    bool is_constructor = strcmp(method->name, "<init>") == 0;
    if (!result)
        return;
    ebb_buf_adds(out, "    ");
    add_modifiers(out, method->access, true);
    const char *simple = java_type_text(ev, type), *dot = strrchr(simple, '.');
    if (!is_constructor) {
        add_type(out, result + 1);
        ebb_buf_addc(out, ' ');
    }
    ebb_buf_addf(out, "%s(", is_constructor ? (dot ? dot + 1 : simple) : method->name);
    for (const char *at = method->descriptor + 1; at < result;) {
        ebb_buf_adds(out, at > method->descriptor + 1 ? ", " : "");
        at = add_type(out, at);
    }
    ebb_buf_adds(out, ");\n");
}

static void describe_head(java_ev *ev, const java_type *type, ebb_buf *out)
{
    enum { MAX_INTERFACES = 64 };
    const java_world *world = ev->world;
    const java_type *super = world->super(world->self, type), *interfaces[MAX_INTERFACES];
    bool is_interface = world->kind(world->self, type) == JAVA_INTERFACE;
    bool is_enum = super && java_is_class(ev, super, "Ljava/lang/Enum;"), is_record = super && java_is_class(ev, super, "Ljava/lang/Record;");
    ebb_buf_addf(out, "%s %s", is_interface ? "interface" : is_enum ? "enum" : is_record ? "record" : "class",
                 world->type_name(world->self, type));
    if (super && !is_interface && !is_enum && !is_record && !java_is_class(ev, super, "Ljava/lang/Object;"))
        ebb_buf_addf(out, " extends %s", java_type_text(ev, super));
    size_t n = world->interfaces(world->self, type, interfaces, MAX_INTERFACES);
    for (size_t i = 0; i < n && i < MAX_INTERFACES; i++)
        ebb_buf_addf(out, "%s%s", i ? ", " : is_interface ? " extends " : " implements ", java_type_text(ev, interfaces[i]));
    ebb_buf_adds(out, " {\n");
}

ebb_status expr_java_describe(ebb_arena *arena, const java_world *world, const java_type *type, ebb_buf *out, ebb_error *err)
{
    java_ev ev = {.arena = arena, .world = world, .err = err};
    const java_member *members;
    if (java_letter(&ev, type) != 'L') {
        ebb_buf_adds(out, world->type_name(world->self, type));
        return EBB_OK;
    }
    describe_head(&ev, type, out);
    size_t n = world->fields(world->self, type, &members), n_fields = 0;
    for (size_t i = 0; i < n; i++) {
        if (!(members[i].access & JAVA_ACC_SYNTHETIC)) {
            describe_field(&members[i], out);
            n_fields++;
        }
    }
    n = world->methods(world->self, type, &members);
    for (size_t i = 0; i < n; i++) {
        bool is_hidden = members[i].access & JAVA_ACC_SYNTHETIC || strcmp(members[i].name, "<clinit>") == 0;
        if (!is_hidden && n_fields) {
            ebb_buf_addc(out, '\n');
            n_fields = 0;
        }
        if (!is_hidden)
            describe_method(&ev, type, &members[i], out);
    }
    ebb_buf_addc(out, '}');
    return EBB_OK;
}
