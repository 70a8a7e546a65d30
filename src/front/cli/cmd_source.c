/* cmd_source.c - source text, files and symbols. */
#include "base/text.h"
#include "front/cli/args.h"
#include "front/cli/handlers.h"
#include "front/cli/output.h"
#include "front/cli/view.h"
#include "session/settings.h"

#include <errno.h>
#include <limits.h>
#include <regex.h>
#include <string.h>
#include <unistd.h>

/* ---- list ------------------------------------------------------------------------------------- */

static void view_lines(cli_reply *reply, const char *file, const ses_source_lines *lines)
{
    json_t *list = json_array();
    for (size_t i = 0; i < lines->n; i++) {
        const ses_source_line *line = &lines->items[i];
        cli_putf(&reply->text, "%u\t%s\n", line->number, line->text);
        json_t *object = json_object();
        json_object_set_new(object, "line", json_integer(line->number));
        cli_json_text(object, "text", line->text);
        if (line->is_current)
            json_object_set_new(object, "current", json_true());
        json_array_append_new(list, object);
    }
    cli_field_text(reply, "file", file);
    cli_field_json(reply, "lines", list);
}

ebb_status cli_cmd_list(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    ebb_arena arena = {0};
    ses_source_lines lines = {0};
    const char *file = NULL;
    ebb_status status = ses_list(c->session, &arena, call->args, &file, &lines, err);
    if (status == EBB_OK)
        view_lines(reply, file, &lines);
    ebb_vec_fini(&lines);
    ebb_arena_fini(&arena);
    return status;
}

/* Asks the session for one line as `list` does, so that the next `list` goes on from it. */
static ebb_status list_one(cli *c, unsigned number, cli_reply *reply, ebb_error *err)
{
    char range[32];
    snprintf(range, sizeof range, "%u,%u", number, number);
    cli_call call = {.args = range};
    return cli_cmd_list(c, &call, reply, err);
}

/* The file and line that a search begins at: what `list` showed last, or would show. */
static ebb_status search_from(cli *c, char **file, unsigned *line, ebb_error *err)
{
    const ses_frame *frame;
    if (ses_get_state(c->session) == SES_STOPPED &&
        ses_frame_selected(c->session, &frame, NULL) == EBB_OK && frame->has_line) {
        *file = ebb_strdup(frame->line.file);
        *line = frame->line.line;
        return EBB_OK;
    }
    ebb_arena arena = {0};
    ses_source_lines lines = {0};
    const char *listed = NULL;
    ebb_status status = ses_list(c->session, &arena, "", &listed, &lines, err);
    if (status == EBB_OK && lines.n && listed) {
        *file = ebb_strdup(listed);
        *line = lines.items[0].number - 1;
    } else if (status == EBB_OK) {
        status = ebb_fail(err, EBB_NOT_FOUND, "There is no source file to search in.");
    }
    ebb_vec_fini(&lines);
    ebb_arena_fini(&arena);
    return status;
}

static ebb_status search(cli *c, const cli_call *call, cli_reply *reply, int step, ebb_error *err)
{
    regex_t pattern;
    char *file = NULL;
    unsigned line = 0;
    if (regcomp(&pattern, call->args, REG_NOSUB) != 0)
        return ebb_fail(err, EBB_BAD_INPUT, "Not a regular expression: \"%.100s\".", call->args);
    ebb_status status = search_from(c, &file, &line, err);
    if (status == EBB_OK) {
        const char *text;
        bool found = false;
        if (call->is_repeat && c->last_search_line)
            line = c->last_search_line;
        for (line += (unsigned)step;
             !found && line && (text = ses_source_text(c->session, file, line));
             line += found ? 0 : (unsigned)step)
            found = regexec(&pattern, text, 0, NULL, 0) == 0;
        c->last_search_line = found ? line : 0;
        status = found ? list_one(c, line, reply, err)
                       : ebb_fail(err, EBB_NOT_FOUND, "Expression not found.");
        free(file);
    }
    regfree(&pattern);
    return status;
}

ebb_status cli_cmd_search(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return search(c, call, reply, 1, err);
}

ebb_status cli_cmd_reverse_search(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return search(c, call, reply, -1, err);
}

/* ---- places and files ------------------------------------------------------------------------- */

