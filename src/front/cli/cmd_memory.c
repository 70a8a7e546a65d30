/* cmd_memory.c - memory as a whole: found in, dumped to files, brought back. */
#include "base/text.h"
#include "front/cli/args.h"
#include "front/cli/handlers.h"
#include "session/data.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 1 << 16, MAX_NBYTES = 1 << 30 };

/* ---- lists of expressions --------------------------------------------------------------------- */

typedef EBB_VEC(char *) texts;

static void texts_fini(texts *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->items[i]);
    ebb_vec_fini(list);
}

/* At commas outside of brackets and quotes. */
static void split_commas(const char *text, texts *out)
{
    int depth = 0;
    char quote = '\0';
    const char *begin = text;
    for (;; text++) {
        if (*text == '\0' || (*text == ',' && depth == 0 && !quote)) {
            ebb_vec_push(out, ebb_text_rtrim(ebb_strndup(ebb_text_skip_space(begin), (size_t)(text - ebb_text_skip_space(begin)))));
            begin = text + 1;
        }
        if (*text == '\0')
            return;
        if (quote)
            quote = *text == '\\' && text[1] ? (text++, quote) : *text == quote ? '\0' : quote;
        else if (*text == '"' || *text == '\'')
            quote = *text;
        depth += !quote && (*text == '(' || *text == '[' || *text == '{');
        depth -= !quote && (*text == ')' || *text == ']' || *text == '}');
    }
}

/* ---- find ------------------------------------------------------------------------------------- */

/* A value's bytes: of that many bytes if `size` says so, of its own type otherwise; a string with its end, as in gdb. */
static ebb_status add_pattern(cli *c, const char *expression, char size, ebb_buf *pattern, ebb_error *err)
{
    static const char sizes[] = "bhwg";
    ebb_arena arena = {0};
    expr_value value;
    uint64_t number;
    const char *unit = size ? strchr(sizes, size) : NULL;
    ebb_status status = ses_evaluate_aside(c->session, &arena, expression, &value, err);
    if (status == EBB_OK && unit) {
        status = expr_value_to_u64(&arena, ses_world(c->session), &value, &number, err);
        if (status == EBB_OK)
            ebb_buf_add(pattern, &number, (size_t)1 << (unit - sizes));
    } else if (status == EBB_OK) {
        status = expr_value_fetch(&arena, ses_world(c->session), &value, err);
        size_t nbytes = status == EBB_OK && value.bytes ? (size_t)sym_type_size(value.type) : 0;
        if (nbytes)
            ebb_buf_add(pattern, value.bytes, nbytes);
        else if (status == EBB_OK)
            status = ebb_fail(err, EBB_BAD_INPUT, "\"%.60s\" has no bytes to look for.", expression);
    }
    ebb_arena_fini(&arena);
    return status;
}

typedef struct finder {
    cli *c;
    uint64_t at, end;
    const ebb_buf *pattern;
    uint64_t most, n, last;
    ebb_buf *text;
} finder;

static void found(finder *f, uint64_t addr)
{
    ebb_buf_addf(f->text, "0x%lx", (unsigned long)addr);
    size_t before = f->text->n;
    ebb_buf_addc(f->text, ' ');
    if (!ses_world(f->c->session)->symbolise(ses_world(f->c->session)->self, addr, true, f->text))
        ebb_buf_truncate(f->text, before);
    ebb_buf_addc(f->text, '\n');
    f->last = addr;
    f->n++;
}

