/* where.c - see where.h: what both languages write alike; the rest is the language's. */
#include "session/where.h"
#include "session/language.h"
#include "session/travel.h"

#include <stdlib.h>
#include <string.h>

static bool is_number(const char *text)
{
    return *text != '\0' && strspn(text, "0123456789") == strlen(text);
}

ebb_status ses_where_parse_line(const char *text, unsigned *line, ebb_error *err)
{
    if (!is_number(text) || strlen(text) > 9)
        return ebb_fail(err, EBB_BAD_INPUT, "\"%.60s\" is not a line number.", text);
    *line = (unsigned)strtoul(text, NULL, 10);
    return EBB_OK;
}

/* ---- the default place ---------------------------------------------------------------------- */

const ses_frame *ses_where_frame(session *s)
{
    const ses_frame *frame;
    return !s->language->is_before_main(s) && ses_frame_selected(s, &frame, NULL) == EBB_OK && frame->has_line ? frame : NULL;
}

bool ses_where_default(session *s, const char **file, unsigned *line)
{
    if (s->list.file) {
        *file = s->list.file;
        *line = s->list.last ? s->list.last : 1;
        return true;
    }
    const ses_frame *frame = ses_where_frame(s);
    if (frame) {
        *file = frame->line.file;
        *line = frame->line.line;
        return true;
    }
    return s->language->main_line(s, file, line);
}

/* ---- parsing -------------------------------------------------------------------------------- */

static ebb_status at_line(session *s, ebb_arena *arena, const char *text, int sign,
                          ses_where *where, ebb_error *err)
{
    where->kind = SES_WHERE_LINE;
    unsigned line, number;
    EBB_TRY(ses_where_parse_line(text, &number, err));
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

ebb_status ses_where_parse(session *s, ebb_arena *arena, const char *typed, ses_where *where,
                           ebb_error *err)
{
    *where = (ses_where){0};
    const char *text = ebb_text_rtrim(ebb_arena_strdup(arena, ebb_text_skip_space(typed)));
    if (*text == '\0')
        return s->language->where_here(s, arena, where, err);
    if (ses_is_position(text))
        return ebb_fail(err, EBB_UNSUPPORTED,
                        "\"%.60s\" is a position in time; here a place in the code is wanted.", text);
    if (is_number(text))
        return at_line(s, arena, text, 0, where, err);
    if ((*text == '+' || *text == '-') && is_number(text + 1))
        return at_line(s, arena, text + 1, *text == '+' ? 1 : -1, where, err);
    return s->language->where_parse(s, arena, text, where, err);
}

ebb_status ses_where_spots(session *s, const ses_where *where, sym_spots *spots, ebb_error *err)
{
    if (s->language->code_comes_later && ses_is_after_end(s))
        return ebb_fail(err, EBB_NOT_FOUND, "The program has ended; its places are known where it still runs.");
    return s->language->where_spots(s, where, spots, err);
}

ebb_status ses_first_spot(session *s, const char *text, uint64_t *addr, ebb_error *err)
{
    ebb_arena arena = {0};
    sym_spots spots = {0};
    ses_where where;
    ebb_status status = ses_where_parse(s, &arena, text, &where, err);
    if (status == EBB_OK)
        status = ses_where_spots(s, &where, &spots, err);
    if (status == EBB_OK && spots.n == 0)
        status = ebb_fail(err, EBB_NOT_FOUND, "There is no code at %.200s.", text);
    if (status == EBB_OK)
        *addr = spots.items[0].addr;
    ebb_vec_fini(&spots);
    ebb_arena_fini(&arena);
    return status;
}
