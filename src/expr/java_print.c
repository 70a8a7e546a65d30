/* java_print.c - which printer a value goes to; arrays, and objects by their fields. */
#include "expr/java_print.h"

#include <inttypes.h>
#include <string.h>

enum { CHUNK = 256 };

size_t java_print_limit(const java_printer *printer)
{
    unsigned limit = printer->format->elements_limit;
    return limit && limit < JAVA_MAX_ELEMENTS ? limit : JAVA_MAX_ELEMENTS;
}

bool java_print_is_full(const java_printer *printer)
{
    return printer->out->n - printer->start > JAVA_MAX_OUTPUT_NBYTES;
}

static void new_line(java_printer *printer, unsigned depth)
{
    ebb_buf_addf(printer->out, "\n%*s", (int)(2 * depth), "");
}

static bool is_too_deep(const java_printer *printer)
{
    unsigned limit = printer->format->depth_limit;
    bool is_enough = printer->depth >= JAVA_DEEP && printer->out->n - printer->start > JAVA_ENOUGH_NBYTES;
    return printer->depth >= JAVA_MAX_OPEN || (limit && (printer->depth >= limit || is_enough)) || java_print_is_full(printer);
}

static bool is_of_library(const java_printer *printer, const java_type *type)
{
    static const char *const packages[] = {"Ljava/", "Ljavax/", "Ljdk/", "Lsun/", "Lcom/sun/"};
    const char *descriptor = printer->ev.world->type_descriptor(printer->ev.world->self, type);
    for (size_t i = 0; i < sizeof packages / sizeof *packages; i++) {
        if (strncmp(descriptor, packages[i], strlen(packages[i])) == 0)
            return true;
    }
    return false;
}

bool java_print_may_be_known(const java_printer *printer, const java_type *type)
{
    return printer->ev.world->super(printer->ev.world->self, type) && is_of_library(printer, type);
}

void java_print_identity(java_printer *printer, const java_type *type, uint64_t ref)
{
    const java_world *world = printer->ev.world;
    int32_t hash = world->identity_hash(world->self, ref);
    ebb_buf_adds(printer->out, java_type_text(&printer->ev, type));
    if (hash)
        ebb_buf_addf(printer->out, "@%" PRIx32, (uint32_t)hash);
    else if (printer->format->address)
        ebb_buf_addf(printer->out, "@0x%" PRIx64, ref);
}

ebb_status java_print_get(java_printer *printer, uint64_t ref, const char *name, java_value *out)
{
    const java_type *type;
    const java_world *world = printer->ev.world;
    ebb_status status = world->class_of(world->self, ref, &type, printer->ev.err);
    if (status)
        return status;
    const java_member *field = java_find_field(&printer->ev, type, name);
    if (!field)
        return ebb_fail(printer->ev.err, EBB_NOT_FOUND, "There is no field named %.150s in %.200s.", name, world->type_name(world->self, type));
    return java_get_field(&printer->ev, ref, field, out);
}

/* ---- arrays ------------------------------------------------------------------------------------------- */

/* An array's elements in chunks. */
typedef struct element_reader {
    java_printer *printer;
    uint64_t array;
    uint32_t n, first, n_read;
    java_value chunk[CHUNK];
} element_reader;

static ebb_status element_at(element_reader *reader, uint32_t i, java_value *out)
{
    const java_world *world = reader->printer->ev.world;
    if (i < reader->first || i - reader->first >= reader->n_read) {
        uint32_t n = reader->n - i < CHUNK ? reader->n - i : CHUNK;
        memset(reader->chunk, 0, sizeof reader->chunk);
        ebb_status status = world->elements(world->self, reader->array, i, n, reader->chunk, reader->printer->ev.err);
        if (status)
            return status;
        reader->first = i;
        reader->n_read = n;
    }
    *out = reader->chunk[i - reader->first];
    return EBB_OK;
}