/* Chunks overlap by the pattern, so that none is missed between two. */
static ebb_status search(finder *f, ebb_error *err)
{
    const expr_world *world = ses_world(f->c->session);
    size_t n_pattern = f->pattern->n, room = CHUNK + n_pattern;
    uint8_t *bytes = ebb_alloc(room);
    ebb_status status = EBB_OK;
    while (status == EBB_OK && f->end - f->at >= n_pattern && f->n < f->most) {
        size_t n = f->end - f->at < room ? (size_t)(f->end - f->at) : room;
        status = world->read(world->self, f->at, bytes, n, NULL);
        if (status != EBB_OK) {
            status = ebb_fail(err, EBB_NO_MEMORY_AT, "Unable to access %zu bytes of target memory at 0x%lx, halting search.", n, (unsigned long)f->at);
            break;
        }
        size_t i = 0, last = n - n_pattern;
        for (; i <= last && f->n < f->most; i++)
            if (memcmp(bytes + i, f->pattern->data, n_pattern) == 0)
                found(f, f->at + i);
        f->at += i;
    }
    free(bytes);
    return status;
}

static ebb_status find_range(cli *c, const texts *list, uint64_t *start, uint64_t *end, ebb_error *err)
{
    uint64_t second;
    if (list->n < 3)
        return ebb_fail(err, EBB_BAD_INPUT, "Missing search parameters: find START, +LENGTH, VALUE...");
    EBB_TRY(ses_evaluate_u64(c->session, list->items[0], start, err));
    bool is_length = list->items[1][0] == '+';
    EBB_TRY(ses_evaluate_u64(c->session, list->items[1] + is_length, &second, err));
    *end = is_length ? *start + second : second + 1;
    return *end > *start ? EBB_OK : ebb_fail(err, EBB_BAD_INPUT, "Empty search range.");
}

/* find [/SIZE] [/COUNT] START, +LENGTH|END, VALUE... */
ebb_status cli_cmd_find(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    texts list = {0};
    ebb_buf pattern = {0};
    finder f = {.c = c, .pattern = &pattern, .most = UINT64_MAX, .text = &reply->text.bytes};
    const char *args = call->args;
    char size = '\0';
    for (; *args == '/'; args = ebb_text_skip_space(args)) {
        for (args++; *args && *args != ' ' && *args != '/'; args++) {
            if (strchr("bhwg", *args))
                size = *args;
            else if (*args >= '0' && *args <= '9')
                f.most = (f.most == UINT64_MAX ? 0 : f.most) * 10 + (uint64_t)(*args - '0');
        }
    }
    split_commas(args, &list);
    ebb_status status = find_range(c, &list, &f.at, &f.end, err);
    for (size_t i = 2; i < list.n && status == EBB_OK; i++)
        status = add_pattern(c, list.items[i], size, &pattern, err);
    if (status == EBB_OK)
        status = search(&f, err);
    if (status == EBB_OK && f.n == 0)
        cli_put(&reply->text, "Pattern not found.\n");
    else if (status == EBB_OK)
        cli_putf(&reply->text, "%lu pattern%s found.\n", (unsigned long)f.n, f.n == 1 ? "" : "s");
    cli_field_int(reply, "found", (long long)f.n);
    texts_fini(&list);
    ebb_buf_fini(&pattern);
    return status;
}

/* ---- dump, append, restore -------------------------------------------------------------------- */

static ebb_status write_file(const char *path, bool appends, const void *bytes, size_t nbytes, ebb_error *err)
{
    FILE *file = fopen(path, appends ? "ae" : "we");
    if (!file)
        return ebb_fail_errno(err, "%s", path);
    bool written = fwrite(bytes, 1, nbytes, file) == nbytes;
    bool closed = fclose(file) == 0;
    return written && closed ? EBB_OK : ebb_fail_errno(err, "%s", path);
}

static ebb_status dump_memory(cli *c, const char *path, bool appends, const char *rest, ebb_error *err)
{
    ebb_buf from = {0};
    uint64_t lo, hi;
    cli_next_word(&rest, &from);
    ebb_status status = ses_evaluate_u64(c->session, ebb_buf_text(&from), &lo, err);
    ebb_buf_fini(&from);
    if (status == EBB_OK)
        status = ses_evaluate_u64(c->session, rest, &hi, err);
    if (status != EBB_OK)
        return status;
    if (hi <= lo || hi - lo > MAX_NBYTES)
        return ebb_fail(err, EBB_BAD_INPUT, "Invalid memory address range (start >= end), or more than a gigabyte.");
    const expr_world *world = ses_world(c->session);
    uint8_t *bytes = ebb_alloc((size_t)(hi - lo));
    status = world->read(world->self, lo, bytes, (size_t)(hi - lo), err);
    if (status == EBB_OK)
        status = write_file(path, appends, bytes, (size_t)(hi - lo), err);
    free(bytes);
    return status;
}

