/* java_collection.c - collections shown as collections, read by their insides (java_collections.def). */
#include "expr/java_collection.h"

#include <string.h>

enum { MAX_HIERARCHY = 64, MAX_WRAPPERS = 16, CHUNK = 256 };

/* ---- giving ------------------------------------------------------------------------------------------- */

static bool give(java_walk *w, const java_value *key, const java_value *element)
{
    if (w->n_skip == 0)
        return w->visit(w, key, element);
    w->n_skip--;
    return true;
}

bool java_walk_give(java_walk *w, const java_value *element)
{
    return give(w, NULL, element);
}

bool java_walk_give_entry(java_walk *w, const java_value *key, const java_value *value)
{
    if (w->keys_only)
        return give(w, NULL, key);
    return give(w, w->values_only ? NULL : key, value);
}

/* ---- reading -------------------------------------------------------------------------------------------- */

ebb_status java_walk_get(java_walk *w, uint64_t ref, const char *field, java_value *out)
{
    java_ev *ev = &w->printer->ev;
    const java_member *own = ref == w->ref ? java_find_field(ev, w->type, field) : NULL;
    return own ? java_get_field(ev, ref, own, out) : java_print_get(w->printer, ref, field, out);
}

ebb_status java_walk_open_array(java_walk *w, uint64_t ref, const char *field, java_array_reader *reader)
{
    const java_world *world = w->printer->ev.world;
    java_value array;
    const java_type *type;
    *reader = (java_array_reader){.w = w};
    ebb_status status = java_walk_get(w, ref, field, &array);
    if (status || !array.ref)
        return status;
    reader->ref = array.ref;
    status = world->class_of(world->self, array.ref, &type, w->printer->ev.err);
    if (!status && java_letter(&w->printer->ev, type) != '[')
        status = ebb_fail(w->printer->ev.err, EBB_UNSUPPORTED, "%.100s is no array.", field);
    if (!status)
        status = world->length(world->self, array.ref, &reader->n, w->printer->ev.err);
    if (!status)
        reader->element = world->element(world->self, type);
    reader->chunk = EBB_ARENA_ARRAY(w->printer->ev.arena, java_value, CHUNK);
    return status;
}

ebb_status java_walk_element(java_array_reader *reader, uint32_t i, java_value *out)
{
    java_ev *ev = &reader->w->printer->ev;
    if (i >= reader->n)
        return ebb_fail(ev->err, EBB_UNSUPPORTED, "A collection that contradicts itself.");
    if (i < reader->first || i - reader->first >= reader->n_read) {
        uint32_t first = i - i % CHUNK, n = reader->n - first < CHUNK ? reader->n - first : CHUNK; /* good in both directions */
        memset(reader->chunk, 0, CHUNK * sizeof *reader->chunk);
        ebb_status status = ev->world->elements(ev->world->self, reader->ref, first, n, reader->chunk, ev->err);
        if (status)
            return status;
        reader->first = first;
        reader->n_read = n;
    }
    *out = reader->chunk[i - reader->first];
    out->type = reader->element;
    out->place = JAVA_PLACE_ELEMENT;
    out->holder = reader->ref;
    out->which = i;
    return EBB_OK;
}

ebb_status java_walk_get_index(java_walk *w, const char *field, uint32_t *out)
{
    java_value value;
    ebb_status status = java_walk_get(w, w->ref, field, &value);
    if (!status)
        *out = value.i < 0 ? 0 : (uint32_t)value.i;
    return status;
}

ebb_status java_walk_give_range(java_walk *w, java_array_reader *reader, uint32_t first, uint32_t n)
{
    uint32_t n_skipped = w->n_skip < n ? (uint32_t)w->n_skip : n; /* unseen: there may be millions */
    w->n_skip -= n_skipped;
    for (uint32_t i = n_skipped; i < n; i++) {
        java_value element;
        ebb_status status = java_walk_element(reader, (uint32_t)(((uint64_t)first + i) % (reader->n ? reader->n : 1)), &element);
        if (status || !java_walk_give(w, &element))
            return status;
    }
    return EBB_OK;
}

