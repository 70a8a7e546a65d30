/* java_collection.c - collections shown as collections, read by their insides (java_collections.def). */
#include "expr/java_print.h"

#include <string.h>

enum { MAX_HIERARCHY = 64, MAX_WRAPPERS = 16, MAX_TREE_HEIGHT = 64, CHUNK = 256 };

typedef struct walk walk;
typedef struct collection collection;

/* Shows every element, by show(); ends early when that says so. */
typedef ebb_status walker(walk *w);

typedef enum form { LIST, MAP, ENTRIES, ENTRY } form;

/* The shapes of java_collections.def; the last three are wrappers around another collection. */
#define SHAPES(X)                                                                                                                  \
    X(ARRAY) X(SLICE) X(RING) X(COUNTED_RING) X(CHAIN) X(BUCKETS) X(ENTRIES_CHAIN) X(TREE) X(SKIP_LIST) X(PAIRS) X(SALTED) X(SALTED_SET)    \
    X(TWO) X(ENUM_MAP) X(ENUM_SET) X(ONE) X(PAIR) X(COPIES) X(NONE)

typedef enum shape {
#define X(name) SHAPE_##name,
    SHAPES(X)
#undef X
    SHAPE_OF,
    SHAPE_KEYS,
    SHAPE_VALUES,
} shape;

struct collection {
    const char *name; /* without L and ; */
    shape shape;
    form form;
    const char *a, *b, *c;
};

struct walk {
    java_printer *printer;
    const collection *row;
    uint64_t ref;
    form form;
    bool keys_only, values_only;
    size_t n_shown, limit;
    bool is_cut; /* there would be more */
};

/* ---- showing ------------------------------------------------------------------------------------------ */

/* False: enough. */
static bool make_room(walk *w)
{
    if (w->n_shown >= w->limit || java_print_is_full(w->printer)) {
        w->is_cut = true;
        return false;
    }
    ebb_buf_adds(w->printer->out, w->n_shown++ ? ", " : "");
    return true;
}

static bool show(walk *w, const java_value *element)
{
    if (!make_room(w))
        return false;
    java_print_part(w->printer, element);
    return true;
}

static bool show_entry(walk *w, const java_value *key, const java_value *value)
{
    if (w->keys_only)
        return show(w, key);
    if (w->values_only)
        return show(w, value);
    if (!make_room(w))
        return false;
    java_print_part(w->printer, key);
    ebb_buf_addc(w->printer->out, '=');
    java_print_part(w->printer, value);
    return true;
}

/* ---- reading -------------------------------------------------------------------------------------------- */

static ebb_status get(walk *w, uint64_t ref, const char *field, java_value *out)
{
    return java_print_get(w->printer, ref, field, out);
}

/* An array in chunks. */
typedef struct array_reader {
    walk *w;
    uint64_t ref;
    const java_type *element;
    uint32_t n, first, n_read;
    java_value *chunk;
} array_reader;

/* Of the array in a field; one that is null has no elements. */
static ebb_status open_array(walk *w, uint64_t ref, const char *field, array_reader *reader)
{
    const java_world *world = w->printer->ev.world;
    java_value array;
    const java_type *type;
    *reader = (array_reader){.w = w};
    ebb_status status = get(w, ref, field, &array);
    if (status || !array.ref)
        return status;
    reader->ref = array.ref;
    status = world->class_of(world->self, array.ref, &type, w->printer->ev.err);
    if (!status && java_code(&w->printer->ev, type) != '[')
        status = ebb_fail(w->printer->ev.err, EBB_UNSUPPORTED, "%.100s is no array.", field);
    if (!status)
        status = world->length(world->self, array.ref, &reader->n, w->printer->ev.err);
    if (!status)
        reader->element = world->element(world->self, type);
    reader->chunk = EBB_ARENA_ARRAY(w->printer->ev.arena, java_value, CHUNK);
    return status;
}

static ebb_status read_element(array_reader *reader, uint32_t i, java_value *out)
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

static ebb_status get_index(walk *w, const char *field, uint32_t *out)
{
    java_value value;
    ebb_status status = get(w, w->ref, field, &value);
    if (!status)
        *out = value.i < 0 ? 0 : (uint32_t)value.i;
    return status;
}

