/* core.c - a core file of a program in VM mode: its threads are parked, so only the runtime's memory has to be left out (XC2). */
#include "x86/core.h"
#include "x86/vm/private.h"

ebb_status x86_vm_write_core(machine *m, const char *path, machine_tid first, int signal, ebb_error *err)
{
    x86_vm *vm = vm_of(m);
    x86_own own = {0};
    x86_hidden hidden[X86_MAX_OWN];
    x86_core_wish wish = {.hidden = hidden, .first = first, .signal = signal};
    if (signal && !m->native->siginfo(m, first, &wish.info))
        wish.info = (siginfo_t){.si_signo = signal};
    if (vm->installed)
        EBB_TRY(machine_read(vm->native, vm->exports.own, &own, sizeof own, err));
    for (; wish.n_hidden < own.n && wish.n_hidden < X86_MAX_OWN; wish.n_hidden++)
        hidden[wish.n_hidden] = (x86_hidden){own.ranges[wish.n_hidden].lo, own.ranges[wish.n_hidden].hi};
    return x86_core_write(vm->native, path, &wish, err);
}
