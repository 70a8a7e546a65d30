/* worn.h - what VM mode knows of the process that it executes just now: put aside and brought back together with that process.
 *
 * Some of it is about the threads, some about what the runtime in that process was last told (points, watches, tuning).  A copy has
 * the memory of its original, so the runtime in it knows the same. */
#ifndef EBB_X86_VM_WORN_H
#define EBB_X86_VM_WORN_H

#include "x86/body.h"
#include "x86/vm/private.h"

typedef struct vm_worn {
    x86_body body;
    vm_thread_list threads;
    EBB_VEC(uint64_t) spare_regions;
    vm_sites sites;
    vm_copy sites_copy, conditions_copy, watches_copy, watched_bytes, notes_copy;
    bool watching, watching_reads, watching_stores, flush, is_given;
    x86_tuning tuning_told;
    vm_stop_list pending;
    uint64_t home_used, time;
    machine_tid last;
    uint32_t n_numbers;
    bool installed, replaying;
    vm_undo undo;
} vm_worn;

/* What is executed goes to *other, and the other way round. */
void vm_wear(x86_vm *vm, vm_worn *other);
/* A copy of what is executed; its threads stand still where these do. */
ebb_status vm_worn_fork(x86_vm *vm, vm_worn *out, ebb_error *err) EBB_MUST_CHECK;
void vm_worn_end(vm_worn *worn); /* and its process with it */

#endif