static uint32_t run_length(element_reader *reader, uint32_t i, const java_value *first)
{
    uint32_t n = 1;
    for (java_value next; i + n < reader->n && element_at(reader, i + n, &next) == EBB_OK && next.i == first->i;)
        n++;
    return n;
}

static ebb_status print_elements(java_printer *printer, element_reader *reader, const java_type *element)
{
    unsigned threshold = printer->format->repeats_limit;
    size_t limit = java_print_limit(printer), n_shown = 0;
    ebb_status status = EBB_OK;
    for (uint32_t i = 0, run; !status && i < reader->n; i += run) {
        ebb_buf_adds(printer->out, i ? ", " : "");
        if (n_shown >= limit || java_print_is_full(printer)) {
            ebb_buf_truncate(printer->out, printer->out->n - 2);
            ebb_buf_adds(printer->out, "...");
            break;
        }
        java_value value;
        status = element_at(reader, i, &value);
        if (status)
            break;
        value.type = element;
        run = threshold ? run_length(reader, i, &value) : 1;
        if (printer->format->array_indexes)
            ebb_buf_addf(printer->out, "[%" PRIu32 "] = ", i);
        java_print_part(printer, &value);
        if (threshold && run >= threshold)
            ebb_buf_addf(printer->out, " <repeats %" PRIu32 " times>", run);
        else
            run = 1;
        n_shown += run > 1 ? threshold : 1;
    }
    return status;
}

static ebb_status print_array(java_printer *printer, const java_type *type, uint64_t ref)
{
    const java_world *world = printer->ev.world;
    element_reader *reader = EBB_ARENA_NEW(printer->ev.arena, element_reader);
    reader->printer = printer;
    reader->array = ref;
    ebb_status status = world->length(world->self, ref, &reader->n, printer->ev.err);
    if (status)
        return status;
    ebb_buf_addc(printer->out, '{');
    status = print_elements(printer, reader, world->element(world->self, type));
    ebb_buf_addc(printer->out, '}');
    return status;
}

/* ---- objects by their fields ----------------------------------------------------------------------------- */

static bool declares(java_printer *printer, const java_type *type, const char *name)
{
    const java_member *fields;
    const java_world *world = printer->ev.world;
    size_t n = world->fields(world->self, type, &fields);
    for (size_t i = 0; i < n; i++)
        if (!(fields[i].access & JAVA_ACC_STATIC) && strcmp(fields[i].name, name) == 0)
            return true;
    return false;
}

/* Whether a class below `type`, up from the object's own, has a field of that name, too. */
static bool is_hidden(java_printer *printer, const java_type *own, const java_type *type, const char *name)
{
    const java_world *world = printer->ev.world;
    for (; own && own != type; own = world->super(world->self, own))
        if (declares(printer, own, name))
            return true;
    return false;
}

static void print_field_name(java_printer *printer, const java_type *own, const java_type *type, const char *name)
{
    ebb_buf_adds(printer->out, name);
    if (is_hidden(printer, own, type, name))
        ebb_buf_addf(printer->out, " (%s)", java_type_text(&printer->ev, type));
}

/* What an object of class `own` has by its class `type`. */
typedef struct inheritance {
    const java_type *own, *type;
    uint64_t ref;
    bool is_record;
} inheritance;

static void print_declared(java_printer *printer, const inheritance *of, unsigned *n)
{
    const java_member *fields;
    const java_world *world = printer->ev.world;
    bool is_record = of->is_record;
    uint64_t ref = of->ref;
    size_t n_fields = world->fields(world->self, of->type, &fields);
    for (size_t i = 0; i < n_fields; i++) {
        java_value value;
        if (fields[i].access & JAVA_ACC_STATIC)
            continue;
        bool is_pretty = printer->format->pretty && !is_record;
        if (*n > 0)
            ebb_buf_adds(printer->out, is_pretty ? "," : ", ");
        if (is_pretty)
            new_line(printer, printer->depth);
        print_field_name(printer, of->own, of->type, fields[i].name);
        ebb_buf_adds(printer->out, is_record ? "=" : " = ");
        ++*n;
        ebb_error error, *err = printer->ev.err;
        error.text[0] = '\0';
        printer->ev.err = &error;
        ebb_status status = java_get_field(&printer->ev, ref, &fields[i], &value);
        printer->ev.err = err;
        if (status == EBB_OK)
            java_print_part(printer, &value);
        else
            ebb_buf_addf(printer->out, "<error: %s>", error.text);
    }
}