ebb_status cli_cmd_directory(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    ebb_buf places = {0}, word = {0}, old = {0};
    if (*call->args == '\0' && !cli_ask(c, "Reinitialize source path?"))
        return ebb_fail(err, EBB_INTERRUPTED, "Not confirmed.");
    for (const char *at = call->args; cli_next_word(&at, &word);)
        ebb_buf_addf(&places, "%s%s", places.n ? ":" : "", ebb_buf_text(&word));
    if (places.n && ses_setting_show(c->session, "directories", &old, NULL) == EBB_OK && old.n)
        ebb_buf_addf(&places, ":%s", ebb_buf_text(&old));
    ebb_status status = ses_setting_set(c->session, "directories", ebb_buf_text(&places), err);
    if (status == EBB_OK)
        cli_putf(&reply->text, "Source directories searched: %s\n",
                 places.n ? ebb_buf_text(&places) : "(those the compiler named)");
    ebb_buf_fini(&places);
    ebb_buf_fini(&word);
    ebb_buf_fini(&old);
    return status;
}

ebb_status cli_cmd_show_directories(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    ebb_buf places = {0};
    ebb_status status = ses_setting_show(c->session, "directories", &places, err);
    if (status == EBB_OK) {
        cli_putf(&reply->text, "Source directories searched: %s\n",
                 places.n ? ebb_buf_text(&places) : "(those the compiler named)");
        cli_field_text(reply, "directories", ebb_buf_text(&places));
    }
    ebb_buf_fini(&places);
    return status;
}

ebb_status cli_cmd_file(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    if (ses_get_state(c->session) == SES_STOPPED)
        return ebb_fail(err, EBB_BAD_INPUT,
                        "The program is being debugged: `kill` or `detach` it first.");
    char *args[] = {(char *)call->args, NULL};
    ebb_status status = ses_set_program(c->session, args, err);
    if (status == EBB_OK)
        cli_field_text(reply, "program", ses_get_program(c->session));
    return status;
}

static ebb_status show_directory(cli_reply *reply, const char *words, ebb_error *err)
{
    char *directory = getcwd(NULL, 0);
    if (!directory)
        return ebb_fail_errno(err, "The current directory can't be named");
    cli_putf(&reply->text, "%s %s.\n", words, directory);
    cli_field_text(reply, "directory", directory);
    free(directory);
    return EBB_OK;
}

ebb_status cli_cmd_cd(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    const char *home = getenv("HOME"), *to = *call->args ? call->args : "~";
    bool below_home = to[0] == '~' && (to[1] == '/' || to[1] == '\0');
    if (below_home && !home)
        return ebb_fail(err, EBB_NOT_FOUND, "There is no home directory: HOME is not set.");
    char *path = below_home ? ebb_asprintf("%s%s", home, to + 1) : ebb_strdup(to);
    ebb_status status = chdir(path) == 0 ? show_directory(reply, "Working directory", err)
                                         : ebb_fail_errno(err, "%s", path);
    free(path);
    return status;
}

ebb_status cli_cmd_pwd(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return show_directory(reply, "Working directory", err);
}

/* ---- symbols ---------------------------------------------------------------------------------- */

/* Answers that the session words itself. */
static ebb_status ended(cli_reply *reply, ebb_status status)
{
    if (status == EBB_OK && reply->text.bytes.n &&
        reply->text.bytes.data[reply->text.bytes.n - 1] != '\n')
        cli_put(&reply->text, "\n");
    return status;
}

ebb_status cli_cmd_info_address(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return ended(reply, ses_address_of(c->session, call->args, &reply->text.bytes, err));
}

ebb_status cli_cmd_info_symbol(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return ended(reply, ses_symbol_at(c->session, call->args, &reply->text.bytes, err));
}

ebb_status cli_cmd_info_vtbl(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return ended(reply, ses_info_vtbl(c->session, call->args, &reply->text.bytes, err));
}

ebb_status cli_cmd_info_line(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return ended(reply, ses_info_line(c->session, call->args, &reply->text.bytes, err));
}

ebb_status cli_cmd_info_source(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return ended(reply, ses_info_source(c->session, &reply->text.bytes, err));
}

ebb_status cli_cmd_info_sources(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    regex_t pattern;
    if (regcomp(&pattern, call->args, REG_EXTENDED | REG_NOSUB) != 0)
        return ebb_fail(err, EBB_BAD_INPUT, "Not a regular expression: \"%.100s\".", call->args);
    sym_names files = {0};
    json_t *list = json_array();
    ebb_status status = ses_source_list(c->session, &files, err);
    for (size_t i = 0; status == EBB_OK && i < files.n; i++) {
        if (*call->args && regexec(&pattern, files.items[i], 0, NULL, 0) != 0)
            continue;
        cli_put_style(&reply->text, CLI_STYLE_FILE, files.items[i]);
        cli_put(&reply->text, "\n");
        json_array_append_new(list, cli_json_string(files.items[i]));
    }
    cli_field_json(reply, "files", list);
    ebb_vec_fini(&files);
    regfree(&pattern);
    return status;
}

