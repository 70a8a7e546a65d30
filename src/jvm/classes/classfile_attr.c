/* Attributes: a table per place says which ones are read and by what. */
#include "jvm/classes/classfile_attr.h"

#include "jvm/engine/ops.h"

#include <string.h>

void jvm_read_attributes(jvm_reader *r, const jvm_attr_row *rows, void *owner)
{
    uint16_t n = jvm_read_u2(r);
    uint32_t seen = 0;
    for (uint16_t i = 0; i < n && !r->failed; i++) {
        const jvm_sym *name = jvm_read_utf8_at(r, jvm_read_u2(r), "attribute name");
        uint32_t nbytes = jvm_read_u4(r);
        const uint8_t *body = jvm_read_bytes(r, nbytes);
        if (body == NULL)
            return;
        for (int k = 0; rows[k].name != NULL; k++) {
            if (!jvm_sym_is(name, rows[k].name) || r->cls->major < rows[k].since)
                continue;
            bool many = strncmp(rows[k].name, "Line", 4) == 0 || strncmp(rows[k].name, "LocalVariableT", 14) == 0;
            if (!many && (seen & 1u << k) != 0) {
                jvm_read_fail(r, "Multiple %s attributes", name->text);
                return;
            }
            seen |= 1u << k;
            jvm_reader inner = {body, body + nbytes, r->cls, r->options, r->error, false, 0, r->tables};
            rows[k].read(&inner, owner);
            if (!inner.failed && inner.at != inner.end)
                jvm_read_fail(&inner, "Wrong length of the %s attribute", name->text);
            r->failed = inner.failed;
            break;
        }
    }
}

/* ---- annotations that mean something to the machine ---- */

static void skip_element_value(jvm_reader *r, int depth);

static void skip_annotation_body(jvm_reader *r, int depth)
{
    uint16_t n = jvm_read_u2(r);
    for (uint16_t i = 0; i < n && !r->failed; i++) {
        jvm_read_u2(r);
        skip_element_value(r, depth);
    }
}

static void skip_element_value(jvm_reader *r, int depth)
{
    if (depth > 40)
        r->failed = true;
    switch (jvm_read_u1(r)) {
    case 'e':
        jvm_read_u4(r);
        break;
    case '@':
        jvm_read_u2(r);
        skip_annotation_body(r, depth + 1);
        break;
    case '[': {
        uint16_t n = jvm_read_u2(r);
        for (uint16_t i = 0; i < n && !r->failed; i++)
            skip_element_value(r, depth + 1);
        break;
    }
    default:
        jvm_read_u2(r);
    }
}

static const struct {
    const char *type;
    uint16_t flag;
} method_annotations[] = {
    {"Ljdk/internal/reflect/CallerSensitive;", JVM_METHOD_CALLER_SENSITIVE},
    {"Ljdk/internal/vm/annotation/Hidden;", JVM_METHOD_HIDDEN},
    {"Ljava/lang/invoke/LambdaForm$Compiled;", JVM_METHOD_COMPILED_FORM | JVM_METHOD_HIDDEN},
    {"Ljdk/internal/vm/annotation/ForceInline;", JVM_METHOD_FORCE_INLINE},
    {"Ljdk/internal/misc/ScopedMemoryAccess$Scoped;", JVM_METHOD_SCOPED},
};

/* Broken annotations are Java's business: here they just end the search. */
static uint16_t annotation_flags(const jvm_reader *outer, jvm_span span)
{
    jvm_parse_error ignored;
    jvm_reader r = {span.bytes, span.bytes + span.nbytes, outer->cls, outer->options, &ignored, false, 0};
    uint16_t flags = 0, n = jvm_read_u2(&r);
    for (uint16_t i = 0; i < n && !r.failed; i++) {
        uint16_t type = jvm_read_u2(&r);
        if (!jvm_cp_is(&r, type, JVM_CP_UTF8))
            break;
        for (size_t k = 0; k < sizeof method_annotations / sizeof *method_annotations; k++)
            if (jvm_sym_is(r.cls->pool.values[type].sym, method_annotations[k].type))
                flags |= method_annotations[k].flag;
        skip_annotation_body(&r, 0);
    }
    return flags;
}

/* ---- fields ---- */

