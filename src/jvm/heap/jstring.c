/* jstring.c - strings are Latin-1 or UTF-16, as the class library wants them; interned ones are held weakly. */
#include "jvm/heap/jstring.h"

#include "base/mem.h"
#include "base/sizes.h"
#include "jvm/classes/class.h"
#include "jvm/heap/heap.h"
#include "jvm/heap/jstring_table.h"
#include "jvm/jvm.h"

#include <string.h>

enum { LATIN1 = 0, UTF16 = 1 };

/* ---- making strings ---- */

/* One char of modified UTF-8; malformed bytes stand for themselves. */
static uint16_t utf8_next(const char **at, const char *end)
{
    const uint8_t *p = (const uint8_t *)*at;
    size_t left = (size_t)(end - *at);
    if (p[0] >= 0xc0 && p[0] < 0xe0 && left >= 2) {
        *at += 2;
        return (uint16_t)((p[0] & 0x1f) << 6 | (p[1] & 0x3f));
    }
    if (p[0] >= 0xe0 && p[0] < 0xf0 && left >= 3) {
        *at += 3;
        return (uint16_t)((p[0] & 0xf) << 12 | (p[1] & 0x3f) << 6 | (p[2] & 0x3f));
    }
    *at += 1;
    return p[0];
}

static jvm_obj *string_over(jvm_thread *t, jvm_obj *value, int coder)
{
    if (value == NULL)
        return NULL;
    jvm_obj *s = jvm_new_object(t, jvm.classes.String);
    if (s == NULL)
        return NULL;
    jvm_put_ref(s, jvm.fields.String_value, value);
    jvm_put_u8(s, jvm.fields.String_coder, (uint8_t)coder);
    return s;
}

jvm_obj *jvm_string_newn(jvm_thread *t, const char *utf8, size_t nbytes)
{
    const char *end = utf8 + nbytes;
    size_t nchars = 0;
    uint16_t all = 0;
    for (const char *p = utf8; p < end; nchars++)
        all |= utf8_next(&p, end);
    int coder = all > 0xff ? UTF16 : LATIN1;
    jvm_obj *value = jvm_new_prim_array(t, 'B', (int32_t)(nchars << coder));
    if (value == NULL)
        return NULL;
    uint8_t *narrow = jvm_array_data(value);
    uint16_t *wide = jvm_array_data(value);
    const char *p = utf8;
    for (size_t i = 0; i < nchars; i++) {
        uint16_t c = utf8_next(&p, end);
        if (coder == LATIN1)
            narrow[i] = (uint8_t)c;
        else
            wide[i] = c;
    }
    return string_over(t, value, coder);
}

jvm_obj *jvm_string_new(jvm_thread *t, const char *utf8)
{
    return jvm_string_newn(t, utf8, strlen(utf8));
}

jvm_obj *jvm_string_new_utf16(jvm_thread *t, const uint16_t *chars, size_t nchars)
{
    uint16_t all = 0;
    for (size_t i = 0; i < nchars; i++)
        all |= chars[i];
    int coder = all > 0xff ? UTF16 : LATIN1;
    jvm_obj *value = jvm_new_prim_array(t, 'B', (int32_t)(nchars << coder));
    if (value == NULL)
        return NULL;
    uint8_t *narrow = jvm_array_data(value);
    if (coder == UTF16)
        memcpy(narrow, chars, nchars * 2);
    else
        for (size_t i = 0; i < nchars; i++)
            narrow[i] = (uint8_t)chars[i];
    return string_over(t, value, coder);
}

/* ---- reading strings ---- */

static int coder_of(const jvm_obj *s)
{
    return jvm_get_u8(s, jvm.fields.String_coder);
}

int32_t jvm_string_length(const jvm_obj *s)
{
    const jvm_obj *value = jvm_get_ref(s, jvm.fields.String_value);
    return value == NULL ? 0 : value->length >> coder_of(s);
}

uint16_t jvm_string_char(const jvm_obj *s, int32_t i)
{
    const void *data = jvm_array_data(jvm_get_ref(s, jvm.fields.String_value));
    return coder_of(s) == UTF16 ? ((const uint16_t *)data)[i] : ((const uint8_t *)data)[i];
}

static size_t utf8_size(uint16_t c)
{
    return c != 0 && c < 0x80 ? 1 : c < 0x800 ? 2 : 3;
}

size_t jvm_string_utf8_length(const jvm_obj *s)
{
    size_t n = 0;
    int32_t length = jvm_string_length(s);
    for (int32_t i = 0; i < length; i++)
        n += utf8_size(jvm_string_char(s, i));
    return n;
}

