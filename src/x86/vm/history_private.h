/* history_private.h - the state that history.h hides. */
#ifndef EBB_X86_VM_HISTORY_PRIVATE_H
#define EBB_X86_VM_HISTORY_PRIVATE_H

#include "x86/vm/history.h"
#include "x86/vm/worn.h"

/* A snapshot's word (time/copies.h). */
typedef struct vm_frozen {
    vm_worn worn;
    uint64_t number; /* of the first event that has not happened there */
} vm_frozen;

struct vm_history {
    ebb_copies *copies;
    ebb_recording *recording; /* NULL until somebody reads it */
    vm_worn live;             /* the program itself, while a copy replays */
    uint64_t live_number;     /* the first event that has not happened to it */
    vm_worn aside;            /* the copy that replays, while functions are called in another one (scratch.h) */
    ebb_pace pace;
    ebb_pace_rule rule;       /* the pace that was asked for */
    const char *gap;          /* why the past was lost, and is to begin anew; NULL: it was not */
    const char *begins_after; /* the same, of the last time: history reaches back to there */
    uint64_t taken_at;        /* the timestamp of the last snapshot of the live one */
    EBB_VEC(machine_listed) listed; /* of the last search */
};

/* copies.c */
/* The first event that has not happened to what is executed. */
ebb_status vm_copies_next_number(x86_vm *vm, uint64_t *number, ebb_error *err) EBB_MUST_CHECK;
ebb_status vm_copies_take(void *self, ebb_snapshot *out, ebb_error *err) EBB_MUST_CHECK;

#endif
