/* bytes.h - big-endian bytes, read within bounds and written at the end of a buffer.
 *
 * WB1  a read past the end fails and so does every read after it; what a failed read gives is 0. */
#ifndef EBB_WEAVE_BYTES_H
#define EBB_WEAVE_BYTES_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct weave_span {
    const uint8_t *bytes;
    uint32_t nbytes;
} weave_span;

typedef struct weave_in {
    const uint8_t *at, *end;
    bool failed;
} weave_in;

weave_in weave_in_of(weave_span span);
weave_span weave_take(weave_in *in, uint32_t nbytes); /* {NULL, 0} when there are not so many */
uint8_t weave_u1(weave_in *in);
uint16_t weave_u2(weave_in *in);
uint32_t weave_u4(weave_in *in);

void weave_put_u1(ebb_buf *out, uint32_t value);
void weave_put_u2(ebb_buf *out, uint32_t value);
void weave_put_u4(ebb_buf *out, uint32_t value);
void weave_put(ebb_buf *out, weave_span span);
void weave_set_u2(ebb_buf *out, size_t at, uint32_t value); /* over two bytes that are there */
void weave_set_u4(ebb_buf *out, size_t at, uint32_t value);

#endif
