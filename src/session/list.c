/* list.c - list: source lines around a place, and then the ones after, or before. */
#include "session/language.h"
#include "session/source.h"
#include "session/where.h"

#include <string.h>

static unsigned n_lines(session *s)
{
    uint64_t n = ses_setting_number(s, "listsize");
    return n ? (unsigned)n : 10000;
}

/* The line to begin with so that `line` is in the middle. */
static unsigned around(session *s, unsigned line)
{
    unsigned half = n_lines(s) / 2;
    return line > half ? line - half : 1;
}

void ses_list_forget(session *s)
{
    free(s->list.file);
    s->list.file = NULL;
    s->list.first = s->list.last = 0;
}

static void set_file(session *s, const char *file)
{
    char *copy = ebb_strdup(file);
    free(s->list.file);
    s->list.file = copy;
}

/* ---- showing -------------------------------------------------------------------------------- */

static bool is_current_line(session *s, const char *file, unsigned line)
{
    const ses_frame *frame;
    return ses_frame_selected(s, &frame, NULL) == EBB_OK && frame->has_line &&
           frame->line.line == line && strcmp(frame->line.file, file) == 0;
}

typedef struct line_range {
    unsigned first, last;
} line_range;

/* Those lines of list.file, as far as it has them. */
static ebb_status show(session *s, ebb_arena *arena, line_range lines, const char **file,
                       ses_source_lines *out, ebb_error *err)
{
    unsigned n;
    *file = ebb_arena_strdup(arena, s->list.file);
    if (!ses_source_count(s, *file, &n))
        return ebb_fail(err, EBB_NOT_FOUND, "%s: No such file or directory.", *file);
    if (lines.first > n)
        return ebb_fail(err, EBB_NOT_FOUND, "Line number %u out of range; %s has %u lines.", lines.first,
                        ses_source_name(s, *file), n);
    if (lines.last > n)
        lines.last = n;
    for (unsigned line = lines.first; line <= lines.last; line++) {
        ses_source_line shown = {
            .number = line,
            .text = ebb_arena_strdup(arena, ses_source_text(s, *file, line)),
            .is_current = is_current_line(s, *file, line),
        };
        ebb_vec_push(out, shown);
    }
    s->list.first = lines.first;
    s->list.last = lines.last;
    return EBB_OK;
}

static ebb_status show_from(session *s, ebb_arena *arena, unsigned first, const char **file,
                            ses_source_lines *out, ebb_error *err)
{
    return show(s, arena, (line_range){first, first + n_lines(s) - 1}, file, out, err);
}

/* ---- plain forms ---------------------------------------------------------------------------- */

/* Where a list without a place begins the first time: around the selected frame's line; without a
 * program that runs, some lines before main, as gdb has it. */
static ebb_status begin(session *s, unsigned *first, ebb_error *err)
{
    const ses_frame *frame = ses_where_frame(s);
    const char *file;
    unsigned line;
    if (frame) {
        set_file(s, frame->line.file);
        *first = around(s, frame->line.line);
        return EBB_OK;
    }
    if (!ses_where_default(s, &file, &line))
        return ebb_fail(err, EBB_NOT_FOUND,
                        "No symbol table is loaded.  Say which program to debug, built with -g.");
    set_file(s, file);
    unsigned before = n_lines(s) - 1;
    *first = around(s, line > before ? line - before : 1);
    return EBB_OK;
}

static ebb_status list_on(session *s, ebb_arena *arena, const char **file, ses_source_lines *out,
                          ebb_error *err)
{
    unsigned first;
    if (s->list.file && s->list.last)
        return show_from(s, arena, s->list.last + 1, file, out, err);
    EBB_TRY(begin(s, &first, err));
    return show_from(s, arena, first, file, out, err);
}

static ebb_status list_back(session *s, ebb_arena *arena, const char **file, ses_source_lines *out,
                            ebb_error *err)
{
    unsigned first;
    if (!s->list.file || !s->list.first) {
        EBB_TRY(begin(s, &first, err));
        s->list.first = first;
    }
    if (s->list.first <= 1)
        return ebb_fail(err, EBB_NOT_FOUND, "Already at the start of %s.",
                        ses_source_name(s, s->list.file));
    unsigned last = s->list.first - 1;
    first = last >= n_lines(s) ? last - n_lines(s) + 1 : 1;
    return show(s, arena, (line_range){first, last}, file, out, err);
}

/* ---- places --------------------------------------------------------------------------------- */

static ebb_status file_named(session *s, ebb_arena *arena, const char *name, const char **file,
                             ebb_error *err)
{
    if (name[0] != '/')
        return s->language->source_file(s, arena, name, file, err);
    *file = ebb_arena_strdup(
        arena, name); /* the name may be list.file's own, which is about to change */
    return EBB_OK;
}

static ebb_status place_line(session *s, ebb_arena *arena, const char *text, const char **file,
                             unsigned *line, ebb_error *err)
{
    ses_where where;
    EBB_TRY(ses_where_parse(s, arena, text, &where, err));
    if (where.kind != SES_WHERE_LINE)
        return s->language->where_line(s, arena, &where, file, line, err);
    *line = where.line;
    return file_named(s, arena, where.file, file, err);
}

/* "FIRST,LAST"; either may be missing. */
static ebb_status list_range(session *s, ebb_arena *arena, char *text, const char **file,
                             ses_source_lines *out, ebb_error *err)
{
    char *comma = strchr(text, ',');
    *comma = '\0';
    const char *from = ebb_text_rtrim(text), *to = ebb_text_skip_space(comma + 1), *in = NULL;
    unsigned first = 0, last = 0;
    if (*from == '\0' && *to == '\0')
        return ebb_fail(err, EBB_BAD_INPUT, "Junk at end of line specification.");
    if (*from)
        EBB_TRY(place_line(s, arena, from, &in, &first, err));
    if (in)
        set_file(s, in);
    uint64_t more;
    if (*from && *to == '+' && ebb_text_to_u64(ebb_text_skip_space(to + 1), &more)) /* so many more lines than the first */
        last = first + (unsigned)(more < 1000000 ? more : 1000000);
    else if (*to)
        EBB_TRY(place_line(s, arena, to, &in, &last, err));
    set_file(s, in);
    if (!*from)
        first = last >= n_lines(s) ? last - n_lines(s) + 1 : 1;
    if (!*to)
        last = first + n_lines(s) - 1;
    if (last < first)
        return ebb_fail(err, EBB_BAD_INPUT, "Second line is before the first; nothing to list.");
    return show(s, arena, (line_range){first ? first : 1, last}, file, out, err);
}

ebb_status ses_list(session *s, ebb_arena *arena, const char *arguments, const char **file,
                    ses_source_lines *out, ebb_error *err)
{
    char *text = ebb_text_rtrim(ebb_arena_strdup(arena, ebb_text_skip_space(arguments)));
    if (*text == '\0' || strcmp(text, "+") == 0)
        return list_on(s, arena, file, out, err);
    if (strcmp(text, "-") == 0)
        return list_back(s, arena, file, out, err);
    if (strchr(text, ','))
        return list_range(s, arena, text, file, out, err);
    const char *in;
    unsigned line;
    EBB_TRY(place_line(s, arena, text, &in, &line, err));
    set_file(s, in);
    return show_from(s, arena, around(s, line), file, out, err);
}
