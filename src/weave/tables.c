/* tables.c - the attributes of Code, by name, and where they name places. */
#include "weave/tables.h"

#include "base/mem.h"
#include "weave/frames.h"

#include <string.h>

typedef struct walker { /* through one attribute */
    weave_code *code;
    weave_table *table;
    weave_in in;
} walker;

static void add_mark(walker *w, weave_mark mark)
{
    weave_table *t = w->table;
    if (!mark.insn) {
        w->in.failed = true;
        return;
    }
    if (t->nmarks == t->cap) {
        uint32_t cap = t->cap ? t->cap * 2 : 16;
        weave_mark *grown = EBB_ARENA_ARRAY(&w->code->cls->arena, weave_mark, cap);
        if (t->nmarks)
            memcpy(grown, t->marks, t->nmarks * sizeof *grown);
        t->marks = grown;
        t->cap = cap;
    }
    t->marks[t->nmarks++] = mark;
}

static uint32_t offset_of(const walker *w)
{
    return (uint32_t)(w->in.at - w->table->bytes.bytes);
}

static void mark_place(walker *w, weave_mark_kind kind)
{
    uint32_t offset = offset_of(w);
    weave_insn *insn = weave_code_at(w->code, weave_u2(&w->in));
    add_mark(w, (weave_mark){kind, offset, insn, NULL});
}

/* A start and a length. */
static void mark_range(walker *w)
{
    uint32_t offset = offset_of(w);
    uint32_t start = weave_u2(&w->in), length = weave_u2(&w->in);
    weave_insn *from = weave_code_at(w->code, start);
    add_mark(w, (weave_mark){WEAVE_MARK_START, offset, from, NULL});
    add_mark(w, (weave_mark){WEAVE_MARK_LENGTH, offset + 2, weave_code_at(w->code, start + length), from});
}

/* ---- one function an attribute ---- */

static void walk_lines(walker *w)
{
    for (uint32_t n = weave_u2(&w->in); n > 0 && !w->in.failed; n--) {
        mark_place(w, WEAVE_MARK_LINE);
        weave_u2(&w->in);
    }
}

static void walk_variables(walker *w)
{
    for (uint32_t n = weave_u2(&w->in); n > 0 && !w->in.failed; n--) {
        mark_range(w);
        weave_take(&w->in, 6);
    }
}

/* What `javac -Xjcov` writes: the last byte of each range, not the one after it. */
static void walk_characters(walker *w)
{
    for (uint32_t n = weave_u2(&w->in); n > 0 && !w->in.failed; n--) {
        mark_place(w, WEAVE_MARK_START);
        uint32_t offset = offset_of(w);
        add_mark(w, (weave_mark){WEAVE_MARK_LAST, offset, weave_code_at(w->code, weave_u2(&w->in) + 1u), NULL});
        weave_take(&w->in, 10);
    }
}

static void skip_value(weave_in *in, int depth);

static void skip_pairs(weave_in *in, int depth)
{
    weave_u2(in);
    for (uint32_t n = weave_u2(in); n > 0 && !in->failed; n--) {
        weave_u2(in);
        skip_value(in, depth);
    }
}

static void skip_value(weave_in *in, int depth)
{
    enum { MAX_DEPTH = 100 };
    uint8_t tag = weave_u1(in);
    if (depth > MAX_DEPTH)
        in->failed = true;
    else if (tag == 'e')
        weave_take(in, 4);
    else if (tag == '@')
        skip_pairs(in, depth + 1);
    else if (tag == '[')
        for (uint32_t n = weave_u2(in); n > 0 && !in->failed; n--)
            skip_value(in, depth + 1);
    else
        weave_u2(in);
}

/* JVMS 4.7.20.1, as far as it is about code. */
static void walk_annotated_place(walker *w, uint8_t target)
{
    if (target == 0x40 || target == 0x41) {
        for (uint32_t n = weave_u2(&w->in); n > 0 && !w->in.failed; n--) {
            mark_range(w);
            weave_u2(&w->in);
        }
    } else if (target == 0x42) {
        weave_u2(&w->in); /* a row of the exception table */
    } else if (target >= 0x43 && target <= 0x4b) {
        mark_place(w, WEAVE_MARK_EXACT);
        if (target >= 0x47)
            weave_u1(&w->in);
    } else {
        w->in.failed = true;
    }
}

static void walk_annotations(walker *w)
{
    for (uint32_t n = weave_u2(&w->in); n > 0 && !w->in.failed; n--) {
        walk_annotated_place(w, weave_u1(&w->in));
        weave_take(&w->in, 2u * weave_u1(&w->in));
        skip_pairs(&w->in, 0);
    }
}

