/* library.c - see library.h: getting at what an object holds. */
#include "expr/library.h"
#include "symbols/short_names.h"

#include <string.h>

typedef struct class_row {
    expr_library kind;
    const char *name, *shown;
} class_row;

static const class_row classes[] = {
#define EXPR_LIBRARY_KIND(kind)
#define EXPR_LIBRARY_CLASS(kind, name, shown) {EXPR_LIBRARY_##kind, name, shown},
#include "expr/library.def"
#undef EXPR_LIBRARY_CLASS
#undef EXPR_LIBRARY_KIND
};

/* Whether the class is no template. */
static bool is_plain_class(expr_library kind)
{
    return kind == EXPR_LIBRARY_ANY || kind == EXPR_LIBRARY_FILE_PATH;
}

expr_library expr_library_of(sym_type *type, const char **shown)
{
    type = sym_type_strip(type);
    if (type->kind != SYM_TYPE_STRUCT || !type->is_cplus || !type->name || !strstr(type->name, "::"))
        return EXPR_LIBRARY_NONE;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        size_t n = strlen(classes[i].name);
        if (strncmp(type->name, classes[i].name, n) != 0 || (type->name[n] != '<' && classes[i].name[n - 1] != ',' && (type->name[n] || !is_plain_class(classes[i].kind))))
            continue;
        *shown = classes[i].shown;
        return classes[i].kind;
    }
    return EXPR_LIBRARY_NONE;
}

/* ---- members ---------------------------------------------------------------------------------- */

/* One who reads objects, for the printer and for the evaluator. */
typedef struct looker {
    ebb_arena *arena;
    const expr_world *world;
} looker;

/* A member, also of a base: `path` is "a.b.c". */
static bool member(const looker *l, const expr_value *object, const char *path, expr_value *out)
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

static bool fetch(const looker *l, expr_value *value)
{
    return expr_value_fetch(l->arena, l->world, value, NULL) == EBB_OK && value->bytes && !value->is_optimized_out && !value->missing;
}

static bool number(const looker *l, const expr_value *object, const char *path, uint64_t *out)
{
    expr_value value;
    if (!member(l, object, path, &value) || !fetch(l, &value) || sym_type_size(value.type) > sizeof *out)
        return false;
    *out = 0;
    memcpy(out, value.bytes, sym_type_size(value.type));
    return true;
}

static sym_type *template_type(sym_type *type, size_t i)
{
    type = sym_type_strip(type);
    return i < type->n_template_types ? type->template_types[i].type : NULL;
}

/* What the tree or table inside of a container has for its elements. */
static sym_type *element_type(const looker *l, const expr_value *container, const char *inner)
{
    expr_value value;
    return member(l, container, inner, &value) ? template_type(value.type, 1) : NULL;
}

/* ---- elements in a row ------------------------------------------------------------------------ */

typedef struct row {
    sym_type *type;
    uint64_t first, count, capacity;
} row;

static bool vector_row(const looker *l, const expr_value *v, row *r)
{
    uint64_t first, last, end, nbytes;
    r->type = template_type(v->type, 0);
    nbytes = r->type ? sym_type_size(r->type) : 0;
    if (!nbytes || !number(l, v, "_M_impl._M_start", &first) || !number(l, v, "_M_impl._M_finish", &last) ||
        !number(l, v, "_M_impl._M_end_of_storage", &end) || last < first || end < last)
        return false;
    *r = (row){r->type, first, (last - first) / nbytes, (end - first) / nbytes};
    return true;
}

static bool string_row(const looker *l, const expr_value *s, bool is_view, row *r)
{
    *r = (row){.type = template_type(s->type, 0)};
    return r->type && number(l, s, is_view ? "_M_str" : "_M_dataplus._M_p", &r->first) &&
           number(l, s, is_view ? "_M_len" : "_M_string_length", &r->count);
}

static bool row_of(const looker *l, const expr_value *object, row *r)
{
    const char *shown;
    switch (expr_library_of(object->type, &shown)) {
    case EXPR_LIBRARY_VECTOR: return vector_row(l, object, r);
    case EXPR_LIBRARY_STRING: return string_row(l, object, false, r);
    case EXPR_LIBRARY_VIEW: return string_row(l, object, true, r);
    default: return false;
    }
}

/* ---- deques ----------------------------------------------------------------------------------- */

/* Blocks of equal size, whose addresses are in a row of their own. */
typedef struct blocks {
    sym_type *type;
    uint64_t nbytes, per_block; /* of an element; how many are in a block */
    uint64_t first, first_end;  /* the first element, and the end of its block */
    uint64_t node;              /* where the address of that block is */
    uint64_t count;
} blocks;

static bool deque_blocks(const looker *l, const expr_value *d, blocks *b)
{
    enum { BLOCK_NBYTES = 512 };
    uint64_t last, last_begin, last_node;
    *b = (blocks){.type = template_type(d->type, 0)};
    b->nbytes = b->type ? sym_type_size(b->type) : 0;
    if (!b->nbytes || !number(l, d, "_M_impl._M_start._M_cur", &b->first) || !number(l, d, "_M_impl._M_start._M_last", &b->first_end) ||
        !number(l, d, "_M_impl._M_start._M_node", &b->node) || !number(l, d, "_M_impl._M_finish._M_cur", &last) ||
        !number(l, d, "_M_impl._M_finish._M_first", &last_begin) || !number(l, d, "_M_impl._M_finish._M_node", &last_node))
        return false;
    b->per_block = b->nbytes < BLOCK_NBYTES ? BLOCK_NBYTES / b->nbytes : 1;
    b->count = last_node == b->node ? (last - b->first) / b->nbytes
                                    : (b->first_end - b->first) / b->nbytes + ((last_node - b->node) / 8 - 1) * b->per_block + (last - last_begin) / b->nbytes;
    return last_node >= b->node;
}

static bool deque_element(const looker *l, const blocks *b, uint64_t i, expr_value *out)
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

bool expr_library_element(expr_ev *ev, const expr_value *container, uint64_t i, expr_value *out)
{
    const looker l = {ev->arena, ev->world};
    const char *shown;
    row r;
    expr_value elements;
    if (ev->types_only && expr_library_of(container->type, &shown) && template_type(container->type, 0)) {
        *out = expr_value_at(template_type(container->type, 0), 0);
        return expr_library_of(container->type, &shown) <= EXPR_LIBRARY_VECTOR || expr_library_of(container->type, &shown) == EXPR_LIBRARY_ARRAY || expr_library_of(container->type, &shown) == EXPR_LIBRARY_DEQUE;
    }
    if (expr_library_of(container->type, &shown) == EXPR_LIBRARY_ARRAY && member(&l, container, "_M_elems", &elements)) {
        sym_type *type = sym_type_strip(elements.type);
        if (type->kind != SYM_TYPE_ARRAY || i >= type->count)
            return false;
        *out = expr_value_part(ev->arena, &elements, type->target, i * sym_type_size(type->target), 0, 0);
        return true;
    }
    blocks b;
    if (expr_library_of(container->type, &shown) == EXPR_LIBRARY_DEQUE)
        return deque_blocks(&l, container, &b) && deque_element(&l, &b, i, out);
    if (!row_of(&l, container, &r))
        return false;
    *out = expr_value_at(r.type, r.first + i * sym_type_size(r.type));
    return true;
}

