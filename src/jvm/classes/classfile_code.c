/* The Code attribute: instructions, handlers, lines and local variables of a method. */
#include "jvm/classes/classfile_attr.h"

#include "base/map.h"
#include "jvm/engine/ops.h"

#include <string.h>

static void code_lines(jvm_reader *r, void *owner)
{
    jvm_method *m = owner;
    uint16_t n = jvm_read_u2(r);
    const uint8_t *rows = jvm_read_bytes(r, 4 * (size_t)n);
    if (rows == NULL || (uint32_t)m->nlines + n > UINT16_MAX)
        return;
    jvm_line *lines = EBB_ARENA_ARRAY(&r->cls->arena, jvm_line, (size_t)m->nlines + n + 1);
    if (m->nlines > 0)
        memcpy(lines, m->lines, m->nlines * sizeof *lines);
    m->lines = lines;
    for (uint16_t i = 0; i < n; i++, rows += 4) {
        if (jvm_u2(rows) >= m->nbytes) {
            jvm_read_fail(r, "Invalid pc in LineNumberTable");
            return;
        }
        m->lines[m->nlines++] = (jvm_line){jvm_u2(rows), jvm_u2(rows + 2)};
    }
}

/* One row of a LocalVariableTable, or of a LocalVariableTypeTable, whose types are signatures of generic ones. */
static jvm_local_var local_row(jvm_reader *r, const jvm_method *m, const uint8_t *row, bool generic)
{
    const char *table = generic ? "LocalVariableTypeTable" : "LocalVariableTable";
    jvm_local_var v = {jvm_u2(row), jvm_u2(row + 2), jvm_u2(row + 8), NULL, NULL, NULL};
    uint16_t name = jvm_u2(row + 4), sig = jvm_u2(row + 6);
    if (v.bci >= m->nbytes)
        jvm_read_fail(r, "Invalid start_pc %u in %s", v.bci, table);
    else if ((uint32_t)v.bci + v.nbytes > m->nbytes)
        jvm_read_fail(r, "Invalid length %u in %s", v.nbytes, table);
    else if (!jvm_cp_is(r, name, JVM_CP_UTF8))
        jvm_read_fail(r, "Name index %u in %s has bad constant type", name, table);
    else if (!jvm_cp_is(r, sig, JVM_CP_UTF8))
        jvm_read_fail(r, "Signature index %u in %s has bad constant type", sig, table);
    if (r->failed)
        return v;
    v.name = r->cls->pool.values[name].sym;
    v.sig = r->cls->pool.values[sig].sym;
    if (!r->options.trusted) {
        jvm_check_field_name(r, v.name);
        if (!generic)
            jvm_check_field_type(r, v.name, v.sig);
    }
    bool wide = !generic && (v.sig->text[0] == 'J' || v.sig->text[0] == 'D');
    if (v.slot + wide >= m->max_locals)
        jvm_read_fail(r, "Invalid index %u in %s", v.slot, table);
    return v;
}

/* For check_locals, which wants all tables of a method. */
static void note_table(jvm_locals_table **list, ebb_arena *arena, const uint8_t *rows, uint16_t n)
{
    if (rows == NULL)
        return;
    jvm_locals_table *t = EBB_ARENA_NEW(arena, jvm_locals_table);
    *t = (jvm_locals_table){rows, n, *list};
    *list = t;
}

static void code_locals(jvm_reader *r, void *owner)
{
    jvm_method *m = owner;
    uint16_t n = jvm_read_u2(r);
    const uint8_t *rows = jvm_read_bytes(r, 10 * (size_t)n);
    if (rows == NULL || (uint32_t)m->nlocals_info + n > UINT16_MAX)
        return;
    jvm_local_var *vars = EBB_ARENA_ARRAY(&r->cls->arena, jvm_local_var, (size_t)m->nlocals_info + n + 1);
    if (m->nlocals_info > 0)
        memcpy(vars, m->locals_info, m->nlocals_info * sizeof *vars);
    m->locals_info = vars;
    note_table(&r->tables->plain, &r->cls->arena, rows, n);
    for (uint16_t i = 0; i < n && !r->failed; i++, rows += 10)
        m->locals_info[m->nlocals_info++] = local_row(r, m, rows, false);
}

static void code_generic_locals(jvm_reader *r, void *owner)
{
    uint16_t n = jvm_read_u2(r);
    const uint8_t *rows = jvm_read_bytes(r, 10 * (size_t)n);
    note_table(&r->tables->generic, &r->cls->arena, rows, n);
    for (uint16_t i = 0; rows != NULL && i < n && !r->failed; i++, rows += 10)
        local_row(r, owner, rows, true);
}

/* What makes two rows the same variable: start, length, name and slot. */
static uint64_t row_key(const uint8_t *row)
{
    return (uint64_t)jvm_u2(row) << 48 | (uint64_t)jvm_u2(row + 2) << 32 | (uint64_t)jvm_u2(row + 4) << 16 | jvm_u2(row + 8);
}

