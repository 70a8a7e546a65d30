/* library_look.c - see library_look.h: the insides of GNU's containers. */
#include "expr/library_look.h"

#include <stdlib.h>
#include <string.h>

/* ---- members ---------------------------------------------------------------------------------------- */

/* A member, also of a base: `path` is "a.b.c". */
bool expr_look_member(const expr_looker *l, const expr_value *object, const char *path, expr_value *out)
{
    *out = *object;
    while (*path) {
        sym_member m;
        size_t n = strcspn(path, ".");
        char *name = ebb_arena_strndup(l->arena, path, n);
        sym_type *type = sym_type_strip(out->type);
        if ((type->kind != SYM_TYPE_STRUCT && type->kind != SYM_TYPE_UNION) || !sym_type_find_member(type, name, &m) || m.is_static)
            return false;
        *out = expr_value_part(l->arena, out, m.type, m.offset, m.bit_offset, m.nbits);
        path += n + (path[n] == '.');
    }
    return true;
}

bool expr_look_fetch(const expr_looker *l, expr_value *value)
{
    return expr_value_fetch(l->arena, l->world, value, NULL) == EBB_OK && value->bytes && !value->is_optimized_out && !value->missing;
}

bool expr_look_number(const expr_looker *l, const expr_value *object, const char *path, uint64_t *out)
{
    expr_value value;
    if (!expr_look_member(l, object, path, &value) || !expr_look_fetch(l, &value) || sym_type_size(value.type) > sizeof *out)
        return false;
    *out = 0;
    memcpy(out, value.bytes, sym_type_size(value.type));
    return true;
}

sym_type *expr_template_type(sym_type *type, size_t i)
{
    type = sym_type_strip(type);
    return i < type->n_template_types ? type->template_types[i].type : NULL;
}

sym_type *expr_look_element_type(const expr_looker *l, const expr_value *container, const char *inner)
{
    expr_value value;
    return expr_look_member(l, container, inner, &value) ? expr_template_type(value.type, 1) : NULL;
}

bool expr_look_word(const expr_looker *look, uint64_t addr, uint64_t *word)
{
    return look->world->read(look->world->self, addr, word, sizeof *word, NULL) == EBB_OK;
}

/* ---- elements in a row ------------------------------------------------------------------------------ */

static bool vector_row(const expr_looker *l, const expr_value *v, expr_row *r)
{
    uint64_t first, last, end, nbytes;
    r->type = expr_template_type(v->type, 0);
    nbytes = r->type ? sym_type_size(r->type) : 0;
    if (!nbytes || !expr_look_number(l, v, "_M_impl._M_start", &first) || !expr_look_number(l, v, "_M_impl._M_finish", &last) ||
        !expr_look_number(l, v, "_M_impl._M_end_of_storage", &end) || last < first || end < last)
        return false;
    *r = (expr_row){r->type, first, (last - first) / nbytes, (end - first) / nbytes};
    return true;
}

static bool string_row(const expr_looker *l, const expr_value *s, bool is_view, expr_row *r)
{
    *r = (expr_row){.type = expr_template_type(s->type, 0)};
    return r->type && expr_look_number(l, s, is_view ? "_M_str" : "_M_dataplus._M_p", &r->first) &&
           expr_look_number(l, s, is_view ? "_M_len" : "_M_string_length", &r->count);
}

static bool bits_row(const expr_looker *look, const expr_value *value, expr_row *r)
{
    uint64_t first, last, last_bit, end;
    if (!expr_look_number(look, value, "_M_impl._M_start._M_p", &first) || !expr_look_number(look, value, "_M_impl._M_finish._M_p", &last) ||
        !expr_look_number(look, value, "_M_impl._M_finish._M_offset", &last_bit) || !expr_look_number(look, value, "_M_impl._M_end_of_storage", &end) || last < first)
        return false;
    *r = (expr_row){expr_template_type(value->type, 0), first, (last - first) * 8 + last_bit, end < first ? 0 : (end - first) * 8};
    return r->type != NULL;
}

