/* tree.h - an expression as parsed: what parse.c makes and eval.c walks.
 *
 * T1  a tree lives in the arena it was parsed into and is never changed afterwards: it may be
 *     evaluated any number of times;
 * T2  walking a tree recurses at most EXPR_MAX_DEPTH deep.  A left operand of an INFIX operator costs
 *     no depth, since chains like 1 + 1 + 1 + ... are walked by a loop: see expr_node.depth. */
#ifndef EBB_EXPR_TREE_H
#define EBB_EXPR_TREE_H

#include "expr/value.h"

typedef enum expr_op {
#define EXPR_OPERATOR(name, token, place, precedence, associativity) EXPR_OP_##name,
#include "expr/operators.def"
#undef EXPR_OPERATOR
    EXPR_N_OPS
} expr_op;

typedef enum expr_op_place { EXPR_PREFIX, EXPR_POSTFIX, EXPR_INFIX, EXPR_ASSIGN } expr_op_place;

typedef struct expr_operator {
    const char *token;
    expr_op_place place;
    unsigned precedence;
    bool is_right_associative;
} expr_operator;

extern const expr_operator expr_operators[EXPR_N_OPS];

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
    EXPR_NODE_AT_ADDRESS,  /* {type} left */
} expr_node_kind;

typedef struct expr_node expr_node;

struct expr_node {
    expr_node_kind kind;
    expr_op op;
    unsigned depth; /* T2: how deep walking it recurses */
    const expr_node *left, *right, *third;
    const expr_node *const *args;
    size_t n_args;
    sym_type *type;
    const expr_value *value; /* LITERAL, STRING */
    const char *scope; /* NULL: none; "": the file level */
    const char *name;
};

#endif
