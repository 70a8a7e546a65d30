/* convenience.c - see convenience.h. */
#include "session/convenience.h"
#include "session/printed.h"
#include "session/language.h"

#include <string.h>

void ses_convenience_init(session *s)
{
    s->convenience = ebb_map_new();
}

static void drop(ses_held *kept)
{
    ses_held_drop(kept);
    free(kept);
}

void ses_convenience_fini(session *s)
{
    ebb_map_entry entry;
    for (size_t at = 0; ebb_map_next(s->convenience, &at, &entry);)
        drop(entry.value);
    ebb_map_free(s->convenience);
}

void ses_convenience_set(session *s, const char *name, void *value)
{
    ses_held *kept = EBB_NEW(ses_held);
    *kept = (ses_held){.language = s->language, .value = value};
    ses_held *old = ebb_map_get(s->convenience, name);
    ebb_map_set(s->convenience, name, kept);
    if (old)
        drop(old);
}

void ses_convenience_set_int(session *s, const char *name, int64_t number)
{
    ses_convenience_set(s, name, s->language->value_of_int(s, number));
}

bool ses_convenience_computed(session *s, const char *name, int64_t *number)
{
    if (strcmp(name, "_thread") == 0 || strcmp(name, "_gthread") == 0)
        *number = ses_thread_number(s, s->thread);
    else if (strcmp(name, "_inferior") == 0)
        *number = 1;
    else
        return false;
    return true;
}

const void *ses_convenience_get(session *s, const char *name)
{
    const ses_held *kept = ebb_map_get(s->convenience, name);
    const void *value;
    return kept && ses_held_get(s, kept, &value, NULL) == EBB_OK ? value : NULL;
}

void ses_convenience_list(session *s, ebb_buf *text)
{
    ebb_map_entry entry;
    for (size_t at = 0; ebb_map_next(s->convenience, &at, &entry);) {
        const ses_held *kept = entry.value;
        char *shown = kept->language == s->language ? s->language->value_text(s, kept->value)
                                                    : ebb_asprintf("<a %s value>", kept->language->name);
        ebb_buf_addf(text, "$%s = %s\n", entry.text, shown);
        free(shown);
    }
}
