/* java_walkers.c - the elements of a collection, by its shape (java_collections.def). */
#include "expr/java_collection.h"

#include <string.h>

enum { MAX_TREE_HEIGHT = 64 };

/* ---- arrays ---------------------------------------------------------------------------------------- */

ebb_status java_walk_ARRAY(java_walk *w)
{
    java_array_reader reader;
    uint32_t n;
    ebb_status status = java_walk_open_array(w, w->ref, w->row.a, &reader);
    n = reader.n;
    if (!status && *w->row.b)
        status = java_walk_get_index(w, w->row.b, &n);
    return status ? status : java_walk_give_range(w, &reader, 0, n < reader.n ? n : reader.n);
}

ebb_status java_walk_SLICE(java_walk *w)
{
    java_array_reader reader = {0};
    java_value root;
    uint32_t first, n;
    ebb_status status = java_walk_get(w, w->ref, w->row.a, &root);
    if (!status && root.ref)
        status = java_walk_open_array(w, root.ref, "elementData", &reader);
    if (!status)
        status = java_walk_get_index(w, w->row.b, &first);
    if (!status)
        status = java_walk_get_index(w, w->row.c, &n);
    bool is_good = !status && first <= reader.n && n <= reader.n - first;
    return status ? status : java_walk_give_range(w, &reader, first, is_good ? n : 0);
}

/* The array a with the two numbers of b and c. */
static ebb_status open_ring(java_walk *w, java_array_reader *reader, uint32_t *b, uint32_t *c)
{
    ebb_status status = java_walk_open_array(w, w->ref, w->row.a, reader);
    if (!status)
        status = java_walk_get_index(w, w->row.b, b);
    if (!status)
        status = java_walk_get_index(w, w->row.c, c);
    return status;
}

ebb_status java_walk_RING(java_walk *w)
{
    java_array_reader reader;
    uint32_t head, tail;
    ebb_status status = open_ring(w, &reader, &head, &tail);
    if (status || reader.n == 0)
        return status;
    return java_walk_give_range(w, &reader, head, (tail % reader.n + reader.n - head % reader.n) % reader.n);
}

ebb_status java_walk_COUNTED_RING(java_walk *w)
{
    java_array_reader reader;
    uint32_t first, n;
    ebb_status status = open_ring(w, &reader, &first, &n);
    return status ? status : java_walk_give_range(w, &reader, first, n < reader.n ? n : reader.n);
}

static ebb_status walk_pairs(java_walk *w, uint32_t start, uint32_t step)
{
    java_array_reader reader;
    ebb_status status = java_walk_open_array(w, w->ref, w->row.a, &reader);
    uint32_t n = reader.n & ~1u;
    for (uint32_t i = 0; !status && i < n; i += 2) {
        java_value key, value;
        uint32_t at = (uint32_t)((start + (uint64_t)i / 2 * step) % n);
        status = java_walk_element(&reader, at, &key);
        if (status || !key.ref)
            continue;
        status = java_walk_element(&reader, at + 1, &value);
        if (status || !java_walk_give_entry(w, &key, &value))
            return status;
    }
    return status;
}

ebb_status java_walk_PAIRS(java_walk *w)
{
    return walk_pairs(w, 0, 2);
}

/* ---- immutable collections ---------------------------------------------------------------------------- */

/* Where an immutable collection of n places begins, and in which direction it goes: that is drawn when the program starts. */
static ebb_status get_salt(java_walk *w, uint32_t n, uint32_t *start, bool *is_reverse)
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

ebb_status java_walk_SALTED(java_walk *w)
{
    java_array_reader reader;
    uint32_t start;
    bool is_reverse;
    ebb_status status = java_walk_open_array(w, w->ref, w->row.a, &reader);
    uint32_t n = reader.n / 2;
    if (!status)
        status = get_salt(w, n, &start, &is_reverse);
    if (status || n == 0)
        return status;
    return walk_pairs(w, 2 * first_place(start, is_reverse, n), is_reverse ? 2 : 2 * n - 2);
}

ebb_status java_walk_SALTED_SET(java_walk *w)
{
    java_array_reader reader;
    uint32_t start;
    bool is_reverse;
    ebb_status status = java_walk_open_array(w, w->ref, w->row.a, &reader);
    uint32_t n = reader.n;
    if (!status)
        status = get_salt(w, n, &start, &is_reverse);
    uint32_t at = n ? first_place(start, is_reverse, n) : 0;
    for (uint32_t i = 0; !status && i < n; i++, at = (at + (is_reverse ? 1 : n - 1)) % n) {
        java_value element;
        status = java_walk_element(&reader, at, &element);
        if (!status && element.ref && !java_walk_give(w, &element))
            break;
    }
    return status;
}

/* The second element may be the sentinel EMPTY. */
static bool is_empty_sentinel(java_walk *w, uint64_t ref)
{
    java_ev *ev = &w->printer->ev;
    const java_type *type = ev->world->type(ev->world->self, "Ljava/util/ImmutableCollections;");
    const java_member *field = type ? java_find_field(ev, type, "EMPTY") : NULL;
    java_value empty;
    return field && java_get_field(ev, 0, field, &empty) == EBB_OK && empty.ref == ref;
}

