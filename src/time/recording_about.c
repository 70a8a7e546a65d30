/* recording_about.c - the words of the section that says what was run, written and read. */
#include "time/recording_about.h"
#include "base/file.h"
#include "time/recording_format.h"

#include <string.h>

void ebb_texts_push(ebb_texts *texts, const char *text)
{
    ebb_vec_push(texts, ebb_strdup(text));
}

/* As /proc has arguments and environments: one after the other, each with its zero.  A process that is gone has none, which is no error of anybody's. */
void ebb_texts_read(ebb_texts *texts, const char *path)
{
    ebb_buf text = {0};
    if (ebb_file_read(path, &text, NULL) == EBB_OK)
        for (size_t at = 0; at < text.n; at += strlen(text.data + at) + 1)
            ebb_texts_push(texts, text.data + at);
    ebb_buf_fini(&text);
}

void ebb_texts_fini(ebb_texts *texts)
{
    for (size_t i = 0; i < texts->n; i++)
        free(texts->items[i]);
    ebb_vec_fini(texts);
}

void ebb_about_fini(ebb_about *about)
{
    free(about->machine);
    free(about->program);
    free(about->directory);
    ebb_texts_fini(&about->args);
    ebb_texts_fini(&about->environment);
    ebb_texts_fini(&about->facts);
    *about = (ebb_about){0};
}

const char *ebb_about_fact(const ebb_about *about, const char *name)
{
    size_t n = strlen(name);
    for (size_t i = 0; i < about->facts.n; i++)
        if (strncmp(about->facts.items[i], name, n) == 0 && about->facts.items[i][n] == '=')
            return about->facts.items[i] + n + 1;
    return NULL;
}

/* ---- as bytes ------------------------------------------------------------------------------------- */

static void add_text(ebb_buf *buf, const char *text)
{
    rec_add_varint(buf, text ? strlen(text) : 0);
    ebb_buf_adds(buf, text ? text : "");
}

static void add_texts(ebb_buf *buf, const ebb_texts *texts)
{
    rec_add_varint(buf, texts->n);
    for (size_t i = 0; i < texts->n; i++)
        add_text(buf, texts->items[i]);
}

/* Never NULL, so that nobody who uses a broken description has to look; that it is broken is told once, at its end (ebb_about_read). */
static char *take_text(ebb_values *v)
{
    char *text = ebb_values_text(v);
    return text ? text : ebb_strdup("");
}

static void take_texts(ebb_values *v, ebb_texts *out)
{
    uint64_t n = ebb_values_u64(v);
    for (uint64_t i = 0; i < n && !v->is_bad; i++) { /* RC5: each takes a byte at least, so `n` can't run away */
        char *text = take_text(v);
        ebb_vec_push(out, text);
    }
}

/* One section, the first of the file: it is there before anything else can go wrong with the recording, and is found without an index. */
ebb_status ebb_about_write(const ebb_about *about, ebb_recorder *rec, ebb_error *err)
{
    ebb_buf buf = {0};
    add_text(&buf, about->machine);
    rec_add_varint(&buf, about->machine_version);
    add_text(&buf, about->program);
    add_text(&buf, about->directory);
    rec_add_varint(&buf, (uint64_t)about->began);
    add_texts(&buf, &about->args);
    add_texts(&buf, &about->environment);
    add_texts(&buf, &about->facts);
    ebb_status status = buf.n > EBB_SECTION_MAX_BYTES
                            ? ebb_fail(err, EBB_UNSUPPORTED, "arguments and environment are too long to be recorded")
                            : ebb_recorder_section(rec, EBB_SECTION_ABOUT, buf.data, buf.n, err);
    ebb_buf_fini(&buf);
    return status;
}

static void parse(ebb_values *v, ebb_about *out)
{
    out->machine = take_text(v);
    out->machine_version = ebb_values_u64(v);
    out->program = take_text(v);
    out->directory = take_text(v);
    out->began = (int64_t)ebb_values_u64(v);
    take_texts(v, &out->args);
    take_texts(v, &out->environment);
    take_texts(v, &out->facts);
}

ebb_status ebb_about_read(ebb_recording *r, ebb_about *out, ebb_error *err)
{
    *out = (ebb_about){0};
    if (ebb_recording_count_sections(r) == 0 || ebb_recording_section_kind(r, 0) != EBB_SECTION_ABOUT)
        return ebb_fail(err, EBB_BAD_FILE, "the recording doesn't say what it is of: it ended too early");
    ebb_buf buf = {0};
    ebb_status status = ebb_recording_read_section(r, 0, &buf, err);
    if (status == EBB_OK) {
        ebb_values v = {.at = (const uint8_t *)buf.data, .end = (const uint8_t *)buf.data + buf.n};
        parse(&v, out);
        if (!ebb_values_done(&v))
            status = ebb_fail(err, EBB_BAD_FILE, "the recording's description of itself is broken");
    }
    ebb_buf_fini(&buf);
    return status;
}