static bool initializers_row(const expr_looker *look, const expr_value *value, expr_row *r)
{
    *r = (expr_row){.type = expr_template_type(value->type, 0)};
    return r->type && expr_look_number(look, value, "_M_array", &r->first) && expr_look_number(look, value, "_M_len", &r->count);
}

/* All of them; how many is in the name of the type alone. */
static bool bitset_row(const expr_looker *look, const expr_value *value, expr_row *r)
{
    expr_value words;
    const char *name = sym_type_strip(value->type)->name, *number_of = name ? strchr(name, '<') : NULL;
    if (!number_of || !expr_look_member(look, value, "_M_w", &words) || words.place.kind != EXPR_PLACE_MEMORY)
        return false;
    *r = (expr_row){.type = sym_types_basic(look->world->types, "int"), .first = words.place.addr, .count = strtoull(number_of + 1, NULL, 10)};
    return r->count <= sym_type_size(words.type) * 8;
}

bool expr_look_row(const expr_looker *l, const expr_value *object, expr_row *r)
{
    const char *shown;
    switch (expr_library_of(object->type, &shown)) {
    case EXPR_LIBRARY_VECTOR: return vector_row(l, object, r);
    case EXPR_LIBRARY_STRING: return string_row(l, object, false, r);
    case EXPR_LIBRARY_VIEW: return string_row(l, object, true, r);
    case EXPR_LIBRARY_BITS: return bits_row(l, object, r);
    case EXPR_LIBRARY_BITSET: return bitset_row(l, object, r);
    case EXPR_LIBRARY_INITIALIZERS: return initializers_row(l, object, r);
    default: return false;
    }
}

expr_value expr_look_in_row(const expr_row *r, uint64_t i)
{
    return expr_value_at(r->type, r->first + i * sym_type_size(r->type));
}

bool expr_look_bit(const expr_looker *look, const expr_row *r, uint64_t i, bool *is_set)
{
    uint8_t byte = 0;
    bool is_read = look->world->read(look->world->self, r->first + i / 8, &byte, 1, NULL) == EBB_OK;
    *is_set = byte >> i % 8 & 1;
    return is_read;
}

bool expr_look_array(const expr_looker *l, const expr_value *array, expr_value *elements)
{
    return expr_look_member(l, array, "_M_elems", elements);
}

bool expr_look_in_array(const expr_looker *l, const expr_value *array, uint64_t i, expr_value *out)
{
    expr_value elements;
    if (!expr_look_array(l, array, &elements))
        return false;
    sym_type *type = sym_type_strip(elements.type);
    if (type->kind != SYM_TYPE_ARRAY || i >= type->count)
        return false;
    *out = expr_value_part(l->arena, &elements, type->target, i * sym_type_size(type->target), 0, 0);
    return true;
}

/* ---- deques ----------------------------------------------------------------------------------------- */

bool expr_look_blocks(const expr_looker *l, const expr_value *d, expr_blocks *b)
{
    enum { BLOCK_NBYTES = 512 };
    uint64_t last, last_begin, last_node;
    *b = (expr_blocks){.type = expr_template_type(d->type, 0)};
    b->nbytes = b->type ? sym_type_size(b->type) : 0;
    if (!b->nbytes || !expr_look_number(l, d, "_M_impl._M_start._M_cur", &b->first) || !expr_look_number(l, d, "_M_impl._M_start._M_last", &b->first_end) ||
        !expr_look_number(l, d, "_M_impl._M_start._M_node", &b->node) || !expr_look_number(l, d, "_M_impl._M_finish._M_cur", &last) ||
        !expr_look_number(l, d, "_M_impl._M_finish._M_first", &last_begin) || !expr_look_number(l, d, "_M_impl._M_finish._M_node", &last_node))
        return false;
    b->per_block = b->nbytes < BLOCK_NBYTES ? BLOCK_NBYTES / b->nbytes : 1;
    b->count = last_node == b->node ? (last - b->first) / b->nbytes
                                    : (b->first_end - b->first) / b->nbytes + ((last_node - b->node) / 8 - 1) * b->per_block + (last - last_begin) / b->nbytes;
    return last_node >= b->node;
}

