/* java_pieces.c - what a collection of Java's library holds, piece by piece, and the functions by which expressions name a piece. */
#include "expr/java_collection.h"

#include <inttypes.h>
#include <string.h>

/* ---- looking ------------------------------------------------------------------------------------------ */

static java_printer reader_of(java_ev *ev)
{
    java_printer printer = {.ev = *ev};
    printer.ev.is_pure = true;
    return printer;
}

/* False: it is no collection; an entry of a map is an object with two fields that matter. */
static bool open_value(java_walk *w, const java_value *value)
{
    java_ev *ev = &w->printer->ev;
    bool is_known = false;
    if (!value->type || !java_is_reference(java_letter(ev, value->type)) || !value->ref || value->text)
        return false;
    const java_type *type = java_dynamic_type(ev, value);
    if (java_letter(ev, type) == '[' || java_is_string(ev, type))
        return false;
    return java_walk_open(w, type, value->ref, &is_known) == EBB_OK && is_known && w->form != JAVA_ENTRY;
}

typedef struct counting {
    uint64_t n, at_most;
    bool is_cut;
} counting;

static bool count(java_walk *w, const java_value *key, const java_value *element)
{
    (void)key, (void)element;
    counting *c = w->visitor;
    c->is_cut = c->n == c->at_most;
    c->n += !c->is_cut;
    return !c->is_cut;
}

/* As the collection itself counts them; a LinkedBlockingQueue's number is an AtomicInteger. */
static bool told_number(java_walk *w, uint64_t *n)
{
    java_value value;
    if (!*w->row.n || java_walk_get(w, w->ref, w->row.n, &value) != EBB_OK)
        return false;
    if (java_is_reference(java_letter(&w->printer->ev, value.type)) && java_walk_get(w, value.ref, "value", &value) != EBB_OK)
        return false;
    *n = value.i < 0 ? 0 : (uint64_t)value.i;
    return true;
}

/* Those that pass by unseen are counted by what is left to skip. */
static bool count_unseen(java_walk *w, uint64_t *n)
{
    w->n_skip = UINT64_MAX;
    if (java_walk_all(w) != EBB_OK)
        return false;
    *n = UINT64_MAX - w->n_skip;
    return true;
}

/* A few are counted: in the middle of an insertion the collection's own number is not that of its elements yet. */
bool expr_java_pieces(ebb_arena *arena, const java_world *world, const java_value *value, bool *has_keys, uint64_t *n)
{
    enum { FEW = 256 };
    java_ev ev = {.arena = arena, .world = world};
    java_printer printer = reader_of(&ev);
    counting c = {.at_most = FEW};
    java_walk w = {.printer = &printer, .visit = count, .visitor = &c};
    if (!open_value(&w, value) || java_walk_all(&w) != EBB_OK)
        return false;
    *has_keys = w.form != JAVA_LIST;
    *n = c.n;
    return !c.is_cut || told_number(&w, n) || count_unseen(&w, n);
}

typedef struct paging {
    uint64_t i, n;
    expr_java_piece_fn *each;
    void *self;
} paging;

static bool hand_over(java_walk *w, const java_value *key, const java_value *element)
{
    paging *p = w->visitor;
    java_piece piece = {.i = p->i++, .has_key = key != NULL, .value = *element};
    if (key)
        piece.key = *key;
    p->each(p->self, &piece);
    return --p->n > 0;
}

ebb_status expr_java_each_piece(ebb_arena *arena, const java_world *world, const java_value *value, const java_page *page, ebb_error *err)
{
    java_ev ev = {.arena = arena, .world = world, .err = err};
    java_printer printer = reader_of(&ev);
    paging p = {page->first, page->n, page->each, page->self};
    java_walk w = {.printer = &printer, .n_skip = page->first, .visit = hand_over, .visitor = &p};
    if (!open_value(&w, value))
        return ebb_fail(err, EBB_BAD_INPUT, "It is no collection.");
    return page->n ? java_walk_all(&w) : EBB_OK;
}

/* ---- functions of expressions -------------------------------------------------------------------------- */

typedef struct wanted {
    bool is_key, is_found;
    java_value value;
} wanted;

static void take(void *self, const java_piece *piece)
{
    wanted *w = self;
    w->is_found = !w->is_key || piece->has_key;
    w->value = w->is_key ? piece->key : piece->value;
}

static ebb_status find_piece(java_ev *ev, const java_value *collection, uint64_t i, wanted *w, java_value *out)
{
    java_page page = {.first = i, .n = 1, .each = take, .self = w};
    EBB_TRY(expr_java_each_piece(ev->arena, ev->world, collection, &page, ev->err));
    if (!w->is_found)
        return ebb_fail(ev->err, EBB_NOT_FOUND, "It has no %s %" PRIu64 ".", w->is_key ? "key" : "element", i);
    *out = w->value;
    return EBB_OK;
}

/* $_element(collection, i), $_key(map, i): in the order in which print shows them. */
ebb_status java_eval_function(java_ev *ev, const expr_node *node, java_value *out)
{
    const char *name = node->left->name;
    wanted w = {.is_key = strcmp(name, "_key") == 0};
    java_value collection, number;
    if (!w.is_key && strcmp(name, "_element") != 0)
        return ebb_fail(ev->err, EBB_NOT_FOUND, "Java expressions have no function $%.100s.", name);
    if (node->n_args != 2)
        return ebb_fail(ev->err, EBB_BAD_INPUT, "$%s takes a collection and a number.", name);
    EBB_TRY(java_eval(ev, node->args[0], &collection));
    EBB_TRY(java_eval(ev, node->args[1], &number));
    EBB_TRY(java_unbox(ev, &number, &number));
    *out = (java_value){.type = java_type_of(ev, "Ljava/lang/Object;")};
    if (ev->types_only)
        return EBB_OK;
    if (!java_is_integral(java_letter(ev, number.type)) || number.i < 0)
        return ebb_fail(ev->err, EBB_BAD_INPUT, "$%s takes a collection and a number that is at least 0.", name);
    return find_piece(ev, &collection, (uint64_t)number.i, &w, out);
}
