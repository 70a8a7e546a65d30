/* bookmarks.c - a list, whose changes are events of the recording. */
#include "time/bookmarks.h"
#include "base/check.h"
#include "base/mem.h"
#include "base/text.h"
#include "time/recording_format.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

struct ebb_bookmarks {
    EBB_VEC(ebb_bookmark) items; /* BM2 */
};

ebb_bookmarks *ebb_bookmarks_new(void)
{
    return EBB_NEW(ebb_bookmarks);
}

static void bookmark_fini(ebb_bookmark *mark)
{
    free(mark->name);
    free(mark->note);
}

void ebb_bookmarks_free(ebb_bookmarks *marks)
{
    if (!marks)
        return;
    for (size_t i = 0; i < marks->items.n; i++)
        bookmark_fini(&marks->items.items[i]);
    ebb_vec_fini(&marks->items);
    free(marks);
}

size_t ebb_bookmarks_count(const ebb_bookmarks *marks)
{
    return marks->items.n;
}

const ebb_bookmark *ebb_bookmarks_get(const ebb_bookmarks *marks, size_t i)
{
    ebb_check(i < marks->items.n);
    return &marks->items.items[i];
}

static size_t index_of(const ebb_bookmarks *marks, const char *name)
{
    size_t i = 0;
    while (i < marks->items.n && strcmp(marks->items.items[i].name, name) != 0)
        i++;
    return i;
}

const ebb_bookmark *ebb_bookmarks_find(const ebb_bookmarks *marks, const char *name)
{
    size_t i = index_of(marks, name);
    return i < marks->items.n ? &marks->items.items[i] : NULL;
}

/* ---- setting and deleting ------------------------------------------------------------------------- */

static void remove_at(ebb_bookmarks *marks, size_t i)
{
    bookmark_fini(&marks->items.items[i]);
    ebb_vec_remove(&marks->items, i);
}

static const ebb_bookmark *insert(ebb_bookmarks *marks, const char *name, const char *note, ebb_position at)
{
    ebb_bookmark mark = {.name = ebb_strdup(name), .note = ebb_strdup(note), .at = at};
    size_t old = index_of(marks, name); /* BM1; copied first, as name and note may be its own */
    if (old < marks->items.n)
        remove_at(marks, old);
    size_t i = 0;
    while (i < marks->items.n && ebb_position_compare(marks->items.items[i].at, at) <= 0)
        i++;
    ebb_vec_push(&marks->items, mark);
    memmove(&marks->items.items[i + 1], &marks->items.items[i], (marks->items.n - 1 - i) * sizeof mark);
    marks->items.items[i] = mark;
    return &marks->items.items[i];
}

static bool is_good_name(const char *name)
{
    uint64_t number;
    if (!isalnum((unsigned char)name[0]) && name[0] != '_' && !((unsigned char)name[0] & 0x80))
        return false;
    for (const char *c = name; *c; c++)
        if (isspace((unsigned char)*c) || iscntrl((unsigned char)*c) || *c == '@')
            return false;
    return strcmp(name, "start") && strcmp(name, "end") && !ebb_text_to_u64(name, &number);
}

/* "b1", "b2", ...: a number alone is a timestamp. */
static const char *free_name(const ebb_bookmarks *marks, char *name, size_t size)
{
    unsigned i = 1;
    do
        snprintf(name, size, "b%u", i++);
    while (ebb_bookmarks_find(marks, name));
    return name;
}

ebb_status ebb_bookmarks_set(ebb_bookmarks *marks, const char *name, const char *note, ebb_position at, const ebb_bookmark **out,
                             ebb_error *err)
{
    char own[16];
    if (!name)
        name = free_name(marks, own, sizeof own);
    if (!is_good_name(name))
        return ebb_fail(err, EBB_BAD_INPUT, "\"%s\" can't be a bookmark's name: goto would take it for something else", name);
    *out = insert(marks, name, note ? note : "", at);
    return EBB_OK;
}

ebb_status ebb_bookmarks_delete(ebb_bookmarks *marks, const char *name, ebb_error *err)
{
    size_t i = index_of(marks, name);
    if (i == marks->items.n)
        return ebb_fail(err, EBB_NOT_FOUND, "No bookmark \"%s\".", name);
    remove_at(marks, i);
    return EBB_OK;
}

