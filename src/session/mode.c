/* mode.c - how the debuggee is executed, where its language has a choice: on the CPU itself, or translated. */
#include "session/language.h"
#include "session/state.h"

void ses_set_mode(session *s, ses_mode mode)
{
    ses_mode before = s->mode;
    s->mode = mode;
    if (s->machine)
        s->language->mode_changed(s, before);
}

ses_mode ses_get_mode(const session *s)
{
    return s->mode;
}