/* Shows n elements from `first` on, around the end of the array. */
static ebb_status show_range(walk *w, array_reader *reader, uint32_t first, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        java_value element;
        ebb_status status = read_element(reader, (uint32_t)(((uint64_t)first + i) % (reader->n ? reader->n : 1)), &element);
        if (status || !show(w, &element))
            return status;
    }
    return EBB_OK;
}

/* ---- shapes: arrays ---------------------------------------------------------------------------------------- */

static ebb_status walk_ARRAY(walk *w)
{
    array_reader reader;
    uint32_t n;
    ebb_status status = open_array(w, w->ref, w->row->a, &reader);
    n = reader.n;
    if (!status && *w->row->b)
        status = get_index(w, w->row->b, &n);
    return status ? status : show_range(w, &reader, 0, n < reader.n ? n : reader.n);
}

static ebb_status walk_SLICE(walk *w)
{
    array_reader reader = {0};
    java_value root;
    uint32_t first, n;
    ebb_status status = get(w, w->ref, w->row->a, &root);
    if (!status && root.ref)
        status = open_array(w, root.ref, "elementData", &reader);
    if (!status)
        status = get_index(w, w->row->b, &first);
    if (!status)
        status = get_index(w, w->row->c, &n);
    bool is_good = !status && first <= reader.n && n <= reader.n - first;
    return status ? status : show_range(w, &reader, first, is_good ? n : 0);
}

/* The array a with the two numbers of b and c. */
static ebb_status open_ring(walk *w, array_reader *reader, uint32_t *b, uint32_t *c)
{
    ebb_status status = open_array(w, w->ref, w->row->a, reader);
    if (!status)
        status = get_index(w, w->row->b, b);
    if (!status)
        status = get_index(w, w->row->c, c);
    return status;
}

static ebb_status walk_RING(walk *w)
{
    array_reader reader;
    uint32_t head, tail;
    ebb_status status = open_ring(w, &reader, &head, &tail);
    if (status || reader.n == 0)
        return status;
    return show_range(w, &reader, head, (tail % reader.n + reader.n - head % reader.n) % reader.n);
}

static ebb_status walk_COUNTED_RING(walk *w)
{
    array_reader reader;
    uint32_t first, n;
    ebb_status status = open_ring(w, &reader, &first, &n);
    return status ? status : show_range(w, &reader, first, n < reader.n ? n : reader.n);
}

static ebb_status walk_pairs(walk *w, uint32_t start, uint32_t step)
{
    array_reader reader;
    ebb_status status = open_array(w, w->ref, w->row->a, &reader);
    uint32_t n = reader.n & ~1u;
    for (uint32_t i = 0; !status && i < n; i += 2) {
        java_value key, value;
        uint32_t at = (uint32_t)((start + (uint64_t)i / 2 * step) % n);
        status = read_element(&reader, at, &key);
        if (status || !key.ref)
            continue;
        status = read_element(&reader, at + 1, &value);
        if (status || !show_entry(w, &key, &value))
            return status;
    }
    return status;
}

static ebb_status walk_PAIRS(walk *w)
{
    return walk_pairs(w, 0, 2);
}

/* ---- shapes: immutable collections ---------------------------------------------------------------------------- */

/* Where an immutable collection of n places begins, and in which direction it goes: that is drawn when the program starts. */
static ebb_status get_salt(walk *w, uint32_t n, uint32_t *start, bool *is_reverse)
{
    java_ev *ev = &w->printer->ev;
    const java_type *type = ev->world->type(ev->world->self, "Ljava/util/ImmutableCollections;");
    const java_member *salt = type ? java_find_field(ev, type, "SALT32L") : NULL;
    const java_member *reverse = type ? java_find_field(ev, type, "REVERSE") : NULL;
    java_value value;
    *start = 0;
    *is_reverse = true;
    if (!salt || !reverse)
        return EBB_OK;
    ebb_status status = java_get_field(ev, 0, salt, &value);
    if (!status)
        *start = (uint32_t)((uint64_t)value.i * n >> 32);
    if (!status)
        status = java_get_field(ev, 0, reverse, &value);
    if (!status)
        *is_reverse = value.i != 0;
    return status;
}

/* Both begin beside the place that the salt names. */
static uint32_t first_place(uint32_t start, bool is_reverse, uint32_t n)
{
    return is_reverse ? (start + 1) % n : (start + n - 1) % n;
}

