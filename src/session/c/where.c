/* where.c - places of a native program: `file:line`, `function`, `file:function`, `*address`. */
#include "session/c/c.h"

#include <ctype.h>
#include <string.h>

/* What the dynamic linker does has no lines, mostly, and is the program's own business. */
bool ses_c_is_before_main(session *s)
{
    (void)s;
    return false;
}

bool ses_c_main_line(session *s, const char **file, unsigned *line)
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

/* ---- parsing -------------------------------------------------------------------------------- */

ebb_status ses_c_where_here(session *s, ebb_arena *arena, ses_where *where, ebb_error *err)
{
    (void)arena;
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
    if (isdigit((unsigned char)*rest) && *where->file) {
        where->kind = SES_WHERE_LINE;
        return ses_where_parse_line(rest, &where->line, err);
    }
    if (*rest == '\0' || *where->file == '\0')
        return ebb_fail(err, EBB_BAD_INPUT,
                        "\"%.80s\" names no place; write FILE:LINE or FILE:FUNCTION.", text);
    where->kind = SES_WHERE_FUNCTION;
    where->function = unquoted(arena, rest, strlen(rest));
    return EBB_OK;
}

/* What ends the name of a file; C++'s "::" doesn't, nor does what is in the tag of a function ("[abi:cxx11]"). */
static const char *find_colon(const char *text)
{
    for (; *text; text++) {
        if (*text == '(' || *text == '<' || ebb_text_starts(text, "[abi:"))
            return NULL;
        if (text[0] == ':' && text[1] != ':')
            return text;
        text += text[0] == ':';
    }
    return NULL;
}

ebb_status ses_c_where_parse(session *s, ebb_arena *arena, const char *text, ses_where *where,
                             ebb_error *err)
{
    if (*text == '*')
        return at_address(s, text + 1, where, err);
    if (ebb_text_starts(text, "0x") &&
        strspn(text + 2, "0123456789abcdefABCDEF") == strlen(text + 2))
        return at_address(s, text, where, err);
    const char *colon = find_colon(text);
    if (colon)
        return in_file(arena, text, colon, where, err);
    where->kind = SES_WHERE_FUNCTION;
    where->function = unquoted(arena, text, strlen(text));
    return EBB_OK;
}

/* ---- resolving ------------------------------------------------------------------------------ */

ebb_status ses_c_where_spots(session *s, const ses_where *where, sym_spots *spots, ebb_error *err)
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

/* ---- source lines --------------------------------------------------------------------------- */

/* The one that the spot was looked for by, not one that is inlined there. */
static const sym_function *function_of_spot(session *s, const sym_spot *spot)
{
    const sym_function *functions[64];
    size_t n = sym_functions_at(s->symbols, spot->addr, functions, 64);
    for (size_t i = 0; i < n && i < 64 && spot->function; i++)
        if (strcmp(sym_function_get_info(functions[i])->full_name, spot->function) == 0)
            return functions[i];
    return n > 0 && n <= 64 ? functions[n - 1] : NULL;
}

/* The line of a function is the one that its code begins on; its declaration's, if that is code of another function. */
static void line_of_function(session *s, const sym_spot *spot, const char **file, unsigned *line)
{
    sym_line first;
    const sym_function *function = function_of_spot(s, spot);
    const sym_function_info *info = function ? sym_function_get_info(function) : NULL;
    if (!info || !sym_line_at(s->symbols, info->lo, &first))
        return;
    bool is_elsewhere = info->decl_file && info->decl_line && (strcmp(info->decl_file, first.file) != 0 || first.line < info->decl_line);
    *file = is_elsewhere ? info->decl_file : first.file;
    *line = is_elsewhere ? info->decl_line : first.line;
}

static ebb_status function_line(session *s, const ses_where *where, const char **file,
                                unsigned *line, ebb_error *err)
{
    sym_spots spots = {0};
    ebb_status status = ses_where_spots(s, where, &spots, err);
    if (status == EBB_OK && (spots.n == 0 || !spots.items[0].file))
        status = ebb_fail(err, EBB_NOT_FOUND, "There is no source for \"%s\".", where->function);
    if (status == EBB_OK) {
        *file = spots.items[0].file;
        *line = spots.items[0].line;
        line_of_function(s, &spots.items[0], file, line);
    }
    ebb_vec_fini(&spots);
    return status;
}

ebb_status ses_c_where_line(session *s, ebb_arena *arena, const ses_where *where, const char **file,
                            unsigned *line, ebb_error *err)
{
    (void)arena;
    sym_line row;
    if (where->kind == SES_WHERE_FUNCTION)
        return function_line(s, where, file, line, err);
    if (!sym_line_at(s->symbols, where->addr, &row))
        return ebb_fail(err, EBB_NOT_FOUND,
                        "No line number information available for address 0x%lx",
                        (unsigned long)where->addr);
    *file = row.file;
    *line = row.line;
    return EBB_OK;
}

ebb_status ses_c_source_file(session *s, ebb_arena *arena, const char *name, const char **file,
                             ebb_error *err)
{
    sym_names files = {0};
    sym_source_files(s->symbols, name, &files);
    if (files.n > 0)
        *file = ebb_arena_strdup(arena, files.items[0]);
    bool found = files.n > 0;
    ebb_vec_fini(&files);
    return found ? EBB_OK : ebb_fail(err, EBB_NOT_FOUND, "No source file named %s.", name);
}

const char *ses_c_source_name(session *s, const char *file)
{
    sym_spots spots = {0};
    const char *name = file;
    if (sym_spots_of_line(s->symbols, file, 1, &spots, NULL) == EBB_OK && spots.n > 0 &&
        spots.items[0].file_name && strcmp(spots.items[0].file, file) == 0)
        name = spots.items[0].file_name;
    ebb_vec_fini(&spots);
    return name;
}
