/* The pool, C's basic types, derived types, and questions about types. */
#include "symbols/type.h"
#include "base/arena.h"
#include "base/map.h"
#include "base/mem.h"
#include "symbols/demangle.h"

#include <string.h>

struct sym_types {
    ebb_arena arena;
    ebb_map *names;     /* text -> the pool's copy of it */
    ebb_map *basics;    /* canonical name -> type */
    ebb_map *pointers;  /* address of the target -> pointer to it */
    ebb_map *functions; /* address of the result -> function */
    ebb_map *arrays;    /* address of the element -> struct derived_array, a list */
    ebb_map *qualified[SYM_TYPE_ATOMIC - SYM_TYPE_CONST + 1];
};

typedef struct derived_array {
    sym_type *type;
    struct derived_array *next;
} derived_array;

/* How deep a chain of types may be before it counts as broken debug information. */
enum { MAX_DEPTH = 128 };

sym_types *sym_types_new(void)
{
    sym_types *pool = EBB_NEW(sym_types);
    pool->names = ebb_map_new();
    pool->basics = ebb_map_new();
    pool->pointers = ebb_map_new();
    pool->functions = ebb_map_new();
    pool->arrays = ebb_map_new();
    for (size_t i = 0; i < sizeof pool->qualified / sizeof *pool->qualified; i++)
        pool->qualified[i] = ebb_map_new();
    return pool;
}

void sym_types_free(sym_types *pool)
{
    if (!pool)
        return;
    for (size_t i = 0; i < sizeof pool->qualified / sizeof *pool->qualified; i++)
        ebb_map_free(pool->qualified[i]);
    ebb_map_free(pool->arrays);
    ebb_map_free(pool->functions);
    ebb_map_free(pool->pointers);
    ebb_map_free(pool->basics);
    ebb_map_free(pool->names);
    ebb_arena_fini(&pool->arena);
    free(pool);
}

sym_type *sym_types_add(sym_types *pool, sym_type_kind kind)
{
    sym_type *type = EBB_ARENA_NEW(&pool->arena, sym_type);
    type->kind = kind;
    return type;
}

void *sym_types_alloc(sym_types *pool, size_t nbytes)
{
    return ebb_arena_alloc(&pool->arena, nbytes);
}

const char *sym_types_name(sym_types *pool, const char *name)
{
    if (!name)
        return NULL;
    char *known = ebb_map_get(pool->names, name);
    if (!known) {
        known = ebb_arena_strdup(&pool->arena, name);
        ebb_map_set(pool->names, name, known);
    }
    return known;
}

/* ---- basic types ------------------------------------------------------------------------------ */

typedef struct basic {
    const char *name;
    sym_type_kind kind;
    uint8_t nbytes;
    bool is_signed;
} basic;

static const basic BASICS[] = {
    {"void", SYM_TYPE_VOID, 0, false},
    {"_Bool", SYM_TYPE_BOOL, 1, false},
    {"char", SYM_TYPE_CHAR, 1, true},
    {"signed char", SYM_TYPE_CHAR, 1, true},
    {"unsigned char", SYM_TYPE_CHAR, 1, false},
    {"short", SYM_TYPE_INT, 2, true},
    {"unsigned short", SYM_TYPE_INT, 2, false},
    {"int", SYM_TYPE_INT, 4, true},
    {"unsigned int", SYM_TYPE_INT, 4, false},
    {"long", SYM_TYPE_INT, 8, true},
    {"unsigned long", SYM_TYPE_INT, 8, false},
    {"long long", SYM_TYPE_INT, 8, true},
    {"unsigned long long", SYM_TYPE_INT, 8, false},
    {"__int128", SYM_TYPE_INT, 16, true},
    {"unsigned __int128", SYM_TYPE_INT, 16, false},
    {"float", SYM_TYPE_FLOAT, 4, true},
    {"double", SYM_TYPE_FLOAT, 8, true},
    {"long double", SYM_TYPE_FLOAT, 16, true},
    {"_Float128", SYM_TYPE_FLOAT, 16, true},
    {"complex float", SYM_TYPE_COMPLEX, 8, true},
    {"complex double", SYM_TYPE_COMPLEX, 16, true},
    {"complex long double", SYM_TYPE_COMPLEX, 32, true},
};

