/* java_eval.h - what the parts of Java's evaluator share.
 *
 * Generics are gone when a program runs: `names.get(0)` is an Object, whatever the source says.  So where the static type
 * doesn't allow what the expression does, the object's own class is asked; the static type comes first, because
 * overloading and hidden fields depend on it.
 *
 * JX1  with `types_only` nothing is called and nothing changes; what a call would give is a zero of its type, and null
 *      is no error;
 * JX2  with `is_pure` an assignment or a call is refused;
 * JX3  a String that exists only here (java_value.text) gets into the debuggee when it is passed; the world does it where one is
 *      assigned, since that may be another process than the one in which methods are called;
 * JX4  a value's type is never NULL: where a class isn't loaded, it is Object;
 * JX5  a lambda's body changes no variable of the program: an assignment is not done in the copy (JE2), which is in the middle of a call. */
#ifndef EBB_EXPR_JAVA_EVAL_H
#define EBB_EXPR_JAVA_EVAL_H

#include "expr/java.h"
#include "expr/tree.h"

/* A parameter of a lambda that is run, in those of the lambdas around it; or the variable of a pattern. */
typedef struct java_scope {
    const char *name;
    java_value value;
    const struct java_scope *around;
} java_scope;

/* What one run of a lambda needs for itself, so that a million of them don't add up. */
typedef struct java_run {
    ebb_arena arena, *home; /* home: of the whole evaluation */
    bool has_made_one;      /* a lambda that may outlive the run, and looks into its arena */
} java_run;

typedef struct java_closure java_closure; /* java_lambda.c */

typedef struct java_ev {
    ebb_arena *arena;
    const java_world *world;
    ebb_error *err;
    bool types_only, is_pure;
    bool may_call; /* the world was asked */
    bool is_lambda; /* the debuggee waits for what a lambda gives: JX5 */
    const java_scope *scope; /* NULL: no lambda is run, and no pattern has matched */
    struct java_run *run; /* the lambda that is; NULL: none */
} java_ev;

enum java_access {
    JAVA_ACC_STATIC = 0x8,
    JAVA_ACC_BRIDGE = 0x40,
    JAVA_ACC_VARARGS = 0x80,
    JAVA_ACC_ABSTRACT = 0x400,
    JAVA_ACC_SYNTHETIC = 0x1000,
    JAVA_ACC_ENUM = 0x4000,
};

/* ---- java_type.c: questions about types ------------------------------------------------------- */

/* The descriptor's letter: Z B C S I J F D V, L or [ for references, N for null's. */
char java_letter(java_ev *ev, const java_type *type);
bool java_is_reference(char code);
bool java_is_integral(char code); /* B C S I J */
bool java_is_numeric(char code);
const java_type *java_type_of(java_ev *ev, const char *descriptor); /* JX4 */
const java_type *java_type_of_code(java_ev *ev, char code);
bool java_is_class(java_ev *ev, const java_type *type, const char *descriptor);
bool java_is_string(java_ev *ev, const java_type *type);
bool java_is_bare(java_ev *ev, const java_type *type); /* a class of which only the name is known: no program is there */
/* As javac writes types in its messages: without the package. */
const char *java_type_text(java_ev *ev, const java_type *type);
/* What a box holds (Integer: I), 0 for other types; the box of a primitive. */
char java_unboxed_code(java_ev *ev, const java_type *type);
const java_type *java_box_type(java_ev *ev, char code);
/* JLS 4.10; primitives among each other as well: an int is a subtype of a long. */
bool java_is_subtype(java_ev *ev, const java_type *from, const java_type *to);
/* A name as written, "int[][]" or "Map.Entry". */
ebb_status java_type_named(java_ev *ev, const char *name, const java_type **type) EBB_MUST_CHECK;
/* A class that isn't loaded yet, or isn't initialised, by the name that the user wrote: in the copy (JE2).  NULL if that can't be. */
const java_type *java_load_class(java_ev *ev, const char *name);
/* The parameters of a method, into the arena; the result's type in *result (may be NULL). */
size_t java_params(java_ev *ev, const char *descriptor, const java_type ***params, const java_type **result);