ebb_status java_walk_TWO(java_walk *w)
{
    java_value first, second;
    uint32_t start;
    bool is_reverse = false;
    ebb_status status = java_walk_get(w, w->ref, w->row.a, &first);
    if (!status)
        status = java_walk_get(w, w->ref, w->row.b, &second);
    if (!status && *w->row.c)
        status = get_salt(w, 2, &start, &is_reverse);
    if (status)
        return status;
    bool has_second = second.ref && !is_empty_sentinel(w, second.ref);
    if (has_second && is_reverse) {
        java_value other = first;
        first = second;
        second = other;
    }
    if (java_walk_give(w, &first) && has_second)
        java_walk_give(w, &second);
    return EBB_OK;
}

/* ---- nodes ---------------------------------------------------------------------------------------------- */

ebb_status java_walk_CHAIN(java_walk *w)
{
    java_value node;
    bool allows_null = strcmp(w->row.name, "java/util/LinkedList") == 0;
    ebb_status status = java_walk_get(w, w->ref, w->row.a, &node);
    for (size_t n = 0; !status && node.ref && n < JAVA_MAX_ELEMENTS; n++) {
        java_value element, next = {0};
        status = java_walk_get(w, node.ref, w->row.b, &element);
        if (!status && (allows_null || !java_is_null(&element)) && !java_walk_give(w, &element))
            return EBB_OK;
        if (!status)
            status = java_walk_get(w, node.ref, w->row.c, &next);
        if (next.ref == node.ref) /* a node that was taken out of a concurrent queue */
            break;
        node = next;
    }
    return status;
}

/* The key of an entry; a WeakHashMap's is its referent, and null there stands for a key that is gone or that is null. */
static ebb_status get_key(java_walk *w, uint64_t entry, java_value *key)
{
    const java_type *type;
    java_ev *ev = &w->printer->ev;
    ebb_status status = ev->world->class_of(ev->world->self, entry, &type, ev->err);
    if (status)
        return status;
    return java_walk_get(w, entry, java_find_field(ev, type, "key") ? "key" : "referent", key);
}

static ebb_status walk_entries(java_walk *w, uint64_t entry, bool *goes_on)
{
    ebb_status status = EBB_OK;
    for (size_t n = 0; !status && entry && *goes_on && n < JAVA_MAX_ELEMENTS; n++) {
        java_value key, value, next = {0};
        status = get_key(w, entry, &key);
        if (!status)
            status = java_walk_get(w, entry, w->row.b, &value);
        if (!status)
            *goes_on = java_walk_give_entry(w, &key, &value);
        if (!status && *goes_on)
            status = java_walk_get(w, entry, w->row.c, &next);
        entry = next.ref;
    }
    return status;
}

ebb_status java_walk_ENTRIES_CHAIN(java_walk *w)
{
    java_value entry;
    bool goes_on = true;
    ebb_status status = java_walk_get(w, w->ref, w->row.a, &entry);
    return status ? status : walk_entries(w, entry.ref, &goes_on);
}

/* A bucket of a ConcurrentHashMap may be a tree, whose entries are linked as well, or tell that the map is growing. */
static ebb_status bucket_entry(java_walk *w, java_value *bucket)
{
    java_ev *ev = &w->printer->ev;
    const java_type *type = java_dynamic_type(ev, bucket);
    if (java_is_class(ev, type, "Ljava/util/concurrent/ConcurrentHashMap$TreeBin;"))
        return java_walk_get(w, bucket->ref, "first", bucket);
    if (java_is_class(ev, type, "Ljava/util/concurrent/ConcurrentHashMap$ForwardingNode;"))
        bucket->ref = 0;
    return EBB_OK;
}

/* Hashtable goes through its buckets from the last to the first, the others forward. */
static bool goes_backward(java_walk *w)
{
    return strcmp(w->row.name, "java/util/Hashtable") == 0 || strcmp(w->row.name, "java/util/WeakHashMap") == 0;
}

ebb_status java_walk_BUCKETS(java_walk *w)
{
    java_array_reader reader;
    bool goes_on = true, is_backward = goes_backward(w);
    ebb_status status = java_walk_open_array(w, w->ref, w->row.a, &reader);
    for (uint32_t i = 0; !status && goes_on && i < reader.n; i++) {
        java_value bucket;
        uint32_t at = is_backward ? reader.n - 1 - i : i;
        status = java_walk_element(&reader, at, &bucket);
        if (!status && bucket.ref)
            status = bucket_entry(w, &bucket);
        if (!status && bucket.ref)
            status = walk_entries(w, bucket.ref, &goes_on);
    }
    return status;
}