/* The words of a type name may come in any order: they are counted. */
typedef struct words {
    unsigned n_signed, n_unsigned, n_long, n_short, n_int, n_char, n_float, n_double, n_complex;
    unsigned n_int128, n_bool, n_void, n_float128, n_all;
} words;

static bool count_word(words *w, const char *word, size_t n)
{
    const struct {
        const char *text;
        unsigned *count;
    } known[] = {
        {"signed", &w->n_signed},       {"unsigned", &w->n_unsigned}, {"long", &w->n_long},
        {"short", &w->n_short},         {"int", &w->n_int},           {"char", &w->n_char},
        {"float", &w->n_float},         {"double", &w->n_double},     {"complex", &w->n_complex},
        {"_Complex", &w->n_complex},    {"__int128", &w->n_int128},   {"_Bool", &w->n_bool},
        {"bool", &w->n_bool},           {"void", &w->n_void},         {"_Float128", &w->n_float128},
        {"__float128", &w->n_float128}, {"__int128_t", &w->n_int128},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].text) == n && memcmp(known[i].text, word, n) == 0) {
            ++*known[i].count;
            w->n_all++;
            return true;
        }
    return false;
}

static bool count_words(words *w, const char *name)
{
    *w = (words){0};
    while (*name) {
        size_t n = strcspn(name, " \t");
        if (n && !count_word(w, name, n))
            return false;
        name += n;
        name += strspn(name, " \t");
    }
    return w->n_all > 0;
}

static const char *floating_name(const words *w)
{
    if (w->n_float128)
        return w->n_all == 1 ? "_Float128" : NULL;
    unsigned expected = w->n_complex + w->n_float + w->n_double + w->n_long;
    if (w->n_all != expected || w->n_complex > 1 || w->n_float + w->n_double > 1 || w->n_long > 1 ||
        (w->n_float && w->n_long))
        return NULL;
    if (w->n_float)
        return w->n_complex ? "complex float" : "float";
    if (w->n_long && !w->n_double)
        return NULL;
    if (w->n_long)
        return w->n_complex ? "complex long double" : "long double";
    return w->n_complex ? "complex double" : "double";
}

static const char *integer_name(const words *w)
{
    unsigned expected =
        w->n_signed + w->n_unsigned + w->n_long + w->n_short + w->n_int + w->n_char + w->n_int128;
    bool u = w->n_unsigned != 0;
    if (w->n_all != expected || w->n_signed + w->n_unsigned > 1 || w->n_long > 2 ||
        w->n_short > 1 || w->n_int > 1 || w->n_char > 1 || w->n_int128 > 1 ||
        (w->n_long && w->n_short))
        return NULL;
    if (w->n_char) {
        if (w->n_long || w->n_short || w->n_int || w->n_int128)
            return NULL;
        return u ? "unsigned char" : w->n_signed ? "signed char" : "char";
    }
    if (w->n_int128)
        return w->n_long || w->n_short || w->n_int ? NULL : u ? "unsigned __int128" : "__int128";
    if (w->n_short)
        return u ? "unsigned short" : "short";
    if (w->n_long == 2)
        return u ? "unsigned long long" : "long long";
    if (w->n_long)
        return u ? "unsigned long" : "long";
    return u ? "unsigned int" : "int";
}

/* NULL if the words make no basic type. */
static const char *canonical_basic_name(const char *name)
{
    words w;
    if (!count_words(&w, name))
        return NULL;
    if (w.n_void)
        return w.n_all == 1 ? "void" : NULL;
    if (w.n_bool)
        return w.n_all == 1 ? "_Bool" : NULL;
    if (w.n_float || w.n_double || w.n_complex || w.n_float128)
        return floating_name(&w);
    return integer_name(&w);
}

/* gdb knows how to sort the words of integers, but leaves __int128 and the rest alone. */
const char *sym_basic_canonical_name(const char *name, char scratch[SYM_BASIC_NAME_SIZE])
{
    words w;
    if (!count_words(&w, name) || w.n_int128 || w.n_bool || w.n_void || w.n_float128 || w.n_complex)
        return name;
    const char *canonical = canonical_basic_name(name);
    if (!canonical)
        return name;
    strcpy(scratch, canonical);
    return scratch;
}