/* ---- the table -------------------------------------------------------------------------------------------------------- */

static const java_collection table[] = {
#define JAVA_COLLECTION(class_name, kind, shown_as, x, y, z, number)                                                                       \
    {.name = class_name, .shape = JAVA_SHAPE_##kind, .form = JAVA_##shown_as, .a = x, .b = y, .c = z, .n = number},
#include "expr/java_collections.def"
#undef JAVA_COLLECTION
};

static java_walker *const walkers[] = {
#define X(name) [JAVA_SHAPE_##name] = java_walk_##name,
    JAVA_SHAPES(X)
#undef X
};

/* The row of the class or of the nearest one above it; false if there is none. */
static bool find_row(java_walk *w, const java_type *type)
{
    const java_world *world = w->printer->ev.world;
    unsigned depth = 0;
    for (; type && depth < MAX_HIERARCHY; type = world->super(world->self, type), depth++) {
        if (!java_print_may_be_known(w->printer, type))
            continue;
        const char *descriptor = world->type_descriptor(world->self, type);
        size_t n = strlen(descriptor);
        for (size_t i = 0; n > 2 && i < sizeof table / sizeof *table; i++) {
            if (strlen(table[i].name) == n - 2 && strncmp(table[i].name, descriptor + 1, n - 2) == 0) {
                w->row = table[i];
                w->type = type;
                return true;
            }
        }
    }
    return false;
}

/* Through wrappers to the collection that has the elements; false if it is of a class that we don't know. */
static ebb_status unwrap(java_walk *w, bool *is_known)
{
    for (unsigned i = 0; *is_known && w->row.shape >= JAVA_SHAPE_OF; i++) {
        java_value inner;
        EBB_TRY(java_walk_get(w, w->ref, w->row.a, &inner));
        if (!w->keys_only && !w->values_only) {
            w->keys_only = w->row.shape == JAVA_SHAPE_KEYS;
            w->values_only = w->row.shape == JAVA_SHAPE_VALUES;
        }
        w->ref = inner.ref;
        *is_known = inner.ref && i < MAX_WRAPPERS && find_row(w, java_dynamic_type(&w->printer->ev, &inner));
    }
    return EBB_OK;
}

ebb_status java_walk_open(java_walk *w, const java_type *type, uint64_t ref, bool *is_known)
{
    w->ref = ref;
    *is_known = find_row(w, type);
    w->form = w->row.form;
    return unwrap(w, is_known);
}

ebb_status java_walk_all(java_walk *w)
{
    return walkers[w->row.shape](w);
}

/* ---- showing ------------------------------------------------------------------------------------------ */

typedef struct showing {
    size_t n, limit;
    bool is_cut; /* there would be more */
} showing;

static bool show(java_walk *w, const java_value *key, const java_value *element)
{
    showing *shown = w->visitor;
    shown->is_cut = shown->n >= shown->limit || java_print_is_full(w->printer);
    if (shown->is_cut)
        return false;
    ebb_buf_adds(w->printer->out, shown->n++ ? ", " : "");
    if (key) {
        java_print_part(w->printer, key);
        ebb_buf_addc(w->printer->out, '=');
    }
    java_print_part(w->printer, element);
    return true;
}

ebb_status java_print_collection(java_printer *printer, const java_type *type, uint64_t ref, bool *is_known)
{
    static const char *const brackets[][2] = {[JAVA_LIST] = {"[", "]"}, [JAVA_MAP] = {"{", "}"}, [JAVA_ENTRIES] = {"[", "]"}, [JAVA_ENTRY] = {"", ""}};
    showing shown = {.limit = java_print_limit(printer)};
    java_walk w = {.printer = printer, .visit = show, .visitor = &shown};
    ebb_status status = java_walk_open(&w, type, ref, is_known);
    if (status || !*is_known)
        return status;
    ebb_buf_adds(printer->out, brackets[w.form][0]);
    status = java_walk_all(&w);
    if (shown.is_cut)
        ebb_buf_adds(printer->out, "...");
    ebb_buf_adds(printer->out, brackets[w.form][1]);
    return status;
}
