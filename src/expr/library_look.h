/* library_look.h - the insides of the containers of C++'s library (GNU's, libstdc++): what library.h is made of.
 *
 * A function that answers false has found the object not as it should be, or could not read it; its result says nothing then.  Nothing is cached: an
 * object is read again whenever it is asked for. */
#ifndef EBB_EXPR_LIBRARY_LOOK_H
#define EBB_EXPR_LIBRARY_LOOK_H

#include "expr/library.h"

/* One who reads objects, for the printer and for the evaluator. */
typedef struct expr_looker {
    ebb_arena *arena;
    const expr_world *world;
} expr_looker;

/* A member, also of a base: `path` is "a.b.c". */
bool expr_look_member(const expr_looker *l, const expr_value *object, const char *path, expr_value *out);
bool expr_look_number(const expr_looker *l, const expr_value *object, const char *path, uint64_t *out);
bool expr_look_fetch(const expr_looker *l, expr_value *value);
bool expr_look_word(const expr_looker *l, uint64_t addr, uint64_t *word);

sym_type *expr_template_type(sym_type *type, size_t i); /* NULL: it has no such argument */
/* What the tree or table inside of a container has for its elements. */
sym_type *expr_look_element_type(const expr_looker *l, const expr_value *container, const char *inner);

/* ---- elements in a row: of strings, vectors, lists of initializers; of a vector of bool and of a bitset each has a bit, whatever their type ---- */

typedef struct expr_row {
    sym_type *type;
    uint64_t first, count, capacity;
} expr_row;
bool expr_look_row(const expr_looker *l, const expr_value *object, expr_row *r);
expr_value expr_look_in_row(const expr_row *r, uint64_t i);
bool expr_look_bit(const expr_looker *l, const expr_row *r, uint64_t i, bool *is_set);

/* A std::array. */
bool expr_look_array(const expr_looker *l, const expr_value *array, expr_value *elements);
bool expr_look_in_array(const expr_looker *l, const expr_value *array, uint64_t i, expr_value *out);

/* A deque: blocks of equal size, whose addresses are in a row of their own. */
typedef struct expr_blocks {
    sym_type *type;
    uint64_t nbytes, per_block; /* of an element; how many are in a block */
    uint64_t first, first_end;  /* the first element, and the end of its block */
    uint64_t node;              /* where the address of that block is */
    uint64_t count;
} expr_blocks;
bool expr_look_blocks(const expr_looker *l, const expr_value *deque, expr_blocks *b);
bool expr_look_in_block(const expr_looker *l, const expr_blocks *b, uint64_t i, expr_value *out);

/* What a path is made of; which kind of name it is stands in the lowest bits of a pointer that leads to its parts if it is none. */
enum { EXPR_PATH_OF_NAMES, EXPR_PATH_ROOT_NAME, EXPR_PATH_ROOT_DIRECTORY, EXPR_PATH_KIND_BITS = 3 };
bool expr_look_path(const expr_looker *l, const expr_value *path, uint64_t *names); /* that pointer */
bool expr_look_path_parts(const expr_looker *l, uint64_t names, expr_row *r);

/* ---- elements that lead to each other ---- */

/* The elements of a tree or a table, one after the other. */
typedef struct expr_walk {
    const expr_looker *look;
    sym_type *type;
    bool is_tree;
    uint64_t node, n, i; /* the next one's; how many there are, and how many were seen */
} expr_walk;
bool expr_walk_begin(const expr_looker *l, const expr_value *container, bool is_tree, expr_walk *w);
bool expr_walk_next(expr_walk *w, expr_value *element); /* false: there are no more */

/* A list's nodes have two links, and the last one leads back to its head; those of a forward one have one, which ends in none. */
typedef struct expr_chain {
    sym_type *type;
    uint64_t node, end; /* the next one's, and what is there instead of one at the end */
    uint64_t offset;    /* of the element in its node */
} expr_chain;
bool expr_chain_begin(const expr_looker *l, const expr_value *list, expr_chain *c);
bool expr_chain_next(const expr_looker *l, expr_chain *c, expr_value *element);

/* _Tuple_impl<0, A, B> has _Tuple_impl<1, B> and _Head_base<0, A> for bases: gives the head, and leaves the rest in *part, without a type at the end. */
bool expr_look_tuple(const expr_looker *l, expr_value *part, expr_value *head);

/* ---- the only one ---- */

/* The pointer of a smart pointer or of an iterator; of a std::unique_ptr in particular. */
bool expr_look_pointer(const expr_looker *l, const expr_value *object, expr_value *pointer);
bool expr_look_unique(const expr_looker *l, const expr_value *object, expr_value *pointer);

/* What it holds.  Without a type: it is empty. */
bool expr_held_in_optional(const expr_looker *l, const expr_value *object, expr_value *held);
bool expr_held_in_atomic(const expr_looker *l, const expr_value *object, expr_value *held);
bool expr_held_in_any(const expr_looker *l, const expr_value *object, expr_value *held);
bool expr_held_in_variant(const expr_looker *l, const expr_value *object, expr_value *held, uint64_t *index);
/* An iterator that stands at a node; *of is what it goes through. */
bool expr_held_at_node(const expr_looker *l, const expr_value *iterator, expr_value *held, const char **of);

/* The types that a variant may hold are those of a chain of unions, _M_u: _M_first, and the others in _M_rest.  False: there are no more. */
bool expr_next_alternative(const expr_looker *l, expr_value *rest, expr_value *alternative);

#endif