bool expr_look_in_block(const expr_looker *l, const expr_blocks *b, uint64_t i, expr_value *out)
{
    uint64_t in_first = (b->first_end - b->first) / b->nbytes, block = 0, addr = b->first + i * b->nbytes;
    if (i >= in_first) {
        uint64_t at = b->node + 8 * (1 + (i - in_first) / b->per_block);
        if (l->world->read(l->world->self, at, &block, sizeof block, NULL) != EBB_OK)
            return false;
        addr = block + (i - in_first) % b->per_block * b->nbytes;
    }
    *out = expr_value_at(b->type, addr);
    return true;
}

/* ---- tuples ----------------------------------------------------------------------------------------- */

/* _Tuple_impl<0, A, B> has _Tuple_impl<1, B> and _Head_base<0, A> for bases. */
bool expr_look_tuple(const expr_looker *look, expr_value *part, expr_value *head)
{
    sym_type *type = sym_type_strip(part->type);
    expr_value next = {0};
    bool has_head = false;
    for (size_t i = 0; i < type->n_members; i++) {
        const sym_member *m = &type->members[i];
        if (!m->is_base || !m->type->name)
            continue;
        expr_value base = expr_value_part(look->arena, part, m->type, m->offset, 0, 0);
        if (strncmp(m->type->name, "std::_Tuple_impl<", 17) == 0)
            next = base;
        else if (strncmp(m->type->name, "std::_Head_base<", 16) == 0)
            has_head = expr_look_member(look, &base, "_M_head_impl", head);
    }
    *part = next;
    return has_head;
}

/* ---- pointers --------------------------------------------------------------------------------------- */

/* It is the first of two in a tuple; the other one deletes. */
bool expr_look_unique(const expr_looker *l, const expr_value *object, expr_value *pointer)
{
    expr_value part;
    if (!expr_look_member(l, object, "_M_t._M_t", &part))
        return false;
    (void)expr_look_tuple(l, &part, pointer); /* the tuple itself has no head */
    return part.type && expr_look_tuple(l, &part, pointer);
}

bool expr_look_pointer(const expr_looker *l, const expr_value *object, expr_value *pointer)
{
    const char *shown;
    switch (expr_library_of(object->type, &shown)) {
    case EXPR_LIBRARY_UNIQUE: return expr_look_unique(l, object, pointer);
    case EXPR_LIBRARY_SHARED: return expr_look_member(l, object, "_M_ptr", pointer);
    case EXPR_LIBRARY_ITERATOR: return expr_look_member(l, object, "_M_current", pointer);
    default: return false;
    }
}

/* ---- trees, tables and lists ------------------------------------------------------------------------ */

/* The nodes of a red-black tree are linked to parent, left and right, after a word for the colour. */
enum { PARENT = 8, LEFT = 16, RIGHT = 24, NODE_NBYTES = 32 };

static bool next_node(const expr_looker *look, uint64_t *node)
{
    uint64_t at, parent;
    if (!expr_look_word(look, *node + RIGHT, &at))
        return false;
    if (at) {
        for (uint64_t left = at; left; at = left ? left : at)
            if (!expr_look_word(look, at + LEFT, &left))
                return false;
        *node = at;
        return true;
    }
    for (at = *node; expr_look_word(look, at + PARENT, &parent); at = parent) {
        uint64_t right;
        if (!expr_look_word(look, parent + RIGHT, &right))
            return false;
        if (right != at) {
            *node = parent;
            return true;
        }
    }
    return false;
}

