/* settings_impl.h - settings as session/ reads them.  The names are checked: a wrong one is our bug. */
#ifndef EBB_SESSION_SETTINGS_IMPL_H
#define EBB_SESSION_SETTINGS_IMPL_H

#include "session/state.h"

void ses_settings_init(session *s);
void ses_settings_fini(session *s);

#endif
