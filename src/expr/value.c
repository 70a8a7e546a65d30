/* value.c - making values, and holding some beyond the arena that they were made in. */
#include "expr/value.h"
#include "base/check.h"
#include "base/mem.h"
#include "expr/expr.h"

#include <string.h>

/* They depend on no program, so every pool shares them. */
static sym_type guessed_result = {
    .kind = SYM_TYPE_INT, .name = "int", .nbytes = 4, .is_signed = true};
static sym_type text_without_debug_info = {
    .kind = SYM_TYPE_FUNCTION, .name = "<text variable, no debug info>", .target = &guessed_result};
static sym_type data_without_debug_info = {.kind = SYM_TYPE_UNKNOWN,
                                           .name = "<data variable, no debug info>"};

sym_type *expr_type_without_debug_info(sym_types *types, bool is_function)
{
    return is_function ? &text_without_debug_info : &data_without_debug_info;
}

bool expr_type_has_no_debug_info(const sym_type *type)
{
    return type == &text_without_debug_info || type == &data_without_debug_info;
}

expr_value expr_value_of_bytes(ebb_arena *arena, sym_type *type, const void *bytes)
{
    size_t nbytes = (size_t)sym_type_size(type);
    expr_value value = {.type = type, .bytes = ebb_arena_alloc(arena, nbytes)};
    if (nbytes > 0)
        memcpy(value.bytes, bytes, nbytes);
    return value;
}

expr_value expr_value_of_u64(ebb_arena *arena, sym_type *type, uint64_t number)
{
    uint8_t bytes[16] = {0};
    sym_type *stripped = sym_type_strip(type);
    ebb_check(sym_type_size(stripped) <= sizeof bytes);
    memcpy(bytes, &number, sizeof number);
    if (stripped->is_signed && (int64_t)number < 0)
        memset(bytes + 8, 0xff, 8);
    return expr_value_of_bytes(arena, type, bytes);
}

static void *heap_copy(const void *bytes, size_t nbytes)
{
    if (!bytes)
        return NULL;
    void *copy = ebb_alloc(nbytes);
    memcpy(copy, bytes, nbytes);
    return copy;
}

expr_value expr_value_keep(const expr_value *value)
{
    expr_value kept = *value;
    size_t nbytes = value->bytes ? (size_t)sym_type_size(value->type) : 0;
    kept.bytes = heap_copy(value->bytes, nbytes);
    kept.missing = heap_copy(value->missing, (nbytes + 7) / 8);
    if (value->place.whole) {
        /* The whole isn't kept: the part is a value of its own from now on. */
        kept.place = (expr_place){.kind = EXPR_PLACE_NONE};
        return kept;
    }
    kept.place.location = heap_copy(value->place.location, sizeof *value->place.location);
    kept.place.name = value->place.name ? ebb_strdup(value->place.name) : NULL;
    return kept;
}

void expr_value_drop(expr_value *value)
{
    free(value->bytes);
    free(value->missing);
    free((void *)value->place.location);
    free((void *)value->place.name);
    *value = (expr_value){0};
}
