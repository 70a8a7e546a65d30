/* parts.c - what both languages share of naming the parts of a value. */
#include "session/parts.h"

#include <ctype.h>
#include <string.h>

void ses_look_fini(ses_look *look)
{
    ebb_vec_fini(&look->named);
    ebb_vec_fini(&look->insides);
}

void ses_pieces_fini(ses_pieces *list)
{
    for (size_t i = 0; i < list->n; i++)
        ses_look_fini(&list->items[i].look);
    ebb_vec_fini(list);
}

/* Names, numbers, `.`, `->`, and indices that are such themselves. */
static bool is_operand(const char *text)
{
    for (; *text; text++) {
        bool is_arrow = text[0] == '-' && text[1] == '>';
        if (!isalnum((unsigned char)*text) && !strchr("_$.[]", *text) && !is_arrow)
            return false;
        text += is_arrow;
    }
    return true;
}

/* "(...)" whose first parenthesis ends with the text, or goes on as an operand does. */
static bool begins_in_parentheses(const char *text)
{
    int depth = 0;
    if (*text != '(' || strpbrk(text, "\"'"))
        return false;
    for (; *text; text++) {
        depth += (*text == '(') - (*text == ')');
        if (depth == 0)
            return is_operand(text + 1);
    }
    return false;
}

const char *ses_operand_of(ebb_arena *arena, const char *expression)
{
    bool is_one = is_operand(expression) || begins_in_parentheses(expression);
    return is_one ? expression : ebb_arena_printf(arena, "(%s)", expression);
}

const char *ses_part_indexed(ebb_arena *arena, const ses_look *look, uint64_t i)
{
    return ebb_arena_printf(arena, "%s[%llu]", look->base, (unsigned long long)i);
}
