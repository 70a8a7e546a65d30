/* command.c - finding a row of the table: by name, by abbreviation, and below a prefix like `info`. */
#include "front/cli/command.h"

#include "base/text.h"

#include <ctype.h>
#include <string.h>

const char *cli_group_word(cli_group group)
{
    static const char *const words[] = {
#define X(name, word, title) word,
        CLI_GROUPS(X)
#undef X
    };
    return words[group];
}

const char *cli_group_title(cli_group group)
{
    static const char *const titles[] = {
#define X(name, word, title) title,
        CLI_GROUPS(X)
#undef X
    };
    return titles[group];
}

size_t cli_word_length(const char *text)
{
    if (*text == '!' || *text == '|')
        return 1;
    size_t n = 0;
    while (isalnum((unsigned char)text[n]) || text[n] == '-' || text[n] == '_' || text[n] == '.')
        n++;
    return n;
}

const char *cli_last_word(const cli_command *row)
{
    const char *space = strrchr(row->name, ' ');
    return space ? space + 1 : row->name;
}

bool cli_is_below(const cli_command *row, const cli_command *parent)
{
    const char *last = cli_last_word(row);
    if (!parent)
        return last == row->name;
    size_t n = strlen(parent->name);
    return strncmp(row->name, parent->name, n) == 0 && last == row->name + n + 1;
}

bool cli_has_children(const cli_table *table, const cli_command *row)
{
    for (size_t i = 0; i < table->n; i++)
        if (cli_is_below(&table->rows[i], row))
            return true;
    return false;
}

static bool list_has_word(const char *list, const char *word, size_t nbytes)
{
    for (const char *at = list; *at;) {
        size_t n = strcspn(at, " ");
        if (n == nbytes && memcmp(at, word, n) == 0)
            return true;
        at += n + strspn(at + n, " ");
    }
    return false;
}

bool cli_is_named(const cli_command *row, const char *word, size_t nbytes)
{
    const char *last = cli_last_word(row);
    return (strlen(last) == nbytes && memcmp(last, word, nbytes) == 0) ||
           list_has_word(row->aliases, word, nbytes);
}

cli_found cli_find_word(const cli_table *table, const cli_command *parent, const char *word,
                        size_t nbytes, const cli_command **row)
{
    *row = NULL;
    if (nbytes == 0)
        return CLI_FOUND_NONE;
    const cli_command *begun = NULL;
    bool several = false;
    for (size_t i = 0; i < table->n; i++) {
        const cli_command *candidate = &table->rows[i];
        if (!cli_is_below(candidate, parent))
            continue;
        if (cli_is_named(candidate, word, nbytes)) {
            *row = candidate;
            return CLI_FOUND;
        }
        if (strncmp(cli_last_word(candidate), word, nbytes) != 0)
            continue;
        if (begun && begun->handler != candidate->handler)
            several = true;
        if (!begun)
            begun = candidate;
    }
    if (several)
        return CLI_FOUND_MANY;
    *row = begun;
    return begun ? CLI_FOUND : CLI_FOUND_NONE;
}

/* `set p = 3` assigns to p: it doesn't mean `set print`. */
static bool looks_like_assignment(const char *behind_word)
{
    const char *at = ebb_text_skip_space(behind_word);
    return at[0] == '=' && at[1] != '=';
}

cli_found cli_find_line(const cli_table *table, const char *line, const cli_command **row,
                        const char **args)
{
    const char *at = ebb_text_skip_space(line);
    size_t n = cli_word_length(at);
    cli_found found = cli_find_word(table, NULL, at, n, row);
    at += n;
    while (found == CLI_FOUND && cli_has_children(table, *row)) {
        const char *next = ebb_text_skip_space(at);
        n = cli_word_length(next);
        if (n == 0 || ((*row)->flags & CLI_FREE && looks_like_assignment(next + n)))
            break;
        const cli_command *child;
        cli_found below = cli_find_word(table, *row, next, n, &child);
        if (below != CLI_FOUND && (*row)->flags & CLI_FREE)
            break;
        if (below != CLI_FOUND) {
            *args = next;
            return below == CLI_FOUND_MANY ? CLI_FOUND_MANY : CLI_FOUND;
        }
        *row = child;
        at = next + n;
    }
    *args = ebb_text_skip_space(at);
    return found;
}

/* Whether the schema's first item may be left out; what isn't in brackets may not. */
static bool first_is_optional(const char *schema)
{
    return *schema == '\0' || *schema == '[';
}

ebb_status cli_check_args(const cli_command *row, const char *args, ebb_error *err)
{
    if (*row->schema == '\0' && *args)
        return ebb_fail(err, EBB_BAD_INPUT, "\"%s\" takes no arguments.", row->name);
    if (*args == '\0' && !first_is_optional(row->schema))
        return ebb_fail(err, EBB_BAD_INPUT, "Argument required: %s %s", row->name, row->schema);
    return EBB_OK;
}