static ebb_status walk_SALTED(walk *w)
{
    array_reader reader;
    uint32_t start;
    bool is_reverse;
    ebb_status status = open_array(w, w->ref, w->row->a, &reader);
    uint32_t n = reader.n / 2;
    if (!status)
        status = get_salt(w, n, &start, &is_reverse);
    if (status || n == 0)
        return status;
    return walk_pairs(w, 2 * first_place(start, is_reverse, n), is_reverse ? 2 : 2 * n - 2);
}

static ebb_status walk_SALTED_SET(walk *w)
{
    array_reader reader;
    uint32_t start;
    bool is_reverse;
    ebb_status status = open_array(w, w->ref, w->row->a, &reader);
    uint32_t n = reader.n;
    if (!status)
        status = get_salt(w, n, &start, &is_reverse);
    uint32_t at = n ? first_place(start, is_reverse, n) : 0;
    for (uint32_t i = 0; !status && i < n; i++, at = (at + (is_reverse ? 1 : n - 1)) % n) {
        java_value element;
        status = read_element(&reader, at, &element);
        if (!status && element.ref && !show(w, &element))
            break;
    }
    return status;
}

/* The second element may be the sentinel EMPTY. */
static bool is_empty_sentinel(walk *w, uint64_t ref)
{
    java_ev *ev = &w->printer->ev;
    const java_type *type = ev->world->type(ev->world->self, "Ljava/util/ImmutableCollections;");
    const java_member *field = type ? java_find_field(ev, type, "EMPTY") : NULL;
    java_value empty;
    return field && java_get_field(ev, 0, field, &empty) == EBB_OK && empty.ref == ref;
}

static ebb_status walk_TWO(walk *w)
{
    java_value first, second;
    uint32_t start;
    bool is_reverse = false;
    ebb_status status = get(w, w->ref, w->row->a, &first);
    if (!status)
        status = get(w, w->ref, w->row->b, &second);
    if (!status && *w->row->c)
        status = get_salt(w, 2, &start, &is_reverse);
    if (status)
        return status;
    bool has_second = second.ref && !is_empty_sentinel(w, second.ref);
    if (has_second && is_reverse) {
        java_value other = first;
        first = second;
        second = other;
    }
    if (show(w, &first) && has_second)
        show(w, &second);
    return EBB_OK;
}

/* ---- shapes: nodes ---------------------------------------------------------------------------------------------- */

static ebb_status walk_CHAIN(walk *w)
{
    java_value node;
    bool allows_null = strcmp(w->row->name, "java/util/LinkedList") == 0;
    ebb_status status = get(w, w->ref, w->row->a, &node);
    for (size_t n = 0; !status && node.ref && n < JAVA_MAX_ELEMENTS; n++) {
        java_value element, next = {0};
        status = get(w, node.ref, w->row->b, &element);
        if (!status && (allows_null || !java_is_null(&element)) && !show(w, &element))
            return EBB_OK;
        if (!status)
            status = get(w, node.ref, w->row->c, &next);
        if (next.ref == node.ref) /* a node that was taken out of a concurrent queue */
            break;
        node = next;
    }
    return status;
}

/* The key of an entry; a WeakHashMap's is its referent, and null there stands for a key that is gone or that is null. */
static ebb_status get_key(walk *w, uint64_t entry, java_value *key)
{
    const java_type *type;
    java_ev *ev = &w->printer->ev;
    ebb_status status = ev->world->class_of(ev->world->self, entry, &type, ev->err);
    if (status)
        return status;
    return get(w, entry, java_find_field(ev, type, "key") ? "key" : "referent", key);
}

static ebb_status walk_entries(walk *w, uint64_t entry, bool *goes_on)
{
    ebb_status status = EBB_OK;
    for (size_t n = 0; !status && entry && *goes_on && n < JAVA_MAX_ELEMENTS; n++) {
        java_value key, value, next = {0};
        status = get_key(w, entry, &key);
        if (!status)
            status = get(w, entry, w->row->b, &value);
        if (!status)
            *goes_on = show_entry(w, &key, &value);
        if (!status && *goes_on)
            status = get(w, entry, w->row->c, &next);
        entry = next.ref;
    }
    return status;
}