/* ---- tuples ----------------------------------------------------------------------------------- */

/* _Tuple_impl<0, A, B> has _Tuple_impl<1, B> and _Head_base<0, A> for bases. */
static bool next_tuple_part(const looker *look, expr_value *part, expr_value *head)
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
            has_head = member(look, &base, "_M_head_impl", head);
    }
    *part = next;
    return has_head;
}

/* ---- pointers --------------------------------------------------------------------------------- */

/* It is the first of two in a tuple; the other one deletes. */
static bool unique_pointer(const looker *l, const expr_value *object, expr_value *pointer)
{
    expr_value part;
    if (!member(l, object, "_M_t._M_t", &part))
        return false;
    (void)next_tuple_part(l, &part, pointer); /* the tuple itself has no head */
    return part.type && next_tuple_part(l, &part, pointer);
}

static bool pointer_in(const looker *l, const expr_value *object, expr_value *pointer)
{
    const char *shown;
    switch (expr_library_of(object->type, &shown)) {
    case EXPR_LIBRARY_UNIQUE: return unique_pointer(l, object, pointer);
    case EXPR_LIBRARY_SHARED: return member(l, object, "_M_ptr", pointer);
    case EXPR_LIBRARY_ITERATOR: return member(l, object, "_M_current", pointer);
    default: return false;
    }
}

bool expr_library_pointee(expr_ev *ev, const expr_value *object, expr_value *out)
{
    const looker l = {ev->arena, ev->world};
    const char *shown;
    expr_value pointer;
    if (expr_library_of(object->type, &shown) == EXPR_LIBRARY_OPTIONAL) {
        uint64_t is_there = 1;
        return (ev->types_only || number(&l, object, "_M_payload._M_engaged", &is_there)) && is_there &&
               member(&l, object, "_M_payload._M_payload._M_value", out);
    }
    return pointer_in(&l, object, &pointer) && expr_ev_deref(ev, &pointer, out) == EBB_OK;
}

/* ---- shown ------------------------------------------------------------------------------------ */

/* What has been shown of the elements of a container. */
typedef struct list {
    expr_printer *printer;
    unsigned depth;
    uint64_t n;
    bool is_over; /* the limit is reached */
} list;

static uint64_t limit_of(const expr_printer *printer)
{
    return printer->format->elements_limit ? printer->format->elements_limit : UINT64_MAX;
}

static void new_line(expr_printer *printer, unsigned depth)
{
    ebb_buf_addf(printer->out, "\n%*s", (int)(2 * depth), "");
}

/* Elements without a name of theirs stay on one line. */
static bool begin_element(list *l, bool is_named)
{
    if (l->is_over || l->n >= limit_of(l->printer)) {
        l->is_over = true;
        return false;
    }
    bool is_pretty = l->printer->format->pretty && is_named;
    ebb_buf_adds(l->printer->out, l->n++ == 0 ? "" : is_pretty ? "," : ", ");
    if (is_pretty)
        new_line(l->printer, l->depth + 1);
    return true;
}

static void end_list(list *l, bool is_named)
{
    if (l->is_over)
        ebb_buf_adds(l->printer->out, "...");
    if (l->printer->format->pretty && is_named)
        new_line(l->printer, l->depth);
    ebb_buf_addc(l->printer->out, '}');
}

/* In a frame's line there is no room for elements. */
static bool begin_list(expr_printer *printer, uint64_t n)
{
    if (n == 0)
        return false;
    ebb_buf_adds(printer->out, printer->is_summary ? " = {...}" : " = {");
    return !printer->is_summary;
}

static void print_inner(list *l, expr_value *value)
{
    expr_printer inner = *l->printer;
    inner.is_summary = false;
    (void)!expr_print_value(&inner, value, l->depth + 1);
}

static void print_numbered(list *l, expr_value *value)
{
    uint64_t number = l->n;
    if (!begin_element(l, true))
        return;
    ebb_buf_addf(l->printer->out, "[%lu] = ", (unsigned long)number);
    print_inner(l, value);
}

/* ["key"] = value, of a pair. */
static void print_entry(const looker *look, list *l, expr_value *pair)
{
    expr_value key, value;
    if (!member(look, pair, "first", &key) || !member(look, pair, "second", &value) || !begin_element(l, true))
        return;
    ebb_buf_addc(l->printer->out, '[');
    print_inner(l, &key);
    ebb_buf_adds(l->printer->out, "] = ");
    print_inner(l, &value);
}

static void print_count(expr_printer *printer, const char *shown, uint64_t n)
{
    ebb_buf_addf(printer->out, "%s with %lu element%s", shown, (unsigned long)n, n == 1 ? "" : "s");
}

/* ---- kinds ------------------------------------------------------------------------------------ */

static bool print_string(expr_printer *printer, const looker *look, const expr_value *value, bool is_view)
{
    row r;
    if (!string_row(look, value, is_view, &r))
        return false;
    uint64_t limit = limit_of(printer), n = r.count < limit ? r.count : limit;
    size_t unit = sym_type_size(r.type);
    if (!expr_text_prefix(r.type, 0) || n > 1 << 20)
        return false;
    uint8_t *bytes = ebb_arena_alloc(printer->arena, (size_t)(n * unit + unit));
    memset(bytes, 0, (size_t)(n * unit + unit)); /* with a NUL at the end, which is not shown */
    if (n && look->world->read(look->world->self, r.first, bytes, (size_t)(n * unit), NULL) != EBB_OK)
        return false;
    expr_print_text(printer, r.type, bytes, (size_t)(r.count > n ? n : n + 1), r.count > n);
    return true;
}

static bool print_vector(expr_printer *printer, const looker *look, const expr_value *value, unsigned depth)
{
    row r;
    list l = {.printer = printer, .depth = depth};
    if (!vector_row(look, value, &r))
        return false;
    ebb_buf_addf(printer->out, "std::vector of length %lu, capacity %lu", (unsigned long)r.count, (unsigned long)r.capacity);
    if (!begin_list(printer, r.count))
        return true;
    for (uint64_t i = 0; i < r.count && begin_element(&l, false); i++) {
        expr_value element = expr_value_at(r.type, r.first + i * sym_type_size(r.type));
        print_inner(&l, &element);
    }
    end_list(&l, false);
    return true;
}

/* Of a vector of bits; its type is bool, of which each has a bit. */
static bool bits_row(const looker *look, const expr_value *value, row *r)
{
    uint64_t first, last, last_bit, end;
    if (!number(look, value, "_M_impl._M_start._M_p", &first) || !number(look, value, "_M_impl._M_finish._M_p", &last) ||
        !number(look, value, "_M_impl._M_finish._M_offset", &last_bit) || !number(look, value, "_M_impl._M_end_of_storage", &end) || last < first)
        return false;
    *r = (row){template_type(value->type, 0), first, (last - first) * 8 + last_bit, end < first ? 0 : (end - first) * 8};
    return r->type != NULL;
}

static bool read_bit(const looker *look, const row *r, uint64_t i, bool *is_set)
{
    uint8_t byte = 0;
    bool is_read = look->world->read(look->world->self, r->first + i / 8, &byte, 1, NULL) == EBB_OK;
    *is_set = byte >> i % 8 & 1;
    return is_read;
}

