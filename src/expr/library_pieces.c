/* library_pieces.c - see library.h: what an object of the library holds, piece by piece. */
#include "expr/library_look.h"

enum { MAX_COUNTED = 1 << 20 };

/* One goes through what an object holds from its beginning, in the way that the row of its kind names. */
typedef struct pieces pieces;
typedef struct way {
    bool (*begin)(pieces *p);                                               /* sets n; false: the object is not as it should be */
    bool (*next)(pieces *p, uint64_t i, expr_value *out);                   /* the i-th */
    sym_type *(*type)(const expr_looker *l, const expr_value *object);      /* that can be told without a look at the object, or NULL */
    bool is_walked;                                                         /* one after the other; else all are at hand */
} way;

typedef struct kind_row {
    const way *way;
    expr_pieces form;
} kind_row;

struct pieces {
    const expr_looker *look;
    const kind_row *row_of_kind;
    expr_value object;
    uint64_t i, n; /* the next one; how many there are */
    expr_row row;
    expr_blocks blocks;
    expr_walk walk;
    expr_chain chain;
    expr_value rest; /* of a tuple, or what there is only one of */
};

static const kind_row kinds[];

static const kind_row *kind_of(const expr_value *object)
{
    const char *shown;
    return &kinds[expr_library_of(object->type, &shown)];
}

static bool begin_pieces(const expr_looker *l, const expr_value *object, pieces *p)
{
    *p = (pieces){.look = l, .row_of_kind = kind_of(object), .object = *object};
    return p->row_of_kind->way->begin(p);
}

static sym_type *type_argument(const expr_looker *l, const expr_value *object)
{
    (void)l;
    return expr_template_type(object->type, 0);
}

static sym_type *type_unknown(const expr_looker *l, const expr_value *object)
{
    (void)l, (void)object;
    return NULL;
}

/* ---- none ---------------------------------------------------------------------------------------- */

static bool begin_none(pieces *p)
{
    (void)p;
    return false;
}

static bool next_of_none(pieces *p, uint64_t i, expr_value *out)
{
    (void)p, (void)i, (void)out;
    return false;
}

static const way way_none = {begin_none, next_of_none, type_unknown, false};

/* ---- elements in a row --------------------------------------------------------------------------- */

/* An object that nobody has made yet may be anything: elements that can't be read are none. */
static bool can_be_read(const expr_looker *l, const expr_row *r)
{
    uint64_t last;
    uint8_t byte;
    return r->count == 0 || (!__builtin_mul_overflow(r->count - 1, sym_type_size(r->type), &last) && l->world->read(l->world->self, r->first, &byte, 1, NULL) == EBB_OK &&
                             l->world->read(l->world->self, r->first + last, &byte, 1, NULL) == EBB_OK);
}

static bool begin_text(pieces *p)
{
    return expr_look_row(p->look, &p->object, &p->row) && can_be_read(p->look, &p->row);
}

static bool begin_row(pieces *p)
{
    return begin_text(p) && (p->n = p->row.count, true);
}

static bool next_in_row(pieces *p, uint64_t i, expr_value *out)
{
    *out = expr_look_in_row(&p->row, i);
    return true;
}

static bool begin_bits(pieces *p)
{
    return expr_look_row(p->look, &p->object, &p->row) && (p->n = p->row.count, true);
}

static bool next_bit(pieces *p, uint64_t i, expr_value *out)
{
    bool is_set;
    if (!expr_look_bit(p->look, &p->row, i, &is_set))
        return false;
    *out = expr_value_of_u64(p->look->arena, p->row.type, is_set);
    return true;
}

static sym_type *type_int(const expr_looker *l, const expr_value *object)
{
    (void)object;
    return sym_types_basic(l->world->types, "int");
}

static bool begin_path(pieces *p)
{
    uint64_t names;
    return expr_look_path(p->look, &p->object, &names) && expr_look_path_parts(p->look, names, &p->row) && can_be_read(p->look, &p->row) &&
           (p->n = p->row.count, true);
}

static bool next_in_path(pieces *p, uint64_t i, expr_value *out)
{
    expr_value part = expr_look_in_row(&p->row, i);
    return expr_look_member(p->look, &part, "_M_pathname", out);
}

static sym_type *type_of_name(const expr_looker *l, const expr_value *object)
{
    expr_value name;
    return expr_look_member(l, object, "_M_pathname", &name) ? name.type : NULL;
}

static bool begin_array(pieces *p)
{
    expr_value elements;
    return expr_look_array(p->look, &p->object, &elements) && (p->n = sym_type_strip(elements.type)->count, true);
}

static bool next_in_array(pieces *p, uint64_t i, expr_value *out)
{
    return expr_look_in_array(p->look, &p->object, i, out);
}

