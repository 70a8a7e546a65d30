/* history.c - see history.h. */
#include "session/history.h"

#include <string.h>

int ses_history_add(session *s, const expr_value *value)
{
    expr_value kept = expr_value_keep(value);
    ebb_vec_push(&s->history, kept);
    return (int)s->history.n;
}

ebb_status ses_history_get(session *s, ebb_arena *arena, long index, bool from_end,
                           expr_value *value, ebb_error *err)
{
    (void)arena;
    long n = (long)s->history.n;
    long at = from_end ? n - index : index;
    if (from_end && (n == 0 || at < 1)) { /* gdb: $ of an empty history is void */
        *value = (expr_value){.type = sym_types_basic(sym_table_types(s->symbols), "void")};
        return EBB_OK;
    }
    if (at < 1 || at > n)
        return ebb_fail(err, EBB_NOT_FOUND, "History has not yet reached $%ld.", at);
    *value = s->history.items[at - 1];
    return EBB_OK;
}

void ses_history_fini(session *s)
{
    for (size_t i = 0; i < s->history.n; i++)
        expr_value_drop(&s->history.items[i]);
    ebb_vec_fini(&s->history);
}
