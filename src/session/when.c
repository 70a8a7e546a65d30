/* when.c - the present position in time, and going to another. */
#include "session/language.h"
#include "session/stack.h"

#include <string.h>

bool ses_is_position(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return digits > 0 && text[digits] == '@';
}

ebb_status ses_when(session *s, bool to_instruction, char **text, ebb_error *err)
{
    SES_TRY(ses_need_debuggee(s, err));
    ebb_position now;
    SES_TRY(ebb_timeline_now(s->timeline, s->thread, &now, err));
    ebb_buf words = {0};
    ebb_buf_addf(&words, "%lu@", (unsigned long)now.timestamp);
    s->language->place_words(s, now.place, to_instruction, &words);
    *text = ebb_buf_take(&words);
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
