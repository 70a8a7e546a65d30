/* front.c - see front.h: the new method's code is written as it is, since it has neither jumps nor tables. */
#include "weave/front.h"

#include "jvm/classes/class.h"
#include "jvm/engine/ops.h"

#include <string.h>

static const char *text_of(weave_class *cls, weave_span span) { return ebb_arena_strndup(&cls->arena, (const char *)span.bytes, span.nbytes); }

/* The descriptor after one type of it. */
static const char *skip_type(const char *at)
{
    while (*at == '[')
        at++;
    return *at == 'L' ? strchr(at, ';') + 1 : at + 1;
}

static uint8_t load_op(char type)
{
    switch (type) {
    case 'J': return JVM_OP_lload;
    case 'F': return JVM_OP_fload;
    case 'D': return JVM_OP_dload;
    case 'L': case '[': return JVM_OP_aload;
    default: return JVM_OP_iload;
    }
}

static uint8_t return_op(char type)
{
    switch (type) {
    case 'V': return JVM_OP_return;
    case 'J': return JVM_OP_lreturn;
    case 'F': return JVM_OP_freturn;
    case 'D': return JVM_OP_dreturn;
    case 'L': case '[': return JVM_OP_areturn;
    default: return JVM_OP_ireturn;
    }
}

static uint32_t put_load(ebb_buf *out, char type, uint32_t local)
{
    weave_put_u1(out, JVM_OP_wide);
    weave_put_u1(out, load_op(type));
    weave_put_u2(out, local);
    return local + (type == 'J' || type == 'D' ? 2 : 1);
}

static void put_call(ebb_buf *out, uint8_t op, uint16_t index)
{
    weave_put_u1(out, op);
    weave_put_u2(out, index);
}

/* The number of slots of the arguments. */
static uint32_t put_insns(ebb_buf *out, const char *type, bool is_static, uint16_t then)
{
    uint32_t local = 0;
    if (!is_static)
        local = put_load(out, 'L', local);
    const char *at = type + 1;
    for (; *at != ')'; at = skip_type(at))
        local = put_load(out, *at, local);
    put_call(out, is_static ? JVM_OP_invokestatic : JVM_OP_invokespecial, then);
    weave_put_u1(out, return_op(at[1]));
    return local;
}

/* The attribute Code, with its head. */
static weave_span code_of(weave_class *cls, const weave_method *m, weave_span before, uint16_t then)
{
    ebb_buf insns = {0}, out = {0};
    weave_put(&insns, before);
    uint32_t nslots = put_insns(&insns, text_of(cls, m->type), m->access & JVM_ACC_STATIC, then);
    uint32_t nstack = nslots < 2 ? 2 : nslots; /* the result may have two */
    weave_put_u2(&out, weave_pool_add_utf8(&cls->pool, "Code"));
    weave_put_u4(&out, (uint32_t)(2 + 2 + 4 + insns.n + 2 + 2));
    weave_put_u2(&out, nstack);
    weave_put_u2(&out, nslots);
    weave_put_u4(&out, (uint32_t)insns.n);
    ebb_buf_add(&out, insns.data, insns.n);
    weave_put_u2(&out, 0); /* handlers, */
    weave_put_u2(&out, 0); /* attributes */
    uint8_t *bytes = ebb_arena_alloc(&cls->arena, out.n);
    memcpy(bytes, out.data, out.n);
    weave_span kept = {bytes, (uint32_t)out.n};
    ebb_buf_fini(&insns);
    ebb_buf_fini(&out);
    return kept;
}

void weave_put_front(weave_class *cls, uint32_t method, weave_span before)
{
    weave_method *all = ebb_arena_alloc(&cls->arena, (cls->nmethods + 1u) * sizeof *all);
    memcpy(all, cls->methods, cls->nmethods * sizeof *all);
    weave_method *m = &all[method], *front = &all[cls->nmethods];
    const char *name = ebb_arena_printf(&cls->arena, "ebb$%s", text_of(cls, m->name));
    uint16_t then = weave_pool_add_method(&cls->pool, text_of(cls, cls->name), name, text_of(cls, m->type));
    weave_span code = code_of(cls, m, before, then);
    *front = (weave_method){.access = (uint16_t)(m->access & ~JVM_ACC_SYNCHRONIZED), .name_index = m->name_index, .type_index = m->type_index,
                            .nattributes = 1, .name = m->name, .type = m->type, .attributes = code};
    m->access = (uint16_t)((m->access & ~(JVM_ACC_PUBLIC | JVM_ACC_PROTECTED)) | JVM_ACC_PRIVATE | JVM_ACC_SYNTHETIC);
    m->name_index = weave_pool_add_utf8(&cls->pool, name);
    cls->methods = all;
    cls->nmethods++;
}