/* The fields of the class furthest up come first, as in memory. */
static void print_fields(java_printer *printer, inheritance of, unsigned level, unsigned *n)
{
    const java_world *world = printer->ev.world;
    inheritance from = of;
    from.type = level < JAVA_MAX_OPEN ? world->super(world->self, of.type) : NULL;
    if (from.type)
        print_fields(printer, from, level + 1, n);
    print_declared(printer, &of, n);
}

static bool is_record_type(java_printer *printer, const java_type *type)
{
    const java_world *world = printer->ev.world;
    const java_type *super = world->super(world->self, type);
    return super && java_is_class(&printer->ev, super, "Ljava/lang/Record;");
}

/* A record is shown as its own toString does it, where no outer class is named. */
static const char *simple_name(java_printer *printer, const java_type *type)
{
    const char *name = java_type_text(&printer->ev, type), *dot = strrchr(name, '.');
    return dot ? dot + 1 : name;
}

/* JP4.  Who wants it all gets it: raw, or on lines of its own. */
static bool is_only_named(const java_printer *printer)
{
    return printer->n_plain > 0 && !printer->format->raw && !printer->format->pretty;
}

/* printer->depth counts this object already. */
static ebb_status print_plain(java_printer *printer, const java_type *type, uint64_t ref)
{
    bool is_record = !printer->format->raw && is_record_type(printer, type);
    unsigned n = 0;
    if (is_record)
        ebb_buf_adds(printer->out, simple_name(printer, type));
    else
        java_print_identity(printer, type, ref);
    if (!is_record && is_only_named(printer))
        return EBB_OK;
    if (printer->depth > (printer->format->raw ? JAVA_DEEP : 1) && is_of_library(printer, type)) {
        ebb_buf_adds(printer->out, " {...}");
        return EBB_OK;
    }
    ebb_buf_adds(printer->out, is_record ? "[" : " {");
    printer->n_plain += !is_record;
    print_fields(printer, (inheritance){type, type, ref, is_record}, 0, &n);
    printer->n_plain -= !is_record;
    if (n > 0 && printer->format->pretty && !is_record)
        new_line(printer, printer->depth - 1);
    ebb_buf_addc(printer->out, is_record ? ']' : '}');
    return EBB_OK;
}

/* ---- which -------------------------------------------------------------------------------------------------- */

static bool is_open(const java_printer *printer, uint64_t ref)
{
    for (unsigned i = 0; i < printer->depth; i++) {
        if (printer->open[i] == ref)
            return true;
    }
    return false;
}

/* With the object among the open ones. */
static ebb_status print_object(java_printer *printer, const java_type *type, uint64_t ref)
{
    bool is_known = false;
    ebb_status status = EBB_OK;
    if (java_letter(&printer->ev, type) == '[')
        return print_array(printer, type, ref);
    size_t before = printer->out->n;
    if (!printer->format->raw) {
        status = java_print_known(printer, type, ref, &is_known);
        if (!status && !is_known)
            status = java_print_collection(printer, type, ref, &is_known);
    }
    if (status == EBB_NOT_FOUND) { /* a library that has other fields than the one that we know */
        ebb_buf_truncate(printer->out, before);
        is_known = false;
        status = EBB_OK;
    }
    return status || is_known ? status : print_plain(printer, type, ref);
}