static void field_constant(jvm_reader *r, void *owner)
{
    jvm_field *f = owner;
    uint16_t index = jvm_read_u2(r);
    if (r->failed || !(f->access & JVM_ACC_STATIC))
        return;
    enum jvm_cp_tag tag = f->type == 'J' ? JVM_CP_LONG : f->type == 'F' ? JVM_CP_FLOAT : f->type == 'D' ? JVM_CP_DOUBLE
        : f->type == 'L' ? JVM_CP_STRING : f->type == '[' ? JVM_CP_UNUSED : JVM_CP_INTEGER;
    if (!jvm_cp_is(r, index, tag) || (f->type == 'L' && !jvm_sym_is(f->sig, "Ljava/lang/String;")))
        jvm_read_fail(r, "Inconsistent constant value type");
    f->constant = index;
}

static void field_signature(jvm_reader *r, void *owner)
{
    ((jvm_field *)owner)->signature = jvm_read_utf8_at(r, jvm_read_u2(r), "signature");
}

static void field_annotations(jvm_reader *r, void *owner) { ((jvm_field *)owner)->annotations = jvm_read_rest(r); }
static void field_type_annotations(jvm_reader *r, void *owner) { ((jvm_field *)owner)->type_annotations = jvm_read_rest(r); }

void jvm_parse_field_attributes(jvm_reader *r, jvm_field *f)
{
    static const jvm_attr_row rows[] = {
        {"ConstantValue", field_constant},
        {"Signature", field_signature},
        {"RuntimeVisibleAnnotations", field_annotations},
        {"RuntimeVisibleTypeAnnotations", field_type_annotations},
        {NULL, NULL, 0},
    };
    jvm_read_attributes(r, rows, f);
}

/* ---- methods ---- */

static void method_exceptions(jvm_reader *r, void *owner)
{
    jvm_method *m = owner;
    m->nexceptions = jvm_read_u2(r);
    const uint8_t *rows = jvm_read_bytes(r, 2 * (size_t)m->nexceptions);
    if (rows == NULL)
        return;
    m->exceptions = EBB_ARENA_ARRAY(&r->cls->arena, uint16_t, m->nexceptions + 1u);
    for (uint16_t i = 0; i < m->nexceptions; i++) {
        m->exceptions[i] = jvm_u2(rows + 2 * i);
        if (!jvm_cp_is(r, m->exceptions[i], JVM_CP_CLASS))
            jvm_read_fail(r, "Exception name has bad type at constant pool %u", m->exceptions[i]);
    }
}

static void method_signature(jvm_reader *r, void *owner)
{
    ((jvm_method *)owner)->signature = jvm_read_utf8_at(r, jvm_read_u2(r), "signature");
}

static void method_annotations_attr(jvm_reader *r, void *owner)
{
    jvm_method *m = owner;
    m->annotations = jvm_read_rest(r);
    if (r->options.vm_annotations)
        m->flags |= annotation_flags(r, m->annotations);
}

static void method_parameter_annotations(jvm_reader *r, void *owner) { ((jvm_method *)owner)->parameter_annotations = jvm_read_rest(r); }
static void method_default(jvm_reader *r, void *owner) { ((jvm_method *)owner)->annotation_default = jvm_read_rest(r); }
static void method_type_annotations(jvm_reader *r, void *owner) { ((jvm_method *)owner)->type_annotations = jvm_read_rest(r); }

static void method_parameters(jvm_reader *r, void *owner)
{
    jvm_method *m = owner;
    m->parameters = jvm_read_rest(r);
    if (m->parameters.nbytes == 0 || m->parameters.nbytes != 1u + 4u * m->parameters.bytes[0])
        jvm_read_fail(r, "Wrong length of the MethodParameters attribute");
}

void jvm_parse_method_attributes(jvm_reader *r, jvm_method *m)
{
    static const jvm_attr_row rows[] = {
        {"Code", jvm_read_code},
        {"Exceptions", method_exceptions},
        {"Signature", method_signature},
        {"RuntimeVisibleAnnotations", method_annotations_attr},
        {"RuntimeVisibleParameterAnnotations", method_parameter_annotations},
        {"AnnotationDefault", method_default},
        {"RuntimeVisibleTypeAnnotations", method_type_annotations},
        {"MethodParameters", method_parameters},
        {NULL, NULL, 0},
    };
    jvm_read_attributes(r, rows, m);
}

/* ---- classes ---- */