static bool begin_blocks(pieces *p)
{
    return expr_look_blocks(p->look, &p->object, &p->blocks) && (p->n = p->blocks.count, true);
}

static bool next_in_blocks(pieces *p, uint64_t i, expr_value *out)
{
    return expr_look_in_block(p->look, &p->blocks, i, out);
}

static const way way_text = {begin_text, next_of_none, type_argument, false};
static const way way_row = {begin_row, next_in_row, type_argument, false};
static const way way_bits = {begin_bits, next_bit, type_argument, false};
static const way way_bitset = {begin_bits, next_bit, type_int, false};
static const way way_path = {begin_path, next_in_path, type_of_name, false};
static const way way_array = {begin_array, next_in_array, type_argument, false};
static const way way_blocks = {begin_blocks, next_in_blocks, type_argument, false};

/* ---- elements that lead to each other ------------------------------------------------------------ */

static bool begin_tree(pieces *p)
{
    return expr_walk_begin(p->look, &p->object, true, &p->walk) && (p->n = p->walk.n, true);
}

static bool begin_table(pieces *p)
{
    return expr_walk_begin(p->look, &p->object, false, &p->walk) && (p->n = p->walk.n, true);
}

static bool next_walked(pieces *p, uint64_t i, expr_value *out)
{
    (void)i;
    return expr_walk_next(&p->walk, out);
}

static sym_type *type_in_tree(const expr_looker *l, const expr_value *object)
{
    return expr_look_element_type(l, object, "_M_t");
}

static sym_type *type_in_table(const expr_looker *l, const expr_value *object)
{
    return expr_look_element_type(l, object, "_M_h");
}

/* A forward list doesn't know how many it has. */
static bool begin_chain(pieces *p)
{
    expr_value element;
    if (!expr_chain_begin(p->look, &p->object, &p->chain))
        return false;
    for (expr_chain c = p->chain; p->n < MAX_COUNTED && expr_chain_next(p->look, &c, &element);)
        p->n++;
    return true;
}

static bool next_in_chain(pieces *p, uint64_t i, expr_value *out)
{
    (void)i;
    return expr_chain_next(p->look, &p->chain, out);
}

static bool begin_tuple(pieces *p)
{
    expr_value head, rest;
    p->rest = p->object;
    (void)expr_look_tuple(p->look, &p->rest, &head); /* the tuple itself has no head */
    for (rest = p->rest; rest.type && expr_look_tuple(p->look, &rest, &head);)
        p->n++;
    return true;
}

static bool next_in_tuple(pieces *p, uint64_t i, expr_value *out)
{
    (void)i;
    return expr_look_tuple(p->look, &p->rest, out);
}

static const way way_tree = {begin_tree, next_walked, type_in_tree, true};
static const way way_table = {begin_table, next_walked, type_in_table, true};
static const way way_chain = {begin_chain, next_in_chain, type_argument, true};
static const way way_tuple = {begin_tuple, next_in_tuple, type_unknown, true};

/* ---- a container with other words ---------------------------------------------------------------- */

static bool begin_inner(pieces *p)
{
    expr_value inner;
    return expr_look_member(p->look, &p->object, "c", &inner) && begin_pieces(p->look, &inner, p);
}

static sym_type *type_inner(const expr_looker *l, const expr_value *object)
{
    expr_value inner;
    return expr_look_member(l, object, "c", &inner) ? kind_of(&inner)->way->type(l, &inner) : NULL;
}

static const way way_inner = {begin_inner, next_of_none, type_inner, false}; /* from there on the other container's way is gone */

/* ---- the only one -------------------------------------------------------------------------------- */

static bool is_held(pieces *p, bool is_known)
{
    p->n = is_known && p->rest.type;
    return is_known;
}

static bool begin_pointer(pieces *p)
{
    return is_held(p, expr_look_pointer(p->look, &p->object, &p->rest));
}

static bool begin_optional(pieces *p)
{
    return is_held(p, expr_held_in_optional(p->look, &p->object, &p->rest));
}

static bool begin_any(pieces *p)
{
    return is_held(p, expr_held_in_any(p->look, &p->object, &p->rest));
}

static bool begin_variant(pieces *p)
{
    uint64_t index;
    return is_held(p, expr_held_in_variant(p->look, &p->object, &p->rest, &index));
}

static bool begin_atomic(pieces *p)
{
    return is_held(p, expr_held_in_atomic(p->look, &p->object, &p->rest));
}

static bool begin_iterator(pieces *p)
{
    expr_ev ev = {.arena = p->look->arena, .world = p->look->world};
    uint64_t addr;
    bool is_known = expr_look_number(p->look, &p->object, "_M_current", &addr) && (!addr || expr_library_pointee(&ev, &p->object, &p->rest));
    return is_held(p, is_known);
}

