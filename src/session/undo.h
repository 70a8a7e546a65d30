/* undo.h - the settings `undo`, `undo-classes` and `undo-from`. */
#ifndef EBB_SESSION_UNDO_H
#define EBB_SESSION_UNDO_H

#include "session/state.h"

/* Tells the machine, if it keeps an undo log. */
void ses_apply_undo(session *s);

#endif