static bool print_bits(expr_printer *printer, const looker *look, const expr_value *value, const char *shown, unsigned depth)
{
    row r;
    list l = {.printer = printer, .depth = depth};
    if (!bits_row(look, value, &r))
        return false;
    ebb_buf_addf(printer->out, "%s of length %lu, capacity %lu", shown, (unsigned long)r.count, (unsigned long)r.capacity);
    if (!begin_list(printer, r.count))
        return true;
    for (uint64_t i = 0; i < r.count && begin_element(&l, false); i++) {
        bool is_set;
        bool is_read = read_bit(look, &r, i, &is_set);
        ebb_buf_adds(printer->out, !is_read ? "<error>" : is_set ? "true" : "false");
    }
    end_list(&l, false);
    return true;
}

/* All of them; how many is in the name of the type alone. */
static bool bitset_row(const looker *look, const expr_value *value, row *r)
{
    expr_value words;
    const char *name = sym_type_strip(value->type)->name, *number_of = name ? strchr(name, '<') : NULL;
    if (!number_of || !member(look, value, "_M_w", &words) || words.place.kind != EXPR_PLACE_MEMORY)
        return false;
    *r = (row){.type = sym_types_basic(look->world->types, "int"), .first = words.place.addr, .count = strtoull(number_of + 1, NULL, 10)};
    return r->count <= sym_type_size(words.type) * 8;
}

/* Only those that are set. */
static bool print_bitset(expr_printer *printer, const looker *look, const expr_value *value, const char *shown, unsigned depth)
{
    expr_value words;
    list l = {.printer = printer, .depth = depth};
    if (!member(look, value, "_M_w", &words) || !fetch(look, &words))
        return false;
    uint64_t n = sym_type_size(words.type) * 8, n_set = 0;
    for (uint64_t i = 0; i < n; i++)
        n_set += words.bytes[i / 8] >> i % 8 & 1;
    ebb_buf_adds(printer->out, shown);
    if (!begin_list(printer, n_set))
        return true;
    for (uint64_t i = 0; i < n; i++)
        if ((words.bytes[i / 8] >> i % 8 & 1) && begin_element(&l, true))
            ebb_buf_addf(printer->out, "[%lu] = 1", (unsigned long)i);
    end_list(&l, true);
    return true;
}

static bool read_word(const looker *look, uint64_t addr, uint64_t *word)
{
    return look->world->read(look->world->self, addr, word, sizeof *word, NULL) == EBB_OK;
}

/* The nodes of a red-black tree are linked to parent, left and right, after a word for the colour. */
enum { PARENT = 8, LEFT = 16, RIGHT = 24, NODE_NBYTES = 32 };