static const basic *basic_named(const char *name)
{
    for (size_t i = 0; i < sizeof BASICS / sizeof *BASICS; i++)
        if (strcmp(BASICS[i].name, name) == 0)
            return &BASICS[i];
    return NULL;
}

sym_type *sym_types_basic(sym_types *pool, const char *name)
{
    name = canonical_basic_name(name);
    if (!name)
        return NULL;
    sym_type *type = ebb_map_get(pool->basics, name);
    if (type)
        return type;
    const basic *b = basic_named(name);
    type = sym_types_add(pool, b->kind);
    type->name = b->name;
    type->nbytes = b->nbytes;
    type->is_signed = b->is_signed;
    if (b->kind == SYM_TYPE_COMPLEX)
        type->target = sym_types_basic(pool, b->name + strlen("complex "));
    ebb_map_set(pool->basics, name, type);
    return type;
}

/* ---- derived types ---------------------------------------------------------------------------- */

static sym_type *void_type(void)
{
    static sym_type type = {.kind = SYM_TYPE_VOID, .name = "void"};
    return &type;
}

/* Types that are derived from one by the same map in several ways; a type's address has room for them in its low bits. */
typedef enum derivation { DERIVE_PLAIN, DERIVE_LVALUE, DERIVE_RVALUE, DERIVE_PROTOTYPE = 1 } derivation;

static sym_type *derive_pointer(sym_types *pool, sym_type *target, derivation how)
{
    uint64_t key = (uintptr_t)target | how;
    sym_type *type = ebb_map_get_u64(pool->pointers, key);
    if (type)
        return type;
    type = sym_types_add(pool, SYM_TYPE_POINTER);
    type->target = target ? target : void_type();
    type->is_rust = type->target->is_rust;
    type->nbytes = 8;
    type->is_reference = how != DERIVE_PLAIN;
    type->is_rvalue = how == DERIVE_RVALUE;
    ebb_map_set_u64(pool->pointers, key, type);
    return type;
}

sym_type *sym_type_pointer_to(sym_types *pool, sym_type *target)
{
    return derive_pointer(pool, target, DERIVE_PLAIN);
}

sym_type *sym_type_reference_to(sym_types *pool, sym_type *target, bool is_rvalue)
{
    return derive_pointer(pool, target, is_rvalue ? DERIVE_RVALUE : DERIVE_LVALUE);
}

static sym_type *derive_function(sym_types *pool, sym_type *result, derivation how)
{
    uint64_t key = (uintptr_t)result | how;
    sym_type *type = ebb_map_get_u64(pool->functions, key);
    if (type)
        return type;
    type = sym_types_add(pool, SYM_TYPE_FUNCTION);
    type->target = result;
    type->is_prototyped = how == DERIVE_PROTOTYPE;
    ebb_map_set_u64(pool->functions, key, type);
    return type;
}

sym_type *sym_type_function_of(sym_types *pool, sym_type *result)
{
    return derive_function(pool, result, DERIVE_PLAIN);
}

sym_type *sym_type_prototype_of(sym_types *pool, sym_type *result)
{
    return derive_function(pool, result, DERIVE_PROTOTYPE);
}

sym_type *sym_type_array_of(sym_types *pool, sym_type *element, uint64_t count)
{
    uint64_t key = (uintptr_t)element;
    derived_array *first = ebb_map_get_u64(pool->arrays, key);
    for (derived_array *a = first; a; a = a->next)
        if (a->type->count == count)
            return a->type;
    derived_array *made = EBB_ARENA_NEW(&pool->arena, derived_array);
    made->type = sym_types_add(pool, SYM_TYPE_ARRAY);
    made->type->target = element;
    made->type->is_rust = element->is_rust;
    made->type->count_known = true;
    made->type->count = count;
    made->type->nbytes = count * sym_type_size(element);
    made->next = first;
    ebb_map_set_u64(pool->arrays, key, made);
    return made->type;
}

bool sym_type_kind_is_qualifier(sym_type_kind kind)
{
    return kind >= SYM_TYPE_CONST && kind <= SYM_TYPE_ATOMIC;
}

