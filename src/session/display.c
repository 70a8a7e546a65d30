/* display.c - expressions that are shown at every stop. */
#include "session/language.h"
#include "session/watch.h"

#include <string.h>

static ses_display_record *find(const session *s, int number)
{
    for (size_t i = 0; i < s->displays.n; i++)
        if (s->displays.items[i].number == number)
            return &s->displays.items[i];
    return NULL;
}

/* Splits "/FMT EXPR"; the format keeps its slash. */
static ebb_status split(const char *arguments, char **format_text, char **expression,
                        ebb_error *err)
{
    const char *text = ebb_text_skip_space(arguments), *rest = text;
    if (*text == '/') {
        expr_format format = expr_format_default();
        long count;
        EBB_TRY(expr_format_parse(text, &format, &count, &rest, err));
    }
    if (ebb_text_is_blank(rest))
        return ebb_fail(err, EBB_BAD_INPUT, "Argument required (expression to display).");
    *format_text = ebb_text_rtrim(ebb_strndup(text, (size_t)(rest - text)));
    *expression = ebb_text_rtrim(ebb_strdup(rest));
    return EBB_OK;
}

ebb_status ses_display_add(session *s, const char *arguments, int *number, ebb_error *err)
{
    ses_display_record record = {.enabled = true};
    EBB_TRY(split(arguments, &record.format_text, &record.expression, err));
    ebb_status status = s->language->check_expression(s, record.expression, err);
    if (status != EBB_OK) {
        free(record.format_text);
        free(record.expression);
        return status;
    }
    record.locals = ses_locals_named(s, record.expression);
    record.number = *number = ++s->last_display_number;
    ebb_vec_push(&s->displays, record);
    return EBB_OK;
}

ebb_status ses_display_delete(session *s, int number, ebb_error *err)
{
    ses_display_record *record = find(s, number);
    if (!record)
        return ebb_fail(err, EBB_NOT_FOUND, "Could not find display number %d.", number);
    free(record->expression);
    free(record->format_text);
    free(record->locals);
    ebb_vec_remove(&s->displays, (size_t)(record - s->displays.items));
    return EBB_OK;
}

ebb_status ses_display_enable(session *s, int number, bool enabled, ebb_error *err)
{
    ses_display_record *record = find(s, number);
    if (!record)
        return ebb_fail(err, EBB_NOT_FOUND, "Could not find display number %d.", number);
    record->enabled = enabled;
    return EBB_OK;
}

void ses_display_delete_all(session *s)
{
    while (s->displays.n > 0)
        (void)!ses_display_delete(s, s->displays.items[0].number, NULL);
}

size_t ses_display_count(const session *s)
{
    return s->displays.n;
}

/* As in gdb, what was displayed of one function is no other function's variable of that name. */
static bool is_in_scope(session *s, const ses_display_record *r)
{
    char *now = ses_locals_named(s, r->expression);
    bool is = strcmp(now, r->locals) == 0;
    free(now);
    return is;
}

ses_display ses_display_at(session *s, size_t i)
{
    const ses_display_record *r = &s->displays.items[i];
    return (ses_display){.number = r->number,
                         .expression = r->expression,
                         .format_text = r->format_text,
                         .enabled = r->enabled,
                         .is_in_scope = is_in_scope(s, r)};
}

/* ---- showing -------------------------------------------------------------------------------- */

/* Formats that show memory rather than a value: as `x` would. */
static bool shows_memory(const expr_format *format, long count)
{
    return format->letter == 'i' || format->letter == 's' || count > 1 || format->size;
}

static bool memory_text(session *s, const ses_display_record *r, ebb_buf *text)
{
    char *arguments = ebb_asprintf("%s %s", r->format_text, r->expression);
    ebb_buf lines = {0};
    bool ok = ses_examine(s, arguments, &lines, NULL) == EBB_OK;
    if (ok)
        ebb_buf_addf(text, "%d: x%s %s\n%s", r->number, r->format_text, r->expression,
                     ebb_buf_text(&lines));
    while (ok && text->n > 0 && text->data[text->n - 1] == '\n')
        ebb_buf_truncate(text, text->n - 1);
    ebb_buf_fini(&lines);
    free(arguments);
    return ok;
}

bool ses_display_text(session *s, size_t i, ebb_buf *text)
{
    const ses_display_record *r = &s->displays.items[i];
    expr_format format = ses_default_format(s);
    long count = 1;
    const char *rest;
    if (!r->enabled || !is_in_scope(s, r))
        return false;
    if (*r->format_text &&
        expr_format_parse(r->format_text, &format, &count, &rest, NULL) != EBB_OK)
        return false;
    if (shows_memory(&format, count))
        return memory_text(s, r, text);
    ebb_buf value = {0};
    ebb_error why;
    ebb_status status = ses_output(s, r->expression, &format, &value, &why);
    bool shown = status != EBB_NOT_FOUND && status != EBB_GONE;
    if (status == EBB_OK)
        ebb_buf_addf(text, "%d: %s%s%s = %s", r->number, r->format_text, *r->format_text ? " " : "",
                     r->expression, ebb_buf_text(&value));
    else if (shown)
        ebb_buf_addf(text, "%d: %s%s%s = <error: %s>", r->number, r->format_text,
                     *r->format_text ? " " : "", r->expression, why.text);
    ebb_buf_fini(&value);
    return shown;
}
