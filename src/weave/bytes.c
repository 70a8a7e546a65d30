/* bytes.c - the reader and the writer of everything that a class file is made of. */
#include "weave/bytes.h"

#include "jvm/engine/ops.h"

weave_in weave_in_of(weave_span span)
{
    return (weave_in){span.bytes, span.bytes + span.nbytes, false};
}

weave_span weave_take(weave_in *in, uint32_t nbytes)
{
    if (in->failed || nbytes > (size_t)(in->end - in->at)) {
        in->failed = true;
        return (weave_span){NULL, 0};
    }
    weave_span span = {in->at, nbytes};
    in->at += nbytes;
    return span;
}

uint8_t weave_u1(weave_in *in)
{
    const uint8_t *p = weave_take(in, 1).bytes;
    return p ? *p : 0;
}

uint16_t weave_u2(weave_in *in)
{
    const uint8_t *p = weave_take(in, 2).bytes;
    return p ? jvm_u2(p) : 0;
}

uint32_t weave_u4(weave_in *in)
{
    const uint8_t *p = weave_take(in, 4).bytes;
    return p ? jvm_u4(p) : 0;
}

void weave_put_u1(ebb_buf *out, uint32_t value)
{
    ebb_buf_addc(out, (char)value);
}

void weave_put_u2(ebb_buf *out, uint32_t value)
{
    weave_put_u1(out, value >> 8);
    weave_put_u1(out, value);
}

void weave_put_u4(ebb_buf *out, uint32_t value)
{
    weave_put_u2(out, value >> 16);
    weave_put_u2(out, value);
}

void weave_put(ebb_buf *out, weave_span span)
{
    ebb_buf_add(out, span.bytes, span.nbytes);
}

void weave_set_u2(ebb_buf *out, size_t at, uint32_t value)
{
    out->data[at] = (char)(value >> 8);
    out->data[at + 1] = (char)value;
}

void weave_set_u4(ebb_buf *out, size_t at, uint32_t value)
{
    weave_set_u2(out, at, value >> 16);
    weave_set_u2(out, at + 2, value);
}
