/* library_print.c - see library.h: objects of the library shown as what they hold. */
#include "expr/library_look.h"
#include "symbols/short_names.h"

#include <string.h>

/* ---- lists ------------------------------------------------------------------------------------------ */

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
static void print_entry(const expr_looker *look, list *l, expr_value *pair)
{
    expr_value key, value;
    if (!expr_look_member(look, pair, "first", &key) || !expr_look_member(look, pair, "second", &value) || !begin_element(l, true))
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

/* ---- kinds ------------------------------------------------------------------------------------------ */

static bool print_string(expr_printer *printer, const expr_looker *look, const expr_value *value, const char *shown, unsigned depth)
{
    expr_row r;
    (void)shown, (void)depth;
    if (!expr_look_row(look, value, &r))
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

static bool print_row(expr_printer *printer, const expr_row *r, unsigned depth)
{
    list l = {.printer = printer, .depth = depth};
    if (!begin_list(printer, r->count))
        return true;
    for (uint64_t i = 0; i < r->count && begin_element(&l, false); i++) {
        expr_value element = expr_look_in_row(r, i);
        print_inner(&l, &element);
    }
    end_list(&l, false);
    return true;
}

static bool print_vector(expr_printer *printer, const expr_looker *look, const expr_value *value, const char *shown, unsigned depth)
{
    expr_row r;
    if (!expr_look_row(look, value, &r))
        return false;
    ebb_buf_addf(printer->out, "%s of length %lu, capacity %lu", shown, (unsigned long)r.count, (unsigned long)r.capacity);
    return print_row(printer, &r, depth);
}

static bool print_initializers(expr_printer *printer, const expr_looker *look, const expr_value *value, const char *shown, unsigned depth)
{
    expr_row r;
    if (!expr_look_row(look, value, &r))
        return false;
    ebb_buf_addf(printer->out, "%s of length %lu", shown, (unsigned long)r.count);
    return print_row(printer, &r, depth);
}

static bool print_bits(expr_printer *printer, const expr_looker *look, const expr_value *value, const char *shown, unsigned depth)
{
    expr_row r;
    list l = {.printer = printer, .depth = depth};
    if (!expr_look_row(look, value, &r))
        return false;
    ebb_buf_addf(printer->out, "%s of length %lu, capacity %lu", shown, (unsigned long)r.count, (unsigned long)r.capacity);
    if (!begin_list(printer, r.count))
        return true;
    for (uint64_t i = 0; i < r.count && begin_element(&l, false); i++) {
        bool is_set;
        bool is_read = expr_look_bit(look, &r, i, &is_set);
        ebb_buf_adds(printer->out, !is_read ? "<error>" : is_set ? "true" : "false");
    }
    end_list(&l, false);
    return true;
}

/* Only those that are set. */
static bool print_bitset(expr_printer *printer, const expr_looker *look, const expr_value *value, const char *shown, unsigned depth)
{
    expr_value words;
    list l = {.printer = printer, .depth = depth};
    if (!expr_look_member(look, value, "_M_w", &words) || !expr_look_fetch(look, &words))
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

static bool print_walked(list *l, expr_walk *w, const char *shown, bool is_map)
{
    expr_value element;
    print_count(l->printer, shown, w->n);
    if (!begin_list(l->printer, w->n))
        return true;
    while (!l->is_over && expr_walk_next(w, &element)) {
        if (is_map)
            print_entry(w->look, l, &element);
        else
            print_numbered(l, &element);
    }
    end_list(l, true);
    return true;
}

static bool is_map(const expr_value *value)
{
    const char *shown;
    expr_library kind = expr_library_of(value->type, &shown);
    return kind == EXPR_LIBRARY_MAP || kind == EXPR_LIBRARY_HASH_MAP;
}

static bool print_tree(expr_printer *printer, const expr_looker *look, const expr_value *value, const char *shown, unsigned depth)
{
    expr_walk w;
    list l = {.printer = printer, .depth = depth};
    return expr_walk_begin(look, value, true, &w) && print_walked(&l, &w, shown, is_map(value));
}

static bool print_table(expr_printer *printer, const expr_looker *look, const expr_value *value, const char *shown, unsigned depth)
{
    expr_walk w;
    list l = {.printer = printer, .depth = depth};
    return expr_walk_begin(look, value, false, &w) && print_walked(&l, &w, shown, is_map(value));
}

static bool print_linked(expr_printer *printer, const expr_looker *look, const expr_value *value, const char *shown, unsigned depth)
{
    expr_chain c;
    expr_value element;
    list l = {.printer = printer, .depth = depth};
    if (!expr_chain_begin(look, value, &c))
        return false;
    if (c.node == c.end) {
        ebb_buf_addf(printer->out, "empty %s", shown);
        return true;
    }
    ebb_buf_adds(printer->out, shown);
    if (!begin_list(printer, 1))
        return true;
    while (!l.is_over && expr_chain_next(look, &c, &element))
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

static bool print_atomic(expr_printer *printer, const expr_looker *look, const expr_value *value, const char *shown, unsigned depth)
{
    sym_type *type = expr_template_type(value->type, 0);
    expr_value held;
    if (!type || !expr_held_in_atomic(look, value, &held))
        return false;
    print_name_for(printer, shown, type);
    ebb_buf_adds(printer->out, " = { ");
    bool is_printed = expr_print_value(printer, &held, depth + 1) == EBB_OK;
    ebb_buf_adds(printer->out, " }");
    return is_printed;
}

static bool print_pointer_object(expr_printer *printer, const expr_looker *look, const expr_value *value, const char *shown, unsigned depth)
{
    expr_value pointer;
    const char *ignored;
    uint64_t counts, used = 0, weak = 0;
    sym_type *type = expr_template_type(value->type, 0);
    if (!type || !expr_look_pointer(look, value, &pointer) || !expr_look_fetch(look, &pointer))
        return false;
    print_name_for(printer, shown, type);
    if (expr_library_of(value->type, &ignored) == EXPR_LIBRARY_SHARED) {
        expr_value object;
        expr_ev ev = {.arena = look->arena, .world = look->world};
        bool has_counts = expr_look_number(look, value, "_M_refcount._M_pi", &counts) && counts && expr_look_member(look, value, "_M_refcount._M_pi", &object) &&
                          expr_ev_deref(&ev, &object, &object) == EBB_OK && expr_look_number(look, &object, "_M_use_count", &used) &&
                          expr_look_number(look, &object, "_M_weak_count", &weak);
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

static bool print_optional(expr_printer *printer, const expr_looker *look, const expr_value *value, const char *shown, unsigned depth)
{
    expr_value held;
    sym_type *type = expr_template_type(value->type, 0);
    if (!type || !expr_held_in_optional(look, value, &held))
        return false;
    ebb_buf_addf(printer->out, "%s<", shown);
    print_short_type(printer, type);
    ebb_buf_addc(printer->out, '>');
    if (!held.type) {
        ebb_buf_adds(printer->out, " [no contained value]");
        return true;
    }
    if (!print_containing(printer, &held, depth))
        print_contained(printer, &held, depth);
    return true;
}

static bool print_any(expr_printer *printer, const expr_looker *look, const expr_value *value, const char *shown, unsigned depth)
{
    expr_value held;
    if (!expr_held_in_any(look, value, &held))
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

static bool print_tuple(expr_printer *printer, const expr_looker *look, const expr_value *value, const char *shown, unsigned depth)
{
    list l = {.printer = printer, .depth = depth};
    expr_value part = *value, head;
    (void)expr_look_tuple(look, &part, &head); /* the tuple itself has no head */
    if (!part.type) {
        ebb_buf_addf(printer->out, "empty %s", shown);
        return true;
    }
    ebb_buf_addf(printer->out, "%s containing", shown);
    if (!begin_list(printer, 1))
        return true;
    while (part.type && expr_look_tuple(look, &part, &head) && begin_element(&l, true)) {
        ebb_buf_addf(printer->out, "[%lu] = ", (unsigned long)l.n);
        print_inner(&l, &head);
    }
    end_list(&l, true);
    return true;
}

static bool print_deque(expr_printer *printer, const expr_looker *look, const expr_value *value, const char *shown, unsigned depth)
{
    expr_blocks b;
    expr_value element;
    list l = {.printer = printer, .depth = depth};
    if (!expr_look_blocks(look, value, &b))
        return false;
    print_count(printer, shown, b.count);
    if (!begin_list(printer, b.count))
        return true;
    for (uint64_t i = 0; i < b.count && expr_look_in_block(look, &b, i, &element) && begin_element(&l, false); i++)
        print_inner(&l, &element);
    end_list(&l, false);
    return true;
}

/* A stack or queue is a container with other words. */
static bool print_adapter(expr_printer *printer, const expr_looker *look, const expr_value *value, const char *shown, unsigned depth)
{
    expr_value inner;
    if (!expr_look_member(look, value, "c", &inner))
        return false;
    ebb_buf_addf(printer->out, "%s wrapping: ", shown);
    return expr_print_value(printer, &inner, depth) == EBB_OK;
}

static void print_alternatives(expr_printer *printer, const expr_looker *look, const expr_value *value)
{
    expr_value rest, alternative;
    if (!expr_look_member(look, value, "_M_u", &rest))
        return;
    for (uint64_t i = 0; expr_next_alternative(look, &rest, &alternative); i++) {
        ebb_buf_adds(printer->out, i ? ", " : "");
        print_short_type(printer, alternative.type);
    }
}

static bool print_variant(expr_printer *printer, const expr_looker *look, const expr_value *value, const char *shown, unsigned depth)
{
    expr_value held;
    uint64_t index;
    list l = {.printer = printer, .depth = depth};
    if (!expr_held_in_variant(look, value, &held, &index))
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

/* ---- paths of files --------------------------------------------------------------------------------- */

static const char *path_kind_words(uint64_t pointer)
{
    uint64_t kind = pointer & EXPR_PATH_KIND_BITS;
    return kind == EXPR_PATH_ROOT_NAME ? "root-name" : kind == EXPR_PATH_ROOT_DIRECTORY ? "root-directory" : NULL;
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

static void print_path_part(const expr_looker *look, list *l, const expr_value *part)
{
    expr_value text;
    uint64_t names, number = l->n;
    if (!expr_look_path(look, part, &names) || !expr_look_member(look, part, "_M_pathname", &text) || !begin_element(l, true))
        return;
    if (path_kind_words(names))
        ebb_buf_addf(l->printer->out, "[%s] = ", path_kind_words(names));
    else
        ebb_buf_addf(l->printer->out, "[%lu] = ", (unsigned long)number);
    print_path_text(l, &text);
}

static bool print_path(expr_printer *printer, const expr_looker *look, const expr_value *value, const char *shown, unsigned depth)
{
    uint64_t names;
    expr_value text;
    expr_row parts;
    list l = {.printer = printer, .depth = depth};
    if (!expr_look_path(look, value, &names) || !expr_look_member(look, value, "_M_pathname", &text) || !expr_look_path_parts(look, names, &parts))
        return false;
    ebb_buf_addf(printer->out, "%s ", shown);
    print_path_text(&l, &text);
    if (path_kind_words(names))
        ebb_buf_addf(printer->out, " [%s]", path_kind_words(names));
    if (!begin_list(printer, parts.count))
        return true;
    for (uint64_t i = 0; i < parts.count && !l.is_over; i++) {
        expr_value one = expr_look_in_row(&parts, i);
        print_path_part(look, &l, &one);
    }
    end_list(&l, true);
    return true;
}

/* ---- iterators -------------------------------------------------------------------------------------- */

static bool print_node_iterator(expr_printer *printer, const expr_looker *look, const expr_value *value, const char *shown, unsigned depth)
{
    const char *of;
    expr_value held;
    (void)shown;
    if (!expr_held_at_node(look, value, &held, &of))
        return false;
    if (!held.type) {
        ebb_buf_addf(printer->out, "non-dereferenceable iterator for %s", of);
        return true;
    }
    return expr_print_value(printer, &held, depth) == EBB_OK;
}

/* An iterator is what it stands at. */
static bool print_iterator(expr_printer *printer, const expr_looker *look, const expr_value *value, const char *shown, unsigned depth)
{
    expr_value pointer;
    uint64_t addr;
    (void)shown;
    if (!expr_look_number(look, value, "_M_current", &addr) || !expr_look_pointer(look, value, &pointer) || !sym_type_strip(pointer.type)->target)
        return false;
    if (!addr) {
        ebb_buf_adds(printer->out, "non-dereferenceable iterator for std::vector");
        return true;
    }
    expr_value target = expr_value_at(sym_type_strip(pointer.type)->target, addr);
    return expr_print_value(printer, &target, depth) == EBB_OK;
}

/* ---- all of them ------------------------------------------------------------------------------------ */

static bool print_nothing(expr_printer *printer, const expr_looker *look, const expr_value *value, const char *shown, unsigned depth)
{
    (void)printer, (void)look, (void)value, (void)shown, (void)depth;
    return false;
}

typedef bool print_fn(expr_printer *printer, const expr_looker *look, const expr_value *value, const char *shown, unsigned depth);

static print_fn *const prints[] = {
    [EXPR_LIBRARY_NONE] = print_nothing,
#define EXPR_LIBRARY_KIND(kind, way, form, print) [EXPR_LIBRARY_##kind] = print_##print,
#define EXPR_LIBRARY_CLASS(kind, name, shown)
#include "expr/library.def"
#undef EXPR_LIBRARY_CLASS
#undef EXPR_LIBRARY_KIND
};

bool expr_print_library(expr_printer *printer, expr_value *value, unsigned depth)
{
    const expr_looker look = {printer->arena, printer->world};
    const char *shown = "";
    char letter = printer->format->letter;
    expr_library kind = expr_library_of(value->type, &shown);
    if ((letter && letter != 's' && (kind == EXPR_LIBRARY_STRING || kind == EXPR_LIBRARY_VIEW)) || letter == 'r')
        return false;
    return prints[kind](printer, &look, value, shown, depth);
}
