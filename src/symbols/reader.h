/* reader.h - foreign bytes read one field after the other.
 *
 * RD1  reading past the end gives zero and sets `failed`; nothing outside the bytes is ever touched;
 * RD2  so a caller may read a whole structure and ask once whether it was there. */
#ifndef EBB_SYMBOLS_READER_H
#define EBB_SYMBOLS_READER_H

#include "symbols/elf_file.h"

#include <stdbool.h>
#include <string.h>

typedef struct sym_reader {
    const uint8_t *at, *end;
    bool failed;
} sym_reader;

static inline sym_reader sym_reader_at(sym_bytes bytes, uint64_t offset)
{
    if (!bytes.data || offset > bytes.n)
        return (sym_reader){NULL, NULL, true};
    return (sym_reader){bytes.data + offset, bytes.data + bytes.n, false};
}

static inline size_t sym_read_left(const sym_reader *r)
{
    return (size_t)(r->end - r->at);
}

static inline void sym_read_fail(sym_reader *r)
{
    r->at = r->end;
    r->failed = true;
}

static inline void sym_read_skip(sym_reader *r, uint64_t n)
{
    if (n > sym_read_left(r))
        sym_read_fail(r);
    else
        r->at += n;
}

/* A little-endian number of `n` bytes, at most 8. */
static inline uint64_t sym_read_fixed(sym_reader *r, size_t n)
{
    uint64_t value = 0;
    if (n > sym_read_left(r)) {
        sym_read_fail(r);
        return 0;
    }
    memcpy(&value, r->at, n);
    r->at += n;
    return value;
}

static inline uint8_t sym_read_u8(sym_reader *r)
{
    return (uint8_t)sym_read_fixed(r, 1);
}

static inline uint16_t sym_read_u16(sym_reader *r)
{
    return (uint16_t)sym_read_fixed(r, 2);
}

static inline uint32_t sym_read_u32(sym_reader *r)
{
    return (uint32_t)sym_read_fixed(r, 4);
}

static inline uint64_t sym_read_u64(sym_reader *r)
{
    return sym_read_fixed(r, 8);
}

static inline uint64_t sym_read_uleb(sym_reader *r)
{
    uint64_t value = 0;
    for (unsigned shift = 0; r->at < r->end; shift += 7) {
        uint8_t byte = *r->at++;
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
    sym_read_fail(r);
    return 0;
}

static inline int64_t sym_read_sleb(sym_reader *r)
{
    uint64_t value = 0;
    for (unsigned shift = 0; r->at < r->end;) {
        uint8_t byte = *r->at++;
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
        if (!(byte & 0x80)) {
            if (shift < 64 && (byte & 0x40))
                value |= ~(uint64_t)0 << shift;
            return (int64_t)value;
        }
    }
    sym_read_fail(r);
    return 0;
}

/* A text that ends with NUL inside the bytes; "" otherwise. */
static inline const char *sym_read_text(sym_reader *r)
{
    const uint8_t *nul = sym_read_left(r) ? memchr(r->at, 0, sym_read_left(r)) : NULL;
    if (!nul) {
        sym_read_fail(r);
        return "";
    }
    const char *text = (const char *)r->at;
    r->at = nul + 1;
    return text;
}

/* The initial length of a DWARF unit: cuts the reader to the unit and tells the size of offsets. */
static inline bool sym_read_unit_length(sym_reader *r, uint8_t *offset_size)
{
    uint64_t length = sym_read_u32(r);
    *offset_size = 4;
    if (length == 0xffffffff) {
        length = sym_read_u64(r);
        *offset_size = 8;
    }
    if (r->failed || length > sym_read_left(r))
        return false;
    r->end = r->at + length;
    return true;
}

/* The text at an offset of a string section; NULL if it isn't there. */
static inline const char *sym_text_at(sym_bytes section, uint64_t offset)
{
    sym_reader r = sym_reader_at(section, offset);
    const char *text = sym_read_text(&r);
    return r.failed ? NULL : text;
}

#endif
