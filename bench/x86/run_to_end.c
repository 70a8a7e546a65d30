/* run_to_end native|vm|record PROGRAM ARG...: runs a program to its end under the x86 machine, in one of its modes or recorded, and
 * exits with its status.  What bench/x86/run measures. */
#include "x86/native.h"
#include "x86/vm/vm.h"

#include <stdio.h>
#include <string.h>

static int fail(const ebb_error *err)
{
    fprintf(stderr, "run_to_end: %s\n", err->text);
    return 125;
}

int main(int argc, char **argv)
{
    ebb_error err;
    machine *m;
    if (argc < 3)
        return 125;
    x86_launch launch = {.program = argv[2], .args = argv + 2};
    if (x86_native_launch(&launch, &m, &err) != EBB_OK)
        return fail(&err);
    if (strcmp(argv[1], "native") != 0)
        m = x86_vm_new(m);
    if (strcmp(argv[1], "record") == 0 && x86_vm_record(m, NULL, &err) != EBB_OK)
        return fail(&err);
    m->ops->signal_policy(m, 0, UINT64_MAX);
    machine_stop stop;
    do {
        machine_request run = {.move = MACHINE_RUN};
        if (m->ops->resume(m, &run, &stop, &err) != EBB_OK)
            return fail(&err);
    } while (stop.kind != MACHINE_STOP_EXITED && stop.kind != MACHINE_STOP_KILLED);
    m->ops->free(m);
    return stop.kind == MACHINE_STOP_EXITED ? stop.exit_status : 124;
}
