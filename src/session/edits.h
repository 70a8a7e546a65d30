/* edits.h - what the user set at this very stop.
 *
 * A replay that comes by an edit does it when it goes on from that moment (time/edits.h): at the moment itself everything is as
 * before.  So who asks about the past from the stop at which something was set would not be told of it.  What was set is
 * noted here, and is true as long as the program stands where it stood then.
 *
 * EH1  an edit is known by the data that it changed, and by its moment: a move forgets nothing and need not tell. */
#ifndef EBB_SESSION_EDITS_H
#define EBB_SESSION_EDITS_H

#include "session/state.h"
#include "time/queries.h"

/* Live: that place has another value since now.  Takes `old`, which is what it was, printed. */
void ses_edit_note(session *s, uint32_t space, uint64_t addr, char *old);
/* What it was before the first edit at this moment; borrowed; NULL: nobody set it here. */
const char *ses_edit_before(session *s, const ebb_data *data);
void ses_edits_fini(session *s);

#endif
