/* text.h - small questions about text that several parts ask. */
#ifndef EBB_BASE_TEXT_H
#define EBB_BASE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

bool ebb_text_starts(const char *text, const char *prefix);
bool ebb_text_is_blank(const char *text);
const char *ebb_text_skip_space(const char *text);
const char *ebb_path_base(const char *path); /* after the last '/' */

/* The whole of `text` as a number (decimal, 0x, 0 octal); false if it is anything else or too big. */
bool ebb_text_to_u64(const char *text, uint64_t *out);

/* "64M", "512k", "2G", "4096": a number of bytes. */
bool ebb_text_to_size(const char *text, uint64_t *nbytes);

enum { EBB_U64_DIGITS = 20 };
/* In decimal, right before `end`, without a NUL; the first digit. */
char *ebb_text_of_u64(uint64_t number, char *end);

/* Cuts blanks off the end, in place; returns `text`. */
char *ebb_text_rtrim(char *text);

#endif
