/* shell_words.c - see shell_words.h. */
#include "session/shell_words.h"

#include <ctype.h>
#include <string.h>

/* Appends the quoted part that begins at *at, which is after the opening quote. */
static ebb_status take_quoted(const char **at, char quote, ebb_buf *word, ebb_error *err)
{
    for (; **at != quote; ++*at) {
        if (**at == '\0')
            return ebb_fail(err, EBB_BAD_INPUT, "Unmatched %c in the arguments.", quote);
        if (quote == '"' && **at == '\\' && (*at)[1] != '\0' && strchr("\"\\$`", (*at)[1]))
            ++*at;
        ebb_buf_addc(word, **at);
    }
    ++*at;
    return EBB_OK;
}

static ebb_status take_word(const char **at, ebb_buf *word, ebb_error *err)
{
    while (**at != '\0' && !isspace((unsigned char)**at)) {
        char c = *(*at)++;
        if (c == '\'' || c == '"')
            EBB_TRY(take_quoted(at, c, word, err));
        else if (c == '\\' && **at != '\0')
            ebb_buf_addc(word, *(*at)++);
        else
            ebb_buf_addc(word, c);
    }
    return EBB_OK;
}

ebb_status ses_words_split(const char *text, ses_strings *words, ebb_error *err)
{
    const char *at = ebb_text_skip_space(text);
    while (*at != '\0') {
        ebb_buf word = {0};
        ebb_status status = take_word(&at, &word, err);
        if (status != EBB_OK) {
            ebb_buf_fini(&word);
            return status;
        }
        ebb_vec_push(words, word.data ? ebb_buf_take(&word) : ebb_strdup(""));
        at = ebb_text_skip_space(at);
    }
    return EBB_OK;
}

void ses_word_quote(const char *word, ebb_buf *out)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=./,:@%^";
    if (*word != '\0' && strspn(word, plain) == strlen(word)) {
        ebb_buf_adds(out, word);
        return;
    }
    ebb_buf_addc(out, '\'');
    for (; *word; word++)
        if (*word == '\'')
            ebb_buf_adds(out, "'\\''");
        else
            ebb_buf_addc(out, *word);
    ebb_buf_addc(out, '\'');
}
