/* arguments.c - what printf prints: expressions as C would pass them. */
#include "session/c/scratch.h"
#include "session/c/c.h"
#include "session/c/image.h"
#include "session/c/world.h"

#include <string.h>

enum { MAX_TEXT = 1 << 16 };

static ebb_status evaluate_as(session *s, ebb_arena *arena, const char *cast, const char *expression,
                              expr_value *value, ebb_error *err)
{
    expression = ebb_arena_printf(arena, "(%s)(%s)", cast, expression);
    EBB_TRY(ses_evaluate_aside(s, arena, expression, value, err));
    return expr_value_fetch(arena, ses_world(s), value, err);
}

static ebb_status take_integer(session *s, ebb_arena *arena, const char *expression, ses_argument *a,
                               ebb_error *err)
{
    static const char *const casts[2][9] = {
        {[1] = "unsigned char",
         [2] = "unsigned short",
         [4] = "unsigned int",
         [8] = "unsigned long"},
        {[1] = "signed char", [2] = "short", [4] = "int", [8] = "long"},
    };
    union {
        int8_t i8;
        int16_t i16;
        int32_t i32;
        uint64_t u64;
    } v = {.u64 = 0};
    expr_value value;
    EBB_TRY(evaluate_as(s, arena, casts[a->is_signed][a->nbytes], expression, &value, err));
    memcpy(&v, value.bytes, a->nbytes);
    a->bits = v.u64;
    if (a->is_signed && a->nbytes < 8)
        a->bits = (uint64_t)(int64_t)(a->nbytes == 1 ? v.i8 : a->nbytes == 2 ? v.i16 : v.i32);
    return EBB_OK;
}

static ebb_status take_real(session *s, ebb_arena *arena, const char *expression, long double *real, ebb_error *err)
{
    enum { X87_NBYTES = 10 };
    expr_value value;
    EBB_TRY(evaluate_as(s, arena, "long double", expression, &value, err));
    *real = 0;
    memcpy(real, value.bytes, X87_NBYTES);
    return EBB_OK;
}

/* The text that a char array or char pointer means. */
static ebb_status take_string(session *s, ebb_arena *arena, const char *expression, ebb_buf *out,
                              ebb_error *err)
{
    expr_value value;
    EBB_TRY(ses_evaluate_aside(s, arena, expression, &value, err));
    if (sym_type_strip(value.type)->kind == SYM_TYPE_ARRAY) {
        EBB_TRY(expr_value_fetch(arena, ses_world(s), &value, err));
        size_t n = sym_type_size(value.type);
        ebb_buf_add(out, value.bytes, strnlen((char *)value.bytes, n));
        return EBB_OK;
    }
    uint64_t addr;
    EBB_TRY(expr_value_to_u64(arena, ses_world(s), &value, &addr, err));
    if (addr == 0) {
        ebb_buf_adds(out, "(null)");
        return EBB_OK;
    }
    for (char c = 1; out->n < MAX_TEXT;) {
        EBB_TRY(ses_memory_read(s, addr + out->n, &c, 1, err));
        if (c == '\0')
            break;
        ebb_buf_addc(out, c);
    }
    return EBB_OK;
}

ebb_status ses_c_argument(session *s, ebb_arena *arena, const char *expression, ses_argument *argument,
                          ebb_error *err)
{
    switch (argument->kind) {
    case SES_ARGUMENT_INTEGER: return take_integer(s, arena, expression, argument, err);
    case SES_ARGUMENT_REAL: return take_real(s, arena, expression, &argument->real, err);
    case SES_ARGUMENT_STRING: return take_string(s, arena, expression, argument->string, err);
    }
    ebb_unreachable();
}
