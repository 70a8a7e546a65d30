/* copies.c - finds the copies of an instruction by line and code; see copies.h. */
#include "jvm/engine/copies.h"

#include "jvm/engine/ops.h"

/* Copies may have their variables in other slots, for which there are other opcodes. */
static uint8_t plain_op(const jvm_method *m, uint32_t bci)
{
    uint8_t op = m->bytes[bci] == JVM_OP_wide ? m->bytes[bci + 1] : m->bytes[bci];
    if (op >= JVM_OP_iload_0 && op <= JVM_OP_aload_3)
        return (uint8_t)(JVM_OP_iload + (op - JVM_OP_iload_0) / 4);
    if (op >= JVM_OP_istore_0 && op <= JVM_OP_astore_3)
        return (uint8_t)(JVM_OP_istore + (op - JVM_OP_istore_0) / 4);
    return op;
}

/* The row of the table of lines that the instruction is in; NULL: it has none. */
static const jvm_line *row_of(const jvm_method *m, uint32_t bci)
{
    const jvm_line *row = NULL;
    for (const jvm_line *l = m->lines; l < m->lines + m->nlines; l++)
        if (l->bci <= bci && (row == NULL || l->bci >= row->bci))
            row = l;
    return row;
}

/* A handler begins by putting the exception aside, which is of its first line. */
static uint32_t skip_handler(const jvm_method *m, uint32_t bci)
{
    for (const jvm_handler *h = m->handlers; h < m->handlers + m->nhandlers; h++)
        if (h->target == bci && plain_op(m, bci) == JVM_OP_astore)
            return bci + jvm_op_length(m->bytes, m->nbytes, bci);
    return bci;
}

/* What stands for `bci`, of the row that begins at `from`, in the row that begins at `to`: as far into it, after the same instructions.  UINT32_MAX: nothing does. */
static uint32_t counterpart(const jvm_ways *w, uint32_t from, uint32_t bci, uint32_t to)
{
    const jvm_method *m = w->m;
    from = skip_handler(m, from);
    to = skip_handler(m, to);
    while (from <= bci && to < m->nbytes && jvm_is_reached(w, to) && plain_op(m, from) == plain_op(m, to)) {
        if (from == bci)
            return to;
        from += jvm_op_length(m->bytes, m->nbytes, from);
        to += jvm_op_length(m->bytes, m->nbytes, to);
    }
    return UINT32_MAX;
}

/* Whether some of these are reached from there before it throws again, and others are not. */
static bool tells_apart(const jvm_ways *w, uint32_t handler, const jvm_bci_list *list)
{
    uint8_t *seen = ebb_zalloc(w->m->nbytes);
    jvm_bci_list work = {0};
    size_t n = 0;
    seen[handler] = 1;
    ebb_vec_push(&work, handler);
    while (work.n > 0) {
        uint32_t at = work.items[--work.n];
        for (size_t i = 0; plain_op(w->m, at) != JVM_OP_athrow && i < w->after[at].n; i++)
            if (!seen[w->after[at].items[i].to]) {
                seen[w->after[at].items[i].to] = 1;
                ebb_vec_push(&work, w->after[at].items[i].to);
            }
    }
    for (size_t i = 0; i < list->n; i++)
        n += seen[list->items[i]];
    ebb_vec_fini(&work);
    free(seen);
    return n > 0 && n < list->n;
}

void jvm_copies_of(const jvm_ways *w, uint32_t bci, jvm_bci_list *out)
{
    const jvm_method *m = w->m;
    const jvm_line *row = row_of(m, bci);
    bool is_block = false;
    ebb_vec_push(out, bci);
    for (const jvm_line *l = m->lines; row != NULL && l < m->lines + m->nlines; l++)
        if (l != row && l->line == row->line && l->bci != row->bci) {
            uint32_t other = counterpart(w, row->bci, bci, l->bci);
            if (other != UINT32_MAX)
                ebb_vec_push(out, other);
        }
    for (const jvm_handler *h = m->handlers; out->n > 1 && !is_block && h < m->handlers + m->nhandlers; h++)
        is_block = h->type == 0 && jvm_is_reached(w, h->target) && tells_apart(w, h->target, out);
    if (!is_block)
        out->n = 1;
}