/* In order, with a stack of the entries whose right side is still to come. */
ebb_status java_walk_TREE(java_walk *w)
{
    uint64_t stack[MAX_TREE_HEIGHT];
    unsigned n = 0;
    java_value at;
    ebb_status status = java_walk_get(w, w->ref, w->row.a, &at);
    for (size_t steps = 0; !status && (at.ref || n > 0) && steps < 4 * (size_t)JAVA_MAX_ELEMENTS; steps++) {
        if (at.ref) {
            if (n == MAX_TREE_HEIGHT)
                return ebb_fail(w->printer->ev.err, EBB_UNSUPPORTED, "A tree of more than %d levels.", MAX_TREE_HEIGHT);
            stack[n++] = at.ref;
            status = java_walk_get(w, at.ref, "left", &at);
            continue;
        }
        uint64_t entry = stack[--n];
        java_value key, value;
        status = java_walk_get(w, entry, "key", &key);
        if (!status)
            status = java_walk_get(w, entry, "value", &value);
        if (!status && !java_walk_give_entry(w, &key, &value))
            return EBB_OK;
        if (!status)
            status = java_walk_get(w, entry, "right", &at);
    }
    return status;
}

ebb_status java_walk_SKIP_LIST(java_walk *w)
{
    java_value at, node = {0}, key, value;
    ebb_status status = java_walk_get(w, w->ref, w->row.a, &at);
    if (!status && at.ref)
        status = java_walk_get(w, at.ref, "node", &node);
    if (!status && node.ref)
        status = java_walk_get(w, node.ref, "next", &node); /* the first node is a marker */
    for (size_t n = 0; !status && node.ref && n < JAVA_MAX_ELEMENTS; n++) {
        status = java_walk_get(w, node.ref, "key", &key);
        if (!status)
            status = java_walk_get(w, node.ref, "val", &value);
        if (!status && value.ref && key.ref && !java_walk_give_entry(w, &key, &value))
            return EBB_OK;
        if (!status)
            status = java_walk_get(w, node.ref, "next", &node);
    }
    return status;
}

/* ---- enums ------------------------------------------------------------------------------------------------ */

static bool is_null_mask(java_walk *w, const java_value *value)
{
    return java_is_class(&w->printer->ev, java_dynamic_type(&w->printer->ev, value), "Ljava/util/EnumMap$1;");
}

ebb_status java_walk_ENUM_MAP(java_walk *w)
{
    java_array_reader keys, values;
    ebb_status status = java_walk_open_array(w, w->ref, w->row.a, &keys);
    if (!status)
        status = java_walk_open_array(w, w->ref, w->row.b, &values);
    for (uint32_t i = 0; !status && i < keys.n && i < values.n; i++) {
        java_value key, value;
        status = java_walk_element(&keys, i, &key);
        if (!status)
            status = java_walk_element(&values, i, &value);
        if (status || !value.ref)
            continue;
        if (is_null_mask(w, &value))
            value.ref = 0;
        if (!java_walk_give_entry(w, &key, &value))
            break;
    }
    return status;
}

ebb_status java_walk_ENUM_SET(java_walk *w)
{
    java_array_reader constants, words = {0};
    java_value bits;
    ebb_status status = java_walk_get(w, w->ref, w->row.a, &bits);
    bool is_jumbo = !status && java_letter(&w->printer->ev, bits.type) == '[';
    if (!status && is_jumbo)
        status = java_walk_open_array(w, w->ref, w->row.a, &words);
    if (!status)
        status = java_walk_open_array(w, w->ref, w->row.b, &constants);
    for (uint32_t i = 0; !status && i < constants.n; i++) {
        java_value constant;
        if (is_jumbo && i % 64 == 0)
            status = java_walk_element(&words, i / 64, &bits);
        if (status || !((uint64_t)bits.i >> i % 64 & 1))
            continue;
        status = java_walk_element(&constants, i, &constant);
        if (!status && !java_walk_give(w, &constant))
            break;
    }
    return status;
}

/* ---- small ones --------------------------------------------------------------------------------------------- */

ebb_status java_walk_ONE(java_walk *w)
{
    java_value element;
    ebb_status status = java_walk_get(w, w->ref, w->row.a, &element);
    if (!status)
        java_walk_give(w, &element);
    return status;
}

ebb_status java_walk_PAIR(java_walk *w)
{
    java_value key, value;
    ebb_status status = java_walk_get(w, w->ref, w->row.a, &key);
    if (!status)
        status = java_walk_get(w, w->ref, w->row.b, &value);
    if (!status)
        java_walk_give_entry(w, &key, &value);
    return status;
}

ebb_status java_walk_COPIES(java_walk *w)
{
    java_value element;
    uint32_t n;
    ebb_status status = java_walk_get(w, w->ref, w->row.a, &element);
    if (!status)
        status = java_walk_get_index(w, w->row.b, &n);
    for (uint32_t i = 0; !status && i < n && java_walk_give(w, &element); i++)
        continue;
    return status;
}

ebb_status java_walk_NONE(java_walk *w)
{
    return EBB_OK;
}
