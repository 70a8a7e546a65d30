/* embedded.h - the programs and libraries that an execution has used, and that belong into its recording (time/recording_files.h).
 *
 * A recording that is kept gets each as soon as it is known; one that only a session needs when it is saved.
 *
 * EM1  a file that can't be read any more is left out: its code is in the recording all the same, its symbols are not. */
#ifndef EBB_X86_VM_EMBEDDED_H
#define EBB_X86_VM_EMBEDDED_H

#include "base/mem.h"
#include "time/recording.h"

typedef struct vm_embedded {
    EBB_VEC(char *) names; /* owned; absolute paths */
    size_t n_written;      /* of these, to the recording itself */
} vm_embedded;

void vm_embedded_note(vm_embedded *e, const char *name, size_t nbytes);
/* Those that are not there yet, into the recording itself. */
ebb_status vm_embedded_write(vm_embedded *e, ebb_recorder *rec, ebb_error *err) EBB_MUST_CHECK;
/* Those from number `first` on, into another one: a copy of it (from `n_written`), or one that begins later (from 0). */
ebb_status vm_embedded_write_from(const vm_embedded *e, size_t first, ebb_recorder *rec, ebb_error *err) EBB_MUST_CHECK;
void vm_embedded_fini(vm_embedded *e);

#endif