static void class_source_file(jvm_reader *r, void *owner) { r->cls->source_file = jvm_read_utf8_at(r, jvm_read_u2(r), "source file"); }
static void class_signature(jvm_reader *r, void *owner) { r->cls->signature = jvm_read_utf8_at(r, jvm_read_u2(r), "signature"); }
static void class_annotations(jvm_reader *r, void *owner) { r->cls->annotations = jvm_read_rest(r); }
static void class_type_annotations(jvm_reader *r, void *owner) { r->cls->type_annotations = jvm_read_rest(r); }
static void class_source_debug(jvm_reader *r, void *owner) { r->cls->source_debug = jvm_read_rest(r); }

static void check_inner(jvm_reader *r, const jvm_inner *in)
{
    if (in->outer != 0 && jvm_cp_class_name(r->cls, in->outer)->text[0] == '[')
        jvm_read_fail(r, "Outer class is an array class");
    else if (in->inner == in->outer)
        jvm_read_fail(r, "Class is both outer and inner class");
    else
        jvm_check_class_access(r, in->access);
}

static void class_inner(jvm_reader *r, void *owner)
{
    jvm_class *cls = r->cls;
    cls->ninner = jvm_read_u2(r);
    const uint8_t *rows = jvm_read_bytes(r, 8 * (size_t)cls->ninner);
    if (rows == NULL)
        return;
    cls->inner = EBB_ARENA_ARRAY(&cls->arena, jvm_inner, cls->ninner + 1u);
    for (uint16_t i = 0; i < cls->ninner; i++, rows += 8) {
        jvm_inner in = {jvm_u2(rows), jvm_u2(rows + 2), jvm_u2(rows + 4), jvm_u2(rows + 6)};
        if (!jvm_cp_is(r, in.inner, JVM_CP_CLASS) || (in.outer != 0 && !jvm_cp_is(r, in.outer, JVM_CP_CLASS)) ||
            (in.name != 0 && !jvm_cp_is(r, in.name, JVM_CP_UTF8)))
            jvm_read_fail(r, "Bad InnerClasses attribute");
        if (!r->failed && !r->options.trusted)
            check_inner(r, &in);
        cls->inner[i] = in;
    }
}

static void class_enclosing_method(jvm_reader *r, void *owner)
{
    jvm_class *cls = r->cls;
    cls->enclosing_class = jvm_read_u2(r);
    cls->enclosing_method = jvm_read_u2(r);
    if (!jvm_cp_is(r, cls->enclosing_class, JVM_CP_CLASS) ||
        (cls->enclosing_method != 0 && !jvm_cp_is(r, cls->enclosing_method, JVM_CP_NAME_AND_TYPE)))
        jvm_read_fail(r, "Bad EnclosingMethod attribute");
}

static void class_bootstraps(jvm_reader *r, void *owner)
{
    jvm_pool *pool = &r->cls->pool;
    uint16_t n = jvm_read_u2(r);
    pool->bootstraps = EBB_ARENA_ARRAY(&r->cls->arena, jvm_bootstrap, n + 1u);
    for (uint16_t i = 0; i < n && !r->failed; i++) {
        jvm_bootstrap *b = &pool->bootstraps[i];
        b->handle = jvm_read_u2(r);
        b->nargs = jvm_read_u2(r);
        b->args = jvm_read_bytes(r, 2 * (size_t)b->nargs);
        if (!r->failed && !jvm_cp_is(r, b->handle, JVM_CP_METHOD_HANDLE))
            jvm_read_fail(r, "bootstrap_method_index %u has bad constant type", b->handle);
        for (uint16_t k = 0; k < b->nargs && !r->failed; k++) {
            uint16_t arg = jvm_u2(b->args + 2 * k);
            unsigned loadable = 1u << JVM_CP_INTEGER | 1u << JVM_CP_FLOAT | 1u << JVM_CP_LONG | 1u << JVM_CP_DOUBLE | 1u << JVM_CP_CLASS |
                                1u << JVM_CP_STRING | 1u << JVM_CP_METHOD_HANDLE | 1u << JVM_CP_METHOD_TYPE | 1u << JVM_CP_DYNAMIC;
            if (arg == 0 || arg >= pool->n || !(loadable >> pool->tags[arg] & 1))
                jvm_read_fail(r, "argument_index %u has bad constant type", arg);
        }
    }
    pool->nbootstraps = n;
}

