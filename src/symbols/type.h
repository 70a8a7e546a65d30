/* type.h - the types of a source language, as values are read with them.
 *
 * Types come from DWARF (made by the symbol readers, when first asked for) or are derived here
 * (pointer to, array of, C's basic types).  They live in a sym_types pool and never move.
 *
 * TY1  a type is complete once sym_type_complete has seen it: members, enumerators, parameters and
 *      size are then filled in.  Use the accessors below, which do that;
 * TY2  an incomplete `struct s;` completes to the definition of that name in another unit, if the
 *      program has one;
 * TY3  equal types may be several objects (one per unit): compare with sym_type_same. */
#ifndef EBB_SYMBOLS_TYPE_H
#define EBB_SYMBOLS_TYPE_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYM_TYPE_KINDS(X)                                                                          \
    X(SYM_TYPE_VOID)                                                                               \
    X(SYM_TYPE_BOOL)                                                                               \
    X(SYM_TYPE_CHAR) /* char, signed char, unsigned char, char16_t, wchar_t stays INT */           \
    X(SYM_TYPE_INT)                                                                                \
    X(SYM_TYPE_FLOAT)                                                                              \
    X(SYM_TYPE_COMPLEX)                                                                            \
    X(SYM_TYPE_ENUM)                                                                               \
    X(SYM_TYPE_POINTER)                                                                            \
    X(SYM_TYPE_MEMBER_POINTER) /* C++'s: of an object of `owner` */                                \
    X(SYM_TYPE_ARRAY)                                                                              \
    X(SYM_TYPE_STRUCT)                                                                             \
    X(SYM_TYPE_UNION)                                                                              \
    X(SYM_TYPE_FUNCTION)                                                                           \
    X(SYM_TYPE_TYPEDEF)                                                                            \
    X(SYM_TYPE_CONST)                                                                              \
    X(SYM_TYPE_VOLATILE)                                                                           \
    X(SYM_TYPE_RESTRICT)                                                                           \
    X(SYM_TYPE_ATOMIC)                                                                             \
    X(SYM_TYPE_UNKNOWN) /* the debug information is broken or names a kind that C doesn't have */

typedef enum sym_type_kind {
#define X(name) name,
    SYM_TYPE_KINDS(X)
#undef X
} sym_type_kind;

bool sym_type_kind_is_qualifier(sym_type_kind kind); /* CONST, VOLATILE, RESTRICT, ATOMIC */

typedef struct sym_type sym_type;
typedef struct sym_types sym_types; /* the pool */

typedef enum sym_access { SYM_PUBLIC, SYM_PROTECTED, SYM_PRIVATE } sym_access;

typedef struct sym_member {
    const char *name; /* NULL for an anonymous struct or union member */
    sym_type *type;
    uint64_t offset; /* bytes from the start of the aggregate */
    /* A bit-field: bits counted from the least significant bit of the little-endian bytes at
     * `offset`; nbits == 0 means that it isn't one. */
    unsigned bit_offset, nbits;
    /* C++ */
    sym_access access;
    bool is_base;       /* a base class: `name` is NULL */
    bool is_virtual;    /* a virtual base, whose place depends on the object: `offset` means nothing */
    bool is_static;     /* it is a variable of its own */
    bool is_artificial; /* the compiler's: a pointer to a table of functions */
    bool has_constant;  /* static, and all that is known of it: */
    int64_t constant;
} sym_member;

/* A member function. */
typedef struct sym_method {
    const char *name;
    sym_type *type; /* SYM_TYPE_FUNCTION */
    sym_access access;
    const char *linkage_name; /* by which its code is found; NULL if unknown */
    int table_index;          /* virtual: its place in the class's table of functions; -1 if unknown */
    bool is_virtual, is_static, is_const, is_artificial;
    bool is_defaulted; /* written `= default` */
} sym_method;

typedef struct sym_template_type {
    const char *name;
    sym_type *type;
} sym_template_type;

/* A typedef inside of a class. */
typedef struct sym_nested_name {
    const char *name; /* without the class's own */
    sym_type *type;   /* what it stands for */
    sym_access access;
} sym_nested_name;

/* One of the forms that an enum of Rust has. */
typedef struct sym_variant {
    bool is_default;   /* the one that it has if the discriminant is that of no other */
    uint64_t value;    /* of the discriminant: its bits, extended with zeros */
    sym_member member; /* its name, and a struct of its fields */
} sym_variant;

typedef struct sym_enumerator {
    const char *name;
    int64_t value;
} sym_enumerator;

struct sym_type {
    sym_type_kind kind;
    const char *name;  /* tag, basic or typedef name; NULL if it has none */
    uint64_t nbytes;   /* 0 for void, functions, incomplete types, arrays of unknown length */
    bool is_signed;    /* CHAR, INT, ENUM */
    bool is_declared_only; /* `struct s;`: see TY2 */
    bool is_variadic;  /* FUNCTION */
    bool is_prototyped; /* FUNCTION */
    bool has_this;     /* FUNCTION: of C++; its first parameter */
    bool count_known;  /* ARRAY */
    bool is_vector;    /* ARRAY: GNU C's vector_size */
    bool is_reference; /* POINTER: C++'s T & or, */
    bool is_rvalue;    /*   with this, T && */
    bool is_cplus;     /* a tag is a name of its own: no `struct` before it */
    bool is_rust;      /* written and shown as Rust does */
    bool is_class;     /* STRUCT: written `class` */
    bool is_scoped;    /* ENUM: written `enum class` */
    bool is_dynamic;   /* ARRAY: its length is computed, see sym_type_resolve_dynamic */
    uint64_t count;    /* ARRAY: elements.  C's a[2][3] is ARRAY 2 of ARRAY 3 */
    sym_type *target;  /* pointee, element, result (NULL is void), aliased or qualified type */
    sym_type *owner;   /* MEMBER_POINTER: the class; `target` is the member's type */
    const sym_member *members;
    size_t n_members;
    const sym_variant *variants; /* STRUCT of Rust: an enum whose forms have fields */
    size_t n_variants;
    sym_member discriminant; /* which of them it is; without a type where there is one form only */
    const sym_enumerator *enumerators;
    size_t n_enumerators;
    sym_type *const *params; /* FUNCTION */
    size_t n_params;
    const sym_method *methods; /* STRUCT, UNION of C++ */
    size_t n_methods;
    const sym_template_type *template_types; /* what a template of C++ was made with */
    size_t n_template_types;
    const sym_nested_name *nested_names; /* STRUCT, UNION of C++ */
    size_t n_nested_names;