sym_type *sym_type_qualified(sym_types *pool, sym_type *target, sym_type_kind qualifier)
{
    if (!target)
        target = void_type();
    ebb_map *made = pool->qualified[qualifier - SYM_TYPE_CONST];
    sym_type *type = ebb_map_get_u64(made, (uintptr_t)target);
    if (type)
        return type;
    type = sym_types_add(pool, qualifier);
    type->target = target;
    type->nbytes = target->nbytes;
    ebb_map_set_u64(made, (uintptr_t)target, type);
    return type;
}

/* ---- questions -------------------------------------------------------------------------------- */

void sym_type_complete(sym_type *type)
{
    if (type && type->complete)
        type->complete(type);
}

sym_type *sym_type_strip(sym_type *type)
{
    for (int depth = 0; type && depth < MAX_DEPTH; depth++) {
        sym_type_complete(type);
        if (type->kind != SYM_TYPE_TYPEDEF && !sym_type_kind_is_qualifier(type->kind))
            return type;
        type = type->target;
    }
    return void_type();
}

uint64_t sym_type_size(sym_type *type)
{
    return sym_type_strip(type)->nbytes;
}

bool sym_type_is_integral(sym_type *type)
{
    sym_type_kind kind = sym_type_strip(type)->kind;
    return kind == SYM_TYPE_BOOL || kind == SYM_TYPE_CHAR || kind == SYM_TYPE_INT ||
           kind == SYM_TYPE_ENUM;
}

bool sym_type_is_arithmetic(sym_type *type)
{
    sym_type_kind kind = sym_type_strip(type)->kind;
    return sym_type_is_integral(type) || kind == SYM_TYPE_FLOAT || kind == SYM_TYPE_COMPLEX;
}

bool sym_type_is_scalar(sym_type *type)
{
    return sym_type_is_arithmetic(type) || sym_type_strip(type)->kind == SYM_TYPE_POINTER;
}

