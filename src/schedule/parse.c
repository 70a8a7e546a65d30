/* parse.c - the text of a schedule, line by line; every line that is wrong is told, not only the first. */
#include "schedule/schedule.h"

#include "base/text.h"

#include <limits.h>
#include <string.h>

enum { MAX_WORDS = 5, MAX_LINE = 1 << 16 };

typedef struct parser {
    sched_schedule *s;
    sched_complaints *all;
    uint32_t line;
    uint32_t owner;          /* message-based: whose section this is */
    char *words[MAX_WORDS + 1];
    int nwords;              /* at most MAX_WORDS + 1, where the last word is the rest of the line */
} parser;

/* ---- words ---- */

/* Cuts the comment off, and the line into words; runs of blanks become one, also in the rest that stays together as the last word. */
static void split(parser *p, char *line, int max_words)
{
    line[strcspn(line, "#")] = '\0';
    ebb_text_rtrim(line);
    p->nwords = 0;
    for (char *at = line + strspn(line, " \t\r"); *at && p->nwords < max_words;) {
        p->words[p->nwords++] = at;
        if (p->nwords == max_words)
            return;
        at += strcspn(at, " \t\r");
        if (*at)
            *at++ = '\0';
        at += strspn(at, " \t\r");
    }
}

static void collapse_blanks(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++) {
        bool is_blank = *from == ' ' || *from == '\t' || *from == '\r';
        if (is_blank && to > text && to[-1] == ' ')
            continue;
        *to++ = is_blank ? ' ' : *from;
    }
    *to = '\0';
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void decode_name(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++) {
        int high = from[0] == '%' ? hex_digit(from[1]) : -1, low = high >= 0 ? hex_digit(from[2]) : -1;
        bool is_coded = low >= 0 && (high | low) != 0;
        *to++ = is_coded ? (char)(high * 16 + low) : *from;
        from += is_coded ? 2 : 0;
    }
    *to = '\0';
}

/* ---- operands ---- */