static ebb_status dump_value(cli *c, const char *path, bool appends, const char *expression, ebb_error *err)
{
    ebb_arena arena = {0};
    expr_value value;
    ebb_status status = ses_evaluate_aside(c->session, &arena, expression, &value, err);
    if (status == EBB_OK)
        status = expr_value_fetch(&arena, ses_world(c->session), &value, err);
    if (status == EBB_OK && !value.bytes)
        status = ebb_fail(err, EBB_UNAVAILABLE, "\"%.60s\" has no bytes to write.", expression);
    if (status == EBB_OK)
        status = write_file(path, appends, value.bytes, (size_t)sym_type_size(value.type), err);
    ebb_arena_fini(&arena);
    return status;
}

/* [binary] memory FILE START STOP, [binary] value FILE EXPR */
static ebb_status dump(cli *c, const char *args, bool appends, ebb_error *err)
{
    cli_take_word(&args, "binary");
    bool is_value = cli_take_word(&args, "value");
    if (!is_value && !cli_take_word(&args, "memory"))
        return ebb_fail(err, EBB_BAD_INPUT, "Say what: dump [binary] memory FILE START STOP, dump [binary] value FILE EXPR");
    ebb_buf path = {0};
    cli_next_word(&args, &path);
    ebb_status status = *args == '\0'  ? ebb_fail(err, EBB_BAD_INPUT, "Missing what to dump, after the file.")
                        : is_value     ? dump_value(c, ebb_buf_text(&path), appends, args, err)
                                       : dump_memory(c, ebb_buf_text(&path), appends, args, err);
    ebb_buf_fini(&path);
    return status;
}

ebb_status cli_cmd_dump(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    (void)reply;
    return dump(c, call->args, false, err);
}

ebb_status cli_cmd_append(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    (void)reply;
    return dump(c, call->args, true, err);
}

static ebb_status read_file(const char *path, ebb_buf *bytes, ebb_error *err)
{
    char chunk[CHUNK];
    FILE *file = fopen(path, "re");
    if (!file)
        return ebb_fail_errno(err, "%s", path);
    for (size_t n; (n = fread(chunk, 1, sizeof chunk, file)) > 0 && bytes->n < MAX_NBYTES;)
        ebb_buf_add(bytes, chunk, n);
    bool failed = ferror(file);
    fclose(file);
    return failed ? ebb_fail_errno(err, "%s", path) : EBB_OK;
}

/* restore FILE binary ADDRESS */
ebb_status cli_cmd_restore(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    ebb_buf path = {0}, bytes = {0};
    uint64_t addr;
    const char *args = call->args;
    cli_next_word(&args, &path);
    ebb_status status = cli_take_word(&args, "binary") ? EBB_OK : ebb_fail(err, EBB_UNSUPPORTED, "Only binary files: restore FILE binary ADDRESS");
    if (status == EBB_OK)
        status = ses_evaluate_u64(c->session, *args ? args : "0", &addr, err);
    if (status == EBB_OK)
        status = read_file(ebb_buf_text(&path), &bytes, err);
    const expr_world *world = ses_world(c->session);
    if (status == EBB_OK)
        status = world->write(world->self, addr, bytes.data, bytes.n, err);
    if (status == EBB_OK)
        cli_putf(&reply->text, "Restoring binary file %s into memory (0x%lx to 0x%lx)\n", ebb_buf_text(&path), (unsigned long)addr,
                 (unsigned long)(addr + bytes.n));
    ebb_buf_fini(&path);
    ebb_buf_fini(&bytes);
    return status;
}