static char *utf8_put(char *out, uint16_t c)
{
    switch (utf8_size(c)) {
    case 1:
        *out++ = (char)c;
        break;
    case 2:
        *out++ = (char)(0xc0 | c >> 6);
        *out++ = (char)(0x80 | (c & 0x3f));
        break;
    default:
        *out++ = (char)(0xe0 | c >> 12);
        *out++ = (char)(0x80 | (c >> 6 & 0x3f));
        *out++ = (char)(0x80 | (c & 0x3f));
    }
    return out;
}

void jvm_string_utf8_region(const jvm_obj *s, int32_t start, int32_t nchars, char *out)
{
    for (int32_t i = start; i < start + nchars; i++)
        out = utf8_put(out, jvm_string_char(s, i));
}

char *jvm_string_utf8(const jvm_obj *s)
{
    if (s == NULL)
        return ebb_strdup("");
    size_t n = jvm_string_utf8_length(s);
    char *text = ebb_alloc(n + 1);
    jvm_string_utf8_region(s, 0, jvm_string_length(s), text);
    text[n] = '\0';
    return text;
}

const jvm_sym *jvm_string_sym(const jvm_obj *s)
{
    char *text = jvm_string_utf8(s);
    const jvm_sym *sym = jvm_sym_get(text);
    free(text);
    return sym;
}

const jvm_sym *jvm_string_class_sym(const jvm_obj *s)
{
    char *text = jvm_string_utf8(s);
    for (char *p = text; *p != '\0'; p++)
        if (*p == '.')
            *p = '/';
    const jvm_sym *sym = jvm_sym_get(text);
    free(text);
    return sym;
}

/* ---- intern table: open addressing by content ---- */

static struct {
    jvm_obj **slots;
    size_t nslots, n;
} table;

static uint32_t content_hash(const jvm_obj *s)
{
    uint32_t h = 0;
    int32_t n = jvm_string_length(s);
    for (int32_t i = 0; i < n; i++)
        h = 31 * h + jvm_string_char(s, i);
    return h;
}

static bool same_content(const jvm_obj *a, const jvm_obj *b)
{
    const jvm_obj *va = jvm_get_ref(a, jvm.fields.String_value), *vb = jvm_get_ref(b, jvm.fields.String_value);
    return coder_of(a) == coder_of(b) && va->length == vb->length &&
           memcmp(jvm_array_data(va), jvm_array_data(vb), (size_t)va->length) == 0;
}

static jvm_obj **slot_of(const jvm_obj *s)
{
    size_t mask = table.nslots - 1;
    size_t i = content_hash(s) * 0x9e3779b1u & mask;
    while (table.slots[i] != NULL && !same_content(table.slots[i], s))
        i = (i + 1) & mask;
    return &table.slots[i];
}

static void rebuild(size_t nslots, bool (*keep)(const jvm_obj *o))
{
    jvm_undo_keep(&table, sizeof table);
    jvm_obj **old = table.slots;
    size_t nold = table.nslots;
    table.slots = ebb_zalloc(nslots * sizeof *table.slots);
    table.nslots = nslots;
    table.n = 0;
    for (size_t i = 0; i < nold; i++)
        if (old[i] != NULL && (keep == NULL || keep(old[i]))) {
            *slot_of(old[i]) = old[i];
            table.n++;
        }
    if (keep != NULL || !jvm_undo_on) /* else it is found again when this is undone */
        free(old);
}

jvm_obj *jvm_string_intern(jvm_thread *t, jvm_obj *string)
{
    if (table.n * 2 >= table.nslots)
        rebuild(table.nslots ? table.nslots * 2 : JVM_STRING_SLOTS, NULL);
    jvm_obj **slot = slot_of(string);
    if (*slot == NULL) {
        jvm_undo_keep(slot, sizeof *slot);
        jvm_undo_keep(&table.n, sizeof table.n);
        *slot = string;
        table.n++;
    }
    return *slot;
}

void jvm_string_table_sweep(bool (*is_live)(const jvm_obj *o))
{
    for (size_t i = 0; i < table.nslots; i++)
        if (table.slots[i] != NULL && !is_live(table.slots[i])) {
            rebuild(table.nslots, is_live);
            return;
        }
}

jvm_obj *jvm_string_of_sym(jvm_thread *t, const jvm_sym *sym)
{
    jvm_obj *s = jvm_string_newn(t, sym->text, sym->nbytes);
    return s == NULL ? NULL : jvm_string_intern(t, s);
}

jvm_obj *jvm_string_of_class_name(jvm_thread *t, const jvm_class *cls)
{
    char *name = jvm_class_external_name(cls);
    jvm_obj *s = jvm_string_new(t, name);
    free(name);
    return s == NULL ? NULL : jvm_string_intern(t, s);
}
