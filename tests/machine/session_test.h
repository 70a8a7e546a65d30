/* session_test.h - what the tests of the session share: a fixture to debug, and words for where it is. */
#ifndef EBB_TESTS_SESSION_TEST_H
#define EBB_TESTS_SESSION_TEST_H

#include "unit.h"
#include "session/breakpoints.h"
#include "session/data.h"
#include "session/frames.h"
#include "session/session.h"
#include "session/settings.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define assert_fails(call, with)                                                                   \
    do {                                                                                           \
        ebb_error err_ = {0};                                                                      \
        ebb_error *err = &err_;                                                                    \
        assert_int_equal((call), (with));                                                          \
        assert_true(err_.text[0] != '\0');                                                         \
    } while (0)

/* Everything that was said while the debuggee ran. */
typedef struct notices {
    ebb_buf text;
    unsigned n[16];
} notices;
static notices said;

static inline void note(void *self, const ses_notice *notice)
{
    (void)self;
    said.n[notice->kind]++;
    ebb_buf_addf(&said.text, "%s\n", notice->text);
}

static inline int session_setup(void **state)
{
    (void)state;
    alarm(100);
    ebb_buf_fini(&said.text);
    said = (notices){0};
    return 0;
}

static inline int session_teardown(void **state)
{
    (void)state;
    ebb_buf_fini(&said.text);
    return 0;
}

static inline void fixture_path(const char *name, char *path, size_t size)
{
    const char *dir = getenv("SESSION_FIXTURES");
    snprintf(path, size, "%s/session_%s", dir ? dir : "tests/machine/fixtures/session", name);
}

static inline session *debug_with(const char *name, const char *argument)
{
    char path[512];
    fixture_path(name, path, sizeof path);
    static const ses_listener listener = {.notice = note};
    session *s = ses_new(&listener);
    char *args[] = {path, (char *)argument, NULL};
    assert_ok(ses_set_program(s, args, err));
    return s;
}

static inline session *debug(const char *name)
{
    return debug_with(name, NULL);
}

/* ---- places ------------------------------------------------------------------------------------ */

static inline int break_at(session *s, const char *where)
{
    int number;
    ses_break_request request = {.where = where};
    assert_ok(ses_break(s, &request, &number, err));
    return number;
}

/* The line of the fixture that has the comment; 0 if there is none. */
static inline unsigned line_of(session *s, const char *file, const char *comment)
{
    char wanted[100];
    snprintf(wanted, sizeof wanted, "/* %s */", comment);
    sym_names files = {0};
    sym_source_files(ses_get_symbols(s), file, &files);
    assert_true(files.n > 0);
    const char *text;
    unsigned line = 1;
    while ((text = ses_source_text(s, files.items[0], line)) && !strstr(text, wanted))
        line++;
    ebb_vec_fini(&files);
    return text ? line : 0;
}

static inline const ses_frame *frame(session *s, unsigned level)
{
    const ses_frame *f = NULL;
    assert_ok(ses_frame_get(s, level, &f, err));
    return f;
}

/* The innermost frame is at the line with that comment. */
#define assert_at(s, comment)                                                                      \
    do {                                                                                           \
        const ses_frame *f_ = frame(s, 0);                                                         \
        const char *text_ = f_->has_line ? ses_source_text(s, f_->line.file, f_->line.line) : NULL; \
        if (!text_ || !strstr(text_, "/* " comment " */"))                                         \
            fail_msg("at %s line %u (%s), not at \"%s\"", f_->name ? f_->name : "?",               \
                     f_->has_line ? f_->line.line : 0, text_ ? text_ : "?", comment);              \
    } while (0)

#define assert_in(s, level, function) assert_string_equal(frame(s, level)->name, function)

/* ---- moves --------------------------------------------------------------------------------------- */

static inline ses_stop run(session *s)
{
    ses_stop stop;
    assert_ok(ses_run(s, &stop, err));
    return stop;
}

static inline ses_stop go_on(session *s)
{
    ses_stop stop;
    assert_ok(ses_continue(s, 0, &stop, err));
    return stop;
}

static inline ses_stop move(session *s, ses_step_kind kind)
{
    ses_stop stop;
    assert_ok(ses_step(s, kind, 1, &stop, err));
    return stop;
}

static inline ses_stop step(session *s)
{
    return move(s, SES_STEP_LINE);
}

static inline ses_stop next(session *s)
{
    return move(s, SES_NEXT_LINE);
}

static inline ses_stop finish(session *s)
{
    ses_stop stop;
    assert_ok(ses_finish(s, &stop, err));
    return stop;
}

/* ---- values ---------------------------------------------------------------------------------------- */

#define assert_prints(s, expression, text)                                                         \
    do {                                                                                           \
        ebb_buf out_ = {0};                                                                        \
        expr_format format_ = ses_default_format(s);                                               \
        assert_ok(ses_output(s, expression, &format_, &out_, err));                                \
        assert_string_equal(ebb_buf_text(&out_), text);                                            \
        ebb_buf_fini(&out_);                                                                       \
    } while (0)

#endif
