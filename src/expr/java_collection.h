/* java_collection.h - what the walkers of collections share.
 *
 * java_collection.c finds the row of java_collections.def that an object's class has, and the walker of the row's shape
 * (java_walkers.c) gives the elements, one after the other, until java_walk_give says that it is enough.  Who gets them is the walk's
 * visitor: the printer (java_collection.c), or who looks at them piece by piece (java_pieces.c). */
#ifndef EBB_EXPR_JAVA_COLLECTION_H
#define EBB_EXPR_JAVA_COLLECTION_H

#include "expr/java_print.h"

typedef enum java_form { JAVA_LIST, JAVA_MAP, JAVA_ENTRIES, JAVA_ENTRY } java_form;

/* The shapes of java_collections.def; the last three are wrappers around another collection. */
#define JAVA_SHAPES(X)                                                                                                                  \
    X(ARRAY) X(SLICE) X(RING) X(COUNTED_RING) X(CHAIN) X(BUCKETS) X(ENTRIES_CHAIN) X(TREE) X(SKIP_LIST) X(PAIRS) X(SALTED) X(SALTED_SET)    \
    X(TWO) X(ENUM_MAP) X(ENUM_SET) X(ONE) X(PAIR) X(COPIES) X(NONE)

typedef enum java_shape {
#define X(name) JAVA_SHAPE_##name,
    JAVA_SHAPES(X)
#undef X
    JAVA_SHAPE_OF,
    JAVA_SHAPE_KEYS,
    JAVA_SHAPE_VALUES,
} java_shape;

typedef struct java_collection {
    const char *name; /* without L and ; */
    java_shape shape;
    java_form form;
    const char *a, *b, *c;
    const char *n; /* the field that has the number of elements; "": none has */
} java_collection;

typedef struct java_walk java_walk;
/* False: enough.  key: NULL, unless the element is shown with one. */
typedef bool java_walk_visitor(java_walk *w, const java_value *key, const java_value *element);

struct java_walk {
    java_printer *printer; /* to read with; to show with if that is what the visitor does */
    java_collection row;
    const java_type *type; /* that has the row: where its fields are, whatever a class below calls its own */
    uint64_t ref;
    java_form form;
    bool keys_only, values_only;
    uint64_t n_skip; /* so many are passed over before the visitor gets one */
    java_walk_visitor *visit;
    void *visitor;
};

/* An array in chunks. */
typedef struct java_array_reader {
    java_walk *w;
    uint64_t ref;
    const java_type *element;
    uint32_t n, first, n_read;
    java_value *chunk;
} java_array_reader;

/* Finds the row of the object's class, through wrappers; false if it is no collection that we know. */
ebb_status java_walk_open(java_walk *w, const java_type *type, uint64_t ref, bool *is_known) EBB_MUST_CHECK;
ebb_status java_walk_all(java_walk *w) EBB_MUST_CHECK;

/* False: enough. */
bool java_walk_give(java_walk *w, const java_value *element);
bool java_walk_give_entry(java_walk *w, const java_value *key, const java_value *value);
/* Gives n elements from `first` on, around the end of the array. */
ebb_status java_walk_give_range(java_walk *w, java_array_reader *reader, uint32_t first, uint32_t n) EBB_MUST_CHECK;

ebb_status java_walk_get(java_walk *w, uint64_t ref, const char *field, java_value *out) EBB_MUST_CHECK;
ebb_status java_walk_get_index(java_walk *w, const char *field, uint32_t *out) EBB_MUST_CHECK; /* of the collection; at least 0 */
/* Of the array in a field; one that is null has no elements. */
ebb_status java_walk_open_array(java_walk *w, uint64_t ref, const char *field, java_array_reader *reader) EBB_MUST_CHECK;
ebb_status java_walk_element(java_array_reader *reader, uint32_t i, java_value *out) EBB_MUST_CHECK;

/* Gives every element, or as many as are wanted. */
typedef ebb_status java_walker(java_walk *w);
#define X(name) java_walker java_walk_##name;
JAVA_SHAPES(X)
#undef X

#endif
