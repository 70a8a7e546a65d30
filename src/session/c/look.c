/* look.c - C values with the names of their parts. */
#include "expr/library.h"
#include "expr/rust.h"
#include "session/c/c.h"
#include "session/c/scratch.h"
#include "session/c/world.h"
#include "session/parts.h"

#include <string.h>

enum { MAX_DEPTH = 8 };

/* ---- objects of C++'s library ---------------------------------------------------------------------- */

static bool is_of_library(sym_type *type)
{
    const char *shown;
    expr_library kind = expr_library_of(type, &shown);
    return kind != EXPR_LIBRARY_NONE && kind != EXPR_LIBRARY_PAIR;
}

static const char *taken(ebb_arena *arena, ebb_buf *text)
{
    const char *kept = ebb_arena_strdup(arena, ebb_buf_text(text));
    ebb_buf_fini(text);
    return kept;
}

/* A base that is shown as what it holds is a part of its own; how it is called is its type. */
static void add_base(ebb_arena *arena, sym_type *base, const char *operand, const char *dot, ses_part_names *out)
{
    ebb_buf text = {0};
    sym_type_print(base, &text);
    const char *name = taken(arena, &text);
    ses_part_name part = {name, ebb_arena_printf(arena, "*(%s *) %s%s", name, *dot == '.' ? "&" : "", operand)};
    ebb_vec_push(out, part);
}

/* Members of anonymous structs and of base classes count as the aggregate's own. */
static void add_members(ebb_arena *arena, sym_type *type, const char *operand, const char *dot, unsigned depth, ses_part_names *out)
{
    sym_type_complete(type);
    for (size_t i = 0; depth < MAX_DEPTH && i < type->n_members; i++) {
        const sym_member *member = &type->members[i];
        if (member->is_artificial)
            continue;
        if (member->is_base && is_of_library(member->type)) {
            add_base(arena, member->type, operand, dot, out);
            continue;
        }
        if (!member->name) {
            add_members(arena, sym_type_strip(member->type), operand, dot, depth + 1, out);
            continue;
        }
        ses_part_name part = {member->name, ebb_arena_printf(arena, "%s%s%s", operand, dot, member->name)};
        ebb_vec_push(out, part);
    }
}

/* What it holds, in the words of the language where there are such that run nothing. */
static void add_only_piece(ebb_arena *arena, sym_type *type, const char *operand, ses_look *out)
{
    const char *shown;
    expr_library kind = expr_library_of(type, &shown);
    bool points = kind == EXPR_LIBRARY_UNIQUE || kind == EXPR_LIBRARY_SHARED;
    const char *format = points ? "%s.get()" : kind == EXPR_LIBRARY_OPTIONAL || kind == EXPR_LIBRARY_ITERATOR ? "*%s" : "$_element(%s, 0)";
    ses_part_name part = {points ? "get()" : "[contained value]", ebb_arena_printf(arena, format, operand)};
    ebb_vec_push(&out->named, part);
}

/* False: it isn't such an object, or a damaged one, and has members as any other. */
static bool add_pieces(session *s, ebb_arena *arena, const expr_value *value, ses_look *out)
{
    expr_ev ev = {.arena = arena, .world = ses_world(s)};
    expr_pieces form;
    uint64_t n;
    if (!expr_library_pieces(&ev, value, &form, &n))
        return false;
    if (form == EXPR_PIECES_ONE && n)
        add_only_piece(arena, value->type, out->base, out);
    out->n_indexed = form == EXPR_PIECES_ONE ? 0 : n;
    out->is_container = form == EXPR_PIECES_NUMBERED || form == EXPR_PIECES_KEYED;
    return true;
}

/* It is shown whole. */
static bool is_text(session *s, ebb_arena *arena, const expr_value *value)
{
    expr_ev ev = {.arena = arena, .world = ses_world(s)};
    expr_value text;
    return expr_library_text(&ev, value, &text);
}

static bool add_rust_elements(session *s, ebb_arena *arena, const expr_value *value, ses_look *out)
{
    expr_ev ev = {.arena = arena, .world = ses_world(s)};
    return expr_rust_count(&ev, value, &out->n_indexed);
}

/* ---- what parts there are ---------------------------------------------------------------------------- */