/* ---- java_value.c: values --------------------------------------------------------------------- */

java_value java_integer(java_ev *ev, char code, int64_t i);
java_value java_real(java_ev *ev, char code, double d);
java_value java_boolean(java_ev *ev, bool is_true);
java_value java_text(java_ev *ev, const char *text);
bool java_is_null(const java_value *value);
/* The class of the object, or the static type if there is none. */
const java_type *java_dynamic_type(java_ev *ev, const java_value *value);
/* Primitives as they are, boxes (also where the static type says less) opened; null is an error.  *out has no place. */
ebb_status java_unbox(java_ev *ev, const java_value *value, java_value *out) EBB_MUST_CHECK;
/* What java_unbox would give, without reading: 0 if it is no primitive and no box. */
char java_primitive_code(java_ev *ev, const java_value *value);
/* JLS 5.1.2, 5.1.3 between primitives. */
java_value java_convert_primitive(java_ev *ev, const java_value *value, char to);
bool java_widens(char from, char to); /* identity included */

/* ---- java_convert.c: conversions to a type ---------------------------------------------------- */

/* JLS 5.2; `is_constant`: an int that fits may be narrowed. */
ebb_status java_assign_convert(java_ev *ev, const java_type *to, const java_value *value, bool is_constant, java_value *out) EBB_MUST_CHECK;
ebb_status java_cast(java_ev *ev, const java_type *to, const java_value *value, java_value *out) EBB_MUST_CHECK;
/* Makes a String out of one that exists only here. */
ebb_status java_materialise(java_ev *ev, java_value *value) EBB_MUST_CHECK;
/* Whether no object can ever be both: two classes of which neither descends from the other. */
bool java_are_distinct(java_ev *ev, const java_type *a, const java_type *b);
ebb_status java_instance_of(java_ev *ev, const java_value *value, const java_type *type, bool *out) EBB_MUST_CHECK;

/* ---- java_operate.c: operators on values ------------------------------------------------------- */

char java_promoted(char a, char b); /* JLS 5.6 */

ebb_status java_infix(java_ev *ev, expr_op op, const java_value *left, const java_value *right, java_value *out) EBB_MUST_CHECK;
ebb_status java_prefix(java_ev *ev, expr_op op, const java_value *operand, java_value *out) EBB_MUST_CHECK;
ebb_status java_as_boolean(java_ev *ev, const java_value *value, bool *out) EBB_MUST_CHECK;

/* ---- java_concat.c: values as String.valueOf shows them ---------------------------------------- */

ebb_status java_concat(java_ev *ev, const java_value *left, const java_value *right, java_value *out) EBB_MUST_CHECK;
/* Whether + with this operand joins strings. */
bool java_joins_text(java_ev *ev, const java_value *value);
void java_add_primitive(ebb_buf *text, char code, const java_value *value);

/* ---- java_name.c: what names mean -------------------------------------------------------------- */

typedef struct java_meaning {
    enum java_meaning_kind { JAVA_MEANS_VALUE, JAVA_MEANS_CLASS, JAVA_MEANS_PACKAGE } kind;
    java_value value;
    const java_type *type;
    const char *package; /* or what may be one: a name that is nothing else */
} java_meaning;

ebb_status java_resolve(java_ev *ev, const expr_node *node, java_meaning *meaning) EBB_MUST_CHECK;
/* Nothing has that name where the program stands. */
ebb_status java_fail_no_symbol(java_ev *ev, const char *name);
ebb_status java_eval_this(java_ev *ev, const expr_node *node, java_value *out) EBB_MUST_CHECK;
/* `this` seen as an instance of `type`: the receiver itself or one of those around it.  EBB_NOT_FOUND. */
ebb_status java_enclosing_instance(java_ev *ev, const java_type *type, java_value *out) EBB_MUST_CHECK;
/* What `super` or `scope.super` looks at: `this`, and the class whose members are meant. */
ebb_status java_eval_super(java_ev *ev, const expr_node *node, java_value *instance, const java_type **type) EBB_MUST_CHECK;
/* The class in whose text `inner` stands; NULL if it stands in none. */
const java_type *java_outer_class(java_ev *ev, const java_type *inner);
/* The field that holds the instance around one of that class; NULL: it has none. */
const java_member *java_outer_field(java_ev *ev, const java_type *type);
const java_member *java_find_field(java_ev *ev, const java_type *type, const char *name);
ebb_status java_get_field(java_ev *ev, uint64_t ref, const java_member *field, java_value *out) EBB_MUST_CHECK;
/* Says that `node` is null where an object is wanted: `Cannot read field "x" because "p.next" is null`. */
ebb_status java_fail_null(java_ev *ev, const char *what, const expr_node *node) EBB_MUST_CHECK;

