/* core.c - core files: one that is opened is a debuggee that never moves. */
#include "session/core.h"
#include "session/c/c.h"
#include "session/launch.h"
#include "session/move.h"
#include "x86/core.h"
#include "x86/vm/vm.h"

bool ses_is_core(const session *s)
{
    x86_core_about about;
    return s->machine && s->language == &ses_language_c && x86_core_get_about(x86_vm_get_native(s->machine), &about);
}

ebb_status ses_need_process(session *s, ebb_error *err)
{
    EBB_TRY(ses_need_debuggee(s, err));
    return ses_is_core(s) ? ebb_fail(err, EBB_GONE, "The program is not being run.") : EBB_OK;
}

ebb_status ses_core_open(session *s, const char *path, ses_core *core, ses_stop *stop, ebb_error *err)
{
    machine *native;
    x86_core_about about;
    if (ses_has_debuggee(s) && !ses_is_core(s))
        return ebb_fail(err, EBB_BAD_INPUT, "A program is being debugged already; kill or detach it first.");
    EBB_TRY(x86_core_open(path, s->language == &ses_language_c ? s->program : NULL, &native, err));
    ses_launch_speak(s, &ses_language_c);
    ses_end(s);
    machine *m = x86_vm_new(native);
    x86_vm_set_mode(m, X86_MODE_NATIVE);
    EBB_TRY(ses_adopt_machine(s, m, true, err));
    ses_adopt_program(s);
    x86_core_get_about(native, &about);
    *core = (ses_core){.command = about.command, .signal = about.signal, .other_program = about.other_program};
    ses_standing_stop(s, SES_STOP_CORE, stop);
    stop->machine.signal = about.signal;
    return EBB_OK;
}

ebb_status ses_core_write(session *s, const char *path, ebb_error *err)
{
    if (s->language != &ses_language_c)
        return ebb_fail(err, EBB_UNSUPPORTED, "Core files are of native programs; `save` keeps the recording of a Java program.");
    if (!s->machine)
        return ebb_fail(err, EBB_GONE, "You can't do that without a process to debug.");
    bool by_signal = s->last_stop.kind == SES_STOP_SIGNAL && s->last_stop.thread == s->thread;
    return x86_vm_write_core(s->machine, path, s->thread, by_signal ? s->last_stop.machine.signal : 0, err);
}
