/* native.h - what a machine of machine code adds to machine.h: registers, the files that its code comes from, thread-local
 * memory. */
#ifndef EBB_MACHINE_NATIVE_H
#define EBB_MACHINE_NATIVE_H

#include "machine/call_set.h"
#include "machine/flow.h"
#include "machine/machine.h"

#include <signal.h>

/* A file whose code is in the debuggee. */
typedef struct machine_module {
    const char *path; /* as the debuggee named it; "[vdso]" for the kernel's own */
    const char *file; /* where ebb finds its bytes; NULL: at `path`.  Another one for a program that was recorded */
    uint64_t bias;    /* run-time address minus address in the file */
    uint64_t lo, hi;  /* span of run-time addresses that it covers */
    uint64_t link_map; /* address of the loader's record, for thread-local variables; 0 if none */
} machine_module;

typedef enum machine_reg_group {
    MACHINE_REG_GENERAL,
    MACHINE_REG_FLAGS,
    MACHINE_REG_SEGMENT,
    MACHINE_REG_FLOAT,
    MACHINE_REG_VECTOR,
    MACHINE_REG_SYSTEM,
} machine_reg_group;

typedef struct machine_reg {
    const char *name;
    int dwarf; /* its DWARF number, -1 if it has none */
    unsigned nbytes;
    machine_reg_group group;
} machine_reg;

enum { MACHINE_REG_MAX_BYTES = 64 };

/* Every function may be called only while the debuggee stands still (MA1). */
struct machine_native_ops {
    const machine_reg *(*registers)(machine *m, size_t *n); /* static table; index is "reg" below */
    ebb_status (*reg_read)(machine *m, machine_tid tid, unsigned reg, void *bytes, ebb_error *err);
    ebb_status (*reg_write)(machine *m, machine_tid tid, unsigned reg, const void *bytes, ebb_error *err);
    const machine_module *(*modules)(machine *m, size_t *n);  /* borrowed until the next resume */
    /* Address of a thread-local block of a module (the DTV's answer). */
    ebb_status (*tls_block)(machine *m, machine_tid tid, const machine_module *module, uint64_t *block, ebb_error *err);
    /* The siginfo_t of what the thread last stopped for; false: there is none. */
    bool (*siginfo)(machine *m, machine_tid tid, siginfo_t *info);
    /* What the bytes of a WRITE point, at most 8, were before the change that was told last; false: that is not known.  NULL: never. */
    bool (*point_was)(machine *m, machine_point_id id, uint64_t *was);
    /* Which calls MACHINE_EVENT_SYSCALL need be told of; at first, all.  Others may be told all the same.  NULL where this saves nothing. */
    void (*calls_wanted)(machine *m, const machine_call_set *calls);
    machine_place (*entry)(machine *m);                  /* run-time address of its entry point */
    /* What the kernel told the program as it began, as /proc/PID/auxv has it: as many bytes as there are, and fit. */
    size_t (*auxv)(machine *m, void *bytes, size_t most);
    /* The call that returns to `back`, found by decoding from `start`, where an instruction begins; 0 if there is none.
     * If `start` is 0, no beginning is known: then it is the call that ends there by most ways of decoding what comes before. */
    machine_place (*call_before)(machine *m, machine_place start, machine_place back);
    /* What the instruction at which the thread stands is going to do to a datum (flow.h). */
    ebb_status (*flow)(machine *m, machine_tid tid, const machine_datum *wanted, machine_flow *out, ebb_error *err);
    /* Whether the instruction at that place may set some of a register, or calls what may.  The place of the next one; 0: there is no instruction. */
    machine_place (*sets)(machine *m, machine_place at, unsigned reg, bool *sets);
    /* The system calls in the recording before that timestamp, in their order.  NULL: none are recorded. */
    ebb_status (*calls)(machine *m, uint64_t before, void (*visit)(void *self, const machine_call *call), void *self, ebb_error *err);
};

/* Index of the register with that name or DWARF number; -1 if there is none. */
int machine_reg_by_name(machine *m, const char *name);
int machine_reg_by_dwarf(machine *m, int dwarf);

/* A register of at most 8 bytes as a number. */
ebb_status machine_reg_get_u64(machine *m, machine_tid tid, unsigned reg, uint64_t *value, ebb_error *err) EBB_MUST_CHECK;
ebb_status machine_reg_set_u64(machine *m, machine_tid tid, unsigned reg, uint64_t value, ebb_error *err) EBB_MUST_CHECK;

#endif
