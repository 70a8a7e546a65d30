/* sysv.c - see sysv.h; section 3.2.3 of the ABI is the authority. */
#include "session/c/sysv.h"

#include <string.h>

enum { EIGHTBYTE = 8, LONG_DOUBLE = 10 };

/* ---- classes -------------------------------------------------------------------------------- */

static ses_sysv_class merge(ses_sysv_class a, ses_sysv_class b)
{
    if (a == b || b == SES_CLASS_NONE)
        return a;
    if (a == SES_CLASS_NONE)
        return b;
    if (a == SES_CLASS_MEMORY || b == SES_CLASS_MEMORY)
        return SES_CLASS_MEMORY;
    if (a == SES_CLASS_INTEGER || b == SES_CLASS_INTEGER)
        return SES_CLASS_INTEGER;
    return a == SES_CLASS_X87 || b == SES_CLASS_X87 ? SES_CLASS_MEMORY : SES_CLASS_SSE;
}

static void merge_at(ses_sysv_classes *c, uint64_t offset, uint64_t nbytes, ses_sysv_class class_)
{
    for (uint64_t i = offset / EIGHTBYTE;
         i <= (offset + (nbytes ? nbytes - 1 : 0)) / EIGHTBYTE && i < 2; i++)
        c->of[i] = merge(c->of[i], class_);
}

static void classify_at(ses_sysv_classes *c, sym_type *type, uint64_t offset, unsigned depth);

static void classify_members(ses_sysv_classes *c, sym_type *type, uint64_t offset, unsigned depth)
{
    for (size_t i = 0; i < type->n_members; i++) {
        const sym_member *m = &type->members[i];
        if (m->is_static)
            continue;
        if (m->nbits)
            merge_at(c, offset + m->offset + m->bit_offset / 8,
                     (m->nbits + m->bit_offset % 8 + 7) / 8, SES_CLASS_INTEGER);
        else
            classify_at(c, m->type, offset + m->offset, depth + 1);
    }
}

static void classify_at(ses_sysv_classes *c, sym_type *type, uint64_t offset, unsigned depth)
{
    enum { MAX_DEPTH = 32 };
    type = sym_type_strip(type);
    if (depth > MAX_DEPTH || offset >= 2 * EIGHTBYTE)
        return;
    switch (type->kind) {
    case SYM_TYPE_FLOAT:
        merge_at(c, offset, type->nbytes,
                 type->nbytes > 8 && depth == 0 ? SES_CLASS_X87
                 : type->nbytes > 8             ? SES_CLASS_MEMORY
                                                : SES_CLASS_SSE);
        break;
    case SYM_TYPE_COMPLEX:
        merge_at(c, offset, type->nbytes, type->nbytes > 16 ? SES_CLASS_MEMORY : SES_CLASS_SSE);
        break;
    case SYM_TYPE_ARRAY:
        for (uint64_t i = 0, size = sym_type_size(type->target);
             i < type->count && size && i * size < 16; i++)
            classify_at(c, type->target, offset + i * size, depth + 1);
        break;
    case SYM_TYPE_STRUCT:
    case SYM_TYPE_UNION: classify_members(c, type, offset, depth); break;
    default: merge_at(c, offset, type->nbytes, SES_CLASS_INTEGER);
    }
}

ses_sysv_classes ses_sysv_classify(sym_type *type)
{
    static const ses_sysv_classes memory = {.of = {SES_CLASS_MEMORY}, .n = 1};
    ses_sysv_classes c = {0};
    uint64_t nbytes = sym_type_size(type);
    if (nbytes > 2 * EIGHTBYTE || sym_type_is_by_address(type))
        return memory;
    classify_at(&c, type, 0, 0);
    c.n = nbytes > EIGHTBYTE ? 2 : 1;
    if (c.of[0] == SES_CLASS_MEMORY || c.of[1] == SES_CLASS_MEMORY)
        return memory;
    if (c.of[0] == SES_CLASS_X87)
        c.n = 1;
    return c;
}

/* ---- arguments ------------------------------------------------------------------------------ */

void ses_sysv_call_fini(ses_sysv_call *call)
{
    ebb_buf_fini(&call->stack);
}

void ses_sysv_call_begin(ses_sysv_call *call, uint64_t result_at)
{
    *call = (ses_sysv_call){.result_at = result_at};
    if (result_at)
        call->integers[call->n_integers++] = result_at;
}

static void pass_in_memory(ses_sysv_call *call, sym_type *type, const uint8_t *bytes,
                           uint64_t nbytes)
{
    static const uint8_t zeros[16];
    bool wide = sym_type_strip(type)->kind == SYM_TYPE_FLOAT && nbytes == 16;
    if (wide && call->stack.n % 16)
        ebb_buf_add(&call->stack, zeros, EIGHTBYTE);
    ebb_buf_add(&call->stack, bytes, nbytes);
    if (call->stack.n % EIGHTBYTE)
        ebb_buf_add(&call->stack, zeros, EIGHTBYTE - call->stack.n % EIGHTBYTE);
}

static bool fits_registers(const ses_sysv_call *call, const ses_sysv_classes *c)
{
    unsigned integers = 0, vectors = 0;
    for (unsigned i = 0; i < c->n; i++) {
        if (c->of[i] == SES_CLASS_MEMORY || c->of[i] == SES_CLASS_X87)
            return false;
        integers += c->of[i] == SES_CLASS_INTEGER;
        vectors += c->of[i] == SES_CLASS_SSE;
    }
    return call->n_integers + integers <= 6 && call->n_vectors + vectors <= 8;
}

