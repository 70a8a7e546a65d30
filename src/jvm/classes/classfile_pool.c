/* Constant pool: read all entries, then check that each refers to entries of the right kind. */
#include "jvm/classes/classfile.h"

#include "base/mem.h"

static void read_utf8(jvm_reader *r, uint16_t i)
{
    uint16_t n = jvm_read_u2(r);
    const uint8_t *bytes = jvm_read_bytes(r, n);
    if (bytes == NULL)
        return;
    if (!r->options.trusted && !jvm_is_modified_utf8(bytes, n, r->cls->major < 48)) {
        jvm_read_fail(r, "Illegal UTF8 string in constant pool");
        return;
    }
    r->cls->pool.values[i].sym = jvm_sym_getn((const char *)bytes, n);
}

/* False with failed set: these kinds came with later versions. */
static bool check_tag_version(jvm_reader *r, uint8_t tag)
{
    uint16_t since = tag == JVM_CP_DYNAMIC ? 55 : tag == JVM_CP_METHOD_HANDLE || tag == JVM_CP_METHOD_TYPE || tag == JVM_CP_INDY ? 51 : 0;
    if (r->cls->major < since)
        jvm_read_fail(r, "Class file version does not support constant tag %u", tag);
    return !r->failed;
}

static void read_entry(jvm_reader *r, uint16_t i)
{
    jvm_cp_value *v = &r->cls->pool.values[i];
    uint8_t tag = r->cls->pool.tags[i];
    if (!check_tag_version(r, tag))
        return;
    switch (tag) {
    case JVM_CP_UTF8:
        read_utf8(r, i);
        break;
    case JVM_CP_INTEGER: case JVM_CP_FLOAT:
        v->i = (int32_t)jvm_read_u4(r);
        break;
    case JVM_CP_LONG: case JVM_CP_DOUBLE: {
        uint64_t high = jvm_read_u4(r);
        v->j = (int64_t)(high << 32 | jvm_read_u4(r));
        break;
    }
    case JVM_CP_CLASS: case JVM_CP_STRING: case JVM_CP_METHOD_TYPE:
        v->a = jvm_read_u2(r);
        break;
    case JVM_CP_MODULE: case JVM_CP_PACKAGE: /* refused once it is known that this is not a module descriptor */
        v->a = jvm_read_u2(r);
        r->module_tag = tag;
        if (r->cls->major < 53)
            jvm_read_fail(r, "Unknown constant tag %u", tag);
        break;
    case JVM_CP_FIELD: case JVM_CP_METHOD: case JVM_CP_IMETHOD: case JVM_CP_NAME_AND_TYPE: case JVM_CP_DYNAMIC:
    case JVM_CP_INDY:
        v->a = jvm_read_u2(r);
        v->b = jvm_read_u2(r);
        break;
    case JVM_CP_METHOD_HANDLE:
        v->a = jvm_read_u1(r);
        v->b = jvm_read_u2(r);
        break;
    default:
        jvm_read_fail(r, "Unknown constant tag %u", tag);
    }
}

static void read_entries(jvm_reader *r)
{
    jvm_pool *pool = &r->cls->pool;
    pool->n = jvm_read_u2(r);
    if (pool->n == 0)
        jvm_read_fail(r, "Illegal constant pool size 0");
    if (r->failed)
        return;
    pool->tags = EBB_ARENA_ARRAY(&r->cls->arena, uint8_t, pool->n);
    pool->values = EBB_ARENA_ARRAY(&r->cls->arena, jvm_cp_value, pool->n);
    pool->resolved = EBB_ARENA_ARRAY(&r->cls->arena, jvm_cp_resolved, pool->n);
    for (uint32_t i = 1; i < pool->n && !r->failed; i++) {
        pool->tags[i] = jvm_read_u1(r);
        read_entry(r, (uint16_t)i);
        if (pool->tags[i] == JVM_CP_LONG || pool->tags[i] == JVM_CP_DOUBLE)
            if (++i == pool->n)
                jvm_read_fail(r, "Invalid constant pool index %u", i);
    }
}

static void want(jvm_reader *r, uint16_t index, enum jvm_cp_tag tag)
{
    if (!r->failed && !jvm_cp_is(r, index, tag))
        jvm_read_fail(r, "Invalid constant pool index %u", index);
}

static const jvm_sym *sym_of(const jvm_reader *r, uint16_t utf8)
{
    return r->cls->pool.values[utf8].sym;
}

/* The descriptor says whether it is a field's or a method's. */
static void check_name_and_type(jvm_reader *r, const jvm_cp_value *v)
{
    want(r, v->a, JVM_CP_UTF8);
    want(r, v->b, JVM_CP_UTF8);
    if (r->failed || r->options.trusted)
        return;
    const jvm_sym *name = sym_of(r, v->a), *sig = sym_of(r, v->b);
    if (sig->text[0] == '(') {
        jvm_check_method_name(r, name);
        jvm_check_method_type(r, name, sig);
    } else {
        jvm_check_field_name(r, name);
        jvm_check_field_type(r, name, sig);
    }
}

