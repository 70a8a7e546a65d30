/* prepare.h - from bytecode to prepared instructions.
 *
 * Each bytecode becomes one jvm_insn: an operation number and operands decoded and widened, jumps
 * as distances in instructions.  Dispatch goes through a table of labels, so the same prepared code
 * runs under every variant of the interpreter: the variant is the table.
 *
 * PP1  insns[i] comes from the bytecode at bci[i]; bci is strictly increasing;
 * PP2  a superinstruction keeps the instructions after it intact, so any of them may be jumped to;
 * PP3  quickening replaces an instruction by one that does the same with less work, in place;
 * PP4  under a breakpoint the operation is kept elsewhere: who reads or changes that of an instruction which may have been
 *     running already uses jvm_insn_op and jvm_insn_set_op. */
#ifndef EBB_JVM_ENGINE_PREPARE_H
#define EBB_JVM_ENGINE_PREPARE_H

#include "jvm/classes/class.h"

enum jvm_xop_runs { JVM_RUNS_NONE, JVM_RUNS_CALLED, JVM_RUNS_LOADED }; /* xops.def */

enum jvm_xop {
#define JVM_XOP(name, first, runs) JVM_X_##name,
#include "jvm/engine/xops.def"
    JVM_NXOPS
};

enum { JVM_BARE = 256, JVM_NLABELS = 2 * JVM_BARE }; /* labels of a variant, by jvm_insn.label */
_Static_assert((int)JVM_NXOPS <= (int)JVM_BARE, "an operation fits into a byte");

struct jvm_insn {
    union {
        struct {
            uint8_t op; /* enum jvm_xop */
            uint8_t bare; /* bare.h */
        };
        uint16_t label;
    };
    uint16_t a;        /* local, argument slots, constant pool index */
    int32_t b;         /* jump distance, amount, offset, second local */
    union {
        jvm_slot value;
        void *p;
        jvm_class *cls;
        jvm_method *method;
        char *address;
        struct jvm_switch *jumps;
        struct jvm_inline_cache *cache;
        struct jvm_call_site *site;
    } c;
};
typedef struct jvm_insn jvm_insn;

/* Both switches: sorted keys for lookupswitch, consecutive ones for tableswitch. */
typedef struct jvm_switch {
    int32_t low, n, other;  /* `other`: distance of the default */
    int32_t *keys;          /* lookupswitch only */
    int32_t distances[];
} jvm_switch;

typedef struct jvm_inline_cache { /* of an invokeinterface */
    const jvm_class *cls;         /* receiver class seen last */
    jvm_method *target;
    jvm_method *declared;
    struct jvm_inline_cache *next; /* of the same class */
} jvm_inline_cache;

typedef struct jvm_code_handler {
    uint32_t start, end, target; /* instruction indexes */
    uint16_t type;               /* constant pool index, 0 for any */
} jvm_code_handler;

struct jvm_code {
    uint32_t n;
    jvm_insn *insns;
    uint16_t *bci;
    uint16_t nhandlers;
    jvm_code_handler *handlers;
    uint64_t since;       /* the moment at which it was made */
};

/* Makes m->code from m->bytes and chooses m->entry.  False: VerifyError pending (code that no
 * verifier would pass, found in an unverified class). */
bool jvm_prepare(jvm_thread *t, jvm_method *m);

int32_t jvm_code_index(const jvm_code *code, uint32_t bci); /* -1: no instruction starts there */
const char *jvm_xop_name(enum jvm_xop op);
uint16_t jvm_xop_first(uint16_t op);    /* what a superinstruction replaced; others: themselves */
bool jvm_xop_calls(uint16_t op);        /* may enter a method */
bool jvm_xop_may_run_others(uint16_t op); /* executed alone, it may run other code of the program */
bool jvm_xop_may_share(uint16_t op);    /* executed alone, touches a field, an element or a lock, calls, or initialises a class: it may be a switch point */
bool jvm_xop_may_be_quickened(uint16_t op); /* made by quickening (PP3), or a constant, which may have been there from the beginning */
bool jvm_xop_writes_heap(uint16_t op);  /* a field or an element */
bool jvm_xop_passes_references(uint16_t op); /* reads or writes a field or an element, calls, returns or throws */
bool jvm_xop_touches_data(uint16_t op); /* reads or writes a field, an element or a local variable that others may watch */

/* PP4 (agent/points.c) */
uint16_t jvm_insn_op(const jvm_insn *in);
void jvm_insn_set_op(jvm_insn *in, uint16_t op);

#endif