static uint64_t aligned(uint64_t offset, uint64_t alignment)
{
    return alignment > 8 ? (offset + alignment - 1) & ~(alignment - 1) : offset;
}

bool expr_walk_begin(const expr_looker *look, const expr_value *container, bool is_tree, expr_walk *w)
{
    *w = (expr_walk){.look = look, .is_tree = is_tree, .type = expr_look_element_type(look, container, is_tree ? "_M_t" : "_M_h")};
    return w->type && expr_look_number(look, container, is_tree ? "_M_t._M_impl._M_node_count" : "_M_h._M_element_count", &w->n) &&
           expr_look_number(look, container, is_tree ? "_M_t._M_impl._M_header._M_left" : "_M_h._M_before_begin._M_nxt", &w->node);
}

bool expr_walk_next(expr_walk *w, expr_value *element)
{
    if (w->i >= w->n || !w->node)
        return false;
    *element = expr_value_at(w->type, w->node + (w->is_tree ? aligned(NODE_NBYTES, 8) : 8));
    bool goes_on = ++w->i < w->n && (w->is_tree ? next_node(w->look, &w->node) : expr_look_word(w->look, w->node, &w->node));
    if (!goes_on)
        w->n = w->i;
    return true;
}

bool expr_chain_begin(const expr_looker *look, const expr_value *value, expr_chain *c)
{
    expr_value head;
    bool goes_back = expr_look_member(look, value, "_M_impl._M_node", &head);
    *c = (expr_chain){.type = expr_template_type(value->type, 0), .offset = goes_back ? 16 : 8};
    if (!c->type || !(goes_back || expr_look_member(look, value, "_M_impl._M_head", &head)) || head.place.kind != EXPR_PLACE_MEMORY)
        return false;
    c->end = goes_back ? head.place.addr : 0;
    return expr_look_number(look, &head, "_M_next", &c->node);
}

bool expr_chain_next(const expr_looker *look, expr_chain *c, expr_value *element)
{
    if (c->node == c->end)
        return false;
    *element = expr_value_at(c->type, c->node + c->offset);
    if (!expr_look_word(look, c->node, &c->node))
        c->node = c->end;
    return true;
}

/* ---- what there is one of --------------------------------------------------------------------------- */

bool expr_held_in_optional(const expr_looker *look, const expr_value *value, expr_value *held)
{
    uint64_t is_there;
    *held = (expr_value){0};
    return expr_look_number(look, value, "_M_payload._M_engaged", &is_there) &&
           (!is_there || expr_look_member(look, value, "_M_payload._M_payload._M_value", held));
}

