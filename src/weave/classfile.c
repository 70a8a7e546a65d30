/* classfile.c - the file from its magic number to its attributes, read and written in the order of JVMS 4.1. */
#include "weave/classfile.h"

#include "jvm/classes/class.h"
#include "jvm/engine/ops.h"
#include "weave/code.h"

#include <string.h>

enum { MAGIC = 0xCAFEBABE, NEWEST_MAJOR = 61, OLDEST_MAJOR = 45 };

static ebb_status fail_read(ebb_error *err)
{
    return ebb_fail(err, EBB_BAD_FILE, "the class file is broken or cut off");
}

/* ---- reading ---- */

static void skip_attributes(weave_in *in)
{
    uint16_t n = weave_u2(in);
    for (uint32_t i = 0; i < n && !in->failed; i++) {
        weave_u2(in);
        weave_take(in, weave_u4(in));
    }
}

static void skip_fields(weave_in *in)
{
    uint16_t n = weave_u2(in);
    for (uint32_t i = 0; i < n && !in->failed; i++) {
        weave_take(in, 6);
        skip_attributes(in);
    }
}

static void read_middle(weave_class *cls, weave_in *in)
{
    const uint8_t *start = in->at;
    cls->is_module = (weave_u2(in) & JVM_ACC_MODULE) != 0;
    cls->name = weave_pool_class_name(&cls->pool, weave_u2(in));
    cls->super = weave_pool_class_name(&cls->pool, weave_u2(in));
    weave_take(in, 2u * weave_u2(in));
    skip_fields(in);
    cls->middle = (weave_span){start, (uint32_t)(in->at - start)};
}

static void read_method_attributes(weave_class *cls, weave_method *m, weave_in *in)
{
    m->nattributes = weave_u2(in);
    const uint8_t *start = in->at;
    for (uint32_t i = 0; i < m->nattributes && !in->failed; i++) {
        bool is_code = weave_pool_is(&cls->pool, weave_u2(in), "Code");
        weave_span body = weave_take(in, weave_u4(in));
        if (is_code && m->code_bytes.bytes)
            in->failed = true; /* two of them */
        if (is_code)
            m->code_bytes = body;
    }
    m->attributes = (weave_span){start, (uint32_t)(in->at - start)};
}

static void read_method(weave_class *cls, weave_method *m, weave_in *in)
{
    m->access = weave_u2(in);
    m->name_index = weave_u2(in);
    m->type_index = weave_u2(in);
    m->name = weave_pool_utf8(&cls->pool, m->name_index);
    m->type = weave_pool_utf8(&cls->pool, m->type_index);
    if (!m->name.bytes || !m->type.bytes)
        in->failed = true;
    read_method_attributes(cls, m, in);
}

static void read_methods(weave_class *cls, weave_in *in)
{
    uint16_t n = weave_u2(in);
    cls->methods = EBB_ARENA_ARRAY(&cls->arena, weave_method, n + 1u);
    for (cls->nmethods = 0; cls->nmethods < n && !in->failed; cls->nmethods++)
        read_method(cls, &cls->methods[cls->nmethods], in);
}

static ebb_status read_head(weave_class *cls, weave_in *in, ebb_error *err)
{
    const uint8_t *start = in->at;
    if (weave_u4(in) != MAGIC)
        return ebb_fail(err, EBB_BAD_FILE, "not a class file");
    weave_u2(in);
    cls->major = weave_u2(in);
    cls->head = (weave_span){start, 8};
    if (in->failed)
        return fail_read(err);
    if (cls->major < OLDEST_MAJOR || cls->major > NEWEST_MAJOR)
        return ebb_fail(err, EBB_BAD_FILE, "class file version %u is not between %d and %d", cls->major, OLDEST_MAJOR, NEWEST_MAJOR);
    return EBB_OK;
}

static ebb_status read_all(weave_class *cls, weave_in *in, ebb_error *err)
{
    EBB_TRY(read_head(cls, in, err));
    if (!weave_pool_read(&cls->pool, in, &cls->arena))
        return fail_read(err);
    read_middle(cls, in);
    read_methods(cls, in);
    const uint8_t *tail = in->at;
    skip_attributes(in);
    cls->tail = (weave_span){tail, (uint32_t)(in->at - tail)};
    return in->failed || in->at != in->end || !cls->name.bytes ? fail_read(err) : EBB_OK;
}