    /* Set by the reader that made it; NULL once complete. */
    void (*complete)(sym_type *type);
    void *reader;        /* the reader's own */
    uint64_t reader_key; /* the reader's own */
};

sym_types *sym_types_new(void);
void sym_types_free(sym_types *pool); /* NULL is fine; frees every type of the pool */
sym_type *sym_types_add(sym_types *pool, sym_type_kind kind); /* zeroed otherwise */
void *sym_types_alloc(sym_types *pool, size_t nbytes); /* for members, ...: the pool's */
const char *sym_types_name(sym_types *pool, const char *name); /* the pool's copy; NULL stays NULL */

/* C's basic types, by canonical name: "int", "unsigned long", "char", "double", "long double",
 * "_Bool", "void", "__int128", ... ; also every other spelling ("long unsigned int").  NULL if it is
 * none.  They are named as gdb names literals' types: "unsigned long", "long", "int". */
sym_type *sym_types_basic(sym_types *pool, const char *name);

/* Derived types, each made once per pool. */
sym_type *sym_type_pointer_to(sym_types *pool, sym_type *target);
sym_type *sym_type_array_of(sym_types *pool, sym_type *element, uint64_t count);
sym_type *sym_type_reference_to(sym_types *pool, sym_type *target, bool is_rvalue); /* of C++ */
sym_type *sym_type_function_of(sym_types *pool, sym_type *result);
sym_type *sym_type_prototype_of(sym_types *pool, sym_type *result); /* without parameters: (void) */
sym_type *sym_type_qualified(sym_types *pool, sym_type *target, sym_type_kind qualifier);

void sym_type_complete(sym_type *type);

/* Without typedefs and qualifiers, completed, declarations replaced by definitions.  Never NULL. */
sym_type *sym_type_strip(sym_type *type);
uint64_t sym_type_size(sym_type *type); /* bytes of the stripped type */
bool sym_type_is_integral(sym_type *type);   /* BOOL, CHAR, INT, ENUM */
bool sym_type_is_arithmetic(sym_type *type); /* those, FLOAT and COMPLEX */
bool sym_type_is_scalar(sym_type *type);     /* those and POINTER */
bool sym_type_is_aggregate(sym_type *type);  /* STRUCT, UNION, ARRAY */
bool sym_type_same(sym_type *a, sym_type *b);
bool sym_type_is_reference(sym_type *type); /* of C++ */
/* A class of C++ whose objects are passed and returned by their address, since copying one or ending its life takes code of its own. */
bool sym_type_is_by_address(sym_type *type);
/* A class of C++ whose objects begin, themselves or in their first base, with a pointer to a table of functions. */
bool sym_type_is_polymorphic(sym_type *type);

/* The member of that name, also inside anonymous members and bases; `offset` is then the sum. False if none. */
bool sym_type_find_member(sym_type *aggregate, const char *name, sym_member *member);
/* The same, in virtual bases, too: `is_virtual` is set then, and `offset` means nothing. */
bool sym_type_find_inherited(sym_type *aggregate, const char *name, sym_member *member);
/* The form that an enum of Rust has with that discriminant; NULL if there is none. */
const sym_variant *sym_type_find_variant(const sym_type *type, uint64_t discriminant);
/* Whether Rust writes a struct's fields without names: (1, 2). */
bool sym_type_is_tuple(const sym_type *type);

/* How a base type of the debug information is called, as gdb does: "long unsigned int" is "unsigned
 * long".  Other names come back as they are.  `scratch` has room for the longest one. */
enum { SYM_BASIC_NAME_SIZE = 32 };
const char *sym_basic_canonical_name(const char *name, char scratch[SYM_BASIC_NAME_SIZE]);

/* "char *(*)[3]", "struct point", "int (*)(const char *, ...)" : C's own spelling, as gdb's whatis.
 * sym_type_declare wraps a name: "int (*compare)(const void *, const void *)". */
void sym_type_print(sym_type *type, ebb_buf *out);
void sym_type_declare(sym_type *type, const char *name, ebb_buf *out);

/* More or less than gdb's ptype shows. */
typedef enum sym_type_detail {
    SYM_DETAIL_OFFSETS = 1 << 0,     /* where each member lies, how big it is, and what is unused: gdb's ptype/o */
    SYM_DETAIL_HEX = 1 << 1,         /* in hexadecimal */
    SYM_DETAIL_NO_METHODS = 1 << 2,
    SYM_DETAIL_NO_TYPEDEFS = 1 << 3,
    SYM_DETAIL_RAW = 1 << 4,         /* typedefs of a class with its name, also inside of it */
} sym_type_detail;
/* As gdb's ptype: the outermost typedef is seen through, and struct, union and enum are opened. */
void sym_type_describe(sym_type *type, unsigned details, ebb_buf *out);

#endif
