/* tree.h - an expression as parsed: what parse.c makes and eval.c walks.
 *
 * TE1  a tree lives in the arena it was parsed into and is never changed afterwards: it may be
 *     evaluated any number of times;
 * TE2  walking a tree recurses at most EXPR_MAX_DEPTH deep.  A left operand of an INFIX operator costs
 *     no depth, since chains like 1 + 1 + 1 + ... are walked by a loop: see expr_node.depth. */
#ifndef EBB_EXPR_TREE_H
#define EBB_EXPR_TREE_H

#include "expr/value.h"

/* Whose rules the text follows: bits, for the rows of operators.def. */
typedef enum expr_dialect { EXPR_C = 1, EXPR_JAVA = 2, EXPR_BOTH = 3 } expr_dialect;

typedef enum expr_op {
#define EXPR_OPERATOR(name, token, place, precedence, associativity, dialect) EXPR_OP_##name,
#include "expr/operators.def"
#undef EXPR_OPERATOR
    EXPR_N_OPS
} expr_op;

static inline bool expr_op_is_comparison(expr_op op)
{
    return op == EXPR_OP_EQ || op == EXPR_OP_NE || op == EXPR_OP_LT || op == EXPR_OP_LE || op == EXPR_OP_GT || op == EXPR_OP_GE;
}

static inline bool expr_op_is_bitwise(expr_op op)
{
    return op == EXPR_OP_AND || op == EXPR_OP_OR || op == EXPR_OP_XOR;
}

static inline bool expr_op_is_shift(expr_op op)
{
    return op == EXPR_OP_SHL || op == EXPR_OP_SHR || op == EXPR_OP_USHR;
}

typedef enum expr_op_place { EXPR_PREFIX, EXPR_POSTFIX, EXPR_INFIX, EXPR_ASSIGN } expr_op_place;

typedef struct expr_operator {
    const char *token;
    expr_op_place place;
    unsigned precedence;
    bool is_right_associative;
    expr_dialect dialect;
} expr_operator;

extern const expr_operator expr_operators[EXPR_N_OPS];

/* `+=` applies `+`: the INFIX operator that an ASSIGN one other than SET applies. */
expr_op expr_applied_operator(expr_op assign);

/* A literal of Java.  `code` is its descriptor's letter: Z C I J F D, L for a String, N for null. */
typedef struct expr_java_literal {
    char code;
    bool needs_minus; /* 2147483648, which is good after a minus only */
    int64_t i;
    double d;
    const char *text; /* L: as java_value.text */
} expr_java_literal;

enum { EXPR_MAX_DEPTH = 500 };

typedef enum expr_node_kind {
    EXPR_NODE_LITERAL,     /* value */
    EXPR_NODE_STRING,      /* value: an array; gets into the debuggee only where its address is needed */
    EXPR_NODE_NAME,        /* scope::name */
    EXPR_NODE_DOLLAR,      /* name is what follows the '$': rip, v, "", $, 3, $2 */
    EXPR_NODE_TYPE,        /* a type name where an expression could stand */
    EXPR_NODE_PREFIX,      /* op left */
    EXPR_NODE_POSTFIX,     /* left op: increment and decrement */
    EXPR_NODE_INFIX,       /* left op right */
    EXPR_NODE_ASSIGN,      /* left op right */
    EXPR_NODE_CONDITIONAL, /* left ? right : third */
    EXPR_NODE_INDEX,       /* left[right] */
    EXPR_NODE_MEMBER,      /* left.name or, with op ARROW, left->name */
    EXPR_NODE_CALL,        /* left(args) */
    EXPR_NODE_CAST,        /* (type) left */
    EXPR_NODE_DYNAMIC_CAST, /* dynamic_cast<type>(left) */
    EXPR_NODE_AT_ADDRESS,  /* {type} left */
    /* Java only.  In Java's dialect types are names (type_name: "int", "java.util.List", "Outer.Inner[][]"), in TYPE and
     * CAST too; a qualified name a.b.c is made of MEMBERs, whatever its parts will turn out to be. */
    EXPR_NODE_INSTANCEOF, /* left instanceof type_name; name: the variable that it is then, or NULL */
    EXPR_NODE_NEW,        /* new type_name(args) */
    EXPR_NODE_NEW_ARRAY,  /* new type_name: args are the lengths of its first dimensions, or left its ELEMENTS */
    EXPR_NODE_ELEMENTS,   /* {args}: only inside of a NEW_ARRAY */
    EXPR_NODE_CLASS,      /* type_name.class */
    EXPR_NODE_THIS,       /* this, or scope.this */
    EXPR_NODE_SUPER,      /* super, or scope.super: only as the left of a MEMBER or METHOD_REFERENCE */
    EXPR_NODE_LAMBDA,     /* args -> left: args are NAMEs, with a type_name where one is written */
    EXPR_NODE_METHOD_REFERENCE, /* left::name; the name may be `new` */
} expr_node_kind;

typedef struct expr_node expr_node;

struct expr_node {
    expr_node_kind kind;
    expr_op op;
    unsigned depth; /* TE2: how deep walking it recurses */
    const expr_node *left, *right, *third;
    const expr_node *const *args;
    size_t n_args;
    sym_type *type; /* of DEREF: the reference that a cast to T & made; NULL: none */
    const char *type_name;   /* Java's */
    const expr_value *value; /* LITERAL, STRING */
    const expr_java_literal *literal; /* LITERAL of Java */
    const char *scope; /* NULL: none; "": the file level */
    const char *name;
};

/* TE2: the INFIX nodes of a chain like 1 + 1 + 1 + ..., innermost first: each is the left operand of the next, the last is `node`. */
const expr_node *const *expr_infix_chain(ebb_arena *arena, const expr_node *node, size_t *n);

#endif
