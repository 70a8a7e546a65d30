/* undo.c - the undo log as the settings ask for it (machine.h, undo_set, undo_choose). */
#include "session/undo.h"
#include "session/settings_impl.h"

#include <string.h>

enum { REPLAY_NBYTES = 64 << 20 }; /* `auto`: in the past it costs nobody anything */

static void set_size(session *s)
{
    bool is_auto = ses_setting_is(s, "undo", "auto");
    uint64_t nbytes = ses_setting_number(s, "undo"); /* off is 0 */
    (void)!s->machine->ops->undo_set(s->machine, is_auto ? 0 : nbytes, is_auto ? REPLAY_NBYTES : nbytes, NULL);
}

static void set_choice(session *s)
{
    ebb_arena arena = {0};
    EBB_VEC(const char *) patterns = {0};
    const char *first = ses_setting_text(s, "undo-from");
    char *text = ebb_arena_strdup(&arena, ses_setting_text(s, "undo-classes")), *rest = NULL;
    for (char *word = strtok_r(text, " ,\t", &rest); word; word = strtok_r(NULL, " ,\t", &rest))
        ebb_vec_push(&patterns, word);
    (void)!s->machine->ops->undo_choose(s->machine, patterns.items, patterns.n, *first ? first : NULL, NULL);
    ebb_vec_fini(&patterns);
    ebb_arena_fini(&arena);
}

void ses_apply_undo(session *s)
{
    if (!machine_can(s->machine, MACHINE_REWINDS))
        return;
    if (s->machine->ops->undo_set)
        set_size(s);
    if (s->machine->ops->undo_choose)
        set_choice(s);
}
