/* args.c - arguments are cut off a line from the left, word by word. */
#include "front/cli/args.h"

#include "base/text.h"
#include "session/data.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

bool cli_next_word(const char **at, ebb_buf *word)
{
    ebb_buf_truncate(word, 0);
    const char *from = ebb_text_skip_space(*at);
    size_t n = strcspn(from, " \t");
    ebb_buf_add(word, from, n);
    *at = ebb_text_skip_space(from + n);
    return n > 0;
}

bool cli_take_word(const char **at, const char *word)
{
    const char *from = ebb_text_skip_space(*at);
    size_t n = strlen(word);
    if (strncmp(from, word, n) != 0 || (from[n] && !isspace((unsigned char)from[n])))
        return false;
    *at = ebb_text_skip_space(from + n);
    return true;
}

ebb_status cli_count(cli *c, const char *args, unsigned *count, ebb_error *err)
{
    uint64_t value = 1;
    if (*args) {
        ebb_status status = ses_evaluate_u64(c->session, args, &value, err);
        if (status != EBB_OK)
            return status;
    }
    if (value < 1 || value > INT_MAX)
        return ebb_fail(err, EBB_BAD_INPUT, "The count must be between 1 and %d.", INT_MAX);
    *count = (unsigned)value;
    return EBB_OK;
}

/* ---- lists of numbers ------------------------------------------------------------------------- */

/* A number, or a convenience variable that holds one. */
static ebb_status take_number(cli *c, const char **at, unsigned *number, ebb_error *err)
{
    size_t n = 0;
    if (**at == '$')
        for (n = 1; isalnum((unsigned char)(*at)[n]) || (*at)[n] == '_';)
            n++;
    else
        while (isdigit((unsigned char)(*at)[n]))
            n++;
    uint64_t value = 0;
    char *text = ebb_strndup(*at, n > 40 ? 40 : n);
    ebb_status status = EBB_OK;
    if (n == 0)
        status = ebb_fail(err, EBB_BAD_INPUT, "Bad number in the list: \"%.40s\".", *at);
    else if (*text == '$')
        status = ses_evaluate_u64(c->session, text, &value, err);
    else if (!ebb_text_to_u64(text, &value))
        value = UINT64_MAX;
    if (status == EBB_OK && value > INT_MAX)
        status = ebb_fail(err, EBB_BAD_INPUT, "No such number: %s.", text);
    free(text);
    *number = (unsigned)value;
    *at += n;
    return status;
}

ebb_status cli_for_numbers(cli *c, const char *list, cli_each_number *each, void *data,
                           ebb_error *err)
{
    enum { MAX_RANGE = 100000 };
    ebb_status status = EBB_OK;
    for (const char *at = ebb_text_skip_space(list); status == EBB_OK && *at;) {
        unsigned first, last, part = 0;
        status = take_number(c, &at, &first, err);
        last = first;
        if (status == EBB_OK && *at == '.') {
            at++;
            status = take_number(c, &at, &part, err);
        } else if (status == EBB_OK && *at == '-') {
            at++;
            status = take_number(c, &at, &last, err);
        }
        if (status == EBB_OK && *at && !isspace((unsigned char)*at) && *at != ',')
            status = ebb_fail(err, EBB_BAD_INPUT, "Bad number in the list: \"%.40s\".", at);
        if (status == EBB_OK && (last < first || last - first > MAX_RANGE))
            status = ebb_fail(err, EBB_BAD_INPUT, "Bad range: %u-%u.", first, last);
        for (unsigned i = first; status == EBB_OK && i <= last; i++)
            status = each(c, i, part, data, err);
        at = ebb_text_skip_space(at + (*at == ','));
    }
    return status;
}

size_t cli_numbers_length(const char *args)
{
    const char *at = args;
    while (isdigit((unsigned char)*at) || *at == '$') {
        at += strcspn(at, " \t");
        at += strspn(at, " \t");
    }
    return (size_t)(at - args);
}

ebb_status cli_take_format(const char **at, const char *command, expr_format *format, ebb_error *err)
{
    long count = 1;
    if (**at != '/')
        return EBB_OK;
    const char *typed = *at;
    ebb_status status = expr_format_parse(typed, format, &count, at, err);
    if (status == EBB_OK && isdigit((unsigned char)typed[1]))
        return ebb_fail(err, EBB_BAD_INPUT,
                        "Item count other than 1 is meaningless in \"%s\" command.", command);
    if (status == EBB_OK && format->size)
        return ebb_fail(err, EBB_BAD_INPUT, "Size letters are meaningless in \"%s\" command.",
                        command);
    if (status == EBB_OK && format->letter == 'i')
        return ebb_fail(err, EBB_BAD_INPUT, "Format letter \"i\" is meaningless in \"%s\" command.",
                        command);
    return status;
}