static const struct {
    const char *name;
    void (*walk)(walker *w);
} known[] = {
    {"LineNumberTable", walk_lines},
    {"LocalVariableTable", walk_variables},
    {"LocalVariableTypeTable", walk_variables},
    {"RuntimeVisibleTypeAnnotations", walk_annotations},
    {"RuntimeInvisibleTypeAnnotations", walk_annotations},
    {"CharacterRangeTable", walk_characters},
};

/* ---- reading ---- */

static ebb_status walk(walker *w, ebb_error *err)
{
    const weave_pool *pool = &w->code->cls->pool;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (weave_pool_is(pool, w->table->name_index, known[i].name)) {
            known[i].walk(w);
            if (w->in.failed || w->in.at != w->in.end)
                return ebb_fail(err, EBB_BAD_FILE, "a %s is broken", known[i].name);
        }
    return EBB_OK;
}

static ebb_status read_table(weave_code *code, weave_table *table, ebb_error *err)
{
    table->is_frames = weave_pool_is(&code->cls->pool, table->name_index, "StackMapTable");
    if (table->is_frames)
        return weave_frames_read(code, table->bytes, err);
    walker w = {code, table, weave_in_of(table->bytes)};
    return walk(&w, err);
}

ebb_status weave_tables_read(weave_code *code, weave_in *in, ebb_error *err)
{
    code->ntables = weave_u2(in);
    code->tables = EBB_ARENA_ARRAY(&code->cls->arena, weave_table, code->ntables + 1u);
    for (uint32_t i = 0; i < code->ntables; i++) {
        weave_table *table = &code->tables[i];
        table->name_index = weave_u2(in);
        table->bytes = weave_take(in, weave_u4(in));
        if (in->failed)
            return ebb_fail(err, EBB_BAD_FILE, "an attribute of code is cut off");
        EBB_TRY(read_table(code, table, err));
    }
    return EBB_OK;
}

/* ---- lines ---- */

/* Calls `see` with each row of the tables of lines. */
static void each_line(const weave_code *code, void (*see)(void *context, uint32_t bci, uint32_t line), void *context)
{
    for (uint32_t i = 0; i < code->ntables; i++) {
        if (!weave_pool_is(&code->cls->pool, code->tables[i].name_index, "LineNumberTable"))
            continue;
        weave_in in = weave_in_of(code->tables[i].bytes);
        for (uint32_t n = weave_u2(&in); n > 0; n--) {
            uint32_t bci = weave_u2(&in);
            see(context, bci, weave_u2(&in));
        }
    }
}

typedef struct line_search {
    uint32_t wanted, found; /* a line or a bci, and the other */
    uint32_t nearest;       /* the bci of the row that `found` is of */
} line_search;

static void see_start(void *context, uint32_t bci, uint32_t line)
{
    line_search *s = context;
    if (line == s->wanted && bci < s->found)
        s->found = bci;
}

static void see_line(void *context, uint32_t bci, uint32_t line)
{
    line_search *s = context;
    if (bci <= s->wanted && (s->found == 0 || bci >= s->nearest)) {
        s->found = line;
        s->nearest = bci;
    }
}

uint32_t weave_line_start(const weave_code *code, uint32_t line)
{
    line_search s = {.wanted = line, .found = UINT32_MAX};
    each_line(code, see_start, &s);
    return s.found;
}

uint32_t weave_line_of(const weave_code *code, uint32_t bci)
{
    line_search s = {.wanted = bci};
    each_line(code, see_line, &s);
    return s.found;
}

/* ---- writing ---- */

static uint32_t value_of(const weave_code *code, const weave_mark *m)
{
    switch (m->kind) {
    case WEAVE_MARK_START: return weave_row_pc(code, m->insn);
    case WEAVE_MARK_LINE: return code->entry_has_no_line ? weave_jump_pc(m->insn) : weave_row_pc(code, m->insn);
    case WEAVE_MARK_LENGTH: return weave_row_pc(code, m->insn) - weave_row_pc(code, m->from);
    case WEAVE_MARK_LAST: return weave_row_pc(code, m->insn) - 1;
    case WEAVE_MARK_EXACT: return m->insn->at;
    }
    return 0;
}

static void put_table(weave_code *code, const weave_table *table, ebb_buf *out)
{
    size_t length_at = out->n;
    weave_put_u4(out, 0);
    size_t start = out->n;
    if (table->is_frames)
        weave_frames_write(code, out);
    else
        weave_put(out, table->bytes);
    for (uint32_t i = 0; i < table->nmarks; i++)
        weave_set_u2(out, start + table->marks[i].offset, value_of(code, &table->marks[i]));
    weave_set_u4(out, length_at, (uint32_t)(out->n - start));
}

void weave_tables_write(weave_code *code, ebb_buf *out)
{
    weave_put_u2(out, code->ntables);
    for (uint32_t i = 0; i < code->ntables; i++) {
        weave_put_u2(out, code->tables[i].name_index);
        put_table(code, &code->tables[i], out);
    }
}
