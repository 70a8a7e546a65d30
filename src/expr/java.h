/* java.h - expressions with Java's rules.
 *
 * The same parser (in its Java dialect) makes the tree; this evaluator walks it with Java's promotions, string
 * concatenation, references and overload resolution, against a *java world* which the session implements.  There is
 * no memory and no address here: values are primitives and references.
 *
 *     total + 1     this.items[3].name     names.get(i).length()     (Circle) shape     o instanceof Runnable
 *     Counter.count     "n = " + n     x > 3 && y != null ? a : b     i = 7     $1, $name     new int[3], new Point(1, 2)
 *     list.stream().filter(x -> x > limit).count()     words.stream().map(String::length).toList()
 *     $_element(list, 3)     $_element(map, 0), $_key(map, 0): what a collection holds, without running anything
 *
 * JE1  XE1 and XE2 of expr.h hold here too;
 * JE2  what needs code of the debuggee to run (a method call, `new`, toString() in a concatenation, a class that must be
 *      loaded or initialised) asks for a scratch copy first (world->needs_calls); an assignment never does: it is meant to stay;
 * JE3  printing reads fields and elements only, also for the collections it knows by their insides; an object that it
 *      doesn't know is shown by its fields. */
#ifndef EBB_EXPR_JAVA_H
#define EBB_EXPR_JAVA_H

#include "expr/expr.h"

typedef struct java_type java_type; /* of a class, array or primitive; world's, compared by pointer */

typedef struct java_value {
    const java_type *type;  /* static type; the object's own is asked of the world */
    union {
        int64_t i;          /* boolean, byte, char, short, int, long */
        double d;           /* float, double */
        uint64_t ref;       /* 0 is null */
    };
    const char *text;       /* a String that exists only here (a literal, a concatenation): as java_text.h; ref is 0 then */
    /* Where it was found, so that it can be assigned to and watched. */
    enum java_place_kind { JAVA_PLACE_NONE, JAVA_PLACE_LOCAL, JAVA_PLACE_FIELD, JAVA_PLACE_STATIC, JAVA_PLACE_ELEMENT, JAVA_PLACE_CONVENIENCE } place;
    uint64_t holder;        /* FIELD, ELEMENT: the object or array */
    uint64_t which;         /* LOCAL: slot; FIELD, STATIC: field id; ELEMENT: index */
    const char *name;       /* CONVENIENCE */
    const struct java_closure *closure; /* a lambda whose interface isn't known yet: an argument, or about to be cast; NULL */
} java_value;

typedef struct java_member {
    const char *name, *descriptor; /* "(ILjava/lang/String;)V", "[I" */
    uint64_t id;
    uint16_t access;        /* JVM access flags */
    const java_type *holder;
} java_member;

typedef enum java_kind { JAVA_PRIMITIVE, JAVA_CLASS, JAVA_INTERFACE, JAVA_ARRAY, JAVA_NULL } java_kind;

/* A method to be called, and on what. */
/* The first units of a String, as many as were asked for. */
typedef struct java_string {
    const char *utf8; /* as java_text.h */
    uint32_t length;  /* how many units all of it has */
} java_string;

typedef struct java_call {
    uint64_t ref; /* 0: it is static */
    const java_member *method;
    bool is_virtual; /* the method that the object's class selects; else that very one */
    const java_value *args;
    size_t n_args;
} java_call;

/* A lambda of an expression: what the world does when the debuggee calls the method of its interface. */
typedef struct java_lambda {
    const java_member *method; /* args and result are as its descriptor says */
    ebb_status (*run)(struct java_lambda *lambda, const java_value *args, java_value *result, ebb_error *err);
} java_lambda;

