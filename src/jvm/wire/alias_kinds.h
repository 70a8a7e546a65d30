/* alias_kinds.h - kinds of aliases (flow/flow.h), the same at both ends of the socket. */
#ifndef EBB_JVM_WIRE_ALIAS_KINDS_H
#define EBB_JVM_WIRE_ALIAS_KINDS_H

#define JAVA_ALIAS_KINDS(X)                                                                                                         \
    X(UNKNOWN, "unknown")          /* not recorded: a switch left it out */                                                         \
    X(ALLOCATION, "allocation")                                                                                                     \
    X(PARAMETER, "parameter")      /* at the call, in the caller */                                                                 \
    X(RETURN, "return")            /* at the return instruction, in the callee; of a native method: no bytecode index */            \
    X(FIELD_READ, "field-read")    X(ARRAY_READ, "array-read")                                                                      \
    X(FIELD_WRITE, "field-write")  X(ARRAY_WRITE, "array-write")                                                                    \
    X(INIT, "init")                /* nothing wrote it since the object was made: the moment is that of the allocation */           \
    X(CONSTANT, "constant")        X(OPERATION, "operation")                                                                        \
    X(THROW, "throw")                                                                                                               \
    X(NATIVE, "native")            /* the native method in `place` gave or wrote it */                                              \
    X(COPY, "copy")                /* arraycopy or clone wrote it */                                                                \
    X(INVOCATION, "invocation")    /* a context: a call, at its first moment; its place is the callee's beginning */                \
    X(DROPPED, "dropped")          /* it was there, and was forgotten for lack of room */

typedef enum java_alias_kind {
#define X(name, text) JAVA_ALIAS_##name,
    JAVA_ALIAS_KINDS(X)
#undef X
    JAVA_N_ALIAS_KINDS
} java_alias_kind;

/* Whose alias is asked for. */
enum java_alias_of {
    JAVA_ALIAS_OF_FIELD,  /* of an object, of a class's mirror (a static), or an element: object, offset, nbytes */
    JAVA_ALIAS_OF_LOCAL,  /* frame, slot */
    JAVA_ALIAS_OF_STACK,  /* frame, slot from the bottom of the operand stack */
    JAVA_ALIAS_OF_OBJECT, /* where it was made */
    JAVA_ALIAS_NUMBERED,  /* one that was told before */
    JAVA_ALIAS_TRAVELS,   /* all that have this object as their value, oldest first */
};

/* What is recorded (flow/flow.h). */
enum java_flow_mode {
    JAVA_FLOW_OFF,
    JAVA_FLOW_ALL,
    JAVA_FLOW_WRITES, /* the last write of each field, static and element: no origins, no predecessors, nothing of local variables */
    JAVA_FLOW_NULLS,  /* values that are null only */
};

#endif
