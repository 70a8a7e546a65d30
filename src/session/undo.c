/* undo.c - the undo log as the settings ask for it (machine/history.h, undo_set). */
#include "session/undo.h"
#include "base/sizes.h"
#include "session/settings_impl.h"

static void set_size(session *s)
{
    bool is_auto = ses_setting_is(s, "undo", "auto");
    uint64_t nbytes = ses_setting_number(s, "undo"); /* off is 0 */
    (void)!s->machine->history->undo_set(s->machine, is_auto ? 0 : nbytes, is_auto ? SES_UNDO_AUTO_BYTES : nbytes, NULL);
}

void ses_apply_undo(session *s)
{
    if (machine_can(s->machine, MACHINE_REWINDS) && s->machine->history->undo_set)
        set_size(s);
}