static bool begin_node(pieces *p)
{
    const char *of;
    return is_held(p, expr_held_at_node(p->look, &p->object, &p->rest, &of));
}

static bool next_held(pieces *p, uint64_t i, expr_value *out)
{
    (void)i;
    *out = p->rest;
    return true;
}

static sym_type *type_pointer(const expr_looker *l, const expr_value *object)
{
    expr_value pointer;
    return expr_look_pointer(l, object, &pointer) ? pointer.type : NULL;
}

static sym_type *type_target(const expr_looker *l, const expr_value *object)
{
    sym_type *pointer = type_pointer(l, object);
    return pointer ? sym_type_strip(pointer)->target : NULL;
}

static const way way_pointer = {begin_pointer, next_held, type_pointer, false};
static const way way_optional = {begin_optional, next_held, type_argument, false};
static const way way_any = {begin_any, next_held, type_unknown, false};
static const way way_variant = {begin_variant, next_held, type_unknown, false};
static const way way_atomic = {begin_atomic, next_held, type_argument, false};
static const way way_iterator = {begin_iterator, next_held, type_target, false};
static const way way_node = {begin_node, next_held, type_argument, false};

/* ---- all of them --------------------------------------------------------------------------------- */

static const kind_row kinds[] = {
    [EXPR_LIBRARY_NONE] = {&way_none, EXPR_PIECES_ONE},
#define EXPR_LIBRARY_KIND(kind, way, form, print) [EXPR_LIBRARY_##kind] = {&way_##way, EXPR_PIECES_##form},
#define EXPR_LIBRARY_CLASS(kind, name, shown)
#include "expr/library.def"
#undef EXPR_LIBRARY_CLASS
#undef EXPR_LIBRARY_KIND
};

static bool next_piece(pieces *p, expr_value *out)
{
    uint64_t i = p->i++;
    return i < p->n && p->row_of_kind->way->next(p, i, out);
}

/* Those that are at hand are at once where they are wanted; the others are gone through. */
static bool skip_pieces(pieces *p, uint64_t n)
{
    expr_value ignored;
    if (!p->row_of_kind->way->is_walked)
        p->i = n;
    while (p->i < n)
        if (!next_piece(p, &ignored))
            return false;
    return true;
}

/* What has an index in another container has only a number in its adapter. */
static expr_pieces form_of(const pieces *p, const expr_value *object)
{
    expr_pieces form = p->row_of_kind->form;
    return form == EXPR_PIECES_INDEXED && kind_of(object) != p->row_of_kind ? EXPR_PIECES_NUMBERED : form;
}

bool expr_library_pieces(expr_ev *ev, const expr_value *object, expr_pieces *form, uint64_t *n)
{
    const expr_looker l = {ev->arena, ev->world};
    pieces p;
    if (!begin_pieces(&l, object, &p))
        return false;
    *form = form_of(&p, object);
    *n = p.n;
    return true;
}

void expr_library_each_piece(expr_ev *ev, const expr_value *object, uint64_t first, uint64_t n, expr_piece_fn *each, void *self)
{
    const expr_looker l = {ev->arena, ev->world};
    pieces p;
    expr_piece piece = {0};
    if (!begin_pieces(&l, object, &p) || !skip_pieces(&p, first))
        return;
    bool is_keyed = form_of(&p, object) == EXPR_PIECES_KEYED;
    for (uint64_t i = 0; i < n && next_piece(&p, &piece.value); i++) {
        expr_value pair = piece.value;
        piece.i = first + i;
        if (!is_keyed || (expr_look_member(&l, &pair, "first", &piece.key) && expr_look_member(&l, &pair, "second", &piece.value)))
            each(self, &piece);
    }
}

ebb_status expr_library_piece(expr_ev *ev, const expr_value *object, uint64_t i, expr_value *out)
{
    const expr_looker l = {ev->arena, ev->world};
    pieces p;
    if (ev->types_only) {
        sym_type *type = kind_of(object)->way->type(&l, object);
        if (!type)
            return ebb_fail(ev->err, EBB_UNAVAILABLE, "The type of its elements is told by the object alone.");
        *out = expr_value_at(type, 0);
        return EBB_OK;
    }
    if (!begin_pieces(&l, object, &p))
        return ebb_fail(ev->err, EBB_BAD_INPUT, "It is none of the library's containers.");
    if (i >= p.n || !skip_pieces(&p, i) || !next_piece(&p, out))
        return ebb_fail(ev->err, EBB_NOT_FOUND, "It has %llu element%s.", (unsigned long long)p.n, p.n == 1 ? "" : "s");
    return EBB_OK;
}
