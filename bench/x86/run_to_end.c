/* run_to_end native|vm|record PROGRAM ARG...: runs a program to its end under the x86 machine, in one of its modes or recorded, and
 * exits with its status.  `keep FILE PROGRAM ARG...` keeps the recording; `replay FILE` runs that one to its end, `undo FILE` with an undo log of 64 MiB
 * at unit line.  What bench/x86/run measures. */
#include "machine/history.h"
#include "x86/native.h"
#include "x86/vm/vm.h"

#include <stdio.h>
#include <string.h>

static ebb_status open_recording(const char *how, const char *path, machine **m, ebb_error *err)
{
    enum { LOG_BYTES = 64 << 20 };
    EBB_TRY(x86_vm_open(path, m, err));
    x86_vm_set_tuning(*m, "line", true);
    return (*m)->history->undo_set(*m, 0, strcmp(how, "undo") == 0 ? LOG_BYTES : 0, err);
}

static ebb_status launch(const char *how, char **words, machine **m, ebb_error *err)
{
    bool keeps = strcmp(how, "keep") == 0;
    char **args = words + keeps;
    x86_launch launch = {.program = args[0], .args = args};
    EBB_TRY(x86_native_launch(&launch, m, err));
    if (strcmp(how, "native") != 0)
        *m = x86_vm_new(*m);
    return keeps || strcmp(how, "record") == 0 ? x86_vm_record(*m, keeps ? words[0] : NULL, err) : EBB_OK;
}

static ebb_status run(machine *m, machine_stop *stop, ebb_error *err)
{
    m->ops->signal_policy(m, 0, UINT64_MAX);
    do {
        machine_request run = {.move = MACHINE_RUN, .quiet = true}; /* so the undo log is kept all the way */
        EBB_TRY(m->ops->resume(m, &run, stop, err));
    } while (stop->kind != MACHINE_STOP_EXITED && stop->kind != MACHINE_STOP_KILLED);
    return EBB_OK;
}

int main(int argc, char **argv)
{
    ebb_error err;
    machine *m;
    machine_stop stop;
    if (argc < 3)
        return 125;
    bool replays = strcmp(argv[1], "replay") == 0 || strcmp(argv[1], "undo") == 0;
    ebb_status status = replays ? open_recording(argv[1], argv[2], &m, &err) : launch(argv[1], argv + 2, &m, &err);
    if (status != EBB_OK || run(m, &stop, &err) != EBB_OK) {
        fprintf(stderr, "run_to_end: %s\n", err.text);
        return 125;
    }
    m->ops->free(m);
    return stop.kind == MACHINE_STOP_EXITED ? stop.exit_status : 124;
}
