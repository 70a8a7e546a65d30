/* calls_made.c - the system calls that the program made, as the recording has them. */
#include "x86/recorded.h"
#include "x86/vm/history.h"

ebb_status vm_calls_made(machine *m, uint64_t before, void (*visit)(void *self, const machine_call *call), void *self, ebb_error *err)
{
    x86_vm *vm = vm_of(m);
    ebb_recording *recording;
    ebb_event event;
    ebb_status status;
    if (!vm->history)
        return ebb_fail(err, EBB_NO_HISTORY, "nothing is recorded");
    EBB_TRY(vm_history_recording(vm, &recording, err));
    EBB_TRY(ebb_recording_seek(recording, 0, err));
    while ((status = ebb_recording_next(recording, &event, err)) == EBB_OK && event.timestamp < before) {
        if (event.kind != X86_RECORDED_CALL)
            continue;
        machine_call call = {.time = event.timestamp, .number = ebb_values_u64(&event.values)};
        call.result = ebb_values_i64(&event.values);
        visit(self, &call);
    }
    return status == EBB_NO_HISTORY ? EBB_OK : status;
}
