/* lambdas.h - what the invokedynamic of a lambda or a method reference makes, and of which method. */
#ifndef EBB_WEAVE_LAMBDAS_H
#define EBB_WEAVE_LAMBDAS_H

#include "weave/code.h"

typedef struct weave_lambda {
    weave_member body; /* {NULL...}: it is no lambda */
    weave_span type;   /* of the object, as a descriptor: Ljava/lang/Runnable; */
} weave_lambda;

weave_lambda weave_lambda_of(const weave_class *cls, const weave_insn *insn);

#endif
