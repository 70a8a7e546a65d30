/* mode.c - how the debuggee is executed: on the CPU itself, or translated.  See x86/vm/vm.h. */
#include "session/c/c.h"
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
    bool is_left = s->mode == SES_MODE_NATIVE && mode == SES_MODE_VM;
    s->mode = mode;
    if (!s->machine)
        return;
    ses_mode_apply(s);
    if (is_left && s->language->has_modes)
        ses_c_left_native_mode(s);
}

ses_mode ses_get_mode(const session *s)
{
    return s->mode;
}