static ebb_status walk_ENTRIES_CHAIN(walk *w)
{
    java_value entry;
    bool goes_on = true;
    ebb_status status = get(w, w->ref, w->row->a, &entry);
    return status ? status : walk_entries(w, entry.ref, &goes_on);
}

/* A bucket of a ConcurrentHashMap may be a tree, whose entries are linked as well, or tell that the map is growing. */
static ebb_status bucket_entry(walk *w, java_value *bucket)
{
    java_ev *ev = &w->printer->ev;
    const java_type *type = java_dynamic_type(ev, bucket);
    if (java_is_class(ev, type, "Ljava/util/concurrent/ConcurrentHashMap$TreeBin;"))
        return get(w, bucket->ref, "first", bucket);
    if (java_is_class(ev, type, "Ljava/util/concurrent/ConcurrentHashMap$ForwardingNode;"))
        bucket->ref = 0;
    return EBB_OK;
}

/* Hashtable goes through its buckets from the last to the first, the others forward. */
static bool goes_backward(walk *w)
{
    return strcmp(w->row->name, "java/util/Hashtable") == 0 || strcmp(w->row->name, "java/util/WeakHashMap") == 0;
}

static ebb_status walk_BUCKETS(walk *w)
{
    array_reader reader;
    bool goes_on = true, is_backward = goes_backward(w);
    ebb_status status = open_array(w, w->ref, w->row->a, &reader);
    for (uint32_t i = 0; !status && goes_on && i < reader.n; i++) {
        java_value bucket;
        uint32_t at = is_backward ? reader.n - 1 - i : i;
        status = read_element(&reader, at, &bucket);
        if (!status && bucket.ref)
            status = bucket_entry(w, &bucket);
        if (!status && bucket.ref)
            status = walk_entries(w, bucket.ref, &goes_on);
    }
    return status;
}

/* In order, with a stack of the entries whose right side is still to come. */
static ebb_status walk_TREE(walk *w)
{
    uint64_t stack[MAX_TREE_HEIGHT];
    unsigned n = 0;
    java_value at;
    ebb_status status = get(w, w->ref, w->row->a, &at);
    for (size_t steps = 0; !status && (at.ref || n > 0) && steps < 4 * (size_t)JAVA_MAX_ELEMENTS; steps++) {
        if (at.ref) {
            if (n == MAX_TREE_HEIGHT)
                return ebb_fail(w->printer->ev.err, EBB_UNSUPPORTED, "A tree of more than %d levels.", MAX_TREE_HEIGHT);
            stack[n++] = at.ref;
            status = get(w, at.ref, "left", &at);
            continue;
        }
        uint64_t entry = stack[--n];
        java_value key, value;
        status = get(w, entry, "key", &key);
        if (!status)
            status = get(w, entry, "value", &value);
        if (!status && !show_entry(w, &key, &value))
            return EBB_OK;
        if (!status)
            status = get(w, entry, "right", &at);
    }
    return status;
}

static ebb_status walk_SKIP_LIST(walk *w)
{
    java_value at, node = {0}, key, value;
    ebb_status status = get(w, w->ref, w->row->a, &at);
    if (!status && at.ref)
        status = get(w, at.ref, "node", &node);
    if (!status && node.ref)
        status = get(w, node.ref, "next", &node); /* the first node is a marker */
    for (size_t n = 0; !status && node.ref && n < JAVA_MAX_ELEMENTS; n++) {
        status = get(w, node.ref, "key", &key);
        if (!status)
            status = get(w, node.ref, "val", &value);
        if (!status && value.ref && key.ref && !show_entry(w, &key, &value))
            return EBB_OK;
        if (!status)
            status = get(w, node.ref, "next", &node);
    }
    return status;
}

/* ---- shapes: enums ------------------------------------------------------------------------------------------------ */

static bool is_null_mask(walk *w, const java_value *value)
{
    return java_is_class(&w->printer->ev, java_dynamic_type(&w->printer->ev, value), "Ljava/util/EnumMap$1;");
}

