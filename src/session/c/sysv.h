/* sysv.h - how the x86-64 System V ABI passes arguments and results. */
#ifndef EBB_SESSION_C_SYSV_H
#define EBB_SESSION_C_SYSV_H

#include "session/state.h"

typedef enum ses_sysv_class { SES_CLASS_NONE, SES_CLASS_INTEGER, SES_CLASS_SSE, SES_CLASS_X87, SES_CLASS_MEMORY } ses_sysv_class;

/* Classes of the eightbytes of a value; a value in memory has one, MEMORY.  n is 1 or 2. */
typedef struct ses_sysv_classes {
    ses_sysv_class of[2];
    unsigned n;
} ses_sysv_classes;
ses_sysv_classes ses_sysv_classify(sym_type *type);

/* The registers of the selected thread as a call begins: what goes where. */
typedef struct ses_sysv_call {
    uint64_t integers[6];
    unsigned n_integers;
    uint8_t vectors[8][16];
    unsigned n_vectors;
    ebb_buf stack;         /* what goes to memory, from the stack pointer upward */
    uint64_t result_at;    /* where a result in memory goes; 0 if it isn't */
} ses_sysv_call;
void ses_sysv_call_fini(ses_sysv_call *call);
/* `result_at`: memory for a result of that class; pass 0 if it is returned in registers. */
void ses_sysv_call_begin(ses_sysv_call *call, uint64_t result_at);
void ses_sysv_pass(ses_sysv_call *call, sym_type *type, const uint8_t *bytes);

/* The value of that type that a function which just returned left in the registers. */
ebb_status ses_sysv_result(session *s, ebb_arena *arena, sym_type *type, expr_value *value, ebb_error *err) EBB_MUST_CHECK;
/* Makes the registers hold the result: for `return EXPR`. */
ebb_status ses_sysv_set_result(session *s, sym_type *type, const uint8_t *bytes, ebb_error *err) EBB_MUST_CHECK;

#endif
