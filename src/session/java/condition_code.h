/* condition_code.h - what the two halves of the compiler of Java's conditions share: values and operators, and names.
 *
 * The tree is walked once, and the code for a value is added when its node is met.  What is decided by the evaluator (expr/java.h)
 * at run time is decided here by static types, and where those leave it open (an Object in arithmetic, a field that only the object's
 * own class has) no code is made: the session tests such a condition.
 *
 * JC1  where code has an answer, it is the evaluator's.  Where the evaluator would fail, call or load something, it has none;
 * JC2  names mean what they mean at the place of the breakpoint, at the time when the code is made. */
#ifndef EBB_SESSION_JAVA_CONDITION_CODE_H
#define EBB_SESSION_JAVA_CONDITION_CODE_H

#include "expr/java_eval.h"
#include "session/java/java.h"

typedef struct ses_java_coder {
    session *s;
    java_ev ev;           /* for questions about types: nothing is evaluated */
    machine_place place;
    ses_java_variables variables; /* in scope there */
    EBB_VEC(machine_code) code;
    unsigned n_arms;      /* `? :` around what is looked at now */
    const char *why;      /* it can't be made: what it does that machines don't; NULL: it may be made later */
} ses_java_coder;

/* A value: on the stack, or a text that exists in the expression only. */
typedef struct ses_java_shape {
    const java_type *type;
    char code;        /* its descriptor's letter; N: null */
    const char *text; /* not NULL: nothing is on the stack */
} ses_java_shape;

void ses_java_coder_add(ses_java_coder *c, machine_code_op op, int64_t operand);
/* Why no code is made; always false. */
bool ses_java_coder_never(ses_java_coder *c, const char *why);
bool ses_java_coder_later(ses_java_coder *c);

ses_java_shape ses_java_shape_of(ses_java_coder *c, const java_type *type);
/* The type of that descriptor; false if its class isn't loaded. */
bool ses_java_shape_named(ses_java_coder *c, const char *descriptor, ses_java_shape *out);

/* condition_code.c */
bool ses_java_add_value(ses_java_coder *c, const expr_node *node, ses_java_shape *out);

/* condition_names.c */
bool ses_java_add_field(ses_java_coder *c, const java_member *field, ses_java_shape *out); /* of the object on top, or a static one */
bool ses_java_add_name(ses_java_coder *c, const expr_node *node, ses_java_shape *out);     /* NAME, MEMBER */
bool ses_java_add_this(ses_java_coder *c, const expr_node *node, ses_java_shape *out);

#endif
