/* where.c - see where.h. */
#include "session/c/where.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_number(const char *text)
{
    return *text != '\0' && strspn(text, "0123456789") == strlen(text);
}

static ebb_status parse_line(const char *text, unsigned *line, ebb_error *err)
{
    uint64_t number = 0;
    if (!is_number(text) || strlen(text) > 9)
        return ebb_fail(err, EBB_BAD_INPUT, "\"%.60s\" is not a line number.", text);
    number = strtoul(text, NULL, 10);
    *line = (unsigned)number;
    return EBB_OK;
}

/* ---- the default place ---------------------------------------------------------------------- */

static bool main_line(session *s, const char **file, unsigned *line)
{
    sym_spots spots = {0};
    bool found = sym_spots_of_function(s->symbols, NULL, "main", &spots, NULL) == EBB_OK &&
                 spots.n > 0 && spots.items[0].file;
    if (found) {
        *file = spots.items[0].file;
        *line = spots.items[0].line;
    }
    ebb_vec_fini(&spots);
    return found;
}

bool ses_where_default(session *s, const char **file, unsigned *line)
{
    const ses_frame *frame;
    if (s->list.file) {
        *file = s->list.file;
        *line = s->list.last ? s->list.last : 1;
        return true;
    }
    if (ses_frame_selected(s, &frame, NULL) == EBB_OK && frame->has_line) {
        *file = frame->line.file;
        *line = frame->line.line;
        return true;
    }
    return main_line(s, file, line);
}

/* ---- parsing -------------------------------------------------------------------------------- */

static ebb_status here(session *s, ses_where *where, ebb_error *err)
{
    const ses_frame *frame;
    if (ses_frame_selected(s, &frame, NULL) != EBB_OK)
        return ebb_fail(err, EBB_BAD_INPUT, "No default breakpoint address now.");
    *where = (ses_where){.kind = SES_WHERE_ADDRESS, .addr = frame->pc};
    return EBB_OK;
}

static ebb_status at_address(session *s, const char *expression, ses_where *where, ebb_error *err)
{
    where->kind = SES_WHERE_ADDRESS;
    return ses_evaluate_u64(s, expression, &where->addr, err);
}

static ebb_status at_line(session *s, ebb_arena *arena, const char *text, int sign,
                          ses_where *where, ebb_error *err)
{
    where->kind = SES_WHERE_LINE;
    unsigned line, number;
    SES_TRY(parse_line(text, &number, err));
    if (!ses_where_default(s, &where->file, &line))
        return ebb_fail(err, EBB_NOT_FOUND, "No symbol table is loaded, so there is no line %s.",
                        text);
    where->file = ebb_arena_strdup(arena, where->file);
    if (sign < 0 && number >= line)
        return ebb_fail(err, EBB_NOT_FOUND, "There is no line %u lines before line %u.", number,
                        line);
    where->line = sign == 0 ? number : sign > 0 ? line + number : line - number;
    return EBB_OK;
}

/* A time stamp and an '@': a point of the execution, not of the code. */
static bool is_position(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return digits > 0 && text[digits] == '@';
}

static char *unquoted(ebb_arena *arena, const char *text, size_t nbytes)
{
    while (nbytes > 0 && isspace((unsigned char)text[nbytes - 1]))
        nbytes--;
    if (nbytes >= 2 && (text[0] == '"' || text[0] == '\'') && text[nbytes - 1] == text[0])
        return ebb_arena_strndup(arena, text + 1, nbytes - 2);
    return ebb_arena_strndup(arena, text, nbytes);
}

static ebb_status in_file(ebb_arena *arena, const char *text, const char *colon, ses_where *where,
                          ebb_error *err)
{
    where->file = unquoted(arena, text, (size_t)(colon - text));
    const char *rest = ebb_text_skip_space(colon + 1);
    if (isdigit((unsigned char)*rest)) {
        where->kind = SES_WHERE_LINE;
        return parse_line(rest, &where->line, err);
    }
    if (*rest == '\0' || *where->file == '\0')
        return ebb_fail(err, EBB_BAD_INPUT,
                        "\"%.80s\" names no place; write FILE:LINE or FILE:FUNCTION.", text);
    where->kind = SES_WHERE_FUNCTION;
    where->function = unquoted(arena, rest, strlen(rest));
    return EBB_OK;
}

ebb_status ses_where_parse(session *s, ebb_arena *arena, const char *typed, ses_where *where,
                           ebb_error *err)
{
    *where = (ses_where){0};
    const char *text = ebb_text_rtrim(ebb_arena_strdup(arena, ebb_text_skip_space(typed)));
    if (*text == '\0')
        return here(s, where, err);
    if (*text == '*')
        return at_address(s, text + 1, where, err);
    if (is_position(text))
        return ebb_fail(err, EBB_UNSUPPORTED,
                        "\"%.60s\" is a position in time, but native mode counts no time.", text);
    if (ebb_text_starts(text, "0x") &&
        strspn(text + 2, "0123456789abcdefABCDEF") == strlen(text + 2))
        return at_address(s, text, where, err);
    if (is_number(text))
        return at_line(s, arena, text, 0, where, err);
    if ((*text == '+' || *text == '-') && is_number(text + 1))
        return at_line(s, arena, text + 1, *text == '+' ? 1 : -1, where, err);
    const char *colon = strrchr(text, ':');
    if (colon)
        return in_file(arena, text, colon, where, err);
    where->kind = SES_WHERE_FUNCTION;
    where->function = unquoted(arena, text, strlen(text));
    return EBB_OK;
}

/* ---- resolving ------------------------------------------------------------------------------ */

ebb_status ses_where_spots(session *s, const ses_where *where, sym_spots *spots, ebb_error *err)
{
    switch (where->kind) {
    case SES_WHERE_ADDRESS:
        ebb_vec_push(spots, sym_spot_at(s->symbols, where->addr));
        return EBB_OK;
    case SES_WHERE_LINE: return sym_spots_of_line(s->symbols, where->file, where->line, spots, err);
    case SES_WHERE_FUNCTION:
        return sym_spots_of_function(s->symbols, where->file, where->function, spots, err);
    }
    ebb_unreachable();
}