/* Decimal digits only, so that 010 is ten and 0x10 is nothing. */
static bool to_number(const char *text, uint64_t max, uint64_t *out)
{
    uint64_t value = 0;
    if (!*text)
        return false;
    for (; *text; text++) {
        uint64_t digit = (uint64_t)(*text - '0');
        if (*text < '0' || *text > '9' || digit > max || value > (max - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *out = value;
    return true;
}

static bool to_long(const char *text, int64_t *out)
{
    bool negative = *text == '-';
    uint64_t value;
    if (!to_number(text + negative, (uint64_t)INT64_MAX + negative, &value))
        return false;
    *out = negative ? (int64_t)(0 - value) : (int64_t)value;
    return true;
}

static bool take_thread(parser *p, const char *word, bool none_is_fine, uint32_t *out)
{
    uint64_t value;
    if (none_is_fine && strcmp(word, "none") == 0) {
        *out = SCHED_NONE;
        return true;
    }
    if (!to_number(word, SCHED_MAX_THREADS - 1, &value)) {
        sched_complain(p->all, p->line, "\"%.60s\" is no number of a thread%s", word, none_is_fine ? ", nor none" : "");
        return false;
    }
    *out = (uint32_t)value;
    return true;
}

static bool take_method(parser *p, const char *word, sched_place *place)
{
    uint64_t index;
    if (word[0] < '0' || word[0] > '9') {
        place->method = word;
        return true;
    }
    if (!to_number(word, UINT16_MAX, &index)) {
        sched_complain(p->all, p->line, "\"%.60s\" is no index of a method: 0 to 65535, or its name", word);
        return false;
    }
    place->method_index = (uint32_t)index;
    return true;
}

static bool take_offset(parser *p, const char *word, sched_place *place)
{
    uint64_t offset;
    place->is_line = ebb_text_starts(word, "line:");
    if (!to_number(place->is_line ? word + 5 : word, UINT16_MAX, &offset) || (place->is_line && offset == 0)) {
        sched_complain(p->all, p->line, "\"%.60s\" is no place of a bytecode: 0 to 65535, or line:N", word);
        return false;
    }
    place->offset = (uint32_t)offset;
    return true;
}

static bool take_count(parser *p, const char *word, const char *what, uint64_t *out)
{
    if (to_number(word, INT64_MAX, out) && *out > 0)
        return true;
    sched_complain(p->all, p->line, "\"%.60s\" is no %s: 1 to %lld", word, what, (long long)INT64_MAX);
    return false;
}

static char *with_dots(char *name)
{
    for (char *c = name; *c; c++)
        if (*c == '/')
            *c = '.';
    return name;
}

static bool take_place(parser *p, sched_command *c)
{
    c->count = 1;
    if (p->nwords == 2 && c->kind == SCHED_IN && strcmp(p->words[1], "none") == 0)
        return true;
    if (p->nwords != 5) {
        sched_complain(p->all, p->line, "%s takes a class, a method, an offset and a count", p->words[0]);
        return false;
    }
    c->place.cls = with_dots(p->words[1]);
    return take_method(p, p->words[2], &c->place) && take_offset(p, p->words[3], &c->place) &&
           take_count(p, p->words[4], "count of executions", &c->count);
}

static bool take_log(parser *p, sched_command *c)
{
    if (p->nwords < 2 || !to_number(p->words[1], SCHED_LOG_LEVELS, &c->count) || c->count == 0) {
        sched_complain(p->all, p->line, "log takes a level, 1 to %d, and a message", SCHED_LOG_LEVELS);
        return false;
    }
    if (p->nwords > 2)
        collapse_blanks(p->words[2]);
    c->text = p->nwords > 2 ? p->words[2] : "";
    return true;
}

static bool take_times(parser *p, sched_command *c)
{
    c->count = SCHED_FOREVER;
    return strcmp(p->words[1], "inf") == 0 || take_count(p, p->words[1], "number of rounds, nor inf", &c->count);
}

static bool take_message(parser *p, sched_command *c)
{
    if (!take_thread(p, p->words[1], false, &c->thread))
        return false;
    if (to_long(p->words[2], &c->message))
        return true;
    sched_complain(p->all, p->line, "\"%.60s\" is no message: a number of 64 bits", p->words[2]);
    return false;
}

static bool take_named(parser *p, sched_command *c)
{
    if (p->nwords < 2) {
        sched_complain(p->all, p->line, "thread takes a number, and a name");
        return false;
    }
    if (!take_thread(p, p->words[1], false, &c->thread))
        return false;
    if (p->nwords > 2) {
        collapse_blanks(p->words[2]);
        decode_name(p->words[2]);
        c->text = p->words[2];
    }
    return true;
}

/* How many words a command has, itself included; 0: its operands are counted where they are read. */
static int nwords_of(sched_operands takes)
{
    switch (takes) {
    case SCHED_TAKES_NOTHING: return 1;
    case SCHED_TAKES_WHOM: case SCHED_TAKES_WHOM_OR_NONE: case SCHED_TAKES_TIMES: return 2;
    case SCHED_TAKES_MESSAGE: return 3;
    default: return 0;
    }
}

static const char *operands_text(sched_operands takes)
{
    switch (takes) {
    case SCHED_TAKES_NOTHING: return "nothing";
    case SCHED_TAKES_WHOM: return "the number of a thread";
    case SCHED_TAKES_WHOM_OR_NONE: return "the number of a thread, or none";
    case SCHED_TAKES_TIMES: return "a number of rounds, or inf";
    default: return "a thread and a number";
    }
}

static bool take_operands(parser *p, sched_command *c)
{
    sched_operands takes = sched_rows[c->kind].operands;
    if (nwords_of(takes) && p->nwords != nwords_of(takes)) {
        sched_complain(p->all, p->line, "%s takes %s", p->words[0], operands_text(takes));
        return false;
    }
    switch (takes) {
    case SCHED_TAKES_PLACE: return take_place(p, c);
    case SCHED_TAKES_WHOM: return take_thread(p, p->words[1], false, &c->thread);
    case SCHED_TAKES_WHOM_OR_NONE: return take_thread(p, p->words[1], true, &c->thread);
    case SCHED_TAKES_MESSAGE: return take_message(p, c);
    case SCHED_TAKES_LOG: return take_log(p, c);
    case SCHED_TAKES_TIMES: return take_times(p, c);
    case SCHED_TAKES_NAME: return take_named(p, c);
    default: return true;
    }
}

/* ---- lines ---- */

static bool find_kind(const char *word, sched_kind *kind)
{
    for (unsigned k = 0; k < SCHED_NKINDS; k++)
        if (strcmp(sched_rows[k].word, word) == 0) {
            *kind = (sched_kind)k;
            return true;
        }
    return false;
}

/* A message or a name is the rest of the line: blanks in it are no ends of words. */
static int words_to_split(const char *line)
{
    const char *word = line + strspn(line, " \t\r");
    size_t n = strcspn(word, " \t\r#");
    bool has_text = (n == 3 && strncmp(word, "log", 3) == 0) || (n == 6 && strncmp(word, "thread", 6) == 0);
    return has_text ? 3 : MAX_WORDS + 1;
}

static void parse_line(parser *p, char *line)
{
    sched_command c = {.line = p->line, .file = p->s->file};
    split(p, line, words_to_split(line));
    if (p->nwords == 0)
        return;
    if (!find_kind(p->words[0], &c.kind)) {
        sched_complain(p->all, p->line, "there is no command \"%.60s\"", p->words[0]);
        return;
    }
    if (!take_operands(p, &c))
        return;
    if (c.kind == SCHED_THREAD)
        p->owner = c.thread;
    c.owner = p->owner;
    sched_add(p->s, &c);
}

static bool is_text(parser *p, const char *line, size_t nbytes)
{
    if (nbytes > MAX_LINE)
        sched_complain(p->all, p->line, "this line is longer than %d bytes", MAX_LINE);
    else if (memchr(line, '\0', nbytes))
        sched_complain(p->all, p->line, "this line has a zero byte in it");
    else
        return true;
    return false;
}

ebb_status sched_parse_text(sched_schedule *s, const char *text, size_t nbytes, sched_complaints *all)
{
    parser p = {.s = s, .all = all};
    size_t before = all->list.n;
    const char *end = text + nbytes;
    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        size_t n = (size_t)((newline ? newline : end) - text);
        p.line++;
        if (is_text(&p, text, n)) {
            char *line = ebb_strndup(text, n);
            parse_line(&p, line);
            free(line);
        }
        text = newline ? newline + 1 : end;
    }
    return all->list.n > before ? EBB_BAD_FILE : EBB_OK;
}