void ebb_bookmarks_cut(ebb_bookmarks *marks, ebb_position at)
{
    while (marks->items.n > 0 && ebb_position_compare(marks->items.items[marks->items.n - 1].at, at) > 0)
        remove_at(marks, marks->items.n - 1);
}

/* ---- in a recording ------------------------------------------------------------------------------- */

static void add_text(ebb_buf *buf, const char *text)
{
    rec_add_varint(buf, strlen(text));
    ebb_buf_adds(buf, text);
}

static ebb_status write_mark(ebb_recorder *rec, bool is_set, const ebb_bookmark *mark, ebb_error *err)
{
    ebb_buf buf = {0};
    rec_add_varint(&buf, is_set);
    add_text(&buf, mark->name);
    add_text(&buf, mark->note);
    rec_add_varint(&buf, mark->at.timestamp);
    rec_add_varint(&buf, mark->at.place);
    ebb_status status = ebb_recorder_section(rec, EBB_SECTION_BOOKMARK, buf.data, buf.n, err);
    ebb_buf_fini(&buf);
    return status;
}

static bool is_same(const ebb_bookmark *a, const ebb_bookmark *b)
{
    return a && b && strcmp(a->note, b->note) == 0 && ebb_position_compare(a->at, b->at) == 0;
}

static ebb_status write_changes(const ebb_bookmarks *old, const ebb_bookmarks *marks, ebb_recorder *rec, ebb_error *err)
{
    ebb_status status = EBB_OK;
    for (size_t i = 0; status == EBB_OK && i < old->items.n; i++)
        if (!ebb_bookmarks_find(marks, old->items.items[i].name))
            status = write_mark(rec, false, &old->items.items[i], err);
    for (size_t i = 0; status == EBB_OK && i < marks->items.n; i++)
        if (!is_same(ebb_bookmarks_find(old, marks->items.items[i].name), &marks->items.items[i]))
            status = write_mark(rec, true, &marks->items.items[i], err);
    return status;
}

ebb_status ebb_bookmarks_save(const ebb_bookmarks *marks, ebb_recorder *rec, ebb_error *err)
{
    ebb_recording *r;
    ebb_status status = ebb_recording_open_fd(ebb_recorder_get_fd(rec), &r, err);
    if (status != EBB_OK)
        return status;
    ebb_bookmarks *old = ebb_bookmarks_new();
    status = ebb_bookmarks_load(old, r, err);
    if (status == EBB_OK)
        status = write_changes(old, marks, rec, err);
    ebb_bookmarks_free(old);
    ebb_recording_free(r);
    return status;
}

static ebb_status load_mark(ebb_bookmarks *marks, const ebb_buf *bytes, ebb_error *err)
{
    ebb_values v = {.at = (const uint8_t *)bytes->data, .end = (const uint8_t *)bytes->data + bytes->n};
    bool is_set = ebb_values_u64(&v) != 0;
    char *name = ebb_values_text(&v), *note = ebb_values_text(&v);
    ebb_position at = {.timestamp = ebb_values_u64(&v)};
    at.place = ebb_values_u64(&v);
    ebb_status status = EBB_OK;
    if (!ebb_values_done(&v) || !is_good_name(name))
        status = ebb_fail(err, EBB_BAD_FILE, "a bookmark of the recording is broken");
    else if (is_set)
        insert(marks, name, note, at);
    else if (index_of(marks, name) < marks->items.n)
        remove_at(marks, index_of(marks, name));
    free(name);
    free(note);
    return status;
}

ebb_status ebb_bookmarks_load(ebb_bookmarks *marks, ebb_recording *r, ebb_error *err)
{
    ebb_buf bytes = {0};
    ebb_status status = EBB_OK;
    for (size_t i = 0; status == EBB_OK && i < ebb_recording_count_sections(r); i++) {
        if (ebb_recording_section_kind(r, i) != EBB_SECTION_BOOKMARK)
            continue;
        status = ebb_recording_read_section(r, i, &bytes, err);
        if (status == EBB_OK)
            status = load_mark(marks, &bytes, err);
    }
    ebb_buf_fini(&bytes);
    return status;
}
