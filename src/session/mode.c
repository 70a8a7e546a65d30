/* mode.c - how the debuggee is executed: on the CPU itself, or translated.  See x86/vm/vm.h. */
#include "session/language.h"
#include "session/state.h"
#include "x86/vm/vm.h"

void ses_mode_apply(session *s)
{
    if (!s->language->has_modes)
        return;
    x86_vm_set_mode(s->machine, s->mode == SES_MODE_VM ? X86_MODE_VM : X86_MODE_NATIVE);
}

void ses_set_mode(session *s, ses_mode mode)
{
    s->mode = mode;
    if (s->machine)
        ses_mode_apply(s);
}

ses_mode ses_get_mode(const session *s)
{
    return s->mode;
}