void ses_sysv_pass(ses_sysv_call *call, sym_type *type, const uint8_t *bytes)
{
    uint64_t nbytes = sym_type_size(type);
    ses_sysv_classes c = ses_sysv_classify(type);
    if (!fits_registers(call, &c)) {
        pass_in_memory(call, type, bytes, nbytes);
        return;
    }
    for (unsigned i = 0; i < c.n; i++) {
        uint64_t n = nbytes - i * EIGHTBYTE < EIGHTBYTE ? nbytes - i * EIGHTBYTE : EIGHTBYTE;
        if (c.of[i] == SES_CLASS_INTEGER)
            memcpy(&call->integers[call->n_integers++], bytes + i * EIGHTBYTE, n);
        else if (c.of[i] == SES_CLASS_SSE)
            memcpy(call->vectors[call->n_vectors++], bytes + i * EIGHTBYTE, n);
    }
}

/* ---- results -------------------------------------------------------------------------------- */

static ebb_status find_reg(session *s, const char *name, unsigned *reg, ebb_error *err)
{
    int found = machine_reg_by_name(s->machine, name);
    if (found < 0)
        return ebb_fail(err, EBB_UNSUPPORTED, "This machine has no register %s.", name);
    *reg = (unsigned)found;
    return EBB_OK;
}

static ebb_status read_reg(session *s, const char *name, uint8_t raw[MACHINE_REG_MAX_BYTES],
                           ebb_error *err)
{
    unsigned reg = 0;
    EBB_TRY(find_reg(s, name, &reg, err));
    memset(raw, 0, MACHINE_REG_MAX_BYTES);
    return s->machine->native->reg_read(s->machine, s->thread, reg, raw, err);
}

/* Which register holds the next eightbyte of that class. */
static const char *result_register(ses_sysv_class class_, unsigned *n_integers, unsigned *n_vectors)
{
    static const char *const integers[] = {"rax", "rdx"}, *const vectors[] = {"xmm0", "xmm1"};
    if (class_ == SES_CLASS_SSE)
        return vectors[(*n_vectors)++];
    if (class_ == SES_CLASS_X87)
        return "st0";
    return integers[(*n_integers)++];
}

static ebb_status result_from_memory(session *s, ebb_arena *arena, sym_type *type,
                                     expr_value *value, ebb_error *err)
{
    uint8_t raw[MACHINE_REG_MAX_BYTES];
    EBB_TRY(read_reg(s, "rax", raw, err));
    uint64_t addr;
    memcpy(&addr, raw, sizeof addr);
    uint8_t *bytes = ebb_arena_alloc(arena, sym_type_size(type));
    EBB_TRY(machine_read(s->machine, addr, bytes, sym_type_size(type), err));
    *value = expr_value_of_bytes(arena, type, bytes);
    value->place = (expr_place){.kind = EXPR_PLACE_MEMORY, .addr = addr};
    return EBB_OK;
}

ebb_status ses_sysv_result(session *s, ebb_arena *arena, sym_type *type, expr_value *value,
                           ebb_error *err)
{
    ses_sysv_classes c = ses_sysv_classify(type);
    if (c.of[0] == SES_CLASS_MEMORY)
        return result_from_memory(s, arena, type, value, err);
    uint8_t bytes[2 * EIGHTBYTE] = {0}, raw[MACHINE_REG_MAX_BYTES];
    unsigned n_integers = 0, n_vectors = 0;
    for (unsigned i = 0; i < c.n; i++) {
        if (c.of[i] == SES_CLASS_NONE)
            continue;
        EBB_TRY(read_reg(s, result_register(c.of[i], &n_integers, &n_vectors), raw, err));
        memcpy(bytes + i * EIGHTBYTE, raw, c.of[i] == SES_CLASS_X87 ? LONG_DOUBLE : EIGHTBYTE);
    }
    *value = expr_value_of_bytes(arena, type, bytes);
    return EBB_OK;
}

ebb_status ses_sysv_set_result(session *s, sym_type *type, const uint8_t *bytes, ebb_error *err)
{
    ses_sysv_classes c = ses_sysv_classify(type);
    uint64_t nbytes = sym_type_size(type);
    if (c.of[0] == SES_CLASS_MEMORY)
        return ebb_fail(err, EBB_UNSUPPORTED,
                        "A value of this type is returned in memory that the caller chose; only "
                        "simple values can be set.");
    unsigned n_integers = 0, n_vectors = 0;
    for (unsigned i = 0; i < c.n; i++) {
        if (c.of[i] == SES_CLASS_NONE)
            continue;
        const char *name = result_register(c.of[i], &n_integers, &n_vectors);
        uint8_t raw[MACHINE_REG_MAX_BYTES];
        unsigned reg = 0;
        EBB_TRY(find_reg(s, name, &reg, err));
        EBB_TRY(read_reg(s, name, raw, err));
        uint64_t rest = nbytes - i * EIGHTBYTE;
        uint64_t n = c.of[i] == SES_CLASS_X87 ? LONG_DOUBLE : rest < EIGHTBYTE ? rest : EIGHTBYTE;
        memset(raw, 0, c.of[i] == SES_CLASS_X87 ? LONG_DOUBLE : EIGHTBYTE);
        memcpy(raw, bytes + i * EIGHTBYTE, n);
        EBB_TRY(s->machine->native->reg_write(s->machine, s->thread, reg, raw, err));
    }
    return EBB_OK;
}
