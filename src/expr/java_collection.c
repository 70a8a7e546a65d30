/* java_collection.c - collections shown as collections, read by their insides (java_collections.def). */
#include "expr/java_collection.h"

#include <string.h>

enum { MAX_HIERARCHY = 64, MAX_WRAPPERS = 16, CHUNK = 256 };

/* ---- showing ------------------------------------------------------------------------------------------ */

/* False: enough. */
static bool make_room(java_walk *w)
{
    if (w->n_shown >= w->limit || java_print_is_full(w->printer)) {
        w->is_cut = true;
        return false;
    }
    ebb_buf_adds(w->printer->out, w->n_shown++ ? ", " : "");
    return true;
}

bool java_walk_show(java_walk *w, const java_value *element)
{
    if (!make_room(w))
        return false;
    java_print_part(w->printer, element);
    return true;
}

bool java_walk_show_entry(java_walk *w, const java_value *key, const java_value *value)
{
    if (w->keys_only)
        return java_walk_show(w, key);
    if (w->values_only)
        return java_walk_show(w, value);
    if (!make_room(w))
        return false;
    java_print_part(w->printer, key);
    ebb_buf_addc(w->printer->out, '=');
    java_print_part(w->printer, value);
    return true;
}

/* ---- reading -------------------------------------------------------------------------------------------- */

ebb_status java_walk_get(java_walk *w, uint64_t ref, const char *field, java_value *out)
{
    return java_print_get(w->printer, ref, field, out);
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

ebb_status java_walk_show_range(java_walk *w, java_array_reader *reader, uint32_t first, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        java_value element;
        ebb_status status = java_walk_element(reader, (uint32_t)(((uint64_t)first + i) % (reader->n ? reader->n : 1)), &element);
        if (status || !java_walk_show(w, &element))
            return status;
    }
    return EBB_OK;
}

/* ---- the table -------------------------------------------------------------------------------------------------------- */

static const java_collection table[] = {
#define JAVA_COLLECTION(class_name, kind, shown_as, x, y, z) {.name = class_name, .shape = JAVA_SHAPE_##kind, .form = JAVA_##shown_as, .a = x, .b = y, .c = z},
#include "expr/java_collections.def"
#undef JAVA_COLLECTION
};

static java_walker *const walkers[] = {
#define X(name) [JAVA_SHAPE_##name] = java_walk_##name,
    JAVA_SHAPES(X)
#undef X
};

/* The row of the class or of the nearest one above it; false if there is none. */
static bool find_row(java_printer *printer, const java_type *type, java_collection *row)
{
    const java_world *world = printer->ev.world;
    unsigned depth = 0;
    for (; type && depth < MAX_HIERARCHY; type = world->super(world->self, type), depth++) {
        if (!java_print_may_be_known(printer, type))
            continue;
        const char *descriptor = world->type_descriptor(world->self, type);
        size_t n = strlen(descriptor);
        for (size_t i = 0; n > 2 && i < sizeof table / sizeof *table; i++) {
            if (strlen(table[i].name) == n - 2 && strncmp(table[i].name, descriptor + 1, n - 2) == 0) {
                *row = table[i];
                return true;
            }
        }
    }
    return false;
}

/* Through wrappers to the collection that has the elements; false if it is of a class that we don't know. */
static ebb_status unwrap(java_walk *w, java_collection *row, bool *is_known)
{
    ebb_status status = EBB_OK;
    *is_known = true;
    for (unsigned i = 0; !status && *is_known && row->shape >= JAVA_SHAPE_OF; i++) {
        java_value inner;
        status = java_walk_get(w, w->ref, row->a, &inner);
        if (status)
            break;
        if (!w->keys_only && !w->values_only) {
            w->keys_only = row->shape == JAVA_SHAPE_KEYS;
            w->values_only = row->shape == JAVA_SHAPE_VALUES;
        }
        w->ref = inner.ref;
        *is_known = inner.ref && i < MAX_WRAPPERS && find_row(w->printer, java_dynamic_type(&w->printer->ev, &inner), row);
    }
    return status;
}

ebb_status java_print_collection(java_printer *printer, const java_type *type, uint64_t ref, bool *is_known)
{
    static const char *const brackets[][2] = {[JAVA_LIST] = {"[", "]"}, [JAVA_MAP] = {"{", "}"}, [JAVA_ENTRIES] = {"[", "]"}, [JAVA_ENTRY] = {"", ""}};
    java_collection row;
    *is_known = find_row(printer, type, &row);
    if (!*is_known)
        return EBB_OK;
    java_walk w = {.printer = printer, .row = &row, .ref = ref, .form = row.form, .limit = java_print_limit(printer)};
    ebb_status status = unwrap(&w, &row, is_known);
    if (status || !*is_known)
        return status;
    ebb_buf_adds(printer->out, brackets[w.form][0]);
    status = walkers[row.shape](&w);
    if (w.is_cut)
        ebb_buf_adds(printer->out, "...");
    ebb_buf_adds(printer->out, brackets[w.form][1]);
    return status;
}
