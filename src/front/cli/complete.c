/* complete.c - one completer for each kind of argument (arguments.def). */
#include "front/cli/complete.h"

#include "base/text.h"
#include "front/cli/handlers.h"
#include "session/breakpoints.h"
#include "session/data.h"
#include "session/frames.h"
#include "session/settings.h"

#include <ctype.h>
#include <dirent.h>
#include <string.h>
#include <unistd.h>

enum { MAX_WORDS = 2000 };

/* What is being completed: the line up to the cursor, and where the word under it begins. */
typedef struct completion {
    cli *c;
    const char *line;
    size_t from;
    cli_words *words;
} completion;

static const char *typed(const completion *at)
{
    return at->line + at->from;
}

/* Offers a word if it goes on from what is typed. */
static void offer(completion *at, const char *word)
{
    if (at->words->n < MAX_WORDS && ebb_text_starts(word, typed(at)))
        ebb_vec_push(at->words, ebb_strdup(word));
}

static void offer_number(completion *at, int number)
{
    char text[24];
    snprintf(text, sizeof text, "%d", number);
    offer(at, text);
}

/* Moves the beginning of the word after the last of `breaks` that is typed. */
static void begin_word_after(completion *at, const char *breaks)
{
    for (size_t i = strlen(at->line); i > at->from; i--) {
        if (strchr(breaks, at->line[i - 1])) {
            at->from = i;
            return;
        }
    }
}

/* ---- completers, one for each second column of arguments.def ----------------------------------- */

static void complete_NOTHING(completion *at)
{
}

static void offer_names(completion *at, unsigned kinds)
{
    ebb_arena arena = {0};
    ses_name_list names = {0};
    if (ses_names(at->c->session, &arena, kinds, typed(at), &names, NULL) == EBB_OK)
        for (size_t i = 0; i < names.n; i++)
            offer(at, names.items[i]);
    ebb_vec_fini(&names);
    ebb_arena_fini(&arena);
}

static void complete_FUNCTIONS(completion *at)
{
    offer_names(at, SES_NAMES_FUNCTIONS);
}

/* "list.c:" is followed by functions; before the colon, functions and files. */
static void complete_LOCATIONS(completion *at)
{
    const char *colon = strrchr(typed(at), ':');
    if (colon)
        at->from = (size_t)(colon + 1 - at->line);
    offer_names(at, SES_NAMES_FUNCTIONS | (colon ? 0 : SES_NAMES_FILES));
}

static void complete_REGISTERS(completion *at)
{
    machine *m = ses_get_machine(at->c->session);
    size_t n = 0;
    const machine_reg *registers = m && m->native->registers ? m->native->registers(m, &n) : NULL;
    bool dollar = *typed(at) == '$';
    for (size_t i = 0; i < n; i++) {
        char name[40];
        snprintf(name, sizeof name, "%s%s", dollar ? "$" : "", registers[i].name);
        offer(at, name);
    }
}

/* How far back from `end` the operand of a `.` or `->` reaches: names, subscripts, more members. */
static const char *operand_before(const char *begin, const char *end)
{
    const char *at = end;
    int depth = 0;
    while (at > begin) {
        char before = at[-1];
        if (before == ']' || before == ')')
            depth++;
        else if ((before == '[' || before == '(') && depth-- == 0)
            break;
        else if (depth == 0 && !isalnum((unsigned char)before) && !strchr("_$.>-", before))
            break;
        else if (depth == 0 && before == '-' && *at != '>')
            break;
        at--;
    }
    return at;
}

/* After `p->` or `s.`: the members of what stands before.  False if no member is being typed. */
static bool complete_member(completion *at)
{
    const char *dot = strrchr(typed(at), '.'), *arrow = NULL;
    for (const char *next = typed(at); (next = strstr(next, "->")); next += 2)
        arrow = next;
    if (!dot && !arrow)
        return false;
    const char *end = !arrow || (dot && dot > arrow) ? dot : arrow;
    size_t from = (size_t)(end - at->line) + (end == arrow ? 2 : 1);
    for (const char *rest = at->line + from; *rest; rest++)
        if (!isalnum((unsigned char)*rest) && *rest != '_')
            return false;
    const char *operand = operand_before(typed(at), end);
    char *expression = ebb_strndup(operand, (size_t)(end - operand));
    ebb_arena arena = {0};
    ses_name_list members = {0};
    if (ses_members(at->c->session, &arena, expression, &members, NULL) == EBB_OK) {
        at->from = from;
        for (size_t i = 0; i < members.n; i++)
            offer(at, members.items[i]);
    }
    ebb_vec_fini(&members);
    ebb_arena_fini(&arena);
    free(expression);
    return true;
}

static void complete_EXPRESSIONS(completion *at)
{
    if (complete_member(at))
        return;
    begin_word_after(at, " \t()[]{}+-*/%&|^!~<>=?:,@\"'");
    if (*typed(at) == '$') {
        complete_REGISTERS(at);
        return;
    }
    offer_names(at, SES_NAMES_LOCALS);
    if (at->words->n == 0 || *typed(at))
        offer_names(at, SES_NAMES_FUNCTIONS | SES_NAMES_VARIABLES | SES_NAMES_TYPES);
}