static ebb_status walk_ENUM_MAP(walk *w)
{
    array_reader keys, values;
    ebb_status status = open_array(w, w->ref, w->row->a, &keys);
    if (!status)
        status = open_array(w, w->ref, w->row->b, &values);
    for (uint32_t i = 0; !status && i < keys.n && i < values.n; i++) {
        java_value key, value;
        status = read_element(&keys, i, &key);
        if (!status)
            status = read_element(&values, i, &value);
        if (status || !value.ref)
            continue;
        if (is_null_mask(w, &value))
            value.ref = 0;
        if (!show_entry(w, &key, &value))
            break;
    }
    return status;
}

static ebb_status walk_ENUM_SET(walk *w)
{
    array_reader constants, words = {0};
    java_value bits;
    ebb_status status = get(w, w->ref, w->row->a, &bits);
    bool is_jumbo = !status && java_code(&w->printer->ev, bits.type) == '[';
    if (!status && is_jumbo)
        status = open_array(w, w->ref, w->row->a, &words);
    if (!status)
        status = open_array(w, w->ref, w->row->b, &constants);
    for (uint32_t i = 0; !status && i < constants.n; i++) {
        java_value constant;
        if (is_jumbo && i % 64 == 0)
            status = read_element(&words, i / 64, &bits);
        if (status || !((uint64_t)bits.i >> i % 64 & 1))
            continue;
        status = read_element(&constants, i, &constant);
        if (!status && !show(w, &constant))
            break;
    }
    return status;
}

/* ---- shapes: small ones --------------------------------------------------------------------------------------------- */

static ebb_status walk_ONE(walk *w)
{
    java_value element;
    ebb_status status = get(w, w->ref, w->row->a, &element);
    if (!status)
        show(w, &element);
    return status;
}

static ebb_status walk_PAIR(walk *w)
{
    java_value key, value;
    ebb_status status = get(w, w->ref, w->row->a, &key);
    if (!status)
        status = get(w, w->ref, w->row->b, &value);
    if (!status)
        show_entry(w, &key, &value);
    return status;
}

static ebb_status walk_COPIES(walk *w)
{
    java_value element;
    uint32_t n;
    ebb_status status = get(w, w->ref, w->row->a, &element);
    if (!status)
        status = get_index(w, w->row->b, &n);
    for (uint32_t i = 0; !status && i < n && show(w, &element); i++)
        continue;
    return status;
}

static ebb_status walk_NONE(walk *w)
{
    return EBB_OK;
}

/* ---- the table -------------------------------------------------------------------------------------------------------- */

static const collection table[] = {
#define JAVA_COLLECTION(class_name, kind, shown_as, x, y, z) {.name = class_name, .shape = SHAPE_##kind, .form = shown_as, .a = x, .b = y, .c = z},
#include "expr/java_collections.def"
#undef JAVA_COLLECTION
};

static walker *const walkers[] = {
#define X(name) [SHAPE_##name] = walk_##name,
    SHAPES(X)
#undef X
};

/* The row of the class or of the nearest one above it; false if there is none. */
static bool find_row(java_printer *printer, const java_type *type, collection *row)
{
    const java_world *world = printer->ev.world;
    unsigned depth = 0;
    for (; type && depth < MAX_HIERARCHY; type = world->super(world->self, type), depth++) {
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
static ebb_status unwrap(walk *w, collection *row, bool *is_known)
{
    ebb_status status = EBB_OK;
    *is_known = true;
    for (unsigned i = 0; !status && *is_known && row->shape >= SHAPE_OF; i++) {
        java_value inner;
        status = get(w, w->ref, row->a, &inner);
        if (status)
            break;
        if (!w->keys_only && !w->values_only) {
            w->keys_only = row->shape == SHAPE_KEYS;
            w->values_only = row->shape == SHAPE_VALUES;
        }
        w->ref = inner.ref;
        *is_known = inner.ref && i < MAX_WRAPPERS && find_row(w->printer, java_dynamic_type(&w->printer->ev, &inner), row);
    }
    return status;
}

ebb_status java_print_collection(java_printer *printer, const java_type *type, uint64_t ref, bool *is_known)
{
    static const char *const brackets[][2] = {[LIST] = {"[", "]"}, [MAP] = {"{", "}"}, [ENTRIES] = {"[", "]"}, [ENTRY] = {"", ""}};
    collection row;
    *is_known = find_row(printer, type, &row);
    if (!*is_known)
        return EBB_OK;
    walk w = {.printer = printer, .row = &row, .ref = ref, .form = row.form, .limit = java_print_limit(printer)};
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