static bool is_aggregate(const sym_type *type)
{
    return type->kind == SYM_TYPE_STRUCT || type->kind == SYM_TYPE_UNION;
}

/* A char pointer is shown as a string already; nothing is known of what void and code are made of. */
static bool is_worth_following(const sym_type *target)
{
    return target->kind != SYM_TYPE_VOID && target->kind != SYM_TYPE_FUNCTION &&
           !((target->kind == SYM_TYPE_INT || target->kind == SYM_TYPE_CHAR) && target->nbytes == 1);
}

static void add_pointed(ebb_arena *arena, sym_type *pointer, const char *operand, ses_look *out)
{
    sym_type *target = pointer->target ? sym_type_strip(pointer->target) : NULL;
    if (!target || out->address == 0 || !is_worth_following(target))
        return;
    if (is_aggregate(target) && !is_of_library(target)) {
        add_members(arena, target, operand, "->", 0, &out->named);
        return;
    }
    const char *expression = ebb_arena_printf(arena, "*%s", operand);
    ses_part_name part = {expression, expression};
    ebb_vec_push(&out->named, part);
}

static uint64_t n_elements(sym_type *array)
{
    sym_type *element = array->target ? sym_type_strip(array->target) : NULL;
    uint64_t nbytes = element ? sym_type_size(element) : 0;
    return nbytes ? sym_type_size(array) / nbytes : 0;
}

static void add_parts(session *s, ebb_arena *arena, const char *expression, expr_value *value, ses_look *out)
{
    sym_type *type = sym_type_strip(value->type);
    const char *operand = ses_operand_of(arena, expression);
    out->has_address = value->place.kind == EXPR_PLACE_MEMORY && value->place.nbits == 0;
    out->address = value->place.addr;
    out->base = operand;
    if (type->kind == SYM_TYPE_POINTER) {
        out->has_address = expr_value_to_u64(arena, ses_world(s), value, &out->address, NULL) == EBB_OK;
        if (out->has_address)
            add_pointed(arena, type, operand, out);
    } else if (type->kind == SYM_TYPE_ARRAY) {
        out->n_indexed = n_elements(type);
    } else if (is_aggregate(type) && !is_text(s, arena, value)) {
        bool is_known = add_pieces(s, arena, value, out) || add_rust_elements(s, arena, value, out);
        add_members(arena, type, operand, ".", 0, is_known ? &out->insides : &out->named);
    }
}

static ebb_status look_at_value(session *s, ebb_arena *arena, const char *expression, expr_value *value, ses_look *out, ebb_error *err)
{
    ebb_buf shown = {0}, type = {0};
    expr_format format = ses_default_format(s);
    *out = (ses_look){0};
    ebb_status status = expr_print(arena, ses_world(s), &format, value, &shown, err);
    sym_type_print(value->type, &type);
    out->value = taken(arena, &shown);
    out->type = taken(arena, &type);
    if (status == EBB_OK)
        add_parts(s, arena, expression, value, out);
    return status;
}

static ebb_status look_at(session *s, ebb_arena *arena, const char *expression, ses_look *out, ebb_error *err)
{
    expr_value value;
    *out = (ses_look){0};
    EBB_TRY(expr_evaluate(arena, ses_world(s), expression, &value, err));
    return look_at_value(s, arena, expression, &value, out, err);
}

ebb_status ses_c_look_at(session *s, ebb_arena *arena, const char *expression, ses_look *out, ebb_error *err)
{
    bool outer = ses_scratch_open(s);
    ebb_status status = look_at(s, arena, expression, out, err);
    ses_scratch_end(s, outer);
    return status;
}

/* ---- what containers hold ------------------------------------------------------------------------------ */

typedef struct listing {
    session *s;
    ebb_arena *arena;
    const char *operand; /* the container */
    bool is_keyed, has_twins; /* several elements may have the same key */
    ses_pieces *out;
} listing;

static const char *quoted(ebb_arena *arena, const uint8_t *text, uint64_t n)
{
    ebb_buf out = {0};
    for (uint64_t i = 0; i < n; i++) {
        if (text[i] < ' ' || text[i] >= 0x7f)
            ebb_buf_addf(&out, "\\%03o", text[i]);
        else
            ebb_buf_addf(&out, "%s%c", text[i] == '"' || text[i] == '\\' ? "\\" : "", text[i]);
    }
    return ebb_arena_printf(arena, "\"%s\"", taken(arena, &out));
}

