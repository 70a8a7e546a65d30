/* when.c - the present position in time, and going to another. */
#include "session/stack.h"

#include <stdio.h>

ebb_status ses_when(session *s, bool to_instruction, char **text, ebb_error *err)
{
    SES_TRY(ses_need_debuggee(s, err));
    ebb_position now;
    SES_TRY(ebb_timeline_now(s->timeline, s->thread, &now, err));
    sym_line line;
    if (!to_instruction && sym_line_at(s->symbols, now.place, &line))
        *text = ebb_asprintf("%lu@%s:%u", (unsigned long)now.timestamp, ebb_path_base(line.name),
                             line.line);
    else
        *text = ebb_asprintf("%lu@0x%lx", (unsigned long)now.timestamp, (unsigned long)now.place);
    return EBB_OK;
}

ebb_status ses_goto(session *s, const char *position, ses_stop *stop, ebb_error *err)
{
    (void)position, (void)stop;
    SES_TRY(ses_need_debuggee(s, err));
    if (!machine_can(s->machine, MACHINE_REVERSES))
        return ebb_fail(err, EBB_NO_HISTORY,
                        "no history is kept yet, so there are no positions to go to");
    return ebb_fail(err, EBB_UNSUPPORTED, "no machine keeps positions to go to yet");
}
