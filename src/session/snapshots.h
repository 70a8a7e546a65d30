/* snapshots.h - the setting `snapshots`. */
#ifndef EBB_SESSION_SNAPSHOTS_H
#define EBB_SESSION_SNAPSHOTS_H

#include "session/state.h"

/* Tells the timeline how much memory snapshots may take. */
void ses_apply_snapshots(session *s);

#endif
