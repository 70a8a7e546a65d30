/* convenience.c - see convenience.h. */
#include "session/convenience.h"

#include <string.h>

static sym_type *basic(session *s, const char *name)
{
    return sym_types_basic(sym_table_types(s->symbols), name);
}

void ses_convenience_init(session *s)
{
    s->convenience = ebb_map_new();
}

static void drop(expr_value *value)
{
    expr_value_drop(value);
    free(value);
}

void ses_convenience_fini(session *s)
{
    ebb_map_entry entry;
    for (size_t at = 0; ebb_map_next(s->convenience, &at, &entry);)
        drop(entry.value);
    ebb_map_free(s->convenience);
}

void ses_convenience_set(session *s, const char *name, const expr_value *value)
{
    expr_value *kept = EBB_NEW(expr_value);
    *kept = expr_value_keep(value);
    expr_value *old = ebb_map_get(s->convenience, name);
    ebb_map_set(s->convenience, name, kept);
    if (old)
        drop(old);
}

void ses_convenience_set_int(session *s, const char *name, int64_t number)
{
    ebb_arena arena = {0};
    expr_value value = expr_value_of_u64(&arena, basic(s, "int"), (uint64_t)number);
    ses_convenience_set(s, name, &value);
    ebb_arena_fini(&arena);
}

static bool computed(session *s, ebb_arena *arena, const char *name, expr_value *value)
{
    uint64_t number;
    if (strcmp(name, "_thread") == 0)
        number = ses_thread_number(s, s->thread);
    else if (strcmp(name, "_inferior") == 0)
        number = 1;
    else
        return false;
    *value = expr_value_of_u64(arena, basic(s, "int"), number);
    return true;
}

void ses_convenience_get(session *s, ebb_arena *arena, const char *name, expr_value *value)
{
    if (computed(s, arena, name, value))
        return;
    const expr_value *kept = ebb_map_get(s->convenience, name);
    *value = kept ? *kept : (expr_value){.type = basic(s, "void")};
}

void ses_convenience_list(session *s, ebb_buf *text)
{
    ebb_map_entry entry;
    expr_format format = ses_default_format(s);
    for (size_t at = 0; ebb_map_next(s->convenience, &at, &entry);) {
        ebb_arena arena = {0};
        ebb_error why;
        ebb_buf_addf(text, "$%s = ", entry.text);
        expr_value value = *(const expr_value *)entry.value;
        if (expr_print_top(&arena, ses_world(s), &format, &value, text, &why) != EBB_OK)
            ebb_buf_addf(text, "<error: %s>", why.text);
        ebb_buf_addc(text, '\n');
        ebb_arena_fini(&arena);
    }
}