/* No variable twice in a table, and every generic one is a plain one too. */
static void check_tables(jvm_reader *r, const jvm_locals_table *tables, ebb_map *plain, bool generic)
{
    ebb_map *seen = ebb_map_new();
    for (const jvm_locals_table *t = tables; t != NULL && !r->failed; t = t->next)
        for (uint16_t i = 0; i < t->n && !r->failed; i++) {
            const uint8_t *row = t->rows + 10 * (size_t)i;
            const char *name = r->cls->pool.values[jvm_u2(row + 4)].sym->text;
            if (ebb_map_get_u64(seen, row_key(row)) != NULL)
                jvm_read_fail(r, "Duplicated %s attribute entry for '%s'", generic ? "LocalVariableTypeTable" : "LocalVariableTable", name);
            else if (generic && ebb_map_get_u64(plain, row_key(row)) == NULL)
                jvm_read_fail(r, "LVTT entry for '%s' does not match any LVT entry", name);
            ebb_map_set_u64(seen, row_key(row), r);
            if (!generic)
                ebb_map_set_u64(plain, row_key(row), r);
        }
    ebb_map_free(seen);
}

static jvm_local_var *local_of_row(const jvm_reader *r, const jvm_method *m, const uint8_t *row)
{
    const jvm_sym *name = r->cls->pool.values[jvm_u2(row + 4)].sym;
    for (uint16_t i = 0; i < m->nlocals_info; i++) {
        jvm_local_var *v = &m->locals_info[i];
        if (v->bci == jvm_u2(row) && v->nbytes == jvm_u2(row + 2) && v->slot == jvm_u2(row + 8) && v->name == name)
            return v;
    }
    return NULL;
}

/* The tables come in any order: only now all of them have been read. */
static void note_generic_types(const jvm_reader *r, const jvm_method *m)
{
    for (const jvm_locals_table *t = r->failed ? NULL : r->tables->generic; t != NULL; t = t->next)
        for (uint16_t i = 0; i < t->n; i++) {
            const uint8_t *row = t->rows + 10 * (size_t)i;
            jvm_local_var *v = local_of_row(r, m, row);
            if (v != NULL)
                v->generic = r->cls->pool.values[jvm_u2(row + 6)].sym;
        }
}

static void check_locals(jvm_reader *r, const jvm_method *m)
{
    if (r->failed || r->options.trusted || m->nlocals_info == 0)
        return; /* HotSpot passes generic ones without any plain one */
    ebb_map *plain = ebb_map_new();
    check_tables(r, r->tables->plain, plain, false);
    check_tables(r, r->tables->generic, plain, true);
    ebb_map_free(plain);
}

static void code_stack_map(jvm_reader *r, void *owner) { ((jvm_method *)owner)->stack_map = jvm_read_rest(r); }
static void code_type_annotations(jvm_reader *r, void *owner) { ((jvm_method *)owner)->code_type_annotations = jvm_read_rest(r); }

static void read_handlers(jvm_reader *r, jvm_method *m)
{
    m->nhandlers = jvm_read_u2(r);
    const uint8_t *rows = jvm_read_bytes(r, 8 * (size_t)m->nhandlers);
    if (rows == NULL)
        return;
    m->handlers = EBB_ARENA_ARRAY(&r->cls->arena, jvm_handler, m->nhandlers + 1u);
    for (uint16_t i = 0; i < m->nhandlers; i++, rows += 8) {
        jvm_handler h = {jvm_u2(rows), jvm_u2(rows + 2), jvm_u2(rows + 4), jvm_u2(rows + 6)};
        if (h.start >= h.end || h.end > m->nbytes || h.target >= m->nbytes)
            jvm_read_fail(r, "Invalid range in the exception table");
        if (h.type != 0 && !jvm_cp_is(r, h.type, JVM_CP_CLASS))
            jvm_read_fail(r, "Catch type in exception table has bad constant type at constant pool index %u", h.type);
        m->handlers[i] = h;
    }
}

void jvm_read_code(jvm_reader *r, void *owner)
{
    static const jvm_attr_row rows[] = {
        {"LineNumberTable", code_lines},
        {"LocalVariableTable", code_locals},
        {"LocalVariableTypeTable", code_generic_locals, 49},
        {"StackMapTable", code_stack_map, 50},
        {"RuntimeVisibleTypeAnnotations", code_type_annotations},
        {NULL, NULL, 0},
    };
    jvm_method *m = owner;
    m->max_stack = jvm_read_u2(r);
    m->max_locals = jvm_read_u2(r);
    m->nbytes = jvm_read_u4(r);
    if (m->nbytes == 0 || m->nbytes > 65535) {
        jvm_read_fail(r, "Invalid method Code length %u", m->nbytes);
        return;
    }
    m->bytes = jvm_read_bytes(r, m->nbytes);
    read_handlers(r, m);
    jvm_locals_tables tables = {NULL, NULL};
    r->tables = &tables;
    if (!r->failed)
        jvm_read_attributes(r, rows, m);
    check_locals(r, m);
    note_generic_types(r, m);
    r->tables = NULL;
}
