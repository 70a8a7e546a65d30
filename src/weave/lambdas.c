/* lambdas.c - see lambdas.h: the arguments of the bootstrap method say it (LambdaMetafactory). */
#include "weave/lambdas.h"

#include "jvm/classes/class.h"
#include "jvm/engine/ops.h"

#include <string.h>

static const uint8_t *entry_at(const weave_pool *pool, uint32_t index, uint8_t tag)
{
    const uint8_t *entry = index < pool->n ? pool->entries[index] : NULL;
    return entry && entry[0] == tag ? entry : NULL;
}

/* What is in the class's attribute BootstrapMethods. */
static weave_in bootstraps_of(const weave_class *cls)
{
    weave_in in = weave_in_of(cls->tail);
    uint16_t n = weave_u2(&in);
    for (uint16_t i = 0; i < n && !in.failed; i++) {
        uint16_t name = weave_u2(&in);
        weave_span bytes = weave_take(&in, weave_u4(&in));
        if (weave_pool_is(&cls->pool, name, "BootstrapMethods") && bytes.bytes)
            return weave_in_of(bytes);
    }
    return (weave_in){.failed = true};
}

/* Argument 1 of that bootstrap method, if it is a lambda's; 0: it is not. */
static uint16_t body_index(const weave_class *cls, uint16_t bootstrap)
{
    weave_in in = bootstraps_of(cls);
    uint16_t n = weave_u2(&in);
    for (uint16_t i = 0; i < n && !in.failed; i++) {
        weave_member maker = weave_pool_handle(&cls->pool, weave_u2(&in));
        uint16_t nargs = weave_u2(&in);
        weave_span args = weave_take(&in, 2u * nargs);
        static const char factory[] = "java/lang/invoke/LambdaMetafactory";
        bool is_lambda = maker.cls.bytes && maker.cls.nbytes == sizeof factory - 1 && memcmp(maker.cls.bytes, factory, sizeof factory - 1) == 0;
        if (i == bootstrap)
            return is_lambda && args.bytes && nargs >= 3 ? jvm_u2(args.bytes + 2) : 0;
    }
    return 0;
}

weave_lambda weave_lambda_of(const weave_class *cls, const weave_insn *insn)
{
    weave_lambda none = {{{NULL, 0}, {NULL, 0}, {NULL, 0}}, {NULL, 0}};
    const uint8_t *site = insn->op == JVM_OP_invokedynamic ? entry_at(&cls->pool, jvm_u2(insn->bytes + 1), JVM_CP_INDY) : NULL;
    const uint8_t *name = site ? entry_at(&cls->pool, jvm_u2(site + 3), JVM_CP_NAME_AND_TYPE) : NULL;
    if (!name)
        return none;
    weave_span type = weave_pool_utf8(&cls->pool, jvm_u2(name + 3));
    const uint8_t *end = type.bytes ? memchr(type.bytes, ')', type.nbytes) : NULL;
    uint16_t body = body_index(cls, jvm_u2(site + 1));
    if (!end || body == 0)
        return none;
    return (weave_lambda){weave_pool_handle(&cls->pool, body), {end + 1, (uint32_t)(type.bytes + type.nbytes - end - 1)}};
}