static void class_nest_host(jvm_reader *r, void *owner)
{
    r->cls->nest_host_index = jvm_read_u2(r);
    if (!jvm_cp_is(r, r->cls->nest_host_index, JVM_CP_CLASS))
        jvm_read_fail(r, "Bad NestHost attribute");
    if (r->cls->nest_members != NULL)
        jvm_read_fail(r, "Conflicting NestMembers and NestHost attributes");
}

static const uint8_t *class_list(jvm_reader *r, uint16_t *n, const char *what)
{
    *n = jvm_read_u2(r);
    const uint8_t *rows = jvm_read_bytes(r, 2 * (size_t)*n);
    for (uint16_t i = 0; rows != NULL && i < *n; i++)
        if (!jvm_cp_is(r, jvm_u2(rows + 2 * i), JVM_CP_CLASS))
            jvm_read_fail(r, "Bad %s attribute", what);
    return rows;
}

static void class_nest_members(jvm_reader *r, void *owner)
{
    r->cls->nest_members = class_list(r, &r->cls->nnest_members, "NestMembers");
    if (r->cls->nest_host_index != 0)
        jvm_read_fail(r, "Conflicting NestHost and NestMembers attributes");
}

static void class_permitted(jvm_reader *r, void *owner)
{
    r->cls->permitted = class_list(r, &r->cls->npermitted, "PermittedSubclasses");
    if (r->cls->access & JVM_ACC_FINAL)
        jvm_read_fail(r, "PermittedSubclasses attribute in final class");
}

static void component_signature(jvm_reader *r, void *owner)
{
    ((jvm_record_component *)owner)->signature = jvm_read_utf8_at(r, jvm_read_u2(r), "signature");
}
static void component_annotations(jvm_reader *r, void *owner) { ((jvm_record_component *)owner)->annotations = jvm_read_rest(r); }
static void component_type_annotations(jvm_reader *r, void *owner) { ((jvm_record_component *)owner)->type_annotations = jvm_read_rest(r); }

static void check_component(jvm_reader *r, const jvm_record_component *c)
{
    jvm_check_field_name(r, c->name);
    if (!r->failed)
        jvm_check_field_type(r, c->name, c->sig);
}

static void class_record(jvm_reader *r, void *owner)
{
    static const jvm_attr_row rows[] = {
        {"Signature", component_signature},
        {"RuntimeVisibleAnnotations", component_annotations},
        {"RuntimeVisibleTypeAnnotations", component_type_annotations},
        {NULL, NULL, 0},
    };
    jvm_class *cls = r->cls;
    cls->nrecord = jvm_read_u2(r);
    cls->record = EBB_ARENA_ARRAY(&cls->arena, jvm_record_component, cls->nrecord + 1u);
    for (uint16_t i = 0; i < cls->nrecord && !r->failed; i++) {
        cls->record[i].name = jvm_read_utf8_at(r, jvm_read_u2(r), "component name");
        cls->record[i].sig = jvm_read_utf8_at(r, jvm_read_u2(r), "component descriptor");
        if (!r->failed && !r->options.trusted)
            check_component(r, &cls->record[i]);
        if (!r->failed)
            jvm_read_attributes(r, rows, &cls->record[i]);
    }
    cls->flags |= JVM_CLASS_RECORD;
}

static void check_bootstrap_indexes(jvm_reader *r)
{
    const jvm_pool *pool = &r->cls->pool;
    for (uint32_t i = 1; i < pool->n && !r->failed; i++)
        if ((pool->tags[i] == JVM_CP_INDY || pool->tags[i] == JVM_CP_DYNAMIC) && pool->values[i].a >= pool->nbootstraps)
            jvm_read_fail(r, "Short length on BootstrapMethods");
}

void jvm_parse_class_attributes(jvm_reader *r)
{
    static const jvm_attr_row rows[] = {
        {"SourceFile", class_source_file},
        {"Signature", class_signature},
        {"InnerClasses", class_inner},
        {"EnclosingMethod", class_enclosing_method},
        {"BootstrapMethods", class_bootstraps, 51},
        {"NestHost", class_nest_host, 55},
        {"NestMembers", class_nest_members, 55},
        {"PermittedSubclasses", class_permitted, 61},
        {"Record", class_record, 60},
        {"RuntimeVisibleAnnotations", class_annotations},
        {"RuntimeVisibleTypeAnnotations", class_type_annotations},
        {"SourceDebugExtension", class_source_debug},
        {NULL, NULL, 0},
    };
    jvm_read_attributes(r, rows, NULL);
    if (!r->failed)
        check_bootstrap_indexes(r);
}
