/* printed.c - see printed.h. */
#include "session/printed.h"
#include "session/language.h"

void ses_held_drop(ses_held *kept)
{
    kept->language->value_drop(kept->value);
}

ebb_status ses_held_get(session *s, const ses_held *kept, const void **value, ebb_error *err)
{
    if (kept->language != s->language)
        return ebb_fail(err, EBB_UNAVAILABLE, "That value is of a %s program, which this one is not.",
                        kept->language->name);
    *value = kept->value;
    return EBB_OK;
}

int ses_printed_add(session *s, void *kept)
{
    ses_held value = {.language = s->language, .value = kept};
    ebb_vec_push(&s->printed, value);
    return (int)s->printed.n;
}

ebb_status ses_printed_get(session *s, long index, bool from_end, const void **value, ebb_error *err)
{
    long n = (long)s->printed.n;
    long at = from_end ? n - index : index;
    *value = NULL;
    if (from_end && (n == 0 || at < 1)) /* gdb: $ is void where nothing was printed */
        return EBB_OK;
    if (at < 1 || at > n)
        return ebb_fail(err, EBB_NOT_FOUND, "History has not yet reached $%ld.", at);
    return ses_held_get(s, &s->printed.items[at - 1], value, err);
}

void ses_printed_fini(session *s)
{
    for (size_t i = 0; i < s->printed.n; i++)
        ses_held_drop(&s->printed.items[i]);
    ebb_vec_fini(&s->printed);
}