bool sym_type_is_aggregate(sym_type *type)
{
    sym_type_kind kind = sym_type_strip(type)->kind;
    return kind == SYM_TYPE_STRUCT || kind == SYM_TYPE_UNION || kind == SYM_TYPE_ARRAY;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same(sym_type *a, sym_type *b, int depth);

static bool same_parameters(const sym_type *a, const sym_type *b, int depth)
{
    if (a->n_params != b->n_params || a->is_variadic != b->is_variadic)
        return false;
    for (size_t i = 0; i < a->n_params; i++)
        if (!same(a->params[i], b->params[i], depth + 1))
            return false;
    return true;
}

static bool same_members(const sym_type *a, const sym_type *b, int depth)
{
    if (a->n_members != b->n_members)
        return false;
    for (size_t i = 0; i < a->n_members; i++)
        if (!same_text(a->members[i].name, b->members[i].name) ||
            a->members[i].offset != b->members[i].offset ||
            !same(a->members[i].type, b->members[i].type, depth + 1))
            return false;
    return true;
}

static bool same(sym_type *a, sym_type *b, int depth)
{
    a = sym_type_strip(a);
    b = sym_type_strip(b);
    if (a == b)
        return true;
    if (depth > 16 || a->kind != b->kind)
        return false;
    switch (a->kind) {
    case SYM_TYPE_MEMBER_POINTER: return same(a->owner, b->owner, depth + 1) && same(a->target, b->target, depth + 1);
    case SYM_TYPE_POINTER: return a->is_reference == b->is_reference && same(a->target, b->target, depth + 1);
    case SYM_TYPE_ARRAY:
        return a->count_known == b->count_known && a->count == b->count &&
               same(a->target, b->target, depth + 1);
    case SYM_TYPE_FUNCTION:
        return same(a->target, b->target, depth + 1) && same_parameters(a, b, depth);
    case SYM_TYPE_STRUCT:
    case SYM_TYPE_UNION:
        if (a->name || b->name)
            return same_text(a->name, b->name) &&
                   (a->nbytes == b->nbytes || a->is_declared_only || b->is_declared_only);
        return a->nbytes == b->nbytes && same_members(a, b, depth);
    case SYM_TYPE_ENUM:
        return same_text(a->name, b->name) && a->nbytes == b->nbytes &&
               a->n_enumerators == b->n_enumerators;
    default: return same_text(a->name, b->name) && a->nbytes == b->nbytes;
    }
}

bool sym_type_is_reference(sym_type *type)
{
    return sym_type_strip(type)->is_reference;
}

bool sym_type_same(sym_type *a, sym_type *b)
{
    return same(a, b, 0);
}

static bool find_member(sym_type *aggregate, const char *name, uint64_t base, int depth,
                        sym_member *member)
{
    aggregate = sym_type_strip(aggregate);
    if (depth > MAX_DEPTH ||
        (aggregate->kind != SYM_TYPE_STRUCT && aggregate->kind != SYM_TYPE_UNION))
        return false;
    for (size_t i = 0; i < aggregate->n_members; i++) {
        const sym_member *m = &aggregate->members[i];
        if (m->name && strcmp(m->name, name) == 0) {
            *member = *m;
            member->offset += base;
            return true;
        }
    }
    for (size_t i = 0; i < aggregate->n_members; i++) {
        const sym_member *m = &aggregate->members[i];
        if (!m->name && !m->is_virtual && find_member(m->type, name, base + m->offset, depth + 1, member))
            return true;
    }
    return false;
}

bool sym_type_find_member(sym_type *aggregate, const char *name, sym_member *member)
{
    return find_member(aggregate, name, 0, 0, member);
}

static bool find_inherited(sym_type *type, const char *name, int depth, sym_member *member)
{
    enum { MAX_BASES = 16 };
    type = sym_type_strip(type);
    if (find_member(type, name, 0, 0, member))
        return true;
    for (size_t i = 0; depth < MAX_BASES && i < type->n_members; i++)
        if (type->members[i].is_base && find_inherited(type->members[i].type, name, depth + 1, member)) {
            member->is_virtual = true;
            return true;
        }
    return false;
}

bool sym_type_find_inherited(sym_type *aggregate, const char *name, sym_member *member)
{
    return find_inherited(aggregate, name, 0, member);
}

/* ---- classes of C++ --------------------------------------------------------------------------- */

enum { MAX_CLASS_DEPTH = 16 };

static bool is_polymorphic(sym_type *type, unsigned depth)
{
    type = sym_type_strip(type);
    if (depth > MAX_CLASS_DEPTH || type->kind != SYM_TYPE_STRUCT)
        return false;
    for (size_t i = 0; i < type->n_methods; i++)
        if (type->methods[i].is_virtual)
            return true;
    for (size_t i = 0; i < type->n_members; i++)
        if (type->members[i].is_base && (type->members[i].is_virtual || is_polymorphic(type->members[i].type, depth + 1)))
            return true;
    return false;
}

bool sym_type_is_polymorphic(sym_type *type)
{
    return is_polymorphic(type, 0);
}

/* Whether a member function is one that copies, moves or ends an object, written by a person. */
static bool takes_code(const sym_type *type, const sym_method *method)
{
    if (method->is_artificial || method->is_defaulted)
        return false;
    if (method->name[0] == '~')
        return true;
    const char *last = type->name ? sym_name_last_part(type->name) : "";
    size_t n = sym_name_bare_length(last);
    if (strncmp(method->name, last, n) != 0 || method->name[n] || method->is_static)
        return false;
    sym_type *signature = sym_type_strip(method->type);
    return signature->n_params == 2 && sym_type_is_reference(signature->params[1]) &&
           sym_type_strip(sym_type_strip(signature->params[1])->target) == type;
}

static bool is_by_address(sym_type *type, unsigned depth)
{
    type = sym_type_strip(type);
    while (type->kind == SYM_TYPE_ARRAY && type->target)
        type = sym_type_strip(type->target);
    if (depth > MAX_CLASS_DEPTH || !type->is_cplus || (type->kind != SYM_TYPE_STRUCT && type->kind != SYM_TYPE_UNION))
        return false;
    for (size_t i = 0; i < type->n_methods; i++)
        if (takes_code(type, &type->methods[i]))
            return true;
    for (size_t i = 0; i < type->n_members; i++)
        if (!type->members[i].is_static && is_by_address(type->members[i].type, depth + 1))
            return true;
    return false;
}

bool sym_type_is_by_address(sym_type *type)
{
    return is_polymorphic(type, 0) || is_by_address(type, 0);
}