/* What `info functions` and its kin put out, as gdb lays it out: under a heading for each file, what has no place after them. */
typedef struct found_symbols {
    cli_reply *reply;
    json_t *list;
    char *file; /* owned: of the one before; NULL: it had none */
    size_t n;
} found_symbols;

static void view_found(void *self, const sym_listed *found)
{
    found_symbols *all = self;
    cli_text *text = &all->reply->text;
    if (all->n == 0 || !found->file != !all->file || (found->file && strcmp(all->file, found->file) != 0)) {
        cli_put(text, found->file ? "\nFile " : "\nWithout a known place:\n");
        if (found->file) {
            cli_put_style(text, CLI_STYLE_FILE, found->file);
            cli_put(text, ":\n");
        }
        free(all->file);
        all->file = found->file ? ebb_strdup(found->file) : NULL;
    }
    all->n++;
    json_t *object = json_object();
    if (found->file) {
        cli_putf(text, "%u:\t", found->line);
        cli_json_text(object, "file", found->file);
        json_object_set_new(object, "line", json_integer(found->line));
    }
    cli_putf(text, "%s\n", found->declaration);
    cli_json_text(object, "declaration", found->declaration);
    json_array_append_new(all->list, object);
}

/* -q: without the heading. */
static ebb_status search_symbols(cli *c, const cli_call *call, cli_reply *reply, sym_name_kind kind, const char *what, ebb_error *err)
{
    enum { AT_MOST = 20000 };
    const char *regex = call->args;
    bool is_quiet = strncmp(regex, "-q", 2) == 0 && (!regex[2] || regex[2] == ' ');
    if (is_quiet)
        regex = ebb_text_skip_space(regex + 2);
    else if (*regex)
        cli_putf(&reply->text, "All %ss matching regular expression \"%s\":\n", what, regex);
    else
        cli_putf(&reply->text, "All defined %ss:\n", what);
    found_symbols all = {.reply = reply, .list = json_array()};
    size_t n_left_out = 0;
    ebb_status status = sym_search(ses_get_symbols(c->session), regex, kind, &(sym_searcher){&all, view_found, AT_MOST}, &n_left_out, err);
    cli_field_json(reply, "symbols", all.list);
    cli_view_left_out(reply, n_left_out, what);
    free(all.file);
    return status;
}

ebb_status cli_cmd_info_functions(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return search_symbols(c, call, reply, SYM_NAMES_FUNCTIONS, "function", err);
}

ebb_status cli_cmd_info_variables(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return search_symbols(c, call, reply, SYM_NAMES_VARIABLES, "variable", err);
}

ebb_status cli_cmd_info_types(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return search_symbols(c, call, reply, SYM_NAMES_TYPES, "type", err);
}

/* gdb tells where a variable is; which type it has says more. */
static void view_scoped(cli_reply *reply, json_t *list, const sym_variable_info *info)
{
    ebb_buf declared = {0}, type = {0};
    sym_type_declare(info->type, info->name, &declared);
    json_array_append_new(list, cli_json_string(ebb_buf_text(&declared)));
    sym_type_print(info->type, &type);
    cli_putf(&reply->text, "Symbol %s is %s of type %s, length %lu.\n", info->name,
             info->is_parameter ? "an argument" : info->is_static ? "a static variable" : "a variable", ebb_buf_text(&type), (unsigned long)sym_type_size(info->type));
    ebb_buf_fini(&type);
    ebb_buf_fini(&declared);
}

ebb_status cli_cmd_info_scope(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    uint64_t addr = 0;
    ebb_status status = ses_first_spot(c->session, call->args, &addr, err);
    const sym_function *function;
    if (status == EBB_OK && sym_functions_at(ses_get_symbols(c->session), addr, &function, 1) == 0)
        status = ebb_fail(err, EBB_NOT_FOUND, "No debug information for %s.", call->args);
    if (status != EBB_OK)
        return status;
    json_t *list = json_array();
    for (const sym_block *block = sym_block_at(function, addr); block;
         block = sym_block_parent(block)) {
        size_t n;
        const sym_variable *const *variables = sym_block_variables(block, &n);
        for (size_t i = 0; i < n; i++) {
            if (json_array_size(list) == 0)
                cli_putf(&reply->text, "Scope for %s:\n", call->args);
            view_scoped(reply, list, sym_variable_get_info(variables[i]));
        }
    }
    if (json_array_size(list) == 0)
        cli_putf(&reply->text, "Scope for %s contains no locals or arguments.\n", call->args);
    cli_field_json(reply, "variables", list);
    return EBB_OK;
}