static void complete_FILES(completion *at)
{
    const char *slash = strrchr(typed(at), '/');
    char *folder = slash ? ebb_strndup(typed(at), (size_t)(slash + 1 - typed(at))) : ebb_strdup("");
    const char *home = getenv("HOME");
    bool below_home = ebb_text_starts(folder, "~/") && home;
    char *path =
        below_home ? ebb_asprintf("%s%s", home, folder + 1) : ebb_strdup(*folder ? folder : ".");
    DIR *dir = opendir(path);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        if (entry->d_name[0] == '.' && (!slash ? *typed(at) != '.' : slash[1] != '.'))
            continue;
        char *name =
            ebb_asprintf("%s%s%s", folder, entry->d_name, entry->d_type == DT_DIR ? "/" : "");
        offer(at, name);
        free(name);
    }
    if (dir)
        closedir(dir);
    free(path);
    free(folder);
}

static void complete_SETTINGS(completion *at)
{
    for (size_t i = 0; i < ses_setting_count(); i++)
        offer(at, ses_setting_at(i)->name);
}

static void complete_SIGNALS(completion *at)
{
    for (size_t i = 0; i < ses_signal_count(); i++)
        offer(at, ses_signal_at(at->c->session, i).name);
}

static void complete_BREAKPOINTS(completion *at)
{
    for (size_t i = 0; i < ses_bp_count(at->c->session); i++)
        offer_number(at, ses_bp_at(at->c->session, i)->number);
}

static void complete_DISPLAYS(completion *at)
{
    for (size_t i = 0; i < ses_display_count(at->c->session); i++)
        offer_number(at, ses_display_at(at->c->session, i).number);
}

static void complete_THREADS(completion *at)
{
    ses_threads threads = {0};
    offer(at, "all");
    if (ses_get_state(at->c->session) == SES_STOPPED)
        ses_thread_list(at->c->session, &threads);
    for (size_t i = 0; i < threads.n; i++)
        offer_number(at, (int)threads.items[i].number);
    ebb_vec_fini(&threads);
}

static void complete_ENVIRONMENT(completion *at)
{
    for (char **entry = environ; entry && *entry; entry++) {
        char *name = ebb_strndup(*entry, strcspn(*entry, "="));
        offer(at, name);
        free(name);
    }
}

static void complete_line(completion *at);

static void complete_COMMANDS(completion *at)
{
    complete_line(at);
}

/* ---- schemas ---------------------------------------------------------------------------------- */

typedef enum argument_extent { WORD, REST } argument_extent;

typedef struct argument_kind {
    const char *name;
    argument_extent extent;
    void (*complete)(completion *at);
} argument_kind;

static const argument_kind kinds[] = {
#define CLI_ARGUMENT(name, extent, completer, meaning) {#name, extent, complete_##completer},
#include "front/cli/arguments.def"
#undef CLI_ARGUMENT
};

/* One item of a schema: a kind, or literal words ("on|off"). */
typedef struct schema_item {
    const char *text;
    size_t n;
    bool repeats;
    const argument_kind *kind; /* NULL: literal */
} schema_item;

enum { MAX_ITEMS = 8 };

static const argument_kind *find_kind(const char *text, size_t n)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strlen(kinds[i].name) == n && memcmp(kinds[i].name, text, n) == 0)
            return &kinds[i];
    return NULL;
}

/* Options ("[-q]") and formats ("[/FMT]") are no items: words like these are passed over. */
static size_t schema_items(const char *schema, schema_item *items)
{
    size_t n_items = 0;
    for (const char *at = schema; *at && n_items < MAX_ITEMS;) {
        at += strspn(at, "[] .");
        size_t n = strcspn(at, "[] .");
        if (n && *at != '-' && *at != '/')
            items[n_items++] = (schema_item){at, n, at[n] == '.', find_kind(at, n)};
        at += n;
    }
    return n_items;
}

static bool has_literal(const schema_item *item, const char *word, size_t nbytes)
{
    for (size_t i = 0; !item->kind && i < item->n; i++) {
        size_t n = strcspn(item->text + i, "|] ");
        if (n == nbytes && memcmp(item->text + i, word, n) == 0)
            return true;
        i += n;
    }
    return false;
}

static void offer_literals(completion *at, const char *words, size_t nbytes)
{
    for (size_t i = 0; i < nbytes; i++) {
        size_t n = 0;
        while (i + n < nbytes && words[i + n] != '|')
            n++;
        char *word = ebb_strndup(words + i, n);
        if (islower((unsigned char)*word))
            offer(at, word);
        free(word);
        i += n;
    }
}