/* The key as one would type it; NULL: it is no number and no text, or a text that can't be typed. */
static const char *key_text(const listing *l, expr_value *key)
{
    enum { MAX_TYPED = 200 };
    expr_ev ev = {.arena = l->arena, .world = ses_world(l->s)};
    expr_value text;
    uint64_t number;
    if (expr_library_text(&ev, key, &text)) {
        uint64_t n = sym_type_size(text.type);
        bool is_known = n <= MAX_TYPED && (n == 0 || (expr_value_fetch(l->arena, ev.world, &text, NULL) == EBB_OK && text.bytes));
        bool can_be_typed = is_known && sym_type_size(sym_type_strip(text.type)->target) == 1 && !memchr(text.bytes ? (const char *)text.bytes : "x", 0, n);
        return can_be_typed ? quoted(l->arena, text.bytes, n) : NULL;
    }
    bool is_number = sym_type_is_scalar(key->type) && sym_type_strip(key->type)->kind != SYM_TYPE_FLOAT;
    if (!is_number || expr_value_to_u64(l->arena, ev.world, key, &number, NULL) != EBB_OK)
        return NULL;
    return ebb_arena_printf(l->arena, "%lld", (long long)number);
}

static const char *expression_of(const listing *l, expr_piece *piece)
{
    const char *key = l->is_keyed && !l->has_twins ? key_text(l, &piece->key) : NULL;
    if (key)
        return ebb_arena_printf(l->arena, "%s[%s]", l->operand, key);
    return ebb_arena_printf(l->arena, "$_element(%s, %llu)%s", l->operand, (unsigned long long)piece->i, l->is_keyed ? ".second" : "");
}

static const char *name_of(const listing *l, expr_piece *piece)
{
    ebb_buf key = {0};
    expr_format format = ses_default_format(l->s);
    if (!l->is_keyed)
        return ebb_arena_printf(l->arena, "[%llu]", (unsigned long long)piece->i);
    if (expr_print(l->arena, ses_world(l->s), &format, &piece->key, &key, NULL) != EBB_OK)
        ebb_buf_adds(&key, "?");
    return ebb_arena_printf(l->arena, "[%s]", taken(l->arena, &key));
}

/* A key that has parts is one to be opened. */
static const char *key_of(const listing *l, expr_piece *piece)
{
    if (!l->is_keyed || sym_type_is_scalar(piece->key.type) || is_text(l->s, l->arena, &piece->key))
        return NULL;
    return ebb_arena_printf(l->arena, "$_element(%s, %llu).first", l->operand, (unsigned long long)piece->i);
}

static void list_piece(void *self, expr_piece *piece)
{
    const listing *l = self;
    ses_piece held = {.part = {name_of(l, piece), expression_of(l, piece)}, .key = key_of(l, piece)};
    ebb_error why;
    if (look_at_value(l->s, l->arena, held.part.expression, &piece->value, &held.look, &why) != EBB_OK)
        held.look.value = ebb_arena_printf(l->arena, "<%s>", why.text);
    ebb_vec_push(l->out, held);
}

static ebb_status look_inside(session *s, ebb_arena *arena, const char *expression, ses_page page, ses_pieces *out, ebb_error *err)
{
    expr_ev ev = {.arena = arena, .world = ses_world(s)};
    expr_value value;
    expr_pieces form;
    uint64_t n;
    const char *shown = "";
    EBB_TRY(expr_evaluate(arena, ses_world(s), expression, &value, err));
    if (!expr_library_pieces(&ev, &value, &form, &n))
        return ebb_fail(err, EBB_BAD_INPUT, "It is no container.");
    (void)expr_library_of(value.type, &shown);
    listing l = {s, arena, ses_operand_of(arena, expression), form == EXPR_PIECES_KEYED, strstr(shown, "multi") != NULL, out};
    expr_library_each_piece(&ev, &value, page.first, page.n, list_piece, &l);
    return EBB_OK;
}

ebb_status ses_c_look_inside(session *s, ebb_arena *arena, const char *expression, ses_page page, ses_pieces *out, ebb_error *err)
{
    bool outer = ses_scratch_open(s);
    ebb_status status = look_inside(s, arena, expression, page, out, err);
    ses_scratch_end(s, outer);
    return status;
}
