/* jvm.c - the one machine of the process, and its end. */
#include "jvm/jvm.h"

#include "jvm/agent/agent.h"
#include "jvm/engine/invoke.h"
#include "jvm/explore/explore.h"
#include "jvm/record/record.h"
#include "jvm/natives/diagnose.h"
#include "jvm/threads/sanitizer.h"
#include "jvm/engine/throw.h"

#include <stdio.h>
#include <unistd.h>

void jvm_destroy(jvm_thread *t)
{
    jvm_wait_others(t);
    jvm.exiting = true;
    if (jvm_ensure_init(t, jvm.classes.Shutdown))
        jvm_callv(t, jvm.methods.Shutdown_shutdown);
    t->exception = NULL;
}

_Noreturn void jvm_halt(int status)
{
    if (jvm_explore_on)
        jvm_explore_exits(status);
    if (jvm_agent_on)
        jvm_agent_exits();
    jvm_record_exit(status);
    jvm_attach_close();
    fflush(NULL);
    if (jvm.options.exit_hook != NULL)
        jvm.options.exit_hook(status);
    jvm_sanitizer_exit();
    _exit(status);
}