ebb_status weave_class_read(weave_class *cls, weave_span bytes, ebb_error *err)
{
    *cls = (weave_class){0};
    weave_in in = weave_in_of(bytes);
    ebb_status status = read_all(cls, &in, err);
    if (status != EBB_OK)
        weave_class_fini(cls);
    return status;
}

void weave_class_fini(weave_class *cls)
{
    weave_pool_fini(&cls->pool);
    ebb_arena_fini(&cls->arena);
}

ebb_status weave_method_open(weave_class *cls, weave_method *m, ebb_error *err)
{
    return m->code ? EBB_OK : weave_code_read(cls, m, &m->code, err);
}

void weave_method_close(weave_method *m)
{
    m->code = NULL;
}

/* ---- writing ---- */

static ebb_status write_code(weave_method *m, ebb_buf *out, ebb_error *err)
{
    size_t length_at = out->n;
    weave_put_u4(out, 0);
    EBB_TRY(weave_code_write(m->code, out, err));
    weave_set_u4(out, length_at, (uint32_t)(out->n - length_at - 4));
    return EBB_OK;
}

static ebb_status write_method(weave_method *m, ebb_buf *out, ebb_error *err)
{
    weave_put_u2(out, m->access);
    weave_put_u2(out, m->name_index);
    weave_put_u2(out, m->type_index);
    weave_put_u2(out, m->nattributes);
    weave_in in = weave_in_of(m->attributes);
    for (uint32_t i = 0; i < m->nattributes; i++) {
        weave_put_u2(out, weave_u2(&in));
        weave_span body = weave_take(&in, weave_u4(&in));
        if (m->code && body.bytes == m->code_bytes.bytes) {
            EBB_TRY(write_code(m, out, err));
        } else {
            weave_put_u4(out, body.nbytes);
            weave_put(out, body);
        }
    }
    return EBB_OK;
}

static ebb_status write_methods(weave_class *cls, ebb_buf *out, ebb_error *err)
{
    weave_put_u2(out, cls->nmethods);
    for (uint32_t i = 0; i < cls->nmethods; i++)
        EBB_TRY(write_method(&cls->methods[i], out, err));
    if (cls->pool.is_full)
        return ebb_fail(err, EBB_UNSUPPORTED, "the constant pool of the class is full");
    return EBB_OK;
}

enum { SUPER_AT = 4, INTERFACES_AT = 6 }; /* in `middle`, after the flags and the class itself */

uint32_t weave_class_ninterfaces(const weave_class *cls) { return jvm_u2(cls->middle.bytes + INTERFACES_AT); }

weave_span weave_class_interface(const weave_class *cls, uint32_t i)
{
    return weave_pool_class_name(&cls->pool, jvm_u2(cls->middle.bytes + INTERFACES_AT + 2 + 2 * (size_t)i));
}

void weave_class_extend(weave_class *cls, const char *super)
{
    uint16_t index = weave_pool_add_class(&cls->pool, super);
    uint8_t *middle = ebb_arena_alloc(&cls->arena, cls->middle.nbytes);
    memcpy(middle, cls->middle.bytes, cls->middle.nbytes);
    middle[SUPER_AT] = (uint8_t)(index >> 8);
    middle[SUPER_AT + 1] = (uint8_t)index;
    cls->middle.bytes = middle;
}

ebb_status weave_class_write(weave_class *cls, ebb_buf *out, ebb_error *err)
{
    ebb_buf methods = {0}; /* made before the pool is written: they may add to it */
    ebb_status status = write_methods(cls, &methods, err);
    if (status == EBB_OK) {
        weave_put(out, cls->head);
        weave_pool_write(&cls->pool, out);
        weave_put(out, cls->middle);
        ebb_buf_add(out, methods.data, methods.n);
        weave_put(out, cls->tail);
    }
    ebb_buf_fini(&methods);
    return status;
}
