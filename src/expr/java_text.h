/* java_text.h - text as Java has it.
 *
 * A Java string is a row of UTF-16 units.  In the debugger it is UTF-8 with two licences, so that every row has exactly
 * one text and no NUL is inside of it: a zero unit is the two bytes C0 80, and half of a surrogate pair that stands
 * alone is written as the three bytes of its number. */
#ifndef EBB_EXPR_JAVA_TEXT_H
#define EBB_EXPR_JAVA_TEXT_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Appends a unit or a whole character; a low surrogate after a high one makes a pair of the two. */
void java_text_add(ebb_buf *text, uint32_t code);
/* Appends text, joining what belongs together at the seam. */
void java_text_join(ebb_buf *text, const char *more);
/* The character at *at, which isn't at its end; a byte that isn't part of one stands for itself. */
uint32_t java_text_next(const char **at);
/* How many units it has. */
size_t java_text_length(const char *text);

/* As Double.toString and Float.toString of JDK 17 write them. */
void java_text_add_double(ebb_buf *text, double number);
void java_text_add_float(ebb_buf *text, float number);

#endif
