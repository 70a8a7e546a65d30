/* links.c - a list of positions; see links.h. */
#include "session/links.h"

void ses_links_begin(session *s)
{
    s->links.n = 0;
}

unsigned ses_links_add(session *s, ebb_position at)
{
    ebb_vec_push(&s->links, at);
    return (unsigned)s->links.n;
}

ebb_status ses_links_find(session *s, const char *text, ebb_position *at, ebb_error *err)
{
    uint64_t number;
    if (*text != '#' || !ebb_text_to_u64(text + 1, &number))
        return ebb_fail(err, EBB_BAD_INPUT, "\"%.40s\" is no link: write #3 for the third one of the last answer.", text);
    if (s->links.n == 0)
        return ebb_fail(err, EBB_BAD_INPUT, "No answer has told links yet: ask origin, why or flow first.");
    if (number == 0 || number > s->links.n)
        return ebb_fail(err, EBB_BAD_INPUT, "The last answer has no link #%llu, but #1 to #%zu.", (unsigned long long)number, s->links.n);
    *at = s->links.items[number - 1];
    return EBB_OK;
}