static ebb_status print_reference(java_printer *printer, uint64_t ref)
{
    const java_world *world = printer->ev.world;
    const java_type *type;
    ebb_status status = world->class_of(world->self, ref, &type, printer->ev.err);
    if (status)
        return status;
    if (java_is_string(&printer->ev, type))
        return java_print_string(printer, ref);
    if (is_open(printer, ref)) {
        ebb_buf_adds(printer->out, "<cycle: ");
        java_print_identity(printer, type, ref);
        ebb_buf_addc(printer->out, '>');
        return EBB_OK;
    }
    if (is_too_deep(printer)) {
        ebb_buf_adds(printer->out, "{...}");
        return EBB_OK;
    }
    printer->open[printer->depth++] = ref;
    status = print_object(printer, type, ref);
    printer->depth--;
    return status;
}

ebb_status java_print_value(java_printer *printer, const java_value *value)
{
    char code = java_letter(&printer->ev, value->type);
    if (code == 'V') {
        ebb_buf_adds(printer->out, "void");
    } else if (!java_is_reference(code)) {
        java_print_primitive(printer, value);
    } else if (value->text) {
        java_print_text(printer, value->text, false);
    } else if (value->ref == 0) {
        ebb_buf_adds(printer->out, "null");
    } else {
        return print_reference(printer, value->ref);
    }
    return EBB_OK;
}

void java_print_part(java_printer *printer, const java_value *value)
{
    ebb_error error, *err = printer->ev.err;
    error.text[0] = '\0';
    printer->ev.err = &error;
    if (java_print_value(printer, value) != EBB_OK)
        ebb_buf_addf(printer->out, "<error: %s>", error.text);
    printer->ev.err = err;
}

/* ---- from outside --------------------------------------------------------------------------------------------- */

ebb_status expr_java_print(ebb_arena *arena, const java_world *world, const expr_format *format, const java_value *value, ebb_buf *out,
                           ebb_error *err)
{
    java_printer printer = {.ev = {.arena = arena, .world = world, .err = err, .is_pure = true}, .format = format, .out = out, .start = out->n};
    size_t before = out->n;
    if (format->letter && !strchr("xduotzcsaf", format->letter))
        return ebb_fail(err, EBB_BAD_INPUT, "Format letter \"%c\" is meaningless in \"print\" command.", format->letter);
    ebb_status status = java_print_value(&printer, value);
    if (status)
        ebb_buf_truncate(out, before);
    return status;
}

/* What a frame line has room for: scalars, strings, boxes and enums as they are, of others what they are. */
ebb_status expr_java_print_brief(ebb_arena *arena, const java_world *world, const expr_format *format, const java_value *value, ebb_buf *out,
                                 ebb_error *err)
{
    expr_format brief = *format;
    brief.elements_limit = !format->elements_limit || format->elements_limit > 60 ? 60 : format->elements_limit;
    java_printer printer = {.ev = {.arena = arena, .world = world, .err = err, .is_pure = true}, .format = &brief, .out = out, .start = out->n};
    const java_type *type = java_dynamic_type(&printer.ev, value);
    uint32_t n;
    if (value->ref == 0 || !java_is_reference(java_letter(&printer.ev, value->type)) || java_is_string(&printer.ev, type) ||
        java_unboxed_code(&printer.ev, type))
        return java_print_value(&printer, value);
    const java_type *super = world->super(world->self, type);
    bool is_enum = super && java_is_class(&printer.ev, super, "Ljava/lang/Enum;");
    if (is_enum)
        return java_print_value(&printer, value);
    if (java_letter(&printer.ev, type) == '[' && world->length(world->self, value->ref, &n, NULL) == EBB_OK) {
        const char *name = java_type_text(&printer.ev, type), *bracket = strchr(name, '[');
        ebb_buf_addf(out, "%.*s[%" PRIu32 "]%s", bracket ? (int)(bracket - name) : (int)strlen(name), name, n, bracket ? bracket + 2 : "");
        return EBB_OK;
    }
    java_print_identity(&printer, type, value->ref);
    return EBB_OK;
}
