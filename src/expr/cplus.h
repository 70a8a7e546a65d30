/* cplus.h - what C++ adds to calls and operators: functions that share a name, member functions, operators of classes.
 *
 * Which function a name means depends on what it is given.  The functions that come into question are its *candidates*: those of a class are told by its
 * type, others by their name.  Each argument is compared with its parameter; the candidate whose arguments need the least conversion is called.
 *
 * CP1  a conversion that would run code of the program (a constructor, a conversion function) is none: such a candidate is out of the question;
 * CP2  a virtual function is that of the class that the object really is of, which the name of its table tells;
 * CP3  two candidates that are equally good are an error, unless they are the same code. */
#ifndef EBB_EXPR_CPLUS_H
#define EBB_EXPR_CPLUS_H

#include "expr/eval.h"

typedef struct expr_args {
    expr_value *items;
    size_t n;
} expr_args;

/* overload.c */

typedef struct expr_candidate {
    sym_type *type;           /* FUNCTION */
    uint64_t addr;            /* 0: not looked for yet */
    const sym_method *method; /* NULL: not of a class */
} expr_candidate;

typedef struct expr_candidates {
    const char *name; /* which all of them have */
    const expr_candidate *items;
    size_t n;
    bool of_const;    /* of an object that can't be changed */
} expr_candidates;

/* The one that is meant; an object's own `this` is not among the arguments. */
ebb_status expr_overload_choose(expr_ev *ev, const expr_candidates *among, const expr_args *args, const expr_candidate **chosen) EBB_MUST_CHECK;
/* The argument as the parameter wants it: converted, or, for a reference, its address. */
ebb_status expr_overload_pass(expr_ev *ev, sym_type *param, expr_value *arg) EBB_MUST_CHECK;
/* An object as one of its bases; false if that class is none of them. */
bool expr_base_of(expr_ev *ev, const expr_value *object, sym_type *base, expr_value *out);

/* method.c */

/* object.name(args); EBB_NOT_FOUND, without a message, if its class has no such function. */
ebb_status expr_method_call(expr_ev *ev, const expr_value *object, const char *name, const expr_args *args, expr_value *out) EBB_MUST_CHECK;
/* object.name without a call: the function of the declared class; EBB_NOT_FOUND as above. */
ebb_status expr_method_value(expr_ev *ev, const expr_value *object, const char *name, expr_value *out) EBB_MUST_CHECK;
/* What an operator of C++ gives if one of the operands is an object; EBB_NOT_FOUND as above.  `right` may be NULL. */
ebb_status expr_operator_call(expr_ev *ev, const char *token, const expr_value *left, const expr_value *right, expr_value *out) EBB_MUST_CHECK;
/* name(args) where several functions have that name, or one of the class that `this` is of; EBB_NOT_FOUND as above. */
ebb_status expr_named_call(expr_ev *ev, const expr_node *callee, const expr_args *args, expr_value *out) EBB_MUST_CHECK;
/* The whole object that this one is a part of, of the class that it really is of; false if that can't be told. */
bool expr_dynamic_object(expr_ev *ev, const expr_value *object, expr_value *out);

/* Classes whose pointers are cast into each other: the address of the one inside of the other.  Others keep theirs. */
ebb_status expr_class_cast(expr_ev *ev, sym_type *to, sym_type *from, uint64_t *addr) EBB_MUST_CHECK;
/* object.Base::member: the object as that base. */
ebb_status expr_as_base(expr_ev *ev, const char *base, bool is_arrow, expr_value *object) EBB_MUST_CHECK;

/* member_pointer.c: &Class::member, object.*pointer, pointer->*pointer, and words that C++ has for values. */
bool expr_word_value(expr_ev *ev, const expr_node *name, expr_value *out); /* true, false, nullptr */
bool expr_member_pointer(expr_ev *ev, const expr_node *name, expr_value *out);
ebb_status expr_member_at(expr_ev *ev, expr_value *object, expr_value *pointer, bool is_arrow, expr_value *out) EBB_MUST_CHECK;
/* (object.*pointer)(args) */
ebb_status expr_member_at_call(expr_ev *ev, const expr_node *callee, const expr_args *args, expr_value *out) EBB_MUST_CHECK;
ebb_status expr_dynamic_cast(expr_ev *ev, const expr_node *node, expr_value *out) EBB_MUST_CHECK;

#endif