static void check_member(jvm_reader *r, uint16_t i)
{
    const jvm_cp_value *v = &r->cls->pool.values[i];
    bool is_field = r->cls->pool.tags[i] == JVM_CP_FIELD;
    want(r, v->a, JVM_CP_CLASS);
    want(r, v->b, JVM_CP_NAME_AND_TYPE);
    if (r->failed || r->options.trusted)
        return;
    const jvm_cp_value *nt = &r->cls->pool.values[v->b];
    check_name_and_type(r, nt);
    if (r->failed)
        return;
    const jvm_sym *name = sym_of(r, nt->a), *sig = sym_of(r, nt->b);
    if (is_field == (sig->text[0] == '('))
        jvm_read_fail(r, "%s \"%s\" has illegal signature \"%s\"", is_field ? "Field" : "Method", name->text, sig->text);
    else if (!is_field && name->text[0] == '<' && (!jvm_sym_is(name, "<init>") || sig->text[sig->nbytes - 1] != 'V'))
        jvm_read_fail(r, "Bad method name \"%s\" in a method reference", name->text);
}

enum { REF_NEW_INVOKE_SPECIAL = 8 };

/* A handle to a constructor is of its own kind. */
static void check_handle_name(jvm_reader *r, uint16_t kind, uint16_t ref)
{
    const jvm_cp_value *member = &r->cls->pool.values[ref];
    if (!jvm_cp_is(r, member->b, JVM_CP_NAME_AND_TYPE))
        return; /* told of when its own turn comes */
    uint16_t name = r->cls->pool.values[member->b].a;
    if (!jvm_cp_is(r, name, JVM_CP_UTF8))
        return;
    bool is_init = jvm_sym_is(sym_of(r, name), "<init>");
    if (is_init != (kind == REF_NEW_INVOKE_SPECIAL))
        jvm_read_fail(r, "Bad %s name at constant pool index %u", is_init ? "method" : "constructor", name);
}

static void check_method_handle(jvm_reader *r, uint16_t i)
{
    uint16_t kind = r->cls->pool.values[i].a, ref = r->cls->pool.values[i].b;
    bool new_interface = r->cls->major >= 52;
    bool ok;
    if (kind >= 1 && kind <= 4)
        ok = jvm_cp_is(r, ref, JVM_CP_FIELD);
    else if (kind == 5 || kind == 8)
        ok = jvm_cp_is(r, ref, JVM_CP_METHOD);
    else if (kind == 6 || kind == 7)
        ok = jvm_cp_is(r, ref, JVM_CP_METHOD) || (new_interface && jvm_cp_is(r, ref, JVM_CP_IMETHOD));
    else
        ok = kind == 9 && jvm_cp_is(r, ref, JVM_CP_IMETHOD);
    if (!ok)
        jvm_read_fail(r, "Bad method handle kind %u at constant pool index %u", kind, i);
    else if (kind >= 5 && !r->options.trusted)
        check_handle_name(r, kind, ref);
}

static void check_class_name(jvm_reader *r, uint16_t i)
{
    want(r, r->cls->pool.values[i].a, JVM_CP_UTF8);
    if (r->failed || r->options.trusted)
        return;
    const jvm_sym *name = sym_of(r, r->cls->pool.values[i].a);
    bool old = r->cls->major < 49 && name->text[0] != '[';
    if (old ? !jvm_is_identifier(name->text, name->nbytes, true) : !jvm_is_class_name(name->text, name->nbytes))
        jvm_read_fail(r, "Illegal class name \"%s\" in class file", name->text);
}

static void check_dynamic(jvm_reader *r, uint16_t i)
{
    const jvm_cp_value *v = &r->cls->pool.values[i];
    bool is_field = r->cls->pool.tags[i] == JVM_CP_DYNAMIC;
    want(r, v->b, JVM_CP_NAME_AND_TYPE);
    if (r->failed)
        return;
    uint16_t sig_index = r->cls->pool.values[v->b].b;
    want(r, sig_index, JVM_CP_UTF8);
    if (r->failed)
        return;
    const jvm_sym *sig = sym_of(r, sig_index);
    if (is_field ? !jvm_is_field_descriptor(sig->text, sig->nbytes) : !jvm_is_method_descriptor(sig->text, sig->nbytes))
        jvm_read_fail(r, "Illegal descriptor \"%s\" of a dynamic constant", sig->text);
}

static void check_entry(jvm_reader *r, uint16_t i)
{
    const jvm_cp_value *v = &r->cls->pool.values[i];
    switch (r->cls->pool.tags[i]) {
    case JVM_CP_CLASS:
        check_class_name(r, i);
        break;
    case JVM_CP_STRING:
        want(r, v->a, JVM_CP_UTF8);
        break;
    case JVM_CP_METHOD_TYPE:
        want(r, v->a, JVM_CP_UTF8);
        if (!r->failed && !jvm_is_method_descriptor(sym_of(r, v->a)->text, sym_of(r, v->a)->nbytes))
            jvm_read_fail(r, "Illegal method type \"%s\"", sym_of(r, v->a)->text);
        break;
    case JVM_CP_NAME_AND_TYPE:
        check_name_and_type(r, v);
        break;
    case JVM_CP_FIELD: case JVM_CP_METHOD: case JVM_CP_IMETHOD:
        check_member(r, i);
        break;
    case JVM_CP_METHOD_HANDLE:
        check_method_handle(r, i);
        break;
    case JVM_CP_DYNAMIC: case JVM_CP_INDY:
        check_dynamic(r, i);
        break;
    default:
        break;
    }
}

void jvm_parse_pool(jvm_reader *r)
{
    read_entries(r);
    for (uint32_t i = 1; i < r->cls->pool.n && !r->failed; i++)
        check_entry(r, (uint16_t)i);
}