bool expr_held_in_atomic(const expr_looker *look, const expr_value *value, expr_value *held)
{
    static const char *const places[] = {"_M_i", "_M_base._M_i", "_M_b._M_p", "_M_fp"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (expr_look_member(look, value, places[i], held))
            return true;
    return false;
}

/* What a std::any holds, its manager's class is made for: "std::any::_Manager_internal<int>::_S_manage(...)". */
static sym_type *type_in_any(const expr_looker *look, uint64_t manager, bool *is_inside)
{
    ebb_buf name = {0};
    sym_type *of = NULL;
    if (look->world->symbolise(look->world->self, manager, false, &name)) {
        const char *text = ebb_buf_text(&name), *begin = strstr(text, "std::any::_Manager_"), *end = begin ? strstr(begin, "::_S_manage(") : NULL;
        char *class_name = end ? ebb_asprintf("%.*s", (int)(end - begin), begin) : NULL;
        *is_inside = begin && strncmp(begin, "std::any::_Manager_internal<", strlen("std::any::_Manager_internal<")) == 0;
        sym_type *class = class_name ? look->world->find_type(look->world->self, SYM_TYPE_STRUCT, class_name) : NULL;
        of = class ? expr_template_type(class, 0) : NULL;
        free(class_name);
    }
    ebb_buf_fini(&name);
    return of;
}

bool expr_held_in_any(const expr_looker *look, const expr_value *value, expr_value *held)
{
    uint64_t manager, pointer;
    bool is_inside = false;
    expr_value storage;
    *held = (expr_value){0};
    if (!expr_look_number(look, value, "_M_manager", &manager) || !expr_look_member(look, value, "_M_storage", &storage) || !expr_look_number(look, value, "_M_storage._M_ptr", &pointer))
        return false;
    sym_type *type = manager ? type_in_any(look, manager, &is_inside) : NULL;
    if (type)
        *held = is_inside ? expr_value_part(look->arena, &storage, type, 0, 0, 0) : expr_value_at(type, pointer);
    return type || !manager;
}

bool expr_next_alternative(const expr_looker *look, expr_value *rest, expr_value *alternative)
{
    expr_value first;
    if (!rest->type || !expr_look_member(look, rest, "_M_first", &first) || !expr_template_type(first.type, 0))
        return false;
    *alternative = expr_value_part(look->arena, &first, expr_template_type(first.type, 0), 0, 0, 0);
    if (!expr_look_member(look, rest, "_M_rest", rest))
        rest->type = NULL;
    return true;
}

/* Without a type: it is empty, which its index tells by being all ones. */
bool expr_held_in_variant(const expr_looker *look, const expr_value *value, expr_value *held, uint64_t *index)
{
    expr_value rest, alternative;
    *held = (expr_value){0};
    if (!expr_look_member(look, value, "_M_u", &rest) || !expr_look_number(look, value, "_M_index", index))
        return false;
    for (uint64_t i = 0; expr_next_alternative(look, &rest, &alternative); i++)
        if (i == *index)
            *held = alternative;
    return true;
}

/* What a node of a tree, a list or a table holds lies after its links.  Without a type: the iterator stands at none. */
bool expr_held_at_node(const expr_looker *look, const expr_value *value, expr_value *held, const char **of)
{
    static const struct {
        const char *part, *node, *of;
        uint64_t offset;
    } kinds[] = {{"_Rb_tree", "_M_node", "associative container", NODE_NBYTES}, {"::_List_", "_M_node", "std::list", 16},
                 {"_Deque", "_M_cur", "std::deque", 0}, {"", "_M_cur", "std::unordered_map", 8}};
    uint64_t node;
    size_t i = 0;
    sym_type *type = expr_template_type(value->type, 0);
    while (!strstr(sym_type_strip(value->type)->name, kinds[i].part))
        i++;
    *of = kinds[i].of;
    if (!type || !expr_look_number(look, value, kinds[i].node, &node))
        return false;
    *held = node ? expr_value_at(type, node + kinds[i].offset) : (expr_value){0};
    return true;
}

/* ---- paths of files ------------------------------------------------------------------------------ */

bool expr_look_path(const expr_looker *look, const expr_value *path, uint64_t *names)
{
    expr_value owner, pointer;
    *names = 0;
    if (!expr_look_member(look, path, "_M_cmpts._M_impl", &owner) || !expr_look_unique(look, &owner, &pointer) || !expr_look_fetch(look, &pointer))
        return false;
    memcpy(names, pointer.bytes, sizeof *names);
    return true;
}

/* They lie in a row, after how many they are and how many there is room for. */
bool expr_look_path_parts(const expr_looker *look, uint64_t names, expr_row *r)
{
    int32_t counts[2] = {0};
    *r = (expr_row){.type = look->world->find_type(look->world->self, SYM_TYPE_STRUCT, "std::filesystem::__cxx11::path::_Cmpt"), .first = names + sizeof counts};
    bool has_parts = names && (names & EXPR_PATH_KIND_BITS) == EXPR_PATH_OF_NAMES;
    if (!r->type || (has_parts && look->world->read(look->world->self, names, counts, sizeof counts, NULL) != EBB_OK))
        return false;
    r->count = counts[0] > 0 ? (uint64_t)counts[0] : 0;
    return true;
}