/* ---- java_overload.c, java_call.c --------------------------------------------------------------- */

typedef struct java_choice {
    const java_member *method;
    const java_type **params;
    size_t n_params;
    const java_type *result;
    bool is_variable; /* the last arguments go into an array */
} java_choice;

/* The type that argument i meets, as the descriptor has it: its class is loaded if it wasn't yet. */
const java_type *java_param_loaded(java_ev *ev, const java_choice *choice, size_t i);

/* The method that the call means.  EBB_NOT_FOUND: the type has none of that name (then *err is untouched). */
ebb_status java_choose(java_ev *ev, const java_type *type, const char *name, const java_value *args, size_t n_args,
                       java_choice *choice) EBB_MUST_CHECK;
bool java_has_method(java_ev *ev, const java_type *type, const char *name);
ebb_status java_eval_call(java_ev *ev, const expr_node *node, java_value *out) EBB_MUST_CHECK;
ebb_status java_eval_new(java_ev *ev, const expr_node *node, java_value *out) EBB_MUST_CHECK;
/* Calls a method by name, with one argument or none (NULL); for toString, valueOf, intern.  Of an object, or static (NULL). */
ebb_status java_call_simple(java_ev *ev, const java_type *type, const java_value *receiver, const char *name, const java_value *arg,
                            java_value *out) EBB_MUST_CHECK;
/* A function of the debugger's own: java_pieces.c. */
ebb_status java_eval_function(java_ev *ev, const expr_node *node, java_value *out) EBB_MUST_CHECK;
/* JE2, JX2 */
ebb_status java_need_calls(java_ev *ev) EBB_MUST_CHECK;

/* Whether it has one of that name that can take so many arguments. */
bool java_has_method_taking(java_ev *ev, const java_type *type, const char *name, size_t n_args, bool is_static);

/* ---- java_lambda.c ------------------------------------------------------------------------------- */

bool java_is_functional(const expr_node *node); /* a lambda or a method reference */
/* As java_eval; but a lambda or a method reference gives a closure, for java_assign_convert or java_cast. */
ebb_status java_eval_operand(java_ev *ev, const expr_node *node, java_value *out) EBB_MUST_CHECK;
/* The one abstract method of an interface; NULL: it is no functional one. */
const java_member *java_functional_method(java_ev *ev, const java_type *type);
bool java_closure_fits(java_ev *ev, const java_closure *closure, const java_type *interface);
bool java_functional_is_more_specific(java_ev *ev, const java_type *a, const java_type *b);
ebb_status java_make_lambda(java_ev *ev, const java_type *interface, const java_closure *closure, java_value *out) EBB_MUST_CHECK;
/* A parameter of a lambda that is run. */
bool java_find_bound(const java_ev *ev, const char *name, java_value *out);

/* ---- java_array.c -------------------------------------------------------------------------------- */

ebb_status java_eval_new_array(java_ev *ev, const expr_node *node, java_value *out) EBB_MUST_CHECK;
ebb_status java_eval_index(java_ev *ev, const expr_node *node, java_value *out) EBB_MUST_CHECK;
ebb_status java_set_element(java_ev *ev, const java_value *array, uint32_t i, java_value *value) EBB_MUST_CHECK;

/* ---- java_eval.c --------------------------------------------------------------------------------- */

ebb_status java_eval(java_ev *ev, const expr_node *node, java_value *out) EBB_MUST_CHECK;
/* JLS 15.29, as far as literals go. */
bool java_is_constant(const expr_node *node);

#endif