static bool next_node(const looker *look, uint64_t *node)
{
    uint64_t at, parent;
    if (!read_word(look, *node + RIGHT, &at))
        return false;
    if (at) {
        for (uint64_t left = at; left; at = left ? left : at)
            if (!read_word(look, at + LEFT, &left))
                return false;
        *node = at;
        return true;
    }
    for (at = *node; read_word(look, at + PARENT, &parent); at = parent) {
        uint64_t right;
        if (!read_word(look, parent + RIGHT, &right))
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

/* The elements of a tree or a table, one after the other. */
typedef struct walk {
    const looker *look;
    sym_type *type;
    bool is_tree;
    uint64_t node, n, i; /* the next one's; how many there are, and how many were seen */
} walk;

static bool begin_walk(const looker *look, const expr_value *container, bool is_tree, walk *w)
{
    *w = (walk){.look = look, .is_tree = is_tree, .type = element_type(look, container, is_tree ? "_M_t" : "_M_h")};
    return w->type && number(look, container, is_tree ? "_M_t._M_impl._M_node_count" : "_M_h._M_element_count", &w->n) &&
           number(look, container, is_tree ? "_M_t._M_impl._M_header._M_left" : "_M_h._M_before_begin._M_nxt", &w->node);
}

static bool next_element(walk *w, expr_value *element)
{
    if (w->i >= w->n || !w->node)
        return false;
    *element = expr_value_at(w->type, w->node + (w->is_tree ? aligned(NODE_NBYTES, 8) : 8));
    bool goes_on = ++w->i < w->n && (w->is_tree ? next_node(w->look, &w->node) : read_word(w->look, w->node, &w->node));
    if (!goes_on)
        w->n = w->i;
    return true;
}

static bool print_walked(list *l, walk *w, const char *shown, bool is_map)
{
    expr_value element;
    print_count(l->printer, shown, w->n);
    if (!begin_list(l->printer, w->n))
        return true;
    while (!l->is_over && next_element(w, &element)) {
        if (is_map)
            print_entry(w->look, l, &element);
        else
            print_numbered(l, &element);
    }
    end_list(l, true);
    return true;
}

static bool print_tree(expr_printer *printer, const looker *look, const expr_value *value, const char *shown, bool is_map, unsigned depth)
{
    walk w;
    list l = {.printer = printer, .depth = depth};
    return begin_walk(look, value, true, &w) && print_walked(&l, &w, shown, is_map);
}

static bool print_hash(expr_printer *printer, const looker *look, const expr_value *value, const char *shown, bool is_map, unsigned depth)
{
    walk w;
    list l = {.printer = printer, .depth = depth};
    return begin_walk(look, value, false, &w) && print_walked(&l, &w, shown, is_map);
}

/* A list's nodes have two links, and the last one leads back to its head; those of a forward one have one, which ends in none. */
typedef struct chain {
    sym_type *type;
    uint64_t node, end; /* the next one's, and what is there instead of one at the end */
    uint64_t offset;    /* of the element in its node */
} chain;

static bool begin_chain(const looker *look, const expr_value *value, chain *c)
{
    expr_value head;
    bool goes_back = member(look, value, "_M_impl._M_node", &head);
    *c = (chain){.type = template_type(value->type, 0), .offset = goes_back ? 16 : 8};
    if (!c->type || !(goes_back || member(look, value, "_M_impl._M_head", &head)) || head.place.kind != EXPR_PLACE_MEMORY)
        return false;
    c->end = goes_back ? head.place.addr : 0;
    return number(look, &head, "_M_next", &c->node);
}

static bool next_in_chain(const looker *look, chain *c, expr_value *element)
{
    if (c->node == c->end)
        return false;
    *element = expr_value_at(c->type, c->node + c->offset);
    if (!read_word(look, c->node, &c->node))
        c->node = c->end;
    return true;
}

static bool print_linked(expr_printer *printer, const looker *look, const expr_value *value, const char *shown, unsigned depth)
{
    chain c;
    expr_value element;
    list l = {.printer = printer, .depth = depth};
    if (!begin_chain(look, value, &c))
        return false;
    if (c.node == c.end) {
        ebb_buf_addf(printer->out, "empty %s", shown);
        return true;
    }
    ebb_buf_adds(printer->out, shown);
    if (!begin_list(printer, 1))
        return true;
    while (!l.is_over && next_in_chain(look, &c, &element))
        print_numbered(&l, &element);
    end_list(&l, true);
    return true;
}

/* As people write it. */
static void print_type_or_string(expr_printer *printer, sym_type *type)
{
    static const char text[] = "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >";
    sym_type *bare = sym_type_strip(type);
    if (bare->kind == SYM_TYPE_STRUCT && bare->name && strcmp(bare->name, text) == 0)
        ebb_buf_adds(printer->out, "std::string");
    else
        expr_print_type(printer, type);
}

/* As people write it; libstdc++'s own printers do so where something is held, and not where it is pointed to. */
static void print_short_type(expr_printer *printer, sym_type *type)
{
    ebb_buf full = {0};
    expr_printer aside = *printer;
    aside.out = &full;
    expr_print_type(&aside, type);
    sym_short_names(ebb_buf_text(&full), printer->out);
    ebb_buf_fini(&full);
}

/* The name with what it was made for: "std::unique_ptr<shop::Item>". */
static void print_name_for(expr_printer *printer, const char *shown, sym_type *type)
{
    ebb_buf_addf(printer->out, "%s<", shown);
    print_type_or_string(printer, type);
    ebb_buf_addc(printer->out, '>');
}

static bool held_in_atomic(const looker *look, const expr_value *value, expr_value *held)
{
    static const char *const places[] = {"_M_i", "_M_base._M_i", "_M_b._M_p", "_M_fp"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (member(look, value, places[i], held))
            return true;
    return false;
}

static bool print_atomic(expr_printer *printer, const looker *look, const expr_value *value, const char *shown, unsigned depth)
{
    sym_type *type = template_type(value->type, 0);
    expr_value held;
    if (!type || !held_in_atomic(look, value, &held))
        return false;
    print_name_for(printer, shown, type);
    ebb_buf_adds(printer->out, " = { ");
    bool is_printed = expr_print_value(printer, &held, depth + 1) == EBB_OK;
    ebb_buf_adds(printer->out, " }");
    return is_printed;
}

static bool print_pointer_object(expr_printer *printer, const looker *look, const expr_value *value, const char *shown, unsigned depth)
{
    expr_value pointer;
    const char *ignored;
    uint64_t counts, used = 0, weak = 0;
    sym_type *type = template_type(value->type, 0);
    if (!type || !pointer_in(look, value, &pointer) || !fetch(look, &pointer))
        return false;
    print_name_for(printer, shown, type);
    if (expr_library_of(value->type, &ignored) == EXPR_LIBRARY_SHARED) {
        expr_value object;
        expr_ev ev = {.arena = look->arena, .world = look->world};
        bool has_counts = number(look, value, "_M_refcount._M_pi", &counts) && counts && member(look, value, "_M_refcount._M_pi", &object) &&
                          expr_ev_deref(&ev, &object, &object) == EBB_OK && number(look, &object, "_M_use_count", &used) &&
                          number(look, &object, "_M_weak_count", &weak);
        if (has_counts && used)
            ebb_buf_addf(printer->out, " (use count %d, weak count %d)", (int)used, (int)weak - 1);
        else if (has_counts)
            ebb_buf_addf(printer->out, " (expired, weak count %d)", (int)weak);
        else
            ebb_buf_adds(printer->out, " (empty)");
    }
    if (!begin_list(printer, 1))
        return true;
    list l = {.printer = printer, .depth = depth};
    begin_element(&l, true);
    ebb_buf_adds(printer->out, "get() = ");
    print_inner(&l, &pointer);
    end_list(&l, true);
    return true;
}

/* What a container holds that is a container itself is shown as that. */
static bool has_elements(sym_type *type)
{
    const char *shown;
    switch (expr_library_of(type, &shown)) {
    case EXPR_LIBRARY_NONE:
    case EXPR_LIBRARY_STRING:
    case EXPR_LIBRARY_VIEW:
    case EXPR_LIBRARY_PAIR:
    case EXPR_LIBRARY_ARRAY:
    case EXPR_LIBRARY_ITERATOR:
    case EXPR_LIBRARY_NODE_ITERATOR: return false;
    default: return true;
    }
}

static bool print_containing(expr_printer *printer, expr_value *held, unsigned depth)
{
    if (!has_elements(held->type))
        return false;
    ebb_buf_adds(printer->out, " containing ");
    (void)!expr_print_value(printer, held, depth);
    return true;
}

static void print_contained(expr_printer *printer, expr_value *held, unsigned depth)
{
    list l = {.printer = printer, .depth = depth};
    if (!begin_list(printer, 1))
        return;
    begin_element(&l, true);
    ebb_buf_adds(printer->out, "[contained value] = ");
    print_inner(&l, held);
    end_list(&l, true);
}

static bool print_optional(expr_printer *printer, const looker *look, const expr_value *value, const char *shown, unsigned depth)
{
    expr_value held;
    uint64_t is_there;
    sym_type *type = template_type(value->type, 0);
    if (!type || !number(look, value, "_M_payload._M_engaged", &is_there) || !member(look, value, "_M_payload._M_payload._M_value", &held))
        return false;
    ebb_buf_addf(printer->out, "%s<", shown);
    print_short_type(printer, type);
    ebb_buf_addc(printer->out, '>');
    if (!is_there) {
        ebb_buf_adds(printer->out, " [no contained value]");
        return true;
    }
    if (!print_containing(printer, &held, depth))
        print_contained(printer, &held, depth);
    return true;
}

/* What a std::any holds, its manager's class is made for: "std::any::_Manager_internal<int>::_S_manage(...)". */
static sym_type *type_in_any(const looker *look, uint64_t manager, bool *is_inside)
{
    ebb_buf name = {0};
    sym_type *of = NULL;
    if (look->world->symbolise(look->world->self, manager, false, &name)) {
        const char *text = ebb_buf_text(&name), *begin = strstr(text, "std::any::_Manager_"), *end = begin ? strstr(begin, "::_S_manage(") : NULL;
        char *class_name = end ? ebb_asprintf("%.*s", (int)(end - begin), begin) : NULL;
        *is_inside = begin && strncmp(begin, "std::any::_Manager_internal<", strlen("std::any::_Manager_internal<")) == 0;
        sym_type *class = class_name ? look->world->find_type(look->world->self, SYM_TYPE_STRUCT, class_name) : NULL;
        of = class ? template_type(class, 0) : NULL;
        free(class_name);
    }
    ebb_buf_fini(&name);
    return of;
}

/* Without a type: it is empty.  False: it isn't known what it holds. */
static bool held_in_any(const looker *look, const expr_value *value, expr_value *held)
{
    uint64_t manager, pointer;
    bool is_inside = false;
    expr_value storage;
    *held = (expr_value){0};
    if (!number(look, value, "_M_manager", &manager) || !member(look, value, "_M_storage", &storage) || !number(look, value, "_M_storage._M_ptr", &pointer))
        return false;
    sym_type *type = manager ? type_in_any(look, manager, &is_inside) : NULL;
    if (type)
        *held = is_inside ? expr_value_part(look->arena, &storage, type, 0, 0, 0) : expr_value_at(type, pointer);
    return type || !manager;
}

static bool print_any(expr_printer *printer, const looker *look, const expr_value *value, const char *shown, unsigned depth)
{
    expr_value held;
    if (!held_in_any(look, value, &held))
        return false;
    ebb_buf_adds(printer->out, shown);
    if (!held.type) {
        ebb_buf_adds(printer->out, " [no contained value]");
        return true;
    }
    if (print_containing(printer, &held, depth))
        return true;
    ebb_buf_adds(printer->out, " containing ");
    print_short_type(printer, held.type);
    print_contained(printer, &held, depth);
    return true;
}

static bool print_tuple(expr_printer *printer, const looker *look, const expr_value *value, const char *shown, unsigned depth)
{
    list l = {.printer = printer, .depth = depth};
    expr_value part = *value, head;
    (void)next_tuple_part(look, &part, &head); /* the tuple itself has no head */
    if (!part.type) {
        ebb_buf_addf(printer->out, "empty %s", shown);
        return true;
    }
    ebb_buf_addf(printer->out, "%s containing", shown);
    if (!begin_list(printer, 1))
        return true;
    while (part.type && next_tuple_part(look, &part, &head) && begin_element(&l, true)) {
        ebb_buf_addf(printer->out, "[%lu] = ", (unsigned long)l.n);
        print_inner(&l, &head);
    }
    end_list(&l, true);
    return true;
}

static bool print_deque(expr_printer *printer, const looker *look, const expr_value *value, const char *shown, unsigned depth)
{
    blocks b;
    expr_value element;
    list l = {.printer = printer, .depth = depth};
    if (!deque_blocks(look, value, &b))
        return false;
    print_count(printer, shown, b.count);
    if (!begin_list(printer, b.count))
        return true;
    for (uint64_t i = 0; i < b.count && deque_element(look, &b, i, &element) && begin_element(&l, false); i++)
        print_inner(&l, &element);
    end_list(&l, false);
    return true;
}

/* A stack or queue is a container with other words. */
static bool print_adapter(expr_printer *printer, const looker *look, const expr_value *value, const char *shown, unsigned depth)
{
    expr_value inner;
    if (!member(look, value, "c", &inner))
        return false;
    ebb_buf_addf(printer->out, "%s wrapping: ", shown);
    return expr_print_value(printer, &inner, depth) == EBB_OK;
}

static bool initializers_row(const looker *look, const expr_value *value, row *r)
{
    *r = (row){.type = template_type(value->type, 0)};
    return r->type && number(look, value, "_M_array", &r->first) && number(look, value, "_M_len", &r->count);
}

static bool print_initializers(expr_printer *printer, const looker *look, const expr_value *value, const char *shown, unsigned depth)
{
    row r;
    list l = {.printer = printer, .depth = depth};
    if (!initializers_row(look, value, &r))
        return false;
    ebb_buf_addf(printer->out, "%s of length %lu", shown, (unsigned long)r.count);
    if (!begin_list(printer, r.count))
        return true;
    for (uint64_t i = 0; i < r.count && begin_element(&l, false); i++) {
        expr_value element = expr_value_at(r.type, r.first + i * sym_type_size(r.type));
        print_inner(&l, &element);
    }
    end_list(&l, false);
    return true;
}

/* The types that it may hold are those of a chain of unions: _M_first, and the others in _M_rest.  False: there are no more. */
static bool next_alternative(const looker *look, expr_value *rest, expr_value *alternative)
{
    expr_value first;
    if (!rest->type || !member(look, rest, "_M_first", &first) || !template_type(first.type, 0))
        return false;
    *alternative = expr_value_part(look->arena, &first, template_type(first.type, 0), 0, 0, 0);
    if (!member(look, rest, "_M_rest", rest))
        rest->type = NULL;
    return true;
}

/* Without a type: it is empty, which its index tells by being all ones. */
static bool held_in_variant(const looker *look, const expr_value *value, expr_value *held, uint64_t *index)
{
    expr_value rest, alternative;
    *held = (expr_value){0};
    if (!member(look, value, "_M_u", &rest) || !number(look, value, "_M_index", index))
        return false;
    for (uint64_t i = 0; next_alternative(look, &rest, &alternative); i++)
        if (i == *index)
            *held = alternative;
    return true;
}

static void print_alternatives(expr_printer *printer, const looker *look, const expr_value *value)
{
    expr_value rest, alternative;
    if (!member(look, value, "_M_u", &rest))
        return;
    for (uint64_t i = 0; next_alternative(look, &rest, &alternative); i++) {
        ebb_buf_adds(printer->out, i ? ", " : "");
        print_short_type(printer, alternative.type);
    }
}

static bool print_variant(expr_printer *printer, const looker *look, const expr_value *value, const char *shown, unsigned depth)
{
    expr_value held;
    uint64_t index;
    list l = {.printer = printer, .depth = depth};
    if (!held_in_variant(look, value, &held, &index))
        return false;
    ebb_buf_addf(printer->out, "%s<", shown);
    print_alternatives(printer, look, value);
    ebb_buf_addc(printer->out, '>');
    if (!held.type) {
        ebb_buf_adds(printer->out, " [no contained value]");
        return true;
    }
    ebb_buf_addf(printer->out, " [index %lu]", (unsigned long)index);
    if (print_containing(printer, &held, depth) || !begin_list(printer, 1))
        return true;
    begin_element(&l, false);
    print_inner(&l, &held);
    end_list(&l, false);
    return true;
}

/* The names that a path is made of; what kind of name it is stands in the lowest bits of a pointer that leads to them if it is none. */
enum { PATH_OF_NAMES, PATH_ROOT_NAME, PATH_ROOT_DIRECTORY, PATH_KIND_BITS = 3 };

static const char *path_kind_words(uint64_t pointer)
{
    uint64_t kind = pointer & PATH_KIND_BITS;
    return kind == PATH_ROOT_NAME ? "root-name" : kind == PATH_ROOT_DIRECTORY ? "root-directory" : NULL;
}

static bool path_names(const looker *look, const expr_value *path, uint64_t *names)
{
    expr_value owner, pointer;
    *names = 0;
    if (!member(look, path, "_M_cmpts._M_impl", &owner) || !unique_pointer(look, &owner, &pointer) || !fetch(look, &pointer))
        return false;
    memcpy(names, pointer.bytes, sizeof *names);
    return true;
}

/* In the letter of a format there is nothing to show of names. */
static void print_path_text(list *l, expr_value *text)
{
    expr_format format = *l->printer->format;
    expr_printer natural = *l->printer;
    format.letter = 0;
    natural.format = &format;
    list inner = {.printer = &natural, .depth = l->depth};
    print_inner(&inner, text);
}

static void print_path_part(const looker *look, list *l, const expr_value *part)
{
    expr_value text;
    uint64_t names, number = l->n;
    if (!path_names(look, part, &names) || !member(look, part, "_M_pathname", &text) || !begin_element(l, true))
        return;
    if (path_kind_words(names))
        ebb_buf_addf(l->printer->out, "[%s] = ", path_kind_words(names));
    else
        ebb_buf_addf(l->printer->out, "[%lu] = ", (unsigned long)number);
    print_path_text(l, &text);
}

/* The parts lie in a row, after how many they are and how many there is room for. */
static bool path_row(const looker *look, uint64_t names, row *r)
{
    int32_t counts[2] = {0};
    *r = (row){.type = look->world->find_type(look->world->self, SYM_TYPE_STRUCT, "std::filesystem::__cxx11::path::_Cmpt"), .first = names + sizeof counts};
    bool has_parts = names && (names & PATH_KIND_BITS) == PATH_OF_NAMES;
    if (!r->type || (has_parts && look->world->read(look->world->self, names, counts, sizeof counts, NULL) != EBB_OK))
        return false;
    r->count = counts[0] > 0 ? (uint64_t)counts[0] : 0;
    return true;
}

static bool print_path(expr_printer *printer, const looker *look, const expr_value *value, const char *shown, unsigned depth)
{
    uint64_t names;
    expr_value text;
    row parts;
    list l = {.printer = printer, .depth = depth};
    if (!path_names(look, value, &names) || !member(look, value, "_M_pathname", &text) || !path_row(look, names, &parts))
        return false;
    ebb_buf_addf(printer->out, "%s ", shown);
    print_path_text(&l, &text);
    if (path_kind_words(names))
        ebb_buf_addf(printer->out, " [%s]", path_kind_words(names));
    if (parts.count == 0 || !begin_list(printer, parts.count))
        return true;
    for (uint64_t i = 0; i < parts.count && !l.is_over; i++) {
        expr_value one = expr_value_at(parts.type, parts.first + i * sym_type_size(parts.type));
        print_path_part(look, &l, &one);
    }
    end_list(&l, true);
    return true;
}

/* What a node of a tree, a list or a table holds lies after its links.  Without a type: the iterator stands at none. */
static bool held_at_node(const looker *look, const expr_value *value, expr_value *held, const char **of)
{
    static const struct {
        const char *part, *node, *of;
        uint64_t offset;
    } kinds[] = {{"_Rb_tree", "_M_node", "associative container", NODE_NBYTES}, {"::_List_", "_M_node", "std::list", 16},
                 {"_Deque", "_M_cur", "std::deque", 0}, {"", "_M_cur", "std::unordered_map", 8}};
    uint64_t node;
    size_t i = 0;
    sym_type *type = template_type(value->type, 0);
    while (!strstr(sym_type_strip(value->type)->name, kinds[i].part))
        i++;
    *of = kinds[i].of;
    if (!type || !number(look, value, kinds[i].node, &node))
        return false;
    *held = node ? expr_value_at(type, node + kinds[i].offset) : (expr_value){0};
    return true;
}

static bool print_node_iterator(expr_printer *printer, const looker *look, const expr_value *value, unsigned depth)
{
    const char *of;
    expr_value held;
    if (!held_at_node(look, value, &held, &of))
        return false;
    if (!held.type) {
        ebb_buf_addf(printer->out, "non-dereferenceable iterator for %s", of);
        return true;
    }
    return expr_print_value(printer, &held, depth) == EBB_OK;
}

/* An iterator is what it stands at. */
static bool print_iterator(expr_printer *printer, const looker *look, const expr_value *value, unsigned depth)
{
    expr_value pointer;
    uint64_t addr;
    if (!number(look, value, "_M_current", &addr) || !pointer_in(look, value, &pointer) || !sym_type_strip(pointer.type)->target)
        return false;
    if (!addr) {
        ebb_buf_adds(printer->out, "non-dereferenceable iterator for std::vector");
        return true;
    }
    expr_value target = expr_value_at(sym_type_strip(pointer.type)->target, addr);
    return expr_print_value(printer, &target, depth) == EBB_OK;
}

bool expr_print_library(expr_printer *printer, expr_value *value, unsigned depth)
{
    const looker look = {printer->arena, printer->world};
    const char *shown;
    char letter = printer->format->letter;
    expr_library kind = expr_library_of(value->type, &shown);
    if ((letter && letter != 's' && (kind == EXPR_LIBRARY_STRING || kind == EXPR_LIBRARY_VIEW)) || letter == 'r')
        return false;
    switch (kind) {
    case EXPR_LIBRARY_STRING: return print_string(printer, &look, value, false);
    case EXPR_LIBRARY_VIEW: return print_string(printer, &look, value, true);
    case EXPR_LIBRARY_VECTOR: return print_vector(printer, &look, value, depth);
    case EXPR_LIBRARY_BITS: return print_bits(printer, &look, value, shown, depth);
    case EXPR_LIBRARY_MAP: return print_tree(printer, &look, value, shown, true, depth);
    case EXPR_LIBRARY_SET: return print_tree(printer, &look, value, shown, false, depth);
    case EXPR_LIBRARY_HASH_MAP: return print_hash(printer, &look, value, shown, true, depth);
    case EXPR_LIBRARY_HASH_SET: return print_hash(printer, &look, value, shown, false, depth);
    case EXPR_LIBRARY_UNIQUE:
    case EXPR_LIBRARY_SHARED: return print_pointer_object(printer, &look, value, shown, depth);
    case EXPR_LIBRARY_OPTIONAL: return print_optional(printer, &look, value, shown, depth);
    case EXPR_LIBRARY_ANY: return print_any(printer, &look, value, shown, depth);
    case EXPR_LIBRARY_TUPLE: return print_tuple(printer, &look, value, shown, depth);
    case EXPR_LIBRARY_LIST:
    case EXPR_LIBRARY_FORWARD_LIST: return print_linked(printer, &look, value, shown, depth);
    case EXPR_LIBRARY_ATOMIC: return print_atomic(printer, &look, value, shown, depth);
    case EXPR_LIBRARY_ITERATOR: return print_iterator(printer, &look, value, depth);
    case EXPR_LIBRARY_NODE_ITERATOR: return print_node_iterator(printer, &look, value, depth);
    case EXPR_LIBRARY_DEQUE: return print_deque(printer, &look, value, shown, depth);
    case EXPR_LIBRARY_ADAPTER: return print_adapter(printer, &look, value, shown, depth);
    case EXPR_LIBRARY_INITIALIZERS: return print_initializers(printer, &look, value, shown, depth);
    case EXPR_LIBRARY_VARIANT: return print_variant(printer, &look, value, shown, depth);
    case EXPR_LIBRARY_BITSET: return print_bitset(printer, &look, value, shown, depth);
    case EXPR_LIBRARY_FILE_PATH: return print_path(printer, &look, value, shown, depth);
    case EXPR_LIBRARY_PAIR:
    case EXPR_LIBRARY_ARRAY:
    case EXPR_LIBRARY_NONE: return false;
    }
    return false;
}

/* ---- asked by name ------------------------------------------------------------------------------ */

static bool list_count(const looker *l, const expr_value *object, uint64_t *count)
{
    return number(l, object, "_M_impl._M_node._M_size._M_storage", count) || number(l, object, "_M_impl._M_node._M_size", count);
}

bool expr_library_count(expr_ev *ev, const expr_value *object, uint64_t *count)
{
    const looker l = {ev->arena, ev->world};
    const char *shown;
    row r;
    blocks b;
    expr_value elements;
    switch (expr_library_of(object->type, &shown)) {
    case EXPR_LIBRARY_STRING:
    case EXPR_LIBRARY_VIEW:
    case EXPR_LIBRARY_VECTOR: return row_of(&l, object, &r) && (*count = r.count, true);
    case EXPR_LIBRARY_DEQUE: return deque_blocks(&l, object, &b) && (*count = b.count, true);
    case EXPR_LIBRARY_MAP:
    case EXPR_LIBRARY_SET: return number(&l, object, "_M_t._M_impl._M_node_count", count);
    case EXPR_LIBRARY_HASH_MAP:
    case EXPR_LIBRARY_HASH_SET: return number(&l, object, "_M_h._M_element_count", count);
    case EXPR_LIBRARY_LIST: return list_count(&l, object, count);
    case EXPR_LIBRARY_ARRAY: return member(&l, object, "_M_elems", &elements) && (*count = sym_type_strip(elements.type)->count, true);
    case EXPR_LIBRARY_ADAPTER: return member(&l, object, "c", &elements) && expr_library_count(ev, &elements, count);
    default: return false;
    }
}

bool expr_library_find(expr_ev *ev, const expr_value *container, expr_library_is_key *is_key, void *self, expr_value *value)
{
    const looker l = {ev->arena, ev->world};
    const char *shown;
    walk w;
    expr_value pair, key;
    expr_library kind = expr_library_of(container->type, &shown);
    bool is_tree = kind == EXPR_LIBRARY_MAP;
    if (!is_tree && kind != EXPR_LIBRARY_HASH_MAP)
        return false;
    if (ev->types_only)
        return template_type(container->type, 1) && (*value = expr_value_at(template_type(container->type, 1), 0), true);
    if (!begin_walk(&l, container, is_tree, &w))
        return false;
    while (next_element(&w, &pair))
        if (member(&l, &pair, "first", &key) && is_key(self, &key))
            return member(&l, &pair, "second", value);
    return false;
}

bool expr_library_pointer(expr_ev *ev, const expr_value *object, expr_value *pointer)
{
    const looker l = {ev->arena, ev->world};
    const char *shown;
    return expr_library_of(object->type, &shown) != EXPR_LIBRARY_ITERATOR && pointer_in(&l, object, pointer);
}

bool expr_library_text(expr_ev *ev, const expr_value *object, expr_value *out)
{
    const looker l = {ev->arena, ev->world};
    const char *shown;
    expr_library kind = expr_library_of(object->type, &shown);
    row r;
    if ((kind != EXPR_LIBRARY_STRING && kind != EXPR_LIBRARY_VIEW) || !row_of(&l, object, &r))
        return false;
    *out = expr_value_at(sym_type_array_of(ev->world->types, r.type, r.count), r.first);
    return true;
}

bool expr_library_is_engaged(expr_ev *ev, const expr_value *object, bool *is_there)
{
    const looker l = {ev->arena, ev->world};
    const char *shown;
    uint64_t engaged;
    if (expr_library_of(object->type, &shown) != EXPR_LIBRARY_OPTIONAL || !number(&l, object, "_M_payload._M_engaged", &engaged))
        return false;
    *is_there = engaged;
    return true;
}

/* ---- piece by piece ------------------------------------------------------------------------------ */

enum { MAX_COUNTED = 1 << 20 };

/* A way through what an object holds, from its beginning; which of the ways it is, the kind tells. */
typedef struct pieces {
    const looker *look;
    expr_library kind;
    expr_value object;
    uint64_t i, n; /* the next one; how many there are */
    row row;
    blocks blocks;
    walk walk;
    chain chain;
    expr_value tuple; /* what is left of it */
} pieces;

/* What there is only one of; without a type: there is nothing. */
static bool held_alone(const looker *l, expr_library kind, const expr_value *object, expr_value *held)
{
    uint64_t number_of;
    const char *of;
    expr_ev ev = {.arena = l->arena, .world = l->world};
    *held = (expr_value){0};
    switch (kind) {
    case EXPR_LIBRARY_UNIQUE:
    case EXPR_LIBRARY_SHARED: return pointer_in(l, object, held);
    case EXPR_LIBRARY_OPTIONAL: return number(l, object, "_M_payload._M_engaged", &number_of) && (!number_of || expr_library_pointee(&ev, object, held));
    case EXPR_LIBRARY_ANY: return held_in_any(l, object, held);
    case EXPR_LIBRARY_VARIANT: return held_in_variant(l, object, held, &number_of);
    case EXPR_LIBRARY_ATOMIC: return held_in_atomic(l, object, held);
    case EXPR_LIBRARY_ITERATOR: return number(l, object, "_M_current", &number_of) && (!number_of || expr_library_pointee(&ev, object, held));
    case EXPR_LIBRARY_NODE_ITERATOR: return held_at_node(l, object, held, &of);
    default: return false;
    }
}

/* An object that nobody has made yet may be anything: elements that can't be read are none. */
static bool can_be_read(const looker *l, const row *r)
{
    uint64_t nbytes = sym_type_size(r->type), last;
    uint8_t byte;
    return r->count == 0 || (!__builtin_mul_overflow(r->count - 1, nbytes, &last) && l->world->read(l->world->self, r->first, &byte, 1, NULL) == EBB_OK &&
                             l->world->read(l->world->self, r->first + last, &byte, 1, NULL) == EBB_OK);
}

static bool begin_tuple(pieces *p)
{
    expr_value head, rest;
    p->tuple = p->object;
    (void)next_tuple_part(p->look, &p->tuple, &head); /* the tuple itself has no head */
    for (rest = p->tuple; rest.type && next_tuple_part(p->look, &rest, &head);)
        p->n++;
    return true;
}

/* A forward list doesn't know how many it has. */
static bool begin_chained(pieces *p)
{
    expr_value element;
    if (!begin_chain(p->look, &p->object, &p->chain))
        return false;
    for (chain c = p->chain; p->n < MAX_COUNTED && next_in_chain(p->look, &c, &element);)
        p->n++;
    return true;
}

static bool begin_path(pieces *p)
{
    uint64_t names;
    if (!path_names(p->look, &p->object, &names) || !path_row(p->look, names, &p->row) || !can_be_read(p->look, &p->row))
        return false;
    p->n = p->row.count;
    return true;
}

static bool begin_pieces(const looker *l, const expr_value *object, pieces *p)
{
    const char *shown;
    expr_value inner;
    *p = (pieces){.look = l, .kind = expr_library_of(object->type, &shown), .object = *object};
    switch (p->kind) {
    case EXPR_LIBRARY_NONE:
    case EXPR_LIBRARY_PAIR: return false;
    case EXPR_LIBRARY_STRING:
    case EXPR_LIBRARY_VIEW: return row_of(l, object, &p->row) && can_be_read(l, &p->row);
    case EXPR_LIBRARY_FILE_PATH: return begin_path(p);
    case EXPR_LIBRARY_BITSET: return bitset_row(l, object, &p->row) && (p->n = p->row.count, true);
    case EXPR_LIBRARY_VECTOR: return vector_row(l, object, &p->row) && can_be_read(l, &p->row) && (p->n = p->row.count, true);
    case EXPR_LIBRARY_INITIALIZERS: return initializers_row(l, object, &p->row) && can_be_read(l, &p->row) && (p->n = p->row.count, true);
    case EXPR_LIBRARY_BITS: return bits_row(l, object, &p->row) && (p->n = p->row.count, true);
    case EXPR_LIBRARY_DEQUE: return deque_blocks(l, object, &p->blocks) && (p->n = p->blocks.count, true);
    case EXPR_LIBRARY_ARRAY: return member(l, object, "_M_elems", &inner) && (p->n = sym_type_strip(inner.type)->count, true);
    case EXPR_LIBRARY_MAP:
    case EXPR_LIBRARY_SET: return begin_walk(l, object, true, &p->walk) && (p->n = p->walk.n, true);
    case EXPR_LIBRARY_HASH_MAP:
    case EXPR_LIBRARY_HASH_SET: return begin_walk(l, object, false, &p->walk) && (p->n = p->walk.n, true);
    case EXPR_LIBRARY_LIST:
    case EXPR_LIBRARY_FORWARD_LIST: return begin_chained(p);
    case EXPR_LIBRARY_TUPLE: return begin_tuple(p);
    case EXPR_LIBRARY_ADAPTER: return member(l, object, "c", &inner) && begin_pieces(l, &inner, p);
    default: return held_alone(l, p->kind, object, &inner) && (p->n = inner.type != NULL, true);
    }
}

static bool bit_piece(const looker *l, const row *r, uint64_t i, expr_value *out)
{
    bool is_set;
    if (!read_bit(l, r, i, &is_set))
        return false;
    *out = expr_value_of_u64(l->arena, r->type, is_set);
    return true;
}

static bool path_piece(const looker *l, const row *r, uint64_t i, expr_value *out)
{
    expr_value part = expr_value_at(r->type, r->first + i * sym_type_size(r->type));
    return member(l, &part, "_M_pathname", out);
}

static bool next_piece(pieces *p, expr_value *out)
{
    const looker *l = p->look;
    expr_ev ev = {.arena = l->arena, .world = l->world};
    uint64_t i = p->i++;
    if (i >= p->n)
        return false;
    switch (p->kind) {
    case EXPR_LIBRARY_INITIALIZERS:
        *out = expr_value_at(p->row.type, p->row.first + i * sym_type_size(p->row.type));
        return true;
    case EXPR_LIBRARY_BITS:
    case EXPR_LIBRARY_BITSET: return bit_piece(l, &p->row, i, out);
    case EXPR_LIBRARY_FILE_PATH: return path_piece(l, &p->row, i, out);
    case EXPR_LIBRARY_VECTOR:
    case EXPR_LIBRARY_DEQUE:
    case EXPR_LIBRARY_ARRAY: return expr_library_element(&ev, &p->object, i, out);
    case EXPR_LIBRARY_MAP:
    case EXPR_LIBRARY_SET:
    case EXPR_LIBRARY_HASH_MAP:
    case EXPR_LIBRARY_HASH_SET: return next_element(&p->walk, out);
    case EXPR_LIBRARY_LIST:
    case EXPR_LIBRARY_FORWARD_LIST: return next_in_chain(l, &p->chain, out);
    case EXPR_LIBRARY_TUPLE: return next_tuple_part(l, &p->tuple, out);
    default: return held_alone(l, p->kind, &p->object, out);
    }
}

/* Those in a row are at once where they are wanted; the others are gone through. */
static bool skip_pieces(pieces *p, uint64_t n)
{
    bool is_walked = p->kind == EXPR_LIBRARY_MAP || p->kind == EXPR_LIBRARY_SET || p->kind == EXPR_LIBRARY_HASH_MAP || p->kind == EXPR_LIBRARY_HASH_SET ||
                     p->kind == EXPR_LIBRARY_LIST || p->kind == EXPR_LIBRARY_FORWARD_LIST || p->kind == EXPR_LIBRARY_TUPLE;
    expr_value ignored;
    if (!is_walked)
        p->i = n;
    while (p->i < n)
        if (!next_piece(p, &ignored))
            return false;
    return true;
}

static expr_pieces form_of(const pieces *p, const expr_value *object)
{
    const char *shown;
    switch (p->kind) {
    case EXPR_LIBRARY_VECTOR:
    case EXPR_LIBRARY_DEQUE:
    case EXPR_LIBRARY_ARRAY: return expr_library_of(object->type, &shown) == p->kind ? EXPR_PIECES_INDEXED : EXPR_PIECES_NUMBERED;
    case EXPR_LIBRARY_MAP:
    case EXPR_LIBRARY_HASH_MAP: return EXPR_PIECES_KEYED;
    case EXPR_LIBRARY_STRING:
    case EXPR_LIBRARY_VIEW:
    case EXPR_LIBRARY_FILE_PATH:
    case EXPR_LIBRARY_BITS:
    case EXPR_LIBRARY_BITSET:
    case EXPR_LIBRARY_INITIALIZERS:
    case EXPR_LIBRARY_SET:
    case EXPR_LIBRARY_HASH_SET:
    case EXPR_LIBRARY_LIST:
    case EXPR_LIBRARY_FORWARD_LIST:
    case EXPR_LIBRARY_TUPLE: return EXPR_PIECES_NUMBERED;
    default: return EXPR_PIECES_ONE;
    }
}

bool expr_library_pieces(expr_ev *ev, const expr_value *object, expr_pieces *form, uint64_t *n)
{
    const looker l = {ev->arena, ev->world};
    pieces p;
    if (!begin_pieces(&l, object, &p))
        return false;
    *form = form_of(&p, object);
    *n = p.n;
    return true;
}

void expr_library_each_piece(expr_ev *ev, const expr_value *object, uint64_t first, uint64_t n, expr_piece_fn *each, void *self)
{
    const looker l = {ev->arena, ev->world};
    pieces p;
    expr_piece piece = {0};
    if (!begin_pieces(&l, object, &p) || !skip_pieces(&p, first))
        return;
    bool is_keyed = form_of(&p, object) == EXPR_PIECES_KEYED;
    for (uint64_t i = 0; i < n && next_piece(&p, &piece.value); i++) {
        expr_value pair = piece.value;
        piece.i = first + i;
        if (!is_keyed || (member(&l, &pair, "first", &piece.key) && member(&l, &pair, "second", &piece.value)))
            each(self, &piece);
    }
}

/* What can be told without a look at the object. */
static sym_type *piece_type(const looker *l, const expr_value *object)
{
    const char *shown;
    expr_value part;
    switch (expr_library_of(object->type, &shown)) {
    case EXPR_LIBRARY_MAP: return element_type(l, object, "_M_t");
    case EXPR_LIBRARY_HASH_MAP: return element_type(l, object, "_M_h");
    case EXPR_LIBRARY_UNIQUE:
    case EXPR_LIBRARY_SHARED:
        return pointer_in(l, object, &part) ? part.type : NULL;
    case EXPR_LIBRARY_ADAPTER: return member(l, object, "c", &part) ? piece_type(l, &part) : NULL;
    case EXPR_LIBRARY_ITERATOR: return pointer_in(l, object, &part) ? sym_type_strip(part.type)->target : NULL;
    case EXPR_LIBRARY_NONE:
    case EXPR_LIBRARY_FILE_PATH: return member(l, object, "_M_pathname", &part) ? part.type : NULL;
    case EXPR_LIBRARY_BITSET: return sym_types_basic(l->world->types, "int");
    case EXPR_LIBRARY_ANY:
    case EXPR_LIBRARY_VARIANT:
    case EXPR_LIBRARY_TUPLE: return NULL;
    default: return template_type(object->type, 0);
    }
}

ebb_status expr_library_piece(expr_ev *ev, const expr_value *object, uint64_t i, expr_value *out)
{
    const looker l = {ev->arena, ev->world};
    pieces p;
    if (ev->types_only) {
        sym_type *type = piece_type(&l, object);
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