/* Which item the word that begins at `word` stands for, once the whole words before it are passed. */
static size_t current_item(const schema_item *items, size_t n_items, const char **word)
{
    size_t item = 0;
    for (;;) {
        size_t n = strcspn(*word, " \t");
        bool is_option = **word == '-' || **word == '/';
        if ((*word)[n] == '\0' ||
            (!is_option && items[item].kind && items[item].kind->extent == REST))
            return item;
        size_t literal = item;
        while (literal < n_items && !has_literal(&items[literal], *word, n))
            literal++;
        if (literal < n_items)
            item = literal + 1;
        else if (!is_option && !items[item].repeats)
            item++;
        *word = ebb_text_skip_space(*word + n);
        if (item >= n_items)
            return n_items;
    }
}

static void complete_schema(completion *at, const char *schema, const char *args)
{
    schema_item items[MAX_ITEMS];
    size_t n_items = schema_items(schema, items);
    const char *word = args;
    size_t item = n_items ? current_item(items, n_items, &word) : 0;
    if (item >= n_items)
        return;
    at->from = (size_t)(word - at->line);
    if (items[item].kind)
        items[item].kind->complete(at);
    for (; item < n_items; item++)
        if (!items[item].kind)
            offer_literals(at, items[item].text, items[item].n);
}

/* ---- lines ------------------------------------------------------------------------------------ */

static void offer_rows(completion *at, const cli_command *parent)
{
    for (size_t i = 0; i < cli_commands.n; i++)
        if (cli_is_below(&cli_commands.rows[i], parent))
            offer(at, cli_last_word(&cli_commands.rows[i]));
    ebb_map_entry entry;
    for (size_t i = 0; !parent && ebb_map_next(at->c->user, &i, &entry);)
        offer(at, entry.text);
    for (size_t i = 0; !parent && ebb_map_next(at->c->aliases, &i, &entry);)
        offer(at, entry.text);
}

/* Settings are words below `set` and `show`; choices follow them. */
static bool complete_setting_value(completion *at, const char *args)
{
    for (size_t i = 0; i < ses_setting_count(); i++) {
        const ses_setting *setting = ses_setting_at(i);
        size_t n = strlen(setting->name);
        if (strncmp(args, setting->name, n) != 0 || !isspace((unsigned char)args[n]))
            continue;
        at->from = (size_t)(ebb_text_skip_space(args + n) - at->line);
        const char *choices = setting->choices ? setting->choices
                              : setting->kind == SES_SETTING_BOOL ? "on|off"
                                                                  : "";
        offer_literals(at, choices, strlen(choices));
        return true;
    }
    return false;
}

static void complete_line(completion *at)
{
    const char *line = ebb_text_skip_space(typed(at));
    const cli_command *row = NULL, *child;
    at->from = (size_t)(line - at->line);
    for (;;) {
        size_t n = cli_word_length(typed(at));
        const char *after = typed(at) + n;
        if (*after == '\0' || n == 0) {
            offer_rows(at, row);
            break;
        }
        if (cli_find_word(&cli_commands, row, typed(at), n, &child) != CLI_FOUND)
            break;
        row = child;
        at->from = (size_t)(ebb_text_skip_space(after) - at->line);
        if (!cli_has_children(&cli_commands, row))
            break;
    }
    if (!row)
        return;
    const char *args = typed(at);
    bool is_setting = row->handler == cli_cmd_set || row->handler == cli_cmd_show;
    if (is_setting && complete_setting_value(at, args))
        return;
    if (is_setting)
        complete_SETTINGS(at);
    else if (!cli_has_children(&cli_commands, row) || row->flags & CLI_FREE)
        complete_schema(at, row->schema, args);
}

static int compare_words(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void cli_complete(cli *c, const char *line, size_t *from, cli_words *words)
{
    completion at = {.c = c, .line = line, .words = words};
    complete_line(&at);
    *from = at.from;
    if (words->n == 0)
        return;
    qsort(words->items, words->n, sizeof *words->items, compare_words);
    size_t kept = 1;
    for (size_t i = 1; i < words->n; i++) {
        if (strcmp(words->items[i], words->items[kept - 1]) == 0)
            free(words->items[i]);
        else
            words->items[kept++] = words->items[i];
    }
    words->n = kept;
}

void cli_words_fini(cli_words *words)
{
    for (size_t i = 0; i < words->n; i++)
        free(words->items[i]);
    ebb_vec_fini(words);
}

size_t cli_words_common(const cli_words *words)
{
    size_t n = words->n ? strlen(words->items[0]) : 0;
    for (size_t i = 1; i < words->n; i++)
        while (strncmp(words->items[0], words->items[i], n) != 0)
            n--;
    return n;
}

ebb_status cli_cmd_complete(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    size_t from;
    cli_words words = {0};
    json_t *list = json_array();
    cli_complete(c, call->args, &from, &words);
    for (size_t i = 0; i < words.n; i++) {
        ebb_buf whole = {0};
        ebb_buf_add(&whole, call->args, from);
        ebb_buf_adds(&whole, words.items[i]);
        cli_putf(&reply->text, "%s\n", ebb_buf_text(&whole));
        json_array_append_new(list, cli_json_string(ebb_buf_text(&whole)));
        ebb_buf_fini(&whole);
    }
    cli_field_json(reply, "completions", list);
    cli_words_fini(&words);
    return EBB_OK;
}