typedef struct java_world {
    void *self;
    /* A descriptor as a type ("I", "[Ljava/lang/String;"); "V" is void, "null" the type of null, of kind JAVA_NULL.  NULL if there
     * is no such class. */
    const java_type *(*type)(void *self, const char *descriptor);
    /* A class by the name a user writes: full, simple (of the scope's package, java.lang, imported by nobody: unique among the
     * loaded ones), Outer.Inner.  NULL if there is none, or several: then err says which. */
    const java_type *(*find_class)(void *self, const char *name, ebb_error *err);
    const char *(*type_descriptor)(void *self, const java_type *type);
    const char *(*type_name)(void *self, const java_type *type); /* "java.util.Map$Entry", "int[]" */
    java_kind (*kind)(void *self, const java_type *type);
    const java_type *(*super)(void *self, const java_type *type);      /* NULL: none */
    size_t (*interfaces)(void *self, const java_type *type, const java_type **out, size_t at_most);
    const java_type *(*element)(void *self, const java_type *array);
    /* Members declared by this very class. */
    size_t (*fields)(void *self, const java_type *type, const java_member **out);  /* borrowed */
    size_t (*methods)(void *self, const java_type *type, const java_member **out);

    /* A local variable or parameter of the selected frame, captured variables included (val$x, this$0 chains are the
     * evaluator's business).  EBB_NOT_FOUND: with a text if something is known about that name, else without. */
    ebb_status (*local)(void *self, const char *name, java_value *value, ebb_error *err);
    ebb_status (*this_)(void *self, java_value *value, ebb_error *err); /* EBB_NOT_FOUND in a static method */
    const java_type *(*scope_class)(void *self);                        /* of the selected frame's method; NULL none */

    ebb_status (*class_of)(void *self, uint64_t ref, const java_type **type, ebb_error *err);
    ebb_status (*field_get)(void *self, uint64_t ref, const java_member *field, java_value *value, ebb_error *err); /* ref 0: static */
    ebb_status (*length)(void *self, uint64_t array, uint32_t *n, ebb_error *err);
    ebb_status (*elements)(void *self, uint64_t array, uint32_t from, uint32_t n, java_value *values, ebb_error *err);
    ebb_status (*string)(void *self, ebb_arena *arena, uint64_t ref, uint32_t at_most, java_string *out, ebb_error *err);
    ebb_status (*class_mirrored)(void *self, uint64_t mirror, const java_type **type, ebb_error *err); /* of a java.lang.Class object */
    ebb_status (*mirror)(void *self, const java_type *type, uint64_t *ref, ebb_error *err); /* the other way round; Foo.class */
    int32_t (*identity_hash)(void *self, uint64_t ref); /* 0: nobody asked for it yet */

    /* In the debuggee itself, whatever was called to get the value; a String that is only text is made there.  Ends what needs_calls
     * began.  EBB_UNSUPPORTED: the value is an object of the copy. */
    ebb_status (*assign)(void *self, const java_value *place, const java_value *value, ebb_error *err);
    ebb_status (*needs_calls)(void *self, ebb_error *err); /* JE2; may say that it can't */
    ebb_status (*call)(void *self, const java_call *call, java_value *result, ebb_error *err);
    ebb_status (*new_string)(void *self, const char *utf8, uint64_t *ref, ebb_error *err);
    ebb_status (*new_object)(void *self, const java_type *type, uint64_t *ref, ebb_error *err); /* before its constructor is called */
    ebb_status (*new_array)(void *self, const java_type *type, uint32_t length, uint64_t *ref, ebb_error *err);

    /* An object of that interface whose method runs the lambda, which lives as long as the evaluation; where calls go, so after
     * needs_calls.  EBB_UNSUPPORTED: they don't go to a copy. */
    ebb_status (*new_lambda)(void *self, const java_type *interface, java_lambda *lambda, uint64_t *ref, ebb_error *err);

    /* A class by its full name that isn't loaded or initialised yet, as the code of the scope would do it.  NULL: there is none. */
    const java_type *(*load_class)(void *self, const char *name, ebb_error *err);
    bool (*is_initialised)(void *self, const java_type *type);
    /* An element of an array that new_array has just made: where that went. */
    ebb_status (*set_element)(void *self, uint64_t array, uint32_t i, const java_value *value, ebb_error *err);

    /* A variable that was never set is of type void. */
    ebb_status (*get_convenience)(void *self, ebb_arena *arena, const char *name, java_value *value, ebb_error *err);
    ebb_status (*set_convenience)(void *self, const char *name, const java_value *value, ebb_error *err);
    ebb_status (*get_history)(void *self, ebb_arena *arena, long index_from, bool relative_to_end, java_value *value, ebb_error *err);
} java_world;

/* The tree lives in `arena`; names of types stay names until they are evaluated. */
ebb_status expr_java_parse(ebb_arena *arena, const char *text, const expr_node **tree, ebb_error *err) EBB_MUST_CHECK;
ebb_status expr_java_parse_prefix(ebb_arena *arena, const char *text, const expr_node **tree, const char **rest, ebb_error *err) EBB_MUST_CHECK;

ebb_status expr_java_eval(ebb_arena *arena, const java_world *world, const expr_node *tree, java_value *value, ebb_error *err) EBB_MUST_CHECK;
/* The value of a place without calling anything: EBB_UNSUPPORTED where the tree is no place (for watch, last-write). */
ebb_status expr_java_place(ebb_arena *arena, const java_world *world, const expr_node *tree, java_value *place, ebb_error *err) EBB_MUST_CHECK;
/* The static type, or the class where the tree names one; nothing runs, nothing changes. */
ebb_status expr_java_type_of(ebb_arena *arena, const java_world *world, const expr_node *tree, const java_type **type, bool *is_type_name, ebb_error *err) EBB_MUST_CHECK;
ebb_status expr_java_truth(const java_world *world, const java_value *value, bool *out, ebb_error *err) EBB_MUST_CHECK; /* boolean or Boolean */

/* As `print` shows it: 42, 'x', "text", null, an int[3] as {1, 2, 3}, [a, b] and {k=v} for collections, an object as
 * Point@1a2b {x = 1, y = 2}. */
ebb_status expr_java_print(ebb_arena *arena, const java_world *world, const expr_format *format, const java_value *value, ebb_buf *out, ebb_error *err) EBB_MUST_CHECK;
ebb_status expr_java_print_brief(ebb_arena *arena, const java_world *world, const expr_format *format, const java_value *value, ebb_buf *out, ebb_error *err) EBB_MUST_CHECK; /* a frame line */
/* What a collection holds, as print shows it and in that order; nothing is called (JE3).  False: it is none that is known. */
bool expr_java_pieces(ebb_arena *arena, const java_world *world, const java_value *value, bool *has_keys, uint64_t *n);
typedef struct java_piece {
    uint64_t i;
    bool has_key;
    java_value key, value; /* with their places, if they have any */
} java_piece;
typedef void expr_java_piece_fn(void *self, const java_piece *piece);
typedef struct java_page {
    uint64_t first, n; /* at most n */
    expr_java_piece_fn *each;
    void *self;
} java_page;
ebb_status expr_java_each_piece(ebb_arena *arena, const java_world *world, const java_value *value, const java_page *page, ebb_error *err) EBB_MUST_CHECK;

/* ptype: the class with its fields and methods, as a declaration. */
ebb_status expr_java_describe(ebb_arena *arena, const java_world *world, const java_type *type, ebb_buf *out, ebb_error *err) EBB_MUST_CHECK;

#endif
