/* reply.h - what a command has to say: text for people and fields for programs, filled side by side.
 *
 * A handler fills one reply.  The text skin prints `text` (with colours on a terminal), the JSON skin
 * prints `fields`; neither asks the session again.  A reply without fields has its text as "text".
 *
 * A list that may have a million objects is kept as the JSON text that it becomes (*rows*): to build a tree of it and to write that
 * takes longer than to find out what it tells.
 *
 * Text carries *spans*: pieces with a style.  They are kept beside the bytes, so that nothing the
 * debuggee prints can be mistaken for them. */
#ifndef EBB_FRONT_CLI_REPLY_H
#define EBB_FRONT_CLI_REPLY_H

#include "base/buf.h"
#include "base/mem.h"
#include "session/session.h"

#include <jansson.h>

/* Styles and the colours (ANSI SGR) they have on a terminal. */
#define CLI_STYLES(X)                                                                              \
    X(PLAIN, "")                                                                                   \
    X(FUNCTION, "33")                                                                              \
    X(FILE, "32")                                                                                  \
    X(NAME, "36")                                                                                  \
    X(ADDRESS, "34")                                                                               \
    X(TITLE, "1")                                                                                  \
    X(ERROR, "31")                                                                                 \
    X(CURRENT, "1;32")

typedef enum cli_style {
#define X(name, sgr) CLI_STYLE_##name,
    CLI_STYLES(X)
#undef X
} cli_style;

typedef struct cli_span {
    size_t at, nbytes;
    cli_style style;
} cli_span;

typedef struct cli_text {
    ebb_buf bytes;
    EBB_VEC(cli_span) spans; /* in order, apart from each other */
} cli_text;                  /* zero-initialised is empty */

void cli_text_fini(cli_text *text);
void cli_put(cli_text *text, const char *plain);
void cli_putf(cli_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cli_put_style(cli_text *text, cli_style style, const char *words);
void cli_put_stylef(cli_text *text, cli_style style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The bytes with escape sequences for the spans. */
void cli_text_colour(const cli_text *text, ebb_buf *out);

typedef enum cli_reply_kind { CLI_ANSWER, CLI_STOP } cli_reply_kind;

struct cli_reply {
    cli_reply_kind kind;
    cli_text text;
    json_t *fields;  /* NULL until the first one */
    const char *rows_key; /* the field that the rows are; NULL: there are none */
    ebb_buf rows;         /* objects with commas between them */
    bool is_quiet;   /* a stop of which nothing is shown as text (`silent`) */
    char *follow_up; /* STOP: commands of the breakpoints that were reached; NULL if none */
};

void cli_reply_fini(struct cli_reply *reply);

/* Fields.  A text that isn't UTF-8 has its bad bytes replaced. */
void cli_field_text(struct cli_reply *reply, const char *key, const char *text);
void cli_field_int(struct cli_reply *reply, const char *key, long long number);
void cli_field_bool(struct cli_reply *reply, const char *key, bool value);
void cli_field_json(struct cli_reply *reply, const char *key, json_t *taken);

/* Rows: a list of objects under one key.  Then for each object: begin, its members, end. */
void cli_rows_begin(struct cli_reply *reply, const char *key);
void cli_row_begin(struct cli_reply *reply);
void cli_row_text(struct cli_reply *reply, const char *key, const char *text);
void cli_row_bool(struct cli_reply *reply, const char *key, bool value);
void cli_row_end(struct cli_reply *reply);

/* The same for any object; texts that are NULL are left out. */
void cli_json_text(json_t *object, const char *key, const char *text);
void cli_json_address(json_t *object, const char *key, uint64_t address); /* "0x..." */
json_t *cli_json_string(const char *text);                                /* never NULL */

#endif
