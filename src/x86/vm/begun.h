/* begun.h - what a recording of a native program begins with (x86/recorded.h), read again.
 *
 * BN1  foreign bytes: whatever is here was looked at, and makes sense: mappings are whole pages of a program's, in ascending order, none over another. */
#ifndef EBB_X86_VM_BEGUN_H
#define EBB_X86_VM_BEGUN_H

#include "base/mem.h"
#include "time/recording.h"
#include "x86/shared.h"
#include "x86/stub.h"

#include <sys/user.h>

typedef struct vm_begun_thread {
    pid_t tid;
    struct user_regs_struct regs;
    uint8_t *vectors; /* owned */
    size_t n_vectors;
    uint32_t number; /* by the order in which the program made them */
    char name[X86_NAME_BYTES];
} vm_begun_thread;

typedef struct vm_begun {
    EBB_VEC(x86_stub_memory) memory;
    EBB_VEC(vm_begun_thread) threads; /* the one that runs first comes first */
    uint64_t time;
    uint64_t number; /* of the first event after the beginning */
    pid_t pid, last; /* `last`: the thread that executed last; 0: none did */
    uint32_t n_numbers; /* how many threads there had been */
    uint64_t brk, vdso, stack_limit;
    char *program; /* owned */
    uint8_t *auxv; /* owned */
    size_t n_auxv;
} vm_begun;

/* *out is to be fini'd in either case. */
ebb_status vm_begun_read(ebb_recording *r, vm_begun *out, ebb_error *err) EBB_MUST_CHECK;
void vm_begun_fini(vm_begun *b);

/* Each piece of memory that is not all zero, in order. */
typedef ebb_status vm_begun_piece(void *self, uint64_t at, const uint8_t *bytes, size_t nbytes, ebb_error *err);
ebb_status vm_begun_each_piece(const vm_begun *b, ebb_recording *r, vm_begun_piece *each, void *self, ebb_error *err) EBB_MUST_CHECK;

#endif
