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

/* Cuts blanks off the end, in place; returns `text`. */
char *ebb_text_rtrim(char *text);

#endif
